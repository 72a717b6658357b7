//! Are the rows of a table runs, or requests inside runs?
//!
//! Rows of requests that are read as runs are the classic error: they look like hundreds of repeats. So the table
//! itself must show the meaning of its rows. They are **requests**, and are reduced to their run, where
//!
//! 1. a column numbers the requests (`request_id`, `req`, `prompt_idx`, ...) and differs inside a run; or
//! 2. a column names the run (`run`, `rep`, ...) and several rows share variant, run and settings: two on
//!    average where columns are named after a latency of one request (`ttft_ms`, `itl_ms`, `latency`, ...), ten
//!    where they have names of their own; rows that differ in a setting are not alike; or
//! 3. no column names the run, columns are named after a latency of one request, and a variant has more than
//!    100 rows that do not all differ in their settings, or more than 20 with the tokens or the success of a request;
//!    they are then one run.
//!
//! Columns named after a statistic of a run (`mean_ttft_ms`, `output_throughput`) are evidence against 2 and 3. All
//! other rows are runs. If the table leaves it open, a note states the assumption.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::cell_value::epoch_factor;
use crate::kit::fields::{self, RunField, field_of_column};
use crate::reader::Options;
use crate::table::column_names::is_setting;
use crate::table::records::{Line, Table, groups_by};
use crate::table::reduce::Plan;
use crate::table::request_columns::{Groups, Numbered, RequestColumns};
use crate::table::request_names::{Kind, Role as Part, is_of_request, is_of_run, role_of};
use crate::table::role::Role;
use crate::table::role_words::{is_clock, is_of_training, is_prompt, is_sampled};
use crate::table::roles::{BY_USER, Roles};
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{Skipped, seconds};

/// Most rows of a variant that are taken as runs although they are named after latencies of requests.
const MAX_REPEATS: f64 = 100.0;

/// Rows that share a run before they are taken as its requests: with names of requests, and with others.
const SHARED: (f64, f64) = (2.0, 10.0);

/// Rows of a variant from which on a note states that they are read as runs: with columns of latencies of requests,
/// and with others.
const MANY: (f64, f64) = (20.0, 1000.0);

/// Rows that agree in all settings from which prompts of lengths that come back are requests.
const SAME_PROMPTS: usize = 5;

/// Seconds between the starts of rows under which they are no runs: none is started so soon after another.
const APART: f64 = 1.0;

/// Rows of a group from which a column that rises is a clock.
const SERIES: usize = 8;

/// The remedy for samples of a run.
pub(crate) const SERIES_REMEDY: &str = "give a row for each run, such as the mean of each column; if the rows are runs, name their column with --run-column";

/// Meaning of the rows of a table.
pub(crate) enum Rows {
    Runs,
    Requests(Box<Plan>),
    /// Samples of one run over time, and how the table shows it.
    Series(String),
}

/// Decides the meaning of the rows from `table`, the whole table or its start; returns notes on it.
pub(crate) fn classify_rows(
    table: &Table,
    roles: &Roles,
    options: &Options,
) -> (Rows, Vec<Skipped>) {
    // The user names the repeats.
    if roles.run.len() > 1 {
        return (Rows::Runs, Vec::new());
    }
    if let Some(why) = iterations(table, roles) {
        return (Rows::Series(why), Vec::new());
    }
    if let Some(why) = series(table, roles) {
        return (Rows::Series(why), Vec::new());
    }
    let Some(sight) = RequestColumns::find(table, roles, options) else {
        return (Rows::Runs, Vec::new());
    };
    let run = sight.run.first().map(|&index| table.headers[index].as_str());
    let bare = sight.names.iter().any(|name| is_of_request(name));
    let of_run = sight.names.iter().any(|name| is_of_run(name));
    let rows = table.rows.len() as f64;
    let Groups { count, differing, numbered } = sight.groups(table);
    let per_group = rows / count as f64;
    // Rows of a run that all differ in a setting are no requests of it.
    let alike = || rows / sight.groups_with_factors(table, roles, None) as f64;
    // Without runs so many rows are requests anyway.
    let told = || {
        sight.others.iter().any(|&at| {
            matches!(
                role_of(&table.headers[at]),
                Part::Status(_) | Part::Value(Kind::InputTokens | Kind::OutputTokens)
            )
        })
    };
    let enough = per_group > MAX_REPEATS || told() && alike() > MANY.0;
    let many = run.is_none() && bare && !of_run && enough && alike() >= SHARED.0;
    let apart = !many && (run.is_none() || per_group >= SHARED.0);
    let evidence = if apart { evidence(table, roles, &sight, (bare, of_run)) } else { None };
    let inner = sight.has_inner_repeats(table);
    let is_requests = differing
        && (numbered.is_some()
            || evidence.is_some()
            || !(of_run || inner)
                && match run {
                    Some(_) => {
                        let least = if bare { SHARED.0 } else { SHARED.1 };
                        per_group >= least && alike() >= least
                    }
                    None => many,
                });
    let mut notes = Vec::new();
    if !is_requests {
        let many = per_group > if bare { MANY.0 } else { MANY.1 };
        if !of_run && differing && run.is_none() && many {
            let why = "missing: every row is read as a run; number the requests in a column request_id if they are requests of one run";
            notes.push(Skipped { place: "column run".to_owned(), why: why.to_owned() });
        }
        return (Rows::Runs, notes);
    }
    let (plan, more) = sight.plan(table);
    if plan.values.is_empty() {
        return (Rows::Runs, Vec::new());
    }
    notes.extend(note_on_runs(run, numbered, evidence, (bare, per_group)));
    notes.extend(more);
    (Rows::Requests(Box::new(plan)), notes)
}

/// How the rows are told apart into runs, where no column says it for certain.
fn note_on_runs(
    run: Option<&str>,
    numbered: Option<Numbered>,
    evidence: Option<String>,
    (bare, per_group): (bool, f64),
) -> Option<Skipped> {
    let (place, why) = match (run, numbered) {
        (None, Some(Numbered { repeats: true, column })) => (
            "column run".to_owned(),
            format!(
                "missing, though {column} numbers the same requests more than once: all rows of a variant are read as one run; add a column run if there were several"
            ),
        ),
        (None, None) if evidence.is_some() => (
            "column run".to_owned(),
            format!(
                "missing, and {}: the rows are read as requests of one run; add a column run if each row is a run",
                evidence.unwrap_or_default()
            ),
        ),
        (None, None) => (
            "column run".to_owned(),
            format!(
                "missing, and a variant has {per_group:.0} rows with latencies of requests: they are read as requests of one run; add a column run if there were several"
            ),
        ),
        (Some(run), None) if !bare => (
            format!("column {run}"),
            "many rows share a run and are read as its requests".to_owned(),
        ),
        _ => return None,
    };
    Some(Skipped { place, why })
}

/// Evidence beside a request number that the rows are requests: prompts, counts of tokens or starts that only
/// requests have.
fn evidence(
    table: &Table,
    roles: &Roles,
    sight: &RequestColumns,
    (bare, of_run): (bool, bool),
) -> Option<String> {
    let (groups, count) = groups_by(table, &sight.named());
    if table.rows.len() < 3 * count {
        return None;
    }
    let differs_by_row = |&at: &usize| {
        let cells = table.rows.iter().zip(&groups).map(|(row, group)| (group, row.cells.get(at)));
        2 * cells.collect::<BTreeSet<_>>().len() > table.rows.len()
    };
    let header = |at: usize| &table.headers[at];
    let mut others = sight.others.iter().copied().filter(|_| bare);
    // Prompts may be the same for all variants; but a few lengths that come with other settings are a sweep.
    let are_counted = |at: usize| {
        let groups = || sight.groups_with_factors(table, roles, Some(at));
        let numbers = roles.numbers(table, at);
        numbers.are_measured()
            || !numbers.are_round() && table.rows.len() >= SAME_PROMPTS * groups()
    };
    let of_request = |&at: &usize| {
        let tokens = Part::Value(Kind::InputTokens);
        let part = role_of(header(at));
        let tokens = part == tokens || part == Part::Value(Kind::OutputTokens);
        // Rows that all differ in a setting are no requests of one run.
        let alike = || table.rows.len() >= 2 * sight.groups_with_factors(table, roles, Some(at));
        let whole = || roles.numbers(table, at).are_whole();
        is_prompt(header(at)) || tokens && whole() && are_counted(at) && alike()
    };
    if let Some(at) = others.find(|at| of_request(at) && differs_by_row(at)) {
        return Some(format!("{} differs from row to row", header(at)));
    }
    let start = |&&at: &&usize| {
        let field = field_of_column(header(at)) == Some(RunField::Started);
        field || matches!(role_of(header(at)), Part::Start(_))
    };
    let at = *sight.others.iter().find(start).filter(|at| bare || !of_run && differs_by_row(at))?;
    let factor = match role_of(header(at)) {
        Part::Start(factor) => factor,
        _ => None,
    };
    let mut starts: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (row, group) in table.rows.iter().zip(&groups) {
        let time = |number: f64| number * factor.unwrap_or_else(|| epoch_factor(number));
        let text = row.cells.get(at);
        let number = fields::number(text).map(|number| time(number.value));
        starts.entry(*group).or_default().extend(number.or_else(|| seconds(text)));
    }
    let mut gaps: Vec<f64> = Vec::new();
    for times in starts.values_mut() {
        times.sort_by(f64::total_cmp);
        gaps.extend(times.windows(2).map(|two| two[1] - two[0]));
    }
    gaps.sort_by(f64::total_cmp);
    // Rows that all differ in a setting are no requests of one run.
    if table.rows.len() < 2 * sight.groups_with_factors(table, roles, None) {
        return None;
    }
    // Texts that come equally often in every run are settings of the rows, too.
    let planned = |at: &usize| {
        let mut counts: BTreeMap<(usize, &str), usize> = BTreeMap::new();
        for (row, group) in table.rows.iter().zip(&groups) {
            *counts.entry((*group, row.cells.get(*at))).or_default() += 1;
        }
        let first = counts.values().next().copied().unwrap_or_default();
        first > 1 && counts.len() > count && counts.values().all(|other| *other == first)
    };
    let texts = roles.which(|role| role == Role::Factor);
    let text = |at: &&usize| table.filled(**at).all(|cell| fields::number(cell).is_none());
    if texts.iter().filter(text).any(planned) {
        return None;
    }
    let median =
        *gaps.get(gaps.len() / 2).filter(|gap| (f64::MIN_POSITIVE..APART).contains(*gap))?;
    Some(format!("half of the rows start within {median:.3} s of the one before ({})", header(at)))
}

/// Iterations of one cell from which they are those of one process.
const MANY_ITERATIONS: usize = 50;

/// Whether the only column of runs counts the iterations of one process, in words: far more than anyone starts.
fn iterations(table: &Table, roles: &Roles) -> Option<String> {
    let [at] = roles.run[..] else { return None };
    let name = table.headers[at].to_lowercase();
    if !matches!(&*name, "iteration" | "iter") || roles.columns[at].1 == BY_USER {
        return None;
    }
    let cell = roles.which(|role| role.word() == "factor" || role == Role::Variant);
    let count = groups_by(table, &cell).1;
    let many = table.rows.len() >= MANY_ITERATIONS * count;
    many.then(|| {
        format!(
            "expected a row for each run, found {} iterations of each in \"{}\": those of one process are no repeats",
            table.rows.len() / count,
            table.headers[at]
        )
    })
}

/// Numbers up to which a column that is called like a run counts runs beside the loss of a training, not its steps.
const MAX_RUNS_OF_TRAINING: usize = 10;

/// Whether the rows are samples of one run over time, in words: a clock or a step that rises inside every setting, or the
/// log of a training.
fn series(table: &Table, roles: &Roles) -> Option<String> {
    let headers = &table.headers;
    let rows = table.rows.len();
    let group = roles.which(|role| {
        matches!(role, Role::Variant | Role::Factor | Role::Pair)
            || matches!(role, Role::RunField(field) if field != RunField::Started)
    });
    let clock = |at: &usize| {
        let name = &headers[*at];
        !matches!(roles.columns[*at], (_, "named by you"))
            && (is_clock(name) || adds_up(table, *at))
    };
    let training = headers.iter().any(|name| is_of_training(name));
    // A few steps are the numbers of runs.
    let steps = |at: &usize| {
        training
            && roles.run.contains(at)
            && roles.columns[*at].1 != "named by you"
            && table.filled(*at).collect::<BTreeSet<_>>().len() > MAX_RUNS_OF_TRAINING
    };
    let named = roles.run.iter().any(|at| !steps(at));
    if named || roles.long.is_some() {
        return None;
    }
    let measured = roles.which(|role| role == Role::Measured);
    let sampled =
        measured.iter().filter(|at| !is_clock(&headers[**at])).all(|&at| is_sampled(&headers[at]));
    let mut columns = (0..headers.len()).filter(|at| clock(at) || steps(at));
    let at = columns.find(|&at| {
        if adds_up(table, at) || is_sampling(table, at) {
            return true;
        }
        let group: Vec<usize> = group.iter().copied().filter(|other| *other != at).collect();
        let (groups, count) = groups_by(table, &group);
        let mut times: Vec<Vec<f64>> = vec![Vec::new(); count];
        for (row, group) in table.rows.iter().zip(&groups) {
            let text = row.cells.get(at);
            let number = fields::number(text).map(|number| number.value);
            let Some(time) = number.or_else(|| seconds(text)) else { return false };
            times[*group].push(time);
        }
        let enough = rows >= SERIES * count || rows >= 3 * count && (training || sampled);
        enough
            && times
                .iter()
                .all(|times| rises(times) && (sampled || from_the_start(times) || evenly(times)))
    })?;
    let ends = table.filled(at).next().zip(table.filled(at).last());
    let (first, last) = ends.unwrap_or_default();
    Some(format!(
        "expected a row for each run, found samples of a run over time: {} goes from {first} to {last} in {rows} rows",
        headers[at]
    ))
}

/// Longest time between two samples of a program that watches a machine, in seconds.
const SAMPLING: f64 = 10.0;

/// Whether a column has a time in every row, each as long behind the one before it as the next, within seconds, beside two
/// columns or more of what programs watch on a machine.
fn is_sampling(table: &Table, at: usize) -> bool {
    let time = |row: Line| seconds(row.cells.get(at));
    let times: Option<Vec<f64>> = table.rows.iter().map(time).collect();
    times.is_some_and(|times| {
        let gap = |two: &[f64]| two[1] - two[0];
        let even = |two: &[f64]| (gap(two) - (times[1] - times[0])).abs() < 1e-9;
        let watched = table.headers.iter().filter(|name| is_sampled(name)).count();
        // Samples of one run have its settings.
        let mut set = (0..table.headers.len()).filter(|&at| {
            let name = &table.headers[at];
            !is_sampled(name) && (is_setting(name) || meaning(name).says == Says::Setting)
        });
        let planned =
            set.any(|at| table.filled(at).collect::<BTreeSet<_>>().len() == table.rows.len());
        times.len() > 2
            && rises(&times)
            && times.windows(2).all(|two| even(two) && gap(two) <= SAMPLING)
            && watched > 1
            && !planned
    })
}

/// Fewest rows in which a column adds up another.
const MIN_SUMS: usize = 5;

/// Whether a column is the running sum of another: each row starts where the row above ended.
fn adds_up(table: &Table, at: usize) -> bool {
    let value = |at: usize, row: crate::table::records::Line| {
        Some(fields::number(row.cells.get(at))?.value)
    };
    let values =
        |at: usize| -> Option<Vec<f64>> { table.rows.iter().map(|row| value(at, row)).collect() };
    // Most columns fall within a few rows.
    let mut last = f64::NEG_INFINITY;
    let rising = table.rows.iter().map(|row| {
        let next = value(at, row).filter(|next| *next > last)?;
        last = next;
        Some(next)
    });
    let times: Option<Vec<f64>> = rising.collect();
    let Some(times) = times.filter(|times| times.len() >= MIN_SUMS) else { return false };
    (0..table.headers.len()).filter(|other| *other != at).filter_map(values).any(|steps| {
        let gaps: Vec<f64> = times.windows(2).map(|two| two[1] - two[0]).collect();
        let fits = |steps: &[f64]| {
            let near = |(gap, step): (&f64, &f64)| (gap - step).abs() <= 0.1 * step.abs();
            gaps.iter().zip(steps).filter(|pair| near(*pair)).count()
                >= (9 * gaps.len()).div_ceil(10)
        };
        // A step of one is a count.
        let varies = steps.iter().any(|step| (step - steps[0]).abs() > f64::EPSILON);
        varies && (fits(&steps) || fits(&steps[1..]))
    })
}

fn rises(times: &[f64]) -> bool {
    times.windows(2).all(|two| two[1] > two[0])
}

/// Whether times follow each other as a program samples them: evenly, within a minute.
fn evenly(times: &[f64]) -> bool {
    let gaps: Vec<f64> = times.windows(2).map(|two| two[1] - two[0]).collect();
    let (least, most) =
        gaps.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), &gap| (a.min(gap), b.max(gap)));
    gaps.len() > 6 && most <= 60.0 && most <= 1.02 * least
}

/// Whether a clock runs from the start of the run: it more than doubles.
fn from_the_start(times: &[f64]) -> bool {
    times.first().zip(times.last()).is_some_and(|(first, last)| last - first > last / 2.0)
}
