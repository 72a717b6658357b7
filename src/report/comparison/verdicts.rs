//! The words of the verdict on a row.

use crate::format::{self, shortened};
use crate::report::Row;
use crate::report::comparison::words::word;
use crate::verdict::Verdict;

/// Columns of the name of a run.
const RUN: usize = 24;

/// Whether a row is judged by its difference, since ratios do not exist.
fn by_difference(row: &Row) -> bool {
    row.delta.relative.is_none() && row.verdict != Verdict::NotJudged && !row.exact
}

/// The run without which the verdict of a row differs: `, rests on run-07`.
fn rests_on(row: &Row) -> String {
    match &row.rests_on[..] {
        [] => String::new(),
        [only] => {
            let name = only.rsplit_once(" of ").map_or(only.as_str(), |(run, _)| run);
            format!(", rests on {}", shortened(name, RUN))
        }
        several => format!(", rests on {} runs", several.len()),
    }
}

/// The words of a row's verdict for a narrow column.
pub(crate) fn short_verdict(row: &Row) -> String {
    let margin = format::chosen(row.margin);
    match row.verdict {
        _ if row.exact || row.baseline.averaged.is_some() => verdict(row),
        Verdict::WithinNoise | Verdict::Better | Verdict::Worse if by_difference(row) => {
            format!("{} (no ratio)", word(row.verdict))
        }
        Verdict::TinyBetter => format!("better, under {margin}"),
        Verdict::TinyWorse => format!("worse, under {margin}"),
        Verdict::NoChange => format!("no change (±{margin})"),
        Verdict::WithinNoise => "within noise".to_owned(),
        Verdict::Better | Verdict::Worse | Verdict::NotJudged => verdict(row),
    }
}

/// The words of a row's verdict for a narrow column, and the rest for a wider one.
pub(crate) fn verdict_parts(row: &Row) -> (String, String) {
    let short = short_verdict(row);
    let whole = verdict(row);
    match row.verdict {
        _ if by_difference(row) => (short, format!(": {}", row.reason)),
        Verdict::WithinNoise => {
            let more = whole.strip_prefix(&short).unwrap_or_default().to_owned();
            (short, more)
        }
        _ => (short, String::new()),
    }
}

pub(crate) fn verdict(row: &Row) -> String {
    let from = if row.baseline.averaged.is_some() && row.verdict != Verdict::NotJudged {
        ", from averages"
    } else {
        ""
    };
    format!("{}{from}", verdict_alone(row))
}

fn verdict_alone(row: &Row) -> String {
    if by_difference(row) {
        // The margin of a ratio means nothing here.
        let word = match row.verdict {
            Verdict::TinyBetter => "better, but too small to matter",
            Verdict::TinyWorse => "worse, but too small to matter",
            Verdict::NoChange => word(Verdict::WithinNoise),
            other => word(other),
        };
        return format!("{word} ({})", row.reason);
    }
    let margin = format::chosen(row.margin);
    match row.verdict {
        Verdict::Better | Verdict::Worse => format!("{}{}", word(row.verdict), rests_on(row)),
        Verdict::TinyBetter => format!("better, but under the {margin} that matters"),
        Verdict::TinyWorse => format!("worse, but under the {margin} that matters"),
        Verdict::NoChange if row.exact => "unchanged".to_owned(),
        Verdict::NoChange => format!("no change (within ±{margin})"),
        Verdict::WithinNoise => {
            let hidden =
                row.delta.relative_ci_adjusted.map(|[low, high]| low.abs().max(high.abs()));
            let hidden = hidden.map_or(String::new(), |size| {
                format!(": could hide up to ±{}", format::percent(size))
            });
            format!("within noise{hidden}")
        }
        Verdict::NotJudged => format!("not judged: {}", row.reason),
    }
}
