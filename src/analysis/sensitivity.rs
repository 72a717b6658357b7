//! The verdict without the runs that a check suspects, and with the runs in pairs.
//!
//! The reported numbers always use all runs. Here only the deciding metrics are computed again, with the same methods, stops
//! and borrowed noise.

use std::collections::BTreeMap;

use crate::analysis::adjust::Correction;
use crate::analysis::assess::{Assessed, narrowed};
use crate::analysis::job::Job;
use crate::analysis::judge::{judge_rows, verdicts};
use crate::checks::{CheckId, Finding, Severity};
use crate::compare::{Pairing, measure};
use crate::policy::Policy;
use crate::report::comparison::without::without as without_words;
use crate::report::{Check, Comparison, Row, Without, WithoutRow};
use crate::runs::{Levels, Pairs, Run, RunInfo, Sessions, Variant, run_names_at};
use crate::verdict::{Headline, Verdict, headline};

/// Adds to every finding that suspects runs the result without them.
///
/// A headline flips if a change appears, disappears or reverses, or if too few runs are left for one. Between within noise and
/// no change there is no flip.
pub(super) fn add(
    findings: &mut [Finding],
    comparison: &Comparison,
    assessed: &Assessed,
    correction: &Correction,
    job: Job,
) -> BTreeMap<CheckId, Without> {
    let mut all = BTreeMap::new();
    // Without a verdict, no run can change it.
    let judged = !matches!(comparison.headline, Headline::NoVerdict | Headline::NotComparable);
    for finding in findings.iter_mut().filter(|finding| finding.has_suspects()) {
        let suspects = &finding.suspects;
        let ([baseline, candidate], pairs, levels) = rest(&assessed.runs, suspects);
        let left = match (&pairs, &levels) {
            (Some(pairs), _) => (pairs.positions.len(), pairs.positions.len()),
            (None, Some(levels)) => (levels.units[0].len(), levels.units[1].len()),
            (None, None) => (baseline.runs.len(), candidate.runs.len()),
        };
        let few_blocks = assessed.runs.few_blocks;
        let control = job.control.of(assessed.group.1, [&baseline, &candidate]);
        let (baseline, candidate) = (&baseline, &candidate);
        let sessions = Sessions::shared_by(baseline, candidate);
        let fewer = Pairing { baseline, candidate, pairs, levels, few_blocks, sessions, control };
        let rows = rejudged(&fewer, assessed, correction, job);
        let without = if judged { headline(&verdicts(rows.iter())) } else { comparison.headline };
        let flips = flips(comparison.headline, without);
        let rests = comparison.deciding().filter(|row| claims(row.verdict)).any(|row| {
            let other = rows.iter().find(|other| other.metric == row.metric);
            other.is_none_or(|other| other.verdict != row.verdict)
        });
        let suspected: usize = suspects.iter().map(Vec::len).sum();
        let words = if judged {
            without_words(comparison, &rows, without, suspected, left)
        } else {
            String::new()
        };
        let without = Without {
            left_out: suspected_runs(&assessed.runs, suspects)
                .map(|(_, run)| run.source.to_string())
                .collect(),
            headline: without,
            metrics: rows.iter().map(figures).collect(),
        };
        let evidence = serde_json::to_value(&without).unwrap_or_default();
        finding.recomputed(&words, evidence, flips, rests);
        all.insert(finding.id, without);
    }
    all
}

/// The deciding metrics of other runs, judged like those of the comparison.
fn rejudged(runs: &Pairing, assessed: &Assessed, correction: &Correction, job: Job) -> Vec<Row> {
    let narrow = narrowed(job.policy, assessed.deciding.clone());
    let (baseline, candidate) = (assessed.runs.baseline, assessed.runs.candidate);
    let lender = |name: &str| job.noise.prior_for(assessed.group, (baseline, candidate), name);
    let mut measured = measure(runs, &narrow, lender);
    for row in &mut measured {
        // Its own noise alone is not reported here.
        row.own = None;
        let variances = assessed.wider.get(&row.metric.name).filter(|_| runs.pairs.is_none());
        row.widen(variances.map_or(&[], Vec::as_slice), &narrow);
    }
    let tests = assessed.tests(&measured, |row| row.p_value, &narrow);
    let adjusted = correction.adjust(&tests, narrow.alpha());
    judge_rows(assessed, measured, (&adjusted, &adjusted), &narrow)
}

/// Leaves open the verdict without the suspected runs, in a batch with its long list. Findings that chance explains become
/// notes.
pub(super) fn leave_open(findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|finding| finding.has_suspects()) {
        finding.unexamined();
    }
}

/// Names of the runs to look at first: a warning suspects them, or the headline differs without them.
pub(super) fn suspects(findings: &[Finding], runs: &Pairing) -> Vec<String> {
    let warned = findings
        .iter()
        .filter(|finding| finding.severity <= Severity::Warn || finding.could_flip());
    let mut all: Vec<String> = Vec::new();
    for name in warned.flat_map(|finding| names(finding, runs)) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// Names of the runs that a finding suspects: `run-07 of pr`.
pub(super) fn names(finding: &Finding, runs: &Pairing) -> Vec<String> {
    let of_side = |(variant, suspects): (&Variant, &Vec<usize>)| -> Vec<String> {
        let all: Vec<&Run> = variant.runs.iter().collect();
        let shown = |name: &String| {
            let number = name.chars().all(|c| c.is_ascii_digit());
            format!("{}{name} of {}", if number { "run " } else { "" }, variant.name)
        };
        run_names_at(&all, suspects).iter().map(shown).collect()
    };
    let sides = [runs.baseline, runs.candidate].into_iter().zip(&finding.suspects);
    sides.flat_map(of_side).collect()
}

/// Names for each deciding change the fewest suspected runs without which its verdict differs.
pub(super) fn name_what_rows_rest_on(comparison: &mut Comparison) {
    let Comparison { metrics, checks, .. } = comparison;
    for row in metrics.iter_mut().filter(|row| row.deciding && claims(row.verdict)) {
        let turns = |check: &&Check| {
            let of = |without: &Without| {
                let other = without.metrics.iter().find(|other| other.metric == row.metric);
                other.is_some_and(|other| other.verdict != row.verdict)
            };
            !check.suspects.is_empty() && check.without.as_ref().is_some_and(of)
        };
        let fewest = checks.iter().filter(turns).min_by_key(|check| check.suspects.len());
        row.rests_on = fewest.map(|check| check.suspects.clone()).unwrap_or_default();
    }
}

/// The first deciding metric within noise that moves beyond it if the runs are taken in pairs: its label and the interval of
/// its change. `None` if the runs have no pairs, or if pairs do not help.
pub(super) fn in_pairs(
    comparison: &Comparison,
    assessed: &Assessed,
    job: Job,
) -> Option<(String, [f64; 2])> {
    let ranks = job.policy.across.has_rank_interval();
    if assessed.runs.pairs.is_some() || ranks || comparison.headline != Headline::WithinNoise {
        return None;
    }
    let (baseline, candidate) = (assessed.runs.baseline, assessed.runs.candidate);
    // Only a column of pairs proves a paired design; alternation in time does not.
    let named = |variant: &Variant| variant.runs.iter().all(|run| run.info.pair.is_some());
    let pairs =
        Pairs::match_runs(baseline, candidate).ok().filter(|_| named(baseline) && named(candidate));
    let pairs = pairs.filter(|pairs| pairs.positions.len() > 2)?;
    let mut runs = Pairing::new(baseline, candidate, Some(pairs));
    runs.control.clone_from(&assessed.runs.control);
    let paired = Policy { paired: true, ..job.policy.clone() };
    let rows = rejudged(&runs, assessed, &Correction::Alone, Job { policy: &paired, ..job });
    let found = rows.into_iter().find(|row| {
        matches!(
            row.verdict,
            Verdict::Better | Verdict::Worse | Verdict::TinyBetter | Verdict::TinyWorse
        )
    })?;
    Some((found.label, found.delta.relative_ci_adjusted?))
}

fn claims(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Better | Verdict::Worse)
}

fn flips(with: Headline, without: Headline) -> bool {
    let unmoved = |headline| matches!(headline, Headline::WithinNoise | Headline::NoChange);
    with != without && !(unmoved(with) && unmoved(without))
}

/// Both variants without the suspected runs, with the data that a comparison reads. Pairs stay whole, so partners go too; of
/// nested repeats, whole units go.
fn rest(
    runs: &Pairing,
    suspects: &[Vec<usize>; 2],
) -> ([Variant; 2], Option<Pairs>, Option<Levels>) {
    // The positions are sorted.
    let suspected = |side: usize, run: usize| suspects[side].binary_search(&run).is_ok();
    let pairs = runs.pairs.as_ref().map(|pairs| {
        let keep = |(a, b): &&(usize, usize)| !suspected(0, *a) && !suspected(1, *b);
        Pairs { positions: pairs.positions.iter().filter(keep).copied().collect(), ..pairs.clone() }
    });
    let levels = runs.levels.clone().map(|mut levels| {
        for (side, units) in levels.units.iter_mut().enumerate() {
            units.retain(|first, _| pairs.is_some() || !suspected(side, *first));
        }
        levels
    });
    let whole = pairs.is_some() || levels.is_some();
    let of = |variant: &Variant, side: usize| {
        let kept = variant.runs.iter().enumerate();
        let kept = kept.filter(|(run, _)| whole || !suspected(side, *run));
        let bare = |(_, run): (usize, &Run)| Run {
            metrics: run.metrics.clone(),
            info: RunInfo { session: run.info.session.clone(), ..RunInfo::default() }.into(),
            ..Run::default()
        };
        Variant { name: variant.name.clone(), runs: kept.map(bare).collect(), ..Variant::default() }
    };
    ([of(runs.baseline, 0), of(runs.candidate, 1)], pairs, levels)
}

/// The suspected runs with their variants.
fn suspected_runs<'a>(
    runs: &Pairing<'a>,
    suspects: &[Vec<usize>; 2],
) -> impl Iterator<Item = (&'a Variant, &'a Run)> {
    let sides = [runs.baseline, runs.candidate].into_iter().zip(suspects);
    sides.flat_map(|(variant, runs)| runs.iter().map(move |run| (variant, &variant.runs[*run])))
}

fn figures(row: &Row) -> WithoutRow {
    WithoutRow {
        metric: row.metric.clone(),
        relative: row.delta.relative,
        relative_ci: row.delta.relative_ci,
        relative_ci_adjusted: row.delta.relative_ci_adjusted,
        absolute: row.delta.absolute,
        absolute_ci: row.delta.absolute_ci,
        absolute_ci_adjusted: row.delta.absolute_ci_adjusted,
        p_adjusted: row.p_adjusted,
        verdict: row.verdict,
    }
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
