//! Tables against the CSV of the same rows, in blocks so small that values are dropped and found again.
//!
//! `data/formats/parquet/make.py` wrote both with pyarrow.

use super::*;
use crate::read::Content;
use crate::read::table::CSV;
use crate::runs::{Run, Skipped};

fn own(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/formats/parquet").join(name)
}

fn of_csv(name: &str) -> Found {
    let bytes = std::fs::read(own(&format!("{name}.csv"))).expect("a file");
    let content = Content::new("t", &bytes);
    (CSV.read)(&content, &Options::default()).expect("a table")
}

fn of_parquet(name: &str, limits: Limits) -> Found {
    let path = own(&format!("{name}.parquet"));
    let parquet = Parquet::open("t", Bytes::File(&path)).expect("a table");
    runs_of(&parquet, limits, &Options::default()).expect("runs")
}

/// Runs without what names their place and the time, which are written differently.
fn plain(found: Found) -> Vec<Run> {
    let mut runs = found.runs;
    for run in &mut runs {
        run.source.position = 0;
        run.source.counts = "";
        run.info.started =
            run.info.started.as_deref().and_then(crate::runs::seconds).map(|s| s.to_string());
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
        let whole = plain(of_parquet(name, Limits::default()));
        assert_eq!(shown(&whole), shown(&csv), "{name}");
        let bytes = std::fs::read(own(&format!("{name}.parquet"))).expect("a file");
        let content = Content::new("t", &bytes);
        let found = (READER.read)(&content, &Options::default()).expect("a table");
        assert_eq!(shown(&plain(found)), shown(&csv), "{name}");
    }
}

/// Without the request detail, which is kept only where the values are few.
#[test]
fn small_blocks_and_budgets_change_nothing() {
    for name in ["requests", "runs", "long"] {
        let strip = |mut runs: Vec<Run>| {
            for run in &mut runs {
                run.requests = None;
                // Sums of other blocks round differently.
                run.metrics.retain(|metric, _| {
                    !metric.starts_with("mean_") && !metric.starts_with("std_")
                });
            }
            runs
        };
        let whole = strip(plain(of_parquet(name, Limits::default())));
        for (block, batch, values) in [(1, 1, 1), (32 * 3, 2, 10), (32 * 30, 5, 100)] {
            let small = of_parquet(name, Limits { block, batch, values });
            assert_eq!(shown(&strip(plain(small))), shown(&whole), "{name} {block}");
        }
    }
}

/// Rows from the start and from four places, in order and with their numbers.
#[test]
fn a_long_table_is_told_from_rows_of_all_its_parts() {
    let path = own("requests.parquet");
    let parquet = Parquet::open("t", Bytes::File(&path)).expect("a table");
    let sample = parquet.sample(40, 60);
    // By hand: of 120 rows 20 from the start and 5 each from rows 43, 66, 89 and 112 on, counted from 0: steps of
    // (120 - 20 - 5) / 4 = 23 after 20.
    let numbers = |(group, rows): &(usize, Vec<std::ops::Range<usize>>)| {
        parquet.rows(*group, rows).expect("rows").into_iter().map(|row| row.number)
    };
    let all: Vec<usize> = sample.iter().flat_map(numbers).collect();
    let places = [20 + 23, 20 + 46, 20 + 69, 20 + 92].map(|start| start..start + 5);
    let expected: Vec<usize> = (0..20).chain(places.into_iter().flatten()).map(|r| r + 1).collect();
    assert_eq!(all, expected);
    let whole: Vec<String> = parquet
        .rows(0, std::slice::from_ref(&(0..25)))
        .expect("rows")
        .into_iter()
        .map(|row| row.cells.join(","))
        .collect();
    let parts: Vec<String> = parquet
        .rows(0, &[3..5, 9..10])
        .expect("rows")
        .into_iter()
        .map(|row| row.cells.join(","))
        .collect();
    assert_eq!(parts, [whole[3].clone(), whole[4].clone(), whole[9].clone()]);
    assert_eq!(parquet.sample(200, 120).iter().map(|(_, rows)| rows[0].len()).sum::<usize>(), 120);
}

#[test]
fn lists_are_left_out_and_said_so() {
    let found = of_parquet("requests", Limits::default());
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
        let columns = vec![("mean_ttft_ms", values), ("note", Cells::Text(texts(count)))];
        let bytes = write_parquet(columns).expect("written");
        assert!(bytes.len() < 1 << 20, "{}", bytes.len());
        (READER.read)(&Content::new("t.parquet", &bytes), &Options::default())
    };
    assert_eq!(read(100).expect("a table").runs.len(), 100);
    let error = read(140).err().expect("too much").to_string();
    assert!(error.contains("more than 128 MiB packed in it"), "{error}");
}

#[test]
fn a_small_file_may_be_cut_while_it_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("requests.parquet");
    std::fs::copy(own("requests.parquet"), &path).expect("a copy");
    let parquet = Parquet::open("t", Bytes::of_file(&path).expect("bytes")).expect("a table");
    std::fs::write(&path, "").expect("written");
    let found = runs_of(&parquet, Limits::default(), &Options::default()).expect("runs");
    let whole = of_parquet("requests", Limits::default());
    assert_eq!(shown(&plain(found)), shown(&plain(whole)));
}

/// Ticks of a duration are of the writer's unit: 100,000 us are 100 ms in a column of milliseconds, and 0.1 s in one
/// that names no unit. Bytes that are no text spoil their own column only.
#[test]
fn durations_are_in_the_unit_of_their_column_and_bytes_are_left_out() {
    use polars_arrow::array::{Array, BinaryViewArray, PrimitiveArray, Utf8ViewArray};
    use polars_arrow::datatypes::{ArrowDataType, Field, TimeUnit};
    let micro = || {
        let ticks = PrimitiveArray::<i64>::from_slice([100_000, 101_500]);
        ticks.to(ArrowDataType::Duration(TimeUnit::Microsecond)).boxed()
    };
    let blob = BinaryViewArray::from_slice_values([&b"\xff\xfe"[..], b"\x00\x01\xff"]);
    let columns: Vec<(&str, Box<dyn Array>)> = vec![
        ("variant", Utf8ViewArray::from_slice_values(["a", "a"]).boxed()),
        ("ttft_ms", micro()),
        ("duration", micro()),
        ("own", micro()),
        ("blob", blob.boxed()),
    ];
    let field = |(name, array): (&str, Box<dyn Array>)| {
        (Field::new(name.into(), array.dtype().clone(), true), array)
    };
    let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().map(field).unzip();
    let file = write::of_arrays(fields, &arrays).expect("written");
    let found = (READER.read)(&Content::new("t", &file), &Options::default()).expect("a table");
    let value = |run: usize, name: &str| found.runs[run].metrics[name].value;
    assert_eq!((value(0, "ttft_ms"), value(1, "ttft_ms")), (100.0, 101.5));
    assert_eq!((value(0, "duration"), value(1, "own")), (0.1, 0.1015));
    let left_out = |skipped: &Skipped| skipped.place == "column blob";
    assert!(found.skipped.iter().any(left_out), "{:?}", found.skipped);
}
