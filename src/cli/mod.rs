//! The command line: what was typed, what it means, one file a command.

mod args;
mod batch;
mod calibrate;
mod compare;
mod config;
mod convert;
mod formats;
mod history;
mod judge;
mod manual;
mod noise;
mod output;
mod plan;
mod reading;
mod settings;
mod show;
mod threads;
mod tips;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use beyondnoise::error::chain;

/// What a command came to.
pub(crate) enum Outcome {
    /// Done, and nothing beyond the tolerance.
    Clean,
    /// The gate failed.
    Failing,
    /// The gate had nothing to judge.
    NoVerdict,
}

pub(crate) fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return tips::end(error),
    };
    threads::start();
    let result = match &args.command {
        Command::Compare(args) => compare::run(args),
        Command::Batch(args) => batch::run(args),
        Command::Show(args) => show::run(args),
        Command::Formats(args) => formats::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Calibrate(args) => calibrate::run(args),
        Command::Noise(args) => noise::run(args),
        Command::History(args) => history::run(args),
        Command::Config(args) => config::run(args),
        Command::Completions(args) => manual::completions(args),
        Command::Man(args) => manual::man(args),
    };
    match result {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Failing) => ExitCode::from(1),
        Ok(Outcome::NoVerdict) => ExitCode::from(3),
        Err(error) => {
            output::complain(&format!("beyondnoise: {}", chain(&error)));
            ExitCode::from(2)
        }
    }
}

/// Whether the command line is understood; nothing is run.
#[cfg(fuzzing)]
pub(crate) fn understands(words: &[&str]) -> bool {
    Args::try_parse_from(words).is_ok()
}
