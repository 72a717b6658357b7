//! The simulated study: coverage, width and power of each procedure, on each shape of noise, for each design.
//!
//! Both variants of a repetition have the same true mean, so an interval that excludes no change is wrong. A change
//! of the size e multiplied into the candidate moves its log delta, and with it every interval, by ln(1 + e): the
//! power at e is counted on the same intervals.

use schemars::JsonSchema;
use serde::Serialize;

use crate::shapes::Shape;
use beyondnoise::calibrate::{BLOCK, Block, in_blocks};
use beyondnoise::calibrate::{Design, Power, Procedure, excludes_zero, shift};
use beyondnoise::stats::{Across, Interval, Method, Resampling, Sample, Scale, TwoSample};

/// Settings of the simulation.
#[derive(Clone, Debug)]
pub struct StudySettings {
    /// Ways to make an interval.
    pub procedures: Vec<Procedure>,
    /// Shapes of noise.
    pub shapes: Vec<&'static Shape>,
    /// Numbers of runs; one with fewer than 2 runs has no interval.
    pub designs: Vec<Design>,
    /// Changes of the candidate, as fractions greater than -1.
    pub effects: Vec<f64>,
    /// Comparisons a cell.
    pub repetitions: u64,
    /// Nominal coverage, in (0, 1).
    pub confidence: f64,
    /// Resamples drawn where there are too many to enumerate.
    pub resamples: usize,
    /// First seed of the simulated runs and of the resamples.
    pub seed: u64,
}

/// Error rates of one procedure on one shape with one design.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Cell {
    /// Name of the shape.
    pub shape: &'static str,
    /// Numbers of runs.
    #[serde(flatten)]
    pub design: Design,
    /// How the interval is made.
    #[schemars(extend("enum" = ["calibrated", "percentile", "bca", "welch", "rank sums"]))]
    pub method: &'static str,
    /// Statistic over the runs of a variant.
    #[schemars(extend("enum" = ["mean", "median", "quantile", "hodges-lehmann"]))]
    pub across: &'static str,
    /// Comparisons simulated.
    #[schemars(range(min = 1))]
    pub repetitions: u64,
    /// Comparisons that have no interval with two ends: too few runs for that confidence.
    pub without_interval: u64,
    /// Share of the intervals that hold the true ratio of 1; null where there is none.
    #[schemars(range(min = 0, max = 1))]
    pub coverage: Option<f64>,
    /// Binomial standard error of the coverage.
    #[schemars(range(min = 0))]
    pub standard_error: Option<f64>,
    /// Share of the intervals that claim a change where there is none.
    #[schemars(range(min = 0, max = 1))]
    pub false_positives: Option<f64>,
    /// Mean width on the scale of the log ratio.
    #[schemars(range(min = 0))]
    pub width: Option<f64>,
    /// Mean width as a multiple of that of Welch's interval of the means of the same runs.
    #[schemars(range(min = 0))]
    pub width_of_welch: Option<f64>,
    /// Standard error of that multiple.
    #[schemars(range(min = 0))]
    pub width_error: Option<f64>,
    /// How often each change is seen, in the order of the settings.
    pub power: Vec<Power>,
    /// How the interval is made and which noise it takes, for the tables.
    #[serde(skip)]
    pub procedure: Procedure,
    /// Whether the shape is one of the reference.
    #[serde(skip)]
    pub reference: bool,
}

/// Means over the eight shapes of the reference, where all eight were simulated.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Average {
    /// Numbers of runs.
    #[serde(flatten)]
    pub design: Design,
    /// How the interval is made.
    #[schemars(extend("enum" = ["calibrated", "percentile", "bca", "welch", "rank sums"]))]
    pub method: &'static str,
    /// Statistic over the runs of a variant.
    #[schemars(extend("enum" = ["mean", "median", "quantile", "hodges-lehmann"]))]
    pub across: &'static str,
    /// Comparisons behind it.
    #[schemars(range(min = 1))]
    pub repetitions: u64,
    /// Mean coverage.
    #[schemars(range(min = 0, max = 1))]
    pub coverage: f64,
    /// Mean width as a multiple of Welch's.
    #[schemars(range(min = 0))]
    pub width_of_welch: f64,
    /// How the interval is made and which noise it takes, for the tables.
    #[serde(skip)]
    pub procedure: Procedure,
}

/// All that was simulated.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Study {
    /// Cells by procedure, then shape, then design, in the order of the settings.
    pub cells: Vec<Cell>,
    /// Means over the eight shapes of the reference.
    pub averages: Vec<Average>,
}

/// Counts of the intervals of one procedure.
#[derive(Clone, Default)]
struct StudyTally {
    intervals: u64,
    covered: u64,
    seen: Vec<u64>,
    width: f64,
    welch: f64,
    width_squares: f64,
    welch_squares: f64,
    products: f64,
}

/// Simulates every cell of `settings`; `done` hears of finished comparisons, [`StudySettings::comparisons`] in all.
///
/// # Panics
///
/// If the confidence is outside (0, 1) or an effect is -1 or less.
///
/// # Examples
///
/// ```
/// use beyondnoise_calibration::{Shape, StudySettings, simulate};
/// use beyondnoise::calibrate::{Design, Procedure};
/// use beyondnoise::stats::{Across, Method};
///
/// let settings = StudySettings {
///     procedures: Procedure::all_of(&[Method::Percentile, Method::Welch], &[Across::MEAN]),
///     shapes: vec![&Shape::all()[0]],
///     designs: vec![Design::each(3)],
///     effects: vec![0.05],
///     repetitions: 400,
///     confidence: 0.95,
///     resamples: 1_000,
///     seed: 0,
/// };
/// let study = simulate(&settings, &|_| {});
/// let coverage = |index: usize| study.cells[index].coverage.unwrap();
/// assert!(coverage(0) < 0.88 && coverage(1) > 0.92); // three runs: the plain bootstrap is too narrow
/// ```
pub fn simulate(settings: &StudySettings, done: &(dyn Fn(u64) + Sync)) -> Study {
    let StudySettings { procedures, shapes, designs, .. } = settings;
    let jobs: Vec<(&Shape, Design)> = shapes
        .iter()
        .flat_map(|shape| designs.iter().map(move |design| (*shape, *design)))
        .collect();
    let first = Resampling { count: settings.resamples, seed: settings.seed };
    let sums = in_blocks(&vec![settings.repetitions; jobs.len()], BLOCK, first, |block| {
        let tallies = tallies(settings, jobs[block.job], block);
        done(block.repetitions.end - block.repetitions.start);
        tallies
    });
    let mut totals = vec![vec![StudyTally::default(); procedures.len()]; jobs.len()];
    for (job, tallies) in sums {
        for (total, tally) in totals[job].iter_mut().zip(tallies) {
            total.merge(&tally);
        }
    }
    let mut cells = Vec::new();
    for (index, procedure) in procedures.iter().enumerate() {
        for ((shape, design), tallies) in jobs.iter().zip(&totals) {
            cells.push(tallies[index].cell(settings, *procedure, shape, *design));
        }
    }
    let averages = procedures
        .iter()
        .flat_map(|procedure| designs.iter().map(move |design| (*procedure, *design)))
        .filter_map(|(procedure, design)| average(&cells, procedure, design))
        .collect();
    Study { cells, averages }
}

impl StudySettings {
    /// Comparisons that are simulated; the procedures share them.
    pub fn comparisons(&self) -> u64 {
        self.repetitions * (self.shapes.len() * self.designs.len()) as u64
    }
}

fn tallies(
    settings: &StudySettings,
    (shape, design): (&Shape, Design),
    block: &Block,
) -> Vec<StudyTally> {
    let StudySettings { procedures, effects, confidence, seed, .. } = settings;
    let shifts: Vec<f64> = effects.iter().map(|effect| shift(*effect)).collect();
    let mut tallies = vec![
        StudyTally { seen: vec![0; effects.len()], ..StudyTally::default() };
        procedures.len()
    ];
    if design.fewest() < 2 {
        return tallies;
    }
    for repetition in block.repetitions.clone() {
        let (baseline, candidate) = shape.runs(design, *seed, repetition);
        let [baseline, candidate] =
            [baseline, candidate].map(|values| Sample::new(values).expect("finite values"));
        let intervals = |across: Across, methods: &[Method]| -> Vec<Option<Interval>> {
            let runs = TwoSample::new(&baseline, &candidate, across, block.how);
            let curve = |method: &Method| runs.curve(Scale::Log, *method).ok();
            methods.iter().map(|method| Some(curve(method)?.interval(*confidence))).collect()
        };
        let welch = intervals(Across::MEAN, &[Method::Welch])[0].map_or(f64::NAN, width);
        for group in procedures.chunk_by(|a, b| a.across == b.across) {
            let methods: Vec<Method> = group.iter().map(|procedure| procedure.method).collect();
            let found = intervals(group[0].across, &methods);
            for (procedure, interval) in group.iter().zip(found) {
                let index = procedures.iter().position(|known| known == procedure);
                let tally = &mut tallies[index.expect("one of the procedures")];
                tally.record(interval, welch, &shifts);
            }
        }
    }
    tallies
}

fn width(interval: Interval) -> f64 {
    interval.high - interval.low
}

impl StudyTally {
    fn record(&mut self, interval: Option<Interval>, welch: f64, shifts: &[f64]) {
        // The rank interval of few runs has no ends at a high confidence.
        let Some(interval) = interval.filter(|interval| width(*interval).is_finite()) else {
            return;
        };
        self.intervals += 1;
        self.covered += u64::from(!excludes_zero(interval, 0.0));
        for (seen, shift) in self.seen.iter_mut().zip(shifts) {
            *seen += u64::from(excludes_zero(interval, *shift));
        }
        let width = width(interval);
        self.width += width;
        self.welch += welch;
        self.width_squares += width * width;
        self.welch_squares += welch * welch;
        self.products += width * welch;
    }

    fn merge(&mut self, other: &Self) {
        self.intervals += other.intervals;
        self.covered += other.covered;
        self.seen.resize(other.seen.len(), 0);
        for (sum, seen) in self.seen.iter_mut().zip(&other.seen) {
            *sum += seen;
        }
        self.width += other.width;
        self.welch += other.welch;
        self.width_squares += other.width_squares;
        self.welch_squares += other.welch_squares;
        self.products += other.products;
    }

    fn cell(
        &self,
        settings: &StudySettings,
        procedure: Procedure,
        shape: &Shape,
        design: Design,
    ) -> Cell {
        let n = self.intervals as f64;
        let known = |value: f64| (self.intervals > 0).then_some(value);
        let rate = |count: u64| count as f64 / n;
        let coverage = rate(self.covered);
        let ratio = self.width / self.welch;
        // Of a ratio of means, by linearisation.
        let residual =
            self.width_squares - 2.0 * ratio * self.products + ratio * ratio * self.welch_squares;
        let power = settings.effects.iter().enumerate().map(|(index, effect)| Power {
            effect: *effect,
            power: self.seen.get(index).and_then(|seen| known(rate(*seen))),
        });
        Cell {
            shape: shape.name,
            design,
            method: procedure.method(),
            across: procedure.across(),
            repetitions: settings.repetitions,
            without_interval: settings.repetitions - self.intervals,
            coverage: known(coverage),
            standard_error: known((coverage * (1.0 - coverage) / n).sqrt()),
            false_positives: known(rate(self.intervals - self.covered)),
            width: known(self.width / n),
            width_of_welch: known(ratio),
            width_error: known(residual.max(0.0).sqrt() / self.welch),
            power: power.collect(),
            procedure,
            reference: shape.reference,
        }
    }
}

fn average(cells: &[Cell], procedure: Procedure, design: Design) -> Option<Average> {
    let of_design = |cell: &&Cell| cell.procedure == procedure && cell.design == design;
    let cells: Vec<&Cell> = cells.iter().filter(of_design).filter(|cell| cell.reference).collect();
    let eight = Shape::all().iter().filter(|shape| shape.reference).count();
    if cells.len() != eight {
        return None;
    }
    let mean = |of: fn(&Cell) -> Option<f64>| -> Option<f64> {
        let values: Option<Vec<f64>> = cells.iter().map(|cell| of(cell)).collect();
        Some(values?.iter().sum::<f64>() / cells.len() as f64)
    };
    Some(Average {
        design,
        method: procedure.method(),
        across: procedure.across(),
        repetitions: cells.iter().map(|cell| cell.repetitions).sum(),
        coverage: mean(|cell| cell.coverage)?,
        width_of_welch: mean(|cell| cell.width_of_welch)?,
        procedure,
    })
}
