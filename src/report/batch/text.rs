//! A batch for a terminal: one screen, or a line per cell.

use comfy_table::{Cell, ColumnConstraint, Width};
use textwrap::core::display_width;

use crate::report::batch::{
    Line, MOST_SHOWN, MOST_WARNINGS, headline, lines, method, next, none_judged, not_judged,
    several_candidates, warnings,
};
use crate::report::escape::clipped;
use crate::report::markdown::skipped;
use crate::report::text::{
    TextOptions, coloured, glued, indented, paint, paragraph, repeats, style_of,
};
use crate::report::text_table::{finished, number, plain};
use crate::report::words;
use crate::report::{BatchRow, Report};

/// Entries of a list of what was left out.
const MOST_IN_A_LIST: usize = 10;

/// The report of a batch as plain text of `options.width` columns; with `all`, a line for every cell.
///
/// A report without a batch gives an empty text.
pub fn batch_text(report: &Report, all: bool, options: TextOptions) -> String {
    let mut out = String::new();
    let Some(batch) = &report.batch else { return out };
    let style = report.comparisons.first().map(|worst| style_of(worst.headline));
    let head = format!("beyondnoise: {}", headline(batch, report));
    // One line for a script is never broken.
    let width = if options.quiet { u16::MAX } else { options.width };
    paint(&mut out, &head, style.unwrap_or_default(), TextOptions { width, ..options });
    if options.quiet {
        return out;
    }
    if !report.repeats.is_empty() {
        out.push('\n');
    }
    repeats(&mut out, report, options);
    let lines = lines(report, batch, all || options.verbose);
    let shown = if all || options.verbose { lines.len() } else { lines.len().min(MOST_SHOWN) };
    if shown > 0 {
        if report.repeats.is_empty() {
            out.push('\n');
        }
        out.push_str(&cells(report, batch, &lines[..shown], options));
        out.push('\n');
        if shown < lines.len() {
            let text = format!(
                "and {} more{}: --all, or -o DIR for everything",
                lines.len() - shown,
                if none_judged(report) { "" } else { " that moved" }
            );
            paragraph(&mut out, &text, options.width, "");
        }
    }
    let found = warnings(report);
    let most = if options.verbose { found.len() } else { MOST_WARNINGS };
    for warning in found.iter().take(most) {
        paragraph(&mut out, &format!("warning: {warning}"), options.width, "  ");
    }
    for text in not_judged(report, batch, all || options.verbose) {
        paragraph(&mut out, &text, options.width, "  ");
    }
    let left_out = skipped(report);
    let most = if options.verbose { left_out.len() } else { MOST_IN_A_LIST };
    for text in left_out.iter().take(most) {
        paragraph(&mut out, &text.replace('`', ""), options.width, "  ");
    }
    if left_out.len() > most {
        paragraph(
            &mut out,
            &format!("and {} more left out (-v)", left_out.len() - most),
            options.width,
            "  ",
        );
    }
    paragraph(
        &mut out,
        &format!("Next: {}", next(report, batch).replace('`', "")),
        options.width,
        "",
    );
    if options.verbose {
        paragraph(&mut out, &method(report, batch), options.width, "");
    }
    out
}

/// The lines as a table with a column for each part of a cell's name, else as one with the names in one column,
/// else as blocks of lines: the first that fits without breaking a word.
fn cells(report: &Report, batch: &BatchRow, lines: &[Line], options: TextOptions) -> String {
    let several = several_candidates(report);
    let level = report.comparisons.first().map(words::level).unwrap_or_default();
    let by = batch.by.iter().map(|name| clipped(name).into_owned());
    let head = by.chain(several.then(|| "candidate".to_owned()));
    let names: Vec<Vec<String>> = lines.iter().map(|line| name(line, several)).collect();
    table((&head.collect::<Vec<_>>(), &names), &level, lines, options)
        .or_else(|| {
            let joined: Vec<Vec<String>> =
                names.iter().map(|parts| vec![parts.join(", ")]).collect();
            table((&["cell".to_owned()], &joined), &level, lines, options)
        })
        .unwrap_or_else(|| blocks(&names, &level, lines, options))
}

/// The values that name a cell, and the two variants where several are compared in one.
fn name(line: &Line, several: bool) -> Vec<String> {
    let comparison = line.comparison;
    let variants = several
        .then(|| format!("{} against {}", comparison.candidate.name, comparison.baseline.name));
    let parts = line.cell.iter().map(|&value| value.to_owned()).chain(variants);
    parts.map(|part| clipped(&part).into_owned()).collect()
}

/// A table of the lines under `names`, its first columns and their heads, if it fits the terminal.
fn table(
    (head, names): (&[String], &[Vec<String>]),
    level: &str,
    lines: &[Line],
    options: TextOptions,
) -> Option<String> {
    let mut table = plain(options);
    let level = glued(level);
    let columns = ["metric", "change", &level, "verdict"].map(str::to_owned);
    let head: Vec<String> = head.iter().cloned().chain(columns).collect();
    // No word is broken: a column has room for its longest.
    let longest = |text: &str| glued(text).split(' ').map(display_width).max();
    let mut widest: Vec<usize> = head.iter().map(|text| longest(text).unwrap_or(0)).collect();
    for (line, name) in lines.iter().zip(names) {
        let metric = clipped(line.metric);
        let row = name.iter().map(String::as_str).chain([&*metric, "", "", &line.verdict]);
        for (widest, text) in widest.iter_mut().zip(row) {
            *widest = longest(text).unwrap_or(0).max(*widest);
        }
        let words = |text: &str| Cell::new(glued(text));
        let cells = name.iter().map(|part| words(part)).chain([
            words(&metric),
            number(&line.change),
            number(&line.interval),
            words(&line.verdict),
        ]);
        table.add_row(cells.collect::<Vec<_>>());
    }
    let numbers = head.len() - 3..head.len() - 1;
    table.set_header(head);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_constraint(if numbers.contains(&index) {
            ColumnConstraint::ContentWidth
        } else {
            // The blank between two columns belongs to them.
            let width = u16::try_from(widest[index] + 2).unwrap_or(u16::MAX);
            ColumnConstraint::LowerBoundary(Width::Fixed(width))
        });
    }
    finished(&table, options)
}

/// The lines below each other, for a narrow terminal.
fn blocks(names: &[Vec<String>], level: &str, lines: &[Line], options: TextOptions) -> String {
    let mut out = String::new();
    for (line, name) in lines.iter().zip(names) {
        paragraph(&mut out, &name.join(", "), options.width, "  ");
        let numbers = if line.metric.is_empty() {
            String::new()
        } else {
            format!("{} {}, {level} {}: ", clipped(line.metric), line.change, line.interval)
        };
        let text = format!("{numbers}{}", line.verdict);
        indented(&mut out, &text, options.width, ("  ", "    "));
    }
    if options.colour { coloured(&out) } else { out }
}
