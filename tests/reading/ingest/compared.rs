//! What is compared in tables and lines without a word for it. Expected values are those of the cells in the text beside the
//! assertion; spreads come from a hand calculation.

use beyondnoise::runs::{Dataset, Run};

use super::{close, read_text, runs};

/// Variant, workload and value of the metrics whose name has these letters, in the order of the text.
fn seen(read: &Dataset, metric: &str) -> Vec<(String, f64)> {
    let named = |name: &str| name.to_lowercase().contains(metric);
    let value = |run: &Run| run.metrics.iter().find(|(name, _)| named(name)).map(|(_, v)| v.value);
    let mut all: Vec<&Run> = runs(read);
    all.sort_by_key(|run| run.source.position);
    all.iter().filter_map(|run| Some((run.variant.clone(), value(run)?))).collect()
}

#[track_caller]
fn are(text: &str, metric: &str, expected: &[(&str, f64)]) {
    let read = read_text("t.md", text);
    let expected: Vec<(String, f64)> =
        expected.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    assert_eq!(seen(&read, metric), expected, "{text}");
}

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
