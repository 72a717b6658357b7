//! The atlas as a report: the JSON document `beyondnoise-atlas/1`.
//!
//! Changes, shares and CVs are fractions, unrounded.

use serde::Serialize;

use crate::atlas::{Grade, Published, SHARES, Source, VERSION, published, sources};

/// Identifier of the JSON document.
pub const SCHEMA: &str = "beyondnoise-atlas/1";

/// Shares of pairs of equal builds for which the change is given.
const LEVELS: [f64; 5] = [0.5, 0.2, 0.1, 0.05, 0.01];

/// The atlas: published noise of four metrics, and where numbers of one's own lie.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct AtlasReport {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// Version of the atlas.
    pub atlas: u32,
    /// The metrics with a fit.
    pub metrics: Vec<AtlasMetric>,
    /// The noise of one's own runs.
    pub own: Vec<OwnNoise>,
    /// The sources.
    pub sources: Vec<Source>,
}

/// Published noise of a metric.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct AtlasMetric {
    /// Name.
    pub metric: &'static str,
    /// Name in sentences.
    pub label: String,
    /// Sources with repeats of it.
    pub sources: usize,
    /// Their set-ups.
    pub setups: usize,
    /// The run-to-run CV below which shares of the set-ups lie, each source counted once.
    pub cvs: Vec<CvLevel>,
    /// The relative change at which two runs of one unchanged build differ by as much or more in shares of pairs.
    pub changes: Vec<ChangeLevel>,
    /// Of ten published set-ups those that are noisier than the CV asked about; null where none was.
    pub noisier_of_ten: Option<usize>,
    /// Share of pairs of equal builds that differ by the change asked about or more; null where none was.
    pub p: Option<f64>,
    /// The grade of that share.
    pub grade: Option<Grade>,
}

/// A quantile of the published noise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CvLevel {
    /// Share of the set-ups below it.
    pub share: f64,
    /// The CV.
    pub cv: f64,
}

/// A change that equal builds show.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ChangeLevel {
    /// Share of pairs of runs that differ by as much or more.
    pub p: f64,
    /// The change.
    pub change: f64,
}

/// The noise of repeated runs of one's own.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct OwnNoise {
    /// The build.
    pub build: String,
    /// Name of the metric.
    pub metric: String,
    /// Name in sentences.
    pub label: String,
    /// Runs behind it.
    pub runs: usize,
    /// The run-to-run CV.
    pub cv: f64,
    /// Of ten published set-ups those that are noisier.
    pub noisier_of_ten: usize,
}

/// A question about a number of one's own: a metric, or all of them, with a CV or a change, fractions.
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
    /// use beyondnoise::atlas::{AtlasReport, Question};
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
