//! What is a run, what is a repeat of it, what is another workload, and what is left out.

use beyondnoise::runs::{Group, Setting};

use super::{dataset, own, read, runs, value};

fn counts(group: &Group) -> Vec<(&str, usize)> {
    group.variants.iter().map(|variant| (variant.name.as_str(), variant.runs.len())).collect()
}

/// `profile_runs/run_000N` are repeats; the aggregate beside them is none.
#[test]
fn runs_of_aiperf_are_repeats_and_their_aggregate_is_no_run() {
    let folder = own("aiperf/profile_runs");
    let found = dataset(&[&folder]);
    assert_eq!(counts(&found.groups[0]), [("profile_export_aiperf", 3)]);
    let found = dataset(&[&format!("x={folder}")]);
    assert_eq!(counts(&found.groups[0]), [("x", 3)]);
    let message = read(&[&own("aiperf/aggregate")]).expect_err("no run");
    assert!(message.contains("aiperf aggregate") && message.contains("not a run"), "{message}");
}

#[test]
fn request_rows_are_one_run_without_warm_up_and_failures() {
    let found = dataset(&[&own("aiperf/requests-only/profile_export.jsonl")]);
    let run = runs(&found)[0];
    assert_eq!((run.info.completed, run.info.failed), (Some(3), Some(1)));
    let requests = run.requests.as_ref().expect("detail");
    // By hand: 20, 30 and 40 ms.
    assert_eq!((requests.counts["ttft"], requests.figures["mean_ttft_ms"].value), (3, 30.0));
    assert!(found.inputs[0].skipped[0].why.contains("1 warm-up"));
    let found = dataset(&[&own("llmperf/requests-only/tiny_individual_responses.json")]);
    let run = runs(&found)[0];
    assert_eq!((run.info.completed, run.info.failed), (Some(3), Some(1)));
}

#[test]
fn iterations_of_one_process_are_one_run_that_says_so() {
    for (file, iterations) in [
        ("vllm/latency.json", "4"),
        ("llama-bench/tests.jsonl", "3"),
        ("llama-bench/table.md", "not said"),
    ] {
        let found = dataset(&[&own(file)]);
        let run = runs(&found)[0];
        assert_eq!(run.metadata["iterations_of_one_process"], iterations, "{file}");
    }
}

/// One element is one load point; a test that ended after a time has no fixed number of requests.
#[test]
fn elements_of_guidellm_are_loads_and_not_repeats() {
    let found = dataset(&[&own("guidellm/hand-made.json")]);
    assert_eq!(found.groups.len(), 2);
    let (by_count, by_time) = (&found.groups[0].workload, &found.groups[1].workload);
    assert_eq!((&by_count.max_concurrency, by_count.requests), (&Setting::Value(2.0), Some(10)));
    assert_eq!((&by_time.max_concurrency, by_time.requests), (&Setting::Value(4.0), None));
    let run = &found.groups[0].variants[0].runs[0];
    assert!(!run.metrics.keys().any(|name| name.contains("time_per_output_token")));
}

#[test]
fn a_report_of_guidellm_and_its_table_are_one_run() {
    let found = dataset(&[&own("guidellm")]);
    let sizes: Vec<usize> = found.groups.iter().map(|group| group.variants[0].runs.len()).collect();
    assert_eq!(sizes, [1, 1]);
    assert_eq!(found.groups.iter().map(|group| group.duplicates.len()).sum::<usize>(), 2);
}

#[test]
fn lines_of_one_file_are_grouped_by_their_settings() {
    let found = dataset(&[&own("sglang/one_batch.jsonl")]);
    let sizes: Vec<usize> = found.groups.iter().map(|group| group.variants[0].runs.len()).collect();
    assert_eq!(sizes, [2, 1]);
    let found = dataset(&[&own("lmdeploy/api_1121_100_512_128.jsonl")]);
    let sizes: Vec<usize> = found.groups.iter().map(|group| group.variants[0].runs.len()).collect();
    assert_eq!(sizes, [2, 1]);
    assert_eq!(found.groups[1].workload.request_rate, Setting::Value(4.0));
}

/// Configurations of one file are variants where nothing else names these, and workloads elsewhere.
#[test]
fn configurations_of_one_file_are_never_repeats_of_each_other() {
    let file = own("llama-bench/tests.json");
    let found = dataset(&[&file]);
    assert_eq!(counts(&found.groups[0]), [("n_threads=8", 2), ("n_threads=16", 1)]);
    let found = dataset(&[&format!("a={file}")]);
    let sizes: Vec<_> = found.groups.iter().map(counts).collect();
    assert_eq!(sizes, [[("a", 2)], [("a", 1)], [("a", 1)]]);
    let found = dataset(&[&own("inferencex/agg_bmk.json")]);
    assert_eq!(counts(&found.groups[0]), [("hw=h200", 1), ("hw=mi325x", 1)]);
    assert_eq!(counts(&found.groups[1]), [("hw=h200", 1)]);
}

/// The text of a file, read through one of this name.
fn of_text(text: &str) -> beyondnoise::runs::Dataset {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("note.md");
    std::fs::write(&path, text).expect("a file");
    dataset(&[&path.display().to_string()])
}

#[test]
fn headings_above_printed_tables_name_the_variants() {
    let table = |rate: &str, build: &str| {
        format!(
            "| model | threads | test | t/s |\n|---|---|---|---|\n| m | 8 | pp512 | {rate}0 ± 2.0 |\n\
             | m | 16 | pp512 | {rate}5 ± 2.0 |\n\nbuild: {build} (100)\n\n"
        )
    };
    let text = format!("## before\n{}## after\n{}", table("70", "aaa"), table("65", "bbb"));
    let found = of_text(&text);
    assert_eq!(found.groups.len(), 2);
    for (group, label) in found.groups.iter().zip(["threads=8", "threads=16"]) {
        assert_eq!(counts(group), [("before", 1), ("after", 1)]);
        assert_eq!(group.workload.label.as_deref(), Some(label));
        let builds = |at: usize| group.variants[at].runs[0].metadata["build"].clone();
        assert_eq!((builds(0), builds(1)), ("aaa".to_owned(), "bbb".to_owned()));
    }
    // Headings over other tests are those of sections.
    let other = table("65", "aaa").replace("pp512", "tg128");
    let found = of_text(&format!("## prompts\n{}## tokens\n{other}", table("70", "aaa")));
    let variants: Vec<_> = found.groups.iter().map(counts).collect();
    assert_eq!(
        variants,
        [[("threads=8", 1), ("threads=16", 1)], [("threads=8", 1), ("threads=16", 1)]]
    );

    let printed = std::fs::read_to_string(own("aisbench/printed.txt")).expect("a file");
    let slower = printed.replace("98409", "99409").replace("98400", "99400");
    let found = of_text(&format!("## before\n```\n{printed}\n```\n## after\n```\n{slower}\n```\n"));
    let variants: Vec<&str> = found.groups[0].variants.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(variants, ["before", "after"]);
}

#[test]
fn stages_are_loads_and_their_summary_is_no_run() {
    let found = dataset(&[&own("inference-perf")]);
    assert_eq!(found.groups.len(), 2);
    let rates: Vec<Setting> =
        found.groups.iter().map(|group| group.workload.request_rate.clone()).collect();
    assert_eq!(rates, [Setting::Value(1.0), Setting::Value(2.0)]);
    let left_out =
        found.inputs.iter().find(|input| input.path.contains("summary")).expect("listed");
    assert!(left_out.skipped[0].why.contains("mixes the stages"));
}

#[test]
fn the_parts_of_a_result_are_read_once() {
    for (folder, files) in [
        ("evalscope/20261121_120000", 4),
        ("aisbench/20261121_120000", 2),
        ("genai-bench/seconds", 2),
    ] {
        let found = dataset(&[&own(folder)]);
        assert_eq!((runs(&found).len(), found.inputs.len()), (1, files), "{folder}");
        assert!(found.inputs.iter().all(|input| input.format.is_some()), "{folder}");
    }
    let found = dataset(&[&own("aisbench/20261121_120000")]);
    let workload = &found.groups[0].workload;
    assert_eq!(workload.model.as_deref(), Some("vllm-api-stream-chat"));
    assert_eq!(runs(&found)[0].info.started.as_deref(), Some("20261121_120000"));
}

/// The summary beside the database of `EvalScope` is what to give.
#[test]
fn a_database_of_requests_is_named_with_what_to_give() {
    let folder = "evalscope/20261121_120000/tiny-model/parallel_2_number_20";
    let error = read(&[&own(&format!("{folder}/benchmark_data.db"))]).expect_err("no run");
    assert!(
        error.contains("a database of requests: the result is in benchmark_summary.json beside it"),
        "{error}"
    );
    let found = dataset(&[&own(folder)]);
    assert_eq!(runs(&found).len(), 1);
    assert!(found.inputs.iter().all(|input| input.format.is_some()));
}

/// The same benchmark in files and as printed is one run.
#[test]
fn a_printed_copy_of_a_run_counts_once() {
    let found = dataset(&[&own("aisbench")]);
    assert_eq!((runs(&found).len(), found.groups[0].duplicates.len()), (1, 1));
}

#[test]
fn runs_of_mlperf_are_repeats_and_an_invalid_one_is_refused() {
    let found = dataset(&[&own("mlperf/valid")]);
    assert_eq!(counts(&found.groups[0]), [("mlperf_log_summary", 2)]);
    assert_eq!(found.groups[0].workload.request_rate, Setting::Value(104.0));
    let message = read(&[&own("mlperf/invalid.txt")]).expect_err("invalid");
    assert!(message.contains("line 9") && message.contains("found INVALID"), "{message}");
}

/// Percentiles of clients are defined differently: results of two clients never share a group.
#[test]
fn clients_are_kept_apart() {
    let names = ["llmperf/tiny_32_16_summary.json", "genai-perf/chat_genai_perf.json"];
    let found = dataset(&[&own(names[0]), &own(names[1])]);
    let clients: Vec<_> = found.groups.iter().map(|group| group.workload.client.clone()).collect();
    assert_eq!(clients.len(), 2);
    assert_ne!(clients[0], clients[1]);
}

#[test]
fn what_stands_for_no_data_is_no_value() {
    let found = dataset(&[&own("sglang/offline.jsonl")]);
    assert!(!runs(&found)[0].metrics.contains_key("last_gen_throughput"));
    let found = dataset(&[&own("sglang/one_batch_server.jsonl")]);
    assert!(!runs(&found)[0].metrics.contains_key("spec_decode_acceptance_length"));
}

#[test]
fn two_llm_d_reports_of_other_harnesses_are_other_clients() {
    let found = dataset(&[&own("llm-d")]);
    let clients: Vec<_> =
        found.groups.iter().filter_map(|group| group.workload.client.as_deref()).collect();
    assert_eq!(clients, ["llm-d inference-perf", "llm-d vllm-benchmark"]);
}

#[test]
fn a_twin_is_left_out_with_its_reason() {
    let message = read(&[&own("vllm/latency.pytorch.json")]).expect_err("a twin");
    assert!(message.contains("repeats the result file beside it"), "{message}");
    let all = dataset(&[&own("vllm")]);
    assert_eq!(runs(&all).len(), 2);
    assert!((value(runs(&all)[0], "mean_e2el_ms") - 250.0).abs() < 1e-9);
}

/// The table of a sweep alone: what was varied names the variants; beside the runs it is not read.
#[test]
fn the_table_of_a_sweep_is_read_where_its_runs_are_missing() {
    let fixture = format!("{}/tests/fixtures/vllm/sweep", env!("CARGO_MANIFEST_DIR"));
    let table = std::fs::read(format!("{fixture}/20261001_120000/summary.csv")).expect("a file");
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("summary.csv");
    std::fs::write(&copy, table).expect("a file");
    let found = dataset(&[&copy.display().to_string()]);
    assert_eq!(found.inputs[0].format, Some("vllm sweep csv"));
    assert_eq!(counts(&found.groups[0]), [("max_num_seqs=4", 2), ("max_num_seqs=8", 2)]);
    let run = runs(&found)[0];
    // As they stand in the first row.
    for (metric, expected) in [
        ("duration", 2.512345),
        ("mean_ttft_ms", 19.123456),
        ("output_throughput", 80.0 / 2.512345),
    ] {
        assert!((value(run, metric) - expected).abs() < 1e-6, "{metric}");
    }
    let whole = dataset(&[&fixture]);
    let input = whole.inputs.iter().find(|input| input.path.ends_with("summary.csv"));
    assert!(input.expect("listed").skipped[0].why.contains("repeats the runs"));
}

/// The two rows of the file are its lines 2 and 3, whatever ends them.
#[test]
fn lines_of_client_tables_are_counted_alike_with_all_line_ends() {
    let text = std::fs::read_to_string(own("perf_analyzer/loads.csv")).expect("a file");
    let text = text.replace('\r', "");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for end in ["\n", "\r\n"] {
        let path = folder.path().join("loads.csv");
        std::fs::write(&path, text.trim_start().replace('\n', end)).expect("a file");
        let found = dataset(&[&path.display().to_string()]);
        let lines: Vec<usize> = runs(&found).iter().map(|run| run.source.position).collect();
        assert_eq!(lines, [2, 3], "{end:?}");
    }
}
