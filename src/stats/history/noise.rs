//! The noise of single nights and how far it lasts: step 2.

/// Longest lag of the variogram, in nights. A memory that lasts longer cannot be told from a change.
const LAGS: usize = 10;

/// Differences are clipped at this many standard deviations, so that a spike counts as one far night.
const CLIP: f64 = 2.5;

/// E min(Z², 2.5²) of a standard normal Z: the share of a variance that the clip leaves.
const CLIPPED_VARIANCE: f64 = 0.9556;

/// Standard deviations of a normal distribution in its median absolute value.
const MAD_TO_SD: f64 = 1.4826;

/// Standard error of a median of normal values, in units of that of their mean.
const MEDIAN_OVER_MEAN: f64 = 1.2533;

/// A rise counts from this many of its standard errors on.
const CLEAR_RISE: f64 = 2.0;

/// Price of noise without memory in the fit, times the number of nights: without it the fit would explain the memory of
/// short series by both at will.
const PRICE_OF_WHITE: f64 = 0.3;

/// The memory is taken this many of its standard errors larger where it widens a variance. 0 alarms in 6 % of the series
/// with a memory of 0.7; 1.5 costs a third of the power there.
const MEMORY_MARGIN: f64 = 0.75;

/// Standard error of the memory found by the variogram, in standard errors of a lag-1 autocorrelation.
const LOSS_OF_VARIOGRAM: f64 = 1.4;

/// Largest memory that is reckoned with: beyond, a series has no level.
const MOST_MEMORY: f64 = 0.95;

/// How single nights vary about their level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NightNoise {
    /// Standard deviation of one night, in the unit of the residuals.
    pub sd: f64,
    /// Share of a night's deviation that the next night keeps, in [0, 0.94].
    pub memory: f64,
    /// Share of the variance that has no memory, in [0, 0.9].
    pub white: f64,
    /// The memory that variances are computed with: as large as it may well be.
    pub memory_bound: f64,
}

/// Lags of the variogram from which the noise is estimated, and whether part of it may lack memory.
#[derive(Clone, Copy)]
pub(super) struct Variogram {
    pub(super) lags: usize,
    pub(super) white: bool,
}

impl Variogram {
    pub(super) const FULL: Self = Self { lags: LAGS, white: true };
    /// Changes that are not known yet lengthen the memory that long lags find, short ones less.
    pub(super) const SHORT: Self = Self { lags: 3, white: false };
}

impl NightNoise {
    /// Fits the noise of `residuals`, one a night.
    ///
    /// A step moves k of the n − k differences at lag k, and a spike moves all lags alike, so neither shows as memory.
    pub(super) fn fit(residuals: &[f64], how: Variogram) -> Self {
        let n = residuals.len();
        let lags = how.lags.min((n / 6).max(3)).min(n - 1);
        let at_lag: Vec<f64> = (1..=lags).map(|lag| clipped_variance(residuals, lag)).collect();
        let weight = |lag: usize| 1.0 / (1.0 + 0.3 * lag as f64);
        let weights: f64 = (0..lags).map(weight).sum();
        let mut best = (f64::INFINITY, 0.0, 0.0, 0.0);
        for white in (0..=if how.white { 9 } else { 0 }).map(|tenths| f64::from(tenths) / 10.0) {
            for memory in (0..48).map(|fiftieths| f64::from(fiftieths) / 50.0) {
                // A short memory and noise beside it look alike.
                if white > 0.0 && memory < 0.5 {
                    continue;
                }
                let mut power = 1.0;
                let mut logs = [0.0; LAGS];
                for (log, variance) in logs.iter_mut().zip(&at_lag) {
                    power *= memory;
                    *log = (variance / (1.0 - (1.0 - white) * power)).ln();
                }
                let logs = &logs[..lags];
                let sum = |f: &dyn Fn(f64) -> f64| -> f64 {
                    logs.iter().enumerate().map(|(lag, log)| weight(lag) * f(*log)).sum()
                };
                let mean = sum(&|log| log) / weights;
                let misfit = sum(&|log| (log - mean).powi(2)) / weights;
                let price = if white > 0.0 { PRICE_OF_WHITE / n as f64 } else { 0.0 };
                if misfit + price < best.0 - 1e-12 {
                    best = (misfit + price, memory, white, mean);
                }
            }
        }
        let (_, memory, white, log) = best;
        let error = LOSS_OF_VARIOGRAM * ((1.0 - memory * memory) / n as f64).sqrt();
        let memory_bound = (memory + MEMORY_MARGIN * error).min(MOST_MEMORY);
        Self { sd: (log.exp() / 2.0).sqrt(), memory, white, memory_bound }
    }

    /// Variance of the mean of `nights` nights in a row, in units of that of one night.
    pub(super) fn of_mean(&self, nights: usize) -> f64 {
        let (m, rho) = (nights as f64, self.memory_bound);
        let kept = if rho < 1e-9 {
            1.0 / m
        } else {
            let ends = 2.0 * rho * (1.0 - rho.powf(m));
            (m * (1.0 - rho * rho) - ends) / ((1.0 - rho).powi(2) * m * m)
        };
        self.white / m + (1.0 - self.white) * kept
    }

    /// Covariance of the means of two stretches side by side, times the product of their lengths, over
    /// (1 − ρ^a)(1 − ρ^b).
    pub(super) fn beside(&self) -> f64 {
        let rho = self.memory_bound;
        if rho > 1e-9 { (1.0 - self.white) * rho / (1.0 - rho).powi(2) } else { 0.0 }
    }

    /// The memory of a whole night's deviation, with which dates are found.
    pub(super) fn lag1(&self) -> f64 {
        self.memory * (1.0 - self.white)
    }

    /// Variance of a long mean, in units of the one without memory.
    pub(super) fn long_run(&self) -> f64 {
        self.white + (1.0 - self.white) * (1.0 + self.memory) / (1.0 - self.memory)
    }
}

/// Takes off the rise a night of a stretch without a change: it is no memory, though its nights resemble those before.
///
/// The rise is the median difference of nights a third of the stretch apart, if noise without a rise seldom has such a one. A
/// step moves half of these differences at most and spreads them, so it stays.
pub(super) fn take_off_rise(stretch: &mut [f64]) {
    let n = stretch.len();
    let lag = n / 3;
    if lag < 3 {
        return;
    }
    let pairs = stretch.iter().zip(&stretch[lag..]);
    let mut differences: Vec<f64> = pairs.map(|(a, b)| b - a).collect();
    let middle = median(&mut differences);
    let mut distances: Vec<f64> = differences.iter().map(|d| (d - middle).abs()).collect();
    let sd = MAD_TO_SD * median(&mut distances);
    // Differences that overlap count once.
    let error = MEDIAN_OVER_MEAN * sd * (lag as f64 / n as f64).sqrt();
    if middle.abs() > CLEAR_RISE * error {
        let (rise, centre) = (middle / lag as f64, (n - 1) as f64 / 2.0);
        stretch.iter_mut().enumerate().for_each(|(i, value)| *value -= rise * (i as f64 - centre));
    }
}

/// Mean square of the differences of this lag, clipped.
fn clipped_variance(residuals: &[f64], lag: usize) -> f64 {
    let pairs = residuals.iter().zip(&residuals[lag..]);
    let mut differences: Vec<f64> = pairs.map(|(a, b)| (b - a).abs()).collect();
    let count = differences.len() as f64;
    let mut sd = MAD_TO_SD * median(&mut differences);
    if sd <= 0.0 {
        sd = differences.iter().sum::<f64>() / count + 1e-12;
    }
    let most = CLIP * sd;
    let sum: f64 = differences.iter().map(|d| d.min(most).powi(2)).sum();
    (sum / count / CLIPPED_VARIANCE).max(f64::MIN_POSITIVE)
}

/// Median of some values, whose order is changed; at least one.
pub(super) fn median(values: &mut [f64]) -> f64 {
    let n = values.len();
    let (below, upper, _) = values.select_nth_unstable_by(n / 2, f64::total_cmp);
    let upper = *upper;
    if n % 2 == 1 {
        return upper;
    }
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    0.5 * (lower + upper)
}
