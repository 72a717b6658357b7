//! Layouts of tables that people write. Expected values are those of the cells in the text beside the assertion.

use beyondnoise::runs::{Dataset, Spread};

use super::{Files, close, counts, read_text, runs, try_load, value};

/// Variants with the values of a metric, over all groups.
fn values(read: &Dataset, metric: &str) -> Vec<(String, f64)> {
    read.runs().map(|(_, variant, run)| (variant.name.clone(), value(run, metric))).collect()
}

fn said(read: &Dataset, part: &str) -> bool {
    read.inputs[0]
        .skipped
        .iter()
        .any(|skipped| format!("{}: {}", skipped.place, skipped.why).contains(part))
}

fn complaint(name: &str, text: &str) -> String {
    let files = Files::new(&[(name, text)]);
    try_load(&[&files.path(name)]).expect_err("not clear").to_string()
}

#[track_caller]
fn are(read: &Dataset, metric: &str, expected: &[(&str, f64)]) {
    let found = values(read, metric);
    let expected: Vec<(String, f64)> =
        expected.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    assert_eq!(found, expected);
}

#[test]
fn columns_under_sides_are_variants_of_the_metrics_in_the_rows() {
    for (name, text) in [
        (
            "t.csv",
            "metric,before,after,change\nmean_ttft_ms,53.0 ms,0.05 s,-5.7%\ntok/s,500,550,+10%\n",
        ),
        ("t.csv", "Name,before,after\nmean TTFT (ms),53,50\ntok/s,500,550\nstate,good,good\n"),
        (
            "t.md",
            "| | before | after | Δ |\n|---|--:|--:|--:|\n| **mean TTFT (ms)** ↓ | 53.0 ms | 50 🟢 | -6 % |\n| tok/s | 500 | **550** (+10 %) | |\n",
        ),
        (
            "t.md",
            "metric | before | after\n--- | --- | ---\nmean TTFT (ms) | 53 | 50[^1]\ntok/s | 500 | 550\n",
        ),
        (
            "t.json",
            "[{\"metric\":\"mean_ttft_ms\",\"before\":53,\"z_after\":50},{\"metric\":\"tok/s\",\"before\":500,\"z_after\":550}]",
        ),
    ] {
        let read = read_text(name, &text.replace("z_after", "patched"));
        let after = if name == "t.json" { "patched" } else { "after" };
        are(&read, "mean_ttft_ms", &[("before", 53.0), (after, 50.0)]);
        are(&read, "tok/s", &[("before", 500.0), (after, 550.0)]);
    }
    let chinese =
        "| 指标 | 优化前 | 优化后 | 提升 |\n|---|---|---|---|\n| TTFT (ms) | 10 | 11 | -10% |\n";
    let read = read_text("t.md", chinese);
    are(&read, "ttft_ms", &[("优化前", 10.0), ("优化后", 11.0)]);
    assert!(said(&read, "column 提升"));
    // A setting stands beside the metric.
    let models = "Model,Metric,Before,After\nA,TTFT (ms),10,9\nB,TTFT (ms),20,19\n";
    let read = read_text("t.csv", models);
    assert_eq!(read.groups.len(), 2);
    are(&read, "ttft_ms", &[("Before", 10.0), ("After", 9.0), ("Before", 20.0), ("After", 19.0)]);
}

#[test]
fn rows_of_runs_under_sides_have_a_metric_without_a_name() {
    let read = read_text("t.csv", "run,before,after\n1,100,90\n2,101,91\n3,102,92\navg,101,91\n");
    assert_eq!(counts(&read.groups[0]), [("before", 3), ("after", 3)]);
    are(
        &read,
        "value",
        &[
            ("before", 100.0),
            ("before", 101.0),
            ("before", 102.0),
            ("after", 90.0),
            ("after", 91.0),
            ("after", 92.0),
        ],
    );
    assert!(said(&read, "--metric value:lower"), "{:?}", read.inputs[0].skipped);
    // The first column may be a load, and the heading the metric.
    let text = "## TTFT (ms)\n| concurrency | main | new |\n|---|---|---|\n| 1 | 10 | 9 |\n| 8 | 20 | 19 |\n";
    let read = read_text("t.md", text);
    assert_eq!(read.groups.len(), 2);
    are(&read, "ttft_ms", &[("main", 10.0), ("new", 9.0), ("main", 20.0), ("new", 19.0)]);
    // A metric of one's own that has such a word in its name is no variant.
    let own = read_text(
        "t.csv",
        "variant,new_tokens_x,step_ms\na,128.5,5.1\na,127.25,5.2\nb,126.75,4.9\n",
    );
    assert_eq!(counts(&own.groups[0]), [("a", 2), ("b", 1)]);
}

#[test]
fn columns_that_number_runs_are_repeats() {
    let text = "variant,run1,run2,run3,avg,std\nbefore,100,101,102,101,1\nafter,90,91,92,91,1\n";
    let read = read_text("t.csv", text);
    assert_eq!(counts(&read.groups[0]), [("before", 3), ("after", 3)]);
    assert!(said(&read, "column avg") && said(&read, "column std"));
    let text = "metric,variant,run1,run2\nmean_ttft_ms,before,100,101\nmean_ttft_ms,after,90,91\n";
    let read = read_text("t.csv", text);
    are(
        &read,
        "mean_ttft_ms",
        &[("before", 100.0), ("before", 101.0), ("after", 90.0), ("after", 91.0)],
    );
    for header in
        ["before 1,before 2,after 1,after 2", "before run 1,before run 2,after run 1,after run 2"]
    {
        let read = read_text("t.csv", &format!("metric,{header}\nmean_ttft_ms,100,101,92,93\n"));
        assert_eq!(counts(&read.groups[0]), [("before", 2), ("after", 2)], "{header}");
    }
    let twice = "| metric | main | main | new |\n|---|---|---|---|\n| TTFT (ms) | 10 | 11 | 9 |\n";
    assert_eq!(counts(&read_text("t.md", twice).groups[0]), [("main", 2), ("new", 1)]);
}

#[test]
fn columns_that_are_loads_are_neither_variants_nor_repeats() {
    let text = "| Metric | osl-128 avg | osl-512 avg |\n|---|---|---|\n\
                | Time to First Token (ms) | 24.44 | 25.59 |\n| Request Latency (ms) | 1,888.96 | 8,273.09 |\n";
    let read = read_text("a100.md", text);
    assert_eq!(read.groups.len(), 2);
    are(&read, "mean_ttft_ms", &[("a100", 24.44), ("a100", 25.59)]);
    are(&read, "mean_e2el_ms", &[("a100", 1888.96), ("a100", 8273.09)]);
    assert_eq!(read.groups[0].workload.other["osl"], "128");
    for header in ["8 | 16", "conc 8 | before"] {
        let text = format!("| Metric | {header} |\n|---|---|---|\n| TTFT (ms) | 24.44 | 25.59 |\n");
        let error = complaint("t.md", &text);
        assert!(
            error.contains("loads, or variants") && error.contains("write a row per value"),
            "{error}"
        );
    }
    // Statistics of one run are metrics of it.
    let text = "| Metric | avg | p99 |\n|---|---|---|\n| Time to First Token (ms) | 24.5 | 25.5 |\n\
                | Output Token Throughput (tokens/sec) | 500 | N/A |\n";
    let read = read_text("t.md", text);
    assert_eq!(runs(&read).len(), 1);
    are(&read, "p99_ttft_ms", &[("t", 25.5)]);
    are(&read, "output_throughput", &[("t", 500.0)]);
}

#[test]
fn a_column_may_name_variant_and_metric() {
    for header in [
        "before TTFT (ms) | after TTFT (ms) | before tok/s | after tok/s",
        "TTFT before (ms) | TTFT after (ms) | tok/s before | tok/s (after)",
    ] {
        let text = format!("| conc | {header} |\n|--|--|--|--|--|\n| 8 | 10 | 9 | 500 | 520 |\n");
        let read = read_text("t.md", &text);
        are(&read, "ttft_ms", &[("before", 10.0), ("after", 9.0)]);
        are(&read, "tok/s", &[("before", 500.0), ("after", 520.0)]);
    }
}

#[test]
fn rows_that_sum_up_others_are_no_runs() {
    let csv = "variant,run,throughput\nbefore,1,100.5\nbefore,2,101.9\nbefore,avg,101.2\nafter,1,99.2\nafter,2,100.1\nafter,std,0.64\n";
    let markdown = "## before\n| run | TTFT (ms) |\n|---|---|\n| 1 | 100 |\n| 2 | 101 |\n| **mean** | 100.5 |\n\n\
                    ## after\n| run | TTFT (ms) |\n|---|---|\n| 1 | 90 |\n| 2 | 91 |\n| 平均 | 90.5 |\n";
    let json = "{\"variant\":\"before\",\"run\":\"1\",\"ttft_ms\":100}\n{\"variant\":\"before\",\"run\":\"2\",\"ttft_ms\":101}\n\
                {\"variant\":\"before\",\"run\":\"average\",\"ttft_ms\":100.5}\n{\"variant\":\"after\",\"run\":\"1\",\"ttft_ms\":90}\n\
                {\"variant\":\"after\",\"run\":\"2\",\"ttft_ms\":91}\n";
    for (name, text) in [("t.csv", csv), ("t.md", markdown), ("t.jsonl", json)] {
        let read = read_text(name, text);
        assert_eq!(counts(&read.groups[0]), [("before", 2), ("after", 2)], "{name}");
        assert!(said(&read, "not a run"), "{:?}", read.inputs[0].skipped);
    }
    // (100.512 + 101.914 + 103.137) / 3 = 101.854 and (20.111 + 21.521 + 22.019) / 3 = 21.217: no chance.
    let unnamed = "variant,throughput,ttft_ms\nbefore,100.512,20.111\nbefore,101.914,21.521\nbefore,103.137,22.019\n\
                   before,101.854,21.217\nafter,99.212,19.113\nafter,100.113,18.309\n";
    assert_eq!(counts(&read_text("t.csv", unnamed).groups[0]), [("before", 3), ("after", 2)]);
    // A run with a number is one, and few digits may agree by chance.
    let numbered =
        "variant,run,ttft_ms\nbefore,1,100.125\nbefore,2,101.375\nbefore,3,100.75\nafter,1,99\n";
    assert_eq!(counts(&read_text("t.csv", numbered).groups[0]), [("before", 3), ("after", 1)]);
    let coarse = "variant,ttft_ms\nbefore,100\nbefore,102\nbefore,101\nafter,99\n";
    assert_eq!(counts(&read_text("t.csv", coarse).groups[0]), [("before", 3), ("after", 1)]);
    // Where the rows are statistics, a mean is one of them.
    let statistics = "stat,ttft_ms\nmean,10\np50,9\np99,20\n";
    assert_eq!(read_text("t.csv", statistics).runs().count(), 3);
}

#[test]
fn averages_keep_their_spread_where_the_runs_are_counted() {
    let text = "| metric | main | new |\n|---|---|---|\n| TTFT (s) | 0.1042 ± 0.0013 (n=5) | 0.0991 ± 0.0012 (n=6) |\n| tok/s | 500 ± 10 | 520 |\n";
    let read = read_text("t.md", text);
    let all = runs(&read);
    close(value(all[0], "ttft_ms"), 104.2);
    let Spread { sd, runs } = all[1].info.spreads["ttft_ms"];
    close(sd, 1.2);
    assert_eq!((runs, value(all[0], "tok/s")), (6, 500.0));
    assert!(!all[0].info.spreads.contains_key("tok/s"));
    assert!(said(&read, "averages of several runs"));
    let read = read_text(
        "t.csv",
        "metric,variant,mean,std,n\nmean_ttft_ms,a,104.2,1.3,5\nmean_ttft_ms,b,99,1.2,5\n",
    );
    let spread = super::runs(&read)[0].info.spreads["mean_ttft_ms"];
    assert_eq!((spread.sd, spread.runs), (1.3, 5));
    let read = read_text("t.csv", "variant,ttft_ms\na,104.2 ± 1.3 (n=5)\nb,99.1 ± 1.2 (n=5)\n");
    let spread = super::runs(&read)[0].info.spreads["ttft_ms"];
    assert_eq!((spread.sd, spread.runs), (1.3, 5));
}

#[test]
fn cells_that_say_nothing_are_empty() {
    for nothing in ["NaN", "N/A", "-", "null", "—", ""] {
        let read =
            read_text("t.csv", &format!("variant,ttft_ms,tpot_ms\na,10,1.5\na,11,{nothing}\n"));
        assert!(!runs(&read)[1].metrics.contains_key("tpot_ms"), "{nothing}");
    }
}

/// Two tables with headings are two workloads.
#[test]
fn tables_under_several_headings_are_not_pooled() {
    let text = "## A\n| build | TTFT (ms) |\n|--|--|\n| main | 10 |\n| new | 9 |\n\n\
                ## B\n| [build](x) | TTFT<sup>1</sup> (ms) ↓ |\n|--|--|\n| `main` | 20 ms |\n| **new** | 19 ✅ |\n";
    let read = read_text("t.md", text);
    assert_eq!(read.groups.len(), 2);
    are(&read, "ttft_ms", &[("main", 10.0), ("new", 9.0), ("main", 20.0), ("new", 19.0)]);
}

/// R5: columns named after versions of one thing are variants, and so are two spellings of one metric beside two sides.
#[test]
fn versions_over_columns_are_variants() {
    let text = "|| v11 | v18 |\n|-|-|-|\n|q9|5s|52s|\n|q10|6s|7s|\n";
    are(
        &read_text("t.md", text),
        "time",
        &[("v11", 5.0), ("v18", 52.0), ("v11", 6.0), ("v18", 7.0)],
    );
    let text = "| Batch Size | v0.5 Latency | v0.7 Latency |\n|---|---|---|\n| 1 | 292.48 | 308.84 |\n| 4 | 1069.32 | 1103.08 |\n";
    let read = read_text("t.md", text);
    let variants: Vec<&str> = read.runs().map(|(_, variant, _)| variant.name.as_str()).collect();
    assert_eq!(variants, ["v0.5", "v0.7", "v0.5", "v0.7"]);
    let text = "Model | Pre Tok/Sec | Post Tok/sec\n--- | --- | ---\na | 17690.7 | 28079.6\nb | 8452.7 | 10278.8\n";
    let read = read_text("t.md", text);
    let variants: Vec<&str> = read.runs().map(|(_, variant, _)| variant.name.as_str()).collect();
    assert_eq!(variants, ["Pre", "Post", "Pre", "Post"]);
}

/// R5: a column with the new value in percent of the old one compares them; of three columns that fit each other it is the
/// last that does. 26.299 / 31.768 is 82.8 %.
#[test]
fn a_percentage_of_the_old_value_is_a_comparison() {
    let text = "  | Node 6.12.0 | Node 6.13.0 | Percentage\n-- | -- | -- | --\nhttp | 31.768 | 26.299 | 82.80%\nfs | 1.737 | 1.18 | 67.90%\nurl | 10.019 | 7.207 | 71.90%\n";
    let read = read_text("t.md", text);
    assert_eq!(read.runs().count(), 6);
    assert!(said(&read, "column Percentage: compares other columns"));
}

/// R5: the number behind a label that is the same but for it numbers the runs.
#[test]
fn rounds_in_a_column_of_labels_are_runs() {
    let text = "| image | model | TTFT (ms) |\n|---|---|---|\n| a:v1 | A v1 Round1 | 51.9 |\n| a:v1 | A v1 Round2 | 49.8 |\n\
        | a:v2 | A v2 Round1 | 79.8 |\n| a:v2 | A v2 Round2 | 76.3 |\n";
    let read = read_text("t.md", text);
    assert_eq!(read.groups.len(), 1);
    assert_eq!(counts(&read.groups[0]), [("A v1", 2), ("A v2", 2)]);
}

/// R5: a column in which some cells hold several values is left out, and said.
#[test]
fn a_column_of_one_and_of_several_values_is_left_out() {
    let text = "build,load,tps,per_replica\nmain,16,2273.1,2273\nmain,32,3587.5,1800 / 1787\npr,16,2219.5,2219\npr,32,3514.9,1750 / 1764\n";
    let read = read_text("t.csv", text);
    assert_eq!(read.runs().count(), 4);
    assert!(said(&read, "column per_replica: cells such as \"1800 / 1787\" hold several values"));
}

/// The number of a run may stand before the quantity; the median beside the runs is none. 564.7 is the median of the first row.
#[test]
fn headers_that_number_runs_before_their_unit_give_repeats() {
    let text = "| Path | Run 1 tok/s | Run 2 tok/s | Run 3 tok/s | Median tok/s |\n|---|---:|---:|---:|---:|\n\
        | pageable | 497.9 | 564.7 | 824.6 | 564.7 |\n| pinned | 484.0 | 592.9 | 523.1 | 523.1 |\n";
    let read = read_text("t.md", text);
    assert_eq!(counts(&read.groups[0]), [("pageable", 3), ("pinned", 3)]);
    let values: Vec<f64> = values(&read, "tok/s").into_iter().map(|(_, value)| value).collect();
    assert_eq!(values, [497.9, 564.7, 824.6, 484.0, 592.9, 523.1]);
}

/// What stands under a word below the summary of numbered runs is no run, and a ruler may have another width than its table.
#[test]
fn what_stands_below_numbered_runs_is_none() {
    let text = "| Run | OFF tok/s | ON tok/s |\n|---|---|---|---|\n| 1 | 148.45 | 151.17 |\n| 2 | 148.73 | 150.90 |\n\
        | median | 148.59 | 151.03 |\n| τ | 10.4545 | 10.4545 |\n";
    let read = read_text("t.md", text);
    assert_eq!(counts(&read.groups[0]), [("OFF", 2), ("ON", 2)]);
    assert!(said(&read, "\"τ\" in \"Run\""));
}

/// Cells merged over two columns name their rows together; sizes that come back left of several engines are none.
#[test]
fn cells_merged_over_two_columns_are_filled_and_sizes_lead() {
    let text = "| Model | Quant | Prompt tok | llama.cpp | mlx_lm | ax |\n|---|---|---|---|---|---|\n\
        | A | 4-bit | 128 | 3,698.3 | 2,338.1 | 6,123.5 |\n| | | 512 | 7,185.3 | 7,870.0 | 17,314.3 |\n\
        | A | 6-bit | 128 | 3,609.5 | 1,823.5 | 5,223.4 |\n| | | 512 | 7,238.7 | 6,046.6 | 16,037.6 |\n";
    let read = read_text("t.md", &format!("#### Prefill throughput (tok/s)\n\n{text}"));
    assert_eq!(read.groups.len(), 4);
    for group in &read.groups {
        assert_eq!(counts(group), [("llama.cpp", 1), ("mlx_lm", 1), ("ax", 1)]);
    }
}

/// Fractions left of two sides that a column of changes names are a third one: 73.3 / 12.2 - 1 is 500.8 %.
#[test]
fn a_third_side_left_of_two_is_no_setting() {
    let text = "| 并发数 | E (v0.7.3) | E (v0.9.1) | Mine | 加速比 |\n|---|---|---|---|---|\n\
        | 1 | 12.4 | 12.2 | 73.3 | 500.8% |\n| 2 | 22.7 | 22.4 | 114.43 | 410.8% |\n| 4 | 43.5 | 40.4 | 166.82 | 312.9% |\n";
    let read = read_text("t.md", text);
    assert_eq!(read.groups.len(), 3);
    assert_eq!(counts(&read.groups[0]), [("E (v0.7.3)", 1), ("E (v0.9.1)", 1), ("Mine", 1)]);
}

/// One label cut to its capitals is the other, and tables of one metric each, below headings that name it, are one also where
/// one lacks a load.
#[test]
fn tables_of_one_metric_each_are_joined_where_loads_and_spellings_differ() {
    let table = |other: &str, rows: &str| {
        format!("| Concurrency | vLLM | {other} |\n|---|---|---|\n{rows}\n")
    };
    let first =
        table("TensorRT-LLM", "| 1 | 120 | 130 |\n| 10 | 650 | 710 |\n| 50 | 1850 | 2100 |");
    let second = table("TRT-LLM", "| 10 | 120 | 105 |\n| 50 | 380 | 340 |");
    let text = format!("## Throughput (tok/s)\n\n{first}\n## TTFT (ms)\n\n{second}");
    let read = read_text("t.md", &text);
    assert_eq!(read.groups.len(), 3);
    for group in &read.groups {
        assert_eq!(counts(group), [("vLLM", 1), ("TensorRT-LLM", 1)]);
    }
}

/// Differences from the row that has a word are no metric, and that row keeps its values: 7.8435 - 7.7206 is 0.1229.
#[test]
fn differences_from_one_row_compare() {
    let text = "| build | PPL | Δ PPL | Decode |\n|---|---|---|---|\n| F16 | 7.7206 | 基准 | — |\n\
        | Q8_0 | 7.7256 | +0.005 | 39.3 tok/s |\n| Q4_K_M | 7.8435 | +0.123 | 61.0 tok/s |\n";
    let read = read_text("t.md", text);
    let first = read.runs().find(|(_, variant, _)| variant.name == "F16");
    assert_eq!(first.map(|(.., run)| value(run, "PPL")), Some(7.7206));
    assert!(said(&read, "column Δ PPL: compares other columns"));
}

/// A dash in a table set by blanks is a value that is missing, and the unit of all labels beside sizes is that of the values.
#[test]
fn dashes_and_units_of_labels_are_no_names() {
    let text = "                     before              after\npeak allocated       27509.25 MiB        25924.50 MiB\n\
        peak reserved        30928 MiB           29352 MiB\nB=40 throughput      -                   1550.20 tok/s\n";
    let read = read_text("t.txt", text);
    let last = read.runs().last().map(|(_, variant, run)| (&*variant.name, run.metrics.clone()));
    let (variant, metrics) = last.expect("runs");
    assert_eq!((variant, metrics.len()), ("after", 3));
    let text = "| M | 1 | 2 | 4 |\n|---|---|---|---|\n| int3 µs | 25.2 | 41.8 | 55.8 |\n| fp16 µs | 116.7 | 150.7 | 218.3 |\n";
    let read = read_text("t.md", text);
    assert_eq!((read.groups.len(), counts(&read.groups[0])), (3, vec![("int3", 1), ("fp16", 1)]));
}

/// The variants of one table are those of the next one, whatever else its cells hold.
#[test]
fn variants_of_a_table_above_are_sides_below() {
    let text = "| prompt | without MTP | with MTP |\n|---|---|---|\n| a | 66.51 tok/s | 123.05 tok/s |\n| clock | 2m07s | 1m22s |\n\n\
        | mechanism | without MTP | with MTP |\n|---|---|---|\n| passes/s | 65 | 41 |\n| accepted | 1.00 | 2.98 |\n\
        | draft acceptance | n/a | 4,379 / 6,630 = 66 % |\n| per round | n/a | 52 % to 100 % |\n";
    let read = read_text("t.md", text);
    let names: Vec<&str> = read.runs().map(|(_, variant, _)| variant.name.as_str()).collect();
    assert!(names.iter().all(|name| ["without MTP", "with MTP"].contains(name)), "{names:?}");
    assert!(said(&read, "\"52 % to 100 %\" is no measured value"));
}

/// Changes of each row from the one above it are about the metric that they follow: 131.3 / 116.6 - 1 is 12.6 %.
#[test]
fn changes_from_the_row_above_are_about_the_metric_that_they_follow() {
    let text = "| build | decode (tok/s) | TTFT (ms) | step |\n|---|---|---|---|\n| v0_baseline | 112.9 | 150.5 | — |\n\
        | v2 | 116.6 | 146.7 | +3.3% |\n| v3 | 131.3 | 129.8 | +12.6% |\n| v4 | 140.7 | 122.4 | +7.2% |\n";
    let read = read_text("t.md", text);
    let claims: Vec<_> = read.runs().flat_map(|(.., run)| &run.info.claims).collect();
    assert_eq!(claims.len(), 3);
    for claim in claims {
        assert!(claim.up == Some(true) && claim.metric.as_deref() == Some("decode (tok/s)"));
    }
}

/// A sentence with two values goes on in the next line.
#[test]
fn values_of_a_sentence_that_was_wrapped_are_read() {
    let text = "Measured with 3 warm-ups and 10 runs at context 512 on the same box as before.\n\
        Median throughput changes from 542.58 to 587.68 tok/s (+8.31%); TTFT changes from 943.64 to\n871.23 ms (-7.67%).\n";
    let read = read_text("t.md", text);
    are(&read, "ttft_ms", &[("before", 943.64), ("after", 871.23)]);
}
