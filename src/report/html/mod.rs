//! The report as a web page: one file with its style, plots and script inside.
//!
//! Everything it says is in the [`Report`](crate::report::Report) already; here it gets a place and a shape.

mod batch;
mod icon;
mod overview;
mod page;
mod plot;
mod prose;
mod section;
mod table;

pub use page::html;
