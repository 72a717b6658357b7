//! Parquet tables, by polars; the data frame does not leave this file.

use std::io::Cursor;

use polars::prelude::{
    AnyValue, Column, DataFrame, IntoColumn, ParquetReader, ParquetWriter, SerReader,
};

use crate::error::Error;
use crate::read::records::{Row, Table};
use crate::read::table::rows_of;
use crate::read::{Content, Found, Options, Reader};

pub(super) const READER: Reader = Reader {
    name: "parquet table",
    recognised_by: "the bytes PAR1 at its start",
    one_run: "a row, or the rows of one run in the long layout; rows of requests as in a csv table",
    metrics: &[],
    recognise: |content, _| content.bytes.starts_with(b"PAR1"),
    read,
};

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let frame =
        ParquetReader::new(Cursor::new(content.bytes.to_vec())).finish().map_err(|error| {
            let problem = format!("expected a Parquet table, found something else: {error}");
            Error::file(content.path, problem, "write the file again")
        })?;
    rows_of(&table_of(&frame, content.path), options)
}

/// A data frame as text.
pub(super) fn table_of<'a>(frame: &DataFrame, path: &'a str) -> Table<'a> {
    let mut table = Table { path, counts: "row", ..Table::default() };
    let columns = frame.columns();
    table.headers = columns.iter().map(|column| column.name().to_string()).collect();
    for index in 0..frame.height() {
        let cells = columns.iter().map(|column| cell(column, index)).collect();
        table.rows.push(Row { number: index + 1, cells });
    }
    table
}

fn cell(column: &Column, index: usize) -> String {
    match column.get(index) {
        Ok(AnyValue::Null) | Err(_) => String::new(),
        Ok(AnyValue::String(text)) => text.to_owned(),
        Ok(AnyValue::StringOwned(text)) => text.to_string(),
        Ok(AnyValue::Float64(value)) => value.to_string(),
        Ok(AnyValue::Float32(value)) => value.to_string(),
        Ok(other) => other.to_string(),
    }
}

/// A column of a table to be written.
pub enum Cells {
    /// Texts; `None` is null.
    Text(Vec<Option<String>>),
    /// Numbers; `None` is null.
    Number(Vec<Option<f64>>),
}

/// Writes named columns of equal length as Parquet.
///
/// # Errors
///
/// [`Error::Usage`] with the reason of the writer.
pub fn write_parquet(columns: Vec<(&str, Cells)>) -> Result<Vec<u8>, Error> {
    use polars::prelude::{NamedFrom, Series};
    let failed = |error: polars::prelude::PolarsError| {
        Error::usage(format!("cannot write Parquet: {error}"), "write CSV instead")
    };
    let columns: Vec<Column> = columns
        .into_iter()
        .map(|(name, cells)| match cells {
            Cells::Text(values) => Series::new(name.into(), values).into_column(),
            Cells::Number(values) => Series::new(name.into(), values).into_column(),
        })
        .collect();
    let height = columns.first().map_or(0, Column::len);
    let mut frame = DataFrame::new(height, columns).map_err(failed)?;
    let mut bytes = Vec::new();
    ParquetWriter::new(&mut bytes).finish(&mut frame).map_err(failed)?;
    Ok(bytes)
}
