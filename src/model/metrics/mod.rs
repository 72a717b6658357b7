//! The registry of metrics: name, label, unit, direction, statistic and family of each.
//!
//! A metric's name is its key in vLLM's result file, whichever client measured it. Names in text blocks, keys in JSON and
//! labels in reports all come from the tables in this folder. An unknown name keeps its spelling; its [words] give it a
//! direction, or it has none: a direction is never guessed.

mod kinds;
mod near;
mod spelling;
mod table;
pub mod words;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::units::{Better, Unit};

use kinds::percent_digits;
pub use kinds::{Family, Statistic};
pub use near::{did_you_mean, near};
use table::{LATENCIES, Latency, PREFIXES, SCALARS, Scalar};

/// A metric, known or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// Key in vLLM's result file, or else the name in the input.
    pub name: String,
    /// Name in sentences: `mean TTFT`, `output throughput`.
    pub label: String,
    /// Unit of all its values.
    pub unit: Unit,
    /// Direction of improvement; `None` if it is not known.
    pub better: Option<Better>,
    /// Statistic over the requests that gives a run's value.
    pub statistic: Statistic,
    /// The measured quantity.
    pub family: Family,
}

impl Metric {
    /// The metric with this name, from the registry if it is known there.
    ///
    /// Every spelling in the result files of a supported client is understood. Any other name is kept unchanged; its words give
    /// its unit, its statistic and, if they show one, its direction.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_model::metrics::Metric;
    /// use beyondnoise_model::units::Better;
    ///
    /// assert_eq!(Metric::named("p99_e2e_latency_ms").label, "P99 E2EL");
    /// assert_eq!(Metric::named("decode_tps").better, Some(Better::Higher));
    /// assert_eq!(Metric::named("my_score").better, None);
    /// ```
    pub fn named(name: &str) -> Self {
        if let Some(found) = NAMED.with_borrow(|named| named.get(name).cloned()) {
            return found;
        }
        let found = Self::known(name).unwrap_or_else(|| Self::by_words(name));
        NAMED.with_borrow_mut(|named| {
            if named.len() < MAX_NAMED && name.len() <= MAX_NAME {
                named.insert(name.to_owned(), found.clone());
            }
        });
        found
    }

    /// The metric with this name; `None` if the registry does not have it.
    pub fn known(name: &str) -> Option<Self> {
        let scalar =
            SCALARS.iter().find(|scalar| scalar.name == name || scalar.keys.contains(&name));
        if let Some(scalar) = scalar {
            return Some(scalar.metric());
        }
        let bare = name.strip_suffix("_ms")?;
        let called =
            |stem: &str| LATENCIES.iter().find(|l| l.stem == stem || l.other_stems.contains(&stem));
        if let Some(latency) = called(bare).filter(|latency| latency.family != Family::Other) {
            return Some(latency.unqualified());
        }
        let (prefix, stem) = bare.split_once('_')?;
        called(stem)?.metric(prefix)
    }

    /// The metric with this `label` in a text block, such as `Mean TTFT (ms)`, in any letter case.
    pub fn from_text(label: &str) -> Option<Self> {
        let label = label.to_lowercase();
        let scalar = SCALARS.iter().find(|scalar| scalar.text.contains(&label.as_str()));
        if let Some(scalar) = scalar {
            return Some(scalar.metric());
        }
        let (latency, prefix) = LATENCIES.iter().find_map(|latency| {
            let bare = label.strip_suffix("(ms)")?.trim_end();
            let prefix = latency.text.iter().find_map(|text| bare.strip_suffix(text))?;
            Some((latency, prefix.trim_end()))
        })?;
        if prefix.is_empty() && latency.family != Family::Other {
            return Some(latency.unqualified());
        }
        latency.metric(prefix)
    }

    /// The metric for a name that is not in the registry.
    fn by_words(name: &str) -> Self {
        let meaning = words::meaning(name);
        Self {
            name: name.to_owned(),
            label: name.to_owned(),
            unit: meaning.unit.unwrap_or(Unit::None),
            better: meaning.better,
            statistic: meaning.statistic.unwrap_or(Statistic::Unknown),
            family: meaning.family,
        }
    }

    /// Name of the row in a table: `mean TTFT ms`, `output tok/s`.
    pub fn row_label(&self) -> String {
        let noun = self.label.strip_suffix(" throughput").unwrap_or(&self.label);
        match self.unit {
            Unit::None => self.label.clone(),
            Unit::RequestPerSecond if noun == "request" => "req/s".to_owned(),
            // A name outside the registry contains its unit.
            _ if self.label == self.name && Self::known(&self.name).is_none() => noun.to_owned(),
            unit => format!("{noun} {unit}"),
        }
    }

    /// Whether the value is a latency of requests rather than a total of the run.
    pub fn is_latency(&self) -> bool {
        matches!(self.family, Family::Ttft | Family::Tpot | Family::Itl | Family::E2el)
    }

    /// Level of the quantile over requests; `None` for other statistics.
    pub fn quantile(&self) -> Option<f64> {
        match self.statistic {
            Statistic::Quantile(q) => Some(q),
            _ => None,
        }
    }

    /// Whether the metric may decide: no spread, no extreme value, and a known direction.
    pub fn can_decide(&self) -> bool {
        self.better.is_some()
            && !matches!(self.statistic, Statistic::Deviation | Statistic::Extreme)
    }
}

impl Scalar {
    fn metric(&self) -> Metric {
        Metric {
            name: self.name.to_owned(),
            label: self.label.to_owned(),
            unit: self.unit,
            better: self.better,
            statistic: self.statistic,
            family: self.family,
        }
    }
}

/// Most names that a thread keeps: every cell of a report asks for the same few.
const MAX_NAMED: usize = 1_000;

/// Longest of these names, in bytes.
const MAX_NAME: usize = 200;

thread_local! {
    static NAMED: RefCell<BTreeMap<String, Metric>> = const { RefCell::new(BTreeMap::new()) };
}

impl Latency {
    /// The latency with an unknown statistic over the requests: `ttft_ms`.
    fn unqualified(&self) -> Metric {
        Metric {
            name: [self.stem, "_ms"].concat(),
            label: self.label.to_owned(),
            unit: Unit::Millisecond,
            better: Some(Better::Lower),
            statistic: Statistic::Unknown,
            family: self.family,
        }
    }

    /// The metric for a prefix such as `mean`, `p99` or `P99.9`.
    fn metric(&self, prefix: &str) -> Option<Metric> {
        let fixed = PREFIXES.iter().find(|(word, _)| *word == prefix);
        let (word, shown, statistic): (Cow<str>, Cow<str>, _) =
            if let Some((word, statistic)) = fixed {
                let word = if *statistic == Statistic::Deviation { "std" } else { *word };
                (word.into(), word.into(), *statistic)
            } else {
                let digits = prefix.strip_prefix('p')?;
                let percent: f64 = digits.parse().ok().filter(|p| *p > 0.0 && *p < 100.0)?;
                if (percent - 50.0).abs() < 1e-9 {
                    ("median".into(), "median".into(), Statistic::Median)
                } else {
                    let q = percent / 100.0;
                    let digits = percent_digits(q);
                    (
                        ["p", &digits].concat().into(),
                        ["P", &digits].concat().into(),
                        Statistic::Quantile(q),
                    )
                }
            };
        let judged = !matches!(statistic, Statistic::Deviation | Statistic::Extreme);
        Some(Metric {
            name: [&*word, "_", self.stem, "_ms"].concat(),
            label: [&*shown, " ", self.label].concat(),
            unit: Unit::Millisecond,
            better: (judged || statistic == Statistic::Extreme).then_some(Better::Lower),
            statistic,
            family: self.family,
        })
    }
}

/// Sort key of a metric in a report: throughputs first, then latencies as in the tables above, unknown metrics last.
pub fn rank(name: &str) -> (usize, usize) {
    let total = SCALARS.len() + LATENCIES.len();
    if let Some(index) = SCALARS.iter().position(|scalar| scalar.name == name) {
        let late = SCALARS[index].family != Family::Throughput;
        return (if late { total + index } else { index }, 0);
    }
    let place = |stem: &str| LATENCIES.iter().position(|latency| latency.stem == stem);
    let Some(bare) = name.strip_suffix("_ms") else { return (usize::MAX, 0) };
    if let Some(index) = place(bare) {
        return (SCALARS.len() + index, 0);
    }
    let Some((prefix, stem)) = bare.split_once('_') else { return (usize::MAX, 0) };
    let Some(index) = place(stem) else { return (usize::MAX, 0) };
    let order = match prefix {
        "mean" => 0,
        "median" => 1,
        "std" | "min" | "max" => 3,
        _ => 2,
    };
    (SCALARS.len() + index, order)
}
