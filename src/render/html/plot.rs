//! The panels of an estimation plot: every run, the interval of the change, the runs as they were made.

use maud::{Markup, html};

use crate::format::{self, counted, shortened};
use crate::render::html::icon;
use crate::render::scale::Scale;
use crate::report::{Comparison, Row, RunRow, Settings, SideRow, row_text, verdicts, words};
use crate::units::Better;

/// Size of a panel; it is shown at about this many pixels.
const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 202.0;

/// Left and right end of the runs, beside the numbers of the axis.
const RUNS: (f64, f64) = (58.0, 374.0);

/// Upper and lower end of the runs.
const RUNS_DOWN: (f64, f64) = (22.0, 148.0);

/// Left and right end of the axis of changes.
const CHANGES: (f64, f64) = (14.0, 366.0);

/// Where the axis of changes and its band begin and end.
const CHANGES_DOWN: (f64, f64) = (44.0, 162.0);

/// Half the room of a text in the middle of a panel.
const HALF_A_TEXT: f64 = 78.0;

/// Columns of a label under its runs.
const LABEL: usize = 22;

/// A place of a coordinate, as short as it can be.
pub(super) fn px(at: f64) -> String {
    let text = format!("{at:.1}");
    text.strip_suffix(".0").map_or(text.clone(), ToOwned::to_owned)
}

/// Runs of a variant that are drawn or listed on a page.
pub(super) const MOST_RUNS: usize = 5_000;

/// Of how many runs one is drawn, where there are `runs`.
fn one_in(runs: usize) -> usize {
    runs.div_ceil(MOST_RUNS).max(1)
}

/// The two variants, the baseline first: their class, values, runs and labels.
struct Side<'a> {
    class: &'static str,
    values: &'a SideRow,
    list: &'a [RunRow],
    name: &'a str,
}

fn sides<'a>(comparison: &'a Comparison, row: &'a Row) -> [Side<'a>; 2] {
    let (a, b) = (&comparison.baseline, &comparison.candidate);
    [
        Side { class: "a", values: &row.baseline, list: &a.run_list, name: &a.name },
        Side { class: "b", values: &row.candidate, list: &b.run_list, name: &b.name },
    ]
}

impl Side<'_> {
    /// Value and run of each run, or of one run in so many that at most `MOST_RUNS` are drawn.
    fn runs(&self) -> impl Iterator<Item = (f64, Option<&RunRow>)> {
        let all = self.values.values.iter().zip(&self.values.runs);
        all.map(|(v, run)| (*v, self.list.get(*run))).step_by(one_in(self.values.n))
    }

    fn place(run: Option<&RunRow>) -> Option<f64> {
        run.and_then(|run| run.order).map(|order| order as f64)
    }
}

/// Whether the start of every run is known.
pub(super) fn is_ordered(comparison: &Comparison) -> bool {
    let lists = [&comparison.baseline.run_list, &comparison.candidate.run_list];
    lists.into_iter().flatten().all(|run| run.order.is_some())
}

/// The mark of a run: a dot for the baseline, a diamond for the candidate.
pub(super) fn mark(class: &str, (x, y): (f64, f64), r: f64, title: Option<&str>) -> Markup {
    let (x, y) = (px(x), px(y));
    html! {
        @if class == "a" {
            circle cx=(x) cy=(y) r=(px(r)) { @if let Some(title) = title { title { (title) } } }
        } @else {
            @let d = px(r * 1.25);
            path d={ "M" (x) " " (y) "m0-" (d) "l" (d) " " (d) "l-" (d) " " (d) "l-" (d) "-" (d) "z" } {
                @if let Some(title) = title { title { (title) } }
            }
        }
    }
}

/// The text on hovering over a run: `run-03.json: 557.1 tok/s`.
fn tip(row: &Row, value: f64, run: Option<&RunRow>) -> String {
    let of = run.map(RunRow::shown).unwrap_or_default();
    format!("{}: {}", shortened(&of, 80), row_text::value_and_unit(row, value))
}

/// Where values lie, and the lines and numbers of their axis.
struct Values {
    scale: Scale,
    axis: Markup,
}

/// The axis of the values of both variants; `None` where they have no finite span.
fn values(row: &Row) -> Option<Values> {
    let all = [&row.baseline, &row.candidate]
        .into_iter()
        .flat_map(|side| side.values.iter().copied().chain(std::iter::once(side.estimate)));
    let scale = Scale::over(all.clone(), RUNS_DOWN.1, RUNS_DOWN.0)?;
    let largest = all.fold(0.0, |most: f64, value| most.max(value.abs()));
    let better = row_text::shown_unit(row);
    let power = if better.is_some() || (1e-3..1e5).contains(&largest) || largest == 0.0 {
        0.0
    } else {
        (largest.log10() / 3.0).floor() * 3.0
    };
    let factor = better.map_or(10_f64.powf(power), |shown| 1.0 / shown.factor);
    let own = better.map_or(row.unit, |shown| shown.unit);
    let (low, high) = scale.ends();
    let shown = Scale::between((low / factor, high / factor), RUNS_DOWN.1, RUNS_DOWN.0);
    let ticks = shown.ticks(5);
    let unit = if power == 0.0 { own.to_owned() } else { format!("10^{power} {own}") };
    let axis = html! {
        text class="unit" x="4" y="12" { (unit) }
        @for tick in &ticks.at {
            @let y = px(shown.at(*tick));
            line class="grid" x1=(px(RUNS.0 - 4.0)) x2=(px(RUNS.1)) y1=(y) y2=(y) {}
            text class="tick end" x=(px(RUNS.0 - 8.0)) y=(px(shown.at(*tick) + 4.0)) {
                (format!("{tick:.*}", ticks.decimals).replace('-', "−"))
            }
        }
    };
    Some(Values { scale, axis })
}

/// Every run of both variants, the baseline left, with the line of each centre.
pub(super) fn dots(comparison: &Comparison, row: &Row, id: &str, tips: bool) -> Option<Markup> {
    let Values { scale, axis } = values(row)?;
    let half = (RUNS.1 - RUNS.0) / 2.0;
    let (before, after) = row_text::estimates(row);
    let what = html! {
        (axis)
        @for ((index, side), mean) in sides(comparison, row).iter().enumerate().zip([&before, &after]) {
            @let from = RUNS.0 + half * index as f64 + 6.0;
            @let step = (half - 12.0) / side.values.n.div_ceil(one_in(side.values.n)).max(1) as f64;
            @let radius = (step * 0.8).clamp(2.0, 4.5);
            @let y = px(scale.at(side.values.estimate));
            g class=(side.class) {
                line class="centre" x1=(px(from)) x2=(px(from + half - 12.0)) y1=(y) y2=(y) {}
                @for (at, (value, run)) in side.runs().enumerate() {
                    @let x = from + step * (at as f64 + 0.5);
                    @let tip = tips.then(|| tip(row, value, run));
                    (mark(side.class, (x, scale.at(value)), radius, tip.as_deref()))
                }
            }
            @let middle = px(from + (half - 12.0) / 2.0);
            @let runs = format!(" (n={})", side.values.n);
            text class="name" x=(middle) y="172" { (shortened(side.name, LABEL.saturating_sub(runs.len() + 3))) (runs) }
            text class="tick" x=(middle) y="189" { (shortened(mean, LABEL)) }
        }
    };
    let better = row_text::shown_unit(row);
    let order = if is_ordered(comparison) {
        "in the order of their start"
    } else {
        "in the order of the files"
    };
    let drawn = match one_in(row.baseline.n.max(row.candidate.n)) {
        1 => String::new(),
        n => format!(" One run in {n} is drawn."),
    };
    let described = format!(
        "Runs {order}.{drawn} {}: {before}{unit} over {}. {}: {after}{unit} over {}.",
        shortened(&comparison.baseline.name, 80),
        counted(row.baseline.n, "run"),
        shortened(&comparison.candidate.name, 80),
        counted(row.candidate.n, "run"),
        unit = if better.is_some() { String::new() } else { format!(" {}", row.unit) },
    );
    Some(svg(id, &format!("{}: every run", row.row_label), &described, &what))
}

/// The runs of both variants in the order in which they were made; `None` where that is not known.
pub(super) fn strip(comparison: &Comparison, row: &Row, id: &str, tips: bool) -> Option<Markup> {
    if !is_ordered(comparison) {
        return None;
    }
    let Values { scale, axis } = values(row)?;
    let runs = comparison.baseline.runs + comparison.candidate.runs;
    let along = Scale::between((0.5, runs as f64 + 0.5), RUNS.0, RUNS.1);
    let radius = ((RUNS.1 - RUNS.0) / runs as f64 * 0.8).clamp(2.0, 4.5);
    let both = sides(comparison, row);
    let points = |side: &Side| -> Vec<(f64, f64, String)> {
        let runs = side.runs().filter_map(|(value, run)| {
            Some((along.at(Side::place(run)?), scale.at(value), tip(row, value, run)))
        });
        runs.collect()
    };
    let what = html! {
        (axis)
        @for side in &both {
            @let points = points(side);
            g class=(side.class) {
                polyline class="path" points=(joined(&points)) {}
                @for (x, y, tip) in &points {
                    (mark(side.class, (*x, *y), radius, tips.then_some(tip)))
                }
            }
        }
        text class="tick start" x=(px(RUNS.0)) y="172" { "first run" }
        text class="tick end" x=(px(RUNS.1)) y="172" { "last, run " (runs) }
    };
    let turns: Vec<&str> = turns(&both);
    let described = format!("Order of the runs, A the baseline: {}.", turns.join(" "));
    Some(svg(
        id,
        &format!("{}: runs in the order of their start", row.row_label),
        &described,
        &what,
    ))
}

fn joined(points: &[(f64, f64, String)]) -> String {
    let points: Vec<String> =
        points.iter().map(|(x, y, _)| format!("{},{}", px(*x), px(*y))).collect();
    points.join(" ")
}

/// The variants by turns, as they were run: `A B B A`.
fn turns(both: &[Side; 2]) -> Vec<&'static str> {
    let mut places: Vec<(usize, &str)> = both
        .iter()
        .zip(["A", "B"])
        .flat_map(|(side, letter)| {
            side.runs().filter_map(move |(_, run)| Some((run?.order?, letter)))
        })
        .collect();
    places.sort_unstable();
    places.into_iter().map(|(_, letter)| letter).collect()
}

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
            (row.delta.relative_ci_adjusted, alone.and_then(|alone| alone.relative_ci_adjusted));
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

/// The interval of the change on an axis of its own, with zero and the margin that matters.
pub(super) fn interval(
    comparison: &Comparison,
    row: &Row,
    settings: &Settings,
    id: &str,
) -> Option<Markup> {
    let Change { estimate, interval, alone, margin, factor, unit } = change(row, settings);
    let ends = interval.into_iter().flatten().chain([0.0, estimate, margin, -margin]);
    let scale = Scale::over(ends.map(|end| end * factor), CHANGES.0, CHANGES.1)?;
    let at = |value: f64| scale.at(value * factor);
    let (top, bottom) = CHANGES_DOWN;
    let ticks = scale.ticks(7);
    let middle = at(interval.map_or(estimate, |[low, high]| f64::midpoint(low, high)));
    let text_at = |x: f64| px(x.clamp(HALF_A_TEXT, WIDTH - HALF_A_TEXT));
    let level = words::level(comparison);
    let shown = match interval {
        Some(_) => format!("{level} {}", row_text::interval(row)),
        None => "no interval".to_owned(),
    };
    let what = html! {
        (directions(row))
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
    Some(svg(id, &format!("{}: the change", row.row_label), &described, &what))
}

/// Which side of the axis is better.
fn directions(row: &Row) -> Markup {
    let [(low, low_side), (high, high_side)] = match row.better {
        Some(Better::Lower) => [("side better", "← better"), ("side worse", "worse →")],
        Some(Better::Higher) => [("side worse", "← worse"), ("side better", "better →")],
        None => [("side", "← lower"), ("side", "higher →")],
    };
    html! {
        text class={ (low) " start" } x="4" y="14" { (low_side) }
        text class={ (high) " end" } x=(px(WIDTH - 4.0)) y="14" { (high_side) }
    }
}

fn margin_words(row: &Row, margin: f64) -> String {
    if row.delta.relative.is_some() {
        format::chosen(margin)
    } else {
        format!("{} {}", format::plain(margin), row.unit)
    }
}

/// A panel with its name and its numbers in words.
fn svg(id: &str, name: &str, described: &str, what: &Markup) -> Markup {
    html! {
        svg class="plot" role="img" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) }
            aria-labelledby={ (id) "-t" } aria-describedby={ (id) "-d" } {
            title id={ (id) "-t" } { (name) }
            desc id={ (id) "-d" } { (described) }
            (what)
        }
    }
}
