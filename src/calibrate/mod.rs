//! Error rates of the intervals, measured: on simulated noise, and on the user's own repeated runs.
//!
//! An interval at 95 % that covers the truth 81 % of the time is worse than none, and with three runs a plain
//! bootstrap gives that. [`simulate`] draws both variants from the same noise and counts how often the interval
//! covers the ratio of 1, how wide it is, and how often it detects a change of a given size. [`simulate_borrowed`]
//! does so with noise priors from the other comparisons of a job. [`own_runs`] splits the repeated runs of one build
//! at random and counts how often the halves are called different. [`simulate_warnings`] counts how often the checks
//! warn where nothing is wrong, and where something is. [`check`], [`check_borrowed`] and [`check_warnings`] compare
//! the figures with their bands.
//!
//! Every repetition has a generator stream of its own, given by what is drawn and not by when: the figures are the
//! same on any number of threads, and those of a cell do not depend on which other cells are asked for.

mod bands;
mod borrowed;
mod places;
mod procedure;
mod repeat;
mod report;
mod shapes;
mod split_half;
mod split_half_rows;
mod split_series;
mod study;
mod warnings;

pub(crate) use bands::EACH;
pub use bands::{
    BANDS_CONFIDENCE, Check, Violation, check, check_borrowed, check_warnings, has_band,
};
pub use borrowed::{BORROWED_RUNS, BorrowedRow, BorrowedSettings, GROUPS, simulate_borrowed};
pub use places::Places;
pub use procedure::{Design, Power, Procedure};
pub use report::{CalibrationReport, Results, SCHEMA, Settings, ShapeRow, borrowed_document};
pub use report::{own_runs_document, study_document, warnings_document};
pub use shapes::Shape;
pub use split_half::{OwnGroup, OwnRow, OwnRuns, OwnSettings, own_runs};
pub use study::{Average, Cell, Study, StudySettings, simulate};
pub use warnings::{ANY, BY_CHANCE, WARNING_RUNS, WarningRow, WarningSettings, simulate_warnings};
