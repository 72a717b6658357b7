//! Text blocks as clients print them and as people paste them. Expected numbers are those written into
//! the fixtures or into the text beside the assertion.

use beyondnoise::runs::Setting;

use super::{TITLE, block, counts, dataset, fixture, line, read_text, runs, value};

/// Fixture, client, and metrics with their values.
type Printed = (&'static str, &'static str, &'static [(&'static str, f64)]);

#[test]
fn every_client_that_prints_blocks_is_understood() {
    let all: [Printed; 6] = [
        (
            "sglang-0.5",
            "sglang",
            &[
                ("input_throughput", 20.0),
                ("concurrency", 3.62),
                ("spec_decode_acceptance_length", 2.1),
                ("request_goodput", 1.5),
                ("p95_e2el_ms", 60.25),
                ("max_itl_ms", 9.75),
                ("device", 123.0),
            ],
        ),
        ("sglang-0.4", "sglang", &[("total_token_throughput", 60.0), ("median_e2el_ms", 48.25)]),
        (
            "tensorrt-llm",
            "tensorrt-llm",
            &[("user_throughput", 21.5), ("std_ttft_ms", 1.25), ("min_ttft_ms", 8.0)],
        ),
        ("vllm-rust", "vllm", &[("mean_ttft_ms", 10.5), ("duration", 2.0)]),
        ("diffusion", "sglang", &[("mean_e2el_ms", 500.5)]),
        (
            "vllm-0.33",
            "vllm",
            &[
                ("p99.9_ttft_ms", 15.25),
                ("mean_client_queue_time_ms", 2.25),
                ("mean_e2el_including_client_queue_ms", 52.25),
                ("spec_decode_acceptance_rate", 61.5),
                ("median_probe_e2el_ms", 5.25),
                // By hand: 3 requests in 2 s.
                ("request_throughput", 1.5),
            ],
        ),
    ];
    for (name, client, values) in all {
        let read = dataset(&[&fixture(&format!("text/{name}.txt"))]);
        assert_eq!(runs(&read).len(), 1, "{name}");
        let run = runs(&read)[0];
        assert_eq!(run.workload.client.as_deref(), Some(client), "{name}");
        for (metric, expected) in values {
            assert_eq!(value(run, metric), *expected, "{name} {metric}");
        }
    }
}

#[test]
fn limits_are_read_in_and_before_the_block() {
    let limits = |name: &str| {
        let read = dataset(&[&fixture(&format!("text/{name}.txt"))]);
        let workload = &read.groups[0].workload;
        (workload.request_rate.clone(), workload.max_concurrency.clone())
    };
    assert_eq!(limits("sglang-0.5"), (Setting::Unknown, Setting::Unlimited));
    assert_eq!(limits("sglang-0.4"), (Setting::Value(8.0), Setting::Value(16.0)));
    assert_eq!(limits("vllm-0.33"), (Setting::Unlimited, Setting::Unlimited));
    assert_eq!(limits("namespace"), (Setting::Unlimited, Setting::Value(4.0)));
    assert_eq!(limits("tensorrt-llm"), (Setting::Unknown, Setting::Unknown));
}

#[test]
fn a_namespace_line_names_model_and_data_set() {
    let read = dataset(&[&fixture("text/namespace.txt")]);
    let workload = &read.groups[0].workload;
    assert_eq!(workload.model.as_deref(), Some("org/m"));
    assert_eq!(workload.dataset.as_deref(), Some("random"));
    assert_eq!(workload.other["random_output_len"], "16");
}

#[test]
fn failures_are_counted_and_hide_the_input_tokens() {
    let read = dataset(&[&fixture("text/tensorrt-llm.txt")]);
    let run = runs(&read)[0];
    assert_eq!(
        (run.info.completed, run.info.failed, run.workload.requests),
        (Some(4), Some(1), Some(5))
    );
    assert_eq!(run.workload.input_tokens, None);
}

/// The block that all ways of pasting must give: mean TTFT 10.5 ms, 2.5 s.
fn pasted(change: impl Fn(&str) -> String) -> String {
    change(&block(Some(4), 2.5, 10.5))
}

fn prefixed(prefix: &str) -> impl Fn(&str) -> String + '_ {
    move |text| text.lines().map(|line| [prefix, line, "\n"].concat()).collect()
}

#[test]
fn a_block_survives_how_it_was_pasted() {
    let mut ways: Vec<(&str, String)> =
        ["# ", "> ", "| ", "    ", "[1,0]<stdout>:", "(APIServer pid=123) ", "\u{a0}\u{a0}", "// "]
            .map(|prefix| (prefix, pasted(prefixed(prefix))))
            .into();
    let log = |text: &str| {
        let stamp =
            |(n, line): (usize, &str)| format!("INFO 11-21 01:49:{n:02} [serve.py:{n}] {line}\n");
        text.lines().enumerate().map(stamp).collect::<String>()
    };
    let clock = |text: &str| {
        let stamp = |(n, line): (usize, &str)| format!("2026-11-21T01:49:{n:02}Z {line}\n");
        text.lines().enumerate().map(stamp).collect::<String>()
    };
    ways.extend([
        ("log header", pasted(log)),
        ("time", pasted(clock)),
        ("colour", pasted(|text| text.replace("Mean", "\u{1b}[1;32mMean\u{1b}[0m"))),
        ("CRLF", pasted(|text| text.replace('\n', "\r\n"))),
        ("tabs", pasted(|text| text.replace("  ", "\t"))),
        ("NBSP", pasted(|text| text.replace(' ', "\u{a0}"))),
        ("narrow space", pasted(|text| text.replace(":  ", ":\u{202f}\u{2009}"))),
        ("full-width colon", pasted(|text| text.replace(':', "："))),
        ("stripped", pasted(|text| text.replace(" \n", "\n"))),
        ("framed", pasted(|text| text.lines().map(|line| ["| ", line, " |\n"].concat()).collect())),
        ("zero width", pasted(|text| text.replace('\n', "\u{200b}\n"))),
        ("progress", format!("  0%|   | 0/8\r100%|███| 8/8{}", pasted(str::to_owned))),
        ("progress line", pasted(|text| text.replace(TITLE, &format!("50%|█ | 4/8\r{TITLE}")))),
        ("fence on the line", format!("```{}```", pasted(|text| text.trim_end().to_owned()))),
        ("no final line end", pasted(|text| text.trim_end().to_owned())),
    ]);
    for width in [47, 60, 110] {
        ways.push(("ruler", pasted(|text| text.replace(&"=".repeat(50), &"=".repeat(width)))));
    }
    for (way, text) in ways {
        let read = read_text("note.md", &text);
        let [run] = runs(&read)[..] else { panic!("{way}: {} runs\n{text}", runs(&read).len()) };
        assert_eq!(value(run, "mean_ttft_ms"), 10.5, "{way}");
        assert_eq!(value(run, "duration"), 2.5, "{way}");
        assert_eq!(run.workload.max_concurrency, Setting::Value(4.0), "{way}");
        assert_eq!(run.workload.input_tokens, Some(320), "{way}");
        assert_eq!(run.metrics.len(), 6, "{way}: {:?}", run.metrics);
    }
}

#[test]
fn utf_16_of_a_windows_shell_is_read() {
    let text = format!("优化前：\n{}优化后：\n{}", block(None, 2.5, 10.5), block(None, 2.5, 11.5));
    for (mark, bytes) in [
        (b"\xff\xfe", text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()),
        (b"\xfe\xff", text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("note.txt");
        std::fs::write(&path, [&mark[..], &bytes].concat()).expect("a file");
        let read = dataset(&[&path.display().to_string()]);
        assert_eq!(counts(&read.groups[0]), [("优化前", 1), ("优化后", 1)]);
    }
}

#[test]
fn a_log_line_inside_a_block_is_passed_over() {
    let noise = "INFO:     127.0.0.1:50000 - \"POST /v1/completions HTTP/1.1\" 200 OK\n\
                 INFO 11-21 [loggers.py:116] Prefix cache hit rate: 12.0%\n";
    let text = pasted(|text| text.replace("Total input", &format!("{noise}Total input")));
    let read = read_text("log.txt", &text);
    assert_eq!(runs(&read)[0].metrics.len(), 6, "{:?}", runs(&read)[0].metrics);
}

#[test]
fn a_steady_state_part_changes_nothing_of_the_run() {
    let inner =
        format!("{}\n{}", " Steady-State Result ".to_owned(), line("Mean TTFT (ms):", "7.25"));
    let inside = inner.replacen(" Steady-State Result ", "===== Steady-State Result =====", 1);
    let ruler = "=".repeat(50);
    let text =
        pasted(|text| text.replacen(&format!("\n{ruler}"), &format!("\n{inside}{ruler}"), 1));
    let read = read_text("note.md", &text);
    assert_eq!(value(runs(&read)[0], "mean_ttft_ms"), 10.5);
    let read = dataset(&[&fixture("text/vllm-rust.txt")]);
    assert_eq!(read.inputs[0].skipped.len(), 1);
}

/// Each note with the variants and numbers of runs that a reader would see in it.
#[test]
fn headings_of_all_kinds_name_variants() {
    let (a, b) = (block(Some(4), 2.5, 10.5), block(Some(4), 2.5, 11.5));
    let fenced = |text: &str| format!("```\n{text}```\n");
    let (fa, fb) = (fenced(&a), fenced(&b));
    let notes = [
        ("markdown", format!("# Title\n## main\n{fa}\n## pr\n{fb}")),
        ("closed markdown", format!("## main ##\n{fa}\n## pr ##\n{fb}")),
        ("bold", format!("**main**\n{fa}\n**pr:** (TTFT -3%)\n{fb}")),
        ("colon", format!("main:\n\n{fa}\npr：\n\n{fb}")),
        ("plain above a fence", format!("main\n{fa}\npr\n{fb}")),
        ("not fenced", format!("main:\n{a}\npr:\n{b}")),
        ("underlined", format!("Results\n=======\n\nmain\n----\n{fa}\npr\n----\n{fb}")),
        ("list", format!("- main:\n{fa}\n- **pr**:\n{fb}")),
        (
            "summary",
            format!(
                "<details><summary>main</summary>\n\n{fa}\n</details>\n<details>\n<summary><b>pr</b></summary>\n\n{fb}</details>"
            ),
        ),
        ("separated", format!("main:\n\n---\n\n{fa}\n***\npr:\n\n{fb}")),
        ("in one fence", format!("```\n# main\n{a}\n# pr\n{b}```\n")),
        (
            "command in the fence",
            format!(
                "main:\n```\n$ vllm bench serve --x\nINFO starting\n{a}```\npr:\n```\n$ vllm bench serve\nINFO starting\n{b}```"
            ),
        ),
        (
            "log under a colon",
            format!("main:\nWARNING no tokenizer\n{a}\npr:\nWARNING no tokenizer\n{b}"),
        ),
        (
            "prose between",
            format!("## main\nRan it twice today\n{fa}\n## pr\nafter a new start\n{fb}"),
        ),
        (
            "prose and a colon",
            format!("main:\n\nfirst of two\n\n{fa}\npr:\n\nin the afternoon\n\n{fb}"),
        ),
        ("opened twice", format!("## main\n```text\n{a}\n```text\n```\n\n## pr\n{fb}")),
    ];
    for (kind, note) in notes {
        let read = read_text("note.md", &note);
        assert_eq!(counts(&read.groups[0]), [("main", 1), ("pr", 1)], "{kind}\n{note}");
    }
}

#[test]
fn two_levels_of_headings_are_told_apart_both_ways_round() {
    let (closed, open) = (block(Some(4), 2.5, 10.5), block(None, 1.5, 30.5));
    let outer_variant = format!(
        "# Notes\n## main\nThroughput:\n{closed}\nLatency:\n{open}\n## pr\nThroughput:\n{closed}Latency:\n{open}"
    );
    // Different values, so that no block is a copy.
    let mut number = 10.0;
    let mut different = |text: &str| {
        let mut out = String::new();
        for part in text.split_inclusive("Mean TTFT") {
            number += 1.25;
            out += &part
                .replace("10.50", &format!("{number:.2}"))
                .replace("30.50", &format!("{number:.2}"));
        }
        out
    };
    let inner_variant = format!(
        "## Throughput\n### main\n{closed}\n### pr\n{closed}\n## Latency\n### main\n{open}\n### pr\n{open}"
    );
    for note in [different(&outer_variant), different(&inner_variant)] {
        let read = read_text("note.md", &note);
        assert_eq!(read.groups.len(), 2, "{note}");
        for (group, label) in read.groups.iter().zip(["Throughput", "Latency"]) {
            assert_eq!(counts(group), [("main", 1), ("pr", 1)]);
            assert_eq!(group.workload.label.as_deref(), Some(label));
        }
    }
}

#[test]
fn sections_that_recur_are_kept_apart_even_under_one_load() {
    let b = |ttft| block(Some(4), 2.5, ttft);
    let note = format!(
        "## main\n### tp 1\n{}### tp 2\n{}## pr\n### tp 1\n{}### tp 2\n{}",
        b(10.25),
        b(20.25),
        b(11.25),
        b(21.25)
    );
    let read = read_text("note.md", &note);
    assert_eq!(read.groups.len(), 2);
    assert_eq!(value(&read.groups[1].variants[0].runs[0], "mean_ttft_ms"), 20.25);
}

#[test]
fn headings_that_count_are_runs() {
    let b = |ttft| block(Some(4), 2.5, ttft);
    for words in [["Run 1", "Run 2"], ["第一次", "第二次"], ["1", "2"]] {
        let [one, two] = words;
        let note = format!(
            "## main\n### {one}\n{}### {two}\n{}## pr\n### {one}\n{}### {two}\n{}",
            b(10.25),
            b(10.75),
            b(11.25),
            b(11.75)
        );
        let read = read_text("note.md", &note);
        assert_eq!(counts(&read.groups[0]), [("main", 2), ("pr", 2)]);
        assert_eq!(read.groups[0].variants[0].runs[1].name.as_deref(), Some(two));
    }
}

#[test]
fn a_block_without_a_heading_is_no_repeat_of_one_with() {
    let note = format!("{}\n## after\n{}", block(None, 2.5, 10.25), block(None, 2.5, 11.25));
    assert_eq!(counts(&read_text("note.md", &note).groups[0]), [("note", 1), ("after", 1)]);
}

#[test]
fn settings_ahead_of_a_block_are_not_those_of_the_next() {
    let note = format!(
        "Maximum request concurrency: 8\n{}\n{}",
        block(None, 2.5, 10.25),
        block(None, 2.5, 11.25)
    );
    let read = read_text("note.md", &note);
    let caps: Vec<Setting> =
        runs(&read).iter().map(|run| run.workload.max_concurrency.clone()).collect();
    assert_eq!(caps, [Setting::Value(8.0), Setting::Unlimited]);
}

/// Three notes in one: the third heading must not make its block a repeat of the second.
#[test]
fn headings_with_a_setting_name_variants() {
    let b = |ttft| block(Some(4), 2.5, ttft);
    let long = format!("pr, again with {}", "the very same flags and ".repeat(8));
    for [one, two, three] in [
        ["## main", "## pr (50%)", "## pr (90%)"],
        ["## main", "## pr", "## pr (90%)"],
        ["main:", "pr:", "max_num_seqs=256:"],
        ["**main：**", "**pr：**", "**pr, gpu mem 90%：**"],
        ["**main**", "**pr** (50%)", "**pr** (90%)"],
        ["main:", "pr:", "pr, gpu mem 90%:"],
        ["优化前：", "优化后：", "优化后，显存 90%："],
        ["## main", "## pr", &format!("## {long}")],
        ["## main", &format!("## {long} 1"), &format!("## {long} 2")],
        ["## main", "## pr", "<h2>pr v2</h2>"],
        ["<h2 id=\"a\">main</h2>", "<h2>pr</h2>", "<H2>pr <i>v2</i></H2>"],
    ] {
        let note = format!("{one}\n\n{}\n{two}\n\n{}\n{three}\n\n{}", b(10.5), b(11.5), b(12.5));
        let read = read_text("note.md", &note);
        assert_eq!(counts(&read.groups[0]).len(), 3, "{:?}\n{note}", counts(&read.groups[0]));
        assert!(runs(&read).iter().all(|run| run.info.claims.is_empty()), "{note}");
    }
    let note = format!("## main\n{}## pr (50%)\n{}## pr (90%)\n{}", b(10.5), b(11.5), b(12.5));
    let read = read_text("note.md", &note);
    assert_eq!(counts(&read.groups[0]), [("main", 1), ("pr (50%)", 1), ("pr (90%)", 1)]);
}

#[test]
fn a_change_beside_a_heading_is_no_part_of_its_label() {
    let b = |ttft| block(Some(4), 2.5, ttft);
    for heading in ["## pr (TTFT -3%)", "**pr：** (TTFT ⬇️ 3%)", "## pr (3%)", "**pr** 3%"] {
        let note = format!("## main\n{}{heading}\n{}{}", b(10.5), b(11.5), b(12.5));
        let read = read_text("note.md", &note.replace("## main", &heading.replace("pr", "main")));
        assert_eq!(counts(&read.groups[0]), [("main", 1), ("pr", 2)], "{heading}");
        assert_eq!(runs(&read)[1].info.claims.len(), 1, "{heading}");
    }
    let note =
        format!("## main\n{}## pr (TTFT -3%)\n{}## pr (TTFT -4%)\n{}", b(10.5), b(11.5), b(12.5));
    assert_eq!(counts(&read_text("note.md", &note).groups[0]), [("main", 1), ("pr", 2)]);
}

#[test]
fn a_block_without_its_title_is_read() {
    let whole = block(Some(4), 2.5, 10.5);
    let headless = block(Some(4), 2.5, 11.5).replace(TITLE, "");
    for note in [
        format!("## main\n{whole}\n## pr\n{headless}"),
        format!("main:\n```\n{headless}```\npr:\n```\n{whole}```\n"),
        format!("{whole}{}", prefixed("# ")(&headless)),
    ] {
        let read = read_text("note.md", &note);
        let mut ttfts: Vec<f64> =
            runs(&read).iter().map(|run| value(run, "mean_ttft_ms")).collect();
        ttfts.sort_by(f64::total_cmp);
        assert_eq!(ttfts, [10.5, 11.5], "{note}");
    }
    // Some lines of a result, without the ruler below it, are told of.
    let lines = "Mean TTFT (ms): 10.50\nP99 TTFT (ms): 21.00\n";
    let read = read_text("note.md", &format!("## main\n{whole}\n{lines}\n## pr\n{whole}"));
    let [note] = &read.inputs[0].skipped[..] else { panic!("{:?}", read.inputs[0].skipped) };
    assert!(
        note.why
            .contains("2 figures outside of blocks are not read (the first: \"Mean TTFT (ms)\")"),
        "{}",
        note.why
    );
    // One figure and an underlined heading are none.
    let note = format!("{whole}\nMean TTFT (ms): 10.50\n\nAgain\n{}\n{whole}", "=".repeat(30));
    assert!(read_text("note.md", &note).inputs[0].skipped.is_empty());
}
