//! Tables as Parquet.

use std::sync::Arc;

use polars::prelude::PolarsResult;
use polars_arrow::array::{Array, Float64Array, Utf8ViewArray};
use polars_arrow::datatypes::{ArrowSchema, Field};
use polars_arrow::record_batch::RecordBatchT;
use polars_parquet::write::{
    CompressionOptions, FileWriter, StatisticsOptions, Version, WriteOptions, get_dtype_encoding,
    row_group_iter,
};

use crate::error::Error;

/// Rows of a group, as polars writes them.
const GROUP: usize = 1 << 18;

const OPTIONS: WriteOptions = WriteOptions {
    statistics: StatisticsOptions {
        min_value: true,
        max_value: true,
        distinct_count: false,
        null_count: true,
        binary_statistics_truncate_length: None,
    },
    version: Version::V1,
    compression: CompressionOptions::Zstd(None),
    data_page_size: None,
};

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
    written(columns).map_err(|error| {
        Error::usage(format!("cannot write Parquet: {error}"), "write CSV instead")
    })
}

fn written(columns: Vec<(&str, Cells)>) -> PolarsResult<Vec<u8>> {
    let array = |(name, cells): (&str, Cells)| {
        let array: Box<dyn Array> = match cells {
            Cells::Text(values) => Box::new(Utf8ViewArray::from_slice(values)),
            Cells::Number(values) => Box::new(Float64Array::from(values)),
        };
        (Field::new(name.into(), array.dtype().clone(), true), array)
    };
    let (fields, arrays): (_, Vec<_>) = columns.into_iter().map(array).unzip();
    of_arrays(fields, &arrays)
}

pub(super) fn of_arrays(fields: Vec<Field>, arrays: &[Box<dyn Array>]) -> PolarsResult<Vec<u8>> {
    let encodings = fields.iter().map(|field| get_dtype_encoding(&field.dtype)).collect::<Vec<_>>();
    let named = fields.into_iter().map(|field| (field.name.clone(), field));
    let schema = Arc::new(ArrowSchema::from_iter_check_duplicates(named)?);
    let rows = arrays.first().map_or(0, |array| array.len());

    let mut writer = FileWriter::try_new(Vec::new(), (*schema).clone(), OPTIONS)?;
    let types = writer.parquet_schema().fields().to_vec();
    for start in (0..rows).step_by(GROUP) {
        let height = GROUP.min(rows - start);
        let part = arrays.iter().map(|array| array.sliced(start, height)).collect();
        let group = RecordBatchT::try_new(height, schema.clone(), part)?;
        let group = row_group_iter(group, encodings.clone().into(), types.clone(), OPTIONS);
        writer.write(height as u64, group)?;
    }
    writer.end(None)?;
    Ok(writer.into_inner())
}
