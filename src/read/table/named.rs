//! The metrics of a table: their names and values.

use std::sync::Arc;

use crate::error::Error;
use crate::read::cell_value::{self, is_share_of_unit};
use crate::read::fields::{self, Number, RunField};
use crate::read::table::column_rules::{every_metric_once, field_of, is_apart};
use crate::read::table::records::{Line, Table};
use crate::read::table::roles::{Role, Roles, given, position};
use crate::read::units::{Conversion, Stated};
use crate::read::unmeasured::not_measured;
use crate::read::{Options, short};
use crate::runs::{Run, Value};

/// A name of a metric as the table has it, and its meaning.
pub(in crate::read) struct Named {
    name: String,
    /// A field such as the number of failed requests may be among the metrics.
    pub(in crate::read) field: Option<RunField>,
    pub(in crate::read) metric: Arc<str>,
    /// Conversion to the unit of the metric.
    conversion: Conversion,
    /// The unit that the last row stated, if rows do: this is for it.
    unit: Option<String>,
}

impl Named {
    pub(in crate::read) fn parse(name: &str) -> Self {
        let field = fields::field_of_column(name).filter(|_| name != "concurrency");
        let conversion = fields::conversion_of_column(name);
        let metric = fields::metric_of_column(name).name.into();
        Self { name: name.to_owned(), field, metric, conversion, unit: None }
    }

    /// A name taken literally, since the metric has its own column.
    pub(in crate::read) fn literal(name: &str) -> Self {
        Self { metric: name.into(), conversion: Conversion::NONE, ..Self::parse(name) }
    }

    /// A value in the unit of the metric.
    pub(in crate::read) fn convert(&self, value: f64) -> f64 {
        self.conversion.apply(value)
    }

    /// Takes values in the unit that a row states from here on.
    pub(in crate::read) fn in_unit(
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

/// Position and name of each metric in the wide layout: the columns that the user names, or else all that are measured.
pub(in crate::read) fn wide_metrics(
    table: &Table,
    roles: &Roles,
    options: &Options,
) -> Result<Vec<(usize, Named)>, Error> {
    let headers = &table.headers;
    let mut wide: Vec<(usize, String)> = Vec::new();
    for name in &options.metrics {
        // It may be there in another unit.
        let metric = fields::metric_of_column(name).name;
        let same = |header: &String| fields::metric_of_column(header).name == metric;
        let at = position(headers, name).or_else(|| headers.iter().position(same));
        let at = at.map_or_else(|| given(table, name), Ok)?;
        wide.push((at, headers[at].clone()));
    }
    for (index, name) in headers.iter().enumerate() {
        let wanted = if options.metrics.is_empty() {
            roles.role(index) == Role::Measured
        } else {
            options.guards.contains(&fields::metric_of_column(name).name)
                && !wide.iter().any(|(known, _)| *known == index)
        };
        if wanted {
            wide.push((index, name.clone()));
        }
    }
    if options.metrics.is_empty() {
        every_metric_once(table, &wide)?;
    }
    if wide.is_empty() {
        return Err(no_metric(table));
    }
    let named = |(index, name): &(usize, String)| {
        let mut metric =
            if is_apart(&wide, name) { Named::literal(name) } else { Named::parse(name) };
        let measured = roles.role(*index) == Role::Measured;
        metric.field = metric.field.filter(|_| field_of(table, *index).is_some() && !measured);
        (*index, metric)
    };
    Ok(wide.iter().map(named).collect())
}

/// That no column is a metric; a rate that is read as a setting may be what was measured.
fn no_metric(table: &Table) -> Error {
    if let Some((problem, remedy)) = not_measured(table) {
        return table.no_result(problem, remedy);
    }
    let problem = format!(
        "expected columns \"metric\" and \"value\", or a column of numbers per metric, found {}",
        table.listed()
    );
    let limit = |index: &usize| {
        let field = field_of(table, *index);
        matches!(field, Some(RunField::RequestRate | RunField::Requests))
            && table.is_numeric(*index)
    };
    let Some(limit) = (0..table.headers.len()).find(limit) else {
        return table.no_result(problem, "name the columns with --metric");
    };
    let name = short(&table.headers[limit]);
    let remedy = format!(
        "\"{name}\" is read as a setting of the load: if it was measured, name it with --metric \"{name}:higher\""
    );
    table.no_result(problem, &remedy)
}

/// Notes one value.
pub(in crate::read) fn put(
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
