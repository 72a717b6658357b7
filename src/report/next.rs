//! The one concrete thing to do next, in a sentence, with its command.

use crate::checks::{CheckId, Details};
use crate::format::{self, argument};
use crate::metrics::{Family, Metric};
use crate::plan::{PATTERN, order_of_runs};
use crate::report::command::{NextCommand, plan};
use crate::report::levels::{lacks_units, more_units};
use crate::report::row_text::more;
use crate::report::words::{obstacle, single};
use crate::report::{Comparison, Report, Row};
use crate::verdict::{Headline, Verdict};

/// More runs to advise after a single one.
const MORE_AFTER_ONE: usize = 4;

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

/// The next step in a sentence, and its command, where no verdict asks for one of its own.
pub(crate) fn next_step(comparison: &Comparison, hints: &Hints) -> (String, NextCommand) {
    let legend = format!("(A = {}, B = {})", comparison.baseline.name, comparison.candidate.name);
    match comparison.headline {
        Headline::NotComparable => (not_comparable(comparison), NextCommand::Nothing),
        Headline::NoVerdict if single(comparison) => {
            (single_runs(comparison, &legend), NextCommand::Nothing)
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
    let or = if rows.is_empty() { "; or let `beyondnoise run` make the runs" } else { "" };
    format!("{MORE_AFTER_ONE} more runs of each in the order `{order}` {legend}{how}{rows}{or}.")
}

impl Report {
    /// Makes the `command` that goes on with the planned runs the next step of what is within noise, where a look is left.
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
fn within_noise(comparison: &Comparison, hints: &Hints, legend: &str) -> (String, NextCommand) {
    if let Some((number, of)) = hints.look.filter(|(number, of)| number < of) {
        let next = number + 1;
        let step = format!(
            "go on to look {next} of {of} as planned, and judge it with --look {next}/{of}."
        );
        // Typed now, it would judge the old runs by a later look.
        return (step, NextCommand::Nothing);
    }
    if let Some((label, interval)) = &hints.in_pairs {
        return (in_pairs(label, *interval), NextCommand::Again(&["--paired"]));
    }
    let first = warm_up(comparison).or_else(|| suspects(&hints.suspects)).unwrap_or_default();
    let (more, command) = more_runs(comparison, legend);
    (format!("{first}{more}"), command)
}

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

fn no_verdict(comparison: &Comparison, runs_needed: Option<usize>) -> (String, NextCommand) {
    if let Some(n) = runs_needed.filter(|_| undirected(comparison).is_none()) {
        let step = format!("make {n} runs of each, or use --across mean.");
        return (step, NextCommand::Again(&["--across", "mean"]));
    }
    (to_be_judged(comparison), NextCommand::Nothing)
}

/// The first metric without a direction, where none decides.
fn undirected(comparison: &Comparison) -> Option<&Row> {
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

/// How many more runs settle what is open, the leading metric first.
fn more_runs(comparison: &Comparison, legend: &str) -> (String, NextCommand) {
    let open: Vec<&Row> =
        comparison.deciding().filter(|row| row.verdict == Verdict::WithinNoise).collect();
    let Some((leading, n)) = open.iter().find_map(|row| Some((row, more(row)?))) else {
        let without_ratio = open.iter().all(|row| row.delta.relative.is_none());
        let step = if without_ratio {
            "more runs of each: how many is not known where values are 0 or below."
        } else {
            "longer runs, or a quieter machine: more than 100 runs of each would be needed."
        };
        return (step.to_owned(), NextCommand::Nothing);
    };
    let pattern = if n <= 6 {
        format!("in the order `{}`", order_of_runs(n))
    } else {
        format!("alternating `{PATTERN}`")
    };
    let all = open.iter().map(|row| more(row)).collect::<Option<Vec<usize>>>();
    let all = match all.and_then(|all| all.into_iter().max()) {
        Some(most) if most > n => format!("; {most} for all deciding metrics"),
        None => "; more than 100 for all deciding metrics".to_owned(),
        Some(_) => String::new(),
    };
    let runs = if n == 1 { "run" } else { "runs" };
    let label = &leading.label;
    if let Some(units) = more_units(comparison, n) {
        let step = format!("about {units} would settle {label} (80 % power){all}.");
        return (step, NextCommand::Nothing);
    }
    let step = format!(
        "about {n} more {runs} of each would settle {label} (80 % power), {pattern} {legend}{all}."
    );
    (step, leading.settling.map_or(NextCommand::Nothing, |settling| plan(&settling)))
}
