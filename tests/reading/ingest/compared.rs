//! What is compared in tables and lines without a word for it. Expected values are those of the cells in the text beside the
//! assertion; spreads come from a hand calculation.

use super::{are, close, read_text, runs, seen};

/// Columns of one unit under names as builds have them, also where a cell is missing, a ratio of others or a change stands
/// between them, or another column counts what failed.
#[test]
fn columns_of_one_unit_are_what_is_compared() {
    are(
        "| N | fastllm (tok/s) | vLLM 0.18 (tok/s) |\n|---|---|---|\n| 1 | 117 | 69 |\n| 8 | 882 | 517 |\n| 64 | 4,796 | -- |\n",
        "tok",
        &[
            ("fastllm", 117.0),
            ("vLLM 0.18", 69.0),
            ("fastllm", 882.0),
            ("vLLM 0.18", 517.0),
            ("fastllm", 4796.0),
        ],
    );
    are(
        "| load | last (tok/s) | this (tok/s) | gain | stock (tok/s) | stock / this |\n|---|---|---|---|---|---|\n\
         | 1 | 200.0 | 220.0 | +10.00% | 330.0 | 1.50x |\n| 4 | 360.0 | 387.0 | +7.50% | 1161.0 | 3.00x |\n",
        "tok",
        &[
            ("last", 200.0),
            ("this", 220.0),
            ("stock", 330.0),
            ("last", 360.0),
            ("this", 387.0),
            ("stock", 1161.0),
        ],
    );
    are(
        "| Concurrency | aa (tok/s) | aa Errors | bb (tok/s) | bb Errors | bb Speedup |\n|---|---|---|---|---|---|\n\
         | 1 | 2.50 | 0 | 25.0 | 0 | 10x |\n| 2 | 0.50 | 4/6 | 35.0 | 0 | 70x |\n",
        "tok",
        &[("aa", 2.5), ("bb", 25.0), ("aa", 0.5), ("bb", 35.0)],
    );
    are(
        "| cell | base tok/s ± spread | arm tok/s | ratio |\n|---|---|---|---|\n| a/1 | 42.3 ± 1.4 | 42.7 | +0.9% |\n\
         | b/8 | 21.7 ± 0.6 | 22.0 | +1.4% |\n",
        "tok",
        &[("base", 42.3), ("arm", 42.7), ("base", 21.7), ("arm", 22.0)],
    );
    // Two metrics, with and without capital letters.
    are(
        "| Batch | Before (ms) | After (ms) | Tok/s before | Tok/s after |\n|---|---|---|---|---|\n\
         | B1 | 83.5 | 75.25 | 85.7 | 96.4 |\n| B2 | 101.5 | 88.5 | 151.7 | 169.9 |\n",
        "tok",
        &[("Before", 85.7), ("After", 96.4), ("Before", 151.7), ("After", 169.9)],
    );
    // Parts of the work, numbered ones too, and statistics are no builds.
    for (one, two, three) in [
        ("load (ms)", "decode (ms)", "save (ms)"),
        ("conv1 (ms)", "conv2 (ms)", "conv3 (ms)"),
        ("p50 (ms)", "p95 (ms)", "p99 (ms)"),
    ] {
        let read = read_text(
            "t.md",
            &format!(
                "| size | {one} | {two} | {three} |\n|---|---|---|---|\n| 1 | 2.5 | 2.75 | 3.5 |\n| 2 | 5.5 | 5.75 | 6.5 |\n| 3 | 8.5 | 8.75 | 9.5 |\n"
            ),
        );
        assert!(read.groups.iter().all(|group| group.variants.len() == 1), "{one} {read:?}");
    }
}

/// A sentence states the unit and the number of runs of a table that has neither.
#[test]
fn a_sentence_states_unit_and_runs() {
    let text = "Greedy, medians-of-5, tok/s ± sd:\n\n| ctx | eager | graph |\n|---|---|---|\n| 16 | 174.5 ± 1.5 | 164.5 ± 3.5 |\n| 362 | 168.5 ± 2.0 | 112.5 ± 0.5 |\n";
    let read = read_text("t.md", text);
    let first = runs(&read)[0];
    let (name, spread) = first.info.spreads.iter().next().expect("a spread");
    assert!(name.contains("tok") && spread.runs == 5 && spread.sd == 1.5, "{name} {spread:?}");
    are(
        "Wall-clock ms/tok, mean of both slots:\n\n| generated tokens | ours | mlx-lm | |\n|---|---|---|---|\n\
         | 32 | **16.5** | 17.25 | ours ahead 4.5% |\n| 128 | 18.0 | **17.5** | mlx ahead 2.9% |\n",
        "ms_per",
        &[("ours", 16.5), ("mlx-lm", 17.25), ("ours", 18.0), ("mlx-lm", 17.5)],
    );
}

/// The unit over the names of the cases is that of the values.
#[test]
fn a_unit_over_the_cases_is_that_of_the_values() {
    are(
        "| tok/s | before | after | change |\n|---|---|---|---|\n| 245K, plain | 86.0 | 94.5 | +9.9% |\n| 32K, `--spec 2` | 111.0 | 114.5 | +3.2% |\n",
        "tok",
        &[("before", 86.0), ("after", 94.5), ("before", 111.0), ("after", 114.5)],
    );
}

/// Rows that another column compares with one of them, with the row before, or beside their values.
#[test]
fn rows_that_are_compared_are_variants() {
    for text in [
        "| Stage | tok/s | Improvement |\n|---|---|---|\n| Initial | 0.50 | baseline |\n| Env | 1.00 | +100% |\n| Greedy | 1.25 | +25% |\n",
        "| Mode | tok/s | relative |\n|---|---|---|\n| Initial | 0.50 | 1.00x |\n| Env | 1.00 | 2.00x |\n| Greedy | 1.25 | 2.50x |\n",
    ] {
        are(text, "tok", &[("Initial", 0.5), ("Env", 1.0), ("Greedy", 1.25)]);
    }
    are(
        "| Way | Long prompts | decode (median) |\n|---|---|---|\n| Control, none | 8/8 | 88.0 tok/s |\n| Copies (249 placed) | 5/8 | 110.0 tok/s (+25 %) |\n",
        "decode",
        &[("Control, none", 88.0), ("Copies (249 placed)", 110.0)],
    );
    // The mode that comes with each model.
    are(
        "| model | way | tok/s |\n|---|---|---|\n| Q-27B | graph | 490.5 |\n| Q-35B | graph | 326.5 |\n| Q-27B | eager | 293.5 |\n| Q-35B | eager | 268.5 |\n",
        "tok",
        &[("graph", 490.5), ("graph", 326.5), ("eager", 293.5), ("eager", 268.5)],
    );
    // Nothing follows from a value of zero.
    let read = read_text(
        "t.md",
        "| case | wait (ms) | share |\n|---|---|---|\n| parse | 0 | 1.00x |\n| render | 10 | 3.00x |\n",
    );
    assert!(read.groups.iter().all(|group| group.variants.len() == 1), "{read:?}");
    // Sizes of the work that a factor does not follow stay settings.
    let read = read_text(
        "t.md",
        "| case | tok/s | share |\n|---|---|---|\n| parse | 50.0 | 1.00x |\n| render | 10.0 | 3.00x |\n",
    );
    assert!(read.groups.iter().all(|group| group.variants.len() == 1), "{read:?}");
}

/// Requests that ended well and badly are counts of a run, and the first column names the rows.
#[test]
fn two_numbers_in_a_cell_are_no_variants_by_themselves() {
    are(
        "| build | done/failed | tok/s |\n|---|---|---|\n| main | 200/0 | 171.5 |\n| pr | 200/0 | 235.5 |\n",
        "tok",
        &[("main", 171.5), ("pr", 235.5)],
    );
    are(
        "| Target / actual | main (s) | pr (s) |\n|---|---|---|\n| 2,000 / 1,970 | 0.408 | 0.477 |\n| 8,000 / 7,880 | 1.401 | 1.346 |\n",
        "time",
        &[("main", 0.408), ("pr", 0.477), ("main", 1.401), ("pr", 1.346)],
    );
}

/// A table in HTML, of one line or of many, with cells over several rows.
#[test]
fn tables_in_html_are_tables() {
    let line = "<table><tr><td>Load</td><td>build</td><td>TTFT (ms)</td></tr><tr><td rowspan=\"2\">8</td><td>main</td><td>10.5</td></tr><tr><td>pr</td><td><b>9.5</b></td></tr></table>";
    for text in
        [format!("Latency:\n{line}\n"), line.replace("<tr>", "\n<tr>\n").replace("<td", "\n  <td")]
    {
        are(&text, "ttft", &[("main", 10.5), ("pr", 9.5)]);
    }
}

/// Values with a mark for about, counts of one thing, sizes in bytes; words lose their row.
#[test]
fn cells_say_their_number_in_many_ways() {
    are(
        "| rows | before | after | gain |\n|---|---|---|---|\n| 20 threads | ~800 req/s | ~1,200 req/s | +50% |\n| 100 threads | Unstable | ~9,500 req/s | n/a |\n",
        "req",
        &[("before", 800.0), ("after", 1200.0), ("after", 9500.0)],
    );
    are(
        "| page | before | after |\n|---|---|---|\n| home | 38 queries | 39 queries |\n| links | 44 queries | 45 queries |\n",
        "value",
        &[("before", 38.0), ("after", 39.0), ("before", 44.0), ("after", 45.0)],
    );
    are(
        "| model | draft | VRAM | tok/s before | tok/s after |\n|---|---|---|---|---|\n| 70B | 8B | 45 GB | 10.5 | 12.5 |\n| 8B | 1B | 9 GB | 50.5 | 62.5 |\n",
        "tok",
        &[("before", 10.5), ("after", 12.5), ("before", 50.5), ("after", 62.5)],
    );
    // Versions and names above the figures.
    are(
        "| what | A: x | B: y |\n|---|---|---|\n| CUDA | 13.1.0 | 13.0 |\n| Attention | FLASH | TRITON |\n| Prefill peak | 9,937 tok/s (@16K) | 4,745 tok/s |\n| TPOT | 22.5ms | 22.25ms |\n",
        "tpot",
        &[("A: x", 22.5), ("B: y", 22.25)],
    );
}

/// Two values with their change in each cell, parts of a whole, a time of something unknown, a unit over one column, labels
/// that differ in their capital letters.
#[test]
fn cells_of_two_values_are_those_of_two_variants() {
    are(
        "| load | tok/s old → fp8 |\n|---|---|\n| 8 | 463.5 → 676.5（+46%） |\n| 16 | 853.5 → 1236.5（+45%） |\n",
        "tok",
        &[("old", 463.5), ("fp8", 676.5), ("old", 853.5), ("fp8", 1236.5)],
    );
    let score = "| Metric (cold) | before | after | Delta |\n|---|---|---|---|\n| Score | 86 / 100 | 94 / 100 | +8 pts |\n| TTFT | 424 ms | 102 ms | -322 ms (-76%) |\n| right | 121/150 | 122/150 | +1 |\n| changed | - | 7/150 | 4.67% |\n";
    are(score, "ttft", &[("before", 424.0), ("after", 102.0)]);
    are(score, "score", &[("before", 86.0), ("after", 94.0)]);
    are(score, "right", &[("before", 121.0), ("after", 122.0)]);
    are(
        "| bench | Before | After | Improvement |\n|---|---|---|---|\n| small | 3.97ms/tick | 1.91ms/tick | 52% faster |\n| large | 1.58ms/tick | 0.78ms/tick | 51% faster |\n",
        "tick",
        &[("Before", 3.97), ("After", 1.91), ("Before", 1.58), ("After", 0.78)],
    );
    are(
        "| Prompt tok | baseline (tok/s) | fast n-gram | other PLD |\n|---:|---:|---:|---:|\n| 128 | 26.1 | 26.4 | 26.3 |\n| 512 | 26.2 | 26.2 | 26.2 |\n",
        "tok",
        &[
            ("baseline", 26.1),
            ("fast n-gram", 26.4),
            ("other PLD", 26.3),
            ("baseline", 26.2),
            ("fast n-gram", 26.2),
            ("other PLD", 26.2),
        ],
    );
    let two = "| Query | Before | After |\n|---|---|---|\n| Q0 | 0.25 s | 0.125 s |\n| Q1 | 0.5 s | 0.25 s |\n\n| Query | Planning before | Planning after |\n|---|---|---|\n| Q7 | 33 ms | 8.5 ms |\n| Q36 | 33 ms | 5.5 ms |\n";
    let read = read_text("t.md", two);
    let names: std::collections::BTreeSet<&str> = read
        .groups
        .iter()
        .flat_map(|group| &group.variants)
        .map(|variant| &*variant.name)
        .collect();
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["After", "Before"]);
    // In one cell they are two.
    are(
        "| build | tok/s |\n|---|---|\n| fp8 | 10.5 |\n| FP8 | 12.5 |\n",
        "tok",
        &[("fp8", 10.5), ("FP8", 12.5)],
    );
}

/// Lines with a mark for about below headings that name the sides.
#[test]
fn lines_of_about_are_read_below_their_sides() {
    let part = |side: &str, times: [u32; 3]| {
        format!(
            "### Results ({side})\n- Small move: ~{}ms\n- Large move: ~{}ms (~20ms per file)\n- Ten moves: ~{}ms\n\n",
            times[0], times[1], times[2]
        )
    };
    let text = [
        part("Before the change", [1935, 2620, 2022]),
        part("After the change", [1940, 2653, 2023]),
    ]
    .concat();
    let read = read_text("t.md", &text);
    let small: Vec<f64> = seen(&read, "small").into_iter().map(|(_, value)| value).collect();
    assert_eq!(small, [1935.0, 1940.0], "{read:?}");
}

/// Names of several words are no ids, and an average below them is no workload.
#[test]
fn names_of_rows_are_workloads() {
    let text = "| File | Before (avg) | After (avg) |\n|---|---|---|\n| hook.ts | 45ms | 27ms |\n| push.ts | 80ms | 40ms |\n| ocr.ts | 200ms | 130ms |\n| **Average** | **108ms** | **66ms** |\n";
    let read = read_text("t.md", text);
    assert_eq!(read.groups.len(), 3, "{read:?}");
    let read = read_text(
        "t.md",
        "| path | tok/s | TTFT (ms) |\n|---|---|---|\n| Phase 10 FP8 native | 31.5 | 73.0 |\n| Phase 9 BF16 | 37.0 | 66.5 |\n",
    );
    assert!(
        read.groups.iter().flat_map(|group| &group.variants).all(|variant| variant.runs.len() == 1)
    );
}

/// A spread behind a value of a line, with the number of runs in a command: `perf` prints the error of the mean, so that
/// ten runs with 0.1 differ by 0.1 x sqrt(10).
#[test]
fn lines_state_spreads() {
    let text = "Measured with perf stat --repeat 10:\n\none:\n  main: 10.5 +- 0.1 seconds time elapsed  ( +-  0.95% )\n  new:  9.5 +- 0.2 seconds time elapsed  ( +-  2.10% )\n\ntwo:\n  main: 5.5 +- 0.1 seconds time elapsed  ( +-  1.80% )\n  new:  5.4 +- 0.1 seconds time elapsed  ( +-  1.80% )\n";
    let read = read_text("t.md", text);
    let first = runs(&read)[0];
    let (name, spread) = first.info.spreads.iter().next().expect("a spread");
    close(spread.sd / first.metrics.get(name).expect("its value").value, 0.1 * 10f64.sqrt() / 10.5);
    assert_eq!(spread.runs, 10);
    let command = "Before:\n\n  # perf stat -r 5 -e cycles ./a\n  ...\n  6.5 +- 0.02 seconds time elapsed  ( +-  0.34% )\n\nAfter:\n\n  # perf stat -r 5 -e cycles ./a\n  ...\n  0.5 +- 0.02 seconds time elapsed  ( +-  4.85% )\n";
    are(command, "wall_time", &[("Before", 6.5), ("After", 0.5)]);
}

/// Programs whose output people cut: wrk without its first lines, pgbench and redis-benchmark below headings.
#[test]
fn cut_output_of_programs_is_read() {
    let wrk = |label: &str, rate: f64| {
        format!(
            "{label}, Mon May 20 08:09:59 CST 2013\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency     3.65ms  270.46us   5.83ms   86.94%\n  21771 requests in 10.00s, 39.51MB read\nRequests/sec:   {rate}\nTransfer/sec:      3.95MB\n\n"
        )
    };
    are(
        &[wrk("python", 2176.5), wrk("pypy", 6605.5)].concat(),
        "request_throughput",
        &[("python", 2176.5), ("pypy", 6605.5)],
    );
    // A command above a result is no label.
    let read = read_text(
        "t.txt",
        &wrk("$ wrk -t4 http://a", 5.5).replace(", Mon May 20 08:09:59 CST 2013", ""),
    );
    assert_eq!(runs(&read)[0].variant, "t");
    let pgbench = |label: &str, tps: f64| {
        format!(
            "**{label}**\n```bash\n$ pgbench -f a.sql -c 10\n...\nnumber of transactions actually processed: 871407\ntps = {tps} (excluding connections establishing)\n```\n"
        )
    };
    are(
        &[pgbench("Test 1: a socket", 174_377.5), pgbench("Test 2: TCP", 107_046.5)].concat(),
        "tps",
        &[("Test 1: a socket", 174_377.5), ("Test 2: TCP", 107_046.5)],
    );
    let redis = |label: &str, rate: f64| {
        format!(
            "## {label}\nrun 1:\nSET: {rate} requests per second, p50=776.25 msec\nGET: 15121.5 requests per second, p50=410.5 msec\nrun 2:\nSET: {rate} requests per second, p50=759.75 msec\nGET: 18409.5 requests per second, p50=389.5 msec\n"
        )
    };
    let text = [redis("v1 baseline", 10278.5), redis("v2 logger", 5088.5)].concat();
    let read = read_text("t.md", &text);
    let variants: Vec<usize> =
        read.groups[0].variants.iter().map(|variant| variant.runs.len()).collect();
    assert_eq!(variants, [2, 2]);
    let first = runs(&read)[0];
    assert_eq!(seen(&read, "set_requests").first().map(|(_, rate)| *rate), Some(10278.5));
    assert!(
        first.metrics.iter().any(|(name, value)| name.contains("p50") && value.value == 776.25),
        "{first:?}"
    );
}

/// The output of hyperfine has the times of the processor too.
#[test]
fn hyperfine_text_has_user_and_system_time() {
    let text = "Benchmark 1: ./a\n  Time (mean ± σ):      1.793 s ±  0.010 s    [User: 0.954 s, System: 0.835 s]\n  Range (min … max):    1.781 s …  1.811 s    10 runs\n";
    let read = read_text("t.md", text);
    for (metric, expected) in [("user_time_s", 0.954), ("system_time_s", 0.835)] {
        close(seen(&read, metric)[0].1, expected);
    }
}

/// A heading that only says that results follow names no variant.
#[test]
fn a_line_that_says_results_names_no_variant() {
    let table = "| model | size | params | backend | ngl | test | t/s |\n| --- | ---: | ---: | --- | --: | ---: | ---: |\n";
    let row = |rate: f64| {
        format!("| llama 7B Q4_0 | 3.56 GiB | 6.74 B | X | 99 | pp512 | {rate} ± 7.09 |\n")
    };
    let text = format!(
        "## Vulkan\n\nResults\n```\n{table}{}\n```\n\nROCm\n```\n{table}{}\n```\n",
        row(1813.5),
        row(2875.25)
    );
    are(&text, "throughput", &[("Vulkan", 1813.5), ("ROCm", 2875.25)]);
}

/// Names that say nothing over columns of one size are what is compared, also where runs failed, are missing or hold several
/// values, and where labels and metrics form a grid.
#[test]
fn columns_of_engines_may_have_gaps() {
    are(
        "| model | aa-wq | mlc-l | turbo |\n|---|---|---|---|\n| Q-7B | 112.5 | 159.5 | 206.5 |\n| Q-13B | N/A | 90.5 | 115.5 |\n",
        "value",
        &[("aa-wq", 112.5), ("mlc-l", 159.5), ("turbo", 206.5), ("mlc-l", 90.5), ("turbo", 115.5)],
    );
    are(
        "| | HRX | Vulkan | HIP |\n|---|---|---|---|\n| pp512 | 1724 | 1466 | 1650 |\n| pp1k / pp2k | 1836 / 1653 | – | – |\n\
         | pp4k | fails | 1187 | 1429 |\n| tg128 | 85.5 | 89.5 | 72.5 |\n| tg, 8k | fails | 65.5 | 55.5 |\n",
        "value",
        &[
            ("HRX", 1724.0),
            ("Vulkan", 1466.0),
            ("HIP", 1650.0),
            ("Vulkan", 1187.0),
            ("HIP", 1429.0),
            ("HRX", 85.5),
            ("Vulkan", 89.5),
            ("HIP", 72.5),
            ("Vulkan", 65.5),
            ("HIP", 55.5),
        ],
    );
    are(
        "| Route | Toxi | Poem |\n|---|---|---|\n| hello | 32,106 | 33,866 |\n| echo | 24,792 | 25,948 |\n| user | 29,602 | 30,445 |\n",
        "value",
        &[
            ("Toxi", 32106.0),
            ("Poem", 33866.0),
            ("Toxi", 24792.0),
            ("Poem", 25948.0),
            ("Toxi", 29602.0),
            ("Poem", 30445.0),
        ],
    );
    are(
        "| N | v1 TFLOPS | v1 %SOL | cuBLAS TFLOPS | cuBLAS %SOL |\n|---|---|---|---|---|\n| 128 | 0.5 | 0.1% | 0.8 | 0.2% |\n\
         | 512 | 7.5 | 2.3% | 34.5 | 10.9% |\n",
        "tflops",
        &[("v1", 0.5), ("cuBLAS", 0.8), ("v1", 7.5), ("cuBLAS", 34.5)],
    );
    // A ratio in percent says which two columns are compared; a time of nobody knows which is left out.
    are(
        "| M | Latency (us) | Own TFLOPS | cuBLAS TFLOPS | Own/cuBLAS |\n|---|---|---|---|---|\n| 1 | 54.3 | 0.618 | 1.050 | 58.9% |\n\
         | 64 | 69.2 | 31.051 | 109.341 | 28.4% |\n",
        "tflops",
        &[("Own", 0.618), ("cuBLAS", 1.05), ("Own", 31.051), ("cuBLAS", 109.341)],
    );
}

/// Names in front of values, money beside times, an arrow with a factor in every cell, digits in groups.
#[test]
fn cells_of_several_things_are_taken_apart() {
    let text = "| kernel | own | reference |\n|---|---|---|\n| BF16 | 0.131 ms / 16.5 TFLOPS | cuBLAS 0.114 ms / 18.5 TFLOPS |\n\
                | FA2 | 0.229 ms / 18.25 TFLOPS | FlashAttention 2.8.3 0.237 ms / 18.0 TFLOPS |\n";
    are(text, "tflops", &[("own", 16.5), ("reference", 18.5), ("own", 18.25), ("reference", 18.0)]);
    let text = "| Category | Before | After | Speedup |\n|---|---|---|---|\n| long | 384.5s / $0.440 | 210.5s / $0.436 | 1.83x |\n\
                | dense | 410.5s / $0.437 | 184.5s / $0.339 | 2.22x |\n";
    are(text, "cost", &[("Before", 0.44), ("After", 0.436), ("Before", 0.437), ("After", 0.339)]);
    let text = "| size | start | end |\n|---|---|---|\n| ~3KB | 15.5µs → **1.5µs** | 14.5µs → **1.25µs** |\n\
                | ~300KB | 1311.5µs → **41.0µs** (32x) | 1263.5µs → **9.5µs** (133x) |\n";
    are(text, "start", &[("before", 15.5), ("after", 1.5), ("before", 1311.5), ("after", 41.0)]);
    let text = "| build | req/s |\n|---|---|\n| main | 9 111 |\n| pr | 18 756 |\n";
    are(text, "req", &[("main", 9111.0), ("pr", 18756.0)]);
    // A time for each iteration, with its unit in one of two columns.
    let text = "| N | build before | build after |\n|---|---|---|\n| 200 | 0.25 ms/it | 0.125 |\n| 4000 | 0.75 ms/it | 0.5 |\n";
    are(text, "build", &[("before", 0.25), ("after", 0.125), ("before", 0.75), ("after", 0.5)]);
}

/// The column that is compared, where several could be.
#[test]
fn one_of_several_columns_of_names_is_compared() {
    // A configuration in every row goes with its engine.
    are(
        "| setup | engine | tok/s | speedup |\n|---|---|---|---|\n| target only | vLLM | 21.25 | 1.0× |\n| own head | vLLM | 46.5 | 2.19× |\n\
         | tree | UMb | 40.5 | 2.23× |\n",
        "tok",
        &[("target only", 21.25), ("own head", 46.5), ("tree", 40.5)],
    );
    // Without changes the engines are, and what runs on them is a setting.
    are(
        "| engine | hardware | tok/s |\n|---|---|---|\n| vLLM | A100 | 21.25 |\n| vLLM | H100 | 46.5 |\n| SGL | L40 | 40.5 |\n",
        "tok",
        &[("vLLM", 21.25), ("vLLM", 46.5), ("SGL", 40.5)],
    );
    // A name of the baseline says which of two columns is compared.
    are(
        "| quant | job | tok/s |\n|---|---|---|\n| fp16_baseline | a | 298.5 |\n| fp16_baseline | b | 584.5 |\n| int8 | a | 81.5 |\n| int8 | b | 109.5 |\n",
        "tok",
        &[("fp16_baseline", 298.5), ("fp16_baseline", 584.5), ("int8", 81.5), ("int8", 109.5)],
    );
    // Between sizes `base` is no side.
    are(
        "| Size | Compiler | ms |\n|---|---|---|\n| base | gcc | 10.5 |\n| base | clang | 11.5 |\n| large | gcc | 9.5 |\n| large | clang | 8.5 |\n",
        "ms",
        &[("gcc", 10.5), ("clang", 11.5), ("gcc", 9.5), ("clang", 8.5)],
    );
    // Names before amounts.
    are(
        "| type | size | tok/s |\n|---|---|---|\n| micro | 161K | 37.5 |\n| nano | 1.01M | 26.5 |\n",
        "tok",
        &[("micro", 37.5), ("nano", 26.5)],
    );
    // Values of a setting are none.
    let read = read_text(
        "t.md",
        "| Setting | nics | TTFT (ms) |\n|---|---|---|\n| qps = 2 | 2 | 200.5 |\n| qps = 4 | 2 | 341.5 |\n| qps = 2 | TCP | 207.5 |\n| qps = 4 | TCP | 355.5 |\n",
    );
    assert!(!read.variant_names().iter().any(|name| name.starts_with("qps")), "{read:?}");
    // Changes in one table say what the rows of all are.
    let read = read_text(
        "t.md",
        "**Mixed work:**\n\n| way | tok/s |\n|---|---|\n| NPU | 4.50 |\n| Always | 3.75 |\n\n\
         **Long work:**\n\n| way | tok/s | speedup |\n|---|---|---|\n| NPU | 0.25 | 1.0x |\n| Always | 0.50 | **2.0x** ← best |\n",
    );
    assert_eq!(read.variant_names(), ["NPU", "Always"]);
    assert_eq!(read.groups.len(), 2);
    // A rate left of the number of requests was set, one without an end too, and the spelling of a name is one.
    let read = read_text(
        "t.md",
        "### 8B\n\n| RPS | Num prompts | Engine | Median TTFT |\n|---|---|---|---|\n| 4 | 1200 | SGL | 31.75 |\n| 4 | 1200 | vLLM | 100.5 |\n\
         | 8 | 2400 | SGL | 35.5 |\n| 8 | 2400 | vLLM | 120.5 |\n\n### 70B\n\n| RPS | Num Prompts | Engine | Median TTFT |\n|---|---|---|---|\n\
         | inf | 5000 | SGL | 53.5 |\n| inf | 5000 | vLLM | 179.5 |\n",
    );
    assert_eq!(read.groups.len(), 3, "{read:?}");
    for group in &read.groups {
        assert!(!group.variants[0].runs[0].metrics.contains_key("request_throughput"), "{group:?}");
    }
}

/// Rates under names as builds have them, lines that a loop of the shell prints, forms of one model, titles between rulers and
/// labels that tell nothing apart.
#[test]
fn lines_and_titles_name_what_is_compared() {
    are("vLLM: 29.5 tok/s\nSGLang: 33.25 tok/s\n", "tok", &[("vLLM", 29.5), ("SGLang", 33.25)]);
    are(
        "M12.17: 3.5 tok/s (44 commits/step)\nM12.19: 17.5 tok/s (blit)  → 5.0× improvement\n",
        "tok",
        &[("M12.17", 3.5), ("M12.19", 17.5)],
    );
    // Parts of the work are metrics of one run.
    let parts = "load: 2.5 GB/s\nsave: 1.5 GB/s\n";
    assert_eq!(read_text("t.md", parts).variant_names(), ["t"]);
    let block = |label: &str, values: [&str; 2]| {
        format!(
            "{label}\n```\n$ for run in {{1..2}}; do ollama run x --verbose | grep rate; done\nprompt eval rate:  1{} tokens/s\n\
             eval rate:  {} tokens/s\nprompt eval rate:  1{} tokens/s\neval rate:  {} tokens/s\n```\n\n",
            values[0], values[0], values[1], values[1]
        )
    };
    let text = block("a. with GPU", ["88.5", "95.5"]) + &block("b. with CPU", ["83.5", "63.5"]);
    let read = read_text("t.md", &text);
    assert_eq!(super::counts(&read.groups[0]), [("with GPU", 2), ("with CPU", 2)]);
    let table = |model: &str, rate: &str| {
        format!("| {model} | 6.70 GiB | 26.90 B | CUDA | pp512 | {rate} ± 3.72 |\n")
    };
    let head = "| model | size | params | backend | test | t/s |\n| --- | ---: | ---: | --- | ---: | ---: |\n";
    let text = format!(
        "{head}{}{}\nbuild: d8f26eec7 (10683)\n",
        table("27B PQ2", "1281.55"),
        table("27B PTQ1", "533.70")
    );
    let read = read_text("t.md", &text);
    assert_eq!(super::counts(&read.groups[0]), [("27B PQ2", 1), ("27B PTQ1", 1)]);
    let ruler = "=".repeat(40);
    let part = |threads: &str, rate: &str| {
        format!(
            "{ruler}\nTHREADS={threads}  TIME=2026-04-07T19:57:25-04:00\n{ruler}\n{head}{}\n",
            table("27B", rate)
        )
    };
    let read = read_text("t.log", &(part("32", "62.81") + &part("48", "76.05")));
    assert_eq!(super::counts(&read.groups[0]), [("THREADS=32", 1), ("THREADS=48", 1)]);
    // `= DATASET DETAILS` between rulers is a title of the program.
    let printed = concat!(env!("CARGO_MANIFEST_DIR"), "/data/formats/trtllm/printed.txt");
    let read = super::dataset(&[printed]);
    assert_eq!(runs(&read)[0].workload.dataset.as_deref(), Some("/data/8192_1024.jsonl"));
    let wrk = |number: &str, name: &str, rate: &str| {
        format!(
            "{number}. **{name}**\n\n```bash\nmake perf\n```\n\nResultado:\n\n```bash\nRunning 30s test @ http://127.0.0.1:80/a.html\n  \
             12 threads and 400 connections\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency   124.72ms   90.15ms 538.62ms   67.03%\n    \
             Req/Sec   282.36    135.75   737.00     68.75%\n  101458 requests in 30.10s, 90.25GB read\nRequests/sec:   {rate}\nTransfer/sec:      3.00GB\n```\n\n"
        )
    };
    let read = read_text(
        "t.md",
        &(wrk("1", "nginx, 8 workers", "3370.88") + &wrk("2", "own, pool 8", "3081.02")),
    );
    assert_eq!(super::counts(&read.groups[0]), [("nginx, 8 workers", 1), ("own, pool 8", 1)]);
}

/// What models are made of is no result.
#[test]
fn tables_of_models_are_refused() {
    let text = "| Model | Parameters | Layers | Context | Heads (Q/KV) | GGUF Size | Compression |\n|---|---|---|---|---|---|---|\n\
                | 8B | 8.19B | 36 | 65,536 | 32/8 GQA | 1.15 GB | 14.2x |\n| 4B | 4.0B | 36 | 32,768 | 32/8 GQA | 0.57 GB | 14.1x |\n";
    let files = super::Files::new(&[("t.md", text)]);
    let error = super::try_load(&[&files.path("t.md")]).expect_err("no result").to_string();
    assert!(error.contains("what models are made of"), "{error}");
}

/// An arrow beside columns of both sides, a difference beside its share in percent, a build of three whose first words two
/// share, rows that name their sides, and a column of variants below headers that are variants.
#[test]
fn columns_that_say_less_give_way() {
    are(
        "| vLLM | `none` tok/s | `quant` tok/s | Speedup | Median TPOT (ms) |\n|---|---|---|---|---|\n| 0.20.1 | 1627.5 | 1907.5 | 1.17x | 37.0 → 31.6 |\n\
         | 0.30.0 | 1659.5 | 1869.5 | 1.13x | 37.1 → 31.4 |\n",
        "tok",
        &[("none", 1627.5), ("quant", 1907.5), ("none", 1659.5), ("quant", 1869.5)],
    );
    are(
        "| mode | 最適化前 (ms) | 最適化後 (ms) | デルタ (ms) | 改善率 |\n|---|---|---|---|---|\n| js | 4,349.08 | 4,412.26 | +63.18 | **+1.45%** |\n\
         | wasm | 4,361.78 | 4,337.42 | -24.36 | **-0.56%** ✅ |\n",
        "",
        &[
            ("最適化前", 4349.08),
            ("最適化後", 4412.26),
            ("最適化前", 4361.78),
            ("最適化後", 4337.42),
        ],
    );
    are(
        "| Operation | Original eager | Original graph | Optimized graph | Speedup vs eager |\n|---|---|---|---|---|\n\
         | Encode | 47.5 ms | 11.5 ms | 7.25 ms | 6.55× |\n| Decode | 38.5 ms | 10.5 ms | 6.25 ms | 6.16× |\n",
        "",
        &[
            ("Original eager", 47.5),
            ("Original graph", 11.5),
            ("Optimized graph", 7.25),
            ("Original eager", 38.5),
            ("Original graph", 10.5),
            ("Optimized graph", 6.25),
        ],
    );
    let read = read_text(
        "t.md",
        "### Throughput (ns/op)\n\n| Implementation | 1 Producer | 2 Producers |\n|---|---|---|\n| **Main** | 152.5 | 249.5 |\n| **Third** | 78.5 | 128.5 |\n| **Baseline** | 93.5 | 115.5 |\n",
    );
    assert_eq!(read.variant_names(), ["Main", "Third", "Baseline"]);
    // The name of a model is no side.
    are(
        "| model | aa-wq | mlc-l |\n|---|---|---|\n| Q-7B-base | 112.5 | 159.5 |\n| Q-13B | 80.5 | 90.5 |\n",
        "value",
        &[("aa-wq", 112.5), ("mlc-l", 159.5), ("aa-wq", 80.5), ("mlc-l", 90.5)],
    );
    let read = read_text(
        "t.md",
        "| case | variant | cpp(ms) | go(ms) | go/cpp |\n|---|---|---|---|---|\n| large | descriptor | 150 | 181 | **1.21** |\n| large | plugin | 9036 | 9046 | **1.00** |\n\
         | many | plugin | 52 | 340 | **6.5x** |\n| nested | plugin | 37 | 20 | 0.54 |\n",
    );
    assert_eq!(read.variant_names(), ["cpp", "go"]);
}

/// Values of three names in a cell are no repeats; a remark behind a count, counts without a name and rows below an empty line
/// are read; requirements are no result.
#[test]
fn cells_and_rows_of_people_are_read() {
    let read = read_text(
        "t.md",
        "| B | load (ms) | total tok/s ours / torch / compiled |\n|---|---|---|\n| 1 | 9.5 | 98 / 70 / 79 |\n| 8 | 10.5 | 604 / 380 / 404 |\n| 32 | 11.5 | 1,594 / 808 / 840 |\n| 64 | 14.5 | 1,954 / 858 / 876 |\n",
    );
    let most = read.groups.iter().flat_map(|group| &group.variants).map(|one| one.runs.len()).max();
    assert_eq!(most, Some(1), "{read:?}");
    let read = read_text(
        "t.md",
        "| build | tok/s | Failed |\n|---|---|---|\n| main | 13.5 | 2 (context overflow) |\n| pr | 11.5 | 0 |\n",
    );
    let failed: Vec<Option<u64>> = runs(&read).iter().map(|run| run.info.failed).collect();
    assert_eq!(failed, [Some(2), Some(0)]);
    are(
        "|model|load time|sample time||\n|-|-:|-:|-:|\n|L-q2_K|89.5 ms|40.5 ms|111 runs|\n|C-q4_0|121.5 ms|93.5 ms|256 runs|\n",
        "sample",
        &[("L-q2_K", 40.5), ("C-q4_0", 93.5)],
    );
    let read = read_text(
        "t.md",
        "| Model | Way | tok/s |\n|---|---|---|\n| Q-2 | base | 107.5 |\n| | int8 | 9.5 |\n\n| Q-3 | base | 95.5 |\n| | int8 | 8.5 |\n",
    );
    assert_eq!(read.groups.len(), 1, "{read:?}");
    let read = read_text(
        "t.md",
        "| Model | Way | tok/s | mem (GB) |\n|---|---|---|---|\n| Q-2 | base | 107.5 | 13.5 |\n| | int8 | 9.5 | 8.5 |\n\n| Q-3 | base | 95.5 | 16.5 |\n| | int8 | 8.5 | 9.5 |\n",
    );
    assert_eq!(read.groups.len(), 2, "{read:?}");
    let files = super::Files::new(&[(
        "t.md",
        "| Model | VRAM Required |\n|---|---|\n| 8b | ~5GB |\n| 14b | ~9GB |\n",
    )]);
    let error = super::try_load(&[&files.path("t.md")]).expect_err("no result").to_string();
    assert!(error.contains("what is required"), "{error}");
}

/// One option of the commands above names the blocks; a value with a remark that it is the baseline makes its lines variants;
/// comments and decimal commas around the table of JMH.
#[test]
fn commands_remarks_and_comments_are_read() {
    let part = |backend: &str, rates: &str| {
        format!(
            "It is run so:\n\n```bash\npython bench.py \\\n  --backend {backend} \\\n  --seed 1\n```\n\nand gives\n\n```\nThroughput: {rates}\n```\n\n"
        )
    };
    let text = part("vllm", "9.14 requests/s, 1754.43 tokens/s")
        + "Now the other way.\n\n"
        + &part("hf", "6.99 requests/s, 1342.53 tokens/s");
    are(&text, "request", &[("vllm", 9.14), ("hf", 6.99)]);
    are(
        "- **rtoml**: 0.647s (基准 - 100%)\n- **toml**: 6.69s (9.67%)\n- **tomli**: 3.25s (20.56%)\n",
        "time",
        &[("rtoml", 0.647), ("toml", 6.69), ("tomli", 3.25)],
    );
    // 0.317 ms are 317,000 ns.
    let read = read_text(
        "t.txt",
        "//    Benchmark  Mode  Cnt  Score   Error  Units\n//    Day.one    avgt    3  0,317 ± 0,049  ms/op\n//    Day.two    avgt    3  0,431 ± 0,045  ms/op\n",
    );
    let times: Vec<f64> = runs(&read)
        .iter()
        .filter_map(|run| Some(run.metrics.get("time_per_op_ns")?.value))
        .collect();
    close(times[0], 317_000.0);
    close(times[1], 431_000.0);
}

/// Tables beside one another: a summary of another table is no run, the same names below headings of different work are what is
/// compared, as are rows that a last row compares.
#[test]
fn tables_beside_one_another_say_what_they_are() {
    let read = read_text(
        "t.md",
        "## Summary\n\n| Model | Gen tps | TTFT (s) |\n|---|---|---|\n| Q-9B | 90.75 ± 0.25 | 0.2 ± 0.1 |\n\n## Details\n\n\
         | Run | Gen tps | TTFT (s) |\n|---|---|---|\n| 1 | 90.5 | 0.1 |\n| 2 | 90.75 | 0.2 |\n| 3 | 91.0 | 0.3 |\n",
    );
    assert_eq!(super::counts(&read.groups[0]), [("t", 3)]);
    let part = |title: &str, values: [&str; 2]| {
        format!(
            "### {title}\n\n| policy | TTFT (ms) |\n|---|---|\n| best | {} |\n| **wait** | {} |\n\n",
            values[0], values[1]
        )
    };
    let text = part("v2 workload, shared prefix", ["40.5", "21.5"])
        + &part("v3 workload, ShareGPT", ["38.5", "19.5"]);
    let read = read_text("t.md", &text);
    assert_eq!((read.groups.len(), read.variant_names()), (2, vec!["best", "wait"]));
    are(
        "## Results (ops/sec)\n\n| Database | INSERT | READ |\n|---|---:|---:|\n| SharpDB | 111,052 | 69,053 |\n| SQLite | 188,247 | 107,122 |\n\
         | gap vs SQLite | 1.7x | 1.6x |\n",
        "read",
        &[("SharpDB", 69053.0), ("SQLite", 107_122.0)],
    );
}

/// A row `Difference` names no row `en`, operations over columns are no builds, and a remark with an old value is no mark of the
/// baseline.
#[test]
fn what_only_looks_like_a_comparison_is_none() {
    are(
        "| lang | before | after |\n|---|---|---|\n| en | 100.0 ms | 120.0 ms |\n| de | 110.0 ms | 132.0 ms |\n| Difference | +10% | +20% |\n",
        "time",
        &[("before", 100.0), ("after", 120.0), ("before", 110.0), ("after", 132.0)],
    );
    for text in [
        "| batch | GET ops/s | GET p99 ms | SET ops/s | SET p99 ms |\n|---|---|---|---|---|\n| 1 | 1100 | 0.2 | 3200 | 0.15 |\n| 2 | 2100 | 0.21 | 6200 | 0.155 |\n",
        "- parse: 10 ms\n- plan: 5 ms (was 6 ms at baseline)\n- exec: 3 ms\n",
    ] {
        assert_eq!(read_text("t.md", text).variant_names(), ["t"], "{text}");
    }
}

/// A table whose only column is left out is an error and no panic; lists of as many values as there were runs are repeats; names
/// in front of values that differ in rows of one name are no repeats.
#[test]
fn what_is_left_of_a_table_is_read_or_refused() {
    let files =
        super::Files::new(&[("t.md", "| ms |\n|---|\n| 1/2/3 |\n| 1/2/3 |\n| 5 |\n| 5 |\n")]);
    drop(super::try_load(&[&files.path("t.md")]));
    let read = read_text(
        "t.md",
        "| Build | Runs | ms |\n|---|---|---|\n| main | 3 | 10.1, 10.2, 10.3 |\n| pr | 3 | 9.1, 9.2, 9.3 |\n",
    );
    assert_eq!(super::counts(&read.groups[0]), [("main", 3), ("pr", 3)]);
    let files = super::Files::new(&[(
        "t.md",
        "| Engine | Latency |\n|---|---|\n| vLLM | fp16: 12.1 ms |\n| vLLM | int8: 9.3 ms |\n| SGLang | fp16: 11.1 ms |\n",
    )]);
    let read = super::try_load(&[&files.path("t.md")]);
    let groups = read.map(|read| read.dataset.groups).unwrap_or_default();
    let most = groups.iter().flat_map(|group| &group.variants).map(|one| one.runs.len()).max();
    assert!(most.is_none_or(|most| most == 1), "{groups:?}");
}

/// A name in brackets behind the metric is what is compared where another column says so, and else a part of the work.
#[test]
fn names_in_brackets_may_be_builds() {
    are(
        "| test | t/s (llama.cpp) | t/s (iqk_mul) | Speedup |\n|---|---|---|---|\n| pp512 | 54.5 | 102.5 | 1.881 |\n| tg128 | 8.0 | 10.0 | 1.250 |\n",
        "t/s",
        &[("llama.cpp", 54.5), ("iqk_mul", 102.5), ("llama.cpp", 8.0), ("iqk_mul", 10.0)],
    );
    let read = read_text(
        "t.md",
        "| model | tok/s (pp512) | tok/s (tg128) |\n|---|---|---|\n| A-x | 100.5 | 50.5 |\n| B-y | 90.5 | 45.5 |\n",
    );
    assert_eq!(read.variant_names(), ["A-x", "B-y"]);
    // Thousands with decimals.
    are(
        "| build | pre-fill tok/s |\n|---|---|\n| main | 3 150.8 |\n| pr | 4 729.8 |\n",
        "fill",
        &[("main", 3150.8), ("pr", 4729.8)],
    );
}

/// As many values in a cell as a column says are those of parallel slots, an arrow stands beside columns of one unit, and a
/// comma is decimal before and behind a spread.
#[test]
fn cells_say_how_many_they_hold() {
    let read = read_text(
        "t.md",
        "| Case | -np | Baseline tok/s | MTP tok/s |\n|---|---|---|---|\n| Berlin | 1 | `8.08` | `12.40` |\n| Berlin | 2 | `7.77 / 7.77` | `11.22 / 11.22` |\n\
         | Moon | 1 | `7.61` | `10.20` |\n| Moon | 2 | `7.55 / 7.55` | `9.79 / 9.80` |\n",
    );
    let most = read.groups.iter().flat_map(|group| &group.variants).map(|one| one.runs.len()).max();
    assert_eq!(most, Some(1), "{read:?}");
    are(
        "| cell | SSE2 | native | Δ | tok/s |\n|---|--:|--:|--:|--:|\n| n=2048 | 16.5 s | 13.5 s | **−18.2%** | 121→148 |\n| n=8192 | 108.5 s | 97.5 s | **−10.1%** | 75→84 |\n",
        "time",
        &[("SSE2", 16.5), ("native", 13.5), ("SSE2", 108.5), ("native", 97.5)],
    );
    are(
        "| | pp2048 | tg128 |\n|---|---:|---:|\n| A main | 685,53 ± 0,55 | 49,31 ± 0,16 |\n| D fork | 733,90 ± 0,43 | 50,88 ± 0,07 |\n",
        "pp2048",
        &[("A main", 685.53), ("D fork", 733.9)],
    );
}
