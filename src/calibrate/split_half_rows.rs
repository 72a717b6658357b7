//! Counts on random halves, as rows.

use schemars::JsonSchema;
use serde::Serialize;

use crate::calibrate::procedure::{Design, Power, Procedure, excludes_zero};
use crate::calibrate::split_series::Halves;
use crate::metrics::Metric;
use crate::stats::{Interval, standard_deviation};

/// Error rates of one procedure on the halves of a group, or of all groups.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OwnRow {
    /// Position in `groups`; null for all together.
    pub group: Option<usize>,
    /// Canonical name; null for all together.
    pub metric: Option<String>,
    /// Name of the metric in tables.
    #[serde(skip)]
    pub label: String,
    /// Runs of the two halves.
    #[serde(flatten)]
    pub design: Design,
    /// How the interval is made.
    #[schemars(extend("enum" = ["calibrated", "percentile", "bca", "welch", "rank sums"]))]
    pub method: &'static str,
    /// Statistic over the runs of a variant.
    #[schemars(extend("enum" = ["mean", "median", "quantile", "hodges-lehmann"]))]
    pub across: &'static str,
    /// `own` (no prior) or `borrowed` (noise prior).
    #[schemars(extend("enum" = ["own", "borrowed"]))]
    pub noise: &'static str,
    /// Number of groups behind it.
    #[schemars(range(min = 1))]
    pub groups: usize,
    /// Comparisons made.
    #[schemars(range(min = 1))]
    pub comparisons: u64,
    /// Comparisons without an interval: all runs equal, or too few for the confidence. They claim nothing.
    pub without_interval: u64,
    /// Share of the comparisons that claim a change.
    #[schemars(range(min = 0, max = 1))]
    pub flagged: f64,
    /// Standard error of that share from its scatter over the groups; null for one group. Splits of one group use the same
    /// runs, so that many splits do not make it small.
    #[schemars(range(min = 0))]
    pub standard_error: Option<f64>,
    /// Highest share of a group; null for one group. With borrowed noise the level applies to all groups together, not to each.
    #[schemars(range(min = 0, max = 1))]
    pub highest: Option<f64>,
    /// For each change of the settings, the share of the comparisons that find it.
    pub power: Vec<Power>,
    /// How the interval is made and which noise it takes, for the tables.
    #[serde(skip)]
    pub procedure: Procedure,
}

/// Counts of the comparisons of one kind.
#[derive(Clone, Default)]
pub(super) struct SplitTally {
    comparisons: u64,
    without: u64,
    flagged: u64,
    seen: Vec<u64>,
}

/// Counts of one design: for each series and procedure, without and with a noise prior.
pub(super) type SplitTallies = Vec<Vec<[SplitTally; 2]>>;

/// All counts, with the designs and procedures.
pub(super) struct Counted<'a> {
    pub(super) halves: &'a Halves,
    pub(super) procedures: &'a [Procedure],
    pub(super) effects: &'a [f64],
    pub(super) designs: &'a [Design],
    pub(super) totals: &'a [SplitTallies],
}

impl Counted<'_> {
    /// Rows of all groups together and of each group, for each of these metrics; `None` means all metrics together.
    pub(super) fn rows(&self, metrics: &[Option<usize>]) -> (Vec<OwnRow>, Vec<OwnRow>) {
        let (mut rows, mut by_group) = (Vec::new(), Vec::new());
        for (index, procedure) in self.procedures.iter().enumerate() {
            for &metric in metrics {
                for (design, tallies) in self.designs.iter().zip(self.totals) {
                    for (kind, noise) in ["own", "borrowed"].into_iter().enumerate() {
                        let groups = self.by_group(metric, tallies, |t| &t[index][kind]);
                        if groups.is_empty() {
                            continue;
                        }
                        let what = (metric, *design, *procedure, noise);
                        rows.push(self.row(what, None, &groups));
                        by_group.extend(
                            groups
                                .iter()
                                .map(|one| self.row(what, Some(one.0), std::slice::from_ref(one))),
                        );
                    }
                }
            }
        }
        (rows, by_group)
    }

    /// Counts of each group with comparisons.
    fn by_group(
        &self,
        metric: Option<usize>,
        tallies: &SplitTallies,
        of: impl Fn(&Vec<[SplitTally; 2]>) -> &SplitTally,
    ) -> Vec<(usize, SplitTally)> {
        let mut groups: Vec<(usize, SplitTally)> = Vec::new();
        for (series, tallies) in self.halves.series.iter().zip(tallies) {
            let tally = of(tallies);
            if tally.comparisons == 0 || metric.is_some_and(|metric| metric != series.metric) {
                continue;
            }
            match groups.last_mut() {
                Some((group, sum)) if *group == series.group => sum.merge(tally),
                _ => groups.push((series.group, tally.clone())),
            }
        }
        groups
    }

    fn row(
        &self,
        (metric, design, procedure, noise): (Option<usize>, Design, Procedure, &'static str),
        group: Option<usize>,
        groups: &[(usize, SplitTally)],
    ) -> OwnRow {
        let mut sum = SplitTally::default();
        for (_, tally) in groups {
            sum.merge(tally);
        }
        let n = sum.comparisons as f64;
        let share =
            |(_, tally): &(usize, SplitTally)| tally.flagged as f64 / tally.comparisons as f64;
        let shares: Vec<f64> = groups.iter().map(share).collect();
        let spread = standard_deviation(&shares);
        let metric = metric.map(|metric| &self.halves.metrics[metric]);
        let power = self.effects.iter().zip(&sum.seen);
        OwnRow {
            group,
            metric: metric.map(|metric| metric.name.clone()),
            label: metric.map_or_else(|| "all metrics".to_owned(), Metric::row_label),
            design,
            method: procedure.method(),
            across: procedure.across(),
            noise,
            groups: groups.len(),
            comparisons: sum.comparisons,
            without_interval: sum.without,
            flagged: sum.flagged as f64 / n,
            standard_error: spread.map(|sd| sd / (groups.len() as f64).sqrt()),
            highest: shares.into_iter().reduce(f64::max).filter(|_| groups.len() > 1),
            power: power
                .map(|(effect, seen)| Power { effect: *effect, power: Some(*seen as f64 / n) })
                .collect(),
            procedure,
        }
    }
}

impl SplitTally {
    /// Zero counts, for this number of effects.
    pub(super) fn new(effects: usize) -> Self {
        Self { seen: vec![0; effects], ..Self::default() }
    }

    pub(super) fn record(&mut self, interval: Option<Interval>, shifts: &[f64]) {
        self.comparisons += 1;
        let Some(interval) = interval else {
            self.without += 1;
            return;
        };
        self.flagged += u64::from(excludes_zero(interval, 0.0));
        for (seen, shift) in self.seen.iter_mut().zip(shifts) {
            *seen += u64::from(excludes_zero(interval, *shift));
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.comparisons += other.comparisons;
        self.without += other.without;
        self.flagged += other.flagged;
        self.seen.resize(other.seen.len(), 0);
        for (sum, seen) in self.seen.iter_mut().zip(&other.seen) {
            *sum += seen;
        }
    }
}
