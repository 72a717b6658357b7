//! The sentence about the result of a comparison without some of its runs.

use crate::report::comparison::words::{headline, with_interval, word};
use crate::report::{Comparison, Row};
use crate::verdict::Headline;

/// `Without it the verdict holds: output throughput is still worse, −4.8 % (95 % CI −5.9 … −3.7).`
///
/// `rows` are the deciding metrics and `without` the headline when `suspected` runs are left out, and `left` the
/// runs that remain of both variants.
pub(crate) fn without(
    comparison: &Comparison,
    rows: &[Row],
    without: Headline,
    suspected: usize,
    left: (usize, usize),
) -> String {
    let them = if suspected == 1 { "it" } else { "them" };
    if without == Headline::NoVerdict {
        return format!(
            "Without {them} there is no verdict: {} + {} runs are left.",
            left.0, left.1
        );
    }
    let before = |row: &Row| comparison.deciding().find(|other| other.metric == row.metric);
    let turned = |row: &&Row| before(row).is_some_and(|other| other.verdict != row.verdict);
    let leading = rows.iter().find(|row| without.made_by().contains(&row.verdict));
    let figures = leading.map_or(String::new(), |row| with_interval(comparison, row));
    let mut text = if without == comparison.headline {
        let still = match without {
            Headline::WithinNoise => "the change is still within noise".to_owned(),
            other => format!("the verdict is still {}", headline(other)),
        };
        format!("Without {them} {still}: {figures}")
    } else {
        format!(
            "Without {them} the verdict is {} instead of {}: {figures}",
            headline(without),
            headline(comparison.headline)
        )
    };
    let others: Vec<String> = rows
        .iter()
        .filter(turned)
        .filter(|row| {
            without == comparison.headline || leading.is_none_or(|l| l.metric != row.metric)
        })
        .filter_map(|row| {
            let before = word(before(row)?.verdict);
            Some(format!("{} turns from {before} to {}", row.label, word(row.verdict)))
        })
        .collect();
    if !others.is_empty() {
        text.push_str("; ");
        text.push_str(&others.join("; "));
    }
    text.push('.');
    text
}
