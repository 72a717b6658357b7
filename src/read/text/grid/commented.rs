//! Headers that a program prints as comments above columns of numbers, in several lines: groups of columns, their names, their units.

use super::{GAP, Line, Placed, is_value, number_again, placed};

/// Most lines of such a header.
const MAX_LINES: usize = 3;

/// Fewest columns.
const MIN_COLUMNS: usize = 4;

/// Writes each header of comments as one line of names directly above its columns.
pub(super) fn join_commented(lines: &mut [Line]) {
    for at in 1..lines.len() {
        let cells = placed(&lines[at].text);
        let values = cells.iter().filter(|cell| is_value(&cell.text)).count();
        if cells.len() < MIN_COLUMNS || 2 * values < cells.len() || lines[at].row {
            continue;
        }
        let above: Vec<Option<Vec<Placed>>> =
            lines[at.saturating_sub(MAX_LINES)..at].iter().rev().map(commented).collect();
        let header: Vec<Vec<Placed>> = above.into_iter().map_while(|line| line).collect();
        let depth = header.len();
        if let Some(names) = joined(&header, cells.len()) {
            for line in &mut lines[at - depth..at] {
                *line = Line::of("");
            }
            lines[at - 1] = Line::of(&names.join(GAP));
        }
    }
}

/// The words of a comment, set apart by blanks; a heading of markdown and a label with its value are none.
fn commented(line: &Line) -> Option<Vec<Placed>> {
    let text = line.text.trim_start();
    let inner = text.strip_prefix('#').filter(|rest| rest.starts_with(GAP))?;
    (!inner.contains(':')).then(|| placed(&format!(" {inner}")))
}

/// The names of so many columns, from the lines above them, the nearest first.
fn joined(header: &[Vec<Placed>], width: usize) -> Option<Vec<String>> {
    let at = header.iter().position(|cells| cells.len() == width)?;
    let columns = &header[at];
    let centre = |cell: &Placed| cell.from + cell.to;
    let near = |cells: &[Placed], column: &Placed| -> Option<String> {
        let nearest = cells.iter().min_by_key(|cell| centre(cell).abs_diff(centre(column)))?;
        Some(nearest.text.clone())
    };
    let mut names: Vec<String> = columns.iter().map(|cell| cell.text.clone()).collect();
    let twice: Vec<bool> =
        names.iter().map(|name| names.iter().filter(|other| *other == name).count() > 1).collect();
    // Groups stand above the names of columns that come again.
    for groups in &header[at + 1..] {
        for ((name, column), twice) in names.iter_mut().zip(columns).zip(&twice) {
            if let Some(group) = near(groups, column).filter(|_| *twice) {
                *name = format!("{group}/{name}");
            }
        }
    }
    // Units stand below them, in brackets.
    for units in &header[..at] {
        let bracketed = |cell: &Placed| cell.text.starts_with('(') && cell.text.ends_with(')');
        if !units.iter().all(bracketed) {
            return None;
        }
        for unit in units {
            let (place, _) =
                columns.iter().enumerate().min_by_key(|(_, column)| column.to.abs_diff(unit.to))?;
            names[place] = format!("{} {}", names[place], unit.text);
        }
    }
    number_again(&mut names);
    Some(names)
}
