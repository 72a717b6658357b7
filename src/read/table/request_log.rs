//! The columns of a log of requests, found by its first rows, for those who reduce it elsewhere.

use crate::reader::{Content, Options};
use crate::table::chunks::{SAMPLE, chunk_bytes, whole_lines};
use crate::table::csv::START;
use crate::table::delimited::{Dialect, Text, decimal_comma, with_line_feeds};
use crate::table::json_lines::table_of;
#[cfg(feature = "tables")]
use crate::table::parquet;
use crate::table::records::{Table, first_rows};
use crate::table::reduce::{Plan, Quantity};
use crate::table::request_columns::RequestColumns;
use crate::table::request_names::{Role as Part, role_of};
use crate::table::role::Role;
use crate::table::roles::Roles;
use beyondnoise_model::error::Error;

/// How the rows of a log are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogForm {
    /// Text with this delimiter, and a header.
    Csv(char),
    /// A JSON object a line.
    JsonLines,
    /// Parquet.
    Parquet,
}

/// Which column of a log of requests is what.
#[derive(Debug)]
pub struct LogColumns(
    /// The column of each role.
    pub Plan,
);

/// The form of a log by its first bytes.
pub(crate) fn form_of(bytes: &[u8]) -> Result<LogForm, Error> {
    if bytes.starts_with(b"PAR1") {
        return Ok(LogForm::Parquet);
    }
    if bytes.trim_ascii_start().starts_with(b"{") {
        return Ok(LogForm::JsonLines);
    }
    let delimiter = Dialect::detect("", bytes)?.delimiter;
    Ok(LogForm::Csv(char::from(delimiter)))
}

/// The columns of a log from its start `content`, or from all of it in Parquet.
///
/// # Errors
///
/// [`Error::Input`] if it cannot be read, or holds no quantity of a request.
pub(crate) fn columns_of(content: &Content, options: &Options) -> Result<LogColumns, Error> {
    let path = content.path;
    match form_of(content.bytes)? {
        #[cfg(feature = "tables")]
        LogForm::Parquet => of_table(&parquet::start_of(content)?, options),
        #[cfg(not(feature = "tables"))]
        LogForm::Parquet => (crate::table::no_parquet::READER.read)(content, options)
            .and_then(|_| Err(Error::file(path, "expected Parquet to be read", "build it in"))),
        LogForm::JsonLines => {
            let start = whole_lines(content.bytes(), START.0).unwrap_or_default();
            let records = crate::kit::json_records::records(path, start)?;
            of_table(&table_of(path, &records), options)
        }
        LogForm::Csv(_) => {
            let start = whole_lines(content.bytes(), START.0).unwrap_or_default();
            let bytes = &*with_line_feeds(start);
            let dialect = Dialect::detect(path, bytes)?;
            let text = Text::new(bytes, &dialect, (chunk_bytes(), true));
            let headers = dialect.headers.clone();
            let mut table = Table { path, headers, counts: "line", ..Table::default() };
            let bad = first_rows(&text, (START.1, SAMPLE), &mut table)?;
            if let Some(error) = bad.into_iter().next().filter(|_| !options.lenient) {
                return Err(error);
            }
            table.comma = decimal_comma(&table, dialect.delimiter)?;
            of_table(&table, options)
        }
    }
}

/// The columns of a log by their names alone.
///
/// # Errors
///
/// [`Error::Input`] if none is a quantity of a request.
pub fn columns_named(names: &[String], options: &Options) -> Result<LogColumns, Error> {
    let path = "the columns that were named";
    let mut table = Table { path, headers: names.to_vec(), counts: "row", ..Table::default() };
    // A cell that fits every role.
    table.rows.add(1, names.iter().map(|_| "1"));
    let LogColumns(plan) = of_table(&table, options)?;
    let request = names.iter().position(|name| role_of(name) == Part::Request);
    Ok(LogColumns(Plan { request, ..plan }))
}

fn of_table(table: &Table, options: &Options) -> Result<LogColumns, Error> {
    let roles = Roles::assign(table, options)?;
    let sight = RequestColumns::find(table, &roles, options);
    let (mut plan, _) = sight.as_ref().map(|sight| sight.plan(table)).ok_or_else(|| {
        let problem = "expected rows of requests, found none".to_owned();
        table.no_result(problem, "give a log with a row for each request")
    })?;
    // A column that is empty in the first rows, such as errors of requests, may be filled further on.
    for at in roles.which(|role| role == Role::Empty) {
        match role_of(&table.headers[at]) {
            Part::Status(status) => plan.status.push((at, status)),
            Part::Value(kind) if kind.is_latency() => {
                plan.values.push(Quantity { column: at, kind });
            }
            _ => {}
        }
    }
    let remedy = "name its columns like those of a client: ttft_ms, itl_ms, e2e_ms, output_tokens, start_time";
    if plan.metric.is_some() {
        let problem = "expected a column for each quantity of a request, found a row for each";
        return Err(table.header(problem.to_owned(), "turn the log into one row per request"));
    }
    if plan.comma {
        let problem = "expected decimal points, found decimal commas".to_owned();
        return Err(table.header(problem, "export the log with decimal points"));
    }
    if plan.values.is_empty() {
        let problem =
            format!("expected a column with a quantity of a request, found {}", table.listed());
        return Err(table.header(problem, remedy));
    }
    let numbered = sight.and_then(|sight| sight.groups(table).numbered);
    let once = numbered.filter(|numbered| !numbered.repeats);
    let request = once.and_then(|one| table.headers.iter().position(|name| *name == one.column));
    Ok(LogColumns(Plan { request, ..plan }))
}
