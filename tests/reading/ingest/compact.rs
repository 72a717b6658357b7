//! Results on lines of their own: a side, a load, several values. Expected values are those of the lines in the text beside the
//! assertion.

use beyondnoise::runs::Dataset;

use super::{Files, most, of, read_text, runs, shape, try_load, value};

/// The load is a setting wherever it stands, and the sides are what is compared.
#[test]
fn loads_and_sides_of_one_line_are_told_apart() {
    for text in [
        "main:\n- bs=1: TTFT 95.1 ms, 303.1 tok/s\n- bs=8: TTFT 121.1 ms, 1,303.1 tok/s\nPR:\n- bs=1: TTFT 91.1 ms, 313.1 tok/s\n\
         - bs=8: TTFT 111.1 ms, 1,393.1 tok/s\n",
        "**main**\nbatch 1: 95.1 ms TTFT, 303.1 tok/s\nbatch 8: 121.1 ms TTFT, 1303.1 tok/s\n**PR**\n\
         batch 1: 91.1 ms TTFT, 313.1 tok/s\nbatch 8: 111.1 ms TTFT, 1393.1 tok/s\n",
        "main (bs=1): 303.1 tok/s, TTFT 95.1 ms\nPR (bs=1): 313.1 tok/s, TTFT 91.1 ms\nmain (bs=8): 1303.1 tok/s, TTFT 121.1 ms\n\
         PR (bs=8): 1393.1 tok/s, TTFT 111.1 ms\n",
        "main c=16: 303.1 tok/s / TTFT 95.1 ms\nPR   c=16: 313.1 tok/s / TTFT 91.1 ms\nmain c=64: 1303.1 tok/s / TTFT 121.1 ms\n\
         PR   c=64: 1393.1 tok/s / TTFT 111.1 ms\n",
    ] {
        assert_eq!(shape(text), of(["main", "PR"], 2, 1), "{text}");
        let read = read_text("t.md", text);
        assert_eq!(value(runs(&read)[0], "ttft_ms"), 95.1, "{text}");
        assert_eq!(value(runs(&read)[0], "tok_per_s"), 303.1, "{text}");
    }
    // No word says which is the baseline.
    let text = "triton:\n concurrency=16 -> 4021.5 tok/s\n concurrency=64 -> 8021.5 tok/s\nflash:\n concurrency=16 -> 4121.5 tok/s\n\
                concurrency=64 -> 8221.5 tok/s\n";
    assert_eq!(shape(text), of(["triton", "flash"], 2, 1));
    let text = "vllm bs=1: 303.1 tok/s\nsglang bs=1: 313.1 tok/s\nvllm bs=8: 1303.1 tok/s\nsglang bs=8: 1393.1 tok/s\n";
    assert_eq!(shape(text), of(["vllm", "sglang"], 2, 1));
    let text = "Before\n  16 users: p50 120 ms, p99 410 ms\n  64 users: p50 320 ms, p99 910 ms\nAfter\n  16 users: p50 110 ms, p99 390 ms\n\
                64 users: p50 290 ms, p99 880 ms\n";
    assert_eq!(shape(text), of(["Before", "After"], 2, 1));
    let text = "main, bs 1: 41.2 tok/s\nmain, bs 8: 301.5 tok/s\nPR, bs 1: 44.1 tok/s\nPR, bs 8: 322.0 tok/s\n";
    assert_eq!(shape(text), of(["main", "PR"], 2, 1));
    let text = "Input 128\nmain  TTFT=95.1ms TPOT=12.1ms\nPR:   TTFT=85.1ms TPOT=11.1ms\nInput 1024\nmain  TTFT=195.1ms TPOT=22.1ms\n\
                PR:   TTFT=185.1ms TPOT=21.1ms\n";
    assert_eq!(shape(text), of(["main", "PR"], 2, 1));
    let text = "Qwen3-8B, bs 1:  main 41.2 tok/s  PR 44.1 tok/s\nQwen3-8B, bs 8:  main 301.5 tok/s  PR 322.0 tok/s\n";
    assert_eq!(shape(text), of(["main", "PR"], 2, 1));
    // A size above lines that name no load of their own.
    let text = "batch_size=1\nfused off\nAvg latency: 1.9042177 seconds\nAvg latency: 1.9063351 seconds\nfused on\n\
                Avg latency: 1.8214093 seconds\nAvg latency: 1.8230178 seconds\n\nbatch_size=32\nfused off\nAvg latency: 4.6120338 seconds\n\
                Avg latency: 4.6207714 seconds\nfused on\nAvg latency: 4.3387126 seconds\nAvg latency: 4.3421593 seconds\n";
    assert_eq!(shape(text), of(["fused off", "fused on"], 2, 2));
}

/// A line above lists names their values or the loads that they are of; lists that all rise are no repeats in any case.
#[test]
fn a_line_above_names_what_stands_in_lists() {
    let text = "p50/p95/p99 latency (ms)\nmain: 12.1 / 31.0 / 58.8\nPR:   11.2 / 28.4 / 51.0\n";
    let read = read_text("t.md", text);
    assert_eq!((read.variant_names(), most(&read)), (vec!["main", "PR"], 1));
    assert_eq!(runs(&read)[0].metrics.len(), 3);
    assert_eq!(value(runs(&read)[1], "p99 latency (ms)"), 51.0);
    let text =
        "concurrency 1/8/32\nmain: 41.2 / 301.5 / 901.2 tok/s\nPR: 44.1 / 322.0 / 960.4 tok/s\n";
    assert_eq!(shape(text), of(["main", "PR"], 3, 1));
    let files = Files::new(&[(
        "t.md",
        "main: 41.2 / 301.5 / 901.2 tok/s\nPR: 44.1 / 322.0 / 960.4 tok/s\n",
    )]);
    assert!(try_load(&[&files.path("t.md")]).is_err());
    let text =
        "main (3 runs): 573.5 / 570.1 / 575.2 tok/s\nPR (3 runs): 618.7 / 615.3 / 620.0 tok/s\n";
    assert_eq!(shape(text), of(["main", "PR"], 1, 3));
    // Headers of bare numbers that do not follow one another are sizes.
    let text = "| | 1 | 8 | 32 |\n|---|---|---|---|\n| main tok/s | 41.2 | 301.5 | 901.2 |\n| PR tok/s | 44.1 | 322.0 | 960.4 |\n";
    assert_eq!(shape(text), of(["main", "PR"], 3, 1));
    // 437.17 and 411.33 are the means of six.
    let text = "| | r1 | r2 | r3 | r4 | r5 | r6 | avg |\n|---|---|---|---|---|---|---|---|\n| neon | 437 | 441 | 436 | 432 | 439 | 438 | 437.2 |\n\
                | baseline | 412 | 409 | 415 | 411 | 408 | 413 | 411.3 |\n";
    assert_eq!(shape(text), of(["neon", "baseline"], 1, 6));
}

/// Sides in brackets behind the values, tags before them, the number of runs behind a spread.
#[test]
fn brackets_and_tags_name_sides() {
    let text =
        "Mean TTFT: 812 ms (main) vs 744 ms (PR)\nMean TPOT: 41.4 ms (main) vs 38.2 ms (PR)\n";
    let read = read_text("t.md", text);
    assert_eq!((read.variant_names(), most(&read)), (vec!["main", "PR"], 1));
    assert_eq!(value(runs(&read)[1], "mean_tpot_ms"), 38.2);
    let text = "Prompt: 3012.4 tok/s (main), 3312.1 tok/s (PR)\nDecode: 41.2 tok/s (main), 44.1 tok/s (PR)\n";
    assert_eq!(shape(text), of(["main", "PR"], 1, 1));
    let line = |side: &str, rate: &str| {
        format!(
            "[{side}] Throughput: {rate} requests/s, 12729.60 total tokens/s, 489.60 output tokens/s\n"
        )
    };
    let text =
        line("main", "6.12") + &line("main", "6.10") + &line("pr", "6.52") + &line("pr", "6.50");
    assert_eq!(shape(&text), of(["main", "pr"], 1, 2));
    let text = "v0.9.1: 573.5 ± 3.1 tok/s (n=5)\nv0.9.2: 618.7 ± 2.7 tok/s (n=5)\n";
    let read = read_text("t.md", text);
    let spread = runs(&read)[0].info.spreads["tok_per_s"];
    assert_eq!((spread.sd, spread.runs), (3.1, 5));
    let text = "main: 573.5 tok/s (TTFT 812 ms)\nPR:   618.7 tok/s (TTFT 744 ms)\n";
    assert_eq!(value(runs(&read_text("t.md", text))[1], "ttft_ms"), 744.0);
    let text = "Core: flip a coin x 768,348 ops/sec ±1.09% (91 runs sampled)\nPCG: flip a coin x 675,647 ops/sec ±1.19% (94 runs sampled)\n\
                Core: roll x 635 ops/sec ±1.55% (89 runs sampled)\nPCG: roll x 612 ops/sec ±0.75% (90 runs sampled)\n";
    assert_eq!(shape(text), of(["Core", "PCG"], 2, 1));
}

/// Heads of logs before every line, boxes without a header, a value that a block prints below each of several quantities.
#[test]
fn what_programs_print_around_values_is_left_out() {
    let block = |load: u32, done: u32, rate: &str| {
        format!(
            "[11:02:33.481] [loadgen] [INFO] ===== Summary =====\n[11:02:33.518] [loadgen] [INFO] Concurrent clients: {load}\n\
             [11:02:33.555] [loadgen] [INFO] Elapsed (s): 120.04\n[11:02:33.592] [loadgen] [INFO] Requests finished: {done}\n\
             [11:02:33.666] [loadgen] [INFO] Requests per second: {rate}\n\n"
        )
    };
    let side = |name: &str, rates: [&str; 2]| {
        format!("{name}\n```\n{}{}```\n\n", block(2, 161, rates[0]), block(16, 866, rates[1]))
    };
    let text = side("ROCM", ["1.341", "7.214"])
        + &side("TRITON", ["1.433", "6.839"]).replace("161", "172");
    assert_eq!(shape(&text), of(["ROCM", "TRITON"], 2, 1));
    let boxed = |name: &str, time: &str| {
        format!(
            "{name}\n╭────────────┬──────────╮\n│ total time │ {time} s │\n│ p95        │ 31.05 ms │\n│ rate       │ 2,137 req/s │\n\
             ╰────────────┴──────────╯\n\n"
        )
    };
    let text = boxed("gateway 0.14.2", "9.36") + &boxed("gateway 0.15.0", "10.33");
    assert_eq!(shape(&text), of(["gateway 0.14.2", "gateway 0.15.0"], 1, 1));
    let side = |name: &str, ttft: &str| {
        format!(
            "### {name}\n\n```\nMean Response Time: 415.45 ms\nMedian Response Time: 415.48 ms\nP99 Latency: 427.36 ms\nMin: 405.15 ms\n\
             Max: 427.74 ms\n\nMean TTFT: {ttft} ms\nMedian TTFT: 104.44 ms\nP99 TTFT: 116.85 ms\nMin: 93.15 ms\nMax: 116.97 ms\n\n\
             Mean Throughput: 120.38 tok/s\n```\n\n"
        )
    };
    let text = side("baseline", "104.01") + &side("patched", "94.35");
    assert_eq!(shape(&text), of(["baseline", "patched"], 1, 1));
}

/// A row of changes is checked, and says what is compared with what: 101.51 / 123.21 - 1 = -17.61 %, 433.5 / 402.7 - 1 = 7.65 %.
#[test]
fn rows_of_changes_are_claims_about_the_rows_that_they_compare() {
    let text = "| Version | Duration (s) | TPOT (ms) |\n|---|---|---|\n| split | 101.51 | 137.62 |\n| TP=8 | 123.21 | 203.34 |\n\
                | Difference | -17.61% | -32.32% |\n";
    let files = Files::new(&[("t.md", text)]);
    let read = try_load(&[&files.path("t.md")]).expect("a table");
    assert_eq!(read.assumed_base.as_deref(), Some("TP=8"));
    let claims = |read: &Dataset| -> Vec<(String, usize)> {
        runs(read).iter().map(|run| (run.variant.clone(), run.info.claims.len())).collect()
    };
    assert_eq!(claims(&read.dataset), [("split".to_owned(), 2), ("TP=8".to_owned(), 0)]);
    let text = "| 版本 | TTFT均值(ms) | 输出吞吐(tok/s) |\n|---|---|---|\n| 原版 | 1284 | 402.7 |\n| 改造后 | 1096 | 433.5 |\n| 收益 | ↓14.6% | ↑7.6% |\n";
    let read = read_text("t.md", text);
    assert_eq!(claims(&read), [("原版".to_owned(), 0), ("改造后".to_owned(), 2)]);
}

/// Columns that differ in words for parts of the work are metrics of the rows; several quantities with their units in a cell are
/// named by the header.
#[test]
fn headers_say_what_is_in_the_cells() {
    let text = "mode | cold cache | warm cache\n:-- | --: | --:\neager | 14.2s | 13.9s\ncompiled | 58.7s | 24.1s\n";
    assert_eq!(shape(text), of(["eager", "compiled"], 1, 1));
    let text = "| clients | before p50 / p95 / throughput | after p50 / p95 / throughput |\n|---|---|---|\n\
                | 10 | 343ms / 2617ms / 8.9 req/s | 124ms / 2158ms / 12.0 req/s |\n| 50 | 868ms / 5951ms / 24.6 req/s | **629ms / 878ms / 70.1 req/s** |\n";
    assert_eq!(shape(text), of(["before", "after"], 2, 1));
}

/// What looks alike and is something else.
#[test]
fn numbered_things_other_spreads_and_warming_up_are_told_from_runs() {
    let refused = |text: &str| {
        let files = Files::new(&[("t.md", text)]);
        try_load(&[&files.path("t.md")]).is_err()
    };
    // 12.2 and 11.2 are the means, and versions are no runs.
    let text = "| task | v1 | v2 | v3 | avg |\n|---|---|---|---|---|\n| prefill (ms) | 12.1 | 12.2 | 12.3 | 12.2 |\n\
                | decode (ms) | 11.1 | 11.2 | 11.3 | 11.2 |\n";
    assert_eq!(most(&read_text("t.md", text)), 1);
    // 44.77 and 46.77: prompts are no runs either, nor are values far apart.
    let text = "| variant | p1 | p2 | p3 | avg |\n|---|---|---|---|---|\n| main | 41.2 | 38.1 | 55.0 | 44.77 |\n| PR | 43.2 | 40.1 | 57.0 | 46.77 |\n";
    assert_eq!(most(&read_text("t.md", text)), 1);
    // Standard errors, intervals and ranges are no standard deviations of runs.
    for bracket in ["stderr, n=10", "SEM over 5 runs", "95% CI, n=10", "max deviation of 5 runs"] {
        assert!(
            refused(&format!("main: 12.3 ± 0.5 ms ({bracket})\nPR: 11.0 ± 0.5 ms ({bracket})\n")),
            "{bracket}"
        );
    }
    // Both sides as keys are no metrics of a size.
    assert!(refused("10 users  main=95ms  pr=91ms\n50 users  main=121ms pr=111ms\n"));
    let text = "bs=1: 303.1 tok/s -> 320.2 tok/s\nbs=8: 803.1 tok/s -> 830.2 tok/s\n";
    assert_eq!(shape(text), of(["before", "after"], 2, 1));
    // The first run is slow, and the others are not.
    let text = "before: 12.4 s, 4.1 s, 4.0 s\nafter: 11.8 s, 3.9 s, 3.8 s\n";
    assert_eq!(shape(text), of(["before", "after"], 1, 3));
    // Words behind the time of a log that differ tell its lines apart.
    let line = |tag: &str, time: &str| format!("[12:00:01] [{tag}] latency: {time} ms\n");
    let side = |times: [&str; 2]| line("prefill", times[0]) + &line("decode", times[1]);
    let text = format!("## before\n{}## after\n{}", side(["82.6", "8.6"]), side(["73.6", "7.9"]));
    assert_eq!(most(&read_text("t.md", &text)), 1);
    let text =
        "Latency: 812 ms (PR) vs 744 ms (main)\nThroughput: 41.2 tok/s (main) vs 44.1 tok/s (PR)\n";
    let read = read_text("t.md", text);
    let rate = runs(&read).into_iter().find(|run| run.variant == "PR").expect("a run of PR");
    assert_eq!((value(rate, "Latency (ms)"), value(rate, "Throughput (tok/s)")), (812.0, 44.1));
}
