//! Sentences about a batch or a sweep as a whole: the change that its cells share, and the factor by which it differs.

use crate::format;
use crate::report::comparison::words;
use crate::report::document::blocks::{Block, Cell, Kind, Role, Room, Table};
use crate::report::document::cells::{column, number, toned};
use crate::report::{
    BatchRow, BeyondRow, DiffersRow, FactorRow, Report, SharedChange, SharedRow, SweepRow, ValueRow,
};
use crate::verdict::{Headline, Verdict};

/// Pairs of variants that have a sentence; the table has all.
const MAX_PAIRS: usize = 3;

/// A change of the whole batch that is shown: its words for the title, and its headline.
pub(crate) struct Told<'a> {
    pub(crate) words: String,
    pub(crate) headline: Headline,
    pub(crate) row: &'a SharedRow,
    /// The value of a factor on which it is: `gpu MI300X`.
    pub(crate) place: Option<String>,
}

/// The part of the title about the whole batch: of the metrics that are shown to have changed the first that is worse
/// and the first that is better, or else one under its margin; `None` where none is shown.
pub(crate) fn told<'a>(report: &Report, batch: &'a BatchRow) -> Option<Told<'a>> {
    let first = |verdict| batch.shared.iter().find(|row| shown(row).2.verdict == verdict);
    let (row, other, headline) = match (first(Verdict::Worse), first(Verdict::Better)) {
        (Some(worse), Some(better)) => (worse, Some(better), Headline::TradeOff),
        (Some(worse), None) => (worse, None, Headline::Regressed),
        (None, Some(better)) => (better, None, Headline::Improved),
        (None, None) => match (first(Verdict::TinyWorse), first(Verdict::TinyBetter)) {
            (Some(worse), _) => (worse, None, Headline::SlightlyRegressed),
            (None, better) => (better?, None, Headline::SlightlyImproved),
        },
    };
    let said: Vec<String> =
        [Some(row), other].into_iter().flatten().map(|row| phrase(report, batch, row)).collect();
    let place = shown(row).0.zip(shown(row).1);
    let place = place.map(|(factor, on)| format!("{} {}", factor.factor, on.value));
    Some(Told { words: said.join(", "), headline, row, place })
}

/// The next step after a change for the worse of the whole batch; `None` where there is none.
pub(crate) fn next(told: &Told) -> Option<String> {
    let label = &told.row.label;
    if !matches!(told.headline, Headline::Regressed | Headline::TradeOff) {
        return None;
    }
    Some(match &told.place {
        Some(place) => format!("{label} is worse on {place}: look there first for what changed."),
        None => format!(
            "look for what makes {label} worse in cells of every kind; if the variants were not measured alternately, measure a \
             cell again that way first, since a session's drift looks the same."
        ),
    })
}

/// The change reported for a metric: of the differing value if that is shown to have changed, else of all cells.
fn shown(row: &SharedRow) -> (Option<&FactorRow>, Option<&DiffersRow>, &SharedChange) {
    let on_value = explaining(row).and_then(|factor| {
        let differs = factor.differs.as_ref()?;
        let value = factor.values.iter().find(|value| value.value == differs.value)?;
        let open = matches!(
            value.change.verdict,
            Verdict::NoChange | Verdict::WithinNoise | Verdict::NotJudged
        );
        (!open).then_some((Some(factor), Some(differs), &value.change))
    });
    on_value.unwrap_or((None, None, &row.change))
}

/// The factor that explains the differences of a metric best.
fn explaining(row: &SharedRow) -> Option<&FactorRow> {
    let p = |factor: &FactorRow| factor.p_value.unwrap_or(1.0);
    let factors = row.factors.iter().filter(|factor| factor.explains);
    factors.min_by(|a, b| p(a).total_cmp(&p(b)))
}

/// `output throughput −2.0 % on average (95 % CI −2.3 … −1.8)`, or where it is and is not.
fn phrase(report: &Report, batch: &BatchRow, row: &SharedRow) -> String {
    let (factor, differs, change) = shown(row);
    let of = if several(batch) {
        format!(" of {} against {}", row.candidate, row.baseline)
    } else {
        String::new()
    };
    let what = format!("{}{of} {}", row.label, percentage(change));
    let interval = labelled(report, change);
    match (factor, differs) {
        (Some(factor), Some(differs)) => {
            format!(
                "{what} on {} {}{interval}{}",
                factor.factor,
                differs.value,
                rest(report, factor, differs)
            )
        }
        _ => format!("{what} on average{interval}"),
    }
}

/// `, +0.1 % on the others (95 % CI −0.1 … 0.3)`
fn rest(report: &Report, factor: &FactorRow, differs: &DiffersRow) -> String {
    let others: Vec<&str> = factor
        .values
        .iter()
        .map(|value| value.value.as_str())
        .filter(|value| *value != differs.value)
        .collect();
    let name = if let [one] = others[..] { one } else { "the others" };
    let interval = interval(report, &differs.others);
    format!(", {} on {name}{interval}", percentage(&differs.others))
}

fn percentage(change: &SharedChange) -> String {
    let decimals = format::decimals_of_change(Some(change.relative), change.relative_ci_adjusted);
    let factor = format::factor(change.relative);
    let factor = factor.map_or(String::new(), |factor| format!(" ({factor})"));
    format!("{}{factor}", format::change(change.relative, decimals))
}

/// ` (95 % CI −2.3 … −1.8, corrected for 3 tests)`; empty without an interval.
fn labelled(report: &Report, change: &SharedChange) -> String {
    let plain = interval(report, change);
    if change.within().is_none()
        && change.adjusted_confidence > report.settings.confidence
        && !plain.is_empty()
    {
        format!("{}, {})", plain.trim_end_matches(')'), corrected(change))
    } else {
        plain
    }
}

fn corrected(change: &SharedChange) -> String {
    format!("corrected for {} tests", change.corrected_for)
}

/// ` (95 % CI −2.3 … −1.8)`; empty without an interval.
fn interval(report: &Report, change: &SharedChange) -> String {
    let Some(ends) = ends(change) else { return String::new() };
    let own = change.within().map(|_| change.equivalence_confidence);
    let level = format::confidence(own.unwrap_or(report.settings.confidence));
    format!(" ({level} CI {ends})")
}

/// The interval by which a change was judged: `−2.3 … −1.8`.
fn ends(change: &SharedChange) -> Option<String> {
    let ends = change.shown_ends()?;
    let decimals = format::decimals_of_change(Some(change.relative), Some(ends));
    Some(match change.within() {
        Some(ends) => format::interval_inside(ends, decimals, change.margin),
        None => format::interval(ends, decimals),
    })
}

/// Whether there are several pairs of variants, so that each must be named.
fn several(batch: &BatchRow) -> bool {
    let pair = |row: &SharedRow| (row.baseline.clone(), row.candidate.clone());
    batch.shared.iter().any(|row| pair(row) != pair(&batch.shared[0]))
}

/// One or two sentences for each pair of variants, and the table of all, folded.
pub(crate) fn blocks<'a>(report: &Report, batch: &'a BatchRow) -> Vec<Block<'a>> {
    let mut pairs: Vec<Vec<&SharedRow>> = Vec::new();
    for row in &batch.shared {
        let same = |rows: &&mut Vec<&SharedRow>| {
            (&rows[0].baseline, &rows[0].candidate) == (&row.baseline, &row.candidate)
        };
        match pairs.iter_mut().find(same) {
            Some(rows) => rows.push(row),
            None => pairs.push(vec![row]),
        }
    }
    pairs.retain(|rows| rows.iter().any(|row| row.change.cells > 1));
    let mut blocks = Vec::new();
    for rows in pairs.iter().take(MAX_PAIRS) {
        let of = if several(batch) {
            format!(", {} against {}", rows[0].candidate, rows[0].baseline)
        } else {
            String::new()
        };
        blocks.push(Block::text(Role::Lead, whole(report, rows, ("cell", &of))));
        blocks.extend(
            rows.iter().filter_map(|row| beyond(row)).map(|said| Block::text(Role::Lead, said)),
        );
        let apart: Vec<String> = rows.iter().filter_map(|row| apart(report, row)).collect();
        if !apart.is_empty() {
            let values = rows.iter().filter_map(|row| explaining(row)).flat_map(|of| &of.values);
            let corrected = of_list(report, values.map(|value| &value.change));
            let text = format!("The cells differ: {}.{corrected}", apart.join("; "));
            blocks.push(Block::text(Role::Lead, text));
        }
    }
    if pairs.is_empty() {
        return blocks;
    }
    blocks.extend(limits(batch));
    let summary = format!("the change shared by the cells, in all{}", within(batch));
    blocks.extend(Block::fold(summary, Room::Any, vec![Block::Table(table(report, batch))]));
    blocks
}

/// The change that the loads of a sweep share, in a sentence; `None` where fewer than two loads count or none is repeated.
pub(crate) fn of_loads(report: &Report, sweep: &SweepRow) -> Option<String> {
    let rows: Vec<&SharedRow> = sweep.shared.iter().filter(|row| row.change.cells > 1).collect();
    (!rows.is_empty()).then(|| {
        let session = if rows.iter().any(|row| row.change.runs.is_none() && claimed(row)) {
            " Nothing says which loads share a start: what one start shifts is not in these intervals."
        } else {
            ""
        };
        let beyond: Vec<String> = rows.iter().filter_map(|row| beyond(row)).collect();
        let beyond = [&[String::new()][..], &beyond].concat().join(" ");
        format!("{}{beyond}{session}", whole(report, &rows, ("load", "")))
    })
}

/// `Beyond the others in output throughput: b07 +13 %, b02 −4.1 %.`
fn beyond(row: &SharedRow) -> Option<String> {
    /// Cells that are named; of more only the number.
    const MAX_NAMED: usize = 6;
    let one = |cell: &BeyondRow| {
        let decimals = format::decimals_of_change(Some(cell.beyond), None);
        format!("{} {}", cell.cell, format::change(cell.beyond, decimals))
    };
    let named: Vec<String> = row.beyond.iter().take(MAX_NAMED).map(one).collect();
    let more = row.beyond.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let label = &row.label;
    (!named.is_empty())
        .then(|| format!("Beyond what the others share in {label}: {}{more}.", named.join(", ")))
}

/// Whether a row claims a change.
fn claimed(row: &SharedRow) -> bool {
    !matches!(row.change.verdict, Verdict::WithinNoise | Verdict::NotJudged)
}

/// `300 cells together, on average: output throughput −2.0 % (95 % CI −2.3 … −1.8), worse; ...`
fn whole(report: &Report, rows: &[&SharedRow], (cell, of): (&str, &str)) -> String {
    let most = rows.iter().map(|row| row.change.cells).max().unwrap_or_default();
    let cells = |row: &SharedRow| {
        if row.change.cells == most {
            String::new()
        } else {
            format!(" ({} {cell}s)", row.change.cells)
        }
    };
    let figure = |row: &&SharedRow| {
        let change = &row.change;
        let verdict = verdict(row, change);
        let (size, interval) = (percentage(change), interval(report, change));
        format!("{}{} {size}{interval}, {verdict}", row.label, cells(row))
    };
    let figures: Vec<String> = rows.iter().map(figure).collect();
    let most = format::counted(most, cell);
    let corrected = of_list(report, rows.iter().map(|row| &row.change));
    let runs = rows.iter().find_map(|row| row.change.runs);
    let runs = runs.map_or_else(String::new, |[a, b]| format!(" ({a} + {b} runs span them)"));
    format!("{most} together{runs}, on average{of}: {}.{corrected}", figures.join("; "))
}

/// The list over which intervals are corrected, in a sentence; empty where none is.
fn of_list<'a>(report: &Report, mut changes: impl Iterator<Item = &'a SharedChange>) -> String {
    let confidence = report.settings.confidence;
    let widest =
        changes.find(|change| change.adjusted_confidence > confidence && change.within().is_none());
    widest.map_or(String::new(), |change| format!(" Intervals {}.", corrected(change)))
}

fn verdict(row: &SharedRow, change: &SharedChange) -> String {
    let margin = format::chosen(row.margin);
    match change.verdict {
        Verdict::TinyBetter => format!("better, but under the {margin} that matters"),
        Verdict::TinyWorse => format!("worse, but under the {margin} that matters"),
        Verdict::NoChange => format!("no change (within ±{margin})"),
        Verdict::NotJudged => format!("not judged: {}", change.reason),
        other => words::word(other).to_owned(),
    }
}

/// By which factor a metric differs, if one is shown: `mean TPOT by gpu, +4.1 % on MI300X (...), +0.1 % on the others (...)`.
fn apart(report: &Report, row: &SharedRow) -> Option<String> {
    let factor = explaining(row)?;
    let at = |value: &ValueRow| {
        let interval = interval(report, &value.change);
        format!("{} on {}{interval}", percentage(&value.change), value.value)
    };
    let values = factor.values.iter();
    let text = if let Some(differs) = &factor.differs {
        let value = values.clone().find(|value| value.value == differs.value)?;
        format!("{}{}", at(value), rest(report, factor, differs))
    } else {
        let size = |value: &&ValueRow| value.change.relative;
        let least = values.clone().min_by(|a, b| size(a).total_cmp(&size(b)))?;
        let most = values.max_by(|a, b| size(a).total_cmp(&size(b)))?;
        format!("from {} to {}", at(least), at(most))
    };
    Some(format!("{} by {}, {text}", row.label, factor.factor))
}

/// The limits of the shared change: of a change that is shown, and where no factor can be tested.
fn limits(batch: &BatchRow) -> Option<Block<'static>> {
    let mut said = Vec::new();
    let spanned = |row: &SharedRow| row.change.runs.is_some();
    if batch.shared.iter().any(|row| claimed(row) && !spanned(row)) {
        said.push(
            "Cells measured in one session share that session's drift, which no interval over cells contains."
                .to_owned(),
        );
    }
    let mut factors = batch.shared.iter().flat_map(|row| &row.factors);
    let first = factors.clone().next();
    if let Some(factor) = first.filter(|_| factors.all(|factor| factor.values.len() < 2)) {
        let name = &factor.factor;
        said.push(format!(
            "With one cell for each {name}, only the cells' own intervals tell whether they differ."
        ));
    }
    (!said.is_empty()).then(|| Block::text(Role::Small, said.join(" ")))
}

/// ` and by gpu, model`; empty where no value has two cells.
fn within(batch: &BatchRow) -> String {
    let mut names: Vec<String> = Vec::new();
    for factor in batch.shared.iter().flat_map(|row| &row.factors) {
        if !factor.values.is_empty() && !names.contains(&factor.factor) {
            names.push(factor.factor.clone());
        }
    }
    if names.is_empty() { String::new() } else { format!(" and by {}", names.join(", ")) }
}

/// Every shared change: over all cells, then within each value of each factor.
fn table<'a>(report: &Report, batch: &'a BatchRow) -> Table<'a> {
    let level = format!("{} CI", format::confidence(report.settings.confidence));
    let several = several(batch);
    let mut columns = vec![column("metric", Kind::Words)];
    columns.extend(several.then(|| column("candidate", Kind::Words)));
    columns.push(column("cells of", Kind::Words));
    let names = columns.len();
    columns.push(column("cells", Kind::Numbers));
    columns.push(column("change", Kind::Numbers));
    columns.push(column(level, Kind::Numbers));
    columns.push(column("verdict", Kind::Words));
    let line = |row: &'a SharedRow, of: String, change: &'a SharedChange| -> Vec<Cell<'a>> {
        let mut cells = vec![Cell::from(&*row.label)];
        cells.extend(
            several.then(|| Cell::from(format!("{} against {}", row.candidate, row.baseline))),
        );
        let own = change.within().map(|_| change.equivalence_confidence);
        let own = own.map_or(String::new(), |own| format!(" ({})", format::confidence(own)));
        let ends = ends(change).map(|ends| format!("{ends}{own}"));
        cells.push(Cell::from(of));
        cells.push(number(change.cells.to_string(), Some(change.cells as f64)));
        cells.push(number(percentage(change), Some(change.relative)));
        cells.push(Cell::from(ends.unwrap_or_else(|| "none".to_owned())));
        cells.push(Cell::from(toned(change.verdict, &verdict(row, change))));
        cells
    };
    let mut rows = Vec::new();
    for row in &batch.shared {
        rows.push(line(row, "all".to_owned(), &row.change));
        for factor in &row.factors {
            let of = |value: &str| format!("{} {value}", factor.factor);
            rows.extend(
                factor.values.iter().map(|value| line(row, of(&value.value), &value.change)),
            );
        }
    }
    Table { names, ..Table::new("shared change", columns, rows) }
}
