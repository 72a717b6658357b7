//! Any markdown table: a record per run, or a column per variant.
//!
//! Replicate: a row, or in a table `| metric | before | after |` a column; columns of one name are repeats.
//! Cells such as `532 ± 12` sum up runs and are no run. Tables count only in a file that the user names,
//! because a folder of results may hold notes with tables about anything.

use crate::error::Error;
use crate::metrics::Metric;
use crate::printable::cleaned;
use crate::read::cell;
use crate::read::fields;
use crate::read::runners::label_of;
use crate::read::table::records::{Row, Table};
use crate::read::table::rows_of;
use crate::read::{Content, Found, Options, Reader, contains, own, short};
use crate::runs::Skipped;
use crate::units::Unit;

pub(super) const READER: Reader = Reader {
    name: "markdown table",
    recognised_by: "a row of |---|---| under a header, in a file that is named",
    one_run: "a row, or a column per variant where the rows are metrics",
    metrics: &[],
    recognise: |content, named| {
        named && content.bytes().contains(&b'|') && !tables(&content.text()).is_empty()
    },
    read,
};

/// Headers of columns that compare others.
const COMPARING: &[&str] = &[
    "change",
    "delta",
    "δ",
    "diff",
    "difference",
    "ratio",
    "relative",
    "speedup",
    "speed-up",
    "improvement",
    "verdict",
    "unit",
    "units",
    "note",
    "notes",
    "better",
    "95 % ci",
    "变化",
    "提升",
];

/// Headers over the names of metrics.
const NAMES: &[&str] = &["metric", "metrics", "measure", "指标", ""];

/// Names of throughputs that people shorten.
const SHORT: &[(&str, &str)] = &[
    ("req/s", "request_throughput"),
    ("output tok/s", "output_throughput"),
    ("total tok/s", "total_token_throughput"),
];

/// A table of a text.
struct Grid<'a> {
    heading: Option<String>,
    headers: Vec<String>,
    /// Line and cells of each row.
    rows: Vec<(usize, Vec<&'a str>)>,
}

/// The cells of a line, in which a pipe after a backslash is text.
fn cells(line: &str) -> Option<Vec<&str>> {
    let line = line.trim().trim_start_matches('>').trim();
    let inner = line.strip_prefix('|')?;
    let (mut cells, mut start) = (Vec::new(), 0);
    for (at, _) in inner.match_indices('|') {
        if !inner[..at].ends_with('\\') {
            cells.push(inner[start..at].trim());
            start = at + 1;
        }
    }
    if start < inner.len() || cells.is_empty() {
        cells.push(inner[start..].trim());
    }
    Some(cells)
}

fn is_rule(cells: &[&str]) -> bool {
    !cells.is_empty()
        && cells.iter().all(|cell| cell.contains('-') && cell.chars().all(|c| "-: ".contains(c)))
}

fn tables(text: &str) -> Vec<Grid<'_>> {
    let mut found: Vec<Grid> = Vec::new();
    let (mut heading, mut above, mut open) = (None, None, false);
    for (index, line) in text.lines().enumerate() {
        let Some(cells) = cells(line) else {
            heading = label_of(line, index + 1).or(heading);
            (above, open) = (None, false);
            continue;
        };
        match (&above, found.last_mut().filter(|_| open)) {
            (_, Some(table)) => table.rows.push((index + 1, cells)),
            (Some(headers), None) if is_rule(&cells) => {
                let headers: &Vec<&str> = headers;
                let headers = headers.iter().map(|cell| plain(cell)).collect();
                found.push(Grid { heading: heading.clone(), headers, rows: Vec::new() });
                open = true;
            }
            _ => above = Some(cells),
        }
    }
    found.retain(|table| !table.rows.is_empty());
    found
}

/// A cell as it is seen, without marks of emphasis.
fn plain(cell: &str) -> String {
    let bare = cell.replace("\\|", "|").replace(['*', '`', '\u{fe0f}'], "");
    let bare = ["(higher is better)", "(lower is better)"]
        .iter()
        .fold(bare, |text, direction| text.replace(direction, ""));
    cleaned(&bare)
}

/// The metric that a header names, also without brackets around its unit, and the unit of its values.
fn metric(name: &str) -> (Metric, Unit) {
    let short = SHORT.iter().find(|(short, _)| name.eq_ignore_ascii_case(short));
    if let Some((_, name)) = short {
        return Metric::of_column(name);
    }
    let bare = name.strip_suffix(" ms").or_else(|| name.strip_suffix(" [ms]")).unwrap_or(name);
    [name.to_owned(), format!("{bare} (ms)"), name.replace(' ', "_").to_lowercase()]
        .iter()
        .map(|spelling| Metric::of_column(spelling))
        .find(|(metric, _)| metric.better.is_some())
        .unwrap_or_else(|| Metric::of_column(name))
}

/// Whether the user names a metric as it stands in the table, and it has no other name.
fn is_asked_for(name: &str, options: &Options) -> bool {
    options.metrics.iter().any(|wanted| wanted == name)
        && fields::metric_of_column(name).name == name
}

/// A number in the unit of the metric, as text; `None` where the cell sums up runs.
fn value(cell: &str, (metric, of_name): &(Metric, Unit)) -> Option<String> {
    if cell.contains('±') || cell.contains("+/-") {
        return None;
    }
    if fields::number(cell).is_some() {
        if *of_name == metric.unit {
            return Some(cell.to_owned());
        }
        let cell = format!("{cell} {of_name}");
        return Some(cell::normal(&cell, &metric.name, false).into_owned());
    }
    if ["-", "–", "—", "n/a", "na"].contains(&cell.to_lowercase().as_str()) {
        return Some(String::new());
    }
    let digits = |c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+' | '−'));
    let end = cell.find(digits).unwrap_or(cell.len());
    let (number, unit) = (&cell[..end], cell[end..].trim());
    if unit == metric.unit.symbol() && fields::number(number).is_some() {
        return Some(number.to_owned());
    }
    let seconds = |unit: &str| {
        Some(match unit {
            "s" => 1.0,
            "ms" => 1e-3,
            "us" | "µs" | "μs" => 1e-6,
            "ns" => 1e-9,
            _ => return None,
        })
    };
    let time = matches!(
        metric.unit,
        Unit::Second | Unit::Millisecond | Unit::Microsecond | Unit::Nanosecond
    );
    let factor = seconds(unit).zip(seconds(metric.unit.symbol())).filter(|_| time);
    match (factor, fields::number(number)) {
        (Some((from, to)), Some(number)) => Some((number.value * (from / to)).to_string()),
        _ => Some(cell.to_owned()),
    }
}

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let text = content.text();
    if contains(content.bytes(), b"<!-- beyondnoise -->") {
        return Ok(own::left_out());
    }
    let mut found = Found::default();
    let tables = tables(&text);
    let several = tables.len() > 1;
    let mut columns = 0;
    for Grid { heading, headers, rows } in tables {
        let transposed = is_transposed(&headers, &rows);
        let label = heading.filter(|_| several);
        let mut table = Table { path: content.path, ..Table::default() };
        if transposed {
            by_columns((&mut table, options), &headers, &rows, columns, &mut found.skipped)?;
            columns += headers.len();
            if table.rows.is_empty() {
                continue;
            }
        } else {
            by_rows((&mut table, options), headers, rows, &mut found.skipped)?;
        }
        let mut part = rows_of(&table, options)?;
        for run in &mut part.runs {
            if transposed {
                run.workload.label = label.clone().or(run.workload.label.take());
            } else if run.variant.is_empty() {
                run.variant = label.clone().unwrap_or_default();
            }
        }
        found.runs.extend(part.runs);
        found.skipped.extend(part.skipped);
    }
    Ok(found)
}

/// Whether the rows are metrics and the columns variants.
fn is_transposed(headers: &[String], rows: &[(usize, Vec<&str>)]) -> bool {
    let [first, rest @ ..] = headers else { return false };
    let known = |name: &str| metric(name).0.better.is_some();
    let named = NAMES.contains(&first.to_lowercase().as_str());
    let rows = rows.iter().filter_map(|(_, cells)| cells.first());
    let measured = rows.into_iter().any(|cell| known(&plain(cell)));
    let value = |name: &String| ["value", "val", "数值"].contains(&name.to_lowercase().as_str());
    (named || measured) && !rest.iter().any(|name| known(name) || value(name))
}

/// A row per value, in the long layout.
fn by_columns(
    (table, options): (&mut Table, &Options),
    headers: &[String],
    rows: &[(usize, Vec<&str>)],
    before: usize,
    skipped: &mut Vec<Skipped>,
) -> Result<(), Error> {
    for (line, cells) in rows {
        // A row may name those that follow.
        let names = cells.len() < headers.len() && cells[1..].iter().all(|cell| cell.is_empty());
        if cells.len() != headers.len() && !names {
            return Err(ragged(table.path, *line, headers.len(), cells.len()));
        }
    }
    table.headers = ["variant", "run", "metric", "value"].map(str::to_owned).to_vec();
    table.counts = "column";
    for (column, header) in headers.iter().enumerate().skip(1) {
        let number = |cell: &&str| {
            let cell = plain(cell);
            cell.starts_with(|c: char| c.is_ascii_digit() || c == '.') && !cell.contains('%')
        };
        let cells = || rows.iter().filter_map(|(_, cells)| cells.get(column));
        if header.is_empty() || COMPARING.contains(&header.to_lowercase().as_str()) {
            continue;
        }
        if !cells().any(number) {
            let digits =
                |cell: &&&str| cell.contains(|c: char| c.is_ascii_digit()) && !cell.contains('%');
            if let Some(cell) = cells().find(digits) {
                let why = format!("holds no number, but such as \"{}\": not read", short(cell));
                skipped.push(Skipped { place: format!("column {header}"), why });
            }
            continue;
        }
        let nth = headers[1..=column].iter().filter(|other| *other == header).count();
        let mut summed = 0;
        for (_, cells) in rows {
            let (Some(name), Some(cell)) = (cells.first(), cells.get(column)) else { continue };
            let metric = metric(&plain(name));
            let text = value(&plain(cell), &metric);
            let own = Some(plain(name)).filter(|name| is_asked_for(name, options));
            let metric = own.unwrap_or(metric.0.name);
            match text {
                Some(value) if !metric.is_empty() => table.rows.push(Row {
                    number: before + column + 1,
                    cells: vec![header.clone(), nth.to_string(), metric, value],
                }),
                Some(_) => {}
                None => summed += 1,
            }
        }
        if summed > 0 {
            let why = format!("{summed} values with ±: they sum up runs and are no run");
            skipped.push(Skipped { place: format!("column {header}"), why });
        }
    }
    Ok(())
}

fn ragged(path: &str, line: usize, expected: usize, found: usize) -> Error {
    let problem = format!("expected {expected} cells as in the header, found {found}");
    Error::at_line(path, line, problem, "correct the row")
}

/// A row per run, as it stands.
fn by_rows(
    (table, options): (&mut Table, &Options),
    headers: Vec<String>,
    rows: Vec<(usize, Vec<&str>)>,
    skipped: &mut Vec<Skipped>,
) -> Result<(), Error> {
    table.counts = "line";
    for (line, cells) in rows {
        if cells.len() != headers.len() {
            return Err(ragged(table.path, line, headers.len(), cells.len()));
        }
        let mut summed = false;
        let of_metric = |(header, cell): (&String, &&str)| {
            let value = value(&plain(cell), &metric(header));
            summed |= value.is_none();
            value.unwrap_or_default()
        };
        let cells = headers.iter().zip(&cells).map(of_metric).collect();
        if summed {
            let why = "values with ± sum up runs and are no run".to_owned();
            skipped.push(Skipped { place: format!("line {line}"), why });
        }
        table.rows.push(Row { number: line, cells });
    }
    table.headers = headers
        .into_iter()
        .map(|header| {
            let metric = metric(&header).0;
            let renamed = metric.better.is_some() && !is_asked_for(&header, options);
            if renamed { metric.name } else { header }
        })
        .collect();
    Ok(())
}
