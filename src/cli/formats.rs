//! `formats`: lists the formats that can be read, with their marks, metrics, units and directions.

use std::fmt::Write;

use beyondnoise::error::Error;
use beyondnoise::job::listing_of_formats;
use beyondnoise::metrics::Metric;
use beyondnoise::read::{Format as Reader, formats};

use crate::cli::job::Outcome;
use crate::cli::output::{Format, OutputArgs, Outputs, refuse_hyphen};

/// Common calls, below the help.
const EXAMPLES: &str = "\
Examples:
  beyondnoise formats
  beyondnoise formats -o formats.json  # for programs";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("format", |arg| arg.default_value("text").help("Format of the list")))]
pub(super) struct FormatsArgs {
    #[command(flatten)]
    output: OutputArgs<Self>,
}

impl Outputs for FormatsArgs {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json];
    const FLAGS: &'static [&'static str] = &[];
}

pub(super) fn run(args: &FormatsArgs) -> Result<Outcome, Error> {
    refuse_hyphen(&args.output.files)?;
    args.output.write(|format, _| match format {
        Format::Json => format!("{:#}\n", listing_of_formats()),
        _ => text(),
    })?;
    Ok(Outcome::Clean)
}

fn text() -> String {
    let mut out = String::from(
        "Formats are recognised by content, in this order. Anything else with a record per run is read as \
         a table;\ndirections of its columns come from --metric NAME:lower|higher.\n",
    );
    let mut line = |text: std::fmt::Arguments| {
        writeln!(out, "{text}").expect("writing to a String cannot fail");
    };
    for Reader { name, recognised_by, one_run, metrics, .. } in formats() {
        line(format_args!("\n{name}"));
        line(format_args!("  recognised by: {recognised_by}"));
        line(format_args!("  one run: {one_run}"));
        if !metrics.is_empty() {
            let labels: Vec<String> = metrics.iter().map(described).collect();
            line(format_args!("  metrics: {}", labels.join(", ")));
        }
    }
    out
}

/// Row of a metric with its direction: `mean TTFT ms (lower is better)`.
fn described(metric: &Metric) -> String {
    let label = metric.row_label();
    metric.better.map_or(label.clone(), |better| format!("{label} ({} is better)", better.word()))
}
