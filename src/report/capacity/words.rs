//! Sentences about the capacity at a service level objective.

use crate::format::{self, list};
use crate::report::sweep::words::{load, loads as loads_in_words};
use crate::report::{
    CapacityRow, CapacitySide, Comparison, LeftOutLoad, LimitRow, SloRow, SloSide, SweepRow,
};
use crate::stats::Reached;
use crate::verdict::Verdict;

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
    let broken = if row.newly_broken { ": shown to be broken" } else { "" };
    format!("{}: {}; {}{broken}.", limit(&row.limit), of(a, &row.baseline), of(b, &row.candidate))
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

/// The whole result in one sentence, without a full stop.
pub(crate) fn capacity_statement(row: &CapacityRow, sweep: &SweepRow) -> String {
    capacity_title(row, sweep)
}

/// The first line of a sweep with limits: `capacity at P99 TTFT < 500 ms: +7.1 % (95 % CI +2.0 … +12.3), better; main 41.2 req/s
/// at 29 in flight, pr 44.2 req/s at 30 in flight`.
pub(crate) fn capacity_title(row: &CapacityRow, sweep: &SweepRow) -> String {
    let limits = limits(row);
    let mut said = match change(row) {
        Some(change) => {
            format!("capacity at {limits}: {change}{}; {}", verdict(row), figures(row, sweep))
        }
        None => format!("no capacity to compare at {limits}: {}", row.reason),
    };
    if let Some(broken) = broken(row, sweep) {
        said = format!("{said}; but {broken}");
    }
    let left_out =
        |one: &LeftOutLoad| format!("{} left out: {}", load(&sweep.along, one.load), one.why);
    let left_out: Vec<String> = row.left_out.iter().map(left_out).collect();
    if !left_out.is_empty() {
        said = format!("{said} ({})", left_out.join("; "));
    }
    let remarks = row.remarks.iter().map(|remark| format!("; {remark}"));
    said + &remarks.collect::<String>()
}

/// `main 14.6 req/s at 29 in flight, pr 15.3 req/s at 30 in flight`, or the known bounds.
fn figures(row: &CapacityRow, sweep: &SweepRow) -> String {
    let [Some(a), Some(b)] = [&row.baseline, &row.candidate] else { return String::new() };
    let at = |side: &CapacitySide| load(&sweep.along, short(side.load).parse().ok());
    let rate = |side: &CapacitySide| format::with_unit(&short(side.throughput), row.unit);
    let peak = |side: &CapacitySide| {
        side.reached == Reached::Inside
            && side.between[0].total_cmp(&side.between[1]).is_eq()
            && side.holds_up_to > side.load
    };
    if peak(a) && peak(b) && at(a) == at(b) {
        let [up_to_a, up_to_b] = [a, b].map(|side| short(side.holds_up_to));
        let served =
            if rate(a) == rate(b) { rate(a) } else { format!("{} and {}", rate(a), rate(b)) };
        return format!(
            "both serve most at {}, {served}; the limits hold up to {up_to_a} ({}) and {up_to_b} ({})",
            at(a),
            sweep.baseline,
            sweep.candidate
        );
    }
    let one = |name: &str, side: &CapacitySide| match side.reached {
        Reached::Inside => format!("{name} {} at {}", rate(side), at(side)),
        Reached::AtLeast => format!(
            "{name} at least {}: it holds the limits at every load from there, up to {}: measure higher",
            rate(side),
            at(side)
        ),
        Reached::AtMost => format!(
            "{name} holds the limits at no load measured ({} at {}, the lowest)",
            label_of(row, &side.binding),
            at(side)
        ),
    };
    format!("{}, {}", one(&sweep.baseline, a), one(&sweep.candidate, b))
}

fn label_of<'a>(row: &'a CapacityRow, metric: &'a str) -> &'a str {
    let limit = row.limits.iter().find(|limit| limit.metric == metric);
    limit.map_or(metric, |limit| &limit.label)
}

/// `pr breaks P99 TTFT at 8 in flight (585 ms; main 45 ms), the lowest load: a cold start?`
fn broken(row: &CapacityRow, sweep: &SweepRow) -> Option<String> {
    let newest = row.broken.iter().find(|one| one.candidate).or_else(|| row.broken.first())?;
    let name = if newest.candidate { &sweep.candidate } else { &sweep.baseline };
    let limit = row.limits.iter().find(|limit| limit.metric == newest.metric)?;
    let value = |value: f64| format::with_unit(&short(value), limit.unit);
    let other = if newest.candidate {
        format!("; {} {}", sweep.baseline, value(newest.baseline))
    } else {
        String::new()
    };
    let place = load(&sweep.along, Some(newest.load));
    let end = match newest.holds_from {
        _ if newest.lowest => ", the lowest load: a cold start?".to_owned(),
        Some(from) => format!(" and holds it again from {} on", load(&sweep.along, Some(from))),
        None => String::new(),
    };
    let more = match row.broken.len() {
        0 | 1 => String::new(),
        n => format!(" (and {} more)", n - 1),
    };
    Some(format!(
        "{name} breaks {} at {place} ({}{other}){end}{more}",
        limit.label,
        value(newest.value)
    ))
}

/// The measured loads that meet and break the limits, and the missing ones.
pub(crate) fn capacity_loads(row: &CapacityRow, sweep: &SweepRow) -> Option<String> {
    let [a, b] = [row.baseline.as_ref()?, row.candidate.as_ref()?];
    let bracket = |side: &CapacitySide| {
        let [low, high] = side.between;
        (low < high).then(|| {
            let label = label_of(row, &side.binding);
            let [low, high] = [low, high].map(|at| format::trimmed(at, 6));
            format!("lies between the measured loads {low} and {high} ({label})")
        })
    };
    let said = match (bracket(a), bracket(b)) {
        (Some(a), Some(b)) if a == b => format!("each {a}"),
        (None, None) => return None,
        (a, b) => {
            let names = [&sweep.baseline, &sweep.candidate];
            let each = names.iter().zip([a, b]);
            let each = each.filter_map(|(name, said)| Some(format!("that of {name} {}", said?)));
            each.collect::<Vec<_>>().join("; ")
        }
    };
    let next = if row.measure_next.is_empty() {
        String::new()
    } else {
        let loads: Vec<Option<f64>> = row.measure_next.iter().copied().map(Some).collect();
        format!(" Measure at {}.", loads_in_words(&sweep.along, &loads))
    };
    Some(format!(
        "The capacity: {said}; what lies between was not measured but taken on a straight line.{next}"
    ))
}

/// The titles of the capacities of several sweeps in one line, the worst first.
pub(crate) fn capacities_title(sweeps: &[SweepRow]) -> Option<String> {
    /// Capacities that are told; of more only the number.
    const MAX_TOLD: usize = 3;
    let mut all: Vec<(&CapacityRow, &SweepRow)> =
        sweeps.iter().filter_map(|sweep| Some((sweep.capacity.as_ref()?, sweep))).collect();
    let rank = |row: &CapacityRow| match row.verdict {
        Verdict::Worse => 0,
        Verdict::TinyWorse => 1,
        Verdict::Better => 2,
        Verdict::TinyBetter => 3,
        Verdict::WithinNoise => 4,
        Verdict::NoChange => 5,
        Verdict::NotJudged => 6,
    };
    all.sort_by_key(|(row, _)| rank(row));
    let (first, _) = all.first()?;
    let one = |(row, sweep): &(&CapacityRow, &SweepRow)| {
        let said = change(row).map_or_else(
            || format!("none to compare: {}", row.reason),
            |change| format!("{change}{}", verdict(row)),
        );
        let known = sweep.workload.describe();
        let of =
            if sweep.workload.fields().is_empty() { String::new() } else { format!(" ({known})") };
        format!("{}{of} {said}", sweep.candidate)
    };
    let told: Vec<String> = all.iter().take(MAX_TOLD).map(one).collect();
    let more = all.len().saturating_sub(MAX_TOLD);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    Some(format!("capacity at {}: {}{more}", limits(first), told.join("; ")))
}
