//! From intervals to verdicts, and from verdicts to the headline; pure functions of numbers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stats::Interval;

/// Verdict on one metric, from its change and its margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Beyond noise, at least the margin, for the better.
    Better,
    /// Beyond noise, at least the margin, for the worse.
    Worse,
    /// Beyond noise, under the margin, for the better.
    TinyBetter,
    /// Beyond noise, under the margin, for the worse.
    TinyWorse,
    /// Shown to be within the margin.
    NoChange,
    /// Neither a change nor equality was shown.
    WithinNoise,
    /// Not judged; the row gives the reason.
    NotJudged,
}

/// Verdict on a comparison, from its deciding metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Headline {
    /// Some deciding metric better, none worse.
    Improved,
    /// Some deciding metric worse, none better.
    Regressed,
    /// Some better and some worse.
    TradeOff,
    /// Changes are shown, all under their margins; the largest is for the better.
    SlightlyImproved,
    /// Changes are shown, all under their margins; the largest is for the worse.
    SlightlyRegressed,
    /// All deciding metrics shown to be within their margins.
    NoChange,
    /// Some deciding metric could not be told from noise.
    WithinNoise,
    /// Nothing could be judged: too few runs.
    NoVerdict,
    /// Workloads, units or tools differ, or requests failed.
    NotComparable,
}

impl Headline {
    /// The verdicts of deciding metrics behind this headline, the most important first.
    pub(crate) fn made_by(self) -> &'static [Verdict] {
        match self {
            Self::Improved => &[Verdict::Better],
            Self::Regressed => &[Verdict::Worse],
            Self::TradeOff => &[Verdict::Worse, Verdict::Better],
            Self::SlightlyImproved => &[Verdict::TinyBetter],
            Self::SlightlyRegressed => &[Verdict::TinyWorse],
            Self::NoChange => &[Verdict::NoChange],
            Self::WithinNoise => &[Verdict::WithinNoise],
            Self::NoVerdict | Self::NotComparable => &[Verdict::NotJudged],
        }
    }

    /// Whether a change is shown, whatever its size.
    pub fn is_change(self) -> bool {
        use Headline::{Improved, Regressed, SlightlyImproved, SlightlyRegressed, TradeOff};
        matches!(self, Improved | Regressed | TradeOff | SlightlyImproved | SlightlyRegressed)
    }
}

/// Answer of the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// Nothing that decides or guards is shown to be worse by more than its tolerance.
    Pass,
    /// A deciding or guard metric is shown to be worse by more than its tolerance, whatever its margin.
    Fail,
    /// No verdict is possible, or something was not compared.
    None,
}

/// Whether a change may be kept, if it must be shown to be better (`--require improved`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It is shown to be better beyond the margin, no deciding metric or guard is shown to be worse, the gate passes and
    /// nothing leaves it in doubt.
    Promote,
    /// Something is shown to be worse, or an improvement beyond the margin is excluded.
    Reject,
    /// Neither is shown: more data are needed.
    MoreData,
    /// For a try in a ledger: the measured files are no longer the present ones.
    Stale,
}

/// A change to be judged, signed so that positive is better.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The estimate, a fraction of the baseline.
    pub estimate: f64,
    /// Its adjusted p-value.
    pub p_adjusted: f64,
    /// The interval that shows no change if it is inside the margin; `None` if only the absolute delta is defined.
    pub equivalence: Option<Interval>,
}

/// Judges one metric from its change.
///
/// `margin` is a fraction, not negative; `alpha` is one minus the confidence. A p-value equal to alpha is within noise, so that
/// a tie never becomes a claim.
///
/// # Examples
///
/// ```
/// use beyondnoise::verdict::{Change, Verdict, judge};
///
/// let change = Change { estimate: -0.05, p_adjusted: 0.001, equivalence: None };
/// assert_eq!(judge(change, 0.01, 0.05), Verdict::Worse);
/// ```
pub fn judge(change: Change, margin: f64, alpha: f64) -> Verdict {
    let Change { estimate, p_adjusted, equivalence } = change;
    let clear = p_adjusted < alpha && estimate != 0.0;
    match (clear, estimate.abs() >= margin, estimate > 0.0) {
        (true, true, true) => Verdict::Better,
        (true, true, false) => Verdict::Worse,
        (true, false, true) => Verdict::TinyBetter,
        (true, false, false) => Verdict::TinyWorse,
        (false, ..) if equivalence.is_some_and(|i| i.inside(-margin, margin)) => Verdict::NoChange,
        (false, ..) => Verdict::WithinNoise,
    }
}

/// The headline for the deciding metrics, given each verdict and the size of its change in margins.
///
/// Among changes under their margins in both directions, the largest names the headline.
pub fn headline(deciding: &[(Verdict, f64)]) -> Headline {
    let some = |verdict| deciding.iter().any(|(found, _)| *found == verdict);
    let (better, worse) = (some(Verdict::Better), some(Verdict::Worse));
    let largest = |verdict| {
        let sizes = deciding.iter().filter(|(found, _)| *found == verdict).map(|(_, size)| *size);
        sizes.reduce(f64::max)
    };
    match (better, worse) {
        (true, true) => return Headline::TradeOff,
        (true, false) => return Headline::Improved,
        (false, true) => return Headline::Regressed,
        (false, false) => {}
    }
    match (largest(Verdict::TinyBetter), largest(Verdict::TinyWorse)) {
        (Some(better), worse) if worse.is_none_or(|worse| better > worse) => {
            Headline::SlightlyImproved
        }
        (_, Some(_)) => Headline::SlightlyRegressed,
        _ if some(Verdict::WithinNoise) => Headline::WithinNoise,
        _ if deciding.is_empty() || some(Verdict::NotJudged) => Headline::NoVerdict,
        _ => Headline::NoChange,
    }
}
