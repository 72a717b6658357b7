//! Shapes of run-to-run noise, from the textbook's to what published repeated runs look like.
//!
//! The first eight are the reference: on each of them the default interval must keep its bands. The others are
//! harder in one respect each. Repeated runs of one build, as published for a serving benchmark, have 7 to 9 % of
//! their values beyond 3.5 robust deviations and an excess kurtosis of 8 to 64; the contaminated shapes are near that,
//! the eight mostly far from it:
//!
//! | shape | excess kurtosis | beyond 3.5 robust deviations |
//! |---|--:|--:|
//! | normal 2 %, normal 10 % | 0 | 0.05 % |
//! | lognormal 0.2 | 0.7 | 0.4 % |
//! | lognormal 0.5 | 5.9 | 2.4 % |
//! | bimodal | −1.9 | 0 |
//! | 10 % spikes | 4.8 | 10 % |
//! | Student t3 | infinite | 2.8 % |
//! | 50 + Exp(50) | 6 | 4.1 % |
//! | 8 % wild | 15 | 3.6 % |
//! | 8 % slow | 46 | 3.8 % |
//! | Student t2 | infinite | 5.1 % |
//! | unequal noise and turned, either variant | 0 | 0.05 % |

use rand::RngExt;
use rand::distr::Open01;
use rand_chacha::ChaCha8Rng;
use schemars::JsonSchema;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

use beyondnoise::calibrate::Design;
use beyondnoise::calibrate::generator;

/// A distribution of run-to-run noise. Both variants have the same true mean: the true change is zero.
#[derive(Debug)]
pub struct Shape {
    /// Name on the command line: `spikes`.
    pub key: &'static str,
    /// Name in tables: `10 % spikes`.
    pub name: &'static str,
    /// The situation that it imitates.
    pub description: &'static str,
    /// Whether it is one of the eight on which the bands must be kept.
    pub reference: bool,
    /// Fourth standardised moment less that of the normal distribution; infinite where there is none.
    pub excess_kurtosis: f64,
    /// Share of the values farther from the median than 3.5 robust deviations (median absolute deviation over
    /// 0.6745).
    pub outliers: f64,
    /// Part of the generator's stream; never changes, so that a new shape leaves all others as they were.
    id: u64,
    baseline: fn(&mut ChaCha8Rng) -> f64,
    candidate: fn(&mut ChaCha8Rng) -> f64,
}

const fn reference(
    (key, name, description): (&'static str, &'static str, &'static str),
    (excess_kurtosis, outliers): (f64, f64),
    id: u64,
    draw: fn(&mut ChaCha8Rng) -> f64,
) -> Shape {
    Shape {
        key,
        name,
        description,
        reference: true,
        excess_kurtosis,
        outliers,
        id,
        baseline: draw,
        candidate: draw,
    }
}

const fn other(
    names: (&'static str, &'static str, &'static str),
    tails: (f64, f64),
    id: u64,
    [baseline, candidate]: [fn(&mut ChaCha8Rng) -> f64; 2],
) -> Shape {
    Shape { reference: false, candidate, ..reference(names, tails, id, baseline) }
}

static SHAPES: [Shape; 13] = [
    reference(("normal-2", "normal 2 %", "normal, CV 2 %"), (0.0, 0.0005), 0, |rng| {
        100.0 + 2.0 * normal(rng)
    }),
    reference(("normal-10", "normal 10 %", "normal, CV 10 %"), (0.0, 0.0005), 1, |rng| {
        100.0 + 10.0 * normal(rng)
    }),
    reference(
        ("lognormal-0.2", "lognormal 0.2", "skewed to the right, CV 20 %"),
        (0.678, 0.0041),
        2,
        |rng| (0.2 * normal(rng)).exp(),
    ),
    reference(
        ("lognormal-0.5", "lognormal 0.5", "very skewed to the right, CV 53 %"),
        (5.898, 0.0238),
        3,
        |rng| (0.5 * normal(rng)).exp(),
    ),
    reference(
        ("bimodal", "bimodal", "two modes 10 % apart, as of a clock that settles on one of two"),
        (-1.850, 0.0),
        4,
        bimodal,
    ),
    reference(
        ("spikes", "10 % spikes", "normal, CV 2 %; one run in ten is 30 % slow"),
        (4.773, 0.1),
        5,
        spikes,
    ),
    reference(
        ("student-3", "Student t3", "Student's t with 3 degrees of freedom, scale 2 %"),
        (f64::INFINITY, 0.0284),
        6,
        |rng| 100.0 + 2.0 * student(3, rng),
    ),
    reference(
        ("exponential", "50 + Exp(50)", "half fixed, half exponential, CV 50 %"),
        (6.0, 0.0410),
        7,
        |rng| 50.0 + 50.0 * exponential(rng),
    ),
    other(
        ("wild", "8 % wild", "normal, CV 1 %; 8 % of the runs have five times the deviation"),
        (14.918, 0.0360),
        8,
        [wild; 2],
    ),
    other(
        (
            "slow",
            "8 % slow",
            "normal, CV 1 %; 8 % of the runs are slower by an exponential of mean 5 %",
        ),
        (46.2, 0.0377),
        9,
        [slow; 2],
    ),
    other(
        ("student-2", "Student t2", "Student's t with 2 degrees of freedom, scale 1 %"),
        (f64::INFINITY, 0.0513),
        10,
        [|rng| 100.0 + student(2, rng); 2],
    ),
    other(
        ("unequal", "unequal noise", "normal, CV 1 % in the baseline and 3 % in the candidate"),
        (0.0, 0.0005),
        11,
        [|rng| 100.0 + normal(rng), |rng| 100.0 + 3.0 * normal(rng)],
    ),
    // With 3 against 10 runs it matters which of the two is the noisy one.
    other(
        (
            "unequal-turned",
            "unequal turned",
            "normal, CV 3 % in the baseline and 1 % in the candidate",
        ),
        (0.0, 0.0005),
        12,
        [|rng| 100.0 + 3.0 * normal(rng), |rng| 100.0 + normal(rng)],
    ),
];

/// A shape of noise.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShapeRow {
    /// Name in tables and on the command line.
    pub shape: &'static str,
    /// The short name on the command line.
    pub key: &'static str,
    /// The situation that it imitates.
    pub description: &'static str,
    /// Whether it is one of the eight that must keep the bands.
    pub reference: bool,
    /// Excess kurtosis, the fourth standardised moment less 3; null where it is infinite.
    pub excess_kurtosis: Option<f64>,
    /// Share of the values beyond 3.5 robust deviations.
    #[schemars(range(min = 0, max = 1))]
    pub outliers: f64,
}

impl ShapeRow {
    pub(crate) fn from_shape(shape: &Shape) -> Self {
        Self {
            shape: shape.name,
            key: shape.key,
            description: shape.description,
            reference: shape.reference,
            excess_kurtosis: Some(shape.excess_kurtosis).filter(|value| value.is_finite()),
            outliers: shape.outliers,
        }
    }
}

impl Shape {
    /// All shapes, the eight of the reference first.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_calibration::Shape;
    ///
    /// assert_eq!(Shape::all().iter().filter(|shape| shape.reference).count(), 8);
    /// ```
    pub fn all() -> &'static [Self] {
        &SHAPES
    }

    /// The shape of this key or name.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_calibration::Shape;
    ///
    /// assert_eq!(Shape::named("spikes").map(|shape| shape.name), Some("10 % spikes"));
    /// ```
    pub fn named(name: &str) -> Option<&'static Self> {
        SHAPES.iter().find(|shape| shape.key == name || shape.name == name)
    }

    /// Values of both variants of one repetition, one a run: always the same for the same arguments.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::calibrate::Design;
    /// use beyondnoise_calibration::Shape;
    ///
    /// let (baseline, candidate) = Shape::all()[0].runs(Design::each(3), 0, 17);
    /// assert_eq!((baseline.len(), candidate.len()), (3, 3));
    /// ```
    pub fn runs(&self, design: Design, seed: u64, repetition: u64) -> (Vec<f64>, Vec<f64>) {
        let stream = self.id << 56 | design.stream() << 32 | repetition & 0xffff_ffff;
        let mut rng = generator(seed, stream);
        let baseline = positive(design.baseline, self.baseline, &mut rng);
        (baseline, positive(design.candidate, self.candidate, &mut rng))
    }
}

/// Draws `count` values; one of zero or less, which no metric has, is drawn again.
fn positive(count: usize, draw: fn(&mut ChaCha8Rng) -> f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut one = || std::iter::repeat_with(|| draw(rng)).find(|value| *value > 0.0);
    (0..count).map(|_| one().expect("noise around a positive value")).collect()
}

pub(crate) fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    rng.sample(Open01)
}

pub(crate) fn normal(rng: &mut ChaCha8Rng) -> f64 {
    Normal::standard().inverse_cdf(uniform(rng))
}

/// Mean 1.
pub(crate) fn exponential(rng: &mut ChaCha8Rng) -> f64 {
    -uniform(rng).ln()
}

/// Chi-square, from its definition.
pub(crate) fn chi_square(df: u32, rng: &mut ChaCha8Rng) -> f64 {
    (0..df).map(|_| normal(rng).powi(2)).sum()
}

/// Student's t, from its definition.
pub(crate) fn student(df: u32, rng: &mut ChaCha8Rng) -> f64 {
    let mean_square = chi_square(df, rng) / f64::from(df);
    normal(rng) / mean_square.sqrt()
}

fn bimodal(rng: &mut ChaCha8Rng) -> f64 {
    let mode = if uniform(rng) < 0.5 { 100.0 } else { 110.0 };
    mode + normal(rng)
}

fn spikes(rng: &mut ChaCha8Rng) -> f64 {
    let factor = if uniform(rng) < 0.1 { 1.3 } else { 1.0 };
    factor * (100.0 + 2.0 * normal(rng))
}

fn wild(rng: &mut ChaCha8Rng) -> f64 {
    let deviation = if uniform(rng) < 0.08 { 5.0 } else { 1.0 };
    100.0 + deviation * normal(rng)
}

fn slow(rng: &mut ChaCha8Rng) -> f64 {
    let late = if uniform(rng) < 0.08 { 5.0 * exponential(rng) } else { 0.0 };
    100.0 + normal(rng) + late
}

#[cfg(test)]
mod tests {
    use super::*;
    use beyondnoise::stats::quantile;

    const MANY: usize = 4_000;

    fn baseline(shape: &Shape, repetitions: u64) -> Vec<f64> {
        let design = Design { baseline: MANY, candidate: 1 };
        (0..repetitions).flat_map(|repetition| shape.runs(design, 5, repetition).0).collect()
    }

    /// The tails of the docs are those of numpy 2.4.6 on 4,000,000 draws, or the closed form where there is one.
    #[test]
    fn the_tails_are_those_of_the_docs() {
        for shape in &SHAPES {
            let mut values = baseline(shape, 10);
            values.sort_by(f64::total_cmp);
            let median = quantile(&values, 0.5);
            let mut off: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
            off.sort_by(f64::total_cmp);
            let robust = quantile(&off, 0.5) / 0.674_489_750_196_081_7;
            let n = values.len() as f64;
            let beyond = off.iter().filter(|off| **off > 3.5 * robust).count() as f64 / n;
            let error = (shape.outliers * (1.0 - shape.outliers) / n).sqrt();
            assert!(
                (beyond - shape.outliers).abs() < 5.0 * error + 0.001,
                "{}: {beyond}",
                shape.name
            );
            let mean = values.iter().sum::<f64>() / n;
            let moment = |k: i32| values.iter().map(|v| (v - mean).powi(k)).sum::<f64>() / n;
            let kurtosis = moment(4) / moment(2).powi(2) - 3.0;
            let near =
                (kurtosis - shape.excess_kurtosis).abs() < 0.1 + 0.25 * shape.excess_kurtosis.abs();
            assert!(near || shape.excess_kurtosis.is_infinite(), "{}: {kurtosis}", shape.name);
        }
    }

    #[test]
    fn names_and_streams_are_unique() {
        for (index, shape) in SHAPES.iter().enumerate() {
            assert_eq!(shape.id, index as u64);
            assert_eq!(Shape::named(shape.key).map(|found| found.id), Some(shape.id));
            assert_eq!(Shape::named(shape.name).map(|found| found.id), Some(shape.id));
        }
    }

    #[test]
    fn what_is_drawn_depends_on_the_repetition_and_the_design_alone() {
        let shape = &SHAPES[0];
        let (a, b) = shape.runs(Design::each(4), 0, 3);
        assert_eq!(shape.runs(Design::each(4), 0, 3), (a.clone(), b));
        assert_ne!(shape.runs(Design::each(4), 0, 4).0, a);
        assert_ne!(shape.runs(Design::each(4), 1, 3).0, a);
        assert_ne!(shape.runs(Design::each(5), 0, 3).0[..4], a[..]);
    }
}
