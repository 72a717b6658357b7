//! The tables of known metrics: names, labels, units, directions.

use crate::metrics::kinds::{Family, Statistic};
use crate::units::{Better, Unit};

/// A latency measured per request; clients report several statistics.
pub(super) struct Latency {
    pub(super) stem: &'static str,
    pub(super) other_stems: &'static [&'static str],
    pub(super) label: &'static str,
    /// Names in text blocks, lower case.
    pub(super) text: &'static [&'static str],
    pub(super) family: Family,
}

/// A quantity with one value for each run.
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

/// A latency with this stem.
const fn latency(
    stem: &'static str,
    label: &'static str,
    text: &'static [&'static str],
    family: Family,
) -> Latency {
    Latency { stem, other_stems: &[], label, text, family }
}

pub(super) const LATENCIES: &[Latency] = &[
    latency("ttft", "TTFT", &["ttft"], Family::Ttft),
    latency("tpot", "TPOT", &["tpot"], Family::Tpot),
    latency("itl", "ITL", &["itl"], Family::Itl),
    Latency {
        other_stems: &["e2e_latency"],
        ..latency("e2el", "E2EL", &["e2el", "e2e latency"], Family::E2el)
    },
    latency("client_queue_time", "client queue time", &["client queue time"], Family::Other),
    latency(
        "e2el_including_client_queue",
        "E2EL with client queue",
        &["e2el incl. client queue"],
        Family::Other,
    ),
    latency("ttfb", "time to first byte", &[], Family::Other),
    latency("iteration", "iteration", &[], Family::Other),
    // End-to-end latency over all tokens of a request, including the first: not TPOT.
    latency("normalized_tpot", "latency per token", &[], Family::Other),
];

const HIGHER: Option<Better> = Some(Better::Higher);
const LOWER: Option<Better> = Some(Better::Lower);

/// A table of quantities. Each row has name and label, then unit, direction, statistic and family, then other keys and texts.
macro_rules! scalars {
    ($(
        $name:literal $label:literal: $unit:ident $better:ident, $statistic:ident of $family:ident
            $(, keys $($key:literal)+)? $(, text $($text:literal)+)?;
    )+) => { &[$(Scalar {
        name: $name,
        label: $label,
        unit: Unit::$unit,
        better: $better,
        statistic: Statistic::$statistic,
        family: Family::$family,
        keys: &[$($($key),+)?],
        text: &[$($($text),+)?],
    }),+] };
}

pub(super) const SCALARS: &[Scalar] = scalars! {
    "output_throughput" "output throughput": TokenPerSecond HIGHER, Total of Throughput,
        text "output token throughput (tok/s)" "total output throughput (tokens/sec)";
    "request_throughput" "request throughput": RequestPerSecond HIGHER, Total of Throughput,
        text "request throughput (req/s)" "request throughput (req/sec)";
    "total_token_throughput" "total throughput": TokenPerSecond HIGHER, Total of Throughput, keys "total_throughput",
        text "total token throughput (tok/s)" "total throughput (tok/s)";
    // From tables that people write; only they know the kind of throughput.
    "throughput" "throughput": None HIGHER, Total of Throughput;
    "input_throughput" "input throughput": TokenPerSecond HIGHER, Total of Throughput,
        text "input token throughput (tok/s)" "input throughput (tok/s)";
    "duration" "duration": Second LOWER, Total of Throughput, text "benchmark duration (s)";
    "request_goodput" "request goodput": RequestPerSecond HIGHER, Total of Goodput, keys "request_goodput:",
        text "request goodput (req/s)";
    "max_output_tokens_per_s" "peak output throughput": TokenPerSecond HIGHER, Extreme of Other,
        text "peak output token throughput (tok/s)";
    "max_concurrent_requests" "peak concurrent requests": None None, Extreme of Other,
        text "peak concurrent requests";
    "concurrency" "achieved concurrency": None None, Total of Other, text "concurrency";
    "user_throughput" "throughput per user": TokenPerSecond HIGHER, Mean of Other,
        text "user throughput (tok/s)";
    "spec_decode_acceptance_length" "acceptance length": None HIGHER, Mean of Other, keys "accept_length",
        text "acceptance length" "accept length";
    "spec_decode_acceptance_rate" "acceptance rate": Percent HIGHER, Mean of Other,
        text "acceptance rate (%)";
    "last_gen_throughput" "last generation throughput": TokenPerSecond HIGHER, Extreme of Other,
        text "last generation throughput (tok/s)";
    // General benchmark runners: the time for a fixed amount of work, and the rates derived from it, are one quantity.
    "wall_time_s" "wall time": Second LOWER, Total of Throughput;
    "user_time_s" "user time": Second LOWER, Total of Other;
    "system_time_s" "system time": Second LOWER, Total of Other;
    "time_per_op_ns" "time per op": Nanosecond LOWER, Mean of Throughput;
    "median_time_per_op_ns" "median time per op": Nanosecond LOWER, Median of Throughput;
    "ops_per_s" "throughput": OperationPerSecond HIGHER, Mean of Throughput;
    "items_per_s" "items/s": None HIGHER, Mean of Throughput;
    "iterations_per_s" "iterations/s": None HIGHER, Total of Throughput;
    "mb_per_s" "data throughput": MegabytePerSecond HIGHER, Mean of Throughput;
    "min_time_per_op_ns" "least time per op": Nanosecond LOWER, Extreme of Other;
    "cpu_time_per_op_ns" "CPU time per op": Nanosecond LOWER, Mean of Other;
    "bytes_per_op" "memory per op": Byte LOWER, Mean of Other;
    "allocs_per_op" "allocations per op": None LOWER, Mean of Other;
    "memory_bytes" "memory": Byte LOWER, Total of Other;
    "prefill_throughput" "prefill throughput": TokenPerSecond HIGHER, Total of Other;
    "median_decode_throughput" "median decode throughput": TokenPerSecond HIGHER, Total of Other;
    "tput_per_gpu" "total throughput per GPU": TokenPerSecond HIGHER, Total of Other;
    "output_tput_per_gpu" "output throughput per GPU": TokenPerSecond HIGHER, Total of Other;
    "input_tput_per_gpu" "input throughput per GPU": TokenPerSecond HIGHER, Total of Other;
};

/// Statistics that are prefixes in the names of latencies.
pub(super) const PREFIXES: &[(&str, Statistic)] = &[
    ("mean", Statistic::Mean),
    ("median", Statistic::Median),
    ("std", Statistic::Deviation),
    ("std dev", Statistic::Deviation),
    ("min", Statistic::Extreme),
    ("max", Statistic::Extreme),
];
