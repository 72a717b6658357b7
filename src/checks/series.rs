//! What the checks of the runs look at: the values of a deciding metric, run by run.

use crate::checks::Context;
use crate::compare::Measured;
use crate::runs::{Order, Run, Variant, run_names};
use crate::stats::quantile;

/// Printed values a step apart differ by a step but for rounding.
pub(super) const SAME: f64 = 1.000_001;

/// One variant's values of a deciding metric with a known direction, in the order of its runs.
pub(super) struct Series<'a> {
    /// 0 for the baseline, 1 for the candidate.
    pub(super) side: usize,
    pub(super) variant: &'a Variant,
    pub(super) row: &'a Measured,
    /// Positions of the runs in the variant, a value each.
    pub(super) runs: Vec<usize>,
    pub(super) values: Vec<f64>,
    /// Half of the last printed digit of the values.
    pub(super) resolution: f64,
}

impl Context<'_> {
    /// Both variants with the side on which they stand.
    pub(super) fn sides(&self) -> [(usize, &Variant); 2] {
        [(0, self.baseline), (1, self.candidate)]
    }

    /// Positions of the runs of a side that are compared, in their order.
    pub(super) fn compared(&self, side: usize) -> Vec<usize> {
        let (_, variant) = self.sides()[side];
        self.pairs.map_or_else(
            || (0..variant.runs.len()).collect(),
            |pairs| {
                let of = pairs.positions.iter().map(|&(a, b)| if side == 0 { a } else { b });
                let mut of: Vec<usize> = of.collect();
                of.sort_unstable();
                of
            },
        )
    }

    /// The values of every deciding metric on both sides, the leading metric first.
    pub(super) fn series(&self) -> Vec<Series<'_>> {
        let rows = self.deciding_rows().filter(|row| row.metric.better.is_some());
        rows.flat_map(|row| self.sides().map(|(side, variant)| self.one(row, side, variant)))
            .collect()
    }

    fn one<'a>(&'a self, row: &'a Measured, side: usize, variant: &'a Variant) -> Series<'a> {
        let value = |run: &usize| variant.runs[*run].metrics.get(&row.metric.name).copied();
        let mut runs = self.compared(side);
        runs.retain(|run| value(run).is_some());
        let of_runs = || runs.iter().filter_map(value);
        // Trailing zeros are often not printed, so the finest digit is what the values are known to.
        let resolution = of_runs().map(|value| value.resolution).fold(f64::INFINITY, f64::min);
        Series {
            values: of_runs().map(|value| value.value).collect(),
            resolution: if resolution.is_finite() { resolution } else { 0.0 },
            side,
            variant,
            row,
            runs,
        }
    }
}

impl Series<'_> {
    /// Whether larger values are worse.
    pub(super) fn larger_is_worse(&self) -> bool {
        self.row.metric.better.is_some_and(|better| better.sign() < 0.0)
    }

    /// Difference of a value from the median of all, as a fraction of it; `None` where that is not positive.
    pub(super) fn beyond_median(&self, position: usize) -> Option<f64> {
        let median = median(&self.values);
        Some(self.values[position] / median - 1.0).filter(|part| median > 0.0 && part.is_finite())
    }
}

/// What the run at this position of a variant is called.
pub(super) fn run_name(variant: &Variant, position: usize) -> String {
    run_names(&variant.runs.iter().collect::<Vec<_>>()).swap_remove(position)
}

/// How the order of a variant's runs is known.
pub(super) fn order_of(variant: &Variant) -> Order {
    Order::of(&variant.runs.iter().collect::<Vec<&Run>>())
}

/// What to say of an order that rests on no time: empty where the starts are known.
pub(super) fn unknown_start(order: Order) -> &'static str {
    match order {
        Order::Started => "",
        Order::FileNames => " (Runs by file name: no start is known.)",
        Order::Places => " (Runs as in the file: no start is known.)",
    }
}

pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile(&sorted, 0.5)
}

/// The same for series: `; also in mean TPOT of B`.
pub(super) fn also_of<'a>(others: impl Iterator<Item = &'a Series<'a>>) -> String {
    let named =
        |series: &Series| format!("{} of `{}`", series.row.metric.label, series.variant.name);
    also(&others.map(named).collect::<Vec<_>>())
}

/// `; also in mean TPOT (7.1 %)` for what other series show too.
pub(super) fn also(others: &[String]) -> String {
    if others.is_empty() { String::new() } else { format!("; also in {}", others.join(", ")) }
}
