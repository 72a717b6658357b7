//! All commands take the same policy: the metrics that decide, their directions and margins, the thresholds of the checks.

#![allow(clippy::type_complexity, clippy::items_after_statements, reason = "tables of cases")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use beyondnoise::analysis::analyse;
use beyondnoise::checks::Severity;
use beyondnoise::noise::{NoiseReport, Repeats, noise};
use beyondnoise::policy::{Policy, Thresholds};
use beyondnoise::report::Check;
use beyondnoise::runs::{Dataset, Run, Setting, Source, Value, Workload};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value as Json;

/// Deciding metrics, a direction and margins that no default has.
const POLICY: &str = r#"
deciding = ["score", "p99_e2el_ms"]
confidence = 0.9
guard = ["mean_ttft_ms"]

[metrics.score]
better = "higher"
margin = "4 %"

[metrics.p99_e2el_ms]
margin = "7 %"
"#;

/// What the policy says: each deciding metric with its direction and margin.
const DECIDING: [(&str, &str, f64); 2] =
    [("score", "higher", 0.04), ("p99_e2el_ms", "lower", 0.07)];

/// Two builds at these loads, 6 runs each, with metrics that would decide by default beside those of the policy.
fn table(loads: &[u32]) -> String {
    let mut text =
        "build,run,max_concurrency,output_throughput,mean_ttft_ms,p99_e2el_ms,score\n".to_owned();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for load in loads {
        for (build, run) in
            ["main", "pr"].iter().flat_map(|build| (1..=6).map(move |run| (build, run)))
        {
            let mut about = |value: f64| value * (1.0 + 0.04 * (rng.random::<f64>() - 0.5));
            let (rate, ttft) = (about(1000.0), about(80.0));
            let (tail, score) = (about(900.0), about(50.0));
            writeln!(text, "{build},{run},{load},{rate:.3},{ttft:.3},{tail:.3},{score:.4}")
                .expect("writing to a String cannot fail");
        }
    }
    text
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a folder"));
        place.write("beyondnoise.toml", POLICY);
        place.write("runs.csv", &table(&[8]));
        place.write("sweep.csv", &table(&[1, 8, 64]));
        place
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).expect("a file");
    }

    /// The document of a command.
    #[track_caller]
    fn document(&self, line: &str) -> Json {
        let out = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
            .args(line.split(' '))
            .args(["--format", "json"])
            .current_dir(self.0.path())
            .output()
            .expect("the executable runs");
        let errors = String::from_utf8_lossy(&out.stderr);
        serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{line}: {errors}"))
    }
}

/// The deciding metrics among rows with these keys, with their directions and margins.
fn deciding(rows: &Json) -> Vec<(String, String, f64)> {
    let rows = rows.as_array().expect("rows").iter().filter(|row| row["deciding"] == true);
    let text = |value: &Json| value.as_str().expect("text").to_owned();
    rows.map(|row| {
        (text(&row["metric"]), text(&row["better"]), row["margin"].as_f64().expect("a margin"))
    })
    .collect()
}

fn expected() -> Vec<(String, String, f64)> {
    DECIDING.map(|(name, better, margin)| (name.to_owned(), better.to_owned(), margin)).to_vec()
}

/// S9: of one policy every command uses the metrics that decide, their directions, their margins and the confidence.
#[test]
fn every_command_uses_the_metrics_directions_and_margins_of_the_policy() {
    let place = Place::new();
    for line in ["compare runs.csv", "batch runs.csv", "compare sweep.csv"] {
        let report = place.document(line);
        let comparisons = report["comparisons"].as_array().expect("comparisons");
        assert_eq!(comparisons.len(), if line.contains("sweep") { 3 } else { 1 }, "{line}");
        for comparison in comparisons {
            assert_eq!(deciding(&comparison["metrics"]), expected(), "{line}");
        }
        assert_eq!(report["settings"]["confidence"], 0.9, "{line}");
    }
    let report = place.document("noise runs.csv");
    let builds = report["repeats"].as_array().expect("builds");
    assert_eq!(builds.len(), 2);
    for build in builds {
        assert_eq!(deciding(&build["metrics"]), expected());
    }
    assert_eq!(report["settings"]["confidence"], 0.9);
    let names = |rows: &Json| -> Vec<String> {
        let rows = rows.as_array().expect("rows").iter();
        rows.map(|row| row["metric"].as_str().expect("a name").to_owned()).collect()
    };
    let wanted: Vec<String> = DECIDING.map(|(name, ..)| name.to_owned()).to_vec();
    for line in ["plan --effect 3% runs.csv", "plan --effect 3% --cv 2%"] {
        let plan = place.document(line);
        assert_eq!(names(&plan["plans"][0]["metrics"]), wanted, "{line}");
        // Both share alpha, as in the comparison.
        assert_eq!(plan["plans"][0]["tested"], 2, "{line}");
        assert_eq!(plan["settings"]["confidence"], 0.9, "{line}");
    }
    let halves = place.document("calibrate --repetitions 20 --runs 3 --effect 20% runs.csv");
    assert_eq!(names(&halves["rows"]), wanted);
    assert_eq!(halves["settings"]["confidence"], 0.9);
    // A slow-down lowers the score: a metric of unknown direction is taken as better when lower.
    let lower = "calibrate --repetitions 20 --runs 3 --effect 20% --metric score:lower runs.csv";
    let power =
        |document: &Json| document["rows"][0]["power"][0]["power"].as_f64().expect("a power");
    assert!(power(&halves) > 0.9 && power(&place.document(lower)) > 0.9);
}

/// S9: `plan --metric p99_e2el_ms` and a policy with `deciding = ["p99_e2el_ms"]` are one plan.
#[test]
fn a_plan_for_the_deciding_metrics_is_that_for_the_same_metrics_by_name() {
    let place = Place::new();
    for (policy, flags) in [
        ("deciding = [\"p99_e2el_ms\"]", "--metric p99_e2el_ms"),
        (
            "deciding = [\"mean_ttft_ms\", \"output_throughput\"]",
            "--metric mean_ttft_ms --metric output_throughput",
        ),
    ] {
        place.write("beyondnoise.toml", policy);
        let of_policy = place.document("plan --effect 3% runs.csv");
        let named = place.document(&format!("plan --effect 3% {flags} --no-config runs.csv"));
        assert_eq!(of_policy["plans"], named["plans"]);
        let of_policy = place.document("noise runs.csv");
        for build in of_policy["repeats"].as_array().expect("builds") {
            let named = place.document(&format!("noise {flags} --no-config runs.csv"));
            let same = named["repeats"].as_array().expect("builds").iter();
            let same = same.clone().find(|other| other["variant"] == build["variant"]);
            assert_eq!(same.expect("the build")["findings"], build["findings"]);
        }
    }
}

/// S9: `run` judges by the policy, each line by the metric that leads, and `noise`, `plan` and `calibrate` of its folder too.
#[cfg(unix)]
#[test]
fn a_run_and_the_commands_on_its_folder_use_the_policy() {
    let place = Place::new();
    place.write(
        "bench.sh",
        "n=$(cat calls 2>/dev/null || echo 0); echo $((n + 1)) > calls\n\
         printf 'output_throughput,p99_e2el_ms,score\\n100%s.5,90%s.25,5%s.125\\n' $n $((n * 7 % 5)) $((n * 3 % 7)) > $1\n",
    );
    let out = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .args(["run", "main=sh bench.sh {out}", "pr=sh bench.sh {out}", "--max-runs", "3"])
        .args(["--looks", "3", "-o", "made", "--effect", "30%", "--format", "json"])
        .current_dir(place.0.path())
        .output()
        .expect("the executable runs");
    let errors = String::from_utf8_lossy(&out.stderr);
    let report: Json =
        serde_json::from_slice(&out.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"));
    let of_comparison = deciding(&report["comparisons"][0]["metrics"]);
    let names: Vec<&str> = of_comparison.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["score", "p99_e2el_ms"]);
    assert!(errors.contains("score 5"), "each line shows the leading metric: {errors}");
    let noise = place.document("noise made");
    for build in noise["repeats"].as_array().expect("builds") {
        assert_eq!(deciding(&build["metrics"]), of_comparison);
    }
    let plan = place.document("plan --effect 3% made");
    let planned = plan["plans"][0]["metrics"].as_array().expect("metrics").iter();
    assert_eq!(
        planned.map(|metric| metric["metric"].as_str()).collect::<Vec<_>>(),
        [Some("score"), Some("p99_e2el_ms")]
    );
}

/// Builds with these values of metrics, in this order.
fn dataset(builds: &[(&str, &[(&str, Vec<f64>)])]) -> Dataset {
    let mut all = Vec::new();
    for (name, metrics) in builds {
        for position in 0..metrics[0].1.len() {
            let value = |(metric, values): &(&str, Vec<f64>)| {
                ((*metric).to_owned(), Value { value: values[position], resolution: 0.0 })
            };
            all.push(Run {
                variant: (*name).to_owned(),
                source: Source {
                    path: format!("{name}-{}.json", position + 1).into(),
                    ..Source::default()
                },
                workload: Workload {
                    requests: Some(1000),
                    max_concurrency: Setting::Value(8.0),
                    input_tokens: Some(64_000),
                    ..Workload::default()
                }
                .into(),
                metrics: metrics.iter().map(value).collect(),
                ..Run::default()
            });
        }
    }
    Dataset::assemble(all, Vec::new())
}

fn compared(dataset: &Dataset, policy: &Policy) -> Vec<Check> {
    let report = analyse(dataset, Some("main"), None, policy).expect("a comparison");
    report.comparisons.into_iter().flat_map(|comparison| comparison.checks).collect()
}

fn build<'a>(report: &'a NoiseReport, name: &str) -> &'a Repeats {
    let all = report.repeats.iter();
    all.clone().find(|build| build.variant.as_deref() == Some(name)).expect("the build")
}

/// Checks that look at the runs of one build or of two.
const OF_RUNS: [&str; 6] =
    ["slow-first-run", "outlier-run", "drift", "two-modes", "several-levels", "cache-warm"];

/// S9: what `compare` finds about the runs of one of its builds, `noise` finds of that build on the same runs, in the same
/// metric and of the same weight; 60 pairs of builds drawn at random, with outliers, slow starts, drifts and modes.
#[test]
fn noise_and_compare_give_one_finding_the_same_weight() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut agreed = BTreeSet::new();
    for _ in 0..60 {
        let runs = rng.random_range(5..13_usize);
        let mut values = |centre: f64| -> Vec<f64> {
            let fault = rng.random_range(0..6_u32);
            let size = [0.05, 0.2, 0.6][rng.random_range(0..3_usize)];
            let outlier = rng.random_range(0..runs);
            let value = |run: usize| {
                let noise: f64 = (0..4).map(|_| rng.random::<f64>() - 0.5).sum::<f64>() * 0.02;
                let shift = match fault {
                    0 if run == outlier => size,
                    1 if run == 0 => size,
                    2 => size * run as f64 / runs as f64,
                    3 if run.is_multiple_of(2) => size,
                    4 if run * 3 > runs * 2 => -size * (run % 3) as f64,
                    _ => 0.0,
                };
                centre * (1.0 + noise + shift)
            };
            (0..runs).map(value).collect()
        };
        let mut of_build = || {
            [
                ("mean_ttft_ms", values(80.0)),
                ("mean_tpot_ms", values(12.0)),
                ("output_throughput", values(900.0)),
            ]
        };
        let (main, pr) = (of_build(), of_build());
        let data = dataset(&[("main", &main), ("pr", &pr)]);
        let policy = Policy::default();
        let report = noise(&data, &policy).expect("repeats");
        for check in compared(&data, &policy) {
            let of = |key: &str| check.evidence.get(key).and_then(Json::as_str);
            let (Some(variant), metric) = (of("variant"), of("metric")) else { continue };
            // A drift of both, or a change that rests on the run, is a matter of the comparison.
            let both = !["main", "pr"].contains(&variant);
            let by_chance = check.message.contains("can be chance");
            if both
                || !OF_RUNS.contains(&check.id.as_str())
                || by_chance && check.severity == Severity::Warn
            {
                continue;
            }
            let found = build(&report, variant).findings.iter().find(|found| found.id == check.id);
            let found = found.unwrap_or_else(|| panic!("{}", check.message));
            assert_eq!(found.severity, check.severity, "{}\n{}", check.message, found.message);
            if let Some(metric) = metric {
                assert_eq!(found.metric.as_deref(), Some(metric), "{}", check.message);
            }
            agreed.insert((check.id.as_str(), format!("{:?}", check.severity)));
        }
    }
    // Warnings and notes were among them.
    assert!(agreed.len() >= 6, "{agreed:?}");
}

/// S9: a threshold of `[checks]` changes `noise` where it changes `compare`.
#[test]
fn every_threshold_of_the_checks_of_runs_changes_noise_as_it_changes_compare() {
    let ttft = |values: &[f64]| vec![("mean_ttft_ms", values.to_vec())];
    let with_tpot = |values: &[f64]| {
        let tpot: Vec<f64> = (0..values.len()).map(|run| 12.0 + 0.01 * run as f64).collect();
        vec![("mean_ttft_ms", values.to_vec()), ("mean_tpot_ms", tpot)]
    };
    let noisy = [100.0, 126.0, 83.0, 114.0, 138.0, 75.0];
    let outlier = [99.0, 101.0, 180.0, 100.0, 99.5, 100.5];
    let drift = [100.0, 104.0, 108.0, 112.0, 116.0, 120.0, 124.0, 128.0];
    let first = [150.0, 100.0, 101.0, 99.0, 100.5, 99.5];
    let modes = [100.0, 130.0, 100.2, 130.3, 99.9, 130.1, 100.1, 129.9, 100.3, 130.2, 99.8, 129.8];
    type Change = fn(&mut Thresholds);
    let cases: [(&str, Vec<(&str, Vec<f64>)>, Change); 11] = [
        ("noisy", ttft(&noisy), |checks| checks.noisy_warn = 0.5),
        ("noisy", ttft(&noisy), |checks| checks.noisy_broken = 0.5),
        ("drift", ttft(&drift), |checks| checks.chance_level = 1e-9),
        ("outlier-run", ttft(&outlier), |checks| checks.outlier_score = 1e6),
        ("outlier-run", ttft(&outlier), |checks| checks.outlier_runs = 7),
        ("outlier-run", ttft(&outlier), |checks| checks.chance_level = 1e-9),
        ("slow-first-run", ttft(&first), |checks| checks.slow_first_deviations = 1e6),
        ("slow-first-run", ttft(&[150.0, 100.0, 101.0]), |checks| checks.slow_first_share = 0.9),
        ("two-modes", ttft(&modes), |checks| checks.two_modes_gap = 1e6),
        ("cache-warm", with_tpot(&[200.0, 100.0, 101.0, 99.0]), |checks| {
            checks.cache_warm_ratio = 5.0;
        }),
        ("cache-warm", with_tpot(&[200.0, 100.0, 101.0, 99.0]), |checks| {
            checks.cache_warm_alike = 1e-9;
        }),
    ];
    for (id, values, change) in cases {
        let shifted: Vec<(&str, Vec<f64>)> = values
            .iter()
            .map(|(metric, values)| (*metric, values.iter().map(|value| value * 1.001).collect()))
            .collect();
        let data = dataset(&[("main", &values), ("pr", &shifted)]);
        // Weight, and whether the measurement is broken, of the finding in both commands; none where there is no finding.
        let found = |policy: &Policy| {
            let of_noise = noise(&data, policy).expect("repeats");
            let of_noise =
                build(&of_noise, "main").findings.iter().find(|found| found.id.as_str() == id);
            let of_compare =
                compared(&data, policy).into_iter().find(|check| check.id.as_str() == id);
            let broken = |evidence: Option<&Json>| evidence == Some(&Json::Bool(true));
            [
                of_noise.map(|found| (found.severity, broken(found.evidence.get("broken")))),
                of_compare.map(|check| (check.severity, broken(check.evidence.get("broken")))),
            ]
        };
        let mut policy = Policy::default();
        let [noise_before, compare_before] = found(&policy);
        assert_eq!(noise_before, compare_before, "{id}");
        assert!(noise_before.is_some(), "{id}");
        change(&mut policy.thresholds);
        let [noise_after, compare_after] = found(&policy);
        assert_eq!(noise_after, compare_after, "{id}");
        assert_ne!(noise_before, noise_after, "{id}");
    }
}

/// S9: margins decide the weight of a finding in `noise` as they do in `compare`.
#[test]
fn a_margin_of_the_policy_changes_the_findings_of_noise_as_of_compare() {
    let values: Vec<f64> = (0..8).map(|run| 100.0 + 4.0 * f64::from(run)).collect();
    let shifted: Vec<f64> = (0..8).map(|run| 100.0 + f64::from(run * 5 % 8) / 10.0).collect();
    let (main, pr) = ([("mean_ttft_ms", values)], [("mean_ttft_ms", shifted)]);
    let data = dataset(&[("main", &main), ("pr", &pr)]);
    let weights = |effect: Option<f64>| {
        let policy = Policy { effect, ..Policy::default() };
        let of_noise = noise(&data, &policy).expect("repeats");
        let of_noise =
            build(&of_noise, "main").findings.iter().find(|found| found.id.as_str() == "drift");
        let of_compare =
            compared(&data, &policy).into_iter().find(|check| check.id.as_str() == "drift");
        [of_noise.expect("a drift").severity, of_compare.expect("a drift").severity]
    };
    // By hand: from about 104 to about 124 is 19 %.
    assert_eq!(weights(None), [Severity::Warn; 2]);
    assert_eq!(weights(Some(0.25)), [Severity::Note; 2]);
}
