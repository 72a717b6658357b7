//! The document of a report: the comparisons, or the cells of a batch.

use crate::report::Report;
use crate::report::batch::batch;
use crate::report::comparison::page::compare;
use crate::report::document::Document;

impl<'a> From<&'a Report> for Document<'a> {
    fn from(report: &'a Report) -> Self {
        if report.batch.is_some() { batch(report, false) } else { compare(report) }
    }
}
