//! Layouts of tables that people write, brought into one of the two that are read.
//!
//! Where columns are not metrics but variants (`metric, before, after`; `run, before, after`), repeats (`run1, run2`)
//! or loads (`osl-128, osl-512`), every cell becomes a row of the long layout. Summaries of other rows or columns
//! (`avg`, `std`, `change`) are skipped, with a note. An unclear layout is an error: nothing is guessed.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::cell_value::is_nothing;
use crate::kit::fields::{self, RunField};
use crate::kit::figure::{figure, is_unit, list};
use crate::kit::short;
use crate::table::column_names::{METRIC, UNIT, VALUE, VARIANT, is_tidy};
use crate::table::outcomes::is_failure;
use crate::table::records::{Line, Table};
use crate::table::role_words::{RUN, counts_runs, is_case, is_size};
use beyondnoise_model::error::Error;
use beyondnoise_model::metrics::Statistic;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{
    Column, ColumnUse, LabelHint, Run, Skipped, Table as Described, label_hint, negates,
};
use beyondnoise_model::units::{Conversion, Scale};

mod averages;
mod builds;
pub(crate) mod cells;
pub(crate) mod changes;
pub(crate) mod columns;
mod levels;
mod numbered;
mod several;
mod sides;
mod summaries;
mod turn;
mod unmeasured;

use crate::table::layout::averages::Averages;
use crate::table::layout::builds::{Compared, builds, factors_beside};
use crate::table::layout::cells::{FAR, drop_columns, hoist_units, put_rows, simplify, take_rows};
use crate::table::layout::changes::{CellClaims, compared, numbers_of};
use crate::table::layout::columns::{
    Kind, STATISTICS, Values, are_versions, has_variants, header_unit, is_change, is_key,
    is_metric, kind_of, load_of, names_variants, rises, says_nothing, split_unit, unit_in_brackets,
    with_unit, without_unit,
};
pub(crate) use crate::table::layout::columns::{is_called, is_statistic, says_change};
use crate::table::layout::levels::{
    counts_rows, describes_one_run, flatten, is_unnamed, name_by_default, name_first, name_repeats,
    sections, split_crossed_labels, split_numbered_labels, split_row_labels,
};
use crate::table::layout::numbered::are_means;
use crate::table::layout::several::split_rows;
pub(crate) use crate::table::layout::turn::Arranged;
use crate::table::layout::turn::{metric_in, turn, unit_in, unit_of_heading, unit_of_values};

/// Headers over the names of metrics.
const NAMES: &[&str] = &["metrics", "name", "measure", "benchmark", ""];

/// More rows than a table written by hand has.
const MAX_TURNED_ROWS: usize = 20_000;

impl Arranged {
    /// Tells each run the spreads and the claims of its cells.
    pub(crate) fn apply(&self, runs: &mut [Run]) {
        self.averages.apply(runs);
        self.claims.apply(runs);
    }
}

/// The text above a table.
#[derive(Clone, Copy, Default)]
pub(crate) struct Caption<'a> {
    pub(crate) heading: Option<&'a str>,
    /// The sentences above it.
    pub(crate) words: Option<&'a str>,
    /// All lines above it but those of tables, as far as one reads back.
    pub(crate) above: &'a str,
    /// Those of them below the last heading and below tables with other columns.
    pub(crate) near: &'a str,
    /// The first sentence below it, where that is short: `Aggregate tok/s.`
    pub(crate) below: Option<&'a str>,
    /// The names of the two values in each cell, where the text says so.
    pub(crate) pair: Option<&'a [String; 2]>,
    /// Runs behind each average, where the text says so.
    pub(crate) runs: Option<u64>,
    /// The variants over the columns of tables above, in small letters.
    pub(crate) variants: Option<&'a BTreeSet<String>>,
    /// Whether the text has no other table.
    pub(crate) alone: bool,
}

/// Converts a table to the long layout, or to the wide one with a row per run, if it is in neither. `caption` is the
/// text above it, `before` the columns of the tables above in the same file.
///
/// Cells are first brought into one form: one number each, in the unit of its column or beside its unit.
///
/// # Errors
///
/// [`Error::Input`] for columns with an unclear meaning.
pub(crate) fn arrange(
    table: &mut Table,
    caption: Caption,
    before: usize,
) -> Result<Arranged, Error> {
    if table.rows.len() >= MAX_TURNED_ROWS {
        return Ok(Arranged::default());
    }
    if caption.heading.is_none() && caption.words.is_none() && is_plain(table) {
        let split = split_numbered_labels(table);
        let mut notes = summaries::leave_out_copies(table);
        let counted = summaries::counts_averaged_rows(table);
        notes.extend(summaries::leave_out_rows(table));
        let mut done = Arranged { notes, ..Arranged::default() };
        if counted {
            done.rename(table, 0, RUN[0]);
        }
        done.changed = name_first(table) | split;
        return Ok(done);
    }
    let heading = caption.heading.map(without_number);
    let flat = sections(table)
        | describes_one_run(table)
        | numbered::name_runs(table, caption.near)
        | flatten(table, caption.runs)
        | split_row_labels(table)
        | split_numbered_labels(table)
        | (caption.alone && split_crossed_labels(table, heading))
        | name_repeats(table)
        | name_by_default(table)
        | split_rows(table);
    for header in &mut table.headers {
        if let Some(bare) = averages::without_spread(header) {
            *header = bare;
        }
        if let Some(bracketed) = unit_in_brackets(header) {
            *header = bracketed;
        }
    }
    // `metric (cold)`, `Arm (same launch, head at 5)`
    let number = |cell: &str| cell.starts_with(|c: char| c.is_ascii_digit());
    let words = |at: usize| !table.filled(at).any(number);
    let stem = |at: usize| {
        let (stem, _) = table.headers[at].split_once(" (")?;
        let known = is_called(stem, METRIC) || is_called(stem, VARIANT);
        (known && words(at)).then(|| stem.to_owned())
    };
    let stems: Vec<Option<String>> = (0..table.headers.len()).map(stem).collect();
    for (header, stem) in table.headers.iter_mut().zip(stems) {
        if let Some(stem) = stem {
            *header = stem;
        }
    }
    complete_sides(table);
    cells::complete_bytes(table);
    cells::expand_letters(table);
    unmeasured::clear_marks(table);
    let mut notes = summaries::leave_out_copies(table);
    notes.extend(unmeasured::leave_out_spreads(table));
    notes.extend(unmeasured::leave_out_bare(table));
    notes.extend(unmeasured::leave_out_words(table));
    notes.extend(unmeasured::leave_out_goals(table));
    notes.extend(unmeasured::leave_out_of_no_side(table));
    let named =
        changes::name_what_is_compared(table) | name_by_units(table) | sides::bare_factors(table);
    numbered::list_runs(table, &mut notes);
    let (remarks, mut changed) = simplify(table, (heading, caption.pair), &mut notes)?;
    let factors = factors_beside(table, &remarks);
    let by_factors = factors.as_ref().map(|factors| factors.compared);
    let rows_are_compared = summaries::compares_rows(table) || by_factors == Some(Compared::Rows);
    let of_own = factors.map(|factors| factors.of_own).unwrap_or_default();
    let claims = CellClaims::of_remarks(table, remarks, &of_own);
    let counted = summaries::counts_averaged_rows(table);
    notes.extend(summaries::leave_out_rows(table));
    let unit = caption.words.and_then(unit_in).or_else(|| heading.and_then(unit_of_heading));
    let unit = unit.or_else(|| unit_of_values(caption.near));
    let unit = unit.or_else(|| caption.below.and_then(unit_in));
    let of_labels = hoist_unit_of_labels(table);
    changed |= of_labels.is_some();
    let unit = of_labels.or(unit);
    if unmeasured::are_settings(table, heading, unit.is_some()) {
        let problem =
            "expected measured values, found round numbers before and after alone: settings";
        let remedy = "if they were measured, give the metric and its unit in the table";
        return Err(table.no_result(problem.to_owned(), remedy));
    }
    let averages = Averages::take(table, caption.runs, &mut notes);
    let mut done = Arranged {
        notes,
        averages,
        claims,
        unit,
        rows_are_compared,
        changed,
        ..Arranged::default()
    };
    if counted {
        done.rename(table, 0, RUN[0]);
    }
    let told = (caption.above, by_factors == Some(Compared::Columns));
    done.layout(table, (heading, told), (caption.variants, before))?;
    changed =
        name_first(table) | hoist_units(table, &mut done.notes) || flat || named || done.changed;
    Ok(Arranged { changed, ..done })
}

/// Whether a table is in the long layout, and every value is a bare number: no cell is to be brought into one form.
fn is_plain(table: &Table) -> bool {
    let called =
        |names: &[&str]| table.headers.iter().position(|header| names.contains(&&**header));
    let (Some(_), Some(value), None) = (called(METRIC), called(VALUE), called(UNIT)) else {
        return false;
    };
    let mut values = table.rows.iter().map(|row| row.cells.get(value));
    let digit = |c: char| c.is_ascii_digit();
    values.all(|cell| cell.ends_with(digit) && fields::number(cell).is_some())
}

/// Gives the name of a metric to a column of one side behind that of the other with its metric: `ms/token before`, `after`.
fn complete_sides(table: &mut Table) {
    for at in 1..table.headers.len() {
        let before = sides::splits_of(&table.headers[at - 1]);
        // `Baseline Mean`, `Mean`
        let same = |(word, metric): &&(String, String)| {
            label_hint(word) == LabelHint::Baseline && *metric == table.headers[at]
        };
        if before.iter().find(same).is_some() {
            table.headers[at] = format!("candidate {}", table.headers[at]);
            continue;
        }
        let hint = label_hint(&table.headers[at]);
        // `PPL (this PR)` names its metric itself.
        let bracketed = table.headers[at].split_once(" (");
        let own = bracketed.is_some_and(|(_, inner)| label_hint(inner) == hint);
        if hint == LabelHint::Neither || own || !is_one_word(&table.headers[at]) {
            continue;
        }
        let opposite = |(word, _): &(String, String)| {
            !matches!(label_hint(word), LabelHint::Neither) && label_hint(word) != hint
        };
        if let Some((_, metric)) = before.iter().find(|split| opposite(split)) {
            table.headers[at] = format!("{metric} {}", table.headers[at]);
        }
    }
}

/// Names the metrics of a table of names, units and values by their units too, where the name says no direction.
fn name_by_units(table: &mut Table) -> bool {
    let called = |names: &[&str]| table.headers.iter().position(|header| is_called(header, names));
    let metric = called(METRIC).or_else(|| called(&["name"]));
    let (Some(metric), Some(unit), Some(_)) = (metric, called(UNIT), called(VALUE)) else {
        return false;
    };
    let words = table.filled(metric).all(|cell| fields::number(cell).is_none());
    if is_tidy(&table.headers) || !words {
        return false;
    }
    let mut rows = take_rows(table);
    let mut changed = false;
    for row in &mut rows {
        if let Some(name) = with_unit(row.cells[metric].trim(), row.cells[unit].trim()) {
            row.cells[metric] = name;
            changed = true;
        }
    }
    put_rows(table, rows);
    if !is_called(&table.headers[metric], METRIC) {
        METRIC[0].clone_into(&mut table.headers[metric]);
        changed = true;
    }
    changed
}

/// A heading without its number: `3. TTFT (ms)`.
fn without_number(heading: &str) -> &str {
    let bare = heading.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let numbered = bare.len() < heading.len() && bare.starts_with(' ');
    if numbered { bare.trim_start() } else { heading }
}

impl Arranged {
    /// Turns the table where its columns are not metrics.
    fn layout(
        &mut self,
        table: &mut Table,
        (heading, told): (Option<&str>, (&str, bool)),
        (variants, before): (Option<&BTreeSet<String>>, usize),
    ) -> Result<(), Error> {
        let lower: Vec<String> = table.headers.iter().map(|header| header.to_lowercase()).collect();
        let has = |names: &[&str]| lower.iter().any(|header| names.contains(&&**header));
        if has(METRIC) && has(VALUE) || table.rows.is_empty() || table.headers.is_empty() {
            return Ok(());
        }
        let mut kinds = kinds_of(table);
        let again = variants.is_some_and(|variants| set_sides_again(table, &mut kinds, variants));
        // Beside rows that are metrics `Old scheduler`, `New scheduler` name no metric themselves.
        let unknown = |values: &Vec<Values>| {
            let known = |name: &str| is_metric(name) || header_unit(name).is_some();
            !values.iter().filter_map(|value| value.metric.as_deref()).any(known)
        };
        let rows = names_of_metrics(table, &kinds);
        let metrics = rows.is_some_and(|at| {
            2 * table.filled(at).filter(|cell| is_metric(cell)).count() > table.rows.len()
        });
        let told = || {
            let open = rows.is_none() && !self.rows_are_compared;
            let columns = builds(table, &kinds, told).filter(|_| open)?;
            Some(columns.into_iter().map(|at| sides::of_build(table, at)).collect())
        };
        let sides = sides::values(table, &kinds).or_else(told);
        if let Some(values) = sides.filter(|values| !metrics || !unknown(values)) {
            self.unlike = self.claims.add_between(table, &kinds, None, &values);
            self.note_summaries(table, (&kinds, &values));
            self.turn(table, &kinds, (None, None), (&values, before));
            return Ok(());
        }
        // `decode, tok/s` over the names of variants, beside runs as columns.
        let repeats = kinds.iter().filter(|kind| **kind == Kind::Repeat).count();
        let metric = table.headers.first().cloned().unwrap_or_default();
        let named = is_metric(&metric) || header_unit(&metric).is_some();
        let beside = kinds.iter().filter(|kind| matches!(kind, Kind::Statistic | Kind::Compares));
        let all = 1 + repeats + beside.count() == kinds.len();
        let over = repeats > 1 && all && kinds[0] == Kind::Key && named;
        let heading = if over { Some(&*metric) } else { heading };
        if over {
            self.rename(table, 0, VARIANT[0]);
        }
        let names = if over { names_of_metrics(table, &kinds) } else { rows };
        if let Some(mean) = names.and_then(|names| value_of(table, &kinds, names)) {
            self.rename(table, mean, VALUE[0]);
            let names = names.filter(|&at| !is_called(&table.headers[at], METRIC));
            if let Some(at) = names {
                self.rename(table, at, METRIC[0]);
            }
            return Ok(());
        }
        // `tok/s` over the names of the cases.
        let first = table.headers.first().cloned().unwrap_or_default();
        let number = |cell: &str| figure(cell, table.comma).is_some();
        let over_cases = names.is_none()
            && kinds.first() == Some(&Kind::Key)
            && (is_metric(&first) || is_unit(&first))
            && !table.filled(0).any(number);
        let heading = if over_cases && is_metric(&first) { Some(&*first) } else { heading };
        if over_cases && is_unit(&first) {
            self.unit = Some(first.clone());
        }
        let stated = over_cases || self.unit.is_some();
        let values = if self.rows_are_compared {
            None
        } else {
            value_columns(table, &kinds, (names, heading, stated), again)?
        };
        let Some(mut values) = values else {
            let changes = |at: usize| kinds[at] == Kind::Compares && table.mostly(at, is_change);
            // Whole numbers that lead the rows of changes are sizes: `draft max`.
            let holds = |at: usize| kinds[at].holds_values() && (at > 0 || !rises(table, at));
            if !(0..kinds.len()).any(holds) && (0..kinds.len()).any(changes) {
                let problem = format!("expected values, found only changes: {}", table.listed());
                return Err(table.no_result(problem, "give the values that they compare"));
            }
            self.claims.add_beside(table, &kinds);
            let compares: Vec<usize> = (0..kinds.len())
                .filter(|&at| {
                    kinds[at] == Kind::Compares
                        && (self.claims.checks(at)
                            || table.mostly(at, is_change)
                            || changes::are_differences(table, at, &(0..at).collect::<Vec<_>>()))
                })
                .collect();
            if !compares.is_empty() {
                for &at in &compares {
                    let place = format!("column {}", short(&table.headers[at]));
                    let why = "compares other columns: checked as claims, not read".to_owned();
                    self.notes.push(Skipped { place, why });
                    let (name, why) = (short(&table.headers[at]), "compares other columns");
                    let (role, used) = ("not used", ColumnUse::Claim);
                    self.columns.push(Column { name, role, used, why, close: None });
                }
                drop_columns(table, &compares);
                self.changed = true;
            }
            return Ok(());
        };
        if over_cases {
            // Beside sizes that lie over the columns the rows are what is compared.
            let sized = values.iter().all(|value| value.load.is_some());
            self.rename(table, 0, if sized { VARIANT[0] } else { "case" });
        }
        if over && names.is_none() && metric_in(&metric).is_none() {
            for value in &mut values {
                value.metric = Some(metric.clone());
            }
        }
        // A unit over one of the values is that of all.
        let units: BTreeSet<String> =
            values.iter().filter_map(|value| header_unit(&table.headers[value.at])).collect();
        if units.len() == 1 && self.unit.is_none() {
            self.unit = units.into_iter().next();
        }
        self.unlike = self.claims.add_between(table, &kinds, names, &values);
        if values.iter().any(|value| value.statistic.is_none()) {
            self.note_summaries(table, (&kinds, &values));
        }
        self.turn(table, &kinds, (names, heading), (&values, before));
        Ok(())
    }

    fn turn(
        &mut self,
        table: &mut Table,
        kinds: &[Kind],
        (names, heading): (Option<usize>, Option<&str>),
        (values, before): (&[Values], usize),
    ) {
        let ids = ids(table, kinds, (names, values), &mut self.notes);
        self.note_columns(table, kinds, &ids, (names, values));
        turn(table, &ids, (names, heading), (values, before), self);
        self.changed = true;
    }
}

impl Arranged {
    /// Gives a column another name, and keeps the one that is written.
    fn rename(&mut self, table: &mut Table, at: usize, name: &str) {
        let written = std::mem::replace(&mut table.headers[at], name.to_owned());
        if !written.is_empty() {
            self.renamed.push([name.to_owned(), short(&written)]);
        }
    }

    /// Notes the columns that sum up or compare others.
    fn note_summaries(&mut self, table: &Table, (kinds, values): (&[Kind], &[Values])) {
        let read = |at: usize| values.iter().any(|value| value.at == at);
        for (at, kind) in kinds.iter().enumerate().filter(|(at, _)| !read(*at)) {
            let why = match (kind, self.agreeing(at)) {
                (Kind::Statistic, _) => "sums up the other columns: not read".to_owned(),
                (Kind::Compares, Some([good, all])) => format!(
                    "agrees with the values beside it in {good} of {all} rows: compares something else, not checked"
                ),
                (Kind::Compares, None) if table.mostly(at, is_change) => {
                    "compares other columns: checked as claims, not read".to_owned()
                }
                (Kind::Compares, None) => "compares other columns: not read".to_owned(),
                _ => continue,
            };
            self.notes
                .push(Skipped { place: format!("column {}", short(&table.headers[at])), why });
        }
    }

    /// The rows in which a column of changes agrees with the values beside it, of all, where it compares something else.
    fn agreeing(&self, at: usize) -> Option<[usize; 2]> {
        self.unlike.iter().find(|(other, _)| *other == at).map(|(_, rows)| *rows)
    }

    /// Notes the uses of the columns that the turned table lacks.
    fn note_columns(
        &mut self,
        table: &Table,
        kinds: &[Kind],
        ids: &[usize],
        (names, values): (Option<usize>, &[Values]),
    ) {
        self.kept = Some(ids.iter().map(|&at| short(&table.headers[at])).collect());
        for at in (0..kinds.len()).filter(|at| !ids.contains(at)) {
            let value = values.iter().find(|value| value.at == at);
            let (role, used, why) = match value {
                _ if Some(at) == names => {
                    ("metric names", ColumnUse::MetricNames, "names the metric")
                }
                Some(value) if !value.variant.is_empty() => {
                    ("measured", ColumnUse::ValuesOfVariant, "its header is a variant")
                }
                Some(value) if !value.run.is_empty() => {
                    ("measured", ColumnUse::ValuesOfRun, "its header is a run")
                }
                Some(_) => ("measured", ColumnUse::Measured, "the values of a load or statistic"),
                None if kinds[at] == Kind::Compares
                    && table.mostly(at, is_change)
                    && self.agreeing(at).is_none() =>
                {
                    ("not used", ColumnUse::Claim, "compares other columns")
                }
                None if table.filled(at).next().is_none() => continue,
                None => ("not used", ColumnUse::LeftOut, "beside the names of metrics"),
            };
            let name = match short(&table.headers[at]) {
                name if name.is_empty() => format!("column {}", at + 1),
                name => name,
            };
            self.columns.push(Column { name, role, used, why, close: None });
        }
    }

    /// Gives tables that were read the columns as they were written.
    pub(crate) fn describe(&self, tables: &mut [Described]) {
        for table in tables {
            for column in &mut table.columns {
                if let Some([_, written]) = self.renamed.iter().find(|[now, _]| *now == column.name)
                {
                    column.name.clone_from(written);
                }
            }
            if let Some(kept) = &self.kept {
                table.columns.retain(|column| kept.contains(&column.name));
            }
            table.columns.extend(self.columns.iter().cloned());
        }
    }
}

/// The kind of every column; numbers that compare two others are no values, whatever they are called.
fn kinds_of(table: &Table) -> Vec<Kind> {
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
fn mean_of_repeats(table: &Table, kinds: &[Kind]) -> Option<usize> {
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
fn set_sides_again(table: &Table, kinds: &mut [Kind], variants: &BTreeSet<String>) -> bool {
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
fn counts_outcomes(name: &str) -> bool {
    matches!(fields::field_of_label(name), Some(RunField::Completed | RunField::Failed))
}

/// The column that names the metrics, where columns beside it may be variants.
fn names_of_metrics(table: &Table, kinds: &[Kind]) -> Option<usize> {
    // P01, P02, P03 are people.
    let quantile =
        |cell: &str| matches!(meaning(cell).statistic, Some(Statistic::Quantile(q)) if q >= 0.5);
    let known = |at: usize| -> usize {
        let mut cells: BTreeMap<&str, usize> = BTreeMap::new();
        for cell in table.filled(at) {
            *cells.entry(cell).or_default() += 1;
        }
        let known = |cell: &str| is_metric(cell) || quantile(cell) || counts_outcomes(cell);
        let known = cells.iter().filter(|(cell, _)| known(cell));
        known.map(|(_, count)| count).sum()
    };
    // `22.8 s` is a value.
    let value = |cell: &str| {
        let bare = cell.trim_start_matches(['~', '≈', '<', '>', '+', '-']);
        bare.starts_with(|c: char| c.is_ascii_digit()) && cell.split_whitespace().count() < 3
    };
    let variant = |at: usize| names_variants(table, at);
    let names = |at: &usize| kinds[*at] == Kind::Key && !variant(*at) && !table.mostly(*at, value);
    let text: Vec<usize> = (0..kinds.len()).filter(names).collect();
    let called =
        |names: &[&str]| text.iter().copied().find(|&at| is_called(&table.headers[at], names));
    let mostly = || text.iter().copied().find(|&at| 2 * known(at) > table.rows.len());
    let sides = kinds.contains(&Kind::Side);
    // `Returning-turn metric`
    let over_metrics = |header: &str| {
        let words = header.trim().to_lowercase();
        METRIC.iter().chain(&["metrics"]).any(|word| words.ends_with(word))
    };
    let over_metrics = || text.iter().copied().find(|&at| over_metrics(&table.headers[at]));
    let named =
        || called(NAMES).filter(|&at| sides && (known(at) > 0 || !table.headers[at].is_empty()));
    // A unit in every row, in its name or behind its values: each row is a metric.
    // Beside sides another quantity says nothing about their unit: a size in MB, the time to compile.
    let side = |at: &usize| kinds[*at] == Kind::Side;
    let of_sides = (0..kinds.len()).filter(side).count() > 1;
    let open: Vec<usize> = (0..kinds.len())
        .filter(|at| if of_sides { side(at) } else { kinds[*at].is_open() })
        .collect();
    // A name with its unit is that of a metric: `prefill (tok/s)`.
    let own = |at: usize| {
        table.rows.len() > 1
            && table.rows.iter().all(|row| header_unit(row.cells.get(at)).is_some())
    };
    let with_unit = |at: usize| {
        // One unit for all is that of one metric.
        let unit = |row: Line| {
            let behind = || {
                open.iter()
                    .map(|&value| split_unit(row.cells.get(value)).1)
                    .find(|unit| !unit.is_empty())
            };
            header_unit(row.cells.get(at)).or_else(behind)
        };
        let units: Vec<String> = table.rows.iter().filter_map(unit).collect();
        let several = units.iter().any(|unit| *unit != units[0]);
        (several || own(at)) && 2 * units.len() > table.rows.len()
    };
    let distinct = |at: usize| {
        let cells: BTreeSet<&str> = table.rows.iter().map(|row| row.cells.get(at)).collect();
        cells.len() == table.rows.len()
    };
    // In each row all values have units of one kind: the rows are metrics, whatever the columns are called.
    let across = |at: usize| {
        // Words say why a value is missing: `not tested`.
        let units = |row: Line| -> Vec<String> {
            let cells = open.iter().map(|&at| row.cells.get(at));
            let value = |cell: &&str| cell.contains(|c: char| c.is_ascii_digit());
            cells.filter(value).map(|cell| split_unit(cell).1).collect()
        };
        let alike = |row: Line| {
            let units = units(row);
            let first = units.first().cloned().unwrap_or_default();
            let same = !first.is_empty() && units.iter().all(|unit| *unit == first);
            let scales: Option<Vec<Scale>> = units.iter().map(|unit| Scale::parse(unit)).collect();
            same || scales.is_some_and(|units| {
                units.first().is_some_and(|first| units.iter().all(|unit| unit.is_alike(*first)))
            })
        };
        // A count has no unit on any side.
        let none = |row: Line| units(row).iter().all(String::is_empty);
        let named = |row: Line| header_unit(row.cells.get(at)).is_some();
        let stated = table.rows.iter().filter(|row| alike(*row) || named(*row)).count();
        open.len() > 1 && stated > 1 && table.rows.iter().all(|row| alike(row) || none(row))
    };
    let of_units = || {
        text.iter().copied().find(|&at| {
            (sides || own(at) || across(at)) && open.len() > 1 && distinct(at) && with_unit(at)
        })
    };
    called(METRIC).or_else(over_metrics).or_else(mostly).or_else(named).or_else(of_units)
}

/// The column of the values beside the names of the metrics: the mean, or the only one that is measured. Spreads, counts
/// and settings beside it never are.
fn value_of(table: &Table, kinds: &[Kind], names: usize) -> Option<usize> {
    let metric = is_called(&table.headers[names], METRIC);
    let values = |kind: &Kind| !metric && (kind.is_open() || *kind == Kind::Metric);
    if kinds.iter().any(|kind| *kind == Kind::Side || values(kind)) {
        return None;
    }
    let mean = |at: &usize| meaning(&table.headers[*at]).statistic == Some(Statistic::Mean);
    let beside = |at: &usize| {
        let header = &table.headers[*at];
        let says = meaning(header).says;
        counts_runs(header)
            || is_called(header, RUN)
            || matches!(says, Says::Spread | Says::Count | Says::Setting | Says::Outcome(_))
            || says == Says::Identity && kinds[*at] == Kind::Key
    };
    let numbers = (0..kinds.len()).filter(|&at| at != names && table.is_numeric(at));
    let open: Vec<usize> = numbers.filter(|at| !beside(at)).collect();
    // Several statistics are several metrics.
    let statistic = |name: &&String| {
        meaning(name).statistic.is_some_and(|statistic| statistic != Statistic::Deviation)
    };
    let alone = table.headers.iter().filter(statistic).count() == 1;
    match (open.iter().copied().find(mean), open.len()) {
        (Some(mean), _) => Some(mean).filter(|_| alone),
        (None, 1) => open.first().copied(),
        _ => None,
    }
}

/// Whether all columns behind those of sizes hold one quantity, under names that say nothing: these are variants. The values
/// of a row are alike, and differ less within rows than between them, or are printed with the same fine resolution.
fn are_alike(table: &Table, kinds: &[Kind]) -> bool {
    let sized = |header: &str| {
        fields::field_of_column(header).is_some_and(fields::is_setting)
            || meaning(header).says == Says::Setting
            || is_metric(header)
    };
    // A name with a number in the corner names no labels where those over the columns are coined: `LFM2.5` left of `ExecuTorch` and
    // `llama.cpp`.
    let is_coined = |name: &String| {
        let mut rest = name.trim().chars().skip(1);
        rest.any(|c| c.is_ascii_uppercase() || ".-".contains(c)) && says_nothing(name)
    };
    let numbered = |name: &str| {
        let has = |part: fn(&char) -> bool| name.chars().any(|c| part(&c));
        has(char::is_ascii_digit) && has(char::is_ascii_uppercase) && says_nothing(name)
    };
    let coined = |corner: &str| numbered(corner) && table.headers[1..].iter().all(is_coined);
    // Sizes with their unit: `4KB`, `46MB`.
    let sizes = || {
        let scale = |cell: &str| Scale::parse(&split_unit(cell).1);
        let bytes = Scale::parse("B");
        let size = |cell: &str| scale(cell).zip(bytes).is_some_and(|(one, b)| one.is_alike(b));
        table.filled(0).count() == table.rows.len() && table.filled(0).all(size)
    };
    let leads = table.headers.first().is_some_and(|header| {
        is_unnamed(header) && (!counts_rows(table) || kinds.get(1) == Some(&Kind::Key))
            || sized(header)
            || is_case(header)
            || coined(header)
            || sizes()
    });
    // A run that failed, several, or none.
    let several = |cell: &str| list(cell, false).is_some();
    let gap = |cell: &str| is_nothing(cell) || is_failure(cell) || several(cell);
    let mut columns: Vec<usize> =
        (1..kinds.len()).filter(|&at| kinds[at] != Kind::Compares).collect();
    if is_unnamed(&table.headers[0]) {
        // Pandas numbers the rows before the sizes.
        columns.retain(|&at| at > 1 || kinds[at] != Kind::Key);
    }
    // What else describes the rows: a device, a date.
    let words = |at: usize| table.filled(at).all(|cell| fields::number(cell).is_none());
    columns.retain(|&at| kinds[at] != Kind::Key || !words(at));
    // Of sizes with their unit beside times or rates with theirs, where a name says that it is one of several builds.
    let stated = |&at: &usize| {
        let unit = |cell: &str| split_unit(cell).1;
        let first = table.filled(columns[0]).next().and_then(|cell| Scale::parse(&unit(cell)));
        let alike = |cell: &str| {
            Scale::parse(&unit(cell)).zip(first).is_some_and(|(one, first)| one.is_alike(first))
        };
        !is_metric(&table.headers[at]) && table.filled(at).all(alike)
    };
    let says = |&at: &usize| {
        let header = &table.headers[at];
        label_hint(header) != LabelHint::Neither || negates(header)
    };
    if sizes() && columns.len() > 1 && columns.iter().all(stated) && columns.iter().any(says) {
        return true;
    }
    let silent = |&at: &usize| {
        let number = |cell: &str| fields::number(&split_unit(cell).0).is_some();
        let mut cells = table.filled(at).filter(|cell| !gap(cell)).peekable();
        let open = match kinds[at] {
            Kind::Side => true,
            Kind::Other => says_nothing(&table.headers[at]),
            _ => false,
        };
        open && cells.peek().is_some() && cells.all(number)
    };
    if !leads || columns.len() < 2 || table.rows.len() < 2 || !columns.iter().all(silent) {
        return false;
    }
    let (mut resolutions, mut first) = (Vec::new(), None);
    let filled = |row: &Line| columns.iter().any(|&at| !row.cells.get(at).is_empty());
    let rows: Option<Vec<Vec<f64>>> = table
        .rows
        .iter()
        .filter(filled)
        .map(|row| {
            let mut log = |&at: &usize| {
                let (number, unit) = split_unit(row.cells.get(at));
                let number = fields::number(&number)?;
                resolutions.push(number.resolution);
                let scale = Scale::parse(&unit);
                first = first.or(scale);
                let to = scale.zip(first).and_then(|(scale, first)| scale.to(first));
                let value = to.unwrap_or(Conversion::NONE).apply(number.value);
                Some(value.ln()).filter(|v| v.is_finite())
            };
            let known = columns.iter().filter(|&&at| !gap(row.cells.get(at)));
            known.map(&mut log).collect()
        })
        .filter(|row: &Option<Vec<f64>>| row.as_ref().is_none_or(|row| !row.is_empty()))
        .collect();
    let Some(rows) = rows else { return false };
    let spread = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64
    };
    let within = rows.iter().map(|row| spread(row)).sum::<f64>() / rows.len() as f64;
    let means: Vec<f64> =
        rows.iter().map(|row| row.iter().sum::<f64>() / row.len() as f64).collect();
    let fine =
        resolutions.iter().all(|one| *one < 0.001 && (one / resolutions[0] - 1.0).abs() < 1e-9);
    // Six decimals everywhere are those of one program.
    let most = if resolutions.iter().all(|one| *one < 1e-5) { 1.5 } else { 0.5 };
    within < most && (fine || within < spread(&means))
}

/// Whether columns may hold one quantity: settings beside one another differ by more orders of magnitude than builds do.
fn are_of_one_size(table: &Table, columns: &[usize]) -> bool {
    let median = |&at: &usize| {
        let number = |cell: &str| Some(fields::number(&split_unit(cell).0)?.value.abs());
        let mut values: Vec<f64> =
            table.filled(at).filter_map(number).filter(|v| *v > 0.0).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    let medians: Vec<f64> = columns.iter().filter_map(median).collect();
    let ends = |fold: fn(f64, f64) -> f64| medians.iter().copied().reduce(fold);
    ends(f64::max).zip(ends(f64::min)).is_none_or(|(most, least)| most / least < MOST_TIMES)
}

/// The columns without those of another quantity than the sides among them: `compile time` in s beside two rates, a size in MB
/// beside two times.
fn of_one_kind(table: &Table, kinds: &[Kind], columns: Vec<usize>) -> Vec<usize> {
    let unit = |at: usize| {
        let own = table.filled(at).find_map(|cell| Scale::parse(&split_unit(cell).1));
        own.or_else(|| Scale::parse(&header_unit(&table.headers[at])?))
    };
    let alike =
        |a: usize, b: usize| unit(a).zip(unit(b)).is_none_or(|(one, other)| one.is_alike(other));
    let sides: Vec<usize> = columns.iter().copied().filter(|&at| kinds[at] == Kind::Side).collect();
    let other = |at: usize| {
        kinds[at] == Kind::Other && sides.len() > 1 && sides.iter().all(|&side| !alike(at, side))
    };
    columns.into_iter().filter(|&at| !other(at)).collect()
}

/// Whether columns may hold one quantity by the units in their cells; false where one has a unit in every cell, and another in
/// none. Sides hold one quantity in any case.
fn share_units(table: &Table, kinds: &[Kind], columns: &[usize]) -> bool {
    if columns.iter().all(|&at| kinds[at] == Kind::Side) {
        return true;
    }
    let with = |at: usize| {
        let unit = |cell: &str| !split_unit(cell).1.is_empty();
        (table.filled(at).all(unit), table.filled(at).any(unit))
    };
    let all: Vec<(bool, bool)> = columns.iter().map(|&at| with(at)).collect();
    !(all.iter().any(|(every, _)| *every) && all.iter().any(|(_, any)| !any))
}

/// Most times that the values of one build are those of another.
const MOST_TIMES: f64 = 1e5;

/// The columns of values, where they are not metrics; `None` for a table in which they are.
fn value_columns(
    table: &Table,
    kinds: &[Kind],
    (names, heading, stated): (Option<usize>, Option<&str>, bool),
    again: bool,
) -> Result<Option<Vec<Values>>, Error> {
    let count = |kind: fn(&Kind) -> bool| kinds.iter().filter(|known| kind(known)).count();
    let metrics = count(|kind| matches!(kind, Kind::Metric));
    // Rows that name their sides are what is compared.
    let sided = |cell: &str| label_hint(cell) == LabelHint::Baseline && is_one_word(cell.trim());
    let rows_are_sides = kinds.first() == Some(&Kind::Key)
        && names.is_none()
        && !kinds.iter().any(|kind| matches!(kind, Kind::Side | Kind::Repeat))
        && table.rows.len() > 1
        && table.filled(0).any(sided)
        && !table.filled(0).any(is_size);
    if rows_are_sides {
        return Ok(None);
    }
    let under_sizes = names.is_none() && sizes_over_names(table, kinds);
    let keyed = under_sizes || has_variants(table);
    let shown = kinds.iter().filter(|kind| **kind == Kind::Side).count() == 2
        && kinds.contains(&Kind::Compares);
    let alone = |at: usize| {
        kinds[at] == Kind::Side
            && (shown || again || is_one_word(without_unit(&table.headers[at])))
            && !keyed
    };
    let sides = (0..kinds.len()).filter(|&at| alone(at)).count();
    let repeats = count(|kind| matches!(kind, Kind::Repeat));
    let versions = || {
        let open: Vec<&str> = (1..kinds.len())
            .filter(|&at| kinds[at].is_open())
            .map(|at| &*table.headers[at])
            .collect();
        kinds.first().is_some_and(|kind| *kind == Kind::Key || is_unnamed(&table.headers[0]))
            && are_versions(&open)
    };
    // A heading that names the metric, or a sentence with its unit, says that the columns are builds.
    let titled = || {
        // `engine` over fractions is one of the builds.
        let silent = |at: usize| {
            let header = &table.headers[at];
            let set = || matches!(meaning(header).says, Says::Setting | Says::Identity);
            kinds[at] == Kind::Side || kinds[at] == Kind::Other && (says_nothing(header) || set())
        };
        let keys = kinds.iter().take_while(|kind| **kind == Kind::Key).count();
        let mut others = (keys..kinds.len()).filter(|&at| kinds[at] != Kind::Compares).peekable();
        (stated || heading.and_then(metric_in).is_some())
            && keys > 0
            && others.peek().is_some()
            && others.all(silent)
    };
    let alike = under_sizes
        || names.is_none() && !keyed && (are_alike(table, kinds) || versions() || titled());
    let bare = (0..kinds.len())
        .filter(|&at| kinds[at].is_open() && fields::number(&table.headers[at]).is_some());
    let open = names.is_some()
        || sides > 0 && count(|kind| kind.is_open()) > 1
        || repeats > 1
        || alike
        || keyed && bare.count() > 1;
    if metrics > 0 || !open {
        return Ok(None);
    }
    // Without names of metrics the first column numbers the rows, and a setting is one.
    let is_id = |at: usize| {
        names.is_none() && at == 0 && !matches!(kinds[at], Kind::Side | Kind::Repeat)
            || names.is_none() && sides == 0 && !alike && !matches!(kinds[at], Kind::Repeat)
    };
    // Sizes stand beside sides that are measured: whole numbers, where no cell of a side is one.
    let all = |at: usize, whole: bool| {
        let number = |cell: &str| fields::number(&split_unit(cell).0);
        let mut cells = table.filled(at).map(number);
        cells.all(|cell| cell.is_some_and(|cell| (cell.resolution >= 0.5) == whole))
    };
    let measured = sides > 0
        && (0..kinds.len()).filter(|&at| kinds[at] == Kind::Side).all(|at| all(at, false));
    // Left of both sides, or of the names of the metrics, a number describes the row.
    let first_side = (0..kinds.len()).find(|&at| kinds[at] == Kind::Side);
    let left = |at: usize| {
        names.map_or_else(
            || first_side.is_some_and(|first| at < first && sides > 1),
            |names| at < names,
        )
    };
    // Fractions under a name that shares a word with that of a side are a third one: `vLLM (v0.7)` left of `vLLM (v0.9)`.
    let words = |at: usize| -> BTreeSet<String> {
        let lower = table.headers[at].to_lowercase();
        let letters = |word: &&str| word.starts_with(char::is_alphabetic);
        lower.split([' ', '(', ')']).filter(letters).map(str::to_owned).collect()
    };
    let is_third = |at: usize| {
        let mut sides = (0..kinds.len()).filter(|&side| kinds[side] == Kind::Side);
        at > 0 && all(at, false) && sides.any(|side| !words(side).is_disjoint(&words(at)))
    };
    // Whole numbers that come back and are far from one another, left of all other numbers, which do not: `Prompt tok`.
    let recurs = |at: usize| {
        let values: BTreeSet<&str> = table.filled(at).collect();
        let numbers = values.iter().filter_map(|cell| fields::number(&split_unit(cell).0));
        let mut numbers: Vec<f64> = numbers.map(|number| number.value).collect();
        numbers.sort_by(f64::total_cmp);
        let far = numbers.windows(2).all(|two| two[1] >= FAR * two[0]);
        2 * values.len() <= table.rows.len() && values.len() > 1 && far && all(at, true)
    };
    let open: Vec<usize> = (0..kinds.len()).filter(|&at| kinds[at].is_open()).collect();
    let leads = |at: usize| {
        open.len() > 2 && open[0] == at && recurs(at) && !open[1..].iter().any(|&at| recurs(at))
    };
    let is_size = |at: usize| {
        let describes = measured && all(at, true) || left(at) && !is_third(at);
        kinds[at] == Kind::Other && (describes || leads(at))
    };
    let columns: Vec<usize> =
        (0..kinds.len()).filter(|&at| kinds[at].is_open() && !is_id(at) && !is_size(at)).collect();
    let columns = if names.is_none() { of_one_kind(table, kinds, columns) } else { columns };
    if columns.is_empty() {
        let values = statistics_of_one_run(table, kinds);
        return Ok(names.filter(|_| !values.is_empty()).map(|_| values));
    }
    let sized = keyed && columns.iter().all(|&at| fields::number(&table.headers[at]).is_some());
    if !are_of_one_size(table, &columns) || names.is_none() && !share_units(table, kinds, &columns)
    {
        return Ok(None);
    }
    if !sized {
        unclear(table, kinds, &columns)?;
    }
    let mut values = values_of(table, kinds, &columns, sized);
    name_by_shared_words(&mut values, names);
    name_by_their_mean(table, kinds, &mut values, names);
    Ok(Some(values))
}

/// The content of each of these columns; `sized`: numbers are over them, beside the names of the variants.
fn values_of(table: &Table, kinds: &[Kind], columns: &[usize], sized: bool) -> Vec<Values> {
    let labels: BTreeSet<&str> = columns.iter().map(|&at| &*table.headers[at]).collect();
    let numbered = crate::text::headings::numbered_labels(&labels);
    // A header comes again for the next repeat, and under another unit for another metric.
    let unit = |at: usize| table.filled(at).find_map(|cell| Scale::parse(&split_unit(cell).1));
    let again = |at: usize, other: usize| {
        let alike = || unit(at).zip(unit(other)).is_none_or(|(one, other)| one.is_alike(other));
        table.headers[at] == table.headers[other] && alike()
    };
    let value = |&at: &usize| {
        let header = &*table.headers[at];
        let same: Vec<usize> = columns.iter().copied().filter(|&other| again(at, other)).collect();
        let nth = 1 + same.iter().filter(|other| **other < at).count();
        let twice = same.len() > 1;
        let own = |variant: &str, run: String| Values {
            at,
            variant: variant.to_owned(),
            run,
            load: None,
            statistic: None,
            metric: None,
        };
        match (&kinds[at], numbered.get(header)) {
            // Beside the names of the variants numbers over the columns are sizes.
            _ if sized => {
                let load = Some(("column".to_owned(), header.to_owned()));
                Values { load, ..own("", String::new()) }
            }
            (Kind::Repeat, _) => own("", header.to_owned()),
            (Kind::Load, _) => {
                let load = load_of(header);
                let (load, statistic) = load.map_or((None, None), |(name, value, statistic)| {
                    (Some((name, value)), statistic)
                });
                Values { load, statistic, ..own("", String::new()) }
            }
            (_, Some((stem, number))) => own(stem, number.to_string()),
            _ => own(without_unit(header), if twice { nth.to_string() } else { String::new() }),
        }
    };
    columns.iter().map(value).collect()
}

/// Whether every column behind one of names has a number that rises from left to right over it, three or more, or a load of one
/// name: sizes beside the labels of variants, unless these are called cases.
fn sizes_over_names(table: &Table, kinds: &[Kind]) -> bool {
    let Some((first, sizes)) = table.headers.split_first() else { return false };
    let loads: Option<BTreeSet<String>> =
        sizes.iter().map(|size| load_of(size).map(|(name, ..)| name)).collect();
    let of_one_name = sizes.len() > 1 && loads.is_some_and(|names| names.len() == 1);
    let sizes: Option<Vec<f64>> =
        sizes.iter().map(|size| Some(fields::number(size.trim())?.value)).collect();
    // Releases and years are near to each other: 3.11 and 3.12, 16 and 17.
    let rises = |sizes: Vec<f64>| {
        let whole = sizes.iter().all(|size| size.fract() == 0.0);
        let far = sizes.len() > 2 && sizes[sizes.len() - 1] >= 2.0 * sizes[0];
        whole && far && sizes.windows(2).all(|two| two[0] < two[1])
    };
    kinds.first() == Some(&Kind::Key)
        && !is_case(first)
        && !is_unnamed(first)
        && (of_one_name || sizes.is_some_and(rises))
}

/// Takes the unit off the labels of rows below sizes, where all end with the same one and say nothing else of a metric: `int3 µs`,
/// `fp16 µs` beside 1, 2, 4 and 8.
fn hoist_unit_of_labels(table: &mut Table) -> Option<String> {
    let kinds = kinds_of(table);
    if table.rows.len() < 2 || !sizes_over_names(table, &kinds) {
        return None;
    }
    let split = |row: Line| -> Option<(String, String)> {
        let cell = row.cells.get(0).trim().to_owned();
        let unit = header_unit(&cell)?;
        let bare = without_unit(&cell);
        let bare = bare.strip_suffix(&*unit).unwrap_or(bare);
        let label = bare.trim_end_matches([' ', '_', '-']).to_owned();
        (!label.is_empty() && says_nothing(&label)).then_some((label, unit))
    };
    let labels: Vec<(String, String)> = table.rows.iter().map(split).collect::<Option<_>>()?;
    let unit = labels[0].1.clone();
    let names: BTreeSet<&String> = labels.iter().map(|(label, _)| label).collect();
    if names.len() < labels.len() || labels.iter().any(|(_, other)| *other != unit) {
        return None;
    }
    let mut rows = take_rows(table);
    for (row, (label, _)) in rows.iter_mut().zip(labels) {
        row.cells[0] = label;
    }
    put_rows(table, rows);
    Some(unit)
}

/// Takes the words that all labels end with, the name of a statistic among them, as the metric of all: `custom P50 total`,
/// `cuBLAS P50 total`.
fn name_by_shared_words(values: &mut [Values], names: Option<usize>) {
    let words: Vec<Vec<&str>> =
        values.iter().map(|value| value.variant.split_whitespace().collect()).collect();
    let Some(first) = words.first().filter(|_| names.is_none() && words.len() > 1) else { return };
    let same = |back: usize| {
        let word = |words: &Vec<&str>| words.iter().rev().nth(back).copied().map(str::to_lowercase);
        words.iter().all(|own| own.len() > back + 1 && word(own) == word(first))
    };
    let shared = (0..first.len()).take_while(|back| same(*back)).count();
    let metric: Vec<&str> = first[first.len() - shared..].to_vec();
    let known = metric.iter().any(|word| is_statistic(&word.to_lowercase()) || is_metric(word));
    let metric = metric.join(" ");
    if !known && meaning(&metric).says != Says::Measured {
        return;
    }
    let labels: Vec<String> =
        words.iter().map(|words| words[..words.len() - shared].join(" ")).collect();
    for (value, label) in values.iter_mut().zip(labels) {
        value.variant = label;
        value.metric = Some(metric.clone());
    }
}

/// Takes the metric of repeats from the header over their means: `Mean wall time`.
fn name_by_their_mean(table: &Table, kinds: &[Kind], values: &mut [Values], names: Option<usize>) {
    let repeats = values.iter().all(|value| kinds[value.at] == Kind::Repeat);
    let Some(at) = mean_of_repeats(table, kinds).filter(|_| names.is_none() && repeats) else {
        return;
    };
    let header = table.headers[at].trim();
    let means = |word: &str| {
        let lower = word.trim_end_matches('.').to_lowercase();
        STATISTICS.contains(&&*lower)
    };
    let (first, rest) = header.split_once([' ', '_']).unwrap_or((header, ""));
    let (name, _) = averages::without_count(if means(first) { rest } else { header });
    let quantity = || meaning(&name).says == Says::Measured || is_metric(&name);
    if is_unit(&name) || header_unit(&name).is_some() || quantity() {
        for value in values {
            value.metric = Some(name.clone());
        }
    }
}

/// The columns of a table with nothing but statistics of one run.
fn statistics_of_one_run(table: &Table, kinds: &[Kind]) -> Vec<Values> {
    let columns = (0..kinds.len()).filter(|&at| matches!(kinds[at], Kind::Statistic));
    let value = |at: usize| Values {
        at,
        variant: String::new(),
        run: String::new(),
        load: None,
        statistic: Some(table.headers[at].clone()),
        metric: None,
    };
    columns.map(value).collect()
}

/// Refuses tables in which some columns are loads or numbers, and others labels.
fn unclear(table: &Table, kinds: &[Kind], columns: &[usize]) -> Result<(), Error> {
    let names: Vec<String> = columns.iter().map(|&at| short(&table.headers[at])).collect();
    let loads = columns.iter().filter(|&&at| matches!(kinds[at], Kind::Load)).count();
    let bare = columns.iter().any(|&at| fields::number(&table.headers[at]).is_some());
    if !bare && (loads == 0 || loads == columns.len()) {
        return Ok(());
    }
    let problem = format!(
        "expected the names of variants over the columns, found {}: loads, or variants",
        names.join(", ")
    );
    let remedy = "write a row per value with the columns variant, metric and value, and one for the load, such as \
                  concurrency";
    Err(table.header(problem, remedy))
}

/// The columns that describe a whole row.
fn ids(
    table: &Table,
    kinds: &[Kind],
    (names, values): (Option<usize>, &[Values]),
    notes: &mut Vec<Skipped>,
) -> Vec<usize> {
    let mut ids = Vec::new();
    for (at, kind) in kinds.iter().enumerate() {
        let used = values.iter().any(|value| value.at == at) || Some(at) == names;
        let described = matches!(kind, Kind::Key | Kind::Other) || at == 0 && names.is_none();
        if used || !described || table.filled(at).next().is_none() {
            continue;
        }
        let header = &table.headers[at];
        if at == 0 && is_unnamed(header) && counts_rows(table) {
            continue;
        }
        // `first arm`, `winner`: one of the sides in every row.
        let side = |cell: &str| values.iter().any(|value| value.variant == cell.trim());
        let lower = header.to_lowercase();
        let ranks = || {
            let words = ["first", "order", "winner", "best", "better", "faster", "fastest"];
            lower.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
        };
        if values.len() > 1 && ranks() && table.filled(at).all(side) {
            let why = "names one of the sides in every row, no setting: not read".to_owned();
            notes.push(Skipped { place: format!("column {}", short(header)), why });
            continue;
        }
        // Beside the names of metrics only a key describes the run.
        let keyed = is_key(table, at)
            || fields::field_of_column(header).is_some()
            || is_called(header, RUN);
        if names.is_none_or(|names| at < names) || keyed {
            ids.push(at);
            continue;
        }
        let cell = table.filled(at).next().unwrap_or_default();
        let why = format!("holds no numbers (such as \"{}\"): not read", short(cell));
        notes.push(Skipped { place: format!("column {}", short(header)), why });
    }
    ids
}

/// Whether a label is a single word: `main`, and not `main_memory`.
fn is_one_word(whole: &str) -> bool {
    // `baseline (no cache)`
    let words =
        |rest: &str| rest.ends_with(')') && rest.contains(' ') && !rest.contains([',', '/']);
    let label = whole.split_once(" (").filter(|(_, rest)| words(rest));
    let label = label.map_or(whole, |(label, _)| label);
    label.trim().chars().all(char::is_alphanumeric) && label.chars().count() <= 12
}
