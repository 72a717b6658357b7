//! What every target asks of the library: no panic, messages that can be printed, reports that are sound.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use beyondnoise::analysis::{analyse, batch};
use beyondnoise::error::{Error, chain};
use beyondnoise::noise::noise;
use beyondnoise::policy::{Base, Policy};
use beyondnoise::read::{File, Loaded, Options, Tidy, load_bytes, tidy};
use beyondnoise::render::{self, TextOptions};
use beyondnoise::report::Report;
use beyondnoise::runs::Dataset;
use jsonschema::Validator;
use pulldown_cmark::{Event, Tag};

/// Endings of file names; the first byte of an input picks one.
pub(crate) const ENDINGS: &[&str] = &["md", "json", "csv", "txt", "yaml", "jsonl", "db", "tsv"];

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let schema = include_str!("../../data/schema/report.schema.json");
    let schema = serde_json::from_str(schema).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is one")
});

/// Splits an input into the name of a file and its content.
pub(crate) fn file(input: &[u8]) -> Option<(String, &[u8])> {
    let (first, bytes) = input.split_first()?;
    Some((format!("input.{}", ENDINGS[usize::from(*first) % ENDINGS.len()]), bytes))
}

/// Reads a file strictly and leniently; what the first that succeeds gives.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Option<Loaded> {
    let files = [File { variant: None, name, bytes }];
    let strict = load_bytes(&files, &Options::default());
    if let Err(error) = &strict {
        message(error);
    }
    let options = Options { lenient: true, ..Options::default() };
    let lenient = load_bytes(&files, &options).inspect_err(message);
    strict.or(lenient).ok()
}

/// A message is one line that can be printed.
pub(crate) fn message(error: &Error) {
    let text = chain(error);
    assert!(!text.is_empty() && !text.chars().any(char::is_control), "{text:?}");
}

/// Reads a file, and makes every report of it.
pub(crate) fn everything(name: &str, bytes: &[u8]) {
    if let Some(loaded) = read(name, bytes) {
        reports(&loaded.dataset);
    }
}

/// Makes every report of these runs.
pub(crate) fn reports(dataset: &Dataset) {
    let mut policy = Policy::default();
    policy.resampling.count = 200;
    let names = dataset.variant_names();
    let base = names.first().copied();
    // What a file says may be quoted.
    let nan_is_quoted = format!("{dataset:?}").contains("NaN");
    match analyse(dataset, base, None, &policy) {
        Ok(report) => sound(&report, nan_is_quoted),
        Err(error) => message(&error),
    }
    match batch(dataset, None, &[], base.map(Base::parse).as_ref(), &policy) {
        Ok(report) => {
            sound(&report, nan_is_quoted);
            let text = render::text(
                beyondnoise::report::batch::batch(&report, true),
                TextOptions::default(),
            );
            printable(&text);
            assert!(nan_is_quoted || !text.contains("NaN"), "{text}");
            markdown(&render::markdown(&report));
        }
        Err(error) => message(&error),
    }
    match noise(dataset, &policy) {
        Ok(found) => {
            let text = render::text(&found, TextOptions::default());
            printable(&text);
            assert!(nan_is_quoted || !text.contains("NaN"), "{text}");
            markdown(&render::markdown(&found));
            json(&render::json(&found));
        }
        Err(error) => message(&error),
    }
    back(dataset);
}

/// Columns of loads that a client may leave without a limit.
const LOADS: [&str; 2] = ["request_rate", "max_concurrency"];

/// Every form of one report.
fn sound(report: &Report, nan_is_quoted: bool) {
    for width in [40, 80] {
        let options = TextOptions {
            width,
            verbose: width == 80,
            plot: width == 80,
            ..TextOptions::default()
        };
        let text = render::text(report, options);
        printable(&text);
        assert!(nan_is_quoted || !text.contains("NaN"), "{text}");
    }
    markdown(&render::markdown(report));
    html(&render::html(report));
    let text = render::json(report);
    let value = json(&text);
    // A fuzzer looks at one report in eight: this takes longer than all else.
    if (!cfg!(fuzzing) || text.len().is_multiple_of(8))
        && let Some(error) = SCHEMA.iter_errors(&value).next()
    {
        panic!("{error} at {}", error.instance_path());
    }
    let csv = render::csv(report);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let headers = reader.headers().expect("a header").clone();
    // A load without a limit is `inf`, as clients write it.
    let figure = |at: usize| !headers.get(at).is_some_and(|name| LOADS.contains(&name));
    for row in reader.records() {
        let row = row.expect("rows of the same width");
        let none = |cell: &str| nan_is_quoted || !matches!(cell, "NaN" | "inf" | "-inf");
        assert!(row.iter().enumerate().all(|(at, cell)| !figure(at) || none(cell)), "{row:?}");
    }
}

/// Text holds line feeds, and nothing else that a terminal obeys.
fn printable(text: &str) {
    let obeyed = |c: char| c != '\n' && c.is_control() || matches!(c, '\u{202a}'..='\u{202e}');
    assert!(!text.chars().any(obeyed), "{text:?}");
}

/// Markdown has the markup of ours only.
fn markdown(text: &str) {
    printable(text);
    assert!(text.chars().count() <= 60_000);
    let tags = ["details", "summary", "sub", "code", "br", "kbd", "b", "strong", "pre"];
    let ours = |html: &str| {
        let html = html.trim();
        html.split('<').skip(1).all(|tag| {
            let name = tag.trim_start_matches('/');
            name.starts_with("!-- beyondnoise")
                || tags.iter().any(|own| {
                    name.strip_prefix(own)
                        .is_some_and(|rest| rest.trim_start().starts_with(['>', '/']))
                })
        })
    };
    for event in pulldown_cmark::Parser::new_ext(text, pulldown_cmark::Options::all()) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => {
                assert!(ours(&html), "{html:?} in {text}");
            }
            Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::FootnoteDefinition(_)) => {
                panic!("a link in {text}")
            }
            _ => {}
        }
    }
}

/// A page has one script, ours, and no way to another.
fn html(text: &str) {
    printable(text);
    assert_eq!(text.matches("<script").count(), 1);
    for tag in [
        "<img",
        "<iframe",
        "<object",
        "<embed",
        "<base",
        "<form",
        "href=\"javascript",
        "href=\"http",
    ] {
        assert!(!text.contains(tag), "{tag}");
    }
}

/// JSON that is the same when it is written again; no key stands twice.
fn json(text: &str) -> serde_json::Value {
    let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let again = serde_json::to_string(&value).expect("JSON");
    let value_again: serde_json::Value = serde_json::from_str(&again).expect("JSON");
    assert_eq!(value_again, value);
    assert_eq!(
        keys_of(&value),
        text.lines().filter(|line| is_entry(line)).count(),
        "a key twice in {text}"
    );
    value
}

/// Entries of all objects.
fn keys_of(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::Array(items) => items.iter().map(keys_of).sum(),
        serde_json::Value::Object(entries) => {
            entries.len() + entries.values().map(keys_of).sum::<usize>()
        }
        _ => 0,
    }
}

/// Whether a line of indented JSON is an entry of an object.
fn is_entry(line: &str) -> bool {
    let Some(rest) = line.trim_start().strip_prefix('"') else { return false };
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            '"' if !escaped => return rest[at + 1..].starts_with(": "),
            _ => escaped = c == '\\' && !escaped,
        }
    }
    false
}

/// The tidy table is read back, with as many values of each metric.
fn back(dataset: &Dataset) {
    if dataset.runs().next().is_none() {
        return;
    }
    let counts = |dataset: &Dataset| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for (.., run) in dataset.runs() {
            for name in run.metrics.keys() {
                *counts.entry(name.to_owned()).or_default() += 1;
            }
        }
        counts
    };
    for (form, name) in [(Tidy::Csv, "tidy.csv"), (Tidy::NdJson, "tidy.ndjson")] {
        let Ok(bytes) = tidy(dataset, form) else { continue };
        let files = [File { variant: None, name, bytes: &bytes }];
        if counts(dataset).is_empty() {
            continue;
        }
        let again = load_bytes(&files, &Options::default());
        let again = again.unwrap_or_else(|error| {
            panic!("{}: {}", chain(&error), String::from_utf8_lossy(&bytes))
        });
        assert_eq!(counts(&again.dataset), counts(dataset), "{}", String::from_utf8_lossy(&bytes));
    }
}
