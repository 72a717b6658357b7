//! Whether a cell holds a value at all.

use crate::kit::cell_value::spread;
use crate::kit::fields;
use crate::kit::figure::figure;

/// Marks for about.
pub(super) const ABOUT: [char; 3] = ['~', '≈', '～'];

/// The part and the whole of a cell: `121/150`, `86 / 100`.
pub(super) fn out_of(cell: &str) -> Option<(&str, &str)> {
    let (part, whole) = cell.split_once('/')?;
    let (part, whole) = (part.trim(), whole.trim());
    let digits = !whole.is_empty() && whole.bytes().all(|byte| byte.is_ascii_digit());
    let inside = fields::number(part)?.value <= fields::number(whole)?.value;
    (digits && inside).then_some((part, whole))
}

/// Whether a cell holds a value.
pub(crate) fn is_value(cell: &str) -> bool {
    figure(cell, false).is_some() || spread(cell).is_some()
}
