//! One metric with its drawings: every run, the change, the runs in the order of their start.

use maud::{Markup, html};

use crate::format;
use crate::render::html::prose::{glued, label, title};
use crate::render::html::{icon, plot};
use crate::report::{Comparison, Row, Settings, row_text, verdicts, words};

/// The metric that is drawn.
pub(super) struct Card<'a> {
    pub(super) comparison: &'a Comparison,
    pub(super) row: &'a Row,
    pub(super) settings: &'a Settings,
    /// Name of the drawing in the page.
    pub(super) id: &'a str,
    /// Whether each run names itself, and the runs are drawn in their order too.
    pub(super) whole: bool,
    pub(super) level: u8,
}

pub(super) fn card(card: &Card) -> Markup {
    let Card { comparison, row, settings, id, whole, level } = *card;
    let dots = plot::dots(comparison, row, &format!("{id}d"), whole);
    let change = plot::interval(comparison, row, settings, &format!("{id}c"));
    let strip = whole.then(|| plot::strip(comparison, row, &format!("{id}s"), whole)).flatten();
    let runs = if plot::is_ordered(comparison) {
        "Every run, by variant"
    } else {
        "Every run, in the order of the files (no start times)"
    };
    let (class, sign) = icon::of_verdict(row.verdict);
    let name = html! {
        (label(row_text::row_label(row))) span class="direction" { (words::direction(row.better)) }
    };
    html! {
        figure class="card" {
            figcaption {
                (title(level, None, &name))
                p class="says" { span class={ "word " (class) } { (sign) (glued(&verdicts::verdict(row))) } }
                p class="numbers" { (glued(&numbers(comparison, row))) }
                @if let Some(text) = words::borrowing_of(row) { p class="small" { (glued(&text)) } }
            }
            div class="panels" {
                @if let Some(dots) = dots { div class="panel" { p { (runs) } (dots) } }
                @if let Some(change) = change { div class="panel" { p { "Change with its interval" } (change) } }
                @if let Some(strip) = strip { div class="panel" { p { "Both variants in the order of their start" } (strip) } }
            }
        }
    }
}

/// Both estimates and the change: `557.6 ±0.5 % → 578.9 ±0.5 %: +3.8 % (95 % CI +3.1 … +4.5)`.
fn numbers(comparison: &Comparison, row: &Row) -> String {
    let (before, after) = row_text::estimates(row);
    let change = row_text::change_and_factor(row);
    let rest = match (words::has_interval(row), row.noise.break_even_cv) {
        (true, _) => format!(" ({} {})", words::level(comparison), row_text::interval(row)),
        (false, Some(cv)) => {
            format!("; beyond noise only if the run-to-run CV is below {}", format::percent(cv))
        }
        (false, None) => String::new(),
    };
    format!("{before} → {after}: {change}{rest}")
}
