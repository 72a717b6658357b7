//! Levels between changes, the night of a change, and slopes: steps 6 and 8.

use std::ops::Range;

use super::nights::{Nights, location};
use super::noise::NightNoise;

/// Largest cost of a night in the likelihood of a date, and of the night before it as its reference.
const DATE_CLIP: f64 = 12.0;
const BEFORE_CLIP: f64 = 3.5;

/// Nights whose cost is within this of the least belong to the date: 95 % to 100 % cover, with a part for the memory.
const DATE_MARGIN: [f64; 2] = [7.0, 6.0];

/// The stretches between changes.
pub(super) fn stretches(changes: &[usize], nights: usize) -> Vec<Range<usize>> {
    let starts = std::iter::once(0).chain(changes.iter().copied());
    let ends = changes.iter().copied().chain([nights]);
    starts.zip(ends).map(|(start, end)| start..end).collect()
}

/// Level of each stretch.
pub(super) fn levels(nights: Nights, changes: &[usize]) -> Vec<f64> {
    let parts = stretches(changes, nights.len()).into_iter();
    parts.map(|part| location(&nights.part(part))).collect()
}

/// Level of the stretch that each night belongs to.
pub(super) fn level_of_nights(nights: Nights, changes: &[usize]) -> Vec<f64> {
    let parts = stretches(changes, nights.len()).into_iter();
    let each = parts.zip(levels(nights, changes));
    each.flat_map(|(part, level)| std::iter::repeat_n(level, part.len())).collect()
}

/// The first night of a new level, with the nights that may be it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Date {
    pub(super) night: usize,
    pub(super) first: usize,
    pub(super) last: usize,
}

/// Finds the night of the only change in `part` by the likelihood of its nights, each given the night before.
pub(super) fn date(nights: Nights, part: Range<usize>, near: usize, noise: &NightNoise) -> Date {
    let memory = noise.lag1();
    let new = (1.0 - memory * memory).sqrt();
    let margin = DATE_MARGIN[0] + DATE_MARGIN[1] * memory;
    let n = part.len();
    let one = nights.part(part.clone());
    let mut at = near - part.start;
    let mut costs = vec![f64::INFINITY; n + 1];
    for _ in 0..3 {
        let levels = [location(&one.part(0..at)), location(&one.part(at..n))];
        let score = |i: usize, side: usize| (one.values[i] - levels[side]) / one.sd[i];
        let cost = |i: usize, before: usize, after: usize| {
            let known =
                if i == 0 { 0.0 } else { score(i - 1, before).clamp(-BEFORE_CLIP, BEFORE_CLIP) };
            ((score(i, after) - memory * known) / new).powi(2).min(DATE_CLIP)
        };
        let sums = |side: usize| -> Vec<f64> {
            let mut sums = vec![0.0; n + 1];
            for i in 0..n {
                sums[i + 1] = sums[i] + cost(i, side, side);
            }
            sums
        };
        let (left, right) = (sums(0), sums(1));
        let mut best = (f64::INFINITY, at);
        for c in 3..n.saturating_sub(2) {
            costs[c] = left[c] + cost(c, 0, 1) + right[n] - right[c + 1];
            if costs[c] < best.0 {
                best = (costs[c], c);
            }
        }
        if best.1 == at {
            break;
        }
        at = best.1;
    }
    let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
    let within = |c: &usize| costs[*c] <= least + margin && least.is_finite();
    let first = (0..=n).find(within).map_or(at, |c| c.min(at));
    let last = (0..=n).rev().find(within).map_or(at, |c| c.max(at));
    Date { night: part.start + at, first: part.start + first, last: part.start + last }
}

/// A level, a slope and a level in place of steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slope {
    /// First night of the slope.
    pub(super) start: usize,
    /// First night after it.
    pub(super) end: usize,
    /// Difference of both levels.
    pub(super) rise: f64,
    /// Squares that it leaves, and that the steps leave.
    pub(super) cost: f64,
    pub(super) cost_of_steps: f64,
}

/// The best slope of 8 nights or more over `part`, in place of the `steps` there; at least 8 nights.
pub(super) fn slope(nights: Nights, part: Range<usize>, steps: &[f64]) -> Option<Slope> {
    let n = part.len();
    let one = nights.part(part.clone());
    let steps = &steps[part.clone()];
    // A spike is as far from both.
    let value = |i: usize| {
        let sd = one.sd[i];
        steps[i] + (one.values[i] - steps[i]).clamp(-4.0 * sd, 4.0 * sd)
    };
    let values: Vec<f64> = (0..n).map(value).collect();
    let weights: Vec<f64> = one.sd.iter().map(|sd| 1.0 / (sd * sd)).collect();
    let cost = |fit: &dyn Fn(usize) -> f64| -> f64 {
        (0..n).map(|i| ((values[i] - fit(i)) / one.sd[i]).powi(2).min(9.0)).sum()
    };
    let cost_of_steps = cost(&|i| steps[i]);
    let stride = (n / 30).max(1);
    let mut best: Option<Slope> = None;
    for start in (0..n.saturating_sub(7)).step_by(stride) {
        for end in (start + 8..n + stride).step_by(stride) {
            let end = end.min(n);
            let at =
                |i: usize| (((i + 1) as f64 - start as f64) / (end - start) as f64).clamp(0.0, 1.0);
            let mut sums = [0.0; 5];
            for i in 0..n {
                let (w, u, x) = (weights[i], at(i), values[i]);
                for (sum, term) in sums.iter_mut().zip([w, w * u, w * x, w * u * u, w * u * x]) {
                    *sum += term;
                }
            }
            let [w, u, x, uu, ux] = sums;
            let determinant = w * uu - u * u;
            if determinant <= 0.0 {
                continue;
            }
            let rise = (w * ux - u * x) / determinant;
            let base = (x - rise * u) / w;
            let cost = cost(&|i| base + rise * at(i));
            if best.is_none_or(|best| cost < best.cost) {
                best = Some(Slope {
                    start: part.start + start,
                    end: part.start + end,
                    rise,
                    cost,
                    cost_of_steps,
                });
            }
        }
    }
    best
}
