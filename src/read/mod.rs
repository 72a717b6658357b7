//! Files in, runs out: the only modules that open files.
//!
//! A reader recognises its format by content and turns one file into runs. All readers stand in
//! `READERS`, in the order in which they are asked; adding a client is one file and one line there.

mod claims;
mod fields;
mod headings;
mod inputs;
mod json;
mod labels;
mod notes;
#[cfg(feature = "tables")]
mod parquet;
mod rows;
mod serving_json;
mod table;
mod text_block;
mod tidy;

use std::borrow::Cow;

use crate::error::Error;
use crate::runs::Run;
use crate::runs::Skipped;

pub use inputs::{Loaded, load};
pub use tidy::{Tidy, tidy};

/// How inputs are to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Column that names the variant; found by name if `None`.
    pub variant_column: Option<String>,
    /// Column that names the run; found by name if `None`.
    pub run_column: Option<String>,
    /// Column that names the pair of a run; found by name if `None`.
    pub pair_column: Option<String>,
    /// Columns of a wide table that are metrics; all numeric ones if empty.
    pub metrics: Vec<String>,
    /// Go on without what cannot be read, and say so, instead of stopping.
    pub lenient: bool,
}

/// The content of one file.
struct Content<'a> {
    path: &'a str,
    bytes: &'a [u8],
}

/// What a reader made of a file.
#[derive(Default)]
struct Found {
    runs: Vec<Run>,
    skipped: Vec<Skipped>,
}

/// A format.
struct Reader {
    name: &'static str,
    /// Whether the file is of this format; the flag says that the user named the file itself.
    recognise: fn(&Content, bool) -> bool,
    read: fn(&Content, &Options) -> Result<Found, Error>,
}

/// All formats, the most telling marks first.
const READERS: &[Reader] = &[
    #[cfg(feature = "tables")]
    parquet::READER,
    serving_json::VLLM,
    serving_json::SGLANG,
    table::FLAT_JSON,
    notes::READER,
    table::CSV,
];

/// Names of all formats that can be read.
pub fn formats() -> impl Iterator<Item = &'static str> {
    READERS.iter().map(|reader| reader.name)
}

impl<'a> Content<'a> {
    /// The bytes without a byte order mark.
    fn bytes(&self) -> &'a [u8] {
        self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(self.bytes)
    }

    /// The text, with what is not UTF-8 replaced.
    fn text(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.bytes())
    }
}

/// Whether `needle` occurs in `haystack`.
fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(haystack, needle).is_some()
}

/// The start of a text that is quoted in a message.
fn short(text: &str) -> String {
    let mut chars = text.chars();
    let start: String = chars.by_ref().take(60).collect();
    if chars.next().is_some() { format!("{start}…") } else { start }
}
