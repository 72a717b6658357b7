//! Texts as people copy them out of pull requests, issues and terminals. Expected values are those that a reader of the
//! text sees.

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
