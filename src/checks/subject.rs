//! The subject of checks of runs: one build or two, with the values of every deciding metric.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::builds::{Build, Chosen, Values};
use crate::checks::chance::{Chance, is_beyond_chance};
use crate::checks::{CheckId, Finding, Severity};
use crate::compare::{InSessionsRow, Measured, Pairing, SideRow};
use crate::format::also;
use crate::metrics::Metric;
use crate::policy::Policy;
use crate::runs::{Group, Order, Pairs};
use crate::stats::{Modes, quantile, sort_near};

/// Tolerance for rounding if printed values differ by one step.
pub(super) const SAME: f64 = 1.000_001;

/// Runs of one build, or of two builds that are compared.
pub(crate) struct Subject<'a> {
    /// The group with the workload.
    pub group: &'a Group,
    /// One build, or the baseline and the candidate.
    pub builds: &'a [Build<'a>],
    /// Settings and thresholds.
    pub policy: &'a Policy,
    /// The pairs of runs, in a paired comparison.
    pub pairs: Option<&'a Pairs>,
    /// The noise of each deciding metric within the pairs: CV and degrees of freedom.
    pub(super) noise_in_pairs: Vec<(&'a Metric, f64, f64)>,
    /// Number of runs, or of units of nested repeats, in the build with the fewest.
    pub(super) fewest_runs: usize,
    /// The deciding metrics, the most important first.
    pub(super) metrics: Vec<&'a Metric>,
    /// The values of every deciding metric in each build, the leading metric first.
    pub(super) series: Vec<Series<'a>>,
    /// The adjusted p-values of the checks that chance can set off.
    chance: Chance,
    /// The only build to report on; `None` for all.
    only: Option<usize>,
}

impl<'a> Subject<'a> {
    /// Builds of one workload, at least one, with the metrics chosen for each.
    pub(crate) fn of_builds(
        builds: &'a [Build<'a>],
        chosen: &'a [Chosen],
        policy: &'a Policy,
    ) -> Self {
        let mut metrics: Vec<&Metric> = Vec::new();
        for metric in chosen.iter().flat_map(Chosen::deciding) {
            if !metrics.iter().any(|known| known.name == metric.name) {
                metrics.push(metric);
            }
        }
        let of_build = |metric: &'a Metric| {
            let sides = builds.iter().zip(chosen).enumerate();
            sides.filter_map(move |(side, (build, chosen))| {
                chosen.deciding().iter().find(|own| own.name == metric.name)?;
                let values = build.values(&metric.name).filter(|of| !of.is_count(metric))?;
                Some(Series::new(side, build, metric, values))
            })
        };
        Self {
            group: builds[0].group,
            builds,
            policy,
            pairs: None,
            noise_in_pairs: Vec::new(),
            fewest_runs: builds.iter().map(|build| build.runs.len()).min().unwrap_or(0),
            series: metrics.iter().flat_map(|metric| of_build(metric)).collect(),
            metrics,
            chance: Chance::default(),
            only: None,
        }
    }

    /// The runs of a comparison.
    pub(super) fn of_pairing(
        pairing: &'a Pairing<'a>,
        builds: &'a [Build<'a>; 2],
        deciding: &[&'a Measured],
        policy: &'a Policy,
    ) -> Self {
        let judged = deciding.iter().filter(|row| row.metric.better.is_some() && !row.exact);
        let of_row = |row: &&'a Measured| {
            let row: &'a Measured = row;
            let sides = [&row.baseline, &row.candidate].into_iter().zip(builds).enumerate();
            let inside = row.in_sessions.as_ref().zip(pairing.sessions.as_ref());
            sides.map(move |(side, (of, build))| {
                let series = Series::of_side(side, build, &row.metric, of);
                match inside {
                    Some((row, sessions)) => series.without_sessions(row, &sessions.of[side]),
                    None => series,
                }
            })
        };
        let noise = |row: &&'a Measured| Some((&row.metric, row.noise?.cv, row.noise?.df));
        let [a, b] = match &pairing.levels {
            Some(levels) => [levels.units[0].len(), levels.units[1].len()],
            None => builds.each_ref().map(|build| build.runs.len()),
        };
        let pairs = pairing.pairs.as_ref();
        Self {
            group: builds[0].group,
            builds,
            policy,
            pairs,
            noise_in_pairs: deciding.iter().filter(|_| pairs.is_some()).filter_map(noise).collect(),
            fewest_runs: a.min(b),
            metrics: deciding.iter().map(|row| &row.metric).collect(),
            series: judged.flat_map(of_row).collect(),
            chance: Chance::default(),
            only: None,
        }
    }

    /// Adjusts the p-values of the checks that chance can set off, before any of them runs.
    pub(super) fn adjust(&mut self, chance: Chance) {
        self.chance = chance;
    }

    /// Reports on one build alone; the others remain for comparison.
    pub(super) fn report_on(&mut self, side: usize) {
        self.only = Some(side);
    }

    /// Whether a check is to report on this build.
    pub(super) fn reports_on(&self, side: usize) -> bool {
        self.only.is_none_or(|only| only == side)
    }

    /// Whether a single build is reported on, so that messages need not name it.
    pub(super) fn is_alone(&self) -> bool {
        self.only.is_some() || self.builds.len() == 1
    }

    /// The two builds; `None` for another number of builds.
    pub(super) fn both(&self) -> Option<[&'a Build<'a>; 2]> {
        match self.builds {
            [a, b] => Some([a, b]),
            _ => None,
        }
    }

    /// ` of main`; empty if a single build is reported on.
    pub(super) fn of(&self, build: &Build) -> String {
        if self.is_alone() { String::new() } else { format!(" of {}", build.name()) }
    }

    /// The other series with the same finding: `; also in mean TPOT of B`.
    pub(super) fn also<'s>(&self, others: impl Iterator<Item = &'s Series<'s>>) -> String {
        let named = |series: &Series| format!("{}{}", series.metric.label, self.of(series.build));
        also(&others.map(named).collect::<Vec<_>>())
    }

    /// The series to report on.
    pub(super) fn reported(&self) -> impl Iterator<Item = &Series<'a>> {
        self.series.iter().filter(|series| self.reports_on(series.side))
    }

    /// The two series of each metric that both builds have.
    pub(super) fn of_both(&self) -> impl Iterator<Item = &[Series<'a>]> {
        let metric = |a: &Series, b: &Series| a.metric.name == b.metric.name;
        self.series.chunk_by(metric).filter(|both| both.len() == 2)
    }

    /// Logs of the same metric in the other build, for its noise; empty unless both are of one kind.
    pub(super) fn beside(&self, series: &Series) -> Vec<f64> {
        let mut all = self.series.iter();
        let same =
            |other: &&Series| other.side != series.side && other.metric.name == series.metric.name;
        let positive = |series: &Series| series.values.iter().all(|value| *value > 0.0);
        let other = all.find(same).filter(|other| positive(other) == positive(series));
        other.map_or_else(Vec::new, |other| other.logs().0)
    }

    /// The same, with the farthest value moved to the distance of the next: an outlier there hides none here.
    pub(super) fn beside_without_outlier(&self, series: &Series) -> Vec<f64> {
        let mut values = self.beside(series);
        if values.len() > 2 {
            let centre = median(&values);
            let off = |value: &f64| (value - centre).abs();
            values.sort_by(|a, b| off(b).total_cmp(&off(a)));
            values[0] = centre + off(&values[1]) * (values[0] - centre).signum();
        }
        values
    }

    /// Positions of a build's compared runs, sorted.
    pub(super) fn compared(&self, side: usize) -> Vec<usize> {
        self.pairs.map_or_else(
            || (0..self.builds[side].runs.len()).collect(),
            |pairs| {
                let of = pairs.positions.iter().map(|&(a, b)| if side == 0 { a } else { b });
                let mut of: Vec<usize> = of.collect();
                of.sort_unstable();
                of
            },
        )
    }

    /// The adjusted p-values of a check that chance can set off, in the order of the series that it looks at.
    pub(super) fn chance(&self, check: CheckId) -> &[f64] {
        self.chance.of(check)
    }

    pub(super) fn beyond_chance(&self, p: f64) -> bool {
        is_beyond_chance(p, self.policy.thresholds.chance_level)
    }

    /// Whether a change of this size is smaller than the metric's margin.
    pub(super) fn is_small(&self, metric: &Metric, size: Option<f64>) -> bool {
        size.is_some_and(|size| size.abs() < self.policy.margin(metric).relative)
    }
}

/// One build's values of a deciding metric, in the order of its runs.
pub(super) struct Series<'a> {
    /// Position of the build in the subject.
    pub(super) side: usize,
    pub(super) build: &'a Build<'a>,
    pub(super) metric: &'a Metric,
    /// Positions of the runs in the build, one for each value.
    pub(super) runs: Cow<'a, [usize]>,
    pub(super) values: Cow<'a, [f64]>,
    /// Half of the last printed digit of the values.
    pub(super) resolution: f64,
    /// Results that several checks use: the median, the positions of the values far from it, the two modes.
    pub(super) median: OnceCell<f64>,
    pub(super) far: OnceCell<Vec<usize>>,
    pub(super) modes: OnceCell<Option<Modes>>,
}

impl<'a> Series<'a> {
    fn new(side: usize, build: &'a Build<'a>, metric: &'a Metric, of: Values) -> Self {
        Self {
            side,
            build,
            metric,
            runs: of.runs.into(),
            values: of.values.into(),
            resolution: of.resolution,
            median: OnceCell::new(),
            far: OnceCell::new(),
            modes: OnceCell::new(),
        }
    }

    fn of_side(side: usize, build: &'a Build<'a>, metric: &'a Metric, of: &'a SideRow) -> Self {
        let (mut runs, mut values) = (Cow::Borrowed(&of.runs[..]), Cow::Borrowed(&of.values[..]));
        if !runs.is_sorted() {
            // Pairs in the order of the other variant's runs.
            let mut both: Vec<(usize, f64)> =
                of.runs.iter().copied().zip(of.values.iter().copied()).collect();
            both.sort_by_key(|(run, _)| *run);
            let (of_runs, of_values) = both.into_iter().unzip();
            (runs, values) = (Cow::Owned(of_runs), Cow::Owned(of_values));
        }
        let empty = Values { runs: Vec::new(), values: Vec::new(), resolution: of.resolution };
        Self { runs, values, ..Self::new(side, build, metric, empty) }
    }

    /// The same series without the effects of the sessions: the change is taken inside them, so only deviations inside them
    /// count. `of` has the session of each run.
    fn without_sessions(self, row: &InSessionsRow, of: &[usize]) -> Self {
        let inside = |(value, run): (&f64, &usize)| {
            let known = row.effects.iter().find(|(session, _)| *session == of[*run]);
            let effect = known.map_or(0.0, |(_, effect)| *effect);
            if row.relative { value * (-effect).exp() } else { value - effect }
        };
        let values: Vec<f64> = self.values.iter().zip(self.runs.iter()).map(inside).collect();
        Self { values: values.into(), ..self }
    }

    /// A finding about this series.
    pub(super) fn finding(&self, id: CheckId, severity: Severity, message: String) -> Finding {
        let finding = Finding::new(id, severity, message).with("metric", self.metric.name.clone());
        match self.build.variants[..] {
            [variant] => finding.with("variant", variant.name.clone()),
            _ => finding,
        }
    }

    /// Logarithms of the values, since benchmark noise is nearest to symmetric on that scale, or the values themselves if one
    /// is not positive; and the least deviation that printing allows.
    pub(super) fn logs(&self) -> (Vec<f64>, f64) {
        if self.values.iter().all(|value| *value > 0.0) {
            let logs = self.values.iter().map(|value| value.ln()).collect();
            return (logs, self.resolution / self.median());
        }
        (self.values.to_vec(), self.resolution)
    }

    pub(super) fn median(&self) -> f64 {
        *self.median.get_or_init(|| median(&self.values))
    }

    /// Relative difference of a value from the median; `None` if the median is not positive.
    pub(super) fn beyond_median(&self, position: usize) -> Option<f64> {
        let median = self.median();
        Some(self.values[position] / median - 1.0).filter(|part| median > 0.0 && part.is_finite())
    }

    /// A remark on an order without times; empty if the starts are known.
    pub(super) fn unknown_start(&self) -> &'static str {
        unknown_start(self.build.order())
    }
}

pub(super) fn unknown_start(order: Order) -> &'static str {
    match order {
        Order::Started => "",
        Order::FileNames => " (Runs by file name: no start is known.)",
        Order::Places => " (Runs as in the file: no start is known.)",
    }
}

pub(super) fn median(values: &[f64]) -> f64 {
    let mut near = values.to_vec();
    sort_near(&mut near, &[0.5]);
    quantile(&near, 0.5)
}
