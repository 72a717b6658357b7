//! A noise report for a terminal.

use anstyle::{AnsiColor, Style};
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width};

use crate::noise::{LeftOut, NoiseReport, Repeats};
use crate::report::escape::clipped;
use crate::report::noise::words::{self, Grid};
use crate::report::noise::{BEFORE_FOLD, ONE_BY_ONE};
use crate::report::text::{TextOptions, paragraph};

/// Columns that words in a table need.
const NARROWEST_WORDS: u16 = 14;

/// Left-out parts that are listed.
const MOST_LEFT_OUT: usize = 3;

/// The report as plain text of `options.width` columns.
pub fn noise_text(report: &NoiseReport, options: TextOptions) -> String {
    let mut out = String::new();
    headline(&mut out, report, options);
    let several = report.repeats.len() > 1;
    if options.quiet {
        for repeats in report.repeats.iter().filter(|_| several) {
            let text = format!("{}: {}", words::full_title(repeats, report), repeats.summary);
            paragraph(&mut out, &plain(&text), options.width, "  ");
        }
        return out;
    }
    if report.repeats.len() > ONE_BY_ONE && !options.verbose {
        glances(&mut out, report, options);
    } else {
        for repeats in &report.repeats {
            if several {
                out.push('\n');
                let text = format!("{}: {}", words::title(repeats), repeats.summary);
                paragraph(&mut out, &plain(&text), options.width, "  ");
            }
            section(&mut out, repeats, report, options);
        }
    }
    out.push('\n');
    paragraph(&mut out, &words::method(report), options.width, "");
    left_out(&mut out, report, options);
    out
}

fn headline(out: &mut String, report: &NoiseReport, options: TextOptions) {
    let mut text = String::new();
    paragraph(
        &mut text,
        &plain(&format!("beyondnoise noise: {}", report.summary)),
        options.width,
        "",
    );
    if options.colour {
        let odd = report.repeats.iter().any(|repeats| words::warnings(repeats).next().is_some());
        let colour = if odd { AnsiColor::Yellow } else { AnsiColor::Cyan };
        let style = Style::new().bold().fg_color(Some(colour.into()));
        text = format!("{style}{}{style:#}\n", text.trim_end());
    }
    out.push_str(&text);
}

/// Code marks are for markdown.
fn plain(text: &str) -> String {
    text.replace('`', "")
}

fn section(out: &mut String, repeats: &Repeats, report: &NoiseReport, options: TextOptions) {
    let width = options.width;
    paragraph(out, &format!("({})", repeats.workload.describe()), width, "");
    if let Some(text) = words::pooled(repeats) {
        paragraph(out, &plain(&text), width, "");
    }
    let metrics = words::shown(repeats, options.verbose);
    out.push('\n');
    grid(out, words::spread(&metrics, report), width, false);
    if let Some(finds) = words::finds(&metrics) {
        grid(out, finds, width, false);
    }
    let most = if options.verbose { usize::MAX } else { BEFORE_FOLD };
    for finding in words::warnings(repeats).take(most) {
        paragraph(out, &plain(&format!("warning: {}", words::told(finding))), width, "  ");
    }
    for finding in words::notes(repeats).filter(|_| options.verbose) {
        paragraph(out, &plain(&format!("note: {}", words::told(finding))), width, "  ");
    }
    for text in words::levels(repeats).into_iter().chain(words::within(repeats)) {
        paragraph(out, &text, width, "");
    }
    if let Some(text) = words::halves(repeats, report) {
        paragraph(out, &text, width, "");
    }
    if options.verbose {
        paragraph(out, &plain(&words::runs(repeats)), width, "");
    }
    paragraph(out, &plain(&format!("Next: {}", repeats.next_step)), width, "");
}

/// A table per workload where there are many builds.
fn glances(out: &mut String, report: &NoiseReport, options: TextOptions) {
    for glance in words::glances(report) {
        paragraph(out, &format!("({})", glance.workload), options.width, "");
        out.push('\n');
        grid(out, glance.grid, options.width, true);
    }
    let warnings = words::warnings_of_all(report);
    for text in warnings.iter().take(BEFORE_FOLD) {
        paragraph(out, &plain(&format!("warning: {text}")), options.width, "  ");
    }
    if warnings.len() > BEFORE_FOLD {
        let more = warnings.len() - BEFORE_FOLD;
        let text = format!("{more} more builds with findings: -v shows each.");
        paragraph(out, &text, options.width, "");
    }
    paragraph(out, &plain(&format!("Next: {}", report.next_step)), options.width, "");
}

fn left_out(out: &mut String, report: &NoiseReport, options: TextOptions) {
    let most = if options.verbose { usize::MAX } else { MOST_LEFT_OUT };
    for LeftOut { place, why } in report.skipped.iter().take(most) {
        paragraph(out, &plain(&format!("left out: {place}: {why}.")), options.width, "  ");
    }
    if report.skipped.len() > most {
        let more = report.skipped.len() - most;
        paragraph(out, &format!("left out: {more} more; -v lists all."), options.width, "  ");
    }
}

/// Adds a table; the first column is words, and the last too where `words_last` says so.
fn grid(out: &mut String, Grid { head, rows }: Grid, width: u16, words_last: bool) {
    let last = head.len() - 1;
    let words = |index: usize| index == 0 || (words_last && index == last);
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width);
    let cells = |texts: Vec<String>| {
        texts.into_iter().enumerate().map(|(index, text)| {
            let cell = Cell::new(clipped(&text));
            if words(index) { cell } else { cell.set_alignment(CellAlignment::Right) }
        })
    };
    table.set_header(cells(head));
    for row in rows {
        table.add_row(cells(row));
    }
    // A number is never broken; names may be, at a space.
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_constraint(if words(index) {
            ColumnConstraint::LowerBoundary(Width::Fixed(NARROWEST_WORDS))
        } else {
            ColumnConstraint::ContentWidth
        });
    }
    out.push_str(&table.trim_fmt());
    out.push_str("\n\n");
}
