//! Frames of other libraries through the Arrow C stream interface, in and out.
//!
//! The one place with `unsafe`: what a capsule of the name `arrow_array_stream` points to is what the interface says
//! (<https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>), which no compiler can check.
#![expect(unsafe_code, reason = "the border to other libraries")]

use std::ffi::CStr;

use polars::prelude::{
    ArrowDataType, Column, DataFrame, IdxCa, IdxSize, IntoColumn, PolarsError, PolarsResult, Series,
};
use polars_arrow::array::{
    Array, DictionaryArray, DictionaryKey, PrimitiveArray, StructArray, Utf8Array, new_empty_array,
};
use polars_arrow::datatypes::Field;
use polars_arrow::ffi::{ArrowArrayStream, ArrowArrayStreamReader, export_iterator};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};

use beyondnoise::read::{Cells, is_read};

/// The name of a capsule with a stream.
const NAME: &CStr = c"arrow_array_stream";

/// A stream that is taken out of its capsule, which is then empty.
pub(crate) fn taken(capsule: &Bound<'_, PyCapsule>) -> PyResult<ArrowArrayStream> {
    let pointer = capsule.pointer_checked(Some(NAME))?.cast::<ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a stream of this layout, which its owner lets us move out; an empty one,
    // which its destructor does not release, is left in its place.
    Ok(unsafe { std::ptr::replace(pointer.as_ptr(), ArrowArrayStream::empty()) })
}

/// All columns of a stream with single values, and the names of the others.
pub(crate) fn columns_of(stream: ArrowArrayStream) -> PolarsResult<(DataFrame, Vec<String>)> {
    // SAFETY: the stream came out of a capsule that promises one.
    let mut reader = unsafe { ArrowArrayStreamReader::try_new(Box::new(stream)) }?;
    let ArrowDataType::Struct(fields) = reader.field().dtype().clone() else {
        return Err(no_table("a stream of single values"));
    };
    if let Some(field) = fields.iter().find(|field| has_no_import(&field.dtype)) {
        return Err(no_table(&format!("decimals of 256 bits in {}", field.name)));
    }
    let mut chunks: Vec<Vec<Box<dyn Array>>> = fields.iter().map(|_| Vec::new()).collect();
    // SAFETY: as above.
    while let Some(rows) = unsafe { reader.next() } {
        let rows = rows?;
        let rows = rows.as_any().downcast_ref::<StructArray>();
        let rows = rows.ok_or_else(|| no_table("other values"))?;
        for (column, values) in chunks.iter_mut().zip(rows.values()) {
            column.push(values.clone());
        }
    }
    let (mut columns, mut nested) = (Vec::new(), Vec::new());
    for (field, chunks) in fields.iter().zip(chunks) {
        if is_read(&field.dtype) {
            columns.push(column(field, chunks)?);
        } else {
            nested.push(field.name.to_string());
        }
    }
    let mut frame = DataFrame::new_infer_height(columns)?;
    frame.rechunk_mut();
    Ok((frame, nested))
}

/// Whether polars panics on values of a type.
fn has_no_import(dtype: &ArrowDataType) -> bool {
    match dtype {
        ArrowDataType::Decimal256(..) => true,
        ArrowDataType::Dictionary(_, values, _) => has_no_import(values),
        ArrowDataType::List(field)
        | ArrowDataType::LargeList(field)
        | ArrowDataType::FixedSizeList(field, _)
        | ArrowDataType::Map(field, _) => has_no_import(&field.dtype),
        ArrowDataType::Struct(fields) => fields.iter().any(|field| has_no_import(&field.dtype)),
        _ => false,
    }
}

fn no_table(found: &str) -> PolarsError {
    PolarsError::InvalidOperation(format!("expected rows of columns, found {found}").into())
}

/// One column; a dictionary is replaced by its values.
fn column(field: &Field, mut chunks: Vec<Box<dyn Array>>) -> PolarsResult<Column> {
    if chunks.is_empty() {
        chunks.push(new_empty_array(field.dtype.clone()));
    }
    let ArrowDataType::Dictionary(keys, ..) = &field.dtype else {
        return Ok(Series::try_from((field.name.clone(), chunks))?.into_column());
    };
    let mut parts = chunks.iter().map(|chunk| {
        polars_arrow::match_integer_type!(keys, |$T| {
            let chunk = chunk.as_any().downcast_ref::<DictionaryArray<$T>>();
            chunk.ok_or_else(|| no_table("other values")).and_then(|chunk| meant(field, chunk))
        })
    });
    let first = parts.next().unwrap_or_else(|| Err(no_table("nothing")))?;
    let all = parts.try_fold(first, |mut all, part| {
        all.append(&part?)?;
        Ok::<_, PolarsError>(all)
    });
    Ok(all?.into_column())
}

/// The values that the keys of a dictionary mean.
fn meant<K: DictionaryKey>(field: &Field, chunk: &DictionaryArray<K>) -> PolarsResult<Series> {
    let values = Series::try_from((field.name.clone(), vec![chunk.values().clone()]))?;
    let key = |key: Option<usize>| key.and_then(|key| IdxSize::try_from(key).ok());
    let keys: IdxCa = chunk.keys_iter().map(key).collect();
    values.take(&keys)
}

/// Columns of equal length as a capsule with a stream of one part.
pub(crate) fn capsule<'py>(
    py: Python<'py>,
    columns: &[(String, Cells)],
) -> PyResult<Bound<'py, PyCapsule>> {
    let array = |cells: &Cells| -> Box<dyn Array> {
        match cells {
            Cells::Text(values) => Utf8Array::<i64>::from(values).boxed(),
            Cells::Number(values) => PrimitiveArray::<f64>::from(values.as_slice()).boxed(),
        }
    };
    let arrays: Vec<Box<dyn Array>> = columns.iter().map(|(_, cells)| array(cells)).collect();
    let fields = columns
        .iter()
        .zip(&arrays)
        .map(|((name, _), array)| Field::new(name.as_str().into(), array.dtype().clone(), true));
    let dtype = ArrowDataType::Struct(fields.collect());
    let length = arrays.first().map_or(0, |array| array.len());
    let rows = StructArray::new(dtype.clone(), length, arrays, None).boxed();
    let field = Field::new("".into(), dtype, false);
    let stream = export_iterator(Box::new(std::iter::once(Ok(rows))), field);
    PyCapsule::new_with_value(py, stream, NAME)
}
