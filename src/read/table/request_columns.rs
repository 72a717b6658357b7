//! The columns of a table whose rows may be requests: what names their run, what numbers them, what is summed up.

use crate::table::records::groups_by;
use std::collections::{BTreeMap, BTreeSet};

use crate::kit::cell_value::{self, CellValue, split_unit};
use crate::kit::fields::{self, RunField};
use crate::kit::short;
use crate::reader::Options;
use crate::table::column_names::{is_setting, is_tidy};
use crate::table::records::{Cells, Line, Table};
use crate::table::reduce::{Plan, Quantity};
use crate::table::request_names::{Kind, Role as Part, is_of_request, role_of};
use crate::table::role::Role;
use crate::table::role_words::RUN;
use crate::table::roles::Roles;
use crate::table::values::is_round;
use beyondnoise_model::runs::Skipped;
use beyondnoise_stats::{quantile, sort_near};

/// Most lengths of one column that are a plan.
const MAX_PLANNED: usize = 12;

/// Median below which latencies without a unit are in seconds: gaps between tokens, and whole requests.
const SECONDS_BELOW: (f64, f64) = (1.0, 10.0);

/// A column that numbers the requests.
pub(crate) struct Numbered {
    pub(crate) column: String,
    /// A number comes more than once in a run.
    pub(crate) repeats: bool,
}

/// The rows of each run, in the long layout of each of its metrics.
pub(crate) struct Groups {
    pub(crate) count: usize,
    /// The rows of some run are not all the same.
    pub(crate) differing: bool,
    pub(crate) numbered: Option<Numbered>,
}

/// The columns of a table by their part.
pub(crate) struct RequestColumns {
    variant: Option<usize>,
    pub(crate) run: Vec<usize>,
    pair: Option<usize>,
    settings: Vec<usize>,
    long: Option<(usize, usize)>,
    /// Other columns.
    pub(crate) others: Vec<usize>,
    /// Names of the metrics: of columns, or in the column for them.
    pub(crate) names: BTreeSet<String>,
}

impl RequestColumns {
    /// `None` where the table has no rows, or is a tidy one.
    pub(crate) fn find(table: &Table, roles: &Roles, options: &Options) -> Option<Self> {
        let headers = &table.headers;
        let Roles { variant, run, pair, long, .. } = roles.clone();
        // The tidy table gives every value of a run once.
        if long.is_some() && is_tidy(headers) {
            return None;
        }
        let by_name = |at: usize| {
            is_setting(&headers[at])
                || options.names_cell(&headers[at])
                || options.variant_column.contains(&headers[at])
        };
        let mut settings = Vec::new();
        let mut others = Vec::new();
        for at in 0..headers.len() {
            match roles.role(at) {
                Role::Variant | Role::Run | Role::Pair
                    if Some(at) == variant || run.contains(&at) || Some(at) == pair => {}
                Role::Metric | Role::Value | Role::OfValue | Role::Empty => {}
                Role::Variant => settings.push(at),
                role if by_name(at) && role != Role::Measured => settings.push(at),
                _ => others.push(at),
            }
        }
        // Failures that follow each other are no setting.
        let of_request = |at: usize| !matches!(role_of(&headers[at]), Part::Value(_));
        let may_be_set = |&at: &usize| roles.role(at) == Role::Factor && !of_request(at);
        let factors: Vec<usize> = others.iter().copied().filter(may_be_set).collect();
        let mut found = Self { variant, run, pair, settings, long, others, names: BTreeSet::new() };
        let lengths = found.planned_lengths(table);
        found.others.retain(|at| !lengths.contains(at));
        found.settings.extend(lengths);
        for at in factors {
            if found.stands_in_blocks(table, at) {
                found.others.retain(|other| *other != at);
                found.settings.push(at);
            }
        }
        found.names = match long {
            Some((metric, _)) => {
                let names: BTreeSet<&str> = table.filled(metric).collect();
                names.into_iter().map(str::to_owned).collect()
            }
            None => found.others.iter().map(|&index| headers[index].clone()).collect(),
        };
        (!table.rows.is_empty()).then_some(found)
    }

    /// The columns of lengths that were set: few round numbers, all their combinations once in every run. Requests have
    /// lengths of their own.
    fn planned_lengths(&self, table: &Table) -> Vec<usize> {
        let tokens = |at: &usize| {
            let part = role_of(&table.headers[*at]);
            matches!(part, Part::Value(Kind::InputTokens | Kind::OutputTokens))
        };
        let few = |at: &usize| {
            let cells: BTreeSet<&str> = table.filled(*at).collect();
            let round = |cell: &&str| fields::number(cell).is_some_and(|n| is_round(n.value));
            (2..=MAX_PLANNED).contains(&cells.len()) && cells.iter().all(round)
        };
        let lengths: Vec<usize> = self.others.iter().copied().filter(tokens).filter(few).collect();
        let each = [&self.named()[..], &lengths].concat();
        if lengths.is_empty() || self.run.is_empty() || groups_by(table, &each).1 < table.rows.len()
        {
            return Vec::new();
        }
        let (runs, count) = groups_by(table, &self.named());
        let (combinations, _) = groups_by(table, &lengths);
        let mut of_run: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
        runs.iter().zip(combinations).for_each(|(run, one)| {
            of_run[*run].insert(one);
        });
        if of_run.windows(2).all(|two| two[0] == two[1]) { lengths } else { Vec::new() }
    }

    /// Whether equal texts of a column are in consecutive rows of their run, several of each: then the setting changed
    /// between blocks and is not mixed inside a run.
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
    pub(crate) fn named(&self) -> Vec<usize> {
        let names = self.variant.iter().chain(&self.run).chain(&self.pair).chain(&self.settings);
        names.copied().collect()
    }

    /// How many groups there are of rows that agree in run, settings and all factors, but not in counts of tokens if there
    /// is such a column to be judged.
    pub(crate) fn groups_with_factors(
        &self,
        table: &Table,
        roles: &Roles,
        judged: Option<usize>,
    ) -> usize {
        let metric = self.long.map(|(metric, _)| metric);
        let tokens = |at: usize| {
            matches!(
                role_of(&table.headers[at]),
                Part::Value(Kind::InputTokens | Kind::OutputTokens)
            ) && is_numeric(table, at)
        };
        let factors = self
            .others
            .iter()
            .copied()
            .filter(|&at| roles.role(at) == Role::Factor && !(judged.is_some() && tokens(at)));
        let columns: Vec<usize> = self.named().into_iter().chain(metric).chain(factors).collect();
        groups_by(table, &columns).1
    }

    /// Whether a further column for repeats counts the rows of each run: `rep` beside `run`.
    pub(crate) fn has_inner_repeats(&self, table: &Table) -> bool {
        let repeats = |at: &&usize| RUN.contains(&table.headers[**at].to_lowercase().as_str());
        self.others.iter().filter(repeats).any(|at| {
            let all = [self.named(), vec![*at]].concat();
            groups_by(table, &all).1 == table.rows.len()
        })
    }

    /// How the rows of the runs differ, and the column that numbers them.
    pub(crate) fn groups(&self, table: &Table) -> Groups {
        let metric = self.long.map(|(metric, _)| metric);
        let columns = [self.named(), metric.into_iter().collect()].concat();
        let (groups, count) = groups_by(table, &columns);
        let number = self.others.iter().find(|&&i| match role_of(&table.headers[i]) {
            Part::Request => true,
            Part::Index => table.mostly(i, is_request_id),
            _ => false,
        });
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

    /// A plan with the columns that name the run, and none of its requests yet.
    fn plan_of_names(&self, table: &Table) -> Plan {
        Plan {
            headers: table.headers.clone(),
            counts: table.counts,
            variant: self.variant,
            run: self.run.clone(),
            pair: self.pair,
            settings: self.settings.clone(),
            constants: Vec::new(),
            metric: self.long.map(|(metric, _)| metric),
            values: Vec::new(),
            request: None,
            status: Vec::new(),
            start: None,
            end: None,
            lasting: None,
            dates: false,
            bare: 1.0,
            comma: table.comma,
        }
    }

    /// The role of each column, and the skipped ones.
    pub(crate) fn plan(&self, table: &Table) -> (Plan, Vec<Skipped>) {
        let mut plan = self.plan_of_names(table);
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
                _ if fields::field_of_column(name) == Some(RunField::Started) => {
                    stamp = Some((index, None));
                }
                Part::Value(kind @ (Kind::InputTokens | Kind::OutputTokens))
                    if is_numeric(table, index) =>
                {
                    plan.values.push(Quantity { column: index, kind });
                }
                _ if fields::field_of_column(name).is_some() => plan.constants.push(index),
                Part::Value(kind) if self.long.is_none() && is_numeric(table, index) => {
                    plan.values.push(Quantity { column: index, kind });
                }
                _ if self.is_constant(table, index) => plan.constants.push(index),
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
        let first = plan.start.and_then(|(at, _)| table.filled(at).next());
        plan.dates = first.is_some_and(|text| fields::number(text).is_none());
        if !left_out.is_empty() {
            let place = format!("column {}", left_out.join(", "));
            let why = "text that differs among the requests of a run".to_owned();
            notes.push(Skipped { place, why });
        }
        (plan, notes)
    }

    /// Whether a column is constant in all rows of a run.
    fn is_constant(&self, table: &Table, index: usize) -> bool {
        let (groups, count) = groups_by(table, &self.named());
        let mut seen: Vec<Option<&str>> = vec![None; count];
        table.rows.iter().zip(groups).all(|(line, group)| {
            let cell = line.cells.get(index);
            *seen[group].get_or_insert(cell) == cell
        })
    }

    /// Latencies whose names have no unit get one by their size, with a note.
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
        let number = |cell: &str| match cell_value::read(cell.as_bytes(), judged, table.comma) {
            CellValue::Number(value) if value > 0.0 => Some(value),
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
    let read = |text: &str| cell_value::read(text.as_bytes(), name, table.comma);
    // In a column that is named after a latency, what is no number is an error and not a text.
    is_of_request(name)
        && table.filled(index).any(|text| matches!(read(text), CellValue::Number(_)))
        || table.mostly(index, |text| read(text) != CellValue::Other)
}

/// `req_000012`, `prompt-3`: a word for a request with its number.
fn is_request_id(text: &str) -> bool {
    const WORDS: [&str; 7] = ["req", "request", "prompt", "query", "question", "sample", "cmpl"];
    let lower = text.to_lowercase();
    let word: String = lower.chars().take_while(|c| c.is_alphabetic()).collect();
    WORDS.contains(&word.as_str()) && lower.len() > word.len()
}
