//! The document of a batch: how many cells of each kind, and those that moved, the worst first.

use std::collections::BTreeMap;

use crate::checks::{CheckId, Severity};
use crate::format::counted;
use crate::report::batch::pictures::{forest, plots};
use crate::report::comparison::also_worse::{also_worse_among, count_among};
use crate::report::comparison::claim::worst;
use crate::report::comparison::more_runs::{MORE_AFTER_ONE, MOST_MORE, for_most};
use crate::report::comparison::next::either_way;
use crate::report::comparison::page::{Place, decision, folded_section, how, repeats};
use crate::report::comparison::words::{NO_DIRECTION, why_not_judged};
use crate::report::comparison::{row_text, verdicts, words};
use crate::report::document::Text;
use crate::report::document::blocks::{
    Block, Cell, Document, Kind, Role, Room, Table, Tone, anchor,
};
use crate::report::document::cells::{column, toned};
use crate::report::inputs::inputs;
use crate::report::shared::words as shared;
use crate::report::shared::words::{Told, told};
use crate::report::{BatchRow, Check, Comparison, Report, Row};
use crate::verdict::{Headline, Verdict};

/// Cells shown unless all are asked for.
const MAX_SHOWN: usize = 20;

const MAX_WARNINGS: usize = 3;

/// Cells that moved which have a section in a page.
const MAX_SECTIONS: usize = 20;

/// Cells that are named of those that were not judged for one reason.
const MAX_CELLS: usize = 3;

/// The blocks of a batch: the cells that moved, or with `all` every cell; empty for a report without a batch.
pub fn batch(report: &Report, all: bool) -> Document<'_> {
    let worst = report.comparisons.first().map_or(Headline::NoVerdict, |worst| worst.headline);
    let mut document = Document {
        program: "beyondnoise",
        marker: Some("beyondnoise"),
        tone: Tone::Headline(worst),
        title: Text::default(),
        quiet: Vec::new(),
        blocks: Vec::new(),
    };
    let Some(batch) = &report.batch else { return document };
    let told = told(report, batch);
    document.title = headline(batch, report, told.as_ref()).into();
    if let Some(told) = &told
        && !matches!(worst, Headline::Regressed | Headline::TradeOff)
    {
        document.tone = Tone::Headline(told.headline);
    }
    let mut blocks: Vec<Block> = decision(report).into_iter().chain(repeats(report)).collect();
    blocks.extend(plots(report, batch));
    blocks.extend(shared::blocks(report, batch));
    if let Some(grades) = &batch.atlas {
        let several = report.several_candidates();
        let name = |one: &Comparison| match name(one, batch) {
            cell if several && cell != one.candidate.name => {
                format!("{cell}, {}", one.candidate.name)
            }
            cell => cell,
        };
        let noun = if several { "comparison" } else { "cell" };
        let every = 0..report.comparisons.len();
        blocks
            .push(Block::marked(Role::Lead, &grades.words(&report.comparisons, every, noun, name)));
    }
    blocks.extend(cells(report, batch, all));
    let place = |one| (format!("in {}", name(one, batch)), one);
    let placed: Vec<(String, &Comparison)> = report.comparisons.iter().map(place).collect();
    let noun = if placed.len() > batch.cells { "comparison" } else { "cell" };
    let listed = |one: &Comparison, row: &Row| {
        one.telling().is_some_and(|telling| std::ptr::eq(telling, row))
    };
    let also = also_worse_among(&placed, noun, listed);
    blocks.extend(also.map(|also| Block::text(Role::Warning, format!("{}.", also.line()))));
    blocks.extend(Block::first_of(warnings(report, batch), MAX_WARNINGS, "more warning"));
    let open = not_judged(report, batch, all);
    blocks.extend(open.into_iter().map(|text| Block::text(Role::Item, text)));
    blocks.push(Block::marked(Role::Next, &next(report, batch, told.as_ref())));
    blocks.extend(inputs(report));
    blocks.extend(how(report));
    blocks.extend(sections(report, batch));
    document.blocks = blocks;
    document
}

/// A table of the cells that moved, and a table of the others.
fn cells<'a>(report: &'a Report, batch: &'a BatchRow, all: bool) -> Vec<Block<'a>> {
    let every = lines(report, true);
    let moved = lines(report, false);
    if every.is_empty() {
        return Vec::new();
    }
    if all {
        return shown_cells(report, batch, every);
    }
    let shown = moved.len().min(MAX_SHOWN);
    let left = moved.len() - shown;
    let first: Vec<Line> = moved.into_iter().take(shown).collect();
    let rest: Vec<Line> = every
        .into_iter()
        .filter(|(number, _)| first.iter().all(|(known, _)| known != number))
        .collect();
    let mut blocks = Vec::new();
    if !first.is_empty() {
        blocks.extend(shown_cells(report, batch, first));
    }
    if !rest.is_empty() {
        let noun = if blocks.is_empty() { "comparison" } else { "more comparison" };
        let summary = format!("{}, the worst first", counted(rest.len(), noun));
        let rest = vec![table(report, batch, rest)];
        let that_moved = if none_judged(report) { "" } else { " that moved" };
        let fold = if left > 0 {
            let text = format!("and {left} more{that_moved}: --all, or -o DIR for everything");
            Block::announced(summary, text, rest)
        } else {
            Block::fold(summary, Room::Any, rest)
        };
        blocks.extend(fold.map(|fold| fold.open(true)));
    }
    blocks
}

/// The table of these cells and their changes on one axis.
fn shown_cells<'a>(
    report: &'a Report,
    batch: &'a BatchRow,
    lines: Vec<Line<'a>>,
) -> Vec<Block<'a>> {
    let told = lines.iter().filter_map(|(_, one)| Some((*one, one.telling()?)));
    let plot = forest(report, batch, told.collect());
    std::iter::once(table(report, batch, lines)).chain(plot).collect()
}

fn table<'a>(report: &'a Report, batch: &'a BatchRow, lines: Vec<Line<'a>>) -> Block<'a> {
    let several = report.several_candidates();
    let level = report.comparisons.first().map(words::level).unwrap_or_default();
    let mut columns: Vec<_> = batch.by.iter().map(|name| column(&**name, Kind::Words)).collect();
    columns.extend(several.then(|| column("candidate", Kind::Words)));
    let names = columns.len();
    columns.push(column("metric", Kind::Words));
    columns.push(column("change", Kind::Numbers));
    columns.push(column(level, Kind::Numbers));
    columns.push(column("verdict", Kind::Words));
    let cell_of = |(number, comparison): Line<'a>| {
        let value = |name: &String| comparison.cell.get(name).map_or("", String::as_str);
        let mut cells: Vec<Cell> = batch.by.iter().map(|name| Cell::from(value(name))).collect();
        if several {
            let (a, b) = (&comparison.baseline.name, &comparison.candidate.name);
            cells.push(Cell::from(format!("{b} against {a}")));
        }
        if let (Some(first), true) =
            (cells.first_mut(), number <= MAX_SECTIONS && moved(comparison))
        {
            first.link = Some(anchor(number));
        }
        cells
    };
    let figures = |row: &'a Row| {
        let change = row_text::change_and_factor(row);
        let change = Cell { key: row.delta.relative, ..Cell::from(change) };
        // The names of a cell need the width.
        let interval = row_text::interval_cell(row).replace(" (", "\n(");
        [Cell::from(&*row.row_label), change, Cell::from(interval)]
    };
    let row = |line: Line<'a>| {
        let (_, comparison) = line;
        let mut cells = cell_of(line);
        let (found, words) = if let Some(row) = comparison.telling() {
            cells.extend(figures(row));
            (row.verdict, verdict(comparison, row))
        } else {
            cells.extend([""; 3].map(Cell::from));
            (Verdict::NotJudged, refusal(comparison))
        };
        cells.push(Cell {
            text: toned(found, &words),
            sign: Some(Tone::Headline(comparison.headline)),
            ..Cell::default()
        });
        cells
    };
    // If a cell's verdict is not for the worse, its worse metrics get a row.
    let beside = |line: Line<'a>| {
        let row = hidden(line.1)?;
        let mut cells = cell_of(line);
        cells.extend(figures(row));
        let words = if row.guard { "worse, a guard" } else { "worse, not deciding" };
        cells.push(Cell {
            text: toned(row.verdict, words),
            sign: Some(Tone::Verdict(row.verdict)),
            ..Cell::default()
        });
        Some(cells)
    };
    let rows = lines.into_iter().flat_map(|line| std::iter::once(row(line)).chain(beside(line)));
    Block::Table(Table { names, ..Table::new("cells", columns, rows.collect()) })
}

/// The largest change for the worse of a cell whose verdict is not for the worse.
fn hidden(comparison: &Comparison) -> Option<&Row> {
    let says_worse = matches!(comparison.headline, Headline::Regressed | Headline::TradeOff);
    worst(comparison).filter(|_| !says_worse)
}

/// A section of a page for every cell that moved.
fn sections<'a>(report: &'a Report, batch: &BatchRow) -> Vec<Block<'a>> {
    let moved = report.comparisons.iter().enumerate().filter(|(_, one)| moved(one));
    let shown: Vec<_> = moved.filter(|(index, _)| *index < MAX_SECTIONS).collect();
    let of = shown.len().max(2);
    let section = |(index, comparison): (usize, &'a Comparison)| {
        let title = format!("{}: {}", name(comparison, batch), comparison.summary);
        let place = Place { number: index + 1, of, settings: &report.settings };
        folded_section(comparison, title, Room::Page, &place)
    };
    shown.into_iter().map(section).collect()
}

/// A comparison with its number in the report, from 1.
type Line<'a> = (usize, &'a Comparison);

/// The first line: `120 cells: 3 worse, 5 better, 78 within noise, 12 not judged (7 too few runs)`, after the shared changes
/// that are shown.
fn headline(batch: &BatchRow, report: &Report, told: Option<&Told>) -> String {
    let counts = batch.counts;
    let all = [
        (counts.worse, "worse"),
        (counts.trade_off, "trade-off"),
        (counts.slightly_worse, "slightly worse"),
        (counts.better, "better"),
        (counts.slightly_better, "slightly better"),
        (counts.no_change, "no change"),
        (counts.within_noise, "within noise"),
        (counts.not_judged, "not judged"),
    ];
    let mut parts: Vec<String> =
        all.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    if let (Some(_), Some(first)) = (told, parts.first_mut()) {
        first.push_str(" on their own");
    }
    let told = told.map_or(String::new(), |told| format!("{}; ", told.words));
    let mut reasons: Vec<(&String, &usize)> = batch.not_judged.iter().collect();
    reasons.sort_by_key(|(reason, n)| (std::cmp::Reverse(**n), *reason));
    let words: Vec<String> = reasons.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
    let why = if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) };
    let judged: usize = all.iter().map(|(n, _)| n).sum();
    let cells = counted(batch.cells, "cell");
    let subject = if judged == batch.cells || report.comparisons.is_empty() {
        cells
    } else {
        format!("{judged} comparisons in {cells}")
    };
    let noun = if judged == batch.cells { "cell" } else { "comparison" };
    let also = count_among(&report.comparisons, noun);
    format!("{subject}: {told}{}{why}{also}", parts.join(", "))
}

/// The comparisons to show: all, or those that moved; if none could be judged, those with a change.
fn lines(report: &Report, all: bool) -> Vec<Line<'_>> {
    let none = none_judged(report);
    let wanted = |comparison: &&Comparison| {
        all || moved(comparison) || none && comparison.telling().is_some()
    };
    (1..).zip(&report.comparisons).filter(|(_, comparison)| wanted(comparison)).collect()
}

/// Whether there is no verdict for any comparison.
fn none_judged(report: &Report) -> bool {
    report.comparisons.iter().all(|one| one.headline == Headline::NoVerdict)
}

/// Whether a deciding metric moved beyond noise, or any other became worse.
fn moved(comparison: &Comparison) -> bool {
    comparison.headline.is_change() || comparison.has_worse()
}

/// Why a comparison has no verdict.
fn refusal(comparison: &Comparison) -> String {
    let why = comparison.checks.iter().find(|check| check.severity == Severity::Block);
    let why = why.map_or(String::new(), |check| check.id.words());
    format!("{}: {why}", words::headline(comparison.headline))
}

/// The words of a row's verdict; for a trade-off also the gain.
fn verdict(comparison: &Comparison, row: &Row) -> String {
    let word = verdicts::short_verdict(row);
    let gained = comparison.deciding().find(|row| row.verdict == Verdict::Better);
    match gained.filter(|_| comparison.headline == Headline::TradeOff) {
        Some(other) => format!("{word}; {} {} better", other.label, row_text::change(other)),
        None => word,
    }
}

/// The cells that were not judged, a sentence for each reason, with their names: a few, or `all`.
fn not_judged(report: &Report, batch: &BatchRow, all: bool) -> Vec<String> {
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let several = report.several_candidates();
    for comparison in &report.comparisons {
        if !matches!(comparison.headline, Headline::NoVerdict | Headline::NotComparable) {
            continue;
        }
        let candidate = &comparison.candidate.name;
        let cell = name(comparison, batch);
        let cell =
            if several && cell != *candidate { format!("{cell}, {candidate}") } else { cell };
        reasons
            .entry(format!("not judged ({})", why_not_judged(comparison)))
            .or_default()
            .push(cell);
    }
    for row in &report.unmatched {
        let cell = cell_words(&row.cell, batch);
        let cell = if cell.is_empty() { row.workload.describe() } else { cell };
        let runs = if row.runs == 1 { "1 run".to_owned() } else { format!("{} runs", row.runs) };
        let reason = format!("not compared: {} ({})", row.variant, row.why);
        reasons.entry(reason).or_default().push(format!("{cell} ({runs})"));
    }
    let sentence = |(reason, cells): (String, Vec<String>)| {
        let most = if all { cells.len() } else { MAX_CELLS };
        let more = cells.len().saturating_sub(most);
        let more = if more > 0 { format!("; and {more} more (--all)") } else { String::new() };
        let count =
            if cells.len() > 1 { format!(" in {} cells", cells.len()) } else { String::new() };
        format!("{reason}{count}: {}{more}", cells[..cells.len().min(most)].join("; "))
    };
    reasons.into_iter().map(sentence).collect()
}

/// The warnings of the cells, a sentence each, the most frequent first.
fn warnings(report: &Report, batch: &BatchRow) -> Vec<Block<'static>> {
    let mut found: BTreeMap<CheckId, Vec<(&Comparison, &str)>> = BTreeMap::new();
    for comparison in &report.comparisons {
        // Cells without a verdict are listed with a word; which runs failed is said.
        let told = |check: &&Check| {
            check.severity == Severity::Warn
                || check.severity == Severity::Block && check.id == CheckId::FailedRuns
        };
        for check in comparison.checks.iter().filter(told) {
            found.entry(check.id).or_default().push((comparison, &check.message));
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(id, all)| {
        (*id != CheckId::FailedRuns, std::cmp::Reverse(all.len()), id.as_str())
    });
    let sentence = |(_, all): (CheckId, Vec<(&Comparison, &str)>)| {
        let (first, message) = all[0];
        let same = all.iter().all(|(_, other)| *other == message);
        let place = match (all.len(), report.comparisons.len()) {
            (1, 1) => return Block::marked(Role::Warning, message),
            (1, _) => format!("in {}", name(first, batch)),
            (n, of) => {
                let cells =
                    if n == of { format!("all {of} cells") } else { format!("{n} of {of} cells") };
                let example =
                    if same { String::new() } else { format!(", such as {}", name(first, batch)) };
                format!("in {cells}{example}")
            }
        };
        Block::marked(Role::Warning, &format!("{place}: {message}"))
    };
    found.into_iter().map(sentence).collect()
}

fn next(report: &Report, batch: &BatchRow, told: Option<&Told>) -> String {
    let counts = batch.counts;
    let mut failed = report.comparisons.iter().filter(|one| one.failed_unequally());
    if let Some(first) = failed.next() {
        let more = match failed.count() {
            0 => String::new(),
            n => format!(" and {}", counted(n, "more cell")),
        };
        let cell = name(first, batch);
        return format!("find out why runs failed in {cell}{more}, before you claim anything.");
    }
    if let Some(text) = told.and_then(shared::next) {
        return text;
    }
    if let Some(row) = undirected(report).filter(|_| batch.not_judged.contains_key(NO_DIRECTION)) {
        return format!("say which way is better, for example {}.", either_way(row));
    }
    if let Some(first) = report.comparisons.first()
        && counts.worse + counts.trade_off > 0
    {
        return format!("look at {} first: {}", name(first, batch), first.next_step);
    }
    if let Some((one, row)) = report.comparisons.iter().find_map(|one| Some((one, worst(one)?))) {
        let (label, cell) = (&row.label, name(one, batch));
        return format!("look at {cell} first: {label} is worse there though it does not decide.");
    }
    if counts.within_noise > 0 && counts.within_noise >= counts.no_change + counts.better {
        return settling(report);
    }
    if counts.not_judged > counts.better + counts.no_change + counts.within_noise {
        return batch.flag.clone().unwrap_or_else(|| {
            format!("{MORE_AFTER_ONE} more runs of every variant in every cell.")
        });
    }
    let nothing = if counts.slightly_worse > 0 {
        "nothing became worse by as much as its margin"
    } else {
        "nothing became worse beyond noise"
    };
    if counts.not_judged > 0 {
        let noun = if counts.not_judged == 1 { "cell was" } else { "cells were" };
        return format!(
            "{nothing}, but {} {noun} not judged: --all shows which.",
            counts.not_judged
        );
    }
    if counts.better > 0 {
        return format!("{nothing}; the table lists the cells that improved.");
    }
    if told.is_some() {
        return format!("{nothing}.");
    }
    let still = counts.slightly_worse + counts.slightly_better == 0;
    if still { "nothing moved beyond noise.".to_owned() } else { format!("{nothing}.") }
}

/// How many more runs would settle most of the cells within noise.
fn settling(report: &Report) -> String {
    let open = report.comparisons.iter().filter(|one| one.headline == Headline::WithinNoise);
    let needed: Vec<Option<usize>> =
        open.map(|one| one.deciding().filter_map(Row::settled_by).min()).collect();
    let half = needed.len().div_ceil(2);
    match for_most(&needed, half) {
        Some((more, settled)) if settled >= half => format!(
            "{more} more runs of each would settle {settled} of the {} within noise (80 % power).",
            needed.len()
        ),
        found => {
            let settled =
                found.map_or_else(|| "none".to_owned(), |(_, settled)| settled.to_string());
            format!(
                "stop, or lower the noise: {} more runs of each would settle {settled} of the {} within noise (80 % power).",
                found.map_or(MOST_MORE, |(more, _)| more),
                needed.len()
            )
        }
    }
}

/// A metric without a direction.
fn undirected(report: &Report) -> Option<&Row> {
    let rows = report.comparisons.iter().flat_map(|comparison| &comparison.metrics);
    rows.into_iter().find(|row| row.better.is_none())
}

/// A cell in words: `llama-8b, 16`.
fn name(comparison: &Comparison, batch: &BatchRow) -> String {
    let cell = cell_words(&comparison.cell, batch);
    if cell.is_empty() { comparison.candidate.name.clone() } else { cell }
}

fn cell_words(cell: &BTreeMap<String, String>, batch: &BatchRow) -> String {
    let value = |name: &String| {
        let value = cell.get(name)?;
        Some(if value.is_empty() { format!("no {name}") } else { format!("{name} {value}") })
    };
    batch.by.iter().filter_map(value).collect::<Vec<_>>().join(", ")
}
