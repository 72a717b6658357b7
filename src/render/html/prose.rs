//! Words from files and sentences of ours as HTML: shown, and never obeyed.

use maud::{Markup, PreEscaped, html};

use crate::format::shortened;
use crate::render::icon;
use crate::report::document::{Span, Text};

/// Characters of a sentence, which only a label from a file can exceed.
const MOST_OF_A_SENTENCE: usize = 1_500;

/// Columns of a label in running text and at the head of a table.
const MOST_OF_A_LABEL: usize = 120;

/// Words with marks for code, strong text and verdicts.
pub(super) fn inline(text: &Text) -> Markup {
    html! {
        @for span in &text.spans {
            @match span {
                Span::Plain(words) => (glued(&cut(words, MOST_OF_A_SENTENCE))),
                Span::Code(words) => code { (cut(words, MOST_OF_A_SENTENCE)) },
                Span::Strong(words) => strong { (glued(words)) },
                Span::Verdict(verdict, words) => span class={ "word " (icon::of_verdict(*verdict).0) } { (words) },
            }
        }
    }
}

/// A heading of a level that is known at run time only.
pub(super) fn title(level: u8, id: Option<&str>, words: &Markup) -> Markup {
    let id = id.map_or(String::new(), |id| format!(" id=\"{id}\""));
    html! { (PreEscaped(format!("<h{level}{id}>"))) (words) (PreEscaped(format!("</h{level}>"))) }
}

/// A label from a file, whose direction of writing stays its own; the whole of a long one shows on hovering.
pub(super) fn label(text: &str) -> Markup {
    let short = shortened(text, MOST_OF_A_LABEL);
    html! { bdi title=[(short != text).then(|| cut(text, MOST_OF_A_SENTENCE))] { (short) } }
}

/// The text up to this number of characters, with `…` if it is cut.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_marked_and_markup_is_shown() {
        let shown = |text| inline(&Text::marked(text)).into_string();
        assert_eq!(shown("order `B A`, <b>"), "order <code>B A</code>, &lt;b&gt;");
        assert_eq!(shown("`` <script>`"), "`` &lt;script&gt;`");
    }
}
