//! Names of the columns that every table may have, lower case, in the order in which they are looked for.

pub(super) const VARIANT: &[&str] = &[
    "variant",
    "version",
    "build",
    "branch",
    "commit",
    "arm",
    "candidate",
    "treatment",
    "label",
    "config",
    "configuration",
    "变体",
    "版本",
    "方案",
];
pub(super) const RUN: &[&str] = &[
    "run",
    "run_id",
    "rep",
    "repeat",
    "repetition",
    "iteration",
    "trial",
    "round",
    "replicate",
    "轮次",
];
pub(super) const PAIR: &[&str] = &["pair", "pair_id"];
pub(super) const METRIC: &[&str] = &["metric", "measure", "measurement", "指标"];
pub(super) const VALUE: &[&str] = &["value", "val", "result", "数值"];

/// Columns of the tidy table that say something of a value rather than of the run.
pub(super) const OF_VALUE: &[&str] =
    &["unit", "resolution", "source", "row", "better", "direction"];
