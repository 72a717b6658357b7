//! Changes beyond noise in opposite directions.

use crate::checks::{self, Finding, Moved};
use crate::report::{Comparison, Row};
use crate::verdict::{Headline, Verdict};

/// A trade-off between deciding metrics, else between TTFT and TPOT.
pub(super) fn trade_off(comparison: &Comparison) -> Option<Finding> {
    let decide = comparison.headline == Headline::TradeOff;
    let asked = |row: &&Row| {
        let two = ["mean_ttft_ms", "median_ttft_ms", "mean_tpot_ms"];
        if decide { row.deciding } else { two.contains(&row.metric.as_str()) }
    };
    let moved = |row: &Row| {
        let gain = match row.verdict {
            Verdict::Better => true,
            Verdict::Worse => false,
            _ => return None,
        };
        let (metric, label) = (row.metric.clone(), row.label.clone());
        Some(Moved { metric, label, relative: row.delta.relative, gain })
    };
    let moved: Vec<Moved> = comparison.metrics.iter().filter(asked).filter_map(moved).collect();
    checks::trade_off(&moved, decide)
}
