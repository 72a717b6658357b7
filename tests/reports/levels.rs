//! Nested repeats, summaries, exact counts: what counts as one repeat, and what the interval is made of.
//!
//! Reference numbers are those of numpy 2 and scipy 1; the call stands beside each.

use beyondnoise::analysis::analyse;
use beyondnoise::checks::Severity;
use beyondnoise::noise::noise;
use beyondnoise::policy::{Policy, Selected};
use beyondnoise::read::{File, Options, load_bytes};
use beyondnoise::render::{self, TextOptions};
use beyondnoise::report::{Check, Comparison, NoiseOrigin};
use beyondnoise::runs::{Dataset, Run, Source, Spread, Value};
use beyondnoise::stats::{Across, Method};
use beyondnoise::units::Better;
use beyondnoise::verdict::{Gate, Headline, Verdict};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const RESOLUTION: f64 = 1e-9;

fn run(variant: &str, position: usize, metrics: &[(&str, f64)]) -> Run {
    let value = |(name, value): &(&str, f64)| {
        ((*name).to_owned(), Value { value: *value, resolution: RESOLUTION })
    };
    let mut run = Run {
        variant: variant.to_owned(),
        source: Source { path: "runs.csv".into(), position, counts: "line" },
        metrics: metrics.iter().map(value).collect(),
        ..Run::default()
    };
    run.info.of_table = true;
    run
}

/// Three machines, three starts on each, five iterations in each, of `value`; the machines of the second variant have
/// numbers that are `apart` larger.
fn nested(apart: usize, mut value: impl FnMut([usize; 4]) -> f64) -> Vec<Run> {
    let mut runs = Vec::new();
    for (side, variant) in ["before", "after"].into_iter().enumerate() {
        for (machine, start) in (0..3).flat_map(|machine| (0..3).map(move |start| (machine, start)))
        {
            for iteration in 0..5 {
                let value = value([side, machine, start, iteration]);
                let mut one = run(variant, runs.len() + 2, &[("mean_e2el_ms", value)]);
                let number = machine + side * apart;
                one.info.levels = vec![
                    ("machine".to_owned(), number.to_string()),
                    ("start".to_owned(), start.to_string()),
                ];
                runs.push(one);
            }
        }
    }
    runs
}

fn fixed([side, machine, start, iteration]: [usize; 4]) -> f64 {
    let (i, s, k) = (machine as f64, start as f64, iteration as f64);
    let of_start = (7.0 * i + 3.0 * s + 5.0 * side as f64) % 4.0;
    100.0 + 10.0 * i + 5.0 * side as f64 + of_start * 0.5 + ((k * 3.0 + s) % 5.0) * 0.1
}

fn compared_by(runs: Vec<Run>, policy: &Policy) -> Comparison {
    let dataset = Dataset::assemble(runs, Vec::new());
    let report = analyse(&dataset, None, None, policy).expect("a comparison");
    report.comparisons.into_iter().next().expect("a comparison")
}

fn welch() -> Policy {
    Policy { method: Method::Welch, ..Policy::default() }
}

fn found<'a>(comparison: &'a Comparison, id: &str) -> Option<&'a Check> {
    comparison.checks.iter().find(|check| check.id.as_str() == id)
}

#[track_caller]
fn near(found: [f64; 2], expected: [f64; 2]) {
    for (found, expected) in found.into_iter().zip(expected) {
        assert!((found - expected).abs() < 2e-8, "{found} {expected}");
    }
}

/// `scipy.stats.t.interval(.95, 2, l.mean(), l.std(ddof=1)/3**.5)` of the three differences of the logarithms of the
/// machines' means.
#[test]
fn a_level_that_both_variants_share_is_a_block() {
    let comparison = compared_by(nested(0, fixed), &welch());
    let row = &comparison.metrics[0];
    near(row.delta.relative_ci.expect("an interval"), [0.040_202_83, 0.051_070_19]);
    assert_eq!((comparison.baseline.runs, comparison.candidate.runs), (9, 9));
    assert!(comparison.summary.ends_with("9 + 9 runs in 3 blocks"), "{}", comparison.summary);
    let levels = comparison.levels.as_ref().expect("levels");
    assert_eq!(
        (levels.unit.as_str(), levels.blocks, levels.values_per_run),
        ("machine", Some(3), [5, 5])
    );
    let counts: Vec<_> =
        levels.levels.iter().map(|level| (level.baseline, level.candidate)).collect();
    assert_eq!(counts, [(3, 3), (9, 9)]);
    let said = &found(&comparison, "nested-runs").expect("said").message;
    for words in
        ["3 + 3 machine, 9 + 9 start", "up to 5, are averaged", "3 values, and these blocks"]
    {
        assert!(said.contains(words), "{said}");
    }
}

/// Welch's interval of the three machines' means each, on the logarithms: numpy, t quantile of 3.99948 degrees.
#[test]
fn other_machines_are_the_units_and_not_their_starts() {
    let comparison = compared_by(nested(3, fixed), &welch());
    near(
        comparison.metrics[0].delta.relative_ci.expect("an interval"),
        [-0.143_783_77, 0.276_762_25],
    );
    assert!(comparison.summary.ends_with("9 + 9 runs, averaged by machine to 3 + 3"));
    assert_eq!(comparison.headline, Headline::WithinNoise);
}

/// Welch's interval of the means of three starts each: numpy, t quantile of 3.991296 degrees.
#[test]
fn on_one_machine_starts_are_the_units_and_one_machine_each_has_no_verdict() {
    let one = |apart| {
        let runs = nested(apart, fixed).into_iter();
        runs.filter(move |run| run.source.position % 45 < 17 && run.source.position % 45 > 1)
            .collect()
    };
    let comparison = compared_by(one(0), &welch());
    near(
        comparison.metrics[0].delta.relative_ci.expect("an interval"),
        [0.030_418_54, 0.065_553_97],
    );
    assert!(comparison.summary.ends_with("3 + 3 runs"), "{}", comparison.summary);
    let comparison = compared_by(one(3), &welch());
    assert_eq!(comparison.headline, Headline::NoVerdict);
    let stop = found(&comparison, "too-few-runs").expect("a stop");
    assert!(stop.message.contains("on machine 0 and after on machine 3"), "{}", stop.message);
    assert!(comparison.next_step.contains("the same `machine`"), "{}", comparison.next_step);
}

#[test]
fn runs_of_a_machine_that_one_variant_has_are_left_out_and_said() {
    let mut runs = nested(0, fixed);
    for run in runs.iter_mut().filter(|run| run.variant == "after" && run.info.levels[0].1 == "2") {
        run.info.levels[0].1 = "7".to_owned();
    }
    let comparison = compared_by(runs, &Policy::default());
    assert!(comparison.summary.ends_with("in 2 blocks"), "{}", comparison.summary);
    let check = found(&comparison, "unpaired-runs").expect("a warning");
    assert!(check.message.starts_with("3 + 3 runs were left out"), "{}", check.message);
    assert_eq!(comparison.levels.expect("levels").left_out, [3, 3]);
}

/// A rank sum over blocks does not exist: an error says so.
#[test]
fn the_hodges_lehmann_centre_has_no_blocks() {
    let dataset = Dataset::assemble(nested(0, fixed), Vec::new());
    let policy = Policy { across: Across::HODGES_LEHMANN, ..Policy::default() };
    let error = analyse(&dataset, None, None, &policy).expect_err("refused").to_string();
    assert!(error.contains("blocks"), "{error}");
}

/// Machines that vary by 2 % (then by 10 %), starts by 1 %, iterations by 0.5 %; nothing changed. The reference, 20,000
/// repetitions with numpy: blocks 0.049 and 0.050; all 45 values as runs 0.152 and 0.011, of other machines 0.64.
#[test]
fn blocks_keep_the_rate_of_false_alarms() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut normal = || -> f64 {
        let (u, v): (f64, f64) = (rng.random(), rng.random());
        (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    };
    let repetitions = 300;
    for machines in [0.02, 0.10] {
        let mut alarms = 0;
        for _ in 0..repetitions {
            let machine: Vec<f64> = (0..3).map(|_| machines * normal()).collect();
            let starts: Vec<f64> = (0..18).map(|_| 0.01 * normal()).collect();
            let runs = nested(0, |[side, m, s, _]| {
                100.0 * (machine[m] + starts[side * 9 + m * 3 + s] + 0.005 * normal()).exp()
            });
            let row = compared_by(runs, &welch()).metrics.swap_remove(0);
            alarms += u32::from(row.p_value.is_some_and(|p| p < 0.05));
        }
        // Binomial(300, 0.05) has a standard deviation of 3.8.
        assert!((4..=30).contains(&alarms), "{alarms} of {repetitions} at {machines}");
    }
}

/// Of the first variant, with numpy: S² of the values, of the starts' means and of the machines' means, each less what
/// the level inside leaves, over the mean 110.9778.
#[test]
fn noise_says_how_each_level_varies() {
    let runs = nested(0, fixed).into_iter().filter(|run| run.variant == "before").collect();
    let report = noise(&Dataset::assemble(runs, Vec::new()), &Policy::default()).expect("noise");
    let levels = &report.repeats[0].metrics[0].levels;
    let names: Vec<Option<&str>> = levels.iter().map(|level| level.column.as_deref()).collect();
    assert_eq!(names, [Some("machine"), Some("start"), None]);
    assert_eq!(levels.iter().map(|level| level.units).collect::<Vec<_>>(), [3, 9, 45]);
    for (level, expected) in levels.iter().zip(LEVELS) {
        let cv = level.cv.expect("a CV");
        assert!((cv - expected).abs() < 1e-7, "{levels:?}");
    }
    let text = render::text(&report, TextOptions { width: 200, ..TextOptions::default() });
    assert!(
        text.contains("CV of mean E2EL by level (number of units): machine 8.9 % (3), "),
        "{text}"
    );
    assert!(text.contains("One more repeat buys most at the level machine"), "{text}");
}

const LEVELS: [f64; 3] = [0.088_568_14, 0.005_377_21, 0.001_424_73];

/// One run a variant, an average of `runs` of each with this standard deviation.
fn averages(metric: &str, before: (f64, f64, usize), after: (f64, f64, usize)) -> Vec<Run> {
    let of = |variant, position, (mean, sd, runs)| {
        let mut run = run(variant, position, &[(metric, mean)]);
        run.info.spreads.insert(metric.to_owned(), Spread { sd, runs });
        run
    };
    vec![of("before", 2, before), of("after", 3, after)]
}

/// On the logarithms by the delta method: numpy, t quantile of 5.212286 degrees; of the difference
/// `scipy.stats.ttest_ind_from_stats(105, 3, 4, 100, 2, 5, equal_var=False)` with 4.93 degrees.
#[test]
fn averages_with_their_standard_deviation_are_compared_by_welch() {
    let runs = averages("mean_e2el_ms", (100.0, 2.0, 5), (105.0, 3.0, 4));
    let comparison = compared_by(runs, &Policy::default());
    let row = &comparison.metrics[0];
    near(row.delta.relative_ci.expect("an interval"), [0.006_007_11, 0.095_916_71]);
    near(
        row.delta.absolute_ci.expect("an interval").map(|end| end / 100.0),
        [0.005_200_903_97, 0.094_799_096_03],
    );
    assert!((row.p_value.expect("a p-value") - 0.032_380_08).abs() < 1e-7);
    assert_eq!(
        (row.baseline.averaged, row.candidate.averaged, row.noise.source),
        (Some(5), Some(4), NoiseOrigin::Averages)
    );
    assert_eq!(comparison.headline, Headline::Regressed);
    let words = "from averages of 5 + 4 runs (their standard deviations as printed)";
    assert!(comparison.summary.ends_with(words), "{}", comparison.summary);
    let check = found(&comparison, "from-averages").expect("said");
    assert!(check.severity == Severity::Warn && check.could_flip);
    assert!(
        check.message.contains("taken as standard deviations of single runs"),
        "{}",
        check.message
    );
    assert!(found(&comparison, "too-few-runs").is_none());
}

#[test]
fn every_form_of_the_report_says_that_averages_were_compared() {
    let runs = averages("mean_e2el_ms", (100.0, 2.0, 5), (105.0, 3.0, 4));
    let dataset = Dataset::assemble(runs, Vec::new());
    let report = analyse(&dataset, None, None, &Policy::default()).expect("a comparison");
    let text = render::text(&report, TextOptions { width: 200, ..TextOptions::default() });
    for form in [text, render::markdown(&report), render::html(&report)] {
        assert!(form.contains("worse, from averages"), "{form}");
        assert!(form.contains("from averages of 5 + 4 runs"), "{form}");
    }
}

#[test]
fn an_average_beside_single_runs_is_not_judged() {
    let mut runs = averages("mean_e2el_ms", (100.0, 2.0, 5), (105.0, 3.0, 4));
    for (k, value) in [101.0, 99.0, 100.5].into_iter().enumerate() {
        runs.push(run("before", 10 + k, &[("mean_e2el_ms", value)]));
        runs.push(run("after", 20 + k, &[("mean_e2el_ms", value + 5.0)]));
    }
    let comparison = compared_by(runs, &Policy::default());
    assert_eq!(comparison.headline, Headline::NoVerdict);
    let check = found(&comparison, "from-averages").expect("a stop");
    assert_eq!(check.severity, Severity::Block);
    assert!(check.message.contains("an average is not a run"), "{}", check.message);
}

/// Of an average of one run nothing is known of the noise, and a median is no average.
#[test]
fn an_average_of_one_run_or_for_a_median_says_nothing() {
    let runs = || averages("mean_e2el_ms", (100.0, 0.0, 1), (105.0, 3.0, 4));
    let comparison = compared_by(runs(), &Policy::default());
    assert_eq!(comparison.headline, Headline::NoVerdict);
    let runs = averages("mean_e2el_ms", (100.0, 2.0, 5), (105.0, 3.0, 4));
    let median = Policy { across: Across::MEDIAN, ..Policy::default() };
    assert_eq!(compared_by(runs, &median).headline, Headline::NoVerdict);
}

/// Runs with a time that varies and a count that does not.
fn counted(before: f64, after: f64) -> Vec<Run> {
    let mut runs = Vec::new();
    for (k, time) in [100.1, 99.2, 100.9, 99.8, 100.4].into_iter().enumerate() {
        for (variant, count, shift) in [("before", before, 0.0), ("after", after, 0.3)] {
            let time = time + shift * if k % 2 == 0 { 1.0 } else { -1.0 };
            let metrics = [("time_per_op_ns", time), ("allocs_per_op", count)];
            runs.push(run(variant, runs.len() + 2, &metrics));
        }
    }
    runs
}

#[test]
fn a_count_that_never_varies_is_exact_and_decides_nothing_beside_a_time() {
    let comparison = compared_by(counted(9.0, 10.0), &Policy::default());
    let row = comparison.metrics.iter().find(|row| row.metric == "allocs_per_op").expect("a row");
    assert!(row.exact && !row.deciding && row.verdict == Verdict::Worse);
    assert_eq!((row.delta.relative_ci, row.p_value, row.noise.cv), (None, None, None));
    // The time alone: nothing shares its level.
    assert_eq!(comparison.headline, Headline::WithinNoise);
    let time = comparison.deciding().next().expect("the time");
    assert_eq!((time.corrected_for, time.delta.adjusted_confidence), (1, 0.95));
    let dataset = Dataset::assemble(counted(9.0, 10.0), Vec::new());
    let report = analyse(&dataset, None, None, &Policy::default()).expect("a comparison");
    let options = TextOptions { width: 200, verbose: true, ..TextOptions::default() };
    let text = render::text(&report, options);
    assert!(text.contains("also worse, not deciding: allocations per op +1 (exact)"), "{text}");
    let line = text.lines().find(|line| line.trim_start().starts_with("alloc")).expect("a line");
    let words: Vec<&str> = line.split_whitespace().collect();
    assert!(words.ends_with(&["9", "10", "+1", "exact", "worse"]), "{line}");
}

#[test]
fn alone_an_exact_count_decides_and_an_equal_one_is_unchanged() {
    let alone = |after: f64| {
        let mut runs = counted(9.0, after);
        for run in &mut runs {
            run.metrics.retain(|name, _| name == "allocs_per_op");
        }
        compared_by(runs, &Policy::default())
    };
    let comparison = alone(10.0);
    assert!(comparison.summary.starts_with("regressed, allocations"), "{}", comparison.summary);
    assert!(comparison.summary.contains("+1 (9 → 10), 5 + 5 runs"), "{}", comparison.summary);
    let comparison = alone(9.0);
    assert_eq!(comparison.headline, Headline::NoChange);
    assert!(comparison.summary.contains("unchanged (9), 5 + 5 runs"), "{}", comparison.summary);
}

/// Whole seconds, and equal rates, were rounded: half of the last digit is the least noise, as before.
#[test]
fn a_coarse_time_is_no_count() {
    for metric in ["duration", "request_throughput", "build_time"] {
        let of = |variant: &str, from: usize, value: f64| -> Vec<Run> {
            (0..5).map(|k| run(variant, from + k, &[(metric, value)])).collect()
        };
        let runs = [of("before", 2, 9.0), of("after", 20, 10.0)].concat();
        let better = Some(Better::Lower);
        let policy = Policy {
            selected: vec![Selected { name: metric.to_owned(), better }],
            ..Policy::default()
        };
        let comparison = compared_by(runs, &policy);
        assert!(!comparison.metrics[0].exact, "{metric}");
    }
}

/// A guard that never varies fails the gate exactly: 9 to 10 is 11.1 % more, and 2 % is tolerated.
#[test]
fn an_exact_guard_fails_the_gate() {
    let policy = Policy { guards: vec!["allocs_per_op".to_owned()], ..Policy::default() };
    let comparison = compared_by(counted(9.0, 10.0), &policy);
    assert_eq!(comparison.gate, Gate::Fail, "{}", comparison.gate_reason);
    assert!(comparison.gate_reason.contains("11.1 %"), "{}", comparison.gate_reason);
    assert_ne!(compared_by(counted(9.0, 9.0), &policy).gate, Gate::Fail);
}

const GO: &str = "goos: linux\npkg: example.com/crc\nBenchmarkX-8 100 10.0 ns/op 3 allocs/op\n\
                  BenchmarkX-8 100 10.4 ns/op 3 allocs/op\nBenchmarkX-8 100 10.2 ns/op 3 allocs/op\n";
const CRITERION: &str =
    r#"{"sampling_mode":"Linear","iters":[10.0,20.0,30.0],"times":[100.0,208.0,306.0]}"#;
const GOOGLE: &str = r#"{"context":{"date":"2026-01-01T00:00:00Z"},"benchmarks":[
    {"name":"X","run_name":"X","run_type":"iteration","repetitions":3,"repetition_index":0,"iterations":9,"real_time":10.0,"cpu_time":10.0,"time_unit":"ns"},
    {"name":"X","run_name":"X","run_type":"iteration","repetitions":3,"repetition_index":1,"iterations":9,"real_time":10.4,"cpu_time":10.4,"time_unit":"ns"},
    {"name":"X","run_name":"X","run_type":"iteration","repetitions":3,"repetition_index":2,"iterations":9,"real_time":10.2,"cpu_time":10.2,"time_unit":"ns"}]}"#;
const JMH: &str = r#"[{"benchmark":"X","mode":"avgt","threads":1,"forks":1,"primaryMetric":{"score":10.2,"scoreUnit":"ns/op",
    "rawData":[[10.0,10.4,10.2]]},"secondaryMetrics":{}}]"#;
const PYTEST: &str = r#"{"machine_info":{},"benchmarks":[{"fullname":"X","name":"X","stats":{"mean":1.02e-8,"median":1.02e-8,
    "min":1.0e-8,"rounds":3,"data":[1.0e-8,1.04e-8,1.02e-8]}}]}"#;
const PYPERF: &str = r#"{"version":"1.0","metadata":{"name":"X"},"benchmarks":[{"runs":[{"metadata":{},"values":[1.0e-8,1.04e-8,1.02e-8]}]}]}"#;

/// Files of each runner that repeats inside one process, with the same three values.
const ITERATED: [(&str, &str); 6] = [
    ("go.txt", GO),
    ("sample.json", CRITERION),
    ("google.json", GOOGLE),
    ("jmh.json", JMH),
    ("pytest.json", PYTEST),
    ("pyperf.json", PYPERF),
];

fn iterated(name: &str, content: &str, iterations: bool) -> Comparison {
    let file = |variant, name| File { variant: Some(variant), name, bytes: content.as_bytes() };
    let slower = content.replace("10.4", "10.5").replace("208", "210").replace("1.04e", "1.05e");
    let second = format!("other/{name}");
    let files = [
        file("before", name),
        File { variant: Some("after"), name: &second, bytes: slower.as_bytes() },
    ];
    let options = Options { iterations, ..Options::default() };
    let loaded = load_bytes(&files, &options).expect(name);
    let report = analyse(&loaded.dataset, Some("before"), None, &Policy::default()).expect(name);
    report.comparisons.into_iter().next().expect(name)
}

/// The values stand in the files; by default they are one run, of their mean 10.2.
#[test]
fn iterations_are_runs_where_the_user_says_so() {
    for (name, content) in ITERATED {
        let comparison = iterated(name, content, false);
        assert_eq!(
            (comparison.baseline.runs, comparison.headline),
            (1, Headline::NoVerdict),
            "{name}"
        );
        let row = comparison.metrics.iter().find(|row| row.metric == "time_per_op_ns").expect(name);
        assert!((row.baseline.estimate - 10.2).abs() < 1e-9, "{name}: {}", row.baseline.estimate);
        let stop = found(&comparison, "per-request-rows").expect(name);
        assert!(stop.message.contains("--unit iteration"), "{name}: {}", stop.message);

        let comparison = iterated(name, content, true);
        assert_eq!((comparison.baseline.runs, comparison.candidate.runs), (3, 3), "{name}");
        let row = comparison.metrics.iter().find(|row| row.metric == "time_per_op_ns").expect(name);
        for (value, expected) in row.baseline.values.iter().zip([10.0, 10.4, 10.2]) {
            assert!((value - expected).abs() < 1e-9, "{name}: {value}");
        }
        let check = found(&comparison, "iterations-as-runs").expect(name);
        assert!(check.severity == Severity::Warn && check.could_flip);
        assert!(check.message.contains("differences between processes"), "{name}");
        assert!(
            found(&comparison, "duplicate-run").is_none()
                && found(&comparison, "per-request-rows").is_none()
        );
    }
}

/// Also where nothing changed and everything else is folded.
#[test]
fn that_iterations_are_runs_is_said_in_every_form() {
    let (_, results) = GO.split_once("crc\n").expect("a header");
    let content = GO.to_owned() + results;
    let slower = content.replace("10.4", "10.40001");
    let files = [
        File { variant: Some("before"), name: "a.txt", bytes: content.as_bytes() },
        File { variant: Some("after"), name: "b.txt", bytes: slower.as_bytes() },
    ];
    let options = Options { iterations: true, ..Options::default() };
    let loaded = load_bytes(&files, &options).expect("runs");
    let policy = Policy::default();
    let report = analyse(&loaded.dataset, Some("before"), None, &policy).expect("a comparison");
    let text = render::text(&report, TextOptions { width: 200, ..TextOptions::default() });
    for form in [text, render::markdown(&report), render::html(&report), render::json(&report)] {
        assert!(form.contains("differences between processes (layout, ASLR"), "{form}");
    }
    let noise = noise(&loaded.dataset, &policy).expect("noise");
    assert!(
        noise.repeats[0].findings.iter().any(|finding| finding.id.as_str() == "iterations-as-runs")
    );
}

/// By hand: 6.56 ms are 2.310 times 2.84 ms, and the other way round 0.433 times; means are 0.2 % above the first value.
#[test]
fn large_changes_are_factors_too_and_units_are_those_that_people_write() {
    let report = |before: f64, after: f64| {
        let of = |variant: &'static str, from: usize, centre: f64| -> Vec<Run> {
            let value = |k: usize| centre * (1.0 + 0.001 * k as f64);
            (0..5).map(|k| run(variant, from + k, &[("time_per_op_ns", value(k))])).collect()
        };
        let runs = [of("before", 2, before), of("after", 20, after)].concat();
        let dataset = Dataset::assemble(runs, Vec::new());
        analyse(&dataset, None, None, &Policy::default()).expect("a comparison")
    };
    let options = TextOptions { width: 200, ..TextOptions::default() };
    let slower = report(2_840_000.0, 6_560_000.0);
    let text = render::text(&slower, options);
    assert!(
        text.starts_with("beyondnoise: regressed, time per op +131.0 % (2.3x; 95 % CI"),
        "{text}"
    );
    let line = text.lines().find(|line| line.starts_with(" time per op")).expect("a row");
    let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.starts_with("time per op 2.846 ms ±0.2 % 6.573 ms ±0.2 % +131.0 % (2.3x)"),
        "{line}"
    );
    let markdown = render::markdown(&slower);
    assert!(markdown.contains("| time per op (lower is better) | 2.846 ms ±0.2"), "{markdown}");
    assert!(render::html(&slower).contains("2.846 ms"));
    // The document and the table for machines keep the unit.
    assert_eq!(
        (slower.comparisons[0].metrics[0].unit, slower.comparisons[0].metrics[0].baseline.n),
        ("ns", 5)
    );
    assert!(
        render::json(&slower).contains("2840000.0") && render::csv(&slower).contains("2845680")
    );
    let faster = render::text(&report(6_560_000.0, 2_840_000.0), options);
    assert!(faster.contains("−56.71 % (0.43x; "), "{faster}");
    let twice = render::text(&report(1000.0, 1990.0), options);
    assert!(!twice.contains("x;") && twice.contains("1.0020 µs ±0.2 %"), "{twice}");
}

/// The documents of nested repeats, averages and exact counts fit the published schemas.
#[test]
fn every_document_fits_its_schema() {
    let fits = |schema: &str, document: &str| {
        let schema = serde_json::from_str(schema).expect("JSON");
        let validator = jsonschema::draft202012::new(&schema).expect("a schema");
        let document = serde_json::from_str(document).expect("JSON");
        let found: Vec<String> = validator.iter_errors(&document).map(|e| e.to_string()).collect();
        assert!(found.is_empty(), "{found:#?}");
    };
    let schema = include_str!("../../data/schema/report.schema.json");
    let averaged = averages("mean_e2el_ms", (100.0, 2.0, 5), (105.0, 3.0, 4));
    for runs in [nested(0, fixed), nested(3, fixed), averaged, counted(9.0, 10.0)] {
        let dataset = Dataset::assemble(runs, Vec::new());
        let report = analyse(&dataset, None, None, &Policy::default()).expect("a comparison");
        fits(schema, &render::json(&report));
    }
    let dataset = Dataset::assemble(nested(0, fixed), Vec::new());
    let noise = noise(&dataset, &Policy::default()).expect("noise");
    fits(include_str!("../../data/schema/noise.schema.json"), &render::json(&noise));
}

/// A table of 3 x 3 x 5 values a version: two columns make 9 runs in 3 blocks, of the same interval as above.
#[test]
fn two_run_columns_of_a_table_are_levels() {
    let mut table = "instance,suite,iteration,version,value\n".to_owned();
    for run in nested(0, fixed) {
        let [instance, suite] = [0, 1].map(|level: usize| &run.info.levels[level].1);
        let (version, value) = (&run.variant, run.metrics["mean_e2el_ms"].value);
        let iteration = (run.source.position - 2) % 5;
        let cells = [instance, suite, &iteration.to_string(), version, &value.to_string()];
        table += &(cells.map(String::as_str).join(",") + "\n");
    }
    let file = File { variant: None, name: "values.csv", bytes: table.as_bytes() };
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let options = Options {
        variant_column: named(&["version"]),
        run_column: named(&["instance", "suite"]),
        metrics: named(&["value"]),
        ..Options::default()
    };
    let loaded = load_bytes(&[file], &options).expect("a table");
    let selected = vec![Selected { name: "value".to_owned(), better: Some(Better::Lower) }];
    let policy = Policy { selected, ..welch() };
    let report = analyse(&loaded.dataset, Some("before"), None, &policy).expect("a comparison");
    let comparison = &report.comparisons[0];
    assert!(comparison.summary.ends_with("9 + 9 runs in 3 blocks"), "{}", comparison.summary);
    near(
        comparison.metrics[0].delta.relative_ci.expect("an interval"),
        [0.040_202_83, 0.051_070_19],
    );
}
