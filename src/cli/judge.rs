//! The gate, for `compare`, `batch` and `run`.

use beyondnoise::policy::Require;
use beyondnoise::report::Report;
use beyondnoise::verdict::{Decision, Gate};

use crate::cli::job::Outcome;
use crate::cli::settings::{GATE, Given};
use crate::cli::terminal::print_error;

#[derive(Debug, clap::Args)]
pub(super) struct GateArgs {
    /// Exit with 1 if a deciding or guard metric is worse beyond the tolerance, 3 if there is no verdict or something
    /// was not compared
    #[arg(long, display_order = 0, help_heading = GATE)]
    gate: bool,
}

/// Tells the report the words that this process was called with, for the commands that repeat the call.
pub(super) fn called(report: &mut Report) {
    let words = std::env::args_os().skip(1).map(|word| word.into_string().ok());
    if let Some(words) = words.collect::<Option<Vec<String>>>() {
        report.called_by(&words);
    }
}

/// The outcome that the gate asks for, if there is one; its reason goes to standard error.
///
/// The gate is on with `--gate`, and with `--require` among the flags `given`.
pub(super) fn gate(args: &GateArgs, given: &Given, report: &Report) -> Outcome {
    if !args.gate && !given.has("require") {
        return Outcome::Clean;
    }
    match report.settings.require {
        Require::NotWorse => gated(report.gate, &report.gate_reason),
        Require::Improved => decided(report.decision, &report.decision_reason),
    }
}

/// The outcome where a change must be shown to be better; its reason goes to standard error.
pub(super) fn decided(decision: Decision, reason: &str) -> Outcome {
    let (word, outcome) = match decision {
        Decision::Promote => ("promote", Outcome::Clean),
        Decision::Reject => ("reject", Outcome::Failing),
        Decision::MoreData => ("more data", Outcome::NoVerdict),
        Decision::Stale => ("stale", Outcome::NoVerdict),
    };
    print_error(&format!("beyondnoise: {word}: {reason}"));
    outcome
}

/// The outcome of a gate; its reason goes to standard error.
pub(super) fn gated(gate: Gate, reason: &str) -> Outcome {
    match gate {
        Gate::Pass => {
            if !reason.is_empty() {
                print_error(&format!("beyondnoise: gate {reason}"));
            }
            Outcome::Clean
        }
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
