//! Tables for a terminal; where one is too wide for it, its rows become blocks of lines.

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width};
use textwrap::core::display_width;

use crate::report::escape::clipped;
use crate::report::row_text;

use crate::report::overview::Overview;
use crate::report::text::{TextOptions, coloured, glued, indented, paragraph, unglued};
use crate::report::units;
use crate::report::words;
use crate::report::{Comparison, Row};

/// Columns of a label above which letters stand for the variants in a table.
const LONGEST_HEAD: usize = 14;

/// Columns that words in a table need so that none of ours is broken.
const NARROWEST_WORDS: u16 = 14;

/// The candidates of one workload with the changes of the deciding metrics.
pub(super) fn overview_table(overview: &Overview, options: TextOptions) -> String {
    let mut table = plain(options);
    let heads = overview.columns.iter().map(|name| clipped(name));
    table.set_header(std::iter::once("".into()).chain(heads).chain(["verdict".into()]));
    for row in &overview.rows {
        // Several columns have room for the change only; what it means stands below it.
        let between = if overview.columns.len() > 1 { "\n" } else { " " };
        let right = |cell: &[String; 2]| number(&cell.join(between));
        let verdict = words::headline(row.comparison.headline);
        let name = Cell::new(clipped(&row.name));
        let cells = row.cells.iter().map(right);
        table.add_row(std::iter::once(name).chain(cells).chain([Cell::new(verdict)]));
    }
    let last = overview.columns.len() + 1;
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_constraint(if index == 0 {
            ColumnConstraint::LowerBoundary(Width::Fixed(NARROWEST_WORDS))
        } else if index == last {
            ColumnConstraint::LowerBoundary(Width::Fixed(10))
        } else {
            ColumnConstraint::ContentWidth
        });
    }
    finished(&table, options).unwrap_or_else(|| {
        let mut out = String::new();
        for row in &overview.rows {
            let verdict = words::headline(row.comparison.headline);
            paragraph(&mut out, &format!("{}: {verdict}", row.name), options.width, "  ");
            for (name, [change, word]) in overview.columns.iter().zip(&row.cells) {
                let text = format!("{name} {change} {word}");
                indented(&mut out, &text, options.width, ("  ", "    "));
            }
        }
        if options.colour { coloured(&out) } else { out }
    })
}

/// Both estimates of each metric, the change and what is said of it.
pub(super) fn metric_table(
    comparison: &Comparison,
    rows: &[&Row],
    single: bool,
    options: TextOptions,
) -> String {
    let (a, b) = columns(comparison);
    let mut table = plain(options);
    if single {
        table.set_header(["", a, b, "change", "beyond noise if CV <"]);
    } else {
        table.set_header(["", a, b, "change", &words::level(comparison), "verdict"]);
    }
    for row in rows {
        let (before, after) = row_text::estimates(row);
        let mut cells: Vec<Cell> = vec![Cell::new(clipped(units::row_label(row)))];
        let numbers = if single {
            let below = words::break_even(row);
            vec![before, after, words::change_and_way(row), below]
        } else {
            vec![before, after, row_text::change_and_factor(row), row_text::interval(row)]
        };
        cells.extend(numbers.iter().map(|text| number(text)));
        if !single {
            cells.push(Cell::new(glued(&words::short_verdict(row))));
        }
        table.add_row(cells);
    }
    // A number is never broken; names and the words of a verdict may be, at a space.
    let last = if single { 4 } else { 5 };
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_constraint(if index == 0 || index == last {
            ColumnConstraint::LowerBoundary(Width::Fixed(NARROWEST_WORDS))
        } else {
            ColumnConstraint::ContentWidth
        });
    }
    let mut out = String::new();
    if a != comparison.baseline.name {
        let legend = format!("A = {}, B = {}", comparison.baseline.name, comparison.candidate.name);
        paragraph(&mut out, &legend, options.width, "");
    }
    out + &finished(&table, options).unwrap_or_else(|| blocks(comparison, rows, single, options))
}

/// The rows of a table below each other, for a narrow terminal.
fn blocks(comparison: &Comparison, rows: &[&Row], single: bool, options: TextOptions) -> String {
    let mut out = String::new();
    let (a, b) = columns(comparison);
    for row in rows {
        let (before, after) = row_text::estimates(row);
        let said = if single {
            format!("beyond noise if CV < {}", words::break_even(row))
        } else {
            let level = if row.exact { String::new() } else { words::level(comparison) + " " };
            format!("{level}{}: {}", row_text::interval(row), words::short_verdict(row))
        };
        paragraph(&mut out, units::row_label(row), options.width, "  ");
        for text in [format!("{a} {before}"), format!("{b} {after}")] {
            indented(&mut out, &text, options.width, ("  ", "    "));
        }
        let change =
            if single { words::change_and_way(row) } else { row_text::change_and_factor(row) };
        indented(&mut out, &format!("{change}, {said}"), options.width, ("  ", "    "));
    }
    if options.colour { coloured(&out) } else { out }
}

/// Heads of the two columns of values: the labels, or letters where these are long.
fn columns(comparison: &Comparison) -> (&str, &str) {
    let (a, b) = (comparison.baseline.name.as_str(), comparison.candidate.name.as_str());
    let long = |name: &str| display_width(name) > LONGEST_HEAD;
    if long(a) || long(b) { ("A", "B") } else { (a, b) }
}

/// A cell of a number, on the right and never broken before its percent sign.
pub(super) fn number(text: &str) -> Cell {
    Cell::new(glued(text)).set_alignment(CellAlignment::Right)
}

/// A table without lines.
pub(super) fn plain(options: TextOptions) -> Table {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(options.width);
    table
}

/// The lines of a table, if they fit the terminal.
pub(super) fn finished(table: &Table, options: TextOptions) -> Option<String> {
    let text = unglued(&table.trim_fmt()) + "\n";
    let fits = text.lines().all(|line| display_width(line) <= usize::from(options.width));
    fits.then(|| if options.colour { coloured(&text) } else { text })
}
