//! Trend, outliers, modes and spread: numbers of independent implementations, and laws that hold
//! for all values. `tests/golden/noise.json` is made by `tests/golden/make_noise.py` with scipy,
//! statsmodels and pymannkendall; every entry names the call that made it.

use beyondnoise::stats::{
    Autocorrelation, Components, Interval, Modes, SlowLimits, Trend, mean_standard_error,
    modified_z, outliers, quantile_standard_error,
};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::Value;

fn golden(topic: &str) -> Vec<Value> {
    let text = include_str!("../golden/noise.json");
    let all: Value = serde_json::from_str(text).expect("noise.json is JSON");
    all[topic].as_array().expect("a list per topic").clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number, not {value}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

fn counts(value: &Value) -> Vec<usize> {
    let count = |value: &Value| usize::try_from(value.as_u64().expect("a count")).expect("small");
    value.as_array().expect("a list").iter().map(count).collect()
}

#[track_caller]
fn close(what: &Value, found: f64, expected: f64, relative: f64, absolute: f64) {
    let tolerance = absolute + relative * expected.abs();
    assert!((found - expected).abs() <= tolerance, "{what}: {found} against {expected}");
}

/// The normal survival function of statrs carries about 1e-11; the exact law 1e-14.
#[test]
fn trends_agree_with_scipy_and_with_all_orders() {
    for entry in golden("trend") {
        let values = numbers(&entry["values"]);
        let trend = Trend::of(&values).expect("4 values that differ");
        assert_eq!(Some(trend.s), entry["s"].as_i64(), "{entry}");
        close(&entry, trend.tau, number(&entry["tau"]), 1e-14, 1e-15);
        let relative = if values.len() > 50 { 1e-10 } else { 1e-12 };
        close(&entry, trend.p_value, number(&entry["p_value"]), relative, 0.0);
    }
}

#[test]
fn autocorrelation_agrees_with_statsmodels() {
    for entry in golden("lag1") {
        let found = Autocorrelation::of(&numbers(&entry["values"])).expect("10 values that differ");
        close(&entry, found.r, number(&entry["r"]), 1e-11, 1e-13);
        close(&entry, found.p_value, number(&entry["p_value"]), 1e-8, 1e-14);
    }
}

#[test]
fn modified_z_scores_agree_with_scipy() {
    for entry in golden("modified_z") {
        let values = numbers(&entry["values"]);
        let found = modified_z(&values).expect("3 values that differ");
        for (z, expected) in found.iter().zip(numbers(&entry["z"])) {
            close(&entry, *z, expected, 1e-12, 1e-13);
        }
        assert_eq!(outliers(&values, 3.5), counts(&entry["beyond_3.5"]), "{entry}");
    }
}

/// Five Monte Carlo standard errors of the 2,000 draws; those of the 200,000 are a tenth of that.
#[test]
fn two_modes_agree_with_every_split_and_many_draws() {
    for entry in golden("two_modes") {
        let values = numbers(&entry["values"]);
        let p = number(&entry["p_value"]);
        for seed in 0..3 {
            let found = Modes::of(&values, seed).expect("8 values that differ");
            close(&entry, found.share, number(&entry["share"]), 1e-11, 0.0);
            assert_eq!(found.counts.to_vec(), counts(&entry["counts"]), "{entry}");
            for (centre, expected) in found.centres.iter().zip(numbers(&entry["centres"])) {
                close(&entry, *centre, expected, 1e-13, 0.0);
            }
            close(&entry, found.p_value, p, 0.0, 1e-3 + 5.0 * (p * (1.0 - p) / 2000.0).sqrt());
        }
    }
}

#[test]
fn intervals_of_the_noise_agree_with_the_formulas() {
    for entry in golden("log_sd_interval") {
        let confidence = number(&entry["confidence"]);
        let found =
            Interval::of_log_sd(&numbers(&entry["values"]), confidence).expect("an interval");
        let ends = numbers(&entry["interval"]);
        close(&entry, found.low, ends[0], 1e-9, 0.0);
        close(&entry, found.high, ends[1], 1e-9, 0.0);
    }
}

#[test]
fn standard_errors_of_a_mean_agree_with_numpy() {
    for entry in golden("mean_standard_error") {
        let found = mean_standard_error(&numbers(&entry["values"])).expect("2 values");
        close(&entry, found, number(&entry["expected"]), 1e-11, 0.0);
    }
}

/// The weights of scipy's beta distribution carry about 1e-12 of their largest.
#[test]
fn standard_errors_of_a_quantile_agree_with_scipy() {
    for entry in golden("quantile_standard_error") {
        let n = entry["n"].as_u64().and_then(|n| u32::try_from(n).ok()).expect("a count");
        let size = f64::from(n);
        let value = |i: u32| match entry["shape"].as_str() {
            Some("exponential") => -(-(f64::from(i) - 0.5) / size).ln_1p(),
            _ => ((f64::from(i) - size / 3.0) / size).powi(3),
        };
        let sorted: Vec<f64> = (1..=n).map(value).collect();
        let found = quantile_standard_error(&sorted, number(&entry["q"])).expect("enough values");
        close(&entry, found, number(&entry["expected"]), 1e-9, 0.0);
        // mjci has one less in both parameters, about 1 / n(1 - q) of the result.
        if let Some(mjci) = entry["mjci"].as_f64() {
            close(&entry, found, mjci, 0.01, 0.0);
        }
    }
}

#[test]
fn variance_components_agree_with_numpy() {
    for entry in golden("components") {
        let (values, errors) = (numbers(&entry["values"]), numbers(&entry["within_se"]));
        let found = Components::of(&values, &errors).expect("2 runs");
        close(&entry, found.total, number(&entry["total"]), 1e-12, 0.0);
        close(&entry, found.within, number(&entry["within"]), 1e-12, 0.0);
        close(&entry, found.between, number(&entry["between"]), 1e-12, 1e-15);
        close(&entry, found.within_share, number(&entry["within_share"]), 1e-12, 0.0);
    }
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 256,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    }
}

/// Values with and without ties, of one size and of all sizes that a number can have.
fn finite() -> impl Strategy<Value = Vec<f64>> {
    let any = prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO;
    let extreme = prop::sample::select(vec![f64::MAX, f64::MIN, 5e-324, -5e-324, 0.0, -0.0, 1.0]);
    let printed = (-30i32..30).prop_map(|tenths| f64::from(tenths) / 10.0);
    let near = (0u8..4).prop_map(|ulps| 1.0 + f64::from(ulps) * f64::EPSILON);
    prop_oneof![
        prop::collection::vec(any | prop::num::f64::NEGATIVE, 0..60),
        prop::collection::vec(extreme, 0..60),
        prop::collection::vec(printed, 0..60),
        prop::collection::vec(near, 0..60),
    ]
}

/// Positive values such as a benchmark prints.
fn measured() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((1u32..2_000).prop_map(|cents| f64::from(cents) / 100.0), 10..40)
}

fn probability(p: f64) -> bool {
    (0.0..=1.0).contains(&p)
}

fn near(found: Option<f64>, expected: Option<f64>) -> bool {
    match (found, expected) {
        (Some(x), Some(y)) => (x - y).abs() <= 1e-9 * y.abs().max(1e-3),
        (x, y) => x == y,
    }
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn whatever_the_values_the_numbers_are_numbers(
        values in finite(), q in 0.0..=1.0, confidence in 0.0..=1.0, errors in finite(),
    ) {
        if let Some(trend) = Trend::of(&values) {
            prop_assert!(trend.tau.abs() <= 1.0 && trend.p_value > 0.0 && trend.p_value <= 1.0);
        }
        if let Some(found) = Autocorrelation::of(&values) {
            prop_assert!(found.r.abs() <= 1.0 && probability(found.p_value), "{found:?}");
        }
        if let Some(z) = modified_z(&values) {
            prop_assert!(z.len() == values.len() && z.iter().all(|z| z.is_finite()));
        }
        prop_assert!(outliers(&values, 3.5).iter().all(|position| *position < values.len()));
        for larger_is_worse in [true, false] {
            if let Some(start) = SlowLimits::default().slow_start(&values, larger_is_worse) {
                prop_assert!(start.excess > 0.0 && start.excess.is_finite());
                prop_assert!(start.median.is_finite());
            }
        }
        if let Some(modes) = Modes::of(&values, 0) {
            prop_assert!(modes.centres[0] <= modes.centres[1] && modes.p_value > 0.0);
            prop_assert!(probability(modes.share) && probability(modes.p_value));
            prop_assert_eq!(modes.counts.iter().sum::<usize>(), values.len());
        }
        let positive: Vec<f64> = values.iter().map(|value| value.abs()).collect();
        for values in [&values, &positive] {
            if let Some(interval) = Interval::of_log_sd(values, confidence) {
                prop_assert!(interval.low >= 0.0 && interval.low <= interval.high);
                prop_assert!(interval.high.is_finite());
            }
        }
        let errors_found =
            [mean_standard_error(&values), quantile_standard_error(&sorted(&values), q)];
        for error in errors_found.into_iter().flatten() {
            prop_assert!(error >= 0.0 && error.is_finite());
        }
        let runs = values.len().min(errors.len());
        if let Some(parts) = Components::of(&values[..runs], &errors[..runs]) {
            prop_assert!(probability(parts.within_share) && parts.between <= parts.total);
            prop_assert!(parts.total.is_finite() && parts.within.is_finite());
        }
    }

    #[test]
    fn the_reversed_order_reverses_the_trend(values in finite()) {
        let reversed: Vec<f64> = values.iter().rev().copied().collect();
        match (Trend::of(&values), Trend::of(&reversed)) {
            (Some(forward), Some(back)) => {
                prop_assert_eq!(forward.s, -back.s);
                prop_assert_eq!(forward.p_value.to_bits(), back.p_value.to_bits());
                prop_assert!((forward.tau + back.tau).abs() < 1e-300);
            }
            (forward, back) => prop_assert_eq!(forward, back),
        }
        let r = |values: &[f64]| Autocorrelation::of(values).map(|found| found.r);
        prop_assert!(near(r(&reversed), r(&values)));
    }

    /// A power of two scales exactly; a thousand, as from s to ms, but for rounding.
    #[test]
    fn a_change_of_unit_changes_nothing_relative(values in measured(), q in 0.1..0.9) {
        for (factor, exact) in [(1024.0, true), (1000.0, false)] {
            let scaled: Vec<f64> = values.iter().map(|value| value * factor).collect();
            prop_assert_eq!(Trend::of(&scaled), Trend::of(&values));
            let (found, plain) = (Autocorrelation::of(&scaled), Autocorrelation::of(&values));
            prop_assert!(near(found.map(|found| found.r), plain.map(|found| found.r)));
            prop_assert!(near(found.map(|found| found.p_value), plain.map(|found| found.p_value)));
            if exact {
                prop_assert_eq!(modified_z(&scaled), modified_z(&values));
                prop_assert_eq!(
                    SlowLimits::default().slow_start(&scaled, true).map(|start| start.excess),
                    SlowLimits::default().slow_start(&values, true).map(|start| start.excess)
                );
                let (found, plain) = (Modes::of(&scaled, 0), Modes::of(&values, 0));
                prop_assert_eq!(found.map(|modes| modes.counts), plain.map(|modes| modes.counts));
                prop_assert_eq!(found.map(|modes| modes.p_value), plain.map(|modes| modes.p_value));
            }
            let low = |values: &[f64]| Interval::of_log_sd(values, 0.95).map(|interval| interval.low);
            prop_assert!(near(low(&scaled), low(&values)));
            let error = |values: &[f64]| quantile_standard_error(&sorted(values), q);
            prop_assert!(near(error(&scaled).map(|error| error / factor), error(&values)));
            let error = mean_standard_error(&scaled).map(|error| error / factor);
            prop_assert!(near(error, mean_standard_error(&values)));
        }
    }

    #[test]
    fn the_order_of_the_values_matters_only_where_it_is_asked_for(values in measured()) {
        let ordered = sorted(&values);
        prop_assert_eq!(Modes::of(&ordered, 0), Modes::of(&values, 0));
        prop_assert_eq!(outliers(&ordered, 3.5).len(), outliers(&values, 3.5).len());
        let high = |values: &[f64]| Interval::of_log_sd(values, 0.9).map(|interval| interval.high);
        prop_assert!(near(high(&ordered), high(&values)));
    }

    #[test]
    fn a_higher_confidence_never_narrows(values in measured(), n in 2usize..10) {
        let interval = |confidence| Interval::of_log_sd(&values[..n], confidence);
        if let (Some(wide), Some(narrow)) = (interval(0.95), interval(0.8)) {
            prop_assert!(wide.low < narrow.low && wide.high > narrow.high);
        }
    }
}
