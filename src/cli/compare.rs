//! `compare`: the verdict between variants.

use beyondnoise::analysis::analyse_with;
use beyondnoise::error::Error;
use beyondnoise::policy::{PlannedLook, Policy};
use beyondnoise::read::Options;
use beyondnoise::render::{csv, json};
use beyondnoise::stats::looks;

use crate::cli::inputs::InputArgs;
use crate::cli::judge::{JudgeArgs, gate, history_folder};
use crate::cli::output::{Format, OutputArgs, Outputs, show};
use crate::cli::run::{Job, Outcome};

#[derive(Debug, clap::Args)]
pub(super) struct CompareArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Label of the baseline; without it the label that says so (main, before, baseline, 优化前, ...)
    #[arg(long, alias = "baseline", value_name = "NAME")]
    base: Option<String>,

    #[command(flatten)]
    output: OutputArgs<Self>,

    #[command(flatten)]
    judge: JudgeArgs,

    /// Compare pair by pair: runs that share a pair column, or that were made by turns
    #[arg(long, conflicts_with_all = ["noise", "history"])]
    paired: bool,

    /// Which of several looks this is, as planned with `plan --looks`: 2/3
    #[arg(long, value_name = "K/OF", value_parser = look)]
    look: Option<(usize, usize)>,
}

impl Outputs for CompareArgs {
    const FORMATS: &'static [Format] =
        &[Format::Text, Format::Markdown, Format::Html, Format::Json, Format::Csv];
    const FLAGS: &'static [&'static str] = &["verbose", "quiet", "plot", "color"];
    const SEVERAL: bool = true;
}

pub(super) fn run(args: &CompareArgs) -> Result<Outcome, Error> {
    args.output.check()?;
    let job = Job::new(&args.input, &args.output.files)?;
    let policy = args.policy(job.settings.policy()?);
    let history = history_folder(&args.judge, &job.settings, &policy)?;
    let guards = policy.guards.clone();
    let options = Options { guards, base: args.base.clone(), ..job.options() };
    let loaded = job.load(&options, args.output.quiet)?;
    let history = history.map(|folder| job.history(&folder, &loaded)).transpose()?;
    let base = args.base.clone().or_else(|| job.settings.baseline_in(&loaded.dataset));
    let report = analyse_with(
        &loaded.dataset,
        history.as_ref(),
        base.as_deref(),
        loaded.first_of_two.as_deref(),
        &policy,
    )?;
    args.output.write(|format, options| match format {
        Format::Json => json(&report),
        Format::Csv => csv(&report),
        _ => show(&report, format, options),
    })?;
    let outcome = gate(&args.judge, &report);
    // The process ends here: freeing so many values one by one takes longer than printing the report.
    std::mem::forget((loaded, report));
    Ok(outcome)
}

impl CompareArgs {
    /// The policy of the flags, over `usual`.
    pub(super) fn policy(&self, usual: Policy) -> Policy {
        let policy = self.judge.policy(usual, self.input.selected());
        let overall = policy.confidence;
        let level = |(number, of): (usize, usize)| looks(overall, of)[number - 1].level;
        Policy {
            // An early look may spend less than a confidence below 1 can say.
            confidence: self.look.map_or(overall, |look| (1.0 - level(look)).min(MOST_SURE)),
            look: self.look.map(|(number, of)| PlannedLook { number, of, overall }),
            paired: self.paired,
            ..policy
        }
    }
}

/// Largest confidence of a planned look.
const MOST_SURE: f64 = 1.0 - 1e-9;

fn look(text: &str) -> Result<(usize, usize), &'static str> {
    let of = |text: &str| text.trim().parse::<usize>().ok();
    text.split_once('/')
        .and_then(|(number, all)| Some((of(number)?, of(all)?)))
        .filter(|(number, all)| (1..=*all).contains(number) && *all <= 10)
        .ok_or("expected a look and how many were planned, at most 10, such as 2/3")
}
