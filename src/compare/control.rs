//! A measurement that the change cannot affect: a metric of the run, or a cell.

use std::collections::BTreeMap;

use crate::runs::Run;

/// A measurement in every run that the change cannot affect: what moves it moves the other metrics of the run too.
#[derive(Clone, Debug)]
pub struct Control<'a> {
    /// Canonical name of the metric, or the words for the cell.
    pub name: String,
    /// Where its values are.
    pub source: ControlSource<'a>,
}

/// Where the values of a control are.
#[derive(Clone, Debug)]
pub enum ControlSource<'a> {
    /// A metric of the same run.
    Metric,
    /// The same metric in the run of another cell: of the baseline and the candidate, by the position of the compared run.
    Cell([BTreeMap<usize, &'a Run>; 2]),
}
