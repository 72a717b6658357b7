//! The role of every column of a table, decided once: identity, factor, measured, remark.
//!
//! All intervals rest on it, since rows are repeats only where they agree in every factor. The name decides first:
//! what the user names, a metric or a unit of measurement, a known setting. Numbers under any other name are a
//! **factor** where few values come back exactly: at most half as many values as rows, most of them twice or more,
//! none with more than three digits after its leading zeros (whole numbers may be longer), or where they rise like a
//! sweep (1, 2, 4, 8; 10, 20, 50). All other numbers are **measured**. Text is a factor, unless its name or its form
//! says that it tells runs apart (`run-3`, a path, a time, a hash) or is free text, other in every row.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::read::fields::{self, Fact};
use crate::read::request_names::is_of_request;
use crate::read::table::column_names::{METRIC, PAIR, UNIT, VALUE, VARIANT, is_of_value};
use crate::read::table::column_rules::fact_of;
use crate::read::table::records::Table;
use crate::read::table::role_words::{
    RUN, Says, is_identity, is_outcome_text, is_remark, says_of_numbers,
};
use crate::read::units::Scale;
use crate::read::{Options, cell};
use crate::runs::{Column, seconds};

/// Name that pandas gives the index of a data frame.
pub(in crate::read) const UNNAMED: &str = "Unnamed: 0";

/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) enum Role {
    /// Names the variant, alone or with others.
    Variant,
    /// Names the run, or a level of repeats.
    Run,
    Pair,
    /// Tells runs apart, and says nothing else that matters.
    Identity,
    /// A setting of the load that has a field of its own, or another fact of the run.
    Fact(Fact),
    /// Any other setting: rows that differ in it are no repeats.
    Factor,
    Measured,
    Remark,
    /// Of the long layout: the name of the metric, its value, what belongs to the value.
    Metric,
    Value,
    OfValue,
    /// Without a name or a cell.
    Empty,
}

impl Role {
    /// The word for it.
    pub(in crate::read) fn word(self) -> &'static str {
        match self {
            Self::Variant => "variant",
            Self::Run | Self::Pair | Self::Identity | Self::Fact(Fact::Started) => "identity",
            Self::Fact(fact) if is_setting(fact) => "factor",
            Self::Factor => "factor",
            Self::Fact(Fact::Ignored) | Self::Empty => "not used",
            Self::Fact(_) => "count",
            Self::Measured | Self::Value => "measured",
            Self::Remark => "remark",
            Self::Metric => "metric names",
            Self::OfValue => "of the value",
        }
    }
}

/// Whether a fact of the run is a setting of its load.
pub(in crate::read) fn is_setting(fact: Fact) -> bool {
    use Fact::{Client, Dataset, Load, MaxConcurrency, Model, RequestRate, Requests, Section};
    matches!(
        fact,
        Requests | MaxConcurrency | RequestRate | Model | Dataset | Client | Section | Load
    )
}

/// What the columns of a table are.
#[derive(Clone, Debug, Default)]
pub(in crate::read) struct Roles {
    /// One a column, with the reason in a few words.
    pub(in crate::read) columns: Vec<(Role, &'static str)>,
    /// The one column that names the variant; several name it only together with those of other inputs.
    pub(in crate::read) variant: Option<usize>,
    /// The columns that name the run, from the outer level of repeats to the inner: several if the user names them.
    pub(in crate::read) run: Vec<usize>,
    pub(in crate::read) pair: Option<usize>,
    /// The metric and its value, in the long layout.
    pub(in crate::read) long: Option<(usize, usize)>,
}

/// The column that the user calls by its name, in any letter case where that is one column.
pub(in crate::read) fn position(headers: &[String], name: &str) -> Option<usize> {
    let exact = headers.iter().position(|header| header == name);
    exact.or_else(|| {
        let wanted = name.to_lowercase();
        let mut alike = (0..headers.len()).filter(|&at| headers[at].to_lowercase() == wanted);
        alike.next().filter(|_| alike.next().is_none())
    })
}

/// The column that the user calls by its name.
///
/// # Errors
///
/// [`Error::Input`] if no column has it.
pub(in crate::read) fn given(table: &Table, name: &str) -> Result<usize, Error> {
    position(&table.headers, name).ok_or_else(|| {
        let problem = format!("expected a column \"{name}\", found {}", table.listed());
        table.header(problem, "name a column that exists")
    })
}

impl Roles {
    /// Tells the roles from `table`, which is the whole table or its start.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for two columns of one name, and for a name of the user that no column has.
    pub(in crate::read) fn of(table: &Table, options: &Options) -> Result<Self, Error> {
        let headers = &table.headers;
        for (index, name) in headers.iter().enumerate() {
            if !name.is_empty() && headers[..index].contains(name) {
                let problem = format!("expected every column once, found \"{name}\" twice");
                return Err(table.header(problem, "rename or remove one of them"));
            }
        }
        let all = |names: &[String]| -> Result<Vec<usize>, Error> {
            names.iter().map(|name| given(table, name)).collect()
        };
        let (metric, value) = (find(table, METRIC, &[]), find(table, VALUE, &[]));
        let long = metric.zip(value);
        let mut roles = Self { long, ..Self::default() };
        let mut columns: Vec<Option<(Role, &'static str)>> = vec![None; headers.len()];
        let mut set = |at: usize, role, why| {
            columns[at].get_or_insert((role, why));
        };
        let by_user = "named by you";
        let variants = all(&options.variant_column)?;
        roles.run = all(&options.run_column)?;
        roles.pair = options.pair_column.as_ref().map(|name| given(table, name)).transpose()?;
        variants.iter().for_each(|&at| set(at, Role::Variant, by_user));
        roles.run.iter().for_each(|&at| set(at, Role::Run, by_user));
        roles.pair.iter().for_each(|&at| set(at, Role::Pair, by_user));
        if let Some((metric, value)) = long {
            set(metric, Role::Metric, "names the metric");
            set(value, Role::Value, "the value of the metric");
        }
        for name in &options.metrics {
            if let Some(at) = position(headers, name).filter(|_| long.is_none()) {
                set(at, Role::Measured, by_user);
            }
        }
        for name in options.by.iter().chain(&options.pool) {
            if let Some(at) = position(headers, name) {
                let fact = fact_of(table, at);
                set(at, fact.map_or(Role::Factor, Role::Fact), by_user);
            }
        }
        let taken = |columns: &[Option<(Role, &'static str)>]| -> Vec<usize> {
            (0..columns.len()).filter(|&at| columns[at].is_some()).collect()
        };
        let free = taken(&columns);
        roles.variant = match variants[..] {
            [only] => Some(only),
            [] => varying(table, VARIANT, &free).or_else(|| unnamed_labels(table)),
            // Together they name it, with what other inputs call so.
            _ => None,
        };
        if let Some(at) = roles.variant {
            columns[at].get_or_insert((Role::Variant, "its name"));
        }
        if roles.run.is_empty() {
            roles.run.extend(varying(table, RUN, &taken(&columns)));
            roles.run.iter().for_each(|&at| {
                columns[at].get_or_insert((Role::Run, "its name"));
            });
        }
        if roles.pair.is_none() {
            roles.pair = find(table, PAIR, &taken(&columns));
            roles.pair.iter().for_each(|&at| {
                columns[at].get_or_insert((Role::Pair, "its name"));
            });
        }
        let each = (0..headers.len())
            .map(|at| columns[at].unwrap_or_else(|| roles.one(table, at, options)));
        roles.columns = each.collect();
        roles.keep_a_metric(table, options);
        Ok(roles)
    }

    /// The role of a column that nobody named.
    fn one(&self, table: &Table, at: usize, options: &Options) -> (Role, &'static str) {
        let name = &table.headers[at];
        let mut filled = table.filled(at);
        if name.is_empty() || name == UNNAMED || filled.next().is_none() {
            return (Role::Empty, "no name or no cell");
        }
        let is_unit = UNIT.contains(&name.to_lowercase().as_str())
            && (self.long.is_some() || table.mostly(at, |cell| Scale::of(cell).is_some()));
        if is_unit || is_of_value(name) && !UNIT.contains(&name.to_lowercase().as_str()) {
            return (Role::OfValue, "its name");
        }
        let numeric = table.mostly(at, |text| is_number(text, name, table.comma));
        if let Some(fact) = fact_of(table, at) {
            // A rate or a number of requests may be a result.
            let may_be_result = matches!(fact, Fact::RequestRate | Fact::Requests) && numeric;
            if may_be_result && self.long.is_none() && numbers(table, at).are_measured() {
                return match fact {
                    Fact::RequestRate => (Role::Measured, "numbers that nobody sets"),
                    _ => (Role::Fact(Fact::Ignored), "numbers that nobody sets"),
                };
            }
            let why = if is_setting(fact) { "a setting" } else { "its name" };
            return (Role::Fact(fact), why);
        }
        if is_identity(name) && !options.order_by.iter().any(|order| order == name) {
            return (Role::Identity, "its name");
        }
        if !numeric {
            return self.text(table, at);
        }
        if fields::metric_of_column(name).better.is_some() || is_of_request(name) {
            return (Role::Measured, "a metric");
        }
        if self.long.is_some() {
            return (Role::Factor, "a number beside the metrics");
        }
        number_role(name, &numbers(table, at))
    }

    /// The role of a column of text.
    fn text(&self, table: &Table, at: usize) -> (Role, &'static str) {
        let name = &table.headers[at];
        // Where a metric stands, what is no number is an error and not a text.
        let number = |text: &str| is_number(text, name, table.comma);
        if is_of_request(name) && table.filled(at).any(number)
            || fields::metric_of_column(name).better.is_some()
        {
            return (Role::Measured, "a metric");
        }
        if is_remark(name) {
            return (Role::Remark, "its name");
        }
        if is_outcome_text(name) {
            return (Role::Remark, "a result in words");
        }
        let filled: Vec<&str> = table.filled(at).collect();
        text_role(&filled, table.rows.len())
    }

    /// Where no column is left as a metric, numbers under names that say nothing are.
    fn keep_a_metric(&mut self, table: &Table, options: &Options) {
        let measured = |roles: &Self| roles.columns.iter().any(|(role, _)| *role == Role::Measured);
        if self.long.is_some() || !options.metrics.is_empty() || measured(self) {
            return;
        }
        for (at, column) in self.columns.iter_mut().enumerate() {
            let name = &table.headers[at];
            let open = column.0 == Role::Factor
                && says_of_numbers(name, has_unit(name)) == Says::Nothing
                && table.mostly(at, |text| is_number(text, name, table.comma));
            if open {
                *column = (Role::Measured, "no other column of numbers");
            }
        }
    }

    /// The roles for those who read what was read.
    pub(in crate::read) fn described(&self, table: &Table) -> Vec<Column> {
        let named = table.headers.iter().zip(&self.columns).filter(|(name, _)| !name.is_empty());
        named
            .map(|(name, (role, why))| Column { name: name.clone(), role: role.word(), why })
            .collect()
    }

    pub(in crate::read) fn role(&self, at: usize) -> Role {
        self.columns[at].0
    }

    /// The columns of which the role is such.
    pub(in crate::read) fn which(&self, such: impl Fn(Role) -> bool) -> Vec<usize> {
        (0..self.columns.len()).filter(|&at| such(self.role(at))).collect()
    }
}

fn is_number(text: &str, name: &str, comma: bool) -> bool {
    matches!(cell::read(text.as_bytes(), name, comma), cell::Cell::Number(_) | cell::Cell::Empty)
}

fn has_unit(name: &str) -> bool {
    fields::unit_of(name).symbol() != ""
        || fields::conversion_of_column(name) != crate::read::units::Conversion::NONE
        || crate::read::request_names::split_unit(name)
            .1
            .is_some_and(|unit| Scale::of(&unit).is_some_and(|scale| !scale.is_size()))
}

/// The first column of these names, in their order, that is free and has a cell.
fn find(table: &Table, names: &[&str], taken: &[usize]) -> Option<usize> {
    names.iter().find_map(|name| {
        let named = |at: &usize| table.headers[*at].to_lowercase() == *name;
        let free = (0..table.headers.len()).filter(|at| !taken.contains(at));
        free.filter(named).find(|&at| table.filled(at).next().is_some())
    })
}

/// [`find`] for the first column in which rows differ, or else for the first.
fn varying(table: &Table, names: &[&str], taken: &[usize]) -> Option<usize> {
    let differs = |&at: &usize| {
        let mut cells = table.filled(at);
        let first = cells.next();
        cells.any(|cell| Some(cell) != first)
    };
    let mut taken = taken.to_vec();
    let mut found = None;
    while let Some(at) = find(table, names, &taken) {
        if differs(&at) {
            return Some(at);
        }
        found = found.or(Some(at));
        taken.push(at);
    }
    found
}

/// The first column where it has no name and holds words: in tables that people write, the variants.
fn unnamed_labels(table: &Table) -> Option<usize> {
    let label = |cell: &str| !cell.is_empty() && fields::number(cell).is_none();
    let unnamed = table.headers.first().is_some_and(String::is_empty) && !table.rows.is_empty();
    (unnamed && table.rows.iter().all(|row| label(&row.cells[0]))).then_some(0)
}

/// What is to be known of numbers to tell a setting from a measurement.
#[derive(Debug, Default)]
pub(in crate::read) struct Numbers {
    /// How often each value comes, by its text.
    counts: BTreeMap<u64, usize>,
    rows: usize,
    /// All are as short as people set them.
    short: bool,
    /// All are round: 1, 2, 5, 64, 100.
    round: bool,
    /// Each is larger than the one before, or each smaller.
    monotone: bool,
}

impl Numbers {
    pub(in crate::read) fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut numbers = Self { short: true, round: true, ..Self::default() };
        let (mut last, mut up, mut down) = (None, true, true);
        for value in values {
            numbers.rows += 1;
            *numbers.counts.entry((value + 0.0).to_bits()).or_default() += 1;
            numbers.short = numbers.short && is_short(value);
            numbers.round = numbers.round && is_round(value);
            if let Some(last) = last {
                up = up && value > last;
                down = down && value < last;
            }
            last = Some(value);
        }
        numbers.monotone = numbers.rows > 2 && (up || down);
        numbers
    }

    /// Few values that come back exactly.
    fn come_back(&self) -> bool {
        let several = self.counts.values().filter(|count| **count > 1).count();
        self.counts.len() > 1
            && 2 * self.counts.len() <= self.rows
            && 2 * several > self.counts.len()
    }

    /// Numbers that nobody sets: not round, and hardly one twice.
    pub(in crate::read) fn are_measured(&self) -> bool {
        !self.round && !self.come_back() && self.counts.len() > 1
    }

    /// Values that are set by somebody, as far as they say it themselves.
    pub(in crate::read) fn are_set(&self) -> bool {
        self.short && self.come_back() || self.round && self.monotone && !self.counts_up()
    }

    /// 1, 2, 3, ... without a gap, which numbers rows.
    fn counts_up(&self) -> bool {
        let mut values: Vec<f64> = self.counts.keys().map(|bits| f64::from_bits(*bits)).collect();
        values.sort_by(f64::total_cmp);
        values.first().is_some_and(|first| *first <= 1.0)
            && values.windows(2).all(|two| two[1] - two[0] == 1.0)
    }
}

/// The numbers of a column.
fn numbers(table: &Table, at: usize) -> Numbers {
    let name = &table.headers[at];
    let read = |text: &str| match cell::read(text.as_bytes(), name, table.comma) {
        cell::Cell::Number(value) => Some(value),
        _ => None,
    };
    Numbers::of(table.filled(at).filter_map(read))
}

/// The role of numbers under a name that is no metric of the registry.
pub(in crate::read) fn number_role(name: &str, numbers: &Numbers) -> (Role, &'static str) {
    match says_of_numbers(name, has_unit(name)) {
        Says::Measured => (Role::Measured, "its name or unit"),
        Says::Setting if numbers.are_measured() && !numbers.short => {
            (Role::Measured, "numbers that nobody sets")
        }
        Says::Setting => (Role::Factor, "a setting"),
        Says::Nothing if numbers.are_set() => (Role::Factor, "few values that come back"),
        Says::Nothing => (Role::Measured, "numbers that vary"),
    }
}

/// The role of texts, of which `filled` are those of the rows that have one.
pub(in crate::read) fn text_role(filled: &[&str], rows: usize) -> (Role, &'static str) {
    let mut distinct: Vec<&str> = filled.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let all = |such: fn(&str) -> bool| distinct.iter().all(|text| such(text));
    let each_once = distinct.len() == filled.len() && rows > 1;
    if all(counts_repeats) {
        return (Role::Identity, "counts the repeats");
    }
    if each_once && distinct.len() > 1 && (all(|text| seconds(text).is_some()) || all(is_hash)) {
        return (Role::Identity, "another in every row");
    }
    let seldom = 2 * filled.len() < rows && distinct.len() > 1;
    if each_once && filled.len() > 1 && (seldom || all(is_sentence)) || each_once && seldom {
        return (Role::Remark, "free text");
    }
    (Role::Factor, "text")
}

/// `run-3`, `rep_2`, `run_0_repetition_1`, `r1`: words for repeats with their number.
pub(in crate::read) fn counts_repeats(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let mut numbers = 0;
    let mut parts = lower.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    let counted = parts.all(|part| {
        let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
        numbers += usize::from(word.len() < part.len());
        word.is_empty() || word == "r" || RUN.contains(&word) && word != "no"
    });
    counted && numbers > 0 && lower.contains(|c: char| c.is_alphabetic())
}

/// A hash or a name that a program drew.
fn is_hash(text: &str) -> bool {
    let bare: Vec<u8> = text.bytes().filter(|byte| *byte != b'-').collect();
    bare.len() >= 7 && bare.iter().all(u8::is_ascii_hexdigit) && bare.iter().any(u8::is_ascii_digit)
}

/// Words that a person wrote for other people.
fn is_sentence(text: &str) -> bool {
    text.split_whitespace().count() >= 4 && !text.trim_end().ends_with('?')
}

/// At most three digits after leading zeros, or a whole number.
fn is_short(value: f64) -> bool {
    value.fract() == 0.0 || significant(value) <= 3
}

/// 1, 2 or 5 and zeros, a power of two or three quarters of one, two digits at most; no limit.
fn is_round(value: f64) -> bool {
    if !value.is_finite() || value == 0.0 {
        return !value.is_nan();
    }
    let power = |value: f64| value.log2().fract() == 0.0;
    let size = value.abs();
    significant(size) <= 1
        || size.fract() == 0.0 && (power(size) || power(size / 3.0))
        || significant(size) <= 2
            && (size / 10f64.powf(size.log10().floor() - 1.0)).round() % 5.0 == 0.0
        || significant(size) == 3 && size.fract() == 0.0 && size % 25.0 == 0.0
}

/// Digits between the first and the last that is not 0, of the shortest decimal form.
fn significant(value: f64) -> usize {
    let text = format!("{:e}", value.abs());
    text.split('e').next().map_or(0, |mantissa| mantissa.bytes().filter(u8::is_ascii_digit).count())
}
