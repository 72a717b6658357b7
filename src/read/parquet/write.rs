//! Tables as Parquet.

use polars::prelude::{Column, DataFrame, IntoColumn, ParquetWriter};

use crate::error::Error;

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
