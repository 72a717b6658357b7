//! What a report promises its readers: the JSON document its schema, the markdown a comment that renders
//! as intended whatever a label holds, the CSV the same numbers.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use beyondnoise::analysis::analyse;
use beyondnoise::policy::{Policy, Selected};
use beyondnoise::read::{Options, load};
use beyondnoise::render;
use beyondnoise::report;
use beyondnoise::report::Report;
use beyondnoise::stats::{Across, Method};
use beyondnoise::units::Better;
use beyondnoise::verdict::{Headline, Verdict};
use jsonschema::Validator;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde_json::Value;

const SERVING: &str = "data/serving";
const CLOSED_LOOP: &str = "data/notes/closed-loop-before-after.txt";
const MARKER: &str = "<!-- beyondnoise -->";

const IMPROVED: &str = "variant,output_throughput\n\
    before,24.32\nbefore,24.11\nbefore,24.29\nafter,24.52\nafter,24.59\nafter,24.74\n";
const REGRESSED: &str = "variant,output_throughput\n\
    before,24.52\nbefore,24.59\nbefore,24.74\nafter,23.32\nafter,23.11\nafter,23.29\n";
const WITHIN_NOISE: &str = "variant,output_throughput\n\
    before,24.3\nbefore,25.9\nbefore,23.1\nafter,24.4\nafter,23.2\nafter,25.7\n";
const NO_CHANGE: &str = "variant,output_throughput\n\
    before,100.01\nbefore,100.02\nbefore,99.99\nafter,100.02\nafter,100.00\nafter,100.01\n";
const TRADE_OFF: &str = "variant,max_concurrency,mean_ttft_ms,mean_tpot_ms\n\
    before,8,100.1,20.01\nbefore,8,100.4,20.03\nbefore,8,99.8,19.98\n\
    after,8,90.2,22.02\nafter,8,90.1,22.01\nafter,8,89.9,21.97\n";
const UNDIRECTED: &str = "variant,output_throughput,my_score\n\
    before,24.32,1\nbefore,24.11,2\nbefore,24.29,3\nafter,24.52,2\nafter,24.59,3\nafter,24.74,5\n";
const NOT_POSITIVE: &str = "variant,offset_ms,balance\n\
    before,0,-3\nbefore,-1,-2\nbefore,2,-4\nafter,5,1\nafter,6,1.5\nafter,5.5,1.2\n";
const MISMATCH: &str = "variant,requests,output_throughput\n\
    before,100,24.32\nbefore,100,24.11\nafter,200,24.59\nafter,200,24.70\n";
const FAILED: &str = "variant,requests,completed,failed,output_throughput\n\
    before,100,100,0,24.32\nbefore,100,100,0,24.11\nafter,100,90,10,24.59\nafter,100,95,5,24.70\n";
const TWO_AND_ONE: &str = "variant,output_throughput\nbefore,24.32\nbefore,24.11\nafter,24.59\n";
const MANY_SETTINGS: &str = "variant,isl,osl,model,dataset,client,qps,requests,request_throughput,\
    median_ttft_ms,mean_tpot_ms,p99_ttft_ms\n\
    old,128,64,m,d,c,4,2000,3.99,50.1,10.1,90.2\nold,128,64,m,d,c,4,2000,3.98,50.9,10.2,95.2\n\
    new,128,64,m,d,c,4,2000,3.99,51.1,10.1,91.2\nnew,128,64,m,d,c,4,2000,3.97,50.2,10.3,93.2\n";

/// Reports of every kind, by what they are made from.
static REPORTS: LazyLock<Vec<(String, Report)>> = LazyLock::new(|| {
    let plain = Policy::default();
    let mut all: Vec<(String, Report)> = [
        SERVING,
        "data/notes",
        CLOSED_LOOP,
        "data/notes/mock-abba.md",
        "data/notes/burst-three-variants.txt",
        "data/notes/burst-cache-steps.txt",
        "data/notes/two-workloads-five-steps.txt",
    ]
    .into_iter()
    .map(|path| (path.to_owned(), of_files(&[path], &plain)))
    .collect();
    for (name, table) in [
        ("improved", IMPROVED),
        ("regressed", REGRESSED),
        ("within noise", WITHIN_NOISE),
        ("no change", NO_CHANGE),
        ("trade-off", TRADE_OFF),
        ("undirected", UNDIRECTED),
        ("not positive", NOT_POSITIVE),
        ("mismatch", MISMATCH),
        ("failed", FAILED),
        ("two and one", TWO_AND_ONE),
        ("many settings", MANY_SETTINGS),
    ] {
        all.push((name.to_owned(), of_table(table, &plain)));
        let median = Policy { across: Across::MEDIAN, ..plain.clone() };
        all.push((format!("{name}, median"), of_table(table, &median)));
    }
    for method in [Method::Calibrated, Method::Percentile, Method::Bca, Method::Welch] {
        for across in [Across::MEAN, Across::MEDIAN, Across::quantile(0.99)] {
            let policy = Policy { method, across, ..plain.clone() };
            all.push((format!("improved, {method:?} {across:?}"), of_table(IMPROVED, &policy)));
        }
        let policy = Policy { method, ..plain.clone() };
        all.push((format!("{SERVING}, {method:?}"), of_files(&[SERVING], &policy)));
    }
    let directed = directed(&[("offset_ms", Better::Lower), ("balance", Better::Higher)]);
    all.push(("not positive, directed".to_owned(), of_table(NOT_POSITIVE, &directed)));
    all
});

fn directed(metrics: &[(&str, Better)]) -> Policy {
    let selected = metrics
        .iter()
        .map(|&(name, better)| Selected { name: name.to_owned(), better: Some(better) });
    Policy { selected: selected.collect(), ..Policy::default() }
}

fn of_files(paths: &[&str], policy: &Policy) -> Report {
    let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
    let loaded = load(&paths, &Options::default()).expect("readable inputs");
    analyse(&loaded.dataset, None, loaded.assumed_base.as_deref(), policy).expect("a comparison")
}

fn of_table(table: &str, policy: &Policy) -> Report {
    of_table_with(table, None, policy, &Options::default())
}

fn of_table_with(table: &str, base: Option<&str>, policy: &Policy, options: &Options) -> Report {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.csv");
    std::fs::write(&path, table).expect("a file");
    let loaded = load(&[path.display().to_string()], options).expect("a readable table");
    analyse(&loaded.dataset, base, None, policy).expect("a comparison")
}

/// A long table with three runs of each metric and variant; the runs of variant k lie about 2 k % higher.
fn long_table(variants: &[impl AsRef<str>], metrics: &[impl AsRef<str>]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["variant", "metric", "value"]).expect("in memory");
    for (k, variant) in variants.iter().enumerate() {
        for run in 0..3 {
            for metric in metrics {
                let value = 100.0 + 2.0 * k as f64 + 0.01 * f64::from(run);
                let value = format!("{value:.2}");
                let cells = [variant.as_ref(), metric.as_ref(), &value];
                writer.write_record(cells).expect("in memory");
            }
        }
    }
    String::from_utf8(writer.into_inner().expect("in memory")).expect("text")
}

fn document(report: &Report) -> Value {
    serde_json::from_str(&render::json(report)).expect("JSON")
}

/// JSON: the document and its schema.
mod json {
    use super::*;

    fn schema() -> Value {
        serde_json::from_str(include_str!("../../data/schema/report.schema.json")).expect("JSON")
    }

    /// The schema without room for fields that it does not describe; maps say so and stay open.
    fn closed() -> Validator {
        let mut schema = schema();
        close(&mut schema);
        jsonschema::draft202012::new(&schema).expect("a schema")
    }

    fn close(schema: &mut Value) {
        match schema {
            Value::Object(object) => {
                if object.contains_key("properties") {
                    object.entry("additionalProperties").or_insert(Value::Bool(false));
                }
                object.values_mut().for_each(close);
            }
            Value::Array(items) => items.iter_mut().for_each(close),
            _ => {}
        }
    }

    fn errors(validator: &Validator, document: &Value) -> Vec<String> {
        let found = validator.iter_errors(document);
        found.map(|error| format!("{}: {error}", error.instance_path())).collect()
    }

    #[test]
    fn the_schema_is_one() {
        let schema = schema();
        assert!(jsonschema::draft202012::meta::is_valid(&schema));
        assert_eq!(schema["properties"]["schema"]["const"], report::SCHEMA);
    }

    #[test]
    fn every_report_fits_the_schema_and_has_no_other_field() {
        let closed = closed();
        for (name, report) in REPORTS.iter() {
            let found = errors(&closed, &document(report));
            assert!(found.is_empty(), "{name}: {found:#?}");
        }
    }

    #[test]
    fn the_reports_are_of_every_kind() {
        let kinds = [
            Headline::Improved,
            Headline::Regressed,
            Headline::TradeOff,
            Headline::NoChange,
            Headline::WithinNoise,
            Headline::NoVerdict,
            Headline::NotComparable,
        ];
        let comparisons = || REPORTS.iter().flat_map(|(_, report)| &report.comparisons);
        for kind in kinds {
            assert!(comparisons().any(|comparison| comparison.headline == kind), "{kind:?}");
        }
        let rows = || comparisons().flat_map(|comparison| &comparison.metrics);
        assert!(rows().any(|row| row.delta.relative.is_none() && row.delta.absolute_ci.is_some()));
        assert!(comparisons().any(|comparison| !comparison.claims.is_empty()));
        assert!(REPORTS.iter().any(|(_, report)| !report.unmatched.is_empty()));
    }

    /// Every object of a report, as a path of keys and positions; what a check found is its own.
    fn objects(value: &Value, path: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                found.push(path.to_owned());
                for (key, inner) in object.iter().filter(|(key, _)| *key != "evidence") {
                    let key = key.replace('~', "~0").replace('/', "~1");
                    objects(inner, &format!("{path}/{key}"), found);
                }
            }
            Value::Array(items) => {
                for (index, inner) in items.iter().enumerate() {
                    objects(inner, &format!("{path}/{index}"), found);
                }
            }
            _ => {}
        }
    }

    #[test]
    fn a_field_too_many_or_too_few_does_not_fit_the_schema() {
        let closed = closed();
        for name in ["data/notes/burst-cache-steps.txt", "not positive", "many settings"] {
            let (_, report) = REPORTS.iter().find(|(found, _)| found == name).expect("a report");
            let mut document = document(report);
            document["comparisons"].as_array_mut().expect("a list").truncate(1);
            let metrics = &mut document["comparisons"][0]["metrics"];
            metrics.as_array_mut().expect("a list").truncate(1);
            assert!(closed.is_valid(&document), "{name}");
            let mut paths = Vec::new();
            objects(&document, "", &mut paths);
            // The thresholds are a map of numbers.
            for path in paths.into_iter().filter(|path| path != "/settings/checks") {
                let object = |document: &mut Value| -> serde_json::Map<String, Value> {
                    document.pointer(&path).and_then(Value::as_object).expect("an object").clone()
                };
                let mut more = document.clone();
                let fields = more.pointer_mut(&path).and_then(Value::as_object_mut);
                fields.expect("an object").insert("misspelt".to_owned(), Value::from(1));
                assert!(!closed.is_valid(&more), "{name}: {path}/misspelt fits");
                let is_map = path.ends_with("/margins") || path.ends_with("/cell");
                for key in object(&mut document).keys() {
                    let setting = path.ends_with("/workload") && matches!(&key[..], "isl" | "osl");
                    if is_map || setting {
                        continue;
                    }
                    let mut less = document.clone();
                    let fields = less.pointer_mut(&path).and_then(Value::as_object_mut);
                    fields.expect("an object").remove(key);
                    assert!(!closed.is_valid(&less), "{name}: fits without {path}/{key}");
                }
            }
        }
    }

    /// JSON writes what is not finite as null, so it is looked for before it is written.
    #[test]
    fn no_number_is_nan_or_infinite() {
        for (name, report) in REPORTS.iter() {
            assert_finite(name, report);
        }
    }

    pub(super) fn assert_finite(name: &str, report: &Report) {
        let debug = format!("{report:?}");
        let mut words = debug.split([' ', ',', '(', ')', '[', ']', '{', '}']);
        let bad = words.position(|word| matches!(word, "NaN" | "inf" | "-inf"));
        assert!(bad.is_none(), "{name}: {debug}");
        let text = render::json(report);
        // The name of a folder for the test may hold any letters.
        let of_folder = std::env::temp_dir().display().to_string();
        for line in text.lines().filter(|line| !line.contains(&of_folder)) {
            for word in ["NaN", "Infinity"] {
                assert!(!line.contains(word), "{name}: {line}");
            }
        }
    }

    #[test]
    fn the_schema_comes_first() {
        for (name, report) in REPORTS.iter() {
            let text = render::json(report);
            assert!(text.starts_with("{\n  \"schema\": \"beyondnoise/1\","), "{name}");
            assert!(text.ends_with("}\n"), "{name}");
        }
    }

    /// By hand: (24.52 + 24.59 + 24.74) / (24.32 + 24.11 + 24.29) = 73.85 / 72.72. The interval is that
    /// of a program of its own, which goes through all resamples.
    #[test]
    fn relative_values_are_fractions() {
        let document = document(&of_table(IMPROVED, &Policy::default()));
        let row = &document["comparisons"][0]["metrics"][0];
        let close = |value: &Value, expected: f64| {
            let value = value.as_f64().expect("a number");
            assert!((value - expected).abs() < 5e-7, "{value} against {expected}");
        };
        close(&row["delta"]["relative"], 0.015_539);
        close(&row["delta"]["relative_ci"][0], 0.005_252);
        close(&row["delta"]["relative_ci"][1], 0.025_930);
        close(&row["delta"]["absolute"], 1.13 / 3.0);
        close(&row["baseline"]["estimate"], 24.24);
        assert_eq!(row["verdict"], "better");
        assert_eq!(document["comparisons"][0]["headline"], "improved");
        assert_eq!(document["comparisons"][0]["gate"], "pass");
    }

    #[test]
    fn what_has_no_ratio_has_only_an_absolute_delta() {
        let document = document(&of_table(NOT_POSITIVE, &Policy::default()));
        for row in document["comparisons"][0]["metrics"].as_array().expect("a list") {
            for field in ["relative", "relative_ci"] {
                assert_eq!(row["delta"][field], Value::Null, "{row}");
            }
            assert!(row["delta"]["absolute_ci"].is_array(), "{row}");
            assert_eq!(row["noise"]["break_even_cv"], Value::Null, "{row}");
        }
    }

    /// Noise as a fraction has no meaning where a value is zero or negative.
    #[test]
    fn what_has_no_ratio_has_no_relative_noise() {
        let directed = directed(&[("offset_ms", Better::Lower), ("balance", Better::Higher)]);
        let document = document(&of_table(NOT_POSITIVE, &directed));
        for row in document["comparisons"][0]["metrics"].as_array().expect("a list") {
            assert_eq!(row["noise"]["detectable"], Value::Null, "{row}");
            assert_eq!(row["noise"]["cv"], Value::Null, "{row}");
        }
    }

    #[test]
    fn different_workloads_are_refused_by_name() {
        let document = document(&of_table(MISMATCH, &Policy::default()));
        let comparison = &document["comparisons"][0];
        assert_eq!(comparison["headline"], "not_comparable");
        assert_eq!(comparison["gate"], "none");
        let found = &comparison["checks"][0];
        assert_eq!(
            (&found["id"], &found["severity"]),
            (&"workload-mismatch".into(), &"block".into())
        );
        let field = serde_json::json!({"field": "requests", "baseline": "100", "candidate": "200"});
        assert_eq!(found["evidence"]["fields"], serde_json::json!([field]));
    }

    #[test]
    fn deciding_metrics_and_weighty_checks_come_first() {
        for (name, report) in REPORTS.iter() {
            for comparison in &report.comparisons {
                let deciding: Vec<bool> = comparison.metrics.iter().map(|r| !r.deciding).collect();
                assert!(deciding.is_sorted(), "{name}");
                assert!(comparison.checks.iter().map(|check| check.severity).is_sorted(), "{name}");
            }
        }
    }

    /// What has no partner is listed, so that an empty report never passes for a clean one.
    #[test]
    fn every_run_is_compared_or_said_not_to_be() {
        let no_model = "variant,model,output_throughput\nbefore,,24.3\nbefore,,24.1\n\
            a,m,24.5\na,m,24.9\nb,n,25.5\nb,n,25.9\n";
        let three_loads = "variant,requests,output_throughput\nbefore,100,24.3\nbefore,100,24.1\n\
            after,200,24.5\nafter,200,24.9\nafter,300,25.5\nafter,300,25.9\n";
        let one_alone = "variant,requests,output_throughput\nbefore,100,24.3\nbefore,100,24.1\n\
            after,100,24.5\nafter,100,24.9\nc,300,25.5\nc,300,25.9\n";
        for table in [no_model, three_loads, one_alone] {
            let report = of_table(table, &Policy::default());
            let baselines: BTreeMap<&str, usize> = report
                .comparisons
                .iter()
                .map(|c| (&c.baseline.name[..], c.baseline.runs))
                .collect();
            let candidates: usize = report.comparisons.iter().map(|c| c.candidate.runs).sum();
            let alone: usize = report.unmatched.iter().map(|unmatched| unmatched.runs).sum();
            let told = baselines.values().sum::<usize>() + candidates + alone;
            assert_eq!(told, report.inputs[0].runs, "{}", render::markdown(&report));
        }
    }

    /// Every order in which threads can finish gives the same bytes.
    #[test]
    fn the_same_input_gives_the_same_bytes_on_any_number_of_threads() {
        // Seven runs each are too many to enumerate, so that resamples are drawn.
        let runs =
            (0..7).map(|k| format!("old,{}\nnew,{}\n", 20.5 + 0.1 * f64::from(k), 21 + k % 3));
        let drawn = format!("variant,output_throughput\n{}", runs.collect::<String>());
        let folder = tempfile::tempdir().expect("a folder");
        let table = folder.path().join("runs.csv");
        std::fs::write(&table, drawn).expect("a file");
        let table = table.display().to_string();
        for paths in [vec![SERVING], vec!["data/notes"], vec![table.as_str()]] {
            let all = || {
                let report = of_files(&paths, &Policy::default());
                [render::json(&report), render::markdown(&report), render::csv(&report)]
            };
            let first = all();
            assert_eq!(first, all());
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                assert_eq!(first, pool.expect("threads").install(all), "{threads} threads");
            }
        }
    }

    #[test]
    fn the_size_of_the_values_makes_no_difference() {
        for scale in ["e-320", "e-200", "e-90", "e-30", "e30", "e90", "e200", "e307"] {
            let values = IMPROVED.replace("24.", "2.4");
            let mut table = String::new();
            for line in values.lines() {
                let number = line.ends_with(|c: char| c.is_ascii_digit());
                table.extend([line, if number { scale } else { "" }, "\n"]);
            }
            let report = std::panic::catch_unwind(|| of_table(&table, &Policy::default()));
            let report = report.unwrap_or_else(|_| panic!("{scale} panics"));
            assert_finite(scale, &report);
            assert!(closed().is_valid(&document(&report)), "{scale}");
        }
    }

    #[test]
    fn a_ratio_out_of_range_is_null() {
        for (before, after) in [("1e308", "1e-320"), ("1e-320", "1e308"), ("1e308", "1.7e308")] {
            let table = format!("variant,output_throughput\nbefore,{before}\nafter,{after}\n");
            let report = of_table(&table, &Policy::default());
            assert_finite(&table, &report);
            assert!(closed().is_valid(&document(&report)), "{table}");
        }
    }
}

/// What a browser shows of a markdown report.
#[derive(Debug, Default)]
struct Rendered {
    /// Rows of cells of each table, the header first.
    tables: Vec<Vec<Vec<String>>>,
    headings: Vec<String>,
    /// All text, with a line break after each block.
    text: String,
    strong: Vec<String>,
    /// Tags and comments.
    html: Vec<String>,
    /// What is to be clicked on, as it is read: HTML, in which markdown has no meaning.
    summaries: Vec<String>,
    /// Emphasis, links, images, code blocks, ...: nothing that a report has.
    strange: Vec<String>,
}

/// Renders as GitHub does.
fn render(markdown: &str) -> Rendered {
    use pulldown_cmark::Options;
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM;
    let mut out = Rendered::default();
    let mut open: Vec<String> = Vec::new();
    let mut last_cell = 0..0;
    for (event, range) in Parser::new_ext(markdown, options).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                open.push(String::new());
                match tag {
                    Tag::Table(_) => out.tables.push(Vec::new()),
                    Tag::TableHead | Tag::TableRow => {
                        out.tables.last_mut().expect("a table").push(Vec::new());
                    }
                    Tag::Heading { .. }
                    | Tag::Paragraph
                    | Tag::List(None)
                    | Tag::Item
                    | Tag::TableCell
                    | Tag::Strong
                    | Tag::HtmlBlock => {}
                    other => out.strange.push(format!("{other:?}")),
                }
            }
            Event::End(tag) => {
                let text = open.pop().expect("opened");
                match tag {
                    TagEnd::TableCell => {
                        let row = out.tables.last_mut().and_then(|table| table.last_mut());
                        row.expect("a row").push(text.trim().to_owned());
                        last_cell = range;
                    }
                    TagEnd::TableHead | TagEnd::TableRow => {
                        assert_row_ends(markdown, &range, &last_cell);
                    }
                    TagEnd::Heading(_) => out.headings.push(text.clone()),
                    TagEnd::Strong => out.strong.push(text.clone()),
                    _ => {}
                }
                out.text.push_str(if matches!(tag, TagEnd::Strong) { "" } else { "\n" });
                // What stands in bold is also text of what it stands in.
                if let (TagEnd::Strong, Some(outer)) = (tag, open.last_mut()) {
                    outer.push_str(&text);
                }
            }
            Event::Text(text) | Event::Code(text) => {
                out.text.push_str(&text);
                if let Some(block) = open.last_mut() {
                    block.push_str(&text);
                }
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                let tags = html.split('<').skip(1);
                out.html
                    .extend(tags.map(|tag| tag.split_inclusive('>').next().unwrap_or("").into()));
                let summary =
                    html.split_once("<summary>").and_then(|(_, s)| s.split_once("</summary>"));
                out.summaries.extend(summary.map(|(text, _)| {
                    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
                }));
            }
            Event::SoftBreak => out.text.push('\n'),
            other => out.strange.push(format!("{other:?}")),
        }
    }
    out
}

/// The renderer drops what is left of a row after as many cells as the header has; nothing may be.
fn assert_row_ends(markdown: &str, row: &Range<usize>, last_cell: &Range<usize>) {
    let line = &markdown[row.clone()];
    let rest = markdown[last_cell.end..row.end].trim();
    assert!(matches!(rest, "|" | ""), "{rest} is left of the row {line}");
}

/// Cells of a row as GitHub splits it: a backslash takes the next character with it, in code as well.
fn cells(line: &str) -> usize {
    let mut chars = line.trim().chars();
    let mut pipes = 0;
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '|' => pipes += 1,
            _ => {}
        }
    }
    pipes - 1
}

/// Checks what every markdown report promises.
fn assert_sound(name: &str, report: &Report) {
    let markdown = render::markdown(report);
    let rendered = render(&markdown);
    assert!(markdown.starts_with("### "), "{name}: {markdown}");
    assert!(rendered.headings[0].contains("beyondnoise: "), "{name}");
    assert!(markdown.ends_with(&format!("\n{MARKER}\n")), "{name}");
    assert!(markdown.chars().count() < 60_000, "{name}");
    assert_eq!(rendered.strange, Vec::<String>::new(), "{name}: {markdown}");
    let ours =
        ["details>", "summary>", "/summary>", "/details>", "sub>", "/sub>", "code>", "/code>"];
    let (comments, tags): (Vec<&String>, Vec<&String>) =
        rendered.html.iter().partition(|tag| tag.starts_with('!'));
    assert_eq!(comments, ["!-- beyondnoise -->"], "{name}");
    for tag in tags {
        assert!(ours.contains(&&tag[..]), "{name}: <{tag} in {markdown}");
    }
    for text in &rendered.strong {
        let change = text.starts_with(|c: char| "+−".contains(c) || c.is_ascii_digit());
        let workload = report.comparisons.iter().any(|c| c.workload.describe() == *text);
        let ours = text == "Next:" || text.starts_with("Noise floor (");
        assert!(ours || change || workload, "{name}: {text} in bold");
    }
    for table in &rendered.tables {
        for row in table {
            assert_eq!(row.len(), table[0].len(), "{name}: {row:?}");
            assert!(row.iter().all(|cell| !cell.is_empty()), "{name}: {row:?}");
        }
    }
    let mut width = None;
    for line in markdown.lines() {
        width = line.starts_with('|').then(|| width.unwrap_or_else(|| cells(line)));
        if let Some(width) = width {
            assert_eq!(cells(line), width, "{name}: {line}");
        }
    }
    // A part ends with its next step or where it is folded.
    let folds = |line: &str| line.starts_with("**Next:**") || line.starts_with("<details>");
    for part in markdown.lines().collect::<Vec<_>>().split(|line| folds(line)) {
        assert!(
            part.iter().filter(|line| line.starts_with("- ⚠️")).count() <= 3,
            "{name}: {part:?}"
        );
    }
    for part in markdown.split("<details><summary>") {
        let folded = part.lines().next().is_some_and(|title| title.contains(" more metric"));
        let table = part.split_once("\n| metric |").map_or("", |(_, table)| table);
        let rows = table.lines().filter(|line| line.starts_with("| ")).count();
        assert!(folded || rows <= 3, "{name}: {part}");
    }
}

/// Markdown: what a pull request shows.
mod markdown {
    use super::*;

    #[test]
    fn every_report_is_sound() {
        for (name, report) in REPORTS.iter() {
            assert_sound(name, report);
        }
    }

    /// Numbers with their sign: `+3.8`, `95`.
    fn numbers(text: &str) -> Vec<String> {
        let part = |c: char| c.is_ascii_digit() || "+−.".contains(c);
        let words = text.split(|c| !part(c)).map(|word| word.trim_end_matches('.').to_owned());
        words.filter(|word| word.contains(|c: char| c.is_ascii_digit())).collect()
    }

    #[test]
    fn the_headline_repeats_numbers_of_the_first_table() {
        let mut checked = 0;
        for (name, report) in REPORTS.iter() {
            let markdown = render::markdown(report);
            let parts: Vec<&str> = markdown.split("<details><summary>").collect();
            for comparison in &report.comparisons {
                let runs =
                    format!(", {} + {} runs", comparison.baseline.runs, comparison.candidate.runs);
                let Some(claim) = comparison.summary.strip_suffix(&runs) else { continue };
                if matches!(comparison.headline, Headline::NoVerdict | Headline::NotComparable) {
                    continue;
                }
                let pair = (&comparison.candidate.name, &comparison.baseline.name);
                let title = format!("{} against {}", pair.0, pair.1);
                let fits = |part: &&&str| part.starts_with(&title) && part.contains(claim);
                let alone = report.comparisons.len() == 1;
                let part = if alone {
                    Some(&markdown[..])
                } else {
                    parts.iter().copied().find(|p| fits(&p))
                };
                let part = part.unwrap_or_else(|| panic!("a part of {title}: {claim}\n{markdown}"));
                let table = &render(part).tables[0];
                let told: Vec<String> =
                    table.iter().flatten().flat_map(|cell| numbers(cell)).collect();
                // How many metrics it is corrected for stands below the table, the margin in its last column.
                let claim = claim.split(", corrected ").next().unwrap_or(claim);
                for number in numbers(claim) {
                    assert!(told.contains(&number), "{name}: {number} of {claim} in {table:?}");
                    checked += 1;
                }
            }
        }
        assert!(checked > 20, "{checked} numbers were checked");
    }

    #[test]
    fn no_report_says_significant() {
        for (name, report) in REPORTS.iter() {
            for text in [render::json(report), render::markdown(report), render::csv(report)] {
                assert!(!text.to_lowercase().contains("significan"), "{name}: {text}");
            }
        }
    }

    /// "Not told from noise" and "shown to be equal" are two verdicts.
    #[test]
    fn within_noise_is_never_called_no_change() {
        let mut seen = 0;
        for (name, report) in REPORTS.iter() {
            let markdown = render::markdown(report).to_lowercase();
            for line in markdown.lines().filter(|line| line.contains("within noise")) {
                let overview = line.starts_with("### ") && report.comparisons.len() > 1;
                assert!(overview || !line.contains("no change"), "{name}: {line}");
                seen += 1;
            }
            let rows = || report.comparisons.iter().flat_map(|comparison| &comparison.metrics);
            let shown = rows().any(|row| row.verdict == Verdict::NoChange)
                || report.comparisons.iter().any(|c| c.headline == Headline::NoChange);
            assert!(shown || !markdown.contains("no change"), "{name}: {markdown}");
        }
        assert!(seen > 5);
    }

    #[test]
    fn the_confidence_in_words_is_the_one_in_force() {
        for table in [IMPROVED, TRADE_OFF, WITHIN_NOISE] {
            let report = of_table(table, &Policy { confidence: 0.9, ..Policy::default() });
            let markdown = render::markdown(&report);
            assert!(markdown.contains("90 % CI"), "{markdown}");
            assert!(!markdown.contains("95 %"), "{markdown}");
        }
    }

    #[test]
    fn a_change_without_a_ratio_has_a_sign() {
        let policy = directed(&[("balance", Better::Higher)]);
        let markdown = render::markdown(&of_table(NOT_POSITIVE, &policy));
        let row = &render(&markdown).tables[0][1];
        assert_eq!(row[3], "+4.233");
        assert_eq!(row[1], "−3.00");
    }

    /// A label without what steers a terminal or the direction of text.
    fn harmless(label: &str) -> String {
        let steers = |c: char| {
            c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        let one_line = label.replace(['\n', '\r', '\t'], " ");
        one_line.chars().filter(|c| !steers(*c)).collect::<String>().trim().to_owned()
    }

    /// The letters of a text, whether a part of it is shown as code or not.
    fn letters(text: &str) -> String {
        text.chars().filter(|c| *c != '`' && !c.is_whitespace()).collect()
    }

    /// Compares `before` with a variant of this label, and a metric of this name.
    fn assert_plain(label: &str) {
        let name = format!("{label}_ms");
        let metrics = ["output_throughput", name.as_str(), "mean_ttft_ms"];
        let table = long_table(&["before", label], &metrics);
        let policy =
            directed(&[("output_throughput", Better::Higher), (&harmless(&name), Better::Lower)]);
        for (case, policy) in [("all", Policy::default()), ("selected", policy)] {
            let report = of_table_with(&table, Some("before"), &policy, &Options::default());
            assert_sound(label, &report);
            let markdown = render::markdown(&report);
            let rendered = render(&markdown);
            let header = &rendered.tables[0][0];
            assert_eq!(letters(&header[2]), letters(&harmless(label)), "{case}: {markdown}");
            let rows = rendered.tables.iter().flatten().map(|row| letters(&row[0]));
            let found = rows.filter(|cell| cell.starts_with(&letters(&harmless(&name)))).count();
            assert_eq!(found, 1, "{case}: {markdown}");
        }
        // Several comparisons have a table of another form, and each a summary in HTML.
        let table = long_table(&["before", label, "third"], &["output_throughput"]);
        let report = of_table_with(&table, Some("before"), &Policy::default(), &Options::default());
        assert_sound(label, &report);
        let Rendered { tables, summaries, .. } = render(&render::markdown(&report));
        let expected = letters(&harmless(label));
        let found = tables[0].iter().any(|row| letters(&row[0]) == format!("{expected}(n=3)"));
        assert!(found, "{label}: {tables:?}");
        let expected = format!("{expected}againstbefore");
        let found = summaries.iter().any(|summary| letters(summary).starts_with(&expected));
        assert!(found, "{label}: {summaries:?}");
    }

    #[test]
    fn markup_in_labels_is_shown_and_not_obeyed() {
        for label in [
            "**bold** and *it*",
            "__bold__ _it_ a_b_c ***",
            "~~gone~~",
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "</details></summary>",
            "<!-- beyondnoise -->",
            "&lt;b&gt; & &amp; &#60;",
            "[text](http://example.com)",
            "![image](http://example.com/x.png)",
            "[^1] and [ref]",
            "<https://example.com>",
            "\\*escaped\\* \\",
            "# heading",
            "1. item",
            "$x^2$ :smile:",
            "优化后 ± … −",
        ] {
            assert_plain(label);
        }
    }

    #[test]
    fn line_breaks_and_steering_characters_are_taken_out() {
        for label in [
            "two\nlines",
            "two\r\n\r\n# lines",
            "right\u{202e}tfel\u{202c} \u{2066}x\u{2069}",
            "\u{1b}[31mred\u{1b}[0m \u{7} \u{9b}1m",
            "tab\there",
        ] {
            assert_plain(label);
        }
    }

    #[test]
    fn code_in_labels_is_code_or_text() {
        for label in ["`code`", "a `code` b `c`", "`<b>`", "`*a*` *b*", "``two``", "```three```"] {
            assert_plain(label);
        }
    }

    #[test]
    fn a_backtick_without_a_partner_hides_no_markup() {
        for label in [
            "`<script>alert(1)</script>",
            "<b> ` <i>",
            "x`` [link](http://example.com) ```",
            "`` <b> ``` [link](http://example.com)",
            "``<b>`",
            "`",
            "end`",
        ] {
            assert_plain(label);
        }
    }

    #[test]
    fn a_pipe_in_a_label_splits_no_cell_and_shows_no_backslash() {
        for label in ["a|b", "|", "a||b|", "a\\|b", "a\\\\|b", "\\"] {
            assert_plain(label);
        }
    }

    #[test]
    fn a_pipe_in_code_splits_no_cell() {
        for label in ["`a|b`", "`a\\|b`", "`|` | `|", "`\\`|"] {
            assert_plain(label);
        }
    }

    #[test]
    fn a_label_names_nobody_and_links_to_nothing() {
        let table = long_table(
            &["before", "see https://example.com www.example.com @someone"],
            &["output_throughput"],
        );
        let report = of_table_with(&table, Some("before"), &Policy::default(), &Options::default());
        // Outside code GitHub makes links of addresses and notifies whom an @ names.
        for line in render::markdown(&report).lines() {
            let bare: String = line.split('`').step_by(2).collect();
            for live in ["https://example.com", " www.example.com", " @someone"] {
                assert!(!bare.contains(live), "{line}");
            }
        }
    }

    /// Enumerates no resamples: for reports of many rows.
    fn quick() -> Policy {
        Policy { method: Method::Welch, ..Policy::default() }
    }

    #[test]
    fn hundreds_of_variants_fit_a_comment() {
        let variants: Vec<String> = (0..300).map(|k| format!("variant-{k:03}")).collect();
        let metrics = ["output_throughput", "mean_ttft_ms", "mean_tpot_ms", "p99_ttft_ms", "other"];
        let table = long_table(&variants, &metrics);
        let first = Some("variant-000");
        let report = of_table_with(&table, first, &quick(), &Options::default());
        assert_eq!(report.comparisons.len(), 299);
        assert_sound("300 variants", &report);
        let markdown = render::markdown(&report);
        assert!(markdown.contains("299 comparisons"), "{markdown}");
        assert!(markdown.contains("--format json"), "what is left out is said to be");
    }

    #[test]
    fn hundreds_of_metrics_keep_the_deciding_rows() {
        let names: Vec<String> =
            (0..700).map(|k| format!("counter_{k:03}_of_the_server")).collect();
        let own = ["output_throughput", "mean_ttft_ms", "mean_tpot_ms"];
        let metrics: Vec<&str> = own.into_iter().chain(names.iter().map(String::as_str)).collect();
        let table = long_table(&["before", "after"], &metrics);
        let report = of_table(&table, &quick());
        assert_sound("700 metrics", &report);
        let markdown = render::markdown(&report);
        let tables = render(&markdown).tables;
        assert_eq!(tables.first().map(Vec::len), Some(1 + 3), "{markdown}");
        assert!(markdown.contains("**Next:**"), "{markdown}");
    }

    #[test]
    fn a_label_of_any_length_leaves_a_heading() {
        let label = "long ".repeat(20_000);
        for variants in [vec!["before", &label], vec!["before", &label, "c"]] {
            let table = long_table(&variants, &["output_throughput"]);
            let single: Vec<&str> = table.lines().step_by(3).collect();
            for table in [&table, &single.join("\n")] {
                let policy = Policy::default();
                let report = of_table_with(table, Some("before"), &policy, &Options::default());
                assert_sound("long label", &report);
            }
        }
    }

    #[test]
    fn what_was_left_out_is_named_also_among_several_comparisons() {
        let lenient = Options { lenient: true, ..Options::default() };
        for table in [IMPROVED.to_owned(), format!("{IMPROVED}third,24.1\nthird,24.2\n")] {
            let table = format!("{table}after,broken\n")
                .replace("output_throughput", "metric,value")
                .replace(",24", ",output_throughput,24")
                .replace(",broken", ",output_throughput,broken");
            let report = of_table_with(&table, None, &Policy::default(), &lenient);
            assert!(!report.inputs[0].skipped.is_empty());
            let markdown = render::markdown(&report);
            assert!(markdown.contains("- skipped: line "), "{markdown}");
        }
    }

    #[test]
    fn no_line_ends_in_a_blank() {
        for (name, report) in REPORTS.iter() {
            for line in render::markdown(report).lines() {
                assert_eq!(line, line.trim_end(), "{name}");
            }
        }
    }

    fn assert_snapshot(name: &str, path: &str) {
        let markdown = render::markdown(&of_files(&[path], &Policy::default()));
        let markdown = markdown.replace(env!("CARGO_PKG_VERSION"), "VERSION");
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, markdown));
    }

    #[test]
    fn one_run_per_variant() {
        assert_snapshot("closed-loop-before-after.md", CLOSED_LOOP);
    }

    #[test]
    fn six_runs_per_variant() {
        assert_snapshot("serving.md", SERVING);
    }
}

/// CSV: the same numbers in a table.
mod table {
    use super::*;

    /// Columns of numbers with the place of the same number in the JSON document.
    const NUMBERS: [(&str, &str); 17] = [
        ("baseline_runs", "/baseline/n"),
        ("candidate_runs", "/candidate/n"),
        ("baseline_estimate", "/baseline/estimate"),
        ("candidate_estimate", "/candidate/estimate"),
        ("relative", "/delta/relative"),
        ("relative_low", "/delta/relative_ci/0"),
        ("relative_high", "/delta/relative_ci/1"),
        ("absolute", "/delta/absolute"),
        ("absolute_low", "/delta/absolute_ci/0"),
        ("absolute_high", "/delta/absolute_ci/1"),
        ("p_value", "/p_value"),
        ("p_adjusted", "/p_adjusted"),
        ("probability_better", "/probability_better"),
        ("cv", "/noise/cv"),
        ("break_even_cv", "/noise/break_even_cv"),
        ("runs_to_settle", "/runs_to_settle"),
        ("deciding", "/deciding"),
    ];
    const WORDS: [(&str, &str); 5] = [
        ("metric", "/metric"),
        ("unit", "/unit"),
        ("better", "/better"),
        ("verdict", "/verdict"),
        ("reason", "/reason"),
    ];

    fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        reader.deserialize().map(|row| row.expect("a row")).collect()
    }

    #[test]
    fn a_line_for_every_comparison_and_metric_with_the_numbers_of_the_json() {
        for (name, report) in REPORTS.iter() {
            let document = document(report);
            let comparisons = document["comparisons"].as_array().expect("a list");
            let expected: Vec<(&Value, &Value)> = comparisons
                .iter()
                .flat_map(|comparison| {
                    let metrics = comparison["metrics"].as_array().expect("a list");
                    metrics.iter().map(move |metric| (comparison, metric))
                })
                .collect();
            // A refused comparison has a line of its own, without a metric.
            let (refused, rows): (Vec<_>, Vec<_>) =
                rows(&render::csv(report)).into_iter().partition(|row| row["metric"].is_empty());
            let bare = comparisons.iter().filter(|c| c["metrics"] == Value::Array(vec![]));
            assert_eq!(refused.len(), bare.count(), "{name}");
            assert_eq!(rows.len(), expected.len(), "{name}");
            for (row, (comparison, metric)) in rows.iter().zip(expected) {
                assert_eq!(row["baseline"], comparison["baseline"]["name"], "{name}");
                assert_eq!(row["candidate"], comparison["candidate"]["name"], "{name}");
                assert_eq!(row["headline"], comparison["headline"], "{name}");
                assert_eq!(row["gate"], comparison["gate"], "{name}");
                for (column, pointer) in WORDS {
                    let word = metric.pointer(pointer).and_then(Value::as_str).unwrap_or("");
                    assert_eq!(row[column], word, "{name}: {column}");
                }
                for (column, pointer) in NUMBERS {
                    let found: Option<Value> = match &row[column][..] {
                        "" => None,
                        cell => Some(cell.parse().expect("a number")),
                    };
                    let expected = metric.pointer(pointer).filter(|value| !value.is_null());
                    let same = match (&found, expected) {
                        // `24` and `24.0` are one number.
                        (Some(a), Some(b)) => a == b || a.as_f64() == b.as_f64(),
                        (a, b) => a.as_ref() == b,
                    };
                    assert!(same, "{name}: {column} is {found:?}, in JSON {expected:?}");
                }
            }
        }
    }

    #[test]
    fn a_label_of_any_kind_comes_back() {
        let label = "a, \"b\"; c | 优化后";
        let table = long_table(&["before", label], &["output_throughput", "x,\"y\""]);
        let rows = rows(&render::csv(&of_table(&table, &Policy::default())));
        assert_eq!(rows.len(), 2);
        assert!(rows.iter().all(|row| row["candidate"] == label));
        assert_eq!(rows[1]["metric"], "x,\"y\"");
    }
}
