//! The role of a column.

use crate::kit::fields::{RunField, is_setting};
use beyondnoise_model::runs::ColumnUse;

/// Role of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Names the variant, alone or with others.
    Variant,
    /// Names the run, or a level of repeats.
    Run,
    Pair,
    /// Identifies runs, and has no other effect.
    Identity,
    /// A setting of the load with its own field, or another field of the run.
    RunField(RunField),
    /// Any other setting: rows that differ in it are no repeats.
    Factor,
    Measured,
    Remark,
    /// How a run or its requests ended.
    Outcome,
    /// Of the long layout: the name of the metric, its value, what belongs to the value.
    Metric,
    Value,
    OfValue,
    /// Without a name or a cell.
    Empty,
}

impl Role {
    /// As reports name it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Variant => "variant",
            Self::Run | Self::Pair | Self::Identity | Self::RunField(RunField::Started) => {
                "identity"
            }
            Self::RunField(field) if is_setting(field) => "factor",
            Self::Factor => "factor",
            Self::RunField(RunField::Ignored) | Self::Empty => "not used",
            Self::RunField(_) => "count",
            Self::Measured | Self::Value => "measured",
            Self::Remark => "remark",
            Self::Outcome => "outcome",
            Self::Metric => "metric names",
            Self::OfValue => "of the value",
        }
    }

    /// The use of such a column.
    pub(crate) fn used(self) -> ColumnUse {
        match self {
            Self::Variant => ColumnUse::Variant,
            Self::Run => ColumnUse::Run,
            Self::Pair => ColumnUse::Pair,
            Self::Identity | Self::RunField(RunField::Started) => ColumnUse::Identity,
            Self::RunField(field) if is_setting(field) => ColumnUse::Setting,
            Self::Factor => ColumnUse::Setting,
            Self::RunField(RunField::Ignored) | Self::Remark | Self::Empty => ColumnUse::LeftOut,
            Self::RunField(_) => ColumnUse::Count,
            Self::Measured => ColumnUse::Measured,
            Self::Outcome => ColumnUse::Outcome,
            Self::Metric => ColumnUse::MetricNames,
            Self::Value => ColumnUse::Value,
            Self::OfValue => ColumnUse::OfValue,
        }
    }
}
