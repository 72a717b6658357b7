//! The one sentence that the data of a comparison support.

use crate::checks::{CheckId, Severity};
use crate::format::{self, list};
use crate::policy::Policy;
use crate::report::words::{lent, with_interval};
use crate::report::{Check, Comparison, Row, levels};
use crate::runs::Workload;
use crate::verdict::{Headline, Verdict};

/// What was shown of the deciding metrics, and of guards that became worse: `pr against main, better: output throughput
/// +3.8 % (95 % CI +2.9 … +4.7, corrected for 3 metrics); 6 + 6 runs; load: 1000 requests`.
///
/// `None` where nothing was shown or compared, and where a check blocks or could turn the headline.
pub(crate) fn may_claim(comparison: &Comparison, policy: &Policy) -> Option<String> {
    let shown = comparison.headline.is_change() || comparison.headline == Headline::NoChange;
    if !shown || comparison.checks.iter().any(is_doubt) {
        return None;
    }
    let mut parts = metrics(comparison, policy);
    parts.push(levels::runs(comparison));
    parts.extend(policy.look.as_ref().map(|look| {
        let overall = format::confidence(look.overall);
        format!("look {} of {} that were planned, {overall} over all of them", look.number, look.of)
    }));
    parts.extend(lent(comparison).map(|others| format!("the noise estimate includes {others}")));
    parts.push(format!("load: {}", load(comparison)));
    let (a, b) = (&comparison.baseline.name, &comparison.candidate.name);
    Some(format!("{b} against {a}, {}", parts.join("; ")))
}

/// Whether a check leaves open if what the sentence says is so.
fn is_doubt(check: &Check) -> bool {
    let open = check.severity == Severity::Block || check.could_flip;
    open && !OF_OTHER_METRICS.contains(&check.id)
}

/// Checks that leave open what is not said: smaller changes, and metrics that do not decide under such a load.
const OF_OTHER_METRICS: &[CheckId] =
    &[CheckId::LowResolution, CheckId::BurstLoad, CheckId::SaturatedOpenLoop];

/// The metrics, those with the same verdict together.
fn metrics(comparison: &Comparison, policy: &Policy) -> Vec<String> {
    let guards = comparison.metrics.iter().filter(|row| row.guard && !row.deciding);
    let worse = |row: &&Row| matches!(row.verdict, Verdict::Worse | Verdict::TinyWorse);
    let rows: Vec<&Row> = comparison.deciding().chain(guards.filter(worse)).collect();
    let equality = format::confidence(1.0 - 2.0 * policy.equality_alpha());
    let mut parts: Vec<(String, Vec<String>)> = Vec::new();
    for verdict in ORDER {
        for row in rows.iter().filter(|row| row.verdict == *verdict) {
            let margin = format::chosen(row.margin);
            let head = match verdict {
                Verdict::Better => "better".to_owned(),
                Verdict::Worse => "worse".to_owned(),
                Verdict::TinyBetter => format!("better, but under the {margin} that matters"),
                Verdict::TinyWorse => format!("worse, but under the {margin} that matters"),
                Verdict::NoChange if row.exact => "unchanged".to_owned(),
                Verdict::NoChange => format!("no change (the {equality} CI lies within ±{margin})"),
                Verdict::WithinNoise | Verdict::NotJudged => "not settled".to_owned(),
            };
            let text = match verdict {
                Verdict::NotJudged => row.label.clone(),
                _ => with_interval(comparison, row),
            };
            match parts.iter_mut().find(|(known, _)| *known == head) {
                Some((_, texts)) => texts.push(text),
                None => parts.push((head, vec![text])),
            }
        }
    }
    parts.into_iter().map(|(head, texts)| format!("{head}: {}", list(&texts))).collect()
}

/// The order in which verdicts are named.
const ORDER: &[Verdict] = &[
    Verdict::Better,
    Verdict::TinyBetter,
    Verdict::Worse,
    Verdict::TinyWorse,
    Verdict::NoChange,
    Verdict::WithinNoise,
    Verdict::NotJudged,
];

/// The columns of the cell and the workload.
fn load(comparison: &Comparison) -> String {
    let cell = comparison.cell.iter().filter(|(_, value)| !value.is_empty());
    let mut parts: Vec<String> = cell.map(|(name, value)| format!("{name} {value}")).collect();
    let workload = comparison.workload.describe();
    if parts.is_empty() || workload != Workload::default().describe() {
        parts.push(workload);
    }
    parts.join(", ")
}
