//! The SELECT that reduces logs of requests to their runs, for engines that people have: the program writes it, an engine
//! runs it, and every command reads what it gives (`beyondnoise-runs/1`, the tidy table with the figures of requests).
//!
//! It computes the same figures as the reader of logs from the same rows: the figures of a run are exact, and no
//! request counts as a repeat.

mod dialect;
mod figures;
mod part;
mod result;
mod select;
mod source;

use crate::error::Error;
use crate::read::LogColumns;

pub use dialect::Dialect;
pub use part::{Part, Place};

/// The script that reduces `parts`, which have these `columns`: statements that name the files where the engine needs
/// them, and a SELECT.
///
/// # Errors
///
/// [`Error::Usage`] for a file where the engine reads tables alone, for a name that it cannot have, and for an address of
/// several files without a column for the run.
pub fn script(dialect: Dialect, parts: &[Part], columns: &LogColumns) -> Result<String, Error> {
    let named = !columns.0.run.is_empty() || columns.0.pair.is_some();
    if let Some(path) = parts.iter().find_map(Part::several).filter(|_| !named) {
        return Err(Error::usage(
            format!("expected a column that names the run, found none for the files of {path}"),
            "name it with --run-column; where every file is a run, give each file its own address",
        ));
    }
    select::Select::new(dialect, &columns.0).script(parts)
}

#[cfg(test)]
mod tests;
