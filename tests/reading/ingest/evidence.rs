//! What values say by themselves: comparisons with one another, averages, sizes, counts. Expected values are those of the cells in
//! the text beside the assertion.

use beyondnoise::runs::Dataset;

use super::{Files, are, read_text, runs, seen, try_load, value};

/// The largest number of runs of one variant in one cell.
fn most(read: &Dataset) -> usize {
    let variants = read.groups.iter().flat_map(|group| &group.variants);
    variants.map(|variant| variant.runs.len()).max().unwrap_or_default()
}

fn reference(name: &str, text: &str) -> Option<String> {
    let files = Files::new(&[(name, text)]);
    try_load(&[&files.path(name)]).expect("a readable text").assumed_base
}

/// Lines of any labels are sides where one states its factor to the other; the one without a factor is what they are compared with.
#[test]
fn values_that_compare_with_one_another_name_the_sides_and_the_baseline() {
    let text = "### small string\n\n```\n            redis-rb:     3248.5 i/s\n        redis-client:     4277.5 i/s - 1.32x  (± 0.00) faster\n\
                ```\n\n### large string\n\n```\n            redis-rb:      162.5 i/s\n        redis-client:      163.5 i/s - same-ish: within error\n```\n";
    let read = are(
        text,
        "i_per_s",
        &[
            ("redis-rb", 3248.5),
            ("redis-client", 4277.5),
            ("redis-rb", 162.5),
            ("redis-client", 163.5),
        ],
    );
    assert_eq!(read.groups.len(), 2);
    assert_eq!(reference("t.md", text).as_deref(), Some("redis-rb"));
    assert!(read.said[0].contains("are against redis-rb, the baseline"), "{:?}", read.said);
    // 10.5 / 1.5 = 7: a factor of the best says nothing of a baseline, and no row with a factor of one has none either.
    let table = |py: &str, rs: &str| {
        format!(
            "# Times\n\n| Command | Mean [s] | Speedup |\n|:---|---:|---:|\n| py | 10.5 | {py} |\n| rs | 1.5 | {rs} |\n"
        )
    };
    assert_eq!(reference("t.md", &table("1.00x", "7.00x")).as_deref(), Some("py"));
    assert_eq!(reference("t.md", &table("0.14x", "1.00x")), None);
    assert_eq!(reference("t.md", &table("", "6.00x")), None);
}

/// An average of several runs is no repeat of another one: tables of them are workloads of their own.
#[test]
fn tables_of_averages_are_no_repeats() {
    let table = |a: &str, b: &str| {
        format!(
            "| Command | Mean [s] |\n|:---|---:|\n| `py` | {a} ± 0.5 |\n| `rs` | {b} ± 0.5 |\n\n---\n\n"
        )
    };
    let text = table("10.5", "1.5") + &table("19.5", "12.5");
    let read = read_text("t.md", &text);
    assert_eq!((read.groups.len(), most(&read)), (2, 1), "{read:?}");
    // The spread of a row further down belongs to the run of the first.
    let read = read_text(
        "t.md",
        "Mean ± sd over 3 runs (n=3).\n\n| Metric | Branch | conc=16 | conc=32 |\n|---|---|---|---|\n| Output tok/s | main | 62.5 ± 1.5 | 97.5 ± 1.5 |\n\
         | Output tok/s | PR | 63.5 ± 1.5 | 98.5 ± 1.5 |\n| Δ throughput | | +1.6 % | +1.0 % |\n| TPOT (ms) | main | 2.5 ± 0.5 | 3.5 ± 0.5 |\n\
         | TPOT (ms) | PR | 2.25 ± 0.5 | 3.25 ± 0.5 |\n",
    );
    assert!(runs(&read).iter().all(|run| run.info.spreads.len() == 2), "{read:?}");
}

/// Rising numbers above the average of values near to each other count repeats; of unlike values they name the work.
#[test]
fn rows_above_their_average_are_repeats_where_they_are_alike() {
    let table = |first: &str| {
        format!(
            "| Day | before | after |\n|---|---|---|\n| 1 | {first} ms | 101.5 ms |\n| 2 | 120.5 ms | 102.5 ms |\n| 3 | 121.5 ms | 103.5 ms |\n| avg | 120.5 ms | 102.5 ms |\n"
        )
    };
    assert_eq!(most(&read_text("t.md", &table("119.5"))), 3);
    assert_eq!(most(&read_text("t.md", &table("19.5"))), 1);
}

/// A list of numbers behind a label has its unit in the label or in the line above, and goes on in the next line; in a cell it may
/// end with its average, (8.5 + 7.5 + 8.0) / 3 = 8.0.
#[test]
fn lists_are_repeats_in_the_unit_that_the_words_state() {
    let read = read_text(
        "t.md",
        "old samples (ms): 12.5,12.75,12.25\nnew samples (ms): 11.5,11.75,11.25\n",
    );
    assert_eq!(most(&read), 3);
    assert_eq!(seen(&read, "time")[0], ("old".to_owned(), 12.5));
    let wrapped = "Sorted samples (ms):\n\n```\njdk:   50 50 51 51\n       52 53\nnocds: 69 69 70 70\n       71 72\n```\n";
    assert_eq!(most(&read_text("t.md", wrapped)), 6);
    let cells = "| | tuned | old default | |\n|---|---:|---:|---|\n| 4B | 8.5 / 7.5 / 8.0 → **8.0** | 4.5 / 5.5 / 5.0 → 5.0 | **1.6x** |\n\
                 | 1B | 20.5 / 20.0 / 19.5 → 20.0 | 11.5 / 12.0 / 12.5 → 12.0 | 1.67x |\n";
    assert_eq!(most(&read_text("t.md", cells)), 3);
    let files = Files::new(&[("t.md", "gpus: 0 1 2 3\ncores: 4 5 6 7\n")]);
    assert!(try_load(&[&files.path("t.md")]).is_err());
}

/// Round numbers before and after under names that say nothing of a measurement are settings, and goals were not measured.
#[test]
fn settings_and_goals_are_no_results() {
    let settings = "| 组件 | 优化前 | 优化后 |\n|---|---|---|\n| HikariCP | 5 | 30 |\n| Tomcat | 50 | 200 |\n| Nginx | 1024 | 4096 |\n| keepalive | 无 | 64 |\n";
    let files = Files::new(&[("t.md", settings)]);
    let error = try_load(&[&files.path("t.md")]).expect_err("settings").to_string();
    assert!(error.contains("round numbers before and after"), "{error}");
    assert!(!runs(&read_text("t.md", &settings.replace("1024", "1023.5"))).is_empty());
    are(
        "| Configuration | Duration | Speedup | Status |\n|---|---|---|---|\n| 4 threads | 13.5 min | 1.00x | Baseline |\n| 8 threads | 8.5 min | 1.59x | Below |\n\
         | Target (min) | 7.5 min | 1.8x | MANDATORY |\n",
        "duration",
        &[("4 threads", 13.5), ("8 threads", 8.5)],
    );
}

/// Words and letters for sizes: headings, thousands, a size in the name of a case.
#[test]
fn sizes_are_no_variants_and_no_units() {
    let table = |size: &str, a: &str, b: &str| {
        format!(
            "##### With input {size} #####\nName         ips        average  deviation\nfast      {a}        3.5 ms     ±8.25%\nslow      {b}        4.5 ms     ±9.25%\n\n"
        )
    };
    let text = table("large", "260.5", "253.5") + &table("small", "3.25 K", "3.125 K");
    let read =
        are(&text, "ips", &[("fast", 260.5), ("slow", 253.5), ("fast", 3250.0), ("slow", 3125.0)]);
    assert_eq!(read.groups.len(), 2);
    let read = read_text(
        "t.md",
        "| Benchmark | Before | After |\n|---|---:|---:|\n| `upper()`, 12 bytes | 0.125 μs | 0.25 μs |\n| `length()`, 12 bytes | 39.5 ns | 45.5 ns |\n",
    );
    assert_eq!(runs(&read).len(), 2, "{read:?}");
}

/// `perf stat` on a machine whose language has decimal commas, under headings with a command each.
#[test]
fn a_command_of_each_variant_is_no_workload() {
    let part = |name: &str, option: &str, clock: &str, elapsed: &str| {
        format!(
            "{name}:\n```\n Performance counter stats for './bench.exe -{option}':\n\n         {clock} msec task-clock      #    2,002 CPUs utilized\n   101 398 595 970      cycles   #    2,792 GHz\n\n      {elapsed} seconds time elapsed\n```\n\n"
        )
    };
    let text = part("Original implementation", "orig", "36 311,26", "18,125000000")
        + &part("Flat array", "flat", "37 412,19", "18,250000000");
    let read = are(&text, "wall", &[("Original implementation", 18.125), ("Flat array", 18.25)]);
    assert_eq!(read.groups.len(), 1);
    assert_eq!(seen(&read, "task")[0].1, 36_311.26);
    assert_eq!(seen(&read, "cycles")[0].1, 101_398_595_970.0);
}

/// JSON of objects beside what sums them up, of lists beside a list of sizes; a direction that is none of better and worse.
#[test]
fn keys_and_lists_of_json_are_variants_and_sizes() {
    let text = r#"{"baseline": {"mode": "baseline", "rps": 838.5, "p50_ms": 62.5}, "flight": {"mode": "flight", "rps": 373.5, "p50_ms": 107.5},
                   "latency_p50_improvement_ms": -45.0, "reduction_factor": 144.5}"#;
    assert_eq!(
        seen(&read_text("t.json", text), "p50"),
        [("baseline".to_owned(), 62.5), ("flight".to_owned(), 107.5)]
    );
    let text = r#"{"seq_len": [10, 50, 100], "time_without_cache": [0.5, 0.75, 0.625], "time_with_cache": [0.25, 0.125, 0.375]}"#;
    let read = read_text("t.json", text);
    assert_eq!((read.groups.len(), most(&read), runs(&read).len()), (3, 1, 6), "{read:?}");
    let table = "profile,direction,before_s,after_s\nsmall,download,5.5,2.5\nsmall,upload,19.5,6.5\nlarge,download,1.5,3.5\nlarge,upload,8.5,7.5\n";
    let read = read_text("t.csv", table);
    assert_eq!((read.groups.len(), most(&read)), (4, 1), "{read:?}");
}

/// Changes between rows, in a column where a plus means better; changes that agree with few rows compare something else.
#[test]
fn columns_of_changes_compare_what_their_numbers_say() {
    // 1 - 39.5 / 40.0 = 1.25 %, 1 - 30.0 / 40.0 = 25 %: of the column beside it, from the first row.
    let read = are(
        "| # | 优化项 | 每步时间 | 总时间 | 相对基线 |\n|---|---|---|---|---|\n| 1 | 基线版本 | 4.0s | 40.0s | - |\n| 2 | +DP | 3.5s | 39.5s | +1.3% |\n\
         | 3 | 最优配置 | 2.5s | 30.0s | +25.0% |\n",
        "总时间",
        &[("基线版本", 40.0), ("+DP", 39.5), ("最优配置", 30.0)],
    );
    let falls = |run: &&beyondnoise::runs::Run| run.info.claims.iter().all(|c| c.up == Some(false));
    assert!(runs(&read).iter().all(falls), "{read:?}");
    let rows = [
        ("a", "8.5", "9.5"),
        ("b", "7.5", "6.5"),
        ("c", "6.5", "3.5"),
        ("d", "5.5", "4.5"),
        ("e", "9.5", "8.5"),
    ];
    let row =
        |(name, old, new): &(&str, &str, &str)| format!("| {name} | {old} | {new} | -31.5% |\n");
    let table: String = rows.iter().map(row).collect();
    let read = read_text(
        "t.md",
        &format!("| case | before (ms) | after (ms) | paired change |\n|---|---|---|---|\n{table}"),
    );
    assert!(runs(&read).iter().all(|run| run.info.claims.is_empty()), "{read:?}");
    let said = read.inputs[0].skipped.iter().any(|part| part.why.contains("in 0 of 5 rows"));
    assert!(said, "{:?}", read.inputs[0].skipped);
}

/// Numbers that come back beside every value of another column are those of a setting, and so is `p` left of what is measured; the
/// heading may state the unit. Every row is one run.
#[test]
fn numbers_that_come_back_left_of_the_sides_are_settings() {
    let text = "## Results (fp16, k=50, µs, median; last run)\n\n| V | B | p | ours | eager | compiled | vs eager | vs compiled |\n\
                |---:|---:|---|---:|---:|---:|---:|---:|\n\
                | 32k | 1 | 0.9 | 42 | 147 | 120 | 3.5× | 2.9× |\n| 32k | 32 | 0.9 | 83 | 287 | 217 | 3.5× | 2.6× |\n\
                | 128k | 1 | 0.9 | 42 | 224 | 133 | 5.3× | 3.2× |\n| 128k | 32 | 0.9 | 159 | 1,052 | 738 | 6.6× | 4.6× |\n\
                | 128k | 32 | 1.0 | 155 | 229 | 150 | 1.5× | 0.97× |\n";
    let read = read_text("t.md", text);
    assert_eq!((read.groups.len(), most(&read)), (5, 1), "{read:?}");
    // 1,052 µs are 1.052 ms, in whatever unit they are kept.
    assert!(
        seen(&read, "time").contains(&("eager".to_owned(), 1052.0)),
        "{:?}",
        seen(&read, "time")
    );
    // Results that come back are none: no other column comes back beside them.
    let sides = "| case | ours | theirs |\n|---|---|---|\n| a | 5 | 6 |\n| b | 6 | 5 |\n| c | 5 | 6 |\n| d | 6 | 5 |\n";
    assert_eq!(read_text("t.md", sides).groups.len(), 4);
}

/// How many of how many, `80 / 80`, are no two runs; a line through a table starts no other one, and an empty row is nothing.
#[test]
fn shares_and_lines_through_a_table_are_no_runs() {
    let text = "| Concurrency | Backend | Latency (sec) | Tokens/sec | Successful Requests |\n|---|---|---|---|---|\n\
                | 80 | main | 1.36 | 2547.5 | 80 / 80 |\n| 80 | PR | 1.54 | 2543.5 | 79 / 80 |\n\
                | | | | | |\n| 50 | main | 1.05 | 2388.5 | 50 / 50 |\n| 50 | PR | 1.09 | 1748.5 | 50 / 50 |\n";
    let read = read_text("t.md", text);
    assert_eq!((read.groups.len(), most(&read)), (2, 1), "{read:?}");
    let counts: Vec<_> =
        runs(&read).iter().map(|run| (run.info.completed, run.workload.requests)).collect();
    assert!(counts.contains(&(Some(79), Some(80))), "{counts:?}");
    let text = "| Experiment | main | PR 1 | PR 2 | PR 3 |\n|---|---|---|---|---|\n| KV dtype | fp16 | fp16 | fp16 | fp8 |\n|---|---|---|---|---|\n\
                | Throughput (tok/s) | 857.5 | 951.5 | 1437.5 | 1697.5 |\n| Mean TTFT (ms) | 24.5 | 34.5 | 21.5 | 27.5 |\n";
    let found = seen(&read_text("t.md", text), "mean_ttft_ms");
    assert_eq!(found[0], ("main".to_owned(), 24.5), "{found:?}");
    assert_eq!(found.len(), 4, "{found:?}");
}

/// `7.04/s` and `97k/s` are rates, and a stroke in a unit separates no values: `39.3 → 56.1 tok/s`.
#[test]
fn strokes_of_units_separate_nothing() {
    are(
        "| Workload | Before | After |\n|---|---:|---:|\n| title | 7.04/s | 54.45/s |\n| menu | 97k/s | 364k/s |\n",
        "rate_per_s",
        &[("Before", 7.04), ("After", 54.45), ("Before", 97e3), ("After", 364e3)],
    );
    let text = "| Concurrent requests | Median TTFT off → on | Throughput off → on |\n|---|---|---|\n| 1 | 0.54 → 0.06 s | 39.3 → 56.1 tok/s |\n\
                | 4 | 1.34 → 0.14 s | 76.8 → 178.3 tok/s |\n";
    let read = read_text("t.md", text);
    let [off, on] = [0, 1].map(|at| runs(&read)[at]);
    assert_eq!((&*off.variant, value(off, "Throughput (tok/s)")), ("off", 39.3));
    assert_eq!((&*on.variant, value(on, "median_ttft_ms")), ("on", 60.0));
}

/// A count that a program repeats exactly is a result where the other columns tell all rows apart and it follows from no single one.
#[test]
fn counts_that_differ_between_the_variants_are_results() {
    let mut text = "run,stack,scenario,requests_ok,p50_ms,sql_queries\n".to_owned();
    for run in 1..4 {
        for (stack, factor) in [("base", 4), ("new", 1)] {
            for (at, scenario) in ["read", "list", "write", "report"].iter().enumerate() {
                let time = 20.5 + f64::from(run) * 1.25 + at as f64;
                // One of a variant's counts is another one's too.
                let queries = [300, 1200, 300 * factor, 600 + 30 * factor][at];
                text.extend([format!("{run},{stack},{scenario},300,{time},{queries}\n")]);
            }
        }
    }
    let read = read_text("t.csv", &text);
    assert_eq!((read.groups.len(), most(&read)), (4, 3), "{read:?}");
}

/// A table that repeats values of a larger one, or the averages of the runs above it, has no runs of its own.
#[test]
fn tables_drawn_from_others_are_not_read_twice() {
    let text = "| Build | tok/s | TTFT (ms) |\n|---|---|---|\n| main | 611.47 | 79.83 |\n| cached | 640.97 | 69.91 |\n| chunked | 643.33 | 66.31 |\n\n\
                | Metric | main | chunked | Change |\n|---|---|---|---|\n| tok/s | 611.47 | 643.33 | +5.2 % |\n| TTFT (ms) | 79.83 | 66.31 | -16.9 % |\n";
    let read = read_text("t.md", text);
    assert_eq!(runs(&read).len(), 3, "{read:?}");
    // (13.5 + 13.7 + 13.9) / 3 = 13.7 and (12.2 + 12.3 + 12.7) / 3 = 12.4.
    let part = |name: &str, a: &str, b: &str, c: &str, mean: &str| {
        format!(
            "# {name}\n\n| Run | Time (ms) |\n|---|---|\n| 1 | {a} |\n| 2 | {b} |\n| 3 | {c} |\n| **Avg** | **{mean}** |\n\n"
        )
    };
    let text = part("Before the patch", "13.500", "13.700", "13.900", "13.700")
        + &part("After the patch", "12.200", "12.300", "12.700", "12.400")
        + "## Comparison\n\n| Metric | Before | After | Improvement |\n|---|---|---|---|\n| Avg time | 13.700 ms | 12.400 ms | **9.5 % faster** |\n";
    let read = read_text("t.md", &text);
    assert_eq!((runs(&read).len(), most(&read)), (6, 3), "{read:?}");
}

/// Values that stand nowhere else are not lost with those that do, however short they are.
#[test]
fn tables_with_values_of_their_own_are_read_beside_others() {
    let text = "| Build | tok/s | TTFT (ms) |\n|---|---|---|\n| main | 611.47 | 79.83 |\n| cached | 640.97 | 69.91 |\n| chunked | 643.33 | 66.31 |\n\n\
                | Build | tok/s | TTFT (ms) | ITL (ms) | Change |\n|---|---|---|---|---|\n| main | 611.47 | 79.83 | 41 | |\n| chunked | 643.33 | 66.31 | 38 | +5.2 % |\n";
    let read = read_text("t.md", text);
    assert!(
        runs(&read).iter().any(|run| run.metrics.iter().any(|(_, v)| v.value == 38.0)),
        "{read:?}"
    );
}

/// Columns of numbers, each below words of its own, are the runs of as many variants; one such column is not.
#[test]
fn columns_of_numbers_below_words_are_runs() {
    let text = "1000 small calls\n  1.25 sec\n  1.50 sec\n  1.75 sec\n\n1000 large calls\n  4.25 sec\n  4.50 sec\n  4.75 sec\n";
    let read = read_text("t.md", text);
    assert_eq!((runs(&read).len(), most(&read)), (6, 3), "{read:?}");
    let files = Files::new(&[("t.md", "1000 small calls\n  1.25 sec\n  1.50 sec\n  1.75 sec\n")]);
    assert!(try_load(&[&files.path("t.md")]).is_err());
}

/// Chips and the size of their memory are no results.
#[test]
fn machines_are_no_results() {
    let text = "| Kind | Instance | Accelerator | HBM | TP |\n|---|---|---|---|---|\n| TPU | t-1 | T1 × 1 | 32 GB | 1 |\n| GPU | g-1 | G1 × 1 | 80 GB | 1 |\n";
    let files = Files::new(&[("t.md", text)]);
    let error = try_load(&[&files.path("t.md")]).expect_err("machines").to_string();
    assert!(error.contains("names of products and sizes alone"), "{error}");
    // A size with a fraction, or one that was the peak, was measured.
    for measured in [text.replace("32 GB", "31.5 GB"), text.replace("HBM", "Peak memory")] {
        assert_eq!(runs(&read_text("t.md", &measured)).len(), 2, "{measured}");
    }
}

/// Ratios of one inside every group of the other words say which column is compared: 167.8 / 288.8 = 0.58, 257.7 / 281.1 = 0.92.
#[test]
fn ratios_say_which_of_two_columns_of_words_is_compared() {
    let text = "| Tool | Method | Mean | Ratio |\n|---|---|---:|---:|\n| **Mvc** | *POST* | 288.8 us | 1.00 |\n| **Routes** | *POST* | 167.8 us | 0.58 |\n\
                | | | | |\n| **Mvc** | *GET* | 281.1 us | 1.00 |\n| **Routes** | *GET* | 257.7 us | 0.92 |\n";
    let read = read_text("t.md", text);
    assert_eq!(read.groups.len(), 2, "{read:?}");
    let found: Vec<&str> = runs(&read).iter().map(|run| &*run.variant).collect();
    assert!(found.iter().all(|name| ["Mvc", "Routes"].contains(name)), "{found:?}");
    // 288.8 / 281.1 = 1.03: ratios of something else say nothing.
    let other = read_text("t.md", &text.replace("0.92", "0.49"));
    assert!(runs(&other).iter().all(|run| ["POST", "GET"].contains(&&*run.variant)), "{other:?}");
}

/// Two values in every cell are those of the two names that a line below the table gives; without such a line they are no repeats where
/// some are far apart.
#[test]
fn two_values_in_every_cell_are_named_below_the_table() {
    let table = "| Workers | Output tok/s | Mean TTFT (ms) |\n|---|---|---|\n| 32 | 1287 / 1139 | 597 / 615 |\n| 128 | 2677 / 1319 | 1258 / 28783 |\n";
    let read = read_text("t.md", &format!("{table}\n(Format: ours / theirs)\n"));
    assert_eq!((read.groups.len(), most(&read)), (2, 1), "{read:?}");
    assert_eq!(seen(&read, "mean_ttft_ms")[3], ("theirs".to_owned(), 28783.0));
    let files = Files::new(&[("t.md", table)]);
    assert!(try_load(&[&files.path("t.md")]).is_err());
}

/// Numbers over the columns are runs under a word for them, and else sizes beside the labels of variants.
#[test]
fn numbers_over_the_columns_are_runs_or_sizes() {
    let text = "| run | 1 | 2 | 3 |\n|---|---|---|---|\n| PR | **1427s** | 1487s | 1486s |\n| MB | **1577s** | 1670s | 1661s |\n";
    let read = read_text("t.md", text);
    assert_eq!((runs(&read).len(), most(&read)), (6, 3), "{read:?}");
    let metrics = "| run | 1 | 2 | 3 |\n|---|---|---|---|\n| TTFT (ms) | 80.1 | 81.2 | 79.5 |\n| TPOT (ms) | 15.1 | 15.3 | 14.9 |\n";
    let files = Files::new(&[("t.md", metrics)]);
    let read = try_load(&[&files.path("t.md")]).map(|read| read.dataset);
    assert!(read.is_err() || read.is_ok_and(|read| read.variant_names().len() < 2));
    // Releases are no sizes.
    let releases = "| Function | 3.11 | 3.12 | 3.13 |\n|---|---|---|---|\n| dumps | 12.1 ms | 11.8 ms | 11.0 ms |\n| loads | 9.1 ms | 8.8 ms | 8.0 ms |\n";
    let files = Files::new(&[("t.md", releases)]);
    let read = try_load(&[&files.path("t.md")]).map(|read| read.dataset);
    assert!(read.is_err() || read.is_ok_and(|read| read.groups.len() < 3));
    let text = "|Algorithm|320|384|640|\n|:---:|:---:|:---:|:---:|\n|SDPA|82T|92T|84T|\n|L1|136T|135T|132T|\n|Speedup|1.66x|1.47x|1.57x|\n";
    let read = read_text("t.md", text);
    assert_eq!((read.groups.len(), runs(&read).len(), most(&read)), (3, 6, 1), "{read:?}");
    let text = "| KV cache | bs=1 | bs=16 | bs=64 |\n|---|---|---|---|\n| fp16 | 16.3GB | 31.7GB | oom |\n| int8 | 15.5GB | 22.3GB | 48.2GB |\n";
    let read = read_text("t.md", text);
    assert_eq!((read.groups.len(), runs(&read).len()), (3, 5), "{read:?}");
}

/// 71.5 / 33.2 = 2.15 and 82.5 / 47.4 = 1.74 hold between rows, and 82.5 / 71.5 = 1.15 between columns does not.
#[test]
fn factors_beside_values_say_that_rows_are_compared() {
    let text = "| Precision | fp16 | int4 |\n|---|---|---|\n| plain | 33.2 tokens/s | 47.4 tokens/s |\n| EAGLE | 71.5 tokens/s (2.15x) | 82.5 tokens/s (1.74x) |\n";
    let read = read_text("t.md", text);
    let found: Vec<&str> = runs(&read).iter().map(|run| &*run.variant).collect();
    assert_eq!(found, ["plain", "EAGLE"], "{read:?}");
    // A factor beside a time is the inverse of its ratio: 33.2 / 15.4 = 2.16, 47.4 / 27.2 = 1.74.
    let times = text.replace("tokens/s", "ms").replace("71.5", "15.4").replace("82.5", "27.2");
    let found = read_text("t.md", &times.replace("2.15x", "2.16x"));
    assert!(
        runs(&found).iter().all(|run| ["plain", "EAGLE"].contains(&&*run.variant)),
        "{found:?}"
    );
    let across = text.replace("(2.15x)", "(1.00x)").replace("(1.74x)", "(1.15x)");
    let read = read_text("t.md", &across);
    assert!(runs(&read).iter().all(|run| ["fp16", "int4"].contains(&&*run.variant)), "{read:?}");
}

/// The factor of the better of both is one whichever is the better: 4.48 / 0.20 = 22, 0.47 / 0.22 = 2.1.
#[test]
fn a_column_may_compare_the_better_with_the_other() {
    let text = "| Model | MLX Load Time | llama.cpp Load Time | Advantage |\n|---|---|---|---|\n| small | 0.20s | 4.48s | 22x faster |\n| large | 0.47s | 0.22s | 2.1x faster |\n";
    let read = read_text("t.md", text);
    assert_eq!((read.groups.len(), runs(&read).len()), (2, 4), "{read:?}");
    let rank =
        text.replace("Advantage", "Rank").replace("22x faster", "3").replace("2.1x faster", "1");
    assert_eq!(runs(&read_text("t.md", &rank)).len(), 2);
}

/// The unit over the first column of one size is that of all under names as builds have them.
#[test]
fn a_unit_over_one_of_several_builds_is_that_of_all() {
    let text = "| Threads | T-MAC (tokens/sec) | llama.cpp (BLAS) | llama.cpp |\n|---|---|---|---|\n| 4 | 50.1 | 21.5 | 12.0 |\n| 8 | 94.4 | 37.7 | 21.3 |\n";
    let read = read_text("t.md", text);
    assert_eq!((read.groups.len(), runs(&read).len()), (2, 6), "{read:?}");
    assert_eq!(seen(&read, "tokens/sec")[1], ("llama.cpp (BLAS)".to_owned(), 21.5));
    let sizes = read_text("t.md", &text.replace("| llama.cpp |", "| swaps |"));
    assert_eq!(runs(&sizes).len(), 2, "{sizes:?}");
}

/// Headers that come again are repeats in one unit, and other metrics in another; a word in a column of sizes loses its cell.
#[test]
fn headers_that_come_again_in_another_unit_are_another_metric() {
    let text = "| Method | Before | After | Before | After |\n|---|---|---|---|---|\n| ok | 168.4 us | 18.7 us | 2.29 MB | 1.05 MB |\n| fail | 195.6 us | 18.9 us | 12.21 MB | 5.34 MB |\n";
    let read = read_text("t.md", text);
    assert_eq!((read.groups.len(), runs(&read).len(), most(&read)), (2, 4, 1), "{read:?}");
    let repeats = text.replace("MB", "us");
    assert_eq!(most(&read_text("t.md", &repeats)), 2);
    let mut rows: Vec<String> = (1..=12)
        .map(|n| format!("| {} | v{n} | {n}.5 tok/s | {n}.25 GB (2 GPUs) |", n % 2))
        .collect();
    rows[4] = "| 1 | v5 | 5.5 tok/s | two GPUs |".to_owned();
    let text =
        format!("| Size | Variant | Speed | Memory |\n|---|---|---|---|\n{}\n", rows.join("\n"));
    let read = read_text("t.md", &text);
    let memory = |run: &&beyondnoise::runs::Run| run.metrics.len() == 2;
    assert_eq!(runs(&read).iter().copied().filter(memory).count(), 11, "{read:?}");
}

/// `Runs` beside averages are the runs behind them.
#[test]
fn a_column_of_runs_counts_those_behind_the_averages() {
    let text = "| Model | Runs | Latency (s) |\n|---|---|---|\n| `w8a8` | 3 | 2.63 ± 0.01 |\n| `original` | 4 | 3.80 ± 0.02 |\n";
    let read = read_text("t.md", text);
    let spreads: Vec<(usize, f64)> = runs(&read)
        .iter()
        .flat_map(|run| run.info.spreads.values().map(|spread| (spread.runs, spread.sd)))
        .collect();
    assert_eq!(spreads, [(3, 0.01), (4, 0.02)], "{read:?}");
    // `n` may be a size.
    let sizes = "| n | before (ms) | after (ms) |\n|---|---|---|\n| 1000 | 2.63 ± 0.10 | 2.51 ± 0.11 |\n| 10000 | 26.1 ± 0.9 | 25.0 ± 1.0 |\n";
    let read = read_text("t.md", sizes);
    assert!(runs(&read).iter().all(|run| run.info.spreads.is_empty()), "{read:?}");
}

/// Lines that give each label the same few values by name are a table, whatever stands between them.
#[test]
fn lines_of_a_label_and_values_by_name_are_a_table() {
    let text = "ruby 2.5.1\nbuilt-in mem: 136560 duration: 4.928\nUsing the Hoard allocator\nHoard mem: 167772 duration: 4.231\ntcmalloc 2.0 mem: 138608 duration: 3.963\n";
    are(text, "mem", &[("built-in", 136_560.0), ("Hoard", 167_772.0), ("tcmalloc 2.0", 138_608.0)]);
    let text = "  (sdpa): ['0.0175'], time:50.36ms, TFLOPS:82.19 (+0.00 %)(~1.00x)\n  (ours): ['0.0176'], time:40.23ms, TFLOPS:102.87(+25.17%)(~1.25x)\n";
    let read = are(text, "time (ms)", &[("sdpa", 50.36), ("ours", 40.23)]);
    // Two changes beside one value compare with different ones: said, and not checked.
    assert!(
        read.inputs[0].skipped.iter().any(|one| one.why.contains("several changes")),
        "{read:?}"
    );
    assert!(runs(&read).iter().all(|run| run.info.claims.is_empty()), "{read:?}");
    // A label that comes twice is not told apart, also where others follow.
    for text in [
        "a: size=4 t=5.4\na: size=4 t=0.9\n",
        "a mem: 1 t: 4.9\nb mem: 2 t: 4.2\na mem: 3 t: 4.8\nb mem: 4 t: 4.3\n",
    ] {
        let files = Files::new(&[("t.md", text)]);
        assert!(try_load(&[&files.path("t.md")]).is_err(), "{text}");
    }
}

/// A time or a rate above the first result of a list was measured, and sets no work.
#[test]
fn what_stands_above_the_first_known_result_was_measured() {
    let run = |name: &str, latency: f64, rate: f64| {
        format!(
            "  - `{name}`:\n    - Latency: {latency:.2}s\n    - Output Throughput: {rate} tok/s\n    - Input Throughput: N/A\n"
        )
    };
    let text = [
        run("old_run1", 3.80, 136.42),
        run("old_run2", 3.79, 136.51),
        run("new_run1", 2.77, 188.07),
        run("new_run2", 2.78, 186.96),
    ];
    let read = read_text("t.md", &text.concat());
    assert_eq!((read.groups.len(), most(&read)), (1, 2), "{read:?}");
    assert!(runs(&read).iter().all(|run| run.metrics.len() == 2), "{read:?}");
}

/// The method with the ratio 1 in every set of parameters is what the others are compared with, where no other file is read.
#[test]
fn ratios_of_benchmarkdotnet_name_the_methods_and_the_baseline() {
    let text = "    Method | Categories |      Mean |     Error |    StdDev | Scaled | Allocated |\n---------- |----------- |----------:|----------:|----------:|-------:|----------:|\n\
                \x20     Linq |        Any | 16.718 ns | 0.0615 ns | 0.0480 ns |   1.00 |     320 B |\n ValueLinq |        Any |  8.241 ns | 0.0286 ns | 0.0253 ns |   0.49 |       0 B |\n\
                \x20          |            |           |           |           |        |           |\n      Linq |      Count | 69.538 ns | 0.3562 ns | 0.2781 ns |   1.00 |      32 B |\n\
                \x20ValueLinq |      Count | 35.665 ns | 0.1095 ns | 0.0970 ns |   0.51 |       0 B |\n";
    let read = are(
        text,
        "time_per_op_ns",
        &[("Linq", 16.718), ("ValueLinq", 8.241), ("Linq", 69.538), ("ValueLinq", 35.665)],
    );
    assert_eq!(read.groups.len(), 2);
    assert_eq!(reference("t.md", text).as_deref(), Some("Linq"));
    let files =
        Files::new(&[("main.md", text), ("pr.md", text.replace("8.241", "7.541").as_str())]);
    let two = try_load(&[&files.path("main.md"), &files.path("pr.md")]).expect("two files").dataset;
    assert_eq!(two.variant_names(), ["main", "pr"]);
}

/// A factor with words behind a colon is that of the cell, and the share of runs in the bracket is none.
#[test]
fn a_factor_behind_a_colon_is_the_change_of_its_cell() {
    let text = "+-----------+-----------+-----------------------------------------------+\n| Benchmark | base.json | new.json                                      |\n\
                +===========+===========+===============================================+\n| int       | 28.5 ns   | 27.7 ns: 1.03x faster (faster on 88% of runs) |\n\
                +-----------+-----------+-----------------------------------------------+\n| float     | 262 ms    | 220 ms: 1.19x faster (faster on 100% of runs) |\n\
                +-----------+-----------+-----------------------------------------------+\n";
    let read = read_text("t.txt", text);
    let sizes: Vec<f64> =
        runs(&read).iter().flat_map(|run| &run.info.claims).map(|claim| claim.size).collect();
    assert_eq!(sizes.len(), 2, "{read:?}");
    assert!((sizes[0] - 0.03).abs() < 0.005 && (sizes[1] - 0.19).abs() < 0.05, "{sizes:?}");
}

/// An option with each of several arguments, and missing with each of them, is the variant; the shell of the commands may be fish.
#[test]
fn commands_that_differ_in_two_places_are_variants_of_several_works() {
    let part = |command: &str, real: f64, user: f64| {
        format!(
            "$ time {command}\n________________\nExecuted in   {real:.2} secs    fish           external\n   usr time   {user:.2} secs  130.00 micros   18.82 secs\n   sys time    2.19 secs  691.00 micros    2.19 secs\n\n"
        )
    };
    let text = part("pytest tests/unit/", 27.06, 18.82)
        + &part("pytest -n auto tests/unit/", 14.81, 31.00)
        + &part("pytest tests/integration/", 92.11, 135.90)
        + &part("pytest -n auto tests/integration/", 46.70, 151.14);
    let read = read_text("t.md", &text);
    assert_eq!((read.groups.len(), runs(&read).len(), most(&read)), (2, 4, 1), "{read:?}");
    let wall: Vec<(String, f64)> = seen(&read, "real (s)");
    assert_eq!(wall[1], ("auto".to_owned(), 14.81), "{wall:?}");
    // Sizes of one program are settings of the run below.
    let sized = |backend: &str, size: usize, real: f64| {
        part(&format!("./bench --backend {backend} --batch-size {size}"), real, 1.5)
    };
    let text = sized("vllm", 8, 2.5)
        + &sized("vllm", 16, 4.5)
        + &sized("hf", 8, 3.5)
        + &sized("hf", 16, 6.5);
    assert_eq!(most(&read_text("t.md", &text)), 1);
    // Three different commands are no repeats of one another.
    let text = part("a --fast x", 27.06, 18.82)
        + &part("b --fast y", 14.81, 31.00)
        + &part("b z", 92.11, 135.90);
    assert_eq!(most(&read_text("t.md", &text)), 1);
}

/// Blocks below labels that come again below several headings; the label is the name in the words.
#[test]
fn labels_that_come_again_below_headings_are_variants_of_several_works() {
    let block = |name: &str, total: f64, latency: f64| {
        format!(
            "- `{name}` output:\n\n```bash\nTotal Requests:  100\nTotal Time:  {total:.2}\nAvg Latency:  {latency:.2}\n```\n\n"
        )
    };
    let text = "### Offline\n\n".to_owned()
        + &block("sglang", 142.64, 81.99)
        + &block("vllm", 56.60, 30.24)
        + "### Online\n\n"
        + &block("sglang", 118.89, 11.29)
        + &block("vllm", 54.46, 5.22);
    let read = read_text("t.md", &text);
    assert_eq!((read.groups.len(), runs(&read).len(), most(&read)), (2, 4, 1), "{read:?}");
    let swapped = text
        .replace("Offline", "Before")
        .replace("Online", "After")
        .replace("sglang", "prefill")
        .replace("vllm", "decode");
    assert_eq!(read_text("t.md", &swapped).variant_names(), ["Before", "After"]);
    assert!(
        seen(&read, "avg latency")
            .iter()
            .any(|(label, value)| label.contains("vllm") && *value == 5.22)
    );
}

/// The text above names the columns, or the factors beside the values compare them: these are the builds. Expected by reading.
#[test]
fn columns_are_builds_where_the_text_or_the_factors_say_so() {
    let table = "| Program (size) | GNU gold | LLVM lld | mold\n|---|---|---|---\n| Chrome (1.9 GiB) | 53.86s | 11.74s | 2.21s\n\
                 | Clang (3.2 GiB) | 64.12s | 5.82s | 2.90s\n";
    let read =
        read_text("t.md", &format!("A comparison of GNU gold, LLVM lld, and mold.\n\n{table}"));
    assert_eq!(read.variant_names(), ["GNU gold", "LLVM lld", "mold"]);
    assert_eq!((read.groups.len(), most(&read)), (2, 1));
    // Columns that are parts of the work stay metrics.
    let parts = "Times of forward and backward in ms.\n\n| library | forward | backward | total |\n|---|---|---|---|\n\
                 | MKL | 19.78 | 34.60 | 54.38 |\n| Eigen | 29.71 | 58.64 | 88.35 |\n";
    assert_eq!(read_text("t.md", parts).variant_names(), ["MKL", "Eigen"]);
    // 10.51 / 7.94 = 1.324, and 8.43 / 8.11 = 1.039: of the other value over its own.
    let factors = "| method | tokens | torch | triton | native |\n|---|---|---|---|---|\n\
                   | diagonal | 1 | 10.51 ms (x1.00) | 10.78 ms (x0.97) | 7.94 ms (x1.32) |\n\
                   | diagonal | 16 | 8.43 ms (x1.00) | 10.93 ms (x0.77) | 8.11 ms (x1.04) |\n";
    let read = read_text("t.md", factors);
    assert_eq!(read.variant_names(), ["torch", "triton", "native"]);
    let claims: Vec<Option<bool>> =
        runs(&read).iter().flat_map(|run| &run.info.claims).map(|claim| claim.up).collect();
    assert_eq!(claims, [None, Some(true), Some(false), None, Some(true), Some(false)]);
}

/// A speedup of times is the base over the candidate, and a column called after one side is its gain.
#[test]
fn the_speedup_says_which_side_is_the_base() {
    let text = "| Shape | Triton (ms) | PyTorch (ms) | Speedup |\n|---|---|---|---|\n| 1024 | 0.0267 | 0.0437 | 1.64x |\n\
                | 512 | 0.2635 | 0.2040 | 0.77x |\n| 128 | 0.0164 | 0.0199 | 1.21x |\n";
    let read = read_text("t.md", text);
    let changed: Vec<&str> = runs(&read)
        .iter()
        .filter(|run| !run.info.claims.is_empty())
        .map(|run| &*run.variant)
        .collect();
    assert_eq!(changed, ["Triton"; 3]);
    let text = "| metric | nano-vllm | vllm | nano gain |\n|---|---|---|---|\n| output throughput (tok/s) | 1227.68 | 1313.09 | -6.5% |\n\
                | total throughput (tok/s) | 1634.74 | 1511.11 | +8.2% |\n";
    let read = read_text("t.md", text);
    assert!(runs(&read).iter().all(|run| run.info.claims.is_empty() == (run.variant == "vllm")));
}

/// Tables of the same rows and columns below other headings are never repeats.
#[test]
fn results_below_other_headings_are_not_pooled() {
    let table = |a: f64, b: f64| {
        format!(
            "| Server | Req/sec | Mean (ms) |\n|---|---|---|\n| Node | {a:.2} | 10.5 |\n| Bun | {b:.2} | 9.1 |\n\n"
        )
    };
    let text = "### Operations\n\n#### CREATE\n".to_owned()
        + &table(5818.55, 6545.07)
        + "#### GET ALL\n"
        + &table(5088.28, 5743.48)
        + "### Stress test\n\n"
        + &table(7506.48, 7970.86);
    let read = read_text("t.md", &text);
    assert_eq!((read.groups.len(), runs(&read).len(), most(&read)), (3, 6, 1), "{read:?}");
}

/// A row of several metrics, a cell of two quantities, and repeats with a bare comma between them.
#[test]
fn a_cell_of_several_values_is_taken_apart() {
    let text = "| metric | before | after |\n|---|---|---|\n| write time p50 / p90 | 27.5s / 110.8s | 615ms / 1.8s |\n\
                | total time | 12.5s | 6.1s |\n";
    let read = read_text("t.md", text);
    let p90 = |name: &str| seen(&read, name).iter().map(|(_, value)| *value).collect::<Vec<_>>();
    assert_eq!(p90("write time p90"), [110.8, 1.8]);
    let text = "| Mode | Prefill TTFT (ms) / tok/s |\n|---|---|\n| default | 136.65 / 3746.92 |\n| flash-attn | 96.79 / 5289.85 |\n";
    assert_eq!(read_text("t.md", text).variant_names(), ["default", "flash-attn"]);
    let text = "| Build | Per-run TPOT (ms) | Median TPOT (ms) |\n|---|---|---|\n| old |114.626,114.192|114.409|\n\
                | new |105.798,99.110|102.454|\n";
    let read = read_text("t.md", text);
    assert_eq!((runs(&read).len(), most(&read)), (4, 2), "{read:?}");
}

/// Keys that name a variant in brackets, items of a list, durations in sentences, and rates in words below headings.
#[test]
fn labels_stand_in_keys_items_and_sentences() {
    let text = "Memory: 487.5 MB\nInference Time (Naive): 11.35 seconds\nThroughput (Naive): 87.2 tokens/second\n\n\
                Memory: 255.5 MB\nInference Time (FP16): 4.36 seconds\nThroughput (FP16): 227.1 tokens/second\n";
    let read = read_text("t.md", text);
    assert_eq!(read.variant_names(), ["Naive", "FP16"]);
    let text = "A battle of speed\n\n1. Python (3.7) : 116.5 s\n1. Julia (1.4) : 2.43 s\n";
    assert_eq!(read_text("t.md", text).variant_names(), ["Python (3.7)", "Julia (1.4)"]);
    let text = "Before:\n```\npytest\n\n=== 1637 passed, 23 skipped in 115.97s (0:01:55) ===\n```\nAfter:\n```\npytest -n auto\n\n\
                === 1637 passed, 23 skipped in 53.34s ===\n```\n";
    let times: Vec<f64> = seen(&read_text("t.md", text), "time (s)").iter().map(|t| t.1).collect();
    assert_eq!(times, [115.97, 53.34]);
    let part = |name: &str, set: f64, get: f64| {
        format!(
            "## {name}\n\n```bash\n$ redis-benchmark -q -t SET,GET\n\nSET: {set} requests per second\nGET: {get} requests per second\n```\n\n"
        )
    };
    let text = part("LedisDB", 22494.66, 75058.17) + &part("Redis", 365_497.06, 448_028.66);
    assert_eq!(read_text("t.md", &text).variant_names(), ["LedisDB", "Redis"]);
}

/// The names of systems go with how each was set where the ways are not the same for all; goals are no results.
#[test]
fn systems_go_with_their_configurations() {
    let text = "| Implementation | Precision | Time |\n|---|---|---|\n| whisper | fp16 | 4m30s |\n| faster-whisper | fp16 | 54s |\n\
                | faster-whisper | int8 | 59s |\n";
    assert_eq!(
        read_text("t.md", text).variant_names(),
        ["whisper fp16", "faster-whisper fp16", "faster-whisper int8"]
    );
    let text = "| Page | P95 Threshold | Target | Status |\n|---|---|---|---|\n| All | < 200ms | 150ms | ok |\n| Cached | < 50ms | 30ms | ok |\n";
    let files = Files::new(&[("t.md", text)]);
    assert!(try_load(&[&files.path("t.md")]).is_err());
}

/// Sizes led by a sign for times, builds of one name, times of other work and parts without a heading are never repeats.
#[test]
fn what_differs_in_any_word_is_no_repeat() {
    let rows = |cells: [&str; 3]| -> String {
        let row =
            |build: &str, at: usize| format!("| {build} | {} | {} |\n", cells[at], 10 * (at + 1));
        (0..3).map(|at| row("old", at) + &row("new", at)).collect()
    };
    for cells in [["x4", "x8", "x16"], ["8x (H100 80GB)", "4x (A100 80GB)", "2x (L40 48GB)"]] {
        let text = format!("| Version | Lanes | Latency (us) |\n|---|---|---|\n{}", rows(cells));
        let read = read_text("t.md", &text);
        assert_eq!((read.groups.len(), most(&read)), (3, 1), "{text}");
    }
    let text = "| build | tok/s |\n|---|---|\n| main | 100.1 |\n| main 7a918624b | 121.0 |\n| main 8b918624c | 131.0 |\n";
    assert_eq!(read_text("t.md", text).variant_names().len(), 3);
    let text = "| fork | devices | tok/s |\n|---|---|---|\n| **own** `7a918624b` | 2 | 8.16 |\n| **own** | 4 | 5.88 |\n\
                | **up** `0629f920e` | 2 | 6.06 |\n| **up** | 4 | 4.54 |\n";
    assert_eq!(read_text("t.md", text).variant_names().len(), 2);
    let text = "Before:\n\nCompiled foo in 3.1s\nCompiled bar in 9.1s\n\nAfter:\n\nCompiled foo in 2.1s\nCompiled bar in 8.1s\n";
    assert_eq!(most(&read_text("t.md", text)), 1);
    let text = "| Variant | ms |\n|---|---|\n| old | 10 |\n| new | 9 |\n\n## Larger input\n\n| Variant | ms |\n|---|---|\n\
                | old | 100.1 |\n| new | 90.1 |\n";
    let read = read_text("t.md", text);
    assert_eq!((read.groups.len(), most(&read)), (2, 1));
}

/// Words that only stand in the text name no columns, and values with a unit in some columns have none in the others.
#[test]
fn words_near_a_table_say_nothing_of_it() {
    let text = "I compared old hash map and new hash map. The fields are small and large inputs.\n\n\
                | Map | small (ns) | large (ns) |\n|---|---|---|\n| std | 10.1 | 20.2 |\n| swiss | 8.3 | 15.5 |\n";
    assert_eq!(read_text("t.md", text).variant_names(), ["std", "swiss"]);
    let text = "| Variant | Input | Time |\n|---|---|---|\n| before | 16 MB | 1203 |\n| after | 16 MB | 1.15 |\n";
    assert!(runs(&read_text("t.md", text)).iter().all(|run| !run.info.with_units));
    for text in [
        "# Performance tuning\n\nTTL of each:\n\n- Redis: 30 s\n- Postgres: 60 s\n",
        "Benchmark results, parse time by file:\n\n- small.json: 2.4 ms\n- medium.json: 12.4 ms\n",
        "Latency (p50): 10 ms\nThroughput (p50): 100 req/s\n\nLatency (p99): 20 ms\nThroughput (p99): 90 req/s\n",
    ] {
        let files = Files::new(&[("t.md", text)]);
        assert!(try_load(&[&files.path("t.md")]).is_err(), "{text}");
    }
}

/// Factors of the larger value over the smaller one go the way of the values: 14.8 / 14.4 = 1.03, and 105.3 / 54.4 = 1.94.
#[test]
fn a_margin_is_the_larger_value_over_the_smaller() {
    let text = "| metric | vLLM | SGLang | better | margin |\n|---|---|---|---|---|\n| TTFT p95 | 54.4 | 105.3 | vLLM | 1.94x |\n\
                | TPOT p50 | 14.8 | 14.4 | SGLang | 1.03x |\n| tok/s p50 | 67.9 | 69.8 | SGLang | 1.03x |\n";
    let read = read_text("t.md", text);
    let ups: Vec<Option<bool>> =
        runs(&read).iter().flat_map(|run| &run.info.claims).map(|claim| claim.up).collect();
    assert_eq!(ups, [Some(true), Some(false), Some(true)]);
    // In a column of speedups a factor has its side: 15 ms after 10 ms is none of 1.50.
    let text = "| metric | before | after | speedup |\n|---|---|---|---|\n| TTFT (ms) | 10.0 | 15.0 | 1.50x |\n\
                | TPOT (ms) | 20.0 | 10.0 | 2.00x |\n";
    let read = read_text("t.md", text);
    let ups: Vec<Option<bool>> =
        runs(&read).iter().flat_map(|run| &run.info.claims).map(|claim| claim.up).collect();
    assert!(ups.contains(&Some(false)) && ups.len() == 2, "{ups:?}");
    assert_eq!(ups[0], ups[1]);
}

/// Words of a list's line as a whole: a linker is no link. A list of settings below results is none.
#[test]
fn the_line_above_a_list_says_what_is_in_it() {
    let text = "Linker benchmark:\n\n- mold: 2.21 s\n- lld: 11.74 s\n\nTimeout of each:\n\n- Redis: 30 s\n- Postgres: 60 s\n";
    let read = read_text("t.md", text);
    assert_eq!(read.variant_names(), ["mold", "lld"]);
    // Chinese sentences that only have a word with such a letter in them compare nothing.
    let text = "对于 conv 和 matmul 的比例\n\n| library | conv (ms) | matmul (ms) |\n|---|---|---|\n| aa | 10.5 | 20.5 |\n| bb | 8.5 | 15.5 |\n";
    assert_eq!(read_text("t.md", text).variant_names(), ["aa", "bb"]);
}

/// A table of the means or medians of columns of runs is no table of runs, whatever its labels are: 7544.570 is the mean of the three.
#[test]
fn averages_of_columns_of_runs_are_no_runs() {
    let text = "| Run | Baseline | Fused |\n|---|---|---|\n| 1 | 7540.366 ms | 7005.790 ms |\n| 2 | 7500.680 ms | 6999.138 ms |\n\
                | 3 | 7592.665 ms | 6998.190 ms |\n\nAverages:\n\n| Variant | Average time |\n|---|---|\n| loop baseline | 7544.570 ms |\n\
                | loop fused | 7001.039 ms |\n";
    let read = read_text("t.md", text);
    assert_eq!(read.variant_names(), ["Baseline", "Fused"]);
    assert_eq!((runs(&read).len(), most(&read)), (6, 3));
}

/// `branch` beside `main` is a side if both hold values, and names the variants of rows otherwise.
#[test]
fn branch_beside_main_is_a_side() {
    let text = "| model | main | branch | gain |\n|---|---:|---:|---:|\n| 1B | 34.74 | **43.17** | **+24.3%** |\n\
                | 3B | 20.74 | **23.24** | **+12.1%** |\n";
    assert_eq!(read_text("t.md", text).variant_names(), ["main", "branch"]);
    let text = "| branch | main (ms) | warm (ms) |\n|---|---|---|\n| old | 34.7 | 43.1 |\n| new | 20.7 | 23.2 |\n";
    assert_eq!(read_text("t.md", text).variant_names(), ["old", "new"]);
}

/// Rows under words for a change that follow from two rows above are no variants: 15 - 16 = -1, and 1/16 is 6 %.
#[test]
fn rows_that_follow_from_others_are_no_variants() {
    let text = "| Time (us) | p50 | p90 | p100 |\n|---|---:|---:|---:|\n| main | 16 | 17 | 18 |\n| Current_run | 15 | 15 | 16 |\n\
                | Δ | -1 | -2 | -2 |\n| Improvement % | 6 | 12 | 11 |\n";
    assert_eq!(read_text("t.md", text).variant_names(), ["main", "Current_run"]);
    // A benchmark may be called that.
    let text = "| name | before (ms) | after (ms) |\n|---|---|---|\n| gcc | 310.5 | 300.1 |\n| gap | 120.9 | 118.2 |\n";
    assert_eq!(read_text("t.md", text).groups.len(), 2);
    let text = "| Metric | cuBLAS path | Fused kernel |\n|---|---|---|\n| Decode | 20 t/s | **69 t/s** |\n\
                | vs q8_0 (177 t/s) | 11% | **39%** |\n| PPL | 8.82 | 8.82 |\n";
    let read = read_text("t.md", text);
    assert_eq!(read.variant_names(), ["cuBLAS path", "Fused kernel"]);
    assert!(runs(&read).iter().all(|run| run.metrics.len() == 2));
}

/// A column of workloads is kept below headings, and values that fall from place to place in a cell are no repeats.
#[test]
fn workloads_below_headings_are_not_pooled() {
    let text = "## One\n\n| Workload | Accepted per place | k=0 → k=3 tok/s |\n|---|---|---|\n\
                | a | 0.70 / 0.46 / 0.29 | 137.5 → 236.0 |\n| b | 0.690 / 0.459 / 0.324 | 137.9 → 249.8 |\n\
                | c | 0.700 / 0.479 / 0.324 | 77.7 → 128.8 |\n\n\
                ## Two\n\n| Workload | k=0 → k=3 server tok/s |\n|---|---|\n| S | 133.7 → 215.0 |\n| T | 132.7 → 222.3 |\n";
    let read = read_text("t.md", text);
    assert_eq!(read.variant_names(), ["k=0", "k=3"]);
    assert_eq!((read.groups.len(), most(&read)), (5, 1));
}

/// Sentences below a table with its values, also rounded, give no runs.
#[test]
fn what_a_table_holds_is_not_read_again() {
    let text = "| Engine | tok/s before | tok/s after |\n|---|---|---|\n| up | 1182.32 | 1181.07 |\n| own | 1012.87 | 1010.30 |\n\n\
                ## Verdict\n\n- own tok/s = **1010.3 tok/s** vs up **1181.1 tok/s**\n";
    let read = read_text("t.md", text);
    assert_eq!(read.variant_names(), ["before", "after"]);
    assert_eq!(runs(&read).len(), 4);
}

/// Columns of one unit of which one names a side are builds, whatever the unit is of; words in a cell leave out that value alone.
#[test]
fn columns_of_one_unit_beside_a_side_are_builds() {
    let text = "| tokens | new gemm, ms/pass | old gemm, ms/pass | gemv, ms/pass | fp16 baseline |\n|--|--|--|--|--|\n\
                | 1 | 0.79 | 5.44 | 0.13 | 0.14 |\n| 64 | 0.84 | 5.50 | 3.27 | 0.17 |\n| 256 | 1.22 | 5.93 | too slow | 0.58 |\n";
    let read = read_text("t.md", text);
    assert_eq!(read.variant_names(), ["new gemm", "old gemm", "gemv", "fp16 baseline"]);
    assert_eq!(runs(&read).len(), 11);
}

/// Memory in a letter is bytes, a column may say in words which side came first, and a change stands behind a comma.
#[test]
fn cells_say_more_than_their_number() {
    let text = "| | aa | bb |\n|---|---|---|\n| token_number/s | 18.93 | 16.93 |\n| gpu memory use | 6G | 13G |\n";
    let read = read_text("t.md", text);
    assert_eq!(read.variant_names(), ["aa", "bb"]);
    assert!(runs(&read).iter().all(|run| run.metrics.len() == 2), "{read:?}");
    let text = "| pair | first arm | tg128 before | tg128 after |\n|---:|---|---:|---:|\n| 1 | after | 36.27 | 34.91 |\n\
                | 2 | before | 35.95 | 34.89 |\n| 3 | after | 35.96 | 36.17 |\n| 4 | before | 35.33 | 34.83 |\n";
    let read = read_text("t.md", text);
    assert_eq!((read.groups.len(), most(&read)), (1, 4), "{read:?}");
    let text = "| | prefill before | prefill after |\n|---|---|---|\n| small | 5741 | 6153 tok/s, +7.2% |\n| large | 1186 | 1274 tok/s, +7.4% |\n";
    let read = read_text("t.md", text);
    assert_eq!(read.variant_names(), ["before", "after"]);
    let sizes: Vec<f64> =
        runs(&read).iter().flat_map(|run| &run.info.claims).map(|claim| claim.size).collect();
    assert_eq!(sizes.len(), 2);
    assert!((sizes[0] - 0.072).abs() < 1e-9 && (sizes[1] - 0.074).abs() < 1e-9);
}

/// Lines that a program prints between label and value name nothing: numbers, heads of logs, a case with its sides further in.
#[test]
fn printed_lines_between_label_and_value_name_nothing() {
    let part = |name: &str, times: [&str; 3]| {
        let [time, mean, sd] = times;
        format!(
            "    benchmarking {name}\n    time                 {time} s    (20.26 s .. 21.37 s)\n                         1.000 R²   (NaN R² .. 1.000 R²)\n    \
             mean                 {mean} s    (19.79 s .. 20.01 s)\n    std dev              {sd} ms   (0.0 s .. 136.6 ms)\n\n"
        )
    };
    let text = part("unpatched", ["20.60", "19.93", "123.3"])
        + &part("patched", ["13.90", "13.31", "766.5"]);
    let read = read_text("t.md", &text);
    assert_eq!(read.variant_names(), ["benchmarking unpatched", "benchmarking patched"]);
    assert_eq!((runs(&read).len(), most(&read)), (2, 1));
    let part = |name: &str, time: &str, rate: &str| {
        format!(
            "{name}\n[2023-11-22 14:19:34,537 INFO] Loading data into the model\n[2023-11-22 14:19:55,469 INFO] Total time (s): {time}\n\
             [2023-11-22 14:19:55,469 INFO] Average time (ms): {rate}01\n[2023-11-22 14:19:55,469 INFO] Tokens per second: {rate}\n\n"
        )
    };
    let text = format!("```\n{}{}```\n", part("NF4", "14.0", "36.5"), part("FP16", "10.5", "48.6"));
    assert_eq!(read_text("t.md", &text).variant_names(), ["NF4", "FP16"]);
    let part = |shape: &str, torch: &str, own: &str| {
        format!(
            "   shape {shape} dtype <f32>\n        Torch time: {torch} ms\n        Own time: {own} ms\n"
        )
    };
    let text = format!(
        "```\n{}{}{}```\n",
        part("(64,)", "0.187", "0.029"),
        part("(128,)", "0.240", "0.035"),
        part("(256,)", "0.183", "0.031")
    );
    let read = read_text("t.md", &text);
    assert_eq!((read.variant_names(), read.groups.len()), (vec!["Torch", "Own"], 3));
}

/// A value that is printed twice where the others are printed once is no repeat.
#[test]
fn a_value_printed_twice_is_no_repeat() {
    let text = "# Before\n\n```\nfill: 0.87s\nfill: 0.98s\nsaxpy: 0.038s\n5165.4\nminv: 0.05s\n```\n\n\
                # After\n\n```\nfill: 0.18s\nfill: 0.23s\nsaxpy: 0.034s\n5792.61\nminv: 0.01s\n```\n";
    let read = read_text("t.md", text);
    assert_eq!((read.groups.len(), most(&read)), (1, 1), "{read:?}");
}

/// A comment in a fence that names a side is a heading; a sentence with the rounded values goes behind the lines that have them.
#[test]
fn comments_in_fences_name_sides() {
    let text = "This makes the prompt go from 73 token/s to 98 token/s.\n\n```\n# After the change\nmodel built\n\n\
                19 prompt tokens processed: 98.22 token/s\n99 tokens generated: 63.82 token/s\n\n# Before\n\
                19 prompt tokens processed: 72.66 token/s\n99 tokens generated: 60.80 token/s\n```\n";
    let read = read_text("t.md", text);
    assert_eq!(read.variant_names(), ["After the change", "Before"]);
    assert!(runs(&read).iter().all(|run| run.metrics.len() == 2));
}

/// A heading that names a test of llama-bench is the metric of the builds below it, `engine` and `llama master`.
#[test]
fn a_heading_names_the_test_of_the_builds_below_it() {
    let part = |test: &str, rows: [[f64; 2]; 3]| {
        let rows: Vec<String> = rows
            .iter()
            .enumerate()
            .map(|(at, [a, b])| format!("| {} | {a} | {b} |\n", at + 1))
            .collect();
        let rows = rows.concat();
        format!("### {test}\n\n| round | engine | llama SYCL master |\n|---:|---:|---:|\n{rows}\n")
    };
    let text = part("Prefill pp512 (clean)", [[1173.9, 960.2], [1082.9, 1011.1], [1112.3, 1015.5]])
        + &part("Decode tg128 (separate)", [[80.97, 76.38], [80.5, 78.67], [83.13, 82.24]]);
    let read = read_text("t.md", &text);
    assert_eq!(read.variant_names(), ["engine", "llama SYCL master"]);
    assert_eq!(most(&read), 3);
}

/// Output of benchcmp holds both sides in every line, and is no output of go test.
#[test]
fn a_change_behind_two_values_is_no_unit() {
    let text = "```\n $ benchcmp old.txt new.txt\n benchmark                old ns/op     new ns/op     delta\n \
                Benchmark1handler-8      2526          1800          -28.74%\n BenchmarkPubSub-8        32610         32462         -0.45%\n```\n";
    assert_eq!(read_text("t.md", text).variant_names(), ["old", "new"]);
}

/// A ratio in a summary of hyperfine is a claim of its first command.
#[test]
fn a_summary_of_hyperfine_is_a_claim() {
    let part = |nth: usize, name: &str, mean: &str, sd: &str| {
        format!(
            "Benchmark {nth}: {name}\n  Time (mean ± σ):     {mean} s ±  {sd} s    [User: 24.157 s, System: 0.670 s]\n  \
             Range (min … max):   24.236 s … 27.626 s    20 runs\n\n"
        )
    };
    let text = part(1, "perf", "25.840", "0.931")
        + &part(2, "main", "39.205", "2.053")
        + "Summary\n  perf ran\n    1.52 ± 0.10 times faster than main\n";
    let read = read_text("t.md", &text);
    let claims: Vec<(&str, f64)> = runs(&read)
        .iter()
        .flat_map(|run| &run.info.claims)
        .map(|claim| (&*claim.text, claim.size))
        .collect();
    let [(text, size)] = claims[..] else { panic!("{claims:?}") };
    assert_eq!(text, "perf ran 1.52 ± 0.10 times faster than main");
    assert!((size - 0.52).abs() < 1e-9);
}

/// What a build tool prints before each line is none of the results.
#[test]
fn prefixes_of_build_tools_are_not_read() {
    let part = |score: &str| {
        format!(
            "```\n[info] Benchmark           Mode  Cnt    Score    Error  Units\n[info] Bla25Bench.parse    avgt    3   {score} ±  6.775  ms/op\n```\n"
        )
    };
    let text = format!("before:\n{}\nafter:\n{}", part("42.306"), part("35.326"));
    let read = read_text("t.md", &text);
    assert_eq!(read.variant_names(), ["before", "after"]);
    assert_eq!(runs(&read).len(), 2);
}

/// Headers whose gaps are filled with underscores; a cell in another unit than its header leaves out that value alone; every column
/// of one unit is a build beside old and new of one thing.
#[test]
fn headers_and_units_of_all_kinds_name_columns() {
    let part = |label: &str, rate: &str, time: &str| {
        format!(
            "{label}:\n_elapsed___ops/sec(cum)__avg(ms)_pMax(ms)__w-amp\n 3600.0s         {rate}     {time}  26843.5    6.9\n\n"
        )
    };
    let text = format!(
        "```\n{}{}```\n",
        part("Prior to this PR", "3677.6", "52.2"),
        part("This PR", "4083.1", "47.0")
    );
    let read = read_text("t.md", &text);
    assert_eq!(read.variant_names(), ["Prior to this PR", "This PR"]);
    assert!(runs(&read).iter().all(|run| run.metrics.len() == 5), "{read:?}");
    let text = "| Method | Step latency (ms) | Tokens/s |\n|---|---|---|\n| Baseline | 22 ms/token | 45.5 |\n\
                | Chain | 78 ms (40 + 38) | 35.9 |\n| Tree | 82 ms | 50.0 |\n| Dynamic | 92 ms | 56.5 |\n";
    let read = read_text("t.md", text);
    assert_eq!(runs(&read).iter().map(|run| run.metrics.len()).collect::<Vec<_>>(), [1, 2, 2, 2]);
    let text = "| Benchmark | Old Planner | ORCA | New Planner |\n|---|---|---|---|\n| v3 | 5,331s | 3,185s | 2,605s |\n\
                | v4 | 5,819s | 3,697s | 3,020s |\n";
    assert_eq!(read_text("t.md", text).variant_names(), ["Old Planner", "ORCA", "New Planner"]);
}

/// Rules that leave something out do so only for what they are about.
#[test]
fn what_looks_like_a_repetition_and_is_none_is_kept() {
    // A column that names sides, but not which of them came first.
    let text = "| client | server | old (ms) | new (ms) |\n|---|---|---|---|\n| old | h1 | 12.5 | 11.5 |\n| new | h1 | 13.5 | 10.5 |\n";
    assert_eq!(most(&read_text("t.md", text)), 1);
    let text = "| version | baseline |\n|---|---|\n| 1.0 | 12.5 ms |\n| 1.1 | 22.5 ms |\n| 1.2 | 21.5 ms |\n";
    assert_eq!(read_text("t.md", text).variant_names(), ["1.0", "1.1", "1.2"]);
    let text = "| variant | hit rate | miss rate |\n|---|---|---|\n| main | 71.2% | 28.8% |\n| pr | 75.1% | 24.9% |\n| delta encoding | 73.0% | 27.0% |\n";
    assert_eq!(read_text("t.md", text).variant_names().len(), 3);
    // 40 - 10 = 30 and 30 - 10 = 20 by chance.
    let text = "| Operation | main (ms) | PR (ms) |\n|---|---|---|\n| git status | 40 | 30 |\n| git log | 10 | 10 |\n| git diff | 30 | 20 |\n| git add | 55 | 44 |\n";
    assert_eq!(read_text("t.md", text).groups.len(), 4);
    let text = "## A100\n\n| build | tok/s |\n|---|---|\n| main | 1250 |\n| PR | 1300 |\n| PR + graphs | 1350 |\n\n## H100\n\n- main: 1300 tok/s\n- PR: 1350 tok/s\n";
    assert_eq!(read_text("t.md", text).groups.len(), 2);
    let text = "| variant | TTFT ms |\n|---|---|\n| main | 52.1 / 40.2 / 36.3 |\n| PR | 51.1 / 38.2 / 33.3 |\n| PR2 | 50.1 / 37.2 / 23.3 |\n";
    assert_eq!(most(&read_text("t.md", text)), 3);
    let text = "Before:\nrequests/sec: 1001.5\nrequests/sec: 1011.5\nrequests/sec: 1021.5\n\nAfter:\nrequests/sec: 1101.5\nrequests/sec: 1111.5\nrequests/sec: 1121.5\nlatency: 12.3 ms\n";
    assert_eq!(runs(&read_text("t.md", text)).len(), 6);
    let side = |label: &str, rate: u32| format!("# {label}\nthroughput: {rate} tok/s\n");
    let part = |model: &str, rate: u32| {
        format!("# {model}\n{}{}", side("main", rate), side("PR", rate + 100))
    };
    let text = format!("```\n{}{}```\n", part("Llama-8B", 1234), part("Qwen-14B", 834));
    assert_eq!(most(&read_text("t.md", &text)), 1);
}

/// Sides of several words in brackets, quantities of several units beside a comparison in words, and the default of an option.
#[test]
fn brackets_name_sides_and_defaults() {
    let text = "| Model | PPL (main) | PPL (this PR) | Q-time (main) | Q-time (this PR) |\n|---|---|---|---|---|\n\
                | L1 | 8.2767 | 8.2773 | N/A | N/A |\n| L2 | 8.0856 | 8.1669 | 156.4 | 132.6 |\n";
    let read = read_text("t.md", text);
    assert_eq!((read.variant_names(), read.groups.len()), (vec!["main", "this PR"], 2));
    let text = "| KV cache | VRAM at 8K | Generation speed | Output similarity vs f16 |\n|---|---|---|---|\n\
                | f16 (16-bit, reference) | 4,899 MB | 81.8 tok/s | 100% |\n| q8_0 (8-bit) | 4,691 MB | 76.4 tok/s | 81.6% — safe trade |\n";
    assert_eq!(
        read_text("t.md", text).variant_names(),
        ["f16 (16-bit, reference)", "q8_0 (8-bit)"]
    );
    let text = "| prefill step size | peak GB | generation tok/s |\n|---|---|---|\n| 2048 (default) | 39.78 | 21.31 |\n\
                | 1024 | 32.26 | 21.37 |\n| 512 | 28.54 | 21.40 |\n";
    assert_eq!(read_text("t.md", text).variant_names(), ["2048 default", "1024", "512"]);
    // Any value of an option, with or without a remark; a version is none.
    let text = "| ctx | tok/s |\n|---|---|\n| **32k** (default) | 81.8 |\n| 64k | 76.4 |\n| 128k (max) | 70.1 |\n";
    assert_eq!(read_text("t.md", text).variant_names(), ["32k default", "64k", "128k"]);
    let text = "| version | tok/s |\n|---|---|\n| 0.3.4 | 81.8 |\n| 0.3.5 (default) | 76.4 |\n";
    assert_eq!(read_text("t.md", text).variant_names(), ["0.3.4", "0.3.5 (default)"]);
    let text = "| Implementation | Precision | Time |\n|---|---|---|\n| fast | fp32 | 3m26s |\n| fast | int8 | 1m58s |\n| slow.cpp | fp16 | 4m01s |\n";
    assert_eq!(
        read_text("t.md", text).variant_names(),
        ["fast fp32", "fast int8", "slow.cpp fp16"]
    );
    let text = "### Baseline\n\nQPS | Recall\n-- | --\n1.963 | 0.7916\n\n### COPY\nQPS | Recall\n-- | --\n5.2595 | 0.8642\n";
    let read = read_text("t.md", text);
    assert_eq!((read.variant_names(), read.groups.len()), (vec!["Baseline", "COPY"], 1));
    assert!(runs(&read).iter().all(|run| run.metrics.len() == 2));
}

/// A mean beside its repeats is neither a result of its own nor the reason to take the repeats for results.
/// By hand: (30.4 + 29.2 + 29.8) / 3 = 29.8 and (31.0 + 31.0 + 31.6) / 3 = 31.2.
#[test]
fn means_beside_repeats_name_what_was_repeated() {
    let table = |mean: &str, last: &str| {
        format!(
            "| Build | Run 1 | Run 2 | Run 3 | {mean} |\n|---|---|---|---|---|\n\
             | Before | 30.4 tok/s | 29.2 tok/s | 29.8 tok/s | 29.8 |\n\
             | After | 31.0 tok/s | 31.0 tok/s | 31.6 tok/s | {last} |\n"
        )
    };
    let read = read_text("t.md", &table("Mean tok/s", "31.2"));
    assert_eq!((most(&read), runs(&read).len()), (3, 6));
    assert_eq!(value(runs(&read)[0], "tok/s"), 30.4);
    let read = read_text("t.md", &table("Average decode tok/s", "31.2"));
    assert_eq!(value(runs(&read)[0], "decode tok/s"), 30.4);
    // The median of 31.0, 31.0, 31.6 is 31.0, and that of the others 29.8.
    assert_eq!(most(&read_text("t.md", &table("median", "31.0"))), 3);
    // 33.3 is neither: it may be anything.
    assert_eq!(runs(&read_text("t.md", &table("Mean tok/s", "33.3"))).len(), 2);
}

/// `With` alone is no label: what was there or not belongs to it.
#[test]
fn sides_with_and_without_something_keep_its_name() {
    let text = "| size | Without Fix (tok/s) | With Fix (tok/s) |\n|---|---|---|\n| 16 | 61.9 | 79.8 |\n| 32 | 21.3 | 79.7 |\n";
    let read = read_text("t.md", text);
    assert_eq!(read.variant_names(), ["Without Fix", "With Fix"]);
    assert_eq!(value(runs(&read)[0], "tok/s"), 61.9);
    let text = "| Metric | Without MTP | With MTP |\n|---|---|---|\n| Generation tokens/sec | 7.71 | 10.15 |\n| response time | 18.42 s | 13.99 s |\n";
    assert_eq!(read_text("t.md", text).variant_names(), ["Without MTP", "With MTP"]);
    let text = "| size | without cache TTFT | with cache TTFT |\n|---|---|---|\n| 16 | 61.9 | 59.8 |\n| 32 | 81.3 | 79.7 |\n";
    let read = read_text("t.md", text);
    assert_eq!(read.variant_names(), ["without cache", "with cache"]);
}

/// A third column under the metrics of two sides is a side as well, in several words too.
#[test]
fn a_column_beside_two_sides_is_one_of_them() {
    let text = "| Input | 优化后 TPOT | 优化前 TPOT | PD TP=1 TPOT | vs PD TP=1 |\n|---|---|---|---|---|\n\
                | 128 | **47.3 ms** | 69.9 ms | 44.8 ms | +5.6% |\n| 256 | **46.5 ms** | 68.9 ms | 44.0 ms | +5.7% |\n";
    let read = read_text("t.md", text);
    assert_eq!(read.variant_names(), ["优化后", "优化前", "PD TP=1"]);
    assert_eq!((read.groups.len(), runs(&read).len()), (2, 6));
}

/// Versions of something that come back are builds: they are the variants where nothing else is, and else a setting that
/// several of these share.
#[test]
fn versions_commits_and_images_are_builds() {
    let table = |name: &str| {
        format!(
            "date,model,{name},tok_s\n2024-01-02,a,0.5.1,100.5\n2024-01-03,b,0.5.1,200.5\n2024-02-02,a,0.6.0,110.5\n\
             2024-02-03,b,0.6.0,210.5\n2024-02-04,b,0.6.0,212.5\n"
        )
    };
    for name in ["vllm_version", "docker image", "engine_commit_hash"] {
        let read = read_text("t.csv", &table(name));
        assert_eq!((read.variant_names(), most(&read)), (vec!["0.5.1", "0.6.0"], 2), "{name}");
    }
    // Each version was measured on a day of its own, and with another library.
    let text = "date,model,torch_version,vllm_version,tok_s\n2024-01-02,a,2.3.0,0.5.1,100.5\n2024-01-02,b,2.3.0,0.5.1,200.5\n\
                2024-02-02,a,2.4.0,0.6.0,110.5\n2024-02-02,b,2.4.0,0.6.0,210.5\n";
    let read = read_text("t.csv", text);
    assert_eq!((read.groups.len(), most(&read), read.variant_names().len()), (2, 1, 2));
    let text = "engine,driver_version,tok_s\na,5.1,100.5\na,5.2,110.5\nb,5.1,120.5\nb,5.2,130.5\na,5.1,101.5\n";
    let read = read_text("t.csv", text);
    assert_eq!((read.variant_names(), read.groups.len(), most(&read)), (vec!["a", "b"], 2, 2));
    // Each variant has one: that tells nothing apart.
    let text = "engine,image,tok_s\na,x/a:1,100.5\na,x/a:1,110.5\nb,x/b:2,120.5\nb,x/b:2,130.5\n";
    assert_eq!(most(&read_text("t.csv", text)), 2);
}

/// Words behind the results are remarks on them, and words that tell runs apart are none.
#[test]
fn words_behind_the_results_are_remarks() {
    let text = "| Workload | Build | Output tok/s | Result |\n|---|---|---|---|\n| Chat | baseline | 3252.81 | baseline |\n\
                | Chat | patched | 3453.59 | ahead of vLLM |\n| Sum | baseline | 2084.86 | baseline |\n| Sum | patched | 2171.86 | ahead of vLLM |\n";
    let read = read_text("t.md", text);
    assert!(read.said.is_empty() && read.groups.len() == 2, "{:?}", read.said);
    assert!(read.groups.iter().all(|group| !group.workload.other.contains_key("Result")));
    let text = "| Build | tok/s | Data |\n|---|---|---|\n| a | 3252.8 | short prompts |\n| a | 3153.9 | long prompts |\n| b | 3284.8 | short prompts |\n| b | 3271.8 | long prompts |\n";
    assert_eq!(read_text("t.md", text).groups.len(), 2);
}

/// The tag of a program before keys and values is no part of them, and a side that one part of a text explains is that of the
/// others.
#[test]
fn tags_and_explanations_of_sides_name_nothing_else() {
    let text = "**Before — all in f32:**\n```\n[rs/decode] hot=8  ffn=2412.50ms  total=2476.70ms\n```\n\n**After — native:**\n```\n\
                [rs/decode] hot=8  ffn=25.56ms  total=82.62ms\n```\n\n| Engine | Before (tok/s) | After (tok/s) |\n|---|---|---|\n\
                | `markov` | 0.4 | 7.3 |\n| `quant` | 0.5 | 17.7 |\n";
    let read = read_text("t.md", text);
    assert_eq!(read.variant_names(), ["Before", "After"]);
    assert!(
        runs(&read)
            .iter()
            .any(|run| run.metrics.get("ffn (ms)").is_some_and(|v| v.value == 2412.5))
    );
    // Where both have values of one metric they are two.
    let text = "| Build | tok/s |\n|---|---|\n| main | 7.3 |\n| main — fp8 | 17.7 |\n";
    assert_eq!(read_text("t.md", text).variant_names().len(), 2);
}

/// Columns of one quantity are builds although one of them is called ours, below headings as well.
#[test]
fn columns_of_builds_with_ours_among_them_are_builds() {
    let table = |name: &str| {
        format!(
            "## {name}\n\n| Concurrent | ours-w1 | mlx-lm | oMLX |\n|---|---|---|---|\n| 1 | 74.3 (1.0) | 74.8 (0.7) | **97.1** (0.7) |\n\
             | 8 | 122.9 (5.1) | **190.2** (5.0) | 178.5 (1.5) |\n| 16 | 136.3 (8.0) | **209.8** (10.0) | 193.3 (1.9) |\n\n"
        )
    };
    let read = read_text("t.md", &(table("Prompt-heavy") + &table("Output-heavy")));
    assert_eq!(read.variant_names(), ["ours-w1", "mlx-lm", "oMLX"]);
    assert_eq!((read.groups.len(), most(&read)), (6, 1));
}

/// A name in the corner is what repeats, sizes and sides below it hold, and a column of summaries beside them changes nothing.
#[test]
fn corners_name_what_the_columns_hold() {
    let text = "| 接口就绪耗时（毫秒） | 第1次 | 第2次 | 第3次 | 中位数 |\n|---|---|---|---|---|\n| 优化前 | 5175 | 3948 | 3853 | 3948 |\n| 优化后 | 1480 | 161 | 136 | 161 |\n";
    let read = read_text("t.md", text);
    assert_eq!((read.variant_names(), most(&read)), (vec!["优化前", "优化后"], 3));
    assert_eq!(value(runs(&read)[0], "接口就绪耗时（毫秒）"), 5175.0);
    // `N=8` over a column is a size, beside the names of builds.
    let text = "Decoding:\n\n```text\nTPOT (mean)                    N=1       N=8      N=16      N=32\n\
                --------------------------------------------------------------\n\
                full                       114.7ms   294.3ms   448.5ms   793.9ms\nhh                         129.2ms   153.2ms   169.2ms   185.8ms\n\
                hh_merge                   133.6ms   171.9ms   177.5ms   192.0ms\n```\n";
    let read = read_text("t.md", text);
    assert_eq!((read.variant_names(), read.groups.len()), (vec!["full", "hh", "hh_merge"], 4));
    // 371.64 / 136.23 = 2.73 and 731.96 / 190.34 = 3.85.
    let text = "| Users | vLLM (tok/s) | SGLang (tok/s) | Factor |\n|---|---|---|---|\n| 5 | 371.64 | 136.23 | vLLM 2.7x |\n| 10 | 731.96 | 190.34 | vLLM 3.8x |\n";
    let read = read_text("t.md", text);
    assert_eq!((read.variant_names(), read.groups.len()), (vec!["vLLM", "SGLang"], 2));
}

/// Words under the name of an identifier that come back for every variant are what was done: 105.05 and 98.60 are no two runs
/// of one.
#[test]
fn words_that_come_back_under_an_identifier_are_kept_apart() {
    let text = "| Binary | Request | tok/s (3 runs) |\n|---|---|---|\n| main | plain | 105.05, 104.96, 106.10 |\n| main | `ignore_eos: true` | 98.60, 98.45, 98.83 |\n\
                | branch | plain | 104.96, 105.57, 105.31 |\n| branch | `ignore_eos: true` | 104.70, 103.34, 105.75 |\n";
    let read = read_text("t.md", text);
    assert_eq!((read.groups.len(), most(&read), runs(&read).len()), (2, 3, 12));
}

/// Headers that number runs over several quantities, and numbers that can only be sizes.
#[test]
fn numbered_quantities_are_runs_and_what_doubles_is_a_size() {
    let text = "| Streams | ANE ms/token (run 1) | ANE tok/s (run 1) | ANE ms/token (run 2) | Torch ms/token (run 1) | ANE tok/s (run 2) | Torch tok/s (run 1) | Torch ms/token (run 2) | Torch tok/s (run 2) |\n\
                |---|---|---|---|---|---|---|---|---|\n| 1 | 2.29 | 435.9 | 2.19 | 15.37 | 455.5 | 65.03 | 15.45 | 64.72 |\n\
                | 2 | 1.18 | 845.2 | 1.19 | 8.18 | 836.0 | 122.1 | 8.29 | 120.4 |\n";
    let read = read_text("t.md", text);
    assert_eq!(
        (read.variant_names(), read.groups.len(), most(&read)),
        (vec!["ANE", "Torch"], 2, 2)
    );
    assert!(runs(&read).iter().all(|run| run.metrics.len() == 2));
    let text = "| EP/GPU 数 | 总吞吐 (tok/s) | TTFT (ms) |\n|---|---|---|\n| 2 | 11,443 | 1,205 |\n| 4 | 13,920 | 871 |\n| 8 | 18,492 | 701 |\n";
    let read = read_text("t.md", text);
    assert_eq!((read.groups.len(), most(&read)), (3, 1));
    // A device and a date beside the names of cases.
    let text = "| Model | Device | MLX | llama.cpp | Measured |\n|---|---|---|---|---|\n| Nemotron 4B | M4 | 176.8 | 88.4 | 2026-09-04 |\n\
                | Granite 350M | M4 | 521.7 | 282.5 | 2026-09-05 |\n| Granite 1B | M4 | 275.8 | 141.9 | 2026-09-05 |\n";
    let read = read_text("t.md", text);
    assert_eq!((read.variant_names(), read.groups.len()), (vec!["MLX", "llama.cpp"], 3));
}
