//! How the numbers of a report were made, in one line.

use crate::format;
use crate::report::adjusted::one_list;

use crate::report::levels;
use crate::report::words;
use crate::report::{Report, Settings};

/// How the numbers were made, in one line.
pub(super) fn method(report: &Report) -> String {
    let settings = &report.settings;
    let interval = match settings.method {
        _ if settings.across == "hodges-lehmann" => "rank sum interval over pairs of runs",
        "calibrated" => "calibrated bootstrap over runs",
        "percentile" => "percentile bootstrap over runs (too narrow with few runs)",
        "bca" => "BCa bootstrap over runs (too narrow with few runs)",
        _ => "Welch t interval over runs",
    };
    let resampled = resampled(settings);
    let pairs = if settings.paired { " Runs are compared pair by pair." } else { "" };
    let nested = report.comparisons.iter().find_map(levels::interval_over);
    let nested = nested
        .map_or(String::new(), |what| format!(" Repeats are nested: intervals are over {what}."));
    let spread = report.comparisons.iter().find_map(levels::spread_of);
    let spread = spread.unwrap_or_else(|| "run-to-run CV".to_owned());
    let look = settings.look.map_or(String::new(), |look| {
        format!(
            " Look {} of {} planned: at {} all looks together err as one at {} would.",
            look.number,
            look.of,
            format::confidence(settings.confidence),
            format::confidence(look.overall_confidence)
        )
    });
    let lent = words::any_lent(report);
    let several = report.comparisons.iter().any(|one| one.among > 1);
    let list = if report.batch.is_some() { String::new() } else { one_list(report) };
    let adjusted = if several || report.batch.is_some() {
        format!(
            "{list} Intervals of changes that are called keep the false coverage rate (Benjamini-Yekutieli), so that they \
             agree with the corrected p-values."
        )
    } else {
        " Deciding metrics corrected by Holm, all others by Benjamini-Hochberg, and the intervals with them; guards, and \
         metrics that measure the same thing as a deciding one, are not corrected."
            .to_owned()
    };
    format!(
        "{} intervals of the {} over runs: {interval}{resampled}.{pairs}{nested}{look}{lent}{adjusted} ± is the \
         {spread}; the noise floor is half the width of the interval. beyondnoise {}.",
        format::confidence(settings.confidence),
        words::centre(&settings.across),
        report.version
    )
}

/// How the resamples were made; nothing where there are none.
fn resampled(settings: &Settings) -> String {
    let ways = settings.resampled.iter().map(|way| match *way {
        "all" => "every resample".to_owned(),
        "closed_form" => "their law in closed form".to_owned(),
        _ => format!("{} resamples drawn from seed {}", settings.resamples, settings.seed),
    });
    match &ways.collect::<Vec<_>>()[..] {
        [] => String::new(),
        [only] => format!(", {only}"),
        [several @ .., last] => {
            format!(", {} or {last}, as the number of runs asks for", several.join(", "))
        }
    }
}
