//! Inputs: the flags that name the runs and how they are read.

use clap::ValueEnum;

use beyondnoise::job::Reading;
use beyondnoise::policy::Selected;

use crate::cli::settings::{ConfigArgs, Named, READING, SettingFlags};

/// The inputs, for every command that reads runs
#[derive(Debug, clap::Args)]
pub(super) struct InputArgs {
    /// Files, folders, globs or - for standard input; NAME=PATH gives all runs in PATH to NAME
    #[arg(required = true, value_name = "INPUT")]
    pub(super) inputs: Vec<String>,

    #[command(flatten)]
    pub(super) columns: SettingFlags<Self>,

    /// Columns, tags or folders in which repeats may differ (default: other values are other settings)
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = READING)]
    pub(super) pool: Vec<String>,

    /// Settings in which the variants differ intentionally, such as model
    #[arg(long, value_name = "SETTINGS", value_delimiter = ',', help_heading = READING)]
    pub(super) across_setting: Vec<String>,

    /// The repeat: a whole run, or an iteration inside one process [default: run]
    #[arg(long, value_enum, value_name = "UNIT", help_heading = READING)]
    pub(super) unit: Option<UnitArg>,

    /// Judge this metric only, optionally with its direction; may be repeated
    #[arg(long, alias = "metrics", value_name = "NAME[:lower|:higher]", value_parser = str::parse::<Selected>)]
    pub(super) metric: Vec<Selected>,

    /// Skip files that cannot be read, and list them in the report
    #[arg(long, help_heading = READING)]
    pub(super) lenient: bool,

    #[command(flatten)]
    pub(super) config: ConfigArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum UnitArg {
    /// A whole run: its process, server or start is new
    Run,
    /// An iteration of one process; differences between processes are then not part of the noise
    Iteration,
}

impl Named for InputArgs {
    const NAME: &'static str = "inputs";
}

impl InputArgs {
    /// How the inputs are read, by these flags alone.
    pub(super) fn reading(&self) -> Reading {
        Reading {
            metrics: self.metric.clone(),
            pool: self.pool.clone(),
            across_setting: self.across_setting.clone(),
            iterations: self.unit == Some(UnitArg::Iteration),
            lenient: self.lenient,
        }
    }
}
