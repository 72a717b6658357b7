//! Names for the values of several lines, and the side of each line.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::fields::{self, is_metric};
use crate::kit::figure::is_unit;
use crate::kit::parts_of_work::is_phase;
use crate::kit::stated_runs::stated_count;
use crate::text::claims::claims_of;
use crate::text::labelled::line::line;
use crate::text::labelled::parts::{Case, Form, Line, Measured, is_per_long_time};
use crate::text::labelled::values::{MIN_LISTED, SMALL, first_number, is_part, split};
use beyondnoise_model::metrics::words::meaning;
use beyondnoise_model::runs::{Claim, LabelHint, Source, label_hint};

/// Names the sides of arrows as a line above names both: `main vs. this branch:`.
pub(super) fn name_arrows(lines: &mut [Line], above: &[String]) {
    let unnamed =
        |line: &Line| line.form == Form::Label && ["before", "after"].contains(&&*line.label);
    if !lines.iter().all(unnamed) {
        return;
    }
    let Some([old, new]) = above.iter().rev().take(MAX_AROUND).find_map(|line| sides_in(line))
    else {
        return;
    };
    for line in lines {
        line.label.clone_from(if line.label == "before" { &old } else { &new });
    }
}

/// Most words of a side in a line that names both.
const MAX_SIDE_WORDS: usize = 3;

/// The two sides that a line names, the old one first: `median of 5, main vs. this branch:`, `**unpatched → patched**`.
pub(crate) fn sides_in(line: &str) -> Option<[String; 2]> {
    let [first, second] = sides_as_written(line)?;
    let turned = [&first, &second].map(|name| label_hint(name));
    let turned = turned == [LabelHint::Candidate, LabelHint::Baseline];
    Some(if turned { [second, first] } else { [first, second] })
}

/// The same in their order.
fn sides_as_written(line: &str) -> Option<[String; 2]> {
    let line = line.replace(['*', '`'], "");
    let (left, right) =
        [" → ", " -> ", " => ", " vs. ", " vs "].iter().find_map(|mark| line.split_once(mark))?;
    let ends = |c: char| ",;:.()，；：。（）".contains(c);
    let trim = |text: &str| text.trim_matches([' ', '"', '\'', '#', '-']).to_owned();
    let first = trim(left.rsplit(ends).next()?);
    let second = trim(right.split(ends).next()?);
    let fits = |name: &String| {
        (1..=MAX_SIDE_WORDS).contains(&name.split_whitespace().count())
            && first_number(name).is_none()
    };
    match [&first, &second].map(|name| label_hint(name)) {
        _ if !fits(&first) || !fits(&second) => None,
        [LabelHint::Neither, LabelHint::Neither] => None,
        _ => Some([first, second]),
    }
}

/// Whether all lines but one state how their value compares with the value of that one, and it does: `4277.4 i/s - 1.32x faster`
/// below `3248.2 i/s`.
pub(super) fn compare(lines: &[Line]) -> bool {
    let stated = |line: &Line| claims_of(&line.beside, &Source::default()).into_iter().next();
    let single = lines.iter().all(|line| line.values.len() == 1);
    let units: BTreeSet<&str> = lines.iter().map(|line| &*line.values[0].unit).collect();
    let mut silent = lines.iter().filter(|line| stated(line).is_none());
    let (Some(reference), None) = (silent.next(), silent.next()) else { return false };
    let holds = |line: &Line, claim: &Claim| {
        let of = |line: &Line| line.values[0].number.value;
        let ratio = of(line) / of(reference);
        let near = |seen: f64| (seen.abs() - claim.size).abs() <= claim.resolution + 0.001;
        near(ratio - 1.0) || near(ratio.recip() - 1.0)
    };
    let holds = |line: &Line| stated(line).is_none_or(|claim| holds(line, &claim));
    single && lines.len() > 1 && units.len() == 1 && lines.iter().all(holds)
}

/// Whether lines of the same labels compare with each other elsewhere in the text.
pub(super) fn compared_elsewhere(lines: &[Line], parts: [&[String]; 2]) -> bool {
    let labels: Vec<&str> = lines.iter().map(|line| &*line.label).collect();
    let first = |text: &String| text.contains(labels[0]);
    let found = |lines: &[String]| -> Option<Vec<Line>> {
        let sides = lines.iter().map(|text| Some(line(text, 0)?.swap_remove(0)));
        sides.collect::<Option<Vec<Line>>>()
    };
    let told = |some: &[String]| {
        first(&some[0])
            && found(some).is_some_and(|other| {
                other.iter().map(|line| &*line.label).eq(labels.iter().copied()) && compare(&other)
            })
    };
    let [above, below] = parts;
    let near = [
        &above[above.len().saturating_sub(MAX_COMPARED)..],
        &below[..below.len().min(MAX_COMPARED)],
    ];
    labels.len() > 1 && near.iter().any(|part| part.windows(labels.len()).any(told))
}

/// Lines above and below in which the same labels may compare with each other.
const MAX_COMPARED: usize = 200;

/// Lines around values that may say how many runs these stand for.
pub(super) const MAX_AROUND: usize = 12;

/// Whether two labels or more recur below each case.
pub(super) fn recur(lines: &[Line]) -> bool {
    let mut by_case: BTreeMap<&Option<Case>, BTreeSet<&str>> = BTreeMap::new();
    for line in lines {
        by_case.entry(&line.case).or_default().insert(&line.label);
    }
    let first = by_case.values().next();
    first.is_some_and(|first| first.len() > 1 && by_case.values().all(|labels| labels == first))
}

/// Whether a name, with the unit of its values, is that of a metric; limits are often per minute.
pub(crate) fn measures(name: &str, unit: &str) -> bool {
    let open = unit.is_empty() || is_per_long_time(unit);
    is_metric(name) || !open && is_metric(&format!("{name} ({unit})"))
}

/// Names the sides of lines `metric: value vs value` by their place, or before and after where the text says so, and
/// numbers the cases in which a metric comes again.
pub(super) fn name_by_place(lines: &mut [Line], above: &[String], below: &[String]) -> Option<()> {
    let metric = |line: &Line| line.values.iter().any(|value| measures(&value.metric, &value.unit));
    lines.iter().any(metric).then_some(())?;
    let stated = above.iter().rev().take(MAX_AROUND).find_map(|line| sides_as_written(line));
    let text = above.iter().chain(below).map(|line| line.to_lowercase());
    let text = text.collect::<Vec<_>>().join(" ");
    let has = |word: &str| text.split(|c: char| !c.is_alphanumeric()).any(|w| w.starts_with(word));
    let ordered = has("before") && has("after")
        || has("old") && has("new")
        || has("improv")
        || text.contains("优化")
        || text.contains("提升");
    let (mut part, mut seen) = (1, BTreeSet::new());
    let again = |line: &Line| line.values[0].metric.clone();
    for pair in lines.chunks_mut(2) {
        if !seen.insert(again(&pair[0])) {
            (part, seen) = (part + 1, BTreeSet::from([again(&pair[0])]));
        }
        let names = match &stated {
            Some([one, other]) => [&**one, other],
            None if ordered => ["before", "after"],
            None => ["first", "second"],
        };
        for (line, name) in pair.iter_mut().zip(names) {
            name.clone_into(&mut line.label);
            line.case = Some(Case::Name(format!("part {part}")));
        }
    }
    if part == 1 {
        for line in lines {
            line.case = None;
        }
    }
    Some(())
}

/// Whether words behind a value say that the others are compared with it: `(baseline)`.
pub(super) fn names_reference(beside: &str) -> bool {
    let lower = beside.trim_start_matches(['(', '（', '*', ' ']).to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    ["baseline", "reference", "基准", "基线", "基準"].contains(&first)
}

/// Whether lines are rates in one unit under names as builds have them, `vLLM: 29.7 tok/s`, and none of them numbers the others
/// or names a part of the work.
pub(super) fn are_rates_of_builds(lines: &[Line]) -> bool {
    let labels: BTreeSet<&str> = lines.iter().map(|line| &*line.label).collect();
    let unit = |line: &Line| match &line.values[..] {
        [first, ..] if first.unit.contains('/') => Some(first.unit.clone()),
        _ => None,
    };
    let units: BTreeSet<Option<String>> = lines.iter().map(unit).collect();
    let stem = |label: &&str| label.replace(|c: char| c.is_ascii_digit(), "");
    let stems: BTreeSet<String> = labels.iter().map(stem).collect();
    let numbered = stems.len() < labels.len() && !labels.iter().all(|label| label.contains('.'));
    let silent = |label: &&str| {
        !label.split(|c: char| !c.is_alphanumeric()).any(is_phase) && !is_metric(label)
    };
    let short = |label: &&str| label.split_whitespace().count() < 4;
    units.len() == 1
        && !units.contains(&None)
        && labels.len() > 1
        && !numbered
        && labels.iter().all(|label| silent(label) && short(label))
        && labels.iter().any(|label| is_coined(label))
}

/// Whether a name is written as builds are: with a capital letter or a digit inside, or a mark: `vLLM`, `int8-kv`.
pub(crate) fn is_coined(label: &str) -> bool {
    let inner = label.char_indices().any(|(at, c)| at > 0 && c.is_uppercase());
    inner || label.contains(|c: char| c.is_ascii_digit() || "-_.+".contains(c))
}

/// Whether labels are versions or forms of one thing: all begin with one word, and go on with more than a count.
pub(super) fn begin_alike(labels: &BTreeSet<String>) -> bool {
    let mut words = labels.iter().map(|label| label.split_once(' '));
    let first = words.clone().next().flatten().map(|(first, _)| first);
    first.is_some_and(|first| {
        words.all(|label| {
            let counts = |rest: &str| rest.chars().all(|c| c.is_ascii_digit());
            label.is_some_and(|(word, rest)| word == first && !counts(rest.trim()))
        })
    })
}

/// Takes the metric out of labels such as `TTFT before`; whether all labels had one.
pub(super) fn metrics_in_labels(lines: &mut [Line]) -> bool {
    if lines.iter().flat_map(|line| &line.values).any(|value| !value.metric.is_empty()) {
        return false;
    }
    let all: Option<Vec<(String, String)>> = lines.iter().map(|line| split(&line.label)).collect();
    for (line, (side, metric)) in lines.iter_mut().zip(all.iter().flatten()) {
        line.set_metric(side, metric);
    }
    all.is_some()
}

/// Takes the metric out of labels that all begin or end with its words and differ in others, such as `lmdeploy latency`;
/// whether there is one.
pub(super) fn shared_metric(lines: &mut [Line]) -> bool {
    if lines.iter().flat_map(|line| &line.values).any(|value| !value.metric.is_empty()) {
        return false;
    }
    let labels: BTreeSet<&str> = lines.iter().map(|line| &*line.label).collect();
    let words: Vec<Vec<&str>> =
        labels.iter().map(|label| label.split_whitespace().collect()).collect();
    let Some(shortest) = words.iter().map(Vec::len).min().filter(|_| words.len() > 1) else {
        return false;
    };
    let alike = |at: &dyn Fn(&[&str], usize) -> usize| {
        (0..shortest.saturating_sub(1))
            .take_while(|&k| words.iter().all(|w| w[at(w, k)] == words[0][at(&words[0], k)]))
            .count()
    };
    let (starts, ends) = (alike(&|_, k| k), alike(&|words, k| words.len() - 1 - k));
    let unit = lines[0].values[0].unit.clone();
    let names = |metric: &[&str]| {
        let metric = metric.join(" ");
        let measured = meaning(&metric).statistic.is_some() && is_part(&metric);
        // Sizes are no metric: `softmax, 4096 rows`.
        let sized = metric.starts_with(|c: char| c.is_ascii_digit());
        let silent = metric.is_empty()
            || metric.split(' ').all(|word| SMALL.contains(&&*word.to_lowercase()));
        !silent && !sized && (measures(&metric, &unit) || measured)
    };
    let first = &words[0];
    let (metric, from_end) = if names(&first[first.len() - ends..]) {
        (first[first.len() - ends..].join(" "), true)
    } else if names(&first[..starts]) {
        (first[..starts].join(" "), false)
    } else {
        return false;
    };
    let rest = |label: &str| {
        let side =
            if from_end { label.strip_suffix(&*metric) } else { label.strip_prefix(&*metric) };
        side.unwrap_or(label).trim().to_owned()
    };
    let sides: Vec<String> = lines.iter().map(|line| rest(&line.label)).collect();
    if sides.iter().any(|side| side.is_empty() || is_part(side)) {
        return false;
    }
    for (line, side) in lines.iter_mut().zip(&sides) {
        line.set_metric(side, &metric);
    }
    true
}

/// Names the values of lists as the line above them does, `p50/p95/p99 latency (ms)`, and gives each the load that it names:
/// `concurrency 1/8/32`.
pub(super) fn name_by_list(lines: &mut Vec<Line>, above: &[String]) {
    let blank = |line: &&String| line.trim_matches(['>', '`', '~', ' ']).is_empty();
    let Some(caption) = above.iter().rev().find(|line| !blank(line)) else { return };
    let caption = caption.replace(" / ", "/");
    let caption = caption.trim_matches(['#', '*', ':', ' ']);
    let Some(word) = caption.split_whitespace().find(|word| word.contains('/')) else { return };
    let parts: Vec<&str> = word.split('/').collect();
    let open = |line: &Line| {
        line.form == Form::Label && line.case.is_none() && line.values.len() == parts.len()
    };
    if parts.len() < 2
        || stated_count(caption).is_some()
        || !lines.iter().all(|line| open(line) && !line.is_one_run())
    {
        return;
    }
    let rest = caption.replacen(word, "", 1);
    let (rest, unit) = rest
        .split_once('(')
        .map_or((&*rest, ""), |(rest, unit)| (rest, unit.split(')').next().unwrap_or_default()));
    let rest = rest.split_whitespace().collect::<Vec<_>>().join(" ");
    let unit = if is_unit(unit) { unit } else { "" };
    // `p50/p95`, `cold/warm`
    let measured = |part: &&str| part.contains(char::is_alphabetic) && is_phase(part);
    if parts.iter().all(measured) {
        for (value, part) in lines.iter_mut().flat_map(|line| line.values.iter_mut().zip(&parts)) {
            format!("{part} {rest}").trim().clone_into(&mut value.metric);
            if value.unit.is_empty() {
                unit.clone_into(&mut value.unit);
            }
        }
    } else if fields::sets_load(&format!("{rest}={}", parts[0]))
        && parts.iter().all(|part| fields::number(part).is_some())
    {
        let one = |line: &Line, (value, part): (&Measured, &&str)| Line {
            at: line.at,
            case: Some(Case::Setting(rest.clone(), (*part).to_owned())),
            label: line.label.clone(),
            values: vec![Measured {
                unit: if value.unit.is_empty() { unit.to_owned() } else { value.unit.clone() },
                ..value.clone()
            }],
            beside: line.beside.clone(),
            form: line.form,
            about: line.about,
            scatter: None,
            ratio: None,
        };
        let all = lines
            .iter()
            .flat_map(|line| line.values.iter().zip(&parts).map(|pair| one(line, pair)))
            .collect();
        *lines = all;
    }
}

/// Gives lists without a unit that of the words above them, `Full sorted samples (ms):`; without one they are repeats only where a
/// label names a side and they have decimals.
pub(super) fn set_unit(lines: &mut [Line], above: &[String]) -> Option<()> {
    let open = |line: &Line| {
        line.form == Form::Label
            && line.values.len() >= MIN_LISTED
            && line.values.iter().all(|value| value.unit.is_empty() && value.metric.is_empty())
    };
    if !lines.iter().any(open) {
        return Some(());
    }
    let blank = |line: &&String| line.trim_matches(['>', '`', '~', ' ']).is_empty();
    let caption = above.iter().rev().find(|line| !blank(line)).and_then(|line| {
        let mut brackets = line.split('(').skip(1).filter_map(|rest| rest.split(')').next());
        brackets.find(|unit| is_unit(unit)).map(str::to_owned)
    });
    let hint = lines.iter().any(|line| label_hint(&line.label) != LabelHint::Neither);
    let fine =
        lines.iter().flat_map(|line| &line.values).any(|value| value.number.resolution < 0.5);
    if caption.is_none() && !(hint && fine) {
        return None;
    }
    for line in lines.iter_mut().filter(|line| open(line)) {
        for value in &mut line.values {
            match &caption {
                Some(unit) => value.unit.clone_from(unit),
                None => "value".clone_into(&mut value.metric),
            }
        }
    }
    Some(())
}
