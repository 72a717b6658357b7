//! Which rows are repeats: the names of the runs, and what differs between numbered repeats.

use std::collections::BTreeSet;

use crate::kit::fields::{self, RunField, is_setting};
use crate::table::column_names::is_tidy;
use crate::table::column_rules::find;
use crate::table::design::points_of_name;
use crate::table::records::{Table, groups_by};
use crate::table::role::Role;
use crate::table::role_words::{RUN, is_group, is_level};
use crate::table::roles::{BY_USER, COUNTS, RECURS, Roles, VARY, goes_with, trend};
use crate::table::values::{FEW, TEXT, differs_inside, is_numeric, numbers};
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::labels_differ;

/// Largest ratio of the prompt tokens of runs with the same load.
const SAME_PROMPTS: f64 = 1.1;

/// Ratio of prompt tokens that are other loads where each of them comes back.
const OTHER_PROMPTS: f64 = 2.0;

impl Roles {
    /// Finds the column that names the runs: the outermost that distinguishes rows of one cell. A number that goes
    /// with the settings numbers these.
    pub(super) fn find_run(&mut self, table: &Table) {
        let named = |name: &String| RUN.contains(&name.to_lowercase().as_str());
        if !table.headers.iter().any(named) {
            return;
        }
        let cell = self.which(|role| match role {
            Role::Variant | Role::Factor => true,
            Role::RunField(field) => is_setting(field),
            _ => false,
        });
        let (groups, _) = groups_by(table, &cell);
        let free = self.which(|role| !matches!(role, Role::Identity));
        let mut taken = free;
        let mut found = None;
        while let Some(at) = find(table, RUN, &taken) {
            found = found.or(Some(at));
            if differs_inside(table, at, &groups) {
                found = Some(at);
                break;
            }
            taken.push(at);
        }
        let Some(at) = found else { return };
        if let Some(inner) = self.repeats_of_labels(table, at, &cell) {
            self.variant = Some(at);
            self.columns[at] = (Role::Variant, "its repeats are numbered");
            self.columns[inner] = (Role::Run, "its name");
            self.run.push(inner);
            return;
        }
        // Iterations are inside what is started, which is the repeat.
        let inner = matches!(&*table.headers[at].to_lowercase(), "iteration" | "iter");
        let levels = self.which(|role| role == Role::Factor);
        // A level that changes while the iteration stays is inside of it.
        let steps = |at: usize, other: usize| {
            let cells = |row: usize, at: usize| table.rows.get(row).cells.get(at);
            let step = |&row: &usize| {
                cells(row, at) == cells(row - 1, at) && cells(row, other) != cells(row - 1, other)
            };
            (1..table.rows.len()).filter(step).count()
        };
        let outside = |&other: &usize| steps(at, other) <= steps(other, at);
        let levels = levels.into_iter().filter(|&at| inner && is_level(&table.headers[at]));
        self.run.extend(levels.filter(outside));
        if self.run.is_empty() {
            self.run.push(at);
        }
        for &at in &self.run {
            self.columns[at] = (Role::Run, "its name");
        }
        // A number of unknown meaning that each run has one of its own of belongs to the run, as does a text that ends with the
        // number of the run: `out/before/3`.
        for other in self.which(|role| role == Role::Factor) {
            let silent = meaning(&table.headers[other]).says == Says::Nothing;
            if silent && is_numeric(table, other) && goes_with(table, at, other)
                || !is_numeric(table, other) && ends_with_the_run(table, at, other)
            {
                self.columns[other] = (Role::Identity, "goes with the run");
            }
        }
    }

    /// The column that numbers the rows of each name in a column of runs, if these names are words and nothing else
    /// names the variants: `run: base, run: fused` with `rep: 0, 1, 2`.
    pub(super) fn repeats_of_labels(
        &self,
        table: &Table,
        at: usize,
        cell: &[usize],
    ) -> Option<usize> {
        let names: BTreeSet<&str> = table.filled(at).collect();
        let word = |name: &&str| {
            let mut parts = name.split(|c: char| !c.is_alphabetic());
            parts.any(|part| {
                part.chars().count() > 2 && part.contains(|c: char| !c.is_ascii_hexdigit())
            })
        };
        let names: Vec<&str> = names.into_iter().collect();
        let labels = names.len() > 1 && names.iter().all(word) && labels_differ(&names);
        if self.variant.is_some() || !labels {
            return None;
        }
        let (groups, _) = groups_by(table, &[cell, &[at]].concat());
        let counts = |&other: &usize| {
            other != at
                && RUN.contains(&table.headers[other].to_lowercase().as_str())
                && numbers(table, other, self.long).are_whole()
                && differs_inside(table, other, &groups)
        };
        self.which(|role| role == Role::Identity).into_iter().find(counts)
    }

    /// The columns that name runs, as far as the names come back: one that is different in every row shows nothing of a design.
    pub(super) fn names_of_runs(&self, table: &Table) -> Vec<usize> {
        if !self.run.is_empty() {
            return self.run.clone();
        }
        // In the long layout a run has a row for each metric.
        let metric = self.long.map(|(metric, _)| metric);
        let comes_back = |at: &usize| {
            let names: Vec<usize> = metric.into_iter().chain([*at]).collect();
            2 * groups_by(table, &names).1 <= table.rows.len()
        };
        self.which(|role| role == Role::Identity).into_iter().filter(comes_back).collect()
    }

    /// Measurements that follow the runs which another column names are none the less measured: as settings they would leave every
    /// run alone.
    pub(super) fn measure_what_follows_the_run(&mut self, table: &Table) {
        let metric = self.long.map(|(metric, _)| metric);
        let factors = self.which(|role| role.word() == "factor" || role == Role::Variant);
        let runs = self.names_of_runs(table);
        let parts = |columns: &[usize]| groups_by(table, columns).1;
        let recurs = |at: &usize| {
            self.columns[*at] == (Role::Factor, RECURS) && points_of_name(&table.headers[*at]) < 0.0
        };
        let follows = |at: &usize| {
            let others = factors.iter().filter(|other| *other != at).copied();
            let cell: Vec<usize> = others.chain(metric).collect();
            let with = |more: &[usize]| parts(&[&cell[..], more].concat());
            let rows = table.rows.len();
            with(&[]) < rows && with(&runs) == rows && with(&[*at]) == rows
        };
        if runs.is_empty() {
            return;
        }
        let found: Vec<usize> = (0..self.columns.len()).filter(recurs).filter(follows).collect();
        let role = if metric.is_some() { Role::Remark } else { Role::Measured };
        for at in found {
            self.columns[at] = (role, VARY);
        }
    }

    /// Treats text and numbers that differ between numbered repeats as results of the runs, such as an answer or a list
    /// of violations, if the other settings form cells with the same repeats.
    pub(super) fn free_what_repeats_differ_in(&mut self, table: &Table) {
        let [run] = self.names_of_runs(table)[..] else { return };
        let loose = |at: &usize| matches!(self.columns[*at], (Role::Factor, TEXT | FEW));
        let (open, set): (Vec<usize>, Vec<usize>) =
            self.which(|role| role.word() == "factor").into_iter().partition(loose);
        let cell = [&set[..], &self.which(|role| role == Role::Variant)].concat();
        let (groups, count) = groups_by(table, &cell);
        let mut repeats = vec![BTreeSet::new(); count];
        for (row, group) in table.rows.iter().zip(&groups) {
            if !repeats[*group].insert(row.cells.get(run)) {
                return;
            }
        }
        let alike = repeats.windows(2).all(|two| two[0] == two[1]);
        if self.long.is_some() || count < 2 || !alike || repeats[0].len() < 2 {
            return;
        }
        // The same values in every cell were planned: queries that are numbered on. Where some come twice, only in one order.
        let planned = |at: usize| {
            let mut values: Vec<Vec<(&str, &str)>> = vec![Vec::new(); count];
            for (row, group) in table.rows.iter().zip(&groups) {
                values[*group].push((row.cells.get(at), row.cells.get(run)));
            }
            for cell in &mut values {
                cell.sort_unstable();
            }
            let bare = |cell: &[(&str, &str)]| -> Vec<String> {
                cell.iter().map(|(value, _)| (*value).to_owned()).collect()
            };
            let twice = values.iter().any(|cell| cell.windows(2).any(|two| two[0].0 == two[1].0));
            values
                .windows(2)
                .all(|two| two[0] == two[1] || !twice && bare(&two[0]) == bare(&two[1]))
        };
        let differs = |at: &usize| differs_inside(table, *at, &groups) && !planned(*at);
        // Tokens that a run spent are no load where they differ more than the same prompts do.
        let spent = |at: &usize| {
            let tokens = self.columns[*at].0 == Role::RunField(RunField::InputTokens);
            let ends = numbers(table, *at, self.long).ends();
            tokens
                && ends.is_some_and(|(least, most)| {
                    most > SAME_PROMPTS * least
                        && (most < OTHER_PROMPTS * least || has_lone_size(table, *at))
                })
        };
        let spent = (0..table.headers.len()).filter(spent);
        let open: Vec<usize> = open.into_iter().chain(spent).collect();
        for at in open.into_iter().filter(differs) {
            let role = if is_numeric(table, at) { Role::Measured } else { Role::Remark };
            self.columns[at] = (role, "differs between the repeats");
        }
    }

    /// Where nothing names the runs, a number that counts from 0 or 1 in every cell does, unless the results follow it.
    pub(super) fn number_the_runs(&mut self, table: &Table) {
        let named = !self.run.is_empty() || !self.which(|role| role == Role::Identity).is_empty();
        if named || self.long.is_some() || is_tidy(&table.headers) {
            return;
        }
        let set = self.which(|role| role.word() == "factor" || role == Role::Variant);
        let counts = |at: &usize| {
            let name = &table.headers[*at];
            let says = meaning(name).says;
            let silent = matches!(says, Says::Nothing | Says::Identity | Says::Count);
            self.role(*at) == Role::Factor
                && self.columns[*at].1 != BY_USER
                && (silent || is_group(name))
                && self.counts_inside(table, *at, &set)
        };
        let found: Vec<usize> = set.iter().copied().filter(counts).collect();
        if let [only] = found[..] {
            self.columns[only] = (Role::Identity, COUNTS);
        }
    }

    /// Whether a column counts from 0 or 1 to the same number in every cell of the others, at least three rows, and no
    /// result follows it in all of them.
    pub(super) fn counts_inside(&self, table: &Table, at: usize, set: &[usize]) -> bool {
        let others: Vec<usize> = set.iter().copied().filter(|other| *other != at).collect();
        let (groups, cells) = groups_by(table, &others);
        let mut rows: Vec<Vec<(f64, usize)>> = vec![Vec::new(); cells];
        for (row, (line, group)) in table.rows.iter().zip(&groups).enumerate() {
            let Some(number) = fields::number(line.cells.get(at)) else { return false };
            rows[*group].push((number.value, row));
        }
        for cell in &mut rows {
            cell.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        let length = rows.first().map_or(0, Vec::len);
        let counted = |cell: &Vec<(f64, usize)>| {
            let first = cell[0].0;
            (0.0..=1.0).contains(&first)
                && cell
                    .iter()
                    .zip(0_u32..)
                    .all(|((value, _), nth)| (value - first - f64::from(nth)).abs() < 1e-9)
        };
        if length < 3 || cells < 2 || rows.iter().any(|cell| cell.len() != length || !counted(cell))
        {
            return false;
        }
        let follows = |&metric: &usize| {
            let sign = |cell: &Vec<(f64, usize)>| {
                let value = |row: usize| {
                    fields::number(table.rows.get(row).cells.get(metric)).map(|n| n.value)
                };
                let values: Option<Vec<f64>> = cell.iter().map(|(_, row)| value(*row)).collect();
                trend(&values?)
            };
            let signs: Option<Vec<bool>> = rows.iter().map(sign).collect();
            signs.is_some_and(|signs| signs.windows(2).all(|two| two[0] == two[1]))
        };
        !self.which(|role| role == Role::Measured).iter().any(follows)
    }
}

/// Whether the texts of a column all end with the number of the run, and differ.
fn ends_with_the_run(table: &Table, run: usize, other: usize) -> bool {
    let mut texts = BTreeSet::new();
    table.rows.iter().all(|row| {
        let (number, text) = (row.cells.get(run).trim(), row.cells.get(other).trim());
        texts.insert(text.to_owned());
        let bare = text.strip_suffix(number);
        !number.is_empty() && bare.is_some_and(|bare| !bare.ends_with(|c: char| c.is_ascii_digit()))
    }) && texts.len() > 1
}

/// Whether a size in a column is that of one row alone, so that nobody planned it.
fn has_lone_size(table: &Table, at: usize) -> bool {
    let mut sizes: Vec<f64> =
        table.filled(at).filter_map(|cell| Some(fields::number(cell)?.value)).collect();
    sizes.sort_by(f64::total_cmp);
    let near =
        |low: usize| sizes.get(low..low + 2).is_some_and(|two| two[1] <= SAME_PROMPTS * two[0]);
    (0..sizes.len()).any(|own| !near(own) && own.checked_sub(1).is_none_or(|below| !near(below)))
}
