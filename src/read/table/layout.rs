//! Layouts of tables that people write, brought into one of the two that are read.
//!
//! Where columns are not metrics but variants (`metric, before, after`; `run, before, after`), repeats (`run1, run2`)
//! or loads (`osl-128, osl-512`), every cell becomes a row of the long layout. Summaries of other rows or columns
//! (`avg`, `std`, `change`) are skipped, with a note. An unclear layout is an error: nothing is guessed.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Error;
use crate::metrics::Statistic;
use crate::metrics::words::{Says, meaning};
use crate::read::kit::{fields, short};
use crate::read::table::column_names::{METRIC, VALUE, VARIANT};
use crate::read::table::records::Table;
use crate::read::table::role_words::{RUN, counts_runs};
use crate::runs::Skipped;

mod averages;
mod columns;
mod sides;
mod summaries;
mod turn;

use crate::read::table::layout::averages::Averages;
use crate::read::table::layout::columns::{
    Kind, Values, is_called, is_key, is_metric, kind_of, load_of,
};
use crate::read::table::layout::turn::turn;

/// Headers over the names of metrics.
const NAMES: &[&str] = &["metrics", "name", "measure", "benchmark", ""];

/// More rows than a table written by hand has.
const MAX_TURNED_ROWS: usize = 20_000;

/// The changes to a table.
#[derive(Default)]
pub(crate) struct Arranged {
    pub(crate) notes: Vec<Skipped>,
    /// The cells that are averages of several runs.
    pub(crate) averages: Averages,
}

/// Converts a table to the long layout, or to the wide one with a row per run, if it is in neither. `caption` is the
/// text above it, `before` the columns of the tables above in the same file.
///
/// # Errors
///
/// [`Error::Input`] for columns with an unclear meaning.
pub(crate) fn arrange(
    table: &mut Table,
    caption: Option<&str>,
    before: usize,
) -> Result<Arranged, Error> {
    if table.rows.len() >= MAX_TURNED_ROWS {
        return Ok(Arranged::default());
    }
    let mut notes = summaries::leave_out_rows(table);
    let mut averages = Averages::take(table, &mut notes);
    let lower: Vec<String> = table.headers.iter().map(|header| header.to_lowercase()).collect();
    let has = |names: &[&str]| lower.iter().any(|header| names.contains(&&**header));
    if has(METRIC) && has(VALUE) || table.rows.is_empty() {
        return Ok(Arranged { notes, averages });
    }
    let kinds: Vec<Kind> = (0..table.headers.len()).map(|at| kind_of(table, at)).collect();
    if let Some(values) = sides::values(table, &kinds) {
        let ids = ids(table, &kinds, (None, &values), &mut notes);
        turn(table, &ids, (None, None), (&values, before), &mut notes, &mut averages);
        return Ok(Arranged { notes, averages });
    }
    let names = names_of_metrics(table, &kinds);
    if let Some(mean) = names.and_then(|names| value_of(table, &kinds, names)) {
        VALUE[0].clone_into(&mut table.headers[mean]);
        let names = names.filter(|&at| !is_called(&table.headers[at], METRIC));
        if let Some(at) = names {
            METRIC[0].clone_into(&mut table.headers[at]);
        }
        return Ok(Arranged { notes, averages });
    }
    let Some(values) = value_columns(table, &kinds, names, &mut notes)? else {
        return Ok(Arranged { notes, averages });
    };
    let ids = ids(table, &kinds, (names, &values), &mut notes);
    turn(table, &ids, (names, caption), (&values, before), &mut notes, &mut averages);
    Ok(Arranged { notes, averages })
}

/// The column that names the metrics, where columns beside it may be variants.
fn names_of_metrics(table: &Table, kinds: &[Kind]) -> Option<usize> {
    let known = |at: usize| table.filled(at).filter(|cell| is_metric(cell)).count();
    let text: Vec<usize> = (0..kinds.len()).filter(|&at| kinds[at] == Kind::Key).collect();
    let called =
        |names: &[&str]| text.iter().copied().find(|&at| is_called(&table.headers[at], names));
    let mostly = || text.iter().copied().find(|&at| 2 * known(at) > table.rows.len());
    let sides = kinds.contains(&Kind::Side);
    let named =
        || called(NAMES).filter(|&at| sides && (known(at) > 0 || !table.headers[at].is_empty()));
    called(METRIC).or_else(mostly).or_else(named)
}

/// The column of the values beside the names of the metrics: the mean, or the only one that is measured. Spreads, counts
/// and settings beside it never are.
fn value_of(table: &Table, kinds: &[Kind], names: usize) -> Option<usize> {
    let metric = is_called(&table.headers[names], METRIC);
    let values = |kind: &Kind| !metric && (kind.is_open() || *kind == Kind::Metric);
    if kinds.iter().any(|kind| *kind == Kind::Side || values(kind)) {
        return None;
    }
    let mean = |at: &usize| meaning(&table.headers[*at]).statistic == Some(Statistic::Mean);
    let beside = |at: &usize| {
        let header = &table.headers[*at];
        let says = meaning(header).says;
        counts_runs(header)
            || is_called(header, RUN)
            || matches!(
                says,
                Says::Spread | Says::Count | Says::Setting | Says::Identity | Says::Outcome(_)
            )
    };
    let numbers = (0..kinds.len()).filter(|&at| at != names && table.is_numeric(at));
    let open: Vec<usize> = numbers.filter(|at| !beside(at)).collect();
    // Several statistics are several metrics.
    let statistic = |name: &&String| {
        meaning(name).statistic.is_some_and(|statistic| statistic != Statistic::Deviation)
    };
    let alone = table.headers.iter().filter(statistic).count() == 1;
    match (open.iter().copied().find(mean), open.len()) {
        (Some(mean), _) => Some(mean).filter(|_| alone),
        (None, 1) => open.first().copied(),
        _ => None,
    }
}

/// The columns of values, where they are not metrics; `None` for a table in which they are.
fn value_columns(
    table: &Table,
    kinds: &[Kind],
    names: Option<usize>,
    notes: &mut Vec<Skipped>,
) -> Result<Option<Vec<Values>>, Error> {
    let count = |kind: fn(&Kind) -> bool| kinds.iter().filter(|known| kind(known)).count();
    let metrics = count(|kind| matches!(kind, Kind::Metric));
    let keyed = table.headers.iter().any(|header| is_called(header, VARIANT));
    let alone = |at: usize| kinds[at] == Kind::Side && is_one_word(&table.headers[at]) && !keyed;
    let sides = (0..kinds.len()).filter(|&at| alone(at)).count();
    let repeats = count(|kind| matches!(kind, Kind::Repeat));
    let open = names.is_some() || sides > 0 && count(|kind| kind.is_open()) > 1 || repeats > 1;
    if metrics > 0 || !open {
        return Ok(None);
    }
    // Without names of metrics the first column numbers the rows, and a setting is one.
    let is_id = |at: usize| {
        names.is_none() && at == 0 && !matches!(kinds[at], Kind::Side | Kind::Repeat)
            || names.is_none() && sides == 0 && !matches!(kinds[at], Kind::Repeat)
    };
    let columns: Vec<usize> =
        (0..kinds.len()).filter(|&at| kinds[at].is_open() && !is_id(at)).collect();
    if columns.is_empty() {
        let values = statistics_of_one_run(table, kinds);
        return Ok(names.filter(|_| !values.is_empty()).map(|_| values));
    }
    note_summaries(table, kinds, notes);
    unclear(table, kinds, &columns)?;
    let labels: BTreeSet<&str> = columns.iter().map(|&at| &*table.headers[at]).collect();
    let numbered = crate::read::text::headings::numbered_labels(&labels);
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let values = columns.iter().map(|&at| {
        let header = &*table.headers[at];
        let nth = seen.entry(header).or_default();
        *nth += 1;
        let twice = columns.iter().filter(|&&other| table.headers[other] == header).count() > 1;
        let own = |variant: &str, run: String| Values {
            at,
            variant: variant.to_owned(),
            run,
            load: None,
            statistic: None,
            metric: None,
        };
        match (&kinds[at], numbered.get(header)) {
            (Kind::Repeat, _) => own("", header.to_owned()),
            (Kind::Load, _) => {
                let load = load_of(header);
                let (load, statistic) = load.map_or((None, None), |(name, value, statistic)| {
                    (Some((name, value)), statistic)
                });
                Values { load, statistic, ..own("", String::new()) }
            }
            (_, Some((stem, number))) => own(stem, number.to_string()),
            _ => own(header, if twice { nth.to_string() } else { String::new() }),
        }
    });
    Ok(Some(values.collect()))
}

/// The columns of a table with nothing but statistics of one run.
fn statistics_of_one_run(table: &Table, kinds: &[Kind]) -> Vec<Values> {
    let columns = (0..kinds.len()).filter(|&at| matches!(kinds[at], Kind::Statistic));
    let value = |at: usize| Values {
        at,
        variant: String::new(),
        run: String::new(),
        load: None,
        statistic: Some(table.headers[at].clone()),
        metric: None,
    };
    columns.map(value).collect()
}

/// Notes the columns that sum up or compare others.
fn note_summaries(table: &Table, kinds: &[Kind], notes: &mut Vec<Skipped>) {
    for (at, kind) in kinds.iter().enumerate() {
        let why = match kind {
            Kind::Statistic => "sums up the other columns",
            Kind::Compares => "compares other columns",
            _ => continue,
        };
        let place = format!("column {}", short(&table.headers[at]));
        notes.push(Skipped { place, why: format!("{why}: not read") });
    }
}

/// Refuses tables in which some columns are loads or numbers, and others labels.
fn unclear(table: &Table, kinds: &[Kind], columns: &[usize]) -> Result<(), Error> {
    let names: Vec<String> = columns.iter().map(|&at| short(&table.headers[at])).collect();
    let loads = columns.iter().filter(|&&at| matches!(kinds[at], Kind::Load)).count();
    let bare = columns.iter().any(|&at| fields::number(&table.headers[at]).is_some());
    if !bare && (loads == 0 || loads == columns.len()) {
        return Ok(());
    }
    let problem = format!(
        "expected the names of variants over the columns, found {}: loads, or variants",
        names.join(", ")
    );
    let remedy = "write a row per value with the columns variant, metric and value, and one for the load, such as \
                  concurrency";
    Err(table.header(problem, remedy))
}

/// The columns that describe a whole row.
fn ids(
    table: &Table,
    kinds: &[Kind],
    (names, values): (Option<usize>, &[Values]),
    notes: &mut Vec<Skipped>,
) -> Vec<usize> {
    let mut ids = Vec::new();
    for (at, kind) in kinds.iter().enumerate() {
        let used = values.iter().any(|value| value.at == at) || Some(at) == names;
        if used || !matches!(kind, Kind::Key | Kind::Other) || table.filled(at).next().is_none() {
            continue;
        }
        let header = &table.headers[at];
        // Beside the names of metrics only a key describes the run.
        let keyed =
            is_key(header) || fields::field_of_column(header).is_some() || is_called(header, RUN);
        if names.is_none_or(|names| at < names) || keyed {
            ids.push(at);
            continue;
        }
        let cell = table.filled(at).next().unwrap_or_default();
        let why = format!("holds no numbers (such as \"{}\"): not read", short(cell));
        notes.push(Skipped { place: format!("column {}", short(header)), why });
    }
    ids
}

/// Whether a label is a single word: `main`, and not `main_memory`.
fn is_one_word(label: &str) -> bool {
    label.trim().chars().all(char::is_alphanumeric) && label.chars().count() <= 12
}
