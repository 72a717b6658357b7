//! A measurement that the change cannot affect: a metric of the run, or a cell.

use std::collections::BTreeMap;

use crate::runs::Run;

/// A measurement in every run that the change cannot affect: an influence on it moves the other metrics of the run too.
#[derive(Clone, Debug)]
pub(crate) struct Control<'a> {
    /// Canonical name of the metric, or the words for the cell.
    pub name: String,
    /// The origin of its values.
    pub source: ControlSource<'a>,
}

/// The origin of a control's values.
#[derive(Clone, Debug)]
pub(crate) enum ControlSource<'a> {
    /// A metric of the same run.
    Metric,
    /// The same metric in a run of another cell: for the baseline and the candidate, by the position of the compared run.
    Cell([BTreeMap<usize, &'a Run>; 2]),
}
