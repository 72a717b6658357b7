//! Any markdown table: a record per run, or a column per variant.
//!
//! Replicate: a row, or in a table `| metric | before | after |` a column; columns of one name are repeats.
//! Tables count only in a file that the user names, because a folder of results may hold notes with tables about
//! anything.

use crate::error::Error;
use crate::read::kit::contains;
use crate::read::reader::{Content, Found, Options, Reader};
use crate::read::table::delimited::normalise;
use crate::read::table::layout::{Arranged, arrange};
use crate::read::table::own_reports;
use crate::read::table::records::{Row, Table};
use crate::read::table::roles::Roles;
use crate::read::table::rows::runs_of;
use crate::read::text::headings::label_of;
use crate::sanitize::cleaned;

pub(crate) const READER: Reader = Reader {
    name: "markdown table",
    recognised_by: "a row of |---|---| under a header, in a file that is named",
    one_run: "a row, or a column per variant where the rows are metrics",
    recognise: |content, named| {
        named && content.bytes().contains(&b'|') && !tables(&content.text()).is_empty()
    },
    read,
    ..Reader::EMPTY
};

/// A table of a text.
struct Grid<'a> {
    heading: Option<String>,
    headers: Vec<String>,
    /// Line and cells of each row.
    rows: Vec<(usize, Vec<&'a str>)>,
}

/// The cells of a line, in which a pipe after a backslash is text.
fn cells(line: &str) -> Option<Vec<&str>> {
    let line = line.trim().trim_start_matches('>').trim();
    let inner = line.strip_prefix('|').or_else(|| line.contains('|').then_some(line))?;
    let (mut cells, mut start) = (Vec::new(), 0);
    for (at, _) in inner.match_indices('|') {
        if !inner[..at].ends_with('\\') {
            cells.push(inner[start..at].trim());
            start = at + 1;
        }
    }
    if start < inner.len() || cells.is_empty() {
        cells.push(inner[start..].trim());
    }
    Some(cells)
}

fn is_rule(cells: &[&str]) -> bool {
    !cells.is_empty()
        && cells.iter().all(|cell| cell.contains('-') && cell.chars().all(|c| "-: ".contains(c)))
}

fn tables(text: &str) -> Vec<Grid<'_>> {
    let mut found: Vec<Grid> = Vec::new();
    let (mut heading, mut above, mut open) = (None, None, false);
    for (index, line) in text.lines().enumerate() {
        let Some(cells) = cells(line) else {
            heading = label_of(line, index + 1).or(heading);
            (above, open) = (None, false);
            continue;
        };
        match (&above, found.last_mut().filter(|_| open)) {
            (_, Some(table)) => table.rows.push((index + 1, cells)),
            (Some(headers), None) if is_rule(&cells) => {
                let headers: &Vec<&str> = headers;
                let headers = headers.iter().map(|cell| plain(cell)).collect();
                found.push(Grid { heading: heading.clone(), headers, rows: Vec::new() });
                open = true;
            }
            _ => above = Some(cells),
        }
    }
    found.retain(|table| !table.rows.is_empty());
    found
}

/// A cell as it is seen: without marks of emphasis, links, tags, footnotes and the arrows beside a number.
fn plain(cell: &str) -> String {
    let bare = cell.replace("\\|", "|").replace(['*', '`', '\u{fe0f}'], "").replace("~~", "");
    let bare = without_links(&bare);
    let bare: String = bare.chars().filter(|c| !"¹²³⁴⁵⁶⁷⁸⁹⁰†‡".contains(*c)).collect();
    let bare = ["(higher is better)", "(lower is better)", "<br>", "<br/>"]
        .iter()
        .fold(bare, |text, mark| text.replace(mark, " "));
    let mark = |c: char| {
        c.is_whitespace()
            || matches!(c, '↑' | '↓' | '▲' | '▼' | '→' | '↗' | '↘')
            || c >= '\u{2600}' && !c.is_alphabetic() && c < '\u{3000}'
            || ('\u{1f300}'..='\u{1faff}').contains(&c)
    };
    cleaned(bare.trim_matches(mark))
}

/// The text of links, and nothing of tags, images and footnotes.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['[', '<', '!']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let link = tail.trim_start_matches('!');
        let label = link.strip_prefix('[').and_then(|inner| inner.split_once(']'));
        let linked = label.and_then(|(label, after)| {
            let (_, after) = after.strip_prefix('(')?.split_once(')')?;
            Some((if tail.starts_with('!') { "" } else { label }, after))
        });
        let footnote =
            label.filter(|(label, _)| label.starts_with('^')).map(|(_, after)| ("", after));
        let tag = tail.strip_prefix('<').and_then(|inner| {
            let named =
                inner.trim_start_matches('/').starts_with(|c: char| c.is_ascii_alphabetic());
            let (name, after) = inner.split_once('>').filter(|_| named)?;
            // Superscripts are marks.
            let raised = name == "sup";
            Some((
                "",
                if raised {
                    after.split_once("</sup>").map_or(after, |(_, after)| after)
                } else {
                    after
                },
            ))
        });
        if let Some((label, after)) = linked.or(footnote).or(tag) {
            out.push_str(label);
            rest = after;
        } else {
            let length = tail.chars().next().map_or(1, char::len_utf8);
            out.push_str(&tail[..length]);
            rest = &tail[length..];
        }
    }
    out + rest
}

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let text = content.text();
    if contains(content.bytes(), b"<!-- beyondnoise -->") {
        return Ok(own_reports::skip());
    }
    let mut found = Found::default();
    let tables = tables(&text);
    let several = tables.len() > 1;
    let mut columns = 0;
    for grid in tables {
        let heading = grid.heading.clone();
        let label = heading.clone().filter(|_| several);
        let width = grid.headers.len();
        let mut table = table_of(content.path, grid)?;
        let Arranged { notes, averages } = arrange(&mut table, heading.as_deref(), columns)?;
        columns += width;
        found.skipped.extend(notes);
        if table.rows.is_empty() {
            continue;
        }
        let roles = Roles::assign(&table, options)?;
        found.skipped.extend(normalise(&mut table, &roles));
        let mut part = runs_of(&table, &roles, options)?;
        averages.apply(&mut part.runs);
        for run in &mut part.runs {
            if run.variant.is_empty() {
                run.variant = label.clone().unwrap_or_default();
            } else {
                run.workload.label = label.clone().or(run.workload.label.take());
            }
        }
        found.runs.extend(part.runs);
        found.skipped.extend(part.skipped);
        found.columns = if several { Vec::new() } else { roles.described(&table) };
    }
    Ok(found)
}

/// The table with cells as they are seen.
fn table_of<'a>(path: &'a str, Grid { headers, rows, .. }: Grid) -> Result<Table<'a>, Error> {
    let mut table = Table { path, counts: "line", ..Table::default() };
    for (line, cells) in rows {
        // A row may name those that follow.
        let names = cells.len() < headers.len()
            && cells.first().is_some_and(|first| first.starts_with("**") || cells.len() > 1)
            && cells[1..].iter().all(|cell| cell.is_empty());
        if names {
            continue;
        }
        if cells.len() != headers.len() {
            let problem =
                format!("expected {} cells as in the header, found {}", headers.len(), cells.len());
            return Err(Error::at_line(path, line, problem, "fix the row"));
        }
        let cells = cells.iter().map(|cell| plain(cell)).collect();
        table.rows.push(Row { number: line, cells });
    }
    table.headers = headers;
    Ok(table)
}
