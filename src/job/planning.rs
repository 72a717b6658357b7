//! A plan: the user's request, checked, and its noise.

use crate::error::Error;
use crate::job::{Job, Source};
use crate::plan::{Basis, PlanReport, Request, bases, report};
use crate::policy::parse_percentage;
use crate::runs::Skipped;

impl Job {
    /// Plans runs, with the noise of the runs in `source` or with the given noise `cv`, at the confidence of the settings.
    ///
    /// # Errors
    ///
    /// Errors of `source`, and [`Error::Usage`] unless exactly one noise and one wish are given.
    pub fn plan(
        &self,
        mut request: Request,
        cv: Option<f64>,
        source: &dyn Source,
    ) -> Result<PlanReport, Error> {
        if request.effects.is_empty() && request.runs.is_none() {
            return Err(Error::usage(
                "expected --effect or --runs, found neither",
                "give the change to find (--effect 3%), or the number of runs that you can make (--runs 5)",
            ));
        }
        if request.runs == Some(1) && request.prior_df == 0.0 {
            return Err(Error::usage(
                "expected --runs of 2 or more, found 1, and one run each has no noise of its own",
                "plan for more runs, or give the degrees of freedom of a noise prior: --prior-df 10",
            ));
        }
        request.effects.sort_by(f64::total_cmp);
        request.effects.dedup();
        request.confidence = self.settings.policy.confidence;
        let (bases, left_out) = self.noise_of(cv, source)?;
        Ok(report(bases, left_out, &request))
    }

    fn noise_of(
        &self,
        cv: Option<f64>,
        source: &dyn Source,
    ) -> Result<(Vec<Basis>, Vec<Skipped>), Error> {
        let policy = &self.settings.policy;
        match (cv, source.inputs().first()) {
            (Some(cv), None) => Ok((vec![Basis::given(cv, policy)], Vec::new())),
            (None, Some(_)) => {
                let loaded = source.load(&self.options_of_repeats())?;
                bases(&loaded.dataset, &self.policy_of(&loaded))
            }
            (Some(_), Some(first)) => Err(Error::usage(
                format!("expected the noise once, found both --cv and the input {first}"),
                "leave out --cv to plan with the noise of the runs, or the inputs to plan with --cv",
            )),
            (None, None) => Err(Error::usage(
                "expected a noise to plan with, found neither --cv nor an input",
                "give repeated runs of one build, or the run-to-run noise itself: --cv 2%",
            )),
        }
    }
}

/// Reads a change to find, in percent, as a fraction.
///
/// # Errors
///
/// A message with the expected values.
pub fn parse_effect(text: &str) -> Result<f64, String> {
    within(text, "a change to find, without a sign, from 0.001% to 1000%, such as 3%")
}

/// Reads a run-to-run noise, in percent, as a fraction.
///
/// # Errors
///
/// A message with the expected values.
pub fn parse_noise(text: &str) -> Result<f64, String> {
    within(text, "a run-to-run noise from 0.001% to 1000%, such as 1.6%")
}

fn within(text: &str, what: &str) -> Result<f64, String> {
    let value = parse_percentage(text);
    if let Err(problem) = value
        && problem.contains("could mean")
    {
        return Err(problem.to_owned());
    }
    let valid = value.ok().filter(|value| (0.000_01..=10.0).contains(value));
    valid.ok_or_else(|| format!("expected {what}"))
}

/// Reads a power: a fraction (`0.8`) or a percentage (`80%`).
///
/// # Errors
///
/// A message with the expected values.
pub fn parse_power(text: &str) -> Result<f64, &'static str> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>().ok();
    let percent = text.trim().ends_with('%');
    number
        .map(|value| if percent || value > 1.0 { value / 100.0 } else { value })
        .filter(|value| (0.5..1.0).contains(value))
        .ok_or("expected a power of 0.5 or more and below 1, such as 0.8 or 80%")
}

/// Reads degrees of freedom.
///
/// # Errors
///
/// A message with the expected values.
pub fn parse_prior_df(text: &str) -> Result<f64, &'static str> {
    let number = text.trim().parse::<f64>().ok();
    number
        .filter(|value| (0.0..=1e6).contains(value))
        .ok_or("expected degrees of freedom from 0 to 1000000, such as 10")
}
