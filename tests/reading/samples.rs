//! Files that real clients wrote, where they are at hand beside the project. Expected numbers were taken
//! from each file by another program.

#![expect(clippy::unreadable_literal, reason = "digits as they stand in the files")]
#![expect(clippy::print_stderr, reason = "says that nothing was there to check")]

use std::path::PathBuf;

use beyondnoise::error::chain;
use beyondnoise::read::{Options, load};
use beyondnoise::runs::Run;

fn samples() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/samples");
    folder.is_dir().then_some(folder)
}

struct Expected {
    file: &'static str,
    runs: usize,
    /// Position of a run in the file, metric, value.
    values: &'static [(usize, &'static str, f64)],
}

const READABLE: &[Expected] = &[
    Expected {
        file: "vllm/bench_serve_v0.25.1.json",
        runs: 1,
        values: &[
            (0, "duration", 1.5441598830002476),
            (0, "output_throughput", 82.89297074037474),
            (0, "mean_ttft_ms", 215.53594200008774),
        ],
    },
    Expected {
        file: "vllm/commented_text_block_yiliu30_vllm-fork.txt",
        runs: 2,
        values: &[
            (0, "duration", 150.87),
            (0, "mean_ttft_ms", 7279.56),
            (0, "p99_itl_ms", 72.47),
            (1, "duration", 198.68),
            (1, "mean_ttft_ms", 6535.45),
            (1, "p99_itl_ms", 97.38),
        ],
    },
    Expected {
        file: "vllm/openai-infqps-mock-model-20261121-015123.json",
        runs: 1,
        values: &[
            (0, "duration", 0.11799781500030804),
            (0, "output_throughput", 1084.7658492631058),
            (0, "mean_ttft_ms", 35.44777262510479),
        ],
    },
    Expected {
        file: "vllm/v0.33.0_console_generated.txt",
        runs: 1,
        values: &[(0, "duration", 0.56), (0, "mean_ttft_ms", 24.68), (0, "p99_itl_ms", 9.90)],
    },
    Expected {
        file: "vllm/v0.33.0_save_detailed_append_2runs_generated.jsonl",
        runs: 2,
        values: &[
            (0, "duration", 0.5617557519999536),
            (0, "output_throughput", 569.6425873001589),
            (0, "mean_ttft_ms", 24.68391720001364),
            (1, "duration", 0.6046085940001831),
            (1, "output_throughput", 555.7314324246908),
            (1, "mean_ttft_ms", 27.54324547623539),
        ],
    },
    Expected {
        file: "vllm/sweep_v0.25.1/vllm_sweep_v0.25.1/SERVE--max_num_seqs=4-BENCH--max_concurrency=2-num_prompts=8/run=0.json",
        runs: 1,
        values: &[
            (0, "duration", 1.3653671270003542),
            (0, "output_throughput", 93.74767963046673),
            (0, "mean_ttft_ms", 217.27289337468392),
        ],
    },
    Expected {
        file: "vllm/sweep_v0.25.1/vllm_sweep_v0.25.1/SERVE--max_num_seqs=4-BENCH--max_concurrency=2-num_prompts=8/run=1.json",
        runs: 1,
        values: &[
            (0, "duration", 0.6420253609976498),
            (0, "output_throughput", 199.36907134182283),
            (0, "mean_ttft_ms", 39.30731637592544),
        ],
    },
    Expected {
        file: "vllm/sweep_v0.25.1/vllm_sweep_v0.25.1/SERVE--max_num_seqs=4-BENCH--max_concurrency=2-num_prompts=8/summary.json",
        runs: 2,
        values: &[
            (0, "duration", 1.3653671270003542),
            (0, "output_throughput", 93.74767963046673),
            (0, "mean_ttft_ms", 217.27289337468392),
            (1, "duration", 0.6420253609976498),
            (1, "output_throughput", 199.36907134182283),
            (1, "mean_ttft_ms", 39.30731637592544),
        ],
    },
    Expected {
        file: "vllm/sweep_v0.25.1/vllm_sweep_v0.25.1/SERVE--max_num_seqs=8-BENCH--max_concurrency=2-num_prompts=8/run=0.json",
        runs: 1,
        values: &[
            (0, "duration", 0.6694539679883746),
            (0, "output_throughput", 191.2005994745598),
            (0, "mean_ttft_ms", 46.89306787258829),
        ],
    },
    Expected {
        file: "vllm/sweep_v0.25.1/vllm_sweep_v0.25.1/SERVE--max_num_seqs=8-BENCH--max_concurrency=2-num_prompts=8/run=1.json",
        runs: 1,
        values: &[
            (0, "duration", 0.6863886729988735),
            (0, "output_throughput", 186.48326383470211),
            (0, "mean_ttft_ms", 36.80464224999014),
        ],
    },
    Expected {
        file: "vllm/sweep_v0.25.1/vllm_sweep_v0.25.1/SERVE--max_num_seqs=8-BENCH--max_concurrency=2-num_prompts=8/summary.json",
        runs: 2,
        values: &[
            (0, "duration", 0.6694539679883746),
            (0, "output_throughput", 191.2005994745598),
            (0, "mean_ttft_ms", 46.89306787258829),
            (1, "duration", 0.6863886729988735),
            (1, "output_throughput", 186.48326383470211),
            (1, "mean_ttft_ms", 36.80464224999014),
        ],
    },
    Expected {
        file: "sglang/datacrunch_deepseek_dp_mla_output.jsonl",
        runs: 1,
        values: &[
            (0, "duration", 412.49091206211597),
            (0, "output_throughput", 12412.394674113431),
            (0, "median_ttft_ms", 10014.104524045251),
        ],
    },
    Expected {
        file: "sglang/datacrunch_llama_3_3_70b_offline_output.jsonl",
        runs: 7,
        values: &[
            (0, "duration", 341.72106836596504),
            (0, "output_throughput", 4520.698730654741),
            (0, "median_ttft_ms", 91282.20983641222),
            (6, "duration", 97.2262002939824),
            (6, "output_throughput", 3939.9256459856624),
            (6, "median_ttft_ms", 18726.9222245086),
        ],
    },
    Expected {
        file: "sglang/datacrunch_llama_3_3_70b_online_output.jsonl",
        runs: 7,
        values: &[
            (0, "duration", 298.3675805060193),
            (0, "output_throughput", 537.4142851849319),
            (0, "median_ttft_ms", 85.74514742940664),
            (6, "duration", 313.96794493007474),
            (6, "output_throughput", 1471.0864833760852),
            (6, "median_ttft_ms", 83.16566958092153),
        ],
    },
    Expected {
        file: "sglang/offline_throughput_block.txt",
        runs: 1,
        values: &[
            (0, "duration", 350.25),
            (0, "input_throughput", 1789.23),
            (0, "last_gen_throughput", 33.36),
        ],
    },
    Expected {
        file: "sglang/offline_throughput_block_mpi_prefixed_SYNTHETIC.txt",
        runs: 1,
        values: &[
            (0, "duration", 350.25),
            (0, "input_throughput", 1789.23),
            (0, "last_gen_throughput", 33.36),
        ],
    },
    Expected {
        file: "sglang/v0.5.23_console_generated.txt",
        runs: 2,
        values: &[
            (0, "duration", 0.55),
            (0, "mean_ttft_ms", 23.99),
            (0, "p99_itl_ms", 7.75),
            (1, "duration", 0.85),
            (1, "mean_ttft_ms", 25.11),
            (1, "p99_itl_ms", 10.33),
        ],
    },
    Expected {
        file: "sglang/v0.5.23_output_details_2runs_generated.jsonl",
        runs: 2,
        values: &[
            (0, "duration", 0.5474230279996846),
            (0, "output_throughput", 613.7849210102897),
            (0, "mean_ttft_ms", 23.985122904767714),
            (1, "duration", 0.8497940209999797),
            (1, "output_throughput", 376.5618398014213),
            (1, "mean_ttft_ms", 25.110967399950823),
        ],
    },
];

/// Files that hold no run, with what the error says.
const REFUSED: &[(&str, &str)] = &[
    ("vllm/bench_serve_all_requests_failed_v0.25.1.json", "every request failed"),
    ("vllm/sweep_v0.25.1/metrics_vllm_0_25_1_loaded.txt", "expected benchmark results"),
];

fn read(file: &str) -> Option<Result<Vec<Run>, String>> {
    let path = samples()?.join(file);
    let loaded = load(&[path.display().to_string()], &Options::default());
    Some(loaded.map_err(|error| chain(&error)).map(|loaded| {
        let mut runs: Vec<Run> = loaded.dataset.runs().map(|(_, _, run)| run.clone()).collect();
        runs.sort_by(|a, b| a.source.cmp(&b.source));
        runs
    }))
}

#[test]
fn runs_of_real_files_have_the_values_written_in_them() {
    for Expected { file, runs, values } in READABLE {
        let Some(read) = read(file) else {
            eprintln!("no samples beside the project: nothing checked");
            return;
        };
        let found = read.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(found.len(), *runs, "{file}");
        assert!(values.len() >= 3, "{file}");
        for (run, metric, expected) in *values {
            let value =
                found[*run].metrics.get(metric).unwrap_or_else(|| panic!("{file} {metric}"));
            let error = (value.value - expected).abs();
            assert!(
                error <= 1e-9 * expected.abs() + value.resolution,
                "{file} run {run} {metric}: {} is not {expected}",
                value.value
            );
        }
    }
}

#[test]
fn files_without_a_run_are_refused_with_a_reason() {
    for (file, reason) in REFUSED {
        let Some(read) = read(file) else {
            eprintln!("no samples beside the project: nothing checked");
            return;
        };
        let message = read.expect_err(file);
        assert!(message.contains(file) && message.contains(reason), "{message}");
    }
}

#[test]
fn every_file_is_in_one_of_the_two_lists() {
    let Some(samples) = samples() else {
        eprintln!("no samples beside the project: nothing checked");
        return;
    };
    let mut folders = ["vllm", "sglang"].map(|name| samples.join(name)).to_vec();
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

/// The directory of a sweep holds each run twice, in its own file and in a summary.
#[test]
fn a_real_sweep_is_four_runs_of_two_variants() {
    let Some(samples) = samples() else {
        eprintln!("no samples beside the project: nothing checked");
        return;
    };
    let folder = samples.join("vllm/sweep_v0.25.1/vllm_sweep_v0.25.1").display().to_string();
    let dataset = load(&[folder], &Options::default()).expect("a sweep").dataset;
    assert_eq!(dataset.groups.len(), 1);
    let group = &dataset.groups[0];
    let counts: Vec<usize> = group.variants.iter().map(|variant| variant.runs.len()).collect();
    assert_eq!((counts, group.duplicates.len()), (vec![2, 2], 4));
}
