//! Checks of requests or iterations inside a run that are taken as repeats of it.

use std::collections::BTreeSet;

use crate::checks::subject::Subject;
use crate::checks::{Blocks, CheckId, Context, Details, Finding, Severity};
use crate::runs::{ITERATIONS, ITERATIONS_AS_RUNS, OF_REQUESTS, Run, Variant};

/// A second remedy, if each variant has iterations of one process.
const OR_ITERATIONS: &str = ", or take the iterations as runs with --unit iteration, which leaves out differences between processes";

/// Columns that number a run's requests.
const REQUEST_COLUMNS: &str = "\
    request_id request_idx request_index req_id requestid prompt_id prompt_idx query_id \
    sample_id";

/// The requests or iterations behind a run that the reader summarized.
enum Inside<'a> {
    /// Rows of requests, their number as text: `1000`.
    Requests(&'a str),
    /// Iterations of one process; `None` if their number is not known.
    Iterations(Option<u64>),
}

impl<'a> Inside<'a> {
    fn of(run: &'a Run) -> Option<Self> {
        let count = run.metadata.get(ITERATIONS)?;
        Some(match count.strip_suffix(OF_REQUESTS) {
            Some(rows) => Self::Requests(rows.trim_end()),
            None => Self::Iterations(count.parse().ok()),
        })
    }

    fn of_variant(variant: &'a Variant) -> Option<Self> {
        variant.runs.iter().find_map(Self::of)
    }

    fn words(&self) -> String {
        match self {
            Self::Requests(rows) => format!("{rows} {OF_REQUESTS}"),
            Self::Iterations(Some(1)) => "1 iteration".to_owned(),
            Self::Iterations(Some(n)) => format!("{n} iterations"),
            Self::Iterations(None) => "several iterations".to_owned(),
        }
    }
}

/// Rows of requests, or iterations of one process, taken as repeats of a run.
///
/// Requests and iterations share a start, a warm-up and a queue: as repeats they show changes that are noise. Rows of requests
/// stop the whole comparison. The reader has counted iterations as one run already. If a variant has one such run only, and no
/// noise is borrowed, nothing can be judged, and the message says why many iterations do not help. If each variant has several
/// processes, these are the repeats, and it is a note.
pub(super) fn per_request_rows(context: &Context) -> Option<Finding> {
    let sides = [context.baseline, context.candidate];
    let rows = sides.iter().find_map(|variant| Some((*variant, requests(variant)?)));
    if let Some((variant, column)) = rows {
        return Some(rows_of_requests(variant, column));
    }
    let variant = sides.into_iter().find(|variant| Inside::of_variant(variant).is_some())?;
    let first = Inside::of_variant(variant)?;
    let count = variant.runs.iter().find_map(|run| run.metadata.get(ITERATIONS))?;
    let known = context.rows.iter().any(|row| row.noise.is_some_and(|n| n.borrowed.is_some()));
    let single =
        |variant: &&Variant| variant.runs.len() == 1 && Inside::of_variant(variant).is_some();
    let alone: Vec<&Variant> = sides.into_iter().filter(single).collect();
    let blocks = !alone.is_empty() && !known;
    let (message, details) = match first {
        Inside::Requests(_) if blocks => (requests_of_one_run(&alone), Details::UnnamedRuns),
        Inside::Iterations(_) if blocks => one_process(&alone, sides, &first),
        Inside::Requests(_) => {
            let (name, rows) = (&variant.name, first.words());
            let words = "A run summarizes the rows of its requests";
            (format!("{words} ({name}: {rows}): runs are the repeats."), Details::None)
        }
        Inside::Iterations(_) => {
            let (name, iterations) = (&variant.name, first.words());
            let words = "A run is one process and summarizes its iterations";
            (format!("{words} ({name}: {iterations}): processes are the repeats."), Details::None)
        }
    };
    let reason = match first {
        Inside::Requests(_) => "rows of requests",
        Inside::Iterations(_) => "one process",
    };
    let severity = if blocks { Severity::Block } else { Severity::Note };
    Some(
        Finding::new(CheckId::PerRequestRows, severity, message)
            .with("variant", variant.name.clone())
            .with("iterations", count.clone())
            .with("unfolds", details == Details::Unfolds)
            .detailed(details)
            .blocking(if blocks { Blocks::All } else { Blocks::Nothing }, reason),
    )
}

fn rows_of_requests(variant: &Variant, column: &str) -> Finding {
    let message = format!(
        "The {} rows of {} are requests (column {column}), not runs: requests of one run share a server and a \
         queue, so they are not repeats. Give a table with one row per run.",
        variant.runs.len(),
        variant.name
    );
    Finding::new(CheckId::PerRequestRows, Severity::Block, message)
        .with("variant", variant.name.clone())
        .with("column", column)
        .with("rows", variant.runs.len())
        .blocking(Blocks::All, "rows of requests")
}

/// The words for variants whose only run summarizes rows of requests.
fn requests_of_one_run(alone: &[&Variant]) -> String {
    let rows = |variant: &&Variant| match Inside::of(&variant.runs[0]) {
        Some(Inside::Requests(rows)) => format!("{rows} rows of {}", variant.name),
        _ => format!("rows of {}", variant.name),
    };
    let each = if alone.len() == 1 { "" } else { " each" };
    format!(
        "The {} are requests of one run{each}, not repeats: make several runs and name them in a column \"run\".",
        alone.iter().map(rows).collect::<Vec<_>>().join(" and the ")
    )
}

/// The words for variants whose only run is one process.
fn one_process(alone: &[&Variant], sides: [&Variant; 2], inside: &Inside) -> (String, Details) {
    let what = if alone.len() == 1 { "is one process" } else { "are one process each" };
    let unfolds = |variant: &&Variant| variant.runs.iter().all(|run| run.info.unfolds);
    let unfolded = sides.iter().filter(|variant| variant.runs.len() == 1).all(unfolds);
    let or = if unfolded { OR_ITERATIONS } else { "" };
    let names: Vec<&str> = alone.iter().map(|variant| variant.name.as_str()).collect();
    let message = format!(
        "{} {what}: its {} share a start, so they are not repeats. Start the program several times{or}.",
        names.join(" and "),
        inside.words()
    );
    (message, if unfolded { Details::Unfolds } else { Details::None })
}

/// The column that numbers the requests, if a variant's runs are rows of requests.
fn requests(variant: &Variant) -> Option<&str> {
    let first = variant.runs.first()?;
    let columns = first.metrics.keys().chain(first.metadata.keys().map(String::as_str));
    let numbering = |column: &str| {
        let text = |run: &Run| {
            let number = run.metrics.get(column).map(|value| value.value.to_string());
            number.or_else(|| run.metadata.get(column).cloned())
        };
        let ids: Option<BTreeSet<String>> = variant.runs.iter().map(text).collect();
        let one_file = variant.runs.iter().all(|run| run.source.path == first.source.path);
        one_file && ids.is_some_and(|ids| ids.len() > 1)
    };
    columns
        .filter(|column| REQUEST_COLUMNS.split(' ').any(|name| name.eq_ignore_ascii_case(column)))
        .find(|column| numbering(column))
}

pub(super) fn is_iteration(run: &Run) -> bool {
    run.metadata.contains_key(ITERATIONS_AS_RUNS)
}

/// Names the noise that is missing if iterations count as runs; always shown.
pub(super) fn iterations_as_runs(subject: &Subject) -> Option<Finding> {
    let mut runs = subject.builds.iter().flat_map(|build| &build.runs);
    if !runs.any(|run| is_iteration(run)) {
        return None;
    }
    let message = "Each run is an iteration of one process (--unit iteration): differences between processes (layout, ASLR, \
                   compilation) are not in this noise.";
    let finding = Finding::new(CheckId::IterationsAsRuns, Severity::Warn, message.to_owned());
    let Some([a, b]) = subject.both() else { return Some(finding) };
    Some(
        finding
            .with("baseline_iterations", a.runs.len())
            .with("candidate_iterations", b.runs.len()),
    )
}
