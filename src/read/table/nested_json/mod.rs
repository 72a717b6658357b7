//! JSON that people write for themselves: an object of settings with one list of results in it, objects of results under
//! keys that are settings, or a plain list under names of its own.
//!
//! Each record is a row, with the settings beside the list as further columns, and is read like any other table. Where
//! several lists could be meant, or a list may hold parts of one run, nothing is read.

mod shape;

use crate::kit::json::looks_like_json;
use crate::kit::json_records::{Record, Scalar};
use crate::kit::tree::{Node, Tree, objects};
use crate::kit::{fields, short};
use crate::reader::{Content, Found, Options, Reader};
use crate::table::flat_json::{
    ANY_JSON, FLAT_JSON, found_in_records, has_requests, is_request_lines,
};
use crate::table::json_lines::table_of;
use crate::table::layout::says_change;
use crate::table::nested_json::shape::{Row, Shape};
use crate::table::records::Table;
use crate::table::role::Role;
use crate::table::roles::Roles;
use crate::table::values::{Numbers, number_role};
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::Skipped;

pub(crate) const READER: Reader = Reader {
    name: "nested json",
    recognised_by: "an object with one list of flat objects, or with flat objects under keys, in a file that is named",
    one_run: "an element of the list, or the object under a key",
    recognise: |content, named| {
        named
            && content.bytes().len() <= MAX_INSPECTED_BYTES
            && looks_like_json(content.bytes())
            && !is_request_lines(content)
            && match results(content) {
                Ok(None) => false,
                Ok(Some(found)) => found.nested || !is_flat(content),
                Err(_) => true,
            }
            && !has_requests(content)
    },
    read: |content, options| match results(content)? {
        Some(Results { records, settings, notes, .. }) => {
            let mut found = found_in_records(content.path, &records, options)?;
            found.format = None;
            for run in &mut found.runs {
                for (name, value) in &settings {
                    if !run.metadata.contains_key(name) {
                        run.metadata.insert(name.clone(), value.clone());
                    }
                }
            }
            found.skipped.extend(notes);
            Ok(found)
        }
        None => Ok(Found::default()),
    },
    ..Reader::EMPTY
};

/// Bytes of a file that is looked into.
const MAX_INSPECTED_BYTES: usize = 64 << 20;

/// Names that are listed in a sentence.
const MAX_NAMES: usize = 8;

/// The records of a file, and the values beside them.
struct Results {
    records: Vec<Record>,
    /// Round numbers beside the only list of the file, with unknown names.
    settings: Vec<(String, String)>,
    notes: Vec<Skipped>,
    /// They are in a list or under keys.
    nested: bool,
}

/// Whether objects of the file are records as they are, which other readers take.
fn is_flat(content: &Content) -> bool {
    [FLAT_JSON, ANY_JSON].iter().any(|reader| reader.recognises(content, true))
}

/// Whether an object states a result at its top, so that a list in it may be its requests. A duration may cover all
/// results in it.
fn states_result(root: &Node) -> bool {
    root.entries("").iter().any(|(key, node)| {
        let duration = fields::metric_of_column(key).name == "duration";
        let compares = says_change(&key.to_lowercase());
        node.any_number().is_some() && fields::names_result(key) && !duration && !compares
    })
}

/// The results of a file; `None` if nothing in it is measured.
///
/// # Errors
///
/// [`Error::Input`] if the meaning is ambiguous.
fn results(content: &Content) -> Result<Option<Results>, Error> {
    // Invalid JSON has its own message.
    let Ok(trees) = objects(content.path, content.bytes()) else { return Ok(None) };
    let (mut rows, mut notes, mut nested) = (Vec::new(), Vec::new(), false);
    if trees.iter().any(states_result) {
        return Ok(None);
    }
    let single = trees.len() == 1;
    let mut settings = Vec::new();
    for (at, tree) in trees.iter().enumerate() {
        let measured = |rows: &[Row]| is_measured(&table(content, rows));
        match shape::shape_of(tree, single, &measured) {
            Shape::Rows { name, rows: found, beside } => {
                nested = true;
                let of = (at + 1, tree, name.as_str(), single);
                rows.extend(with_head(of, found, beside, &mut settings, &mut notes));
            }
            Shape::Record(row) => rows.push(row),
            Shape::Several(names) => {
                let problem = format!(
                    "expected one list of results, found {}: {}",
                    names.len(),
                    listed(&names)
                );
                return Err(Error::file(content.path, problem, &alone(&names[0])));
            }
            Shape::Parts(name) if single => {
                let problem = format!(
                    "expected a list of runs, found \"{}\": its values may be runs, or parts of one run",
                    short(&name)
                );
                let remedy =
                    "if they are runs, write them as a table with a row each (variant, run, value)";
                return Err(Error::file(content.path, problem, remedy));
            }
            Shape::Parts(_) | Shape::Nothing => {}
        }
    }
    let table = table(content, &rows);
    if rows.is_empty() || !nested && (rows.len() < 2 && !has_known(&table) || !is_measured(&table))
    {
        return Ok(None);
    }
    Ok(Some(Results { records: records(&rows), settings, notes, nested }))
}

/// The records of a list, each with the settings beside it; what is single beside them describes the file.
fn with_head(
    (index, root, name, single): (usize, &Node, &str, bool),
    found: Vec<Row>,
    beside: Vec<String>,
    settings: &mut Vec<(String, String)>,
    notes: &mut Vec<Skipped>,
) -> Vec<Row> {
    let mut left_out = beside;
    let head = shape::head(root, name);
    let lists = shape::lists_in(root, name);
    if !lists.is_empty() {
        let why = format!("lists in its records are not read: {}", listed(&lists));
        notes.push(Skipped { place: format!("object {index}"), why });
    }
    let known = |key: &str| found.iter().any(|row| row.contains_key(key));
    let mut head: Row = head.into_iter().filter(|(key, _)| !known(key)).collect();
    head.retain(|key, value| {
        let keep = is_setting(key, value);
        let whole = round(value).filter(|_| single && !is_outcome(key));
        if let Some(value) = whole.filter(|_| !keep) {
            settings.push((key.clone(), value));
        } else if !keep && *value != Scalar::Null {
            left_out.push(key.clone());
        }
        keep
    });
    if !left_out.is_empty() {
        let why = format!("beside \"{}\" and not read: {}", short(name), listed(&left_out));
        notes.push(Skipped { place: format!("object {index}"), why });
    }
    let with = |mut row: Row| {
        row.extend(head.iter().map(|(key, value)| (key.clone(), value.clone())));
        row
    };
    found.into_iter().map(with).collect()
}

/// The remedy for several lists.
fn alone(name: &str) -> String {
    format!("put the one to read into its own file, such as with: jq '.[\"{name}\"]' FILE")
}

fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(MAX_NAMES).map(|name| short(name)).collect();
    let more = if names.len() > MAX_NAMES { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

fn records(rows: &[Row]) -> Vec<Record> {
    let record = |(at, row): (usize, &Row)| Record {
        index: at + 1,
        scalars: row.clone(),
        ..Record::default()
    };
    rows.iter().enumerate().map(record).collect()
}

fn table<'a>(content: &Content<'a>, rows: &[Row]) -> Table<'a> {
    table_of(content.path, &records(rows))
}

/// Whether a number or a text beside the results is a setting of them all.
fn is_setting(name: &str, value: &Scalar) -> bool {
    match value {
        Scalar::Text(_) => true,
        Scalar::Number(value) => {
            fields::field_of_column(name).is_some()
                || number_role(name, &Numbers::summarise(std::iter::once(*value))).0 == Role::Factor
        }
        Scalar::Null => false,
    }
}

/// A number as people set them: whole, of two digits and zeros or a power of two.
fn round(value: &Scalar) -> Option<String> {
    let Scalar::Number(value) = value else { return None };
    let digits = format!("{:e}", value.abs());
    let digits = digits.split('e').next().map_or(0, str::len);
    let round =
        value.fract() == 0.0 && *value > 0.0 && (digits <= 3 || value.log2().fract() == 0.0);
    round.then(|| value.to_string())
}

/// Whether a name is that of an output count.
fn is_outcome(name: &str) -> bool {
    let name = name.to_lowercase();
    ["fail", "error", "total", "complet", "success", "elapsed"]
        .iter()
        .any(|word| name.contains(word))
}

/// Whether a column is a metric of the registry.
fn has_known(table: &Table) -> bool {
    table.headers.iter().any(|name| fields::names_result(name))
}

/// Whether some column is measured: by its name or unit, or with more digits than people set.
fn is_measured(table: &Table) -> bool {
    let Ok(roles) = Roles::assign(table, &Options::default()) else { return false };
    let digits = |at: usize| {
        let long = |cell: &str| cell.bytes().filter(u8::is_ascii_digit).count() > 3;
        table.filled(at).any(|cell| cell.contains('.') && long(cell))
    };
    let set = |at: usize| {
        let name = &table.headers[at];
        let round = |cell: &str| {
            fields::number(cell).is_some_and(|number| fields::is_set_time(name, number.value))
        };
        table.rows.len() == 1 && table.filled(at).all(round)
    };
    let open = ["numbers that vary", "no other column of numbers"];
    roles
        .columns
        .iter()
        .enumerate()
        .filter(|(at, _)| !set(*at))
        .any(|(at, (role, why))| *role == Role::Measured && (!open.contains(why) || digits(at)))
}
