//! A comparison or a batch: its runs, and the settings for judging them.

use crate::analysis::{analyse_made, analyse_with, at_look_of, batch};
use crate::error::Error;
use crate::job::{Job, Source};
use crate::policy::{Base, PlannedLook, Policy, Settings};
use crate::read::{Loaded, Options};
use crate::report::Report;
use crate::runs::{Dataset, choose_baseline};
use crate::stats::{Look, Method};

/// A comparison or a batch, after its runs were read.
#[derive(Debug)]
pub struct Case {
    loaded: Loaded,
    history: Option<Dataset>,
    policy: Policy,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Comparison { base: Option<Base>, folder: Option<String> },
    Batch { by: Vec<String>, base: Option<Base> },
}

impl Case {
    /// Default settings of a batch: intervals by Welch's t.
    ///
    /// A long list is decided in the far tail, and a bootstrap of few runs has no tail. With 3 + 3 runs and a noise prior, the
    /// calibrated bootstrap gives 2.3 times too many p-values below 0.0001, and up to 20 % false discoveries.
    pub fn usual_of_batch() -> Settings {
        Settings {
            policy: Policy { method: Method::Welch, ..Policy::default() },
            ..Settings::default()
        }
    }

    /// The runs that were read.
    pub fn dataset(&self) -> &Dataset {
        &self.loaded.dataset
    }

    /// Whether a comparison has no label that names a baseline, and the user named none.
    pub fn lacks_baseline(&self) -> bool {
        let Kind::Comparison { base: None, .. } = &self.kind else { return false };
        let names = self.dataset().variant_names();
        let first = self.loaded.assumed_base.as_deref();
        names.len() > 1 && choose_baseline(&names, None, first).is_err()
    }

    /// Judges the runs.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if there are fewer than two variants, or if no label names the baseline.
    pub fn report(&self) -> Result<Report, Error> {
        self.judged(self.policy.clone())
    }

    /// Judges the runs with another tolerance, a fraction of 0 or more, for metrics without their own.
    ///
    /// # Errors
    ///
    /// Those of [`Case::report`].
    pub fn report_with_tolerance(&self, tolerance: f64) -> Result<Report, Error> {
        self.judged(Policy { tolerance, ..self.policy.clone() })
    }

    fn judged(&self, policy: Policy) -> Result<Report, Error> {
        let Self { loaded, history, kind, .. } = self;
        let history = history.as_ref();
        match kind {
            Kind::Batch { by, base } => batch(&loaded.dataset, history, by, base.as_ref(), &policy),
            Kind::Comparison { base, folder } => match (&loaded.made[..], folder) {
                ([journal, ..], Some(folder)) => {
                    let policy = at_look_of(journal, policy);
                    let data = (&loaded.dataset, history);
                    analyse_made(data, (journal, folder), base.as_ref(), &policy)
                }
                _ => analyse_with(
                    &loaded.dataset,
                    history,
                    base.as_ref(),
                    loaded.assumed_base.as_deref(),
                    &policy,
                ),
            },
        }
    }
}

impl Job {
    /// Reads the runs of a comparison: in pairs if `paired` or if the call names their column; `look` has the number of this look
    /// and of all planned looks.
    ///
    /// # Errors
    ///
    /// Errors of `source`, and [`Error::Usage`] for contradictory settings.
    pub fn compare(
        &self,
        paired: bool,
        look: Option<(usize, usize)>,
        source: &dyn Source,
    ) -> Result<Case, Error> {
        let paired = paired || self.typed.pair_column.is_some();
        let policy = at_planned_look(Policy { paired, ..self.settings.policy.clone() }, look);
        let history = self.history_folder(&policy)?;
        self.check_order(self.settings.baseline.as_ref())?;
        let loaded = source.load(&self.options_of_comparison())?;
        let history = history.map(|folder| source.history(&folder, &loaded)).transpose()?;
        let base = self.baseline_in(&loaded.dataset);
        let folder = match (&loaded.made[..], source.inputs()) {
            ([], _) => None,
            ([_], [folder]) if look.is_none() => Some(folder.clone()),
            _ => {
                return Err(Error::usage(
                    "expected one folder of runs with planned looks and nothing else, found more",
                    "compare it alone, without --look: its looks hold for its own runs",
                ));
            }
        };
        Ok(Case { loaded, history, policy, kind: Kind::Comparison { base, folder } })
    }

    /// Reads the runs of a batch: in pairs inside each cell if `paired` or if the call names their column.
    ///
    /// # Errors
    ///
    /// Errors of `source`, and [`Error::Usage`] for contradictory settings.
    pub fn batch(&self, paired: bool, source: &dyn Source) -> Result<Case, Error> {
        let paired = paired || self.typed.pair_column.is_some();
        let policy = Policy { paired, ..self.settings.policy.clone() };
        let history = self.history_folder(&policy)?;
        let base = self.settings.batch_base.clone();
        self.check_order(base.as_ref())?;
        let (by, in_order) = (self.settings.cell_columns.clone(), base == Some(Base::Previous));
        let options = Options {
            by: by.clone(),
            order_by: self.settings.order_by.clone().filter(|_| in_order),
            in_order,
            base: self.typed.batch_base.as_ref().and_then(Base::label).map(str::to_owned),
            ..self.options()
        };
        let loaded = source.load(&options)?;
        let history = history.map(|folder| source.history(&folder, &loaded)).transpose()?;
        // For the variant before, a batch has a key of its own in the file.
        let label = || self.baseline_in(&loaded.dataset).filter(|base| *base != Base::Previous);
        let base = base.or_else(label);
        Ok(Case { loaded, history, policy, kind: Kind::Batch { by, base } })
    }

    /// Refuses a column for the order of the variants unless each is compared with the one before.
    fn check_order(&self, base: Option<&Base>) -> Result<(), Error> {
        match &self.typed.order_by {
            Some(column) if base != Some(&Base::Previous) => Err(Error::usage(
                format!("expected --order-by {column} with --base previous, found another base"),
                "give --base previous, or leave out --order-by",
            )),
            _ => Ok(()),
        }
    }
}

/// Largest confidence of a planned look: the exact one of an early look may round to 1.
const MAX_CONFIDENCE: f64 = 1.0 - 1e-9;

/// The policy at one of several looks in equal steps.
fn at_planned_look(policy: Policy, look: Option<(usize, usize)>) -> Policy {
    let overall = policy.confidence;
    let Some((number, of)) = look else { return policy };
    let confidence = (1.0 - Look::equal(overall, of)[number - 1].level).min(MAX_CONFIDENCE);
    let equality_alpha = 1.0 - confidence;
    let look = PlannedLook { number, of, overall, equality_alpha, runs: Vec::new() };
    Policy { confidence, look: Some(look), ..policy }
}

/// Reads the number of this look and of all planned looks: `2/3`.
///
/// # Errors
///
/// A message with the expected form.
pub fn parse_look(text: &str) -> Result<(usize, usize), &'static str> {
    let of = |text: &str| text.trim().parse::<usize>().ok();
    text.split_once('/')
        .and_then(|(number, all)| Some((of(number)?, of(all)?)))
        .filter(|(number, all)| (1..=*all).contains(number) && *all <= 10)
        .ok_or("expected a look and how many were planned, at most 10, such as 2/3")
}
