//! Lines that each name a side of the comparison and give its values: `before: 343s`, `main: 7.91 ms, 7.93 ms, 7.90 ms`,
//! `vllm is at 31 tok/s`; also below lines that name a case: `tp = 4`.
//!
//! Replicate: a value of a list, or the only one of a line.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::fields::{self, Number, is_metric};
use crate::kit::figure::{Figure, figure, is_mark, is_unit, leading};
use crate::kit::parts_of_work::is_phase;
use crate::kit::stated_runs::{repeats_of, stated_count};
use crate::text::claims::{claims_of, is_claim};
use crate::text::headings::counts_runs;
use crate::text::printed_lines::{of_unit, put};
use beyondnoise_model::metrics::words::{Quantity, Says, meaning};
use beyondnoise_model::runs::{
    Claim, LabelHint, Run, RunInfo, Source, Spread, Workload, label_hint, negates,
};
use beyondnoise_model::units::{Scale, is_counted, is_same_unit};

/// Longest label, in characters.
pub(crate) const MAX_LABEL: usize = 60;

/// Most words of a label without a colon behind it, and of a metric before its value.
const MAX_WORDS: usize = 4;

/// Most lines that people paste so; what is longer is a log.
pub(crate) const MAX_LINES: usize = 1_000;

/// The runs of lines that belong together, how many lines these are, and remarks about single lines.
pub(crate) struct Labelled {
    pub(crate) runs: Vec<Run>,
    pub(crate) lines: usize,
    pub(crate) notes: Notes,
}

/// Remarks with the numbers of their lines.
type Notes = Vec<(usize, String)>;

/// The work that the sides of the lines below do: a name, or a setting with its value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Case {
    Name(String),
    Setting(String, String),
}

/// One side on one line.
pub(crate) struct Line {
    /// Its place below the first, from 0.
    at: usize,
    /// Where the sides stand before the values, the name of what they are of: `q1: prev=2009 ms, new=4702 ms`.
    case: Option<Case>,
    label: String,
    values: Vec<Measured>,
    /// Text behind the values.
    beside: String,
    pub(crate) form: Form,
    /// Whether the text says that the value is one only about: `~32 it/s`.
    about: bool,
    /// The spread behind the value: `88.41 +/- 0.3%`.
    scatter: Option<Scatter>,
    /// A ratio to the lines above, `= 2.39x`, with its place.
    ratio: Option<(usize, String)>,
}

/// How the runs behind a value differ.
#[derive(Clone, Copy)]
struct Scatter {
    /// In the unit of the value, or a fraction of it where `relative`.
    size: f64,
    relative: bool,
    /// Whether it is that of the mean, as `perf stat` prints it.
    of_mean: bool,
    /// Number of the runs, where the text states it.
    runs: Option<usize>,
}

impl Scatter {
    /// The spread of the runs around their mean.
    fn around(&self, mean: f64) -> Option<Spread> {
        let runs = self.runs?;
        let size = if self.relative { self.size * mean.abs() } else { self.size };
        let times = if self.of_mean { (runs as f64).sqrt() } else { 1.0 };
        Some(Spread { sd: size * times, runs })
    }
}

/// The way in which a line states its values.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// `label: values`.
    Label,
    /// `subject is value`.
    Sentence,
    /// `metric: value vs value`, one side.
    Versus,
    /// `## label: value`.
    Heading,
}

/// A number as written, with the metric before it, its unit, and the side in brackets behind it.
#[derive(Clone)]
pub(crate) struct Measured {
    pub(crate) metric: String,
    pub(crate) number: Number,
    pub(crate) unit: String,
    pub(crate) side: String,
}

impl Line {
    /// Whether each value is another quantity of one run: `12.3 req/s, 14180 tok/s`.
    fn is_one_run(&self) -> bool {
        self.values.len() > 1 && self.what().len() > 1
    }

    /// The line with its units spelled as in another one that has the same quantities, if it has.
    pub(crate) fn like(mut self, first: &Self) -> Option<Self> {
        if self.form == Form::Versus || first.form == Form::Versus {
            return (self.form == first.form).then_some(self);
        }
        for (value, known) in self.values.iter_mut().zip(&first.values) {
            if is_same_unit(&value.unit, &known.unit) {
                value.unit.clone_from(&known.unit);
            }
        }
        (self.form == first.form && self.what() == first.what()).then_some(self)
    }

    /// Sets the side, and the metric of the values with the unit of the first.
    fn set_metric(&mut self, side: &str, metric: &str) {
        side.clone_into(&mut self.label);
        let unit = self.values[0].unit.clone();
        for value in self.values.iter_mut().filter(|value| value.unit == unit) {
            metric.clone_into(&mut value.metric);
        }
    }

    /// Whether a value is a rate per second or a time per piece of work; limits are often per minute.
    fn is_rate(&self) -> bool {
        self.values.iter().any(|value| {
            let rate = Scale::parse(&value.unit).is_some_and(Scale::is_rate);
            !is_per_long_time(&value.unit) && (value.unit.contains('/') || rate)
        })
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

/// The runs of the lines from this one on: two or more sides, one below the other, with values of the same units.
///
/// Sides are labels that name one (`before`, `with the fix`), labels that begin alike (`vllm 0.6.3`) or end with the same
/// metric, labels that recur below each of several cases, subjects of sentences, or any labels beside lists of values; or
/// they stand in brackets behind the values of a line. Lines of a longer block of labels and values are none. A metric may
/// stand before the values or beside the side; without one it is that of the unit.
pub(crate) fn read(
    above: &[String],
    first: &str,
    below: &[String],
    source: &Source,
) -> Option<Labelled> {
    let mut case = case_of(first).or_else(|| case_above(first, below.first()));
    let in_cases = case.is_some();
    let mut lines = if in_cases { Vec::new() } else { line(first, 0)? };
    if !in_cases && above.last().is_some_and(|line| is_of_a_block(line)) {
        return None;
    }
    // Lines that belong to one further up were looked at there.
    let empty = |text: &&String| text.trim_matches(['>', ' ']).is_empty();
    let near = above.iter().rev().take(2).find(|text| !empty(text));
    let near = near.and_then(|text| line(text, 0));
    let again = |lines: &[Line]| {
        near.as_ref().zip(lines.first()).is_some_and(|(near, first)| near[0].what() == first.what())
    };
    if again(&lines) {
        return None;
    }
    let across = lines.len();
    let mut blank = 0;
    for (at, text) in below.iter().enumerate() {
        if text.trim_matches(['>', ' ']).is_empty() && blank < 1 {
            blank += 1;
            continue;
        }
        // A list goes on in the next line.
        let goes_on = |lines: &[Line]| {
            lines.last().is_some_and(|last| last.values.len() >= MIN_LISTED)
                && text.starts_with(char::is_whitespace)
        };
        if let Some(numbers) = bare_list(text).filter(|more| !more.is_empty() && goes_on(&lines))
            && let Some(last) = lines.last_mut()
        {
            let first = last.values[0].clone();
            let more = numbers.into_iter().map(|number| Measured { number, ..first.clone() });
            last.values.extend(more);
            if last.values.len() > MAX_LINES {
                return None;
            }
            last.ratio = Some((at + 1, String::new()));
            continue;
        }
        let found = line(text, at + 1);
        // Each line has both sides, of a metric of its own.
        let labels = |lines: &[Line]| -> Vec<String> {
            lines.iter().map(|line| line.label.clone()).collect()
        };
        if across > 1
            && found.as_deref().is_some_and(|next| labels(next) == labels(&lines[..across]))
        {
            lines.extend(found.into_iter().flatten());
            blank = 0;
            continue;
        }
        let next = found.and_then(|next| match lines.first() {
            Some(first) => next.into_iter().map(|line| line.like(first)).collect(),
            None => Some(next),
        });
        if let Some(mut next) = next {
            for line in &mut next {
                line.case = line.case.take().or_else(|| case.clone());
            }
            lines.extend(next);
            if in_cases && again(&lines) {
                return None;
            }
        } else if let Some(other) = in_cases
            .then(|| case_of(text).or_else(|| case_above(text, below.get(at + 1))))
            .flatten()
        {
            // Names on several levels are headings.
            if lines.last().is_none_or(|line| line.case != case) {
                break;
            }
            case = Some(other);
        } else if let Some(last) = lines.last_mut().filter(|_| is_bare_claim(text)) {
            last.ratio = Some((at + 1, text.trim().to_owned()));
        } else if !(lines.first()?.form == Form::Versus && joins(text)) {
            if blank == 0 && is_of_a_block(text) {
                return None;
            }
            break;
        }
        blank = 0;
        if lines.len() > MAX_LINES {
            return None;
        }
    }
    if lines.first()?.form == Form::Versus {
        name_by_place(&mut lines, above.iter().chain(below))?;
    }
    if lines.iter().any(|line| line.scatter.is_some()) {
        let runs = runs_behind(above, below);
        for scatter in lines.iter_mut().filter_map(|line| line.scatter.as_mut()) {
            scatter.runs = runs;
        }
    }
    set_unit(&mut lines, above)?;
    name_arrows(&mut lines, above);
    // A command above them names their work: `$ timeit 'd={}'`.
    let blank = |line: &&String| line.trim_matches(['>', ' ']).is_empty();
    let command = above.iter().rev().find(|line| !blank(line));
    let command = command.and_then(|line| line.trim().strip_prefix("$ "));
    if let Some(command) = command.filter(|_| !in_cases && lines.iter().all(|l| l.case.is_none())) {
        for line in &mut lines {
            line.case = Some(Case::Setting("command".to_owned(), command.trim().to_owned()));
        }
    }
    let last = lines.last()?;
    let last = last.ratio.as_ref().map_or(last.at, |(at, _)| *at);
    let told = |lines: &[Line]| compare(lines) || compared_elsewhere(lines, [above, below]);
    let (runs, notes) = runs_of(lines, (in_cases, &told), source)?;
    Some(Labelled { runs, lines: last + 1, notes })
}

/// Names the sides of arrows as a line above names both: `main vs. this branch:`.
fn name_arrows(lines: &mut [Line], above: &[String]) {
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
        [LabelHint::Candidate, LabelHint::Baseline] => Some([second, first]),
        [LabelHint::Neither, LabelHint::Neither] => None,
        _ => Some([first, second]),
    }
}

/// Whether all lines but one state how their value compares with the value of that one, and it does: `4277.4 i/s - 1.32x faster`
/// below `3248.2 i/s`.
fn compare(lines: &[Line]) -> bool {
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
fn compared_elsewhere(lines: &[Line], parts: [&[String]; 2]) -> bool {
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
const MAX_AROUND: usize = 12;

/// The number of runs behind each value, as the lines around them state it, or a command with its repeats: `perf stat -r 5`.
fn runs_behind(above: &[String], below: &[String]) -> Option<usize> {
    let near = above.iter().rev().take(MAX_AROUND).chain(below.iter().take(MAX_AROUND));
    near.into_iter().find_map(|line| {
        let stated = stated_count(line).and_then(|count| usize::try_from(count).ok());
        stated.or_else(|| repeats_of(line))
    })
}

/// Whether the text says by comparing their values that lines are sides.
type Told<'a> = &'a dyn Fn(&[Line]) -> bool;

/// The runs of lines that each name a side, with remarks about single lines; `None` where these are no sides. `told`: the text
/// says so by comparing their values.
pub(crate) fn runs_of(
    mut lines: Vec<Line>,
    (in_cases, told): (bool, Told),
    source: &Source,
) -> Option<(Vec<Run>, Notes)> {
    let metrics = metrics_in_labels(&mut lines) || shared_metric(&mut lines);
    let cases: BTreeSet<&Option<Case>> = lines.iter().map(|line| &line.case).collect();
    if cases.len() > 1 && cases.contains(&None) || in_cases && cases.len() < 2 {
        return None;
    }
    let form = lines.first()?.form;
    let labels: BTreeSet<String> = lines.iter().map(|line| line.label.to_lowercase()).collect();
    let says = |line: &Line| label_hint(&line.label) != LabelHint::Neither || negates(&line.label);
    let lists = || lines.iter().all(|line| line.values.len() > 1 && !line.is_one_run());
    let sides = metrics
        || form != Form::Label
        || in_cases && recur(&lines)
        || lines.iter().any(says)
        || lists()
        || begin_alike(&labels)
        || lines.iter().any(|line| names_reference(&line.beside))
            && !lines.iter().any(|line| is_part(&line.label))
        || are_rates_of_builds(&lines)
        || told(&lines);
    // Without the name of a metric, parts of the work are no sides, and a time may be any.
    let spoken = matches!(form, Form::Sentence | Form::Heading);
    let part = |line: &Line| !says(line) && is_part(&line.label);
    // Below each case a quantity is what was measured of it: `RSS Growth`.
    let quantity = |line: &Line| {
        let meaning = meaning(&line.label);
        !says(line) && (meaning.says == Says::Measured || meaning.quantity != Quantity::Other)
    };
    let weak = (in_cases || spoken && !metrics) && lines.iter().any(part)
        || in_cases && lines.iter().any(quantity);
    let unclear = spoken && !metrics && !lines[0].is_rate();
    let other = |line: &Line| {
        let named = matches!(form, Form::Label | Form::Sentence) && is_metric(&line.label);
        !says(line) && named || counts_runs(&line.label)
    };
    if labels.len() < 2 || !sides || unclear || weak || lines.iter().any(other) {
        return None;
    }
    let note =
        |line: &Line, why: &str| (source.position + line.at, format!("\"{}\": {why}", line.label));
    let about = "a value with a mark for about (~) is read as the number that is written";
    let spread = "the spread behind the value is not used: the number of runs is not stated";
    let lost = |line: &Line| line.scatter.is_some_and(|scatter| scatter.runs.is_none());
    let notes = lines.iter().filter(|line| line.about).map(|line| note(line, about));
    let notes = notes.chain(lines.iter().filter(|line| lost(line)).map(|line| note(line, spread)));
    let notes = notes.collect();
    let mut runs: Vec<Run> = Vec::new();
    for line in lines {
        add(&mut runs, line, source)?;
    }
    number(&mut runs);
    Some((runs, notes))
}

/// The case that a line names for the lines below it: `* 30B q4:`, `tp = 4`.
fn case_of(text: &str) -> Option<Case> {
    let bare = text.replace(['*', '`'], "");
    let bare = bare.trim().trim_start_matches(['>', '-', '+', '•', '·', '#', ' ']);
    let fits = |name: &str| {
        name.contains(char::is_alphanumeric)
            && name.chars().count() <= MAX_LABEL
            && !name.contains([':', '：', '|', '<', '{', '"'])
            && !is_claim(name)
    };
    if let Some(name) = bare.strip_suffix([':', '：']).map(str::trim) {
        let side = label_hint(name) != LabelHint::Neither || counts_runs(name);
        return (fits(name)
            && !side
            && first_number(name).is_none_or(|at| unit_of(&name[at..]).is_empty()))
        .then(|| Case::Name(name.to_owned()));
    }
    let (key, value) = bare.split_once('=')?;
    let (key, value) = (key.trim(), value.trim());
    let word = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c))
    };
    let named = word(key) && key.starts_with(char::is_alphabetic) && word(value);
    let set = figure(value, false).is_none_or(|found| found.unit.is_empty());
    (named && set).then(|| Case::Setting(key.to_owned(), value.to_owned()))
}

/// The case that a line names for the values further in below it: `shape (64, 64) dtype <f32>`.
fn case_above(text: &str, below: Option<&String>) -> Option<Case> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let name = text.trim();
    let values = below.filter(|next| indent(next) > indent(text) && line(next, 0).is_some())?;
    let fits = name.contains(char::is_alphabetic)
        && name.chars().count() <= MAX_LABEL
        && !name.ends_with([':', '：'])
        && !name.starts_with(['#', '|', '`', '$', '-', '*'])
        && label_hint(name) == LabelHint::Neither
        && line(text, 0).is_none()
        && !is_claim(name);
    (fits && !values.trim_start().starts_with(['-', '*'])).then(|| Case::Name(name.to_owned()))
}

/// Whether a line is nothing but a factor between the lines above it: `= 2.39x`.
fn is_bare_claim(text: &str) -> bool {
    text.trim_start_matches(['>', '-', '*', '•', ' ']).starts_with('=') && is_claim(text)
}

/// Whether a line only joins those above and below it: `and`.
fn joins(text: &str) -> bool {
    let words = text.split_whitespace().count();
    words < 3 && !text.contains(|c: char| c.is_ascii_digit() || c == '|')
}

/// Whether two labels or more recur below each case.
fn recur(lines: &[Line]) -> bool {
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

/// Whether a unit counts per minute or longer.
fn is_per_long_time(unit: &str) -> bool {
    let per = unit.split_once('/').map(|(_, per)| per.trim());
    per.is_some_and(|per| matches!(per, "min" | "h" | "hour" | "day"))
}

/// Words that name nothing.
const SMALL: &[&str] = &["the", "a", "an", "of", "and", "in", "for", "our", "my", "this"];

/// Whether a name is that of a part of the work, a setting or a quantity, and of no build.
fn is_part(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| is_phase(word) || SMALL.contains(&&*word.to_lowercase()))
}

/// Names the sides of lines `metric: value vs value` by their place, or before and after where the text says so, and
/// numbers the cases in which a metric comes again.
fn name_by_place<'a>(lines: &mut [Line], text: impl Iterator<Item = &'a String>) -> Option<()> {
    let metric = |line: &Line| line.values.iter().any(|value| measures(&value.metric, &value.unit));
    lines.iter().any(metric).then_some(())?;
    let text = text.map(|line| line.to_lowercase()).collect::<Vec<_>>().join(" ");
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
        for (line, names) in pair.iter_mut().zip([["first", "before"], ["second", "after"]]) {
            names[usize::from(ordered)].clone_into(&mut line.label);
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
fn names_reference(beside: &str) -> bool {
    let lower = beside.trim_start_matches(['(', '（', '*', ' ']).to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    ["baseline", "reference", "基准", "基线", "基準"].contains(&first)
}

/// Whether lines are rates in one unit under names as builds have them, `vLLM: 29.7 tok/s`, and none of them numbers the others
/// or names a part of the work.
fn are_rates_of_builds(lines: &[Line]) -> bool {
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
    let mut workload = Workload::default();
    match line.case {
        Some(Case::Name(name)) => workload.label = Some(name),
        Some(Case::Setting(key, value)) => drop(workload.other.insert(key, value)),
        None => {}
    }
    let place = Source { position: source.position + line.at, ..source.clone() };
    let mut claims = claims_of(&line.beside, &place);
    let mut ratio = line.ratio;
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
            .find(|found| lacks(found) && found.1.workload == workload.clone().into());
        let known = known.map(|(at, _)| at);
        let at = known.unwrap_or(runs.len());
        if known.is_none() {
            let variant = line.label.clone();
            let info = RunInfo { of_table: true, ..RunInfo::default() }.into();
            let workload = workload.clone().into();
            runs.push(Run { variant, source: place.clone(), info, workload, ..Run::default() });
        }
        taken.insert(at);
        if let Some((below, text)) = ratio.take() {
            let place = Source { position: source.position + below, ..source.clone() };
            let of = |claim| Claim { metric: Some(metric.to_owned()), ..claim };
            claims.extend(claims_of(&text, &place).into_iter().map(of));
        }
        // A spread behind several values may be that of any.
        if let Some(spread) = line.scatter.filter(|_| !one).and_then(|all| all.around(number.value))
        {
            let sd = spread.sd * (value.value / number.value).abs();
            runs[at].info.spreads.insert(metric.to_owned(), Spread { sd, ..spread });
        }
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
        let same = |run: &&Run| {
            run.variant.to_lowercase() == runs[at].variant.to_lowercase()
                && run.workload == runs[at].workload
        };
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
        line.set_metric(side, metric);
    }
    all.is_some()
}

/// Takes the metric out of labels that all begin or end with its words and differ in others, such as `lmdeploy latency`;
/// whether there is one.
fn shared_metric(lines: &mut [Line]) -> bool {
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

/// The side and the metric of a label: a word that names a side, and the rest where that names a metric.
fn split(label: &str) -> Option<(String, String)> {
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

/// Words that say that a number stands for several runs.
const AVERAGES: &[&str] =
    &["avg", "average", "averaged", "mean", "median", "runs", "times", "平均", "均值"];

/// Whether a text says that numbers stand for several runs.
fn says_average(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| AVERAGES.contains(&word))
}

/// An item of a numbered list, without its number: `1. Julia (1.4): 2.43 s`.
pub(crate) fn behind_ordinal(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let body = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))?.trim_start();
    (rest.len() < text.len() && body.starts_with(char::is_alphabetic)).then_some(body)
}

/// The sides of a line with their values.
pub(crate) fn line(text: &str, at: usize) -> Option<Vec<Line>> {
    let bare = text.replace(['*', '`'], "");
    let bare = bare.trim().trim_start_matches(['>', '-', '+', '•', '·', '#', ' ']);
    let bare = behind_ordinal(bare).unwrap_or(bare);
    let spread = without_spread(bare);
    let (bare, scatter) =
        spread.as_ref().map_or((bare, None), |(text, found)| (&**text, Some(*found)));
    // The spread of a factor: `4277.4 i/s - 1.32x (± 0.00) faster`.
    let factor = bare.split_once("(±").and_then(|(before, behind)| {
        let (_, behind) = behind.split_once(')')?;
        before.trim_end().ends_with('x').then(|| format!("{}{behind}", before.trim_end()))
    });
    let bare = factor.as_deref().unwrap_or(bare);
    if bare.contains(['±', '|', '{', '"']) || bare.contains("+/-") || bare.contains("+-") {
        return None;
    }
    let spoken = sentence(bare);
    let form = if spoken.is_some() { Form::Sentence } else { Form::Label };
    let (label, rest) = spoken.or_else(|| behind_label(bare))?;
    let rest = without_count(rest);
    let sides = sides_before(&label, rest, at)
        .or_else(|| sides_of_arrow(&label, rest, at))
        .or_else(|| sides_of_pair(&label, rest, at));
    if let Some(sides) = sides.or_else(|| versus(&label, rest, at)) {
        return Some(sides);
    }
    let certain = rest.trim_start_matches(['~', '≈', ' ']);
    let about = certain.len() < rest.len();
    // The subject of a sentence may name the metric of a bare number, as a label with a side does: `old time: 0.16`.
    let bare = || {
        let number = fields::number(certain.trim_end_matches(['.', '。']))?;
        let (metric, unit, side) = (String::new(), String::new(), String::new());
        Some((vec![Measured { metric, number, unit, side }], String::new()))
    };
    let spoken = form == Form::Sentence;
    let named = || spoken || split(&label).is_some();
    let listed = || {
        let unit = label.rsplit_once('(').and_then(|(_, unit)| unit.strip_suffix(')'));
        let unit = unit.filter(|unit| is_unit(unit)).unwrap_or_default();
        let number = |number| Measured {
            metric: String::new(),
            number,
            unit: unit.to_owned(),
            side: String::new(),
        };
        let numbers = bare_list(certain).filter(|numbers| numbers.len() >= MIN_LISTED)?;
        Some((numbers.into_iter().map(number).collect(), String::new()))
    };
    let found = values_of(certain).or_else(|| bare().filter(|_| named()));
    let is_list = found.is_none();
    let (values, beside) = found.or_else(listed)?;
    let label = if is_list { without_samples(&label) } else { label };
    if says_average(&beside)
        || values.iter().any(|value| AVERAGES.contains(&&*value.metric.to_lowercase()))
    {
        return None;
    }
    let sides: BTreeSet<&str> = values.iter().map(|value| &*value.side).collect();
    if sides.contains("") {
        let line =
            Line { at, case: None, label, values, beside, form, about, scatter, ratio: None };
        // `before (3 runs)` counts the values of a list.
        let counted = line.label.rfind(['(', '（']).filter(|_| says_average(&line.label));
        return match counted {
            Some(end) if line.values.len() > 1 && !line.is_one_run() => {
                let label = line.label[..end].trim_end().to_owned();
                Some(vec![Line { label, ..line }])
            }
            // The average over the requests of a run is a value of the run.
            _ if spoken && !says_runs(&line.label) => Some(vec![line]),
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
        let (label, beside) = (value.side.clone(), String::new());
        Line {
            at,
            case: None,
            label,
            values: vec![value],
            beside,
            form,
            about,
            scatter,
            ratio: None,
        }
    };
    Some(values.iter().map(of_side).collect())
}

/// Fewest numbers without a unit that are a list of repeats.
const MIN_LISTED: usize = 3;

/// The numbers of a text that holds nothing else.
fn bare_list(text: &str) -> Option<Vec<Number>> {
    let text = text.trim().trim_matches(['[', ']']);
    let parts = text.split([',', ';', ' ']).filter(|part| !part.is_empty());
    parts.map(|part| fields::number(part).filter(|_| !part.contains('%'))).collect()
}

/// The label of a list without its unit and the word for what is in the list: `old samples (ms)`.
fn without_samples(label: &str) -> String {
    let unit = label.rsplit_once('(').filter(|(_, unit)| is_unit(unit.trim_end_matches(')')));
    let name = unit.map_or(label, |(name, _)| name).trim();
    let words = ["samples", "runs", "trials", "times", "values", "measurements", "timings"];
    let stem = name.rsplit_once(' ').filter(|(_, last)| words.contains(&&*last.to_lowercase()));
    stem.map_or(name, |(stem, _)| stem.trim()).to_owned()
}

/// Gives lists without a unit that of the words above them, `Full sorted samples (ms):`; without one they are repeats only where a
/// label names a side and they have decimals.
fn set_unit(lines: &mut [Line], above: &[String]) -> Option<()> {
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

/// The text before a spread at the end of a line, with its unit, and the spread: `Speed before: 88.41 +/- 0.3%`,
/// `main: 146.88 +- 6.54 seconds time elapsed  ( +-  4.45% )`.
fn without_spread(text: &str) -> Option<(String, Scatter)> {
    let (value, spread) = ["±", "+/-", "+-"].iter().find_map(|mark| text.split_once(mark))?;
    let value = value.trim_end();
    let bare = value.ends_with(|c: char| c.is_ascii_digit());
    let ends = bare || value.rsplit(' ').next().is_some_and(is_unit);
    let timed = spread.split_once(" time elapsed");
    let spread = figure(timed.map_or(spread, |(spread, _)| spread).trim(), false)?;
    if !ends || !spread.beside.is_empty() {
        return None;
    }
    let relative = spread.unit == "%";
    let size = spread.value()?.value * if relative { 0.01 } else { 1.0 };
    let unit = if bare && !relative { &*spread.unit } else { "" };
    let scatter = Scatter { size, relative, of_mean: timed.is_some(), runs: None };
    Some((format!("{value} {unit}").trim_end().to_owned(), scatter))
}

/// Whether a text speaks of several runs.
fn says_runs(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| ["runs", "times"].contains(&word))
}

/// The subject of a sentence about one value, and the text behind the verb: `vllm is at 31 tok/s`.
fn sentence(line: &str) -> Option<(String, &str)> {
    let (at, verb) = [" is ", " are "].iter().find_map(|verb| Some((line.rfind(verb)?, verb)))?;
    let rest = line[at + verb.len()..].trim_start();
    let rest = ["at ", "about ", "around "]
        .iter()
        .find_map(|word| rest.strip_prefix(word))
        .unwrap_or(rest);
    let subject = line[..at].trim();
    let value = rest.trim_start_matches(['~', '≈', ' ']).starts_with(|c: char| c.is_ascii_digit());
    let fits = subject.chars().any(char::is_alphabetic)
        && subject.chars().count() <= MAX_LABEL
        && !subject.contains([':', '：', ',', '，', '=', '<', '$']);
    (value && fits).then(|| (subject.to_owned(), rest.trim()))
}

/// The two sides of a line `metric: value vs value`, by their place.
fn versus(label: &str, rest: &str, at: usize) -> Option<Vec<Line>> {
    let (first, second) = rest.split_once(" vs. ").or_else(|| rest.split_once(" vs "))?;
    let set = matches!(meaning(label).says, Says::Setting | Says::Identity | Says::Outcome(_));
    let values = |text: &str| -> Option<Vec<Measured>> {
        let (end, number) = leading(text.trim(), false)?;
        let behind = text.trim()[end..].trim();
        let (unit, bracket) = behind.split_once('(').unwrap_or((behind, ""));
        let inside =
            figure(bracket.trim_end_matches(')'), false).filter(|found| !found.unit.is_empty());
        let measured = |number: &str, unit: &str| -> Option<Measured> {
            let (metric, unit, side) = (label.to_owned(), unit.to_owned(), String::new());
            Some(Measured { metric, number: fields::number(number)?, unit, side })
        };
        let unit = unit.trim().trim_end_matches('.');
        let known = is_unit(unit) || is_counted(unit);
        let mut values = vec![measured(&number, unit).filter(|_| known)?];
        values.extend(inside.and_then(|found| measured(&found.number, &found.unit)));
        Some(values)
    };
    let (one, other) = (values(first)?, values(second)?);
    let units = |values: &[Measured]| -> Vec<String> {
        values.iter().map(|value| value.unit.clone()).collect()
    };
    let side = |values: Vec<Measured>| Line {
        at,
        case: None,
        label: String::new(),
        values,
        beside: String::new(),
        form: Form::Versus,
        about: false,
        scatter: None,
        ratio: None,
    };
    let plain = label_hint(label) == LabelHint::Neither && !set;
    (plain && units(&one) == units(&other)).then(|| vec![side(one), side(other)])
}

/// The sides of a line with a case before them: `q1: prev=2009 ms, new=4702 ms, 2.34x slower`.
fn sides_before(case: &str, rest: &str, at: usize) -> Option<Vec<Line>> {
    let joined = rest.replace(" vs. ", ", ").replace(" vs ", ", ");
    let parts: Vec<&str> = joined.split([',', ';']).map(str::trim).collect();
    let side = |part: &&str| -> Option<Line> {
        let (label, Figure { number, unit, beside }) = side_in(part)?;
        let says = label_hint(&label) != LabelHint::Neither && label.split(' ').count() < 3;
        let (number, metric, side) = (fields::number(&number)?, String::new(), String::new());
        let values = vec![Measured { metric, number, unit, side }];
        let remark = beside.is_empty() || beside.starts_with(['(', '（']) && is_claim(&beside);
        (says && remark && !matches!(&*values[0].unit, "" | "%")).then(|| Line {
            at,
            case: Some(Case::Name(case.to_owned())),
            label,
            values,
            beside,
            form: Form::Label,
            about: false,
            scatter: None,
            ratio: None,
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
    let last = &mut sides.last_mut()?.beside;
    if !text.is_empty() {
        text.clone_into(last);
    }
    Some(sides)
}

/// The sides of a line with an arrow between their values, behind a name as programs have them, which is that of the work:
/// `rms_norm (4096 x 5120): 38.6 us → 29.1 us (-24.6 %)`.
fn sides_of_arrow(case: &str, rest: &str, at: usize) -> Option<Vec<Line>> {
    let (old, new) =
        [" → ", " -> ", " => ", " ⇒ ", " ⟶ "].iter().find_map(|mark| rest.split_once(mark))?;
    let named = is_metric(case) || meaning(case).says == Says::Measured;
    let coined = case.contains(['_', '(', '=']) || case.contains("::");
    let (old, new) = (figure(old.trim(), false)?, figure(new.trim(), false)?);
    let alike = old.unit == new.unit || old.unit.is_empty();
    let remark = new.beside.is_empty() || new.beside.starts_with(['(', '（']);
    let timed = is_unit(&new.unit) && new.unit != "%";
    if named || !coined || !alike || !remark || !timed || !old.beside.is_empty() {
        return None;
    }
    let unit = new.unit.clone();
    let side = |(label, found): (&str, Figure)| -> Option<Line> {
        let (metric, side) = (String::new(), String::new());
        let number = fields::number(&found.number)?;
        Some(Line {
            at,
            case: Some(Case::Name(case.to_owned())),
            label: label.to_owned(),
            values: vec![Measured { metric, number, unit: unit.clone(), side }],
            beside: found.beside,
            form: Form::Label,
            about: false,
            scatter: None,
            ratio: None,
        })
    };
    [("before", old), ("after", new)].into_iter().map(side).collect()
}

/// A side and its value: `prev=2009 ms`, `before 13.84 us`, `13.84 us before`.
fn side_in(part: &str) -> Option<(String, Figure)> {
    if let Some((label, value)) = part.split_once(['=', ':']) {
        return Some((label.trim().to_owned(), figure(value, false)?));
    }
    let at = first_number(part)?;
    if at > 0 {
        return Some((part[..at].trim().to_owned(), figure(&part[at..], false)?));
    }
    let (end, number) = leading(part, false)?;
    let behind = part[end..].trim_start();
    let unit = unit_of(behind).to_owned();
    let words = behind[unit.len()..].trim();
    // The change may stand behind the side: `11.27 us after (-18.6%)`.
    let (label, beside) = words.split_at(words.find(['(', '（']).unwrap_or(words.len()));
    Some((label.trim().to_owned(), Figure { number, unit, beside: beside.to_owned() }))
}

/// The text behind the number of runs at the start of a list: `3 runs 12.1s 12.3s 12.0s`.
fn without_count(text: &str) -> &str {
    let (count, rest) = text.split_once(' ').unwrap_or((text, ""));
    let (word, behind) = rest.trim_start().split_once([' ', ':']).unwrap_or((rest, ""));
    let runs =
        ["run", "runs", "times", "reps", "trials"].contains(&word.trim_end_matches([':', ',']));
    let counted = runs && count.chars().all(|c| c.is_ascii_digit()) && !behind.trim().is_empty();
    if counted { behind.trim_start_matches([' ', ':', ',', '-']) } else { text }
}

/// The sides of a line whose label names both: `Latency before/after: 812ms/640ms`.
fn sides_of_pair(label: &str, rest: &str, at: usize) -> Option<Vec<Line>> {
    let (left, right) = label.split_once('/')?;
    let first = left.trim().rsplit(' ').next()?;
    let second = right.trim().split(' ').next()?;
    let hints = [first, second].map(label_hint);
    let opposite = hints.contains(&LabelHint::Baseline) && hints.contains(&LabelHint::Candidate);
    let before = left.trim_end().strip_suffix(first)?;
    let behind = right.trim_start().strip_prefix(second)?;
    let metric = format!("{before}{behind}").trim_matches(['(', ')', ' ', ',']).to_owned();
    // A unit may have a slash itself: `41.2/52.1 tok/s`.
    let [one, other] = rest.split_once('/').map(|(one, other)| [one, other])?;
    let (one, other) = (figure(one, false)?, figure(other, false)?);
    let alike = one.unit.is_empty() || one.unit == other.unit;
    let plain = one.beside.is_empty() && other.beside.is_empty();
    let (numbers, unit) = ([one.number, other.number], other.unit);
    if !alike || !plain {
        return None;
    }
    let unit = if unit.is_empty() { fields::unit_of(&metric).symbol().to_owned() } else { unit };
    let line = |(name, number): (&str, &String)| -> Option<Line> {
        let number = fields::number(number)?;
        let (metric, unit, side) = (metric.clone(), unit.clone(), String::new());
        Some(Line {
            at,
            case: None,
            label: name.to_owned(),
            values: vec![Measured { metric, number, unit, side }],
            beside: String::new(),
            form: Form::Label,
            about: false,
            scatter: None,
            ratio: None,
        })
    };
    let sides = [first, second].into_iter().zip(&numbers).map(line);
    sides.collect::<Option<Vec<Line>>>().filter(|_| opposite)
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
        (label, &line[at..])
    };
    let label = label.trim().trim_end_matches([':', '=']).trim();
    let fits = label.chars().any(char::is_alphabetic)
        && label.chars().count() <= MAX_LABEL
        && (!label.contains('=') || fields::is_set(label))
        && !label.contains(['<', '$'])
        && !label.split(['(', '（']).next().is_some_and(|label| label.contains("--"));
    fits.then(|| (label.to_owned(), rest.trim()))
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
        // The same in another unit, or a second quantity: `39.2 ms/tok (25.51 tok/s)`.
        let inside = beside.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        let other = inside.and_then(|text| figure(text, false)).filter(|other| {
            let scales = Scale::parse(&unit).zip(Scale::parse(&other.unit));
            other.beside.is_empty()
                && !matches!(&*other.unit, "" | "%")
                && other.unit != unit
                && Scale::parse(&other.unit).is_some()
                && !scales.is_some_and(|(one, other)| one.is_alike(other))
        });
        let mut values = vec![measured("", &number, &unit)?];
        values.extend(other.as_ref().and_then(|found| measured("", &found.number, &found.unit)));
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
            ("before: 343 ± 2 s\nafter: 322 ± 2 s", "before: time (s) 343; after: time (s) 322"),
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
