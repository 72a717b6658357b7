//! Cells, headers and files of other spellings, as people and their tools write them.

use beyondnoise::read::{Options, Tidy, load, tidy};
use beyondnoise::runs::{Dataset, Pairs};

use super::{Files, counts, dataset, own, read_text, runs, try_load, value};

fn with(metric: &str) -> Options {
    Options { metrics: vec![metric.to_owned()], ..Options::default() }
}

fn named(name: &str, content: &str, metric: &str) -> Dataset {
    let files = Files::new(&[(name, content)]);
    load(&[files.path(name)], &with(metric)).expect("readable").dataset
}

/// A rate that was measured is a metric where the user names it; without that the message says how.
#[test]
fn a_setting_that_is_named_is_a_metric() {
    let wide = "build,run,QPS\nbefore,1,12.31\nbefore,2,12.42\nafter,1,13.1\n";
    let read = named("t.csv", wide, "QPS");
    assert_eq!(read.groups.len(), 1);
    assert_eq!(value(runs(&read)[0], "request_throughput"), 12.31);
    let long = "build,run,metric,value\nbefore,1,qps,12.31\nbefore,2,qps,12.42\nafter,1,qps,13.1\n";
    assert_eq!(value(runs(&named("t.csv", long, "qps"))[1], "request_throughput"), 12.42);
    let requests = "build,run,requests,x\na,1,1012,1\na,2,1007,2\nb,1,1015,1\n";
    assert_eq!(named("t.csv", requests, "requests").groups.len(), 1);
    // Numbers that nobody sets are measured; the same few in every variant are a setting.
    assert_eq!(value(runs(&read_text("t.csv", wide))[0], "request_throughput"), 12.31);
    let set = "build,run,QPS\nbefore,1,10\nbefore,2,20\nafter,1,10\nafter,2,20\n";
    let files = Files::new(&[("t.csv", set)]);
    let message = try_load(&[&files.path("t.csv")]).expect_err("no metric").to_string();
    assert!(message.contains("name it with --metric \"QPS:higher\""), "{message}");
}

/// pandas writes `NaN` where nothing was measured.
#[test]
fn a_cell_of_nan_is_empty() {
    let read = read_text("t.csv", "variant,a,b_ms\nx,1.5,NaN\nx,nan,2\nx,2.5,3\n");
    let has: Vec<usize> = runs(&read).iter().map(|run| run.metrics.len()).collect();
    assert_eq!(has, [1, 1, 2]);
}

/// 2^64 and more.
#[test]
fn integers_of_any_size_are_numbers() {
    let read = read_text(
        "t.jsonl",
        "{\"variant\": \"a\", \"x\": 18446744073709551616}\n{\"variant\": \"a\", \"x\": 1e3}\n",
    );
    assert_eq!(value(runs(&read)[0], "x"), 18_446_744_073_709_551_616.0);
}

#[test]
fn utf16_without_a_mark_is_read() {
    let text = "variant,x_ms\nbefore,1.5\nafter,2.5\n";
    for big in [false, true] {
        let bytes: Vec<u8> = text
            .encode_utf16()
            .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect();
        let files = Files::new(&[]);
        std::fs::write(files.path("t.csv"), bytes).expect("a file");
        assert_eq!(runs(&dataset(&[&files.path("t.csv")])).len(), 2, "{big}");
    }
}

#[test]
fn ids_of_pairs_are_equal_as_numbers() {
    let read = read_text(
        "t.csv",
        "variant,pair,x\nbefore,1,5\nbefore,2,6\nbefore,3,7\nafter,1.0,5\nafter,02,6\nafter,3,8\n",
    );
    let group = &read.groups[0];
    let pairs = Pairs::match_runs(&group.variants[0], &group.variants[1]).expect("three pairs");
    assert_eq!((pairs.positions.len(), pairs.alone), (3, (0, 0)));
}

/// By content, whatever the name ends in.
#[test]
fn a_table_of_one_column_needs_no_ending() {
    for name in ["t.csv", "t.txt", "t"] {
        let read = read_text(name, "x_ms\n1.5\n2.5\n2.25\n");
        assert_eq!(runs(&read).len(), 3, "{name}");
    }
    // In a folder a word over numbers may be anything.
    let files = Files::new(&[("d/a.csv", "variant,x\na,1\na,2\n"), ("d/list.txt", "ids\n1\n2\n")]);
    assert_eq!(runs(&dataset(&[&files.path("d")])).len(), 2);
}

#[test]
fn a_first_column_without_a_name_holds_the_variants() {
    let rows =
        "| before | 1 | 100 |\n| before | 2 | 101 |\n| after | 1 | 110 |\n| after | 2 | 111 |\n";
    let table = format!("|  | run | TTFT |\n|---|---|---|\n{rows}");
    let read = read_text("t.md", &table);
    assert_eq!(counts(&read.groups[0]), [("before", 2), ("after", 2)]);
    // The user may name the metric as it stands there.
    assert_eq!(value(runs(&named("t.md", &table, "TTFT"))[3], "TTFT"), 111.0);
    // The index of a data frame is none.
    let read = read_text("t.csv", ",x\n0,1.5\n1,2.5\n");
    assert_eq!(read.variant_names(), ["t"]);
}

#[test]
fn a_workbook_is_called_one() {
    let files =
        Files::new(&[("t.xlsx", "PK\u{3}\u{4}...xl/workbook.xml..."), ("d/a.csv", "x\n1\n2\n")]);
    let message = try_load(&[&files.path("t.xlsx")]).expect_err("a workbook").to_string();
    assert!(message.ends_with("found an Excel workbook; save it as CSV"), "{message}");
}

#[test]
fn convert_keeps_the_names_of_runs() {
    let table = "variant,run,x\nbefore,seven,5\nbefore,eight,6\nafter,0,7\nafter,1,8\n";
    let written = tidy(&read_text("t.csv", table), Tidy::Csv).expect("a table");
    let again = read_text("t.csv", &String::from_utf8(written).expect("UTF-8"));
    let names: Vec<_> =
        runs(&again).iter().map(|run| run.name.clone().unwrap_or_default()).collect();
    assert_eq!(names, ["seven", "eight", "0", "1"]);
    // Rows that share one are one run: 5 and 6 are 5.5.
    let twice = "variant,run,x\nbefore,a,5\nbefore,a,6\n";
    let written = tidy(&read_text("t.csv", twice), Tidy::Csv).expect("a table");
    assert!(String::from_utf8(written).expect("UTF-8").contains("\nbefore,a,,x,5.5,"));
}

/// A run that time ended has no number of requests that was set: what it completed is no setting.
#[test]
fn what_time_ended_is_comparable_after_convert() {
    let native = dataset(&[&own("data/formats/wrk/notes.md")]);
    assert_eq!(native.groups.len(), 1);
    let written = tidy(&native, Tidy::Csv).expect("a table");
    let again = read_text("t.csv", &String::from_utf8(written).expect("UTF-8"));
    assert_eq!(again.groups.len(), 1);
    assert_eq!(again.groups[0].workload.requests, None);
    assert_eq!(runs(&again).len(), runs(&native).len());
    assert_eq!(runs(&again)[0].info.completed, runs(&native)[0].info.completed);
}

/// One file a metric, as people export them.
#[test]
fn files_of_other_metrics_of_the_same_runs_are_put_together() {
    let table = |metric: &str, start: f64| {
        let names = ["before,1", "before,2", "after,1", "after,2"];
        let rows = names.iter().enumerate();
        let rows: Vec<String> =
            rows.map(|(at, row)| format!("{row},{}\n", start + at as f64)).collect();
        let rows = rows.concat();
        format!("variant,run,{metric}\n{rows}")
    };
    let files = Files::new(&[
        ("ttft.csv", &table("ttft_ms", 50.5)),
        ("tpot.csv", &table("tpot_ms", 10.5)),
        ("more.csv", &table("ttft_ms", 60.5)),
    ]);
    let read = dataset(&[&files.path("ttft.csv"), &files.path("tpot.csv")]);
    assert_eq!(counts(&read.groups[0]), [("before", 2), ("after", 2)]);
    assert!(runs(&read).iter().all(|run| run.metrics.len() == 2));
    assert!(read.inputs[1].skipped[0].why.starts_with("more metrics of the runs of "));
    // Other values of one metric are other runs.
    let read = dataset(&[&files.path("ttft.csv"), &files.path("more.csv")]);
    assert_eq!(counts(&read.groups[0]).iter().map(|(_, n)| n).sum::<usize>(), 8);
}
