//! Laws that hold for every sample: symmetry, units, order, monotonicity, and numbers where there
//! should be numbers.

use beyondnoise::stats::{
    Across, Adjustment, Curve, Interval, Method, NoiseMixture, PlannedTest, Resampling, Sample,
    Scale, TwoSample, Undefined, quantile,
};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use rayon::prelude::*;

/// Methods that are made from resamples or from a formula, each with laws of its own to keep.
const METHODS: [Method; 4] = [Method::Calibrated, Method::Percentile, Method::Bca, Method::Welch];

/// Few resamples: the laws hold for any number of them.
const HOW: Resampling = Resampling { count: 300, seed: 7 };

/// Relative rounding that a law may cost, far under anything that a report shows.
const ROUNDING: f64 = 1e-9;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    }
}

fn sample(values: &[f64]) -> Sample {
    Sample::new(values.to_vec()).expect("finite values")
}

fn scaled(values: &[f64], factor: f64) -> Sample {
    sample(&values.iter().map(|value| value * factor).collect::<Vec<f64>>())
}

fn curve(a: &Sample, b: &Sample, across: Across, scale: Scale, method: Method) -> Curve {
    TwoSample::new(a, b, across, HOW)
        .curve(scale, method)
        .expect("2 runs or more of positive values that differ")
}

/// The default curve on `scale`.
fn mean_curve(a: &[f64], b: &[f64], scale: Scale) -> Curve {
    curve(&sample(a), &sample(b), Across::MEAN, scale, Method::Calibrated)
}

/// Bits with one zero only: a mirrored 0 is -0.
fn bits(x: f64) -> u64 {
    (x + 0.0).to_bits()
}

fn ends(interval: Interval) -> [u64; 2] {
    [bits(interval.low), bits(interval.high)]
}

fn all_equal(values: &[f64]) -> bool {
    values.iter().all(|value| bits(*value) == bits(values[0]))
}

/// Whether `x` and `y` agree to `tolerance` times `unit`.
fn near(x: f64, y: f64, tolerance: f64, unit: f64) -> bool {
    (x - y).abs() <= tolerance * unit
}

/// Per-run values of one variant about `centre`, with noise of up to 30 %; some measured finely,
/// some printed with few digits, so that values repeat.
fn variant(
    centre: f64,
    runs: impl Into<prop::collection::SizeRange>,
) -> impl Strategy<Value = Vec<f64>> {
    let noise = prop_oneof![Just(0.3), Just(0.02), Just(0.001)];
    let steps = prop_oneof![Just(1e9), Just(20.0)];
    let units = prop::collection::vec(-1.0..1.0f64, runs);
    (noise, steps, units).prop_map(move |(noise, steps, units): (f64, f64, Vec<f64>)| {
        let mut values: Vec<f64> = units
            .iter()
            .map(|unit| centre * (1.0 + noise * (unit * steps).round() / steps))
            .collect();
        if all_equal(&values) {
            values[0] *= 1.0 + noise;
        }
        values
    })
}

/// Two variants with `a` and `b` runs whose centres differ by up to 30 %.
fn pair(
    a: impl Into<prop::collection::SizeRange> + Clone,
    b: impl Into<prop::collection::SizeRange> + Clone,
) -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    (-3.0..6.0f64, 0.7..1.3f64).prop_flat_map(move |(magnitude, ratio)| {
        let centre = 10f64.powf(magnitude);
        (variant(centre, a.clone()), variant(centre * ratio, b.clone()))
    })
}

/// Designs of which every resample is enumerated.
fn exact() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    pair(2..=6usize, 2..=6usize)
}

/// Designs whose resamples are drawn.
fn drawn() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    prop_oneof![
        pair(7..=7usize, 7..=7usize),
        pair(12..=12usize, 12..=12usize),
        pair(7..=9usize, 10..=24usize)
    ]
}

fn any_design() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    prop_oneof![exact(), drawn()]
}

fn scale() -> impl Strategy<Value = Scale> {
    prop_oneof![Just(Scale::Log), Just(Scale::Linear)]
}

fn across() -> impl Strategy<Value = Across> {
    prop_oneof![Just(Across::MEAN), Just(Across::MEDIAN)]
}

fn method() -> impl Strategy<Value = Method> {
    prop::sample::select(&METHODS[..])
}

/// Methods whose result is a continuous function of the values. The bias of `BCa` is not: it counts
/// the resamples that tie with the estimate, and rounding can break such a tie.
fn continuous_method() -> impl Strategy<Value = Method> {
    prop::sample::select(vec![Method::Calibrated, Method::Percentile, Method::Welch])
}

fn confidence() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.95), 0.5..0.999f64]
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn swapping_the_variants_mirrors_the_interval(
        (a, b) in any_design(),
        across in across(),
        scale in scale(),
        method in method(),
        confidence in confidence(),
    ) {
        let (a, b) = (sample(&a), sample(&b));
        prop_assume!(a != b);
        let forward = curve(&a, &b, across, scale, method);
        let swapped = curve(&b, &a, across, scale, method);
        prop_assert_eq!(bits(forward.estimate()), bits(-swapped.estimate()));
        prop_assert_eq!(
            ends(forward.interval(confidence)),
            ends(swapped.interval(confidence).negated())
        );
        prop_assert_eq!(bits(forward.p_value(0.0)), bits(swapped.p_value(0.0)));
    }

    #[test]
    fn a_power_of_two_only_rescales_the_absolute_delta(
        (a, b) in any_design(),
        across in across(),
        method in method(),
        exponent in -20..20i32,
    ) {
        let factor = 2f64.powi(exponent);
        let plain = curve(&sample(&a), &sample(&b), across, Scale::Linear, method);
        let larger = curve(&scaled(&a, factor), &scaled(&b, factor), across, Scale::Linear, method);
        let rescaled = plain.interval(0.95).map(|end| end * factor);
        prop_assert_eq!(ends(larger.interval(0.95)), ends(rescaled));
        prop_assert_eq!(bits(larger.p_value(0.0)), bits(plain.p_value(0.0)));
    }

    #[test]
    fn a_change_of_unit_changes_nothing_relative(
        (a, b) in any_design(),
        across in across(),
        method in continuous_method(),
        magnitude in -60.0..60.0f64,
    ) {
        let factor = 10f64.powf(magnitude);
        let plain = curve(&sample(&a), &sample(&b), across, Scale::Log, method);
        let other = curve(&scaled(&a, factor), &scaled(&b, factor), across, Scale::Log, method);
        let (x, y) = (plain.interval(0.95), other.interval(0.95));
        // Logs of numbers of this size are rounded in the fourteenth decimal.
        let unit = plain.standard_error() + 1e-3;
        prop_assert!(near(x.low, y.low, ROUNDING, unit), "{x:?} {y:?}");
        prop_assert!(near(x.high, y.high, ROUNDING, unit), "{x:?} {y:?}");
        let (p, q) = (plain.p_value(0.0), other.p_value(0.0));
        prop_assert!(near(p, q, ROUNDING, 1.0), "{p} {q}");
    }

    #[test]
    fn the_order_of_runs_changes_nothing(
        ((a, b), shuffled) in any_design().prop_flat_map(|(a, b)| {
            let shuffled = (Just(a.clone()).prop_shuffle(), Just(b.clone()).prop_shuffle());
            (Just((a, b)), shuffled)
        }),
        across in across(),
        scale in scale(),
        method in method(),
    ) {
        let plain = curve(&sample(&a), &sample(&b), across, scale, method);
        let other = curve(&sample(&shuffled.0), &sample(&shuffled.1), across, scale, method);
        prop_assert_eq!(ends(plain.interval(0.95)), ends(other.interval(0.95)));
        prop_assert_eq!(bits(plain.p_value(0.0)), bits(other.p_value(0.0)));
    }

    #[test]
    fn shifting_both_variants_changes_no_absolute_delta(
        (a, b) in any_design(),
        method in continuous_method(),
        across in across(),
        shift in -3.0..3.0f64,
    ) {
        let by = shift * a[0];
        let moved = |values: &[f64]| sample(&values.iter().map(|x| x + by).collect::<Vec<_>>());
        let plain = curve(&sample(&a), &sample(&b), across, Scale::Linear, method);
        let other = curve(&moved(&a), &moved(&b), across, Scale::Linear, method);
        let (x, y) = (plain.interval(0.95), other.interval(0.95));
        let unit = plain.standard_error();
        prop_assert!(near(x.low, y.low, ROUNDING, unit), "{x:?} {y:?}");
        prop_assert!(near(x.high, y.high, ROUNDING, unit), "{x:?} {y:?}");
    }

    /// From a confidence of one half on. Near none at all the median of skewed resamples can lie
    /// beyond the estimate, and the widening then moves a bound the other way, in its fifth digit.
    #[test]
    fn a_higher_confidence_never_narrows(
        (a, b) in any_design(),
        across in across(),
        scale in scale(),
        method in method(),
        levels in [0.5..0.9999f64, 0.5..0.9999f64],
    ) {
        let curve = curve(&sample(&a), &sample(&b), across, scale, method);
        let [less, more] = [levels[0].min(levels[1]), levels[0].max(levels[1])];
        let (inner, outer) = (curve.interval(less), curve.interval(more));
        prop_assert!(inner.low <= inner.high, "{inner:?}");
        prop_assert!(outer.low <= inner.low && inner.high <= outer.high, "{inner:?} {outer:?}");
    }

    #[test]
    fn interval_and_p_value_agree(
        (a, b) in any_design(),
        across in across(),
        scale in scale(),
        method in method(),
        null in -0.5..0.5f64,
        random_alpha in 0.001..0.5f64,
    ) {
        let curve = curve(&sample(&a), &sample(&b), across, scale, method);
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

    #[test]
    fn the_probability_above_falls_and_complements(
        (a, b) in any_design(),
        across in across(),
        scale in scale(),
        method in method(),
        at in prop::collection::vec(-6.0..6.0f64, 6),
    ) {
        let (a, b) = (sample(&a), sample(&b));
        prop_assume!(a != b);
        let forward = curve(&a, &b, across, scale, method);
        let swapped = curve(&b, &a, across, scale, method);
        let mut at: Vec<f64> =
            at.iter().map(|x| forward.estimate() + x * forward.standard_error()).collect();
        at.push(forward.estimate());
        at.sort_by(f64::total_cmp);
        let mut before = 1.0;
        for x in at {
            let above = forward.probability_above(x);
            prop_assert!((0.0..=1.0).contains(&above), "{above}");
            prop_assert!(above <= before + 1e-12, "{above} at {x} after {before}");
            before = above;
            let other = swapped.probability_above(-x);
            prop_assert!(near(above + other, 1.0, 1e-12, 1.0), "{above} + {other} at {x}");
        }
    }
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn a_quantile_grows_with_its_level_and_stays_within(
        values in prop::collection::vec(-1e6..1e6f64, 1..40),
        levels in [0.0..=1.0f64, 0.0..=1.0f64],
    ) {
        let sample = sample(&values);
        let sorted = sample.sorted();
        let at = |level| quantile(sorted, level);
        prop_assert!(at(levels[0].min(levels[1])) <= at(levels[0].max(levels[1])));
        prop_assert!(sorted[0] <= at(levels[0]) && at(levels[0]) <= sorted[sorted.len() - 1]);
        prop_assert_eq!(at(0.0).to_bits(), sorted[0].to_bits());
        prop_assert_eq!(at(1.0).to_bits(), sorted[sorted.len() - 1].to_bits());
    }

    #[test]
    fn adjusted_p_values_keep_rank_and_order(
        (p, order) in prop::collection::vec(p_value(), 1..12).prop_flat_map(|p| {
            let order: Vec<usize> = (0..p.len()).collect();
            (Just(p), Just(order).prop_shuffle())
        }),
    ) {
        let shuffled: Vec<f64> = order.iter().map(|&index| p[index]).collect();
        for adjustment in [Adjustment::Holm, Adjustment::FalseDiscovery] {
            let adjusted = adjustment.adjusted(&p);
            for (raw, adjusted) in p.iter().zip(&adjusted) {
                prop_assert!(raw <= adjusted && *adjusted <= 1.0, "{raw} {adjusted}");
            }
            for i in 0..p.len() {
                for j in 0..p.len() {
                    prop_assert!(p[i] > p[j] || adjusted[i] <= adjusted[j], "{p:?} {adjusted:?}");
                }
            }
            let other = adjustment.adjusted(&shuffled);
            for (&index, other) in order.iter().zip(other) {
                prop_assert_eq!(adjusted[index].to_bits(), other.to_bits());
            }
        }
        // Holm guards against any false claim, so it is never the more generous.
        for (strict, generous) in Adjustment::Holm.adjusted(&p).iter().zip(Adjustment::FalseDiscovery.adjusted(&p)) {
            prop_assert!(generous <= strict + 1e-15, "{strict} {generous}");
        }
    }
}

fn p_value() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..=1.0f64, 0.0..0.05f64, Just(0.0), Just(0.05), Just(1.0)]
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn power_grows_with_the_effect_and_with_the_runs(
        effects in [0.0..4.0f64, 0.0..4.0f64],
        runs in [2..60usize, 2..60usize],
        other in 2..60usize,
        alpha in prop_oneof![Just(0.05), 0.001..0.2f64],
        noise in 0.001..0.2f64,
    ) {
        // The rounding of the numerical average.
        const SLACK: f64 = 1e-6;
        let test = PlannedTest { noise, alpha };
        let of = |effect: f64, runs: usize| {
            test.power(effect * noise, (runs, other), (runs + other - 2) as f64)
        };
        let [small, large] = [effects[0].min(effects[1]), effects[0].max(effects[1])];
        let [few, many] = [runs[0].min(runs[1]), runs[0].max(runs[1])];
        prop_assert!(of(small, few) <= of(large, few) + SLACK);
        prop_assert!(of(small, few) <= of(small, many) + SLACK);
        prop_assert!((of(0.0, few) - alpha).abs() <= SLACK, "{} {alpha}", of(0.0, few));
    }

    #[test]
    fn the_runs_needed_suffice_and_one_fewer_does_not(
        effect in 0.1..5.0f64,
        noise in 0.001..0.2f64,
        wanted in 0.3..0.99f64,
        alpha in prop_oneof![Just(0.05), 0.001..0.2f64],
    ) {
        let test = PlannedTest { noise, alpha };
        let of = |runs: usize| test.power(effect * noise, (runs, runs), (2 * runs - 2) as f64);
        let runs = test.t_test_runs_needed(effect * noise, 0.0, wanted).expect("a large effect");
        prop_assert!(runs >= 2);
        prop_assert!(of(runs) >= wanted);
        prop_assert!(runs == 2 || of(runs - 1) < wanted);
    }
}

/// Values across the whole range of numbers, within one magnitude or across several.
fn extreme() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let magnitude = prop_oneof![
        Just(5e-324),
        Just(1e-310),
        Just(1e-300),
        Just(1e-160),
        Just(1.0),
        Just(1e160),
        Just(1e300)
    ];
    let values = prop_oneof![
        prop::collection::vec(0.5..2.0f64, 2..=40),
        prop::collection::vec((-8.0..8.0f64).prop_map(|x| 10f64.powf(x)), 2..=12),
        (0.5..2.0f64, 2..=12usize).prop_map(|(value, runs)| vec![value; runs]),
        (0.5..2.0f64, 2..=40usize).prop_map(|(value, runs)| {
            (0..runs).map(|run| if run == 0 { value.next_up() } else { value }).collect()
        }),
    ];
    (magnitude, values.clone(), values).prop_map(|(magnitude, a, b)| {
        let of = |values: Vec<f64>| -> Vec<f64> {
            values.iter().map(|value| (value * magnitude).clamp(5e-324, 1e300)).collect()
        };
        (of(a), of(b))
    })
}

proptest! {
    #![proptest_config(config(192))]

    #[test]
    fn extreme_magnitudes_give_numbers(
        (a, b) in extreme(),
        resolution in prop_oneof![Just(0.0), Just(0.01), Just(1.0)],
        across in across(),
        scale in scale(),
        method in method(),
    ) {
        let rounded = |values: &[f64]| {
            Sample::rounded(values.to_vec(), resolution * values[0]).expect("finite values")
        };
        let (a, b) = (rounded(&a), rounded(&b));
        match TwoSample::new(&a, &b, across, HOW).curve(scale, method) {
            Err(reason) => {
                prop_assert!(!matches!(reason, Undefined::TooFewRuns | Undefined::NotPositive));
            }
            Ok(curve) => {
                let Interval { low, high, .. } = curve.interval(0.95);
                let (estimate, error) = (curve.estimate(), curve.standard_error());
                let finite = [estimate, error, curve.degrees_of_freedom(), low, high];
                prop_assert!(finite.iter().all(|x| x.is_finite()), "{finite:?}");
                prop_assert!(low <= high);
                for p in [curve.p_value(0.0), curve.probability_above(0.0)] {
                    prop_assert!((0.0..=1.0).contains(&p), "{p}");
                }
            }
        }
    }

    #[test]
    fn only_equal_runs_have_no_variance(
        (a, b) in extreme(),
        resolution in prop_oneof![Just(0.0), Just(0.01)],
        scale in scale(),
    ) {
        let rounded = |values: &[f64]| {
            Sample::rounded(values.to_vec(), resolution * values[0]).expect("finite values")
        };
        let without = all_equal(&a) && all_equal(&b) && resolution * a[0].max(b[0]) <= 0.0;
        let found = TwoSample::new(&rounded(&a), &rounded(&b), Across::MEAN, HOW).curve(scale, Method::Welch);
        prop_assert_eq!(found.err() == Some(Undefined::NoVariance), without);
    }
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn a_larger_change_is_rarer_between_equal_builds(
        weights in proptest::collection::vec(0.0..1.0, 16), small in 0.0..3.0, more in 0.001..1.0,
    ) {
        let Some(noise) = NoiseMixture::new(&weights) else { return Ok(()) };
        let p = |x: f64| noise.p_value(x, (1, 1));
        prop_assert!(p(small + more) <= p(small) && p(small) <= 1.0);
        prop_assert_eq!(bits(p(small)), bits(p(-small)));
        prop_assert!(p(small) >= noise.p_value(small, (2, 2)));
    }

    #[test]
    fn interval_and_p_value_of_two_runs_each_are_one_curve(
        weights in proptest::collection::vec(0.0..1.0, 16),
        x in proptest::collection::vec(90.0..110.0, 4),
    ) {
        let Some(noise) = NoiseMixture::new(&weights) else { return Ok(()) };
        let (a, b) = (sample(&x[..2]), sample(&x[2..]));
        let [log, linear] = noise.curves(&a, &b).map(|curve| curve.expect("positive values"));
        let [turned, _] = noise.curves(&b, &a).map(|curve| curve.expect("positive values"));
        prop_assert!((turned.p_value(0.0) - log.p_value(0.0)).abs() < ROUNDING);
        for curve in [log, linear] {
            let p = curve.p_value(0.0);
            if p > 1e-9 && p < 0.999 {
                let interval = curve.interval(1.0 - p);
                let near = interval.low.abs().min(interval.high.abs());
                prop_assert!(near <= 1e-5 * interval.half_width(), "{p}: {interval:?}");
            }
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    // 4 + 4 runs are enumerated, 9 + 9 and 12 + 12 drawn; each thread meets both tables of picks.
    let designs: Vec<(Vec<f64>, Vec<f64>)> = (0..12u32)
        .map(|index| {
            let runs = [4, 9, 12][index as usize % 3];
            let value = |run: u32| 100.0 + f64::from((run * run + index) % 7);
            ((0..runs).map(value).collect(), (1..=runs).map(value).collect())
        })
        .collect();
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| -> Vec<[u64; 3]> {
            let one = |(a, b): &(Vec<f64>, Vec<f64>)| {
                let curve = mean_curve(a, b, Scale::Log);
                let [low, high] = ends(curve.interval(0.95));
                [low, high, bits(curve.p_value(0.0))]
            };
            designs.par_iter().map(one).collect()
        })
    };
    assert_eq!(on(1), on(4));
}
