//! A batch as a whole: the change that its cells share, and the factor by which it differs.
//!
//! The cell is the unit. Three lists are corrected by Holm: the changes over all cells, of every pair of variants and
//! deciding metric; the changes within each value of each factor; and the tests whether the values of a factor
//! differ. The value that differs is looked for only where they do, so that one is named in error as rarely as a factor is.

use std::collections::{BTreeMap, BTreeSet};

use crate::policy::Policy;
use crate::report::{Comparison, DiffersRow, FactorRow, Row, SharedChange, SharedRow, ValueRow};
use crate::runs::natural;
use crate::stats::{
    Curve, Undefined, holm, holm_levels, mean, quantile, shared_change, standard_deviation,
    unequal_groups_p_value,
};
use crate::units::Better;
use crate::verdict::{Change, Verdict, judge};

/// The smallest level of an interval: below it the confidence is 1 to the last digit of a double.
const LEAST_LEVEL: f64 = 1e-15;

/// The cells of one metric and one pair of variants.
struct Cells<'a> {
    row: &'a Row,
    better: Better,
    margin: f64,
    pair: (&'a str, &'a str),
    left_out: usize,
    changes: Vec<(&'a Comparison, f64)>,
}

/// Cells whose shared change is asked for, with what judges it.
struct Group<'a> {
    of: &'a Cells<'a>,
    log_ratios: Vec<f64>,
    curve: Result<Curve, Undefined>,
}

/// The values of a factor, each with at least two cells, and the p-value that they do not differ.
struct Factor<'a> {
    name: &'a str,
    values: Vec<(&'a str, Group<'a>)>,
    p_value: Option<f64>,
}

/// A p-value after correction, with the level of its interval and the number of tests.
type Adjusted = (f64, f64, usize);

/// The shared changes of comparisons whose cells are named by these columns.
pub(super) fn shared(
    comparisons: &[Comparison],
    columns: &[String],
    policy: &Policy,
) -> Vec<SharedRow> {
    let pairs: BTreeSet<_> = comparisons.iter().map(pair).collect();
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    pairs.sort_by_cached_key(|(a, b)| (natural(a), natural(b)));
    let all: Vec<Cells> = pairs.into_iter().flat_map(|pair| of_pair(comparisons, pair)).collect();
    let whole: Vec<Group> = all.iter().map(|cells| Group::of(cells, &cells.changes)).collect();
    let changes = judged(&whole, policy);
    let factors: Vec<Vec<Factor>> = all.iter().map(|cells| cells.factors(columns)).collect();
    let rows = all.iter().zip(changes).zip(concluded(&factors, policy));
    let row = |((cells, change), factors): ((&Cells, _), _)| SharedRow {
        metric: cells.row.metric.clone(),
        label: cells.row.label.clone(),
        better: cells.better,
        baseline: cells.pair.0.to_owned(),
        candidate: cells.pair.1.to_owned(),
        left_out: cells.left_out,
        margin: cells.margin,
        tolerance: cells.row.tolerance,
        change,
        factors,
    };
    rows.map(row).collect()
}

fn pair(comparison: &Comparison) -> (&str, &str) {
    (&comparison.baseline.name, &comparison.candidate.name)
}

/// The metrics that decide in a comparison of this pair, each with its cells.
fn of_pair<'a>(comparisons: &'a [Comparison], of: (&'a str, &'a str)) -> Vec<Cells<'a>> {
    let mut found: Vec<Cells> = Vec::new();
    let mut margins: Vec<Vec<f64>> = Vec::new();
    let of_pair = || comparisons.iter().filter(|one| pair(one) == of);
    for comparison in of_pair() {
        for row in comparison.deciding().filter(|row| row.shares) {
            let change = row.delta.relative.map(f64::ln_1p).filter(|change| change.is_finite());
            let (Some(change), Some(better)) = (change, row.better) else { continue };
            let place = found.iter().position(|cells| cells.row.metric == row.metric);
            let place = place.unwrap_or_else(|| {
                let (changes, left_out) = (Vec::new(), of_pair().count());
                found.push(Cells { row, better, margin: 0.0, pair: of, left_out, changes });
                margins.push(Vec::new());
                found.len() - 1
            });
            found[place].changes.push((comparison, change));
            found[place].left_out -= 1;
            margins[place].push(row.margin);
        }
    }
    for (cells, mut margins) in found.iter_mut().zip(margins) {
        margins.sort_by(f64::total_cmp);
        cells.margin = quantile(&margins, 0.5);
    }
    found
}

impl Cells<'_> {
    /// The columns that have at least two values among these cells.
    fn factors<'a>(&'a self, columns: &'a [String]) -> Vec<Factor<'a>> {
        let factor = |name: &'a String| {
            let mut values: BTreeMap<&str, Vec<(&Comparison, f64)>> = BTreeMap::new();
            for (comparison, change) in &self.changes {
                let value = comparison.cell.get(name).map_or("", String::as_str);
                values.entry(value).or_default().push((comparison, *change));
            }
            if values.len() < 2 {
                return None;
            }
            values.retain(|_, cells| cells.len() > 1);
            let mut values: Vec<_> = values.into_iter().collect();
            values.sort_by_cached_key(|(value, _)| natural(value));
            let group = |(value, cells): (_, Vec<_>)| (value, Group::of(self, &cells));
            let values: Vec<_> = values.into_iter().map(group).collect();
            let groups: Vec<&[f64]> = values.iter().map(|(_, of)| &of.log_ratios[..]).collect();
            Some(Factor { name, p_value: unequal_groups_p_value(&groups), values })
        };
        columns.iter().filter_map(factor).collect()
    }
}

impl<'a> Group<'a> {
    fn of(of: &'a Cells<'a>, cells: &[(&Comparison, f64)]) -> Self {
        Self::new(of, cells.iter().map(|(_, change)| *change).collect())
    }

    fn new(of: &'a Cells<'a>, log_ratios: Vec<f64>) -> Self {
        Self { of, curve: shared_change(&log_ratios), log_ratios }
    }

    fn judged(&self, adjusted: Option<Adjusted>, policy: &Policy) -> SharedChange {
        let relative = mean(&self.log_ratios).exp_m1();
        let sign = self.of.better.sign();
        let interval = |level: f64| {
            let interval = self.curve.as_ref().ok()?.interval(1.0 - level);
            Some(interval.map(f64::exp_m1))
        };
        let (p, level, tests) = adjusted.unwrap_or((1.0, policy.alpha(), 1));
        let within = interval(2.0 * policy.equality_alpha());
        let equivalence = within.map(|i| if sign > 0.0 { i } else { i.negated() });
        let change = Change { estimate: sign * relative, p_adjusted: p, equivalence };
        let verdict = match &self.curve {
            Ok(_) => judge(change, self.of.margin, policy.alpha()),
            Err(_) => Verdict::NotJudged,
        };
        // Where nothing is claimed the interval holds zero, whatever the rounding of the level.
        let claimed = !matches!(verdict, Verdict::WithinNoise | Verdict::NoChange);
        let ends = interval(level.max(LEAST_LEVEL)).map(|i| [i.low, i.high]);
        let with_zero = |[low, high]: [f64; 2]| [low.min(0.0), high.max(0.0)];
        SharedChange {
            cells: self.log_ratios.len(),
            relative,
            relative_ci: interval(policy.alpha()).map(|i| [i.low, i.high]),
            relative_ci_adjusted: if claimed { ends } else { ends.map(with_zero) },
            adjusted_confidence: 1.0 - level,
            relative_ci_equivalence: within.map(|i| [i.low, i.high]),
            equivalence_confidence: policy.equality_confidence(),
            margin: self.of.margin,
            sd: standard_deviation(&self.log_ratios),
            p_value: self.curve.as_ref().ok().map(|curve| curve.p_value(0.0)),
            p_adjusted: adjusted.map(|(p, ..)| p),
            corrected_for: tests,
            verdict,
            reason: match &self.curve {
                Ok(_) => String::new(),
                Err(Undefined::TooFewRuns) => "one cell".to_owned(),
                Err(Undefined::NoVariance) => "all cells changed by the same".to_owned(),
                Err(other) => other.to_string(),
            },
        }
    }
}

/// These p-values by Holm as one list, each with the level of its interval; `None` for those that do not exist.
fn corrected(p: &[Option<f64>], alpha: f64) -> Vec<Option<Adjusted>> {
    let raw: Vec<f64> = p.iter().copied().flatten().collect();
    let mut adjusted = holm(&raw).into_iter().zip(holm_levels(&raw, alpha));
    let mut next = |_| adjusted.next().map(|(p, level)| (p, level, raw.len()));
    p.iter().map(|p| p.and_then(&mut next)).collect()
}

/// Judges groups as one list.
fn judged(groups: &[Group], policy: &Policy) -> Vec<SharedChange> {
    let p = |group: &Group| group.curve.as_ref().ok().map(|curve| curve.p_value(0.0));
    let adjusted = corrected(&groups.iter().map(p).collect::<Vec<_>>(), policy.alpha());
    groups.iter().zip(adjusted).map(|(group, adjusted)| group.judged(adjusted, policy)).collect()
}

/// The factors of every pair and metric, judged as one list.
fn concluded(all: &[Vec<Factor>], policy: &Policy) -> Vec<Vec<FactorRow>> {
    let every = || all.iter().flatten();
    let p: Vec<Option<f64>> = every().map(|factor| factor.p_value).collect();
    let mut adjusted = corrected(&p, policy.alpha()).into_iter();
    let groups = every().flat_map(|factor| &factor.values);
    let p = groups.map(|(_, group)| group.curve.as_ref().ok().map(|curve| curve.p_value(0.0)));
    let mut of_values = corrected(&p.collect::<Vec<_>>(), policy.alpha()).into_iter();
    let mut row = |factor: &Factor| {
        let adjusted = adjusted.next().flatten();
        let explains = adjusted.is_some_and(|(p, ..)| p < policy.alpha());
        let value = |(value, group): &(&str, Group)| ValueRow {
            value: (*value).to_owned(),
            change: group.judged(of_values.next().flatten(), policy),
        };
        FactorRow {
            factor: factor.name.to_owned(),
            p_value: factor.p_value,
            p_adjusted: adjusted.map(|(p, ..)| p),
            corrected_for: adjusted.map_or(1, |(.., tests)| tests),
            values: factor.values.iter().map(value).collect(),
            explains,
            differs: if explains { factor.differs(policy) } else { None },
        }
    };
    all.iter().map(|factors| factors.iter().map(&mut row).collect()).collect()
}

impl Factor<'_> {
    /// The value that differs from all others, by Holm over the values, where the others do not differ among themselves.
    fn differs(&self, policy: &Policy) -> Option<DiffersRow> {
        let others = |at: usize| {
            let others = self.values.iter().enumerate().filter(move |(index, _)| *index != at);
            others.map(|(_, (_, group))| &group.log_ratios[..])
        };
        let apart = |at: usize| {
            let others: Vec<f64> = others(at).flatten().copied().collect();
            unequal_groups_p_value(&[&self.values[at].1.log_ratios, &others]).unwrap_or(1.0)
        };
        let p = holm(&(0..self.values.len()).map(apart).collect::<Vec<_>>());
        // Of two values the one whose change is the larger.
        let size = |at: &usize| mean(&self.values[*at].1.log_ratios).abs();
        let at = (0..p.len())
            .filter(|at| p[*at] < policy.alpha() || p.len() == 2)
            .min_by(|a, b| p[*a].total_cmp(&p[*b]).then(size(b).total_cmp(&size(a))))?;
        let alike = unequal_groups_p_value(&others(at).collect::<Vec<_>>());
        let (value, group) = &self.values[at];
        let others = Group::new(group.of, others(at).flatten().copied().collect());
        let p = others.curve.as_ref().ok().map(|curve| (curve.p_value(0.0), policy.alpha(), 1));
        alike
            .is_none_or(|p| p >= policy.alpha())
            .then(|| DiffersRow { value: (*value).to_owned(), others: others.judged(p, policy) })
    }
}
