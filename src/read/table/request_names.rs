//! Names of columns in tables of requests.

use crate::kit::cell_value::{split_unit, to_ms};
use beyondnoise_model::metrics::{Metric, Statistic};

/// Columns that number the requests, lower case.
const REQUEST: &[&str] = &[
    "request",
    "request_id",
    "request_idx",
    "request_index",
    "request_no",
    "request_num",
    "request_number",
    "req",
    "req_id",
    "req_idx",
    "req_index",
    "prompt_id",
    "prompt_idx",
    "prompt_index",
    "sample_id",
    "sample_idx",
    "x_request_id",
    "请求",
];

/// Columns that number rows without a meaning.
const INDEX: &[&str] = &["index", "idx", "id", "row", "seq", "seed", "unnamed: 0"];

/// Latencies of one request by the names that clients give them, without unit, and the name in the registry.
const LATENCIES: &[(&str, &str)] = &[
    ("ttft", "ttft"),
    ("time_to_first_token", "ttft"),
    ("tpot", "tpot"),
    ("time_per_output_token", "tpot"),
    ("itl", "itl"),
    ("inter_token_latency", "itl"),
    ("e2el", "e2el"),
    ("e2e", "e2el"),
    ("e2e_latency", "e2el"),
    ("end_to_end_latency", "e2el"),
    ("request_latency", "e2el"),
    ("latency", "e2el"),
];

const OUTPUT_TOKENS: &[&str] = &[
    "output_tokens",
    "num_output_tokens",
    "number_output_tokens",
    "completion_tokens",
    "generated_tokens",
    "output_len",
    "output_length",
    "osl",
];
const INPUT_TOKENS: &[&str] = &[
    "input_tokens",
    "num_input_tokens",
    "number_input_tokens",
    "prompt_tokens",
    "prompt_len",
    "prompt_length",
    "input_len",
    "input_length",
    "isl",
];
const START: &[&str] =
    &["start_time", "start", "start_ts", "request_start", "request_start_time", "started_at"];
const END: &[&str] = &[
    "end_time",
    "end",
    "end_ts",
    "request_end",
    "request_end_time",
    "finish_time",
    "finished_at",
    "completed_time",
    "completed_at",
];
const STATUS: &[(&str, Status)] = &[
    ("success", Status::Succeeded),
    ("succeeded", Status::Succeeded),
    ("successful", Status::Succeeded),
    ("ok", Status::Succeeded),
    ("completed", Status::Succeeded),
    ("failed", Status::Failed),
    ("is_error", Status::Failed),
    ("was_cancelled", Status::Failed),
    ("error", Status::Error),
    ("error_code", Status::Error),
    ("error_message", Status::Error),
    ("error_msg", Status::Error),
    ("exception", Status::Error),
    ("status", Status::Word),
    ("status_code", Status::Word),
    ("http_status", Status::Word),
];

/// Role of a column in a table of requests.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Role {
    Request,
    Index,
    Status(Status),
    /// A time, with the factor to seconds where its name has a unit.
    Start(Option<f64>),
    End(Option<f64>),
    Value(Kind),
}

/// Role of the column with this name.
pub(crate) fn role_of(name: &str) -> Role {
    let (stem, unit) = split_unit(name);
    let is = |names: &[&str]| names.contains(&stem.as_str());
    let seconds = unit.as_deref().and_then(to_ms).map(|factor| factor / 1e3);
    if is(REQUEST) {
        return Role::Request;
    }
    if is(INDEX) {
        return Role::Index;
    }
    if is(START) {
        return Role::Start(seconds);
    }
    if is(END) {
        return Role::End(seconds);
    }
    let status = STATUS.iter().find(|(known, _)| *known == stem);
    status.map_or_else(|| Role::Value(kind_of(name)), |&(_, status)| Role::Status(status))
}

/// Quantity of the numbers with this name; a latency without a unit is in milliseconds.
pub(crate) fn kind_of(name: &str) -> Kind {
    let (stem, unit) = split_unit(name);
    if OUTPUT_TOKENS.contains(&stem.as_str()) {
        return Kind::OutputTokens;
    }
    if INPUT_TOKENS.contains(&stem.as_str()) {
        return Kind::InputTokens;
    }
    let factor = unit.as_deref().map_or(Some(1.0), to_ms);
    let listed = LATENCIES.iter().find(|(known, _)| *known == stem).map(|&(_, known)| known);
    // Other latencies of the registry need their unit.
    let registered = || {
        let metric = Metric::known(&format!("mean_{stem}_ms")).filter(|_| unit.is_some())?;
        metric.name.strip_prefix("mean_")?.strip_suffix("_ms").map(str::to_owned)
    };
    match (listed.map(str::to_owned).or_else(registered), factor) {
        (Some(stem), Some(factor)) => Kind::Latency { stem, factor },
        _ => Kind::Other(name.trim().to_owned()),
    }
}

/// Whether a column is named after a latency of one request, not after a statistic of many.
pub(crate) fn is_of_request(name: &str) -> bool {
    let (stem, _) = split_unit(name);
    LATENCIES.iter().any(|(known, _)| *known == stem) && kind_of(name).is_latency()
}

/// Whether a column is named after a statistic of a whole run, such as `mean_ttft_ms` or
/// `output_throughput`.
pub(crate) fn is_of_run(name: &str) -> bool {
    let known = Metric::known(name).or_else(|| Metric::from_text(name));
    known.is_some_and(|metric| {
        let told = metric.statistic != Statistic::Unknown;
        told && metric.better.is_some() && metric.name != "duration"
    })
}

/// Quantity of a number of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A latency of the registry, with the factor to milliseconds.
    Latency {
        /// Its name without statistic and unit: `ttft`.
        stem: String,
        /// Milliseconds a unit of the column.
        factor: f64,
    },
    /// Tokens of the prompt.
    InputTokens,
    /// Tokens of the answer.
    OutputTokens,
    /// Anything else, by its own name.
    Other(String),
}

impl Kind {
    /// Whether 0 and -1 are no values: no latency is 0.
    pub fn is_latency(&self) -> bool {
        matches!(self, Self::Latency { .. })
    }
}

/// How a column states the success of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// `success`, `ok`: true or false.
    Succeeded,
    /// `failed`: true or false.
    Failed,
    /// `error`: empty where there was none.
    Error,
    /// `status`: a word or a code of HTTP.
    Word,
}

const YES: [&str; 6] = ["true", "1", "yes", "y", "ok", "1.0"];
const NO: [&str; 6] = ["false", "0", "no", "n", "", "0.0"];
const NOTHING: [&str; 8] = ["", "0", "none", "null", "nan", "false", "-", "[]"];
const GOOD: [&str; 9] =
    ["ok", "success", "successful", "succeeded", "completed", "complete", "done", "passed", "true"];
const BAD: [&str; 12] = [
    "error",
    "failed",
    "fail",
    "failure",
    "timeout",
    "timed out",
    "cancelled",
    "canceled",
    "aborted",
    "rejected",
    "exception",
    "false",
];

impl Status {
    /// The words for success and for failure. Without words for failure, every other word means failure.
    pub fn words(self) -> (&'static [&'static str], Option<&'static [&'static str]>) {
        match self {
            Self::Succeeded => (&YES, Some(&NO)),
            Self::Failed => (&NO, Some(&YES)),
            Self::Error => (&NOTHING, None),
            Self::Word => (&GOOD, Some(&BAD)),
        }
    }

    /// Whether a cell means that the request failed; `None` if it means neither.
    pub fn failed(self, cell: &[u8]) -> Option<bool> {
        let word = String::from_utf8_lossy(cell).to_lowercase();
        let word = word.trim();
        let (good, bad) = self.words();
        if good.contains(&word) {
            return Some(false);
        }
        match bad {
            None => Some(true),
            Some(bad) if bad.contains(&word) => Some(true),
            Some(_) if self == Self::Word => match word.parse::<f64>() {
                Ok(code) if (100.0..600.0).contains(&code) => Some(!(200.0..300.0).contains(&code)),
                _ => None,
            },
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_request_are_told_from_statistics() {
        let latency = |stem: &str, factor| Kind::Latency { stem: stem.to_owned(), factor };
        for (name, kind) in [
            ("ttft_ms", latency("ttft", 1.0)),
            ("TTFT (s)", latency("ttft", 1000.0)),
            ("tpot_us", latency("tpot", 0.001)),
            ("Latency [ms]", latency("e2el", 1.0)),
            ("time to first token", latency("ttft", 1.0)),
            ("client_queue_time_ms", latency("client_queue_time", 1.0)),
            ("prompt_tokens", Kind::InputTokens),
            ("osl", Kind::OutputTokens),
            ("gpu_power", Kind::Other("gpu_power".to_owned())),
            ("latency (furlongs)", Kind::Other("latency (furlongs)".to_owned())),
        ] {
            assert_eq!(kind_of(name), kind, "{name}");
        }
        assert!(
            is_of_request("ttft_ms") && is_of_request("latency") && !is_of_request("mean_ttft_ms")
        );
        assert!(is_of_run("p99_itl_ms") && is_of_run("output_throughput") && !is_of_run("ttft_ms"));
        assert_eq!(role_of("start_time_ms"), Role::Start(Some(0.001)));
        assert_eq!(role_of("status"), Role::Status(Status::Word));
    }
}
