//! `compare`: the verdict between variants.

use beyondnoise::analysis::{PREVIOUS, analyse_made, analyse_with, at_look_of};
use beyondnoise::error::Error;
use beyondnoise::policy::{PlannedLook, Policy, Settings};
use beyondnoise::read::Options;
use beyondnoise::render::{csv, json};
use beyondnoise::stats::looks;

use crate::cli::inputs::InputArgs;
use crate::cli::job::{Job, Outcome};
use crate::cli::judge::{GateArgs, gate, history_folder};
use crate::cli::output::{Format, OutputArgs, Outputs, show};
use crate::cli::settings::{Named, SettingFlags};

#[derive(Debug, clap::Args)]
#[command(mut_arg("base", |arg| arg.alias("baseline")))]
pub(super) struct CompareArgs {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    output: OutputArgs<Self>,

    #[command(flatten)]
    settings: SettingFlags<Self>,

    #[command(flatten)]
    gate: GateArgs,

    /// Compare pair by pair: runs with the same pair column, or runs that alternate in time
    #[arg(long, conflicts_with_all = ["noise", "history"])]
    paired: bool,

    /// Which of several looks this is, as planned with `plan --looks`: 2/3
    #[arg(long, value_name = "K/OF", value_parser = look)]
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

pub(super) fn run(args: &CompareArgs) -> Result<Outcome, Error> {
    args.output.check()?;
    let flags = args.settings.given();
    let job = Job::new(&args.input, &args.output.files, flags, Settings::default())?;
    let policy = args.policy(job.settings.policy.clone());
    let history = history_folder(&job, &policy)?;
    let base = job.settings.baseline.as_deref();
    let in_order = base == Some(PREVIOUS);
    let order_by = job.typed.order_by.clone();
    if let Some(column) = order_by.as_ref().filter(|_| !in_order) {
        return Err(Error::usage(
            format!("expected --order-by {column} with --base previous, found another base"),
            "give --base previous, or leave out --order-by",
        ));
    }
    let base = job.typed.baseline.clone().filter(|_| !in_order);
    let options = Options { base, in_order, order_by, ..job.options() };
    let loaded = job.load(&options, args.output.quiet)?;
    let history = history.map(|folder| job.history(&folder, &loaded)).transpose()?;
    let base = job.baseline_in(&loaded.dataset);
    let base = if in_order { Some(PREVIOUS.to_owned()) } else { base };
    let report = match (&loaded.made[..], &args.input.inputs[..]) {
        ([journal], [folder]) if args.look.is_none() => {
            let policy = at_look_of(journal, policy);
            let data = (&loaded.dataset, history.as_ref());
            analyse_made(data, (journal, folder), base.as_deref(), &policy)?
        }
        ([_, ..], _) => {
            return Err(Error::usage(
                "expected one folder of runs with planned looks and nothing else, found more",
                "compare it alone, without --look: its looks hold for its own runs",
            ));
        }
        _ => analyse_with(
            &loaded.dataset,
            history.as_ref(),
            base.as_deref(),
            loaded.first_of_two.as_deref(),
            &policy,
        )?,
    };
    args.output.write(|format, options| match format {
        Format::Json => json(&report).into(),
        Format::Csv => csv(&report).into(),
        _ => show(&report, format, options),
    })?;
    let outcome = gate(&args.gate, &report);
    // The process ends here: freeing so many values one by one takes longer than printing the report.
    std::mem::forget((loaded, report));
    Ok(outcome)
}

impl CompareArgs {
    /// The policy with the flags of this command alone.
    fn policy(&self, policy: Policy) -> Policy {
        let overall = policy.confidence;
        let paired = Policy { paired: self.paired, ..policy };
        let Some((number, of)) = self.look else { return paired };
        // An early look may spend less than a confidence below 1 can say.
        let confidence = (1.0 - looks(overall, of)[number - 1].level).min(MAX_CONFIDENCE);
        let equality_alpha = 1.0 - confidence;
        let look = PlannedLook { number, of, overall, equality_alpha, runs: Vec::new() };
        Policy { confidence, look: Some(look), ..paired }
    }
}

/// Largest confidence of a planned look.
const MAX_CONFIDENCE: f64 = 1.0 - 1e-9;

fn look(text: &str) -> Result<(usize, usize), &'static str> {
    let of = |text: &str| text.trim().parse::<usize>().ok();
    text.split_once('/')
        .and_then(|(number, all)| Some((of(number)?, of(all)?)))
        .filter(|(number, all)| (1..=*all).contains(number) && *all <= 10)
        .ok_or("expected a look and how many were planned, at most 10, such as 2/3")
}
