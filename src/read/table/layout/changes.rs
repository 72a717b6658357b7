//! Columns of changes beside the values that they compare, `+3.4 %`, `1.09x`, `降低 6.0%`, whatever their name: no
//! results, but claims about them.

use std::collections::BTreeSet;

use crate::kit::fields::{self, Number};
use crate::kit::figure::{figure, is_mark};
use crate::table::column_names::VARIANT;
use crate::table::layout::cells::Remark;
use crate::table::layout::columns::{
    Kind, Values, header_unit, is_called, is_change, rises, says_change, without_range,
    without_side, without_times, without_unit,
};
use crate::table::records::{Line, Table};
use crate::text::claims::claims_of;
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::runs::{Claim, LabelHint, Run, Source, label_hint};
use beyondnoise_model::units::{Better, Conversion, Scale};

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
type Form = fn(f64, f64) -> f64;

/// Reads what a bare number of a column of changes states; `None` where the column holds something else.
type ReadChange = fn(f64, &Number) -> Option<Change>;

impl Change {
    /// The change the other way: twice as fast takes half the time.
    fn inverse(self) -> Self {
        let factor = if self.up == Some(false) { 1.0 - self.size } else { 1.0 + self.size };
        if factor.abs() < 1e-9 {
            return self;
        }
        let size = (1.0 / factor - 1.0).abs();
        Self { size, resolution: self.resolution / (factor * factor), up: self.up.map(|up| !up) }
    }
}

/// The change that `size` states, as a fraction of the old value.
fn signed(size: f64, resolution: f64) -> Option<Change> {
    let up = Some(size > 0.0).filter(|_| size.abs() > 0.0);
    size.is_finite().then_some(Change { size: size.abs(), resolution, up })
}

/// The same ways with their reading, from the old value and the number of the cell.
const READINGS: &[(Form, ReadChange)] = &[
    (|a, b| b / a, |_, c| signed(c.value - 1.0, c.resolution)),
    (|a, b| a / b, |_, c| signed(1.0 / c.value - 1.0, c.resolution / c.value.powi(2))),
    (|a, b| 100.0 * (b / a - 1.0), |_, c| signed(c.value / 100.0, c.resolution / 100.0)),
    (|a, b| 100.0 * (1.0 - b / a), |_, c| signed(-c.value / 100.0, c.resolution / 100.0)),
    (|a, b| b / a - 1.0, |_, c| signed(c.value, c.resolution)),
    (|a, b| 1.0 - b / a, |_, c| signed(-c.value, c.resolution)),
    (|a, b| b - a, |a, c| signed(c.value / a, c.resolution / a.abs())),
    (|a, b| a - b, |a, c| signed(-c.value / a, c.resolution / a.abs())),
    (|a, b| 100.0 * b / a, |_, c| signed(c.value / 100.0 - 1.0, c.resolution / 100.0)),
    (
        |a, b| 100.0 * a / b,
        |_, c| signed(100.0 / c.value - 1.0, 100.0 * c.resolution / c.value.powi(2)),
    ),
];

/// Number of rows in which the third number compares the other two in this way, within the printed digits.
fn holding(form: Form, rows: &[(Number, Number, Number)]) -> usize {
    let near = |(a, b, c): &&(Number, Number, Number)| {
        let expected = form(a.value, b.value);
        let slack = (form(a.value + a.resolution, b.value) - expected).abs()
            + (form(a.value, b.value + b.resolution) - expected).abs()
            + c.resolution * 1.01;
        (c.value - expected).abs() <= slack + 1e-9 * expected.abs()
    };
    rows.iter().filter(near).count()
}

/// The reading of percentages that are shares of one value in the other, as most rows show.
fn shares_of(rows: &[(Number, Number, Number)]) -> Option<ReadChange> {
    let shares = &READINGS[READINGS.len() - 2..];
    let best = shares.iter().max_by_key(|(form, _)| holding(*form, rows))?;
    (2 * holding(best.0, rows) > rows.len()).then_some(best.1)
}

/// How the bare numbers of a column compare two values, as at least half of the rows show; where none shows it, as the
/// header says.
fn reading_of(header: &str, rows: &[(Number, Number, Number)]) -> Option<ReadChange> {
    let holds = |form: Form| holding(form, rows);
    let best = READINGS.iter().rev().max_by_key(|(form, _)| holds(*form))?;
    if 2 * holds(best.0) >= rows.len().max(1) {
        return Some(best.1);
    }
    let lower = header.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let at = if says(&["speedup", "speed-up", "ratio", "加速比"]) {
        0
    } else if says(&["%", "％", "percent"]) {
        2
    } else if says(&["delta", "δ", "∆", "diff", "差"]) {
        6
    } else {
        return None;
    };
    Some(READINGS[at].1)
}

/// The two columns that a column of changes compares: those of the metric that its header names, or else those before it or whose
/// values it follows. Of three sides of one metric its numbers say which two.
fn sides_of<'a>(
    table: &Table,
    at: usize,
    kinds: &[Kind],
    values: &'a [Values],
) -> Option<[&'a Values; 2]> {
    let numbers: Vec<Vec<_>> = (0..kinds.len()).map(|at| numbers_of(table, at)).collect();
    let follows =
        |pair: &&[&Values; 2]| compared(table, at, (&pair.map(|side| side.at), &numbers)).is_some();
    let beside = |pair: &&[&Values; 2]| pair.iter().any(|side| side.at + 1 == at);
    // With several columns of changes each stands behind its own two.
    let several = kinds.iter().filter(|kind| **kind == Kind::Compares).count() > 1;
    // `TTFT change`
    let words = table.headers[at].to_lowercase();
    let named = |pair: &&[&Values; 2]| {
        let metric = pair[0].metric.as_deref().map(|name| without_unit(name).to_lowercase());
        metric.is_some_and(|metric| !metric.is_empty() && words.contains(&metric))
    };
    match &pairs_of_sides(values)[..] {
        [] => {
            let columns: Vec<usize> = values.iter().map(|value| value.at).collect();
            let (a, b) = compared(table, at, (&columns, &numbers))?;
            let side = |at: usize| values.iter().find(|value| value.at == at);
            Some([side(a.min(b))?, side(a.max(b))?])
        }
        [only] => Some(*only).filter(|pair| follows(&pair) || !names_another(&words, values)),
        all => {
            let by_place = || {
                let (one, other) = (all.iter().find(beside), all.iter().find(follows));
                if several { one.or(other) } else { other.or(one) }
            };
            all.iter().find(named).or_else(by_place).copied()
        }
    }
}

/// Whether a header names the one side over the other, as a ratio does: `v0.11 / lk-moe`, `rust_over_julia`.
fn is_over(header: &str, [one, other]: [&str; 2]) -> bool {
    let (lower, one, other) = (header.to_lowercase(), one.to_lowercase(), other.to_lowercase());
    let starts = |at: usize| !lower[..at].ends_with(char::is_alphanumeric);
    let mut places = lower.match_indices(&*one).filter(|(at, _)| starts(*at));
    places.any(|(at, _)| {
        let rest = &lower[at + one.len()..];
        let between = rest.find(&*other).map(|end| rest[..end].trim_matches([' ', '_', '-', '.']));
        between.is_some_and(|between| ["/", "÷", "over", "vs", "versus"].contains(&between))
    })
}

/// The change that a row of a column of changes states.
struct Stated {
    /// Number of the row.
    number: usize,
    /// Empty where the rows name no metrics.
    metric: String,
    text: String,
    change: Change,
    /// The change of the values beside it, a fraction of the old one.
    moved: f64,
    better: Option<Better>,
}

/// Words in the headers of columns in which a factor above one is a gain.
const GAINS: &[&str] = &["speedup", "speed-up", "improve", "gain", "加速", "提升", "收益", "改善"];

/// Turns the factors of the larger value over the smaller one, whichever it is, to the way that the values went. No factor is below
/// one, all agree with the values in this way, and some values rose and others fell. In a column of gains a factor has its side.
fn larger_over_smaller(found: &mut [Stated], header: &str) {
    let fits = |one: &Stated| {
        let larger = one.moved.max(1.0 / (1.0 + one.moved) - 1.0);
        let near = one.change.resolution + 0.01 * (1.0 + one.change.size);
        let bare = || fields::number(one.text.trim()).is_some_and(|number| number.value >= 1.0);
        (without_times(one.text.trim()).is_some() || bare())
            && one.change.up != Some(false)
            && (larger - one.change.size).abs() <= near
    };
    let fell = |one: &&Stated| one.moved < 0.0;
    let far = || found.iter().filter(|one| one.change.size > SMALL);
    let both = far().any(|one| fell(&one)) && !far().all(|one| fell(&one));
    let gains = GAINS.iter().any(|word| header.to_lowercase().contains(word));
    if !gains && both && found.iter().all(fits) {
        for one in found.iter_mut().filter(|one| one.moved < 0.0) {
            one.change = one.change.inverse();
        }
    }
}

/// The words of a text in small letters.
fn words_of(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    parts.map(str::to_lowercase).collect()
}

/// Whether a header begins with a word that is in the name of the first of two sides only, has none of the second, and is over the
/// changes from the second to the first: `nano advantage` beside `nano-vllm` and `vllm`.
fn names_first(table: &Table, at: usize, [first, second]: [&Values; 2]) -> bool {
    let [one, two] = [words_of(&first.variant), words_of(&second.variant)];
    let words = words_of(&table.headers[at]);
    let own = |word: &String| one.contains(word) && !two.contains(word);
    let other = |word: &String| two.contains(word) && !one.contains(word);
    // The changes are those from the second to the first, more often than the other way.
    let holds = |row: Line, [old, new]: [&Values; 2]| {
        let value = |at: usize| Some(figure(row.cells.get(at), table.comma)?.value()?.value);
        let change = change(row.cells.get(at).trim(), false)?;
        let size = if change.up == Some(false) { -change.size } else { change.size };
        let seen = value(new.at)? / value(old.at)? - 1.0;
        Some((seen - size).abs() <= change.resolution + 0.001)
    };
    let count = |pair: [&Values; 2]| {
        table.rows.iter().filter(|row| holds(*row, pair) == Some(true)).count()
    };
    let named = words.len() > 1 && own(&words[0]) && !words.iter().any(other);
    named && count([second, first]) > count([first, second])
}

/// Whether a column of speedups has those of the first of two columns, of the same metric, over the second: `1.64x` behind
/// `Triton 0.0267` and `PyTorch 0.0437` ms.
fn is_speedup_of_first(
    table: &Table,
    (at, names): (usize, Option<usize>),
    [first, second]: [&Values; 2],
) -> bool {
    let header = table.headers[at].to_lowercase();
    if !["speedup", "speed-up", "ratio", "加速"].iter().any(|word| header.contains(word)) {
        return false;
    }
    let better_of = |name: &str| Metric::of_column(name).0.better;
    let of_column = first.metric.as_deref().and_then(better_of);
    let holds = |row: Line| {
        let of_row = || better_of(row.cells.get(names.unwrap_or(0)).trim());
        let better = of_column.or_else(of_row)?;
        let value = |at: usize| Some(figure(row.cells.get(at), table.comma)?.value()?.value);
        let cell = row.cells.get(at).trim();
        let factor = fields::number(without_times(cell).unwrap_or(cell).trim())?;
        let (one, other) = (value(first.at)?, value(second.at)?);
        let (one, other) = if better == Better::Lower { (other, one) } else { (one, other) };
        let near = |ratio: f64| (ratio - factor.value).abs() <= 1.5 * factor.resolution;
        Some((near(one / other), near(other / one)))
    };
    let rows: Vec<(bool, bool)> = table.rows.iter().filter_map(holds).collect();
    let own = rows.iter().filter(|(own, other)| *own && !other).count();
    let others = rows.iter().filter(|(own, other)| *other && !own).count();
    own > others && 3 * own >= 2 * rows.len()
}

/// Whether a header in small letters compares with something that is none of the sides: `vs q8_0`.
fn names_another(header: &str, values: &[Values]) -> bool {
    let mut parts = words_of(header).into_iter();
    if !parts.by_ref().any(|word| word == "vs" || word == "versus") {
        return false;
    }
    let rest: Vec<String> = parts.collect();
    let named = |word: &String| {
        label_hint(word) != LabelHint::Neither
            || values.iter().any(|value| words_of(&value.variant).contains(word))
    };
    rest.iter().any(|word| word.contains(char::is_alphabetic)) && !rest.iter().any(named)
}

/// The two columns of each metric, where all metrics have two sides.
fn pairs_of_sides(values: &[Values]) -> Vec<[&Values; 2]> {
    let mut pairs: Vec<(&Option<String>, Vec<&Values>)> = Vec::new();
    for side in values.iter().filter(|value| !value.variant.is_empty()) {
        match pairs.iter_mut().find(|(metric, _)| **metric == side.metric) {
            Some((_, pair)) => pair.push(side),
            None => pairs.push((&side.metric, vec![side])),
        }
    }
    pairs.into_iter().map_while(|(_, pair)| pair.try_into().ok()).collect()
}

/// Of the rows whose change a column states, those in which it agrees with the change of another column from the row with which
/// most agree, or each from the row above it, and all of them. `agrees` is asked with the change, the new value over the old one,
/// and the room that rounding leaves to a ratio of the two.
fn from_a_row(
    table: &Table,
    (at, column): (usize, usize),
    factors: bool,
    agrees: impl Fn(&Change, f64, &dyn Fn(f64) -> f64) -> bool,
) -> (usize, usize) {
    if table.rows.len() > MAX_COMPARED {
        return (0, 0);
    }
    let changes: Vec<Option<Change>> =
        table.rows.iter().map(|row| change(row.cells.get(at).trim(), factors)).collect();
    let numbers = numbers_of(table, column);
    let of = |base: Option<usize>| {
        let (mut good, mut all) = (0, 0);
        for (row, change) in changes.iter().enumerate().filter(|(row, _)| Some(*row) != base) {
            let Some(change) = change.as_ref().filter(|change| change.size > 1e-9) else {
                continue;
            };
            let old = base.or(row.checked_sub(1)).and_then(|base| numbers[base]);
            let Some((new, old)) = numbers[row].zip(old) else { continue };
            let digits = new.resolution / new.value.abs() + old.resolution / old.value.abs();
            let room = |ratio: f64| 1.01 * change.resolution + ratio.abs() * digits + ROUNDING;
            all += 1;
            good += usize::from(agrees(change, new.value / old.value, &room));
        }
        (good, all)
    };
    // Of equal shares the one with more rows.
    let share = |(good, all): &(usize, usize)| *good as f64 / (*all).max(1) as f64;
    let best = |one: &(usize, usize), other: &(usize, usize)| {
        share(one).total_cmp(&share(other)).then(one.1.cmp(&other.1))
    };
    (0..table.rows.len()).map(Some).chain([None]).map(of).max_by(best).unwrap_or_default()
}

/// The change that a cell states, with its sign.
fn stated(change: &Change) -> f64 {
    if change.up == Some(false) { -change.size } else { change.size }
}

/// Whether the changes of a column are those of another one from one row to three of four others, or where `inverse` one divided
/// by these; `factors`: bare numbers are factors.
fn follows(table: &Table, at: usize, column: usize, (inverse, factors): (bool, bool)) -> bool {
    let agrees = |change: &Change, ratio: f64, room: &dyn Fn(f64) -> f64| {
        let ratio = if inverse { ratio.recip() } else { ratio };
        let near = |size: f64| (ratio - 1.0 - size).abs() <= room(ratio);
        near(stated(change)) || change.up.is_none() && near(-stated(change))
    };
    let (good, all) = from_a_row(table, (at, column), factors, agrees);
    all > 0 && 4 * good >= 3 * all
}

/// Whether the numbers of a column are those of a metric in the same rows as factors of the row that has `1.00`, either way.
pub(crate) fn is_relative(table: &Table, at: usize, kinds: &[Kind]) -> bool {
    let decimal = |cell: &str| cell.contains(['.', ',']) && fields::number(cell.trim()).is_some();
    let one = |cell: &str| {
        fields::number(cell.trim()).is_some_and(|number| (number.value - 1.0).abs() < 1e-12)
    };
    let metrics = (0..kinds.len()).filter(|other| *other != at && kinds[*other] == Kind::Metric);
    table.filled(at).all(decimal)
        && table.filled(at).filter(|cell| one(cell)).count() == 1
        && table.filled(at).count() > 1
        && metrics.into_iter().any(|other| {
            [false, true].iter().any(|inverse| follows(table, at, other, (*inverse, true)))
        })
}

/// Names the column of words that a column of ratios compares, `Ratio` of 1.00 for `Mvc` under each `Method`: inside every group of the
/// other words one row has a ratio of one, all of these have one label, and the others' ratios are those of a measured column.
pub(crate) fn name_what_is_compared(table: &mut Table) -> bool {
    let width = table.headers.len();
    let rows = table.rows.len();
    if !(4..=MAX_COMPARED).contains(&rows) {
        return false;
    }
    let cells: Vec<Vec<&str>> = table
        .rows
        .iter()
        .map(|row| (0..width).map(|at| row.cells.get(at).trim_matches(['*', ' '])).collect())
        .collect();
    let bare = |row: usize, at: usize| cells[row][at];
    let word = |cell: &str| cell.contains(char::is_alphabetic) && figure(cell, false).is_none();
    let words: Vec<usize> =
        (0..width).filter(|&at| (0..rows).all(|row| word(bare(row, at)))).collect();
    if words.len() < 2 {
        return false;
    }
    let is_one = |cell: &str| fields::number(cell).is_some_and(|n| (n.value - 1.0).abs() < 1e-12);
    let decimal = |cell: &str| cell.contains('.') && fields::number(cell).is_some();
    let ratios = (0..width).filter(|at| {
        (0..rows).all(|row| decimal(bare(row, *at))) && (0..rows).any(|row| is_one(bare(row, *at)))
    });
    let compares = |ratio: usize, column: usize| {
        let bases: Vec<usize> = (0..rows).filter(|row| is_one(bare(*row, ratio))).collect();
        let label = bare(bases[0], column);
        let others: Vec<usize> = words.iter().copied().filter(|at| *at != column).collect();
        let group = |row: usize| -> Vec<&str> { others.iter().map(|at| bare(row, *at)).collect() };
        let of_label = (0..rows).filter(|row| bare(*row, column) == label);
        if bases.len() < 2 || of_label.collect::<Vec<_>>() != bases {
            return false;
        }
        let base = |row: usize| {
            let mut own = bases.iter().copied().filter(|base| group(*base) == group(row));
            own.next().filter(|_| own.next().is_none())
        };
        let measured = (0..width).filter(|at| *at != ratio && !words.contains(at));
        measured.into_iter().any(|at| {
            let numbers = numbers_of(table, at);
            let agrees = |row: &usize| {
                let stated = fields::number(bare(*row, ratio));
                let found = base(*row).and_then(|base| numbers[*row].zip(numbers[base]));
                stated.zip(found).is_some_and(|(stated, (new, old))| {
                    // The mean of ratios is near the ratio of means.
                    let room = stated.resolution + SMALL;
                    (new.value / old.value - stated.value).abs() <= room
                })
            };
            (0..rows).all(|row| agrees(&row))
        })
    };
    let pairs = ratios.flat_map(|ratio| words.iter().map(move |column| (ratio, *column)));
    let Some((_, column)) = pairs.into_iter().find(|(ratio, column)| compares(*ratio, *column))
    else {
        return false;
    };
    for (at, header) in table.headers.iter_mut().enumerate() {
        if at == column {
            VARIANT[0].clone_into(header);
        } else if is_called(header, VARIANT) {
            *header = format!("{header} of the row");
        }
    }
    true
}

/// Whether the changes of a column have the other sign than those of another one from a row to the others: a plus means better.
fn is_turned(table: &Table, at: usize, column: usize) -> bool {
    let agreeing = |sign: f64| {
        let agrees = |change: &Change, ratio: f64, room: &dyn Fn(f64) -> f64| {
            let near = |seen: f64| (seen - sign * stated(change)).abs();
            let of_old = near(ratio - 1.0) <= room(ratio);
            let of_new = near(1.0 - ratio.recip()) <= room(ratio.recip());
            change.up.is_some() && (of_old || of_new)
        };
        from_a_row(table, (at, column), false, agrees).0
    };
    let turned = agreeing(-1.0);
    turned > 1 && turned > agreeing(1.0)
}

/// Whether the changes of a column are those of one of these columns from one row to all others, whichever way they are signed.
pub(crate) fn are_between_rows(table: &Table, at: usize, columns: &[usize]) -> bool {
    let agrees = |change: &Change, ratio: f64, room: &dyn Fn(f64) -> f64| {
        let near = |ratio: f64| ((ratio - 1.0).abs() - change.size).abs() <= room(ratio);
        near(ratio) || near(ratio.recip())
    };
    let all_agree = |&column: &usize| {
        let (good, all) = from_a_row(table, (at, column), false, agrees);
        all > 1 && good == all
    };
    columns.iter().any(all_agree)
}

/// Whether the numbers of a column, each with its sign, are the differences of one of these columns from one of the rows: `+0.005`
/// behind a perplexity. In that row it has a word, a dash or zero.
pub(crate) fn are_differences(table: &Table, at: usize, columns: &[usize]) -> bool {
    let stated = numbers_of(table, at);
    let signed = |row: Line| {
        let cell = row.cells.get(at).trim_matches(['*', ' ']);
        cell.starts_with(['+', '-', '−', '–']) && cell.contains(|c: char| c.is_ascii_digit())
    };
    let signs: Vec<bool> = table.rows.iter().map(signed).collect();
    let bases: Vec<usize> = (0..signs.len()).filter(|row| !signs[*row]).collect();
    let [base] = bases[..] else { return false };
    let zero = |number: Number| number.value.abs() < 1e-12;
    if signs.len() < MIN_DIFFERENCES || !stated[base].is_none_or(zero) {
        return false;
    }
    // `Δ PPL` names its column, `Δ` may be about any.
    let words = |at: usize| -> BTreeSet<String> {
        let delta = ["delta", "diff", "difference", "change", "vs"];
        let words = words_of(&table.headers[at]).into_iter();
        words.filter(|word| !["δ", "∆"].contains(&&**word) && !delta.contains(&&**word)).collect()
    };
    let own = words(at);
    let named =
        |column: &&usize| **column != at && (own.is_empty() || !own.is_disjoint(&words(**column)));
    columns.iter().filter(named).any(|column| {
        let numbers = numbers_of(table, *column);
        let differs = |row: usize| {
            let (new, old, stated) = (numbers[row]?, numbers[base]?, stated[row]?);
            let room = new.resolution + old.resolution + 1.01 * stated.resolution;
            Some((new.value - old.value - stated.value).abs() <= room)
        };
        (0..signs.len()).filter(|row| *row != base).all(|row| differs(row) == Some(true))
    })
}

/// Fewest rows of differences from one of them.
const MIN_DIFFERENCES: usize = 3;

/// Changes up to which nothing is told by them.
const SMALL: f64 = 0.01;

/// Fewest rows in which a column shows that it compares something else.
const MIN_ROWS: usize = 5;

/// Most rows that are compared with one another.
pub(crate) const MAX_COMPARED: usize = 500;

/// Difference of a change from that of two values by rounding on the way.
const ROUNDING: f64 = 0.002;

/// Whether a change of a column is that of one of these columns between two rows or its inverse, within a hundredth.
fn explains(table: &Table, at: usize, measured: impl Iterator<Item = usize>) -> bool {
    if table.rows.len() > MAX_COMPARED {
        return true;
    }
    let changes: Vec<Option<Change>> =
        table.rows.iter().map(|row| change(row.cells.get(at).trim(), false)).collect();
    measured.into_iter().any(|other| {
        let values: Vec<Option<f64>> =
            numbers_of(table, other).into_iter().map(|number| Some(number?.value)).collect();
        let moved = |row: usize, change: &Change| {
            let size = if change.up == Some(false) { -change.size } else { change.size };
            let near = |base: &Option<f64>| {
                values[row].zip(*base).is_some_and(|(new, old)| {
                    let near = |ratio: f64| {
                        (ratio - 1.0 - size).abs() < 0.01 + change.resolution.min(0.05)
                    };
                    old != 0.0 && new != 0.0 && (near(new / old) || near(old / new))
                })
            };
            change.size > 0.01 && values.iter().any(near)
        };
        changes
            .iter()
            .enumerate()
            .any(|(row, change)| change.as_ref().is_some_and(|c| moved(row, c)))
    })
}

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

/// A claim of a cell, and the run that it belongs to.
struct CellClaim {
    /// Number of the row, and column, as they are written.
    place: (usize, usize),
    /// Number of the row now.
    number: usize,
    metric: String,
    /// Label of the variant, where the column has it.
    variant: Option<String>,
    text: String,
    change: Change,
}

/// The claims of a table.
#[derive(Default)]
pub(crate) struct CellClaims(Vec<CellClaim>);

impl CellClaims {
    /// The changes beside values: each is one of the metric of its column, or of its row; `of_own` has the places of factors
    /// that are other values divided by their own.
    pub(crate) fn of_remarks(
        table: &Table,
        remarks: Vec<Remark>,
        of_own: &BTreeSet<(usize, usize)>,
    ) -> Self {
        let claim = |Remark { place, text }: Remark| {
            let change = change(&text, false)?;
            let change = if of_own.contains(&place) { change.inverse() } else { change };
            let metric = table.headers.get(place.1)?.clone();
            Some(CellClaim { place, number: place.0, metric, variant: None, text, change })
        };
        Self(remarks.into_iter().filter_map(claim).collect())
    }

    /// The changes of a table with a column per variant: those of a row are of the metric that the row names, and those of a
    /// column beside several metrics are about the metric that its header names, else about the two columns whose values they
    /// follow or behind which they stand.
    ///
    /// Gives the columns whose changes agree with these values in fewer than half of the rows, with the numbers of rows: they
    /// compare something else, such as runs in pairs, and are no claims.
    pub(crate) fn add_between(
        &mut self,
        table: &Table,
        kinds: &[Kind],
        names: Option<usize>,
        values: &[Values],
    ) -> Vec<(usize, [usize; 2])> {
        let mut others = Vec::new();
        for (at, _) in kinds.iter().enumerate().filter(|(_, kind)| **kind == Kind::Compares) {
            let Some([first, second]) = sides_of(table, at, kinds, values) else { continue };
            let hints = [first, second].map(|side| label_hint(&side.variant));
            let turned = hints[1] == LabelHint::Baseline
                || hints[0] == LabelHint::Candidate
                || hints == [LabelHint::Neither; 2]
                    && (is_over(&table.headers[at], [&first.variant, &second.variant])
                        || is_speedup_of_first(table, (at, names), [first, second])
                        || names_first(table, at, [first, second]));
            let (old, new) = if turned { (second, first) } else { (first, second) };
            let value = |row: Line, at: usize| figure(row.cells.get(at), table.comma)?.value();
            let bare = |row: &Line| fields::number(row.cells.get(at).trim()).is_some();
            let numbers: Vec<(Number, Number, Number)> = table
                .rows
                .iter()
                .filter(bare)
                .filter_map(|row| {
                    let number = fields::number(row.cells.get(at).trim())?;
                    Some((value(row, old.at)?, value(row, new.at)?, number))
                })
                .collect();
            let reading = reading_of(&table.headers[at], &numbers);
            // `58.9%` without a sign may be the share of one value in the other.
            let share = |cell: &str| {
                let number = cell.trim().strip_suffix(['%', '％'])?.trim_end();
                fields::number(number).filter(|_| number.starts_with(|c: char| c.is_ascii_digit()))
            };
            let shares: Vec<(Number, Number, Number)> = table
                .rows
                .iter()
                .filter_map(|row| {
                    Some((value(row, old.at)?, value(row, new.at)?, share(row.cells.get(at))?))
                })
                .collect();
            let as_shares = shares_of(&shares);
            let mut found = Vec::new();
            for row in table.rows.iter() {
                let cell = row.cells.get(at);
                let values = value(row, old.at).zip(value(row, new.at));
                let Some((before, after)) = values.map(|(a, b)| (a.value, b.value)) else {
                    continue;
                };
                let bare = fields::number(cell.trim()).filter(|_| !cell.contains('%'));
                let part = as_shares.and_then(|read| Some((read, share(cell)?)));
                let signed = bare.is_some() || part.is_some();
                let stated = match (bare, part) {
                    (Some(number), _) => reading.and_then(|read| read(before, &number)),
                    (None, Some((read, share))) => read(before, &share),
                    (None, None) => change(cell, true),
                };
                let Some(change) = stated else { continue };
                let metric =
                    names.map_or(String::new(), |names| row.cells.get(names).trim().to_owned());
                let better = Metric::of_column(&metric).0.better;
                // How a bare number compares the values is known.
                let better = if signed { Some(Better::Higher) } else { better };
                let (number, text) = (row.number, cell.trim().to_owned());
                let moved = after / before - 1.0;
                found.push(Stated { number, metric, text, change, moved, better });
            }
            larger_over_smaller(&mut found, &table.headers[at]);
            // In some tables a plus means better. That is so where more rows agree with it.
            let agrees = |change: &Change, moved: f64| {
                let signed = if change.up == Some(false) { -change.size } else { change.size };
                let near = change.resolution + 0.001;
                [moved, moved / (1.0 + moved)].iter().any(|seen| (seen - signed).abs() <= near)
            };
            let as_written = found.iter().filter(|one| agrees(&one.change, one.moved)).count();
            let turns = |change: &Change, moved: f64| {
                agrees(change, -moved / (1.0 + moved)) || agrees(change, -moved)
            };
            // Where the name says no direction the values do: by the sign where the size agrees with neither.
            let against = |change: &Change, moved: f64| {
                turns(change, moved)
                    || !agrees(change, moved) && change.up.is_some_and(|up| up != (moved > 0.0))
            };
            let lower = |change: &Change, moved: f64, better: Option<Better>| match better {
                Some(better) => better == Better::Lower,
                None => against(change, moved),
            };
            let better_is_plus = found
                .iter()
                .filter(|Stated { change, moved, better, .. }| {
                    if lower(change, *moved, *better) {
                        turns(change, *moved)
                    } else {
                        agrees(change, *moved)
                    }
                })
                .count();
            // Any column agrees with changes near to none.
            let told = || found.iter().filter(|one| one.change.size.max(one.moved.abs()) > SMALL);
            let agreeing = told()
                .filter(|one| agrees(&one.change, one.moved) || turns(&one.change, one.moved));
            let (agreeing, all) = (agreeing.count(), told().count());
            // Changes of runs in pairs are none of their averages.
            let paired = table.headers[at].to_lowercase().contains("paired") && agreeing < all;
            if paired || all >= MIN_ROWS && 2 * agreeing < all {
                others.push((at, [agreeing, all]));
                continue;
            }
            // Where no row tells, the name of the column does.
            let header = table.headers[at].to_lowercase();
            let gain =
                better_is_plus == as_written && GAINS.iter().any(|word| header.contains(word));
            for Stated { number, metric, text, mut change, moved, better } in found {
                if (better_is_plus > as_written || gain) && lower(&change, moved, better) {
                    change.up = change.up.map(|up| !up);
                }
                let variant = Some(new.variant.clone());
                self.0.push(CellClaim {
                    place: (number, new.at),
                    number,
                    metric,
                    variant,
                    text,
                    change,
                });
            }
        }
        others
    }

    /// The changes of a table with a row per run: those of a column are of the metric that its header names, or else of the
    /// nearest to its left.
    pub(crate) fn add_beside(&mut self, table: &Table, kinds: &[Kind]) {
        for (at, _) in kinds.iter().enumerate().filter(|(_, kind)| **kind == Kind::Compares) {
            let measured =
                |at: &usize| matches!(kinds[*at], Kind::Metric | Kind::Other | Kind::Side);
            let header = table.headers[at].to_lowercase();
            let named = |at: &usize| {
                let name = table.headers[*at].to_lowercase();
                !name.is_empty() && header.split_whitespace().any(|word| word == name)
            };
            let words = ["speedup", "speed-up", "ratio", "加速比"];
            let factors =
                words.iter().any(|word| header.contains(word)) || is_relative(table, at, kinds);
            let mut metrics = (0..kinds.len()).filter(measured);
            let named = metrics.find(named);
            let named_metric = named.is_some();
            // A single column behind several metrics may be about any of them.
            let changes = kinds.iter().filter(|kind| **kind == Kind::Compares).count();
            let nearest = (0..at).rfind(measured);
            // `it/s, ms/step, Speedup`: the factors are those of the rate, which all of them follow.
            let followed = |inverse: bool| {
                let mut left = (0..at).rev().filter(measured);
                left.find(|&column| follows(table, at, column, (inverse, factors)))
            };
            let direct = named.is_none().then(|| followed(false)).flatten();
            let inverse = (named.is_none() && direct.is_none()).then(|| followed(true)).flatten();
            let told = direct.or(inverse);
            let open = named.is_none()
                && told.is_none()
                && changes == 1
                && (0..at).filter(measured).count() > 2;
            let metric = named.or(told).or(nearest);
            let Some(metric) = metric else { continue };
            let metric = if open { at } else { metric };
            if !factors && !table.mostly(at, is_change) {
                continue;
            }
            let says = factors
                || named_metric
                || says_change(&header)
                || header.contains(['%', 'δ', '∆', '差', '率', '比']);
            if !says
                && !header.is_empty()
                && !explains(table, at, (0..kinds.len()).filter(measured))
            {
                continue;
            }
            // No change in one row alone marks the row that the others are compared with.
            let none = |row: &Line| {
                change(row.cells.get(at).trim(), factors).is_some_and(|c| c.size < 1e-9)
            };
            // With several such rows nobody knows which of them a row is compared with.
            if named.is_none() && told.is_none() && table.rows.iter().filter(none).count() > 1 {
                continue;
            }
            // Changes in every row, which no column explains, are against something that is not in the table.
            let some = |row: Line| {
                change(row.cells.get(at).trim(), factors).is_some_and(|c| c.size > 1e-9)
            };
            if named.is_none()
                && told.is_none()
                && table.rows.len() > 2
                && table.rows.iter().all(some)
            {
                continue;
            }
            let turned = !factors && is_turned(table, at, metric);
            let mut marked = table.rows.iter().filter(none);
            let reference = marked.next().filter(|_| marked.next().is_none());
            let reference = reference.map(|row| row.number);
            // Those of sizes against the first size compare loads, and no variants.
            let first = table.rows.iter().next().map(|row| row.number);
            if reference.is_some() && reference == first && kinds[0] == Kind::Key && rises(table, 0)
            {
                continue;
            }
            for row in table.rows.iter().filter(|row| Some(row.number) != reference) {
                let text = row.cells.get(at).trim().to_owned();
                let Some(mut change) = change(&text, factors) else { continue };
                if inverse.is_some() {
                    change = change.inverse();
                } else if turned {
                    change.up = change.up.map(|up| !up);
                }
                let metric = table.headers[metric].clone();
                let place = (row.number, at);
                self.0.push(CellClaim {
                    place,
                    number: row.number,
                    metric,
                    variant: None,
                    text,
                    change,
                });
            }
        }
    }

    /// Whether the changes of a column are claims.
    pub(crate) fn checks(&self, at: usize) -> bool {
        self.0.iter().any(|claim| claim.place.1 == at && claim.variant.is_none())
    }

    /// Notes that a cell became a row of the long layout.
    pub(crate) fn moves(
        &mut self,
        place: (usize, usize),
        number: usize,
        metric: &str,
        variant: &str,
    ) {
        for claim in self.0.iter_mut().filter(|claim| claim.place == place) {
            claim.number = number;
            metric.clone_into(&mut claim.metric);
            claim.variant = Some(variant.to_owned()).filter(|variant| !variant.is_empty());
        }
    }

    /// Ties the claims of a row outside of its values to the metric of the row, and to the last variant.
    pub(crate) fn tie(
        &mut self,
        (row, values): (usize, &[Values]),
        number: usize,
        metric: &str,
        variant: &str,
    ) {
        let beside = |claim: &&mut CellClaim| {
            claim.place.0 == row && !values.iter().any(|value| value.at == claim.place.1)
        };
        for claim in self.0.iter_mut().filter(beside) {
            claim.number = number;
            metric.clone_into(&mut claim.metric);
            claim.variant = Some(variant.to_owned()).filter(|variant| !variant.is_empty());
        }
    }

    /// Gives each claim to the run that it stands beside: the last of its variant that starts before it.
    pub(crate) fn apply(&self, runs: &mut [Run]) {
        for CellClaim { place, number, metric, variant, text, change } in &self.0 {
            let fits = |run: &&mut Run| {
                run.source.position <= *number
                    && variant.as_ref().is_none_or(|variant| run.variant == *variant)
            };
            let name = fields::metric_of_column(metric).name;
            let Some(run) = runs.iter_mut().filter(fits).max_by_key(|run| run.source.position)
            else {
                continue;
            };
            let measured = run.metrics.contains_key(&name);
            // Counts of requests are no metric, and their change is none of another one.
            if !measured && fields::field_of_column(metric).is_some() {
                continue;
            }
            let source = Source { position: place.0, counts: "line", ..run.source.clone() };
            let words = if metric.is_empty() { text.clone() } else { format!("{metric}: {text}") };
            let Change { size, resolution, up } = *change;
            run.info.claims.push(Claim {
                text: words,
                before: String::new(),
                size,
                resolution,
                up,
                values: None,
                metric: measured.then_some(name),
                closing: false,
                doubt: None,
                source,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
