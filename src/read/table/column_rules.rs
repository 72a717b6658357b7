//! Rules between columns of a table: one of two limits, no metric twice, all in percent or none.

use std::collections::BTreeMap;

use crate::kit::fields::{self, RunField};
use crate::kit::short;
use crate::table::records::{Line, Table};
use beyondnoise_model::error::Error;
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::runs::Skipped;

/// The field of the run in a column.
pub(crate) fn field_of(table: &Table, index: usize) -> Option<RunField> {
    let name = |column: usize| &table.headers[column];
    fields::field_of_column(name(index)).filter(|&field| {
        // Of two limits the one with the plainer name is set; another beside it was reached.
        let rank = |column: usize| fields::rank_of_limit(field, name(column));
        let differs = |line: Line, other| line.cells[index] != line.cells[other];
        !(0..table.headers.len())
            .filter(|&other| rank(other) < rank(index))
            .any(|other| table.rows.iter().any(|line| differs(line, other)))
    })
}

/// Whether a column has a time of the registry in another unit than its own, beside another column of the same: then it
/// is a metric of its own.
pub(crate) fn is_apart(wide: &[(usize, String)], name: &str) -> bool {
    let (metric, unit) = Metric::of_column(name);
    let same = |(_, other): &(usize, String)| {
        other != name && fields::metric_of_column(other).name == metric.name
    };
    unit != metric.unit && wide.iter().any(same)
}

/// Checks that no two columns are of one metric.
pub(crate) fn every_metric_once(table: &Table, wide: &[(usize, String)]) -> Result<(), Error> {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for (_, name) in wide.iter().filter(|(_, name)| !is_apart(wide, name)) {
        if let Some(other) = seen.insert(fields::metric_of_column(name).name, name) {
            let problem =
                format!("expected every metric once, found it as \"{other}\" and as \"{name}\"");
            return Err(table.header(problem, "rename or remove one of them"));
        }
    }
    Ok(())
}

/// Checks for each metric, in its own column or after its name, that all values are in percent or none.
pub(crate) fn all_or_none_in_percent(
    table: &Table,
    metrics: impl Iterator<Item = (Option<usize>, usize)>,
) -> Result<(), Error> {
    for (name, value) in metrics {
        let mut first: BTreeMap<&str, bool> = BTreeMap::new();
        for Line { number, cells } in table.rows.iter() {
            let cell = cells.get(value);
            if fields::number(cell).is_none() {
                continue;
            }
            let metric = name.map_or(&*table.headers[value], |name| cells.get(name));
            let percent = cell.ends_with('%');
            if *first.entry(metric).or_insert(percent) != percent {
                let problem = format!(
                    "expected all values of \"{}\" in percent or none, found \"{}\"",
                    short(metric),
                    short(cell)
                );
                return Err(table.at(number, problem, "fix the cells: 86.1% is not 0.861"));
            }
        }
    }
    Ok(())
}

/// Non-metric columns that may be meant as metrics: a quarter of their cells are numbers, or would be without blanks.
pub(crate) fn hardly_metrics(
    table: &Table,
    columns: impl Iterator<Item = usize>,
) -> impl Iterator<Item = Skipped> {
    // 1 100, 1'100 and 1_100.
    let apart = |c: char| c.is_whitespace() || matches!(c, '\'' | '\u{2019}' | '_');
    // Most columns are words.
    let digits = |cell: &str| cell.starts_with(|c: char| "0123456789+-.\u{2212}".contains(c));
    let number = |cell: &str| fields::number(cell).is_some();
    columns.filter_map(move |column| {
        let (mut numbers, mut nearly, mut other, mut all) = (0, 0, None, 0);
        for cell in table.filled(column) {
            all += 1;
            if (digits(cell) || cell.eq_ignore_ascii_case("inf")) && number(cell) {
                numbers += 1;
                continue;
            }
            let nearly_one = digits(cell) && cell.contains(apart);
            nearly += usize::from(nearly_one && number(&cell.replace(apart, "")));
            other = other.or(Some(cell));
        }
        let meant = 2 * numbers <= all && 4 * (numbers + nearly) >= all;
        let other = other.filter(|_| meant)?;
        let name = &table.headers[column];
        let why = format!(
            "not read as a metric: half of its cells or more are not numbers, such as \"{}\"",
            short(other)
        );
        Some(Skipped { place: format!("column {}", short(name)), why })
    })
}

/// The first column of these names, in their order, that is free and has a cell.
pub(crate) fn find(table: &Table, names: &[&str], taken: &[usize]) -> Option<usize> {
    names.iter().find_map(|name| {
        let is_it = |at: &usize| table.headers[*at].to_lowercase() == *name;
        let free = (0..table.headers.len()).filter(|at| !taken.contains(at));
        free.filter(is_it).find(|&at| table.filled(at).next().is_some())
    })
}

/// [`find`] for the first column in which rows differ, or else for the first. Only a column with the first name may lack
/// cells: that is a mistake, others are no variant then.
pub(crate) fn varying(table: &Table, names: &[&str], taken: &[usize]) -> Option<usize> {
    let differs = |&at: &usize| {
        let mut cells = table.filled(at);
        let first = cells.next();
        cells.any(|cell| Some(cell) != first)
    };
    let whole = |at: usize| table.filled(at).count() == table.rows.len();
    let mut taken = taken.to_vec();
    let mut found = None;
    while let Some(at) = find(table, names, &taken) {
        taken.push(at);
        if !whole(at) && table.headers[at].to_lowercase() != names[0] {
            continue;
        }
        if differs(&at) {
            return Some(at);
        }
        found = found.or(Some(at));
    }
    found
}

/// The first column, if it has no name and contains words: in tables that people write, the variants.
pub(crate) fn unnamed_labels(table: &Table) -> Option<usize> {
    let label = |cell: &str| !cell.is_empty() && fields::number(cell).is_none();
    let unnamed = table.headers.first().is_some_and(String::is_empty) && !table.rows.is_empty();
    (unnamed && table.rows.iter().all(|row| label(&row.cells[0]))).then_some(0)
}
