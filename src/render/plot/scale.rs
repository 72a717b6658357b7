//! From values to places on an axis: geometry, no statistics.

use crate::report::Row;
use crate::report::comparison::row_text;

/// Ratio of the largest to the smallest value above which an axis is logarithmic.
const MANY_TIMES: f64 = 12.0;

/// Steps between ticks, times a power of ten.
const STEPS: [f64; 4] = [1.0, 2.0, 5.0, 10.0];

/// An axis: straight, or logarithmic.
#[derive(Clone, Copy, Debug)]
pub(in crate::render) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    logarithmic: bool,
}

/// Numbers to write at an axis.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::render) struct Ticks {
    /// Values, ascending.
    pub(in crate::render) at: Vec<f64>,
    /// Decimals that make the numbers different.
    pub(in crate::render) decimals: usize,
}

impl Scale {
    /// An axis from `from` to `to` that shows all `values` with some room; `None` without a finite span.
    pub(in crate::render) fn over(
        values: impl IntoIterator<Item = f64>,
        from: f64,
        to: f64,
    ) -> Option<Self> {
        let (low, high) = values
            .into_iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let span = high - low;
        let room = if span > 0.0 { 0.07 * span } else { (low.abs() * 0.01).max(1e-9) };
        let scale = Self { logarithmic: false, low: low - room, high: high + room, from, to };
        (scale.high - scale.low).is_normal().then_some(scale)
    }

    /// The same, logarithmic where the largest of positive values is more than [`MANY_TIMES`] the smallest.
    pub(in crate::render) fn fitted(values: &[f64], from: f64, to: f64) -> Option<Self> {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        if !(least > 0.0 && most > MANY_TIMES * least && most.is_finite()) {
            return Self::over(values.iter().copied(), from, to);
        }
        let room = (most / least).powf(0.07);
        Some(Self { low: least / room, high: most * room, from, to, logarithmic: true })
    }

    /// An axis with these ends.
    pub(in crate::render) fn between((low, high): (f64, f64), from: f64, to: f64) -> Self {
        Self { low, high, from, to, logarithmic: false }
    }

    /// The same axis for values that are `factor` times as large.
    pub(in crate::render) fn times(self, factor: f64) -> Self {
        Self { low: self.low * factor, high: self.high * factor, ..self }
    }

    /// Position of `value`; values beyond an end are drawn at the end.
    pub(in crate::render) fn at(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let share = if self.logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + share * (self.to - self.from)
    }

    /// The lowest and the highest value of the axis.
    pub(in crate::render) fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    pub(in crate::render) fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// At most about `most` round numbers on the axis.
    pub(in crate::render) fn ticks(&self, most: usize) -> Ticks {
        if self.logarithmic {
            return self.powers(most);
        }
        let rough = (self.high - self.low) / most.max(1) as f64;
        let power = rough.log10().floor();
        let unit = 10_f64.powf(power);
        let step = STEPS.iter().map(|s| s * unit).find(|step| *step >= rough).unwrap_or(rough);
        if !step.is_normal() {
            return Ticks { at: Vec::new(), decimals: 0 };
        }
        let (first, last) = ((self.low / step).ceil(), (self.high / step).floor());
        let count = (last - first).clamp(0.0, 2.0 * most as f64);
        // The sum with zero makes a zero of minus zero.
        let mut at = vec![first * step + 0.0];
        while at.len() as f64 <= count {
            at.push((first + at.len() as f64) * step + 0.0);
        }
        Ticks { at, decimals: decimals(step) }
    }
}

impl Scale {
    /// Powers of ten on a logarithmic axis, with their doubles and fives where there are few.
    fn powers(&self, most: usize) -> Ticks {
        let (first, last) = (self.low.log10().floor(), self.high.log10().ceil());
        let among = |steps: &[f64]| -> Vec<f64> {
            let count = (last - first).clamp(0.0, 600.0);
            let powers = (0..).map(|n| f64::from(n) + first).take_while(|n| *n <= first + count);
            let all = powers.flat_map(|n| steps.iter().map(move |step| step * 10_f64.powf(n)));
            all.filter(|tick| self.holds(*tick)).collect()
        };
        let fits = |ticks: &Vec<f64>| ticks.len() <= most;
        let choices = [&STEPS[..3], &[1.0, 3.0], &[1.0]];
        let at = choices.into_iter().map(among).find(fits).unwrap_or_else(|| {
            let all = among(&[1.0]);
            let every = all.len().div_ceil(most.max(1));
            all.into_iter().step_by(every.max(1)).collect()
        });
        let decimals = at.first().map_or(0, |least| decimals(*least));
        Ticks { at, decimals }
    }
}

/// Decimals of a multiple of `step`, at most 9.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0 to 9")]
fn decimals(step: f64) -> usize {
    (-(step * 1.000_001).log10().floor()).clamp(0.0, 9.0) as usize
}

/// Times the middle reach at which an axis ends, so that one wide interval does not hide all others.
const WIDEST: f64 = 4.0;

/// Ends of a common axis of relative changes, zero and the smallest margin within; `None` where no row has one.
pub(in crate::render) fn span(rows: &[&Row]) -> Option<(f64, f64)> {
    let ends = |row: &Row| -> Option<(f64, f64)> {
        let estimate = row.delta.relative?;
        let [low, high] = row_text::ends(row).unwrap_or([estimate, estimate]);
        Some((low, high))
    };
    let all: Vec<(f64, f64)> = rows.iter().filter_map(|row| ends(row)).collect();
    let mut reaches: Vec<f64> = all.iter().map(|(low, high)| (-low).max(*high)).collect();
    reaches.sort_by(f64::total_cmp);
    let margin = rows.iter().map(|row| row.margin).fold(f64::INFINITY, f64::min);
    let most = (WIDEST * reaches.get(reaches.len() / 2)?).max(margin);
    let low = all.iter().fold(-margin, |least: f64, (low, _)| least.min(*low)).max(-most);
    let high = all.iter().fold(margin, |most: f64, (_, high)| most.max(*high)).min(most);
    (high - low).is_normal().then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let scale = Scale::over([-0.051, 0.0, 0.012], 0.0, 100.0).expect("a span");
        let ticks = scale.ticks(4);
        assert_eq!(ticks, Ticks { at: vec![-0.04, -0.02, 0.0], decimals: 2 });
        assert!(ticks.at.iter().all(|tick| scale.holds(*tick)));
    }

    #[test]
    fn equal_values_and_zeros_have_an_axis_and_infinite_spans_have_none() {
        for value in [0.0, 5.0, -3.0e300] {
            let scale = Scale::over([value, value], 0.0, 10.0).expect("a span");
            assert!((scale.at(value) - 5.0).abs() < 1e-6, "{value}");
        }
        assert!(Scale::over([f64::MIN, f64::MAX], 0.0, 1.0).is_none());
        assert!(Scale::over([], 0.0, 1.0).is_none());
    }
}
