//! JSON with an object a record: objects one after the other, a line each, or in a list.

use crate::kit::json_records::{self, Record, Scalar};
use crate::kit::{fields, json, short};
use crate::reader::{Content, Found, Options, Reader};
use crate::table::chunks::{chunk_bytes, whole_lines};
use crate::table::column_names::METRIC;
use crate::table::found::found_in;
use crate::table::json_lines::{self, table_of};
use crate::table::layout::{Caption, arrange};
use crate::table::request_names::is_of_request;
use crate::table::request_rows::{Rows, classify_rows};
use crate::table::role_words::is_list_of_runs;
use crate::table::roles::Roles;
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::Skipped;
use std::collections::BTreeMap;

pub(crate) const FLAT_JSON: Reader = Reader {
    name: "json records",
    recognised_by: "flat objects with a key variant, or metric and value, or with the latency of a request",
    one_run: "an object, or the objects of one run in the long layout",
    recognise: |content, _| {
        is_flat_json(content) || is_request_lines(content) && has_requests(content)
    },
    read: read_flat_json,
    ..Reader::EMPTY
};

pub(crate) const ANY_JSON: Reader = Reader {
    name: "flat json",
    recognised_by: "objects with the name of a known metric as a key, or requests, in a file that is named",
    one_run: "an object",
    recognise: |content, named| named && (has_metric(content) || has_requests(content)),
    read: read_flat_json,
    ..Reader::EMPTY
};

pub(crate) fn is_flat_json(content: &Content) -> bool {
    let bytes = content.bytes();
    let near = &bytes[..bytes.len().min(1 << 16)];
    json::looks_like_json(bytes)
        && (crate::kit::contains(near, b"\"variant\"")
            || (crate::kit::contains(near, b"\"metric\"")
                && crate::kit::contains(near, b"\"value\"")))
}

/// Whether the file begins with lines of flat objects that have a latency of one request in common.
pub(crate) fn is_request_lines(content: &Content) -> bool {
    let bytes = content.bytes();
    let Some(near) = whole_lines(bytes, 1 << 16).filter(|_| bytes.starts_with(b"{")) else {
        return false;
    };
    let Ok(records) = json_records::records(content.path, near) else { return false };
    let latency = |record: &Record| {
        let number = |(key, value): (&String, &Scalar)| {
            matches!(value, Scalar::Number(_)) && is_of_request(key)
        };
        record.scalars.iter().any(number)
    };
    records.len() > 1 && records.iter().filter(|record| latency(record)).count() * 2 > records.len()
}

/// Whether the first objects of the file are requests.
pub(crate) fn has_requests(content: &Content) -> bool {
    let options = Options::default();
    let near = whole_lines(content.bytes(), json_lines::START)
        .filter(|bytes| json::looks_like_json(bytes))
        .and_then(|near| json_records::records(content.path, near).ok());
    near.is_some_and(|records| {
        let table = table_of(content.path, &records);
        Roles::assign(&table, &options).is_ok_and(|roles| {
            matches!(classify_rows(&table, &roles, &options).0, Rows::Requests(_))
        })
    })
}

/// Whether objects of the file hold a metric that is known, at their top.
pub(crate) fn has_metric(content: &Content) -> bool {
    let number = |(key, value): (&String, &Scalar)| match value {
        Scalar::Number(value) => {
            fields::names_result(key) && !fields::is_set_time(key, *value) || is_of_request(key)
        }
        // Some programs write all numbers as text.
        Scalar::Text(text) => fields::names_result(key) && fields::number(text).is_some(),
        Scalar::Null => false,
    };
    // A column per variant: `{"metric": "duration", "before": 5.5, "after": 5.25}`.
    let named = |record: &Record| {
        let metric = |known: &&str| match record.scalars.get(*known) {
            Some(Scalar::Text(text)) => fields::names_result(text),
            _ => false,
        };
        METRIC.iter().any(metric)
    };
    json::looks_like_json(content.bytes())
        && json_records::records(content.path, content.bytes()).is_ok_and(|records| {
            records.iter().any(|record| named(record) || record.scalars.iter().any(number))
        })
}

pub(crate) fn read_flat_json(content: &Content, options: &Options) -> Result<Found, Error> {
    if let Some(start) = json_lines::start_of(content) {
        return json_lines::read(content, (start, chunk_bytes()), options);
    }
    let records = json_records::records(content.path, content.bytes())?;
    if let [Record { lists, .. }] = &records[..]
        && let Some(list) = lists.iter().find(|name| is_list_of_runs(name))
    {
        let problem = format!(
            "expected one number for each metric, found the list \"{}\": its values are runs, and the numbers beside it are their averages",
            short(list)
        );
        let remedy = "give it as a table with a row for each value (variant, run, value)";
        return Err(Error::file(content.path, problem, remedy));
    }
    let mut found = found_in_records(content.path, &records, options)?;
    if found.runs.iter().all(|run| run.requests.is_none()) {
        found.skipped.extend(lists_of_metrics(&records));
    }
    Ok(found)
}

/// The runs of records, a row each.
///
/// # Errors
///
/// As for any table.
pub(crate) fn found_in_records(
    path: &str,
    records: &[Record],
    options: &Options,
) -> Result<Found, Error> {
    let mut table = table_of(path, records);
    let mut arranged = arrange(&mut table, Caption::default(), 0)?;
    let notes = std::mem::take(&mut arranged.notes);
    let mut found = found_in(&mut table, (None, false), options, |_, _| Ok(Vec::new()))?;
    arranged.apply(&mut found.runs);
    arranged.describe(&mut found.tables);
    found.skipped.splice(0..0, notes);
    Ok(found)
}

/// Lists where a run has one number, each key once.
pub(crate) fn lists_of_metrics(records: &[Record]) -> impl Iterator<Item = Skipped> {
    let mut lists: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for record in records {
        for key in &record.lists {
            lists.entry(key).or_default().push(record.index);
        }
    }
    let of_metric = |key: &str| fields::names_result(key) || is_of_request(key);
    lists.into_iter().filter(move |(key, _)| of_metric(key)).map(|(key, objects)| Skipped {
        place: format!("object {}", objects[0]),
        why: format!(
            "\"{}\" is a list (in {} of {} objects) and is not read: a run has one number per metric",
            short(key),
            objects.len(),
            records.len()
        ),
    })
}
