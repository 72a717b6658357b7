//! `show`: lists the inputs, their runs and metrics, and where they were read.

use std::collections::BTreeSet;

use beyondnoise::error::Error;
use beyondnoise::job::Source as _;
use beyondnoise::job::listing;
use beyondnoise::metrics::{Metric, rank};
use beyondnoise::read::{Format as Reader, formats};
use beyondnoise::runs::{Column, Dataset, Duplicate, Group, Run, Variant, read_as_lines};
use beyondnoise_model::format::counted;

use crate::cli::inputs::InputArgs;
use crate::cli::job::{Job, Outcome};
use crate::cli::output::{Format, OutputArgs, Outputs};

/// A blank at which no line breaks: a character of private use, which no input has.
const GLUE: &str = "\u{e000}";

/// Common calls, below the help.
const EXAMPLES: &str = "\
Examples:
  beyondnoise show runs/  # which files, runs and metrics were found
  beyondnoise show results.csv -v";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("format", |arg| arg.default_value("text").help("Format of the listing")))]
#[command(mut_arg("verbose", |arg| arg.help("Show every metric of every run")))]
pub(super) struct ShowArgs {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    output: OutputArgs<Self>,
}

impl Outputs for ShowArgs {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json];
    const FLAGS: &'static [&'static str] = &["verbose"];
}

pub(super) fn run(args: &ShowArgs) -> Result<Outcome, Error> {
    let dataset = {
        let job = Job::plain(&args.input, &args.output.files)?;
        job.load(&job.options())?.dataset
    };
    args.output.write(|format, options| match format {
        Format::Json => format!("{:#}\n", listing(&dataset)),
        _ => text(&dataset, options.verbose, options.width),
    })?;
    Ok(Outcome::Clean)
}

fn text(dataset: &Dataset, verbose: bool, width: u16) -> String {
    let mut listing = Listing { out: String::new(), width, verbose };
    listing.inputs(dataset);
    for group in &dataset.groups {
        listing.group(group);
    }
    listing.out
}

struct Listing {
    out: String,
    width: u16,
    verbose: bool,
}

impl Listing {
    fn line(&mut self, indent: usize, text: &str) {
        let (first, later) = (" ".repeat(indent), " ".repeat(indent + 2));
        let options = textwrap::Options::new(usize::from(self.width))
            .initial_indent(&first)
            .subsequent_indent(&later)
            .break_words(false)
            .word_separator(textwrap::WordSeparator::AsciiSpace)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        for line in textwrap::wrap(text, options) {
            self.out.extend([&*line.replace(GLUE, " "), "\n"]);
        }
    }

    fn inputs(&mut self, dataset: &Dataset) {
        self.line(0, "Inputs");
        for input in &dataset.inputs {
            let format = input.format.unwrap_or("no result");
            let runs = counted(input.runs, "run");
            self.line(2, &format!("{}: {format}, {runs}", whole(&input.path)));
            for table in &input.tables {
                if !table.place.is_empty() {
                    self.line(4, &format!("table at {}", whole(&table.place)));
                }
                for Column { name, role, why, .. } in &table.columns {
                    self.line(4, &format!("column {}: {role} ({why})", whole(name)));
                }
            }
            for skipped in &input.skipped {
                self.line(4, &format!("skipped: {}: {}", whole(&skipped.place), skipped.why));
            }
        }
        for Reader { name, recognised_by, one_run, .. } in recognised(dataset) {
            self.line(2, &format!("{name}: recognised by {recognised_by}; one run is {one_run}"));
        }
        let files = dataset.inputs.iter().filter(|input| input.runs > 0).count();
        for text in read_as_lines(&dataset.read_as(), files) {
            self.line(2, &text);
        }
        for text in &dataset.said {
            self.line(2, text);
        }
    }

    fn group(&mut self, group: &Group) {
        self.line(0, "");
        self.line(0, &format!("Workload: {}", group.workload.describe()));
        for variant in &group.variants {
            let failed = match variant.failed.len() {
                0 => String::new(),
                n => format!(", {n} failed and not counted"),
            };
            let runs = counted(variant.runs.len(), "run");
            self.line(2, &format!("{}: {runs}{failed}", variant.name));
            for run in &variant.runs {
                self.run(run);
            }
            for run in &variant.failed {
                let why = run.info.failure.as_deref().unwrap_or_default();
                self.line(4, &format!("{}, failed: {why}", describe(run)));
            }
        }
        for Duplicate { kept, dropped, .. } in &group.duplicates {
            let [kept, dropped] = [kept, dropped].map(|source| whole(&source.to_string()));
            self.line(2, &format!("duplicate, counted once: {dropped} is the same run as {kept}"));
        }
        if !self.verbose {
            self.metrics(group);
        }
    }

    fn run(&mut self, run: &Run) {
        self.line(4, &describe(run));
        for claim in &run.info.claims {
            self.line(6, &format!("claim in the text: {}", claim.text));
        }
        if self.verbose {
            for name in ordered(run.metrics.keys()) {
                let (metric, value) = (Metric::named(name), run.metrics[name]);
                self.line(6, &format!("{}: {}", metric.row_label(), value.value));
            }
        }
    }

    fn metrics(&mut self, group: &Group) {
        let names: BTreeSet<&str> = runs(group).flat_map(|run| run.metrics.keys()).collect();
        let labels = ordered(names).into_iter().map(|name| {
            let metric = Metric::named(name);
            let better = metric.better.map_or(" (direction not known)", |_| "");
            whole(&format!("{}{better}", metric.row_label()))
        });
        let labels: Vec<String> = labels.collect();
        self.line(2, &format!("metrics: {}", labels.join(", ")));
    }
}

/// `text` as one word, which no line breaks: a path, or a name with its unit.
fn whole(text: &str) -> String {
    text.replace(' ', GLUE)
}

/// The formats of the inputs.
fn recognised(dataset: &Dataset) -> impl Iterator<Item = Reader> {
    let names: BTreeSet<&str> = dataset.inputs.iter().filter_map(|input| input.format).collect();
    formats().filter(move |format| names.contains(format.name))
}

fn runs(group: &Group) -> impl Iterator<Item = &Run> {
    group.variants.iter().flat_map(|variant: &Variant| &variant.runs)
}

fn ordered<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by_key(|name| (rank(name), *name));
    names
}

/// Source, name, start and counts of a run.
fn describe(run: &Run) -> String {
    let mut parts = vec![whole(&run.source.to_string())];
    parts.extend(run.name.clone());
    parts.extend(run.info.started.as_ref().map(|at| format!("started {at}")));
    parts.extend(run.info.output_tokens.map(|tokens| format!("{tokens} output tokens")));
    parts.extend(
        run.info.failed.filter(|failed| *failed > 0).map(|failed| format!("{failed} failed")),
    );
    parts.extend(run.requests.as_ref().map(|r| format!("detail of {} requests", r.count())));
    parts.join(", ")
}
