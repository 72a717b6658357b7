//! Roles of the columns of a table of request rows.

use crate::table::request_names::{Kind, Status};

/// Which column is what, by position.
#[derive(Debug)]
pub struct Plan {
    /// Names of all columns.
    pub headers: Vec<String>,
    /// Unit of the row number: `line`, `object`, `row`.
    pub counts: &'static str,
    /// The column that names the variant.
    pub variant: Option<usize>,
    /// All columns that name the run: `run`, `rep`.
    pub run: Vec<usize>,
    /// The column that names the pair of a run.
    pub pair: Option<usize>,
    /// Settings in which the runs of a variant may differ.
    pub settings: Vec<usize>,
    /// Other columns that are constant within a run.
    pub constants: Vec<usize>,
    /// The column that names the metric, in the long layout.
    pub metric: Option<usize>,
    /// Columns that are summed up; the one of the values in the long layout.
    pub values: Vec<Quantity>,
    /// A column whose values differ among the requests of a run.
    pub request: Option<usize>,
    /// Columns with the success of a request.
    pub status: Vec<(usize, Status)>,
    /// When a request started, with the factor to seconds where the name has a unit.
    pub start: Option<(usize, Option<f64>)>,
    /// When it ended, as `start`.
    pub end: Option<(usize, Option<f64>)>,
    /// The latency among `values` that leads from start to end where no column has the end, with the factor to
    /// seconds.
    pub lasting: Option<(usize, f64)>,
    /// The start and the end are dates, not numbers.
    pub dates: bool,
    /// Factor to milliseconds of latencies whose names have no unit.
    pub bare: f64,
    /// Numbers are written with a decimal comma.
    pub comma: bool,
}

/// A column of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Position of the column.
    pub column: usize,
    /// Meaning of its numbers.
    pub kind: Kind,
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
