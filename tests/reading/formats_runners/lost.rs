//! Results that a reader cannot take are errors and not lost, and lines of the programs name no variant.

use super::{complaint, counts, dataset, read};

/// The text of a file with something in it replaced once.
fn changed(file: &str, from: &str, to: &str) -> String {
    let text = std::fs::read_to_string(super::own(file)).expect("a fixture");
    assert!(text.contains(from), "{file}: {from}");
    text.replacen(from, to, 1)
}

const BLOCK: &str = "============ Serving Benchmark Result ============\n\
    Successful requests: 10\nBenchmark duration (s): 2.50\nMean TTFT (ms): 10.50\n\
    ==================================================\n";

const HYPERFINE: &str = r#"{"results": [{"command": "x", "times": [0.5, 0.6]}]}"#;

#[track_caller]
fn refused(name: &str, text: &str, says: &[&str]) {
    let message = complaint(name, text);
    for part in says {
        assert!(message.contains(part), "{name}: expected {part:?} in: {message}");
    }
}

#[test]
fn text_blocks_beside_results_of_a_program_are_not_lost() {
    let table = "| model | test | t/s |\n|---|---|---|\n| m | pp512 | 7340.20 ± 23.45 |\n";
    let go = "BenchmarkFoo-8 690848 1726 ns/op\n";
    let json = format!("```json\n{HYPERFINE}\n```\n");
    for (format, other) in
        [("llama-bench markdown", table), ("go bench text", go), ("hyperfine json", &json)]
    {
        let says =
            [&format!("line 3: expected only {format}"), "Serving Benchmark", "its own file"];
        refused("note.md", &format!("before:\n```\n{BLOCK}```\n\n{other}"), &says);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("note.md");
    std::fs::write(&path, format!("{go}\n{BLOCK}")).expect("a file");
    let loaded = read(&[&path.display().to_string()], true).expect("lenient").dataset;
    assert_eq!(loaded.inputs[0].runs, 1);
    assert!(loaded.inputs[0].skipped[0].why.contains("line 3"), "{:?}", loaded.inputs[0].skipped);
}

#[test]
fn a_second_json_value_in_a_text_is_not_lost() {
    let fenced = |json: &str| format!("run:\n\n```json\n{json}\n```\n\n");
    let twice = fenced(HYPERFINE) + &fenced(HYPERFINE);
    refused("note.md", &twice, &["line 10: expected one JSON document", "its own file"]);
    let mixed = format!("| model | test | t/s |\n| m | pp512 | 5.0 ± 1 |\n{}", fenced(HYPERFINE));
    refused(
        "note.md",
        &mixed,
        &["line 6: expected only llama-bench markdown, found also hyperfine json"],
    );
    // What is no result may stand beside one.
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("note.md");
    let text = fenced(HYPERFINE) + &fenced(r#"{"gpu": "A100", "threads": 8}"#);
    std::fs::write(&path, text).expect("a file");
    assert_eq!(dataset(&[&path.display().to_string()]).inputs[0].runs, 2);
}

/// A line of a result file of vLLM.
const VLLM: &str = r#"{"model_id": "m", "num_prompts": 10, "completed": 10, "duration": 2.5,
    "request_throughput": 4.0, "total_input_tokens": 10, "total_output_tokens": 10, "mean_ttft_ms": 10.5}"#;

#[test]
fn results_in_json_beside_text_blocks_are_not_lost() {
    let vllm = VLLM.replace('\n', "");
    let fenced = format!("## after\n```json\n{vllm}\n```\n");
    // The start of a file decides which reader takes it.
    let prose = "A line of prose that says nothing of the server.\n".repeat(100);
    let block = format!("## before\n{BLOCK}");
    for (first, says) in [("", "line 2: expected only JSON"), (&*prose, "line 109: ")] {
        let says = [says, ", found also ", "its own file"];
        refused("note.md", &format!("{first}{block}{fenced}"), &says);
    }
    let far = "x\n".repeat(1 << 16);
    let says = [&*format!("line {}: expected only text blocks, found also vllm", 9 + (1 << 16))];
    refused("note.md", &format!("{block}{far}{fenced}"), &says);
    refused("runs.jsonl", &format!("{vllm}\n{block}"), &["line 3: expected only JSON"]);
    let flat = "{\"variant\": \"a\", \"mean_ttft_ms\": 10.5}\n";
    refused("runs.jsonl", &format!("{flat}{block}"), &["line 3: expected only JSON"]);
    // Settings may stand beside results.
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("note.md");
    // The second ones are a file of EvalScope that holds no run.
    for settings in [r#"{"model": "m", "tensor_parallel_size": 8}"#, r#"[{"Percentiles": "50%"}]"#]
    {
        std::fs::write(&path, format!("{block}```json\n{settings}\n```\n")).expect("a file");
        assert_eq!(dataset(&[&path.display().to_string()]).inputs[0].runs, 1);
    }
}

#[test]
fn results_of_two_programs_in_one_text_are_not_lost() {
    let wrk = std::fs::read_to_string(super::own("wrk/notes.md")).expect("a fixture");
    let go = "BenchmarkFoo-8   690848   1726 ns/op\n";
    let line = wrk.lines().count() + 2;
    let says = format!("line {line}: expected only wrk text, found also go bench text");
    refused("note.md", &format!("{wrk}\n{go}\nthe end\n"), &[&says, "its own file"]);
    refused("note.md", &format!("a line\n{go}\n{wrk}"), &["line 2: expected only wrk text"]);
}

#[test]
fn values_that_are_left_out_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let skipped = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        let input = dataset(&[&path.display().to_string()]).inputs[0].clone();
        let said =
            input.skipped.iter().map(|skipped| format!("{}: {}", skipped.place, skipped.why));
        (input.runs, said.collect::<Vec<_>>())
    };
    let block = BLOCK.replace("(ms): 10.50", "(ms): nan\nMedian TTFT (ms): n/a");
    let said = "line 1: \"Mean TTFT (ms)\" is nan, which means no data";
    assert_eq!(skipped("note.md", &block), (1, vec![said.to_owned()]));
    let records = "{\"variant\": \"a\", \"mean_ttft_ms\": [1, 2], \"tags\": [1], \"x\": 1}\n\
                   {\"variant\": \"a\", \"mean_ttft_ms\": 4.5, \"x\": 2}\n";
    let said = "object 1: \"mean_ttft_ms\" is a list (in 1 of 2 objects) and is not read: a run has one number per metric";
    assert_eq!(skipped("runs.jsonl", records), (2, vec![said.to_owned()]));
    // A GPU of which one in five has a number for a name is no metric.
    let table = "variant,my_score,own,gpu,tpot_ms\na,3.1,1 100,A100,3\na,slow,1 200,H100,4\n\
                 b,fail,1 150,4090,3\nb,7,900,L4,4\nb,-,1 300,L40,4\n";
    let said = |name: &str, cell: &str| {
        format!(
            "column {name}: not read as a metric: half of its cells or more are not numbers, such as \"{cell}\""
        )
    };
    // Groups of three digits are numbers.
    assert_eq!(skipped("runs.csv", table), (5, vec![said("my_score", "slow")]));
}

#[test]
fn a_result_without_its_frame_is_not_lost() {
    let start = "Running 30s test @ http://127.0.0.1:8080/index.html\n";
    refused(
        "wrk.txt",
        &format!("{start} Thread Stats\nRequests/sec: 5\nTransfer/sec: 5MB\nRequests/sec: 6\n"),
        &["line 5: expected the line Running", "Requests/sec: 6"],
    );
    let cut = changed("vegeta/reports.txt", "Success       [ratio]", "");
    refused("v.txt", &cut, &["expected the line Success of the report before this one"]);
    let headless = changed("vegeta/reports.txt", "Requests      [total", "[total");
    refused("v.txt", &headless, &["expected the line Requests of the report", "Latencies"]);
}

#[test]
fn a_benchmark_of_go_without_its_figures_is_not_lost() {
    let good = "BenchmarkFoo-8   690848   1726 ns/op\n";
    let parted =
        "BenchmarkBar-8   2026-01-02 03:04:05 warming up\n  500000   2101 ns/op   16 B/op\n";
    let says = ["line 3: expected a result such as", "figures alone", "500000   2101 ns/op"];
    refused("go.txt", &format!("{good}{parted}"), &says);
    let cut = "BenchmarkBaz-8   690848   17\n";
    refused(
        "go.txt",
        &format!("{good}{cut}"),
        &["line 2: expected a result", "690848   17", "one line"],
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("go.txt");
    // A name alone is printed by `go test -v`; prose is no result.
    let text = format!("BenchmarkFoo\n{good}{cut}Benchmarks 5 of 6 ran\nBenchmark 1: x\n3 done\n");
    std::fs::write(&path, text).expect("a file");
    let input = &read(&[&path.display().to_string()], true).expect("lenient").dataset.inputs[0];
    assert_eq!((input.runs, input.skipped.len()), (1, 1), "{:?}", input.skipped);
    assert_eq!(input.skipped[0].place, "line 3");
}

/// `change:` stands below each result of criterion, `Error Set:` below a report of vegeta.
#[test]
fn lines_of_the_programs_are_no_labels() {
    let folder = tempfile::tempdir().expect("a folder");
    let result = |name: &str, ms: &str| {
        format!(
            "{name}  time:   [{ms} ms {ms} ms {ms} ms]\n    change:\n        \
             time:   [-2.6000% -2.0000% -1.4000%] (p = 0.00 < 0.05)\n"
        )
    };
    let all = |ms: &str| result("small", ms) + &result("large", ms);
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let (before, after) = (path("before.txt", &all("2.0")), path("after.txt", &all("2.5")));
    let of = |label: &str, variant: &str| ((label.to_owned(), variant.to_owned()), 1);
    let each =
        [of("small", "before"), of("large", "before"), of("small", "after"), of("large", "after")];
    assert_eq!(counts(&dataset(&[&before, &after])), each.clone().into());
    let headed = path("note.md", &format!("## before\n{}## after\n{}", all("2.0"), all("2.5")));
    assert_eq!(counts(&dataset(&[&headed])), each.into());
    let report = |rate: &str| {
        format!(
            "Requests      [total, rate, throughput]  1200, 120.00, {rate}\n\
             Latencies     [mean, 50, 95, 99, max]    113.17ms, 108.8ms, 145.0ms, 150.2ms, 240.86ms\n\
             Success       [ratio]                    55.42%\n\
             Status Codes  [code:count]               0:535  200:665\nError Set:\nGet http://x: refused\n"
        )
    };
    let attacks =
        path("attacks.txt", &format!("## before\n{}{}", report("65.87"), report("65.99")));
    let expected = [((String::new(), "before".to_owned()), 2)];
    assert_eq!(counts(&dataset(&[&attacks])), expected.into());
}
