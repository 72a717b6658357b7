//! The tables of known metrics: names, labels, units, directions.

use crate::metrics::{Family, Statistic};
use crate::units::Better;
use crate::units::Unit;

/// A latency measured per request, of which clients report several statistics.
pub(super) struct Latency {
    pub(super) stem: &'static str,
    pub(super) other_stems: &'static [&'static str],
    pub(super) label: &'static str,
    /// Names in text blocks, lower case.
    pub(super) text: &'static [&'static str],
    pub(super) family: Family,
}

/// A quantity with one value a run.
pub(super) struct Scalar {
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    pub(super) unit: Unit,
    pub(super) better: Option<Better>,
    pub(super) statistic: Statistic,
    pub(super) family: Family,
    /// Other keys in result files.
    pub(super) keys: &'static [&'static str],
    /// Labels in text blocks, lower case.
    pub(super) text: &'static [&'static str],
}

pub(super) const LATENCIES: &[Latency] = &[
    Latency {
        stem: "ttft",
        other_stems: &[],
        label: "TTFT",
        text: &["ttft"],
        family: Family::Ttft,
    },
    Latency {
        stem: "tpot",
        other_stems: &[],
        label: "TPOT",
        text: &["tpot"],
        family: Family::Tpot,
    },
    Latency { stem: "itl", other_stems: &[], label: "ITL", text: &["itl"], family: Family::Itl },
    Latency {
        stem: "e2el",
        other_stems: &["e2e_latency"],
        label: "E2EL",
        text: &["e2el", "e2e latency"],
        family: Family::E2el,
    },
    Latency {
        stem: "client_queue_time",
        other_stems: &[],
        label: "client queue time",
        text: &["client queue time"],
        family: Family::Other,
    },
    Latency {
        stem: "e2el_including_client_queue",
        other_stems: &[],
        label: "E2EL with client queue",
        text: &["e2el incl. client queue"],
        family: Family::Other,
    },
];

const HIGHER: Option<Better> = Some(Better::Higher);
const LOWER: Option<Better> = Some(Better::Lower);

pub(super) const SCALARS: &[Scalar] = &[
    Scalar {
        name: "output_throughput",
        label: "output throughput",
        unit: Unit::TokenPerSecond,
        better: HIGHER,
        statistic: Statistic::Total,
        family: Family::Throughput,
        keys: &[],
        text: &["output token throughput (tok/s)", "total output throughput (tokens/sec)"],
    },
    Scalar {
        name: "request_throughput",
        label: "request throughput",
        unit: Unit::RequestPerSecond,
        better: HIGHER,
        statistic: Statistic::Total,
        family: Family::Throughput,
        keys: &[],
        text: &["request throughput (req/s)", "request throughput (req/sec)"],
    },
    Scalar {
        name: "total_token_throughput",
        label: "total throughput",
        unit: Unit::TokenPerSecond,
        better: HIGHER,
        statistic: Statistic::Total,
        family: Family::Throughput,
        keys: &["total_throughput"],
        text: &["total token throughput (tok/s)", "total throughput (tok/s)"],
    },
    Scalar {
        name: "input_throughput",
        label: "input throughput",
        unit: Unit::TokenPerSecond,
        better: HIGHER,
        statistic: Statistic::Total,
        family: Family::Throughput,
        keys: &[],
        text: &["input token throughput (tok/s)", "input throughput (tok/s)"],
    },
    Scalar {
        name: "duration",
        label: "duration",
        unit: Unit::Second,
        better: LOWER,
        statistic: Statistic::Total,
        family: Family::Throughput,
        keys: &[],
        text: &["benchmark duration (s)"],
    },
    Scalar {
        name: "request_goodput",
        label: "request goodput",
        unit: Unit::RequestPerSecond,
        better: HIGHER,
        statistic: Statistic::Total,
        family: Family::Goodput,
        keys: &["request_goodput:"],
        text: &["request goodput (req/s)"],
    },
    Scalar {
        name: "max_output_tokens_per_s",
        label: "peak output throughput",
        unit: Unit::TokenPerSecond,
        better: HIGHER,
        statistic: Statistic::Extreme,
        family: Family::Other,
        keys: &[],
        text: &["peak output token throughput (tok/s)"],
    },
    Scalar {
        name: "max_concurrent_requests",
        label: "peak concurrent requests",
        unit: Unit::None,
        better: None,
        statistic: Statistic::Extreme,
        family: Family::Other,
        keys: &[],
        text: &["peak concurrent requests"],
    },
    Scalar {
        name: "concurrency",
        label: "achieved concurrency",
        unit: Unit::None,
        better: None,
        statistic: Statistic::Total,
        family: Family::Other,
        keys: &[],
        text: &["concurrency"],
    },
    Scalar {
        name: "user_throughput",
        label: "throughput per user",
        unit: Unit::TokenPerSecond,
        better: HIGHER,
        statistic: Statistic::Mean,
        family: Family::Other,
        keys: &[],
        text: &["user throughput (tok/s)"],
    },
    Scalar {
        name: "spec_decode_acceptance_length",
        label: "acceptance length",
        unit: Unit::None,
        better: HIGHER,
        statistic: Statistic::Mean,
        family: Family::Other,
        keys: &["accept_length"],
        text: &["acceptance length", "accept length"],
    },
    Scalar {
        name: "spec_decode_acceptance_rate",
        label: "acceptance rate",
        unit: Unit::Percent,
        better: HIGHER,
        statistic: Statistic::Mean,
        family: Family::Other,
        keys: &[],
        text: &["acceptance rate (%)"],
    },
    Scalar {
        name: "last_gen_throughput",
        label: "last generation throughput",
        unit: Unit::TokenPerSecond,
        better: HIGHER,
        statistic: Statistic::Extreme,
        family: Family::Other,
        keys: &[],
        text: &["last generation throughput (tok/s)"],
    },
];

/// Statistics that stand before the name of a latency.
pub(super) const PREFIXES: &[(&str, Statistic)] = &[
    ("mean", Statistic::Mean),
    ("median", Statistic::Median),
    ("std", Statistic::Deviation),
    ("std dev", Statistic::Deviation),
    ("min", Statistic::Extreme),
    ("max", Statistic::Extreme),
];
