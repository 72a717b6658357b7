//! The runs of a table, whether its rows are runs, values of them, or requests.

use crate::reader::{Found, Options, Reader};
use crate::table::chunks::{RowSource, in_order};
use crate::table::column_uses::described;
use crate::table::delimited::normalise;
use crate::table::records::{Table, add_rows};
use crate::table::reduce::reduce;
use crate::table::request_rows::{Rows, SERIES_REMEDY, classify_rows};
use crate::table::roles::Roles;
use crate::table::rows::{Reading, runs_of};
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::Skipped;

/// Rows of requests, under whose name the readers of text and JSON give them: only what is read shows what a row is.
pub(crate) const REQUESTS: Reader = Reader {
    name: "request rows",
    recognised_by: "a table or flat JSON in which a column numbers the requests (request_id, req, prompt_idx, ...), \
                    or several rows share a run in the column run (2 with columns such as ttft_ms or latency, \
                    else 10), or, without that column, a variant has more than 100 rows with columns such as \
                    ttft_ms; columns of statistics (mean_ttft_ms) mean a row per run, unless requests are numbered",
    one_run: "all rows of one variant, run and load; all of one variant and load without a column run",
    metrics: &["mean_ttft_ms", "mean_tpot_ms", "mean_itl_ms", "mean_e2el_ms", "duration"],
    recognise: |_, _| false,
    ..Reader::EMPTY
};

/// Notes on rows that cannot be read.
///
/// # Errors
///
/// The first of them, unless `options.lenient`.
pub(crate) fn bad_rows(bad: &mut Vec<Error>, options: &Options) -> Result<Vec<Skipped>, Error> {
    if !options.lenient && !bad.is_empty() {
        return Err(bad.swap_remove(0));
    }
    let left_out = |error: Error| Skipped { place: "row".to_owned(), why: error.to_string() };
    Ok(bad.drain(..).map(left_out).collect())
}

/// The runs of a table with a row per run, per request or per value.
///
/// The table holds all rows, or the first ones, and the source all of them where there is one. Rows that are not requests
/// are those of the table, which `prepare` may change and make notes on, unless they are read in `chunks`.
pub(crate) fn found_in(
    table: &mut Table,
    (source, chunks): (Option<&dyn RowSource>, bool),
    options: &Options,
    mut prepare: impl FnMut(&mut Table, &Roles) -> Result<Vec<Skipped>, Error>,
) -> Result<Found, Error> {
    let roles = Roles::assign(table, options)?;
    let (rows, mut notes) = classify_rows(table, &roles, options);
    let mut found = match rows {
        Rows::Series(why) => return Err(table.no_result(why, SERIES_REMEDY)),
        Rows::Requests(plan) => {
            let format = Some(REQUESTS.name);
            let source = source.unwrap_or(&table.rows);
            Found { format, ..reduce(table.path, source, &plan, options)? }
        }
        Rows::Runs => {
            notes.extend(prepare(table, &roles)?);
            match source.filter(|_| chunks) {
                Some(source) => runs_in_chunks(table, &roles, source, options)?,
                None => runs_of(table, &roles, options)?,
            }
        }
    };
    found.skipped.splice(0..0, notes);
    let requests = found.format == Some(REQUESTS.name);
    let rows = if requests {
        beyondnoise_model::runs::Rows::Requests
    } else {
        beyondnoise_model::runs::Rows::Runs
    };
    found.tables = vec![beyondnoise_model::runs::Table { rows, ..described(table, &roles) }];
    Ok(found)
}

/// Runs of a table with a row per run or value. `start` has the first rows, in the form in which all are read.
pub(crate) fn runs_in_chunks(
    start: &Table,
    roles: &Roles,
    source: &dyn RowSource,
    options: &Options,
) -> Result<Found, Error> {
    let mut reading = Reading::new(start, roles, options)?;
    let mut skipped = Vec::new();
    let mut before = source.before();
    let read = |chunk: usize| {
        let (path, headers, counts) = (start.path, start.headers.clone(), start.counts);
        let mut table = Table { path, headers, counts, comma: start.comma, ..Table::default() };
        let mut bad = Vec::new();
        let lines = add_rows(source, (chunk, usize::MAX), &mut table, &mut bad)?;
        // Notes on the columns were already made for the start.
        if source.is_text() {
            normalise(&mut table, roles);
        }
        Ok((table, bad, lines))
    };
    in_order(source, read, |(mut table, bad, lines)| {
        table.rows.shift(0, before);
        let mut bad = table.errors(before, bad);
        before += lines;
        skipped.extend(bad_rows(&mut bad, options)?);
        reading.rows(&table)
    })?;
    let mut found = reading.finish(start)?;
    found.skipped.splice(0..0, skipped);
    Ok(found)
}
