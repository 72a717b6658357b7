//! Files in, runs out: the only modules that open files.
//!
//! A reader recognises its format by content and turns one file into runs. All readers are listed in `readers`, in
//! the order in which they are tried; adding a client is one file and one line in a list.

mod ambiguous_content;
mod batch_cell;
mod cell_value;
mod claims;
mod copies;
mod detail;
mod digits;
mod factors;
mod fields;
mod files;
mod finish;
mod headings;
mod inputs;
mod json;
mod labels;
mod limits;
mod llm;
mod lone_surrogates;
mod markdown_table;
mod memory;
mod ndjson_blocks;
mod nested_json;
#[cfg(not(feature = "tables"))]
mod no_parquet;
mod notes;
mod numbers;
mod other_content;
mod own_reports;
#[cfg(feature = "tables")]
mod parquet;
mod quotes;
mod reduce;
#[cfg(feature = "s3")]
mod remote;
mod request_names;
mod runners;
mod serving_json;
mod skipped;
mod streamed_tables;
mod table;
mod text_block;
mod tidy;
mod units;
mod unmeasured;
mod variants;
mod walk;

use std::borrow::Cow;
use std::cell::Cell;

use crate::error::Error;
use crate::metrics::Metric;
use crate::runs::{Column, Run, Skipped};

pub use files::Progress;
pub use inputs::{Loaded, load, load_with};
pub use memory::{File, load_bytes};
#[cfg(feature = "tables")]
pub use parquet::{Cells, write_parquet};
#[cfg(feature = "s3")]
pub use remote::{is_remote, load_remote};
pub use tidy::{Tidy, tidy};

/// Bytes of a block and values kept when request rows are reduced, where it is not 0: figures are the same.
#[cfg(fuzzing)]
pub static TINY: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

/// How inputs are to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Columns, tags or settings whose values together name the variant; found by name if empty.
    pub variant_column: Vec<String>,
    /// Columns that name the run, from the outer level of repeats to the inner; found by name if empty.
    pub run_column: Vec<String>,
    /// Column that names the pair of a run; found by name if `None`.
    pub pair_column: Option<String>,
    /// Label of the baseline, where the user names it.
    pub base: Option<String>,
    /// Columns, tags or folders in which repeats may differ: runs are pooled over their values.
    pub pool: Vec<String>,
    /// Settings in which the variants differ on purpose.
    pub across_setting: Vec<String>,
    /// Iterations of one process count as runs.
    pub iterations: bool,
    /// Columns of a wide table that are metrics; all numeric ones if empty.
    pub metrics: Vec<String>,
    /// Metrics to be read beside `metrics` where a table has them.
    pub guards: Vec<String>,
    /// Columns, or settings of the workload, whose values together name the cell of a batch.
    pub by: Vec<String>,
    /// Column or setting that puts the variants in order.
    pub order_by: Option<String>,
    /// Skip files that cannot be read, and list them, instead of stopping.
    pub lenient: bool,
}

impl Options {
    /// Whether a column names the cell or the order of a batch, whatever it holds.
    fn names_cell(&self, column: &str) -> bool {
        self.by.iter().chain(&self.order_by).any(|name| name == column)
    }
}

/// Key of [`Run::metadata`] with the folders by which a file differs from others of its variant.
const FOLDER: &str = "folder";

/// The content of one file.
struct Content<'a> {
    path: &'a str,
    bytes: &'a [u8],
    /// The start of a table, kept from recognition.
    start: Cell<Option<table::Start<'a>>>,
}

/// The content of a file as runs.
#[derive(Default)]
struct Found {
    runs: Vec<Run>,
    skipped: Vec<Skipped>,
    /// The roles of the columns of a table.
    columns: Vec<Column>,
}

/// A format.
struct Reader {
    name: &'static str,
    /// How its files are recognised, in words.
    recognised_by: &'static str,
    /// The unit that counts as one run, in words; `none`, and why, for files that hold no run.
    one_run: &'static str,
    /// Names of the metrics that its files usually give; units and directions are those of the registry.
    metrics: &'static [&'static str],
    /// Whether the file is of this format; the flag: the user named the file itself.
    recognise: fn(&Content, bool) -> bool,
    read: fn(&Content, &Options) -> Result<Found, Error>,
}

impl Reader {
    /// Whether its files hold runs.
    fn gives_runs(&self) -> bool {
        !self.one_run.starts_with("none")
    }
}

/// Formats that many programs write, the most telling marks first.
const READERS: &[Reader] = &[
    #[cfg(feature = "tables")]
    parquet::READER,
    #[cfg(not(feature = "tables"))]
    no_parquet::READER,
    serving_json::VLLM,
    serving_json::SGLANG,
    serving_json::TENSORRT,
    table::REQUESTS,
    nested_json::READER,
    table::FLAT_JSON,
    table::ANY_JSON,
    notes::READER,
    markdown_table::READER,
    table::CSV,
];

/// All formats, in the order in which they are asked: those of one program first.
fn readers() -> impl Iterator<Item = &'static Reader> {
    llm::READERS.iter().chain(runners::READERS).chain(READERS)
}

/// The reader of a file.
fn reader_of(content: &Content, named: bool) -> Option<&'static Reader> {
    if (own_reports::READER.recognise)(content, named) {
        return Some(&own_reports::READER);
    }
    match tidy::form_of(content.bytes()) {
        Some(Tidy::Csv) => Some(&table::CSV),
        Some(Tidy::NdJson) => Some(&table::FLAT_JSON),
        _ => readers().find(|reader| (reader.recognise)(content, named)),
    }
}

/// A format as it is described to its users.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Format {
    /// Its name, as `show` prints it.
    pub name: &'static str,
    /// How its files are recognised.
    pub recognised_by: &'static str,
    /// The unit that counts as one run.
    pub one_run: &'static str,
    /// Metrics that its files usually give; they may hold others, which keep their names.
    pub metrics: Vec<Metric>,
}

/// All formats that can be read, in the order in which they are asked.
pub fn formats() -> impl Iterator<Item = Format> {
    readers().map(|reader| Format {
        name: reader.name,
        recognised_by: reader.recognised_by,
        one_run: reader.one_run,
        metrics: reader.metrics.iter().map(|name| Metric::named(name)).collect(),
    })
}

/// Metrics of clients that stream tokens.
const SERVING: &[&str] = &[
    "request_throughput",
    "output_throughput",
    "total_token_throughput",
    "duration",
    "mean_ttft_ms",
    "mean_tpot_ms",
    "mean_itl_ms",
    "mean_e2el_ms",
];

/// Key of [`Run::metadata`] with the command that was timed: it names a variant where nothing else does,
/// and a workload where files or folders name the variants.
const COMMAND: &str = "command";

/// Key of [`Run::metadata`] with the name under which a tool saved the run: it names the variant before any
/// folder does.
const SAVED_AS: &str = "saved_as";

impl<'a> Content<'a> {
    fn new(path: &'a str, bytes: &'a [u8]) -> Self {
        Self { path, bytes, start: Cell::default() }
    }

    /// The bytes without a byte order mark.
    fn bytes(&self) -> &'a [u8] {
        self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(self.bytes)
    }

    /// The first line, as far as it lies within the first `most` bytes: a file may be one line of any length.
    fn first_line(&self, most: usize) -> &'a [u8] {
        let near = &self.bytes()[..self.bytes().len().min(most)];
        &near[..memchr::memchr(b'\n', near).unwrap_or(near.len())]
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
