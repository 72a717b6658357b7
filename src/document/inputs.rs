//! The files that were read, what was skipped of them, and the settings in force.

use std::collections::BTreeMap;

use crate::document::blocks::{Block, Cell, Kind, Role, Room, Table, number_columns};
use crate::document::tables::{column, number};
use crate::format::{self, counted};
use crate::report::Report;
use crate::runs::Skipped;

/// Skipped parts that are named without their reasons.
const MAX_NAMED: usize = 4;

/// The names of what was skipped, the reasons folded; for a page the files and the settings too.
pub(super) fn inputs(report: &Report) -> Vec<Block<'_>> {
    let all = report
        .inputs
        .iter()
        .flat_map(|input| input.skipped.iter().map(move |skipped| (&*input.path, skipped)));
    let all: Vec<_> = all.collect();
    let mut blocks = Vec::new();
    if !all.is_empty() {
        let parts = alike(&all);
        // A whole file is named by its path.
        let name = |(path, skipped, count): &(&str, &Skipped, usize)| match &*skipped.place {
            "file" if *count > 1 => {
                format!("{count} files `{}` ({})", file_name(path), skipped.why)
            }
            "file" => format!("`{path}` ({})", skipped.why),
            place => place.to_owned(),
        };
        let names: Vec<String> = parts.iter().take(MAX_NAMED).map(name).collect();
        let more = match parts.iter().skip(MAX_NAMED).map(|(.., count)| count).sum() {
            0 => String::new(),
            more => format!(" and {} more", format::count(more)),
        };
        let line = format!("Skipped: {}{more}.", names.join(", "));
        blocks.push(Block::marked(Role::Item, &line));
    }
    let why = all.iter().map(|(path, skipped)| {
        let text = format!("skipped in {path}, {}: {}", skipped.place, skipped.why);
        Block::marked(Role::Item, &text)
    });
    let summary = format!("{} skipped", counted(all.len(), "part"));
    blocks.extend(Block::fold(summary, Room::Any, why.collect()));
    let files = counted(report.inputs.len(), "file");
    blocks.extend(Block::fold(files, Room::Page, vec![Block::Table(files_table(report))]));
    blocks.extend(Block::fold("settings", Room::Page, settings(report)));
    blocks
}

/// The parts, where whole files of one name that are left out for one reason are one.
fn alike<'a>(all: &[(&'a str, &'a Skipped)]) -> Vec<(&'a str, &'a Skipped, usize)> {
    let mut parts: Vec<(&str, &Skipped, usize)> = Vec::new();
    let mut files: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for &(path, skipped) in all {
        let key = (file_name(path), skipped.why.as_str());
        let whole = skipped.place == "file";
        if let Some(at) = files.get(&key).filter(|_| whole) {
            parts[*at].2 += 1;
            continue;
        }
        if whole {
            files.insert(key, parts.len());
        }
        parts.push((path, skipped, 1));
    }
    parts
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn files_table(report: &Report) -> Table<'_> {
    let row = |input: &crate::report::InputRow| {
        vec![
            Cell::from(&*input.path),
            Cell::from(input.format.unwrap_or("no results")),
            number(input.runs.to_string(), Some(input.runs as f64)),
            number(input.skipped.len().to_string(), Some(input.skipped.len() as f64)),
        ]
    };
    let columns = vec![
        column("file", Kind::Words),
        column("format", Kind::Words),
        column("runs", Kind::Numbers),
        column("skipped parts", Kind::Numbers),
    ];
    let rows = report.inputs.iter().map(row).collect();
    Table::new("the files that were read", columns, rows)
}

/// The meaning of the verdicts, and the margin of each metric.
fn settings(report: &Report) -> Vec<Block<'_>> {
    let settings = &report.settings;
    let meaning = format!(
        "A change is better or worse if its interval excludes no change, adjusted for the number of metrics, and it is at \
         least the margin that matters. Within noise means that neither a change nor its absence is shown; no change means \
         that the interval lies inside the margin. The gate lets a metric be worse by up to {}.",
        format::chosen(settings.tolerance)
    );
    let rows = settings.margins.iter().map(|(name, margin)| {
        let absolute = margin.absolute;
        let least = if absolute > 0.0 { absolute.to_string() } else { "none".to_owned() };
        vec![
            Cell::from(&**name),
            number(format::chosen(margin.relative), Some(margin.relative)),
            number(least, Some(absolute)),
        ]
    });
    let columns = number_columns(["metric", "margin", "at least, in its unit"]);
    let margins = Table::new("margins", columns, rows.collect());
    vec![Block::text(Role::Plain, meaning), Block::Table(margins)]
}
