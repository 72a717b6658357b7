//! General benchmark runners: what is read of their files is what stands in them. Expected values were
//! taken from each file by `formats_runners/expected.py`.

#![expect(clippy::unreadable_literal, reason = "digits as they stand in the files")]
#![expect(clippy::print_stderr, reason = "says that nothing was there to check")]

mod expected;
mod load;
mod lost;
mod tables;
mod tools;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use beyondnoise::error::chain;
use beyondnoise::metrics::Metric;
use beyondnoise::read::{Loaded, Options, formats, load};
use beyondnoise::runs::{Dataset, Run};
use beyondnoise::units::Better;

struct Expected {
    file: &'static str,
    format: &'static str,
    runs: usize,
    /// Workload (none if empty), which of its runs with this metric, metric, value.
    values: &'static [(&'static str, usize, &'static str, f64)],
}

/// Key of the number of iterations of one process that a run sums up.
const ITERATIONS: &str = "iterations_of_one_process";

/// Files of users without a run that is known, with what the error says.
const REFUSED: &[(&str, &str)] = &[
    ("google-benchmark/test4_run.json", "found none"),
    ("bencher-fixtures/js_vitest_two.json", "found none"),
    ("bencher-fixtures/python_asv_six.txt", "found none"),
    ("criterion/change_estimates.json", "a change from one run to the next"),
    ("criterion/new_benchmark.json", "the samples are in sample.json"),
    ("criterion/new_tukey.json", "the samples are in sample.json"),
    ("oha/schema.json", "found none"),
];

const FAMILIES: &[&str] = &[
    "bencher-fixtures",
    "criterion",
    "go-bench",
    "google-benchmark",
    "hyperfine",
    "jmh",
    "k6",
    "oha",
    "pyperf",
    "pytest-benchmark",
    "vegeta",
    "wrk",
];

fn own(path: &str) -> String {
    format!("{}/data/formats/{path}", env!("CARGO_MANIFEST_DIR"))
}

fn samples() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/samples");
    if !folder.is_dir() {
        eprintln!("no samples beside the project: nothing checked");
    }
    folder.is_dir().then_some(folder)
}

fn read(inputs: &[&str], lenient: bool) -> Result<Loaded, String> {
    let inputs: Vec<String> = inputs.iter().map(|&input| input.to_owned()).collect();
    load(&inputs, &Options { lenient, ..Options::default() }).map_err(|error| chain(&error))
}

#[track_caller]
fn dataset(inputs: &[&str]) -> Dataset {
    read(inputs, false).expect("readable inputs").dataset
}

fn runs(dataset: &Dataset) -> Vec<&Run> {
    let mut runs: Vec<&Run> = dataset.runs().map(|(_, _, run)| run).collect();
    runs.sort_by(|a, b| a.source.cmp(&b.source));
    runs
}

/// Numbers of runs by workload and variant.
fn counts(dataset: &Dataset) -> BTreeMap<(String, String), usize> {
    let mut counts = BTreeMap::new();
    for (group, variant, _) in dataset.runs() {
        let label = group.workload.label.clone().unwrap_or_default();
        *counts.entry((label, variant.name.clone())).or_insert(0) += 1;
    }
    counts
}

/// The error for a file of this name and content.
fn complaint(name: &str, content: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a file");
    let path = path.display().to_string();
    let message = read(&[&path], false).expect_err(name);
    assert!(message.contains(&path), "{message}");
    message
}

fn check(folder: &Path, all: &[Expected]) {
    for Expected { file, format, runs: count, values } in all {
        let path = folder.join(file).display().to_string();
        let dataset = dataset(&[&path]);
        let all = runs(&dataset);
        assert_eq!(dataset.inputs[0].format, Some(*format), "{file}");
        assert_eq!((all.len(), dataset.inputs[0].runs), (*count, *count), "{file}");
        assert!(!values.is_empty(), "{file}");
        for (label, nth, metric, expected) in *values {
            let run = all
                .iter()
                .filter(|run| match &run.workload.label {
                    Some(own) => own == label,
                    None => label.is_empty() || run.variant == *label,
                })
                .filter_map(|run| run.metrics.get(metric))
                .nth(*nth)
                .unwrap_or_else(|| panic!("{file}: no {metric} of {label}"));
            let error = (run.value - expected).abs();
            assert!(
                error <= 1e-9 * expected.abs(),
                "{file} {metric}: {} is not {expected}",
                run.value
            );
        }
    }
}

#[test]
fn fixtures_have_the_values_written_in_them() {
    check(Path::new(&own("")), expected::OWN);
}

#[test]
fn files_of_users_have_the_values_written_in_them() {
    let Some(samples) = samples() else { return };
    check(&samples, expected::SHARED);
    check(&samples, tools::SHARED);
    for (file, reason) in REFUSED {
        let path = samples.join(file).display().to_string();
        let message = read(&[&path], false).expect_err(file);
        assert!(message.contains(&path) && message.contains(reason), "{message}");
    }
    for family in FAMILIES {
        for entry in std::fs::read_dir(samples.join(family)).expect("a folder") {
            let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
            let name = format!("{family}/{name}");
            let read = expected::SHARED.iter().chain(tools::SHARED);
            let known = read.map(|expected| expected.file).any(|file| file == name)
                || REFUSED.iter().any(|(file, _)| *file == name);
            assert!(known, "{name}");
        }
    }
}

#[test]
fn iterations_of_one_process_are_one_run_that_says_so() {
    for (file, iterations) in [
        ("google-benchmark/repetitions.json", Some("3")),
        ("google-benchmark/aggregates-only.json", Some("3")),
        ("pytest-benchmark/rounds.json", Some("12")),
        ("criterion/old/sample.json", Some("3")),
        ("go-bench/notes.md", Some("2")),
        // Processes, forks and calls are runs.
        ("hyperfine/two-commands.json", None),
        ("pyperf/before.json", None),
        ("jmh/forks.json", None),
        ("go-bench/three-calls.txt", None),
    ] {
        let dataset = dataset(&[&own(file)]);
        let first = runs(&dataset)[0].metadata.get(ITERATIONS);
        assert_eq!(first.map(String::as_str), iterations, "{file}");
    }
}

#[test]
fn benchmarks_are_workloads_and_files_variants() {
    let both = format!("before={}", own("pyperf/before.json"));
    let after = format!("after={}", own("pyperf/after.json"));
    let of = |label: &str, variant: &str| (label.to_owned(), variant.to_owned());
    let counted = counts(&dataset(&[&both, &after]));
    assert_eq!(counted, [(of("sorted", "before"), 5), (of("sorted", "after"), 5)].into());
    let counted = counts(&dataset(&[&own("go-bench/three-calls.txt")]));
    let of_file = |label: &str| of(label, "three-calls");
    assert_eq!(
        counted,
        [(of_file("BenchmarkAppend-2"), 3), (of_file("BenchmarkMade-2"), 3)].into()
    );
    let counted = counts(&dataset(&[&own("go-bench/notes.md")]));
    let label = "BenchmarkEncode/json-8";
    assert_eq!(counted, [(of(label, "before"), 1), (of(label, "after"), 1)].into());
    let counted = counts(&dataset(&[&own("criterion/sums")]));
    assert_eq!(counted, [(of("sums/xor/100", "main"), 1), (of("sums/xor/100", "new"), 1)].into());
    let jmh = dataset(&[&own("jmh/forks.json")]);
    let modes: Vec<&str> = jmh.groups.iter().map(|group| &*group.workload.other["mode"]).collect();
    assert_eq!(modes, ["avgt", "thrpt", "sample"]);
}

/// A command names the variant where nothing else does, and else the workload.
#[test]
fn commands_are_variants_only_where_files_are_not() {
    let file = own("hyperfine/two-commands.json");
    let of = |label: &str, variant: &str| (label.to_owned(), variant.to_owned());
    let alone = counts(&dataset(&[&file]));
    assert_eq!(alone, [(of("", "old"), 8), (of("", "new"), 8)].into());
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(&file).expect("a file").replace("0.01", "0.02");
    for (name, text) in [("a.json", &text), ("b/b.json", &text), ("one.json", &text)] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text.replace("0.02", &format!("0.0{}", name.len()))).expect("a file");
    }
    let path = |name: &str| folder.path().join(name).display().to_string();
    let all =
        [(of("old", "a"), 8), (of("new", "a"), 8), (of("old", "one"), 8), (of("new", "one"), 8)];
    let (a, one) = (path("a.json"), path("one.json"));
    assert_eq!(counts(&dataset(&[&a, &one])), all.clone().into());
    assert_eq!(counts(&dataset(&[&format!("a={a}"), &format!("one={one}")])), all.into());
    // In one folder: files that say which is the baseline, else the commands.
    for (names, variants) in [
        (["before.json", "after.json"], ["before", "after"]),
        (["x.json", "y.json"], ["./a", "./b"]),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, command) in names.iter().zip(["./a", "./b"]) {
            let times = format!("[0.5{}, 0.6]", name.len());
            let text = format!(r#"{{"results": [{{"command": "{command}", "times": {times}}}]}}"#);
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        let counted = counts(&dataset(&[&folder.path().display().to_string()]));
        assert_eq!(counted, variants.map(|variant| (of("", variant), 2)).into());
    }
}

#[test]
fn failures_are_counted_and_never_measurements() {
    let counts = |file: &str| {
        let dataset = dataset(&[&own(file)]);
        let run = runs(&dataset)[0];
        (run.info.completed, run.info.failed, run.workload.requests)
    };
    assert_eq!(counts("oha/report.json"), (Some(8040), Some(86), None));
    assert_eq!(counts("vegeta/report.json"), (Some(998), Some(2), Some(1000)));
    assert_eq!(counts("vegeta/reports.txt"), (Some(1194), Some(6), Some(1200)));
    assert_eq!(counts("wrk/notes.md"), (Some(22_464_647), Some(10), None));
    assert_eq!(counts("k6/summary-export.json"), (Some(2388), Some(12), None));
    assert_eq!(counts("k6/points.ndjson"), (Some(4), Some(1), None));
    let message = read(&[&own("wrk/all-failed.txt")], false).expect_err("no success");
    assert!(message.contains("line 1") && message.contains("every request failed"), "{message}");
    let dataset = dataset(&[&own("google-benchmark/old-with-error.json")]);
    let why: Vec<&str> = dataset.inputs[0].skipped.iter().map(|s| s.why.as_str()).collect();
    assert_eq!(why, ["BM_Bad failed: no such device"]);
}

#[test]
fn errors_name_the_place_in_the_file() {
    for (name, content, says) in [
        (
            "h.json",
            r#"{"results": [{"command": "x", "times": [0.5, "fast"]}]}"#,
            ["results[0].times[1]: expected a number", "found \"fast\""],
        ),
        (
            "h.json",
            r#"{"results": [{"command": "x", "times": []}]}"#,
            ["results[0].times: expected the time of each run", "found a list of 0"],
        ),
        (
            "p.json",
            r#"{"benchmarks": [{"runs": [{"values": [null]}]}], "metadata": {}, "version": "1.0"}"#,
            ["benchmarks[0].runs[0].values[0]", "found null"],
        ),
        (
            "g.json",
            r#"{"context": {}, "benchmarks": [{"name": "a", "real_time": 1, "time_unit": "eons"}]}"#,
            ["benchmarks[0].time_unit", "found \"eons\""],
        ),
        (
            "j.json",
            r#"[{"benchmark": "b", "mode": "avgt", "primaryMetric": {"scoreUnit": "x/y", "rawData": [[1]]}}]"#,
            ["[0].primaryMetric.scoreUnit", "found \"x/y\""],
        ),
        (
            "v.txt",
            "Requests [total, rate] 5, 1\nLatencies [min, mean] 1ms, soon\nStatus Codes\n[total, rate",
            ["line 2: expected times with a unit", "soon"],
        ),
        (
            "w.txt",
            "Running 1s test @ http://x/\n  Thread Stats\n    Latency a b c d\nRequests/sec: 5\n",
            ["line 3: expected times with a unit", "Latency a b c d"],
        ),
        (
            "c.csv",
            "group,function,value,sample_time_nanos,iteration_count\na,b,,x,5\n",
            ["line 2: expected a number", "found \"x\""],
        ),
    ] {
        let message = complaint(name, content);
        for part in says {
            assert!(message.contains(part), "{name}: expected {part:?} in: {message}");
        }
    }
}

/// Any bytes: an answer or an error, never a panic.
#[test]
fn no_damage_to_a_good_file_panics() {
    let folder = tempfile::tempdir().expect("a folder");
    let more = ["markdown/columns.md", "markdown/rows.md", "go-bench/notes.md"];
    for file in expected::OWN.iter().map(|expected| expected.file).chain(more) {
        let good = std::fs::read(own(file)).expect("a fixture");
        let name = Path::new(file).file_name().expect("a name");
        let path = folder.path().join(name);
        for step in 0..60 {
            let mut bytes = good.clone();
            let at = step * bytes.len() / 60;
            match step % 4 {
                0 => bytes.truncate(at),
                1 => bytes[at] ^= 0xff,
                2 => bytes[at] = b'"',
                _ => drop(bytes.splice(at..at, b"\xe2\x82[null,{".iter().copied())),
            }
            std::fs::write(&path, bytes).expect("a file");
            for lenient in [false, true] {
                let _ = read(&[&path.display().to_string()], lenient);
            }
        }
    }
}

#[test]
fn the_list_of_formats_says_what_a_run_is_and_which_way_is_better() {
    let names: Vec<&str> = formats().map(|format| format.name).collect();
    for Expected { format, .. } in expected::OWN {
        assert!(names.contains(format), "{format}");
    }
    for format in formats() {
        assert!(!format.recognised_by.is_empty() && !format.one_run.is_empty(), "{}", format.name);
        for metric in format.metrics {
            assert!(Metric::known(&metric.name).is_some(), "{}: {}", format.name, metric.name);
        }
    }
    let print = |arguments: &[&str]| {
        let program = env!("CARGO_BIN_EXE_beyondnoise");
        let out = Command::new(program).args(arguments).output().expect("the executable runs");
        assert!(out.status.success());
        String::from_utf8(out.stdout).expect("UTF-8")
    };
    let text = print(&["formats"]);
    for part in ["\nhyperfine json\n", "one run: a start of the command", "wall time s (lower is"] {
        assert!(text.contains(part), "{part}");
    }
    let document: serde_json::Value =
        serde_json::from_str(&print(&["formats", "--format", "json"])).expect("JSON");
    let all = document["formats"].as_array().expect("a list");
    assert_eq!((&document["schema"], all.len()), (&"beyondnoise-formats/1".into(), names.len()));
}

#[test]
fn units_and_directions_are_those_of_the_tools() {
    for (name, unit, better) in [
        ("wall_time_s", "s", Better::Lower),
        ("time_per_op_ns", "ns", Better::Lower),
        ("bytes_per_op", "B", Better::Lower),
        ("ops_per_s", "ops/s", Better::Higher),
        ("mb_per_s", "MB/s", Better::Higher),
        ("items_per_s", "", Better::Higher),
        ("median_ttfb_ms", "ms", Better::Lower),
    ] {
        let metric = Metric::named(name);
        assert_eq!((metric.unit.symbol(), metric.better), (unit, Some(better)), "{name}");
    }
}
