//! The cell of a batch that a run belongs to, and its place in an order: columns of a table, or fields of the
//! workload, by the names that the user gave.

use std::collections::BTreeSet;

use crate::kit::fields::{RunField, field_of_column};
use crate::reader::Options;
use beyondnoise_model::error::Error;
use beyondnoise_model::metrics::did_you_mean;
use beyondnoise_model::runs::{Run, RunInfo};

/// Gives every run its cell and its place in the order, as far as `options` ask for them.
///
/// # Errors
///
/// [`Error::Usage`] for a name that no run has.
pub(crate) fn assign(runs: &mut [Run], options: &Options) -> Result<(), Error> {
    let by: Vec<(&String, Option<RunField>)> =
        options.by.iter().map(|name| (name, field_of_column(name))).collect();
    let mut any = vec![false; by.len()];
    let mut before: Option<(Run, Run)> = None;
    for run in runs.iter_mut().filter(|_| !by.is_empty()) {
        if let Some((_, is)) = before.as_ref().filter(|(was, _)| says_the_same(was, run)) {
            (run.cell, run.metadata) = (is.cell.clone(), is.metadata.clone());
            continue;
        }
        let was = bare(run);
        for (&(name, field), any) in by.iter().zip(&mut any) {
            let value = run.metadata.get(name).cloned().or_else(|| look(run, name, field));
            // A column that is nothing else is taken away from the run's own settings; what is shared is copied only then.
            if run.metadata.contains_key(name) {
                run.metadata.remove(name);
            }
            *any |= value.is_some();
            run.cell.insert(name.clone(), value.unwrap_or_default());
        }
        before = Some((was, bare(run)));
    }
    if let Some(((name, _), _)) = by.iter().zip(any).find(|(_, any)| !any && !runs.is_empty()) {
        return Err(nobody_has(name, "--by", runs));
    }
    if let Some(name) = &options.order_by {
        let field = field_of_column(name);
        for run in runs.iter_mut() {
            if run.info.place.is_none()
                && let Some(place) = run.cell.get(name).cloned().or_else(|| look(run, name, field))
            {
                run.info.place = Some(place);
            }
        }
        if !runs.is_empty() && runs.iter().all(|run| run.info.place.is_none()) {
            return Err(nobody_has(name, "--order-by", runs));
        }
    }
    Ok(())
}

/// Whether two runs share all that can name their cell, as neighbours in a table do.
fn says_the_same(a: &Run, b: &Run) -> bool {
    a.metadata.is_same(&b.metadata)
        && a.workload.is_same(&b.workload)
        && a.cell.is_same(&b.cell)
        && (a.info.is_same(&b.info) || a.info.started == b.info.started)
}

/// The parts of a run that can name its cell.
fn bare(run: &Run) -> Run {
    let Run { metadata, workload, cell, info, .. } = run;
    let (metadata, workload, cell) = (metadata.clone(), workload.clone(), cell.clone());
    let info = RunInfo { started: info.started.clone(), ..RunInfo::default() };
    Run { metadata, workload, cell, info: info.into(), ..Run::default() }
}

/// The value of a run under a name, or of the field that it means.
pub(crate) fn look(run: &Run, name: &str, field: Option<RunField>) -> Option<String> {
    let count = |count: Option<u64>| count.map(|count| count.to_string());
    let workload = &run.workload;
    let known = match field {
        Some(RunField::Model) => workload.model.clone(),
        Some(RunField::Dataset) => workload.dataset.clone(),
        Some(RunField::Client) => workload.client.clone(),
        Some(RunField::Section) => workload.label.clone(),
        Some(RunField::MaxConcurrency) => workload.max_concurrency.shown(),
        Some(RunField::RequestRate) => workload.request_rate.shown(),
        Some(RunField::Requests) => count(workload.requests),
        Some(RunField::InputTokens) => count(workload.input_tokens),
        Some(RunField::Started) => run.info.started.clone(),
        _ => workload.other.get(name).cloned(),
    };
    known.or_else(|| run.metadata.get(name).cloned())
}

pub(crate) fn nobody_has(name: &str, flag: &str, runs: &[Run]) -> Error {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for field in
        ["model", "dataset", "client", "workload", "max_concurrency", "request_rate", "requests"]
    {
        let known_field = field_of_column(field);
        if runs.iter().any(|run| look(run, field, known_field).is_some()) {
            known.insert(field);
        }
    }
    for run in runs {
        known.extend(run.metadata.keys().chain(run.workload.other.keys()).map(String::as_str));
        known.extend(run.cell.keys().map(String::as_str));
    }
    known.remove(name);
    let meant = did_you_mean(name, known.iter().copied());
    let known: Vec<&str> = known.into_iter().take(30).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Error::usage(
        format!("expected a column or setting \"{name}\" for {flag}, found {known}"),
        meant.unwrap_or_else(|| format!("name one of these with {flag}")),
    )
}
