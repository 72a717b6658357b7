//! Roles of the columns of a table of request rows.

use std::collections::BTreeMap;

use super::columns::Form;

/// Which column is what, by position.
pub(in crate::read) struct Plan {
    pub(in crate::read) headers: Vec<String>,
    /// Unit of the row number: `line`, `object`, `row`.
    pub(in crate::read) counts: &'static str,
    pub(in crate::read) variant: Option<usize>,
    /// All columns that name the run: `run`, `rep`.
    pub(in crate::read) run: Vec<usize>,
    pub(in crate::read) pair: Option<usize>,
    /// Settings in which the runs of a variant may differ.
    pub(in crate::read) settings: Vec<usize>,
    /// Other columns that are constant within a run.
    pub(in crate::read) constants: Vec<usize>,
    /// The column that names the metric, in the long layout.
    pub(in crate::read) metric: Option<usize>,
    /// Columns that are summed up; the one of the values in the long layout.
    pub(in crate::read) values: Vec<Quantity>,
    /// Columns with the success of a request.
    pub(in crate::read) status: Vec<(usize, Status)>,
    /// When a request started and ended, with the factor to seconds where the name has a unit.
    pub(in crate::read) start: Option<(usize, Option<f64>)>,
    pub(in crate::read) end: Option<(usize, Option<f64>)>,
    /// The latency among `values` that leads from start to end where no column has the end, with the factor to
    /// seconds.
    pub(in crate::read) lasting: Option<(usize, f64)>,
    /// Factor to milliseconds of latencies whose names have no unit.
    pub(in crate::read) bare: f64,
    /// Numbers are written with a decimal comma.
    pub(in crate::read) comma: bool,
}

impl Plan {
    /// The columns that are used, and whether their cells are wanted as numbers or as text.
    pub(super) fn wanted(&self) -> BTreeMap<usize, Form> {
        let number = self.values.iter().map(|quantity| quantity.column);
        let number = number.chain(self.start.iter().chain(&self.end).map(|(column, _)| *column));
        let text = self.variant.iter().chain(&self.run).chain(&self.pair).chain(&self.settings);
        let text = text.chain(&self.metric).chain(&self.constants).copied();
        let text = text.chain(self.status.iter().map(|(column, _)| *column));
        number
            .map(|column| (column, Form::Number))
            .chain(text.map(|column| (column, Form::Text)))
            .collect()
    }
}

/// A column of numbers.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::read) struct Quantity {
    pub(in crate::read) column: usize,
    pub(in crate::read) kind: Kind,
}

/// Quantity of a number of a request.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::read) enum Kind {
    /// A latency of the registry, with the factor to milliseconds.
    Latency {
        stem: String,
        factor: f64,
    },
    InputTokens,
    OutputTokens,
    /// Anything else, by its own name.
    Other(String),
}

impl Kind {
    /// Levels of the quantiles that are taken, ascending.
    pub(super) fn levels(&self) -> &'static [f64] {
        match self {
            Self::Latency { .. } => &[0.5, 0.9, 0.95, 0.99],
            Self::Other(_) => &[0.5, 0.99],
            Self::InputTokens | Self::OutputTokens => &[],
        }
    }

    /// Whether 0 and -1 are no values: no latency is 0.
    pub(in crate::read) fn is_latency(&self) -> bool {
        matches!(self, Self::Latency { .. })
    }
}

/// How a column states the success of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) enum Status {
    /// `success`, `ok`: true or false.
    Succeeded,
    /// `failed`: true or false.
    Failed,
    /// `error`: empty where there was none.
    Error,
    /// `status`: a word or a code of HTTP.
    Word,
}

impl Status {
    /// Whether a cell means that the request failed; `None` if it means neither.
    pub(in crate::read) fn failed(self, cell: &[u8]) -> Option<bool> {
        const YES: [&str; 6] = ["true", "1", "yes", "y", "ok", "1.0"];
        const NO: [&str; 6] = ["false", "0", "no", "n", "", "0.0"];
        const NOTHING: [&str; 8] = ["", "0", "none", "null", "nan", "false", "-", "[]"];
        const GOOD: [&str; 9] = [
            "ok",
            "success",
            "successful",
            "succeeded",
            "completed",
            "complete",
            "done",
            "passed",
            "true",
        ];
        const BAD: [&str; 12] = [
            "error",
            "failed",
            "fail",
            "failure",
            "timeout",
            "timed out",
            "cancelled",
            "canceled",
            "aborted",
            "rejected",
            "exception",
            "false",
        ];
        let word = String::from_utf8_lossy(cell).to_lowercase();
        let word = word.trim();
        match self {
            Self::Succeeded if YES.contains(&word) => Some(false),
            Self::Succeeded => NO.contains(&word).then_some(true),
            Self::Failed if YES.contains(&word) => Some(true),
            Self::Failed => NO.contains(&word).then_some(false),
            Self::Error => Some(!NOTHING.contains(&word)),
            Self::Word if GOOD.contains(&word) => Some(false),
            Self::Word if BAD.contains(&word) => Some(true),
            Self::Word => match word.parse::<f64>() {
                Ok(code) if (100.0..600.0).contains(&code) => Some(!(200.0..300.0).contains(&code)),
                _ => None,
            },
        }
    }
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
