//! Cells and sentences that text and markdown share.

use crate::checks::Severity;
use crate::format;
use crate::noise::{Finding, Help, LevelNoise, MetricNoise, NoiseReport, Order, Repeats};
use crate::report::row_text;

use crate::report::units::{Shown, label, shown_in};

/// Splits from which their share is shown in percent.
const MANY_SPLITS: usize = 100;

/// A table: its head and its rows, the first column words and the others numbers.
pub(super) struct Grid {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// The metrics to be shown: those that decide, or all.
pub(super) fn shown(repeats: &Repeats, all: bool) -> Vec<&MetricNoise> {
    if all { repeats.metrics.iter().collect() } else { repeats.leading().collect() }
}

/// Mean, CV, its interval and the share within the runs.
pub(super) fn spread(metrics: &[&MetricNoise], report: &NoiseReport) -> Grid {
    let within = metrics.iter().any(|metric| metric.within.is_some());
    let runs = metrics.iter().any(|metric| metric.n != metrics[0].n);
    let level = format::confidence(report.settings.confidence);
    let mut head = vec![String::new()];
    head.extend(runs.then(|| "runs".to_owned()));
    head.extend(["mean".to_owned(), "noise".to_owned(), format!("{level} interval")]);
    head.extend(within.then(|| "within runs".to_owned()));
    let row = |metric: &&MetricNoise| {
        let shown = shown_in(metric.unit, metric.mean.abs());
        let mut row = vec![label(&metric.row_label, metric.unit, shown).to_owned()];
        row.extend(runs.then(|| metric.n.to_string()));
        let known_to = metric.sd.unwrap_or(0.0).max(2.0 * metric.resolution);
        row.push(shown.map_or_else(
            || format::with_noise(metric.mean, known_to),
            |Shown { factor, unit }| {
                format!("{} {unit}", format::with_noise(metric.mean * factor, known_to * factor))
            },
        ));
        row.push(cv(metric));
        row.push(metric.cv_interval.map_or_else(|| "none".to_owned(), format::percents));
        row.extend(within.then(|| {
            metric.within.map_or_else(
                || "not known".to_owned(),
                |within| {
                    let [low, high] = within.share_interval.map(format::whole_percent);
                    format!("{} % ({low} … {high})", format::whole_percent(within.share))
                },
            )
        }));
        row
    };
    Grid { head, rows: metrics.iter().map(row).collect() }
}

/// Smallest changes that some usual numbers of runs find; `None` where no metric has a CV.
pub(super) fn finds(metrics: &[&MetricNoise]) -> Option<Grid> {
    let known = || metrics.iter().filter(|metric| !metric.detectable.is_empty());
    let sizes = known().next()?.detectable.iter().map(|found| format!("{} runs", found.runs));
    let head = std::iter::once("smallest change with".to_owned()).chain(sizes).collect();
    let row = |metric: &&MetricNoise| {
        let found = metric.detectable.iter().map(|found| format::smallest_change(found.change));
        std::iter::once(metric.row_label.clone()).chain(found).collect()
    };
    Some(Grid { head, rows: known().map(row).collect() })
}

/// Both tables in one, for where there is room.
pub(super) fn spread_and_finds(metrics: &[&MetricNoise], report: &NoiseReport) -> Grid {
    let mut grid = spread(metrics, report);
    let Some(first) = metrics.iter().find(|metric| !metric.detectable.is_empty()) else {
        return grid;
    };
    grid.head.extend(first.detectable.iter().map(|found| format!("{} runs find", found.runs)));
    for (row, metric) in grid.rows.iter_mut().zip(metrics) {
        row.extend(metric.detectable.iter().map(|found| format::smallest_change(found.change)));
        row.resize(grid.head.len(), "none".to_owned());
    }
    grid
}

/// The CV of a table: `0.5 %`, `≥ 0.4 %` where printing hides it, `none`.
pub(super) fn cv(metric: &MetricNoise) -> String {
    match metric.cv {
        Some(cv) if cv < 0.000_05 => "< 0.01 %".to_owned(),
        Some(cv) if metric.cv_from_printing => format!("≥ {}", format::percent(cv)),
        Some(cv) => format::percent(cv),
        None => "none".to_owned(),
    }
}

/// How each level of nested repeats varies in the leading metric, and where one more repeat buys most.
pub(super) fn levels(repeats: &Repeats) -> Option<String> {
    let metric = repeats.leading().next().filter(|metric| !metric.levels.is_empty())?;
    let name = |level: &LevelNoise| {
        level.column.clone().unwrap_or_else(|| "values inside a run".to_owned())
    };
    let part = |level: &LevelNoise| {
        let cv = level.cv.map_or_else(|| "not known".to_owned(), format::percent);
        format!("{} {cv} ({})", name(level), level.units)
    };
    let parts: Vec<String> = metric.levels.iter().map(part).collect();
    let largest = metric.levels.iter().filter(|level| level.share.is_some());
    let largest = largest.max_by(|a, b| a.share.unwrap_or(0.0).total_cmp(&b.share.unwrap_or(0.0)));
    let advice = largest.map_or(String::new(), |level| {
        format!(
            " One more repeat buys most at the level {}: {} % of the variance of the mean comes from it.",
            name(level),
            format::whole_percent(level.share.unwrap_or(0.0))
        )
    });
    let label = &metric.label;
    Some(format!("CV of {label} by level (number of units): {}.{advice}", parts.join(", ")))
}

/// What the variant and its runs are called, where that is not plain.
pub(super) fn pooled(repeats: &Repeats) -> Option<String> {
    let n = repeats.pooled.len();
    (n > 0).then(|| row_text::taken_as_repeats(&repeats.pooled))
}

/// What a build is called among all of a report: with its workload where these differ.
pub(super) fn full_title(repeats: &Repeats, report: &NoiseReport) -> String {
    let one = report.repeats.iter().all(|other| other.workload == repeats.workload);
    if one {
        title(repeats)
    } else {
        format!("{} ({})", title(repeats), repeats.workload.describe())
    }
}

/// What a build is called.
pub(super) fn title(repeats: &Repeats) -> String {
    match (&repeats.variant, &repeats.pooled[..]) {
        (Some(variant), _) => variant.clone(),
        (None, [first, .., last]) => format!("{first} … {last}"),
        (None, _) => String::new(),
    }
}

/// Whether longer or more runs would lower the noise.
pub(super) fn within(repeats: &Repeats) -> Option<String> {
    let known: Vec<_> =
        repeats.leading().filter_map(|metric| Some((metric, metric.within?))).collect();
    let (first, detail) = known.first()?;
    let parts = [
        (Help::LongerRuns, "longer runs would help"),
        (Help::Both, "longer runs and more of them would both help"),
        (Help::MoreRuns, "more runs, not longer ones, would help"),
        (Help::NotKnown, "these runs cannot tell yet"),
    ]
    .map(|(help, words)| {
        let of = known.iter().filter(|(_, within)| within.help == help);
        let of: Vec<&str> = of.map(|(metric, _)| metric.label.as_str()).collect();
        (!of.is_empty()).then(|| format!("for {} {words}", of.join(" and ")))
    });
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let of = match first.n - detail.runs {
        0 => String::new(),
        _ => format!(" of {} of them", detail.runs),
    };
    Some(format!(
        "Longer or more runs? {}. (The share within the runs, with its 90 % interval, is from the requests{of}.)",
        capital(&parts.join("; "))
    ))
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// How often halves of the runs differ.
pub(super) fn halves(repeats: &Repeats, report: &NoiseReport) -> Option<String> {
    let known: Vec<_> =
        repeats.leading().filter_map(|metric| Some((metric, metric.halves?))).collect();
    let (_, first) = known.first()?;
    let many = first.splits >= MANY_SPLITS;
    let find = if many || first.flagged > 1 { "find" } else { "finds" };
    let each: Vec<String> = known
        .iter()
        .map(|(metric, halves)| {
            let flagged = match halves.flagged {
                0 => "none".to_owned(),
                _ if many => format::percent(halves.share),
                n => n.to_string(),
            };
            (flagged, &metric.label)
        })
        .enumerate()
        .map(|(index, (flagged, label))| {
            let verb = if index == 0 { format!(" {find} a change") } else { String::new() };
            format!("{flagged}{verb} in {label}")
        })
        .collect();
    let splits = format::count(first.splits);
    let ways = if first.all { format!("the {splits}") } else { format!("{splits} random") };
    let alpha = format::chosen(1.0 - report.settings.confidence);
    Some(format!(
        "False alarms: of {ways} ways to compare one half of these runs with the other, {} ({alpha} expected; the \
         ways overlap, so this is rough).",
        each.join(", ")
    ))
}

/// Findings to be read before the rest.
pub(super) fn warnings(repeats: &Repeats) -> impl Iterator<Item = &Finding> {
    repeats.findings.iter().filter(|finding| finding.severity == Severity::Warn)
}

/// Findings of little weight.
pub(super) fn notes(repeats: &Repeats) -> impl Iterator<Item = &Finding> {
    repeats.findings.iter().filter(|finding| finding.severity != Severity::Warn)
}

/// A finding and what to do about it.
pub(super) fn told(finding: &Finding) -> String {
    format!("{} {}", finding.message, finding.advice)
}

/// The runs in their order.
pub(super) fn runs(repeats: &Repeats) -> String {
    let order = match repeats.order {
        Order::Started => "their start",
        Order::FileNames => "their file names",
        Order::Places => "their places in the file",
    };
    format!("Runs in the order of {order}: {}.", row_text::code_list(&repeats.runs))
}

/// How the numbers were made.
pub(super) fn method(report: &NoiseReport) -> String {
    let settings = &report.settings;
    format!(
        "Noise is the run-to-run CV (standard deviation of the logarithms). A smallest change is found with {} \
         power at {} confidence, in one metric alone, by that many runs of each of two builds.",
        format::chosen(settings.power),
        format::confidence(settings.confidence)
    )
}

/// A table of many builds of one workload.
pub(super) struct Glance {
    pub(super) workload: String,
    pub(super) grid: Grid,
}

/// Columns of metrics in a table of many builds.
const MOST_COLUMNS: usize = 3;

/// Number of runs for which a table of many builds says what they find.
const USUAL_RUNS: usize = 5;

/// A table per workload, the noisiest builds first.
pub(super) fn glances(report: &NoiseReport) -> Vec<Glance> {
    let mut workloads: Vec<Vec<&Repeats>> = Vec::new();
    for repeats in &report.repeats {
        match workloads.iter_mut().find(|known| known[0].workload == repeats.workload) {
            Some(known) => known.push(repeats),
            None => workloads.push(vec![repeats]),
        }
    }
    workloads
        .into_iter()
        .map(|builds| {
            let workload = builds[0].workload.describe();
            Glance { workload, grid: glance(&builds) }
        })
        .collect()
}

fn glance(builds: &[&Repeats]) -> Grid {
    let mut columns: Vec<&MetricNoise> = Vec::new();
    for metric in builds.iter().flat_map(|repeats| repeats.leading()) {
        if columns.len() < MOST_COLUMNS && !columns.iter().any(|c| c.metric == metric.metric) {
            columns.push(metric);
        }
    }
    let mut head = vec!["noise of".to_owned(), "runs".to_owned()];
    head.extend(columns.iter().map(|metric| metric.row_label.clone()));
    head.extend([format!("{USUAL_RUNS} runs find"), "findings".to_owned()]);
    let row = |repeats: &&Repeats| {
        let of = |name: &str| repeats.metrics.iter().find(|metric| metric.metric == name);
        let mut row = vec![title(repeats), repeats.runs.len().to_string()];
        row.extend(columns.iter().map(|column| of(&column.metric).map_or_else(String::new, cv)));
        let first = repeats.leading().next();
        let usual =
            first.and_then(|first| first.detectable.iter().find(|found| found.runs == USUAL_RUNS));
        row.push(usual.map_or_else(String::new, |found| format::smallest_change(found.change)));
        let ids: Vec<&str> = warnings(repeats).map(|finding| finding.id).collect();
        row.push(ids.join(", "));
        row
    };
    Grid { head, rows: builds.iter().map(row).collect() }
}

/// Warnings of many builds, each with the build that it is about.
pub(super) fn warnings_of_all(report: &NoiseReport) -> Vec<String> {
    let of = |repeats| move |finding| format!("{}: {}", full_title(repeats, report), told(finding));
    report.repeats.iter().flat_map(|repeats| warnings(repeats).take(1).map(of(repeats))).collect()
}
