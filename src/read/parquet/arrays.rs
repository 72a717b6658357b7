//! Arrays of a Parquet file into cells.

use std::fmt;
use std::fmt::Write;
use std::ops::Range;

use polars_arrow::array::{Array, BinaryViewArray, PrimitiveArray, Utf8ViewArray, get_display};
use polars_arrow::datatypes::{ArrowDataType, PhysicalType, TimeUnit};
use polars_arrow::types::NativeType;

use crate::read::reduce::Column;

/// Type under which the values of a column are read; `None` for lists and other nested values.
pub(super) fn type_of(stored: &ArrowDataType) -> Option<ArrowDataType> {
    use ArrowDataType as Type;
    match stored {
        // Often texts whose writers do not mark them as such.
        Type::Binary | Type::LargeBinary | Type::BinaryView => Some(Type::BinaryView),
        Type::Utf8 | Type::LargeUtf8 => Some(Type::Utf8View),
        // Shown in UTC.
        Type::Timestamp(unit, _) => Some(Type::Timestamp(*unit, None)),
        other => match other.to_physical_type() {
            PhysicalType::Null
            | PhysicalType::Boolean
            | PhysicalType::Primitive(_)
            | PhysicalType::Utf8View
            | PhysicalType::BinaryView => Some(other.clone()),
            _ => None,
        },
    }
}

/// The power of ten in seconds of the ticks of a type that counts time.
pub(super) fn power_of_ticks(dtype: &ArrowDataType) -> Option<i32> {
    match dtype {
        ArrowDataType::Duration(TimeUnit::Second) => Some(0),
        ArrowDataType::Duration(TimeUnit::Millisecond) => Some(-3),
        ArrowDataType::Duration(TimeUnit::Microsecond) => Some(-6),
        ArrowDataType::Duration(TimeUnit::Nanosecond) => Some(-9),
        _ => None,
    }
}

/// Whether some values are bytes that are no text.
pub(super) fn is_no_text(arrays: &[Box<dyn Array>]) -> bool {
    let no_text = |bytes: Option<&[u8]>| bytes.is_some_and(|b| std::str::from_utf8(b).is_err());
    arrays
        .iter()
        .filter_map(|array| array.as_any().downcast_ref::<BinaryViewArray>())
        .any(|array| array.iter().any(no_text))
}

/// Whether values of this type are of a fixed size.
pub(super) fn is_fixed(dtype: &ArrowDataType) -> bool {
    matches!(dtype.to_physical_type(), PhysicalType::Primitive(_))
}

/// The values of some rows.
pub(super) fn part(arrays: &[Box<dyn Array>], rows: &Range<usize>) -> Vec<Box<dyn Array>> {
    let mut before = 0;
    let mut parts = Vec::new();
    for array in arrays {
        let end = before + array.len();
        let (start, stop) = (rows.start.max(before), rows.end.min(end));
        if start < stop {
            parts.push(array.sliced(start - before, stop - start));
        }
        before = end;
    }
    parts
}

/// Ticks as texts in the unit of their column, which is this power of ten away.
pub(super) fn in_unit(ticks: Vec<String>, power: i32) -> Vec<String> {
    if power == 0 {
        return ticks;
    }
    let text = |ticks: String| if ticks.is_empty() { ticks } else { format!("{ticks}e{power}") };
    ticks.into_iter().map(text).collect()
}

/// [`numbers`], of ticks in the unit of their column.
pub(super) fn numbers_in_unit(arrays: &[Box<dyn Array>], power: i32) -> Column {
    match numbers(arrays) {
        Column::Numbers(mut all) if power != 0 => {
            for ticks in &mut all {
                *ticks *= 10f64.powi(power);
            }
            Column::Numbers(all)
        }
        other => other,
    }
}

/// The cells of a column, as numbers if it holds such.
fn numbers(arrays: &[Box<dyn Array>]) -> Column {
    let mut all = Vec::with_capacity(arrays.iter().map(|array| array.len()).sum());
    for array in arrays {
        if !push_numbers(array.as_ref(), &mut all) {
            return texts(arrays);
        }
    }
    Column::Numbers(all)
}

/// Whether the array held numbers, which are added.
fn push_numbers(array: &dyn Array, all: &mut Vec<f64>) -> bool {
    use ArrowDataType as Type;
    match array.dtype() {
        Type::Float64 => push(array, all, |value: f64| value),
        // The number that is written, not the nearest one of less precision.
        Type::Float32 => push(array, all, |value: f32| {
            value.to_string().parse().unwrap_or_else(|_| f64::from(value))
        }),
        Type::Int8 => push(array, all, |value: i8| f64::from(value)),
        Type::Int16 => push(array, all, |value: i16| f64::from(value)),
        Type::Int32 => push(array, all, |value: i32| f64::from(value)),
        Type::Int64 => push(array, all, |value: i64| value as f64),
        Type::UInt8 => push(array, all, |value: u8| f64::from(value)),
        Type::UInt16 => push(array, all, |value: u16| f64::from(value)),
        Type::UInt32 => push(array, all, |value: u32| f64::from(value)),
        Type::UInt64 => push(array, all, |value: u64| value as f64),
        _ => false,
    }
}

fn push<T: NativeType>(array: &dyn Array, all: &mut Vec<f64>, number: impl Fn(T) -> f64) -> bool {
    let Some(array) = array.as_any().downcast_ref::<PrimitiveArray<T>>() else { return false };
    if array.null_count() == 0 {
        all.extend(array.values().iter().map(|&value| number(value)));
    } else {
        all.extend(array.iter().map(|value| value.map_or(f64::NAN, |&value| number(value))));
    }
    true
}

/// The cells of a column as texts, each kept once; nothing for null.
pub(super) fn texts(arrays: &[Box<dyn Array>]) -> Column {
    let mut all = Distinct::default();
    each(arrays, |text| all.push(text.as_bytes()));
    Column::Texts { texts: all.texts, of_row: all.of_row }
}

/// The cells of a column as texts; nothing for null.
pub(super) fn strings(arrays: &[Box<dyn Array>]) -> Vec<String> {
    let mut all = Vec::with_capacity(arrays.iter().map(|array| array.len()).sum());
    each(arrays, |text| all.push(text.to_owned()));
    all
}

fn each(arrays: &[Box<dyn Array>], mut take: impl FnMut(&str)) {
    for array in arrays {
        if let Some(array) = array.as_any().downcast_ref::<Utf8ViewArray>() {
            array.iter().for_each(|text| take(text.unwrap_or_default().trim()));
            continue;
        }
        if let Some(array) = array.as_any().downcast_ref::<BinaryViewArray>() {
            let text = |bytes: Option<&'_ [u8]>| {
                bytes
                    .and_then(|bytes| std::str::from_utf8(bytes).ok())
                    .unwrap_or_default()
                    .trim()
                    .to_owned()
            };
            array.iter().for_each(|bytes| take(&text(bytes)));
            continue;
        }
        let write = writer(array.as_ref());
        let mut text = String::new();
        for row in 0..array.len() {
            text.clear();
            if !array.is_null(row) {
                // Writing to memory cannot fail.
                let _ = write(&mut text, row);
            }
            take(&text);
        }
    }
}

/// Writes the value of a row.
type Writer<'a> = Box<dyn Fn(&mut String, usize) -> fmt::Result + 'a>;

/// Writes the value of a row, which is not null, as a CSV file would: a whole number of a column of decimals with its
/// decimals.
fn writer(array: &dyn Array) -> Writer<'_> {
    let any = array.as_any();
    if let Some(array) = any.downcast_ref::<PrimitiveArray<f64>>() {
        return Box::new(|text, row| write!(text, "{:?}", array.value(row)));
    }
    if let Some(array) = any.downcast_ref::<PrimitiveArray<f32>>() {
        return Box::new(|text, row| write!(text, "{:?}", array.value(row)));
    }
    match (array.dtype(), any.downcast_ref::<PrimitiveArray<i128>>()) {
        (&ArrowDataType::Decimal(_, scale), Some(array)) => {
            Box::new(move |text, row| write_decimal(text, array.value(row), scale))
        }
        _ => get_display(array, ""),
    }
}

/// A whole number with its last `scale` digits behind the point.
fn write_decimal(text: &mut String, value: i128, scale: usize) -> fmt::Result {
    let sign = if value < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let point = if scale > 0 { "." } else { "" };
    write!(text, "{sign}{whole}{point}{fraction}")
}

/// Texts, each kept once.
#[derive(Default)]
#[expect(clippy::disallowed_types, reason = "only looked up in, for each cell; never walked")]
struct Distinct {
    texts: Vec<Vec<u8>>,
    of_row: Vec<u32>,
    known: std::collections::HashMap<Vec<u8>, u32>,
}

impl Distinct {
    fn push(&mut self, text: &[u8]) {
        // Rows of one run follow each other.
        let last = self.of_row.last().copied();
        if let Some(last) = last.filter(|&last| self.texts[last as usize] == text) {
            self.of_row.push(last);
            return;
        }
        let next = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let at = self.known.get(text).copied().unwrap_or_else(|| {
            self.texts.push(text.to_vec());
            self.known.insert(text.to_vec(), next);
            next
        });
        self.of_row.push(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_their_zeros() {
        for (value, scale, text) in [
            (30109, 2, "301.09"),
            (-5, 2, "-0.05"),
            (0, 3, "0.000"),
            (17, 0, "17"),
            (-170, 1, "-17.0"),
        ] {
            let mut found = String::new();
            write_decimal(&mut found, value, scale).expect("memory");
            assert_eq!(found, text);
        }
    }
}
