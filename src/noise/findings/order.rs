//! Findings about the order of the runs.

use crate::checks::{CheckId, Finding};
use crate::format::{counted, p_value, percent};
use crate::noise::findings::{Subject, without_them};
use crate::noise::report::MetricNoise;
use crate::noise::words::{sentence, signed};
use crate::runs::Order;
use crate::stats::slow_start;
use crate::units::Better;

/// Level of the tests for a drift and for a memory of the run before.
const LEVEL: f64 = 0.05;

impl Subject<'_> {
    pub(super) fn drift(&self) -> Option<Finding> {
        let (metric, trend, also) = self.most(
            |metric| metric.trend.filter(|trend| trend.p_value < LEVEL),
            |trend| trend.p_value,
            |trend| trend.change.map(signed),
        )?;
        let way = if trend.tau > 0.0 { "rises" } else { "falls" };
        let size = trend.change.map_or(String::new(), |change| {
            format!(", {} from the first third to the last", signed(change))
        });
        let message = format!(
            "{} {way} over the {}{size} (Mann–Kendall {}; {}){also}.",
            sentence(metric),
            counted(metric.n, "run"),
            p_value(trend.p_value),
            order(self.repeats.order)
        );
        let advice = "Find what changes with time (heat, a cache, neighbours), and take the builds by turns, \
                      A B B A, or the drift looks like a change.";
        let size = trend.change;
        Some(
            Finding::warning(CheckId::Drift, message, advice)
                .about(metric, size)
                .with("tau", trend.tau)
                .with("p_value", trend.p_value)
                .with("change", size)
                .with("order_known", self.repeats.order == Order::Started),
        )
    }

    pub(super) fn slow_first_run(&self) -> Option<Finding> {
        let (metric, start, also) = self.most(
            |metric| slow_start(&metric.values, metric.better? == Better::Lower),
            |start| -start.excess,
            |start| Some(percent(start.excess)),
        )?;
        let message = format!(
            "The first run, {}, is worse than all others in {}, by {} of their median{also}.{}",
            self.runs(metric).first()?,
            metric.label,
            percent(start.excess),
            without_them(metric, &[0])
        );
        let advice = "Make a warm-up run that is not counted.";
        let finding = Finding::warning(CheckId::SlowFirstRun, message, advice);
        Some(
            finding
                .about(metric, Some(start.excess))
                .next("measure again after a warm-up run that is not counted.")
                .with("excess", start.excess)
                .with("order_known", self.repeats.order == Order::Started),
        )
    }

    /// Neighbours alike or by turns, where no drift explains it.
    pub(super) fn autocorrelation(&self) -> Option<Finding> {
        let remembers = |metric: &MetricNoise| {
            let drifts = metric.trend.is_some_and(|trend| trend.p_value < LEVEL);
            metric.autocorrelation.filter(|memory| !drifts && memory.p_value < LEVEL)
        };
        let (metric, memory, also) = self.most(remembers, |memory| memory.p_value, |_| None)?;
        let numbers = format!(
            "(lag-1 autocorrelation {}, {}; {})",
            format!("{:+.2}", memory.r).replace('-', "−"),
            p_value(memory.p_value),
            order(self.repeats.order)
        );
        let label = &metric.label;
        let (message, advice) = if memory.r > 0.0 {
            let worth = metric.n as f64 * (1.0 - memory.r) / (1.0 + memory.r);
            (
                format!(
                    "Each run resembles the one before it in {label} {numbers}{also}: {} runs are worth about {:.0} \
                     independent ones.",
                    metric.n,
                    worth.max(1.0)
                ),
                "Start the server anew for each run, and take the builds by turns, A B B A.",
            )
        } else {
            (
                format!("Runs go up and down by turns in {label} {numbers}{also}."),
                "Find what alternates: a cache that is kept, two devices, two ports.",
            )
        };
        let size = metric.cv;
        let finding =
            Finding::warning(CheckId::Autocorrelation, message, advice).about(metric, size);
        Some(finding.with("r", memory.r).with("p_value", memory.p_value))
    }
}

fn order(order: Order) -> &'static str {
    match order {
        Order::Started => "runs by their start",
        Order::FileNames => "runs by file name, no start is known",
        Order::Places => "runs as in the file, no start is known",
    }
}
