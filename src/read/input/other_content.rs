//! Describes a file without results, and the remedy.

use crate::kit::contains;
use crate::kit::fields::number;
use crate::kit::json::looks_like_json;
use crate::kit::short;
use crate::kit::tree::{Node, Tree, objects};
use crate::reader::Content;
use crate::text::printed_programs::{averages_of, looks_like_result};
use beyondnoise_model::error::Error;

/// Bytes that are looked at.
const NEAR: usize = 1 << 16;

/// Lines that are quoted.
const MAX_QUOTED: usize = 3;

/// Keys that are listed.
const MAX_KEYS: usize = 5;

/// Benchmark programs and what starts them, as the first word of a command line.
const PROGRAMS: &[&str] = &[
    "ab",
    "aiperf",
    "bash",
    "bombardier",
    "cargo",
    "curl",
    "docker",
    "genai-perf",
    "go",
    "guidellm",
    "hey",
    "hyperfine",
    "jmeter",
    "k6",
    "llama-bench",
    "locust",
    "oha",
    "perf",
    "python",
    "python3",
    "sh",
    "sudo",
    "time",
    "trtllm-bench",
    "vegeta",
    "vllm",
    "wrk",
    "wrk2",
];

const RESULT_FILE: &str = "give the client's result file, or the text block that it prints";
const ANY: &str =
    "give the client's result file, the text block that it prints, or a table with a row per run";
const TABLE: &str = "give them as a table with a row per run (variant, then a column per metric)";

/// Kinds of files that begin with certain bytes, each with its remedy.
const PACKED: [(&[u8], &str, &str); 8] = [
    (b"PK\x03\x04", "a zip archive", "unpack it, and give the folder"),
    (b"\xd0\xcf\x11\xe0", "a document of an office program", "export the sheet as CSV"),
    (b"%PDF", "a PDF", "copy the text of its tables into a file"),
    (b"\x89PNG", PICTURE.0, PICTURE.1),
    (b"\xff\xd8\xff", PICTURE.0, PICTURE.1),
    (b"GIF8", PICTURE.0, PICTURE.1),
    (b"SQLite format 3\0", "a database", "export its table as CSV"),
    (b"\xfd7zXZ", "a file packed by xz", "unpack it"),
];
const PICTURE: (&str, &str) = ("a picture", "give the text or the table that it shows");

/// The kind of a file by its first bytes, and the remedy; a workbook is a zip archive by its bytes.
fn packed(bytes: &[u8], path: &str) -> Option<(String, &'static str)> {
    let (_, what, remedy) = PACKED.iter().find(|(start, ..)| bytes.starts_with(start))?;
    let ending = path.rsplit('.').next().unwrap_or_default().to_lowercase();
    if *what == PACKED[0].1 && ["xlsx", "xlsm", "ods"].contains(&ending.as_str()) {
        return Some(("a spreadsheet".to_owned(), PACKED[1].2));
    }
    Some(((*what).to_owned(), remedy))
}

/// The kind of the content, and the remedy.
pub(crate) fn kind_of(content: &Content) -> Option<(String, &'static str)> {
    let bytes = content.bytes();
    let near = &bytes[..bytes.len().min(NEAR)];
    if near.iter().all(u8::is_ascii_whitespace) {
        return Some(("an empty file".to_owned(), RESULT_FILE));
    }
    if let Some(known) = packed(near, content.path) {
        return Some(known);
    }
    if near.contains(&0) {
        return Some(("data that is not text".to_owned(), RESULT_FILE));
    }
    if looks_like_json(bytes) {
        return json(content).map(|what| (what, RESULT_FILE));
    }
    let text = String::from_utf8_lossy(near);
    let start = text.trim_start().to_lowercase();
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        return Some(("a web page".to_owned(), RESULT_FILE));
    }
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if let Some((what, remedy)) = averages_of(&text) {
        return Some((what.to_owned(), remedy));
    }
    let mostly = |such: fn(&str) -> bool| {
        2 * lines.iter().filter(|line| such(line)).count() > lines.len() && !lines.is_empty()
    };
    if mostly(is_command) {
        let what = "command lines instead of their output";
        return Some((
            what.to_owned(),
            "give the output of the commands, or the files that they write",
        ));
    }
    if lines.len() > 2 && mostly(is_labelled_number) {
        let what = "lines of labels and numbers, without the name or the unit of a metric";
        return Some((what.to_owned(), TABLE));
    }
    if lines.len() > 2 && mostly(is_log) {
        return Some((format!("a log without a result block{}", likeliest(&text)), ANY));
    }
    (lines.len() > 2).then(|| (format!("text without a known result{}", likeliest(&text)), ANY))
}

/// The lines of a text that look most like results.
fn likeliest(text: &str) -> String {
    let lines = text.lines().enumerate().filter(|(_, line)| looks_like_result(line));
    let quoted: Vec<String> = lines
        .take(MAX_QUOTED)
        .map(|(at, line)| format!("line {} \"{}\"", at + 1, short(line.trim())))
        .collect();
    if quoted.is_empty() {
        String::new()
    } else {
        format!("; most like one: {}", quoted.join(", "))
    }
}

/// JSON by its keys.
fn json(content: &Content) -> Option<String> {
    let trees = objects(content.path, content.bytes()).ok()?;
    let first = trees.first()?;
    let keys: Vec<String> = first.entries("").iter().map(|(key, _)| short(key)).collect();
    let shown = keys.iter().take(MAX_KEYS).cloned().collect::<Vec<_>>().join(", ");
    let more = if keys.len() > MAX_KEYS { ", …" } else { "" };
    let lists = first.entries("").iter().any(|(_, node)| matches!(node, Node::Array(_)));
    let what = if lists { "a list of runs or a known metric" } else { "a known metric" };
    (!keys.is_empty()).then(|| format!("JSON without {what} (keys {shown}{more})"))
}

fn is_command(line: &str) -> bool {
    let line = line.trim_start_matches(['$', '>', ' ']);
    let mut words = line.split_whitespace();
    let program = words.next().and_then(|word| word.rsplit('/').next()).unwrap_or("");
    let known = PROGRAMS.contains(&program);
    known && words.any(|word| word.starts_with('-') || word.contains("://") || word.contains(".py"))
}

/// `some label: 12.5`, `--unicode / 16    2.1`.
fn is_labelled_number(line: &str) -> bool {
    let Some((label, value)) = line.rsplit_once([':', '=', ' ', '\t']) else { return false };
    number(value.trim()).is_some()
        && label.chars().any(char::is_alphabetic)
        && number(label.trim()).is_none()
}

/// A line that starts with a time or a level.
fn is_log(line: &str) -> bool {
    const LEVELS: &[&str] = &["INFO", "DEBUG", "WARN", "WARNING", "ERROR", "TRACE"];
    let bare = line.trim_start_matches(['[', '(']);
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let time = (digits == 2 || digits == 4) && bare[digits..].starts_with([':', '-', '/']);
    let first = bare.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
    time || LEVELS.contains(&first)
}

/// That a file is of a spreadsheet: packed XML, or the older form.
pub(super) fn workbook(content: &Content) -> Option<Error> {
    let bytes = content.bytes;
    let packed = bytes.starts_with(b"PK\x03\x04") && contains(bytes, b"xl/workbook.xml");
    let old = bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1");
    let problem = "expected text or Parquet, found an Excel workbook";
    (packed || old).then(|| Error::file(content.path, problem, "save it as CSV"))
}
