//! Tables with a record per run or per value: CSV, TSV, flat JSON lines, Parquet.
//!
//! Two layouts are understood. *Long*: a column that names the metric and one with its value. *Wide*: a
//! row is a run and every numeric column that is not a setting is a metric. Rows may also be requests inside
//! runs (`request_rows` has the rule); they are reduced to their run. Columns are found by name or given by the
//! user; nothing is skipped, since a dropped row would bias the comparison.

pub(crate) mod averages;
pub(crate) mod chunks;
pub(crate) mod column_names;
pub(crate) mod column_rules;
pub(crate) mod column_uses;
pub(crate) mod columns;
pub(crate) mod csv;
pub(crate) mod delimited;
pub(crate) mod design;
pub(crate) mod figure_columns;
pub(crate) mod flat_json;
pub(crate) mod found;
pub(crate) mod json_lines;
pub(crate) mod layout;
pub(crate) mod long_rows;
pub(crate) mod named;
pub(crate) mod nested_json;
#[cfg(not(feature = "tables"))]
pub(crate) mod no_parquet;
pub(crate) mod outcomes;
pub(crate) mod own_reports;
#[cfg(feature = "tables")]
pub(crate) mod parquet;
pub(crate) mod pasted;
pub(crate) mod records;
pub(crate) mod reduce;
pub(crate) mod request_columns;
pub(crate) mod request_log;
pub(crate) mod request_names;
pub(crate) mod request_rows;
pub(crate) mod role;
pub(crate) mod role_words;
pub(crate) mod roles;
pub(crate) mod row_settings;
pub(crate) mod rows;
pub(crate) mod spreads;
pub(crate) mod systems;
pub(crate) mod tidy;
pub(crate) mod units;
pub(crate) mod unmeasured;
pub(crate) mod values;
