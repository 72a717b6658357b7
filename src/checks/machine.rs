//! The check of the machine's state during the runs: throttling, other processes, temperature.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::builds::Build;
use crate::checks::subject::Subject;
use crate::checks::{CheckId, Context, Finding, Severity};
use crate::format::first_few;
use crate::runs::MachineState;
use crate::stats::{Average, mean, standard_deviation};

/// Difference in the share of runs with another process; from it on, the process can be the change.
const UNEVEN: f64 = 0.5;

/// Least standard deviation of a temperature between runs: sensors show whole degrees.
const LEAST_SD: f64 = 0.5;

/// Most runs in a message; the evidence has all.
const MOST_NAMED: usize = 3;

/// Key of the evidence of temperatures.
const TEMPERATURE: &str = "temperature";

/// One sentence of the message, with its numbers.
struct Part {
    key: &'static str,
    message: String,
    warns: bool,
    evidence: Value,
}

/// The machine was in different states for the runs of the two variants.
///
/// Throttling is a warning if one variant has none, or if the shares of the runs differ by half; another process only if the
/// shares differ. Otherwise both are notes: they are noise, not the change. A temperature is measured like a metric: chance can
/// make it differ, and is allowed for with all other checks of this kind.
pub(super) fn machine_state(context: &Context) -> Option<Finding> {
    let parts = [throttling(context), other_processes(context), temperature(context)];
    let parts: Vec<Part> = parts.into_iter().flatten().collect();
    let warns = parts.iter().any(|part| part.warns);
    let shown = parts.iter().filter(|part| part.warns == warns);
    let mut message = shown.map(|part| part.message.as_str()).collect::<Vec<_>>().join(" ");
    let severity = if warns { Severity::Warn } else { Severity::Note };
    if warns {
        message += " Part of the change may come from that.";
    }
    let mut finding = Finding::new(CheckId::MachineState, severity, message);
    if parts.iter().any(|part| part.key == TEMPERATURE) {
        finding = finding.with("p_adjusted", adjusted_p(context));
    }
    let whole = parts.into_iter().fold(finding, |all, part| all.with(part.key, part.evidence));
    (!whole.evidence.is_empty()).then_some(whole)
}

/// The runs of a variant in which an event happened.
struct Hits<'a> {
    /// 0 for the baseline, 1 for the candidate.
    side: usize,
    build: &'a Build<'a>,
    /// Number of runs that record it.
    known: usize,
    runs: Vec<usize>,
    what: BTreeSet<String>,
}

impl<'a> Hits<'a> {
    /// `of` gives the event in a run: empty if none happened, `None` if it is not recorded.
    fn of(
        (side, build): (usize, &'a Build<'a>),
        of: impl Fn(&MachineState) -> Option<Vec<String>>,
    ) -> Self {
        let mut hits = Self { side, build, known: 0, runs: Vec::new(), what: BTreeSet::new() };
        for (position, run) in build.runs.iter().enumerate() {
            let Some(what) = run.info.machine.as_deref().and_then(&of) else { continue };
            hits.known += 1;
            if !what.is_empty() {
                hits.runs.push(position);
                hits.what.extend(what);
            }
        }
        hits
    }

    fn share(&self) -> f64 {
        self.runs.len() as f64 / self.known as f64
    }

    fn names(&self) -> Vec<String> {
        self.runs.iter().map(|run| self.build.run_name(*run)).collect()
    }

    /// `4 of 5 runs of after (2, 3, 4 and 1 more)`
    fn words(&self) -> String {
        let (count, known, name) = (self.runs.len(), self.known, self.build.name());
        if count == 0 {
            return format!("none of {name}");
        }
        let runs = format!("{count} of {known} runs of {name}");
        if count == known {
            return runs;
        }
        format!("{runs} ({})", first_few(&self.names(), MOST_NAMED, String::clone))
    }
}

/// Both variants, the larger share of such runs first; `None` if one has no record or nothing happened.
fn both<'a>(
    context: &Context<'a>,
    of: impl Fn(&MachineState) -> Option<Vec<String>>,
) -> Option<[Hits<'a>; 2]> {
    let [a, b] = context.both()?;
    let (a, b) = (Hits::of((0, a), &of), Hits::of((1, b), &of));
    if a.known == 0 || b.known == 0 || a.runs.len() + b.runs.len() == 0 {
        return None;
    }
    Some(if b.share() >= a.share() { [b, a] } else { [a, b] })
}

fn part(key: &'static str, what: &str, hits: &[Hits; 2], warns: bool) -> Part {
    let [more, fewer] = hits;
    let all: Vec<String> = more.what.union(&fewer.what).cloned().collect();
    let message = format!(
        "{what} in {} and in {} ({}).",
        more.words(),
        fewer.words(),
        first_few(&all, MOST_NAMED, String::clone)
    );
    let side = |hits: &Hits| json!({"runs": hits.names(), "known": hits.known, "what": hits.what});
    let [baseline, candidate] = if more.side == 0 { [more, fewer] } else { [fewer, more] };
    let evidence = json!({"baseline": side(baseline), "candidate": side(candidate)});
    Part { key, message, warns, evidence }
}

fn throttling(context: &Context) -> Option<Part> {
    let hits = both(context, |machine| machine.throttled.clone())?;
    let [more, fewer] = &hits;
    let warns = fewer.runs.is_empty() || more.share() - fewer.share() >= UNEVEN;
    Some(part("throttled", "The device throttled", &hits, warns))
}

fn other_processes(context: &Context) -> Option<Part> {
    let most = context.policy.thresholds.busy_processors;
    let busy = |machine: &MachineState| {
        let busiest = machine.busiest.iter().filter(|(_, processors)| *processors > most);
        Some(busiest.map(|(name, _)| name.clone()).collect())
    };
    let hits = both(context, busy)?;
    let warns = hits[0].share() - hits[1].share() >= UNEVEN;
    let what = format!("Another process used more than {most} processors");
    Some(part("other_processes", &what, &hits, warns))
}

/// Temperatures of both variants' runs, for a device that both variants record.
struct Temperatures {
    device: &'static str,
    values: [Vec<f64>; 2],
}

impl Temperatures {
    fn of(subject: &Subject) -> Option<Self> {
        let gpu = |machine: &MachineState| machine.gpu_temperature_c;
        let cpu = |machine: &MachineState| machine.cpu_temperature_c;
        let of = |device, of: fn(&MachineState) -> Option<f64>| {
            let machines = |build: &Build| -> Vec<f64> {
                let machines = build.runs.iter().filter_map(|run| run.info.machine.as_deref());
                machines.filter_map(of).collect()
            };
            let values = subject.both()?.map(machines);
            values.iter().all(|values| !values.is_empty()).then_some(Self { device, values })
        };
        of("GPU", gpu).or_else(|| of("processor", cpu))
    }

    /// The temperature difference, if it matters.
    fn difference(&self, subject: &Subject) -> Option<f64> {
        let difference = mean(&self.values[1]) - mean(&self.values[0]);
        let least = subject.policy.thresholds.temperature_difference;
        (difference.abs() > least).then_some(difference)
    }

    /// Welch's test.
    fn p_value(&self) -> Option<f64> {
        let [a, b] = self.values.each_ref().map(|values| {
            let sd = standard_deviation(values)?.max(LEAST_SD);
            Some(Average { mean: mean(values), sd, runs: values.len() })
        });
        let [_, linear] = Average::deltas(a?, b?);
        Some(linear.ok()?.p_value(0.0))
    }
}

/// Probability of such a temperature difference by chance.
pub(super) fn p_values(subject: &Subject) -> Vec<f64> {
    let p = |temperatures: Temperatures| {
        let matters = temperatures.difference(subject).is_some();
        temperatures.p_value().filter(|_| matters).unwrap_or(1.0)
    };
    Temperatures::of(subject).map(p).into_iter().collect()
}

fn adjusted_p(context: &Context) -> f64 {
    context.chance(CheckId::MachineState).first().copied().unwrap_or(1.0)
}

fn temperature(context: &Context) -> Option<Part> {
    let temperatures = Temperatures::of(context)?;
    let difference = temperatures.difference(context)?;
    let warns = context.beyond_chance(adjusted_p(context));
    let Temperatures { device, values } = &temperatures;
    let (a, b) = (&context.baseline.name, &context.candidate.name);
    let means = values.each_ref().map(|values| mean(values));
    let by_chance = if warns { "" } else { " That can be chance." };
    let message = format!(
        "The {device} was {:.0} °C {} in the runs of {b} ({:.0} °C) than in those of {a} ({:.0} °C).{by_chance}",
        difference.abs(),
        if difference > 0.0 { "hotter" } else { "cooler" },
        means[1],
        means[0]
    );
    let evidence = json!({
        "device": device,
        "baseline": values[0],
        "candidate": values[1],
        "difference": difference,
        "p_value": temperatures.p_value()
    });
    Some(Part { key: TEMPERATURE, message, warns, evidence })
}
