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
