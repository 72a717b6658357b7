//! Numbers written in parts: with letters for thousands, with blanks between the digits, bytes by a letter.

use std::collections::BTreeSet;

use crate::kit::arithmetic::FAR;
use crate::kit::cell_value::is_nothing;
use crate::kit::fields;
use crate::kit::figure::is_unit;
use crate::table::layout::columns::is_statistic;
use crate::table::records::{Line, Table};
use beyondnoise_model::metrics::words::{Quantity, meaning};

/// Writes numbers with a letter for thousands or millions as such, `3.16 K` as `3.16e3`, in columns of numbers with fractions among these:
/// whole ones are sizes, `32k`.
pub(crate) fn expand_letters(table: &mut Table) {
    let split = |cell: &str| -> Option<(String, u8)> {
        let cell = cell.trim();
        let power = match cell.chars().next_back()? {
            'k' | 'K' => 3,
            'M' => 6,
            'G' => 9,
            _ => return None,
        };
        let number = cell[..cell.len() - 1].trim_end();
        (number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            && number.contains('.')
            && fields::number(number).is_some())
        .then(|| (number.to_owned(), power))
    };
    let numeric = |cell: &str| split(cell).is_some() || fields::number(cell.trim()).is_some();
    let lettered: Vec<usize> = (0..table.headers.len())
        .filter(|&at| {
            // No time has such a letter.
            let quantity = meaning(&table.headers[at]).quantity;
            let timed = matches!(quantity, Quantity::Time | Quantity::Latency);
            let lettered = |cell: &str| split(cell).is_some();
            let some =
                if timed { table.mostly(at, lettered) } else { table.filled(at).any(lettered) };
            some && table.filled(at).all(|cell| numeric(cell) || is_nothing(cell))
        })
        .collect();
    if lettered.is_empty() {
        return;
    }
    let mut rows = table.take_rows();
    for row in &mut rows {
        for &at in &lettered {
            if let Some((number, power)) = split(&row.cells[at]) {
                row.cells[at] = format!("{number}e{power}");
            }
        }
    }
    table.put_rows(rows);
}

/// Completes the unit of memory where a letter alone stands for bytes: `13G` beside `GPU memory`, or under it, as `13GB`.
pub(crate) fn complete_bytes(table: &mut Table) {
    let letter = |cell: &str| {
        let number = cell.trim().strip_suffix(['M', 'G', 'T']);
        number.is_some_and(|number| fields::number(number.trim_end()).is_some())
    };
    // Millions are counts, unless there are billions beside them.
    let large = |cell: &&str| cell.trim().ends_with(['G', 'T']);
    let memory = |name: &str| meaning(name).quantity == Quantity::Memory;
    let all = |cells: &mut dyn Iterator<Item = &str>| {
        let filled: Vec<&str> = cells.filter(|cell| !is_nothing(cell)).collect();
        filled.iter().any(large) && filled.iter().all(|cell| letter(cell))
    };
    let columns: BTreeSet<usize> = (1..table.headers.len())
        .filter(|&at| memory(&table.headers[at]) && all(&mut table.filled(at)))
        .collect();
    let of_memory = |row: Line| memory(row.cells.get(0)) && all(&mut row.cells.iter().skip(1));
    let rows: BTreeSet<usize> =
        (0..table.rows.len()).filter(|&row| of_memory(table.rows.get(row))).collect();
    if columns.is_empty() && rows.is_empty() {
        return;
    }
    let mut written = table.take_rows();
    for (place, row) in written.iter_mut().enumerate() {
        for (at, cell) in row.cells.iter_mut().enumerate().skip(1) {
            if (rows.contains(&place) || columns.contains(&at)) && letter(cell) {
                let (whole, unit) = cell.trim().split_at(cell.trim().len() - 1);
                *cell = format!("{whole}{}B", unit.to_uppercase());
            }
        }
    }
    table.put_rows(written);
}

/// Joins thousands that a blank separates, `12 600ms`, `9 111`, in columns in which the parts are too far apart for repeats.
pub(super) fn join_thousands(table: &mut Table) -> bool {
    // The least and the largest of the parts, and the whole.
    let parts = |cell: &str| -> Option<(f64, f64, String)> {
        let (first, mut rest) = cell.trim().split_once(' ')?;
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let mut groups = vec![first];
        // `3 280 718`
        while let Some((group, more)) = rest.split_once(' ').filter(|(group, more)| {
            group.len() == 3 && digits(group) && more.starts_with(|c: char| c.is_ascii_digit())
        }) {
            groups.push(group);
            rest = more;
        }
        let behind = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let fits = digits(first) && first.len() <= 3 && behind == 3;
        let fraction = rest[behind..].strip_prefix('.').unwrap_or_default();
        let tail = if fraction.starts_with(|c: char| c.is_ascii_digit()) {
            fraction.trim_start_matches(|c: char| c.is_ascii_digit())
        } else {
            &rest[behind..]
        };
        let unit = tail.trim().is_empty() || is_unit(tail.trim());
        let whole = groups.concat() + rest;
        groups.push(&rest[..behind]);
        let sizes: Option<Vec<f64>> = groups.iter().map(|group| group.parse().ok()).collect();
        let ends = |fold: fn(f64, f64) -> f64| sizes.as_ref()?.iter().copied().reduce(fold);
        Some((ends(f64::min)?, ends(f64::max)?, whole)).filter(|_| fits && unit)
    };
    let apart = |cell: &str| {
        parts(cell).is_none_or(|(one, other, _): (f64, f64, _)| {
            one.max(other) > FAR * one.min(other).max(1.0)
        })
    };
    // `p50 p99` names two values.
    let names_one = |at: usize| {
        let lower = table.headers[at].to_lowercase();
        let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '.'));
        words.filter(|word| !word.is_empty() && is_statistic(word)).count() < 2
    };
    let columns: Vec<usize> = (1..table.headers.len())
        .filter(|&at| names_one(at))
        .filter(|&at| {
            table.filled(at).any(|cell| parts(cell).is_some()) && table.filled(at).all(apart)
        })
        .collect();
    if columns.is_empty() {
        return false;
    }
    let mut rows = table.take_rows();
    for row in &mut rows {
        for &at in &columns {
            if let Some((.., whole)) = parts(&row.cells[at]) {
                row.cells[at] = whole;
            }
        }
    }
    table.put_rows(rows);
    true
}
