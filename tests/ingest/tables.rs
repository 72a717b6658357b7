//! CSV and JSON records in the long and the wide layout. Expected numbers stand in the texts.

use beyondnoise::read::{Options, load};
use beyondnoise::runs::{Dataset, Setting};

use crate::{Files, counts, read_text, runs, value};

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
    assert_eq!((pr.facts.completed, pr.name.as_deref()), (Some(800), Some("1")));
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
    assert_eq!(first.metadata["note"], "warm");
    // An empty cell is a value that was not measured.
    let keys: Vec<&str> = second.metrics.keys().collect();
    assert_eq!(keys, ["p99_itl_ms"]);
}

#[test]
fn columns_can_be_named() {
    let options = Options {
        variant_column: Some("image".to_owned()),
        run_column: Some("n".to_owned()),
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
