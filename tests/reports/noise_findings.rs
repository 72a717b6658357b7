//! What `noise` finds odd about repeated runs: each finding fires on a series made for it, and not on a plain
//! one.
//!
//! Expected numbers are by hand or from numpy 2.4.6 and scipy 1.17.1, as said beside each.

use beyondnoise::noise::{FindingRow, NoiseReport, Repeats, noise};
use beyondnoise::policy::{Policy, Selected};
use beyondnoise::render::{TextOptions, json, text};
use beyondnoise::runs::{Dataset, Run, Source, Value, Workload};
use beyondnoise::stats::{Components, Interval};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Runs of one build with these values of a metric, in this order.
fn dataset(metric: &str, values: &[f64], resolution: f64) -> Dataset {
    let run = |(index, value): (usize, &f64)| Run {
        variant: "main".into(),
        source: Source { path: format!("run-{}.json", index + 1).into(), ..Source::default() },
        workload: Workload { requests: Some(1000), ..Workload::default() }.into(),
        metrics: [(metric.to_owned(), Value { value: *value, resolution })].into(),
        ..Run::default()
    };
    Dataset::assemble(values.iter().enumerate().map(run).collect(), vec![])
}

fn report(metric: &str, values: &[f64], resolution: f64) -> NoiseReport {
    noise(&dataset(metric, values, resolution), &Policy::default()).expect("repeats")
}

fn repeats(values: &[f64]) -> Repeats {
    report("mean_ttft_ms", values, 0.0005).repeats.remove(0)
}

fn ids(repeats: &Repeats) -> Vec<&str> {
    repeats.findings.iter().map(|finding| finding.id.as_str()).collect()
}

#[track_caller]
fn finding<'a>(repeats: &'a Repeats, id: &str) -> &'a FindingRow {
    let found = repeats.findings.iter().find(|finding| finding.id.as_str() == id);
    found.unwrap_or_else(|| panic!("{id} in {:?}", ids(repeats)))
}

/// Normal numbers of a fixed seed, by Box and Muller.
fn normal(n: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = || {
        let (radius, angle) = (1.0 - rng.random::<f64>(), rng.random::<f64>());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    };
    (0..n).map(|_| draw()).collect()
}

#[test]
fn nothing_is_odd_about_plain_runs() {
    assert_eq!(ids(&repeats(&[100.1, 99.2, 100.6, 99.8, 101.0, 99.5])), [""; 0]);
}

/// `kendalltau(range(6), v, method="exact")`: tau 1, p = 2 / 720; last third over first, of geometric means:
/// sqrt(109 * 112 / (101 * 102)) = 1.0886. Shares of the level 2 of slow starts, 3 of outliers, 2 of drifts and 1 of noise
/// make the adjusted p-value 8 / 2 * 2 / 720.
#[test]
fn a_drift_is_told_with_its_size() {
    let found = repeats(&[101.0, 102.0, 104.0, 106.0, 109.0, 112.0]);
    let drift = finding(&found, "drift");
    assert_eq!(drift.evidence["p_value"].as_f64().map(|p| (p * 720.0).round()), Some(2.0));
    assert!(
        drift.message.contains("rises from run to run, +8.9 % from the first third"),
        "{}",
        drift.message
    );
    assert!(
        drift.message.contains("p = 0.011): the machine is drifting. (Runs by file name"),
        "{}",
        drift.message
    );
    assert_eq!(found.metrics[0].trend.expect("a trend").tau.to_bits(), 1f64.to_bits());
    // The same order under the 2 % that matters is a note.
    let small = repeats(&[100.1, 100.2, 100.3, 100.4, 100.5, 100.6]);
    assert_eq!(format!("{:?}", finding(&small, "drift").severity), "Note");
}

/// By hand: 150 is 50 % above the median of the others, 100, and worse than all of them.
#[test]
fn a_cold_first_run_is_told_apart_from_the_noise() {
    let found = repeats(&[150.0, 100.0, 101.0, 99.0, 100.5, 99.5]);
    let slow = finding(&found, "slow-first-run");
    assert!(
        slow.message
            .contains("The first run (run-1) is worse than all its others: mean TTFT by 50.0 %"),
        "{}",
        slow.message
    );
    // numpy: std(ddof=1) of the logarithms of the last five, 0.79 %.
    assert!(
        slow.message.contains("Without it the noise is 0.8 % instead of 16.6 %"),
        "{}",
        slow.message
    );
    // The others do not vary by 5 %, so that the noise is a note.
    assert_eq!(ids(&found), ["slow-first-run", "noisy"]);
    assert_eq!(format!("{:?}", finding(&found, "noisy").severity), "Note");
    assert!(found.next_step.contains("warm-up run that is not counted"));
}

/// By hand: of 99 99.5 100 100.5 101 130 the median is 100.25, MAD 0.75: z = 0.6745 * 29.75 / 0.75 = 26.8.
#[test]
fn a_run_apart_is_named_and_left_in() {
    let found = repeats(&[99.0, 101.0, 130.0, 100.0, 99.5, 100.5]);
    let apart = finding(&found, "outlier-run");
    let expected =
        "There is an outlier in mean TTFT: run-3 (+29.7 % from its median, modified z +26.8).";
    assert!(apart.message.starts_with(expected), "{}", apart.message);
    assert_eq!(apart.evidence["runs"], serde_json::json!(["run-3"]));
    assert_eq!(ids(&found), ["outlier-run", "noisy"]);
    assert_eq!(found.metrics[0].n, 6);
    assert!(found.next_step.contains("what disturbed run-3"), "{}", found.next_step);
    // numpy: z = 4.05; Grubbs' test for long tails does not tell it from chance.
    let mild = repeats(&[99.0, 101.5, 108.0, 100.0, 98.0, 101.0]);
    assert_eq!(format!("{:?}", finding(&mild, "outlier-run").severity), "Note");
    assert!(finding(&mild, "outlier-run").message.contains("That can be chance."));
    // Less than the margin of 2 % is not enough, however close the others lie.
    assert_eq!(ids(&repeats(&[100.0, 100.1, 102.0, 100.2, 99.9, 100.1])), [""; 0]);
}

#[test]
fn a_run_apart_by_one_printed_digit_is_none() {
    let values = [10.1, 10.1, 10.1, 10.1, 10.2, 10.1, 10.1, 10.1, 10.1, 10.1];
    let report = report("mean_tpot_ms", &values, 0.05);
    assert_eq!(ids(&report.repeats[0]), ["pre-averaged"]);
}

#[test]
fn two_modes_take_a_gap() {
    let mut values = normal(14, 3);
    for (index, value) in values.iter_mut().enumerate() {
        *value += if index * 5 % 14 < 7 { 100.0 } else { 115.0 };
    }
    let found = repeats(&values);
    let modes = finding(&found, "two-modes");
    assert_eq!(modes.evidence["runs"], serde_json::json!([7, 7]));
    assert!(
        modes.message.contains("apart: 7 runs in the lower, 7 in the upper"),
        "{}",
        modes.message
    );
    assert!(found.next_step.starts_with("find what switches"));
    assert!(!ids(&found).contains(&"outlier-run"));
}

/// A p-value against uniform values holds for normal and for exponential ones.
#[test]
fn plain_and_skewed_noise_seldom_has_two_modes() {
    let modes = |values: &[f64]| {
        // A metric that decides nothing: only the split is of interest.
        let found = report("my_score", values, 0.0).repeats[0].metrics[0].modes.expect("a split");
        found.p_value < 0.01 && found.gap.is_some_and(|gap| gap > 1.5)
    };
    let normals = (0..200).filter(|seed| {
        modes(&normal(20, *seed).iter().map(|z| 100.0 + 5.0 * z).collect::<Vec<_>>())
    });
    let skewed = (0..200).filter(|seed| {
        // A sum of two squares is exponential.
        let (a, b) = (normal(20, *seed), normal(20, 1_000 + seed));
        modes(&a.iter().zip(b).map(|(a, b)| 50.0 + 5.0 * (a * a + b * b)).collect::<Vec<_>>())
    });
    // At most 1 % of 200 are 2: more than 9 have a probability below 0.0005.
    let (normals, skewed) = (normals.count(), skewed.count());
    assert!(normals <= 9 && skewed <= 9, "{normals} and {skewed} of 200");
}

#[test]
fn more_than_a_fifth_apart_are_levels() {
    let far = [90.0, 110.0, 95.0, 105.0, 90.1, 110.1, 95.1, 105.1];
    let mut values: Vec<f64> = far.into_iter().flat_map(|x| [100.0 + x / 1e3, x]).collect();
    values.extend([100.05, 100.06, 100.07, 100.08]);
    let found = repeats(&values);
    let levels = finding(&found, "several-levels");
    assert!(
        levels.message.contains("8 of 20 runs lie far from the median, the others close to it"),
        "{}",
        levels.message
    );
    assert!(!ids(&found).contains(&"outlier-run"));
}

/// By hand: half of 0.1 over 12.1 is 0.41 %.
#[test]
fn coarse_printing_is_the_least_noise() {
    let equal = report("mean_tpot_ms", &[12.1, 12.1, 12.1, 12.1], 0.05);
    let metric = &equal.repeats[0].metrics[0];
    assert!((metric.cv.expect("a CV") - 0.05 / 12.1).abs() < 1e-12 && metric.cv_from_printing);
    assert_eq!((metric.cv_interval, ids(&equal.repeats[0])), (None, vec!["pre-averaged"]));
    assert!(
        equal.summary.contains("varies by 0.4 % from run to run as far as its printed digits tell")
    );
    assert!(equal.next_step.contains("--save-result"));
    let two = report("mean_tpot_ms", &[12.1, 12.2, 12.1, 12.2, 12.1], 0.05);
    assert_eq!(ids(&two.repeats[0]), ["pre-averaged"]);
    // Two values far apart are not the printing's.
    let far = report("mean_tpot_ms", &[12.1, 14.2, 12.1, 14.2, 12.1], 0.05);
    assert!(!ids(&far.repeats[0]).contains(&"pre-averaged"));
    let mut data = dataset("mean_tpot_ms", &[12.5; 2], 0.0);
    assert!(noise(&data, &Policy::default()).is_err(), "a copy");
    data = dataset("duration", &[43.1, 43.2, 42.9, 43.3, 43.0], 0.0);
    for run in &mut data.groups[0].variants[0].runs {
        run.metrics.insert("mean_tpot_ms", Value { value: 12.5, resolution: 0.0 });
    }
    let selected = vec![Selected { name: "mean_tpot_ms".into(), better: None }];
    let exact = noise(&data, &Policy { selected, ..Policy::default() }).expect("repeats");
    assert_eq!(exact.summary, "mean TPOT is equal to the last digit in all 5 runs");
}

#[test]
fn much_noise_is_called_broken() {
    let noisy = repeats(&[100.0, 106.0, 93.0, 104.0, 108.0, 95.0]);
    assert_eq!(finding(&noisy, "noisy").evidence["broken"], false);
    assert!(noisy.next_step.contains("make the measurement quieter"), "{}", noisy.next_step);
    let broken = repeats(&[100.0, 126.0, 83.0, 114.0, 138.0, 75.0]);
    assert!(finding(&broken, "noisy").message.contains("check for mixed configurations"));
    assert!(broken.next_step.contains("before anything is compared"));
}

#[test]
fn runs_that_resemble_their_neighbours_are_worth_fewer() {
    let saw: Vec<f64> = (0..12).map(|i| if i % 2 == 0 { 100.0 } else { 103.0 }).collect();
    let turns = repeats(&saw);
    assert!(finding(&turns, "autocorrelation").message.contains("alternate up and down"));
    // Up and down once: no drift, but a memory. By hand: r of 1 2 3 4 5 6 6 5 4 3 2 1 is 23.75 / 35 = 0.679.
    let hill: Vec<f64> = [1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1].map(|i| 97.0 + f64::from(i)).into();
    let memory = repeats(&hill);
    let found = finding(&memory, "autocorrelation");
    assert!((found.evidence["r"].as_f64().expect("r") - 23.75 / 35.0).abs() < 1e-12);
    // 12 (1 - 0.679) / (1 + 0.679) = 2.3.
    assert!(found.message.contains("12 runs are worth about 2 independent ones"));
}

/// Two halves of 4 cover 0.953 to 0.977 by the coverage study; over many samples the halves of 8 must do so too.
#[test]
fn halves_of_plain_runs_seldom_differ() {
    let share = |seed| {
        let values: Vec<f64> = normal(8, seed).iter().map(|z| 100.0 + z).collect();
        let halves = repeats(&values).metrics[0].halves.expect("eight runs");
        assert_eq!((halves.splits, halves.all), (35, true));
        halves.share
    };
    let mean = (0..40).map(share).sum::<f64>() / 40.0;
    assert!((0.01..0.09).contains(&mean), "{mean}");
    assert_eq!(repeats(&[100.0, 101.0, 99.0, 100.5, 99.5]).metrics[0].halves, None);
}

#[test]
fn a_copy_is_no_repeat() {
    let mut data = dataset("mean_ttft_ms", &[100.123_456_7, 101.765_432_1, 99.345_678_9], 5e-8);
    let group = &mut data.groups[0];
    let runs = group.variants[0].runs.clone();
    let mut twin = runs[0].clone();
    twin.source.path = "copy.json".into();
    twin.metrics.insert("duration", Value { value: 43.123_456_78, resolution: 5e-9 });
    let mut all = runs;
    all[0].metrics.insert("duration", Value { value: 43.123_456_78, resolution: 5e-9 });
    all.push(twin);
    let found = noise(&Dataset::assemble(all, vec![]), &Policy::default()).expect("repeats");
    assert_eq!(found.repeats[0].runs.len(), 3);
    assert!(ids(&found.repeats[0]).contains(&"duplicate-run"), "{:?}", ids(&found.repeats[0]));
}

/// Whatever the values, the report is made of numbers and the text of lines.
#[test]
fn no_value_breaks_the_report() {
    let awkward: &[&[f64]] = &[
        &[0.0, 0.0],
        &[0.0, 1.0, 2.0, 0.0, 0.0, 3.0],
        &[-3.0, -2.0, -4.0],
        &[1e308, 1.7e308, 9e307, 1.2e308, 1.1e308, 1.6e308, 1e308],
        &[-1.7e308, 1.7e308, 0.0, 1.0],
        &[5e-324, 1e-323, 1.5e-323, 2e-323, 5e-324, 1e-300],
        &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1e300],
        &[-0.0, 0.0, -0.0, 0.0, 0.0, 0.0, 0.0],
        &[1.0, 1e-300],
    ];
    let endless = [normal(300, 1), vec![7.0; 300]].concat();
    for values in awkward.iter().copied().chain([&endless[..]]) {
        for resolution in [0.0, 0.005, 1e300] {
            for metric in ["mean_ttft_ms", "my_score"] {
                let report = report(metric, values, resolution);
                let text = text(&report, TextOptions { verbose: true, ..TextOptions::default() });
                assert!(!text.contains("NaN") && !text.contains("inf"), "{values:?}\n{text}");
                let document: serde_json::Value =
                    serde_json::from_str(&json(&report)).expect("JSON");
                let schema =
                    serde_json::from_str(include_str!("../../data/schema/noise.schema.json"));
                let schema =
                    jsonschema::draft202012::new(&schema.expect("JSON")).expect("a schema");
                let errors: Vec<String> =
                    schema.iter_errors(&document).map(|error| error.to_string()).collect();
                assert!(errors.is_empty(), "{values:?}: {errors:#?}");
            }
        }
    }
}

/// Means of runs with this share of their variance within, and the standard errors within the runs.
fn two_levels(runs: usize, share: f64, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let between = normal(runs, seed);
    let within = normal(runs, 100_000 + seed);
    let value = |(b, w): (f64, f64)| 100.0 + (1.0 - share).sqrt() * b + share.sqrt() * w;
    (between.into_iter().zip(within).map(value).collect(), vec![share.sqrt(); runs])
}

/// What longer or more runs would do is said only where it is known, and from 5 runs on: of 400 builds each in at most 10 % of what is said
/// it is wrong, and the share is seen too large in about half of them.
#[test]
fn longer_or_more_runs_is_right_in_nine_of_ten() {
    for runs in [5, 6, 12, 30] {
        for share in [0.2, 0.8] {
            let (mut said, mut wrong, mut above) = (0, 0, 0);
            for seed in 0..400 {
                let (values, errors) = two_levels(runs, share, seed);
                let [low, middle, high] = Components::within_share(&values, &errors).expect("runs");
                above += u32::from(middle > share);
                let (longer, more) = (low > 0.5, high < 0.5);
                said += u32::from(longer || more);
                wrong += u32::from(if share < 0.5 { longer } else { more });
            }
            assert!(wrong * 10 <= said, "{runs} runs, {share}: {wrong} of {said}");
            // Binomial(400, 0.5) has a standard deviation of 10; a share of 1 is not exceeded.
            assert!((150..=250).contains(&above), "{runs} runs, {share}: {above}");
            if runs == 30 {
                assert!(said > 150, "{said} of 400 at {share}");
            }
        }
    }
}

/// The interval of the noise narrows with the runs and covers the truth, in 500 builds each; Binomial(500, 0.95) has a
/// standard deviation of 1 %.
#[test]
fn the_interval_of_the_noise_narrows_with_the_runs() {
    let mut last = f64::INFINITY;
    for runs in [3, 4, 5, 8, 15, 40] {
        let mut widths = Vec::new();
        let (mut normals, mut skewed) = (0, 0);
        for seed in 0..500 {
            let z = normal(runs, seed);
            let values: Vec<f64> = z.iter().map(|z| (0.02 * z).exp()).collect();
            let found = Interval::of_log_sd(&values, 0.95).expect("values that differ");
            normals += u32::from(found.low < 0.02 && found.high > 0.02);
            widths.push(found.high / found.low);
            // 50 + Exp(50): the logarithms have the standard deviation 0.4198, by scipy.integrate.quad.
            let other = normal(runs, 1_000_000 + seed);
            let exponential = z.iter().zip(other).map(|(a, b)| 50.0 + 25.0 * (a * a + b * b));
            let found =
                Interval::of_log_sd(&exponential.collect::<Vec<_>>(), 0.95).expect("values");
            skewed += u32::from(found.low < 0.419_881 && found.high > 0.419_881);
        }
        widths.sort_by(f64::total_cmp);
        assert!(widths[250] < last, "{runs} runs: {} and {last}", widths[250]);
        last = widths[250];
        for covered in [normals, skewed] {
            let share = f64::from(covered) / 500.0;
            assert!((0.92..=0.995).contains(&share), "{runs} runs: {share}");
        }
    }
}
