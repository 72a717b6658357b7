//! The noise atlas: its fit, and how it holds for a source that the fit has not seen.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

use crate::figures::FigureRow;
use crate::shapes::{chi_square, normal};
use beyondnoise::atlas::{MIN_REQUESTS, SHARES, VERSION};
use beyondnoise::calibrate::generator;
use beyondnoise::error::Error;
use beyondnoise::stats::{
    Across, Method, NoiseMixture, Resampling, Sample, Scale, SetUp, Student, TwoSample, Variance,
};

/// Title of the report.
pub(crate) const TITLE: &str =
    "one run each: at most 9 % of equal builds are called likely different";

/// How the figures were made.
pub(crate) const LEAD: &str = "Each source of published repeats is left out, the noise fitted to the others, and the pairs \
    of runs of its set-ups counted whose difference has p up to 5 % and 1 %: pairs as published where a set-up has 2 or 3 \
    runs, normal ones for more. Then 2 + 2 simulated runs of its set-ups, each with a noise drawn around the one seen, \
    judged with published noise, with the smaller number of runs less one as degrees of freedom, and by a pooled t test.";

/// Names of the table.
const TABLE: &str = "atlas.csv";

/// Names of the sources.
const SOURCES: &str = "sources.csv";

/// The part that the program embeds.
pub const FITTED: &str = "fitted.csv";

/// Set-ups from which on a source counts in the worst one.
const FULL_SOURCE: usize = 6;

/// Where the streams of the generator begin: beyond those of the capacities.
const STREAMS: u64 = 0xfe << 56;

/// A metric with a fit: its name in the program, its names in the table, the first of which counts, and whether an open
/// loop is left out.
struct Fitted {
    metric: &'static str,
    label: &'static str,
    columns: &'static [&'static str],
    closed: bool,
}

const FITS: [Fitted; 4] = [
    Fitted {
        metric: "output_throughput",
        label: "throughput",
        columns: &["out_tput", "duration", "req_tput"],
        closed: true,
    },
    Fitted { metric: "mean_ttft_ms", label: "mean TTFT", columns: &["mean_ttft"], closed: false },
    Fitted {
        metric: "mean_tpot_ms",
        label: "mean TPOT",
        columns: &["mean_tpot", "mean_itl"],
        closed: false,
    },
    Fitted { metric: "p99_tpot_ms", label: "P99 TPOT", columns: &["p99_tpot"], closed: false },
];

/// A line of the table: one metric of one set-up.
#[derive(Clone, Debug, Deserialize)]
struct Line {
    source: String,
    engine: String,
    hardware: String,
    model: String,
    setup: String,
    load_kind: String,
    load: String,
    requests_per_run: String,
    metric: String,
    n_runs: usize,
    sd_log: f64,
    min_max_ratio: Option<f64>,
}

/// A line of the list of sources.
#[derive(Clone, Debug, Deserialize)]
struct Named {
    source: String,
    repository: String,
    licence: String,
}

impl Line {
    /// The facts that set it apart from other set-ups.
    fn set_up(&self) -> [&str; 8] {
        [
            &self.source,
            &self.engine,
            &self.hardware,
            &self.model,
            &self.setup,
            &self.load_kind,
            &self.load,
            &self.requests_per_run,
        ]
    }

    fn is_large(&self) -> bool {
        self.requests_per_run.parse().is_ok_and(|requests: f64| requests >= MIN_REQUESTS as f64)
    }

    fn df(&self) -> f64 {
        self.n_runs as f64 - 1.0
    }

    /// Share of the pairs of its runs whose log ratio is `change` or more.
    fn share(&self, change: f64) -> f64 {
        let range = self.min_max_ratio.map(f64::ln);
        match (self.n_runs, range) {
            (2, _) => f64::from(self.sd_log * 2f64.sqrt() >= change),
            (3, Some(range)) => {
                // The squared differences of three values sum to six variances: of the range and the two steps inside it.
                let steps = 6.0 * self.sd_log.powi(2) - range * range;
                let root = (2.0 * steps - range * range).max(0.0).sqrt();
                let longer = f64::midpoint(range, root).clamp(range / 2.0, range);
                let pairs = [range, longer, range - longer].map(|pair| f64::from(pair >= change));
                pairs.iter().sum::<f64>() / 3.0
            }
            _ => 2.0 * Student::NORMAL.cdf(-change / (self.sd_log.max(1e-12) * 2f64.sqrt())),
        }
    }
}

/// The table of the atlas with its sources.
#[derive(Clone, Debug)]
pub struct Atlas {
    lines: Vec<Line>,
    sources: Vec<Named>,
}

impl Atlas {
    /// Reads the table and its sources from a folder.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], or [`Error::Usage`] for a line that is not understood.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        Ok(Self { lines: rows(&folder.join(TABLE))?, sources: rows(&folder.join(SOURCES))? })
    }

    /// The set-ups of a metric with runs of 100 requests and more, each once.
    fn set_ups(&self, of: &Fitted) -> Vec<&Line> {
        let place = |line: &Line| of.columns.iter().position(|column| *column == line.metric);
        let mut first: BTreeMap<[&str; 8], (usize, &Line)> = BTreeMap::new();
        for line in self.lines.iter().filter(|line| line.is_large()) {
            let Some(place) = place(line).filter(|_| !(of.closed && line.load_kind == "open"))
            else {
                continue;
            };
            let known = first.entry(line.set_up()).or_insert((place, line));
            if place < known.0 {
                *known = (place, line);
            }
        }
        first.into_values().map(|(_, line)| line).collect()
    }

    /// The fitted part as the program embeds it: a line for each metric and each source.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if a metric has no set-up.
    pub fn fitted(&self) -> Result<String, Error> {
        let mut text = format!("version,{VERSION}\n");
        for of in &FITS {
            let set_ups = self.set_ups(of);
            let noise = fit(&set_ups).ok_or_else(|| no_set_up(of))?;
            let weights = noise.weights().iter().map(|weight| format!("{:.0}", weight * 1e5));
            let cvs = quantiles(&set_ups).map(|cv| digits(100.0 * cv));
            let (n, of_sources) = (set_ups.len(), by_source(&set_ups).len());
            let weights = weights.collect::<Vec<_>>().join(" ");
            let _ =
                writeln!(text, "metric,{},{of_sources},{n},{},{weights}", of.metric, cvs.join(" "));
        }
        for source in &self.sources {
            let used = FITS.iter().flat_map(|of| self.set_ups(of));
            let mut used: Vec<[&str; 8]> =
                used.filter(|line| line.source == source.source).map(Line::set_up).collect();
            used.sort_unstable();
            used.dedup();
            let Named { source, repository, licence } = source;
            if !used.is_empty() {
                let _ = writeln!(text, "source,{source},{repository},{licence},{}", used.len());
            }
        }
        Ok(text)
    }

    /// How the grades hold where each source is left out, and 2 + 2 runs with `repetitions` for each source.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if a metric has no set-up.
    pub fn leave_one_out(&self, repetitions: u64, seed: u64) -> Result<Vec<FigureRow>, Error> {
        let mut rows = Vec::new();
        for (metric, of) in FITS.iter().enumerate() {
            let set_ups = self.set_ups(of);
            let mut each: Vec<(usize, Vec<f64>)> = Vec::new();
            for (place, (source, lines)) in by_source(&set_ups).into_iter().enumerate() {
                let others: Vec<&Line> =
                    set_ups.iter().copied().filter(|line| line.source != source).collect();
                let noise = fit(&others).ok_or_else(|| no_set_up(of))?;
                let level = |p: f64| {
                    let change = noise.change_at(p, (1, 1));
                    lines.iter().map(|line| line.share(change)).sum::<f64>() / lines.len() as f64
                };
                let stream = STREAMS | (metric as u64) << 48 | (place as u64) << 40;
                let two = two_each(&noise, &lines, repetitions, (seed, stream));
                let rates: Vec<f64> = [0.05, 0.01].map(level).into_iter().chain(two).collect();
                rows.extend(figures(
                    &format!("{}, without {source}", of.label),
                    &rates,
                    lines.len(),
                ));
                each.push((lines.len(), rates));
            }
            let weighted = |at: usize| {
                let weight = |n: usize| SetUp::weight_of(n) * n as f64;
                let sum: f64 = each.iter().map(|(n, rates)| weight(*n) * rates[at]).sum();
                sum / each.iter().map(|(n, _)| weight(*n)).sum::<f64>()
            };
            let by_set_up = |at: usize| {
                let sum: f64 = each.iter().map(|(n, rates)| *n as f64 * rates[at]).sum();
                sum / set_ups.len() as f64
            };
            let worst = |at: usize| {
                let full = each.iter().filter(|(n, _)| *n >= FULL_SOURCE);
                full.map(|(_, rates)| rates[at]).fold(0.0, f64::max)
            };
            let all = |of: &dyn Fn(usize) -> f64| (0..FIGURES.len()).map(of).collect::<Vec<f64>>();
            let n = set_ups.len();
            let case = |name: &str| format!("{}, {name}", of.label);
            rows.extend(banded(&case("mean of the sources"), &all(&weighted), n, [0.07, 0.02]));
            rows.extend(banded(&case("mean of the set-ups"), &all(&by_set_up), n, [0.07, 0.02]));
            rows.extend(banded(&case("worst source"), &all(&worst), n, [0.10, 0.05]));
        }
        Ok(rows)
    }
}

/// The figures of a source left out: of one run each, then of two.
const FIGURES: [(&str, usize); 8] = [
    ("p up to 5 %", 1),
    ("p up to 1 %", 1),
    ("2 + 2 equal: atlas", 2),
    ("df = 1", 2),
    ("pooled t", 2),
    ("2 + 2, +5 %: atlas", 2),
    ("+5 %: df = 1", 2),
    ("+5 %: pooled t", 2),
];

fn figures(case: &str, rates: &[f64], set_ups: usize) -> Vec<FigureRow> {
    let row = |(&(figure, _), rate): (&(&'static str, usize), &f64)| {
        // All in one line of the table, which is that of one run each.
        let row = FigureRow::of((case, 1, figure), 0, set_ups as u64, None);
        let standard_error = (rate * (1.0 - rate) / set_ups as f64).sqrt();
        FigureRow { rate: *rate, standard_error, ..row }
    };
    FIGURES.iter().zip(rates).map(row).collect()
}

/// The same with bands for the shares at 5 and 1 %, and for 2 + 2 runs of equal builds.
fn banded(case: &str, rates: &[f64], set_ups: usize, most: [f64; 2]) -> Vec<FigureRow> {
    let mut rows = figures(case, rates, set_ups);
    for (row, most) in rows.iter_mut().zip([most[0], most[1], most[0]]) {
        row.band = Some((0.0, most));
    }
    rows
}

/// Shares of comparisons of 2 + 2 runs that are called a change at 5 %: of equal builds with published noise, with one
/// degree of freedom and by a pooled t test, then the same of a change of 5 %.
fn two_each(
    noise: &NoiseMixture,
    lines: &[&Line],
    repetitions: u64,
    (seed, stream): (u64, u64),
) -> [f64; 6] {
    let mut rng = generator(seed, stream);
    let mut called = [0_u64; 6];
    for repetition in 0..repetitions {
        let at = usize::try_from(repetition).unwrap_or(0) % lines.len();
        let line = lines[at];
        let sd = around(line, &mut rng);
        for (place, change) in [0.0, 1.05f64.ln()].into_iter().enumerate() {
            let mut two = |mean: f64| {
                let values = (0..2).map(|_| 100.0 * (mean + sd * normal(&mut rng)).exp()).collect();
                Sample::new(values).ok()
            };
            let (Some(a), Some(b)) = (two(0.0), two(change)) else { continue };
            let published =
                noise.curves(&a, &b)[0].as_ref().map_or(1.0, |curve| curve.p_value(0.0));
            let own = TwoSample::new(&a, &b, Across::MEAN, Resampling::default());
            let own = own.curve(Scale::Log, Method::Welch);
            let (own, pooled) = own.as_ref().map_or((1.0, 1.0), |curve| {
                let t = -curve.estimate().abs() / curve.standard_error();
                (curve.p_value(0.0), 2.0 * Student { df: 2.0 }.cdf(t))
            });
            for (figure, p) in [published, own, pooled].into_iter().enumerate() {
                called[3 * place + figure] += u64::from(p < 0.05);
            }
        }
    }
    called.map(|n| n as f64 / repetitions.max(1) as f64)
}

/// A noise that the repeats of a set-up do not contradict: the one seen, over a chi-square of its degrees of freedom.
fn around(line: &Line, rng: &mut ChaCha8Rng) -> f64 {
    let df = u32::try_from(line.n_runs.saturating_sub(1)).unwrap_or(1).max(1);
    line.sd_log.max(1e-5) * (f64::from(df) / chi_square(df, rng)).sqrt()
}

/// The noise of set-ups, each source counted once.
fn fit(set_ups: &[&Line]) -> Option<NoiseMixture> {
    let sources = by_source(set_ups);
    let one = |line: &&Line| {
        let value = line.sd_log * line.sd_log;
        let weight = SetUp::weight_of(sources[line.source.as_str()].len());
        SetUp { variance: Variance { value, df: line.df() }, weight }
    };
    NoiseMixture::fit(&set_ups.iter().map(one).collect::<Vec<_>>())
}

fn by_source<'a>(set_ups: &[&'a Line]) -> BTreeMap<&'a str, Vec<&'a Line>> {
    let mut sources: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for line in set_ups {
        sources.entry(&line.source).or_default().push(line);
    }
    sources
}

/// CVs below which the shares of the set-ups lie, each source counted once.
fn quantiles(set_ups: &[&Line]) -> [f64; SHARES.len()] {
    let sources = by_source(set_ups);
    let weight = |line: &Line| SetUp::weight_of(sources[line.source.as_str()].len());
    let mut sorted: Vec<&Line> = set_ups.to_vec();
    sorted.sort_by(|a, b| a.sd_log.total_cmp(&b.sd_log));
    let all: f64 = sorted.iter().map(|line| weight(line)).sum();
    SHARES.map(|share| {
        let mut sum = 0.0;
        let reached = sorted.iter().find(|line| {
            sum += weight(line);
            sum >= share * all
        });
        reached.or(sorted.last()).map_or(0.0, |line| line.sd_log)
    })
}

/// Three digits that count, without zeros at the end.
fn digits(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 9")]
    let decimals = (2.0 - value.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.decimals$}")
}

fn rows<T: for<'de> Deserialize<'de>>(file: &Path) -> Result<Vec<T>, Error> {
    let odd = |error: csv::Error| {
        Error::usage(
            format!("cannot read {}: {error}", file.display()),
            "give the folder of the atlas",
        )
    };
    csv::Reader::from_path(file).map_err(odd)?.deserialize().collect::<Result<_, _>>().map_err(odd)
}

fn no_set_up(of: &Fitted) -> Error {
    let problem = format!("expected two sources of {} or more, found fewer", of.label);
    Error::usage(problem, "give the whole table of the atlas")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atlas() -> Atlas {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/atlas");
        Atlas::read(Path::new(folder)).expect("the atlas of the repository")
    }

    /// The program embeds the fit of this table: numpy 2.4.6 makes the same file.
    #[test]
    fn the_embedded_part_is_the_fit_of_the_table() {
        let embedded = include_str!("../../data/atlas/fitted.csv");
        assert_eq!(atlas().fitted().expect("a fit"), embedded);
        assert!(embedded.len() < 2048, "{} bytes", embedded.len());
    }

    /// Three values 0, 1 and 3 on the logarithmic scale: the variance is 7 / 3, the differences are 1, 2 and 3.
    #[test]
    fn the_pairs_of_three_runs_follow_from_their_deviation_and_range() {
        let mut line = atlas().lines[0].clone();
        (line.n_runs, line.sd_log, line.min_max_ratio) =
            (3, (7.0f64 / 3.0).sqrt(), Some(3f64.exp()));
        let shares = [0.9, 1.1, 2.1, 3.1].map(|change| line.share(change));
        for (found, expected) in shares.into_iter().zip([1.0, 2.0 / 3.0, 1.0 / 3.0, 0.0]) {
            assert!((found - expected).abs() < 1e-12, "{shares:?}");
        }
    }
}
