//! The files that were read, their skipped parts, and the settings in force.

use std::collections::BTreeMap;

use crate::format::{self, counted};
use crate::report::Report;
use crate::report::document::blocks::{
    Block, Cell, Kind, Role, Room, Table, number_columns, skipped,
};
use crate::report::document::cells::{column, number};
use crate::runs::Skipped;

/// Skipped parts that are shown without unfolding.
const MAX_SHOWN: usize = 3;

/// The skipped parts with their reasons, the first three unfolded; for a page the files and the settings too.
pub(crate) fn inputs(report: &Report) -> Vec<Block<'_>> {
    let several = report.inputs.len() > 1;
    let all = report
        .inputs
        .iter()
        .flat_map(|input| input.skipped.iter().map(move |part| (&*input.path, part)));
    let all: Vec<_> = all.collect();
    let parts = alike(&all).into_iter().map(|(path, part, count)| Skipped {
        place: match &*part.place {
            "file" if count > 1 => format!("{count} files {}", file_name(path)),
            "file" => path.to_owned(),
            place if several => format!("{path}, {place}"),
            place => place.to_owned(),
        },
        why: part.why.clone(),
    });
    let mut blocks = skipped(&parts.collect::<Vec<_>>(), MAX_SHOWN);
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
    let row = |input: &crate::runs::Input| {
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
