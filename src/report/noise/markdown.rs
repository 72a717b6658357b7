//! A noise report for an issue or a pull request.

use std::fmt::Write;

use crate::noise::{LeftOut, MetricNoise, NoiseReport, Repeats};
use crate::report::escape::{escape, html};
use crate::report::noise::words::{self, Grid};
use crate::report::noise::{BEFORE_FOLD, ONE_BY_ONE};

/// Hidden mark by which a bot finds its own comment.
const MARKER: &str = "<!-- beyondnoise noise -->";

/// A comment on GitHub holds 65,536 characters.
const MOST_CHARACTERS: usize = 60_000;

/// Characters kept free for what comes last.
const RESERVE: usize = 6_000;

/// Entries of the list of what was left out.
const MOST_LEFT_OUT: usize = 20;

/// The report as markdown, under 60,000 characters whatever its size.
pub fn noise_markdown(report: &NoiseReport) -> String {
    let mut out = format!("### beyondnoise noise: {}\n\n", escape(&report.summary));
    let mut dropped = 0;
    let mut add = |part: &str| {
        if out.chars().count() + part.chars().count() > MOST_CHARACTERS - RESERVE {
            dropped += 1;
        } else {
            out.push_str(part);
        }
    };
    match &report.repeats[..] {
        [only] => {
            add(&section(only, report));
            add(&folded("details", &details(only, report)));
        }
        all if all.len() <= ONE_BY_ONE => {
            for repeats in all {
                add(&format!("**{}**: {}\n\n", title(repeats), escape(&repeats.summary)));
                add(&section(repeats, report));
                let summary = format!("details of {}", html(&words::title(repeats)));
                add(&folded(&summary, &details(repeats, report)));
            }
        }
        all => {
            for glance in words::glances(report) {
                add(&format!("**{}**\n\n{}\n", escape(&glance.workload), table(&glance.grid)));
            }
            for text in words::warnings_of_all(report).iter().take(BEFORE_FOLD) {
                add(&format!("- ⚠️ {}\n", escape(text)));
            }
            add(&format!("\n**Next:** {}\n\n", escape(&report.next_step)));
            for repeats in all {
                let summary = html(&words::full_title(repeats, report));
                let body = format!(
                    "{}\n\n{}{}",
                    escape(&repeats.summary),
                    section(repeats, report),
                    details(repeats, report)
                );
                add(&folded(&summary, &body));
            }
        }
    }
    if dropped > 0 {
        write!(out, "{dropped} parts are left out here; all stands in `--format json`.\n\n")
            .expect("writing to a String cannot fail");
    }
    out.push_str(&left_out(report));
    write!(out, "<sub>{}</sub>\n\n{MARKER}\n", words::method(report))
        .expect("writing to a String cannot fail");
    out
}

fn title(repeats: &Repeats) -> String {
    escape(&words::title(repeats))
}

fn folded(summary: &str, body: &str) -> String {
    if body.is_empty() {
        return String::new();
    }
    format!("<details><summary>{summary}</summary>\n\n{body}\n</details>\n\n")
}

/// What is read first: the table of the deciding metrics, the warnings, the next step.
fn section(repeats: &Repeats, report: &NoiseReport) -> String {
    let mut out = escape(&repeats.workload.describe());
    if let Some(pooled) = words::pooled(repeats) {
        write!(out, ". {}", escape(&pooled)).expect("writing to a String cannot fail");
    }
    out.push_str("\n\n");
    let leading: Vec<&MetricNoise> = repeats.leading().take(BEFORE_FOLD).collect();
    out.push_str(&tables(&leading, report));
    let mut line = |text: &str| writeln!(out, "{text}").expect("writing to a String cannot fail");
    let mut some = false;
    for finding in words::warnings(repeats).take(BEFORE_FOLD) {
        line(&format!("- ⚠️ {}", escape(&words::told(finding))));
        some = true;
    }
    for text in words::levels(repeats).into_iter().chain(words::within(repeats)) {
        line(&format!("- ℹ️ {}", escape(&text)));
        some = true;
    }
    if some {
        line("");
    }
    line(&format!("**Next:** {}\n", escape(&repeats.next_step)));
    out
}

/// The rest: further metrics and findings, false alarms, the runs.
fn details(repeats: &Repeats, report: &NoiseReport) -> String {
    let mut out = String::new();
    let leading: Vec<&str> =
        repeats.leading().take(BEFORE_FOLD).map(|metric| metric.metric.as_str()).collect();
    let rest: Vec<&MetricNoise> =
        repeats.metrics.iter().filter(|m| !leading.contains(&m.metric.as_str())).collect();
    if !rest.is_empty() {
        out.push_str(&tables(&rest, report));
    }
    let more = words::warnings(repeats).skip(BEFORE_FOLD).chain(words::notes(repeats));
    let more = more.map(words::told).chain(words::halves(repeats, report));
    for text in more.chain([words::runs(repeats)]) {
        writeln!(out, "- {}", escape(&text)).expect("writing to a String cannot fail");
    }
    out
}

fn tables(metrics: &[&MetricNoise], report: &NoiseReport) -> String {
    format!("{}\n", table(&words::spread_and_finds(metrics, report)))
}

fn table(Grid { head, rows }: &Grid) -> String {
    let row = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = format!("|---|{}\n", "--:|".repeat(head.len() - 1));
    let rows: String = rows.iter().map(|cells| row(cells)).collect();
    format!("{}{rule}{rows}", row(head))
}

fn left_out(report: &NoiseReport) -> String {
    let line = |LeftOut { place, why }: &LeftOut| {
        format!("- left out: {}: {}.\n", escape(place), escape(why))
    };
    let mut out: String = report.skipped.iter().take(MOST_LEFT_OUT).map(line).collect();
    if report.skipped.len() > MOST_LEFT_OUT {
        let more = report.skipped.len() - MOST_LEFT_OUT;
        writeln!(out, "- left out: {more} more").expect("writing to a String cannot fail");
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}
