//! Lines that each name a side of the comparison and give its values: `before: 343s`, `main: 7.91 ms, 7.93 ms, 7.90 ms`.
//!
//! Replicate: a value of a list, or the only one of a line.

use std::collections::BTreeSet;

use crate::read::kit::fields::{self, Number, is_metric};
use crate::read::kit::figure::{Figure, figure, is_mark, is_unit, leading};
use crate::read::text::claims::{claims_of, is_claim};
use crate::read::text::printed_lines::{of_unit, put};
use crate::runs::{LabelHint, Run, RunInfo, Source, label_hint, negates};

/// Longest label, in characters.
const MAX_LABEL: usize = 60;

/// Most words of a label without a colon behind it, and of a metric before its value.
const MAX_WORDS: usize = 4;

/// The runs of lines that belong together, and how many lines these are.
pub(crate) struct Labelled {
    pub(crate) runs: Vec<Run>,
    pub(crate) lines: usize,
}

/// One line.
struct Line {
    /// Its place below the first, from 0.
    at: usize,
    label: String,
    metric: String,
    /// Numbers as written, each with its unit; all have the same, or each another one.
    values: Vec<(Number, String)>,
    /// Text behind the values.
    beside: String,
}

impl Line {
    /// Whether each value is another quantity of one run: `12.3 req/s, 14180 tok/s`.
    fn is_one_run(&self) -> bool {
        self.values.len() > 1 && self.values[0].1 != self.values[1].1
    }

    fn units(&self) -> Vec<&str> {
        let mut units: Vec<&str> = self.values.iter().map(|(_, unit)| &**unit).collect();
        units.dedup();
        units
    }
}

/// Whether such lines start here.
pub(crate) fn starts(lines: &[String]) -> bool {
    let source = Source { path: "".into(), position: 1, counts: "line" };
    lines.split_first().is_some_and(|(first, rest)| read(first, rest, &source).is_some())
}

/// The runs of the lines that start with this one: two or more sides, one below the other, with values of the same units.
///
/// Sides are labels that name one (`before`, `with the fix`), or any labels beside lists of values. A metric may stand before the
/// values or beside the side; without one it is that of the unit.
pub(crate) fn read(first: &str, below: &[String], source: &Source) -> Option<Labelled> {
    let mut lines = vec![line(first, 0)?];
    let mut blank = 0;
    for (at, text) in below.iter().enumerate() {
        if text.trim_matches(['>', ' ']).is_empty() && blank < 1 {
            blank += 1;
            continue;
        }
        let Some(next) = line(text, at + 1).filter(|next| next.units() == lines[0].units()) else {
            break;
        };
        blank = 0;
        lines.push(next);
    }
    let metrics = metrics_in_labels(&mut lines);
    let labels: BTreeSet<String> = lines.iter().map(|line| line.label.to_lowercase()).collect();
    let says = |line: &Line| label_hint(&line.label) != LabelHint::Neither || negates(&line.label);
    let lists = lines.iter().all(|line| line.values.len() > 1 && !line.is_one_run());
    let sides = lines.iter().any(says) || lists || metrics;
    let names_metric = |line: &Line| !says(line) && is_metric(&line.label);
    if labels.len() < 2 || !sides || lines.iter().any(names_metric) {
        return None;
    }
    let mut runs: Vec<Run> = Vec::new();
    let last = lines.last()?.at;
    for line in lines {
        add(&mut runs, line, source)?;
    }
    number(&mut runs);
    Some(Labelled { runs, lines: last + 1 })
}

/// Adds the values of a line: to the runs of its side that lack the metric, in their order, or as new runs.
fn add(runs: &mut Vec<Run>, line: Line, source: &Source) -> Option<()> {
    let one = line.is_one_run();
    let place = Source { position: source.position + line.at, ..source.clone() };
    let mut claims = claims_of(&line.beside, &place);
    let mut taken = BTreeSet::new();
    for (number, unit) in line.values {
        let mut alone = Run::default();
        let name = if line.metric.is_empty() { of_unit(&unit) } else { line.metric.clone() };
        put(&mut alone, &name, &unit, number);
        let (metric, value) = alone.metrics.iter().next()?;
        let lacks = |(at, run): &(usize, &mut Run)| {
            let same = run.variant.to_lowercase() == line.label.to_lowercase();
            same && !run.metrics.contains_key(metric) && (one || !taken.contains(at))
        };
        let known = runs.iter_mut().enumerate().find(lacks).map(|(at, _)| at);
        let at = known.unwrap_or(runs.len());
        if known.is_none() {
            let variant = line.label.clone();
            let info = RunInfo { of_table: true, ..RunInfo::default() }.into();
            runs.push(Run { variant, source: place.clone(), info, ..Run::default() });
        }
        taken.insert(at);
        runs[at].metrics.insert(metric.to_owned(), *value);
        runs[at].info.claims.append(&mut claims);
    }
    Some(())
}

/// Numbers the runs of sides that have several.
fn number(runs: &mut [Run]) {
    for at in 0..runs.len() {
        let same = |run: &&Run| run.variant.to_lowercase() == runs[at].variant.to_lowercase();
        if runs.iter().filter(same).count() > 1 {
            let nth = runs[..=at].iter().filter(same).count();
            runs[at].name = Some(nth.to_string());
        }
    }
}

/// Takes the metric out of labels such as `TTFT before`; whether all labels had one.
fn metrics_in_labels(lines: &mut [Line]) -> bool {
    if lines.iter().any(|line| !line.metric.is_empty()) {
        return false;
    }
    let all: Option<Vec<(String, String)>> = lines.iter().map(|line| split(&line.label)).collect();
    for (line, (side, metric)) in lines.iter_mut().zip(all.iter().flatten()) {
        line.label.clone_from(side);
        line.metric.clone_from(metric);
    }
    all.is_some()
}

/// The side and the metric of a label: a word that names a side, and the rest where that names a metric.
fn split(label: &str) -> Option<(String, String)> {
    let words: Vec<&str> = label.split_whitespace().collect();
    (0..words.len()).find_map(|at| {
        let side = words[at].trim_matches(['(', ')', '[', ']']);
        let rest = [&words[..at], &words[at + 1..]].concat().join(" ");
        let says = label_hint(side) != LabelHint::Neither;
        (says && is_metric(&rest)).then(|| (side.to_owned(), rest))
    })
}

/// Words that say that a number stands for several runs.
const AVERAGES: &[&str] = &["avg", "average", "averaged", "mean", "median", "runs", "平均", "均值"];

fn line(text: &str, at: usize) -> Option<Line> {
    let bare = text.replace(['*', '`'], "");
    let bare = bare.trim().trim_start_matches(['>', '-', '+', '•', '·', ' ']);
    if bare.contains(['±', '|', '{', '"']) || bare.contains("+/-") {
        return None;
    }
    let (label, rest) = behind_label(bare)?;
    let (metric, values) = behind_metric(rest)?;
    let (values, beside) = values_of(values, &metric)?;
    let average = |text: &str| {
        let lower = text.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        words.any(|word| AVERAGES.contains(&word))
    };
    let single = label.to_lowercase();
    if average(&beside)
        || average(&single) && split(&label).is_none()
        || AVERAGES.contains(&&*metric.to_lowercase())
    {
        return None;
    }
    Some(Line { at, label, metric, values, beside })
}

/// The label of a line and the text behind it: behind a colon, an equals sign or an arrow, or a word that names a side.
fn behind_label(line: &str) -> Option<(String, &str)> {
    let marked = [": ", "：", " = ", " -> ", " → ", " => "];
    let split = marked.into_iter().filter_map(|mark| Some((line.find(mark)?, mark.len()))).min();
    let split = split.or_else(|| {
        // `before:343s`, and no time of day.
        let at = line.find(':')?;
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        (!digit(line[..at].chars().next_back()) && digit(line[at + 1..].chars().next()))
            .then_some((at, 1))
    });
    let (label, rest) = match split {
        Some((at, length)) => (&line[..at], &line[at + length..]),
        None => {
            let at = line.find(|c: char| c.is_ascii_digit())?;
            let label = line[..at].trim_end();
            let short = label.split_whitespace().count() <= MAX_WORDS && at > label.len();
            if !short || label_hint(label) == LabelHint::Neither {
                return None;
            }
            (label, &line[at..])
        }
    };
    let label = label.trim().trim_end_matches([':', '=']).trim();
    let fits = label.chars().any(char::is_alphabetic)
        && label.chars().count() <= MAX_LABEL
        && !label.contains(['=', '<', '$'])
        && !label.contains("--");
    fits.then(|| (label.to_owned(), rest.trim()))
}

/// The words before the first number, which name a metric, and the rest.
fn behind_metric(text: &str) -> Option<(String, &str)> {
    let starts = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let at = text.match_indices(|c: char| !c.is_whitespace()).map(|(at, _)| at).find(|&at| {
        (at == 0 || text[..at].ends_with(char::is_whitespace)) && starts(&text[at..])
    })?;
    let metric = text[..at].trim().trim_end_matches([':', '=', ',']).trim();
    let named = metric.is_empty() || is_metric(metric);
    (named && metric.split_whitespace().count() <= MAX_WORDS)
        .then(|| (metric.to_owned(), &text[at..]))
}

/// The values of a list with their units, and the text behind them.
fn values_of(text: &str, metric: &str) -> Option<(Vec<(Number, String)>, String)> {
    let text = text.trim_end_matches(['.', ' ']);
    if let Some(Figure { number, unit, beside }) = figure(text, false).filter(|one| one.unit != "%")
    {
        let named = !unit.is_empty() || !metric.is_empty();
        return named.then(|| Some((vec![(fields::number(&number)?, unit)], beside)))?;
    }
    let mut values: Vec<(Number, String)> = Vec::new();
    let mut rest = text;
    loop {
        let separates = |c: char| c.is_whitespace() || ",;/，、&".contains(c);
        let next = rest.trim_start_matches(separates);
        let next = next.strip_prefix("and ").unwrap_or(next).trim_start();
        let Some((end, number)) = leading(next, false) else { break };
        if next[end..].trim_start().starts_with('%') {
            break;
        }
        let unit = unit_of(&next[end..]);
        let behind = &next[end..];
        let skipped = behind.len() - behind.trim_start().len();
        rest = if unit.is_empty() { behind } else { &behind[skipped + unit.len()..] };
        values.push((fields::number(&number)?, unit.to_owned()));
    }
    let beside = rest.trim_matches(|c: char| c.is_whitespace() || ",;.".contains(c));
    let remark = beside.is_empty()
        || beside.starts_with(['(', '[', '（'])
        || beside.starts_with(is_mark)
        || is_claim(beside);
    // One unit behind the last value is that of all.
    let last = values.last()?.1.clone();
    let bare = values.iter().filter(|(_, unit)| unit.is_empty()).count();
    if bare == values.len() - 1 {
        values.iter_mut().for_each(|(_, unit)| unit.clone_from(&last));
    }
    let units: BTreeSet<&str> = values.iter().map(|(_, unit)| &**unit).collect();
    let known = !units.contains("") || units.len() == 1 && !metric.is_empty();
    let alike = units.len() == 1 || units.len() == values.len();
    (remark && known && alike).then(|| (values, beside.to_owned()))
}

/// The unit at the start of a text, of up to three words; empty if there is none.
fn unit_of(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.find([',', ';', '(', ')', '，', '、']).unwrap_or(text.len());
    let text = &text[..end];
    let ends = text
        .char_indices()
        .filter(|(_, c)| c.is_whitespace())
        .map(|(at, _)| at)
        .chain([text.len()])
        .take(3);
    let unit =
        ends.map(|end| &text[..end]).filter(|word| is_unit(word.trim_end_matches('.'))).last();
    unit.map_or("", |word| word.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(text: &str) -> Option<Vec<(String, Vec<(String, f64)>)>> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let source = Source { path: "x".into(), position: 1, counts: "line" };
        let found = read(&lines[0], &lines[1..], &source)?;
        let of_run = |run: &Run| {
            let values = run.metrics.iter().map(|(name, v)| (name.to_owned(), v.value));
            (run.variant.clone(), values.collect())
        };
        Some(found.runs.iter().map(of_run).collect())
    }

    fn table(text: &str) -> String {
        let runs = runs(text).unwrap_or_else(|| panic!("{text}"));
        let row = |(variant, values): &(String, Vec<(String, f64)>)| {
            let values: Vec<String> =
                values.iter().map(|(name, v)| format!("{name} {v}")).collect();
            format!("{variant}: {}", values.join(", "))
        };
        runs.iter().map(row).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn sides_with_their_values_are_runs() {
        for (text, expected) in [
            ("before: 343s\nafter: 322s (-6.1%)", "before: time (s) 343; after: time (s) 322"),
            (
                "main:  7.91ms, 7.93ms, 7.90ms\nthis PR: 7.52ms, 7.55ms, 7.51ms",
                "main: time (ms) 7.91; main: time (ms) 7.93; main: time (ms) 7.9; \
                 this PR: time (ms) 7.52; this PR: time (ms) 7.55; this PR: time (ms) 7.51",
            ),
            (
                "A (eager): 51.2 / 51.0 tok/s\nB (graph): 63.1 / 62.8 tok/s",
                "A (eager): tok_per_s 51.2; A (eager): tok_per_s 51; B (graph): tok_per_s 63.1; B (graph): tok_per_s 62.8",
            ),
            (
                "- TTFT before: 343 ms\n- TTFT after: 322 ms\n- TPOT before: 7.1 ms\n- TPOT after: 7.0 ms",
                "before: tpot_ms 7.1, ttft_ms 343; after: tpot_ms 7, ttft_ms 322",
            ),
        ] {
            let expected = expected.replace("                 ", "");
            assert_eq!(table(text), expected, "{text}");
        }
    }

    #[test]
    fn settings_averages_and_sentences_are_none() {
        for text in [
            "timeout: 30s\ninterval: 100ms",
            "timeout: 30 s\nwarmup: 5 s",
            "TTFT: 31.2 ms\nTPOT: 7.1 ms",
            "before: 343 s (mean of 3)\nafter: 322 s (mean of 3)",
            "before: 343 ± 2 s\nafter: 322 ± 2 s",
            "before: 343\nafter: 322",
            "before: 3%\nafter: 4%",
            "before: 343 s\nbefore: 344 s",
            "it was slow before: 3 s were lost\nand after: 2 s were lost",
        ] {
            assert_eq!(runs(text), None, "{text}");
        }
    }
}
