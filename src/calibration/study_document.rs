//! The simulated study in words and tables.

use crate::shapes::ShapeRow;
use crate::study::{Average, Cell, Study};
use crate::words::{Parts, count, effect, list, maybe, percents, plural, power_at, range, rate};
use beyondnoise::calibrate::{Design, Procedure};
use beyondnoise::report::calibrate::Settings;
use beyondnoise::report::document::{Block, Role, Room};
use beyondnoise_model::format::{self, percent};

/// The interval whose width the others are multiples of.
const WELCH: &str = "the Welch interval of the mean";

/// Shape on which the power is told in words.
const TOLD: &str = "normal 2 %";

pub(crate) fn parts(settings: &Settings, shapes: &[ShapeRow], study: &Study) -> Parts {
    let mut procedures: Vec<Procedure> = Vec::new();
    for cell in &study.cells {
        if !procedures.contains(&cell.procedure) {
            procedures.push(cell.procedure);
        }
    }
    let told: Vec<Told> = procedures.iter().map(|procedure| Told::of(study, *procedure)).collect();
    let Some((first, others)) = told.split_first() else { return Parts::default() };
    let mut parts = vec![Block::text(Role::Lead, first.sentences(settings))];
    if !others.is_empty() {
        parts.extend(others.iter().map(|told| Block::text(Role::Item, told.line())));
    }
    parts.push(Block::text(Role::Lead, simulation(settings)));
    if told.len() > 1 {
        parts.extend(overview(&told));
    }
    parts.extend(Block::fold("shapes of noise", Room::Any, shape_table(shapes)));
    for told in &told {
        parts.extend(tables(settings, study, told));
    }
    Parts { title: title(settings, first), blocks: parts }
}

/// Cells of one procedure, sorted by what is said of them.
struct Told<'a> {
    procedure: Procedure,
    cells: Vec<&'a Cell>,
}

impl<'a> Told<'a> {
    fn of(study: &'a Study, procedure: Procedure) -> Self {
        Self { procedure, cells: study.cells.iter().filter(|c| c.procedure == procedure).collect() }
    }

    /// `the calibrated interval of the mean`.
    fn name(&self) -> String {
        let (method, across) = (self.procedure.method(), self.procedure.across());
        match (method, across) {
            ("rank sums", _) => "the rank interval of the Hodges-Lehmann centre".to_owned(),
            ("bca", _) => format!("the BCa interval of the {across}"),
            ("welch", _) => format!("the Welch interval of the {across}"),
            _ => format!("the {method} interval of the {across}"),
        }
    }

    /// The cells that the title sums up: reference shapes with 3 runs each and more, or all there are.
    fn main(&self) -> Vec<&'a Cell> {
        let equal = |cell: &&Cell| cell.design.equal() && cell.design.baseline > 2;
        let of = |wanted: &dyn Fn(&&Cell) -> bool| -> Vec<&'a Cell> {
            self.cells.iter().copied().filter(wanted).collect()
        };
        [of(&|cell| cell.reference && equal(cell)), of(&|cell| cell.reference)]
            .into_iter()
            .find(|cells| !cells.is_empty())
            .unwrap_or_else(|| self.cells.clone())
    }

    fn sentences(&self, settings: &Settings) -> String {
        let main = self.main();
        let mut sentences = Vec::new();
        if let Some(claims) = percents(&figures(&main, |cell| cell.false_positives)) {
            let width = range(&figures(&main, |cell| cell.width_of_welch)).unwrap_or_default();
            sentences.push(format!(
                "It claims a change where there is none in {claims} of comparisons; its mean width is {width} times \
                 Welch's."
            ));
        }
        let is_main = |cell: &Cell| main.iter().any(|other| std::ptr::eq(*other, cell));
        let rest: Vec<&Cell> = self.cells.iter().copied().filter(|cell| !is_main(cell)).collect();
        let covers = |cells: Vec<&Cell>| range(&figures(&cells, |cell| cell.coverage));
        let of = |wanted: &dyn Fn(&Cell) -> bool| -> Vec<&Cell> {
            rest.iter().copied().filter(|cell| wanted(cell)).collect()
        };
        let mut others = Vec::new();
        let two = of(&|cell| cell.reference && cell.design.equal());
        others.extend(covers(two).map(|range| format!("{range} with 2 runs each")));
        let unequal = of(&|cell| cell.reference && !cell.design.equal());
        let designs: Vec<String> = designs(&unequal).into_iter().map(against).collect();
        others.extend(covers(unequal).map(|range| format!("{range} with {} runs", list(&designs))));
        let harder = of(&|cell| !cell.reference && cell.design.fewest() > 2);
        others.extend(covers(harder).map(|range| format!("{range} on harder shapes")));
        if !others.is_empty() {
            sentences.push(format!("It covers {}.", list(&others)));
        }
        sentences.extend(self.power(settings));
        sentences.join(" ")
    }

    /// The power on the plainest shape.
    fn power(&self, settings: &Settings) -> Option<String> {
        let size = *settings.effects.first()?;
        let told: Vec<String> = self
            .cells
            .iter()
            .filter(|cell| cell.shape == TOLD && cell.design.equal())
            .filter(|cell| (3..=8).contains(&cell.design.baseline))
            .filter_map(|cell| {
                let seen = power_at(&cell.power, size)?;
                Some(format!("{} ({} each)", percent(seen), cell.design.baseline))
            })
            .collect();
        let noise = "under normal noise of 2 %";
        (!told.is_empty()).then(|| {
            format!(
                "A change of {} {noise} is seen in {} of comparisons.",
                effect(size),
                list(&told)
            )
        })
    }

    /// The line of a procedure after the first.
    fn line(&self) -> String {
        let main = self.main();
        let covers = range(&figures(&main, |cell| cell.coverage));
        let width = range(&figures(&main, |cell| cell.width_of_welch));
        match covers.zip(width) {
            Some((covers, width)) => {
                format!(
                    "{}: covers {covers}, width {width} times Welch's",
                    format::sentence(&self.name())
                )
            }
            None => format!("{}: no interval", format::sentence(&self.name())),
        }
    }
}

fn title(settings: &Settings, told: &Told) -> String {
    let main = told.main();
    let Some(covers) = range(&figures(&main, |cell| cell.coverage)) else {
        return format!("{} has no ends with so few runs", told.name());
    };
    let mut shapes: Vec<&str> = main.iter().map(|cell| cell.shape).collect();
    shapes.dedup();
    let shapes = match shapes[..] {
        [one] => one.to_owned(),
        _ => format!("{} shapes of noise", shapes.len()),
    };
    let with =
        designs(&main.iter().copied().filter(|cell| cell.coverage.is_some()).collect::<Vec<_>>());
    let runs = match with[..] {
        [one] => each(one),
        [first, .., last] if with.iter().all(|design| design.equal()) => {
            format!("{} to {} runs each", first.baseline, last.baseline)
        }
        _ => list(&with.iter().map(|design| each(*design)).collect::<Vec<_>>()),
    };
    let nominal = format!("{}", settings.confidence);
    format!("{} covers {covers} at a nominal {nominal} ({shapes}, {runs})", told.name())
}

/// The lowest coverage of each procedure, by design.
fn overview(told: &[Told]) -> Vec<Block<'static>> {
    let designs = designs(&told[0].cells);
    let reference = told[0].cells.iter().any(|cell| cell.reference);
    let lowest = |told: &Told, design: Design| {
        let cells = told.cells.iter().filter(|cell| cell.design == design);
        let wanted = cells.filter(|cell| cell.reference || !reference);
        maybe(wanted.filter_map(|cell| cell.coverage).reduce(f64::min))
    };
    let rows = told.iter().map(|told| {
        let cells = designs.iter().map(|design| lowest(told, *design));
        std::iter::once(told.procedure.to_string()).chain(cells).collect()
    });
    let of = if reference { "reference shape" } else { "shape" };
    let heading = format!("Lowest coverage of a {of}, by runs of each variant");
    let head = std::iter::once(String::new()).chain(designs.iter().map(ToString::to_string));
    Block::titled_table(heading, head.collect(), rows.collect(), 1)
}

/// How the study was made and how exact it is.
fn simulation(settings: &Settings) -> String {
    let Settings { confidence, repetitions, resamples, seed, .. } = settings;
    let error = (confidence * (1.0 - confidence) / *repetitions as f64).sqrt();
    format!(
        "{} comparisons a cell, so that a coverage of {confidence} is known to within {} (two standard errors); {} \
         resamples where not all are enumerated; seed {seed}.",
        count(*repetitions),
        rate(2.0 * error),
        count(*resamples)
    )
}

fn shape_table(shapes: &[ShapeRow]) -> Vec<Block<'static>> {
    let rows = shapes.iter().map(|shape| {
        vec![
            shape.shape.to_owned(),
            shape.description.to_owned(),
            shape
                .excess_kurtosis
                .map_or_else(|| "infinite".to_owned(), |k| format!("{k:.1}").replace('-', "−")),
            if shape.outliers > 0.0 { percent(shape.outliers) } else { "0 %".to_owned() },
        ]
    });
    let heading =
        "Shapes of noise: excess kurtosis, and share of runs beyond 3.5 robust deviations";
    let head = ["shape", "", "kurtosis", "beyond"].map(str::to_owned).to_vec();
    Block::titled_table(heading.to_owned(), head, rows.collect(), 2)
}

fn tables(settings: &Settings, study: &Study, told: &Told) -> Vec<Block<'static>> {
    let name = told.name();
    let average = |of: fn(&Average) -> f64| {
        move |design: Design| {
            let found = study.averages.iter();
            let mut mine = found.filter(|a| a.procedure == told.procedure && a.design == design);
            mine.next().map(of)
        }
    };
    let heading =
        format!("Coverage of {name} at a nominal {}, by runs of each variant", settings.confidence);
    let coverage = average(|average| average.coverage);
    let mut parts = table(heading, told, |cell| cell.coverage, Some(&coverage));
    if told.name() != WELCH {
        let heading = format!("Mean width of {name}, as a multiple of Welch's");
        let width = average(|average| average.width_of_welch);
        parts.extend(table(heading, told, |cell| cell.width_of_welch, Some(&width)));
    }
    for size in &settings.effects {
        let heading = format!("Power of {name} at a change of {}", effect(*size));
        parts.extend(table(heading, told, |cell| power_at(&cell.power, *size), None));
    }
    parts
}

/// A row per shape, a column per design.
fn table(
    heading: String,
    told: &Told,
    of: impl Fn(&Cell) -> Option<f64>,
    average: Option<&dyn Fn(Design) -> Option<f64>>,
) -> Vec<Block<'static>> {
    let designs = designs(&told.cells);
    let mut shapes: Vec<&str> = told.cells.iter().map(|cell| cell.shape).collect();
    shapes.dedup();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for shape in shapes {
        let found = |design: &Design| {
            let mut cells = told.cells.iter();
            let cell = cells.find(|cell| cell.shape == shape && cell.design == *design);
            maybe(cell.and_then(|cell| of(cell)))
        };
        rows.push(std::iter::once(shape.to_owned()).chain(designs.iter().map(found)).collect());
    }
    if let Some(average) = average {
        let found: Vec<Option<f64>> = designs.iter().map(|design| average(*design)).collect();
        if found.iter().any(Option::is_some) {
            let name = "average of 8".to_owned();
            rows.push(std::iter::once(name).chain(found.into_iter().map(maybe)).collect());
        }
    }
    let head = std::iter::once(String::new()).chain(designs.iter().map(ToString::to_string));
    Block::titled_table(heading, head.collect(), rows, 1)
}

/// The designs of these cells, each once, in order.
fn designs(cells: &[&Cell]) -> Vec<Design> {
    let mut designs: Vec<Design> = Vec::new();
    for cell in cells {
        if !designs.contains(&cell.design) {
            designs.push(cell.design);
        }
    }
    designs
}

fn figures(cells: &[&Cell], of: impl Fn(&Cell) -> Option<f64>) -> Vec<f64> {
    cells.iter().filter_map(|cell| of(cell)).collect()
}

fn each(design: Design) -> String {
    if design.equal() {
        plural(design.baseline, "run each", "runs each")
    } else {
        format!("{} runs", against(design))
    }
}

fn against(design: Design) -> String {
    format!("{} against {}", design.baseline, design.candidate)
}
