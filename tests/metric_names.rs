//! Names of metrics: every spelling that clients and people use, and nothing guessed about others.

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
    for name in ["iteration_ms", "my_ttft_ms"] {
        assert_eq!(Metric::named(name).better, None, "{name}");
    }
    let places: Vec<_> = ["output_throughput", "ttft_ms", "tpot_ms", "x_ms"].map(rank).into();
    assert!(places.is_sorted());
}

#[test]
fn an_unknown_metric_has_no_direction() {
    let metric = Metric::named("gpu_power_us");
    assert_eq!((metric.better, metric.unit), (None, Unit::Microsecond));
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
        ("items_per_ms", "items_per_ms", Unit::Millisecond),
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

/// Names with a known direction keep their spelling; nothing is guessed about others.
#[test]
fn a_direction_follows_only_from_words_that_are_all_known() {
    for (name, better, unit) in [
        ("TTFT", Some(Better::Lower), Unit::None),
        ("mean TTFT", Some(Better::Lower), Unit::None),
        ("tok/s", Some(Better::Higher), Unit::TokenPerSecond),
        ("avg_tokens_per_second", Some(Better::Higher), Unit::TokenPerSecond),
        ("avgTokensPerSecond", Some(Better::Higher), Unit::TokenPerSecond),
        ("avgFirstTokenLatency", Some(Better::Lower), Unit::None),
        ("throughput_tok_s", Some(Better::Higher), Unit::TokenPerSecond),
        ("Tput User (TPS)", Some(Better::Higher), Unit::TokenPerSecond),
        ("latency_ms", Some(Better::Lower), Unit::Millisecond),
        ("Latency (ms/token)", Some(Better::Lower), Unit::Millisecond),
        ("std latency ms", None, Unit::Millisecond),
        ("my_ttft_ms", None, Unit::Millisecond),
        ("iteration_ms", None, Unit::Millisecond),
        ("step_time_ms", None, Unit::Millisecond),
        ("total_time", None, Unit::None),
        ("throughput_reqs_per_step", None, Unit::None),
        ("latency_slo_ms", None, Unit::Millisecond),
        ("tokens", None, Unit::None),
        ("requests", None, Unit::None),
        ("sec_per_op", None, Unit::None),
        ("user_s", None, Unit::Second),
    ] {
        let metric = Metric::named(name);
        assert_eq!((metric.name.as_str(), metric.better, metric.unit), (name, better, unit));
    }
}
