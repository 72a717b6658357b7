//! The difference of two independent variables: levels and quantiles without listing the pairs.

use crate::change::resample_distribution::ResampleDistribution;
use crate::numerics::bisection::smallest;
use crate::numerics::distribution::normal_quantile;

/// Pairs that a search lists once it has enclosed so few.
const FEW: usize = 64;

/// Pairs that it lists at most, where many are as good as equal.
const MAX_LISTED: usize = 4_096;

/// Steps after which it halves the bracket instead of following the guide, and after which it gives up
/// enclosing few.
const GUIDED: usize = 12;
const STEPS: usize = 30;

/// The differences `to - from` of all pairs of atoms.
pub(crate) struct DifferenceDistribution<'a> {
    from: &'a ResampleDistribution,
    to: &'a ResampleDistribution,
}

/// The pairs up to some number.
#[derive(Clone, Copy)]
struct Below {
    count: usize,
    probability: f64,
}

impl<'a> DifferenceDistribution<'a> {
    /// `to - from`, or with `mirrored` `from - to`.
    pub(crate) fn new(
        from: &'a ResampleDistribution,
        to: &'a ResampleDistribution,
        mirrored: bool,
    ) -> Self {
        if mirrored { Self { from: to, to: from } } else { Self { from, to } }
    }

    /// Probability of a difference of at most `x`.
    pub(crate) fn at_most(&self, x: f64) -> f64 {
        self.below(x).probability
    }

    fn below(&self, x: f64) -> Below {
        let (from, cumulative) = (self.from.atoms(), self.from.cumulative());
        let all = from.len();
        // `to - from <= x` means `from >= to - x`: as `to` grows, fewer `from` atoms qualify.
        let mut below = from.partition_point(|atom| self.to.atoms()[0] - atom > x);
        let mut sum = Below { count: 0, probability: 0.0 };
        for (to, weight) in self.to.atoms().iter().zip(self.to.weights()) {
            while below < all && to - from[below] > x {
                below += 1;
            }
            if below == all {
                break;
            }
            let under = if below == 0 { 0.0 } else { cumulative[below - 1] };
            sum.probability += weight * (1.0 - under);
            sum.count += all - below;
        }
        sum
    }

    /// Smallest and largest difference.
    fn range(&self) -> (f64, f64) {
        let ends =
            |arm: &ResampleDistribution| (arm.atoms()[0], arm.atoms()[arm.atoms().len() - 1]);
        let ((from_low, from_high), (to_low, to_high)) = (ends(self.from), ends(self.to));
        (to_low - from_high, to_high - from_low)
    }

    fn standard_deviation(&self) -> f64 {
        (self.to.variance() + self.from.variance()).sqrt()
    }

    /// Smallest difference whose cumulative probability reaches `u`, or the largest of all.
    pub(crate) fn quantile(&self, u: f64) -> f64 {
        let target = probit(u);
        let start = self.to.mean() - self.from.mean() + target * self.standard_deviation();
        // On the probit scale the distribution is nearly a line.
        self.first(start, |_, level| (level >= u, probit(level) - target))
    }

    /// [`Distribution::first`](crate::change::bootstrap::Distribution::first) of these differences.
    pub(crate) fn first(&self, start: f64, passes: impl Fn(f64, f64) -> (bool, f64)) -> f64 {
        let (low, high) = self.range();
        // The difference looked for lies in (low, high]; `under` pairs do not exceed `low`, `upto` not `high`.
        let (mut low, mut high) = (low.next_down(), high);
        let (mut under, mut upto) = (0, self.from.atoms().len() * self.to.atoms().len());
        let mut at_low = 0.0;
        let (mut x, mut slope) = (start, 1.0 / self.standard_deviation());
        let mut last: Option<(f64, f64)> = None;
        for step in 0..STEPS {
            if upto - under <= FEW {
                break;
            }
            if !(x > low && x < high) || step >= GUIDED {
                x = f64::midpoint(low, high);
            }
            let below = self.below(x);
            let (beyond, guide) = passes(x, below.probability);
            if beyond {
                (high, upto) = (x, below.count);
            } else {
                (low, under, at_low) = (x, below.count, below.probability);
            }
            if let Some((known, of_known)) = last.filter(|_| guide.is_finite()) {
                let steeper = (guide - of_known) / (x - known);
                if steeper.is_finite() && steeper > 0.0 {
                    slope = steeper;
                }
            }
            last = Some((x, guide)).filter(|(_, guide)| guide.is_finite());
            // Beyond where the guide points to by a few pairs, so that the bracket closes from both sides.
            let density = (upto - under) as f64 / (high - low);
            let few = 0.25 * FEW as f64 / density;
            let aim = x - guide / slope;
            x = if beyond { aim - few } else { aim + few };
        }
        let holds = |x: f64| passes(x, self.at_most(x)).0;
        if upto - under > MAX_LISTED {
            return smallest(low.next_up(), high, holds);
        }
        // By the levels added up along the list first, whose last digit may be off.
        let listed = self.between(low, high);
        let found = listed.partition_point(|pair| !passes(pair.x, (at_low + pair.upto).min(1.0)).0);
        let x = |index: usize| listed.get(index).map_or(high, |pair| pair.x);
        if holds(x(found)) && (found == 0 || !holds(x(found - 1))) {
            return x(found);
        }
        x(listed.partition_point(|pair| !holds(pair.x)))
    }

    /// The differences in (low, high], ascending, each once.
    fn between(&self, low: f64, high: f64) -> Vec<Listed> {
        let (from, weights) = (self.from.atoms(), self.from.weights());
        let (mut first, mut end) = (0, 0);
        let mut found = Vec::with_capacity(FEW);
        for (to, weight) in self.to.atoms().iter().zip(self.to.weights()) {
            while first < from.len() && to - from[first] > high {
                first += 1;
            }
            if first == from.len() {
                break;
            }
            end = end.max(first);
            while end < from.len() && to - from[end] > low {
                end += 1;
            }
            // The sum with zero leaves one kind of zero.
            let pairs = from[first..end].iter().zip(&weights[first..end]);
            found.extend(pairs.map(|(a, w)| Listed { x: to - a + 0.0, upto: weight * w }));
        }
        found.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.upto.total_cmp(&b.upto)));
        let mut sum = 0.0;
        for pair in &mut found {
            sum += pair.upto;
            pair.upto = sum;
        }
        // Of equal ones the last has the level of all.
        found.reverse();
        found.dedup_by(|a, b| a.x.total_cmp(&b.x).is_eq());
        found.reverse();
        found
    }
}

/// [`normal_quantile`] of a level that rounding may have carried beyond 1; NaN for NaN.
fn probit(level: f64) -> f64 {
    if level.is_nan() { level } else { normal_quantile(level.clamp(0.0, 1.0)) }
}

/// A difference, with the probability of those listed up to it.
struct Listed {
    x: f64,
    upto: f64,
}
