//! Results as they stand between the sentences, commands and tables of a discussion. Expected values are those of the lines in the text
//! beside the assertion.

use super::{Files, most, of, read_text, runs, shape, try_load, value};

/// Sides that are called alike keep all of their words, and a claim behind them is none of these.
#[test]
fn long_names_of_one_side_stay_apart() {
    let block = |ttft: f64| {
        format!(
            "```\n============ Serving Benchmark Result ============\nSuccessful requests:  48\nMean TTFT (ms):  {ttft}\n\
             ==================================================\n```\n\n"
        )
    };
    let text = format!(
        "## Test Result\non main\n{}on this PR, without `--kv-sharing-fast-prefill`\n{}\
         on this PR, with `--kv-sharing-fast-prefill` (24% TTFT improvement, at the cost of TPOT)\n{}",
        block(150.2),
        block(151.02),
        block(114.1)
    );
    let read = read_text("t.md", &text);
    let names = [
        "on main",
        "on this PR, without --kv-sharing-fast-prefill",
        "on this PR, with --kv-sharing-fast-prefill",
    ];
    assert_eq!((read.variant_names(), most(&read)), (names.to_vec(), 1));
    // The last sentence above a result names it, and what a shell is told elsewhere does not.
    let text = "Set it with:\n\n```\nexport BACKEND=FLASH\n```\n\nFor 7B I get a nice speedup in tokens/second. [At HEAD](https://a.b/c): \n\n\
                ```\nAverage tokens/second: 2910.62\nAverage time per batch: 1180.04s\n```\n\nWith this change: \n\n\
                ```\nAverage tokens/second: 3297.73\nAverage time per batch: 1131.50s\n```\n";
    assert_eq!(shape(text), of(["At HEAD", "With this change"], 1, 1));
}

/// Results below other commands are no repeats, and neither are those of a warming up.
#[test]
fn commands_and_warming_up_tell_results_apart() {
    let both = |old: f64, new: f64| {
        format!(
            "Pre:   prompt_tps={old}, peak_memory=17.2\nPost: prompt_tps={new}, peak_memory=17.9\n\n"
        )
    };
    let text = format!(
        "```\nmlx.benchmark --model Qwen3-8B -g 128\n```\n\nH100\n{}B200\n{}```\nmlx.benchmark --model Qwen3-32B -g 128\n```\n\nH100\n{}B200\n{}",
        both(18_211.4, 20_530.9),
        both(31_077.1, 31_050.6),
        both(6_120.8, 6_155.2),
        both(7_012.4, 7_044.1)
    );
    assert_eq!(shape(&text), of(["Pre", "Post"], 4, 1));
    // The same command with another seed is a repeat.
    let text = "main\n```\n$ bench --seed 1\nTTFT: 12.1 ms\nTPOT: 3.1 ms\n$ bench --seed 2\nTTFT: 12.2 ms\nTPOT: 3.2 ms\n```\n\
                PR\n```\n$ bench --seed 1\nTTFT: 11.1 ms\nTPOT: 2.1 ms\n$ bench --seed 2\nTTFT: 11.2 ms\nTPOT: 2.2 ms\n```\n";
    assert_eq!(shape(text), of(["main", "PR"], 1, 2));
    let part = |name: &str, wall: f64| {
        let run = |nth: u32| {
            format!("  run-{nth}  wall= {}s  wall_TPS= 34.{nth}\n", wall + 0.01 * f64::from(nth))
        };
        format!(
            "========== {name} (max_tokens=1000) ==========\n=== warmups (1) ===\n  warm-1  wall= 30.17s  wall_TPS= 33.1\n\
             === measured (3) ===\n{}{}{}\n",
            run(1),
            run(2),
            run(3)
        )
    };
    let text = format!(
        "before:\n```\n{}{}```\n\nafter:\n```\n{}{}```\n",
        part("STORY", 29.07),
        part("CODE", 21.79),
        part("STORY", 28.02),
        part("CODE", 20.79)
    );
    assert_eq!(shape(&text), of(["before", "after"], 2, 3));
}

/// What stands over columns beside the names of builds is what these were tried with, and names of models are.
#[test]
fn columns_of_work_are_told_from_columns_of_builds() {
    for (text, names, cells) in [
        (
            "tps over versions (tokens/s):\n\n| Runner version | dense2:9b | nemo:12b |\n|---|---|---|\n| 0.3.2 | 29.10 | 25.09 |\n\
             | 0.3.6 | 28.97 | 25.00 |\n",
            ["0.3.2", "0.3.6"],
            2,
        ),
        (
            "Throughput in tokens/s:\n\n| Backend | short prompt | long prompt |\n|---|---|---|\n| vllm | 4021 | 3899 |\n| sglang | 4102 | 3950 |\n",
            ["vllm", "sglang"],
            2,
        ),
        (
            "the dashboard (tokens/sec):\n\n```\n                    Llama-3.1-8B-Instruct       Mixtral-8x7B-v0.1\n\
             gpt-fast int8                           118.31                              151.60\n\
             torchao autoquant                  91.07                               88.42\n```\n",
            ["gpt-fast int8", "torchao autoquant"],
            2,
        ),
        // One unit in all cells beside the names of the work.
        (
            "| model | eager | inductor |\n|---|---|---|\n| bert | 22 ms | 14 ms |\n| vit | 33 ms | 25 ms |\n",
            ["eager", "inductor"],
            2,
        ),
        // Sizes of tensors are settings.
        (
            "```\nmatmul-performance:\n        M       N       K     cuBLAS     Triton\n0    256.0   256.0   256.0   1.724632   0.407315\n\
             1    512.0   512.0   512.0  13.107200   2.690221\n2   1024.0  1024.0  1024.0  45.590261  14.979657\n```\n",
            ["cuBLAS", "Triton"],
            3,
        ),
        (
            "| Query | 1.4 Cold | 1.4 Warm | dev Cold | dev Warm |\n|---|---|---|---|---|\n| Q1 | 11.90s | 1.02s | 8.77s | 1.03s |\n\
             | Q2 | 1.38s | 0.19s | 1.40s | 0.18s |\n",
            ["1.4", "dev"],
            2,
        ),
        // A side on either end, and points that markdown escapes.
        (
            "|Command|Pipeline|RPS - 7.2.7|RPS - 8.0.0-rc3|7.2.7 Latency (ms)|8.0.0-rc3 Latency (ms)|\n|-|-|-|-|-|-|\n\
             |SET|10|287310\\.44|290118\\.20|1\\.60|1\\.58|\n|GET|10|361200\\.05|349880\\.71|1\\.26|1\\.31|\n",
            ["7.2.7", "8.0.0-rc3"],
            2,
        ),
    ] {
        assert_eq!(shape(text), of(names, cells, 1), "{text}");
    }
    // Parts of the work are metrics of each model.
    let text = "Time in ms:\n\n| model | load | decode | total |\n|---|---|---|---|\n| 8B | 4021 | 3899 | 7920 |\n| 70B | 14102 | 13950 | 28052 |\n";
    assert_eq!(runs(&read_text("t.md", text))[0].metrics.len(), 3);
}

/// Texts that name the variants again are no settings; words that name the cells stand beside the settings that tell these apart.
#[test]
fn names_of_variants_and_of_cells_are_known() {
    let text = "| Base Image | Model | TTFT |\n|---|---|---|\n| serve:v0.8.4 | Serve v0.8.4 Round1 | 54.20 |\n| serve:v0.8.4 | Serve v0.8.4 Round2 | 52.75 |\n\
                | serve:v0.9.0rc2 | Serve v0.9.0rc2 Round1 | 71.36 |\n| serve:v0.9.0rc2 | Serve v0.9.0rc2 Round2 | 69.90 |\n";
    let read = read_text("t.md", text);
    assert_eq!((read.groups.len(), read.variant_names().len(), most(&read)), (1, 2, 2));
    let text = "| engine | input | concurrency | TTFT (s) |\n|---|---|---|---|\n| a | 2k | 16 | 1.3 |\n| b | 2k | 16 | 2.7 |\n\
                | a | 16k | 8 | 6.4 |\n| b | 16k | 8 | 13.8 |\n";
    let read = read_text("t.md", text);
    let cells: Vec<String> = read.groups.iter().map(|group| group.workload.describe()).collect();
    assert!(cells.iter().any(|cell| cell.contains("16k")), "{cells:?}");
}

/// Lines that compare others stand between these, and are not read.
#[test]
fn speedups_between_lines_are_left_out() {
    let text = "Shape: 4096x4096\n  dtype: float32\n    max abs diff: 0.000e+00\n    old kernel: 87.02 µs\n    new kernel: 80.88 µs\n    speedup: 1.08x\n  dtype: bfloat16\n\
                    max abs diff: 0.000e+00\n    old kernel: 116.12 µs\n    new kernel: 65.80 µs\n    speedup: 1.76x\n";
    let read = read_text("t.md", text);
    assert_eq!((read.variant_names(), most(&read)), (vec!["old kernel", "new kernel"], 1));
    let places: Vec<usize> = runs(&read).iter().map(|run| run.source.position).collect();
    assert_eq!(places, [4, 5, 9, 10]);
}

/// Rows of programs without their headers and titles.
#[test]
fn parts_of_what_programs_print_are_known() {
    let text = "V4 branch\n```\nPerf.insert   thrpt   20  61.804 ± 1.022  ops/s\nPerf.find     thrpt   20  14.112 ± 0.231  ops/s\n```\nMaster branch\n\
                ```\nPerf.insert   thrpt   20  68.915 ± 2.110  ops/s\nPerf.find     thrpt   20  14.140 ± 0.252  ops/s\n```\n\
                # Warmup Iteration   1: 2.011 ops/s\n# Warmup Iteration   2: 14.020 ops/s\n";
    assert_eq!(shape(text), of(["V4 branch", "Master branch"], 2, 1));
    let text = "before:\n```\nreadrandom   :       0.418 micros/op 2391044 ops/sec;  469.6 MB/s (80 of 80 found)\n```\nafter:\n\
                ```\nreadrandom   :       0.407 micros/op 2455907 ops/sec;  482.4 MB/s (80 of 80 found)\n```\n";
    let read = read_text("t.md", text);
    assert_eq!(value(runs(&read)[1], "ops_per_sec"), 2_455_907.0);
    let counters = |clock: &str, cycles: &str| {
        format!(
            "     {clock} msec task-clock                #    0.330 CPUs utilized\n        1,544      context-switches          #    0.078 K/sec\n\
                      341,902      page-faults               #    0.017 M/sec\n  {cycles}      cycles                    #    3.620 GHz\n\n"
        )
    };
    let text = format!(
        "```\nBefore:\n{}After:\n{}```\n",
        counters("19,840.12", "71,820,440,118"),
        counters("21,310.66", "77,401,982,300")
    );
    let read = read_text("t.md", &text);
    assert_eq!((read.variant_names(), most(&read)), (vec!["Before", "After"], 1));
    assert_eq!(value(runs(&read)[1], "cycles"), 77_401_982_300.0);
    let text = "```\n\"session\",\"benchmark\",\"50%\",\"90%\",\"99%\",\"max\"\nhazelcast,get,301.055,366.079,441.343,575.487\n\
                ignite,get,516.607,737.279,1051.647,1482.751\n```\n";
    assert_eq!(shape(text), of(["hazelcast", "ignite"], 1, 1));
    // How much was answered is no load: a server stops when it is done.
    let timings = |answer: u32| {
        format!(
            "```\nprompt eval time = 251.480ms / 76 tokens (3.30 ms per token, 302.2 tokens per second)\n       \
             eval time = 21804.112 ms / {answer} runs   (83.86 ms per token, 11.92 tokens per second)\n```\n"
        )
    };
    let text = format!("Without FA:\n{}\nWith FA:\n{}", timings(260), timings(311));
    assert_eq!(shape(&text), of(["Without FA", "With FA"], 1, 1));
}

/// Options of two backends are no results.
#[test]
fn tables_of_options_are_no_results() {
    let text = "| key | pytorch | turbomind |\n|---|---|---|\n| max_batch_size | 256 | 256 |\n| tp | 2 | 2 |\n| max_prefill_token_num | 8192 | 4096 |\n";
    let files = Files::new(&[("t.md", text)]);
    let error = try_load(&[&files.path("t.md")]).expect_err("no results").to_string();
    assert!(error.contains("options by their names"), "{error}");
}
