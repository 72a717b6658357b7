//! oha: `--output-format json` (`-j` of old versions).
//!
//! Replicate: a file, which is one call. It may have ended after a number of requests or after a time, so their
//! number is not part of the workload. Latencies are of successful requests.

use crate::kit::prelude::*;

pub(crate) const JSON: Reader = Reader {
    name: "oha json",
    marks: Marks::JsonPart(&["summary", "requestsPerSec", "latencyPercentiles", "!$schema"]),
    one_run: "a file, which is one call",
    metrics: &["request_throughput", "mean_e2el_ms", "median_e2el_ms", "p99_e2el_ms"],
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// Errors of requests that were cut short by the end of the test.
const DEADLINE: &str = "aborted due to deadline";

fn read(file: &mut Reading) -> Result<(), Error> {
    for (index, root) in file.trees()?.iter().enumerate() {
        let Some(rate) = root.number("summary/requestsPerSec") else {
            let found = root.at("summary/requestsPerSec");
            return Err(file.expected("summary.requestsPerSec", "a number", found));
        };
        let mut builder = file.run("oha", index + 1, "object");
        builder.timed();
        builder.metric("request_throughput", Some(rate));
        builder.time("mean_e2el_ms", root.number("summary/average"), S);
        builder.time("max_e2el_ms", root.number("summary/slowest"), S);
        builder.latencies("e2el", root.at("latencyPercentiles"), S);
        builder.metadata("total_s", root.shown("summary/total"));
        let (mut good, mut bad) = (0, 0);
        for (status, value) in root.entries("statusCodeDistribution") {
            let good_status = status.parse::<u16>().is_ok_and(|status| status < 400);
            *if good_status { &mut good } else { &mut bad } += value.count("").unwrap_or(0);
        }
        let errors = root.entries("errorDistribution").iter();
        bad += errors
            .filter(|(error, _)| error != DEADLINE)
            .filter_map(|(_, value)| value.count(""))
            .sum::<u64>();
        if root.has("statusCodeDistribution") {
            builder.counts(Some(good), Some(bad));
        }
        file.add(builder)?;
    }
    Ok(())
}
