//! Kubernetes' inference-perf: `stage_<N>_lifecycle_metrics.json` and `summary_lifecycle_metrics.json`.
//!
//! Replicate: a report folder, which is one call of the client. A stage is one load; the summary mixes all
//! stages and is read only where no stage lies beside it. Seconds throughout. The number of requests
//! follows from rate and time and is not taken for a setting.

use std::path::Path;

use crate::error::Error;
use crate::read::llm::draft::{Draft, S};
use crate::read::llm::json_with;
use crate::read::llm::siblings::beside;
use crate::read::llm::tree::objects;
use crate::read::{Content, Found, Options, Reader, SERVING};
use crate::runs::Skipped;

pub(super) const JSON: Reader = Reader {
    name: "inference-perf json",
    recognised_by: "keys load_summary, successes and failures",
    one_run: "a stage of a report, which is one load of one call of the client",
    metrics: SERVING,
    recognise: |content, _| json_with(content, &["load_summary", "successes", "failures"]),
    read,
};

const LATENCIES: &[(&str, &str)] = &[
    ("time_to_first_token", "ttft"),
    ("time_per_output_token", "tpot"),
    ("inter_token_latency", "itl"),
    ("request_latency", "e2el"),
    ("normalized_time_per_output_token", "normalized_tpot"),
];

const TOTALS: &[(&str, &str)] = &[
    ("requests_per_sec", "request_throughput"),
    ("output_tokens_per_sec", "output_throughput"),
    ("total_tokens_per_sec", "total_token_throughput"),
    ("input_tokens_per_sec", "input_throughput"),
];

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let name = Path::new(content.path).file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    if name.starts_with("summary_")
        && beside(content, &name.replace("summary_", "stage_0_")).is_some()
    {
        let why = "mixes the stages that lie beside it".to_owned();
        found.skipped.push(Skipped { place: "file".to_owned(), why });
        return Ok(found);
    }
    for tree in objects(content.path, content.bytes(), &[])? {
        let root = &tree.root;
        let mut draft = Draft::new(content, "inference-perf", tree.index, "object");
        for (key, stem) in LATENCIES {
            draft.latency(stem, root.at(&format!("successes/latency/{key}")), S);
        }
        for (key, name) in TOTALS {
            draft.metric(name, root.number(&format!("successes/throughput/{key}")));
        }
        draft.run.facts.completed = root.count("successes/count");
        draft.run.facts.failed = root.count("failures/count");
        draft.rate(root.number("load_summary/requested_rate"));
        let stage = name.strip_prefix("stage_").and_then(|rest| rest.split('_').next());
        draft.load("stage", stage.map(str::to_owned));
        draft.timed();
        draft.finish(&mut found, options)?;
    }
    Ok(found)
}
