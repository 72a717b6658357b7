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
use crate::metrics::words::{Quantity, meaning};
use crate::runs::{Claim, Doubt, Run, TwoValues, Variant};
use crate::units::Better;

pub use checked::{ClaimRow, Outcome};
use readings::{Reading, has_known_sides, noise, previous};
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
struct Said<'t> {
    /// Those that may name variants.
    text: &'t str,
    /// The meaning of those that name its metric and its direction.
    meaning: Meaning,
    /// The metrics that it is about.
    metrics: Vec<Metric>,
    /// Whether its words name no metric, so that it may be about any.
    open: bool,
}

/// A claim by its two values, where it gives them, else by its words; where these name too little, by the words of the metrics'
/// own names and by what its sentence said before.
fn check(context: &Context, variant: &Variant, run: &Run, claim: &Claim) -> ClaimRow {
    if words::is_level(&claim.text) {
        return unchecked(claim, variant, "it is the level of an interval");
    }
    if let Some(doubt) = claim.doubt {
        let why = match doubt {
            Doubt::OddColumn => "its column agrees with no change of these values",
            Doubt::SeveralCells => "it is about several cells, and holds in none of them alone",
        };
        return unchecked(claim, variant, why);
    }
    let meaning = Meaning::of(&claim.text);
    if let Some(values) = claim.values {
        return by_values(context, variant, claim, (values, &meaning));
    }
    let read = |said: Said| by_words(context, variant, (run, claim), said);
    let named = called(context, &claim.text, &meaning);
    let own = match in_words(context, claim, &meaning) {
        Ok(metrics) => {
            let open = claim.metric.is_none() && !meaning.names_a_metric() && named.is_empty();
            read(Said { text: &claim.text, meaning: meaning.clone(), metrics, open })
        }
        Err(why) => unchecked(claim, variant, &why),
    };
    let holds = matches!(own.outcome, Outcome::Matches | Outcome::OtherBaseline);
    if holds || claim.metric.is_some() {
        return own;
    }
    let takes = |row: &ClaimRow| {
        let other = own.outcome == Outcome::NotChecked && row.outcome == Outcome::OtherBaseline;
        row.outcome == Outcome::Matches || other
    };
    if !named.is_empty() {
        let said = Said {
            text: &claim.text,
            meaning: meaning.clone(),
            metrics: named.clone(),
            open: false,
        };
        let row = read(said);
        // All words of one name leave no doubt what it is about.
        let whole = words::wholly_called(&claim.text, &measured(context))
            .is_some_and(|metric| named.iter().any(|own| own.name == metric.name));
        let open = own.outcome == Outcome::NotChecked && !claim.before.is_empty();
        if takes(&row) || whole && open {
            return row;
        }
    }
    let before = words::without_figures(&claim.before);
    if before.is_empty() {
        return own;
    }
    let whole = format!("{before} {}", claim.text);
    let said = of_sentence(context, claim, (&whole, &meaning), named);
    said.map(read).filter(takes).unwrap_or(own)
}

/// A claim with the words that its sentence has before it: these may name the variants, and the metric where its own words name
/// nothing.
fn of_sentence<'t>(
    context: &Context,
    claim: &Claim,
    (whole, meaning): (&'t str, &Meaning),
    named: Vec<Metric>,
) -> Option<Said<'t>> {
    let said = |meaning: Meaning, metrics: Vec<Metric>, open: bool| {
        Some(Said { text: whole, meaning, metrics, open })
    };
    if meaning.names_a_metric() {
        let metrics = in_words(context, claim, meaning).ok()?;
        return said(meaning.clone(), metrics, false);
    }
    if !named.is_empty() {
        return said(meaning.clone(), named, false);
    }
    let variants = context.group.variants.iter().map(|variant| variant.name.to_lowercase());
    if words::names_nothing(&claim.text, &variants.collect::<Vec<_>>()) {
        // The last clause before it.
        let marks = [',', '，', ';', '；', '、'];
        let last =
            claim.before.trim_end_matches([',', '，', ';', '；', '、', ' ']).rsplit(marks).next();
        let near = format!("{} {}", words::without_figures(last.unwrap_or_default()), claim.text);
        let meaning = Meaning::of(&near);
        let named = called(context, &near, &meaning);
        return match in_words(context, claim, &meaning) {
            Ok(metrics) if meaning.names_a_metric() => said(meaning, metrics, false),
            _ if !named.is_empty() => said(meaning, named, false),
            Ok(metrics) => said(meaning, metrics, true),
            Err(_) => None,
        };
    }
    let metrics = in_words(context, claim, meaning).ok()?;
    said(meaning.clone(), metrics, false)
}

/// The metrics that a text calls by their own names, unless it speaks of one that benchmarks share.
fn called(context: &Context, text: &str, meaning: &Meaning) -> Vec<Metric> {
    if meaning.names_a_standard() {
        return Vec::new();
    }
    let mut found = words::called(text, &measured(context));
    found.retain(|metric| meaning.allows_statistic_of(metric));
    found
}

/// The metrics that words can mean; without a name those that decide. The error says why the figure is no change of one.
fn in_words(context: &Context, claim: &Claim, meaning: &Meaning) -> Result<Vec<Metric>, String> {
    let rows = || context.rows.iter().map(|row| row.metric.clone());
    if let Some(name) = &claim.metric {
        return Ok(rows().filter(|metric| metric.name == *name).collect());
    }
    let is_here = |word: &str| context.rows.iter().any(|row| words::has(&row.metric, word));
    if let Some(why) = meaning.no_change(claim, is_here) {
        return Err(why);
    }
    let deciding = || rows().filter(|metric| context.deciding.contains(&metric.name));
    if !meaning.names_a_metric() {
        // Memory is neither fast nor slow.
        let memory = |metric: &Metric| quantity_of(metric) == Quantity::Memory;
        let fast = |metric: &Metric| !meaning.speaks_of_speed() || !memory(metric);
        let all: Vec<Metric> = deciding().filter(fast).collect();
        let none = all.is_empty() && deciding().next().is_some();
        let why = "no time or rate was measured in both variants";
        return if none { Err(why.to_owned()) } else { Ok(all) };
    }
    let fitting = |meaning: &Meaning| -> Vec<Metric> {
        rows().filter(|metric| meaning.fits(metric)).collect()
    };
    let known = |all: &Vec<Metric>| !all.is_empty();
    // A mean or a median may be one over the runs, and a quantity that of the whole cell: `decode` of `decode, long`.
    let over_runs = || meaning.over_runs().map(|meaning| fitting(&meaning)).filter(known);
    let of_cell = || {
        let cell = words::of_cell(context.workload());
        meaning.is_of_cell(&cell).then(|| deciding().collect())
    };
    let all = Some(fitting(meaning)).filter(known).or_else(over_runs).or_else(of_cell);
    // Of several the one with most words of its name: `memory bandwidth` is no memory.
    let own = called(context, meaning.text(), meaning);
    let narrow = |all: Vec<Metric>| {
        let some: Vec<Metric> = all
            .iter()
            .filter(|one| own.iter().any(|metric| metric.name == one.name))
            .cloned()
            .collect();
        if some.is_empty() { all } else { some }
    };
    let all = all.map(narrow);
    all.ok_or_else(|| "no metric that it could mean was measured in both variants".to_owned())
}

/// The quantity that the words of a metric's name are of.
fn quantity_of(metric: &Metric) -> Quantity {
    meaning(&metric.label).quantity
}

/// A claim that gives an old and a new value is about the change between them: of a metric that it can mean and that has both in two
/// variants, or, where its words name none that was measured, of the values as they are written.
fn by_values(
    context: &Context,
    variant: &Variant,
    claim: &Claim,
    (values, meaning): (TwoValues, &Meaning),
) -> ClaimRow {
    let absent = "no metric that it could mean has the two values";
    let named = called(context, &claim.text, meaning);
    let fitting = if meaning.names_a_metric() {
        in_words(context, claim, meaning).unwrap_or_default()
    } else {
        Vec::new()
    };
    let allowed: Vec<Metric> = match () {
        () if !fitting.is_empty() => fitting.clone(),
        () if !named.is_empty() => named,
        () if meaning.names_a_standard() => return unchecked(claim, variant, absent),
        () if meaning.names_a_metric() => Vec::new(),
        () => measured(context),
    };
    let text = format!("{} {}", words::without_figures(&claim.before), claim.text);
    let all = readings::with_values(context, &allowed, values);
    let told = readings::of_named(context, &text, &all);
    if !all.is_empty() && told.is_empty() {
        let why = format!("it gives the values of {}", all[0].new.name);
        return unchecked(claim, variant, &why);
    }
    let base = &context.baseline.name;
    // Where no label says which is the old one, either may be.
    let turned = if values.ordered || has_known_sides(context) {
        Vec::new()
    } else {
        let all = readings::with_values(context, &allowed, values.turned());
        readings::of_named(context, &text, &all)
    };
    let held = |readings: &[Reading]| {
        taken(context, claim, meaning, readings).is_some_and(|taken| !taken.fails())
    };
    let told = if !held(&told) && held(&turned) { turned } else { told };
    if let Some(taken) = taken(context, claim, meaning, &told) {
        // The old value is that of the candidate: the change goes the other way.
        let place = |name: &str| context.group.variants.iter().position(|one| one.name == *name);
        let known = || has_known_sides(context) || place(base) < place(&taken.reading.old.name);
        let back = values.ordered && taken.reading.new.name == *base && known();
        let forth = readings::with_values(context, &allowed, values.turned());
        let forth = forth.iter().find(|reading| reading.old.name == *base).filter(|_| back);
        let taken = match forth {
            Some(reading) => Taken { reading, of_new: false, outcome: Outcome::OtherSign },
            None => taken,
        };
        return row(context, (variant, None), claim, (&taken, &told), meaning);
    }
    // One of the two is a value of the metric that the words name: the other one is not.
    let one = || {
        let pairs = readings::between_sides(context, &fitting);
        pairs.into_iter().find(|reading| reading.has_one_of(values))
    };
    let TwoValues { old, new, .. } = values;
    let change = new / old - 1.0;
    let tolerance = context.policy.thresholds.claim_difference.max(claim.resolution);
    let consistent = (change.abs() - claim.size).abs() <= tolerance;
    if let Some(reading) = one() {
        if consistent {
            return unchecked(
                claim,
                variant,
                "one of its two values is here, and the other is not",
            );
        }
        let pairs = [reading];
        let taken = Taken { reading: &pairs[0], of_new: false, outcome: Outcome::Differs };
        return row(context, (variant, None), claim, (&taken, &pairs), meaning);
    }
    let agrees = |seen: f64| match meaning.said_to_rise(claim) {
        Some(up) => (seen - signed(claim.size, Some(up))).abs() <= tolerance,
        None => (seen.abs() - claim.size).abs() <= tolerance,
    };
    let given = (change.abs() - claim.size).abs() < 1e-12;
    // A factor may be that of the larger value over the smaller one.
    let factor = !claim.text.contains(['%', '％']);
    let holds = agrees(change) || factor && agrees(1.0 - old / new);
    if !fitting.is_empty() || given || !change.is_finite() || !holds {
        return unchecked(claim, variant, absent);
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
    Said { text, meaning, metrics, open }: Said,
) -> ClaimRow {
    let metrics = meaning.of_peak(metrics);
    // If the words name several metrics, each must agree.
    let mut parts = vec![metrics.clone()];
    if claim.metric.is_none() {
        let named = meaning.families(&metrics);
        if named.len() > 1 {
            parts = named;
        }
    }
    let readings =
        |part: &Vec<Metric>| readings::readings(context, variant, (run, claim), text, part);
    let mut all: Vec<Vec<Reading>> = parts.iter().map(readings).collect();
    // A claim that names no metric may be about any: about another one only where it holds there.
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
    let others = || about_others(context, (run, claim), (text, &meaning), readings);
    if let Some(why) = taken.fails().then(others).flatten() {
        return unchecked(claim, variant, &why);
    }
    let own = taken.reading.new.name == variant.name || taken.reading.named;
    if taken.outcome == Outcome::OtherBaseline && !own {
        let (new, old) = (&taken.reading.new.name, &taken.reading.old.name);
        let why = format!("it names no variant, and would hold for {new} against {old}");
        return unchecked(claim, variant, &why);
    }
    row(context, (variant, Some(run)), claim, (&taken, readings), &meaning)
}

/// The metrics that any variant here has: those compared first.
fn measured(context: &Context) -> Vec<Metric> {
    let mut all: Vec<Metric> = context.rows.iter().map(|row| row.metric.clone()).collect();
    let mut known: BTreeSet<&str> = context.rows.iter().map(|row| &*row.metric.name).collect();
    let runs = context.group.variants.iter().flat_map(|variant| &variant.runs);
    for name in runs.flat_map(|run| run.metrics.keys()) {
        if known.insert(name) {
            all.push(Metric::named(name));
        }
    }
    all
}

/// The reason why a claim that holds nowhere may be about something that is not here.
fn about_others(
    context: &Context,
    (run, claim): (&Run, &Claim),
    (text, meaning): (&str, &Meaning),
    readings: &[Reading],
) -> Option<String> {
    if let Some(other) = readings::absent(text, &context.group.variants) {
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
    if meaning.names_a_kind() {
        return of_one_run(context, (run, claim));
    }
    // Words that name no kind of metric may be about what else they name.
    if let Some(other) = readings::than_another(text, &context.group.variants) {
        return Some(format!("it compares with {other}, which is not here"));
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
    of_one_run(context, (run, claim))
}

/// The reason not to judge a change of a row that holds between the single runs of the row.
fn of_one_run(context: &Context, (run, claim): (&Run, &Claim)) -> Option<String> {
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
        let same = (reading.change.abs() - claim.size).abs() <= tolerance + 1e-12;
        let turned = claim.up.is_some_and(|up| up != (reading.change > 0.0));
        let shown = claim.values.is_some_and(|values| !values.ordered && reading.has(values));
        let lower = reading.metric.better == Some(Better::Lower);
        shown && lower && turned && same && !meaning.says_direction()
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
