//! Layouts of tables that people write, brought into one of the two that are read.
//!
//! Where columns are not metrics but variants (`metric, before, after`; `run, before, after`), repeats (`run1, run2`)
//! or loads (`osl-128, osl-512`), every cell becomes a row of the long layout. Summaries of other rows or columns
//! (`avg`, `std`, `change`) are skipped, with a note. An unclear layout is an error: nothing is guessed.

use std::collections::BTreeSet;

use crate::kit::fields::{self};
use crate::kit::figure::{figure, is_unit};
use crate::kit::short;
use crate::table::column_names::{METRIC, UNIT, VALUE, VARIANT, is_tidy, is_unnamed};
use crate::table::records::Table;
use crate::table::role_words::RUN;
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::{
    Column, ColumnUse, LabelHint, Run, Skipped, Table as Described, label_hint,
};

mod averages;
mod builds;
mod cell_claims;
pub(crate) mod cells;
mod change_rows;
pub(crate) mod changes;
pub(crate) mod columns;
pub(crate) mod kinds;
mod levels;
mod metric_names;
mod numbered;
mod several;
mod sides;
mod summaries;
mod turn;
mod unmeasured;
mod value_columns;

use crate::table::layout::averages::Averages;
use crate::table::layout::builds::{Compared, builds, factors_beside};
use crate::table::layout::cell_claims::CellClaims;
use crate::table::layout::cells::units::hoist_units;
use crate::table::layout::cells::{letters, simplify};
use crate::table::layout::columns::{
    Kind, Values, header_unit, is_change, is_key, is_metric, rises, unit_in_brackets, with_unit,
};
pub(crate) use crate::table::layout::columns::{is_called, is_statistic, says_change};
use crate::table::layout::kinds::{kinds_of, set_sides_again};
use crate::table::layout::levels::{
    counts_rows, describes_one_run, flatten, name_by_default, name_first, name_repeats, sections,
    split_crossed_labels, split_numbered_labels, split_row_labels, spread_percentiles,
};
use crate::table::layout::metric_names::{
    hoist_unit_of_labels, is_one_word, names_of_metrics, value_of,
};
use crate::table::layout::several::split_rows;
pub(crate) use crate::table::layout::turn::Arranged;
use crate::table::layout::turn::{metric_in, turn, unit_in, unit_of_heading, unit_of_values};
use crate::table::layout::value_columns::value_columns;

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
    let flat = spread_percentiles(table)
        | sections(table)
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
    letters::complete_bytes(table);
    letters::expand_letters(table);
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
    let (mut remarks, mut changed) = simplify(table, (heading, caption.pair), &mut notes)?;
    let factors = factors_beside(table, &remarks);
    let by_factors = factors.as_ref().map(|factors| factors.compared);
    let rows_are_compared = change_rows::compares_rows(table) || by_factors == Some(Compared::Rows);
    let of_own = factors.map(|factors| factors.of_own).unwrap_or_default();
    remarks.extend(change_rows::claims(table));
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
    let mut rows = table.take_rows();
    let mut changed = false;
    for row in &mut rows {
        if let Some(name) = with_unit(row.cells[metric].trim(), row.cells[unit].trim()) {
            row.cells[metric] = name;
            changed = true;
        }
    }
    table.put_rows(rows);
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
        let sides = sides::values(table, &kinds).or_else(|| sides::in_one_row(table)).or_else(told);
        let read = |values: &Vec<Values>| {
            !(metrics && unknown(values) || rows.is_some() && sides::are_remarks(values))
        };
        if let Some(mut values) = sides.filter(read) {
            sides::take_what_is_set(table, &mut kinds, &mut values);
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
                table.drop_columns(&compares);
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
