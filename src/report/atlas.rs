//! The noise atlas in a report: the grade of one run each, and its sentences.

use serde::Serialize;

use crate::atlas::{Grade, Published};
use crate::format::{self, counted};
use crate::report::row_text::change;
use crate::report::{Comparison, Row};

/// What published repeats say of a comparison of one run each.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct AtlasRow {
    /// Version of the atlas: another one gives other numbers.
    pub version: u32,
    /// The metric that is graded: the first deciding one that the atlas has; null where none is.
    pub metric: Option<String>,
    /// Share of pairs of runs of one unchanged build that differ by as much or more; null without a grade.
    pub p: Option<f64>,
    /// The grade; null where the runs are not like those of the atlas.
    pub grade: Option<Grade>,
    /// Why there is no grade; empty where there is one.
    pub reason: String,
    /// Sources behind the grade.
    pub sources: usize,
    /// Their set-ups.
    pub setups: usize,
    /// Candidates of this workload and baseline with a grade; the best of them was chosen from so many.
    pub best_of: usize,
    /// Share of so many unchanged candidates in which the best one differs by as much; null without a grade.
    pub p_best: Option<f64>,
}

/// What published repeats say of one metric of one run each.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PublishedRow {
    /// Share of pairs of runs of one unchanged build that differ by as much or more.
    pub p: f64,
    /// The grade of that share.
    pub grade: Grade,
    /// Quartiles of the published run-to-run CV, fractions.
    pub usual_cv: [f64; 2],
    /// Sources behind it.
    pub sources: usize,
    /// Their set-ups.
    pub setups: usize,
}

impl PublishedRow {
    pub(crate) fn new(published: &Published, log_ratio: f64) -> Self {
        let p = published.noise.p_value(log_ratio, (1, 1));
        Self {
            p,
            grade: Grade::of(p),
            usual_cv: published.usual(),
            sources: published.sources,
            setups: published.set_ups,
        }
    }
}

/// A share of pairs in words, with one digit: `about 6 of 100`.
fn of_100(p: f64) -> String {
    let percent = 100.0 * p;
    if percent < 0.95 {
        "fewer than 1 of 100".to_owned()
    } else if percent < 9.5 {
        format!("about {percent:.0} of 100")
    } else {
        format!("about {:.0}0 of 100", percent / 10.0)
    }
}

/// The grade of a row with its direction: `very likely slower`.
fn grade(row: &Row, published: &PublishedRow) -> String {
    let change = row.delta.relative.unwrap_or(0.0) * row.better.map_or(1.0, |better| better.sign());
    published.grade.words(change > 0.0)
}

/// The same, with the grade beside it where the share is near a limit: `unclear, at the border to likely slower`.
fn grade_and_border(row: &Row, published: &PublishedRow) -> String {
    let own = grade(row, published);
    let beside =
        Grade::beside(published.p).map(|beside| PublishedRow { grade: beside, ..*published });
    beside.map_or(own.clone(), |beside| {
        format!("{own}, at the border to \"{}\"", grade(row, &beside))
    })
}

/// The graded row of a comparison.
pub(crate) fn graded(comparison: &Comparison) -> Option<(&Row, &PublishedRow)> {
    let metric = comparison.atlas.as_ref()?.metric.as_ref()?;
    let row = comparison.metrics.iter().find(|row| row.metric == *metric)?;
    Some((row, row.published.as_ref()?))
}

/// Name and size of a change: `6.1 % in throughput`.
fn size(row: &Row) -> String {
    let label = Published::of(&row.metric).map_or_else(|| row.label.clone(), Published::label);
    format!("{} in {label}", change(row).trim_start_matches(['+', '−']))
}

/// The answer for one run each, in three sentences at most; why there is none; nothing where no metric is in the atlas.
pub(crate) fn answer(comparison: &Comparison) -> Option<String> {
    let atlas = comparison.atlas.as_ref()?;
    let Some((row, published)) = graded(comparison) else {
        let few = "One run each cannot separate a change from run-to-run noise.";
        return Some(format!("{few} Published repeats give no grade: {}.", atlas.reason));
    };
    let grade = format::sentence(&grade_and_border(row, published));
    Some(format!(
        "{grade}: in {} published set-ups, two runs of one unchanged build differ by this much ({}) in {} pairs. One run \
         each proves nothing.",
        published.setups,
        size(row),
        of_100(published.p)
    ))
}

/// The answer for several candidates of one workload with one run each: the grade of each, and that of the best.
pub(crate) fn answers(comparisons: &[&Comparison]) -> Option<String> {
    let all = || comparisons.iter().filter_map(|one| Some((*one, graded(one)?)));
    let (first, (row, published)) = all().next()?;
    if comparisons.len() == 1 {
        return answer(first);
    }
    let each: Vec<String> = all()
        .map(|(one, (row, published))| {
            let p = of_100(published.p);
            let name = &one.candidate.name;
            format!("{name} {} ({}, {p})", grade_and_border(row, published), change(row))
        })
        .collect();
    let label = Published::of(&row.metric).map_or_else(|| row.label.clone(), Published::label);
    let head = format!(
        "In {label}, against {} published set-ups (how many pairs of runs of one unchanged build differ by as much): {}.",
        published.setups,
        each.join("; ")
    );
    let gain = |row: &Row| {
        row.delta.relative.unwrap_or(0.0) * row.better.map_or(1.0, |better| better.sign())
    };
    let best = all().max_by(|(_, (a, _)), (_, (b, _))| gain(a).total_cmp(&gain(b)));
    let best = best.filter(|(_, (row, _))| gain(row) > 0.0).and_then(|(one, _)| {
        let atlas = one.atlas.as_ref().filter(|atlas| atlas.best_of > 1)?;
        Some(format!(
            " The best of {} unchanged builds differs as much as {} in {} tries.",
            atlas.best_of,
            one.candidate.name,
            of_100(atlas.p_best?)
        ))
    });
    Some(format!("{head}{} One run each proves nothing.", best.unwrap_or_default()))
}

/// The grade of a claimed metric, as a sentence: `mean TTFT −3.4 %: two runs of one unchanged build differ as much in about
/// 40 of 100 published pairs: may well be noise.`
pub(crate) fn of_claim(row: &Row) -> Option<String> {
    let published = row.published.as_ref()?;
    Some(format!(
        "{} {}: two runs of one unchanged build differ as much in {} published pairs: {}.",
        row.label,
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
