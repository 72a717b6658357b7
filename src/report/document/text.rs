//! Words with marks for code, strong text and verdicts.

use crate::verdict::Verdict;

/// Words with marks for code, strong text and verdicts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The parts, in order.
    pub spans: Vec<Span>,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    /// Plain words.
    Plain(String),
    /// A command, a file or a name.
    Code(String),
    /// Words that are read first.
    Strong(String),
    /// The words of a verdict.
    Verdict(Verdict, String),
}

impl Text {
    /// Adds plain words.
    #[must_use]
    pub fn plain(mut self, text: impl Into<String>) -> Self {
        self.spans.push(Span::Plain(text.into()));
        self
    }

    /// Adds strong words.
    #[must_use]
    pub fn strong(mut self, text: impl Into<String>) -> Self {
        self.spans.push(Span::Strong(text.into()));
        self
    }

    /// Adds a name or a command.
    #[must_use]
    pub fn code(mut self, text: impl Into<String>) -> Self {
        self.spans.push(Span::Code(text.into()));
        self
    }

    /// Adds the words of a verdict.
    #[must_use]
    pub fn verdict(mut self, verdict: Verdict, text: impl Into<String>) -> Self {
        self.spans.push(Span::Verdict(verdict, text.into()));
        self
    }

    /// A sentence with code between backticks. Code that contains a backtick is between longer runs of backticks.
    pub fn marked(text: &str) -> Self {
        let mut out = Self::default();
        let mut rest = text;
        while let Some(start) = rest.find('`') {
            let (before, from) = rest.split_at(start);
            let fence = from.len() - from.trim_start_matches('`').len();
            if !before.is_empty() {
                out = out.plain(before);
            }
            if let Some(end) = closing(&from[fence..], fence) {
                let code = &from[fence..fence + end];
                out = out.code(if fence > 1 { code.trim() } else { code });
                rest = &from[end + 2 * fence..];
            } else {
                out = out.plain(&from[..fence]);
                rest = &from[fence..];
            }
        }
        if rest.is_empty() { out } else { out.plain(rest) }
    }

    /// The words alone.
    pub fn words(&self) -> String {
        self.spans.iter().map(Span::words).collect()
    }
}

impl Span {
    /// The words alone.
    pub fn words(&self) -> &str {
        match self {
            Self::Plain(text) | Self::Code(text) | Self::Strong(text) | Self::Verdict(_, text) => {
                text
            }
        }
    }
}

impl<T: Into<String>> From<T> for Text {
    fn from(text: T) -> Self {
        Self::default().plain(text)
    }
}

/// Where the run of exactly `length` back-ticks begins that closes a code span.
fn closing(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let from = &text[at + found..];
        let run = from.len() - from.trim_start_matches('`').len();
        if run == length {
            return Some(at + found);
        }
        at += found + run;
    }
    None
}
