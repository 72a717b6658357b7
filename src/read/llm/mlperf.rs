//! `MLPerf` `LoadGen`: `mlperf_log_summary.txt`, nanoseconds throughout.
//!
//! Replicate: a file, which is one process; repeats lie in `run_1`, `run_2`, ... A result that is INVALID is
//! refused. The length of a test is a time, so the number of samples is not taken for a setting.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::read::fields;
use crate::read::llm::near;
use crate::read::llm::run_builder::{NS, RunBuilder};
use crate::read::{Content, Found, Options, Reader, SERVING};
use crate::runs::Skipped;

pub(super) const SUMMARY: Reader = Reader {
    name: "mlperf summary",
    recognised_by: "the title MLPerf Results Summary",
    one_run: "a file, which is one process",
    metrics: SERVING,
    recognise: |content, _| near(content, "MLPerf Results Summary") && near(content, "Scenario"),
    read,
};

/// End of a label, lower case, and name of the latency; the longest first.
const LATENCIES: &[(&str, &str)] = &[
    ("first token latency (ns)", "ttft"),
    ("time to output token (ns)", "tpot"),
    ("latency (ns)", "e2el"),
];

/// Settings that are the same in all runs of a submission, or chance.
const NOT_LOAD: &[&str] =
    &["print_timestamps", "accuracy_log", "max_async_queries", "performance_issue"];

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let text = content.text();
    let mut builder = RunBuilder::new(content, "mlperf", 1, "");
    let mut settings: BTreeMap<String, String> = BTreeMap::new();
    let mut parameters = false;
    for (index, line) in text.lines().enumerate() {
        parameters |= line.trim() == "Test Parameters Used";
        let Some((label, value)) = line.split_once(':') else { continue };
        let (label, value) = (label.trim(), value.trim());
        if parameters {
            settings.insert(label.to_owned(), value.to_owned());
            continue;
        }
        if label == "Result is" && value != "VALID" {
            let problem = format!("expected a result that is VALID, found {value}");
            let error = Error::at_line(
                content.path,
                index + 1,
                problem,
                "run the benchmark again, or remove the file",
            );
            if !options.lenient {
                return Err(error);
            }
            found.skipped.push(Skipped { place: "file".to_owned(), why: error.to_string() });
            return Ok(found);
        }
        metric(&mut builder, label, value);
        match label {
            "Scenario" => builder.load("scenario", Some(value.to_owned())),
            "Mode" => builder.load("mode", Some(value.to_owned())),
            "SUT name" => builder.metadata("sut", Some(value.to_owned())),
            _ => {}
        }
    }
    for (key, value) in settings {
        if key == "target_qps" {
            // Offline, it is what was expected rather than what was offered.
            if builder.run.workload.other.get("scenario").is_some_and(|s| s == "Offline") {
                builder.load(&key, Some(value));
                continue;
            }
            builder.rate(fields::number(&value).map(|number| number.value));
        } else if !NOT_LOAD.iter().any(|start| key.starts_with(start))
            && !key.ends_with("_seed")
            && fields::number(&value).is_some()
        {
            builder.load(&key, Some(value));
        }
    }
    builder.timed();
    builder.finish(&mut found, options)?;
    Ok(found)
}

fn metric(builder: &mut RunBuilder, label: &str, value: &str) {
    let Some(number) = fields::number(value) else { return };
    let folded = label.to_lowercase();
    // Some lines are printed twice with other spaces.
    match folded.as_str() {
        "completed samples per second" | "samples per second" => {
            builder.put("request_throughput", number);
            return;
        }
        "completed tokens per second" | "tokens per second" => {
            builder.put("output_throughput", number);
            return;
        }
        _ => {}
    }
    let Some((rest, stem)) =
        LATENCIES.iter().find_map(|(end, stem)| Some((folded.strip_suffix(end)?, stem)))
    else {
        return;
    };
    let word = rest.trim();
    let word = word
        .strip_suffix("percentile")
        .map_or(word.to_owned(), |percent| format!("p{}", percent.trim()));
    if let Some(prefix) = crate::read::llm::run_builder::statistic(&word) {
        builder.scaled(&format!("{prefix}_{stem}_ms"), Some(number.value), NS);
    }
}
