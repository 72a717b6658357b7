//! Cells as people fill them: several values in one, remarks and changes beside a value, cells merged with those
//! above, units behind the numbers. Every cell becomes one number in the unit of its column.

use crate::table::layout::columns::is_long;
use crate::table::records::Table;
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::Skipped;

pub(crate) mod letters;
pub(crate) mod lists;
pub(crate) mod merged;
pub(crate) mod pairs;
pub(crate) mod quantities;
pub(crate) mod remarks;
pub(crate) mod sizes;
pub(crate) mod units;
pub(crate) mod values;

use crate::table::layout::cells::letters::join_thousands;
use crate::table::layout::cells::lists::split_lists;
use crate::table::layout::cells::merged::{drop_labels, fill_down};
use crate::table::layout::cells::pairs::{split_pairs, split_statistics};
use crate::table::layout::cells::quantities::split_quantities;
use crate::table::layout::cells::remarks::{
    bare_counts, drop_arrows, drop_conditions, drop_estimates, drop_several, drop_unnamed_counts,
    without_remarks,
};
use crate::table::layout::cells::sizes::split_sizes;
use crate::table::layout::changes::forms::Remark;

/// Whether a program wrote every cell as a bare number or a word.
fn are_plain(table: &Table) -> bool {
    let plain = |cell: &str| {
        let bytes = cell.as_bytes();
        !bytes.is_empty()
            && (bytes.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
                || bytes[0].is_ascii_alphabetic()
                    && bytes
                        .iter()
                        .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte)))
    };
    table.rows.iter().all(|row| row.cells.iter().all(plain))
}

/// Brings the cells of a table into one form; returns the remarks beside values, and whether anything changed.
pub(crate) fn simplify(
    table: &mut Table,
    (heading, pair): (Option<&str>, Option<&[String; 2]>),
    notes: &mut Vec<Skipped>,
) -> Result<(Vec<Remark>, bool), Error> {
    if is_long(table) {
        return Ok((Vec::new(), false));
    }
    if are_plain(table) {
        return Ok((Vec::new(), false));
    }
    let sized = split_sizes(table);
    let unnamed = drop_unnamed_counts(table, notes);
    let counted = bare_counts(table);
    let rough = drop_estimates(table, notes);
    let filled = fill_down(table, notes);
    let named = drop_conditions(table, notes)? | drop_labels(table, notes);
    let several = split_quantities(table);
    let arrows = drop_arrows(table, notes);
    let split = split_statistics(table) | split_pairs(table, heading, pair);
    let joined = join_thousands(table);
    let listed = split_lists(table, notes);
    if sized || several || split || listed {
        table.number_rows();
    }
    let dropped = drop_several(table, notes);
    let (remarks, bare) = without_remarks(table, notes);
    Ok((
        remarks,
        sized
            || unnamed
            || counted
            || rough
            || filled
            || named
            || several
            || arrows
            || split
            || joined
            || listed
            || dropped
            || bare,
    ))
}
