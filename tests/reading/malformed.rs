//! Broken inputs: each error names the file, the place, what was expected and found, and a remedy.
//! With `lenient` the rest is read and what was left out is named.

use std::path::Path;

use beyondnoise::error::chain;
use beyondnoise::read::{File, Loaded, Options, Tidy, load, load_bytes, tidy};
use beyondnoise::runs::{Dataset, Run};

const TITLE: &str = "============ Serving Benchmark Result ============";
const RULER: &str = "==================================================";
const REMEDIES: &[&str] = &[
    "fix",
    "leave it empty",
    "remove",
    "paste",
    "give",
    "name a column",
    "name the columns",
    "convert",
    "check",
    "copy it again",
    "rename",
    "fill in",
    "run the benchmark again",
    "write all numbers",
    "close its quote",
    "complete or remove",
];

/// A good block with this mean TTFT, to stand beside the broken one.
fn block(ttft: f64) -> String {
    format!(
        "{TITLE}\nSuccessful requests:    10\nBenchmark duration (s):   2.51\n\
         Total generated tokens:   160\nMean TTFT (ms):   {ttft}\nP99 TTFT (ms):   {ttft}\n{RULER}\n"
    )
}

fn json(fields: &str) -> String {
    format!("{{\"model_id\": \"m\", \"request_throughput\": 2.0, {fields}}}")
}

#[expect(clippy::too_many_lines, reason = "a list")]
/// Name of the file, its bytes, and what the message must say: the place, the expected, the found.
fn cases() -> Vec<(&'static str, Vec<u8>, Vec<&'static str>)> {
    let good = block(10.5);
    let gbk = [&b"\xd3\xc5\xbb\xaf\xc7\xb0\xa3\xba\n"[..], good.as_bytes()].concat();
    let deep = json(&format!("\"x\": {}1{}", "[".repeat(200_000), "]".repeat(200_000)));
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        (
            "truncated.json",
            text("{\"model_id\": \"m\",\n \"request_throughput\": 2.0, \"ttfts\": [0.1, 0"),
            vec!["line 2", "end of the JSON object", "end of the file"],
        ),
        (
            "not-json.json",
            text(&json("\"duration\": 2.0, oops")),
            vec!["line 1 column", "expected JSON"],
        ),
        (
            "text-for-number.json",
            text(&json("\"mean_ttft_ms\": \"fast\"")),
            vec!["object 1 (line 1)", "a number in \"mean_ttft_ms\"", "found \"fast\""],
        ),
        (
            "text-for-count.json",
            text(&json("\"duration\": 2.0, \"completed\": \"many\"")),
            vec!["object 1", "\"completed\"", "found \"many\""],
        ),
        (
            "fraction-for-count.json",
            text(&json("\"duration\": 2.0, \"completed\": 1.5")),
            vec!["object 1", "a count in \"completed\"", "found 1.5"],
        ),
        (
            "second-object.json",
            text(&format!("{}\n{}", json("\"duration\": 2.0"), json("\"duration\": -1.0"))),
            vec!["object 2 (line 2)", "a duration above 0 s", "found -1"],
        ),
        (
            "none-completed.json",
            text(&json("\"duration\": 2.0, \"completed\": 0")),
            vec!["object 1", "expected successful requests", "found 0"],
        ),
        (
            "negative-latency.json",
            text(&json("\"mean_ttft_ms\": -5.0")),
            vec!["object 1", "mean_ttft_ms of 0 or more", "found -5"],
        ),
        (
            "no-metric.json",
            text("{\"model_id\": \"m\", \"request_throughput\": 0.0}"),
            vec!["object 1", "at least one metric", "found none"],
        ),
        ("deep.json", text(&deep), vec!["line 1", "expected JSON"]),
        (
            "prose.json",
            text(&format!("{}\n{}", json("\"duration\": 2.0"), "word ".repeat(100))),
            vec!["line 2", "expected a JSON object", "found other text"],
        ),
        (
            "word-in-block.md",
            text(&good.replace("10.5\nP99", "n.a.\nP99")),
            vec!["line 5", "a number for \"Mean TTFT (ms)\"", "found \"n.a.\""],
        ),
        (
            "none-completed.md",
            text(&good.replace("requests:    10", "requests:    0")),
            vec!["line 1", "expected successful requests", "found 0"],
        ),
        (
            "no-time.md",
            text(&good.replace("2.51", "0.00")),
            vec!["line 1", "duration above 0 s", "found 0"],
        ),
        ("gbk.md", gbk, vec!["line 1", "expected UTF-8", "another encoding"]),
        (
            "slip-in-cell.csv",
            text("variant,run,metric,value\na,1,x,1.5\na,2,x,1.2.3\n"),
            vec!["line 3", "a number for \"x\"", "found \"1.2.3\""],
        ),
        (
            "slip-in-wide-cell.csv",
            text("variant,x_ms\na,1.5\nb,2.5\nb,1.2.3\n"),
            vec!["line 4", "a number for \"x_ms\"", "found \"1.2.3\""],
        ),
        (
            "no-columns.csv",
            text("variant,note\na,x\nb,y\n"),
            vec!["header", "columns \"metric\" and \"value\"", "found variant, note"],
        ),
        (
            "twice.csv",
            text("variant,run,metric,value\na,1,x,1.5\na,1,x,1.6\n"),
            vec!["line 3", "one value of x", "a second one"],
        ),
        (
            "ragged.csv",
            text("variant,run,metric,value\na,1,x,1.5\na,2,x\n"),
            vec!["line 3", "expected 4 columns", "found 3"],
        ),
        (
            "header-only.csv",
            text("variant,run,metric,value\n"),
            vec!["header", "at least one row", "found none"],
        ),
        ("empty.csv", Vec::new(), vec!["expected a header line", "found an empty file"]),
        (
            "column-twice.csv",
            text("variant,x,x\na,1.5,2.5\n"),
            vec!["header", "every column once", "\"x\" twice"],
        ),
        (
            "no-variant.csv",
            text("variant,x_ms\n,1.5\na,2.5\n"),
            vec!["line 2", "a variant in \"variant\"", "found nothing"],
        ),
        (
            "count-in-cell.csv",
            text("variant,completed,x_ms\na,some,1.5\n"),
            vec!["line 2", "a count in \"completed\"", "found \"some\""],
        ),
        (
            "negative-time.csv",
            text("variant,duration\na,1.5\nb,-2.5\n"),
            vec!["line 3", "a duration above 0 s", "found -2.5"],
        ),
        (
            "no-header.csv",
            text("before,512.3\nbefore,515.1\nafter,530.2\n"),
            vec!["line 1", "the names of the columns", "the number \"512.3\""],
        ),
        (
            "open-quote.csv",
            text("variant,x_ms,note\na,1.5,ok\na,2.5,\"cold start\nb,3.5,ok\nb,4.5,ok\n"),
            vec!["line 3", "a quote that closes the cell", "the end of the file"],
        ),
        (
            "open-quote-of-requests.csv",
            text(
                "variant,run,request_id,ttft_ms,error\na,1,0,1.5,\na,1,1,2.5,\"reset\nb,1,0,3.5,\nb,1,1,4.5,\n",
            ),
            vec!["line 3", "a quote that closes the cell", "the end of the file"],
        ),
        (
            "share-of-time.csv",
            text("variant,mean_ttft_ms\na,1.5%\n"),
            vec!["line 2", "a number in the unit of the metric", "found \"1.5%\""],
        ),
        (
            "some-in-percent.csv",
            text("variant,acceptance\na,85.1%\nb,0.861\n"),
            vec!["line 3", "all values of \"acceptance\" in percent or none", "found \"0.861\""],
        ),
        (
            "some-in-percent-long.csv",
            text("variant,run,metric,value\na,1,x,85.1%\na,1,y_ms,1.5\nb,1,x,0.861\n"),
            vec!["line 4", "all values of \"x\" in percent or none", "found \"0.861\""],
        ),
        (
            "point-and-comma.csv",
            text("variant;x_ms\na;0.987\na;12,5\n"),
            vec!["line 3", "a decimal point as in other cells", "found \"12,5\""],
        ),
        (
            "cut-line.jsonl",
            text(&format!("{0}\n{1}\n{0}\n", json("\"duration\": 2.0"), "\"duration\": 2.5}")),
            vec!["line 2", "expected a JSON object", "a part of one"],
        ),
        (
            "key-twice.json",
            text(&json("\"duration\": 2.0, \"mean_ttft_ms\": 1.5, \"mean_ttft_ms\": 2.5")),
            vec!["line 1", "one value of \"mean_ttft_ms\""],
        ),
        (
            "ragged-columns.md",
            text("| metric | a | b |\n|---|---|---|\n| mean TTFT (ms) | 1.5 | 2.5 | 3.5 |\n"),
            vec!["line 3", "expected 3 cells", "found 4"],
        ),
        ("empty.txt", Vec::new(), vec!["expected benchmark results", "found none"]),
        (
            "binary.bin",
            (0..=255).cycle().take(100_000).collect(),
            vec!["expected benchmark results", "found none"],
        ),
        ("one-line.txt", vec![b'x'; 20 << 20], vec!["expected benchmark results", "found none"]),
        ("one-line.csv", vec![b'x'; 20 << 20], vec!["at least one row", "found none"]),
        (
            "one-line.md",
            [TITLE.as_bytes(), b"\nMean TTFT (ms): ", &vec![b'x'; 20 << 20]].concat(),
            vec!["line 2", "a number for \"Mean TTFT (ms)\"", "found \"xxxx"],
        ),
    ]
}

fn read(paths: &[&Path], options: &Options) -> Result<Loaded, String> {
    let inputs: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    load(&inputs, options).map_err(|error| chain(&error))
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> std::path::PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("a file");
    path
}

#[test]
fn every_error_names_file_place_expected_found_and_remedy() {
    for (name, bytes, says) in cases() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = write(folder.path(), name, &bytes);
        let message = read(&[&path], &Options::default()).expect_err(name);
        assert!(message.contains(&path.display().to_string()), "{name}: {message}");
        for part in says {
            assert!(message.contains(part), "{name}: expected {part:?} in: {message}");
        }
        assert!(REMEDIES.iter().any(|remedy| message.contains(remedy)), "{name}: {message}");
        assert!(message.chars().count() < 600, "{name}: {} characters", message.len());
    }
}

#[test]
fn lenient_reads_the_rest_and_names_what_it_left_out() {
    let options = Options { lenient: true, ..Options::default() };
    for (name, bytes, says) in cases() {
        let folder = tempfile::tempdir().expect("a folder");
        let bad = write(folder.path(), name, &bytes);
        let good = write(folder.path(), "good-beside.md", block(99.5).as_bytes());
        let loaded = read(&[&bad, &good], &options).expect(name);
        let kept =
            loaded.dataset.runs().filter(|(_, _, run)| run.source.path.ends_with("beside.md"));
        assert_eq!(kept.count(), 1, "{name}");
        let input = &loaded.dataset.inputs[0];
        let why: Vec<&str> = input.skipped.iter().map(|skipped| skipped.why.as_str()).collect();
        assert!(!why.is_empty(), "{name}");
        // Where a file is simply none of ours, there is no expectation to name.
        if !["an empty file", "no benchmark result in it"].contains(&why[0]) {
            let named = |part: &&str| {
                input.skipped.iter().any(|s| s.why.contains(*part) || s.place.contains(*part))
            };
            assert!(says.iter().rev().take(1).all(named), "{name}: {why:?}");
        }
    }
}

#[test]
fn lenient_keeps_the_good_parts_of_a_bad_file() {
    let options = Options { lenient: true, ..Options::default() };
    let cut = block(1.5).replace(&format!("{RULER}\n"), "");
    let worded = block(2.5).replace("160", "many");
    let note =
        format!("a:\n{}b:\nRate 5%\n{cut}```\n```\nc:\n{worded}d:\n{}", block(10.5), block(11.5));
    let table = "variant,run,metric,value\na,1,x,1.5\na,2,x,fast\nb,1,x\nb,2,x,2.5\n";
    let objects = format!("{}\n{}", json("\"duration\": 2.0"), json("\"duration\": -1.0"));
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content, runs, skipped) in [
        // A block without its ruler is read to its last figure.
        ("note.md", note.as_str(), 3, 1),
        // The bad cell was all that its run had.
        ("table.csv", table, 2, 3),
        ("objects.json", &objects, 1, 1),
    ] {
        let path = write(folder.path(), name, content.as_bytes());
        let dataset = read(&[&path], &options).expect(name).dataset;
        let left = &dataset.inputs[0].skipped;
        let kept = dataset.runs().filter(|(_, _, run)| !run.metrics.is_empty()).count();
        assert_eq!((kept, left.len()), (runs, skipped), "{name}: {left:?}");
        // The claim stands above the block without its ruler, which is read.
        let claims: usize = dataset.runs().map(|(_, _, run)| run.info.claims.len()).sum();
        assert_eq!(claims, usize::from(name == "note.md"), "{name}");
    }
}

/// R5: a missing ruler loses nothing, and the value in a line that the end of the text cuts off is not read.
#[test]
fn a_block_without_its_ruler_is_read_to_its_last_figure() {
    let good = block(10.5);
    let cut = good.replace(&format!("{RULER}\n"), "");
    let folder = tempfile::tempdir().expect("a folder");
    for (name, note, runs) in [
        ("fence.md", format!("before:\n```\n{cut}```\n"), 1),
        ("end.md", format!("before:\n\n{cut}"), 1),
        ("next.md", format!("{cut}\n{good}"), 1),
    ] {
        let path = write(folder.path(), name, note.as_bytes());
        let dataset = read(&[&path], &Options::default()).expect(name).dataset;
        let values =
            |(_, _, run): (_, _, &beyondnoise::runs::Run)| run.metrics["mean_ttft_ms"].value;
        let values: Vec<f64> = dataset.runs().map(values).collect();
        assert_eq!(values, vec![10.5; runs], "{name}");
    }
    let last = cut.find("P99").expect("a line");
    let path = write(folder.path(), "middle.md", &cut.as_bytes()[..last - 2]);
    let message = read(&[&path], &Options::default()).err();
    let loaded = read(&[&path], &Options::default()).map(|loaded| {
        loaded.dataset.runs().all(|(_, _, run)| !run.metrics.contains_key("mean_ttft_ms"))
    });
    assert!(message.is_some() || loaded == Ok(true));
}

#[test]
fn a_column_that_is_named_and_missing_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "t.csv", b"variant,x\na,1\n");
    for options in [
        Options { variant_column: vec!["image".into()], ..Options::default() },
        Options { run_column: vec!["image".into()], ..Options::default() },
        Options { metrics: vec!["image".into()], ..Options::default() },
    ] {
        let message = read(&[&path], &options).unwrap_err();
        assert!(message.contains("expected a column \"image\", found variant, x"), "{message}");
        assert!(message.contains("t.csv") && message.contains("name a column"), "{message}");
    }
}

#[test]
fn folders_patterns_and_paths_without_results_are_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().join("empty");
    let prose = folder.path().join("prose");
    for sub in [&empty, &prose] {
        std::fs::create_dir(sub).expect("a folder");
    }
    write(&prose, "README.md", b"nothing here\n");
    for (path, says) in [
        (empty, ["found an empty folder", "give the folder"]),
        (prose, ["found none", "give the folder"]),
        (folder.path().join("*.json"), ["found none", "check the pattern"]),
        (folder.path().join("missing.json"), ["cannot read", "missing.json"]),
    ] {
        let message = read(&[&path], &Options::default()).unwrap_err();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(message.contains(&name), "{message}");
        assert!(says.iter().all(|part| message.contains(part)), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_or_in_circles_do_not_hang() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "good.md", block(10.5).as_bytes());
    symlink(folder.path(), folder.path().join("loop")).expect("a link");
    assert_eq!(read(&[folder.path()], &Options::default()).unwrap().dataset.runs().count(), 1);
    symlink(folder.path().join("gone"), folder.path().join("dangling.json")).expect("a link");
    let message = read(&[folder.path()], &Options::default()).unwrap_err();
    assert!(message.contains("cannot read") && message.contains("dangling.json"), "{message}");
    let options = Options { lenient: true, ..Options::default() };
    let dataset = read(&[folder.path()], &options).unwrap().dataset;
    assert_eq!(dataset.runs().count(), 1);
    assert!(dataset.inputs.iter().any(|input| input.path.ends_with("dangling.json")));
}

/// Any bytes in any of the forms: an answer or an error, never a panic.
#[test]
fn no_damage_to_a_good_file_panics() {
    let own = |path: &str| {
        std::fs::read(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).expect("a file")
    };
    let note = own("data/notes/burst-cache-steps.txt");
    let result = own("tests/fixtures/vllm/old-0.6.json");
    let table = b"variant,run,metric,value\na,1,x,1.5\nb,1,x,2.5\n".to_vec();
    let folder = tempfile::tempdir().expect("a folder");
    for (name, good) in [("n.md", note), ("r.json", result), ("t.csv", table)] {
        for step in 0..200 {
            let mut bytes = good.clone();
            let at = step * bytes.len() / 200;
            match step % 4 {
                0 => bytes.truncate(at),
                1 => bytes[at] ^= 0xff,
                2 => bytes[at] = b'"',
                _ => drop(bytes.splice(at..at, b"\xe2\x82\n=====".iter().copied())),
            }
            let path = write(folder.path(), name, &bytes);
            for lenient in [false, true] {
                let _ = read(&[&path], &Options { lenient, ..Options::default() });
            }
        }
    }
}

/// Found by fuzzing: zero bytes before a name.
#[test]
fn the_name_of_a_metric_in_a_markdown_table_is_what_is_seen_of_it() {
    let table =
        "| metric | before | after |\n|---|---|---|\n| \0\u{1}Mean TTFT (ms) | 732.1 | 577.3 |\n";
    let file = File { variant: None, name: "note.md", bytes: table.as_bytes() };
    let loaded = load_bytes(&[file], &Options::default()).expect("a table");
    assert!(loaded.dataset.runs().all(|(.., run)| run.metrics.keys().eq(["mean_ttft_ms"])));
    assert_eq!(loaded.dataset.runs().count(), 2);
}

/// Found by fuzzing: written out as a table such a run had two values of one metric.
#[test]
fn blanks_around_a_key_are_none_of_its_name() {
    let result = r#"{"date": "20261004-120100", "num_prompts": 5, "completed": 5, "duration": 2.5, "total_input_tokens": 50,
        "total_output_tokens": 40, "output_throughput": 16.0, "  total_token_throughput": 36.0, " mean_ttft_ms ": 19.5}"#;
    let file = File { variant: None, name: "run.json", bytes: result.as_bytes() };
    let loaded = load_bytes(&[file], &Options::default()).expect("a result");
    let (.., run) = loaded.dataset.runs().next().expect("a run");
    let names = [
        "duration",
        "mean_ttft_ms",
        "output_throughput",
        "request_throughput",
        "total_token_throughput",
    ];
    assert!(run.metrics.keys().eq(names), "{:?}", run.metrics);
}

/// Found by fuzzing: the title of a text block in a cell.
#[test]
fn a_table_that_was_written_out_stays_one_whatever_its_cells_say() {
    let title = "============ Serving Benchmark Result ============";
    let header = "variant,run,pair,metric,value,resolution,unit,model";
    let csv = format!("{header}\na,1,,mean_ttft_ms,19.5,0.05,ms,{title}\n");
    let lines = format!(
        "{{\"metric\":\"mean_ttft_ms\",\"model\":\"{title}\",\"pair\":null,\"resolution\":0.05,\"run\":\"1\",\
         \"unit\":\"ms\",\"value\":19.5,\"variant\":\"a\"}}\n"
    );
    for (name, text) in [("tidy.csv", csv), ("tidy.ndjson", lines)] {
        let file = File { variant: None, name, bytes: text.as_bytes() };
        let loaded = load_bytes(&[file], &Options::default()).expect("a table");
        let (group, variant, run) = loaded.dataset.runs().next().expect("a run");
        assert_eq!((variant.name.as_str(), run.metrics["mean_ttft_ms"].value), ("a", 19.5));
        assert_eq!(group.workload.model.as_deref(), Some(title), "{name}");
    }
}

/// Found by fuzzing: a label that no client prints makes the name of a count.
#[test]
fn a_metric_that_is_named_as_a_count_is_written_out_and_read_again() {
    let blocks: Vec<String> = [19.5, 21.5]
        .iter()
        .map(|ttft| block(*ttft).replace(RULER, &format!("Total )input tokens:    200\n{RULER}")))
        .collect();
    let read = |name: &str, bytes: &[u8]| {
        load_bytes(&[File { variant: None, name, bytes }], &Options::default())
            .expect("runs")
            .dataset
    };
    let first = read("note.md", format!("# a\n{}\n# b\n{}", blocks[0], blocks[1]).as_bytes());
    let table = tidy(&first, Tidy::Csv).expect("a table");
    let names = |dataset: &Dataset| -> Vec<Vec<String>> {
        let of = |run: &Run| run.metrics.keys().map(str::to_owned).collect();
        dataset.runs().map(|(.., run)| of(run)).collect()
    };
    assert!(names(&first).iter().all(|names| names.contains(&"total_input_tokens".to_owned())));
    assert_eq!(names(&read("tidy.csv", &table)), names(&first));
}
