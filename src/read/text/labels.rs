//! Labels above the results that the reader of a program finds by itself.

use crate::read::text::headings::heading;
use crate::read::text::headings::heading::{COLON, PLAIN};
use crate::read::text::notes::between::{Between, between};
use crate::runs::{LabelHint, label_hint};

/// The labels of variants in a text whose results a reader of a program finds by itself.
pub(crate) struct Labels<'a>(Vec<&'a str>);

impl<'a> Labels<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self(text.lines().collect())
    }

    /// The label that the line at an index gives to the results below it; a short line is one above a fence, or where
    /// it names a side.
    pub(crate) fn at(&self, index: usize) -> Option<String> {
        let line = self.0.get(index)?.trim();
        let (heading, _) = heading(line, index + 1)?;
        let above_fence = || {
            let mut below = self.0[index + 1..].iter().map(|line| line.trim_matches(['>', ' ']));
            below
                .find(|line| !line.is_empty())
                .is_some_and(|line| line.starts_with("```") || line.starts_with("~~~"))
        };
        let side = || {
            let words = line.split_whitespace().count();
            words < 5
                && label_hint(&heading.label) != LabelHint::Neither
                && between(line) == Between::Text
        };
        (heading.level <= COLON || heading.level == PLAIN && (above_fence() || side()))
            .then_some(heading.label)
    }
}
