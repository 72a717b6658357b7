//! Changes of the noise itself: step 3.

use std::ops::Range;

/// Fewest nights in which the noise may change, and fewest on a side.
const FEWEST: usize = 24;
const SIDE: usize = 10;

/// Stretches that are compared, in nights; the last one is the whole side.
const LENGTHS: [usize; 12] = [10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320, usize::MAX];

/// The bar at 120 nights; a longer series has more places for one.
const BAR: f64 = 4.4;

/// Smallest ratio of two noises that is one: below, the level is judged as well without it.
const SMALLEST: f64 = 1.8;

/// Standard deviation of a clipped log deviation of normal noise.
const SD: f64 = 1.15;

/// The log deviations are clipped here, relative to the median one: rounding to zero says little, and a spike as well.
const CLIP: (f64, f64) = (-2.0, 1.5);

/// Nights whose cost is within this of the least belong to the date.
const DATE_MARGIN: f64 = 7.0;

/// A night from which the values scatter more or less than before.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NoiseChange {
    /// First night of the new noise.
    pub night: usize,
    /// First and last night that may be it.
    pub first: usize,
    /// See `first`.
    pub last: usize,
    /// New noise over the old one.
    pub ratio: f64,
    /// Its 95 % interval.
    pub interval: (f64, f64),
    /// Its size in standard errors, positive for more noise.
    pub z: f64,
}

/// How far each night is from its four neighbours, as clipped log.
fn deviations(values: &[f64]) -> Vec<f64> {
    let n = values.len();
    let far = |t: usize| {
        // Mirrored at the ends.
        let neighbour = |offset: usize, down: bool| match (down, t >= offset, t + offset < n) {
            (true, true, _) => values[t - offset],
            (true, false, _) => values.get(t + 5 - offset).copied().unwrap_or(values[t]),
            (false, _, true) => values[t + offset],
            (false, _, false) => values[(t + offset - 5).min(n - 1)],
        };
        let mut four =
            [neighbour(2, true), neighbour(1, true), neighbour(1, false), neighbour(2, false)];
        four.sort_unstable_by(f64::total_cmp);
        (values[t] - 0.5 * (four[1] + four[2])).abs()
    };
    let far: Vec<f64> = (0..n).map(far).collect();
    let mut centre = super::noise::median(&mut far.clone());
    if centre <= 0.0 {
        centre = far.iter().sum::<f64>() / n as f64 + 1e-12;
    }
    far.iter().map(|far| (far / centre + 1e-12).ln().clamp(CLIP.0, CLIP.1)).collect()
}

/// The largest change of the mean in `part`: its size in standard errors over `sd`, and its night.
fn largest(logs: &[f64], part: Range<usize>, sd: f64) -> Option<(f64, usize, f64)> {
    let n = part.len();
    let mut sums = vec![0.0];
    for log in &logs[part.clone()] {
        sums.push(sums[sums.len() - 1] + log);
    }
    let mut best: Option<(f64, usize, f64)> = None;
    let sides = |most: usize| {
        LENGTHS.iter().filter_map(move |length| match *length {
            usize::MAX => Some(most),
            length => (length <= most).then_some(length),
        })
    };
    for t in SIDE..(n + 1).saturating_sub(SIDE) {
        for before in sides(t) {
            for after in sides(n - t) {
                let (a, b) = (before as f64, after as f64);
                let change = (sums[t + after] - sums[t]) / b - (sums[t] - sums[t - before]) / a;
                let z = change / (sd * (1.0 / a + 1.0 / b).sqrt());
                if best.is_none_or(|best| z.abs() > best.0.abs()) {
                    best = Some((z, part.start + t, change));
                }
            }
        }
    }
    best
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Noise of each night relative to the quietest stretch, and the changes between stretches.
pub(super) fn spreads(values: &[f64]) -> (Vec<f64>, Vec<NoiseChange>) {
    let n = values.len();
    if n < FEWEST {
        return (vec![1.0; n], Vec::new());
    }
    let logs = deviations(values);
    let steps: Vec<f64> = logs.windows(2).map(|two| two[1] - two[0]).collect();
    let centre = mean(&steps);
    let spread = mean(&steps.iter().map(|step| (step - centre).powi(2)).collect::<Vec<_>>()).sqrt();
    let sd = SD.max(1.05 * spread / std::f64::consts::SQRT_2);
    let bar = BAR + 0.4 * (n as f64 / 120.0).max(1.0).ln();
    let (mut nights, mut open) = (Vec::new(), vec![0..n]);
    while let Some(part) = open.pop() {
        if part.len() < FEWEST {
            continue;
        }
        let Some((z, night, change)) = largest(&logs, part.clone(), sd) else { continue };
        if z.abs() > bar && change.abs() > SMALLEST.ln() {
            nights.push((night, z));
            open.extend([part.start..night, night..part.end]);
        }
    }
    nights.sort_unstable_by_key(|(night, _)| *night);
    let dates: Vec<usize> = nights.iter().map(|(night, _)| *night).collect();
    let parts = super::levels::stretches(&dates, n);
    let means: Vec<f64> = parts.iter().map(|part| mean(&logs[part.clone()])).collect();
    let least = means.iter().copied().fold(f64::INFINITY, f64::min);
    let relative = parts.iter().zip(&means);
    let relative = relative
        .flat_map(|(part, mean)| std::iter::repeat_n((mean - least).exp(), part.len()))
        .collect();
    let changes = nights.iter().enumerate().map(|(at, (night, z))| {
        let (before, after) = (parts[at].clone(), parts[at + 1].clone());
        let change = means[at + 1] - means[at];
        let error = sd * (1.0 / before.len() as f64 + 1.0 / after.len() as f64).sqrt();
        let (first, last) = date(&logs, before.start..after.end, *night, sd);
        let bound = |sign: f64| {
            (change + sign * crate::numerics::distribution::normal_quantile(0.975) * error).exp()
        };
        NoiseChange {
            night: *night,
            first,
            last,
            ratio: change.exp(),
            interval: (bound(-1.0), bound(1.0)),
            z: *z,
        }
    });
    (relative, changes.collect())
}

/// First and last night that may be that of the change of mean in `part`.
fn date(logs: &[f64], part: Range<usize>, night: usize, sd: f64) -> (usize, usize) {
    let levels = [mean(&logs[part.start..night]), mean(&logs[night..part.end])];
    let cost = |i: usize, side: usize| ((logs[i] - levels[side]) / sd).powi(2);
    let mut running: f64 = part.clone().map(|i| cost(i, 1)).sum();
    let mut costs = vec![running];
    for i in part.clone() {
        running += cost(i, 0) - cost(i, 1);
        costs.push(running);
    }
    let own = costs[night - part.start];
    let least = costs.iter().copied().fold(f64::INFINITY, f64::min).min(own);
    let within = |at: &usize| costs[at - part.start] <= least + DATE_MARGIN;
    let first = part.clone().find(within).map_or(night, |first| first.min(night));
    let last = part.clone().rev().find(within).map_or(night, |last| last.max(night));
    (first, last)
}
