//! The metrics of a table: their names and values.

use std::sync::Arc;

use crate::kit::cell_value::{self, is_share_of_unit};
use crate::kit::fields::{self, Number, RunField};
use crate::kit::short;
use crate::table::outcomes::{fail, is_failure};
use crate::table::records::{Line, Table};
use crate::table::units::Stated;
use beyondnoise_model::error::Error;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{Run, Value};
use beyondnoise_model::units::Conversion;

/// A name of a metric as the table has it, and its meaning.
pub(crate) struct Named {
    name: String,
    /// A field such as the number of failed requests may be among the metrics.
    pub(crate) field: Option<RunField>,
    pub(crate) metric: Arc<str>,
    /// Conversion to the unit of the metric.
    conversion: Conversion,
    /// The unit that the last row stated, if rows do: this is for it.
    unit: Option<String>,
}

impl Named {
    pub(crate) fn parse(name: &str) -> Self {
        // Numbers that clients write beside their results may be what a table is about.
        let of_client =
            |field: &RunField| *field == RunField::Ignored && meaning(name).says == Says::Measured;
        let field = fields::field_of_column(name)
            .filter(|field| name != "concurrency" && !of_client(field));
        let conversion = fields::conversion_of_column(name);
        let metric = fields::metric_of_column(name).name.into();
        Self { name: name.to_owned(), field, metric, conversion, unit: None }
    }

    /// A name taken literally, since the metric has its own column.
    pub(crate) fn literal(name: &str) -> Self {
        Self { metric: name.into(), conversion: Conversion::NONE, ..Self::parse(name) }
    }

    /// A value in the unit of the metric.
    pub(crate) fn convert(&self, value: f64) -> f64 {
        self.conversion.apply(value)
    }

    /// Takes values in the unit that a row states from here on.
    pub(crate) fn in_unit(
        &mut self,
        table: &Table,
        row: Line,
        unit: &str,
        stated: &mut Stated,
    ) -> Result<(), Error> {
        if self.unit.as_deref() != Some(unit) {
            self.conversion = stated.conversion(table, row, (&self.name, &self.metric), unit)?;
            self.unit = Some(unit.to_owned());
        }
        Ok(())
    }
}

/// Notes one value.
pub(crate) fn put(
    table: &Table,
    row: Line,
    run: &mut Run,
    Named { name, field, metric, conversion, .. }: &Named,
    text: &str,
    resolution: Option<f64>,
) -> Result<(), Error> {
    let wrong = |what: &str| {
        let problem = format!("expected {what} for \"{name}\", found \"{}\"", short(text));
        let remedy = "fix the cell, or leave it empty if nothing was measured; if the column is not a metric, name the metrics with --metric";
        table.at(row.number, problem, remedy)
    };
    // A value with a resolution was measured, whatever its name.
    if let Some(field) = field.filter(|_| resolution.is_none()) {
        return if fields::set(run, field, name, text) { Ok(()) } else { Err(wrong("a count")) };
    }
    // Words of people and programs for a missing value.
    if cell_value::is_nothing(text) {
        return Ok(());
    }
    if is_share_of_unit(text, metric) {
        return Err(wrong("a number in the unit of the metric"));
    }
    if is_failure(text) {
        fail(run, name, text);
        return Ok(());
    }
    let Some(Number { value, resolution: printed }) = fields::number(text) else {
        return Err(wrong("a number"));
    };
    if !value.is_finite() {
        fail(run, name, text);
        return Ok(());
    }
    let resolution = resolution.unwrap_or(printed);
    let (value, resolution) = (conversion.apply(value), conversion.apply(resolution));
    run.metrics.insert(Arc::clone(metric), Value { value, resolution });
    Ok(())
}
