//! The uses of the columns as reports show them, and the columns that another rule would use otherwise, with the flag for it.
//!
//! `roles.rs` decides what a column is, and whether that is in doubt.

use crate::kit::{fields, short};
use crate::table::column_names::{VARIANT, is_tidy};
use crate::table::records::{Table, groups_by};
use crate::table::role::Role;
use crate::table::role_words::is_run;
use crate::table::roles::{BY_USER, Roles};
use crate::table::values::differs_inside;
use beyondnoise_model::format::argument;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{Close, Column, ColumnUse, Rows, Table as Described};

/// The table for those who read what was read.
pub(crate) fn described(table: &Table, roles: &Roles) -> Described {
    let named = |at: &usize| !table.headers[*at].is_empty() && roles.role(*at) != Role::Empty;
    let column = |(at, close): (usize, Option<Close>)| {
        let (role, why) = roles.columns[at];
        let used = if roles.run.contains(&at) { ColumnUse::Run } else { role.used() };
        Column { name: short(&table.headers[at]), role: role.word(), used, why, close }
    };
    let columns = close(table, roles).into_iter().enumerate().filter(|(at, _)| named(at));
    Described {
        place: String::new(),
        columns: columns.map(column).collect(),
        rows: Rows::Runs,
        known: is_tidy(&table.headers),
    }
}

/// The other use of each column that nearly fits.
fn close(table: &Table, roles: &Roles) -> Vec<Option<Close>> {
    let doubtful = roles.doubtful(table);
    let one = |at: usize| {
        let used = another(table, roles, at, &doubtful)?;
        let name = argument(&table.headers[at]);
        let flag = match used {
            ColumnUse::Run => "--run-column",
            ColumnUse::Measured => "--metric",
            ColumnUse::Setting => "batch --by",
            _ => "--variant-column",
        };
        // Two names for a variant are plain settings at worst.
        Some(Close { used, flag: format!("{flag} {name}"), doubtful: used != ColumnUse::Variant })
    };
    (0..table.headers.len()).map(one).collect()
}

fn another(table: &Table, roles: &Roles, at: usize, doubtful: &[usize]) -> Option<ColumnUse> {
    let (role, why) = roles.columns[at];
    if why == BY_USER || Some(at) == roles.variant || roles.run.contains(&at) {
        return None;
    }
    let wide = roles.long.is_none() && table.rows.len() > 1;
    match role {
        Role::Factor if wide && numbers_runs(table, roles, at) => Some(ColumnUse::Run),
        Role::Factor | Role::RunField(_) if doubtful.contains(&at) => Some(ColumnUse::Measured),
        _ if doubtful.contains(&at) => Some(ColumnUse::Setting),
        Role::Identity if wide && is_other_run(table, roles, at) => Some(ColumnUse::Run),
        Role::Factor if wide && is_other_variant(table, roles, at) => Some(ColumnUse::Variant),
        _ => None,
    }
}

/// The columns that make the cell of a row, but for one.
fn cell(roles: &Roles, but: usize) -> Vec<usize> {
    let columns = roles.which(|role| role.word() == "factor" || role == Role::Variant);
    columns.into_iter().filter(|&at| at != but).collect()
}

/// Whether a number under a name without a meaning is 1 ... k, or 0 ... k - 1, in every cell, where no column names
/// the runs.
fn numbers_runs(table: &Table, roles: &Roles, at: usize) -> bool {
    if !roles.run.is_empty() || meaning(&table.headers[at]).says != Says::Nothing {
        return false;
    }
    let (groups, count) = groups_by(table, &cell(roles, at));
    let mut numbers: Vec<Vec<f64>> = vec![Vec::new(); count];
    for (row, group) in table.rows.iter().zip(groups) {
        let Some(number) = fields::number(row.cells.get(at)) else { return false };
        numbers[group].push(number.value);
    }
    for of in &mut numbers {
        of.sort_by(f64::total_cmp);
    }
    let counts = |of: &Vec<f64>| {
        let first = of.first().copied().unwrap_or(f64::NAN);
        let next = |(place, value): (usize, &f64)| (value - first - place as f64).abs() < 1e-9;
        of.len() > 1 && (0.0..=1.0).contains(&first) && of.iter().enumerate().all(next)
    };
    numbers.iter().all(counts)
}

/// Whether a column beside the column of runs is named like one and differs inside a cell while its values recur.
fn is_other_run(table: &Table, roles: &Roles, at: usize) -> bool {
    let [run] = roles.run[..] else { return false };
    if !is_run(&table.headers[at]) {
        return false;
    }
    let mut columns = cell(roles, at);
    let (groups, _) = groups_by(table, &columns);
    columns.push(run);
    let repeats = groups_by(table, &columns).1;
    columns.push(at);
    // One to one with the runs it names the same.
    differs_inside(table, at, &groups) && groups_by(table, &columns).1 > repeats
}

/// Whether a column beside that of the variant has a name for one too, and crosses it.
fn is_other_variant(table: &Table, roles: &Roles, at: usize) -> bool {
    let Some(variant) = roles.variant else { return false };
    if !VARIANT.contains(&&*table.headers[at].to_lowercase()) {
        return false;
    }
    let count = |columns: &[usize]| groups_by(table, columns).1;
    let (ours, theirs) = (count(&[variant]), count(&[at]));
    ours > 1 && theirs > 1 && count(&[variant, at]) > ours.max(theirs)
}
