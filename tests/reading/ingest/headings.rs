//! Labels of pasted blocks in the forms that people write them, and which blocks are repeats. Expected variants are those
//! that a reader of the note sees.

use std::collections::BTreeSet;

use super::{block, counts, fixture, read_text, runs};

/// Blocks of one load that differ.
fn blocks<const N: usize>() -> [String; N] {
    std::array::from_fn(|at| block(Some(4), 2.5, 10.5 + at as f64))
}

/// Why a part of a note is left out.
fn left_out(note: &str) -> String {
    let skipped = &read_text("note.md", note).inputs[0].skipped;
    let lines = skipped.iter().map(|skipped| format!("{}: {}", skipped.place, skipped.why));
    lines.collect::<Vec<_>>().join("\n")
}

/// Every form in which a label stands alone above its block, with and without a fence.
#[test]
fn labels_are_read_in_every_form() {
    let [a, b] = blocks();
    for form in [
        "before",
        "=== before ===",
        "--- before ---",
        "[before]",
        "【before】",
        "(before)",
        "- before",
        "1. before",
        "2) before",
        "① before",
        "# before",
        "#before",
        "**before**",
        "__before__",
        "`before`",
        "\"before\"",
        "> before",
        "// before",
        "<b>before</b>",
        "before:",
        "before\n------",
        "Config: before",
        "branch: before",
        "kernel: before",
        "$ echo before",
        "$ ./bench.sh before",
        "$ cat out/before.txt",
        "user@host:~/x$ git checkout before",
        "INFO 11-21 01:49:22 [serve.py:1] before",
        "[2026-11-21 01:49:22] INFO === before ===",
    ] {
        for fence in ["", "```\n"] {
            let other = form.replace("before", "after");
            let note = format!("{form}\n\n{fence}{a}{fence}\n{other}\n\n{fence}{b}{fence}");
            let read = read_text("note.md", &note);
            assert_eq!(counts(&read.groups[0]), [("before", 1), ("after", 1)], "{note}");
        }
    }
    for [one, two] in [
        ["修改前", "修改后"],
        ["A:", "B:"],
        ["A", "B"],
        ["vllm 0.8", "vllm 0.9"],
        ["initial version", "new kernel"],
        ["Before (2 GPUs, tp=2)", "After (2 GPUs, tp=4)"],
        ["tp=2", "tp=4"],
        ["before, gpu mem 0.9", "after, gpu mem 0.9"],
    ] {
        let read = read_text("note.md", &format!("{one}\n{a}\n{two}\n{b}"));
        let labels = [one.trim_end_matches(':'), two.trim_end_matches(':')];
        assert_eq!(counts(&read.groups[0]), labels.map(|label| (label, 1)), "{one}");
    }
}

/// One variant with a heading of markdown, the next with a bare line: the second is no repeat of the first.
#[test]
fn labels_of_several_forms_in_one_note_all_count() {
    let [a, b, c] = blocks();
    for (note, expected) in [
        (format!("## before\n{a}\nafter\n{b}\n## PR v2\n{c}"), ["before", "after", "PR v2"]),
        (format!("before:\n{a}\n## after\n{b}\n## x\n{c}"), ["before", "after", "x"]),
        (format!("## main\n{a}\nwith the flag\n{b}\n## pr\n{c}"), ["main", "with the flag", "pr"]),
        (
            format!(
                "## main\n{a}\n## pr\n{b}\nwith fix:\n\nthis took a while to get right, since the machine was busy\n\n{c}"
            ),
            ["main", "pr", "with fix"],
        ),
        (format!("before\n{a}\nafter 1\n{b}\nafter 2\n{c}"), ["before", "after 1", "after 2"]),
        (format!("before\n{a}\nPR #1\n{b}\nPR #2\n{c}"), ["before", "PR #1", "PR #2"]),
    ] {
        let read = read_text("note.md", &note);
        assert_eq!(counts(&read.groups[0]), expected.map(|label| (label, 1)), "{note}");
    }
    let read = read_text("note.md", &format!("## before\n{a}\nafter\n{b}"));
    assert_eq!(counts(&read.groups[0]), [("before", 1), ("after", 1)]);
}

#[test]
fn counters_commands_and_logs_stand_between_repeats() {
    let [a, b, c, d] = blocks();
    for [one, two] in [
        ["", ""],
        ["run 1", "run 2"],
        ["### Run 1/2", "### Run 2/2"],
        ["第1轮", "第2轮"],
        ["", "again"],
        ["---", "2nd run:"],
        [
            "--- repetition 1/2  2026-08-02T03:33:48+02:00 ---",
            "--- repetition 2/2  2026-08-02T03:43:48+02:00 ---",
        ],
        ["$ vllm bench serve --model x", "$ vllm bench serve --model x"],
        [
            "root@host:/x# python bench.py --seed 1\nStarting initial single prompt test run...",
            "root@host:/x# python bench.py --seed 2\nStarting initial single prompt test run...\n#Input tokens: 36",
        ],
        [
            "The client says on every start that it goes on until it has all of the answers.",
            "The client says on every start that it goes on until it has all of the answers.",
        ],
    ] {
        let note = format!("## main\n{one}\n{a}\n{two}\n{b}\n## pr\n{one}\n{c}\n{two}\n{d}");
        let read = read_text("note.md", &note);
        assert_eq!(counts(&read.groups[0]), [("main", 2), ("pr", 2)], "{note}");
    }
    let note = format!("## main\n{a}\n## run 2\n{b}\n## pr\n{c}\n## run 2\n{d}");
    assert_eq!(counts(&read_text("note.md", &note).groups[0]), [("main", 2), ("pr", 2)]);
    let abba = format!("before\n{a}\nafter\n{b}\nafter\n{c}\nbefore\n{d}");
    assert_eq!(counts(&read_text("note.md", &abba).groups[0]), [("before", 2), ("after", 2)]);
}

#[test]
fn a_number_behind_a_label_counts_runs_only_where_it_says_so() {
    let [a, b, c, d] = blocks();
    for [one, two, three, four] in [
        ["before run 1", "before run 2", "after run 1", "after run 2"],
        ["before (run 1)", "before (run 2):", "after (run 1)", "after (run 2)"],
        ["before 1", "before 2", "after 1", "after 2"],
        [
            "CONFIG: before-r1   prefill=256K",
            "CONFIG: before-r2   x",
            "CONFIG: after-r1",
            "after-r2",
        ],
    ] {
        let note = format!("{one}\n{a}\n{two}\n{b}\n{three}\n{c}\n{four}\n{d}");
        let read = read_text("note.md", &note);
        assert_eq!(counts(&read.groups[0]), [("before", 2), ("after", 2)], "{note}");
        assert_eq!(runs(&read)[1].name.as_deref(), Some("run 2"));
    }
    let chinese = format!(
        "优化前 第1次：\n{a}\n优化前 第2次：\n{b}\n优化后（第1次）：\n{c}\n优化后（第2次）\n{d}"
    );
    assert_eq!(counts(&read_text("n.md", &chinese).groups[0]), [("优化前", 2), ("优化后", 2)]);
    let models = format!("deepseek-r1\n{a}\ndeepseek-r2\n{b}");
    let read = read_text("note.md", &models);
    assert_eq!(counts(&read.groups[0]), [("deepseek-r1", 1), ("deepseek-r2", 1)]);
}

/// The blocks stand at lines 2 and at that named.
#[test]
fn a_block_whose_label_is_not_understood_is_left_out_and_listed() {
    let [a, b, c] = blocks();
    let prose = "Then I started the server again with the other flag set, and measured once more.";
    let lines = "Then I started\nthe server again\nwith the other flag";
    for (between, line) in [(prose, a.lines().count() + 3), (lines, a.lines().count() + 5)] {
        let note = format!("## main\n{a}{between}\n{b}\n## pr\n{c}");
        let error = left_out(&note);
        for part in [
            &*format!("line {line}"),
            "block at line 2, \"main\"",
            "put a heading",
            "\"run 2\"",
            between.lines().last().map_or("", |last| &last[..18]),
        ] {
            assert!(error.contains(part), "expected {part:?} in: {error}");
        }
    }
    let error = left_out(&format!("## main\none:\n{a}\ntwo:\n{b}\n## pr\nthree:\n{c}"));
    assert!(error.contains("the label \"two\"") && error.contains("(line 3)"), "{error}");
    // Above the first block and below the last there may be any text, and headings may have some below them.
    let note = format!("{prose}\n## main\n{prose}\n{a}{prose}\n## pr\nToday.\n{b}\n{prose}");
    assert_eq!(counts(&read_text("note.md", &note).groups[0]), [("main", 1), ("pr", 1)]);
}

/// A word that the block prints of itself stands in the metadata of the run; figures and names of one run do not.
#[test]
fn words_of_a_block_are_metadata() {
    let [a, b] = blocks();
    let with = |text: &str, word: &str| {
        let lines = format!("Architecture:      {word}\nRun ID:   x{word}\nSuccessful requests:");
        text.replacen("Successful requests:", &lines, 1)
    };
    let read = read_text("note.md", &with(&a, "one"));
    let metadata = &runs(&read)[0].metadata;
    assert_eq!(metadata["Architecture"], "one");
    assert!(!metadata.contains_key("Run ID"));
    let read = read_text("note.md", &format!("Kernel: cutlass\n{b}"));
    assert_eq!(runs(&read)[0].metadata["Kernel"], "cutlass");
}

/// The text with other decimals, as another run prints it.
fn again(text: &str) -> String {
    let mut point = false;
    let other = |c: char| {
        let fraction = std::mem::replace(&mut point, c == '.');
        let digit = c.to_digit(10).filter(|_| fraction);
        digit.and_then(|digit| char::from_digit((digit + 3) % 10, 10)).unwrap_or(c)
    };
    text.chars().map(other).collect()
}

/// R5: two printed blocks below different lines were pooled as repeats of the heading above both.
#[test]
fn the_nearest_lines_above_printed_blocks_name_the_builds() {
    let file = |name: &str| std::fs::read_to_string(fixture(name)).expect("a fixture");
    let printed = [
        file("tools/jmh-table.txt"),
        file("tools/ab.txt"),
        file("tools/oha.txt"),
        file("tools/divan.txt"),
        file("tools/aiperf-console.txt"),
        file("tools/guidellm-console.txt"),
        file("text/vllm-rust.txt"),
        file("text/sglang-0.5.txt"),
        block(Some(8), 2.5, 81.25),
        "goos: linux\npkg: example.com/x\nBenchmarkA-8   \t 1000000\t      1234.5 ns/op\nPASS\n".to_owned(),
        "Running 30s test @ http://127.0.0.1:8080/\n  2 threads and 16 connections\n  Thread Stats   Avg      Stdev     \
         Max   +/- Stdev\n    Latency   635.91us    0.89ms  12.92ms   93.69%\n  22464 requests in 30.00s, 17.76MB \
         read\nRequests/sec: 748.53\nTransfer/sec:    606.33KB\n"
            .to_owned(),
        "Benchmark 1: ./bench\n  Time (mean ± σ):      1841.2 ms ±   22.3 ms    [User: 1657.1 ms, System: 147.3 \
         ms]\n  Range (min … max):    1802.9 ms … 1880.1 ms    12 runs\n"
            .to_owned(),
        "| model | size | params | backend | ngl | test | t/s |\n| --- | --- | --- | --- | --- | --- | --- |\n\
         | llama 7B | 3 GiB | 6 B | CUDA | 99 | pp512 | 2345.67 ± 12.34 |\n"
            .to_owned(),
        "Throughput: 24.3 requests/s, 12453.1 total tokens/s, 489.6 output tokens/s\n".to_owned(),
    ];
    for text in printed {
        for (one, other) in [
            ("Pre change benchmark", "Post change benchmark"),
            ("With the scheduler of last week", "With the queue rewritten"),
        ] {
            let note = format!(
                "It got faster.\n\n**Notes for reviewer**:\n\n{one}\n\n{text}\n\n{other}\n\n{}\n",
                again(&text)
            );
            let read = read_text("note.md", &note);
            assert!(!read.groups.is_empty(), "{note}");
            for group in &read.groups {
                assert!(
                    counts(group).iter().all(|(_, runs)| *runs == 1),
                    "{:?}\n{note}",
                    counts(group)
                );
            }
            let names: BTreeSet<&str> =
                read.groups.iter().flat_map(counts).map(|(name, _)| name).collect();
            assert_eq!(names, BTreeSet::from([one, other]), "{note}");
        }
        let note = format!("## Numbers\n\nRun 1\n\n{text}\n\nRun 2\n\n{}\n", again(&text));
        let read = read_text("note.md", &note);
        let names: BTreeSet<&str> =
            read.groups.iter().flat_map(counts).map(|(name, _)| name).collect();
        assert_eq!(names.len(), 1, "{note}");
    }
}
