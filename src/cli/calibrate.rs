//! `calibrate`: error rates of the intervals, simulated or on the user's own runs.

mod settings;

use std::path::PathBuf;

use clap::ValueEnum;

use beyondnoise::analysis::analyse;
use beyondnoise::calibrate::{
    BANDS_CONFIDENCE, BORROWED_RUNS, BorrowedSettings, Check, Design, Document, GROUPS,
    OwnSettings, Places, Shape, StudySettings, WARNING_RUNS, WarningSettings, borrowed_document,
    check, check_borrowed, check_warnings, has_band, own_runs, own_runs_document, simulate,
    simulate_borrowed, simulate_warnings, study_document, warnings_document,
};
use beyondnoise::checks::Severity;
use beyondnoise::error::Error;
use beyondnoise::policy::{Policy, parse_confidence};
use beyondnoise::report::{
    TextOptions, calibrate_csv, calibrate_json, calibrate_markdown, calibrate_plot, calibrate_text,
};
use beyondnoise::runs::Dataset;
use beyondnoise::stats::Resampling;

use crate::cli::inputs::InputArgs;
use crate::cli::judge::MethodArg;
use crate::cli::output::{Format, OutputArgs, Outputs, write};
use crate::cli::progress;
use crate::cli::run::{Job, Outcome, check_outputs};
use crate::cli::terminal::complain;

use settings::{designs, effect, effects, named, once, procedures, resamples, shapes};

/// Comparisons a cell: what answers in seconds, and what the tables of the project are made with.
const REPETITIONS: [u64; 2] = [1_000, 20_000];

/// The same with borrowed noise, where a cell is cheap.
const BORROWED_REPETITIONS: [u64; 2] = [20_000, 100_000];

/// Violations that standard error lists; the report has them all.
const MOST_LISTED: usize = 5;

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(mut_arg("inputs", |arg| arg.required(false).help(
    "Repeated runs of one build or more, to split at random: files, folders, globs or -; without them the runs are simulated"
)))]
#[command(mut_arg("variant_column", |arg| arg.requires("inputs")))]
#[command(mut_arg("run_column", |arg| arg.requires("inputs")))]
#[command(mut_arg("pair_column", |arg| arg.requires("inputs").hide(true)))]
#[command(mut_arg("lenient", |arg| arg.requires("inputs")))]
#[command(mut_arg("metric", |arg| arg.requires("inputs").help(
    "Split the runs of this metric, not of those that decide a comparison; may be repeated"
)))]
#[command(mut_arg("verbose", |arg| arg.help("Also show the shapes of noise, or every group of runs")))]
pub(super) struct CalibrateArgs {
    #[command(flatten)]
    input: InputArgs,

    /// How intervals are made; several with commas [default: calibrated]
    #[arg(long, value_enum, value_delimiter = ',', conflicts_with = "borrowed")]
    method: Vec<MethodArg>,

    /// Statistic over the runs of a variant; several with commas [default: mean]
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "STATISTIC",
        conflicts_with = "borrowed"
    )]
    across: Vec<AcrossArg>,

    /// Shapes of noise, such as normal-2,spikes; reference: the eight that must keep the bands [default: all]
    #[arg(long, value_delimiter = ',', value_name = "SHAPE", conflicts_with_all = ["inputs", "borrowed"])]
    shape: Vec<String>,

    /// Runs of each variant, such as 3,5,3v10 [default: 2 to 40, 3v10 and 5v20]
    #[arg(long, value_delimiter = ',', value_name = "RUNS")]
    runs: Vec<Design>,

    /// Changes whose detection is counted, such as 2%,5% [default: 5%; of own runs 1%,2%,3%,5%]
    #[arg(long, value_delimiter = ',', value_name = "PERCENT", allow_hyphen_values = true, value_parser = effect)]
    effect: Vec<f64>,

    /// Comparisons a cell, or splits of each group of runs [default: 1000; borrowed: 20000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(10..=100_000_000))]
    repetitions: Option<u64>,

    /// Nominal coverage of the intervals, as a fraction (0.95) or a percentage (95%)
    #[arg(long, default_value = "0.95", value_parser = parse_confidence)]
    confidence: f64,

    /// Resamples drawn where there are too many to enumerate (beyond 6 + 6 runs)
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    resamples: u32,

    /// Seed of the simulated runs, the splits and the resamples
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// Simulate noise borrowed from the other comparisons of a job
    #[arg(long, conflicts_with = "inputs")]
    borrowed: bool,

    /// Simulate how often the checks warn, where nothing is wrong and where something is
    #[arg(long, conflicts_with_all = ["inputs", "borrowed", "method", "across", "shape", "effect", "plot"])]
    warnings: bool,

    /// The whole study: every method, statistic, shape and number of runs, 20,000 comparisons a cell
    #[arg(long, conflicts_with = "inputs")]
    study: bool,

    /// Exit with 1 if a simulated figure is outside its band: of the methods named, or of the default
    #[arg(long, conflicts_with = "inputs")]
    check: bool,

    /// Draw the coverage against the number of runs into this SVG file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["inputs", "borrowed"])]
    plot: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArgs<Self>,
}

impl Outputs for CalibrateArgs {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Markdown, Format::Json, Format::Csv];
    const FLAGS: &'static [&'static str] = &["verbose"];
    const SEVERAL: bool = true;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AcrossArg {
    /// Arithmetic mean
    Mean,
    /// Median
    Median,
    /// Hodges and Lehmann's centre, with the interval of the rank sum test
    HodgesLehmann,
}

pub(super) fn run(args: &CalibrateArgs) -> Result<Outcome, Error> {
    args.output.check()?;
    let files: Vec<PathBuf> = args.output.files.iter().chain(&args.plot).cloned().collect();
    check_outputs(&args.input, &files)?;
    checkable(args)?;
    let document = if !args.input.inputs.is_empty() {
        on_own_runs(args, &files)?
    } else if args.borrowed {
        borrowed(args)?
    } else if args.warnings {
        warnings(args)?
    } else {
        simulated(args)?
    };
    args.output.write(|format, options| render(&document, format, options))?;
    if let Some(file) = &args.plot {
        let drawn = calibrate_plot(&document).ok_or_else(|| {
            Error::usage("expected a coverage to draw, found none", "ask for more runs with --runs")
        })?;
        write(drawn.as_bytes(), Some(file))?;
    }
    Ok(document.check.as_ref().map_or(Outcome::Clean, outcome))
}

/// Whether the figures asked for have bands to be held against.
fn checkable(args: &CalibrateArgs) -> Result<(), Error> {
    if args.check && (args.confidence - BANDS_CONFIDENCE).abs() > 1e-9 {
        return Err(Error::usage(
            format!(
                "expected --confidence {BANDS_CONFIDENCE} with --check, found {}",
                args.confidence
            ),
            "leave out one of the two: the bands are those of that confidence",
        ));
    }
    Ok(())
}

fn simulated(args: &CalibrateArgs) -> Result<Document, Error> {
    let settings = StudySettings {
        procedures: procedures(args),
        shapes: shapes(args)?,
        designs: designs(args)?,
        effects: effects(args, &[0.05]),
        repetitions: args.repetitions.unwrap_or(REPETITIONS[usize::from(args.study)]),
        confidence: args.confidence,
        resamples: resamples(args),
        seed: args.seed,
    };
    if args.check {
        banded(&settings)?;
    }
    let progress = progress::count(settings.comparisons());
    let study = simulate(&settings, &|n| progress.inc(n));
    progress.finish_and_clear();
    let check = args.check.then(|| check(&study, &named(args)));
    Ok(study_document(&settings, study, check))
}

fn borrowed(args: &CalibrateArgs) -> Result<Document, Error> {
    if let Some(unequal) = args.runs.iter().find(|design| !design.equal()) {
        return Err(Error::usage(
            format!("expected as many runs of both variants with --borrowed, found {unequal}"),
            format!("give one number: --runs {}", unequal.baseline),
        ));
    }
    if let Some(many) = args.runs.iter().find(|design| design.baseline > 255) {
        return Err(Error::usage(
            format!("expected at most 255 runs each with --borrowed, found {many}"),
            "ask for fewer with --runs",
        ));
    }
    let given: Vec<usize> = args.runs.iter().map(|design| design.baseline).collect();
    let settings = BorrowedSettings {
        places: Places::ALL.to_vec(),
        runs: if given.is_empty() { BORROWED_RUNS.to_vec() } else { once(given) },
        groups: GROUPS.to_vec(),
        effects: effects(args, &[0.05]),
        repetitions: args.repetitions.unwrap_or(BORROWED_REPETITIONS[usize::from(args.study)]),
        confidence: args.confidence,
        resamples: resamples(args),
        seed: args.seed,
    };
    let progress = progress::count(settings.comparisons());
    let rows = simulate_borrowed(&settings, &|n| progress.inc(n));
    progress.finish_and_clear();
    let check = args.check.then(|| check_borrowed(&rows));
    Ok(borrowed_document(&settings, rows, check))
}

fn warnings(args: &CalibrateArgs) -> Result<Document, Error> {
    let most = |design: &Design| !design.equal() || !(3..=255).contains(&design.baseline);
    if let Some(other) = args.runs.iter().copied().find(most) {
        return Err(Error::usage(
            format!("expected 3 to 255 runs of both variants with --warnings, found {other}"),
            "give numbers such as --runs 3,5,8",
        ));
    }
    let given: Vec<usize> = args.runs.iter().map(|design| design.baseline).collect();
    let settings = WarningSettings {
        runs: if given.is_empty() { WARNING_RUNS.to_vec() } else { once(given) },
        repetitions: args.repetitions.unwrap_or(REPETITIONS[usize::from(args.study)]),
        seed: args.seed,
    };
    let how = Resampling { count: resamples(args), seed: args.seed };
    let policy = Policy { confidence: args.confidence, resampling: how, ..Policy::default() };
    let judge = |dataset: &Dataset| -> Vec<&'static str> {
        let report = analyse(dataset, Some("before"), None, &policy);
        let checks = report.into_iter().flat_map(|report| report.comparisons);
        let warned = checks.flat_map(|comparison| comparison.checks);
        warned.filter(|check| check.severity == Severity::Warn).map(|check| check.id).collect()
    };
    let progress = progress::count(settings.comparisons());
    let rows = simulate_warnings(&settings, &judge, &|n| progress.inc(n));
    progress.finish_and_clear();
    let check = args.check.then(|| check_warnings(&rows));
    Ok(warnings_document(&settings, (args.confidence, how.count), rows, check))
}

fn on_own_runs(args: &CalibrateArgs, outputs: &[PathBuf]) -> Result<Document, Error> {
    let settings = OwnSettings {
        procedures: procedures(args),
        designs: once(args.runs.clone()),
        effects: effects(args, &[0.01, 0.02, 0.03, 0.05]),
        repetitions: args.repetitions.unwrap_or(REPETITIONS[0]),
        confidence: args.confidence,
        resamples: resamples(args),
        seed: args.seed,
    };
    let dataset = Job::new(&args.input, outputs)?.dataset()?;
    let progress = progress::count(0);
    let found = own_runs(
        &dataset,
        &args.input.selected(),
        &settings,
        (&|all| progress.set_length(all), &|n| progress.inc(n)),
    )?;
    progress.finish_and_clear();
    Ok(own_runs_document(&settings, found))
}

/// Refuses a check of nothing.
fn banded(settings: &StudySettings) -> Result<(), Error> {
    let any = |shape: &Shape| settings.designs.iter().any(|design| has_band(shape, *design));
    if settings.shapes.iter().any(|shape| any(shape)) {
        return Ok(());
    }
    Err(Error::usage(
        "expected a figure that has a band, found none",
        "check a shape of the reference (--shape reference) with 3 to 40 runs each, 3v10 or 5v20",
    ))
}

fn outcome(check: &Check) -> Outcome {
    if check.violations.is_empty() {
        return Outcome::Clean;
    }
    let outside = check.violations.len();
    let mut places: Vec<String> = check.violations[..outside.min(MOST_LISTED)]
        .iter()
        .map(|violation| format!("{} of {}", violation.figure, violation.cell))
        .collect();
    if outside > MOST_LISTED {
        places.push(format!("{} more", outside - MOST_LISTED));
    }
    complain(&format!(
        "beyondnoise: check failed, {outside} of {} figures outside their bands: {}",
        check.checked,
        places.join("; ")
    ));
    Outcome::Failing
}

fn render(document: &Document, format: Format, options: TextOptions) -> String {
    match format {
        Format::Json => calibrate_json(document),
        Format::Markdown => calibrate_markdown(document),
        Format::Csv => calibrate_csv(document),
        _ => calibrate_text(document, options.width, options.verbose),
    }
}
