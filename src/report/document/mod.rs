//! A report as a list of blocks in reading order, common to all formats.
//!
//! The pages of the subjects build documents; `render` has one file for each format. Text, markdown and HTML agree because they
//! use the same blocks. Nothing here computes: the numbers come from the report.

pub(crate) mod blocks;
pub(crate) mod cells;
mod text;

pub use blocks::{
    Block, Cell, Column, Document, Fold, Grid, Heading, Kind, Plot, Role, Room, Table, Tone,
};
pub use text::{Span, Text};
