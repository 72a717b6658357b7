//! Several runs in one text or object: which are repeats, which are loads, and what names them.

use std::collections::BTreeSet;

use beyondnoise::runs::{Dataset, Setting};

use super::{dataset, own, read, runs, value};

/// Names and numbers of runs of the variants of each group.
fn counts(dataset: &Dataset) -> Vec<Vec<(&str, usize)>> {
    dataset
        .groups
        .iter()
        .map(|group| group.variants.iter().map(|v| (&*v.name, v.runs.len())).collect())
        .collect()
}

fn written(name: &str, content: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a file");
    (folder, path.display().to_string())
}

#[test]
fn machines_and_sizes_of_inferencex_are_variants_and_never_repeats() {
    let found = dataset(&[&own("inferencex/agg_2025.json")]);
    let all: Vec<(&str, usize)> = counts(&found).concat();
    assert_eq!(
        all,
        [
            ("hw=h200-trt framework=trt tp=4", 1),
            ("hw=h200-trt framework=trt tp=8", 1),
            ("hw=mi300x framework=vllm tp=8", 1)
        ]
    );
    // With the file as one variant each configuration is a workload.
    let text = std::fs::read_to_string(own("inferencex/agg_2025.json")).expect("a fixture");
    let (_folder, other) = written("new.json", &text.replace("0.085", "0.095"));
    let two =
        dataset(&[&format!("old={}", own("inferencex/agg_2025.json")), &format!("new={other}")]);
    assert!(two.groups.iter().all(|group| group.variants.iter().all(|v| v.runs.len() == 1)));
}

#[test]
fn summaries_of_llmperf_under_keys_are_loads() {
    let found = dataset(&[&own("llmperf/by_concurrency.json")]);
    let limits: Vec<&Setting> =
        found.groups.iter().map(|group| &group.workload.max_concurrency).collect();
    assert_eq!(limits, [&Setting::Value(1.0), &Setting::Value(8.0)]);
    // A key that is not the number in flight is a setting too.
    let text = std::fs::read_to_string(own("llmperf/by_concurrency.json")).expect("a fixture");
    let same = text.replace("\"num_concurrent_requests\": 8", "\"num_concurrent_requests\": 1");
    let (_folder, path) = written("k.json", &same);
    assert_eq!(dataset(&[&path]).groups.len(), 2);
}

#[test]
fn what_the_server_counted_is_no_second_run_of_a_stage() {
    let found = dataset(&[&own("inference-perf")]);
    assert_eq!(found.runs().count(), 2);
    let server = found.inputs.iter().find(|input| input.path.contains("prometheus"));
    let why = &server.expect("named").skipped[0].why;
    assert!(why.contains("stage_1_lifecycle_metrics.json beside it"), "{why}");
    let alone = dataset(&[&own("inference-perf-server/stage_1_prometheus_metrics.json")]);
    let run = runs(&alone)[0].clone();
    assert_eq!(run.workload.client.as_deref(), Some("inference-perf, server"));
    assert!(!run.metrics.keys().any(|name| name.contains("cache") || name.contains("queue")));
}

#[test]
fn tests_of_llama_bench_inside_an_object_keep_its_texts() {
    let found = dataset(&[&own("llama-bench/wrapped.json")]);
    assert!(runs(&found).iter().all(|run| run.metadata["toolbox"] == "rocm"));
    assert_eq!(runs(&found)[0].metadata["iterations_of_one_process"], "3");
    let found = dataset(&[&own("llama-bench/wrapped-text.json")]);
    assert!(runs(&found).iter().all(|run| run.metadata["toolbox"] == "vulkan"));
}

#[test]
fn columns_of_a_report_are_named_in_its_title_or_not_read() {
    let found = dataset(&[&own("trtllm/columns.md")]);
    assert_eq!(counts(&found), [[("main", 1), ("my branch", 1)]]);
    let text = std::fs::read_to_string(own("trtllm/columns.md")).expect("a fixture");
    let (_folder, path) = written("c.md", &text.replace(" ( main / my branch)", ""));
    let message = read(&[&path]).expect_err("no names");
    assert!(message.contains("line 10") && message.contains("names of 2 columns"), "{message}");
}

#[test]
fn reports_of_trtllm_bench_one_after_the_other_keep_their_heads() {
    let text = std::fs::read_to_string(own("trtllm/printed.txt")).expect("a fixture");
    let second = text
        .replace("TP Size:                8", "TP Size:                4")
        .replace("2560.0000", "1280.0000");
    let (_folder, path) = written("r.txt", &format!("before:\n{text}\nafter:\n{second}"));
    let found = dataset(&[&path]);
    let all = runs(&found);
    let of = |at: usize| {
        (&*all[at].variant, &*all[at].metadata["tp_size"], value(all[at], "output_throughput"))
    };
    assert_eq!(of(0), ("before", "8", 2560.0));
    assert_eq!(of(1), ("after", "4", 1280.0));
    assert!(all.iter().all(|run| run.workload.model.as_deref() == Some("m/M")));
    assert!(!all[0].metrics.keys().any(|name| name.contains("gtps")));
}

#[test]
fn a_warm_up_is_no_batch_and_settings_of_one_call_are_no_repeats() {
    let found = dataset(&[&own("sglang/one_batch.txt")]);
    let input = &found.inputs[0];
    assert_eq!((input.runs, &*input.skipped[0].why), (4, "warm-up: 2 of 6 batches"));
    assert_eq!(counts(&found), [[("before", 1), ("after", 1)], [("before", 1), ("after", 1)]]);
    let lengths: BTreeSet<&str> =
        runs(&found).iter().map(|run| &*run.workload.other["input_len"]).collect();
    // 0.02 s at 25600 tokens/s are 512 tokens: 128 of each of 4; the other setting has 256.
    assert_eq!(lengths, BTreeSet::from(["128", "256"]));
    let text = std::fs::read_to_string(own("sglang/one_batch.txt")).expect("a fixture");
    let cut = text.lines().take(9).collect::<Vec<_>>().join("\n");
    let (_folder, path) = written("cut.txt", &cut);
    let message = read(&[&path]).expect_err("cut");
    assert!(message.contains("line 8") && message.contains("the end of the file"), "{message}");
}

#[test]
fn calls_of_the_first_serving_benchmark_have_the_settings_above_them() {
    let found = dataset(&[&own("vllm-2023/serving.txt")]);
    assert_eq!(counts(&found), [[("main", 1), ("branch", 1)]]);
    let workload = &found.groups[0].workload;
    assert_eq!(workload.request_rate, Setting::Value(40.0));
    assert_eq!((workload.requests, workload.model.as_deref()), (Some(1000), Some("m/M")));
    let run = runs(&found)[0];
    // Two decimals of a second.
    assert!((run.metrics["mean_e2el_ms"].resolution - 5.0).abs() < 1e-9);
    assert!(!run.metrics.contains_key("mean_tpot_ms"));
    let text = std::fs::read_to_string(own("vllm-2023/serving.txt")).expect("a fixture");
    let (_folder, path) = written("u.txt", &text.replace("77.68 s", "77.68 apples"));
    assert!(read(&[&path]).expect_err("a unit").contains("line 6"));
}
