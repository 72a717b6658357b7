//! Exports as people have them: what the report says of cells, columns and runs that it does not judge.

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Output};

struct Place(tempfile::TempDir);

impl Place {
    fn with(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("t.csv"), text).expect("a file");
        Self(folder)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
            .args(arguments)
            .current_dir(self.0.path())
            .env("NO_COLOR", "1")
            .env("COLUMNS", "400")
            .output()
            .expect("the executable runs")
    }

    /// What is printed, as one line.
    #[track_caller]
    fn text(&self, arguments: &[&str]) -> String {
        let out = self.run(arguments);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        one_line(&String::from_utf8(out.stdout).expect("text"))
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn one_variant_names_the_columns_that_could_have_several() {
    let mut table = "task,engine,quantization,run,time_s,host\n".to_owned();
    for (at, quantization) in ["32-bit", "16-bit", "awq"].iter().enumerate() {
        for run in 0..4 {
            let engine = ["x", "y"][run % 2];
            let row = format!("sum,{engine},{quantization},{run},{},h{at}{run}", 10 + run);
            writeln!(table, "{row}").expect("text");
        }
    }
    // The only column of words names the variants itself.
    let place = Place::with(&table.replace("engine,", "").replace(",x,", ",").replace(",y,", ","));
    let out = place.run(&["compare", "t.csv", "--metric", "time_s:lower"]);
    let said = one_line(&String::from_utf8_lossy(&out.stderr));
    assert!(said.contains("which variant is the baseline? add --base NAME"), "{said}");
    assert!(said.contains("found \"32-bit\", \"16-bit\", \"awq\""), "{said}");
    let place = Place::with(&table);
    for command in ["compare", "batch"] {
        let out = place.run(&[command, "t.csv", "--metric", "time_s:lower"]);
        assert_eq!(out.status.code(), Some(2));
        let said = one_line(&String::from_utf8_lossy(&out.stderr));
        let columns = "in these runs it could be --variant-column engine (2 values: x, y), --variant-column quantization (3 values: 16-bit, 32-bit, awq)";
        assert!(said.ends_with(columns), "{said}");
    }
    // Versions that are numbers, which would be a metric.
    let place = Place::with("generation,rep,ms\n3.0,1,5\n3.0,2,6\n3.1,1,5\n3.1,2,7\n");
    let out = place.run(&["compare", "t.csv"]);
    let said = one_line(&String::from_utf8_lossy(&out.stderr));
    assert!(said.contains("--variant-column generation (2 values: 3.0, 3.1)"), "{said}");
}

#[test]
fn rows_of_requests_without_runs_are_told_the_column() {
    let mut table = "variant,ttft_ms,e2el_ms\n".to_owned();
    for (first, variant) in [(50, "before"), (51, "after")] {
        for row in 0..150 {
            writeln!(table, "{variant},{},{}", first + row % 7, 900 + row % 11).expect("text");
        }
    }
    let text = Place::with(&table).text(&["compare", "t.csv"]);
    let next = text.split("Next: ").nth(1).expect("a next step");
    assert!(next.contains("name the run of every row in a column run"), "{next}");
}

/// Five cells without a partner, one with too few runs, one that is judged.
#[test]
fn cells_that_are_not_judged_are_named_with_the_reason() {
    let mut table = "model,version,round,output_throughput\n".to_owned();
    for model in ["a", "b", "c", "d", "e"] {
        for round in 0..3 {
            writeln!(table, "{model},v2,{round},{}", 100 + round).expect("text");
        }
    }
    table.push_str("f,v1,0,100\nf,v2,0,101\n");
    for round in 0..4 {
        writeln!(table, "g,v1,{round},{}\ng,v2,{round},{}", 100 + round, 150 + round)
            .expect("text");
    }
    let place = Place::with(&table);
    let all = ["batch", "t.csv", "--by", "model", "--base", "v1", "--noise", "own"];
    let text = place.text(&all);
    let alone = "not compared: v2 (only v2 has runs) in 5 cells: model a (3 runs); model b (3 runs); \
                 model c (3 runs); and 2 more (--all)";
    assert!(text.contains(alone), "{text}");
    assert!(text.contains("not judged (too few runs): model f"), "{text}");
    let text = place.text(&[&all[..], &["--all"]].concat());
    assert!(text.contains("model d (3 runs); model e (3 runs) "), "{text}");
    let text = place.text(&[&all[..], &["--format", "markdown"]].concat());
    assert!(text.contains("- not judged (too few runs): model f"), "{text}");
}

#[test]
fn of_many_comparisons_those_that_moved_are_shown() {
    let table = |moved: usize| {
        let mut table = "variant,run,mean_ttft_ms\n".to_owned();
        for build in 0..15 {
            let name = if build == 0 { "main".to_owned() } else { format!("build-{build}") };
            let more = if build == moved { 20 } else { 0 };
            for run in 0..4 {
                writeln!(table, "{name},{run},{}", 100 + more + (build + run) % 4).expect("text");
            }
        }
        table
    };
    let place = Place::with(&table(3));
    for format in ["text", "markdown"] {
        let text = place.text(&["compare", "t.csv", "--base", "main", "--format", format]);
        let shown = text.split("<details>").next().expect("a start");
        assert!(shown.contains("build-3 (n=4)") && !shown.contains("build-4 (n=4)"), "{shown}");
        let rest = "13 of 14 comparisons did not move beyond noise.";
        assert!(shown.contains(rest) && shown.contains("beyondnoise batch"), "{shown}");
    }
    let text = place.text(&["compare", "t.csv", "--base", "main", "-v"]);
    assert!(text.contains("build-4 against main"), "{text}");
    let text = Place::with(&table(99)).text(&["compare", "t.csv", "--base", "main"]);
    assert!(
        text.contains("None of the 14 comparisons that could be judged moved beyond noise."),
        "{text}"
    );
}

/// By Welch's test (scipy 1.17, `ttest_ind(..., equal_var=False)` of the logarithms) the TTFT has p 0.027 and the
/// TPOT 0.87: of two metrics Holm doubles the first.
#[test]
fn a_change_that_only_the_number_of_metrics_hides_is_explained() {
    let table = "variant,run,mean_ttft_ms,mean_tpot_ms\n\
                 before,1,100,10.00\nbefore,2,103,10.30\nbefore,3,98,9.80\nbefore,4,101,10.10\n\
                 after,1,104.5,10.10\nafter,2,107,10.25\nafter,3,102.2,9.75\nafter,4,105,10.00\n";
    let text = Place::with(table).text(&["compare", "t.csv", "--method", "welch"]);
    assert!(text.starts_with("beyondnoise: within noise"), "{text}");
    let why = "mean TTFT: beyond noise by itself, but not after correcting for 2 metrics";
    assert!(text.contains(why) && text.contains("p is 0.055 instead of 0.027"), "{text}");
    // What is shown agrees with what is said: scipy's 97.5 % interval of the ratio, by Welch, is -0.1 % to +8.6 %.
    assert!(
        text.contains("mean TTFT +4.2 % (95 % CI −0.1 … +8.6, corrected for 2 metrics)"),
        "{text}"
    );
}

#[test]
fn a_batch_says_that_it_did_not_leave_out_the_run_apart() {
    let mut table = "model,version,run,output_throughput\n".to_owned();
    for model in ["a", "b"] {
        for run in 0..8 {
            let apart = if model == "a" && run == 5 { 12.0 } else { 0.0 };
            writeln!(
                table,
                "{model},v1,{run},{}\n{model},v2,{run},{}",
                100.0 + f64::from(run % 4) / 10.0,
                102.0 + f64::from(run % 4) / 10.0 - apart
            )
            .expect("text");
        }
    }
    let place = Place::with(&table);
    let report =
        place.text(&["batch", "t.csv", "--by", "model", "--base", "v1", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let cells = report["comparisons"].as_array().expect("cells");
    let checks = cells.iter().flat_map(|cell| cell["checks"].as_array().expect("checks"));
    let apart: Vec<&str> = checks
        .filter(|check| check["id"] == "outlier-run")
        .filter_map(|check| check["message"].as_str())
        .collect();
    assert_eq!(apart.len(), 1, "{apart:?}");
    assert!(apart[0].contains("A batch does not compute the verdict without it"), "{}", apart[0]);
}

/// By hand: the means are 0 and 13/3; a ratio to 0 does not exist.
#[test]
fn a_metric_that_is_zero_has_an_absolute_change() {
    let table =
        "variant,run,stalls\nbefore,1,0\nbefore,2,0\nbefore,3,0\nafter,1,4\nafter,2,5\nafter,3,4\n";
    let place = Place::with(table);
    let all = ["compare", "t.csv", "--metric", "stalls:lower"];
    let text = place.text(&all);
    assert!(text.contains("regressed, stalls +4.333 (95 % CI"), "{text}");
    assert!(text.contains("worse (no ratio)"), "{text}");
    assert!(!text.contains("copies, or averages already"), "{text}");
    let report: serde_json::Value =
        serde_json::from_str(&place.text(&[&all[..], &["--format", "json"]].concat()))
            .expect("JSON");
    let row = &report["comparisons"][0]["metrics"][0];
    assert!(row["delta"]["relative"].is_null());
    assert!((row["delta"]["absolute"].as_f64().expect("a number") - 13.0 / 3.0).abs() < 1e-12);
    assert_eq!(row["reason"], "ratio not defined: values of 0 or below");
}

/// The name of a group repeats the variant: that differs, and says nothing.
#[test]
fn a_column_that_repeats_the_label_is_no_confounder() {
    let mut table = "generation,model,run,ms,group\n".to_owned();
    for generation in ["3.0", "3.1"] {
        for run in 0..4 {
            let group = format!("llama{generation}-8B");
            writeln!(table, "{generation},8B,{run},{},{group}", 100 + run).expect("text");
        }
    }
    let arguments = ["compare", "t.csv", "--variant-column", "generation", "--base", "3.0"];
    let arguments = [&arguments[..], &["--metric", "ms:lower"]].concat();
    let text = Place::with(&table).text(&arguments);
    assert!(!text.contains("Between the variants"), "{text}");
    let other = table.replace("llama3.1-8B", "qwen3.1-8B");
    let text = Place::with(&other).text(&arguments);
    assert!(text.contains("group llama3.0-8B against qwen3.1-"), "{text}");
}
