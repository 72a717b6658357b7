//! Tables against the CSV of the same rows.
//!
//! `data/formats/parquet/make.py` wrote both with pyarrow.

use super::*;
use crate::reader::Content;
use crate::table::chunks::{Problem, RowCells};
use crate::table::csv::CSV;
use beyondnoise_model::runs::{Run, Skipped};

fn own(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/formats/parquet").join(name)
}

fn of_csv(name: &str) -> Found {
    let bytes = std::fs::read(own(&format!("{name}.csv"))).expect("a file");
    let content = Content::new("t", &bytes);
    (CSV.read)(&content, &Options::default()).expect("a table")
}

fn of_parquet(name: &str) -> Found {
    let bytes = std::fs::read(own(&format!("{name}.parquet"))).expect("a file");
    (READER.read)(&Content::new("t", &bytes), &Options::default()).expect("a table")
}

/// Runs without what names their place and the time, which are written differently.
fn plain(found: Found) -> Vec<Run> {
    let mut runs = found.runs;
    for run in &mut runs {
        run.source.position = 0;
        run.source.counts = "";
        run.info.started = run
            .info
            .started
            .as_deref()
            .and_then(beyondnoise_model::runs::seconds)
            .map(|s| s.to_string());
        run.metadata.remove("date");
        // Sums of other blocks round differently.
        for value in run.metrics.values_mut() {
            value.value = format!("{:.12e}", value.value).parse().expect("a number");
        }
    }
    runs
}

fn shown(runs: &[Run]) -> String {
    format!("{runs:#?}")
}

#[test]
fn the_three_layouts_are_read_as_from_csv() {
    for (name, runs, metrics) in [("requests", 6, 24), ("runs", 16, 4), ("long", 16, 2)] {
        let csv = plain(of_csv(name));
        assert_eq!(csv.len(), runs, "{name}");
        assert_eq!(csv[0].metrics.len(), metrics, "{name}: {:?}", csv[0].metrics);
        assert_eq!(shown(&plain(of_parquet(name))), shown(&csv), "{name}");
    }
}

/// Rows from the start and from four places.
#[test]
fn a_long_table_is_told_from_rows_of_all_its_parts() {
    // By hand: of 120 rows 20 from the start and 5 each from rows 43, 66, 89 and 112 on, counted from 0: steps of
    // (120 - 20 - 5) / 4 = 23 after 20.
    let places = [20 + 23, 20 + 46, 20 + 69, 20 + 92].map(|start| start..start + 5);
    let expected: Vec<_> = std::iter::once(0..20).chain(places).collect();
    assert_eq!(sample(120, 40, 60), expected);
    assert_eq!(sample(120, 200, 120), std::slice::from_ref(&(0..120)));
}

#[test]
fn rows_are_those_of_their_place() {
    let bytes = std::fs::read(own("requests.parquet")).expect("a file");
    let parquet = ColumnarTable::open("t", &bytes, false).expect("a table");
    let rows = |rows: std::ops::Range<usize>| {
        let mut found = Vec::new();
        let take = &mut |number, row: Result<&dyn RowCells, Problem>| {
            let cells = row.expect("a row");
            let text = (0..cells.count()).map(|at| cells.text(at).into_owned());
            found.push((number, text.collect::<Vec<_>>()));
            true
        };
        parquet.each_of(rows, take).expect("rows");
        found
    };
    let whole = rows(0..25);
    assert_eq!(rows(3..4)[0], (1, whole[3].1.clone()));
    assert_eq!(rows(9..11)[1], (2, whole[10].1.clone()));
}

#[test]
fn lists_are_left_out_and_said_so() {
    let found = of_parquet("requests");
    assert_eq!(found.skipped[0].place, "column itls");
    assert!(found.skipped[0].why.starts_with("holds lists or records"));
    let absent: Vec<&Skipped> =
        found.skipped.iter().filter(|left| left.place == "column ttft_ms").collect();
    // By hand: 6 runs with a NaN each; the null of a failed request is none.
    assert!(absent[0].why.starts_with("6 requests have no value"), "{}", absent[0].why);
}

#[test]
fn damaged_files_are_errors() {
    for name in ["requests", "runs", "long"] {
        let good = std::fs::read(own(&format!("{name}.parquet"))).expect("a file");
        let read = |bytes: &[u8]| {
            let content = Content::new("t.parquet", bytes);
            (READER.read)(&content, &Options::default())
        };
        for length in [4, 12, good.len() / 2, good.len() - 1] {
            let error = read(&good[..length]).err().expect("cut off").to_string();
            assert!(error.starts_with("t.parquet: expected a Parquet table"), "{error}");
        }
        // Any byte may be wrong; whatever comes of it, it is a result.
        for at in (4..good.len()).step_by(good.len() / 60) {
            let mut bad = good.clone();
            bad[at] ^= 0x5a;
            let _ = read(&bad);
        }
    }
}

/// 140 texts of 1 MiB in a few KiB, of which 128 MiB may be.
#[test]
fn what_unpacks_without_an_end_is_an_error() {
    let texts = |count: usize| {
        let long = "x".repeat(1 << 20);
        (0..count).map(|row| Some(format!("{row}{long}"))).collect::<Vec<_>>()
    };
    let read = |count: usize| {
        let values = Cells::Number((0..count).map(|row| Some(row as f64 + 0.5)).collect());
        let columns = vec![
            ("mean_ttft_ms".to_owned(), values),
            ("note".to_owned(), Cells::Text(texts(count))),
        ];
        let bytes = write_parquet(columns).expect("written");
        assert!(bytes.len() < 1 << 20, "{}", bytes.len());
        (READER.read)(&Content::new("t.parquet", &bytes), &Options::default())
    };
    assert_eq!(read(100).expect("a table").runs.len(), 100);
    let error = read(140).err().expect("too much").to_string();
    assert!(error.contains("more than 128 MiB packed in it"), "{error}");
}

/// Ticks of a duration are of the writer's unit: 100,000 us are 100 ms in a column of milliseconds, and 0.1 s in one
/// that names no unit. Bytes that are no text spoil their own column only.
#[test]
fn durations_are_in_the_unit_of_their_column_and_bytes_are_left_out() {
    use polars::prelude::{Column, DataType, TimeUnit};
    let micro = |name: &str| {
        let ticks = Column::new(name.into(), [100_000_i64, 101_500]);
        ticks.cast(&DataType::Duration(TimeUnit::Microseconds)).expect("ticks")
    };
    let blob: [&[u8]; 2] = [b"\xff\xfe", b"\x00\x01\xff"];
    let columns = vec![
        Column::new("variant".into(), ["a", "a"]),
        micro("ttft_ms"),
        micro("duration"),
        micro("own"),
        Column::new("blob".into(), blob),
    ];
    let file = write::written(columns).expect("written");
    let found = (READER.read)(&Content::new("t", &file), &Options::default()).expect("a table");
    let value = |run: usize, name: &str| found.runs[run].metrics[name].value;
    assert_eq!((value(0, "ttft_ms"), value(1, "ttft_ms")), (100.0, 101.5));
    assert_eq!((value(0, "duration"), value(1, "own")), (0.1, 0.1015));
    let left_out = |skipped: &Skipped| skipped.place == "column blob";
    assert!(found.skipped.iter().any(left_out), "{:?}", found.skipped);
}
