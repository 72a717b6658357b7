//! A series of nights with the noise of each, and the level of a stretch.

use std::ops::Range;

use super::noise::median;

/// Nights are clipped at this many standard deviations from the level of their stretch.
const CLIP: f64 = 2.5;

/// A series on the scale of the judgement: its values and the standard deviation of each night.
#[derive(Clone, Copy)]
pub(super) struct Nights<'a> {
    pub(super) values: &'a [f64],
    pub(super) sd: &'a [f64],
}

impl<'a> Nights<'a> {
    pub(super) fn part(&self, part: Range<usize>) -> Self {
        Self { values: &self.values[part.clone()], sd: &self.sd[part] }
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Distances from a level in standard deviations, clipped.
    pub(super) fn scores(&self, level: f64, clip: f64) -> impl Iterator<Item = f64> + use<'a> {
        let pairs = self.values.iter().zip(self.sd);
        pairs.map(move |(value, sd)| ((value - level) / sd).clamp(-clip, clip))
    }
}

/// Clipped mean of a stretch about its median.
pub(super) fn location(part: &Nights) -> f64 {
    let mut level = median(&mut part.values.to_vec());
    for _ in 0..2 {
        let far = part.values.iter().zip(part.sd);
        let sum: f64 = far.map(|(value, sd)| (value - level).clamp(-CLIP * sd, CLIP * sd)).sum();
        level += sum / part.len() as f64;
    }
    level
}
