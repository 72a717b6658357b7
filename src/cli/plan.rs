//! `plan`: how many runs of each variant, and the order to make them in.

use beyondnoise::error::Error;
use beyondnoise::plan::{Basis, Cost, Request, bases, report};
use beyondnoise::policy::{Policy, Settings, parse_percentage};
use beyondnoise::render::json;
use beyondnoise::runs::Skipped;
use beyondnoise::sanitize::printable;
use beyondnoise::stats::MAX_PLANNED_RUNS;

use crate::cli::inputs::InputArgs;
use crate::cli::job::{Job, Outcome};
use crate::cli::output::{Format, OutputArgs, Outputs, show};
use crate::cli::settings::{Named, SettingFlags};

#[derive(Debug, clap::Args)]
#[command(mut_arg("inputs", |arg| arg.required(false).help(
    "Repeated runs of one build or more, to take the noise from: files, folders, globs or -"
)))]
#[command(mut_arg("metric", |arg| arg.help(
    "Plan for this metric, not for those that decide a comparison; may be repeated"
)))]
pub(super) struct PlanArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Change to find, in percent of the baseline, such as 3%; may be repeated or a list 2%,3%,5%
    #[arg(long, value_name = "PERCENT", value_delimiter = ',', allow_hyphen_values = true, value_parser = effect)]
    effect: Vec<f64>,

    /// Run-to-run noise to plan with, as a CV in percent, where no runs are given
    #[arg(long, value_name = "PERCENT", value_parser = noise)]
    cv: Option<f64>,

    /// Runs of each variant that you can make: the changes that they find
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: Option<u32>,

    /// Probability of finding the change, as a fraction (0.8) or a percentage (80%)
    #[arg(long, default_value = "80%", value_parser = power)]
    power: f64,

    #[command(flatten)]
    settings: SettingFlags<Self>,

    /// Planned looks at the runs made so far; a comparison may stop at each
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=10))]
    looks: u8,

    /// Cost of one run, such as 7min, 0.5h or 12USD
    #[arg(long, value_name = "COST", value_parser = cost)]
    cost: Option<Cost>,

    /// Degrees of freedom of a noise prior from other runs, added to 2 (runs - 1)
    #[arg(long, value_name = "DF", default_value_t = 0.0, value_parser = prior_df)]
    prior_df: f64,

    #[command(flatten)]
    output: OutputArgs<Self>,
}

impl Named for PlanArgs {
    const NAME: &'static str = "plan";
}

impl Outputs for PlanArgs {
    const FORMATS: &'static [Format] =
        &[Format::Text, Format::Markdown, Format::Html, Format::Json];
    const FLAGS: &'static [&'static str] = &["verbose", "quiet", "color"];
}

pub(super) fn run(args: &PlanArgs) -> Result<Outcome, Error> {
    args.output.check()?;
    let flags = args.settings.given();
    let job = Job::new(&args.input, &args.output.files, flags, Settings::default())?;
    let request = request(args, &job.settings.policy)?;
    let (bases, left_out) = noise_of(args, &job)?;
    let report = report(bases, left_out, &request);
    args.output.write(|format, options| match format {
        Format::Json => json(&report).into(),
        _ => show(&report, format, options),
    })?;
    Ok(Outcome::Clean)
}

fn request(args: &PlanArgs, policy: &Policy) -> Result<Request, Error> {
    if args.effect.is_empty() && args.runs.is_none() {
        return Err(Error::usage(
            "expected --effect or --runs, found neither",
            "give the change to find (--effect 3%), or the number of runs that you can make (--runs 5)",
        ));
    }
    if args.runs == Some(1) && args.prior_df == 0.0 {
        return Err(Error::usage(
            "expected --runs of 2 or more, found 1, and one run each has no noise of its own",
            "plan for more runs, or give the degrees of freedom of a noise prior: --prior-df 10",
        ));
    }
    let mut effects = args.effect.clone();
    effects.sort_by(f64::total_cmp);
    effects.dedup();
    Ok(Request {
        effects,
        runs: args.runs.map(|runs| usize::try_from(runs).unwrap_or(MAX_PLANNED_RUNS)),
        power: args.power,
        confidence: policy.confidence,
        prior_df: args.prior_df,
        looks: usize::from(args.looks),
        cost: args.cost.clone(),
    })
}

fn noise_of(args: &PlanArgs, job: &Job) -> Result<(Vec<Basis>, Vec<Skipped>), Error> {
    let selected = args.input.selected();
    match (args.cv, &args.input.inputs[..]) {
        (Some(cv), []) => Ok((vec![Basis::given(cv, &selected)], Vec::new())),
        (None, [_, ..]) => bases(&job.dataset()?, &selected),
        (Some(_), [first, ..]) => Err(Error::usage(
            format!("expected the noise once, found both --cv and the input {first}"),
            "leave out --cv to plan with the noise of the runs, or the inputs to plan with --cv",
        )),
        (None, []) => Err(Error::usage(
            "expected a noise to plan with, found neither --cv nor an input",
            "give repeated runs of one build, or the run-to-run noise itself: --cv 2%",
        )),
    }
}

fn effect(text: &str) -> Result<f64, String> {
    within(text, "a change to find, without a sign, from 0.001% to 1000%, such as 3%")
}

fn noise(text: &str) -> Result<f64, String> {
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

fn power(text: &str) -> Result<f64, &'static str> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>().ok();
    let percent = text.trim().ends_with('%');
    number
        .map(|value| if percent || value > 1.0 { value / 100.0 } else { value })
        .filter(|value| (0.5..1.0).contains(value))
        .ok_or("expected a power of 0.5 or more and below 1, such as 0.8 or 80%")
}

fn cost(text: &str) -> Result<Cost, &'static str> {
    printable(text).parse()
}

fn prior_df(text: &str) -> Result<f64, &'static str> {
    let number = text.trim().parse::<f64>().ok();
    number
        .filter(|value| (0.0..=1e6).contains(value))
        .ok_or("expected degrees of freedom from 0 to 1000000, such as 10")
}
