//! Roles of columns by their values: settings, identifiers or free text.

use std::collections::BTreeMap;

use beyondnoise_model::metrics::words::{Meaning, Says, meaning};

use crate::kit::cell_value;
use crate::kit::fields::{self, RunField};
use crate::table::records::Table;
use crate::table::role::Role;
use crate::table::role_words::{RUN, is_run, may_be_setting};
use beyondnoise_model::runs::seconds;

/// Numbers of a column that are looked at, spread over its rows.
const MAX_NUMBERS: usize = 4_000;

/// Most values of a number of things that are settings although they are not round.
const MAX_COUNTS_SET: usize = 12;

/// Properties of numbers that distinguish a setting from a measurement.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent property")]
pub(crate) struct Numbers {
    /// The distinct values, each with its number of rows.
    counts: Vec<(f64, usize)>,
    rows: usize,
    /// All are as short as people set them.
    short: bool,
    /// All are round: 1, 2, 5, 64, 100.
    round: bool,
    /// Values of four digits or more that are not round.
    fine: usize,
    /// Rows that have none.
    gaps: bool,
    /// Each is larger than the one before, or each smaller.
    monotone: bool,
}

impl Numbers {
    pub(crate) fn summarise(values: impl Iterator<Item = f64>) -> Self {
        let mut numbers = Self { short: true, round: true, ..Self::default() };
        let (mut last, mut up, mut down) = (None, true, true);
        let mut all = Vec::new();
        for value in values {
            numbers.rows += 1;
            all.push(value + 0.0);
            numbers.short = numbers.short && is_short(value);
            numbers.round = numbers.round && is_round(value);
            numbers.fine += usize::from(is_fine(value));
            if let Some(last) = last {
                up = up && value > last;
                down = down && value < last;
            }
            last = Some(value);
        }
        all.sort_unstable_by(f64::total_cmp);
        let same = all.chunk_by(|a, b| a.to_bits() == b.to_bits());
        numbers.counts = same.map(|same| (same[0], same.len())).collect();
        numbers.monotone = numbers.rows > 2 && (up || down);
        numbers
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        self.counts.iter().map(|(value, _)| *value)
    }

    /// Few values that come back exactly.
    fn come_back(&self) -> bool {
        let several = self.counts.iter().filter(|(_, count)| *count > 1).count();
        self.counts.len() > 1
            && 2 * self.counts.len() <= self.rows
            && 2 * several > self.counts.len()
    }

    /// Whether these are whole numbers of 20 or more within 5 % of each other: nearly the same number of things.
    pub(crate) fn are_nearly_constant(&self) -> bool {
        let ends = self.values().fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
        self.are_whole() && ends.0 >= 0.95 * ends.1 && ends.0 >= 19.0
    }

    pub(crate) fn are_whole(&self) -> bool {
        self.values().all(|value| value.fract() == 0.0)
    }

    /// The smallest and the largest.
    pub(crate) fn ends(&self) -> Option<(f64, f64)> {
        self.values().reduce(f64::min).zip(self.values().reduce(f64::max))
    }

    /// Numbers that nobody sets: not round, and hardly one twice.
    pub(crate) fn are_measured(&self) -> bool {
        !self.round && !self.come_back() && self.counts.len() > 1
    }

    /// Numbers with more digits than people set.
    pub(crate) fn are_fine(&self) -> bool {
        self.are_measured() && (!self.short || 2 * self.fine > self.rows)
    }

    /// A single number with more digits than people set.
    pub(crate) fn is_one_result(&self) -> bool {
        self.rows == 1 && self.fine == 1 && !self.round
    }

    pub(crate) fn are_round(&self) -> bool {
        self.round
    }

    /// Whether the values alone show that they are settings.
    pub(crate) fn are_set(&self) -> bool {
        // A value in some rows only is one of two.
        let half = self.gaps && self.short && self.counts.len() == 1;
        // Each about as often as the others: so plans are made.
        let count = || self.counts.iter().map(|(_, count)| *count);
        let planned =
            count().min().zip(count().max()).is_some_and(|(least, most)| 2 * least >= most);
        half || (self.short || planned) && self.come_back()
            || self.round && self.monotone && !self.counts_up()
    }

    /// 1, 2, 3, ... without a gap, which numbers rows.
    fn counts_up(&self) -> bool {
        let least = self.values().min_by(f64::total_cmp);
        least.is_some_and(|least| least <= 1.0) && self.follow_each_other()
    }

    /// 7, 8, 9: no number is left out.
    fn follow_each_other(&self) -> bool {
        let values: Vec<f64> = self.values().collect();
        values.windows(2).all(|two| (two[1] - two[0] - 1.0).abs() < 1e-9)
    }
}

/// The numbers of a column.
pub(crate) fn numbers(table: &Table, at: usize, long: Option<(usize, usize)>) -> Numbers {
    let name = &table.headers[at];
    let read = |text: &str| match cell_value::read(text.as_bytes(), name, table.comma) {
        cell_value::CellValue::Number(value) => Some(value),
        _ => None,
    };
    // In the long layout a run has a row for each metric.
    let metric = long.map(|(metric, _)| metric);
    let first = metric.zip(table.rows.iter().next()).map(|(at, row)| row.cells.get(at));
    let rows = table.rows.iter().filter(|row| metric.map(|at| row.cells.get(at)) == first);
    let rows: Vec<&str> = rows.map(|row| row.cells.get(at)).collect();
    let gaps = rows.iter().any(|text| text.is_empty());
    let some = rows.iter().step_by(rows.len().div_ceil(MAX_NUMBERS).max(1));
    Numbers { gaps, ..Numbers::summarise(some.filter_map(|text| read(text))) }
}

/// Whether rows of one group differ in a column.
pub(crate) fn differs_inside(table: &Table, at: usize, groups: &[usize]) -> bool {
    let mut first: BTreeMap<usize, &str> = BTreeMap::new();
    let mut cells = table.rows.iter().map(|row| row.cells.get(at)).zip(groups);
    cells.any(|(cell, group)| *first.entry(*group).or_insert(cell) != cell)
}

/// Rows by which it is known whether most cells of a column are numbers, and how many of them follow each other: rows may alternate.
const MAX_CELLS: usize = 1_000;
const TOGETHER: usize = 16;

/// Whether most of what a column holds are numbers, where words for nothing are nothing.
pub(crate) fn is_numeric(table: &Table, at: usize) -> bool {
    let (mut numbers, mut others) = (0, 0);
    let step = table.rows.len().div_ceil(MAX_CELLS).max(1);
    let some = (0..table.rows.len()).filter(|row| (row / TOGETHER).is_multiple_of(step));
    for row in some {
        let text = table.rows.get(row).cells.get(at);
        match cell_value::read(text.as_bytes(), &table.headers[at], table.comma) {
            cell_value::CellValue::Number(_) => numbers += 1,
            cell_value::CellValue::Other => others += 1,
            cell_value::CellValue::Empty => {}
        }
    }
    numbers > others
}

/// Whether the values are a setting although the name is usually an identifier: sizes such as 128, 512, 2048 under
/// `seq`, words such as `cold` and `warm` under `run`.
pub(crate) fn is_of_settings<'a>(
    name: &str,
    numbers: Option<&Numbers>,
    filled: impl Iterator<Item = &'a str>,
) -> bool {
    if let Some(numbers) = numbers {
        let sizes = numbers.come_back() || numbers.round && numbers.monotone;
        let set = sizes && !numbers.follow_each_other() && !is_run(name);
        return may_be_setting(name) && set;
    }
    if !may_be_setting(name) {
        return false;
    }
    // A name alone, such as `case_id`, is a case where each comes back as often as the others.
    let repeated = !is_run(name);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    filled.for_each(|text| *counts.entry(text).or_default() += 1);
    let word = |text: &str| {
        text.len() > 2
            && !text.contains(|c: char| "0123456789/\\.".contains(c))
            && (text.contains(": ") || !text.contains(':'))
    };
    counts.len() > 1
        && 2 * counts.len() <= counts.values().sum()
        && (counts.keys().all(|text| word(text))
            || repeated
                && counts.values().all(|count| Some(count) == counts.values().next() && *count > 2)
                && !counts.keys().all(|text| counts_repeats(text) || seconds(text).is_some()))
}

/// The role of numbers under a name that is no metric of the registry.
pub(crate) fn number_role(name: &str, numbers: &Numbers) -> (Role, &'static str) {
    let Meaning { says, unit, .. } = meaning(name);
    match says {
        Says::Measured | Says::Spread => (Role::Measured, "its name or unit"),
        _ if unit.is_some() && says != Says::Setting => (Role::Measured, "its name or unit"),
        Says::Setting if numbers.are_fine() => (Role::Measured, "too fine for a setting"),
        Says::Setting => (Role::Factor, "a setting"),
        Says::Count if numbers.counts.len() < 2 => (Role::Factor, "a count that is the same"),
        Says::Count if numbers.are_nearly_constant() => {
            (Role::RunField(RunField::Ignored), "a count that hardly varies")
        }
        // A count that takes many values was counted.
        Says::Count | Says::Nothing if numbers.counts.len() > MAX_COUNTS_SET && !numbers.round => {
            (Role::Measured, "numbers that vary")
        }
        _ if numbers.are_set() => (Role::Factor, FEW),
        _ => (Role::Measured, "numbers that vary"),
    }
}

/// Reasons for a setting that its design does not show.
pub(crate) const FEW: &str = "few values, repeated";
pub(crate) const TEXT: &str = "text";
pub(crate) const FREE_TEXT: &str = "free text";

/// The role of texts; `filled` are those of the rows that have one.
pub(crate) fn text_role(filled: &[&str], rows: usize) -> (Role, &'static str) {
    let mut distinct: Vec<&str> = filled.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let all = |such: fn(&str) -> bool| distinct.iter().all(|text| such(text));
    let each_once = distinct.len() == filled.len() && rows > 1;
    if all(counts_repeats) {
        return (Role::Identity, "counts the repeats");
    }
    let is_moment = |text: &str| seconds(text).is_some() || is_time_of_day(text);
    if each_once && distinct.len() > 1 && (all(is_moment) || all(fields::is_hash)) {
        return (Role::Identity, "different in every row");
    }
    if are_measured_in_a_unit(&distinct, filled) {
        return (Role::Remark, "numbers in a unit that is not known");
    }
    if each_once && filled.len() > 1 && all(is_sentence) {
        return (Role::Remark, FREE_TEXT);
    }
    (Role::Factor, TEXT)
}

/// `12:00`, `12:00:05.25`.
fn is_time_of_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    let below_60 =
        |part: &&str| part.parse().is_ok_and(|number: f64| (0.0..60.0).contains(&number));
    (2..4).contains(&parts.len()) && parts.iter().all(below_60)
}

/// `run-3`, `rep_2`, `run_0_repetition_1`, `r1`: words for repeats with their number.
pub(crate) fn counts_repeats(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let mut numbers = 0;
    let mut parts = lower.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    let counted = parts.all(|part| {
        let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
        numbers += usize::from(word.len() < part.len());
        word.is_empty() || word == "r" || RUN.contains(&word) && word != "no"
    });
    counted && numbers > 0 && lower.contains(|c: char| c.is_alphabetic())
}

/// A number with one word behind it.
fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let end = text.rfind(|c: char| c.is_ascii_digit()).map_or(0, |last| last + 1);
    let (number, unit) = text.split_at(end);
    Some((fields::number(number.trim())?.value, unit.trim()))
}

/// Whether all texts are numbers with the same word behind them: `9877.39mJ`, `8091.79mJ`.
pub(crate) fn have_one_unit(texts: &[&str]) -> bool {
    let units: Option<Vec<&str>> =
        texts.iter().map(|text| Some(number_and_unit(text)?.1)).collect();
    units.is_some_and(|units| units.windows(2).all(|two| two[0] == two[1]))
}

/// Numbers that nobody sets, in one unit.
fn are_measured_in_a_unit(distinct: &[&str], filled: &[&str]) -> bool {
    let numbers = filled.iter().filter_map(|text| Some(number_and_unit(text)?.0));
    let numbers = Numbers::summarise(numbers);
    have_one_unit(distinct) && !numbers.short && numbers.are_measured()
}

/// Words that a person wrote for other people.
fn is_sentence(text: &str) -> bool {
    let flags = text.contains("--") || text.contains('=');
    text.split_whitespace().count() >= 4 && !text.trim_end().ends_with('?') && !flags
}

/// At most three digits after leading zeros, or a whole number.
fn is_short(value: f64) -> bool {
    value.fract() == 0.0 || significant(value) <= 3
}

/// More than three digits, and not round.
pub(crate) fn is_fine(value: f64) -> bool {
    let digits = significant(value);
    digits > 3 && !with_digits(value, digits)
}

/// 1, 2 or 5 and zeros, a power of two or three quarters of one, two digits at most; no limit.
pub(crate) fn is_round(value: f64) -> bool {
    if !value.is_finite() || value == 0.0 {
        !value.is_nan()
    } else {
        with_digits(value, significant(value))
    }
}

/// [`is_round`] for a number of so many digits.
fn with_digits(value: f64, digits: usize) -> bool {
    let power = |value: f64| value.log2().fract() == 0.0;
    let size = value.abs();
    digits <= 1
        || size.fract() == 0.0 && (power(size) || power(size / 3.0))
        || digits <= 2 && (size / 10f64.powf(size.log10().floor() - 1.0)).round() % 5.0 == 0.0
        || digits == 3 && size.fract() == 0.0 && size % 25.0 == 0.0
}

/// Digits between the first and the last that is not 0, of the shortest decimal form; 4 for more.
fn significant(value: f64) -> usize {
    let size = value.abs();
    if !(1e-19..1e19).contains(&size) {
        let text = format!("{size:e}");
        let mantissa = text.split('e').next().unwrap_or_default();
        return mantissa.bytes().filter(u8::is_ascii_digit).count().min(4);
    }
    // Powers of ten up to 22 are exact, so that one rounding gives the number nearest to three digits.
    let (mut scale, mut digits) = (1.0, size);
    while digits >= 1000.0 {
        scale *= 10.0;
        digits = size / scale;
    }
    while digits < 100.0 {
        scale *= 10.0;
        digits = size * scale;
    }
    let whole = digits.round();
    let nearest = if size < 100.0 { whole / scale } else { whole * scale };
    if nearest.to_bits() != size.to_bits() {
        return 4;
    }
    3 - usize::from(whole % 10.0 == 0.0) - usize::from(whole % 100.0 == 0.0)
}

#[cfg(test)]
mod tests {
    use super::significant;
    use proptest::prelude::*;

    proptest! {
        // The shortest form that the standard library writes.
        #[test]
        fn digits_are_those_of_the_shortest_form(digits in 1_u64..2_000, exponent in -30_i32..30, nudge in 0_u64..3) {
            let value: f64 = format!("{digits}e{exponent}").parse().unwrap();
            let value = f64::from_bits(value.to_bits() + nudge);
            let text = format!("{value:e}");
            let written = text.split('e').next().unwrap().bytes().filter(u8::is_ascii_digit).count();
            prop_assert_eq!(significant(value), written.min(4));
        }
    }
}
