//! Rows that name several metrics or statistics, with as many values in each cell: `TTFT p50 / p99 (ms) | 120 / 300 | 110 / 280`.

use crate::kit::cell_value::is_nothing;
use crate::kit::figure::{figure, list};
use crate::table::layout::columns::{
    header_unit, is_change, is_metric, is_statistic, without_unit,
};
use crate::table::outcomes::is_failure;
use crate::table::records::{Row, Table};

/// Gives each metric of such a row a row of its own.
pub(crate) fn split_rows(table: &mut Table) -> bool {
    let names_of = |cells: &[String]| {
        let names = names_in(cells.first()?)?;
        let mut filled = cells[1..].iter().filter(|cell| !is_nothing(cell)).peekable();
        filled.peek()?;
        let split: Option<Vec<_>> =
            cells[1..].iter().map(|cell| parts(cell, names.len())).collect();
        Some((names, split?))
    };
    let found = |row: &Row| names_of(&row.cells);
    let rows = table.take_rows();
    let listed = |row: &Row| row.cells.first().is_some_and(|label| label.contains('/'));
    let any = rows.iter().any(|row| listed(row) && found(row).is_some());
    let mut out = Vec::new();
    for row in rows {
        let Some((names, split)) = any.then(|| found(&row)).flatten() else {
            out.push(row);
            continue;
        };
        for (nth, name) in names.into_iter().enumerate() {
            let cells = split.iter().map(|parts| parts[nth].clone());
            out.push(Row {
                number: row.number,
                cells: std::iter::once(name).chain(cells).collect(),
            });
        }
    }
    table.put_rows(out);
    if any {
        table.number_rows();
    }
    any
}

/// The values or changes of a cell, if they are so many, each with the unit behind the last.
fn parts(cell: &str, count: usize) -> Option<Vec<String>> {
    // A change alone belongs to none of them.
    if is_nothing(cell) || is_change(cell) && !cell.contains('/') {
        return Some(vec![String::new(); count]);
    }
    let changes: Vec<&str> = cell.split('/').map(str::trim).collect();
    if changes.len() == count && changes.iter().all(|change| is_change(change)) {
        return Some(changes.into_iter().map(str::to_owned).collect());
    }
    if let Some((numbers, unit, '/')) = list(cell, false) {
        let each = numbers.into_iter().map(|number| format!("{number} {unit}").trim().to_owned());
        return Some(each.collect::<Vec<_>>()).filter(|all| all.len() == count);
    }
    // Each with a unit of its own, `615ms / 1.8s`, or one of them missing, `110 / OOM`.
    let value = |text: &&str| {
        text.starts_with(|c: char| c.is_ascii_digit()) && figure(text, false).is_some()
    };
    let gap = |text: &&str| is_nothing(text) || is_failure(text);
    let all: Vec<&str> = cell.split('/').map(str::trim).collect();
    let whole = all.len() == count && all.iter().any(value);
    (whole && all.iter().all(|text| value(text) || gap(text))).then(|| {
        all.into_iter()
            .map(|text| if gap(&text) { String::new() } else { text.to_owned() })
            .collect()
    })
}

/// The names in a label: metrics with a stroke between them, or statistics between the words of one metric.
fn names_in(label: &str) -> Option<Vec<String>> {
    let label = label.trim().trim_matches(['*', '`']);
    let unit = header_unit(label).filter(|_| label.ends_with([')', ']']));
    let stem = if unit.is_some() { without_unit(label) } else { label };
    let with_unit = |name: &str| match &unit {
        Some(unit) => format!("{} ({unit})", name.trim()),
        None => name.trim().to_owned(),
    };
    let all: Vec<&str> = stem.split('/').map(str::trim).collect();
    if !(2..=4).contains(&all.len()) {
        return None;
    }
    let (first, last) = (all.first()?, all.last()?);
    let before = first.rsplit_once(' ').map_or("", |(before, _)| before);
    let behind = last.split_once(' ').map_or("", |(_, behind)| behind);
    let word = |at: usize, name: &'_ str| -> String {
        let name = if at == 0 { name[before.len()..].trim() } else { name };
        let name = if at + 1 == all.len() { &name[..name.len() - behind.len()] } else { name };
        name.trim().to_lowercase()
    };
    let words: Vec<String> = all.iter().enumerate().map(|(at, name)| word(at, name)).collect();
    let named = !(before.is_empty() && behind.is_empty() && unit.is_none());
    if named && words.iter().all(|word| is_statistic(word)) {
        let name = |word: &String| with_unit(&format!("{before} {word} {behind}"));
        return Some(words.iter().map(name).collect());
    }
    let metrics = all.iter().all(|name| is_metric(name));
    metrics.then(|| all.iter().map(|name| with_unit(name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_name_several_statistics_or_metrics() {
        let names = |label: &str| names_in(label).map(|names| names.join(", "));
        for (label, expected) in [
            ("TTFT p50 / p99 (ms)", Some("TTFT p50 (ms), TTFT p99 (ms)")),
            ("p50/p90/p99 latency", Some("p50 latency, p90 latency, p99 latency")),
            ("TTFT / TPOT (ms)", Some("TTFT (ms), TPOT (ms)")),
            ("tokens/s", None),
            ("throughput", None),
            ("total / reasoning", None),
            ("min/max", None),
        ] {
            assert_eq!(names(label).as_deref(), expected, "{label}");
        }
    }
}
