//! The report as a table: one line per comparison and metric.

use crate::report::comparison::words::json_word as word;
use crate::report::{Comparison, Report, Row};

/// A column: its name, and how its cell is made.
type Of<T, C> = (&'static str, fn(&T) -> C);

/// The columns of a comparison.
const OF_COMPARISON: [Of<Comparison, String>; 5] = [
    ("workload", |comparison| comparison.workload.describe()),
    ("baseline", |comparison| comparison.baseline.name.clone()),
    ("candidate", |comparison| comparison.candidate.name.clone()),
    ("headline", |comparison| word(&comparison.headline)),
    ("gate", |comparison| word(&comparison.gate)),
];

/// The columns of a metric.
const OF_ROW: [Of<Row, Cell>; 34] = [
    ("metric", |row| text(&row.metric)),
    ("unit", |row| text(row.unit)),
    ("better", |row| text(row.better.map_or("", |better| better.word()))),
    ("deciding", |row| Cell::Text(row.deciding.to_string())),
    ("baseline_runs", |row| count(row.baseline.n)),
    ("candidate_runs", |row| count(row.candidate.n)),
    ("baseline_estimate", |row| Cell::Number(Some(row.baseline.estimate))),
    ("candidate_estimate", |row| Cell::Number(Some(row.candidate.estimate))),
    ("relative", |row| Cell::Number(row.delta.relative)),
    ("relative_low", |row| end(row.delta.relative_ci, 0)),
    ("relative_high", |row| end(row.delta.relative_ci, 1)),
    ("relative_low_adjusted", |row| end(row.delta.relative_ci_adjusted, 0)),
    ("relative_high_adjusted", |row| end(row.delta.relative_ci_adjusted, 1)),
    ("absolute", |row| Cell::Number(Some(row.delta.absolute))),
    ("absolute_low", |row| end(row.delta.absolute_ci, 0)),
    ("absolute_high", |row| end(row.delta.absolute_ci, 1)),
    ("absolute_low_adjusted", |row| end(row.delta.absolute_ci_adjusted, 0)),
    ("absolute_high_adjusted", |row| end(row.delta.absolute_ci_adjusted, 1)),
    ("p_value", |row| Cell::Number(row.p_value)),
    ("p_adjusted", |row| Cell::Number(row.p_adjusted)),
    ("corrected_for", |row| count(row.corrected_for)),
    ("probability_better", |row| Cell::Number(row.probability_better)),
    ("cv", |row| Cell::Number(row.noise.cv)),
    ("noise_source", |row| text(row.noise.source.as_str())),
    ("break_even_cv", |row| Cell::Number(row.noise.break_even_cv)),
    ("verdict", |row| Cell::Text(word(&row.verdict))),
    (REASON, |row| text(&row.reason)),
    ("runs_to_settle", |row| Cell::Number(row.runs_to_settle.map(|runs| runs as f64))),
    ("relative_low_equivalence", |row| end(row.delta.relative_ci_equivalence, 0)),
    ("relative_high_equivalence", |row| end(row.delta.relative_ci_equivalence, 1)),
    ("equivalence_confidence", |row| Cell::Number(Some(row.delta.equivalence_confidence))),
    ("control", |row| {
        let used = row.control.as_ref().filter(|control| control.used);
        text(used.map_or("", |control| &control.name))
    }),
    ("atlas_p", |row| Cell::Number(row.published.map(|published| published.p))),
    ("atlas_grade", |row| text(row.published.map_or("", |published| published.grade.as_str()))),
];

/// The columns of a comparison at the end: runs that failed.
const OF_FAILURES: [Of<Comparison, Cell>; 2] = [
    ("baseline_failed", |comparison| count(comparison.baseline.failed)),
    ("candidate_failed", |comparison| count(comparison.candidate.failed)),
];

const REASON: &str = "reason";

enum Cell {
    Text(String),
    Number(Option<f64>),
}

/// A column of the table, with a value per row.
#[derive(Clone, Debug, PartialEq)]
pub enum ResultColumn {
    /// Text; `None` where it says nothing.
    Text(Vec<Option<String>>),
    /// Numbers; `None` where it is not defined.
    Number(Vec<Option<f64>>),
}

/// The report as CSV with a header; an undefined number is an empty cell.
///
/// A batch has the columns that name its cells before all others.
///
/// A spreadsheet takes a text such as `=cmd|'/C calc'!A1` for a formula and may run it. A text that begins like
/// a formula and could call, link or start something therefore has an apostrophe before it, which spreadsheets
/// take as the mark of text. Others, such as the flag `--enable-x`, stay as they are, and so does all text of
/// [`json()`](crate::render::json()).
///
/// # Panics
///
/// Never: writing to memory cannot fail.
pub fn csv(report: &Report) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let header = header(report).into_iter().map(no_formula);
    writer.write_record(header).expect("writing to memory cannot fail");
    for record in records(report) {
        let cells = record.into_iter().map(|cell| match cell {
            Cell::Text(text) => no_formula(text),
            Cell::Number(number) => number.map_or(String::new(), |number| number.to_string()),
        });
        writer.write_record(cells).expect("writing to memory cannot fail");
    }
    let bytes = writer.into_inner().expect("writing to memory cannot fail");
    String::from_utf8(bytes).expect("every cell is text")
}

/// The text, with an apostrophe before it where a spreadsheet would take it for a formula that does something.
///
/// A formula begins with one of these signs, blanks before it do not count. One that does more than to compute from
/// cells has a bracket, a pipe or an exclamation mark; one that computes begins with an equals sign, or with a cell
/// such as `A1` after the sign. See <https://owasp.org/www-community/attacks/CSV_Injection>.
fn no_formula(text: String) -> String {
    let begins = text.trim_start().strip_prefix(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let runs = begins.is_some_and(|rest| {
        let equals = text.trim_start().starts_with(['=', '＝']) && !rest.trim().is_empty();
        equals || is_cell(rest) || text.contains(['(', '|', '!', '[', '{'])
    });
    if runs { format!("'{text}") } else { text }
}

/// Whether a text begins with the place of a cell: one to three letters and a number, `A1`, `$B$2`.
fn is_cell(text: &str) -> bool {
    let column = text.trim_start().trim_start_matches('$');
    let row = column.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = column.len() - row.len();
    (1..=3).contains(&letters)
        && row.trim_start_matches('$').starts_with(|c: char| c.is_ascii_digit())
}

/// The same table by columns, for forms that know numbers from text.
pub fn columns(report: &Report) -> Vec<(String, ResultColumn)> {
    let header = header(report);
    let records: Vec<Vec<Cell>> = records(report).collect();
    let text = |cell: &Cell| match cell {
        Cell::Text(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Cell::Number(_) => None,
    };
    let number = |cell: &Cell| match cell {
        Cell::Number(number) => *number,
        Cell::Text(_) => None,
    };
    let column = |index: usize| {
        // A row without a value has an empty text, in columns of numbers too.
        let numeric = records.iter().any(|record| matches!(record[index], Cell::Number(_)));
        if numeric {
            ResultColumn::Number(records.iter().map(|record| number(&record[index])).collect())
        } else {
            ResultColumn::Text(records.iter().map(|record| text(&record[index])).collect())
        }
    };
    header.into_iter().enumerate().map(|(index, name)| (name, column(index))).collect()
}

fn header(report: &Report) -> Vec<String> {
    let by = report.batch.iter().flat_map(|batch| &batch.by);
    let own = OF_COMPARISON.map(|(name, _)| name).into_iter().chain(OF_ROW.map(|(name, _)| name));
    let own = own.chain(OF_FAILURES.map(|(name, _)| name));
    // A column of the cells that is called like one of ours keeps its name; ours follows it.
    by.cloned().chain(own.map(str::to_owned)).collect()
}

fn records(report: &Report) -> impl Iterator<Item = Vec<Cell>> + '_ {
    report.comparisons.iter().flat_map(|comparison| {
        let by = report.batch.iter().flat_map(|batch| &batch.by);
        let value = |name: &String| comparison.cell.get(name).cloned().unwrap_or_default();
        let own = OF_COMPARISON.iter().map(|(_, cell)| cell(comparison));
        let cells: Vec<String> = by.map(value).chain(own).collect();
        let record = |rest: [Cell; OF_ROW.len()]| -> Vec<Cell> {
            let failures = OF_FAILURES.iter().map(|(_, cell)| cell(comparison));
            cells.iter().cloned().map(Cell::Text).chain(rest).chain(failures).collect()
        };
        if comparison.metrics.is_empty() {
            // A refused comparison has a line too, with the reason in the place of a metric's.
            let why = |name| if name == REASON { comparison.summary.as_str() } else { "" };
            return vec![record(OF_ROW.map(|(name, _)| text(why(name))))];
        }
        let rows = comparison.metrics.iter();
        rows.map(|row| record(OF_ROW.map(|(_, cell)| cell(row)))).collect()
    })
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

fn count(count: usize) -> Cell {
    Cell::Number(Some(count as f64))
}

fn end(ends: Option<[f64; 2]>, side: usize) -> Cell {
    Cell::Number(ends.map(|ends| ends[side]))
}

#[cfg(test)]
mod tests {
    use super::no_formula;

    #[test]
    fn only_what_a_spreadsheet_would_run_has_an_apostrophe() {
        let runs = [
            "=cmd|'/C calc'!A1",
            "@SUM(1)",
            "+1+cmd|x",
            "-2+3+cmd|' /C calc'!A0",
            " =HYPERLINK(\"x\")",
            "=A1",
            "-A1",
            "+$B$2*3",
            "=1+1",
        ];
        for text in runs {
            assert_eq!(no_formula(text.to_owned()), format!("'{text}"));
        }
        for text in ["--enable-x", "+spec", "-5 %", "@main", "=", "a (n=3) | b", "x=cmd|1"] {
            assert_eq!(no_formula(text.to_owned()), text);
        }
    }
}
