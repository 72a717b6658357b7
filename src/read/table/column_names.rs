//! Names of the columns that every table may have, lower case, in the order in which they are looked for.

use crate::kit::fields;
#[cfg(feature = "tables")]
use crate::reader::Options;
use crate::table::request_names::{Kind, Role, role_of};
#[cfg(feature = "tables")]
use crate::table::role_words::RUN;

pub(crate) const VARIANT: &[&str] = &[
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
    "engine_version",
    "release",
    "build_id",
    "build id",
    "git_commit",
    "git_sha",
    "commit_sha",
    "sha",
    "变体",
    "版本",
    "方案",
];
pub(crate) const PAIR: &[&str] = &["pair", "pair_id"];
pub(crate) const METRIC: &[&str] = &["metric", "measure", "measurement", "指标"];
pub(crate) const VALUE: &[&str] = &["value", "val", "result", "数值"];
pub(crate) const UNIT: &[&str] = &["unit", "units", "单位"];

/// Columns of the tidy table that describe a value rather than the run.
const OF_VALUE: &[&str] = &["resolution", "source", "row", "better", "direction"];

/// Whether a column describes a value rather than the run.
pub(crate) fn is_of_value(name: &str) -> bool {
    OF_VALUE.contains(&name) || UNIT.contains(&name.to_lowercase().as_str())
}

/// Whether a column of these names a variant, a run or a setting, by its name.
#[cfg(feature = "tables")]
pub(crate) fn names_runs(headers: &[String], options: &Options) -> bool {
    let given: Vec<&String> = options
        .variant_column
        .iter()
        .chain(&options.run_column)
        .chain(&options.pair_column)
        .collect();
    headers.iter().any(|header| {
        let lower = header.to_lowercase();
        let known = |names: &&[&str]| names.contains(&lower.as_str());
        given.contains(&header)
            || [VARIANT, RUN, PAIR, METRIC].iter().any(known)
            || is_setting(header)
    })
}

/// Whether a column is a setting of the load, which runs of one variant may have several of.
pub(crate) fn is_setting(name: &str) -> bool {
    let tokens = matches!(role_of(name), Role::Value(Kind::InputTokens | Kind::OutputTokens));
    !tokens && fields::field_of_column(name).is_some_and(fields::is_setting)
}

/// Whether the columns are those that `convert` writes: all others hold settings.
pub(crate) fn is_tidy(headers: &[String]) -> bool {
    headers.iter().any(|header| header == "resolution")
}

/// Names of columns of things that are compared with each other, where nothing else names the variants.
pub(crate) const SYSTEMS: &[&str] = &[
    "framework",
    "engine",
    "backend",
    "implementation",
    "impl",
    "runtime",
    "system",
    "server",
    "library",
    "software",
    "method",
    "kernel",
    "框架",
    "引擎",
    "后端",
    "实现",
    "方法",
    "推理框架",
    "推理引擎",
    "フレームワーク",
    "エンジン",
    "バックエンド",
    "프레임워크",
    "엔진",
];

/// Name that pandas gives the index of a data frame.
const UNNAMED: &str = "Unnamed: 0";

/// Whether a column has no name.
pub(crate) fn is_unnamed(name: &str) -> bool {
    matches!(name, "" | UNNAMED)
}

/// Whether a name is that of a size of a tensor, `M`, `HQ`. `A` may be a build.
pub(crate) fn is_dimension(name: &str) -> bool {
    let name = name.trim();
    (1..3).contains(&name.len()) && name != "A" && name.bytes().all(|c| c.is_ascii_uppercase())
}

/// Whether columns of a table are named by the sizes of tensors, two or more.
pub(crate) fn has_dimensions(names: &[String]) -> bool {
    names.iter().filter(|name| is_dimension(name)).count() > 1
}
