//! Lists of values for the sizes that a label lists: `decode 4K / 16K / 32K context` beside `335.8 / 298.2 / 263.1 t/s`.

use crate::kit::cell_value::is_nothing;
use crate::kit::figure::figure;
use crate::table::records::{Line, Row, Table};

/// The sizes of a label, and its words before and behind them.
struct Sizes {
    before: String,
    all: Vec<String>,
    behind: String,
}

/// A whole number with a letter for thousands or without: `16K`, `32`.
fn is_size(word: &str) -> bool {
    let digits = word.trim_end_matches(['k', 'K', 'm', 'M']);
    word.len() - digits.len() < 2 && digits.parse::<u32>().is_ok()
}

/// The list of sizes in a label.
fn sizes_in(label: &str) -> Option<Sizes> {
    let spaced = label.replace('/', " / ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let first = words
        .windows(3)
        .position(|three| is_size(three[0]) && three[1] == "/" && is_size(three[2]))?;
    let mut end = first + 1;
    while words.get(end) == Some(&"/") && words.get(end + 1).is_some_and(|word| is_size(word)) {
        end += 2;
    }
    let sizes =
        words[first..end].iter().filter(|word| **word != "/").map(|word| (*word).to_owned());
    let (before, behind) = (words[..first].join(" "), words[end..].join(" "));
    let found = Sizes { before, all: sizes.collect(), behind };
    let named = !found.behind.is_empty() || !found.before.is_empty();
    (named && !found.behind.contains('/') && !found.before.contains('/')).then_some(found)
}

/// The values of a cell, one for each of so many sizes, each with the unit behind the last.
fn values_of(cell: &str, count: usize) -> Option<Vec<String>> {
    if is_nothing(cell) {
        return Some(vec![String::new(); count]);
    }
    let parts: Vec<&str> = cell.split('/').map(str::trim).collect();
    // `t/s` has a slash of its own.
    let slashes = parts.len().checked_sub(count)?;
    let last = parts[count - 1..].join("/");
    let values: Vec<&str> = parts[..count - 1].iter().copied().chain([&*last]).collect();
    // `16 200`
    let joined = |text: &str| text.replace(' ', "");
    let unit = figure(&last, false)
        .map(|found| found.unit)
        .or_else(|| last.rsplit_once(' ').map(|(_, unit)| unit.to_owned()))
        .unwrap_or_default();
    let full = |text: &&str| {
        let found = figure(text, false).filter(|found| found.beside.is_empty());
        match found {
            Some(found) if !found.unit.is_empty() => Some((*text).to_owned()),
            _ => {
                let bare = joined(text.strip_suffix(&*unit).unwrap_or(text));
                figure(&bare, false)?;
                Some(format!("{bare} {unit}").trim().to_owned())
            }
        }
    };
    let found: Option<Vec<String>> = values.iter().map(full).collect();
    found.filter(|_| slashes < 2)
}

/// The sizes of a cell that lists nothing else: `2/4/8`.
fn bare_sizes(cell: &str) -> Option<Vec<String>> {
    let sizes: Vec<String> = cell.split('/').map(|size| size.trim().to_owned()).collect();
    (sizes.len() > 1 && sizes.iter().all(|size| is_size(size))).then_some(sizes)
}

/// Gives each size of a column that lists sizes alone, `2/4/8`, a row of its own, where another column has a fraction for each.
fn split_listed(table: &mut Table) -> bool {
    let width = table.headers.len();
    // `Ours / SDPA` names two things itself.
    let pair =
        |header: &String| header.split(['(', '[']).next().is_some_and(|name| name.contains('/'));
    if table.headers.iter().any(pair) {
        return false;
    }
    let listed = |at: &usize| {
        table.filled(*at).next().is_some()
            && table.rows.iter().all(|row| bare_sizes(row.cells.get(*at)).is_some())
    };
    let Some(at) = (0..width).find(listed) else { return false };
    let count = |row: Line| bare_sizes(row.cells.get(at)).map_or(0, |sizes| sizes.len());
    let valued = |other: &usize| {
        *other != at
            && table.rows.iter().all(|row| {
                let cell = row.cells.get(*other);
                cell.contains('/') && cell.contains('.') && values_of(cell, count(row)).is_some()
            })
    };
    let values: Vec<usize> = (0..width).filter(valued).collect();
    let single = |other: usize| {
        other == at
            || values.contains(&other)
            || !table.filled(other).any(|cell| cell.contains('/'))
    };
    if values.is_empty() || !(0..width).all(single) {
        return false;
    }
    let mut out = Vec::new();
    for row in table.take_rows() {
        let Some(sizes) = bare_sizes(&row.cells[at]) else { continue };
        let lists: Vec<(usize, Vec<String>)> = values
            .iter()
            .filter_map(|&other| Some((other, values_of(&row.cells[other], sizes.len())?)))
            .collect();
        for (nth, size) in sizes.into_iter().enumerate() {
            let mut cells = row.cells.clone();
            cells[at] = size;
            for (other, list) in &lists {
                cells[*other].clone_from(&list[nth]);
            }
            out.push(Row { number: row.number, cells });
        }
    }
    table.put_rows(out);
    true
}

/// Gives each size a row of its own, where the labels of all rows list sizes, or the header over them does, and every cell has a
/// value for each.
pub(super) fn split_sizes(table: &mut Table) -> bool {
    if split_listed(table) {
        return true;
    }
    let Some(header) = table.headers.first() else { return false };
    let of_all = sizes_in(header);
    let of_row = |label: &str| -> Option<Sizes> {
        match &of_all {
            Some(Sizes { before, all, behind }) => {
                let name = if before.is_empty() { behind } else { before };
                let (before, behind) = (label.to_owned(), name.clone());
                Some(Sizes { before, all: all.clone(), behind })
            }
            None => sizes_in(label),
        }
    };
    let mut rows: Vec<(usize, Sizes, Vec<Vec<String>>)> = Vec::new();
    for row in table.rows.iter() {
        let Some(sizes) = of_row(row.cells.get(0)) else { return false };
        let count = sizes.all.len();
        let values: Option<Vec<Vec<String>>> =
            row.cells.iter().skip(1).map(|cell| values_of(cell, count)).collect();
        let Some(values) = values.filter(|_| count > 1) else { return false };
        rows.push((row.number, sizes, values));
    }
    let Some((_, first, _)) = rows.first() else { return false };
    let alike = rows.iter().all(|(_, sizes, _)| sizes.behind == first.behind);
    let name =
        if alike && !first.behind.is_empty() { first.behind.clone() } else { "size".to_owned() };
    if of_all.is_some() {
        table.headers[0].clear();
    }
    table.headers.insert(1, name);
    table.take_rows();
    let mut out = Vec::new();
    for (number, Sizes { before, all, behind }, values) in rows {
        for (at, size) in all.iter().enumerate() {
            let size = if alike { size.clone() } else { format!("{size} {behind}") };
            let own = values.iter().map(|values| values[at].clone());
            let cells = [before.clone(), size.trim().to_owned()].into_iter().chain(own).collect();
            out.push(Row { number, cells });
        }
    }
    table.put_rows(out);
    true
}
