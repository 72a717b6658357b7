//! Texts of any program, known by its lines that come back, and other things that stand around results. Expected values are those of the
//! lines in the text beside the assertion.

use super::{Files, of, read_text, runs, shape, try_load, value};

fn is_refused(text: &str) -> bool {
    let files = Files::new(&[("t.md", text)]);
    try_load(&[&files.path("t.md")]).is_err()
}

/// Lines that come back with other numbers are printed by a program; the words above that do not come back name its parts.
#[test]
fn lines_that_come_back_are_results_of_the_parts_that_words_name() {
    let log = |speed: &str, time: &str| {
        format!(
            "```\n2026-04-02 11:20:17 INFO serve.py[97]: Performance(T/s): prefill {speed}, decode 13.508. Time(s): tokenize {time}, prefill 11.25\n```\n"
        )
    };
    let text =
        format!("v0.5.2:\n{}\nv0.5.3:\n{}", log("86.412", "0.0216"), log("91.077", "0.0221"));
    assert_eq!(shape(&text), of(["v0.5.2", "v0.5.3"], 1, 1));
    let read = read_text("t.md", &text);
    assert_eq!(value(runs(&read)[1], "prefill (T/s)"), 91.077);
    // The trials are repeats, since their number is printed; their average is none.
    let trials = |speeds: [&str; 3]| {
        let line = |(at, speed): (usize, &&str)| {
            format!("Trial {}:  prompt_tps={speed}, peak_memory=3.285\n", at + 1)
        };
        let lines: String = speeds.iter().enumerate().map(line).collect();
        format!(
            "```\nRunning warmup..\n{lines}Averages: prompt_tps={}, peak_memory=3.285\n```\n",
            speeds[1]
        )
    };
    let text = format!(
        "main\n{}\nfused-rope\n{}",
        trials(["2890.114", "2890.5", "2891.47"]),
        trials(["2903.882", "2904.2", "2904.901"])
    );
    assert_eq!(shape(&text), of(["main", "fused-rope"], 1, 3));
    // Below names that come back each part is of another work.
    let block = |time: &str| {
        format!(
            "```\nconcurrency: 128\nelapsed_time: {time}s\nfirst token latency(s): 4.402\nnumber of tokens: 2493\n```\n"
        )
    };
    let text = format!(
        "main\n\n7B batch-size 128\n{}\n13B batch-size 64\n{}\nthis repo\n\n7B batch-size 128\n{}\n13B batch-size 64\n{}",
        block("142.118"),
        block("193.55"),
        block("135.902"),
        block("188.041")
    );
    assert_eq!(shape(&text), of(["main", "this repo"], 2, 1));
    // A line of pipes, with the unit of what follows in front.
    let line = |time: &str, forward: &str| {
        format!(
            "```\niteration 4/ 4 | elapsed time per iteration (ms): {time} | learning rate: 1.451E-04 |\ntime (ms) | forward: {forward} | optimizer: 92637.16 |\n```\n"
        )
    };
    let text = format!(
        "Before:\n{}\nAfter:\n{}",
        line("298910.1", "53565.19"),
        line("338502.3", "79386.24")
    );
    assert_eq!(shape(&text), of(["Before", "After"], 1, 1));
    assert_eq!(value(runs(&read_text("t.md", &text))[1], "forward (ms)"), 79386.24);
}

/// Steps of one run, readings of several people and ranks are no repeats and no builds; one place has one name.
#[test]
fn steps_speakers_and_ranks_are_no_repeats() {
    let steps = |time: &str| {
        format!(
            "iteration 1: loss 2.31, time {time} s\niteration 2: loss 2.21, time 1.26 s\niteration 3: loss 2.11, time 1.24 s\n"
        )
    };
    let text = format!("old branch\n\n{}\nnew branch\n\n{}", steps("1.25"), steps("1.35"));
    assert_eq!(shape(&text), of(["old branch", "new branch"], 3, 1));
    for text in [
        "[12:00:01] vllm: TTFT: 33.2 ms\n[12:00:02] sglang: TTFT: 31.2 ms\n[12:01:01] vllm: TTFT: 33.4 ms\n[12:01:02] sglang: TTFT: 31.0 ms\n",
        "Rank 0:\nstep time: 1.23 s\nmemory: 40.2 GB\n\nRank 1:\nstep time: 1.24 s\nmemory: 40.3 GB\n",
        "alpha build\nbias: -1.5 ms, jitter: 2.5 ms\n\nbeta build\nbias: 1.5 ms, jitter: 3.5 ms\n",
    ] {
        assert!(is_refused(text), "{text}");
    }
}

/// Settings and lines of people are none of a program, and several values that no line counts are no repeats.
#[test]
fn settings_and_what_nothing_counts_are_no_results() {
    for text in [
        "## Free\nrequests: 3\nstorage: 10 GB\n\n## Pro\nrequests: 50\nstorage: 100 GB\n",
        "main\n```\nstep done, loss 0.412, took 1.23 s\nstep done, loss 0.398, took 1.21 s\n```\nbranch\n```\n\
         step done, loss 0.411, took 1.13 s\nstep done, loss 0.397, took 1.11 s\n```\n",
    ] {
        assert!(is_refused(text), "{text}");
    }
}

/// Tags of a runner, a chat, a notebook are no part of the lines.
#[test]
fn what_stands_before_every_line_is_no_part_of_it() {
    let text = "[10:05] Ann: before TTFT 642ms TPOT 23.8ms\n[10:06] Ann: after TTFT 603ms TPOT 22.7ms\n[10:07] Bob: fine\n";
    assert_eq!(shape(text), of(["before", "after"], 1, 1));
    let table = "   concurrency  req_per_s  ttft_mean_ms\n0            1       0.91         48.21\n1            8       5.92         77.65\n";
    let text = format!(
        "In [14]: print(df)   # main\n{table}\nIn [15]: print(df2)   # overlap\n{}",
        table.replace("0.91", "0.92")
    );
    assert_eq!(shape(&text), of(["main", "overlap"], 2, 1));
    let boxed = |mean: &str| {
        format!(
            "```\n[1] Running 5s test\n[1] ┌─────────┬───────┬──────────┐\n[1] │ Stat    │ 99%   │ Avg      │\n[1] ├─────────┼───────┼──────────┤\n\
                 [1] │ Latency │ 73 ms │ {mean} ms │\n[1] └─────────┴───────┴──────────┘\n```\n"
        )
    };
    let text = format!("`main`\n{}\nthis branch\n{}", boxed("22.12"), boxed("21.04"));
    assert_eq!(shape(&text), of(["main", "this branch"], 1, 1));
    let first = runs(&read_text("t.md", &text))[0].clone();
    assert_eq!(value(&first, "p99 Latency"), 73.0);
}

/// JSON on a line below the name of each side, also as Python prints it.
#[test]
fn lines_of_objects_are_rows() {
    let rows = |one: &str, other: &str| {
        format!(
            "```\n{{\"request_rate\": 1, \"median_ttft_ms\": {one}, \"ok\": true}}\n{{\"request_rate\": 2, \"median_ttft_ms\": {other}, \"ok\": true}}\n```\n"
        )
    };
    let text = format!("main\n{}\nthis pr\n{}", rows("33.40", "31.98"), rows("32.95", "30.12"));
    assert_eq!(shape(&text), of(["main", "this pr"], 2, 1));
    let text = text.replace('"', "'").replace("true", "True");
    assert_eq!(shape(&text), of(["main", "this pr"], 2, 1));
    let read = read_text("t.md", &text);
    let first = &runs(&read)[0].metrics["median_ttft_ms"];
    // 33.40 has two digits behind the point, half of the last of which is open.
    assert_eq!((first.value, first.resolution), (33.4, 0.005));
}

/// Values of a cell for several sizes are none of several runs.
#[test]
fn lists_for_sizes_are_no_repeats() {
    let text = "| | dev | this branch |\n|---|--:|--:|\n| prefill 4K / 16K / 32K tokens | 16 200 / 13 543 / 11 011 t/s | 23 003 / 18 890 / 14 876 t/s |\n\
                | decode 4K / 16K / 32K tokens | 335.8 / 298.2 / 263.1 t/s | 379.6 / 337.7 / 295.5 t/s |\n";
    assert_eq!(shape(text), of(["dev", "this branch"], 6, 1));
    let text = "| concurrency 1 / 8 / 32 | main | PR |\n|---|--:|--:|\n| TTFT ms | 16.2 / 35.4 / 110.1 | 15.1 / 33.0 / 99.8 |\n\
                | tok/s | 335.8 / 1298.2 / 2263.1 | 379.6 / 1337.7 / 2295.5 |\n";
    assert_eq!(shape(text), of(["main", "PR"], 3, 1));
    // Nothing names the sizes, but all lists fall.
    let text = "| | dev | this branch |\n|---|--:|--:|\n| prefill | 16200 / 13543 / 11011 t/s | 23003 / 18890 / 14876 t/s |\n\
                | decode | 335.8 / 298.2 / 263.1 t/s | 379.6 / 337.7 / 295.5 t/s |\n";
    assert_eq!(shape(text), of(["dev", "this branch"], 6, 1));
    let text = "| | main | PR |\n|---|---|---|\n| TTFT ms | 812 / 799 / 805 | 740 / 751 / 744 |\n| tok/s | 303 / 305 / 301 | 320 / 322 / 319 |\n";
    assert_eq!(shape(text), of(["main", "PR"], 1, 3));
}

/// Tables with lists below several headings are all read; sizes may stand in any column, and a quantity that is the same for all variants
/// was set.
#[test]
fn lists_of_several_tables_and_settings_among_values_are_read() {
    let table =
        |a: &str, b: &str| format!("| case | TTFT (ms) |\n|---|---|\n| a | {a} |\n| b | {b} |\n\n");
    let text = format!(
        "## main\n\n{}## PR\n\n{}",
        table("812.1, 799.4, 805.3", "303.1, 305.2, 301.3"),
        table("740.2, 751.3, 744.4", "280.1, 281.2, 279.3")
    );
    assert_eq!(shape(&text), of(["main", "PR"], 2, 3));
    let table = |a: &str| {
        format!(
            "| tp size | data size | latency(ms) |\n|---|---|---|\n| 2/4/8 | 512 | {a} |\n| 2/4/8 | 32768 | 0.0087/0.0092/0.0118 |\n\n"
        )
    };
    let text = format!(
        "old allreduce\n{}new allreduce\n{}",
        table("0.0095/0.0091/0.0101"),
        table("0.0038/0.0047/0.0060")
    );
    assert_eq!(shape(&text), of(["old allreduce", "new allreduce"], 6, 1));
    let text = "| JDBC 0.21 - throughput | JDBC 0.21 - latency | JDBC 0.22 - throughput | JDBC 0.22 - latency |\n|---|---|---|---|\n\
                | 10 exec/s | 400ms | 10 exec/s | 160ms |\n| 25 exec/s | 27s | 25 exec/s | 2.5s |\n| 50 exec/s | 44s | 50 exec/s | 16s |\n";
    assert_eq!(shape(text), of(["JDBC 0.21", "JDBC 0.22"], 3, 1));
}

/// Rounds of one conversation are far from one another, and no repeats.
#[test]
fn counted_lines_far_from_one_another_are_no_repeats() {
    let rounds = |times: [&str; 3]| {
        let line = |(at, time): (usize, &&str)| {
            format!("  Round {at}: Average TTFT = {time}s (10 requests)\n")
        };
        let lines: String = times.iter().enumerate().map(line).collect();
        format!("```\nPer-round metrics:\n{lines}```\n")
    };
    let text = format!(
        "Enable the reuse of ranks:\n{}\nwithout the reuse of ranks:\n{}",
        rounds(["0.97", "0.73", "2.09"]),
        rounds(["0.94", "2.74", "5.57"])
    );
    assert_eq!(shape(&text).1, 3);
    assert_eq!(shape(&text).2, 1);
    let text = "Pre:\n```\nPrompt: 1931 tokens, 771.420 tokens-per-sec\nPeak memory: 5.071 GB\n```\nPost:\n```\n\
                Prompt: 1931 tokens, 779.306 tokens-per-sec\nPeak memory: 5.186 GB\n```\n";
    let read = read_text("t.md", text);
    assert_eq!(runs(&read)[0].metrics.len(), 2);
}

/// A load in the heading of each table leaves the rows as what is compared; a title that a program prints over all tables names none.
#[test]
fn loads_above_tables_of_builds_are_cells() {
    let table = |one: &str, other: &str| {
        format!(
            "| Setup | tok/s | Mean TTFT (ms) |\n|---|---|---|\n| 1P1D | {one} | 745.10 |\n| plain | {other} | 688.37 |\n\n"
        )
    };
    for name in ["Request rate", "リクエストレート", "Foo"] {
        let text = format!(
            "## {name}: 1.0\n\n{}## {name}: 2.0\n\n{}",
            table("401.22", "403.95"),
            table("590.07", "602.48")
        );
        assert_eq!(shape(&text), of(["1P1D", "plain"], 2, 1), "{name}");
    }
    let printed = |load: &str, one: &str, other: &str| {
        format!(
            "batch={load}\n==========\nSUMMARY\n==========\nVariant      Median (us)   GFLOPS\n----------------------------------\n\
                 eager        {one}     1352.44\ncompiled     {other}     1353.56\n\n"
        )
    };
    let text = format!(
        "```\n{}{}```\n",
        printed("1", "12.402130", "11.391847"),
        printed("4", "12.588905", "11.570412")
    );
    assert_eq!(shape(&text), of(["eager", "compiled"], 2, 1));
}

/// Names of columns in comments, with their units below and their groups above.
#[test]
fn headers_in_comments_name_the_columns_below() {
    let block = |time: &str| {
        format!(
            "```\n#                             out-of-place                 in-place          \n\
                 #       size      type     time   algbw  #wrong     time   algbw  #wrong \n\
                 #        (B)               (us)  (GB/s)             (us)  (GB/s)         \n\
                 \x20    1048576     float    {time}   10.67       0    97.62   10.74       0\n\
                 \x20   16777216     float   690.20   24.31       0   688.44   24.37       0\n```\n"
        )
    };
    let text = format!("**2.29.7**\n{}\n**2.30.5**\n{}", block(" 98.31"), block("251.66"));
    assert_eq!(shape(&text), of(["2.29.7", "2.30.5"], 2, 1));
    let read = read_text("t.md", &text);
    assert_eq!(value(runs(&read)[1], "out-of-place/time (us)"), 251.66);
}

/// A failed value beside one that was measured, and how many runs are behind a deviation.
#[test]
fn failures_in_pairs_and_counts_in_labels_are_read() {
    let text = "Tested (main → this PR):\n\n| qlen | decode tok/s |\n|---|---|\n| 1024 | 12.41 → 12.38 |\n| 8192 | 11.87 → 11.90 |\n| 32768 | OOM → 10.72 |\n";
    assert_eq!(shape(text), of(["main", "this PR"], 3, 1));
    let text = "| | mean ops/s | stdev (cv) |\n|---|--:|--:|\n| base (n=10) | 879,214 | 5,979 (0.68 %) |\n| PR (n=5) | 885,944 | 5,687 (0.64 %) |\n";
    let read = read_text("t.md", text);
    let spreads = &runs(&read)[0].info.spreads;
    let first = spreads.values().next().expect("a deviation");
    assert_eq!((first.sd, first.runs), (5979.0, 10));
    // 1.2 % of 199481 is 2393.772.
    let text = "| case | Baseline | Comparison |\n|---|---|---|\n| load | 199481 +- 1.2% (5 datapoints) | 203870 +- 0.9% (5 datapoints) |\n\
                | pop | 310220 +- 0.7% (5 datapoints) | 330384 +- 1.1% (5 datapoints) |\n";
    let read = read_text("t.md", text);
    let spreads = &runs(&read)[0].info.spreads;
    let first = spreads.values().next().expect("a deviation");
    assert!((first.sd - 2393.772).abs() < 1e-9 && first.runs == 5);
}

/// Steps of one benchmark have names in front of their results; a server measures something else than its clients.
#[test]
fn steps_and_sections_of_printed_results_are_told_apart() {
    let step = |name: &str, time: &str| {
        format!(
            "{name}\nBenchmarkParse\nBenchmarkParse-12    \t 1446430\t       {time} ns/op\t     288 B/op\n\n"
        )
    };
    let text = format!("```\n{}{}```\n", step("Original", "799.4"), step("Use a buffer", "719.3"));
    assert_eq!(shape(&text), of(["Original", "Use a buffer"], 1, 1));
    let block = |time: &str| {
        format!(
            "```\n  Client: \n    Throughput: {time} infer/sec\n    p95 latency: 277004 usec\n  Server: \n    Avg request latency: 41220 usec\n```\n"
        )
    };
    let text = format!("before:\n{}\nafter:\n{}", block("4510.6"), block("6020.9"));
    let read = read_text("t.md", &text);
    assert!(runs(&read)[0].metrics.get("mean_e2el_ms").is_none());
    assert_eq!(shape(&text), of(["before", "after"], 1, 1));
}

/// Two tests of one length send as many requests as are served: 95556 / 796.1010 and 107913 / 899.0502 are both 120.03 s.
#[test]
fn requests_of_tests_of_one_length_are_a_result() {
    let block = |count: &str, rate: &str| {
        format!(
            "```\n     http_req_duration..............: avg=62.37ms  min=18.04ms   med=58.91ms  max=412.66ms p(90)=91.22ms p(95)=108.75ms\n\
                 \x20    http_req_failed................: 0.00%   ✓ 0           ✗ {count}\n     http_reqs......................: {count}   {rate}/s\n```\n"
        )
    };
    let text = format!(
        "`main`\n{}\n`async-io`\n{}",
        block("95556", "796.1010"),
        block("107913", "899.0502")
    );
    assert_eq!(shape(&text), of(["main", "async-io"], 1, 1));
}
