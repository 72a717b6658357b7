//! Rows of a table into runs: the long layout (a column names the metric, one holds its value) and the
//! wide one (a row is a run, every numeric column that is not a setting is a metric).

use std::sync::Arc;

use crate::error::Error;
use crate::read::fields::{RunField, field_of_column};
use crate::read::finish::finish;
use crate::read::table::averages::Averages;
use crate::read::table::column_names::is_of_value;
use crate::read::table::column_rules::{all_or_none_in_percent, hardly_metrics};
use crate::read::table::long_rows::LongRows;
use crate::read::table::named::{Named, put, wide_metrics};
use crate::read::table::records::{Line, Table};
use crate::read::table::request_columns::groups_by;
use crate::read::table::roles::{Role, Roles, position};
use crate::read::table::row_settings::{RowSettings, start};
use crate::read::table::spreads::Spreads;
use crate::read::units::Stated;
use crate::read::{Found, Options};
use crate::runs::{Metrics, Run, Shared, Skipped};

/// Which column is what.
pub(in crate::read) struct Columns {
    pub(in crate::read) path: Arc<str>,
    pub(in crate::read) variant: Option<usize>,
    /// From the outer level of repeats to the inner.
    pub(in crate::read) run: Vec<usize>,
    pub(in crate::read) pair: Option<usize>,
    /// Puts the variants in order; may be one of the others as well.
    pub(in crate::read) order: Option<usize>,
    /// Position of metric and value in the long layout.
    long: Option<(usize, usize)>,
    /// Position and name of each metric in the wide layout.
    wide: Vec<(usize, Named)>,
    /// Columns that describe the run.
    pub(in crate::read) rest: Vec<(usize, Option<RunField>)>,
    /// Columns in which runs of one variant and name may differ.
    pub(in crate::read) identity: Vec<usize>,
    pub(in crate::read) spreads: Spreads,
    /// Several rows share a run and its settings: they are averaged.
    pub(in crate::read) shared: bool,
    /// Resolution of the values, in the long layout.
    pub(in crate::read) resolution: Option<usize>,
    /// The unit of the value; in the wide layout that of the only metric.
    pub(in crate::read) unit: Option<usize>,
    /// Where the row comes from, as `convert` writes it.
    pub(in crate::read) origin: Option<usize>,
    /// Metrics that the user names; some may be called like a setting.
    pub(in crate::read) asked_for: Vec<String>,
    /// Whether a column has the number of requests: where it is empty, time ended the run.
    requests: bool,
}

impl Columns {
    fn from_roles(table: &Table, roles: &Roles, options: &Options) -> Result<Self, Error> {
        let headers = &table.headers;
        let Roles { variant, run, pair, long, .. } = roles.clone();
        let wide = if long.is_some() { Vec::new() } else { wide_metrics(table, roles, options)? };
        let rest: Vec<(usize, Option<RunField>)> = (0..headers.len())
            .filter(|index| !wide.iter().any(|(metric, _)| metric == index))
            .filter_map(|index| match roles.role(index) {
                Role::RunField(field) => Some((index, Some(field))),
                Role::Factor => Some((index, None)),
                // One of several that name it.
                Role::Variant if Some(index) != variant => Some((index, None)),
                _ => None,
            })
            .collect();
        // With names for the runs, a time may belong to the value.
        let of_run = |(_, field): &&(usize, Option<RunField>)| {
            *field != Some(RunField::Started) || run.is_empty()
        };
        let identity = rest.iter().filter(of_run).map(|(index, _)| *index);
        let identity: Vec<usize> = identity.chain(variant).chain(pair).collect();
        let order = options.order_by.as_deref().and_then(|name| position(headers, name));
        let header = |wanted: &str| headers.iter().position(|header| header == wanted);
        let (resolution, origin) = (header("resolution"), header("source"));
        let of_one: Vec<usize> =
            identity.iter().chain(&run).chain(long.iter().map(|(m, _)| m)).copied().collect();
        // In the long layout a second value is a mistake, unless a column counts repeats inside the run.
        let inner = long.is_none() || !roles.which(|role| role == Role::Identity).is_empty();
        let shared = inner
            && resolution.is_none()
            && run.len() == 1
            && groups_by(table, &of_one).1 < table.rows.len();
        let requests = headers.iter().any(|name| field_of_column(name) == Some(RunField::Requests));
        let unit = roles
            .which(|role| role == Role::OfValue)
            .into_iter()
            .find(|&at| is_of_value(&headers[at].to_lowercase()) && is_unit_header(&headers[at]))
            // Elsewhere a column of this name may be about anything, such as the device under test.
            .filter(|_| long.is_some() || wide.len() == 1);
        if table.rows.contains('%') {
            let metrics = wide.iter().map(|(index, _)| (None, *index));
            let metrics = metrics.chain(long.map(|(name, value)| (Some(name), value)));
            all_or_none_in_percent(table, metrics)?;
        }
        Ok(Self {
            path: table.path.into(),
            variant,
            run,
            pair,
            order,
            long,
            wide,
            rest,
            identity,
            spreads: roles.spreads.clone(),
            shared,
            resolution,
            unit,
            origin,
            asked_for: options.metrics.clone(),
            requests,
        })
    }

    /// About as many runs as the rows of a table are: in the long layout rows of the metric of the first.
    fn runs_in(&self, table: &Table) -> usize {
        let Some((metric, _)) = self.long else { return table.rows.len() };
        let mut names = table.rows.iter().map(|row| row.cells.get(metric));
        names.next().map_or(0, |first| 1 + names.filter(|name| *name == first).count())
    }
}

fn is_unit_header(header: &str) -> bool {
    crate::read::table::column_names::UNIT.contains(&header.to_lowercase().as_str())
}

/// Adds a cell to a key; with its length, so that other cells give another key.
pub(in crate::read) fn add_to_key(key: &mut Vec<u8>, cell: &str) {
    key.extend(cell.len().to_le_bytes());
    key.extend(cell.as_bytes());
}

/// Runs of a table in either layout.
pub(in crate::read) fn runs_of(
    table: &Table,
    roles: &Roles,
    options: &Options,
) -> Result<Found, Error> {
    let mut reading = Reading::new(table, roles, options)?;
    reading.rows(table)?;
    reading.finish(table)
}

/// A table that is read part by part.
pub(in crate::read) struct Reading {
    columns: Columns,
    known: LongRows,
    stated: Stated,
    settings: RowSettings,
    averages: Averages,
    found: Found,
    lenient: bool,
}

impl Reading {
    /// Begins with a table, or with its start, whose columns have these roles.
    pub(in crate::read) fn new(
        table: &Table,
        roles: &Roles,
        options: &Options,
    ) -> Result<Self, Error> {
        if table.rows.is_empty() {
            let problem = "expected at least one row under the header, found none".to_owned();
            return Err(table.no_result(problem, "give a table with a row per run or per value"));
        }
        let columns = Columns::from_roles(table, roles, options)?;
        let (known, stated, settings, averages) = Default::default();
        let mut found = Found { columns: roles.described(table), ..Found::default() };
        if columns.long.is_none() && options.metrics.is_empty() {
            let texts = columns.rest.iter().filter(|(_, field)| field.is_none());
            let texts = texts.map(|(index, _)| *index);
            let texts = texts.filter(|&index| !options.names_cell(&table.headers[index]));
            found.skipped.extend(hardly_metrics(table, texts));
        }
        let lenient = options.lenient;
        Ok(Self { columns, known, stated, settings, averages, found, lenient })
    }

    /// Adds the rows of `table`, which has the columns of the first.
    pub(in crate::read) fn rows(&mut self, table: &Table) -> Result<(), Error> {
        let Self { columns, known, stated, settings, averages, found, lenient } = self;
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
                Err(error) if *lenient => found.skipped.push(Skipped {
                    place: format!("{} {}", table.counts, row.number),
                    why: error.to_string(),
                }),
                other => other?,
            }
        }
        Ok(())
    }

    /// The runs of all rows.
    pub(in crate::read) fn finish(self, table: &Table) -> Result<Found, Error> {
        let Self { columns, mut found, stated, averages, lenient, .. } = self;
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
        found.runs.retain_mut(|run| {
            if failed.is_some() {
                return false;
            }
            if any && is_without_a_value(run) {
                without.push(run.source.position);
                return false;
            }
            let position = run.source.position;
            let place = || format!("{} {position}", table.counts);
            let timed = columns.requests && run.workload.requests.is_none();
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

/// Whether a row has neither a value nor failed requests: it was planned, and not run.
fn is_without_a_value(run: &Run) -> bool {
    run.metrics.is_empty() && run.info.failed.is_none() && run.info.completed.is_none()
}

fn wide_row(
    (table, columns): (&Table, &mut Columns),
    row: Line,
    (stated, settings, averages): (&mut Stated, &mut RowSettings, &mut Averages),
    runs: &mut Vec<Run>,
) -> Result<(), Error> {
    let mut run = start(table, columns, row, settings)?;
    run.metrics = Metrics::with_capacity(columns.wide.len());
    for (index, named) in &mut columns.wide {
        let text = &row.cells[*index];
        if !text.is_empty() {
            if let Some(unit) = columns.unit {
                named.in_unit(table, row, &row.cells[unit], stated)?;
            }
            put(table, row, &mut run, named, text, None)?;
            columns.spreads.note(row, *index, named, &mut run);
        }
    }
    if columns.shared {
        let cells = columns.identity.iter().chain(&columns.run).map(|&at| &row.cells[at]);
        averages.add(run, cells, runs);
    } else {
        runs.push(run);
    }
    Ok(())
}
