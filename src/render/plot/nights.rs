//! A series of nights: its values, levels and changes; and all series of a history, a line each.

use maud::{Markup, html};

use crate::format::{self, counted, shortened, shown_in, trimmed};
use crate::history::{ChangeRow, HistoryReport, SeriesRow, Way};
use crate::render::plot::drawing::{Drawing, Figure, Panel, Unit, px, short, text_width};
use crate::render::plot::scale::Scale;
use crate::report::comparison::words;
use crate::report::history::words::title;
use crate::units::Better;

/// Size of a time line.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 232.0;

/// Left and right end of the nights, beside the numbers of the axis.
const ACROSS: (f64, f64) = (66.0, 748.0);

/// Upper and lower end of the values.
const DOWN: (f64, f64) = (34.0, 190.0);

/// Room beyond the bands of the levels, as a share of their range; values beyond it are drawn at the edge.
const BEYOND: f64 = 0.5;

/// Height of a line of the strip, and size of its label.
const LINE: f64 = 15.0;
const SIZE: f64 = 11.0;

/// Left and right end of the nights of a strip, which a phone shows whole; the names of the lines follow.
const STRIP: (f64, f64) = (2.0, 314.0);

/// Lines of a strip.
const MAX_LINES: usize = 100;

/// Distances from the first level, in standard deviations of a night, at which the colours begin.
const SHADES: [f64; 4] = [2.0, 4.0, 6.0, 10.0];

/// Names of nights below a drawing.
const MAX_NAMES: usize = 7;

/// The figure of one series.
pub(super) fn time_line<'a>(report: &'a HistoryReport, row: &'a SeriesRow) -> Option<Figure<'a>> {
    let panel = panel(report, row)?;
    Some(Figure {
        name: title(report, row),
        direction: words::direction(row.better),
        verdict: None,
        numbers: Some(format::sentence(&row.summary)),
        remark: None,
        panels: vec![panel],
        sides: None,
    })
}

/// Where the nights are drawn.
fn places(report: &HistoryReport) -> Scale {
    let last = report.nights.len().saturating_sub(1) as f64;
    Scale::between((-0.5, last + 0.5), ACROSS.0, ACROSS.1)
}

fn class(way: Way) -> &'static str {
    match way {
        Way::Better => "better",
        Way::Worse => "worse",
        Way::Changed => "warn",
    }
}

fn panel(report: &HistoryReport, row: &SeriesRow) -> Option<Panel> {
    let x = places(report);
    let bands = row.levels.iter().flat_map(|level| level.band);
    let (low, high) = bands
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), end| (low.min(end), high.max(end)));
    let room = BEYOND * (high - low);
    let inside = row.values.iter().copied().filter(|v| (low - room..=high + room).contains(v));
    let all: Vec<f64> = inside.chain([low, high]).collect();
    let y = Scale::over(all, DOWN.1, DOWN.0)?;
    let largest = y.ends().1.abs().max(y.ends().0.abs());
    let unit = Unit::of(row.unit, shown_in(row.unit, largest), largest);
    let shown = unit.scaled(&y);
    let ticks = shown.ticks(5);
    let known = |at: usize| row.nights.binary_search(&at).is_ok();
    let what = html! {
        text class="unit" x="4" y="14" { (unit.name) }
        @for tick in &ticks.at {
            @let at = shown.at(*tick);
            line class="grid" x1=(px(ACROSS.0)) x2=(px(ACROSS.1)) y1=(px(at)) y2=(px(at)) {}
            text class="tick end" x=(px(ACROSS.0 - 6.0)) y=(px(at + 4.0)) { (trimmed(*tick, ticks.decimals)) }
        }
        @for level in &row.levels {
            @let [top, bottom] = [level.band[1], level.band[0]].map(|end| y.at(end));
            @let [left, right] = [level.nights[0] as f64 - 0.5, level.nights[1] as f64 + 0.5].map(|end| x.at(end));
            rect class="margin" x=(px(left)) y=(px(top)) width=(px(right - left)) height=(px(bottom - top)) {}
        }
        @for change in &row.changes { (when(change, report, &x)) }
        g class="a" {
            @for level in &row.levels {
                @let at = px(y.at(level.level));
                line class="centre" x1=(px(x.at(level.nights[0] as f64 - 0.5))) x2=(px(x.at(level.nights[1] as f64 + 0.5))) y1=(at) y2=(at) {}
            }
            @for (night, value) in row.nights.iter().zip(&row.values) {
                @if !far(row, *night) {
                    circle cx=(px(x.at(*night as f64))) cy=(px(y.at(*value))) r="2.6" { title { (tip(report, row, *night, *value)) } }
                }
            }
        }
        g class="warn" {
            @for (night, value) in row.nights.iter().zip(&row.values) {
                @if far(row, *night) && known(*night) {
                    circle class="far" cx=(px(x.at(*night as f64))) cy=(px(y.at(*value))) r="4" { title { (tip(report, row, *night, *value)) } }
                }
            }
        }
        @for (number, change) in row.changes.iter().enumerate() {
            text class={ "side halo " (class(change.way)) } x=(px(x.at(change.night as f64).clamp(ACROSS.0 + 24.0, ACROSS.1 - 24.0)))
                y=(px(if number % 2 == 0 { 14.0 } else { 28.0 })) { (size(change)) }
        }
        (names(report, &x, &marked(row), DOWN.1 + 16.0))
    };
    let drawing = Drawing {
        key: "n",
        size: (WIDTH, HEIGHT),
        name: format!("{} by night", short(&title(report, row))),
        described: short(&row.summary),
        what,
    };
    let caption =
        "Nights; levels ± 2 sd of a night; shaded: may be the first of a change".to_owned();
    Some(Panel { caption, drawing, in_picture: true })
}

/// Whether a night was far off and is part of no change.
fn far(row: &SeriesRow, night: usize) -> bool {
    let open = row.open.as_ref().map_or(0, |open| open.nights);
    row.excursions.contains(&night) || row.nights.iter().rev().take(open).any(|own| *own == night)
}

/// The nights that may be the first of a change.
fn when(change: &ChangeRow, report: &HistoryReport, x: &Scale) -> Markup {
    let [left, right] = [change.between[0] as f64 - 0.5, change.between[1] as f64 + 0.5];
    let (left, right) = (x.at(left), x.at(right));
    let name = &report.nights[change.night].name;
    html! {
        rect class={ "when " (class(change.way)) } x=(px(left)) y=(px(DOWN.0)) width=(px((right - left).max(1.5))) height=(px(DOWN.1 - DOWN.0)) {
            title { (name) ": " (change.sentence) }
        }
    }
}

fn size(change: &ChangeRow) -> String {
    change.relative.map_or_else(String::new, |size| {
        format::change(size, format::decimals_of_change(Some(size), change.relative_ci))
    })
}

fn tip(report: &HistoryReport, row: &SeriesRow, night: usize, value: f64) -> String {
    let night = &report.nights[night];
    let build =
        night.build.as_ref().map_or_else(String::new, |build| format!(", {}", short(build)));
    let value = format::with_unit(&format::plain(value), row.unit);
    format!("{}{build}: {value}", short(&night.name))
}

/// Nights whose names are drawn first.
fn marked(row: &SeriesRow) -> Vec<usize> {
    row.changes.iter().map(|change| change.night).collect()
}

/// Names of nights below a drawing: the first and the last, those marked, and others while there is room.
fn names(report: &HistoryReport, x: &Scale, marked: &[usize], y: f64) -> Markup {
    let last = report.nights.len().saturating_sub(1);
    let even = (1..MAX_NAMES).map(|part| last * part / MAX_NAMES);
    let wanted = [0, last].into_iter().chain(marked.iter().copied()).chain(even);
    let mut taken: Vec<(f64, f64)> = Vec::new();
    let mut drawn: Vec<(f64, &'static str, String)> = Vec::new();
    for at in wanted {
        let name = shortened(&report.nights[at].name, 14);
        let (place, width) = (x.at(at as f64), text_width(&name, 12.0));
        let (from, anchor) = if at == 0 {
            (ACROSS.0, "start")
        } else if at == last {
            (ACROSS.1 - width, "end")
        } else {
            (place - width / 2.0, "tick")
        };
        let to = from + width;
        let free = taken.iter().all(|(a, b)| to + 8.0 < *a || *b + 8.0 < from);
        if free && from >= ACROSS.0 - 1.0 && to <= ACROSS.1 + 1.0 {
            taken.push((from, to));
            let place = match anchor {
                "start" => from,
                "end" => to,
                _ => place,
            };
            drawn.push((place, anchor, name));
        }
    }
    html! {
        @for (place, anchor, name) in drawn { text class={ "tick " (anchor) } x=(px(place)) y=(px(y)) { (name) } }
    }
}

/// All series by night: how far each night is from the first level of its series.
pub(super) fn strip(report: &HistoryReport) -> Option<Figure<'_>> {
    let news = |row: &&&SeriesRow| row.has_news();
    let judged: Vec<&SeriesRow> = report.series.iter().filter(|row| row.judged).collect();
    let rest = judged.iter().filter(|row| !row.has_news());
    let rows: Vec<&SeriesRow> =
        judged.iter().filter(news).chain(rest).take(MAX_LINES).copied().collect();
    if rows.is_empty() || report.nights.len() < 2 {
        return None;
    }
    let more = judged.len() - rows.len();
    let last = report.nights.len() as f64 - 0.5;
    let x = Scale::between((-0.5, last), STRIP.0, STRIP.1);
    let bottom = 6.0 + LINE * rows.len() as f64;
    let names: Vec<String> = rows.iter().map(|row| shortened(&title(report, row), 96)).collect();
    let widest = names.iter().map(|name| text_width(name, SIZE)).fold(0.0, f64::max);
    let what = html! {
        @for (at, (row, name)) in rows.iter().zip(&names).enumerate() {
            @let y = 6.0 + LINE * at as f64;
            text class="start" font-size=(SIZE) x=(px(STRIP.1 + 6.0)) y=(px(y + 11.0)) { (name) }
            @for (from, to, shade) in shades(row) {
                rect class=(shade) x=(px(x.at(from as f64 - 0.5))) y=(px(y + 1.0)) height=(px(LINE - 2.0))
                    width=(px(x.at(to as f64 + 0.5) - x.at(from as f64 - 0.5))) {
                    title { (short(&title(report, row))) ", " (report.nights[from].name) @if to > from { " to " (report.nights[to].name) } }
                }
            }
        }
        @for event in &report.events {
            line class="zero" x1=(px(x.at(event.night as f64 - 0.5))) x2=(px(x.at(event.night as f64 - 0.5))) y1="2" y2=(px(bottom + 2.0)) {
                title { (event.sentence) }
            }
        }
        text class="tick start" x=(px(STRIP.0)) y=(px(bottom + 18.0)) { (shortened(&report.nights[0].name, 20)) }
        text class="tick end" x=(px(STRIP.1)) y=(px(bottom + 18.0)) { (shortened(&report.nights[report.nights.len() - 1].name, 20)) }
    };
    let drawing = Drawing {
        key: "a",
        size: ((STRIP.1 + 12.0 + widest).ceil(), bottom + 28.0),
        name: "All series by night".to_owned(),
        described: format!(
            "{} over {}: {}.",
            counted(rows.len(), "line"),
            counted(report.nights.len(), "night"),
            short(&report.summary)
        ),
        what,
    };
    let left_out = if more > 0 {
        format!("; {} without news not drawn", counted(more, "line"))
    } else {
        String::new()
    };
    let caption =
        format!("Green: better than the first level, pink: worse, from 2 sd on{left_out}");
    Some(Figure {
        name: "All series by night".to_owned(),
        direction: String::new(),
        verdict: None,
        numbers: None,
        remark: None,
        panels: vec![Panel { caption, drawing, in_picture: true }],
        sides: None,
    })
}

/// Stretches of nights of one shade.
fn shades(row: &SeriesRow) -> Vec<(usize, usize, String)> {
    let Some(usual) = row.levels.first() else { return Vec::new() };
    let sign = row.better.map_or(1.0, Better::sign);
    let mut stretches: Vec<(usize, usize, String)> = Vec::new();
    for (night, value) in row.nights.iter().zip(&row.values) {
        let reach = (usual.band[1] - usual.band[0]) / 4.0;
        let distance = sign * (value - usual.level) / reach;
        let step = SHADES.iter().filter(|shade| distance.abs() >= **shade).count();
        let shade = match (step, distance > 0.0) {
            (0, _) => "h0".to_owned(),
            (step, true) => format!("good{step}"),
            (step, false) => format!("bad{step}"),
        };
        match stretches.last_mut() {
            Some((_, last, known)) if *known == shade && *last + 1 == *night => *last = *night,
            _ => stretches.push((*night, *night, shade)),
        }
    }
    stretches
}
