//! Texts as people copy them out of pull requests, issues and terminals. Expected values are those that a reader of the
//! text sees.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Files, read_text, runs, try_load};

/// Every run as variant, metric and value, for the metrics that are asked for.
fn seen(name: &str, text: &str, metric: &str) -> Vec<(String, f64)> {
    let read = read_text(name, text);
    // A table may name the metric without its statistic.
    let of = |run: &beyondnoise::runs::Run| {
        let stem = metric.trim_start_matches("mean_");
        let (_, value) = run.metrics.iter().find(|(name, _)| name.ends_with(stem))?;
        Some((run.variant.clone(), value.value))
    };
    runs(&read).into_iter().filter_map(of).collect()
}

fn pairs(expected: &[(&str, f64)]) -> Vec<(String, f64)> {
    expected.iter().map(|(variant, value)| ((*variant).to_owned(), *value)).collect()
}

/// R5: one table, in the looks in which it is pasted.
#[test]
fn a_table_is_read_whatever_it_looks_like() {
    for text in [
        "| build | TTFT (ms) | TPOT (ms) |\n|---|---|---|\n| main | 80.5 | 9.5 |\n| pr | 76.5 | 9.25 |\n",
        "build | TTFT (ms) | TPOT (ms)\n-- | -- | --\nmain | 80.5 | 9.5\npr | 76.5 | 9.25\n\nWhy is it faster?\n",
        "> build\tTTFT (ms)\tTPOT (ms)\n> main\t80.5\t9.5\n> pr\t76.5\t9.25\n> Accept rates vary.\n",
        "```\n+-------+-----------+-----------+\n| build | TTFT (ms) | TPOT (ms) |\n+=======+===========+===========+\n\
         | main  | 80.5      | 9.5       |\n+-------+-----------+-----------+\n| pr    | 76.5      | 9.25      |\n\
         +-------+-----------+-----------+\n```\n",
        "┏━━━━━━━┳━━━━━━━━━━━┳━━━━━━━━━━━┓\n┃ build ┃ TTFT (ms) ┃ TPOT (ms) ┃\n┡━━━━━━━╇━━━━━━━━━━━╇━━━━━━━━━━━┩\n\
         │ main  │      80.5 │       9.5 │\n│ pr    │      76.5 │      9.25 │\n└───────┴───────────┴───────────┘\n",
        "| build | TTFT | TPOT |\n|---|---|---|\n| main | 80.5 ms | 9.5ms |\n| pr | 76.5 ms (-5%) | **9.25ms** ⬇️ |\n",
        "| TTFT (ms) main / pr | TPOT (ms) main / pr |\n|---|---|\n| 80.5 / 76.5 | 9.5 / 9.25 |\n",
    ] {
        assert_eq!(
            seen("t.md", text, "mean_ttft_ms"),
            pairs(&[("main", 80.5), ("pr", 76.5)]),
            "{text}"
        );
        assert_eq!(
            seen("t.md", text, "mean_tpot_ms"),
            pairs(&[("main", 9.5), ("pr", 9.25)]),
            "{text}"
        );
    }
}

/// R5: repeats in one cell are runs, in the order in which they are written.
#[test]
fn a_list_in_a_cell_is_a_run_each() {
    let text =
        "| build | TTFT (ms), 2 runs |\n|---|---|\n| main | 91.5, 92.5 |\n| pr | 88.0, 89.0 |\n";
    let expected = [("main", 91.5), ("main", 92.5), ("pr", 88.0), ("pr", 89.0)];
    assert_eq!(seen("t.md", text, "mean_ttft_ms"), pairs(&expected));
}

/// R5: the number of runs behind an average stands in a sentence.
#[test]
fn a_sentence_says_how_many_runs_are_behind_an_average() {
    let text = "Mean ± std over fresh starts (n=5).\n\n| Metric | main | pr |\n|---|---|---|\n\
                | Mean TTFT (ms) | 205.7 ± 1.9 | 203.8 ± 2.4 |\n| Mean TPOT (ms) | 20.7 ± 0.2 | 20.8 ± 0.3 |\n";
    let read = read_text("t.md", text);
    let first = runs(&read)[0].info.spreads["mean_ttft_ms"];
    assert_eq!((first.sd, first.runs), (1.9, 5));
}

/// R5: blocks without title or ruler, with a column for each build, with marks beside the values.
#[test]
fn blocks_are_read_as_they_are_pasted() {
    let title = "============ Serving Benchmark Result ============";
    let ruler = "=".repeat(50);
    for text in [
        "main\n```\nMean TTFT (ms): 80.5\nMean TPOT (ms): 9.5\n```\npr\n```\nMean TTFT (ms): 76.5\nMean TPOT (ms): 9.25\n```\n".to_string(),
        format!(
            "main:\n{title}\nMean TTFT (ms): 80.5   <=====\n\npr:\n{title}\nMean TTFT (ms): 76.5 (-5%)\n\n"
        ),
        format!(
            "{title}\n                  main      pr\nMean TTFT (ms):   80.5      76.5\nMean TPOT (ms):   9.5       9.25\n{ruler}\n"
        ),
        "main:\n- TTFT: 80.5 ms\n- TPOT: 9.5 ms\n\npr:\n- TTFT: 76.5 ms\n- TPOT: 9.25 ms\n".to_string(),
        "main\n\n| Key | Value |\n|---|---|\n| Mean TTFT (ms) | 80.5 |\n| Mean TPOT (ms) | 9.5 |\n\npr\n\n\
                 | Key | Value |\n|---|---|\n| Mean TTFT (ms) | 76.5 |\n| Mean TPOT (ms) | 9.25 |\n".to_string(),
    ] {
        assert_eq!(
            seen("t.md", &text, "mean_ttft_ms"),
            pairs(&[("main", 80.5), ("pr", 76.5)]),
            "{text}"
        );
    }
}

/// R5: of two short lines above one result the first is the workload.
#[test]
fn short_lines_on_two_levels_are_workload_and_variant() {
    let lines = |value: f64| format!("Throughput: {value} requests/s, 120.0 tokens/s\n");
    let text = format!(
        "with cache\n2000/80\n{}6000/80\n{}\nwithout cache\n2000/80\n{}6000/80\n{}",
        lines(6.5),
        lines(2.5),
        lines(6.0),
        lines(2.0)
    );
    let read = read_text("t.txt", &text);
    let labels: Vec<Option<String>> =
        read.groups.iter().map(|group| group.workload.label.clone()).collect();
    assert_eq!(labels, [Some("2000/80".to_owned()), Some("6000/80".to_owned())]);
    assert!(read.groups.iter().all(|group| group.variants.len() == 2));
}

/// R5: one part that is no result, or cannot be read, is listed and stops nothing.
#[test]
fn a_part_that_cannot_be_read_is_listed_by_its_line() {
    let text = "| Item | Value |\n|---|---|\n| GPU | 2 x 80 GB |\n| Driver | 570.86 |\n\n\
                | Build | Mean TTFT (ms) | Mean TPOT (ms) |\n|---|---|---|\n| before | 222.5 | 12.5 |\n| after | 219.5 | 12.0 | 7 |\n| next | 220.5 | 12.25 |\n";
    let read = read_text("t.md", text);
    let places: Vec<&str> = read.inputs[0].skipped.iter().map(|skipped| &*skipped.place).collect();
    assert_eq!(runs(&read).len(), 2);
    assert!(places.contains(&"line 1") && places.contains(&"line 9"), "{places:?}");
    // Nothing can be read: the lines that look most like results are quoted.
    let files = Files::new(&[(
        "t.md",
        "How it went:\nall 300 requests in about 12.5 s\nand so on\nand on\n",
    )]);
    let error = try_load(&[&files.path("t.md")]).expect_err("no result").to_string();
    assert!(error.contains("line 2 \"all 300 requests in about 12.5 s\""), "{error}");
    let files = Files::new(&[(
        "t.txt",
        "name   old time/op  new time/op  delta\nA-16   41.3ns ± 1%  44.0ns ± 2%  +6.54%  (p=0.008 n=5+5)\n",
    )]);
    let error = try_load(&[&files.path("t.txt")]).expect_err("averages").to_string();
    assert!(error.contains("benchstat") && error.contains("raw files"), "{error}");
}

/// R5: a title line above a CSV.
#[test]
fn a_title_above_a_csv_is_no_header() {
    let text = "Results of the nightly run, 2026-03-01\nbuild,run,ttft_ms,tok_s\nmain,1,56.5,370\nmain,2,56.0,379\npr,1,56.25,390\npr,2,55.5,391\n";
    let expected = [("main", 56.5), ("main", 56.0), ("pr", 56.25), ("pr", 55.5)];
    assert_eq!(seen("t.csv", text, "mean_ttft_ms"), pairs(&expected));
}

/// R5: lines of programs under labels.
#[test]
fn lines_of_programs_are_runs_under_their_labels() {
    let timings = |ms: f64| {
        format!(
            "prompt eval time = 812.50 ms / 1490 tokens ( 0.55 ms per token, 1833.85 tokens per second)\n\
                 eval time = {ms:.2} ms / 300 tokens ( 30.40 ms per token, 32.89 tokens per second)\n"
        )
    };
    let text = format!(
        "master:\n```\n{}```\nthis branch:\n```\n{}```\n",
        timings(9120.5),
        timings(6377.25)
    );
    assert_eq!(
        seen("t.md", &text, "eval_time_ms"),
        pairs(&[("master", 9120.5), ("this branch", 6377.25)])
    );
    let rows = |rate: f64| {
        format!(
            "| model | size | test | t/s |\n| --- | ---: | ---: | ---: |\n| q 3B | 2 GiB | pp512 | {rate:.2} ± 0.03 |\n\n"
        )
    };
    let text =
        format!("{}build: 0aa1c3f7 (7031)\n{}build: 91bd0e52 (7030)\n", rows(21.5), rows(58.25));
    let read = read_text("t.md", &text);
    let names: Vec<&str> = runs(&read).iter().map(|run| &*run.variant).collect();
    assert_eq!(names, ["0aa1c3f7 (7031)", "91bd0e52 (7030)"]);
}

/// R5: what pandas writes for `.agg`, in CSV, markdown and print: a line of metrics over one of statistics.
#[test]
fn a_header_of_several_lines_gives_metrics_and_statistics() {
    for (name, text) in [
        (
            "t.csv",
            ",tok_s,tok_s,tok_s,ttft_ms,ttft_ms\n,mean,std,count,mean,std\nbuild,,,,,\n\
             main,100.2,1.1,5,56.5,0.9\npr,104.1,1.2,5,55.0,0.8\n",
        ),
        (
            "t.csv",
            "build,tok_s,,,ttft_ms,\n,mean,std,count,mean,std\nmain,100.2,1.1,5,56.5,0.9\npr,104.1,1.2,5,55.0,0.8\n",
        ),
        (
            "t.md",
            "| build | ('tok_s', 'mean') | ('tok_s', 'std') | ('tok_s', 'count') | ('ttft_ms', 'mean') |\n\
             |--|--|--|--|--|\n| main | 100.2 | 1.1 | 5 | 56.5 |\n| pr | 104.1 | 1.2 | 5 | 55.0 |\n",
        ),
        (
            "t.txt",
            "Over 5 runs each:\n\n       tok_s        ttft_ms\n        mean   std     mean   std\nbuild\n\
             main  100.20  1.10    56.50  0.90\npr    104.10  1.20    55.00  0.80\n",
        ),
    ] {
        assert_eq!(seen(name, text, "tok_s"), pairs(&[("main", 100.2), ("pr", 104.1)]), "{text}");
        assert_eq!(seen(name, text, "ttft_ms"), pairs(&[("main", 56.5), ("pr", 55.0)]), "{text}");
        let read = read_text(name, text);
        let spread = runs(&read)[0].info.spreads["tok_s"];
        assert_eq!((spread.sd, spread.runs), (1.1, 5), "{text}");
    }
}

/// R5: columns of several levels that are no metrics, as `pivot` writes them.
#[test]
fn levels_of_a_header_that_are_no_metrics_name_variants_and_runs() {
    let text = "build,main,main,pr,pr\nrun,1,2,1,2\nconcurrency,,,,\n1,56.5,56.0,50.5,50.0\n8,66.5,66.0,60.5,60.0\n";
    let read = read_text("t.csv", text);
    assert_eq!(read.groups.len(), 2);
    let names: Vec<_> =
        runs(&read).iter().map(|run| (&*run.variant, run.name.as_deref())).collect();
    let expected = [("main", Some("1")), ("main", Some("2")), ("pr", Some("1")), ("pr", Some("2"))];
    assert_eq!(names[..4], expected);
}

/// R1: a first column without a name is a setting, unless it counts the rows.
#[test]
fn a_first_column_without_a_name_keeps_sizes_apart() {
    let read = read_text("t.csv", ",main,pr\n1,56.5,50.5\n8,66.0,60.0\n32,96.0,90.0\n");
    assert_eq!(read.groups.len(), 3);
    let text = ",build,ttft_ms\n0,main,56.5\n1,main,56.0\n2,pr,50.5\n3,pr,50.0\n";
    assert_eq!(read_text("t.csv", text).groups.len(), 1);
    let wide = ",default,chi,echo\n100,3103.5,3103.0,3104.5\n1000,32423.5,32421.0,32413.5\n5000,120057.0,111899.5,114180.0\n";
    let read = read_text("t.csv", wide);
    let variants: Vec<&str> = read.groups[0].variants.iter().map(|one| &*one.name).collect();
    assert_eq!((read.groups.len(), variants), (3, vec!["default", "chi", "echo"]));
}

/// R5: rows below a build's row that lack the build belong to it; in columns by blanks too.
#[test]
fn merged_cells_take_the_name_above_them() {
    for (name, text) in [
        ("t.csv", "build,run,tok_s\nmain,1,100.5\n,2,100.0\npr,1,110.5\n,2,110.0\n,3,110.25\n"),
        (
            "t.txt",
            "build  run  tok_s  ttft_ms\nmain   1    100.5  56.5\n       2    100.0  56.0\n\
             pr     1    110.5  50.5\n       2    110.0  50.0\n       3    110.25  50.25\n",
        ),
    ] {
        let expected =
            [("main", 100.5), ("main", 100.0), ("pr", 110.5), ("pr", 110.0), ("pr", 110.25)];
        assert_eq!(seen(name, text, "tok_s"), pairs(&expected), "{text}");
        assert!(format!("{:?}", read_text(name, text).inputs).contains("merged cells"), "{text}");
    }
}

/// R3: the mean of 100.5, 101.9 and 103.1 is 101.83, whatever the row is called.
#[test]
fn a_row_with_the_value_of_a_summary_is_no_run() {
    for label in ["summary", "Ø", "μ", "run avg", "final", "moyenne", "all"] {
        let text = format!(
            "build,run,tok_s\nmain,1,100.5\nmain,2,101.9\nmain,3,103.1\nmain,{label},101.83\n\
             pr,1,110.5\npr,2,111.9\npr,3,113.1\npr,{label},111.83\n"
        );
        assert_eq!(runs(&read_text("t.csv", &text)).len(), 6, "{label}");
    }
    let best = "build,run,ttft_ms\nmain,1,100.5\nmain,2,101.9\nmain,best,100.5\npr,1,110.5\npr,2,111.9\npr,best,110.5\n";
    assert_eq!(runs(&read_text("t.csv", best)).len(), 4);
    let other = "build,run,ttft_ms\nmain,1,100.5\nmain,2,101.9\nmain,cold,140.5\npr,1,110.5\npr,2,111.9\npr,cold,150.5\n";
    assert_eq!(runs(&read_text("t.csv", other)).len(), 6);
}

/// R5: labels of rows, and headers of one unit, that name a variant and a metric.
#[test]
fn labels_of_a_variant_and_a_metric_are_taken_apart() {
    for text in [
        "| | pp512 | tg128 |\n|--|--|--|\n| main tok/s | 1523.5 | 41.5 |\n| pr tok/s | 1690.5 | 42.5 |\n",
        "| test | tok/s main | tok/s pr | Speedup |\n|--|--|--|--|\n| pp512 | 1523.5 | 1690.5 | 1.11 |\n| tg128 | 41.5 | 42.5 | 1.02 |\n",
    ] {
        let expected = [("main", 1523.5), ("pr", 1690.5), ("main", 41.5), ("pr", 42.5)];
        assert_eq!(seen("t.md", text, "tok/s"), pairs(&expected), "{text}");
        assert_eq!(read_text("t.md", text).groups.len(), 2, "{text}");
    }
}

/// R1: a line of one word over other rows keeps these apart, and so do words between two tables.
#[test]
fn rows_of_other_sections_are_no_repeats() {
    let text = "### TTFT (ms)\n\n| Concurrency | main | pr |\n|--|--|--|\n| **mean** | | |\n| 8 | 2650 | 2507 |\n| 16 | 3730 | 3377 |\n\
                | **p99** | | |\n| 8 | 20572 | 20570 |\n| 16 | 21671 | 21509 |\n";
    assert_eq!(read_text("t.md", text).groups.len(), 4);
    let table =
        |value: f64| format!("| N | t/s |\n|--|--|\n| 0 | {value} |\n| 512 | {} |\n", value - 9.0);
    let text = format!(
        "This is what the benchmark printed with this PR on the machine under my desk.\n\n{}\nI have not looked at it for a while, but on mainline the same command printed this.\n\n{}",
        table(295.5),
        table(28.5)
    );
    let expected = [("PR", 295.5), ("mainline", 28.5), ("PR", 286.5), ("mainline", 19.5)];
    assert_eq!(seen("t.md", &text, "t/s"), pairs(&expected));
}

/// R5: a sentence with both values, where a text has nothing better; two values with an arrow are never one.
#[test]
fn sentences_and_arrows_give_both_sides() {
    for text in [
        "Mean TTFT dropped from 812 ms to 640 ms.",
        "- Mean TTFT: 812 ms → 640 ms (-21%)",
        "| metric | result |\n|--|--|\n| Mean TTFT | 812 → 640 ms |\n| Mean TPOT | 21 → 20 ms |\n",
    ] {
        let expected = pairs(&[("before", 812.0), ("after", 640.0)]);
        assert_eq!(seen("t.md", text, "mean_ttft_ms"), expected, "{text}");
    }
    assert!(
        try_load(&[&Files::new(&[("t.md", "Raised the timeout from 30 s to 60 s.")]).path("t.md")])
            .is_err()
    );
}

/// R1: a body of rows that was pasted twice counts once, and a header in it is none of its rows.
#[test]
fn rows_with_the_same_id_count_once() {
    let body = "main,u1,100.51\nmain,u2,100.77\npr,p1,110.13\npr,p2,110.91\n";
    let text = format!("build,uuid,tok_s\n{body}build,uuid,tok_s\n{body}");
    assert_eq!(runs(&read_text("t.csv", &text)).len(), 4);
    // Without an id equal rows are repeats.
    assert_eq!(runs(&read_text("t.csv", "build,tok_s\nmain,5\nmain,5\npr,6\npr,6\n")).len(), 4);
}

/// R5: sides as keys of JSON, over the metrics of each.
#[test]
fn keys_of_sides_in_json_are_variants() {
    let text = r#"[{"bs":1,"baseline":{"ttft_ms":80.5,"tok_s":41.5},"patched":{"ttft_ms":76.5,"tok_s":43.5}},
                   {"bs":8,"baseline":{"ttft_ms":180.5,"tok_s":241.5},"patched":{"ttft_ms":176.5,"tok_s":243.5}}]"#;
    let expected = [("baseline", 80.5), ("patched", 76.5), ("baseline", 180.5), ("patched", 176.5)];
    assert_eq!(seen("t.json", text, "ttft_ms"), pairs(&expected));
    assert_eq!(read_text("t.json", text).groups.len(), 2);
}

/// R3: a hundred iterations of one process are not a hundred runs.
#[test]
fn iterations_of_one_process_are_refused_as_runs() {
    let row = |build: &str, at: usize| format!("{build},{at},{}.5\n", 10 + at % 7);
    let rows: String =
        ["main", "pr"].iter().flat_map(|build| (0..100).map(|at| row(build, at))).collect();
    let files = Files::new(&[("t.csv", &format!("build,iteration,latency_ms\n{rows}"))]);
    let error = try_load(&[&files.path("t.csv")]).expect_err("iterations");
    assert!(error.to_string().contains("100 iterations"), "{error}");
}

/// R5: lines of labels and values that come back below two sides are one run each, whatever the labels are called, with a
/// colon, an equals sign or blanks between label and value; one label that comes back below one side is a run each time.
#[test]
fn labels_that_come_back_below_two_sides_are_results() {
    let text = "Baseline:\nruntime: 5329 ms\nmemory allocations: 16.47 GB\n\nThis PR:\nruntime: 5404ms (no change)\nmemory allocations: 14.62 GB\n";
    let found: Vec<(String, usize)> = runs(&read_text("t.md", text))
        .iter()
        .map(|run| (run.variant.clone(), run.metrics.len()))
        .collect();
    assert_eq!(found, [("Baseline".to_owned(), 2), ("This PR".to_owned(), 2)]);
    let equals = "master:\n```\nlatency average = 0.080 ms\ntps = 401221.33 (without connecting)\n```\npatched:\n```\nlatency average = 0.075 ms\ntps = 426501.11 (without connecting)\n```\n";
    let found: Vec<(String, f64)> = runs(&read_text("t.md", equals))
        .iter()
        .map(|run| {
            // As pgbench prints it.
            let rate = run.metrics.iter().find(|(name, _)| *name == "request_throughput");
            (run.variant.clone(), rate.expect("a rate").1.value)
        })
        .collect();
    assert_eq!(found, pairs(&[("master", 401_221.33), ("patched", 426_501.11)]));
    let each = "before:\nProcessing time: 24.6 ms\nProcessing time: 24.7 ms\n\nafter:\nProcessing time: 27.1 ms\nProcessing time: 27.2 ms\n";
    let variants: Vec<String> =
        runs(&read_text("t.md", each)).iter().map(|run| run.variant.clone()).collect();
    assert_eq!(variants, ["before", "before", "after", "after"]);
}

/// R5: two builds are told apart by their hashes above blocks of the same labels.
#[test]
fn a_few_blocks_of_the_same_labels_need_no_word_for_their_sides() {
    let block = |rate: &str, time: &str| {
        format!(
            "```\nTotal requests            24\nRequests per second       {rate} [#/sec]\nMedian time per request   {time}\nAverage time per request  1{time}\n```\n"
        )
    };
    let text = format!(
        "5e049e1e3185991fd1aa56c8dbd47507e4ebaf31\n{}\n3f07b7e8d123b5c8598453b0c0d54adfc75d7b6d\n{}",
        block("56.52", "3ms"),
        block("95.99", "4ms")
    );
    let found: Vec<(String, f64)> = runs(&read_text("t.md", &text))
        .iter()
        .map(|run| (run.variant[..7].to_owned(), run.metrics["request_throughput"].value))
        .collect();
    assert_eq!(found, pairs(&[("5e049e1", 56.52), ("3f07b7e", 95.99)]));
}

/// R5: values and remarks behind a label are no labels of columns, and lists behind a colon are no rows of a CSV but the repeats
/// of a side.
#[test]
fn lines_of_values_are_neither_columns_nor_rows() {
    let map = |name: &str, a: f64, b: f64, c: f64| {
        format!(
            "{name} (4 byte objects):\nmap_grow      {a} ns  (23421757 hashes)\nmap_replace   {b} ns  (10000000 hashes)\nmap_fetch     {c} ns  (10000000 hashes)\n\n"
        )
    };
    let text = map("SPARSE", 220.3, 25.6, 161.8) + &map("DENSE", 35.3, 6.3, 27.6);
    let variants: Vec<String> =
        runs(&read_text("t.md", &text)).iter().map(|run| run.variant.clone()).collect();
    assert_eq!(variants, ["SPARSE (4 byte objects)", "DENSE (4 byte objects)"]);
    let text =
        "epoch time (s), ResNet50, 8xA100\n\n* main: 61.2, 61.5, 61.1\n* pr: 55.0, 55.4, 54.8\n";
    let counts = runs(&read_text("t.md", text)).iter().filter(|run| run.variant == "main").count();
    assert_eq!(counts, 3);
}

/// R5: numbers alone below the names of two sides are their runs, and a case with its two sides in one line is read.
#[test]
fn bare_numbers_and_sides_behind_a_case_are_read() {
    let text =
        "Prior to this PR:\n\n0.4431\n0.4450\n0.4556\n\nAfter this PR:\n\n0.4380\n0.4324\n0.4343\n";
    let counts = runs(&read_text("t.md", text)).len();
    assert_eq!(counts, 6);
    let text = "q1: prev=2009 ms, new=4702 ms, 2.34x slower ❌\nq2: prev=3326 ms, new=1373 ms, 2.42x faster ✅\n";
    let read = read_text("t.md", text);
    let found: Vec<(Option<String>, String, f64)> = runs(&read)
        .iter()
        .map(|run| {
            let (_, time) = run.metrics.iter().next().expect("a time");
            (run.workload.label.clone(), run.variant.clone(), time.value)
        })
        .collect();
    let expected = [
        ("q1", "prev", 2009.0),
        ("q1", "new", 4702.0),
        ("q2", "prev", 3326.0),
        ("q2", "new", 1373.0),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(case, side, time)| (Some((*case).to_owned()), (*side).to_owned(), *time))
        .collect();
    assert_eq!(found, expected);
}

/// R5: cells hold what HTML writes for a blank, and words between angle brackets that are no elements of HTML.
#[test]
fn cells_of_html_are_read_as_they_are_seen() {
    let text = "| Branch | Benchmark | Mean | Allocated |\n|---|---|--:|--:|\n\
        | master | time_op(<class 'int'>, 4) | 349&nbsp;μs | 939&nbsp;B |\n\
        | pr | time_op(<class 'int'>, 4) | 329&nbsp;μs | 928&nbsp;B |\n";
    let read = read_text("t.md", text);
    let sizes: Vec<f64> = runs(&read)
        .iter()
        .map(|run| {
            let size = run.metrics.iter().find(|(name, _)| name.starts_with("Allocated"));
            size.expect("bytes").1.value
        })
        .collect();
    assert_eq!(sizes, [939.0, 928.0]);
    assert!(runs(&read)[0].metadata.values().any(|cell| cell.contains("<class 'int'>")));
}

/// R1: tables of other metrics below one another, of the same builds and cases, are of the same runs.
#[test]
fn tables_of_other_metrics_below_one_another_are_of_the_same_runs() {
    let text = "benchmark | old ns/op | new ns/op | delta\n-- | -- | -- | --\nFoo | 523 | 68.6 | -86.88%\nBar | 1203 | 1190 | -1.08%\n\n\
        benchmark | old bytes | new bytes | delta\n-- | -- | -- | --\nFoo | 80 | 48 | -40.00%\nBar | 96 | 96 | +0.00%\n";
    let read = read_text("t.md", text);
    assert_eq!((read.groups.len(), runs(&read).len()), (2, 4));
    assert!(runs(&read).iter().all(|run| run.metrics.len() == 2));
}

/// R2: what llama-bench's table has beside the rate with a deviation was measured: the variants have none of it in their names.
#[test]
fn deviations_beside_the_rate_of_llama_bench_are_no_settings() {
    let text = "| model | test | t/s | peak t/s | ttfr (ms) |\n|:--|--:|--:|--:|--:|\n\
        | m | pp2048 | 1287.54 ± 66.23 | | 1528.95 ± 58.07 |\n| m | tg32 | 53.96 ± 1.86 | 55.72 ± 1.91 | |\n";
    let read = read_text("t.md", text);
    assert!(runs(&read).iter().all(|run| !run.variant.contains('±')));
    assert_eq!(runs(&read).len(), 2);
}

/// Every value with the case, the variant and the metric that it is read under.
fn all_values(text: &str) -> Vec<String> {
    let read = read_text("t.md", text);
    let mut found = Vec::new();
    for run in runs(&read) {
        let label = run.workload.label.clone().unwrap_or_default();
        let settings = run.workload.other.iter().map(|(key, value)| format!("{key}={value}"));
        let case: Vec<String> =
            std::iter::once(label).chain(settings).filter(|part| !part.is_empty()).collect();
        for (metric, value) in &run.metrics {
            found.push(format!("{}: {}: {metric} {}", case.join(" "), run.variant, value.value));
        }
    }
    found
}

/// Holds all values of texts against those that are expected, in any order.
fn assert_values(texts: &[(&str, &[&str])]) {
    for (text, expected) in texts {
        let mut found = all_values(text);
        let mut expected: Vec<String> = expected.iter().map(|&row| row.to_owned()).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{text}");
    }
}

/// R5: sides that recur below several lines, each of which names a case or a setting, are variants of these cases. The
/// second value in brackets is a second metric; a value in a sentence, a heading or a list is read as one in a line.
#[test]
fn sides_below_cases_in_sentences_headings_and_lists_are_read() {
    let texts: [(&str, &[&str]); 9] = [
        (
            "Numbers:\n\n* 3B int8:\n  * main (`--jobs 8`): 40.5ms/tok (24.69 tokens/s)\n  * PR (`--jobs 2`): 20.25 ms/token \
             (49.38 tokens/s)\n  * = 2.0x\n* 9B int8:\n  * main (`--jobs 8`): 90.5 ms/token (11.05 tokens/s)\n  * PR (`--jobs \
             2`): 60.5 ms/token (16.53 tokens/s)\n  * = 1.5x\n",
            &[
                "3B int8: main (--jobs 8): ms_per_tok 40.5",
                "3B int8: main (--jobs 8): tokens_per_s 24.69",
                "3B int8: PR (--jobs 2): ms_per_tok 20.25",
                "3B int8: PR (--jobs 2): tokens_per_s 49.38",
                "9B int8: main (--jobs 8): ms_per_tok 90.5",
                "9B int8: main (--jobs 8): tokens_per_s 11.05",
                "9B int8: PR (--jobs 2): ms_per_tok 60.5",
                "9B int8: PR (--jobs 2): tokens_per_s 16.53",
            ],
        ),
        (
            "bs = 1\nwith mtp: 31 tps\nwithout mtp: 22 tps\nbs = 8\nwith mtp: 57 tps\nwithout mtp: 61 tps\n",
            &[
                "bs=1: with mtp: tps 31",
                "bs=1: without mtp: tps 22",
                "bs=8: with mtp: tps 57",
                "bs=8: without mtp: tps 61",
            ],
        ),
        (
            "On one card I get:\n\n-> UNet as it is is **~30it/s**\n-> UNet + compile is **~47it/s**\n",
            &[": UNet as it is: it_per_s (it/s) 30", ": UNet + compile: it_per_s (it/s) 47"],
        ),
        (
            " • hono request average is 33734.4\n • koa request average is 19816\n",
            &[": hono: request average 33734.4", ": koa: request average 19816"],
        ),
        (
            "tinyserve 运行时间: 23355.5 毫秒, 4.5 token/s.\nbigserve 运行时间: 36341.5 毫秒, 2.75 token/s.\n",
            &[
                ": tinyserve: token_per_s 4.5",
                ": tinyserve: 运行时间 (毫秒) 23355.5",
                ": bigserve: token_per_s 2.75",
                ": bigserve: 运行时间 (毫秒) 36341.5",
            ],
        ),
        (
            "Elapsed: 4.5s vs 0.5s\nRead: 214,312 rows (30.75 MB) vs 32,768 rows (13.5 MB)\n\nand\n\nElapsed: 0.9s vs 0.1s\n",
            &[
                "part 1: first: Elapsed (s) 4.5",
                "part 1: first: Read (MB) 30.75",
                "part 1: first: Read (rows) 214312",
                "part 1: second: Elapsed (s) 0.5",
                "part 1: second: Read (MB) 13.5",
                "part 1: second: Read (rows) 32768",
                "part 2: first: Elapsed (s) 0.9",
                "part 2: second: Elapsed (s) 0.1",
            ],
        ),
        (
            "It is +4% PP for a 3.2 3b model (807 T/s -> 840 T/s, 42 prompt tokens).\n",
            &[": before: t_per_s 807", ": after: t_per_s 840"],
        ),
        (
            "## Reference code: 200 token/s\nsee elsewhere\n\n## Ours: 156 token/s\n```\nserve\n```\n\n## Ours, compiled: 297 token/s\n",
            &[
                ": Reference code: token_per_s 200",
                ": Ours: token_per_s 156",
                ": Ours, compiled: token_per_s 297",
            ],
        ),
        (
            "测试结果：\n* Prefill token/s（最高）：13.5\n* Decode token/s（最高）：10.25\n* 内存占用:  903.6G/944G = 95.7%\n\n带宽大约352GB/s\n\n\
             官方速度：V0.2.1\n  * Prefill token/s：88.5\n  * Decode token/s：13.25\n",
            &[
                ": 测试结果: Decode token/s 10.25",
                ": 测试结果: Prefill token/s 13.5",
                ": 官方速度：V0.2.1: Decode token/s 13.25",
                ": 官方速度：V0.2.1: Prefill token/s 88.5",
            ],
        ),
    ];
    for (text, expected) in texts {
        assert_eq!(all_values(text), expected, "{text}");
    }
    // A text that speaks of an improvement says which of two values is the old one.
    let text = "Improve the queries\n\nElapsed: 4.5s vs 0.5s\n";
    assert_eq!(all_values(text), [": before: Elapsed (s) 4.5", ": after: Elapsed (s) 0.5"]);
}

/// R5: numbers below as many words are a table whose columns are not aligned; words in place of numbers are a failed run,
/// and lines above such tables that differ in numbers alone are cases.
#[test]
fn words_above_as_many_numbers_are_a_table() {
    let text = "- Data:\nSeqlen64-data\nbatch_size latency(ms) memory(MB)\n1 8.5 737\n10 6.25 825\n\nSeqlen256-data\n\
                batch_size latency(ms) memory(MB)\n1 36.5 781\n10 31.5 1191\n200 显存不足\n";
    let read = read_text("t.md", text);
    let cells: Vec<(String, String, usize)> = read
        .groups
        .iter()
        .map(|group| {
            let workload = &group.workload;
            let runs = group.variants.iter().map(|variant| variant.runs.len()).sum();
            (workload.label.clone().unwrap_or_default(), workload.other["batch_size"].clone(), runs)
        })
        .collect();
    let cell = |label: &str, size: &str, runs| (label.to_owned(), size.to_owned(), runs);
    let expected = [
        cell("Seqlen64-data", "1", 1),
        cell("Seqlen64-data", "10", 1),
        cell("Seqlen256-data", "1", 1),
        cell("Seqlen256-data", "10", 1),
        cell("Seqlen256-data", "200", 0),
    ];
    assert_eq!(cells, expected);
    let names: std::collections::BTreeSet<&str> = read
        .groups
        .iter()
        .flat_map(|group| &group.variants)
        .map(|variant| &*variant.name)
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

/// R5: averages of benchstat are refused by their name, whatever their unit is.
#[test]
fn averages_of_benchstat_are_refused_in_any_unit() {
    for unit in ["queries/sec", "ms/min", "sec/op"] {
        let text = format!(
            "```\n        │ old.txt │ new.txt │\n        │ {unit} │ {unit}  vs base │\nSys/a=1   22.99k ± 4%   22.43k ± 2%  ~ \
             (p=0.314 n=20)\n```\n"
        );
        let files = Files::new(&[("t.md", &text)]);
        let error = try_load(&[&files.path("t.md")]).expect_err("averages").to_string();
        assert!(error.contains("averages of several runs, printed by benchstat"), "{error}");
    }
}

/// R5: numbers in prose, settings, limits and prices are no results.
#[test]
fn prose_with_numbers_is_refused() {
    for text in [
        "The binary is 2.1 MB and the startup is 4 ms.\nThe timeout is 30 s.\nThe interval is 5 s.\n",
        "- The default timeout is 30 s instead of 60 s.\n- The buffer is 64 KB.\n- The limit is 100 req/s.\n",
        "The build is about 40 s.\nThe tests are 12 s.\n",
        "server:\n  timeout: 30s\n  interval: 10s\nclient:\n  timeout: 20s\n  interval: 5s\n",
        "tp = 1\ncache: 64 MB\nwindow: 30 s\ntp = 4\ncache: 128 MB\nwindow: 60 s\n",
        "* Alpha:\n  * disk: 512 GB\n  * memory: 64 GB\n* Beta:\n  * disk: 1024 GB\n  * memory: 128 GB\n",
        "## Startup time: 30 s\n## Shutdown time: 4 s\n\nNothing else changed.\n",
        "The train is 20 minutes late.\nThe other train is 35 minutes late.\n\nDistance: 5 km vs 10 km\nPrice: 3 EUR vs 4 EUR\n",
        "Timeout: 30 s vs 60 s\n",
        "name size kind\nalpha beta gamma\n1 2 3\n4 5 6\n",
        "queue is 3 steps behind\nmaster is 5 steps behind\nCUDA is 12.4\nDriver is 550\n",
        "The free tier is 3 requests/min.\nThe paid tier is 500 requests/min.\n",
        "## Limits\nFree: 3 req/s\nPro: 50 req/s\n\n## Support\nFree: 48 hours\nPro: 4 hours\n",
    ] {
        let files = Files::new(&[("t.md", text)]);
        assert!(try_load(&[&files.path("t.md")]).is_err(), "{text}");
    }
}

/// R5: the average below a list of numbers is no run, and names their metric. 41200.5 is the mean of 41000.4, 41200.5 and
/// 41400.6; 41700.1 is that of the numbers under "Fixed".
#[test]
fn an_average_below_numbers_is_no_run_and_names_their_metric() {
    let text = "```\nThe master:\n41000.4\n41200.5\n41400.6\naverage TPS: 41200.5\nPatched:\n41900.3\n41700.1\n41499.9\n\
                average TPS: 41700.1\n```\n";
    let expected = [
        (": The master", 41000.4),
        (": The master", 41200.5),
        (": The master", 41400.6),
        (": Patched", 41900.3),
        (": Patched", 41700.1),
        (": Patched", 41499.9),
    ];
    let expected: Vec<String> =
        expected.iter().map(|(side, value)| format!("{side}: tps {value}")).collect();
    let found: Vec<String> =
        all_values(text).iter().map(|line| line.replace("TPS", "tps")).collect();
    assert_eq!(found, expected);
}

/// A label with a side names the metric of a bare number, also a time: beside a side it is none of day.
#[test]
fn a_side_with_a_metric_needs_no_unit() {
    for metric in ["time", "timing", "latency"] {
        let text = format!(
            "suite/a\nOld {metric}: 0.25\nNew {metric}: 0.20\n\nsuite/b\nOld {metric}: 0.50\nNew {metric}: 0.45\n"
        );
        let found: Vec<String> = runs(&read_text("t.md", &text))
            .iter()
            .flat_map(|run| {
                run.metrics.iter().map(|(_, value)| format!("{} {}", run.variant, value.value))
            })
            .collect();
        assert_eq!(found, ["Old 0.25", "New 0.2", "Old 0.5", "New 0.45"], "{text}");
    }
}

/// R5: columns that another one compares are variants, also beside a column named like one, and so are columns of one fine
/// resolution under names that say nothing. 16.0 / 12.5 = 1.28, 18.0 / 15.0 = 1.20.
#[test]
fn columns_of_one_quantity_are_variants() {
    const SIDES: &[&str] =
        &["Alpha 110.25", "Beta 105", "Alpha 120.5", "Beta 100.42", "Alpha 150.75", "Beta 137.05"];
    let texts: [(&str, &[&str]); 6] = [
        (
            "| Config | Alpha (µs) | FastInfer (µs) | Source/Alpha |\n|---|---:|---:|---:|\n| `fp8_k64` | 12.5000 | 16.0000 | \
             1.2800× |\n| `fp8_k128` | 15.0000 | 18.0000 | 1.2000× |\n",
            &["Alpha 12.5", "FastInfer 16", "Alpha 15", "FastInfer 18"],
        ),
        (
            "| Batch | Dim | Torch Time (ms) | Own Time (ms) | Speedup |\n|--|--|--|--|--|\n| 1 | 32 | 0.2500 | 0.1000 | 2.500 \
             |\n| 1 | 64 | 0.2600 | 0.2000 | 1.300 |\n| 2 | 32 | 0.3900 | 0.3000 | 1.300 |\n",
            &["Torch 0.25", "Own 0.1", "Torch 0.26", "Own 0.2", "Torch 0.39", "Own 0.3"],
        ),
        (
            "```\ngemm-performance:\n        N    cuX    Tri  Tri + TMA\n0   128.0  0.036288  0.015488   0.021536\n1   512.0  \
             0.037632  0.048256   0.023616\n2  1024.0  0.053856  0.230464   0.035968\n```\n",
            &[
                "cuX 0.036288",
                "Tri 0.015488",
                "Tri + TMA 0.021536",
                "cuX 0.037632",
                "Tri 0.048256",
                "Tri + TMA 0.023616",
                "cuX 0.053856",
                "Tri 0.230464",
                "Tri + TMA 0.035968",
            ],
        ),
        // Whole numbers are the sizes of the rows, and no sides.
        (
            "| B | H | len | Alpha-TFlops | Beta-TFlops | Alpha/Beta |\n|--|--|--|--|--|--|\n| 1 | 16 | 8192 | 110.25 | 105.00 | \
             1.050 |\n| 1 | 32 | 8192 | 120.50 | 100.42 | 1.200 |\n| 2 | 16 | 4096 | 150.75 | 137.05 | 1.100 |\n",
            SIDES,
        ),
        (
            "| B | H | len | Alpha | Beta | Alpha/Beta |\n|--|--|--|--|--|--|\n| 1 | 16 | 8192 | 110.25 | 105.00 | \
             1.050 |\n| 1 | 32 | 8192 | 120.50 | 100.42 | 1.200 |\n| 2 | 16 | 4096 | 150.75 | 137.05 | 1.100 |\n",
            SIDES,
        ),
        // Every metric under every name.
        (
            "```\n  Len    eager-latency    eager-tflops    own_v2-latency    own_v2-tflops\n-----  ---------------  \
             --------------  ----------------  ---------------\n 1024          1.9125         287.457            1.5557          \
             353.372\n 2048          7.4999         293.208            5.7066          385.355\n```\n",
            &[
                "eager 1.9125",
                "eager 287.457",
                "own_v2 1.5557",
                "own_v2 353.372",
                "eager 7.4999",
                "eager 293.208",
                "own_v2 5.7066",
                "own_v2 385.355",
            ],
        ),
    ];
    for (text, expected) in texts {
        let mut found: Vec<String> = runs(&read_text("t.md", text))
            .iter()
            .flat_map(|run| {
                run.metrics.iter().map(|(_, value)| format!("{} {}", run.variant, value.value))
            })
            .collect();
        let mut expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{text}");
    }
}

/// R5: a cell may hold two quantities, or the minimum, the mean and the maximum.
#[test]
fn every_quantity_of_a_cell_is_read() {
    let texts: [(&str, &[&str]); 3] = [
        (
            "| Benchmark | main | new | Speedup |\n|--|--|--|--|\n| a_strided | 5.50ms (700 MiB/s) | 2.25 ms (1700 MiB/s) | 2.44x \
             faster |\n| b_strided | 4.50ms (500 MiB/s) | 2.50 ms (900 MiB/s) | 1.80x faster |\n",
            &[
                "main: mib_per_s 500",
                "main: mib_per_s 700",
                "main: time 4.5",
                "main: time 5.5",
                "new: mib_per_s 1700",
                "new: mib_per_s 900",
                "new: time 2.25",
                "new: time 2.5",
            ],
        ),
        (
            "┃ Query ┃              HEAD ┃           my-patch ┃    Change ┃\n┡━━━━━━━╇━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━┩\n\
             │ Q 1   │ 5.50 / 6.25 ±0.50 / 8.75 ms │ 5.25 / 6.75 ±0.25 / 8.50 ms │ no change │\n\
             │ Q 2   │ 15.50 / 16.25 ±0.50 / 18.75 ms │ 15.25 / 16.75 ±0.25 / 18.50 ms │ no change │\n",
            &[
                "HEAD: max 18.75",
                "HEAD: max 8.75",
                "HEAD: mean 16.25",
                "HEAD: mean 6.25",
                "HEAD: min 15.5",
                "HEAD: min 5.5",
                "my-patch: max 18.5",
                "my-patch: max 8.5",
                "my-patch: mean 16.75",
                "my-patch: mean 6.75",
                "my-patch: min 15.25",
                "my-patch: min 5.25",
            ],
        ),
        (
            "| prompt | plan A | plan B |\n|--|--|--|\n| 20k | 34.5GB / 49.5s | — / 39.5s |\n| 38k | — | 21.5GB / 71.5s |\n",
            &[
                "plan A: gb 34.5",
                "plan A: time 49.5",
                "plan B: gb 21.5",
                "plan B: time 39.5",
                "plan B: time 71.5",
            ],
        ),
    ];
    for (text, expected) in texts {
        let mut found: Vec<String> = Vec::new();
        for run in runs(&read_text("t.md", text)) {
            for (metric, value) in &run.metrics {
                let metric = metric.split(" (").next().unwrap_or_default();
                found.push(format!("{}: {metric} {}", run.variant, value.value));
            }
        }
        found.sort();
        assert_eq!(found, expected, "{text}");
    }
}

/// R5: in a box cells belong to the columns of the ruler that they stand under, also behind the marks of a diff; columns of a
/// mean and of its deviation belong together.
#[test]
fn columns_under_two_headers_and_means_beside_deviations_are_read() {
    let boxed = "```diff\n +-------++--------+--------+--------++--------+--------+--------+\n | Item  || Time (ms/it)    | \
                 Change || Rate (it/s)     | p-val  |\n |       ||    old |    new |        ||    old |    new |        |\n \
                 +-------++--------+--------+--------++--------+--------+--------+\n | 01    ||   69.5 |   69.0 |   -1%  \
                 ||  672.5 |  674.5 | 0.4907 |\n-| 10    ||   31.5 |   33.0 |   +5%  || 1168.5 | 1077.5 | 0.0000 |\n```\n";
    let mut found: Vec<String> = Vec::new();
    for run in runs(&read_text("t.md", boxed)) {
        let item = run.workload.other.get("Item").cloned().unwrap_or_default();
        found.extend(
            run.metrics.iter().map(|(_, value)| format!("{item} {} {}", run.variant, value.value)),
        );
    }
    found.sort();
    let expected = [
        "01 new 674.5",
        "01 new 69",
        "01 old 672.5",
        "01 old 69.5",
        "10 new 1077.5",
        "10 new 33",
        "10 old 1168.5",
        "10 old 31.5",
    ];
    assert_eq!(found, expected);
    let means = "```\n  num_seqs  seq_len  trt_mean  trt_std base_mean std  speedup_percent\n     1   1024   0.031  0.004   0.044   \
                 0.002   0.302\n     4   1024   0.030  0.001   0.042   0.002   0.283\n     1   2048   0.029  0.001   0.043   \
                 0.002   0.338\n     4   2048   0.031  0.001   0.044   0.002   0.299\n```\n";
    let found: Vec<String> = runs(&read_text("t.md", means))
        .iter()
        .flat_map(|run| {
            run.metrics.iter().map(|(_, value)| format!("{} {}", run.variant, value.value))
        })
        .collect();
    let mut sorted = found.clone();
    sorted.sort();
    let expected = [
        "base 0.042",
        "base 0.043",
        "base 0.044",
        "base 0.044",
        "trt 0.029",
        "trt 0.03",
        "trt 0.031",
        "trt 0.031",
    ];
    assert_eq!(sorted, expected);
}

/// R5: what comes again below another name is of other work; a share has its own unit, and is no change.
#[test]
fn arrows_below_names_are_of_the_work_that_they_name() {
    let text = "Measured on a card\n\n```\ntrain_tiny.yaml\nMFU: 28.5% -> 29.5%\nDRAM peak: 300.5 MB -> 270.5 \
                MB\n\ntrain_large.yaml\nMFU: 4.5%\nDRAM peak: 900.5 MB -> 890.5 MB\n```\n";
    let expected = [
        "train_tiny.yaml: before: DRAM peak (MB) 300.5",
        "train_tiny.yaml: before: MFU (%) 28.5",
        "train_tiny.yaml: after: DRAM peak (MB) 270.5",
        "train_tiny.yaml: after: MFU (%) 29.5",
        "train_large.yaml: before: DRAM peak (MB) 900.5",
        "train_large.yaml: after: DRAM peak (MB) 890.5",
    ];
    assert_eq!(all_values(text), expected);
}

/// R5: lines cut out of a JSON object are lines of labels and values; a time in a clock's form is one of seconds where the
/// label says that it was measured: 20 x 60 + 35.5 = 1235.5, 10 x 60 + 3.25 = 603.25, 9 x 60 + 56.5 = 596.5.
#[test]
fn lines_of_json_and_times_of_clocks_are_values() {
    let json = "Results before:\n    \"AverageRps\": 4669,\n    \"P50LatencyInMs\": 2.5,\n    \"MaxLatencyInMs\": \
                209.5,\n\nAfter:\n    \"AverageRps\": 4992,\n    \"P50LatencyInMs\": 2.25,\n    \"MaxLatencyInMs\": 198.5\n";
    let mut found: Vec<f64> = Vec::new();
    for run in runs(&read_text("t.md", json)) {
        found.extend(run.metrics.iter().map(|(_, value)| value.value));
    }
    found.sort_by(f64::total_cmp);
    assert_eq!(found, [2.25, 2.5, 198.5, 209.5, 4669.0, 4992.0]);
    let table =
        "|rev|time|\n|--|--|\n|main|Elapsed time: 00:10:03.25|\n|fix|Elapsed time: 00:09:56.5|\n";
    assert_eq!(seen("t.md", table, "time (s)"), pairs(&[("main", 603.25), ("fix", 596.5)]));
    let clock = "| Started | Run | Elapsed |\n|--|--|--|\n| 10:15:00 | a | 0:20:35.5 |\n| 10:45:00 | b | 0:20:36.5 |\n";
    let found: Vec<f64> = runs(&read_text("t.md", clock))
        .iter()
        .flat_map(|run| run.metrics.iter().map(|(_, value)| value.value).collect::<Vec<f64>>())
        .collect();
    assert_eq!(found, [1235.5, 1236.5]);
}

/// R1: a level that changes inside of every iteration is a part of it; rows that a column counts and that differ by factors
/// are no repeats; a table of zeros was not filled in; rows that state a change are not those of a baseline; a list of
/// changes beside one of values is no result.
#[test]
fn what_is_no_repeat_is_not_pooled() {
    let mut parties = String::from("Benchmark,Variant,Iteration,Host,Running Time (s)\n");
    for variant in ["AND", "OR"] {
        for iteration in 1..=3 {
            for (host, time) in [("north", 5.0), ("south", 5.5)] {
                let time = time + 0.01 * f64::from(iteration);
                writeln!(parties, "Match,{variant},{iteration},{host},{time}").expect("text");
            }
        }
    }
    let read = read_text("t.csv", &parties);
    let sizes: Vec<usize> =
        read.groups.iter().flat_map(|group| &group.variants).map(|v| v.runs.len()).collect();
    assert_eq!(sizes, [3, 3, 3, 3]);
    let queries =
        "query,pg_ms,mongo_ms\n1,12.1,13.9\n2,55.2,50.3\n3,9.91,8.2\n4,101.3,99.2\n5,33.1,34.6\n";
    assert_eq!(read_text("t.csv", queries).groups.len(), 5);
    let zeros = "query,pg_ms,mongo_ms,winner\n1,0,0,TBD\n2,0,0,TBD\n3,0,0,TBD\n";
    let files = Files::new(&[("t.csv", zeros)]);
    let error = try_load(&[&files.path("t.csv")]).expect_err("no values").to_string();
    assert!(error.contains("found 0 in every row"), "{error}");
    let json = "{\"engines\": {\"plain\": {\"mean_ttft_ms\": 10.5, \"tokens_per_s\": 121.5}, \"cached\": {\"mean_ttft_ms\": 5.5, \
                \"tokens_per_s\": 190.5}, \"paged\": {\"mean_ttft_ms\": 5.75, \"tokens_per_s\": 183.5}}, \"comparisons\": \
                {\"cached_vs_plain\": {\"ttft_improvement_pct\": 47.6}, \"paged_vs_plain\": {\"ttft_improvement_pct\": 45.2}}}";
    let mut found: Vec<f64> = Vec::new();
    for run in runs(&read_text("t.json", json)) {
        found.extend(run.metrics.iter().map(|(_, value)| value.value));
    }
    found.sort_by(f64::total_cmp);
    assert_eq!(found, [5.5, 5.75, 10.5, 121.5, 183.5, 190.5]);
}

/// R5: columns are those whose values stand below one another; names over several columns, sizes over columns and names behind
/// the values are read as a reader of the text sees them.
#[test]
fn columns_are_known_by_their_places() {
    let texts: [(&str, &[&str]); 3] = [
        (
            "Files created (files/s):\n\n              disk               memory\njobs          vanilla  patched   vanilla patched\n\
             2             117k     112k      80k     85k\n4             185k     190k      133k    145k\n",
            &[
                "jobs=2: vanilla: disk 117000",
                "jobs=2: vanilla: memory 80000",
                "jobs=2: patched: disk 112000",
                "jobs=2: patched: memory 85000",
                "jobs=4: vanilla: disk 185000",
                "jobs=4: vanilla: memory 133000",
                "jobs=4: patched: disk 190000",
                "jobs=4: patched: memory 145000",
            ],
        ),
        (
            "```\n       before           after         ratio\n     [3fd0a91c]       [a77c21e0]\n\
             -      71.4±0.6ms       50.7±0.8ms     0.71  Fit.time_fit(False)\n\
             +      90.5±0.7ms         133±10ms     1.47  Fit.time_fit(True)\n```\n",
            &[
                "case=Fit.time_fit(False): before: time 71.4",
                "case=Fit.time_fit(True): before: time 90.5",
                "case=Fit.time_fit(False): after: time 50.7",
                "case=Fit.time_fit(True): after: time 133",
            ],
        ),
        (
            "Baseline (main):\n```\ntype              16 bytes     64 bytes\nAES-128      61204.5k   198811.5k\nAES-256      52876.5k   168340.5k\n```\n\n\
             With the change:\n```\ntype              16 bytes     64 bytes\nAES-128      65488.5k   206765.5k\nAES-256      57635.5k   176757.5k\n```\n",
            &[
                "type=AES-128: Baseline (main): 16 bytes 61204500",
                "type=AES-128: Baseline (main): 64 bytes 198811500",
                "type=AES-256: Baseline (main): 16 bytes 52876500",
                "type=AES-256: Baseline (main): 64 bytes 168340500",
                "type=AES-128: With the change: 16 bytes 65488500",
                "type=AES-128: With the change: 64 bytes 206765500",
                "type=AES-256: With the change: 16 bytes 57635500",
                "type=AES-256: With the change: 64 bytes 176757500",
            ],
        ),
    ];
    assert_values(&texts);
}

/// R5: below lines that name a side, labels that come again are metrics, whatever they are called; bars, branches of a tree and
/// brackets are no part of them, and the headers of a table in HTML name the blocks in its cells.
#[test]
fn labels_that_come_again_below_each_side_are_metrics() {
    let texts: [(&str, &[&str]); 6] = [
        (
            "Timings before the patch:\n\n```\n> solve(6)\nCPU times: user 151.5 s, sys: 16.75 s\nWall time: 175.5\n```\n\nand after:\n\n```\n\
             > solve(6)\nCPU times: user 0.5 s, sys: 0.25 s\nWall time: 1.25\n```\n",
            &[
                ": before: CPU times sys (s) 16.75",
                ": before: CPU times user (s) 151.5",
                ": before: Wall time 175.5",
                ": after: CPU times sys (s) 0.25",
                ": after: CPU times user (s) 0.5",
                ": after: Wall time 1.25",
            ],
        ),
        (
            "```\n优化前：\n├── P50: 150ms\n└── P99: 800ms\n\n优化后：\n├── P50: 125ms\n└── P99: 400ms\n```\n",
            &[
                ": 优化前: p50_ms 150",
                ": 优化前: p99_ms 800",
                ": 优化后: p50_ms 125",
                ": 优化后: p99_ms 400",
            ],
        ),
        (
            "On our server, before the patch:\n\n    run-tests arith.py\n         [162.5 s]\n\nAnd after the patch:\n\n    run-tests arith.py\n         [50.25 s]\n",
            &[": before: time (s) 162.5", ": after: time (s) 50.25"],
        ),
        (
            "修改之前：\n```\n./lookup.sh  0.63s user 0.47s system 128% cpu 0.861 total\n```\n\n修改之后：\n```\n\
             ./lookup.sh  0.35s user 0.29s system 122% cpu 0.525 total\n```\n",
            &[
                ": 修改之前: system (s) 0.47",
                ": 修改之前: total (s) 0.861",
                ": 修改之前: user (s) 0.63",
                ": 修改之后: system (s) 0.29",
                ": 修改之后: total (s) 0.525",
                ": 修改之后: user (s) 0.35",
            ],
        ),
        (
            "--- Throughput (tokens/sec) ---\nBaseline:  ############         5.25 tok/s\nFused:     #################### 8.5 tok/s (+62%)\n\n\
             --- Latency (TTFT ms) ---\nBaseline:  #################### 750.5 ms\nFused:     ################     620.5 ms (-17%)\n",
            &[
                ": Baseline: time (ms) 750.5",
                ": Baseline: tok_per_s 5.25",
                ": Fused: time (ms) 620.5",
                ": Fused: tok_per_s 8.5",
            ],
        ),
        (
            "* mandel:\n    * Speed before: 88.5 +/- 0.3%\n    * Speed after: 109.25 +/- 0.5%\n* sudoku:\n    * Speed before: 2904.75 +/- 0.8%\n    \
             * Speed after: 3377.25 +/- 0.4%\n",
            &[
                "mandel: after: Speed 109.25",
                "mandel: before: Speed 88.5",
                "sudoku: after: Speed 3377.25",
                "sudoku: before: Speed 2904.75",
            ],
        ),
    ];
    assert_values(&texts);
    let block = |(duration, tput): (&str, &str)| {
        format!(
            "<td>\n\n```\n============ Serving Benchmark Result ============\nSuccessful requests: 960\nBenchmark duration (s): {duration}\n\
             Request throughput (req/s): {tput}\n==================================================\n```\n\n</td>\n"
        )
    };
    let cells = |one, other| format!("<tr>\n{}{}</tr>\n", block(one), block(other));
    let head = "<table>\n<tr><th>with cache</th><th>without cache</th></tr>\n";
    let html = format!(
        "### Request rate = 16\n\n{head}{}</table>\n\n### Request rate = 8\n\n{head}{}</table>\n",
        cells(("64.0", "15.0"), ("75.0", "12.8")),
        cells(("120.0", "8.0"), ("128.0", "7.5"))
    );
    let expected = [
        ("with cache", 15.0),
        ("without cache", 12.8),
        ("with cache", 8.0),
        ("without cache", 7.5),
    ];
    let mut found = seen("t.md", &html, "request_throughput");
    let mut expected = pairs(&expected);
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    expected.sort_by(|a, b| a.1.total_cmp(&b.1));
    assert_eq!(found, expected);
}

/// R4, R5: several quantities in a cell, repeats in some rows, a metric that only one of two sides names, sizes with their unit
/// beside builds, a unit that is said once.
#[test]
fn cells_and_headers_say_what_they_share() {
    let texts: [(&str, &[&str]); 4] = [
        (
            "| Benchmark | Before (ns/op, B/op, allocs) | After (ns/op, B/op, allocs) | Improvement |\n|---|---|---|---|\n\
             | Parse | 2667 ns, 4528 B, 40 allocs | 2479 ns, 4528 B, 38 allocs | ✅ 7% faster |\n\
             | Write | 21955 ns, 40327 B, 276 allocs | 20723 ns, 40327 B, 275 allocs | ✅ 5.6% faster |\n",
            &[
                "Parse: Before: 2667 4528 40",
                "Parse: After: 2479 4528 38",
                "Write: Before: 21955 40327 276",
                "Write: After: 20723 40327 275",
            ],
        ),
        (
            "| N | ms/token before | **after** | gain |\n|---|---|---|---|\n| 128 | 12.5 | **8.25** | 1.52x |\n\
             | 512 | 11.5 / 11.75 | **5.25 / 5.5** | 2.16x |\n",
            &[
                "128: before: 12.5",
                "128: after: 8.25",
                "512: before: 11.5 11.75",
                "512: after: 5.25 5.5",
            ],
        ),
        (
            "| size | xml threaded | improved xml threaded | xml w/o copy |\n|---|---|---|---|\n| 4KB | 24.5 μs | 16.5 μs | 2.75 μs |\n\
             | 921MB | 2.25 s | 994.5 ms | 1.25 s |\n",
            &[
                "4KB: xml threaded: 24.5",
                "4KB: improved xml threaded: 16.5",
                "4KB: xml w/o copy: 2.75",
                "921MB: xml threaded: 2250000",
                "921MB: improved xml threaded: 994500",
                "921MB: xml w/o copy: 1250000",
            ],
        ),
        (
            "在 M5 上跑 8B 模型，prefill 从 1154 tokens/s 提升到 1810，decode 从 58 提升到 112，涨幅分别是 57% 和 93%。\n",
            &[": before: 1154 58", ": after: 1810 112"],
        ),
    ];
    for (text, expected) in texts {
        let mut found: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
        for run in runs(&read_text("t.md", text)) {
            let case: Vec<String> = run.workload.other.values().cloned().collect();
            let own = found.entry((case.join(" "), run.variant.clone())).or_default();
            own.extend(run.metrics.iter().map(|(_, value)| value.value));
        }
        let expected: BTreeMap<(String, String), Vec<f64>> = expected
            .iter()
            .map(|row| {
                let mut parts = row.split(": ").map(|part| part.trim_end_matches(':').to_owned());
                let mut next = || parts.next().expect("three parts");
                let (case, variant, values) = (next(), next(), next());
                let values = values.split(' ').map(|value| value.parse().expect("a number"));
                ((case, variant), values.collect())
            })
            .collect();
        let sorted = |mut map: BTreeMap<(String, String), Vec<f64>>| {
            for values in map.values_mut() {
                values.sort_by(f64::total_cmp);
            }
            map
        };
        assert_eq!(sorted(found), sorted(expected), "{text}");
    }
}

/// R3: rows of which each starts where the one above ended are the parts of one run.
#[test]
fn rows_that_add_up_are_no_runs() {
    let trace = |start: f64, least: f64| {
        let mut text = String::from("uptime        elapsed         block\n");
        let mut at = start;
        for nth in 0..8 {
            let elapsed = least + 0.125 * f64::from(nth % 3);
            writeln!(text, "{at:.3}        {elapsed:.3}        {nth}").expect("text");
            at += elapsed;
        }
        text
    };
    let text = format!(
        "Before the patch:\n\n{}\nWith the patch:\n\n{}",
        trace(5.0, 0.25),
        trace(4.0, 0.5)
    );
    let files = Files::new(&[("t.md", &text)]);
    let error = try_load(&[&files.path("t.md")]).err().map(|error| error.to_string());
    let error = error.unwrap_or_default();
    assert!(error.contains("samples of a run over time"), "{error}");
}

/// R3, R5: lines that count the runs are repeats, whatever is above them; times of one unit in a row are several; a label may name
/// both sides, and a table may lack its ruler.
#[test]
fn counted_lines_and_pairs_in_labels_are_read() {
    let texts: [(&str, &[&str]); 17] = [
        (
            "**0.6.3**\n\n+-------------------+---------+\n| Key               |   Value |\n+===================+=========+\n\
             | Average latency (s) | 15.25 |\n| Request throughput (req/s) | 1.5 |\n+-------------------+---------+\n\n**0.7.0**\n\n\
             +-------------------+---------+\n| Key               |   Value |\n+===================+=========+\n\
             | Average latency (s) | 14.25 |\n| Request throughput (req/s) | 1.75 |\n+-------------------+---------+\n",
            &["0.6.3: 1.5 15.25", "0.7.0: 1.75 14.25"],
        ),
        (
            "| | Old scheduler | New scheduler | Delta |\n|:--|--:|--:|:-:|\n| Wall time (s) | 1204.5 | 1198.5 | -0.50% |\n\
             | TTFT avg (s) | 1.75 | 1.5 | -14.29% |\n| TPOT avg (ms) | 29.5 | 29.75 | +0.85% |\n",
            &["Old scheduler: 29.5 1204.5 1750", "New scheduler: 29.75 1198.5 1500"],
        ),
        (
            "| | fp16 (ref) | int4 |\n|:--|:--:|:--:|\n| TTFT [ms] | 610.5<br>608.5<br>613.0 | 622.0<br>619.5<br>623.5 |\n",
            &["fp16 (ref): 608.5 610.5 613", "int4: 619.5 622 623.5"],
        ),
        (
            "| users | requests/s, tuned (default) | p50 TTFT in ms, tuned (default) |\n|--:|:-:|:-:|\n\
             | 2 | 0.75 (0.5) | 266.5 (279.5) |\n| 8 | 2.5 (2.25) | 413.5 (452.5) |\n",
            &["tuned: 0.75 2.5 266.5 413.5", "default: 0.5 2.25 279.5 452.5"],
        ),
        (
            "| Modell | Prompt | Laufzeit | Generierung |\n|:--|:--|:--|:--|\n| 9b | 1k | Engine R | 74 tok/s |\n\
             | 9b | 1k | Engine S | 79 tok/s |\n| 24b | 1k | Engine R | 35 tok/s |\n| 24b | 1k | Engine S | 41 tok/s |\n",
            &["Engine R: 35 74", "Engine S: 41 79"],
        ),
        (
            "decode, tok/s | 1st | 2nd | 3rd | 4th\n:--- | ---: | ---: | ---: | ---:\nnew kernel | 134.5 | 135.5 | 135.0 | 134.75\n\
             old kernel | 128.0 | 128.5 | 128.25 | 127.75\n",
            &["new kernel: 134.5 134.75 135 135.5", "old kernel: 127.75 128 128.25 128.5"],
        ),
        (
            "Driver 550\n+------------------------+-------+------+\n| Name                   | Value | Unit |\n\
             +------------------------+-------+------+\n| Average time to first token | 0.75 | s |\n| P99 latency | 18.5 | s |\n\
             +------------------------+-------+------+\n\nDriver 560\n+------------------------+-------+------+\n\
             | Name                   | Value | Unit |\n+------------------------+-------+------+\n\
             | Average time to first token | 1.25 | s |\n| P99 latency | 20.5 | s |\n+------------------------+-------+------+\n",
            &["Driver 550: 0.75 18.5", "Driver 560: 1.25 20.5"],
        ),
        (
            "| | plain | plain + graphs |\n|:--|:-:|:-:|\n| prefill (tok/s) | 2210.5 | 2077.5 |\n| decode (tok/s) | 61.5 | 76.5 |\n",
            &["plain: 61.5 2210.5", "plain + graphs: 76.5 2077.5"],
        ),
        (
            "--- prefill off ---\n             ttft_ms     tpot_ms\ncount        160.000     160.000\nmean         940.5      26.75\n\
             std          310.5       1.25\n50%          915.5      26.5\n\n--- prefill on ---\n             ttft_ms     tpot_ms\n\
             count        160.000     160.000\nmean         655.5      27.25\nstd          188.5       0.75\n50%          640.5      27.0\n",
            &["prefill off: 26.5 26.75 915.5 940.5", "prefill on: 27 27.25 640.5 655.5"],
        ),
        (
            "On master:\n- rmsnorm, 4096 rows: 41.5 us\n- rope, 4096 rows: 28.5 us\n\nOn this branch:\n- rmsnorm, 4096 rows: 33.5 us\n\
             - rope, 4096 rows: 28.25 us\n",
            &["On master: 28.5 41.5", "On this branch: 28.25 33.5"],
        ),
        (
            "version 3.2\n```\n╭──────────┬─────────╮\n│ stat     │   value │\n├──────────┼─────────┤\n│ workers  │      30 │\n\
             │ requests/s │ 15.25 │\n│ avg response time │  1.75 s │\n╰──────────┴─────────╯\n```\n\nversion 3.3\n```\n╭──────────┬─────────╮\n\
             │ stat     │   value │\n├──────────┼─────────┤\n│ workers  │      30 │\n│ requests/s │ 14.5 │\n│ avg response time │  2.25 s │\n\
             ╰──────────┴─────────╯\n```\n",
            &["version 3.2: 1.75 15.25 30", "version 3.3: 2.25 14.5 30"],
        ),
        (
            "| 項目 | 改善前 | 改善後 | 効果 |\n|:--|--:|--:|:--|\n| 平均 TTFT (ms) | 1180.5 | 1098.5 | 6.9% 短縮 |\n\
             | 平均 TPOT (ms) | 46.5 | 44.0 | 8.3% 短縮 |\n",
            &["改善前: 46.5 1180.5", "改善後: 44 1098.5"],
        ),
        (
            "main:\nrun 1/3: 12.5 s\nrun 2/3: 12.75 s\nrun 3/3: 12.25 s\n\nfeature-x:\nrun 1/3: 11.5 s\nrun 2/3: 11.25 s\n\
             run 3/3: 11.75 s\n",
            &["main: 12.25 12.5 12.75", "feature-x: 11.25 11.5 11.75"],
        ),
        (
            "Old: 3 runs 12.5s 12.25s 12.0s\nNew: 3 runs 10.5s 10.25s 10.0s\n",
            &["Old: 12 12.25 12.5", "New: 10 10.25 10.5"],
        ),
        (
            "Latency before/after: 812.5ms/640.5ms\nThroughput before/after: 41.25/52.5 tok/s\n",
            &["before: 41.25 812.5", "after: 52.5 640.5"],
        ),
        (
            "||before|after|\n|p50|12.5|11.5|\n|p99|44.5|39.5|\n",
            &["before: 12.5 44.5", "after: 11.5 39.5"],
        ),
        (
            "| Benchmark | Baseline Mean | Mean | Ratio |\n|---|---|---|---|\n| Sort | 12.5 ms | 10.0 ms | 0.80 |\n\
             | Find | 3.25 ms | 3.5 ms | 1.08 |\n",
            &["Baseline: 3.25 12.5", "candidate: 3.5 10"],
        ),
    ];
    for (text, expected) in texts {
        assert_eq!(by_variant("t.md", text), sides(expected), "{text}");
    }
    let results = "| Parameter | main | PR |\n|---|---|---|\n| TTFT (ms) | 80.5 | 76.5 |\n| TPOT (ms) | 9.5 | 8.5 |\n";
    assert_eq!(by_variant("t.md", results), sides(&["main: 9.5 80.5", "PR: 8.5 76.5"]));
    let flags = "Flag | main | this PR\n--- | --- | ---\nchunk size | 2048 | 8192\nswap (GiB) | 4 | 4\n\nThe jobs are in the queue.\n";
    let files = Files::new(&[("t.md", flags)]);
    assert!(try_load(&[&files.path("t.md")]).is_err(), "{flags}");
    let settings = "How to run it:\n\n| 参数 | 取值 |\n|---|---|\n| 卡数 | 4 |\n| 显存 (GB) | 64 |\n| 输入长度 | 3500 |\n";
    let files = Files::new(&[("t.md", settings)]);
    assert!(try_load(&[&files.path("t.md")]).is_err(), "{settings}");
    // A list of one length under each key is a column.
    let json = "{\"main\": {\"ttft_ms\": [80.5, 81.5], \"tok_s\": [101.5, 100.5]}, \
                \"pr\": {\"ttft_ms\": [76.5, 77.5], \"tok_s\": [105.5, 104.5]}}";
    let expected = ["main: 80.5 81.5 100.5 101.5", "pr: 76.5 77.5 104.5 105.5"];
    assert_eq!(by_variant("t.json", json), sides(&expected));
    let sizes: Vec<usize> = read_text("t.json", json)
        .groups
        .iter()
        .flat_map(|group| &group.variants)
        .map(|variant| variant.runs.len())
        .collect();
    assert_eq!(sizes, [2, 2]);
}

/// Titles between long rulers and first lines that come back are those of a program; a whole number that comes back in every
/// variant is the load.
#[test]
fn what_a_program_prints_above_its_values_names_no_variant() {
    let titled = |mean: f64, p99: f64| {
        format!(
            "------------- kvload summary -------------\nElapsed (s): {}\nLatency mean (us): {mean}\nLatency p99 (us): {p99}\n\
                 ------------------------------------------\n",
            mean / 8.0
        )
    };
    let text = format!(
        "```\n== 16 clients ==\n\nold pool\n{}\nnew pool\n{}```\n\n```\n== 64 clients ==\n\nold pool\n{}\nnew pool\n{}```\n",
        titled(88.5, 203.0),
        titled(85.5, 196.0),
        titled(231.5, 588.0),
        titled(218.5, 540.0)
    );
    let cells = read_text("t.md", &text);
    let loads: Vec<String> =
        cells.groups.iter().map(|group| group.workload.label.clone().unwrap_or_default()).collect();
    assert_eq!(loads, ["16 clients", "64 clients"]);
    // Titles that differ are labels.
    let text = "## 1k input\n======== eager ========\nTTFT (ms): 80.5\nTPOT (ms): 9.5\n======== compiled ========\n\
                TTFT (ms): 76.5\nTPOT (ms): 8.5\n";
    assert_eq!(by_variant("t.md", text), sides(&["eager: 9.5 80.5", "compiled: 8.5 76.5"]));
    let printed = |tps: f64| {
        format!(
            "pgbench (17.2)\nstarting vacuum...end.\nduration: 60 s\nlatency average = 1.5 ms\ntps = {tps}\n"
        )
    };
    let text = format!(
        "```\n$ pgbench -T 60\n\n# 4be21c0 (before the merge)\n{}\n# c19d07f (the merge)\n{}\n# e550b3a (reverted)\n{}```\n",
        printed(20062.5),
        printed(12655.25),
        printed(19988.5)
    );
    let expected = [
        ("4be21c0 (before the merge)", 20062.5),
        ("c19d07f (the merge)", 12655.25),
        ("e550b3a (reverted)", 19988.5),
    ];
    assert_eq!(seen("t.md", &text, "tps"), pairs(&expected));
    let logged = |at: u8, (connections, mean, p99): (u16, f64, f64)| {
        let lines = [
            "Duration (sec): 60.0".to_owned(),
            format!("Connections: {connections}"),
            format!("Latency avg (ms): {mean}"),
            format!("Latency p50 (ms): {}", mean - 0.25),
            format!("Latency p99 (ms): {p99}"),
        ];
        lines
            .map(|line| format!("I0221 18:0{at}:11.402117    4127 report.go:58] {line}\n"))
            .concat()
    };
    let text = format!(
        "**proxy-epoll**\n```\n{}{}```\n\n**proxy-uring**\n```\n{}{}```\n",
        logged(1, (16, 1.5, 4.25)),
        logged(2, (128, 5.5, 17.5)),
        logged(3, (16, 1.75, 4.5)),
        logged(4, (128, 5.25, 14.5))
    );
    let read = read_text("t.md", &text);
    let runs: Vec<usize> = read
        .groups
        .iter()
        .flat_map(|group| &group.variants)
        .map(|variant| variant.runs.len())
        .collect();
    assert_eq!((read.groups.len(), runs), (2, vec![1; 4]));
}

#[test]
fn what_a_program_prints_above_and_between_its_values_is_of_one_run() {
    let block = |(connections, rate, time): (u16, f64, f64)| {
        format!(
            "Threads: 4\nConnections: {connections}\nRequests/sec: {rate}\nLatency avg: {time} ms\n\n"
        )
    };
    let text = format!(
        "### Before\n\n{}{}### After\n\n{}{}",
        block((16, 8123.5, 1.5)),
        block((128, 21034.5, 6.25)),
        block((16, 8423.5, 1.75)),
        block((128, 22511.5, 5.5))
    );
    let read = read_text("t.md", &text);
    let cells: Vec<&str> =
        read.groups.iter().map(|group| &*group.workload.other["connections"]).collect();
    assert_eq!((cells, runs(&read).len()), (vec!["16", "128"], 4));
    // What counts runs is no setting.
    let text = text.replace("Threads: 4\n", "").replace("Connections: 128", "Run: 2");
    let text = text.replace("Connections: 16", "Run: 1");
    let read = read_text("t.md", &text);
    let names: Vec<_> =
        runs(&read).iter().map(|run| run.name.clone().unwrap_or_default()).collect();
    assert_eq!(
        (read.groups.len(), names),
        (1, ["run 1", "run 2", "run 1", "run 2"].map(str::to_owned).to_vec())
    );
    // As sysbench prints it: counts with their rate, statistics below the name of their quantity.
    let report = |rate: f64, time: f64| {
        format!(
            "> ```\n> SQL statistics:\n>     transactions:       128803 ({rate} per sec.)\n>     ignored errors:     0      (0.00 per sec.)\n>\n\
             > General statistics:\n>     total time:         60.5s\n>\n> Latency (ms):\n>          avg:            {time}\n\
             >          95th percentile:   {}\n> ```\n",
            time + 6.5
        )
    };
    let text = format!(
        "> **unpatched**\n>\n{}>\n> **patched**\n>\n{}",
        report(2146.5, 14.5),
        report(2258.5, 14.25)
    );
    let read = read_text("t.md", &text);
    let p95: Vec<f64> = runs(&read).iter().map(|run| run.metrics["p95_latency_ms"].value).collect();
    let rates: Vec<f64> =
        runs(&read).iter().map(|run| run.metrics["transactions_per_second"].value).collect();
    assert_eq!((p95, rates), (vec![21.0, 20.75], vec![2146.5, 2258.5]));
}

/// A file for each run, as scripts print it.
#[test]
fn the_output_of_one_run_is_read_by_the_names_of_its_results() {
    for (text, expected) in [
        (
            "warming\nlatency: 53.5 ms\nthroughput: 934 req/s\n",
            "latency_ms 53.5, request_throughput 934",
        ),
        ("loading\ndecode: 88.25 tok/s\n", "decode_tok_s 88.25"),
        ("Total time: 12.25 s\n", "total_time_s 12.25"),
        ("elapsed_ms=5321\n", "elapsed_ms 5321"),
        ("[INFO] 2024-05-01 12:00:00 latency: 5.25 ms\n", "latency_ms 5.25"),
        ("2024-05-01 12:00:01,123 - INFO - latency: 5.25 ms\n", "latency_ms 5.25"),
        (
            "queries performed:\n    read:   918\n    transactions:   200   (152991.5 per sec.)\n\nGeneral:\n    response time:\n\
             \x20        avg:     45.25ms\n         max:    528.5ms\n",
            "avg_response_time_ms 45.25, max_response_time_ms 528.5, transactions 200, transactions_per_second 152991.5",
        ),
    ] {
        let read = read_text("t.txt", text);
        let [run] = runs(&read)[..] else { panic!("{text}: {read:?}") };
        let values: Vec<String> =
            run.metrics.iter().map(|(name, value)| format!("{name} {}", value.value)).collect();
        assert_eq!(values.join(", "), expected, "{text}");
        assert_eq!(run.variant, "t", "{text}");
    }
}

/// Headings and counts keep apart what the output of one run would hold.
#[test]
fn sections_and_counted_lines_are_no_output_of_one_run() {
    for text in [
        "## Llama\n\nPrefill latency: 5 ms\n\n## Qwen\n\nDecode speed: 30 tok/s\n",
        "Run 1 time: 5.2 s\nRun 2 time: 5.3 s\nRun 3 time: 5.1 s\n",
    ] {
        let files = Files::new(&[("t.md", text)]);
        assert!(try_load(&[&files.path("t.md")]).is_err(), "{text}");
    }
    // A time in brackets is no rate.
    let text = "main:\nTotal tokens: 5120 (10.5 s)\nTTFT: 5.5 ms\n\nPR:\nTotal tokens: 5120 (9.5 s)\nTTFT: 4.5 ms\n";
    for run in runs(&read_text("t.md", text)) {
        assert!(
            run.metrics.keys().all(|name| !name.contains("second") && !name.contains("throughput"))
        );
    }
}

/// What several tables, titles and cells of one text say together.
#[test]
fn parts_of_one_text_are_read_as_what_they_are_together() {
    // A metric for each table, which its heading names.
    let table =
        |rows: &str| format!("| Batch Size | TRT | vLLM | Difference |\n|---|---|---|---|\n{rows}");
    let text = format!(
        "- **Model**: Qwen\n\n### Throughput (tokens/sec)\n\n{}\n### Time to First Token (TTFT) in ms\n\n{}",
        table("| 1 | 71.25 | 68.25 | TRT +4.4% |\n| 8 | 490.5 | 504.5 | vLLM +2.9% |\n"),
        table("| 1 | 17.5 | 208.5 | TRT +91% |\n| 8 | 41.25 | 390.25 | TRT +89% |\n")
    );
    let expected = sides(&["TRT: 17.5 41.25 71.25 490.5", "vLLM: 68.25 208.5 390.25 504.5"]);
    assert_eq!(by_variant("t.md", &text), expected);
    assert_eq!(read_text("t.md", &text).groups.len(), 2);
    // Other metrics of the same rows.
    let text = "### Speed\n\n| # | config | tok/s |\n|---|---|---|\n| 1 | plain | 3280.5 |\n| 2 | ngram-3 | 2730.25 |\n| 3 | mtp-1 | 3959.5 |\n\n\
                ### Acceptance\n\n| # | config | accept length |\n|---|---|---|\n| 2 | ngram-3 | 1.125 |\n| 3 | mtp-1 | 1.875 |\n";
    let expected = sides(&["plain: 3280.5", "ngram-3: 1.125 2730.25", "mtp-1: 1.875 3959.5"]);
    assert_eq!(by_variant("t.md", text), expected);
    // How many of how many are no repeats; a mark for about on all values says nothing against one.
    let text = "| metric | T180 | T188 | delta |\n|---|---|---|---|\n| Successful requests | 520/520 | **645/645** | both |\n\
                | Mean TPOT (ms) | 75.75 | **65.5** | **-13.5%** |\n| P99 TPOT (ms) | 93.25 | 68.75 | -26.3% |\n";
    assert_eq!(by_variant("t.md", text), sides(&["T180: 75.75 93.25", "T188: 65.5 68.75"]));
    let text = "| model | metric | v0.26.2 | v0.27.0 |\n|---|---|---|---|\n| 27B | pp2048 t/s | ~2927 | ~2916 |\n| 27B | tg32 t/s | ~75 | ~87 |\n";
    assert_eq!(by_variant("t.md", text), sides(&["v0.26.2: 75 2927", "v0.27.0: 87 2916"]));
    // A sweep of each server is no repetition, and two numbers far apart are two quantities.
    let text = "| Server | Offered QPS | p50 TTFT |\n|---|---|---|\n| old | 10 | 249 ms |\n| old | 20 | 392 ms |\n| old | 30 | 2,239 ms |\n\
                | new | 6 | 63 ms |\n| new | 14 | 345 ms |\n| new | 20 | 3,949 ms |\n";
    assert!(runs(&read_text("t.md", text)).len() == 6 && read_text("t.md", text).groups.len() > 1);
    // A step for each heading, whatever the text below it says.
    let bench = |rate: f64| {
        format!(
            "```\n| model | size | params | backend | test | t/s |\n|---|---|---|---|---|---|\n| g 2B | 2.8 GiB | 4.6 B | CUDA | pp512 | {rate} ± 0.03 |\n```\n"
        )
    };
    let text = format!(
        "## Step 0\nBaseline\n{}\n## Step 1\nAdd a flag.\n\n**Change**: `cmake -DX=ON`\n\n{}\n## Step 2\nUse it.\n\n{}",
        bench(76.5),
        bench(77.25),
        bench(79.5)
    );
    let expected = sides(&["Step 0: 76.5", "Step 1: 77.25", "Step 2: 79.5"]);
    assert_eq!(by_variant("t.md", &text), expected);
}

/// All values of each variant, sorted.
fn by_variant(name: &str, text: &str) -> BTreeMap<String, Vec<f64>> {
    let mut found: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for run in runs(&read_text(name, text)) {
        let own = found.entry(run.variant.clone()).or_default();
        own.extend(run.metrics.iter().map(|(_, value)| value.value));
        own.sort_by(f64::total_cmp);
    }
    found
}

fn sides(expected: &[&str]) -> BTreeMap<String, Vec<f64>> {
    let side = |row: &&str| {
        let (name, values) = row.split_once(": ").expect("a name and values");
        let values = values.split(' ').map(|value| value.parse().expect("a number"));
        (name.to_owned(), values.collect())
    };
    expected.iter().map(side).collect()
}
