//! Published noise in a comparison, and the structs of the JSON document `beyondnoise-atlas/1`.
//!
//! Changes, shares and CVs are fractions, unrounded.

use schemars::JsonSchema;
use serde::Serialize;

use crate::atlas::{Grade, Published, SHARES, Source, VERSION, published, sources};
use crate::report::VERSION_PATTERN;

/// Identifier of the JSON document.
pub const SCHEMA: &str = "beyondnoise-atlas/1";

/// Shares of pairs of equal builds for which the change is given.
const LEVELS: [f64; 5] = [0.5, 0.2, 0.1, 0.05, 0.01];

/// The atlas: published noise of four metrics, and the place of your own numbers among it.
///
/// The document `beyondnoise-atlas/1`. Fields may be added; none is renamed or re-scaled. Every field is always there,
/// null where undefined; NaN and infinity never appear. Changes, shares and CVs are fractions, unrounded.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "Atlas of beyondnoise")]
#[non_exhaustive]
pub struct AtlasReport {
    /// Identifier of this document; the first key.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: &'static str,
    /// Version of the program that wrote it.
    #[schemars(regex(pattern = VERSION_PATTERN))]
    pub version: &'static str,
    /// Version of the atlas: another one gives other numbers.
    #[schemars(range(min = 1))]
    pub atlas: u32,
    /// Published noise of each metric with a fit.
    pub metrics: Vec<AtlasMetric>,
    /// The noise of one's own runs.
    pub own: Vec<OwnNoise>,
    /// Where the published repeats come from.
    pub sources: Vec<Source>,
}

/// Published noise of a metric.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AtlasMetric {
    /// Canonical name.
    pub metric: &'static str,
    /// Name in sentences.
    pub label: String,
    /// Sources with repeats of it.
    #[schemars(range(min = 1))]
    pub sources: usize,
    /// Their set-ups.
    #[schemars(range(min = 1))]
    pub setups: usize,
    /// Quantiles of the run-to-run CV, each source counted once.
    pub cvs: Vec<CvLevel>,
    /// Changes at which two runs of one unchanged build differ by as much or more, by the share of such pairs.
    pub changes: Vec<ChangeLevel>,
    /// Number of ten published set-ups that are noisier than the CV asked about; null if no CV was given.
    #[schemars(range(max = 9))]
    pub noisier_of_ten: Option<usize>,
    /// Share of pairs of equal builds that differ by the change asked about or more; null where none was.
    #[schemars(range(min = 0, max = 1))]
    pub p: Option<f64>,
    /// The grade of that share.
    pub grade: Option<Grade>,
}

/// A quantile of the published noise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CvLevel {
    /// Share of the set-ups below it.
    #[schemars(range(min = 0, max = 1))]
    pub share: f64,
    /// CV that this share of the set-ups stays below, a fraction.
    #[schemars(range(min = 0))]
    pub cv: f64,
}

/// A change that equal builds show.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ChangeLevel {
    /// Share of pairs of runs that differ by as much or more.
    #[schemars(range(min = 0, max = 1))]
    pub p: f64,
    /// The relative change.
    #[schemars(range(min = 0))]
    pub change: f64,
}

/// The noise of repeated runs of one's own.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct OwnNoise {
    /// Label of the variant whose repeats these are.
    pub build: String,
    /// Canonical name.
    pub metric: String,
    /// Name in sentences.
    pub label: String,
    /// Runs behind it.
    #[schemars(range(min = 2))]
    pub runs: usize,
    /// The run-to-run CV.
    #[schemars(range(min = 0))]
    pub cv: f64,
    /// Number of ten published set-ups that are noisier.
    #[schemars(range(max = 9))]
    pub noisier_of_ten: usize,
}

/// A question about your own number: a metric, or all of them, with a CV or a change as a fraction.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Names of metrics; empty: all four.
    pub metrics: Vec<String>,
    /// A run-to-run CV.
    pub cv: Option<f64>,
    /// A relative change, above -1.
    pub change: Option<f64>,
}

impl OwnNoise {
    /// The place of a CV, a fraction, of so many runs of a build; `None` for a metric that the atlas does not have.
    pub fn new(build: &str, metric: (&str, &str), runs: usize, cv: f64) -> Option<Self> {
        let published = Published::of(metric.0)?;
        Some(Self {
            build: build.to_owned(),
            metric: metric.0.to_owned(),
            label: metric.1.to_owned(),
            runs,
            cv,
            noisier_of_ten: published.noisier_of_ten(cv),
        })
    }
}

impl AtlasReport {
    /// The atlas with the answers to a question and the noise of one's own runs.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::report::atlas::{AtlasReport, Question};
    ///
    /// let question = Question { cv: Some(0.004), ..Question::default() };
    /// let report = AtlasReport::new(&question, Vec::new());
    /// assert_eq!(report.metrics[0].noisier_of_ten, Some(4)); // a CV of 0.4 % of throughput
    /// ```
    pub fn new(question: &Question, own: Vec<OwnNoise>) -> Self {
        let asked = |one: &&Published| {
            let named = |name: &String| Published::of(name) == Some(one);
            question.metrics.is_empty() || question.metrics.iter().any(named)
        };
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            atlas: VERSION,
            metrics: published().iter().filter(asked).map(|one| of_metric(one, question)).collect(),
            own,
            sources: sources().to_vec(),
        }
    }
}

fn of_metric(published: &Published, question: &Question) -> AtlasMetric {
    let p = question.change.map(|change| published.noise.p_value(change.ln_1p(), (1, 1)));
    let cvs = SHARES.into_iter().zip(published.cvs).map(|(share, cv)| CvLevel { share, cv });
    let change = |p: f64| published.noise.change_at(p, (1, 1)).exp_m1();
    AtlasMetric {
        metric: published.metric,
        label: published.label(),
        sources: published.sources,
        setups: published.set_ups,
        cvs: cvs.collect(),
        changes: LEVELS.map(|p| ChangeLevel { p, change: change(p) }).to_vec(),
        noisier_of_ten: question.cv.map(|cv| published.noisier_of_ten(cv)),
        p,
        grade: p.map(Grade::of),
    }
}

/// The grade of one run each by published repeats.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AtlasRow {
    /// Version of the atlas: another one gives other numbers.
    #[schemars(range(min = 1))]
    pub version: u32,
    /// The metric that is graded, the first deciding one that the atlas has; null without a grade.
    pub metric: Option<String>,
    /// Share of pairs of runs of one unchanged build that differ by as much or more; null without a grade. Good to a
    /// factor of two.
    #[schemars(range(min = 0, max = 1))]
    pub p: Option<f64>,
    /// The grade; null where the runs are not like those of the atlas.
    pub grade: Option<Grade>,
    /// Why there is no grade; empty where there is one.
    pub reason: String,
    /// Sources behind the grade.
    pub sources: usize,
    /// Their set-ups.
    pub setups: usize,
    /// Number of graded candidates of this workload and baseline, among which the best one was chosen.
    #[schemars(range(min = 1))]
    pub best_of: usize,
    /// Share of so many unchanged candidates in which the best one differs by as much: `1 - (1 - p)^best_of`; null
    /// without a grade.
    #[schemars(range(min = 0, max = 1))]
    pub p_best: Option<f64>,
    /// Facts of these runs that no published set-up has, in words, such as an accelerator that is no GPU or several
    /// machines: their noise may be larger. Empty where the files tell none.
    pub outside: Vec<String>,
}

/// The grades of many comparisons of one run each: the cells of a batch, the loads of a sweep. Choosing one of them
/// favours extremes; `p_most_extreme` allows for that.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct GradesRow {
    /// Comparisons with a grade.
    pub graded: usize,
    /// Comparisons of one run each without one.
    pub not_graded: usize,
    /// How many have each grade.
    pub counts: GradeCounts,
    /// Position in `comparisons`, from 0, of the comparison with the smallest share; null if none has a grade.
    pub most_extreme: Option<usize>,
    /// Its share of pairs of runs of one unchanged build that differ by as much or more.
    #[schemars(range(min = 0, max = 1))]
    pub p: Option<f64>,
    /// Share of lists of so many unchanged comparisons in which the most extreme one differs by as much: `1 - (1 -
    /// p)^graded`.
    #[schemars(range(min = 0, max = 1))]
    pub p_most_extreme: Option<f64>,
}

/// How many have each grade, with the direction where it has one. Of unchanged ones about 5 of 100 are likely or very
/// likely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct GradeCounts {
    /// Very likely slower.
    pub very_likely_worse: usize,
    /// Very likely faster.
    pub very_likely_better: usize,
    /// Likely slower.
    pub likely_worse: usize,
    /// Likely faster.
    pub likely_better: usize,
    /// Neither likely nor well explained by noise.
    pub unclear: usize,
    /// May well be noise.
    pub maybe_noise: usize,
}
