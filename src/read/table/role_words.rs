//! Words in the names of columns and keys that say what they are, lower case.

use crate::read::request_names::split_unit;

/// The run, a repeat or an iteration by its number, from the outer level of repeats to the inner.
pub(in crate::read) const RUN: &[&str] = &[
    "run",
    "run_id",
    "__run_id",
    "run_number",
    "run_no",
    "run_idx",
    "run_index",
    "run_name",
    "rep",
    "repeat",
    "repetition",
    "replicate",
    "trial",
    "round",
    "attempt",
    "轮次",
    "iteration",
    "iter",
];

/// Ways to tell runs apart that are no setting.
const IDENTITY: &[&str] = &[
    "__done",
    "date",
    "datetime",
    "elapsed_time",
    "exit_code",
    "file",
    "file_name",
    "filename",
    "filepath",
    "id",
    "idx",
    "index",
    "job_name",
    "log",
    "logfile",
    "no",
    "number",
    "path",
    "pid",
    "port",
    "row",
    "saved_as",
    "seed",
    "seq",
    "sha256",
    "source",
    "time",
    "timestamp",
    "unnamed: 0",
    "url",
    "uuid",
    "序号",
    "时间",
    "日期",
];

/// The same as ends of names.
const IDENTITY_ENDS: &[&str] = &[
    "_date",
    "_file",
    "_filename",
    "_idx",
    "_index",
    "_path",
    "_pid",
    "_port",
    "_seed",
    "_timestamp",
    "_url",
    "_uuid",
    "iterations_of_one_process",
];

/// Free text about a row.
const REMARK: &[&str] = &[
    "comment",
    "comments",
    "description",
    "message",
    "note",
    "notes",
    "observation",
    "observations",
    "remark",
    "remarks",
    "备注",
    "说明",
];

/// Text that a run gave back.
const OUTCOME_TEXT: &[&str] = &[
    "answer",
    "error",
    "error_code",
    "error_message",
    "error_msg",
    "errors",
    "exception",
    "failure",
    "finish_reason",
    "generated",
    "generated_text",
    "ok",
    "oom",
    "output",
    "pass",
    "passed",
    "reason",
    "response",
    "result",
    "status",
    "stop_reason",
    "success",
    "verdict",
];

/// What is measured.
const MEASURED: &[&str] = &[
    "accept",
    "acceptance",
    "accepted",
    "accuracy",
    "achieved",
    "alloc",
    "allocs",
    "average",
    "avg",
    "bandwidth",
    "completed",
    "consumption",
    "cost",
    "cv",
    "cycles",
    "decode",
    "degradation",
    "delay",
    "drift",
    "duration",
    "e2el",
    "efficiency",
    "elapsed",
    "energy",
    "entropy",
    "err",
    "error",
    "errors",
    "f1",
    "fail",
    "failed",
    "failure",
    "failures",
    "faults",
    "flops",
    "fps",
    "generated",
    "gflops",
    "goodput",
    "hit",
    "hits",
    "iqr",
    "itl",
    "joules",
    "latency",
    "loss",
    "mean",
    "median",
    "mfu",
    "misses",
    "overhead",
    "p50",
    "p75",
    "p90",
    "p95",
    "p99",
    "peak",
    "percent",
    "percentile",
    "perplexity",
    "power",
    "ppl",
    "prefill",
    "qps",
    "quality",
    "ram",
    "reward",
    "rps",
    "rss",
    "runtime",
    "score",
    "skipped",
    "speed",
    "speedup",
    "std",
    "stddev",
    "stdev",
    "success",
    "temp",
    "tflops",
    "throughput",
    "time",
    "tpot",
    "tps",
    "tput",
    "ttft",
    "usage",
    "used",
    "util",
    "utilization",
    "variance",
    "vram",
    "wall",
    "watts",
    "延迟",
    "吞吐",
    "耗时",
];

/// What is set before a run.
const SETTING: &[&str] = &[
    "batch",
    "batchsize",
    "beam",
    "bits",
    "block",
    "blocks",
    "bs",
    "cap",
    "chunk",
    "clients",
    "conc",
    "concurrency",
    "concurrent",
    "context",
    "cores",
    "ctx",
    "depth",
    "devices",
    "dp",
    "dtype",
    "ep",
    "experts",
    "gpus",
    "heads",
    "input",
    "inputs",
    "instances",
    "isl",
    "layers",
    "len",
    "length",
    "level",
    "limit",
    "lora",
    "ngl",
    "nodes",
    "npus",
    "osl",
    "parallel",
    "parallelism",
    "params",
    "pp",
    "precision",
    "prompts",
    "quant",
    "quantization",
    "rank",
    "rate",
    "ranks",
    "replicas",
    "scale",
    "sequences",
    "shards",
    "size",
    "slo",
    "stages",
    "target",
    "temperature",
    "thread",
    "threads",
    "threshold",
    "timeout",
    "top",
    "tp",
    "ubatch",
    "users",
    "vus",
    "warmup",
    "width",
    "window",
    "workers",
    "并发",
];

/// Of words that are set, those that make a setting of what would else be measured: `latency_target`.
const SETTING_OF_MEASURED: &[&str] = &[
    "budget",
    "cap",
    "configured",
    "interval",
    "limit",
    "max_tokens",
    "offered",
    "requested",
    "slo",
    "target",
    "threshold",
    "timeout",
    "warmup",
];

/// Ends of the names of rates.
const PER: &[&str] = &[
    "_per_gpu",
    "_per_hour",
    "_per_iteration",
    "_per_joule",
    "_per_min",
    "_per_minute",
    "_per_op",
    "_per_prompt",
    "_per_req",
    "_per_request",
    "_per_s",
    "_per_sec",
    "_per_second",
    "_per_step",
    "_per_tok",
    "_per_token",
    "_per_user",
    "_per_watt",
];

/// Columns that count a clock or steps of one run.
const CLOCK: &[&str] = &[
    "clock",
    "elapsed",
    "elapsed_s",
    "elapsed_sec",
    "elapsed_seconds",
    "elapsed_time",
    "epoch",
    "global_step",
    "relative_time",
    "sec",
    "second",
    "seconds",
    "step",
    "steps",
    "t",
    "tick",
    "time",
    "time_s",
    "time_sec",
    "timestamp",
    "ts",
    "uptime",
    "uptime_s",
];

/// Numbers of what stands behind an average.
const RUNS_BEHIND: &[&str] =
    &["n", "n_runs", "num_runs", "runs", "repeats", "repetitions", "reps", "n_reps", "num_repeats"];

/// A name in lower case, its words apart by `_`: `maxBatchSize (tokens)` is `max_batch_size`.
pub(in crate::read) fn plain(name: &str) -> String {
    let name = name.trim();
    let mut apart = String::with_capacity(name.len() + 4);
    let mut lower = false;
    for c in name.chars() {
        if lower && c.is_uppercase() {
            apart.push('_');
        }
        lower = c.is_lowercase() || c.is_ascii_digit();
        apart.push(c);
    }
    let bare = apart.split(['(', '[']).next().filter(|bare| !bare.trim().is_empty());
    let bare = bare.unwrap_or(&apart).trim().to_lowercase();
    bare.replace([' ', '-', '.', '/'], "_").trim_matches('_').to_owned()
}

fn words(plain: &str) -> impl Iterator<Item = &str> {
    plain.split('_').filter(|word| !word.is_empty())
}

/// What the name of a column of numbers says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) enum Says {
    Measured,
    Setting,
    Nothing,
}

/// What the name says of numbers under it; `unit` is whether it has a unit that is measured in.
pub(in crate::read) fn says_of_numbers(name: &str, unit: bool) -> Says {
    let plain = plain(name);
    let any = |list: &[&str]| words(&plain).any(|word| list.contains(&word));
    let rate = split_unit(name).1.is_some_and(|unit| unit.contains('/'))
        || PER.iter().any(|per| plain.ends_with(per))
        || name.to_lowercase().contains("/s");
    let measured = unit || rate || any(MEASURED);
    let percentile = words(&plain).any(|word| {
        word.strip_prefix('p').is_some_and(|digits| {
            (2..=4).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
        })
    });
    match (measured || percentile, any(SETTING)) {
        (true, _) if any(SETTING_OF_MEASURED) => Says::Setting,
        (true, _) => Says::Measured,
        (false, true) => Says::Setting,
        (false, false) => Says::Nothing,
    }
}

/// Whether a name says that its values tell runs apart.
pub(in crate::read) fn is_identity(name: &str) -> bool {
    let plain = plain(name);
    IDENTITY.contains(&plain.as_str())
        || RUN.contains(&plain.as_str())
        || IDENTITY_ENDS.iter().any(|end| plain.ends_with(end))
}

pub(in crate::read) fn is_remark(name: &str) -> bool {
    REMARK.contains(&plain(name).as_str())
}

pub(in crate::read) fn is_outcome_text(name: &str) -> bool {
    OUTCOME_TEXT.contains(&plain(name).as_str())
}

pub(in crate::read) fn is_clock(name: &str) -> bool {
    CLOCK.contains(&name.trim().to_lowercase().as_str()) || CLOCK.contains(&plain(name).as_str())
}

pub(in crate::read) fn counts_runs(name: &str) -> bool {
    RUNS_BEHIND.contains(&plain(name).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_numbers_under_them_are() {
        for (name, unit, says) in [
            ("batch_size", false, Says::Setting),
            ("maxBatchSize", false, Says::Setting),
            ("total_kv_blocks", false, Says::Setting),
            ("requests_per_run", false, Says::Nothing),
            ("latency_target_ms", true, Says::Setting),
            ("batch_latency", false, Says::Measured),
            ("Tokens/sec", false, Says::Measured),
            ("p95", false, Says::Measured),
            ("p2", false, Says::Nothing),
            ("tp", false, Says::Setting),
            ("widgets", false, Says::Nothing),
        ] {
            assert_eq!(says_of_numbers(name, unit), says, "{name}");
        }
        assert_eq!(plain("maxBatchSize (tokens)"), "max_batch_size");
        assert!(is_identity("__run_id") && is_identity("start_timestamp") && !is_identity("gpu"));
    }
}
