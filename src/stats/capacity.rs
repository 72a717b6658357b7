//! Capacity: the highest throughput over the loads at which all limits hold, and the interval of its change.
//!
//! Between two loads the throughput is a straight line in the load, and so is the reciprocal of each latency: a queue's
//! latency is one over the room that is left. The interval needs no resampling, which fails at a maximum: where one build's
//! latency stays flat above the limit, the percentile bootstrap covers 62 % at a nominal 95 %.

#![allow(
    clippy::similar_names,
    clippy::float_cmp,
    reason = "the words of the method; ends are infinite or equal"
)]

use crate::lists::multiplicity::holm;
use crate::numerics::distribution::{t_cdf, t_quantile};

/// Points between two neighbouring loads at which the noise of both curves is taken.
const STEPS: usize = 64;

/// Smallest relative variance of a mean.
const LEAST_VARIANCE: f64 = 1e-12;

/// Smallest level at which an end is asked for.
const SMALLEST_LEVEL: f64 = 1e-6;

/// Rounds in which the degrees of freedom of an end settle.
const ROUNDS: usize = 3;

/// Level of the one-sided tests that a limit is broken.
const BROKEN_LEVEL: f64 = 0.025;

/// A limit on a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Largest value that is allowed, or the smallest one; positive.
    pub value: f64,
    /// Whether the values must stay below it, as those of a latency.
    pub below: bool,
}

/// The runs of a variant at one load.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadRuns {
    /// The load, positive.
    pub load: f64,
    /// A row per run: its throughput, which is positive, then its value of each limited metric. Only a metric with an
    /// upper limit may be 0.
    pub runs: Vec<Vec<f64>>,
}

/// The place of a capacity among the loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// At a load or between two, before the last.
    Inside,
    /// At the last load, at which all limits hold: the capacity is that or more.
    AtLeast,
    /// No load holds all limits: the capacity is less than the throughput at the first load.
    AtMost,
}

/// The capacity of a variant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capacity {
    /// The load at which throughput is highest while all limits hold, or the bound on it.
    pub load: f64,
    /// The throughput there, in the unit of the runs.
    pub throughput: f64,
    /// Whether both are measured or bounds.
    pub reached: Reached,
    /// Position of the limit that comes nearest to being broken there.
    pub binding: usize,
    /// Positions of the two loads between which it lies; equal at a load.
    pub between: [usize; 2],
    /// The largest load that is reached with throughput no higher and all limits met: the end of the stretch.
    pub holds_up_to: f64,
}

impl Capacity {
    /// The capacity of a variant at two loads or more, which ascend; `None` without limits, or where a value is not as in
    /// [`LoadRuns`].
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::{Limit, LoadRuns, Reached, Capacity};
    ///
    /// let at = |load: f64, rate: f64, ttft: f64| LoadRuns { load, runs: vec![vec![rate, ttft]] };
    /// let sweep = [at(8.0, 10.0, 100.0), at(16.0, 20.0, 400.0), at(32.0, 30.0, 1600.0)];
    /// // By hand: 1/160 lies half way between 1/100 and 1/400, at 12 in flight, where the rate is 15.
    /// let found = Capacity::of(&sweep, &[Limit { value: 160.0, below: true }]).unwrap();
    /// assert!((found.throughput - 15.0).abs() < 1e-9 && (found.load - 12.0).abs() < 1e-9);
    /// assert_eq!(found.reached, Reached::Inside);
    /// ```
    pub fn of(sweep: &[LoadRuns], limits: &[Limit]) -> Option<Capacity> {
        let zero = may_be_zero(&[sweep], limits)?;
        let curves = LoadCurves::new(sweep, limits, &zero, false);
        Some(curves.capacity(&sweep.iter().map(|load| load.load).collect::<Vec<_>>()))
    }
}

/// Whether each limited metric has a value of 0, after the values are found to be as in [`LoadRuns`].
fn may_be_zero(sweeps: &[&[LoadRuns]], limits: &[Limit]) -> Option<Vec<bool>> {
    let fine = |value: &f64| *value > 0.0 && value.is_finite();
    let whole = |load: &LoadRuns| {
        let of_run = |run: &Vec<f64>| {
            let limited = run.iter().skip(1).zip(limits);
            run.len() == limits.len() + 1
                && run.first().is_some_and(fine)
                && limited
                    .into_iter()
                    .all(|(value, limit)| fine(value) || limit.below && *value == 0.0)
        };
        fine(&load.load) && !load.runs.is_empty() && load.runs.iter().all(of_run)
    };
    let known = !limits.is_empty()
        && limits.iter().all(|limit| fine(&limit.value))
        && sweeps.iter().all(|sweep| sweep.len() > 1 && sweep.iter().all(whole));
    let zero = |at: usize| {
        sweeps.iter().copied().flatten().any(|load| load.runs.iter().any(|run| run[at + 1] == 0.0))
    };
    known.then(|| (0..limits.len()).map(zero).collect())
}

/// Mean of a column of the runs, and the standard error of that mean.
fn mean_of(load: &LoadRuns, column: usize) -> (f64, f64) {
    let n = load.runs.len() as f64;
    let mean = load.runs.iter().map(|run| run[column]).sum::<f64>() / n;
    let squares: f64 = load.runs.iter().map(|run| (run[column] - mean).powi(2)).sum();
    let error = if n > 1.0 { (squares / (n - 1.0) / n).sqrt() } else { f64::NAN };
    (mean, error)
}

/// A quantity that is straight between loads: its values and their standard errors, as of a mean of runs.
#[derive(Clone, Debug)]
struct Line {
    values: Vec<f64>,
    errors: Vec<f64>,
    /// Whether two neighbouring loads share their noise, as linked runs and tied loads do.
    linked: Vec<bool>,
}

/// A place in the loads: after the load of this position by a part of the way to the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    at: usize,
    part: f64,
}

impl Line {
    fn value(&self, Place { at, part }: Place) -> f64 {
        let next = self.values[(at + 1).min(self.values.len() - 1)];
        (1.0 - part) * self.values[at] + part * next
    }

    fn error(&self, Place { at, part }: Place) -> f64 {
        if part == 0.0 {
            return self.errors[at];
        }
        let (a, b) = ((1.0 - part) * self.errors[at], part * self.errors[at + 1]);
        if self.linked[at] { a + b } else { a.hypot(b) }
    }

    /// The line with tied loads: the relative variance of a tied load is at least their mean, and the noise between two
    /// of them is linear.
    fn tied(&self, tied: &[usize], unit: impl Fn(usize) -> f64) -> Self {
        let relative = |at: &usize| (self.errors[*at] / unit(*at)).powi(2);
        let mean = tied.iter().map(relative).sum::<f64>() / tied.len() as f64;
        let mut line = self.clone();
        for at in tied {
            line.errors[*at] = line.errors[*at].max(mean.sqrt() * unit(*at));
            line.linked[*at] |= tied.contains(&(at + 1));
        }
        line
    }
}

/// The curves of a variant over the loads.
#[derive(Clone, Debug)]
struct LoadCurves {
    throughput: Line,
    /// The margin of each limit, which is met at 0 or below: `1 - limit / latency`, `1 - rate / limit`, or `value /
    /// limit - 1` for a metric that may be 0.
    margins: Vec<Line>,
    /// Degrees of freedom of each load.
    df: Vec<f64>,
    /// Loads with a single run.
    single: Vec<bool>,
}

/// A point of the grid with a value there.
#[derive(Clone, Copy)]
struct Top {
    place: Place,
    value: f64,
}

/// One end of the capacity of a variant on the log scale, and how much of its squared width each load gave.
struct End {
    estimate: Option<f64>,
    value: f64,
    parts: Vec<f64>,
}

/// How one end is asked for: the level of one side, its quantile and the degrees of freedom of that.
#[derive(Clone, Copy)]
struct Level {
    u: f64,
    q: f64,
    df: f64,
}

impl Level {
    /// Quantile of the largest of `ties`.
    fn of_ties(self, ties: usize, df: f64) -> f64 {
        if ties < 2 {
            return self.q;
        }
        let u = -((-self.u).ln_1p() / ties as f64).exp_m1();
        -t_quantile(u, df.max(1.0))
    }
}

impl LoadCurves {
    fn new(sweep: &[LoadRuns], limits: &[Limit], zero: &[bool], linked: bool) -> Self {
        let line = |column: usize, turned: &dyn Fn(f64, f64) -> (f64, f64)| {
            let single = |load: &LoadRuns| load.runs.len() < 2;
            let known = sweep.iter().filter(|load| !single(load));
            // The noise of a single run is taken as the largest of the other loads.
            let of_run = known
                .map(|load| {
                    let (mean, error) = mean_of(load, column);
                    error / mean.abs().max(f64::MIN_POSITIVE) * (load.runs.len() as f64).sqrt()
                })
                .fold(0.0, f64::max);
            let of_load = |load: &LoadRuns| {
                let (mean, error) = mean_of(load, column);
                let error = if single(load) { of_run * mean.abs() } else { error };
                turned(mean, error.max(LEAST_VARIANCE.sqrt() * mean.abs()))
            };
            let (values, errors) = sweep.iter().map(of_load).unzip();
            Line { values, errors, linked: vec![linked; sweep.len()] }
        };
        let margin = |(at, limit): (usize, &Limit)| {
            let value = limit.value;
            match (limit.below, zero[at]) {
                (true, false) => {
                    line(at + 1, &|mean, error| (1.0 - value / mean, error / mean * (value / mean)))
                }
                (true, true) => line(at + 1, &|mean, error| {
                    (mean / value - 1.0, (error / value).max(LEAST_VARIANCE.sqrt()))
                }),
                (false, _) => line(at + 1, &|mean, error| (1.0 - mean / value, error / value)),
            }
        };
        Self {
            throughput: line(0, &|mean, error| (mean, error)),
            margins: limits.iter().enumerate().map(margin).collect(),
            df: sweep.iter().map(|load| (load.runs.len() as f64 - 1.0).max(1.0)).collect(),
            single: sweep.iter().map(|load| load.runs.len() < 2).collect(),
        }
    }

    fn loads(&self) -> usize {
        self.df.len()
    }

    fn log(&self, place: Place) -> f64 {
        self.throughput.value(place).ln()
    }

    /// The limit with the largest margin at a place, moved by `q` standard errors, and that margin.
    fn worst(margins: &[Line], q: f64, place: Place) -> (usize, f64) {
        let margin =
            |line: &Line| line.value(place) + if q == 0.0 { 0.0 } else { q * line.error(place) };
        let all = margins.iter().map(margin).enumerate();
        all.reduce(|a, b| if b.1 > a.1 { b } else { a }).unwrap_or((0, 0.0))
    }

    /// The highest throughput at which all limits hold: of a stretch inside a gap its ends.
    fn top(&self) -> Option<Top> {
        let mut best: Option<Top> = None;
        for at in 0..self.loads() - 1 {
            let (mut low, mut high) = (0.0_f64, 1.0_f64);
            for line in &self.margins {
                let (a, b) = (line.values[at], line.values[at + 1]);
                match (a > 0.0, b > 0.0) {
                    (true, true) => low = 2.0,
                    (true, false) => low = low.max(a / (a - b)),
                    (false, true) => high = high.min(a / (a - b)),
                    (false, false) => {}
                }
            }
            for part in [low, high].into_iter().filter(|_| low <= high) {
                let place =
                    if part < 1.0 { Place { at, part } } else { Place { at: at + 1, part: 0.0 } };
                let value = self.log(place);
                if best.is_none_or(|best| value > best.value) {
                    best = Some(Top { place, value });
                }
            }
        }
        best
    }

    /// The highest `value` at the places where no limit is broken, moved by `q` standard errors.
    fn highest(&self, margins: &[Line], q: f64, value: impl Fn(Place) -> f64) -> Option<Top> {
        let last = (self.loads() - 1) * STEPS;
        let place =
            |step: usize| Place { at: step / STEPS, part: (step % STEPS) as f64 / STEPS as f64 };
        let mut best: Option<Top> = None;
        let mut keep = |place: Place| {
            let value = value(place);
            if best.is_none_or(|best| value > best.value) {
                best = Some(Top { place, value });
            }
        };
        let mut before: Option<(usize, f64)> = None;
        for step in 0..=last {
            let (_, margin) = Self::worst(margins, q, place(step));
            if let Some((from, was)) = before
                && (was <= 0.0) != (margin <= 0.0)
            {
                let Place { at, part } = place(from);
                keep(Place { at, part: part + was / (was - margin) / STEPS as f64 });
            }
            if margin <= 0.0 {
                keep(place(step));
            }
            before = Some((step, margin));
        }
        best
    }

    /// Adds the squared width of a part to the loads that determine its place, by their share of the variance there.
    fn share(line: &Line, parts: &mut [f64], Place { at, part }: Place, width: f64) {
        if part == 0.0 {
            parts[at] += width * width;
            return;
        }
        let a = ((1.0 - part) * line.errors[at]).powi(2);
        let b = (part * line.errors[at + 1]).powi(2);
        parts[at] += width * width * a / (a + b);
        parts[at + 1] += width * width * b / (a + b);
    }

    /// The standard error of the log throughput of a line.
    fn log_error(line: &Line, place: Place) -> f64 {
        line.error(place) / line.value(place)
    }

    /// The lower end of the log capacity.
    fn lower(&self, r: f64, level: Level) -> End {
        let mut parts = vec![0.0; self.loads()];
        let Some(top) = self.top() else {
            return End { estimate: None, value: f64::NEG_INFINITY, parts };
        };
        let (throughput, ties, df) = self.tied_tops(top, level);
        let (margins, at_limit, df_limit) = self.tied_limits(level);
        let (q, q_limit) = (level.of_ties(ties, df), level.of_ties(at_limit, df_limit));
        let low = |place| self.log(place) - q * Self::log_error(&throughput, place);
        // Where the top lies between two points of the grid it is still a place that holds.
        let on_grid = self.highest(&self.margins, 0.0, low);
        let here = Top { place: top.place, value: low(top.place) };
        let by_throughput = on_grid.filter(|found| found.value >= here.value).unwrap_or(here);
        let x = (top.value - by_throughput.value).max(0.0);
        Self::share(&self.throughput, &mut parts, by_throughput.place, x);
        let estimate = Some(top.value);
        let Some(by_limit) = self.highest(&margins, q_limit, |place| self.log(place)) else {
            return End { estimate, value: f64::NEG_INFINITY, parts };
        };
        let y = (top.value - by_limit.value).max(0.0);
        let binding = Self::worst(&margins, q_limit, by_limit.place).0;
        Self::share(&self.margins[binding], &mut parts, by_limit.place, y);
        End { estimate, value: top.value - width(x, y, r), parts }
    }

    /// The throughput with the loads tied at the top, their number, and the degrees of freedom of their noise.
    fn tied_tops(&self, top: Top, level: Level) -> (Line, usize, f64) {
        let Place { at, part } = top.place;
        let around = at..=at + usize::from(part > 0.0);
        let holds = |load: usize| self.margins.iter().all(|line| line.values[load] <= 0.0);
        let error = Self::log_error(&self.throughput, top.place);
        let near = |load: usize| {
            let place = Place { at: load, part: 0.0 };
            let slack = level.q * Self::log_error(&self.throughput, place).hypot(error);
            self.log(place) >= top.value - slack
        };
        let others: Vec<usize> = (0..self.loads())
            .filter(|load| !around.contains(load) && holds(*load) && near(*load))
            .collect();
        if others.is_empty() {
            return (self.throughput.clone(), 1, level.df);
        }
        let ties = others.len() + 1;
        let mut tied = others;
        tied.extend(around.filter(|load| holds(*load)));
        tied.sort_unstable();
        let df = tied.iter().map(|load| self.df[*load]).sum::<f64>().max(level.df);
        let unit = |load: usize| self.throughput.values[load];
        (self.throughput.tied(&tied, unit), ties, df)
    }

    /// Loads whose side of a limit is within noise.
    fn near_limit(&self, line: &Line, q: f64) -> Vec<usize> {
        let near = |load: &usize| line.values[*load].abs() <= 2.0 * q * line.errors[*load];
        (0..self.loads()).filter(near).collect()
    }

    /// The margins after tying the loads within noise of a limit, the largest number of tied loads, and the degrees of
    /// freedom of their noise.
    fn tied_limits(&self, level: Level) -> (Vec<Line>, usize, f64) {
        let (mut most, mut df) = (1, level.df);
        let tie = |line: &Line| {
            let tied = self.near_limit(line, level.q);
            if tied.len() < 2 {
                return line.clone();
            }
            most = most.max(tied.len());
            df = df.max(tied.iter().map(|load| self.df[*load]).sum());
            line.tied(&tied, |_| 1.0)
        };
        let margins = self.margins.iter().map(tie).collect();
        (margins, most, df)
    }

    /// The upper end of the log capacity; infinite where the loads do not bound it.
    fn upper(&self, r: f64, level: Level) -> End {
        let mut parts = vec![0.0; self.loads()];
        let top = self.top();
        let estimate = top.map(|top| top.value);
        let at_limit = top.map_or(0, |top| {
            let near = |line: &&Line| {
                line.value(top.place).abs() <= level.q * line.error(top.place) + f64::EPSILON
            };
            self.margins.iter().filter(near).count()
        });
        let q_limit = level.of_ties(at_limit, level.df);
        let error = |place| Self::log_error(&self.throughput, place);
        let first = Place { at: 0, part: 0.0 };
        let last = Place { at: self.loads() - 1, part: 0.0 };
        let Some(by_limit) = self.highest(&self.margins, -q_limit, |place| self.log(place)) else {
            parts[0] += (level.q * error(first)).powi(2);
            return End { estimate, value: self.log(first) + level.q * error(first), parts };
        };
        let may_hold = Self::worst(&self.margins, -q_limit, last).1 <= 0.0;
        let slack = level.q * error(last).hypot(error(by_limit.place));
        if may_hold && self.log(last) + slack >= by_limit.value {
            return End { estimate, value: f64::INFINITY, parts };
        }
        let Some(top) = top else {
            let x = level.q * error(by_limit.place);
            Self::share(&self.throughput, &mut parts, by_limit.place, x);
            return End { estimate, value: by_limit.value.max(self.log(first)) + x, parts };
        };
        let high = |place| self.log(place) + level.q * error(place);
        let here = Top { place: top.place, value: high(top.place) };
        let on_grid = self.highest(&self.margins, 0.0, high);
        let by_throughput = on_grid.filter(|found| found.value >= here.value).unwrap_or(here);
        let (x, y) = (by_throughput.value - top.value, (by_limit.value - top.value).max(0.0));
        let binding = Self::worst(&self.margins, -q_limit, by_limit.place).0;
        Self::share(&self.throughput, &mut parts, by_throughput.place, x);
        Self::share(&self.margins[binding], &mut parts, by_limit.place, y);
        End { estimate, value: top.value + width(x, y, r), parts }
    }

    fn capacity(&self, loads: &[f64]) -> Capacity {
        let load = |Place { at, part }: Place| {
            loads[at] + part * (loads[(at + 1).min(loads.len() - 1)] - loads[at])
        };
        let Some(Top { place, value }) = self.top() else {
            let first = Place { at: 0, part: 0.0 };
            let (binding, _) = Self::worst(&self.margins, 0.0, first);
            return Capacity {
                load: loads[0],
                throughput: self.throughput.values[0],
                reached: Reached::AtMost,
                binding,
                between: [0, 0],
                holds_up_to: loads[0],
            };
        };
        let last = place.at + 1 == self.loads();
        Capacity {
            load: load(place),
            throughput: value.exp(),
            reached: if last { Reached::AtLeast } else { Reached::Inside },
            binding: Self::worst(&self.margins, 0.0, place).0,
            between: [place.at, place.at + usize::from(place.part > 0.0)],
            holds_up_to: load(self.end_of_stretch(place)),
        }
    }

    /// The end of the stretch of loads around a place at which all limits hold.
    fn end_of_stretch(&self, from: Place) -> Place {
        if from.part > 0.0 && self.margins.iter().any(|line| line.values[from.at + 1] > 0.0) {
            return from;
        }
        let start = from.at + usize::from(from.part > 0.0);
        for at in start..self.loads() - 1 {
            let part = self
                .margins
                .iter()
                .filter(|line| line.values[at + 1] > 0.0)
                .map(|line| line.values[at] / (line.values[at] - line.values[at + 1]))
                .fold(f64::INFINITY, f64::min);
            if part.is_finite() {
                return Place { at, part: part.clamp(0.0, 1.0) };
            }
        }
        Place { at: self.loads() - 1, part: 0.0 }
    }
}

/// Width of an end from the widths of its two causes, with correlation `r`; at least the larger one.
fn width(x: f64, y: f64, r: f64) -> f64 {
    (x * x + y * y - 2.0 * r * x * y).max(x.max(y).powi(2)).sqrt()
}

/// A limit that is shown to be broken at a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// 0 for the baseline, 1 for the candidate.
    pub side: usize,
    /// Position of the load.
    pub load: usize,
    /// Position of the limit.
    pub limit: usize,
}

/// The change of the capacity of two variants at the same loads, as a log ratio of throughputs.
///
/// The ends of its interval come from the ends of each variant's own curves: how far the throughput could be off at the best
/// load, and how far the limit could move that load, combined by their correlation between runs. Loads whose throughput ties
/// with the best, or whose margin is within noise, widen the end by the quantile of the largest of so many. The degrees of
/// freedom are Satterthwaite's for what each load gave to an end.
///
/// Simulated, 2,000 sweeps a shape with three noises and 3, 5 and 10 runs: it covers in 94.2 % and more, over 98.5 only with
/// ties or where the loads leave an end open.
#[derive(Clone, Debug)]
pub struct CapacityChange {
    loads: Vec<f64>,
    curves: [LoadCurves; 2],
    /// Correlation of throughput and margin between runs, at most 0.
    r: f64,
}

impl CapacityChange {
    /// The change between two variants at the same loads, two or more, which ascend; `None` where a value is not as in
    /// [`LoadRuns`], or where loads differ. The runs of a variant are `linked` where one start serves several loads.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::{CapacityChange, Limit, LoadRuns};
    ///
    /// let at = |load: f64, runs: [[f64; 2]; 2]| LoadRuns { load, runs: runs.map(Vec::from).to_vec() };
    /// let main = [at(8.0, [[10.0, 80.0], [10.2, 81.0]]), at(16.0, [[19.0, 300.0], [19.2, 290.0]])];
    /// let pr = [at(8.0, [[11.0, 80.0], [11.2, 81.0]]), at(16.0, [[20.9, 300.0], [21.1, 290.0]])];
    /// let limits = [Limit { value: 150.0, below: true }];
    /// let change = CapacityChange::new([&main, &pr], &limits, [false; 2]).unwrap();
    /// assert!((change.estimate().unwrap().exp() - 1.1).abs() < 0.001);
    /// ```
    pub fn new(sweeps: [&[LoadRuns]; 2], limits: &[Limit], linked: [bool; 2]) -> Option<Self> {
        let zero = may_be_zero(&sweeps, limits)?;
        let loads: Vec<f64> = sweeps[0].iter().map(|load| load.load).collect();
        let same = sweeps[1].iter().map(|load| load.load).eq(loads.iter().copied());
        let curves =
            [0, 1].map(|side: usize| LoadCurves::new(sweeps[side], limits, &zero, linked[side]));
        same.then(|| Self { loads, curves, r: correlation(sweeps, limits) })
    }

    /// The capacities of the baseline and of the candidate.
    pub fn sides(&self) -> [Capacity; 2] {
        self.curves.each_ref().map(|curves| curves.capacity(&self.loads))
    }

    /// The log ratio of the capacities; `None` where a variant holds the limits at no load.
    pub fn estimate(&self) -> Option<f64> {
        let [a, b] = self.curves.each_ref().map(LoadCurves::top);
        Some(b?.value - a?.value)
    }

    /// The ends of the interval of the log ratio; an end is infinite where the measured loads do not bound it.
    ///
    /// `confidence` lies in (0, 1).
    pub fn interval(&self, confidence: f64) -> [f64; 2] {
        let u = (1.0 - confidence) / 2.0;
        [self.low(u), self.high(u)]
    }

    /// One minus the confidence at which an end of the interval touches zero.
    pub fn p_value(&self) -> f64 {
        let beyond = |u: f64, above: bool| {
            if above { self.low(u) > 0.0 } else { self.high(u) < 0.0 }
        };
        let Some(above) = [true, false].into_iter().find(|above| beyond(0.499, *above)) else {
            return 1.0;
        };
        if beyond(SMALLEST_LEVEL, above) {
            return 2.0 * SMALLEST_LEVEL;
        }
        let (mut low, mut high) = (SMALLEST_LEVEL.ln(), 0.499_f64.ln());
        for _ in 0..24 {
            let middle = f64::midpoint(low, high);
            if beyond(middle.exp(), above) { high = middle } else { low = middle }
        }
        (2.0 * high.exp()).min(1.0)
    }

    /// The lower end at level `u` of one side.
    fn low(&self, u: f64) -> f64 {
        let [a, b] = &self.curves;
        one_end(a, b, self.r, u)
    }

    fn high(&self, u: f64) -> f64 {
        let [a, b] = &self.curves;
        -one_end(b, a, self.r, u)
    }

    /// The limit that has most loads within noise of it in a variant, and the positions of these loads, at this
    /// confidence.
    pub fn near_limit(&self, side: usize, confidence: f64) -> (usize, Vec<usize>) {
        let [a, b] = &self.curves;
        let (of, other) = if side == 0 { (a, b) } else { (b, a) };
        let q = settled(other, of, self.r, (1.0 - confidence) / 2.0).q;
        let curves = of;
        let near = curves.margins.iter().map(|line| curves.near_limit(line, q)).enumerate();
        near.max_by_key(|(_, loads)| loads.len()).unwrap_or_default()
    }

    /// Whether the capacity of a variant rests on a load with a single run.
    pub fn rests_on_single(&self, side: usize) -> bool {
        let curves = &self.curves[side.min(1)];
        let between = curves.capacity(&self.loads).between;
        between.iter().any(|load| curves.single[*load])
    }

    /// The limits that are shown to be broken, one-sided at 2.5 % by Holm over loads, limits and variants.
    pub fn shown_broken(&self) -> Vec<Broken> {
        let mut all = Vec::new();
        for (side, curves) in self.curves.iter().enumerate() {
            for (limit, line) in curves.margins.iter().enumerate() {
                for load in (0..curves.loads()).filter(|load| !curves.single[*load]) {
                    let t = line.values[load] / line.errors[load];
                    all.push((Broken { side, load, limit }, t_cdf(-t, curves.df[load])));
                }
            }
        }
        let p = holm(&all.iter().map(|(_, p)| *p).collect::<Vec<_>>());
        let shown = all.into_iter().zip(p).filter(|(_, p)| *p < BROKEN_LEVEL);
        shown.map(|((broken, _), _)| broken).collect()
    }
}

/// The level of the lower end of the log ratio of `b` over `a`: its degrees of freedom from what each load gives to it.
fn settled(a: &LoadCurves, b: &LoadCurves, r: f64, u: f64) -> Level {
    let mut level = Level { u, q: 2.0, df: 6.0 };
    for _ in 0..ROUNDS {
        let (lower, upper) = (b.lower(r, level), a.upper(r, level));
        let parts = || lower.parts.iter().zip(&b.df).chain(upper.parts.iter().zip(&a.df));
        let sum: f64 = parts().map(|(part, _)| part).sum();
        let squares: f64 = parts().map(|(part, df)| part * part / df).sum();
        let df = if squares > 0.0 { (sum * sum / squares).max(1.0) } else { 1.0 };
        level = Level { u, q: -t_quantile(u, df), df };
    }
    level
}

impl Limit {
    /// One-sided p-value that the mean of these runs does not break a limit, by Student's t on the margin of the limit; `None` for
    /// fewer than 2 runs, or where a value is not as in [`LoadRuns`].
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::{Limit, };
    ///
    /// // scipy.stats.t.sf((1 - 20 / 22) / (1 / 3 ** 0.5 / 22 * 20 / 22), 2)
    /// let p = Limit { value: 20.0, below: true }.p_value(&[21.0, 22.0, 23.0]).unwrap();
    /// assert!((p - 0.031_242_4).abs() < 1e-6);
    /// ```
    pub fn p_value(self, values: &[f64]) -> Option<f64> {
        let runs = values.iter().map(|value| vec![1.0, *value]).collect();
        let load = LoadRuns { load: 1.0, runs };
        // At two equal loads, since a sweep has two.
        let sweep = [load.clone(), load];
        let zero = may_be_zero(&[&sweep], &[self])?;
        let curves = LoadCurves::new(&sweep, &[self], &zero, false);
        let line = curves.margins.first()?;
        (values.len() > 1).then(|| t_cdf(-line.values[0] / line.errors[0], curves.df[0]))
    }
}

/// The lower end of the log ratio of `b` over `a`.
fn one_end(a: &LoadCurves, b: &LoadCurves, r: f64, u: f64) -> f64 {
    let level = settled(a, b, r, u);
    let (lower, upper) = (b.lower(r, level), a.upper(r, level));
    if lower.value == f64::NEG_INFINITY || upper.value == f64::INFINITY {
        return f64::NEG_INFINITY;
    }
    match (upper.estimate, lower.estimate) {
        (Some(of_a), Some(of_b)) => of_b - of_a - (of_b - lower.value).hypot(upper.value - of_a),
        _ => lower.value - upper.value,
    }
}

/// Correlation of throughput and limited metric between the runs of a load, averaged over loads, variants and limits; at
/// most 0, and for a limit from below with the sign turned.
fn correlation(sweeps: [&[LoadRuns]; 2], limits: &[Limit]) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for load in sweeps.into_iter().flatten().filter(|load| load.runs.len() > 1) {
        let (mean, _) = mean_of(load, 0);
        for (at, limit) in limits.iter().enumerate() {
            let (centre, _) = mean_of(load, at + 1);
            let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
            for run in &load.runs {
                let (x, y) = (run[0] / mean - 1.0, run[at + 1] - centre);
                (xy, xx, yy) = (xy + x * y, xx + x * x, yy + y * y);
            }
            let sign = if limit.below { 1.0 } else { -1.0 };
            let product = xx * yy;
            sum += if product > 0.0 { sign * xy / product.sqrt() } else { 0.0 };
            count += 1.0;
        }
    }
    if count > 0.0 { (sum / count).min(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweep(loads: &[f64], runs: &[[[f64; 2]; 3]]) -> Vec<LoadRuns> {
        let load = |(load, runs): (&f64, &[[f64; 2]; 3])| LoadRuns {
            load: *load,
            runs: runs.iter().map(|run| run.to_vec()).collect(),
        };
        loads.iter().zip(runs).map(load).collect()
    }

    /// Four loads, three runs each: the candidate serves 4 % more at 3 % less P99.
    fn vector() -> [Vec<LoadRuns>; 2] {
        let a = [
            [[10.0, 80.0], [10.1, 82.0], [9.9, 79.0]],
            [[19.0, 120.0], [19.2, 118.0], [18.9, 123.0]],
            [[30.0, 300.0], [29.6, 312.0], [30.3, 291.0]],
            [[36.0, 900.0], [36.4, 870.0], [35.8, 935.0]],
        ];
        let factors = [[1.004, 1.01], [0.997, 0.99], [1.002, 1.0], [1.0, 1.005]];
        let mut b = a;
        for (runs, [x, y]) in b.iter_mut().zip(factors) {
            for [rate, ttft] in runs {
                (*rate, *ttft) = (*rate * 1.04 * x, *ttft * 0.97 * y);
            }
        }
        let loads = [8.0, 16.0, 32.0, 64.0];
        [sweep(&loads, &a), sweep(&loads, &b)]
    }

    fn percent(ends: [f64; 2]) -> [f64; 2] {
        ends.map(|end| 100.0 * end.exp_m1())
    }

    fn change(sweeps: &[Vec<LoadRuns>; 2], limit: f64) -> CapacityChange {
        let limits = [Limit { value: limit, below: true }];
        CapacityChange::new([&sweeps[0], &sweeps[1]], &limits, [false; 2]).expect("a change")
    }

    fn near(found: [f64; 2], expected: [f64; 2], within: f64) {
        let off = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < within, "{found:?}, expected {expected:?}");
    }

    /// An implementation of the same steps in numpy 2 and scipy 1, with 2,048 points a gap.
    #[test]
    fn the_change_and_its_ends_are_those_of_the_prototype() {
        let [a, b] = vector();
        let found = change(&[a.clone(), b.clone()], 500.0);
        near([100.0 * found.estimate().expect("both").exp_m1(); 2], [4.5523; 2], 1e-3);
        assert!((found.r + 0.4861).abs() < 5e-5, "{}", found.r);
        near(percent(found.interval(0.95)), [2.6726, 6.4754], 3e-3);
        near(percent(found.interval(0.99)), [1.8230, 7.3802], 3e-3);
        let swapped = change(&[b, a], 500.0);
        near(percent(swapped.interval(0.95)), [-6.0816, -2.6030], 3e-3);
    }

    #[test]
    fn swapping_the_variants_mirrors_the_interval() {
        let [a, b] = vector();
        let [low, high] = change(&[a.clone(), b.clone()], 500.0).interval(0.95);
        let [turned_low, turned_high] = change(&[b, a], 500.0).interval(0.95);
        near([low, high], [-turned_high, -turned_low], 1e-12);
    }

    #[test]
    fn the_p_value_is_the_level_at_which_an_end_touches_zero() {
        let [a, b] = vector();
        let found = change(&[a, b], 500.0);
        let p = found.p_value();
        let [low, high] = found.interval(1.0 - p);
        assert!(low.abs().min(high.abs()) < 1e-4, "{p}: {low} {high}");
    }

    #[test]
    fn beyond_the_loads_an_end_is_open() {
        let [a, b] = vector();
        let both = change(&[a.clone(), b.clone()], 1100.0);
        assert_eq!(both.sides().map(|side| side.reached), [Reached::AtLeast; 2]);
        assert_eq!(both.interval(0.95), [f64::NEG_INFINITY, f64::INFINITY]);
        let none = change(&[a, b], 60.0);
        assert_eq!(none.sides().map(|side| side.reached), [Reached::AtMost; 2]);
        assert_eq!(none.estimate(), None);
    }

    /// By hand: past its peak the throughput falls, so that the best load is the first, for both.
    #[test]
    fn doubling_the_latency_past_the_peak_changes_nothing() {
        let loads = [32.0, 64.0, 128.0];
        let runs = |ttft: [f64; 3]| {
            let at = |(rate, ttft): (f64, f64)| [0.999, 1.0, 1.001].map(|x| [rate * x, ttft / x]);
            [(1000.0, ttft[0]), (880.0, ttft[1]), (700.0, ttft[2])].map(at)
        };
        let (a, b) = (
            sweep(&loads, &runs([160.0, 200.0, 400.0])),
            sweep(&loads, &runs([160.0, 400.0, 800.0])),
        );
        let found = change(&[a, b], 300.0);
        assert!(found.estimate().expect("both").abs() < 1e-9);
        let [low, high] = found.interval(0.95);
        assert!(low < 0.0 && high > 0.0 && high < 0.01);
        assert_eq!(found.sides().map(|side| side.load), [32.0, 32.0]);
    }

    /// By hand: a cold first load is not counted; both reach 1/300 between 32 and 64, at 56.9 in flight.
    #[test]
    fn a_limit_that_is_broken_at_the_first_load_is_counted_from_where_it_holds() {
        let loads = [8.0, 16.0, 32.0, 64.0];
        let runs = |first: f64| {
            let at = |(rate, ttft): (f64, f64)| [0.999, 1.0, 1.001].map(|x| [rate * x, ttft / x]);
            [(200.0, first), (380.0, 80.0), (700.0, 160.0), (1100.0, 400.0)].map(at)
        };
        let found = change(&[sweep(&loads, &runs(45.0)), sweep(&loads, &runs(585.0))], 300.0);
        assert!(found.estimate().expect("both").abs() < 1e-9);
        let [a, _] = found.sides();
        assert!((a.load - 56.89).abs() < 0.01 && (a.throughput - 1011.1).abs() < 0.1, "{a:?}");
        let broken = found.shown_broken();
        assert!(broken.contains(&Broken { side: 1, load: 0, limit: 0 }), "{broken:?}");
    }

    /// By hand: an error rate of 0 meets any limit; `R = mean / limit - 1`.
    #[test]
    fn a_metric_that_may_be_zero_has_a_limit() {
        let loads = [8.0, 16.0];
        let runs =
            [[[10.0, 0.0], [10.1, 0.0], [9.9, 0.0]], [[19.0, 0.03], [19.1, 0.031], [18.9, 0.029]]];
        let found = change(&[sweep(&loads, &runs), sweep(&loads, &runs)], 0.015);
        let [a, _] = found.sides();
        assert!((a.load - 12.0).abs() < 1e-9 && (a.throughput - 14.5).abs() < 1e-9, "{a:?}");
    }
}
