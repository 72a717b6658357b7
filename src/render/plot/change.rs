//! The interval of a change on its own axis.

use maud::{Markup, html};

use crate::format;
use crate::render::icon;
use crate::render::plot::drawing::{Drawing, Panel, px};
use crate::render::plot::scale::Scale;
use crate::report::comparison::{row_text, verdicts};
use crate::report::{Comparison, Row, Settings};
use crate::units::Better;

/// Size of the drawing.
const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 202.0;

/// Left and right end of the axis of changes.
const CHANGES: (f64, f64) = (14.0, 366.0);

/// Where the axis of changes and its band begin and end.
const CHANGES_DOWN: (f64, f64) = (44.0, 162.0);

/// Half the room of a text in the middle of a panel.
const HALF_A_TEXT: f64 = 78.0;

/// A change with its interval and margin, as a fraction or, where ratios do not exist, in the unit.
struct Change {
    estimate: f64,
    interval: Option<[f64; 2]>,
    alone: Option<[f64; 2]>,
    margin: f64,
    /// The unit of the axis: percent, or the unit of the metric.
    factor: f64,
    unit: String,
}

fn change(row: &Row, settings: &Settings) -> Change {
    let alone = row.without_borrowing;
    if let Some(estimate) = row.delta.relative {
        let (interval, alone) =
            (row_text::ends(row), alone.and_then(|alone| alone.relative_ci_adjusted));
        let unit = "%".to_owned();
        return Change { estimate, interval, alone, margin: row.margin, factor: 100.0, unit };
    }
    Change {
        estimate: row.delta.absolute,
        interval: row.delta.absolute_ci_adjusted,
        alone: alone.and_then(|alone| alone.absolute_ci_adjusted),
        margin: settings.margins.get(&row.metric).map_or(0.0, |margin| margin.absolute),
        factor: 1.0,
        unit: row.unit.to_owned(),
    }
}

/// The interval of the change on its own axis, with zero and the margin that matters.
pub(super) fn interval(comparison: &Comparison, row: &Row, settings: &Settings) -> Option<Panel> {
    let Change { estimate, interval, alone, margin, factor, unit } = change(row, settings);
    let ends = interval.into_iter().flatten().chain([0.0, estimate, margin, -margin]);
    let scale = Scale::over(ends.map(|end| end * factor), CHANGES.0, CHANGES.1)?;
    let at = |value: f64| scale.at(value * factor);
    let (top, bottom) = CHANGES_DOWN;
    let ticks = scale.ticks(7);
    let middle = at(interval.map_or(estimate, |[low, high]| f64::midpoint(low, high)));
    let text_at = |x: f64| px(x.clamp(HALF_A_TEXT, WIDTH - HALF_A_TEXT));
    let level = row_text::level_of(comparison, row);
    let shown = match interval {
        Some(_) => format!("{level} {}", row_text::interval(row)),
        None => "no interval".to_owned(),
    };
    let what = html! {
        (directions(row.better, (4.0, WIDTH - 4.0)))
        @if margin > 0.0 {
            rect class="margin" x=(px(at(-margin))) y=(px(top)) width=(px(at(margin) - at(-margin))) height=(px(bottom - top)) {}
            @for edge in [-margin, margin] {
                line class="edge" x1=(px(at(edge))) x2=(px(at(edge))) y1=(px(top)) y2=(px(bottom)) {}
            }
            text class="tick" x=(text_at(at(0.0))) y=(px(top - 6.0)) { "margin ±" (margin_words(row, margin)) }
        }
        line class="zero" x1=(px(at(0.0))) x2=(px(at(0.0))) y1=(px(top)) y2=(px(bottom)) {}
        g class=(icon::of_verdict(row.verdict).0) {
            @if let Some([low, high]) = interval {
                line class="interval" x1=(px(at(low))) x2=(px(at(high))) y1="98" y2="98" {}
                @for end in [low, high] {
                    line class="cap" x1=(px(at(end))) x2=(px(at(end))) y1="91" y2="105" {}
                }
            }
            circle class={ "estimate" @if interval.is_none() { " open" } } cx=(px(at(estimate))) cy="98" r="6" {}
        }
        @if let Some([low, high]) = alone {
            line class="alone" x1=(px(at(low))) x2=(px(at(high))) y1="138" y2="138" {}
            text class="halo" x=(text_at(at(f64::midpoint(low, high)))) y="153" { "with its own noise alone" }
        }
        text class="value halo" x=(text_at(middle)) y="80" { (row_text::change(row)) }
        text class="halo" x=(text_at(middle)) y="124" { (shown) }
        line class="axis" x1=(px(CHANGES.0)) x2=(px(CHANGES.1)) y1=(px(bottom)) y2=(px(bottom)) {}
        @for tick in &ticks.at {
            @let x = px(scale.at(*tick));
            line class="axis" x1=(x) x2=(x) y1=(px(bottom)) y2=(px(bottom + 5.0)) {}
            text class="tick" x=(x) y=(px(bottom + 17.0)) {
                (format::tick(*tick, ticks.decimals))
            }
        }
        text class="unit" x=(px(WIDTH / 2.0)) y="197" { "change, " (unit) }
    };
    let words = verdicts::verdict(row);
    let described = format!("{}: {}, {shown}; {words}.", row.label, row_text::change(row));
    let name = format!("{}: the change", row.row_label);
    let drawing = Drawing { key: "c", size: (WIDTH, HEIGHT), name, described, what };
    Some(Panel { caption: "Change with its interval".to_owned(), drawing, in_picture: true })
}

/// Which side of the axis is better.
pub(super) fn directions(better: Option<Better>, (from, to): (f64, f64)) -> Markup {
    let [(low, low_side), (high, high_side)] = match better {
        Some(Better::Lower) => [("side better", "← better"), ("side worse", "worse →")],
        Some(Better::Higher) => [("side worse", "← worse"), ("side better", "better →")],
        None => [("side", "← lower"), ("side", "higher →")],
    };
    html! {
        text class={ (low) " start" } x=(px(from)) y="14" { (low_side) }
        text class={ (high) " end" } x=(px(to)) y="14" { (high_side) }
    }
}

fn margin_words(row: &Row, margin: f64) -> String {
    if row.delta.relative.is_some() {
        format::chosen(margin)
    } else {
        format!("{} {}", format::plain(margin), row.unit)
    }
}
