//! Borrowed noise, paired runs, rank sums, pseudo standard errors and order statistics: numbers of
//! independent implementations, and laws that hold for all values. `tests/golden/borrowed.json` is made
//! by `tests/golden/make_borrowed.py` with R, limma, scipy and full enumeration; its header names the calls.

use beyondnoise::stats::{
    Across, Curve, Interval, Method, Prior, Resampling, Sample, Scale, TwoSample, Undefined,
    Variance,
};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::Value;

const METHODS: [(&str, Method); 4] = [
    ("calibrated", Method::Calibrated),
    ("welch", Method::Welch),
    ("percentile", Method::Percentile),
    ("bca", Method::Bca),
];

fn golden(topic: &str) -> Vec<Value> {
    let text = include_str!("../golden/borrowed.json");
    let all: Value = serde_json::from_str(text).expect("borrowed.json is JSON");
    all[topic].as_array().expect("a list per topic").clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number, not {value}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

fn sample(values: &[f64]) -> Sample {
    Sample::new(values.to_vec()).expect("finite values")
}

fn samples(entry: &Value) -> (Sample, Sample) {
    (sample(&numbers(&entry["a"])), sample(&numbers(&entry["b"])))
}

fn variance(pair: &Value) -> Option<Variance> {
    (!pair.is_null()).then(|| Variance { value: number(&pair[0]), df: number(&pair[1]) })
}

#[track_caller]
fn close(what: &str, found: f64, expected: f64, relative: f64, absolute: f64) {
    let tolerance = absolute + relative * expected.abs();
    assert!((found - expected).abs() <= tolerance, "{what}: {found} against {expected}");
}

/// A bound of the library against a reference, in which `null` is infinite; `unit` is a standard error.
#[track_caller]
fn close_end(what: &str, found: f64, expected: &Value, unit: f64) {
    if expected.is_null() {
        assert!(found.is_infinite(), "{what}: {found} is finite");
    } else {
        close(what, found, number(expected), 1e-12, 1e-11 * unit);
    }
}

/// Intervals and p-value of `curve` against `{"interval": {level: [low, high]}, "p_value": p}`.
#[track_caller]
fn check(what: &str, curve: &Curve, expected: &Value) {
    for (level, ends) in expected["interval"].as_object().expect("a level each") {
        let Interval { low, high, .. } = curve.interval(level.parse().expect("a level"));
        let what = format!("{what} at {level}");
        close_end(&what, low, &ends[0], curve.standard_error());
        close_end(&what, high, &ends[1], curve.standard_error());
    }
    if let Some(p) = expected["p_value"].as_f64() {
        close(&format!("p of {what}"), curve.p_value(0.0), p, 1e-9, 1e-12);
    }
}

#[track_caller]
fn check_error(what: &str, curve: &Curve, expected: &Value) {
    close(what, curve.estimate(), number(&expected["estimate"]), 1e-12, 1e-14);
    close(what, curve.standard_error(), number(&expected["se"]), 1e-12, 0.0);
    close(what, curve.degrees_of_freedom(), number(&expected["df"]), 1e-11, 0.0);
}

#[test]
fn unequal_numbers_of_runs_of_any_sign_agree_with_full_enumeration() {
    for entry in golden("unequal_linear") {
        let (a, b) = samples(&entry);
        let how = Resampling::default();
        let curve =
            TwoSample::new(&a, &b, Across::MEAN, how).curve(Scale::Linear, Method::Calibrated);
        let (name, curve) = (entry["name"].to_string(), curve.expect("a curve"));
        check_error(&name, &curve, &entry);
        check(&name, &curve, &entry);
    }
}

#[test]
fn the_prior_agrees_with_limma() {
    for entry in golden("prior") {
        let others: Vec<Variance> =
            entry["others"].as_array().expect("a list").iter().filter_map(variance).collect();
        let own = variance(&entry["own"]);
        let prior = Prior::fit(&others, own).expect("a prior");
        let name = entry["name"].to_string();
        let mut expected = vec![(prior.variance, "prior"), (prior.moderate(own), "moderated")];
        // limma's own number where no cap holds.
        if entry["limma"][1].as_f64().is_some_and(|df| df <= 0.999 * number(&entry["prior"][1])) {
            expected.push((prior.variance, "limma"));
        }
        for (found, field) in expected {
            close(&name, found.value, number(&entry[field][0]), 1e-11, 0.0);
            close(&name, found.df, number(&entry[field][1]), 1e-11, 0.0);
        }
        // limma's variance is that of the fit, whatever the cap.
        if entry["limma"][1].is_number() {
            close(&name, prior.variance.value, number(&entry["limma"][0]), 1e-11, 0.0);
        }
        close(&name, prior.pooled_df, number(&entry["pooled_df"]), 1e-14, 0.0);
    }
    let zero = Variance { value: 0.0, df: 3.0 };
    assert_eq!(Prior::fit(&[], None), None);
    assert_eq!(Prior::fit(&[zero; 5], None), None);
    assert_eq!(Prior::fit(&[zero], Some(Variance { value: 1.0, df: 3.0 })), None);
}

#[test]
fn moderated_intervals_agree_with_full_enumeration() {
    for entry in golden("moderated") {
        let (a, b) = samples(&entry);
        let prior = Prior {
            variance: variance(&entry["prior"]).expect("a prior"),
            pooled_df: number(&entry["pooled_df"]),
        };
        for (key, method) in &METHODS[..2] {
            let curves = TwoSample::new(&a, &b, Across::MEAN, Resampling::default())
                .moderated(*method, &prior);
            for (scale, curve) in ["log", "linear"].iter().zip(curves) {
                let (curve, part) = (curve.expect("a curve"), &entry[scale]);
                let name = format!("{} {scale} {key}", entry["name"]);
                close(&name, curve.estimate(), number(&part["estimate"]), 1e-12, 1e-15);
                close(&name, curve.standard_error(), number(&part["se"]), 1e-11, 0.0);
                close(&name, curve.degrees_of_freedom(), number(&part["df"]), 1e-11, 0.0);
                check(&name, &curve, &part[key]);
            }
        }
    }
}

#[test]
fn paired_runs_agree_with_scipy_and_with_full_enumeration() {
    for entry in golden("paired") {
        let (a, b) = (numbers(&entry["a"]), numbers(&entry["b"]));
        for (key, method) in METHODS {
            let curves = Curve::of_pairs(&a, &b, 0.0, Across::MEAN, method, Resampling::default());
            for (scale, curve) in ["log", "linear"].iter().zip(curves) {
                let part = &entry[scale];
                if part.is_null() {
                    assert_eq!(curve.err(), Some(Undefined::NotPositive));
                } else if !part[key].is_null() {
                    let (name, curve) =
                        (format!("{} {scale} {key}", entry["name"]), curve.expect("a curve"));
                    check_error(&name, &curve, part);
                    check(&name, &curve, &part[key]);
                }
            }
        }
    }
}

#[test]
fn rank_intervals_agree_with_r_and_scipy() {
    for entry in golden("hodges_lehmann") {
        let (a, b) = samples(&entry);
        let curves = TwoSample::new(&a, &b, Across::HODGES_LEHMANN, Resampling::default())
            .curves(Method::Calibrated);
        for (scale, curve) in ["log", "linear"].iter().zip(curves) {
            let part = &entry[scale];
            if !part.is_null() {
                let (name, curve) = (format!("{} {scale}", entry["name"]), curve.expect("a curve"));
                close(&name, curve.estimate(), number(&part["estimate"]), 1e-12, 1e-15);
                check(&name, &curve, part);
            }
        }
    }
    for entry in golden("rank_runs_needed") {
        let found = Across::runs_for_ranks(number(&entry["confidence"]));
        assert_eq!(Some(found as u64), entry["expected"].as_u64(), "{entry}");
    }
    for entry in golden("centre") {
        let found = Across::HODGES_LEHMANN.compute(sample(&numbers(&entry["values"])).sorted());
        close("centre", found, number(&entry["expected"]), 1e-13, 1e-15);
    }
}

#[test]
fn pseudo_standard_errors_agree_with_numpy() {
    for entry in golden("lenth") {
        let found = Prior::pseudo_standard_error(&numbers(&entry["contrasts"])).expect("contrasts");
        close("error", found, number(&entry["expected"]), 1e-14, 0.0);
    }
    for entry in golden("noise_of_variants") {
        let prior = Prior::unreplicated(&numbers(&entry["values"])).expect("four variants");
        close("variance", prior.variance.value, number(&entry["variance"]), 1e-11, 0.0);
        close("df", prior.variance.df, number(&entry["df"]), 1e-15, 0.0);
    }
}

#[test]
fn order_statistics_of_many_runs_agree_with_their_exact_law_and_with_draws() {
    for entry in golden("order_statistic") {
        let (a, b) = samples(&entry);
        let q = number(&entry["quantile"]);
        let median = entry["name"].as_str().expect("a name").starts_with("median");
        let across = if median { Across::MEDIAN } else { Across::quantile(q) };
        for method in [Method::Percentile, Method::Calibrated] {
            let curves =
                TwoSample::new(&a, &b, across, Resampling { count: 1, seed: 0 }).curves(method);
            for (scale, curve) in ["log", "linear"].iter().zip(curves) {
                let (part, curve) = (&entry[scale], curve.expect("a curve"));
                let name = format!("{} {scale}", entry["name"]);
                close(&name, curve.estimate(), number(&part["estimate"]), 1e-12, 1e-14);
                check(&name, &curve, part);
                if *scale == "log" && entry["drawn"].is_object() {
                    check_draws(&name, &curve, &entry["drawn"]);
                }
            }
        }
    }
    for entry in golden("median_few") {
        let (a, b) = samples(&entry);
        let [curve, _] = TwoSample::new(&a, &b, Across::MEDIAN, Resampling::default())
            .curves(Method::Calibrated);
        let (name, curve) = (entry["name"].to_string(), curve.expect("a curve"));
        check_error(&name, &curve, &entry);
        check(&name, &curve, &entry);
    }
}

/// The bounds lie between order statistics of the draws, five standard errors of the level apart.
fn check_draws(name: &str, curve: &Curve, of_draws: &Value) {
    for (level, brackets) in of_draws["brackets"].as_object().expect("a level each") {
        let interval = curve.interval(level.parse().expect("a level"));
        for (end, bracket) in [interval.low, interval.high].iter().zip([&brackets[0], &brackets[1]])
        {
            let (low, high) = (number(&bracket[0]) - 1e-12, number(&bracket[1]) + 1e-12);
            assert!((low..=high).contains(end), "{name}: {end} not in {bracket}");
        }
    }
    let draws = number(&of_draws["draws"]);
    close(name, curve.p_value(0.0), number(&of_draws["p_value"]), 0.0, 5.0 / draws.sqrt());
}

// Laws.

/// Few resamples: the laws hold for any number of them.
const HOW: Resampling = Resampling { count: 300, seed: 7 };

/// Relative rounding that a change of unit may cost.
const ROUNDING: f64 = 1e-9;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    }
}

/// Bits with one zero only: a mirrored 0 is -0.
fn bits(x: f64) -> u64 {
    (x + 0.0).to_bits()
}

fn ends(interval: Interval) -> [u64; 2] {
    [bits(interval.low), bits(interval.high)]
}

/// Whether `x` and `y` are both infinite or agree to `tolerance` times `unit`, or times their own size
/// where that is larger: bounds of few degrees of freedom are far out.
fn near(x: f64, y: f64, tolerance: f64, unit: f64) -> bool {
    bits(x) == bits(y) || (x - y).abs() <= tolerance * unit.max(x.abs().min(y.abs()))
}

fn near_ends(x: Interval, y: Interval, tolerance: f64, unit: f64) -> bool {
    // What is rounded in the standard error shows in an end by the width that it makes.
    let width = x.high - x.low;
    let unit = if width.is_finite() { unit.max(width) } else { unit };
    near(x.low, y.low, tolerance, unit) && near(x.high, y.high, tolerance, unit)
}

/// What a curve is made from, beside the values: the designs of this file.
#[derive(Clone, Debug)]
enum Design {
    Paired(Method),
    Moderated(Prior, Method),
    Ranks,
    /// Means of different numbers of runs.
    Unequal(Method),
}

impl Design {
    fn curve(&self, a: &[f64], b: &[f64], scale: Scale) -> Curve {
        let (x, y) = (sample(a), sample(b));
        let [log, linear] = match self {
            Self::Paired(method) => Curve::of_pairs(a, b, 0.0, Across::MEAN, *method, HOW),
            Self::Moderated(prior, method) => {
                TwoSample::new(&x, &y, Across::MEAN, HOW).moderated(*method, prior)
            }
            Self::Ranks => {
                TwoSample::new(&x, &y, Across::HODGES_LEHMANN, HOW).curves(Method::Calibrated)
            }
            Self::Unequal(method) => TwoSample::new(&x, &y, Across::MEAN, HOW).curves(*method),
        };
        if scale == Scale::Log { log } else { linear }.expect("positive values that differ")
    }
}

/// Per-run values about `centre` with noise of up to 30 %, no two alike.
fn variant(
    centre: f64,
    runs: impl Into<prop::collection::SizeRange>,
) -> impl Strategy<Value = Vec<f64>> {
    let noise = prop_oneof![Just(0.3), Just(0.02), Just(0.001)];
    let units = prop::collection::vec(-1.0..1.0f64, runs);
    (noise, units).prop_map(move |(noise, units): (f64, Vec<f64>)| {
        units.iter().map(|unit| centre * (1.0 + noise * unit)).collect()
    })
}

fn variants(
    (a, b): (usize, usize),
    centre: f64,
    ratio: f64,
) -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    (variant(centre, a), variant(centre * ratio, b))
}

fn prior() -> impl Strategy<Value = Prior> {
    (-8.0..-1.0f64, -1.0..2.0f64, 2.0..8.0f64).prop_map(|(variance, df, others)| {
        let df = 10f64.powf(df);
        Prior { variance: Variance { value: 10f64.powf(variance), df }, pooled_df: others * df }
    })
}

/// A design and the values of its two variants.
fn compared() -> impl Strategy<Value = (Design, Vec<f64>, Vec<f64>)> {
    let method = || {
        prop::sample::select(vec![
            Method::Calibrated,
            Method::Percentile,
            Method::Bca,
            Method::Welch,
        ])
    };
    let own_only = prop::sample::select(vec![Method::Calibrated, Method::Welch]);
    let unequal = prop_oneof![(3..=5usize, 6..=7usize), (6..=14usize, 3..=5usize)];
    let design = prop_oneof![
        (method(), 2..=13usize).prop_map(|(method, n)| (Design::Paired(method), (n, n))),
        (prior(), own_only, 1..=7usize, 1..=7usize)
            .prop_map(|(prior, method, a, b)| (Design::Moderated(prior, method), (a, b))),
        (2..=12usize, 2..=12usize).prop_map(|runs| (Design::Ranks, runs)),
        (52..=54usize, 50..=52usize).prop_map(|runs| (Design::Ranks, runs)),
        (method(), unequal).prop_map(|(method, runs)| (Design::Unequal(method), runs)),
    ];
    (design, -3.0..6.0f64, 0.7..1.3f64).prop_flat_map(|((design, runs), magnitude, ratio)| {
        let values = variants(runs, 10f64.powf(magnitude), ratio);
        values.prop_map(move |(a, b)| (design.clone(), a, b))
    })
}

fn scale() -> impl Strategy<Value = Scale> {
    prop_oneof![Just(Scale::Log), Just(Scale::Linear)]
}

fn confidence() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.95), 0.01..0.9999f64]
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn swapping_the_variants_mirrors_the_curve(
        (design, a, b) in compared(),
        scale in scale(),
        confidence in confidence(),
    ) {
        let forward = design.curve(&a, &b, scale);
        let swapped = design.curve(&b, &a, scale);
        let (x, y) = (forward.interval(confidence), swapped.interval(confidence).negated());
        let (p, q) = (forward.p_value(0.0), swapped.p_value(0.0));
        let Design::Paired(_) = design else {
            prop_assert_eq!(bits(forward.estimate()), bits(-swapped.estimate()));
            prop_assert_eq!(ends(x), ends(y));
            prop_assert_eq!(bits(p), bits(q));
            return Ok(());
        };
        // The reciprocal of a ratio is rounded, and so is a sum from the other end.
        let size = match scale {
            Scale::Log => 1.0,
            Scale::Linear => a.iter().chain(&b).copied().fold(0.0, f64::max),
        };
        prop_assert!(near(forward.estimate(), -swapped.estimate(), 1e-12, size));
        prop_assert!(near_ends(x, y, 1e-12, size), "{x:?} {y:?}");
        prop_assert!(near(p, q, ROUNDING, 1.0), "{p} {q}");
    }

    #[test]
    fn a_change_of_unit_changes_nothing_relative(
        (design, a, b) in compared(),
        confidence in confidence(),
        magnitude in -60.0..60.0f64,
    ) {
        if let Design::Unequal(Method::Bca | Method::Percentile) = design {
            // Their ends jump from one resample to the next, where a rounding may decide between equal ones.
            return Ok(());
        }
        let factor = 10f64.powf(magnitude);
        let scaled = |values: &[f64]| values.iter().map(|x| x * factor).collect::<Vec<f64>>();
        let plain = design.curve(&a, &b, Scale::Log);
        let other = design.curve(&scaled(&a), &scaled(&b), Scale::Log);
        let (x, y) = (plain.interval(confidence), other.interval(confidence));
        let unit = plain.standard_error();
        prop_assert!(near(plain.estimate(), other.estimate(), ROUNDING, unit));
        prop_assert!(near_ends(x, y, ROUNDING, unit), "{x:?} {y:?}");
        let (p, q) = (plain.p_value(0.0), other.p_value(0.0));
        prop_assert!(near(p, q, ROUNDING, 1.0), "{p} {q}");
    }

    #[test]
    fn interval_and_p_value_agree(
        (design, a, b) in compared(),
        scale in scale(),
        null in -0.5..0.5f64,
        random_alpha in 0.001..0.5f64,
    ) {
        let curve = design.curve(&a, &b, scale);
        let spread = curve.standard_error();
        for null in [0.0, curve.estimate() + 8.0 * null * spread] {
            let p = curve.p_value(null);
            prop_assert!((0.0..=1.0).contains(&p), "p {p}");
            for alpha in [0.01, 0.05, 0.1, 0.2, random_alpha, p * 0.99, p * 1.01] {
                // A tie is where they touch; beyond it both must say the same.
                if !(1e-6..0.5).contains(&alpha) || (p - alpha).abs() <= 1e-9 {
                    continue;
                }
                let Interval { low, high, .. } = curve.interval(1.0 - alpha);
                let excluded = low > null || high < null;
                let touching = (low - null).abs().min((high - null).abs()) <= 1e-12 * spread;
                prop_assert!(
                    touching || excluded == (p < alpha),
                    "null {null}, alpha {alpha}, p {p}, interval {low} to {high}"
                );
            }
        }
    }

    /// A comparison whose runs say nothing has the prior's noise, one with many runs its own.
    #[test]
    fn a_moderated_variance_lies_between_the_prior_and_its_own(
        prior in prior(),
        value in 1e-8..1e-1f64,
        df in 0.5..200.0f64,
    ) {
        let own = Variance { value, df };
        let found = prior.moderate(Some(own));
        let [low, high] = [value.min(prior.variance.value), value.max(prior.variance.value)];
        prop_assert!(found.value >= low * (1.0 - 1e-14) && found.value <= high * (1.0 + 1e-14));
        prop_assert!(found.df <= prior.pooled_df && found.df <= prior.variance.df + df);
    }
}
