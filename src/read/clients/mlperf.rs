//! `MLPerf` `LoadGen`: `mlperf_log_summary.txt`, nanoseconds throughout.
//!
//! Replicate: a file, which is one process; repeats lie in `run_1`, `run_2`, ... A result that is INVALID is
//! refused. The length of a test is a time, so the number of samples is not taken for a setting.

use crate::kit::prelude::*;
use beyondnoise_model::runs::{Definitions, ONE_OF_THE_VALUES};

pub(crate) const SUMMARY: Reader = Reader {
    name: "mlperf summary",
    marks: Marks::Near(&["MLPerf Results Summary", "Scenario"]),
    one_run: "a file, which is one process",
    metrics: SERVING,
    definitions: &[(
        "mlperf",
        Definitions { percentiles: Some(ONE_OF_THE_VALUES), ..Definitions::UNKNOWN },
    )],
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// Label in lower case, and metric; some lines are printed twice with other spaces.
const TOTALS: &[(&str, &str)] = &[
    ("completed samples per second", "request_throughput"),
    ("samples per second", "request_throughput"),
    ("completed tokens per second", "output_throughput"),
    ("tokens per second", "output_throughput"),
];

/// End of a label, lower case, and name of the latency; the longest first.
const LATENCIES: &[(&str, &str)] = &[
    ("first token latency (ns)", "ttft"),
    ("time to output token (ns)", "tpot"),
    ("latency (ns)", "e2el"),
];

/// Settings that are the same in all runs of a submission, or chance.
const NOT_LOAD: &[&str] =
    &["print_timestamps", "accuracy_log", "max_async_queries", "performance_issue"];

fn read(file: &mut Reading) -> Result<(), Error> {
    let text = file.content.text();
    let mut builder = file.run("mlperf", 1, "");
    let (mut parameters, mut offline) = (false, false);
    for (index, line) in text.lines().enumerate() {
        parameters |= line.trim() == "Test Parameters Used";
        let Some((label, value)) = line.split_once(':') else { continue };
        let (label, value) = (label.trim(), value.trim());
        match label {
            _ if parameters => parameter(&mut builder, label, value, offline),
            "Result is" if value != "VALID" => {
                let problem = format!("expected a result that is VALID, found {value}");
                let remedy = "run the benchmark again, or remove the file";
                let error = file.error_at(index + 1, problem, remedy);
                return file.refuse("file", error);
            }
            "Scenario" => {
                offline = value == "Offline";
                builder.load("scenario", Some(value.to_owned()));
            }
            "Mode" => builder.load("mode", Some(value.to_owned())),
            "SUT name" => builder.metadata("sut", Some(value.to_owned())),
            _ => metric(&mut builder, &label.to_lowercase(), value),
        }
    }
    builder.timed();
    file.add(builder)
}

/// Takes a setting of the test.
fn parameter(builder: &mut RunBuilder, key: &str, value: &str, offline: bool) {
    let Some(number) = number(value) else { return };
    // Offline, it is what was expected rather than what was offered.
    if key == "target_qps" && !offline {
        builder.rate(Some(number.value));
    } else if !NOT_LOAD.iter().any(|start| key.starts_with(start)) && !key.ends_with("_seed") {
        builder.load(key, Some(value.to_owned()));
    }
}

/// Takes a line of results, whose label is in lower case.
fn metric(builder: &mut RunBuilder, label: &str, value: &str) {
    let Some(number) = number(value) else { return };
    if let Some((_, metric)) = TOTALS.iter().find(|(known, _)| *known == label) {
        builder.put(metric, number);
        return;
    }
    let latency =
        |(end, stem): &(&str, &'static str)| Some((label.strip_suffix(end)?.trim(), *stem));
    if let Some((word, stem)) = LATENCIES.iter().find_map(latency) {
        let percent = word.strip_suffix("percentile").map(|percent| format!("{}%", percent.trim()));
        builder.latency(
            percent.as_deref().unwrap_or(word),
            stem,
            Number::binary(number.value).times(NS),
        );
    }
}
