//! Rows of changes below the rows that they compare: `| speedup | 1.08x | 1.07x |`.

use std::cmp::Reverse;

use crate::kit::cell_value::is_nothing;
use crate::kit::fields::Number;
use crate::kit::figure::figure;
use crate::table::layout::changes::between::GAINS;
use crate::table::layout::changes::forms::{Change, Remark, change};
use crate::table::layout::columns::{COMPARING, is_change, says_change};
use crate::table::records::{Line, Table};
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, label_hint};

/// A cell in small letters, without emphasis.
pub(super) fn bare(cell: &str) -> String {
    cell.trim().trim_matches(['*', '_', '`', ':', '(', ')', ' ', '：', '#']).to_lowercase()
}

/// Whether a label is that of a quantity that is measured, also as a factor: `RTFx`, and no `speedup`.
pub(crate) fn is_measured(label: &str) -> bool {
    let bare = bare(label);
    meaning(label).says == Says::Measured && !says_change(&bare) && !COMPARING.contains(&&*bare)
}

/// Rows of nothing but changes behind their label, beside rows of values: `| speedup | 1.08x | 1.07x |`.
pub(super) fn changes(table: &Table) -> Vec<usize> {
    let width = table.headers.len();
    let cells = |row: Line| -> Vec<String> {
        let cells = row.cells.iter().skip(1).map(str::trim).filter(|cell| !cell.is_empty());
        cells.map(str::to_owned).collect()
    };
    let compares = |&at: &usize| {
        let row = table.rows.get(at);
        // `Δ throughput` compares, `RTFx` is measured.
        let label = row.cells.get(0).to_lowercase();
        let said = label.contains(['δ', '∆']) || says_change(&label);
        let named = COMPARING.contains(&&*bare(row.cells.get(0)));
        if !row.cells.iter().skip(1).any(|cell| is_change(cell.trim())) {
            let percent = |cell: &String| cell.ends_with(['%', '％']);
            let against = ["vs ", "vs. ", "relative to ", "compared "];
            let shares = || {
                against.iter().any(|word| label.trim_start_matches(['*', ' ']).starts_with(word))
                    && cells(row).iter().all(|cell| percent(cell) || is_nothing(cell))
            };
            return shares() || (said || named) && follows_from_others(table, at);
        }
        if is_measured(row.cells.get(0)) && !said {
            return false;
        }
        named || cells(row).iter().all(|cell| is_change(cell) || is_nothing(cell))
    };
    let found: Vec<usize> = (0..table.rows.len()).filter(compares).collect();
    let values = table.rows.len() - found.len();
    if width < 2 || values < 2 || found.len() > values { Vec::new() } else { found }
}

/// Whether all bare numbers of a row are the differences of two rows above it, or those in percent of the first of them: enough of
/// them, and all in one direction.
fn follows_from_others(table: &Table, row: usize) -> bool {
    let number = |row: usize, at: usize| {
        let cell = table.rows.get(row).cells.get(at).trim().trim_matches('*');
        figure(cell, table.comma)?.value()
    };
    // Whether a number is the change from one to the other, and whether it has three digits.
    let is = |(one, other, own): (Number, Number, Number), share: bool, sign: f64| {
        let change = other.value - one.value;
        let digits = own.value.abs() >= 100.0 * own.resolution;
        // Whole numbers have no rounding.
        let whole = own.resolution >= 0.5 && one.resolution >= 0.5;
        let (seen, open) = match share {
            true => (100.0 * change / one.value.abs(), 2.0 * own.resolution),
            false if whole => (change, 0.01),
            false => (change, 2.02 * own.resolution.max(one.resolution)),
        };
        ((seen - sign * own.value).abs() <= open, digits)
    };
    let follows = |(one, other): (usize, usize), share: bool, sign: f64| {
        let compared = (1..table.headers.len()).filter_map(|at| {
            let all = (number(one, at)?, number(other, at)?, number(row, at)?);
            let still = all.0.value.total_cmp(&all.1.value).is_eq() && all.2.value == 0.0;
            (!still).then(|| is(all, share, sign))
        });
        let compared: Vec<(bool, bool)> = compared.collect();
        let fine = compared.iter().filter(|(_, digits)| *digits).count();
        let enough = compared.len() > 2 || compared.len() == 2 && fine == 2;
        enough && compared.iter().all(|(good, _)| *good)
    };
    let pairs = [(2, 1), (3, 2), (1, 2), (2, 3)];
    let pairs = pairs.into_iter().filter(|(one, other)| *one.max(other) <= row);
    let ways = [(true, 1.0), (true, -1.0), (false, 1.0), (false, -1.0)];
    pairs
        .map(|(one, other)| (row - one, row - other))
        .any(|pair| ways.into_iter().any(|(share, sign)| follows(pair, share, sign)))
}

/// Whether a row of changes names one of the rows beside it: `gap vs SQLite`.
pub(crate) fn compares_rows(table: &Table) -> bool {
    if table.headers.is_empty() {
        return false;
    }
    let found = changes(table);
    let label = |row: usize| bare(table.rows.get(row).cells.get(0));
    let others: Vec<String> = (0..table.rows.len())
        .filter(|row| !found.contains(row))
        .map(label)
        .filter(|label| label.contains(char::is_alphabetic))
        .collect();
    // Behind a word for a comparison, as a whole: `difference` names no row `en`.
    let behind = |label: &str| -> Option<String> {
        let marks = ["vs ", "vs. ", "versus ", "against ", "over ", "than ", "relative to "];
        let rest = marks.iter().find_map(|mark| Some(label.split_once(mark)?.1.trim().to_owned()));
        rest.filter(|rest| !rest.is_empty())
    };
    let names = |rest: &str, other: &str| {
        let tail = rest.strip_prefix(other);
        tail.is_some_and(|tail| !tail.starts_with(char::is_alphanumeric))
    };
    found.iter().any(|&row| {
        behind(&label(row)).is_some_and(|rest| others.iter().any(|other| names(&rest, other)))
    })
}

/// Most rows among which the two that a row compares are looked for.
const MAX_COMPARED: usize = 8;

/// The changes of such rows as claims about the new one of two rows above: the two that most of the changes follow from. A label may
/// name the old row, `Δ vs main`.
pub(super) fn claims(table: &Table) -> Vec<Remark> {
    let found = changes(table);
    let label = |row: usize| bare(table.rows.get(row).cells.get(0));
    let hint = |row: usize| label_hint(table.rows.get(row).cells.get(0));
    let number = |row: usize, at: usize| {
        figure(table.rows.get(row).cells.get(at), table.comma)?.value().filter(|n| n.value > 0.0)
    };
    let mut claims = Vec::new();
    for &row in &found {
        // Back to the row of changes before it.
        let first = found.iter().rev().find(|other| **other < row).map_or(0, |other| other + 1);
        let values: Vec<usize> = (first..row).collect();
        if values.len() > MAX_COMPARED {
            continue;
        }
        let named = label(row);
        let old = values.iter().copied().find(|&other| {
            named
                .split_once("vs")
                .is_some_and(|(_, rest)| rest.trim_matches(['.', ' ']) == label(other))
        });
        let cells = table.rows.get(row).cells;
        let stated: Vec<(usize, Change)> = (1..table.headers.len())
            .filter_map(|at| Some((at, change(cells.get(at).trim(), false)?)))
            .collect();
        // How many of them follow from two rows; without their signs also as the old value over the new one, a speedup of times.
        let follow = |(old, new): (usize, usize), signed: bool| {
            let holds = |(at, change): &&(usize, Change)| {
                let Some((old, new)) = number(old, *at).zip(number(new, *at)) else { return false };
                let open = open_by_digits(old, new) + change.resolution.max(MIN_OPEN);
                let is = |ratio: f64| {
                    let seen = ratio - 1.0;
                    let way = !signed || change.up.is_none_or(|up| up == (seen > 0.0));
                    way && (seen.abs() - change.size.abs()).abs() <= open
                };
                is(new.value / old.value) || !signed && is(old.value / new.value)
            };
            stated.iter().filter(holds).count()
        };
        let pairs = values.iter().flat_map(|&old| values.iter().map(move |&new| (old, new)));
        let best = pairs
            .filter(|(one, other)| one != other && old.is_none_or(|old| old == *one))
            .map(|pair| {
                let way = |old: LabelHint, new: LabelHint| {
                    usize::from(hint(pair.0) == old) + usize::from(hint(pair.1) == new)
                };
                let known = way(LabelHint::Baseline, LabelHint::Candidate);
                let turned = way(LabelHint::Candidate, LabelHint::Baseline);
                (follow(pair, false), 2 + known - turned, follow(pair, true), Reverse(pair))
            })
            .max();
        let Some((count, .., Reverse((old, new)))) = best else { continue };
        let told = values.len() == 2
            && (hint(old) == LabelHint::Baseline || hint(new) == LabelHint::Candidate);
        if 2 * count <= stated.len() && !told {
            continue;
        }
        // An improvement has the direction of its metric.
        let gain = GAINS.iter().any(|word| named.contains(word));
        let place = table.rows.get(new).number;
        claims.extend(stated.iter().map(|(at, _)| {
            let cell = cells.get(*at).trim();
            let text = if gain { cell.trim_start_matches('+') } else { cell };
            let text = if gain { format!("{named} {text}") } else { text.to_owned() };
            Remark { place: (place, *at), text }
        }));
    }
    claims
}

/// A change that is stated with fewer digits may be off by this.
const MIN_OPEN: f64 = 0.0006;

/// How far the digits of two values leave their ratio open.
fn open_by_digits(old: Number, new: Number) -> f64 {
    new.value / old.value * (old.resolution / old.value + new.resolution / new.value)
}
