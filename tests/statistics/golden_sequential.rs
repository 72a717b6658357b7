//! Planning against independent implementations: `tests/golden/sequential.json`, made by
//! `tests/golden/make_sequential.py` with scipy and statsmodels, and the published boundaries. Every entry
//! names the call that made it. And the promise of planned looks, simulated.

use beyondnoise::stats::{
    Across, LastLook, Look, Method, PlannedTest, Resampling, Sample, Scale, TwoSample, Variance,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde_json::Value;

fn golden(topic: &str) -> Vec<Value> {
    let text = include_str!("../golden/sequential.json");
    let all: Value = serde_json::from_str(text).expect("sequential.json is JSON");
    all[topic].as_array().expect("a list per topic").clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number, not {value}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

fn count(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("a count")).expect("a small count")
}

#[track_caller]
fn close(what: &str, found: f64, expected: f64, relative: f64) {
    assert!(
        (found - expected).abs() <= relative * expected.abs(),
        "{what}: {found} against {expected}"
    );
}

/// Reboussin, `DeMets`, Kim and Lan 2000; printed to three decimals.
#[test]
fn the_boundaries_are_the_published_ones() {
    for entry in golden("published") {
        let expected = numbers(&entry["boundary"]);
        for (look, expected) in Look::equal(0.95, count(&entry["looks"])).iter().zip(&expected) {
            assert!((look.boundary - expected).abs() < 5.1e-4, "{look:?} against {expected}");
        }
    }
}

/// The tolerance of the level is that of its boundary times the slope: 1e-9 of z is 7e-9 at z = 7.
#[test]
fn the_boundaries_agree_with_quadrature_in_scipy() {
    for entry in golden("looks") {
        let (alpha, k) = (number(&entry["alpha"]), count(&entry["looks"]));
        let found = Look::equal(1.0 - alpha, k);
        assert_eq!(found.len(), k);
        for (index, look) in found.iter().enumerate() {
            let what = format!("alpha {alpha}, look {} of {k}", index + 1);
            close(&what, look.boundary, number(&entry["boundary"][index]), 1e-8);
            close(&what, look.level, number(&entry["level"][index]), 2e-7);
            close(&what, look.spent, number(&entry["spent"][index]), 1e-9);
            close(&what, look.fraction, (index + 1) as f64 / k as f64, 1e-15);
            close(&what, Look::spent_alpha(alpha, look.fraction), look.spent, 1e-9);
        }
    }
}

/// Looks in unequal steps, with alpha spent linearly.
#[test]
fn the_boundaries_of_unequal_steps_agree_with_quadrature_in_scipy() {
    let entries = golden("planned");
    assert!(entries.len() > 15);
    for entry in entries {
        let alpha = number(&entry["alpha"]);
        let runs: Vec<usize> = entry["runs"].as_array().expect("runs").iter().map(count).collect();
        let found = Look::planned(1.0 - alpha, &runs);
        assert_eq!(found.len(), runs.len());
        for (index, look) in found.iter().enumerate() {
            let what = format!("alpha {alpha}, look {index} of {runs:?}");
            let part = runs[index] as f64 / runs[runs.len() - 1] as f64;
            close(&what, look.boundary, number(&entry["boundary"][index]), 1e-8);
            close(&what, look.level, number(&entry["level"][index]), 2e-7);
            close(&what, look.spent, alpha * part, 1e-9);
            close(&what, look.fraction, part, 1e-15);
        }
    }
}

/// The standard deviation of 4,000,000 draws is at most 0.00025.
#[test]
fn the_chance_of_the_last_look_agrees_with_draws_in_numpy() {
    for entry in golden("chance") {
        let last = LastLook {
            runs: count(&entry["last"]),
            df: number(&entry["df"]),
            level: number(&entry["level"]),
            equality_alpha: number(&entry["equality_alpha"]),
        };
        let margin = number(&entry["margin"]);
        let runs = [0, 1].map(|side: usize| count(&entry["runs"][side]));
        let (estimate, noise) = (number(&entry["estimate"]), number(&entry["noise"]));
        let found = last.chance(estimate, noise, runs, [-margin, margin].map(f64::ln_1p));
        let expected = number(&entry["chance"]);
        assert!((found - expected).abs() < 0.001, "{found} against {expected}: {entry}");
        let mirrored = [-margin.ln_1p(), -(-margin).ln_1p()];
        let mirrored = last.chance(-estimate, noise, runs, mirrored);
        assert!((found - mirrored).abs() < 1e-12, "{found} and mirrored {mirrored}");
    }
}

#[test]
#[should_panic(expected = "numbers of runs [3, 3] do not ascend")]
fn planned_runs_ascend() {
    Look::planned(0.95, &[3, 3]);
}

#[test]
fn runs_needed_agree_with_statsmodels() {
    let entries = golden("runs_needed");
    assert!(entries.len() > 70);
    for entry in entries {
        let (effect, wanted) = (number(&entry["effect"]), number(&entry["power"]));
        let (alpha, runs) = (number(&entry["alpha"]), count(&entry["runs"]));
        let test = PlannedTest { noise: 1.0, alpha };
        assert_eq!(test.t_test_runs_needed(effect, 0.0, wanted), Some(runs), "{entry}");
        let df = 2.0 * (runs - 1) as f64;
        close("power", test.power(effect, (runs, runs), df), number(&entry["achieved"]), 1e-7);
    }
}

#[test]
fn runs_needed_with_borrowed_noise_agree_with_scipy() {
    for entry in golden("runs_needed_with_prior") {
        let (effect, prior) = (number(&entry["effect"]), number(&entry["prior_df"]));
        let (wanted, alpha) = (number(&entry["power"]), number(&entry["alpha"]));
        let found = PlannedTest { noise: 1.0, alpha }.t_test_runs_needed(effect, prior, wanted);
        assert_eq!(found, Some(count(&entry["runs"])), "{entry}");
    }
}

#[test]
fn the_smallest_change_found_agrees_with_scipy() {
    for entry in golden("detectable") {
        let (runs, wanted) = (count(&entry["runs"]), number(&entry["power"]));
        let df = 2.0 * (runs - 1) as f64 + number(&entry["prior_df"]);
        let test = PlannedTest { noise: 1.0, alpha: number(&entry["alpha"]) };
        let found = test.detectable((runs, runs), df, wanted);
        close("effect", found, number(&entry["effect"]), 1e-7);
        let again = test.power(found, (runs, runs), df);
        close("power", again, wanted, 1e-9);
    }
}

#[test]
fn the_upper_end_of_the_noise_agrees_with_scipy() {
    for entry in golden("noise_at_most") {
        let found = Variance { value: 1.0, df: number(&entry["df"]) }
            .sd_at_most(number(&entry["confidence"]));
        close("factor", found, number(&entry["factor"]), 1e-9);
    }
}

/// Repetitions of the simulations below.
const REPETITIONS: u64 = 4_000;

/// Part of the repetitions without a change in which some of the looks at 2, 4, ... runs each finds one.
fn false_findings(levels: &[f64]) -> f64 {
    let found = |repetition: &u64| {
        // One stream per repetition, so that the result does not depend on the number of threads.
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        rng.set_stream(*repetition);
        let mut runs = || -> Vec<f64> { (0..2 * levels.len()).map(|_| normal(&mut rng)).collect() };
        let (a, b) = (runs(), runs());
        levels.iter().enumerate().any(|(index, level)| {
            let first =
                |all: &[f64]| Sample::new(all[..2 * (index + 1)].to_vec()).expect("finite values");
            let how = Resampling::default();
            let (a, b) = (first(&a), first(&b));
            let curve =
                TwoSample::new(&a, &b, Across::MEAN, how).curve(Scale::Linear, Method::Welch);
            curve.expect("a curve").p_value(0.0) < *level
        })
    };
    let count = (0..REPETITIONS).into_par_iter().filter(found).count();
    count as f64 / REPETITIONS as f64
}

/// A standard normal number by Box and Muller.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// A t test of 2 to 10 runs each at the level of each look. The standard deviation of the rate is 0.0034.
#[test]
fn five_planned_looks_keep_the_rate_of_false_findings() {
    let levels: Vec<f64> = Look::equal(0.95, 5).iter().map(|look| look.level).collect();
    let rate = false_findings(&levels);
    let sd = (0.05 * 0.95 / REPETITIONS as f64).sqrt();
    assert!(rate <= 0.05 + 4.0 * sd && rate >= 0.03, "{rate}");
}

#[test]
fn five_unplanned_looks_do_not() {
    let rate = false_findings(&[0.05; 5]);
    assert!(rate > 0.09, "{rate}");
}

#[test]
#[should_panic(expected = "11 looks are outside 1 to 10")]
fn no_more_looks_than_are_planned_for() {
    Look::equal(0.95, Look::MOST + 1);
}
