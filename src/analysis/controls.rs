//! The control that the user named: a metric of the runs, or a cell.

use std::collections::BTreeMap;

use crate::analysis::spanning::{RunIdentities, spanning_runs};
use crate::compare::{Control, ControlSource};
use crate::error::Error;
use crate::metrics::{Metric, did_you_mean};
use crate::policy::Policy;
use crate::runs::{Dataset, Group, Run, Variant};

/// The metric or cell that `--control` names.
pub(super) enum Named<'a> {
    Nothing,
    Metric(String),
    /// The text of `--control`, and the groups in which a column or setting has that value.
    Cell(&'a str, Vec<&'a Group>),
}

impl<'a> Named<'a> {
    /// The metric of this name, or else the cells in which a column has this value: `VALUE` or `COLUMN=VALUE`.
    pub(super) fn find(dataset: &'a Dataset, policy: &'a Policy) -> Result<Self, Error> {
        let Some(text) = policy.control.as_deref() else { return Ok(Self::Nothing) };
        let metric = Metric::of_column(text).0.name;
        if dataset.lacks([&metric]).is_none() {
            return Ok(Self::Metric(metric));
        }
        let named = |group: &&Group| has(&values(group), text);
        let cells: Vec<&Group> = dataset.groups.iter().filter(named).collect();
        if cells.is_empty() {
            let problem = format!("expected a metric or a cell for --control, found \"{text}\"");
            let metrics = dataset.metrics();
            let remedy = did_you_mean(&metric, metrics.iter().copied()).unwrap_or_else(|| {
                format!("name one of {}, or a cell as COLUMN=VALUE", metrics.join(", "))
            });
            return Err(Error::usage(problem, remedy));
        }
        Ok(Self::Cell(text, cells))
    }

    /// Whether these values name the control cell.
    pub(super) fn is_cell(&self, values: &BTreeMap<String, String>) -> bool {
        matches!(self, Self::Cell(text, _) if has(values, text))
    }

    /// The control for two variants of a group. `None` for the control cell itself, if several cells are equally near, or if a
    /// variant's runs are not those of the cell.
    pub(super) fn of(&self, group: &Group, variants: [&Variant; 2]) -> Option<Control<'a>> {
        match self {
            Self::Nothing => None,
            Self::Metric(name) => {
                Some(Control { name: name.clone(), source: ControlSource::Metric })
            }
            Self::Cell(text, cells) => {
                let here = values(group);
                if cells.iter().any(|cell| std::ptr::eq(*cell, group)) {
                    return None;
                }
                let differing = |cell: &&Group| {
                    let there = values(cell);
                    here.iter().filter(|(column, value)| there.get(*column) != Some(value)).count()
                };
                let fewest = cells.iter().map(&differing).min()?;
                let mut nearest = cells.iter().filter(|cell| differing(cell) == fewest);
                let cell = nearest.next().filter(|_| nearest.next().is_none())?;
                let runs = variants.map(|variant| runs_of(cell, variant));
                let [Some(baseline), Some(candidate)] = runs else { return None };
                let source = ControlSource::Cell([baseline, candidate]);
                Some(Control { name: (*text).to_owned(), source })
            }
        }
    }
}

/// Whether a column has the value that `text` names, as `VALUE` or `COLUMN=VALUE`.
fn has(values: &BTreeMap<String, String>, text: &str) -> bool {
    values.iter().any(|(column, value)| value == text || format!("{column}={value}") == text)
}

/// The columns and settings of a group with their values.
fn values(group: &Group) -> BTreeMap<String, String> {
    group.workload.fields().into_iter().chain(group.cell.clone()).collect()
}

/// The runs of the control cell that are the same runs as a variant's, by their positions in the variant.
fn runs_of<'a>(cell: &'a Group, variant: &Variant) -> Option<BTreeMap<usize, &'a Run>> {
    let control = cell.variants.iter().find(|control| control.name == variant.name)?;
    let mut known = RunIdentities::default();
    let cells = [&variant.runs, &control.runs].map(|runs| {
        runs.iter().map(|run| known.of(run.name.as_deref(), &run.source.path)).collect()
    });
    let numbers = spanning_runs(&cells)?;
    let [here, there] = &numbers[..] else { return None };
    let known: BTreeMap<usize, &Run> = there.iter().copied().zip(&control.runs).collect();
    let found = here.iter().enumerate();
    Some(found.filter_map(|(at, number)| Some((at, *known.get(number)?))).collect())
}
