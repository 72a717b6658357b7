//! The command line: its commands, one file each, and the exit status.

mod atlas;
mod batch;
mod calibrate;
mod compare;
mod config;
mod convert;
mod engine;
mod formats;
mod history;
mod inputs;
mod job;
mod judge;
#[cfg(unix)]
mod ledger;
mod manual;
mod noise;
mod output;
mod plan;
mod progress;
mod reduce;
#[cfg(unix)]
mod run;
mod settings;
mod show;
mod terminal;
mod tips;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use rayon::ThreadPoolBuilder;

use beyondnoise::error::{Error, chain};

#[cfg(unix)]
use crate::experiment::keeper;

use atlas::AtlasArgs;
use batch::BatchArgs;
use calibrate::CalibrateArgs;
use compare::CompareArgs;
use convert::ConvertArgs;
use formats::FormatsArgs;
use history::HistoryCommand;
use job::{Judging, Outcome, Table};
#[cfg(unix)]
use ledger::LoopCommand;
use manual::{CompletionsArgs, ManArgs};
use noise::NoiseArgs;
use plan::PlanArgs;
use reduce::ReduceArgs;
#[cfg(unix)]
use run::RunArgs;
use settings::ConfigArgs;
use show::ShowArgs;

/// First calls, below the help.
const EXAMPLES: &str = "\
Examples:
  beyondnoise compare main=runs/main pr=runs/pr  # did it get faster?
  beyondnoise run main=./old pr=./new            # make the runs, until it is decided
  beyondnoise noise runs/main                    # how much runs of one build differ
  beyondnoise show runs/                         # what is read from these files";

/// Decides whether a benchmark change exceeds run-to-run noise
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, after_help = EXAMPLES)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Verdict between variants: which metrics moved beyond noise
    Compare(CompareArgs),
    /// Make the runs: alternately, each a fresh start, until a change is shown or ruled out
    #[cfg(unix)]
    Run(RunArgs),
    /// Try patch after patch with one error budget: what is kept, and the gain of all of it
    #[cfg(unix)]
    #[command(subcommand)]
    Loop(LoopCommand),
    /// The same for every cell of an export: model, configuration, concurrency, ...
    Batch(BatchArgs),
    /// List the inputs: runs, variants, workloads and metrics, and where they were read
    Show(ShowArgs),
    /// List the formats that can be read: how each is recognised, what one run is, its metrics
    Formats(FormatsArgs),
    /// Write one tidy table of all runs: a row per run and metric
    Convert(ConvertArgs),
    /// Write the SELECT with which an SQL engine reduces logs of requests of any size to runs
    Reduce(ReduceArgs),
    /// How many runs of each variant find a change, and the order to make them in
    Plan(PlanArgs),
    /// How much repeated runs of one build differ, and the smallest change that they can show
    Noise(NoiseArgs),
    /// How much runs of one unchanged build differ in published benchmarks, and where your own lie
    Atlas(AtlasArgs),
    /// False alarms and power of the intervals on your own repeated runs
    Calibrate(CalibrateArgs),
    /// Earlier runs, from which later comparisons estimate their noise
    #[command(subcommand)]
    History(HistoryCommand),
    /// Print the policy in force, each value with its file and line
    #[command(after_help = config::EXAMPLES)]
    Config(ConfigArgs),
    /// Print the completions of commands and flags for a shell
    Completions(CompletionsArgs),
    /// Print the manual: one page, or a folder with a page per command
    Man(ManArgs),
}

pub(crate) fn main() -> ExitCode {
    #[cfg(unix)]
    if keeper::is_called() {
        return keeper::hold();
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return tips::end(error),
    };
    let result = on_threads(|| perform(&args.command));
    match result {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Failing) => ExitCode::from(1),
        Ok(Outcome::NoVerdict) => ExitCode::from(3),
        Err(error) => {
            terminal::print_error(&format!("beyondnoise: {}", chain(&error)));
            ExitCode::from(2)
        }
    }
}

fn perform(command: &Command) -> Result<Outcome, Error> {
    match command {
        Command::Compare(args) => compare::run(args, None),
        #[cfg(unix)]
        Command::Run(args) => run::run(args, |words| {
            let Ok(Command::Run(first)) = Args::try_parse_from(words).map(|args| args.command)
            else {
                return None;
            };
            Some(first)
        }),
        #[cfg(unix)]
        Command::Loop(command) => {
            ledger::run(command, |words| match Args::try_parse_from(words).ok()?.command {
                Command::Loop(LoopCommand::Init(first)) => Some(*first),
                _ => None,
            })
        }
        Command::Batch(args) => batch::run(args),
        Command::Show(args) => show::run(args),
        Command::Formats(args) => formats::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Reduce(args) => reduce::run(args, judging),
        Command::Plan(args) => plan::run(args),
        Command::Calibrate(args) => calibrate::run(args),
        Command::Noise(args) => noise::run(args),
        Command::Atlas(args) => atlas::run(args),
        Command::History(args) => history::run(args),
        Command::Config(args) => config::run(args),
        Command::Completions(args) => manual::completions(args, Args::command()),
        Command::Man(args) => manual::man(args, Args::command()),
    }
}

/// `compare` with these flags, checked, for a table of this name that is still to come.
fn judging(flags: &[String], name: &'static str) -> Result<Judging, Error> {
    let words =
        ["beyondnoise", "compare", name].into_iter().chain(flags.iter().map(String::as_str));
    let found = match Args::try_parse_from(words) {
        Ok(Args { command: Command::Compare(args) }) if args.reads_one() => {
            let files = args.checked()?.to_vec();
            let judge = move |bytes| compare::run(&args, Some(&Table { name, bytes }));
            return Ok(Judging { files, judge: Box::new(judge) });
        }
        Ok(_) => "a further input".to_owned(),
        Err(error) => error.kind().to_string(),
    };
    Err(Error::usage(
        format!("expected flags of compare after --, found: {found}"),
        "see beyondnoise compare --help",
    ))
}

/// Works on `RAYON_NUM_THREADS` threads or one for each processor; on this one alone if the system gives no more.
fn on_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let alone = || ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    let all = ThreadPoolBuilder::new();
    // The first thread of a program has a small stack on Windows.
    let all = if cfg!(windows) { all } else { all.use_current_thread() };
    match all.build().or_else(|_| alone()) {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

/// Whether the command line is understood; nothing is run.
#[cfg(fuzzing)]
pub(crate) fn understands(words: &[&str]) -> bool {
    Args::try_parse_from(words).is_ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Words of the command line, as the fuzz target has them: a quoted one in each line.
    const WORDS: &str = include_str!("../../tests/fuzz/words/arguments.dict");

    fn word() -> impl Strategy<Value = String> {
        let known: Vec<&str> = WORDS.lines().map(|line| line.trim_matches('"')).collect();
        prop_oneof![
            3 => proptest::sample::select(known).prop_map(str::to_owned),
            1 => "\\PC{0,12}",
            1 => "[-+]?[0-9]{0,4}[.,/%e:=]?[0-9]{0,4}[%a-z]{0,3}",
        ]
    }

    /// The words of a line as a shell has them, up to a comment or a file for the output.
    fn words(line: &str) -> Vec<String> {
        let command = line.split(" #").next().and_then(|line| line.split(" > ").next());
        let parts = command.unwrap_or_default().split('\'').enumerate();
        let joined = parts.map(|(at, part)| match at % 2 {
            0 => part.to_owned(),
            _ => part.replace(' ', "\u{a0}"),
        });
        let joined = joined.collect::<String>();
        joined.split_ascii_whitespace().map(|word| word.replace('\u{a0}', " ")).collect()
    }

    /// Every command has examples, and each is a call that is understood.
    #[test]
    fn the_examples_of_the_help_are_understood() {
        fn check(command: &clap::Command, seen: &mut Vec<String>) {
            let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in examples.replace("\\\n", " ").lines().skip(1) {
                let understood = Args::try_parse_from(words(line));
                assert!(understood.is_ok(), "{line}\n{understood:?}");
                seen.push(command.get_name().to_owned());
            }
            command.get_subcommands().for_each(|one| check(one, seen));
        }
        let mut seen = Vec::new();
        check(&Args::command(), &mut seen);
        seen.dedup();
        let all = "beyondnoise compare run batch show formats convert reduce plan noise atlas calibrate config completions man \
             add verdict init try final status skill";
        let without: Vec<&str> =
            all.split(' ').filter(|name| !seen.iter().any(|one| one == name)).collect();
        assert!(without.is_empty(), "{without:?} in {seen:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_words_are_understood_or_refused(words in proptest::collection::vec(word(), 0..12)) {
            let line = std::iter::once("beyondnoise").chain(words.iter().map(String::as_str));
            // Either is right; a panic is not.
            drop(Args::try_parse_from(line));
        }
    }
}
