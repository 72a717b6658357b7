//! Whether the values of a column were set or measured, by the design of the experiment.
//!
//! A setting recurs exactly in every variant, crossed with it; a measured value practically never recurs at its printed
//! resolution. Names only break ties.

use std::collections::{BTreeMap, BTreeSet};

use crate::read::table::values::is_round;

/// Most points of each kind of evidence.
const MAX_RECURRENCE: f64 = 12.0;
const MAX_UNPLANNED: f64 = 2.0;
const MAX_COUNTS: f64 = 8.0;
const MAX_ORDER: f64 = 12.0;
const MAX_ROUND: f64 = 6.0;
const MAX_ONCE: f64 = 12.0;

/// The numbers of a column, a row each, with the variant of the row and the printed resolution of the column: the least
/// step between values.
pub(crate) struct Design<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) variants: &'a [usize],
    pub(crate) resolution: f64,
}

impl Design<'_> {
    /// Evidence in points that the values were set: above 0 for a setting, below for a measurement. Without a name.
    ///
    /// Points are about bits: the recurrence of values over variants and their distances, equal counts of all values, an
    /// order in equal stretches, roundness; against it values that are found once and change from row to row.
    pub(crate) fn points(&self) -> f64 {
        let mut rows: BTreeMap<u64, (usize, BTreeSet<usize>)> = BTreeMap::new();
        for (value, variant) in self.values.iter().zip(self.variants) {
            let (count, variants) = rows.entry((value + 0.0).to_bits()).or_default();
            *count += 1;
            variants.insert(*variant);
        }
        let n = self.values.len() as f64;
        // A number that no two variants share is a property of the variant.
        let shared = rows.values().any(|(_, variants)| variants.len() > 1);
        if rows.len() < 2 || !shared {
            return f64::NEG_INFINITY;
        }
        let mut sorted: Vec<f64> = rows.keys().map(|bits| f64::from_bits(*bits)).collect();
        sorted.sort_by(f64::total_cmp);
        let gap = |value: f64| {
            let others = sorted.iter().filter(|other| other.to_bits() != value.to_bits());
            others.map(|other| (other - value).abs()).fold(f64::INFINITY, f64::min)
        };
        let mut recurrence = 0.0;
        let (mut recurring, mut once) = (0.0, 0.0);
        for (bits, (count, variants)) in &rows {
            let gap = gap(f64::from_bits(*bits));
            let size = (1.0 + gap / self.resolution).log2().min(4.0);
            // Neighbours one step apart come back by chance.
            let apart = gap > 1.5 * self.resolution;
            recurrence += if apart { (variants.len() as f64 - 1.0) * size } else { 0.0 };
            recurring += if variants.len() > 1 || *count > 1 { *count as f64 } else { 0.0 };
            once += if variants.len() == 1 && *count == 1 { 1.0 } else { 0.0 };
        }
        let counts: Vec<usize> = rows.values().map(|(count, _)| *count).collect();
        let equal = counts.windows(2).all(|two| two[0] == two[1]) && counts[0] > 1;
        let most = if equal { MAX_RECURRENCE } else { MAX_UNPLANNED };
        let recurrence = recurrence.min(most) * recurring / n;
        // Multinomial probability of equal counts.
        let ways = ln_factorial(n) - counts.iter().map(|c| ln_factorial(*c as f64)).sum::<f64>();
        let of_counts = (ways - n * (rows.len() as f64).ln()) / std::f64::consts::LN_2;
        let by_count = if equal { (-of_counts).min(MAX_COUNTS) } else { 0.0 };
        let by_order = if equal && self.in_stretches(rows.len()) {
            (ways / std::f64::consts::LN_2).min(MAX_ORDER)
        } else {
            0.0
        };
        let round = sorted.iter().filter(|value| is_round(**value)).count() as f64;
        let round = MAX_ROUND * (2.0 * round / rows.len() as f64 - 1.0);
        let against = (MAX_ONCE * once / n).min(MAX_ONCE)
            + if self.changes() { 4.0 } else { 0.0 }
            + if equal { 0.0 } else { 3.0 };
        recurrence + by_count + by_order + round - against
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
        Design { values, variants, resolution }.points()
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
