//! Each check fires on what it is for, and keeps quiet just below its threshold.

use beyondnoise::analysis::analyse;
use beyondnoise::policy::Policy;
use beyondnoise::read::{Options, load};
use beyondnoise::report::Comparison;
use beyondnoise::verdict::Verdict;

/// A workload of two variants with these runs each; every field has a harmless value.
struct Case {
    runs: usize,
    requests: u64,
    cap: &'static str,
    rate: &'static str,
    /// Requests finished per second.
    achieved: f64,
    failed: u64,
    /// Generated tokens of a run, before and after.
    tokens: [u64; 2],
}

const QUIET: Case = Case {
    runs: 5,
    requests: 2000,
    cap: "8",
    rate: "unlimited",
    achieved: 20.0,
    failed: 0,
    tokens: [100_000, 100_000],
};

fn compare(case: &Case) -> Comparison {
    let mut rows = vec![
        "variant,requests,max_concurrency,request_rate,failed,output_tokens,duration,\
         request_throughput,mean_ttft_ms,p99_ttft_ms,mean_tpot_ms,p99_tpot_ms"
            .to_owned(),
    ];
    for (side, variant) in ["before", "after"].into_iter().enumerate() {
        let Case { requests, cap, rate, tokens, .. } = case;
        let failed = if side == 1 { case.failed } else { 0 };
        for run in 1..=case.runs {
            let wobble = 1.0 + 0.001 * run as f64 + 0.01 * side as f64;
            let duration = 100.0 * wobble;
            let (rate_seen, ttft, tpot) = (case.achieved / wobble, 50.0 * wobble, 10.0 * wobble);
            rows.push(format!(
                "{variant},{requests},{cap},{rate},{failed},{},{duration:.4},{rate_seen:.4},{ttft:.4},\
                 {:.4},{tpot:.4},{:.4}",
                tokens[side],
                ttft * 3.0,
                tpot * 2.0
            ));
        }
    }
    let file = tempfile::Builder::new().suffix(".csv").tempfile().expect("a file");
    std::fs::write(file.path(), rows.join("\n") + "\n").expect("written");
    let loaded = load(&[file.path().display().to_string()], &Options::default()).expect("runs");
    let report = analyse(&loaded.dataset, None, None, &Policy::default()).expect("a comparison");
    report.comparisons.into_iter().next().expect("a comparison")
}

fn fires(case: &Case, id: &str) -> bool {
    compare(case).checks.iter().any(|check| check.id.as_str() == id)
}

fn verdict(case: &Case, metric: &str) -> Verdict {
    let comparison = compare(case);
    comparison.metrics.iter().find(|row| row.metric == metric).expect("the metric").verdict
}

/// Thresholds by hand: 5 runs, 0.1 points of failures, 0.5 and 2 % of tokens, 95 % of the offered rate, 1 %
/// of the requests starting together, 10 requests beyond a quantile.
#[test]
fn every_check_fires_at_its_threshold_and_not_before() {
    let cases: &[(&str, Case, Case)] = &[
        ("too-few-runs", Case { runs: 1, ..QUIET }, Case { runs: 2, ..QUIET }),
        ("runs-to-plan", Case { runs: 1, ..QUIET }, Case { runs: 2, ..QUIET }),
        ("low-resolution", Case { runs: 4, ..QUIET }, QUIET),
        ("failed-requests", Case { failed: 1, ..QUIET }, QUIET),
        (
            "output-tokens-drift",
            Case { tokens: [100_000, 100_600], ..QUIET },
            Case { tokens: [100_000, 100_400], ..QUIET },
        ),
        ("burst-load", Case { cap: "unlimited", ..QUIET }, QUIET),
        (
            "saturated-open-loop",
            Case { rate: "22", cap: "unlimited", ..QUIET },
            Case { rate: "20.5", cap: "unlimited", ..QUIET },
        ),
        (
            "rate-limited-throughput",
            Case { rate: "20.5", cap: "unlimited", ..QUIET },
            Case { rate: "22", cap: "unlimited", ..QUIET },
        ),
        ("p99-startup-burst", Case { cap: "20", ..QUIET }, Case { cap: "19", ..QUIET }),
        ("thin-tail", Case { requests: 999, ..QUIET }, Case { requests: 1000, ..QUIET }),
    ];
    for (id, firing, quiet) in cases {
        assert!(fires(firing, id), "{id} does not fire");
        assert!(!fires(quiet, id), "{id} fires below its threshold");
    }
    assert!(fires(&QUIET, "dependent-metrics") && fires(&QUIET, "speed-only"));
}

#[test]
fn checks_that_block_keep_their_metrics_from_being_judged() {
    let burst = Case { cap: "20", ..QUIET };
    assert_eq!(verdict(&burst, "p99_ttft_ms"), Verdict::NotJudged);
    assert_ne!(verdict(&burst, "p99_tpot_ms"), Verdict::NotJudged);
    let drift = Case { tokens: [100_000, 103_000], ..QUIET };
    assert_eq!(verdict(&drift, "duration"), Verdict::NotJudged);
    assert_ne!(verdict(&drift, "mean_tpot_ms"), Verdict::NotJudged);
    let thin = Case { requests: 900, ..QUIET };
    assert_eq!(verdict(&thin, "p99_tpot_ms"), Verdict::NotJudged);
    let failed = Case { failed: 30, ..QUIET };
    assert_eq!(verdict(&failed, "mean_ttft_ms"), Verdict::NotJudged);
}

/// Runs made in this order, a letter each: A before, B after. `value` gives the value of the kth run.
fn in_order(order: &str, value: impl Fn(usize) -> f64) -> Comparison {
    let rows = order.chars().enumerate().map(|(k, letter)| {
        let variant = if letter == 'A' { "before" } else { "after" };
        format!("{variant},2026-01-01T10:{k:02}:00,{:.4}\n", value(k))
    });
    let table = format!("variant,started,request_throughput\n{}", rows.collect::<String>());
    let file = tempfile::Builder::new().suffix(".csv").tempfile().expect("a file");
    std::fs::write(file.path(), table).expect("written");
    let loaded = load(&[file.path().display().to_string()], &Options::default()).expect("runs");
    let report = analyse(&loaded.dataset, None, None, &Policy::default()).expect("a comparison");
    report.comparisons.into_iter().next().expect("a comparison")
}

fn told(comparison: &Comparison, id: &str) -> bool {
    comparison.checks.iter().any(|check| check.id.as_str() == id)
}

/// Up and down without a trend.
fn still(k: usize) -> f64 {
    100.0 + [0.3, -0.5, 0.1, 0.6, -0.2, -0.7, 0.4][k % 7]
}

#[test]
fn all_of_one_before_all_of_the_other_is_confounded() {
    assert!(told(&in_order("AAABBB", still), "order-confounded"));
    assert!(told(&in_order("BBBAAA", still), "order-confounded"));
    assert!(!told(&in_order("AABABB", still), "order-confounded"));
    // All but one run of each: 4 of 24,310 orders of 9 + 8 runs are as unbalanced.
    assert!(told(&in_order("AAAAAAAABABBBBBBB", still), "order-confounded"));
    assert!(!told(&in_order("ABBAABBAABBAABBA", still), "order-confounded"));
    assert!(!told(&in_order("AABBAABBAABBAABB", still), "order-confounded"));
    // One run each is always in some order.
    assert!(!told(&in_order("AB", still), "order-confounded"));
}

#[test]
fn a_trend_over_the_runs_of_a_variant_is_told() {
    let rising = |k: usize| still(k) + 2.0 * k as f64;
    let drifting = in_order("ABBAABBAABBAABBA", rising);
    assert!(told(&drifting, "drift"));
    // Both rise in the one of 8! orders of each: p = 2 / 8!^2, with a share of 2 / 11 of the level over three trends.
    let drift = drifting.checks.iter().find(|check| check.id.as_str() == "drift").expect("a drift");
    let p = drift.evidence["p_adjusted"].as_f64().expect("a number");
    assert!((p / (3.0 * 11.0 / 2.0 * 2.0 / 40_320_f64.powi(2)) - 1.0).abs() < 1e-9, "{p}");
    assert_eq!(drift.evidence["variant"], "before, after");
    assert!(!told(&in_order("ABBAABBAABBAABBA", still), "drift"));
    // Three rising runs of each: p = 2 / 3!^2, not rare enough; of four 2 / 4!^2.
    assert!(!told(&in_order("ABBAAB", rising), "drift"));
    assert!(told(&in_order("ABBAABBA", rising), "drift"));
}
