//! The settings: each with its policy key, flag, default and meaning.
//!
//! A new setting is a field of [`Policy`] or [`Settings`] with its default, and an entry of [`SETTINGS`]: flags,
//! policy file, `beyondnoise config` and `data/beyondnoise.toml` follow from it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::policy::kind::{
    ACROSS, ANSWER, BASE, COLUMN, COLUMN_OR_COLUMNS, COLUMNS, CONFIDENCE, DIRECTION, FOLDER,
    LIMITS, METHOD, METRIC_OR_CELL, METRICS, NOISE, NOT_NEGATIVE, ORDER, REQUIRE, RESAMPLES, SEED,
    SHARE, YES_NO, YES_UNLESS,
};
use crate::policy::run::RunSettings;
use crate::policy::run_kinds::{COMMANDS, LOOKS, PORT, RUNS, TIME, TRIES};
use crate::policy::setting::{Setting, settings};
use crate::policy::slo::Slo;
use crate::policy::thresholds::Thresholds;
use crate::policy::values::{Base, GateAnswer, GateOrder, NoiseFrom, Require};
use crate::stats::{Across, Method, Resampling};
use crate::units::Better;

/// All settings of the policy file and the flags.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// How runs are judged.
    pub policy: Policy,
    /// The variant that the others are compared with; `None` to find it by its label.
    pub baseline: Option<Base>,
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
    /// The baseline of a batch.
    pub batch_base: Option<Base>,
    /// Column that puts the variants of a batch in order.
    pub order_by: Option<String>,
    /// How runs are made.
    pub run: RunSettings,
}

/// The settings of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Nominal coverage of the intervals, in (0, 1); at 0.5 or less nothing can be shown to be equal.
    pub confidence: f64,
    /// How intervals are made.
    pub method: Method,
    /// How resamples are drawn if there are too many to enumerate.
    pub resampling: Resampling,
    /// Statistic over the runs of a variant.
    pub across: Across,
    /// Largest worsening that the gate accepts, as a fraction.
    pub tolerance: f64,
    /// The user's metrics; only they are reported, and all of them decide. Empty: all metrics.
    pub selected: Vec<Selected>,
    /// Other runs that the noise estimate may use.
    pub noise: NoiseFrom,
    /// Whether the published noise of the atlas is also used for one and two runs each.
    pub atlas: bool,
    /// Whether runs of both variants are compared in pairs: by the name of the pair, or by time.
    pub paired: bool,
    /// The present one of several planned looks; `confidence` then belongs to this look.
    pub look: Option<PlannedLook>,
    /// The change that the gate requires.
    pub require: Require,
    /// Answer of the gate if there is no verdict, or if one side lacks something.
    pub no_verdict: GateAnswer,
    /// Answer of the gate if nothing can be compared.
    pub not_comparable: GateAnswer,
    /// Answer of the gate to a change for the worse under a confounded order of runs.
    pub gate_order: GateOrder,
    /// Deciding metrics, the most important first; empty: those for the load.
    pub deciding: Vec<String>,
    /// Metrics that do not decide and must not become worse.
    pub guards: Vec<String>,
    /// A metric, or a cell, that the change cannot affect. Changes are relative to it if that narrows their intervals.
    pub control: Option<String>,
    /// Limits for the capacity in a sweep: the largest throughput at which all are met.
    pub slo: Vec<Slo>,
    /// Setting that varies along a sweep; `None` for the concurrency cap, or else the request rate.
    pub along: Option<String>,
    /// Largest relative change that does not matter, for every metric without its own margin.
    pub effect: Option<f64>,
    /// Decisions for single metrics, by name of the metric.
    pub metrics: BTreeMap<String, MetricPolicy>,
    /// Thresholds of the checks.
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
    /// Largest worsening of this metric that the gate accepts, as a fraction.
    pub tolerance: Option<f64>,
    /// Whether a deciding metric or guard must be shown to be no worse than the tolerance.
    pub non_inferior: bool,
}

/// One of several looks that were planned before the first run.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedLook {
    /// Number of this look, from 1.
    pub number: usize,
    /// Number of planned looks.
    pub of: usize,
    /// Confidence over all looks together.
    pub overall: f64,
    /// Level of each of the two one-sided tests for no change.
    pub equality_alpha: f64,
    /// Runs of each variant at each look, if the program makes the runs; empty for looks in equal steps.
    pub runs: Vec<usize>,
}

/// A metric that the user named, with the direction if given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// Canonical name.
    pub name: String,
    /// Direction given by the user; replaces the registry's.
    pub better: Option<Better>,
}

/// Largest change of a metric that does not matter; the larger of the two counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Margin {
    /// Fraction of the baseline.
    #[schemars(range(min = 0))]
    pub relative: f64,
    /// In the unit of the metric.
    #[schemars(range(min = 0))]
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
            atlas: true,
            paired: false,
            look: None,
            require: Require::default(),
            no_verdict: GateAnswer::default(),
            not_comparable: GateAnswer::default(),
            gate_order: GateOrder::default(),
            deciding: Vec::new(),
            guards: Vec::new(),
            control: None,
            slo: Vec::new(),
            along: None,
            effect: None,
            metrics: BTreeMap::new(),
            thresholds: Thresholds::default(),
        }
    }
}

/// All settings except the thresholds of checks and the sections of single metrics.
pub const SETTINGS: &[Setting<Settings>] = settings! {
    /// Label of the baseline, or `previous` for the variant before (default: a label such as main, before or 优化前)
    "" "baseline" => baseline: BASE, flag "base" of ["compare", "run"], such as r#""main""#;
    /// Coverage of the intervals, as a fraction (0.95) or a percentage (95%)
    "" "confidence" => policy.confidence: CONFIDENCE, flag "confidence" of ["compare", "batch", "noise", "plan", "calibrate", "run", "history verdict"];
    /// How intervals are made (default: calibrated; for a batch: welch)
    "" "method" => policy.method: METHOD, flag "method" of ["compare", "batch"], such as r#""calibrated""#;
    /// Statistic over the runs of a variant: mean, median, hodges-lehmann or a quantile such as p99
    "" "across" => policy.across: ACROSS, flag "across" of ["compare", "batch"];
    /// Resamples to draw where there are too many to enumerate (beyond 6 + 6 runs)
    "" "resamples" => policy.resampling.count: RESAMPLES, flag "resamples" of ["compare", "batch"];
    /// Seed of the random numbers
    "" "seed" => policy.resampling.seed: SEED, flag "seed" of ["compare", "batch", "noise", "calibrate", "run"];
    /// Sources of the noise estimate besides the compared runs
    "" "noise" => policy.noise: NOISE, flag "noise" of ["compare", "batch"];
    /// Whether the published noise of other benchmarks grades one run each, and is used for two
    "" "atlas" => policy.atlas: YES_UNLESS, flag "no-atlas" of ["compare", "batch"];
    /// Folder of earlier runs, from which noise is estimated too; `history add` fills it
    "" "history" => history: FOLDER, flag "history" of ["compare", "batch"], such as r#""bench-history""#;
    /// Metrics that decide, the most important first (default by the load: in a closed loop output throughput, mean
    /// TTFT and mean TPOT; in a burst output throughput; in an open loop the latencies)
    "" "deciding" => policy.deciding: METRICS, such as r#"["output_throughput", "mean_ttft_ms", "mean_tpot_ms"]"#;
    /// A metric that does not decide and must not become worse
    "" "guard" => policy.guards: METRICS, flag "guard" of ["compare", "batch", "run", "history verdict"], such as r#"["p99_e2el_ms"]"#;
    /// A metric, or a cell such as bench=reference, that the change cannot affect: changes are relative to it where that
    /// narrows their intervals
    "" "control" => policy.control: METRIC_OR_CELL, flag "control" of ["compare", "batch"], such as r#""reference_ms""#;
    /// A limit of the service: the report of a sweep says how much throughput meets all limits, and judges its change
    "" "slo" => policy.slo: LIMITS, flag "slo" of ["compare"], such as r#"["p99_ttft_ms<500", "mean_tpot_ms<=40"]"#;
    /// Largest worsening that the gate accepts, in percent of the baseline
    "" "tolerance" => policy.tolerance: SHARE, flag "tolerance" of ["compare", "batch", "history verdict"];
    /// Answer of the gate to a change for the worse where all runs of one variant came first: unknown (3), or allow (1)
    "" "gate_order" => policy.gate_order: ORDER;
    /// Result that the gate requires; --require needs no --gate
    "gate" "require" => policy.require: REQUIRE, flag "require" of ["compare", "batch", "run"];
    /// Answer of the gate where something is not judged: too few runs, or missing on one side
    "gate" "no_verdict" => policy.no_verdict: ANSWER, flag "on-no-verdict" of ["compare", "batch", "history verdict"];
    /// Answer of the gate where workloads, tools or units differ, or requests failed
    "gate" "not_comparable" => policy.not_comparable: ANSWER, flag "on-not-comparable" of ["compare", "batch"];
    /// Columns, tags or settings whose values together name the variant
    "columns" "variant" => variant_columns: COLUMN_OR_COLUMNS, flag "variant-column" of ["inputs", "reduce"], such as r#""build""#;
    /// Columns that name the run, from the outer level of repeats to the inner: machine,start
    "columns" "run" => run_columns: COLUMN_OR_COLUMNS, flag "run-column" of ["inputs", "reduce"], such as r#""round""#;
    /// Column of a table that names the pair of a run; the flag means --paired, too
    "columns" "pair" => pair_column: COLUMN, flag "pair-column" of ["inputs", "reduce"], such as r#""pair""#;
    /// Column or setting in which the loads of a sweep differ (default: max_concurrency, else request_rate)
    "columns" "along" => policy.along: COLUMN, flag "along" of ["compare"], such as r#""batch_size""#;
    /// Columns, or settings such as `model`, whose values together name a cell (default: every workload is a cell)
    "batch" "by" => cell_columns: COLUMNS, flag "by" of ["batch", "reduce"], such as r#"["model", "concurrency"]"#;
    /// Label of the baseline, or `previous` for the variant before
    "batch" "base" => batch_base: BASE, flag "base" of ["batch"], such as r#""previous""#;
    /// Column or setting that puts the variants in order, for --base previous (default: start times, else names)
    "batch" "order_by" => order_by: COLUMN, flag "order-by" of ["compare", "batch"], such as r#""version""#;
    /// Command that starts the server of a variant, NAME=COMMAND, or of all
    "run" "serve" => run.serve: COMMANDS, flag "serve" of ["run"], such as r#"["main=vllm serve M", "pr=~/pr/bin/vllm serve M"]"#;
    /// Command that makes one run and writes its result to {out}, for all variants or one: NAME=COMMAND
    "run" "bench" => run.bench: COMMANDS, flag "bench" of ["run"], such as r#"["vllm bench serve --model M --save-result --result-filename {out}"]"#;
    /// How to see that the server is ready: a URL, HOST:PORT or a command that succeeds
    "run" "ready" => run.ready: COMMANDS, flag "ready" of ["run"], such as r#"["http://localhost:{port}/health"]"#;
    /// Command before each run, with the server ready: to reset its prefix cache, to lock clocks
    "run" "before" => run.before: COMMANDS, flag "before" of ["run"], such as r#"["curl -sfX POST localhost:{port}/reset_prefix_cache"]"#;
    /// Command after each run
    "run" "after" => run.after: COMMANDS, flag "after" of ["run"], such as r#"["nvidia-smi -rgc"]"#;
    /// Command that prints the version of a variant, which is kept
    "run" "version" => run.version: COMMANDS, flag "version-of" of ["run"], such as r#"["vllm --version"]"#;
    /// Folder in which the commands run, for all variants or one: NAME=DIR
    "run" "cwd" => run.cwd: COMMANDS, flag "cwd" of ["run"], such as r#"["pr=../pr"]"#;
    /// Variable of the environment, KEY=VALUE, or of one variant: NAME=KEY=VALUE
    "run" "env" => run.env: COMMANDS, flag "env" of ["run"], such as r#"["pr=VLLM_USE_TRTLLM_ATTENTION=1"]"#;
    /// Number that {port} stands for
    "run" "port" => run.port: PORT, flag "port" of ["run"];
    /// Change that matters, in percent: a smaller one is no change (default: 1% of throughput, 2% of TTFT, ...)
    "run" "effect" => run.effect: SHARE, flag "effect" of ["run"], such as r#""2 %""#;
    /// Runs of each variant at the planned looks, each of which may be the last
    "run" "looks" => run.looks: LOOKS, flag "looks" of ["run"];
    /// Most runs of each variant (default: those of the last look)
    "run" "max_runs" => run.max_runs: RUNS, flag "max-runs" of ["run"], such as "8";
    /// Time for all runs, such as 90min; fixes the number of runs after the first of each variant
    "run" "budget" => run.budget: TIME, flag "budget" of ["run"], such as r#""90min""#;
    /// Discarded runs before the first
    "run" "warmup" => run.warmup: TRIES, flag "warmup" of ["run"];
    /// Attempts at each run
    "run" "tries" => run.tries: TRIES, flag "tries" of ["run"];
    /// Longest time of a run without the start of its server, such as 30min; then it has failed
    "run" "timeout" => run.timeout: TIME, flag "timeout" of ["run"], such as r#""30min""#;
    /// Longest time from the start of a server until it is ready
    "run" "ready_timeout" => run.ready_timeout: TIME, flag "ready-timeout" of ["run"];
    /// Keep a server for the next run of its variant; what a start draws anew then stays the same
    "run" "keep_server" => run.keep_server: YES_NO, flag "keep-server" of ["run"];
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
