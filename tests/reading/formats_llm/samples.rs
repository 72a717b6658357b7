//! Files that real clients wrote, where they are at hand beside the project.
//!
//! Expected numbers: `json.load` (or `csv.reader`) in Python and the keys of the file, seconds times 1000;
//! for lists of requests `sum(x) / len(x)`.

#![expect(clippy::print_stderr, reason = "says that nothing was there to check")]

use std::path::PathBuf;

use super::refused::REFUSED;
use super::{Expected, check, dataset, read};

fn samples() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/samples");
    if !folder.is_dir() {
        eprintln!("no samples beside the project: nothing checked");
        return None;
    }
    Some(folder)
}

const READABLE: &[Expected] = &[
    Expected {
        file: "genai-perf/console_table_doc.txt",
        format: "printed boxes",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 11.59),
            (0, "p99_tpot_ms", 4.37),
            (0, "output_throughput", 443.39),
        ],
    },
    // Printed twice: the second time is a copy.
    Expected {
        file: "guidellm/console_v0.8.1_generated.txt",
        format: "printed boxes",
        runs: 2,
        values: &[
            (0, "mean_ttft_ms", 24.9),
            (0, "request_throughput", 20.9),
            (1, "output_throughput", 559.3),
        ],
    },
    Expected {
        file: "evalscope/v1.14.1_generated/performance_summary.txt",
        format: "printed boxes",
        runs: 2,
        values: &[
            (0, "mean_ttft_ms", 26.08),
            (0, "median_tpot_ms", 5.47),
            (1, "output_throughput", 570.4),
        ],
    },
    Expected {
        file: "aiperf/qwen_concurrency1/profile_export_aiperf.json",
        format: "aiperf json",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 30.814987671875),
            (0, "p99_tpot_ms", 19.481766498241203),
            (0, "output_throughput", 50.08213863971112),
            (0, "median_itl_ms", 18.063869),
            (0, "duration", 255.56017270100003),
        ],
    },
    Expected {
        file: "aiperf/qwen_concurrency2/profile_export_aiperf.json",
        format: "aiperf json",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 36.455307999999995),
            (0, "p99_e2el_ms", 4129.22212239),
            (0, "request_throughput", 0.5033347244269587),
        ],
    },
    Expected {
        file: "aiperf/multirun_v0.13.0_generated/profile_runs/run_0001/profile_export_aiperf.json",
        format: "aiperf json",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 45.912549479999996),
            (0, "p99_tpot_ms", 15.147281314666664),
            (0, "output_throughput", 261.783862030025),
        ],
    },
    Expected {
        file: "aiperf/multirun_v0.13.0_generated/profile_runs/run_0002/profile_export_aiperf.json",
        format: "aiperf json",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 32.22813953846154),
            (0, "p99_tpot_ms", 14.553416350000001),
            (0, "output_throughput", 314.93237756847867),
        ],
    },
    Expected {
        file: "aiperf/multirun_v0.13.0_generated/profile_runs/run_0003/profile_export_aiperf.json",
        format: "aiperf json",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 31.324133307692307),
            (0, "p99_tpot_ms", 15.62332545),
            (0, "output_throughput", 428.3258626764735),
        ],
    },
    Expected {
        file: "genai-perf/perf_analyzer.csv",
        format: "perf_analyzer csv",
        runs: 4,
        values: &[
            (0, "request_throughput", 69.2),
            (1, "p99_e2el_ms", 51.701),
            (3, "median_e2el_ms", 21.874),
        ],
    },
    Expected {
        file: "guidellm/benchmarks_v0.8.1_generated.csv",
        format: "guidellm csv",
        runs: 2,
        values: &[
            (0, "mean_ttft_ms", 24.903376897176102),
            (0, "p99_ttft_ms", 35.42590141296387),
            (0, "mean_e2el_ms", 100.5965338812934),
            (0, "duration", 0.9583051204681396),
            (1, "median_tpot_ms", 4.558642705281575),
            (1, "request_throughput", 34.95539487791402),
        ],
    },
    Expected {
        file: "guidellm/llm-d_fixture_guidellm_report_v2.json",
        format: "guidellm report",
        runs: 2,
        values: &[
            (0, "mean_ttft_ms", 11.481165885925293),
            (0, "median_e2el_ms", 19.269227981567383),
            (1, "p99_tpot_ms", 1.274177006312779),
            (1, "output_throughput", 6.377131566888984),
        ],
    },
    Expected {
        file: "evalscope/v1.14.1_generated/parallel_2_number_20/benchmark_summary.json",
        format: "evalscope summary json",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 26.08),
            (0, "duration", 0.9903),
            (0, "mean_e2el_ms", 109.9),
            (0, "p99_ttft_ms", 38.7647),
            (0, "median_itl_ms", 5.2502),
        ],
    },
    Expected {
        file: "evalscope/v1.14.1_generated/parallel_4_number_40/benchmark_summary.json",
        format: "evalscope summary json",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 24.48),
            (0, "duration", 0.9537),
            (0, "median_e2el_ms", 105.1),
            (0, "p99_ttft_ms", 38.2883),
        ],
    },
    Expected {
        file: "aisbench/docs_console_tables.txt",
        format: "aisbench tables",
        runs: 1,
        values: &[
            (0, "duration", 98.4094916),
            (0, "mean_ttft_ms", 2006.0),
            (0, "p99_e2el_ms", 12305.1),
            (0, "p90_itl_ms", 20.2),
        ],
    },
    Expected {
        file: "trtllm/bench_report_fixture.json",
        format: "trtllm-bench report",
        runs: 1,
        values: &[
            (0, "duration", 4.7435),
            (0, "mean_ttft_ms", 4533.1),
            (0, "mean_tpot_ms", 14.03),
            (0, "output_throughput", 3.37),
        ],
    },
    Expected {
        file: "llmperf/summary_anyscale_7b.json",
        format: "llmperf summary json",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 225.18338954666584),
            (0, "p99_e2el_ms", 3279.331442180008),
            (0, "output_throughput", 198.25122608178637),
            (0, "request_throughput", 1.3129799952434082),
        ],
    },
    Expected {
        file: "llmperf/individual_anyscale_7b_first5.json",
        format: "llmperf request rows",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 394.0103153999985),
            (0, "median_ttft_ms", 405.8168020000039),
            (0, "mean_e2el_ms", 2865.6226118),
        ],
    },
    Expected {
        file: "inferencex/experimental_minimax_isl14336_conc16.json",
        format: "inferencex raw json",
        runs: 1,
        values: &[
            (0, "median_ttft_ms", 6006.815120577812),
            (0, "p99_tpot_ms", 103.53758838937037),
            (0, "output_throughput", 170.31215978960265),
        ],
    },
    Expected {
        file: "genai-bench/mock_run_data.json",
        format: "genai-bench json",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 52.35532717779279),
            (0, "p99_e2el_ms", 2311.3855234906087),
            (0, "output_throughput", 54.891401311421),
            (0, "request_throughput", 0.53332541815266),
        ],
    },
    Expected {
        file: "inference-perf/stage_0_lifecycle_metrics.json",
        format: "inference-perf json",
        runs: 1,
        values: &[
            (0, "mean_ttft_ms", 33.31898592878133),
            (0, "p99.9_itl_ms", 8.688078872859481),
            (0, "output_throughput", 62.15363932698074),
            (0, "median_e2el_ms", 482.4237964930944),
        ],
    },
    Expected {
        file: "llm-d/br_v0_1_example.yaml",
        format: "llm-d report",
        runs: 1,
        values: &[
            (0, "duration", 16.531641244888306),
            (0, "mean_ttft_ms", 0.800974442732916),
            (0, "p90_e2el_ms", 5.94717199734878),
            (0, "request_throughput", 1.0238155253639),
        ],
    },
    Expected {
        file: "llm-d/br_v0_2_1_example.yaml",
        format: "llm-d report",
        runs: 1,
        values: &[
            (0, "duration", 49.97206788184121),
            (0, "mean_ttft_ms", 36.8578234128654),
            (0, "p99.9_ttft_ms", 57.01475721504543),
            (0, "total_token_throughput", 2262.448),
        ],
    },
    Expected {
        file: "mlperf/mlperf_log_summary_amd_8xMI325X_llama2-70b_server.txt",
        format: "mlperf summary",
        runs: 1,
        values: &[
            (0, "output_throughput", 29522.56),
            (0, "mean_ttft_ms", 963.332124),
            (0, "p99_e2el_ms", 121801.757289),
            (0, "mean_tpot_ms", 126.269215),
        ],
    },
    Expected {
        file: "mlperf/mlperf_log_summary_offline_sdxl.txt",
        format: "mlperf summary",
        runs: 1,
        values: &[
            (0, "request_throughput", 17.0963),
            (0, "mean_e2el_ms", 1524715.283639),
            (0, "p99.9_e2el_ms", 2990130.556532),
        ],
    },
    Expected {
        file: "llama-bench/readme.json",
        format: "llama-bench json",
        runs: 2,
        values: &[
            (0, "input_throughput", 7100.002165),
            (1, "output_throughput", 118.881588),
            (1, "output_throughput", 118.881588),
        ],
    },
    Expected {
        file: "llama-bench/readme.jsonl",
        format: "llama-bench json",
        runs: 2,
        values: &[
            (0, "input_throughput", 7100.002165),
            (1, "output_throughput", 118.881588),
            (1, "output_throughput", 118.881588),
        ],
    },
    Expected {
        file: "llama-bench/readme.md",
        format: "llama-bench markdown",
        runs: 4,
        values: &[
            (0, "input_throughput", 7340.20),
            (1, "output_throughput", 120.60),
            (2, "input_throughput", 6425.91),
            (3, "output_throughput", 116.71),
        ],
    },
];

const FAMILIES: &[&str] = &[
    "aiperf",
    "genai-perf",
    "guidellm",
    "evalscope",
    "aisbench",
    "trtllm",
    "lmdeploy",
    "llmperf",
    "inferencex",
    "genai-bench",
    "inference-perf",
    "llm-d",
    "mlperf",
    "llama-bench",
];

#[test]
fn real_files_have_the_values_written_in_them() {
    let Some(samples) = samples() else { return };
    for expected in READABLE {
        check(&samples.join(expected.file).display().to_string(), expected);
    }
}

#[test]
fn real_files_without_a_run_are_refused_with_a_reason() {
    let Some(samples) = samples() else { return };
    for (file, reason) in REFUSED {
        let message = read(&[&samples.join(file).display().to_string()]).expect_err(file);
        assert!(message.contains(file) && message.contains(reason), "{message}");
    }
}

#[test]
fn every_real_file_is_in_one_of_the_two_lists() {
    let Some(samples) = samples() else { return };
    let mut folders: Vec<PathBuf> = FAMILIES.iter().map(|name| samples.join(name)).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&samples).expect("below").display().to_string();
            let known = READABLE.iter().any(|expected| expected.file == name)
                || REFUSED.iter().any(|(file, _)| *file == name);
            assert!(known, "{name}");
        }
    }
}

/// The folder of a real multi-run: three repeats, everything else left out.
#[test]
fn real_folders_hold_repeats_and_loads() {
    let Some(samples) = samples() else { return };
    let folder = |name: &str| samples.join(name).display().to_string();
    let multi = dataset(&[&folder("aiperf/multirun_v0.13.0_generated")]);
    assert_eq!(multi.groups.len(), 1);
    assert_eq!(multi.groups[0].variants[0].runs.len(), 3);
    let evalscope = dataset(&[&folder("evalscope/v1.14.1_generated")]);
    let sizes: Vec<usize> = evalscope.groups.iter().map(|g| g.variants[0].runs.len()).collect();
    assert_eq!(sizes, [1, 1]);
    assert_eq!(dataset(&[&folder("inference-perf")]).runs().count(), 1);
}

/// The JSON file lost backslashes when it was edited; with these back it is the run of the CSV file.
#[test]
fn a_report_and_its_table_are_one_run() {
    let Some(samples) = samples() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let name = "guidellm/benchmarks_v0.8.1_generated";
    let json = std::fs::read_to_string(samples.join(format!("{name}.json"))).expect("a file");
    let json = json.replace("(scratch)\", line", "(scratch)\\\", line");
    std::fs::write(folder.path().join("b.json"), json).expect("a file");
    std::fs::copy(samples.join(format!("{name}.csv")), folder.path().join("b.csv"))
        .expect("a copy");
    let found = dataset(&[&folder.path().display().to_string()]);
    let sizes: Vec<usize> = found.groups.iter().map(|g| g.variants[0].runs.len()).collect();
    assert_eq!(sizes, [1, 1]);
    assert_eq!(found.groups.iter().map(|group| group.duplicates.len()).sum::<usize>(), 2);
    let requests = found.groups[0].variants[0].runs[0].requests.as_ref().expect("detail");
    // sum(r["time_to_first_token_ms"]) / 18 in Python gives the mean of the report.
    let mean = requests.figures["mean_ttft_ms"].value;
    assert!((mean - 24.903376897176102).abs() < 1e-9, "{mean}");
}
