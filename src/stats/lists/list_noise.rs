//! The noise of the cells of a list, in the tail: corrected levels of many cells with few runs each.
//!
//! Three runs of values that lie on a few levels (ticks of a sampler, two modes of a start) share a level in one draw of eight,
//! and then look hundreds of times too quiet. A variance of few runs says less there than one of normal values: how much less is
//! measured by how far the two variants of a cell disagree.

use statrs::function::gamma::digamma;

use crate::noise::empirical_bayes::Variance;
use crate::numerics::distribution::normal_quantile;
use crate::numerics::trigamma::{trigamma, trigamma_inverse};
use crate::runs::statistic::{quantile, standard_deviation};

/// Fewest cells from which a prior is fitted to all of them, and to the others of one.
const MIN_CELLS: usize = 3;
const MIN_OTHERS: usize = 3;

/// Most runs of the smaller variant with which levels are looked for.
const MAX_RUNS: usize = 5;

/// Level of the test for gaps.
const GAP_LEVEL: f64 = 0.05;

/// Smallest gap over the range that is taken as one.
const LEAST_GAP: f64 = 1e-4;

/// Mean and standard deviation of the logarithm of the smallest gap over the range, of 3, 4 and 5 normal values: 2,000,000
/// draws by numpy 2.
const GAPS: [[f64; 2]; 3] = [[-1.615, 0.949], [-2.517, 1.082], [-3.151, 1.140]];

/// Mean and variance of the log variance of 4 to 12 standard normal values, without the value farthest from their
/// median.
const WITHOUT_FARTHEST: [[f64; 2]; 9] = [
    [-1.693, 1.922],
    [-1.181, 1.099],
    [-0.948, 0.738],
    [-0.786, 0.559],
    [-0.688, 0.440],
    [-0.609, 0.368],
    [-0.552, 0.312],
    [-0.503, 0.273],
    [-0.466, 0.241],
];

/// The same for more values, times their number.
const WITHOUT_FARTHEST_OF_MANY: [f64; 2] = [-5.6, 2.9];

/// Largest logarithm of a ratio of two variances that is taken as one.
const MAX_RATIO: f64 = 14.0;

/// Smallest variance of a variant, as a share of the median of all.
const FLOOR: f64 = 1e-6;

/// Spread of the true variances below which they count as one variance, and the degrees of freedom of that.
const NO_SPREAD: f64 = 0.001;
const NO_SPREAD_DF: f64 = 2_000.0;

/// The runs of a cell, for [`ListNoise`].
#[derive(Clone, Debug, PartialEq)]
pub struct CellRuns {
    /// Logarithms of the values of the baseline and of the candidate, two or more of each.
    pub logs: [Vec<f64>; 2],
    /// Half of the last printed digit of each, relative to the values; 0 for exact ones.
    pub resolution: [f64; 2],
}

impl CellRuns {
    /// Variance of each variant, not below what the printed digits leave.
    fn variances(&self) -> [f64; 2] {
        [0, 1].map(|side: usize| {
            let sd = standard_deviation(&self.logs[side]).unwrap_or(0.0);
            sd.max(self.resolution[side]).powi(2)
        })
    }

    fn df(&self) -> [f64; 2] {
        self.logs.each_ref().map(|logs| logs.len() as f64 - 1.0)
    }

    fn fewest(&self) -> usize {
        self.logs[0].len().min(self.logs[1].len())
    }
}

/// Further variances by which each cell of a list must be judged. The largest p-value counts, so no cell ever gains.
///
/// From 3 cells on the one of Smyth's prior over all cells. Where 4 cells or more have at most 5 runs of a variant, and
/// gaps between their runs are smaller than those of normal values (one-sided at 5 %), also one from a prior over the
/// other cells, whose variances count for as many degrees of freedom as the disagreement of both variants leaves them. Of 2 or
/// 3 such cells none is quieter than the middle of the others.
///
/// Lists of 42 unchanged cells with 3 + 3 runs whose values lie on levels: a cell called in at most 15 %, where own noise calls one in 53
/// to 73 % and Smyth's in 40 to 56.
#[derive(Clone, Debug, Default)]
pub struct ListNoise {
    of_all: Vec<Option<Variance>>,
    of_others: Vec<Option<Variance>>,
}

/// Sums over the logarithms of variances, from which a prior is fitted.
#[derive(Clone, Copy, Default)]
struct LogSums {
    count: f64,
    sum: f64,
    squares: f64,
    /// Of the squared scatter that they have by chance.
    by_chance: f64,
}

impl LogSums {
    fn add(mut self, log: f64, by_chance: f64, sign: f64) -> Self {
        self.count += sign;
        self.sum += sign * log;
        self.squares += sign * log * log;
        self.by_chance += sign * by_chance;
        self
    }

    /// Degrees of freedom of the scaled inverse chi-square distribution with these moments.
    fn df(self) -> f64 {
        let mean = self.sum / self.count;
        let scatter = (self.squares - self.sum * mean) / (self.count - 1.0);
        let spread = scatter - self.by_chance / self.count;
        if spread <= NO_SPREAD { NO_SPREAD_DF } else { 2.0 * trigamma_inverse(spread) }
    }

    /// The scaled inverse chi-square distribution with this mean and these degrees of freedom.
    fn fitted(self, df: f64) -> Variance {
        let mean = self.sum / self.count;
        Variance { value: (mean + digamma(df / 2.0) - (df / 2.0).ln()).exp(), df }
    }
}

/// A variance and a prior, pooled by their degrees of freedom.
fn pooled(own: Variance, prior: Variance) -> Variance {
    let df = own.df + prior.df;
    Variance { value: (own.df * own.value + prior.df * prior.value) / df, df }
}

/// Logarithm of a variance without the bias that so many degrees of freedom give it, and its variance by chance.
fn unbiased(value: f64, df: f64) -> (f64, f64) {
    (value.ln() - digamma(df / 2.0) + (df / 2.0).ln(), trigamma(df / 2.0).0)
}

impl ListNoise {
    /// The variances of the cells of one metric and one pair of variants, in their order.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::{CellRuns, ListNoise};
    ///
    /// // Three cells are as noisy as each other; the fourth looks a thousand times quieter.
    /// let cell = |scale: f64| CellRuns {
    ///     logs: [[0.0, 0.02, -0.03], [0.01, -0.01, 0.02]].map(|logs| logs.map(|x| x * scale).to_vec()),
    ///     resolution: [0.0; 2],
    /// };
    /// let noise = ListNoise::new(&[cell(1.0), cell(0.8), cell(1.2), cell(0.001)]);
    /// let quiet = noise.of_cell(3, false)[0];
    /// assert!(quiet.value > 4e-10 && quiet.df > 4.0);
    /// ```
    pub fn new(cells: &[CellRuns]) -> Self {
        let mut variances: Vec<[f64; 2]> = cells.iter().map(CellRuns::variances).collect();
        let mut all: Vec<f64> = variances.as_flattened().to_vec();
        all.sort_by(f64::total_cmp);
        let floor = if all.is_empty() { 0.0 } else { FLOOR * quantile(&all, 0.5) };
        variances.iter_mut().flatten().for_each(|variance| *variance = variance.max(floor));
        let sound = cells.iter().all(|cell| cell.fewest() > 1)
            && variances.iter().flatten().all(|variance| *variance > 0.0 && variance.is_finite());
        let nothing = Self { of_all: vec![None; cells.len()], of_others: vec![None; cells.len()] };
        if !sound || cells.len() < 2 {
            return nothing;
        }
        let pooled_of = |(cell, [a, b]): (&CellRuns, &[f64; 2])| {
            let [of_a, of_b] = cell.df();
            Variance { value: (of_a * a + of_b * b) / (of_a + of_b), df: of_a + of_b }
        };
        let own: Vec<Variance> = cells.iter().zip(&variances).map(pooled_of).collect();
        let mut found = nothing;
        if own.len() >= MIN_CELLS {
            let sums = own.iter().fold(LogSums::default(), |sums, variance| {
                let (log, by_chance) = unbiased(variance.value, variance.df);
                sums.add(log, by_chance, 1.0)
            });
            let all: f64 = own.iter().map(|variance| variance.df).sum();
            let df = sums.df();
            let of_all = |variance: &Variance| {
                Some(pooled(*variance, sums.fitted(df.min((all - variance.df) / 2.0))))
            };
            found.of_all = own.iter().map(of_all).collect();
        }
        let few = |at: &usize| cells[*at].fewest() <= MAX_RUNS;
        if !(0..cells.len()).any(|at| few(&at)) || !has_levels(cells) {
            return found;
        }
        found.of_others = if own.len() > MIN_OTHERS {
            others_of(&own, disagreement(cells, &variances))
        } else {
            not_quieter(&own)
        };
        for at in (0..cells.len()).filter(|at| !few(at)) {
            found.of_others[at] = None;
        }
        found
    }

    /// Further variances of a run, on the log scale, by which the cell at this position must be judged. Noise that is
    /// already `borrowed` from other cells is not judged by all cells again.
    pub fn of_cell(&self, at: usize, borrowed: bool) -> Vec<Variance> {
        let of_all = self.of_all.get(at).copied().flatten().filter(|_| !borrowed);
        of_all.into_iter().chain(self.of_others.get(at).copied().flatten()).collect()
    }
}

/// For each cell its variance with a prior from the others, where a variance says so much less than one of normal values.
fn others_of(own: &[Variance], disagreement: f64) -> Vec<Option<Variance>> {
    let weaker = |variance: &Variance| {
        let df = 2.0 * trigamma_inverse(disagreement * trigamma(variance.df / 2.0).0);
        Variance { df, ..*variance }
    };
    let own: Vec<Variance> = own.iter().map(weaker).collect();
    let terms: Vec<(f64, f64)> = own.iter().map(|one| unbiased(one.value, one.df)).collect();
    let all = terms.iter().fold(LogSums::default(), |sums, (log, by)| sums.add(*log, *by, 1.0));
    let of = |(variance, (log, by)): (&Variance, &(f64, f64))| {
        let others = all.add(*log, *by, -1.0);
        Some(pooled(*variance, others.fitted(others.df())))
    };
    own.iter().zip(&terms).map(of).collect()
}

/// For each of two or three cells the middle of the others' noise, where its own is below that.
fn not_quieter(own: &[Variance]) -> Vec<Option<Variance>> {
    let of = |at: usize| {
        let others = own.iter().enumerate().filter(|(other, _)| *other != at);
        let mut sd: Vec<f64> = others.map(|(_, variance)| variance.value.sqrt()).collect();
        sd.sort_by(f64::total_cmp);
        let middle = quantile(&sd, 0.5).powi(2);
        (own[at].value < middle).then_some(Variance { value: middle, df: own[at].df })
    };
    (0..own.len()).map(of).collect()
}

/// Whether runs of variants with 3 to 5 runs are closer together than normal values would be, over all cells.
fn has_levels(cells: &[CellRuns]) -> bool {
    let (mut sum, mut variance) = (0.0, 0.0);
    for (logs, resolution) in cells.iter().flat_map(|cell| cell.logs.iter().zip(cell.resolution)) {
        let Some([mean, sd]) = logs.len().checked_sub(3).and_then(|at| GAPS.get(at)) else {
            continue;
        };
        let mut sorted = logs.clone();
        sorted.sort_by(f64::total_cmp);
        let range = sorted[sorted.len() - 1] - sorted[0];
        // Printed values are not closer than a step.
        let step = 2.0 * resolution;
        if range <= step {
            continue;
        }
        let gap = sorted.windows(2).map(|two| two[1] - two[0]).fold(f64::INFINITY, f64::min);
        sum += (gap.max(step) / range).max(LEAST_GAP).ln() - mean;
        variance += sd * sd;
    }
    variance > 0.0 && sum / variance.sqrt() < normal_quantile(GAP_LEVEL)
}

/// Ratio of the distance between both variants' variances to its expectation under normal noise, at least 1. From 4
/// runs on it is the smaller of two ratios: with all runs, and without the farthest run of each variant, since outliers
/// are no levels.
fn disagreement(cells: &[CellRuns], variances: &[[f64; 2]]) -> f64 {
    let mean_square = |terms: &[(f64, f64)]| {
        let (squares, expected) =
            terms.iter().fold((0.0, 0.0), |(squares, by), (ratio, variance)| {
                (squares + ratio * ratio / variance, by + 1.0)
            });
        squares / expected
    };
    let clipped = |a: f64, b: f64| (a.ln() - b.ln()).clamp(-MAX_RATIO, MAX_RATIO);
    let term = |(cell, [a, b]): (&CellRuns, &[f64; 2])| {
        let [of_a, of_b] =
            cell.df().map(|df| (digamma(df / 2.0) - (df / 2.0).ln(), trigamma(df / 2.0).0));
        (clipped(*a, *b) - (of_a.0 - of_b.0), of_a.1 + of_b.1)
    };
    let plain = mean_square(&cells.iter().zip(variances).map(term).collect::<Vec<_>>());
    if cells.iter().any(|cell| cell.fewest() < 4) {
        return plain.max(1.0);
    }
    let without = |(cell, _): (&CellRuns, _)| {
        let [a, b] = [0, 1].map(|side: usize| {
            let logs = &cell.logs[side];
            let rest = standard_deviation(&without_farthest(logs)).unwrap_or(0.0);
            (
                rest.max(cell.resolution[side]).max(f64::MIN_POSITIVE.sqrt()).powi(2),
                expected_without(logs.len()),
            )
        });
        (clipped(a.0, b.0) - (a.1[0] - b.1[0]), a.1[1] + b.1[1])
    };
    let rest = mean_square(&cells.iter().zip(variances).map(without).collect::<Vec<_>>());
    plain.min(rest).max(1.0)
}

/// Mean and variance of the logarithm of the variance of `n` normal values without the farthest.
fn expected_without(n: usize) -> [f64; 2] {
    let known = n.checked_sub(4).and_then(|at| WITHOUT_FARTHEST.get(at));
    known.copied().unwrap_or_else(|| WITHOUT_FARTHEST_OF_MANY.map(|times| times / n as f64))
}

/// The values without the one that is farthest from their median.
fn without_farthest(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = quantile(&sorted, 0.5);
    let last = sorted.len() - 1;
    if middle - sorted[0] >= sorted[last] - middle {
        sorted.remove(0)
    } else {
        sorted.remove(last)
    };
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(logs: &[[[f64; 3]; 2]]) -> Vec<CellRuns> {
        logs.iter()
            .map(|logs| CellRuns { logs: logs.map(|side| side.to_vec()), resolution: [0.0; 2] })
            .collect()
    }

    /// Levels of 2 % with a jitter of 0.01 %: the third cell's runs share one in both variants.
    fn on_levels() -> Vec<CellRuns> {
        cells(&[
            [[0.0201, 0.0, -0.0001], [0.0, 0.0002, -0.0199]],
            [[0.0, 0.0001, 0.0202], [0.02, 0.0199, 0.0]],
            [[0.0, 0.0001, 0.0002], [0.0199, 0.02, 0.0201]],
            [[-0.02, -0.0199, 0.0001], [0.0, 0.0201, 0.0002]],
            [[0.0001, -0.0201, 0.0002], [0.0, -0.0199, -0.02]],
        ])
    }

    /// numpy 2 and scipy 1.17 with `polygamma`, `digamma` and a Newton inverse: the rule as in the documentation.
    #[test]
    fn runs_that_share_a_level_are_judged_by_the_noise_of_the_other_cells() {
        let noise = ListNoise::new(&on_levels());
        let found = noise.of_cell(2, false);
        let expected = [(1.744_147e-7, 4.496_57), (1.753_900e-4, 2004.0)];
        assert_eq!(found.len(), 2);
        for (found, (value, df)) in found.iter().zip(expected) {
            assert!((found.value / value - 1.0).abs() < 2e-3, "{found:?}, expected {value}");
            assert!((found.df / df - 1.0).abs() < 2e-3, "{found:?}, expected {df}");
        }
        // The noise that is borrowed already is not judged by all cells once more.
        assert_eq!(noise.of_cell(2, true), found[1..]);
    }

    #[test]
    fn without_levels_only_the_prior_of_all_cells_counts() {
        let smooth = cells(&[
            [[0.0, 0.01, 0.025], [0.003, -0.01, 0.014]],
            [[0.004, -0.011, 0.015], [0.0, 0.013, -0.012]],
            [[0.0, 0.009, -0.014], [0.016, 0.004, -0.008]],
            [[-0.002, 0.012, 0.026], [0.0, -0.013, 0.011]],
        ]);
        assert_eq!(ListNoise::new(&smooth).of_cell(0, true), []);
        assert_eq!(ListNoise::new(&smooth).of_cell(0, false).len(), 1);
        assert!(ListNoise::new(&smooth[..1]).of_cell(0, false).is_empty());
    }

    /// By hand: of two cells the quiet one gets the other's noise.
    #[test]
    fn of_two_cells_on_levels_none_is_quieter_than_the_other() {
        let two = &on_levels()[1..3];
        let noise = ListNoise::new(two);
        let [a, b] = two[0].variances();
        assert_eq!(noise.of_cell(1, false).len(), 1);
        assert!((noise.of_cell(1, false)[0].value / f64::midpoint(a, b) - 1.0).abs() < 1e-12);
        assert!(noise.of_cell(0, false).is_empty());
    }
}
