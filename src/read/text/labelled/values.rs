//! The values of a line, with their metrics, units and spread.

use std::collections::BTreeSet;

use crate::kit::fields::{self, Number, is_metric};
use crate::kit::figure::{Figure, figure, is_mark, is_unit, leading};
use crate::kit::parts_of_work::{is_part_of_work, is_phase};
use crate::kit::stated_runs::stated_count;
use crate::text::claims::is_claim;
use crate::text::labelled::parts::{MAX_WORDS, Measured, Scatter, says_average};
use beyondnoise_model::metrics::words::{Quantity, meaning};
use beyondnoise_model::runs::{LabelHint, label_hint};
use beyondnoise_model::units::Scale;

/// Longest label, in characters.
pub(crate) const MAX_LABEL: usize = 60;

/// Words that name nothing.
pub(super) const SMALL: &[&str] =
    &["the", "a", "an", "of", "and", "in", "for", "our", "my", "this"];

/// Whether a name is that of a part of the work, a setting or a quantity, and of no build.
pub(super) fn is_part(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| is_phase(word) || SMALL.contains(&&*word.to_lowercase()))
}

/// An item of a numbered list, without its number: `1. Julia (1.4): 2.43 s`.
pub(crate) fn behind_ordinal(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let body = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))?.trim_start();
    (rest.len() < text.len() && body.starts_with(char::is_alphabetic)).then_some(body)
}

/// Fewest numbers without a unit that are a list of repeats.
pub(super) const MIN_LISTED: usize = 3;

/// The numbers of a text that holds nothing else.
pub(super) fn bare_list(text: &str) -> Option<Vec<Number>> {
    let text = text.trim().trim_matches(['[', ']']).replace(" / ", ", ");
    let parts = text.split([',', ';', ' ']).filter(|part| !part.is_empty());
    parts.map(|part| fields::number(part).filter(|_| !part.contains('%'))).collect()
}

/// The text before a spread at the end of a line, with its unit, and the spread: `Speed before: 88.41 +/- 0.3%`,
/// `main: 146.88 +- 6.54 seconds time elapsed  ( +-  4.45% )`.
pub(super) fn without_spread(text: &str) -> Option<(String, Scatter)> {
    let (value, spread) = ["±", "+/-", "+-"].iter().find_map(|mark| text.split_once(mark))?;
    let value = value.trim_end();
    let bare = value.ends_with(|c: char| c.is_ascii_digit());
    let ends = bare || value.rsplit(' ').next().is_some_and(is_unit);
    let timed = spread.split_once(" time elapsed");
    let spread = figure(timed.map_or(spread, |(spread, _)| spread).trim(), false)?;
    // `573.5 ± 3.1 tok/s (n=5)`
    let runs = stated_count(&spread.beside).and_then(|count| usize::try_from(count).ok());
    // A standard error, an interval or a range is another spread.
    let plain = |word: &str| {
        word.bytes().all(|byte| byte.is_ascii_digit())
            || ["n", "runs", "repeats", "reps", "trials", "over", "of", "sd", "std"].contains(&word)
    };
    let inside = spread.beside.to_lowercase();
    let inside = inside.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let bracketed = inside.is_some_and(|inside| {
        inside.split(|c: char| " =,".contains(c)).filter(|word| !word.is_empty()).all(plain)
    });
    let whole = spread.beside.is_empty() || bracketed && runs.is_some();
    if !ends || !whole {
        return None;
    }
    let relative = spread.unit == "%";
    let size = spread.value()?.value * if relative { 0.01 } else { 1.0 };
    let unit = if bare && !relative { &*spread.unit } else { "" };
    let scatter = Scatter { size, relative, of_mean: timed.is_some(), runs };
    Some((format!("{value} {unit}").trim_end().to_owned(), scatter))
}

/// The label of a line and the text behind it: behind a colon, an equals sign or an arrow, or a word that names a side.
pub(crate) fn behind_label(line: &str) -> Option<(String, &str)> {
    let marked = [": ", "：", " = ", " -> ", " → ", " => "];
    let split = marked.into_iter().filter_map(|mark| Some((line.find(mark)?, mark.len()))).min();
    let split = split.or_else(|| {
        // `before:343s`, and no time of day.
        let at = line.find(':')?;
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let time = digit(line[..at].chars().next_back());
        (!time && digit(line[at + 1..].chars().next())).then_some((at, 1))
    });
    let (label, rest) = if let Some((at, length)) = split {
        (&line[..at], &line[at + length..])
    } else {
        let at = line.find(|c: char| c.is_ascii_digit())?;
        let label = line[..at].trim_end();
        let short = label.split_whitespace().count() <= MAX_WORDS && at > label.len();
        if !short || label_hint(label) == LabelHint::Neither {
            return None;
        }
        metric_apart(line, label).unwrap_or((label, &line[at..]))
    };
    let label = label.trim().trim_end_matches([':', '=']).trim();
    let fits = label.chars().any(char::is_alphabetic)
        && label.chars().count() <= MAX_LABEL
        && (!label.contains('=') || fields::is_set(label) || fields::are_set(label))
        && !label.contains(['<', '$'])
        && !label.split(['(', '（']).next().is_some_and(|label| label.contains("--"));
    fits.then(|| (label.to_owned(), rest.trim()))
}

/// A label without the name of the first value at its end, and the line from this name on: `before TTFT` before `642ms TPOT 23.8ms`,
/// also where nothing is between the words: `优化前TTFT`.
fn metric_apart<'a>(line: &'a str, label: &'a str) -> Option<(&'a str, &'a str)> {
    let ascii = |text: &str| text.ends_with(|c: char| c.is_ascii_alphanumeric());
    let joint = |at: &usize| {
        let (side, name) = label.split_at(*at);
        name.starts_with(' ') || !ascii(side) && name.starts_with(|c: char| c.is_ascii_uppercase())
    };
    let mut places = label.char_indices().map(|(at, _)| at).skip(1).filter(joint);
    let at = places.find(|&at| {
        let (side, name) = label.split_at(at);
        label_hint(side) != LabelHint::Neither && is_metric(name.trim())
    })?;
    Some((label[..at].trim_end(), line[at..].trim_start()))
}

/// The byte at which the first word that is a number starts.
pub(crate) fn first_number(text: &str) -> Option<usize> {
    let starts = |at: usize| {
        at == 0 || text[..at].ends_with(|c: char| c.is_whitespace() || "：:=".contains(c))
    };
    let mut digits = text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at);
    digits.find(|&at| starts(at))
}

/// The values of a line with their metrics, units and sides, and the text behind them.
pub(super) fn values_of(text: &str) -> Option<(Vec<Measured>, String)> {
    let text = text.trim_end_matches(['.', '。', ' ']);
    let measured = |metric: &str, number: &str, unit: &str| -> Option<Measured> {
        let (metric, unit) = (metric.to_owned(), unit.to_owned());
        Some(Measured { metric, number: fields::number(number)?, unit, side: String::new() })
    };
    if let Some(Figure { number, unit, beside }) = figure(text, false)
        && !matches!(&*unit, "" | "%")
        && !beside.contains([',', ';'])
        && !beside.contains(" vs")
    {
        // The same in another unit, or a second quantity: `39.2 ms/tok (25.51 tok/s)`.
        let inside = beside.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        // `573.5 tok/s (TTFT 812 ms)`
        let name = inside.and_then(|text| Some(text[..first_number(text)?].trim()));
        let name = name.filter(|name| is_metric(name)).unwrap_or_default();
        let value = inside.map(|text| text.strip_prefix(name).unwrap_or(text).trim());
        let other = value.and_then(|text| figure(text, false)).filter(|other| {
            let scales = Scale::parse(&unit).zip(Scale::parse(&other.unit));
            other.beside.is_empty()
                && !matches!(&*other.unit, "" | "%")
                && other.unit != unit
                && Scale::parse(&other.unit).is_some()
                && !scales.is_some_and(|(one, other)| one.is_alike(other))
        });
        let mut values = vec![measured("", &number, &unit)?];
        values.extend(other.as_ref().and_then(|found| measured(name, &found.number, &found.unit)));
        let beside = if other.is_some() { String::new() } else { beside };
        return Some((values, beside));
    }
    let mut values: Vec<Measured> = Vec::new();
    let mut rest = text;
    loop {
        let separates = |c: char| c.is_whitespace() || ",;/，；、&".contains(c);
        let next = rest.trim_start_matches(separates);
        let joins = ["and ", "vs. ", "vs "].into_iter().find_map(|word| next.strip_prefix(word));
        let next = joins.unwrap_or(next).trim_start();
        let Some(at) = first_number(next) else { break };
        let words = next[..at].trim().trim_end_matches([':', '=', '：']).trim();
        let named = words.is_empty()
            || words.split_whitespace().count() <= MAX_WORDS
                && (is_metric(words) || is_part_of_work(words))
                && !words.contains(['(', ',']);
        let Some((end, number)) = leading(&next[at..], false).filter(|_| named) else { break };
        let behind = &next[at + end..];
        if behind.trim_start().starts_with('%') {
            break;
        }
        let unit = unit_of(behind);
        let skipped = behind.len() - behind.trim_start().len();
        rest = if unit.is_empty() { behind } else { &behind[skipped + unit.len()..] };
        let mut value = measured(words, &number, unit)?;
        if let Some(before) = values
            .last()
            .filter(|before| words.is_empty() && before.unit == unit || unit.is_empty())
        {
            value.metric.clone_from(&before.metric);
        }
        if let Some((side, after)) = side_of(rest.trim_start()) {
            (value.side, rest) = (side.to_owned(), after);
        }
        values.push(value);
    }
    let beside = rest.trim_matches(|c: char| c.is_whitespace() || ",;.".contains(c));
    let remark = beside.is_empty()
        || beside.starts_with(['(', '[', '（'])
        || beside.starts_with(is_mark)
        || is_claim(beside);
    // One unit behind the last value is that of all.
    let last = values.last()?.unit.clone();
    if values.iter().filter(|value| value.unit.is_empty()).count() == values.len() - 1 {
        for value in &mut values {
            value.unit.clone_from(&last);
        }
    }
    let stated = |value: &Measured| !value.unit.is_empty() || !value.metric.is_empty();
    let says = |value: &Measured| label_hint(&value.side) != LabelHint::Neither;
    let all = values.len() > 1 && values.iter().all(|value| !value.side.is_empty());
    let sides = all && values.iter().any(says);
    if !sides {
        for value in &mut values {
            value.side.clear();
        }
    }
    let what: BTreeSet<(&str, &str)> =
        values.iter().map(|value| (&*value.metric, &*value.unit)).collect();
    let alike = what.len() == 1 || what.len() == values.len() || sides;
    (remark && values.iter().all(stated) && alike).then(|| (values, beside.to_owned()))
}

/// The words in a bracket at the start of a text, if they may name a side, and the text behind it.
fn side_of(text: &str) -> Option<(&str, &str)> {
    let (inside, after) = text.strip_prefix('(')?.split_once(')')?;
    let inside = inside.trim();
    let names = inside.starts_with(char::is_alphabetic)
        && inside.split_whitespace().count() <= MAX_WORDS
        && !is_claim(inside)
        && !says_average(inside);
    names.then_some((inside, after))
}

/// The unit at the start of a text, of up to three words; empty if there is none.
pub(crate) fn unit_of(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.find([',', ';', '(', ')', '，', '、', '；']).unwrap_or(text.len());
    let text = text[..end].trim_end();
    let spaces = text.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at);
    let ends = spaces.chain([text.len()]).take(3).map(|end| text[..end].trim_end_matches('.'));
    ends.filter(|word| is_unit(word)).last().unwrap_or("")
}

/// The side and the metric of a label: a word that names a side, and the rest where that names a metric.
pub(super) fn split(label: &str) -> Option<(String, String)> {
    let words: Vec<&str> = label.split_whitespace().collect();
    (0..words.len()).find_map(|at| {
        let side = words[at].trim_matches(['(', ')', '[', ']']);
        let rest = [&words[..at], &words[at + 1..]].concat().join(" ");
        let says = label_hint(side) != LabelHint::Neither;
        // Beside a side a time is none of day.
        let measured = is_metric(&rest) || meaning(&rest).quantity == Quantity::Time;
        (says && measured).then(|| (side.to_owned(), rest))
    })
}
