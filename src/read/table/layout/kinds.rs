//! The kind of each column: which name a side, a setting, a run, and which hold values.

use std::collections::BTreeSet;

use crate::kit::fields::{self, RunField};
use crate::table::column_names::{is_dimension, is_unnamed};
use crate::table::layout::changes;
use crate::table::layout::changes::forms::{compared, numbers_of};
use crate::table::layout::columns::{
    Kind, has_variants, header_unit, kind_of, says_nothing, split_unit, without_unit,
};
use crate::table::layout::numbered::are_means;
use crate::table::records::Table;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, label_hint};
use beyondnoise_model::units::Scale;

/// The kind of every column; numbers that compare two others are no values, whatever they are called.
pub(super) fn kinds_of(table: &Table) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = (0..table.headers.len()).map(|at| kind_of(table, at)).collect();
    let open: Vec<usize> = (0..kinds.len()).filter(|&at| kinds[at].holds_values()).collect();
    let numbers: Vec<Vec<_>> = (0..kinds.len()).map(|at| numbers_of(table, at)).collect();
    let signed = |at: usize| {
        let mut cells = table.filled(at);
        cells.any(|cell| cell.trim().starts_with(['+', '-', '−', '±']))
    };
    // Of three columns that fit each other the last compares the two before it. A difference is found before its share in
    // percent, which compares it as well.
    let mut order: Vec<usize> = (0..kinds.len()).rev().collect();
    order.sort_by_key(|&at| kinds[at] == Kind::Compares || !signed(at));
    let mut sides = Vec::new();
    for at in order {
        let stated = kinds[at] == Kind::Compares;
        let named = header_unit(&table.headers[at]).is_some();
        // A time below zero is a difference. `pct` alone is a unit and no name.
        let bare = without_unit(&table.headers[at]);
        let silent = || says_nothing(bare) || header_unit(bare).as_deref() == Some(bare);
        let shares = || table.filled(at).all(|cell| cell.trim_end().ends_with(['%', '％']));
        let free = kinds[at] == Kind::Other && !named
            || matches!(kinds[at], Kind::Other | Kind::Metric)
                && (signed(at) || shares())
                && silent();
        if !stated && !free {
            continue;
        }
        let values = |other: &usize| *other != at && kinds[*other] != Kind::Compares;
        let others: Vec<usize> = open.iter().copied().filter(values).collect();
        let pair = compared(table, at, (&others, &numbers)).or(match others[..] {
            // Words, as those of a note, compare nothing; and other columns compare rows.
            [a, b]
                if stated
                    && numbers[at].iter().any(Option::is_some)
                    && may_be_sides(table, a, b)
                    && !changes::are_between_rows(table, at, &[a, b]) =>
            {
                Some((a, b))
            }
            _ => None,
        });
        // Parts and their sum end with one word: `Forward Time`, `Backward Time`, `Total Time`.
        let last = |at: usize| {
            let lower = without_unit(&table.headers[at]).trim().to_lowercase();
            lower.rsplit([' ', '_']).next().unwrap_or_default().to_owned()
        };
        let part = |(a, b): &(usize, usize)| {
            !stated && !signed(at) && last(*a) == last(at) && last(*b) == last(at)
        };
        if let Some((a, b)) = pair.filter(|pair| !part(pair)) {
            kinds[at] = Kind::Compares;
            sides.extend([a, b]);
            let unit = |side: usize| header_unit(&table.headers[side]);
            // `2GPU (t/s)` and `4GPU (t/s)` name nothing but what is compared.
            let silent = |side: usize| {
                kinds[side] == Kind::Metric
                    && unit(a).is_some()
                    && unit(a) == unit(b)
                    && meaning(without_unit(&table.headers[side])).says == Says::Nothing
            };
            let both = silent(a) && silent(b);
            for side in [a, b] {
                if kinds[side] == Kind::Other || both {
                    kinds[side] = Kind::Side;
                }
            }
        }
    }
    set_dimensions(table, &mut kinds);
    set_what_leads(table, &mut kinds);
    set_what_recurs(table, &mut kinds, &sides);
    for at in 0..kinds.len() {
        let silent =
            matches!(kinds[at], Kind::Other | Kind::Metric) && says_nothing(&table.headers[at]);
        if silent && changes::is_relative(table, at, &kinds) {
            kinds[at] = Kind::Compares;
        }
    }
    let measured = |at: &usize| matches!(kinds[*at], Kind::Other | Kind::Metric);
    let open: Vec<usize> = (0..kinds.len()).filter(measured).collect();
    for &at in open.iter().filter(|at| changes::are_differences(table, **at, &open)) {
        kinds[at] = Kind::Compares;
    }
    if let Some(at) = mean_of_repeats(table, &kinds) {
        kinds[at] = Kind::Statistic;
    }
    kinds
}

/// The column of the means or medians of repeats: `Mean tok/s` or `Latency (ms)` behind `Run 1`, `Run 2`, `Run 3`.
pub(super) fn mean_of_repeats(table: &Table, kinds: &[Kind]) -> Option<usize> {
    let repeats: Vec<usize> = (0..kinds.len()).filter(|&at| kinds[at] == Kind::Repeat).collect();
    if repeats.len() < 2 {
        return None;
    }
    let means = |at: &usize| {
        matches!(kinds[*at], Kind::Metric | Kind::Other | Kind::Statistic)
            && are_means(table, *at, &repeats)
    };
    (0..kinds.len()).find(means)
}

/// Makes the columns of values sides where each is a variant of a table above, in small letters, and no column names others.
pub(super) fn set_sides_again(
    table: &Table,
    kinds: &mut [Kind],
    variants: &BTreeSet<String>,
) -> bool {
    let known = |at: &usize| variants.contains(&table.headers[*at].to_lowercase());
    let columns: Vec<usize> = (1..kinds.len()).filter(|&at| kinds[at].holds_values()).collect();
    let again = columns.len() > 1 && columns.iter().all(known) && !has_variants(table);
    for at in columns.into_iter().filter(|_| again) {
        kinds[at] = Kind::Side;
    }
    again
}

/// Whether two columns may hold one quantity by their units, in the header or behind the values.
fn may_be_sides(table: &Table, a: usize, b: usize) -> bool {
    let unit = |at: usize| {
        let own = || table.filled(at).map(|cell| split_unit(cell).1).find(|unit| !unit.is_empty());
        Scale::parse(&header_unit(&table.headers[at]).or_else(own)?)
    };
    unit(a).zip(unit(b)).is_none_or(|(one, other)| one.is_alike(other))
}

/// Makes numbers that come back left of all the columns that others compare settings: `p` in `p | ours | theirs | speedup`.
fn set_what_recurs(table: &Table, kinds: &mut [Kind], compared: &[usize]) {
    let Some(&first) = compared.iter().min() else { return };
    for (at, kind) in kinds.iter_mut().enumerate().take(first) {
        let values: BTreeSet<&str> = table.filled(at).collect();
        if *kind == Kind::Other && 2 * values.len() <= table.rows.len() {
            *kind = Kind::Key;
        }
    }
}

/// Makes whole numbers under a letter or two settings, left of two or more columns with fractions: `M`, `N` and `K` before `cuBLAS` and
/// `Triton`.
fn set_dimensions(table: &Table, kinds: &mut [Kind]) {
    let whole = |at: usize| {
        let mut cells = table.filled(at).map(fields::number);
        cells.all(|number| number.is_some_and(|number| number.value.fract() == 0.0))
    };
    let from = usize::from(table.headers.first().is_some_and(|first| is_unnamed(first)));
    let open = |at: usize| matches!(kinds[at], Kind::Other | Kind::Key | Kind::Metric);
    let set = |at: &usize| is_dimension(&table.headers[*at]) && whole(*at) && open(*at);
    let end = (from..kinds.len()).find(|at| !set(at)).unwrap_or(kinds.len());
    if (end..kinds.len()).filter(|&at| kinds[at].holds_values() && !whole(at)).count() > 1 {
        kinds[from..end].fill(Kind::Key);
    }
}

/// Makes a quantity left of the sides that none of these has one that describes the row: `HBM (GB/s)` before `Baseline (tok/s)`.
fn set_what_leads(table: &Table, kinds: &mut [Kind]) {
    let unit = |at: usize| Scale::parse(&header_unit(&table.headers[at])?);
    let sided = |&at: &usize| {
        kinds[at].holds_values() && label_hint(&table.headers[at]) == LabelHint::Baseline
    };
    let Some((first, of_side)) =
        (1..kinds.len()).find(sided).and_then(|first| Some((first, unit(first)?)))
    else {
        return;
    };
    let alike = |at: usize| unit(at).is_none_or(|one| one.is_alike(of_side));
    let behind = first + 1..kinds.len();
    if !behind.clone().any(|at| unit(at).is_some_and(|one| one.is_alike(of_side))) {
        return;
    }
    if !behind.clone().all(alike) {
        return;
    }
    for (at, kind) in kinds.iter_mut().enumerate().take(first) {
        if *kind == Kind::Metric && !alike(at) {
            *kind = Kind::Key;
        }
    }
}

/// Whether a name is that of the requests that succeeded or failed.
pub(super) fn counts_outcomes(name: &str) -> bool {
    matches!(fields::field_of_label(name), Some(RunField::Completed | RunField::Failed))
}
