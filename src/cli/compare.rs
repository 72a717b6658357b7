//! `compare`: the verdict between variants.

use beyondnoise::analysis::analyse_with;
use beyondnoise::error::Error;
use beyondnoise::history;
use beyondnoise::report::{Report, TextOptions, csv, json, markdown, text};
use beyondnoise::verdict::Gate;

use crate::cli::Outcome;
use beyondnoise::stats::Across;

use crate::cli::args::{CompareArgs, Format, MethodArg, NoiseArg, OutputArgs};
use crate::cli::output;
use crate::cli::reading;

pub(super) fn run(args: &CompareArgs) -> Result<Outcome, Error> {
    consistent(args)?;
    let format = format_of(&args.output)?;
    output::guard(&args.input.inputs, args.output.output.as_deref())?;
    let loaded = reading::load(&args.input, args.output.quiet)?;
    let history = args.history.as_deref().map(|folder| history::load(folder, &loaded.dataset));
    let history = history.transpose()?;
    let report = analyse_with(
        &loaded.dataset,
        history.as_ref(),
        args.base.as_deref(),
        loaded.first_of_two.as_deref(),
        &args.policy(),
    )?;
    let file = args.output.output.as_deref();
    output::write(render(&report, format, &args.output).as_bytes(), file)?;
    Ok(if args.gate { gate(&report) } else { Outcome::Clean })
}

/// Refuses options that contradict each other.
fn consistent(args: &CompareArgs) -> Result<(), Error> {
    let lends = args.across == Across::Mean
        && matches!(args.method, MethodArg::Calibrated | MethodArg::Welch)
        && matches!(args.noise, NoiseArg::Auto | NoiseArg::Batch);
    if args.history.is_some() && !lends {
        return Err(Error::usage(
            "expected --history with the mean, the calibrated or welch method and --noise auto or batch, \
             found another choice of these",
            "leave out --history, or the option that cannot use it",
        ));
    }
    if args.paired && args.across == Across::HodgesLehmann {
        return Err(Error::usage(
            "expected the mean, the median or a quantile over pairs, found the Hodges-Lehmann centre, which \
             is one of unpaired runs",
            "leave out --paired, or give --across median",
        ));
    }
    Ok(())
}

/// The format asked for, or the one of the file's ending.
fn format_of(args: &OutputArgs) -> Result<Format, Error> {
    if let Some(format) = args.format {
        return Ok(format);
    }
    let Some(file) = &args.output else { return Ok(Format::Text) };
    let ending = file.extension().map_or_else(String::new, |e| e.to_string_lossy().to_lowercase());
    match ending.as_str() {
        "md" | "markdown" => Ok(Format::Markdown),
        "json" => Ok(Format::Json),
        "csv" => Ok(Format::Csv),
        "txt" | "" => Ok(Format::Text),
        other => Err(Error::usage(
            format!("expected a report ending in md, json, csv or txt, found .{other}"),
            "give another ending to -o, or the form with --format",
        )),
    }
}

fn render(report: &Report, format: Format, args: &OutputArgs) -> String {
    let to_file = args.output.is_some();
    match format {
        Format::Text => text(
            report,
            TextOptions {
                width: output::width(to_file),
                colour: output::coloured(args.color, to_file),
                verbose: args.verbose,
                quiet: args.quiet,
            },
        ),
        Format::Markdown => markdown(report),
        Format::Json => json(report),
        Format::Csv => csv(report),
    }
}

/// The worst answer of all comparisons.
fn gate(report: &Report) -> Outcome {
    let any = |gate| report.comparisons.iter().any(|comparison| comparison.gate == gate);
    let reason = |gate| {
        let found = report.comparisons.iter().find(|comparison| comparison.gate == gate);
        found.map_or_else(String::new, |c| format!("{}: {}", c.candidate.name, c.summary))
    };
    if any(Gate::Fail) {
        output::complain(&format!("beyondnoise: gate failed: {}", reason(Gate::Fail)));
        Outcome::Failing
    } else if any(Gate::None) || report.comparisons.is_empty() {
        output::complain(&format!("beyondnoise: gate without a verdict: {}", reason(Gate::None)));
        Outcome::NoVerdict
    } else {
        Outcome::Clean
    }
}
