//! The evidence of the design on a column of numbers: whether it was set or measured, and where that is in doubt.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::fields::{self, RunField};
use crate::table::chunks::SAMPLE;
use crate::table::column_names::is_tidy;
use crate::table::design::{Design, Judged, completing, crossing, points_of_name};
use crate::table::records::{Table, groups_by};
use crate::table::role::Role;
use crate::table::roles::{AVERAGED, BY_USER, COUNTS, RECURS, Roles, TOO_FINE, VARY, is_known};
use crate::table::values::{FEW, differs_inside, is_fine, numbers};
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::metrics::words::{Says, meaning};

/// Points under which a measurement stays one, whatever other columns show.
const MEASURED_ANYWAY: f64 = -16.0;

impl Roles {
    /// Points of the values and of the name for a setting: above 0 for one, below for a measurement. `None` where the
    /// design says nothing.
    pub(super) fn judged(&self, table: &Table, at: usize) -> Option<Judged> {
        *self.alone[at].get_or_init(|| {
            // In the long layout a run has a row for each metric.
            let metric = self.long.map(|(metric, _)| metric);
            let first = metric.zip(table.rows.iter().next()).map(|(at, row)| row.cells.get(at));
            self.judged_of(table, (at, &table.headers[at]), first)
        })
    }

    /// The metrics of the long layout that are named after a load and hold what was measured.
    pub(crate) fn measured_loads(&self, table: &Table) -> Vec<String> {
        let Some((metric, value)) = self.long else { return Vec::new() };
        let load = |name: &&str| {
            matches!(
                fields::field_of_column(name),
                Some(RunField::MaxConcurrency | RunField::RequestRate | RunField::Load)
            )
        };
        let mut names: BTreeSet<&str> = table.filled(metric).take(SAMPLE).collect();
        names.retain(load);
        let measured = |name: &&str| {
            let found = self.judged_of(table, (value, name), Some(name));
            found.is_some_and(|found| found.score < 0.0 && !found.doubtful())
        };
        names.into_iter().filter(measured).map(str::to_owned).collect()
    }

    /// The evidence of the design for a column under a name, in the rows of a metric of the long layout.
    pub(super) fn judged_of(
        &self,
        table: &Table,
        (at, name): (usize, &str),
        of: Option<&str>,
    ) -> Option<Judged> {
        // Beside the rate that was set, the other one is what came of it: seeds repeat it.
        let is_rate = |name: &str| fields::field_of_column(name) == Some(RunField::RequestRate);
        let rate = || Metric::of_column(name).0.name == "request_throughput" && !is_rate(name);
        if rate() && table.headers.iter().any(|header| is_rate(header)) {
            return None;
        }
        let (mut values, mut variants, mut resolution) = (Vec::new(), Vec::new(), f64::INFINITY);
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        let metric = self.long.map(|(metric, _)| metric);
        let rows = table.rows.iter().filter(|row| metric.map(|at| row.cells.get(at)) == of);
        let mut others = 0;
        for row in rows.take(MAX_DESIGN_ROWS) {
            let text = row.cells.get(at);
            let Some(number) = fields::number(text).filter(|number| number.value.is_finite())
            else {
                others += usize::from(!text.trim().is_empty());
                continue;
            };
            values.push(number.value);
            if number.value != 0.0 {
                resolution = resolution.min(2.0 * number.resolution);
            }
            let next = names.len();
            let number = |variant| *names.entry(row.cells.get(variant)).or_insert(next);
            variants.push(self.variant.map_or(0, number));
            if values.len() == CERTAIN_ROWS && points_of_name(name) <= 0.0 && never_recur(&values) {
                return Some(Judged::MEASURED);
            }
        }
        if 10 * others > values.len() || !(resolution > 0.0 && resolution.is_finite()) {
            return None;
        }
        let design = Design { values: &values, variants: &variants, resolution };
        design.judged(name)
    }

    /// Whether the values of a number show that it was set, or measured, whatever its name says.
    pub(super) fn by_design(&self, table: &Table, at: usize) -> Option<(Role, &'static str)> {
        let found = self.judged(table, at)?;
        let name = points_of_name(&table.headers[at]);
        let counted = meaning(&table.headers[at]).says == Says::Count;
        if found.score <= MEASURED_ANYWAY && name <= 0.0 && !counted {
            return Some((Role::Measured, VARY));
        }
        let numbers = numbers(table, at, self.long);
        // A count that is the same in nearly all rows.
        if counted && numbers.are_nearly_constant() {
            return None;
        }
        if found.score > 0.0 {
            return Some((Role::Factor, RECURS));
        }
        // Few values under a name without a meaning are kept apart.
        if name == 0.0 && found.doubtful() && numbers.are_set() {
            return Some((Role::Factor, FEW));
        }
        // Round sizes under the name of a setting are one, however they are spread over the variants.
        let set = name > 0.0;
        let why = if set { TOO_FINE } else { VARY };
        (!set || !numbers.are_round()).then_some((Role::Measured, why))
    }

    /// Weighs the columns of numbers again, the likeliest setting first, by what the settings before it and the names of the runs
    /// show: inside a cell a setting is the same in every variant, and tells apart the rows of one run.
    pub(super) fn weigh_together(&mut self, table: &Table) {
        use RunField::{Load, MaxConcurrency, RequestRate};
        let open = |at: usize| {
            let (role, why) = self.columns[at];
            let weighed = match role {
                Role::Factor
                | Role::Measured
                | Role::RunField(Load | MaxConcurrency | RequestRate) => {
                    why != BY_USER && why != AVERAGED
                }
                Role::Remark => why == VARY || why == TOO_FINE,
                _ => false,
            };
            let found = self.judged(table, at).filter(|_| weighed)?;
            (found.score > MEASURED_ANYWAY).then_some((at, found))
        };
        if is_tidy(&table.headers) {
            return;
        }
        let mut open: Vec<(usize, Judged)> = (0..self.columns.len()).filter_map(open).collect();
        open.sort_by(|(_, a), (_, b)| b.score.total_cmp(&a.score));
        let mut cell = self.which(|role| role.word() == "factor");
        cell.retain(|at| !open.iter().any(|(other, _)| other == at));
        let metric = self.long.map(|(metric, _)| metric);
        let variant: Vec<usize> = self.variant.into_iter().chain(metric).collect();
        let (variants, _) = groups_by(table, &variant);
        let runs = self.names_of_runs(table);
        for (at, alone) in open {
            let filled = |rows: &[usize]| -> Vec<(&str, usize, usize)> {
                let cells = table.rows.iter().map(|row| row.cells.get(at).trim());
                let rows = cells.zip(&variants).zip(rows).take(MAX_DESIGN_ROWS);
                let rows = rows.map(|((value, variant), group)| (value, *variant, *group));
                rows.filter(|(value, ..)| !value.is_empty()).collect()
            };
            let of_metric: Vec<usize> = cell.iter().copied().chain(metric).collect();
            let (cells, _) = groups_by(table, &of_metric);
            // A measurement of a client may come back exactly, where a program always does the same.
            let known = is_known(&table.headers[at]);
            let mut came_out = false;
            let mut bits = if known { 0.0 } else { crossing(&filled(&cells)) };
            let mut others = self.which(|role| role.word() == "factor");
            others.retain(|other| *other != at);
            // A number that the settings determine is a result of theirs, however often it comes back.
            let inside: Vec<usize> = [&variant[..], &others].concat();
            if !runs.is_empty() {
                let (named, distinct) = groups_by(table, &[&variant[..], &others, &runs].concat());
                let rows = filled(&named).into_iter().map(|(value, _, group)| (value, group));
                bits += completing(&rows.collect::<Vec<_>>());
                // Where other columns tell all rows apart, what differs between the variants came out of the runs; before these are
                // known, what no single other setting determines.
                let whole = distinct == table.rows.len();
                let count = |columns: &[usize]| groups_by(table, columns).1;
                let free = || !cell.iter().any(|&one| count(&[one]) == count(&[one, at]));
                if whole && (bits < 0.0 || self.variant.is_none() && !cell.is_empty() && free()) {
                    came_out = true;
                    bits = bits.min(-1.0);
                }
            }
            let found = if came_out { alone.of_result() } else { alone.with(bits) };
            self.weighed.insert(at, found);
            let (set, set_by_name) = (self.role(at).word() == "factor", || {
                points_of_name(&table.headers[at]) > 0.0 && self.numbers(table, at).are_round()
            });
            if set && found.score < 0.0 && bits < 0.0 && !set_by_name() {
                let why = if points_of_name(&table.headers[at]) > 0.0 { TOO_FINE } else { VARY };
                let role = if metric.is_some() { Role::Remark } else { Role::Measured };
                self.columns[at] = (role, why);
            } else if !set
                && found.score > 0.0
                && bits > 0.0
                && differs_inside(table, at, &groups_by(table, &inside).0)
            {
                self.columns[at] = (Role::Factor, RECURS);
            }
            // A setting in doubt would cut the cells of the others.
            if self.role(at).word() == "factor" && found.score > 0.0 && !found.doubtful() {
                cell.push(at);
            }
        }
    }

    /// The columns whose role is in doubt where it decides which rows are repeats: they are read as what is likelier.
    pub(crate) fn doubtful(&self, table: &Table) -> Vec<usize> {
        // The only column that was measured is no setting.
        let several = self.which(|role| role == Role::Measured).len() > 1;
        // Numbers of the repeats say which rows these are.
        let numbered = self.columns.iter().any(|(_, why)| *why == COUNTS);
        let open = |at: &usize| {
            use RunField::{Load, MaxConcurrency, RequestRate};
            let (role, why) = self.columns[*at];
            let set = match role {
                Role::Factor | Role::RunField(Load | MaxConcurrency | RequestRate) => true,
                Role::Measured if several && !numbered => false,
                Role::Remark if why == VARY || why == TOO_FINE => false,
                _ => return false,
            };
            let found = || self.weighed.get(at).copied().or_else(|| self.judged(table, *at));
            // The name of a metric that clients define leaves no doubt.
            let known = || is_known(&table.headers[*at]);
            let doubtful =
                |found: Judged| found.doubtful() && (set || !known()) || set && found.score < 0.0;
            why != BY_USER && found().is_some_and(doubtful)
        };
        let open: Vec<usize> = (0..self.columns.len()).filter(open).collect();
        let set = self.which(|role| role.word() == "factor");
        let decides = |at: &usize| {
            let others: Vec<usize> = set.iter().copied().filter(|other| other != at).collect();
            let splits = |cell: &[usize]| {
                groups_by(table, cell).1 < groups_by(table, &[cell, &[*at]].concat()).1
            };
            let variants = self.which(|role| role == Role::Variant);
            // A setting also decides which runs of the variants are compared.
            splits(&[&others[..], &variants].concat()) || set.contains(at) && splits(&others)
        };
        open.into_iter().filter(decides).collect()
    }
}

/// Rows after which numbers that hardly ever come back were measured, without a look at more.
const CERTAIN_ROWS: usize = 1_000;

/// Whether one value in twenty at most comes back, but one does, and most have more digits than people set.
fn never_recur(values: &[f64]) -> bool {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let again = sorted.windows(2).filter(|two| two[0].to_bits() == two[1].to_bits()).count();
    let fine = values.iter().filter(|value| is_fine(**value)).count();
    (1..values.len() / 20).contains(&again) && 2 * fine > values.len()
}

/// Rows by which it is shown that numbers were set.
const MAX_DESIGN_ROWS: usize = 4_000;
