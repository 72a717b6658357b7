//! Prefixes of lines that are no part of the text: the words of a build tool, the number of a process, the time and the name of
//! who wrote it in a chat, the marks of a notebook.

use std::borrow::Cow;
use std::collections::BTreeSet;

use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, label_hint};

/// Prefixes of lines that sbt and Maven print.
const OF_BUILDS: [&str; 2] = ["[info] ", "[INFO] "];

/// Longest text in which other prefixes are looked for, in bytes: longer ones are no pastes.
const MAX_PASTE: usize = 1 << 20;

/// Fewest lines with one tag.
const MIN_TAGGED: usize = 5;

/// The text without the prefix of its lines.
pub(super) fn without_prefix(text: Cow<str>) -> Cow<str> {
    let printed = |prefix: &&&str| text.contains(**prefix);
    if let Some(prefix) = OF_BUILDS.iter().find(printed) {
        let bare = |line| str::strip_prefix(line, *prefix).unwrap_or(line);
        return Cow::Owned(text.split_inclusive('\n').map(bare).collect());
    }
    if text.len() > MAX_PASTE || !text.contains('[') {
        return text;
    }
    if text.contains("In [") {
        let lines: String =
            text.split_inclusive('\n').map(|line| asked(line).unwrap_or(line.into())).collect();
        return Cow::Owned(lines);
    }
    if let Some(tag) = shared_tag(&text) {
        // An empty line has the tag alone.
        let bare = |line: &str| match line.strip_prefix(&*tag) {
            Some(rest) => rest.strip_prefix(' ').unwrap_or(rest).to_owned(),
            None => line.to_owned(),
        };
        return Cow::Owned(text.split_inclusive('\n').map(bare).collect());
    }
    match said(&text) {
        Some(lines) => Cow::Owned(lines),
        None => text,
    }
}

/// A line of a notebook as a shell has it: `In [3]: df.mean()  # main` is a command, and `Out[3]:` nothing.
fn asked(line: &str) -> Option<Cow<'_, str>> {
    let (mark, rest) = line.split_once("]:")?;
    let counts = |start: &str| {
        let count = mark.strip_prefix(start);
        count.is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match () {
        () if counts("In [") => Some(format!("$ {}", rest.trim_start_matches(' ')).into()),
        () if counts("Out[") => Some(rest.trim_start_matches(' ').into()),
        () => None,
    }
}

/// The tag in brackets that several lines begin with, as a program does that runs others: `[1] `; no line has another one.
fn shared_tag(text: &str) -> Option<String> {
    let tag = |line: &str| -> Option<String> {
        let (inside, behind) = line.strip_prefix('[')?.split_once(']')?;
        let word = !inside.is_empty()
            && inside.len() < 20
            && inside.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
        (word && (behind.is_empty() || behind.starts_with(' '))).then(|| format!("[{inside}]"))
    };
    let all: Vec<String> = text.lines().filter_map(tag).collect();
    let (first, rest) = all.split_first()?;
    let one = rest.len() + 1 >= MIN_TAGGED && rest.iter().all(|other| other == first);
    // Numbers on other lines are results of another one.
    let other = |line: &str| {
        tag(line).is_none() && line.contains(|c: char| c.is_ascii_digit()) && line.contains(':')
    };
    let one = one && !text.lines().any(other);
    // Lines of results with a bracket before them are few.
    let most = text.lines().filter(|line| !line.trim().is_empty()).count();
    (one && 2 * all.len() > most && label_hint(first) == LabelHint::Neither).then(|| first.clone())
}

/// The lines of a chat without the times and the names before them, `[10:05] Ann: `, where all lines have both.
fn said(text: &str) -> Option<String> {
    let clock = |stamp: &str| {
        let digits = stamp.bytes().filter(u8::is_ascii_digit).count();
        let known = |c: char| c.is_ascii_digit() || ":-/. ".contains(c) || "APMapm".contains(c);
        digits >= 3 && stamp.contains(':') && stamp.chars().all(known)
    };
    let part = |line: &'_ str| -> Option<(usize, String)> {
        let (stamp, rest) = line.strip_prefix('[')?.split_once("] ")?;
        let (name, words) = rest.split_once([':', '：'])?;
        let named = !name.is_empty() && name.chars().count() < 20 && !name.contains("  ");
        let spoken = clock(stamp) && named && !words.trim().is_empty();
        spoken.then(|| (line.len() - words.trim_start().len(), name.to_owned()))
    };
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let parts: Option<Vec<(usize, String)>> = lines.iter().map(|line| part(line)).collect();
    let parts = parts.filter(|parts| parts.len() > 1)?;
    // Somebody says several things; keys of values all differ.
    let names: BTreeSet<&str> = parts.iter().map(|(_, name)| &**name).collect();
    let silent = names
        .iter()
        .all(|name| label_hint(name) == LabelHint::Neither && meaning(name).says != Says::Measured);
    // Values of several people are not those of one.
    let digits = |line: &str| {
        let all = line.split(|c: char| !(c.is_ascii_digit() || c == '.'));
        let count = all.filter(|part| part.contains(|c: char| c.is_ascii_digit())).count();
        count > 1 || count > 0 && line.contains([':', '：'])
    };
    let measured: BTreeSet<&str> = lines
        .iter()
        .zip(&parts)
        .filter(|(line, (at, _))| digits(&line[*at..]))
        .map(|(_, (_, name))| &**name)
        .collect();
    (names.len() < parts.len() && silent && measured.len() < 2).then(|| {
        let bare = |line: &str| match part(line) {
            Some((at, _)) => format!("{}\n", &line[at..]),
            None => format!("{line}\n"),
        };
        text.lines().map(bare).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        without_prefix(Cow::Borrowed(text)).into_owned()
    }

    #[test]
    fn one_tag_or_the_speakers_of_a_chat_are_no_part_of_lines() {
        let tagged = "main\n[1] a\n[1] │ b │\n[1]\n[1] c\n[1] d\n";
        assert_eq!(read(tagged), "main\na\n│ b │\n\nc\nd\n");
        let chat = "[10:05] Ann: before 3 s\n[10:06] Bob: fine\n[10:07] Ann: after 2 s\n";
        assert_eq!(read(chat), "before 3 s\nfine\nafter 2 s\n");
    }

    #[test]
    fn tags_that_differ_and_values_under_times_stay() {
        for text in [
            "[1] a\n[1] b\n[1] c\n[2] d\n[2] e\n[2] f\n",
            "[main] 1 s\n[main] 2 s\n[main] 3 s\n[main] 1 s\n[main] 2 s\n",
            "[10:05] main: 3 s\n[10:06] main: 2 s\n",
            "[10:05] TTFT: 3 s\n[10:05] TPOT: 2 s\n",
        ] {
            assert_eq!(read(text), text);
        }
    }
}
