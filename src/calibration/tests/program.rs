//! The study as a program: the forms of its output, threads, the check, errors.

use std::fs;
use std::process::{Command, Output};

use beyondnoise::report::calibrate::CalibrationReport;
use beyondnoise_calibration::Report;
use schemars::JsonSchema;
use serde_json::Value;

#[path = "../../../tests/program/schema.rs"]
mod schema;

/// The document `beyondnoise-calibrate/1`, of the user's own runs or of a study.
///
/// Fields may be added; none is renamed or re-scaled. Every field of its kind is always there, null where undefined; NaN and
/// infinity never appear. Rates, changes and confidences are fractions; values are unrounded.
#[derive(JsonSchema)]
#[schemars(untagged, title = "Calibration of beyondnoise")]
#[expect(dead_code, reason = "only its schema is used")]
enum Document {
    OwnRuns(CalibrationReport),
    Study(Report),
}

/// The schema is that of the types that are serialised.
#[test]
fn the_schema_is_that_of_the_types() {
    let fresh = schema::text(&schema::of::<Document>());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/schema/calibrate.schema.json");
    if std::env::var("BEYONDNOISE_DOCS").is_ok_and(|wish| wish == "write") {
        fs::write(path, &fresh).expect("a folder that can be written");
    }
    let kept = fs::read_to_string(path).unwrap_or_default();
    assert!(kept == fresh, "BEYONDNOISE_DOCS=write makes it anew");
}

/// A study that takes no time.
const SMALL: [&str; 4] = ["--runs", "3,5", "--repetitions", "100"];

fn calibration(arguments: &[&str], threads: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_calibration"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("RAYON_NUM_THREADS", threads)
        .output()
        .expect("the executable runs")
}

#[track_caller]
fn output(arguments: &[&str]) -> String {
    let out = calibration(arguments, "2");
    let (text, errors) = (string(&out.stdout), string(&out.stderr));
    assert_eq!(out.status.code(), Some(0), "{arguments:?}\n{text}\n{errors}");
    // No progress bar where nobody watches.
    assert_eq!(errors, "");
    text
}

#[track_caller]
fn complaint(arguments: &[&str], status: i32) -> String {
    let out = calibration(arguments, "2");
    let errors = string(&out.stderr);
    assert_eq!(out.status.code(), Some(status), "{arguments:?}\n{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    errors.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn string(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[track_caller]
fn json(arguments: &[&str]) -> Value {
    let all: Vec<&str> = arguments.iter().copied().chain(["--format", "json"]).collect();
    valid(&output(&all))
}

#[track_caller]
fn valid(text: &str) -> Value {
    let document: Value = serde_json::from_str(text).expect("JSON");
    let schema = jsonschema::validator_for(&schema::of::<Document>()).expect("a schema");
    let errors: Vec<String> = schema.iter_errors(&document).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    document
}

fn with<'a>(first: &[&'a str], rest: &[&'a str]) -> Vec<&'a str> {
    [first, rest].concat()
}

/// The text with one blank between its words.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_first_lines_answer_the_question() {
    let text = output(&with(&SMALL, &["--shape", "reference"]));
    let first = text.split("\n\n").next().expect("a paragraph").replace('\n', " ");
    assert!(
        first.starts_with("beyondnoise: the calibrated interval of the mean covers 0.9"),
        "{first}"
    );
    assert!(first.ends_with("at a nominal 0.95 (8 shapes of noise, 3 to 5 runs each)"), "{first}");
    for words in ["claims a change where there is none in", "times Welch's", " average of 8 0.9"] {
        assert!(self::words(&text).contains(words), "{words}\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(!text.contains("significant"));
}

#[test]
fn threads_change_nothing() {
    let wild = ["--method", "calibrated,bca", "--shape", "wild"];
    let cases: [&[&str]; 2] = [
        &with(&["--runs", "3,8,3v10", "--repetitions", "70"], &wild),
        &["--borrowed", "--runs", "1,3", "--repetitions", "200"],
    ];
    for arguments in cases {
        let all = with(arguments, &["--format", "json"]);
        let [one, two] = ["1", "2"].map(|threads| calibration(&all, threads));
        assert_eq!(one.status.code(), Some(0), "{}", string(&one.stderr));
        assert_eq!(string(&one.stdout), string(&two.stdout), "{arguments:?}");
    }
}

#[test]
fn mistakes_are_named_with_what_to_do() {
    let cases: [(&[&str], &str); 9] = [
        (&["--shape", "pointy"], "expected a shape of noise, found pointy; give one of normal-2,"),
        (&["--runs", "3x10"], "expected runs of each variant from 1 to 1000"),
        (&["--runs", "1"], "expected --runs of 2 or more, found 1"),
        (&["--effect", "-1"], "expected a fraction above -1"),
        (&["--check", "--confidence", "0.9"], "expected --confidence 0.95 with --check, found 0.9"),
        (&["--check", "--shape", "wild"], "expected a figure that has a band, found none"),
        (&["--borrowed", "--runs", "3v10"], "expected 1 to 255 runs of both variants"),
        (&["-o", "table.svg"], "expected a file ending in one of txt, md, html, json, csv"),
        (&["--borrowed", "--across", "median"], "cannot be used with"),
    ];
    for (arguments, expected) in cases {
        let errors = complaint(arguments, 2);
        assert!(errors.contains(expected), "{arguments:?}\n{errors}");
    }
}

#[test]
fn a_cell_does_not_depend_on_the_others() {
    let few = json(&["--shape", "spikes", "--runs", "8", "--repetitions", "100"]);
    let many = json(&with(&SMALL[2..], &["--runs", "3,8", "--method", "welch,calibrated"]));
    let cells = many["cells"].as_array().expect("cells");
    let same = cells.iter().find(|cell| {
        cell["shape"] == "10 % spikes"
            && cell["baseline_runs"] == 8
            && cell["method"] == "calibrated"
    });
    assert_eq!(few["cells"][0], *same.expect("the same cell"));
    let other = json(&["--shape", "spikes", "--runs", "8", "--repetitions", "100", "--seed", "1"]);
    assert_ne!(few["cells"][0], other["cells"][0]);
}

#[test]
fn every_option_of_the_simulation_is_connected() {
    let document = json(&[
        "--method",
        "percentile,welch",
        "--across",
        "mean,median,hodges-lehmann",
        "--shape",
        "wild,Student t2",
        "--runs",
        "4,3v10",
        "--effect",
        "0.03,-0.025",
        "--repetitions",
        "64",
        "--confidence",
        "90%",
        "--resamples",
        "500",
        "--seed",
        "9",
    ]);
    let settings = &document["settings"];
    assert_eq!(settings["confidence"], 0.9);
    assert_eq!((&settings["repetitions"], &settings["seed"]), (&64.into(), &9.into()));
    assert_eq!(settings["resamples"], 500);
    assert_eq!(settings["effects"], serde_json::json!([0.03, -0.025]));
    let cells = document["cells"].as_array().expect("cells");
    // Two methods of the mean and of the median, the rank sums once; two shapes, two designs.
    assert_eq!(cells.len(), 5 * 2 * 2);
    assert_eq!(cells[16]["method"], "rank sums");
    assert_eq!(cells[1]["candidate_runs"], 10);
    assert_eq!(cells[0]["power"][1]["effect"], -0.025);
    assert_eq!(document["averages"], serde_json::json!([]));
    // A wider interval at a higher confidence.
    let narrow = json(&with(&SMALL, &["--shape", "wild", "--confidence", "0.9"]));
    let wide = json(&with(&SMALL, &["--shape", "wild", "--confidence", "0.99"]));
    let width = |document: &Value| document["cells"][0]["width"].as_f64().expect("a width");
    assert!(width(&wide) > 1.5 * width(&narrow));
}

#[test]
fn all_forms_hold_the_same_cells() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (csv, markdown, text, document) =
        (path("a.csv"), path("a.md"), path("a.txt"), path("a.json"));
    let printed = output(&with(
        &SMALL,
        &["--shape", "bimodal", "-o", &csv, "-o", &markdown, "-o", &text, "-o", &document],
    ));
    assert_eq!(printed, "");
    let read = |path: &str| fs::read_to_string(path).expect("a file");
    let document = valid(&read(&document));
    let coverage = document["cells"][0]["coverage"].as_f64().expect("a coverage");
    let shown = format!("{coverage:.3}");
    assert!(words(&read(&text)).contains(&format!(" bimodal {shown}")), "{}", read(&text));
    assert!(read(&markdown).contains(&format!("| bimodal | {shown} |")), "{}", read(&markdown));
    let mut lines = csv::Reader::from_path(&csv).expect("a file");
    let column = lines.headers().expect("a header").iter().position(|name| name == "coverage");
    let first = lines.records().next().expect("a line").expect("a line");
    assert_eq!(first.get(column.expect("a column")), Some(coverage.to_string().as_str()));
    // The details of a page are those of -v.
    let verbose = output(&with(&SMALL, &["--shape", "bimodal", "-v"]));
    assert!(verbose.contains("two modes 10 % apart") && read(&markdown).contains("two modes"));
}

#[test]
fn the_picture_is_xml_with_every_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("coverage.svg").display().to_string();
    output(&with(&SMALL, &["--shape", "spikes,normal-2", "--plot", &path]));
    let svg = fs::read_to_string(&path).expect("a file");
    assert!(svg.starts_with("<svg"), "{}", &svg[..200]);
    well_formed(&svg);
    for words in ["10 % spikes", "normal 2 %", "calibrated, mean", "runs of each variant"] {
        assert!(svg.contains(words), "{words}");
    }
    assert!(svg.contains("sans-serif"));
}

/// Every tag is closed in order, and no bare ampersand is left.
#[track_caller]
fn well_formed(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = xml;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = &comment[comment.find("-->").expect("an end of the comment") + 3..];
            continue;
        }
        let end = rest.find('>').expect("an end of the tag");
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().expect("a name");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') && !tag.starts_with('?') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    let entities = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#"];
    for (at, _) in xml.match_indices('&') {
        assert!(
            entities.iter().any(|entity| xml[at..].starts_with(entity)),
            "{}",
            &xml[at..at + 9]
        );
    }
}

#[test]
fn the_check_passes_the_default_and_fails_a_plain_bootstrap() {
    let good = output(&with(&SMALL, &["--check"]));
    assert!(good.contains("Check: 34 figures, none outside its band."), "{good}");
    let all =
        with(&["--runs", "3", "--repetitions", "400", "--check"], &["--method", "percentile"]);
    let out = calibration(&all, "2");
    assert_eq!(out.status.code(), Some(1));
    // The report is still there, and lists every cell.
    let text = string(&out.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Check: of 17 figures 9 are outside the band:"), "{text}");
    assert!(text.contains("bimodal, 3 runs each, percentile, mean: coverage 0."), "{text}");
    assert!(text.contains("expected 0.935 to 0.985"), "{text}");
    let errors = string(&out.stderr);
    assert!(errors.contains("check failed, 9 of 17 figures outside their bands"), "{errors}");
    let document = valid(&string(&calibration(&with(&all, &["--format", "json"]), "2").stdout));
    assert_eq!(document["check"]["violations"].as_array().map(Vec::len), Some(9));
}

#[test]
fn borrowed_noise_is_simulated_and_checked() {
    let arguments = ["--borrowed", "--runs", "1,3", "--repetitions", "2000", "--check"];
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let [text, document, csv] = ["a.txt", "a.json", "a.csv"].map(path);
    output(&with(&arguments, &["-o", &text, "-o", &document, "-o", &csv]));
    let [text, document, csv] =
        [text, document, csv].map(|file| fs::read_to_string(file).expect("a file"));
    assert!(text.contains("with 3 runs each a change of +5 % is seen in 6"), "{text}");
    assert!(text.contains("none outside its band"), "{text}");
    let document = valid(&document);
    assert_eq!(document["kind"], "borrowed");
    let rows = document["rows"].as_array().expect("rows");
    // Five sizes of a job, nine ways in which noise differs, three ways to compare. Single runs have no noise of their
    // own, and two others or a history lend them none.
    assert_eq!(rows.len(), 4 * 8 * 2 + 5 * 9 * 3);
    assert_eq!(csv.lines().count(), 1 + rows.len());
}

/// Of comparisons in which nothing is wrong few warn, whatever the shape of the noise; the wrong ones do. Each share may be
/// four standard errors above the level.
#[test]
fn warnings_are_simulated_and_checked() {
    let some = ["--warnings", "--runs", "3,8", "--repetitions", "100", "--check"];
    let document = json(&some);
    assert_eq!(document["kind"], "warnings");
    // Five cases without a random order, with two numbers of runs each.
    assert_eq!(document["check"], serde_json::json!({"checked": 10, "violations": []}));
    let rate = |case: &str, check: &str, runs: u64| {
        let rows = document["warnings"].as_array().expect("rows");
        let of = |row: &&Value| {
            row["case"] == case && row["check"] == check && row["runs"].as_u64() == Some(runs)
        };
        rows.iter().find(of).and_then(|row| row["rate"].as_f64()).expect("a rate")
    };
    assert!(rate("normal", "any", 8) <= 0.06);
    assert!(rate("one run 20 sd off", "outlier-run", 8) > 0.8);
    assert!(rate("first run 10 sd slow", "slow-first-run", 8) > 0.7);
    assert!(rate("two modes 10 sd apart", "two-modes", 8) > 0.25);
    assert!(rate("drift of 4 sd in total", "drift", 8) > 0.3);
    assert!(rate("AA..ABAB..BB", "order-confounded", 8) > 0.99);
    let text = output(&["--warnings", "--runs", "3", "--repetitions", "10"]);
    assert!(text.contains("Nothing wrong: comparisons with any such warning"), "{text}");
    complaint(&["--warnings", "--runs", "2"], 2);
    complaint(&["--warnings", "--runs", "3v10"], 2);
    complaint(&["--warnings", "--borrowed"], 2);
}

/// Four shapes of noise, five true changes and three designs, held against the committed page: 4 bands of false alarms and 5
/// figures a row.
#[test]
fn planned_looks_are_held_against_their_page() {
    let text = words(&output(&["--looks", "--check", "--repetitions", "20"]));
    assert!(text.contains("planned looks show a change that is not there in"), "{text}");
    assert!(text.contains("Check: 304 figures, none outside its band."), "{text}");
    let csv = output(&["--looks", "--repetitions", "10", "--format", "csv"]);
    assert_eq!(csv.lines().count(), 61, "{csv}");
    assert!(csv.starts_with("noise,change,design,repetitions,change_shown,"), "{csv}");
    assert_eq!(
        csv,
        string(&calibration(&["--looks", "--repetitions", "10", "--format", "csv"], "1").stdout)
    );
}

/// Of lists and of single comparisons the table has what is called, and what was before the rules that hold it.
#[test]
fn lists_and_single_comparisons_are_simulated_and_checked() {
    let lists = words(&output(&["--lists", "--check", "--repetitions", "10"]));
    assert!(lists.contains("Check: 23 figures, none outside its band."), "{lists}");
    assert!(lists.contains("levels alike, 42 cells, 3 + 3 any called"), "{lists}");
    let csv = output(&["--single", "--check", "--repetitions", "10", "--format", "csv"]);
    // Nine and twice six of modes and normal noise, four of A B B A and three of A, then B with three and two sizes, a run
    // that is off, and a drift with two sizes.
    assert_eq!(csv.lines().count(), 1 + 2 * (9 + 6 + 6) + 3 * 12 + 4 * 6 + 2 + 3 * 2, "{csv}");
    let never = csv.lines().filter(|line| line.contains("gate fails"));
    assert!(
        never.clone().count() == 6 && never.into_iter().all(|line| line.contains(",10,0,0,")),
        "{csv}"
    );
}
