//! Cells and bytes of tables as people and spreadsheets write them: read right, or refused with the place.

use beyondnoise::error::chain;
use beyondnoise::read::{Options, load};
use beyondnoise::runs::{Dataset, Skipped};

use super::{Files, read_text, runs, value};

/// Values of a metric in all runs.
fn values(dataset: &Dataset, metric: &str) -> Vec<f64> {
    runs(dataset).iter().map(|run| value(run, metric)).collect()
}

fn load_bytes(bytes: &[u8], lenient: bool) -> Result<Dataset, String> {
    let files = Files::new(&[]);
    let path = files.path("t.csv");
    std::fs::write(&path, bytes).expect("a file");
    let options = Options { lenient, ..Options::default() };
    load(&[path], &options).map(|loaded| loaded.dataset).map_err(|error| chain(&error))
}

#[test]
fn decimal_commas_are_told_from_thousands() {
    for (text, expected) in [
        ("variant;x_ms\na;532,19\na;1.530,5\nb;501\n", [532.19, 1530.5, 501.0]),
        ("variant;x_ms\na;0,532\na;1,305\nb;2\n", [0.532, 1.305, 2.0]),
        ("variant\tx_ms\na\t12,5 ms\na\t13,5 ms\nb\t14\n", [12.5, 13.5, 14.0]),
        ("variant;x_ms\na;1,305.5\na;1,306\nb;2\n", [1305.5, 1306.0, 2.0]),
        ("variant;x_ms\na;1,305,000\na;1,306\nb;2\n", [1_305_000.0, 1306.0, 2.0]),
        ("variant,x_ms\na,\"1,305\"\na,\"1,306.5\"\nb,2\n", [1305.0, 1306.5, 2.0]),
        ("variant,x_ms\na,\"12,5\"\na,\"13,5\"\nb,2\n", [12.5, 13.5, 2.0]),
        ("variant;x_ms\na;987,5\na;1.034\nb;1.012.500\n", [987.5, 1034.0, 1_012_500.0]),
        // The point in the name of a version says nothing of numbers.
        ("version;x_ms\n0.9;532,19\n0.9;530,5\n0.10;501\n", [532.19, 530.5, 501.0]),
    ] {
        assert_eq!(values(&read_text("t.csv", text), "x_ms"), expected, "{text}");
    }
    let read = read_text("t.csv", "variant;x_ms\na;532,19\nb;1,5\n");
    assert_eq!(runs(&read)[0].metrics["x_ms"].resolution, 0.005);
}

#[test]
fn units_beside_numbers_are_understood_where_they_fit_the_column() {
    let read = read_text(
        "t.csv",
        "variant,mean_ttft_ms,output_throughput,share\na,12.3 ms,305.88 tok/s,12.5%\nb,0.5 s,300 tokens/s,13%\n",
    );
    assert_eq!(values(&read, "mean_ttft_ms"), [12.3, 500.0]);
    assert_eq!(values(&read, "output_throughput"), [305.88, 300.0]);
    assert_eq!(values(&read, "share"), [12.5, 13.0]);
    // Half of 0.1 s.
    assert_eq!(runs(&read)[1].metrics["mean_ttft_ms"].resolution, 50.0);
    let long = "variant,run,metric,value\na,1,mean_ttft_ms,12.3 ms\nb,1,mean_ttft_ms,250 us\n";
    assert_eq!(values(&read_text("t.csv", long), "mean_ttft_ms"), [12.3, 0.25]);
    let other = read_text("t.csv", "variant,x_ms,memory\na,1.5,12.3 GB\nb,2.5,12.4 GB\n");
    assert_eq!(values(&other, "memory (GB)"), [12.3, 12.4]);
}

const REQUESTS: &str = "variant,run,req,ttft_ms,note\na,1,1,100.5,x\na,1,2,101.5,x\na,2,1,102.5,x\na,2,2,103.5,x\n\
    b,1,1,104.5,x\nb,1,2,105.5,x\n";

#[test]
fn line_ends_marks_quotes_and_separators_make_no_difference_to_requests() {
    let plain = values(&read_text("t.csv", REQUESTS), "mean_ttft_ms");
    assert_eq!(plain, [101.0, 103.0, 105.0]);
    for text in [
        REQUESTS.replace('\n', "\r\n"),
        REQUESTS.replace('\n', "\r"),
        REQUESTS.replace('\n', "\n\n"),
        format!("\u{feff}{REQUESTS}"),
        format!("\n{REQUESTS}").trim_end().to_owned(),
        REQUESTS.replace(",x", ",\"x, \"\"y\"\"\nz\""),
        REQUESTS.replace(',', "\t"),
        REQUESTS.replace(',', ";").replace('.', ","),
        REQUESTS.replace(',', " , "),
        REQUESTS.replace(".5", ".5 ms"),
    ] {
        assert_eq!(values(&read_text("t.csv", &text), "mean_ttft_ms"), plain, "{text}");
    }
    // Old Macs: runs as well as requests.
    let runs = read_text("t.csv", "variant,x_ms\ra,1.5\rb,2.5\r");
    assert_eq!(values(&runs, "x_ms"), [1.5, 2.5]);
}

/// Bytes of a table, what the message must say, and the number of runs that are left with `--lenient`.
fn broken() -> Vec<(Vec<u8>, Vec<&'static str>, usize)> {
    let text = |text: &str| text.as_bytes().to_vec();
    let with = |from: &str, to: &str| REQUESTS.replacen(from, to, 1).into_bytes();
    vec![
        (
            text("variant,x_ms\na,1.5\nb,1.2k\nb,1.5\n"),
            vec!["line 3", "a number for \"x_ms\"", "\"1.2k\""],
            2,
        ),
        (
            text("variant,x_ms\na,1.5\nb,12,5\nb,1.5\n"),
            vec!["line 3", "expected 2 columns", "found 3"],
            2,
        ),
        (
            b"variant,x_ms\na,1.5\ncaf\xe9,2.5\nb,1\n".to_vec(),
            vec!["line 3", "expected UTF-8", "caf"],
            2,
        ),
        (
            b"variant,x_ms\n\xd3\xc5\xbb\xaf\xc7\xb0,1.5\nb,1\n".to_vec(),
            vec!["line 2", "save the table as UTF-8"],
            1,
        ),
        (b"variant,x_m\xb5s\na,1.5\n".to_vec(), vec!["line 1", "expected UTF-8"], 0),
        (text("variant;x_ms\na;12.5\nb;13,5\n"), vec!["line 3", "a decimal point", "\"13,5\""], 0),
        (
            text("variant;x_ms\na;1,234.5\nb;13,5\n"),
            vec!["line 3", "as in \"1,234.5\" on line 2", "\"13,5\""],
            0,
        ),
        (
            text("variant;x_ms\na;1,305\nb;1,306\n"),
            vec!["line 2", "whose comma is clearly a decimal or a thousands comma", "\"1,305\""],
            0,
        ),
        (
            text("variant,x_ms,x_ms \na,1.5,2.5\n"),
            vec!["header", "every column once", "\"x_ms\" twice"],
            0,
        ),
        (
            text("variant,mean_ttft_ms,Mean TTFT (ms)\na,1.5,2.5\n"),
            vec!["header", "every metric once", "\"Mean TTFT (ms)\""],
            0,
        ),
        (with("101.5", "fast"), vec!["line 3", "a number in \"ttft_ms\"", "\"fast\""], 3),
        (with("101.5", "1.2k"), vec!["line 3", "a number in \"ttft_ms\"", "\"1.2k\""], 3),
        (with("101.5", "-3"), vec!["line 3", "a time of 0 or more in \"ttft_ms\"", "\"-3\""], 3),
        (with("101.5", "inf"), vec!["line 3", "a finite number in \"ttft_ms\"", "\"inf\""], 3),
        (with("a,1,2,", "a,1,2,7,"), vec!["line 3", "expected 5 columns", "found 6"], 3),
        (with("\na,1,2", "\n,1,2"), vec!["line 3", "a variant in \"variant\"", "found nothing"], 3),
    ]
}

#[test]
fn what_cannot_be_read_is_refused_with_line_finding_and_remedy() {
    for (bytes, says, _) in broken() {
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        let message = load_bytes(&bytes, false).err().unwrap_or_else(|| panic!("read: {shown}"));
        for part in says.iter().chain(&["t.csv", "; "]) {
            assert!(message.contains(part), "expected {part:?} in: {message}");
        }
    }
}

#[test]
fn lenient_leaves_out_the_bad_row_and_names_it() {
    for (bytes, says, left) in broken() {
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        let read = load_bytes(&bytes, true).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(runs(&read).len(), left, "{shown}");
        let skipped = &read.inputs[0].skipped;
        let listed = |skipped: &Skipped| format!("{}: {}", skipped.place, skipped.why);
        let listed: Vec<String> = skipped.iter().map(listed).collect();
        let tells = |one: &String| says.iter().all(|part| one.contains(part));
        assert!(listed.iter().any(tells), "{listed:?}");
    }
}

/// A word in the place of a number says that there is none: its row is lost and listed, and the others are read. Where most
/// rows have such a word, the column is not understood. Digits that are no number are a slip.
#[test]
fn a_word_in_the_place_of_a_number_loses_its_row() {
    let table = |cells: [&str; 3]| {
        let rows = cells.map(|cell| format!("a,{cell},7.25\n")).concat();
        format!("variant,x_ms,y_ms\n{rows}").into_bytes()
    };
    let found = load_bytes(&table(["1.5", "discard", "2.5"]), false).expect("two rows");
    assert_eq!(values(&found, "x_ms"), [1.5, 2.5]);
    let skipped = &found.inputs[0].skipped[0];
    assert_eq!(skipped.place, "line 3");
    assert_eq!(skipped.why, "expected a number for \"x_ms\", found \"discard\"");
    for meant in ["Apple M5", "10.75 †"] {
        let found = load_bytes(&table(["1.5", meant, "2.5"]), false).expect("two rows");
        assert_eq!(values(&found, "x_ms"), [1.5, 2.5], "{meant}");
    }
    for cells in [["discard", "discard", "2.5"], ["1.5", "1.2.3", "2.5"]] {
        let error = load_bytes(&table(cells), false).expect_err("no number");
        assert!(error.contains("expected a number for \"x_ms\""), "{error}");
    }
    // Without the rows of the other variant nothing is to compare.
    let rows = b"variant,x_ms\na,1.5\na,2.5\nb,ten\n";
    let error = load_bytes(rows, false).expect_err("no number");
    assert!(error.contains("line 4") && error.contains("found \"ten\""), "{error}");
}

#[test]
fn many_bad_rows_are_counted() {
    let bad: Vec<String> = (0..250).map(|at| format!("a,1,{at},fast,x\n")).collect();
    let read =
        load_bytes(format!("{REQUESTS}{}", bad.concat()).as_bytes(), true).expect("the rest");
    let skipped = &read.inputs[0].skipped;
    assert_eq!(skipped.len(), 101);
    assert_eq!(skipped[100].why, "150 more that cannot be read");
    assert_eq!(runs(&read).len(), 3);
}

#[test]
fn text_in_another_encoding_matters_only_where_it_is_used() {
    let mut bytes = REQUESTS.as_bytes().to_vec();
    let at = bytes.len() - 2;
    bytes[at] = 0xe9;
    let read = load_bytes(&bytes, false).expect("a note is not read");
    assert_eq!(values(&read, "mean_ttft_ms"), [101.0, 103.0, 105.0]);
}

/// Line 4 of the file, counted by hand, whatever ends the lines; the empty line 3 counts.
#[test]
fn lines_are_counted_alike_with_all_line_ends() {
    for end in ["\n", "\r\n", "\r"] {
        let table = |last: &str| ["variant,ttft_s", "a,1.5", "", last, ""].join(end);
        let bad = load_bytes(table("a,1x").as_bytes(), false).expect_err("no number");
        assert!(bad.contains("line 4"), "{end:?}: {bad}");
        let ragged = load_bytes(table("a").as_bytes(), false).expect_err("a ragged row");
        assert!(ragged.contains("line 4"), "{end:?}: {ragged}");
        let good = load_bytes(table("b,2").as_bytes(), false).expect("a table");
        let lines: Vec<usize> =
            good.groups[0].variants.iter().map(|v| v.runs[0].source.position).collect();
        assert_eq!(lines, [2, 4], "{end:?}");
        // Requests, quoted and not.
        for name in ["a", "\"a\""] {
            let rows = ["variant,request_id,ttft_ms", "a,1,5", "b,2,5", &format!("{name},3,x"), ""];
            let bad = load_bytes(rows.join(end).as_bytes(), false).expect_err("no number");
            assert!(bad.contains("line 4"), "{end:?} {name}: {bad}");
        }
    }
}

#[test]
fn the_index_of_a_data_frame_is_no_metric() {
    let table = "Unnamed: 0,variant,ttft_s\n0,a,1.5\n1,b,1.6\n";
    let read = load_bytes(table.as_bytes(), false).expect("a table");
    let run = &read.groups[0].variants[0].runs[0];
    assert_eq!(run.metrics.len(), 1, "{:?}", run.metrics);
    assert!(run.metadata.is_empty(), "{:?}", run.metadata);
}
