//! Numbers at the edges: huge, tiny, equal, zero, negative, one run against fifty, thousands of runs. Whatever is
//! measured, a report holds numbers only, and says in words where there is none.

use std::fmt::Write as _;
use std::fs;

use beyondnoise::analysis::{analyse, batch};
use beyondnoise::noise::noise;
use beyondnoise::policy::{Base, Policy, Selected};
use beyondnoise::read::{File, Options, load, load_bytes};
use beyondnoise::render::{TextOptions, csv, html, json, markdown, text};
use beyondnoise::report::Report;
use beyondnoise::runs::Dataset;
use beyondnoise::stats::{Across, Method, Resampling, Sample, Scale, TwoSample, Undefined};
use beyondnoise::units::Better;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

/// Metrics that readers know, which are greater than zero, and others, which may be anything.
const KNOWN: [&str; 4] = ["duration", "mean_ttft_ms", "output_throughput", "p99_itl_ms"];
const OTHERS: [&str; 2] = ["cost", "gain"];

/// The runs of a table with a row per value.
fn dataset(variants: &[(&str, &[f64])]) -> Dataset {
    let mut table = "variant,run,started,metric,value\n".to_owned();
    let positive = variants.iter().all(|(_, values)| values.iter().all(|value| *value > 0.0));
    let known = if positive { &KNOWN[..] } else { &[] };
    let mut second = 0;
    for (variant, values) in variants {
        for (run, value) in values.iter().enumerate() {
            second += 1;
            let started =
                format!("20260101-{:02}{:02}{:02}", second / 3600, second / 60 % 60, second % 60);
            for metric in known.iter().chain(&OTHERS) {
                writeln!(table, "{variant},{run},{started},{metric},{value:e}").expect("text");
            }
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.csv");
    fs::write(&path, table).expect("a file");
    let input = path.to_str().expect("a path in UTF-8").to_owned();
    load(&[input], &Options::default()).expect("a table").dataset
}

/// What a page shows: its text without programs, styles and tags.
fn shown(page: &str) -> String {
    let mut rest = page;
    let mut out = String::new();
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        let tag = &rest[start..];
        let closing = ["script", "style"]
            .into_iter()
            .find_map(|name| tag.starts_with(&format!("<{name}")).then(|| format!("</{name}>")));
        let end = closing.map_or_else(|| tag.find('>'), |closing| tag.find(&closing));
        rest = &tag[end.map_or(tag.len(), |end| end + 1)..];
        rest = rest.strip_prefix("/style>").or(rest.strip_prefix("/script>")).unwrap_or(rest);
        out.push(' ');
    }
    out + rest
}

/// Words for what is no number, whatever stands around them.
fn no_numbers(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let none = ["nan", "inf", "infinity", "null"];
    words.filter(|word| none.contains(&word.to_lowercase().as_str())).map(str::to_owned).collect()
}

#[track_caller]
fn numbers_only(report: &Report, batch: bool, what: &str) {
    let verbose = TextOptions { verbose: true, plot: true, ..TextOptions::default() };
    let texts = if batch {
        vec![
            ("text", text(beyondnoise::report::batch::batch(report, true), TextOptions::default())),
            ("markdown", markdown(report)),
        ]
    } else {
        vec![
            ("text", text(report, verbose)),
            ("first line", text(report, TextOptions { quiet: true, ..TextOptions::default() })),
            ("markdown", markdown(report)),
        ]
    };
    for (form, text) in
        texts.into_iter().chain([("csv", csv(report)), ("html", shown(&html(report)))])
    {
        assert_eq!(no_numbers(&text), [""; 0], "{form} of {what}: {text}");
    }
    // A number that is none becomes null, which only stands where the schema allows it: the same fields as ever.
    let document: serde_json::Value = serde_json::from_str(&json(report)).expect("JSON");
    for comparison in document["comparisons"].as_array().expect("a list") {
        for row in comparison["metrics"].as_array().expect("a list") {
            for side in ["baseline", "candidate"] {
                assert!(row[side]["estimate"].is_number(), "{what}: {row}");
                let values = row[side]["values"].as_array().expect("a list");
                assert!(values.iter().all(serde_json::Value::is_number), "{what}: {row}");
            }
            assert!(
                row["delta"]["absolute"].is_number() || row["verdict"] == "not_judged",
                "{what}: {row}"
            );
            let undirected = row["better"].is_null() || row["p_value"].is_null();
            assert_eq!(undirected, row["probability_better"].is_null(), "{what}: {row}");
            // A count that never varies needs none.
            if row["p_value"].is_null() && row["exact"] == false {
                assert_eq!(row["verdict"], "not_judged", "{what}: {row}");
                assert_ne!(row["reason"], "", "{what}: {row}");
            }
        }
    }
}

/// Looks at every kind of report of these values.
#[track_caller]
fn looked_at(what: &str, before: &[f64], after: &[f64]) {
    let positive = before.iter().chain(after).all(|value| *value > 0.0);
    let directed =
        |(name, better): (&str, Better)| Selected { name: name.to_owned(), better: Some(better) };
    // Selected metrics alone decide; else the known ones do.
    let others = OTHERS.into_iter().zip([Better::Lower, Better::Higher]).map(directed);
    let selected = if positive { Vec::new() } else { others.collect() };
    let resampling = Resampling { count: 300, seed: 1 };
    let policy = Policy { resampling, selected, ..Policy::default() };
    let runs = dataset(&[("before", before), ("after", after)]);
    // Values that are all equal may be one run given twice.
    if runs.variant_names().len() < 2 {
        return;
    }
    for across in [Across::MEAN, Across::MEDIAN, Across::HODGES_LEHMANN] {
        for method in [Method::Calibrated, Method::Percentile, Method::Bca, Method::Welch] {
            let policy = Policy { across, method, ..policy.clone() };
            let what = format!("{what}, {across:?}, {method:?}");
            let report = analyse(&runs, Some("before"), None, &policy).expect("a report");
            numbers_only(&report, false, &what);
        }
    }
    let base = Base::Label("before".to_owned());
    numbers_only(&batch(&runs, None, &[], Some(&base), &policy).expect("a report"), true, what);
    let Ok(found) = noise(&runs, &policy) else { return };
    let _: serde_json::Value = serde_json::from_str(&json(&found)).expect("JSON");
    for text in [text(&found, TextOptions::default()), markdown(&found)] {
        assert_eq!(no_numbers(&text), [""; 0], "noise of {what}: {text}");
    }
}

/// 50 values about 1.
fn fifty(scale: f64) -> Vec<f64> {
    (0..50).map(|k| scale * (1.0 + f64::from(k * k % 17) / 100.0)).collect()
}

#[test]
fn a_report_of_extreme_values_holds_numbers_only() {
    let max = f64::MAX;
    let cases: [(&str, &[f64], &[f64]); 21] = [
        ("huge", &[1e300, 1.1e300, 1.2e300], &[1e300, 1.3e300, 1.2e300]),
        ("the largest", &[max, max / 2.0, max / 3.0], &[max / 4.0, max, max / 2.0]),
        ("both ends of all numbers", &[max, -max], &[0.0]),
        ("ends against ends", &[max, -max, 1.0, -max], &[-max, max, max, 0.0]),
        ("tiny", &[1e-300, 1.1e-300, 1.2e-300], &[1e-300, 1.3e-300, 1.25e-300]),
        ("denormal", &[5e-324, 1e-323, 1.5e-323], &[5e-324, 2e-323, 1e-323]),
        ("far apart", &[1e-100, 1.1e-100, 1.2e-100], &[1e100, 1.1e100, 1.2e100]),
        ("worlds apart", &[1e-300, 1.1e-300, 1.2e-300], &[1e300, 1.1e300, 1.2e300]),
        ("equal within", &[7.5, 7.5, 7.5], &[7.6, 7.6, 7.6]),
        ("all zero", &[0.0, 0.0, 0.0], &[0.0, 0.0, 0.0]),
        ("zero before", &[0.0, 0.0, 0.0], &[1.0, 1.1, 1.2]),
        ("zero after", &[1.0, 1.1, 1.2], &[0.0, 0.0, 0.0]),
        ("negative", &[-1.0, -1.1, -1.2], &[-1.3, -1.4, -1.05]),
        ("both signs", &[-1.0, 0.0, 1.5], &[2.0, -3.0, 0.5]),
        ("one wild run", &[1.0, 1.01, 1.02], &[1.0, 1.01, 1e300]),
        ("a percentage beyond all numbers", &[f64::MAX, 1.0, 1.7], &[1.0, 1.5, 2.0]),
        ("nearly equal", &[1.0, 1.0 + 2e-16, 1.0], &[1.0, 1.0, 1.0 - 1e-16]),
        ("one run each", &[1e300], &[1e-300]),
        ("one huge run each", &[1e308], &[1.7e308]),
        ("one and zero", &[0.0], &[0.0, 1.0]),
        ("whole numbers", &[9_007_199_254_740_993.0, 1e16, 2e16], &[3e16, 1e16, 2e16]),
    ];
    for (what, before, after) in cases {
        looked_at(what, before, after);
    }
}

#[test]
fn one_run_against_fifty_gives_numbers_or_a_reason() {
    for scale in [1.0, 1e300, 1e-310] {
        looked_at("1 + 50", &[scale * 1.05], &fifty(scale));
        looked_at("50 + 2", &fifty(scale), &[scale, scale * 1.01]);
    }
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    }
}

/// Any finite number, or one of those at the edges.
fn any_value() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO,
        prop::sample::select(vec![0.0, 1.0, -1.0, f64::MAX, f64::MIN, 5e-324, 1e-308, 1e16]),
        0.5..2.0f64,
    ]
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn a_report_of_any_values_holds_numbers_only(
        before in prop::collection::vec(any_value(), 1..6),
        after in prop::collection::vec(any_value(), 1..6),
    ) {
        looked_at("any values", &before, &after);
    }
}

/// `n` values spread evenly over the normal law of mean 1 and this standard deviation, but for its far tails.
fn normal_values(n: u32, sd: f64) -> Vec<f64> {
    let level = |k: u32| (f64::from(k) + 0.5) / f64::from(n);
    (0..n).map(|k| 1.0 + sd * beyondnoise::stats::Student::NORMAL.quantile(level(k))).collect()
}

/// With many runs every method gives the normal interval: the standard error is sd * sqrt(2 / n), the
/// quantile of 97.5 % 1.959964, and 10,000 resamples know a bound to 2.7 % of the standard error.
fn many_runs_give_the_normal_interval(n: u32) {
    let (a, b) = (normal_values(n, 0.02), normal_values(n, 0.02));
    let (a, b) = (Sample::new(a).expect("numbers"), Sample::new(b).expect("numbers"));
    let half = 1.959_964 * 0.02 * (2.0 / f64::from(n)).sqrt();
    for method in [Method::Calibrated, Method::Percentile, Method::Bca, Method::Welch] {
        let curve =
            TwoSample::new(&a, &b, Across::MEAN, Resampling::default()).curve(Scale::Log, method);
        let interval = curve.expect("many runs").interval(0.95);
        let ends = [-interval.low / half, interval.high / half];
        assert!(ends.iter().all(|end| (end - 1.0).abs() < 0.08), "{n} {method:?}: {ends:?}");
    }
    // Of the median: sd * sqrt(pi / 2) / sqrt(n) each.
    let half = half * (std::f64::consts::PI / 2.0).sqrt();
    let curve = TwoSample::new(&a, &b, Across::MEDIAN, Resampling::default())
        .curve(Scale::Log, Method::Calibrated);
    let interval = curve.expect("many runs").interval(0.95);
    assert!((interval.high / half - 1.0).abs() < 0.08, "{n}: {interval:?} {half}");
}

#[test]
fn two_to_hundreds_of_runs_have_an_interval() {
    let how = Resampling { count: 300, seed: 1 };
    for n in [1, 2, 3, 6, 7, 10, 11, 50, 300] {
        let (a, b) = (normal_values(n, 0.02), normal_values(n, 0.03));
        let (a, b) = (Sample::new(a).expect("numbers"), Sample::new(b).expect("numbers"));
        for across in [Across::MEAN, Across::MEDIAN] {
            for method in [Method::Calibrated, Method::Percentile, Method::Bca, Method::Welch] {
                let found = TwoSample::new(&a, &b, across, how).curve(Scale::Log, method);
                let what = format!("{n} {across:?} {method:?}");
                if n == 1 {
                    assert_eq!(found.err(), Some(Undefined::TooFewRuns), "{what}");
                    continue;
                }
                let interval =
                    found.unwrap_or_else(|reason| panic!("{what}: {reason}")).interval(0.95);
                assert!(
                    interval.low < interval.high && interval.low.is_finite(),
                    "{what} {interval:?}"
                );
            }
        }
    }
    many_runs_give_the_normal_interval(100);
}

fn slow() -> bool {
    std::env::var_os("BEYONDNOISE_SLOW").is_some_and(|value| value != "0")
}

#[test]
fn a_million_runs_have_an_interval() {
    // A minute in a release build.
    if slow() {
        many_runs_give_the_normal_interval(1_000_000);
    }
}

/// Rows of a variant and a value. The values of one are those of the other times 1.01, so that its mean, its median
/// and its P99 are too.
#[test]
fn a_table_of_many_rows_is_compared_by_any_statistic() {
    let rows = if slow() { 1_000_000 } else { 20_000 };
    let mut table = "variant,value\n".to_owned();
    for (variant, factor) in [("before", 50.0), ("after", 50.5)] {
        for value in normal_values(rows, 0.02) {
            writeln!(table, "{variant},{}", value * factor).expect("text");
        }
    }
    let files = [File { variant: None, name: "many.csv", bytes: table.as_bytes() }];
    let dataset = load_bytes(&files, &Options::default()).expect("a table").dataset;
    for across in [Across::MEAN, Across::MEDIAN, Across::quantile(0.99)] {
        let metrics = vec![Selected { name: "value".to_owned(), better: Some(Better::Lower) }];
        let policy = Policy { across, selected: metrics, ..Policy::default() };
        let report = analyse(&dataset, Some("before"), None, &policy).expect("a comparison");
        let row = &report.comparisons[0].metrics[0];
        let [low, high] = row.delta.relative_ci.expect("an interval");
        let relative = row.delta.relative.expect("a change");
        let what = format!("{across:?}: {low} {relative} {high}");
        assert!((relative - 0.01).abs() < 1e-9 && low < 0.01 && high > 0.01, "{what}");
        // Two standard errors of a P99 of 20,000 runs: 0.02 x sqrt(0.99 x 0.01 x 2 / n) / 0.0267.
        assert!(high - low < 4.5 * 0.02 * (2.0 / f64::from(rows)).sqrt() * 3.74, "{what}");
    }
}
