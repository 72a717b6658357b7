//! `compare`: the verdict between variants.

use std::path::PathBuf;

use beyondnoise::error::Error;
use beyondnoise::job::parse_look;
use beyondnoise::policy::Settings;

use crate::cli::inputs::InputArgs;
use crate::cli::job::{Job, Outcome, Table};
use crate::cli::judge::{GateArgs, called, gate};
use crate::cli::output::{Format, OutputArgs, Outputs, verdicts};
use crate::cli::settings::{Named, STATISTICS, SettingFlags};

/// Common calls, below the help.
const EXAMPLES: &str = "\
Examples:
  beyondnoise compare main=runs/main pr=runs/pr                     # two folders of result files
  beyondnoise compare results.csv --base main -o report.html        # variants in a column
  beyondnoise compare main=a.json pr=b.json --gate --tolerance 3%   # for a pipeline
  beyondnoise compare main=runs/main pr=runs/pr --require improved  # keep the change or not";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("base", |arg| arg.alias("baseline").allow_hyphen_values(true)))]
pub(super) struct CompareArgs {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    settings: SettingFlags<Self>,

    #[command(flatten)]
    output: OutputArgs<Self>,

    #[command(flatten)]
    gate: GateArgs,

    /// Compare pair by pair: runs with the same pair column, or runs that alternate in time
    #[arg(long, conflicts_with_all = ["noise", "history"], help_heading = STATISTICS)]
    paired: bool,

    /// Which of several looks this is, as planned with `plan --looks`: 2/3
    #[arg(long, value_name = "K/OF", value_parser = parse_look)]
    look: Option<(usize, usize)>,
}

impl Named for CompareArgs {
    const NAME: &'static str = "compare";
}

impl Outputs for CompareArgs {
    const FORMATS: &'static [Format] = &Format::OF_VERDICTS;
    const FLAGS: &'static [&'static str] = &["verbose", "quiet", "plot", "color"];
    const SEVERAL: bool = true;
}

impl CompareArgs {
    /// Whether there is one input.
    pub(super) fn reads_one(&self) -> bool {
        self.input.inputs.len() == 1
    }

    /// The files to write, after all that can be checked before the runs are read.
    pub(super) fn checked(&self) -> Result<&[PathBuf], Error> {
        self.job().map(|_| &self.output.files[..])
    }

    fn job(&self) -> Result<Job<'_>, Error> {
        self.output.check_beside(&self.input.inputs)?;
        let flags = self.settings.given();
        let job = Job::new(&self.input, &self.output.files, flags, Settings::default())?;
        Ok(job.quiet(self.output.quiet))
    }
}

/// The verdict on the inputs, or on a table in memory that replaces them.
pub(super) fn run(args: &CompareArgs, table: Option<&Table>) -> Result<Outcome, Error> {
    let job = args.job()?.with(table);
    let case = job.compare(args.paired, args.look, &job)?;
    let mut report = case.report()?;
    called(&mut report);
    args.output.write(|format, options| verdicts(&report, format, options))?;
    let outcome = gate(&args.gate, args.settings.given(), &report);
    // The process ends here: freeing so many values one by one takes longer than printing the report.
    std::mem::forget((case, report));
    Ok(outcome)
}
