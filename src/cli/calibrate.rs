//! `calibrate`: error rates of the intervals, simulated or on the user's own runs.

mod arguments;

use std::path::PathBuf;

use beyondnoise::analysis::analyse;
use beyondnoise::calibrate::{
    BANDS_CONFIDENCE, BORROWED_RUNS, BorrowedSettings, CalibrationReport, Check, Design, GROUPS,
    OwnSettings, Places, Shape, StudySettings, WARNING_RUNS, WarningSettings, borrowed_document,
    check, check_borrowed, check_warnings, has_band, own_runs, own_runs_document, simulate,
    simulate_borrowed, simulate_warnings, study_document, warnings_document,
};
use beyondnoise::checks::Severity;
use beyondnoise::error::Error;
use beyondnoise::policy::Policy;
use beyondnoise::render::{calibrate_csv, calibrate_plot, json};
use beyondnoise::runs::Dataset;
use beyondnoise::stats::Resampling;

use crate::cli::output::{Format, show, write};
use crate::cli::progress;
use crate::cli::run::{Job, Outcome, check_outputs};
use crate::cli::terminal::print_error;

pub(super) use arguments::CalibrateArgs;
use arguments::{designs, effects, named, once, procedures, resamples, shapes};

/// Comparisons a cell: for an answer in seconds, and for the tables of the project.
const REPETITIONS: [u64; 2] = [1_000, 20_000];

/// The same with a noise prior, where a cell is cheap.
const BORROWED_REPETITIONS: [u64; 2] = [20_000, 100_000];

/// Limit of violations in the message on standard error; the report lists all.
const MAX_LISTED: usize = 5;

pub(super) fn run(args: &CalibrateArgs) -> Result<Outcome, Error> {
    args.output.check()?;
    let files: Vec<PathBuf> = args.output.files.iter().chain(&args.plot).cloned().collect();
    check_outputs(&args.input, &files)?;
    checkable(args)?;
    let report = if !args.input.inputs.is_empty() {
        on_own_runs(args, &files)?
    } else if args.borrowed {
        borrowed(args)?
    } else if args.warnings {
        warnings(args)?
    } else {
        simulated(args)?
    };
    args.output.write(|format, options| match format {
        Format::Json => json(&report),
        Format::Csv => calibrate_csv(&report),
        _ => show(&report, format, options),
    })?;
    if let Some(file) = &args.plot {
        let drawn = calibrate_plot(&report).ok_or_else(|| {
            Error::usage("expected a coverage to draw, found none", "ask for more runs with --runs")
        })?;
        write(drawn.as_bytes(), Some(file))?;
    }
    Ok(report.check.as_ref().map_or(Outcome::Clean, outcome))
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

fn simulated(args: &CalibrateArgs) -> Result<CalibrationReport, Error> {
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

fn borrowed(args: &CalibrateArgs) -> Result<CalibrationReport, Error> {
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

fn warnings(args: &CalibrateArgs) -> Result<CalibrationReport, Error> {
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
        warned
            .filter(|check| check.severity == Severity::Warn)
            .map(|check| check.id.as_str())
            .collect()
    };
    let progress = progress::count(settings.comparisons());
    let rows = simulate_warnings(&settings, &judge, &|n| progress.inc(n));
    progress.finish_and_clear();
    let check = args.check.then(|| check_warnings(&rows));
    Ok(warnings_document(&settings, (args.confidence, how.count), rows, check))
}

fn on_own_runs(args: &CalibrateArgs, outputs: &[PathBuf]) -> Result<CalibrationReport, Error> {
    let settings = OwnSettings {
        procedures: procedures(args),
        designs: once(args.runs.clone()),
        effects: effects(args, &[0.01, 0.02, 0.03, 0.05]),
        repetitions: args.repetitions.unwrap_or(REPETITIONS[0]),
        confidence: args.confidence,
        resamples: resamples(args),
        seed: args.seed,
    };
    let dataset = Job::plain(&args.input, outputs)?.dataset()?;
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
    let mut places: Vec<String> = check.violations[..outside.min(MAX_LISTED)]
        .iter()
        .map(|violation| format!("{} of {}", violation.figure, violation.cell))
        .collect();
    if outside > MAX_LISTED {
        places.push(format!("{} more", outside - MAX_LISTED));
    }
    print_error(&format!(
        "beyondnoise: check failed, {outside} of {} figures outside their bands: {}",
        check.checked,
        places.join("; ")
    ));
    Outcome::Failing
}
