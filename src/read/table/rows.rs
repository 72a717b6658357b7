//! Rows of a table into runs: the long layout (a column names the metric, one holds its value) and the
//! wide one (a row is a run, every numeric column that is not a setting is a metric).

use crate::table::column_names::is_tidy;
use crate::table::columns::Columns;

use std::collections::BTreeMap;

use crate::kit::fields;
use crate::kit::figure::range;
use crate::kit::finish::finish;
use crate::reader::{Found, Options};
use crate::table::averages::Averages;
use crate::table::column_rules::hardly_metrics;
use crate::table::long_rows::LongRows;
use crate::table::named::put;
use crate::table::records::{Line, Table};
use crate::table::reduce::DIFFERENT_REQUESTS;
use crate::table::roles::Roles;
use crate::table::row_settings::{RowSettings, start};
use crate::table::units::Stated;
use beyondnoise_model::error::Error;
use beyondnoise_model::metrics::words::{Quantity, meaning};
use beyondnoise_model::runs::{ITERATIONS, Metrics, OF_REQUESTS, Run, Shared, Skipped, Workload};

/// Runs of a table in either layout.
pub(crate) fn runs_of(table: &Table, roles: &Roles, options: &Options) -> Result<Found, Error> {
    let mut reading = Reading::new(table, roles, options)?;
    reading.rows(table)?;
    reading.finish(table)
}

/// A table that is read part by part.
pub(crate) struct Reading {
    columns: Columns,
    known: LongRows,
    stated: Stated,
    settings: RowSettings,
    averages: Averages,
    found: Found,
    lenient: bool,
    /// Rows with a cell that is no value, with their variant; a table of the program's own form has none.
    odd: Vec<(usize, String, Error)>,
    strict: bool,
}

impl Reading {
    /// Begins with a table, or with its start, whose columns have these roles.
    pub(crate) fn new(table: &Table, roles: &Roles, options: &Options) -> Result<Self, Error> {
        if table.rows.is_empty() {
            let problem = "expected at least one row under the header, found none".to_owned();
            return Err(table.no_result(problem, "give a table with a row per run or per value"));
        }
        let columns = Columns::from_roles(table, roles, options)?;
        let (known, stated, settings, averages) = Default::default();
        let mut found = Found::default();
        if columns.long.is_none() && options.metrics.is_empty() {
            let texts = columns.rest.iter().filter(|(_, field)| field.is_none());
            let texts = texts.map(|(index, _)| *index);
            let texts = texts.filter(|&index| !options.names_cell(&table.headers[index]));
            found.skipped.extend(hardly_metrics(table, texts));
        }
        let (lenient, odd, strict) = (options.lenient, Vec::new(), is_tidy(&table.headers));
        Ok(Self { columns, known, stated, settings, averages, found, lenient, odd, strict })
    }

    /// Adds the rows of `table`, which has the columns of the first.
    pub(crate) fn rows(&mut self, table: &Table) -> Result<(), Error> {
        let Self { columns, known, stated, settings, averages, found, odd, .. } = self;
        found.runs.reserve(columns.runs_in(table));
        for row in table.rows.iter() {
            let runs = &mut found.runs;
            let result = match columns.long {
                Some(at) => {
                    known.row((table, columns, at), row, (stated, settings, averages), runs)
                }
                None => wide_row((table, columns), row, (stated, settings, averages), runs),
            };
            match result {
                // Digits that are no number are a slip; a word, a range, a footnote in their place are meant.
                Err(error) if self.lenient || !self.strict && has_a_word(columns, row) => {
                    let variant = columns.variant.map_or("", |at| row.cells.get(at));
                    odd.push((row.number, variant.to_owned(), error));
                }
                other => other?,
            }
        }
        Ok(())
    }

    /// The runs of all rows.
    pub(crate) fn finish(self, table: &Table) -> Result<Found, Error> {
        let Self { columns, mut found, stated, averages, lenient, mut odd, .. } = self;
        // Where most rows are odd, the column is not understood; where only one variant is left, nothing is to compare.
        let alone = found.runs.windows(2).all(|two| two[0].variant == two[1].variant);
        let lost = |variant: &str| {
            alone
                && columns.variant.is_some()
                && found.runs.iter().all(|run| run.variant != variant)
        };
        let most = if odd.len() > found.runs.len() { Some(0) } else { None };
        let first = most.or_else(|| odd.iter().position(|(_, variant, _)| lost(variant)));
        if let Some(first) = first.filter(|_| !lenient) {
            return Err(odd.swap_remove(first).2);
        }
        found.skipped.extend(odd.into_iter().map(|(number, _, error)| {
            let why = match error {
                Error::Input { problem, .. } => problem,
                other => other.to_string(),
            };
            Skipped { place: format!("{} {number}", table.counts), why }
        }));
        // Zeros under the names of variants are values that their reports show.
        if !lenient && columns.variant.is_none() && are_empty(&found.runs) {
            let problem = "expected measured times or rates, found 0 in every row".to_owned();
            return Err(table.no_result(problem, "give a table that is filled in"));
        }
        let run = columns.run.first().map_or("", |&at| table.headers[at].as_str());
        found.skipped.extend(averages.finish(&mut found.runs, run));
        let units = stated.of_runs();
        if !units.is_empty() {
            let units = Shared::from(units);
            found.runs.iter_mut().for_each(|run| run.units = units.clone());
        }
        let mut failed = None;
        let mut without = Vec::new();
        let any = found.runs.iter().any(|run| !is_without_a_value(run));
        let reduced = columns.figures.of_log();
        // The same number of successes in all runs is what was asked for; a number that varies is a result.
        let mut done = found.runs.iter().filter_map(|run| run.info.completed);
        let first = done.next();
        let varies = !done.all(|other| Some(other) == first);
        found.runs.retain_mut(|run| {
            if failed.is_some() {
                return false;
            }
            if run.info.failure.is_some() {
                return true;
            }
            if any && is_without_a_value(run) {
                without.push(run.source.position);
                return false;
            }
            let position = run.source.position;
            let place = || format!("{} {position}", table.counts);
            let timed = (columns.requests || varies && run.info.failed.is_none())
                && run.workload.requests.is_none()
                && !reduced;
            match finish(run) {
                Ok(notes) => {
                    if timed && run.workload.requests.is_some() {
                        run.workload.requests = None;
                    }
                    let notes = notes.into_iter().map(|why| Skipped { place: place(), why });
                    found.skipped.extend(notes);
                    true
                }
                Err(bad) if lenient => {
                    found.skipped.push(Skipped { place: place(), why: bad.problem });
                    false
                }
                Err(bad) => {
                    failed = Some(table.at(position, bad.problem, bad.remedy));
                    false
                }
            }
        });
        if reduced {
            found.skipped.extend(count_requests(&mut found.runs));
        }
        if let [first, ..] = without[..] {
            let place = format!("{} {first}", table.counts);
            let more = without.len() - 1;
            let why = match more {
                0 => "no value in the row: nothing was measured".to_owned(),
                _ => format!("no value in the row and in {more} more: nothing was measured there"),
            };
            found.skipped.push(Skipped { place, why });
        }
        failed.map_or(Ok(found), Err)
    }
}

/// Gives runs that an engine reduced the number of requests that it counted, as for runs that are reduced here, if all
/// runs of a variant and setting have the same number.
fn count_requests(runs: &mut [Run]) -> Option<Skipped> {
    let rows = |run: &Run| Some(run.info.completed? + run.info.failed.unwrap_or(0));
    let setting = |run: &Run| {
        let bare = Workload { requests: None, input_tokens: None, ..(*run.workload).clone() };
        format!("{:?}", (&run.variant, bare, &run.metadata))
    };
    let mut known: BTreeMap<String, (Option<u64>, usize)> = BTreeMap::new();
    let mut same = true;
    for run in runs.iter() {
        let (first, count) = known.entry(setting(run)).or_insert((rows(run), 0));
        same &= *first == rows(run);
        *count += 1;
    }
    for run in runs {
        let alone = known.get(&setting(run)).is_some_and(|(_, count)| *count == 1);
        if let Some(rows) = rows(run).filter(|_| alone) {
            run.metadata.insert(ITERATIONS.to_owned(), format!("{rows} {OF_REQUESTS}"));
        }
        if !same {
            (run.workload.requests, run.workload.input_tokens) = (None, None);
        }
    }
    let why = DIFFERENT_REQUESTS.to_owned();
    (!same).then(|| Skipped { place: "file".to_owned(), why })
}

/// Whether a cell of a metric was not meant as one number: `n/a yet`, `Apple M5`, `1.9-2.9`, `10.75 †`.
fn has_a_word(columns: &Columns, row: Line) -> bool {
    let value = columns.long.map(|(_, value)| value);
    let mut cells = columns.wide.iter().map(|(at, _)| *at).chain(value).map(|at| row.cells.get(at));
    let number = |text: &str| fields::number(text.trim()).is_some();
    cells.any(|cell| {
        let cell = cell.trim();
        let footnote = || cell.strip_suffix(['†', '‡', '§']).is_some_and(number);
        let word =
            cell.starts_with(char::is_alphabetic) || !cell.contains(|c: char| c.is_ascii_digit());
        !cell.is_empty() && !number(cell) && (word || range(cell).is_some() || footnote())
    })
}

/// Whether a row has neither a value nor failed requests: it was planned, and not run.
fn is_without_a_value(run: &Run) -> bool {
    let info = &run.info;
    let ended = info.failed.is_some() || info.completed.is_some() || info.failure.is_some();
    run.metrics.is_empty() && !ended
}

fn wide_row(
    (table, columns): (&Table, &mut Columns),
    row: Line,
    (stated, settings, averages): (&mut Stated, &mut RowSettings, &mut Averages),
    runs: &mut Vec<Run>,
) -> Result<(), Error> {
    let mut run = start(table, columns, row, settings)?;
    run.metrics = Metrics::with_capacity(columns.wide.len());
    columns.outcomes.iter().for_each(|outcome| outcome.note(table, row, &mut run));
    for (index, named) in &mut columns.wide {
        let text = &row.cells[*index];
        if !text.is_empty() {
            if let Some(unit) = columns.unit {
                named.in_unit(table, row, &row.cells[unit], stated)?;
            }
            // A run that failed may have left anything in its cells.
            match put(table, row, &mut run, named, text, None) {
                Err(_) if run.info.failure.is_some() => {}
                other => other?,
            }
            columns.spreads.note(row, *index, named, &mut run);
        }
    }
    if columns.shared && run.info.failure.is_none() {
        let cells = columns.identity.iter().chain(&columns.run).map(|&at| &row.cells[at]);
        averages.add(run, cells, runs);
    } else {
        runs.push(run);
    }
    Ok(())
}

/// Whether every time and rate of several runs is 0: the table was not filled in, as nothing takes no time.
fn are_empty(runs: &[Run]) -> bool {
    let measured = |name: &str| {
        use Quantity::{Latency, Throughput, Time};
        matches!(meaning(name).quantity, Time | Latency | Throughput)
    };
    // Many runs have few names.
    let mut known: BTreeMap<&str, bool> = BTreeMap::new();
    let mut some = false;
    for (name, value) in runs.iter().flat_map(|run| run.metrics.iter()) {
        let timed = *known.entry(name).or_insert_with(|| measured(name));
        if timed && value.value != 0.0 {
            return false;
        }
        some |= timed;
    }
    runs.len() > 1 && some
}
