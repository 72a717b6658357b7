//! The report for a terminal: the verdict first, a table of the deciding metrics, what to do next.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use crate::checks::Severity;
use crate::format;
use crate::report::adjusted::{correction, why_within_noise};

use crate::report::levels;
use crate::report::markdown::{before_fold, skipped, words_of_warning};
use crate::report::overview::{Overview, at_a_glance, legend};
use crate::report::plot;
use crate::report::text_table::{metric_table, overview_table};
use crate::report::words;
use crate::report::{Comparison, Report, Row};
use crate::verdict::{Headline, Verdict};

/// How the text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "switches that are typed one by one")]
pub struct TextOptions {
    /// Columns of the terminal.
    pub width: u16,
    /// Colour the words of verdicts.
    pub colour: bool,
    /// Show all metrics, notes and the method.
    pub verbose: bool,
    /// Show one line only.
    pub quiet: bool,
    /// Draw the intervals on one axis.
    pub plot: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { width: 80, colour: false, verbose: false, quiet: false, plot: false }
    }
}

/// What makes runs repeats, as paragraphs.
pub(super) fn repeats(out: &mut String, report: &Report, options: TextOptions) {
    for text in &report.repeats {
        paragraph(out, text, options.width, "  ");
    }
    if !report.repeats.is_empty() {
        out.push('\n');
    }
}

/// The report as plain text of `options.width` columns.
pub fn text(report: &Report, options: TextOptions) -> String {
    if options.quiet {
        return first_line(report, options);
    }
    let mut out = String::new();
    let several = report.comparisons.len() != 1;
    if several {
        let worst = report.comparisons.first().map_or(Headline::NoVerdict, |worst| worst.headline);
        let head = format!("beyondnoise: {}", words::overview(report));
        paint(&mut out, &head, style_of(worst), options);
        out.push('\n');
    }
    if several {
        repeats(&mut out, report, options);
    }
    if several && !options.verbose {
        let (shown, rest) = at_a_glance(report);
        for overview in shown {
            glance(&mut out, &overview, options);
        }
        if let Some(rest) = rest {
            paragraph(&mut out, &rest.replace('`', ""), options.width, "");
            out.push('\n');
        }
    } else {
        for comparison in &report.comparisons {
            section(&mut out, comparison, several, options);
            out.push('\n');
        }
    }
    if !several {
        repeats(&mut out, report, options);
    }
    for row in &report.unmatched {
        let runs = format!("{} run{}", row.runs, if row.runs == 1 { "" } else { "s" });
        let text = format!(
            "not compared: {} ({runs}; {}): {}",
            row.variant,
            row.workload.describe(),
            row.why
        );
        paragraph(&mut out, &text, options.width, "  ");
    }
    let left_out = skipped(report);
    if options.verbose {
        for text in &left_out {
            paragraph(&mut out, text, options.width, "  ");
        }
        paragraph(&mut out, &words::method(report), options.width, "");
    } else {
        let count = left_out.len();
        let also = match count {
            0 => String::new(),
            1 => " One thing was left out of the inputs.".to_owned(),
            n => format!(" {n} things were left out of the inputs."),
        };
        let centre = match report.settings.across.as_str() {
            "mean" => String::new(),
            other => format!(" of the {}", words::centre(other)),
        };
        let runs = if report.settings.paired { "pairs of runs" } else { "runs" };
        let nested = report.comparisons.iter().find_map(levels::interval_over);
        let runs = nested.unwrap_or_else(|| runs.to_owned());
        let spread = report.comparisons.iter().find_map(levels::spread_of);
        let spread = spread.unwrap_or_else(|| "run-to-run CV".to_owned());
        let lent = words::any_lent(report);
        let corrected = correction(report);
        let hint = format!(
            "{} intervals{centre} over {runs}{corrected}; ± is the {spread}; only speed is judged.{lent}{also} -v \
             shows everything.",
            format::confidence(report.settings.confidence)
        );
        paragraph(&mut out, &hint, options.width, "");
    }
    out
}

/// The verdict in one line, however long: of several comparisons the counts and the worst.
fn first_line(report: &Report, options: TextOptions) -> String {
    let (headline, said) = match &report.comparisons[..] {
        [] => (Headline::NotComparable, words::overview(report)),
        [only] => (only.headline, only.summary.clone()),
        [worst, ..] if worst.headline.is_change() => {
            let said = format!("{}; first: {}", words::overview(report), words::title(worst));
            (worst.headline, said)
        }
        [worst, ..] => (worst.headline, words::overview(report)),
    };
    let style = if options.colour { style_of(headline) } else { Style::new() };
    format!("{style}beyondnoise: {said}{style:#}\n")
}

/// The table of one workload with its warnings and the next step.
fn glance(out: &mut String, overview: &Overview, options: TextOptions) {
    let head = format!("{}, against {}", overview.workload, overview.baseline);
    paragraph(out, &head, options.width, "");
    out.push('\n');
    out.push_str(&overview_table(overview, options));
    out.push('\n');
    if options.plot {
        out.push_str(&plot::of_overview(overview, options));
    }
    if let Some(legend) = legend(overview) {
        paragraph(out, legend, options.width, "  ");
    }
    for warning in &overview.warnings[..overview.shown] {
        paragraph(out, &format!("warning: {warning}"), options.width, "  ");
    }
    more_warnings(out, overview.warnings.len() - overview.shown);
    paragraph(out, &format!("Next: {}", overview.next.replace('`', "")), options.width, "");
    out.push('\n');
}

fn section(out: &mut String, comparison: &Comparison, several: bool, options: TextOptions) {
    let title = if several {
        words::title(comparison)
    } else {
        format!("beyondnoise: {}", comparison.summary)
    };
    paint(out, &title, style_of(comparison.headline), options);
    paragraph(out, &format!("({})", comparison.workload.describe()), options.width, "");
    out.push('\n');
    let single = words::single(comparison);
    if single {
        let few = comparison.checks.iter().find(|check| check.id == "too-few-runs");
        let mut opening = few.map_or(String::new(), |check| check.message.clone());
        if let Some((seen, change)) = words::what_was_seen(comparison) {
            write!(opening, " {seen} ({change}).").expect("writing to a String cannot fail");
        }
        paragraph(out, &opening, options.width, "");
        out.push('\n');
    }
    let leading = comparison.leading(usize::MAX);
    let rows: Vec<&Row> = if options.verbose || leading.is_empty() {
        comparison.metrics.iter().collect()
    } else {
        leading
    };
    if !rows.is_empty() {
        out.push_str(&metric_table(comparison, &rows, single, options));
        out.push('\n');
    }
    if options.plot {
        out.push_str(&plot::of_comparison(comparison, options));
    }
    let warnings = words_of_warning(comparison, single);
    let shown = if options.verbose { warnings.len() } else { before_fold(&warnings) };
    for check in &warnings[..shown] {
        let mark = if check.severity == Severity::Block { "stop: " } else { "warning: " };
        paragraph(out, &format!("{mark}{}", check.message), options.width, "  ");
    }
    more_warnings(out, warnings.len() - shown);
    if let Some(why) = why_within_noise(comparison) {
        paragraph(out, &why, options.width, "");
    }
    if let Some(account) = words::per_request(comparison) {
        paragraph(out, &account, options.width, "");
    }
    for check in comparison.checks.iter().filter(|check| check.severity == Severity::Note) {
        if options.verbose || (single && ["dependent-metrics", "runs-to-plan"].contains(&check.id))
        {
            paragraph(out, &format!("note: {}", check.message), options.width, "  ");
        }
    }
    if options.verbose {
        for text in words::borrowing(comparison) {
            paragraph(out, &format!("note: {text}"), options.width, "  ");
        }
        for claim in &comparison.claims {
            let (variant, text, place) = (&claim.variant, &claim.text, &claim.place);
            let text = format!("written beside {variant}: \"{text}\" ({place}) {}", claim.message);
            paragraph(out, &text, options.width, "  ");
        }
    }
    if let Some(floor) = words::noise_floor(comparison) {
        let separation = words::separation(comparison).unwrap_or_default().replace('`', "");
        let lent = words::lent(comparison).map_or(String::new(), |lent| format!(" (with {lent})"));
        let text = format!("Noise floor{lent}: {floor}. {separation}");
        paragraph(out, &text, options.width, "");
    }
    paragraph(out, &format!("Next: {}", comparison.next_step.replace('`', "")), options.width, "");
}

/// How many warnings only `-v` shows.
fn more_warnings(out: &mut String, hidden: usize) {
    if hidden > 0 {
        let noun = if hidden == 1 { "warning" } else { "warnings" };
        writeln!(out, "and {hidden} more {noun} with -v").expect("writing to a String cannot fail");
    }
}

/// Colours the words of verdicts in a finished table, whose layout they must not change.
pub(super) fn coloured(table: &str) -> String {
    let mut out = table.to_owned();
    for (word, verdict) in [(" better", Verdict::Better), (" worse", Verdict::Worse)] {
        let style = style_of_verdict(verdict);
        out = out.replace(word, &format!(" {style}{}{style:#}", &word[1..]));
    }
    out
}

pub(super) fn style_of_verdict(verdict: Verdict) -> Style {
    let colour = if verdict == Verdict::Better { AnsiColor::Green } else { AnsiColor::Red };
    Style::new().fg_color(Some(colour.into()))
}

pub(super) fn style_of(headline: Headline) -> Style {
    let colour = match headline {
        Headline::Improved => AnsiColor::Green,
        Headline::Regressed | Headline::NotComparable => AnsiColor::Red,
        Headline::TradeOff | Headline::NoVerdict | Headline::SlightlyRegressed => AnsiColor::Yellow,
        Headline::SlightlyImproved | Headline::NoChange | Headline::WithinNoise => AnsiColor::Cyan,
    };
    Style::new().bold().fg_color(Some(colour.into()))
}

pub(super) fn paint(out: &mut String, text: &str, style: Style, options: TextOptions) {
    let mut wrapped = String::new();
    paragraph(&mut wrapped, text, options.width, "");
    if options.colour {
        let body = wrapped.trim_end();
        writeln!(out, "{style}{body}{style:#}").expect("writing to a String cannot fail");
    } else {
        out.push_str(&wrapped);
    }
}

/// Adds `text` broken at spaces to lines of `width` columns; later lines are indented.
pub(super) fn paragraph(out: &mut String, text: &str, width: u16, indent: &str) {
    indented(out, text, width, ("", indent));
}

/// The same with an indent of the first line too. What is longer than a line is broken where the line ends.
pub(super) fn indented(out: &mut String, text: &str, width: u16, (first, later): (&str, &str)) {
    let options = textwrap::Options::new(usize::from(width.max(40)))
        .initial_indent(first)
        .subsequent_indent(later);
    for line in textwrap::wrap(&glued(text.trim_end()), options) {
        out.push_str(&unglued(line.trim_end()));
        out.push('\n');
    }
}

/// `text` with every number and its percent sign kept together by a space at which no line ends.
pub(super) fn glued(text: &str) -> String {
    text.replace(" %", "\u{a0}%")
}

/// Laid out text with plain spaces again.
pub(super) fn unglued(text: &str) -> String {
    text.replace('\u{a0}', " ")
}
