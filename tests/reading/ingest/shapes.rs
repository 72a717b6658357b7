//! Shapes in which people paste and export results: who the sides are, what a run is, what is no result. Expected values are those of
//! the cells in the text beside the assertion.

use std::fmt::Write as _;

use super::{
    Files, are, block, claims, close, labels, line, read_text, runs, seen, try_load, value,
};

fn refused(name: &str, text: &str) -> String {
    let files = Files::new(&[(name, text)]);
    try_load(&[&files.path(name)]).expect_err("no result").to_string()
}

/// Each metric under each name, whatever words they have; a name with a word for a setting in it, `CoreML`, is a name.
#[test]
fn names_crossed_with_metrics_are_sides() {
    let text = "| Streams | ANE ms/token | ANE peak mem (MB) | CoreML ms/token | CoreML peak mem (MB) |\n|---|---|---|---|---|\n\
                | 1 | 2.29 | 310 | 15.38 | 420 |\n| 2 | 1.18 | 330 | 8.19 | 455 |\n";
    let read =
        are(text, "mem", &[("ANE", 310.0), ("CoreML", 420.0), ("ANE", 330.0), ("CoreML", 455.0)]);
    assert_eq!(read.groups.len(), 2);
    // A part of the work is no side.
    let parts = text.replace("ANE", "Prefill").replace("CoreML", "Decode");
    assert_eq!(labels(&read_text("t.md", &parts)), ["t"]);
}

/// A third build that only one metric has does not take the two sides from the others.
#[test]
fn a_reference_in_one_metric_is_a_variant() {
    let text = "| Batch | Baseline tok/s | Optimized tok/s | HF generate tok/s | Baseline peak | Optimized peak |\n\
                |---|---|---|---|---|---|\n| 1 | 158.7 | 173.2 | 100.7 | 589 MiB | 523 MiB |\n| 8 | 714.3 | 810.2 | 518.1 | 798 MiB | 591 MiB |\n";
    let read = are(
        text,
        "tok",
        &[
            ("Baseline", 158.7),
            ("Optimized", 173.2),
            ("HF generate", 100.7),
            ("Baseline", 714.3),
            ("Optimized", 810.2),
            ("HF generate", 518.1),
        ],
    );
    assert_eq!(seen(&read, "peak").len(), 4);
}

/// A unit over the first of two columns that a third one compares is that of both; another quantity of one is left out.
/// 0.122 / 0.092 = 1.3, 0.389 / 0.101 = 3.9, 0.606 / 0.195 = 3.1.
#[test]
fn a_unit_over_the_first_side_is_that_of_both() {
    let text = "| ctx | Triton (ms) | CUDA | speedup | CUDA GB/s |\n|---|---|---|---|---|\n| 2048 | 0.122 | 0.092 | 1.3x | 23 |\n\
                | 8192 | 0.389 | 0.101 | 3.9x | 83 |\n| 16384 | 0.606 | 0.195 | 3.1x | 172 |\n";
    let expected = [0.122, 0.092, 0.389, 0.101, 0.606, 0.195];
    let sides = ["Triton", "CUDA"].into_iter().cycle();
    let expected: Vec<(&str, f64)> = sides.zip(expected).collect();
    are(text, "time", &expected);
}

/// Two metrics before and after a change are the sides also beside a column of configurations.
#[test]
fn sides_over_columns_outweigh_a_column_of_configurations() {
    let text = "| config | tok/s before | tok/s after | ms before | ms after |\n|---|---|---|---|---|\n| a | 46.4 | 45.4 | 417.8 | 408.6 |\n\
                | b | 88.9 | 87.1 | 18.5 | 64.6 |\n";
    assert_eq!(labels(&read_text("t.md", text)), ["after", "before"]);
}

/// Labels in a line above the title of a block stand over its columns.
#[test]
fn labels_above_the_title_of_a_block_are_those_of_its_columns() {
    let two = |label: &str, a: &str, b: &str| format!("{label:<41}{a:<15}{b}\n");
    let text = format!(
        "```\n{}{}\n{}{}{}{}\n```\n",
        two("", "Baseline", "with #10472"),
        "==================== Serving Benchmark Result ====================",
        two("Successful requests:", "512", "512"),
        two("Benchmark duration (s):", "73.03", "68.00"),
        two("Mean TTFT (ms):", "1043.60", "968.90"),
        "=".repeat(66)
    );
    are(&text, "mean_ttft", &[("Baseline", 1043.6), ("with #10472", 968.9)]);
}

/// Of tests that ran for the same time the number of requests is a result: they are compared. Counts that people set are round.
#[test]
fn the_requests_of_tests_of_a_fixed_time_are_a_result() {
    let block = |cap: u32, requests: u32, duration: f64| {
        block(Some(cap), duration, 80.5).replace(
            &line("Successful requests:", "10"),
            &line("Successful requests:", &requests.to_string()),
        )
    };
    let text = |counts: [u32; 4], durations: [f64; 2]| {
        format!(
            "main\n```\n{}{}```\npr\n```\n{}{}```\n",
            block(2, counts[0], durations[0]),
            block(32, counts[1], durations[1]),
            block(2, counts[2], durations[0]),
            block(32, counts[3], durations[1])
        )
    };
    let read = read_text("t.md", &text([214, 1187, 171, 1042], [60.21, 61.08]));
    assert_eq!(read.groups.len(), 2);
    assert!(runs(&read).iter().all(|run| run.workload.requests.is_none()));
    assert_eq!(runs(&read)[0].info.completed, Some(214));
    for (counts, durations) in
        [([200, 1000, 250, 1000], [60.21, 61.08]), ([214, 1187, 171, 1042], [60.21, 161.08])]
    {
        let read = read_text("t.md", &text(counts, durations));
        assert!(runs(&read).iter().all(|run| run.workload.requests.is_some()), "{counts:?}");
    }
}

/// A rate that differs between the sides was reached, and is no load; one that is the same was set.
#[test]
fn a_rate_that_differs_between_the_sides_is_measured() {
    let table = |before: &str, after: &str| {
        format!(
            "|指标|合入前|合入后|变化|\n|-|-|-|-|\n|TTFT均值|1.87s|1.62s|↓13.4%|\n|QPS|{before}|{after}|↑6.9%|\n"
        )
    };
    let read = read_text("t.md", &table("2.31", "2.47"));
    assert_eq!(read.groups.len(), 1);
    let rates: Vec<f64> = runs(&read).iter().map(|run| value(run, "request_throughput")).collect();
    assert_eq!(rates, [2.31, 2.47]);
    let read = read_text("t.md", &table("4", "4"));
    assert!(runs(&read).iter().all(|run| !run.metrics.contains_key("request_throughput")));
}

/// Factors in a table of their own are changes of the values above them, and no results. 3231 tok/s against 3418 and 3652 is 1.06
/// and 1.13, 318.4 ms against 316.9 and 296.2 is 1.00 and 1.07.
#[test]
fn factors_in_a_table_of_their_own_are_claims() {
    let text = "|  | `main` | this PR | PR + graph |\n|:---|:---:|:---:|:---:|\n| Mean TTFT (ms) | 318.4 | 316.9 | 296.2 |\n\
                | Output throughput (tok/s) | 3,231 | 3,418 | 3,652 |\n\nSpeed-up over `main`:\n\n|  | this PR | PR + graph |\n|:---|:---:|:---:|\n\
                | Mean TTFT | 1.00x | 1.07x |\n| Output throughput | 1.06x | 1.23x |\n";
    let read = read_text("t.md", text);
    assert_eq!(runs(&read).len(), 3);
    let found = claims(&read);
    let stated: Vec<(&str, f64)> =
        found.iter().map(|(variant, _, size)| (&**variant, (size * 100.0).round())).collect();
    // 1.07 is the old time over the new one, a change of 1 - 1 / 1.07.
    assert_eq!(
        stated,
        [("this PR", 0.0), ("this PR", 6.0), ("PR + graph", 7.0), ("PR + graph", 23.0)]
    );
    let skipped = &read.inputs[0].skipped;
    assert!(
        skipped
            .iter()
            .any(|part| part.why.contains("changes of the values in the table at line 1")),
        "{skipped:?}"
    );
    // Factors that follow from no value are results of something else.
    let other =
        text.replace("1.06x | 1.23x", "3.06x | 4.23x").replace("1.00x | 1.07x", "2.00x | 5.07x");
    assert!(
        !read_text("t.md", &other).inputs[0]
            .skipped
            .iter()
            .any(|part| part.why.contains("changes of the values"))
    );
}

/// Names that alternate are what is compared, also where a part of one is a word for work: `io_uring`.
#[test]
fn names_that_alternate_are_sides_whatever_is_in_them() {
    let mut text = "| Script | Binary | Rep | Throughput |\n|---|---|---|---|\n".to_owned();
    for (script, values) in
        [("tpcb", [142.5, 149.5, 143.0, 150.5]), ("read", [88.75, 88.5, 87.75, 87.5])]
    {
        for (at, value) in values.iter().enumerate() {
            let binary = ["release", "io_uring branch"][at % 2];
            let _ = writeln!(text, "| {script} | {binary} | #{} | {value} tps |", at / 2 + 1);
        }
    }
    let read = read_text("t.md", &text);
    assert_eq!(labels(&read), ["io_uring branch", "release"]);
    assert_eq!(read.groups.len(), 2);
}

/// Headings that differ in a date are builds; in a number alone they are sizes of the work.
#[test]
fn dates_over_tables_are_builds() {
    let text = |a: &str, b: &str| {
        let table = |x: &str| {
            format!("| rate | mean_ttft_ms |\n|---|---|\n| 2 | {x}.5 |\n| 8 | {x}.25 |\n\n")
        };
        format!("{a}:\n\n{}{b}:\n\n{}", table("141"), table("143"))
    };
    let read = read_text("t.md", &text("nightly 2025-09-14", "nightly 2025-09-21"));
    assert_eq!(labels(&read), ["nightly 2025-09-14", "nightly 2025-09-21"]);
    assert_eq!(labels(&read_text("t.md", &text("length 512", "length 1024"))), ["t"]);
}

/// Commands that `perf stat` measured are the sides. It prints the standard error of the mean: 0.00702 s of 9 runs are 0.02106 s.
#[test]
fn commands_of_perf_stat_are_sides() {
    let block = |command: &str, time: &str, error: &str| {
        format!(
            "\n Performance counter stats for '{command}' (9 runs):\n\n          2,184.37 msec task-clock   #    0.998 CPUs utilized   ( +-  0.32% )\n\n           \
             {time} +- {error} seconds time elapsed  ( +-  0.32% )\n"
        )
    };
    let text = block("./pack-a x.tar", "2.19375", "0.00702")
        + &block("./pack-b x.tar", "1.97901", "0.00915");
    let read =
        are(&text, "wall_time_s", &[("./pack-a x.tar", 2.19375), ("./pack-b x.tar", 1.97901)]);
    let spread = runs(&read)[0].info.spreads["wall_time_s"];
    assert_eq!(spread.runs, 9);
    close(spread.sd, 0.0032 * 2.19375 * 3.0);
    // A number behind a command is a size of its work.
    let sizes =
        block("./pack 10", "2.19375", "0.00702") + &block("./pack 20", "1.97901", "0.00915");
    assert_eq!(labels(&read_text("t.md", &sizes)), ["t"]);
}

/// Both sides on a line behind the size of its work, in any order of words.
#[test]
fn both_sides_on_a_line_are_read() {
    for text in [
        "- `M=1`: before 13.84 us, after 11.27 us (-18.6%)\n- `M=16`: before 15.31 us, after 13.02 us (-15.0%)\n",
        "- M=1: 13.84 us before, 11.27 us after (-18.6%)\n- M=16: 15.31 us before, 13.02 us after\n",
        "- M=1: before: 13.84 us, after: 11.27 us\n- M=16: before: 15.31 us, after: 13.02 us\n",
    ] {
        let read = are(
            text,
            "time",
            &[("before", 13.84), ("after", 11.27), ("before", 15.31), ("after", 13.02)],
        );
        assert_eq!(read.groups.len(), 2, "{text}");
    }
}

/// A table of settings with words among them is no result, whatever its columns are called.
#[test]
fn settings_of_two_systems_are_no_result() {
    let text = "| Setting | A | B |\n|---|---|---|\n| max batch | 256 | 256 |\n| KV dtype | fp8 | bf16 |\n| mem fraction | 0.88 | 0.85 |\n";
    assert!(refused("t.md", text).contains("found settings under \"Setting\""));
    let measured = text
        .replace("fp8 | bf16", "1.5 | 2.5")
        .replace("max batch", "p50")
        .replace("Setting | A | B", "Config | A (ms) | B (ms)");
    assert!(!runs(&read_text("t.md", &measured)).is_empty());
}

/// What people write below the output of a program is checked as what they write below a table. 22105.53 / 21309.78 = 1.037.
#[test]
fn sentences_around_printed_results_are_claims() {
    let part = |rate: &str| {
        format!(
            "```\n===========\n= PERFORMANCE OVERVIEW \n===========\nRequest Throughput (req/sec):   20.81\nTotal Output Throughput (tokens/sec):   {rate}\n```\n\n"
        )
    };
    let text = format!(
        "## main\n{}## this MR\n{}Total output throughput is up 3.7%, and average TTFT drops by 9%.\n",
        part("21309.7778"),
        part("22105.5309")
    );
    let found = claims(&read_text("t.md", &text));
    let sizes: Vec<f64> = found.iter().map(|(.., size)| (size * 1000.0).round() / 1000.0).collect();
    assert_eq!(sizes, [0.037, 0.09]);
}

/// One value beside a list of repeats is that of one run: as a value of each it would be one without noise. A mean of the list is none
/// at all.
#[test]
fn a_value_beside_a_list_of_repeats_counts_once() {
    let text = "| build | tok/s (3 runs) | mean | TTFT |\n|---|---|---|---|\n| base | 65.25 / 68.5 / 75.5 | 69.75 | 67.5 s |\n| new | 86.5 / 86.75 / 86.25 | 86.5 | 67.25 s |\n";
    let read = read_text("t.md", text);
    assert_eq!(runs(&read).len(), 6);
    let times: Vec<(String, f64)> = seen(&read, "ttft");
    assert_eq!(times, [("base".to_owned(), 67_500.0), ("new".to_owned(), 67_250.0)]);
    assert!(runs(&read).iter().all(|run| run.metrics.keys().count() < 3));
}

/// Tables of the same builds below words for parts of the work are workloads.
#[test]
fn names_below_words_for_work_are_what_is_compared() {
    let table = |a: &str, b: &str| {
        format!("| Path | down (us) |\n|---|---|\n| Marlin | {a} |\n| CUTLASS | {b} |\n\n")
    };
    let text = format!(
        "Decode GEMM-only:\n\n{}Prefill GEMM-only:\n\n{}",
        table("14.75", "27.25"),
        table("1418.5", "677.75")
    );
    let read = read_text("t.md", &text);
    assert_eq!(
        (labels(&read), read.groups.len()),
        (vec!["CUTLASS".to_owned(), "Marlin".to_owned()], 2)
    );
}

/// Counts of builds that failed and tests that passed are none of requests, tokens that a run spent are no load, and what rises in
/// every variant by chance is no sweep where a column numbers the rows.
#[test]
fn what_runs_did_does_not_tell_them_apart() {
    let text = "arm,trial,build_failures,tests_passed,total_input_tokens,input_excl,wall_seconds\na,1,19,232,51638016,471,751.5\na,2,14,231,70350305,683,791.25\n\
                a,3,17,230,81387176,799,803.75\nb,1,9,228,45059900,432,702.5\nb,2,12,229,49059900,481,699.25\nb,3,8,230,61059900,597,710.5\n";
    let read = read_text("t.csv", text);
    assert_eq!(read.groups.len(), 1, "{read:?}");
    let counts: Vec<usize> =
        read.groups[0].variants.iter().map(|variant| variant.runs.len()).collect();
    assert_eq!(counts, [3, 3]);
}

/// Samples of a machine and the settings of a test are no results.
#[test]
fn telemetry_and_settings_are_refused() {
    let text = "timestamp,power.draw,temperature.gpu,utilization.gpu,memory.used\n2026-06-01T00:00:00Z,95.5,55,45,10240\n\
                2026-06-01T00:00:01Z,120.25,57,62,11800\n2026-06-01T00:00:02Z,130.5,58,68,12150\n";
    assert!(refused("t.csv", text).contains("samples of a run over time"));
    let config = "{\"requests\": [{\"method\": \"GET\", \"connections\": 1, \"rate\": 1}], \"host\": \"http://a\", \"duration\": 5}";
    refused("t.json", config);
    assert_eq!(runs(&read_text("t.json", "{\"duration\": 5.25}")).len(), 1);
}

/// JMH in a language with decimal commas, and several of its tables in one text: the same rows below other words are no repeats.
#[test]
fn jmh_with_commas_and_in_several_tables() {
    let csv = "\"Benchmark\",\"Mode\",\"Threads\",\"Samples\",\"Score\",\"Score Error (99,9%)\",\"Unit\",\"Param: size\"\n\
               \"a.B.c\",\"avgt\",1,2,\"0,697424\",NaN,\"ms/op\",100\n\"a.B.c\",\"avgt\",1,2,\"2,902599\",NaN,\"ms/op\",200\n";
    let read = read_text("t.csv", csv);
    let times: Vec<f64> = runs(&read).iter().map(|run| value(run, "time_per_op_ns")).collect();
    close(times[0], 697_424.0);
    close(times[1], 2_902_599.0);
    let table = |score: &str| {
        format!(
            "//Benchmark  (type)  Mode  Cnt    Score    Error  Units\n//B.select     ref  avgt   15  {score} ±  1.951  us/op\n"
        )
    };
    let text = format!(
        "{}//\n//Simulating latency of 100 us with\n{}",
        table("151.573"),
        table("575.669")
    );
    assert_eq!(read_text("t.txt", &text).groups.len(), 2);
}

/// critcmp prints averages: it is refused by its name.
#[test]
fn averages_of_critcmp_are_refused() {
    let text = "```\ngroup                 main                                   pr\n-----                 ----                                   --\n\
                large/dataset.py      1.15      7.5±0.05ms     5.5 MB/sec    1.00      6.5±0.08ms     6.3 MB/sec\n```\n";
    assert!(refused("t.md", text).contains("averages, printed by critcmp"));
}

/// A ruler of dashes alone, none at all, and a column with words among the values; a table of both sides repeats those of each.
#[test]
fn tables_of_pipes_are_read_with_and_without_rulers() {
    let rows = "Load   | Requests/sec | Latency (avg) | Errors\n---------------------------------------\nhome   |  420.5  |   2.55ms   | 0\n\
                small  |  415.25  |   2.67ms   | 7 timeouts\nlarge  |   186.5  |  514.75ms   | 1 timeout\n";
    let bare: Vec<&str> = rows.lines().filter(|line| !line.starts_with("---")).collect();
    let bare = bare.join("\n") + "\n";
    for text in [rows, &bare] {
        let found = seen(&read_text("t.md", &format!("```\n{text}```\n")), "latency");
        let values: Vec<f64> = found.iter().map(|(_, value)| *value).collect();
        assert_eq!(values, [2.55, 2.67, 514.75], "{text}");
    }
    let other =
        rows.replace("420.5", "450.25").replace("415.25", "520.5").replace("186.5", "190.25");
    let summary = "| Load | Before | After | Change |\n|---|---|---|---|\n| home | 420.5 | 450.25 | +7.1% |\n| small | 415.25 | 520.5 | +25.3% |\n\
                   | large | 186.5 | 190.25 | +2.0% |\n";
    let text = format!(
        "### Before Tuning\n\n```\n{rows}```\n\n### After Tuning\n\n```\n{other}```\n\n### Summary\n\n{summary}"
    );
    let read = read_text("t.md", &text);
    assert_eq!(
        (labels(&read), runs(&read).len()),
        (vec!["After Tuning".to_owned(), "Before Tuning".to_owned()], 6)
    );
}

/// A part of a sentence that says what stayed the same is about another quantity.
#[test]
fn what_stayed_the_same_is_no_part_of_a_claim() {
    let text = "| Branch | images/min |\n|---|---|\n| master | 50.22 |\n| fast | 53.12 |\n\nSo roughly 9% more images per minute with fast, VRAM is the same.\n";
    let found = claims(&read_text("t.md", text));
    assert_eq!(found[0].1, "So roughly 9% more images per minute with fast");
}

/// Labels with settings of their own are builds; values of one setting are sizes.
#[test]
fn labels_with_settings_in_them_are_builds() {
    let text = |a: &str, b: &str| {
        format!(
            "| 臂 | TTFT (ms) | TPOT (ms) |\n|---|---|---|\n| {a} | 11726.5 | 114.25 |\n| {b} | 2488.75 | 56.5 |\n"
        )
    };
    let builds = |text: &str| {
        let options = beyondnoise::read::Options {
            purpose: beyondnoise::read::Purpose::Comparison,
            ..Default::default()
        };
        let files = Files::new(&[("t.md", text)]);
        let loaded =
            beyondnoise::read::load(&[files.path("t.md")], &options).expect("a readable text");
        labels(&loaded.dataset)
    };
    assert_eq!(builds(&text("chunked MBT=256", "layered G=8")), ["chunked MBT=256", "layered G=8"]);
    assert_eq!(builds(&text("bs=1", "bs=8")), ["t"]);
}

/// Labels that join the work and the side; both sides stand with each piece of work.
#[test]
fn labels_that_join_work_and_side_are_taken_apart() {
    let part =
        |label: &str, ttft: f64| format!("{label}\n```\n{}```\n", block(Some(4), 60.5, ttft));
    let text = part("8B, main", 71.5)
        + &part("8B, this PR", 67.25)
        + &part("32B, main", 214.5)
        + &part("32B, this PR", 203.75);
    let read = read_text("t.md", &text);
    assert_eq!(
        (labels(&read), read.groups.len()),
        (vec!["main".to_owned(), "this PR".to_owned()], 2)
    );
    // Without both sides they are labels as they are.
    let other = text.replace("main", "H100").replace("this PR", "H200");
    assert_eq!(labels(&read_text("t.md", &other)).len(), 4);
}

/// The words that a program prints above each of its tables are no label; a bracket may hold a version, and a line with the time that
/// something took is none.
#[test]
fn titles_that_a_program_prints_are_no_labels() {
    let table = |latency: &str| {
        format!(
            "+---------------------+-----------+\n| Key                 | Value     |\n+=====================+===========+\n\
                 | Average latency (s) | {latency}   |\n+---------------------+-----------+\n\n"
        )
    };
    for (label, other) in [
        ("main", "patched"),
        ("Image tag 2026.02", "Image tag 2026.03"),
        ("【0.9.1】", "【0.11.0rc1】"),
    ] {
        let text = format!(
            "{label}\n\nSummary:\n{}{other}\n\nSummary:\n{}",
            table("15.7748"),
            table("16.9116")
        );
        let bare = |label: &str| label.trim_matches(['【', '】']).to_owned();
        let mut expected = [bare(label), bare(other)];
        expected.sort();
        assert_eq!(labels(&read_text("t.md", &text)), expected, "{text}");
    }
    let text = format!(
        "```\n$ bench run\ndone in 402.8 s\n   summary (5.3.1)\n{}$ bench run\ndone in 331.6 s\n   summary (5.4.0)\n{}```\n",
        table("15.7748"),
        table("16.9116")
    );
    let read = read_text("t.md", &text);
    assert!(labels(&read).iter().all(|label| label.contains("5.")), "{:?}", labels(&read));
}

/// A label may have flags behind it, a variable of the shell may be one, and so may the comment behind a command.
#[test]
fn labels_with_flags_variables_and_comments_are_labels() {
    let timings = |time: &str, rate: &str| {
        format!(
            "prompt eval time =    1583.27 ms /  2216 tokens (    0.71 ms per token,  1399.63 tokens per second)\n       \
                 eval time =   {time} ms /   731 tokens (   29.92 ms per token,    {rate} tokens per second)\n      total time =   23457.90 ms /  2947 tokens\n\n"
        )
    };
    let text = format!(
        "baseline, -ncmoe 30 -ub 1024\n{}new flags, -ncmoe 18 -ub 384\n{}",
        timings("21874.63", "33.42"),
        timings("13502.18", "54.14")
    );
    assert_eq!(
        labels(&read_text("t.md", &text)),
        ["baseline, -ncmoe 30 -ub 1024", "new flags, -ncmoe 18 -ub 384"]
    );
    let lines = |a: &str, b: &str| {
        let part = |x: &str| {
            format!(
                "batch size 1\nAvg latency: 1.0{x} seconds\nAvg latency: 1.1{x} seconds\nbatch size 32\nAvg latency: 2.0{x} seconds\nAvg latency: 2.1{x} seconds\n\n"
            )
        };
        format!("B={a}\n{}B={b}\n{}", part("25"), part("75"))
    };
    let read = read_text("t.md", &lines("FLASHINFER", "TRITON"));
    assert_eq!((labels(&read).len(), read.groups.len(), runs(&read).len()), (2, 2, 8));
    let logs = format!(
        "$ kubectl logs job/r118   # old image\n{}\n$ kubectl logs job/r121   # new image\n{}",
        block(Some(4), 60.5, 71.5),
        block(Some(4), 60.5, 67.5)
    );
    assert_eq!(labels(&read_text("t.txt", &logs)), ["new image", "old image"]);
}

/// A rate may be called `req_s`, and the numbers of a printed frame may stand before words.
#[test]
fn rates_and_frames_are_read() {
    let text = "```\nIn [1]: df\nOut[1]:\n       mode  clients  ttft_p50_ms     req_s\n0     eager        4       287.41     2.613\n1     eager       16       455.06     8.387\n\
                2  compiled        4       271.18     3.189\n3  compiled       16       431.77    10.114\n```\n";
    let read = read_text("t.txt", text);
    let rates: Vec<f64> = runs(&read)
        .iter()
        .filter_map(|run| run.metrics.get("request_throughput"))
        .map(|value| value.value)
        .collect();
    assert_eq!(rates.len(), 4, "{read:?}");
    let table = "| build | it/s |\n|---|---|\n| base | [64.12, 65.90, 63.58] |\n| new | [70.46, 71.84, 69.97] |\n";
    assert_eq!(runs(&read_text("t.md", table)).len(), 6);
    // Two numbers in brackets are an interval.
    let interval = table.replace(", 63.58]", "]").replace(", 69.97]", "]");
    refused("t.md", &interval);
}

/// Arrows behind names of programs are of these; the line above names the sides.
#[test]
fn arrows_behind_names_of_programs_are_their_work() {
    let text = "Median of 5, main vs. this branch:\n\n* `rms_norm` (4096 x 5120): 38.6 µs → 29.1 µs (-24.6 %)\n* `rope_inplace` (4096 x 40 x 128): 51.3 µs → 37.9 µs\n";
    let read = are(
        text,
        "time",
        &[("main", 38.6), ("this branch", 29.1), ("main", 51.3), ("this branch", 37.9)],
    );
    assert_eq!(read.groups.len(), 2);
    // A metric is none.
    assert_eq!(
        read_text("t.md", "* TTFT_p50: 38.6 ms → 29.1 ms\n* TTFT_p99: 51.3 ms → 37.9 ms\n")
            .groups
            .len(),
        1
    );
}

/// Letters for thousands, two values in a cell under headers with commas, the outcomes of requests.
#[test]
fn numbers_are_read_as_they_are_written() {
    let text = "**Prefill** (tok/s):\n\n| case | old | new |\n|---|---|---|\n| long | 1.26k | 1.99k |\n| mid | 796.5 | 1.37k |\n";
    are(text, "tok", &[("old", 1260.0), ("new", 1990.0), ("old", 796.5), ("new", 1370.0)]);
    let text = "| Clients | TPS (unpatched → patched) | CPU %, all threads (unpatched → patched) |\n|---|---|---|\n| 1 | 3911 → 4024 | 131 → 130 |\n| 8 | 24380 → 26517 | 790 → 771 |\n";
    assert_eq!(labels(&read_text("t.md", text)), ["patched", "unpatched"]);
    let text = "| KPI | Prev | Curr | Δ |\n|---|---|---|---|\n| Finished requests | 18 204 | 18 391 | +1.0 % |\n| Failed requests | 3 | 2 | |\n\
                | TTFT mean (ms) | 268.4 | 247.1 | -7.9 % |\n| ITL mean (ms) | 23.91 | 22.38 | -6.4 % |\n";
    let read = read_text("t.md", text);
    assert_eq!(read.groups.len(), 1);
    assert_eq!(runs(&read)[0].info.completed, Some(18_204));
    let found = claims(&read);
    assert!(found.iter().all(|(_, text, _)| !text.contains("requests")), "{found:?}");
}

/// A whole number of seconds is a result unless people set such numbers; text of any script is no fault.
#[test]
fn a_duration_alone_is_a_result_unless_it_is_round() {
    let json = |seconds: u32| format!("{{\"name\":\"serve\",\"duration_s\":{seconds}}}");
    let read = read_text("t.json", &json(412));
    assert_eq!(value(runs(&read)[0], "duration"), 412.0);
    refused("t.json", &json(60));
    let files = Files::new(&[(
        "t.md",
        "main: 634 MB \u{212a} 延迟 instead of 611 MB of \u{212a} latency\n",
    )]);
    assert!(try_load(&[&files.path("t.md")]).is_err());
}
