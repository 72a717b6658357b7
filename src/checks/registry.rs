//! The table of all checks: identifier, severities, what it notices, thresholds, functions.
//!
//! The manual's page of checks and the identifiers in the JSON schemas come from it. A comparison runs the functions in the
//! order of the table; findings of equal weight keep this order.

use crate::checks::chance::adjusted;
use crate::checks::finding::Severity::{self, Block, Note, Warn};
use crate::checks::finding::sort;
use crate::checks::{
    CheckId, Context, Finding, Subject, averages, claims, consistency, environment, failed_runs,
    first_run, inside_runs, levels, load, machine, measurement, order, outlier_run, planned,
    requests, runs, same_fact, spread,
};

/// A check, described for its users.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CheckInfo {
    /// Its identifier.
    pub id: CheckId,
    /// The severities that its finding can have.
    pub severities: &'static [Severity],
    /// When it fires, and what that means.
    pub notices: &'static str,
    /// Its thresholds: keys of the section `[checks]` of a policy file.
    pub thresholds: &'static [&'static str],
    /// Whether its warning could turn the headline: the finding can make a change or hide one.
    pub flips: bool,
    /// The commands that run it.
    pub scope: Scope,
    /// Whether it can stop a deciding metric by itself, which then does not share alpha with the others.
    stops_metrics: bool,
    /// Its code.
    function: Function,
    /// For a check that noise alone can set off: its share of their common level, and its p-values.
    chance: Option<(f64, PValues)>,
}

/// The code of a check.
#[derive(Clone, Copy, Debug)]
enum Function {
    /// Another part of the program makes the finding.
    Elsewhere,
    /// It looks at a comparison.
    Comparison(fn(&Context) -> Option<Finding>),
    /// It looks at the runs of one build or two.
    Runs(fn(&Subject) -> Option<Finding>),
}

/// The p-values of a check, one for each series that it looks at.
type PValues = fn(&Subject) -> Vec<f64>;

/// The commands that run a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// At the two variants of a comparison.
    Comparison,
    /// At the repeated runs of one build (`beyondnoise noise`).
    Noise,
    /// At comparisons and at repeated runs.
    Both,
}

/// Every check, in the order in which findings of equal weight are shown.
///
/// # Examples
///
/// ```
/// use beyondnoise::checks::{CHECKS, CheckId, Severity};
///
/// let check = CHECKS.iter().find(|check| check.id == CheckId::FailedRequests).unwrap();
/// assert_eq!(check.id.as_str(), "failed-requests");
/// assert_eq!(check.severities, [Severity::Block, Severity::Warn]);
/// assert_eq!(check.thresholds, ["failed_share", "failed_difference"]);
/// ```
pub const CHECKS: &[CheckInfo] = &[
    other(CheckId::WorkloadMismatch, &[Block], "requests, cap, rate, data set, model or input tokens (by more than 1 %) differ"),
    other(CheckId::ToolMismatch, &[Block], "the clients differ, and define their metrics differently"),
    check(CheckId::FailedRuns, &[Block, Warn], "a run failed: it is named and not counted; block where several more failed in one variant than in the other", failed_runs::failed_runs).thresholds(&["failed_runs", "failed_runs_share"]),
    check(CheckId::TooFewRuns, &[Block], "a variant has one run, and its noise is not known from elsewhere", runs::too_few_runs),
    check(CheckId::PerRequestRows, &[Block, Note], "rows are requests of one run, or iterations of one process, instead of runs; a note where each side has \
         several processes", inside_runs::per_request_rows),
    check(CheckId::FailedRequests, &[Block, Warn], "any request failed; block if many did, if the shares differ, or if only one side counts them", requests::failed_requests).flips().thresholds(&["failed_share", "failed_difference"]),
    check(CheckId::OutputTokensDrift, &[Block, Warn], "the numbers of generated tokens differ; when blocked, duration and requests/s are not judged", requests::output_tokens_drift).flips().stops_metrics().thresholds(&["output_tokens_warn", "output_tokens_block"]),
    check(CheckId::ContradictingMetrics, &[Block, Warn], "metrics that measure the same thing at a fixed workload changed differently: the outputs are not the same work", same_fact::contradicting_metrics).flips().stops_metrics().thresholds(&["output_tokens_warn", "output_tokens_block"]),
    check(CheckId::BurstLoad, &[Warn], "all requests start at once: TTFT is time in the queue, and throughput alone decides", load::burst_load).flips(),
    check(CheckId::SaturatedOpenLoop, &[Warn], "the server does not keep up with the offered rate: latency grows with the length of the test, and throughput \
         alone decides", load::saturated_open_loop).flips().thresholds(&["keeps_up"]),
    check(CheckId::P99StartupBurst, &[Warn], "in a closed loop, as many requests start together as the tail holds: that quantile of TTFT is not judged", load::p99_startup_burst).stops_metrics(),
    of_runs(CheckId::CacheWarm, &[Warn, Note], "the first run's TTFT is far above the later ones at the same prompts and TPOT: the prefix cache was cold", first_run::cache_warm).thresholds(&["cache_warm_ratio", "cache_warm_alike", "chance_level"]).by_chance(8.0, first_run::cold_p_values),
    of_runs(CheckId::SlowFirstRun, &[Warn, Note], "the first run of a variant is worse than all its others; a note where chance explains it", first_run::slow_first_run).thresholds(&["slow_first_deviations", "slow_first_share", "chance_level"]).by_chance(2.0, first_run::p_values),
    check(CheckId::FirstCellOutlier, &[Warn, Note], "the first of three or more variants with one run each is an outlier, and the others agree", first_run::first_cell_outlier).flips().thresholds(&["first_cell_gap", "slow_first_share", "chance_level"]).by_chance(1.0, first_run::cell_p_values),
    of_runs(CheckId::OutlierRun, &[Warn, Note], "a run is far from the median of its variant: the verdict without it is shown too, and it is never left out", outlier_run::outlier_run).thresholds(&["outlier_score", "outlier_runs", "chance_level"]).by_chance(3.0, outlier_run::p_values),
    check(CheckId::ClaimCheck, &[Warn, Note], "a percentage written beside a result matches, differs, has the other sign, or holds only against another \
         variant", claims::claim_check).thresholds(&["claim_difference"]),
    check(CheckId::OrderConfounded, &[Warn], "all runs of one variant, or nearly all, were made before those of the other: a drift looks like a change", order::order_confounded).flips().thresholds(&["order_leak", "chance_level"]).by_chance(1.0, order::order_p_values),
    of_runs(CheckId::Drift, &[Warn, Note], "a deciding metric has a trend over the runs of one variant or of both (Mann-Kendall)", order::drift).flips().thresholds(&["chance_level"]).by_chance(2.0, order::p_values),
    check(CheckId::OneWayPairs, &[Warn], "one variant came first in every pair", order::one_way_pairs).flips(),
    of_runs(CheckId::PreAveraged, &[Warn], "all values are equal, or as coarse as their last printed digit: half a digit is the least noise assumed", spread::pre_averaged).flips(),
    of_runs(CheckId::Noisy, &[Warn, Note], "the run-to-run CV of a deciding metric is large", spread::noisy).thresholds(&["noisy_warn", "noisy_broken", "chance_level"]).by_chance(1.0, spread::noisy_p_values),
    of_runs(CheckId::TwoModes, &[Warn, Note], "the runs form two clusters; a note where the clusters are closer than the margin", spread::two_modes).thresholds(&["two_modes_gap", "chance_level"]).by_chance(2.0, spread::modes_p_values),
    of_runs(CheckId::SeveralLevels, &[Warn], "more than a fifth of the runs are far from the median: the values keep to several levels; chance is that of \
         `two-modes`", spread::several_levels).thresholds(&["outlier_score", "chance_level"]),
    check(CheckId::UnequalNoise, &[Note], "one variant is much noisier than the other", spread::unequal_noise).thresholds(&["unequal_variance", "chance_level"]),
    of_runs(CheckId::Autocorrelation, &[Warn, Note], "each run resembles the run before it, or runs alternate up and down", order::autocorrelation).only_noise().thresholds(&["chance_level"]),
    of_runs(CheckId::LabelsDiffer, &[Warn], "the labels of runs taken as repeats differ in more than a number", runs::labels_differ).only_noise(),
    of_runs(CheckId::DoubtfulReading, &[Warn], "the rules by which a table of no known tool is read disagree about a column that decides which rows are \
         repeats; no metric is judged where one reading pools runs that the other keeps apart", runs::doubtful_reading).flips().stops_metrics(),
    of_runs(CheckId::DuplicateRun, &[Block, Warn, Note], "two runs are equal in every figure: they count once, rows of one table as two runs; block if that leaves a \
         variant one run, note if a file sums up the runs of files beside it", runs::duplicate_run),
    check(CheckId::LowResolution, &[Warn], "there are few runs, but more than one: the smallest change that they find", planned::low_resolution).thresholds(&["few_runs"]),
    check(CheckId::BorrowedNoise, &[Warn, Note], "the noise is not estimated from these runs alone", runs::borrowed_noise).flips(),
    check(CheckId::NothingBorrowed, &[Warn, Note], "noise known from elsewhere is not used, since it varies too much or these runs are noisier; or --noise asked \
         for it and there was none", runs::nothing_borrowed),
    of_runs(CheckId::IterationsAsRuns, &[Warn], "the user takes iterations of one process as runs: differences between processes are not in the noise", inside_runs::iterations_as_runs).flips(),
    check(CheckId::NestedRuns, &[Note], "the user named levels of repeats: which one counts, and how many of each there are", levels::nested_runs),
    check(CheckId::FromAverages, &[Block, Warn], "the noise is the standard deviation printed beside averages; block where averages are mixed with single runs", averages::from_averages),
    check(CheckId::UnpairedRuns, &[Warn], "--paired left out runs without a partner, or runs whose block the other variant lacks", runs::unpaired_runs).flips(),
    check(CheckId::RunsToPlan, &[Note], "the noise is not known: what a few more runs find at three usual levels of noise", planned::runs_to_plan),
    check(CheckId::RateLimitedThroughput, &[Note], "an open loop that keeps up: throughput is the offered rate, and latency decides", load::rate_limited_throughput),
    check(CheckId::EnvMismatch, &[Block, Warn], "device, versions or flags differ, as far as the files say; block for the model of the device", environment::env_mismatch).flips(),
    check(CheckId::MachineState, &[Warn, Note], "the device throttled, another process was at work, or the device was hotter in the runs of one variant; a note \
         where both are alike or chance explains it", machine::machine_state).flips().thresholds(&["busy_processors", "temperature_difference", "chance_level"]).by_chance(1.0, machine::p_values),
    check(CheckId::UnitSuspect, &[Block], "a ratio as between units: near 1000, 10^6 or 10^9, or very near 60 or 3600; also their inverses; not of values in the cells of one row or written with their units", consistency::unit_suspect).thresholds(&["unit_factor"]),
    check(CheckId::InconsistentBlock, &[Warn], "a printed rate is not its tokens over its duration, a median is not the P50, a P99 is below the median", consistency::inconsistent_block).flips().thresholds(&["inconsistent"]),
    check(CheckId::ShortRun, &[Warn], "runs are so short that start and end weigh much", consistency::short_run).flips().thresholds(&["short_seconds", "short_latencies"]),
    check(CheckId::LittleLaw, &[Note], "in a closed loop, (TTFT + TPOT x (tokens - 1)) x req/s is not the cap", consistency::little_law).thresholds(&["little_law"]),
    check(CheckId::InputTokensDiffer, &[Warn], "input tokens differ by up to 1 %", requests::input_tokens_differ).flips(),
    check(CheckId::OneSidedMetric, &[Warn, Note], "only one variant has the metric; a warning where it usually decides or was asked for", measurement::one_sided_metric).flips(),
    check(CheckId::ThinTail, &[Note], "few requests lie beyond the quantile: it is not judged unless asked for", measurement::thin_tail).stops_metrics().thresholds(&["tail_requests"]),
    check(CheckId::ExtremeMetric, &[Note], "a peak, a largest or a smallest value never decides", measurement::extreme_metric).stops_metrics(),
    check(CheckId::NoDirection, &[Note], "it is not known whether higher or lower is better: the metric is not judged", measurement::no_direction),
    check(CheckId::DependentMetrics, &[Note], "duration and throughputs measure the same thing, and are counted once", measurement::dependent_metrics),
    check(CheckId::SpeedOnly, &[Note], "always: only the metrics shown are judged, not whether the answers are still right", measurement::speed_only),
    other(CheckId::MachineChanged, &[Warn, Note], "with --history: several cells of it changed on a night between the runs of both builds, and no commit alone explains it; a note where both are on one side of all such nights").flips(),
    other(CheckId::TradeOff, &[Note], "some metrics are better, others worse; where they decide, this is the headline"),
];

/// Identifiers of the checks that look there, for the schemas.
pub(crate) fn ids(scope: Scope) -> Vec<CheckId> {
    let there = CHECKS.iter().filter(|check| check.scope == scope || check.scope == Scope::Both);
    there.map(|check| check.id).collect()
}

/// A finding about a comparison that no function of the table makes.
const fn other(id: CheckId, severities: &'static [Severity], notices: &'static str) -> CheckInfo {
    CheckInfo {
        id,
        severities,
        notices,
        thresholds: &[],
        flips: false,
        scope: Scope::Comparison,
        stops_metrics: false,
        function: Function::Elsewhere,
        chance: None,
    }
}

const fn check(
    id: CheckId,
    severities: &'static [Severity],
    notices: &'static str,
    function: fn(&Context) -> Option<Finding>,
) -> CheckInfo {
    CheckInfo { function: Function::Comparison(function), ..other(id, severities, notices) }
}

/// A check of one build or two.
const fn of_runs(
    id: CheckId,
    severities: &'static [Severity],
    notices: &'static str,
    function: fn(&Subject) -> Option<Finding>,
) -> CheckInfo {
    let (scope, function) = (Scope::Both, Function::Runs(function));
    CheckInfo { scope, function, ..other(id, severities, notices) }
}

impl CheckInfo {
    const fn thresholds(self, thresholds: &'static [&'static str]) -> Self {
        Self { thresholds, ..self }
    }

    const fn flips(self) -> Self {
        Self { flips: true, ..self }
    }

    const fn stops_metrics(self) -> Self {
        Self { stops_metrics: true, ..self }
    }

    const fn by_chance(self, share: f64, p_values: PValues) -> Self {
        Self { chance: Some((share, p_values)), ..self }
    }

    /// Only `beyondnoise noise` runs it: a comparison of two builds has another check for it.
    const fn only_noise(self) -> Self {
        Self { scope: Scope::Noise, ..self }
    }

    /// Runs it on a comparison.
    fn compare(&self, context: &Context) -> Option<Finding> {
        match self.function {
            Function::Comparison(function) => self.checked(function(context)),
            Function::Runs(_) if self.scope != Scope::Noise => self.of_runs(context),
            _ => None,
        }
    }

    /// Runs it on one build or two, if it looks at these.
    fn of_runs(&self, subject: &Subject) -> Option<Finding> {
        let Function::Runs(function) = self.function else { return None };
        self.checked(function(subject))
    }

    fn checked(&self, finding: Option<Finding>) -> Option<Finding> {
        let finding = finding?;
        debug_assert!(finding.id == self.id && self.severities.contains(&finding.severity));
        Some(finding.flips_by_default(self.flips))
    }
}

/// Adjusts the p-values of all checks that chance can set off, together.
fn adjust(subject: &mut Subject) {
    let raw = CHECKS.iter().filter_map(|check| {
        let (share, p_values) = check.chance?;
        Some((check.id, share, p_values(subject)))
    });
    let adjusted = adjusted(raw.collect());
    subject.adjust(adjusted);
}

/// Findings of all checks of a comparison, in the order of the table.
pub(crate) fn run(context: &mut Context) -> Vec<Finding> {
    if context.builds.iter().any(|build| build.runs.is_empty()) {
        // If all runs of a variant failed, the other checks have nothing to look at.
        let counts = [CheckId::FailedRuns, CheckId::TooFewRuns];
        let of_counts = CHECKS.iter().filter(|check| counts.contains(&check.id));
        return of_counts.filter_map(|check| check.compare(context)).collect();
    }
    adjust(&mut context.subject);
    let first = |check: &CheckInfo| check.stops_metrics.then(|| check.compare(context)).flatten();
    let mut found: Vec<Option<Finding>> = CHECKS.iter().map(first).collect();
    context.stops = found.iter().flatten().cloned().collect();
    for (check, found) in CHECKS.iter().zip(&mut found).filter(|(check, _)| !check.stops_metrics) {
        *found = check.compare(context);
    }
    found.into_iter().flatten().collect()
}

/// Findings about each build, sorted. No claim depends on their runs, so that a finding explained by chance is a note.
pub(crate) fn run_on_builds(subject: &mut Subject) -> Vec<Vec<Finding>> {
    adjust(subject);
    let sides = 0..subject.builds.len();
    sides
        .map(|side| {
            subject.report_on(side);
            let found = CHECKS.iter().filter_map(|check| check.of_runs(subject));
            let mut found: Vec<Finding> = found.map(Finding::without_claim).collect();
            sort(&mut found);
            found
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_identifier_has_one_entry() {
        let ids: Vec<CheckId> = CHECKS.iter().map(|check| check.id).collect();
        assert_eq!(ids, CheckId::ALL);
    }
}
