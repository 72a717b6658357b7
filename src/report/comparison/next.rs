//! The next step in one sentence, with its command.

use crate::checks::{CheckId, Details};
use crate::format::{self, argument};
use crate::metrics::{Family, Metric};
use crate::report::comparison::command::{Next, NextCommand};
use crate::report::comparison::levels::lacks_units;
use crate::report::comparison::more_runs::{MORE_AFTER_ONE, more_runs};
use crate::report::comparison::words::{obstacle, single, takes_iterations};
use crate::report::plan::order_of_runs;
use crate::report::{Comparison, Report, Row};
use crate::verdict::Headline;

/// Runs to look at that are named.
const MOST_SUSPECTS: usize = 3;

/// Input of the next step, beside the report itself.
#[derive(Default)]
pub(crate) struct Hints {
    /// Runs that a warning suspects, by name.
    pub(crate) suspects: Vec<String>,
    /// A deciding metric that moves beyond noise where the runs are compared in pairs, with its interval.
    pub(crate) in_pairs: Option<(String, [f64; 2])>,
    /// The number of runs that a deciding metric needs for any interval, where it has fewer.
    pub(crate) runs_needed: Option<usize>,
    /// Which of several planned looks in equal steps this is, and of how many.
    pub(crate) look: Option<(usize, usize)>,
}

/// The flag that makes runs comparable which their settings keep apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Flag {
    /// Settings in which each variant has its own value.
    Across(Vec<String>),
    /// A column each of whose values has one run of every variant.
    Pairs(String),
    /// A column whose values each belong to one variant, with the column of the run.
    Levels(Vec<String>),
}

impl Flag {
    /// The next step that names it.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Across(settings) => {
                let (named, flag) = (format::list(settings), argument(&settings.join(",")));
                format!(
                    "if the variants differ in {named} intentionally, compare across it: --across-setting {flag}; if not, \
                     run both with the same {named}."
                )
            }
            Self::Pairs(column) => format!(
                "each {column} has one run of every variant: compare inside it, with --pair-column {} --paired.",
                argument(column)
            ),
            Self::Levels(columns) => {
                let [outer, ..] = &columns[..] else { return String::new() };
                format!(
                    "no two variants share a {outer}: take each {outer} as one repeat, with --run-column {}.",
                    argument(&columns.join(","))
                )
            }
        }
    }

    /// The words to add to the call; none where it takes a decision of the user.
    fn command(&self) -> NextCommand {
        let words = match self {
            Self::Across(_) => return NextCommand::Nothing,
            Self::Pairs(column) => vec!["--paired", "--pair-column", column],
            Self::Levels(columns) => {
                let names = columns.join(",");
                return NextCommand::Again(vec!["--run-column".to_owned(), names]);
            }
        };
        NextCommand::Again(words.into_iter().map(str::to_owned).collect())
    }
}

impl Comparison {
    /// Makes a flag the next step.
    pub(crate) fn suggest(&mut self, flag: &Flag) {
        (self.next_step, self.next_command) = (flag.words(), flag.command());
    }
}

/// The next step of a comparison.
pub(crate) fn next_step(comparison: &Comparison, hints: &Hints) -> Next {
    let legend = format!("(A = {}, B = {})", comparison.baseline.name, comparison.candidate.name);
    match comparison.headline {
        Headline::NotComparable => Next::from(not_comparable(comparison)),
        Headline::NoVerdict if single(comparison) && undirected(comparison).is_none() => {
            Next::from(single_runs(comparison, &legend))
        }
        Headline::NoVerdict => no_verdict(comparison, hints.runs_needed),
        _ => within_noise(comparison, hints, &legend),
    }
}

/// The runs to make where a variant has one.
fn single_runs(comparison: &Comparison, legend: &str) -> String {
    let (a, b) = (&comparison.baseline, &comparison.candidate);
    let rows = name_the_run(comparison);
    if a.runs.max(b.runs) > 1 {
        let name = if a.runs == 1 { &a.name } else { &b.name };
        let how = if streams(comparison) { ", prefix cache reset" } else { "" };
        return format!(
            "{MORE_AFTER_ONE} more runs of {name}, alternating with the other{how}{rows}."
        );
    }
    let order = order_of_runs(MORE_AFTER_ONE);
    let how = if streams(comparison) { ", same seed, prefix cache reset" } else { "" };
    let or = match (rows, takes_iterations(comparison)) {
        ("", false) => "; or let `beyondnoise run` make the runs",
        ("", true) => OR_ITERATIONS,
        _ => "",
    };
    format!("{MORE_AFTER_ONE} more runs of each in the order `{order}` {legend}{how}{rows}{or}.")
}

impl Report {
    /// Makes `command` the next step of metrics within noise if a planned look is left.
    pub fn go_on_with(&mut self, command: &str) {
        let Some(look) = &self.settings.look else { return };
        let Some(runs) = look.runs.get(look.number) else { return };
        let next = format!(
            "go on to look {} of {}, after {runs} runs of each: {command}",
            look.number + 1,
            look.of
        );
        let open = |one: &&mut Comparison| one.headline == Headline::WithinNoise;
        for comparison in self.comparisons.iter_mut().filter(open) {
            comparison.next_step.clone_from(&next);
            comparison.next_command = NextCommand::Line(command.to_owned());
        }
    }
}

/// The next look, pairs, a warm-up or suspected runs, and more runs.
fn within_noise(comparison: &Comparison, hints: &Hints, legend: &str) -> Next {
    if let Some((number, of)) = hints.look.filter(|(number, of)| number < of) {
        let next = number + 1;
        let step = format!(
            "go on to look {next} of {of} as planned, and judge it with --look {next}/{of}."
        );
        // Typed now, it would judge the old runs by a later look.
        return Next::from(step);
    }
    if let Some((label, interval)) = &hints.in_pairs {
        let command = NextCommand::again(&["--paired"]);
        return Next { command, ..Next::from(in_pairs(label, *interval)) };
    }
    let first = warm_up(comparison).or_else(|| suspects(&hints.suspects)).unwrap_or_default();
    let more = more_runs(comparison, legend);
    if more.more.is_none()
        && let Some(alone) = first.strip_suffix(AS_THEY_ARE)
    {
        // The runs come first: without them nothing is said of stopping.
        return Next::from(format!("{alone}."));
    }
    Next { step: format!("{first}{}", more.step), ..more }
}

/// Words between a first step and the step for more runs.
const AS_THEY_ARE: &str = "; with the runs as they are: ";

/// The warning names the noise that this omits.
pub(crate) const OR_ITERATIONS: &str =
    "; or take the iterations of a process as runs: --unit iteration";

/// The remedy for a table of requests that does not name their runs.
fn name_the_run(comparison: &Comparison) -> &'static str {
    if comparison.checks.iter().any(|check| check.details == Details::UnnamedRuns) {
        "; name the run of every row in a column `run` (also if the table holds several already), or give a \
         file per run"
    } else {
        ""
    }
}

/// The next step for runs that cannot be compared.
fn not_comparable(comparison: &Comparison) -> String {
    match obstacle(comparison).map(|(check, _)| check.id) {
        Some(CheckId::ToolMismatch) => {
            "measure both variants with the same client, in the same version."
        }
        Some(CheckId::WorkloadMismatch) => {
            "run both variants with the same settings: those that differ are named above."
        }
        Some(CheckId::EnvMismatch) => "run both variants on the same device model.",
        Some(CheckId::UnitSuspect) => {
            "find out in which unit each input gives the metric, and convert one of them."
        }
        Some(CheckId::FailedRuns) => {
            "find out why runs failed, and measure again: the runs that are left are not a fair sample."
        }
        _ => "find out why requests failed, and measure again without failures.",
    }
    .to_owned()
}

/// Whether the client measures a server that streams tokens, which has seeds and a prefix cache.
pub(crate) fn streams(comparison: &Comparison) -> bool {
    let tokens = |row: &Row| {
        matches!(Metric::named(&row.metric).family, Family::Ttft | Family::Tpot | Family::Itl)
    };
    comparison.metrics.iter().any(tokens)
}

/// The next step for first runs that may change the headline.
fn warm_up(comparison: &Comparison) -> Option<String> {
    let mut checks = comparison.checks.iter().filter(|check| check.could_flip);
    checks.find(|check| [CheckId::SlowFirstRun, CheckId::CacheWarm].contains(&check.id))?;
    let how = if streams(comparison) { " (reset the cache)" } else { "" };
    Some(format!(
        "make the first run of each a warm-up{how} and repeat it; with the runs as they are: "
    ))
}

/// The next step where the runs have pairs and these show a change.
fn in_pairs(label: &str, [low, high]: [f64; 2]) -> String {
    let ends = |end: f64| format::change(end, 1).trim_end_matches(" %").to_owned();
    format!(
        "compare the runs in pairs, with --paired: the interval of {label} is then {} … {}.",
        ends(low),
        ends(high)
    )
}

/// The next step for outliers, before more runs are made.
fn suspects(suspects: &[String]) -> Option<String> {
    let them = if suspects.len() == 1 { "it" } else { "them" };
    let named = format::first_few(suspects, MOST_SUSPECTS, String::clone);
    (!suspects.is_empty()).then(|| {
        format!(
            "first look at {named}, and make {them} again if something went wrong; with the runs as they are: "
        )
    })
}

fn no_verdict(comparison: &Comparison, runs_needed: Option<usize>) -> Next {
    if let Some(n) = runs_needed.filter(|_| undirected(comparison).is_none()) {
        let step = format!("make {n} runs of each, or use --across mean.");
        return Next { command: NextCommand::again(&["--across", "mean"]), ..Next::from(step) };
    }
    Next::from(doubtful_columns(comparison).unwrap_or_else(|| to_be_judged(comparison)))
}

/// The next step where columns may be settings, so that the runs may be no repeats.
fn doubtful_columns(comparison: &Comparison) -> Option<String> {
    let check = comparison.checks.iter().find(|check| check.id == CheckId::DoubtfulReading)?;
    let columns = check.evidence.get("columns")?.as_array()?.iter();
    let columns: Vec<String> = columns.filter_map(|name| name.as_str()).map(argument).collect();
    let columns = columns.join(",");
    Some(format!(
        "say how to read {columns}: batch --by {columns} judges each value separately, --pool {columns} takes all runs as \
         repeats."
    ))
}

/// The first metric without a direction, where none decides.
pub(crate) fn undirected(comparison: &Comparison) -> Option<&Row> {
    let mut undirected = comparison.metrics.iter().filter(|row| row.better.is_none());
    undirected.next().filter(|_| comparison.deciding().next().is_none())
}

/// The next step where nothing is judged, and more runs alone would not change that.
fn to_be_judged(comparison: &Comparison) -> String {
    if let Some(row) = undirected(comparison) {
        format!("say which way is better: {}.", either_way(row))
    } else if comparison.checks.iter().any(|check| check.id == CheckId::ContradictingMetrics) {
        "find out why the outputs differ (lengths, sampling, prompts), or name the metrics that count with \
         --metric."
            .to_owned()
    } else if lacks_units(comparison) {
        let unit = comparison.levels.as_ref().map_or("", |levels| &levels.unit);
        format!("measure both variants on the same `{unit}`, or each on several.")
    } else if comparison.deciding().next().is_none() {
        "name a metric that both variants have: --metric NAME:lower or NAME:higher.".to_owned()
    } else {
        "judge another metric, or measure again: the table lists the reasons.".to_owned()
    }
}

/// `--metric my_score:lower or --metric my_score:higher`
pub(crate) fn either_way(row: &Row) -> String {
    let flag = |way| format!("--metric {}", argument(&format!("{}:{way}", row.metric)));
    ["lower", "higher"].map(flag).join(" or ")
}
