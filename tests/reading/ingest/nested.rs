//! JSON that people write for themselves. Expected values are those of the texts below.

use beyondnoise::error::chain;
use beyondnoise::read::{Options, load};
use beyondnoise::runs::{Dataset, Run, Setting};

fn file(name: &str, content: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a file");
    (folder, path.display().to_string())
}

fn read(content: &str) -> Result<Dataset, String> {
    let (_folder, path) = file("mine.json", content);
    load(&[path], &Options::default()).map(|loaded| loaded.dataset).map_err(|error| chain(&error))
}

fn all(dataset: &Dataset) -> Vec<Run> {
    let mut runs: Vec<Run> = dataset.runs().map(|(_, _, run)| run.clone()).collect();
    runs.sort_by(|a, b| a.source.cmp(&b.source));
    runs
}

/// No workload has two runs of one variant.
#[track_caller]
fn nothing_pooled(dataset: &Dataset) {
    for group in &dataset.groups {
        for variant in &group.variants {
            assert_eq!(variant.runs.len(), 1, "{:?}", group.workload);
        }
    }
}

const SWEEP: &str = r#"{"gpu": "T4", "model": "m/M", "max_new_tokens": 256, "took": 12.34,
  "results": [
    {"concurrency": 1, "aggregate_tps": 60.46, "p99_ms": 4367.0, "n_requests": 32},
    {"concurrency": 2, "aggregate_tps": 112.65, "p99_ms": 4562.3, "n_requests": 32},
    {"concurrency": 8, "aggregate_tps": 345.85, "p99_ms": 5932.6, "n_requests": 32}]}"#;

#[test]
fn elements_of_the_one_list_are_runs_and_what_stands_beside_it_is_their_setting() {
    let found = read(SWEEP).expect("a list of results");
    let runs = all(&found);
    assert_eq!((found.inputs[0].format, runs.len()), (Some("nested json"), 3));
    nothing_pooled(&found);
    assert_eq!(found.groups.len(), 3, "a load each");
    let last = &runs[2];
    assert!((last.metrics["aggregate_tps"].value - 345.85).abs() < 1e-9);
    assert_eq!(last.workload.model.as_deref(), Some("m/M"));
    assert_eq!(&*last.metadata["gpu"], "T4");
    assert_eq!(&*last.metadata["max_new_tokens"], "256");
    assert!(!last.metrics.contains_key("max_new_tokens") && !last.metrics.contains_key("took"));
    let notes: Vec<&str> = found.inputs[0].skipped.iter().map(|note| &*note.why).collect();
    assert!(
        notes.iter().any(|why| why.contains("beside \"results\"") && why.contains("took")),
        "{notes:?}"
    );
}

#[test]
fn a_text_or_a_target_in_which_records_differ_is_a_setting() {
    let found = read(
        r#"{"tier": "large", "timestamp": "2026-02-02T03:26:05", "results": [
        {"log_type": "a", "target_qps": 50, "achieved_qps": 9.31, "cost": 14.62},
        {"log_type": "b", "target_qps": 50, "achieved_qps": 123.57, "cost": 2.89},
        {"log_type": "a", "target_qps": 100, "achieved_qps": 9.59, "cost": 14.17},
        {"log_type": "b", "target_qps": 100, "achieved_qps": 248.01, "cost": 1.44}]}"#,
    )
    .expect("a list of results");
    assert_eq!(all(&found).len(), 4);
    nothing_pooled(&found);
    assert!(all(&found).iter().all(|run| !run.metrics.contains_key("timestamp")));
}

#[test]
fn keys_of_objects_are_settings() {
    let found = read(
        r#"{"input": "raw.jsonl", "profiles": ["LL", "SS"], "concurrencies": [1, 2], "by_profile": {
        "LL": {"1": {"ttft_s": {"n": 21, "mean": 0.0355, "min": 0.03, "p50": 0.0338, "p99": 0.0429}},
               "2": {"ttft_s": {"n": 21, "mean": 0.055, "min": 0.037, "p50": 0.0571, "p99": 0.0593}}},
        "SS": {"1": {"ttft_s": {"n": 20, "mean": 0.025, "min": 0.02, "p50": 0.0238, "p99": 0.0329}},
               "2": {"ttft_s": {"n": 20, "mean": 0.045, "min": 0.027, "p50": 0.0471, "p99": 0.0493}}}}}"#,
    )
    .expect("objects of results");
    let runs = all(&found);
    assert_eq!((runs.len(), found.groups.len()), (4, 4));
    nothing_pooled(&found);
    // 0.0355 s are 35.5 ms; the smallest value and the count are no metrics.
    assert!((runs[0].metrics["mean_ttft_ms"].value - 35.5).abs() < 1e-9);
    assert!((runs[3].metrics["median_ttft_ms"].value - 47.1).abs() < 1e-9);
    assert!(runs[0].metrics.keys().all(|name| name.contains("ttft")), "{:?}", runs[0].metrics);
    let limits: Vec<_> = runs.iter().map(|run| run.workload.max_concurrency.clone()).collect();
    assert!(limits.contains(&Setting::Value(1.0)) && limits.contains(&Setting::Value(2.0)));
    // Keys of which nothing says what they are.
    let found =
        read(r#"{"64": {"score_ms": 1.2345}, "37": {"score_ms": 2.3456}}"#).expect("objects");
    nothing_pooled(&found);
    assert_eq!((all(&found).len(), found.groups.len()), (2, 2));
    assert!(all(&found).iter().all(|run| run.metrics.len() == 1));
}

#[test]
fn a_plain_list_under_names_of_its_own_is_read() {
    let found = read(
        r#"[{"mode": "baseline", "avg_tok_s": 6.5, "accept_rate": null},
            {"mode": "mtp-2", "avg_tok_s": 12.4, "accept_rate": 0.7971}]"#,
    )
    .expect("a list");
    assert_eq!(all(&found).len(), 2);
    nothing_pooled(&found);
    assert!(!all(&found)[0].metrics.contains_key("accept_rate"));
}

#[test]
fn what_may_be_meant_in_two_ways_is_not_read() {
    for (content, words) in [
        (
            r#"{"a": [{"x_ms": 1.234}, {"x_ms": 1.345}], "b": [{"x_ms": 2.345}, {"x_ms": 2.456}]}"#,
            &["expected one list of results, found 2: a, b", "jq '.[\"a\"]' FILE"][..],
        ),
        (
            r#"{"engine": "v", "runs_seconds": [0.107, 0.106, 0.1061], "best_seconds": 0.106}"#,
            &["\"runs_seconds\"", "may be runs, or parts of one run", "a row each"],
        ),
        (
            r#"{"engine": "v", "requests": [{"x_ms": 1.234}, {"x_ms": 1.345}]}"#,
            &["\"requests\"", "may be runs, or parts of one run"],
        ),
    ] {
        let message = read(content).expect_err(content);
        assert!(words.iter().all(|words| message.contains(words)), "{message}");
        assert!(!message.contains("run the benchmark again"), "{message}");
    }
    // One step and what was derived from it are one run.
    let found = read(
        r#"{"capacity_by_slo_ms": {"2000": null, "5000": {"ttft_p95_ms": 2674.8}, "9000": {"ttft_p95_ms": 2674.8}},
            "steps": [{"configured_rps": 0.1, "ttft_p95_ms": 2674.8}]}"#,
    )
    .expect("one list");
    assert_eq!(all(&found).len(), 1);
}

#[test]
fn parts_of_an_object_are_read_as_its_own_keys() {
    let found = read(
        r#"{"metadata": {"model": "m/M", "gpu": "T4"}, "warmup": [{"tps": 1.234}], "runs": [
        {"run": 1, "config": {"batch": 8}, "metrics": {"ttft_ms": 12.5, "tps": 100.25}, "latencies": [1.5, 2.5]},
        {"run": 2, "config": {"batch": 8}, "metrics": {"ttft_ms": 13.5, "tps": 101.25}, "latencies": [1.5, 2.5]}]}"#,
    )
    .expect("one list beside the warm-up");
    let runs = all(&found);
    assert_eq!(runs.len(), 2);
    assert_eq!(runs[0].workload.model.as_deref(), Some("m/M"));
    assert_eq!(&*runs[0].metadata["gpu"], "T4");
    assert!((runs[1].metrics["ttft_ms"].value - 13.5).abs() < 1e-9, "{:?}", runs[1].metrics);
    let notes: Vec<&str> = found.inputs[0].skipped.iter().map(|note| &*note.why).collect();
    assert!(notes.iter().any(|why| why.contains("warmup")), "{notes:?}");
    assert!(
        notes.iter().any(|why| why.contains("lists in its records") && why.contains("latencies"))
    );
    // Keys below a name that is a setting are its values.
    let found =
        read(r#"{"gpu": "T4", "batch_sizes": {"1": {"tok_s": 12.345}, "8": {"tok_s": 80.125}}}"#);
    let found = found.expect("objects under keys");
    nothing_pooled(&found);
    let sizes: Vec<&str> =
        found.groups.iter().map(|group| &*group.workload.other["batch_size"]).collect();
    assert_eq!(sizes, ["1", "8"]);
}

#[test]
fn a_list_beside_a_stated_result_is_not_taken_for_runs() {
    let found =
        read(r#"{"mean_ttft_ms": 12.5, "results": [{"ttft_ms": 12.25}, {"ttft_ms": 12.75}]}"#)
            .expect("the result at the top");
    assert_eq!((found.inputs[0].format, all(&found).len()), (Some("flat json"), 1));
    // How long all of it took, and the word variant, say nothing against a list.
    for head in [r#""duration": 12.5, "model": "m","#, r#""variant": "a","#] {
        let text = format!(
            r#"{{{head} "results": [{{"concurrency": 1, "tps": 60.125}}, {{"concurrency": 8, "tps": 80.125}}]}}"#
        );
        let found = read(&text).expect("a list");
        assert_eq!((found.inputs[0].format, all(&found).len()), (Some("nested json"), 2), "{head}");
        assert!(all(&found).iter().all(|run| !run.metrics.contains_key("duration")));
    }
}

#[test]
fn configurations_and_other_data_are_no_results() {
    for content in [
        r#"{"model": "m", "server_config": {"max_model_len": 131072, "gpu_memory_utilization": 0.90}}"#,
        r#"{"path": "OUTCAR", "energy": -2048.35415647, "fermi_contact": [-2.067, 136.893]}"#,
        r#"{"temperature": 0.7}"#,
        r#"[{"temperature": 0.7, "prompt": "a"}, {"temperature": 0.9, "prompt": "b"}]"#,
        r#"{"name": "x", "items": [{"id": 1, "label": "a"}, {"id": 2, "label": "b"}]}"#,
    ] {
        let message = read(content).expect_err(content);
        assert!(message.contains("found none"), "{message}");
    }
    // In a folder it may be anything.
    let (folder, _) = file("mine.json", SWEEP);
    let input = folder.path().display().to_string();
    let message = chain(&load(&[input], &Options::default()).expect_err("a folder"));
    assert!(message.contains("name the file to read it"), "{message}");
}

#[test]
fn no_nesting_panics() {
    for content in [
        "{}",
        "[]",
        "[{}]",
        r#"{"a": []}"#,
        r#"{"a": [{}]}"#,
        r#"{"a": {"b": {}}}"#,
        r#"{"a": [[1.25]]}"#,
        r#"{"a": {"b": {"c": {"d": {"e": {"f": 1.2345}, "g": {"f": 1.2345}}}}}}"#,
        r#"{"": {"": {"x_ms": 1.234}, " ": {"x_ms": 1.345}}}"#,
        r#"{"a": [{"x_ms": NaN}, {"x_ms": Infinity}]}"#,
        r#"{"key": 1, "b": {"1": {"key": 1.2345}, "2": {"key": 2.3456}}}"#,
    ] {
        let _ = read(content);
    }
}

/// R5: elements of a list that hold a list of runs each are settings of these.
#[test]
fn a_list_of_runs_in_each_element_is_read() {
    let of = |engine: &str, load: u32, ttft: f64| {
        format!(
            r#"{{"engine": "{engine}", "concurrency": {load}, "runs": [{{"ttft_ms": {ttft}}}, {{"ttft_ms": {}}}]}}"#,
            ttft + 0.37
        )
    };
    let text = format!(
        r#"{{"date": "2026-04-02", "results": [{}, {}, {}, {}]}}"#,
        of("vllm", 1, 80.12),
        of("vllm", 8, 150.34),
        of("sglang", 1, 75.56),
        of("sglang", 8, 141.78)
    );
    let found = read(&text).expect("lists of runs");
    assert_eq!(all(&found).len(), 8);
    assert!(
        found
            .groups
            .iter()
            .flat_map(|group| &group.variants)
            .all(|variant| variant.runs.len() == 2)
    );
}
