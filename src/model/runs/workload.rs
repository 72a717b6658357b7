//! The workload: the work of the load generator, independent of the server.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::runs::Definitions;
use crate::sanitize::printable;

/// Input tokens of one workload may differ by this fraction (another client version, another tokeniser).
const SAME_TOKENS: f64 = 0.01;

/// Name of the field that may differ a little.
pub(super) const INPUT_TOKENS: &str = "input tokens";

/// A limit of the load generator.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Setting {
    /// A number.
    Value(f64),
    /// Known to be unset: no cap, an infinite rate.
    Unlimited,
    /// A text instead of a number, such as `c16`; different texts are different settings.
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

    /// Reads the setting from a number, a word for none, or a word for unknown; any other text is kept.
    pub fn parse(text: &str) -> Self {
        let text = printable(text);
        let text = text.trim();
        match text.to_lowercase().as_str() {
            "inf" | "infinity" | "none" | "not set" | "unlimited" => Self::Unlimited,
            "" | "trace" | "nan" | "null" | "n/a" | "na" | "-" | "--" | "unknown" => Self::Unknown,
            other => other.parse().map_or_else(|_| Self::Text(text.into()), Self::number),
        }
    }

    /// The setting for a number in a file: zero, negative and infinite numbers mean no limit.
    pub fn number(value: f64) -> Self {
        if value.is_finite() && value > 0.0 {
            Self::Value(value)
        } else if value.is_nan() {
            Self::Unknown
        } else {
            Self::Unlimited
        }
    }

    /// The setting as text that [`Setting::parse`] reads.
    pub fn shown(&self) -> Option<String> {
        self.text().map(Cow::into_owned)
    }

    fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Value(value) => Some(value.to_string().into()),
            Self::Unlimited => Some("inf".into()),
            Self::Text(text) => Some((&**text).into()),
            Self::Unknown => None,
        }
    }
}

impl Serialize for Setting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => serializer.serialize_f64(*value),
            other => other.text().serialize(serializer),
        }
    }
}

impl JsonSchema for Setting {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Setting".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["number", "string", "null"], "exclusiveMinimum": 0 })
    }
}

/// The work of the load generator; null where the files do not say. Further keys are other settings of the load, under
/// the name that the input gives them. Runs are compared only if all known fields agree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Workload {
    /// Heading above the runs, if variants have several headings: `Latency benchmark`.
    pub label: Option<String>,
    /// Requests sent in a run.
    pub requests: Option<u64>,
    /// Most requests in flight that the client allows; `inf` where it is known to set no cap, and another text as the client
    /// writes it.
    pub max_concurrency: Setting,
    /// Requests per second that the client offers; `inf` where all are sent at once, and another text as the client writes
    /// it.
    pub request_rate: Setting,
    /// Prompt tokens of all requests of a run.
    pub input_tokens: Option<u64>,
    /// Name of the served model.
    pub model: Option<String>,
    /// Data set with the prompts.
    pub dataset: Option<String>,
    /// Client that made the measurement: `vllm`, `sglang`, ...
    pub client: Option<String>,
    /// How that client computes its figures.
    #[serde(skip)]
    pub definitions: Definitions,
    /// Any other setting of the load, by name.
    #[serde(flatten)]
    pub other: BTreeMap<String, String>,
}

/// A field with different values in two workloads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub field: String,
    pub baseline: String,
    pub candidate: String,
}

impl Workload {
    /// The fields except the other settings: name of the column, name in sentences, value.
    pub(super) fn texts(&self) -> [(&'static str, &'static str, Option<Cow<'_, str>>); 8] {
        fn text(text: Option<&String>) -> Option<Cow<'_, str>> {
            text.map(Cow::from)
        }
        let number = |n: u64| Cow::Owned(n.to_string());
        [
            ("workload", "section", text(self.label.as_ref())),
            ("requests", "requests", self.requests.map(number)),
            ("max_concurrency", "max concurrency", self.max_concurrency.text()),
            ("request_rate", "request rate", self.request_rate.text()),
            ("input_tokens", INPUT_TOKENS, self.input_tokens.map(number)),
            ("model", "model", text(self.model.as_ref())),
            ("dataset", "data set", text(self.dataset.as_ref())),
            ("client", "client", text(self.client.as_ref())),
        ]
    }

    /// The fields that both workloads know and that differ.
    pub fn differences(&self, other: &Self) -> Vec<Difference> {
        let tokens = self.input_tokens.zip(other.input_tokens);
        let close = tokens.is_some_and(|(a, b)| close(a, b));
        let fields = self.texts().into_iter().zip(other.texts());
        let fields = fields.map(|((_, field, a), (.., b))| (field, a, b));
        let fields = fields.filter(|(field, ..)| !(close && *field == INPUT_TOKENS));
        let settings = self.other.iter().map(|(name, value)| {
            let differs = |other: &&String| !same_setting(value, other);
            let other = other.other.get(name).filter(differs);
            (&**name, Some(value.into()), other.map(Cow::from))
        });
        fields
            .chain(settings)
            .filter_map(|(field, a, b)| {
                let (a, b) = a.zip(b).filter(|(a, b)| a != b)?;
                let (baseline, candidate) = (a.into_owned(), b.into_owned());
                Some(Difference { field: field.to_owned(), baseline, candidate })
            })
            .collect()
    }

    /// Whether no field that both know differs: [`Self::differences`] without the names.
    pub fn compatible(&self, other: &Self) -> bool {
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

    /// Takes unknown fields from `other`.
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
        if self.client.is_none() {
            self.client.clone_from(&other.client);
            self.definitions = other.definitions;
        }
        self.label = self.label.take().or_else(|| other.label.clone());
        for (name, value) in &other.other {
            self.other.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }

    /// Stores a setting by its name: in the field with that name if that is unknown, else among the other settings.
    pub fn note(&mut self, name: &str, value: String) {
        let limit = match name {
            "max_concurrency" => Some(&mut self.max_concurrency),
            "request_rate" => Some(&mut self.request_rate),
            _ => None,
        };
        if let Some(limit) = limit.filter(|limit| **limit == Setting::Unknown) {
            *limit = Setting::parse(&value);
            return;
        }
        let text = match name {
            "model" => Some(&mut self.model),
            "dataset" => Some(&mut self.dataset),
            "client" => Some(&mut self.client),
            "label" => Some(&mut self.label),
            _ => None,
        };
        match text.filter(|text| text.is_none()) {
            Some(text) => *text = Some(value),
            None => {
                self.other.insert(name.to_owned(), value);
            }
        }
    }

    /// The known fields by column name.
    pub fn fields(&self) -> BTreeMap<String, String> {
        let known = self.texts().into_iter();
        let known = known.filter_map(|(column, _, value)| Some((column.into(), value?.into())));
        known.chain(self.other.clone()).collect()
    }

    /// One line about the workload: `800 requests, 15 in flight, 54336 input tokens`.
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
            // It may stand beside other rates, and is named as these are.
            Setting::Unlimited if self.max_concurrency == Setting::Unknown => {
                Some("inf requests/s offered".to_owned())
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

/// Most characters of a text that is compared as a number: a double represents all of them.
const MAX_DIGITS: usize = 15;

/// The bits of a numeric setting, equal for `1` and `1.0`.
pub(super) fn number_of(setting: &str) -> Option<u64> {
    let number: f64 = setting.parse().ok().filter(|_| setting.len() <= MAX_DIGITS)?;
    // Adding zero makes both zeros equal.
    number.is_finite().then(|| (number + 0.0).to_bits())
}

fn same_setting(a: &str, b: &str) -> bool {
    a == b || number_of(a).zip(number_of(b)).is_some_and(|(a, b)| a == b)
}

/// Whether two numbers of prompt tokens can belong to one workload.
pub fn close(a: u64, b: u64) -> bool {
    a.abs_diff(b) as f64 <= SAME_TOKENS * a.max(b) as f64
}
