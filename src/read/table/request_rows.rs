//! Are the rows of a table runs, or requests inside runs?
//!
//! Rows of requests that are taken for runs are the classic error: they look like hundreds of repeats. So the
//! table itself must say what its rows are. They are **requests**, and are reduced to their run, where
//!
//! 1. a column numbers the requests (`request_id`, `req`, `prompt_idx`, ...) and differs inside a run; or
//! 2. a column names the run (`run`, `rep`, ...) and several rows share variant, run and settings: two on
//!    average where columns are named after a latency of one request (`ttft_ms`, `itl_ms`, `latency`, ...), ten
//!    where they have names of their own; or
//! 3. no column names the run, columns are named after a latency of one request, and a variant has more than
//!    100 rows; they are then one run.
//!
//! Columns named after a statistic of a run (`mean_ttft_ms`, `output_throughput`) speak against 2 and 3. All other
//! rows are runs. Where the table leaves it open, what was assumed is said among what was left out.

use std::collections::{BTreeMap, BTreeSet};

use crate::read::cell::{self, Cell};
use crate::read::fields::{self, Fact};
use crate::read::reduce::{Kind, Plan, Quantity};
use crate::read::request_names::{Role as Part, is_of_request, is_of_run, role_of, split_unit};
use crate::read::table::column_names::is_setting;
use crate::read::table::records::{Cells, Line, Table};
use crate::read::table::roles::{Role, Roles};
use crate::read::{Options, short};
use crate::runs::Skipped;
use crate::stats::{quantile, sort_near};

/// Most rows of a variant that are taken as runs although they are named after latencies of requests.
const MOST_RUNS: f64 = 100.0;

/// Rows that share a run before they are taken as its requests: with names of requests, and with others.
const SHARED: (f64, f64) = (2.0, 10.0);

/// Rows of a variant from which it is said that they were taken as runs: named after latencies of requests,
/// and with other names.
const MANY: (f64, f64) = (20.0, 1000.0);

/// Median below which latencies without a unit are in seconds: gaps between tokens, and whole requests.
const SECONDS_BELOW: (f64, f64) = (1.0, 10.0);

/// What the rows of a table are.
pub(in crate::read) enum Rows {
    Runs,
    Requests(Box<Plan>),
}

/// Tells what the rows are from `table`, which is the whole table or its start, and what has to be said of it.
pub(in crate::read) fn judge(
    table: &Table,
    roles: &Roles,
    options: &Options,
) -> (Rows, Vec<Skipped>) {
    let Some(sight) = Sight::of(table, roles, options) else { return (Rows::Runs, Vec::new()) };
    let run = sight.run.first().map(|&index| table.headers[index].as_str());
    let bare = sight.names.iter().any(|name| is_of_request(name));
    let of_run = sight.names.iter().any(|name| is_of_run(name));
    let rows = table.rows.len() as f64;
    let Groups { count, differing, numbered } = sight.groups(table);
    let per_group = rows / count as f64;
    let is_requests = differing
        && (numbered.is_some()
            || !of_run
                && match run {
                    Some(_) => per_group >= if bare { SHARED.0 } else { SHARED.1 },
                    None => bare && per_group > MOST_RUNS,
                });
    let mut notes = Vec::new();
    let mut note = |place: &str, why: String| {
        notes.push(Skipped { place: place.to_owned(), why });
    };
    if !is_requests {
        if !of_run && differing {
            let remedy =
                "number the requests in a column request_id if they are requests of one run";
            match run {
                Some(run) if per_group >= SHARED.0.min(1.5) => note(
                    &format!("column {run}"),
                    format!("several rows share a run, and each is taken as a run; {remedy}"),
                ),
                None if per_group > if bare { MANY.0 } else { MANY.1 } => note(
                    "column run",
                    format!("not there, and every row is taken as a run; {remedy}"),
                ),
                _ => {}
            }
        }
        return (Rows::Runs, notes);
    }
    let (plan, more) = sight.plan(table);
    if plan.values.is_empty() {
        return (Rows::Runs, Vec::new());
    }
    match (run, numbered) {
        (None, Some(Numbered { repeats: true, column })) => note(
            "column run",
            format!(
                "not there, though {column} counts the same requests more than once: all rows of a variant \
                 are taken as one run; add a column run if there were several"
            ),
        ),
        (None, None) => note(
            "column run",
            format!(
                "not there, and a variant has more than {MOST_RUNS} rows named after latencies of requests: \
                 they are taken as requests of one run; add a column run if there were several"
            ),
        ),
        (Some(run), None) if !bare => note(
            &format!("column {run}"),
            "many rows share a run, and are taken as its requests".to_owned(),
        ),
        _ => {}
    }
    notes.extend(more);
    (Rows::Requests(Box::new(plan)), notes)
}

/// A column that numbers the requests.
struct Numbered {
    column: String,
    /// A number comes more than once in a run.
    repeats: bool,
}

/// The rows of each run, in the long layout of each of its metrics.
struct Groups {
    count: usize,
    /// The rows of some run are not all the same.
    differing: bool,
    numbered: Option<Numbered>,
}

/// The number of the group of each row, and how many groups there are; the rows of one agree in `columns`.
pub(in crate::read) fn groups_by(table: &Table, columns: &[usize]) -> (Vec<usize>, usize) {
    let mut known: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    let mut groups: Vec<usize> = Vec::with_capacity(table.rows.len());
    let mut before: Option<Cells> = None;
    for Line { cells, .. } in table.rows.iter() {
        // Rows of one run mostly stand together.
        let same = |before: &Cells| columns.iter().all(|&at| before.get(at) == cells.get(at));
        let group = groups.last().copied().filter(|_| before.as_ref().is_some_and(same));
        let next = known.len();
        groups.push(group.unwrap_or_else(|| {
            let key = columns.iter().map(|&column| cells.get(column)).collect();
            *known.entry(key).or_insert(next)
        }));
        before = Some(cells);
    }
    (groups, known.len())
}

/// The columns of a table by their part.
struct Sight {
    variant: Option<usize>,
    run: Vec<usize>,
    pair: Option<usize>,
    settings: Vec<usize>,
    long: Option<(usize, usize)>,
    /// Columns that are none of these.
    others: Vec<usize>,
    /// Names of the metrics: of columns, or in the column for them.
    names: BTreeSet<String>,
}

impl Sight {
    /// `None` where the table has no rows, or is a tidy one.
    fn of(table: &Table, roles: &Roles, options: &Options) -> Option<Self> {
        let headers = &table.headers;
        let Roles { variant, run, pair, long, .. } = roles.clone();
        // The tidy table gives every value of a run once.
        if long.is_some() && headers.iter().any(|header| header == "resolution") {
            return None;
        }
        let named = |at: usize| {
            is_setting(&headers[at])
                || options.names_cell(&headers[at])
                || options.variant_column.contains(&headers[at])
        };
        let mut settings = Vec::new();
        let mut others = Vec::new();
        for at in 0..headers.len() {
            let numeric = || table.is_numeric(at);
            match roles.role(at) {
                Role::Variant | Role::Run | Role::Pair
                    if Some(at) == variant || run.contains(&at) || Some(at) == pair => {}
                Role::Metric | Role::Value | Role::OfValue | Role::Empty => {}
                Role::Factor if numeric() || named(at) => settings.push(at),
                Role::Variant => settings.push(at),
                _ if named(at) => settings.push(at),
                _ => others.push(at),
            }
        }
        let texts: Vec<usize> =
            others.iter().copied().filter(|&at| roles.role(at) == Role::Factor).collect();
        let sight = Self { variant, run, pair, settings, long, others, names: BTreeSet::new() };
        let blocks: Vec<usize> =
            texts.into_iter().filter(|&at| sight.stands_in_blocks(table, at)).collect();
        let mut sight = sight;
        sight.others.retain(|at| !blocks.contains(at));
        sight.settings.extend(blocks);
        sight.names = match long {
            Some((metric, _)) => {
                let names: BTreeSet<&str> = table.filled(metric).collect();
                names.into_iter().map(str::to_owned).collect()
            }
            None => sight.others.iter().map(|&index| headers[index].clone()).collect(),
        };
        (!table.rows.is_empty()).then_some(sight)
    }

    /// Whether the rows of each text of a column follow each other inside their run, several of each: a setting that was
    /// changed between, not one that is mixed inside a run.
    fn stands_in_blocks(&self, table: &Table, column: usize) -> bool {
        let (groups, count) = groups_by(table, &self.named());
        let mut last: Vec<Option<&str>> = vec![None; count];
        let mut seen: BTreeSet<(usize, &str)> = BTreeSet::new();
        let mut rows = 0;
        for (Line { cells, .. }, group) in table.rows.iter().zip(groups) {
            let text = cells.get(column);
            rows += 1;
            if last[group] != Some(text) && !seen.insert((group, text)) {
                return false;
            }
            last[group] = Some(text);
        }
        seen.len() > count && 2 * seen.len() <= rows
    }

    /// The columns that name the run.
    fn named(&self) -> Vec<usize> {
        let names = self.variant.iter().chain(&self.run).chain(&self.pair).chain(&self.settings);
        names.copied().collect()
    }

    /// How the rows of the runs differ, and the column that numbers them.
    fn groups(&self, table: &Table) -> Groups {
        let metric = self.long.map(|(metric, _)| metric);
        let columns = [self.named(), metric.into_iter().collect()].concat();
        let (groups, count) = groups_by(table, &columns);
        let number = self.others.iter().find(|&&i| role_of(&table.headers[i]) == Part::Request);
        let mut first: Vec<Option<Cells>> = vec![None; count];
        let mut numbers: Vec<BTreeMap<&str, Cells>> = vec![BTreeMap::new(); count];
        let (mut differing, mut repeats) = (false, false);
        for (Line { cells, .. }, group) in table.rows.iter().zip(groups) {
            differing = differing || *first[group].get_or_insert(cells) != cells;
            if let Some(&column) = number {
                repeats |= *numbers[group].entry(cells.get(column)).or_insert(cells) != cells;
            }
        }
        let numbered = number.filter(|_| numbers.iter().any(|numbers| numbers.len() > 1));
        let column = numbered.map(|&index| table.headers[index].clone());
        let numbered = column.map(|column| Numbered { column, repeats });
        Groups { count, differing, numbered }
    }

    /// What each column is, and what of them is left out.
    fn plan(&self, table: &Table) -> (Plan, Vec<Skipped>) {
        let mut plan = Plan {
            headers: table.headers.clone(),
            counts: table.counts,
            variant: self.variant,
            run: self.run.clone(),
            pair: self.pair,
            settings: self.settings.clone(),
            facts: Vec::new(),
            metric: self.long.map(|(metric, _)| metric),
            values: Vec::new(),
            status: Vec::new(),
            start: None,
            end: None,
            lasting: None,
            bare: 1.0,
            comma: table.comma,
        };
        let mut left_out = Vec::new();
        let mut stamp = None;
        if let Some((_, value)) = self.long {
            plan.values.push(Quantity { column: value, kind: Kind::Other(String::new()) });
        }
        for &index in &self.others {
            let name = &table.headers[index];
            match role_of(name) {
                Part::Request | Part::Index => {}
                Part::Start(factor) => plan.start = plan.start.or(Some((index, factor))),
                Part::End(factor) => plan.end = plan.end.or(Some((index, factor))),
                Part::Status(status)
                    if table.mostly(index, |cell| status.failed(cell.as_bytes()).is_some()) =>
                {
                    plan.status.push((index, status));
                }
                _ if fields::fact_of_column(name) == Some(Fact::Started) => {
                    stamp = Some((index, None));
                }
                Part::Value(kind @ (Kind::InputTokens | Kind::OutputTokens)) => {
                    plan.values.push(Quantity { column: index, kind });
                }
                _ if fields::fact_of_column(name).is_some() => plan.facts.push(index),
                Part::Value(kind) if self.long.is_none() && is_numeric(table, index) => {
                    plan.values.push(Quantity { column: index, kind });
                }
                _ if self.is_constant(table, index) => plan.facts.push(index),
                _ => left_out.push(short(name)),
            }
        }
        let mut notes = self.unit_of_bare(table, &mut plan);
        let whole = |quantity: &Quantity| match &quantity.kind {
            Kind::Latency { stem, factor } if stem == "e2el" => Some(factor / 1e3),
            _ => None,
        };
        if plan.start.is_some() && plan.end.is_none() {
            plan.lasting = plan.values.iter().enumerate().find_map(|(at, q)| Some((at, whole(q)?)));
        }
        plan.start = plan.start.or(stamp);
        if !left_out.is_empty() {
            let place = format!("column {}", left_out.join(", "));
            let why = "text that differs among the requests of a run".to_owned();
            notes.push(Skipped { place, why });
        }
        (plan, notes)
    }

    /// Whether a column says the same in all rows of a run.
    fn is_constant(&self, table: &Table, index: usize) -> bool {
        let (groups, count) = groups_by(table, &self.named());
        let mut seen: Vec<Option<&str>> = vec![None; count];
        table.rows.iter().zip(groups).all(|(line, group)| {
            let cell = line.cells.get(index);
            *seen[group].get_or_insert(cell) == cell
        })
    }

    /// Latencies whose names have no unit get one by their size, and that is said.
    fn unit_of_bare(&self, table: &Table, plan: &mut Plan) -> Vec<Skipped> {
        let bare = |name: &str| is_of_request(name) && split_unit(name).1.is_none();
        let names: Vec<&str> = self.names.iter().map(String::as_str).filter(|n| bare(n)).collect();
        let gap = |name: &&&str| matches!(split_unit(name).0.as_str(), "itl" | "tpot");
        let Some(judged) = names.iter().find(gap).or(names.first()) else { return Vec::new() };
        let column = table.headers.iter().position(|header| header == judged);
        let cells: Vec<&str> = match (self.long, column) {
            (Some((metric, value)), _) => {
                let rows = table.rows.iter().filter(|row| row.cells[metric] == **judged);
                rows.map(|row| row.cells.get(value)).collect()
            }
            (None, Some(column)) => table.filled(column).collect(),
            (None, None) => Vec::new(),
        };
        let number = |cell: &str| match cell::read(cell.as_bytes(), judged, table.comma) {
            Cell::Number(value) if value > 0.0 => Some(value),
            _ => None,
        };
        let mut values: Vec<f64> = cells.into_iter().filter_map(number).collect();
        if values.is_empty() {
            return Vec::new();
        }
        sort_near(&mut values, &[0.5]);
        let median = quantile(&values, 0.5);
        let below = if gap(&judged) { SECONDS_BELOW.0 } else { SECONDS_BELOW.1 };
        let seconds = median < below;
        if seconds {
            plan.bare = 1e3;
            for Quantity { column, kind } in &mut plan.values {
                if let Kind::Latency { factor, .. } = kind
                    && bare(&table.headers[*column])
                {
                    *factor = 1e3;
                }
            }
        }
        let unit = if seconds { "seconds" } else { "milliseconds" };
        let place = format!("column {}", names.join(", "));
        let why = format!(
            "no unit in the name; taken as {unit}, since the median of {judged} is {median}: name it {judged}_s or {judged}_ms"
        );
        vec![Skipped { place, why }]
    }
}

fn is_numeric(table: &Table, index: usize) -> bool {
    let name = &table.headers[index];
    let read = |text: &str| cell::read(text.as_bytes(), name, table.comma);
    // In a column that is named after a latency, what is no number is an error and not a text.
    is_of_request(name) && table.filled(index).any(|text| matches!(read(text), Cell::Number(_)))
        || table.mostly(index, |text| read(text) != Cell::Other)
}
