//! `beyondnoise plan`, end to end: numbers, order, looks, cost, forms of the output, errors.
//!
//! Reference numbers are those of statsmodels 0.15.0, scipy 1.17.1 and numpy 2.4.6; the call stands beside each.

use std::fs;
use std::process::{Command, Output};

use beyondnoise::plan::{Basis, PlanReport, Request, SCHEMA, order_of_runs, plan, report};
use beyondnoise::policy::Policy;
use beyondnoise::render::markdown;
use beyondnoise::render::{TextOptions, text};
use beyondnoise::stats::Look;
use serde_json::Value;

fn beyondnoise(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .arg("plan")
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("NO_COLOR", "1")
        .output()
        .expect("the executable runs")
}

#[track_caller]
fn output(arguments: &[&str]) -> String {
    let out = beyondnoise(arguments);
    let (text, errors) = (string(&out.stdout), string(&out.stderr));
    assert_eq!(out.status.code(), Some(0), "{arguments:?}\n{text}\n{errors}");
    assert_eq!(errors, "");
    text
}

/// The message of a failure, with the spaces of its line breaks made one.
#[track_caller]
fn complaint(arguments: &[&str]) -> String {
    let out = beyondnoise(arguments);
    let errors = string(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{arguments:?}\n{errors}");
    assert!(out.stdout.is_empty() && !errors.contains("panicked"), "{errors}");
    words(&errors)
}

fn string(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// The text on one line.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn json(arguments: &[&str]) -> Value {
    let all: Vec<&str> = arguments.iter().copied().chain(["--format", "json"]).collect();
    let document = serde_json::from_str(&output(&all)).expect("JSON");
    let errors: Vec<String> =
        closed_schema().iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{arguments:?}: {errors:#?}");
    document
}

fn schema() -> Value {
    serde_json::from_str(include_str!("../../data/schema/plan.schema.json")).expect("JSON")
}

/// The schema without room for fields that it does not describe.
fn closed_schema() -> jsonschema::Validator {
    fn close(schema: &mut Value) {
        match schema {
            Value::Object(object) => {
                if object.contains_key("properties") {
                    object.entry("additionalProperties").or_insert(Value::Bool(false));
                }
                object.values_mut().for_each(close);
            }
            Value::Array(items) => items.iter_mut().for_each(close),
            _ => {}
        }
    }
    let mut schema = schema();
    close(&mut schema);
    jsonschema::draft202012::new(&schema).expect("a schema")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number, not {value}"))
}

#[track_caller]
fn close(found: &Value, expected: f64) {
    assert!((number(found) / expected - 1.0).abs() < 1e-6, "{found} against {expected}");
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

const TWO_WORKLOADS: &str = "variant,requests,request_throughput,mean_ttft_ms\n\
     a,100,24.32,50.1\na,100,24.11,50.9\nb,100,24.29,51.1\nb,100,24.52,50.0\n\
     a,200,24.59,52.0\na,200,25.74,52.2\na,200,24.20,52.5\na,300,24.1,50.2\n";

#[test]
fn the_schema_is_one() {
    let schema = schema();
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    assert_eq!(schema["properties"]["schema"]["const"], SCHEMA);
}

/// `TTestIndPower().solve_power(log(1.03) / 0.016, alpha=0.05, power=0.8)` = 5.739: six runs. The power is that at the
/// degrees of freedom of the interval, scipy 1.17.1: `c = t.ppf(.975, df)`, `nct.sf(c, df, shift) + nct.cdf(-c, df,
/// shift)` with `df = 2 * 5 * 6 / 7`, `shift = log(1.03) / 0.016 / sqrt(2 / 6)`.
#[test]
fn the_number_of_runs_comes_first() {
    let text = output(&["--effect", "3%", "--cv", "1.6%"]);
    let expected = "beyondnoise: 6 runs of each variant find a change of 3 % at 1.6 % run-to-run noise with \
                    80 % power (achieved 80 %)";
    assert!(words(&text).starts_with(expected), "{text}");
    assert!(text.contains("Order: B A A B B A A B B A A B (A = baseline"), "{text}");
    let document = json(&["--effect", "3%", "--cv", "1.6%"]);
    let plan = &document["plans"][0];
    assert_eq!((&plan["runs"], &plan["workload"]), (&6.into(), &Value::Null));
    assert_eq!(plan["order"], order_of_runs(6));
    close(&plan["metrics"][0]["effects"][0]["power"], 0.807_224_327);
}

/// The CVs by numpy: `sqrt(sum over variants of ((log x - mean)^2).sum() / 10)`; the runs by
/// `TTestIndPower().solve_power(log(1.03) / cv, alpha=0.05 / 3, power=0.8)`: 2.51, 8.196, 3.491.
#[test]
fn the_noise_of_the_deciding_metrics_comes_from_the_files() {
    let document = json(&["--effect", "3%", "data/serving"]);
    let plan = &document["plans"][0];
    assert_eq!((&plan["runs"], &plan["tested"]), (&9.into(), &3.into()));
    let expected = [
        ("output_throughput", 0.005_326_164_964_965, 3),
        ("mean_ttft_ms", 0.016_615_406_513_837, 9),
        ("mean_tpot_ms", 0.008_481_750_419_718, 4),
    ];
    for (metric, (name, cv, runs)) in
        plan["metrics"].as_array().expect("metrics").iter().zip(expected)
    {
        assert_eq!(metric["metric"], name);
        close(&metric["cv"], cv);
        assert_eq!((&metric["df"], &metric["runs"]), (&10.into(), &12.into()));
        assert_eq!(metric["effects"][0]["runs"], runs);
    }
    let text = words(&output(&["--effect", "3%", "data/serving"]));
    for expected in [
        "9 runs of each variant find a change of 3 % in all 3 metrics with 80 % power",
        "in mean TTFT, the noisiest at 1.7 %",
        "mean TTFT ms ±1.7 % 12 runs (df 10) 9",
        "98.33 % for each of 3 metrics",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    assert!(!text.contains("rests on few runs"), "{text}");
}

/// `TTestIndPower().solve_power(log(1.03) / cv, alpha=0.05, power=0.8)` = 6.088.
#[test]
fn a_metric_that_is_named_is_planned_for_alone() {
    let document = json(&["--effect", "3%", "data/serving", "--metric", "mean_ttft_ms"]);
    let plan = &document["plans"][0];
    assert_eq!((&plan["runs"], &plan["tested"]), (&7.into(), &1.into()));
    assert_eq!(plan["metrics"].as_array().expect("metrics").len(), 1);
    let given = json(&["--effect", "3%", "--cv", "1.6%", "--metric", "mean_ttft_ms"]);
    assert_eq!(given["plans"][0]["metrics"][0]["label"], "mean TTFT");
}

#[test]
fn what_differs_between_variants_is_no_noise() {
    let runs = |shift: f64| {
        let row = |name: &str, value: f64| format!("{name},{value:.3}\n");
        let before = [100.0, 102.0, 101.0].map(|value| row("before", value));
        let after = [100.0, 101.0, 103.0].map(|value| row("after", value * shift));
        format!("variant,request_throughput\n{}{}", before.concat(), after.concat())
    };
    let folder = folder(&[("same.csv", &runs(1.0)), ("double.csv", &runs(2.0))]);
    let cv = |name| {
        let document = json(&["--effect", "3%", &path(&folder, name)]);
        number(&document["plans"][0]["metrics"][0]["cv"])
    };
    assert!((cv("same.csv") - cv("double.csv")).abs() < 1e-12);
}

#[test]
fn several_changes_make_a_table() {
    let repeated = ["--cv", "1.6%", "--effect", "5%", "--effect", "2%", "--effect", "3%"];
    let listed = ["--cv", "1.6%", "--effect", "2%,3%,5%"];
    let document = json(&listed);
    assert_eq!(document, json(&repeated));
    let plan = &document["plans"][0];
    let effects = plan["effects"].as_array().expect("effects");
    let runs: Vec<u64> =
        effects.iter().map(|effect| effect["runs"].as_u64().expect("a count")).collect();
    // TTestIndPower().solve_power(log(1 + effect) / 0.016, alpha=0.05, power=0.8) = 11.29, 5.74, 3.02
    assert_eq!(runs, [12, 6, 4]);
    assert_eq!(plan["runs"], 12);
    let text = words(&output(&listed));
    assert!(
        text.contains("runs for 2 % runs for 3 % runs for 5 % any metric ±1.6 % 12 6 4"),
        "{text}"
    );
}

/// The shift at which `nct.sf(c, df, shift) + nct.cdf(-c, df, shift)` is 0.8, `df = 2 * 4 * 5 / 6` and `c =
/// t.ppf(.975, df)`, by `scipy.optimize.brentq`; `expm1(shift * sqrt(2 / 5) * 0.016)` = 3.39 % (3.29 % at `df = 8`).
#[test]
fn given_runs_find_a_smallest_change() {
    let document = json(&["--runs", "5", "--cv", "1.6%"]);
    let smallest = number(&document["plans"][0]["metrics"][0]["smallest"]);
    assert!((smallest - 0.033_939_10).abs() < 5e-8, "{smallest}");
    let text = words(&output(&["--runs", "5", "--cv", "1.6%"]));
    assert!(
        text.contains("5 runs of each variant find a change of 3.4 % or more with 80 %"),
        "{text}"
    );
    // And the other way about.
    let back = |change: f64| {
        let change = format!("{:.6}%", change * 100.0);
        json(&["--effect", &change, "--cv", "1.6%"])["plans"][0]["runs"].clone()
    };
    assert_eq!((back(smallest * 1.0001), back(smallest * 0.9999)), (5.into(), 6.into()));
}

#[test]
fn given_runs_and_a_change_give_a_power() {
    // At df = 2 * 4 * 5 / 6 as above; TTestIndPower().power(log(1.03) / 0.016, 5, 0.05) = 0.725761 is that at 8.
    let document = json(&["--runs", "5", "--effect", "3%", "--cv", "1.6%"]);
    close(&document["plans"][0]["metrics"][0]["effects"][0]["power"], 0.701_074_116);
    let text = words(&output(&["--runs", "5", "--effect", "3%", "--cv", "1.6%"]));
    assert!(text.contains("5 runs of each variant find a change of 3 % at 1.6 %"), "{text}");
}

#[test]
fn looks_are_equal_steps_with_their_confidence() {
    let arguments = ["--effect", "3%", "--cv", "2.2%", "--looks", "4", "--cost", "7min"];
    let document = json(&arguments);
    let plan = &document["plans"][0];
    let rows = plan["looks"].as_array().expect("looks");
    assert_eq!(rows.len(), 4);
    for (row, look) in rows.iter().zip(Look::equal(0.95, 4)) {
        close(&row["level"], look.level);
        close(&row["confidence"], 1.0 - look.level);
        let step = plan["runs"].as_u64().expect("a count") / 4;
        assert_eq!(row["runs"].as_u64(), Some(step * row["look"].as_u64().expect("a number")));
    }
    close(&plan["level"], Look::equal(0.95, 4)[3].level);
    let text = words(&output(&arguments));
    // Reboussin, DeMets, Kim and Lan 2000: 4.333, 2.963, 2.359, 2.014.
    for expected in
        ["2/4 6 99.7 %", "3/4 9 98.17 %", "4/4 12 95.6 %", "compare --look 1/4", "keep 95 %"]
    {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

/// What the plan says of a look is what a comparison does at it.
#[test]
fn a_comparison_at_a_look_uses_the_confidence_of_the_plan() {
    let document = json(&["--effect", "3%", "--cv", "2.2%", "--looks", "3"]);
    for (index, look) in ["1/3", "2/3", "3/3"].iter().enumerate() {
        let out = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
            .args(["compare", "data/serving", "--format", "json", "--look", look])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("the executable runs");
        let report: Value = serde_json::from_slice(&out.stdout).expect("JSON");
        let planned = &document["plans"][0]["looks"][index]["confidence"];
        assert_eq!(&report["settings"]["confidence"], planned, "{look}");
    }
}

/// Without borrowed noise the first look has two runs of each: one says nothing.
#[test]
fn no_look_is_planned_at_one_run() {
    for looks in 2..=Look::MOST {
        let looks = looks.to_string();
        let document = json(&["--effect", "20%", "--cv", "1%", "--looks", &looks]);
        assert_eq!(document["plans"][0]["looks"][0]["runs"], 2);
        let text = words(&output(&["--effect", "20%", "--cv", "1%", "--looks", &looks]));
        assert!(looks == "2" || text.contains("rounded up to"), "{text}");
    }
    let borrowed = ["--effect", "5%", "--cv", "1%", "--looks", "2", "--prior-df", "20"];
    assert_eq!(json(&borrowed)["plans"][0]["looks"][0]["runs"], 1);
}

#[test]
fn costs_are_added_up() {
    let text = output(&["--effect", "3%", "--cv", "1.6%", "--cost", "7min"]);
    assert!(text.contains("Cost: 1 h 24 min (12 runs at 7 min)."), "{text}");
    assert!(words(&text).contains("cost 42 min 1 h 10 min 2 h 20 min 4 h 40 min"), "{text}");
    let text = output(&["--effect", "3%", "--cv", "1.6%", "--cost", "12USD"]);
    assert!(text.contains("Cost: 144 USD (12 runs at 12 USD)."), "{text}");
    let document = json(&["--effect", "3%", "--cv", "1.6%", "--cost", "0.5h"]);
    let cost = &document["plans"][0]["cost"];
    assert_eq!((number(&cost["amount"]), &cost["unit"]), (21_600.0, &"s".into()));
}

/// `sqrt(2 / scipy.stats.chi2.ppf(0.1, 2))` = 3.080783.
#[test]
fn a_noise_seen_in_few_runs_is_told_with_its_upper_end() {
    let arguments = ["--effect", "2%", "data/notes/mock-abba.md"];
    let document = json(&arguments);
    for metric in document["plans"][0]["metrics"].as_array().expect("metrics") {
        assert_eq!((&metric["df"], &metric["runs"]), (&2.into(), &4.into()));
        close(&metric["upper"]["cv"], number(&metric["cv"]) * 3.080_782_624_76);
        let (more, fewer) = (&metric["upper"]["runs"][0], &metric["effects"][0]["runs"]);
        assert!(more.as_u64() > fewer.as_u64(), "{metric}");
    }
    let text = words(&output(&arguments));
    assert!(
        text.contains("The noise rests on few runs (2 degrees of freedom) and may be as high as"),
        "{text}"
    );
    assert!(text.contains("the upper end of its 80 % interval"), "{text}");
}

#[test]
fn at_least_three_runs_unless_noise_is_borrowed() {
    let few = ["--effect", "20%", "--cv", "1%"];
    assert_eq!(json(&few)["plans"][0]["runs"], 3);
    let borrowed: Vec<&str> = few.into_iter().chain(["--prior-df", "30"]).collect();
    assert_eq!(json(&borrowed)["plans"][0]["runs"], 1);
    assert!(output(&borrowed).contains("1 run of each variant finds a change of 20 %"));
}

#[test]
fn what_no_number_of_runs_finds_is_said_plainly() {
    let text = words(&output(&["--effect", "0.01%", "--cv", "5%", "--looks", "3"]));
    assert!(
        text.starts_with(
            "beyondnoise: no plan: to find a change of 0.01 % takes more than 100,000 runs of each variant"
        ),
        "{text}"
    );
    assert!(!text.contains("Order"), "{text}");
    let document = json(&["--effect", "0.01%", "--cv", "5%"]);
    let plan = &document["plans"][0];
    assert!(
        plan["runs"].is_null() && plan["order"].is_null() && plan["looks"] == Value::Array(vec![])
    );
}

#[test]
fn every_workload_has_its_own_plan() {
    let folder = folder(&[("t.csv", TWO_WORKLOADS)]);
    let file = path(&folder, "t.csv");
    let document = json(&["--effect", "3%", &file]);
    let plans = document["plans"].as_array().expect("plans");
    assert_eq!(plans.len(), 2);
    assert_eq!((&plans[0]["runs"], &plans[1]["runs"]), (&6.into(), &24.into()));
    assert_eq!(document["skipped"][0]["where"], "`a` (300 requests)");
    let text = output(&["--effect", "3%", &file]);
    assert!(text.starts_with("beyondnoise: 2 workloads, 6 to 24 runs of each variant\n"), "{text}");
    let skipped = "skipped: a (300 requests): one run has no run-to-run noise.";
    assert!(words(&text).contains(skipped), "{text}");
}

/// As `noise` takes them: a file each, under names that only count.
#[test]
fn single_runs_in_a_folder_are_repeats_of_one_build() {
    let plan = &json(&["--effect", "3%", "data/serving/before"])["plans"][0];
    assert_eq!(plan["pooled"].as_array().expect("labels").len(), 6);
    let mut named = json(&["--effect", "3%", "main=data/serving/before"])["plans"][0].clone();
    assert_eq!(named["pooled"], Value::Array(vec![]));
    named["pooled"] = plan["pooled"].clone();
    assert_eq!(&named, plan);
    let text = words(&output(&["--effect", "3%", "data/serving/before"]));
    let said = "run-01, run-04, run-05, … run-12: counted as 6 repeats of one build.";
    assert!(text.contains(said), "{text}");
}

#[test]
fn metrics_without_a_noise_are_named() {
    let rows = "variant,speed,score\na,24.3,-1.5\na,24.5,50.1\na,24.1,50.2\n";
    let folder = folder(&[("t.csv", rows)]);
    let file = path(&folder, "t.csv");
    let document = json(&["--effect", "3%", &file, "--metric", "score", "--metric", "speed"]);
    let plan = &document["plans"][0];
    assert_eq!(plan["metrics"].as_array().expect("metrics").len(), 1);
    // It will be judged all the same, and shares alpha.
    assert_eq!(plan["tested"], 2);
    assert_eq!(document["skipped"][0]["why"], "values of 0 or below have no CV");
}

#[test]
fn a_bad_file_stops_or_with_lenient_is_named() {
    let folder = folder(&[("bad.json", "{\"model_id\": \"m\","), ("good.csv", TWO_WORKLOADS)]);
    let all = folder.path().display().to_string();
    assert!(complaint(&["--effect", "3%", &all]).contains("bad.json"));
    let text = output(&["--effect", "3%", &all, "--lenient"]);
    assert!(words(&text).contains("bad.json"), "{text}");
}

#[test]
fn text_and_markdown_say_the_same() {
    let arguments = ["--effect", "2%,3%", "data/serving", "--looks", "2", "--cost", "7min"];
    let text = output(&arguments);
    let all: Vec<&str> = arguments.into_iter().chain(["--format", "markdown"]).collect();
    let markdown = output(&all);
    assert!(markdown.starts_with("### beyondnoise: at most "), "{markdown}");
    assert!(markdown.contains("Order: `B A A B`, repeated"), "{markdown}");
    let bare = |text: &str| {
        let plain =
            text.replace('`', "").replace(['|', '#'], " ").replace("--:", " ").replace("---", " ");
        let plain = plain.replace("<sub>", "").replace("</sub>", "");
        let plain = plain.replace("<!-- beyondnoise -->", "");
        words(&plain)
    };
    assert_eq!(bare(&markdown), bare(&text));
}

#[test]
fn no_line_is_wider_than_the_page_and_no_word_is_banned() {
    for arguments in [
        &["--effect", "2%,3%", "data/serving", "--looks", "5", "--cost", "7min"][..],
        &["--effect", "3%", "data/notes/mock-abba.md"],
        &["--runs", "7", "--cv", "1.6%", "--looks", "3", "--prior-df", "4.5"],
    ] {
        let text = output(arguments);
        for line in text.lines() {
            assert!(line.chars().count() <= 80 && line == line.trim_end(), "{line:?}");
        }
        assert!(!text.contains("\n\n\n") && !text.contains("significan"), "{text}");
    }
}

#[test]
fn the_ending_of_the_file_is_the_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--effect", "3%", "--cv", "1.6%", "-o"];
    for (name, start) in [("p.md", "### "), ("p.json", "{"), ("p.txt", "beyondnoise: ")] {
        let target = path(&folder, name);
        let all: Vec<&str> = arguments.into_iter().chain([target.as_str()]).collect();
        assert_eq!(output(&all), "");
        assert!(fs::read_to_string(&target).expect("a plan").starts_with(start), "{name}");
    }
    let target = path(&folder, "p.doc");
    let all: Vec<&str> = arguments.into_iter().chain([target.as_str()]).collect();
    assert!(complaint(&all).contains("found .doc"));
}

/// What was expected, what was found, what to do.
#[test]
fn errors_say_what_to_do() {
    let cases: &[(&[&str], &[&str])] = &[
        (&["--effect", "3%"], &["neither --cv nor an input", "--cv 2%"]),
        (&["--cv", "2%"], &["--effect or --runs, found neither", "--effect 3%", "--runs 5"]),
        (
            &["--cv", "2%", "--effect", "3%", "data/serving"],
            &["found both --cv and the input data/serving", "leave out --cv"],
        ),
        (&["--effect", "0", "--cv", "2%"], &["'0'", "from 0.001% to 1000%"]),
        (&["--effect", "-3%", "--cv", "2%"], &["'-3%'", "without a sign"]),
        (&["--effect", "0.05", "--cv", "2%"], &["5% or 0.05%"]),
        (&["--effect", "x", "--cv", "2%"], &["'x'", "such as 3%"]),
        (&["--effect", "3%", "--cv", "0%"], &["'0%'", "a run-to-run noise from 0.001%"]),
        (&["--effect", "3%", "--cv", "2%", "--power", "100%"], &["below 1"]),
        (&["--effect", "3%", "--cv", "2%", "--looks", "11"], &["11", "1..=10"]),
        (&["--effect", "3%", "--cv", "2%", "--cost", "-7min"], &["-7"]),
        (&["--effect", "3%", "--cv", "2%", "--cost", "fast"], &["such as 7min"]),
        (&["--effect", "3%", "--cv", "2%", "--prior-df", "many"], &["degrees of freedom"]),
        (&["--runs", "1", "--cv", "2%"], &["found 1", "--prior-df"]),
        (
            &["--effect", "3%", "data/notes/closed-loop-before-after.txt"],
            &[
                "two runs or more of one build",
                "each of `优化前`, `优化后`",
                "main=PATH",
                "--cv 2%",
            ],
        ),
        (
            &["--effect", "3%", "data/serving", "--metric", "nope"],
            &["a metric \"nope\"", "mean_ttft_ms", "--metric"],
        ),
        (&["--effect", "3%", "nowhere"], &["nowhere"]),
    ];
    for (arguments, expected) in cases {
        let message = complaint(arguments);
        for part in *expected {
            assert!(message.contains(part), "{arguments:?}: {part}\n{message}");
        }
    }
    let folder = folder(&[
        ("unknown.csv", "variant,steps\na,1.5\na,1.6\nb,1.7\n"),
        ("negative.csv", "variant,score\na,-1.5\na,1.5\n"),
    ]);
    let message = complaint(&["--effect", "3%", &path(&folder, "unknown.csv")]);
    assert!(message.contains("no metric of known direction among steps"), "{message}");
    // A direction is not needed to plan.
    let named = ["--effect", "3%", &path(&folder, "unknown.csv"), "--metric", "steps"];
    assert!(json(&named)["plans"][0]["runs"].is_u64());
    let message =
        complaint(&["--effect", "3%", &path(&folder, "negative.csv"), "--metric", "score"]);
    assert!(message.contains("values of 0 or below have no CV"), "{message}");
}

fn asked(effect: f64) -> Request {
    Request { effects: vec![effect], ..Request::default() }
}

/// Laws of a plan: more is needed for less noise borrowed, more power, more confidence, more looks, a smaller change.
#[test]
fn a_harder_question_never_takes_fewer_runs() {
    let runs = |request: &Request| {
        plan(Basis::given(0.02, &Policy::default()), request).runs.expect("a number of runs")
    };
    for effect in [0.01, 0.02, 0.03, 0.05, 0.1] {
        let easy = asked(effect);
        let harder = [
            Request { effects: vec![effect * 0.9], ..easy.clone() },
            Request { power: 0.9, ..easy.clone() },
            Request { confidence: 0.99, ..easy.clone() },
            Request { looks: 4, ..easy.clone() },
        ];
        for hard in harder {
            assert!(runs(&hard) >= runs(&easy), "{hard:?}");
        }
        assert!(runs(&Request { prior_df: 10.0, ..easy.clone() }) <= runs(&easy));
    }
}

#[test]
fn the_order_of_many_runs_is_not_written_out() {
    let bases = vec![Basis::given(0.05, &Policy::default())];
    let document: PlanReport = report(bases, Vec::new(), &asked(0.001));
    assert!(document.plans[0].order.is_none() && document.plans[0].runs.is_some());
    assert!(text(&document, TextOptions::default()).contains("B A A B, repeated"));
    assert!(markdown(&document).len() < 2_000);
}
