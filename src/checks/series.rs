//! Series for the checks of the runs: the values of a deciding metric, run by run.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::compare::{Measured, Side};
use crate::format::also;
use crate::runs::{Order, Run, Variant, run_name as name_of};
use crate::stats::{Modes, quantile, sort_near};

/// Printed values a step apart differ by a step but for rounding.
pub(super) const SAME: f64 = 1.000_001;

/// One variant's values of a deciding metric with a known direction, in the order of its runs.
pub(super) struct Series<'a> {
    /// 0 for the baseline, 1 for the candidate.
    pub(super) side: usize,
    pub(super) variant: &'a Variant,
    pub(super) row: &'a Measured,
    /// Positions of the runs in the variant, a value each.
    pub(super) runs: Cow<'a, [usize]>,
    pub(super) values: Cow<'a, [f64]>,
    /// Half of the last printed digit of the values.
    pub(super) resolution: f64,
    /// Results that several checks share: the median, the positions of the values far from it, the two modes.
    pub(super) median: OnceCell<f64>,
    pub(super) far: OnceCell<Vec<usize>>,
    pub(super) modes: OnceCell<Option<Modes>>,
}

impl<'a> Series<'a> {
    pub(super) fn of(row: &'a Measured, side: usize, variant: &'a Variant) -> Self {
        let of: &'a Side = if side == 0 { &row.baseline } else { &row.candidate };
        let (mut runs, mut values) = (Cow::Borrowed(&of.runs[..]), Cow::Borrowed(&of.values[..]));
        if !runs.is_sorted() {
            // Of pairs, in the order of the other variant.
            let mut both: Vec<(usize, f64)> =
                of.runs.iter().copied().zip(of.values.iter().copied()).collect();
            both.sort_by_key(|(run, _)| *run);
            let (of_runs, of_values) = both.into_iter().unzip();
            (runs, values) = (Cow::Owned(of_runs), Cow::Owned(of_values));
        }
        Self {
            side,
            variant,
            row,
            runs,
            values,
            resolution: of.resolution,
            median: OnceCell::new(),
            far: OnceCell::new(),
            modes: OnceCell::new(),
        }
    }
}

impl Series<'_> {
    /// Logarithms of the values, on which the noise of a benchmark is nearest to symmetric; the values themselves
    /// where one is not positive. With the least deviation that they are known to.
    pub(super) fn logs(&self) -> (Vec<f64>, f64) {
        if self.values.iter().all(|value| *value > 0.0) {
            let logs = self.values.iter().map(|value| value.ln()).collect();
            return (logs, self.resolution / self.median());
        }
        (self.values.to_vec(), self.resolution)
    }

    pub(super) fn larger_is_worse(&self) -> bool {
        self.row.metric.better.is_some_and(|better| better.sign() < 0.0)
    }

    pub(super) fn median(&self) -> f64 {
        *self.median.get_or_init(|| median(&self.values))
    }

    /// Difference of a value from the median of all, as a fraction of it; `None` where that is not positive.
    pub(super) fn beyond_median(&self, position: usize) -> Option<f64> {
        let median = self.median();
        Some(self.values[position] / median - 1.0).filter(|part| median > 0.0 && part.is_finite())
    }
}

pub(super) fn run_name(variant: &Variant, position: usize) -> String {
    name_of(&variant.runs.iter().collect::<Vec<_>>(), position)
}

pub(super) fn order_of(variant: &Variant) -> Order {
    Order::from_runs(&variant.runs.iter().collect::<Vec<&Run>>())
}

/// A remark on an order without times; empty where the starts are known.
pub(super) fn unknown_start(order: Order) -> &'static str {
    match order {
        Order::Started => "",
        Order::FileNames => " (Runs by file name: no start is known.)",
        Order::Places => " (Runs as in the file: no start is known.)",
    }
}

pub(super) fn median(values: &[f64]) -> f64 {
    let mut near = values.to_vec();
    sort_near(&mut near, &[0.5]);
    quantile(&near, 0.5)
}

/// The same for series: `; also in mean TPOT of B`.
pub(super) fn also_of<'a>(others: impl Iterator<Item = &'a Series<'a>>) -> String {
    let named = |series: &Series| format!("{} of {}", series.row.metric.label, series.variant.name);
    also(&others.map(named).collect::<Vec<_>>())
}
