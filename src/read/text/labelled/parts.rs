//! The parts of a line: its label, its values and how it states them.

use std::collections::BTreeSet;

use crate::kit::fields::Number;
use beyondnoise_model::runs::Spread;
use beyondnoise_model::units::{Scale, is_same_unit};

/// Most words of a label without a colon behind it, and of a metric before its value.
pub(super) const MAX_WORDS: usize = 4;

/// Remarks with the numbers of their lines.
pub(super) type Notes = Vec<(usize, String)>;

/// The work that the sides of the lines below do: a name, or a setting with its value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Case {
    Name(String),
    Setting(String, String),
}

/// One side on one line.
pub(crate) struct Line {
    /// Its place below the first, from 0.
    pub(crate) at: usize,
    /// Where the sides stand before the values, the name of what they are of: `q1: prev=2009 ms, new=4702 ms`.
    pub(crate) case: Option<Case>,
    pub(crate) label: String,
    pub(crate) values: Vec<Measured>,
    /// Text behind the values.
    pub(crate) beside: String,
    pub(crate) form: Form,
    /// Whether the text says that the value is one only about: `~32 it/s`.
    pub(crate) about: bool,
    /// The spread behind the value: `88.41 +/- 0.3%`.
    pub(crate) scatter: Option<Scatter>,
    /// A ratio to the lines above, `= 2.39x`, with its place.
    pub(crate) ratio: Option<(usize, String)>,
}

/// How the runs behind a value differ.
#[derive(Clone, Copy)]
pub(crate) struct Scatter {
    /// In the unit of the value, or a fraction of it where `relative`.
    pub(crate) size: f64,
    pub(crate) relative: bool,
    /// Whether it is that of the mean, as `perf stat` prints it.
    pub(crate) of_mean: bool,
    /// Number of the runs, where the text states it.
    pub(crate) runs: Option<usize>,
}

impl Scatter {
    /// The spread of the runs around their mean.
    pub(crate) fn around(&self, mean: f64) -> Option<Spread> {
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
    pub(crate) fn is_one_run(&self) -> bool {
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
    pub(crate) fn set_metric(&mut self, side: &str, metric: &str) {
        side.clone_into(&mut self.label);
        let unit = self.values[0].unit.clone();
        for value in self.values.iter_mut().filter(|value| value.unit == unit) {
            metric.clone_into(&mut value.metric);
        }
    }

    /// Whether a value is a rate per second or a time per piece of work; limits are often per minute.
    pub(crate) fn is_rate(&self) -> bool {
        self.values.iter().any(|value| {
            let rate = Scale::parse(&value.unit).is_some_and(Scale::is_rate);
            !is_per_long_time(&value.unit) && (value.unit.contains('/') || rate)
        })
    }

    /// The metrics and units, each once.
    pub(crate) fn what(&self) -> BTreeSet<(&str, &str)> {
        self.values.iter().map(|value| (&*value.metric, &*value.unit)).collect()
    }
}

/// Whether a unit counts per minute or longer.
pub(super) fn is_per_long_time(unit: &str) -> bool {
    let per = unit.split_once('/').map(|(_, per)| per.trim());
    per.is_some_and(|per| matches!(per, "min" | "h" | "hour" | "day"))
}

/// Words that say that a number stands for several runs.
pub(super) const AVERAGES: &[&str] =
    &["avg", "average", "averaged", "mean", "median", "runs", "times", "平均", "均值"];

/// Whether a text says that numbers stand for several runs.
pub(super) fn says_average(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| AVERAGES.contains(&word))
}
