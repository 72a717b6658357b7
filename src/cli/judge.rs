//! The gate, for `compare` and `batch`.

use beyondnoise::report::Report;
use beyondnoise::verdict::Gate;

use crate::cli::job::Outcome;
use crate::cli::terminal::print_error;

#[derive(Debug, clap::Args)]
pub(super) struct GateArgs {
    /// Exit with 1 if a deciding or guard metric is worse beyond the tolerance, 3 if there is no verdict or something
    /// was not compared
    #[arg(long)]
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
pub(super) fn gate(args: &GateArgs, report: &Report) -> Outcome {
    if args.gate { gated(report.gate, &report.gate_reason) } else { Outcome::Clean }
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
