//! `compare`: the verdict between variants.

use std::path::{Path, PathBuf};

use beyondnoise::analysis::analyse_with;
use beyondnoise::error::Error;
use beyondnoise::read::Options;
use beyondnoise::report::{Report, TextOptions, csv, html, json, markdown, text};
use beyondnoise::verdict::Gate;

use crate::cli::Outcome;
use beyondnoise::policy::{NoiseFrom, Policy};
use beyondnoise::stats::{Across, Method};

use crate::cli::args::{CompareArgs, Format, OutputArgs};
use crate::cli::output;
use crate::cli::reading;

pub(super) fn run(args: &CompareArgs) -> Result<Outcome, Error> {
    let settings = args.input.config.settings()?;
    let policy = args.policy(settings.policy()?);
    let history =
        args.judge.history.clone().or_else(|| settings.history().filter(|_| lends(&policy)));
    consistent(&policy, history.as_deref())?;
    let targets = targets(&args.output)?;
    let outputs: Vec<&Path> = args.output.output.iter().map(PathBuf::as_path).collect();
    output::guard(&args.input, &outputs)?;
    let guards = policy.guards.clone();
    let base = args.base.clone();
    let options = Options { guards, base, ..args.input.options(&settings.file) };
    let loaded = reading::load(&args.input, &options, &outputs, args.output.quiet)?;
    let earlier = |folder: &str| reading::history(folder, &loaded, &outputs, args.input.lenient);
    let history = history.as_deref().map(earlier);
    let history = history.transpose()?;
    // The label of a policy file is for those inputs that have it.
    let known = loaded.dataset.variant_names();
    let usual = settings.file.baseline.as_deref().filter(|name| known.contains(name));
    let base = args.base.as_deref().or(usual).map(str::to_owned);
    let report = analyse_with(
        &loaded.dataset,
        history.as_ref(),
        base.as_deref(),
        loaded.first_of_two.as_deref(),
        &policy,
    )?;
    let rendered: Vec<(Option<&Path>, String)> = targets
        .into_iter()
        .map(|(file, format)| (file, render(&report, format, &args.output)))
        .collect();
    output::write_each(&rendered)?;
    let outcome = if args.judge.gate { gate(&report) } else { Outcome::Clean };
    // The process ends here: taking so much apart piece by piece takes longer than to print it.
    std::mem::forget((loaded, report));
    Ok(outcome)
}

/// Whether the way of judging can borrow noise.
pub(super) fn lends(policy: &Policy) -> bool {
    policy.across == Across::Mean
        && !policy.paired
        && matches!(policy.method, Method::Calibrated | Method::Welch)
        && matches!(policy.noise, NoiseFrom::Auto | NoiseFrom::Batch)
}

/// Refuses options that contradict each other.
pub(super) fn consistent(policy: &Policy, history: Option<&str>) -> Result<(), Error> {
    if history.is_some() && !lends(policy) {
        return Err(Error::usage(
            "expected --history with the mean, the calibrated or welch method and --noise auto or batch, \
             found another choice of these",
            "leave out --history, or the option that cannot use it",
        ));
    }
    if policy.paired && policy.across == Across::HodgesLehmann {
        return Err(Error::usage(
            "expected the mean, the median or a quantile over pairs, found the Hodges-Lehmann centre, which \
             is one of unpaired runs",
            "leave out --paired, or give --across median",
        ));
    }
    Ok(())
}

/// Endings of the files of each format.
const ENDINGS: [(&[&str], Format); 5] = [
    (&["md", "markdown"], Format::Markdown),
    (&["html", "htm"], Format::Html),
    (&["json"], Format::Json),
    (&["csv"], Format::Csv),
    (&["txt", ""], Format::Text),
];

/// Where the report goes, and in which form: the one asked for, or the one of the file's ending.
fn targets(args: &OutputArgs) -> Result<Vec<(Option<&Path>, Format)>, Error> {
    let mut files: Vec<Option<&Path>> =
        args.output.iter().map(|file| Some(file.as_path())).collect();
    if files.is_empty() {
        files.push(None);
    }
    let form = |file| Ok((file, output::form(args.format, file, &ENDINGS)?));
    let targets: Vec<(Option<&Path>, Format)> =
        files.into_iter().map(form).collect::<Result<_, Error>>()?;
    if args.plot && !targets.iter().any(|(_, format)| *format == Format::Text) {
        return Err(Error::usage(
            format!("expected --plot with text, found a report in {}", targets[0].1.name()),
            "leave out --plot; pages of --format html have plots",
        ));
    }
    Ok(targets)
}

fn render(report: &Report, format: Format, args: &OutputArgs) -> String {
    let to_file = !args.output.is_empty();
    match format {
        Format::Text => text(
            report,
            TextOptions {
                width: output::width(to_file),
                colour: output::coloured(args.color, to_file),
                verbose: args.verbose,
                quiet: args.quiet,
                plot: args.plot,
            },
        ),
        Format::Markdown => markdown(report),
        Format::Html => html(report),
        Format::Json => json(report),
        Format::Csv => csv(report),
    }
}

/// The exit status that the gate's answer makes; the reason goes to standard error.
pub(super) fn gate(report: &Report) -> Outcome {
    let reason = &report.gate_reason;
    match report.gate {
        Gate::Pass => Outcome::Clean,
        Gate::Fail => {
            output::complain(&format!("beyondnoise: gate failed: {reason}"));
            Outcome::Failing
        }
        Gate::None => {
            output::complain(&format!("beyondnoise: gate without a verdict: {reason}"));
            Outcome::NoVerdict
        }
    }
}
