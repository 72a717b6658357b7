//! The policy as a file, `beyondnoise.toml`: what a team decides once for all its comparisons.
//!
//! Every key is optional, and a key that is not known is an error: a misspelt tolerance that is silently
//! ignored lets a regression pass.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml::de::{DeTable, DeValue};

use crate::error::Error;
use crate::metrics::Metric;
use crate::policy::places::{at, one_line, span_of};
use crate::policy::values::{Share, confidence};
use crate::policy::{
    GateAnswer, MetricPolicy, NoiseFrom, Policy, Thresholds, parse_across, parse_method,
};
use crate::sanitize::is_printable;
use crate::stats::Resampling;
use crate::units::Better;

/// Name under which the file is looked for.
pub const FILE_NAME: &str = "beyondnoise.toml";

/// The content of a file; what it does not say is `None` or empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyFile {
    /// Label of the baseline.
    pub baseline: Option<String>,
    /// Coverage of the intervals.
    #[serde(deserialize_with = "confidence")]
    pub confidence: Option<f64>,
    /// How intervals are made: `calibrated`, `percentile`, `bca`, `welch`.
    pub method: Option<String>,
    /// Statistic over the runs: `mean`, `median`, `hodges-lehmann`, `p99`.
    pub across: Option<String>,
    /// Resamples drawn where there are too many to enumerate.
    pub resamples: Option<u32>,
    /// Seed of the resamples.
    pub seed: Option<u64>,
    /// Where noise may be borrowed.
    pub noise: Option<NoiseFrom>,
    /// Folder of earlier runs, seen from the folder of this file.
    pub history: Option<String>,
    /// Metrics that decide, the most important first; without it the load says.
    pub deciding: Option<Vec<String>>,
    /// Metrics that do not decide and must not become worse.
    pub guard: Option<Vec<String>>,
    /// How much worse the gate lets a metric be.
    pub tolerance: Option<Share>,
    /// What the gate says where nothing was judged.
    pub gate: GateFile,
    /// Columns of tables.
    pub columns: ColumnsFile,
    /// How `batch` cuts a table into cells.
    pub batch: BatchFile,
    /// Direction, margin and tolerance of a metric, by its name.
    pub metrics: BTreeMap<String, MetricFile>,
    /// When checks fire.
    pub checks: Thresholds,
}

/// Section `[gate]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GateFile {
    /// With too few runs, or nothing to judge.
    pub no_verdict: Option<GateAnswer>,
    /// With workloads, tools or units that differ, or failed requests.
    pub not_comparable: Option<GateAnswer>,
}

/// Section `[columns]`: columns of a table, where their names do not say it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ColumnsFile {
    /// Names the variant.
    pub variant: Option<String>,
    /// Names the run.
    pub run: Option<String>,
    /// Names the pair of a run.
    pub pair: Option<String>,
}

/// Section `[batch]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BatchFile {
    /// Columns whose values together name a cell.
    pub by: Option<Vec<String>>,
    /// Label of the baseline, or `previous`.
    pub base: Option<String>,
    /// Column that puts the variants in order, for `previous`.
    pub order_by: Option<String>,
}

/// Section `[metrics.NAME]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MetricFile {
    /// Direction of improvement.
    pub better: Option<Better>,
    /// Largest change that does not matter, a fraction of the baseline.
    pub margin: Option<Share>,
    /// Largest difference that does not matter, in the unit of the metric.
    pub margin_absolute: Option<f64>,
    /// How much worse the gate lets it be.
    pub tolerance: Option<Share>,
    /// It must be shown to be no worse than the tolerance, not only not shown to be worse.
    pub non_inferior: Option<bool>,
}

/// A value that means nothing, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The keys that lead to it.
    pub key: Vec<String>,
    /// What was expected and what was found.
    pub problem: String,
}

impl Unfit {
    fn new(key: &[&str], problem: String) -> Self {
        Self { key: key.iter().map(|&part| part.to_owned()).collect(), problem }
    }
}

impl PolicyFile {
    /// Reads the text of a file; `path` is for messages.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] with the line for what is no TOML, a key that is not known (with the nearest
    /// one that is), and a value that means nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::policy::PolicyFile;
    ///
    /// let wrong = PolicyFile::parse("tolerence = \"3 %\"", "beyondnoise.toml").unwrap_err();
    /// assert!(wrong.to_string().contains("did you mean tolerance?"));
    /// ```
    pub fn parse(text: &str, path: &str) -> Result<Self, Error> {
        let failed = |error: &toml::de::Error| {
            let problem = format!("expected a policy, found {}", one_line(error.message()));
            at(path, text, error.span(), problem, "see data/beyondnoise.toml for every key")
        };
        let document = DeTable::parse(text).map_err(|error| failed(&error))?;
        let known = serde_json::to_value(Self::default()).unwrap_or_default();
        all_known(document.get_ref(), &known, path, text)?;
        all_printable(document.get_ref(), path, text)?;
        let file: Self = toml::from_str(text).map_err(|error| failed(&error))?;
        file.policy().map_err(|Unfit { key, problem }| {
            let span = span_of(document.get_ref(), &key);
            at(path, text, span, problem, "see data/beyondnoise.toml for what is meant")
        })?;
        Ok(file)
    }

    /// The policy that the file and the defaults make.
    ///
    /// # Errors
    ///
    /// [`Unfit`] for a word or a number out of its range.
    pub fn policy(&self) -> Result<Policy, Unfit> {
        let usual = Policy::default();
        let word = |key: &str, found: &str, problem: &str| {
            Unfit::new(&[key], format!("{problem}, found \"{found}\""))
        };
        let method = self
            .method
            .as_deref()
            .map(|text| parse_method(text).map_err(|problem| word("method", text, problem)));
        let across = self
            .across
            .as_deref()
            .map(|text| parse_across(text).map_err(|problem| word("across", text, problem)));
        let resamples = self.resamples.map_or(Ok(usual.resampling.count), |count| {
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            if (100..=10_000_000).contains(&count) {
                return Ok(count);
            }
            let problem = format!("expected resamples from 100 to 10000000, found {count}");
            Err(Unfit::new(&["resamples"], problem))
        })?;
        let mut metrics = BTreeMap::new();
        for (name, wish) in &self.metrics {
            let absolute = wish.margin_absolute;
            if absolute.is_some_and(|margin| !(margin.is_finite() && margin >= 0.0)) {
                let key = ["metrics", name, "margin_absolute"];
                return Err(Unfit::new(&key, "expected a margin of 0 or more".to_owned()));
            }
            let policy = MetricPolicy {
                better: wish.better,
                margin: wish.margin.map(|share| share.0),
                margin_absolute: absolute,
                tolerance: wish.tolerance.map(|share| share.0),
                non_inferior: wish.non_inferior.unwrap_or(false),
            };
            let metric = canonical(name);
            if metrics.contains_key(&metric) {
                let problem = format!("expected every metric once, found {metric} under two names");
                return Err(Unfit::new(&["metrics", name], problem));
            }
            metrics.insert(metric, policy);
        }
        let names = |names: &Option<Vec<String>>| -> Vec<String> {
            names.iter().flatten().map(|name| Metric::of_column(name).0.name).collect()
        };
        Ok(Policy {
            confidence: self.confidence.unwrap_or(usual.confidence),
            method: method.transpose()?.unwrap_or(usual.method),
            across: across.transpose()?.unwrap_or(usual.across),
            resampling: Resampling {
                count: resamples,
                seed: self.seed.unwrap_or(usual.resampling.seed),
            },
            noise: self.noise.unwrap_or(usual.noise),
            tolerance: self.tolerance.map_or(usual.tolerance, |share| share.0),
            no_verdict: self.gate.no_verdict.unwrap_or(usual.no_verdict),
            not_comparable: self.gate.not_comparable.unwrap_or(usual.not_comparable),
            deciding: names(&self.deciding),
            guards: names(&self.guard),
            metrics,
            thresholds: self.checks,
            ..usual
        })
    }
}

fn canonical(name: &str) -> String {
    Metric::named(name).name
}

/// Refuses the first key that is not known, and names the one that was probably meant.
fn all_known(table: &DeTable, known: &Value, path: &str, text: &str) -> Result<(), Error> {
    let Some(keys) = known.as_object() else { return Ok(()) };
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in entries {
        let name: &str = key.get_ref();
        let Some(below) = keys.get(name) else {
            let meant = keys
                .keys()
                // A misspelt key is not much longer than it should be.
                .filter(|_| name.len() <= 64)
                .map(|known| (strsim::damerau_levenshtein(known, name), known))
                .min()
                .filter(|(distance, _)| *distance <= 2 + name.len() / 4);
            let all = keys.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            let remedy = match meant {
                Some((_, meant)) => format!("did you mean {meant}?"),
                None => format!("known here are {all}"),
            };
            let problem = format!("expected a key that is known, found {name}");
            return Err(at(path, text, Some(key.span()), problem, &remedy));
        };
        if let DeValue::Table(inner) = value.get_ref() {
            if name == "metrics" {
                let metric = serde_json::to_value(MetricFile::default()).unwrap_or_default();
                for (_, wish) in inner {
                    if let DeValue::Table(wish) = wish.get_ref() {
                        all_known(wish, &metric, path, text)?;
                    }
                }
            } else {
                all_known(inner, below, path, text)?;
            }
        }
    }
    Ok(())
}

/// Refuses texts that steer a terminal or that nobody can see: labels and names have none.
fn all_printable(table: &DeTable, path: &str, text: &str) -> Result<(), Error> {
    fn in_table(table: &DeTable) -> Option<Range<usize>> {
        table.iter().find_map(|(key, value)| {
            let hidden = !is_printable(key.get_ref());
            if hidden { Some(key.span()) } else { in_value(value.get_ref(), value.span()) }
        })
    }
    fn in_value(value: &DeValue, span: Range<usize>) -> Option<Range<usize>> {
        match value {
            DeValue::String(text) => (!is_printable(text)).then_some(span),
            DeValue::Array(items) => items.iter().find_map(|i| in_value(i.get_ref(), i.span())),
            DeValue::Table(table) => in_table(table),
            _ => None,
        }
    }
    in_table(table).map_or(Ok(()), |span| {
        let problem = "expected text on one line that can be seen, found a control character or a mark without width";
        Err(at(path, text, Some(span), problem.to_owned(), "type the text again, without it"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_steers_a_terminal_is_refused_at_its_line() {
        for text in [
            "seed = 1\nbaseline = \"\\u001b[31mmain\"",
            "seed = 1\ndeciding = [\"duration\", \"x\u{9b}1m\"]",
            "seed = 1\n[metrics.\"x\\u202ey\"]\nmargin = \"3 %\"",
        ] {
            let said = problem(text);
            assert!(said.contains("control character"), "{said}");
            assert!(said.contains("b.toml, line 2"), "{said}");
        }
        assert!(PolicyFile::parse("baseline = \"优化前\"", "b.toml").is_ok());
    }

    fn problem(text: &str) -> String {
        PolicyFile::parse(text, "b.toml").expect_err(text).to_string()
    }

    #[test]
    fn an_unknown_key_names_its_line_and_the_nearest_known_one() {
        assert_eq!(
            problem("seed = 1\n\n[checks]\nnoisy_wran = 0.1"),
            "b.toml, line 4: expected a key that is known, found noisy_wran; did you mean noisy_warn?"
        );
        assert!(
            problem("[gate]\nwibble = 1").ends_with("known here are no_verdict, not_comparable")
        );
        assert!(problem("[metrics.x]\nbeter = \"lower\"").contains("did you mean better?"));
    }

    #[test]
    fn a_value_that_means_nothing_names_its_line() {
        for (text, expected) in [
            ("\nmethod = \"magic\"", "b.toml, line 2: expected calibrated, percentile"),
            ("confidence = 0.2", "b.toml, line 1: "),
            (
                "tolerance = 2",
                "expected a policy, found invalid value: integer `2`, expected a percentage",
            ),
            ("[metrics.x]\nmargin_absolute = -1", "b.toml, line 2: expected a margin of 0 or more"),
            ("[checks]\nunequal_variance = -9.0", "line 2: expected a policy, found invalid value"),
            ("resamples = 3", "expected resamples from 100"),
            ("a = ", "b.toml, line 1: expected a policy, found "),
            (
                "[metrics.mean_e2el_ms]\nmargin = 0.1\n[metrics.mean_e2e_latency_ms]\nmargin = 0.2",
                "line 1: expected every metric once, found mean_e2el_ms under two names",
            ),
        ] {
            assert!(problem(text).contains(expected), "{text}: {}", problem(text));
        }
    }

    #[test]
    fn a_file_changes_what_it_names_and_nothing_else() {
        let text = "tolerance = \"3 %\"\ndeciding = [\"p99_e2e_latency_ms\"]\n\
                    [metrics.output_throughput]\nmargin = \"0.5 %\"\n[checks]\nfew_runs = 4";
        let policy = PolicyFile::parse(text, "b.toml").unwrap().policy().unwrap();
        assert_eq!((policy.tolerance, policy.thresholds.few_runs), (0.03, 4));
        assert_eq!(policy.deciding, ["p99_e2el_ms"]);
        let margin = policy.margin(&Metric::named("output_throughput"));
        assert!((margin.relative - 0.005).abs() < 1e-15);
        let rest = Policy {
            tolerance: 0.02,
            deciding: Vec::new(),
            metrics: BTreeMap::new(),
            thresholds: Thresholds::default(),
            ..policy
        };
        assert_eq!(rest, Policy::default());
        assert_eq!(PolicyFile::parse("", "b.toml").unwrap().policy().unwrap(), Policy::default());
    }
}
