//! Rows of a table into runs: the long layout (a column names the metric, one holds its value) and the
//! wide one (a row is a run, every numeric column that is not a setting is a metric).

use std::sync::Arc;

use crate::error::Error;
use crate::read::fields::{self, Fact};
use crate::read::finish::finish;
use crate::read::table::column_names::{METRIC, PAIR, RUN, UNIT, VALUE, VARIANT, is_of_value};
use crate::read::table::column_rules::{all_or_none_in_percent, fact_of, hardly_metrics};
use crate::read::table::long_rows::Known;
use crate::read::table::named::{Named, put, wide_metrics};
use crate::read::table::records::{Line, Table};
use crate::read::table::row_facts::{Settings, start};
use crate::read::units::{Scale, Stated};
use crate::read::{Found, Options};
use crate::runs::{Metrics, Run, Shared, Skipped};

/// Name that pandas gives the index of a data frame.
pub(in crate::read) const UNNAMED: &str = "Unnamed: 0";

/// Which column is what.
pub(in crate::read) struct Columns {
    pub(in crate::read) path: Arc<str>,
    pub(in crate::read) variant: Option<usize>,
    pub(in crate::read) run: Option<usize>,
    pub(in crate::read) pair: Option<usize>,
    /// Levels of nested repeats, from outer to inner; none with fewer than two.
    pub(in crate::read) levels: Vec<usize>,
    /// Puts the variants in order; may be one of the others as well.
    pub(in crate::read) order: Option<usize>,
    /// Position of metric and value in the long layout.
    long: Option<(usize, usize)>,
    /// Position and name of each metric in the wide layout.
    wide: Vec<(usize, Named)>,
    /// Columns that say something of the run.
    pub(in crate::read) rest: Vec<(usize, Option<Fact>)>,
    /// Columns in which runs of one variant and name may differ.
    pub(in crate::read) identity: Vec<usize>,
    /// What the values are known to, in the long layout.
    pub(in crate::read) resolution: Option<usize>,
    /// The unit of the value; in the wide layout that of the only metric.
    pub(in crate::read) unit: Option<usize>,
    /// Where the row comes from, as `convert` writes it.
    pub(in crate::read) origin: Option<usize>,
    /// Metrics that the user names, of which some may be called like a setting.
    pub(in crate::read) asked_for: Vec<String>,
    /// Whether a column has the number of requests: where it is empty, time ended the run.
    requests: bool,
}

impl Columns {
    fn of(table: &Table, options: &Options) -> Result<Self, Error> {
        let headers = &table.headers;
        for (index, name) in headers.iter().enumerate() {
            if !name.is_empty() && headers[..index].contains(name) {
                let problem = format!("expected every column once, found \"{name}\" twice");
                return Err(table.header(problem, "rename or remove one of them"));
            }
        }
        let find = |names: &[&str]| {
            names.iter().find_map(|name| {
                let named = |index: &usize| headers[*index].to_lowercase() == *name;
                (0..headers.len()).find(|at| named(at) && table.filled(*at).next().is_some())
            })
        };
        let by = |wanted: Option<&String>, names: &[&str]| {
            wanted.map_or_else(|| Ok(find(names)), |name| given(table, name).map(Some))
        };
        let variant =
            by(options.variant_column.first(), VARIANT)?.or_else(|| unnamed_labels(table));
        let run = by(options.run_column.first(), RUN)?;
        let levels = match &options.run_column[..] {
            [] | [_] => Vec::new(),
            names => names.iter().map(|name| given(table, name)).collect::<Result<_, _>>()?,
        };
        let pair = by(options.pair_column.as_ref(), PAIR)?;
        let long = find(METRIC).zip(find(VALUE));
        let taken = |index: usize| {
            Some(index) == variant
                || Some(index) == run
                || Some(index) == pair
                || levels.contains(&index)
                || long.is_some_and(|(a, b)| index == a || index == b)
        };
        let wide = if long.is_some() { Vec::new() } else { wide_metrics(table, options, &taken)? };
        let rest: Vec<(usize, Option<Fact>)> = (0..headers.len())
            .filter(|&index| !taken(index) && !wide.iter().any(|(metric, _)| *metric == index))
            .filter(|&index| !headers[index].is_empty() && headers[index] != UNNAMED)
            .map(|index| (index, fact_of(table, index)))
            .collect();
        // With names for the runs, a time may belong to the value.
        let of_run = |(index, fact): &&(usize, Option<Fact>)| {
            let time = *fact == Some(Fact::Started);
            let of_value = is_of_value(&headers[*index]);
            !(of_value || time && run.is_some())
        };
        let identity = rest.iter().filter(of_run).map(|(index, _)| *index);
        let identity = identity.chain(variant).chain(pair).collect();
        let order = options.order_by.as_deref();
        let order = order.and_then(|name| headers.iter().position(|header| header == name));
        let resolution = headers.iter().position(|header| header == "resolution");
        let origin = headers.iter().position(|header| header == "source");
        let requests = rest.iter().any(|(_, fact)| *fact == Some(Fact::Requests));
        let unit = find(UNIT).filter(|unit| !taken(*unit)).filter(|&unit| {
            // Elsewhere a column of this name may be about anything, such as the device under test.
            let is_unit = |cell: &str| Scale::of(cell).is_some();
            long.is_some() || wide.len() == 1 && wide[0].0 != unit && table.mostly(unit, is_unit)
        });
        if table.rows.contains('%') {
            let metrics = wide.iter().map(|(index, _)| (None, *index));
            let metrics = metrics.chain(long.map(|(name, value)| (Some(name), value)));
            all_or_none_in_percent(table, metrics)?;
        }
        let path = table.path.into();
        Ok(Self {
            path,
            variant,
            run,
            pair,
            levels,
            order,
            long,
            wide,
            rest,
            identity,
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

/// The column that the user calls by its name.
pub(in crate::read) fn given(table: &Table, name: &str) -> Result<usize, Error> {
    table.headers.iter().position(|header| header == name).ok_or_else(|| {
        let problem = format!("expected a column \"{name}\", found {}", table.listed());
        table.header(problem, "name a column that exists")
    })
}

/// The first column where it has no name and holds words: in tables that people write, the variants.
fn unnamed_labels(table: &Table) -> Option<usize> {
    let label = |cell: &str| !cell.is_empty() && fields::number(cell).is_none();
    let unnamed = table.headers.first().is_some_and(String::is_empty) && !table.rows.is_empty();
    (unnamed && table.rows.iter().all(|row| label(&row.cells[0]))).then_some(0)
}

/// Adds a cell to a key; with its length, so that other cells give another key.
pub(in crate::read) fn add_to_key(key: &mut Vec<u8>, cell: &str) {
    key.extend(cell.len().to_le_bytes());
    key.extend(cell.as_bytes());
}

/// Runs of a table in either layout.
pub(in crate::read) fn runs_of(table: &Table, options: &Options) -> Result<Found, Error> {
    let mut reading = Reading::new(table, options)?;
    reading.rows(table)?;
    reading.finish(table)
}

/// A table that is read part by part.
pub(in crate::read) struct Reading {
    columns: Columns,
    known: Known,
    stated: Stated,
    settings: Settings,
    found: Found,
    lenient: bool,
}

impl Reading {
    /// Tells from a table, or from its start, what its columns are.
    pub(in crate::read) fn new(table: &Table, options: &Options) -> Result<Self, Error> {
        if table.rows.is_empty() {
            let problem = "expected at least one row under the header, found none".to_owned();
            return Err(table.header(problem, "give a table with a row per run or per value"));
        }
        let columns = Columns::of(table, options)?;
        let (known, stated, settings) = Default::default();
        let mut found = Found::default();
        if columns.long.is_none() && options.metrics.is_empty() {
            let texts = columns.rest.iter().filter(|(_, fact)| fact.is_none());
            let texts = texts.map(|(index, _)| *index);
            let texts = texts.filter(|&index| !options.names_cell(&table.headers[index]));
            found.skipped.extend(hardly_metrics(table, texts));
        }
        Ok(Self { columns, known, stated, settings, found, lenient: options.lenient })
    }

    /// Adds the rows of `table`, which has the columns of the first.
    pub(in crate::read) fn rows(&mut self, table: &Table) -> Result<(), Error> {
        let Self { columns, known, stated, settings, found, lenient } = self;
        found.runs.reserve(columns.runs_in(table));
        for row in table.rows.iter() {
            let runs = &mut found.runs;
            let result = match columns.long {
                Some(at) => known.row((table, columns, at), row, stated, settings, runs),
                None => wide_row((table, columns), row, stated, settings, runs),
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
        let Self { columns, mut found, stated, lenient, .. } = self;
        let units = stated.of_runs();
        if !units.is_empty() {
            let units = Shared::from(units);
            found.runs.iter_mut().for_each(|run| run.units = units.clone());
        }
        let mut failed = None;
        found.runs.retain_mut(|run| {
            if failed.is_some() {
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
        failed.map_or(Ok(found), Err)
    }
}

fn wide_row(
    (table, columns): (&Table, &mut Columns),
    row: Line,
    stated: &mut Stated,
    settings: &mut Settings,
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
        }
    }
    runs.push(run);
    Ok(())
}
