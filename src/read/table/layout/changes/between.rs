//! The two values that a change column compares, and which way round.

use crate::kit::fields::{self, Number};
use crate::kit::figure::figure;
use crate::table::layout::changes::forms::{
    Change, Form, MAX_COMPARED, ROUNDING, SMALL, change, compared, numbers_of, signed,
};
use crate::table::layout::columns::{Kind, Values, without_times, without_unit};
use crate::table::records::{Line, Table};
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::runs::{LabelHint, label_hint};
use beyondnoise_model::units::Better;

/// Reads what a bare number of a column of changes states; `None` where the column holds something else.
type ReadChange = fn(f64, &Number) -> Option<Change>;

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
pub(crate) fn shares_of(rows: &[(Number, Number, Number)]) -> Option<ReadChange> {
    let shares = &READINGS[READINGS.len() - 2..];
    let best = shares.iter().max_by_key(|(form, _)| holding(*form, rows))?;
    (2 * holding(best.0, rows) > rows.len()).then_some(best.1)
}

/// How the bare numbers of a column compare two values, as at least half of the rows show; where none shows it, as the
/// header says.
pub(crate) fn reading_of(header: &str, rows: &[(Number, Number, Number)]) -> Option<ReadChange> {
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
pub(crate) fn sides_of<'a>(
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
pub(crate) fn is_over(header: &str, [one, other]: [&str; 2]) -> bool {
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
pub(crate) struct Stated {
    /// Number of the row.
    pub(crate) number: usize,
    /// Empty where the rows name no metrics.
    pub(crate) metric: String,
    pub(crate) text: String,
    pub(crate) change: Change,
    /// The change of the values beside it, a fraction of the old one.
    pub(crate) moved: f64,
    pub(crate) better: Option<Better>,
}

/// Words in the headers of columns in which a factor above one is a gain.
pub(crate) const GAINS: &[&str] =
    &["speedup", "speed-up", "improve", "gain", "加速", "提升", "收益", "改善"];

/// Turns the factors of the larger value over the smaller one, whichever it is, to the way that the values went. No factor is below
/// one, all agree with the values in this way, and some values rose and others fell. In a column of gains a factor has its side.
pub(crate) fn larger_over_smaller(found: &mut [Stated], header: &str) {
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
pub(crate) fn words_of(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    parts.map(str::to_lowercase).collect()
}

/// Whether a header begins with a word that is in the name of the first of two sides only, has none of the second, and is over the
/// changes from the second to the first: `nano advantage` beside `nano-vllm` and `vllm`.
pub(crate) fn names_first(table: &Table, at: usize, [first, second]: [&Values; 2]) -> bool {
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
pub(crate) fn is_speedup_of_first(
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
pub(crate) fn from_a_row(
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
pub(crate) fn stated(change: &Change) -> f64 {
    if change.up == Some(false) { -change.size } else { change.size }
}

/// Whether the changes of a column are those of another one from one row to three of four others, or where `inverse` one divided
/// by these; `factors`: bare numbers are factors.
pub(crate) fn follows(
    table: &Table,
    at: usize,
    column: usize,
    (inverse, factors): (bool, bool),
) -> bool {
    let agrees = |change: &Change, ratio: f64, room: &dyn Fn(f64) -> f64| {
        let ratio = if inverse { ratio.recip() } else { ratio };
        let near = |size: f64| (ratio - 1.0 - size).abs() <= room(ratio);
        near(stated(change)) || change.up.is_none() && near(-stated(change))
    };
    let (good, all) = from_a_row(table, (at, column), factors, agrees);
    all > 0 && 4 * good >= 3 * all
}
