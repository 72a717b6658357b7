//! The calibration study: error rates of the intervals and of the warnings, measured on simulated noise.
//!
//! An interval at 95 % that covers the truth 81 % of the time is worse than none, and with three runs a plain
//! bootstrap gives that. [`simulate`] draws both variants from the same noise and counts how often the interval
//! covers the ratio of 1, how wide it is, and how often it detects a change of a given size. [`simulate_borrowed`]
//! does so with noise priors from the other comparisons of a job. [`simulate_warnings`] counts how often the checks
//! warn where nothing is wrong, and where something is. [`simulate_sweeps`] counts how often what is said of a sweep is
//! false, [`simulate_capacity`] how often the interval of a capacity's change covers, [`simulate_batches`] what is said of a batch as a
//! whole, [`simulate_lists`] of cells that share runs or lie on levels, [`simulate_single`] of a comparison in pairs or of two modes,
//! [`simulate_looks`] how runs that are made one after the other end, [`simulate_patches`] what a loop over patches keeps,
//! [`simulate_histories`] what is said of series of nights. [`Atlas`] fits the published noise and
//! leaves each of its sources out. [`check`], [`check_borrowed`], [`check_warnings`],
//! [`check_figures`] and [`check_looks`] compare the figures with their bands.
//!
//! Every repetition has a generator stream of its own, given by what is drawn and not by when: the figures are the
//! same on any number of threads, and those of a cell do not depend on which other cells are asked for.

mod atlas;
mod bands;
mod batches;
mod borrowed;
mod borrowed_document;
mod capacity;
mod csv;
mod figures;
mod histories;
mod lists;
mod looks;
mod looks_document;
mod patches;
mod places;
mod plot;
mod report;
mod shapes;
mod single;
mod study;
mod study_document;
mod sweeps;
mod warnings;
mod warnings_document;
mod words;

pub use atlas::{Atlas, FITTED};
pub use bands::{
    BANDS_CONFIDENCE, Check, Violation, check, check_borrowed, check_warnings, has_band,
};
pub use batches::{BATCHES, BatchSettings, simulate_batches};
pub use borrowed::{BORROWED_RUNS, BorrowedRow, BorrowedSettings, GROUPS, simulate_borrowed};
pub use capacity::{CAPACITY_RUNS, CapacitySettings, simulate_capacity};
pub use csv::csv;
pub use figures::{FigureRow, check_figures};
pub use histories::{HISTORIES, HistorySettings, simulate_histories};
pub use lists::{LISTS, ListSettings, simulate_lists};
pub use looks::{LookRow, LookSettings, check_looks, simulate_looks};
pub use patches::{LOOPS, PatchSettings, simulate_patches};
pub use places::Places;
pub use plot::plot;
pub use report::{
    Report, Results, borrowed_report, figures_report, looks_report, study_report, warnings_report,
};
pub use shapes::{Shape, ShapeRow};
pub use single::{SingleSettings, simulate_single};
pub use study::{Average, Cell, Study, StudySettings, simulate};
pub use sweeps::{SWEEP_RUNS, SweepSettings, simulate_sweeps};
pub use warnings::{ANY, BY_CHANCE, WARNING_RUNS, WarningRow, WarningSettings, simulate_warnings};
