//! Percentages that people write beside a result, each compared with every pair that it could mean.
//!
//! A claim is written beside a run. It is first read as a change from the baseline, then from the variant before it in the
//! note, then from any other variant of the workload; each time as a fraction of the old value, then of the new one. Its words
//! name its metrics; without such words, the deciding metrics are meant.

mod checked;
mod readings;
mod words;

use serde_json::Value;

use crate::checks::{CheckId, Context, Finding, Severity};
use crate::metrics::Metric;
use crate::runs::{Claim, Run, Variant};

pub use checked::{ClaimRow, Outcome};
use readings::{Reading, noise, previous};
use words::Meaning;

/// The claims beside the candidate, and for the first candidate those beside the baseline; each is checked once.
pub(crate) fn claims<'c>(context: &'c Context) -> &'c [ClaimRow] {
    context.claims.get_or_init(|| {
        let (baseline, candidate) = (context.baseline, context.candidate);
        let first = context.group.variants.iter().find(|variant| variant.name != baseline.name);
        let leads = first.is_some_and(|first| first.name == candidate.name);
        let beside: &[&Variant] = if leads { &[baseline, candidate] } else { &[candidate] };
        let mut checked = Vec::new();
        for variant in beside {
            for run in &variant.runs {
                let claims = run.info.claims.iter();
                checked.extend(claims.map(|claim| check(context, variant, run, claim)));
            }
        }
        checked
    })
}

/// The claims of two variants that are not comparable.
pub(crate) fn unchecked_claims(variants: &[&Variant], why: &str) -> Vec<ClaimRow> {
    let mut all = Vec::new();
    for variant in variants {
        let claims = variant.runs.iter().flat_map(|run| &run.info.claims);
        all.extend(claims.map(|claim| unchecked(claim, variant, why)));
    }
    all
}

pub(super) fn claim_check(context: &Context) -> Option<Finding> {
    let told = || claims(context).iter().filter(|claim| claim.outcome != Outcome::NotChecked);
    let doubtful = |claim: &ClaimRow| claim.outcome != Outcome::Matches || claim.noise.is_some();
    let severity = if told().any(doubtful) { Severity::Warn } else { Severity::Note };
    let sentence = |claim: &ClaimRow| format!("\"{}\" {}.", claim.text, claim.message);
    let message = told().map(sentence).collect::<Vec<_>>().join(" ");
    let evidence: Vec<Value> = told().map(ClaimRow::evidence).collect();
    (!evidence.is_empty())
        .then(|| Finding::new(CheckId::ClaimCheck, severity, message).with("claims", evidence))
}

fn unchecked(claim: &Claim, variant: &Variant, why: &str) -> ClaimRow {
    ClaimRow {
        variant: variant.name.clone(),
        text: claim.text.clone(),
        place: claim.source.to_string(),
        metric: None,
        claimed: signed(claim.size, claim.up),
        measured: None,
        against: None,
        outcome: Outcome::NotChecked,
        message: format!("is not checked: {why}"),
        published: None,
        graded: String::new(),
        from_baseline: None,
        noise: None,
    }
}

fn check(context: &Context, variant: &Variant, run: &Run, claim: &Claim) -> ClaimRow {
    if words::is_level(&claim.text) {
        return unchecked(claim, variant, "it is the level of an interval");
    }
    let meaning = Meaning::of(&claim.text);
    if let Some(why) = meaning.no_change(claim).filter(|_| claim.metric.is_none()) {
        return unchecked(claim, variant, &why);
    }
    let meant = |metric: &Metric| {
        if let Some(name) = &claim.metric {
            metric.name == *name
        } else if meaning.names_a_metric() {
            meaning.fits(metric)
        } else {
            context.deciding.contains(&metric.name)
        }
    };
    let metrics: Vec<Metric> =
        context.rows.iter().map(|row| row.metric.clone()).filter(meant).collect();
    let metrics = meaning.of_peak(metrics);
    // If the words name several metrics, each must agree.
    let mut parts = vec![metrics.clone()];
    if claim.metric.is_none() {
        let named = meaning.families(&metrics);
        if named.len() > 1 {
            parts = named;
        }
    }
    // A change behind two values, `186.7 to 164.5 us (-11.9 %)`, is that of these two.
    let stated = words::stated_values(&claim.text);
    let of_these = |reading: &Reading| {
        stated.is_none_or(|(old, new)| reading.has_old(old) && reading.has_new(new))
    };
    let readings =
        |part: &Vec<Metric>| readings::readings(context, variant, (run, claim), part).into_iter();
    let mut all: Vec<Vec<Reading>> =
        parts.iter().map(|part| readings(part).filter(of_these).collect()).collect();
    // A claim that names no metric may be about any: about another one only where it holds there.
    let open = claim.metric.is_none() && !meaning.names_a_metric();
    let fails = |readings: &Vec<Reading>| {
        taken(context, claim, &meaning, readings).is_none_or(|taken| taken.fails())
    };
    if open && all.iter().all(fails) {
        let others = context.rows.iter().map(|row| &row.metric);
        let others = others.filter(|metric| !metrics.iter().any(|known| known.name == metric.name));
        let others: Vec<Metric> = others.cloned().collect();
        let others: Vec<Reading> = readings(&others).filter(of_these).collect();
        if !fails(&others) {
            all = vec![others];
        }
    }
    if stated.is_some() && all.iter().all(Vec::is_empty) {
        let why = "no metric that it could mean has the two values";
        return unchecked(claim, variant, why);
    }
    let found: Option<Vec<Taken>> =
        all.iter().map(|readings| taken(context, claim, &meaning, readings)).collect();
    let worst = |taken: &Taken| !taken.fails();
    let Some((taken, readings)) =
        found.and_then(|found| found.into_iter().zip(&all).min_by_key(|(taken, _)| worst(taken)))
    else {
        let why = "no metric that it could mean was measured in both variants";
        return unchecked(claim, variant, why);
    };
    let fails = taken.fails();
    let Taken { reading, outcome, .. } = taken;
    if let Some(other) = readings::absent(&claim.text, &context.group.variants).filter(|_| fails) {
        return unchecked(claim, variant, &format!("it compares with {other}, which is not here"));
    }
    if let Some(other) = words::multiplied(&claim.text).filter(|_| fails) {
        return unchecked(claim, variant, &format!("it compares with {other}"));
    }
    if fails && words::joins_changes(&claim.text) {
        return unchecked(claim, variant, "it is about several changes together");
    }
    let beside = words::values_beside(&claim.text);
    let both = |(one, other): (f64, f64)| {
        let has = |new: f64, old: f64| {
            readings.iter().any(|reading| reading.has_new(new) && reading.has_old(old))
        };
        has(one, other) || has(other, one)
    };
    if fails && beside.is_some_and(|values| !both(values)) {
        return unchecked(claim, variant, "no metric that it could mean has the two values");
    }
    let is_here = |value: &f64| {
        readings.iter().any(|reading| reading.has_new(*value) || reading.has_old(*value))
    };
    if let Some(value) = words::compared_value(&claim.text).filter(|value| fails && !is_here(value))
    {
        return unchecked(claim, variant, &format!("it compares with {value}, which is not here"));
    }
    if fails && readings::is_of_one_run(context, run, claim) {
        return unchecked(claim, variant, "it compares two single runs, as their row says");
    }
    let own = reading.new.name == variant.name || reading.named;
    if outcome == Outcome::OtherBaseline && !own {
        let (new, old) = (&reading.new.name, &reading.old.name);
        let why = format!("it names no variant, and would hold for {new} against {old}");
        return unchecked(claim, variant, &why);
    }
    let base = &context.baseline.name;
    let from_baseline = readings
        .iter()
        .find(|other| other.old.name == *base && other.metric.name == reading.metric.name)
        .map(|reading| reading.change);
    let holds = matches!(outcome, Outcome::Matches | Outcome::OtherBaseline);
    let noise = if holds { noise(context, reading) } else { None };
    let mut message = outcome_in_words(context, &taken, (variant, run), from_baseline);
    if let Some(noise) = &noise {
        message = format!("{message}, but {}", noise.words);
    }
    ClaimRow {
        metric: Some(reading.metric.name.clone()),
        claimed: signed(claim.size, meaning.rose(claim, &reading.metric)),
        measured: Some(reading.change),
        against: Some(reading.old.name.clone()),
        outcome,
        message,
        from_baseline,
        noise,
        ..unchecked(claim, variant, "")
    }
}

fn outcome_in_words(
    context: &Context,
    taken: &Taken,
    (variant, run): (&Variant, &Run),
    from_baseline: Option<f64>,
) -> String {
    let Taken { reading, of_new, outcome } = *taken;
    match outcome {
        Outcome::Matches => matches(reading, of_new, variant),
        Outcome::OtherBaseline => {
            let step = previous(context, run).is_some_and(|step| step.name == reading.old.name);
            let from_baseline = from_baseline.map(|change| (change, &context.baseline.name));
            holds_against_another(reading, of_new, step, from_baseline)
        }
        _ => holds_nowhere(reading, outcome, context.group.variants.len() > 2),
    }
}

/// The meaning chosen for a claim, and its outcome.
struct Taken<'r, 'a> {
    reading: &'r Reading<'a>,
    /// Whether the claim is a fraction of the new value.
    of_new: bool,
    outcome: Outcome,
}

impl Taken<'_, '_> {
    /// Whether the values do not agree with the claim.
    fn fails(&self) -> bool {
        matches!(self.outcome, Outcome::Differs | Outcome::OtherSign)
    }
}

/// The reading that agrees with a claim: the nearest old variant first, and the old value before the new one as base. If none
/// agrees, the first reading.
fn taken<'r, 'a>(
    context: &Context,
    claim: &Claim,
    meaning: &Meaning,
    readings: &'r [Reading<'a>],
) -> Option<Taken<'r, 'a>> {
    let rose = |reading: &Reading| meaning.rose(claim, &reading.metric);
    let holds = |reading: &Reading, of_new: bool| {
        let digits = claim.resolution + reading.room(of_new);
        let tolerance = context.policy.thresholds.claim_difference.max(digits);
        let seen = reading.seen(of_new);
        let difference = match rose(reading) {
            Some(up) => seen - signed(claim.size, Some(up)),
            None => seen.abs() - claim.size,
        };
        difference.abs() <= tolerance + 1e-12
    };
    let place = |old: &Variant| readings.iter().position(|reading| reading.old.name == old.name);
    let found = [false, true]
        .into_iter()
        .flat_map(|of_new| readings.iter().map(move |reading| (reading, of_new)))
        .filter(|(reading, of_new)| holds(reading, *of_new))
        .min_by_key(|(reading, of_new)| (place(reading.old), *of_new));
    if let Some((reading, of_new)) = found {
        let of_baseline = reading.named || reading.old.name == context.baseline.name;
        let outcome = if of_baseline { Outcome::Matches } else { Outcome::OtherBaseline };
        return Some(Taken { reading, of_new, outcome });
    }
    // `+2.7% (298.3 vs 306.7 ms)`: a plus means better, as the two values show.
    let beside = words::values_beside(&claim.text);
    let of_values = readings.iter().find(|reading| {
        let tolerance = context.policy.thresholds.claim_difference.max(claim.resolution);
        let same = |of_new| (reading.seen(of_new).abs() - claim.size).abs() <= tolerance + 1e-12;
        let shown = beside.is_some_and(|(new, old)| reading.has_new(new) && reading.has_old(old));
        shown && !meaning.says_direction() && (same(false) || same(true))
    });
    if let Some(reading) = of_values {
        return Some(Taken { reading, of_new: false, outcome: Outcome::Matches });
    }
    let reading = readings.first()?;
    let moved = Some(reading.change > 0.0).filter(|_| reading.change != 0.0);
    let opposite = rose(reading).zip(moved).is_some_and(|(said, moved)| said != moved);
    let outcome = if opposite { Outcome::OtherSign } else { Outcome::Differs };
    Some(Taken { reading, of_new: false, outcome })
}

/// `matches: mean TTFT −3.44 % against` the baseline.
fn matches(reading: &Reading, of_new: bool, beside: &Variant) -> String {
    let whose = if reading.new.name == beside.name {
        String::new()
    } else {
        format!(" of {}", reading.new.name)
    };
    let (label, old) = (&reading.metric.label, &reading.old.name);
    format!("matches: {label}{whose} {} against {old}", seen(reading, of_new))
}

/// `holds only against the previous step, x (mean TTFT −3.32 %), it is −1.28 % against main`
fn holds_against_another(
    reading: &Reading,
    of_new: bool,
    step: bool,
    from_baseline: Option<(f64, &String)>,
) -> String {
    let step = if step { "the previous step, " } else { "" };
    let (label, old) = (&reading.metric.label, &reading.old.name);
    let measured = from_baseline.map_or(String::new(), |(change, base)| {
        format!(", it is {} against {base}", points(change))
    });
    format!("holds only against {step}{old} ({label} {}){measured}", seen(reading, of_new))
}

/// `differs: mean TTFT −1.28 % against main, and it holds against no other variant`
fn holds_nowhere(reading: &Reading, outcome: Outcome, several: bool) -> String {
    let word = if outcome == Outcome::OtherSign { "has the other sign" } else { "differs" };
    let (label, old) = (&reading.metric.label, &reading.old.name);
    let others = if several { ", and it holds against no other variant" } else { "" };
    format!("{word}: {label} {} against {old}{others}", points(reading.change))
}

/// A change as it agrees with the claim: `−3.44 %`, `−3.56 % of the new value`.
fn seen(reading: &Reading, of_new: bool) -> String {
    // A value of a hundredth is a factor: `−99.60 % (250.0x)`.
    if of_new && reading.seen(true) <= -1.0 {
        return format!("{} ({:.1}x)", points(reading.change), 1.0 / (1.0 + reading.change));
    }
    let of_new_value = if of_new { " of the new value" } else { "" };
    let medians = if reading.of_medians { " between the medians of the runs" } else { "" };
    format!("{}{of_new_value}{medians}", points(reading.seen(of_new)))
}

fn signed(size: f64, rose: Option<bool>) -> f64 {
    if rose == Some(false) { -size } else { size }
}

/// A change in hundredths of a percent, as claims are written: `−3.44 %`.
fn points(change: f64) -> String {
    let sign = if change < 0.0 { "−" } else { "+" };
    format!("{sign}{:.2} %", change.abs() * 100.0)
}
