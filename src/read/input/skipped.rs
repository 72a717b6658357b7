//! Files of a folder or pattern that are left out and named, and those that stop.
//!
//! A file that the user names is an error if it holds no result. In a folder such a file is skipped: another kind of
//! data, a table without a measurement, invalid JSON. A damaged result is always an error, since a run would be lost:
//! a file in the format of a client or benchmark runner, a table with a metric of the registry or in the long layout,
//! JSON that ends too early.

use std::path::Path;

use crate::input::arguments::{FileRuns, Spec, shown};
use crate::input::other_content::kind_of;
use crate::kit::json::looks_like_json;
use crate::kit::{fields, short};
use crate::reader::{Content, Found, Options, Reader};
use crate::table::column_names::{METRIC, VALUE};
use crate::table::csv::{CSV, is_called_table};
use crate::table::delimited::{Dialect, with_line_feeds};
use crate::table::flat_json::ANY_JSON;
use crate::table::nested_json;
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::Skipped;

/// Files that are named where nothing was read.
const MAX_FILES: usize = 3;

/// That nothing was recognised.
pub(crate) const NONE: &str =
    "expected benchmark results (`beyondnoise formats` lists the formats), found none";

/// The error for a named file without a result, with the kind of its content if known.
pub(crate) fn what_it_is(content: &Content) -> Option<Error> {
    let (what, remedy) = kind_of(content)?;
    Some(Error::NoResult {
        path: content.path.to_owned(),
        place: String::new(),
        problem: format!("{NONE}: {what}"),
        remedy: remedy.to_owned(),
    })
}

/// The remedy for a file that was recognised and holds no run, by the reason.
pub(crate) fn remedy_of(why: &str) -> &'static str {
    if why.contains("not read") || why.contains("XML") {
        "give the client's result file, or the text block that it prints"
    } else {
        "give the folder that holds the results"
    }
}

/// The result for a file of a folder that its reader could not read.
///
/// # Errors
///
/// `error`, where a result would be lost.
pub(crate) fn instead(error: Error, content: &Content, reader: &Reader) -> Result<Found, Error> {
    match error {
        Error::NoResult { .. } => Ok(with_reason(&error)),
        Error::Input { .. } if !is_result(content, reader) => Ok(with_reason(&error)),
        error => Err(error),
    }
}

/// Bytes of JSON that are inspected to explain why they were not read.
const SMALL: usize = 4 << 20;

/// Why a file that no reader took is skipped in a folder: a table without a result, or JSON that is read only if
/// named. Empty if neither applies.
pub(crate) fn why_not_taken(content: &Content, options: &Options) -> Found {
    let bytes = content.bytes();
    let own = |reader: &Reader| reader.recognises(content, true);
    if bytes.len() <= SMALL
        && looks_like_json(bytes)
        && [ANY_JSON, nested_json::READER].iter().any(own)
    {
        let why = "JSON of no known format, skipped in a folder: name the file to read it";
        let skipped = vec![Skipped { place: "file".to_owned(), why: why.to_owned() }];
        return Found { skipped, ..Found::default() };
    }
    if !is_called_table(content.path) || content.bytes().is_empty() {
        return Found::default();
    }
    match (CSV.read)(content, options) {
        Err(error @ Error::NoResult { .. }) => with_reason(&error),
        _ => Found::default(),
    }
}

/// An empty result with its reason; the path precedes it.
pub(crate) fn with_reason(error: &Error) -> Found {
    let why = match error {
        Error::Input { place, problem, remedy, .. }
        | Error::NoResult { place, problem, remedy, .. } => {
            let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
            format!("{place}{problem}; {remedy}")
        }
        other => other.to_string(),
    };
    let skipped = vec![Skipped { place: "file".to_owned(), why }];
    Found { skipped, ..Found::default() }
}

/// Whether what a reader recognised is a result even if it cannot be read.
fn is_result(content: &Content, reader: &Reader) -> bool {
    if reader.name == ANY_JSON.name || reader.name == nested_json::READER.name {
        return false;
    }
    if reader.name != CSV.name || looks_like_json(content.bytes()) {
        return true;
    }
    let Ok(dialect) = Dialect::detect(content.path, &with_line_feeds(content.bytes())) else {
        return false;
    };
    let named = |names: &[&str]| {
        let is = |header: &String| names.contains(&header.to_lowercase().as_str());
        dialect.headers.iter().any(is)
    };
    let metric = |header: &String| fields::names_result(header);
    dialect.headers.iter().any(metric) || named(METRIC) && named(VALUE)
}

/// Why nothing was read of files that are more than one: the first reasons.
pub(crate) fn reasons(files: &[FileRuns]) -> Option<String> {
    let told = files.iter().filter_map(|file| {
        let skipped = file.input.skipped.first()?;
        let told =
            ["expected", "JSON of no known format"].iter().any(|word| skipped.why.contains(word));
        (file.input.format.is_some() || told)
            .then(|| format!("{}: {}", short(&file.input.path), skipped.why))
    });
    let told: Vec<String> = told.collect();
    let more = if told.len() > MAX_FILES { "; …" } else { "" };
    let first = told.iter().take(MAX_FILES).cloned().collect::<Vec<_>>().join("; ");
    (!told.is_empty()).then(|| format!("{first}{more}"))
}

impl Spec {
    /// The error for an input without a run.
    pub(crate) fn nothing_found(&self, files: &[FileRuns]) -> Error {
        let path = shown(Path::new(&self.path));
        if self.folder && files.is_empty() {
            let problem = "expected result files in the folder, found an empty folder";
            return Error::file(&path, problem, "give the folder that holds the results");
        }
        // A file that was recognised and holds no run of its own.
        if let [FileRuns { input, .. }] = files
            && let (Some(format), [skipped, ..]) = (input.format, &input.skipped[..])
        {
            let problem = format!("expected benchmark results, found {format}: {}", skipped.why);
            return Error::file(&path, problem, remedy_of(&skipped.why));
        }
        let problem = match reasons(files).filter(|_| !self.named) {
            Some(reasons) => format!("{NONE} ({reasons})"),
            None => NONE.to_owned(),
        };
        let remedy = if self.named {
            "give the client's result file, or the text block that it prints"
        } else {
            "give the folder that holds the results"
        };
        Error::file(&path, problem, remedy)
    }
}
