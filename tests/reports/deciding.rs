//! Which metrics decide: those of one's own table under any name, and what is left guards.

use std::fmt::Write;

use beyondnoise::analysis::analyse;
use beyondnoise::policy::Policy;
use beyondnoise::read::{File, Options, load_bytes};
use beyondnoise::report::{Comparison, Report};
use beyondnoise::verdict::{Gate, Headline, Verdict};

fn judged(text: &str) -> Report {
    let files = [File { variant: None, name: "runs.csv", bytes: text.as_bytes() }];
    let loaded = load_bytes(&files, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    analyse(&loaded.dataset, Some("main"), None, &Policy::default()).expect("a report")
}

/// Four runs of each, a column per name; those at `worse` lose a third, by the direction given.
fn table(columns: &[(&str, f64)], worse: usize) -> String {
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let mut text = format!("build,run,{}\n", names.join(","));
    let noise = [0.997, 1.004, 0.999, 1.002, 1.003, 0.998, 1.001, 0.996];
    for (build, shift) in [("main", 0), ("pr", 4)] {
        for run in 0..4 {
            write!(text, "{build},{}", run + 1).expect("a text");
            for (at, (_, sign)) in columns.iter().enumerate() {
                let change = if build == "pr" && at == worse { 1.0 - sign * 0.33 } else { 1.0 };
                let value = 53.17 * change * noise[(run + shift + at) % 8];
                write!(text, ",{value:.3}").expect("a text");
            }
            text += "\n";
        }
    }
    text
}

fn deciding(one: &Comparison) -> Vec<&str> {
    one.metrics.iter().filter(|row| row.deciding).map(|row| row.metric.as_str()).collect()
}

/// S1: "no change, nothing to gain or lose" beside a proven loss under every one of these names.
#[test]
fn a_loss_under_an_own_name_decides() {
    for (name, sign) in [
        ("tok_per_s", 1.0),
        ("tok_s", 1.0),
        ("tps", 1.0),
        ("TPS", 1.0),
        ("tok/s", 1.0),
        ("tokens_per_second", 1.0),
        ("avg_tokens_per_sec", 1.0),
        ("throughput_tps", 1.0),
        ("Throughput (tok/s)", 1.0),
        ("gen_tps", 1.0),
        ("输出吞吐 (tok/s)", 1.0),
        ("per_token_latency_ms", -1.0),
        ("tpot", -1.0),
        ("tbt_ms", -1.0),
        ("latency_ms", -1.0),
        ("e2e_ms", -1.0),
        ("peak_rss", -1.0),
    ] {
        let report = judged(&table(&[("ttft_ms", -1.0), (name, sign)], 1));
        let one = &report.comparisons[0];
        let extreme = name == "peak_rss";
        assert_eq!(one.headline == Headline::Regressed, !extreme, "{name}: {:?}", one.summary);
        assert_eq!(one.gate == Gate::Fail, !extreme, "{name}");
        // One extreme value of a run is no statistic.
        let row = one.metrics.iter().find(|row| row.metric.contains(name) || !extreme);
        assert!(row.is_some(), "{name}");
    }
}

/// At most five decide, by kind; the rest guards, with the gate, and with Holm among the guards.
#[test]
fn five_metrics_of_an_own_table_decide_and_the_rest_guards() {
    let columns = [
        ("power_w", -1.0),
        ("accuracy", 1.0),
        ("vram_gb", -1.0),
        ("search_latency_ms", -1.0),
        ("decode_tps", 1.0),
        ("build_time_s", -1.0),
        ("cost_usd", -1.0),
        ("widgets", 1.0),
    ];
    let report = judged(&table(&columns, 6));
    let one = &report.comparisons[0];
    let expected = ["decode_tps", "build_time_s", "search_latency_ms", "vram_gb", "accuracy"];
    assert_eq!(deciding(one), expected);
    let row = |name: &str| one.metrics.iter().find(|row| row.metric == name).expect(name);
    assert!(row("cost_usd").guard && row("power_w").guard && !row("widgets").guard);
    assert_eq!(row("cost_usd").verdict, Verdict::Worse);
    // Two guards with Holm: the smaller p-value counts twice.
    let (raw, adjusted) = (row("cost_usd").p_value, row("cost_usd").p_adjusted);
    let (raw, adjusted) = raw.zip(adjusted).expect("tested");
    assert!((adjusted - 2.0 * raw).abs() < 1e-12, "{raw} {adjusted}");
    assert_eq!(one.gate, Gate::Fail);
}

/// The metrics of a serving benchmark keep their three.
#[test]
fn official_names_have_the_usual_three() {
    let columns = [
        ("mean_ttft_ms", -1.0),
        ("output_throughput", 1.0),
        ("mean_tpot_ms", -1.0),
        ("p99_itl_ms", -1.0),
        ("energy_j", -1.0),
    ];
    let report = judged(&table(&columns, 9));
    let expected = ["output_throughput", "mean_ttft_ms", "mean_tpot_ms"];
    assert_eq!(deciding(&report.comparisons[0]), expected);
}

/// S3: which column of a long table is the value follows from what the others are, never from their place.
#[test]
fn the_value_of_a_long_table_is_what_was_measured() {
    for beside in [
        "count", "sem", "stderr", "ci95", "variance", "iqr", "samples", "weight", "priority",
        "elapsed", "n_trials",
    ] {
        for order in [format!("mean,{beside}"), format!("{beside},mean")] {
            let mut text = format!("build,run,metric,{order}\n");
            for (build, mean) in [("main", 1000.0), ("pr", 900.0)] {
                for (run, noise) in [3.1, -2.2, 1.4].into_iter().enumerate() {
                    let (mean, other) = (mean + noise, 100 + run);
                    let cells = if order.starts_with("mean") {
                        format!("{mean},{other}")
                    } else {
                        format!("{other},{mean}")
                    };
                    writeln!(text, "{build},{run},tok_per_s,{cells}").expect("a text");
                }
            }
            let report = judged(&text);
            let one = &report.comparisons[0];
            assert_eq!(one.headline, Headline::Regressed, "{order}: {}", one.summary);
            let change = one.metrics[0].delta.relative.expect("a ratio");
            // By hand: 900.767 / 1000.767 - 1.
            assert!((change + 0.099_923).abs() < 1e-5, "{order}: {change}");
        }
    }
}

/// R1: numbers that recur exactly in every variant were set, whatever their name; numbers that never recur were measured.
#[test]
fn numbers_that_recur_across_the_variants_are_settings_whatever_their_name() {
    for (name, values) in [
        ("rps", [4.0, 8.0]),
        ("req/s", [2.0, 16.0]),
        ("duration_s", [30.0, 120.0]),
        ("output_tokens", [128.0, 1024.0]),
        ("mean_input_len", [512.0, 2048.0]),
        ("delay_ms", [0.0, 50.0]),
        ("think_time_ms", [10.0, 100.0]),
        ("rtt_ms", [1.0, 20.0]),
        ("temp", [0.5, 1.0]),
        ("gpu_mem_util", [0.8, 0.9]),
        ("cache_hit_rate", [0.0, 0.5]),
        ("power_w", [300.0, 700.0]),
        ("bandwidth_gbps", [10.0, 100.0]),
        ("max_latency_ms", [100.0, 500.0]),
        ("isl", [1024.0, 4096.0]),
    ] {
        let mut text = format!("build,{name},run,score_per_s\n");
        for (build, factor) in [("main", 1.0), ("pr", 0.93)] {
            for (value, level) in values.iter().zip([100.0, 40.0]) {
                for (run, noise) in [0.997, 1.003, 1.001, 0.999].into_iter().enumerate() {
                    let result = level * factor * noise;
                    writeln!(text, "{build},{value},{},{result:.3}", run + 1).expect("a text");
                }
            }
        }
        let report = judged(&text);
        let runs: Vec<(usize, usize)> =
            report.comparisons.iter().map(|one| (one.baseline.runs, one.candidate.runs)).collect();
        assert_eq!(runs, [(4, 4), (4, 4)], "{name}");
        assert!(report.comparisons.iter().all(|one| one.headline == Headline::Regressed), "{name}");
    }
}
