//! Rows of requests, reduced to their runs in one pass.
//!
//! The chunks of the table are read side by side ([`part`]) and joined in their order, so that the result does not
//! depend on the number of threads. All values of a run are held in memory, 8 bytes each, until its figures are taken
//! ([`figures`]), which are exact.

mod figures;
mod part;
mod plan;
mod runs;

use crate::reader::{Found, Options};
use crate::table::chunks::{RowSource, in_order};
use crate::table::reduce::part::Part;
use beyondnoise_model::error::Error;

pub(crate) use crate::table::reduce::figures::{LEVELS, QUANTILE_NAMES};
pub(crate) use crate::table::reduce::plan::{Plan, Quantity};
pub(crate) use crate::table::reduce::runs::DIFFERENT_REQUESTS;

/// Reduces a table of request rows to its runs.
///
/// # Errors
///
/// [`Error::Input`] for the first row that cannot be read, unless `options.lenient`.
pub(crate) fn reduce(
    path: &str,
    source: &dyn RowSource,
    plan: &Plan,
    options: &Options,
) -> Result<Found, Error> {
    let mut all = Part::after(source.before());
    in_order(
        source,
        |chunk| Part::read(plan, source, chunk),
        |part| {
            all.join(part);
            match all.bad.first() {
                Some((line, bad)) if !options.lenient => Err(runs::error(path, plan, *line, bad)),
                _ => Ok(()),
            }
        },
    )?;
    runs::runs_of(path, plan, all, (source.side_by_side(), options))
}

#[cfg(test)]
mod tests;
