//! Which columns were set: what results follow, what rises or never varies, what names the rows of every variant.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::fields::{self};
use crate::reader::Options;
use crate::table::column_names::is_tidy;
use crate::table::design::points_of_name;
use crate::table::records::{Line, Table, groups_by};
use crate::table::role::Role;
use crate::table::role_words::{is_build, is_of_results, is_run};
use crate::table::roles::{APART, BY_USER, RECURS, Roles, TOO_FINE, TURNED, VARY, is_known, trend};
use crate::table::values::{TEXT, differs_inside, is_numeric, numbers};
use beyondnoise_model::metrics::words::{Says, meaning};

/// Fewest rows of a number that is the same in all of them.
const MIN_ROWS_OF_ONE_VALUE: usize = 4;

impl Roles {
    /// Numbers under the name of a result that the other settings fix are counters of theirs: they come back exactly, and make
    /// no cell.
    pub(super) fn measure_what_settings_fix(&mut self, table: &Table) {
        let metric = self.long.is_some() || is_tidy(&table.headers);
        if metric {
            return;
        }
        let result = |at: &usize| {
            self.columns[*at] == (Role::Factor, RECURS) && points_of_name(&table.headers[*at]) < 0.0
        };
        let mut set = self.which(|role| role.word() == "factor");
        set.retain(|at| !result(at));
        let both = [&set[..], &self.which(|role| role == Role::Variant)].concat();
        let parts = |columns: &[usize]| groups_by(table, columns).1;
        let fixes = |others: &[usize], at: usize| {
            let cells = parts(others);
            (2..table.rows.len()).contains(&cells) && cells == parts(&[others, &[at]].concat())
        };
        // Left of a setting stands what was set: the rate before the number of requests.
        let left = |at: &usize| set.iter().any(|other| at < other);
        let fixed = |at: &usize| result(at) && !left(at) && (fixes(&set, *at) || fixes(&both, *at));
        let found: Vec<usize> = (0..self.columns.len()).filter(fixed).collect();
        for at in found {
            self.columns[at] = (Role::Measured, "fixed by the settings");
        }
    }

    /// Versions, commits or images are a setting where most variants have most of them: `engine` beside `driver_version`.
    pub(super) fn set_builds_that_variants_share(&mut self, table: &Table) {
        let named = table.headers.iter().any(|header| is_build(header));
        let Some(variant) = self.variant.filter(|_| named && !is_tidy(&table.headers)) else {
            return;
        };
        let set = self.which(|role| role.word() == "factor" || role == Role::Variant);
        let (cells, _) = groups_by(table, &set);
        let parts = |columns: &[usize]| groups_by(table, columns).1;
        let shared = |at: usize| 4 * parts(&[variant, at]) >= 3 * parts(&[at]) * parts(&[variant]);
        let builds = self.which(|role| role == Role::Identity).into_iter().filter(|&at| {
            let whole = table.filled(at).count() == table.rows.len();
            let several = is_build(&table.headers[at]) && whole && shared(at);
            several && differs_inside(table, at, &cells)
        });
        for at in builds.collect::<Vec<_>>() {
            self.columns[at] = (Role::Factor, "several variants have it");
        }
    }

    /// Words under the name of a result, behind all results and one for each variant, are remarks on it, where they tell no
    /// runs apart: `ahead of vLLM`.
    pub(super) fn remark_on_results(&mut self, table: &Table) {
        let named = table.headers.iter().any(|header| is_of_results(header));
        let Some(variant) = self.variant.filter(|_| named && self.long.is_none()) else { return };
        let Some(last) = self.which(|role| role == Role::Measured).pop() else { return };
        let parts = |columns: &[usize]| groups_by(table, columns).1;
        let set = self.which(|role| role.word() == "factor" || role == Role::Variant);
        let remarks = set.iter().copied().filter(|&at| {
            let others: Vec<usize> = set.iter().copied().filter(|other| *other != at).collect();
            at > last
                && self.columns[at] == (Role::Factor, TEXT)
                && is_of_results(&table.headers[at])
                && parts(&[variant]) == parts(&[variant, at])
                && parts(&others) == parts(&set)
        });
        for at in remarks.collect::<Vec<_>>() {
            self.columns[at] = (Role::Remark, "on the results before it");
        }
    }

    /// In a single cell a count that the results follow is what was varied: rows that differ in it are no repeats.
    pub(super) fn set_what_results_follow(&mut self, table: &Table) {
        let set = self.which(|role| role.word() == "factor" || role == Role::Variant);
        let alone = self.run.is_empty() && self.long.is_none() && groups_by(table, &set).1 == 1;
        let varied = |at: &usize| {
            let silent = meaning(&table.headers[*at]).says == Says::Nothing;
            self.columns[*at] == (Role::Measured, VARY) && silent && self.is_followed(table, *at)
        };
        if let Some(at) = (0..self.columns.len()).filter(|_| alone).find(varied) {
            self.columns[at] = (Role::Factor, "the results follow it");
        }
    }

    /// Whether a column counts the rows, four at least, from 0 or 1, and a metric with a direction rises or falls with it, or
    /// differs by a factor.
    pub(super) fn is_followed(&self, table: &Table, at: usize) -> bool {
        let column = |at: usize| -> Option<Vec<f64>> {
            table.rows.iter().map(|row| Some(fields::number(row.cells.get(at))?.value)).collect()
        };
        let counts = |values: &[f64]| {
            let steps = values.windows(2).all(|two| (two[1] - two[0] - 1.0).abs() < 1e-9);
            values.len() > 3 && (0.0..=1.0).contains(&values[0]) && steps
        };
        let directed = |other: &usize| {
            *other != at && fields::metric_of_column(&table.headers[*other]).better.is_some()
        };
        // Repeats do not differ by factors.
        let apart = |values: &[f64]| {
            let (low, high) = values.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), value| {
                (low.min(*value), high.max(*value))
            });
            low > 0.0 && high > APART * low
        };
        let mut metrics = self.which(|role| role == Role::Measured).into_iter().filter(directed);
        column(at).is_some_and(|values| counts(&values))
            && metrics.any(|other| {
                column(other).is_some_and(|values| trend(&values).is_some() || apart(&values))
            })
    }

    /// Whole numbers under the name of a setting that rise from row to row in every variant are the steps of a sweep, where
    /// nothing else tells these rows apart.
    pub(super) fn set_what_ascends(&mut self, table: &Table) {
        let Some(variant) = self.variant.filter(|_| self.long.is_none() && self.run.is_empty())
        else {
            return;
        };
        let set = self.which(|role| role.word() == "factor" || role == Role::Variant);
        let (groups, count) = groups_by(table, &[variant]);
        // Nor are rows that a column numbers.
        let numbered = |at: usize| {
            let mut rows = vec![BTreeSet::new(); count];
            let apart =
                |(row, group): (Line, &usize)| rows[*group].insert(row.cells.get(at).to_owned());
            let apart = table.rows.iter().zip(&groups).all(apart);
            apart && rows.iter().all(|own| *own == rows[0])
        };
        let identity = self.which(|role| role == Role::Identity);
        if groups_by(table, &set).1 > count || count < 2 || identity.into_iter().any(numbered) {
            return;
        }
        let rises = |at: &usize| {
            let mut rows: Vec<Vec<f64>> = vec![Vec::new(); count];
            for (row, group) in table.rows.iter().zip(&groups) {
                let Some(number) = fields::number(row.cells.get(*at)) else { return false };
                rows[*group].push(number.value);
            }
            rows.iter().all(|row| row.len() > 2 && row.windows(2).all(|two| two[0] < two[1]))
        };
        let measured = self.which(|role| role == Role::Measured).into_iter();
        let named = |at: &usize| {
            meaning(&table.headers[*at]).says == Says::Setting
                && numbers(table, *at, None).are_whole()
        };
        for at in measured.filter(named).filter(rises).collect::<Vec<_>>() {
            self.columns[at] = (Role::Factor, "rises in every variant");
        }
    }

    /// Whole numbers that double from row to row, left of everything else that is measured, are sizes, whatever their name is
    /// unless it says which way is better: `EP/GPUs`.
    pub(super) fn set_what_doubles(&mut self, table: &Table) {
        let measured = self.which(|role| role == Role::Measured);
        let (Some(&at), true) = (measured.first(), self.long.is_none() && measured.len() > 1)
        else {
            return;
        };
        let open = self.columns[at].1 != BY_USER
            && fields::metric_of_column(&table.headers[at]).better.is_none();
        if !open || table.rows.len() < 3 {
            return;
        }
        let mut next: Option<f64> = None;
        let doubles = table.rows.iter().all(|row| {
            let Some(number) = fields::number(row.cells.get(at)) else { return false };
            let value = number.value;
            let fits = match next {
                Some(next) => value.total_cmp(&next).is_eq(),
                None => value >= 1.0 && value.fract() == 0.0,
            };
            next = Some(2.0 * value);
            fits
        });
        if doubles {
            self.columns[at] = (Role::Factor, "doubles from row to row");
        }
    }

    /// A number with a unit under a name of its own that is the same in every row, beside measurements that vary, was set.
    pub(super) fn set_what_never_varies(&mut self, table: &Table) {
        // In a file of one variant it may be another in the next.
        let set = self.which(|role| role.word() == "factor" || role == Role::Variant);
        let inside = self.long.is_none() && groups_by(table, &set).1 > 1;
        if !inside || table.rows.len() < MIN_ROWS_OF_ONE_VALUE {
            return;
        }
        let constant = |at: &usize| {
            table.filled(*at).count() == table.rows.len()
                && table.filled(*at).all(|cell| Some(cell) == table.filled(*at).next())
        };
        let measured = self.which(|role| role == Role::Measured);
        let (same, vary): (Vec<usize>, Vec<usize>) = measured.into_iter().partition(constant);
        let unknown = |at: &usize| {
            let name = &table.headers[*at];
            let stem = name.split([' ', '(', '[']).next().unwrap_or_default();
            self.columns[*at].1 != BY_USER
                && meaning(stem).says == Says::Nothing
                && fields::unit_of(name).symbol() != ""
                && !is_known(name)
        };
        let found: Vec<usize> = same.into_iter().filter(unknown).collect();
        if !vary.is_empty() {
            for at in found {
                self.columns[at] = (Role::Factor, "the same in every row");
            }
        }
    }

    /// Sets what tells the rows of a table with a column for each variant apart, the same in every variant: sizes that do not
    /// count the rows, and names of different words.
    pub(super) fn set_what_names_the_rows(&mut self, table: &Table) {
        let (Some((metric, _)), Some(variant)) = (self.long, self.variant) else { return };
        if table.counts != TURNED
            || !self.run.is_empty()
            || !self.which(|role| role == Role::Run).is_empty()
        {
            return;
        }
        for at in 0..table.headers.len() {
            let open = match self.columns[at] {
                (Role::Remark, why) => why == VARY || why == TOO_FINE,
                (Role::Identity, _) => !is_run(&table.headers[at]) && !is_numeric(table, at),
                _ => false,
            };
            let mut rows: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
            for row in table.rows.iter().filter(|_| open) {
                let of = (row.cells.get(metric), row.cells.get(variant));
                rows.entry(of).or_default().push(row.cells.get(at).trim());
            }
            let names: BTreeSet<&str> = rows.values().flatten().copied().collect();
            let once =
                rows.values().all(|own| own.iter().collect::<BTreeSet<_>>().len() == own.len());
            let numbers: Option<Vec<f64>> =
                names.iter().map(|name| Some(fields::number(name)?.value)).collect();
            let apart = if let Some(mut numbers) = numbers {
                numbers.sort_by(f64::total_cmp);
                !numbers.windows(2).all(|two| (two[1] - two[0] - 1.0).abs() < 1e-9)
            } else {
                let stem = |name: &&str| name.replace(|c: char| !c.is_alphabetic(), "");
                let stems: BTreeSet<String> = names.iter().map(stem).collect();
                stems.len() == names.len() && stems.iter().all(|stem| stem.len() > 2)
            };
            if open && names.len() > 1 && once && apart {
                self.columns[at] = (Role::Factor, "names the rows of every variant");
            }
        }
    }

    /// If no column is left as a metric, numbers under unknown names are.
    pub(super) fn keep_a_metric(&mut self, table: &Table, options: &Options) {
        let measured = |roles: &Self| roles.columns.iter().any(|(role, _)| *role == Role::Measured);
        // In a plan the results are still to come.
        let to_come = || {
            let empty = |at: usize| table.filled(at).next().is_none();
            (0..self.columns.len()).any(|at| empty(at) && fields::names_result(&table.headers[at]))
        };
        if self.long.is_some() || !options.metrics.is_empty() || measured(self) || to_come() {
            return;
        }
        let recurring = |at: &usize| {
            self.columns[*at] == (Role::Factor, RECURS) && points_of_name(&table.headers[*at]) < 0.0
        };
        let points = |at: usize| Some((self.judged(table, at)?.score, at));
        let recurring = (0..self.columns.len()).filter(recurring).filter_map(points);
        let least = recurring.min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, at)) = least {
            self.columns[at] = (Role::Measured, "no other column of numbers");
            return;
        }
        let open = |&at: &usize| {
            let name = &table.headers[at];
            meaning(name).says == Says::Nothing
                && is_numeric(table, at)
                && table.filled(at).all(|cell| fields::number(cell).is_some())
        };
        let factors = self.which(|role| role == Role::Factor);
        let open: Vec<usize> = factors.iter().copied().filter(open).collect();
        // A number that a setting already determines is not a measurement.
        let others: Vec<usize> = factors.into_iter().filter(|at| !open.contains(at)).collect();
        let (groups, _) = groups_by(table, &others);
        for at in open {
            if self.variant.is_some() || differs_inside(table, at, &groups) {
                self.columns[at] = (Role::Measured, "no other column of numbers");
            }
        }
    }
}
