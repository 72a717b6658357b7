//! A column of a Parquet file into cells.

use std::cell::OnceCell;
use std::fmt::Write;

use polars::prelude::{AnyValue, Column, DataType, TimeUnit};

/// The cells of a column in some rows.
#[derive(Default)]
pub(crate) struct Cells {
    column: Column,
    /// A number a row, NaN where there is none, where the column holds numbers.
    pub(crate) numbers: Option<Vec<f64>>,
    ticks: i32,
    texts: OnceCell<Texts>,
}

/// The texts of all rows, one behind the other, with the end of each.
#[derive(Default)]
struct Texts {
    all: String,
    ends: Vec<usize>,
}

impl Cells {
    /// `ticks` is the power of ten to the unit of the column, where it counts time.
    pub(crate) fn new(column: &Column, ticks: Option<i32>) -> Self {
        let ticks = ticks.unwrap_or(0);
        let column = match column.dtype() {
            DataType::Duration(_) => column.to_physical_repr(),
            // Shown in UTC.
            DataType::Datetime(unit, Some(_)) => {
                column.cast(&DataType::Datetime(*unit, None)).unwrap_or_else(|_| column.clone())
            }
            _ => column.clone(),
        };
        let numbers = numbers(&column).map(|mut numbers| {
            if ticks != 0 {
                for number in &mut numbers {
                    *number *= 10f64.powi(ticks);
                }
            }
            numbers
        });
        Self { column, numbers, ticks, texts: OnceCell::new() }
    }

    /// Whether some values are bytes that are no text.
    pub(crate) fn is_no_text(&self) -> bool {
        let no_text = |bytes: Option<&[u8]>| bytes.is_some_and(|b| std::str::from_utf8(b).is_err());
        self.column.binary().is_ok_and(|bytes| bytes.iter().any(no_text))
    }

    /// The text of a cell, as a CSV file would have it: a whole number of a column of decimals with its decimals.
    pub(crate) fn text(&self, row: usize) -> &[u8] {
        let Texts { all, ends } = self.texts.get_or_init(|| self.texts());
        let start = if row == 0 { 0 } else { ends[row - 1] };
        &all.as_bytes()[start..ends[row]]
    }

    fn texts(&self) -> Texts {
        let mut texts = Texts::default();
        if let Ok(values) = self.column.str() {
            for text in values.iter() {
                texts.all.push_str(text.unwrap_or_default().trim());
                texts.ends.push(texts.all.len());
            }
            return texts;
        }
        let whole = self.whole_numbers();
        if let Some(values) = whole.as_ref().and_then(|column| column.i64().ok()) {
            for value in values.iter() {
                if let Some(value) = value {
                    write!(texts.all, "{value}").expect("writing to a String cannot fail");
                }
                texts.ends.push(texts.all.len());
            }
            return texts;
        }
        for row in 0..self.column.len() {
            self.add_text(row, &mut texts.all);
            texts.ends.push(texts.all.len());
        }
        texts
    }

    /// The column as 64-bit integers, where it counts no time and all its numbers are such.
    fn whole_numbers(&self) -> Option<Column> {
        if self.ticks != 0 || !self.column.dtype().is_integer() {
            return None;
        }
        let whole = self.column.cast(&DataType::Int64).ok()?;
        (whole.null_count() == self.column.null_count()).then_some(whole)
    }

    fn add_text(&self, row: usize, all: &mut String) {
        let done = match self.column.get(row) {
            Err(_) | Ok(AnyValue::Null) => Ok(()),
            Ok(AnyValue::Binary(bytes)) => all.write_str(of_bytes(bytes)),
            // Of a column of one row.
            Ok(AnyValue::BinaryOwned(bytes)) => all.write_str(of_bytes(&bytes)),
            Ok(AnyValue::Float64(value)) => write!(all, "{value:?}"),
            Ok(AnyValue::Float32(value)) => write!(all, "{value:?}"),
            Ok(AnyValue::Decimal(value, _, scale)) => all.write_str(&decimal(value, scale)),
            Ok(time) if !is_in_the_calendar(&time) => Ok(()),
            Ok(other) if self.ticks != 0 => write!(all, "{other}e{}", self.ticks),
            Ok(other) => write!(all, "{other}"),
        };
        done.expect("writing to a String cannot fail");
    }
}

fn of_bytes(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default().trim()
}

/// Whether a date or time can be shown: a damaged value may be outside all calendars, and polars panics then.
fn is_in_the_calendar(value: &AnyValue) -> bool {
    const DAY: i64 = 24 * 60 * 60;
    // Ten thousand years on either side of 1970.
    const DAYS: i64 = 3_652_425;
    let within = |ticks: i64, unit: TimeUnit| {
        let a_second = match unit {
            TimeUnit::Nanoseconds => 1_000_000_000,
            TimeUnit::Microseconds => 1_000_000,
            TimeUnit::Milliseconds => 1_000,
        };
        (ticks / a_second).abs() <= DAYS * DAY
    };
    match value {
        AnyValue::Date(days) => i64::from(*days).abs() <= DAYS,
        AnyValue::Datetime(ticks, unit, _) | AnyValue::DatetimeOwned(ticks, unit, _) => {
            within(*ticks, *unit)
        }
        AnyValue::Time(nanoseconds) => (0..DAY * 1_000_000_000).contains(nanoseconds),
        _ => true,
    }
}

/// The numbers of a column that holds such.
fn numbers(column: &Column) -> Option<Vec<f64>> {
    if let Ok(values) = column.f32() {
        // The number that is written, not the nearest one of less precision.
        let number = |value: f32| value.to_string().parse().unwrap_or_else(|_| f64::from(value));
        return Some(values.iter().map(|value| value.map_or(f64::NAN, number)).collect());
    }
    if !column.dtype().is_primitive_numeric() {
        return None;
    }
    let values = column.cast(&DataType::Float64).ok()?;
    let values = values.f64().ok()?;
    Some(values.iter().map(|value| value.unwrap_or(f64::NAN)).collect())
}

/// A whole number with its last `scale` digits behind the point.
fn decimal(value: i128, scale: usize) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let point = if scale > 0 { "." } else { "" };
    format!("{sign}{whole}{point}{fraction}")
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
            assert_eq!(decimal(value, scale), text);
        }
    }
}
