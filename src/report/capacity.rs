//! Capacity at a service level objective: the throughput at the largest load at which all limits hold.

use serde::Serialize;

use crate::format::{self, list};
use crate::report::sweep_words::load;
use crate::report::{Comparison, SweepRow};
use crate::stats::Reached;
use crate::verdict::Verdict;

/// The capacity of both variants of a sweep, and its change.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CapacityRow {
    /// The limits that hold together.
    pub limits: Vec<LimitRow>,
    /// Metric in which the capacity is counted.
    pub throughput: String,
    /// Its unit.
    pub unit: &'static str,
    /// The baseline's; null where no run has the throughput and all limited metrics.
    pub baseline: Option<CapacitySide>,
    /// The candidate's.
    pub candidate: Option<CapacitySide>,
    /// Change of the throughput, a fraction of the baseline's; a bound where one of the two is. Null where neither is
    /// known, or both are bounds.
    pub relative: Option<f64>,
    /// The ends of its interval, corrected for the capacities of other sweeps; null for an end that the measured loads do not
    /// bound, or without noise.
    pub relative_ci_adjusted: [Option<f64>; 2],
    /// The interval by which it is shown to lie within the margin: two one-sided tests, uncorrected.
    pub relative_ci_equivalence: Option<[f64; 2]>,
    /// Confidence of that interval, a fraction.
    pub equivalence_confidence: f64,
    /// Two-sided p-value of no change, unadjusted.
    pub p_value: Option<f64>,
    /// The same by Holm over the sweeps of the report.
    pub p_adjusted: Option<f64>,
    /// The largest change that does not matter, a fraction: that of the throughput.
    pub margin: f64,
    /// How much worse the gate lets it be, a fraction, if it guards.
    pub tolerance: f64,
    /// Whether the gate guards it.
    pub guard: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it was not judged; empty where it was.
    pub reason: String,
    /// All of it in a sentence.
    pub statement: String,
    /// Nominal coverage of the interval; also in the settings.
    #[serde(skip)]
    pub(crate) confidence: f64,
}

/// A limit.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct LimitRow {
    /// Canonical name of the metric.
    pub metric: String,
    /// Its name in sentences.
    pub label: String,
    /// Unit of the limit.
    pub unit: &'static str,
    /// `<`, `<=`, `>` or `>=`.
    pub sign: &'static str,
    /// The limit.
    pub value: f64,
}

/// The capacity of a variant.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CapacitySide {
    /// The largest load at which all limits hold, or the bound on it.
    pub load: f64,
    /// The throughput there.
    pub throughput: f64,
    /// Whether both are measured, or bounds at an end of the measured loads.
    #[serde(serialize_with = "reached_word")]
    pub reached: Reached,
    /// Metric whose limit is reached first, or that comes nearest to be.
    pub binding: String,
}

/// A limit at a single load.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SloRow {
    /// The limit.
    pub limit: LimitRow,
    /// How the baseline meets it; null where it was not measured.
    pub baseline: Option<SloSide>,
    /// How the candidate meets it.
    pub candidate: Option<SloSide>,
}

/// How a variant meets a limit.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SloSide {
    /// Mean over the runs, in the unit of the limit.
    pub estimate: f64,
    /// The interval of that mean, by Student's t on the logarithmic scale; null without noise.
    pub interval: Option<[f64; 2]>,
    /// Runs that meet the limit.
    pub met: usize,
    /// All runs.
    pub runs: usize,
}

/// `P99 TTFT < 500 ms: main 480 ms (465 … 496), met in 9 of 10 runs; pr 510 ms (499 … 522), in 2 of 10.`
pub(crate) fn slo_sentence(row: &SloRow, comparison: &Comparison) -> String {
    let of = |name: &str, side: &Option<SloSide>| match side {
        None => format!("{name} not measured"),
        Some(side) => {
            let mean = format::with_unit(&short(side.estimate), row.limit.unit);
            let ends = side.interval.map(|ends| ends.map(short));
            let ends = ends.map_or(String::new(), |[low, high]| format!(" ({low} … {high})"));
            format!("{name} {mean}{ends}, met in {} of {} runs", side.met, side.runs)
        }
    };
    let (a, b) = (&comparison.baseline.name, &comparison.candidate.name);
    format!("{}: {}; {}.", limit(&row.limit), of(a, &row.baseline), of(b, &row.candidate))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn reached_word<S: serde::Serializer>(reached: &Reached, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(match reached {
        Reached::Inside => "inside",
        Reached::AtLeast => "at_least",
        Reached::AtMost => "at_most",
    })
}

/// `p99 TTFT < 500 ms and mean TPOT < 40 ms`
fn limits(row: &CapacityRow) -> String {
    list(&row.limits.iter().map(limit).collect::<Vec<_>>())
}

/// `p99 TTFT < 500 ms`
fn limit(limit: &LimitRow) -> String {
    let value = format::with_unit(&format::trimmed(limit.value, 6), limit.unit);
    format!("{} {} {value}", limit.label, limit.sign)
}

/// `main serves 41.2 req/s (37 in flight)`
fn side(name: &str, side: &CapacitySide, row: &CapacityRow, along: &str) -> String {
    let throughput = format::with_unit(&short(side.throughput), row.unit);
    let at = load(along, short(side.load).parse().ok());
    match side.reached {
        Reached::Inside => format!("{name} serves {throughput} (at {at})"),
        Reached::AtLeast => {
            format!(
                "{name} serves at least {throughput} (at {at}, the largest load, all limits hold)"
            )
        }
        Reached::AtMost => {
            format!(
                "{name} serves less than {throughput} (at {at}, the smallest load, a limit is broken)"
            )
        }
    }
}

/// A number with three digits.
fn short(value: f64) -> String {
    let digits = 2.0 - value.abs().log10().floor();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 9")]
    let decimals = digits.clamp(0.0, 9.0) as usize;
    format::trimmed(value, decimals)
}

/// The change with its interval: `+7.1 % (95 % CI +2.0 … +12.3)`.
pub(crate) fn change(row: &CapacityRow) -> Option<String> {
    let relative = row.relative?;
    let bounds = [&row.baseline, &row.candidate].map(|side| side.as_ref().map(|side| side.reached));
    let bound = match bounds {
        [Some(Reached::Inside), Some(Reached::AtLeast)]
        | [Some(Reached::AtMost), Some(Reached::Inside | Reached::AtLeast)] => "at least ",
        [Some(Reached::Inside), Some(Reached::Inside)] => "",
        _ => "at most ",
    };
    let within = row.relative_ci_equivalence.filter(|_| row.verdict == Verdict::NoChange);
    let (level, [low, high]) = match within {
        Some(ends) => (row.equivalence_confidence, ends.map(Some)),
        None => (row.confidence, row.relative_ci_adjusted),
    };
    let level = format::confidence(level);
    let both = low.zip(high).map(|(low, high)| [low, high]);
    let decimals = format::decimals_of_change(row.relative, both);
    let one = |end: f64| format::change(end, decimals);
    let interval = match (low, high) {
        (Some(low), Some(high)) => {
            format!(" ({level} CI {})", format::interval([low, high], decimals))
        }
        (Some(low), None) => format!(" ({level} CI from {} on)", one(low)),
        (None, Some(high)) => format!(" ({level} CI up to {})", one(high)),
        (None, None) => String::new(),
    };
    Some(format!("{bound}{}{interval}", one(relative)))
}

/// The words of a verdict after the change.
fn verdict(row: &CapacityRow) -> String {
    match row.verdict {
        Verdict::Better => ", better".to_owned(),
        Verdict::Worse => ", worse".to_owned(),
        Verdict::TinyBetter => {
            format!(", better, under the {} that matters", format::chosen(row.margin))
        }
        Verdict::TinyWorse => {
            format!(", worse, under the {} that matters", format::chosen(row.margin))
        }
        Verdict::NoChange => format!(", no change (within ±{})", format::chosen(row.margin)),
        Verdict::WithinNoise => ", within noise".to_owned(),
        Verdict::NotJudged => format!(", not judged: {}", row.reason),
    }
}

/// All of it in a sentence, without a full stop.
pub(crate) fn capacity_statement(row: &CapacityRow, sweep: &SweepRow) -> String {
    let of = |name: &str, found: &Option<CapacitySide>| match found {
        Some(found) => side(name, found, row, &sweep.along),
        None => format!("{name} has no run with {}", needed(row)),
    };
    let a = of(&sweep.baseline, &row.baseline);
    let b = of(&sweep.candidate, &row.candidate);
    let end = match change(row) {
        Some(change) => format!(": {change}{}", verdict(row)),
        None => format!("; {}", row.reason),
    };
    format!("capacity at {}: {a}, {b}{end}", limits(row))
}

/// The title of a report of one sweep: `capacity at P99 TTFT < 500 ms: +7.1 % (95 % CI +2.0 … +12.3), better; main 41.2 req/s,
/// pr 44.2 req/s`.
pub(crate) fn capacity_title(row: &CapacityRow, sweep: &SweepRow) -> String {
    match change(row) {
        Some(change) => {
            let of = |name: &str, side: &Option<CapacitySide>| {
                let bound = match side.as_ref().map(|side| side.reached) {
                    Some(Reached::AtLeast) => "at least ",
                    Some(Reached::AtMost) => "less than ",
                    _ => "",
                };
                let value = side.as_ref().map_or(f64::NAN, |side| side.throughput);
                format!("{name} {bound}{}", format::with_unit(&short(value), row.unit))
            };
            let (a, b) = (of(&sweep.baseline, &row.baseline), of(&sweep.candidate, &row.candidate));
            format!("capacity at {}: {change}{}; {a}, {b}", limits(row), verdict(row))
        }
        None => format!("no capacity to compare at {}: {}", limits(row), row.reason),
    }
}

/// Up to which load each variant meets the limits, and which limit comes first.
pub(crate) fn capacity_loads(row: &CapacityRow, sweep: &SweepRow) -> Option<String> {
    let of = |name: &str, side: &Option<CapacitySide>| {
        let side = side.as_ref()?;
        let at = load(&sweep.along, short(side.load).parse().ok());
        let limit = row.limits.iter().find(|limit| limit.metric == side.binding)?;
        Some(match side.reached {
            Reached::Inside => format!("{name} meets the limits up to {at} ({})", limit.label),
            Reached::AtLeast => format!("{name} meets them at every load, up to {at}"),
            Reached::AtMost => format!("{name} does not meet that of {} even at {at}", limit.label),
        })
    };
    let (a, b) = (of(&sweep.baseline, &row.baseline)?, of(&sweep.candidate, &row.candidate)?);
    Some(format!("{a}; {b}."))
}

fn needed(row: &CapacityRow) -> String {
    let names = row.limits.iter().map(|limit| limit.metric.clone());
    list(&std::iter::once(row.throughput.clone()).chain(names).collect::<Vec<_>>())
}
