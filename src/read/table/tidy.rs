//! The tidy table: a row per run and metric, with all that is known of the run.
//!
//! Its columns are a stable interface; reading it back gives the same runs, short of request detail and
//! claims.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::table::figure_columns::{COUNT, ERROR};
#[cfg(feature = "tables")]
use crate::table::parquet::{Cells, write_parquet};
use crate::table::reduce::QUANTILE_NAMES;
use beyondnoise_model::error::Error;
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::runs::{
    Dataset, Group, Requests, Run, Setting, Spread, Value, Variant, Workload,
};

/// Form of the tidy table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tidy {
    /// Comma-separated values with a header.
    Csv,
    /// A JSON object a line.
    NdJson,
    /// Parquet.
    #[cfg(feature = "tables")]
    Parquet,
}

impl Tidy {
    /// Endings of the files that can be written.
    pub const ENDINGS: &str =
        if cfg!(feature = "tables") { "csv, parquet or ndjson" } else { "csv or ndjson" };
}

/// Columns with which every tidy table begins.
const FIRST: [&str; 7] = ["variant", "run", "pair", "metric", "value", "resolution", "unit"];

/// Columns of numbers; all others hold texts.
#[cfg(feature = "tables")]
const NUMERIC: [&str; 11] = [
    "value",
    "resolution",
    "requests",
    "completed",
    "failed",
    "input_tokens",
    "output_tokens",
    SPREAD[0],
    SPREAD[1],
    COUNT,
    ERROR,
];

/// Longest first line that is looked at.
const MAX_FIRST_LINE_BYTES: usize = 1 << 14;

/// The form of the tidy table that a file is, as its first line shows: no word in its cells makes it anything else.
pub(crate) fn form_of(bytes: &[u8]) -> Option<Tidy> {
    let near = &bytes[..bytes.len().min(MAX_FIRST_LINE_BYTES)];
    let end = memchr::memchr(b'\n', near)?;
    let line = std::str::from_utf8(&near[..end]).ok()?;
    if line.split(',').map(|cell| cell.trim_matches('"')).take(FIRST.len()).eq(FIRST) {
        return Some(Tidy::Csv);
    }
    let has = |name: &&str| line.contains(&format!("\"{name}\":"));
    (line.starts_with('{') && FIRST.iter().all(has)).then_some(Tidy::NdJson)
}

#[derive(Clone, Debug, PartialEq)]
enum TidyCell<'a> {
    Text(Option<Cow<'a, str>>),
    Number(Option<f64>),
}

/// The cells of a row with the names of their columns.
type Row<'a> = Vec<(&'a str, TidyCell<'a>)>;

/// All runs of `dataset` as one table.
///
/// # Errors
///
/// [`Error::Usage`] if the table cannot be written in this form.
pub fn tidy(dataset: &Dataset, form: Tidy) -> Result<Vec<u8>, Error> {
    let rows = dataset.groups.iter().flat_map(rows_of);
    match form {
        Tidy::Csv => Ok(csv(&names(dataset), rows)),
        Tidy::NdJson => Ok(ndjson(rows)),
        #[cfg(feature = "tables")]
        Tidy::Parquet => write_parquet(tidy_columns(dataset)),
    }
}

/// The names of all columns, in their order.
fn names(dataset: &Dataset) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    let mut add = |name| {
        if !names.contains(&name) {
            names.push(name);
        }
    };
    // Beside spreads and figures of requests, the columns of a row depend on its workload alone.
    let first = dataset.groups.iter().filter_map(|group| rows_of(group).next());
    let parts = [&SPREAD[..], &[COUNT, ERROR]].concat();
    let of_value =
        |name: &str| parts.contains(&name) || QUANTILE_NAMES.iter().any(|known| known == name);
    first.flatten().map(|(name, _)| name).filter(|name| !of_value(name)).for_each(&mut add);
    if dataset.runs().any(|(.., run)| !run.info.spreads.is_empty()) {
        SPREAD.into_iter().for_each(&mut add);
    }
    if dataset.runs().any(|(.., run)| run.requests.is_some()) {
        [COUNT, ERROR].into_iter().for_each(&mut add);
        QUANTILE_NAMES.iter().map(String::as_str).for_each(&mut add);
    }
    names
}

fn rows_of(group: &Group) -> impl Iterator<Item = Row<'_>> {
    group.variants.iter().flat_map(move |variant| {
        // Runs keep their names where each has one of its own.
        let mut known = BTreeSet::new();
        let named = variant.runs.iter().all(|run| {
            run.name.as_deref().is_some_and(|name| !name.is_empty() && known.insert(name))
        });
        variant.runs.iter().enumerate().flat_map(move |(index, run)| {
            let name = run.name.as_deref().filter(|_| named);
            let name: Cow<str> = name.map_or_else(|| (index + 1).to_string().into(), Into::into);
            let metrics = run.metrics.iter();
            metrics.map(move |of| row(&group.workload, variant, name.clone(), run, of))
        })
    })
}

fn row<'a>(
    workload: &'a Workload,
    variant: &'a Variant,
    run_name: Cow<'a, str>,
    run: &'a Run,
    (name, value): (&'a str, &Value),
) -> Row<'a> {
    let text = |text: Option<&'a String>| TidyCell::Text(text.map(Into::into));
    let count = |count: Option<u64>| TidyCell::Number(count.map(|count| count as f64));
    let limit = |setting: &Setting| TidyCell::Text(setting.shown().map(Into::into));
    let number = |value: f64| TidyCell::Number(Some(value));
    let mut row: Row = vec![
        ("variant", text(Some(&variant.name))),
        ("run", TidyCell::Text(Some(run_name))),
        ("pair", text(run.info.pair.as_ref())),
        ("metric", TidyCell::Text(Some(name.into()))),
        ("value", number(value.value)),
        ("resolution", number(value.resolution)),
        ("unit", TidyCell::Text(Some(unit_of(run, name)))),
        ("started", text(run.info.started.as_ref())),
        ("requests", count(run.workload.requests)),
        ("completed", count(run.info.completed)),
        ("failed", count(run.info.failed)),
        ("max_concurrency", limit(&workload.max_concurrency)),
        ("request_rate", limit(&workload.request_rate)),
        ("input_tokens", count(run.workload.input_tokens)),
        ("output_tokens", count(run.info.output_tokens)),
        ("model", text(workload.model.as_ref())),
        ("dataset", text(workload.dataset.as_ref())),
        ("client", text(workload.client.as_ref())),
        ("workload", text(workload.label.as_ref())),
        ("build", text(run.metadata.get("build"))),
        ("source", TidyCell::Text(Some(run.source.to_string().into()))),
    ];
    let others = workload.other.iter();
    row.extend(others.map(|(name, value)| (name_of_setting(name), text(Some(value)))));
    let levels = run.info.levels.iter();
    row.extend(levels.map(|(name, value)| (name_of_setting(name), text(Some(value)))));
    if let Some(Spread { sd, runs }) = run.info.spreads.get(name) {
        row.extend([(SPREAD[0], number(*sd)), (SPREAD[1], number(*runs as f64))]);
    }
    if let Some(requests) = &run.requests {
        row.extend(of_requests(requests, name));
    }
    row
}

/// Figures of the requests behind one metric of a run.
fn of_requests<'a>(requests: &Requests, metric: &str) -> Row<'a> {
    let number = |value: f64| TidyCell::Number(Some(value));
    let error = requests.figures.get(metric).and_then(|figure| figure.standard_error);
    let mut row: Row = error.map(|error| (ERROR, number(error))).into_iter().collect();
    let stem = metric.strip_prefix("mean_").and_then(|rest| rest.strip_suffix("_ms"));
    let known = stem.and_then(|stem| requests.counts.get(stem).zip(requests.quantiles.get(stem)));
    if let Some((count, quantiles)) = known {
        row.push((COUNT, number(*count as f64)));
        let named = QUANTILE_NAMES.iter().map(String::as_str).zip(quantiles);
        row.extend(named.map(|(name, quantile)| (name, number(*quantile))));
    }
    row
}

/// Columns of averages: their standard deviation, and the runs behind them.
const SPREAD: [&str; 2] = ["sd", "n_runs"];

/// The column of a setting of the user's own, which may be called like one of the columns above.
fn name_of_setting(name: &str) -> &str {
    let taken = [
        ("variant", "setting variant"),
        ("run", "setting run"),
        ("pair", "setting pair"),
        ("metric", "setting metric"),
        ("value", "setting value"),
        ("resolution", "setting resolution"),
        ("unit", "setting unit"),
        ("started", "setting started"),
        ("completed", "setting completed"),
        ("failed", "setting failed"),
        ("output_tokens", "setting output_tokens"),
        ("build", "setting build"),
        ("source", "setting source"),
    ];
    taken.into_iter().find(|(known, _)| *known == name).map_or(name, |(_, other)| other)
}

fn unit_of<'a>(run: &'a Run, metric: &str) -> Cow<'a, str> {
    run.units.get(metric).map_or(Metric::named(metric).unit.symbol().into(), Into::into)
}

impl<'a> TidyCell<'a> {
    fn shown(self) -> Cow<'a, str> {
        match self {
            Self::Text(text) => text.unwrap_or_default(),
            Self::Number(number) => {
                number.map_or(Cow::default(), |number| number.to_string().into())
            }
        }
    }
}

/// The cell of each column of `names`; rows of one workload share this order.
fn in_columns<'a>(row: Row<'a>, names: &[&str]) -> Vec<Option<TidyCell<'a>>> {
    let mut row: Vec<(&str, Option<TidyCell>)> =
        row.into_iter().map(|(name, cell)| (name, Some(cell))).collect();
    let cell = |(at, name): (usize, &&str)| {
        let here = row.get(at).is_some_and(|(known, _)| known == name);
        let at = if here { Some(at) } else { row.iter().position(|(known, _)| known == name) };
        at.and_then(|at| row[at].1.take())
    };
    names.iter().enumerate().map(cell).collect()
}

fn csv<'a>(names: &[&str], rows: impl Iterator<Item = Row<'a>>) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(names).expect("writing to memory cannot fail");
    for row in rows {
        let cells = in_columns(row, names).into_iter();
        let cells = cells.map(|cell| cell.map_or(Cow::default(), TidyCell::shown).into_owned());
        writer.write_record(cells).expect("writing to memory cannot fail");
    }
    writer.into_inner().expect("writing to memory cannot fail")
}

fn ndjson<'a>(rows: impl Iterator<Item = Row<'a>>) -> Vec<u8> {
    let mut out = Vec::new();
    for row in rows {
        let object: serde_json::Map<String, serde_json::Value> = row
            .into_iter()
            .map(|(name, cell)| {
                let value = match cell {
                    TidyCell::Text(text) => text.map(Cow::into_owned).into(),
                    TidyCell::Number(number) => number.into(),
                };
                (name.to_owned(), value)
            })
            .collect();
        out.extend(serde_json::Value::Object(object).to_string().into_bytes());
        out.push(b'\n');
    }
    out
}

/// The same table by columns.
#[cfg(feature = "tables")]
pub fn tidy_columns(dataset: &Dataset) -> Vec<(String, Cells)> {
    let names = names(dataset);
    let empty = |name: &&str| {
        let of_requests = QUANTILE_NAMES.iter().any(|known| known == name);
        if NUMERIC.contains(name) || of_requests {
            Cells::Number(Vec::new())
        } else {
            Cells::Text(Vec::new())
        }
    };
    let mut columns: Vec<Cells> = names.iter().map(empty).collect();
    for row in dataset.groups.iter().flat_map(rows_of) {
        for (column, cell) in columns.iter_mut().zip(in_columns(row, &names)) {
            match (column, cell) {
                (Cells::Number(column), Some(TidyCell::Number(number))) => column.push(number),
                (Cells::Number(column), _) => column.push(None),
                (Cells::Text(column), Some(TidyCell::Text(text))) => {
                    column.push(text.map(Cow::into_owned));
                }
                (Cells::Text(column), _) => column.push(None),
            }
        }
    }
    names.into_iter().map(str::to_owned).zip(columns).collect()
}
