//! The workload: what the load generator did, whatever the server was.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::sanitize::printable;

/// Input tokens of two runs of one workload may differ by this fraction (another client version,
/// another tokeniser).
const SAME_TOKENS: f64 = 0.01;

/// A limit of the load generator.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Setting {
    /// Set to this value.
    Value(f64),
    /// Known not to be set: no cap, an infinite rate.
    Unlimited,
    /// A text instead of a number, such as `c16`: another text is another setting.
    Text(Arc<str>),
    /// Not recorded in the file.
    #[default]
    Unknown,
}

impl Setting {
    /// The value, if one was set.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(*value),
            Self::Unlimited | Self::Text(_) | Self::Unknown => None,
        }
    }

    /// Reads what clients write: a number, a word for none, or one for not known; any other text is kept.
    pub fn parse(text: &str) -> Self {
        let text = printable(text);
        let text = text.trim();
        match text.to_lowercase().as_str() {
            "inf" | "infinity" | "none" | "not set" | "unlimited" => Self::Unlimited,
            "" | "trace" | "nan" | "null" | "n/a" | "na" | "-" | "--" | "unknown" => Self::Unknown,
            other => other.parse().map_or_else(|_| Self::Text(text.into()), Self::number),
        }
    }

    /// A number of a file: zero, negative and infinite ones mean no limit.
    pub fn number(value: f64) -> Self {
        if value.is_finite() && value > 0.0 {
            Self::Value(value)
        } else if value.is_nan() {
            Self::Unknown
        } else {
            Self::Unlimited
        }
    }

    /// As text, which [`Setting::parse`] reads.
    pub(crate) fn shown(&self) -> Option<String> {
        match self {
            Self::Value(value) => Some(value.to_string()),
            Self::Unlimited => Some("unlimited".to_owned()),
            Self::Text(text) => Some(text.to_string()),
            Self::Unknown => None,
        }
    }
}

impl Serialize for Setting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => serializer.serialize_f64(*value),
            Self::Unlimited => serializer.serialize_str("unlimited"),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Unknown => serializer.serialize_none(),
        }
    }
}

/// The work of the load generator. Runs are compared only if all known fields agree.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Workload {
    /// Heading above the runs, if variants have several: `Latency benchmark`.
    pub label: Option<String>,
    /// Requests sent.
    pub requests: Option<u64>,
    /// Most requests in flight that the client allows.
    pub max_concurrency: Setting,
    /// Requests per second that the client offers.
    pub request_rate: Setting,
    /// Prompt tokens of all requests.
    pub input_tokens: Option<u64>,
    /// Model that was served.
    pub model: Option<String>,
    /// Data set of the prompts.
    pub dataset: Option<String>,
    /// Client that measured: `vllm`, `sglang`, ...
    pub client: Option<String>,
    /// Any other setting of the load, by name.
    #[serde(flatten)]
    pub other: BTreeMap<String, String>,
}

/// A field in which two workloads differ, with both values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) field: String,
    pub(crate) baseline: String,
    pub(crate) candidate: String,
}

impl Workload {
    /// The fields that both know and that differ.
    pub(crate) fn differences(&self, other: &Self) -> Vec<Difference> {
        let tokens = match (self.input_tokens, other.input_tokens) {
            (Some(a), Some(b)) if close(a, b) => None,
            (a, b) => a.zip(b),
        };
        let mut pairs: Vec<(&str, Option<String>, Option<String>)> = vec![
            ("section", self.label.clone(), other.label.clone()),
            ("requests", self.requests.map(text), other.requests.map(text)),
            ("max concurrency", self.max_concurrency.shown(), other.max_concurrency.shown()),
            ("request rate", self.request_rate.shown(), other.request_rate.shown()),
            ("input tokens", tokens.map(|(a, _)| text(a)), tokens.map(|(_, b)| text(b))),
            ("model", self.model.clone(), other.model.clone()),
            ("data set", self.dataset.clone(), other.dataset.clone()),
            ("client", self.client.clone(), other.client.clone()),
        ];
        for (name, value) in &self.other {
            let differs = |other: &&String| !same_setting(value, other);
            pairs.push((name, Some(value.clone()), other.other.get(name).filter(differs).cloned()));
        }
        pairs
            .into_iter()
            .filter_map(|(field, a, b)| {
                let (baseline, candidate) = a.zip(b).filter(|(a, b)| a != b)?;
                Some(Difference { field: field.to_owned(), baseline, candidate })
            })
            .collect()
    }

    /// Whether nothing that both know differs: [`Self::differences`] without naming them.
    pub(crate) fn compatible(&self, other: &Self) -> bool {
        fn same<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
            a.zip(b).is_none_or(|(a, b)| a == b)
        }
        let limit =
            |a: &Setting, b: &Setting| a == b || *a == Setting::Unknown || *b == Setting::Unknown;
        let Self { label, requests, max_concurrency, request_rate, .. } = self;
        let Self { input_tokens, model, dataset, client, other: more, .. } = self;
        same(*requests, other.requests)
            && limit(max_concurrency, &other.max_concurrency)
            && limit(request_rate, &other.request_rate)
            && input_tokens.zip(other.input_tokens).is_none_or(|(a, b)| close(a, b))
            && same(label.as_ref(), other.label.as_ref())
            && same(model.as_ref(), other.model.as_ref())
            && same(dataset.as_ref(), other.dataset.as_ref())
            && same(client.as_ref(), other.client.as_ref())
            && more.iter().all(|(name, value)| {
                other.other.get(name).is_none_or(|other| same_setting(value, other))
            })
    }

    /// Whether both know the same fields, and nothing differs.
    #[cfg(test)]
    pub(crate) fn same_but_tokens(&self, other: &Self) -> bool {
        let known = |a: &Self| {
            let texts = [&a.label, &a.model, &a.dataset, &a.client].map(Option::is_some);
            let limits =
                [&a.max_concurrency, &a.request_rate].map(|limit| *limit == Setting::Unknown);
            (texts, limits, a.requests.is_some(), a.input_tokens.is_some())
        };
        self.compatible(other)
            && known(self) == known(other)
            && self.other.keys().eq(other.other.keys())
    }

    /// Takes from `other` what is not known here.
    pub(crate) fn complete_from(&mut self, other: &Self) {
        self.requests = self.requests.or(other.requests);
        for (own, other) in [
            (&mut self.max_concurrency, &other.max_concurrency),
            (&mut self.request_rate, &other.request_rate),
        ] {
            if *own == Setting::Unknown {
                own.clone_from(other);
            }
        }
        self.input_tokens = self.input_tokens.or(other.input_tokens);
        self.model = self.model.take().or_else(|| other.model.clone());
        self.dataset = self.dataset.take().or_else(|| other.dataset.clone());
        self.client = self.client.take().or_else(|| other.client.clone());
        self.label = self.label.take().or_else(|| other.label.clone());
        for (name, value) in &other.other {
            self.other.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }

    /// The known fields, by the names of columns.
    pub(crate) fn fields(&self) -> BTreeMap<String, String> {
        let known = [
            ("workload", self.label.clone()),
            ("requests", self.requests.map(text)),
            ("max_concurrency", self.max_concurrency.shown()),
            ("request_rate", self.request_rate.shown()),
            ("input_tokens", self.input_tokens.map(text)),
            ("model", self.model.clone()),
            ("dataset", self.dataset.clone()),
            ("client", self.client.clone()),
        ];
        let known = known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        known.chain(self.other.clone()).collect()
    }

    /// One line for a reader: `800 requests, 15 in flight, 54336 input tokens`.
    pub fn describe(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.label.clone());
        parts.extend(self.requests.map(|n| format!("{n} requests")));
        parts.extend(match &self.max_concurrency {
            Setting::Value(cap) => Some(format!("at most {cap} in flight")),
            Setting::Text(text) => Some(format!("max concurrency {text}")),
            Setting::Unlimited | Setting::Unknown => None,
        });
        parts.extend(match &self.request_rate {
            Setting::Value(rate) => Some(format!("{rate} requests/s offered")),
            Setting::Text(text) => Some(format!("request rate {text}")),
            Setting::Unlimited if self.max_concurrency == Setting::Unlimited => {
                Some("all sent at once".to_owned())
            }
            Setting::Unlimited | Setting::Unknown => None,
        });
        parts.extend(self.input_tokens.map(|n| format!("{n} input tokens")));
        parts.extend(self.model.clone());
        parts.extend(self.dataset.as_ref().map(|name| format!("data set {name}")));
        parts.extend(self.other.iter().map(|(name, value)| format!("{name} {value}")));
        if parts.is_empty() { "workload not recorded".to_owned() } else { parts.join(", ") }
    }
}

fn text(n: u64) -> String {
    n.to_string()
}

/// Most characters of a text that is compared as a number: a double holds them all.
const MAX_DIGITS: usize = 15;

/// The bits of a setting that is a number, the same for `1` and `1.0`.
pub(super) fn number_of(setting: &str) -> Option<u64> {
    let number: f64 = setting.parse().ok().filter(|_| setting.len() <= MAX_DIGITS)?;
    // The sum with zero leaves one kind of zero.
    number.is_finite().then(|| (number + 0.0).to_bits())
}

fn same_setting(a: &str, b: &str) -> bool {
    a == b || number_of(a).zip(number_of(b)).is_some_and(|(a, b)| a == b)
}

pub(super) fn close(a: u64, b: u64) -> bool {
    a.abs_diff(b) as f64 <= SAME_TOKENS * a.max(b) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_never_differs() {
        let known =
            Workload { requests: Some(200), model: Some("m".into()), ..Workload::default() };
        let less = Workload { requests: Some(200), ..Workload::default() };
        assert!(known.compatible(&less));
        let other = Workload { model: Some("n".into()), ..known.clone() };
        assert_eq!(known.differences(&other)[0].field, "model");
    }

    #[test]
    fn compatible_is_without_differences() {
        let words = |text: &str| [None, Some(text.to_owned())];
        let mut all = Vec::new();
        for label in words("l") {
            for requests in [None, Some(1), Some(2)] {
                for cap in [Setting::Unknown, Setting::Unlimited, Setting::Value(1.0)] {
                    for tokens in [None, Some(1000), Some(1005), Some(1020)] {
                        all.push(Workload {
                            label: label.clone(),
                            requests,
                            max_concurrency: cap.clone(),
                            input_tokens: tokens,
                            other: label
                                .iter()
                                .map(|l| (l.clone(), cap.value().map_or(0, |_| 1).to_string()))
                                .collect(),
                            ..Workload::default()
                        });
                    }
                }
            }
        }
        for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            assert_eq!(a.compatible(b), a.differences(b).is_empty(), "{a:?} {b:?}");
        }
    }

    #[test]
    fn settings_that_are_one_number_are_the_same() {
        let with = |text: &str| Workload {
            other: [("random_range_ratio".to_owned(), text.to_owned())].into(),
            ..Workload::default()
        };
        for (a, b, same) in [
            ("1", "1.0", true),
            ("0.5", ".50", true),
            ("1", "2", false),
            ("1", "one", false),
            ("nan", "NaN", false),
            ("12345678901234567890", "12345678901234567891", false),
        ] {
            assert_eq!(with(a).compatible(&with(b)), same, "{a} {b}");
            assert_eq!(with(a).differences(&with(b)).is_empty(), same, "{a} {b}");
        }
    }

    #[test]
    fn input_tokens_may_differ_by_one_percent() {
        let with = |tokens| Workload { input_tokens: Some(tokens), ..Workload::default() };
        assert!(with(10_000).compatible(&with(10_099)));
        assert!(!with(10_000).compatible(&with(10_200)));
    }

    #[test]
    fn words_for_no_limit_are_understood() {
        assert_eq!(Setting::parse("inf"), Setting::Unlimited);
        assert_eq!(Setting::parse("not set"), Setting::Unlimited);
        assert_eq!(Setting::parse("10.00"), Setting::Value(10.0));
        assert_eq!(Setting::parse("trace"), Setting::Unknown);
    }

    #[test]
    fn a_limit_that_is_no_number_is_another_where_it_reads_otherwise() {
        let with =
            |text: &str| Workload { max_concurrency: Setting::parse(text), ..Workload::default() };
        for (a, b, same) in [
            ("c16", "c16", true),
            ("c16", "c64", false),
            ("15 (x1)", "15", false),
            ("c16", "unlimited", false),
            ("c16", "", true),
        ] {
            assert_eq!(with(a).compatible(&with(b)), same, "{a} {b}");
            assert_eq!(with(a).differences(&with(b)).is_empty(), same, "{a} {b}");
        }
        assert_eq!(with("c16").describe(), "max concurrency c16");
        assert_eq!(Setting::parse("c\u{1b}[2J1\n6"), Setting::Text("c[2J1 6".into()));
        assert_eq!(Setting::parse("in\0f"), Setting::Unlimited);
    }
}
