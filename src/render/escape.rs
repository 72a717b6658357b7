//! Text from files, made harmless in markdown: it is shown, and never obeyed.

use crate::format::{self, clipped};

/// Words, made harmless inside a line or a cell.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape_plain(&clipped(text), &mut out);
    out
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
pub(super) fn html_code(text: &str, out: &mut String) {
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

/// A name or a command as a code span, outside of tables.
pub(super) fn code(text: &str) -> String {
    format::code(&clipped(text).replace(['\n', '\r'], " "))
}

/// The characters that XML knows.
pub(super) fn legal(text: &str) -> String {
    let known = |c: &char| *c == '\n' || !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().filter(known).collect()
}
