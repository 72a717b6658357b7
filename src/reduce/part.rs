//! The parts of a log: files and tables, each with its variant and run where no column names them.

use crate::read::{LogFile, LogForm};

/// The place of a part of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A file or a pattern of files, on a disk or under an address such as `s3://`.
    File(String, LogForm),
    /// A table of the engine: `name`, or `schema.name`.
    Table(String),
}

/// A part of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The place itself.
    pub place: Place,
    /// The name that the user gave to the variant of all its rows.
    pub named: Option<String>,
    /// The variant, where no column names one.
    pub variant: String,
    /// The run, where no column names one.
    pub run: String,
}

impl Part {
    /// A file that was found.
    pub fn of_file(file: LogFile) -> Self {
        let LogFile { named, variant, run, path, form } = file;
        Self { place: Place::File(path, form), named, variant, run }
    }

    /// The address, if it may match several files; these may be parts of a run or several runs.
    pub(super) fn several(&self) -> Option<&str> {
        let Place::File(path, _) = &self.place else { return None };
        let (_, inside) = path.split_once("://")?;
        let last = inside.rsplit('/').next().unwrap_or_default();
        (inside.contains(['*', '?', '[', '{']) || !last.contains('.')).then_some(path)
    }

    /// A table or an address as it was typed, with `NAME=` before it where that is its variant; its files are Parquet
    /// unless they end in `.csv`, `.json`, `.jsonl` or `.ndjson`.
    pub fn typed(text: &str) -> Self {
        let named = text.split_once('=').filter(|(name, _)| !name.contains(['/', ':']));
        let (named, place) = named.map_or((None, text), |(name, place)| (Some(name), place));
        let bare = place.trim_end_matches(".gz").trim_end_matches(".zst");
        let form = match bare.rsplit('.').next().unwrap_or_default() {
            "csv" => LogForm::Csv(','),
            "tsv" => LogForm::Csv('\t'),
            "json" | "jsonl" | "ndjson" => LogForm::JsonLines,
            _ => LogForm::Parquet,
        };
        let is_file = place.contains('/') || bare.ends_with(".parquet");
        Self {
            place: if is_file {
                Place::File(place.to_owned(), form)
            } else {
                Place::Table(place.to_owned())
            },
            named: named.map(str::to_owned),
            variant: named.unwrap_or(place).to_owned(),
            run: place.to_owned(),
        }
    }
}
