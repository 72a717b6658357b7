//! Units as tables state them.
//!
//! A metric of the registry is kept in the registry's unit. Any other is kept in the unit that its first value
//! states; values in another unit of the same kind are converted, and where that is not possible it is an error:
//! 100 ms and 0.2 s are never compared as 100 and 0.2.

use beyondnoise_model::units::{Conversion, Scale};
use std::collections::BTreeMap;

use crate::kit::{fields, short};
use crate::table::records::{Line, Table};
use beyondnoise_model::error::Error;
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::units::Unit;

/// The unit of each metric of a table, as its rows state it.
#[derive(Default)]
pub(crate) struct Stated {
    /// By metric: the unit in which it is kept.
    kept: BTreeMap<String, String>,
}

impl Stated {
    /// Conversion of a value of `metric`, in the column `name` of a row with `unit`, to the unit of the metric.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for a unit that is of another kind than that of other rows or of the metric.
    pub(crate) fn conversion(
        &mut self,
        table: &Table,
        row: Line,
        (name, metric): (&str, &str),
        unit: &str,
    ) -> Result<Conversion, Error> {
        let own = fields::unit_of(metric);
        let of_name = Metric::of_column(name).1.symbol();
        let unit = if unit.trim().is_empty() { of_name } else { unit.trim() };
        let scale = Scale::parse(unit);
        let remedy = "write one unit for all values of a metric, or units that can be converted, such as ms and s";
        let differs = |expected: &str| {
            let found =
                if unit.is_empty() { "no unit".to_owned() } else { format!("\"{}\"", short(unit)) };
            let problem = format!("expected \"{}\" in {expected}, found {found}", short(name));
            table.at(row.number, problem, remedy)
        };
        if let Some((own, scale)) = Scale::of_unit(own).zip(scale)
            && !own.is_alike(scale)
        {
            return Err(differs(&format!(
                "{} or a unit of the same kind",
                fields::unit_of(metric)
            )));
        }
        let kept = self.kept.entry(metric.to_owned()).or_insert_with(|| {
            let known = scale.is_some() && own != Unit::None;
            if known { own.symbol() } else { unit }.to_owned()
        });
        if kept == unit {
            return Ok(Conversion::NONE);
        }
        let to = scale.zip(Scale::parse(kept)).and_then(|(from, to)| from.to(to));
        to.ok_or_else(|| {
            let other = if kept.is_empty() { "no unit" } else { kept };
            differs(&format!("{} as in other rows", short(other)))
        })
    }

    /// The units of metrics for which the registry has none, or another one.
    pub(crate) fn of_runs(self) -> BTreeMap<String, String> {
        let mut kept = self.kept;
        kept.retain(|metric, unit| !unit.is_empty() && fields::unit_of(metric).symbol() != unit);
        kept
    }
}
