//! Planning: the number of runs of each variant, their order, their cost.
//!
//! A plan is computed from numbers alone: the noise ([`Basis`]) and the [`Request`]. [`bases`] takes the noise from runs.

mod noise;

use crate::runs::Skipped;
use crate::stats::{Look, PlannedTest, Variance};

pub use crate::report::plan::{
    Cost, Detectable, Effect, Needed, Noise, PATTERN, Plan, PlanReport, Planned, PlannedLook,
    SCHEMA, Settings, Size, Upper, order_of_runs,
};
pub use noise::{Basis, bases};

/// Numbers of runs for which every plan gives the smallest change.
const SIZES: [usize; 4] = [3, 5, 10, 20];

/// Most runs of each variant with a written order.
const WRITTEN_OUT: usize = 100;

/// Two-sided confidence of the interval for the noise; its upper end is the pessimistic noise.
const NOISE_CONFIDENCE: f64 = 0.8;

/// The request for a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Changes to find, as fractions above 0; may be empty if `runs` is given.
    pub effects: Vec<f64>,
    /// Runs of each variant if they are fixed, at least 2, or 1 with borrowed noise; `None` to compute them.
    pub runs: Option<usize>,
    /// Probability of finding a change, in (0, 1).
    pub power: f64,
    /// Confidence of all looks together, in (0, 1).
    pub confidence: f64,
    /// Degrees of freedom of borrowed noise, 0 or more.
    pub prior_df: f64,
    /// Planned looks, 1 to [`MAX_LOOKS`](crate::stats::Look::MOST).
    pub looks: usize,
    /// The cost of one run.
    pub cost: Option<Cost>,
}

/// Plans for every basis.
///
/// # Panics
///
/// As [`plan`].
pub fn report(bases: Vec<Basis>, skipped: Vec<Skipped>, request: &Request) -> PlanReport {
    PlanReport {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        settings: Settings {
            power: request.power,
            confidence: request.confidence,
            prior_df: request.prior_df,
            looks: request.looks,
            runs: request.runs,
            cost: request.cost.clone(),
        },
        plans: bases.into_iter().map(|basis| plan(basis, request)).collect(),
        skipped,
    }
}

/// The plan for one workload.
///
/// The needed runs and the smallest changes follow from the two-sided t test on logarithms. Its degrees of freedom are those of
/// a comparison, so that a comparison finds the planned change. Its level is one minus the confidence over the tested metrics,
/// as in Holm's first step. At least 3 runs of each are proposed, since two give one degree of freedom; with borrowed noise
/// fewer may be enough.
///
/// With several looks the test is that of the last look, whose level is a little below the total. An earlier look may also find
/// the change, so the power is at least the stated one. The maximum number of runs is little above the optimum, since early
/// looks of O'Brien and Fleming's form spend almost nothing. Steps are equal, of at least 2 runs.
///
/// # Panics
///
/// If the request has neither effects nor runs, or if a number is outside the range of its field.
///
/// # Examples
///
/// ```
/// use beyondnoise::plan::{Basis, Request, plan};
/// use beyondnoise::policy::Policy;
///
/// let request = Request {
///     effects: vec![0.03],
///     runs: None,
///     power: 0.8,
///     confidence: 0.95,
///     prior_df: 0.0,
///     looks: 1,
///     cost: None,
/// };
/// let plan = plan(Basis::given(0.016, &Policy::default()), &request);
/// assert_eq!(plan.runs, Some(6));
/// assert_eq!(plan.order.as_deref(), Some("B A A B B A A B B A A B"));
/// ```
///
/// # References
///
/// C. Jennison, B. W. Turnbull. *Group Sequential Methods with Applications to Clinical Trials*, chapters 2 and
/// 7, 2000 (maximum sample sizes).
pub fn plan(basis: Basis, request: &Request) -> Plan {
    let Basis { workload, noises, tested, pooled } = basis;
    assert!(request.runs.is_some() || !request.effects.is_empty(), "nothing to plan for");
    assert!(!noises.is_empty() && tested > 0, "no noise to plan with");
    let looks = Look::equal(request.confidence, request.looks);
    let last = looks.last().map_or(1.0 - request.confidence, |look| look.level);
    let design = Design { request, level: last / tested as f64 };
    let mut effects = request.effects.clone();
    effects.sort_by(f64::total_cmp);

    let total = |effect: f64| -> Option<usize> {
        if request.runs.is_some() {
            return request.runs.map(|given| design.stepped(given));
        }
        let each: Option<Vec<usize>> =
            noises.iter().map(|noise| design.runs_needed(noise.cv, effect)).collect();
        each?.into_iter().max().map(|needed| design.stepped(needed))
    };
    let changes: Vec<(f64, Option<usize>)> =
        effects.into_iter().map(|effect| (effect, total(effect))).collect();
    let runs = changes.first().map_or_else(|| total(0.0), |(_, first)| *first);
    let metrics = noises.iter().map(|noise| design.planned(noise, &changes, runs)).collect();
    let effects = changes
        .into_iter()
        .map(|(effect, runs)| Effect { effect, runs, cost: design.cost(runs) })
        .collect();
    Plan {
        workload,
        pooled,
        runs,
        cost: design.cost(runs),
        order: runs.filter(|runs| *runs <= WRITTEN_OUT).map(order_of_runs),
        pattern: PATTERN,
        tested,
        level: design.level,
        effects,
        looks: runs.map_or_else(Vec::new, |runs| design.looks(&looks, runs)),
        metrics,
        sizes: SIZES.map(|runs| Size { runs, cost: design.cost(Some(runs)) }).to_vec(),
    }
}

/// Values that all metrics of a plan share.
struct Design<'a> {
    request: &'a Request,
    level: f64,
}

impl Design<'_> {
    /// The noise of one metric, and the runs that each change needs.
    fn planned(
        &self,
        noise: &Noise,
        changes: &[(f64, Option<usize>)],
        runs: Option<usize>,
    ) -> Planned {
        let smallest = |cv: f64| runs.and_then(|runs| self.smallest(cv, runs));
        let needed = |&(effect, total): &(f64, Option<usize>)| Needed {
            effect,
            runs: self.runs_needed(noise.cv, effect),
            power: total.map(|runs| self.power(noise.cv, effect, runs)),
        };
        let upper = |df| {
            let cv =
                Variance { value: noise.cv * noise.cv, df: df as f64 }.sd_at_most(NOISE_CONFIDENCE);
            let runs = changes.iter().map(|&(effect, _)| self.runs_needed(cv, effect)).collect();
            Upper { cv, confidence: NOISE_CONFIDENCE, smallest: smallest(cv), runs }
        };
        let detectable = |runs| Detectable { runs, effect: self.smallest(noise.cv, runs) };
        Planned {
            smallest: smallest(noise.cv),
            effects: changes.iter().map(needed).collect(),
            detectable: SIZES.map(detectable).to_vec(),
            upper: noise.df.map(upper),
            noise: noise.clone(),
        }
    }

    fn borrows(&self) -> bool {
        self.request.prior_df > 0.0
    }

    /// Degrees of freedom of the noise with this number of runs of each.
    fn df(&self, runs: usize) -> f64 {
        PlannedTest::df((runs, runs), self.request.prior_df)
    }

    fn test(&self, noise: f64) -> PlannedTest {
        PlannedTest { noise, alpha: self.level }
    }

    fn runs_needed(&self, cv: f64, effect: f64) -> Option<usize> {
        let Request { power, prior_df, .. } = *self.request;
        let needed = self.test(cv).runs_needed(effect.ln_1p(), prior_df, power)?;
        Some(if self.borrows() { needed } else { needed.max(3) })
    }

    /// Rounded up to equal steps, one for each look, of at least two runs unless noise is borrowed.
    fn stepped(&self, runs: usize) -> usize {
        let looks = self.request.looks;
        let least = if self.borrows() || looks == 1 { 1 } else { 2 };
        runs.div_ceil(looks).max(least) * looks
    }

    fn power(&self, cv: f64, effect: f64, runs: usize) -> f64 {
        self.test(cv).power(effect.ln_1p(), (runs, runs), self.df(runs))
    }

    /// Smallest change that this number of runs finds, a fraction.
    fn smallest(&self, cv: f64, runs: usize) -> Option<f64> {
        let df = self.df(runs);
        let log = self.test(cv).detectable((runs, runs), df, self.request.power);
        Some(log.exp_m1()).filter(|change| change.is_finite())
    }

    fn cost(&self, runs: Option<usize>) -> Option<Cost> {
        Some(self.request.cost.as_ref()?.times(2 * runs?))
    }

    fn looks(&self, looks: &[Look], runs: usize) -> Vec<PlannedLook> {
        if looks.len() < 2 {
            return Vec::new();
        }
        let step = runs / looks.len();
        (1..)
            .zip(looks)
            .map(|(index, look)| PlannedLook {
                look: index,
                runs: index * step,
                fraction: look.fraction,
                boundary: look.boundary,
                level: look.level,
                confidence: 1.0 - look.level,
                spent: look.spent,
                cost: self.cost(Some(index * step)),
            })
            .collect()
    }
}
