//! Coverage against the number of runs, as SVG.

use std::collections::BTreeMap;
use std::sync::Arc;

use kuva::backend::svg::SvgBackend;
use kuva::plot::annotations::{ReferenceLine, ShadedRegion};
use kuva::plot::{LinePlot, ScatterPlot};
use kuva::render::figure::Figure;
use kuva::render::layout::{Layout, TickFormat};
use kuva::render::plots::Plot;

use crate::bands::{BANDS_CONFIDENCE, EACH};
use crate::report::{Report, Results};
use crate::study::Cell;
use beyondnoise::calibrate::Design;
use beyondnoise_model::format;

/// Colours of the lines, one after the other.
const COLOURS: [&str; 13] = [
    "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f",
    "#bcbd22", "#17becf", "#000000", "#393b79", "#8c6d31",
];

/// Panels side by side.
const PANELS_IN_A_ROW: usize = 3;

/// Lowest coverage that is drawn, unless a line goes below.
const FLOOR: f64 = 0.9;

/// Coverage of a simulated study against the number of runs: a panel per interval with a line per shape of noise,
/// or one panel with a line per interval where there is a single shape. Different numbers of runs are drawn as
/// points. `None` where no coverage was simulated.
pub fn plot(report: &Report) -> Option<String> {
    let Results::Simulated { study, .. } = &report.results else { return None };
    let covered: Vec<&Cell> = study.cells.iter().filter(|cell| cell.coverage.is_some()).collect();
    let one_shape = covered.iter().all(|cell| cell.shape == covered[0].shape);
    let procedure = |cell: &Cell| cell.procedure.to_string();
    let shape = |cell: &Cell| cell.shape.to_owned();
    let panels = if one_shape { sorted(&covered, shape) } else { sorted(&covered, procedure) };
    let mut designs: Vec<Design> = study.cells.iter().map(|cell| cell.design).collect();
    designs.sort_by_key(|design| (!design.equal(), *design));
    designs.dedup();
    let lowest = covered.iter().filter_map(|cell| cell.coverage).reduce(f64::min)?;
    let low = if lowest < FLOOR { (lowest * 20.0).floor() / 20.0 } else { FLOOR };
    let axes = Axes { designs: &designs, low, confidence: report.settings.confidence };
    let (mut plots, mut layouts) = (Vec::new(), Vec::new());
    for (title, cells) in panels {
        let lines = if one_shape { sorted(&cells, procedure) } else { sorted(&cells, shape) };
        let drawn: Vec<Plot> =
            lines.iter().enumerate().flat_map(|(index, line)| axes.line(index, line)).collect();
        layouts.push(axes.layout(&drawn, &title));
        plots.push(drawn);
    }
    let columns = plots.len().min(PANELS_IN_A_ROW);
    let figure = Figure::new(plots.len().div_ceil(columns), columns)
        .with_title(format!(
            "Coverage of {} intervals where nothing changed{}",
            format::confidence(report.settings.confidence),
            if axes.banded() { " (grey: the band to keep)" } else { "" }
        ))
        .with_cell_size(if columns == 1 { 700.0 } else { 420.0 }, 340.0)
        .with_plots(plots)
        .with_layouts(layouts)
        .with_shared_legend();
    Some(SvgBackend::new().render_scene(&figure.render()))
}

/// The cells by a name, in the order in which the names come.
fn sorted<'a>(cells: &[&'a Cell], name: impl Fn(&Cell) -> String) -> Vec<(String, Vec<&'a Cell>)> {
    let mut order: Vec<String> = Vec::new();
    let mut by_name: BTreeMap<String, Vec<&Cell>> = BTreeMap::new();
    for cell in cells {
        let name = name(cell);
        if !by_name.contains_key(&name) {
            order.push(name.clone());
        }
        by_name.entry(name).or_default().push(cell);
    }
    order
        .into_iter()
        .map(|name| (name.clone(), by_name.remove(&name).unwrap_or_default()))
        .collect()
}

/// Values that all panels share.
struct Axes<'a> {
    designs: &'a [Design],
    low: f64,
    confidence: f64,
}

impl Axes<'_> {
    /// Whether there is a band for intervals of this confidence.
    fn banded(&self) -> bool {
        (self.confidence - BANDS_CONFIDENCE).abs() < 1e-9
    }

    /// A line through the cells with as many runs of both variants, points for the others.
    fn line(&self, index: usize, (name, cells): &(String, Vec<&Cell>)) -> Vec<Plot> {
        let at = |cell: &&Cell| {
            let place = self.designs.iter().position(|design| *design == cell.design)?;
            Some((place as f64, cell.coverage?))
        };
        let points = |equal: bool| -> Vec<(f64, f64)> {
            let mut points: Vec<(f64, f64)> =
                cells.iter().filter(|cell| cell.design.equal() == equal).filter_map(at).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            points
        };
        let colour = COLOURS[index % COLOURS.len()];
        let line = LinePlot::new()
            .with_data(points(true))
            .with_color(colour)
            .with_stroke_width(1.6)
            .with_legend(name.clone());
        let line = if index >= 8 { line.with_dashed() } else { line };
        let dots = [points(true), points(false)].concat();
        let dots = ScatterPlot::new().with_data(dots).with_color(colour).with_size(2.5);
        vec![Plot::Line(line), Plot::Scatter(dots)]
    }

    fn layout(&self, plots: &[Plot], title: &str) -> Layout {
        let names: Vec<String> = self.designs.iter().map(ToString::to_string).collect();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a place on the axis"
        )]
        let name = move |x: f64| {
            let whole = (x - x.round()).abs() < 1e-6 && x > -0.5;
            names.get(x.round() as usize).filter(|_| whole).cloned().unwrap_or_default()
        };
        let last = self.designs.len().saturating_sub(1) as f64;
        let nominal = ReferenceLine::horizontal(self.confidence).with_color("black");
        let layout = Layout::auto_from_plots(plots)
            .with_title(title)
            .with_title_size(14)
            .with_x_label("runs of each variant")
            .with_y_label("coverage")
            .with_font_family("sans-serif")
            .with_x_axis_min(-0.3)
            .with_x_axis_max(last + 0.3)
            .with_x_tick_step(1.0)
            .with_x_tick_format(TickFormat::Custom(Arc::new(name)))
            .with_y_axis_min(self.low)
            .with_y_axis_max(1.0)
            .with_reference_line(nominal);
        if !self.banded() {
            return layout;
        }
        layout.with_shaded_region(ShadedRegion::horizontal(EACH.0, EACH.1).with_color("gray"))
    }
}
