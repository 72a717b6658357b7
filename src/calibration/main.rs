//! The calibration study on the command line: `cargo calibration --study --check`.

mod parsers;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use beyondnoise::analysis::analyse;
use beyondnoise::calibrate::{Design, Procedure};
use beyondnoise::checks::Severity;
use beyondnoise::error::Error;
use beyondnoise::policy::{Policy, parse_confidence};
use beyondnoise::render::{TextOptions, html, json, markdown, text};
use beyondnoise::report::calibrate::Settings;
use beyondnoise::runs::Dataset;
use beyondnoise::stats::{Across, Method, Resampling};
use beyondnoise::write::replace;
use beyondnoise_calibration::{
    Atlas, BANDS_CONFIDENCE, BATCHES, BORROWED_RUNS, BatchSettings, BorrowedSettings,
    CAPACITY_RUNS, CapacitySettings, Check, FITTED, GROUPS, HISTORIES, HistorySettings, LISTS,
    LOOPS, ListSettings, LookSettings, PatchSettings, Places, Report, SWEEP_RUNS, Shape,
    SingleSettings, StudySettings, SweepSettings, WARNING_RUNS, WarningSettings, borrowed_report,
    check, check_borrowed, check_figures, check_looks, check_warnings, csv, figures_report,
    has_band, looks_report, plot, simulate, simulate_batches, simulate_borrowed, simulate_capacity,
    simulate_histories, simulate_lists, simulate_looks, simulate_patches, simulate_single,
    simulate_sweeps, simulate_warnings, study_report, warnings_report,
};
use clap::Parser;
use indicatif::ProgressBar;

use parsers::{FORMATS, across, effect, format, method};

/// Comparisons a cell: for an answer in seconds, and for the tables of the project.
const REPETITIONS: [u64; 2] = [1_000, 20_000];

/// The same with a noise prior, where a cell is cheap.
const BORROWED_REPETITIONS: [u64; 2] = [20_000, 100_000];

/// Runs of each variant that are simulated: all of the same number, and two of different ones.
const DESIGNS: [&str; 10] = ["2", "3", "4", "5", "8", "12", "20", "40", "3v10", "5v20"];

/// Coverage, false alarms and power of the intervals, and false warnings, on simulated noise
#[derive(Debug, Parser)]
#[command(max_term_width = 100)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
struct Args {
    /// How intervals are made; several with commas [default: calibrated]
    #[arg(long, value_parser = method(), value_delimiter = ',', conflicts_with = "borrowed")]
    method: Vec<Method>,

    /// Statistic over the runs of a variant; several with commas [default: mean]
    #[arg(long, value_parser = across(), value_delimiter = ',', conflicts_with = "borrowed")]
    across: Vec<Across>,

    /// Shapes of noise, such as normal-2,spikes; reference: the eight that must keep the bands [default: all]
    #[arg(long, value_delimiter = ',', conflicts_with = "borrowed")]
    shape: Vec<String>,

    /// Runs of each variant, such as 3,5,3v10 [default: 2 to 40, 3v10 and 5v20]
    #[arg(long, value_delimiter = ',')]
    runs: Vec<Design>,

    /// Changes whose detection is counted, as fractions, such as 0.02,-0.05
    #[arg(long, value_delimiter = ',', default_value = "0.05", allow_hyphen_values = true, value_parser = effect)]
    effect: Vec<f64>,

    /// Comparisons a cell [default: 1000; borrowed: 20000; of --study 20000 and 100000]
    #[arg(long, value_parser = clap::value_parser!(u64).range(10..=100_000_000))]
    repetitions: Option<u64>,

    /// Nominal coverage of the intervals
    #[arg(long, default_value = "0.95", value_parser = parse_confidence)]
    confidence: f64,

    /// Resamples drawn where there are too many to enumerate (beyond 6 + 6 runs)
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    resamples: u32,

    /// Seed of the simulated runs and the resamples
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// Simulate a noise prior from the other comparisons of the same inputs
    #[arg(long)]
    borrowed: bool,

    /// Simulate how often the checks warn, where nothing is wrong and where something is
    #[arg(long, conflicts_with_all = ["borrowed", "method", "across", "shape", "plot"])]
    warnings: bool,

    /// Simulate how often what is said of a sweep of loads is false, and how often the bands of its curves cover
    #[arg(long, conflicts_with_all = ["borrowed", "warnings", "method", "across", "shape", "plot"])]
    sweeps: bool,

    /// Simulate how often the interval of the change of a capacity covers
    #[arg(long, conflicts_with_all = ["borrowed", "warnings", "sweeps", "method", "across", "shape", "plot"])]
    capacity: bool,

    /// Simulate batches: the change that all cells share, the factor named, the intervals of called cells
    #[arg(long, conflicts_with_all = ["borrowed", "warnings", "method", "across", "shape", "runs", "plot"])]
    batches: bool,

    /// Simulate lists of cells: runs that span them, and cells whose few runs lie on levels
    #[arg(long, conflicts_with_all = ["borrowed", "warnings", "sweeps", "capacity", "batches", "method", "across", "shape", "runs", "plot"])]
    lists: bool,

    /// Simulate single comparisons: few runs of two modes, pairs and orders of runs that remember the run before
    #[arg(long, conflicts_with_all = ["borrowed", "warnings", "sweeps", "capacity", "batches", "lists", "method", "across", "shape", "runs", "plot"])]
    single: bool,

    /// Simulate runs that are made one after the other with planned looks: what they end with, and after how many
    #[arg(long, conflicts_with_all = ["borrowed", "warnings", "sweeps", "capacity", "batches", "lists", "single", "method", "across", "shape", "runs", "plot"])]
    looks: bool,

    /// Simulate a loop that tries patch after patch: the patches that it keeps in error, and the gains
    #[arg(long = "loop", conflicts_with_all = ["borrowed", "warnings", "sweeps", "capacity", "batches", "lists", "looks", "method", "across", "shape", "runs", "plot"])]
    patches: bool,

    /// Simulate histories of nights: false alarms, how soon a change is found, whether its date is covered
    #[arg(long, conflicts_with_all = ["borrowed", "warnings", "sweeps", "capacity", "batches", "looks", "patches", "method", "across", "shape", "runs", "plot"])]
    history: bool,

    /// Fit the noise atlas of this folder again, write what the program embeds, and leave out each source in turn
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, default_missing_value = "data/atlas", conflicts_with_all = ["borrowed", "warnings", "sweeps", "capacity", "batches", "looks", "patches", "history", "method", "across", "shape", "runs", "plot"])]
    atlas: Option<PathBuf>,

    /// Every method, statistic, shape and number of runs, 20,000 comparisons a cell
    #[arg(long)]
    study: bool,

    /// Exit with 1 if a figure is outside its band: of the methods named, or of the default
    #[arg(long)]
    check: bool,

    /// Draw the coverage against the number of runs into this SVG file
    #[arg(long, value_name = "FILE", conflicts_with = "borrowed")]
    plot: Option<PathBuf>,

    /// Write to this file, in the format of its ending; may be repeated
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Format of standard output
    #[arg(long, default_value = "text", value_parser = FORMATS.map(|(name, _)| name))]
    format: String,

    /// Also show the shapes of noise
    #[arg(short, long)]
    verbose: bool,
}

#[expect(clippy::print_stderr, reason = "the errors of a command line")]
fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(check) if check.violations.is_empty() => ExitCode::SUCCESS,
        Ok(check) => {
            let (outside, all) = (check.violations.len(), check.checked);
            eprintln!("calibration: check failed, {outside} of {all} figures outside their bands");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("calibration: {error}");
            ExitCode::from(2)
        }
    }
}

/// Simulates and writes; the check is empty where none was asked for.
#[expect(clippy::print_stdout, reason = "the report of a command line")]
fn run(args: &Args) -> Result<Check, Error> {
    let formats: Vec<&str> =
        args.output.iter().map(|file| format(file)).collect::<Result<_, _>>()?;
    if args.check && (args.confidence - BANDS_CONFIDENCE).abs() > 1e-9 {
        let problem = format!(
            "expected --confidence {BANDS_CONFIDENCE} with --check, found {}",
            args.confidence
        );
        return Err(Error::usage(problem, "leave out one of the two"));
    }
    let report = if let Some(folder) = &args.atlas {
        atlas(args, folder)?
    } else if args.borrowed {
        borrowed(args)?
    } else if args.warnings {
        warnings(args)?
    } else if args.sweeps {
        sweeps(args)?
    } else if args.capacity {
        capacity(args)?
    } else if args.batches {
        batches(args)
    } else if args.lists {
        lists(args)
    } else if args.single {
        single(args)
    } else if args.looks {
        looks(args)
    } else if args.patches {
        patches(args)
    } else if args.history {
        histories(args)
    } else {
        simulated(args)?
    };
    for (file, format) in args.output.iter().zip(formats) {
        replace(file, rendered(&report, format, args.verbose).as_bytes())?;
    }
    if args.output.is_empty() {
        print!("{}", rendered(&report, &args.format, args.verbose));
    }
    if let Some(file) = &args.plot {
        let drawn = plot(&report).ok_or_else(|| {
            Error::usage("expected a coverage to draw, found none", "ask for more runs with --runs")
        })?;
        replace(file, drawn.as_bytes())?;
    }
    Ok(report.check.unwrap_or_default())
}

fn rendered(report: &Report, format: &str, verbose: bool) -> String {
    match format {
        "markdown" => markdown(report),
        "html" => html(report),
        "json" => json(report),
        "csv" => csv(report),
        _ => text(report, TextOptions { verbose, ..TextOptions::default() }),
    }
}

fn simulated(args: &Args) -> Result<Report, Error> {
    let settings = StudySettings {
        procedures: procedures(args),
        shapes: shapes(args)?,
        designs: designs(args)?,
        effects: args.effect.clone(),
        repetitions: args.repetitions.unwrap_or(REPETITIONS[usize::from(args.study)]),
        confidence: args.confidence,
        resamples: resampling(args).count,
        seed: args.seed,
    };
    let banded = |shape: &Shape| settings.designs.iter().any(|design| has_band(shape, *design));
    if args.check && !settings.shapes.iter().any(|shape| banded(shape)) {
        return Err(Error::usage(
            "expected a figure that has a band, found none",
            "check a shape of the reference (--shape reference) with 3 to 40 runs each, 3v10 or 5v20",
        ));
    }
    let study = watched(settings.comparisons(), |done| simulate(&settings, done));
    // Only the methods and statistics that were named are compared with the bands.
    let named = Procedure::all_of(&args.method, &args.across);
    let check = args.check.then(|| check(&study, &named));
    Ok(study_report(&settings, study, check))
}

fn borrowed(args: &Args) -> Result<Report, Error> {
    let settings = BorrowedSettings {
        places: Places::ALL.to_vec(),
        runs: runs_each(args, 1, &BORROWED_RUNS)?,
        groups: GROUPS.to_vec(),
        effects: args.effect.clone(),
        repetitions: args.repetitions.unwrap_or(BORROWED_REPETITIONS[usize::from(args.study)]),
        confidence: args.confidence,
        resamples: resampling(args).count,
        seed: args.seed,
    };
    let rows = watched(settings.comparisons(), |done| simulate_borrowed(&settings, done));
    let check = args.check.then(|| check_borrowed(&rows));
    Ok(borrowed_report(&settings, rows, check))
}

fn warnings(args: &Args) -> Result<Report, Error> {
    let settings = WarningSettings {
        runs: runs_each(args, 3, &WARNING_RUNS)?,
        repetitions: args.repetitions.unwrap_or(REPETITIONS[usize::from(args.study)]),
        seed: args.seed,
    };
    let (confidence, resampling) = (args.confidence, resampling(args));
    let policy = Policy { confidence, resampling, ..Policy::default() };
    let judge = |dataset: &Dataset| -> Vec<&'static str> {
        let report = analyse(dataset, Some("before"), None, &policy);
        let checks = report.into_iter().flat_map(|report| report.comparisons);
        let warned = checks.flat_map(|comparison| comparison.checks);
        warned
            .filter(|check| check.severity == Severity::Warn)
            .map(|check| check.id.as_str())
            .collect()
    };
    let rows = watched(settings.comparisons(), |done| simulate_warnings(&settings, &judge, done));
    let check = args.check.then(|| check_warnings(&rows));
    Ok(warnings_report(&settings, (confidence, resampling.count), rows, check))
}

fn sweeps(args: &Args) -> Result<Report, Error> {
    let settings = SweepSettings {
        runs: runs_each(args, 2, &SWEEP_RUNS)?,
        repetitions: args.repetitions.unwrap_or(REPETITIONS[usize::from(args.study)]),
        seed: args.seed,
    };
    let (confidence, resampling) = (args.confidence, resampling(args));
    let policy = Policy { confidence, resampling, ..Policy::default() };
    let judge = |dataset: &Dataset| analyse(dataset, Some("before"), None, &policy).ok();
    let rows = watched(settings.sweeps(), |done| simulate_sweeps(&settings, &judge, done));
    let check = args.check.then(|| check_figures(&rows));
    Ok(figures_report("sweeps", shown(args, settings.repetitions), rows, check))
}

fn capacity(args: &Args) -> Result<Report, Error> {
    let settings = CapacitySettings {
        runs: runs_each(args, 2, &CAPACITY_RUNS)?,
        repetitions: args.repetitions.unwrap_or(REPETITIONS[usize::from(args.study)]),
        confidence: args.confidence,
        resampling: resampling(args),
    };
    let rows = watched(settings.sweeps(), |done| simulate_capacity(&settings, done));
    let check = args.check.then(|| check_figures(&rows));
    Ok(figures_report("capacity", shown(args, settings.repetitions), rows, check))
}

fn batches(args: &Args) -> Report {
    let (confidence, resampling) = (args.confidence, resampling(args));
    let policy = Policy { confidence, resampling, method: Method::Welch, ..Policy::default() };
    let repetitions = args.repetitions.unwrap_or(BATCHES[usize::from(args.study)]);
    let rows = simulate_batches(&BatchSettings { policy, repetitions, seed: args.seed });
    let check = args.check.then(|| check_figures(&rows));
    figures_report("batches", shown(args, repetitions), rows, check)
}

fn lists(args: &Args) -> Report {
    let (confidence, resampling) = (args.confidence, resampling(args));
    let policy = Policy { confidence, resampling, ..Policy::default() };
    let repetitions = args.repetitions.unwrap_or(LISTS[usize::from(args.study)]);
    let settings = ListSettings { policy, repetitions, seed: args.seed, all: args.study };
    let rows = watched(settings.lists(), |done| simulate_lists(&settings, done));
    let check = args.check.then(|| check_figures(&rows));
    figures_report("lists", shown(args, repetitions), rows, check)
}

fn single(args: &Args) -> Report {
    let repetitions = args.repetitions.unwrap_or(REPETITIONS[usize::from(args.study)]);
    let (confidence, resampling) = (args.confidence, resampling(args));
    let policy = Policy { confidence, resampling, ..Policy::default() };
    let settings = SingleSettings { policy, repetitions };
    let rows = watched(settings.comparisons(), |done| simulate_single(&settings, done));
    let check = args.check.then(|| check_figures(&rows));
    figures_report("single", shown(args, repetitions), rows, check)
}

fn looks(args: &Args) -> Report {
    let repetitions = args.repetitions.unwrap_or(REPETITIONS[usize::from(args.study)]);
    let (confidence, resampling) = (args.confidence, resampling(args));
    let settings = LookSettings { confidence, resampling, repetitions };
    let rows = watched(settings.comparisons(), |done| simulate_looks(&settings, done));
    let check = args.check.then(|| check_looks(&rows));
    looks_report(shown(args, repetitions), rows, check)
}

fn atlas(args: &Args, folder: &Path) -> Result<Report, Error> {
    let table = Atlas::read(folder)?;
    replace(&folder.join(FITTED), table.fitted()?.as_bytes())?;
    let repetitions = args.repetitions.unwrap_or(REPETITIONS[usize::from(args.study)]);
    let rows = table.leave_one_out(repetitions, args.seed)?;
    let check = args.check.then(|| check_figures(&rows));
    Ok(figures_report("atlas", shown(args, repetitions), rows, check))
}

fn patches(args: &Args) -> Report {
    let loops = args.repetitions.unwrap_or(LOOPS[usize::from(args.study)]);
    let (confidence, resampling) = (args.confidence, resampling(args));
    let settings = PatchSettings { confidence, resampling, loops };
    let rows = watched(2 * loops, |done| simulate_patches(&settings, done));
    let check = args.check.then(|| check_figures(&rows));
    figures_report("loop", shown(args, loops), rows, check)
}

fn histories(args: &Args) -> Report {
    let repetitions = args.repetitions.unwrap_or(HISTORIES[usize::from(args.study)]);
    let settings = HistorySettings { repetitions, seed: args.seed };
    let rows = watched(settings.series(), |done| simulate_histories(settings, done));
    let check = args.check.then(|| check_figures(&rows));
    figures_report("history", shown(args, repetitions), rows, check)
}

/// Simulates so many comparisons under a progress bar.
fn watched<T>(all: u64, simulate: impl FnOnce(&(dyn Fn(u64) + Sync)) -> T) -> T {
    let progress = ProgressBar::new(all);
    let found = simulate(&|n| progress.inc(n));
    progress.finish_and_clear();
    found
}

/// The settings as the report shows them.
fn shown(args: &Args, repetitions: u64) -> Settings {
    let Resampling { count: resamples, seed } = resampling(args);
    Settings { confidence: args.confidence, repetitions, resamples, seed, effects: Vec::new() }
}

/// The numbers of runs named, the same of both variants, or the usual ones.
fn runs_each(args: &Args, least: usize, usual: &[usize]) -> Result<Vec<usize>, Error> {
    let wrong = |design: &&Design| !design.equal() || !(least..=255).contains(&design.baseline);
    if let Some(other) = args.runs.iter().find(wrong) {
        return Err(Error::usage(
            format!("expected {least} to 255 runs of both variants, found {other}"),
            "give numbers such as --runs 3,5,8",
        ));
    }
    let given = args.runs.iter().map(|design| design.baseline).collect();
    Ok(if args.runs.is_empty() { usual.to_vec() } else { given })
}

fn procedures(args: &Args) -> Vec<Procedure> {
    if args.study && args.method.is_empty() && args.across.is_empty() {
        // Of the robust centres only what the other commands use.
        let methods = [Method::Calibrated, Method::Percentile, Method::Bca, Method::Welch];
        let mut all = Procedure::all_of(&methods, &[Across::MEAN]);
        let robust = [Across::MEDIAN, Across::HODGES_LEHMANN];
        all.extend(Procedure::all_of(&[Method::Calibrated], &robust));
        return all;
    }
    Procedure::all_of(&args.method, &args.across)
}

fn shapes(args: &Args) -> Result<Vec<&'static Shape>, Error> {
    let known = |name: &str| ["all", "reference"].contains(&name) || Shape::named(name).is_some();
    if let Some(name) = args.shape.iter().find(|name| !known(name)) {
        let keys: Vec<&str> = Shape::all().iter().map(|shape| shape.key).collect();
        return Err(Error::usage(
            format!("expected a shape of noise, found {name}"),
            format!("give one of {}, or reference or all", keys.join(", ")),
        ));
    }
    let wanted = |shape: &&Shape| {
        args.shape.is_empty()
            || args.shape.iter().any(|name| {
                name == "all"
                    || name == "reference" && shape.reference
                    || Shape::named(name).is_some_and(|named| named.key == shape.key)
            })
    };
    Ok(Shape::all().iter().filter(wanted).collect())
}

fn designs(args: &Args) -> Result<Vec<Design>, Error> {
    if let Some(single) = args.runs.iter().find(|design| design.fewest() < 2) {
        let problem = format!(
            "expected --runs of 2 or more, found {single}: one run has no noise of its own"
        );
        return Err(Error::usage(
            problem,
            "ask for more runs, or for a noise prior with --borrowed",
        ));
    }
    if args.runs.is_empty() {
        let design = |text: &&str| text.parse().expect("a design of this file");
        return Ok(DESIGNS.iter().map(design).collect());
    }
    Ok(args.runs.clone())
}

fn resampling(args: &Args) -> Resampling {
    let count = usize::try_from(args.resamples).unwrap_or(usize::MAX);
    Resampling { count, seed: args.seed }
}
