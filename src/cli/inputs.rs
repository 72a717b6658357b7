//! Inputs: the flags that name the runs and how they are read.

use clap::ValueEnum;

use beyondnoise::metrics::Metric;
use beyondnoise::policy::{Selected, Settings, Slo};
use beyondnoise::read::Options;
use beyondnoise::sanitize::printable;
use beyondnoise::units::Better;

use crate::cli::settings::{ConfigArgs, Named, SettingFlags};

/// The inputs, for every command that reads runs
#[derive(Debug, clap::Args)]
pub(super) struct InputArgs {
    /// Files, folders, globs or - for standard input; NAME=PATH gives all runs in PATH to NAME
    #[arg(required = true, value_name = "INPUT")]
    pub(super) inputs: Vec<String>,

    #[command(flatten)]
    pub(super) columns: SettingFlags<Self>,

    /// Columns, tags or folders in which repeats may differ (default: other values are other settings)
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(super) pool: Vec<String>,

    /// Settings in which the variants differ intentionally, such as model
    #[arg(long, value_name = "SETTINGS", value_delimiter = ',')]
    pub(super) across_setting: Vec<String>,

    /// The repeat: a whole run, or an iteration inside one process [default: run]
    #[arg(long, value_enum, value_name = "UNIT")]
    pub(super) unit: Option<UnitArg>,

    /// Judge this metric only, optionally with its direction; may be repeated
    #[arg(long, alias = "metrics", value_name = "NAME[:lower|:higher]", value_parser = selected)]
    pub(super) metric: Vec<Selected>,

    /// Skip files that cannot be read, and list them in the report
    #[arg(long)]
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
    /// How the inputs are read, by these flags and the settings.
    pub(super) fn options(&self, settings: &Settings) -> Options {
        let limits = &settings.policy.slo;
        let rates =
            Slo::THROUGHPUTS.iter().filter(|_| !limits.is_empty()).map(|name| (*name).to_owned());
        let limited = limits.iter().map(|limit| limit.metric.clone()).chain(rates);
        let limited: Vec<String> = limited.collect();
        Options {
            variant_column: settings.variant_columns.clone(),
            run_column: settings.run_columns.clone(),
            pair_column: settings.pair_column.clone(),
            base: None,
            pool: self.pool.clone(),
            across_setting: self.across_setting.clone(),
            iterations: self.unit == Some(UnitArg::Iteration),
            metrics: self.metric.iter().map(|metric| metric.name.clone()).collect(),
            guards: [&settings.policy.guards[..], &limited].concat(),
            by: Vec::new(),
            order_by: None,
            in_order: false,
            along: settings.policy.along.clone(),
            lenient: self.lenient,
        }
    }

    /// The metrics named, each once; of several directions the last one counts.
    pub(super) fn selected(&self) -> Vec<Selected> {
        let mut selected: Vec<Selected> = Vec::new();
        for metric in &self.metric {
            let name = Metric::of_column(&metric.name).0.name;
            match selected.iter_mut().find(|known| known.name == name) {
                Some(known) => known.better = metric.better.or(known.better),
                None => selected.push(Selected { name, better: metric.better }),
            }
        }
        selected
    }
}

fn selected(text: &str) -> Result<Selected, String> {
    let (name, better) = match text.rsplit_once(':') {
        // `request_goodput:` is a key of old result files.
        None | Some((_, "")) => (text, None),
        Some((name, "lower")) => (name, Some(Better::Lower)),
        Some((name, "higher")) => (name, Some(Better::Higher)),
        Some((_, other)) => {
            return Err(format!("expected lower or higher after the colon, not {other}"));
        }
    };
    // The names in files are escaped in the same way.
    let name = printable(name).into_owned();
    if name.is_empty() {
        return Err("expected the name of a metric".to_owned());
    }
    Ok(Selected { name, better })
}
