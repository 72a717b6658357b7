//! Both curves of a sweep: throughput against latency, every metric and its change against the load.

use maud::{Markup, html};

use crate::format::{self, shown_in, trimmed};
use crate::render::icon;
use crate::render::plot::drawing::{Drawing, Figure, Panel, Unit, mark, px, short, text_width};
use crate::render::plot::scale::{Scale, span};
use crate::report::comparison::{row_text, words};
use crate::report::{Comparison, CurveRow, Row, SweepRow};
use crate::units::Better;

/// Size of a drawing.
const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 250.0;

/// Left and right end of the curves, beside the numbers of the axis.
const ACROSS: (f64, f64) = (62.0, 366.0);

/// Upper and lower end of the curves.
const DOWN: (f64, f64) = (24.0, 204.0);

/// Size of the labels of points.
const SIZE: f64 = 11.5;

/// A metric at every load: both estimates and their bands; the baseline first.
struct Curve<'a> {
    label: &'a str,
    unit: &'static str,
    points: Vec<Option<[Point; 2]>>,
}

/// Where a point is drawn, and the ends of its band.
type Place = ((f64, f64), Option<[f64; 2]>);

/// A point of a curve.
#[derive(Clone, Copy)]
struct Point {
    value: f64,
    band: Option<[f64; 2]>,
}

/// An axis with its lines, its numbers and its unit.
struct Axis {
    scale: Scale,
    unit: Unit,
}

/// The figure of a sweep; `None` where nothing was measured at two loads.
pub(super) fn figure<'a>(
    sweep: &'a SweepRow,
    all: &'a [Comparison],
    metrics: &'a [CurveRow],
) -> Option<Figure<'a>> {
    let both = throughput_and_latency(sweep, all);
    let both = both.and_then(|(x, y)| against_latency(sweep, &x, &y));
    let panels: Vec<Panel> = both
        .into_iter()
        .chain(metrics.iter().flat_map(|metric| {
            [against_load(sweep, all, metric), changes(sweep, all, metric)].into_iter().flatten()
        }))
        .collect();
    if panels.is_empty() {
        return None;
    }
    let runs = |of: fn(&Comparison) -> usize| {
        let runs = || sweep.comparisons(all).map(of);
        let (low, high) = (runs().min().unwrap_or(0), runs().max().unwrap_or(0));
        let each = if low == high { low.to_string() } else { format!("{low} to {high}") };
        format!("{each} run{} at each load", if high == 1 { "" } else { "s" })
    };
    Some(Figure {
        name: "Both curves over the loads".to_owned(),
        direction: String::new(),
        verdict: None,
        numbers: None,
        remark: None,
        panels,
        sides: Some([
            (&*sweep.baseline, runs(|one| one.baseline.runs)),
            (&*sweep.candidate, runs(|one| one.candidate.runs)),
        ]),
    })
}

/// The curve of a metric, with the bands of the deciding ones.
fn curve<'a>(sweep: &'a SweepRow, all: &'a [Comparison], metric: &str) -> Option<Curve<'a>> {
    let bands = sweep.metrics.iter().find(|row| row.metric == metric).map(|row| &row.bands);
    let row =
        |at: usize| -> Option<&Row> { all[at].metrics.iter().find(|row| row.metric == metric) };
    let band = |side: usize, at: usize| bands.and_then(|both| *both[side].get(at)?);
    let mut points = Vec::new();
    for (at, point) in sweep.points.iter().enumerate() {
        let values =
            row(point.comparison).map(|row| [row.baseline.estimate, row.candidate.estimate]);
        points.push(values.map(|[a, b]| {
            [Point { value: a, band: band(0, at) }, Point { value: b, band: band(1, at) }]
        }));
    }
    let first = sweep.points.iter().find_map(|point| row(point.comparison))?;
    Some(Curve { label: &first.row_label, unit: first.unit, points })
}

/// The metrics of the plot of a server's load: a throughput and a latency, the deciding ones first.
fn throughput_and_latency<'a>(
    sweep: &'a SweepRow,
    all: &'a [Comparison],
) -> Option<(Curve<'a>, Curve<'a>)> {
    let everywhere = |metric: &str| {
        sweep.comparisons(all).all(|one| one.metrics.iter().any(|row| row.metric == metric))
    };
    let find = |better: Better| {
        let deciding = sweep.metrics.iter().filter(|row| row.better == Some(better));
        let deciding = deciding.map(|row| &*row.metric).find(|metric| everywhere(metric));
        let first = sweep.comparisons(all).next()?;
        let mut rows = first.metrics.iter().filter(|row| row.better == Some(better));
        deciding.or_else(|| rows.find(|row| everywhere(&row.metric)).map(|row| &*row.metric))
    };
    Some((curve(sweep, all, find(Better::Higher)?)?, curve(sweep, all, find(Better::Lower)?)?))
}

impl Curve<'_> {
    /// The axis that shows all of both curves and their bands.
    fn axis(&self, from: f64, to: f64) -> Option<Axis> {
        let all = self.points.iter().flatten().flatten();
        let all: Vec<f64> = all
            .flat_map(|point| {
                [Some(point.value), point.band.map(|b| b[0]), point.band.map(|b| b[1])]
            })
            .flatten()
            .collect();
        let largest = all.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        let unit = Unit::of(self.unit, shown_in(self.unit, largest), largest);
        Some(Axis { scale: Scale::fitted(&all, from, to)?, unit })
    }

    /// The points of a variant: position in the sweep, and the point.
    fn side(&self, side: usize) -> impl Iterator<Item = (usize, Point)> {
        self.points
            .iter()
            .enumerate()
            .filter_map(move |(at, both)| Some((at, both.as_ref()?[side])))
    }
}

impl Axis {
    /// Values of its lines: their place and their number.
    fn lines(&self, most: usize) -> Vec<(f64, String)> {
        let shown = self.unit.scaled(&self.scale);
        let ticks = shown.ticks(most);
        ticks.at.iter().map(|tick| (shown.at(*tick), trimmed(*tick, ticks.decimals))).collect()
    }

    /// Lines across the drawing with their numbers on the left, and the unit above them.
    fn on_the_left(&self) -> Markup {
        html! {
            text class="unit" x="4" y="12" { (self.unit.name) }
            @for (y, number) in self.lines(6) {
                line class="grid" x1=(px(ACROSS.0)) x2=(px(ACROSS.1)) y1=(px(y)) y2=(px(y)) {}
                text class="tick end" x=(px(ACROSS.0 - 6.0)) y=(px(y + 4.0)) { (number) }
            }
        }
    }
}

/// Throughput across and latency up, a point for each load with its number.
fn against_latency(sweep: &SweepRow, x: &Curve, y: &Curve) -> Option<Panel> {
    let across = x.axis(ACROSS.0, ACROSS.1)?;
    let up = y.axis(DOWN.1, DOWN.0)?;
    let place = |side: usize| -> Vec<(usize, (f64, f64), [f64; 4])> {
        let place = |(at, y): (usize, Point)| {
            let x = x.points[at].as_ref()?[side];
            let [left, right] = x.band.unwrap_or([x.value; 2]).map(|end| across.scale.at(end));
            let [bottom, top] = y.band.unwrap_or([y.value; 2]).map(|end| up.scale.at(end));
            let corner = (across.scale.at(x.value), up.scale.at(y.value));
            Some((at, corner, [left, top, right, bottom]))
        };
        y.side(side).filter_map(place).collect()
    };
    let sides = [place(0), place(1)];
    if sides[0].len() < 2 {
        return None;
    }
    let mut taken: Vec<[f64; 4]> =
        sides.iter().flatten().map(|(_, at, _)| around(*at, 5.0)).collect();
    let mut labels = Vec::new();
    // One label serves two points that are close.
    let close = |(at, (x, y), _): &&(usize, (f64, f64), [f64; 4])| {
        sides[1].iter().any(|(other, to, _)| other == at && (x - to.0).hypot(y - to.1) < 14.0)
    };
    let others = sides[0].iter().filter(|point| !close(point));
    for (at, corner, _) in sides[1].iter().chain(others) {
        labels.extend(label(&number(sweep, *at), *corner, &mut taken));
    }
    let what = html! {
        (up.on_the_left())
        (numbers_below(&across.lines(5), &across.unit.name))
        @for (side, class) in sides.iter().zip(["a", "b"]) {
            g class=(class) {
                @for (_, _, [left, top, right, bottom]) in side {
                    rect class="ribbon" x=(px(*left)) y=(px(*top)) width=(px(right - left)) height=(px(bottom - top)) {}
                }
                (line_and_marks(class, &side.iter().map(|(_, at, _)| *at).collect::<Vec<_>>()))
            }
        }
        @for (text, x, y) in labels { text class="start load" x=(px(x)) y=(px(y)) { (text) } }
    };
    let drawing = Drawing {
        key: "t",
        size: (WIDTH, HEIGHT),
        name: format!("{} against {} at every load", y.label, x.label),
        described: format!("{}.", short(sweep.summary.trim_end_matches('.'))),
        what,
    };
    let caption = format!("{} against {} at each load", y.label, x.label);
    Some(Panel { caption, drawing, in_picture: true })
}

/// A metric up and the load across, on a logarithmic axis.
fn against_load(sweep: &SweepRow, all: &[Comparison], metric: &CurveRow) -> Option<Panel> {
    let curve = curve(sweep, all, &metric.metric)?;
    let up = curve.axis(DOWN.1, DOWN.0)?;
    let places = places(sweep)?;
    let place = |side: usize| -> Vec<Place> {
        let place = |(at, point): (usize, Point)| {
            let band = point.band.map(|band| band.map(|end| up.scale.at(end)));
            ((places[at], up.scale.at(point.value)), band)
        };
        curve.side(side).map(place).collect()
    };
    let numbers: Vec<(f64, String)> =
        places.iter().enumerate().map(|(at, x)| (*x, number(sweep, at))).collect();
    let what = html! {
        (up.on_the_left())
        (numbers_below(&apart(&numbers), setting(sweep)))
        @for (side, class) in [place(0), place(1)].iter().zip(["a", "b"]) {
            g class=(class) {
                @for part in side.chunk_by(|a, b| a.1.is_some() && b.1.is_some()) { (ribbon(part)) }
                (line_and_marks(class, &side.iter().map(|(at, _)| *at).collect::<Vec<_>>()))
            }
        }
    };
    let drawing = Drawing {
        key: ["u", "v", "w"]
            [sweep.metrics.iter().position(|row| row.metric == metric.metric)?.min(2)],
        size: (WIDTH, HEIGHT),
        name: format!("{} against the load", curve.label),
        described: format!("{}: {}.", metric.label, said(metric)),
        what,
    };
    let caption = format!("{}{}", curve.label, words::direction(metric.better));
    Some(Panel { caption, drawing, in_picture: true })
}

/// The change of a metric with its interval at every load; the curves themselves may overlap.
fn changes(sweep: &SweepRow, all: &[Comparison], metric: &CurveRow) -> Option<Panel> {
    let places = places(sweep)?;
    let row = |at: usize| {
        let rows = &all[sweep.points[at].comparison].metrics;
        rows.iter().find(|row| row.metric == metric.metric && row.delta.relative.is_some())
    };
    let rows: Vec<(f64, &Row)> =
        places.iter().enumerate().filter_map(|(at, x)| Some((*x, row(at)?))).collect();
    let all_rows: Vec<&Row> = rows.iter().map(|(_, row)| *row).collect();
    let up = span(&all_rows).map(|ends| Scale::between(ends, DOWN.1, DOWN.0))?;
    let percent = up.times(100.0);
    let ticks = percent.ticks(6);
    let numbers: Vec<(f64, String)> =
        places.iter().enumerate().map(|(at, x)| (*x, number(sweep, at))).collect();
    let what = html! {
        text class="unit" x="4" y="12" { "change, %" }
        @for (index, (x, row)) in rows.iter().enumerate() {
            @let left = if index == 0 { ACROSS.0 } else { f64::midpoint(rows[index - 1].0, *x) };
            @let right = rows.get(index + 1).map_or(ACROSS.1, |(next, _)| f64::midpoint(*x, *next));
            @let (top, bottom) = (up.at(row.margin), up.at(-row.margin));
            rect class="margin" x=(px(left)) y=(px(top)) width=(px(right - left)) height=(px(bottom - top)) {}
        }
        @for value in &ticks.at {
            @let y = percent.at(*value);
            line class="grid" x1=(px(ACROSS.0)) x2=(px(ACROSS.1)) y1=(px(y)) y2=(px(y)) {}
            text class="tick end" x=(px(ACROSS.0 - 6.0)) y=(px(y + 4.0)) { (format::tick(*value, ticks.decimals)) }
        }
        line class="zero" x1=(px(ACROSS.0)) x2=(px(ACROSS.1)) y1=(px(up.at(0.0))) y2=(px(up.at(0.0))) {}
        (numbers_below(&apart(&numbers), setting(sweep)))
        @for (x, row) in &rows { (change(*x, row, &up)) }
    };
    let at = sweep.metrics.iter().position(|row| row.metric == metric.metric)?.min(2);
    let drawing = Drawing {
        key: ["x", "y", "z"][at],
        size: (WIDTH, HEIGHT),
        name: format!("{}: the change at every load", all_rows[0].row_label),
        described: format!("{}: {}.", metric.label, said(metric)),
        what,
    };
    let level = words::level(sweep.comparisons(all).next()?);
    let caption = format!("{}: change and its {level}", all_rows[0].row_label);
    Some(Panel { caption, drawing, in_picture: true })
}

/// A change with its interval, upright.
fn change(x: f64, row: &Row, up: &Scale) -> Markup {
    let estimate = row.delta.relative.unwrap_or_default();
    let ends = row_text::ends(row);
    let (left, middle, right) = (px(x - 5.0), px(x), px(x + 5.0));
    html! {
        g class=(icon::of_verdict(row.verdict).0) {
            @if let Some([low, high]) = ends {
                line class="interval thin" x1=(middle) x2=(middle) y1=(px(up.at(low))) y2=(px(up.at(high))) {}
                @for end in [low, high].into_iter().filter(|end| up.holds(*end)) {
                    line class="cap thin" x1=(left) x2=(right) y1=(px(up.at(end))) y2=(px(up.at(end))) {}
                }
            }
            @if up.holds(estimate) {
                circle class={ "estimate" @if ends.is_none() { " open" } } cx=(middle) cy=(px(up.at(estimate))) r="4.5" {}
            }
        }
    }
}

/// The sentence of a metric.
fn said(metric: &CurveRow) -> &str {
    if metric.statement.is_empty() { "not judged at any load" } else { &metric.statement }
}

/// The setting in which the loads differ, in words.
fn setting(sweep: &SweepRow) -> &str {
    match sweep.along.as_str() {
        "max_concurrency" => "requests in flight",
        "request_rate" => "requests/s offered",
        other => other,
    }
}

/// The load of a point as a number.
fn number(sweep: &SweepRow, at: usize) -> String {
    sweep.points[at].load.map_or_else(|| "no limit".to_owned(), |load| load.to_string())
}

/// Position of each load by its logarithm; a load without limit is one step after the others. `None` for a single load.
fn places(sweep: &SweepRow) -> Option<Vec<f64>> {
    let loads: Vec<Option<f64>> = sweep.points.iter().map(|point| point.load).collect();
    let known: Vec<f64> = loads.iter().flatten().copied().collect();
    let logarithmic = known.iter().all(|load| *load > 0.0);
    let number = |load: f64| if logarithmic { load.ln() } else { load };
    let (first, last) = (number(*known.first()?), number(*known.last()?));
    let step = (last - first) / known.len().saturating_sub(1).max(1) as f64;
    let values: Vec<f64> =
        loads.iter().map(|load| load.map_or(last + step.max(1e-9), number)).collect();
    let scale = Scale::over(values.iter().copied(), ACROSS.0, ACROSS.1)?;
    (values.len() > 1).then(|| values.into_iter().map(|value| scale.at(value)).collect())
}

/// The numbers below an axis that have room between them, from left to right; always the last one.
fn apart(numbers: &[(f64, String)]) -> Vec<(f64, String)> {
    let half = |text: &str| text_width(text, 12.5) / 2.0 + 3.0;
    let mut kept: Vec<(f64, String)> = Vec::new();
    for (x, text) in numbers.iter().rev() {
        let free = kept.last().is_none_or(|(right, next)| x + half(text) <= right - half(next));
        if free {
            kept.push((*x, text.clone()));
        }
    }
    kept.reverse();
    kept
}

fn numbers_below(numbers: &[(f64, String)], unit: &str) -> Markup {
    html! {
        line class="axis" x1=(px(ACROSS.0)) x2=(px(ACROSS.1)) y1=(px(DOWN.1)) y2=(px(DOWN.1)) {}
        @for (x, number) in numbers {
            line class="axis" x1=(px(*x)) x2=(px(*x)) y1=(px(DOWN.1)) y2=(px(DOWN.1 + 5.0)) {}
            text class="tick" x=(px(*x)) y=(px(DOWN.1 + 18.0)) { (number) }
        }
        text class="unit" x=(px(f64::midpoint(ACROSS.0, ACROSS.1))) y=(px(DOWN.1 + 37.0)) { (format::shortened(unit, 40)) }
    }
}

/// The band of a part of a curve.
fn ribbon(part: &[Place]) -> Markup {
    let edge = |end: usize| {
        part.iter()
            .filter_map(move |((x, _), band)| Some(format!("{},{}", px(*x), px((*band)?[end]))))
    };
    let upper: Vec<String> = edge(1).collect();
    let mut lower: Vec<String> = edge(0).collect();
    lower.reverse();
    let points = [upper, lower].concat().join(" ");
    html! { @if part.len() > 1 && !points.is_empty() { polygon class="ribbon" points=(points) {} } }
}

fn line_and_marks(class: &str, points: &[(f64, f64)]) -> Markup {
    let line: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", px(*x), px(*y))).collect();
    html! {
        polyline class="curve" points=(line.join(" ")) {}
        @for at in points { (mark(class, *at, 4.0, None)) }
    }
}

/// The box around a point.
fn around((x, y): (f64, f64), half: f64) -> [f64; 4] {
    [x - half, y - half, x + half, y + half]
}

/// A label beside its point where it covers nothing: text and place; `None` where there is no room.
fn label(text: &str, (x, y): (f64, f64), taken: &mut Vec<[f64; 4]>) -> Option<(String, f64, f64)> {
    let wide = text_width(text, SIZE);
    let places = [
        (x + 6.0, y - 5.0),
        (x - 6.0 - wide, y - 5.0),
        (x + 6.0, y + 13.0),
        (x - 6.0 - wide, y + 13.0),
    ];
    let free = |(left, base): &(f64, f64)| {
        let own = [*left, base - 9.0, left + wide, base + 1.0];
        let inside = own[0] >= ACROSS.0 && own[2] <= WIDTH && own[1] >= 0.0 && own[3] <= DOWN.1;
        let covers = |other: &[f64; 4]| {
            own[0] < other[2] && other[0] < own[2] && own[1] < other[3] && other[1] < own[3]
        };
        (inside && !taken.iter().any(covers)).then_some((own, *left, *base))
    };
    let (own, left, base) = places.iter().find_map(free)?;
    taken.push(own);
    Some((text.to_owned(), left, base))
}
