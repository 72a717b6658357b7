//! Reports of this program, which may lie beside the results that they are made of.

use crate::kit::prelude::*;

pub(crate) const READER: Reader = Reader {
    name: "beyondnoise report",
    recognised_by: "the columns or the `schema` of a report of this program",
    one_run: "none: it holds no runs",
    recognise: |content, _| is_report(content),
    read: |_, _| Ok(skip()),
    ..Reader::EMPTY
};

/// Why a report is left out.
pub(crate) const WHY: &str = "a report of this program, not a result";

/// Adjacent columns of a report as a table, after those that name the cells of a batch.
const COLUMNS: [&[&str]; 4] = [
    &["workload", "baseline", "candidate", "headline", "gate", "metric"],
    &["shape", "baseline_runs", "candidate_runs", "method", "across"],
    &["runs", "groups", "noise", "method", "comparisons"],
    &["workload", "variant", "metric", "baseline_runs", "candidate_runs", "method"],
];

/// Longest first line, and longest start or end of a document, that is looked at.
const MAX_FIRST_LINE_BYTES: usize = 1 << 14;
const NEAR: usize = 200;

/// A skipped report.
pub(crate) fn skip() -> Found {
    Found::nothing(WHY)
}

/// Whether a table with these columns is a report.
pub(crate) fn has_columns<S: AsRef<str>>(headers: &[S]) -> bool {
    let same = |(header, name): (&S, &&str)| header.as_ref().trim() == *name;
    COLUMNS.iter().any(|columns| {
        headers.windows(columns.len()).any(|part| part.iter().zip(*columns).all(same))
    })
}

fn is_report(content: &Content) -> bool {
    let bytes = content.bytes().trim_ascii();
    if let Some(inner) = bytes.strip_prefix(b"{") {
        let inner = inner.strip_suffix(b"}").unwrap_or(inner).trim_ascii();
        let (start, end) =
            (&inner[..inner.len().min(NEAR)], &inner[inner.len().saturating_sub(NEAR)..]);
        let last = memchr::memmem::rfind(end, SCHEMA).map(|at| &end[at..]);
        return [Some(start), last].into_iter().flatten().any(names_schema);
    }
    let line = String::from_utf8_lossy(content.first_line(MAX_FIRST_LINE_BYTES));
    line.starts_with(|c: char| !"{[<#".contains(c))
        && has_columns(&line.split(',').collect::<Vec<_>>())
}

const SCHEMA: &[u8] = b"\"schema\"";

/// Whether `text` begins with the schema key of this program.
fn names_schema(text: &[u8]) -> bool {
    let value =
        text.strip_prefix(SCHEMA).and_then(|rest| rest.trim_ascii_start().strip_prefix(b":"));
    value.is_some_and(|value| value.trim_ascii_start().starts_with(b"\"beyondnoise"))
}
