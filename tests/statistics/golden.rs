//! Numbers of independent implementations: `tests/golden/golden.json`, made by
//! `tests/golden/make_golden.py` with numpy, scipy, statsmodels and a naive full enumeration. Every
//! entry names the call that made it.

use beyondnoise::stats::{
    Across, Adjustment, Curve, Method, PlannedTest, Resampling, Sample, Scale, Student, TwoSample,
    break_even_cv, pooled_cv, quantile,
};
use serde_json::Value;

fn golden(topic: &str) -> Vec<Value> {
    let text = include_str!("../golden/golden.json");
    let all: Value = serde_json::from_str(text).expect("golden.json is JSON");
    all[topic].as_array().expect("a list per topic").clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number, not {value}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

fn sample(value: &Value) -> Sample {
    Sample::new(numbers(value)).expect("finite values")
}

fn count(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("a count")).expect("a small count")
}

#[track_caller]
fn close(what: &str, found: f64, expected: f64, relative: f64, absolute: f64) {
    let tolerance = absolute + relative * expected.abs();
    assert!((found - expected).abs() <= tolerance, "{what}: {found} against {expected}");
}

/// Compares the intervals of an entry with those of the library.
fn check_intervals(entry: &Value, across: Across, scale: Scale, method: Method, field: &Value) {
    let (a, b) = (sample(&entry["a"]), sample(&entry["b"]));
    let curve = TwoSample::new(&a, &b, across, Resampling::default())
        .curve(scale, method)
        .expect("an interval");
    let name = format!("{} {method:?} {scale:?}", entry["name"]);
    for (level, ends) in field.as_object().expect("a level each") {
        let interval = curve.interval(level.parse().expect("a level"));
        let interval = if scale == Scale::Log { interval.map(f64::exp_m1) } else { interval };
        let ends = numbers(ends);
        close(&name, interval.low, ends[0], 1e-8, 1e-10);
        close(&name, interval.high, ends[1], 1e-8, 1e-10);
    }
}

#[test]
fn the_calibrated_interval_agrees_with_full_enumeration() {
    for entry in golden("calibrated") {
        let scales = [(Scale::Log, &entry), (Scale::Linear, &entry["absolute"])];
        for (scale, part) in scales {
            let field = if scale == Scale::Log { "interval_relative" } else { "interval" };
            check_intervals(&entry, Across::MEAN, scale, Method::Calibrated, &part[field]);
        }
        let (a, b) = (sample(&entry["a"]), sample(&entry["b"]));
        let curve = TwoSample::new(&a, &b, Across::MEAN, Resampling::default())
            .curve(Scale::Log, Method::Calibrated)
            .expect("an interval");
        let name = entry["name"].as_str().expect("a name");
        close(name, curve.estimate(), number(&entry["theta"]), 1e-12, 1e-14);
        close(name, curve.standard_error(), number(&entry["se"]), 1e-12, 0.0);
        close(name, curve.degrees_of_freedom(), number(&entry["df"]), 1e-10, 0.0);
        close(name, curve.p_value(0.0), number(&entry["p_value"]), 1e-7, 1e-9);
        close(name, curve.probability_above(0.0), number(&entry["p_delta_above_0"]), 1e-7, 1e-9);
        let above = curve.probability_above(0.01f64.ln_1p());
        close(name, above, number(&entry["p_relative_above_0.01"]), 1e-7, 1e-9);
    }
}

/// Five Monte Carlo standard errors of 10,000 resamples beside those of the 2,000,000 of the reference.
#[test]
fn drawn_resamples_agree_with_two_million() {
    for entry in golden("drawn") {
        let (a, b) = (sample(&entry["a"]), sample(&entry["b"]));
        let how = Resampling { count: 200_000, seed: 5 };
        let curve = TwoSample::new(&a, &b, Across::MEAN, how)
            .curve(Scale::Log, Method::Calibrated)
            .expect("an interval");
        for (level, ends) in entry["interval_relative"].as_object().expect("a level each") {
            let confidence = level.parse().expect("a level");
            let interval = curve.interval(confidence).map(f64::exp_m1);
            let errors = numbers(&entry["interval_mc_se_with_10000_resamples"][level.as_str()]);
            let shrink = 5.0 / 20f64.sqrt();
            // With 7 to 12 runs of each the wider one of it and Welch's counts, whose golden numbers are below.
            let welch = TwoSample::new(&a, &b, Across::MEAN, how).curve(Scale::Log, Method::Welch);
            let welch = welch.expect("an interval").interval(confidence).map(f64::exp_m1);
            let both = (7..=12).contains(&a.runs()) && (7..=12).contains(&b.runs());
            let [mut low, mut high] = [number(&ends[0]), number(&ends[1])];
            if both {
                (low, high) = (low.min(welch.low), high.max(welch.high));
            }
            close(level, interval.low, low, 0.0, errors[0] * shrink);
            close(level, interval.high, high, 0.0, errors[1] * shrink);
        }
    }
}

#[test]
fn welch_agrees_with_scipy() {
    for entry in golden("welch") {
        let field = &entry["interval_relative"];
        check_intervals(&entry, Across::MEAN, Scale::Log, Method::Welch, field);
        let (a, b) = (sample(&entry["a"]), sample(&entry["b"]));
        let how = Resampling::default();
        let curve = TwoSample::new(&a, &b, Across::MEAN, how)
            .curve(Scale::Log, Method::Welch)
            .expect("a curve");
        close("p", curve.p_value(0.0), number(&entry["p_value"]), 1e-9, 1e-12);
    }
}

#[test]
fn the_percentile_interval_agrees_with_full_enumeration() {
    for entry in golden("percentile") {
        let field = &entry["interval_relative"];
        check_intervals(&entry, Across::MEAN, Scale::Log, Method::Percentile, field);
        let (a, b) = (sample(&entry["a"]), sample(&entry["b"]));
        let how = Resampling::default();
        let curve = TwoSample::new(&a, &b, Across::MEAN, how)
            .curve(Scale::Log, Method::Percentile)
            .expect("a curve");
        close("p", curve.p_value(0.0), number(&entry["p_value"]), 1e-9, 1e-10);
    }
}

#[test]
fn bca_agrees_with_full_enumeration() {
    for entry in golden("bca") {
        check_intervals(&entry, Across::MEAN, Scale::Log, Method::Bca, &entry["interval_relative"]);
    }
}

#[test]
fn the_median_over_runs_agrees_with_full_enumeration() {
    for entry in golden("median_over_runs") {
        let field = &entry["interval_relative"];
        check_intervals(&entry, Across::MEDIAN, Scale::Log, Method::Percentile, field);
        check_intervals(&entry, Across::MEDIAN, Scale::Log, Method::Calibrated, field);
    }
}

#[test]
fn adjusted_p_values_agree_with_statsmodels() {
    for (topic, adjustment) in [("holm", Adjustment::Holm), ("bh", Adjustment::FalseDiscovery)] {
        for entry in golden(topic) {
            let found = adjustment.adjusted(&numbers(&entry["p"]));
            for (found, expected) in found.iter().zip(numbers(&entry["adjusted"])) {
                close(topic, *found, expected, 1e-12, 1e-15);
            }
        }
    }
}

#[test]
fn quantiles_agree_with_numpy() {
    for entry in golden("quantile") {
        let found = quantile(sample(&entry["values"]).sorted(), number(&entry["q"]));
        close("quantile", found, number(&entry["expected"]), 1e-14, 0.0);
    }
}

/// The distribution functions of statrs carry about 1e-11; scipy's values near the middle 5e-13.
#[test]
fn t_and_normal_agree_with_scipy() {
    for entry in golden("t_ppf") {
        let (u, df) = (number(&entry["u"]), number(&entry["df"]));
        close(
            &format!("t_ppf({u}, {df})"),
            Student { df }.quantile(u),
            number(&entry["expected"]),
            1e-9,
            1e-10,
        );
    }
    for entry in golden("norm_ppf") {
        let u = number(&entry["u"]);
        close("norm_ppf", Student::NORMAL.quantile(u), number(&entry["expected"]), 1e-11, 0.0);
    }
    for entry in golden("t_cdf") {
        let (x, df) = (number(&entry["x"]), number(&entry["df"]));
        close(
            &format!("t_cdf({x}, {df})"),
            Student { df }.cdf(x),
            number(&entry["expected"]),
            1e-9,
            1e-10,
        );
    }
}

#[test]
fn power_agrees_with_statsmodels() {
    for entry in golden("power") {
        let (a, b) = (count(&entry["n_a"]), count(&entry["n_b"]));
        let effect = number(&entry["effect_over_noise"]);
        let test = PlannedTest { noise: 1.0, alpha: number(&entry["alpha"]) };
        let found = test.power(effect, (a, b), (a + b - 2) as f64);
        close(&format!("power {effect} {a} {b}"), found, number(&entry["expected"]), 1e-6, 1e-8);
    }
    for entry in golden("runs_needed") {
        let effect = number(&entry["effect_over_noise"]);
        let test = PlannedTest { noise: 1.0, alpha: number(&entry["alpha"]) };
        let found = test.t_test_runs_needed(effect, 0.0, number(&entry["power"]));
        assert_eq!(found, Some(count(&entry["expected"])), "{entry}");
    }
    for entry in golden("detectable") {
        let n = count(&entry["n"]);
        let test = PlannedTest { noise: 1.0, alpha: number(&entry["alpha"]) };
        let found = test.detectable((n, n), 2.0 * (n - 1) as f64, number(&entry["power"]));
        close("detectable", found, number(&entry["expected"]), 1e-6, 0.0);
    }
}

#[test]
fn noise_agrees_with_numpy() {
    for entry in golden("pooled_cv") {
        let (a, b) = (sample(&entry["a"]), sample(&entry["b"]));
        let (cv, df) = pooled_cv(&a, &b).expect("two runs");
        close("pooled", cv, number(&entry["sd_log_pooled"]), 1e-10, 0.0);
        assert_eq!(df, count(&entry["df"]));
        close("one", a.log_sd().expect("two runs"), number(&entry["sd_log_a"]), 1e-11, 1e-15);
    }
    for entry in golden("break_even") {
        let log_ratio = (number(&entry["b"]) / number(&entry["a"])).ln();
        close(
            "break even",
            break_even_cv(log_ratio, 1, 1, 0.95),
            number(&entry["expected"]),
            1e-10,
            0.0,
        );
    }
}

/// Exact laws by powers of Fourier transforms: `tests/golden/make_expansion.py`.
///
/// The Monte Carlo error of 10,000 resamples is 0.027 standard deviations of the deltas at levels of 0.025 and 0.975,
/// and 0.049 at 0.005 and 0.995.
#[test]
fn the_law_of_thousands_of_values_is_the_exact_one() {
    let all: Value = serde_json::from_str(include_str!("../golden/expansion.json")).expect("JSON");
    for entry in all["laws"].as_array().expect("a list") {
        let (a, b) = (sample(&entry["a"]), sample(&entry["b"]));
        let levels = numbers(&entry["levels"]);
        for (scale, field) in [(Scale::Linear, "linear"), (Scale::Log, "log")] {
            let with = |seed| {
                let how = Resampling { count: 10_000, seed };
                TwoSample::new(&a, &b, Across::MEAN, how)
                    .curve(scale, Method::Percentile)
                    .expect("a curve")
            };
            let (curve, exact) = (with(0), numbers(&entry[field]));
            let sd = curve.standard_error();
            let name = format!("{} {field}", entry["name"]);
            for (index, u) in levels.iter().enumerate().take(levels.len() / 2) {
                let interval = curve.interval(1.0 - 2.0 * u);
                // Besides, half a step of the lattice on which the exact law stands.
                let tolerance = if *u < 0.02 { 0.002 } else { 0.0015 } * sd;
                close(&name, interval.low, exact[index], 0.0, tolerance);
                close(&name, interval.high, exact[levels.len() - 1 - index], 0.0, tolerance);
            }
            // In closed form: no seed.
            assert_eq!(curve.interval(0.95), with(1).interval(0.95));
            if scale == Scale::Log {
                let below = 1.0 - curve.probability_above(0.0);
                close(&name, below, number(&entry["at_most_0"]), 1e-2, 1e-5);
            }
        }
    }
}

/// One run fewer than the closed form takes: resamples are drawn, and meet it to their Monte Carlo error.
#[test]
fn drawn_resamples_meet_the_closed_form_at_1000_values() {
    let value = |i: u32, n: u32| 1000.0 - 200.0 * (-(f64::from(i) + 0.5) / f64::from(n)).ln_1p();
    let with = |n: u32, seed| {
        let of = |shift: f64| Sample::new((0..n).map(|i| value(i, n) + shift).collect());
        let (a, b) = (of(0.0).expect("values"), of(7.0).expect("values"));
        let how = Resampling { count: 10_000, seed };
        TwoSample::new(&a, &b, Across::MEAN, how)
            .curve(Scale::Log, Method::Percentile)
            .expect("a curve")
    };
    let (closed, drawn) = (with(1_700, 0), with(999, 0));
    assert_eq!(closed.interval(0.95), with(1_700, 1).interval(0.95));
    assert_ne!(drawn.interval(0.95), with(999, 1).interval(0.95));
    let ends = |curve: &Curve, level: f64| {
        let (interval, sd) = (curve.interval(level), curve.standard_error());
        [interval.low, interval.high].map(|end| (end - curve.estimate()) / sd)
    };
    for level in [0.5, 0.9, 0.95] {
        for (x, y) in ends(&closed, level).into_iter().zip(ends(&drawn, level)) {
            // Four Monte Carlo standard errors.
            close("ends", x, y, 0.0, 4.0 * 0.027);
        }
    }
}
