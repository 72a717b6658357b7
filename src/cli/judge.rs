//! Judging: the checks of options, the history and the gate, for `compare` and `batch`.

use beyondnoise::error::Error;
use beyondnoise::policy::{NoiseFrom, Policy};
use beyondnoise::report::Report;
use beyondnoise::stats::{Across, Method};
use beyondnoise::verdict::Gate;

use crate::cli::job::{Job, Outcome};
use crate::cli::terminal::print_error;

#[derive(Debug, clap::Args)]
pub(super) struct GateArgs {
    /// Exit with 1 if a deciding or guard metric is worse beyond the tolerance, 3 if there is no verdict or something
    /// was not compared
    #[arg(long)]
    gate: bool,
}

/// Whether this way of judging can use noise from other runs.
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

/// The folder of earlier runs: the one of the flag, or that of the policy file where it can be used.
///
/// Refuses options that contradict each other.
pub(super) fn history_folder(job: &Job, policy: &Policy) -> Result<Option<String>, Error> {
    let of_file = || job.file.history.clone().filter(|_| can_borrow(policy));
    let folder = job.typed.history.clone().or_else(of_file);
    check_consistent(policy, folder.as_deref())?;
    Ok(folder)
}

/// The outcome that the gate asks for, if there is one; its reason goes to standard error.
pub(super) fn gate(args: &GateArgs, report: &Report) -> Outcome {
    if !args.gate {
        return Outcome::Clean;
    }
    let reason = &report.gate_reason;
    match report.gate {
        Gate::Pass => Outcome::Clean,
        Gate::Fail => {
            print_error(&format!("beyondnoise: gate failed: {reason}"));
            Outcome::Failing
        }
        Gate::None => {
            print_error(&format!("beyondnoise: gate without a verdict: {reason}"));
            Outcome::NoVerdict
        }
    }
}
