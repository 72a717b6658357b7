//! Rows of a table into runs: the long layout (a column names the metric, one holds its value) and the
//! wide one (a row is a run, every numeric column that is not a setting is a metric).

use std::collections::BTreeMap;

use crate::error::Error;
use crate::read::fields::{self, Fact, Number};
use crate::read::records::{Row, Table};
use crate::read::request_names::is_of_request;
use crate::read::{Found, Options, short};
use crate::runs::{Run, Skipped, Source, Value};

pub(super) const VARIANT: &[&str] = &[
    "variant",
    "version",
    "build",
    "branch",
    "commit",
    "arm",
    "candidate",
    "treatment",
    "label",
    "config",
    "configuration",
    "变体",
    "版本",
    "方案",
];
pub(super) const RUN: &[&str] = &[
    "run",
    "run_id",
    "rep",
    "repeat",
    "repetition",
    "iteration",
    "trial",
    "round",
    "replicate",
    "轮次",
];
pub(super) const PAIR: &[&str] = &["pair", "pair_id"];
pub(super) const METRIC: &[&str] = &["metric", "measure", "measurement", "指标"];
pub(super) const VALUE: &[&str] = &["value", "val", "result", "数值"];

/// Name that pandas gives the index of a data frame.
const UNNAMED: &str = "Unnamed: 0";

/// Columns of the tidy table that say something of a value rather than of the run.
pub(super) const OF_VALUE: &[&str] =
    &["unit", "resolution", "source", "row", "better", "direction"];

/// Which column is what.
struct Columns {
    variant: Option<usize>,
    run: Option<usize>,
    pair: Option<usize>,
    /// Puts the variants in order; may be one of the others as well.
    order: Option<usize>,
    /// Position of metric and value in the long layout.
    long: Option<(usize, usize)>,
    /// Position and name of each metric in the wide layout.
    wide: Vec<(usize, String)>,
    /// Columns that say something of the run: fact, name.
    rest: Vec<usize>,
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
        let given = |name: &str| {
            headers.iter().position(|header| header == name).ok_or_else(|| {
                let problem = format!("expected a column \"{name}\", found {}", table.listed());
                table.header(problem, "name a column that exists")
            })
        };
        let find = |names: &[&str]| {
            names.iter().find_map(|name| {
                let named = |index: &usize| headers[*index].to_lowercase() == *name;
                (0..headers.len()).find(|at| named(at) && table.filled(*at).next().is_some())
            })
        };
        let by = |wanted: &Option<String>, names: &[&str]| {
            wanted.as_deref().map_or_else(|| Ok(find(names)), |name| given(name).map(Some))
        };
        let variant = by(&options.variant_column, VARIANT)?;
        let run = by(&options.run_column, RUN)?;
        let pair = by(&options.pair_column, PAIR)?;
        let long = find(METRIC).zip(find(VALUE));
        let taken = |index: usize| {
            Some(index) == variant
                || Some(index) == run
                || Some(index) == pair
                || long.is_some_and(|(a, b)| index == a || index == b)
        };
        let mut wide = Vec::new();
        if long.is_none() && !options.metrics.is_empty() {
            for name in &options.metrics {
                wide.push((given(name)?, name.clone()));
            }
            for (index, name) in headers.iter().enumerate() {
                let guards = options.guards.contains(&fields::metric_of_column(name).name);
                if guards && !wide.iter().any(|(known, _)| *known == index) {
                    wide.push((index, name.clone()));
                }
            }
        } else if long.is_none() {
            for (index, name) in headers.iter().enumerate() {
                let setting = fields::fact_of_column(name).is_some()
                    || OF_VALUE.contains(&name.as_str())
                    || options.names_cell(name);
                let number = |cell| fields::number(cell).is_some();
                let known = fields::metric_of_column(name).better.is_some()
                    || is_of_request(name) && table.filled(index).any(number);
                // The index of a data frame has no name, or this one.
                if !taken(index)
                    && !setting
                    && !name.is_empty()
                    && name != UNNAMED
                    && (known || table.is_numeric(index))
                {
                    wide.push((index, name.clone()));
                }
            }
            let mut seen: BTreeMap<String, &str> = BTreeMap::new();
            for (_, name) in &wide {
                if let Some(other) = seen.insert(fields::metric_of_column(name).name, name) {
                    let problem = format!(
                        "expected every metric once, found it as \"{other}\" and as \"{name}\""
                    );
                    return Err(table.header(problem, "rename or remove one of them"));
                }
            }
        }
        if long.is_none() && wide.is_empty() {
            let problem = format!(
                "expected columns \"metric\" and \"value\", or a column of numbers per metric, found {}",
                table.listed()
            );
            return Err(table.header(problem, "name the columns with --metric"));
        }
        let rest = (0..headers.len())
            .filter(|&index| !taken(index) && !wide.iter().any(|(metric, _)| *metric == index))
            .filter(|&index| !headers[index].is_empty() && headers[index] != UNNAMED)
            .collect();
        let order = options.order_by.as_deref();
        let order = order.and_then(|name| headers.iter().position(|header| header == name));
        Ok(Self { variant, run, pair, order, long, wide, rest })
    }

    /// Columns in which runs of one variant and name may differ. With names for the runs, a time
    /// may belong to the value.
    fn identity<'a>(&'a self, table: &'a Table) -> impl Iterator<Item = usize> + 'a {
        let of_run = |index: &&usize| {
            let name = table.headers[**index].as_str();
            let time = fields::fact_of_column(name) == Some(Fact::Started);
            !(OF_VALUE.contains(&name) || time && self.run.is_some())
        };
        self.rest.iter().filter(of_run).chain(&self.variant).chain(&self.pair).copied()
    }
}

/// What the rows of the long layout have shown so far.
#[derive(Default)]
struct Known {
    /// Position of a run by its settings, variant and name.
    runs: BTreeMap<Vec<String>, usize>,
    /// Number of values seen by settings, variant and metric.
    values: BTreeMap<Vec<String>, usize>,
}

/// Runs of a table in either layout.
pub(super) fn runs_of(table: &Table, options: &Options) -> Result<Found, Error> {
    let mut reading = Reading::new(table, options)?;
    reading.rows(table)?;
    reading.finish(table)
}

/// A table that is read part by part.
pub(super) struct Reading {
    columns: Columns,
    known: Known,
    found: Found,
    lenient: bool,
}

impl Reading {
    /// Tells from a table, or from its start, what its columns are.
    pub(super) fn new(table: &Table, options: &Options) -> Result<Self, Error> {
        if table.rows.is_empty() {
            let problem = "expected at least one row under the header, found none".to_owned();
            return Err(table.header(problem, "give a table with a row per run or per value"));
        }
        let columns = Columns::of(table, options)?;
        let (known, found) = (Known::default(), Found::default());
        Ok(Self { columns, known, found, lenient: options.lenient })
    }

    /// Adds the rows of `table`, which has the columns of the first.
    pub(super) fn rows(&mut self, table: &Table) -> Result<(), Error> {
        let Self { columns, known, found, lenient } = self;
        for row in &table.rows {
            let result = match columns.long {
                Some(at) => long_row(table, columns, row, at, known, &mut found.runs),
                None => wide_row(table, columns, row, &mut found.runs),
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
    pub(super) fn finish(self, table: &Table) -> Result<Found, Error> {
        let Self { mut found, lenient, .. } = self;
        for mut run in std::mem::take(&mut found.runs) {
            let position = run.source.position;
            let place = format!("{} {position}", table.counts);
            match fields::finish(&mut run) {
                Ok(notes) => {
                    let notes = notes.into_iter().map(|why| Skipped { place: place.clone(), why });
                    found.skipped.extend(notes);
                    found.runs.push(run);
                }
                Err(bad) if lenient => found.skipped.push(Skipped { place, why: bad.problem }),
                Err(bad) => return Err(table.at(position, bad.problem, bad.remedy)),
            }
        }
        Ok(found)
    }
}

fn wide_row(table: &Table, columns: &Columns, row: &Row, runs: &mut Vec<Run>) -> Result<(), Error> {
    let mut run = start(table, columns, row)?;
    for (index, name) in &columns.wide {
        let text = &row.cells[*index];
        if !text.is_empty() {
            put(table, row, &mut run, name, text, None)?;
        }
    }
    runs.push(run);
    Ok(())
}

fn long_row(
    table: &Table,
    columns: &Columns,
    row: &Row,
    (metric, value): (usize, usize),
    known: &mut Known,
    runs: &mut Vec<Run>,
) -> Result<(), Error> {
    let name = &row.cells[metric];
    if name.is_empty() {
        let column = &table.headers[metric];
        let problem = format!("expected the name of a metric in \"{column}\", found nothing");
        return Err(table.at(row.number, problem, "correct the row"));
    }
    let text = &row.cells[value];
    let resolution = table.headers.iter().position(|header| header == "resolution");
    let resolution =
        resolution.and_then(|index| fields::number(&row.cells[index])).map(|n| n.value);
    let mut key: Vec<String> =
        columns.identity(table).map(|index| row.cells[index].clone()).collect();
    if let Some(index) = columns.run {
        key.push(row.cells[index].clone());
    } else {
        // Without a column for the run, the k-th value of a metric belongs to the k-th run.
        let of_metric = [key.clone(), vec![name.clone()]].concat();
        let nth = known.values.entry(of_metric).or_insert(0);
        *nth += 1;
        key.push(nth.to_string());
    }
    let index = if let Some(&index) = known.runs.get(&key) {
        index
    } else {
        runs.push(start(table, columns, row)?);
        known.runs.insert(key, runs.len() - 1);
        runs.len() - 1
    };
    let run = &mut runs[index];
    if run.metrics.contains_key(&fields::metric_of_column(name).name) {
        let problem = format!("expected one value of {name} for this run, found a second one");
        let remedy = "give every run a name of its own in the run column";
        return Err(table.at(row.number, problem, remedy));
    }
    if text.is_empty() {
        return Ok(());
    }
    put(table, row, run, name, text, resolution)
}

/// A run with what the row says of it beside its metrics.
fn start(table: &Table, columns: &Columns, row: &Row) -> Result<Run, Error> {
    let path = table.path.to_owned();
    let mut run = Run {
        source: Source { path, position: row.number, counts: table.counts },
        variant: columns.variant.map(|index| row.cells[index].clone()).unwrap_or_default(),
        name: columns.run.map(|index| row.cells[index].clone()),
        pair: columns.pair.map(|index| row.cells[index].clone()).filter(|pair| !pair.is_empty()),
        place: columns
            .order
            .map(|index| row.cells[index].clone())
            .filter(|place| !place.is_empty()),
        ..Run::default()
    };
    if let Some(index) = columns.variant.filter(|_| run.variant.is_empty()) {
        let problem = format!("expected a variant in \"{}\", found nothing", table.headers[index]);
        return Err(table.at(row.number, problem, "fill in the cell"));
    }
    for &index in &columns.rest {
        let (name, text) = (&table.headers[index], &row.cells[index]);
        if text.is_empty() || OF_VALUE.contains(&name.as_str()) {
            continue;
        }
        match fields::fact_of_column(name) {
            Some(fact) => {
                if !fields::set(&mut run, fact, name, text) {
                    let found = short(text);
                    let problem = format!("expected a count in \"{name}\", found \"{found}\"");
                    return Err(table.at(row.number, problem, "correct the cell"));
                }
            }
            None => {
                run.metadata.insert(name.clone(), text.clone());
            }
        }
    }
    Ok(run)
}

/// Notes one value; a fact such as the number of failed requests may stand among the metrics.
fn put(
    table: &Table,
    row: &Row,
    run: &mut Run,
    name: &str,
    text: &str,
    resolution: Option<f64>,
) -> Result<(), Error> {
    let wrong = |what: &str| {
        let problem = format!("expected {what} for \"{name}\", found \"{}\"", short(text));
        let remedy = "correct the cell, or empty it where nothing was measured; a column that is no \
                      metric is left out by naming the metrics with --metric";
        table.at(row.number, problem, remedy)
    };
    if let Some(fact) = fields::fact_of_column(name).filter(|_| name != "concurrency") {
        return if fields::set(run, fact, name, text) { Ok(()) } else { Err(wrong("a count")) };
    }
    let Some(Number { value, resolution: printed }) = fields::number(text) else {
        return Err(wrong("a number"));
    };
    if !value.is_finite() {
        return Err(wrong("a finite number"));
    }
    let resolution = resolution.unwrap_or(printed);
    run.metrics.insert(fields::metric_of_column(name).name, Value { value, resolution });
    Ok(())
}
