//! `InferenceX` (`InferenceMAX`): `agg_*.json`, one object or a list, and the raw results with unsuffixed keys.
//!
//! Replicate: an object, which is one benchmark of one configuration. Latencies are in seconds without a
//! suffix. Interactivity (`*_intvty`) is 1000 / TPOT once more and is left out: of its P99 the slow end is
//! meant although more is better.

use crate::clients::serving_json::STREAMED;
use crate::kit::prelude::*;
use crate::kit::varying;
use beyondnoise_model::runs::Setting;

pub(crate) const AGGREGATE: Reader = Reader {
    name: "inferencex json",
    marks: Marks::Json(&["tput_per_gpu", "conc", "hw"]),
    one_run: "an object, which is one benchmark of one configuration",
    metrics: SERVING,
    definitions: &[("inferencex", STREAMED)],
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

pub(crate) const RAW: Reader = Reader {
    name: "inferencex raw json",
    marks: Marks::Json(&["model_id", "request_throughput", "median_ttft|p99_ttft"]),
    one_run: "an object, which is one call of the client",
    metrics: SERVING,
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
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

fn read(file: &mut Reading) -> Result<(), Error> {
    let trees = file.trees()?;
    let setting = |root: &Node, key: &str| Some((key.to_owned(), root.shown(key)?));
    let settings: Vec<Vec<(String, String)>> = trees
        .iter()
        .map(|root| CONFIGURATION.iter().filter_map(|key| setting(root, key)).collect())
        .collect();
    let variants = varying::names(&settings);
    for (index, (root, settings)) in trees.iter().zip(settings).enumerate() {
        let mut builder = file.run("inferencex", index + 1, "object");
        for (key, value) in root.entries("") {
            if let (Some((word, stem)), Some(value)) = (key.rsplit_once('_'), value.number(""))
                && STEMS.contains(&stem)
            {
                builder.latency(word, stem, Number::binary(value).times(S));
            }
        }
        builder.metrics(root, TOTALS);
        builder.run.info.completed = root.count("completed");
        builder.tokens(root.count("total_input_tokens"), root.count("total_output_tokens"));
        builder.run.workload.requests = root.count("num_prompts");
        builder.run.info.started = root.word("date");
        builder.run.workload.model = root.word("model|model_id|infmax_model_prefix");
        builder.concurrency(root.number("conc|max_concurrency"));
        if let Some(rate) = root.shown("request_rate") {
            builder.run.workload.request_rate = Setting::parse(&rate);
        }
        builder.loads(root, &[("isl", "isl"), ("osl", "osl")]);
        builder.configuration(variants[index].clone(), settings);
        file.add(builder)?;
    }
    Ok(())
}
