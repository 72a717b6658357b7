//! oha: `--output-format json` (`-j` of old versions).
//!
//! Replicate: a file, which is one call. It may have ended after a number of requests or after a time, so their
//! number is not part of the workload. Latencies are of successful requests.

use crate::error::Error;
use crate::read::llm::run_builder::{RunBuilder, S};
use crate::read::llm::tree::Node;
use crate::read::runners::{count_of_node, expected, json_with, time, trees};
use crate::read::{Content, Found, Options, Reader};

pub(super) const JSON: Reader = Reader {
    name: "oha json",
    recognised_by: "keys summary, requestsPerSec and latencyPercentiles",
    one_run: "a file, which is one call",
    metrics: &["request_throughput", "mean_e2el_ms", "median_e2el_ms", "p99_e2el_ms"],
    recognise: |content, _| {
        json_with(content, &["summary", "requestsPerSec", "latencyPercentiles"])
            && !json_with(content, &["$schema"])
    },
    read,
};

/// Errors of requests that were cut short by the end of the test.
const DEADLINE: &str = "aborted due to deadline";

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    for (index, root) in trees(content)?.iter().enumerate() {
        let Some(rate) = root.number("summary/requestsPerSec") else {
            let found = root.at("summary/requestsPerSec");
            return Err(expected(content, "summary.requestsPerSec", "a number", found));
        };
        let mut builder = RunBuilder::new(content, "oha", index + 1, "object");
        builder.timed();
        builder.metric("request_throughput", Some(rate));
        time(&mut builder, "mean_e2el_ms", root.number("summary/average"), S);
        time(&mut builder, "max_e2el_ms", root.number("summary/slowest"), S);
        for (key, value) in root.at("latencyPercentiles").map_or(&[][..], Node::entries) {
            let percent: Option<f64> = key.strip_prefix('p').and_then(|digits| digits.parse().ok());
            if let (Some(percent), Node::Number(value)) = (percent.filter(|p| *p >= 50.0), value) {
                let stem = format!("p{percent}_e2el_ms");
                time(&mut builder, &stem, Some(*value), S);
            }
        }
        builder.metadata("total_s", root.shown("summary/total"));
        let (mut good, mut bad) = (0, 0);
        for (status, value) in root.at("statusCodeDistribution").map_or(&[][..], Node::entries) {
            let fine = status.parse::<u16>().is_ok_and(|status| status < 400);
            *if fine { &mut good } else { &mut bad } += count_of_node(value);
        }
        for (error, value) in root.at("errorDistribution").map_or(&[][..], Node::entries) {
            if error != DEADLINE {
                bad += count_of_node(value);
            }
        }
        if root.has("statusCodeDistribution") {
            (builder.run.info.completed, builder.run.info.failed) = (Some(good), Some(bad));
        }
        builder.finish(&mut found, options)?;
    }
    Ok(found)
}
