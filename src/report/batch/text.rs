//! A batch for a terminal: one screen, or a line per cell.

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width};

use crate::report::Report;
use crate::report::batch::{
    MOST_SHOWN, MOST_WARNINGS, headline, lines, method, next, several_candidates, warnings,
};
use crate::report::markdown::{skipped, unmatched};
use crate::report::text::{TextOptions, coloured, paint, paragraph, style_of};

/// Columns that a name in a table needs so that it is not broken letter by letter.
const NARROWEST: u16 = 10;

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
    paint(&mut out, &head, style.unwrap_or_default(), options);
    if options.quiet {
        return out;
    }
    let lines = lines(report, batch, all || options.verbose);
    let shown = if all || options.verbose { lines.len() } else { lines.len().min(MOST_SHOWN) };
    if shown > 0 {
        out.push('\n');
        let several = several_candidates(report);
        let mut table = Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(options.width);
        let mut head: Vec<String> = batch.by.clone();
        if several {
            head.push("candidate".to_owned());
        }
        let names = head.len();
        let level = report.comparisons.first().map(crate::report::words::level);
        head.extend([
            "metric".to_owned(),
            "change".to_owned(),
            level.unwrap_or_default(),
            "verdict".to_owned(),
        ]);
        table.set_header(head);
        for line in &lines[..shown] {
            let mut cells: Vec<Cell> = line.cell.iter().map(Cell::new).collect();
            if several {
                cells.push(Cell::new(format!(
                    "{} against {}",
                    line.comparison.candidate.name, line.comparison.baseline.name
                )));
            }
            let right = |text: &str| Cell::new(text).set_alignment(CellAlignment::Right);
            cells.extend([
                Cell::new(line.metric),
                right(&line.change),
                right(&line.interval),
                Cell::new(&line.verdict),
            ]);
            table.add_row(cells);
        }
        for (index, column) in table.column_iter_mut().enumerate() {
            let number = index == names + 1 || index == names + 2;
            column.set_constraint(if number {
                ColumnConstraint::ContentWidth
            } else {
                ColumnConstraint::LowerBoundary(Width::Fixed(NARROWEST))
            });
        }
        let text = table.trim_fmt();
        out.push_str(&if options.colour { coloured(&text) } else { text });
        out.push_str("\n\n");
        if shown < lines.len() {
            let text = format!(
                "and {} more that moved: --all, or -o DIR for everything",
                lines.len() - shown
            );
            paragraph(&mut out, &text, options.width, "");
        }
    }
    let found = warnings(report);
    let most = if options.verbose { found.len() } else { MOST_WARNINGS };
    for warning in found.iter().take(most) {
        paragraph(&mut out, &format!("warning: {warning}"), options.width, "  ");
    }
    let left_out: Vec<String> = skipped(report).into_iter().chain(unmatched(report)).collect();
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
