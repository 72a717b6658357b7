//! The line that says how a table of no known tool was read: which column is what, and which choice was close.

#![expect(clippy::format_push_string, reason = "tables are written row by row")]

use beyondnoise::analysis::{analyse, batch};
use beyondnoise::error::chain;
use beyondnoise::noise::noise;
use beyondnoise::policy::Policy;
use beyondnoise::read::{File, Options, load_bytes};
use beyondnoise::render::{self, TextOptions};
use beyondnoise::report::Report;
use beyondnoise::report::document::Document;
use beyondnoise::runs::{Dataset, ReadAs};
use beyondnoise::verdict::Headline;
use serde_json::Value;

/// Two builds at two input and two output lengths, three runs each, with a remark.
fn own_table() -> String {
    let mut text = "build,isl,osl,run,ttft_ms,tok_s,note\n".to_owned();
    for (build, factor) in [("main", 1.0), ("pr", 1.05)] {
        for (isl, osl) in [(128, 128), (128, 256), (1024, 128), (1024, 256)] {
            for run in 1..=3 {
                let ttft = factor * (f64::from(isl) / 10.0 + 0.07 * f64::from(run));
                let rate = 1000.0 / factor + 1.3 * f64::from(run);
                let row =
                    format!("{build},{isl},{osl},{run},{ttft:.2},{rate:.1},as in plan {run}\n");
                text.push_str(&row);
            }
        }
    }
    text
}

fn files(all: &[(&str, &str)], options: &Options) -> Dataset {
    let files = all.iter().map(|(name, text)| File { variant: None, name, bytes: text.as_bytes() });
    let loaded = load_bytes(&files.collect::<Vec<_>>(), options);
    loaded.unwrap_or_else(|error| panic!("{}", chain(&error))).dataset
}

fn one(name: &str, text: &str) -> Dataset {
    files(&[(name, text)], &Options::default())
}

fn report(dataset: &Dataset) -> Report {
    analyse(dataset, Some("main"), None, &Policy::default()).expect("a report")
}

fn texts(dataset: &Dataset) -> Vec<String> {
    dataset.read_as().into_iter().map(|ReadAs { text, .. }| text).collect()
}

/// The lines of a text as one, so that it holds a sentence wherever its lines end.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const OWN: &str = "build = variant; isl, osl = settings (4 cells); run = run; ttft_ms, tok_s measured; note left out";

/// Part 2 of the findings, R5: how a table was read is said in every form.
#[test]
fn every_form_says_how_a_table_of_ones_own_was_read() {
    let dataset = one("own.csv", &own_table());
    assert_eq!(texts(&dataset), [OWN]);
    let report = report(&dataset);
    let line = format!("Read as: {OWN}.");
    let text = render::text(&report, TextOptions { width: 80, ..TextOptions::default() });
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(unwrapped(&text).contains(&line), "{text}");
    let (verdict, _) = text.split_once("Read as").expect("the line");
    assert!(verdict.contains("Next:"), "the verdict comes first: {text}");
    let markdown = render::markdown(&report);
    let (outside, inside) = markdown.split_once("how it was read").expect("a fold");
    assert!(!outside.contains("Read as"), "{markdown}");
    assert!(inside.replace('\\', "").contains(&line), "{markdown}");
    assert!(render::html(&report).contains(&line));
    let json: Value = serde_json::from_str(&render::json(&report)).expect("JSON");
    let found = &json["read_as"][0];
    assert_eq!((&found["text"], &found["cells"]), (&OWN.into(), &4.into()));
    let used: Vec<&Value> =
        found["columns"].as_array().expect("columns").iter().map(|column| &column["as"]).collect();
    let expected = ["variant", "setting", "setting", "run", "measured", "measured", "left_out"];
    assert_eq!(used, expected);
    let listed = beyondnoise::job::listing(&dataset);
    assert_eq!(listed["read_as"], json["read_as"]);
    let of_noise = noise(&dataset, &Policy::default()).expect("noise");
    let text = render::text(Document::from(&of_noise), TextOptions::default());
    assert!(unwrapped(&text).contains(&line), "{text}");
    let cells = batch(&dataset, None, &[], None, &Policy::default()).expect("a batch");
    let text = render::text(&cells, TextOptions::default());
    assert!(unwrapped(&text).contains(&line), "{text}");
}

/// A markdown table, as it stands and turned by its layout; the columns have the names that are written.
#[test]
fn a_markdown_table_is_shown_as_it_is_written() {
    let rows = "| build | batch | tok/s | TTFT (ms) |\n|---|---|---|---|\n\
                | main | 1 | 100.1 | 20.1 |\n| main | 8 | 700.3 | 25.2 |\n\
                | pr | 1 | 110.4 | 19.0 |\n| pr | 8 | 720.9 | 24.1 |\n";
    let expected =
        "build = variant; batch = setting (2 cells); row = run; tok/s, TTFT (ms) measured";
    assert_eq!(texts(&one("notes.md", rows)), [expected]);
    let turned = "| What | main | pr | Speedup |\n|---|---|---|---|\n\
                  | Throughput (tok/s) | 100.1 | 110.2 | 1.10x |\n| TTFT (ms) | 20.1 | 19.0 | 1.06x |\n";
    let expected = "main, pr = variants; What = metric names; Speedup checked as claim";
    assert_eq!(texts(&one("notes.md", turned)), [expected]);
    let long = "build,run,metric,mean,count\nmain,1,tok/s,1000,100\nmain,2,tok/s,1010,101\n\
                pr,1,tok/s,900,102\npr,2,tok/s,905,100\n";
    let found = texts(&one("long.csv", long));
    assert!(found[0].contains("metric = metric names; mean = value"), "{found:?}");
}

/// Nothing is said of a result file of a known tool, nor of a table that `convert` wrote.
#[test]
fn a_known_layout_has_no_such_line() {
    let run = include_str!("../fixtures/vllm/appended.json");
    let dataset = files(&[("main/a.json", run)], &Options::default());
    assert!(dataset.read_as().is_empty(), "{:?}", dataset.read_as());
    let tidy = "variant,run,metric,value,unit,resolution\nmain,1,output_throughput,100.1,tok/s,0.05\n\
                pr,1,output_throughput,110.1,tok/s,0.05\n";
    assert!(one("runs.csv", tidy).read_as().is_empty());
    let text = render::text(&report(&one("runs.csv", tidy)), TextOptions::default());
    assert!(!text.contains("Read"), "{text}");
}

/// METHODS 1a, steps 10 and 12: a number 1 ... k in every cell under a silent name is the run, unless the results follow it
/// in all variants, as here. Then it is kept apart, the report asks, and nothing is claimed; once the user says that it is
/// the run, nothing is asked.
#[test]
fn a_doubtful_reading_is_said_and_asked_and_claims_nothing() {
    let table = "build,zeta,tok_s\nmain,1,100.1\nmain,2,105.3\nmain,3,110.2\npr,1,120.1\npr,2,125.2\npr,3,130.9\n";
    let dataset = one("zeta.csv", table);
    let ask = "zeta may be the run; --run-column zeta";
    let found = texts(&dataset);
    assert!(found[0].ends_with(&format!("; close: {ask}")), "{found:?}");
    let doubtful = report(&dataset);
    for one in &doubtful.comparisons {
        assert!(one.may_claim.is_none(), "{:?}", one.may_claim);
        let check = one.checks.iter().find(|check| check.id.as_str() == "doubtful-reading");
        assert!(check.expect("the check").message.contains(ask));
    }
    for form in [
        render::text(&doubtful, TextOptions::default()),
        render::markdown(&doubtful).replace('\\', ""),
        render::html(&doubtful),
    ] {
        assert!(unwrapped(&form).matches(ask).count() >= 2, "{form}");
    }
    let json: Value = serde_json::from_str(&render::json(&doubtful)).expect("JSON");
    let close = &json["read_as"][0]["columns"][1]["close"];
    let expected = serde_json::json!({"as": "run", "flag": "--run-column zeta", "doubtful": true});
    assert_eq!(*close, expected);
    let told = Options { run_column: vec!["zeta".to_owned()], ..Options::default() };
    let clear = files(&[("zeta.csv", table)], &told);
    assert_eq!(texts(&clear), ["build = variant; zeta = run; tok_s measured"]);
    assert!(report(&clear).comparisons[0].may_claim.is_some());
}

/// METHODS 1a, step 12 (R1): a number of few values without a plan is read as measured and may be a setting. One reading pools
/// the runs that the other keeps apart, so that nothing is judged, and the next step asks; `--pool` answers.
#[test]
fn a_doubtful_measured_column_judges_nothing_until_the_user_says_what_it_is() {
    let table = "build,queue,tok_s\nmain,4,99.14\nmain,6,100.07\nmain,5,98.21\nmain,6,99.88\nmain,3,100.61\n\
                 main,6,97.94\nmain,4,99.52\nmain,3,100.23\npr,3,110.35\npr,5,109.12\npr,6,111.43\npr,6,108.27\n\
                 pr,4,110.06\npr,6,112.18\npr,5,109.71\npr,3,107.95\n";
    let doubtful = report(&one("queue.csv", table));
    let comparison = &doubtful.comparisons[0];
    assert!(comparison.may_claim.is_none());
    assert_eq!(comparison.headline, Headline::NoVerdict);
    let text = unwrapped(&render::text(&doubtful, TextOptions::default()));
    for said in ["not judged: the runs may be no repeats", "say how to read queue", "--pool queue"]
    {
        assert!(text.contains(said), "{said}: {text}");
    }
    let pooled = Options { pool: vec!["queue".to_owned()], ..Options::default() };
    let clear = report(&files(&[("queue.csv", table)], &pooled));
    assert_eq!(clear.comparisons[0].headline, Headline::Improved);
}

/// METHODS 1a, step 8 (R1): inside the cells of the other settings a setting is the same in every variant. `depth` is 3 ... 6
/// by chance, so that kept apart it would leave no run of one variant beside one of the other.
#[test]
fn a_number_that_the_variants_do_not_share_in_a_cell_is_no_setting_in_silence() {
    let table = "build,batch,zeta,tok_s,depth\nmain,1,0.1,149.09,3\nmain,1,0.5,353.16,3\nmain,8,0.1,243.59,4\n\
                 main,8,0.5,128.44,6\npr,1,0.1,153.84,6\npr,1,0.5,358.13,4\npr,8,0.1,256.39,3\npr,8,0.5,126.38,4\n";
    let found = texts(&one("depth.csv", table));
    let apart = found[0].contains("depth = setting") || found[0].contains("depth = settings");
    assert!(!apart || found[0].contains("depth may be measured"), "{found:?}");
}

/// METHODS 1a, step 8 (R1): a number under the name of a metric that tells apart the rows of one run is a setting. Before, the
/// rows of 100 and of 200 were averaged in each run.
#[test]
fn a_number_that_tells_apart_the_rows_of_a_run_is_a_setting() {
    let mut table = "build,run,throughput,latency_x\n".to_owned();
    for (build, factor) in [("main", 1.0), ("pr", 1.1)] {
        for run in 1..=4 {
            for (rate, value) in [(101, 40.0), (102, 90.0)] {
                let value = factor * (value + 0.37 * f64::from(run));
                table.push_str(&format!("{build},{run},{rate},{value:.3}\n"));
            }
        }
    }
    let found = texts(&one("rates.csv", &table));
    assert!(found[0].contains("throughput = setting (2 cells)"), "{found:?}");
}

/// R3: a row of totals in JSON lines is no run, as in a CSV.
#[test]
fn a_total_in_json_lines_is_no_run() {
    let mut lines = String::new();
    for (build, factor) in [("main", 1.0), ("pr", 1.1)] {
        for (run, value) in [("1", 40.25), ("2", 40.75), ("\"total\"", 81.0)] {
            let value = factor * value;
            lines.push_str(&format!(
                "{{\"build\":\"{build}\",\"run\":{run},\"widgets\":{value}}}\n"
            ));
        }
    }
    let dataset = one("totals.jsonl", &lines);
    let counts: Vec<usize> =
        dataset.groups[0].variants.iter().map(|variant| variant.runs.len()).collect();
    assert_eq!(counts, [2, 2]);
}

/// Two columns have the name of a run, and both differ inside a cell.
#[test]
fn a_second_column_of_runs_is_close() {
    let mut table = "build,round,rep,tok_s\n".to_owned();
    for (build, rate) in [("main", 100.0), ("pr", 110.0)] {
        for (round, rep) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
            let value = rate + 0.3 * f64::from(round) + 0.17 * f64::from(rep);
            table.push_str(&format!("{build},{round},{rep},{value:.2}\n"));
        }
    }
    let found = texts(&one("two.csv", &table));
    assert!(found[0].ends_with("close: round may be the run; --run-column round"), "{found:?}");
}

/// Files that were read alike share a line; three readings have one each, and the others are counted.
#[test]
fn files_read_alike_share_a_line_and_many_readings_are_counted() {
    let rows = |setting: &str| {
        let of = |build: &str, rate: f64| {
            format!("{build},1,8,{rate:.1}\n{build},2,8,{:.1}\n", rate + 0.4)
        };
        format!("build,run,{setting},tok_s\n{}{}", of("main", 100.0), of("pr", 110.0))
    };
    let shared = rows("batch");
    let alike: Vec<(&str, &str)> = vec![("a.csv", &shared), ("b.csv", &shared), ("c.csv", &shared)];
    assert_eq!(files(&alike, &Options::default()).read_as().len(), 1);
    let settings = ["batch", "threads", "workers", "shards", "replicas"];
    let tables: Vec<String> = settings.iter().map(|name| rows(name)).collect();
    let names = ["a.csv", "b.csv", "c.csv", "d.csv", "e.csv"];
    let all: Vec<(&str, &str)> = names.into_iter().zip(tables.iter().map(String::as_str)).collect();
    let report = report(&files(&all, &Options::default()));
    assert_eq!(report.read_as.len(), 5);
    let text = unwrapped(&render::text(&report, TextOptions::default()));
    for name in ["a.csv", "b.csv", "c.csv"] {
        assert!(text.contains(&format!("Read {name} as: build = variant")), "{text}");
    }
    assert!(text.contains("2 more tables read in other ways: see `beyondnoise show`."), "{text}");
    let many = (1..=8).map(|n| format!("gizmo{n}_ms")).collect::<Vec<_>>().join(",");
    let row = |build: &str, at: usize| {
        let values: Vec<String> = (1..=8).map(|n| format!("{}.{at}{n}", 10 * n + at)).collect();
        format!("{build},{at},{}\n", values.join(","))
    };
    let table = format!("build,run,{many}\n{}{}", row("main", 1), row("pr", 2));
    let found = texts(&one("many.csv", &table));
    assert!(found[0].contains("gizmo5_ms and 3 more measured"), "{found:?}");
}

/// NAME=PATH names the variant: the column that would name it is left out.
#[test]
fn a_named_input_is_its_variant() {
    let table = "build,run,tok_s\nx,1,100\nx,2,101\n";
    let other = table.replace(",10", ",11");
    let files = [("main", "m.csv", table), ("pr", "p.csv", &*other)];
    let files = files.map(|(label, name, text)| File {
        variant: Some(label),
        name,
        bytes: text.as_bytes(),
    });
    let loaded = load_bytes(&files, &Options::default()).expect("two files");
    let expected = "path = variant; run = run; tok_s measured; build left out";
    assert_eq!(texts(&loaded.dataset), [expected]);
}

/// What is left out of an input: the first three parts with line and reason, then a count; JSON has all.
#[test]
fn three_skipped_parts_are_shown_with_their_reasons_and_the_others_counted() {
    let mut text = "| build | tok/s |\n|---|---|\n| main | 100.1 |\n| main | 100.4 |\n| pr | 110.2 |\n| pr | 110.9 |\n".to_owned();
    for part in ["GPU", "CPU", "Disk", "Host", "Driver"] {
        text.push_str(&format!("\nAbout the {part}\n\n| {part} | Remark |\n|---|---|\n| first | fast |\n| second | slow |\n"));
    }
    let dataset = one("notes.md", &text);
    let skipped = &dataset.inputs[0].skipped;
    assert!(skipped.len() > 3, "{skipped:?}");
    let report = report(&dataset);
    let shown = unwrapped(&render::text(&report, TextOptions::default()));
    for part in &skipped[..3] {
        assert!(shown.contains(&format!("skipped: {}: {}", part.place, part.why)), "{shown}");
    }
    assert_eq!(shown.matches("skipped: ").count(), 3, "{shown}");
    assert!(shown.contains(&format!("and {} more skipped (-v)", skipped.len() - 3)), "{shown}");
    let markdown = render::markdown(&report);
    assert_eq!(markdown.matches("skipped: ").count(), skipped.len(), "{markdown}");
    let json: Value = serde_json::from_str(&render::json(&report)).expect("JSON");
    assert_eq!(json["inputs"][0]["skipped"].as_array().map(Vec::len), Some(skipped.len()));
}
