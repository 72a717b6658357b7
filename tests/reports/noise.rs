//! `beyondnoise noise`, end to end: figures, what counts as a repeat, forms of the output, errors.
//!
//! Reference numbers are those of numpy 2.4.6, scipy 1.17.1 and statsmodels 0.15.0; the call stands beside each.

use std::fs;
use std::process::{Command, Output};
use std::sync::LazyLock;

use beyondnoise::noise::{NoiseReport, SCHEMA, noise};
use beyondnoise::policy::Policy;
use beyondnoise::read::{Options, load};
use beyondnoise::render::{self, TextOptions, markdown, text};
use pulldown_cmark::{Event, Parser, Tag};
use serde_json::Value;

fn beyondnoise(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .arg("noise")
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

/// The document, which fits its schema and has no field that the schema does not describe.
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
    serde_json::from_str(include_str!("../../data/schema/noise.schema.json")).expect("JSON")
}

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

#[track_caller]
fn near(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("a number, not {found}"));
    assert!((found / expected - 1.0).abs() < 1e-6, "{found} against {expected}");
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

fn report(path: &str) -> NoiseReport {
    let loaded = load(&[path.to_owned()], &Options::default()).expect("runs");
    noise(&loaded.dataset, &Policy::default()).expect("repeats")
}

const BEFORE: &str = "data/serving/before";

/// The same runs with less to compute.
const QUICK: [&str; 3] = [BEFORE, "--metric", "output_throughput"];

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| json(&[BEFORE]));
static TEXT: LazyLock<String> = LazyLock::new(|| output(&[BEFORE]));
static SERVING: LazyLock<NoiseReport> = LazyLock::new(|| report("data/serving"));

fn quick<'a>(more: &[&'a str]) -> Vec<&'a str> {
    QUICK.iter().chain(more).copied().collect()
}

#[test]
fn the_schema_is_one() {
    let schema = schema();
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    assert_eq!(schema["properties"]["schema"]["const"], SCHEMA);
    for input in ["data/notes", "data/notes/mock-abba.md"] {
        assert_eq!(json(&[input])["schema"], SCHEMA);
    }
}

/// Of the logarithms `std(ddof=1)`; the interval with
/// `kurtosis(bias=False)` and `chi2.ppf`; `exp(d * cv) - 1` with d of
/// `TTestIndPower().solve_power(None, nobs1, alpha=0.05, power=0.8)`; `kendalltau(range(6), v, method="exact")`
/// with v in the order of the start.
#[test]
fn the_figures_agree_with_scipy() {
    let metrics = &DOCUMENT["repeats"][0]["metrics"];
    let throughput = &metrics[0];
    assert_eq!(throughput["metric"], "output_throughput");
    near(&throughput["mean"], 557.598_637_873_777_9);
    near(&throughput["sd"], 2.906_531_483_227_948_5);
    near(&throughput["cv"], 0.005_213_074_476_046_655);
    near(&throughput["cv_interval"][0], 0.003_254_042_804_320_374_6);
    near(&throughput["cv_interval"][1], 0.020_061_427_851_950_52);
    for (index, runs, change) in [
        (0, 3, 0.018_280_124_635_354_406),
        (1, 5, 0.010_933_774_879_282_028),
        (2, 10, 0.006_971_955_762_506_067),
        (3, 20, 0.004_756_905_634_777_623),
    ] {
        assert_eq!(throughput["detectable"][index]["runs"], runs);
        near(&throughput["detectable"][index]["change"], change);
    }
    near(&throughput["trend"]["tau"], 1.0 / 3.0);
    near(&throughput["trend"]["p_value"], 0.469_444_444_444_444_44);
    near(&throughput["trend"]["change"], 0.005_219_368_118_956_513);
    assert_eq!(throughput["within"], Value::Null);
    let ttft = &metrics[1];
    assert_eq!((&ttft["metric"], &ttft["deciding"]), (&"mean_ttft_ms".into(), &true.into()));
    near(&ttft["cv"], 0.013_654_375_490_640_316);
    near(&ttft["cv_interval"][1], 0.052_546_011_001_295_86);
}

/// In numpy: of runs 01 and 04 `std(ddof=1) / sqrt(1000)`, from which the standard error of 31 batch means does not differ
/// beyond chance, root mean square of both; its square over `var(ddof=1)` of the six means, times
/// `chi2.ppf([0.05, 0.5, 0.95], 5) / 5`.
#[test]
fn what_lies_within_the_runs_comes_from_their_requests() {
    let within = &DOCUMENT["repeats"][0]["metrics"][1]["within"];
    assert_eq!((&within["runs"], &within["help"]), (&2.into(), &"not_known".into()));
    near(&within["cv"], 0.009_282_134_152_012_077);
    near(&within["share"], 0.404_553_376_247_125_73);
    near(&within["share_interval"][0], 0.106_494_430_447_136_22);
    near(&within["share_interval"][1], 1.0);
    let text = words(&TEXT);
    for part in [
        "For mean TPOT more runs, not longer ones, would help",
        "for mean TTFT these runs do not show it yet",
        "with its 90 % interval, is from the requests of 2 of them",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn the_answer_is_the_first_line() {
    let text = words(&TEXT);
    let first = "beyondnoise noise: output throughput varies by 0.5 % from run to run (95 % interval 0.3 … 2.0 \
                 %), 6 runs; 5 runs each find changes of 1.1 % or more";
    assert!(text.starts_with(first), "{text}");
    assert_eq!(words(&output(&quick(&["-q"]))), first);
    assert!(text.contains("Next: beyondnoise plan --effect 1% --cv 0.52%"), "{text}");
    // The plan that is advised can be made.
    let plan = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .args(["plan", "--effect", "1%", "--cv", "0.52%"])
        .output()
        .expect("the executable runs");
    assert!(plan.status.success());
}

#[test]
fn lines_fit_the_width() {
    for report in [&*SERVING, &report("data/notes")] {
        for verbose in [false, true] {
            let text = text(report, TextOptions { verbose, ..TextOptions::default() });
            for line in text.lines() {
                assert!(textwrap::core::display_width(line) <= 80, "{line}");
            }
            for wrong in ["significant", "NaN", "inf", "  \n"] {
                assert!(!text.contains(wrong), "{wrong}\n{text}");
            }
        }
    }
}

#[test]
fn single_runs_of_a_folder_are_repeats_and_that_is_said() {
    let repeats = &DOCUMENT["repeats"][0];
    assert_eq!(repeats["variant"], Value::Null);
    assert_eq!(repeats["pooled"].as_array().map(Vec::len), Some(6));
    assert_eq!(repeats["order"], "started");
    // numpy: run-09 has a modified z of -7.5, 1.5 % from the median; chance explains it.
    let found = repeats["findings"].as_array().expect("findings");
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0]["id"], &found[0]["severity"]), (&"outlier-run".into(), &"note".into()));
    let text = words(&TEXT);
    assert!(text.contains("run-01, run-04, run-05, … run-12: counted as 6 repeats"));
    // Under one name they are one build without a question.
    let named = json(&[&format!("main={BEFORE}")]);
    assert_eq!(named["repeats"][0]["variant"], "main");
    assert_eq!(named["repeats"][0]["metrics"], repeats["metrics"]);
}

#[test]
fn variants_with_several_runs_are_builds_of_their_own() {
    let variants: Vec<Option<&str>> =
        SERVING.repeats.iter().map(|repeats| repeats.variant.as_deref()).collect();
    // The noisier one first: 0.54 % against 0.52 %.
    assert_eq!(variants, [Some("after"), Some("before")]);
    let first = "2 builds with repeats: output throughput varies by 0.5 % from run to run";
    assert_eq!(SERVING.summary, first);
    let quiet = text(&*SERVING, TextOptions { quiet: true, ..TextOptions::default() });
    assert_eq!(quiet.matches(", 6 runs; 5 runs each").count(), 2, "{quiet}");
}

#[test]
fn many_builds_share_a_table() {
    let rows: String = ["a", "b", "c", "d"]
        .iter()
        .zip([1.0, 4.0, 2.0, 3.0])
        .flat_map(|(name, step)| {
            (0..3).map(move |run| format!("{name},{}\n", 100.0 + step * f64::from(run)))
        })
        .collect();
    let file = folder(&[("runs.csv", &format!("variant,request_throughput\n{rows}"))]);
    let runs = path(&file, "runs.csv");
    let text = output(&[&runs]);
    let names: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix(' ')?.split("  ").next()).collect();
    assert_eq!(names, ["noise of", "b", "d", "c", "a"], "{text}");
    assert!(words(&text).contains("varies by 1.0 … 3.8 % from run to run, most in b"), "{text}");
    assert!(output(&[&runs, "-v"]).matches("smallest change with").count() == 4);
}

#[test]
fn labels_that_tell_builds_apart_are_believed() {
    let text = complaint(&["data/notes/closed-loop-before-after.txt"]);
    assert!(
        text.contains("one run each of `优化前`, `优化后`, whose labels name different builds"),
        "{text}"
    );
    assert!(text.contains("(main=PATH)"), "{text}");
    let pooled = json(&["main=data/notes/closed-loop-before-after.txt"]);
    assert_eq!(pooled["repeats"][0]["runs"].as_array().map(Vec::len), Some(2));
    // Labels that say nothing are taken as repeats, with a warning.
    let file = folder(&[("a.csv", "variant,request_throughput\nfp8,10.1\nint4,10.3\nbf16,9.8\n")]);
    let document = json(&[&path(&file, "a.csv")]);
    assert_eq!(document["repeats"][0]["findings"][0]["id"], "labels-differ");
}

#[test]
fn workloads_are_never_mixed() {
    let file = folder(&[(
        "runs.csv",
        "variant,requests,request_throughput\nmain,100,10.1\nmain,100,10.2\nmain,200,20.1\nmain,200,20.9\n\
         main,300,30.1\n",
    )]);
    let document = json(&[&path(&file, "runs.csv")]);
    let requests: Vec<&Value> = document["repeats"]
        .as_array()
        .expect("builds")
        .iter()
        .map(|repeats| &repeats["workload"]["requests"])
        .collect();
    assert_eq!(requests, [200, 100]);
    assert_eq!(document["skipped"][0]["why"], "one run has no run-to-run noise");
}

#[test]
fn what_is_no_repeat_is_an_error_that_says_what_to_give() {
    let text = complaint(&["data/notes/old-client-single.txt"]);
    assert!(text.contains("expected two runs or more of one build, found 1 run"), "{text}");
    assert!(text.contains("run the same benchmark again without a change"), "{text}");
    let text = complaint(&[BEFORE, "--metric", "no_such"]);
    assert!(text.contains("expected a metric \"no_such\", found"), "{text}");
    let file = folder(&[("a.csv", "variant,rep,foo\nmain,1,10.1\nmain,2,10.3\n")]);
    let text = complaint(&[&path(&file, "a.csv"), "--metric", "bar"]);
    assert!(text.contains("bar"), "{text}");
    let file = folder(&[("a.csv", "variant,foo,bar\nmain,1.5,10.1\nmain,2.5,10.3\n")]);
    let text = complaint(&[&path(&file, "a.csv")]);
    assert!(text.contains("none of its metrics is known: bar, foo") && text.contains("--metric"));
    assert!(output(&[&path(&file, "a.csv"), "--metric", "bar"]).contains("bar varies by 1.4 %"));
    complaint(&[BEFORE, "-o", "noise.pdf"]);
    complaint(&[BEFORE, "--confidence", "2"]);
}

#[test]
fn flags_are_connected() {
    let text = words(&output(&quick(&["--confidence", "90%"])));
    assert!(text.contains("(90 % interval 0.4 … 1.7 %)"), "{text}");
    assert!(text.contains("--cv 0.52% --confidence 0.9"), "{text}");
    assert_eq!(json(&quick(&["--seed", "7"]))["settings"]["seed"], 7);
    assert!(output(&quick(&["-v"])).contains("Runs in the order of their start: run-01"));
    assert!(output(&quick(&["--color", "always"])).starts_with("\u{1b}["));
    let out = folder(&[]);
    for (name, start) in
        [("n.md", "### beyondnoise noise"), ("n.json", "{"), ("n.txt", "beyondnoise")]
    {
        assert_eq!(output(&quick(&["-o", &path(&out, name)])), "");
        assert!(fs::read_to_string(out.path().join(name)).expect("a file").starts_with(start));
    }
}

#[test]
fn the_report_is_the_same_for_any_number_of_threads() {
    let all = || {
        let report = report("data/notes");
        (render::json(&report), markdown(&report))
    };
    let first = all();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        assert_eq!(first, pool.expect("threads").install(all), "{threads} threads");
    }
}

#[test]
fn labels_of_any_kind_are_harmless_in_markdown() {
    let rows =
        "\"x|y\",10.1\n\"x|y\",10.3\n<b>@all</b>,9.8\n<b>@all</b>,9.9\n优化 `中,9\n优化 `中,9.1\n";
    let file = folder(&[("a.csv", &format!("variant,request_throughput\n{rows}"))]);
    let text = output(&[&path(&file, "a.csv"), "--format", "markdown"]);
    for event in Parser::new_ext(&text, pulldown_cmark::Options::ENABLE_TABLES) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => {
                assert!(!html.contains("<b>") && !html.contains("@all</b>"), "{html}");
            }
            Event::Start(Tag::Link { .. }) => panic!("a link in {text}"),
            _ => {}
        }
    }
    assert!(text.contains("**x&#124;y: ") && text.contains("&lt;b&gt;@all&lt;/b&gt;"), "{text}");
    assert!(text.ends_with("<!-- beyondnoise noise -->\n"));
}

#[test]
fn text_and_markdown_stay_as_they_are() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        insta::assert_snapshot!("noise.txt", text(&*SERVING, TextOptions::default()));
        insta::assert_snapshot!("noise.md", markdown(&*SERVING));
    });
}
