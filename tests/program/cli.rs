//! The executable end to end: flags, output, exit status. One test per flag shows that it is connected;
//! the edge cases are tested below it.

use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn beyondnoise(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("NO_COLOR", "1")
        .output()
        .expect("the executable runs")
}

#[track_caller]
fn output(arguments: &[&str], status: i32) -> String {
    let out = beyondnoise(arguments);
    let (text, errors) = (string(&out.stdout), string(&out.stderr));
    assert_eq!(out.status.code(), Some(status), "{arguments:?}\n{text}\n{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    text
}

#[track_caller]
fn complaint(arguments: &[&str], status: i32) -> String {
    let out = beyondnoise(arguments);
    let errors = string(&out.stderr);
    assert_eq!(out.status.code(), Some(status), "{arguments:?}\n{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    errors
}

fn string(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[track_caller]
fn report(arguments: &[&str]) -> Value {
    let all: Vec<&str> = arguments.iter().copied().chain(["--format", "json"]).collect();
    serde_json::from_str(&output(&all, 0)).expect("JSON")
}

/// A folder with files of these names and contents.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

const THREE: &str = "variant,request_throughput\nbefore,24.32\nbefore,24.11\nbefore,24.29\n\
                     after,24.52\nafter,24.59\nafter,24.74\n";

const SLOWER: &str = "variant,request_throughput\nbefore,24.32\nbefore,24.11\nbefore,24.29\n\
                      after,22.52\nafter,22.59\nafter,22.74\n";

/// Every `cargo run -- ...` command of the README that needs no other files.
#[test]
fn the_commands_of_the_readme_run() {
    let readme = include_str!("../../README.md");
    let commands: Vec<Vec<&str>> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("cargo run -- "))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert!(!commands.is_empty());
    for arguments in commands {
        let printed = output(&arguments, 0);
        // What the README shows is what is printed.
        let first = printed.lines().next().expect("a line");
        assert!(readme.contains(first), "{first}");
        for line in
            printed.lines().filter(|line| line.contains(" tok/s ") || line.starts_with("Next"))
        {
            if !line.starts_with("Next: 4") {
                assert!(readme.contains(line), "{line}");
            }
        }
    }
}

/// The break-even CVs by hand: |ln ratio| / (1.96 sqrt 2), as 0.0625 / 2.77 for 287.36 against 305.88.
#[test]
fn one_run_each_gives_no_verdict_and_the_noise_that_would_give_one() {
    let text = output(&["compare", "data/notes/closed-loop-before-after.txt"], 0);
    for words in
        ["no verdict, 1 run per variant (优化后 looks slower)", "+6.6 %", "2.3 %", "2.9 %", "1.9 %"]
    {
        assert!(text.contains(words), "{words}\n{text}");
    }
    for wrong in ["significant", "regressed", "improved"] {
        assert!(!text.contains(wrong), "{wrong}\n{text}");
    }
}

#[test]
fn no_single_run_of_a_note_is_called_a_change() {
    for note in [
        "closed-loop-before-after",
        "burst-three-variants",
        "burst-cache-steps",
        "two-workloads-five-steps",
    ] {
        let report = report(&["compare", &format!("data/notes/{note}.txt")]);
        for comparison in report["comparisons"].as_array().expect("comparisons") {
            assert_eq!(comparison["headline"], "no_verdict", "{note}");
            for metric in comparison["metrics"].as_array().expect("metrics") {
                assert_eq!(metric["verdict"], "not_judged", "{note}");
            }
        }
    }
}

#[test]
fn runs_pasted_into_two_notes_count_once() {
    let notes = ["data/notes/burst-three-variants.txt", "data/notes/burst-cache-steps.txt"];
    let report = report(&["compare", notes[0], notes[1]]);
    let twins: Vec<&Value> = report["comparisons"]
        .as_array()
        .expect("comparisons")
        .iter()
        .flat_map(|comparison| comparison["checks"].as_array().expect("checks"))
        .filter(|check| check["id"] == "duplicate-run")
        .collect();
    assert!(!twins.is_empty());
    let shown: Value =
        serde_json::from_str(&output(&["show", notes[0], notes[1], "--format", "json"], 0))
            .expect("JSON");
    assert_eq!(shown["groups"][0]["duplicates"].as_array().expect("duplicates").len(), 2);
}

#[test]
fn two_workloads_under_one_heading_stay_apart() {
    let report = report(&["compare", "data/notes/two-workloads-five-steps.txt"]);
    let labels: Vec<&str> = report["comparisons"]
        .as_array()
        .expect("comparisons")
        .iter()
        .map(|comparison| comparison["workload"]["label"].as_str().expect("a label"))
        .collect();
    assert_eq!(labels.len(), 8);
    assert_eq!(labels.iter().filter(|label| **label == "Throughput benchmark").count(), 4);
    assert_eq!(labels.iter().filter(|label| **label == "Latency benchmark").count(), 4);
}

/// The truth is in data/README.md: decode 4 % faster, which is +3.38 % throughput.
#[test]
fn the_known_change_of_the_example_data_is_found() {
    let report = report(&["compare", "data/serving"]);
    let comparison = &report["comparisons"][0];
    assert_eq!(comparison["headline"], "improved");
    for (index, truth) in [(0, 0.0338), (2, -0.04)] {
        let metric = &comparison["metrics"][index];
        assert_eq!(metric["verdict"], "better");
        let ends = &metric["delta"]["relative_ci"];
        let (low, high) =
            (ends[0].as_f64().expect("a number"), ends[1].as_f64().expect("a number"));
        assert!(low < truth && truth < high, "{metric}");
    }
}

/// The interval is also computed by `tests/golden/make_golden.py` (`example_3v3`).
#[test]
fn three_runs_each_give_the_calibrated_interval() {
    let folder = folder(&[("t.csv", THREE)]);
    let report = report(&["compare", &path(&folder, "t.csv")]);
    let metric = &report["comparisons"][0]["metrics"][0];
    let ends = &metric["delta"]["relative_ci"];
    assert!((ends[0].as_f64().expect("a number") - 0.005_252).abs() < 1e-6);
    assert!((ends[1].as_f64().expect("a number") - 0.025_930).abs() < 1e-6);
    assert_eq!(metric["verdict"], "better");
}

#[test]
fn equal_printed_values_are_not_certain() {
    let rows = "variant,x\nold,9.7\nold,9.7\nold,9.7\nnew,9.3\nnew,9.3\nnew,9.3\n";
    let folder = folder(&[("t.csv", rows)]);
    let report = report(&["compare", &path(&folder, "t.csv"), "--metric", "x:higher"]);
    let ends = &report["comparisons"][0]["metrics"][0]["delta"]["relative_ci"];
    // By hand: s = 0.05, SE = 0.05 / sqrt(3) * sqrt(1/9.7^2 + 1/9.3^2) = 0.0043, t(4) = 2.776: +-1.2 %.
    let half = (ends[1].as_f64().expect("a number") - ends[0].as_f64().expect("a number")) / 2.0;
    assert!((half - 0.0114).abs() < 0.0005, "{half}");
}

#[test]
fn the_gate_answers_by_exit_status() {
    let folder = folder(&[("good.csv", THREE), ("bad.csv", SLOWER)]);
    let (good, bad) = (path(&folder, "good.csv"), path(&folder, "bad.csv"));
    output(&["compare", &good, "--gate"], 0);
    output(&["compare", &bad], 0);
    assert!(complaint(&["compare", &bad, "--gate", "-q"], 1).contains("gate failed"));
    output(&["compare", &bad, "--gate", "--tolerance", "10%"], 0);
    let none = complaint(&["compare", "data/notes/closed-loop-before-after.txt", "--gate"], 3);
    assert!(none.contains("without a verdict"), "{none}");
}

#[test]
fn a_baseline_that_no_label_tells_is_an_error_that_lists_the_labels() {
    let rows = THREE.replace("before", "alpha").replace("after", "beta");
    let folder = folder(&[("t.csv", &rows)]);
    let file = path(&folder, "t.csv");
    let message = complaint(&["compare", &file], 2);
    for words in ["which variant is the baseline", "\"alpha\"", "\"beta\"", "--base"] {
        assert!(message.contains(words), "{words}\n{message}");
    }
    assert!(output(&["compare", &file, "--base", "alpha"], 0).contains("improved"));
    assert!(output(&["compare", &file, "--base", "beta"], 0).contains("regressed"));
    assert!(complaint(&["compare", &file, "--base", "gamma"], 2).contains("\"gamma\""));
}

#[test]
fn the_first_of_two_inputs_is_the_baseline() {
    let one = |value: &str| format!("run,request_throughput\n1,{value}1\n2,{value}2\n3,{value}4\n");
    let folder = folder(&[("x.csv", &one("24.3")), ("y.csv", &one("26.3"))]);
    let (x, y) = (path(&folder, "x.csv"), path(&folder, "y.csv"));
    assert_eq!(report(&["compare", &x, &y])["comparisons"][0]["baseline"]["name"], "x");
    assert_eq!(report(&["compare", &y, &x])["comparisons"][0]["baseline"]["name"], "y");
    let named = report(&["compare", &format!("now={x}"), &format!("main={y}")]);
    assert_eq!(named["comparisons"][0]["baseline"]["name"], "main");
}

#[test]
fn a_bad_file_stops_or_with_lenient_is_named() {
    let folder = folder(&[
        ("good.csv", THREE),
        ("bad.json", "{\"model_id\": \"m\", \"request_throughput\": 1.0,"),
    ]);
    let all = folder.path().display().to_string();
    let message = complaint(&["compare", &all], 2);
    assert!(message.contains("bad.json") && message.contains("line 1"), "{message}");
    let report = report(&["compare", &all, "--lenient"]);
    let skipped = report["inputs"].as_array().expect("inputs").iter();
    let skipped =
        skipped.filter(|input| input["path"].as_str().expect("a path").ends_with("bad.json"));
    assert!(
        skipped.clone().count() == 1 && skipped.clone().all(|i| i["skipped"][0]["why"].is_string())
    );
}

#[test]
fn different_workloads_are_not_comparable() {
    let row = |n: &str| format!("run,requests,request_throughput\n1,{n},24.31\n2,{n},24.52\n");
    let folder = folder(&[("before.csv", &row("100")), ("after.csv", &row("200"))]);
    let (a, b) = (path(&folder, "before.csv"), path(&folder, "after.csv"));
    let report = report(&["compare", &a, &b]);
    let comparison = &report["comparisons"][0];
    assert_eq!(comparison["headline"], "not_comparable");
    assert!(comparison["summary"].as_str().expect("text").contains("requests 100 against 200"));
    output(&["compare", &a, &b, "--gate"], 3);
}

#[test]
fn every_form_of_the_report_can_be_written() {
    let folder = folder(&[("t.csv", THREE)]);
    let file = path(&folder, "t.csv");
    for (name, start) in
        [("r.md", "### "), ("r.json", "{"), ("r.csv", "workload,"), ("r.txt", "beyondnoise: ")]
    {
        let target = path(&folder, name);
        assert_eq!(output(&["compare", &file, "-o", &target], 0), "");
        assert!(fs::read_to_string(&target).expect("a report").starts_with(start), "{name}");
    }
    assert!(complaint(&["compare", &file, "-o", &path(&folder, "r.doc")], 2).contains(".doc"));
    let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 5, "no partial file is left");
}

#[test]
fn settings_reach_the_report() {
    let folder = folder(&[("t.csv", THREE)]);
    let file = path(&folder, "t.csv");
    let flags = ["--confidence", "90%", "--resamples", "500", "--seed", "7", "--method", "welch"];
    let all: Vec<&str> = ["compare", &file].into_iter().chain(flags).collect();
    let settings = report(&all)["settings"].clone();
    assert_eq!(settings["confidence"], 0.9);
    assert_eq!((&settings["resamples"], &settings["seed"]), (&500.into(), &7.into()));
    assert_eq!(settings["method"], "welch");
    let refused = report(&["compare", &file, "--across", "p99"]);
    let reason =
        refused["comparisons"][0]["metrics"][0]["reason"].as_str().expect("text").to_owned();
    assert!(reason.contains("100 runs"), "{reason}");
    assert!(complaint(&["compare", &file, "--confidence", "2"], 2).contains("confidence"));
}

#[test]
fn columns_can_be_named() {
    let rows = "who,turn,score\nold,1,10.25\nold,2,10.31\nold,3,10.28\nmine,1,12.25\nmine,2,12.31\nmine,3,12.22\n";
    let folder = folder(&[("t.csv", rows)]);
    let file = path(&folder, "t.csv");
    let flags = ["--variant-column", "who", "--run-column", "turn", "--metric", "score:higher"];
    let all: Vec<&str> = ["compare", &file].into_iter().chain(flags).collect();
    assert_eq!(report(&all)["comparisons"][0]["headline"], "improved");
}

#[test]
fn convert_and_compare_give_the_same_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let direct = report(&["compare", "data/serving"]);
    let endings: &[&str] =
        if cfg!(feature = "tables") { &["csv", "ndjson", "parquet"] } else { &["csv", "ndjson"] };
    for ending in endings {
        let table = path(&folder, &format!("runs.{ending}"));
        output(&["convert", "data/serving", "-o", &table], 0);
        let again = report(&["compare", &table]);
        for field in ["metrics", "headline", "workload", "load", "summary"] {
            let (a, b) = (&direct["comparisons"][0][field], &again["comparisons"][0][field]);
            assert_eq!(a, b, "{ending} {field}");
        }
    }
    let refused = complaint(&["convert", "data/serving", "-o", &path(&folder, "runs.xls")], 2);
    assert!(refused.contains(".xls"), "{refused}");
}

#[test]
fn show_names_format_variants_and_claims() {
    let text = output(&["show", "data/notes/burst-cache-steps.txt"], 0);
    for words in ["text blocks, 5 runs", "baseline: 1 run", "TTFT ⬇️ 3.44%", "mean TTFT ms"] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert!(output(&["show", "data/serving", "-v"], 0).contains("detail of 1000 requests"));
}

#[test]
fn standard_input_is_an_input() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .args(["compare", "-", "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the executable runs");
    child.stdin.take().expect("a pipe").write_all(THREE.as_bytes()).expect("written");
    let out = child.wait_with_output().expect("an end");
    let report: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!(report["inputs"][0]["path"], "standard input");
    assert_eq!(report["comparisons"][0]["headline"], "improved");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .args(["compare", "data/notes", "-v"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the executable runs");
    drop(child.stdout.take());
    let out = child.wait_with_output().expect("an end");
    assert!(out.status.success(), "{}", string(&out.stderr));
}

#[test]
fn colour_is_for_terminals_unless_asked_for() {
    assert!(!output(&["compare", "data/serving"], 0).contains('\u{1b}'));
    assert!(output(&["compare", "data/serving", "--color", "always"], 0).contains('\u{1b}'));
}

#[test]
fn the_order_of_files_and_threads_changes_nothing() {
    let (a, b) = ("data/serving/before", "data/serving/after");
    let named = |x: &str, y: &str| report(&["compare", x, y])["comparisons"].clone();
    let first = named(&format!("before={a}"), &format!("after={b}"));
    let second = named(&format!("after={b}"), &format!("before={a}"));
    assert_eq!(first, second);
    let one = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .args(["compare", "data/serving", "--format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .expect("the executable runs");
    assert_eq!(string(&one.stdout), output(&["compare", "data/serving", "--format", "json"], 0));
}

#[test]
fn nothing_to_compare_is_said_with_what_was_found() {
    let message = complaint(&["compare", "data/notes/old-client-single.txt"], 2);
    assert!(message.contains("nothing to compare with") && message.contains("1 run"), "{message}");
    let empty = tempfile::tempdir().expect("a folder");
    let message = complaint(&["compare", &empty.path().display().to_string()], 2);
    assert!(message.contains("found an empty folder"), "{message}");
    let missing = complaint(&["compare", "no/such/file"], 2);
    assert!(missing.contains("cannot read no/such/file"), "{missing}");
    assert!(!Path::new("no").exists());
}

/// The same runs under two names are none of the second.
#[test]
fn a_copy_under_another_name_is_called_a_copy() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (before, after) = (file("before.csv"), file("after.csv"));
    for path in [&before, &after] {
        fs::write(path, "x_ms\n100.5\n101.9\n103.1\n").expect("a file");
    }
    let inputs = [format!("before={before}"), format!("after={after}")];
    let message = complaint(&["compare", &inputs[0], &inputs[1]], 2);
    assert!(
        message.contains("all runs of \"after\" (3) are copies of runs of \"before\""),
        "{message}"
    );
    let folder = "data/serving/before";
    let inputs = [format!("before={folder}"), format!("after={folder}")];
    let message = complaint(&["compare", &inputs[0], &inputs[1]], 2);
    assert!(
        message.contains("all runs of \"after\" (6) are copies of runs of \"before\""),
        "{message}"
    );
}

/// Output and input are one file: the data would be gone.
#[test]
fn an_input_is_not_overwritten() {
    let folder = folder(&[("t.csv", THREE)]);
    let file = path(&folder, "t.csv");
    assert!(complaint(&["compare", &file, "-o", &file], 2).contains("an output of its own"));
    assert!(complaint(&["convert", &format!("x={file}"), "-o", &file], 2).contains("of its own"));
    assert_eq!(fs::read_to_string(&file).expect("the data"), THREE);
}

/// The same, where the words typed do not name the file that would be lost.
#[test]
fn no_file_that_is_read_is_overwritten() {
    let run = |value: &str| format!("variant,request_throughput\n{value}\n");
    let files = [
        ("runs/before/0.csv", run("before,24.32")),
        ("runs/before/1.csv", run("before,24.11")),
        ("runs/after/0.csv", run("after,22.52")),
        ("runs/after/1.csv", run("after,22.59")),
        ("old/t.csv", SLOWER.to_owned()),
        ("t.csv", THREE.to_owned()),
        ("p.toml", "tolerance = \"3 %\"\n".to_owned()),
        ("own/results.csv", THREE.to_owned()),
        ("linked/beyondnoise.toml", "seed = 1\n".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, &**text)).collect();
    let folder = folder(&files);
    let at = |name: &str| path(&folder, name);
    let lost = at("runs/before/0.csv");
    let globs = at("runs/*/*.csv");
    for arguments in [
        &["compare", &at("runs"), "-o", &lost, "--format", "markdown"][..],
        &["compare", &at("runs"), "-o", &at("new.md"), "-o", &lost],
        &["compare", &globs, "-o", &lost],
        &["convert", &at("runs"), "-o", &lost],
        &["show", &at("runs"), "-o", &lost],
        &["noise", &at("runs"), "-o", &lost, "--format", "json"],
        &["plan", &at("runs"), "--effect", "3%", "-o", &lost, "--format", "json"],
        &[
            "plan",
            "--cv",
            "2%",
            "--effect",
            "3%",
            "--config",
            &at("p.toml"),
            "-o",
            &at("p.toml"),
            "--format",
            "text",
        ],
        &["calibrate", &at("runs"), "-o", &lost],
        &[
            "compare",
            &at("t.csv"),
            "--config",
            &at("p.toml"),
            "-o",
            &at("p.toml"),
            "--format",
            "csv",
        ],
        &["compare", &at("t.csv"), "--history", &at("old"), "-o", &at("old/t.csv")],
        &["batch", &at("t.csv"), "--history", &at("old"), "-o", &at("old/t.csv")],
        &["batch", &at("own/results.csv"), "-o", &at("own")],
        &["batch", &format!("{}/*", at("own")), "-o", &at("own")],
    ] {
        let said = complaint(arguments, 2);
        assert!(
            said.contains("expected an output of its own, found the "),
            "{arguments:?}: {said}"
        );
        assert!(said.contains("; give another file to -o"), "{said}");
    }
    for (name, text) in files {
        assert_eq!(fs::read_to_string(at(name)).expect("the data"), text, "{name}");
    }
    assert!(!Path::new(&at("new.md")).exists());
    // A report among the results is none of them, and is replaced as often as it is made.
    for name in ["report.md", "report.csv", "report.json", "report.html", "report.txt"] {
        for _ in 0..2 {
            output(&["compare", &at("runs"), "-o", &at(&format!("runs/{name}"))], 0);
        }
    }
}

#[test]
fn a_hyphen_is_no_file_to_write_to() {
    let folder = folder(&[("t.csv", THREE)]);
    let file = path(&folder, "t.csv");
    for arguments in [
        &["compare", &file, "-o", "-"][..],
        &["batch", &file, "-o", "-"],
        &["show", &file, "-o", "-"],
        &["noise", &file, "-o", "-"],
        &["plan", "--cv", "2%", "--effect", "3%", "-o", "-"],
        &["formats", "-o", "-"],
    ] {
        let said = complaint(arguments, 2);
        assert!(said.contains("expected a file to write to, found -; leave out -o"), "{said}");
    }
    assert!(!Path::new("-").exists());
}

/// Reports that were written beside the results that they are of.
#[test]
fn a_report_of_ones_own_is_no_result() {
    let rows = (0..12).map(|run| {
        let (variant, rate) = if run % 2 == 0 { ("before", 24.3) } else { ("after", 24.6) };
        format!("{variant},m,{:.2}\n", rate + f64::from(run * run % 7) / 50.0)
    });
    let rows: String = rows.collect();
    let folder = folder(&[("t.csv", &format!("variant,model,request_throughput\n{rows}"))]);
    let (all, at) = (folder.path().display().to_string(), |name: &str| path(&folder, name));
    for arguments in [
        &[
            "compare",
            &all,
            "-o",
            &at("report.csv"),
            "-o",
            &at("report.json"),
            "-o",
            &at("report.md"),
        ][..],
        &["noise", &all, "-o", &at("noise.json")],
        &["show", &all, "--format", "json", "-o", &at("shown.json")],
        &["plan", &all, "--effect", "3%", "-o", &at("plan.json")],
        &["calibrate", &all, "--repetitions", "20", "-o", &at("own.csv"), "-o", &at("own.json")],
        &["batch", &all, "--by", "model", "-o", &at("out")],
        &["batch", &all, "-o", &at("out")],
    ] {
        let done = beyondnoise(arguments);
        assert!(done.status.code() == Some(0), "{arguments:?}: {}", string(&done.stderr));
    }
    let shown: Value =
        serde_json::from_str(&output(&["show", &all, "--format", "json"], 0)).expect("JSON");
    for input in shown["inputs"].as_array().expect("inputs") {
        let path = input["path"].as_str().expect("a path");
        let runs = if path.ends_with("/t.csv") { 12 } else { 0 };
        assert_eq!(input["runs"], runs, "{input}");
        let ending = path.rsplit('.').next();
        if runs == 0 && matches!(ending, Some("csv" | "json")) {
            assert_eq!(input["skipped"][0]["why"], "a report of this program, not a result");
        }
    }
    let said = complaint(&["compare", &at("report.csv")], 2);
    assert!(said.contains("a report of this program, not a result; give"), "{said}");
    // The tidy table is read back.
    output(&["convert", &at("t.csv"), "-o", &at("tidy.csv")], 0);
    assert!(output(&["show", &at("tidy.csv")], 0).contains("before: 6 runs"));
}

#[test]
fn what_is_typed_is_printed_without_what_a_terminal_obeys() {
    let folder = folder(&[("a\u{1b}[2J.toml", "seed = 1\n")]);
    let policy = path(&folder, "a\u{1b}[2J.toml");
    for (arguments, words) in [
        (&["config", "--config", &policy][..], "a[2J.toml, line 1"),
        (&["plan", "--cv", "2%", "--effect", "3%", "--cost", "7a\u{202e}b"], "7 ab"),
        (&["plan", "--cv", "2%", "--effect", "3%", "--metric", "x\u{1b}[2J:lower"], "x[2J"),
    ] {
        let text = output(arguments, 0);
        assert!(text.contains(words), "{text}");
        let bad = |c: char| c != '\n' && c.is_control() || c == '\u{202e}';
        assert!(!text.contains(bad), "{text:?}");
    }
    let said = complaint(&["compare", "--\u{1b}]0;x\u{7}\u{1b}[2J"], 2);
    assert!(
        said.contains("]0;x[2J") && !said.contains(|c: char| c != '\n' && c.is_control()),
        "{said:?}"
    );
}

/// To break a word of any length into the lines of a cell takes time that grows with its square.
#[test]
fn a_very_long_name_in_one_word_is_cut_in_tables() {
    let name = format!("{}_ms", "x".repeat(1 << 16));
    let row = |(variant, value): (&str, &str)| format!("{variant},{name},{value}\n");
    let rows = [("before", "1.5"), ("before", "1.6"), ("after", "1.7"), ("after", "1.8")].map(row);
    let folder = folder(&[("t.csv", &format!("variant,metric,value\n{}", rows.concat()))]);
    let (file, metric) = (path(&folder, "t.csv"), format!("{name}:lower"));
    for arguments in [
        &["compare", &file, "-v", "--metric", &metric][..],
        &["noise", &file, "-v", "--metric", &metric],
        &["plan", &file, "--effect", "3%", "--metric", &metric],
        &["batch", &file, "--all", "--metric", &metric],
        &["history", "show", "--history", &file],
    ] {
        let text: String = output(arguments, 0).split_whitespace().collect();
        assert!(text.contains("x…"), "{}: {}", arguments[0], text.len());
    }
}

#[test]
fn a_tolerance_without_its_sign_is_not_guessed() {
    let folder = folder(&[("t.csv", SLOWER)]);
    let file = path(&folder, "t.csv");
    let message = complaint(&["compare", &file, "--gate", "--tolerance", "0.05"], 2);
    assert!(message.contains("5% or 0.05%"), "{message}");
}

#[test]
fn failures_that_only_one_side_counts_are_not_passed_over() {
    let rows = "variant,completed,failed,mean_ttft_ms\nbefore,800,,50.1\nbefore,800,,50.4\n\
                before,800,,50.2\nafter,800,80,40.3\nafter,800,80,40.1\nafter,800,80,40.6\n";
    let folder = folder(&[("t.csv", rows)]);
    let report = report(&["compare", &path(&folder, "t.csv")]);
    for comparison in report["comparisons"].as_array().expect("comparisons") {
        assert_eq!(comparison["headline"], "not_comparable");
    }
    assert!(!report["comparisons"].as_array().expect("comparisons").is_empty());
}

#[test]
fn a_workload_that_has_no_partner_stops_the_gate() {
    let runs = [("A", "10000", "24.3"), ("B", "10500", "16.3")].into_iter().flat_map(
        |(model, tokens, after)| {
            (1..=3).map(move |run| {
                format!("before,{model},10000,24.3{run}\nafter,{model},{tokens},{after}4{run}\n")
            })
        },
    );
    let rows: String =
        std::iter::once("variant,model,input_tokens,request_throughput\n".to_owned())
            .chain(runs)
            .collect();
    let folder = folder(&[("t.csv", &rows)]);
    let file = path(&folder, "t.csv");
    let report = report(&["compare", &file]);
    let refused = report["comparisons"].as_array().expect("comparisons").iter();
    let refused: Vec<&Value> = refused.filter(|c| c["headline"] == "not_comparable").collect();
    let summary = refused[0]["summary"].as_str().expect("text");
    assert!(
        refused.len() == 1 && summary.contains("input tokens 10000 against 10500"),
        "{summary}"
    );
    assert!(complaint(&["compare", &file, "--gate"], 3).contains("input tokens"));
}

#[test]
fn constant_settings_make_no_duplicates() {
    let runs = ["before", "after"].into_iter().flat_map(|variant| {
        let times = ["12.3", "12.4", "12.3", "12.5", "12.3"];
        times.map(|time| format!("{variant},81559,131072,8,{time}\n"))
    });
    let head = "variant,gpu_mem_mb,context_len,tp,step_time_ms\n".to_owned();
    let rows: String = std::iter::once(head).chain(runs).collect();
    let folder = folder(&[("t.csv", &rows)]);
    let report = report(&["compare", &path(&folder, "t.csv"), "--metric", "step_time_ms:lower"]);
    assert_eq!(report["comparisons"][0]["candidate"]["runs"], 5);
    let shown = output(&["show", &path(&folder, "t.csv")], 0);
    assert!(shown.contains("before: 5 runs") && !shown.contains("counted once"), "{shown}");
}

#[test]
fn a_metric_that_one_side_lacks_is_named() {
    let rows = "variant,metric,value\nbefore,mean_ttft_ms,50.1\nbefore,mean_ttft_ms,50.3\n\
                before,mean_tpot_ms,5.1\nbefore,mean_tpot_ms,5.2\nafter,mean_ttft_ms,50.2\n\
                after,mean_ttft_ms,50.4\n";
    let folder = folder(&[("t.csv", rows)]);
    let text = output(&["compare", &path(&folder, "t.csv")], 0);
    assert!(text.contains("one variant lacks it: mean TPOT only in before"), "{text}");
}

#[test]
fn an_empty_or_cut_result_in_a_folder_stops() {
    for broken in ["", "{\"date\": \"2026"] {
        let folder = folder(&[("t.csv", THREE), ("run-1.json", broken)]);
        let message = complaint(&["compare", &folder.path().display().to_string()], 2);
        assert!(message.contains("run-1.json"), "{message}");
    }
}

#[test]
fn a_metric_without_a_ratio_is_judged_by_its_difference_and_says_so() {
    let rows =
        "variant,drift_ms\nbefore,0.0\nbefore,-0.1\nbefore,0.2\nafter,9.0\nafter,9.4\nafter,9.1\n";
    let folder = folder(&[("t.csv", rows)]);
    let file = path(&folder, "t.csv");
    let text = output(&["compare", &file, "--metric", "drift_ms:lower"], 0);
    assert!(text.contains("worse (no") && !text.contains("once adjusted"), "{text}");
    let markdown =
        output(&["compare", &file, "--metric", "drift_ms:lower", "--format", "markdown"], 0);
    assert!(markdown.contains("ratio not defined: values of 0 or below"), "{markdown}");
}

#[test]
fn a_low_confidence_is_refused_or_works() {
    let folder = folder(&[("t.csv", THREE)]);
    let file = path(&folder, "t.csv");
    assert!(complaint(&["compare", &file, "--confidence", "0.5"], 2).contains("0.6"));
    output(&["compare", &file, "--confidence", "60%"], 0);
}

#[test]
fn the_format_and_the_ending_html_give_the_same_page() {
    let page = output(&["compare", "data/serving", "--format", "html"], 0);
    assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
    let folder = folder(&[]);
    for ending in ["html", "HTM"] {
        let file = path(&folder, &format!("report.{ending}"));
        output(&["compare", "data/serving", "-o", &file], 0);
        assert_eq!(fs::read_to_string(&file).expect("a page"), page);
    }
}

#[test]
fn plot_draws_in_text_only() {
    let drawn = output(&["compare", "data/serving", "--plot"], 0);
    assert!(drawn.contains("├") && drawn.contains("┊"), "{drawn}");
    for format in ["html", "markdown", "json", "csv"] {
        let errors = complaint(&["compare", "data/serving", "--plot", "--format", format], 2);
        assert!(
            errors.contains(format) && errors.contains("html, svg and png have plots"),
            "{errors}"
        );
    }
    complaint(&["compare", "data/serving", "--plot", "-q"], 2);
}

#[test]
fn an_ending_of_no_report_names_those_that_are() {
    let folder = folder(&[]);
    for (command, endings) in [
        ("compare", "md, html, svg, png, json, csv, xml, prom or txt"),
        ("noise", "md, html, json or txt"),
    ] {
        let errors = complaint(&[command, "data/serving", "-o", &path(&folder, "report.pdf")], 2);
        assert!(errors.contains(endings) && errors.contains(".pdf"), "{errors}");
    }
}

#[test]
fn a_slow_first_run_that_hides_a_change_is_to_be_repeated_before_more_runs_are_made() {
    let mut rows = "variant,run,output_throughput,mean_ttft_ms\n".to_owned();
    let before = [100.0, 100.2, 99.8, 100.1, 99.9, 100.0];
    for (variant, values) in
        [("before", before), ("after", [95.0, 103.1, 102.9, 103.0, 103.0, 103.0])]
    {
        for (run, value) in values.iter().enumerate() {
            writeln!(rows, "{variant},{run},{value},50.{run}").expect("text");
        }
    }
    let folder = folder(&[("t.csv", &rows)]);
    let comparison = report(&["compare", &path(&folder, "t.csv")])["comparisons"][0].clone();
    assert_eq!(comparison["headline"], "within_noise");
    let step = comparison["next_step"].as_str().expect("a step");
    // No number of runs is enough with them, and nothing is said of stopping.
    assert_eq!(step, "make the first run of each a warm-up (reset the cache) and repeat it.");
}

#[test]
fn an_improvement_beside_a_stop_is_not_told_without_it() {
    let mut rows = "variant,run,output_throughput,total_output_tokens\n".to_owned();
    for (variant, centre, tokens) in [("before", 100.0, 100_000), ("after", 110.0, 90_000)] {
        for (run, off) in [0.0, 0.1, -0.1].into_iter().enumerate() {
            writeln!(rows, "{variant},{run},{},{tokens}", centre + off).expect("text");
        }
    }
    let folder = folder(&[("t.csv", &rows)]);
    let comparison = report(&["compare", &path(&folder, "t.csv")])["comparisons"][0].clone();
    assert_eq!(comparison["headline"], "improved");
    let step = comparison["next_step"].as_str().expect("a step");
    assert_eq!(step, "resolve first: the outputs differ in length.");
}

#[test]
fn what_was_read_is_shown_within_80_columns_and_no_path_is_broken() {
    let long = format!("{} of a long name.csv", "results ".repeat(12).trim_end());
    let folder = folder(&[(long.as_str(), THREE)]);
    let file = path(&folder, &long);
    let to = path(&folder, "shown.txt");
    for input in ["data/notes", "data/serving", file.as_str()] {
        for more in [&[][..], &["-v"]] {
            let shown = output(&[&["show", input], more].concat(), 0);
            for line in shown.lines() {
                let path = line.contains(&file);
                assert!(path || textwrap::core::display_width(line) <= 80, "{line}");
            }
            assert!(input != file || shown.contains(&file), "{shown}");
            output(&[&["show", input, "-o", &to], more].concat(), 0);
            assert_eq!(fs::read_to_string(&to).expect("a file"), shown);
        }
    }
}

#[test]
fn completions_and_manual_pages_are_made_of_the_flags() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = output(&["completions", shell], 0);
        assert!(script.contains("tolerance") && script.contains("calibrate"), "{shell}");
    }
    complaint(&["completions", "tcsh"], 2);
    assert!(output(&["man"], 0).starts_with(".ie"));
    assert!(output(&["man"], 0).contains(".TP\nnoise prior\n"));
    let folder = folder(&[]);
    output(&["man", "-o", &path(&folder, "man1")], 0);
    let page = path(&folder, "man1/beyondnoise-history-add.1");
    assert!(fs::read_to_string(page).expect("a page").contains("\\-\\-build"));
}

/// The bytes that every Parquet file starts and ends with.
#[cfg(not(feature = "tables"))]
#[test]
fn a_parquet_file_says_that_this_build_cannot_read_it() {
    let folder = folder(&[("t.parquet", "PAR1 PAR1")]);
    let message = complaint(&["compare", &path(&folder, "t.parquet")], 2);
    assert!(message.contains("feature `tables`; build it with"), "{message}");
}

#[test]
fn one_call_writes_several_forms_all_or_none() {
    let folder = folder(&[("runs.csv", THREE)]);
    let (runs, page) = (path(&folder, "runs.csv"), path(&folder, "r.html"));
    let (comment, document) = (path(&folder, "r.md"), path(&folder, "r.json"));
    let nowhere = path(&folder, "no/such/r.csv");
    let errors = complaint(&["compare", &runs, "-o", &comment, "-o", &nowhere], 2);
    assert!(errors.contains("no/such/r.csv"), "{errors}");
    assert!(!Path::new(&comment).exists());
    output(&["compare", &runs, "-o", &comment, "-o", &page, "-o", &document], 0);
    for (file, form) in [(comment, "markdown"), (page, "html"), (document, "json")] {
        let alone = output(&["compare", &runs, "--format", form], 0);
        assert_eq!(fs::read_to_string(file).expect("a report"), alone, "{form}");
    }
    complaint(&["compare", &runs, "-o", &path(&folder, "r.txt"), "-o", &runs], 2);
}

#[test]
fn earlier_runs_that_cannot_be_read_are_left_out_leniently() {
    let folder = folder(&[
        ("runs.csv", THREE),
        ("earlier/a.csv", "variant,request_throughput\nold,24.1\nold,24.3\nold,24.2\n"),
        ("earlier/b.json", "{\"model_id\": \"m\", \"request_throughput\": 1.0,"),
    ]);
    let (runs, earlier) = (path(&folder, "runs.csv"), path(&folder, "earlier"));
    let errors = complaint(&["compare", &runs, "--history", &earlier], 2);
    assert!(errors.contains("b.json"), "{errors}");
    let report = report(&["compare", &runs, "--history", &earlier, "--lenient"]);
    let inputs = report["inputs"].as_array().expect("inputs");
    let bad =
        inputs.iter().find(|input| input["path"].as_str().expect("a path").ends_with("b.json"));
    assert!(bad.expect("it is named")["skipped"][0]["why"].is_string());
    assert!(inputs.iter().any(|input| input["runs"] == 3), "the other file of the history");
}

#[test]
fn what_one_types_by_habit_is_understood_or_answered() {
    let folder = folder(&[("runs.csv", THREE)]);
    let runs = path(&folder, "runs.csv");
    let usual = ["compare", &runs, "--base", "after", "--metric", "request_throughput", "-q"];
    let habit = ["compare", &runs, "--baseline", "after", "--metrics", "request_throughput", "-q"];
    assert_eq!(output(&habit, 0), output(&usual, 0));
    for (arguments, tip) in [
        (&["compare", runs.as_str(), "--json"][..], "--format json, or the ending of -o FILE"),
        (&["compare", &runs, "--margin", "3%"], "[metrics.NAME]"),
        (&[runs.as_str()], "beyondnoise compare"),
        (&["compare", &runs, "--bose", "x"], "'--base'"),
    ] {
        let errors = complaint(arguments, 2);
        assert!(errors.contains(tip), "{tip}\n{errors}");
    }
}

/// By hand: C(11, 6)^2 = 213,444 pairs of resamples of 6 + 6 runs are enumerated, C(13, 7)^2 = 2,944,656 of 7 + 7 are
/// not.
#[test]
fn the_method_says_how_the_resamples_were_made() {
    let row = |variant: &str, n: u32| format!("{variant},{}\n", 24.0 + f64::from(n * n % 7) / 10.0);
    let table = |runs: u32| {
        let rows = ["before", "after"].map(|variant| (0..runs).map(|n| row(variant, n)).collect());
        "variant,request_throughput\n".to_owned() + &rows.map(|rows: String| rows).concat()
    };
    let (six, seven) = (table(6), table(7));
    let folder = folder(&[("6.csv", six.as_str()), ("7.csv", seven.as_str())]);
    for (file, flags, ways, words) in [
        ("6.csv", &[][..], "[\"all\"]", "calibrated bootstrap over runs, every resample."),
        ("7.csv", &[], "[\"drawn\"]", "10000 resamples drawn from seed 0."),
        ("7.csv", &["--across", "median"], "[\"closed_form\"]", "their law in closed form."),
        ("7.csv", &["--method", "welch"], "[]", "Welch t interval over runs."),
        ("data/serving", &["--paired"], "[\"all\"]", "every resample."),
    ] {
        let own = Path::new(file).exists();
        let file = if own { file.to_owned() } else { path(&folder, file) };
        let all = [&["compare", file.as_str()], flags].concat();
        assert_eq!(report(&all)["settings"]["resampled"].to_string(), ways, "{all:?}");
        let text = output(&[&all[..], &["-v"]].concat(), 0);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(words), "{all:?}\n{text}");
    }
}

#[test]
fn the_gate_names_every_metric_that_fails() {
    let errors = {
        let out = beyondnoise(&[
            "compare",
            "before=data/serving/after",
            "after=data/serving/before",
            "--gate",
            "-q",
        ]);
        string(&out.stderr)
    };
    for metric in ["output throughput is worse by", "mean TPOT is worse by"] {
        assert!(errors.contains(metric), "{errors}");
    }
}

/// A name that a shell would take apart stands in quotes where it is to be typed.
#[test]
fn flags_to_be_typed_are_quoted() {
    let rows = "Build ID,Widgets (net)\na,1\na,2\na,3\nb,4\nb,5\nb,6\n";
    let folder = folder(&[("t.csv", rows)]);
    let file = path(&folder, "t.csv");
    let text = output(&["compare", &file, "--base", "a"], 0).replace('\n', " ");
    assert!(text.contains("--metric \"Widgets (net):lower\" or --metric"), "{text}");
    // Of two columns of words neither names the variants by itself.
    let rows = "the arm,the disk,Widgets (net)\na,x,1\na,y,2\na,x,3\nb,y,4\nb,x,5\nb,y,6\n";
    fs::write(&file, rows).expect("a file");
    let errors = complaint(&["compare", &file], 2);
    assert!(errors.contains("--variant-column \"the arm\" (2 values: a, b)"), "{errors}");
}

/// A name of people, a misspelt one and a part of one are no dead end, in any command.
#[test]
fn a_misspelt_metric_is_suggested() {
    let of = |typed: &str, command: &[&str]| {
        complaint(&[command, &["data/serving", "--metric", typed]].concat(), 2)
    };
    let commands: [&[&str]; 4] =
        [&["compare"], &["noise"], &["plan", "--effect", "3%"], &["calibrate"]];
    for command in commands {
        let text = of("tftt", command);
        let meant = "did you mean mean_ttft_ms, median_ttft_ms or p90_ttft_ms?";
        assert!(text.contains(meant), "{command:?} {text}");
    }
    for (typed, meant) in [
        ("p99_tftt_ms", "did you mean p99_ttft_ms?"),
        ("P99 TTFT", "did you mean p99_ttft_ms?"),
        (
            "throughput",
            "did you mean output_throughput, request_throughput or total_token_throughput?",
        ),
        ("speed", "name one of these with --metric"),
    ] {
        let text = of(typed, &["compare"]);
        assert!(text.contains(meant), "{typed} {text}");
    }
    let batch = ["batch", "data/export.csv", "--base", "v1", "--by", "modl"];
    assert!(complaint(&batch, 2).contains("did you mean model?"));
}

/// S11: steps between neighbours hide a slow trend; from 12 variants on the report names the command for a series.
#[test]
fn a_long_series_is_sent_to_the_verdict_on_a_history() {
    let series = |nights: usize| {
        let mut rows = String::from("build,run,step_ms\n");
        for (night, run) in (0..nights).flat_map(|night| (0..3).map(move |run| (night, run))) {
            let value = 100.0 + 0.15 * night as f64 + 0.3 * ((run * 5 + night) % 4) as f64;
            writeln!(rows, "night{night},{run},{value}").expect("text");
        }
        let folder = folder(&[("t.csv", &rows)]);
        output(&["compare", &path(&folder, "t.csv"), "--base", "previous"], 0)
    };
    assert!(series(12).contains("beyondnoise history verdict"));
    assert!(!series(11).contains("history verdict"));
}

const VERSIONS: &str = "build,run,rank,step_ms\nmid,1,2,110\nmid,2,2,111\nmid,3,2,112\nnew,1,10,120\nnew,2,10,121\n\
    new,3,10,122\nold,1,1,100\nold,2,1,101\nold,3,1,102\n";

/// S8. In a folder that a shell or a program sorts by letters, in every form of the report.
#[test]
fn a_series_is_in_the_order_of_its_starts_or_numbers() {
    let rows = |hour: Option<usize>, value: usize| {
        let row = |run: usize| match hour {
            Some(hour) => format!("{},2026-01-01T{hour:02}:0{run}:00\n", value + run),
            None => format!("{},\n", value + run),
        };
        "step_ms,started\n".to_owned() + &(1..=3).map(row).collect::<String>()
    };
    // By hand, by letters: step10 after step1, step2 after step10.
    for (hours, order, how) in [
        ([None; 4], ["step0", "step1", "step2", "step10"], "natural order of the names"),
        ([0, 1, 2, 3].map(Some), ["step0", "step1", "step2", "step10"], "order of start times"),
        ([3, 2, 1, 0].map(Some), ["step10", "step2", "step1", "step0"], "order of start times"),
        // At one hour by turns: that is no order.
        (
            [3, 3, 3, 0].map(Some),
            ["step0", "step1", "step2", "step10"],
            "natural order of the names",
        ),
    ] {
        let files =
            [("step0", hours[0]), ("step1", hours[1]), ("step2", hours[2]), ("step10", hours[3])];
        let files = files.map(|(name, hour)| {
            (
                format!("{name}.csv"),
                rows(hour, 100 + 17 * name.len() + usize::from(name.as_bytes()[4])),
            )
        });
        let files: Vec<(&str, &str)> =
            files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let folder = folder(&files);
        let inputs =
            ["step0.csv", "step1.csv", "step10.csv", "step2.csv"].map(|name| path(&folder, name));
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        let expected: Vec<String> =
            (1..4).map(|at| format!("{}/{}", order[at], order[at - 1])).collect();
        let mut found = pairs(&inputs);
        found.sort_by_key(|pair| expected.iter().position(|known| known == pair));
        assert_eq!(found, expected, "{hours:?}");
        let sentence = format!(
            "Each variant is compared with the one before it, in {how}: {}.",
            order.join(", ")
        );
        let common =
            [&["compare", "--base", "previous", "--metric", "step_ms:lower"], &inputs[..]].concat();
        let batch =
            [&["batch", "--base", "previous", "--metric", "step_ms:lower"], &inputs[..]].concat();
        for command in [&common, &batch] {
            for format in ["text", "markdown", "html", "json"] {
                let text = output(&[&command[..], &["--format", format]].concat(), 0);
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(text.contains(&sentence), "{format}: {text}");
            }
        }
        let json = report(&common);
        assert_eq!(json["settings"]["order"], serde_json::json!(order));
        let by = if how.contains("start") { "started" } else { "names" };
        assert_eq!(json["settings"]["order_by"], by);
    }
}

/// The pairs of candidate and baseline, in the order of the candidates.
fn pairs(arguments: &[&str]) -> Vec<String> {
    let common = ["compare", "--metric", "step_ms:lower", "--base", "previous"];
    let report = report(&[&common, arguments].concat());
    let name = |one: &Value, side: &str| one[side]["name"].as_str().unwrap_or_default().to_owned();
    let comparisons = report["comparisons"].as_array().expect("comparisons");
    let pair = |one: &Value| format!("{}/{}", name(one, "candidate"), name(one, "baseline"));
    let mut pairs: Vec<String> = comparisons.iter().map(pair).collect();
    pairs.sort();
    pairs
}

/// By hand: 111 / 101 - 1 = 9.90 %, 121 / 111 - 1 = 9.01 %.
#[test]
fn every_variant_is_compared_with_the_one_before_it() {
    let part = |build: &str| -> String {
        let rows = |line: &&str| line.starts_with("build") || line.starts_with(build);
        let without = |line: &str| line.split(',').skip(3).collect::<String>() + "\n";
        VERSIONS.lines().filter(rows).map(without).collect()
    };
    let files = ["mid", "new", "old"].map(part);
    let folder = folder(&[
        ("three.csv", VERSIONS),
        ("mid.csv", &files[0]),
        ("new.csv", &files[1]),
        ("old.csv", &files[2]),
    ]);
    let [three, mid, new, old] =
        ["three.csv", "mid.csv", "new.csv", "old.csv"].map(|name| path(&folder, name));
    // By the names, in the order of inputs with names, of the column.
    assert_eq!(pairs(&[&old, &mid, &new]), ["mid/old", "new/mid"]);
    let [a, b, c] = [format!("C={new}"), format!("A={old}"), format!("B={mid}")];
    assert_eq!(pairs(&[&a, &b, &c]), ["A/C", "B/A"]);
    assert_eq!(pairs(&[&three, "--order-by", "rank"]), ["mid/old", "new/mid"]);
    let appeared = ["compare", &three, "--metric", "step_ms:lower", "--base", "previous"];
    let text = output(&[&appeared[..], &["--pool", "rank"]].concat(), 0);
    let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let order = "Each variant is compared with the one before it, in natural order of the names: old, mid, new.";
    assert!(said.contains(order), "{said}");
    assert!(said.contains("each against the one before it:"), "{said}");
    assert!(said.contains("new (n=3)") && said.contains("against mid"), "{said}");
    // A variant of that name is the baseline.
    let named = format!("previous={mid}");
    assert_eq!(pairs(&[&old, &named, &new]), ["new/previous", "old/previous"]);
    let wrong = ["compare", &three, "--base", "old", "--order-by", "rank"];
    assert!(complaint(&wrong, 2).contains("with --base previous"));
}

/// S10: a first call that goes wrong says what was meant, or what the file is and what to give instead.
#[test]
fn a_misspelt_path_or_label_and_a_file_of_another_kind_say_what_to_do() {
    let steps = "build,step_ms\nv1,12\nv1,12.1\nv1,12.2\nv2,11\nv2,11.1\nv2,11.2\n";
    let folder =
        folder(&[("steps.csv", steps), ("sheet.xlsx", "PK\u{3}\u{4}abc"), ("doc.pdf", "%PDF-1.7")]);
    for (arguments, said) in [
        (vec![path(&folder, "step.csv")], "did you mean"),
        (vec![path(&folder, "steps.csv"), "--base".into(), "v11".into()], "did you mean v1?"),
        (vec![path(&folder, "sheet.xlsx")], "a spreadsheet; export the sheet as CSV"),
        (vec![path(&folder, "doc.pdf")], "a PDF; copy the text"),
    ] {
        let all: Vec<&str> =
            std::iter::once("compare").chain(arguments.iter().map(String::as_str)).collect();
        let complaint = complaint(&all, 2);
        assert!(complaint.contains(said), "{complaint}");
    }
}
