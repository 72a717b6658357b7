//! Sentences and cells of a noise report.

use crate::format;
use crate::noise::{LevelNoise, MetricNoise, NoiseReport, Order, Repeats, WhatHelps};
use crate::report::{atlas, row_text};

/// Splits from which their share is shown in percent.
const MANY_SPLITS: usize = 100;

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

/// The single runs that are taken as repeats of one build.
pub(super) fn pooled(repeats: &Repeats) -> Option<String> {
    let n = repeats.pooled.len();
    (n > 0).then(|| row_text::taken_as_repeats(&repeats.pooled))
}

/// The name of a build in its report, with its workload where workloads differ.
pub(super) fn full_title(repeats: &Repeats, report: &NoiseReport) -> String {
    let one = report.repeats.iter().all(|other| other.workload == repeats.workload);
    if one {
        title(repeats)
    } else {
        format!("{} ({})", title(repeats), repeats.workload.describe())
    }
}

/// The name of a build.
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
        (WhatHelps::LongerRuns, "longer runs would help"),
        (WhatHelps::Both, "longer runs and more of them would both help"),
        (WhatHelps::MoreRuns, "more runs, not longer ones, would help"),
        (WhatHelps::NotKnown, "these runs do not show it yet"),
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
        format::sentence(&parts.join("; "))
    ))
}

/// Where the noise of the leading metrics lies among published set-ups.
pub(super) fn published(repeats: &Repeats) -> Option<String> {
    let each = repeats.leading().filter_map(|metric| {
        let published = metric.published?;
        Some(format!(
            "{} {} (usual {})",
            metric.label,
            atlas::place(published.noisier_of_ten),
            atlas::usual(published.usual_cv)
        ))
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| format!("Against published set-ups: {}.", each.join(", ")))
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
