//! Text from files, made harmless in markdown: it is shown, and never obeyed.

use std::borrow::Cow;

/// Characters of a label or sentence of a report.
const MOST_OF_A_TEXT: usize = 1_000;

/// A text as one word of a command line: in quotes where a shell would take it apart.
pub(crate) fn argument(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./:%@,+=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else if text.contains(['"', '$', '`', '\\', '!']) {
        format!("'{}'", text.replace('\'', "'\\''"))
    } else {
        format!("\"{text}\"")
    }
}

/// Text from files, made harmless inside a line or a cell; code spans stay code.
pub(super) fn escape(text: &str) -> String {
    let text = clipped(text);
    let mut out = String::with_capacity(text.len());
    let mut rest = &text[..];
    while let Some(start) = rest.find('`') {
        let (before, from) = rest.split_at(start);
        escape_plain(before, &mut out);
        if out.ends_with('`') {
            out.push(' ');
        }
        let fence = &from[..run_of_backticks(from)];
        let after = &from[fence.len()..];
        match closing(after, fence.len()) {
            // A pipe cannot be written in the code span of a cell.
            Some(end) if after[..end].contains('|') => {
                html_code(&after[..end], &mut out);
                rest = &after[end + fence.len()..];
            }
            Some(end) => {
                out.push_str(fence);
                out.push_str(&after[..end].replace(['\n', '\r'], " "));
                out.push_str(fence);
                rest = &after[end + fence.len()..];
            }
            None => {
                out.push_str(&"\\`".repeat(fence.len()));
                rest = after;
            }
        }
    }
    escape_plain(rest, &mut out);
    out
}

/// The text up to a length that no sentence of a report reaches, unless a label is the cause.
pub fn clipped(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MOST_OF_A_TEXT) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    }
}

pub(super) fn run_of_backticks(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

/// Where the run of exactly `length` backticks begins that closes a code span.
pub(super) fn closing(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let run = run_of_backticks(&text[at + found..]);
        if run == length {
            return Some(at + found);
        }
        at += found + run;
    }
    None
}

fn escape_plain(text: &str, out: &mut String) {
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end();
        // Addresses would become links.
        let live = bare.contains("://") || bare.contains("www.") || calls(bare);
        if live && !bare.contains('|') {
            let gap = if out.ends_with('`') { " " } else { "" };
            out.extend([gap, "`", bare, "`"]);
            escape_word(&word[bare.len()..], out);
        } else if calls(bare) {
            html_code(bare, out);
            escape_word(&word[bare.len()..], out);
        } else {
            escape_word(word, out);
        }
    }
}

/// Code as HTML, inside which a pipe can be written.
fn html_code(text: &str, out: &mut String) {
    out.push_str("<code>");
    escape_word(text, out);
    out.push_str("</code>");
}

/// Whether GitHub would tell somebody: an @ notifies whom it names, and #1 leaves a line in that thread.
fn calls(word: &str) -> bool {
    let numbered = |mark: &str| {
        word.match_indices(mark).any(|(at, _)| {
            // `&#60;` is a letter.
            let digit = word[at + mark.len()..].starts_with(|c: char| c.is_ascii_digit());
            digit && !word[..at].ends_with('&')
        })
    };
    word.contains('@') || numbered("#") || numbered("GH-") || numbered("gh-")
}

fn escape_word(text: &str, out: &mut String) {
    let mut chars = text.chars().peekable();
    let mut last = ' ';
    while let Some(c) = chars.next() {
        let inside_word =
            last.is_alphanumeric() && chars.peek().is_some_and(|c| c.is_alphanumeric());
        match c {
            '\n' | '\r' => out.push(' '),
            // Splits no cell, and is read as a pipe inside and outside of tables.
            '|' => out.push_str("&#124;"),
            '_' if inside_word => out.push(c),
            '*' | '_' | '[' | ']' | '~' | '\\' | '$' | '`' => out.extend(['\\', c]),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            _ => out.push(c),
        }
        last = c;
    }
}

/// Text for inside an HTML tag, where markdown has no meaning.
pub(super) fn html(text: &str) -> String {
    let text = clipped(text).replace(['\n', '\r'], " ");
    let harmless =
        |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let word = |word: &str| {
        let (bare, blank) = word.split_at(word.trim_end().len());
        if calls(bare) { format!("<code>{}</code>{blank}", harmless(bare)) } else { harmless(word) }
    };
    text.split_inclusive(char::is_whitespace).map(word).collect()
}

/// A name as a code span, outside of tables.
pub(super) fn code(text: &str) -> String {
    let text = clipped(text).replace(['\n', '\r'], " ");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    if longest == 0 {
        return format!("`{text}`");
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence} {text} {fence}")
}
