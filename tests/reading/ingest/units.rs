//! Units that tables state: converted where they can be, refused where they cannot.

use beyondnoise::read::{Options, Tidy, load, tidy};

use super::{Files, close, dataset, read_text, runs, try_load, value};

const LONG: &str = "variant,run,metric,value,unit\n";

/// A long table of one metric, three runs of each variant, 100 ms against 0.21 s.
fn long(metric: &str, after: &str) -> String {
    let row = |variant: &str, run: usize, value: &str, unit: &str| {
        format!("{variant},{run},{metric},{value},{unit}\n")
    };
    let before = ["100", "101", "102"].iter().enumerate();
    let before: String = before.map(|(run, value)| row("before", run, value, "ms")).collect();
    let slow = ["0.210", "0.211", "0.2123"].iter().enumerate();
    let slow: String = slow.map(|(run, value)| row("after", run, value, after)).collect();
    format!("{LONG}{before}{slow}")
}

fn of(path: &str, metric: &str) -> Vec<f64> {
    runs(&dataset(&[path])).iter().map(|run| value(run, metric)).collect()
}

fn is_doubled(values: &[f64]) {
    for (value, expected) in values.iter().zip([100.0, 101.0, 102.0, 210.0, 211.0, 212.3]) {
        close(*value, expected);
    }
    assert_eq!(values.len(), 6);
}

/// 0.21 s are 210 ms, whether the registry knows the metric or not.
#[test]
fn rows_of_one_table_are_converted() {
    for metric in ["mean_ttft_ms", "lat"] {
        let files = Files::new(&[("t.csv", &long(metric, "s"))]);
        is_doubled(&of(&files.path("t.csv"), metric));
        // 0.210 is printed to half a millisecond.
        let resolution = runs(&dataset(&[&files.path("t.csv")]))[3].metrics[metric].resolution;
        close(resolution, 0.5);
    }
    let upper = long("lat", "s").replace("unit", "Unit");
    is_doubled(&of(&Files::new(&[("t.csv", &upper)]).path("t.csv"), "lat"));
    let with_unit = long("lat", "s").replace("0.210,s", "210 ms,s");
    is_doubled(&of(&Files::new(&[("t.csv", &with_unit)]).path("t.csv"), "lat"));
}

#[test]
fn records_of_json_state_units_too() {
    for metric in ["mean_ttft_ms", "lat"] {
        let records: Vec<String> = long(metric, "s")
            .lines()
            .skip(1)
            .map(|line| {
                let cells: Vec<&str> = line.split(',').collect();
                format!(
                    "{{\"variant\": \"{}\", \"run\": {}, \"metric\": \"{}\", \"value\": {}, \"unit\": \"{}\"}}\n",
                    cells[0], cells[1], cells[2], cells[3], cells[4]
                )
            })
            .collect();
        let files = Files::new(&[("t.jsonl", &records.concat())]);
        is_doubled(&of(&files.path("t.jsonl"), metric));
    }
}

#[test]
fn files_are_put_in_one_unit_and_convert_keeps_it() {
    let table = long("lat", "s");
    let side = |variant: &str| -> String {
        table
            .lines()
            .filter(|line| line.starts_with(variant))
            .fold(LONG.to_owned(), |all, line| format!("{all}{line}\n"))
    };
    let files = Files::new(&[("a.csv", &side("before")), ("b.csv", &side("after"))]);
    let both = dataset(&[&files.path("a.csv"), &files.path("b.csv")]);
    is_doubled(&runs(&both).iter().map(|run| value(run, "lat")).collect::<Vec<_>>());
    let written = tidy(&dataset(&[&files.path("b.csv")]), Tidy::Csv).expect("a table");
    let written = String::from_utf8(written).expect("UTF-8");
    assert!(written.contains(",lat,0.21,0.0005,s,"), "{written}");
    let again = Files::new(&[("a.csv", &side("before")), ("tidy.csv", &written)]);
    let both = dataset(&[&again.path("a.csv"), &again.path("tidy.csv")]);
    is_doubled(&runs(&both).iter().map(|run| value(run, "lat")).collect::<Vec<_>>());
}

#[test]
fn units_that_cannot_be_converted_stop_with_their_place() {
    let refused = |metric: &str, unit: &str| {
        let files = Files::new(&[("t.csv", &long(metric, unit))]);
        try_load(&[&files.path("t.csv")]).expect_err("two kinds of units").to_string()
    };
    for (metric, unit, found) in [
        ("mean_ttft_ms", "GB", "found \"GB\""),
        ("mean_ttft_ms", "furlongs", "found \"furlongs\""),
        ("lat", "tok/s", "expected \"lat\" in ms as in other rows, found \"tok/s\""),
        ("lat", "", "found no unit"),
    ] {
        let message = refused(metric, unit);
        assert!(message.contains("t.csv, line 5: ") && message.contains(found), "{message}");
    }
    let files = Files::new(&[
        ("a.csv", "variant,run,metric,value,unit\na,1,lat,1,ms\na,2,lat,2,ms\n"),
        ("b.csv", "variant,run,metric,value,unit\nb,1,lat,1,GB\nb,2,lat,2,GB\n"),
    ]);
    let paths = [files.path("a.csv"), files.path("b.csv")];
    let message = try_load(&[&paths[0], &paths[1]]).expect_err("other units").to_string();
    assert!(message.contains("b.csv, line 2: expected \"lat\" in \"ms\" as at "), "{message}");
    let lenient = Options { lenient: true, ..Options::default() };
    let read = load(&paths, &lenient).expect("without it").dataset;
    assert!(read.inputs[1].skipped.iter().any(|left| left.why.contains("\"GB\"")));
    // One word that nobody knows is one unit all the same.
    assert_eq!(runs(&read_text("t.csv", &long("lat", "ms").replace(",ms", ",furlongs"))).len(), 6);
}

/// A time of the registry under another unit is the same metric: the unit is that of the name.
#[test]
fn columns_of_another_unit_of_time_are_the_same_metric() {
    for name in ["ttft_s", "TTFT (s)", "ttft [s]", "TTFT_s"] {
        let read = read_text("t.csv", &format!("variant,{name}\nafter,0.21\nafter,0.2123\n"));
        let values: Vec<f64> = runs(&read).iter().map(|run| value(run, "ttft_ms")).collect();
        close(values[0], 210.0);
        close(values[1], 212.3);
    }
    let read = read_text("t.csv", "variant,duration_ms,mean_itl_us\na,2500,12000\na,2600,12500\n");
    close(value(runs(&read)[0], "duration"), 2.5);
    close(value(runs(&read)[0], "mean_itl_ms"), 12.0);
    // Cells with a unit of their own, and tables of markdown.
    let read = read_text("t.csv", "variant,ttft_s\na,210 ms\na,0.22 s\n");
    close(value(runs(&read)[0], "ttft_ms"), 210.0);
    close(value(runs(&read)[1], "ttft_ms"), 220.0);
    let table = "| variant | ttft_s |\n|---|---|\n| a | 0.210 |\n| a | 211 ms |\n";
    let read = read_text("t.md", table);
    close(value(runs(&read)[0], "ttft_ms"), 210.0);
    close(value(runs(&read)[1], "ttft_ms"), 211.0);
    // Beside a column of the metric itself it is another one.
    let read = read_text("t.csv", "variant,ttft_ms,ttft_s\na,210,0.21\na,220,0.22\n");
    close(value(runs(&read)[0], "ttft_s"), 0.21);
    close(value(runs(&read)[0], "ttft_ms"), 210.0);
}

#[test]
fn a_metric_is_asked_for_by_either_name() {
    let files = Files::new(&[
        ("a.csv", "variant,ttft_ms,x\na,210,1\na,220,2\n"),
        ("b.csv", "variant,ttft_s,x\nb,0.21,1\nb,0.22,2\n"),
    ]);
    for name in ["ttft_ms", "ttft_s", "TTFT (s)"] {
        let options = Options { metrics: vec![name.to_owned()], ..Options::default() };
        let read = load(&[files.path("a.csv"), files.path("b.csv")], &options);
        let read = read.expect("readable").dataset;
        let values: Vec<f64> = runs(&read).iter().map(|run| value(run, "ttft_ms")).collect();
        assert_eq!(values, [210.0, 220.0, 210.0, 220.0], "{name}");
    }
}

/// A column `unit` beside one metric is its unit; beside several nobody can say of which.
#[test]
fn a_wide_table_of_one_metric_may_state_its_unit() {
    let read = read_text("t.csv", "variant,lat,unit\na,100,ms\na,0.2,s\n");
    assert_eq!(runs(&read).iter().map(|run| value(run, "lat")).collect::<Vec<_>>(), [100.0, 200.0]);
    let read = read_text("t.csv", "variant,lat,unit\na,100,gpu0\na,101,gpu1\n");
    assert_eq!(runs(&read).len(), 2);
}
