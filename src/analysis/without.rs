//! The verdict without the runs that a check suspects: what would flip it.
//!
//! The reported numbers stay those of all runs. Here the deciding metrics alone are worked out once more,
//! with the same methods, stops and borrowed noise.

use serde_json::{Value, json};

use crate::analysis::rows::judge_rows;
use crate::borrow::Borrowed;
use crate::checks::Finding;
use crate::compare::{Pairing, measure};
use crate::policy::{Policy, Selected};
use crate::report;
use crate::report::{Comparison, Row};
use crate::runs::{LoadShape, Pairs, Run, Variant};
use crate::verdict::{Headline, Verdict, headline};

/// Tells every finding that suspects runs what the comparison says without them.
///
/// A headline flips where a change appears, goes away or turns, and where too few runs are left for any; that
/// fewer runs no longer show equivalence, or show it now, is no flip.
pub(super) fn tell(
    findings: &mut [Finding],
    comparison: &Comparison,
    runs: &Pairing,
    load: LoadShape,
    lender: impl Fn(&str) -> Option<Borrowed> + Sync,
    policy: &Policy,
) {
    let deciding: Vec<String> = comparison.deciding().map(|row| row.metric.clone()).collect();
    // Where there is no verdict no run can change it.
    let judged = !matches!(comparison.headline, Headline::NoVerdict | Headline::NotComparable);
    let names = deciding.iter().cloned();
    let selected = names.map(|name| Selected {
        better: policy.selected(&name).and_then(|selected| selected.better),
        name,
    });
    let narrow = Policy { selected: selected.collect(), ..policy.clone() };
    for index in 0..findings.len() {
        if !findings[index].has_suspects() {
            continue;
        }
        let suspects = &findings[index].suspects;
        let (baseline, candidate, pairs) = rest(runs, suspects);
        let left = pairs.as_ref().map_or((baseline.runs.len(), candidate.runs.len()), |pairs| {
            (pairs.positions.len(), pairs.positions.len())
        });
        let fewer = Pairing { baseline: &baseline, candidate: &candidate, pairs };
        let measured = measure(&fewer, &narrow, &lender).rows;
        let rows = judge_rows(measured, &deciding, findings, load, &narrow);
        let verdicts: Vec<Verdict> = rows.iter().map(|row| row.verdict).collect();
        let without = if judged { headline(&verdicts) } else { comparison.headline };
        let flips = flips(comparison.headline, without);
        let rests = comparison.deciding().filter(|row| claims(row.verdict)).any(|row| {
            let other = rows.iter().find(|other| other.metric == row.metric);
            other.is_none_or(|other| other.verdict != row.verdict)
        });
        let suspected: usize = suspects.iter().map(Vec::len).sum();
        let words = if judged {
            report::without(comparison, &rows, without, suspected, left)
        } else {
            String::new()
        };
        let evidence = json!({
            "left_out": left_out(runs, suspects),
            "headline": without,
            "metrics": rows.iter().map(figures).collect::<Vec<Value>>(),
        });
        findings[index].recomputed(&words, evidence, flips, rests);
    }
}

/// Says nothing of the verdict without the suspected runs, where it is not yet known with them: among many
/// comparisons, which are judged as one list. What chance explains is then a note.
pub(super) fn leave_untold(findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|finding| finding.has_suspects()) {
        finding.unexamined();
    }
}

/// Whether a verdict claims a change that matters.
fn claims(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Better | Verdict::Worse)
}

fn flips(with: Headline, without: Headline) -> bool {
    let unmoved = |headline| matches!(headline, Headline::WithinNoise | Headline::NoChange);
    with != without && !(unmoved(with) && unmoved(without))
}

/// Both variants without the suspected runs, as far as a comparison reads them; in pairs, which stay whole,
/// their partners go too.
fn rest(runs: &Pairing, suspects: &[Vec<usize>; 2]) -> (Variant, Variant, Option<Pairs>) {
    // They are in order.
    let suspected = |side: usize, run: usize| suspects[side].binary_search(&run).is_ok();
    let pairs = runs.pairs.as_ref().map(|pairs| {
        let keep = |(a, b): &&(usize, usize)| !suspected(0, *a) && !suspected(1, *b);
        Pairs { positions: pairs.positions.iter().filter(keep).copied().collect(), ..pairs.clone() }
    });
    let of = |variant: &Variant, side: usize| {
        let kept = variant.runs.iter().enumerate();
        let kept = kept.filter(|(run, _)| pairs.is_some() || !suspected(side, *run));
        let bare = |(_, run): (usize, &Run)| Run { metrics: run.metrics.clone(), ..Run::default() };
        Variant { name: variant.name.clone(), runs: kept.map(bare).collect() }
    };
    (of(runs.baseline, 0), of(runs.candidate, 1), pairs)
}

/// Where the suspected runs were read.
fn left_out(runs: &Pairing, suspects: &[Vec<usize>; 2]) -> Vec<String> {
    let of = |(variant, positions): (&Variant, &Vec<usize>)| -> Vec<String> {
        positions.iter().map(|run| variant.runs[*run].source.to_string()).collect()
    };
    [(runs.baseline, &suspects[0]), (runs.candidate, &suspects[1])]
        .into_iter()
        .flat_map(of)
        .collect()
}

fn figures(row: &Row) -> Value {
    json!({
        "metric": row.metric,
        "relative": row.delta.relative,
        "relative_ci": row.delta.relative_ci,
        "absolute": row.delta.absolute,
        "absolute_ci": row.delta.absolute_ci,
        "p_adjusted": row.p_adjusted,
        "verdict": row.verdict,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flip_is_a_change_that_comes_goes_or_turns() {
        use Headline::{Improved, NoChange, NoVerdict, Regressed, TradeOff, WithinNoise};
        for (with, without) in [
            (Improved, WithinNoise),
            (NoChange, Regressed),
            (Improved, Regressed),
            (Improved, TradeOff),
            (WithinNoise, NoVerdict),
        ] {
            assert!(flips(with, without) && flips(without, with));
        }
        assert!(!flips(Improved, Improved) && !flips(NoChange, WithinNoise));
    }
}
