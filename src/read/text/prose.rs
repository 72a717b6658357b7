//! Sentences that give a quantity before and after a change: `throughput went from 12.4 to 13.1 tok/s`, `TTFT 812 ms ->
//! 640 ms`, `首字延迟从 812 ms 降到 640 ms`, `41.2 tok/s on main and 44.9 tok/s with this PR`.
//!
//! Replicate: none, each side is one run. Read only where a text has nothing better: no block, table or list of values.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::fields::{self, Number, is_metric};
use crate::kit::figure::leading;
use crate::kit::parts_of_work::is_phase;
use crate::text::claims::is_claim;
use crate::text::labelled::values::unit_of;
use crate::text::printed_lines::{of_unit, put};
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{Claim, LabelHint, Run, RunInfo, Source, Workload, label_hint};
use beyondnoise_model::units::Scale;

/// Longest line that is looked at, in bytes, and most lines of a text.
const MAX_BYTES: usize = 2_000;
const MAX_LINES: usize = 500;

/// Most words of the name of a metric in a sentence.
const MAX_WORDS: usize = 5;

/// A number of a sentence with its place and unit.
struct Measured {
    from: usize,
    to: usize,
    number: Number,
    unit: String,
}

/// A quantity with the values of both sides, as a sentence gives them; the baseline first.
struct Statement {
    metric: String,
    line: usize,
    labels: [String; 2],
    values: [(Number, String); 2],
    /// The work that a line above names, where the quantity comes again.
    case: Option<String>,
}

/// Whether a text has such a sentence.
pub(crate) fn speaks(lines: &[String]) -> bool {
    statements(lines).is_some()
}

/// The two runs that the sentences of a text speak of, for each piece of work; `None` where they give a quantity twice.
/// Claims of a line with one quantity are about that.
pub(crate) fn read(lines: &[String], source: &Source, claims: &mut [Claim]) -> Option<Vec<Run>> {
    let found = statements(lines)?;
    let mut cases: BTreeMap<&Option<String>, [Run; 2]> = BTreeMap::new();
    for Statement { metric, values, case, labels, line } in &found {
        let runs = cases.entry(case).or_insert_with(|| {
            [0, 1].map(|side| {
                let info = RunInfo { of_table: true, ..RunInfo::default() }.into();
                let source = Source { position: line + side, ..source.clone() };
                let workload = Workload { label: case.clone(), ..Workload::default() }.into();
                let variant = labels[side].clone();
                Run { variant, source, workload, info, ..Run::default() }
            })
        });
        let known = runs[1].metrics.clone();
        for (run, (number, unit)) in runs.iter_mut().zip(values) {
            put(run, metric, unit, *number);
        }
        let own =
            runs[1].metrics.iter().map(|(name, _)| name).find(|name| !known.contains_key(name));
        let here: Vec<&Statement> = found.iter().filter(|one| one.line == *line).collect();
        let on_line = |claim: &&mut Claim| claim.source.position == *line;
        if here.len() == 1 {
            // A change with its own values is about these.
            for claim in claims.iter_mut().filter(on_line).filter(|claim| claim.values.is_none()) {
                claim.metric = own.map(str::to_owned);
            }
            continue;
        }
        // As many changes as quantities: each in its turn.
        let place = here.iter().position(|one| one.metric == *metric && one.case == *case);
        let mut of_line: Vec<&mut Claim> = claims.iter_mut().filter(on_line).collect();
        if let Some(claim) =
            place.filter(|_| of_line.len() == here.len()).map(|at| &mut of_line[at])
        {
            claim.metric = own.map(str::to_owned);
        }
    }
    Some(cases.into_values().flatten().collect())
}

/// The statements of a text, each quantity once.
fn statements(lines: &[String]) -> Option<Vec<Statement>> {
    if lines.len() > MAX_LINES {
        return None;
    }
    let mut found: Vec<Statement> = Vec::new();
    let short = |(_, line): &(usize, &String)| line.len() <= MAX_BYTES;
    for (at, line) in lines.iter().enumerate().filter(short) {
        let line = line.replace(['*', '`', '\u{fe0f}'], "");
        let above = at.checked_sub(1).map(|above| lines[above].trim());
        match above.and_then(|above| begun(above, line.trim())) {
            Some(begun) => found.extend(pairs(&format!("{begun} {}", line.trim()), at + 1)),
            None => found.extend(pairs(&line, at + 1)),
        }
        found.extend(of_sides(&line, at + 1));
    }
    let values = |one: &Statement| {
        one.values.each_ref().map(|(number, unit)| format!("{} {unit}", number.value))
    };
    let twice = |found: &[Statement]| {
        let mut seen: BTreeMap<(&Option<String>, &str), [String; 2]> = BTreeMap::new();
        found.iter().any(|one| {
            let own = values(one);
            *seen.entry((&one.case, &one.metric)).or_insert_with(|| own.clone()) != own
        })
    };
    if twice(&found) {
        // The same quantity of several pieces of work.
        for one in &mut found {
            one.case = Some(case_above(&lines[..one.line - 1])?);
        }
    }
    if twice(&found) {
        return None;
    }
    let mut once = BTreeSet::new();
    found.retain(|one| once.insert((one.case.clone(), one.metric.clone())));
    // Different names of sides would be more than two variants.
    let labels: BTreeSet<&[String; 2]> = found.iter().map(|one| &one.labels).collect();
    (labels.len() == 1).then_some(found)
}

/// Fewest columns of a line that ends where the text was wrapped.
const WRAPPED: usize = 70;

/// Columns of a text on the screen: characters of scripts without blanks take two.
fn columns_of(text: &str) -> usize {
    text.chars().map(|c| if c >= '\u{2e80}' { 2 } else { 1 }).sum()
}

/// The start of the sentence that goes on in this line, where the line above states no change in it.
fn begun<'a>(above: &'a str, line: &str) -> Option<&'a str> {
    wrapped(above, line, false).filter(|begun| !is_claim(begun))
}

/// The start of the sentence that goes on in this line: the line above is as long as those of wrapped text or ends with a
/// comma, or this one starts in a small letter, or is indented below an item of a list.
pub(crate) fn wrapped<'a>(above: &'a str, line: &str, indented: bool) -> Option<&'a str> {
    let item = |line: &str| {
        let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        line.starts_with(['-', '*', '+', '#', '|', '>', '`', '=', '<', '['])
            && !line.starts_with("**")
            || number.len() < line.len() && [". ", ") "].iter().any(|end| number.starts_with(end))
    };
    let ends = |c: char| ".!?:;)。！？：；）|`".contains(c);
    let words = above.split_whitespace().count() > 4;
    let goes_on = words && line.starts_with(char::is_lowercase)
        || above.ends_with([',', '，', '、'])
        || above.is_ascii() && above.len() >= WRAPPED
        || !above.is_ascii() && columns_of(above) >= WRAPPED;
    let below_item = indented && item(above);
    let ended = above.trim_end_matches('*').ends_with(ends);
    if item(line) || item(above) && !below_item || !goes_on && !below_item || ended {
        return None;
    }
    let from = [". ", "! ", "? ", "; ", "。", "；"]
        .iter()
        .filter_map(|end| Some(above.rfind(end)? + end.len()))
        .max()
        .unwrap_or(0);
    let begun = above[from..].trim();
    begun.chars().any(char::is_alphabetic).then_some(begun)
}

/// Most words of a line that names the work.
const MAX_CASE_WORDS: usize = 7;

/// The name of the work that the nearest line of a few words and no value gives to the lines below it.
fn case_above(above: &[String]) -> Option<String> {
    let name = |line: &String| {
        let name =
            line.trim_matches([' ', '#', '>', '-', '*', '`', ':', '：']).replace(['*', '`'], "");
        let words = name.split_whitespace().count();
        let fits = (1..=MAX_CASE_WORDS).contains(&words)
            && name.contains(char::is_alphabetic)
            && !name.contains([':', '：', '|', '=', '→'])
            && !name.ends_with(['.', '。', ',', '!', '?'])
            && numbers(&name).iter().all(|number| {
                number.unit.is_empty() || number.unit == "%" && line.trim().starts_with('#')
            })
            && label_hint(&name) == LabelHint::Neither;
        fits.then_some(name)
    };
    above.iter().rev().find_map(name)
}

/// The numbers of a line, with their units.
fn numbers(line: &str) -> Vec<Measured> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = line[at..].find(|c: char| c.is_ascii_digit()) {
        let from = at + next;
        let before = line[..from].chars().next_back();
        // `v0.6`, `H100` and `2026-01-02` are names; a word of a script without blanks may be before.
        let inside = before.is_some_and(|c| {
            c.is_ascii_alphanumeric() || "._-+/#$@=".contains(c) && !line[..from].ends_with("->")
        });
        let run = |text: &str| {
            text.len()
                - text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '.').len()
        };
        let Some((length, number)) = leading(&line[from..], false).filter(|_| !inside) else {
            at = from + run(&line[from..]).max(1);
            continue;
        };
        let behind = &line[from + length..];
        let spelled = [" per cent", " percent"].iter().any(|word| behind.starts_with(word));
        let unit = if spelled { "%".to_owned() } else { unit_of(behind).trim_end().to_owned() };
        let skipped = behind.len() - behind.trim_start().len();
        let to = if unit.is_empty() { from + length } else { from + length + skipped + unit.len() };
        let glued = unit.is_empty()
            && behind.starts_with(|c: char| c.is_ascii_alphanumeric() || "%％.:-/_×".contains(c))
            && !behind.starts_with("->")
            && !behind.starts_with(". ")
            && behind != ".";
        if let Some(number) = fields::number(&number).filter(|_| !glued || unit == "%") {
            found.push(Measured { from, to, number, unit });
        }
        at = to.max(from + run(&line[from..]).max(1)).min(line.len());
    }
    found
}

/// Marks between an old and a new value.
const ARROWS: &[&str] = &["→", "->", "=>", "-->", "➡", "⇒", "⟶"];

/// Words between the two, and those before the first.
const TO: &[&str] = &["to", "down to", "up to", "to about", "to around", "to just", "to only"];
const FROM: &[&str] = &["from", "from about", "from around", "from ~"];
const FROM_ZH: &[&str] = &["从约", "由原来的", "从原来的", "从", "由"];

/// Words between a new value and the old one behind it.
const INSTEAD: &[&str] =
    &["instead of", "rather than", "down from", "up from", "compared to", "compared with"];

/// Words for a change of a quantity, as their starts.
const MOVES: &[&str] = &[
    "went", "goes", "go", "drop", "reduc", "decreas", "increas", "improv", "fell", "falls", "rose",
    "rises", "regress", "faster", "slower", "speed", "cut", "降", "升", "提", "减", "缩短", "增",
];

/// `from 12.4 to 13.1 tok/s`, `812 ms -> 640 ms`, `从 812 ms 降到 640 ms`.
fn pairs(line: &str, number: usize) -> Vec<Statement> {
    let values = numbers(line);
    let mut found: Vec<Statement> = Vec::new();
    let mut start = 0;
    for two in values.windows(2) {
        let [old, new] = two else { continue };
        if old.from < start {
            continue;
        }
        let head = &line[start..old.from];
        // A full stop ends what was said before.
        let head = head.rsplit([';', '；', '。', '!', '\t']).next().unwrap_or(head);
        let head = head.rsplit(". ").next().unwrap_or(head);
        // A change in percent before a bracket with the values is no setting: `+4% PP (807 -> 840 T/s)`.
        let bracket = head.rsplit_once(['(', '（']).filter(|(words, _)| is_claim(words));
        let head = bracket.map_or(head, |(_, inside)| inside);
        let between = line[old.to..new.from].trim().trim_start_matches(',').trim_start();
        let ends = |words: &[&str]| {
            words.iter().any(|word| {
                let lower = head.trim_end().to_lowercase();
                lower.strip_suffix(word).is_some_and(|rest| {
                    !word.is_ascii() || !rest.ends_with(|c: char| c.is_ascii_alphanumeric())
                })
            })
        };
        let moves = || {
            let lower = head.to_lowercase();
            MOVES.iter().any(|word| lower.contains(word))
        };
        let zh = || {
            !between.is_ascii()
                && between.chars().count() < 8
                && between.ends_with(['到', '至', '为', '成'])
                && ends(FROM_ZH)
        };
        // `634 MB RSS instead of 611 MB`
        let stem = INSTEAD.iter().find_map(|word| {
            let cut = between.len().checked_sub(word.len())?;
            let (stem, last) = between.split_at_checked(cut)?;
            last.eq_ignore_ascii_case(word).then_some(stem.trim())
        });
        let named = stem.filter(|name| is_metric(name));
        let back = named.is_some() || stem == Some("");
        let joined = back
            || ARROWS.contains(&between)
            || TO.contains(&&*between.to_lowercase()) && (ends(FROM) || moves())
            || zh();
        // A share of its own, and no change: `MFU: 28.2% -> 29.2%`.
        let share = || {
            let directed = label_of(head).is_some_and(|name| is_directed(name, "%"));
            old.unit == new.unit && ARROWS.contains(&between) && directed
        };
        let percent = [old, new].iter().any(|value| value.unit == "%");
        if !joined || percent && !share() {
            continue;
        }
        start = new.to;
        let (old, new) = if back { (new, old) } else { (old, new) };
        let units = units_of(old, new).map(|units| match found.last() {
            // One unit may be said once for all quantities of a sentence.
            Some(one) if units.0.is_empty() && words(head).iter().any(|word| is_phase(word)) => {
                let [a, b] = one.values.each_ref().map(|(_, unit)| unit.clone());
                (a, b)
            }
            _ => units,
        });
        let bare = FROM_ZH.iter().find_map(|word| head.trim_end().strip_suffix(word));
        let head = bare.unwrap_or(head);
        // A second pair without a name is one of the quantity before it.
        let last =
            found.last().map(|one: &Statement| (one.metric.clone(), one.values[1].1.clone()));
        let name = units.and_then(|(a, b)| {
            let again = || {
                let (metric, unit) = last?;
                let alike = Scale::parse(&unit).zip(Scale::parse(&b));
                (unit == b || alike.is_some_and(|(a, b)| a.is_alike(b))).then_some(metric)
            };
            let behind = named.map(str::to_owned);
            Some((behind.or_else(|| metric_before(head, &b)).or_else(again)?, a, b))
        });
        let Some((metric, first, second)) = name else { continue };
        found.push(Statement {
            metric,
            line: number,
            labels: ["before", "after"].map(str::to_owned),
            values: [(old.number, first), (new.number, second)],
            case: None,
        });
    }
    found
}

/// The label before a colon at the end of a text.
fn label_of(head: &str) -> Option<&str> {
    let label = head.trim().trim_start_matches(['-', '>', ' ']).strip_suffix([':', '：'])?.trim();
    (words(label).len() <= MAX_WORDS).then_some(label)
}

/// Whether a name, with the unit of its values, is that of a measurement whose better direction is known.
fn is_directed(name: &str, unit: &str) -> bool {
    let says = meaning(&format!("{name} ({unit})"));
    says.says == Says::Measured && says.better.is_some()
}

/// The units of two values, where one may stand for both; `None` for units of different kinds.
fn units_of(old: &Measured, new: &Measured) -> Option<(String, String)> {
    let (a, b) = (&old.unit, &new.unit);
    let one = if b.is_empty() { a } else { b };
    let alike = a.is_empty()
        || b.is_empty()
        || a == b
        || Scale::parse(a).zip(Scale::parse(b)).is_some_and(|(a, b)| a.is_alike(b));
    let of = |unit: &String| if unit.is_empty() { one.clone() } else { unit.clone() };
    alike.then(|| (of(a), of(b)))
}

/// Words of a text, without marks.
fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| c.is_whitespace() || ",;:：，、()（）\"'".contains(c))
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .collect()
}

/// The name of the quantity that the words before its values speak of, or one for its unit.
fn metric_before(head: &str, unit: &str) -> Option<String> {
    let words = words(head);
    if let Some(name) = metric_in(&words) {
        return Some(name);
    }
    // `DRAM peak: 300 MB -> 270 MB`
    if let Some(label) = label_of(head).filter(|label| is_directed(label, unit)) {
        return Some(label.to_owned());
    }
    let time = Scale::parse(unit).zip(Scale::parse("s")).is_some_and(|(a, b)| a.is_alike(b));
    // A timeout or a size was set, and is no result.
    let set = |word: &&str| {
        let lower = word.to_lowercase();
        let says = meaning(word).says;
        // `index build` may be what took the time.
        matches!(says, Says::Setting | Says::Outcome(_))
            || says == Says::Identity && !time
            || ["timeout", "limit", "interval", "budget", "window", "version"]
                .iter()
                .any(|name| lower.contains(name))
    };
    let rate = unit.contains('/');
    let lower = head.to_lowercase();
    let moves = || words.len() < 3 || MOVES.iter().any(|word| lower.contains(word));
    // `prefill from 1154 to 1810 tok/s` is another rate than that of decoding.
    let part = words.iter().rfind(|word| is_phase(word) && meaning(word).says == Says::Nothing);
    let name = || part.map_or_else(|| of_unit(unit), |part| format!("{part} ({unit})"));
    // A model or a size may be named ahead of a comma.
    let clause = self::words(head.rsplit(['，', ',']).next().unwrap_or(head));
    (!clause.iter().any(set) && (rate || time && moves())).then(name)
}

/// The metric that is named last: the longest name that is known, or a word of one with those that go with it.
fn metric_in(words: &[&str]) -> Option<String> {
    let known = |name: &str| Metric::known(&Metric::of_column(name).0.name).is_some();
    let windows = (1..=MAX_WORDS.min(words.len())).rev();
    let longest = windows.flat_map(|size| words.windows(size).rev()).find(|window| {
        let name = window.join(" ");
        known(&name) && fields::field_of_column(&name).is_none()
    });
    if let Some(window) =
        longest.filter(|window| window.len() > 1 || !is_phase_before(words, window[0]))
    {
        return Some(window.join(" "));
    }
    let says = |word: &str| is_metric(word) && label_hint(word) == LabelHint::Neither;
    let last = words.iter().rposition(|word| says(word)).map(|at| (at, words[at].to_owned()));
    let (at, name) = last.or_else(|| {
        // A script without blanks: the longest end of the word that names no side.
        words.iter().enumerate().rev().find_map(|(at, word)| {
            let ends = word.char_indices().filter(|_| !word.is_ascii()).map(|(at, _)| &word[at..]);
            ends.into_iter().find(|end| says(end)).map(|end| (at, end.to_owned()))
        })
    })?;
    let goes_with = |word: &&&str| is_phase(word) && label_hint(word) == LabelHint::Neither;
    let before: Vec<&str> =
        words[..at].iter().rev().take_while(goes_with).take(2).copied().collect();
    let before: Vec<&str> = before.into_iter().rev().collect();
    Some(format!("{} {name}", before.join(" ")).trim().to_owned())
}

/// Whether the word before the last such one is a part of the work: `prefill time` is no time alone.
fn is_phase_before(words: &[&str], name: &str) -> bool {
    let at = words.iter().rposition(|word| *word == name);
    let before = at.and_then(|at| at.checked_sub(1)).map(|at| words[at]);
    before.is_some_and(is_phase)
}

/// `41.2 tok/s on main and 44.9 tok/s with this PR`, `优化前吞吐 412 tok/s，优化后 455 tok/s`.
fn of_sides(line: &str, number: usize) -> Option<Statement> {
    // A unit stands behind the values, or behind the name: `Mean TTFT (ms): 16674.87`.
    let named = |head: &str| {
        metric_in(&words(head)).is_some()
            && (head.trim_end().ends_with("):") || head.trim_end().ends_with(")："))
    };
    let all = numbers(line);
    let values: Vec<Measured> = all
        .into_iter()
        .filter(|value| {
            !matches!(&*value.unit, "" | "%") || value.unit.is_empty() && named(&line[..value.from])
        })
        .collect();
    let [first, second] = &values[..] else { return None };
    let (a, b) = units_of(first, second)?;
    // Each value belongs to the part of the sentence that it is in.
    let between = &line[first.to..second.from];
    let cut = [
        "，",
        "。",
        "；",
        ", ",
        "; ",
        ". ",
        " vs ",
        " vs. ",
        " and ",
        " while ",
        " but ",
        " against ",
    ]
    .iter()
    .filter_map(|mark| Some((between.find(mark)?, mark.len())))
    .min()?;
    let cut = first.to + cut.0;
    let (left, right) = line.split_at(cut);
    let sides = match [side_of(left), side_of(right)] {
        // `it was 12.4s, now it is 9.8s`
        [None, Some((LabelHint::Candidate, after))] if words(left).contains(&"was") => {
            [(LabelHint::Baseline, "before".to_owned()), (LabelHint::Candidate, after)]
        }
        [one, other] => [one?, other?],
    };
    let ordered = match [sides[0].0, sides[1].0] {
        [LabelHint::Baseline, LabelHint::Candidate] => true,
        [LabelHint::Candidate, LabelHint::Baseline] => false,
        _ => return None,
    };
    let parts = [words(&left[..first.from]), words(&right[..second.from - cut])];
    let metric = parts.iter().find_map(|part| metric_in(part));
    let rate = a.contains('/');
    let short = parts.iter().all(|part| part.len() < 5);
    let metric = metric.or_else(|| (rate || short && !a.is_empty()).then(|| of_unit(&a)))?;
    let [one, other] = sides.map(|(_, label)| label);
    let (one, other) = ((one, (first.number, a)), (other, (second.number, b)));
    let [(l1, v1), (l2, v2)] = if ordered { [one, other] } else { [other, one] };
    Some(Statement { metric, line: number, labels: [l1, l2], values: [v1, v2], case: None })
}

/// The side that a part of a sentence names, and its name.
pub(crate) fn side_of(text: &str) -> Option<(LabelHint, String)> {
    let says = label_hint(text);
    if says == LabelHint::Neither {
        return None;
    }
    let words = words(text);
    let one = (1..=3).flat_map(|size| words.windows(size)).find(|window| {
        let name = window.join(" ");
        label_hint(&name) == says && !name.chars().any(|c| c.is_ascii_digit())
    })?;
    let name = one.join(" ");
    // A script without blanks: the shortest start that says the side.
    let starts = name.char_indices().map(|(at, c)| &name[..at + c.len_utf8()]);
    let start = starts.filter(|_| !name.is_ascii()).find(|start| label_hint(start) == says);
    Some((says, start.unwrap_or(&name).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Option<String> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let runs = read(&lines, &Source::default(), &mut [])?;
        let row = |run: &Run| {
            let values: Vec<String> =
                run.metrics.iter().map(|(name, v)| format!("{name} {}", v.value)).collect();
            format!("{}: {}", run.variant, values.join(", "))
        };
        Some(runs.iter().map(row).collect::<Vec<_>>().join("; "))
    }

    /// R5: a sentence that names a quantity and both of its values is one run a side.
    #[test]
    fn a_sentence_with_both_values_is_two_runs() {
        for (text, expected) in [
            (
                "throughput went from 12.4 to 13.1 tok/s",
                "before: throughput (tok/s) 12.4; after: throughput (tok/s) 13.1",
            ),
            ("It goes from 12.4s to 9.8s.", "before: time (s) 12.4; after: time (s) 9.8"),
            ("TTFT dropped 812 ms -> 640 ms", "before: ttft_ms 812; after: ttft_ms 640"),
            ("TTFT is 640 ms, down from 812 ms", "before: ttft_ms 812; after: ttft_ms 640"),
            (
                "TTFT is down from 812 ms to 640 ms (-21 %)",
                "before: ttft_ms 812; after: ttft_ms 640",
            ),
            (
                "Throughput is now 13.1 tok/s instead of 12.4 tok/s",
                "before: Throughput (tok/s) 12.4; after: Throughput (tok/s) 13.1",
            ),
            (
                "Mean TTFT drops from 1.2 s to 640 ms (-47 %).",
                "before: mean_ttft_ms 1200; after: mean_ttft_ms 640",
            ),
            (
                "首字延迟从 812 ms 降到 640 ms。",
                "before: 首字延迟 (ms) 812; after: 首字延迟 (ms) 640",
            ),
            (
                "优化前吞吐 412 tok/s，优化后 455 tok/s，提升 10.4%",
                "优化前: 吞吐 (tok/s) 412; 优化后: 吞吐 (tok/s) 455",
            ),
            (
                "Decode speed is 41.2 tok/s on main and 44.9 tok/s with this PR",
                "main: Decode speed (tok/s) 41.2; PR: Decode speed (tok/s) 44.9",
            ),
        ] {
            assert_eq!(table(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn settings_versions_and_quantities_that_come_twice_are_none() {
        for text in [
            "Bumped the timeout from 30 s to 60 s.",
            "The context grows from 4096 to 8192 tokens.",
            "Upgrade from 0.6.3 to 0.6.4",
            "TTFT went from 12 ms to 11 ms at 8 users and from 40 ms to 35 ms at 32.",
            "about 4 percent better",
            "from 10% to 20%",
        ] {
            assert_eq!(table(text), None, "{text}");
        }
    }
}
