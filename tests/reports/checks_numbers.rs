//! The numbers that each check found: all of its evidence, worked out by hand beside it.

use beyondnoise::analysis::analyse;
use beyondnoise::checks::Severity::{self, Block, Note, Warn};
use beyondnoise::policy::Policy;
use beyondnoise::report::{Check, Comparison};
use beyondnoise::runs::{Dataset, MachineState, Run, Setting, Source, Value, Workload};
use beyondnoise::verdict::Headline;
use serde_json::{Value as Json, json};

/// A run of a variant with these metrics, printed to nine digits.
fn run(variant: &str, metrics: &[(&str, f64)]) -> Run {
    let value = |(name, value): &(&str, f64)| {
        ((*name).to_owned(), Value { value: *value, resolution: 1e-9 })
    };
    let metrics = metrics.iter().map(value).collect();
    Run { variant: variant.to_owned(), metrics, ..Run::default() }
}

/// The runs of a variant, one for every value of one metric.
fn runs(variant: &str, metric: &str, values: &[f64]) -> Vec<Run> {
    values.iter().map(|value| run(variant, &[(metric, *value)])).collect()
}

fn throughputs(before: &[f64], after: &[f64]) -> Vec<Run> {
    let [a, b] = [("before", before), ("after", after)]
        .map(|(variant, values)| runs(variant, "request_throughput", values));
    [a, b].concat()
}

/// Runs that were changed in some way, each by its place among those of its variant.
fn with(mut runs: Vec<Run>, change: impl Fn(&mut Run, usize)) -> Vec<Run> {
    let mut places = std::collections::BTreeMap::new();
    for run in &mut runs {
        let place = places.entry(run.variant.clone()).or_insert(0);
        change(run, *place);
        *place += 1;
    }
    runs
}

fn compared_by(mut runs: Vec<Run>, policy: &Policy) -> Comparison {
    for (place, run) in runs.iter_mut().enumerate() {
        run.source = Source { path: "runs.csv".into(), position: place + 2, counts: "line" };
    }
    let dataset = Dataset::assemble(runs, Vec::new());
    let report = analyse(&dataset, Some("before"), None, policy).expect("a comparison");
    report.comparisons.into_iter().next().expect("a comparison")
}

fn compared(runs: Vec<Run>) -> Comparison {
    compared_by(runs, &Policy::default())
}

fn found<'a>(comparison: &'a Comparison, id: &str) -> Option<&'a Check> {
    comparison.checks.iter().find(|check| check.id.as_str() == id)
}

/// Whether two documents agree, their numbers to nine digits.
fn close(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            (a - b).abs() <= 1e-9 * b.abs().max(1.0)
        }
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| b.get(key).is_some_and(|b| close(value, b)))
        }
        _ => a == b,
    }
}

/// The check stands in the comparison with this severity, these numbers and these words.
#[track_caller]
fn says(comparison: &Comparison, id: &str, severity: Severity, evidence: &Json, words: &[&str]) {
    let check = found(comparison, id).unwrap_or_else(|| panic!("{id} is not told"));
    assert_eq!(check.severity, severity, "{id}");
    let mut told = check.evidence.clone();
    // The verdict without the suspects is that of the smaller comparison; what chance does has tests of its own.
    told.remove("without");
    told.remove("p_adjusted");
    let told = json!(told);
    assert!(close(&told, evidence), "{id}: {told} and not {evidence}");
    for words in words {
        assert!(check.message.contains(words), "{id}: no \"{words}\" in {}", check.message);
    }
}

#[track_caller]
fn quiet(comparison: &Comparison, id: &str) {
    assert!(found(comparison, id).is_none(), "{id}: {:?}", found(comparison, id));
}

/// SciPy 1.17.1, `brentq` of `nct.sf(t.ppf(0.975, df), df, d / cv / sqrt(2 / 5)) + nct.cdf(-t.ppf(0.975, df), ...) - 0.8` with
/// df = 2 x 4 x 5 / 6: five runs of each, the four of the next step with the one there is. S10: a note said 32 runs, and the
/// next step 4.
#[test]
fn one_run_each_has_a_noise_at_which_its_change_is_even() {
    let one = compared(throughputs(&[100.0], &[110.0]));
    // ln(1.1) / (1.959964 x sqrt 2)
    let even = 1.1_f64.ln() / (1.959_963_984_540_054 * 2_f64.sqrt());
    let evidence = json!({"baseline_runs": 1, "candidate_runs": 1, "break_even_cv": even});
    says(&one, "too-few-runs", Block, &evidence, &["One run each"]);
    let evidence = json!({"metric": "request_throughput", "noise": [0.01, 0.02, 0.05],
                          "alpha": 0.05, "runs": [5, 5, 5],
                          "detectable": [0.021_079_012_142, 0.042_602_349_038, 0.109_932_958_793]});
    let words = ["With 5 runs of each, 4 more than now", "from 2.1 % on at 1 %", "11.0 % at 5 %"];
    says(&one, "runs-to-plan", Note, &evidence, &words);
    assert!(one.next_step.starts_with("4 more runs of each"), "{}", one.next_step);
    let more = compared(throughputs(&[100.0], &[110.0, 111.0]));
    // The mean of two is 110.5, and the noise of one run and of a mean of two is sqrt(1 + 1/2) times that of a run.
    let even = 1.105_f64.ln() / (1.959_963_984_540_054 * 1.5_f64.sqrt());
    let evidence = json!({"baseline_runs": 1, "candidate_runs": 2, "break_even_cv": even});
    says(&more, "too-few-runs", Block, &evidence, &["before has one run"]);
    quiet(&more, "runs-to-plan");
}

/// Throughputs of two variants, with some more runs of each that failed.
fn with_failed(runs: [usize; 2], failed: [usize; 2]) -> Vec<Run> {
    let values = |runs: usize| (0..runs).map(|k| 10.0 + 0.01 * k as f64).collect::<Vec<f64>>();
    let mut all = throughputs(&values(runs[0]), &values(runs[1]));
    for (side, variant) in ["before", "after"].into_iter().enumerate() {
        for k in 0..failed[side] {
            // Ten times as fast: it would win.
            let mut run = Run::new(variant, [("request_throughput", 100.0)]);
            run.info.failure = Some(format!("exit_code = {}", 130 + k));
            all.push(run);
        }
    }
    all
}

/// S2. By hand: 3 of 6 against 0 of 6 are 3 runs and a half beyond the other's share.
#[test]
fn runs_that_failed_are_named_and_stop_the_verdict_where_one_variant_has_more() {
    let found = compared(with_failed([6, 6], [0, 3]));
    let listed = |k: usize| {
        json!({"variant": "after", "where": format!("runs.csv:{}", 14 + k), "name": null,
               "reason": format!("exit_code = {}", 130 + k)})
    };
    let evidence = json!({"baseline_failed": 0, "candidate_failed": 3, "baseline_attempts": 6,
                          "candidate_attempts": 9, "failed": [listed(0), listed(1), listed(2)]});
    let words = [
        "Runs failed: 0 of 6 in before, 3 of 9 in after. Not counted: runs.csv:14: exit_code = 130; ",
    ];
    says(&found, "failed-runs", Block, &evidence, &words);
    assert_eq!(found.headline, Headline::NotComparable);
    assert_eq!(found.summary, "not comparable: runs failed: 0 of 6 in before, 3 of 9 in after");
    assert_eq!([found.baseline.failed, found.candidate.failed], [0, 3]);
    assert_eq!([found.baseline.runs, found.candidate.runs], [6, 6]);
    assert!(found.metrics.iter().all(|row| row.candidate.values.iter().all(|value| *value < 11.0)));
}

/// S2. Two or more, and a tenth or more, beyond the share of the other variant: 2 of 20 and 0 of 20 stop, 2 of 21 and 1 of
/// 6 do not; 4 of 10 and 2 of 10 are two beyond the share, 4 of 10 and 3 of 10 one.
#[test]
fn few_failed_runs_are_a_warning_and_stop_a_title_where_the_variants_differ() {
    for (runs, failed, severity, flips) in [
        ([20, 18], [0, 2], Block, true),
        ([18, 20], [2, 0], Block, true),
        ([20, 19], [0, 2], Warn, true),
        ([6, 5], [0, 1], Warn, true),
        ([8, 6], [2, 4], Block, true),
        ([7, 6], [3, 4], Warn, true),
        ([5, 5], [1, 1], Warn, false),
        ([6, 4], [3, 2], Warn, false),
    ] {
        let found = compared(with_failed(runs, failed));
        let check = found.checks.iter().find(|check| check.id.as_str() == "failed-runs");
        let check = check.expect("the check");
        assert_eq!((check.severity, check.could_flip), (severity, flips), "{runs:?} {failed:?}");
        assert!(found.may_claim.is_none() || !flips);
    }
    quiet(&compared(with_failed([5, 5], [0, 0])), "failed-runs");
}

/// S2. A variant that never succeeds is compared with nothing, and is not silent.
#[test]
fn a_variant_whose_runs_all_failed_is_reported() {
    let found = compared(with_failed([3, 0], [0, 1]));
    assert_eq!((found.candidate.runs, found.candidate.failed), (0, 1));
    assert_eq!((found.headline, found.metrics.len()), (Headline::NoVerdict, 0));
    assert!(told(&found).contains("Runs failed: 0 of 3 in before, 1 of 1 in after."));
    assert!(told(&found).contains("All runs of after failed: there is nothing to compare."));
    assert!(!told(&found).contains("Only before has"), "{}", told(&found));
    let none = compared(with_failed([0, 0], [2, 2]));
    assert_eq!((none.headline, none.metrics.len()), (Headline::NoVerdict, 0));
}

/// The messages of all checks.
fn told(comparison: &Comparison) -> String {
    let messages = comparison.checks.iter().map(|check| check.message.clone() + "\n");
    messages.collect()
}

#[test]
fn failures_are_counted_over_all_runs() {
    // 1 + 1 of 2 x 200 against 2 + 4 of 2 x 150.
    let failing = with(throughputs(&[10.0, 10.1], &[10.2, 10.3]), |run, place| {
        let counts =
            if run.variant == "before" { [(1, 199), (1, 199)] } else { [(2, 148), (4, 146)] };
        (run.info.failed, run.info.completed) = (Some(counts[place].0), Some(counts[place].1));
    });
    let evidence = json!({"baseline_failed": 2, "candidate_failed": 6,
                          "baseline_share": 0.005, "candidate_share": 0.02});
    let words = ["2 of 400 in before, 6 of 300 in after"];
    says(&compared(failing.clone()), "failed-requests", Block, &evidence, &words);
    // Where the requests that were sent are told, they are the whole: 2 of 10,000 on either side.
    let few = with(failing, |run, _| {
        run.workload.requests = Some(5000);
        run.info.failed = Some(1);
    });
    let evidence = json!({"baseline_failed": 2, "candidate_failed": 2,
                          "baseline_share": 0.0002, "candidate_share": 0.0002});
    says(&compared(few), "failed-requests", Warn, &evidence, &["2 of 10000 in after"]);
    // Of a side that does not count failures nothing is known.
    let half = with(throughputs(&[10.0, 10.1], &[10.2, 10.3]), |run, _| {
        if run.variant == "after" {
            (run.info.failed, run.info.completed) = (Some(1), Some(9999));
        }
    });
    let evidence = json!({"baseline_failed": null, "candidate_failed": 2,
                          "baseline_share": null, "candidate_share": 0.0001});
    says(&compared(half), "failed-requests", Block, &evidence, &["not known in before"]);
}

#[test]
fn tokens_are_means_of_the_runs() {
    let tokens = |before: [u64; 2], after: [u64; 2]| {
        compared(with(throughputs(&[10.0, 10.1], &[10.2, 10.3]), |run, place| {
            let counts = if run.variant == "before" { before } else { after };
            run.info.output_tokens = Some(counts[place]);
        }))
    };
    // 1016 / 1050 - 1 and 1066 / 1050 - 1
    let evidence = json!({"baseline_tokens": 1050.0, "candidate_tokens": 1016.0,
                          "change": -34.0 / 1050.0});
    let words = ["after generated 3.2 % fewer tokens (1016 against 1050 a run)"];
    says(&tokens([1000, 1100], [1000, 1032]), "output-tokens-drift", Block, &evidence, &words);
    let evidence = json!({"baseline_tokens": 1050.0, "candidate_tokens": 1066.0,
                          "change": 16.0 / 1050.0});
    let words = ["more tokens (1066 against 1050 a run)"];
    says(&tokens([1000, 1100], [1032, 1100]), "output-tokens-drift", Warn, &evidence, &words);
    quiet(&tokens([1000, 1100], [1000, 1110]), "output-tokens-drift");

    let prompts = with(throughputs(&[10.0, 10.1], &[10.2, 10.3]), |run, place| {
        let counts = if run.variant == "before" { [10_000, 10_010] } else { [10_050, 10_061] };
        run.workload.input_tokens = Some(counts[place]);
    });
    let evidence = json!({"baseline_tokens": 10005.0, "candidate_tokens": 10055.5,
                          "change": 50.5 / 10005.0});
    let words = ["10005 input tokens a run in before, 10055.5 in after", "0.5 % apart"];
    says(&compared(prompts), "input-tokens-differ", Warn, &evidence, &words);
}

/// 100 requests of 200 tokens: TTFT 100 ms and 199 times TPOT 10 ms are 2.09 s.
#[test]
fn requests_in_flight_are_latency_times_rate() {
    let closed = |before: [f64; 2], after: [f64; 2]| {
        let of = |variant: &str, rates: [f64; 2]| {
            rates.map(|rate| {
                let metrics =
                    [("request_throughput", rate), ("mean_ttft_ms", 100.0), ("mean_tpot_ms", 10.0)];
                run(variant, &metrics)
            })
        };
        let all = [of("before", before), of("after", after)].concat();
        compared(with(all, |run, _| {
            run.workload = Workload {
                max_concurrency: Setting::Value(8.0),
                requests: Some(100),
                ..Workload::default()
            }
            .into();
            (run.info.completed, run.info.output_tokens) = (Some(100), Some(20_000));
        }))
    };
    // 2.09 x 4.1 = 8.569 and 2.09 x 3.5 = 7.315: the second is further from 8.
    let evidence = json!({"variant": "after", "in_flight": 7.315, "max_concurrency": 8.0});
    let words = ["of after, 7.3 requests were in flight, and the cap is 8", "not always reached"];
    says(&closed([4.1, 4.1], [3.4, 3.6]), "little-law", Note, &evidence, &words);
    // 2.09 x 4.2 = 8.778 against 2.09 x 3.8 = 7.942
    let evidence = json!({"variant": "before", "in_flight": 8.778, "max_concurrency": 8.0});
    says(&closed([4.2, 4.2], [3.8, 3.8]), "little-law", Note, &evidence, &["more than the cap"]);
    // 2.09 x 4.01 is 4.8 % above, 2.09 x 3.65 4.6 % below.
    quiet(&closed([4.01, 4.01], [3.65, 3.65]), "little-law");
}

#[test]
fn a_run_lasts_half_a_minute_and_five_latencies() {
    let lasting = |before: [f64; 2], after: [f64; 2], latency: Option<f64>| {
        let of = |variant: &str, durations: [f64; 2]| {
            durations.map(|duration| {
                let mut metrics = vec![("duration", duration)];
                metrics.extend(latency.map(|ms| ("mean_e2el_ms", ms)));
                run(variant, &metrics)
            })
        };
        let all = [of("before", before), of("after", after)].concat();
        compared(with(all, |run, _| run.workload.requests = Some(500)))
    };
    // Mean 22 s; 5 x 8 s; 22 / 8 = 2.75.
    let evidence = json!({"variant": "before", "duration_s": 22.0, "mean_latency_s": 8.0,
                          "needed_s": 40.0});
    let words = ["last 22.0 s, 2.8 times the 8.0 s of a mean request", "40 s or more"];
    says(&lasting([20.0, 24.0], [41.0, 42.0], Some(8000.0)), "short-run", Warn, &evidence, &words);
    let evidence = json!({"variant": "after", "duration_s": 29.0, "mean_latency_s": null,
                          "needed_s": 30.0});
    let words = ["after last 29.0 s, so", "30 s or more"];
    says(&lasting([29.0, 29.2], [28.9, 29.1], None), "short-run", Warn, &evidence, &words);
    // Long enough by the clock of half a minute, and by five latencies of a tenth of a second.
    quiet(&lasting([29.9, 30.1], [30.0, 31.0], Some(100.0)), "short-run");
}

#[test]
fn runs_without_a_partner_are_counted_on_both_sides() {
    let named = |names: [[&str; 3]; 2]| {
        let all = throughputs(&[100.0, 101.0, 102.0], &[103.0, 104.0, 105.5]);
        let all = with(all, |run, place| {
            run.info.pair = Some(names[usize::from(run.variant == "after")][place].to_owned());
        });
        compared_by(all, &Policy { paired: true, ..Policy::default() })
    };
    let two = named([["1", "2", "3"], ["1", "2", "4"]]);
    let words = ["2 runs without a partner were left out"];
    says(&two, "unpaired-runs", Warn, &json!({"runs": 2}), &words);
    quiet(&named([["1", "2", "3"], ["3", "1", "2"]]), "unpaired-runs");
}

#[test]
fn the_first_of_several_cells_is_held_against_the_range_of_the_others() {
    let cells = |values: [f64; 4]| {
        let names = ["before", "b", "c", "d"];
        let all = names
            .iter()
            .zip(values)
            .flat_map(|(name, value)| runs(name, "request_throughput", &[value]));
        compared(all.collect())
    };
    // The others have the median 100 and the range 2.
    for (first, away, words) in [
        (120.0, 0.2, "lies 20.0 % above the 3 others in"),
        (80.0, -0.2, "lies 20.0 % below the 3 others in"),
        (108.0, 0.08, "lies 8.0 % above"),
    ] {
        let evidence = json!({"variant": "before", "metric": "request_throughput", "away": away,
                              "range_of_others": 0.02, "others": 3});
        let words = [words, "agree within 2.0 %"];
        says(&cells([first, 100.0, 101.0, 99.0]), "first-cell-outlier", Warn, &evidence, &words);
    }
    // A gap of three times the range and no more.
    quiet(&cells([107.0, 100.0, 101.0, 99.0]), "first-cell-outlier");
}

#[test]
fn a_cold_cache_is_a_ratio_to_the_median_of_the_later_runs() {
    let latencies = |before: [[f64; 3]; 2], after: [[f64; 3]; 2]| {
        let of = |variant: &str, [ttft, tpot]: [[f64; 3]; 2]| -> Vec<Run> {
            let pairs = ttft.into_iter().zip(tpot);
            pairs.map(|(a, b)| run(variant, &[("mean_ttft_ms", a), ("mean_tpot_ms", b)])).collect()
        };
        let all = [of("before", before), of("after", after)].concat();
        compared(with(all, |run, _| {
            run.workload.input_tokens = Some(64_000);
            run.workload.max_concurrency = Setting::Value(8.0);
        }))
    };
    let warm = [[100.0, 120.0, 110.0], [10.0, 10.2, 9.9]];
    // 330 over the median 110 of 100 and 120; 10.5 over 10.
    let evidence = json!({"variant": "before", "ttft_ratio": 3.0, "tpot_ratio": 1.05,
                          "order": "places"});
    let cold = [[330.0, 100.0, 120.0], [10.5, 10.4, 9.6]];
    let one = latencies(cold, warm);
    let words = ["The first run of before", "took 3.0 times the TTFT"];
    says(&one, "cache-warm", Warn, &evidence, &words);
    let both = latencies(cold, [[200.0, 100.0, 120.0], [10.0, 10.1, 9.9]]);
    says(&both, "cache-warm", Warn, &evidence, &["The first runs of before", " and after"]);
    // A TPOT that moves with it is another cold start; 1.5 times is not more than 1.5 times.
    quiet(&latencies([[330.0, 100.0, 120.0], [11.5, 10.4, 9.6]], warm), "cache-warm");
    quiet(&latencies([[165.0, 100.0, 120.0], [10.0, 10.4, 9.6]], warm), "cache-warm");
}

#[test]
fn the_load_is_told_with_its_numbers() {
    let loaded = |workload: Workload| {
        let of = |variant: &str, shift: f64| {
            [0.0, 0.1, 0.2].map(|more| {
                let metrics = [
                    ("request_throughput", 8.0 + more + shift),
                    ("p99_ttft_ms", 50.0 + more),
                    ("mean_ttft_ms", 40.0 + more),
                    ("mean_tpot_ms", 10.0 + more),
                ];
                run(variant, &metrics)
            })
        };
        let all = [of("before", 0.0), of("after", 0.2)].concat();
        compared(with(all, |run, _| run.workload = workload.clone().into()))
    };
    let requests = |requests: u64| Workload { requests: Some(requests), ..Workload::default() };
    // 20 of 1000 is more than one in a hundred.
    let closed = loaded(Workload { max_concurrency: Setting::Value(20.0), ..requests(1000) });
    let evidence = json!({"max_concurrency": 20.0, "requests": 1000, "share": 0.02});
    let words = ["20 of 1000 requests start together (2.0 %)", "P99 lies inside"];
    says(&closed, "p99-startup-burst", Warn, &evidence, &words);
    quiet(&closed, "thin-tail");
    // One in a hundred of 500 is 5.
    let thin = loaded(Workload { max_concurrency: Setting::Value(4.0), ..requests(500) });
    let evidence = json!({"requests": 500, "beyond": 5.0, "metrics": ["p99_ttft_ms"]});
    let words = ["P99 of 500 requests rests on 5 of them", "6th"];
    says(&thin, "thin-tail", Note, &evidence, &words);
    quiet(&thin, "p99-startup-burst");
}

/// 100 requests, 2,000 tokens out and 1,000 in during 10 s are 10, 200 and 300 a second.
#[test]
fn what_a_block_says_twice_is_told_with_both_figures() {
    let block = |metrics: &[(&str, f64)], printed: &[(&str, f64)]| {
        let mut all = throughputs(&[10.0, 10.0], &[10.0, 10.0]);
        all.insert(0, run("before", metrics));
        for run in &mut all {
            run.workload.input_tokens = Some(1000);
        }
        let first = &mut all[0];
        (first.info.completed, first.info.output_tokens) = (Some(100), Some(2000));
        first.info.printed = run("", printed).metrics;
        compared(all)
    };
    let fault = |metric: &str, found: f64, expected: f64| json!({"where": "runs.csv line 2", "metric": metric, "found": found, "expected": expected});
    let told = |comparison: &Comparison| {
        let check = found(comparison, "inconsistent-block").expect("faults");
        check.evidence["faults"].clone()
    };
    let all = block(
        &[
            ("duration", 10.0),
            ("request_throughput", 10.06),
            ("output_throughput", 198.9),
            ("total_token_throughput", 301.6),
            ("input_throughput", 101.0),
        ],
        &[],
    );
    let mut faults = vec![
        fault("request_throughput", 10.06, 10.0),
        fault("output_throughput", 198.9, 200.0),
        fault("total_token_throughput", 301.6, 300.0),
        // 101 + 198.9
        fault("total_token_throughput", 301.6, 299.9),
    ];
    let place = told(&all)[0]["where"].clone();
    for fault in &mut faults {
        fault["where"] = place.clone();
    }
    assert!(close(&told(&all), &json!(faults)), "{}", told(&all));
    // Two figures are enough, one beside what the block prints of it as well.
    let two = block(&[("duration", 10.0), ("output_throughput", 198.9)], &[]);
    assert_eq!(told(&two).as_array().map(Vec::len), Some(1), "{}", told(&two));
    let two = block(&[("median_ttft_ms", 50.0)], &[("median_ttft_ms", 51.0)]);
    assert_eq!(told(&two).as_array().map(Vec::len), Some(1), "{}", told(&two));
    // Half a percent is rounding.
    let near = block(
        &[
            ("duration", 10.0),
            ("request_throughput", 10.049),
            ("output_throughput", 199.1),
            ("total_token_throughput", 301.4),
            ("input_throughput", 101.0),
        ],
        &[],
    );
    quiet(&near, "inconsistent-block");
    let all = block(
        &[
            ("request_throughput", 10.0),
            ("median_ttft_ms", 50.0),
            ("p90_ttft_ms", 49.0),
            ("p99_ttft_ms", 60.0),
            ("min_tpot_ms", 10.0),
            ("mean_tpot_ms", 9.0),
            ("max_itl_ms", 20.0),
            ("mean_itl_ms", 21.0),
        ],
        &[("median_ttft_ms", 51.0)],
    );
    let faults: Vec<(String, f64, f64)> = told(&all)
        .as_array()
        .expect("a list")
        .iter()
        .map(|fault| {
            let number = |key: &str| fault[key].as_f64().expect("a number");
            (
                fault["metric"].as_str().expect("a name").to_owned(),
                number("found"),
                number("expected"),
            )
        })
        .collect();
    let expected = [
        ("median_ttft_ms", 50.0, 51.0),
        ("max_itl_ms", 20.0, 21.0),
        ("mean_tpot_ms", 9.0, 10.0),
        ("p90_ttft_ms", 49.0, 50.0),
    ];
    let expected = expected.map(|(name, a, b)| (name.to_owned(), a, b));
    let mut sorted = faults.clone();
    sorted[1..].sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(sorted, expected, "{faults:?}");
}

#[test]
fn the_spread_of_runs_is_told_with_its_numbers() {
    // Standard deviations 12 of 100 and 1 of 100.
    let noisy = compared(throughputs(&[88.0, 100.0, 112.0], &[99.0, 100.0, 101.0]));
    let evidence = json!({"metric": "request_throughput", "cv": 0.12, "broken": true});
    let words = ["varies by 12.0 % from run to run in before: over 10 %", "That can be chance."];
    says(&noisy, "noisy", Note, &evidence, &words);
    // Eight runs that rise: 2 of 8! orders are as far from chance. First and last two: 100.499 and 106.499.
    let rising = [100.0, 101.0, 102.0, 103.0, 104.0, 105.0, 106.0, 107.0];
    let still = [101.0, 103.0, 100.5, 102.0, 101.5, 102.5, 103.5, 101.8];
    let drifting = compared(throughputs(&rising, &still));
    let change = (106.0_f64 * 107.0 / (100.0 * 101.0)).sqrt() - 1.0;
    let evidence = json!({"variant": "before", "metric": "request_throughput", "change": change,
                          "rank_correlation": 1.0, "p_value": 2.0 / 40_320.0});
    let words = [
        "Request throughput of before",
        "rises from run to run, +6.0 % from the first third to the last (rank correlation +1.00 over 8 runs, p < 0.001)",
    ];
    says(&drifting, "drift", Warn, &evidence, &words);
}

/// Five runs each without a change, made on machines in these states, by variant and place.
fn made(state: impl Fn(&str, usize) -> MachineState) -> Comparison {
    let values = [100.1, 99.9, 100.3, 99.8, 100.0];
    compared(with(throughputs(&values, &values.map(|value| value + 0.05)), |run, place| {
        run.info.machine = Some(Box::new(state(&run.variant, place)));
    }))
}

fn set(key: &str, value: &str) -> MachineState {
    MachineState {
        settings: [(key.to_owned(), value.to_owned())].into(),
        ..MachineState::default()
    }
}

#[test]
fn a_device_that_throttles_in_one_variant_is_a_warning() {
    const HEAT: &str = "software thermal slowdown";
    // In the first so many runs of each variant.
    let throttled = |before: usize, after: usize| {
        made(|variant, place| {
            let hot = place < if variant == "before" { before } else { after };
            let reasons = hot.then(|| HEAT.to_owned()).into_iter().collect();
            MachineState { throttled: Some(reasons), ..MachineState::default() }
        })
    };
    let side = |runs: &[&str]| {
        let what = if runs.is_empty() { vec![] } else { vec![HEAT] };
        json!({"runs": runs, "known": 5, "what": what})
    };
    let names = ["line 7", "line 8", "line 9", "line 10", "line 11"];
    let evidence = json!({"throttled": {"baseline": side(&[]), "candidate": side(&names[..4])}});
    let words = [
        "The device throttled in 4 of 5 runs of after (line 7, line 8, line 9 and 1 more) and in none of before \
         (software thermal slowdown). Part of the change may come from that.",
    ];
    says(&throttled(0, 4), "machine-state", Warn, &evidence, &words);
    let severity = |before, after| {
        found(&throttled(before, after), "machine-state").map(|check| check.severity)
    };
    assert_eq!(severity(0, 0), None);
    assert_eq!(severity(1, 0), Some(Warn));
    // Shares of 0.4 and 0.6 are alike, 0.4 and 1 are not.
    assert_eq!(severity(2, 3), Some(Note));
    assert_eq!(severity(5, 5), Some(Note));
    assert_eq!(severity(2, 5), Some(Warn));
}

#[test]
fn another_process_beside_most_runs_of_one_variant_is_a_warning() {
    let busy = |before: usize, after: usize, processors: f64| {
        made(|variant, place| {
            let beside = place < if variant == "before" { before } else { after };
            let busiest = beside.then(|| ("rustc".to_owned(), processors));
            MachineState { busiest, ..MachineState::default() }
        })
    };
    let check = busy(3, 0, 3.2);
    let check = found(&check, "machine-state").expect("a busy machine");
    assert_eq!(check.severity, Warn);
    assert_eq!(
        check.message,
        "Another process used more than 0.5 processors in 3 of 5 runs of before (line 2, line 3, line 4) and in none \
         of after (rustc). Part of the change may come from that."
    );
    // Two of five is less than half; half a processor is not more than that.
    let few = busy(0, 2, 3.2);
    assert_eq!(found(&few, "machine-state").expect("a note").severity, Note);
    quiet(&busy(5, 0, 0.5), "machine-state");
}

/// SciPy 1.17.1, `ttest_ind(..., equal_var=False)`: p = 5.911153257929096e-07. The means are 74 and 81.2.
#[test]
fn a_hotter_device_is_a_warning_where_chance_does_not_make_it_so() {
    let celsius = |before: [f64; 5], after: [f64; 5]| {
        made(|variant, place| {
            let values = if variant == "before" { before } else { after };
            MachineState { gpu_temperature_c: Some(values[place]), ..MachineState::default() }
        })
    };
    let before = [74.0, 75.0, 73.0, 74.0, 74.0];
    let after = [80.0, 82.0, 81.0, 81.0, 82.0];
    let evidence = json!({"temperature": {
        "device": "GPU", "baseline": before, "candidate": after, "difference": 7.2,
        "p_value": 5.911_153_257_929_096e-7
    }});
    let words = [
        "The GPU was 7 °C hotter in the runs of after (81 °C) than in those of before (74 °C). Part of",
    ];
    says(&celsius(before, after), "machine-state", Warn, &evidence, &words);
    // 4.8 degrees are less than 5.
    quiet(&celsius(before, [79.0, 79.0, 78.0, 79.0, 79.0]), "machine-state");
    // The same difference of the means among temperatures that vary as much.
    let chance = celsius([65.0, 83.0, 70.0, 78.0, 74.0], [90.0, 72.0, 85.0, 77.0, 82.0]);
    let check = found(&chance, "machine-state").expect("a note");
    assert_eq!(check.severity, Note);
    assert!(check.message.ends_with("(74 °C). That can be chance."), "{}", check.message);
}

#[test]
fn what_was_set_on_the_machine_differs_or_is_another_machine() {
    let differs = |key: &'static str, values: [&'static str; 2]| {
        made(move |variant, _| set(key, values[usize::from(variant == "after")]))
    };
    let governor = differs("governor", ["performance", "powersave"]);
    let evidence = json!({"differs": [
        {"key": "governor", "baseline": ["performance"], "candidate": ["powersave"]}
    ]});
    let words = ["governor performance against powersave"];
    says(&governor, "env-mismatch", Warn, &evidence, &words);
    for key in ["cpu_model", "gpu_name"] {
        let other = differs(key, ["A100", "H100"]);
        assert_eq!(found(&other, "env-mismatch").expect("two devices").severity, Block, "{key}");
    }
    quiet(&differs("governor", ["performance"; 2]), "env-mismatch");
}

#[test]
fn variants_may_be_of_different_commits_and_runs_of_one_may_not() {
    let commits = |before: [&'static str; 5], after: [&'static str; 5]| {
        made(move |variant, place| {
            let commit = if variant == "before" { before } else { after }[place].to_owned();
            MachineState {
                build: [("commit".to_owned(), commit)].into(),
                ..MachineState::default()
            }
        })
    };
    quiet(&commits(["a1"; 5], ["b2"; 5]), "env-mismatch");
    let mixed = commits(["a1"; 5], ["b2", "b2", "b2", "c3", "c3"]);
    let evidence = json!({"differs": [
        {"key": "commit", "baseline": ["a1"], "candidate": ["b2", "c3"]}
    ]});
    let words = [
        "The runs of after come from several builds (commit b2 and c3): they are not repeats of one build.",
    ];
    says(&mixed, "env-mismatch", Warn, &evidence, &words);
}
