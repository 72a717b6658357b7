//! A report as a list of blocks: what every form of it shows, in the order in which it is read.
//!
//! One file builds the document of a command; `render` has one file for each format. Text, markdown and HTML
//! agree because they are made from the same blocks. Nothing here computes: the numbers stand in the report.

mod atlas;
mod batch;
mod batch_plots;
mod blocks;
mod calibrate;
mod compare;
mod history;
mod inputs;
mod ledger;
mod noise;
mod overview;
mod plan;
mod shared;
mod sweep;
mod tables;
mod text;

use crate::calibrate::CalibrationReport;
use crate::report::Report;

pub use batch::batch;
pub use blocks::{
    Block, Cell, Column, Document, Fold, Grid, Heading, Kind, Plot, Role, Room, Table, Tone,
};
use calibrate::calibrate;
use compare::compare;
pub use text::{Span, Text};

impl<'a> From<&'a Report> for Document<'a> {
    /// The comparisons, or the cells of a batch.
    fn from(report: &'a Report) -> Self {
        if report.batch.is_some() { batch(report, false) } else { compare(report) }
    }
}

impl<'a> From<&'a CalibrationReport> for Document<'a> {
    fn from(report: &'a CalibrationReport) -> Self {
        calibrate(report)
    }
}
