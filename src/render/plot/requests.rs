//! The latency of single requests: how it is distributed in both variants, and the change of its quantiles.

use maud::{Markup, html};

use crate::format::{self, shown_in, trimmed};
use crate::render::plot::drawing::{Drawing, Panel, Unit, mark, px};
use crate::render::plot::scale::Scale;
use crate::report::comparison::words;
use crate::report::{Comparison, QuantilesRow, RequestsRow, Row};
use crate::units::Better;

/// Size of a drawing.
const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 240.0;

/// Left and right end of the curves, beside the numbers of the axis.
const ACROSS: (f64, f64) = (52.0, 366.0);

/// Upper and lower end of the curves.
const DOWN: (f64, f64) = (24.0, 194.0);

/// Shares that have a line.
const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Both drawings of the requests of a row; none where its runs have no requests.
pub(super) fn panels(comparison: &Comparison, row: &Row) -> [Option<Panel>; 2] {
    let Some(requests) = row.requests.as_deref() else { return [None, None] };
    [distribution(row, requests), changes(comparison, row, requests)]
}

/// The share of requests up to each latency, with the range over the runs.
fn distribution(row: &Row, requests: &RequestsRow) -> Option<Panel> {
    let all: Vec<f64> =
        requests.sides.iter().flat_map(|side| side.range.iter().flatten().copied()).collect();
    let scale = Scale::fitted(&all, ACROSS.0, ACROSS.1)?;
    let largest = all.iter().fold(0.0, |most: f64, value| most.max(*value));
    let unit = Unit::of(row.unit, shown_in(row.unit, largest), largest);
    let shown = unit.scaled(&scale);
    let ticks = shown.ticks(5);
    let up = Scale::between((0.0, 1.0), DOWN.1, DOWN.0);
    let what = html! {
        @for share in SHARES {
            @let y = up.at(share);
            line class="grid" x1=(px(ACROSS.0)) x2=(px(ACROSS.1)) y1=(px(y)) y2=(px(y)) {}
            text class="tick end" x=(px(ACROSS.0 - 6.0)) y=(px(y + 4.0)) { (trimmed(share * 100.0, 0)) " %" }
        }
        (below(&ticks.at.iter().map(|tick| (shown.at(*tick), trimmed(*tick, ticks.decimals))).collect::<Vec<_>>(), &unit.name))
        @for (side, class) in requests.sides.iter().zip(["a", "b"]) {
            (curve(side, &requests.levels, class, (&scale, &up)))
        }
    };
    let drawing = Drawing {
        key: "e",
        size: (WIDTH, HEIGHT),
        name: format!("{}: requests of both variants", row.row_label),
        described: quantiles_in_words(row, requests),
        what,
    };
    let caption = "Requests up to a latency; band: range of the runs".to_owned();
    Some(Panel { caption, drawing, in_picture: true })
}

/// The curve of a variant on its band.
fn curve(
    side: &QuantilesRow,
    levels: &[f64],
    class: &str,
    (across, up): (&Scale, &Scale),
) -> Markup {
    let at = |value: f64, level: f64| format!("{},{}", px(across.at(value)), px(up.at(level)));
    let edge =
        |end: usize| side.range.iter().zip(levels).map(move |(range, level)| (range[end], *level));
    let band: Vec<String> =
        edge(0).chain(edge(1).rev()).map(|(value, level)| at(value, level)).collect();
    let curve = side.estimates.iter().zip(levels);
    let curve: Vec<String> = curve.map(|(value, level)| at(*value, *level)).collect();
    html! {
        g class=(class) {
            polygon class="ribbon" points=(band.join(" ")) {}
            polyline class="curve" points=(curve.join(" ")) {}
        }
    }
}

/// The change of quantiles with their intervals over runs.
fn changes(comparison: &Comparison, row: &Row, requests: &RequestsRow) -> Option<Panel> {
    let all = &requests.changes;
    let ends = all.iter().flat_map(|one| one.relative_ci).chain(all.iter().map(|one| one.relative));
    let up = Scale::over(ends.chain([0.0]).map(|end| end * 100.0), DOWN.1, DOWN.0)?;
    let ticks = up.ticks(6);
    let step = (ACROSS.1 - ACROSS.0) / all.len().max(1) as f64;
    let x = |index: usize| ACROSS.0 + step * (index as f64 + 0.5);
    let name = |level: f64| format!("P{}", trimmed(level * 100.0, 1));
    let names: Vec<(f64, String)> =
        all.iter().enumerate().map(|(index, one)| (x(index), name(one.level))).collect();
    let margin = row.margin * 100.0;
    let zero = px(up.at(0.0));
    let what = html! {
        rect class="margin" x=(px(ACROSS.0)) width=(px(ACROSS.1 - ACROSS.0)) y=(px(up.at(margin))) height=(px(up.at(-margin) - up.at(margin))) {}
        @for value in &ticks.at {
            @let y = up.at(*value);
            line class="grid" x1=(px(ACROSS.0)) x2=(px(ACROSS.1)) y1=(px(y)) y2=(px(y)) {}
            text class="tick end" x=(px(ACROSS.0 - 6.0)) y=(px(y + 4.0)) { (format::tick(*value, ticks.decimals)) }
        }
        text class="unit" x="4" y="12" { "%" }
        line class="zero" x1=(px(ACROSS.0)) x2=(px(ACROSS.1)) y1=(zero) y2=(zero) {}
        (below(&names, "quantile of the requests"))
        g class="b" {
            @for (index, one) in all.iter().enumerate() {
                @let [low, high] = one.relative_ci.map(|end| up.at(end * 100.0));
                @let at = x(index);
                line class="range" x1=(px(at)) x2=(px(at)) y1=(px(low)) y2=(px(high)) {}
                @for end in [low, high] {
                    line class="range" x1=(px(at - 4.0)) x2=(px(at + 4.0)) y1=(px(end)) y2=(px(end)) {}
                }
                (mark("b", (at, up.at(one.relative * 100.0)), 4.0, None))
            }
        }
        @if let Some((class, above)) = above(row) { text class={ "side start " (class) } x=(px(ACROSS.0)) y="14" { (above) } }
    };
    let drawing = Drawing {
        key: "q",
        size: (WIDTH, HEIGHT),
        name: format!("{}: change of the quantiles of requests", row.row_label),
        described: quantiles_in_words(row, requests),
        what,
    };
    let caption = format!("Change of quantiles, {} over runs", words::level(comparison));
    Some(Panel { caption, drawing, in_picture: true })
}

/// The class and the word of changes above zero.
fn above(row: &Row) -> Option<(&'static str, &'static str)> {
    Some(match row.better? {
        Better::Lower => ("worse", "↑ worse"),
        Better::Higher => ("better", "↑ better"),
    })
}

fn below(numbers: &[(f64, String)], unit: &str) -> Markup {
    html! {
        line class="axis" x1=(px(ACROSS.0)) x2=(px(ACROSS.1)) y1=(px(DOWN.1)) y2=(px(DOWN.1)) {}
        @for (x, number) in numbers {
            text class="tick" x=(px(*x)) y=(px(DOWN.1 + 17.0)) { (number) }
        }
        text class="unit" x=(px(f64::midpoint(ACROSS.0, ACROSS.1))) y=(px(DOWN.1 + 36.0)) { (unit) }
    }
}

/// `mean TTFT: requests at P50 −2.1 %, at P99 +0.4 %.`
fn quantiles_in_words(row: &Row, requests: &RequestsRow) -> String {
    let told = |level: f64| {
        let one = requests.changes.iter().find(|one| one.level.to_bits() == level.to_bits())?;
        Some(format!("P{} {}", trimmed(level * 100.0, 1), format::change(one.relative, 1)))
    };
    let told: Vec<String> = [0.5, 0.9, 0.99].into_iter().filter_map(told).collect();
    format!("Requests of {}: {}.", row.label, told.join(", "))
}
