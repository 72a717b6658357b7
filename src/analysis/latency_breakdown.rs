//! Where the time of a mean request changed: before its first token, or after.

use crate::policy::Policy;
use crate::report::{PerRequest, Row};
use crate::runs::{LoadShape, Variant};

/// Splits the change of a mean request into TTFT and decode, at the baseline's output length.
///
/// `None` unless requests arrive in a closed loop or all at once, and if the measured end-to-end latency contradicts the sum:
/// means do not multiply where lengths differ.
pub(super) fn per_request(
    rows: &[Row],
    baseline: &Variant,
    load: LoadShape,
    policy: &Policy,
) -> Option<PerRequest> {
    if !matches!(load, LoadShape::Closed { .. } | LoadShape::Burst) {
        return None;
    }
    let change =
        |name: &str| rows.iter().find(|row| row.metric == name).map(|row| row.delta.absolute);
    let (ttft_ms, tpot_ms) = (change("mean_ttft_ms")?, change("mean_tpot_ms")?);
    let lengths: Option<Vec<f64>> = baseline
        .runs
        .iter()
        .map(|run| {
            Some(run.info.output_tokens? as f64 / run.info.completed.filter(|n| *n > 0)? as f64)
        })
        .collect();
    let lengths = lengths?;
    let output_tokens = lengths.iter().sum::<f64>() / lengths.len() as f64;
    let decode_ms = tpot_ms * (output_tokens - 1.0);
    let total_ms = ttft_ms + decode_ms;
    // A printed TPOT is exact to half its last digit, in both variants and for every token.
    let digit = |name: &str| {
        let values = baseline.runs.iter().filter_map(|run| run.metrics.get(name));
        values.map(|value| 2.0 * value.resolution).fold(0.0, f64::max)
    };
    let rounding = digit("mean_tpot_ms") * output_tokens + digit("mean_ttft_ms");
    let contradicted = change("mean_e2el_ms").is_some_and(|measured| {
        let size = measured.abs().max(total_ms.abs());
        (measured - total_ms).abs() > policy.thresholds.account * size + rounding
    });
    (!contradicted).then_some(PerRequest { ttft_ms, decode_ms, total_ms, output_tokens })
}
