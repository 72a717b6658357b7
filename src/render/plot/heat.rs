//! The cells of a batch by two factors, coloured by their change.

use maud::{Markup, html};

use crate::format::{self, counted, shortened};
use crate::render::icon;
use crate::render::plot::drawing::{Drawing, Panel, px, short, text_width};
use crate::report::Row;
use crate::report::comparison::{row_text, words};
use crate::report::document::{Grid, Tone};
use crate::units::Better;
use crate::verdict::Verdict;

/// Narrowest and widest cell, and its height.
const CELL: (f64, f64, f64) = (86.0, 116.0, 26.0);

/// Room for the labels of the rows, at least and at most.
const LEFT: (f64, f64) = (60.0, 170.0);

/// Where the first row begins, below the labels of the columns.
const TOP: f64 = 46.0;

/// Room for the scale of the colours.
const BELOW: f64 = 66.0;

/// Size of the labels.
const SIZE: f64 = 12.5;

/// A step of the scale of colours.
const SWATCH: f64 = 40.0;

/// Steps of the scale on either side of zero.
const STEPS: i32 = 4;

/// Times the middle change at which the colours end, so that one large change does not pale all others.
const WIDEST: f64 = 2.5;

/// The panel of a grid of a metric with this direction; `None` where no change is relative.
pub(super) fn panel(grid: &Grid, of: &Row) -> Option<Panel> {
    let step = step(grid)?;
    let widest =
        |labels: &[String]| labels.iter().map(|label| text_width(label, SIZE)).fold(0.0, f64::max);
    let left = widest(&grid.rows).max(text_width(&grid.factors[0], SIZE)) + 12.0;
    let left = left.clamp(LEFT.0, LEFT.1);
    let cell = (widest(&grid.columns) + 10.0).clamp(CELL.0, CELL.1);
    let width = (left + cell * grid.columns.len() as f64).max(SWATCH * 9.0 + 8.0);
    let bottom = TOP + CELL.2 * grid.rows.len() as f64;
    let what = html! {
        (labels(grid, left, cell))
        @for (index, row) in grid.cells.iter().enumerate() {
            @for (at, one) in row.iter().enumerate() {
                @if let Some(one) = one {
                    @let corner = (left + cell * at as f64, TOP + CELL.2 * index as f64);
                    (drawn(one, step, corner, cell, &[&*grid.rows[index], &*grid.columns[at]]))
                }
            }
        }
        (scale(step, of.better, bottom + 20.0))
    };
    let drawing = Drawing {
        key: "h",
        size: (width, bottom + BELOW),
        name: format!("{}: the change in every cell", of.row_label),
        described: described(grid),
        what,
    };
    let caption = "Change; a sign marks one beyond noise".to_owned();
    Some(Panel { caption, drawing, in_picture: true })
}

fn rows<'a>(grid: &'a Grid) -> impl Iterator<Item = ((usize, usize), &'a Row)> {
    let rows = grid.cells.iter().enumerate();
    rows.flat_map(|(index, row)| {
        row.iter().enumerate().filter_map(move |(at, one)| Some(((index, at), (*one)?)))
    })
}

/// The change, a fraction, by which two colours differ: a round number.
fn step(grid: &Grid) -> Option<f64> {
    let mut sizes: Vec<f64> =
        rows(grid).filter_map(|(_, row)| Some(row.delta.relative?.abs())).collect();
    sizes.sort_by(f64::total_cmp);
    let (middle, largest) = (sizes.get(sizes.len() / 2)?, sizes.last()?);
    let margin = rows(grid).map(|(_, row)| row.margin).fold(f64::INFINITY, f64::min);
    let most = largest.min(WIDEST * middle).max(margin).clamp(1e-4, 1e4);
    let rough = most / f64::from(STEPS);
    let unit = 10_f64.powf(rough.log10().floor());
    // A little less than the number itself, so that a round one is not passed over.
    [1.0, 2.0, 3.0, 5.0, 10.0]
        .into_iter()
        .map(|step| step * unit)
        .find(|step| *step >= rough * 0.999)
}

/// The step of the colour scale for a change: negative for the worse.
fn level(row: &Row, step: f64) -> i32 {
    let worse = matches!(row.better, Some(Better::Lower));
    let relative = row.delta.relative.unwrap_or_default();
    #[expect(clippy::cast_possible_truncation, reason = "clamped to the steps of the scale")]
    let level = (relative / step).round().clamp(f64::from(-STEPS), f64::from(STEPS)) as i32;
    if worse { -level } else { level }
}

fn class(level: i32) -> String {
    match level {
        0 => "h0".to_owned(),
        1.. => format!("good{level}"),
        _ => format!("bad{}", -level),
    }
}

fn labels(grid: &Grid, left: f64, cell: f64) -> Markup {
    let [down, across] = &grid.factors;
    let columns = |room: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some tens")]
        let columns = (room / text_width("m", SIZE)) as usize;
        columns
    };
    let all = cell * grid.columns.len() as f64;
    html! {
        text class="end unit" x=(px(left - 8.0)) y=(px(TOP - 8.0)) { (shortened(down, columns(left - 8.0))) }
        text class="unit" x=(px(left + all / 2.0)) y="14" { (shortened(across, columns(all))) }
        @for (at, name) in grid.columns.iter().enumerate() {
            text class="number" x=(px(left + cell * (at as f64 + 0.5))) y=(px(TOP - 8.0)) { (named(name, columns(cell - 6.0))) }
        }
        @for (index, name) in grid.rows.iter().enumerate() {
            text class="end number" x=(px(left - 8.0)) y=(px(TOP + CELL.2 * (index as f64 + 0.5) + 4.5)) {
                (named(name, columns(left - 10.0)))
            }
        }
    }
}

fn named(value: &str, columns: usize) -> String {
    if value.is_empty() { "none".to_owned() } else { shortened(value, columns) }
}

/// A cell: its colour, the sign of a change beyond noise, and the number.
fn drawn(row: &Row, step: f64, (x, y): (f64, f64), width: f64, names: &[&str; 2]) -> Markup {
    let judged = row.verdict != Verdict::NotJudged;
    let colour = if judged { class(level(row, step)) } else { "open".to_owned() };
    let called = match row.verdict {
        Verdict::Better | Verdict::Worse | Verdict::TinyBetter | Verdict::TinyWorse => true,
        Verdict::NoChange | Verdict::WithinNoise | Verdict::NotJudged => false,
    };
    let tip = format!(
        "{}, {}: {} ({}), {}",
        short(names[0]),
        short(names[1]),
        row_text::change(row),
        row_text::interval_cell(row),
        words::word(row.verdict)
    );
    html! {
        g class="cell" {
            title { (tip) }
            rect class=(colour) x=(px(x + 1.0)) y=(px(y + 1.0)) width=(px(width - 2.0)) height=(px(CELL.2 - 2.0)) {}
            @if called { (icon::drawn(Tone::Verdict(row.verdict), (x + 5.0, y + 7.0), 12.0)) }
            text class={ "end number" @if called { " side" } } x=(px(x + width - 7.0)) y=(px(y + 17.5)) { (row_text::change(row)) }
        }
    }
}

/// The colours with their changes.
fn scale(step: f64, better: Option<Better>, y: f64) -> Markup {
    let sign = if matches!(better, Some(Better::Lower)) { -1 } else { 1 };
    let decimals = if step >= 0.0099 { 0 } else { format::digits_after_first(step * 100.0) - 1 };
    let [low, high] = match better {
        Some(Better::Lower) => ["better", "worse"],
        Some(Better::Higher) => ["worse", "better"],
        None => ["lower", "higher"],
    };
    html! {
        @for at in -STEPS..=STEPS {
            @let x = 4.0 + SWATCH * f64::from(at + STEPS);
            rect class=(class(sign * at)) x=(px(x)) y=(px(y)) width=(px(SWATCH)) height="12" {}
            text class="tick" x=(px(x + SWATCH / 2.0)) y=(px(y + 25.0)) { (format::tick(f64::from(at) * step * 100.0, decimals)) }
        }
        text class={ "start side " (low) } x="4" y=(px(y + 40.0)) { "← " (low) }
        text class="unit" x=(px(4.0 + SWATCH * 4.5)) y=(px(y + 40.0)) { "change, %" }
        text class={ "end side " (high) } x=(px(4.0 + SWATCH * 9.0)) y=(px(y + 40.0)) { (high) " →" }
    }
}

/// How many cells are better and worse, and where the change is the largest.
fn described(grid: &Grid) -> String {
    let count = |wanted: Verdict| rows(grid).filter(|(_, row)| row.verdict == wanted).count();
    let size = |row: &Row| row.delta.relative.map_or(0.0, f64::abs);
    let largest = rows(grid).max_by(|a, b| size(a.1).total_cmp(&size(b.1)));
    let largest = largest.map_or(String::new(), |((row, column), one)| {
        let names = [short(&grid.rows[row]), short(&grid.columns[column])];
        format!(" Largest change: {} at {}.", row_text::change(one), names.join(", "))
    });
    format!(
        "{}: {} worse, {} better.{largest}",
        counted(rows(grid).count(), "cell"),
        count(Verdict::Worse),
        count(Verdict::Better),
    )
}
