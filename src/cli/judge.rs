//! Judging: the flags of `compare` and `batch` for it, the policy that they make, and the gate.

use clap::ValueEnum;

use beyondnoise::error::Error;
use beyondnoise::metrics::Metric;
use beyondnoise::policy::{
    GateAnswer, NoiseFrom, Policy, Selected, parse_across, parse_confidence, parse_percentage,
};
use beyondnoise::report::Report;
use beyondnoise::stats::{Across, Method, Resampling};
use beyondnoise::verdict::Gate;

use crate::cli::run::Outcome;
use crate::cli::settings::Settings;
use crate::cli::terminal::complain;

/// How the runs are judged; the same for one comparison and for many
#[derive(Debug, clap::Args)]
pub(super) struct JudgeArgs {
    /// Coverage of the intervals, as a fraction (0.95) or a percentage (95%) [default: 0.95]
    #[arg(long, value_parser = parse_confidence)]
    pub(super) confidence: Option<f64>,

    /// How intervals are made [default: calibrated; of a batch, whose far tails count: welch]
    #[arg(long, value_enum)]
    pub(super) method: Option<MethodArg>,

    /// Statistic over the runs of a variant: mean, median, hodges-lehmann or a quantile such as p99
    /// [default: mean]
    #[arg(long, value_name = "STATISTIC", value_parser = parse_across)]
    pub(super) across: Option<Across>,

    /// Resamples drawn where there are too many to enumerate (beyond 6 + 6 runs) [default: 10000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    pub(super) resamples: Option<u32>,

    /// Seed of the resamples [default: 0]
    #[arg(long)]
    pub(super) seed: Option<u64>,

    /// Where the noise may come from beside the runs themselves [default: auto]
    #[arg(long, value_enum)]
    pub(super) noise: Option<NoiseArg>,

    /// Earlier runs whose noise steadies that of these: a folder that `history add` fills
    #[arg(long, value_name = "DIR")]
    pub(super) history: Option<String>,

    /// Exit with 1 if a deciding or guard metric is worse beyond the tolerance, 3 if there is no verdict or something
    /// was not compared
    #[arg(long)]
    pub(super) gate: bool,

    /// How much worse the gate lets a metric be, in percent of the baseline [default: 2%]
    #[arg(long, value_name = "PERCENT", value_parser = parse_percentage)]
    pub(super) tolerance: Option<f64>,

    /// A metric that does not decide and must not become worse; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(super) guard: Vec<String>,

    /// What the gate says where something is not judged: too few runs, or what one side lacks [default: unknown]
    #[arg(long, value_enum, value_name = "ANSWER")]
    pub(super) on_no_verdict: Option<AnswerArg>,

    /// What the gate says where workloads, tools or units differ, or requests failed [default: unknown]
    #[arg(long, value_enum, value_name = "ANSWER")]
    pub(super) on_not_comparable: Option<AnswerArg>,
}

impl JudgeArgs {
    /// The policy of the flags, over `usual`.
    pub(super) fn policy(&self, usual: Policy, selected: Vec<Selected>) -> Policy {
        let guards = self.guard.iter().map(|name| Metric::of_column(name).0.name);
        let seed = self.seed.unwrap_or(usual.resampling.seed);
        let count = self.resamples.map(|count| usize::try_from(count).unwrap_or(usize::MAX));
        Policy {
            confidence: self.confidence.unwrap_or(usual.confidence),
            noise: self.noise.map_or(usual.noise, |noise| match noise {
                NoiseArg::Auto => NoiseFrom::Auto,
                NoiseArg::Batch => NoiseFrom::Batch,
                NoiseArg::Own => NoiseFrom::Own,
                NoiseArg::Variants => NoiseFrom::Variants,
            }),
            method: self.method.map_or(usual.method, |method| match method {
                MethodArg::Calibrated => Method::Calibrated,
                MethodArg::Percentile => Method::Percentile,
                MethodArg::Bca => Method::Bca,
                MethodArg::Welch => Method::Welch,
            }),
            resampling: Resampling { count: count.unwrap_or(usual.resampling.count), seed },
            across: self.across.unwrap_or(usual.across),
            tolerance: self.tolerance.unwrap_or(usual.tolerance),
            guards: usual.guards.iter().cloned().chain(guards).collect(),
            no_verdict: self.on_no_verdict.map_or(usual.no_verdict, AnswerArg::answer),
            not_comparable: self.on_not_comparable.map_or(usual.not_comparable, AnswerArg::answer),
            selected,
            ..usual
        }
    }
}

impl AnswerArg {
    fn answer(self) -> GateAnswer {
        match self {
            Self::Unknown => GateAnswer::Unknown,
            Self::Pass => GateAnswer::Pass,
            Self::Fail => GateAnswer::Fail,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MethodArg {
    /// Run-level bootstrap that covers its level from 3 runs on
    Calibrated,
    /// Plain percentile bootstrap, too narrow with few runs
    Percentile,
    /// Bias-corrected and accelerated bootstrap, too narrow with few runs
    Bca,
    /// Welch's t interval
    Welch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum NoiseArg {
    /// Also the history, or the other workloads of the job from three on, where their noise is alike
    Auto,
    /// Single runs too borrow from the other comparisons of the job
    Batch,
    /// Only the runs compared
    Own,
    /// Single runs: the other variants, most of which are taken to change nothing
    Variants,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum AnswerArg {
    /// Exit with 3
    Unknown,
    /// Exit with 0
    Pass,
    /// Exit with 1
    Fail,
}

/// Whether this way of judging can borrow noise.
fn can_borrow(policy: &Policy) -> bool {
    policy.across == Across::Mean
        && !policy.paired
        && matches!(policy.method, Method::Calibrated | Method::Welch)
        && matches!(policy.noise, NoiseFrom::Auto | NoiseFrom::Batch)
}

/// Refuses options that contradict each other.
fn check_consistent(policy: &Policy, history: Option<&str>) -> Result<(), Error> {
    if history.is_some() && !can_borrow(policy) {
        return Err(Error::usage(
            "expected --history with the mean, the calibrated or welch method and --noise auto or batch, \
             found another choice of these",
            "leave out --history, or the option that cannot use it",
        ));
    }
    if policy.paired && policy.across == Across::HodgesLehmann {
        return Err(Error::usage(
            "expected the mean, the median or a quantile over pairs, found the Hodges-Lehmann centre, which \
             is one of unpaired runs",
            "leave out --paired, or give --across median",
        ));
    }
    Ok(())
}

/// The folder of earlier runs: the one of the flag, or that of the policy file where it can be used.
///
/// Refuses options that contradict each other.
pub(super) fn history_folder(
    args: &JudgeArgs,
    settings: &Settings,
    policy: &Policy,
) -> Result<Option<String>, Error> {
    let of_file = || settings.history().filter(|_| can_borrow(policy));
    let folder = args.history.clone().or_else(of_file);
    check_consistent(policy, folder.as_deref())?;
    Ok(folder)
}

/// The outcome that the gate asks for, if there is one; its reason goes to standard error.
pub(super) fn gate(args: &JudgeArgs, report: &Report) -> Outcome {
    if !args.gate {
        return Outcome::Clean;
    }
    let reason = &report.gate_reason;
    match report.gate {
        Gate::Pass => Outcome::Clean,
        Gate::Fail => {
            complain(&format!("beyondnoise: gate failed: {reason}"));
            Outcome::Failing
        }
        Gate::None => {
            complain(&format!("beyondnoise: gate without a verdict: {reason}"));
            Outcome::NoVerdict
        }
    }
}
