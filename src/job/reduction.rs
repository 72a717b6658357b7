//! Logs of requests that another engine reduces: their parts and their columns.

use std::path::Path;

use crate::error::Error;
use crate::job::Job;
use crate::read::{LogColumns, Options, columns_named, log_columns, log_files};
use crate::reduce::{Dialect, Part};

/// Information on the columns of a log that does not come from the log itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stated<'a> {
    /// A file with some rows of the log.
    pub sample: Option<&'a str>,
    /// Names of the columns to use.
    pub columns: &'a [String],
}

impl Job {
    /// The parts and columns of the `logs`. They are files; with a sample or with names of columns also tables and addresses.
    ///
    /// # Errors
    ///
    /// Those of [`log_files`], [`log_columns`] and [`columns_named`], and [`Error::Usage`] if the columns of a log cannot be
    /// found.
    pub fn logs(
        &self,
        dialect: Dialect,
        logs: &[String],
        stated: Stated,
    ) -> Result<(Vec<Part>, LogColumns), Error> {
        let by = self.settings.cell_columns.clone();
        let options = Options { by, ..self.options() };
        let remote = |log: &String| log.contains("://");
        let found = |path: &str| Path::new(path).exists() || path.contains(['*', '?']);
        // A table may also have a variant's name before its path.
        let there =
            |log: &String| found(log) || log.split_once('=').is_some_and(|(_, path)| found(path));
        let columns = match stated {
            Stated { sample: Some(sample), .. } => log_columns(sample, &options)?,
            Stated { columns: [], .. } => {
                if let Some(log) = logs.iter().find(|log| remote(log) || !there(log)) {
                    return Err(Error::usage(
                        format!("expected a file on this machine, found {log}"),
                        "give a file with some of its rows to --sample, or the names of its columns to --columns",
                    ));
                }
                let files = log_files(logs, &options)?;
                let size =
                    |path: &str| std::fs::metadata(path).map_or(u64::MAX, |found| found.len());
                let smallest = files.iter().min_by_key(|file| size(&file.path));
                let sample = smallest.map_or_else(String::new, |file| file.path.clone());
                let columns = log_columns(&sample, &options)?;
                return Ok((files.into_iter().map(Part::of_file).collect(), columns));
            }
            Stated { columns, .. } => columns_named(columns, &options)?,
        };
        let here = |log: &String| !dialect.reads_tables_only() && !remote(log) && there(log);
        let mut parts = Vec::new();
        for log in logs {
            if here(log) {
                let files = log_files(std::slice::from_ref(log), &options)?;
                parts.extend(files.into_iter().map(Part::of_file));
            } else {
                parts.push(Part::typed(log));
            }
        }
        Ok((parts, columns))
    }
}
