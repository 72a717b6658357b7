//! Tables that sort, with changes drawn on one axis for each column.

use maud::{Markup, html};

use crate::format::counted;
use crate::render::html::prose::{glued, inline, label};
use crate::render::icon;
use crate::render::plot::scale::{Scale, span};
use crate::render::plot::{mark, px};
use crate::report::Row;
use crate::report::comparison::row_text;
use crate::report::document::{Cell, Column, Kind, Table};

const CELL: (f64, f64) = (150.0, 20.0);

/// Columns from which on a phone has no room for them side by side.
const STACKED: usize = 4;

/// Columns that paper has room for in the usual size.
const MAX_COLUMNS_ON_PAPER: usize = 7;

/// Letters of a word in the head of a column that stay on one line.
const MAX_WORD_OF_A_HEAD: usize = 18;

/// A table in a box that scrolls on a narrow page; rows after the fold are folded.
pub(super) fn table(table: &Table) -> Markup {
    let shown = table.before_fold.unwrap_or(table.rows.len()).min(table.rows.len());
    let (first, rest) = table.rows.split_at(shown);
    html! {
        (rows(table, first))
        @if !rest.is_empty() {
            details { summary { (counted(rest.len(), "more row")) } div class="inside" { (rows(table, rest)) } }
        }
    }
}

fn rows(table: &Table, rows: &[Vec<Cell>]) -> Markup {
    let axes: Vec<Option<Scale>> = (0..table.columns.len())
        .map(|index| {
            let drawn: Vec<&Row> = rows.iter().filter_map(|row| row[index].drawn).collect();
            axis(&drawn)
        })
        .collect();
    let variants = table.columns.iter().any(|column| column.kind == Kind::Variant);
    let class = match table.columns.len() {
        _ if variants => Some("metrics"),
        0..STACKED => None,
        STACKED..=MAX_COLUMNS_ON_PAPER => Some("stacked"),
        _ => Some("numbers"),
    };
    html! {
        div class="scroll" role="group" tabindex="0" aria-label=(table.label) {
            table class=[class] data-sort {
                thead { tr { @for (index, column) in table.columns.iter().enumerate() { (head(table, index, column)) } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (index, cell) in row.iter().enumerate() {
                                @if index == 0 {
                                    th scope="row" { (content(cell)) @if variants { (narrow(table, row)) } }
                                } @else { (data(&table.columns[index], cell, axes[index].as_ref())) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn head(table: &Table, index: usize, column: &Column) -> Markup {
    let before = table.columns[..index].iter().filter(|one| one.kind == Kind::Variant).count();
    let mark = if before == 0 { "key a" } else { "key b" };
    let long = column.head.split_whitespace().any(|word| word.chars().count() > MAX_WORD_OF_A_HEAD);
    html! {
        @match column.kind {
            Kind::Words => th scope="col" { (label(&column.head)) },
            Kind::Numbers => th scope="col" class=(if long { "number long" } else { "number" }) { (glued(&column.head)) },
            Kind::Variant => th scope="col" class="number wide" { span class=(mark) { (label(&column.head)) } },
        }
    }
}

fn data(column: &Column, cell: &Cell, axis: Option<&Scale>) -> Markup {
    let class = match column.kind {
        Kind::Words if cell.sign.is_some() => "words",
        Kind::Words => "",
        Kind::Numbers => "number",
        Kind::Variant => "number wide",
    };
    html! {
        td class=[(!class.is_empty()).then_some(class)] data-head=(column.head) data-key=[cell.key.map(|key| key.to_string())] {
            (content(cell))
            @if let (Some(row), Some(axis)) = (cell.drawn, axis) { (small_interval(row, axis)) }
        }
    }
}

/// The words of a cell with their sign and link.
fn content(cell: &Cell) -> Markup {
    let words = html! {
        @if let Some(tone) = cell.sign {
            @let (class, sign) = icon::of_tone(tone);
            span class={ "word " (class) } { (sign) (inline(&cell.text)) }
        } @else { bdi { (inline(&cell.text)) } }
        @if !cell.more.is_empty() { span class="direction" { (glued(&cell.more)) } }
    };
    match &cell.link {
        Some(anchor) => html! { a href={ "#" (anchor) } { (words) } },
        None => words,
    }
}

/// The values of the variants below the name of the row, where the page is too narrow for their columns.
fn narrow(table: &Table, row: &[Cell]) -> Markup {
    let values = table.columns.iter().zip(row).filter(|(column, _)| column.kind == Kind::Variant);
    let values: Vec<String> = values.map(|(_, cell)| cell.text.words()).collect();
    html! { span class="narrow" { (glued(&values.join(" → "))) } }
}

/// The axis that the rows of a table share; `None` where no ratio exists.
fn axis(rows: &[&Row]) -> Option<Scale> {
    span(rows).map(|ends| Scale::between(ends, 6.0, CELL.0 - 6.0))
}

/// The interval of a row in a cell, on the axis of its table; the cells beside it say the numbers.
fn small_interval(row: &Row, axis: &Scale) -> Markup {
    let Some(estimate) = row.delta.relative else { return html! {} };
    let (width, height) = CELL;
    let middle = px(height / 2.0);
    let zero = px(axis.at(0.0));
    let ends = row_text::ends(row);
    html! {
        svg class="small" aria-hidden="true" viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) {
            rect class="margin" x=(px(axis.at(-row.margin))) y="1" width=(px(axis.at(row.margin) - axis.at(-row.margin))) height=(px(height - 2.0)) {}
            line class="zero" x1=(zero) x2=(zero) y1="0" y2=(px(height)) {}
            g class=(icon::of_verdict(row.verdict).0) {
                @if let Some([low, high]) = ends {
                    line class="interval" x1=(px(axis.at(low))) x2=(px(axis.at(high))) y1=(middle) y2=(middle) {}
                    @if !axis.holds(low) { path class="more" d={ "M5 " (px(height / 2.0 - 5.0)) "l-5 5 5 5z" } {} }
                    @if !axis.holds(high) { path class="more" d={ "M" (px(width - 5.0)) " " (px(height / 2.0 - 5.0)) "l5 5-5 5z" } {} }
                }
                @if axis.holds(estimate) {
                    circle class={ "estimate" @if ends.is_none() { " open" } } cx=(px(axis.at(estimate))) cy=(middle) r="4" {}
                }
            }
        }
    }
}

/// The mark of a variant before its label.
pub(super) fn legend([a, b]: &[(&str, String); 2], changes: bool) -> Markup {
    let sides = [("a", a), ("b", b)];
    html! {
        ul class="legend" {
            @for (class, (name, runs)) in sides {
                li {
                    svg class={ "swatch " (class) } aria-hidden="true" viewBox="0 0 16 16" {
                        g class=(class) { (mark(class, (8.0, 8.0), 5.0, None)) }
                    }
                    (label(name)) ", " (if class == "a" { "baseline" } else { "candidate" }) ", " (runs)
                }
            }
            @if !changes {
                li { svg class="swatch a" aria-hidden="true" viewBox="0 0 16 16" { g class="a" { rect class="ribbon" x="1" y="3" width="14" height="10" {} } } "band in which all of a curve lies" }
            } @else {
            li { svg class="swatch" aria-hidden="true" viewBox="0 0 16 16" { line class="centre" x1="1" x2="15" y1="8" y2="8" {} } "centre of the runs" }
            li { svg class="swatch" aria-hidden="true" viewBox="0 0 16 16" { rect class="margin" x="2" y="1" width="12" height="14" {} line class="edge" x1="2" x2="2" y1="1" y2="15" {} line class="edge" x1="14" x2="14" y1="1" y2="15" {} } "changes within the margin do not matter" }
            li { svg class="swatch" aria-hidden="true" viewBox="0 0 16 16" { line class="zero" x1="8" x2="8" y1="0" y2="16" {} } "no change" }
            }
        }
    }
}
