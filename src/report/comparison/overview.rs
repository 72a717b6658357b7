//! Several comparisons at a glance: for each workload one table with a row per candidate, or one table with a row per
//! benchmark.

use crate::checks::{CheckId, Severity};
use crate::format;
use crate::report::atlas::words as atlas;
use crate::report::comparison::also_worse::also_worse_among;
use crate::report::comparison::claim::unchanged;
use crate::report::comparison::more_runs::MORE_AFTER_ONE;
use crate::report::comparison::next::{OR_ITERATIONS, either_way, streams, undirected};
use crate::report::comparison::{row_text, words};
use crate::report::document::Text;
use crate::report::document::blocks::{Block, Cell, Kind, Plot, Role, Room, Table, Tone, anchor};
use crate::report::document::cells::{column, number, toned};
use crate::report::{Check, Comparison, NextCommand, Report, Row};
use crate::verdict::{Headline, Verdict};

/// Deciding metrics that have a column.
const MAX_COLUMNS: usize = 3;

/// Characters of a change and its verdict in one line.
const MAX_FIRST_LINE: usize = 15;

/// Comparisons that are all shown at a glance; of more, only those that moved.
const MAX_COMPARISONS: usize = 12;

/// Benchmarks of the same two builds that are all shown at a glance, a line each.
const MAX_BENCHMARKS: usize = 40;

/// Benchmarks that a warning names.
const MAX_NAMED: usize = 3;

/// A table of one screen for each workload and baseline, and sentences about the rest.
pub(crate) fn overviews(report: &Report) -> Vec<Block<'_>> {
    let swept: Vec<usize> = report.swept().collect();
    let all = report.comparisons.iter().enumerate().filter(|(at, _)| !swept.contains(at));
    let all: Vec<(usize, &Comparison)> = all.collect();
    let most =
        if of_benchmarks(&all, &report.settings.order) { MAX_BENCHMARKS } else { MAX_COMPARISONS };
    if all.len() <= most {
        return grouped(&all, &report.settings.order);
    }
    let (shown, rest) = of_many(&all);
    let mut blocks = grouped(&shown, &report.settings.order);
    blocks.push(Block::marked(Role::Lead, &rest));
    let summary = format!("all {} comparisons", all.len());
    blocks.extend(Block::fold(summary, Room::Page, grouped(&all, &report.settings.order)));
    blocks
}

/// The comparisons that moved, or those with the largest changes, and a sentence about the others.
fn of_many<'a>(all: &[(usize, &'a Comparison)]) -> (Vec<(usize, &'a Comparison)>, String) {
    let tells = |one: &Comparison| one.headline.is_change() || one.has_worse();
    let moved: Vec<_> = all.iter().filter(|(_, one)| tells(one)).copied().collect();
    let open =
        |one: &Comparison| matches!(one.headline, Headline::NoVerdict | Headline::NotComparable);
    let unjudged = all.iter().filter(|(_, one)| open(one) && !tells(one)).count();
    let n = all.len();
    if moved.is_empty() && unjudged == n {
        // They come in the order of their changes.
        let rest = format!(
            "None of the {n} comparisons could be judged: these are the {MAX_COMPARISONS} largest changes."
        );
        return (all.iter().take(MAX_COMPARISONS).copied().collect(), rest);
    }
    let judged = match unjudged {
        0 => String::new(),
        n => format!("; {n} could not be judged"),
    };
    let rest = match moved.len() {
        0 => {
            format!(
                "None of the {} comparisons that could be judged moved beyond noise",
                n - unjudged
            )
        }
        count if count == n => format!("All {n} comparisons moved beyond noise"),
        count => format!("{} of {n} comparisons did not move beyond noise", n - count - unjudged),
    };
    let rest = format!("{rest}{judged}. `beyondnoise batch` shows all of them as one table.");
    (moved, rest)
}

/// The comparisons by workload and baseline, each group placed by its worst comparison; for variants in an order, by
/// workload.
fn grouped<'a>(comparisons: &[(usize, &'a Comparison)], order: &[String]) -> Vec<Block<'a>> {
    if of_benchmarks(comparisons, order) {
        return benchmarks(comparisons);
    }
    let mut groups: Vec<Vec<(usize, &'a Comparison)>> = Vec::new();
    for &(index, comparison) in comparisons {
        let same = |members: &&mut Vec<(usize, &Comparison)>| {
            let first = members[0].1;
            let base = first.baseline.name == comparison.baseline.name || !order.is_empty();
            first.workload == comparison.workload && base
        };
        match groups.iter_mut().find(same) {
            Some(members) => members.push((index, comparison)),
            None => groups.push(vec![(index, comparison)]),
        }
    }
    for members in &mut groups {
        let place = |one: &Comparison| order.iter().position(|name| *name == one.candidate.name);
        members.sort_by_key(|(_, one)| place(one));
    }
    groups.iter().flat_map(|members| overview(members, order)).collect()
}

/// Whether these are benchmarks of the same two builds, each with a name and one or two deciding metrics beside its
/// allocations.
fn of_benchmarks(comparisons: &[(usize, &Comparison)], order: &[String]) -> bool {
    let Some((_, first)) = comparisons.first() else { return false };
    let alike = |one: &Comparison| {
        let times = one.deciding().filter(|row| !is_allocation(row)).count();
        one.baseline.name == first.baseline.name
            && one.candidate.name == first.candidate.name
            && one.workload.label.is_some()
            && (1..=2).contains(&times)
    };
    let distinct = |at: usize| {
        let rest = &comparisons[at + 1..];
        rest.iter().all(|(_, other)| other.workload != comparisons[at].1.workload)
    };
    order.is_empty()
        && comparisons.len() > 1
        && comparisons.iter().all(|(_, one)| alike(one))
        && (0..comparisons.len()).all(distinct)
}

/// Whether a row is memory or allocations of an operation, which mostly never vary.
fn is_allocation(row: &Row) -> bool {
    matches!(row.metric.as_str(), "bytes_per_op" | "allocs_per_op")
}

/// The rows of a benchmark in its table: deciding metrics, and counts that changed.
fn rows_of_benchmark(comparison: &Comparison) -> impl Iterator<Item = &Row> {
    let alone = comparison.deciding().all(is_unchanged_count);
    let deciding = comparison.deciding().filter(move |row| alone || !is_unchanged_count(row));
    let counts = comparison.metrics.iter().filter(|row| !row.deciding && is_changed_count(row));
    deciding.chain(counts)
}

/// Whether a row is memory or allocations that are the same in both, which one line says of all benchmarks.
fn is_unchanged_count(row: &Row) -> bool {
    is_allocation(row) && row.delta.absolute == 0.0
}

fn is_changed_count(row: &Row) -> bool {
    row.exact && row.delta.absolute != 0.0
}

/// Benchmarks of the same two builds: a table, its warnings, the next step.
fn benchmarks<'a>(members: &[(usize, &'a Comparison)]) -> Vec<Block<'a>> {
    let comparisons: Vec<&'a Comparison> = members.iter().map(|(_, one)| *one).collect();
    let first = comparisons[0];
    let runs = |name: &str, runs: fn(&Comparison) -> usize| {
        let all = || comparisons.iter().map(|one| runs(one));
        match (all().min(), all().max()) {
            (Some(low), Some(high)) if low < high => format!("{name} (n={low} to {high})"),
            (_, high) => format!("{name} (n={})", high.unwrap_or_default()),
        }
    };
    let candidate = runs(&first.candidate.name, |one| one.candidate.runs);
    let baseline = runs(&first.baseline.name, |one| one.baseline.runs);
    let shared = shared_metric(&comparisons).map_or(String::new(), |label| format!(", {label}"));
    let [prefix, suffix] = shared_parts(members);
    let of = if prefix.is_empty() && suffix.is_empty() {
        String::new()
    } else {
        format!(" of {prefix}…{suffix}")
    };
    let heading =
        Text::default().strong(candidate).plain(format!(" against {baseline}{shared}{of}:"));
    let mut blocks = vec![Block::heading(2, heading)];
    blocks.extend(atlas::answers(&comparisons).map(|text| Block::marked(Role::Lead, &text)));
    blocks.push(Block::Table(benchmark_table(members)));
    blocks.extend(unchanged_counts(&comparisons));
    let mut metrics: Vec<&'a Row> = Vec::new();
    for row in comparisons.iter().flat_map(|one| one.deciding()) {
        if !metrics.iter().any(|known| known.metric == row.metric) {
            metrics.push(row);
        }
    }
    blocks.extend(metrics.iter().filter_map(|of| {
        let line = |comparison: &&'a Comparison| {
            let row = comparison.deciding().find(|row| row.metric == of.metric)?;
            Some((benchmark(comparison), row))
        };
        forest(comparisons.iter().filter_map(line).collect(), words::level(first), true)
    }));
    let placed: Vec<(String, &Comparison)> =
        comparisons.iter().map(|one| (format!("in {}", benchmark(one)), *one)).collect();
    let listed = |_: &_, row: &Row| row.deciding || is_changed_count(row);
    let also = also_worse_among(&placed, "benchmark", listed);
    blocks.extend(also.map(|also| Block::text(Role::Warning, format!("{}.", also.line()))));
    blocks.extend(legend(&comparisons));
    let named = |at: &[usize]| match at.len() {
        n if n > MAX_NAMED => format!("{n} benchmarks"),
        _ => format::listed(&at.iter().map(|at| benchmark(comparisons[*at])).collect::<Vec<_>>()),
    };
    let (warnings, shown) = warnings(&comparisons, named);
    let warnings = warnings.iter().map(|text| Block::marked(Role::Warning, text)).collect();
    blocks.extend(Block::first_of(warnings, shown, "more warning"));
    let worst = members.iter().min_by_key(|(index, _)| *index).map_or(first, |(_, worst)| worst);
    blocks.push(Block::marked(Role::Next, &next(&comparisons, worst, &benchmark(worst))));
    blocks
}

/// The name of a benchmark, with the settings beside it.
fn benchmark(comparison: &Comparison) -> String {
    comparison.workload.describe()
}

/// The label of the first deciding metric, where that is the same in all.
fn shared_metric<'a>(comparisons: &[&'a Comparison]) -> Option<&'a str> {
    let mut first = comparisons.iter().map(|one| one.deciding().next().map(|row| &*row.label));
    let label = first.next()??;
    first.all(|other| other == Some(label)).then_some(label)
}

/// A row for each deciding metric and changed count of each benchmark.
fn benchmark_table<'a>(members: &[(usize, &'a Comparison)]) -> Table<'a> {
    let first = members[0].1;
    let comparisons: Vec<&Comparison> = members.iter().map(|(_, one)| *one).collect();
    let metric = shared_metric(&comparisons);
    let all = || comparisons.iter().flat_map(|one| rows_of_benchmark(one));
    let intervals = all().any(|row| row.delta.relative_ci_adjusted.is_some());
    let settings = shared_settings(members);
    let shared = shared_parts(members);
    let mut columns = vec![
        column("benchmark", Kind::Words),
        column(&*first.baseline.name, Kind::Variant),
        column(&*first.candidate.name, Kind::Variant),
        column("change", Kind::Numbers),
    ];
    columns.extend(intervals.then(|| column(words::level(first), Kind::Numbers)));
    columns.push(column("verdict", Kind::Words));
    let row = |index: usize, comparison: &'a Comparison, nth: usize, row: &'a Row| {
        let name = match (nth, metric) {
            (0, Some(_)) => own_part(&short_name(comparison, &settings), &shared).to_owned(),
            (0, None) => {
                let name = short_name(comparison, &settings);
                format!("{}, {}", own_part(&name, &shared), row.label)
            }
            _ => format!("· {}", row.label),
        };
        let value = |value| number(row_text::value_and_unit(row, value), Some(value));
        let [change, word] = change(row);
        let low = row_text::ends(row).map(|[low, _]| low);
        let interval = match low {
            Some(_) => row_text::interval_cell(row),
            None if row.exact => "exact".to_owned(),
            None => String::new(),
        };
        let link = (nth == 0).then(|| anchor(index + 1));
        let mut cells = vec![
            Cell { link, ..Cell::from(name) },
            value(row.baseline.estimate),
            value(row.candidate.estimate),
            Cell { drawn: Some(row), ..number(change, row.delta.relative) },
        ];
        cells.extend(intervals.then(|| number(interval, low)));
        cells.push(Cell {
            text: toned(row.verdict, &word),
            sign: Some(Tone::Verdict(row.verdict)),
            ..Cell::default()
        });
        cells
    };
    let row = &row;
    let rows = members.iter().flat_map(|&(index, comparison)| {
        let rows = rows_of_benchmark(comparison).enumerate();
        rows.map(move |(nth, of)| row(index, comparison, nth, of))
    });
    Table::new("the benchmarks of both builds", columns, rows.collect())
}

/// The settings of a benchmark beside its name that all share.
fn shared_settings<'a>(members: &[(usize, &'a Comparison)]) -> Vec<(&'a String, &'a String)> {
    let of = |one: &'a Comparison| one.workload.other.iter();
    let mut shared: Vec<_> = of(members[0].1).collect();
    shared.retain(|(key, value)| {
        members.iter().all(|(_, one)| one.workload.other.get(*key) == Some(*value))
    });
    shared
}

/// The name of a benchmark with the settings that others do not share.
fn short_name(comparison: &Comparison, shared: &[(&String, &String)]) -> String {
    let mut workload = comparison.workload.clone();
    workload.other.retain(|key, _| !shared.iter().any(|(known, _)| *known == key));
    workload.describe()
}

/// Characters of a name from which on a table leaves out what all names begin and end with.
const LONG_NAME: usize = 24;

/// The words that the names of all benchmarks begin and end with, where names are long.
fn shared_parts(members: &[(usize, &Comparison)]) -> [String; 2] {
    let settings = shared_settings(members);
    let names: Vec<String> = members.iter().map(|(_, one)| short_name(one, &settings)).collect();
    let long = names.iter().any(|name| name.chars().count() > LONG_NAME);
    let Some(first) = names.first().filter(|_| long && names.len() > 1) else {
        return Default::default();
    };
    let ends_word = |c: char| !c.is_alphanumeric();
    let all =
        |part: &str| names.iter().all(|name| name.len() > part.len() && name.starts_with(part));
    let starts =
        first.char_indices().filter(|(_, c)| ends_word(*c)).map(|(at, c)| at + c.len_utf8());
    let go = "Benchmark";
    let prefix = starts.chain([go.len()]).filter(|&at| first.is_char_boundary(at.min(first.len())));
    let prefix = prefix.filter_map(|at| first.get(..at)).filter(|part| all(part));
    let prefix = prefix.filter(|part| part.ends_with(ends_word) || *part == go);
    let prefix = prefix.max_by_key(|part| part.len()).unwrap_or_default();
    let rest: Vec<&str> = names.iter().map(|name| &name[prefix.len()..]).collect();
    let all = |part: &str| rest.iter().all(|name| name.len() > part.len() && name.ends_with(part));
    let ends = rest[0].char_indices().filter(|(_, c)| ends_word(*c)).map(|(at, _)| &rest[0][at..]);
    let suffix = ends.filter(|part| all(part)).max_by_key(|part| part.len()).unwrap_or_default();
    [prefix.to_owned(), suffix.to_owned()]
}

fn own_part<'a>(name: &'a str, [prefix, suffix]: &[String; 2]) -> &'a str {
    let name = name.strip_prefix(&**prefix).unwrap_or(name);
    name.strip_suffix(&**suffix).unwrap_or(name)
}

/// The counts that change in no benchmark, or only in those of the table.
fn unchanged_counts(comparisons: &[&Comparison]) -> Option<Block<'static>> {
    let mut counts: Vec<(&str, usize, usize)> = Vec::new();
    let all = comparisons.iter().flat_map(|one| &one.metrics);
    for row in all.filter(|row| row.exact || is_allocation(row)) {
        let unshown = is_unchanged_count(row) || !row.deciding && row.exact;
        let same = usize::from(unshown && !is_changed_count(row));
        match counts.iter_mut().find(|(label, ..)| *label == row.label) {
            Some((_, all, equal)) => (*all, *equal) = (*all + 1, *equal + same),
            None => counts.push((&row.label, 1, same)),
        }
    }
    let said: Vec<String> = counts
        .into_iter()
        .filter(|(.., equal)| *equal > 0)
        .map(|(label, all, equal)| match all - equal {
            0 => format!("{label} is unchanged in all {all}"),
            _ => format!("{label} is unchanged in {equal} of {all}"),
        })
        .collect();
    (!said.is_empty()).then(|| Block::text(Role::Item, format!("{}.", said.join("; "))))
}

/// The comparisons of one workload with one baseline: a table, its warnings, the next step.
fn overview<'a>(members: &[(usize, &'a Comparison)], order: &[String]) -> Vec<Block<'a>> {
    let mut deciding: Vec<&'a Row> = Vec::new();
    for row in members.iter().flat_map(|(_, comparison)| comparison.deciding()) {
        if !deciding.iter().any(|known| known.metric == row.metric) {
            deciding.push(row);
        }
    }
    // Where no metric says which way is better, their changes are shown all the same.
    if deciding.is_empty() {
        for row in members.iter().flat_map(|(_, comparison)| &comparison.metrics) {
            let known = deciding.iter().any(|known| known.metric == row.metric);
            if row.delta.relative.is_some() && !known {
                deciding.push(row);
            }
        }
    }
    deciding.truncate(MAX_COLUMNS);
    let place = |one: &'a Comparison| (format!("in {}", one.candidate.name), one);
    let placed: Vec<(String, &Comparison)> = members.iter().map(|(_, one)| place(one)).collect();
    let listed = |_: &_, row: &Row| {
        row.deciding && deciding.iter().any(|column| column.metric == row.metric)
    };
    let also = also_worse_among(&placed, "candidate", listed);
    let comparisons: Vec<&Comparison> = members.iter().map(|(_, comparison)| *comparison).collect();
    let first = comparisons[0];
    let baseline = with_runs(&first.baseline.name, first.baseline.runs, averaged(first)[0]);
    let chain = !order.is_empty();
    let against = if chain {
        ", each against the one before it:".to_owned()
    } else {
        format!(", against {baseline}:")
    };
    let mut blocks =
        vec![Block::heading(2, Text::default().strong(first.workload.describe()).plain(against))];
    let answer = if chain { None } else { atlas::answers(&comparisons) };
    blocks.extend(answer.map(|text| Block::marked(Role::Lead, &text)));
    blocks.push(Block::Table(table(members, &deciding, chain)));
    blocks.extend(deciding.iter().filter_map(|of| {
        let line = |comparison: &&'a Comparison| {
            let row = comparison.deciding().find(|row| row.metric == of.metric)?;
            Some((comparison.candidate.name.clone(), row))
        };
        forest(comparisons.iter().filter_map(line).collect(), words::level(first), true)
    }));
    blocks.extend(also.map(|also| Block::text(Role::Warning, format!("{}.", also.line()))));
    blocks.extend(legend(&comparisons));
    let candidates = |at: &[usize]| {
        let mut names: Vec<String> =
            at.iter().map(|at| comparisons[*at].candidate.name.clone()).collect();
        names.dedup();
        format::listed(&names)
    };
    let (warnings, shown) = warnings(&comparisons, candidates);
    let warnings = warnings.iter().map(|text| Block::marked(Role::Warning, text)).collect();
    blocks.extend(Block::first_of(warnings, shown, "more warning"));
    let worst = members.iter().min_by_key(|(index, _)| *index).map_or(first, |(_, worst)| worst);
    blocks.push(Block::marked(Role::Next, &next(&comparisons, worst, &worst.candidate.name)));
    blocks
}

/// A row for each candidate, a column for each deciding metric.
fn table<'a>(members: &[(usize, &'a Comparison)], deciding: &[&'a Row], chain: bool) -> Table<'a> {
    let head = if chain { "candidate against" } else { "candidate" };
    let mut columns = vec![column(head, Kind::Words)];
    columns.extend(deciding.iter().map(|row| column(&*row.row_label, Kind::Numbers)));
    columns.push(column("verdict", Kind::Words));
    // Three metrics with long words have no room beside their names.
    let first = |row: &Row| change(row).concat().chars().count();
    let mut rows = members.iter().flat_map(|(_, one)| one.deciding());
    let tall = deciding.len() == MAX_COLUMNS && rows.any(|row| first(row) > MAX_FIRST_LINE);
    let row = |&(index, comparison): &(usize, &'a Comparison)| {
        let candidate = &comparison.candidate;
        let mut name = with_runs(&candidate.name, candidate.runs, averaged(comparison)[1]);
        if chain {
            name = format!("{name}\nagainst {}", comparison.baseline.name);
        }
        let cell = |column: &&Row| {
            let mut rows = comparison.metrics.iter().filter(|row| row.metric == column.metric);
            let found = rows.find(|row| row.deciding || !column.deciding);
            found.map_or_else(|| Cell::from("n/a"), |row| change_cell(row, tall))
        };
        let link = Some(anchor(index + 1));
        let mut cells = vec![Cell { link, ..Cell::from(name) }];
        cells.extend(deciding.iter().map(cell));
        cells.push(Cell {
            sign: Some(Tone::Headline(comparison.headline)),
            ..Cell::from(words::headline(comparison.headline))
        });
        cells
    };
    Table::new("candidates of this workload", columns, members.iter().map(row).collect())
}

/// A change with its verdict, or the noise below which it would be one, and its interval below; the verdict gets a separate
/// line if `tall`.
pub(crate) fn change_cell(row: &Row, tall: bool) -> Cell<'_> {
    let [change, word] = change(row);
    let interval = row.delta.relative_ci_adjusted.or(row.delta.absolute_ci_adjusted);
    let interval =
        interval.map_or(String::new(), |_| format!("\n{}", row_text::interval_cell(row)));
    let text = if tall {
        format!("{change}{interval}\n{word}")
    } else {
        format!("{change} {word}{interval}")
    };
    Cell {
        text: toned(row.verdict, &text),
        key: row.delta.relative,
        drawn: Some(row),
        ..Cell::default()
    }
}

/// The intervals of a metric on one axis, a line for each row, which have its name; `None` where no change is relative.
pub(crate) fn forest(
    lines: Vec<(String, &Row)>,
    level: String,
    in_picture: bool,
) -> Option<Block<'_>> {
    let of = lines.first()?.1;
    let head = format!("{}{}", of.row_label, words::direction(of.better));
    let some = lines.iter().any(|(_, row)| row.delta.relative.is_some());
    some.then_some(Block::Plot(Plot::Forest { head, lines, level, in_picture }))
}

/// The meaning of a bound on the CV, where a row has one.
pub(crate) fn legend(comparisons: &[&Comparison]) -> Option<Block<'static>> {
    let unsure = |row: &Row| bare_of_interval(row).is_some();
    let mut rows = comparisons.iter().flat_map(|comparison| comparison.deciding());
    let bound = rows.any(|row| row.verdict == Verdict::NotJudged && unsure(row));
    let deciding = comparisons.iter().flat_map(|comparison| comparison.deciding());
    let mut usual: Vec<String> = Vec::new();
    for row in deciding {
        let Some(published) = row.published else { continue };
        let text = format!("{} {}", row.label, atlas::usual(published.usual_cv));
        if !usual.contains(&text) {
            usual.push(text);
        }
    }
    let usual =
        if usual.is_empty() { String::new() } else { format!(" Usual: {}.", usual.join(", ")) };
    let legend = format!("(CV < x): beyond noise only if the run-to-run CV is below x.{usual}");
    bound.then(|| Block::text(Role::Small, legend))
}

/// The noise below which a change without an interval would be one.
fn bare_of_interval(row: &Row) -> Option<f64> {
    row.noise.break_even_cv.filter(|_| row.delta.relative_ci_adjusted.is_none())
}

fn with_runs(name: &str, runs: usize, averaged: Option<usize>) -> String {
    match averaged {
        Some(behind) => format!("{name} (average of {behind})"),
        None => format!("{name} (n={runs})"),
    }
}

/// Runs behind the averages of both variants, where the deciding metrics are such.
fn averaged(comparison: &Comparison) -> [Option<usize>; 2] {
    let mut both = comparison.deciding().map(|row| [row.baseline.averaged, row.candidate.averaged]);
    both.find(|both| both[0].is_some()).unwrap_or_default()
}

/// A change, and its verdict or the noise below which it would be one.
fn change(row: &Row) -> [String; 2] {
    let word = match (row.verdict, row.noise.break_even_cv) {
        (Verdict::TinyBetter, _) => format!("better, under {}", format::chosen(row.margin)),
        (Verdict::TinyWorse, _) => format!("worse, under {}", format::chosen(row.margin)),
        (Verdict::NotJudged, Some(cv)) if row.delta.relative_ci_adjusted.is_none() => {
            let equal = row.delta.absolute == 0.0;
            if equal { "(equal)".to_owned() } else { format!("(CV < {})", format::percent(cv)) }
        }
        (verdict, _) => words::word(verdict).to_owned(),
    };
    [row_text::change_and_factor(row), word]
}

/// Warnings of one workload that are shown though they could not turn a verdict.
const BEFORE_FOLD: usize = 3;

/// Blocking and warning findings, one sentence per check, those first that could turn a verdict. `place` names members by
/// their positions: `at 2 and 4 in flight`.
pub(crate) fn warnings(
    members: &[&Comparison],
    place: impl Fn(&[usize]) -> String,
) -> (Vec<String>, usize) {
    let mut ids: Vec<CheckId> = Vec::new();
    let mut found: Vec<((bool, Severity), String)> = Vec::new();
    for (at, comparison) in members.iter().enumerate() {
        let graded = comparison.atlas.as_ref().is_some_and(|atlas| atlas.grade.is_some());
        // The grade includes it.
        let said = |check: &Check| graded && check.id == CheckId::TooFewRuns;
        let found_here = comparison.checks.iter().filter(|check| !said(check));
        for check in found_here.filter(|check| check.severity < Severity::Note) {
            // Every claim differs: none represents the others.
            if check.id == CheckId::ClaimCheck {
                let text = format!("{}: {}", comparison.candidate.name, check.message);
                found.push(((!check.must_show(), check.severity), text));
                continue;
            }
            if ids.contains(&check.id) {
                continue;
            }
            ids.push(check.id);
            let others = members.iter().enumerate().skip(at + 1);
            let others = others.filter_map(|(at, other)| {
                Some((at, other.checks.iter().find(|other| other.id == check.id)?))
            });
            let (same, different): (Vec<_>, Vec<_>) =
                others.partition(|(_, other)| other.message == check.message);
            let alike: Vec<usize> =
                std::iter::once(at).chain(same.into_iter().map(|(at, _)| at)).collect();
            let different: Vec<usize> = different.into_iter().map(|(at, _)| at).collect();
            let (here, there) = (place(&alike), place(&different));
            let whose = if alike.len() == members.len() || here == there {
                String::new()
            } else {
                format!("{here}: ")
            };
            let also = match different.len() {
                0 => String::new(),
                n if here == there => format!(" ({n} more of {here}.)"),
                _ => format!(" (also {there})"),
            };
            let weight = (!check.must_show(), check.severity);
            found.push((weight, format!("{whose}{}{also}", check.message)));
        }
    }
    found.sort_by_key(|(weight, _)| *weight);
    let essential = found.iter().filter(|((folded, _), _)| !folded).count();
    let shown = essential.max(BEFORE_FOLD).min(found.len());
    (found.into_iter().map(|(_, text)| text).collect(), shown)
}

/// The next step of the worst comparison, which `name` identifies, or one that helps all comparisons.
fn next(members: &[&Comparison], worst: &Comparison, name: &str) -> String {
    let to_type = worst.next_command != NextCommand::Nothing;
    if let Some(row) = members.iter().find_map(|one| undirected(one))
        && members.iter().all(|one| one.deciding().next().is_none())
    {
        return format!("say which way is better: {}.", either_way(row));
    }
    if members.iter().all(|comparison| words::single(comparison)) && !to_type {
        let serving = members.iter().any(|comparison| streams(comparison));
        let unfolds = members.iter().all(|comparison| words::takes_iterations(comparison));
        let or = if unfolds { OR_ITERATIONS } else { "" };
        let how = if serving { ", same seed, prefix cache reset" } else { "" };
        return format!(
            "{MORE_AFTER_ONE} more runs of every variant, forward and then backward through the list (A B C, C B A, \
             ...){how}{or}."
        );
    }
    if worst.headline == Headline::NoChange && worst.may_claim.is_some() {
        // Nothing is worse: the line applies to all.
        return unchanged(members);
    }
    if members.len() == 1 {
        worst.next_step.clone()
    } else {
        format!("{name}: {}", worst.next_step)
    }
}
