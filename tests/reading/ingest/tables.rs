//! CSV and JSON records in the long and the wide layout. Expected numbers stand in the texts.

use beyondnoise::read::{Options, load};
use beyondnoise::runs::{Dataset, Setting};

use super::{Files, close, counts, read_text, runs, value};

fn with(options: &Options, content: &str) -> Dataset {
    let files = Files::new(&[("table.csv", content)]);
    load(&[files.path("table.csv")], options).expect("a readable table").dataset
}

const LONG: &str = "variant,run,metric,value,unit,direction\n\
    main,1,mean_ttft_ms,532.19,ms,lower\n\
    main,1,output_throughput,\"1,305.88\",tok/s,higher\n\
    main,2,mean_ttft_ms,530.5,ms,lower\n\
    pr,1,mean_ttft_ms,501,ms,lower\n\
    pr,1,completed,800,,\n";

#[test]
fn a_long_table_has_a_row_per_value() {
    let read = read_text("data.txt", LONG);
    assert_eq!(counts(&read.groups[0]), [("main", 2), ("pr", 1)]);
    let [first, _, pr] = runs(&read)[..] else { panic!("three runs") };
    assert_eq!(value(first, "mean_ttft_ms"), 532.19);
    assert_eq!(value(first, "output_throughput"), 1305.88);
    assert_eq!(first.metrics["mean_ttft_ms"].resolution, 0.005);
    assert_eq!((pr.info.completed, pr.name.as_deref()), (Some(800), Some("1")));
    assert_eq!((first.source.position, first.source.counts), (2, "line"));
}

#[test]
fn separators_marks_and_line_ends_make_no_difference() {
    let semicolons =
        LONG.replace("\"1,305.88\"", "1;305.88").replace(',', ";").replace("1;305.88", "1,305.88");
    let tabs = semicolons.replace("1,305.88", "1305.88").replace(';', "\t");
    let marked = format!("\u{feff}{LONG}");
    let windows = LONG.replace('\n', "\r\n");
    let plain = runs(&read_text("data.csv", LONG))
        .iter()
        .map(|run| run.metrics.clone())
        .collect::<Vec<_>>();
    for text in [semicolons, tabs, marked, windows, format!("\n{LONG}")] {
        let read = read_text("data.csv", &text);
        let metrics: Vec<_> = runs(&read).iter().map(|run| run.metrics.clone()).collect();
        assert_eq!(metrics, plain, "{text}");
    }
}

#[test]
fn without_a_run_column_values_are_counted() {
    let read = read_text(
        "data.csv",
        "build,metric,value\nold,x_ms,1.5\nold,y_ms,2.5\nold,x_ms,1.75\nnew,x_ms,3.5\nold,y_ms,2.75\n",
    );
    assert_eq!(counts(&read.groups[0]), [("old", 2), ("new", 1)]);
    let [first, second, _] = runs(&read)[..] else { panic!("three runs") };
    assert_eq!((value(first, "x_ms"), value(first, "y_ms")), (1.5, 2.5));
    assert_eq!((value(second, "x_ms"), value(second, "y_ms")), (1.75, 2.75));
}

#[test]
fn times_of_values_do_not_split_a_named_run() {
    let read = read_text(
        "data.csv",
        "variant,run,metric,value,timestamp\na,1,x_ms,1.5,12:00\na,1,y_ms,2.5,12:01\n",
    );
    assert_eq!(counts(&read.groups[0]), [("a", 1)]);
}

#[test]
fn a_wide_table_has_a_row_per_run() {
    let text = ",branch,rep,concurrency,model,Mean TTFT (ms),Successful requests,p99_itl_ms,note\n\
        0,main,1,16,m,532.19,800,4.5,warm\n\
        1,main,2,16,m,,800,4.75,\n\
        2,pr,1,16,m,501.5,800,4.25,\n";
    let read = read_text("data.csv", text);
    assert_eq!(counts(&read.groups[0]), [("main", 2), ("pr", 1)]);
    let workload = &read.groups[0].workload;
    assert_eq!(workload.max_concurrency, Setting::Value(16.0));
    assert_eq!((workload.model.as_deref(), workload.requests), (Some("m"), Some(800)));
    let [first, second, _] = runs(&read)[..] else { panic!("three runs") };
    assert_eq!(value(first, "mean_ttft_ms"), 532.19);
    // A remark is no setting: the runs are repeats.
    assert!(!first.metadata.contains_key("note"));
    // An empty cell is a value that was not measured.
    let keys: Vec<&str> = second.metrics.keys().collect();
    assert_eq!(keys, ["p99_itl_ms"]);
}

#[test]
fn columns_can_be_named() {
    let options = Options {
        variant_column: vec!["image".to_owned()],
        run_column: vec!["n".to_owned()],
        metrics: vec!["speed".to_owned()],
        ..Options::default()
    };
    let read = with(&options, "image,n,speed,other\na,1,5.5,7\nb,1,6.5,8\n");
    assert_eq!(counts(&read.groups[0]), [("a", 1), ("b", 1)]);
    assert_eq!(runs(&read)[0].metrics.keys().collect::<Vec<_>>(), ["speed"]);
}

#[test]
fn cells_of_one_load_each_are_groups() {
    let read = read_text(
        "data.csv",
        "version,model,max_concurrency,workload,round,mean_ttft_ms\n\
         1,m,8,chat,1,5.5\n1,m,16,chat,1,6.5\n2,m,8,chat,1,5.25\n2,m,16,chat,1,6.25\n1,m,8,code,1,7.25\n",
    );
    assert_eq!(read.groups.len(), 3);
    assert_eq!(counts(&read.groups[0]), [("1", 1), ("2", 1)]);
}

#[test]
fn a_column_of_variants_that_is_empty_names_none() {
    let read = read_text("data.csv", "label,branch,x_ms\n,main,1.5\n,pr,2.5\n");
    assert_eq!(counts(&read.groups[0]), [("main", 1), ("pr", 1)]);
}

#[test]
fn json_records_are_tables_too() {
    let lines = "{\"variant\": \"a\", \"run\": 1, \"mean_ttft_ms\": 5.5}\n\
                 {\"variant\": \"b\", \"run\": 1, \"mean_ttft_ms\": 6.5, \"failed\": 0}\n";
    let read = read_text("data.ndjson", lines);
    assert_eq!(counts(&read.groups[0]), [("a", 1), ("b", 1)]);
    assert_eq!(runs(&read)[0].source.counts, "object");
    let list = format!("[{}]", lines.trim_end().replace('\n', ","));
    assert_eq!(runs(&read_text("data.json", &list)).len(), 2);
}

#[test]
fn loads_are_kept_apart_however_they_are_written() {
    for (header, a, b, said) in [
        ("concurrency", "\"1,024\"", "\"2,048\"", "at most 1024 in flight"),
        ("concurrency", "c16", "c64", "max concurrency c16"),
        ("max_concurrency", "15 (x1)", "60 (x4)", "max concurrency 15 (x1)"),
        ("qps", "2/s", "8/s", "request rate 2/s"),
    ] {
        let text =
            format!("variant,{header},mean_ttft_ms\nx,{a},1.5\ny,{a},2.5\nx,{b},3.5\ny,{b},4.5\n");
        let read = read_text("t.csv", &text);
        assert_eq!(read.groups.len(), 2, "{text}");
        assert_eq!(read.groups[0].workload.describe(), said);
        let text = format!("variant,{header},mean_ttft_ms\nx,{a},1.5\ny,{b},2.5\n");
        assert_eq!(read_text("t.csv", &text).groups.len(), 2, "{text}");
    }
}

#[test]
fn a_concurrency_that_was_reached_is_not_the_one_that_was_set() {
    let text = "variant,max_concurrency,concurrency,mean_ttft_ms\nx,16,15.91,1.5\ny,16,15.81,2.5\n";
    let read = read_text("t.csv", text);
    assert_eq!(counts(&read.groups[0]), [("x", 1), ("y", 1)]);
    assert_eq!(read.groups[0].workload.max_concurrency, Setting::Value(16.0));
    assert_eq!(value(runs(&read)[0], "concurrency"), 15.91);
    let read = read_text("t.csv", &text.replace(",concurrency", ",conc"));
    assert_eq!(read.groups[0].workload.max_concurrency, Setting::Value(16.0));
    // Two names of one limit.
    let read = read_text("t.csv", &text.replace("15.91", "16").replace("15.81", "16"));
    assert!(!runs(&read)[0].metrics.contains_key("concurrency"));
}

#[test]
fn a_pipe_after_a_backslash_is_text_of_a_cell() {
    let rule = "|---|---|---|---|\n";
    let read = read_text(
        "t.md",
        &format!(
            "| metric | a\\|b | before | after |\n{rule}| mean TTFT (ms) | 532.1 | 520.3 | 499.1 |\n"
        ),
    );
    let found: Vec<(&str, f64)> = read
        .runs()
        .map(|(_, variant, run)| (variant.name.as_str(), value(run, "mean_ttft_ms")))
        .collect();
    assert_eq!(found, [("a|b", 532.1), ("before", 520.3), ("after", 499.1)]);
}

#[test]
fn a_column_of_a_markdown_table_that_cannot_be_read_is_named() {
    let text = "| metric | a | b | c |\n|---|---|---|---|\n| mean TTFT (ms) | 1.5 | <2.5 | 3.5 |\n";
    let read = read_text("t.md", text);
    assert_eq!(counts(&read.groups[0]), [("a", 1), ("c", 1)]);
    let said = &read.inputs[0].skipped[0];
    assert!(said.place == "column b" && said.why.contains("\"<2.5\""), "{said:?}");
}

/// Averages with their number of runs and standard deviation, wide and long: one summary each, in the unit of the metric.
#[test]
fn averages_that_state_their_spread_are_one_summary_each() {
    let wide = "build,mean_ttft_s,std_ttft_s,runs\nbefore,0.1042,0.0013,5\nafter,0.1010,0.0011,5\n";
    let long = "build,metric,mean,std,n\nbefore,mean_ttft_s,0.1042,0.0013,5\nafter,mean_ttft_s,0.1010,0.0011,5\n";
    for text in [wide, long] {
        let read = read_text("t.csv", text);
        assert_eq!(counts(&read.groups[0]), [("before", 1), ("after", 1)]);
        let first = runs(&read)[0];
        close(value(first, "mean_ttft_ms"), 104.2);
        let spread = first.info.spreads["mean_ttft_ms"];
        close(spread.sd, 1.3);
        assert_eq!(spread.runs, 5);
    }
    // Without the number of runs they are two single values.
    let read = read_text(
        "t.csv",
        "build,mean_ttft_s,std_ttft_s\nbefore,0.1042,0.0013\nafter,0.1010,0.0011\n",
    );
    assert!(runs(&read)[0].info.spreads.is_empty());
}

/// R5: what stands below a table, behind a blank line or a comment and of another width, stops nothing.
#[test]
fn another_part_below_a_table_is_listed() {
    let text = "build,run,tok_s\nmain,1,50.1\nmain,2,50.3\npr,1,52.0\npr,2,52.2\n\n# SUMMARY\nbuild,mean\nmain,50.2\n";
    let read = read_text("t.csv", text);
    assert_eq!(counts(&read.groups[0]), [("main", 2), ("pr", 2)]);
    let skipped = &read.inputs[0].skipped;
    assert!(skipped.iter().any(|part| part.place == "line 7" && part.why.contains("another part")));
}

/// R2: a number that counts 1, 2, 3 in every cell under a name that is silent about it is the run; where a result follows
/// it in every build it is a setting.
#[test]
fn a_number_that_counts_in_every_cell_is_the_run() {
    for name in ["n", "block", "day", "session", "batch", "trial_id", "zeta"] {
        let text = format!(
            "build,{name},tok_s\nmain,1,50.1\nmain,2,49.8\nmain,3,50.4\nmain,4,50.0\npr,1,52.2\npr,2,52.9\npr,3,51.8\npr,4,52.4\n"
        );
        let read = read_text("t.csv", &text);
        assert_eq!(read.groups.len(), 1, "{name}");
        assert_eq!(counts(&read.groups[0]), [("main", 4), ("pr", 4)], "{name}");
    }
    let text = "build,n,tok_s\nmain,1,50.1\nmain,2,99.8\nmain,3,149.4\nmain,4,200.0\npr,1,52.2\npr,2,104.9\npr,3,156.8\npr,4,208.4\n";
    assert_eq!(read_text("t.csv", text).groups.len(), 4);
}

/// R5: where nothing names the variants, the only column of words whose values have several runs does; cases and what the
/// settings fix are none.
#[test]
fn the_only_column_of_words_names_the_variants() {
    let text = "experiment,size,form,bytes_B,time_ms\nx,8,one,800,5.1\nx,8,one,800,5.2\nx,8,two,900,6.1\nx,8,two,900,6.2\n\
        x,16,one,1600,7.1\nx,16,one,1600,7.2\nx,16,two,1800,8.1\nx,16,two,1800,8.3\n";
    let read = read_text("t.csv", text);
    assert_eq!(read.groups.len(), 2);
    assert_eq!(counts(&read.groups[0]), [("one", 2), ("two", 2)]);
    assert!(read.read_as()[0].text.contains("form = variant"), "{}", read.read_as()[0].text);
    let text = "query,time_ms\nq1,5.1\nq1,5.2\nq2,6.1\nq2,6.2\n";
    assert_eq!(read_text("t.csv", text).groups.len(), 2);
}

/// R1: a rate without an end was asked for: it is a setting in every row.
#[test]
fn a_rate_without_an_end_is_a_setting() {
    let text = "variant,Request rate (req/s),TTFT (ms)\nmain,1,50.2\nmain,inf,950.1\npr,1,48.9\npr,inf,901.7\n";
    let read = read_text("t.csv", text);
    assert_eq!(read.groups.len(), 2);
    assert_eq!(runs(&read).len(), 4);
}

/// R3: samples of a monitor are no runs, with the date as NVIDIA's tool writes it.
#[test]
fn samples_of_a_monitor_are_no_runs() {
    let row = |second: u32| {
        format!(
            "2026/05/11 10:00:{second:02}.{}, {} %, {} W\n",
            100 + second * 7,
            80 + second % 5,
            300 + second % 9
        )
    };
    let rows: String = (0..40).map(row).collect();
    let text = format!("timestamp, utilization.gpu [%], power.draw [W]\n{rows}");
    let files = Files::new(&[("smi.csv", &text)]);
    let message = load(&[files.path("smi.csv")], &Options::default()).expect_err("samples");
    assert!(message.to_string().contains("samples of a run over time"), "{message}");
}

/// R2: seconds since 1970 that rise from row to row say when a run was made.
#[test]
fn a_clock_that_rises_is_no_measurement() {
    let row = |at: u32, variant: &str| {
        format!(
            "{{\"ts\": 17120000{at}0.4, \"variant\": \"{variant}\", \"latency_ms\": {}.{at}}}\n",
            11 + at % 2
        )
    };
    let text: String = (1..9).map(|at| row(at, ["A", "B"][at as usize % 2])).collect();
    let read = read_text("t.jsonl", &text);
    assert_eq!(runs(&read).len(), 8);
    assert!(runs(&read).iter().all(|run| run.metrics.len() == 1));
}

/// A plan has names of results and none yet; people are numbered like percentiles.
#[test]
fn plans_are_no_results_and_people_are_no_percentiles() {
    let row = |at: usize| format!("T{at},zstd,{},{},planned,\n", 16 << (at % 3), at / 3 + 1);
    let plan: String = (0..9).map(row).collect();
    let plan = format!("test_id,codec,block_kib,rep,state,mb_per_s\n{plan}");
    let files = Files::new(&[("plan.csv", &plan)]);
    assert!(super::try_load(&[&files.path("plan.csv")]).is_err(), "{plan}");
    let row = |at: usize| format!("P{at:02},{},{}.5\n", ["A", "B"][at % 2], 40 + at * at % 17);
    let people: String = (1..13).map(row).collect();
    let people = format!("participant,prototype,task_s\n{people}");
    let read = read_text("people.csv", &people);
    let names: std::collections::BTreeSet<String> = runs(&read)
        .iter()
        .flat_map(|run| run.metrics.iter().map(|(name, _)| name.to_owned()))
        .collect();
    assert!(names.iter().all(|name| name.contains("task")), "{names:?}");
}
