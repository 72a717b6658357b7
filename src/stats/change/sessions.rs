//! Runs of several sessions: the change inside each session.

use crate::change::across::Across;
use crate::change::curve::{Curve, Curves, Shape};
use crate::change::standard_error::StandardError;
use crate::change::terms::{Method, Resampling, Scale, Undefined};
use crate::noise::empirical_bayes::Variance;
use crate::numerics::distribution::f_tail;
use crate::runs::statistic::mean;

/// Sessions from which on the session is the unit: one difference each.
pub const SESSIONS_AS_UNITS: usize = 5;

/// The change between two variants whose runs were made in several sessions.
#[derive(Clone, Debug)]
pub struct BySession {
    /// The curves of the change: [`Scale::Log`], then [`Scale::Linear`].
    pub curves: Curves,
    /// Whether the sessions are the units of the interval; else the runs are.
    pub sessions_are_units: bool,
    /// The scale of the fields below: logarithms unless a value is not positive.
    pub scale: Scale,
    /// The change in each session: the difference of the two means, in the order of the sessions.
    pub changes: Vec<f64>,
    /// Deviation of each session from the mean of all sessions, in the order of the sessions.
    pub effects: Vec<f64>,
    /// Two-sided p-value of equal changes in all sessions: the F test of the interaction of session and variant. `None` if
    /// no session has two runs of a variant, or if the runs of a session do not differ.
    pub interaction: Option<f64>,
    /// Variance of a run inside its session.
    pub noise: Option<Variance>,
}

impl BySession {
    /// The change inside the sessions; each has the values of the baseline and of the candidate, at least one each.
    ///
    /// The session is a fixed effect: `value = session + change + noise`, by least squares on the scale, so that anything that
    /// shifts both variants of a session alike does not count. Runs are the units, with one degree of freedom less than runs
    /// for each session and for the change. From [`SESSIONS_AS_UNITS`] sessions on, the sessions are the units: Student's t over
    /// one difference of means a session, all with the same weight. `resolution` is half of the last printed digit, in the unit
    /// of the values, 0 for exact values: the noise is never taken as less.
    ///
    /// The interval of fewer sessions is about these sessions. Where the change itself differs between sessions
    /// ([`Self::interaction`]), it says nothing of others.
    ///
    /// Errors in [`Self::curves`]: [`Undefined::NotPositive`] on the logarithmic scale, [`Undefined::NoVariance`],
    /// [`Undefined::OutOfRange`].
    ///
    /// # Panics
    ///
    /// With fewer than two sessions, a session without values of a variant, or a value that is not finite.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::BySession;
    ///
    /// // The second session is 30 % faster; the change is 2 % in both.
    /// let first = [&[100.0, 101.0][..], &[102.0, 103.0]];
    /// let second = [&[130.0, 131.0][..], &[133.0, 133.5]];
    /// let found = BySession::of(&[first, second], 0.0);
    /// let [log, _] = found.curves;
    /// // statsmodels 0.15.0: OLS of the logarithms on the variant and a dummy of the session, conf_int()
    /// let interval = log.unwrap().interval(0.95);
    /// assert!((interval.low - 0.01087).abs() < 1e-5 && (interval.high - 0.02970).abs() < 1e-5);
    /// ```
    ///
    /// # References
    ///
    /// H. Scheffé. *The Analysis of Variance*, 1959, chapter 4.
    pub fn of(sessions: &[[&[f64]; 2]], resolution: f64) -> Self {
        assert!(sessions.len() > 1, "one session has nothing to compare with");
        let values = || sessions.iter().flatten().flat_map(|values| values.iter());
        assert!(sessions.iter().flatten().all(|values| !values.is_empty()), "no values");
        assert!(values().all(|value| value.is_finite()), "a value is not finite");
        let positive = values().all(|value| *value > 0.0);
        let linear = Fit::of(sessions, Scale::Linear, resolution);
        let log = positive.then(|| {
            let all: Vec<f64> = values().copied().collect();
            Fit::of(sessions, Scale::Log, resolution / mean(&all))
        });
        let sessions_are_units = sessions.len() >= SESSIONS_AS_UNITS;
        let curve = |fit: &Fit| if sessions_are_units { fit.of_units() } else { fit.of_runs() };
        let curves = [log.as_ref().map_or(Err(Undefined::NotPositive), curve), curve(&linear)];
        let (scale, fit) = log.map_or((Scale::Linear, linear), |fit| (Scale::Log, fit));
        Self {
            curves,
            sessions_are_units,
            scale,
            changes: fit.changes(),
            effects: fit.effects(),
            interaction: fit.interaction(),
            noise: fit.noise().filter(|noise| noise.value.is_finite()),
        }
    }
}

/// Least squares of the values of both variants on the session and the variant.
struct Fit {
    /// Numbers and means of the values, and their sums of squares around these means, by session and variant.
    cells: Vec<[Cell; 2]>,
    /// The change, and the sum of the weights of the sessions' changes.
    change: f64,
    weight: f64,
    /// Least standard deviation of a run that the printed digits allow.
    least: f64,
}

#[derive(Clone, Copy)]
struct Cell {
    n: f64,
    mean: f64,
    squares: f64,
}

impl Fit {
    fn of(sessions: &[[&[f64]; 2]], scale: Scale, least: f64) -> Self {
        let cell = |values: &[f64]| {
            let mut values: Vec<f64> = values.iter().copied().map(scale.transform()).collect();
            // The order of the runs changes no digit.
            values.sort_unstable_by(f64::total_cmp);
            let mean = mean(&values);
            let squares = values.iter().map(|value| (value - mean).powi(2)).sum();
            Cell { n: values.len() as f64, mean, squares }
        };
        let cells: Vec<[Cell; 2]> = sessions.iter().map(|session| session.map(cell)).collect();
        let mut fit = Self { cells, change: 0.0, weight: 0.0, least };
        fit.weight = fit.cells.iter().map(weight).sum();
        fit.change =
            fit.cells.iter().map(|cell| weight(cell) * change(cell)).sum::<f64>() / fit.weight;
        fit
    }

    fn changes(&self) -> Vec<f64> {
        self.cells.iter().map(change).collect()
    }

    fn effects(&self) -> Vec<f64> {
        // The middle between both variants.
        let middle = |[a, b]: &[Cell; 2]| {
            let half = self.change / 2.0;
            (a.n * (a.mean + half) + b.n * (b.mean - half)) / (a.n + b.n)
        };
        let middles: Vec<f64> = self.cells.iter().map(middle).collect();
        let centre = mean(&middles);
        middles.into_iter().map(|middle| middle - centre).collect()
    }

    fn runs(&self) -> f64 {
        self.cells.iter().map(|[a, b]| a.n + b.n).sum()
    }

    /// Sum of squares inside the cells, with its degrees of freedom.
    fn inside(&self) -> (f64, f64) {
        let squares = self.cells.iter().map(|[a, b]| a.squares + b.squares).sum();
        (squares, self.runs() - 2.0 * self.cells.len() as f64)
    }

    /// Sum of squares by which the sessions' changes differ, with its degrees of freedom.
    fn between(&self) -> (f64, f64) {
        let off = |cell: &[Cell; 2]| weight(cell) * (change(cell) - self.change).powi(2);
        (self.cells.iter().map(off).sum(), self.cells.len() as f64 - 1.0)
    }

    fn noise(&self) -> Option<Variance> {
        let ((inside, df), (between, more)) = (self.inside(), self.between());
        let value = ((inside + between) / (df + more)).max(self.least * self.least);
        (value > 0.0).then_some(Variance { value, df: df + more })
    }

    /// The curve with runs as units.
    fn of_runs(&self) -> Result<Curve, Undefined> {
        let noise = self.noise().ok_or(Undefined::NoVariance)?;
        let error =
            StandardError { value: (noise.value / self.weight).sqrt(), df: noise.df, own: 1.0 };
        if !(self.change.is_finite() && error.value.is_finite()) {
            return Err(Undefined::OutOfRange);
        }
        Ok(Curve::new(self.change, error, Shape::Student))
    }

    /// The curve with sessions as units: one difference each.
    fn of_units(&self) -> Result<Curve, Undefined> {
        let of = |side: usize| self.cells.iter().map(move |cell| cell[side].mean).collect();
        let (before, after): (Vec<f64>, Vec<f64>) = (of(0), of(1));
        let fewest = self.cells.iter().flatten().map(|cell| cell.n).fold(f64::INFINITY, f64::min);
        let resolution = self.least / fewest.sqrt();
        let blocks = (&before[..], &after[..], resolution);
        // The means are on the scale already.
        let how = Resampling::default();
        let [_, linear] = Curve::of_blocks(blocks, 0.0, Across::MEAN, Method::Calibrated, how);
        linear
    }

    fn interaction(&self) -> Option<f64> {
        let ((inside, df), (between, more)) = (self.inside(), self.between());
        let inside = inside.max(self.least * self.least * df);
        let p = f_tail((between / more) / (inside / df), more, df);
        (df > 0.0 && inside > 0.0 && p.is_finite()).then_some(p)
    }
}

fn change([a, b]: &[Cell; 2]) -> f64 {
    b.mean - a.mean
}

/// Weight of a session's change: the inverse of its variance, in units of that of a run.
fn weight([a, b]: &[Cell; 2]) -> f64 {
    a.n * b.n / (a.n + b.n)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three sessions with different numbers of runs.
    const THREE: [[&[f64]; 2]; 3] = [
        [&[100.0, 101.0, 99.5], &[102.0, 103.0]],
        [&[130.0], &[133.0, 133.5]],
        [&[88.0, 90.0, 89.0], &[91.0, 90.5, 92.5]],
    ];

    const FIVE: [[&[f64]; 2]; 5] = [
        [&[100.0, 101.0], &[102.0, 103.0]],
        [&[130.0, 131.0], &[133.0, 133.5]],
        [&[88.0, 90.0], &[91.0, 92.5]],
        [&[110.0, 111.5], &[112.0, 111.0]],
        [&[95.0, 94.0], &[96.5, 97.0]],
    ];

    #[track_caller]
    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-8 * expected.abs().max(1.0), "{found} {expected}");
    }

    /// Expected: statsmodels 0.15.0, `OLS(y, [variant, dummies of the sessions])`: `params`, `bse`, `conf_int()`, and
    /// `compare_f_test` with the model that has the product of both.
    #[test]
    fn the_change_inside_sessions_is_that_of_least_squares_with_dummies() {
        let found = BySession::of(&THREE, 0.0);
        let [log, linear] = found.curves.map(Result::unwrap);
        close(log.estimate(), 0.024_629_668_542_972_105);
        close(log.standard_error(), 0.004_517_411_413_682_480_5);
        close(log.degrees_of_freedom(), 10.0);
        close(log.p_value(0.0), 0.000_280_000_970_475_219_96);
        close(linear.estimate(), 2.514_851_485_148_568_6);
        close(linear.standard_error(), 0.436_261_937_363_728_15);
        close(found.interaction.unwrap(), 0.968_964_520_539_562_2);
        close(found.noise.unwrap().value, 6.870_358_646_424_487e-5);
        assert!(!found.sessions_are_units && found.scale == Scale::Log);
        close(found.changes[1], 0.024_690_852_575_447_23);
    }

    /// Expected: `scipy.stats.ttest_1samp` of the differences of the mean logarithms, and of the means.
    #[test]
    fn from_five_sessions_on_each_session_is_one_difference() {
        let found = BySession::of(&FIVE, 0.0);
        let [log, linear] = found.curves.map(Result::unwrap);
        assert!(found.sessions_are_units);
        close(log.p_value(0.0), 0.006_284_678_847_563_75);
        close(log.interval(0.95).low, 0.009_554_264_982_677_902);
        close(linear.interval(0.95).high, 3.120_131_070_987_383_7);
        // Least squares, as above.
        close(found.interaction.unwrap(), 0.437_095_662_476_167_6);
    }

    /// Expected: the F test of statsmodels 0.15.0, as above.
    #[test]
    fn a_change_that_differs_between_sessions_is_shown() {
        let sessions: [[&[f64]; 2]; 2] =
            [[&[100.0, 101.0], &[106.0, 107.0]], [&[100.5, 101.5], &[100.0, 99.0]]];
        close(BySession::of(&sessions, 0.0).interaction.unwrap(), 0.001_756_969_793_238_452_3);
    }

    #[test]
    fn values_that_are_not_positive_have_a_difference_only() {
        let sessions: [[&[f64]; 2]; 2] =
            [[&[-1.0, 0.5], &[2.0, 1.5]], [&[9.0, 10.0], &[11.0, 12.5]]];
        let found = BySession::of(&sessions, 0.0);
        assert_eq!(found.curves[0].as_ref().err(), Some(&Undefined::NotPositive));
        // statsmodels, as above.
        close(found.curves[1].as_ref().unwrap().p_value(0.0), 0.010_940_364_479_842_766);
        assert_eq!(found.scale, Scale::Linear);
    }

    #[test]
    fn swapping_the_variants_mirrors_the_interval_exactly() {
        for sessions in [&THREE[..], &FIVE] {
            let swapped: Vec<[&[f64]; 2]> = sessions.iter().map(|[a, b]| [*b, *a]).collect();
            let [there, back] = [sessions, &swapped].map(|all| BySession::of(all, 0.05));
            for (there, back) in there.curves.into_iter().zip(back.curves) {
                assert_eq!(there.unwrap().interval(0.95), back.unwrap().interval(0.95).negated());
            }
            assert_eq!(there.interaction, back.interaction);
        }
    }

    #[test]
    fn one_run_of_each_in_a_session_has_no_interaction_and_equal_runs_have_no_interval() {
        let single: [[&[f64]; 2]; 2] = [[&[100.0], &[103.0]], [&[130.0], &[132.0]]];
        let found = BySession::of(&single, 0.0);
        assert_eq!(found.interaction, None);
        close(found.curves[0].as_ref().unwrap().degrees_of_freedom(), 1.0);
        let equal: [[&[f64]; 2]; 2] = [[&[100.0], &[100.0]], [&[130.0], &[130.0]]];
        let found = BySession::of(&equal, 0.0).curves;
        assert!(found.iter().all(|curve| curve.as_ref().err() == Some(&Undefined::NoVariance)));
        // Printed to whole units, they may differ by half of one.
        assert!(BySession::of(&equal, 0.5).curves[0].is_ok());
    }
}
