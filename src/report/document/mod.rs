//! A report as a list of blocks: what every form of it shows, in the order in which it is read.
//!
//! The pages of the subjects build documents; `render` has one file for each format. Text, markdown and HTML agree because
//! they are made from the same blocks. Nothing here computes: the numbers stand in the report.

pub(crate) mod blocks;
pub(crate) mod cells;
mod text;

pub use blocks::{
    Block, Cell, Column, Document, Fold, Grid, Heading, Kind, Plot, Role, Room, Table, Tone,
};
pub use text::{Span, Text};
