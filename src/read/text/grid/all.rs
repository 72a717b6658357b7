//! The tables of a text, by the ways in which they may be drawn.

use super::aligned::{aligned, unruled};
use super::commented::join_commented;
use super::html::html;
use super::keyed::keyed;
use super::objects::objects;
use super::{Grid, Line, ruled, separated, tables_of};

/// The lines of a text, with each header in comments as one line of names.
fn lines_of(text: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = text.lines().map(Line::of).collect();
    join_commented(&mut lines);
    lines
}

/// All tables of a text, in order.
pub(crate) fn grids(text: &str) -> Vec<Grid> {
    tables_of(lines_of(text), |lines, at| {
        ruled(lines, at).or_else(|| html(lines, at)).or_else(|| separated(lines, at))
    })
}

/// All tables of a text, also those whose columns are known by their places alone.
pub(crate) fn aligned_grids(text: &str) -> Vec<Grid> {
    tables_of(lines_of(text), |lines, at| {
        ruled(lines, at)
            .or_else(|| aligned(lines, at))
            .or_else(|| separated(lines, at))
            .or_else(|| unruled(lines, at))
            .or_else(|| keyed(lines, at))
            .or_else(|| objects(lines, at))
    })
}
