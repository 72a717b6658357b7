//! A batch as markdown: the count, the cells that moved, everything else folded.

use std::fmt::Write;

use crate::report::Report;
use crate::report::batch::{
    Line, MOST_SHOWN, MOST_WARNINGS, headline, lines, method, next, not_judged, several_candidates,
    warnings,
};
use crate::report::escape::escape;
use crate::report::markdown::{MARKER, MOST_CHARACTERS, skipped};
use crate::report::words;

/// Entries of a list of what was left out.
const MOST_IN_A_LIST: usize = 20;

/// Room kept for what stands below the tables.
const BELOW: usize = 10_000;

/// The report of a batch as markdown, under 60,000 characters whatever its size.
///
/// A report without a batch gives an empty text.
pub fn batch_markdown(report: &Report) -> String {
    let mut out = String::new();
    let Some(batch) = &report.batch else { return out };
    let mut line = |text: &str| writeln!(out, "{text}").expect("writing to a String cannot fail");
    let icon = report.comparisons.first().map_or("❔", |worst| words::icon(worst.headline));
    line(&format!("### {icon} beyondnoise: {}\n", escape(&headline(batch, report))));
    let moved = lines(report, batch, false);
    let several = several_candidates(report);
    if !moved.is_empty() {
        line(&table(report, &moved[..moved.len().min(MOST_SHOWN)], several));
    }
    for text in &report.repeats {
        line(&format!("- {}", escape(text)));
    }
    for warning in warnings(report).iter().take(MOST_WARNINGS) {
        line(&format!("- ⚠️ {}", escape(warning)));
    }
    line(&format!("\n**Next:** {}\n", escape(&next(report, batch))));
    let all = lines(report, batch, true);
    let rest = if moved.len() > MOST_SHOWN || all.len() > moved.len() { &all[..] } else { &[] };
    let used = out.chars().count();
    let mut line = |text: &str| writeln!(out, "{text}").expect("writing to a String cannot fail");
    if !rest.is_empty() {
        let text = fitting(
            report,
            rest,
            several,
            MOST_CHARACTERS - BELOW - used.min(MOST_CHARACTERS - BELOW),
        );
        line(&format!(
            "<details><summary>all {} comparisons, the worst first</summary>\n",
            rest.len()
        ));
        line(&text);
        line("</details>\n");
    }
    let open = not_judged(report, batch, false);
    let left_out: Vec<String> =
        open.iter().chain(&skipped(report)).map(|text| escape(text)).collect();
    for text in left_out
        .iter()
        .take(MOST_IN_A_LIST)
        .filter(|text| text.len() < BELOW / (2 * MOST_IN_A_LIST))
    {
        line(&format!("- {text}"));
    }
    if left_out.len() > MOST_IN_A_LIST {
        line(&format!("- and {} more left out", left_out.len() - MOST_IN_A_LIST));
    }
    line(&format!("\n<sub>{}</sub>\n\n{MARKER}", escape(&method(report, batch))));
    out
}

/// The table of as many lines as there is room for.
fn fitting(report: &Report, lines: &[Line], several: bool, room: usize) -> String {
    let mut most = lines.len();
    loop {
        let text = table(report, &lines[..most], several);
        let size = text.chars().count();
        if size <= room || most == 0 {
            let left = lines.len() - most;
            return if left == 0 {
                text
            } else {
                format!("{text}\n{left} more stand in `--format csv` and `--format json`.\n")
            };
        }
        most = (most * room / size).min(most - 1);
    }
}

fn table(report: &Report, lines: &[Line], several: bool) -> String {
    let Some(batch) = &report.batch else { return String::new() };
    let mut heads: Vec<String> = batch.by.iter().map(|name| escape(name)).collect();
    if several {
        heads.push("candidate".to_owned());
    }
    let names = "---|".repeat(heads.len());
    let level = report.comparisons.first().map(words::level).unwrap_or_default();
    heads.extend(["metric".to_owned(), "change".to_owned(), level, "verdict".to_owned()]);
    let mut out = format!("| {} |\n|{names}---|--:|:-:|---|\n", heads.join(" | "));
    for line in lines {
        let mut cells: Vec<String> = line.cell.iter().map(|value| escape(value)).collect();
        if several {
            let (a, b) = (&line.comparison.baseline.name, &line.comparison.candidate.name);
            cells.push(format!("{} against {}", escape(b), escape(a)));
        }
        cells.extend([
            escape(line.metric),
            line.change.clone(),
            line.interval.clone(),
            escape(&line.verdict),
        ]);
        writeln!(out, "| {} |", cells.join(" | ")).expect("writing to a String cannot fail");
    }
    out
}
