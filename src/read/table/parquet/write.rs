//! Tables as Parquet.

use polars::prelude::{Column, DataFrame, ParquetCompression, ParquetWriter, PolarsResult};

use beyondnoise_model::error::Error;

/// Rows of a group, as polars writes them.
const GROUP: usize = 1 << 18;

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
pub fn write_parquet(columns: Vec<(String, Cells)>) -> Result<Vec<u8>, Error> {
    let column = |(name, cells): (String, Cells)| match cells {
        Cells::Text(values) => Column::new(name.into(), values),
        Cells::Number(values) => Column::new(name.into(), values),
    };
    written(columns.into_iter().map(column).collect()).map_err(|error| {
        Error::usage(format!("cannot write Parquet: {error}"), "write CSV instead")
    })
}

pub(crate) fn written(columns: Vec<Column>) -> PolarsResult<Vec<u8>> {
    let mut frame = DataFrame::new_infer_height(columns)?;
    let mut bytes = Vec::new();
    ParquetWriter::new(&mut bytes)
        .with_compression(ParquetCompression::Zstd(None))
        .with_row_group_size(Some(GROUP))
        .finish(&mut frame)?;
    Ok(bytes)
}
