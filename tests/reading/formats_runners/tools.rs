//! Results in further forms: what is read of each is what stands in the file, and what two builds of a set of benchmarks
//! give is one table. Expected values are read off the fixtures by eye; what is computed from them says how.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Expected, check};
use super::{ITERATIONS, complaint, dataset, read, runs};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tools")
}

fn fixture(name: &str) -> String {
    fixtures().join(name).display().to_string()
}

#[rustfmt::skip]
const TOOLS: &[Expected] = &[
    // 1200 responses in 60 s, which are from the first to the last time of the file.
    Expected { file: "artillery.json", format: "artillery json", runs: 1, values: &[
        ("", 0, "request_throughput", 20.0),
        ("", 0, "duration", 60.0),
        ("", 0, "mean_e2el_ms", 61.5),
        ("", 0, "p99_e2el_ms", 301.9),
    ] },
    Expected { file: "hyperfine-2.json", format: "hyperfine json", runs: 6, values: &[
        ("", 0, "wall_time_s", 0.412),
        ("", 5, "wall_time_s", 0.379),
        ("", 0, "memory_bytes", 2_097_152.0),
    ] },
    Expected { file: "hyperfine.csv", format: "hyperfine table", runs: 2, values: &[
        ("", 0, "wall_time_s", 0.412),
        ("", 1, "wall_time_s", 0.38),
        ("", 1, "user_time_s", 0.37),
    ] },
    Expected { file: "hyperfine.md", format: "hyperfine table", runs: 2, values: &[
        ("", 0, "wall_time_s", 0.412),
        ("", 1, "wall_time_s", 0.38),
    ] },
    // Time over operations, averaged over the iterations of a launch: (50000 + 50100 + 49900) / 10 / 3,
    // (24000 + 24200) / 10 / 2, (24600 + 24800) / 10 / 2.
    Expected { file: "benchmarkdotnet.json", format: "benchmarkdotnet json", runs: 3, values: &[
        ("Demo.Md5VsSha256.Sha256(N: 1000)", 0, "time_per_op_ns", 5000.0),
        ("Demo.Md5VsSha256.Sha256(N: 1000)", 0, "bytes_per_op", 112.0),
        ("Demo.Md5VsSha256.Md5(N: 1000)", 0, "time_per_op_ns", 2410.0),
        ("Demo.Md5VsSha256.Md5(N: 1000)", 1, "time_per_op_ns", 2470.0),
    ] },
    Expected { file: "benchmarkdotnet.csv", format: "benchmarkdotnet csv", runs: 2, values: &[
        ("Sha256", 0, "time_per_op_ns", 5009.2),
        ("Md5", 0, "time_per_op_ns", 2409.0),
        ("Md5", 0, "bytes_per_op", 1536.0),
    ] },
    Expected { file: "benchmarkdotnet.md", format: "benchmarkdotnet table", runs: 4, values: &[
        ("Sha256", 0, "time_per_op_ns", 5009.0),
        ("Sha256", 1, "time_per_op_ns", 48_100.0),
        ("Md5", 1, "time_per_op_ns", 22_950.0),
        ("Md5", 0, "bytes_per_op", 80.0),
    ] },
    Expected { file: "jmh.csv", format: "jmh csv", runs: 3, values: &[
        ("demo.Copy.array", 0, "ops_per_s", 2953256.471106),
        ("demo.Copy.array", 1, "ops_per_s", 297559.65255),
        ("demo.Copy.loop", 0, "time_per_op_ns", 12_500.0),
        ("demo.Copy.loop", 0, "bytes_per_op", 48.0),
    ] },
    // A fork is the mean of its three iterations.
    Expected { file: "jmh-log.txt", format: "jmh text", runs: 2, values: &[
        ("demo.Copy.loop", 0, "time_per_op_ns", 12_500.0),
        ("demo.Copy.loop", 1, "time_per_op_ns", 12_700.0),
    ] },
    Expected { file: "jmh-table.txt", format: "jmh text", runs: 2, values: &[
        ("Copy.loop", 0, "time_per_op_ns", 12_600.0),
        ("Copy.loop", 1, "time_per_op_ns", 92_100.0),
    ] },
    Expected { file: "divan.txt", format: "divan text", runs: 4, values: &[
        ("math/add", 0, "time_per_op_ns", 0.5),
        ("math/add", 0, "median_time_per_op_ns", 0.49),
        ("math/fibonacci/16", 0, "time_per_op_ns", 1052.0),
        ("math/to_vec", 0, "time_per_op_ns", 115.1),
        ("math/to_vec", 0, "allocs_per_op", 1.0),
        ("math/to_vec", 0, "bytes_per_op", 1024.0),
    ] },
    // 101536 good responses in 10 s.
    Expected { file: "oha.txt", format: "lines of text", runs: 1, values: &[
        ("", 0, "request_throughput", 10_153.6),
        ("", 0, "mean_e2el_ms", 4.9),
        ("", 0, "p99_e2el_ms", 11.2),
    ] },
    Expected { file: "vllm-latency.txt", format: "lines of text", runs: 2, values: &[
        ("", 0, "mean_e2el_ms", 1843.2),
        ("", 0, "p99_e2el_ms", 1890.3),
        ("", 1, "median_e2el_ms", 1742.0),
    ] },
    Expected { file: "profile-restful.txt", format: "lines of text", runs: 1, values: &[
        ("", 0, "output_throughput", 800.0),
        ("", 0, "total_token_throughput", 2000.0),
        ("", 0, "request_throughput", 4.0),
        ("", 0, "mean_ttft_ms", 103.0),
        ("", 0, "p99_itl_ms", 41.0),
    ] },
    Expected { file: "one-batch-server.txt", format: "lines of text", runs: 2, values: &[
        ("", 0, "duration", 0.5),
        ("", 0, "output_throughput", 2300.0),
        ("", 1, "max_ttft_ms", 380.0),
    ] },
    Expected { file: "ab.txt", format: "lines of text", runs: 1, values: &[
        ("", 0, "request_throughput", 4000.0),
        ("", 0, "p99_e2el_ms", 8.0),
    ] },
    Expected { file: "aiperf-console.txt", format: "printed boxes", runs: 1, values: &[
        ("", 0, "mean_ttft_ms", 45.91),
        ("", 0, "p99_tpot_ms", 15.15),
        ("", 0, "output_throughput", 1245.42),
        ("", 0, "request_throughput", 15.34),
    ] },
    Expected { file: "guidellm-console.txt", format: "printed boxes", runs: 2, values: &[
        ("", 0, "mean_ttft_ms", 24.9),
        ("", 0, "mean_tpot_ms", 5.0),
        ("", 0, "mean_e2el_ms", 100.0),
        ("", 0, "output_throughput", 300.5),
        ("", 1, "p95_ttft_ms", 30.5),
    ] },
    Expected { file: "evalscope-console.txt", format: "printed boxes", runs: 2, values: &[
        ("", 0, "output_throughput", 274.67),
        ("", 0, "mean_e2el_ms", 110.0),
        ("", 1, "request_throughput", 35.65),
        ("", 1, "p99_ttft_ms", 38.29),
    ] },
];

/// Tables of means that hyperfine wrote beside the project.
#[rustfmt::skip]
pub(super) const SHARED: &[Expected] = &[
    Expected { file: "hyperfine/hf.csv", format: "hyperfine table", runs: 2, values: &[
        ("", 0, "wall_time_s", 0.011718046000000001),
        ("", 1, "wall_time_s", 0.015296951600000002),
    ] },
    Expected { file: "hyperfine/hf.md", format: "hyperfine table", runs: 2, values: &[
        ("", 0, "wall_time_s", 0.0117),
        ("", 1, "wall_time_s", 0.0153),
    ] },
];

/// R5, S38: forms of tools that were refused or misread though they hold a result.
#[test]
fn further_tools_have_the_values_written_in_their_files() {
    check(&fixtures(), TOOLS);
    let files = std::fs::read_dir(fixtures()).expect("a folder");
    for file in files {
        let name = file.expect("an entry").file_name().to_string_lossy().into_owned();
        assert!(TOOLS.iter().any(|expected| expected.file == name), "{name}");
    }
}

#[test]
fn requests_that_failed_are_counted_in_further_tools() {
    for (file, nth, good, bad) in [
        ("artillery.json", 0, 1188, 12),
        ("oha.txt", 0, 101_536, 514),
        ("aiperf-console.txt", 0, 25, 2),
        ("guidellm-console.txt", 0, 398, 2),
        ("evalscope-console.txt", 0, 17, 3),
    ] {
        let dataset = dataset(&[&fixture(file)]);
        let info = &runs(&dataset)[nth].info;
        assert_eq!((info.completed, info.failed), (Some(good), Some(bad)), "{file}");
    }
}

/// Iterations of one process are no repeats; launches and forks are.
#[test]
fn iterations_inside_a_process_stay_one_run_in_further_tools() {
    for (file, nth, iterations) in [
        ("benchmarkdotnet.json", 0, Some("3")),
        ("benchmarkdotnet.json", 1, None),
        ("divan.txt", 0, Some("100")),
        ("jmh.csv", 0, Some("10")),
        ("jmh-log.txt", 0, None),
        ("jmh-table.txt", 0, Some("6")),
    ] {
        let dataset = dataset(&[&fixture(file)]);
        let found = runs(&dataset)[nth].metadata.get(ITERATIONS);
        assert_eq!(found.map(String::as_str), iterations, "{file}");
    }
}

#[test]
fn a_bad_value_in_a_further_tool_is_an_error_that_names_the_place() {
    let changed = |file: &str, from: &str, to: &str| {
        let text = std::fs::read_to_string(fixture(file)).expect("a fixture");
        assert!(text.contains(from), "{file}: {from}");
        text.replacen(from, to, 1)
    };
    for (file, from, to, says) in [
        (
            "artillery.json",
            "\"mean\": 61.5",
            "\"mean\": \"slow\"",
            "http.response_time.mean: expected a number",
        ),
        (
            "hyperfine-2.json",
            "\"value\": 0.412",
            "\"value\": \"fast\"",
            "measurements[0].time_wall_clock",
        ),
        ("hyperfine.csv", "0.412", "fast", "line 2: expected a number"),
        ("hyperfine.md", "412.0", "fast", "line 3: expected a time such as"),
        ("benchmarkdotnet.csv", "2.409 μs", "fast", "line 3: expected a time such as"),
        ("benchmarkdotnet.md", "2.409 μs", "fast", "line 14: expected a time such as"),
        ("jmh.csv", "ops/s", "ops/eon", "line 2: expected a unit such as"),
        ("divan.txt", "0.49 ns", "fast", "line 4: expected a time such as"),
    ] {
        let message = complaint(file, &changed(file, from, to));
        assert!(message.contains(says), "{file}: {message}");
    }
    // With --lenient the rest is read.
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("benchmarkdotnet.csv");
    std::fs::write(&path, changed("benchmarkdotnet.csv", "2.409 μs", "fast")).expect("a file");
    let loaded = read(&[&path.display().to_string()], true).expect("lenient");
    assert_eq!(loaded.dataset.inputs[0].runs, 1);
}

/// No run twice: a folder may hold one result in several forms.
#[test]
fn a_result_in_several_forms_beside_each_other_counts_once() {
    let folder = tempfile::tempdir().expect("a folder");
    for (from, to) in [
        ("hyperfine-2.json", "h/times.json"),
        ("hyperfine.csv", "h/means.csv"),
        ("hyperfine.md", "h/means.md"),
        ("benchmarkdotnet.json", "b/Demo-report-full.json"),
        ("benchmarkdotnet.csv", "b/Demo-report.csv"),
        ("benchmarkdotnet.md", "b/Demo-report-github.md"),
    ] {
        let to = folder.path().join(to);
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        std::fs::copy(fixture(from), to).expect("a file");
    }
    for (inside, count) in [("h", 6), ("b", 3)] {
        let dataset = dataset(&[&folder.path().join(inside).display().to_string()]);
        assert_eq!(runs(&dataset).len(), count, "{inside}");
    }
}

/// JSON of a program that is not known, whose numbers are text.
#[test]
fn numbers_that_json_holds_as_text_are_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("list.json");
    let text = r#"[{"name": "a", "latency": "17.87", "throughput": "9.72"},
                   {"name": "b", "latency": "19.82", "throughput": "12.39"}]"#;
    std::fs::write(&path, text).expect("a file");
    let dataset = dataset(&[&path.display().to_string()]);
    let values: Vec<f64> = runs(&dataset).iter().map(|run| run.metrics["latency"].value).collect();
    assert_eq!(values, [17.87, 19.82]);
}

/// Writes the results of two builds, of which the second takes 0.9 times as long: `before/` and `after/`, where
/// `file(build, run)` names a file and its content.
fn two_builds(write: impl Fn(&str, f64, usize) -> Vec<(String, String)>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (build, factor) in [("before", 1.0), ("after", 0.9)] {
        // Noise of about 0.3 %, another one each time.
        for (run, noise) in [1.0, 0.997, 1.003, 1.001, 0.998, 1.002].into_iter().enumerate() {
            for (name, text) in write(build, factor * noise, run) {
                let path = folder.path().join(build).join(name);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                std::fs::write(path, text).expect("a file");
            }
        }
    }
    folder
}

/// The report of `compare before after` in a folder.
fn compared(folder: &Path) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .args(["compare", "before", "after"])
        .current_dir(folder)
        .output()
        .expect("the executable runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("UTF-8")
}

/// Expects one table with both builds and a line for each benchmark, which became 10 % faster.
#[track_caller]
fn one_table(report: &str, benchmarks: [&str; 2]) {
    let heads: Vec<&str> =
        report.lines().filter(|line| line.contains("before") && line.contains("change")).collect();
    assert_eq!(heads.len(), 1, "{report}");
    assert!(heads[0].contains("after"), "{report}");
    for name in benchmarks {
        let of: Vec<&str> = report
            .lines()
            .filter(|line| line.trim_start().starts_with(&format!("{name} ")))
            .collect();
        assert_eq!(of.len(), 1, "{name} in {report}");
        assert!(of[0].contains("better") && of[0].contains("−10.0"), "{report}");
    }
    assert!(report.contains("2 improved"), "{report}");
}

/// Issue of microbenchmarks: two folders, one command, one table.
#[test]
fn benchmarks_of_two_builds_are_one_table() {
    let go = two_builds(|build, factor, run| {
        let saved = if build == "after" { 16 } else { 0 };
        let line = |name: &str, time: f64, bytes: i32| {
            format!(
                "Benchmark{name}-8 \t 690848\t {:.1} ns/op\t {} B/op\t 3 allocs/op\n",
                time * factor,
                bytes - saved
            )
        };
        let text = format!(
            "goos: linux\npkg: demo\n{}{}PASS\n",
            line("Encode", 1700.0, 112),
            line("Decode", 2400.0, 256)
        );
        vec![(format!("run{run}.txt"), text)]
    });
    let report = compared(go.path());
    one_table(&report, ["BenchmarkEncode-8", "BenchmarkDecode-8"]);
    assert_eq!(report.matches("· memory per op").count(), 2, "{report}");
    assert!(report.contains("112 B") && report.contains("96 B"), "{report}");
    assert!(report.contains("allocations per op is unchanged in all 2"), "{report}");

    let criterion = two_builds(|_, factor, run| {
        let sample = |name: &str, time: f64| {
            let times: Vec<String> =
                (1..=10).map(|n| (f64::from(n) * time * factor).to_string()).collect();
            let iterations: Vec<String> = (1..=10).map(|n| n.to_string()).collect();
            let text = format!(
                r#"{{"sampling_mode": "Linear", "iters": [{}], "times": [{}]}}"#,
                iterations.join(", "),
                times.join(", ")
            );
            let folder = format!("{run}/criterion/{name}/new");
            let about = format!(
                r#"{{"group_id": "{name}", "function_id": null, "full_id": "{name}", "directory_name": "{name}"}}"#
            );
            [(format!("{folder}/sample.json"), text), (format!("{folder}/benchmark.json"), about)]
        };
        [sample("parse", 1000.0), sample("render", 5000.0)].concat()
    });
    one_table(&compared(criterion.path()), ["parse", "render"]);

    let pytest = two_builds(|_, factor, run| {
        let of = |name: &str, seconds: f64| {
            let mean = seconds * factor;
            format!(
                r#"{{"name": "{name}", "fullname": "{name}", "stats": {{"mean": {mean}, "median": {mean}, "min": {mean}, "rounds": 9}}}}"#
            )
        };
        let text = format!(
            r#"{{"machine_info": {{"node": "n"}}, "benchmarks": [{}, {}]}}"#,
            of("test_parse", 0.001),
            of("test_render", 0.005)
        );
        vec![(format!("000{run}_x.json"), text)]
    });
    one_table(&compared(pytest.path()), ["test_parse", "test_render"]);

    let jmh = two_builds(|_, factor, run| {
        let of = |name: &str, time: f64| {
            format!(
                r#"{{"benchmark": "{name}", "mode": "avgt", "threads": 1, "primaryMetric": {{"score": 1, "scoreUnit": "us/op", "rawData": [[{}]]}}}}"#,
                time * factor
            )
        };
        vec![(
            format!("run{run}.json"),
            format!("[{}, {}]", of("demo.parse", 12.0), of("demo.render", 50.0)),
        )]
    });
    one_table(&compared(jmh.path()), ["demo.parse", "demo.render"]);

    let divan = two_builds(|_, factor, run| {
        let row = |mark: &str, name: &str, time: f64| {
            let time = time * factor;
            format!(
                "{mark} {name}  {time:.2} ns │ {time:.2} ns │ {time:.2} ns │ {time:.2} ns │ 100 │ 6400\n"
            )
        };
        let head =
            "Timer precision: 20 ns\nmath  fastest │ slowest │ median │ mean │ samples │ iters\n";
        vec![(
            format!("run{run}.txt"),
            format!("{head}{}{}", row("├─", "add", 100.0), row("╰─", "mul", 200.0)),
        )]
    });
    one_table(&compared(divan.path()), ["math/add", "math/mul"]);
}
