//! Borrowed noise, pairs and planned looks from the command line.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

fn beyondnoise(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .args(arguments)
        .env("NO_COLOR", "1")
        .output()
        .expect("the executable runs")
}

#[track_caller]
fn output(arguments: &[&str]) -> String {
    let out = beyondnoise(arguments);
    let errors = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(0), "{arguments:?}\n{errors}");
    String::from_utf8(out.stdout).expect("UTF-8")
}

#[track_caller]
fn complaint(arguments: &[&str]) -> String {
    let out = beyondnoise(arguments);
    let errors = String::from_utf8(out.stderr).expect("UTF-8");
    assert_eq!(out.status.code(), Some(2), "{arguments:?}\n{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    errors
}

#[track_caller]
fn report(arguments: &[&str]) -> Value {
    let all: Vec<&str> = arguments.iter().copied().chain(["--format", "json"]).collect();
    serde_json::from_str(&output(&all)).expect("JSON")
}

fn written(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(&path, text).expect("a file");
    path.display().to_string()
}

fn close(found: &Value, expected: f64, tolerance: f64) {
    let found = found.as_f64().expect("a number");
    assert!((found - expected).abs() <= tolerance, "{found} against {expected}");
}

/// Log deviations of three runs, of variance `u^2` exactly.
fn three(mean: f64, u: f64) -> [f64; 3] {
    [-u, 0.0, u].map(|deviation: f64| mean * deviation.exp())
}

/// Four models, three runs of each of two variants; the third model is 4 % slower after the change.
fn job() -> String {
    let cells = [
        ("m1", 20.0, 0.010, 1.001),
        ("m2", 30.0, 0.014, 1.001),
        ("m3", 40.0, 0.012, 0.96),
        ("m4", 50.0, 0.008, 1.001),
    ];
    let rows = cells.iter().flat_map(|&(model, mean, u, change)| {
        [("before", mean), ("after", mean * change)].into_iter().flat_map(move |(variant, mean)| {
            three(mean, u)
                .map(|value| format!("{model},{variant},{value:.12},{:.12}\n", 7.0 * value))
        })
    });
    format!("model,variant,request_throughput,output_throughput\n{}", rows.collect::<String>())
}

#[test]
fn the_comparisons_of_a_job_lend_each_other_noise() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "job.csv", &job());
    let whole = report(&["compare", &path]);
    let row = |document: &Value| {
        let all = document["comparisons"].as_array().expect("comparisons").clone();
        let third = all.iter().find(|c| c["workload"]["model"] == "m3").expect("m3").clone();
        third["metrics"][0].clone()
    };
    let borrowed = row(&whole);
    assert_eq!(borrowed["noise"]["source"], "batch");
    assert_eq!(borrowed["noise"]["prior"]["variances"], 3);
    // By hand: the scatter of ln 1e-4, 1.96e-4, 1.44e-4, 0.64e-4 is 0.2336, less than trigamma(2) = 0.6449
    // that chance alone gives; so the variance is their mean, 1.26e-4, the degrees of freedom the cap, half of 3 x 4.
    // Together with the own 1.44e-4 that is less than 1 + 1.2 / 4 times the own one, 1.872e-4, which 2.16e-4 makes:
    // (6 x 2.16 + 4 x 1.44) / 10.
    let prior: f64 = 2.16e-4;
    close(&borrowed["noise"]["prior"]["cv"], prior.sqrt(), 1e-9);
    close(&borrowed["noise"]["prior"]["df"], 6.0, 1e-9);
    let own = 1.44e-4;
    close(&borrowed["noise"]["cv"], ((6.0 * prior + 4.0 * own) / 10.0).sqrt(), 1e-9);
    close(&borrowed["noise"]["df"], 10.0, 1e-9);
    assert_eq!(borrowed["verdict"], "worse");

    // What it would be alone is what `--noise own` says.
    let alone = row(&report(&["compare", &path, "--noise", "own"]));
    assert_eq!(alone["noise"]["source"], "own");
    assert!(alone["without_borrowing"].is_null());
    assert_eq!(borrowed["without_borrowing"]["verdict"], alone["verdict"]);
    assert_eq!(borrowed["without_borrowing"]["p_value"], alone["p_value"]);
    assert_eq!(borrowed["without_borrowing"]["relative_ci"], alone["delta"]["relative_ci"]);

    let text = output(&["compare", &path, "-v"]);
    assert!(text.contains("with its own noise alone"), "{text}");
    assert!(text.contains("other comparisons of this job"), "{text}");
}

/// Three runs of `before` and of `after` for each model, whose noise is `u`.
fn places(cells: &[(&str, f64)], variants: &[&str]) -> String {
    let rows = cells.iter().flat_map(|&(model, u)| {
        variants.iter().enumerate().flat_map(move |(index, variant)| {
            let mean = 20.0 * (1.0 + 0.001 * index as f64);
            three(mean, u).map(|value| format!("{model},{variant},{value:.12}\n"))
        })
    });
    rows.collect()
}

const HEAD: &str = "model,variant,request_throughput\n";

#[test]
fn two_workloads_and_what_stands_alone_lend_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let two = places(&[("m1", 0.003), ("m2", 0.03)], &["before", "after"]);
    let alone = places(&[("m3", 0.01)], &["before"]) + &places(&[("m4", 0.01)], &["after"]);
    let third = places(&[("m3", 0.01)], &["before", "after"]);
    for (name, rows, places) in [
        ("two", two.clone(), 2),
        ("alone", two.clone() + &alone, 2),
        // Three are enough in number, but differ tenfold.
        ("three", two + &third, 3),
    ] {
        let path = written(&folder, &format!("{name}.csv"), &format!("{HEAD}{rows}"));
        let document = report(&["compare", &path]);
        let judged: Vec<&Value> = document["comparisons"]
            .as_array()
            .expect("comparisons")
            .iter()
            .filter(|comparison| comparison["metrics"][0]["noise"].is_object())
            .collect();
        assert_eq!(judged.len(), places, "{name}");
        for comparison in judged {
            assert_eq!(comparison["metrics"][0]["noise"]["source"], "own", "{name}");
            let told =
                comparison["checks"].to_string().contains("Noise from elsewhere is not used");
            assert_eq!(told, name == "three", "{name}: {}", comparison["checks"]);
        }
    }
}

/// Twenty earlier series at 0.3 %, and a new workload at 1 %: 27 to 12 % of equal builds would be called different.
#[test]
fn a_history_that_does_not_fit_is_not_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let names: Vec<String> = (0..20).map(|index| format!("old{index}")).collect();
    // VariancePool that scatter, so that no two series are copies.
    let series: Vec<(&str, f64)> = names
        .iter()
        .enumerate()
        .map(|(index, name)| (name.as_str(), 0.002 + 0.0001 * index as f64))
        .collect();
    let earlier = places(&series, &["main"]);
    written(&folder, "history/earlier.csv", &format!("{HEAD}{earlier}"));
    let history = folder.path().join("history").display().to_string();
    for (u, source, told) in [(0.01, "own", true), (0.003, "history", false)] {
        let job = format!("{HEAD}{}", places(&[("new", u)], &["before", "after"]));
        let job = written(&folder, "job.csv", &job);
        let document = report(&["compare", &job, "--history", &history]);
        let comparison = &document["comparisons"][0];
        assert_eq!(comparison["metrics"][0]["noise"]["source"], source);
        let found = comparison["checks"].to_string().contains("these runs are noisier");
        assert_eq!(found, told, "{}", comparison["checks"]);
    }
}

/// Five runs of one build, of which a later single run borrows its noise.
const EARLIER: &str = "variant,model,request_throughput\nmain,m,20.00\nmain,m,20.21\nmain,m,19.87\n\
                       main,m,20.11\nmain,m,19.95\n";
const SINGLE: &str = "variant,model,request_throughput\nbefore,m,20.05\nafter,m,18.01\n";

#[test]
fn earlier_runs_give_single_runs_a_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let single = written(&folder, "single.csv", SINGLE);
    written(&folder, "history/earlier.csv", EARLIER);
    let history = folder.path().join("history").display().to_string();
    let alone = report(&["compare", &single]);
    assert_eq!(alone["comparisons"][0]["headline"], "no_verdict");
    let with = report(&["compare", &single, "--history", &history]);
    let comparison = &with["comparisons"][0];
    let row = &comparison["metrics"][0];
    assert_eq!(row["noise"]["source"], "history");
    // Where it was read stands beside the runs compared.
    let paths: Vec<&str> = with["inputs"]
        .as_array()
        .expect("inputs")
        .iter()
        .filter_map(|i| i["path"].as_str())
        .collect();
    assert!(paths.len() == 2 && paths[1].ends_with("earlier.csv"), "{paths:?}");
    // One variance of four degrees of freedom counts for two: t(0.975, 2) = 4.302653, and the standard
    // deviation of the logarithms is 0.0066791 (numpy.std(numpy.log(...), ddof=1)).
    close(&row["noise"]["df"], 2.0, 1e-12);
    close(&row["noise"]["cv"], 0.006_679_103, 1e-6);
    let reach = 4.302_653 * 0.006_679_103 * 2f64.sqrt();
    let ratio = (18.01f64 / 20.05).ln();
    close(&row["delta"]["relative_ci"][0], (ratio - reach).exp_m1(), 2e-6);
    close(&row["delta"]["relative_ci"][1], (ratio + reach).exp_m1(), 2e-6);
    assert_eq!(comparison["headline"], "regressed");
    let text = output(&["compare", &single, "--history", &history]);
    assert!(
        text.contains("The noise is estimated from 1 earlier series of runs, not from these"),
        "{text}"
    );
}

#[test]
fn what_is_judged_is_not_its_own_history() {
    let folder = tempfile::tempdir().expect("a folder");
    let job = written(&folder, "job.csv", &job());
    written(&folder, "history/same.csv", &self::job());
    let history = folder.path().join("history").display().to_string();
    let with = report(&["compare", &job, "--history", &history]);
    assert_eq!(with["comparisons"][0]["metrics"][0]["noise"]["source"], "batch");
}

/// Values of four digits: a run has too few to be known by them, and the rows of a file have enough.
const FEW_DIGITS: &str = "variant,throughput\nbefore,100.5\nbefore,101.9\nbefore,103.1\nafter,99.2\nafter,100.1\n\
                          after,100.2\n";

/// The interval is that without a history, -4.5 to +0.7 %, and no noise of the runs themselves makes it narrower.
#[test]
fn a_history_lends_a_comparison_none_of_its_own_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let job = written(&folder, "self.csv", FEW_DIGITS);
    let alone = report(&["compare", &job]);
    let convert = |path: &str, to: &str| output(&["convert", path, "-o", to]);
    let history = |name: &str| folder.path().join(name).display().to_string();
    // A tidy table names the file, a copy of the file has its rows, and one that was saved again its values.
    written(&folder, "tidy/x", "");
    convert(&job, &folder.path().join("tidy/t.csv").display().to_string());
    written(&folder, "copy/self2.csv", FEW_DIGITS);
    written(&folder, "again/self2.csv", &FEW_DIGITS.replace("before", "old").replace('\n', "\r\n"));
    // One value a side: the file says which one it is.
    let few = written(&folder, "few.csv", "variant,throughput\nbefore,100.5\nafter,99.2\n");
    written(&folder, "few/x", "");
    convert(&few, &folder.path().join("few/t.csv").display().to_string());
    for name in ["tidy", "copy", "again"] {
        let with = report(&["compare", &job, "--history", &history(name)]);
        let row = |document: &Value| document["comparisons"][0]["metrics"][0].clone();
        assert_eq!(row(&with)["noise"], row(&alone)["noise"], "{name}");
        assert_eq!(row(&with)["delta"], row(&alone)["delta"], "{name}");
    }
    let with = report(&["compare", &few, "--history", &history("few")]);
    assert_eq!(with["comparisons"][0]["headline"], "no_verdict");
    // Other runs are lent, though one of their values comes again.
    let other = FEW_DIGITS.replace("101.9", "102.2").replace("100.1", "99.9");
    written(&folder, "other/earlier.csv", &other);
    let with = report(&["compare", &job, "--history", &history("other")]);
    assert_eq!(with["comparisons"][0]["metrics"][0]["noise"]["source"], "history");
}

#[cfg(feature = "tables")]
#[test]
fn a_copy_that_is_added_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let history = folder.path().join("history").display().to_string();
    let add = |path: &str| output(&["history", "add", path, "--history", &history]);
    let first = written(&folder, "self.csv", FEW_DIGITS);
    assert!(add(&first).starts_with("6 runs added to the history"));
    let again = FEW_DIGITS.replace('\n', "\r\n");
    let renamed = FEW_DIGITS.replace("before", "old");
    for (name, text) in [
        ("self2.csv", FEW_DIGITS),
        ("sub/self.csv", FEW_DIGITS),
        ("g.csv", &again),
        ("h.csv", &renamed),
    ] {
        let text = add(&written(&folder, name, text));
        assert!(text.contains("were in the history already"), "{name}: {text}");
    }
    assert_eq!(fs::read_dir(&history).expect("a folder").count(), 1);
    let job = report(&["compare", &first, "--history", &history]);
    assert_ne!(job["comparisons"][0]["metrics"][0]["noise"]["source"], "history");
    // One value a side is known by the content that is written.
    let few = "variant,throughput\nbefore,104.5\nafter,98.2\n";
    assert!(add(&written(&folder, "few.csv", few)).starts_with("2 runs added"));
    let text = add(&written(&folder, "few2.csv", few));
    assert!(text.contains("were in the history already"), "{text}");
    assert_eq!(fs::read_dir(&history).expect("a folder").count(), 2);
}

#[cfg(feature = "tables")]
#[test]
fn a_history_takes_every_run_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let earlier = written(&folder, "earlier.csv", EARLIER);
    let single = written(&folder, "single.csv", SINGLE);
    let history = folder.path().join("history").display().to_string();
    let add = |path: &str| output(&["history", "add", path, "--history", &history]);
    assert!(add(&earlier).starts_with("5 runs added to the history"));
    assert!(add(&earlier).contains("were in the history already"));
    assert!(add(&single).contains("do not show the noise"));
    let files = fs::read_dir(&history).expect("a folder").count();
    assert_eq!(files, 2);
    let shown = output(&["history", "show", "--history", &history]);
    assert!(shown.contains("0.67 %"), "{shown}");
    let judged = report(&["compare", &single, "--history", &history]);
    close(&judged["comparisons"][0]["metrics"][0]["noise"]["cv"], 0.006_679_103, 1e-6);
}

/// A run is known again where its values have 15 digits in all; those of `EARLIER` have four.
#[cfg(feature = "tables")]
#[test]
fn a_history_knows_a_run_whatever_its_file_is_called() {
    let folder = tempfile::tempdir().expect("a folder");
    let head = "variant,run,mean_ttft_ms,mean_tpot_ms\n";
    let rows = ["old,1,153.21973412,12.51239871\n", "old,2,154.77120953,12.48120347\n"];
    let first = written(&folder, "first.csv", &format!("{head}{}", rows.concat()));
    let copy = written(&folder, "copy.csv", &format!("{head}{}", rows.concat()));
    let more = "old,3,152.90337781,12.55019283\n";
    let more = written(&folder, "more.csv", &format!("{head}{}{more}", rows.concat()));
    let history = folder.path().join("history").display().to_string();
    let add = |path: &str| output(&["history", "add", path, "--history", &history]);
    assert!(add(&first).starts_with("2 runs added to the history"));
    assert!(add(&copy).contains("were in the history already"));
    let text = add(&more);
    assert!(text.starts_with("1 run added to the history"), "{text}");
    assert!(text.contains("2 runs were in it already"), "{text}");
    assert_eq!(fs::read_dir(&history).expect("a folder").count(), 2);
}

/// S11: the files of a folder are repeats of the build that is named, those of each day by themselves.
#[cfg(feature = "tables")]
#[test]
fn the_files_of_a_folder_are_repeats_of_the_build_that_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let history = folder.path().join("history").display().to_string();
    for (day, run, value) in [(1, 1, 101.5), (1, 2, 102.25), (2, 1, 101.75), (2, 2, 102.0)] {
        let table = format!("throughput,mean_ttft_ms\n{value},150.{run}{day}\n");
        written(&folder, &format!("day{day}/runs/run{run}.csv"), &table);
    }
    let day = |day: u32| folder.path().join(format!("day{day}/runs")).display().to_string();
    let add =
        |day: &str| output(&["history", "add", day, "--history", &history, "--build", "4f1c"]);
    assert!(add(&day(1)).starts_with("2 runs added to the history"));
    let text = add(&day(2));
    assert!(text.starts_with("2 runs added") && !text.contains("do not show the noise"), "{text}");
    // By hand, within the two days: sqrt((ln(102.25 / 101.5)^2 / 2 + ln(102 / 101.75)^2 / 2) / 2) = 0.003880, 2 df.
    let shown = output(&["history", "show", "--history", &history]);
    assert!(shown.contains("4 runs of 1 workload") && shown.contains("0.39 %"), "{shown}");
}

/// Three days 10 % apart, each with three runs 0.3 % apart: only the latter is noise.
#[cfg(feature = "tables")]
#[test]
fn the_builds_that_a_file_names_are_builds_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let day = |build: &str, first: f64| {
        let run = |run: u32| format!("main,{build},{:.5}\n", first + 0.31234 * f64::from(run));
        (0..3).map(run).collect::<String>()
    };
    let days = [("b1", day("b1", 100.0)), ("b2", day("b2", 110.0)), ("b3", day("b3", 121.0))];
    let table = |rows: &str| format!("variant,build,mean_ttft_ms\n{rows}");
    let history = |name: &str| folder.path().join(name).display().to_string();
    let noise = |name: &str| {
        let shown = output(&["history", "show", "--history", &history(name)]);
        let row = shown.lines().find(|line| line.contains("TTFT")).map(str::to_owned);
        row.unwrap_or_else(|| panic!("no noise: {shown}"))
    };
    for (build, rows) in &days {
        let path = written(&folder, &format!("{build}.csv"), &table(rows));
        output(&["history", "add", &path, "--history", &history("apart"), "--build", build]);
    }
    let all: String = days.iter().map(|(_, rows)| rows.as_str()).collect();
    let path = written(&folder, "all.csv", &table(&all));
    output(&["history", "add", &path, "--history", &history("together")]);
    // numpy.std(numpy.log([100, 100.31234, 100.62468]), ddof=1) is 0.00311, of the other days less.
    assert!(noise("apart").contains("0.28 %"), "{}", noise("apart"));
    assert_eq!(noise("together"), noise("apart"));
    let other = history("other");
    let message = complaint(&["history", "add", &path, "--history", &other, "--build", "b4"]);
    assert!(message.contains("expected runs of the build b4, found"), "{message}");
}

/// Several processes at once: every file is whole, and none is lost.
#[cfg(feature = "tables")]
#[test]
fn a_history_is_filled_by_several_processes_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let history = folder.path().join("history").display().to_string();
    let paths: Vec<String> = (0..12)
        .map(|day| {
            let scale = 1.0 + f64::from(day) / 1000.0;
            let rows =
                three(20.0 * scale, 0.01).map(|value| format!("main,m,{value:.9}\n")).concat();
            let name = format!("day{day}.csv");
            written(&folder, &name, &format!("variant,model,request_throughput\n{rows}"))
        })
        .collect();
    // Each file twice, so that two processes also write the same name.
    let started: Vec<_> = paths
        .iter()
        .chain(&paths)
        .map(|path| {
            Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
                .args(["history", "add", path, "--history", &history])
                .stdout(std::process::Stdio::null())
                .spawn()
                .expect("the executable starts")
        })
        .collect();
    for mut process in started {
        assert!(process.wait().expect("it ends").success());
    }
    assert_eq!(fs::read_dir(&history).expect("a folder").count(), 12);
    let shown = output(&["history", "show", "--history", &history]);
    // Twelve days of two degrees of freedom each, equally noisy: they count for half.
    let row = shown.lines().find(|line| line.contains("req/s")).unwrap_or_default();
    assert_eq!(
        row.split_whitespace().collect::<Vec<_>>().join(" "),
        "req/s 1.00 % 24 1.00 % (df 12.0)"
    );
}

/// Days differ by 15 %, the change of every day is 2 to 3 %.
const BY_DAY: &str = "variant,pair,request_throughput\nbefore,mon,101.2\nbefore,tue,98.7\nbefore,wed,105.4\n\
                      before,thu,95.1\nbefore,fri,110.3\nafter,fri,112.5\nafter,thu,98.2\nafter,wed,107.7\n\
                      after,tue,101.0\nafter,mon,103.9\n";

#[test]
fn pairs_see_what_the_days_hide() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "days.csv", BY_DAY);
    let unpaired = report(&["compare", &path]);
    assert_eq!(unpaired["comparisons"][0]["headline"], "within_noise");
    let paired = report(&["compare", &path, "--paired", "--method", "welch"]);
    let row = &paired["comparisons"][0]["metrics"][0];
    // scipy.stats.ttest_rel(numpy.log(after), numpy.log(before)), scipy 1.17
    close(&row["delta"]["relative"], 0.024_859_817_866_688_83, 1e-12);
    close(&row["delta"]["relative_ci"][0], 0.018_711_213_818_230_8, 1e-9);
    close(&row["delta"]["relative_ci"][1], 0.031_045_532_856_139_37, 1e-9);
    close(&row["p_value"], 0.000_345_957_864_262_027_43, 1e-9);
    assert_eq!(paired["settings"]["paired"], true);
    let calibrated = report(&["compare", &path, "--paired"]);
    assert_eq!(calibrated["comparisons"][0]["headline"], "improved");
}

#[test]
fn pairs_come_from_a_name_or_from_turns_and_never_from_the_number_of_a_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = written(&folder, "plain.csv", &BY_DAY.replace("pair", "weekday"));
    let refused = complaint(&["compare", &plain, "--paired"]);
    assert!(refused.contains("expected a pair or a time of start"), "{refused}");
    output(&["compare", &plain, "--paired", "--pair-column", "weekday"]);
    let turns = |order: &str| {
        let rows = order.chars().enumerate().map(|(minute, variant)| {
            let name = if variant == 'A' { "before" } else { "after" };
            format!(
                "{name},2026-01-01T10:{minute:02}:00,{}\n",
                100.0 + (minute * minute) as f64 / 7.0
            )
        });
        format!("variant,started,request_throughput\n{}", rows.collect::<String>())
    };
    let by_turns = written(&folder, "turns.csv", &turns("ABBAABBA"));
    let done = report(&["compare", &by_turns, "--paired"]);
    assert_eq!(done["comparisons"][0]["metrics"][0]["baseline"]["n"], 4);
    let blocks = written(&folder, "blocks.csv", &turns("AAAABBBB"));
    let refused = complaint(&["compare", &blocks, "--paired"]);
    assert!(refused.contains("to alternate"), "{refused}");
    let odd = written(&folder, "odd.csv", &turns("ABBAA"));
    let done = report(&["compare", &odd, "--paired"]);
    let checks = done["comparisons"][0]["checks"].as_array().expect("checks");
    assert!(checks.iter().any(|check| check["id"] == "unpaired-runs"));
}

/// Boundaries of Lan and `DeMets` for three looks: 3.710, 2.511, 1.993 (Reboussin, `DeMets`, Kim and Lan, 2000).
#[test]
fn a_look_is_judged_at_its_own_confidence() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "days.csv", BY_DAY);
    for (look, boundary) in [("1/3", 3.710), ("2/3", 2.511), ("3/3", 1.993)] {
        let document = report(&["compare", &path, "--look", look]);
        let confidence = &document["settings"]["confidence"];
        // The table has three decimals: the level is off by up to 0.0005 times the normal density, twice.
        let normal = statrs::distribution::Normal::standard();
        let level = 2.0 * statrs::distribution::ContinuousCDF::sf(&normal, boundary);
        close(confidence, 1.0 - level, 6e-5);
        close(&document["settings"]["look"]["overall_confidence"], 0.95, 1e-12);
    }
    let text = output(&["compare", &path, "--look", "2/3", "-v"]).replace('\n', " ");
    assert!(text.contains("Look 2 of 3 planned"), "{text}");
    assert!(complaint(&["compare", &path, "--look", "4/3"]).contains("such as 2/3"));
}

#[test]
fn the_hodges_lehmann_centre_is_named_and_needs_four_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "days.csv", BY_DAY);
    let text = output(&["compare", &path, "--across", "hodges-lehmann"]);
    let text = text.replace('\n', " ");
    assert!(text.contains("of the Hodges-Lehmann centre over runs"), "{text}");
    let few = "variant,request_throughput\nbefore,1.0\nbefore,1.1\nbefore,1.2\nafter,2.0\nafter,2.1\nafter,2.2\n";
    let few = written(&folder, "few.csv", few);
    let document = report(&["compare", &few, "--across", "hodges-lehmann"]);
    let row = &document["comparisons"][0]["metrics"][0];
    assert_eq!(row["verdict"], "not_judged");
    assert_eq!(row["reason"], "the Hodges-Lehmann interval needs 4 runs of each variant");
}

/// Five builds, one run each, one of them far off.
#[test]
fn many_single_runs_lend_each_other_noise_only_when_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let builds = "variant,request_throughput\nmain,100.0\nb1,100.8\nb2,99.1\nb3,100.3\nb4,82.0\n";
    let path = written(&folder, "builds.csv", builds);
    let silent = report(&["compare", &path]);
    let none = |c: &Value| c["headline"] == "no_verdict";
    assert!(silent["comparisons"].as_array().expect("all").iter().all(none));
    let asked = report(&["compare", &path, "--noise", "variants"]);
    let last = &asked["comparisons"][0];
    assert_eq!(last["candidate"]["name"], "b4");
    let row = &last["metrics"][0];
    assert_eq!(row["noise"]["source"], "variants");
    close(&row["noise"]["df"], 4.0 / 3.0, 1e-12);
    // By hand: |ln x - ln 100| = 0, .007968, .009041, .002996, .198451; s0 = 1.5 x .007968; the last is
    // beyond 2.5 s0; 1.5 times the median of the others, (.002996 + .007968) / 2.
    close(&row["noise"]["cv"], 1.5 * 0.005_481_84, 1e-6);
    let text = output(&["compare", &path, "--noise", "variants", "-v"]);
    assert!(text.contains("it holds only if most of them change nothing"), "{text}");
}

/// What is shown is what is tested: whatever the centre, pairs or not, the estimate lies inside its interval.
#[test]
fn every_estimate_lies_inside_its_interval() {
    let folder = tempfile::tempdir().expect("a folder");
    // Two modes, in other shares before and after; slower in both.
    let modes = |variant: &str, low: f64, slow: usize| -> String {
        let value = |k: usize| low * if k < slow { 1.0 } else { 1.35 } + 0.01 * k as f64;
        let rows: Vec<String> =
            (0..30).map(|k| format!("{variant},{k},{:.2}\n", value(k))).collect();
        rows.concat()
    };
    let rows = modes("before", 100.0, 22) + &modes("after", 98.0, 18);
    let two_modes =
        written(&folder, "modes.csv", &format!("variant,pair,request_throughput\n{rows}"));
    let days = written(&folder, "days.csv", BY_DAY);
    for path in [&two_modes, &days] {
        for across in ["mean", "median", "hodges-lehmann", "p75"] {
            for method in ["calibrated", "welch", "percentile", "bca"] {
                for paired in [false, true] {
                    let mut arguments =
                        vec!["compare", path, "--across", across, "--method", method];
                    arguments.extend(paired.then_some("--paired"));
                    if paired && across == "hodges-lehmann" {
                        assert!(complaint(&arguments).contains("leave out --paired"));
                        continue;
                    }
                    let document = report(&arguments);
                    let row = &document["comparisons"][0]["metrics"][0];
                    let delta = &row["delta"];
                    for (value, ends) in [("relative", "relative_ci"), ("absolute", "absolute_ci")]
                    {
                        let Some(ends) = delta[ends].as_array() else { continue };
                        let (value, low, high) = (
                            delta[value].as_f64().expect("a number"),
                            ends[0].as_f64().expect("a number"),
                            ends[1].as_f64().expect("a number"),
                        );
                        let slack = 1e-9 * value.abs();
                        assert!(
                            low - slack <= value && value <= high + slack,
                            "{arguments:?} {delta}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn no_look_and_no_confidence_end_the_program_early() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "days.csv", BY_DAY);
    for confidence in ["60%", "95%", "99%", "99.99%"] {
        for look in ["1/2", "1/5", "1/10", "2/10", "10/10"] {
            let text = output(&["compare", &path, "--look", look, "--confidence", confidence]);
            assert!(!text.contains("100 % CI"), "{text}");
        }
    }
    let text = output(&["compare", &path, "--look", "1/3"]);
    assert!(text.contains("go on to look 2 of 3 as planned"), "{text}");
}

/// A history of another workload says nothing of single runs.
#[test]
fn another_workload_lends_no_noise_to_single_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let single = written(&folder, "single.csv", SINGLE);
    written(&folder, "history/other.csv", &EARLIER.replace(",m,", ",another,"));
    let history = folder.path().join("history").display().to_string();
    let with = report(&["compare", &single, "--history", &history]);
    assert_eq!(with["comparisons"][0]["headline"], "no_verdict");
    let asked = report(&["compare", &single, "--history", &history, "--noise", "batch"]);
    assert_eq!(asked["comparisons"][0]["metrics"][0]["noise"]["source"], "history");
}

/// Which run comes first, and which of them lacks a metric, changes nothing.
#[test]
fn the_order_of_rows_changes_no_borrowed_noise() {
    let folder = tempfile::tempdir().expect("a folder");
    let job = job().replacen(",140.000000000000", ",", 1);
    let mut rows: Vec<&str> = job.lines().skip(1).collect();
    let head = job.lines().next().expect("a header");
    let path = written(&folder, "a.csv", &job);
    rows.reverse();
    let turned = written(&folder, "b.csv", &format!("{head}\n{}\n", rows.join("\n")));
    let judged = |path: &str| {
        let document = report(&["compare", path]);
        let mut all: Vec<String> = document["comparisons"]
            .as_array()
            .expect("comparisons")
            .iter()
            .map(|c| format!("{} {}", c["workload"]["model"], c["metrics"][0]["noise"]))
            .collect();
        all.sort();
        all
    };
    assert_eq!(judged(&path), judged(&turned));
}
