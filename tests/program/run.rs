//! `run` with processes that do what they should: order, hooks, placeholders, looks, and the same report from `compare`.

#![cfg(target_os = "linux")]

use std::fs;

use serde_json::Value;

use crate::run_faults::{Place, fails};

/// Writes a result of vLLM's client with this output throughput, in tokens a second; the rest follows from it.
const RESULT: &str = r#"
cat > $2 <<END
{"backend":"vllm","model_id":"m","num_prompts":600,"request_rate":"inf","max_concurrency":8,"completed":600,
"duration":$(awk "BEGIN{print 60000/$1}"),"total_input_tokens":6000,"total_output_tokens":60000,
"request_throughput":$(awk "BEGIN{print $1/100}"),"output_throughput":$1}
END
"#;

/// A drift of 1 % of the first value from run to run, and nothing else.
const RAMP: &str = r"
n=$(cat calls 2>/dev/null || echo 0); echo $((n + 1)) > calls
sh result.sh $((1000 + 10 * n)).0 $1
";

fn place() -> Place {
    let place = Place::new();
    place.write("result.sh", RESULT);
    place.write("ramp.sh", RAMP);
    place
}

/// The first comparison of a report.
fn comparison(report: &str) -> Value {
    let report: Value = serde_json::from_str(report).expect("a report");
    report["comparisons"][0].clone()
}

/// The relative change of a metric, and its verdict.
fn change(comparison: &Value, metric: &str) -> (f64, String) {
    let rows = comparison["metrics"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["metric"] == metric).expect("the metric");
    let delta = row["delta"]["relative"].as_f64().expect("a change");
    (delta, row["verdict"].as_str().expect("a verdict").to_owned())
}

#[test]
fn two_commands_are_timed_by_turns_and_compared_again_alike() {
    let place = place();
    let report = place.report("main='sleep 0.05' pr='sleep 0.3' -o runs");
    assert!(report.starts_with("beyondnoise: regressed, wall time +"), "{report}");
    // Seed 0 draws pr first; a block is followed by its mirror image.
    let order = place.events("done");
    assert_eq!(order[..4], ["001-pr", "002-main", "003-main", "004-pr"]);
    let time = fs::read(place.path("runs/001-pr/time.json")).expect("a result");
    let time: Value = serde_json::from_slice(&time).expect("a result");
    assert!(time["results"][0]["times"][0].as_f64() > Some(0.3), "{time}");

    let again = place.command("compare runs");
    assert_eq!(String::from_utf8_lossy(&again.stdout), report);
    let gate = place.command("compare runs --gate");
    assert_eq!(gate.status.code(), Some(1));
    assert_eq!(place.command("run --resume runs --gate").status.code(), Some(1));
    let promoted = place.command("run --resume runs --require improved");
    assert_eq!(promoted.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&promoted.stdout).contains("Decision: reject: wall time is worse")
    );
    let shown = place.command("show runs");
    assert!(shown.status.success());
}

/// By hand: in A B B A, and so in all whole blocks, a linear drift adds as much to A as to B.
#[test]
fn a_linear_drift_cancels() {
    let place = place();
    let args = "a='sh ramp.sh {out}' b='sh ramp.sh {out}' --looks 12 -o runs --format json";
    let found = comparison(&place.report(args));
    assert_eq!(found["headline"], "within_noise");
    let (delta, _) = change(&found, "output_throughput");
    // A relative change of logarithms: the curvature of the logarithm is left.
    assert!(delta.abs() < 2e-3, "{delta}");
    let checks = found["checks"].as_array().expect("checks");
    let drift = checks.iter().find(|check| check["id"] == "drift").expect("the drift is named");
    let said = drift["message"].as_str().expect("a sentence");
    assert!(
        said.contains("the order of the runs keeps a steady drift out of the change"),
        "{said}"
    );
}

#[test]
fn each_variant_has_its_values_and_all_have_the_hooks() {
    let place = place();
    fs::create_dir(place.path("there")).expect("a folder");
    place.write(
        "beyondnoise.toml",
        r#"
        [run]
        bench = "echo $NAME $PWD $V {round} {port} {seed} >> {dir}/../../log; V=$V ROUND={round} OUT={out} sh -c 'cd {dir}/../..; sh result.sh 10$V$ROUND.0 $OUT'"
        before = "echo before {variant} >> {dir}/../../log"
        after = "echo after {variant} >> {dir}/../../log"
        warmup = 1

        [run.version]
        pr = "echo warning; echo v2"

        [run.serve]
        main = "sleep 300"
        pr = "sleep 301"
        "#,
    );
    place.report(
        "--ready true --env NAME=all --env pr=NAME=pr --env main=V=1 --env pr=V=2 --cwd pr=there --port 1234 --seed 5 \
         --looks 2 -o runs",
    );
    let log = fs::read_to_string(place.path("log")).expect("a log");
    let here = place.path("").canonicalize().expect("a folder");
    let here = here.display();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 5 * 3, "a discarded run, and two of each: {log}");
    // The discarded run is round 0 of the first variant; `{seed}` is the seed and the round.
    let bench = format!("all {here} 1 0 1234 5");
    assert_eq!(lines[..3], ["before main", &bench, "after main"]);
    let expected = format!("pr {here}/there 2 2 1234 7");
    assert!(lines.contains(&&*expected), "{log}");
    assert_eq!(place.events("done")[0], "warmup-1-main");

    let read = |run: &str| -> Value {
        let bytes = fs::read(place.path(&format!("runs/{run}/environment.json"))).expect("a file");
        serde_json::from_slice(&bytes).expect("an environment")
    };
    let made = place.events("done");
    let of = |name: &str| made.iter().find(|run| run.ends_with(name)).expect("a run");
    assert_eq!(read(of("-pr"))["run"]["version"], "v2");
    assert_eq!(read(of("-main"))["run"]["version"], Value::Null);
    assert!(read(of("-main"))["machine"]["processors"].as_u64() > Some(0));
}

/// A folder with a change of 6 % in all rounds.
fn made() -> Place {
    let place = place();
    place.report("main='sh result.sh 100{round}.0 {out}' pr='sh result.sh 106{round}.0 {out}' --looks 2,3 -o runs");
    place
}

#[test]
fn another_device_is_not_comparable_and_heat_is_named() {
    let place = made();
    let edit = |from: &str, to: &str| {
        for run in place.events("done").iter().filter(|run| run.ends_with("-pr")) {
            let file = place.path(&format!("runs/{run}/environment.json"));
            let text = fs::read_to_string(&file).expect("an environment");
            assert!(text.contains(from), "{text}");
            fs::write(&file, text.replace(from, to)).expect("a file");
        }
    };
    let before = String::from_utf8(place.command("compare runs").stdout).expect("text");
    assert!(!before.contains("temperature") && before.contains('+'), "{before}");
    edit("\"cpu_model\": ", "\"cpu_model\": \"other\", \"was\": ");
    let after = String::from_utf8(place.command("compare runs").stdout).expect("text");
    assert!(after.starts_with("beyondnoise: not comparable"), "{after}");
    assert!(after.contains("other"), "{after}");
}

#[test]
fn several_variants_are_each_compared_with_the_first() {
    let place = place();
    let args = "a='sh result.sh 100{round}.0 {out}' b='sh result.sh 120{round}.0 {out}' \
                c='sh result.sh 80{round}.0 {out}' --looks 3 -o runs";
    let report = place.report(args);
    // By hand: 1202 / 1002 and 802 / 1002.
    assert!(report.contains("+19.96 % better"), "{report}");
    assert!(report.contains("−19.96 % worse"), "{report}");
    let order = place.events("done");
    assert_eq!(order.len(), 9);
    let variants: Vec<&str> = order.iter().map(|run| &run[4..]).collect();
    let mirrored: Vec<&str> = variants[..3].iter().rev().copied().collect();
    assert_eq!(variants[3..6], mirrored);
}

/// The policy file counts as in `compare`: each with the one before, in the order in which the variants were given.
#[test]
fn a_policy_file_that_names_the_variant_before_holds_for_the_runs_that_are_made() {
    let place = place();
    place.write("beyondnoise.toml", "baseline = \"previous\"\n");
    let made = place.report(
        "c='sh result.sh 100{round}.0 {out}' a='sh result.sh 120{round}.0 {out}' \
         b='sh result.sh 80{round}.0 {out}' --looks 3 -o runs --format json",
    );
    let report: Value = serde_json::from_str(&made).expect("a report");
    let compared = report["comparisons"].as_array().expect("comparisons").iter();
    let mut pairs: Vec<[&str; 2]> = compared
        .map(|one| {
            ["candidate", "baseline"].map(|side| one[side]["name"].as_str().expect("a name"))
        })
        .collect();
    pairs.sort_unstable();
    assert_eq!(pairs, [["a", "c"], ["b", "a"]]);
    let again = place.command("compare runs --format json");
    assert_eq!(String::from_utf8_lossy(&again.stdout), made);
    // A label of the user is worth more than the file.
    let named = place.command("compare runs --base b --format json");
    let named = comparison(&String::from_utf8_lossy(&named.stdout));
    assert_eq!(named["baseline"]["name"], "b");
}

#[test]
fn folders_with_planned_looks_are_compared_alone() {
    let place = made();
    for args in ["compare runs runs", "compare runs --look 1/2"] {
        let done = place.command(args);
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.contains("its looks hold for its own runs"), "{said}");
    }
    // Runs before the first look are no verdict.
    let journal = fs::read_to_string(place.path("runs/beyondnoise-journal.ndjson")).expect("text");
    let lines: Vec<&str> = journal.lines().collect();
    let third = lines.iter().position(|line| line.contains("\"done\"")).expect("a run");
    let cut = lines[..=third].join("\n") + "\n";
    fs::write(place.path("runs/beyondnoise-journal.ndjson"), cut).expect("a journal");
    let done = place.command("compare runs");
    let said = String::from_utf8_lossy(&done.stderr);
    let expected = "runs: expected 2 runs of each variant for the first look, found 0; beyondnoise run --resume runs";
    assert!(said.contains(expected), "{said}");
}

/// Fails at the first attempt of the rounds in its first argument.
const FLAKY: &str = r#"
case " $1 " in *" $3 "*) [ -e tried.$3 ] || { touch tried.$3; echo boom >&2; exit 3; };; esac
sh result.sh $2$3.0 $4
"#;

/// A folder of 3 runs each, in which pr failed first in these rounds; the report.
fn flaky(rounds: &str) -> (Place, String) {
    let place = place();
    place.write("flaky.sh", FLAKY);
    let args = format!(
        "main='sh result.sh 100{{round}}.0 {{out}}' pr='sh flaky.sh \"{rounds}\" 106 {{round}} {{out}}' \
         --looks 3 -o runs"
    );
    let report = place.report(&args);
    (place, report)
}

/// S2. pr failed at the first attempt of all 3 runs, main never: 3 of 6 attempts.
#[test]
fn attempts_that_failed_in_one_variant_stop_the_verdict() {
    let (place, report) = flaky("1 2 3");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "beyondnoise: not comparable: runs failed: 0 of 3 in main, 3 of 6 in pr";
    assert!(report.starts_with(expected), "{report}");
    let first = "Not counted: runs/001-pr (attempt 1): the benchmark of pr ended with status 3;";
    for part in [first, "; 3 attempts failed (main 0, pr 3)."] {
        assert!(words(&report).contains(part), "{report}");
    }
    let gate = place.command("compare runs --gate --format json");
    assert_eq!(gate.status.code(), Some(3));
    let again: Value = serde_json::from_slice(&gate.stdout).expect("a report");
    let found = &again["comparisons"][0];
    let counts =
        ["baseline", "candidate"].map(|side| (&found[side]["runs"], &found[side]["failed"]));
    assert_eq!(counts, [(&3.into(), &0.into()), (&3.into(), &3.into())]);
    assert_eq!((&found["headline"], &found["may_claim"]), (&"not_comparable".into(), &Value::Null));
    let failed = again["made"]["failed"].as_array().expect("attempts");
    let runs: Vec<&Value> = failed.iter().map(|failed| &failed["run"]).collect();
    assert_eq!(runs, ["001-pr", "004-pr", "005-pr"]);
    let shown = String::from_utf8(place.command("show runs").stdout).expect("text");
    assert!(shown.contains("pr: 3 runs, 3 failed and not counted"), "{shown}");
}

/// S2. One failure stops a title and no verdict.
#[test]
fn one_attempt_that_failed_is_named_and_stops_a_title() {
    let (place, report) = flaky("2");
    assert!(report.starts_with("beyondnoise: improved, output throughput +"), "{report}");
    assert!(report.contains("warning: Runs failed: 0 of 3 in main, 1 of 4 in pr."), "{report}");
    let again = place.command("compare runs --format json");
    assert_eq!(comparison(&String::from_utf8_lossy(&again.stdout))["may_claim"], Value::Null);
}

/// S10. The typo is in the commands of both variants; no run was made with it.
#[test]
fn a_repaired_command_is_taken_until_a_run_is_made_with_it() {
    let place = place();
    let args = "--bench 'sh reslut.sh 100{round}.0 {out}' --serve main='exec sleep 300' --serve pr='exec sleep 301' \
                --ready true --tries 1 --looks 2 -o runs";
    let why =
        "fix it, then: beyondnoise run --resume runs; add --bench pr='...' to give another command";
    fails(&place, args, &["run 1 of at most 4: pr failed once", why]);
    // Another variant is none of the plan.
    let other = "--resume runs other='sh result.sh 1 {out}'";
    fails(&place, other, &["expected NAME=COMMAND of main, pr with --resume, found other="]);
    // The plan alone changes nothing.
    let repaired = "--resume runs --bench 'sh result.sh 100{round}.0 {out}' --bench pr='sh result.sh 101{round}.0 {out}' \
                    --serve pr='exec sleep 302'";
    let plan = place.report(&format!("{repaired} --dry-run"));
    assert!(plan.contains("sleep 302") && place.events("repaired").is_empty(), "{plan}");
    let report = place.report(&format!("{repaired} --format json"));
    let report: Value = serde_json::from_str(&report).expect("a report");
    let made = &report["made"];
    assert_eq!(made["variants"][1]["bench"], "sh result.sh 101{round}.0 {out}");
    assert_eq!(made["variants"][1]["serve"], "exec sleep 302");
    // It failed with a command that no run has: named, and no failed run.
    assert_eq!(
        (&made["failed"][0]["run"], &made["failed"][0]["counts"]),
        (&"001-pr".into(), &false.into())
    );
    assert_eq!(report["comparisons"][0]["candidate"]["failed"], 0);
    // The journal has both.
    let journal = fs::read_to_string(place.path("runs/beyondnoise-journal.ndjson")).expect("text");
    assert!(journal.contains("reslut.sh") && journal.contains("sh result.sh"), "{journal}");
    // The same again is no other command; another one is refused.
    place.report(repaired);
    let late = "--resume runs --bench pr='sh result.sh 90{round}.0 {out}'";
    fails(&place, late, &["expected the commands with which 2 runs of pr were made, found others"]);
}

#[test]
fn what_cannot_be_planned_is_refused_before_a_run() {
    let cases = [
        ("a=./a", "expected two variants or more, found only a"),
        ("a=./a a=./b", "expected one command for a, found two"),
        ("./a ./b", "expected NAME=COMMAND, found ./a"),
        ("'OMP_NUM_THREADS=8 ./a' b=./b", "looks like a variable of the environment"),
        ("a='./a {outt}' b=./b", "found {outt} in: ./a {outt}"),
        ("a=./a b=./b --bench './c {out}'", "found a=... and --bench"),
        (
            "--serve a=x --serve b=y --bench 'c {out}'",
            "expected a way to see that the server of a is ready",
        ),
        ("--serve a=x --serve b=y --bench 'c {out}' --ready https://h/", "cannot ask an https URL"),
        ("a=./a b=./b --cwd nowhere", "nowhere of a, found none"),
        ("a=./a b=./b --env X", "expected KEY=VALUE after --env, found X"),
        ("a=./a b=./b -o 'a b'", "expected a path of letters, digits"),
        ("a=./a b=./b --looks 4,3", "ascending"),
        ("--resume nosuch", "nosuch"),
        ("--resume runs --effect 2%", "cannot be used with"),
        ("--resume runs", "found no journal"),
        ("a=./a b=./b -o runs", "expected an empty folder, found other files in it"),
    ];
    let place = place();
    fs::create_dir(place.path("runs")).expect("a folder");
    place.write("runs/notes.txt", "mine");
    for (args, expected) in cases {
        fails(&place, args, &[expected]);
    }
    assert!(!place.path("a b").exists(), "nothing is left of it");
    let plan = place.report("--dry-run a=./a b=./b --budget 90min --looks 3,6");
    assert!(
        plan.contains("at most 6 runs of each of a and b, 12 in all; at most 1 h 30 min"),
        "{plan}"
    );
    assert!(place.report("--dry-run a=./a b=./b").contains("order: b a a b b a a b"));
}

/// Runs with looks left go on with the command of the report: stopped by hand, and with the time that was used up doubled.
#[test]
fn the_next_command_goes_on_with_the_looks_that_are_left() {
    let place = place();
    fs::write(place.path("beyondnoise.toml"), "atlas = false\n").expect("a policy");
    let args = "a='sh ramp.sh {out}' b='sh ramp.sh {out}' --looks 2,6 --effect 4% -o runs --budget 90min -q";
    place.report(args);
    let journal = fs::read_to_string(place.path("runs/beyondnoise-journal.ndjson")).expect("text");
    let first: Vec<&str> = journal.lines().take_while(|line| !line.contains("\"look\"")).collect();
    for (stop, command) in
        [("by_hand", "run --resume runs"), ("budget", "run --resume runs --budget 180min")]
    {
        let ended = format!("{{\"event\":\"ended\",\"stops\":\"{stop}\"}}\n");
        let cut = first.join("\n") + "\n" + &ended;
        fs::write(place.path("runs/beyondnoise-journal.ndjson"), cut).expect("a journal");
        let done = place.command("compare runs --format json");
        let found = comparison(&String::from_utf8_lossy(&done.stdout));
        assert_eq!(
            (&found["headline"], &found["may_claim"]),
            (&"within_noise".into(), &Value::Null)
        );
        assert_eq!(found["next_command"], format!("beyondnoise {command}"));
        let step = found["next_step"].as_str().expect("a step");
        assert!(step.ends_with(&format!(": beyondnoise {command}")), "{step}");
        let report = place.report(&format!("{} --format json", command.trim_start_matches("run ")));
        assert_eq!(comparison(&report)["baseline"]["runs"], 6);
    }
}

/// A result whose throughput is this much, times the speed of the session, plus 0.1 % a round; the first attempt that is one
/// run too many for the first session fails.
const HELD: &str = r#"
n=$(cat calls 2>/dev/null || echo 0)
if [ "$n" = "$LAST" ] && [ ! -e resumed ]; then exit 1; fi
echo $((n + 1)) > calls
speed=1; if [ -e resumed ]; then speed=2; fi
sh result.sh $(awk "BEGIN{print $1*$speed*(1+$2/1000)}") $3
"#;

/// Three and four variants, stopped inside a block and resumed after a restart that makes the machine twice as fast. By hand:
/// the throughputs are as 100 : 110 : 90 : 121 in both sessions; with the sessions in the noise nothing would be shown, and
/// numbers of runs that differ between the sessions would move the ratios.
#[test]
fn three_and_four_variants_go_on_after_a_restart_inside_each_session() {
    let variants = [("a", 1000), ("b", 1100), ("c", 900), ("d", 1210)];
    for (count, last) in [(3, 7), (4, 10)] {
        let place = place();
        place.write("held.sh", HELD);
        let commands = variants[..count].iter().map(|(name, value)| {
            format!("{name}='LAST={last} sh held.sh {value} {{round}} {{out}}'")
        });
        let commands = commands.collect::<Vec<_>>().join(" ");
        fails(&place, &format!("{commands} --looks 4 --tries 1 -o runs"), &["failed once"]);
        assert_eq!(place.events("done").len(), last);

        let journal = place.path("runs/beyondnoise-journal.ndjson");
        let text = fs::read_to_string(&journal).expect("a journal");
        let began = place.journal().into_iter().find(|event| event["event"] == "began");
        let boot = began.expect("a run")["boot"].as_str().expect("the start of Linux").to_owned();
        assert!(!boot.is_empty() && text.contains("\"host\""), "{text}");
        fs::write(&journal, text.replace(&boot, "an earlier start")).expect("a journal");
        place.write("resumed", "");
        let report = place.report("--resume runs --format json");

        let done = place.events("done");
        assert_eq!(done.len(), 4 * count);
        for block in done.chunks(2 * count) {
            let order: Vec<&str> = block.iter().map(|run| &run[4..]).collect();
            let mirrored: Vec<&str> = order.iter().rev().copied().collect();
            assert_eq!(order, mirrored);
        }
        let report: Value = serde_json::from_str(&report).expect("a report");
        let comparisons = report["comparisons"].as_array().expect("comparisons");
        assert_eq!(comparisons.len(), count - 1);
        for found in comparisons {
            let name = found["candidate"]["name"].as_str().expect("a name");
            let (_, value) = variants.iter().find(|(known, _)| *known == name).expect("a variant");
            let (delta, verdict) = change(found, "output_throughput");
            let expected = f64::from(*value) / 1000.0 - 1.0;
            assert!((delta - expected).abs() < 2e-3, "{name}: {delta}");
            assert_eq!(verdict, if expected > 0.0 { "better" } else { "worse" }, "{name}");
            let sessions = found["sessions"]["sessions"].as_array().expect("sessions");
            assert_eq!((sessions.len(), &found["sessions"]["unit"]), (2, &Value::from("run")));
            for side in ["baseline", "candidate"] {
                let runs = sessions.iter().map(|session| session[side].as_u64().expect("runs"));
                assert_eq!(runs.sum::<u64>(), 4);
            }
            // The sessions look like modes, drift and order only where they are not taken out.
            let checks = found["checks"].as_array().expect("checks");
            let warned = checks.iter().filter(|check| check["severity"] != "note");
            let mut ids: Vec<&str> =
                warned.map(|check| check["id"].as_str().expect("id")).collect();
            ids.retain(|id| !["failed-runs", "low-resolution"].contains(id));
            assert!(ids.is_empty(), "{name}: {ids:?}");
        }
        let again = String::from_utf8(place.command("compare runs").stdout).expect("text");
        let again = again.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(again.contains("change taken inside each of 2 sessions"), "{again}");
    }
}
