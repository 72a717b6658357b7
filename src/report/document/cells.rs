//! Columns and cells that many tables share.

use crate::report::document::Text;
use crate::report::document::blocks::{Cell, Column, Kind};
use crate::verdict::Verdict;

pub(crate) fn column(head: impl Into<String>, kind: Kind) -> Column {
    Column { head: head.into(), kind }
}

pub(crate) fn number<'a>(text: impl Into<Text>, key: Option<f64>) -> Cell<'a> {
    Cell { text: text.into(), key, ..Cell::default() }
}

/// A change with its verdict in words; the verdict is marked.
pub(crate) fn toned(verdict: Verdict, text: &str) -> Text {
    let word = match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        _ => return text.into(),
    };
    match text.split_once(word) {
        Some((before, after)) => Text::default().plain(before).verdict(verdict, word).plain(after),
        None => text.into(),
    }
}
