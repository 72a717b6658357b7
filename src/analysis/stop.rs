//! When the program's own runs are enough: the rule of the planned looks.

use crate::journal::Stop;
use crate::report::{Comparison, Report, Row};
use crate::stats::{LastLook, Look, PlannedTest};
use crate::verdict::{Headline, Verdict};

/// Chance of a result at the last look; below it no more runs are made.
const HOPE: f64 = 0.05;

/// The rule that ends planned looks.
#[derive(Clone, Copy, Debug)]
pub struct StopRule {
    looks: usize,
    runs: usize,
    level: f64,
    equality_alpha: f64,
}

/// The reason why look `number`, from 1, is the last; `None` if the runs go on.
///
/// `report` comes from [`analyse`](crate::analysis::analyse) under the policy of [`at_look`](crate::policy::Policy::at_look).
/// Shorthand for [`StopRule`].
///
/// # Panics
///
/// As [`Look::planned`].
pub fn stop(report: &Report, looks: &[usize], number: usize, confidence: f64) -> Option<Stop> {
    StopRule::new(looks, confidence).stop(report, number)
}

impl StopRule {
    /// The rule for looks after these numbers of runs of each variant. `confidence` covers all looks together.
    ///
    /// # Panics
    ///
    /// As [`Look::planned`].
    pub fn new(looks: &[usize], confidence: f64) -> Self {
        let planned = Look::planned(confidence, looks);
        Self {
            looks: looks.len(),
            runs: looks.last().copied().unwrap_or_default(),
            level: planned.last().map_or(1.0 - confidence, |look| look.level),
            equality_alpha: 1.0 - confidence,
        }
    }

    /// The reason why look `number`, from 1, is the last; `None` if the runs go on.
    ///
    /// The runs end once every comparison has shown a change or equality, or has a chance below 5 % that the last look shows
    /// either in a deciding metric. With several comparisons, all of them must.
    pub fn stop(&self, report: &Report, number: usize) -> Option<Stop> {
        let could = |one: &&Comparison| one.headline != Headline::NotComparable;
        let (mut change, mut open, mut hope, mut any) = (false, false, false, false);
        for one in report.comparisons.iter().filter(could) {
            any = true;
            change |= one.headline.is_change();
            if !one.headline.is_change() && one.headline != Headline::NoChange {
                open = true;
                hope |= self.has_hope(one);
            }
        }
        match (any, open, change) {
            (false, ..) => Some(Stop::NotComparable),
            (_, false, true) => Some(Stop::Change),
            (_, false, false) => Some(Stop::NoChange),
            (_, true, _) if number >= self.looks => Some(Stop::AllRuns),
            (_, true, _) => (!hope).then_some(Stop::NoHope),
        }
    }

    /// Whether an open deciding metric can still reach a result. A metric that cannot be judged yet may be judged later.
    fn has_hope(&self, comparison: &Comparison) -> bool {
        let open = comparison.deciding().filter(|row| row.verdict == Verdict::WithinNoise);
        let chances: Vec<Option<f64>> = open.map(|row| self.chance(row)).collect();
        let all: Option<f64> = chances.iter().copied().sum();
        chances.is_empty() || all.is_none_or(|chance| chance >= HOPE)
    }

    /// Probability that the last look shows a change or no change of this metric; `None` if it is not known.
    fn chance(&self, row: &Row) -> Option<f64> {
        let estimate = row.delta.relative?.ln_1p();
        let noise = row.noise.cv.filter(|cv| *cv > 0.0)?;
        let prior_df = row.noise.prior.map_or(0.0, |prior| prior.df);
        let last = LastLook {
            runs: self.runs,
            df: PlannedTest::df((self.runs, self.runs), prior_df),
            level: self.level / row.corrected_for.max(1) as f64,
            equality_alpha: self.equality_alpha,
        };
        let margins = [-row.margin.min(1.0), row.margin].map(f64::ln_1p);
        Some(last.chance(estimate, noise, [row.baseline.n, row.candidate.n], margins))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::analyse;
    use crate::policy::Policy;
    use crate::report::method::{hint, method};
    use crate::runs::{Dataset, Run, Source, Value};
    use crate::stats::Method;

    const LOOKS: [usize; 5] = [3, 4, 6, 8, 12];

    /// Distinct values, so that no run is a copy of another.
    fn unlike(value: f64, at: usize) -> Value {
        Value { value: value + 1e-9 * at as f64, resolution: 0.0 }
    }

    fn report(variants: &[(&str, &[f64])], number: usize) -> Report {
        let values =
            variants.iter().flat_map(|(name, values)| values.iter().map(move |v| (name, v)));
        let runs = values.enumerate().map(|(at, (name, value))| Run {
            variant: (*name).to_owned(),
            source: Source { path: "runs.csv".into(), position: at + 2, counts: "line" },
            metrics: [("throughput".to_owned(), unlike(*value, at))].into(),
            ..Run::default()
        });
        let dataset = Dataset::assemble(runs.collect(), Vec::new());
        let policy = Policy { method: Method::Welch, ..Policy::default() };
        let policy = policy.at_look(&LOOKS, number, 0.95);
        analyse(&dataset, Some("main"), None, &policy).expect("a report")
    }

    fn stopped(variants: &[(&str, &[f64])], number: usize) -> Option<Stop> {
        stop(&report(variants, number), &LOOKS, number, 0.95)
    }

    const MAIN: [f64; 3] = [99.5, 100.0, 100.5];
    const FASTER: [f64; 3] = [109.5, 110.0, 110.5];
    const LOUD: [f64; 8] = [98.0, 102.0, 98.0, 102.0, 98.0, 102.0, 98.0, 102.0];

    #[test]
    fn runs_end_at_a_change_and_where_nothing_changed() {
        assert_eq!(stopped(&[("main", &MAIN), ("pr", &FASTER)], 1), Some(Stop::Change));
        assert_eq!(stopped(&[("main", &FASTER), ("pr", &MAIN)], 1), Some(Stop::Change));
        let quiet = [99.9, 100.0, 100.1];
        assert_eq!(stopped(&[("main", &quiet), ("pr", &quiet)], 1), Some(Stop::NoChange));
    }

    /// By hand: a standard deviation of 0.43 % gives 3 + 3 runs a standard error of 0.351 %. The half-width at 90 % is 2.132
    /// standard errors (t(0.95, 4)), 0.75 %; at the look's 97.5 % it is 3.495, 1.23 %. The margin is 1 %.
    #[test]
    fn equality_is_shown_by_the_interval_of_one_look_alone() {
        let runs = [99.57, 100.0, 100.43];
        let found = report(&[("main", &runs), ("pr", &runs)], 1);
        assert_eq!(found.comparisons[0].headline, Headline::NoChange);
        assert!((found.settings.confidence - 0.9875).abs() < 1e-12);
        let look = found.settings.look.as_ref().expect("a look");
        assert!((look.equality_confidence - 0.90).abs() < 1e-12 && look.runs == LOOKS);
        let [low, high] = found.comparisons[0].metrics[0].delta.relative_ci.expect("an interval");
        // t(0.99375, 4) = 4.3147, on the scale of logarithms.
        assert!(low < -0.0150 && (0.0150..0.0155).contains(&high), "{low} {high}");
    }

    /// With scipy 1.17: twice `norm.sf(b / a)`, where the last look calls a change beyond b = t(0.98667, 20.31) sqrt(2/12) =
    /// 0.976 standard deviations of a run, and the estimate still moves by a = sqrt(2/n - 2/12): 0.091 after 4 runs of
    /// each, 0.0169 after 6. With 2 % of noise no equality within 1 % is in reach.
    #[test]
    fn runs_end_without_hope() {
        let loud = |runs: usize| [("main", &LOUD[..runs]), ("pr", &LOUD[..runs])];
        assert_eq!(stopped(&loud(4), 2), None);
        assert_eq!(stopped(&loud(6), 3), Some(Stop::NoHope));
        assert_eq!(stopped(&loud(8), 4), Some(Stop::NoHope));
        assert_eq!(stopped(&loud(8), 5), Some(Stop::AllRuns));
    }

    #[test]
    fn several_comparisons_go_on_until_all_are_decided() {
        let open = [98.0, 100.0, 102.0];
        let both = |other| [("main", &MAIN[..]), ("pr", &FASTER[..]), ("other", other)];
        assert_eq!(stopped(&both(&FASTER), 1), Some(Stop::Change));
        assert_eq!(stopped(&both(&open), 1), None);
        let empty = Report { comparisons: Vec::new(), ..report(&both(&MAIN), 1) };
        assert_eq!(stop(&empty, &LOOKS, 1, 0.95), Some(Stop::NotComparable));
    }

    #[test]
    fn a_report_says_what_its_looks_are_and_how_to_go_on() {
        let mut found = report(&[("main", &LOUD[..4]), ("pr", &LOUD[..4])], 2);
        let text = method(&found);
        assert!(
            text.contains("Look 2 of 5, planned after 3, 4, 6, 8 and 12 runs of each"),
            "{text}"
        );
        assert!(text.contains("at 99.13 %") && text.contains("one at 95 % would"), "{text}");
        assert!(text.contains("No change is judged by the 90 % interval"), "{text}");
        assert!(hint(&found).starts_with("99.13 % intervals (95 % over 5 planned looks)"));
        assert!(!found.comparisons[0].next_step.contains("--look"));
        found.go_on_with("beyondnoise run --resume \"my runs\"");
        let expected =
            "go on to look 3 of 5, after 6 runs of each: beyondnoise run --resume \"my runs\"";
        assert_eq!(found.comparisons[0].next_step, expected);
    }
}
