//! How the numbers of a report were made, in one line.

use crate::report::adjusted::one_list;
use crate::report::format;
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
    let adjusted = match (&report.batch, several) {
        (Some(_), _) => String::new(),
        (None, true) => one_list(report),
        (None, false) => {
            " Deciding metrics corrected by Holm, all others by Benjamini-Hochberg.".to_owned()
        }
    };
    let shown = " Intervals shown agree with the corrected p-values; those of guards, and of metrics that measure \
                 the same thing as a deciding one, are not corrected.";
    format!(
        "{} intervals of the {} over runs: {interval}{resampled}.{pairs}{look}{lent}{adjusted}{shown} ± is the \
         run-to-run CV; the noise floor is half the width of the interval. beyondnoise {}.",
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
