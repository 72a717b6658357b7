//! Bands for the figures of a study, and the check of a study against them.
//!
//! A figure may leave its band by four standard errors of its simulation, so that a study with few repetitions
//! finds what is wrong and not what is luck.

use schemars::JsonSchema;
use serde::Serialize;

use crate::borrowed::BorrowedRow;
use crate::places::Places;
use crate::shapes::Shape;
use crate::study::{Average, Cell, Study};
use crate::warnings::{ANY, RANDOM_ORDER, WarningRow};
use beyondnoise::calibrate::{Design, Procedure};

/// The only nominal coverage for which there are bands.
pub const BANDS_CONFIDENCE: f64 = 0.95;

/// The only effect with a band of the power with a noise prior.
const EFFECT: f64 = 0.05;

/// Coverage of each of the eight shapes with 3 to 40 runs each.
pub(crate) const EACH: (f64, f64) = (0.935, 0.985);

/// Coverage of each of the eight shapes with different numbers of runs.
const UNEQUAL: (f64, f64) = (0.93, 0.985);

/// Designs with different numbers of runs that have a band.
const UNEQUAL_DESIGNS: [Design; 2] =
    [Design { baseline: 3, candidate: 10 }, Design { baseline: 5, candidate: 20 }];

/// Coverage on the average over the eight shapes, with 3 to 40 runs each.
const AVERAGE: (f64, f64) = (0.94, 0.98);

/// Mean width, as a multiple of Welch's.
const WIDEST: f64 = 1.03;

/// The same with 7 to 12 runs each, where the interval is the wider one of the calibrated and Welch's.
const WIDEST_OF_BOTH: f64 = 1.06;

/// Shapes and designs that may cover more than their band, and be this wide.
///
/// Five runs with one slow run (30 %) in ten often show no slow run at all, and Welch's interval then covers 0.91.
/// The default also uses the noise of the many runs of the other variant, and errs on the safe side.
const SAFE_SIDE: [(&str, Design, f64); 2] =
    [("10 % spikes", UNEQUAL_DESIGNS[0], 1.10), ("10 % spikes", UNEQUAL_DESIGNS[1], 1.10)];

/// Claims where nothing changed, with a noise prior, over all comparisons of a job.
const BORROWED_CLAIMS: (f64, f64) = (0.0, 0.055);

/// The same of each comparison of a job.
const LARGEST_CLAIMS: (f64, f64) = (0.0, 0.07);

/// Comparisons in which nothing is wrong that carry a warning of those that chance can set off.
const FALSE_WARNINGS: f64 = 0.05;

/// Power to see a change of 5 % under 2 % noise.
struct Target {
    /// Runs of each variant.
    runs: usize,
    /// Of Welch's interval by itself, where the noise varies as a chi-square does. With 2 runs it has a single degree
    /// of freedom, for which there is no target.
    own: Option<f64>,
    /// Power with a noise prior in jobs of so many comparisons with equal noise. It is the power that remains when 7
    /// % of claims are held for a single comparison that is two or three times as noisy as all others.
    borrowed: [(usize, f64); 2],
}

const TARGETS: [Target; 3] = [
    Target { runs: 2, own: None, borrowed: [(20, 0.38), (100, 0.42)] },
    Target { runs: 3, own: Some(0.48), borrowed: [(20, 0.68), (100, 0.69)] },
    Target { runs: 5, own: Some(0.82), borrowed: [(20, 0.90), (100, 0.89)] },
];

/// How far a power may be from its target; with a noise prior it may only be higher.
const POWER_WITHIN: f64 = 0.02;

/// Standard errors of the simulation by which a figure may leave its band.
const ALLOWANCE: f64 = 4.0;

/// Number of checked figures, and those outside of their band.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Check {
    /// Figures that have a band.
    pub checked: usize,
    /// Figures outside.
    pub violations: Vec<Violation>,
}

/// A figure outside its band.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Violation {
    /// Where: `10 % spikes, 3 runs each, percentile, mean`.
    pub cell: String,
    /// The figure: `coverage`, `width`, `false positives`, `power` or `warnings`.
    #[schemars(extend("enum" = ["coverage", "width", "false positives", "power", "warnings"]))]
    pub figure: &'static str,
    /// Its value; null where there is no interval.
    #[schemars(range(min = 0))]
    pub found: Option<f64>,
    /// Lower end of the band, without the allowance.
    pub low: f64,
    /// Upper end of the band, without the allowance.
    pub high: f64,
    /// Four standard errors of the simulation, by which it may leave the band.
    #[schemars(range(min = 0))]
    pub allowance: f64,
}

/// Holds the cells of these procedures on the eight shapes, and the averages over them, against the bands.
///
/// The bands are what the default interval of the mean promises; any other is held against the same.
///
/// # Examples
///
/// ```
/// use beyondnoise_calibration::{Shape, StudySettings, check, simulate};
/// use beyondnoise::calibrate::{Design, Procedure};
/// use beyondnoise::stats::{Across, Method};
///
/// let settings = StudySettings {
///     procedures: Procedure::all_of(&[Method::Percentile, Method::Calibrated], &[Across::MEAN]),
///     shapes: vec![&Shape::all()[0]],
///     designs: vec![Design::each(3)],
///     effects: Vec::new(),
///     repetitions: 300,
///     confidence: 0.95,
///     resamples: 1_000,
///     seed: 0,
/// };
/// let check = check(&simulate(&settings, &|_| {}), &settings.procedures);
/// assert_eq!((check.checked, check.violations.len()), (4, 1));
/// assert_eq!(check.violations[0].cell, "normal 2 %, 3 runs each, percentile, mean");
/// ```
pub fn check(study: &Study, of: &[Procedure]) -> Check {
    let mut check = Check::default();
    let cells = study.cells.iter().filter(|cell| cell.reference);
    for cell in cells.filter(|cell| of.contains(&cell.procedure)) {
        check.cell(cell);
    }
    for average in study.averages.iter().filter(|average| of.contains(&average.procedure)) {
        check.average(average);
    }
    check
}

/// Checks the rows with a noise prior, and the power of Welch's interval beside it, against the bands.
pub fn check_borrowed(rows: &[BorrowedRow]) -> Check {
    let mut check = Check::default();
    for row in rows {
        check.borrowed(row);
    }
    check
}

/// Holds the warnings of comparisons in which nothing is wrong against what all checks share.
pub fn check_warnings(rows: &[WarningRow]) -> Check {
    let mut check = Check::default();
    // All of one before all of the other warns, also where a random order made it.
    let banded = |row: &&WarningRow| row.clean && row.check == ANY && row.case != RANDOM_ORDER;
    for row in rows.iter().filter(banded) {
        let place = format!("{}, {}", row.case, words(Design::each(row.runs)));
        let allowance = ALLOWANCE * binomial(FALSE_WARNINGS, row.comparisons);
        let band = (0.0, FALSE_WARNINGS);
        check.figure(place, "warnings", Some(row.rate), band, [allowance; 2]);
    }
    check
}

impl Check {
    /// Holds a share of `n` repetitions against its band.
    pub(crate) fn share(
        &mut self,
        place: String,
        figure: &'static str,
        found: f64,
        band: (f64, f64),
        n: u64,
    ) {
        let allowance = [band.0, band.1].map(|end| ALLOWANCE * binomial(end, n));
        self.figure(place, figure, Some(found), band, allowance);
    }

    fn cell(&mut self, cell: &Cell) {
        let design = cell.design;
        let Some((low, high)) = band(design) else { return };
        let safe = SAFE_SIDE.iter().find(|(shape, d, _)| *shape == cell.shape && *d == design);
        let of_both = design.equal() && (7..=12).contains(&design.baseline);
        let usual = if of_both { WIDEST_OF_BOTH } else { WIDEST };
        let (high, widest) = safe.map_or((high, usual), |(.., widest)| (1.0, *widest));
        let place = format!("{}, {}, {}", cell.shape, words(design), cell.procedure);
        let n = cell.repetitions - cell.without_interval;
        self.coverage(place.clone(), cell.coverage, (low, high), n);
        let allowance = ALLOWANCE * cell.width_error.unwrap_or(0.0);
        self.figure(place, "width", cell.width_of_welch, (0.0, widest), [allowance; 2]);
    }

    fn average(&mut self, average: &Average) {
        let design = average.design;
        if design.equal() && (3..=40).contains(&design.baseline) {
            let place = format!("average, {}, {}", words(design), average.procedure);
            self.coverage(place, Some(average.coverage), AVERAGE, average.repetitions);
        }
    }

    fn borrowed(&mut self, row: &BorrowedRow) {
        let place = format!(
            "{}, jobs of {}, {}, {} noise, {}",
            words(Design::each(row.runs)),
            row.groups,
            row.places,
            row.noise,
            row.method
        );
        let n = row.comparisons;
        let around =
            |(low, high): (f64, f64), n| [low, high].map(|end| ALLOWANCE * binomial(end, n));
        // A single run has no noise that could show how far it is from that of the others.
        if row.noise == "borrowed" && row.runs > 1 {
            let found = Some(row.false_positives);
            // Of a new workload with the history of others there is one comparison only.
            if row.places != Places::History.word() {
                let allowance = around(BORROWED_CLAIMS, n);
                self.figure(place.clone(), "false positives", found, BORROWED_CLAIMS, allowance);
            }
            if let Some(largest) = row.largest_false_positives {
                let allowance = around(LARGEST_CLAIMS, n / row.compared.max(1));
                let figure = "largest false positives";
                self.figure(place.clone(), figure, Some(largest), LARGEST_CLAIMS, allowance);
            }
        }
        let target = TARGETS.iter().find(|target| target.runs == row.runs);
        let target = target.and_then(|target| match row.noise {
            "own" => target.own.filter(|_| row.places == Places::ChiSquare.word()),
            _ if row.places != Places::Alike.word() => None,
            _ => target.borrowed.iter().find(|(groups, _)| *groups == row.groups).map(|(_, p)| *p),
        });
        let seen = row.power.iter().find(|power| (power.effect - EFFECT).abs() < 1e-12);
        if let (Some(target), Some(seen)) = (target, seen) {
            let high = if row.noise == "own" { target + POWER_WITHIN } else { 1.0 };
            let band = (target - POWER_WITHIN, high);
            self.figure(place, "power", seen.power, band, around(band, n));
        }
    }

    fn coverage(&mut self, place: String, found: Option<f64>, band: (f64, f64), n: u64) {
        let allowance = [band.0, band.1].map(|end| ALLOWANCE * binomial(end, n));
        self.figure(place, "coverage", found, band, allowance);
    }

    pub(crate) fn figure(
        &mut self,
        cell: String,
        figure: &'static str,
        found: Option<f64>,
        (low, high): (f64, f64),
        [below, above]: [f64; 2],
    ) {
        self.checked += 1;
        let inside = |value: f64| value >= low - below && value <= high + above;
        if !found.is_some_and(inside) {
            let allowance = if found.is_some_and(|value| value > high) { above } else { below };
            self.violations.push(Violation { cell, figure, found, low, high, allowance });
        }
    }
}

/// Whether the coverage of a shape has a band for this design.
pub fn has_band(shape: &Shape, design: Design) -> bool {
    shape.reference && band(design).is_some()
}

fn band(design: Design) -> Option<(f64, f64)> {
    if design.equal() && (3..=40).contains(&design.baseline) {
        Some(EACH)
    } else {
        UNEQUAL_DESIGNS.contains(&design).then_some(UNEQUAL)
    }
}

/// `3 runs each`, or `3 against 10 runs`.
fn words(design: Design) -> String {
    let Design { baseline, candidate } = design;
    match (design.equal(), baseline) {
        (true, 1) => "1 run each".to_owned(),
        (true, runs) => format!("{runs} runs each"),
        _ => format!("{baseline} against {candidate} runs"),
    }
}

/// Standard error of a rate measured in `n` repetitions.
fn binomial(rate: f64, n: u64) -> f64 {
    (rate * (1.0 - rate) / n.max(1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use beyondnoise::stats::{Across, Method};

    fn cell(shape: &'static str, design: Design, coverage: Option<f64>, width: f64) -> Cell {
        let procedure = Procedure { method: Method::Calibrated, across: Across::MEAN };
        Cell {
            shape,
            design,
            method: procedure.method(),
            across: procedure.across(),
            repetitions: 10_000,
            without_interval: 0,
            coverage,
            standard_error: None,
            false_positives: None,
            width: None,
            width_of_welch: Some(width),
            width_error: Some(0.001),
            power: Vec::new(),
            procedure,
            reference: true,
        }
    }

    fn figures(cell: &Cell) -> Vec<&'static str> {
        let mut check = Check::default();
        check.cell(cell);
        check.violations.iter().map(|violation| violation.figure).collect()
    }

    #[test]
    fn a_cell_may_leave_its_band_by_four_standard_errors() {
        // sqrt(0.935 * 0.065 / 10,000) = 0.002465: down to 0.92514.
        let of =
            |coverage, width| figures(&cell("normal 2 %", Design::each(3), Some(coverage), width));
        assert!(of(0.9252, 1.0).is_empty());
        assert_eq!(of(0.9251, 1.0), ["coverage"]);
        assert!(of(0.95, 1.0339).is_empty());
        assert_eq!(of(0.95, 1.0341), ["width"]);
        let of_both = |width| figures(&cell("normal 2 %", Design::each(8), Some(0.95), width));
        assert!(of_both(1.0639).is_empty());
        assert_eq!(of_both(1.0641), ["width"]);
        assert_eq!(figures(&cell("normal 2 %", Design::each(3), None, 1.0)), ["coverage"]);
        // No band: 2 runs each.
        assert!(figures(&cell("normal 2 %", Design::each(2), Some(0.5), 2.0)).is_empty());
    }

    #[test]
    fn spikes_may_only_cover_more() {
        let of = |coverage, width| {
            figures(&cell("10 % spikes", UNEQUAL_DESIGNS[1], Some(coverage), width))
        };
        assert!(of(0.999, 1.07).is_empty());
        assert_eq!(of(0.90, 1.07), ["coverage"]);
        assert_eq!(of(0.99, 1.2), ["width"]);
        let other = cell("bimodal", UNEQUAL_DESIGNS[1], Some(0.995), 1.0);
        assert_eq!(figures(&other), ["coverage"]);
    }

    #[test]
    fn borrowed_noise_has_a_band_of_claims_and_targets_of_power() {
        let row = |places, noise, claims, power| BorrowedRow {
            places,
            compared: 10,
            lent: 1.0,
            largest_false_positives: Some(claims),
            runs: 3,
            groups: 20,
            noise,
            method: "welch",
            comparisons: 1_000_000,
            false_positives: claims,
            standard_error: 0.0,
            power: vec![beyondnoise::calibrate::Power { effect: 0.05, power: Some(power) }],
        };
        let figures = |row: BorrowedRow| -> Vec<&'static str> {
            check_borrowed(&[row]).violations.iter().map(|violation| violation.figure).collect()
        };
        assert!(figures(row("alike", "borrowed", 0.05, 0.68)).is_empty());
        let all = ["false positives", "largest false positives", "power"];
        assert_eq!(figures(row("alike", "borrowed", 0.08, 0.65)), all);
        assert!(figures(row("log-normal", "borrowed", 0.05, 0.2)).is_empty());
        assert_eq!(figures(row("history", "borrowed", 0.06, 0.2)), [] as [&str; 0]);
        assert!(figures(row("chi-square", "own", 0.02, 0.48)).is_empty());
        assert_eq!(figures(row("chi-square", "own", 0.02, 0.75)), ["power"]);
    }
}
