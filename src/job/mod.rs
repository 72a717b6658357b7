//! One call of a command that reads runs: its settings, its inputs, and their result.
//!
//! The form of the settings (flags, keyword arguments) and the source of the runs (files, tables in memory) are left to the
//! caller: the same settings over the same runs give the same report.

mod case;
mod listing;
mod planning;
mod reduction;
mod settings_file;

use crate::analysis::of_plan;
use crate::builds::Build;
use crate::error::Error;
use crate::format::{plain, with_unit};
use crate::policy::{Base, NoiseFrom, Policy, Selected, Settings, Slo};
use crate::read::{Loaded, Options, Purpose};
use crate::runs::Dataset;
use crate::stats::{Across, Method};

pub use crate::plan::Request;
pub use case::{Case, parse_look};
pub use listing::{listing, listing_of_formats};
pub use planning::{parse_effect, parse_noise, parse_power, parse_prior_df};
pub use reduction::Stated;
pub use settings_file::SettingsFile;

/// Options for reading runs that a policy file does not have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The user's metrics; only they are reported, and all of them decide. Empty: all metrics.
    pub metrics: Vec<Selected>,
    /// Columns, tags or folders in which repeats may differ.
    pub pool: Vec<String>,
    /// Settings in which the variants differ on purpose.
    pub across_setting: Vec<String>,
    /// Iterations of one process count as runs.
    pub iterations: bool,
    /// Skip files that cannot be read, and list them.
    pub lenient: bool,
}

/// The source of a call's runs.
pub trait Source {
    /// The inputs as named by the user; tables in memory by their names in messages.
    fn inputs(&self) -> &[String];

    /// Reads all runs.
    ///
    /// # Errors
    ///
    /// Those of [`crate::read::load`].
    fn load(&self, options: &Options) -> Result<Loaded, Error>;

    /// Reads the earlier runs in `folder`.
    ///
    /// # Errors
    ///
    /// Those of [`crate::history::load`].
    fn history(&self, folder: &str, loaded: &Loaded) -> Result<Dataset, Error>;
}

/// The settings of a call.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// How the runs are read.
    pub reading: Reading,
    /// The user's settings over the defaults.
    pub typed: Settings,
    /// The settings of the policy file over the defaults of the command.
    pub file: Settings,
    /// Both together: the user's settings override the file.
    pub settings: Settings,
}

impl Job {
    /// A call; `given` writes the user's settings over other settings.
    ///
    /// # Errors
    ///
    /// Errors of `given`.
    pub fn new(
        reading: Reading,
        file: Settings,
        given: impl Fn(Settings) -> Result<Settings, Error>,
    ) -> Result<Self, Error> {
        let typed = given(Settings::default())?;
        let mut settings = given(file.clone())?;
        // Guards from both count.
        settings.policy.guards = [&file.policy.guards[..], &typed.policy.guards].concat();
        settings.policy.selected = Selected::each_once(&reading.metrics);
        Ok(Self { reading, typed, file, settings })
    }

    /// How the inputs are read.
    pub fn options(&self) -> Options {
        let Self { reading, settings, .. } = self;
        let limits = &settings.policy.slo;
        let rates =
            Slo::THROUGHPUTS.iter().filter(|_| !limits.is_empty()).map(|name| (*name).to_owned());
        let limited = limits.iter().map(|limit| limit.metric.clone()).chain(rates);
        let limited: Vec<String> = limited.collect();
        Options {
            variant_column: settings.variant_columns.clone(),
            run_column: settings.run_columns.clone(),
            pair_column: settings.pair_column.clone(),
            purpose: Purpose::Comparison,
            base: None,
            pool: reading.pool.clone(),
            across_setting: reading.across_setting.clone(),
            iterations: reading.iterations,
            metrics: reading.metrics.iter().map(|metric| metric.name.clone()).collect(),
            guards: [&settings.policy.guards[..], &limited].concat(),
            by: Vec::new(),
            order_by: None,
            in_order: false,
            along: settings.policy.along.clone(),
            lenient: reading.lenient,
        }
    }

    /// How the inputs of a comparison are read.
    pub fn options_of_comparison(&self) -> Options {
        Options {
            base: self.typed.baseline.as_ref().and_then(Base::label).map(str::to_owned),
            order_by: self.typed.order_by.clone(),
            in_order: self.settings.baseline == Some(Base::Previous),
            ..self.options()
        }
    }

    /// How inputs are read whose builds are not compared: repeats, nights, runs to keep.
    pub fn options_of_repeats(&self) -> Options {
        Options { purpose: Purpose::Repeats, ..self.options() }
    }

    /// The policy for judging these runs, except for their looks.
    pub fn policy_of(&self, loaded: &Loaded) -> Policy {
        let policy = self.settings.policy.clone();
        match &loaded.made[..] {
            [journal] => of_plan(journal, policy),
            _ => policy,
        }
    }

    /// The baseline: the user's, or else the policy file's, if that is no label that the inputs lack.
    pub fn baseline_in(&self, dataset: &Dataset) -> Option<Base> {
        let known = dataset.variant_names();
        let fits = |base: &Base| base.label().is_none_or(|label| known.contains(&label));
        self.typed.baseline.clone().or_else(|| self.file.baseline.clone().filter(fits))
    }

    /// The folder of earlier runs: the user's, or else the policy file's if this policy can use it.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for contradictory settings.
    pub fn history_folder(&self, policy: &Policy) -> Result<Option<String>, Error> {
        let of_file = || self.file.history.clone().filter(|_| can_borrow(policy));
        let folder = self.typed.history.clone().or_else(of_file);
        check_consistent(policy, folder.as_deref())?;
        Ok(folder)
    }
}

/// Whether this policy can use noise from other runs.
fn can_borrow(policy: &Policy) -> bool {
    policy.across == Across::MEAN
        && !policy.paired
        && matches!(policy.method, Method::Calibrated | Method::Welch)
        && matches!(policy.noise, NoiseFrom::Auto | NoiseFrom::Batch)
}

/// Refuses options that contradict each other.
fn check_consistent(policy: &Policy, history: Option<&str>) -> Result<(), Error> {
    if history.is_some() && !can_borrow(policy) {
        return Err(Error::usage(
            "expected --history with the mean, the calibrated or welch method and --noise auto or batch, \
             found another choice of these",
            "leave out --history, or the option that cannot use it",
        ));
    }
    if policy.paired && policy.across.has_rank_interval() {
        return Err(Error::usage(
            "expected the mean, the median or a quantile over pairs, found the Hodges-Lehmann centre, which \
             is one of unpaired runs",
            "leave out --paired, or give --across median",
        ));
    }
    Ok(())
}

/// The value of the metric that leads, of the first run of the first build, in words.
pub fn leading_value(dataset: &Dataset, policy: &Policy) -> Option<String> {
    let build = dataset.groups.iter().flat_map(Build::all).next()?;
    let chosen = build.metrics(policy);
    let metric = chosen.deciding().first()?;
    let value = *build.values(&metric.name)?.values.first()?;
    Some(format!("{} {}", metric.label, with_unit(&plain(value), metric.unit.symbol())))
}
