//! The role of every column of a table, decided once: identity, factor, measured, remark.
//!
//! All intervals rest on it, since rows are repeats only if they agree in every factor. The name decides first: one
//! that the user names, a metric or a unit of measurement, a known setting. Numbers under any other name are a
//! **factor** if few distinct values recur exactly: at most half as many values as rows, most of them twice or more,
//! all short (three digits, or whole) or each about as often as the others, or if they rise like a sweep (1, 2, 4, 8;
//! 10, 20, 50). All other numbers are **measured**. An empty cell of a factor is its own value. Text is a factor,
//! unless its name or its form is that of an identifier (`run-3`, a path, a time, a hash) or of free text, different
//! in every row.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use crate::kit::fields::{self, RunField, is_setting};
use crate::reader::Options;
use crate::table::column_names::{METRIC, PAIR, UNIT, VALUE, VARIANT, is_of_value, is_tidy};
use crate::table::column_rules::{field_of, find, unnamed_labels, varying};
use crate::table::design::{Design, Judged, completing, crossing, points_of_name};
use crate::table::figure_columns::FigureColumns;
use crate::table::outcomes::OutcomeColumn;
use crate::table::records::{Table, given, groups_by, position};
use crate::table::request_names::is_of_request;
use crate::table::role::Role;
use crate::table::role_words::{RUN, is_clock, is_group, is_identity, is_level, is_remark, is_run};
use crate::table::spreads::Spreads;
use crate::table::values::{
    FEW, Numbers, TEXT, differs_inside, have_one_unit, is_numeric, is_of_settings, number_role,
    numbers, text_role,
};
use crate::text::headings;
use beyondnoise_model::error::Error;
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, label_hint, labels_differ};
use beyondnoise_model::units::{Scale, Unit};

/// Name that pandas gives the index of a data frame.
pub(crate) const UNNAMED: &str = "Unnamed: 0";

/// The roles of the columns of a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roles {
    /// One a column, with the reason in a few words.
    pub(crate) columns: Vec<(Role, &'static str)>,
    /// The one column that names the variant; several name it only together with those of other inputs.
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

/// Rows by which it is shown that numbers were set.
const MAX_DESIGN_ROWS: usize = 4_000;

/// Reason of a column that has the name of a measurement and the values of a setting.
const RECURS: &str = "recurs in every variant";

/// Reason of a column that the user names.
pub(crate) const BY_USER: &str = "named by you";

/// What the numbers of the rows count in a table of which each value became a row.
pub(crate) const TURNED: &str = "cell";

/// Reason of a column of numbers that counts the repeats of each cell.
const COUNTS: &str = "counts the rows of every cell";

/// Reason of a column of numbers that do not come back.
const VARY: &str = "numbers that vary";

/// Reason of a column that has the name of a setting and the values of a measurement.
const TOO_FINE: &str = "too fine for a setting";

/// Points under which a measurement stays one, whatever other columns show.
const MEASURED_ANYWAY: f64 = -16.0;

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
        let words: BTreeSet<&str> = table.filled(*at).collect();
        // `latency` and `throughput` alone may be modes.
        let measured = |word: &&&str| {
            let several = word.contains(|c: char| !c.is_alphabetic());
            fields::unit_of(word).symbol() != "" || several && meaning(word).statistic.is_some()
        };
        let metrics = words.iter().filter(measured).count();
        words.len() > 1 && 2 * metrics > words.len() && !is_numeric(table, *at)
    };
    let mut found = (0..table.headers.len()).filter(names);
    found.next().filter(|_| found.next().is_none())
}

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
    // `Phase: Baseline, Human` beside the commits of both.
    let beside_commits = || {
        let commit = varying(table, VARIANT, taken)?;
        let names = |at: &usize| {
            let labels: BTreeSet<&str> = table.filled(*at).collect();
            let hinted = labels.iter().filter(|label| baseline(label)).count();
            let groups = |columns: &[usize]| groups_by(table, columns).1;
            let both = groups(&[commit, *at]);
            hinted == 1 && both == groups(&[commit]) && both == groups(&[*at]) && both > 1
        };
        (0..table.headers.len()).find(|at| *at != commit && !taken.contains(at) && names(at))
    };
    find(table, &VARIANT[..1], taken)
        .or_else(with_baseline)
        .or_else(beside_commits)
        .or_else(|| varying(table, VARIANT, taken))
        .or_else(|| unnamed_labels(table))
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

/// Fewest rows of a number that is the same in all of them.
const MIN_ROWS_OF_ONE_VALUE: usize = 4;

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
        roles.free_what_repeats_differ_in(table);
        roles.number_the_runs(table);
        roles.set_what_results_follow(table);
        roles.set_what_ascends(table);
        roles.set_what_never_varies(table);
        roles.set_what_names_the_rows(table);
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

    /// Finds the column that names the runs: the outermost that distinguishes rows of one cell. A number that goes
    /// with the settings numbers these.
    fn find_run(&mut self, table: &Table) {
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

    /// The column that numbers the rows of each name in a column of runs, where these names are words and nothing else names the
    /// variants: `run: base, run: fused` with `rep: 0, 1, 2`.
    fn repeats_of_labels(&self, table: &Table, at: usize, cell: &[usize]) -> Option<usize> {
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

    /// The role of a column that nobody named.
    fn one(&self, table: &Table, at: usize, options: &Options) -> (Role, &'static str) {
        let name = &table.headers[at];
        if name.is_empty() || name == UNNAMED || table.filled(at).next().is_none() {
            return (Role::Empty, "no name or no cell");
        }
        let is_unit = UNIT.contains(&name.to_lowercase().as_str())
            && (self.long.is_some() || table.mostly(at, |cell| Scale::parse(cell).is_some()));
        // A column of words called "row" names the cases.
        let cases = name.to_lowercase() == "row" && !is_numeric(table, at);
        if is_unit || is_of_value(name) && !cases && !UNIT.contains(&name.to_lowercase().as_str()) {
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
                    numbers.are_fine() || rate && numbers.are_measured()
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
        // Names of several words that differ in more than their digits are no ids.
        let phrases = || {
            let of_path = |word: &str| word.contains('/') && word.contains(char::is_alphabetic);
            let phrase = |cell: &str| {
                cell.contains(' ') && !cell.contains('\\') && !cell.split(' ').any(of_path)
            };
            let counted = |cell: &str| cell.contains(|c: char| c.is_ascii_digit());
            let stem = |cell: &str| cell.replace(|c: char| !c.is_alphabetic(), "");
            let cells: BTreeSet<&str> = table.filled(at).collect();
            let stems: BTreeSet<String> = cells.iter().map(|cell| stem(cell)).collect();
            let counts = |cell: &str| {
                cell.ends_with(|c: char| c.is_ascii_digit()) || headings::counts_runs(cell)
            };
            let ends = stems.len() == cells.len() || !cells.iter().any(|cell| counts(cell));
            let apart = !is_run(name) && ends && stems.iter().all(|stem| stem.len() > 2);
            self.run.is_empty()
                && cells.iter().all(|cell| phrase(cell))
                && (apart || !cells.iter().any(|cell| counted(cell)))
        };
        if is_identity(name) && !options.order_by.iter().any(|order| order == name) && !phrases() {
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
            && table.filled(at).any(|cell| !endless(cell))
        {
            return (Role::Factor, "a rate without an end");
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

    /// Points of the values and of the name for a setting: above 0 for one, below for a measurement. `None` where the
    /// design says nothing.
    fn judged(&self, table: &Table, at: usize) -> Option<Judged> {
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
        let names: BTreeSet<&str> = table.filled(metric).filter(load).collect();
        let measured = |name: &&str| {
            let found = self.judged_of(table, (value, name), Some(name));
            found.is_some_and(|found| found.score < 0.0 && !found.doubtful())
        };
        names.into_iter().filter(measured).map(str::to_owned).collect()
    }

    /// The evidence of the design for a column under a name, in the rows of a metric of the long layout.
    fn judged_of(
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
            let variant = self.variant.map_or("", |variant| row.cells.get(variant));
            variants.push(*names.entry(variant).or_insert(next));
        }
        if 10 * others > values.len() || !(resolution > 0.0 && resolution.is_finite()) {
            return None;
        }
        let design = Design { values: &values, variants: &variants, resolution };
        design.judged(name)
    }

    /// Whether the values of a number show that it was set, or measured, whatever its name says.
    fn by_design(&self, table: &Table, at: usize) -> Option<(Role, &'static str)> {
        let found = self.judged(table, at)?;
        let name = points_of_name(&table.headers[at]);
        let numbers = numbers(table, at, self.long);
        // A count that is the same in nearly all rows.
        if meaning(&table.headers[at]).says == Says::Count && numbers.are_nearly_constant() {
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
    fn weigh_together(&mut self, table: &Table) {
        use RunField::{Load, MaxConcurrency, RequestRate};
        let open = |at: usize| {
            let (role, why) = self.columns[at];
            let weighed = match role {
                Role::Factor
                | Role::Measured
                | Role::RunField(Load | MaxConcurrency | RequestRate) => why != BY_USER,
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
            let mut bits = if known { 0.0 } else { crossing(&filled(&cells)) };
            let mut others = self.which(|role| role.word() == "factor");
            others.retain(|other| *other != at);
            // A number that the settings determine is a result of theirs, however often it comes back.
            let inside: Vec<usize> = [&variant[..], &others].concat();
            if !runs.is_empty() {
                let named = groups_by(table, &[&variant[..], &others, &runs].concat()).0;
                let rows = filled(&named).into_iter().map(|(value, _, group)| (value, group));
                bits += completing(&rows.collect::<Vec<_>>());
            }
            let found = alone.with(bits);
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

    /// The columns that name runs, as far as the names come back: one that is different in every row shows nothing of a design.
    fn names_of_runs(&self, table: &Table) -> Vec<usize> {
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
    fn measure_what_follows_the_run(&mut self, table: &Table) {
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

    /// Text and numbers that differ between the numbered repeats of a cell came of the runs, where the other settings make cells of
    /// the same repeats: an answer, a list of what was violated.
    fn free_what_repeats_differ_in(&mut self, table: &Table) {
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
            values.iter_mut().for_each(|cell| cell.sort_unstable());
            let bare = |cell: &[(&str, &str)]| -> Vec<String> {
                cell.iter().map(|(value, _)| (*value).to_owned()).collect()
            };
            let twice = values.iter().any(|cell| cell.windows(2).any(|two| two[0].0 == two[1].0));
            values
                .windows(2)
                .all(|two| two[0] == two[1] || !twice && bare(&two[0]) == bare(&two[1]))
        };
        let differs = |at: &usize| differs_inside(table, *at, &groups) && !planned(*at);
        for at in open.into_iter().filter(differs) {
            let role = if is_numeric(table, at) { Role::Measured } else { Role::Remark };
            self.columns[at] = (role, "differs between the repeats");
        }
    }

    /// Numbers under the name of a result that the other settings fix are counters of theirs: they come back exactly, and make
    /// no cell.
    fn measure_what_settings_fix(&mut self, table: &Table) {
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
        let fixed = |at: &usize| result(at) && (fixes(&set, *at) || fixes(&both, *at));
        let found: Vec<usize> = (0..self.columns.len()).filter(fixed).collect();
        for at in found {
            self.columns[at] = (Role::Measured, "fixed by the settings");
        }
    }

    /// Where nothing names the runs, a number that counts from 0 or 1 in every cell does, unless the results follow it.
    fn number_the_runs(&mut self, table: &Table) {
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

    /// In a single cell a count that the results follow is what was varied: rows that differ in it are no repeats.
    fn set_what_results_follow(&mut self, table: &Table) {
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
    fn is_followed(&self, table: &Table, at: usize) -> bool {
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

    /// Whether a column counts from 0 or 1 to the same number in every cell of the others, three rows at least, and no result
    /// goes with it in all of them.
    fn counts_inside(&self, table: &Table, at: usize, set: &[usize]) -> bool {
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

    /// Whole numbers under the name of a setting that rise from row to row in every variant are the steps of a sweep, where
    /// nothing else tells these rows apart.
    fn set_what_ascends(&mut self, table: &Table) {
        let Some(variant) = self.variant.filter(|_| self.long.is_none() && self.run.is_empty())
        else {
            return;
        };
        let set = self.which(|role| role.word() == "factor" || role == Role::Variant);
        let (groups, count) = groups_by(table, &[variant]);
        if groups_by(table, &set).1 > count || count < 2 {
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

    /// A number with a unit under a name of its own that is the same in every row, beside measurements that vary, was set.
    fn set_what_never_varies(&mut self, table: &Table) {
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
    fn set_what_names_the_rows(&mut self, table: &Table) {
        let (Some((metric, _)), Some(variant)) = (self.long, self.variant) else { return };
        if table.counts != TURNED
            || !self.run.is_empty()
            || self.which(|role| role == Role::Run).len() > 0
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
            let apart = match numbers {
                Some(mut numbers) => {
                    numbers.sort_by(f64::total_cmp);
                    !numbers.windows(2).all(|two| (two[1] - two[0] - 1.0).abs() < 1e-9)
                }
                None => {
                    let stem = |name: &&str| name.replace(|c: char| !c.is_alphabetic(), "");
                    let stems: BTreeSet<String> = names.iter().map(stem).collect();
                    stems.len() == names.len() && stems.iter().all(|stem| stem.len() > 2)
                }
            };
            if open && names.len() > 1 && once && apart {
                self.columns[at] = (Role::Factor, "names the rows of every variant");
            }
        }
    }

    /// If no column is left as a metric, numbers under unknown names are.
    fn keep_a_metric(&mut self, table: &Table, options: &Options) {
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

/// Factor between rows from which on they are no repeats of one work.
const APART: f64 = 3.0;

/// Correlation with the number of the row from which on a result follows it.
const FOLLOWS: f64 = 0.97;

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
    text_role(&filled, table.rows.len())
}
