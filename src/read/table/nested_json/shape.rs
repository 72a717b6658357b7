//! Finds the results in a JSON object.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::fields;
use crate::kit::json_records::Scalar;
use crate::kit::run_builder::statistic;
use crate::kit::tree::{Entry, Node, Tree};
use crate::table::layout::says_change;
use crate::table::role::Role;
use crate::table::values::{Numbers, number_role};

/// Scalars of a record by name.
pub(crate) type Row = BTreeMap<String, Scalar>;

/// Meaning of an object.
pub(crate) enum Shape {
    /// Rows under a key, with the other keys that may hold something.
    Rows {
        name: String,
        rows: Vec<Row>,
        beside: Vec<String>,
    },
    /// A record itself.
    Record(Row),
    /// Several lists that could each hold the results.
    Several(Vec<String>),
    /// A list of what may be runs or parts of one.
    Parts(String),
    Nothing,
}

/// Names of lists that hold what happened within one run.
const WITHIN: &[&str] = &[
    "events",
    "history",
    "iterations",
    "latencies",
    "logs",
    "messages",
    "outputs",
    "per_request",
    "prompts",
    "raw",
    "requests",
    "responses",
    "samples",
    "series",
    "snapshots",
    "telemetry",
    "time_series",
    "timeline",
    "times",
    "timeseries",
    "timings",
    "tokens",
    "traces",
];

/// Words of keys under which lists of numbers are measured.
const MEASURED: &[&str] =
    &["run", "runs", "repeat", "repeats", "trial", "trials", "seconds", "latency", "latencies"];

/// Words of statistics beside those that are read.
const OTHER_STATISTICS: &[&str] =
    &["n", "count", "min", "minimum", "sum", "total", "var", "variance"];

/// Keys of a record: an object of more is a dictionary of something.
const MAX_COLUMNS: usize = 1000;

/// Nesting of a record that is followed.
const DEEPEST: usize = 3;

/// Generic names of the parts of a record.
const PARTS: &[&str] = &[
    "args",
    "arguments",
    "config",
    "configuration",
    "data",
    "info",
    "measurements",
    "meta",
    "metadata",
    "metrics",
    "parameters",
    "params",
    "performance",
    "result",
    "results",
    "settings",
    "statistics",
    "stats",
    "summary",
    "values",
];

/// The scalars of an object beside its results, which are under the key `results`: those at its top and in inner
/// objects such as `metadata`.
pub(crate) fn head(root: &Node, results: &str) -> Row {
    let mut row = scalars(root);
    for (key, node) in root.entries("") {
        if key != results && is_part(key) && matches!(node, Node::Object(_)) {
            for (name, value) in record(node).unwrap_or_else(|| scalars(node)) {
                row.entry(name).or_insert(value);
            }
        }
    }
    row
}

fn is_part(key: &str) -> bool {
    PARTS.contains(&key.to_lowercase().as_str())
}

/// The scalars at the top of an object.
fn scalars(root: &Node) -> Row {
    root.entries("").iter().filter_map(|(key, node)| Some((named(key), scalar(node)?))).collect()
}

/// Lists of numbers inside records, which are not read.
pub(crate) fn lists_in(root: &Node, results: &str) -> Vec<String> {
    let below = root.entries("").iter().rev().find(|(key, _)| key == results);
    let items = below.map_or(root, |(_, node)| node).listed();
    let mut names: Vec<String> = Vec::new();
    for (key, node) in items.iter().flat_map(|item| item.entries("")) {
        if let Node::Array(items) = node
            && is_measured_list(key, items)
            && !names.iter().any(|name| name == key)
        {
            names.push(key.to_string());
        }
    }
    names
}

/// The place of the results in an object, as far as rows are `measured`.
///
/// An object of a list, not `alone`, with numbers beside those under its keys is a record of its own.
pub(crate) fn shape_of(root: &Node, alone: bool, measured: &dyn Fn(&[Row]) -> bool) -> Shape {
    let entries = root.entries("");
    if let Some(rows) = numbers_in_cases(root) {
        return Shape::Rows { name: "key".to_owned(), rows, beside: Vec::new() };
    }
    let levels = Levels { lists: lists_of_keys(root) };
    let (mut lists, mut objects, mut parts) = (Vec::new(), Vec::new(), None);
    for (key, node) in entries {
        let within = WITHIN.contains(&key.to_lowercase().as_str());
        if key.to_lowercase().contains("warm") {
            continue;
        }
        let found = levels.rows(key, node, 0);
        let found = found.filter(|rows| measured(rows) && !are_changes(rows));
        match (node, found) {
            (Node::Array(_), Some(_)) if within => _ = parts.get_or_insert(key.to_string()),
            (Node::Array(_), Some(rows)) => lists.push((key.to_string(), rows)),
            (_, Some(rows)) => objects.push((key.to_string(), rows)),
            (Node::Array(items), None) if is_measured_list(key, items) => {
                parts.get_or_insert(key.to_string());
            }
            _ => {}
        }
    }
    if lists.is_empty() && (alone || scalars(root).is_empty()) {
        // The keys at the top are settings or variants, also beside what sums them up.
        let objects = entries.iter().filter(|(key, node)| {
            let lower = key.to_lowercase();
            let run = !lower.contains("warm") && !says_change(&lower);
            matches!(node, Node::Object(_)) && (scalars(root).is_empty() || run)
        });
        let objects: Vec<Entry> = objects.cloned().collect();
        let objects = Node::Object(objects.into());
        let several = objects.entries("").len() > 1;
        let rows = levels.rows("", &objects, 0).filter(|rows| several && measured(rows));
        if let Some(rows) = rows {
            return Shape::Rows { name: "key".to_owned(), rows, beside: Vec::new() };
        }
    }
    let mut candidates = if lists.is_empty() { objects } else { lists };
    match candidates.len() {
        0 => match parts {
            Some(name) => Shape::Parts(name),
            None => match columns_of(root).filter(|rows| measured(rows)) {
                Some(rows) => Shape::Rows { name: "key".to_owned(), rows, beside: Vec::new() },
                None => record(root).map_or(Shape::Nothing, Shape::Record),
            },
        },
        1 => {
            let (name, rows) = candidates.remove(0);
            let nested = |(key, node): &&Entry| {
                let list = key.to_lowercase().contains("warm") && matches!(node, Node::Array(_));
                let object = matches!(node, Node::Object(_)) && !is_part(key) && has_number(node);
                *key != name && (list || object)
            };
            let beside = entries.iter().filter(nested).map(|(key, _)| key.to_string()).collect();
            Shape::Rows { name, rows, beside }
        }
        _ => Shape::Several(candidates.into_iter().map(|(name, _)| name).collect()),
    }
}

/// A row for each number three levels down, under keys that name no metric: `{"old": {"sort": {"plain": 2.5, "cached": 0.5}}}`. The keys
/// at the top share groups, and in these cases.
fn numbers_in_cases(root: &Node) -> Option<Vec<Row>> {
    let named = |key: &str| {
        fields::is_metric(key)
            || fields::names_result(key)
            || fields::field_of_column(key).is_some()
            || statistic(key).is_some()
            || is_part(key)
    };
    let mut rows = Vec::new();
    let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (top, node) in root.entries("") {
        let Node::Object(groups) = node else { return None };
        for (group, node) in groups.iter() {
            let Node::Object(cases) = node else { return None };
            for (case, node) in cases.iter() {
                let number = node
                    .any_number()
                    .filter(|_| ![top, group, case].iter().any(|key| named(key)))?;
                let text = |key: &str| Scalar::Text(key.to_owned());
                *places.entry((group, case)).or_default() += 1;
                rows.push(Row::from([
                    ("key".to_owned(), text(top)),
                    ("group".to_owned(), text(group)),
                    ("case".to_owned(), text(case)),
                    ("value".to_owned(), Scalar::Number(number)),
                ]));
            }
        }
    }
    let shared = places.values().filter(|count| **count > 1).count();
    let of =
        |top: &str| rows.iter().filter(|row| row["key"] == Scalar::Text(top.to_owned())).count();
    let fewest = root.entries("").iter().map(|(top, _)| of(top)).min()?;
    (shared > 1 && 2 * shared >= fewest).then_some(rows)
}

/// Whether all numbers of some rows are changes between others, by their names.
fn are_changes(rows: &[Row]) -> bool {
    let number = |(_, value): &(&String, &Scalar)| matches!(value, Scalar::Number(_));
    let mut names = rows.iter().flat_map(|row| row.iter().filter(number)).map(|(name, _)| name);
    names.all(|name| says_change(&name.to_lowercase()))
}

/// A list of two numbers or more under a key for times or runs.
fn is_measured_list(key: &str, items: &[Node]) -> bool {
    let lower = key.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    items.len() > 1
        && items.iter().all(|item| item.any_number().is_some())
        && (words.any(|word| MEASURED.contains(&word)) || WITHIN.contains(&lower.as_str()))
}

/// Lists at the top that name the keys of objects below: `concurrencies` of `1`, `2`, `4`.
fn lists_of_keys(root: &Node) -> Vec<(String, BTreeSet<String>)> {
    let texts = |(key, node): &Entry| {
        let Node::Array(items) = node else { return None };
        let shown: BTreeSet<String> = items.iter().map(text).collect::<Option<_>>()?;
        (!shown.is_empty()).then(|| (singular(key), shown))
    };
    root.entries("").iter().filter_map(texts).collect()
}

fn text(node: &Node) -> Option<String> {
    node.shown("")
}

/// `concurrency` for `concurrencies`.
fn singular(name: &str) -> String {
    if let Some(stem) = name.strip_suffix("ies") {
        return format!("{stem}y");
    }
    name.strip_suffix('s').filter(|stem| !stem.ends_with('s')).unwrap_or(name).to_owned()
}

/// Known names of levels.
struct Levels {
    lists: Vec<(String, BTreeSet<String>)>,
}

impl Levels {
    /// The rows below a node: elements of a list, or the values of keys that are settings.
    fn rows(&self, name: &str, node: &Node, depth: usize) -> Option<Vec<Row>> {
        match node {
            Node::Array(items) if !items.is_empty() => {
                let rows: Option<Vec<Vec<Row>>> = items.iter().map(rows_of_item).collect();
                rows.map(|rows| rows.into_iter().flatten().collect())
            }
            Node::Object(entries) if depth <= DEEPEST => {
                let filled: Vec<&Entry> =
                    entries.iter().filter(|(_, node)| *node != Node::Null).collect();
                let alike = filled.windows(2).all(|two| keys(&two[0].1) == keys(&two[1].1));
                let nested = |(_, node): &&Entry| keys(node).is_some() && !is_statistics(node);
                if filled.len() < 2 || !alike || !filled.iter().all(nested) {
                    return None;
                }
                let column = self.column(name, &filled);
                // Objects that state their key themselves need no column for it.
                let states = |(key, node): &&Entry, field: &str| {
                    let own = node.entries("").iter().find(|(name, _)| name == field);
                    own.is_some_and(|(_, node)| matches!(node, Node::Str(text) if text == key))
                };
                let first = filled[0].1.entries("").iter();
                let mut own = first.map(|(field, _)| field.to_string());
                let stated = own.find(|field| filled.iter().all(|entry| states(entry, field)));
                let mut all = Vec::new();
                for (key, node) in filled {
                    let rows = self.rows(key, node, depth + 1).or_else(|| columns_of(node));
                    let rows = rows.or_else(|| record(node).map(|row| vec![row]))?;
                    for mut row in rows {
                        let value = value_of_key(&column, key);
                        let free = if row.contains_key(&column) {
                            format!("{column}_key")
                        } else {
                            column.clone()
                        };
                        if stated.is_none() || column != "key" {
                            row.insert(free, Scalar::Text(value));
                        }
                        all.push(row);
                    }
                }
                Some(all)
            }
            _ => None,
        }
    }

    /// The name of the setting that keys are values of.
    fn column(&self, name: &str, entries: &[&Entry]) -> String {
        if let Some(setting) = ["by_", "per_"].iter().find_map(|start| name.strip_prefix(start)) {
            return setting.to_owned();
        }
        let parent = singular(name);
        let number = |(key, _): &&Entry| fields::number(key).is_some();
        if entries.iter().all(number) && sets_numbers(&parent) {
            return parent;
        }
        let keys: BTreeSet<String> = entries.iter().map(|(key, _)| key.to_string()).collect();
        let listed = self.lists.iter().find(|(_, values)| keys.is_subset(values));
        listed.map_or_else(|| "key".to_owned(), |(name, _)| name.clone())
    }
}

/// The rows of an element of a list: the element itself, or if it has settings and one list of objects, these objects
/// with its settings.
fn rows_of_item(item: &Node) -> Option<Vec<Row>> {
    let own = scalars(item);
    let states_result = own
        .iter()
        .any(|(key, value)| matches!(value, Scalar::Number(_)) && fields::names_result(key));
    let inner = |(key, node): &Entry| {
        let Node::Array(items) = node else { return None };
        let within = WITHIN.contains(&key.to_lowercase().as_str());
        let rows = items.iter().map(record).collect::<Option<Vec<Row>>>()?;
        (!within && !rows.is_empty()).then_some(rows)
    };
    let mut lists = item.entries("").iter().filter_map(inner);
    match (lists.next(), lists.next()) {
        (Some(mut rows), None) if !states_result => {
            for row in &mut rows {
                for (key, value) in &own {
                    row.entry(key.clone()).or_insert_with(|| value.clone());
                }
            }
            Some(rows)
        }
        _ => record(item).map(|row| vec![row]),
    }
}

/// Longest list that has a value for each run; a longer one has one for each request.
const MAX_LIST: usize = 10;

/// Largest ratio of the values of such a list.
const MAX_RATIO: f64 = 3.0;

/// The rows of an object whose lists of numbers are columns, all of one length: `{"ttft_ms": [80.5, 81.5], "tok_s": [101, 99]}`.
fn columns_of(node: &Node) -> Option<Vec<Row>> {
    let own = scalars(node);
    let column = |(key, node): &Entry| {
        let Node::Array(items) = node else { return None };
        let numbers: Option<Vec<Scalar>> =
            items.iter().map(|item| item.any_number().map(Scalar::Number)).collect();
        Some((named(key), numbers?))
    };
    let entries = node.entries("");
    let lists: Vec<(String, Vec<Scalar>)> = entries.iter().filter_map(column).collect();
    let length = lists.first()?.1.len();
    let within = |key: &String| WITHIN.contains(&key.to_lowercase().as_str());
    // Repeats are near one another.
    let alike = |list: &[Scalar]| {
        let values = list.iter().filter_map(|value| match value {
            Scalar::Number(number) => Some(*number),
            _ => None,
        });
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        low > 0.0 && high / low <= MAX_RATIO
    };
    // Beside a list of sizes the others follow these.
    let rises = |list: &[Scalar]| {
        let numbers: Vec<f64> = list
            .iter()
            .filter_map(|value| match value {
                Scalar::Number(number) if number.fract() == 0.0 => Some(*number),
                _ => None,
            })
            .collect();
        numbers.len() == list.len() && numbers.windows(2).all(|two| two[0] < two[1])
    };
    let sized = lists.iter().any(|(key, list)| sets_numbers(key) && rises(list));
    let fits = (2..=MAX_LIST).contains(&length)
        && lists.len() + own.len() == entries.len()
        && lists
            .iter()
            .all(|(key, list)| list.len() == length && !within(key) && (sized || alike(list)));
    let row = |at: usize| {
        let mut row = own.clone();
        row.extend(lists.iter().map(|(key, list)| (key.clone(), list[at].clone())));
        row
    };
    fits.then(|| (0..length).map(row).collect())
}

/// Whether numbers under a name are settings, whatever they are.
fn sets_numbers(name: &str) -> bool {
    fields::field_of_column(name).is_some()
        || number_role(name, &Numbers::summarise(std::iter::once(1.0))).0 == Role::Factor
}

/// A key as the value of a setting: a number only if the name is that of a numeric setting.
fn value_of_key(column: &str, key: &str) -> String {
    if fields::number(key).is_none() {
        return key.to_owned();
    }
    let set = sets_numbers(column);
    if set { key.to_owned() } else { format!("{column} {key}") }
}

/// The keys of an object, or of the first one in a list.
fn keys(node: &Node) -> Option<BTreeSet<&str>> {
    let Node::Object(entries) = node.listed().first()? else { return None };
    Some(entries.iter().map(|(key, _)| &**key).collect())
}

/// Whether an object holds statistics of one quantity: mean, P50, P99.
fn is_statistics(node: &Node) -> bool {
    let entries = node.entries("");
    let other = |key: &str| {
        let percentile = key.strip_prefix('p').and_then(|digits| digits.parse::<f64>().ok());
        OTHER_STATISTICS.contains(&key) || percentile.is_some()
    };
    entries.iter().any(|(key, _)| statistic(key).is_some())
        && entries.iter().all(|(key, node)| {
            (statistic(key).is_some() || other(&key.to_lowercase()))
                && (node.any_number().is_some() || *node == Node::Null)
        })
}

/// An object as a record: its scalars, scalars of inner objects as `outer.inner`, and statistics as `mean_ttft_s`;
/// `None` without a number.
fn record(node: &Node) -> Option<Row> {
    let Node::Object(_) = node else { return None };
    let mut row = Row::new();
    fill(&mut row, "", node, 0);
    let number = |value: &Scalar| matches!(value, Scalar::Number(_));
    (row.len() <= MAX_COLUMNS && row.values().any(number)).then_some(row)
}

fn fill(row: &mut Row, before: &str, node: &Node, depth: usize) {
    for (key, node) in node.entries("") {
        let key = named(key);
        let full = if before.is_empty() { key.clone() } else { format!("{before}.{key}") };
        let full = if row.contains_key(&full) { format!("{full}_2") } else { full };
        if let Some(value) = scalar(node) {
            row.insert(full, value);
        } else if is_statistics(node) {
            for (word, value) in node.entries("") {
                if let (Some(prefix), Some(value)) = (statistic(word), scalar(value)) {
                    let name = format!("{prefix}_{key}");
                    let name =
                        if row.contains_key(&name) { format!("{prefix}_{full}") } else { name };
                    row.insert(name, value);
                }
            }
        } else if depth < DEEPEST {
            // `metrics.ttft_ms` is called so only where another part has a ttft_ms.
            let bare =
                is_part(&key) && !node.entries("").iter().any(|(key, _)| row.contains_key(&**key));
            fill(row, if bare { before } else { &full }, node, depth + 1);
        }
    }
}

fn has_number(node: &Node) -> bool {
    match node {
        Node::Object(entries) => entries.iter().any(|(_, node)| has_number(node)),
        node => node.any_number().is_some(),
    }
}

fn scalar(node: &Node) -> Option<Scalar> {
    match node {
        Node::Str(text) => Some(Scalar::Text(text.to_string())),
        Node::Bool(value) => Some(Scalar::Text(value.to_string())),
        Node::Null => Some(Scalar::Null),
        node => node.any_number().map(Scalar::Number),
    }
}

/// A key as the header of a table is read.
fn named(key: &str) -> String {
    key.trim().to_owned()
}
