//! One heading of a note.

use crate::runs::Run;

/// Levels of headings that are no markdown headings (those have 1 to 6), the firmest first.
pub(crate) const BOLD: u8 = 7;

/// A line that ends with a colon.
pub(crate) const COLON: u8 = 8;

/// A short line alone above a block.
pub(crate) const PLAIN: u8 = 9;

/// Any of these inside a fence, where a log may hold lines that look like it.
pub(crate) const FENCED: u8 = 10;

/// A line that only counts repeats: `run 2`.
pub(crate) const COUNT: u8 = 11;

/// Longest line that may be a heading, in characters; without a colon half of it.
pub(crate) const MAX_HEADING_CHARS: usize = 80;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    pub(crate) level: u8,
    pub(crate) label: String,
    /// The label with a bracket that may be a part of the name, not a claim: `after (50%)`.
    pub(crate) full: Option<String>,
    pub(crate) line: usize,
    pub(crate) standing: Standing,
    /// A short line with neither mark nor fence.
    pub(crate) bare: bool,
    /// Whether other text is directly above it.
    pub(crate) joined: bool,
}

/// How surely a line is a heading of the blocks that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Firm,
    /// A line that is a heading only if a block follows before other text does.
    Pending,
    /// Other text followed; a heading only where nothing else names the blocks.
    Stale,
}

/// A block with the headings above it, the outermost first.
pub(crate) struct Block {
    pub(crate) run: Run,
    pub(crate) headings: Vec<Heading>,
    /// Line and words of the first text below the block above, if no heading is between.
    pub(crate) unread: Option<(usize, String)>,
}
