//! The document of a comparison: the verdict, the deciding metrics, the findings that could turn it, the next step.

use crate::checks::Severity;
use crate::format::{self, counted};
use crate::metrics::Metric;
use crate::report::atlas::words as atlas;
use crate::report::capacity::words::{capacities_title, capacity_title, slo_sentence};
use crate::report::comparison::adjusted::why_within_noise;
use crate::report::comparison::also_worse::{self, is_counted_in_summary};
use crate::report::comparison::overview::overviews;
use crate::report::comparison::tables::{metrics, numbers, runs};
use crate::report::comparison::{WITHOUT, control, levels, words};
use crate::report::document::Text;
use crate::report::document::blocks::{
    Block, Document, Fold, Heading, Plot, Role, Room, Tone, anchor,
};
use crate::report::inputs::inputs;
use crate::report::sweep::page::sweeps;
use crate::report::sweep::words::{sweep_title, title_at_load};
use crate::report::{Check, Comparison, Report, Row, Settings, Without, WithoutRow, method};
use crate::runs::read_as_lines;
use crate::verdict::{Gate, Headline, headline};

/// Warnings that could not turn the verdict, before the fold.
const BEFORE_FOLD: usize = 3;

/// Rows of metrics where none decides.
const FIRST_METRICS: usize = 3;

const MAX_RUNS: usize = 5_000;

/// Number of comparisons up to which a page draws every run.
const MAX_DRAWN: usize = 12;

/// Number of comparisons up to which a page has drawings.
const MAX_PLOTTED: usize = 100;

/// The blocks of a report of one or several comparisons.
pub(crate) fn compare(report: &Report) -> Document<'_> {
    let (tone, title, quiet, mut blocks) = match &report.comparisons[..] {
        [only] => {
            let mut blocks = section(only, &Place { number: 1, of: 1, settings: &report.settings });
            blocks.extend(repeats(report));
            let counted = is_counted_in_summary(only);
            let quiet = also_worse::count(only).filter(|_| !counted);
            let quiet = quiet.map(|count| format!("{}; {count}", only.summary).into());
            (only.headline, Text::from(&*only.summary), quiet.into_iter().collect(), blocks)
        }
        all => {
            let worst = all.first().map_or(Headline::NotComparable, |worst| worst.headline);
            if let [only] = &report.sweeps[..]
                && only.points.len() == all.len()
            {
                let (tone, title) = match &only.capacity {
                    Some(row) => (headline(&[(row.verdict, 1.0)]), capacity_title(row, only)),
                    None => (only.headline, only.summary.clone()),
                };
                (tone, Text::from(title), Vec::new(), several(report))
            } else {
                let mut said = words::overview(report);
                let mut worst = worst;
                if let Some(capacities) = capacities_title(&report.sweeps) {
                    said = format!("{capacities}; {said}");
                    let verdicts = report.sweeps.iter().filter_map(|one| one.capacity.as_ref());
                    let verdicts: Vec<_> = verdicts.map(|row| (row.verdict, 1.0)).collect();
                    let of_capacities = headline(&verdicts);
                    if !matches!(worst, Headline::Regressed | Headline::TradeOff) {
                        worst = of_capacities;
                    }
                }
                let first = all.first().filter(|worst| worst.headline.is_change());
                let sweep =
                    report.sweeps.iter().find(|one| one.points.iter().any(|p| p.comparison == 0));
                let title = |worst| sweep.map_or_else(|| words::title(worst), sweep_title);
                let quiet = first.map(|worst| format!("{said}; first: {}", title(worst)).into());
                (worst, said.into(), quiet.into_iter().collect(), several(report))
            }
        }
    };
    blocks.splice(0..0, decision(report));
    blocks.extend(unmatched(report));
    blocks.extend(made(report));
    blocks.extend(inputs(report));
    blocks.extend(how(report));
    Document {
        program: "beyondnoise",
        marker: Some("beyondnoise"),
        tone: Tone::Headline(tone),
        title,
        quiet,
        blocks,
    }
}

/// Whether the change may be kept, where that was asked.
pub(crate) fn decision(report: &Report) -> Option<Block<'_>> {
    let word = words::decision(report)?;
    let reason = report.decision_reason.trim_end_matches('.');
    let text = Text::from("Decision: ").strong(word).plain(format!(": {reason}."));
    Some(Block::Text(Role::Lead, text))
}

/// A table for each workload, then every comparison.
fn several(report: &Report) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    blocks.extend(repeats(report));
    blocks.extend(sweeps(report));
    blocks.extend(overviews(report));
    let of = report.comparisons.len();
    let mut order: Vec<usize> = report.swept().collect();
    order.extend((0..of).filter(|at| !order.contains(at)).collect::<Vec<_>>());
    for index in order {
        let comparison = &report.comparisons[index];
        let place = Place { number: index + 1, of, settings: &report.settings };
        let title = title_at_load(report, index).unwrap_or_else(|| words::title(comparison));
        blocks.push(folded_section(comparison, title, Room::Any, &place));
    }
    blocks
}

/// Position of a comparison in its report.
pub(crate) struct Place<'a> {
    pub(crate) number: usize,
    /// Number of comparisons that are shown.
    pub(crate) of: usize,
    pub(crate) settings: &'a Settings,
}

/// A comparison among several, which a page shows below its heading and other forms fold.
pub(crate) fn folded_section<'a>(
    comparison: &'a Comparison,
    title: String,
    room: Room,
    place: &Place<'a>,
) -> Block<'a> {
    let heading = Heading {
        level: 2,
        tone: Some(Tone::Headline(comparison.headline)),
        text: title.clone().into(),
        anchor: Some(anchor(place.number)),
    };
    Block::Fold(Fold {
        summary: title.into(),
        heading: Some(heading),
        room,
        open: false,
        announced: None,
        blocks: section(comparison, place),
    })
}

fn section<'a>(comparison: &'a Comparison, place: &Place<'a>) -> Vec<Block<'a>> {
    let single = words::single(comparison);
    let mut glance: Vec<Block<'a>> = Vec::new();
    glance.extend(opening(comparison, single));
    let leading = leading_rows(comparison);
    if !leading.is_empty() {
        glance.push(Block::Table(metrics(comparison, &leading, single)));
    }
    glance.push(forest(comparison, &leading));
    glance.extend(also_worse(comparison));
    glance.extend(warnings(comparison, single));
    let plain = [why_within_noise(comparison), words::per_request(comparison)];
    glance.extend(plain.into_iter().flatten().map(|text| Block::marked(Role::Plain, &text)));
    if single {
        let shown = comparison.checks.iter().filter(|check| words::is_shown_alone(check));
        glance.extend(shown.map(finding));
    }
    glance.extend(noise_floor(comparison));
    glance.extend(control::both_ways(comparison).map(|text| Block::marked(Role::Plain, &text)));
    glance.push(Block::marked(Role::Next, &comparison.next_step));
    let mut blocks = vec![Block::text(Role::Workload, comparison.workload.describe())];
    let limits = comparison.slo.iter().map(|row| slo_sentence(row, comparison));
    blocks.extend(limits.map(|text| Block::text(Role::Lead, text)));
    if nothing_moved(comparison) {
        // Nothing happened: the title says so, and the rest is folded but for what the noise is not of.
        let unsure = comparison.checks.iter().filter(|check| words::is_of_the_noise(check));
        blocks.extend(unsure.filter(|check| check.severity < Severity::Note).map(finding));
        let summary = counted(leading.len(), "metric");
        blocks.extend(Block::fold(summary, Room::Terminal, glance));
    } else {
        blocks.extend(glance);
    }
    blocks.extend(details(comparison, &leading, single));
    blocks.extend(page_parts(comparison, place));
    blocks
}

/// Whether no deciding metric changed and no other is shown to be worse.
fn nothing_moved(comparison: &Comparison) -> bool {
    comparison.headline == Headline::NoChange && !comparison.has_worse()
}

/// The metrics that decide nothing and are shown to be worse.
fn also_worse(comparison: &Comparison) -> Option<Block<'static>> {
    let weighs = is_counted_in_summary(comparison) && also_worse::count(comparison).is_some();
    let role = if weighs { Role::Warning } else { Role::Item };
    comparison.also_worse.as_ref().map(|line| Block::text(role, format!("{line}.")))
}

/// The opening for single runs: too few runs, and the change that was seen.
fn opening(comparison: &Comparison, single: bool) -> Option<Block<'static>> {
    if !single {
        return None;
    }
    let few = words::too_few_runs(comparison).map(|check| check.message.clone());
    let mut text = Text::marked(&atlas::answer(comparison).or(few).unwrap_or_default());
    if let Some((seen, change)) = words::what_was_seen(comparison) {
        text = text.plain(format!(" {seen} (")).strong(change).plain(").");
    }
    Some(Block::Text(Role::Lead, text))
}

/// The deciding rows and the guards, or the first ones where none decides.
fn leading_rows(comparison: &Comparison) -> Vec<&Row> {
    let leading = comparison.leading(usize::MAX);
    if leading.is_empty() {
        comparison.metrics.iter().take(FIRST_METRICS).collect()
    } else {
        leading
    }
}

/// The intervals of these rows on one axis.
fn forest<'a>(comparison: &Comparison, rows: &[&'a Row]) -> Block<'a> {
    Block::Plot(Plot::Forest {
        head: String::new(),
        lines: rows.iter().map(|row| (row.row_label.clone(), *row)).collect(),
        level: words::level(comparison),
        in_picture: false,
    })
}

fn finding<'a>(check: &Check) -> Block<'a> {
    let role = match check.severity {
        Severity::Block => Role::Stop,
        Severity::Warn => Role::Warning,
        Severity::Note => Role::Note,
    };
    Block::marked(role, &check.message)
}

/// Warnings: three, and all that could turn the verdict or contradict a claim; the others folded.
fn warnings(comparison: &Comparison, single: bool) -> Vec<Block<'static>> {
    let mut found = words::warnings(comparison, single);
    // Without a change these come before the fold.
    found.retain(|check| !(nothing_moved(comparison) && words::is_of_the_noise(check)));
    let last = found.iter().rposition(|check| check.must_show()).map_or(0, |at| at + 1);
    let blocks = found.into_iter().map(finding).collect();
    Block::first_of(blocks, last.max(BEFORE_FOLD), "more warning")
}

/// The noise floor of the deciding metrics, and whether the runs overlap.
fn noise_floor(comparison: &Comparison) -> Option<Block<'static>> {
    let floor = words::noise_floor(comparison)?;
    let runs = levels::runs(comparison);
    let runs = match words::lent(comparison) {
        Some(lent) => format!("{runs}, with {lent}"),
        None => runs,
    };
    let mut text =
        Text::default().strong(format!("Noise floor ({runs}):")).plain(format!(" {floor}."));
    if let Some(separation) = words::separation(comparison) {
        text = text.plain(" ");
        text.spans.extend(Text::marked(&separation).spans);
    }
    Some(Block::Text(Role::Plain, text))
}

/// Further metrics, notes and claims.
fn details<'a>(comparison: &'a Comparison, leading: &[&Row], single: bool) -> Option<Block<'a>> {
    let shown = |row: &Row| leading.iter().any(|shown| shown.metric == row.metric);
    let rest: Vec<&'a Row> = comparison.metrics.iter().filter(|row| !shown(row)).collect();
    let notes = comparison.checks.iter().filter(|check| check.severity == Severity::Note);
    let notes: Vec<&Check> =
        notes.filter(|check| !(single && words::is_shown_alone(check))).collect();
    let counts =
        [(rest.len(), "more metric"), (notes.len(), "note"), (comparison.claims.len(), "claim")];
    let parts: Vec<String> =
        counts.into_iter().filter(|(n, _)| *n > 0).map(|(n, noun)| counted(n, noun)).collect();
    let mut blocks: Vec<Block<'a>> = Vec::new();
    if !rest.is_empty() {
        blocks.push(Block::Table(metrics(comparison, &rest, single)));
        blocks.push(forest(comparison, &rest));
    }
    blocks.extend(notes.into_iter().map(finding));
    blocks.extend(atlas::reach(comparison).map(|text| Block::marked(Role::Note, &text)));
    let borrowing = words::borrowing(comparison);
    blocks.extend(borrowing.into_iter().map(|text| Block::text(Role::Note, text)));
    blocks.extend(comparison.claims.iter().map(|claim| {
        let text = Text::from("written beside ").code(&*claim.variant).plain(": ");
        let text = text.code(&*claim.text).plain(" (").code(&*claim.place).plain(") ");
        let graded =
            if claim.graded.is_empty() { String::new() } else { format!(". {}", claim.graded) };
        Block::Text(Role::Item, text.plain(format!("{}{graded}", claim.message)))
    }));
    let summary = if parts.is_empty() { "details".to_owned() } else { parts.join(" · ") };
    Block::fold(summary, Room::Any, blocks)
}

/// The parts for a page: drawings, the numbers behind the verdicts and checks, every run.
fn page_parts<'a>(comparison: &'a Comparison, place: &Place<'a>) -> Vec<Block<'a>> {
    let whole = place.of <= MAX_DRAWN;
    let drawn = |rows: Vec<&'a Row>, first: usize| -> Vec<Block<'a>> {
        let plot = |(index, row): (usize, &'a Row)| Plot::Runs {
            comparison,
            row,
            settings: place.settings,
            id: format!("{}m{}", anchor(place.number), first + index + 1),
            whole,
        };
        rows.into_iter().enumerate().map(plot).map(Block::Plot).collect()
    };
    let deciding: Vec<&Row> = comparison.deciding().collect();
    let others: Vec<&Row> = comparison.metrics.iter().filter(|row| !row.deciding).collect();
    let mut blocks = Vec::new();
    let mut add = |summary: &str, open: bool, inside: Vec<Block<'a>>| {
        let fold = Block::fold(summary, Room::Page, inside);
        blocks.extend(fold.map(|fold| fold.open(open)));
    };
    let count = deciding.len();
    if place.number <= MAX_PLOTTED {
        add("Deciding metrics, run by run", whole, drawn(deciding, 0));
    }
    if place.of == 1 {
        add("Other metrics, run by run", false, drawn(others, count));
    }
    add("Checks and their numbers", false, evidence(comparison, place.settings));
    if whole && !comparison.metrics.is_empty() {
        add("The numbers behind the verdicts", false, vec![Block::Table(numbers(comparison))]);
        let mut listed = vec![Block::Table(runs(comparison, MAX_RUNS))];
        let all = comparison.baseline.runs + comparison.candidate.runs;
        if all > MAX_RUNS {
            let text = format!("{} more runs: see the JSON report.", all - MAX_RUNS);
            listed.push(Block::text(Role::Small, text));
        }
        add(&counted(all, "run"), false, listed);
    }
    blocks
}

/// The identifier and the numbers of each check, and the gate.
fn evidence(comparison: &Comparison, settings: &Settings) -> Vec<Block<'static>> {
    let mut blocks: Vec<Block> = comparison
        .checks
        .iter()
        .map(|check| {
            let mut text = Text::default().code(check.id.as_str());
            for (name, value) in &check.evidence {
                let rest = check.without.as_ref().filter(|_| *name == WITHOUT);
                let value = rest.map_or_else(|| shown(value), without);
                text = text.plain(format!(" · {}: {value}", name.replace('_', " ")));
            }
            Block::Text(Role::Item, text)
        })
        .collect();
    if comparison.gate != Gate::None {
        let answer = if comparison.gate == Gate::Pass { "pass" } else { "fail" };
        let why = match comparison.gate_reason.as_str() {
            "" => String::new(),
            why => format!(" {}.", format::sentence(why)),
        };
        blocks.push(Block::text(
            Role::Plain,
            format!(
                "Gate: {answer}, where a deciding metric may be worse by up to {}.{why}",
                format::chosen(settings.tolerance)
            ),
        ));
    }
    blocks
}

/// The verdict without the runs that a check suspects.
fn without(without: &Without) -> String {
    let row = |row: &WithoutRow| {
        let label = Metric::named(&row.metric).label;
        let change = match row.relative {
            Some(relative) => format::change(relative, 1),
            None => format::difference(row.absolute),
        };
        format!("; {label} {change} ({})", words::word(row.verdict))
    };
    let rows: String = without.metrics.iter().map(row).collect();
    let runs = without.left_out.join(", ");
    format!("{} ({runs} left out){rows}", words::headline(without.headline))
}

/// A number or words that a check goes by.
fn shown(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        serde_json::Value::Object(fields) => {
            let known = fields.iter().filter(|(_, value)| !value.is_null());
            let each =
                known.map(|(name, value)| format!("{}: {}", name.replace('_', " "), shown(value)));
            each.collect::<Vec<_>>().join(", ")
        }
        serde_json::Value::Null => "none".to_owned(),
        other => other.to_string(),
    }
}

/// The rule by which runs are repeats, where it is not obvious.
pub(crate) fn repeats(report: &Report) -> impl Iterator<Item = Block<'_>> {
    report.repeats.iter().map(|text| Block::marked(Role::Item, text))
}

/// How the program made the runs: two lines, and the looks.
fn made(report: &Report) -> Vec<Block<'_>> {
    let Some(made) = &report.made else { return Vec::new() };
    let lines = made.lines().into_iter().map(|line| Block::marked(Role::Item, &line));
    let looks = made
        .looks
        .iter()
        .map(|look| Block::text(Role::Item, format!("after {} of each: {}", look.runs, look.said)));
    let looks: Vec<Block> = looks.collect();
    lines.chain(Block::fold("looks", Room::Any, looks)).collect()
}

/// Runs that had nothing to be compared with.
pub(crate) fn unmatched(report: &Report) -> impl Iterator<Item = Block<'_>> {
    report.unmatched.iter().map(|row| {
        let cell = row.cell.iter().map(|(name, value)| format!("{name} {value}"));
        let cell = cell.collect::<Vec<String>>().join(", ");
        let cell = if cell.is_empty() { cell } else { format!(" of {cell}") };
        let failed = match row.failed {
            0 => String::new(),
            n => format!(", {n} failed"),
        };
        let runs = counted(row.runs, "run") + &failed;
        let load = row.workload.describe();
        let text = Text::from("not compared: ").code(&*row.variant);
        Block::Text(Role::Item, text.plain(format!("{cell} ({runs}; {load}): {}", row.why)))
    })
}

/// The method: one line, and its full text folded, with the lines about the reading of the columns; a terminal shows these
/// unfolded.
pub(crate) fn how(report: &Report) -> Vec<Block<'_>> {
    let line = Block::text(Role::Small, method::hint(report));
    let files = report.inputs.iter().filter(|input| input.runs > 0).count();
    let read_as = read_as_lines(&report.read_as, files);
    let shown = read_as.join("\n");
    let mut inside: Vec<Block> =
        read_as.into_iter().map(|line| Block::text(Role::Small, line)).collect();
    inside.push(Block::text(Role::Small, method::method(report)));
    let fold = if shown.is_empty() {
        Block::fold("method", Room::Any, inside)
    } else {
        Block::announced("how it was read, method", shown, inside)
    };
    std::iter::once(line).chain(fold).collect()
}
