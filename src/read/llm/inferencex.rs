//! `InferenceX` (`InferenceMAX`): `agg_*.json`, one object or a list, and the raw results with unsuffixed keys.
//!
//! Replicate: an object, which is one benchmark of one configuration. Latencies are in seconds without a
//! suffix. Interactivity (`*_intvty`) is 1000 / TPOT once more and is left out: of its P99 the slow end is
//! meant although more is better.

use crate::error::Error;
use crate::read::llm::run_builder::{RunBuilder, S, statistic};
use crate::read::llm::tree::{Node, objects};
use crate::read::llm::{json_with, varying};
use crate::read::{Content, Found, Options, Reader, SERVING};

pub(super) const AGGREGATE: Reader = Reader {
    name: "inferencex json",
    recognised_by: "keys tput_per_gpu, conc and hw",
    one_run: "an object, which is one benchmark of one configuration",
    metrics: SERVING,
    recognise: |content, _| json_with(content, &["tput_per_gpu", "conc", "hw"]),
    read,
};

pub(super) const RAW: Reader = Reader {
    name: "inferencex raw json",
    recognised_by: "keys model_id and median_ttft or p99_ttft, in seconds",
    one_run: "an object, which is one call of the client",
    metrics: SERVING,
    recognise: |content, _| {
        json_with(content, &["model_id", "request_throughput"])
            && (json_with(content, &["median_ttft"]) || json_with(content, &["p99_ttft"]))
    },
    read,
};

const STEMS: &[&str] = &["ttft", "tpot", "itl", "e2el"];

const TOTALS: &[(&str, &str)] = &[
    ("tput_per_gpu", "tput_per_gpu"),
    ("output_tput_per_gpu", "output_tput_per_gpu"),
    ("input_tput_per_gpu", "input_tput_per_gpu"),
    ("duration", "duration"),
    ("request_throughput", "request_throughput"),
    ("request_goodput", "request_goodput"),
    ("output_throughput", "output_throughput"),
    ("total_token_throughput", "total_token_throughput"),
    ("input_throughput", "input_throughput"),
];

/// Keys of the compared configuration, not of the load.
const CONFIGURATION: &[&str] = &[
    "hw",
    "framework",
    "image",
    "precision",
    "spec_decoding",
    "disagg",
    "is_multinode",
    "tp",
    "ep",
    "dp_attention",
    "prefill_tp",
    "prefill_ep",
    "prefill_dp_attention",
    "decode_tp",
    "decode_ep",
    "decode_dp_attention",
    "num_prefill_gpu",
    "num_decode_gpu",
];

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let mut found = Found::default();
    let trees = objects(content.path, content.bytes(), &[])?;
    let configuration = |root: &Node| -> Vec<(String, String)> {
        let keys = CONFIGURATION.iter();
        keys.filter_map(|key| Some(((*key).to_owned(), root.shown(key)?))).collect()
    };
    let settings: Vec<_> = trees.iter().map(|tree| configuration(&tree.root)).collect();
    for ((tree, settings), variant) in trees.iter().zip(&settings).zip(varying::names(&settings)) {
        let root = &tree.root;
        let mut builder = RunBuilder::new(content, "inferencex", tree.index, "object");
        for (key, value) in root.entries() {
            let Some((word, stem)) = key.rsplit_once('_') else { continue };
            if let (Some(prefix), Node::Number(value), true) =
                (statistic(word), value, STEMS.contains(&stem))
            {
                builder.scaled(&format!("{prefix}_{stem}_ms"), Some(*value), S);
            }
        }
        for (key, name) in TOTALS {
            builder.metric(name, root.number(key));
        }
        builder.run.info.completed = root.count_at("completed");
        builder.run.info.output_tokens = root.count_at("total_output_tokens");
        builder.run.workload.input_tokens = root.count_at("total_input_tokens");
        builder.run.workload.requests = root.count_at("num_prompts");
        builder.run.info.started = root.text("date").map(str::to_owned);
        let model = ["model", "model_id", "infmax_model_prefix"];
        builder.run.workload.model = model.iter().find_map(|key| root.text(key)).map(str::to_owned);
        builder.concurrency(root.number("conc").or_else(|| root.number("max_concurrency")));
        if let Some(rate) = root.shown("request_rate") {
            builder.run.workload.request_rate = crate::runs::Setting::parse(&rate);
        }
        builder.load("isl", root.shown("isl"));
        builder.load("osl", root.shown("osl"));
        builder.configuration(variant);
        for (key, value) in settings {
            builder.metadata(key, Some(value.clone()));
        }
        builder.finish(&mut found, options)?;
    }
    Ok(found)
}
