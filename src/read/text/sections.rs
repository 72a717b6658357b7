//! Values below headings and below lines that name a side: a list of metrics under each, or any labels that come again under
//! each.
//!
//! Replicate: a label that comes several times below one side.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::fields::{self, Number};
use crate::kit::figure::{Figure, figure};
use crate::kit::parts_of_work::is_phase;
use crate::text::alike;
use crate::text::headings::heading;
use crate::text::labelled::line::line;
use crate::text::labelled::names::{is_coined, measures};
use crate::text::labelled::parts::{Form, Line, Measured};
use crate::text::labelled::values::{
    MAX_LABEL, behind_label, behind_ordinal, first_number, unit_of,
};
use crate::text::labelled::{MAX_LINES, runs_of};
use crate::text::labels::is_fence;
use crate::text::notes::between::command_of;
use crate::text::printed_lines::{of_unit, put};
use crate::text::prose::side_of;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, Run, RunInfo, Source, label_hint, negates};

/// The runs that headings of one level state, `## Eager: 156 tok/s`, lists of the same metrics under different headings, values
/// under the same labels below each side, paragraphs whose keys name a variant, or lists of names and values. Read only where a text
/// has nothing better.
pub(crate) fn headed(lines: &[String], source: &Source) -> Option<Vec<Run>> {
    let counted = |runs: &Vec<Run>| runs.iter().all(|run| run.name.is_some());
    in_headings(lines, source)
        .or_else(|| alike::read(lines, source).filter(counted))
        .or_else(|| below_sides(lines, source))
        .or_else(|| in_lists(lines, source))
        .or_else(|| named_in_keys(lines, source))
        .or_else(|| named_in_items(lines, source))
        .or_else(|| alike::read(lines, source))
        .filter(|runs| !have_sides_as_metrics(runs))
}

/// Whether runs have both sides as names of values: `before: 41.2 tok/s`, `after: 44.1 tok/s` below each of several works.
fn have_sides_as_metrics(runs: &[Run]) -> bool {
    let hint = |name: &str| label_hint(name.split(" (").next().unwrap_or(name));
    let hints: Vec<LabelHint> = runs.iter().flat_map(|run| run.metrics.keys()).map(hint).collect();
    hints.contains(&LabelHint::Baseline) && hints.contains(&LabelHint::Candidate)
}

/// Words of a sentence that compares; in other scripts parts of it.
const COMPARING: &[&str] = &[
    "comparison",
    "comparing",
    "compared",
    "compare",
    "vs",
    "versus",
    "against",
    "faster",
    "slower",
];
const COMPARING_PARTS: &[&str] = &["对比", "比较", "相比", "比較", "비교"];

/// Words above a list of results.
const RESULTS: &[&str] = &["speed", "benchmark", "benchmarks", "performance", "性能"];

/// Whether a sentence compares.
pub(crate) fn compares(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| COMPARING.contains(&word))
        || COMPARING_PARTS.iter().any(|part| lower.contains(part))
}

/// Words in lines above settings, parts and machines.
const SETTING: &[&str] = &[
    "ttl",
    "timeout",
    "backoff",
    "interval",
    "schedule",
    "hardware",
    "machine",
    "link",
    "config",
    "setting",
    "configuration",
    "breakdown",
    "delay",
    "limit",
];

/// Most items of a list that compares.
const MAX_ITEMS: usize = 12;

/// The runs of lists of a text that compares, whose items are names that say nothing and values of one unit, of time or a rate:
/// `- Julia (1.4): 2.43 s`. The heading above is the case of each of several lists.
fn named_in_items(lines: &[String], source: &Source) -> Option<Vec<Run>> {
    let lines = &lines[..lines.len().min(MAX_LINES)];
    // The line above a list speaks of results, and names no setting.
    let introduced = |at: usize| {
        let mut above = lines[..at].iter().rev().filter(|text| !text.trim().is_empty());
        above.next().is_some_and(|text| {
            let lower = text.to_lowercase();
            let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
            let set = |word: &&str| {
                let one = word.strip_suffix('s').unwrap_or(word);
                ["by", "per", "where"].contains(word) || SETTING.contains(&one)
            };
            let results = words.iter().any(|word| RESULTS.contains(word));
            !words.iter().any(set) && (results || compares(text))
        })
    };
    let item = |text: &str| -> Option<(String, Number, String)> {
        let bare = text.trim_start_matches(['>', ' ']);
        let bullet = bare.strip_prefix(['-', '*', '+', '•']);
        let body =
            bullet.and_then(|body| body.strip_prefix(' ')).or_else(|| behind_ordinal(bare))?;
        let body = body.replace(['*', '`'], "");
        let (label, rest) = behind_label(body.trim())?;
        let Figure { number, unit, beside } = figure(rest.trim_end_matches('.'), false)?;
        let rated = unit.contains('/') || of_unit(&unit) == "time";
        let alone = beside.is_empty() || beside.starts_with('(');
        let says = meaning(&label).says;
        let silent = says == Says::Nothing && !label.split([' ', '-', '_']).any(is_phase)
            || says != Says::Measured && is_coined(&label);
        Some((label, fields::number(&number).filter(|_| rated && alone && silent)?, unit))
    };
    let cases = headings_above(lines);
    let mut runs: Vec<Run> = Vec::new();
    let (mut at, mut lists) = (0, 0);
    while at < lines.len() {
        let items: Vec<_> = lines[at..].iter().map_while(|text| item(text)).collect();
        let labels: BTreeSet<&String> = items.iter().map(|(label, ..)| label).collect();
        let units: BTreeSet<&String> = items.iter().map(|(.., unit)| unit).collect();
        let goes_on = |text: &String| text.trim_start().starts_with(['-', '*', '+', '•']);
        let beside =
            at > 0 && goes_on(&lines[at - 1]) || lines.get(at + items.len()).is_some_and(goes_on);
        let told = (2..=MAX_ITEMS).contains(&items.len()) && units.len() == 1 && !beside;
        let told = told && introduced(at);
        if told && labels.len() == items.len() {
            lists += 1;
            for (nth, (label, number, unit)) in items.iter().enumerate() {
                let info =
                    RunInfo { of_table: true, with_units: true, ..RunInfo::default() }.into();
                let source = Source { position: source.position + at + nth, ..source.clone() };
                let mut run = Run { variant: label.clone(), source, info, ..Run::default() };
                run.workload.label.clone_from(&cases[at]);
                put(&mut run, &of_unit(unit), unit, *number);
                runs.push(run);
            }
        }
        at += items.len().max(1);
    }
    for run in runs.iter_mut().filter(|_| lists == 1) {
        run.workload.label = None;
    }
    let places: BTreeSet<_> = runs.iter().map(|run| (&run.variant, &run.workload.label)).collect();
    (!runs.is_empty() && places.len() == runs.len()).then_some(runs)
}

/// The runs of paragraphs whose keys name one variant each in brackets: `Inference Time (FP16): 4.36 seconds`.
fn named_in_keys(lines: &[String], source: &Source) -> Option<Vec<Run>> {
    let label = |text: &str| -> Option<String> {
        let (key, _) = behind_label(text.trim())?;
        let (_, inner) = key.strip_suffix(')')?.rsplit_once('(')?;
        // A statistic is one of the metric, and a size is a setting.
        let size = inner.starts_with(|c: char| c.is_ascii_digit());
        let name = !inner.is_empty() && unit_of(inner).is_empty() && !size;
        (name && meaning(inner).statistic.is_none()).then(|| inner.trim().to_owned())
    };
    let mut runs: Vec<Run> = Vec::new();
    let lines = &lines[..lines.len().min(MAX_LINES)];
    let mut next = 0;
    for part in lines.split(|text| text.trim().is_empty()) {
        let at = next;
        next += part.len() + 1;
        let labels: BTreeSet<String> = part.iter().filter_map(|text| label(text)).collect();
        let Some(variant) = labels.into_iter().next_back() else { continue };
        let one = part.iter().filter_map(|text| label(text)).all(|label| label == variant);
        if !one || runs.iter().any(|run| run.variant == variant) {
            return None;
        }
        let info = RunInfo { of_table: true, ..RunInfo::default() }.into();
        let source = Source { position: source.position + at, ..source.clone() };
        let mut run = Run { variant, source, info, ..Run::default() };
        for Measured { metric, unit, number, .. } in part.iter().flat_map(|text| values_in(text)) {
            let name = metric.split(" (").next().unwrap_or(&metric);
            put(&mut run, name, &unit, number);
        }
        runs.push(run);
    }
    let shared = |name: &str| runs.iter().filter(|run| run.metrics.get(name).is_some()).count() > 1;
    let names: BTreeSet<&str> = runs.iter().flat_map(|run| run.metrics.keys()).collect();
    let several = names.into_iter().filter(|name| shared(name)).count() > 1;
    (runs.len() > 1 && several).then_some(runs)
}

fn in_headings(lines: &[String], source: &Source) -> Option<Vec<Run>> {
    let (mut found, mut fenced) = (Vec::<Line>::new(), false);
    let mut known = None;
    for (at, text) in lines.iter().enumerate() {
        let bare = text.trim_start_matches(['>', ' ']);
        fenced ^= is_fence(text);
        let body = bare.trim_start_matches('#');
        let level = bare.len() - body.len();
        if fenced
            || level == 0
            || !body.starts_with(' ')
            || known.is_some_and(|known| known != level)
        {
            continue;
        }
        let mut next = line(body, at).unwrap_or_default();
        for line in &mut next {
            line.form = Form::Heading;
        }
        let like = |line: Line| match found.first() {
            Some(first) => line.like(first),
            None => Some(line),
        };
        let next: Vec<Line> = next.into_iter().filter_map(like).collect();
        known = known.or_else(|| (!next.is_empty()).then_some(level));
        found.extend(next);
    }
    runs_of(found, (false, &|_| false), source).map(|(runs, _)| runs)
}

/// A list of metrics with the words above it: its line, its label, the heading above that, and the metrics by their names without
/// brackets, each as often as a loop of the shell above it prints it.
struct List {
    at: usize,
    /// Index of the line with the label.
    above: usize,
    label: String,
    case: Option<String>,
    values: BTreeMap<String, Vec<Measured>>,
    looped: bool,
}

/// Whether a line is a command that runs another several times: `for i in {1..10}; do ...`.
fn is_loop(text: &str) -> bool {
    let bare = text.trim_start_matches(['>', '$', '#', ' ']);
    let repeats = ["for ", "while ", "repeat ", "seq "].iter().any(|start| bare.starts_with(start));
    repeats && bare.contains([';', '{', '|'])
}

/// Most blank lines between a list and the command above it.
const MAX_BLANK: usize = 4;

/// Whether a line is a fence or a command.
fn is_of_shell(text: &str) -> bool {
    let bare = text.trim_matches(['>', ' ']);
    is_fence(text) || is_loop(bare) || !bare.is_empty() && command_of(bare).is_some()
}

fn in_lists(lines: &[String], source: &Source) -> Option<Vec<Run>> {
    let mut lists: Vec<List> = Vec::new();
    let mut goes_on = false;
    let cases = headings_above(lines);
    for (at, text) in lines.iter().enumerate().take(MAX_LINES) {
        let Some(value) = metric_line(text) else {
            goes_on = false;
            continue;
        };
        if !goes_on {
            let blank = |text: &&String| text.trim_matches(['>', ' ']).is_empty();
            // Counts and settings may stand first.
            let valued = |text: &str| {
                let parts = behind_label(text.trim());
                parts.is_some_and(|(_, rest)| figure(rest, false).is_some())
            };
            // A blank line goes with the line of a shell above it.
            let of_shell = |own: usize| {
                let mut above = lines[..=own].iter().rev().take(MAX_BLANK).skip_while(blank);
                is_of_shell(&lines[own])
                    || valued(&lines[own])
                    || blank(&&lines[own]) && above.next().is_some_and(|text| is_of_shell(text))
            };
            let head = (0..at).rev().take_while(|&own| of_shell(own)).last().unwrap_or(at);
            let looped = lines[head..at].iter().any(|text| is_loop(text.trim_matches(['>', ' '])));
            let Some(own) = (head.saturating_sub(3)..head).rev().find(|&own| !blank(&&lines[own]))
            else {
                continue;
            };
            // Behind a count the same list goes on.
            if lists.last().is_none_or(|last| last.above != own) {
                let Some(label) = label_above(&lines[own]) else { continue };
                let case = cases[own].clone();
                lists.push(List { at, above: own, label, case, values: BTreeMap::new(), looped });
            }
            goes_on = true;
        }
        let list = lists.last_mut()?;
        let own = list.values.entry(value.metric.clone()).or_default();
        if own.is_empty() || list.looped {
            own.push(value);
        }
    }
    let shared = |one: &List, other: &List| {
        one.values.keys().filter(|name| other.values.contains_key(*name)).count() > 1
    };
    let recurs =
        |one: &List| lists.iter().any(|other| other.label != one.label && shared(one, other));
    let kept: Vec<&List> = lists.iter().filter(|list| recurs(list)).collect();
    let labels: BTreeSet<&str> = kept.iter().map(|list| &*list.label).collect();
    // The same labels below several headings.
    let in_cases = labels.len() < kept.len();
    let places: BTreeSet<(&str, &Option<String>)> =
        kept.iter().map(|list| (&*list.label, &list.case)).collect();
    let cases: BTreeSet<&Option<String>> = kept.iter().map(|list| &list.case).collect();
    let crossed = places.len() == kept.len() && kept.len() == labels.len() * cases.len();
    if kept.is_empty() || in_cases && !crossed {
        return None;
    }
    // `### Before` above the parts of the work.
    let says = |name: &str| label_hint(name) != LabelHint::Neither || negates(name);
    let sides_above = cases.iter().copied().flatten().any(|case| says(case))
        && !labels.iter().any(|label| says(label));
    let run = |list: &List, nth: usize| {
        let info = RunInfo { of_table: true, ..RunInfo::default() }.into();
        let source = Source { position: source.position + list.at + nth, ..source.clone() };
        let name = list.looped.then(|| (nth + 1).to_string());
        let mut run = Run { variant: list.label.clone(), name, source, info, ..Run::default() };
        if let Some(case) = list.case.as_ref().filter(|_| in_cases) {
            run.workload.label = Some(case.clone());
            if sides_above {
                run.workload.label = Some(std::mem::replace(&mut run.variant, case.clone()));
            }
        }
        for (name, values) in &list.values {
            if let Some(value) = values.get(nth) {
                put(&mut run, name, &value.unit, value.number);
            }
        }
        run
    };
    let runs = |list: &&List| {
        // Where a metric lacks a value, its others cannot be told to belong to one iteration.
        let most = list.values.values().map(Vec::len).min().unwrap_or_default();
        (0..most).map(|nth| run(list, nth)).collect::<Vec<_>>()
    };
    Some(kept.iter().flat_map(runs).collect())
}

/// The last heading above each line, outside of fences.
fn headings_above(lines: &[String]) -> Vec<Option<String>> {
    let (mut last, mut fenced) = (None, false);
    let above = lines.iter().map(|text| {
        let found = last.clone();
        fenced ^= is_fence(text);
        let body = text.trim_start_matches('#');
        if !fenced && body.len() < text.len() && body.starts_with(' ') {
            last = Some(body.trim().to_owned());
        }
        found
    });
    above.collect()
}

/// A line of a list: `* Decode token/s (max): 10.11`.
fn metric_line(text: &str) -> Option<Measured> {
    let bare = text.replace(['*', '`'], "");
    let bare = bare.trim().trim_start_matches(['>', '-', '+', '•', '·', ' ']);
    if let Some(found) = rate_of_bar(bare).or_else(|| taken(bare)) {
        return Some(found);
    }
    let (metric, rest) = behind_label(bare)?;
    let Figure { number, unit, beside } = figure(rest, false)?;
    let metric = metric.split(['(', '（']).next().unwrap_or_default().trim().to_owned();
    // A rate is a result, whatever its name; other values need one.
    let stated = if unit.is_empty() { fields::unit_of(&metric).symbol() } else { &unit };
    let rate = (stated.contains('/') || stated.contains(" per "))
        && meaning(&metric).says != Says::Setting;
    let says = meaning(&metric);
    let known = unit.is_empty() && says.says == Says::Measured && says.better.is_some();
    let measured = known || !matches!(stated, "" | "%") && (rate || measures(&metric, &unit));
    let number = fields::number(&number).filter(|_| measured && beside.is_empty())?;
    Some(Measured { metric, number, unit, side: String::new() })
}

/// The rate at the end of a progress bar that is full: `100%|████| 20/20 [00:08<00:00,  2.41it/s]`.
fn rate_of_bar(text: &str) -> Option<Measured> {
    let (before, inside) = text.strip_suffix(']')?.rsplit_once('[')?;
    let (_, rate) = inside.split_once('<')?.1.split_once(',')?;
    let Figure { number, unit, beside } = figure(rate.split(',').next()?.trim(), false)?;
    let number =
        fields::number(&number).filter(|_| before.contains("100%|") && beside.is_empty())?;
    let rated = unit.contains('/');
    rated.then(|| Measured { metric: of_unit(&unit), number, unit, side: String::new() })
}

/// The label that a line gives to the list below it: a heading, or words with a colon and no value.
fn label_above(text: &str) -> Option<String> {
    if let Some((heading, _)) = heading(text.trim(), 1) {
        return Some(heading.label);
    }
    // `- `sglang` output:`
    let name = text.trim().trim_start_matches(['>', '-', '*', '+', ' ']).strip_suffix([':', '：']);
    if let Some(name) = name.filter(|name| !name.contains(':') && name.len() <= MAX_LABEL) {
        let span = name.split('`').nth(1).filter(|_| name.matches('`').count() == 2);
        return Some(span.unwrap_or(name).trim_matches(['*', ' ']).to_owned());
    }
    let (name, rest) = behind_label(text.trim())?;
    (figure(rest, false).is_none() && rest.len() <= MAX_LABEL).then(|| format!("{name} {rest}"))
}

/// A line that names a side, with the values below it until the next such line.
struct Side {
    at: usize,
    label: String,
    values: Vec<Measured>,
}

impl Side {
    fn times(&self, metric: &str) -> usize {
        self.values.iter().filter(|value| value.metric == metric).count()
    }

    fn numbers(&self, metric: &str) -> Vec<(f64, &str)> {
        let own = self.values.iter().filter(|value| value.metric == metric);
        own.map(|value| (value.number.value, &*value.unit)).collect()
    }
}

/// The runs of two sides or more: the labels that come equally often below each of them, with values that differ.
fn below_sides(lines: &[String], source: &Source) -> Option<Vec<Run>> {
    let mut sides: Vec<Side> = Vec::new();
    for (at, text) in lines.iter().enumerate().take(MAX_LINES) {
        let bare = |above: usize| lines[above].trim().is_empty() || is_fence(&lines[above]);
        let alone = at.checked_sub(1).is_none_or(bare);
        if let Some(label) = names_side(text, alone) {
            sides.push(Side { at, label, values: Vec::new() });
        } else if let Some(side) = sides.last_mut() {
            side.values.extend(values_in(text));
        }
    }
    sides.retain(|side| !side.values.is_empty());
    let labels: BTreeSet<String> = sides.iter().map(|side| side.label.to_lowercase()).collect();
    let first = sides.first()?;
    let mut metrics: Vec<&str> = Vec::new();
    for value in &first.values {
        let name = &*value.metric;
        let again = sides.iter().all(|side| side.times(name) == first.times(name));
        let differs = sides.iter().any(|side| side.numbers(name) != first.numbers(name));
        if !metrics.contains(&name) && again && differs {
            metrics.push(name);
        }
    }
    let times = first.times(metrics.first()?);
    // The only time needs no other name.
    let named = |metric: &str| {
        let alone = metrics.len() == 1 && metric.starts_with("time of ");
        if alone { "time".to_owned() } else { metric.to_owned() }
    };
    let repeated = metrics.iter().all(|name| first.times(name) == times);
    let stated = first
        .values
        .iter()
        .any(|value| metrics.contains(&&*value.metric) && !value.unit.is_empty());
    let told = sides.len() > 1 && labels.len() == sides.len() && (stated || metrics.len() > 1);
    if !told || !repeated {
        return None;
    }
    let mut runs = Vec::new();
    for side in &sides {
        for nth in 0..times {
            let info = RunInfo { of_table: true, ..RunInfo::default() }.into();
            let source = Source { position: source.position + side.at, ..source.clone() };
            let name = (times > 1).then(|| (nth + 1).to_string());
            let mut run = Run { variant: side.label.clone(), name, source, info, ..Run::default() };
            for metric in &metrics {
                let mut own = side.values.iter().filter(|value| value.metric == *metric);
                let value = own.nth(nth)?;
                put(&mut run, &named(metric), &value.unit, value.number);
            }
            runs.push(run);
        }
    }
    Some(runs)
}

/// The side that a line names for the lines below it, and nothing else: `Timings before the patch:`, `## With the fix`.
/// `alone`: no words are directly above it.
fn names_side(text: &str, alone: bool) -> Option<String> {
    let bare = text.trim().trim_start_matches(['>', '-', ' ']).trim_end();
    let inner = bare.trim_matches(['*', '#', ' ', ':', '：']);
    let heads = bare.starts_with('#')
        || bare.trim_end_matches('*').ends_with([':', '：'])
        || bare.starts_with("**") && bare.ends_with("**")
        || alone && bare.chars().all(char::is_alphabetic);
    let valued = first_number(inner).is_some_and(|at| figure(&inner[at..], false).is_some());
    let says = label_hint(inner) != LabelHint::Neither || negates(inner);
    let promised = is_planned(inner);
    if !heads || valued || !says || promised || inner.chars().count() > MAX_LABEL {
        return None;
    }
    let name = inner.strip_prefix("and ").unwrap_or(inner);
    // `With the fix` is a name as a whole, `Timings before the patch` begins with another word.
    let side = side_of(name).map(|(_, label)| label);
    let starts = |start: &str| name.to_lowercase().starts_with(&start.to_lowercase());
    let whole = side.as_deref().is_none_or(starts) || starts("with") || starts("w/");
    let short = name.split_whitespace().count() <= MAX_SIDE_WORDS;
    if whole && short { Some(name.to_owned()) } else { side }
}

/// Most words of a line that is the name of a side as a whole.
const MAX_SIDE_WORDS: usize = 4;

/// Whether words speak of what is to come.
fn is_planned(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["expect", "target", "goal", "estimate", "plan", "目标", "预期", "预计"]
        .iter()
        .any(|word| lower.contains(word))
}

/// The values of a line behind their label: `Wall time: 175.53`, `CPU times: user 151.62 s, sys: 16.75 s`.
fn values_in(text: &str) -> Vec<Measured> {
    let bare = text.replace(['*', '`'], "");
    let bare = bare.trim().trim_start_matches(['>', '-', '+', '•', '·', ' ']);
    if bare.contains('|') {
        return Vec::new();
    }
    let value = |metric: String, text: &str| -> Option<Measured> {
        let Figure { number, unit, beside } = figure(text, false)?;
        let alone = (beside.is_empty() || beside.starts_with('(')) && unit != "%";
        let number: Number = fields::number(&number).filter(|_| alone)?;
        Some(Measured { metric, number, unit, side: String::new() })
    };
    let Some((label, rest)) = behind_label(bare) else {
        if let Some(took) = taken(bare) {
            return vec![took];
        }
        // A value alone, `[162.6 s]`, or values before their names: `0.63s user 0.47s system`.
        let inner = bare.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
        let alone = inner.and_then(|inner| figure(inner.trim(), false));
        let alone = alone.filter(|found| !matches!(&*found.unit, "" | "%"));
        let one = alone.and_then(|found| value(of_unit(&found.unit), inner?.trim()));
        return one.map_or_else(|| values_before_names(bare), |one| vec![one]);
    };
    if let Some(one) = value(label.clone(), rest) {
        return vec![one];
    }
    let part = |part: &str| {
        let part = part.trim();
        let at = first_number(part)?;
        // `43.4 s duration`
        let mut words = part.split_whitespace().skip(1);
        let unit = words.next().filter(|unit| at == 0 && !unit_of(unit).is_empty());
        let name = words.collect::<Vec<_>>().join(" ");
        if let Some(unit) = unit.filter(|_| name.chars().all(|c| c.is_alphabetic() || c == ' ')) {
            let text = format!("{} {unit}", part.split_whitespace().next()?);
            return value(format!("{label} {name}").trim().to_owned(), &text)
                .filter(|_| !name.is_empty());
        }
        let words = part[..at].trim().trim_end_matches([':', '=']).trim();
        let named = words.contains(char::is_alphabetic);
        value(format!("{label} {words}"), part[at..].trim()).filter(|_| named)
    };
    let parts: Vec<Option<Measured>> = rest.split([',', ';']).map(part).collect();
    let known = parts.iter().flatten().count();
    if 2 * known > parts.len() { parts.into_iter().flatten().collect() } else { Vec::new() }
}

/// The time that a program says it took, at the end of a line: `Done in 12.3s.`, `== 1637 passed, 23 skipped in 115.97s
/// (0:01:55) ==`.
fn taken(text: &str) -> Option<Measured> {
    let inner = text.trim_matches(|c: char| "=-*#!.✨ ".contains(c));
    let (words, rest) = [" in ", " took "].iter().find_map(|mark| inner.rsplit_once(mark))?;
    let time = rest.split(" (").next().unwrap_or(rest).trim_end_matches('.');
    let Figure { number, unit, beside } = figure(time, false)?;
    // Programs print fractions, and other words for other work.
    let printed = number.contains('.') && beside.is_empty() && of_unit(&unit) == "time";
    let number = fields::number(&number).filter(|_| printed)?;
    let digit = |word: &&str| !word.contains(|c: char| c.is_ascii_digit());
    let words: Vec<&str> = words.split_whitespace().filter(digit).collect();
    let words = words.join(" ").to_lowercase().replace(['(', ')', '[', ']'], "");
    let side = String::new();
    let metric = Some(format!("time of {words}")).filter(|_| !words.is_empty())?;
    Some(Measured { metric, number, unit, side })
}

/// Times with their names behind them, as a shell prints them: `0.63s user 0.47s system 128% cpu 0.861 total`.
fn values_before_names(text: &str) -> Vec<Measured> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let pair = |two: &[&str]| -> Option<Measured> {
        let Figure { number, unit, beside } = figure(two[0], false)?;
        let named = two[1].chars().all(char::is_alphabetic) && unit_of(two[1]).is_empty();
        let number = fields::number(&number)?;
        let (metric, side) = (two[1].to_owned(), String::new());
        (named && beside.is_empty()).then_some(Measured { metric, number, unit, side })
    };
    let mut values: Vec<Measured> = words.windows(2).filter_map(pair).collect();
    let Some(unit) = values.iter().map(|value| value.unit.clone()).find(|unit| *unit == "s") else {
        return Vec::new();
    };
    values.retain(|value| matches!(&*value.unit, "s" | ""));
    for value in &mut values {
        value.unit.clone_from(&unit);
    }
    if values.len() > 1 { values } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Option<Vec<String>> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let row = |run: &Run| {
            let values: Vec<String> =
                run.metrics.iter().map(|(name, v)| format!("{name} {}", v.value)).collect();
            format!("{}: {}", run.variant, values.join(", "))
        };
        below_sides(&lines, &Source::default()).map(|runs| runs.iter().map(row).collect())
    }

    #[test]
    fn labels_that_come_again_below_each_side_are_its_values() {
        let text = "Timings before the patch:\n\n> solve(6)\nCPU: user 9.62 s, sys: 0.75 s\nsteps: 12\n\
                    Wall time: 10.53\n\nand after:\n> solve(6)\nCPU: user 0.54 s, sys: 0.09 s\nsteps: 12\nWall time: 1.35";
        assert_eq!(
            table(text).expect("two sides"),
            [
                "before: CPU sys (s) 0.75, CPU user (s) 9.62, Wall time 10.53",
                "after: CPU sys (s) 0.09, CPU user (s) 0.54, Wall time 1.35"
            ]
        );
    }

    #[test]
    fn plans_settings_and_single_sides_are_none() {
        for text in [
            "Before:\nport: 80\nAfter:\nport: 80",
            "Before:\nlatency: 20 ms\n",
            "Before:\nlatency: 20 ms\nAfter (expected):\nlatency: 10 ms",
            "Before:\nfirst: 20 ms\nAfter:\nsecond: 10 ms",
        ] {
            assert_eq!(table(text), None, "{text}");
        }
    }
}
