//! The role of every column of a table, decided once: identity, factor, measured, remark.
//!
//! All intervals rest on it, since rows are repeats only if they agree in every factor. The name decides first: one
//! that the user names, a metric or a unit of measurement, a known setting. Numbers under any other name are a
//! **factor** if few distinct values recur exactly: at most half as many values as rows, most of them twice or more,
//! all short (three digits, or whole) or each about as often as the others, or if they rise like a sweep (1, 2, 4, 8;
//! 10, 20, 50). All other numbers are **measured**. An empty cell of a factor is its own value. Text is a factor,
//! unless its name or its form is that of an identifier (`run-3`, a path, a time, a hash) or of free text, different
//! in every row.

mod evidence;
mod repeats;
mod set;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use crate::kit::fields::{self, RunField, is_setting};
use crate::reader::Options;
use crate::table::column_names::{
    METRIC, PAIR, SYSTEMS, UNIT, VALUE, VARIANT, has_dimensions, is_dimension, is_of_value,
    is_tidy, is_unnamed,
};
use crate::table::column_rules::{field_of, find, unnamed_labels, varying};
use crate::table::design::Judged;
use crate::table::figure_columns::FigureColumns;
use crate::table::outcomes::OutcomeColumn;
use crate::table::records::{Table, given, groups_by, position};
use crate::table::request_names::is_of_request;
use crate::table::role::Role;
use crate::table::role_words::{
    is_build, is_case, is_clock, is_identity, is_place, is_remark, is_run, plain,
};
use crate::table::spreads::Spreads;
use crate::table::values::{
    FEW, FREE_TEXT, Numbers, TEXT, have_one_unit, is_numeric, is_of_settings, number_role, numbers,
    text_role,
};
use crate::text::headings;
use beyondnoise_model::error::Error;
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, label_hint};
use beyondnoise_model::units::{Scale, Unit};

/// The roles of the columns of a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roles {
    /// One a column, with the reason in a few words.
    pub(crate) columns: Vec<(Role, &'static str)>,
    /// The column that names the variant, if a single one does; several name it only together with columns of other
    /// inputs.
    pub(crate) variant: Option<usize>,
    /// The columns that name the run, from the outer level of repeats to the inner: several if the user names them.
    pub(crate) run: Vec<usize>,
    pub(crate) pair: Option<usize>,
    /// The metric and its value, in the long layout.
    pub(crate) long: Option<(usize, usize)>,
    pub(crate) spreads: Spreads,
    pub(crate) figures: FigureColumns,
    pub(crate) outcomes: Vec<OutcomeColumn>,
    /// The evidence on each column of numbers alone, once it was asked for.
    alone: Vec<OnceLock<Option<Judged>>>,
    /// The evidence on columns of numbers with that of the other columns.
    weighed: BTreeMap<usize, Judged>,
}

/// Reason of a column that has the name of a measurement and the values of a setting.
const RECURS: &str = "recurs in every variant";

/// Reason of a column that the user names.
pub(crate) const BY_USER: &str = "named by you";

/// Reason of a column of averages.
pub(crate) const AVERAGED: &str = "averages with their spread";

/// The unit of row numbers in a table whose values became a row each.
pub(crate) const TURNED: &str = "cell";

/// Reason of a column of numbers that counts the repeats of each cell.
const COUNTS: &str = "counts the rows of every cell";

/// Reason of a column of numbers that do not come back.
const VARY: &str = "numbers that vary";

/// Reason of a column that has the name of a setting and the values of a measurement.
const TOO_FINE: &str = "too fine for a setting";

/// The columns of the metric and of its value, in the long layout.
fn metric_and_value(table: &Table) -> Option<(usize, usize)> {
    let value = find(table, VALUE, &[]);
    let metric =
        find(table, METRIC, &[]).or_else(|| value.and_then(|_| names_of_metrics(table)))?;
    // Beside the names of metrics a mean is their value.
    let mean = || find(table, &["mean", "avg", "average", "平均"], &[]);
    Some((metric, value.or_else(mean)?))
}

/// The only column of words whose words are mostly names of metrics.
fn names_of_metrics(table: &Table) -> Option<usize> {
    let names = |at: &usize| {
        if is_numeric(table, *at) {
            return false;
        }
        let words: BTreeSet<&str> = table.filled(*at).collect();
        // `latency` and `throughput` alone may be modes.
        let measured = |word: &&&str| {
            let several = word.contains(|c: char| !c.is_alphabetic());
            fields::unit_of(word).symbol() != "" || several && meaning(word).statistic.is_some()
        };
        let metrics = words.iter().filter(measured).count();
        words.len() > 1 && 2 * metrics > words.len()
    };
    let mut found = (0..table.headers.len()).filter(names);
    found.next().filter(|_| found.next().is_none())
}

/// Headers over remarks on a row.
const REMARKS: &[&str] =
    &["status", "note", "notes", "remark", "remarks", "comment", "comments", "备注", "说明"];

/// The column that names the variant: by its own name, by a baseline among its labels, or by another name for it.
fn variant_of(table: &Table, taken: &[usize], options: &Options) -> Option<usize> {
    let baseline = |label: &str| {
        options.base.as_deref() == Some(label) || label_hint(label) == LabelHint::Baseline
    };
    let named = |at: &usize| VARIANT.contains(&&*table.headers[*at].to_lowercase());
    let with_baseline = || {
        let columns = (0..table.headers.len()).filter(|at| named(at) && !taken.contains(at));
        columns.into_iter().find(|&at| table.filled(at).any(baseline))
    };
    // `Phase: Baseline, Human` beside the commits of both; a remark may say so too.
    let remark = |at: usize| REMARKS.contains(&&*table.headers[at].trim().to_lowercase());
    let beside_commits = || {
        let commit = varying(table, VARIANT, taken)?;
        let names = |at: &usize| {
            let labels: BTreeSet<&str> = table.filled(*at).collect();
            let hinted = labels.iter().filter(|label| baseline(label)).count();
            let groups = |columns: &[usize]| groups_by(table, columns).1;
            let both = groups(&[commit, *at]);
            hinted == 1 && both == groups(&[commit]) && both == groups(&[*at]) && both > 1
        };
        let free = |at: &usize| *at != commit && !taken.contains(at) && !remark(*at);
        (0..table.headers.len()).find(|at| free(at) && names(at))
    };
    find(table, &VARIANT[..1], taken)
        .or_else(with_baseline)
        .or_else(beside_commits)
        .or_else(|| varying(table, VARIANT, taken))
        .or_else(|| builds_of(table, taken))
        .or_else(|| unnamed_labels(table))
}

/// The column of versions, commits or images with two rows each or more, where all other words that differ are those of
/// settings and do not go with it: `vllm_version` beside `model`.
fn builds_of(table: &Table, taken: &[usize]) -> Option<usize> {
    let differs = |at: usize| table.filled(at).any(|cell| Some(cell) != table.filled(at).next());
    let parts = |columns: &[usize]| groups_by(table, columns).1;
    let set = |at: usize| {
        let name = &table.headers[at];
        let known = matches!(meaning(name).says, Says::Setting | Says::Identity) || is_case(name);
        known && !SYSTEMS.contains(&&*plain(name))
            || is_build(name)
            || is_remark(name)
            || is_numeric(table, at)
    };
    let names = |at: usize| differs(at) && !set(at);
    let builds = |&at: &usize| {
        let (count, rows) = (groups_by(table, &[at]).1, table.rows.len());
        let whole = table.filled(at).count() == rows;
        // A label goes with it one to one, and so may the date or another version.
        let alone = |other: usize| {
            let with = parts(&[at, other]);
            let name = &table.headers[other];
            is_numeric(table, other)
                || is_identity(name)
                || is_build(name)
                || with > count
                || with > parts(&[other])
        };
        !taken.contains(&at)
            && is_build(&table.headers[at])
            && whole
            && count > 1
            && 2 * count <= rows
            && (0..table.headers.len()).all(alone)
    };
    let columns = 0..table.headers.len();
    let named = table.headers.iter().any(|header| is_build(header));
    if !named || is_tidy(&table.headers) || columns.clone().any(names) {
        return None;
    }
    columns.into_iter().find(builds)
}

/// Refuses two columns of one name.
fn every_column_once(table: &Table) -> Result<(), Error> {
    let headers = &table.headers;
    for (index, name) in headers.iter().enumerate() {
        if !name.is_empty() && headers[..index].contains(name) {
            let problem = format!("expected every column once, found \"{name}\" twice");
            return Err(table.header(problem, "rename or remove one of them"));
        }
    }
    Ok(())
}

/// The columns that the user names as metrics, where these are columns, and as factors.
fn measured_and_factors(table: &Table, options: &Options, wide: bool) -> Vec<(usize, Role)> {
    let at = |name: &String| position(&table.headers, name);
    let metrics = options.metrics.iter().filter(|_| wide).filter_map(at);
    let factors = options.by.iter().chain(&options.pool).chain(&options.along).filter_map(at);
    let factor = |at| (at, field_of(table, at).map_or(Role::Factor, Role::RunField));
    metrics.map(|at| (at, Role::Measured)).chain(factors.map(factor)).collect()
}

/// Whether a cell says which way is better.
fn says_better(cell: &str) -> bool {
    let lower = cell.trim().to_lowercase();
    let word = lower.split([' ', '_', '-']).next().unwrap_or_default();
    [
        "lower", "higher", "less", "more", "smaller", "larger", "bigger", "min", "max", "minimize",
        "maximize", "up", "down", "↑", "↓",
    ]
    .contains(&word)
}

impl Roles {
    /// Tells the roles from `table`, which is the whole table or its start.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for two columns of one name, and for a name of the user that no column has.
    pub(crate) fn assign(table: &Table, options: &Options) -> Result<Self, Error> {
        let headers = &table.headers;
        every_column_once(table)?;
        let all = |names: &[String]| -> Result<Vec<usize>, Error> {
            names.iter().map(|name| given(table, name)).collect()
        };
        let long = metric_and_value(table);
        let mut roles = Self { long, ..Self::default() };
        let mut columns: Vec<Option<(Role, &'static str)>> = vec![None; headers.len()];
        let mut set = |at: usize, role, why| {
            columns[at].get_or_insert((role, why));
        };
        let variants = all(&options.variant_column)?;
        roles.run = all(&options.run_column)?;
        roles.pair = options.pair_column.as_ref().map(|name| given(table, name)).transpose()?;
        for (columns, role) in [
            (&variants, Role::Variant),
            (&roles.run, Role::Run),
            (&roles.pair.into_iter().collect(), Role::Pair),
        ] {
            for &at in columns {
                set(at, role, BY_USER);
            }
        }
        if let Some((metric, value)) = long {
            set(metric, Role::Metric, "names the metric");
            set(value, Role::Value, "the value of the metric");
        }
        for (at, why) in roles.find_parts_of_values(headers) {
            set(at, Role::OfValue, why);
        }
        for (at, role) in measured_and_factors(table, options, long.is_none()) {
            set(at, role, BY_USER);
        }
        let taken = |columns: &[Option<(Role, &'static str)>]| -> Vec<usize> {
            (0..columns.len()).filter(|&at| columns[at].is_some()).collect()
        };
        let free = taken(&columns);
        roles.variant = match variants[..] {
            [only] => Some(only),
            [] => variant_of(table, &free, options),
            // Together they name it, with what other inputs call so.
            _ => None,
        };
        if let Some(at) = roles.variant {
            columns[at].get_or_insert((Role::Variant, "its name"));
        }
        if roles.pair.is_none() {
            roles.pair = find(table, PAIR, &taken(&columns));
            roles.pair.iter().for_each(|&at| {
                columns[at].get_or_insert((Role::Pair, "its name"));
            });
        }
        if !is_tidy(headers) {
            let free = (0..headers.len()).filter(|&at| columns[at].is_none());
            roles.outcomes = OutcomeColumn::all(table, free);
            for outcome in &roles.outcomes {
                columns[outcome.at].get_or_insert((Role::Outcome, "its name and values"));
            }
        }
        roles.alone = vec![OnceLock::new(); headers.len()];
        let each = (0..headers.len())
            .map(|at| columns[at].unwrap_or_else(|| roles.one(table, at, options)));
        roles.columns = each.collect();
        roles.weigh_together(table);
        roles.measure_what_follows_the_run(table);
        roles.measure_what_settings_fix(table);
        roles.set_builds_that_variants_share(table);
        roles.free_what_repeats_differ_in(table);
        roles.number_the_runs(table);
        roles.set_what_results_follow(table);
        roles.set_what_ascends(table);
        roles.set_what_doubles(table);
        roles.set_what_never_varies(table);
        roles.set_what_names_the_rows(table);
        roles.remark_on_results(table);
        roles.keep_a_metric(table, options);
        if roles.run.is_empty() {
            roles.find_run(table);
        }
        Ok(roles)
    }

    /// Finds the columns beside those of values that belong to them, each with what it is of.
    fn find_parts_of_values(&mut self, headers: &[String]) -> Vec<(usize, &'static str)> {
        self.spreads = Spreads::find(headers, self.long.map(|(_, value)| value));
        if self.long.is_some() && is_tidy(headers) {
            self.figures = FigureColumns::find(headers);
        }
        let of_averages = self.spreads.pairs.iter().map(|(_, sd)| *sd).chain(self.spreads.runs);
        let of_averages = of_averages.map(|at| (at, "of the averages"));
        of_averages.chain(self.figures.all().map(|at| (at, "of the requests"))).collect()
    }

    /// Whether a column belongs to that of the values by its name: a unit, a direction.
    fn is_of_a_value(&self, table: &Table, at: usize) -> bool {
        let name = &table.headers[at];
        let is_unit = UNIT.contains(&name.to_lowercase().as_str())
            && (self.long.is_some() || table.mostly(at, |cell| Scale::parse(cell).is_some()));
        // In other tables than tidy ones a direction may be one of copying, and a column of words called "row" names the cases.
        let lower = name.to_lowercase();
        let of_value = match &*lower {
            _ if UNIT.contains(&&*lower) => false,
            "row" => is_of_value(name) && is_numeric(table, at),
            "better" | "direction" => table.mostly(at, says_better),
            _ => is_of_value(name) && is_tidy(&table.headers),
        };
        is_unit || of_value
    }

    /// The role of a column that nobody named.
    fn one(&self, table: &Table, at: usize, options: &Options) -> (Role, &'static str) {
        let name = &table.headers[at];
        if is_unnamed(name) || table.filled(at).next().is_none() {
            return (Role::Empty, "no name or no cell");
        }
        if self.is_of_a_value(table, at) {
            return (Role::OfValue, "its name");
        }
        // Numbers that clients write beside their results may be what a table is about.
        let of_client = |field: &RunField| *field == RunField::Ignored && !is_tidy(&table.headers);
        if let Some(field) = field_of(table, at).filter(|field| !of_client(field)) {
            let free = self.long.is_none() && is_numeric(table, at);
            let counts = matches!(
                field,
                RunField::Completed
                    | RunField::Failed
                    | RunField::Requests
                    | RunField::InputTokens
                    | RunField::OutputTokens
            );
            if free && counts && !numbers(table, at, self.long).are_whole() {
                let set = self.judged(table, at).is_some_and(|found| found.score > 0.0);
                return if set { (Role::Factor, RECURS) } else { (Role::Measured, "no count") };
            }
            // A rate, a load or a number of requests may be a result.
            let limits =
                matches!(field, RunField::RequestRate | RunField::MaxConcurrency | RunField::Load);
            if free && field == RunField::Requests && numbers(table, at, self.long).are_measured() {
                return (Role::RunField(RunField::Ignored), TOO_FINE);
            }
            if free && limits {
                let found = self.by_design(table, at);
                let fine = || {
                    let numbers = numbers(table, at, self.long);
                    let rate = field == RunField::RequestRate;
                    // `QPS` over 54.515, and no `request rate`.
                    let one = || !name.to_lowercase().contains("rate") && numbers.is_one_result();
                    numbers.are_fine() || rate && (numbers.are_measured() || one())
                };
                if found.map_or_else(fine, |(role, _)| role == Role::Measured) {
                    return (Role::Measured, TOO_FINE);
                }
            }
            // A cell that is empty in some rows is a value of its own.
            let gaps = !is_tidy(&table.headers) && table.filled(at).count() < table.rows.len();
            let few_missing = || numbers(table, at, self.long).are_nearly_constant();
            return match field {
                RunField::OutputTokens
                    if self.judged(table, at).is_some_and(|found| found.score > 0.0) =>
                {
                    (Role::Factor, RECURS)
                }
                RunField::Requests
                    if self.long.is_none()
                        && is_numeric(table, at)
                        && !table.filled(at).all(|cell| Some(cell) == table.filled(at).next())
                        && few_missing() =>
                {
                    (Role::RunField(RunField::Ignored), "a count that hardly varies")
                }
                RunField::Requests => (Role::RunField(field), "a setting"),
                _ if is_setting(field) && gaps => (Role::Factor, "a setting, empty in some rows"),
                _ if is_setting(field) => (Role::RunField(field), "a setting"),
                _ => (Role::RunField(field), "its name"),
            };
        }
        if self.long.is_some() && is_tidy(&table.headers) {
            let role = if name == "run" { Role::Identity } else { Role::Factor };
            return (role, "its name");
        }
        if is_identity(name)
            && !options.order_by.iter().any(|order| order == name)
            && !self.are_phrases(table, at)
            && !are_no_places(table, at)
        {
            let numbers = is_numeric(table, at).then(|| numbers(table, at, self.long));
            let setting = is_of_settings(name, numbers.as_ref(), table.filled(at));
            return if setting { (Role::Factor, FEW) } else { (Role::Identity, "its name") };
        }
        let number = |text: &str| fields::number(text).is_some();
        let tidy = is_tidy(&table.headers);
        if !tidy && is_clock(name) && tells_the_time(table, at) {
            return (Role::Identity, "a time");
        }
        // A rate without an end is one that was asked for.
        let endless = |cell: &str| cell.eq_ignore_ascii_case("inf");
        if !tidy
            && meaning(name).unit == Some(Unit::RequestPerSecond)
            && table.filled(at).any(endless)
        {
            return (Role::Factor, "a rate without an end");
        }
        if table.averaged.contains(name) {
            return (Role::Measured, AVERAGED);
        }
        // `B`, `H` and `C` together are sizes of tensors.
        let whole = || is_numeric(table, at) && numbers(table, at, self.long).are_whole();
        if !tidy && is_dimension(name) && has_dimensions(&table.headers) && whole() {
            return (Role::Factor, "a size of a tensor");
        }
        if !tidy
            && is_numeric(table, at)
            && let Some((role, why)) = self.by_design(table, at)
        {
            // Beside the column of the values a number is no metric.
            let beside = self.long.is_some() && role == Role::Measured;
            return (if beside { Role::Remark } else { role }, why);
        }
        // Anything but a number there is an error and not a text.
        let directed = fields::metric_of_column(name).better.is_some();
        if directed && table.filled(at).any(number)
            || is_of_request(name) && table.filled(at).any(number)
        {
            return (Role::Measured, "a metric");
        }
        if !is_numeric(table, at) {
            return text(table, at);
        }
        let (role, why) = number_role(name, &numbers(table, at, self.long));
        // Beside the column of the values a number is no metric.
        if self.long.is_some() && role == Role::Measured {
            (Role::Remark, why)
        } else {
            (role, why)
        }
    }

    /// Whether an identifier has names of several words that differ in more than their digits: these are no ids.
    fn are_phrases(&self, table: &Table, at: usize) -> bool {
        let of_path = |word: &str| word.contains('/') && word.contains(char::is_alphabetic);
        let phrase = |cell: &str| {
            cell.contains(' ') && !cell.contains('\\') && !cell.split(' ').any(of_path)
        };
        let numbered = |cell: &str| cell.contains(|c: char| c.is_ascii_digit());
        let counts = |cell: &str| {
            cell.ends_with(|c: char| c.is_ascii_digit()) || headings::counts_runs(cell)
        };
        let stem = |cell: &str| cell.replace(|c: char| !c.is_alphabetic(), "");
        let cells: BTreeSet<&str> = table.filled(at).collect();
        let stems: BTreeSet<String> = cells.iter().map(|cell| stem(cell)).collect();
        let ends = stems.len() == cells.len() || !cells.iter().any(|cell| counts(cell));
        let apart = !is_run(&table.headers[at]) && ends && stems.iter().all(|stem| stem.len() > 2);
        self.run.is_empty()
            && cells.iter().all(|cell| phrase(cell))
            && (apart || !cells.iter().any(|cell| numbered(cell)))
    }

    pub(crate) fn role(&self, at: usize) -> Role {
        self.columns[at].0
    }

    /// The properties of the numbers of a column.
    pub(crate) fn numbers(&self, table: &Table, at: usize) -> Numbers {
        numbers(table, at, self.long)
    }

    /// The columns with such a role.
    pub(crate) fn which(&self, such: impl Fn(Role) -> bool) -> Vec<usize> {
        (0..self.columns.len()).filter(|&at| such(self.role(at))).collect()
    }
}

/// Whether the cells under the name of a place, `Linear path`, are words: nothing in them is that of a path.
fn are_no_places(table: &Table, at: usize) -> bool {
    let of_path = |c: char| c.is_ascii_digit() || "/\\.:".contains(c);
    is_place(&table.headers[at])
        && table.filled(at).next().is_some()
        && table.filled(at).all(|cell| !cell.contains(of_path))
}

/// Whether values in a row rise or fall, every step of four and more, or along a line; `true` for up.
fn trend(values: &[f64]) -> Option<bool> {
    let up = values.windows(2).all(|two| two[1] > two[0]);
    let down = values.windows(2).all(|two| two[1] < two[0]);
    if values.len() > 3 && (up || down) {
        return Some(up);
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let (mut both, mut own, mut place) = (0.0, 0.0, 0.0);
    for (at, value) in values.iter().enumerate() {
        let (x, y) = (at as f64 - (n - 1.0) / 2.0, value - mean);
        (both, own, place) = (both + x * y, own + y * y, place + x * x);
    }
    let r = both / (own * place).sqrt();
    (r.abs() > FOLLOWS).then_some(r > 0.0)
}

/// Correlation with the number of the row from which on a result follows it.
const FOLLOWS: f64 = 0.97;

/// Factor between rows from which on they are no repeats of one work.
const APART: f64 = 3.0;

/// Whether numbers are seconds or milliseconds since 1970 that rise from row to row, within some weeks.
fn tells_the_time(table: &Table, at: usize) -> bool {
    let times: Option<Vec<f64>> =
        table.filled(at).map(|cell| fields::number(cell).map(|number| number.value)).collect();
    let Some(times) = times.filter(|times| times.len() > 3) else { return false };
    let (first, last) = (times[0], times[times.len() - 1]);
    let since = |one: f64| times.iter().all(|time| (9e8..4.2e9).contains(&(time / one)));
    (since(1.0) || since(1e3))
        && last - first < 0.01 * first
        && times.windows(2).all(|two| two[1] > two[0])
}

/// Whether a name is that of a metric that clients define.
fn is_known(name: &str) -> bool {
    Metric::known(name).or_else(|| Metric::from_text(name)).is_some()
}

/// Whether two columns name the same things: every value of one comes with one value of the other.
fn goes_with(table: &Table, one: usize, other: usize) -> bool {
    let count = |columns: &[usize]| groups_by(table, columns).1;
    let both = count(&[one, other]);
    both > 1 && both < table.rows.len() && both == count(&[one]) && both == count(&[other])
}

/// The role of a column of text.
fn text(table: &Table, at: usize) -> (Role, &'static str) {
    let name = &table.headers[at];
    if is_remark(name) {
        return (Role::Remark, "its name");
    }
    let filled: Vec<&str> = table.filled(at).collect();
    if meaning(name).says == Says::Measured && have_one_unit(&filled) {
        return (Role::Remark, "numbers in a unit that is not known");
    }
    let (role, why) = text_role(&filled, table.rows.len());
    // Sentences left of nothing but values are the names of the rows.
    let alone = || at == 0 && (1..table.headers.len()).all(|at| is_numeric(table, at));
    if why == FREE_TEXT && alone() { (Role::Factor, TEXT) } else { (role, why) }
}
