//! Lines that are headings, and their meaning.

use super::*;
use crate::text::headings::heading::{BOLD, COLON};

#[test]
fn lines_that_are_headings_have_a_level_and_a_label() {
    for (line, level, label) in [
        ("## main", 2, "main"),
        ("> ## main ##", 2, "main"),
        ("**用 cache：** (TTFT ⬇️ 3.44%)", BOLD, "用 cache"),
        ("**after** 3%", BOLD, "after"),
        ("<details><summary><b>After</b> (v2)</summary>", BOLD, "After (v2)"),
        ("优化前：", COLON, "优化前"),
        ("- **before**:", COLON, "before"),
        ("直接改上游模型：", COLON, "直接改上游模型"),
        ("before", PLAIN, "before"),
        ("=== before ===", BOLD, "before"),
        ("2) [before]", PLAIN, "[before]"),
        ("Config: before   prefill=256K", COLON, "before"),
        ("run 2:", COUNT, "run 2"),
        ("第2轮", COUNT, "第2轮"),
        ("max_num_seqs=256:", COLON, "max_num_seqs=256"),
        ("after, gpu mem 90%:", COLON, "after, gpu mem 90%"),
        ("**after, gpu mem 90%：**", BOLD, "after, gpu mem 90%"),
        ("<h3 class='x'>after <i>v2</i></h3>", 3, "after v2"),
    ] {
        let found = heading(line, 1).map(|(heading, _)| (heading.level, heading.label));
        assert_eq!(found, Some((level, label.to_owned())), "{line}");
    }
}

#[test]
fn values_prompts_and_prose_are_no_headings() {
    for line in [
        "Mean TTFT (ms): 5",
        "--model=x",
        "TTFT 3%:",
        "3.4%:",
        "**TPOT ⬆️ 2%**",
        "<hr>",
        "| a | b |",
        "3.4% ⬇️",
        "$ vllm bench serve",
        "---",
        "**Note:** the machine was busy",
        "-- Request Latency Breakdown (ms) -----------------------",
        "-----Time per Output Token (excl. 1st token)------",
        "This is a sentence that says something of the machine and of the day",
    ] {
        assert_eq!(heading(line, 1).map(|(heading, _)| heading.label), None, "{line}");
    }
}

#[test]
fn what_only_counts_is_no_variant() {
    for label in ["Run 1", "#3", "2", "第二次", "round-2", "test 4"] {
        assert!(counts_runs(label), "{label}");
    }
    for label in ["fp8", "run", "after 2", "Qwen3"] {
        assert!(!counts_runs(label), "{label}");
    }
}

#[test]
fn long_headings_are_cut_and_stay_apart() {
    let long = "one flag and another ".repeat(1000);
    let label = |end: &str| heading(&format!("## {long}{end}"), 1).expect("a heading").0.label;
    assert!(label("a").starts_with("one flag and another") && label("a").chars().count() < 100);
    assert_eq!(label("a"), label("a"));
    assert_ne!(label("a"), label("b"));
}
