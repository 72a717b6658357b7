//! The policy file and the gate, through the executable: what is found, what wins, what fails.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use beyondnoise::policy::Settings;
use serde_json::Value;

/// Throughput 1.55 % higher, tail latency 6 % higher; three runs each that hardly vary.
const RUNS: &str = "variant,output_throughput,p99_e2el_ms\n\
    main,24.32,100.1\nmain,24.11,100.0\nmain,24.29,100.2\n\
    patch,24.52,106.1\npatch,24.59,106.0\npatch,24.74,106.2\n";

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// A folder with the runs, and the policy one level above the folder in which the program runs.
    fn with(policy: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("below")).expect("a folder");
        fs::write(folder.path().join("below/runs.csv"), RUNS).expect("a file");
        fs::write(folder.path().join("beyondnoise.toml"), policy).expect("a file");
        Self { folder }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
            .args(arguments)
            .current_dir(self.folder.path().join("below"))
            .env("NO_COLOR", "1")
            .output()
            .expect("the executable runs")
    }

    #[track_caller]
    fn report(&self, arguments: &[&str]) -> Value {
        let all: Vec<&str> =
            ["compare", "runs.csv", "--format", "json"].iter().chain(arguments).copied().collect();
        let out = self.run(&all);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        serde_json::from_slice(&out.stdout).expect("JSON")
    }

    /// Exit status of the gate, and what it says.
    fn gate(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let all: Vec<&str> =
            ["compare", "runs.csv", "--gate", "-q"].iter().chain(arguments).copied().collect();
        let out = self.run(&all);
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    }
}

fn row<'a>(report: &'a Value, metric: &str) -> &'a Value {
    let rows = report["comparisons"][0]["metrics"].as_array().expect("rows");
    rows.iter().find(|row| row["metric"] == metric).expect(metric)
}

#[test]
fn the_nearest_file_upward_is_in_force_and_flags_come_before_it() {
    let place = Place::with("confidence = \"90 %\"\ntolerance = \"3 %\"\nseed = 7\n");
    let settings = place.report(&[])["settings"].clone();
    assert_eq!((&settings["confidence"], &settings["tolerance"]), (&0.9.into(), &0.03.into()));
    let settings = place.report(&["--confidence", "0.99"])["settings"].clone();
    assert_eq!((&settings["confidence"], &settings["seed"]), (&0.99.into(), &7.into()));
    assert_eq!(place.report(&["--no-config"])["settings"]["seed"], 0);
    fs::write(place.folder.path().join("other.toml"), "seed = 9").expect("a file");
    assert_eq!(place.report(&["--config", "../other.toml"])["settings"]["seed"], 9);
}

#[test]
fn an_unknown_key_stops_every_command_that_reads_runs() {
    let place = Place::with("\ntolerence = \"3 %\"\n");
    for command in
        [&["compare", "runs.csv"][..], &["show", "runs.csv"], &["noise", "runs.csv"], &["config"]]
    {
        let out = place.run(command);
        let errors = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{command:?} {errors}");
        assert!(errors.contains("beyondnoise.toml, line 2: "), "{errors}");
        assert!(errors.contains("did you mean tolerance?"), "{errors}");
    }
}

#[test]
fn the_example_of_the_repository_is_the_default_policy() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/beyondnoise.toml");
    // Made from the table of settings.
    let made = Settings::example();
    if std::env::var("BEYONDNOISE_DOCS").is_ok_and(|mode| mode == "write") {
        fs::write(&example, &made).expect("the example");
    }
    assert_eq!(fs::read_to_string(&example).expect("the example"), made);
    let example = example.display().to_string();
    let place = Place::with("");
    let with = place.report(&["--config", &example]);
    assert_eq!(with, place.report(&["--no-config"]));
    // Every section and key that is commented out in it is known too.
    let text = fs::read_to_string(&example).expect("the example");
    let lines: Vec<&str> = text
        .lines()
        .map(|line| {
            let key = line.strip_prefix("# ").unwrap_or(line);
            let one_word = |(key, _): (&str, &str)| !key.contains(' ');
            let is_key = key.starts_with('[') || key.split_once(" = ").is_some_and(one_word);
            if is_key { key } else { line }
        })
        .collect();
    let all = lines.join("\n");
    Settings::default().with_file(&all, "data/beyondnoise.toml").expect("a policy");
    assert!(all.contains("\nguard = ") && all.contains("\n[metrics.output_throughput]"), "{all}");
}

#[test]
fn config_prints_each_value_with_its_place() {
    let place = Place::with("# ours\ntolerance = \"3 %\"\n");
    let text = String::from_utf8(place.run(&["config"]).stdout).expect("text");
    assert!(text.contains("tolerance = 0.03  # beyondnoise.toml, line 2"), "{text}");
    assert!(text.contains("few_runs = 5  # default"), "{text}");
    // Saved as a file it must leave `batch` its own method.
    assert!(!text.contains("\nmethod = "), "{text}");
}

#[test]
fn the_policy_says_which_metrics_decide_and_what_does_not_matter() {
    let place = Place::with("");
    assert_eq!(row(&place.report(&[]), "output_throughput")["verdict"], "better");
    let place = Place::with("[metrics.output_throughput]\nmargin = \"2 %\"");
    assert_eq!(row(&place.report(&[]), "output_throughput")["verdict"], "tiny_better");
    let place = Place::with("deciding = [\"p99_e2el_ms\"]");
    let report = place.report(&[]);
    assert_eq!(report["comparisons"][0]["headline"], "regressed");
    assert_eq!(row(&report, "output_throughput")["deciding"], false);
}

#[test]
fn the_label_of_the_policy_is_the_baseline_where_the_input_has_it() {
    let place = Place::with("baseline = \"patch\"");
    assert_eq!(place.report(&[])["comparisons"][0]["baseline"]["name"], "patch");
    let place = Place::with("baseline = \"release\"");
    assert_eq!(place.report(&[])["comparisons"][0]["baseline"]["name"], "main");
}

#[test]
fn a_guard_that_becomes_worse_fails_the_gate() {
    // Worse by 6.0 %, which is (106.1 - 100.1) / 100.1.
    let only = "deciding = [\"output_throughput\"]\n";
    assert_eq!(Place::with(only).gate(&[]).0, Some(0));
    let guarded = format!("{only}guard = [\"p99_e2el_ms\"]\n");
    let (code, reason) = Place::with(&guarded).gate(&[]);
    assert_eq!(code, Some(1));
    assert!(reason.contains("guard P99 E2EL is worse by 6.0 %, 2.0 % is tolerated"), "{reason}");
    assert_eq!(Place::with(only).gate(&["--guard", "p99_e2el_ms"]).0, Some(1));
    let tolerated = format!("{guarded}[metrics.p99_e2el_ms]\ntolerance = \"7 %\"\n");
    assert_eq!(Place::with(&tolerated).gate(&[]).0, Some(0));
    let absent = format!("{only}guard = [\"mean_ttft_ms\"]\n");
    let (code, reason) = Place::with(&absent).gate(&[]);
    assert_eq!(code, Some(3));
    assert!(reason.contains("guard mean TTFT was not measured"), "{reason}");
}

#[test]
fn a_guard_may_have_to_be_shown_to_be_no_worse() {
    // Five runs each around 100 with a CV of 2 %: nothing is shown, and 2.9 % is within the interval.
    let runs = "variant,output_throughput,p99_e2el_ms\n\
        main,24.3,98.0\nmain,24.1,100.0\nmain,24.3,102.0\nmain,24.2,99.0\nmain,24.2,101.0\n\
        patch,24.3,98.1\npatch,24.1,100.1\npatch,24.3,102.1\npatch,24.2,99.1\npatch,24.2,101.1\n";
    let policy = "deciding = [\"output_throughput\"]\nguard = [\"p99_e2el_ms\"]\n";
    let strict = format!("{policy}[metrics.p99_e2el_ms]\nnon_inferior = true\n");
    for (policy, code) in [(policy, 0), (&strict, 3)] {
        let place = Place::with(policy);
        fs::write(place.folder.path().join("below/runs.csv"), runs).expect("a file");
        let (found, reason) = place.gate(&[]);
        assert_eq!(found, Some(code), "{reason}");
        assert_eq!(reason.contains("guard P99 E2EL could be worse by 2."), code == 3, "{reason}");
    }
}

#[test]
fn a_misspelt_metric_is_not_passed_over() {
    for policy in [
        "deciding = [\"output_throughputt\"]",
        "guard = [\"p99_e2el_mss\"]",
        "[metrics.p99_e2el_mss]",
    ] {
        let (code, reason) = Place::with(policy).gate(&[]);
        assert_eq!(code, Some(2), "{reason}");
        assert!(reason.contains("did you mean "), "{reason}");
    }
    // Known, but not measured here: the gate does not know.
    let (code, reason) =
        Place::with("deciding = [\"output_throughput\", \"mean_ttft_ms\"]").gate(&[]);
    assert_eq!(code, Some(3));
    assert!(reason.contains("deciding mean TTFT was not measured"), "{reason}");
    // A policy may describe metrics of other inputs.
    assert_eq!(
        Place::with("[metrics.joules]\nbetter = \"lower\"").gate(&["--tolerance", "10%"]).0,
        Some(0)
    );
}

#[test]
fn a_guard_guards_beside_the_metric_that_was_asked_for_and_when_it_decides() {
    let asked = ["--metric", "output_throughput", "--guard", "p99_e2el_ms"];
    assert_eq!(Place::with("").gate(&asked).0, Some(1));
    // Worse by 6.0 %, with an interval of a few tenths: 8 % cannot be ruled out at a tolerance of 6.05 %.
    let strict = "deciding = [\"p99_e2el_ms\"]\nguard = [\"p99_e2el_ms\"]\n[metrics.p99_e2el_ms]\n\
                  tolerance = \"6.05 %\"\nnon_inferior = true";
    let (code, reason) = Place::with(strict).gate(&[]);
    assert_eq!(code, Some(3), "{reason}");
    assert!(reason.contains("could be worse by 6."), "{reason}");
}

#[test]
fn what_the_gate_says_without_a_verdict_can_be_chosen() {
    let single = "variant,output_throughput\nmain,24.3\npatch,24.5\n";
    let place = Place::with("");
    fs::write(place.folder.path().join("below/runs.csv"), single).expect("a file");
    assert_eq!(place.gate(&[]).0, Some(3));
    assert_eq!(place.gate(&["--on-no-verdict", "pass"]).0, Some(0));
    let (code, reason) = place.gate(&["--on-no-verdict", "fail"]);
    assert_eq!(code, Some(1));
    assert_eq!(reason.trim_end().lines().count(), 1, "{reason}");
    let place = Place::with("[gate]\nno_verdict = \"fail\"");
    fs::write(place.folder.path().join("below/runs.csv"), single).expect("a file");
    assert_eq!(place.gate(&[]).0, Some(1));
    let apart = "variant,requests,output_throughput\nmain,100,24.3\nmain,100,24.4\npatch,200,24.5\npatch,200,24.6\n";
    fs::write(place.folder.path().join("below/runs.csv"), apart).expect("a file");
    assert_eq!(place.gate(&[]).0, Some(3));
    assert_eq!(place.gate(&["--on-not-comparable", "fail"]).0, Some(1));
}
