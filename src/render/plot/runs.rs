//! Every run of a metric: by variant, and in the order of their start.

use maud::{Markup, html};

use crate::format::{counted, shortened};
use crate::render::plot::drawing::{Drawing, Panel, Unit, mark, px, short, tick};
use crate::render::plot::scale::Scale;
use crate::report::comparison::row_text;
use crate::report::{Comparison, Row, RunRow, SideRow};

/// Size of a panel; it is shown at about this many pixels.
const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 202.0;

/// Left and right end of the runs, beside the numbers of the axis.
const RUNS: (f64, f64) = (58.0, 374.0);

/// Upper and lower end of the runs.
const RUNS_DOWN: (f64, f64) = (22.0, 148.0);

/// Columns of a label under its runs.
const LABEL: usize = 22;

/// Runs of a variant that are drawn.
const MAX_DRAWN_RUNS: usize = 5_000;

/// Of how many runs one is drawn, where there are `runs`.
fn one_in(runs: usize) -> usize {
    runs.div_ceil(MAX_DRAWN_RUNS).max(1)
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
    /// Value and run of at most `MAX_DRAWN_RUNS` runs, evenly spaced.
    fn runs(&self) -> impl Iterator<Item = (f64, Option<&RunRow>)> {
        let all = self.values.values.iter().zip(&self.values.runs);
        all.map(|(v, run)| (*v, self.list.get(*run))).step_by(one_in(self.values.n))
    }

    fn place(run: Option<&RunRow>) -> Option<f64> {
        run.and_then(|run| run.order).map(|order| order as f64)
    }
}

/// Whether the start of every run is known.
fn is_ordered(comparison: &Comparison) -> bool {
    let lists = [&comparison.baseline.run_list, &comparison.candidate.run_list];
    lists.into_iter().flatten().all(|run| run.order.is_some())
}

/// The text on hovering over a run: `run-03.json: 557.1 tok/s`.
fn tip(row: &Row, value: f64, run: Option<&RunRow>) -> String {
    let of = run.map(RunRow::shown).unwrap_or_default();
    format!("{}: {}", shortened(&of, 80), row_text::value_and_unit(row, value))
}

/// Positions of values, and the lines and numbers of their axis.
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
    let unit = Unit::of(row.unit, row_text::shown_unit(row), largest);
    let shown = unit.scaled(&scale);
    let ticks = shown.ticks(5);
    let axis = html! {
        text class="unit" x="4" y="12" { (unit.name) }
        @for value in &ticks.at {
            @let y = px(shown.at(*value));
            line class="grid" x1=(px(RUNS.0 - 4.0)) x2=(px(RUNS.1)) y1=(y) y2=(y) {}
            text class="tick end" x=(px(RUNS.0 - 8.0)) y=(px(shown.at(*value) + 4.0)) {
                (tick(*value, ticks.decimals))
            }
        }
    };
    Some(Values { scale, axis })
}

/// Every run of both variants, the baseline left, with the line of each centre.
pub(super) fn dots(comparison: &Comparison, row: &Row, tips: bool) -> Option<Panel> {
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
    let (order, caption) = if is_ordered(comparison) {
        ("in the order of their start", "Every run, by variant")
    } else {
        ("in the order of the files", "Every run, in the order of the files (no start times)")
    };
    let drawn = match one_in(row.baseline.n.max(row.candidate.n)) {
        1 => String::new(),
        n => format!(" One run in {n} is drawn."),
    };
    let described = format!(
        "Runs {order}.{drawn} {}: {before}{unit} over {}. {}: {after}{unit} over {}.",
        short(&comparison.baseline.name),
        counted(row.baseline.n, "run"),
        short(&comparison.candidate.name),
        counted(row.candidate.n, "run"),
        unit = if better.is_some() { String::new() } else { format!(" {}", row.unit) },
    );
    let name = format!("{}: every run", row.row_label);
    let drawing = Drawing { key: "d", size: (WIDTH, HEIGHT), name, described, what };
    Some(Panel { caption: caption.to_owned(), drawing, in_picture: true })
}

/// The runs of both variants in the order in which they were made; `None` where that is not known.
pub(super) fn strip(comparison: &Comparison, row: &Row, tips: bool) -> Option<Panel> {
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
    let name = format!("{}: runs in the order of their start", row.row_label);
    let drawing = Drawing { key: "s", size: (WIDTH, HEIGHT), name, described, what };
    Some(Panel {
        caption: "Both variants in the order of their start".to_owned(),
        drawing,
        in_picture: false,
    })
}

fn joined(points: &[(f64, f64, String)]) -> String {
    let points: Vec<String> =
        points.iter().map(|(x, y, _)| format!("{},{}", px(*x), px(*y))).collect();
    points.join(" ")
}

/// The variants alternately, as they were run: `A B B A`.
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
