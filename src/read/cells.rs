//! The cell of a batch that a run belongs to, and its place in an order: columns of a table, or fields of the
//! workload, by the names that the user gave.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::read::Options;
use crate::read::fields::{Fact, fact_of_column};
use crate::runs::{Run, Setting};

/// Gives every run its cell and its place in the order, as far as `options` ask for them.
///
/// # Errors
///
/// [`Error::Usage`] for a name that no run has.
pub(super) fn assign(runs: &mut [Run], options: &Options) -> Result<(), Error> {
    for name in &options.by {
        let mut any = false;
        for run in runs.iter_mut() {
            let value = take(run, name);
            any |= value.is_some();
            run.cell.insert(name.clone(), value.unwrap_or_default());
        }
        if !any && !runs.is_empty() {
            return Err(nobody_has(name, "--by", runs));
        }
    }
    if let Some(name) = &options.order_by {
        for run in runs.iter_mut() {
            if run.place.is_none() {
                run.place = run.cell.get(name).cloned().or_else(|| look(run, name));
            }
        }
        if !runs.is_empty() && runs.iter().all(|run| run.place.is_none()) {
            return Err(nobody_has(name, "--order-by", runs));
        }
    }
    Ok(())
}

/// What a run says under a name; a column that is nothing else is taken away from the run's own settings.
fn take(run: &mut Run, name: &str) -> Option<String> {
    run.metadata.remove(name).or_else(|| look(run, name))
}

fn look(run: &Run, name: &str) -> Option<String> {
    let shown = |setting: Setting| match setting {
        Setting::Value(value) => Some(value.to_string()),
        Setting::Unlimited => Some("unlimited".to_owned()),
        Setting::Unknown => None,
    };
    let count = |count: Option<u64>| count.map(|count| count.to_string());
    let workload = &run.workload;
    let known = match fact_of_column(name) {
        Some(Fact::Model) => workload.model.clone(),
        Some(Fact::Dataset) => workload.dataset.clone(),
        Some(Fact::Client) => workload.client.clone(),
        Some(Fact::Section) => workload.label.clone(),
        Some(Fact::MaxConcurrency) => shown(workload.max_concurrency),
        Some(Fact::RequestRate) => shown(workload.request_rate),
        Some(Fact::Requests) => count(workload.requests),
        Some(Fact::InputTokens) => count(workload.input_tokens),
        Some(Fact::Started) => run.started.clone(),
        _ => workload.other.get(name).cloned(),
    };
    known.or_else(|| run.metadata.get(name).cloned())
}

fn nobody_has(name: &str, flag: &str, runs: &[Run]) -> Error {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for field in
        ["model", "dataset", "client", "workload", "max_concurrency", "request_rate", "requests"]
    {
        if runs.iter().any(|run| look(run, field).is_some()) {
            known.insert(field);
        }
    }
    for run in runs {
        known.extend(run.metadata.keys().chain(run.workload.other.keys()).map(String::as_str));
        known.extend(run.cell.keys().map(String::as_str));
    }
    let known: Vec<&str> = known.into_iter().filter(|known| *known != name).take(30).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Error::usage(
        format!("expected a column or setting \"{name}\" for {flag}, found {known}"),
        format!("name one of these with {flag}"),
    )
}
