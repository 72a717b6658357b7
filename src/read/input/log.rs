//! Logs of requests that are reduced elsewhere: their files, and the columns by the first rows of one.

use std::path::Path;

use crate::input::arguments::{FileRuns, Spec, shown};
use crate::input::files::Files;
use crate::input::labels::{label, stem};
use crate::reader::{Content, Options};
use crate::store::Store;
use crate::table::request_log::{LogColumns, LogForm, columns_of, form_of};
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::{Input, Run};

/// One file with requests, and what the user or its path says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFile {
    /// The name that the user gave to all its runs.
    pub named: Option<String>,
    /// The variant of its runs where no column names one.
    pub variant: String,
    /// The name of its run where no column names one.
    pub run: String,
    /// Where it lies.
    pub path: String,
    /// CSV, JSON lines or Parquet.
    pub form: LogForm,
}

/// The files of all `inputs`, in their order: files, folders, globs, or `NAME=` before one.
///
/// # Errors
///
/// [`Error::Io`] and [`Error::Input`] for the first that cannot be read.
pub fn log_files(inputs: &[String], options: &Options) -> Result<Vec<LogFile>, Error> {
    let specs = inputs.iter().map(|text| Spec::parse(text, Store::Disk));
    let specs = specs.collect::<Result<Vec<Spec>, Error>>()?;
    let mut per_spec: Vec<Vec<FileRuns>> = specs.iter().map(one_run_each).collect();
    label(&specs, &mut per_spec, options);
    let mut found = Vec::new();
    for (spec, files) in specs.iter().zip(&per_spec) {
        for (path, file) in spec.files.iter().zip(files) {
            let form = start_of(path, form_of)?;
            let variant = file.runs.first().map_or_else(String::new, |run| run.variant.clone());
            let path = shown(path);
            let run = stem(Path::new(&path));
            found.push(LogFile { named: spec.name.clone(), variant, run, path, form });
        }
    }
    Ok(found)
}

/// The columns of the log in a file, by its first rows.
///
/// # Errors
///
/// [`Error::Io`] and [`Error::Input`] if it cannot be read, or has no column with a quantity of a request.
pub fn log_columns(path: &str, options: &Options) -> Result<LogColumns, Error> {
    start_of(Path::new(path), |bytes| {
        columns_of(&Content { alone: true, ..Content::new(path, bytes) }, options)
    })
}

/// A run for each file, so that it gets its label.
fn one_run_each(spec: &Spec) -> Vec<FileRuns> {
    let one = |path: &std::path::PathBuf| {
        let (path, format) = (shown(path), None);
        let input = Input { path, format, runs: 1, skipped: Vec::new(), tables: Vec::new() };
        FileRuns { input, runs: vec![Run::default()], fingerprint: None }
    };
    spec.files.iter().map(one).collect()
}

/// Applies `use_of` to the start of a file, or to all of it if it is Parquet.
fn start_of<T>(path: &Path, use_of: impl FnOnce(&[u8]) -> Result<T, Error>) -> Result<T, Error> {
    let files = Files::new(std::iter::once(path), &|_| {}, Store::Disk);
    files.read(path, |bytes| match bytes {
        Ok(bytes) => use_of(bytes),
        Err(source) => Err(Error::Io { path: shown(path), doing: "read", source }),
    })
}
