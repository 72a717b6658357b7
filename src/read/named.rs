//! The metrics of a table: what their names stand for, and their values.

use std::sync::Arc;

use crate::error::Error;
use crate::read::cell::is_share_of_unit;
use crate::read::fields::{self, Fact, Number};
use crate::read::records::{Line, Table};
use crate::read::short;
use crate::read::units::{Conversion, Stated};
use crate::runs::{Run, Value};

/// A name of a metric as the table has it, and what it stands for.
pub(super) struct Named {
    name: String,
    /// A fact such as the number of failed requests may stand among the metrics.
    pub(super) fact: Option<Fact>,
    pub(super) metric: Arc<str>,
    /// What takes the values to the unit of the metric.
    conversion: Conversion,
    /// The unit that the last row stated, if rows do: this is for it.
    unit: Option<String>,
}

impl Named {
    pub(super) fn of(name: &str) -> Self {
        let fact = fields::fact_of_column(name).filter(|_| name != "concurrency");
        let conversion = fields::conversion_of_column(name);
        let metric = fields::metric_of_column(name).name.into();
        Self { name: name.to_owned(), fact, metric, conversion, unit: None }
    }

    /// A name that stands for itself, since the metric has a column of its own.
    pub(super) fn apart(name: &str) -> Self {
        Self { metric: name.into(), conversion: Conversion::NONE, ..Self::of(name) }
    }

    /// Takes values in the unit that a row states from here on.
    pub(super) fn in_unit(
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
pub(super) fn put(
    table: &Table,
    row: Line,
    run: &mut Run,
    Named { name, fact, metric, conversion, .. }: &Named,
    text: &str,
    resolution: Option<f64>,
) -> Result<(), Error> {
    let wrong = |what: &str| {
        let problem = format!("expected {what} for \"{name}\", found \"{}\"", short(text));
        let remedy = "correct the cell, or empty it where nothing was measured; a column that is no \
                      metric is left out by naming the metrics with --metric";
        table.at(row.number, problem, remedy)
    };
    // What is known to a resolution was measured, whatever its name.
    if let Some(fact) = fact.filter(|_| resolution.is_none()) {
        return if fields::set(run, fact, name, text) { Ok(()) } else { Err(wrong("a count")) };
    }
    // What pandas writes where nothing was measured.
    if text.eq_ignore_ascii_case("nan") {
        return Ok(());
    }
    if is_share_of_unit(text, metric) {
        return Err(wrong("a number in the unit of the metric"));
    }
    let Some(Number { value, resolution: printed }) = fields::number(text) else {
        return Err(wrong("a number"));
    };
    if !value.is_finite() {
        return Err(wrong("a finite number"));
    }
    let resolution = resolution.unwrap_or(printed);
    let (value, resolution) = (conversion.apply(value), conversion.apply(resolution));
    run.metrics.insert(Arc::clone(metric), Value { value, resolution });
    Ok(())
}
