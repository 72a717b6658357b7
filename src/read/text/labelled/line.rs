//! One line that names a side of the comparison, or several, and gives its values.

use std::collections::BTreeSet;

use crate::kit::fields::{self, is_metric};
use crate::kit::figure::{Figure, figure, is_mark, is_unit, leading};
use crate::kit::parts_of_work::is_part_of_work;
use crate::text::claims::is_claim;
use crate::text::headings::counts_runs;
use crate::text::labelled::parts::{AVERAGES, Case, Form, Line, Measured, says_average};
use crate::text::labelled::values::{
    MAX_LABEL, MIN_LISTED, bare_list, behind_label, behind_ordinal, first_number, split, unit_of,
    values_of, without_spread,
};
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, label_hint};
use beyondnoise_model::units::is_counted;

/// The sides of a line with their values.
pub(crate) fn line(text: &str, at: usize) -> Option<Vec<Line>> {
    let bare = text.replace(['*', '`'], "");
    let bare = bare.trim().trim_start_matches(['>', '-', '+', '•', '·', '#', ' ']);
    let bare = behind_ordinal(bare).unwrap_or(bare);
    let certain = without_about(bare);
    let about = certain.is_some();
    let bare = certain.as_deref().unwrap_or(bare);
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
    // The subject of a sentence may name the metric of a bare number, as a label with a side does: `old time: 0.16`.
    let bare = || {
        let number = fields::number(rest.trim_end_matches(['.', '。']))?;
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
        let numbers = bare_list(rest).filter(|numbers| numbers.len() >= MIN_LISTED)?;
        Some((numbers.into_iter().map(number).collect(), String::new()))
    };
    let found = values_of(rest).or_else(|| bare().filter(|_| named()));
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
    let named = is_metric(&label) || is_part_of_work(&label) && !counts_runs(&label);
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

/// The line without the marks for about before its numbers, `prefill ~160 tok/s`, if it has some.
fn without_about(line: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(['~', '≈']) {
        let (before, mark) = rest.split_at(at);
        let behind = mark.trim_start_matches(['~', '≈']);
        let free = out.is_empty() && before.is_empty()
            || before.ends_with(|c: char| c.is_whitespace() || ":：=(（".contains(c));
        let number = behind.trim_start().starts_with(|c: char| c.is_ascii_digit());
        out.push_str(before);
        if free && number {
            rest = behind.trim_start();
        } else {
            out.push_str(&mark[..mark.len() - behind.len()]);
            rest = behind;
        }
    }
    out.push_str(rest);
    (out != line).then_some(out)
}

/// The label of a list without its unit and the word for what is in the list: `old samples (ms)`.
fn without_samples(label: &str) -> String {
    let unit = label.rsplit_once('(').filter(|(_, unit)| is_unit(unit.trim_end_matches(')')));
    let name = unit.map_or(label, |(name, _)| name).trim();
    let words = ["samples", "runs", "trials", "times", "values", "measurements", "timings"];
    let stem = name.rsplit_once(' ').filter(|(_, last)| words.contains(&&*last.to_lowercase()));
    stem.map_or(name, |(stem, _)| stem.trim()).to_owned()
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
    // `812 ms (main) vs 744 ms (PR)`
    let name = |text: &str| -> Option<String> {
        let (_, inside) = text.trim().trim_end_matches('.').strip_suffix(')')?.split_once('(')?;
        let words = inside.starts_with(char::is_alphabetic) && inside.split(' ').count() < 4;
        (words && !is_claim(inside)).then(|| inside.trim().to_owned())
    };
    let names = name(first).zip(name(second));
    let (one_name, other_name) = names.unwrap_or_default();
    let side = |label: String, values: Vec<Measured>| Line {
        at,
        case: None,
        label,
        values,
        beside: String::new(),
        form: Form::Versus,
        about: false,
        scatter: None,
        ratio: None,
    };
    let plain = label_hint(label) == LabelHint::Neither && !set && !second.contains(" vs ");
    (plain && units(&one) == units(&other))
        .then(|| vec![side(one_name, one), side(other_name, other)])
}

/// The sides of a line with a case before them: `q1: prev=2009 ms, new=4702 ms, 2.34x slower`.
fn sides_before(case: &str, rest: &str, at: usize) -> Option<Vec<Line>> {
    let joined = rest.replace(" vs. ", ", ").replace(" vs ", ", ");
    // `main 41.2 tok/s  PR 44.1 tok/s`, `main 812ms / PR 744ms TTFT`
    let joined = joined.replace(" / ", ", ").replace("  ", ",");
    let parts = joined.split([',', ';']).map(str::trim).filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.collect();
    let of_all = parts.last().and_then(|part| Some(side_in(part)?.1.beside));
    let of_all = of_all.filter(|name| is_metric(name)).unwrap_or_default();
    let side = |part: &&str| -> Option<Line> {
        let (label, Figure { number, unit, beside }) = side_in(part)?;
        let says = label_hint(&label) != LabelHint::Neither && label.split(' ').count() < 3;
        let (number, metric, side) = (fields::number(&number)?, of_all.clone(), String::new());
        let values = vec![Measured { metric, number, unit, side }];
        let beside = if beside == of_all { String::new() } else { beside };
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
    if counts_runs(case) {
        return None;
    }
    // `TTFT: main 812 ms  PR 744 ms`
    if is_metric(case) {
        for line in &mut sides {
            line.case = None;
            case.clone_into(&mut line.values[0].metric);
        }
    }
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
