//! Cells that stand for those above, and labels in front of the values.

use std::collections::BTreeSet;

use crate::kit::cell_value::{is_nothing, spread};
use crate::kit::figure::{clock, figure, is_unit};
use crate::kit::{fields, short};
use crate::table::column_names::VARIANT;
use crate::table::layout::cells::quantities::quantities;
use crate::table::layout::cells::values::is_value;
use crate::table::layout::columns::is_called;
use crate::table::records::Table;
use crate::table::role_words::RUN;
use crate::text::text_block::is_duration;
use beyondnoise_model::runs::Skipped;
use beyondnoise_model::units::Scale;

/// Fills cells that were merged with the cell above, in columns left of the first one without gaps. In such a column
/// each name occurs once within each value of the columns further left; columns that are empty in the same rows name them together. It
/// is above as many empty cells as any other name, or its column is the leftmost one.
pub(super) fn fill_down(table: &mut Table, notes: &mut Vec<Skipped>) -> bool {
    let width = table.headers.len();
    let gaps = |at: usize| table.rows.iter().any(|row| row.cells.get(at).trim().is_empty());
    let values = |at: usize| {
        !gaps(at)
            && !is_called(&table.headers[at], RUN)
            && fields::field_of_column(&table.headers[at]).is_none()
            && table.mostly(at, is_value)
    };
    let first = (0..width).find(|&at| values(at)).unwrap_or(0);
    let empty = |at: usize| -> Vec<bool> {
        table.rows.iter().map(|row| row.cells.get(at).trim().is_empty()).collect()
    };
    let mut merged: Vec<usize> = Vec::new();
    for at in (0..first).filter(|&at| gaps(at)) {
        let gaps_of = empty(at);
        let together: Vec<usize> = (0..first).filter(|&other| empty(other) == gaps_of).collect();
        let left: Vec<usize> =
            merged.iter().copied().filter(|left| !together.contains(left)).collect();
        // The groups of rows below each name, and the cells further left that they are in.
        let mut groups: Vec<(Vec<usize>, String, usize)> = Vec::new();
        let mut outer = vec![0; left.len()];
        let mut whole = true;
        for row in table.rows.iter() {
            let starts = |&left: &usize| !row.cells.get(left).trim().is_empty();
            let opens: Vec<usize> = left.iter().map(|left| usize::from(starts(left))).collect();
            outer.iter_mut().zip(&opens).for_each(|(count, new)| *count += new);
            let name = || together.iter().map(|&at| row.cells.get(at).trim()).collect::<Vec<_>>();
            match (row.cells.get(at).trim(), groups.last_mut()) {
                ("", Some((place, _, count))) if *place == outer => *count += 1,
                ("", _) => whole = false,
                _ => groups.push((outer.clone(), name().join("\n"), 1)),
            }
        }
        let names: BTreeSet<(&[usize], &str)> =
            groups.iter().map(|(place, name, _)| (&**place, &**name)).collect();
        let words = groups.iter().all(|(_, name, _)| fields::number(name).is_none());
        let sizes: BTreeSet<usize> = groups.iter().map(|(.., count)| *count).collect();
        let equal = sizes.len() == 1 && groups.len() > 1;
        let outermost = at == 0 && words && groups.len() > 1;
        let named = is_called(&table.headers[at], VARIANT);
        if whole && names.len() == groups.len() && (equal || outermost || named && words) {
            merged.push(at);
        }
    }
    if merged.is_empty() {
        return false;
    }
    let mut rows = table.take_rows();
    for at in merged {
        let mut above = String::new();
        for row in &mut rows {
            if row.cells[at].trim().is_empty() {
                row.cells[at].clone_from(&above);
            } else {
                above.clone_from(&row.cells[at]);
            }
        }
        let place = format!("column {}", short(&table.headers[at]));
        let why = "an empty cell is read as the one above it (merged cells)".to_owned();
        notes.push(Skipped { place, why });
    }
    table.put_rows(rows);
    true
}

/// Leaves the bare values of columns whose cells repeat a label, `Elapsed time: 00:10:03.001`, and of durations as clocks
/// show them.
pub(super) fn drop_labels(table: &mut Table, notes: &mut Vec<Skipped>) -> bool {
    let bare = |at: usize| -> Option<Vec<String>> {
        let cells: Vec<&str> = table.rows.iter().map(|row| row.cells.get(at).trim()).collect();
        let label = |cell: &&str| {
            let (label, _) = cell.split_once(": ")?;
            label.contains(char::is_alphabetic).then(|| label.to_owned())
        };
        let label = cells.iter().find(|cell| !cell.is_empty()).and_then(label);
        let start = label.as_ref().map_or(String::new(), |label| format!("{label}: "));
        let time = is_duration(label.as_deref().unwrap_or(&table.headers[at]));
        let value = |cell: &str| -> Option<String> {
            let text = cell.strip_prefix(&start).unwrap_or(cell).trim();
            if let Some(time) = clock(text).filter(|_| time) {
                return Some(format!("{} {}", time.number, time.unit));
            }
            let known = is_nothing(text) || label.is_some() && is_value(text);
            known.then(|| text.to_owned())
        };
        let values: Vec<String> = cells.iter().map(|cell| value(cell)).collect::<Option<_>>()?;
        values.iter().zip(&cells).any(|(value, cell)| value != cell).then_some(values)
    };
    // Names in front of times and rates: `stock: 1.037 ± 0.172 s`, `cuBLAS 0.114 ms / 18.72 TFLOPS`.
    let unnamed = |at: usize| -> Option<Vec<String>> {
        let cells: Vec<&str> = table.rows.iter().map(|row| row.cells.get(at).trim()).collect();
        let values: Option<Vec<&str>> = cells
            .iter()
            .map(|cell| if is_nothing(cell) { Some(*cell) } else { behind_name(cell) })
            .collect();
        let values = values.filter(|values| at > 0 && *values != cells)?;
        // Rows of one name that differ in this one are no repeats.
        let keys: BTreeSet<&str> = table.rows.iter().map(|row| row.cells.get(0)).collect();
        if keys.len() < table.rows.len() {
            return None;
        }
        Some(values.into_iter().map(str::to_owned).collect())
    };
    let mut found: Vec<(usize, Vec<String>)> = Vec::new();
    for at in 0..table.headers.len() {
        if let Some(values) = bare(at) {
            found.push((at, values));
        } else if let Some(values) = unnamed(at) {
            let names: BTreeSet<String> = table
                .rows
                .iter()
                .zip(&values)
                .filter_map(|(row, value)| row.cells.get(at).trim().strip_suffix(&**value))
                .map(|name| short(name.trim_matches([' ', ':', '`', '*'])))
                .filter(|name| !name.is_empty())
                .collect();
            let names: Vec<String> = names.into_iter().collect();
            let why = format!("names in front of its values are not read: {}", names.join(", "));
            notes.push(Skipped { place: format!("column {}", short(&table.headers[at])), why });
            found.push((at, values));
        }
    }
    if found.is_empty() {
        return false;
    }
    let mut rows = table.take_rows();
    for (at, values) in found {
        for (row, value) in rows.iter_mut().zip(values) {
            row.cells[at] = value;
        }
    }
    table.put_rows(rows);
    true
}

/// The value of a cell behind a name or none: a time or a rate with its unit, or several quantities.
fn behind_name(cell: &str) -> Option<&str> {
    let measured = |text: &str| {
        let unit = |unit: &str| {
            let scale = Scale::parse(unit);
            let bytes = Scale::parse("B");
            let size = scale.zip(bytes).is_some_and(|(one, bytes)| one.is_alike(bytes));
            is_unit(unit) && unit != "%" && !size
        };
        let spread = spread(text).map(|(value, ..)| value);
        let found = figure(spread.as_deref().unwrap_or(text), false);
        found.is_some_and(|found| unit(&found.unit) && found.beside.is_empty())
            || quantities(text).is_some_and(|all| all.len() == 2)
    };
    if measured(cell) {
        return Some(cell);
    }
    let starts = cell.match_indices(' ').map(|(at, _)| cell[at..].trim_start());
    let named = |value: &&str| {
        let name = &cell[..cell.len() - value.len()];
        let digits = name.trim_end().ends_with(|c: char| c.is_ascii_digit() || c == '.');
        let limits =
            ["under", "over", "up", "about", "below", "above", "at", "around", "less", "more"];
        let first = name.split(' ').next().unwrap_or_default().to_lowercase();
        !limits.contains(&&*first)
            && name.starts_with(|c: char| c.is_alphabetic() || c == '`')
            && (!digits || name.trim_end().contains(' '))
            && value.starts_with(|c: char| c.is_ascii_digit())
    };
    starts.filter(named).find(|value| measured(value))
}
