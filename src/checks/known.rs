//! What each check looks for, in words: the list from which the documentation is made.

use crate::checks::Severity;
use crate::checks::Severity::{Block, Note, Warn};

/// A check as it is described to its users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownCheck {
    /// Identifier, stable; the `id` in the JSON document.
    pub id: &'static str,
    /// The weights that its finding can have.
    pub severities: &'static [Severity],
    /// When it fires, and what that means.
    pub notices: &'static str,
    /// Its thresholds: keys of the section `[checks]` of a policy file.
    pub thresholds: &'static [&'static str],
}

/// Every check of a comparison, by what it looks at.
///
/// # Examples
///
/// ```
/// use beyondnoise::checks::{KNOWN, Severity};
///
/// let check = KNOWN.iter().find(|check| check.id == "failed-requests").unwrap();
/// assert_eq!(check.severities, [Severity::Block, Severity::Warn]);
/// assert_eq!(check.thresholds, ["failed_share", "failed_difference"]);
/// ```
pub const KNOWN: &[KnownCheck] = &[
    // How many runs there are, and what is a run.
    known("too-few-runs", &[Block], "a variant with one run and no noise to borrow", &[]),
    known(
        "low-resolution",
        &[Warn],
        "two runs or more, but few: the smallest change that they find",
        &["few_runs"],
    ),
    known(
        "runs-to-plan",
        &[Note],
        "no noise to plan with: what three usual ones would ask for",
        &[],
    ),
    known(
        "duplicate-run",
        &[Block, Warn],
        "two runs are equal in every figure: they count once, rows of one table as two runs; block if that leaves a variant \
         one run",
        &[],
    ),
    known(
        "per-request-rows",
        &[Block, Note],
        "requests of one run, or iterations of one process, that stand where runs should; a note where each \
         side has several processes",
        &[],
    ),
    known(
        "pre-averaged",
        &[Warn],
        "all values equal, or as coarse as their last printed digit: half a digit is the least noise assumed",
        &[],
    ),
    known(
        "iterations-as-runs",
        &[Warn],
        "the user takes iterations of one process as runs: what is then not in the noise",
        &[],
    ),
    known(
        "nested-runs",
        &[Note],
        "the user named levels of repeats: which one counts, and how many of each there are",
        &[],
    ),
    known(
        "from-averages",
        &[Block, Warn],
        "the noise is what averages state as the standard deviation of their runs; block where averages stand beside single \
         runs",
        &[],
    ),
    known(
        "unpaired-runs",
        &[Warn],
        "runs that --paired left out for want of a partner, or whose block the other variant lacks",
        &[],
    ),
    known(
        "borrowed-noise",
        &[Warn, Note],
        "the noise is not that of these runs alone: whose it is",
        &[],
    ),
    known(
        "nothing-borrowed",
        &[Warn, Note],
        "noise known elsewhere is not borrowed, since it differs from place to place or from that of these runs; or --noise asked for it and there was none",
        &[],
    ),
    // Whether both did the same work.
    known(
        "workload-mismatch",
        &[Block],
        "requests, cap, rate, data set, model or input tokens (by more than 1 %) differ",
        &[],
    ),
    known(
        "tool-mismatch",
        &[Block],
        "different clients, whose metrics are defined differently",
        &[],
    ),
    known("input-tokens-differ", &[Warn], "input tokens differ by up to 1 %", &[]),
    known(
        "output-tokens-drift",
        &[Block, Warn],
        "generated tokens differ; when blocked, duration and requests/s are not judged",
        &["output_tokens_warn", "output_tokens_block"],
    ),
    known(
        "failed-requests",
        &[Block, Warn],
        "any request failed; block if many, if the shares differ, or if only one side counts them",
        &["failed_share", "failed_difference"],
    ),
    known(
        "env-mismatch",
        &[Block, Warn],
        "device, versions or flags differ, as far as the files say; block for the model of the device",
        &[],
    ),
    known(
        "unit-suspect",
        &[Block],
        "a ratio as between units: near 1000, 10^6 or 10^9, or very near 60 or 3600; also their inverses",
        &["unit_factor"],
    ),
    known(
        "one-sided-metric",
        &[Warn, Note],
        "only one variant has the metric; a warning where it usually decides or was asked for",
        &[],
    ),
    // What the load lets a metric show.
    known(
        "burst-load",
        &[Warn],
        "all requests start at once: TTFT is queueing, throughput alone decides",
        &[],
    ),
    known(
        "saturated-open-loop",
        &[Warn],
        "the server does not keep up with the offered rate: latency grows with the length of the test, \
         throughput alone decides",
        &["keeps_up"],
    ),
    known(
        "rate-limited-throughput",
        &[Note],
        "an open loop that keeps up: throughput is the offered rate, latency decides",
        &[],
    ),
    known(
        "p99-startup-burst",
        &[Warn],
        "in a closed loop, as many requests start together as the tail holds: that quantile of TTFT is not \
         judged",
        &[],
    ),
    known(
        "thin-tail",
        &[Note],
        "few requests lie beyond the quantile: it is not judged unless asked for",
        &["tail_requests"],
    ),
    known("extreme-metric", &[Note], "a peak, a largest or a smallest value: never decides", &[]),
    known("no-direction", &[Note], "nobody said which way is better: not judged", &[]),
    known(
        "contradicting-metrics",
        &[Block, Warn],
        "metrics that measure the same thing at a fixed workload changed differently: the outputs are not the same work",
        &["output_tokens_warn", "output_tokens_block"],
    ),
    known("dependent-metrics", &[Note], "duration and throughputs are one fact: counted once", &[]),
    known(
        "short-run",
        &[Warn],
        "start and end weigh much in runs this short",
        &["short_seconds", "short_latencies"],
    ),
    // Whether the figures of a run agree with each other.
    known(
        "inconsistent-block",
        &[Warn],
        "a printed rate is not its tokens over its duration, a median not the P50, a P99 below the median",
        &["inconsistent"],
    ),
    known(
        "little-law",
        &[Note],
        "in a closed loop, (TTFT + TPOT x (tokens - 1)) x req/s is not the cap",
        &["little_law"],
    ),
    known(
        "claim-check",
        &[Warn, Note],
        "a percentage written beside a result: matches, differs, has the other sign, or holds only against \
         another variant",
        &["claim_difference"],
    ),
    // Whether time made the change.
    known(
        "order-confounded",
        &[Warn],
        "all runs of one variant, or nearly all, were made before those of the other: so much of a drift is in the \
         change",
        &["order_leak", "chance_level"],
    ),
    known("one-way-pairs", &[Warn], "one variant came first in every pair", &[]),
    known(
        "drift",
        &[Warn, Note],
        "a deciding metric has a trend over the runs of one variant or of both (Mann-Kendall)",
        &["chance_level"],
    ),
    known(
        "slow-first-run",
        &[Warn, Note],
        "the first run of a variant is worse than all its others; a warning where chance does not explain it",
        &["slow_first_deviations", "slow_first_share", "chance_level"],
    ),
    known(
        "first-cell-outlier",
        &[Warn, Note],
        "the first of three or more variants with one run each lies apart, and the rest agree",
        &["first_cell_gap", "slow_first_share", "chance_level"],
    ),
    known(
        "cache-warm",
        &[Warn, Note],
        "the first run's TTFT is far above the later ones at the same prompts and TPOT: the prefix cache",
        &["cache_warm_ratio", "cache_warm_alike", "chance_level"],
    ),
    // What the noise is like.
    known(
        "noisy",
        &[Warn, Note],
        "a large run-to-run CV of a deciding metric",
        &["noisy_warn", "noisy_broken", "chance_level"],
    ),
    known(
        "outlier-run",
        &[Warn, Note],
        "a run far from its median: the verdict is shown without it too, and it is never left out",
        &["outlier_score", "outlier_runs", "chance_level"],
    ),
    known(
        "two-modes",
        &[Warn, Note],
        "two clusters of runs; a note where they lie closer than the margin",
        &["two_modes_gap", "chance_level"],
    ),
    known(
        "unequal-noise",
        &[Note],
        "one variant is much noisier",
        &["unequal_variance", "chance_level"],
    ),
    // What the headline leaves open.
    known(
        "trade-off",
        &[Note],
        "some metrics better, others worse; where they decide it is the headline",
        &[],
    ),
    known("speed-only", &[Note], "always: whether the answers are still right is not checked", &[]),
];

const fn known(
    id: &'static str,
    severities: &'static [Severity],
    notices: &'static str,
    thresholds: &'static [&'static str],
) -> KnownCheck {
    KnownCheck { id, severities, notices, thresholds }
}

/// Whether findings of this check can have this weight.
pub(super) fn allows(id: &str, severity: Severity) -> bool {
    KNOWN.iter().any(|check| check.id == id && check.severities.contains(&severity))
}
