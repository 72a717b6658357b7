//! Result files of every client version. The fixtures are hand-made, so expected numbers are those
//! written into them or calculated by hand.

use beyondnoise::runs::Setting;

use super::{close, counts, dataset, fixture, runs, try_load, value};

#[test]
fn vllm_0_6_has_arrays_always_and_no_count_of_failures() {
    let read = dataset(&[&fixture("vllm/old-0.6.json")]);
    let run = runs(&read)[0];
    // 4 prompts, 3 completed.
    assert_eq!((run.info.completed, run.info.failed), (Some(3), Some(1)));
    assert_eq!(run.workload.requests, Some(4));
    assert_eq!(value(run, "request_goodput"), 1.25);
    assert_eq!(run.workload.max_concurrency, Setting::Unlimited);
    let requests = run.requests.as_ref().expect("request detail");
    let counted = ["ttft", "tpot", "itl"].map(|stem| requests.counts[stem]);
    // One request has a single token and no time per output token.
    assert_eq!((counted, requests.count()), ([3, 2, 4], 3));
    let computed = |name: &str| requests.figures[name].value;
    // By hand: 10, 30 and 20 ms; P99 of them 0.98 of the way from 20 to 30; 10/2 and 20/2 ms.
    close(computed("mean_ttft_ms"), 20.0);
    close(computed("p99_ttft_ms"), 29.8);
    close(computed("mean_tpot_ms"), 7.5);
    // By hand: 10+10, 30+20 and 20 ms.
    close(value(run, "mean_e2el_ms"), 30.0);
    close(value(run, "median_e2el_ms"), 20.0);
}

#[test]
fn vllm_0_9_says_failures_by_what_is_missing() {
    let read = dataset(&[&fixture("vllm/middle-0.9.json")]);
    let run = runs(&read)[0];
    assert_eq!(
        (run.info.completed, run.info.failed, run.workload.requests),
        (Some(4), Some(1), Some(5))
    );
    assert_eq!(run.metadata["tp"], "2");
    assert_eq!(value(run, "p99.9_ttft_ms"), 15.5);
    // 0.0 stands for no data.
    assert!(!run.metrics.contains_key("mean_tpot_ms"));
    assert!(read.inputs[0].skipped[0].why.contains("mean_tpot_ms is 0"));
    assert_eq!(run.workload.request_rate, Setting::Value(4.0));
}

#[test]
fn vllm_0_33_keeps_its_own_results_apart_from_settings() {
    let read = dataset(&[&fixture("vllm/new-0.33.json")]);
    let run = runs(&read)[0];
    assert_eq!(run.info.failed, Some(0));
    assert_eq!(run.info.peak_concurrent, Some(4.0));
    for (metric, expected) in [
        ("median_ttft_ms", 10.5),
        ("spec_decode_acceptance_length", 2.25),
        ("spec_decode_acceptance_rate", 61.5),
        ("mean_e2el_including_client_queue_ms", 71.0),
        ("request_goodput", 1.8),
        ("request_throughput", 2.0),
        ("mean_ttft_ms", 11.0),
    ] {
        assert_eq!(value(run, metric), expected, "{metric}");
    }
    // Latencies alone are no request detail, and what repeats a part of the run is left out.
    assert!(run.requests.is_none());
    assert!(
        !run.metrics
            .keys()
            .chain(run.metadata.keys().map(String::as_str))
            .any(|key| key.contains("steady"))
    );
    assert!(!run.metadata.contains_key("spec_decode_num_drafts"));
}

#[test]
fn objects_appended_in_lines_or_in_a_list_are_runs() {
    let read = dataset(&[&fixture("vllm/appended.json")]);
    assert_eq!(counts(&read.groups[0]), [("appended", 3)]);
    let durations: Vec<f64> = runs(&read).iter().map(|run| value(run, "duration")).collect();
    assert_eq!(durations, [2.5, 2.6, 2.7]);
    let read = dataset(&[&fixture("vllm/list.json")]);
    assert_eq!(counts(&read.groups[0]), [("list", 2)]);
}

#[test]
fn prose_between_lines_of_json_names_the_variants() {
    let read = dataset(&[&fixture("vllm/lines.jsonl")]);
    assert_eq!(counts(&read.groups[0]), [("main", 2), ("pr (try 2)", 1)]);
}

#[test]
fn a_run_without_a_success_is_refused() {
    for (file, place) in
        [("vllm/all-failed.json", "object 1"), ("sglang/all-failed.jsonl", "object 1")]
    {
        let message = try_load(&[&fixture(file)]).unwrap_err().to_string();
        assert!(message.contains(file) && message.contains(place), "{message}");
        assert!(message.contains("every request failed"), "{message}");
    }
}

#[test]
fn bare_nan_and_infinity_are_no_values() {
    let read = dataset(&[&fixture("vllm/bare-words.json")]);
    let run = runs(&read)[0];
    assert_eq!(run.workload.request_rate, Setting::Unlimited);
    assert_eq!(value(run, "mean_ttft_ms"), 11.0);
    assert!(!run.metrics.contains_key("p99_ttft_ms") && !run.metrics.contains_key("std_ttft_ms"));
    assert_eq!(read.inputs[0].skipped.len(), 2);
}

#[test]
fn a_figure_that_its_requests_deny_is_kept_and_reported() {
    let read = dataset(&[&fixture("vllm/disagrees.json")]);
    let run = runs(&read)[0];
    // The file says 40 ms; its requests say (10 + 30) / 2.
    assert_eq!(value(run, "mean_ttft_ms"), 40.0);
    close(value(run, "median_ttft_ms"), 20.0);
    // The file says 9 requests/s; 2 requests took 2 s.
    assert_eq!(value(run, "request_throughput"), 1.0);
    let notes: Vec<&str> = read.inputs[0].skipped.iter().map(|s| s.why.as_str()).collect();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(
        notes[0].contains("mean_ttft_ms is 40") && notes[1].contains("prints 9 req/s"),
        "{notes:?}"
    );
}

#[test]
fn a_sweep_is_read_once_although_it_is_written_three_times() {
    let read = dataset(&[&fixture("vllm/sweep")]);
    let [group] = &read.groups[..] else { panic!("{} groups", read.groups.len()) };
    let name = |seqs: u32| format!("SERVE--max_num_seqs={seqs}-BENCH--num_prompts=5");
    assert_eq!(counts(group), [(name(4).as_str(), 2), (name(8).as_str(), 2)]);
    assert!(runs(&read).iter().all(|run| run.source.counts == "object"));
    let warm_ups = read.inputs.iter().flat_map(|input| &input.skipped);
    assert_eq!(warm_ups.filter(|skipped| skipped.why.contains("warm-up")).count(), 2);
}

#[test]
fn one_sglang_file_holds_several_settings() {
    let read = dataset(&[&fixture("sglang/old-0.4.jsonl")]);
    let rates: Vec<(Setting, usize)> = read
        .groups
        .iter()
        .map(|group| (group.workload.request_rate.clone(), group.variants[0].runs.len()))
        .collect();
    assert_eq!(rates, [(Setting::Unlimited, 1), (Setting::Value(2.0), 2)]);
    let run = runs(&read)[0];
    assert_eq!(run.workload.dataset.as_deref(), Some("random"));
    assert_eq!(run.workload.other["random_input_len"], "8");
    assert_eq!(run.workload.client.as_deref(), Some("sglang"));
    assert_eq!(value(run, "mean_e2el_ms"), 50.5);
    // By hand: 4 requests in 2 s.
    assert_eq!(value(run, "request_throughput"), 2.0);
}

#[test]
fn sglang_0_5_tells_failures_by_its_errors_only() {
    let read = dataset(&[&fixture("sglang/new-0.5.jsonl")]);
    let run = runs(&read)[0];
    assert_eq!(
        (run.info.completed, run.info.failed, run.workload.requests),
        (Some(3), Some(1), Some(4))
    );
    assert_eq!(run.workload.model.as_deref(), Some("org/m"));
    assert_eq!(run.metadata["server_info.tp_size"], "2");
    assert_eq!(value(run, "total_token_throughput"), 16.5);
    assert_eq!(value(run, "concurrency"), 0.06);
    assert_eq!(value(run, "slo_attainment"), 0.75);
    assert_eq!(run.workload.max_concurrency, Setting::Value(4.0));
    assert!(!run.metrics.contains_key("server_info.avg_step_ms"));
    // By hand: 30, 40 and 50 ms; the 99th percentile lies 0.98 of the way from 40 to 50.
    close(value(run, "mean_e2el_ms"), 40.0);
    close(value(run, "p99_e2el_ms"), 49.8);
    assert_eq!(run.requests.as_ref().map(|requests| requests.counts["ttft"]), Some(3));
}
