//! Percentages that people write beside a result, each compared with every pair that it could mean.
//!
//! A claim is written beside a run. It is first read as a change from the baseline, then from the variant before it in the
//! note, then from any other variant of the workload; each time as a fraction of the old value, then of the new one. Its words
//! name its metrics; without such words, the deciding metrics are meant.

mod checked;
mod readings;
mod words;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::checks::{CheckId, Context, Finding, Severity};
use crate::metrics::Metric;
use crate::runs::{Claim, Doubt, Run, Variant};

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

/// The words by which a claim is read.
#[derive(Clone, Copy)]
struct Said<'t> {
    text: &'t str,
    /// Whether a metric is named by the words of its own name, and not by the words that people have for its kind.
    by_name: bool,
}

/// A claim by its two values, where it gives them, else by its words; where these name too little, by the words of the metrics'
/// own names and by what its sentence said before.
fn check(context: &Context, variant: &Variant, run: &Run, claim: &Claim) -> ClaimRow {
    if words::is_level(&claim.text) {
        return unchecked(claim, variant, "it is the level of an interval");
    }
    if let Some(doubt) = claim.doubt {
        let why = match doubt {
            Doubt::OddColumn => "most of its column agrees with no change of these values",
            Doubt::SeveralCells => "it is about several cells, and holds in none of them alone",
        };
        return unchecked(claim, variant, why);
    }
    if let Some(values) = claim.values {
        return by_values(context, variant, claim, values);
    }
    let read = |said: Said| by_words(context, variant, (run, claim), said);
    let own = read(Said { text: &claim.text, by_name: false });
    let holds = matches!(own.outcome, Outcome::Matches | Outcome::OtherBaseline);
    if holds || claim.metric.is_some() {
        return own;
    }
    let before = words::without_figures(&claim.before);
    let whole = format!("{before} {}", claim.text);
    let texts = [&claim.text, &whole];
    let texts = &texts[..if before.is_empty() { 1 } else { 2 }];
    let further = texts.iter().flat_map(|text| [(text, false), (text, true)]).skip(1);
    let mut further = further.map(|(text, by_name)| read(Said { text, by_name }));
    let takes = |row: &ClaimRow| {
        let other = own.outcome == Outcome::NotChecked && row.outcome == Outcome::OtherBaseline;
        row.outcome == Outcome::Matches || other
    };
    further.find(takes).unwrap_or(own)
}

/// A claim that gives an old and a new value is about the change between them: of the metric that has both in two variants, or,
/// where none has, of the values as they are written.
fn by_values(context: &Context, variant: &Variant, claim: &Claim, values: [f64; 2]) -> ClaimRow {
    let meaning = Meaning::of(&claim.text);
    let metrics = measured(context);
    // `a vs b` may name the old value first.
    let [old, new] = values;
    let found = [[old, new], [new, old]].map(|two| readings::with_values(context, &metrics, two));
    let taken = found.each_ref().map(|all| taken(context, claim, &meaning, all).zip(Some(all)));
    let fails = |(taken, _): &(Taken, &Vec<Reading>)| taken.fails();
    let best = taken.iter().flatten().find(|one| !fails(one)).or(taken.iter().flatten().next());
    if let Some((taken, readings)) = best {
        return row(context, (variant, None), claim, (taken, readings), &meaning);
    }
    let tolerance = context.policy.thresholds.claim_difference.max(claim.resolution);
    let change = new / old - 1.0;
    let stated = signed(claim.size, meaning.said_to_rise(claim));
    let agrees = |seen: f64| match meaning.said_to_rise(claim) {
        Some(_) => (seen - stated).abs() <= tolerance,
        None => (seen.abs() - claim.size).abs() <= tolerance,
    };
    let given = (change.abs() - claim.size).abs() < 1e-12;
    if given || !change.is_finite() || !(agrees(change) || agrees(1.0 - old / new)) {
        return unchecked(claim, variant, "no metric that it could mean has the two values");
    }
    ClaimRow {
        claimed: signed(claim.size, Some(change > 0.0)),
        measured: Some(change),
        outcome: Outcome::Matches,
        message: format!(
            "matches its own two values ({}), which are not among these runs",
            points(change)
        ),
        ..unchecked(claim, variant, "")
    }
}

/// A claim by the words that it or its sentence has.
fn by_words(
    context: &Context,
    variant: &Variant,
    (run, claim): (&Run, &Claim),
    said: Said,
) -> ClaimRow {
    let text = said.text;
    let meaning = Meaning::of(text);
    let own_names = said.by_name && !meaning.names_a_standard();
    let named = if own_names { words::called(text, &measured(context)) } else { Vec::new() };
    if said.by_name && named.is_empty() {
        return unchecked(claim, variant, "it names no metric");
    }
    let is_here = |word: &str| context.rows.iter().any(|row| words::has(&row.metric, word));
    let no_change = meaning.no_change(claim, is_here);
    if let Some(why) = no_change.filter(|_| claim.metric.is_none() && !said.by_name) {
        return unchecked(claim, variant, &why);
    }
    let fitting = |meaning: &Meaning| -> Vec<Metric> {
        let meant = |metric: &Metric| {
            if let Some(name) = &claim.metric {
                metric.name == *name
            } else if meaning.names_a_metric() {
                meaning.fits(metric)
            } else {
                context.deciding.contains(&metric.name)
            }
        };
        context.rows.iter().map(|row| row.metric.clone()).filter(meant).collect()
    };
    let metrics = if said.by_name {
        named
    } else {
        // A mean or a median may be one over the runs, and a quantity that of the whole cell: `decode` of `decode, long`.
        let over_runs = || meaning.over_runs().map(|meaning| fitting(&meaning));
        let known = |all: &Vec<Metric>| !all.is_empty();
        let of_cell = || {
            let deciding = |metric: &Metric| context.deciding.contains(&metric.name);
            let rows = context.rows.iter().map(|row| row.metric.clone()).filter(deciding);
            meaning.is_of_cell(&words::of_cell(context.workload())).then(|| rows.collect())
        };
        let all = Some(fitting(&meaning)).filter(known);
        all.or_else(|| over_runs().filter(known)).or_else(of_cell).unwrap_or_default()
    };
    let metrics = meaning.of_peak(metrics);
    // If the words name several metrics, each must agree.
    let mut parts = vec![metrics.clone()];
    if claim.metric.is_none() {
        let named = meaning.families(&metrics);
        if named.len() > 1 {
            parts = named;
        }
    }
    let readings = |part: &Vec<Metric>| {
        readings::readings(context, variant, (run, claim), (text, &meaning), part)
    };
    let mut all: Vec<Vec<Reading>> = parts.iter().map(readings).collect();
    // A claim that names no metric may be about any: about another one only where it holds there.
    let open = claim.metric.is_none() && !meaning.names_a_metric() && !said.by_name;
    let fails = |readings: &Vec<Reading>| {
        taken(context, claim, &meaning, readings).is_none_or(|taken| taken.fails())
    };
    if open && all.iter().all(fails) {
        let others = context.rows.iter().map(|row| &row.metric);
        let others = others.filter(|metric| !metrics.iter().any(|known| known.name == metric.name));
        let others = readings(&others.cloned().collect());
        if !fails(&others) {
            all = vec![others];
        }
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
    let others = || about_others(context, (run, claim), text, readings);
    if let Some(why) = taken.fails().then(others).flatten() {
        return unchecked(claim, variant, &why);
    }
    let own = taken.reading.new.name == variant.name || taken.reading.named;
    if taken.outcome == Outcome::OtherBaseline && !own {
        let (new, old) = (&taken.reading.new.name, &taken.reading.old.name);
        // One with three digits or more that holds between no other two is about these.
        let exact = claim.resolution <= EXACT * (1.0 + claim.size);
        if exact && only_there(context, claim, &meaning, readings) {
            let taken = Taken { outcome: Outcome::Matches, ..taken };
            return row(context, (variant, Some(run)), claim, (&taken, readings), &meaning);
        }
        let why = format!("it names no variant, and would hold for {new} against {old}");
        return unchecked(claim, variant, &why);
    }
    row(context, (variant, Some(run)), claim, (&taken, readings), &meaning)
}

/// Half of the last digit of a claim with three digits, as a part of the ratio that it states.
const EXACT: f64 = 0.0026;

/// Whether a claim holds between two variants in one metric, and between no others.
fn only_there(context: &Context, claim: &Claim, meaning: &Meaning, readings: &[Reading]) -> bool {
    let holding = readings.iter().filter(|reading| {
        let one = std::slice::from_ref(*reading);
        taken(context, claim, meaning, one).is_some_and(|taken| !taken.fails())
    });
    let pair = |reading: &Reading| {
        let mut names = [reading.new.name.clone(), reading.old.name.clone()];
        names.sort_unstable();
        (reading.metric.name.clone(), names)
    };
    holding.map(pair).collect::<BTreeSet<_>>().len() == 1
}

/// The metrics that any variant here has: those compared first.
fn measured(context: &Context) -> Vec<Metric> {
    let mut all: Vec<Metric> = context.rows.iter().map(|row| row.metric.clone()).collect();
    let runs = context.group.variants.iter().flat_map(|variant| &variant.runs);
    for name in runs.flat_map(|run| run.metrics.keys()) {
        if !all.iter().any(|metric| metric.name == *name) {
            all.push(Metric::named(name));
        }
    }
    all
}

/// The reason why a claim that holds nowhere may be about something that is not here.
fn about_others(
    context: &Context,
    (run, claim): (&Run, &Claim),
    text: &str,
    readings: &[Reading],
) -> Option<String> {
    if let Some(other) = readings::absent(text, &context.group.variants) {
        return Some(format!("it compares with {other}, which is not here"));
    }
    if let Some(other) = readings::than_another(text, &context.group.variants) {
        return Some(format!("it compares with {other}, which is not here"));
    }
    if let Some(other) = words::multiplied(text) {
        return Some(format!("it compares with {other}"));
    }
    if words::joins_changes(text) {
        return Some("it is about several changes together".to_owned());
    }
    let is_here = |value: &f64| {
        readings.iter().any(|reading| reading.has_new(*value) || reading.has_old(*value))
    };
    if let Some(value) = words::compared_value(text).filter(|value| !is_here(value)) {
        return Some(format!("it compares with {value}, which is not here"));
    }
    if let Some(value) = words::value_with_unit(text).filter(|value| !is_here(value)) {
        return Some(format!("it gives {value}, which is not here"));
    }
    let known: Vec<String> = context
        .group
        .variants
        .iter()
        .map(|variant| variant.name.to_lowercase())
        .chain(
            measured(context).iter().flat_map(|metric| [metric.name.clone(), metric.label.clone()]),
        )
        .chain([words::of_cell(context.workload())])
        .filter(|name| !name.is_empty())
        .collect();
    if let Some(name) = words::quoted_name(text).filter(|name| {
        let name = name.to_lowercase();
        !known.iter().any(|known| known.to_lowercase().contains(&name) || name.contains(known))
    }) {
        return Some(format!("it names {name}, which is not here"));
    }
    let of_one_run = readings::is_of_one_run(context, run, claim);
    of_one_run.then(|| "it compares two single runs, as their row says".to_owned())
}

/// The row of a claim that was checked.
fn row(
    context: &Context,
    (variant, run): (&Variant, Option<&Run>),
    claim: &Claim,
    (taken, readings): (&Taken, &[Reading]),
    meaning: &Meaning,
) -> ClaimRow {
    let reading = taken.reading;
    let base = &context.baseline.name;
    let from_baseline = readings
        .iter()
        .find(|other| other.old.name == *base && other.metric.name == reading.metric.name)
        .map(|reading| reading.change);
    let holds = matches!(taken.outcome, Outcome::Matches | Outcome::OtherBaseline);
    let noise = if holds { noise(context, reading) } else { None };
    let mut message = outcome_in_words(context, taken, (variant, run), from_baseline);
    if let Some(noise) = &noise {
        message = format!("{message}, but {}", noise.words);
    }
    ClaimRow {
        metric: Some(reading.metric.name.clone()),
        claimed: signed(claim.size, meaning.rose(claim, &reading.metric)),
        measured: Some(reading.change),
        against: Some(reading.old.name.clone()),
        outcome: taken.outcome,
        message,
        from_baseline,
        noise,
        ..unchecked(claim, variant, "")
    }
}

fn outcome_in_words(
    context: &Context,
    taken: &Taken,
    (variant, run): (&Variant, Option<&Run>),
    from_baseline: Option<f64>,
) -> String {
    let Taken { reading, of_new, outcome } = *taken;
    match outcome {
        Outcome::Matches => matches(reading, of_new, variant),
        Outcome::OtherBaseline => {
            let step = run.and_then(|run| previous(context, run));
            let step = step.is_some_and(|step| step.name == reading.old.name);
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
    let of_values = readings.iter().find(|reading| {
        let tolerance = context.policy.thresholds.claim_difference.max(claim.resolution);
        let same = |of_new| (reading.seen(of_new).abs() - claim.size).abs() <= tolerance + 1e-12;
        let shown = claim.values.is_some_and(|values| reading.has(values));
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
