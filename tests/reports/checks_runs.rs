//! Checks of the runs themselves: each fires at its threshold and not just below, what would flip the verdict
//! is said and changes no number, and clean noise seldom warns.

use beyondnoise::analysis::analyse;
use beyondnoise::checks::Severity;
use beyondnoise::policy::Policy;
use beyondnoise::read::{Options, load};
use beyondnoise::render::{self, TextOptions};
use beyondnoise::report::{self, Check, Comparison};
use beyondnoise::runs::{Dataset, ITERATIONS, OF_REQUESTS, Run, Setting, Source, Value, Workload};
use beyondnoise::stats::Across;
use beyondnoise::verdict::Headline;

/// A run of a variant; runs are made by turns where `started` is given.
fn run(variant: &str, position: usize, metrics: &[(&str, f64)]) -> Run {
    let value = |(name, value): &(&str, f64)| {
        ((*name).to_owned(), Value { value: *value, resolution: 1e-9 })
    };
    Run {
        variant: variant.to_owned(),
        source: Source { path: "runs.csv".into(), position, counts: "line" },
        workload: Workload {
            max_concurrency: Setting::Value(8.0),
            requests: Some(2000),
            input_tokens: Some(64_000),
            ..Workload::default()
        }
        .into(),
        metrics: metrics.iter().map(value).collect(),
        ..Run::default()
    }
}

/// Runs of two variants with these values of one metric each.
fn two(metric: &str, before: &[f64], after: &[f64]) -> Vec<Run> {
    let of = |variant: &'static str, values: &[f64], from: usize| -> Vec<Run> {
        let runs = values.iter().enumerate();
        runs.map(|(k, value)| run(variant, from + k, &[(metric, *value)])).collect()
    };
    [of("before", before, 2), of("after", after, 100)].concat()
}

fn compared(runs: Vec<Run>) -> Comparison {
    all_compared(runs).into_iter().next().expect("a comparison")
}

fn all_compared(runs: Vec<Run>) -> Vec<Comparison> {
    compared_by(runs, &Policy::default())
}

fn compared_by(runs: Vec<Run>, policy: &Policy) -> Vec<Comparison> {
    let dataset = Dataset::assemble(runs, Vec::new());
    analyse(&dataset, None, None, policy).expect("a comparison").comparisons
}

fn found<'a>(comparison: &'a Comparison, id: &str) -> Option<&'a Check> {
    comparison.checks.iter().find(|check| check.id.as_str() == id)
}

/// The check fires on these runs of throughput before; `after` is quiet and the same each time.
fn of_before(id: &str, before: &[f64]) -> Option<Check> {
    let after = [100.3, 99.8, 100.6, 99.5, 100.1, 100.4, 99.7, 99.9];
    found(&compared(two("request_throughput", before, &after)), id).cloned()
}

#[test]
fn values_that_are_all_the_same_or_two_printed_ones_look_averaged() {
    let check = of_before("pre-averaged", &[100.0, 100.0, 100.0]).expect("no variance");
    assert_eq!(check.severity, Severity::Warn);
    assert!(check.message.contains("copies, or averages"), "{}", check.message);
    assert!(of_before("pre-averaged", &[100.0, 100.0, 100.1]).is_none());
    // Printed to 0.1: two neighbouring values are coarse, three are not.
    let printed = |before: &[f64]| {
        let mut runs = two("request_throughput", before, &[99.0, 101.0, 100.4]);
        for value in runs.iter_mut().flat_map(|run| run.metrics.values_mut()) {
            value.resolution = 0.05;
        }
        found(&compared(runs), "pre-averaged").cloned()
    };
    let check = printed(&[100.0, 100.1, 100.0]).expect("two values");
    assert_eq!(check.evidence["levels"], 2);
    assert!(printed(&[100.0, 100.1, 100.2]).is_none());
    // Two runs one digit apart are no pattern.
    assert!(printed(&[100.0, 100.1]).is_none());
}

#[test]
fn rows_of_requests_and_iterations_of_one_process_are_no_repeats() {
    let mut rows = two("request_throughput", &[100.0, 101.0, 99.5], &[105.0, 106.0, 105.5]);
    for (k, run) in rows.iter_mut().enumerate() {
        run.metadata.insert("Request_ID".into(), format!("r{k}"));
    }
    let comparison = compared(rows.clone());
    assert_eq!(found(&comparison, "per-request-rows").expect("requests").severity, Severity::Block);
    assert_eq!(comparison.headline, Headline::NoVerdict);
    // One request of each run, the first, numbers nothing.
    for run in &mut rows {
        run.metadata.insert("Request_ID".into(), "r0".into());
    }
    assert!(found(&compared(rows), "per-request-rows").is_none());

    let processes = |before: &[f64], after: &[f64]| {
        let mut runs = two("request_throughput", before, after);
        for run in &mut runs {
            run.metadata.insert(ITERATIONS.into(), "30".into());
        }
        compared(runs)
    };
    let single = processes(&[100.0], &[105.0, 106.0, 105.5]);
    let check = found(&single, "per-request-rows").expect("one process");
    assert_eq!(check.severity, Severity::Block);
    assert!(
        check.message.contains("before is one process: its 30 iterations"),
        "{}",
        check.message
    );
    let mut rows = two("request_throughput", &[100.0], &[105.0]);
    for (run, requests) in rows.iter_mut().zip([1000, 800]) {
        run.metadata.insert(ITERATIONS.into(), format!("{requests} {OF_REQUESTS}"));
    }
    let single = compared(rows);
    let check = found(&single, "per-request-rows").expect("requests of one run");
    assert_eq!(check.severity, Severity::Block);
    assert_eq!(
        check.message,
        "The 1000 rows of before and the 800 rows of after are requests of one run each, not repeats: make \
         several runs and name them in a column \"run\"."
    );
    let several = processes(&[100.0, 101.0], &[105.0, 106.0]);
    let check = found(&several, "per-request-rows").expect("a note");
    assert_eq!(check.severity, Severity::Note);
    assert_ne!(several.headline, Headline::NoVerdict);
}

/// Later values 99 100 101 102 (throughput): median 100.5, MAD 1, so the first is slow below 99 - 3 x 1.4826 =
/// 94.55. Of three: below 99 - 10 % of 99.5 = 89.05.
#[test]
fn a_slow_first_run_is_clear_of_all_others() {
    let check = of_before("slow-first-run", &[94.5, 99.0, 101.0, 100.0, 102.0]).expect("slow");
    assert_eq!(check.evidence["order"], "places");
    assert!(check.message.contains("no start is known"), "{}", check.message);
    assert!(of_before("slow-first-run", &[94.6, 99.0, 101.0, 100.0, 102.0]).is_none());
    assert!(of_before("slow-first-run", &[89.0, 99.0, 100.0]).is_some());
    assert!(of_before("slow-first-run", &[89.1, 99.0, 100.0]).is_none());
    // A fast first run, and a slow one that is not the first.
    assert!(of_before("slow-first-run", &[120.0, 99.0, 101.0, 100.0, 102.0]).is_none());
    assert!(of_before("slow-first-run", &[99.0, 80.0, 101.0, 100.0, 102.0]).is_none());
}

/// By hand and scipy.stats.t.sf(g t, 3) on logarithms, with the noise of both variants and g of their degrees of
/// freedom; a share of 2 / 10 of the level over two series, since 5 and 8 runs have no cold cache and no order.
#[test]
fn a_slow_first_run_that_chance_explains_is_a_note_and_one_beyond_it_warns() {
    let warns = of_before("slow-first-run", &[80.0, 99.0, 101.0, 100.0, 102.0]).expect("slow");
    assert_eq!(warns.severity, Severity::Warn);
    let p = warns.evidence["p_adjusted"].as_f64().expect("a number");
    assert!((p - 0.001_404_794_830_244_042_4).abs() < 1e-6, "{p}");
    let note = of_before("slow-first-run", &[94.5, 99.0, 101.0, 100.0, 102.0]).expect("slow");
    assert_eq!(note.severity, Severity::Note);
    let p = note.evidence["p_adjusted"].as_f64().expect("a number");
    assert!((p - 0.064_121_503_475_173_7).abs() < 1e-6, "{p}");
    assert!(note.message.contains("That can be chance."), "{}", note.message);
    // The noise of two later runs is hardly known, but that of the other variant is.
    let few = of_before("slow-first-run", &[89.0, 99.0, 100.0]).expect("slow");
    assert_eq!(few.severity, Severity::Warn);
}

/// One variant of single runs after the other, in one file.
fn cells(values: &[f64]) -> Vec<Comparison> {
    let names = ["baseline", "step 1", "step 2", "step 3", "step 4"];
    let one = |(k, value): (usize, &f64)| run(names[k], k + 1, &[("mean_ttft_ms", *value)]);
    all_compared(values.iter().enumerate().map(one).collect())
}

/// Others 99 100 101: range 2, so the first is extreme beyond 101 + 3 x 2; of three variants also beyond 10 %.
#[test]
fn the_first_of_several_cells_stands_out_where_the_rest_agree() {
    let fires = |values: &[f64]| found(&cells(values)[0], "first-cell-outlier").cloned();
    assert!(fires(&[107.1, 99.0, 100.0, 101.0]).is_some());
    let check = fires(&[110.0, 99.0, 100.0, 101.0]).expect("extreme");
    assert!(check.could_flip && check.severity == Severity::Warn);
    // Of three only: one degree of freedom.
    let note = fires(&[111.2, 100.0, 101.0]).expect("extreme");
    assert_eq!(note.severity, Severity::Note);
    assert!(note.message.ends_with("That can be chance."), "{}", note.message);
    assert!(fires(&[106.9, 99.0, 100.0, 101.0]).is_none());
    assert!(fires(&[92.9, 99.0, 100.0, 101.0]).is_some());
    assert!(fires(&[99.0, 107.1, 100.0, 101.0]).is_none());
    assert!(fires(&[111.2, 100.0, 101.0]).is_some());
    assert!(fires(&[111.0, 100.0, 101.0]).is_none());
    assert!(fires(&[130.0, 100.0]).is_none());
    // Comparisons without the first cell have nothing to fear.
    let later = cells(&[107.1, 99.0, 100.0, 101.0]);
    assert!(later.iter().all(|comparison| found(comparison, "first-cell-outlier").is_some()));
}

#[test]
fn a_first_run_that_filled_the_cache_is_told_apart_from_a_cold_start() {
    let with = |ttft: f64, tpot: f64, tokens: Option<u64>| {
        let mut runs: Vec<Run> = [(ttft, tpot), (60.0, 10.0), (61.0, 10.1), (59.5, 9.9)]
            .iter()
            .enumerate()
            .map(|(k, (ttft, tpot))| {
                run("before", k + 1, &[("mean_ttft_ms", *ttft), ("mean_tpot_ms", *tpot)])
            })
            .collect();
        for k in 0..4 {
            let (ttft, tpot) = (60.2 + 0.3 * f64::from(k), 10.02 + 0.02 * f64::from(k));
            let position = 50 + usize::try_from(k).expect("small");
            runs.push(run("after", position, &[("mean_ttft_ms", ttft), ("mean_tpot_ms", tpot)]));
        }
        for run in &mut runs {
            run.workload.input_tokens = tokens;
        }
        compared(runs)
    };
    // The median of the later runs is 60: 1.5 times that is 90. TPOT is alike up to 11.
    let cold = with(90.1, 10.9, Some(64_000));
    assert!(found(&cold, "cache-warm").is_some() && found(&cold, "slow-first-run").is_none());
    assert!(found(&with(89.9, 10.9, Some(64_000)), "cache-warm").is_none());
    let slow = with(90.1, 11.1, Some(64_000));
    assert!(found(&slow, "cache-warm").is_none() && found(&slow, "slow-first-run").is_some());
    assert!(found(&with(90.1, 10.9, None), "cache-warm").is_none());
}

/// Three values m - d, m, m + d have the CV d / m. Without the farthest run 5 % shows as much in 25 % of cases.
#[test]
fn noise_is_told_from_five_percent_on_and_broken_from_ten() {
    assert!(of_before("noisy", &[95.1, 100.0, 104.9]).is_none());
    let noisy = of_before("noisy", &[94.9, 100.0, 105.1]).expect("noisy");
    assert!(noisy.message.contains("only large changes"), "{}", noisy.message);
    assert!(!noisy.could_flip && noisy.severity == Severity::Note);
    let broken = of_before("noisy", &[89.9, 100.0, 110.1]).expect("broken");
    assert!(
        broken.message.contains("check for mixed configurations or other jobs"),
        "{}",
        broken.message
    );
    let eight = of_before("noisy", &[85.0, 110.0, 92.0, 116.0, 100.0, 87.0, 112.0, 98.0]);
    assert_eq!(eight.expect("broken").severity, Severity::Warn);
}

/// Values 98 99 100 101 x: median 100, MAD 1, so x is apart beyond 100 + 3.5 / 0.6745 = 105.19.
#[test]
fn a_run_apart_is_told_with_the_verdict_without_it() {
    let apart = of_before("outlier-run", &[99.0, 100.0, 105.2, 98.0, 101.0]).expect("apart");
    assert_eq!(apart.severity, Severity::Note);
    assert!(
        apart.message.contains("line 4 (+5.2 % from its median, modified z +3.5)"),
        "{}",
        apart.message
    );
    assert!(of_before("outlier-run", &[99.0, 100.0, 105.1, 98.0, 101.0]).is_none());
    // Four runs tell no outlier.
    assert!(of_before("outlier-run", &[99.0, 100.0, 150.0, 101.0]).is_none());
    // scipy.stats.t: 20 / (1.290994 sqrt(1.25)) = 13.86 at 3 degrees of freedom, p = 0.00081, five times that.
    let far = of_before("outlier-run", &[99.0, 100.0, 119.5, 98.0, 101.0]).expect("apart");
    assert_eq!(far.severity, Severity::Warn);
}

/// A reported number does not depend on what is suspected; the message says whether the verdict holds.
#[test]
fn what_would_flip_is_worked_out_and_changes_no_number() {
    let before = [100.0, 100.4, 99.6, 100.2, 99.8, 100.1];
    let after = [106.0, 106.4, 105.6, 92.0, 106.2, 105.8];
    let comparison = compared(two("request_throughput", &before, &after));
    let check = found(&comparison, "outlier-run").expect("apart");
    assert_eq!(comparison.headline, Headline::WithinNoise);
    assert!(check.could_flip && check.severity == Severity::Warn);
    assert!(
        check.message.contains("Without it the verdict is improved instead of within noise: "),
        "{}",
        check.message
    );
    let without = &check.evidence["without"];
    assert_eq!(without["left_out"], serde_json::json!(["runs.csv:103"]));
    assert_eq!(without["headline"], "improved");
    // The same as if the run had never been made.
    let alone = compared(two("request_throughput", &before, &[106.0, 106.4, 105.6, 106.2, 105.8]));
    let row = &alone.metrics[0];
    assert_eq!(without["metrics"][0]["relative"].as_f64(), row.delta.relative);
    assert_eq!(
        without["metrics"][0]["relative_ci"][0].as_f64(),
        row.delta.relative_ci.map(|ci| ci[0])
    );
    assert_eq!(without["metrics"][0]["p_adjusted"].as_f64(), row.p_adjusted);
    // All six runs are in the numbers of the report.
    let mean = after.iter().sum::<f64>() / 6.0;
    assert!((comparison.metrics[0].candidate.estimate - mean).abs() < 1e-9);

    // A clear change holds without the run.
    let after = [126.0, 126.4, 125.6, 112.0, 126.2, 125.8];
    let comparison = compared(two("request_throughput", &before, &after));
    let check = found(&comparison, "outlier-run").expect("apart");
    assert!(!check.could_flip);
    assert!(
        check.message.contains("Without it the verdict is still improved: "),
        "{}",
        check.message
    );
}

/// Halves six standard deviations apart.
#[test]
fn two_clusters_of_runs_are_two_modes() {
    let of = |gap: f64| -> Vec<f64> {
        let near = [0.0, 0.5, -0.6, 0.3, -0.2, 0.6, -0.4, 0.1, -0.1, 0.4];
        near.iter()
            .enumerate()
            .map(|(k, d)| 100.0 + d + if k % 2 == 0 { gap } else { 0.0 })
            .collect()
    };
    assert_eq!(
        of_before("two-modes", &of(4.0)).expect("modes").evidence["runs"],
        serde_json::json!([5, 5])
    );
    // Under the margin of 1 % it is a note.
    let close: Vec<f64> = of(4.0).iter().map(|x| 100.0 + (x - 100.0) / 5.0).collect();
    assert_eq!(of_before("two-modes", &close).expect("modes").severity, Severity::Note);
    assert!(of_before("two-modes", &of(0.0)).is_none());
    assert!(of_before("two-modes", &of(4.0)[..7]).is_none());
}

/// Beyond 300 runs more than one in a hundred far out is a tail: 4 of 400 are not, 5 are.
#[test]
fn far_runs_among_hundreds_are_a_tail() {
    let of = |far: usize, across: Across| {
        let mut values: Vec<f64> = (0..400).map(|k| 100.0 + f64::from(k % 11) / 10.0).collect();
        for (k, value) in values.iter_mut().rev().take(far).enumerate() {
            *value = 160.0 + k as f64;
        }
        let after: Vec<f64> = (0..400).map(|k| 100.0 + f64::from(k % 7) / 10.0).collect();
        let policy = Policy { across, ..Policy::default() };
        let mut runs = two("request_throughput", &values, &after);
        for (k, run) in runs.iter_mut().enumerate() {
            run.source.position = k + 2;
        }
        let all = compared_by(runs, &policy);
        found(&all[0], "outlier-run").cloned().expect("told")
    };
    let tail = of(5, Across::MEAN);
    assert_eq!(tail.severity, Severity::Note);
    assert_eq!(
        tail.message,
        "5 of 400 runs of before lie far from the median in request throughput: a long tail, not single runs \
         that went wrong. --across median is not affected by them."
    );
    assert_eq!(
        (tail.evidence["far"].as_u64(), tail.evidence["runs"].as_u64()),
        (Some(5), Some(400))
    );
    assert!(of(5, Across::MEDIAN).message.ends_with("not single runs that went wrong."));
    let apart = of(4, Across::MEAN);
    assert!(apart.evidence["modified_z"].as_array().is_some_and(|all| all.len() == 4), "{apart:?}");
}

/// Equal values are copies where their digits go further than a millionth of them, else coarse printing.
#[test]
fn equal_values_are_copies_or_printed_too_coarsely() {
    let of = |value: f64, resolution: f64| {
        let mut runs = two("request_throughput", &[value; 4], &[90.0, 91.0, 90.5, 91.5]);
        for run in runs.iter_mut().filter(|run| run.variant == "before") {
            let metrics =
                run.metrics.keys().map(|name| (name.to_owned(), Value { value, resolution }));
            run.metrics = metrics.collect();
        }
        found(&compared(runs), "pre-averaged").cloned().expect("told")
    };
    let copies = of(100.0, 0.000_05);
    assert!(
        copies.message.starts_with("All 4 runs of before have exactly the same"),
        "{}",
        copies.message
    );
    // By hand: 0.05 of 100 is 0.05 %.
    let coarse = of(100.0, 0.05);
    assert!(
        coarse.message.contains("are printed with the same request throughput")
            && coarse.message.contains("Half a digit, 0.05 %, is the least noise assumed"),
        "{}",
        coarse.message
    );
}

/// Four of nine runs far from the median are levels and no outliers.
#[test]
fn many_runs_apart_are_levels() {
    let levels = [100.0, 100.1, 99.9, 100.05, 99.95, 106.0, 112.0, 94.0, 88.0];
    let check = of_before("several-levels", &levels).expect("levels");
    assert!(check.message.contains("4 of 9 runs lie far from the median"), "{}", check.message);
    assert!(of_before("outlier-run", &levels).is_none());
    let one = [100.0, 100.1, 99.9, 100.05, 99.95, 100.12, 99.88, 100.02, 88.0];
    assert!(of_before("several-levels", &one).is_none());
    assert!(of_before("two-modes", &one).is_none() && of_before("outlier-run", &one).is_some());
}

/// Deviations 3 times as large have 9 times the variance; 2 scipy.stats.f.sf(9.30, 2, 2) = 0.194.
#[test]
fn noise_of_different_size_is_a_note_that_knows_what_chance_does() {
    let of = |spread: f64| {
        let runs = two(
            "request_throughput",
            &[99.0, 100.0, 101.0],
            &[100.0 - spread, 100.0, 100.0 + spread],
        );
        found(&compared(runs), "unequal-noise").cloned()
    };
    assert!(of(2.99).is_none());
    let check = of(3.05).expect("unequal");
    assert_eq!(check.severity, Severity::Note);
    assert!(
        check.message.contains("p = 0.19: among so few runs that is common by chance"),
        "{}",
        check.message
    );
}

#[test]
fn numbers_in_names_tell_an_order_where_no_start_is_known() {
    let named = |before: [usize; 3], after: [usize; 3]| {
        let mut runs = two("request_throughput", &[100.0, 101.0, 99.5], &[100.5, 99.9, 100.8]);
        for (run, number) in runs.iter_mut().zip([before, after].concat()) {
            run.source.path = format!("{}/run-{number:02}.json", run.variant).into();
        }
        found(&compared(runs), "order-confounded").cloned()
    };
    let check = named([1, 2, 3], [4, 5, 6]).expect("all before all");
    assert!(check.message.contains("by the numbers in their names"), "{}", check.message);
    assert!(named([1, 2, 4], [3, 5, 6]).is_none());
    // Numbers that start anew for each variant are no order of both.
    assert!(named([1, 2, 3], [1, 2, 3]).is_none());
}

/// TTFT drifts where the throughput, which leads, does not: 8 rising values, 2 / 8!.
#[test]
fn a_drift_of_any_deciding_metric_is_told() {
    let still = [0.3, -0.5, 0.1, 0.6, -0.2, -0.7, 0.4, 0.0];
    let of = |variant: &str, from: usize, slope: f64| -> Vec<Run> {
        let one = |(k, d): (usize, &f64)| {
            let metrics = [
                ("output_throughput", 100.0 + d + 0.01 * from as f64),
                ("mean_ttft_ms", 50.0 + 0.1 * d + slope * k as f64),
                ("mean_tpot_ms", 10.0 - 0.1 * d),
            ];
            run(variant, from + k, &metrics)
        };
        still.iter().enumerate().map(one).collect()
    };
    let rising = compared([of("before", 1, 0.0), of("after", 20, 1.0)].concat());
    let drift = found(&rising, "drift").expect("a drift");
    assert_eq!(drift.evidence["metric"], "mean_ttft_ms");
    let p = drift.evidence["p_adjusted"].as_f64().expect("a number");
    // A share of 2 of 10 over 9 trends: of each variant and of both in three metrics.
    assert!((p - 9.0 * 10.0 / 2.0 * 2.0 / 40_320.0).abs() < 1e-9, "{p}");
    assert!(
        found(&compared([of("before", 1, 0.0), of("after", 20, 0.0)].concat()), "drift").is_none()
    );
}

/// Values of a metric in one run of a variant stop that metric alone.
#[test]
fn a_metric_of_one_run_is_too_few_for_it() {
    let mut runs = two("request_throughput", &[100.0, 101.0, 99.5], &[105.0, 106.0, 105.5]);
    for (k, run) in runs.iter_mut().enumerate() {
        if k < 3 || k == 4 {
            let ttft = Value { value: 50.0 + k as f64, resolution: 1e-9 };
            run.metrics.insert("mean_ttft_ms", ttft);
        }
    }
    let comparison = compared(runs);
    let check = found(&comparison, "too-few-runs").expect("one value");
    assert_eq!(
        check.message,
        "Mean TTFT is in 1 of 3 runs of after: the run-to-run noise is not known."
    );
    assert_eq!(comparison.headline, Headline::Improved);
    let text = render::text(&in_report(comparison), TextOptions::default());
    assert!(text.contains("stop: Mean TTFT is in 1 of 3 runs"), "{text}");
}

fn in_report(comparison: Comparison) -> report::Report {
    let runs = two("request_throughput", &[100.0, 101.0], &[105.0, 106.0]);
    let dataset = Dataset::assemble(runs, Vec::new());
    let mut whole = analyse(&dataset, None, None, &Policy::default()).expect("a report");
    whole.comparisons = vec![comparison];
    whole
}

/// scipy 1.17: the e at which scipy.stats.nct.sf(t, 6, e / (cv (2 / 4)**0.5)) = 0.8, t = scipy.stats.t.ppf(1 -
/// alpha / 2, 6), cv the pooled standard deviation of the logarithms, at alpha 0.05 and 0.05 / 3; expm1 of it.
#[test]
fn few_runs_resolve_less_where_three_metrics_share_alpha() {
    let values = [100.0, 101.0, 99.5, 100.6];
    let of = |metrics: &[&str]| {
        let one = |variant: &str, from: usize| -> Vec<Run> {
            let runs = values.iter().enumerate();
            let metrics = |value: f64| {
                let value = value + 0.01 * from as f64;
                metrics.iter().map(|name| (*name, value)).collect::<Vec<_>>()
            };
            runs.map(|(k, value)| run(variant, from + k, &metrics(*value))).collect()
        };
        let comparison = compared([one("before", 1), one("after", 20)].concat());
        let check = found(&comparison, "low-resolution").expect("few runs").clone();
        let number = |name: &str| check.evidence[name].as_f64().expect("a number");
        (number("alpha"), number("detectable"))
    };
    let (alone, single) = of(&["output_throughput"]);
    let (shared, three) = of(&["output_throughput", "mean_ttft_ms", "mean_tpot_ms"]);
    assert!((alone - 0.05).abs() < 1e-12 && (shared - 0.05 / 3.0).abs() < 1e-12);
    assert!((single - 0.016_664_303).abs() < 1e-7, "{single}");
    assert!((three - 0.022_001_655).abs() < 1e-7, "{three}");
}

#[test]
fn at_most_three_warnings_before_the_fold_those_first_that_could_flip() {
    // Noisy, all of one before all of the other, few runs, a copy: four warnings.
    let mut runs = two("request_throughput", &[90.0, 100.0, 112.0], &[101.0, 88.0, 113.0]);
    for (k, run) in runs.iter_mut().enumerate() {
        run.info.started = Some(format!("2026-01-01T10:{k:02}:00"));
        run.info.failed = Some(1);
    }
    let comparison = compared(runs);
    let warnings: Vec<&Check> =
        comparison.checks.iter().filter(|check| check.severity == Severity::Warn).collect();
    assert!(warnings.len() > 3, "{warnings:?}");
    let flips: Vec<bool> = warnings.iter().map(|check| !check.could_flip).collect();
    assert!(flips.is_sorted() && flips[0] != flips[flips.len() - 1], "{warnings:?}");
    let hidden = format!("and {} more warning", warnings.len() - 3);
    let report = in_report(comparison.clone());
    let text = |verbose| render::text(&report, TextOptions { verbose, ..TextOptions::default() });
    assert_eq!(text(false).matches("warning: ").count(), 3);
    assert!(text(false).contains(&hidden), "{}", text(false));
    assert_eq!(text(true).matches("warning: ").count(), warnings.len());
    let markdown = render::markdown(&report);
    let (shown, folded) = markdown.split_once("<details>").expect("a fold");
    assert_eq!(shown.matches("⚠️").count(), 3);
    assert!(folded.contains(&warnings[3].message[..30]), "{markdown}");
}

/// The notes hold five steps of one run each; the baseline, which came first, has the slow TTFT.
#[test]
fn the_first_cell_of_the_notes_is_told() {
    let path = "data/notes/two-workloads-five-steps.txt".to_owned();
    let loaded = load(&[path], &Options::default()).expect("notes");
    let report = analyse(&loaded.dataset, None, None, &Policy::default()).expect("comparisons");
    // 16 requests in flight; the other workload is a saturated open loop, where TTFT decides nothing.
    for comparison in &report.comparisons {
        let closed = comparison.workload.max_concurrency == Setting::Value(16.0);
        let check = found(comparison, "first-cell-outlier");
        assert_eq!(check.is_some(), closed);
        if let Some(check) = check {
            assert_eq!(check.evidence["metric"], "mean_ttft_ms");
        }
    }
}

/// Of 300 clean comparisons of 5 pairs at most 5 % warn of a run; Binomial(300, 0.05) has a standard deviation of 3.8.
#[test]
fn clean_pairs_seldom_warn() {
    use rand::{RngExt, SeedableRng};
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
    let mut normal = || {
        let (radius, angle) = (1.0 - rng.random::<f64>(), rng.random::<f64>());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    };
    for across in [Across::MEAN, Across::MEDIAN] {
        let policy = Policy { paired: true, across, ..Policy::default() };
        let mut warned = 0;
        for _ in 0..300 {
            let mut values = || -> Vec<f64> { (0..5).map(|_| 100.0 + 2.0 * normal()).collect() };
            let mut runs = two("request_throughput", &values(), &values());
            for (k, run) in runs.iter_mut().enumerate() {
                run.info.pair = Some(format!("{}", k % 5));
            }
            let comparison = compared_by(runs, &policy).swap_remove(0);
            let of_runs = ["outlier-run", "slow-first-run", "drift", "two-modes", "noisy"];
            let told = |check: &Check| {
                check.severity == Severity::Warn && of_runs.contains(&check.id.as_str())
            };
            warned += u32::from(comparison.checks.iter().any(told));
        }
        assert!(warned <= 22, "{across:?}: {warned} of 300");
    }
}

/// An outlier by less than the margin is none, though its modified z-score is large: beside 90 the 99.7 is not told, which is 0.3 %
/// off.
#[test]
fn an_outlier_is_farther_off_than_the_margin() {
    let check = of_before("outlier-run", &[99.99, 100.0, 99.7, 100.01, 100.02, 90.0]);
    let check = check.expect("an outlier");
    assert_eq!(check.evidence["modified_z"].as_array().map(Vec::len), Some(1));
    assert!(check.message.starts_with("before has an outlier in"), "{}", check.message);
    assert!(of_before("outlier-run", &[99.99, 100.0, 99.7, 100.01, 100.02]).is_none());
}
