//! Laws of the whole path, from files in a folder to the JSON report, for random designs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use beyondnoise::analysis::analyse;
use beyondnoise::policy::{NoiseFrom, Policy};
use beyondnoise::read::{Options, Tidy, load, tidy};
use beyondnoise::stats::Resampling;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::{Value, json};

/// Metrics with one value a run, of which a design measures the first few.
const METRICS: [&str; 5] =
    ["output_throughput", "mean_ttft_ms", "mean_tpot_ms", "p90_itl_ms", "mean_e2el_ms"];

/// Metrics whose margins are relative only: a change of unit changes no verdict.
const RELATIVE: [&str; 3] = ["output_throughput", "mean_e2el_ms", "p90_e2el_ms"];

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    }
}

/// A run as it stands in a table: its variant, the second at which it began, thousandths of every metric.
#[derive(Clone, Debug)]
struct Row {
    variant: &'static str,
    second: u32,
    thousandths: Vec<u32>,
}

/// Two variants with 2 to 6 runs each, begun in random order; noise of up to 5 %, changes of up to 10 %.
fn design() -> impl Strategy<Value = Vec<Row>> {
    let run = || prop::collection::vec(-1.0..1.0f64, METRICS.len());
    let runs = || prop::collection::vec(run(), 2..=6usize);
    let noise = prop_oneof![Just(0.002), Just(0.02), Just(0.05)];
    let changes = prop::collection::vec(
        prop_oneof![Just(1.0), Just(1.004), Just(0.9), 0.9..1.1f64],
        METRICS.len(),
    );
    let order = Just((0..12u32).collect::<Vec<u32>>()).prop_shuffle();
    (runs(), runs(), noise, changes, order).prop_map(|(a, b, noise, changes, order)| {
        let mut seconds = order.into_iter();
        let mut rows = Vec::new();
        for (variant, runs) in [("before", a), ("after", b)] {
            for run in runs {
                let value = |(metric, unit): (usize, f64)| {
                    let change = if variant == "after" { changes[metric] } else { 1.0 };
                    let centre = 1e6 * 1.7f64.powi(i32::try_from(metric).expect("a few"));
                    thousandths(centre * change * (1.0 + noise * unit))
                };
                let thousandths = run.into_iter().enumerate().map(value).collect();
                let second = seconds.next().expect("at most 12 runs");
                rows.push(Row { variant, second, thousandths });
            }
        }
        rows
    })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some million")]
fn thousandths(value: f64) -> u32 {
    value.round() as u32
}

/// How the rows of a table are written.
#[derive(Clone, Copy, Debug)]
struct Writing {
    separator: &'static str,
    line_end: &'static str,
    last_line_end: bool,
    mark: bool,
    number: fn(u32) -> String,
}

const PLAIN: Writing = Writing {
    separator: ",",
    line_end: "\n",
    last_line_end: true,
    mark: false,
    number: |thousandths| format!("{}.{:03}", thousandths / 1000, thousandths % 1000),
};

fn header() -> Vec<String> {
    ["variant", "run", "started", "completed", "failed"]
        .iter()
        .chain(&METRICS)
        .map(ToString::to_string)
        .collect()
}

fn table(rows: &[Row], writing: Writing) -> String {
    let mut lines = vec![header().join(writing.separator)];
    for row in rows {
        let minute = format!("20260101-10{:02}00", row.second);
        // The second names the run: it is its own.
        let run = row.second.to_string();
        let mut cells = vec![row.variant.to_owned(), run, minute, "500".to_owned(), "0".to_owned()];
        cells.extend(row.thousandths.iter().map(|value| (writing.number)(*value)));
        lines.push(cells.join(writing.separator));
    }
    let mark = if writing.mark { "\u{feff}" } else { "" };
    let end = if writing.last_line_end { writing.line_end } else { "" };
    format!("{mark}{}{end}", lines.join(writing.line_end))
}

fn policy() -> Policy {
    Policy { resampling: Resampling { count: 200, seed: 3 }, ..Policy::default() }
}

fn put(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a file");
}

/// The report of a folder, `base` against the other variant.
fn report(folder: &Path, base: &str, policy: &Policy) -> Value {
    let input = folder.to_str().expect("a path in UTF-8").to_owned();
    let loaded =
        load(std::slice::from_ref(&input), &Options::default()).expect("tables that can be read");
    let report = analyse(&loaded.dataset, Some(base), None, policy).expect("two variants");
    let mut report = serde_json::to_value(report).expect("a report is JSON");
    forget_places(&mut report, &input);
    report
}

/// Puts one word for every place in a file of `folder`.
fn forget_places(value: &mut Value, folder: &str) {
    match value {
        Value::String(text) if text.starts_with(folder) => "a place".clone_into(text),
        Value::Array(all) => all.iter_mut().for_each(|value| forget_places(value, folder)),
        Value::Object(all) => all.values_mut().for_each(|value| forget_places(value, folder)),
        _ => {}
    }
}

/// The report of one table.
fn report_of(text: &str) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "runs.csv", text);
    report(folder.path(), "before", &policy())
}

/// All of a report but its inputs.
fn essence(report: &Value) -> Value {
    json!([report["settings"], report["comparisons"], report["unmatched"]])
}

/// The findings but those of some ids.
fn findings(comparison: &Value, but: &[&str]) -> Vec<Value> {
    let checks = comparison["checks"].as_array().expect("a list").iter();
    checks.filter(|check| !but.contains(&check["id"].as_str().expect("an id"))).cloned().collect()
}

fn metrics(report: &Value) -> BTreeMap<String, Value> {
    let comparisons = report["comparisons"].as_array().expect("a list").iter();
    comparisons
        .flat_map(|comparison| comparison["metrics"].as_array().expect("a list"))
        .map(|row| (row["metric"].as_str().expect("a name").to_owned(), row.clone()))
        .collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number, not {value}"))
}

fn near(x: f64, y: f64) -> bool {
    (x - y).abs() <= 1e-9 * x.abs().max(y.abs()).max(1e-6)
}

fn with_groups(thousandths: u32) -> String {
    let (whole, rest) = (thousandths / 1000, thousandths % 1000);
    format!("\"{},{:03}.{rest:03}\"", whole / 1000, whole % 1000)
}

fn scientific(thousandths: u32) -> String {
    let digits = thousandths.to_string();
    format!("{}.{}e{}", &digits[..1], &digits[1..], digits.len() - 4)
}

fn with_comma(thousandths: u32) -> String {
    format!("{},{:03}", thousandths / 1000, thousandths % 1000)
}

/// What of a row no other metric changes.
const RAW: [&str; 6] = [
    "/delta/relative",
    "/delta/relative_ci",
    "/delta/absolute",
    "/delta/absolute_ci",
    "/p_value",
    "/noise",
];

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn how_a_table_is_written_changes_nothing(rows in design()) {
        let plain = essence(&report_of(&table(&rows, PLAIN)));
        let others = [
            Writing { line_end: "\r\n", ..PLAIN },
            Writing { last_line_end: false, ..PLAIN },
            Writing { line_end: "\r\n", last_line_end: false, mark: true, ..PLAIN },
            Writing { separator: "\t", ..PLAIN },
            Writing { separator: ";", number: with_comma, ..PLAIN },
            Writing { number: scientific, ..PLAIN },
            Writing { number: with_groups, ..PLAIN },
        ];
        for writing in others {
            let text = table(&rows, writing);
            prop_assert_eq!(&essence(&report_of(&text)), &plain, "{}", text);
        }
    }

    #[test]
    fn the_order_of_rows_and_files_changes_nothing(
        (rows, shuffled) in design().prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        parts in 1..4usize,
    ) {
        let plain = report_of(&table(&rows, PLAIN));
        let folder = tempfile::tempdir().expect("a folder");
        for (part, rows) in shuffled.chunks(shuffled.len().div_ceil(parts)).enumerate() {
            put(folder.path(), &format!("part-{}.csv", 9 - part), &table(rows, PLAIN));
        }
        let other = report(folder.path(), "before", &policy());
        prop_assert_eq!(essence(&other), essence(&plain));
    }

    #[test]
    fn a_file_given_twice_adds_a_note_and_nothing_else(rows in design()) {
        let text = table(&rows, PLAIN);
        let once = report_of(&text);
        let folder = tempfile::tempdir().expect("a folder");
        put(folder.path(), "runs.csv", &text);
        put(folder.path(), "copy-of-runs.csv", &text);
        let twice = report(folder.path(), "before", &policy());
        prop_assert_eq!(metrics(&twice), metrics(&once));
        let (once, twice) = (&once["comparisons"][0], &twice["comparisons"][0]);
        prop_assert_eq!(&twice["headline"], &once["headline"]);
        prop_assert_eq!(findings(twice, &["duplicate-run"]), findings(once, &["duplicate-run"]));
        prop_assert_eq!(findings(twice, &[]).len(), findings(once, &[]).len() + 1);
    }

    #[test]
    fn another_metric_or_workload_changes_no_raw_interval(rows in design(), fewer in 1..METRICS.len()) {
        let all = metrics(&report_of(&table(&rows, PLAIN)));
        let text = table(&rows, PLAIN);
        let kept = |line: &str| line.split(',').take(5 + fewer).collect::<Vec<_>>().join(",") + "\n";
        let narrow: String = text.lines().map(kept).collect();
        let some = metrics(&report_of(&narrow));
        prop_assert_eq!(some.len(), fewer);
        // A further workload: other requests, other values.
        let mut wide = text.clone();
        for line in text.lines().skip(1) {
            let other = line.replace(",500,0,", ",700,0,").replace(",1", ",2");
            writeln!(wide, "{}", other.replace(",20260101", ",20260102")).expect("text");
        }
        let folder = tempfile::tempdir().expect("a folder");
        put(folder.path(), "runs.csv", &wide);
        // Of its own noise: with more workloads some could be borrowed.
        let own = Policy { noise: NoiseFrom::Own, ..policy() };
        let more = report(folder.path(), "before", &own);
        let first = more["comparisons"].as_array().expect("a list").iter();
        let mut first = first.filter(|c| c["workload"]["requests"] == json!(500));
        let first = first.next().expect("the workload of before");
        for (name, row) in &some {
            for part in RAW {
                prop_assert_eq!(row.pointer(part), all[name].pointer(part), "{}", name);
            }
        }
        for row in first["metrics"].as_array().expect("a list") {
            let name = row["metric"].as_str().expect("a name");
            for part in ["/delta/relative", "/delta/absolute"] {
                prop_assert_eq!(row.pointer(part), all[name].pointer(part), "{}", name);
            }
            // The cells of a list are judged by its noise as well: that only ever widens.
            for part in ["/delta/relative_ci", "/delta/absolute_ci"] {
                let ends = |row: &Value| {
                    let end = |at: usize| row.pointer(part)?.get(at)?.as_f64();
                    Some([end(0)?, end(1)?])
                };
                if let Some(([low, high], [own_low, own_high])) = ends(row).zip(ends(&all[name])) {
                    prop_assert!(low <= own_low && high >= own_high, "{}", name);
                }
            }
        }
    }

    #[test]
    fn swapping_the_variants_mirrors_the_report(rows in design()) {
        let folder = tempfile::tempdir().expect("a folder");
        put(folder.path(), "runs.csv", &table(&rows, PLAIN));
        let [forward, swapped] = ["before", "after"].map(|base| report(folder.path(), base, &policy()));
        let mirrored = |verdict: &str| -> String {
            match verdict {
                "better" => "worse",
                "worse" => "better",
                "tiny_better" => "tiny_worse",
                "tiny_worse" => "tiny_better",
                "improved" => "regressed",
                "regressed" => "improved",
                "slightly_improved" => "slightly_regressed",
                "slightly_regressed" => "slightly_improved",
                same => same,
            }
            .to_owned()
        };
        let (rows, others) = (metrics(&forward), metrics(&swapped));
        prop_assert_eq!(rows.len(), others.len());
        // A margin is passed by +1 % and not by the -0.99 % that is the same change seen from the other side.
        let mut clear = true;
        for (name, row) in &rows {
            let other = &others[name];
            let ratio = (1.0 + number(&row["delta"]["relative"])) * (1.0 + number(&other["delta"]["relative"]));
            prop_assert!(near(ratio, 1.0), "{}", name);
            prop_assert!(near(number(&row["delta"]["absolute"]), -number(&other["delta"]["absolute"])));
            for (end, opposite) in [(0, 1), (1, 0)] {
                let interval = |row: &Value, kind: &str, end: usize| number(&row["delta"][kind][end]);
                let ratio = (1.0 + interval(row, "relative_ci", end))
                    * (1.0 + interval(other, "relative_ci", opposite));
                prop_assert!(near(ratio, 1.0), "{} {}", name, ratio);
                let (x, y) = (interval(row, "absolute_ci", end), -interval(other, "absolute_ci", opposite));
                prop_assert!(near(x, y), "{} {} {}", name, x, y);
            }
            for field in ["p_value", "p_adjusted", "deciding", "margin"] {
                prop_assert_eq!(&row[field], &other[field], "{} {}", name, field);
            }
            prop_assert_eq!(&row["noise"]["cv"], &other["noise"]["cv"]);
            prop_assert_eq!(&row["noise"]["detectable"], &other["noise"]["detectable"]);
            let probability = number(&row["probability_better"]) + number(&other["probability_better"]);
            prop_assert!(near(probability, 1.0), "{} {}", name, probability);
            let verdicts = [&row["verdict"], &other["verdict"]].map(|v| v.as_str().expect("a word"));
            if mirrored(verdicts[0]) != verdicts[1] {
                let (margin, near_margin) = (number(&row["margin"]), 1.2);
                let close = |x: f64| (margin / near_margin..margin * near_margin).contains(&x.abs());
                let interval = |end: usize| number(&row["delta"]["relative_ci"][end]);
                // The 90 % interval is compared; with one degree of freedom that of 95 % is twice as wide.
                let near_a_margin = close(number(&row["delta"]["relative"]))
                    || (verdicts.contains(&"no_change") && (0..2).any(|end| interval(end).abs() < 2.5 * margin));
                prop_assert!(near_a_margin, "{} {:?} {}", name, verdicts, row);
                clear = false;
            }
        }
        let headline = |report: &Value| report["comparisons"][0]["headline"].as_str().expect("a word").to_owned();
        prop_assert!(!clear || mirrored(&headline(&forward)) == headline(&swapped));
    }

    #[test]
    fn a_power_of_two_changes_no_relative_number(rows in design(), exponent in -30..30i32) {
        let scaled = |factor: f64| {
            let mut text = "variant,run,started,metric,value,resolution\n".to_owned();
            for (run, row) in rows.iter().enumerate() {
                for (name, value) in RELATIVE.iter().zip(&row.thousandths) {
                    let (value, resolution) = (f64::from(*value) * factor, 0.5 * factor);
                    let place = format!("{},{run},20260101-10{:02}00", row.variant, row.second);
                    writeln!(text, "{place},{name},{value:?},{resolution:?}").expect("text");
                }
            }
            report_of(&text)
        };
        let (plain, other) = (scaled(1.0), scaled(2f64.powi(exponent)));
        prop_assert_eq!(&plain["comparisons"][0]["headline"], &other["comparisons"][0]["headline"]);
        let (plain, other) = (metrics(&plain), metrics(&other));
        for (name, row) in &plain {
            let other = &other[name];
            // Logarithms of other numbers are rounded elsewhere.
            let same = |x: &Value, y: &Value| x == y || near(number(x), number(y));
            prop_assert!(same(&row["delta"]["relative"], &other["delta"]["relative"]), "{}", name);
            for end in 0..2 {
                let end = |row: &Value| row["delta"]["relative_ci"][end].clone();
                prop_assert!(same(&end(row), &end(other)), "{} {} {}", name, row, other);
            }
            for part in ["p_value", "p_adjusted", "probability_better"] {
                prop_assert!(same(&row[part], &other[part]), "{} {}", name, part);
            }
            for part in ["cv", "df", "break_even_cv", "detectable"] {
                prop_assert!(same(&row["noise"][part], &other["noise"][part]), "{} {}", name, part);
            }
            for part in ["verdict", "runs_to_settle"] {
                prop_assert_eq!(&row[part], &other[part], "{} {}", name, part);
            }
            prop_assert!(same(&row["baseline"]["cv"], &other["baseline"]["cv"]));
        }
    }

    #[test]
    fn a_table_written_and_read_back_gives_the_same_report(rows in design()) {
        let folder = tempfile::tempdir().expect("a folder");
        put(folder.path(), "runs.csv", &table(&rows, PLAIN));
        written_and_read_back(folder.path(), &[]);
    }
}

/// Compares the report of `input` with those of its runs written as every kind of table.
#[track_caller]
fn written_and_read_back(input: &Path, lost: &[&str]) {
    let path = input.to_str().expect("a path in UTF-8").to_owned();
    let loaded = load(&[path], &Options::default()).expect("runs");
    let names = loaded.dataset.variant_names();
    let base = names[0];
    let plain = analyse(&loaded.dataset, Some(base), None, &policy()).expect("two variants");
    let plain = serde_json::to_value(plain).expect("JSON");
    let forms = [
        ("runs.csv", Tidy::Csv),
        ("runs.ndjson", Tidy::NdJson),
        #[cfg(feature = "tables")]
        ("runs.parquet", Tidy::Parquet),
    ];
    for (name, form) in forms {
        let folder = tempfile::tempdir().expect("a folder");
        let bytes = tidy(&loaded.dataset, form).expect("a table");
        fs::write(folder.path().join(name), bytes).expect("a file");
        let other = report(folder.path(), base, &policy());
        let comparisons =
            |report: &Value| report["comparisons"].as_array().expect("a list").clone();
        let (expected, found) = (comparisons(&plain), comparisons(&other));
        assert_eq!(found.len(), expected.len(), "{name} of {}", input.display());
        for (found, expected) in found.iter().zip(&expected) {
            for field in ["workload", "load", "headline", "metrics", "per_request"] {
                assert_eq!(found[field], expected[field], "{field}, {name} of {}", input.display());
            }
            let ids = |comparison: &Value| -> Vec<Value> {
                findings(comparison, lost).iter().map(|check| check["id"].clone()).collect()
            };
            assert_eq!(ids(found), ids(expected), "{name} of {}", input.display());
        }
    }
}

#[test]
fn the_data_of_the_project_written_and_read_back_gives_the_same_report() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    for name in ["serving", "notes/closed-loop-before-after.txt", "notes/burst-three-variants.txt"]
    {
        // Claims beside a block are not in a table.
        written_and_read_back(&data.join(name), &["claim-check"]);
    }
}

#[test]
fn the_number_of_threads_changes_no_byte_of_a_report() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let on = |threads: &str, arguments: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
            .args(arguments)
            .current_dir(root)
            .env("RAYON_NUM_THREADS", threads)
            .env("NO_COLOR", "1")
            .output()
            .expect("the executable runs");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        out.stdout
    };
    for arguments in [
        &["compare", "data/serving", "--format", "json"][..],
        &["compare", "data/notes/two-workloads-five-steps.txt", "--format", "markdown"],
        &["noise", "data/serving/before", "--format", "json"],
    ] {
        let one = on("1", arguments);
        for threads in ["2", "5"] {
            assert!(on(threads, arguments) == one, "{arguments:?} on {threads} threads");
        }
    }
}
