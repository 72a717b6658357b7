//! Words from files and sentences of ours as HTML: shown, and never obeyed.

use maud::{Markup, html};

use crate::report::escape::{closing, run_of_backticks};
use crate::report::row_text::shortened;

/// Characters of a sentence, which only a label from a file can exceed.
const MOST_OF_A_SENTENCE: usize = 1_500;

/// Columns of a label in running text and at the head of a table.
const MOST_OF_A_LABEL: usize = 120;

/// A sentence of the report; what stands between backticks is code.
pub(super) fn sentence(text: &str) -> Markup {
    let text = glued(&cut(text, MOST_OF_A_SENTENCE));
    let mut parts: Vec<(bool, &str)> = Vec::new();
    let mut rest = &text[..];
    while let Some(start) = rest.find('`') {
        let (before, from) = rest.split_at(start);
        let fence = run_of_backticks(from);
        parts.push((false, before));
        if let Some(end) = closing(&from[fence..], fence) {
            parts.push((true, &from[fence..fence + end]));
            rest = &from[fence + end + fence..];
        } else {
            parts.push((false, &from[..fence]));
            rest = &from[fence..];
        }
    }
    parts.push((false, rest));
    html! {
        @for (code, part) in parts {
            @if code { code { (part.trim()) } } @else { (part) }
        }
    }
}

/// A label from a file, whose direction of writing stays its own; the whole of a long one shows on hovering.
pub(super) fn label(text: &str) -> Markup {
    let short = shortened(text, MOST_OF_A_LABEL);
    html! { bdi title=[(short != text).then(|| cut(text, MOST_OF_A_SENTENCE))] { (short) } }
}

/// The text up to so many characters, with `…` where something is left out.
pub(super) fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// The text with numbers that are not broken from their percent sign, nor intervals in two.
pub(super) fn glued(text: &str) -> String {
    text.replace(" %", "\u{a0}%").replace(" … ", "\u{a0}…\u{a0}")
}

/// A number and its noun: `1 run`, `2 runs`.
pub(super) fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_marked_and_markup_is_shown() {
        let shown = |text| sentence(text).into_string();
        assert_eq!(shown("order `B A`, <b>"), "order <code>B A</code>, &lt;b&gt;");
        assert_eq!(shown("`` <script>`"), "`` &lt;script&gt;`");
    }
}
