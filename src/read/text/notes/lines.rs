//! The lines of a text as they are seen: without tags, heads of logs, branches of trees and bars.

use std::collections::BTreeSet;

use crate::kit::fields;
use crate::kit::printed::clean;
use crate::text::headings;
use crate::text::notes::qualified::{name_of_server, qualified};
use crate::text::text_block;
use beyondnoise_model::runs::{LabelHint, label_hint};

/// The lines of a text as they are seen.
pub(crate) fn lines_of(text: &str) -> Vec<String> {
    let raw: Vec<String> = text.lines().map(clean).collect();
    let bare = || raw.iter().map(|line| contained(untagged(line)));
    let program = program_of(bare());
    let mut lines: Vec<String> = bare()
        .map(|line| without_bar(&as_item(&unquoted(logged(line, program.as_deref())))))
        .collect();
    without_tag(&mut lines);
    qualified(&mut lines);
    name_of_server(&mut lines);
    summaries(&mut lines);
    headed_cells(lines)
}

/// Writes each ratio in a summary of hyperfine as one line: `main ran` above `1.52 ± 0.10 times faster than perf`.
fn summaries(lines: &mut [String]) {
    let mut subject = None;
    for line in lines {
        let bare = line.trim();
        if let Some(name) = bare.strip_suffix(" ran") {
            subject = Some(name.to_owned());
            continue;
        }
        let ratio = bare.split_once(" times faster than ").map(|(ratio, _)| ratio);
        let ratio = ratio.and_then(|ratio| ratio.split(" ±").next());
        match &subject {
            Some(name) if ratio.and_then(fields::number).is_some() => {
                *line = format!("{name} ran {bare}");
            }
            _ => subject = None,
        }
    }
}

/// A line without the tags that open or close a block of output in HTML: `<pre><code>Benchmark 1: ./a`.
fn untagged(line: &str) -> &str {
    let mut bare = line;
    let tags = ["<pre>", "<code>", "</code>", "</pre>"];
    let text = line.trim_start();
    if tags.iter().any(|tag| text.starts_with(tag)) {
        bare = text;
    }
    while let Some(rest) = tags.iter().find_map(|tag| bare.strip_prefix(tag)) {
        bare = rest;
    }
    while let Some(rest) = tags.iter().find_map(|tag| bare.strip_suffix(tag)) {
        bare = rest;
    }
    bare
}

/// A line without what `kubectl logs` and `docker logs` put before it, and without the head that loguru writes:
/// `[pod/a/b] 2026-05-02T09:17:44.118Z `, `2026-02-11 18:03:44.120 | INFO     | report:summary:61 - `.
fn contained(line: &str) -> &str {
    let rest = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map(|(_, rest)| rest);
    let stamped = |line: &'_ str| -> Option<usize> {
        let (stamp, _) = line.split_once(' ')?;
        let (date, time) = stamp.strip_suffix('Z')?.split_once('T')?;
        (headings::is_time(date) && headings::is_time(time)).then_some(stamp.len() + 1)
    };
    for text in rest.into_iter().chain([line]) {
        if let Some(end) = stamped(text) {
            return &text[end..];
        }
    }
    let head = line.split_once(" - ").filter(|(head, _)| {
        let parts: Vec<&str> = head.split(" | ").map(str::trim).collect();
        let [time, level, place] = parts[..] else { return false };
        let timed = time.split(' ').all(headings::is_time);
        timed && level.chars().all(|c| c.is_ascii_uppercase()) && place.contains(':')
    });
    head.map_or(line, |(_, text)| text)
}

/// A line without the head of a log: `I0221 18:03:11.402117    4127 report.go:58] `, `[2023-11-22 14:19:55,469 INFO] `,
/// `[11:02:33.481] [loadgen] [INFO] `.
fn logged<'a>(line: &'a str, program: Option<&str>) -> &'a str {
    let day = |word: &str| {
        let digits = word.strip_prefix(['I', 'W', 'E', 'F']);
        digits.is_some_and(|digits| digits.len() == 4 && digits.parse::<u16>().is_ok())
    };
    if let Some((head, text)) = line.split_once("] ") {
        let words: Vec<&str> = head.split_whitespace().collect();
        if matches!(words[..], [first, time, _, place]
            if day(first) && headings::is_time(time) && place.contains(':'))
        {
            return text;
        }
    }
    let (text, tags) = behind_time(line);
    let mut rest = text;
    for tag in &tags {
        if !is_level(tag) && Some(*tag) != program {
            return line;
        }
        rest = rest.split_once("] ").map_or(rest, |(_, rest)| rest.trim_start());
    }
    // What else a program says is no label.
    let told = text_block::label_of_result(rest).is_some()
        || text_block::has_figure(rest)
        || headings::framed(rest).is_some();
    if text.len() < line.len() && told { rest } else { line }
}

/// Whether a word says how much a line of a log matters.
fn is_level(word: &str) -> bool {
    let levels = ["info", "warn", "warning", "error", "debug", "trace", "notice"];
    levels.contains(&&*word.to_lowercase())
}

/// The text behind a time in brackets at the start of a line, which a date and a level may stand beside, and the words in the
/// brackets that follow.
fn behind_time(line: &str) -> (&str, Vec<&str>) {
    let group = |text: &'_ str| -> Option<(usize, usize)> {
        let end = text.strip_prefix('[')?.find("] ")? + 1;
        Some((end, end + 2))
    };
    let Some((end, next)) = group(line) else { return (line, Vec::new()) };
    let mut words = line[1..end].split_whitespace();
    let timed = words.next().is_some_and(headings::is_time)
        && words.clone().count() < 3
        && words.all(|word| headings::is_time(word) || word.chars().all(char::is_alphabetic));
    if !timed {
        return (line, Vec::new());
    }
    let text = line[next..].trim_start();
    let (mut rest, mut tags) = (text, Vec::new());
    while let Some((end, next)) = group(rest) {
        let tag = &rest[1..end];
        if !tag.chars().all(|c| c.is_alphabetic() || "-_.".contains(c)) {
            break;
        }
        tags.push(tag);
        rest = rest[next..].trim_start();
    }
    (text, tags)
}

/// The name of a program that stands behind the time of every line of a log: `[11:02:33] [loadgen] [INFO] `. Words that differ tell
/// lines apart.
fn program_of<'a>(lines: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut names = BTreeSet::new();
    for line in lines {
        names.extend(behind_time(line).1.into_iter().filter(|tag| !is_level(tag)));
    }
    let first = names.pop_first()?;
    let alone = names.is_empty() && label_hint(first) == LabelHint::Neither;
    alone.then(|| first.to_owned())
}

/// Takes the tag of a program, which has no digits, from lines of keys and values, where all of these have the same:
/// `[decode] ffn=25.5ms total=82.6ms`.
fn without_tag(lines: &mut [String]) {
    let pairs = |text: &str| {
        let mut words = text.split_whitespace();
        words.all(|word| word.contains('=')) && text.split_whitespace().nth(1).is_some()
    };
    let tagged = |line: &str| -> Option<(String, String)> {
        let (tag, text) = line.trim().strip_prefix('[')?.split_once("] ")?;
        let silent = label_hint(tag) == LabelHint::Neither
            && !tag.contains(|c: char| c.is_ascii_digit() || " =".contains(c));
        (silent && pairs(text)).then(|| (tag.to_owned(), text.to_owned()))
    };
    let tags: BTreeSet<String> = lines.iter().filter_map(|line| Some(tagged(line)?.0)).collect();
    if tags.len() == 1 && !lines.iter().any(|line| pairs(line)) {
        for line in lines {
            if let Some((_, text)) = tagged(line) {
                text.trim().clone_into(line);
            }
        }
    }
}

/// A line of a tree as one of a list: `├── P50: 150ms`.
fn as_item(line: &str) -> String {
    let body =
        line.trim_start_matches(|c: char| c == ' ' || ('\u{2500}'..='\u{257f}').contains(&c));
    let branch = line.trim_start().starts_with(['├', '└']);
    let row = body.contains(|c: char| ('\u{2500}'..='\u{257f}').contains(&c));
    if branch && !row { format!("- {body}") } else { line.to_owned() }
}

/// The lines of a text in which the header of a table in HTML stands above each of its cells that is alone on its line.
fn headed_cells(mut lines: Vec<String>) -> Vec<String> {
    let mut headers: Vec<String> = Vec::new();
    let mut column = 0;
    for line in &mut lines {
        let bare = line.trim();
        if bare.contains("<th>") {
            let inner = bare.split("<th>").skip(1).filter_map(|rest| rest.split("</th>").next());
            headers = inner.map(|header| header.trim().to_owned()).collect();
        } else if bare == "<tr>" {
            column = 0;
        } else if bare == "<td>" {
            if let Some(header) = headers.get(column).filter(|header| !header.is_empty()) {
                *line = format!("**{header}**");
            }
            column += 1;
        }
    }
    lines
}

/// A line of a JSON object without the marks around its key and number: `"p50_ms": 2.46,`.
fn unquoted(line: &str) -> String {
    let bare = || {
        let (key, value) = line.trim().strip_prefix('"')?.split_once("\":")?;
        let value = value.trim().trim_end_matches(',').trim_end();
        fields::number(value).filter(|_| !key.contains('"')).map(|_| format!("{key}: {value}"))
    };
    bare().unwrap_or_else(|| line.to_owned())
}

/// A line without the bar that is drawn between its label and its value: `main: ####  5.2 tok/s`, `main ████ 5.2 tok/s`.
fn without_bar(line: &str) -> String {
    // pyperf prints a dot for each process: `before: ..... 24.3 ns +- 0.6 ns`.
    let dots =
        line.split_once(": ..").filter(|(_, rest)| rest.trim_start_matches('.').starts_with(' '));
    let drawn =
        |c: char| c == '#' || ('\u{2580}'..='\u{25a1}').contains(&c) || c == '.' && dots.is_some();
    let Some(label) = line.find(char::is_alphabetic) else { return line.to_owned() };
    let bar = line.char_indices().find(|&(at, c)| {
        if !drawn(c) || at < label || !line[..at].ends_with(char::is_whitespace) {
            return false;
        }
        let tail = line[at..].trim_start_matches(drawn);
        tail.starts_with(char::is_whitespace)
            && tail.trim_start().starts_with(|c: char| c.is_ascii_digit())
    });
    bar.map_or(line.to_owned(), |(at, c)| {
        let label = line[..at].trim_end();
        let colon = if label.ends_with([':', '=', '|']) || c == '#' { "" } else { ":" };
        let rest = line[at..].trim_start_matches(drawn).trim_start();
        format!("{label}{colon} {rest}")
    })
}
