//! Names of metrics: every spelling that clients and people use, and nothing guessed about others.

use std::collections::BTreeMap;

use beyondnoise::metrics::words::{Says, meaning};
use beyondnoise::metrics::{Metric, Statistic, rank};
use beyondnoise::units::{Better, Unit};

/// Spellings of vLLM 0.6 to 0.33 and SGLang 0.2 to 0.5.
#[test]
fn every_spelling_of_a_name_is_one_metric() {
    for (spelling, name) in [
        ("total_throughput", "total_token_throughput"),
        ("request_goodput:", "request_goodput"),
        ("p50_ttft_ms", "median_ttft_ms"),
        ("p99.9_itl_ms", "p99.9_itl_ms"),
        ("median_e2e_latency_ms", "median_e2el_ms"),
    ] {
        assert_eq!(Metric::known(spelling).expect(spelling).name, name);
    }
    for (label, name) in [
        ("Total Token throughput (tok/s)", "total_token_throughput"),
        ("Total token throughput (tok/s)", "total_token_throughput"),
        ("P99.9 TTFT (ms)", "p99.9_ttft_ms"),
        ("Mean E2E Latency (ms)", "mean_e2el_ms"),
        ("Std Dev TPOT (ms)", "std_tpot_ms"),
        ("Max ITL (ms)", "max_itl_ms"),
        ("P99 E2EL incl. Client Queue (ms)", "p99_e2el_including_client_queue_ms"),
    ] {
        assert_eq!(Metric::from_text(label).expect(label).name, name);
    }
}

/// A latency is better lower and a throughput higher; of anything else it is not known.
#[test]
fn a_latency_of_which_no_statistic_is_said_is_one_all_the_same() {
    for (name, label) in [("ttft_ms", "TTFT"), ("e2e_latency_ms", "E2EL"), ("tpot_ms", "TPOT")] {
        let metric = Metric::known(name).expect(name);
        assert_eq!((metric.label.as_str(), metric.better), (label, Some(Better::Lower)));
        assert_eq!((metric.statistic, metric.is_latency()), (Statistic::Unknown, true));
    }
    assert_eq!(Metric::from_text("TTFT (ms)").expect("known").name, "ttft_ms");
    assert_eq!(Metric::named("throughput").better, Some(Better::Higher));
    let places: Vec<_> = ["output_throughput", "ttft_ms", "tpot_ms", "x_ms"].map(rank).into();
    assert!(places.is_sorted());
}

#[test]
fn an_unknown_metric_has_no_direction() {
    let metric = Metric::named("gizmo");
    assert_eq!((metric.better, metric.unit), (None, Unit::None));
    assert_eq!(Metric::named("tok_s").unit, Unit::TokenPerSecond);
    assert!(Metric::known("p100_ttft_ms").is_none());
}

#[test]
fn rows_name_the_unit_once() {
    for (name, row) in [
        ("output_throughput", "output tok/s"),
        ("request_throughput", "req/s"),
        ("mean_ttft_ms", "mean TTFT ms"),
        ("duration", "duration s"),
        ("step_time_ms", "step_time_ms"),
    ] {
        assert_eq!(Metric::named(name).row_label(), row);
    }
}

#[test]
fn a_time_of_the_registry_is_known_in_any_unit_of_time() {
    for (name, metric, unit) in [
        ("ttft_s", "ttft_ms", Unit::Second),
        ("TTFT (s)", "ttft_ms", Unit::Second),
        ("P99 ITL (us)", "p99_itl_ms", Unit::Microsecond),
        ("Mean E2E Latency [s]", "mean_e2el_ms", Unit::Second),
        ("mean_ttft_ms", "mean_ttft_ms", Unit::Millisecond),
        ("duration_ms", "duration", Unit::Millisecond),
        ("duration_s", "duration", Unit::Second),
        ("Benchmark duration (ms)", "duration", Unit::Millisecond),
        ("time_per_op_us", "time_per_op_ns", Unit::Microsecond),
        // No time, or no name of the registry.
        ("items_per_ms", "items_per_ms", Unit::None),
        ("max_output_tokens_per_s", "max_output_tokens_per_s", Unit::TokenPerSecond),
        ("step_s", "step_s", Unit::Second),
        ("ttft", "ttft", Unit::None),
        ("Output throughput (tok/s)", "output_throughput", Unit::TokenPerSecond),
        ("out_tok/s", "output_throughput", Unit::TokenPerSecond),
        ("Total Output Throughput (tokens/sec)", "output_throughput", Unit::TokenPerSecond),
        ("total_tok/s", "total_token_throughput", Unit::TokenPerSecond),
        ("output tok/s (higher is better)", "output_throughput", Unit::TokenPerSecond),
        ("mean TTFT ms (lower is better)", "mean_ttft_ms", Unit::Millisecond),
        ("P99 ITL ms", "p99_itl_ms", Unit::Millisecond),
        ("duration s", "duration", Unit::Second),
        ("Duration (s)", "duration", Unit::Second),
        ("req/s", "request_throughput", Unit::RequestPerSecond),
        ("QPS", "request_throughput", Unit::RequestPerSecond),
        ("rps", "request_throughput", Unit::RequestPerSecond),
        ("Requests/s", "request_throughput", Unit::RequestPerSecond),
        ("Req Tput (RPS)", "request_throughput", Unit::RequestPerSecond),
        ("Throughput", "throughput", Unit::None),
        ("avg_ttft_s", "mean_ttft_ms", Unit::Second),
        ("ttft_ms_p50", "median_ttft_ms", Unit::Millisecond),
        ("TTFT_p99_ms", "p99_ttft_ms", Unit::Millisecond),
        ("TTFT Avg (ms)", "mean_ttft_ms", Unit::Millisecond),
        ("Time to First Token (ms)", "ttft_ms", Unit::Millisecond),
        ("Inter Token Latency (ms)", "itl_ms", Unit::Millisecond),
        ("Average request latency (ms)", "mean_e2el_ms", Unit::Millisecond),
        ("p99.9 E2E latency [s]", "p99.9_e2el_ms", Unit::Second),
        ("peak output tok/s", "max_output_tokens_per_s", Unit::TokenPerSecond),
        // Without its statistic, or the thing that it counts, it keeps its own name.
        ("TTFT", "TTFT", Unit::None),
        ("mean TTFT", "mean TTFT", Unit::None),
        ("tok/s", "tok/s", Unit::TokenPerSecond),
        ("Tokens/sec", "Tokens/sec", Unit::TokenPerSecond),
        ("latency_ms", "latency_ms", Unit::Millisecond),
    ] {
        let (found, of_name) = Metric::of_column(name);
        assert_eq!((&*found.name, of_name), (metric, unit), "{name}");
    }
}

/// Names outside the registry keep their spelling; their words give a direction, and where these leave it open nothing is
/// guessed.
#[test]
fn a_direction_follows_from_the_words_of_a_name() {
    let (higher, lower) = (Some(Better::Higher), Some(Better::Lower));
    for (name, better, unit) in [
        ("TTFT", lower, Unit::None),
        ("mean TTFT", lower, Unit::None),
        ("tok/s", higher, Unit::TokenPerSecond),
        ("avg_tokens_per_second", higher, Unit::TokenPerSecond),
        ("avgTokensPerSecond", higher, Unit::TokenPerSecond),
        ("avgFirstTokenLatency", lower, Unit::None),
        ("throughput_tok_s", higher, Unit::TokenPerSecond),
        ("Tput User (TPS)", higher, Unit::TokenPerSecond),
        ("latency_ms", lower, Unit::Millisecond),
        ("Latency (ms/token)", lower, Unit::Millisecond),
        ("my_ttft_ms", lower, Unit::Millisecond),
        ("step_time_ms", lower, Unit::Millisecond),
        ("total_time", lower, Unit::None),
        ("sec_per_op", lower, Unit::Second),
        ("gpu_per_tps", lower, Unit::None),
        ("tokens_per_latency", higher, Unit::None),
        ("J/token", lower, Unit::None),
        ("tok/J", higher, Unit::None),
        ("responsetime", lower, Unit::None),
        ("throughputvllm", higher, Unit::None),
        ("acceptance length", higher, Unit::None),
        ("std latency ms", None, Unit::Millisecond),
        ("latency_slo_ms", None, Unit::Millisecond),
        ("cpu_utilization", None, Unit::None),
        ("tokens", None, Unit::None),
        ("requests", None, Unit::None),
        ("my_score", None, Unit::None),
        ("latency index ↑", higher, Unit::None),
    ] {
        let metric = Metric::named(name);
        assert_eq!((metric.name.as_str(), metric.better, metric.unit), (name, better, unit));
    }
}

/// S1 and S2: `fixtures/names.csv` has 696 names of columns from 136 repositories, labelled by hand before the words were
/// chosen. The words alone give what a column is in 95 % of each kind; values decide the rest.
#[test]
fn the_words_of_real_names_say_what_their_columns_are() {
    let mut right: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut rows = csv::Reader::from_reader(&include_bytes!("../fixtures/names.csv")[..]);
    for row in rows.records() {
        let row = row.expect("a row");
        let (name, kind, direction) = (&row[0], &row[1], &row[5]);
        let meaning = meaning(name);
        let better = match direction {
            "higher" => Some(Better::Higher),
            "lower" => Some(Better::Lower),
            _ => None,
        };
        let good = match kind {
            "measured" => meaning.better == better,
            "outcome" => matches!(meaning.says, Says::Outcome(_)),
            // A name may leave it to the values; it must not claim a measurement.
            "setting" => !matches!(meaning.says, Says::Measured | Says::Outcome(_) | Says::Spread),
            "identity" => meaning.says == Says::Identity,
            "spread" => meaning.says == Says::Spread,
            "count_behind" => meaning.says == Says::Count,
            _ => meaning.says == Says::Remark,
        };
        let (found, all) = right.entry(kind.to_owned()).or_default();
        (*found, *all) = (*found + usize::from(good), *all + 1);
        if !good {
            wrong.push(format!("{kind} {name}: {meaning:?}"));
        }
    }
    let many = right.values().all(|(found, all)| 100 * found >= 95 * all);
    assert!(many && right.len() == 7, "{right:?}\n{}", wrong.join("\n"));
}
