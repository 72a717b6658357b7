//! `atlas`: how much runs of one unchanged build differ in published benchmarks, and where your own lie.

use std::path::PathBuf;

use beyondnoise::atlas::{Published, rows};
use beyondnoise::error::Error;
use beyondnoise::job::{parse_effect, parse_noise};
use beyondnoise::noise::noise;
use beyondnoise::policy::{Selected, Settings};
use beyondnoise::render::json;
use beyondnoise::report::atlas::{AtlasReport, OwnNoise, Question};

use crate::cli::inputs::InputArgs;
use crate::cli::job::{Job, Outcome};
use crate::cli::output::{Format, OutputArgs, Outputs, show, write};
use crate::cli::settings::{Given, Named};
use crate::cli::terminal::print_error;

/// Common calls, below the help.
const EXAMPLES: &str = "\
Examples:
  beyondnoise atlas                            # the noise of published benchmarks
  beyondnoise atlas --cv 2% --metric tpot      # whether a CV is usual
  beyondnoise atlas --change 3%                # how often noise alone changes as much
  beyondnoise atlas runs/main                  # your own runs among them
  beyondnoise atlas runs/main --from -o a.csv  # rows for publication";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("inputs", |arg| arg.required(false).help(
    "Repeated runs of your own, to be placed among the published ones: files, folders, globs or -"
)))]
#[command(mut_arg("metric", |arg| arg.help("Show this metric only; may be repeated")))]
#[command(mut_arg("pair-column", |arg| arg.hide(true)))]
pub(super) struct AtlasArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Say where this run-to-run CV lies, in percent
    #[arg(long, value_name = "PERCENT", value_parser = parse_noise)]
    cv: Option<f64>,

    /// Say how often two runs of one unchanged build differ by as much, in percent
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true, value_parser = change)]
    change: Option<f64>,

    /// Write the repeats of the inputs as rows of the atlas, for publication: figures only
    #[arg(long, requires = "inputs", conflicts_with_all = ["cv", "change", "format"])]
    from: bool,

    /// Name of your runs in these rows
    #[arg(long, value_name = "NAME", default_value = "own", requires = "from")]
    source: String,

    #[command(flatten)]
    output: OutputArgs<Self>,
}

impl Named for AtlasArgs {
    const NAME: &'static str = "atlas";
}

impl Outputs for AtlasArgs {
    const FORMATS: &'static [Format] =
        &[Format::Text, Format::Markdown, Format::Html, Format::Json];
    const FLAGS: &'static [&'static str] = &["verbose", "quiet", "color"];
}

pub(super) fn run(args: &AtlasArgs) -> Result<Outcome, Error> {
    if args.from {
        return publish(args);
    }
    args.output.check()?;
    let metrics: Vec<String> =
        Selected::each_once(&args.input.metric).into_iter().map(|selected| selected.name).collect();
    if let Some(unknown) = metrics.iter().find(|name| Published::of(name).is_none()) {
        return Err(Error::usage(
            format!("expected a metric of the atlas, found {unknown}"),
            "name output_throughput, mean_ttft_ms, mean_tpot_ms or p99_tpot_ms",
        ));
    }
    let own = if args.input.inputs.is_empty() { Vec::new() } else { own(args)? };
    let question = Question { metrics, cv: args.cv, change: args.change };
    let report = AtlasReport::new(&question, own);
    args.output.write(|format, options| match format {
        Format::Json => json(&report).into(),
        _ => show(&report, format, options),
    })?;
    Ok(Outcome::Clean)
}

/// Reads a change in percent, with its sign or without.
fn change(text: &str) -> Result<f64, String> {
    let bare = text.trim().trim_start_matches(['+', '-', '−']);
    let size = parse_effect(bare)?;
    let falls = text.trim().starts_with(['-', '−']);
    let change = if falls { -size } else { size };
    if change > -1.0 { Ok(change) } else { Err("expected a change above -100%".to_owned()) }
}

/// The noise of the runs that were given, of the metrics in the atlas.
fn own(args: &AtlasArgs) -> Result<Vec<OwnNoise>, Error> {
    let job = Job::plain(&args.input, &args.output.files)?.quiet(args.output.quiet);
    let found = noise(&job.dataset()?, &job.settings.policy)?;
    let each = found.repeats.iter().flat_map(|repeats| {
        let build = repeats.variant.clone().unwrap_or_else(|| "these runs".to_owned());
        repeats.metrics.iter().filter_map(move |metric| {
            OwnNoise::new(&build, (&metric.metric, &metric.label), metric.n, metric.cv?)
        })
    });
    Ok(each.collect())
}

/// Prints the rows of the repeats; those without a row go to standard error.
fn publish(args: &AtlasArgs) -> Result<Outcome, Error> {
    let files = &args.output.files;
    let csv = |file: &&PathBuf| file.extension().is_some_and(|of| of.eq_ignore_ascii_case("csv"));
    if let Some(other) = files.iter().find(|file| !csv(file)) {
        let problem = format!("expected a file ending in .csv, found {}", other.display());
        return Err(Error::usage(problem, "rows of the atlas are CSV: give another ending to -o"));
    }
    let job = Job::new(&args.input, files, &Given::default(), Settings::default())?;
    let keeps_up = job.settings.policy.thresholds.keeps_up;
    let (text, left_out) = rows(&job.dataset()?, &args.source, keeps_up);
    for why in &left_out {
        print_error(&format!("beyondnoise: no row for {why}"));
    }
    if text.lines().count() < 2 {
        return Err(Error::usage(
            "expected two runs or more of one build that the atlas can take, found none",
            "give repeats of 100 requests or more with their tokens, such as the result files of the client",
        ));
    }
    write(text.as_bytes(), files.first().map(PathBuf::as_path))?;
    Ok(Outcome::Clean)
}
