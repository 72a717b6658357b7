//! Runs that failed count nowhere: with or without them, every statistic is the same.

use beyondnoise::analysis::{analyse, batch};
use beyondnoise::noise::noise;
use beyondnoise::policy::{Base, Policy, Slo};
use beyondnoise::render::{self, TextOptions};
use beyondnoise::report::Report;
use beyondnoise::runs::{Dataset, Run, Setting, Source};
use proptest::prelude::*;

const METRICS: [&str; 4] = ["output_throughput", "mean_ttft_ms", "p99_itl_ms", "gizmo_ms"];

/// Where a run of a random dataset stands, and its values.
#[derive(Clone, Debug)]
struct Row {
    variant: &'static str,
    cap: f64,
    values: Vec<f64>,
    failure: Option<String>,
    /// Whether the input has the settings of a run that failed.
    is_whole: bool,
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let variant = prop::sample::select(vec!["main", "pr", "other"]);
    let cap = prop::sample::select(vec![8.0, 16.0]);
    // One in three failed; such a run may have any values, or none.
    let failure = prop_oneof![
        2 => Just(None),
        1 => prop::sample::select(vec!["status = failed", "exit_code = 137"])
            .prop_map(|why: &str| Some(why.to_owned())),
    ];
    let row =
        (variant, cap, prop::collection::vec(1.0..1e6, 4), failure, 0..5_usize, any::<bool>());
    let row = row.prop_map(|(variant, cap, values, failure, few, is_whole)| {
        let count = if failure.is_some() { few.min(4) } else { 4 };
        Row { variant, cap, values: values[..count].to_vec(), failure, is_whole }
    });
    prop::collection::vec(row, 1..40)
}

fn dataset(rows: &[Row]) -> Dataset {
    let runs = rows.iter().enumerate().map(|(at, row)| {
        let values = METRICS.iter().copied().zip(row.values.iter().copied());
        let mut run = Run::new(row.variant, values);
        run.source = Source { path: "runs.csv".into(), position: at + 2, counts: "line" };
        if row.failure.is_none() || row.is_whole {
            run.workload.max_concurrency = Setting::Value(row.cap);
        }
        run.info.failure.clone_from(&row.failure);
        run
    });
    Dataset::assemble(runs.collect(), Vec::new())
}

/// All numbers of the comparisons that have a row, by workload and variants; verdicts may be stopped by the failures.
fn numbers(report: &Report) -> Vec<String> {
    let of = |one: &beyondnoise::report::Comparison| {
        let rows = one.metrics.iter().map(|row| {
            let sides = [&row.baseline, &row.candidate].map(|side| (side.n, &side.values, side.cv));
            format!("{} {sides:?} {:?} {:?}", row.metric, row.delta.relative_ci, row.p_value)
        });
        let names =
            (&one.baseline.name, one.baseline.runs, &one.candidate.name, one.candidate.runs);
        let rows: Vec<String> = rows.collect();
        format!("{names:?} {}\n{}", one.workload.describe(), rows.join("\n"))
    };
    let compared = report.comparisons.iter().filter(|one| !one.metrics.is_empty());
    let mut all: Vec<String> = compared.map(of).collect();
    all.sort();
    all
}

/// Both variants at these loads, 4 runs each; those of pr failed at the last load.
fn failing_at_the_last(caps: &[f64]) -> Dataset {
    let mut runs = Vec::new();
    for cap in caps {
        for (variant, faster) in [("main", 1.0), ("pr", 1.05)] {
            for k in 0..4 {
                let value = cap * 100.0 * faster + 0.13 * f64::from(k);
                let mut run = Run::new(variant, [("output_throughput", value)]);
                run.source =
                    Source { path: "runs.csv".into(), position: runs.len() + 2, counts: "line" };
                run.workload.max_concurrency = Setting::Value(*cap);
                if variant == "pr" && Some(cap) == caps.last() {
                    run.info.failure = Some("status = OOM".to_owned());
                }
                runs.push(run);
            }
        }
    }
    Dataset::assemble(runs, Vec::new())
}

/// S2. Where pr failed at one load, nothing is claimed of the others.
#[test]
fn failures_at_one_load_or_in_one_cell_come_before_any_claim() {
    let data = failing_at_the_last(&[8.0, 16.0, 32.0]);
    let report = analyse(&data, Some("main"), None, &Policy::default()).expect("a sweep");
    let text = render::text(&report, TextOptions::default());
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "Runs failed: 0 of 4 in main, 4 of 4 in pr.",
        "Next: find out why runs failed at 32 in flight, before you claim anything.",
    ] {
        assert!(words.contains(part), "{text}");
    }
    assert!(!words.contains("PR title"), "{text}");
    let base = Base::Label("main".to_owned());
    let report = batch(&data, None, &[], Some(&base), &Policy::default()).expect("a batch");
    let text = render::text(&report, TextOptions::default());
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let next = "Next: find out why runs failed in max_concurrency 32, before you claim anything.";
    assert!(words.contains("Runs failed: 0 of 4 in main, 4 of 4 in pr."), "{text}");
    assert!(words.contains("(1 failed runs)") && words.contains(next), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// S2.
    #[test]
    fn no_run_that_failed_is_in_a_statistic(rows in rows()) {
        let good: Vec<Row> = rows.iter().filter(|row| row.failure.is_none()).cloned().collect();
        let (all, good) = (dataset(&rows), dataset(&good));
        let policy = Policy::default();
        // Without a variant of that name there is nothing to compare.
        let reports = [&all, &good].map(|data| analyse(data, Some("main"), None, &policy));
        if let [Ok(all), Ok(good)] = &reports {
            prop_assert_eq!(numbers(all), numbers(good));
        } else {
            prop_assert!(reports[1].is_err());
        }
        let noises = [&all, &good].map(|data| noise(data, &policy).map(|report| {
            let of = |repeats: &beyondnoise::noise::Repeats| {
                let of = |row: &beyondnoise::noise::MetricNoise| format!("{row:?}");
                (repeats.variant.clone(), repeats.metrics.iter().map(of).collect::<Vec<_>>())
            };
            report.repeats.iter().map(of).collect::<Vec<_>>()
        }).ok());
        prop_assert_eq!(&noises[0], &noises[1]);
        // A capacity, every variant against the one before, and all forms: nothing panics.
        let limit = Slo { metric: "p99_itl_ms".to_owned(), below: true, inclusive: false, value: 5e5 };
        let limited = Policy { slo: vec![limit], ..Policy::default() };
        for base in ["main", "previous"] {
            let Ok(report) = analyse(&all, Some(base), None, &limited) else { continue };
            prop_assert!(!render::text(&report, TextOptions::default()).is_empty());
            prop_assert!(!render::markdown(&report).is_empty() && !render::csv(&report).is_empty());
        }
        // Each of them stands somewhere, once.
        let variants = || all.groups.iter().flat_map(|group| &group.variants);
        let failed: usize = variants().map(|variant| variant.failed.len()).sum();
        prop_assert_eq!(failed, rows.iter().filter(|row| row.failure.is_some()).count());
        prop_assert!(all.runs().all(|(.., run)| run.info.failure.is_none()));
    }
}
