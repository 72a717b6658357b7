//! The tidy table: a row per run and metric, with all that is known of the run.
//!
//! Its columns are a stable interface; reading it back gives the same runs, short of request detail and
//! claims.

use crate::error::Error;
use crate::metrics::Metric;
use crate::runs::{Dataset, Run, Setting, Value, Variant, Workload};

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

/// Longest first line that is looked at.
const LONGEST: usize = 1 << 14;

/// The form of the tidy table that a file is, as its first line shows: no word in its cells makes it anything else.
pub(super) fn form_of(bytes: &[u8]) -> Option<Tidy> {
    let near = &bytes[..bytes.len().min(LONGEST)];
    let end = memchr::memchr(b'\n', near)?;
    let line = std::str::from_utf8(&near[..end]).ok()?;
    if line.split(',').take(FIRST.len()).eq(FIRST) {
        return Some(Tidy::Csv);
    }
    let has = |name: &&str| line.contains(&format!("\"{name}\":"));
    (line.starts_with('{') && FIRST.iter().all(has)).then_some(Tidy::NdJson)
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
enum Cell {
    Text(Option<String>),
    Number(Option<f64>),
}

/// All runs of `dataset` as one table.
///
/// # Errors
///
/// [`Error::Usage`] if the table cannot be written in this form.
pub fn tidy(dataset: &Dataset, form: Tidy) -> Result<Vec<u8>, Error> {
    let rows: Vec<Vec<(String, Cell)>> = rows(dataset);
    let mut names: Vec<String> = Vec::new();
    for (name, _) in rows.iter().flatten() {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    match form {
        Tidy::Csv => Ok(csv(&names, &rows)),
        Tidy::NdJson => Ok(ndjson(&rows)),
        #[cfg(feature = "tables")]
        Tidy::Parquet => parquet(&names, &rows),
    }
}

fn rows(dataset: &Dataset) -> Vec<Vec<(String, Cell)>> {
    let mut rows = Vec::new();
    for group in &dataset.groups {
        for variant in &group.variants {
            for (index, run) in variant.runs.iter().enumerate() {
                for (name, value) in &run.metrics {
                    rows.push(row(&group.workload, variant, index, run, name, *value));
                }
            }
        }
    }
    rows
}

fn row(
    workload: &Workload,
    variant: &Variant,
    index: usize,
    run: &Run,
    name: &str,
    value: Value,
) -> Vec<(String, Cell)> {
    let text = |text: &Option<String>| Cell::Text(text.clone());
    let count = |count: Option<u64>| Cell::Number(count.map(|count| count as f64));
    let limit = |setting: Setting| {
        Cell::Text(match setting {
            Setting::Value(value) => Some(value.to_string()),
            Setting::Unlimited => Some("unlimited".to_owned()),
            Setting::Unknown => None,
        })
    };
    let number = |value: f64| Cell::Number(Some(value));
    let run_name = (index + 1).to_string();
    let mut row: Vec<(&str, Cell)> = vec![
        ("variant", Cell::Text(Some(variant.name.clone()))),
        ("run", Cell::Text(Some(run_name))),
        ("pair", text(&run.facts.pair)),
        ("metric", Cell::Text(Some(name.to_owned()))),
        ("value", number(value.value)),
        ("resolution", number(value.resolution)),
        ("unit", Cell::Text(Some(Metric::named(name).unit.symbol().to_owned()))),
        ("started", text(&run.facts.started)),
        ("requests", count(run.workload.requests)),
        ("completed", count(run.facts.completed)),
        ("failed", count(run.facts.failed)),
        ("max_concurrency", limit(workload.max_concurrency)),
        ("request_rate", limit(workload.request_rate)),
        ("input_tokens", count(run.workload.input_tokens)),
        ("output_tokens", count(run.facts.output_tokens)),
        ("model", text(&workload.model)),
        ("dataset", text(&workload.dataset)),
        ("client", text(&workload.client)),
        ("workload", text(&workload.label)),
        ("build", text(&run.metadata.get("build").cloned())),
        ("source", Cell::Text(Some(run.source.to_string()))),
    ];
    row.extend(workload.other.iter().map(|(k, v)| (k.as_str(), Cell::Text(Some(v.clone())))));
    row.into_iter().map(|(name, cell)| (name.to_owned(), cell)).collect()
}

impl Cell {
    fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone().unwrap_or_default(),
            Self::Number(number) => number.map_or(String::new(), |number| number.to_string()),
        }
    }
}

fn find<'a>(row: &'a [(String, Cell)], name: &str) -> Option<&'a Cell> {
    row.iter().find(|(known, _)| known == name).map(|(_, cell)| cell)
}

fn csv(names: &[String], rows: &[Vec<(String, Cell)>]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(names).expect("writing to memory cannot fail");
    for row in rows {
        let cells = names.iter().map(|name| find(row, name).map_or(String::new(), Cell::shown));
        writer.write_record(cells).expect("writing to memory cannot fail");
    }
    writer.into_inner().expect("writing to memory cannot fail")
}

fn ndjson(rows: &[Vec<(String, Cell)>]) -> Vec<u8> {
    let mut out = Vec::new();
    for row in rows {
        let object: serde_json::Map<String, serde_json::Value> = row
            .iter()
            .map(|(name, cell)| {
                let value = match cell {
                    Cell::Text(text) => text.clone().into(),
                    Cell::Number(number) => (*number).into(),
                };
                (name.clone(), value)
            })
            .collect();
        out.extend(serde_json::Value::Object(object).to_string().into_bytes());
        out.push(b'\n');
    }
    out
}

#[cfg(feature = "tables")]
fn parquet(names: &[String], rows: &[Vec<(String, Cell)>]) -> Result<Vec<u8>, Error> {
    use crate::read::parquet::{Cells, write_parquet};
    let columns = names
        .iter()
        .map(|name| {
            let numeric =
                rows.iter().filter_map(|row| find(row, name)).all(|c| matches!(c, Cell::Number(_)));
            let cells = rows.iter().map(|row| find(row, name));
            let column = if numeric {
                Cells::Number(
                    cells.map(|c| if let Some(Cell::Number(n)) = c { *n } else { None }).collect(),
                )
            } else {
                Cells::Text(
                    cells
                        .map(|c| if let Some(Cell::Text(t)) = c { t.clone() } else { None })
                        .collect(),
                )
            };
            (name.as_str(), column)
        })
        .collect();
    write_parquet(columns)
}
