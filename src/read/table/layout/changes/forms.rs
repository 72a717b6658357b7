//! A change as it is written, and the columns whose values it follows from.

use crate::kit::fields::{self, Number};
use crate::kit::figure::{figure, is_mark};
use crate::table::layout::columns::{header_unit, without_range, without_side, without_times};
use crate::table::records::{Line, Table};
use crate::text::claims::claims_of;
use beyondnoise_model::runs::{Claim, Source};
use beyondnoise_model::units::{Conversion, Scale};

/// A change written in the cell of a value: `450.00 (-10%)`.
pub(crate) struct Remark {
    /// Number of its row, and its column, as they are written.
    pub(crate) place: (usize, usize),
    pub(crate) text: String,
}

/// A change as a cell states it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Change {
    /// A fraction of the old value, with its sign where one is written.
    pub(crate) size: f64,
    pub(crate) resolution: f64,
    pub(crate) up: Option<bool>,
}

/// The change in a cell: a percentage, or a factor where `factors`.
pub(crate) fn change(cell: &str, factors: bool) -> Option<Change> {
    let cell = without_range(cell);
    let bare = cell.trim_matches(|c| is_mark(c) || matches!(c, '(' | ')'));
    // `x1.32`
    let led = bare.strip_prefix(['x', 'X', '×']).and(without_times(bare));
    if let Some(number) = led.filter(|number| fields::number(number).is_some()) {
        return change(&format!("{number}x"), factors);
    }
    let factor = without_times(bare);
    // A factor below zero says how many times less: `−4.6×`.
    let less = |text: &str| {
        let size = fields::number(text.trim())?;
        let times = Change { size: size.value - 1.0, resolution: size.resolution, up: Some(true) };
        (size.value > 1.0).then(|| times.inverse())
    };
    if let Some(found) = factor.and_then(|text| less(text.strip_prefix(['-', '−', '–'])?)) {
        return Some(found);
    }
    if let [Claim { size, resolution, up, .. }] = &claims_of(cell, &Source::default())[..] {
        return Some(Change { size: *size, resolution: *resolution, up: *up });
    }
    if factor.is_none() && !factors {
        return None;
    }
    let Number { value, resolution } = fields::number(factor.unwrap_or(bare).trim())?;
    Some(Change {
        size: (value - 1.0).abs(),
        resolution,
        up: Some(value > 1.0).filter(|_| (value - 1.0).abs() > 0.0),
    })
}

/// Ways in which a column of numbers compares two others.
const FORMS: &[fn(f64, f64) -> f64] = &[
    |a, b| b / a,
    |a, b| 100.0 * (b / a - 1.0),
    |a, b| 100.0 * (1.0 - b / a),
    |a, b| b / a - 1.0,
    |a, b| 1.0 - b / a,
    |a, b| b - a,
    |a, b| a - b,
    |a, b| a / b,
    |a, b| 100.0 * b / a,
    |a, b| 100.0 * a / b,
    // Without its sign.
    |a, b| 100.0 * (b / a - 1.0).abs(),
    // Of the better of both, whichever it is.
    |a, b| (a / b).max(b / a),
    |a, b| 100.0 * ((a / b).max(b / a) - 1.0),
    |a, b| 100.0 * (1.0 - (a / b).min(b / a)),
];

/// The number that a way of comparing gives for an old and a new value.
pub(crate) type Form = fn(f64, f64) -> f64;

impl Change {
    /// The change the other way: twice as fast takes half the time.
    pub(crate) fn inverse(self) -> Self {
        let factor = if self.up == Some(false) { 1.0 - self.size } else { 1.0 + self.size };
        if factor.abs() < 1e-9 {
            return self;
        }
        let size = (1.0 / factor - 1.0).abs();
        Self { size, resolution: self.resolution / (factor * factor), up: self.up.map(|up| !up) }
    }
}

/// The change that `size` states, as a fraction of the old value.
pub(crate) fn signed(size: f64, resolution: f64) -> Option<Change> {
    let up = Some(size > 0.0).filter(|_| size.abs() > 0.0);
    size.is_finite().then_some(Change { size: size.abs(), resolution, up })
}

/// Changes up to which nothing is told by them.
pub(crate) const SMALL: f64 = 0.01;

/// Fewest rows in which a column shows that it compares something else.
pub(crate) const MIN_ROWS: usize = 5;

/// Most rows that are compared with one another.
pub(crate) const MAX_COMPARED: usize = 500;

/// Difference of a change from that of two values by rounding on the way.
pub(crate) const ROUNDING: f64 = 0.002;

/// A factor or a share without the words behind it: `22x faster`, `47% less`.
fn without_words(cell: &str) -> &str {
    let (number, words) = cell.split_once(' ').unwrap_or((cell, ""));
    let counted = number.ends_with(['x', 'X', '×', '倍', '%']);
    let said = words.starts_with(char::is_alphabetic) && words.chars().all(|c| !c.is_ascii_digit());
    if counted && said { number } else { cell }
}

/// The numbers in the cells of a column, in the unit of the first, also with the sign for a factor.
pub(crate) fn numbers_of(table: &Table, at: usize) -> Vec<Option<Number>> {
    let mut first: Option<Scale> = None;
    let value = |row: Line| {
        let cell = without_words(without_side(table, at, row.cells.get(at)).trim_end());
        let cell = cell.strip_suffix(['x', 'X', '×', '倍']).unwrap_or(cell);
        let found = figure(cell.trim_end(), table.comma)?;
        let Number { value, resolution } = found.value()?;
        let scale = Scale::parse(&found.unit);
        first = first.or(scale);
        let to = scale.zip(first).and_then(|(scale, first)| scale.to(first));
        let to = to.unwrap_or(Conversion::NONE);
        Some(Number { value: to.apply(value), resolution: to.apply(resolution) })
    };
    let mut numbers: Vec<Option<Number>> = table.rows.iter().map(value).collect();
    // Zeros behind the last digit of every cell are no precision: `82.80%` above `67.90%`.
    let decimals = |number: &Number| {
        let shown = number.value.to_string();
        shown.split_once('.').map_or(0, |(_, tail)| tail.len())
    };
    let most = numbers.iter().flatten().map(decimals).max().unwrap_or_default();
    let least = 0.5 * 0.1_f64.powi(i32::try_from(most).unwrap_or(i32::MAX));
    for number in numbers.iter_mut().flatten().filter(|_| most > 0) {
        number.resolution = number.resolution.max(least);
    }
    numbers
}

/// The two columns of one unit that a column of numbers compares, if the numbers fit in three of four rows. Coarse numbers
/// agree with many pairs: the pair with the narrowest fit counts. `numbers` has the numbers of all columns.
pub(crate) fn compared(
    table: &Table,
    at: usize,
    (open, numbers): (&[usize], &[Vec<Option<Number>>]),
) -> Option<(usize, usize)> {
    let unit = |at: usize| header_unit(&table.headers[at]);
    compared_if(at, (open, numbers), |a, b| unit(a) == unit(b))
}

/// The two of these columns that a column of numbers compares, of pairs that may be compared.
pub(crate) fn compared_if(
    at: usize,
    (open, numbers): (&[usize], &[Vec<Option<Number>>]),
    may: impl Fn(usize, usize) -> bool,
) -> Option<(usize, usize)> {
    let rows = numbers.get(at)?.len();
    let pairs = open.iter().flat_map(|&a| open.iter().map(move |&b| (a, b)));
    let holds = |(a, b): (usize, usize), form: fn(f64, f64) -> f64| {
        let (mut good, mut all, mut told, mut right, mut room) = (0, 0, 0, 0, 0.0);
        for ((a, b), c) in numbers[a].iter().zip(&numbers[b]).zip(&numbers[at]) {
            let Some(((a, b), c)) = a.zip(*b).zip(*c) else { continue };
            let expected = form(a.value, b.value);
            let near = (form(a.value + a.resolution, b.value) - expected).abs()
                + (form(a.value, b.value + b.resolution) - expected).abs()
                + c.resolution * 1.01;
            let agrees = (c.value - expected).abs() <= near + 1e-9 * expected.abs();
            all += 1;
            room += near / expected.abs().max(f64::MIN_POSITIVE);
            good += usize::from(agrees);
            if 4 * (all - good) > rows {
                return None;
            }
            // Where everything agrees with everything, nothing is shown.
            let tells = a.value.total_cmp(&b.value).is_ne()
                && near < 0.2 * expected.abs().max((a.value - b.value).abs() / a.value.abs());
            told += usize::from(tells);
            right += usize::from(tells && agrees);
        }
        // Whole numbers agree by chance.
        let fine = numbers[at]
            .iter()
            .flatten()
            .any(|c| c.resolution < 0.5 || c.resolution < 0.02 * c.value.abs());
        let shown = told > 0 && fine && all > 1 && 4 * good >= 3 * all && 4 * right >= 3 * told;
        shown.then_some(room)
    };
    let found: Vec<((usize, usize), f64)> = pairs
        .filter(|(a, b)| may(*a, *b))
        .filter(|(a, b)| a != b && *a != at && *b != at)
        .filter_map(|pair| {
            let rooms = FORMS.iter().filter_map(|&form| holds(pair, form));
            Some((pair, rooms.min_by(f64::total_cmp)?))
        })
        .collect();
    let ((a, b), _) = *found.iter().min_by(|one, other| one.1.total_cmp(&other.1))?;
    found.iter().map(|(pair, _)| *pair).find(|pair| *pair == (a, b) || *pair == (b, a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::layout::columns::is_change;

    /// R5, S7: changes by their content, whatever the column is called.
    #[test]
    fn changes_are_known_by_what_is_in_the_cell() {
        for cell in ["+2.35%", "-0.4 %", "1.09x", "**1.3×**", "提升 9.6%", "↓3%", "降低 6.0%"]
        {
            assert!(is_change(cell), "{cell}");
        }
        for cell in ["86.1%", "12.5", "450.00 (-10%)", "-", "1.09", "main"] {
            assert!(!is_change(cell), "{cell}");
        }
    }

    #[test]
    fn a_factor_is_a_change_of_what_is_beyond_one() {
        let found = change("1.09x", false).expect("a factor");
        assert!((found.size - 0.09).abs() < 1e-12 && found.up == Some(true));
        assert_eq!(change("0.95", true).map(|found| found.up), Some(Some(false)));
        assert_eq!(change("1.09", false), None);
    }
}
