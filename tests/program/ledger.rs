//! `loop`: what is kept, what is refused, kills at any moment, and the JSON document.

#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::run_faults::{Place, said};

/// The speed of a build stands in its file; every call varies by up to 0.4 %. A kill leaves the number of calls whole.
const BENCH: &str = r#"
n=$(cat calls 2>/dev/null || echo 0); echo $((n + 1)) > calls.new && mv calls.new calls
awk -v v="$(cat builds/$1)" -v n="$n" 'BEGIN { printf "{\"output_throughput\": %.6f}\n", v * (1 + ((n * 7919) % 1009 - 504) / 126000) }' > $2
"#;

const INIT: &str = "loop init ledger --base main --bench 'sh bench.sh {variant} {out}' --track 'builds/{variant}' --track bench.sh";

/// A folder with builds of these speeds and a ledger.
fn place(builds: &[(&str, f64)]) -> Place {
    let place = Place::new();
    place.write("bench.sh", BENCH);
    fs::create_dir(place.path("builds")).expect("a folder");
    for (name, speed) in builds {
        build(&place, name, *speed);
    }
    place
}

fn build(place: &Place, name: &str, speed: f64) {
    place.write(&format!("builds/{name}"), &format!("{speed}\n"));
}

/// The JSON document of a call that ends with this status; it fits its schema and has no other field.
#[track_caller]
fn document(place: &Place, args: &str, status: i32) -> Value {
    let done = place.command(&format!("{args} --format json"));
    assert_eq!(done.status.code(), Some(status), "{args}: {}", said(&done));
    let document: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let schema = crate::schema::of::<beyondnoise::report::ledger::LedgerReport>();
    let checked = jsonschema::validate(&crate::schema::closed(&schema), &document);
    assert!(checked.is_ok(), "{checked:?}: {document}");
    document
}

#[track_caller]
fn refused(place: &Place, args: &str, parts: &[&str]) {
    let done = place.command(args);
    let said = said(&done);
    assert_eq!(done.status.code(), Some(2), "{args}: {said}");
    for part in parts {
        assert!(said.contains(part), "expected {part:?} in: {said}");
    }
}

/// The events of the ledger.
fn events(place: &Place) -> Vec<Value> {
    let text = fs::read_to_string(place.path("ledger/beyondnoise-loop.ndjson")).expect("a ledger");
    text.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
}

/// S11: a script that keeps on exit status 0 kept a patch that changes nothing. A gain of 20 % is kept; the gain of the loop is
/// that of the last build against the first, by runs of its own: 120 / 100.
#[test]
fn a_gain_is_kept_by_fresh_runs_and_a_no_op_is_not() {
    let place = place(&[("main", 100.0), ("p1", 100.0), ("p2", 120.0), ("p3", 120.0)]);
    let begun = document(&place, INIT, 0);
    assert_eq!((&begun["base"], &begun["all_tries"]), (&"main".into(), &0.into()));
    let nothing = document(&place, "loop try ledger p1", 1);
    assert_eq!(
        (&nothing["decision"], &nothing["budget"]["confirmations"]),
        (&"reject".into(), &0.into())
    );
    let none_yet = document(&place, "loop final ledger", 3);
    assert_eq!(none_yet["decision_reason"], "nothing was kept, so there is no gain to measure");

    let kept = document(&place, "loop try ledger p2", 0);
    assert_eq!((&kept["decision"], &kept["base"]), (&"promote".into(), &"p2".into()));
    let measurements = kept["tries"][0]["measurements"].as_array().expect("measurements");
    let stages: Vec<&Value> = measurements.iter().map(|one| &one["stage"]).collect();
    assert_eq!(stages, ["screen", "confirm"]);
    // A tenth of 5 %.
    assert_eq!(measurements[1]["confidence"], 0.995);
    assert!(
        place.path("ledger/tries/p2/first-1").is_dir()
            && place.path("ledger/tries/p2/confirmation").is_dir()
    );

    // The base is p2 now: what was a gain before is none.
    let same = document(&place, "loop try ledger p3", 1);
    assert_eq!(same["tries"][0]["measurements"][0]["baseline"], "p2");

    let gain = document(&place, "loop final ledger", 0);
    let change = &gain["gain"]["changes"][0];
    let [low, high] = [0, 1].map(|end| change["interval"][end].as_f64().expect("an end"));
    assert!(low <= 0.2 && 0.2 <= high && high - low < 0.02, "{gain}");
    assert_eq!(
        (&gain["gain"]["baseline"], &gain["gain"]["runs"]),
        (&"main".into(), &serde_json::json!([12, 12]))
    );
    // It is measured once: a second call says the same.
    let calls = fs::read_to_string(place.path("calls")).expect("a number");
    assert_eq!(document(&place, "loop final ledger", 0)["gain"], gain["gain"]);
    assert_eq!(fs::read_to_string(place.path("calls")).expect("a number"), calls);

    let status = place.command("loop status ledger");
    let text =
        String::from_utf8_lossy(&status.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "3 tries, 1 kept; the base is p2",
        "p2 main passed 3 + 3 95 %",
        "p2 main kept 3 + 3 99.5 %",
        "Gain of the loop, p2 against main",
    ] {
        assert!(text.contains(part), "expected {part:?} in: {text}");
    }
}

#[test]
fn another_build_or_benchmark_is_stale() {
    let place = place(&[("main", 100.0), ("p1", 120.0), ("p2", 130.0)]);
    document(&place, INIT, 0);
    refused(
        &place,
        "loop try ledger p9",
        &["builds/p9", "expected a tracked file or folder of p9, found none; build it"],
    );
    document(&place, "loop try ledger p1", 0);
    build(&place, "p1", 121.0);
    let stale = document(&place, "loop try ledger p2", 3);
    assert_eq!(stale["decision"], "stale");
    let why = "builds/p1 changed since p1 was measured, so the base is another build now";
    assert_eq!(stale["decision_reason"], why);
    build(&place, "p1", 120.0);
    fs::remove_file(place.path("builds/main")).expect("a file");
    refused(
        &place,
        "loop final ledger",
        &["expected the first base main as it was, found that builds/main is missing"],
    );
    build(&place, "main", 100.0);
    place.write("bench.sh", &format!("{BENCH}\n"));
    let stale = document(&place, "loop try ledger p2", 3);
    assert!(
        stale["decision_reason"]
            .as_str()
            .expect("a reason")
            .starts_with("bench.sh changed since the loop began"),
        "{stale}"
    );
    place.write("bench.sh", BENCH);
    document(&place, "loop try ledger p2", 0);
    // Nothing of the refused calls is in the ledger.
    let names: Vec<Value> = events(&place).iter().map(|event| event["name"].clone()).collect();
    assert_eq!(names.iter().filter(|name| *name == "p2").count(), 4);
}

/// A build that is replaced while it is measured is not kept, however fast.
#[test]
fn a_build_that_changes_while_it_is_measured_is_stale() {
    let place = place(&[("main", 100.0), ("p1", 120.0)]);
    place.write("bench.sh", &format!("{BENCH}[ $1 = main ] || echo >> builds/$1\n"));
    document(&place, INIT, 0);
    let stale = document(&place, "loop try ledger p1", 3);
    assert_eq!(stale["decision_reason"], "builds/p1 changed while p1 was measured");
}

#[test]
fn names_folders_and_files_are_used_once() {
    let place = place(&[("main", 100.0), ("p1", 120.0)]);
    refused(
        &place,
        "loop try ledger p1",
        &["expected the folder of a ledger, found none in it; begin one"],
    );
    refused(&place, "loop status builds", &["begin one: beyondnoise loop init builds"]);
    document(&place, INIT, 0);
    refused(
        &place,
        INIT,
        &[
            "expected an empty folder, found a ledger with 0 tries; go on with beyondnoise loop try ledger NAME",
        ],
    );
    refused(
        &place,
        "loop init builds --base main",
        &["expected an empty folder, found other files in it"],
    );
    assert!(
        !place.path("builds/beyondnoise-loop.ndjson").exists(),
        "a refused call leaves nothing"
    );
    refused(
        &place,
        "loop init new --base main --track .",
        &["expected tracked paths without the ledger", "give the ledger a folder beside it"],
    );
    refused(&place, "loop try ledger main", &["expected a new name, found main, the first base"]);
    refused(&place, "loop try ledger ../p1", &["expected a name of letters, digits"]);
    document(&place, "loop try ledger p1", 0);
    refused(&place, "loop try ledger p1", &["expected a new name, found p1, a try that was kept"]);

    let path = place.path("ledger/beyondnoise-loop.ndjson");
    let whole = fs::read_to_string(&path).expect("a ledger");
    let edited = whole.replacen("\"decision\":\"promote\"", "\"decision\":\"reject\"", 1);
    fs::write(&path, edited).expect("a ledger");
    refused(
        &place,
        "loop status ledger",
        &["line 4", "expected a line that follows from the one before", "restore the file"],
    );
    // A line that was being written when the machine stopped does not count.
    fs::write(&path, format!("{whole}{{\"before\":\"")).expect("a ledger");
    assert_eq!(document(&place, "loop status ledger", 0)["kept"], 1);
    // Lost lines are seen by the runs that they told of.
    let lines: Vec<&str> = whole.lines().collect();
    fs::write(&path, format!("{}\n", lines[0])).expect("a ledger");
    refused(
        &place,
        "loop try ledger p1",
        &["expected no runs of p1, found some that the ledger says nothing about"],
    );
}

/// Killed at many moments, the loop goes on to the same number of runs and measurements, and the level is spent once.
#[test]
fn a_killed_try_goes_on_and_nothing_counts_twice() {
    let kills = if std::env::var_os("BEYONDNOISE_SLOW").is_some() { 40 } else { 6 };
    let place = place(&[("main", 100.0), ("p1", 120.0)]);
    document(&place, INIT, 0);
    let mut done: Option<Output> = None;
    for number in 0_u64..200 {
        let mut command = place.shell("loop try ledger p1 --format json");
        let child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("a program");
        if number < kills {
            sleep(Duration::from_millis(10 + number * 37 % 250));
            child.kill().expect("it ends");
        }
        let output = child.wait_with_output().expect("it ends");
        if output.status.code().is_some() {
            done = Some(output);
            break;
        }
    }
    let done = done.expect("it ends by itself");
    // The last kill may come between the end of the try and that of the program.
    let late = said(&done).contains("found p1, a try that was kept");
    assert!(late || done.status.code() == Some(0), "{}", said(&done));
    let names: Vec<Value> =
        events(&place).into_iter().map(|event| event["event"].clone()).collect();
    assert_eq!(names, ["init", "began", "measured", "began", "measured"]);
    let status = document(&place, "loop status ledger", 0);
    assert_eq!(status["budget"]["confirmations"], 1);
    for row in status["tries"][0]["measurements"].as_array().expect("measurements") {
        let runs = row["runs"][0].as_u64().expect("runs");
        let stage = if row["stage"] == "screen" { "first-1" } else { "confirmation" };
        let journal = place.path(&format!("ledger/tries/p1/{stage}/beyondnoise-journal.ndjson"));
        let journal = fs::read_to_string(journal).expect("a journal");
        assert_eq!(journal.matches("\"event\":\"done\"").count() as u64, 2 * runs, "{row}");
    }
}

/// Runs that chose a patch do not confirm it, and a file is used once.
#[test]
fn runs_that_are_handed_in_are_judged_twice() {
    let place = place(&[]);
    for (folder, base, change) in [("a", 100.0, 1.2), ("b", 101.0, 1.19), ("c", 100.5, 1.0004)] {
        for (build, speed) in [("main", base), ("new", base * change)] {
            fs::create_dir_all(place.path(&format!("{folder}/{build}"))).expect("a folder");
            for run in 0..5_u32 {
                let value = speed + 0.11 * f64::from(run);
                let text = format!("{{\"output_throughput\": {value:.6}}}");
                place.write(&format!("{folder}/{build}/{run}.json"), &text);
            }
        }
    }
    document(&place, "loop init ledger --base main", 0);
    let hand = |name: &str, folder: &str| {
        format!(
            "loop try ledger {name} --baseline {folder}/main/*.json --candidate {folder}/new/*.json"
        )
    };
    refused(
        &place,
        "loop try ledger p1",
        &["expected a command that makes a run of main, found none", "hand in runs"],
    );
    let passed = document(&place, &hand("p1", "a"), 3);
    assert_eq!((&passed["decision"], &passed["base"]), (&"more_data".into(), &"main".into()));
    let next = passed["next_command"].as_str().expect("a command");
    assert_eq!(next, "beyondnoise loop try ledger p1 --baseline BASE_RUNS --candidate NEW_RUNS");
    refused(&place, &hand("p1", "a"), &["expected fresh runs, found the same file as those of p1"]);
    document(&place, &hand("p1", "b"), 0);
    // Another try starts anew.
    assert_eq!(document(&place, &hand("p2", "c"), 1)["base"], "p1");
}
