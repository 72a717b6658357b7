//! What people and their tools put around a block of results: heads of log lines, labels, titles, settings, claims. Expected values are
//! those of the text beside the assertion.

use beyondnoise::runs::Dataset;

use super::{block, claims, labels, read_text, runs};

/// The means of the time to the first token, with the variant of each.
fn ttft(read: &Dataset) -> Vec<(String, f64)> {
    let of = |run: &&beyondnoise::runs::Run| {
        let value = run.metrics.get("mean_ttft_ms").map(|value| value.value);
        value.map(|value| (run.variant.clone(), value))
    };
    let mut all: Vec<(String, f64)> = runs(read).iter().filter_map(of).collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    all
}

/// Two results, the first of which takes 71.5 ms and the second 67.5 ms.
fn two(before: &str, between: &str, after: &str) -> String {
    let result = |ms| block(Some(4), 60.5, ms);
    format!("{before}{}{between}{}{after}", result(71.5), result(67.5))
}

/// `kubectl logs --prefix --timestamps`, `docker compose logs -t` and loguru put a head before every line.
#[test]
fn heads_of_log_lines_are_left_out() {
    let heads = [
        "[pod/bench-r118/client] 2026-05-02T09:17:44.118213Z ",
        "2026-05-02T09:17:44.118213Z ",
        "2026-02-11 18:03:44.120 | INFO     | report:summary:61 - ",
    ];
    for head in heads {
        let result = |ms| {
            let lines = block(Some(4), 60.5, ms);
            lines.lines().fold(String::new(), |all, line| all + head + line + "\n")
        };
        let text = format!(
            "## main\n\n```\n{}```\n\n## patched\n\n```\n{}```\n",
            result(71.5),
            result(67.5)
        );
        let read = read_text("t.md", &text);
        assert_eq!(
            ttft(&read),
            [("patched".to_owned(), 67.5), ("main".to_owned(), 71.5)],
            "{head}"
        );
    }
}

/// Labels above and below results, in the forms in which people write them.
#[test]
fn labels_of_many_forms_name_results() {
    for (one, other) in [
        ("without the new all-reduce kernel, everything else as in production", "with it"),
        ("`--kv-cache-dtype auto`", "`--kv-cache-dtype fp8`"),
        ("0.9.1", "0.11.0rc1"),
    ] {
        let text = two(&format!("{one}\n"), &format!("\n{other}\n"), "");
        let bare = |label: &str| label.trim_matches('`').to_owned();
        let read = read_text("t.md", &text);
        assert_eq!(ttft(&read), [(bare(other), 67.5), (bare(one), 71.5)], "{text}");
    }
    let text = two("", "^ that's with THP=always\n\n", "^ and this is with THP=never\n");
    assert_eq!(
        ttft(&read_text("t.md", &text)),
        [("THP=never".to_owned(), 67.5), ("THP=always".to_owned(), 71.5)]
    );
    // A line that looks like a setting names the result below it if it stands alone above a fence.
    let text = two("build: b6512\n```\n", "```\n\nbuild: b6533\n```\n", "```\n");
    let read = read_text("t.md", &text);
    assert_eq!(labels(&read).len(), 2, "{read:?}");
}

/// A title in a box of its own, and a load behind dashes.
#[test]
fn titles_in_boxes_and_behind_dashes_are_headings() {
    let table = |title: &str, ms: &str| {
        format!(
            "+--------------------------+\n| {title:<24} |\n+------------+-------------+\n| Metric     | Value       |\n+------------+-------------+\n\
             | TTFT (ms)  | {ms:<11} |\n| TPOT (ms)  | 21.5        |\n+------------+-------------+\n\n"
        )
    };
    let text = format!("{}{}", table("main", "71.5"), table("patched", "67.5"));
    assert_eq!(labels(&read_text("t.md", &text)), ["main", "patched"]);
    let side = |name: &str, add: f64| {
        format!(
            "## {name}\n--- rate 4\n{}--- rate 8\n{}",
            block(None, 60.5, 61.5 + add),
            block(None, 60.5, 91.5 + add)
        )
    };
    let read = read_text("t.md", &format!("{}{}", side("main", 2.0), side("patched", 0.0)));
    assert_eq!((labels(&read).len(), read.groups.len(), runs(&read).len()), (2, 2, 4));
}

/// People keep the last lines of pgbench alone, 1250.28 and 1331.57 transactions a second.
#[test]
fn the_last_lines_of_pgbench_are_a_result() {
    let end = |ms: &str, tps: &str| {
        format!(
            "latency average = {ms} ms\ninitial connection time = 9.312 ms\ntps = {tps} (without initial connection time)\n"
        )
    };
    let text = format!(
        "## old\n\n```\n{}```\n\n## new\n\n```\n{}```\n",
        end("12.797", "1250.281144"),
        end("12.015", "1331.570912")
    );
    let read = read_text("t.md", &text);
    assert_eq!(labels(&read), ["new", "old"]);
    assert_eq!(runs(&read).len(), 2);
    let has = |value: f64| {
        let of = |run: &&beyondnoise::runs::Run| {
            run.metrics.iter().any(|(_, own)| (own.value - value).abs() < 1e-6)
        };
        runs(&read).iter().any(of)
    };
    assert!(has(1_250.281_144) && has(1_331.570_912), "{read:?}");
}

/// Words for one run of several, `start 1`, `회차 2`, give repeats.
#[test]
fn words_for_one_run_give_repeats() {
    for word in ["start", "session", "회차"] {
        let side = |name: &str, add: f64| {
            format!(
                "## {name}\n\n### {word} 1\n\n```\n{}```\n\n### {word} 2\n\n```\n{}```\n\n",
                block(Some(4), 60.5, 61.5 + add),
                block(Some(4), 60.5, 62.5 + add)
            )
        };
        let read = read_text("t.md", &format!("{}{}", side("main", 2.0), side("patched", 0.0)));
        assert_eq!(
            (labels(&read).len(), read.groups.len(), runs(&read).len()),
            (2, 1, 4),
            "{word}"
        );
    }
}

/// A table of flags with remarks is a table of settings; the numbers in it are no results.
#[test]
fn settings_with_remarks_are_no_results() {
    let text = two(
        "| Flag | Value | Why |\n|---|---|---|\n| max-num-seqs | 256 | fits the card |\n| gpu-memory-utilization | 0.92 | leaves room |\n\n## main\n\n```\n",
        "```\n\n## patched\n\n```\n",
        "```\n",
    );
    let read = read_text("t.md", &text);
    assert_eq!(runs(&read).len(), 2, "{read:?}");
    assert_eq!(labels(&read), ["main", "patched"]);
}

/// Claims in Korean and Japanese, of another variant, and in a sentence that was wrapped. 67.5 is 5.6 % less than 71.5.
#[test]
fn claims_of_many_languages_are_found() {
    let result = |after: &str| {
        two("## main\n\n```\n", "```\n\n## patched\n\n```\n", &format!("```\n\n{after}\n"))
    };
    for (words, size) in [
        ("첫 토큰 지연이 5.6% 감소했습니다.", 0.056),
        ("平均 TTFT は 5.6% 改善しました。", 0.056),
        ("Mean TTFT is 1.06x of main.", 0.06),
        ("平均 TTFT 降低了\n5.6%，没有别的变化。", 0.056),
    ] {
        let found = claims(&read_text("t.md", &result(words)));
        assert!(
            found.iter().any(|(.., own)| (own.abs() - size).abs() < 0.005),
            "{words}: {found:?}"
        );
    }
}

/// What a script says of its steps, and a variable that is set for all results, name none of them; neither does a remark.
#[test]
fn remarks_around_results_are_no_labels() {
    let result = |ms| block(Some(4), 60.5, ms);
    let expected = [("PR".to_owned(), 67.5), ("main".to_owned(), 71.5)];
    for between in ["HF_HUB_OFFLINE=true\n", "$ bench serve --seed 1 # second terminal\n"] {
        let text = format!("main\n{between}{}\nPR\n{between}{}", result(71.5), result(67.5));
        assert_eq!(ttft(&read_text("t.txt", &text)), expected, "{text}");
    }
    let text = format!("main\n{}\nPR\n{}^ lower is better\n", result(71.5), result(67.5));
    assert_eq!(ttft(&read_text("t.txt", &text)), expected, "{text}");
    let side = |name: &str, a: f64, b: f64| {
        format!("{name}\n{}--- killing server\n{}\n", result(a), result(b))
    };
    let read =
        read_text("t.txt", &format!("{}{}", side("main", 71.5, 72.5), side("PR", 67.5, 68.5)));
    assert_eq!((labels(&read), runs(&read).len()), (vec!["PR".to_owned(), "main".to_owned()], 4));
}

/// A size that comes back below the label of a side is a load, and not what a program prints.
#[test]
fn loads_directly_below_a_label_are_kept_apart() {
    let side = |name: &str, add: f64| {
        let part = |batch: u32, time: f64| {
            let lines =
                [0.001, 0.002].map(|more| format!("Avg latency: {} seconds\n", time + add + more));
            format!("batch {batch}\n{}", lines.concat())
        };
        format!("{name}\n{}{}\n", part(4, 1.5), part(24, 3.5))
    };
    let read = read_text("t.md", &format!("{}{}", side("patched", 0.0), side("main", 0.5)));
    assert_eq!((labels(&read).len(), read.groups.len(), runs(&read).len()), (2, 2, 8));
}

/// A table of changes below the table of their values gives no runs.
#[test]
fn tables_of_changes_alone_give_no_runs() {
    let text = "| Metric | Release 0.8 | Branch, tree |\n|---|---|---|\n| Mean E2E (ms) | 4816.7 | 4602.3 |\n| Mean TTFT (ms) | 1022.5 | 1047.1 |\n\n\
                #### Against release 0.8\n\n| Metric | Branch, tree | Branch, other |\n|---|---|---|\n| Mean E2E | +4.5% | **+14.3%** |\n| Mean TTFT | -2.4% | **+5.0%** |\n";
    assert_eq!(labels(&read_text("t.md", text)), ["Branch, tree", "Release 0.8"]);
}

/// Bars may part the case and the values of a line.
#[test]
fn lines_with_bars_are_read() {
    let side = |name: &str, a: f64, b: f64| {
        format!(
            "{name}:\n```\n[gemm fp8] m=  64 n=7168 |   {a} us | 158.9 TFLOPS\n[gemm fp8] m= 512 n=7168 |   {b} us | 623.7 TFLOPS\n```\n"
        )
    };
    let read =
        read_text("t.md", &format!("{}{}", side("main", 11.82, 24.1), side("pr", 10.94, 22.87)));
    assert_eq!((labels(&read), read.groups.len()), (vec!["main".to_owned(), "pr".to_owned()], 2));
    let time = |run: &&beyondnoise::runs::Run| {
        let mut all = run.metrics.iter().filter(|(name, _)| name.starts_with("time"));
        all.next().map(|(_, own)| own.value)
    };
    let mut times: Vec<f64> = runs(&read).iter().filter_map(time).collect();
    times.sort_by(f64::total_cmp);
    assert_eq!(times, [10.94, 11.82, 22.87, 24.1]);
}
