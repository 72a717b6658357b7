//! The registry of metrics: name, label, unit, direction, statistic and family of each.
//!
//! A metric's name is its key in vLLM's result file, whatever client measured it. Names in text
//! blocks, keys in JSON and labels in reports all come from the two tables in this file. A name
//! that is in neither is a metric without a direction: which way it improves is never guessed.

mod kinds;
mod spelling;
mod table;

use crate::units::Better;
use crate::units::Unit;

use kinds::percent_digits;
pub use kinds::{Family, Statistic};
use table::{LATENCIES, Latency, PREFIXES, SCALARS, Scalar};

/// A metric, known or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// Key in vLLM's result file, or the name that the input gives.
    pub name: String,
    /// Name in sentences: `mean TTFT`, `output throughput`.
    pub label: String,
    /// Unit of all its values.
    pub unit: Unit,
    /// Direction of improvement, `None` where it is not known.
    pub better: Option<Better>,
    /// How a run's value came from its requests.
    pub statistic: Statistic,
    /// The measured quantity.
    pub family: Family,
}

impl Metric {
    /// The metric of this name, from the registry where it is known.
    ///
    /// Every spelling that a supported client writes into its result files is understood. Any other
    /// name is kept as it is, with the unit that it states; it has a direction only where all of its words are
    /// known (`latency_ms`, `tok/s`).
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::metrics::Metric;
    ///
    /// assert_eq!(Metric::named("p99_e2e_latency_ms").label, "P99 E2EL");
    /// assert_eq!(Metric::named("my_score").better, None);
    /// ```
    pub fn named(name: &str) -> Self {
        let directed = || spelling::words::directed(name);
        Self::known(name).or_else(directed).unwrap_or_else(|| Self::unknown(name))
    }

    /// The metric of this name if the registry has it.
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

    /// The metric that a text block calls `label`, such as `Mean TTFT (ms)`; in any letter case.
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

    fn unknown(name: &str) -> Self {
        // A name may be nothing but a unit.
        let whole = format!("_{name}");
        let unit = [
            ("_ms", Unit::Millisecond),
            ("_us", Unit::Microsecond),
            ("_ns", Unit::Nanosecond),
            ("_tok_s", Unit::TokenPerSecond),
            ("_tokens_per_s", Unit::TokenPerSecond),
            ("_req_s", Unit::RequestPerSecond),
            ("_per_s", Unit::None),
            ("_s", Unit::Second),
        ]
        .into_iter()
        .find_map(|(ending, unit)| whole.ends_with(ending).then_some(unit));
        Self {
            name: name.to_owned(),
            label: name.to_owned(),
            unit: unit.unwrap_or(Unit::None),
            better: None,
            statistic: Statistic::Unknown,
            family: Family::Other,
        }
    }

    /// Name of the row in a table: `mean TTFT ms`, `output tok/s`.
    pub fn row_label(&self) -> String {
        let noun = self.label.strip_suffix(" throughput").unwrap_or(&self.label);
        match self.unit {
            Unit::None => self.label.clone(),
            Unit::RequestPerSecond if noun == "request" => "req/s".to_owned(),
            // A name outside of the registry states its unit itself.
            _ if self.label == self.name && Self::known(&self.name).is_none() => noun.to_owned(),
            unit => format!("{noun} {unit}"),
        }
    }

    /// Whether the value is a latency of requests rather than a total of the run.
    pub fn is_latency(&self) -> bool {
        matches!(self.family, Family::Ttft | Family::Tpot | Family::Itl | Family::E2el)
    }

    /// Level of the quantile over requests that the metric is, if it is one.
    pub fn quantile(&self) -> Option<f64> {
        match self.statistic {
            Statistic::Quantile(q) => Some(q),
            _ => None,
        }
    }

    /// Whether the metric may decide: neither a spread, nor an extreme value, nor of unknown direction.
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

impl Latency {
    /// The latency of a run whose statistic over the requests is not known: `ttft_ms`.
    fn unqualified(&self) -> Metric {
        Metric {
            name: format!("{}_ms", self.stem),
            label: self.label.to_owned(),
            unit: Unit::Millisecond,
            better: Some(Better::Lower),
            statistic: Statistic::Unknown,
            family: self.family,
        }
    }

    /// The metric for a prefix as `mean`, `p99` or `P99.9`.
    fn metric(&self, prefix: &str) -> Option<Metric> {
        let fixed = PREFIXES.iter().find(|(word, _)| *word == prefix);
        let (word, shown, statistic) = if let Some((word, statistic)) = fixed {
            let word = if *statistic == Statistic::Deviation { "std" } else { *word };
            (word.to_owned(), word.to_owned(), *statistic)
        } else {
            let digits = prefix.strip_prefix('p')?;
            let percent: f64 = digits.parse().ok().filter(|p| *p > 0.0 && *p < 100.0)?;
            if (percent - 50.0).abs() < 1e-9 {
                ("median".to_owned(), "median".to_owned(), Statistic::Median)
            } else {
                let q = percent / 100.0;
                let digits = percent_digits(q);
                (format!("p{digits}"), format!("P{digits}"), Statistic::Quantile(q))
            }
        };
        let judged = !matches!(statistic, Statistic::Deviation | Statistic::Extreme);
        Some(Metric {
            name: format!("{word}_{}_ms", self.stem),
            label: format!("{shown} {}", self.label),
            unit: Unit::Millisecond,
            better: (judged || statistic == Statistic::Extreme).then_some(Better::Lower),
            statistic,
            family: self.family,
        })
    }
}

/// Place of a metric in a report: throughputs first, then latencies as in the tables above, unknown ones last.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Spellings of vLLM 0.6 to 0.33 and SGLang 0.2 to 0.5.
    #[test]
    fn every_spelling_of_a_name_is_one_metric() {
        for (spelling, name) in [
            ("total_throughput", "total_token_throughput"),
            ("request_goodput:", "request_goodput"),
            ("p50_ttft_ms", "median_ttft_ms"),
            ("p99.9_itl_ms", "p99.9_itl_ms"),
            ("median_e2e_latency_ms", "median_e2el_ms"),
        ] {
            assert_eq!(Metric::known(spelling).expect(spelling).name, name);
        }
        for (label, name) in [
            ("Total Token throughput (tok/s)", "total_token_throughput"),
            ("Total token throughput (tok/s)", "total_token_throughput"),
            ("P99.9 TTFT (ms)", "p99.9_ttft_ms"),
            ("Mean E2E Latency (ms)", "mean_e2el_ms"),
            ("Std Dev TPOT (ms)", "std_tpot_ms"),
            ("Max ITL (ms)", "max_itl_ms"),
            ("P99 E2EL incl. Client Queue (ms)", "p99_e2el_including_client_queue_ms"),
        ] {
            assert_eq!(Metric::from_text(label).expect(label).name, name);
        }
    }

    /// A latency is better lower and a throughput higher; of anything else it is not known.
    #[test]
    fn a_latency_of_which_no_statistic_is_said_is_one_all_the_same() {
        for (name, label) in [("ttft_ms", "TTFT"), ("e2e_latency_ms", "E2EL"), ("tpot_ms", "TPOT")]
        {
            let metric = Metric::known(name).expect(name);
            assert_eq!((metric.label.as_str(), metric.better), (label, Some(Better::Lower)));
            assert_eq!((metric.statistic, metric.is_latency()), (Statistic::Unknown, true));
        }
        assert_eq!(Metric::from_text("TTFT (ms)").expect("known").name, "ttft_ms");
        assert_eq!(Metric::named("throughput").better, Some(Better::Higher));
        for name in ["iteration_ms", "my_ttft_ms"] {
            assert_eq!(Metric::named(name).better, None, "{name}");
        }
        let places: Vec<_> = ["output_throughput", "ttft_ms", "tpot_ms", "x_ms"].map(rank).into();
        assert!(places.is_sorted());
    }

    #[test]
    fn an_unknown_metric_has_no_direction() {
        let metric = Metric::named("gpu_power_us");
        assert_eq!((metric.better, metric.unit), (None, Unit::Microsecond));
        assert_eq!(Metric::named("tok_s").unit, Unit::TokenPerSecond);
        assert!(Metric::known("p100_ttft_ms").is_none());
    }

    #[test]
    fn rows_name_the_unit_once() {
        for (name, row) in [
            ("output_throughput", "output tok/s"),
            ("request_throughput", "req/s"),
            ("mean_ttft_ms", "mean TTFT ms"),
            ("duration", "duration s"),
            ("step_time_ms", "step_time_ms"),
        ] {
            assert_eq!(Metric::named(name).row_label(), row);
        }
    }
}
