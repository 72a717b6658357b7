//! `formats`: every format that can be read, how it is recognised, what one run is, units and directions.

use std::fmt::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use beyondnoise::error::Error;
use beyondnoise::metrics::Metric;
use beyondnoise::read::{Format, formats};

use crate::cli::Outcome;
use crate::cli::args::ShowFormat;
use crate::cli::output;

#[derive(Debug, clap::Args)]
pub(super) struct FormatsArgs {
    /// Form of the list
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    format: ShowFormat,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &FormatsArgs) -> Result<Outcome, Error> {
    args.output.as_deref().map_or(Ok(()), output::named)?;
    let text = match args.format {
        ShowFormat::Text => text(),
        ShowFormat::Json => {
            let mut text = serde_json::to_string_pretty(&document()).unwrap_or_default();
            text.push('\n');
            text
        }
    };
    output::write(text.as_bytes(), args.output.as_deref())?;
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
    for Format { name, recognised_by, one_run, metrics, .. } in formats() {
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

fn document() -> Value {
    let all: Vec<Value> = formats()
        .map(|Format { name, recognised_by, one_run, metrics, .. }| {
            let metrics: Vec<Value> = metrics
                .iter()
                .map(|metric| {
                    json!({
                        "metric": metric.name, "label": metric.label,
                        "unit": metric.unit.symbol(), "better": metric.better
                    })
                })
                .collect();
            json!({
                "name": name, "recognised_by": recognised_by, "one_run": one_run, "metrics": metrics
            })
        })
        .collect();
    json!({"schema": "beyondnoise-formats/1", "formats": all})
}
