//! How the numbers of a report were made, in one line.

use crate::format;
use crate::report::comparison::adjusted::{correction, one_list};
use crate::report::comparison::{control, levels, row_text, sessions, words};
use crate::report::{Among, BatchRow, LookRow, Report, Settings};
use crate::stats::{Across, Method, Resampled};

/// The meaning of the table's numbers, in a sentence or two.
pub(crate) fn hint(report: &Report) -> String {
    let across = report.settings.across;
    let centre =
        if across == Across::MEAN { String::new() } else { format!(" of the {}", across.words()) };
    let runs = if in_pairs(report) { "pairs of runs" } else { "runs" };
    let nested = report.comparisons.iter().find_map(levels::interval_over);
    let runs = nested.unwrap_or_else(|| runs.to_owned());
    let spread = report.comparisons.iter().find_map(levels::spread_of);
    let spread = spread.unwrap_or_else(|| "run-to-run CV".to_owned());
    let rows = || report.comparisons.iter().flat_map(|one| &one.metrics);
    let intervals = rows().any(words::has_interval).then(|| {
        let level = format::confidence(report.settings.confidence);
        let look = report.settings.look.as_ref().filter(|look| look.runs.len() > 1);
        let looks = look.map_or(String::new(), |look| {
            let overall = format::confidence(look.overall_confidence);
            format!(" ({overall} over {} planned looks)", look.of)
        });
        let equal = rows().find(|row| row_text::shows_equality(row));
        let equal = equal.map_or(String::new(), |row| {
            format!(", {} of no change", format::confidence(row.delta.equivalence_confidence))
        });
        format!("{level} intervals{looks}{centre} over {runs}{}{equal}", correction(report))
    });
    let spreads = rows().any(|row| row.baseline.cv.or(row.candidate.cv).is_some());
    let spreads = (spreads && report.comparisons.len() == 1 && report.batch.is_none())
        .then(|| format!("± is the {spread}"));
    let judged = Some("only the metrics shown are judged".to_owned());
    let intervals = intervals.into_iter().chain(sessions::parts(report));
    let parts: Vec<String> = intervals.chain(spreads).chain(judged).collect();
    format!(
        "{}.{}",
        format::sentence(&parts.join("; ")),
        control::how_often(report) + &words::any_lent(report)
    )
}

/// Whether runs are compared in pairs; too few blocks of runs are not, although the user asks for it.
fn in_pairs(report: &Report) -> bool {
    report.settings.paired && report.comparisons.iter().any(|one| one.paired)
}

/// How the numbers were made.
pub(crate) fn method(report: &Report) -> String {
    let settings = &report.settings;
    let of_four = settings.paired && report.comparisons.iter().any(|one| one.levels.is_some());
    let interval = match settings.method {
        Method::Calibrated if of_four && settings.across == Across::MEAN => {
            "Student's t interval over blocks"
        }
        _ if sessions::are_inside(report) => "Student's t interval inside sessions",
        _ if settings.across.has_rank_interval() => "rank sum interval over pairs of runs",
        Method::Calibrated => "calibrated bootstrap over runs",
        Method::Percentile => "percentile bootstrap over runs (too narrow with few runs)",
        Method::Bca => "BCa bootstrap over runs (too narrow with few runs)",
        Method::Welch => "Welch t interval over runs",
    };
    let resampled = resampled(settings);
    let pairs = match (in_pairs(report), of_four) {
        (_, true) => " Runs are compared by blocks A B B A.",
        (true, false) => " Runs are compared pair by pair.",
        (false, _) => "",
    };
    let nested = report.comparisons.iter().find_map(levels::interval_over);
    let nested = nested
        .map_or(String::new(), |what| format!(" Repeats are nested: intervals are over {what}."));
    let spread = report.comparisons.iter().find_map(levels::spread_of);
    let spread = spread.unwrap_or_else(|| "run-to-run CV".to_owned());
    let look = settings.look.as_ref().filter(|look| look.of > 1);
    let look = look.map_or(String::new(), |look| one_look(settings, look));
    let lent = words::any_lent(report);
    let several = report.comparisons.iter().any(|one| matches!(one.among, Among::Comparisons(_)));
    let list = if report.batch.is_some() { String::new() } else { one_list(report) };
    let adjusted = if several || report.batch.is_some() {
        format!(
            "{list} Intervals of changes that are called keep the false coverage rate (Benjamini-Yekutieli), so that they \
             agree with the corrected p-values."
        )
    } else if !report.sweeps.is_empty() {
        list
    } else {
        " Deciding metrics corrected by Holm, all others by Benjamini-Hochberg, and the intervals with them; guards, and \
         metrics that measure the same thing as a deciding one, are not corrected."
            .to_owned()
    };
    let batch = report.batch.as_ref().map_or(String::new(), |batch| one_batch(report, batch));
    format!(
        "{batch}{0} intervals of the {1} over runs: {interval}{resampled}.{pairs}{nested}{look}{lent}{adjusted} ± is the \
         {spread}; the noise floor is half the width of the {0} interval. beyondnoise {2}.",
        format::confidence(settings.confidence),
        settings.across.words(),
        report.version
    )
}

/// The effect of a planned look on its intervals.
fn one_look(settings: &Settings, look: &LookRow) -> String {
    let (own, overall) = (settings.confidence, look.overall_confidence);
    let (own, overall) = (format::confidence(own), format::confidence(overall));
    let (number, of) = (look.number, look.of);
    if look.runs.is_empty() {
        return format!(
            " Look {number} of {of} planned: at {own} all looks together err as one at {overall} would."
        );
    }
    let runs: Vec<String> = look.runs.iter().map(usize::to_string).collect();
    format!(
        " Look {number} of {of}, planned after {} runs of each: intervals are at {own}, so that all looks together err as \
         one at {overall} would. They are wider for it, and hold also where the runs stop early. No change is judged by \
         the {} interval.",
        format::list(&runs),
        format::confidence(look.equality_confidence)
    )
}

/// How the resamples were made; nothing where there are none.
fn resampled(settings: &Settings) -> String {
    let ways = settings.resampled.iter().map(|way| match way {
        Resampled::All => "every resample".to_owned(),
        Resampled::ClosedForm => "their law in closed form".to_owned(),
        Resampled::Drawn => {
            format!("{} resamples drawn from seed {}", settings.resamples, settings.seed)
        }
    });
    match &ways.collect::<Vec<_>>()[..] {
        [] => String::new(),
        [only] => format!(", {only}"),
        [several @ .., last] => {
            format!(", {} or {last}, as the number of runs asks for", several.join(", "))
        }
    }
}

/// How the cells of a batch were judged.
fn one_batch(report: &Report, batch: &BatchRow) -> String {
    // Few runs have no far tail to resample, and a long list is decided there.
    let unless = match report.settings.method {
        Method::Welch => "",
        _ => " (more with few runs and this method: welch keeps to it)",
    };
    format!(
        "All cells are judged as one list (Benjamini-Hochberg): at most {} of the changes found are false alarms on \
         average{unless}. ",
        format::chosen(batch.false_discovery_rate)
    )
}
