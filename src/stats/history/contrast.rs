//! Contrasts between stretches of nights, and the one furthest over its bar: steps 4 and 5.

use std::ops::Range;

use super::nights::{Nights, location};
use super::noise::{NightNoise, median};

/// Lengths of the stretches that are compared, in nights: about the square root of 2 apart from 10 on.
pub(super) const LENGTHS: [usize; 15] =
    [3, 4, 5, 7, 10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320];

/// Columns of a table of contrasts: the lengths, and the whole side.
const COLUMNS: usize = LENGTHS.len() + 1;

/// Score from which on a contrast is an alarm. At 3.9 more than 3 % of series with a memory of 0.7 or with rare modes
/// alarm.
pub(super) const BAR: f64 = 4.2;

/// Fewest nights of a change: two nights are a spike.
pub(super) const SHORTEST: usize = 3;

/// Fewest nights of the reference: fewer do not have a level.
pub(super) const REFERENCE: usize = 8;

/// A short stretch must move this many times as far as the largest move of its length elsewhere: at an end of the series,
/// and inside, where there are more places to choose from.
const TIMES_ELSEWHERE: [f64; 2] = [1.35, 1.8];

/// Above this no comparison with other places is needed.
const CLEAR: f64 = 7.0;

/// Fewest other places that say how far a stretch moves.
const PLACES: usize = 20;

/// The bar inside the series, for the same reason.
const INSIDE: f64 = 1.15;

/// References of the moves elsewhere, in nights: longer ones hold the change itself.
const NEAR: usize = 20;

/// Contrasts that are computed exactly; the others cannot reach half of the bar.
const WORTH: f64 = 2.5;

/// Nights behind the prior variance of 1 of a stretch: three nights do not know their own.
const PRIOR: f64 = 8.0;

/// Times that the lower scores of a stretch count: the mean of the lowest 70 % of normal scores about 3 is 2.5.
const MAJORITY: f64 = 1.5;

/// Scores of a long stretch are clipped here.
const CLIP: f64 = 3.0;

/// A contrast at a night of a part of the series.
#[derive(Clone, Copy, Debug, Default)]
struct Contrast {
    /// Of all references the largest, positive for a rise.
    z: f64,
    /// Without its sign, with a near reference only.
    near: f64,
    /// First night and end of both stretches, in the part.
    window: (usize, usize),
}

/// The contrasts of a part of the series: for each night and length of the shorter stretch.
pub(super) struct Contrasts {
    first: usize,
    length: usize,
    all: Vec<[Contrast; COLUMNS]>,
}

/// The contrast furthest over its bar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// Its size in bars.
    pub(super) ratio: f64,
    /// The first night after the change.
    pub(super) night: usize,
    /// First night and end of both stretches.
    pub(super) window: (usize, usize),
    /// First night and end of the part.
    pub(super) part: (usize, usize),
}

/// Length of a column for a side of `whole` nights.
fn length(column: usize, whole: usize) -> usize {
    LENGTHS.get(column).copied().unwrap_or(whole)
}

/// Two far nights of a short stretch must not alarm.
fn clip_of(nights: usize, variance: f64) -> f64 {
    if nights >= 14 {
        return CLIP;
    }
    (0.75 * BAR * nights as f64 * variance.sqrt() / 2.0).clamp(CLIP, 5.0)
}

/// Variance of scores about their mean in units of the noise, at least 1: a stretch that varies more is judged by that.
fn own_variance(sum: f64, squares: f64, nights: usize) -> f64 {
    let m = nights as f64;
    ((PRIOR + squares - sum * sum / m) / (PRIOR + m - 1.0)).max(1.0)
}

/// Mean without the highest 30 %, rounded up: where the majority is.
fn majority(scores: &mut [f64]) -> f64 {
    scores.sort_unstable_by(f64::total_cmp);
    let m = scores.len();
    let kept = (m - (0.3 * m as f64).ceil() as usize).max(1);
    scores[..kept].iter().sum::<f64>() / kept as f64
}

/// Values that all contrasts at a night share.
struct Sides<'a> {
    nights: Nights<'a>,
    /// Prefix sums of scores about the median, and of standard deviations.
    scores: Vec<f64>,
    sd: Vec<f64>,
    /// Variance of a mean, the memory to the power, and the clip, by number of nights.
    variance: Vec<f64>,
    power: Vec<f64>,
    clip: Vec<f64>,
    beside: f64,
}

impl<'a> Sides<'a> {
    fn new(nights: Nights<'a>, noise: &NightNoise) -> Self {
        let n = nights.len();
        let centre = median(&mut nights.values.to_vec());
        let sums = |values: &mut dyn Iterator<Item = f64>| {
            let mut sums = vec![0.0];
            sums.extend(values.scan(0.0, |sum, value| {
                *sum += value;
                Some(*sum)
            }));
            sums
        };
        let variance: Vec<f64> =
            (0..=n).map(|m| if m == 0 { 1.0 } else { noise.of_mean(m) }).collect();
        let powers = std::iter::successors(Some(1.0), |power| Some(power * noise.memory_bound));
        Self {
            scores: sums(&mut nights.scores(centre, 5.0)),
            sd: sums(&mut nights.sd.iter().copied()),
            clip: variance.iter().enumerate().map(|(m, variance)| clip_of(m, *variance)).collect(),
            power: powers.take(n + 1).collect(),
            variance,
            beside: noise.beside(),
            nights,
        }
    }

    fn mean(sums: &[f64], part: &Range<usize>) -> f64 {
        (sums[part.end] - sums[part.start]) / part.len() as f64
    }

    /// Covariance of the means of two stretches side by side.
    fn covariance(&self, a: usize, b: usize) -> f64 {
        self.beside * (1.0 - self.power[a]) * (1.0 - self.power[b]) / (a * b) as f64
    }

    /// The contrast of a stretch with its reference, as far as it may reach half of the bar; `level` and variance of the
    /// reference are found when first needed.
    fn contrast(
        &self,
        short: &Range<usize>,
        reference: &Range<usize>,
        level: &mut Option<(f64, f64)>,
    ) -> Option<f64> {
        let (m, mr) = (short.len(), reference.len());
        let covariance = self.covariance(m, mr);
        let cheap = Self::mean(&self.scores, short) - Self::mean(&self.scores, reference);
        let variance = self.variance[m] + self.variance[mr] - 2.0 * covariance;
        if cheap * cheap < WORTH * WORTH * variance {
            return None;
        }
        let beside = self.nights.part(reference.clone());
        let (level, reference_variance) = *level.get_or_insert_with(|| {
            let level = location(&beside);
            let squares: f64 = beside.scores(level, CLIP).map(|e| e * e).sum();
            (level, ((PRIOR + squares) / (PRIOR + mr as f64 - 1.0)).max(1.0))
        });
        let clip = self.clip[m];
        let part = self.nights.part(short.clone());
        let (mut sum, mut squares) = (0.0, 0.0);
        for score in part.scores(level, clip) {
            sum += score;
            squares += score * score;
        }
        let wider = Self::mean(&self.sd, reference) / Self::mean(&self.sd, short);
        let error = (own_variance(sum, squares, m) * self.variance[m]
            + wider * wider * reference_variance * self.variance[mr]
            - 2.0 * wider * covariance)
            .sqrt();
        let z = sum / m as f64 / error;
        if z.abs() < 0.9 * BAR {
            return Some(z);
        }
        let towards = |part: &Nights| {
            let mut scores: Vec<f64> = part.scores(level, clip).map(|e| e * z.signum()).collect();
            majority(&mut scores)
        };
        let agreed = (MAJORITY * (towards(&part) - towards(&beside)) / error).max(0.0);
        Some(z.abs().min(agreed).copysign(z))
    }
}

impl Contrasts {
    /// All contrasts of `part` at the nights `at`, counted from its start, with references of `fewest` nights or more.
    pub(super) fn scan(
        nights: Nights,
        part: Range<usize>,
        at: Range<usize>,
        noise: &NightNoise,
        fewest: usize,
    ) -> Self {
        let n = part.len();
        let sides = Sides::new(nights.part(part.clone()), noise);
        let mut all = vec![[Contrast::default(); COLUMNS]; n + 1];
        let last = (n + 1).saturating_sub(SHORTEST);
        for t in at.start.max(SHORTEST)..at.end.min(last) {
            for after in [true, false] {
                let (most, whole) = if after { (n - t, t) } else { (t, n - t) };
                for column in 0..COLUMNS {
                    let mr = length(column, whole);
                    if mr > whole || mr < fewest {
                        continue;
                    }
                    let reference = if after { t - mr..t } else { t..t + mr };
                    let mut level = None;
                    for short in 0..COLUMNS {
                        let m = length(short, most);
                        if m > mr.min(most) || m < SHORTEST {
                            continue;
                        }
                        // Long stretches change little from night to night.
                        if m >= 20 && t % (m / 8) != 0 {
                            continue;
                        }
                        // References of about m, 2 m, 4 m, ... and the whole side.
                        let known = column < LENGTHS.len() && short < LENGTHS.len();
                        let between = m < 20 && mr > 20 && column.abs_diff(short) % 2 == 1;
                        if known && (mr > 20 * m || between) {
                            continue;
                        }
                        let stretch = if after { t..t + m } else { t - m..t };
                        let Some(z) = sides.contrast(&stretch, &reference, &mut level) else {
                            continue;
                        };
                        let z = if after { z } else { -z };
                        let known = &mut all[t][short];
                        if z.abs() > known.z.abs() {
                            known.z = z;
                            known.window = (
                                stretch.start.min(reference.start),
                                stretch.end.max(reference.end),
                            );
                        }
                        if mr <= NEAR {
                            known.near = known.near.max(z.abs());
                        }
                    }
                }
            }
        }
        Self { first: part.start, length: n, all }
    }

    /// The largest contrast at these nights, counted from the start of the part, with its sign.
    pub(super) fn largest(&self, at: Range<usize>) -> f64 {
        let rows = self.all[at.start.min(self.length)..at.end.min(self.length + 1)].iter();
        rows.flatten().map(|one| one.z).fold(0.0, |a, b| if b.abs() > a.abs() { b } else { a })
    }

    /// The contrast furthest over its bar, if one reaches half of it.
    pub(super) fn best(&self) -> Option<Found> {
        let n = self.length;
        let mut best: Option<Found> = None;
        for column in 0..COLUMNS {
            for t in SHORTEST..(n + 1).saturating_sub(SHORTEST) {
                let one = &self.all[t][column];
                let z = one.z.abs();
                let known = best.as_ref().map_or(0.0, |best| best.ratio);
                if z < 0.5 * BAR || z / BAR <= known {
                    continue;
                }
                let ratio = z / self.bar(t, column, z);
                if ratio > known {
                    best = Some(Found {
                        ratio,
                        night: self.first + t,
                        window: (self.first + one.window.0, self.first + one.window.1),
                        part: (self.first, self.first + n),
                    });
                }
            }
        }
        best
    }

    /// The bar of a contrast: of a short stretch also a multiple of the largest one of its length elsewhere.
    fn bar(&self, t: usize, column: usize, z: f64) -> f64 {
        let n = self.length;
        let m = length(column, t.min(n - t));
        if m > n / 8 || z >= CLEAR {
            return BAR;
        }
        let end = m == t || m == n - t;
        let like = LENGTHS.partition_point(|length| *length <= m).saturating_sub(1);
        let column = if column == LENGTHS.len() { like } else { column };
        let places = SHORTEST..(n + 1).saturating_sub(SHORTEST);
        let elsewhere = places.filter(|u| u.abs_diff(t) > NEAR + m);
        let (mut count, mut largest) = (0, 0.0_f64);
        for place in elsewhere {
            count += 1;
            largest = largest.max(self.all[place][column].near);
        }
        let own = if count >= PLACES { TIMES_ELSEWHERE[usize::from(!end)] * largest } else { 0.0 };
        let least = if end { BAR } else { INSIDE * BAR };
        own.max(least)
    }
}
