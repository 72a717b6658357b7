//! Lines that each name a side of the comparison and give its values: `before: 343s`, `main: 7.91 ms, 7.93 ms, 7.90 ms`,
//! `vllm is at 31 tok/s`; also below lines that name a case: `tp = 4`.
//!
//! Replicate: a value of a list, or the only one of a line.

use std::collections::BTreeSet;

use crate::kit::arithmetic::{FAR, far_one_way};
use crate::kit::fields;
use crate::kit::fields::is_metric;
use crate::kit::figure::figure;
use crate::kit::parts_of_work::is_phase;
use crate::kit::stated_runs::{repeats_of, stated_count};
use crate::text::claims::{claims_of, is_claim};
use crate::text::headings::counts_runs;
use crate::text::printed_lines::{of_unit, put};
use beyondnoise_model::metrics::words::{Quantity, Says, meaning};
use beyondnoise_model::runs::{
    Claim, LabelHint, Run, RunInfo, Source, Spread, Workload, label_hint, negates,
};

pub(crate) mod line;
pub(crate) mod names;
pub(crate) mod parts;
pub(crate) mod values;

use crate::text::labelled::line::line;
use crate::text::labelled::names::{
    MAX_AROUND, are_rates_of_builds, begin_alike, compare, compared_elsewhere, metrics_in_labels,
    name_arrows, name_by_list, name_by_place, names_reference, recur, set_unit, shared_metric,
};
use crate::text::labelled::parts::{Case, Form, Line, Measured, Notes, says_average};
use crate::text::labelled::values::{
    MAX_LABEL, MIN_LISTED, bare_list, behind_label, first_number, is_part, unit_of,
};

/// Most lines that people paste so; what is longer is a log.
pub(crate) const MAX_LINES: usize = 1_000;

/// The runs of lines that belong together, how many lines these are, and remarks about single lines.
pub(crate) struct Labelled {
    pub(crate) runs: Vec<Run>,
    pub(crate) lines: usize,
    pub(crate) notes: Notes,
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
            let mut labels: Vec<String> = lines.iter().map(|line| line.label.clone()).collect();
            labels.sort();
            labels
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
    if lines.first()?.form == Form::Versus && lines.iter().any(|line| line.label.is_empty()) {
        name_by_place(&mut lines, above, below)?;
    }
    if lines.iter().any(|line| line.scatter.is_some()) {
        let runs = runs_behind(above, below);
        for scatter in lines.iter_mut().filter_map(|line| line.scatter.as_mut()) {
            scatter.runs = scatter.runs.or(runs);
        }
    }
    name_by_list(&mut lines, above);
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
    name_by_cases(&mut lines);
    let counted = lines.iter().any(|line| says_average(&line.label));
    if rise_alike(&lines) && !counted && runs_behind(above, below).is_none() {
        return None;
    }
    let last = lines.last()?;
    let last = last.ratio.as_ref().map_or(last.at, |(at, _)| *at);
    let told = |lines: &[Line]| compare(lines) || compared_elsewhere(lines, [above, below]);
    let (runs, notes) = runs_of(lines, (in_cases, &told), source)?;
    Some(Labelled { runs, lines: last + 1, notes })
}

/// Takes the names of cases as the sides, if the lines below each are settings of the load: `triton:` above
/// `concurrency=16: 4021 tok/s`.
fn name_by_cases(lines: &mut [Line]) {
    // Parts of the work are no sides.
    let part = |name: &str| name.split(|c: char| !c.is_alphanumeric()).any(is_phase);
    let named = |line: &Line| matches!(&line.case, Some(Case::Name(name)) if !part(name));
    if !lines.iter().all(|line| named(line) && fields::sets_load(&line.label)) {
        return;
    }
    for line in lines {
        if let (Some(Case::Name(name)), Some((key, value))) =
            (line.case.take(), line.label.split_once('=').or_else(|| line.label.rsplit_once(' ')))
        {
            line.case = Some(Case::Setting(key.trim().to_owned(), value.trim().to_owned()));
            line.label = name;
        }
    }
}

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

/// Whether the lists of all lines rise, or all fall, over values far apart: those of a sweep over something that no line names, and no
/// repeats.
fn rise_alike(lines: &[Line]) -> bool {
    let way = |line: &Line| -> Option<bool> {
        let values: Vec<f64> = line.values.iter().map(|value| value.number.value).collect();
        // A first run may be slow, and the others near to each other.
        far_one_way(&values, STEP, FAR).filter(|_| !line.is_one_run())
    };
    let ways: Option<Vec<bool>> = lines.iter().map(way).collect();
    ways.is_some_and(|ways| ways.len() > 1 && ways.windows(2).all(|two| two[0] == two[1]))
}

/// Least ratio of values of a sweep that follow each other.
const STEP: f64 = 1.2;

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
        let side = label_hint(name) != LabelHint::Neither || negates(name) || counts_runs(name);
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
    // Settings may be many.
    let set = name.split(',').filter(|part| part.contains('=')).count() > 1;
    let fits = name.contains(char::is_alphabetic)
        && name.chars().count() <= if set { MAX_SETTINGS } else { MAX_LABEL }
        && !name.ends_with([':', '：'])
        && !name.starts_with(['#', '|', '`', '$', '-', '*'])
        && label_hint(name) == LabelHint::Neither
        && line(text, 0).is_none()
        && !is_claim(name);
    (fits && !values.trim_start().starts_with(['-', '*'])).then(|| Case::Name(name.to_owned()))
}

/// Longest list of settings above lines of values, in characters.
const MAX_SETTINGS: usize = 160;

/// Whether a line is nothing but a factor between the lines above it: `= 2.39x`.
fn is_bare_claim(text: &str) -> bool {
    text.trim_start_matches(['>', '-', '*', '•', ' ']).starts_with('=') && is_claim(text)
}

/// Whether a line only joins those above and below it: `and`.
pub(super) fn joins(text: &str) -> bool {
    let words = text.split_whitespace().count();
    words < 3 && !text.contains(|c: char| c.is_ascii_digit() || c == '|')
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
pub(super) fn number(runs: &mut [Run]) {
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
