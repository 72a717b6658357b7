//! Roles of the columns of a table of request rows.

use crate::table::request_names::{Kind, Status};

/// Which column is what, by position.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) headers: Vec<String>,
    /// Unit of the row number: `line`, `object`, `row`.
    pub(crate) counts: &'static str,
    pub(crate) variant: Option<usize>,
    /// All columns that name the run: `run`, `rep`.
    pub(crate) run: Vec<usize>,
    pub(crate) pair: Option<usize>,
    /// Settings in which the runs of a variant may differ.
    pub(crate) settings: Vec<usize>,
    /// Other columns that are constant within a run.
    pub(crate) constants: Vec<usize>,
    /// The column that names the metric, in the long layout.
    pub(crate) metric: Option<usize>,
    /// Columns that are summed up; the one of the values in the long layout.
    pub(crate) values: Vec<Quantity>,
    /// A column whose values differ among the requests of a run.
    pub(crate) request: Option<usize>,
    /// Columns with the success of a request.
    pub(crate) status: Vec<(usize, Status)>,
    /// When a request started and ended, with the factor to seconds where the name has a unit.
    pub(crate) start: Option<(usize, Option<f64>)>,
    pub(crate) end: Option<(usize, Option<f64>)>,
    /// The latency among `values` that leads from start to end where no column has the end, with the factor to
    /// seconds.
    pub(crate) lasting: Option<(usize, f64)>,
    /// The start and the end are dates, not numbers.
    pub(crate) dates: bool,
    /// Factor to milliseconds of latencies whose names have no unit.
    pub(crate) bare: f64,
    /// Numbers are written with a decimal comma.
    pub(crate) comma: bool,
}

/// A column of numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quantity {
    pub(crate) column: usize,
    pub(crate) kind: Kind,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_told_or_not_guessed() {
        for (status, cell, failed) in [
            (Status::Succeeded, "True", Some(false)),
            (Status::Succeeded, "0", Some(true)),
            (Status::Succeeded, "maybe", None),
            (Status::Failed, "1", Some(true)),
            (Status::Error, "", Some(false)),
            (Status::Error, "None", Some(false)),
            (Status::Error, "timeout after 30 s", Some(true)),
            (Status::Word, "200", Some(false)),
            (Status::Word, "503", Some(true)),
            (Status::Word, "Completed", Some(false)),
            (Status::Word, "stop", None),
        ] {
            assert_eq!(status.failed(cell.as_bytes()), failed, "{status:?} {cell}");
        }
    }
}
