//! Columns that each hold one metric of one variant: `before TTFT (ms)`, `after TTFT (ms)`, `ttft_ms_new`.

use std::collections::{BTreeMap, BTreeSet};

use crate::read::kit::figure::is_unit;
use crate::read::table::column_names::VARIANT;
use crate::read::table::layout::columns::{Kind, Values, is_called, is_metric};
use crate::read::table::records::Table;
use crate::runs::{LabelHint, label_hint};

/// The columns of values, if all that hold numbers are named after a variant and a metric, and every metric comes with
/// the same variants.
pub(crate) fn values(table: &Table, kinds: &[Kind]) -> Option<Vec<Values>> {
    // A table that names its variants in a column has none in its headers.
    if table.headers.iter().any(|header| is_called(header, VARIANT)) {
        return None;
    }
    let open = |at: &usize| matches!(kinds[*at], Kind::Side | Kind::Metric | Kind::Other);
    let columns: Vec<usize> = (0..kinds.len()).filter(open).collect();
    let mut splits: Vec<(usize, Vec<(String, String)>)> = Vec::new();
    for at in columns {
        let split = splits_of(&table.headers[at]);
        if split.is_empty() {
            return None;
        }
        splits.push((at, split));
    }
    // The words beside the same metrics, if one of them names a side.
    let words: BTreeSet<&str> =
        splits.iter().flat_map(|(_, split)| split).map(|(word, _)| &**word).collect();
    let mut chosen: Vec<Values> = Vec::new();
    let mut metrics: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (at, split) in &splits {
        let often = |word: &str| {
            splits.iter().filter(|(_, other)| other.iter().any(|(own, _)| own == word)).count()
        };
        let says = |word: &str| label_hint(word) != LabelHint::Neither;
        let (word, metric) = split.iter().max_by_key(|(word, _)| (says(word), often(word)))?;
        metrics.entry(metric.clone()).or_default().insert(word.clone());
        chosen.push(Values {
            at: *at,
            variant: word.clone(),
            run: String::new(),
            load: None,
            statistic: None,
            metric: Some(metric.clone()),
        });
    }
    let first = metrics.values().next()?;
    let alike = first.len() > 1 && metrics.values().all(|set| set == first);
    let is_side = |word: &&str| label_hint(word) != LabelHint::Neither;
    // Before a bare unit any word may be a metric: `kernel_ms`, `reference_ms`, `load_ms`.
    let several = metrics.iter().any(|(metric, sides)| is_unit(metric) && sides.len() > 2);
    let says = if several { words.iter().all(is_side) } else { words.iter().any(is_side) };
    let once = metrics.values().map(BTreeSet::len).sum::<usize>() == chosen.len();
    (alike && says && once).then_some(chosen)
}

/// Longest header that names a variant and a metric, in bytes.
const MAX_HEADER: usize = 200;

/// Every word of a header that leaves the name of a metric, with that name.
fn splits_of(header: &str) -> Vec<(String, String)> {
    if header.len() > MAX_HEADER {
        return Vec::new();
    }
    let separates = |c: char| c.is_whitespace() || "_-:/()[]|".contains(c);
    let mut splits = Vec::new();
    let mut start = 0;
    while start < header.len() {
        let rest = &header[start..];
        let skipped = rest.len() - rest.trim_start_matches(separates).len();
        let word = &rest[skipped..];
        let word = &word[..word.find(separates).unwrap_or(word.len())];
        if word.is_empty() {
            break;
        }
        let (from, to) = (start + skipped, start + skipped + word.len());
        let left = header[..from].trim_end_matches(separates);
        // A bracket around the word goes with it, one around a unit stays.
        let right = header[to..].trim_start_matches([' ', '_', '-', ':', '|', ')', ']']);
        let metric = format!("{left} {right}").trim().to_owned();
        // The letters of "t/s" are no words.
        let of_unit = header[..from].ends_with('/') || header[to..].starts_with('/');
        if !metric.is_empty() && !of_unit && is_metric(&metric) {
            splits.push((word.to_owned(), metric));
        }
        start = to;
    }
    splits
}
