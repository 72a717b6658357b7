//! Lines that each name a side of the comparison and give its values: `before: 343s`, `main: 7.91 ms, 7.93 ms, 7.90 ms`.
//!
//! Replicate: a value of a list, or the only one of a line.

use std::collections::BTreeSet;

use crate::read::kit::fields::{self, Number, is_metric};
use crate::read::kit::figure::{Figure, figure, is_mark, is_unit, leading};
use crate::read::text::claims::{claims_of, is_claim};
use crate::read::text::headings::counts_runs;
use crate::read::text::printed_lines::{of_unit, put};
use crate::runs::{LabelHint, Run, RunInfo, Source, label_hint, negates};

/// Longest label, in characters.
const MAX_LABEL: usize = 60;

/// Most words of a label without a colon behind it, and of a metric before its value.
const MAX_WORDS: usize = 4;

/// Most lines that people paste so; what is longer is a log.
const MAX_LINES: usize = 1_000;

/// The runs of lines that belong together, and how many lines these are.
pub(crate) struct Labelled {
    pub(crate) runs: Vec<Run>,
    pub(crate) lines: usize,
}

/// One side on one line.
struct Line {
    /// Its place below the first, from 0.
    at: usize,
    /// Where the sides stand before the values, the name of what they are of: `q1: prev=2009 ms, new=4702 ms`.
    case: Option<String>,
    label: String,
    values: Vec<Measured>,
    /// Text behind the values.
    beside: String,
}

/// A number as written, with the metric before it, its unit, and the side in brackets behind it.
#[derive(Clone)]
struct Measured {
    metric: String,
    number: Number,
    unit: String,
    side: String,
}

impl Line {
    /// Whether each value is another quantity of one run: `12.3 req/s, 14180 tok/s`.
    fn is_one_run(&self) -> bool {
        self.values.len() > 1 && self.what().len() > 1
    }

    /// The metrics and units, each once.
    fn what(&self) -> BTreeSet<(&str, &str)> {
        self.values.iter().map(|value| (&*value.metric, &*value.unit)).collect()
    }
}

/// Whether such lines start here.
pub(crate) fn starts(lines: &[String], at: usize) -> bool {
    let source = Source { path: "".into(), position: 1, counts: "line" };
    lines
        .get(at)
        .is_some_and(|first| read(&lines[..at], first, &lines[at + 1..], &source).is_some())
}

/// Whether a line beside such lines is one of a block: a label with another value.
fn is_of_a_block(text: &str) -> bool {
    let bare = text.trim().trim_start_matches(['>', '-', '+', '•', '·', '*', '#', ' ']);
    behind_label(bare).is_some_and(|(_, rest)| {
        // `Speedup: 1.62x` compares the lines above it.
        let compares = rest.trim_end().ends_with(['x', 'X', '×', '%', '倍']);
        rest.starts_with(|c: char| c.is_ascii_digit()) && !compares
    })
}

/// The runs of the lines that start with this one: two or more sides, one below the other, with values of the same units.
///
/// Sides are labels that name one (`before`, `with the fix`), labels that begin alike (`vllm 0.6.3`), or any labels beside lists of
/// values; or they stand in brackets behind the values of a line. Lines of a longer block of labels and values are none. A metric may stand before the values or beside the side; without
/// one it is that of the unit.
pub(crate) fn read(
    above: &[String],
    first: &str,
    below: &[String],
    source: &Source,
) -> Option<Labelled> {
    let mut lines = line(first, 0)?;
    // Lines that belong to one further up were looked at there.
    let blank = |text: &&String| text.trim_matches(['>', ' ']).is_empty();
    let near = above.iter().rev().take(2).find(|text| !blank(text));
    if near.and_then(|text| line(text, 0)).is_some_and(|near| near[0].what() == lines[0].what()) {
        return None;
    }
    if above.last().is_some_and(|line| is_of_a_block(line)) {
        return None;
    }
    let mut blank = 0;
    for (at, text) in below.iter().enumerate() {
        if text.trim_matches(['>', ' ']).is_empty() && blank < 1 {
            blank += 1;
            continue;
        }
        let next = line(text, at + 1).filter(|next| next[0].what() == lines[0].what());
        let Some(next) = next else {
            if blank == 0 && is_of_a_block(text) {
                return None;
            }
            break;
        };
        blank = 0;
        lines.extend(next);
        if lines.len() > MAX_LINES {
            return None;
        }
    }
    let metrics = metrics_in_labels(&mut lines);
    let cases: BTreeSet<&Option<String>> = lines.iter().map(|line| &line.case).collect();
    if cases.len() > 1 && cases.contains(&None) {
        return None;
    }
    let labels: BTreeSet<String> = lines.iter().map(|line| line.label.to_lowercase()).collect();
    let says = |line: &Line| label_hint(&line.label) != LabelHint::Neither || negates(&line.label);
    let lists = || lines.iter().all(|line| line.values.len() > 1 && !line.is_one_run());
    let sides = metrics || lines.iter().any(says) || lists() || begin_alike(&labels);
    let other = |line: &Line| !says(line) && is_metric(&line.label) || counts_runs(&line.label);
    if labels.len() < 2 || !sides || lines.iter().any(other) {
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

/// Whether labels are versions or forms of one thing: all begin with one word, and go on with more than a count.
fn begin_alike(labels: &BTreeSet<String>) -> bool {
    let mut words = labels.iter().map(|label| label.split_once(' '));
    let first = words.clone().next().flatten().map(|(first, _)| first);
    first.is_some_and(|first| {
        words.all(|label| {
            let counts = |rest: &str| rest.chars().all(|c| c.is_ascii_digit());
            label.is_some_and(|(word, rest)| word == first && !counts(rest.trim()))
        })
    })
}

/// Adds the values of a line: to the runs of its side that lack the metric, in their order, or as new runs.
fn add(runs: &mut Vec<Run>, line: Line, source: &Source) -> Option<()> {
    let one = line.is_one_run();
    let place = Source { position: source.position + line.at, ..source.clone() };
    let mut claims = claims_of(&line.beside, &place);
    let mut taken = BTreeSet::new();
    for Measured { metric, number, unit, .. } in line.values {
        let mut alone = Run::default();
        let name = if metric.is_empty() { of_unit(&unit) } else { metric };
        put(&mut alone, &name, &unit, number);
        let (metric, value) = alone.metrics.iter().next()?;
        let lacks = |(at, run): &(usize, &mut Run)| {
            let same = run.variant.to_lowercase() == line.label.to_lowercase();
            same && !run.metrics.contains_key(metric) && (one || !taken.contains(at))
        };
        let known = runs
            .iter_mut()
            .enumerate()
            .find(|found| lacks(found) && found.1.workload.label == line.case);
        let known = known.map(|(at, _)| at);
        let at = known.unwrap_or(runs.len());
        if known.is_none() {
            let variant = line.label.clone();
            let info = RunInfo { of_table: true, ..RunInfo::default() }.into();
            let mut run = Run { variant, source: place.clone(), info, ..Run::default() };
            run.workload.label.clone_from(&line.case);
            runs.push(run);
        }
        taken.insert(at);
        runs[at].metrics.insert(metric.to_owned(), *value);
        runs[at].info.claims.append(&mut claims);
    }
    Some(())
}

/// Numbers the runs of sides that have several, and all where one line has runs of several sides.
fn number(runs: &mut [Run]) {
    let shared = |two: &[Run]| two[0].source == two[1].source && two[0].variant != two[1].variant;
    let across = runs.windows(2).any(shared);
    for at in 0..runs.len() {
        if across {
            runs[at].name = Some((at + 1).to_string());
            continue;
        }
        let same = |run: &&Run| run.variant.to_lowercase() == runs[at].variant.to_lowercase();
        if runs.iter().filter(same).count() > 1 {
            let nth = runs[..=at].iter().filter(same).count();
            runs[at].name = Some(nth.to_string());
        }
    }
}

/// Takes the metric out of labels such as `TTFT before`; whether all labels had one.
fn metrics_in_labels(lines: &mut [Line]) -> bool {
    if lines.iter().flat_map(|line| &line.values).any(|value| !value.metric.is_empty()) {
        return false;
    }
    let all: Option<Vec<(String, String)>> = lines.iter().map(|line| split(&line.label)).collect();
    for (line, (side, metric)) in lines.iter_mut().zip(all.iter().flatten()) {
        line.label.clone_from(side);
        line.values.iter_mut().for_each(|value| value.metric.clone_from(metric));
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
const AVERAGES: &[&str] =
    &["avg", "average", "averaged", "mean", "median", "runs", "times", "平均", "均值"];

/// Whether a text says that numbers stand for several runs.
fn says_average(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| AVERAGES.contains(&word))
}

/// The sides of a line with their values.
fn line(text: &str, at: usize) -> Option<Vec<Line>> {
    let bare = text.replace(['*', '`'], "");
    let bare = bare.trim().trim_start_matches(['>', '-', '+', '•', '·', ' ']);
    if bare.contains(['±', '|', '{', '"']) || bare.contains("+/-") {
        return None;
    }
    let (label, rest) = behind_label(bare)?;
    if let Some(sides) = sides_before(&label, rest, at) {
        return Some(sides);
    }
    let (values, beside) = values_of(rest)?;
    if says_average(&beside)
        || values.iter().any(|value| AVERAGES.contains(&&*value.metric.to_lowercase()))
    {
        return None;
    }
    let sides: BTreeSet<&str> = values.iter().map(|value| &*value.side).collect();
    if sides.contains("") {
        let line = Line { at, case: None, label, values, beside };
        // `before (3 runs)` counts the values of a list.
        let counted = line.label.rfind(['(', '（']).filter(|_| says_average(&line.label));
        return match counted {
            Some(end) if line.values.len() > 1 && !line.is_one_run() => {
                let label = line.label[..end].trim_end().to_owned();
                Some(vec![Line { label, ..line }])
            }
            _ if says_average(&line.label) && split(&line.label).is_none() => None,
            _ => Some(vec![line]),
        };
    }
    // Sides behind the values: the label counts the runs, or names the metric.
    let named = is_metric(&label);
    if sides.len() < 2 || !named && !counts_runs(&label) {
        return None;
    }
    let of_side = |value: &Measured| {
        let metric = if named { label.clone() } else { value.metric.clone() };
        let value = Measured { metric, ..value.clone() };
        let label = value.side.clone();
        Line { at, case: None, label, values: vec![value], beside: String::new() }
    };
    Some(values.iter().map(of_side).collect())
}

/// The sides of a line with a case before them: `q1: prev=2009 ms, new=4702 ms, 2.34x slower`.
fn sides_before(case: &str, rest: &str, at: usize) -> Option<Vec<Line>> {
    let parts: Vec<&str> = rest.split([',', ';']).map(str::trim).collect();
    let side = |part: &&str| -> Option<Line> {
        let (label, value) = part.split_once(['=', ':'])?;
        let label = label.trim().to_owned();
        let Figure { number, unit, beside } = figure(value, false)?;
        let says = label_hint(&label) != LabelHint::Neither && label.split(' ').count() < 3;
        let (number, metric, side) = (fields::number(&number)?, String::new(), String::new());
        let values = vec![Measured { metric, number, unit, side }];
        (says && beside.is_empty() && !matches!(&*values[0].unit, "" | "%")).then(|| Line {
            at,
            case: Some(case.to_owned()),
            label,
            values,
            beside,
        })
    };
    let mut sides: Vec<Line> = parts.iter().map_while(side).collect();
    let beside = parts.get(sides.len()..)?.join(", ");
    let text = beside.trim_end_matches(|c: char| is_mark(c) || !c.is_ascii());
    let hints = |hint| sides.iter().any(|line: &Line| label_hint(&line.label) == hint);
    let both = hints(LabelHint::Baseline) && hints(LabelHint::Candidate);
    if sides.len() != 2 || !both || !text.is_empty() && !is_claim(text) {
        return None;
    }
    text.clone_into(&mut sides.last_mut()?.beside);
    Some(sides)
}

/// The label of a line and the text behind it: behind a colon, an equals sign or an arrow, or a word that names a side.
fn behind_label(line: &str) -> Option<(String, &str)> {
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
        (label, &line[at..])
    };
    let label = label.trim().trim_end_matches([':', '=']).trim();
    let fits = label.chars().any(char::is_alphabetic)
        && label.chars().count() <= MAX_LABEL
        && !label.contains(['=', '<', '$'])
        && !label.contains("--");
    fits.then(|| (label.to_owned(), rest.trim()))
}

/// The byte at which the first word that is a number starts.
fn first_number(text: &str) -> Option<usize> {
    let starts = |at: usize| {
        at == 0 || text[..at].ends_with(|c: char| c.is_whitespace() || "：:=".contains(c))
    };
    let mut digits = text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at);
    digits.find(|&at| starts(at))
}

/// The values of a line with their metrics, units and sides, and the text behind them.
fn values_of(text: &str) -> Option<(Vec<Measured>, String)> {
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
        return Some((vec![measured("", &number, &unit)?], beside));
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
                && is_metric(words)
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
    let text = &text[..end];
    let spaces = text.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at);
    let ends = spaces.chain([text.len()]).take(3).map(|end| text[..end].trim_end_matches('.'));
    ends.filter(|word| is_unit(word)).last().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row = (String, Vec<(String, f64)>);

    fn runs(text: &str) -> Option<Vec<Row>> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let source = Source { path: "x".into(), position: 1, counts: "line" };
        let found = read(&[], &lines[0], &lines[1..], &source)?;
        let of_run = |run: &Run| {
            let values = run.metrics.iter().map(|(name, v)| (name.to_owned(), v.value));
            (run.variant.clone(), values.collect())
        };
        Some(found.runs.iter().map(of_run).collect())
    }

    fn table(text: &str) -> String {
        let runs = runs(text).unwrap_or_else(|| panic!("{text}"));
        let row = |(variant, values): &Row| {
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
            (
                "before (3 runs): 1204, 1198 tok/s\nafter (3 runs): 1290, 1301 tok/s",
                "before: tok_per_s 1204; before: tok_per_s 1198; after: tok_per_s 1290; after: tok_per_s 1301",
            ),
            (
                "Run 1: 41.2 tok/s (main), 44.0 tok/s (my branch)\nRun 2: 41.0 tok/s (main), 44.3 tok/s (my branch)",
                "main: tok_per_s 41.2; my branch: tok_per_s 44; main: tok_per_s 41; my branch: tok_per_s 44.3",
            ),
            (
                "开启前缀缓存前：首字延迟 1.62s，吞吐 812 tokens/s\n开启前缀缓存后：首字延迟 0.85s，吞吐 1033 tokens/s",
                "开启前缀缓存前: 吞吐 (tokens/s) 812, 首字延迟 (s) 1.62; 开启前缀缓存后: 吞吐 (tokens/s) 1033, 首字延迟 (s) 0.85",
            ),
            (
                "vllm 0.6.3: 2250 tok/s\nvllm 0.6.4: 2390 tok/s",
                "vllm 0.6.3: tok_per_s 2250; vllm 0.6.4: tok_per_s 2390",
            ),
        ] {
            let expected = expected.replace("                 ", "");
            assert_eq!(table(text), expected, "{text}");
        }
    }

    #[test]
    fn a_log_is_no_list_of_sides() {
        let lines = |n: usize| ["before: 343 s\n\nafter: 322 s"; 600][..n].join("\n\n");
        assert_eq!(runs(&lines(400)).map(|runs| runs.len()), Some(800));
        assert_eq!(runs(&lines(600)), None);
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
            "reference decode: 37.1 tok/s\nbaseline: 38.0 tok/s\nprefill window: 179.4 s",
            "run 1: 343 s\nrun 2: 344 s",
            "GPU 0: 71.2 GB\nGPU 1: 70.9 GB",
            "it was slow before: 3 s were lost\nand after: 2 s were lost",
        ] {
            assert_eq!(runs(text), None, "{text}");
        }
    }
}
