//! The settings: each with its key in the policy file, its flag, its default and its meaning.
//!
//! A new setting is a field of [`Policy`] or [`Settings`] with its default, and an entry of [`SETTINGS`]: flags,
//! policy file, `beyondnoise config` and `data/beyondnoise.toml` follow from it.

use std::collections::BTreeMap;

use crate::policy::kind::{
    ACROSS, ANSWER, COLUMN, COLUMN_OR_COLUMNS, COLUMNS, CONFIDENCE, DIRECTION, FOLDER, LABEL,
    LIMITS, METHOD, METRICS, NOISE, NOT_NEGATIVE, RESAMPLES, SEED, SHARE, YES_NO,
};
use crate::policy::setting::{Setting, settings};
use crate::policy::slo::Slo;
use crate::policy::thresholds::Thresholds;
use crate::policy::values::{GateAnswer, NoiseFrom};
use crate::stats::{Across, Method, Resampling};
use crate::units::Better;

/// All settings of the policy file and the flags.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// How runs are judged.
    pub policy: Policy,
    /// Label of the baseline.
    pub baseline: Option<String>,
    /// Folder of earlier runs.
    pub history: Option<String>,
    /// Columns that name the variant.
    pub variant_columns: Vec<String>,
    /// Columns that name the run.
    pub run_columns: Vec<String>,
    /// Column that names the pair of a run.
    pub pair_column: Option<String>,
    /// Columns that name a cell of a batch.
    pub cell_columns: Vec<String>,
    /// Label of the baseline of a batch, or `previous`.
    pub batch_base: Option<String>,
    /// Column that puts the variants of a batch in order.
    pub order_by: Option<String>,
}

/// The settings of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Nominal coverage of the intervals, in (0, 1); at 0.5 or less nothing can be shown to be equal.
    pub confidence: f64,
    /// How intervals are made.
    pub method: Method,
    /// How resamples are drawn where there are too many to enumerate.
    pub resampling: Resampling,
    /// Statistic over the runs of a variant.
    pub across: Across,
    /// How much worse a gate lets a metric be, as a fraction.
    pub tolerance: f64,
    /// Metrics that the user named; they alone are reported and decide. Empty: all.
    pub selected: Vec<Selected>,
    /// Which other runs the noise may be estimated from.
    pub noise: NoiseFrom,
    /// Whether the kth runs of both variants belong together, by their pair or by the time of their start.
    pub paired: bool,
    /// Which of several planned looks at growing runs this is; `confidence` is then that of the look.
    pub look: Option<PlannedLook>,
    /// Answer of the gate where there is no verdict, or something is missing on one side.
    pub no_verdict: GateAnswer,
    /// Answer of the gate where nothing can be compared.
    pub not_comparable: GateAnswer,
    /// Metrics that decide, the most important first; empty: those of the load.
    pub deciding: Vec<String>,
    /// Metrics that do not decide and must not become worse.
    pub guards: Vec<String>,
    /// Limits whose capacity is judged in a sweep: the largest load at which all hold.
    pub slo: Vec<Slo>,
    /// Setting along which a workload is swept; `None` for the concurrency cap, or else the request rate.
    pub along: Option<String>,
    /// Decisions for single metrics, by name.
    pub metrics: BTreeMap<String, MetricPolicy>,
    /// When checks fire.
    pub thresholds: Thresholds,
}

/// Decisions for one metric; `None` leaves the default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MetricPolicy {
    /// Direction of improvement.
    pub better: Option<Better>,
    /// Largest relative change that does not matter; the absolute floor is then 0 unless given.
    pub margin: Option<f64>,
    /// Largest difference that does not matter, in the unit of the metric.
    pub margin_absolute: Option<f64>,
    /// How much worse the gate lets it be, as a fraction.
    pub tolerance: Option<f64>,
    /// Whether, as a deciding metric or a guard, it must be shown to be no worse than the tolerance.
    pub non_inferior: bool,
}

/// One of several looks that were planned before the first run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedLook {
    /// Which one, from 1.
    pub number: usize,
    /// How many were planned.
    pub of: usize,
    /// Confidence over all looks together.
    pub overall: f64,
}

/// A metric that the user named, with its direction if given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// Canonical name.
    pub name: String,
    /// Direction given by the user; replaces the registry's.
    pub better: Option<Better>,
}

/// Largest effect that does not matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// As a fraction of the baseline.
    pub relative: f64,
    /// In the unit of the metric; the larger of the two counts.
    pub absolute: f64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            confidence: 0.95,
            method: Method::default(),
            resampling: Resampling::default(),
            across: Across::MEAN,
            tolerance: 0.02,
            selected: Vec::new(),
            noise: NoiseFrom::Auto,
            paired: false,
            look: None,
            no_verdict: GateAnswer::default(),
            not_comparable: GateAnswer::default(),
            deciding: Vec::new(),
            guards: Vec::new(),
            slo: Vec::new(),
            along: None,
            metrics: BTreeMap::new(),
            thresholds: Thresholds::default(),
        }
    }
}

/// All settings except the thresholds of checks and the sections of single metrics.
pub const SETTINGS: &[Setting<Settings>] = settings! {
    /// Label of the baseline, or `previous` for the variant before (default: a label such as main, before or 优化前)
    "" "baseline" => baseline: LABEL, flag "base" of ["compare"], such as r#""main""#;
    /// Coverage of the intervals, as a fraction (0.95) or a percentage (95%)
    "" "confidence" => policy.confidence: CONFIDENCE, flag "confidence" of ["compare", "batch", "noise", "plan"];
    /// How intervals are made (default: calibrated; for a batch: welch)
    "" "method" => policy.method: METHOD, flag "method" of ["compare", "batch"], such as r#""calibrated""#;
    /// Statistic over the runs of a variant: mean, median, hodges-lehmann or a quantile such as p99
    "" "across" => policy.across: ACROSS, flag "across" of ["compare", "batch"];
    /// Resamples to draw where there are too many to enumerate (beyond 6 + 6 runs)
    "" "resamples" => policy.resampling.count: RESAMPLES, flag "resamples" of ["compare", "batch"];
    /// Seed of the random numbers
    "" "seed" => policy.resampling.seed: SEED, flag "seed" of ["compare", "batch", "noise"];
    /// Sources of the noise estimate besides the compared runs
    "" "noise" => policy.noise: NOISE, flag "noise" of ["compare", "batch"];
    /// Folder of earlier runs, from which noise is estimated too; `history add` fills it
    "" "history" => history: FOLDER, flag "history" of ["compare", "batch"], such as r#""bench-history""#;
    /// Metrics that decide, the most important first (default by the load: in a closed loop output throughput, mean
    /// TTFT and mean TPOT; in a burst output throughput; in an open loop the latencies)
    "" "deciding" => policy.deciding: METRICS, such as r#"["output_throughput", "mean_ttft_ms", "mean_tpot_ms"]"#;
    /// A metric that does not decide and must not become worse
    "" "guard" => policy.guards: METRICS, flag "guard" of ["compare", "batch"], such as r#"["p99_e2el_ms"]"#;
    /// A limit of the service: the report of a sweep says how much throughput meets all limits, and judges its change
    "" "slo" => policy.slo: LIMITS, flag "slo" of ["compare"], such as r#"["p99_ttft_ms<500", "mean_tpot_ms<=40"]"#;
    /// Largest worsening that the gate accepts, in percent of the baseline
    "" "tolerance" => policy.tolerance: SHARE, flag "tolerance" of ["compare", "batch"];
    /// Answer of the gate where something is not judged: too few runs, or missing on one side
    "gate" "no_verdict" => policy.no_verdict: ANSWER, flag "on-no-verdict" of ["compare", "batch"];
    /// Answer of the gate where workloads, tools or units differ, or requests failed
    "gate" "not_comparable" => policy.not_comparable: ANSWER, flag "on-not-comparable" of ["compare", "batch"];
    /// Columns, tags or settings whose values together name the variant
    "columns" "variant" => variant_columns: COLUMN_OR_COLUMNS, flag "variant-column" of ["inputs"], such as r#""build""#;
    /// Columns that name the run, from the outer level of repeats to the inner: machine,start
    "columns" "run" => run_columns: COLUMN_OR_COLUMNS, flag "run-column" of ["inputs"], such as r#""round""#;
    /// Column of a table that names the pair of a run, for --paired
    "columns" "pair" => pair_column: COLUMN, flag "pair-column" of ["inputs"], such as r#""pair""#;
    /// Column or setting in which the loads of a sweep differ (default: max_concurrency, else request_rate)
    "columns" "along" => policy.along: COLUMN, flag "along" of ["compare"], such as r#""batch_size""#;
    /// Columns, or settings such as `model`, whose values together name a cell (default: every workload is a cell)
    "batch" "by" => cell_columns: COLUMNS, flag "by" of ["batch"], such as r#"["model", "concurrency"]"#;
    /// Label of the baseline, or `previous` for the variant before in the order of --order-by
    "batch" "base" => batch_base: LABEL, flag "base" of ["batch"], such as r#""previous""#;
    /// Column or setting that puts the variants in order, for --base previous
    "batch" "order_by" => order_by: COLUMN, flag "order-by" of ["compare", "batch"], such as r#""version""#;
};

/// The keys of a section `[metrics.NAME]`.
pub(super) const OF_METRIC: &[Setting<MetricPolicy>] = settings! {
    /// Direction of improvement
    "metrics" "better" => better: DIRECTION, such as r#""higher""#;
    /// A change below it does not matter
    "metrics" "margin" => margin: SHARE, such as r#""1 %""#;
    /// A difference below it does not matter, in the unit of the metric
    "metrics" "margin_absolute" => margin_absolute: NOT_NEGATIVE, such as "0.5";
    /// Largest worsening that the gate accepts
    "metrics" "tolerance" => tolerance: SHARE, such as r#""3 %""#;
    /// Whether its whole interval must be within the tolerance, if it decides or guards
    "metrics" "non_inferior" => non_inferior: YES_NO, such as "true";
};
