//! Changes with their intervals on one axis, a line each.

use maud::{Markup, html};

use crate::format::{self, counted, shortened};
use crate::render::icon;
use crate::render::plot::change::directions;
use crate::render::plot::drawing::{Drawing, Panel, px, short, text_width};
use crate::render::plot::scale::{Scale, span};
use crate::report::comparison::row_text;
use crate::report::document::Tone;
use crate::report::{Row, SharedChange, SharedRow};
use crate::units::Better;
use crate::verdict::Verdict;

/// Width of the drawing at least, and that of its axis.
const WIDTH: f64 = 380.0;
const AXIS: f64 = 200.0;

/// Room for the names at most, and for the changes in words.
const NAMES: f64 = 176.0;
const CHANGES: f64 = 92.0;

/// Where the first line begins, and how high a line is.
const TOP: f64 = 24.0;
const LINE: f64 = 22.0;

/// Room below the last line, for the axis.
const BELOW: f64 = 42.0;

/// Columns of a name.
const NAME: usize = 24;

/// Lines that are drawn where nothing else has them.
pub(super) const MAX_LINES: usize = 40;

/// A line: its name, and the row whose change is drawn.
type Line<'a> = (String, &'a Row);

/// The panel of these lines, or of the first if they are too many; `None` without a relative change.
pub(super) fn panel(
    head: &str,
    lines: &[Line],
    most: usize,
    level: &str,
    shared: Option<&SharedRow>,
) -> Option<Panel> {
    let all: Vec<&Line> = lines.iter().filter(|(_, row)| row.delta.relative.is_some()).collect();
    let shown = &all[..all.len().min(most)];
    let rows: Vec<&Row> = shown.iter().map(|(_, row)| *row).collect();
    let name = |line: &&&Line| text_width(&shortened(&line.0, NAME), 12.5);
    let left = shown.iter().map(|line| name(&line)).fold(0.0, f64::max).min(NAMES) + 12.0;
    let across = (left, (left + AXIS).max(WIDTH - CHANGES));
    let scale = span(&rows).map(|ends| Scale::between(ends, across.0, across.1))?;
    let count = shown.len() + usize::from(shared.is_some());
    let drawing = Drawing {
        key: "f",
        size: (across.1 + CHANGES, TOP + LINE * count as f64 + BELOW),
        name: format!("{head}: the changes"),
        described: described(&all, shared),
        what: drawn(shown, shared, &scale, across),
    };
    let first = match all.len() - shown.len() {
        0 => String::new(),
        _ => format!("The first {} of {}. ", shown.len(), format::count(all.len())),
    };
    let caption = format!("{first}Change and its {level}; shaded: the margin");
    Some(Panel { caption, drawing, in_picture: true })
}

/// The numbers of better and worse lines, and the largest change.
fn described(lines: &[&Line], shared: Option<&SharedRow>) -> String {
    let count = |wanted: Verdict| lines.iter().filter(|(_, row)| row.verdict == wanted).count();
    let size = |row: &Row| row.delta.relative.map_or(0.0, f64::abs);
    let largest = lines.iter().max_by(|a, b| size(a.1).total_cmp(&size(b.1)));
    let largest = largest.map_or(String::new(), |(name, row)| {
        format!(" Largest change: {} {}.", short(name), row_text::change(row))
    });
    let shared = shared.map_or(String::new(), |shared| {
        format!(" All cells together: {}.", format::change(shared.change.relative, 1))
    });
    format!(
        "{}: {} worse, {} better.{largest}{shared}",
        counted(lines.len(), "change"),
        count(Verdict::Worse),
        count(Verdict::Better),
    )
}

fn drawn(lines: &[&Line], shared: Option<&SharedRow>, scale: &Scale, across: (f64, f64)) -> Markup {
    let better: Vec<Option<Better>> = lines.iter().map(|(_, row)| row.better).collect();
    let same = better.windows(2).all(|pair| pair[0] == pair[1]);
    let last = TOP + LINE * lines.len() as f64;
    let bottom = if shared.is_some() { last + LINE } else { last };
    let (low, high) = scale.ends();
    let percent = Scale::between((low * 100.0, high * 100.0), across.0, across.1);
    let ticks = percent.ticks(5);
    let zero = px(scale.at(0.0));
    html! {
        @if same { g { (directions(better[0], across)) } }
        @for (index, (_, row)) in lines.iter().enumerate() {
            @let left = scale.at(-row.margin);
            rect class="margin" x=(px(left)) y=(px(TOP + LINE * index as f64)) width=(px(scale.at(row.margin) - left)) height=(px(LINE)) {}
        }
        line class="zero" x1=(zero) x2=(zero) y1=(px(TOP)) y2=(px(bottom)) {}
        @for (index, (name, row)) in lines.iter().enumerate() {
            (one(name, row, scale, across, TOP + LINE * (index as f64 + 0.5)))
        }
        @if let Some(shared) = shared { (together(&shared.change, scale, across, last + LINE / 2.0)) }
        line class="axis" x1=(px(across.0)) x2=(px(across.1)) y1=(px(bottom)) y2=(px(bottom)) {}
        @for value in &ticks.at {
            @let x = px(percent.at(*value));
            line class="axis" x1=(x) x2=(x) y1=(px(bottom)) y2=(px(bottom + 5.0)) {}
            text class="tick" x=(x) y=(px(bottom + 18.0)) { (format::tick(*value, ticks.decimals)) }
        }
        text class="unit" x=(px(f64::midpoint(across.0, across.1))) y=(px(bottom + 36.0)) { "change, %" }
    }
}

/// A name, the interval, and the change in words with the sign of its verdict.
fn one(name: &str, row: &Row, scale: &Scale, across: (f64, f64), y: f64) -> Markup {
    let estimate = row.delta.relative.unwrap_or_default();
    let ends = row_text::ends(row);
    let tone = Tone::Verdict(row.verdict);
    let (base, top, bottom) = (px(y + 4.0), px(y - 5.0), px(y + 5.0));
    let (class, middle) = (icon::of_tone(tone).0, px(y));
    html! {
        g class=(class) {
            text class="end" x=(px(across.0 - 8.0)) y=(base) {
                (shortened(name, NAME))
                @if shortened(name, NAME) != *name { title { (short(name)) } }
            }
            @if let Some([low, high]) = ends {
                line class="interval thin" x1=(px(scale.at(low))) x2=(px(scale.at(high))) y1=(middle) y2=(middle) {}
                @for (end, out) in [(low, -5.0), (high, 5.0)] {
                    @if scale.holds(end) {
                        line class="cap thin" x1=(px(scale.at(end))) x2=(px(scale.at(end))) y1=(top) y2=(bottom) {}
                    } @else {
                        path class="more" d={ "M" (px(scale.at(end))) " " (top) "l" (px(out)) " 5l" (px(-out)) " 5z" } {}
                    }
                }
            }
            @if scale.holds(estimate) {
                circle class={ "estimate" @if ends.is_none() { " open" } } cx=(px(scale.at(estimate))) cy=(middle) r="4.5" {}
            }
            text class="start number" x=(px(across.1 + 26.0)) y=(base) { (row_text::change(row)) }
            (icon::drawn(tone, (across.1 + 8.0, y - 6.5), 13.0))
        }
    }
}

/// The change that all cells share: a diamond as wide as its interval.
fn together(change: &SharedChange, scale: &Scale, across: (f64, f64), y: f64) -> Markup {
    let tone = Tone::Verdict(change.verdict);
    let middle = scale.at(change.relative);
    let ends = change.shown_ends().map(|ends| ends.map(|end| scale.at(end)));
    let [low, high] = ends.unwrap_or([middle - 4.0, middle + 4.0]);
    let corners = [(low, y), (middle, y - 7.0), (high, y), (middle, y + 7.0)];
    let corners = corners.map(|(x, y)| format!("{},{}", px(x), px(y))).join(" ");
    let base = px(y + 4.0);
    html! {
        g class=(icon::of_tone(tone).0) {
            text class="end name" x=(px(across.0 - 8.0)) y=(base) { "all cells" }
            polygon class="more" points=(corners) {}
            text class="start name" x=(px(across.1 + 26.0)) y=(base) { (format::change(change.relative, 1)) }
            (icon::drawn(tone, (across.1 + 8.0, y - 6.5), 13.0))
        }
    }
}
