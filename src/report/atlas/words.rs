//! Sentences about published noise: the grade of one run each.

use std::fmt::Write;

use crate::atlas::{Grade, Published};
use crate::checks::SINGLE_RUNS;
use crate::format::{self, counted, first_few, listed};
use crate::report::comparison::row_text::change;
use crate::report::{Comparison, Row};
use crate::report::{GradeCounts, GradesRow, PublishedRow};
use crate::stats::Student;

impl GradesRow {
    /// The grades of the comparisons at these positions of a report; `None` where the atlas has nothing to say of any.
    pub(crate) fn new(all: &[Comparison], at: impl Iterator<Item = usize>) -> Option<Self> {
        let mut row = Self {
            graded: 0,
            not_graded: 0,
            counts: GradeCounts::default(),
            most_extreme: None,
            p: None,
            p_most_extreme: None,
        };
        for index in at.filter(|index| all[*index].atlas.is_some()) {
            let Some((metric, published)) = graded(&all[index]) else {
                row.not_graded += 1;
                continue;
            };
            row.graded += 1;
            let counts = &mut row.counts;
            *match (published.grade, gain(metric) > 0.0) {
                (Grade::VeryLikely, false) => &mut counts.very_likely_worse,
                (Grade::VeryLikely, true) => &mut counts.very_likely_better,
                (Grade::Likely, false) => &mut counts.likely_worse,
                (Grade::Likely, true) => &mut counts.likely_better,
                (Grade::Unclear, _) => &mut counts.unclear,
                (Grade::MaybeNoise, _) => &mut counts.maybe_noise,
            } += 1;
            if row.p.is_none_or(|p| published.p < p) {
                (row.most_extreme, row.p) = (Some(index), Some(published.p));
            }
        }
        row.p_most_extreme = row.p.map(|p| of_so_many(p, row.graded));
        (row.graded + row.not_graded > 0).then_some(row)
    }

    /// The grades in sentences. `noun` is what a comparison is, `name` names one.
    pub(crate) fn words(
        &self,
        all: &[Comparison],
        at: impl Iterator<Item = usize>,
        noun: &str,
        name: impl Fn(&Comparison) -> String,
    ) -> String {
        let members: Vec<&Comparison> = at.map(|index| &all[index]).collect();
        let mut reasons: Vec<&str> = Vec::new();
        for atlas in members.iter().filter_map(|one| one.atlas.as_ref()) {
            if !atlas.reason.is_empty() && !reasons.contains(&&*atlas.reason) {
                reasons.push(&atlas.reason);
            }
        }
        let reasons = first_few(&reasons, MAX_REASONS, |reason| (*reason).to_owned());
        let Some(most) = self.most_extreme.map(|index| &all[index]) else {
            return format!("Published repeats grade no {noun}: {reasons}.");
        };
        let counts = self.counts;
        let each = [
            (counts.very_likely_worse, "very likely slower"),
            (counts.very_likely_better, "very likely faster"),
            (counts.likely_worse, "likely slower"),
            (counts.likely_better, "likely faster"),
            (counts.unclear, "unclear"),
            (counts.maybe_noise, "may well be noise"),
        ];
        let each = each.iter().filter(|(n, _)| *n > 0).map(|(n, words)| format!("{n} {words}"));
        let each: Vec<String> = each.collect();
        let mut text = format!(
            "Published repeats grade {} of one run each: {}.",
            counted(self.graded, noun),
            each.join(", ")
        );
        if self.not_graded > 0 {
            let _ = write!(text, " {} not graded ({reasons}).", counted(self.not_graded, noun));
        }
        let by_chance = CHANCE * self.graded as f64;
        if by_chance >= 1.0 {
            let n = self.graded;
            let _ = write!(
                text,
                " Of {n} unchanged {noun}s about {by_chance:.0} would be likely or very likely."
            );
        }
        let extreme = graded(most).zip(self.p_most_extreme).filter(|_| self.graded > 1);
        if let Some(((row, _), p)) = extreme {
            let (name, change, label) = (name(most), change(row), fitted_label(row));
            let (pairs, grade) = (of_100(p), grade(row, Grade::of(p)));
            let n = self.graded;
            let _ = write!(
                text,
                " {name} ({change} in {label}) is the most extreme of {n}: of so many unchanged {noun}s one differs as much \
                 in {pairs} tries: {grade}."
            );
        }
        text += &unlike(&members);
        text + " One run each proves nothing."
    }
}

/// Share of unchanged comparisons that are likely or very likely.
const CHANCE: f64 = 0.05;

/// Reasons that are named why comparisons have no grade.
const MAX_REASONS: usize = 2;

/// Share of lists of `count` unchanged comparisons in which the smallest share is at most `p`.
pub(crate) fn of_so_many(p: f64, count: usize) -> f64 {
    1.0 - (1.0 - p).powf(count as f64)
}

/// The rank of a noise; `noisier_of_ten` of ten published ones are noisier: `quieter than 6 of 10`.
pub(crate) fn place(noisier_of_ten: usize) -> String {
    let (way, n) = match noisier_of_ten {
        n if n >= 5 => ("quieter", n),
        n => ("noisier", 9 - n),
    };
    format!("{way} than {n} of 10")
}

/// A share of pairs in words, with one digit: `about 6 of 100`.
pub(crate) fn of_100(p: f64) -> String {
    let percent = 100.0 * p;
    if percent < 0.95 {
        "fewer than 1 of 100".to_owned()
    } else if percent < 9.5 {
        format!("about {percent:.0} of 100")
    } else {
        format!("about {:.0}0 of 100", percent / 10.0)
    }
}

/// How much a row is for the better, a fraction.
fn gain(row: &Row) -> f64 {
    row.delta.relative.unwrap_or(0.0) * row.better.map_or(1.0, crate::units::Better::sign)
}

/// A grade with the direction of a row: `very likely slower`.
fn grade(row: &Row, grade: Grade) -> String {
    grade.words(gain(row) > 0.0)
}

/// The same, with the grade beside it where the share is near a limit: `unclear, at the border to likely slower`.
fn grade_and_border(row: &Row, published: &PublishedRow) -> String {
    let own = grade(row, published.grade);
    match Grade::beside(published.p) {
        Some(beside) => format!("{own}, at the border to \"{}\"", grade(row, beside)),
        None => own,
    }
}

/// The graded row of a comparison.
pub(crate) fn graded(comparison: &Comparison) -> Option<(&Row, &PublishedRow)> {
    let metric = comparison.atlas.as_ref()?.metric.as_ref()?;
    let row = comparison.metrics.iter().find(|row| row.metric == *metric)?;
    Some((row, row.published.as_ref()?))
}

/// The set-ups behind a grade, the user's own first: `4 set-ups of your history and 511 published ones`.
fn set_ups(published: &PublishedRow) -> String {
    match published.own_setups {
        0 => format!("{} published set-ups", published.setups),
        own => {
            let own = counted(own, "set-up");
            format!("{own} of your history and {} published ones", published.setups)
        }
    }
}

/// Name and size of a change: `6.1 % in throughput`.
fn size(row: &Row) -> String {
    format!("{} in {}", change(row).trim_start_matches(['+', '−']), fitted_label(row))
}

/// Name of the metric whose noise was published: `throughput` for duration too.
fn fitted_label(row: &Row) -> String {
    Published::of(&row.metric).map_or_else(|| row.label.clone(), Published::label)
}

/// Facts of runs for which their noise may be larger than published, as a sentence after another; empty where there is none.
fn unlike(comparisons: &[&Comparison]) -> String {
    let mut facts: Vec<String> = Vec::new();
    for fact in comparisons.iter().filter_map(|one| one.atlas.as_ref()).flat_map(|one| &one.outside)
    {
        if !facts.contains(fact) {
            facts.push(fact.clone());
        }
    }
    if facts.is_empty() {
        return String::new();
    }
    let facts = listed(&facts);
    format!(" The published set-ups do not cover these runs, so noise may be larger: {facts}.")
}

/// The answer for one run each, in three sentences at most; why there is none; nothing where no metric is in the atlas.
pub(crate) fn answer(comparison: &Comparison) -> Option<String> {
    let atlas = comparison.atlas.as_ref()?;
    let Some((row, published)) = graded(comparison) else {
        return Some(format!("{SINGLE_RUNS} Published repeats give no grade: {}.", atlas.reason));
    };
    let grade = format::sentence(&grade_and_border(row, published));
    Some(format!(
        "{grade}: in {}, two runs of one unchanged build differ by this much ({}) in {} pairs.{} One run each proves nothing.",
        set_ups(published),
        size(row),
        of_100(published.p),
        unlike(&[comparison])
    ))
}

/// The answer for several candidates of one workload with one run each: repeats among these runs first, then the candidates by
/// grade, then the effect of choosing the best.
pub(crate) fn answers(comparisons: &[&Comparison]) -> Option<String> {
    let all = || comparisons.iter().filter_map(|one| Some((*one, graded(one)?)));
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for one in comparisons {
        let Some(atlas) = one.atlas.as_ref().filter(|atlas| !atlas.reason.is_empty()) else {
            continue;
        };
        match reasons.iter_mut().find(|(known, _)| *known == atlas.reason) {
            Some((_, members)) => members.push(one.candidate.name.clone()),
            None => reasons.push((&atlas.reason, vec![one.candidate.name.clone()])),
        }
    }
    let Some((first, (row, published))) = all().next() else {
        let reasons: Vec<&str> = reasons.iter().map(|(reason, _)| *reason).collect();
        let reasons = first_few(&reasons, MAX_REASONS, |reason| (*reason).to_owned());
        return (!reasons.is_empty())
            .then(|| format!("Published repeats give no grade: {reasons}."));
    };
    if comparisons.len() == 1 {
        return answer(first);
    }
    let reasons = reasons
        .iter()
        .map(|(reason, members)| format!("No grade for {} ({reason}).", listed(members)));
    let mut groups: Vec<(Grade, String, Vec<String>)> = Vec::new();
    for (one, (row, published)) in all() {
        let words = grade_and_border(row, published);
        let pairs = if groups.is_empty() { " pairs" } else { "" };
        let each =
            format!("{} ({}, {}{pairs})", one.candidate.name, change(row), of_100(published.p));
        match groups.iter_mut().find(|(_, known, _)| *known == words) {
            Some((.., members)) => members.push(each),
            None => groups.push((published.grade, words, vec![each])),
        }
    }
    groups.sort_by_key(|(grade, ..)| *grade);
    let groups = groups
        .iter()
        .map(|(_, words, each)| format!("{}: {}.", format::sentence(words), each.join(", ")));
    let label = fitted_label(row);
    let meaning = format!(
        "Shares: pairs of runs of one unchanged build that differ as much in {label}, in {}.",
        set_ups(published)
    );
    let parts = repeated_here(comparisons, row).into_iter().chain(groups).chain([meaning]);
    let parts = parts.chain(best_of(all())).chain(reasons);
    let parts: Vec<String> = parts.collect();
    Some(format!("{}{} One run each proves nothing.", parts.join(" "), unlike(comparisons)))
}

/// Own repeats of a metric come before published ones.
fn repeated_here(comparisons: &[&Comparison], of: &Row) -> Option<String> {
    let mut sides = comparisons.iter().flat_map(|one| {
        let row = one.metrics.iter().find(|row| row.metric == of.metric);
        row.into_iter().flat_map(move |row| {
            [(&one.baseline.name, &row.baseline), (&one.candidate.name, &row.candidate)]
        })
    });
    let (name, side, cv) = sides.find_map(|(name, side)| Some((name, side, side.cv?)))?;
    let confidence = comparisons[0].confidence;
    let reach = Student::NORMAL.quantile(f64::midpoint(1.0, confidence)) * cv * 2f64.sqrt();
    Some(format!(
        "The {} runs of {name} have a CV of {} in {}: single runs with this noise differ by up to {} (at {}).",
        side.n,
        format::percent(cv),
        of.label,
        format::percent(reach.exp_m1()),
        format::chosen(confidence)
    ))
}

/// The value of the best candidate's grade if it was chosen from several.
fn best_of<'a>(
    all: impl Iterator<Item = (&'a Comparison, (&'a Row, &'a PublishedRow))>,
) -> Option<String> {
    let (one, (row, published)) =
        all.max_by(|(_, (a, _)), (_, (b, _))| gain(a).total_cmp(&gain(b)))?;
    let atlas = one.atlas.as_ref().filter(|atlas| atlas.best_of > 1)?;
    let worth_saying = gain(row) > 0.0 && published.grade != Grade::MaybeNoise;
    worth_saying.then_some(())?;
    Some(format!(
        "{} is the best of {}: of so many unchanged builds one differs as much in {} tries.",
        one.candidate.name,
        atlas.best_of,
        of_100(atlas.p_best?)
    ))
}

/// The grade of a claimed metric, as a sentence: `Mean TTFT −3.4 %: two runs of one unchanged build differ as much in about
/// 40 of 100 published pairs: may well be noise.`
pub(crate) fn of_claim(row: &Row) -> Option<String> {
    let published = row.published.as_ref()?;
    Some(format!(
        "{} {}: two runs of one unchanged build differ as much in {} published pairs: {}.",
        format::sentence(&row.label),
        change(row),
        of_100(published.p),
        grade_and_border(row, published)
    ))
}

/// The usual noise of a metric: `0.2 to 0.9 %`.
pub(crate) fn usual([low, high]: [f64; 2]) -> String {
    let low = format::percent(low);
    format!("{} to {}", low.trim_end_matches(" %"), format::percent(high))
}

/// How far the published set-ups reach, where a comparison is graded.
pub(crate) fn reach(comparison: &Comparison) -> Option<String> {
    let (_, published) = graded(comparison)?;
    Some(format!(
        "The published set-ups ({}, {}) are repeats on GPUs with the same prompts, 100 requests or more. Other prompts, a \
         warm prefix cache, another rented machine or an NPU differ more. `beyondnoise atlas` lists them.",
        published.setups,
        counted(published.sources, "source")
    ))
}
