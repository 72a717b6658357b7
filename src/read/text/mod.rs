//! Text: headings, blocks of printed lines, percentages.

pub(crate) mod alike;
pub(crate) mod around;
pub(crate) mod claims;
pub(crate) mod grid;
pub(crate) mod headings;
pub(crate) mod labelled;
pub(crate) mod labels;
pub(crate) mod notes;
pub(crate) mod printed_lines;
pub(crate) mod printed_programs;
pub(crate) mod prose;
pub(crate) mod sections;
pub(crate) mod text_block;
