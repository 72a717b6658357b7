//! Whether the values of a column were set or measured, by the design of the experiment.
//!
//! A setting recurs exactly in every variant, crossed with it; a measured value practically never recurs at its printed
//! resolution. Names only break ties.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::fields::{RunField, field_of_column};
use crate::table::request_names::is_of_request;
use crate::table::values::{is_fine, is_round};
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::metrics::words::{Quantity, Says, meaning};
use beyondnoise_model::units::Unit;

/// Most points of each kind of evidence.
const MAX_RECURRENCE: f64 = 12.0;
const MAX_UNPLANNED: f64 = 2.0;
const MAX_COUNTS: f64 = 8.0;
const MAX_ORDER: f64 = 12.0;
const MAX_ROUND: f64 = 6.0;
const MAX_ONCE: f64 = 12.0;
const MAX_CROSSED: f64 = 12.0;

/// Share of the values of a setting that another variant has in the same cell: the others failed or are missing.
const CROSSED: f64 = 0.9;

/// Points of a name for a setting, for a measured quantity, and for one that may be set too.
const SETTING: f64 = 6.0;
const STRONG: f64 = -9.0;
const WEAK: f64 = -5.0;

/// Points against a column without a plan, and against one that changes from row to row.
const NO_PLAN: f64 = 3.0;
const CHANGES: f64 = 4.0;

/// Points either way under which a column is in doubt.
const DOUBT: f64 = 3.0;

/// Distinct values from which on their common step is the resolution.
const MANY_VALUES: usize = 8;

/// Values so few that they look set, whatever their name says.
const FEW: usize = 4;

/// Steps over which a few small values may come back without a plan.
const SMALL_RANGE: f64 = 12.0;

/// Places of a grid of values that are looked at.
const MAX_PLACES: f64 = 512.0;

/// Rows of a variant to each value from which on counts can be more equal than by chance.
const MIN_EXPECTED: f64 = 1.5;

/// Rows of a variant to each value from which on a plan would show.
const MANY_EXPECTED: f64 = 2.5;

/// Evidence in bits: from here on counts are planned, below they are chance.
const PLANNED: f64 = 3.0;
const CHANCE: f64 = 1.0;

/// The numbers of a column, a row each, with the variant of the row and the printed resolution of the column: the least
/// step between values.
pub(crate) struct Design<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) variants: &'a [usize],
    pub(crate) resolution: f64,
}

/// Evidence in points, and whether more than nearly equal counts speaks for a plan.
#[derive(Clone, Copy, Debug)]
struct Points {
    all: f64,
    firm: bool,
}

/// Evidence of design and name together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judged {
    /// Above 0 for a setting.
    pub(crate) score: f64,
    /// A setting for its counts alone, or a measurement of very few values that all variants have.
    thin: bool,
}

impl Judged {
    /// Certainly a measurement.
    pub(crate) const MEASURED: Self = Self { score: -2.0 * MAX_ONCE, thin: false };

    /// Whether the role that it gives is in doubt.
    pub(crate) fn doubtful(self) -> bool {
        self.score.abs() <= DOUBT || self.thin
    }

    /// The same for a number that no plan needs: certainly no setting.
    pub(crate) fn of_result(self) -> Self {
        Self { score: self.score.min(-2.0 * DOUBT), thin: false }
    }

    /// The same with bits of evidence from other columns.
    pub(crate) fn with(self, bits: f64) -> Self {
        let confirmed = bits.abs() > DOUBT && bits * self.score > 0.0;
        let score = self.score + bits;
        Self { score, thin: self.thin && !confirmed || score * self.score < 0.0 }
    }
}

/// Bits of evidence that a column was set, from rows of value, variant and cell of the other settings: inside a cell every
/// variant has the same values of a setting, and those of a measurement by chance alone.
pub(crate) fn crossing(rows: &[(&str, usize, usize)]) -> f64 {
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    let mut cells: BTreeMap<usize, BTreeMap<usize, (i32, BTreeSet<&str>)>> = BTreeMap::new();
    for &(value, variant, cell) in rows {
        *counts.entry(value).or_default() += 1.0;
        let (of_variant, values) = cells.entry(cell).or_default().entry(variant).or_default();
        *of_variant += 1;
        values.insert(value);
    }
    let bits = |value: &&str, (of_other, others): &(i32, BTreeSet<&str>)| {
        let chance = 1.0 - (1.0 - counts[*value] / rows.len() as f64).powi(*of_other);
        match (others.contains(*value), chance < CROSSED) {
            (_, false) => 0.0,
            (true, true) => (CROSSED / chance).log2(),
            (false, true) => ((1.0 - CROSSED) / (1.0 - chance)).log2(),
        }
    };
    let of_cell = |variants: &BTreeMap<usize, (i32, BTreeSet<&str>)>| {
        let mut sum = 0.0;
        for (one, (_, values)) in variants {
            let others = variants.iter().filter(|(other, _)| *other != one);
            sum += others.flat_map(|(_, of)| values.iter().map(move |v| bits(v, of))).sum::<f64>();
        }
        // Each variant is compared with each other one, both ways.
        sum / variants.len() as f64
    };
    cells.values().map(of_cell).sum::<f64>().clamp(-MAX_CROSSED, MAX_CROSSED)
}

/// Bits of evidence that a column was set, from rows of value and group, where a group is a run by its name: a setting tells
/// all rows of one name apart, and a measurement by chance alone. 0 where it does not.
pub(crate) fn completing(rows: &[(&str, usize)]) -> f64 {
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    let mut groups: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    let mut pairs = 0.0;
    for &(value, group) in rows {
        *counts.entry(value).or_default() += 1.0;
        let before = groups.entry(group).or_default();
        pairs += before.len() as f64;
        if !before.insert(value) {
            return 0.0;
        }
    }
    let same: f64 = counts.values().map(|count| (count / rows.len() as f64).powi(2)).sum();
    (pairs * -(1.0 - same).log2()).clamp(0.0, MAX_CROSSED)
}

/// Points of a name for a setting, or against one.
pub(crate) fn points_of_name(name: &str) -> f64 {
    let found = meaning(name);
    let known = Metric::known(name).or_else(|| Metric::from_text(name));
    let rate = found.unit == Some(Unit::RequestPerSecond);
    let load = matches!(
        field_of_column(name),
        Some(
            RunField::MaxConcurrency | RunField::RequestRate | RunField::Load | RunField::Requests
        )
    );
    match found.says {
        // A rate of requests is set as often as it is measured.
        Says::Measured if rate => WEAK,
        Says::Measured
            if known.is_some_and(|metric| metric.better.is_some())
                || is_of_request(name)
                || matches!(found.quantity, Quantity::Throughput | Quantity::Latency) =>
        {
            STRONG
        }
        Says::Measured => WEAK,
        Says::Spread | Says::Outcome(_) => STRONG,
        _ if load || found.says == Says::Setting => SETTING,
        _ => 0.0,
    }
}

/// The distinct values of a column, ascending, and how often each variant has them.
struct Levels {
    values: Vec<f64>,
    /// Of each value the counts of all variants.
    counts: Vec<usize>,
    variants: usize,
}

impl Levels {
    fn of(values: &[f64], of: &[usize], variants: usize) -> Self {
        let mut rows: Vec<(f64, usize)> =
            values.iter().map(|value| value + 0.0).zip(of.iter().copied()).collect();
        rows.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
        let mut found = Self { values: Vec::new(), counts: Vec::new(), variants };
        for (value, variant) in rows {
            if found.values.last().is_none_or(|last| last.to_bits() != value.to_bits()) {
                found.values.push(value);
                found.counts.resize(found.values.len() * variants, 0);
            }
            let first = found.counts.len() - variants;
            found.counts[first + variant] += 1;
        }
        found
    }

    fn counts(&self) -> impl Iterator<Item = &[usize]> + Clone {
        self.counts.chunks(self.variants)
    }
}

impl Design<'_> {
    /// Evidence in points that the values were set: above 0 for a setting, below for a measurement. Without a name.
    /// `None` where the design says nothing: a number that is constant in every variant describes the variant, and of one
    /// variant alone values that are all different may be a plan.
    ///
    /// Points are about bits: the recurrence of values over variants and their distances, counts that are more equal than
    /// chance makes them, an order in equal stretches, roundness; against it values that are found once and change from
    /// row to row.
    fn points(&self) -> Option<Points> {
        let variants = self.variants.iter().max()? + 1;
        let levels = Levels::of(self.values, self.variants, variants);
        let n = self.values.len() as f64;
        let inside = (0..variants)
            .any(|variant| levels.counts().filter(|counts| counts[variant] > 0).count() > 1);
        let of = |counts: &[usize]| counts.iter().sum::<usize>();
        if !inside || variants == 1 && levels.counts().all(|counts| of(counts) == 1) {
            return None;
        }
        let sorted = &levels.values;
        let step = self.step(sorted);
        let (mut recurrence, mut recurring, mut once) = (0.0, 0.0, 0.0);
        for ((at, &value), counts) in sorted.iter().enumerate().zip(levels.counts()) {
            let below = at.checked_sub(1).map(|at| value - sorted[at]);
            let above = sorted.get(at + 1).map(|above| above - value);
            let gap = below.into_iter().chain(above).fold(f64::INFINITY, f64::min);
            let holding = counts.iter().filter(|count| **count > 0).count();
            let count = of(counts);
            // Of one variant alone a value recurs in its rows.
            let found = if variants == 1 { count.min(2) } else { holding };
            // Neighbours one step apart come back by chance.
            if found > 1 && gap > 1.5 * step {
                recurrence += (found as f64 - 1.0) * (1.0 + gap / step).log2().min(4.0);
            }
            recurring += if count > 1 { count as f64 } else { 0.0 };
            once += if count == 1 { 1.0 } else { 0.0 };
        }
        let Evenness { bits, planned, equal, refuted } = evenness(&levels);
        let range = sorted.last()? - sorted.first()?;
        let small = range < SMALL_RANGE * step && sorted.iter().all(|value| value.fract() == 0.0);
        let most = if small && !planned { MAX_UNPLANNED } else { MAX_RECURRENCE };
        let recurrence = recurrence.min(most) * recurring / n;
        let ordered = planned && self.in_stretches(sorted.len());
        let by_order =
            if ordered { log2_ways(levels.counts().map(of)).min(MAX_ORDER) } else { 0.0 };
        let against = MAX_ONCE * once / n
            + if self.changes() && !planned { CHANGES } else { 0.0 }
            + match (planned, refuted) {
                (true, _) => 0.0,
                (_, false) => NO_PLAN,
                _ => 2.0 * NO_PLAN,
            };
        Some(Points {
            all: recurrence + bits + by_order + roundness(sorted, step) - against,
            firm: recurrence > 0.0 || ordered || equal,
        })
    }

    /// The points, including those for the name, and whether the resulting role is in doubt: few points either way, a
    /// setting by its counts alone, or very few values that all variants have.
    pub(crate) fn judged(&self, name: &str) -> Option<Judged> {
        let points = self.points()?;
        let mut score = points.all + points_of_name(name);
        // A program that always does the same gives the same results.
        if points_of_name(name) < 0.0 && self.are_results() {
            score = score.min(-2.0 * DOUBT);
        }
        let thin = if score > 0.0 { !points.firm } else { self.has_few() };
        Some(Judged { score, thin })
    }

    /// Whether most values have more digits than people set.
    fn are_results(&self) -> bool {
        2 * self.values.iter().filter(|value| is_fine(**value)).count() > self.values.len()
    }

    /// Whether all variants have the same few values, each in several rows.
    fn has_few(&self) -> bool {
        let mut of: BTreeMap<u64, BTreeSet<usize>> = BTreeMap::new();
        for (value, variant) in self.values.iter().zip(self.variants) {
            of.entry((value + 0.0).to_bits()).or_default().insert(*variant);
            if of.len() > FEW {
                return false;
            }
        }
        let variants = self.variants.iter().collect::<BTreeSet<_>>().len();
        self.values.len() >= 3 * of.len() && of.values().all(|found| found.len() == variants)
    }

    /// The least step between values: the printed one, or of many values their common one.
    fn step(&self, sorted: &[f64]) -> f64 {
        if sorted.len() < MANY_VALUES {
            return self.resolution;
        }
        let mut common = 0.0_f64;
        for two in sorted.windows(2) {
            let (mut a, mut b) = (((two[1] - two[0]) / self.resolution).round(), common);
            while b > 0.0 {
                (a, b) = (b, a % b);
            }
            common = a;
            if common <= 1.0 {
                break;
            }
        }
        self.resolution * common.max(1.0)
    }

    /// Whether the rows run through the values in equal stretches, as a plan does: a a b b a a b b.
    fn in_stretches(&self, distinct: usize) -> bool {
        let mut stretches: Vec<(u64, usize)> = Vec::new();
        for value in self.values {
            match stretches.last_mut() {
                Some((last, length)) if *last == value.to_bits() => *length += 1,
                _ => stretches.push((value.to_bits(), 1)),
            }
        }
        let same = stretches.windows(2).all(|two| two[0].1 == two[1].1);
        let cycle =
            (distinct..stretches.len()).all(|at| stretches[at].0 == stretches[at - distinct].0);
        same && cycle && stretches.len().is_multiple_of(distinct)
    }

    /// Whether nearly every row has another value than the row before.
    fn changes(&self) -> bool {
        let changes = self.values.windows(2).filter(|two| two[0].to_bits() != two[1].to_bits());
        10 * changes.count() >= 9 * (self.values.len() - 1)
    }
}

/// Bits by which the counts of the values in the variants are more equal than chance makes them: to each other, or over
/// the variants; and whether a plan made them so. `refuted` where chance alone explains counts that a plan would not leave
/// so.
struct Evenness {
    bits: f64,
    planned: bool,
    equal: bool,
    refuted: bool,
}

fn evenness(levels: &Levels) -> Evenness {
    let variants = levels.variants;
    let (k, n) = (levels.values.len() as f64, levels.counts.iter().sum::<usize>() as f64);
    let counts = |variant: usize| levels.counts().map(move |counts| counts[variant]);
    let sizes: Vec<f64> = (0..variants).map(|v| counts(v).sum::<usize>() as f64).collect();
    let (mut uniform, mut alike) = (Tail::default(), Tail::default());
    for (variant, size) in sizes.iter().enumerate().filter(|(_, size)| **size > 0.0) {
        uniform.add(counts(variant).map(|count| (count, size / k)), size * k.log2());
        let shared = levels.counts().map(|counts| counts.iter().sum::<usize>() as f64 * size / n);
        alike.add(counts(variant).zip(shared), 0.0);
    }
    uniform.freedom = (k - 1.0) * variants as f64;
    alike.freedom = (k - 1.0) * (variants as f64 - 1.0);
    alike.exactly += log2_ways(levels.counts().map(|counts| counts.iter().sum()));
    // A value that is nowhere else says nothing of a plan.
    let bits = uniform.bits().max(if n > k * variants as f64 { alike.bits() } else { 0.0 });
    let planned = bits > PLANNED || uniform.equal;
    Evenness {
        bits: if planned { bits.min(MAX_COUNTS) } else { 0.0 },
        planned,
        equal: uniform.equal,
        refuted: bits < CHANCE && uniform.least >= MANY_EXPECTED,
    }
}

/// How near counts are to what is expected of them.
struct Tail {
    statistic: f64,
    freedom: f64,
    /// The least count that is expected.
    least: f64,
    equal: bool,
    /// Bits of all counts being as expected.
    exactly: f64,
}

impl Default for Tail {
    fn default() -> Self {
        Self { statistic: 0.0, freedom: 0.0, least: f64::INFINITY, equal: true, exactly: 0.0 }
    }
}

impl Tail {
    fn add(&mut self, counts: impl Iterator<Item = (usize, f64)> + Clone, all: f64) {
        for (count, expected) in counts.clone() {
            let off = count as f64 - expected;
            self.statistic += off * off / expected;
            self.least = self.least.min(expected);
            self.equal &= off.abs() < 1e-9;
        }
        self.exactly += all - log2_ways(counts.map(|(count, _)| count));
    }

    /// Bits of the chance to be as near or nearer.
    fn bits(&self) -> f64 {
        if self.equal {
            return self.exactly.max(0.0);
        }
        if self.least < MIN_EXPECTED || self.freedom < 1.0 {
            return 0.0;
        }
        // The lower tail of the chi-square, after Wilson and Hilferty.
        let spread = 2.0 / (9.0 * self.freedom);
        let z = ((self.statistic / self.freedom).cbrt() - 1.0 + spread) / spread.sqrt();
        (1.0 + (-1.5976 * z - 0.070_56 * z.powi(3)).exp()).log2()
    }
}

/// Points for values that are rounder than others between the least and the largest would be.
fn roundness(sorted: &[f64], step: f64) -> f64 {
    let round = sorted.iter().filter(|value| is_round(**value)).count() as f64;
    let all = sorted.len() as f64;
    if round < all {
        return MAX_ROUND * (2.0 * round / all - 1.0).min(0.0);
    }
    let (first, last) = (sorted[0], sorted[sorted.len() - 1]);
    let stride = ((last - first) / step / MAX_PLACES).ceil().max(1.0) * step;
    let places = ((last - first) / stride).round().clamp(1.0, MAX_PLACES);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and MAX_PLACES"
    )]
    let places = places as u32;
    let at = |place: u32| (first / step).round() * step + f64::from(place) * stride;
    // Decimal steps leave a rest.
    let near = |value: f64| is_round(format!("{value:.6e}").parse().unwrap_or(value));
    let share =
        (0..=places).filter(|&place| near(at(place))).count().max(1) as f64 / f64::from(places + 1);
    (-share.log2() * all).min(MAX_ROUND)
}

/// Logarithm to the base 2 of the number of orders of values with such counts.
fn log2_ways(counts: impl Iterator<Item = usize> + Clone) -> f64 {
    let all = counts.clone().sum::<usize>() as f64;
    let same: f64 = counts.map(|count| ln_factorial(count as f64)).sum();
    (ln_factorial(all) - same) / std::f64::consts::LN_2
}

/// ln n!: a sum for small numbers, Stirling's formula beyond.
fn ln_factorial(n: f64) -> f64 {
    if n < 64.0 {
        let mut sum = 0.0;
        let mut k = 2.0;
        while k <= n {
            sum += f64::ln(k);
            k += 1.0;
        }
        return sum;
    }
    n * n.ln() - n + 0.5 * (2.0 * std::f64::consts::PI * n).ln() + 1.0 / (12.0 * n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[f64], variants: &[usize], resolution: f64) -> f64 {
        Design { values, variants, resolution }.points().expect("evidence").all
    }

    /// Two values in both builds, three runs each, in blocks: what a plan looks like; measured values never come back.
    #[test]
    fn values_that_recur_across_the_variants_were_set() {
        let variants = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1];
        let set = [4.0, 4.0, 4.0, 8.0, 8.0, 8.0, 4.0, 4.0, 4.0, 8.0, 8.0, 8.0];
        assert!(points(&set, &variants, 1.0) > 12.0);
        let turned = [4.0, 8.0, 4.0, 8.0, 4.0, 8.0, 4.0, 8.0, 4.0, 8.0, 4.0, 8.0];
        assert!(points(&turned, &variants, 1.0) > 6.0);
        let measured = [4.12, 4.09, 4.15, 8.01, 7.98, 8.07, 4.11, 4.13, 4.16, 8.02, 8.11, 8.04];
        assert!(points(&measured, &variants, 0.01) < -12.0);
        // Coarse ticks recur now and then, one step apart.
        let ticks = [0.79, 0.80, 0.79, 0.80, 0.80, 0.79, 0.80, 0.79, 0.80, 0.80, 0.80, 0.79];
        assert!(points(&ticks, &variants, 0.01) < 4.0);
    }
}
