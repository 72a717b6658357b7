//! Sentences about the correction for the number of tests.

use crate::format;
use crate::report::comparison::row_text::level;
use crate::report::{Among, Comparison, Report, Row};
use crate::verdict::Verdict;

/// Whether a row is within noise for the number of tests alone.
fn only_adjusted(row: &Row) -> bool {
    let alone = row.delta.relative_ci.is_some_and(|[low, high]| low > 0.0 || high < 0.0);
    row.verdict == Verdict::WithinNoise && alone
}

/// A sentence that names these deciding metrics.
pub(crate) fn why_within_noise(comparison: &Comparison) -> Option<String> {
    let rows: Vec<&Row> = comparison.deciding().filter(|row| only_adjusted(row)).collect();
    let first = rows.first()?;
    let labels: Vec<&str> = rows.iter().map(|row| row.label.as_str()).collect();
    let p = |value: Option<f64>| value.map_or("n/a".to_owned(), format::p_cell);
    let tests = match comparison.among {
        Among::Alone => format!("{} metrics", first.corrected_for),
        Among::Comparisons(n) => format!("{n} comparisons"),
        Among::Loads(n) => format!("all metrics of {n} loads"),
    };
    Some(format!(
        "{}: beyond noise by itself, but not after correcting for {tests}, each with a chance of a false alarm: p is {} \
         instead of {}. The {} above is corrected too.",
        labels.join(", "),
        p(first.p_adjusted),
        p(first.p_value),
        level(comparison)
    ))
}

/// `corrected for 3 metrics`; empty where the interval of the row is not.
pub(crate) fn corrected(comparison: &Comparison, row: &Row) -> String {
    match (row.delta.adjusted_confidence > comparison.confidence, comparison.among) {
        (false, _) => String::new(),
        (true, Among::Alone) => format!("corrected for {} metrics", row.corrected_for),
        (true, Among::Comparisons(n)) => format!("corrected over {n} comparisons"),
        (true, Among::Loads(n)) => format!("corrected over {n} loads"),
    }
}

/// The correction of the deciding metrics' intervals: `, corrected for 3 metrics`; empty without one.
pub(crate) fn correction(report: &Report) -> String {
    let rows = report.comparisons.iter().flat_map(|one| one.deciding().map(move |row| (one, row)));
    let texts = rows.map(|(one, row)| corrected(one, row)).filter(|text| !text.is_empty());
    let whose = if report.comparisons.iter().any(|one| one.among != Among::Alone) {
        "those of called changes "
    } else {
        ""
    };
    texts.max_by_key(String::len).map_or(String::new(), |text| format!(", {whose}{text}"))
}

/// The list over which all changes of a call were corrected, in a sentence; empty for a single comparison.
pub(crate) fn one_list(report: &Report) -> String {
    let list = report.comparisons.iter().find_map(|one| match one.among {
        Among::Comparisons(n) if report.batch.is_none() => Some(n),
        _ => None,
    });
    let list = list.map_or(String::new(), |n| {
        format!(" The {n} comparisons are corrected as one list (Benjamini-Hochberg).")
    });
    let sweep = match report.sweeps.len() {
        0 => "",
        1 => {
            " All loads and deciding metrics of the sweep are corrected together (Holm), so that what is said of them holds as a whole."
        }
        _ => {
            " All loads and deciding metrics of a sweep are corrected together (Holm), and the sweeps as families (Benjamini-Bogomolov)."
        }
    };
    format!("{list}{sweep}")
}
