//! A reader: how a format is recognised and read, and the definitions that its client counts by.

use std::borrow::Cow;

use crate::reader::prefixes::without_prefix;
use crate::store::Store;
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::{Definitions, Run, Skipped, Table};

mod prefixes;

/// Bytes of a chunk of a table, where it is not 0: figures are the same.
#[cfg(fuzzing)]
pub static TINY: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

/// For which question inputs are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// How builds differ: where nothing names the variant, a column of words may.
    #[default]
    Comparison,
    /// How each build varies by itself, over repeats or nights: such a column is a setting.
    Repeats,
}

/// How inputs are to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Columns, tags or settings whose values together name the variant; found by name if empty.
    pub variant_column: Vec<String>,
    /// Columns that name the run, from the outer level of repeats to the inner; found by name if empty.
    pub run_column: Vec<String>,
    /// Column that names the pair of a run; found by name if `None`.
    pub pair_column: Option<String>,
    /// Whether builds are compared with each other.
    pub purpose: Purpose,
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
    /// Without such a column, variants are in the order of the inputs if all of these have names.
    pub in_order: bool,
    /// Column or setting in which the loads of a sweep differ.
    pub along: Option<String>,
    /// Skip files that cannot be read, and list them, instead of stopping.
    pub lenient: bool,
}

impl Options {
    /// Whether a column names the cell or the order of a batch, whatever it holds.
    pub(crate) fn names_cell(&self, column: &str) -> bool {
        self.by.iter().chain(&self.order_by).any(|name| name == column)
    }
}

/// Key of [`Run::metadata`] with the folders by which a file differs from others of its variant.
pub(crate) const FOLDER: &str = "folder";

/// The content of one file.
#[derive(Clone, Copy)]
pub(crate) struct Content<'a> {
    pub(crate) path: &'a str,
    pub(crate) bytes: &'a [u8],
    /// No other file is read beside it: all threads may read its parts.
    pub(crate) alone: bool,
    /// No other file is read at all: what a result names beside its values may be the variant.
    pub(crate) only: bool,
    /// Where the files beside it lie.
    pub(crate) store: Store<'a>,
}

/// The content of a file as runs.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) runs: Vec<Run>,
    pub(crate) skipped: Vec<Skipped>,
    /// The tables with the uses of their columns.
    pub(crate) tables: Vec<Table>,
    /// The name of the format, where it is not that of the reader.
    pub(crate) format: Option<&'static str>,
}

impl Found {
    /// The content of a file without runs, with the reason.
    pub(crate) fn nothing(why: &str) -> Self {
        let mut found = Self::default();
        found.skip("file", why);
        found
    }

    /// Notes what is left out, and why.
    pub(crate) fn skip(&mut self, place: impl Into<String>, why: impl Into<String>) {
        self.skipped.push(Skipped { place: place.into(), why: why.into() });
    }
}

/// Marks by which files are recognised, and from which the list of formats is made.
///
/// In a list, `a|b` is either of them, and `!a` must not be there.
#[derive(Clone, Copy)]
pub(crate) enum Marks {
    None,
    /// JSON with all these keys near its start or end.
    Json(&'static [&'static str]),
    /// Such JSON, maybe in a fence or after lines of text.
    JsonPart(&'static [&'static str]),
    /// A first line with all these words.
    Header(&'static [&'static str]),
    /// Text, not JSON, with all these words anywhere.
    Text(&'static [&'static str]),
    /// All these words near the start or the end.
    Near(&'static [&'static str]),
    /// One of these texts at the start.
    Starts(&'static [&'static str]),
    /// Any of these marks.
    Any(&'static [Self]),
}

/// A format.
pub(crate) struct Reader {
    pub(crate) name: &'static str,
    /// Marks that its files must have.
    pub(crate) marks: Marks,
    /// Further condition on its files, in words.
    pub(crate) recognised_by: &'static str,
    /// The unit that counts as one run, in words; `none`, and why, for files that hold no run.
    pub(crate) one_run: &'static str,
    /// Names of the metrics that its files usually have; the registry has their units and directions.
    pub(crate) metrics: &'static [&'static str],
    /// How the clients that its runs name count, where their source code was read.
    pub(crate) definitions: &'static [(&'static str, Definitions)],
    /// The same condition as a function; the flag: the user named the file itself.
    pub(crate) recognise: fn(&Content, bool) -> bool,
    pub(crate) read: fn(&Content, &Options) -> Result<Found, Error>,
}

impl Reader {
    /// The defaults of a reader, which fills in the rest.
    pub(crate) const EMPTY: Self = Self {
        name: "",
        marks: Marks::None,
        recognised_by: "",
        one_run: "",
        metrics: &[],
        definitions: &[],
        recognise: |_, _| true,
        read: |_, _| {
            Ok(Found { runs: Vec::new(), skipped: Vec::new(), tables: Vec::new(), format: None })
        },
    };

    /// Whether its files hold runs.
    pub(crate) fn gives_runs(&self) -> bool {
        !self.one_run.starts_with("none")
    }
}

/// Metrics of clients that stream tokens.
pub(crate) const SERVING: &[&str] = &[
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
pub(crate) const COMMAND: &str = "command";

/// Key of [`Run::metadata`] with the name under which a tool saved the run: it names the variant before any
/// folder does.
pub(crate) const SAVED_AS: &str = "saved_as";

impl<'a> Content<'a> {
    pub(crate) fn new(path: &'a str, bytes: &'a [u8]) -> Self {
        Self { path, bytes, alone: false, only: false, store: Store::Disk }
    }

    /// The bytes without a byte order mark.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(self.bytes)
    }

    /// The first line, cut off at `most` bytes: a file may be one line of any length.
    pub(crate) fn first_line(&self, most: usize) -> &'a [u8] {
        let near = &self.bytes()[..self.bytes().len().min(most)];
        &near[..memchr::memchr(b'\n', near).unwrap_or(near.len())]
    }

    /// The text, with what is not UTF-8 replaced, and without the prefixes of its lines: `[info] `.
    pub(crate) fn text(&self) -> Cow<'a, str> {
        without_prefix(String::from_utf8_lossy(self.bytes()))
    }
}
