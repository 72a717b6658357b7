//! Rows of a table into runs: the long layout (a column names the metric, one holds its value) and the
//! wide one (a row is a run, every numeric column that is not a setting is a metric).

use std::sync::Arc;

use crate::error::Error;
use crate::read::column_names::{METRIC, PAIR, RUN, UNIT, VALUE, VARIANT, is_of_value};
use crate::read::column_rules::{
    all_or_none_in_percent, every_metric_once, fact_of, hardly_metrics, is_apart,
};
use crate::read::fields::{self, Fact};
use crate::read::finish::finish;
use crate::read::long_rows::Known;
use crate::read::named::{Named, put};
use crate::read::records::{Line, Table};
use crate::read::request_names::is_of_request;
use crate::read::units::{Scale, Stated};
use crate::read::{Found, Options, short};
use crate::runs::{Metrics, Origin, Run, Shared, Skipped, Source};

/// Name that pandas gives the index of a data frame.
const UNNAMED: &str = "Unnamed: 0";

/// Which column is what.
pub(super) struct Columns {
    path: Arc<str>,
    variant: Option<usize>,
    pub(super) run: Option<usize>,
    pair: Option<usize>,
    /// Puts the variants in order; may be one of the others as well.
    order: Option<usize>,
    /// Position of metric and value in the long layout.
    long: Option<(usize, usize)>,
    /// Position and name of each metric in the wide layout.
    wide: Vec<(usize, Named)>,
    /// Columns that say something of the run.
    rest: Vec<(usize, Option<Fact>)>,
    /// Columns in which runs of one variant and name may differ.
    pub(super) identity: Vec<usize>,
    /// What the values are known to, in the long layout.
    pub(super) resolution: Option<usize>,
    /// The unit of the value; in the wide layout that of the only metric.
    pub(super) unit: Option<usize>,
    /// Where the row comes from, as `convert` writes it.
    origin: Option<usize>,
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
                // It may stand there in another unit.
                let metric = fields::metric_of_column(name).name;
                let same = |header: &String| fields::metric_of_column(header).name == metric;
                let known = headers.iter().position(|header| header == name);
                let at = known.or_else(|| headers.iter().position(same));
                let at = at.map_or_else(|| given(name), Ok)?;
                wide.push((at, headers[at].clone()));
            }
            for (index, name) in headers.iter().enumerate() {
                let guards = options.guards.contains(&fields::metric_of_column(name).name);
                if guards && !wide.iter().any(|(known, _)| *known == index) {
                    wide.push((index, name.clone()));
                }
            }
        } else if long.is_none() {
            for (index, name) in headers.iter().enumerate() {
                let setting = fact_of(table, index).is_some()
                    || is_of_value(name)
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
            every_metric_once(table, &wide)?;
        }
        if long.is_none() && wide.is_empty() {
            let problem = format!(
                "expected columns \"metric\" and \"value\", or a column of numbers per metric, found {}",
                table.listed()
            );
            return Err(table.header(problem, "name the columns with --metric"));
        }
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
        let named = |(index, name): &(usize, String)| {
            let mut named =
                if is_apart(&wide, name) { Named::apart(name) } else { Named::of(name) };
            named.fact = named.fact.filter(|_| fact_of(table, *index).is_some());
            (*index, named)
        };
        let wide: Vec<(usize, Named)> = wide.iter().map(named).collect();
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
            order,
            long,
            wide,
            rest,
            identity,
            resolution,
            unit,
            origin,
        })
    }

    /// About as many runs as the rows of a table are: in the long layout rows of the metric of the first.
    fn runs_in(&self, table: &Table) -> usize {
        let Some((metric, _)) = self.long else { return table.rows.len() };
        let mut names = table.rows.iter().map(|row| row.cells.get(metric));
        names.next().map_or(0, |first| 1 + names.filter(|name| *name == first).count())
    }
}

/// Adds a cell to a key; with its length, so that other cells give another key.
pub(super) fn add_to_key(key: &mut Vec<u8>, cell: &str) {
    key.extend(cell.len().to_le_bytes());
    key.extend(cell.as_bytes());
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
    stated: Stated,
    settings: Settings,
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
    pub(super) fn rows(&mut self, table: &Table) -> Result<(), Error> {
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
    pub(super) fn finish(self, table: &Table) -> Result<Found, Error> {
        let Self { mut found, stated, lenient, .. } = self;
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
            match finish(run) {
                Ok(notes) => {
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

/// A run with what the last row said of it beside variant and name: rows of equal settings share them.
#[derive(Default)]
pub(super) struct Settings {
    /// The cells that said it; empty before the first row.
    key: Vec<u8>,
    run: Run,
}

/// A run with what the row says of it beside its metrics.
pub(super) fn start(
    table: &Table,
    columns: &Columns,
    row: Line,
    settings: &mut Settings,
) -> Result<Run, Error> {
    let cell = |column: Option<usize>| column.map(|index| row.cells[index].to_owned());
    let variant = cell(columns.variant).unwrap_or_default();
    if let Some(index) = columns.variant.filter(|_| variant.is_empty()) {
        let problem = format!("expected a variant in \"{}\", found nothing", table.headers[index]);
        return Err(table.at(row.number, problem, "fill in the cell"));
    }
    let mut key = vec![0];
    let said = columns.rest.iter().map(|(index, _)| *index).chain(columns.order);
    said.for_each(|index| add_to_key(&mut key, &row.cells[index]));
    if settings.key != key {
        *settings = Settings { key, run: facts(table, columns, row)? };
    }
    let mut run = settings.run.clone();
    run.source.position = row.number;
    run.variant = variant;
    run.name = cell(columns.run);
    if let Some(pair) = cell(columns.pair).filter(|pair| !pair.is_empty()) {
        run.facts.pair = Some(pair);
    }
    Ok(run)
}

/// What the columns beside variant, run and metrics say.
fn facts(table: &Table, columns: &Columns, row: Line) -> Result<Run, Error> {
    let path = columns.path.clone();
    let source = Source { path, position: row.number, counts: table.counts };
    let mut run = Run { source, ..Run::default() };
    run.facts.of_table = true;
    let stated = columns.origin.map(|index| &row.cells[index]).filter(|text| !text.is_empty());
    run.origin = stated.map(|text| Box::new(Origin::Stated(text.into())));
    let place = columns.order.map(|index| row.cells[index].to_owned());
    run.facts.place = place.filter(|place| !place.is_empty());
    for &(index, fact) in &columns.rest {
        let (name, text) = (&table.headers[index], &row.cells[index]);
        if text.is_empty() || is_of_value(name) {
            continue;
        }
        if let Some(fact) = fact {
            if !fields::set(&mut run, fact, name, text) {
                let found = short(text);
                let problem = format!("expected a count in \"{name}\", found \"{found}\"");
                return Err(table.at(row.number, problem, "correct the cell"));
            }
        } else {
            run.metadata.insert(name.clone(), text.to_owned());
        }
    }
    Ok(run)
}
