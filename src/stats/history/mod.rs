//! A verdict on a history: what changed in a series of nights, since when, and how sure that is.
//!
//! A series has one value a night, in the order of the nights; a night that was not measured is absent. [`History::of`] finds
//! steps of the level, creeps, changes of the noise itself, and nights that were far off and went back. It tells a change
//! from a spike after three nights.
//!
//! # The promise
//!
//! In a series of 120 nights in which nothing changed, `judge` finds a step in at most 3 % of the series, and anything at
//! all in at most 5 %: for normal, t (3 degrees of freedom), log-normal and two-mode noise, for noise that keeps up to 70 %
//! of a night's deviation (AR(1)), for noise that differs from night to night, and with spikes of 5 times the level on
//! 1 or 3 % of the nights. A step of 5 % at 1 % noise is found after 3 nights in 95 % of the series, after 5 in 99 %; where
//! the noise keeps half of a night's deviation, in 75 and 92 %. The interval of a date covers the night in 93 % or more.
//! `calibration --history` measures all of this.
//!
//! # The procedure
//!
//! 1. **Scale.** The logarithm of the values if all are above 0, or else the values. Below [`History::FEWEST_NIGHTS`] nights, and
//!    where all values are equal, nothing is judged.
//! 2. **Noise of a night**: a variogram of clipped differences at lags of 1 to 10 nights, about the levels that are known
//!    so far. It gives the standard deviation of a night, its memory (the share that the next night keeps) and the share of
//!    the variance without memory. A step moves few differences, a spike moves those of all lags alike.
//! 3. **Changes of the noise**: log distances of each night from its four neighbours, compared between stretches of 10
//!    nights or more. From here on each night is judged in units of its own noise.
//! 4. **Contrasts.** At every night, stretches of 3, 4, 5, 7, 10, ... nights on one side are compared with references of 8
//!    nights or more on the other, in standard errors that count the memory and the variance of both. The scores of a night
//!    are clipped. The majority of the stretch must have moved too: a few far nights are no step.
//! 5. **Bar.** `BAR`, and for short stretches a multiple of the largest contrast of that length in the rest of the series:
//!    if earlier nights moved as much without a change, these prove nothing.
//! 6. **Forward.** The contrast furthest over its bar is a change; its night is the most likely one given the night before.
//!    Then all is repeated. If none is over its bar, up to five candidates are taken as real to see the noise without them:
//!    changes that are not known yet widen it.
//! 7. **Backward.** Each change is judged again between its neighbours, with the noise that is left; the weakest below the
//!    bar goes, until none does.
//! 8. **Reports.** The nights that may be the first one of the change, the effect with its standard error, and how many
//!    earlier stretches moved as far. Steps in one direction are a creep if one slope explains them better.
//! 9. **The last nights.** One or two last nights beyond 4 standard deviations are open: a spike or a change. Earlier ones
//!    that are part of no change are excursions that went back.
//!
//! [`History::list_p_value`] and [`Shared::nights`] are for many series at once, and [`History::pooled`] makes one series of them.
//!
//! # Limits
//!
//! Fewer than about 30 nights show little. Long memory (AR(1) of 0.8 plus white noise) alarms in 8 %. Two hosts that
//! take turns for weeks are reported as changes. Where the memory is 0.5 or more, changes below 3 standard deviations are
//! found late or not at all, and then overstated. A creep of less than about 3 standard deviations is called a step, or
//! nothing. A change of the noise needs about 40 nights; in the first 20, 10 to 20 % of the series get a false step.

#![allow(
    clippy::similar_names,
    clippy::float_cmp,
    clippy::needless_range_loop,
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    clippy::type_complexity,
    clippy::single_range_in_vec_init,
    reason = "the letters and indices of the method, over nights counted from 0; equal values are equal to the last bit"
)]

mod contrast;
mod levels;
mod lists;
mod nights;
mod noise;
mod spread;

use crate::numerics::distribution::t_quantile;
use crate::runs::sample::Interval;

use contrast::{BAR, Contrasts, Found, REFERENCE, SHORTEST};
use levels::{Date, date, level_of_nights, levels, slope, stretches};
pub use lists::{Dated, Shared};
use nights::{Nights, location};
pub use noise::NightNoise;
use noise::{Variogram, median, take_off_rise};
pub use spread::NoiseChange;
use spread::spreads;

/// A night beyond this many standard deviations is far off.
const FAR: f64 = 4.0;

/// Candidates that are taken as real in turn to see the noise without them; five steps of one series are found then.
const CANDIDATES: usize = 5;

/// A candidate has this much of its bar under the noise of short lags.
const PROMISING: f64 = 0.8;

/// The bar rises by this much for each candidate that was taken as real.
const PRICE_OF_CANDIDATE: f64 = 0.08;

/// Most changes of a series.
const MOST_CHANGES: usize = 30;

/// Smallest standard deviation of a night, in logarithms: values that never vary have a noise too.
const LEAST_SD: f64 = 1e-9;

/// Share of the nights that count as degrees of freedom of the noise, because its differences overlap.
const DF_SHARE: f64 = 0.6;

/// Fewest nights of a creep: shorter slopes are steps that took a few nights.
const CREEP: usize = 10;

/// The verdict on a series.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct History {
    /// Number of nights in the series.
    pub nights: usize,
    /// Whether levels and effects are logarithms.
    pub logarithmic: bool,
    /// Noise of a night where it is quietest; `None` where nothing was judged.
    pub noise: Option<NightNoise>,
    /// Level of each night, in the scale of the judgement; empty where nothing was judged.
    pub levels: Vec<f64>,
    /// Standard deviation of each night, in the same scale.
    pub sd: Vec<f64>,
    /// Changes of the level, in order.
    pub changes: Vec<Change>,
    /// Creeps, in order, each in place of the changes that it names.
    pub creeps: Vec<Creep>,
    /// Changes of the noise, in order.
    pub noise_changes: Vec<NoiseChange>,
    /// Nights that were far off and went back, in order.
    pub excursions: Vec<usize>,
    /// How many of the last nights are far off on one side and may be a change: 0, 1 or 2.
    pub open: usize,
}

/// A change of the level.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// First night of the new level, from 0.
    pub night: usize,
    /// First and last night that may be it.
    pub first: usize,
    /// See `first`.
    pub last: usize,
    /// New level less the old one, in the scale of the judgement.
    pub effect: f64,
    /// Standard error of the effect, in the same scale.
    pub standard_error: f64,
    /// Degrees of freedom of the standard error.
    pub df: f64,
    /// Contrast between both sides in standard errors, positive for a rise.
    pub z: f64,
    /// The same stretches elsewhere.
    pub elsewhere: Elsewhere,
}

/// How far stretches of nights elsewhere are from their own level, beside a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// Nights of a stretch: those of the change, at most 5.
    pub nights: usize,
    /// Stretches outside the new level.
    pub stretches: usize,
    /// Those whose median was as far from its level as the change is large.
    pub as_far: usize,
}

/// A level that moved over many nights.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Creep {
    /// First night of the slope.
    pub start: usize,
    /// First night after it.
    pub end: usize,
    /// Difference of both levels, in the scale of the judgement.
    pub effect: f64,
    /// Standard error of the effect, in the same scale.
    pub standard_error: f64,
    /// Degrees of freedom of the standard error.
    pub df: f64,
    /// Positions of the first and the last change that it replaces.
    pub changes: (usize, usize),
}

impl History {
    /// Fewest nights that are judged: a reference of 8 nights and a change of 3, and one more.
    pub const FEWEST_NIGHTS: usize = 12;

    /// Nights from which on a change is likely to be seen soon; below, "not yet" is the usual answer.
    pub const ENOUGH_NIGHTS: usize = 30;

    /// From this contrast on a change is sure: 0.04 % of unchanged series of 120 nights reach it.
    pub const SURE: f64 = 6.0;

    /// The step that would be found after so many nights in four of five series of this noise, in the scale of the judgement;
    /// `None` where nothing was judged, and for fewer than 3 nights.
    ///
    /// It is reckoned from the noise: a bar of 5.2 standard errors, as the largest of many stretches usually sets it, and 0.84
    /// for the power. For 1 % normal noise 2.8 % after 5 nights, where the simulation finds 3 % in 86 of 100 series.
    pub fn shown_after(&self, nights: usize) -> Option<f64> {
        let noise = self.noise.filter(|_| nights >= SHORTEST)?;
        let last = self.sd.last()?;
        let before = self.nights.saturating_sub(nights).max(REFERENCE);
        Some((5.2 + 0.84) * last * (noise.of_mean(nights) + noise.of_mean(before)).sqrt())
    }

    fn unjudged(nights: usize, logarithmic: bool) -> Self {
        Self {
            nights,
            logarithmic,
            noise: None,
            levels: Vec::new(),
            sd: Vec::new(),
            changes: Vec::new(),
            creeps: Vec::new(),
            noise_changes: Vec::new(),
            excursions: Vec::new(),
            open: 0,
        }
    }
}

impl Change {
    /// The effect with its interval, at `confidence` in (0, 1), in the scale of the judgement.
    pub fn interval(&self, confidence: f64) -> Interval {
        interval(self.effect, self.standard_error, self.df, confidence)
    }
}

impl Creep {
    /// The effect with its interval, at `confidence` in (0, 1), in the scale of the judgement.
    pub fn interval(&self, confidence: f64) -> Interval {
        interval(self.effect, self.standard_error, self.df, confidence)
    }
}

fn interval(effect: f64, error: f64, df: f64, confidence: f64) -> Interval {
    let half = t_quantile(0.5 + confidence / 2.0, df) * error;
    Interval { low: effect - half, high: effect + half, confidence }
}

/// A series in its scale, and its noise by night relative to the quietest.
struct Series {
    values: Vec<f64>,
    relative: Vec<f64>,
    rough: f64,
}

/// The noise of the series under some changes, and the standard deviation of each night.
struct Fitted {
    noise: NightNoise,
    sd: Vec<f64>,
}

impl History {
    /// Judges a series of one finite value a night, in order.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::history::History;
    ///
    /// // 40 nights about 100 ms, then 6 about 106 ms.
    /// let night = |i: usize| 100.0 + [0.4, -0.7, 0.9, -0.2, -0.5, 0.6, -0.4][i % 7];
    /// let nights: Vec<f64> = (0..46).map(|i| night(i) + if i < 40 { 0.0 } else { 6.0 }).collect();
    /// let history = History::of(&nights);
    ///
    /// assert_eq!(history.changes.len(), 1);
    /// assert_eq!(history.changes[0].night, 40);
    /// assert!((history.changes[0].effect.exp() - 1.06).abs() < 0.005);
    /// ```
    pub fn of(values: &[f64]) -> History {
        let logarithmic = values.iter().all(|value| *value > 0.0);
        if logarithmic {
            let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
            return judge_on_scale(&logs, true);
        }
        History::of_raw(values)
    }

    /// [`History::of`] on the scale of the values themselves: effects are differences.
    pub fn of_raw(values: &[f64]) -> History {
        // In units of the largest, so that the unit of the values makes no difference.
        let unit = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        if unit == 0.0 {
            return History::unjudged(values.len(), false);
        }
        let scaled: Vec<f64> = values.iter().map(|value| value / unit).collect();
        let mut history = judge_on_scale(&scaled, false);
        let effects =
            history.changes.iter_mut().map(|one| (&mut one.effect, &mut one.standard_error));
        let creeps =
            history.creeps.iter_mut().map(|one| (&mut one.effect, &mut one.standard_error));
        for (effect, error) in effects.chain(creeps) {
            (*effect, *error) = (*effect * unit, *error * unit);
        }
        history.levels.iter_mut().chain(&mut history.sd).for_each(|value| *value *= unit);
        if let Some(noise) = &mut history.noise {
            noise.sd *= unit;
        }
        history
    }
}

fn judge_on_scale(values: &[f64], logarithmic: bool) -> History {
    let n = values.len();
    if n < History::FEWEST_NIGHTS || values.iter().all(|value| *value == values[0]) {
        return History::unjudged(n, logarithmic);
    }
    let (relative, noise_changes) = spreads(values);
    let mut steps: Vec<f64> = values.windows(2).map(|two| (two[1] - two[0]).abs()).collect();
    // Median of the absolute differences of normal nights: 0.9539 standard deviations.
    let rough = median(&mut steps) / 0.9539 + 1e-12;
    let series = Series { values: values.to_vec(), relative, rough };
    let (changes, sizes) = series.backward(series.forward());
    let mut history = series.described(&changes, &sizes);
    history.logarithmic = logarithmic;
    history.noise_changes = noise_changes;
    history
}

impl Series {
    fn nights<'a>(&'a self, fitted: &'a Fitted) -> Nights<'a> {
        Nights { values: &self.values, sd: &fitted.sd }
    }

    /// Step 2, about the levels between these changes.
    fn fit(&self, changes: &[usize], how: Variogram) -> Fitted {
        let rough: Vec<f64> = self.relative.iter().map(|relative| relative * self.rough).collect();
        let levels = level_of_nights(Nights { values: &self.values, sd: &rough }, changes);
        let residuals = self.values.iter().zip(&levels).zip(&self.relative);
        let mut residuals: Vec<f64> =
            residuals.map(|((value, level), relative)| (value - level) / relative).collect();
        for part in stretches(changes, self.values.len()) {
            take_off_rise(&mut residuals[part]);
        }
        let noise = NightNoise::fit(&residuals, how);
        let noise = NightNoise { sd: noise.sd.max(LEAST_SD), ..noise };
        Fitted { sd: self.relative.iter().map(|relative| relative * noise.sd).collect(), noise }
    }

    /// Steps 4 and 5, between these changes.
    fn best(&self, changes: &[usize], fitted: &Fitted) -> Option<Found> {
        let parts = stretches(changes, self.values.len()).into_iter();
        let found = parts.filter(|part| part.len() >= REFERENCE + SHORTEST).filter_map(|part| {
            let at = 0..part.len() + 1;
            Contrasts::scan(self.nights(fitted), part, at, &fitted.noise, REFERENCE).best()
        });
        found.reduce(|best, one| if one.ratio > best.ratio { one } else { best })
    }

    /// The night of a change that was found.
    fn place(&self, found: &Found, fitted: &Fitted) -> usize {
        let (start, end) = found.part;
        if end - start < 8 {
            return found.night;
        }
        let Date { night, .. } = date(self.nights(fitted), start..end, found.night, &fitted.noise);
        let inside = found.window.0 < night && night < found.window.1;
        let room = night >= start + SHORTEST && night + SHORTEST <= end;
        if inside && room { night } else { found.night }
    }

    /// Step 6.
    fn forward(&self) -> Vec<usize> {
        let mut changes: Vec<usize> = Vec::new();
        while changes.len() < MOST_CHANGES {
            let Some(night) = self.next_change(&changes) else { break };
            changes.push(night);
            changes.sort_unstable();
        }
        changes
    }

    /// The change furthest over its bar beside those that are known.
    fn next_change(&self, changes: &[usize]) -> Option<usize> {
        let mut assumed = changes.to_vec();
        for candidates in 0..=CANDIDATES {
            let fitted = self.fit(&assumed, Variogram::FULL);
            let bar = 1.0 + PRICE_OF_CANDIDATE * candidates as f64;
            if let Some(found) = self.best(changes, &fitted).filter(|found| found.ratio >= bar) {
                return Some(self.place(&found, &fitted));
            }
            let short = self.fit(&assumed, Variogram::SHORT);
            let next = self.best(&assumed, &short).filter(|next| next.ratio >= PROMISING)?;
            assumed.push(self.place(&next, &short));
            assumed.sort_unstable();
        }
        None
    }

    /// Step 7: the changes that are left, each with its contrast.
    fn backward(&self, mut changes: Vec<usize>) -> (Vec<usize>, Vec<f64>) {
        loop {
            let fitted = self.fit(&changes, Variogram::FULL);
            let parts = stretches(&changes, self.values.len());
            let sizes: Vec<f64> = parts
                .windows(2)
                .map(|two| {
                    let (part, at) = (two[0].start..two[1].end, two[0].len());
                    let fewest = REFERENCE.min(two[0].len().max(two[1].len()));
                    let near = at.saturating_sub(1)..at + 2;
                    let nights = self.nights(&fitted);
                    Contrasts::scan(nights, part, near.clone(), &fitted.noise, fewest).largest(near)
                })
                .collect();
            let weakest =
                (0..sizes.len()).min_by(|a, b| sizes[*a].abs().total_cmp(&sizes[*b].abs()));
            match weakest.filter(|at| sizes[*at].abs() < BAR) {
                Some(at) => changes.remove(at),
                None => return (changes, sizes),
            };
        }
    }

    /// Steps 8 and 9.
    fn described(&self, changes: &[usize], sizes: &[f64]) -> History {
        let n = self.values.len();
        let fitted = self.fit(changes, Variogram::FULL);
        let nights = self.nights(&fitted);
        let level = level_of_nights(nights, changes);
        let each = levels(nights, changes);
        let parts = stretches(changes, n);
        let df = (DF_SHARE * (n - 1 - changes.len()) as f64).max(3.0);
        let error = |before: usize, after: usize, at: usize| {
            let variance = |sd: f64, nights: usize| sd * sd * fitted.noise.of_mean(nights);
            (variance(fitted.sd[at - 1], before) + variance(fitted.sd[at], after)).sqrt()
        };
        let far = |t: usize| (self.values[t] - level[t]) / fitted.sd[t];
        let found: Vec<Change> = changes
            .iter()
            .zip(sizes)
            .enumerate()
            .map(|(at, (&night, &z))| {
                let (before, after) = (parts[at].clone(), parts[at + 1].clone());
                let effect = each[at + 1] - each[at];
                let date = date(nights, before.start..after.end, night, &fitted.noise);
                // A far first night beyond the new level belongs to neither.
                let beyond = far(night) * effect.signum() > FAR && night + 1 < after.end;
                Change {
                    night,
                    first: date.first.min(night),
                    last: date.last.max(night + usize::from(beyond)),
                    effect,
                    standard_error: error(before.len(), after.len(), night),
                    df,
                    z,
                    elsewhere: self.elsewhere(&level, &after, effect),
                }
            })
            .collect();
        let open = self.open(&far);
        let excursions = (0..n - open).filter(|t| far(*t).abs() > FAR).collect();
        let creeps = creeps(nights, &level, &found, &fitted.noise, |start, end, part| {
            (error((start - part.0).max(SHORTEST), (part.1 - end).max(SHORTEST), start.max(1)), df)
        });
        History {
            noise: Some(fitted.noise),
            changes: found,
            creeps,
            excursions,
            open,
            sd: fitted.sd.clone(),
            levels: level,
            ..History::unjudged(n, false)
        }
    }

    /// Stretches outside `after` whose median is as far from its own level as `effect` is large.
    fn elsewhere(&self, levels: &[f64], after: &std::ops::Range<usize>, effect: f64) -> Elsewhere {
        let nights = after.len().clamp(SHORTEST, 5);
        let residuals: Vec<f64> = self.values.iter().zip(levels).map(|(v, l)| v - l).collect();
        let outside = (0..(residuals.len() + 1).saturating_sub(nights))
            .filter(|start| start + nights <= after.start || *start >= after.end);
        let (mut stretches, mut as_far) = (0, 0);
        for start in outside {
            stretches += 1;
            let middle = median(&mut residuals[start..start + nights].to_vec());
            as_far += usize::from(middle.abs() >= effect.abs());
        }
        Elsewhere { nights, stretches, as_far }
    }

    /// Step 9: the last nights that may be a change.
    fn open(&self, far: &impl Fn(usize) -> f64) -> usize {
        let n = self.values.len();
        let last = far(n - 1);
        let same_side = |t: &usize| far(*t) * last.signum() > FAR;
        (n + 1 - SHORTEST..n).rev().take_while(same_side).count()
    }
}

/// Runs of changes in one direction that one slope explains better, step 8.
fn creeps(
    nights: Nights,
    levels: &[f64],
    changes: &[Change],
    noise: &NightNoise,
    error: impl Fn(usize, usize, (usize, usize)) -> (f64, f64),
) -> Vec<Creep> {
    let mut creeps = Vec::new();
    let mut from = 0;
    while from < changes.len() {
        let rises = |change: &Change| change.effect > 0.0;
        let run = changes[from..].iter().take_while(|one| rises(one) == rises(&changes[from]));
        let count = run.count();
        let to = from + count - 1;
        let start = from.checked_sub(1).map_or(0, |before| changes[before].night);
        let end = changes.get(to + 1).map_or(nights.len(), |next| next.night);
        if let Some(slope) = slope(nights, start..end, levels) {
            let log = ((end - start) as f64).ln();
            let cost = slope.cost / noise.long_run() + 4.0 * log;
            let steps = slope.cost_of_steps / noise.long_run() + (2 * count + 1) as f64 * log;
            // A step is preferred where both explain as much.
            let better = cost < steps - 1.0 && slope.end - slope.start >= CREEP;
            if better && (slope.rise > 0.0) == rises(&changes[from]) {
                let (standard_error, df) = error(slope.start, slope.end, (start, end));
                creeps.push(Creep {
                    start: slope.start,
                    end: slope.end,
                    effect: slope.rise,
                    standard_error,
                    df,
                    changes: (from, to),
                });
            }
        }
        from = to + 1;
    }
    creeps
}

impl History {
    /// Clipped mean of the nights after `night` minus that before it, both within `part`, on the scale of the values.
    /// `sd` is the standard deviation of each night. The result is 0 if a side has no nights.
    pub fn difference(
        values: &[f64],
        sd: &[f64],
        part: std::ops::Range<usize>,
        night: usize,
    ) -> f64 {
        let side = |part: std::ops::Range<usize>| {
            (!part.is_empty()).then(|| location(&Nights { values, sd }.part(part)))
        };
        match (side(part.start..night), side(night..part.end)) {
            (Some(before), Some(after)) => after - before,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::distribution::normal_quantile;

    /// `nights` nights of normal noise of 0.5 %, with a rise of this share a night.
    fn rising(seed: u64, nights: usize, rise: f64) -> Vec<f64> {
        let mut state = seed;
        let mut next = || {
            // Knuth's generator, MMIX.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            normal_quantile(((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64)
        };
        (0..nights).map(|night| (0.005 * next() + rise * night as f64).exp()).collect()
    }

    /// A rise of 0.15 % a night is 36 times the noise after 120 nights, one of 0.075 % 22 times after 150: no memory of the
    /// noise explains it. Without a rise, 2 of 40 may be called.
    #[test]
    fn a_rise_over_all_nights_is_found() {
        let found = |nights: usize, rise: f64| {
            let one = |seed| !History::of(&rising(seed, nights, rise)).changes.is_empty();
            (1..=40).filter(|seed| one(*seed)).count()
        };
        assert!(found(120, 0.0) <= 2, "{}", found(120, 0.0));
        for (nights, rise) in [(120, 0.0015), (120, -0.0015), (150, 0.00075)] {
            assert!(found(nights, rise) >= 36, "{nights} {rise}: {}", found(nights, rise));
        }
    }
}
