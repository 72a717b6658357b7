//! A document as one HTML file that needs nothing beside itself: plots, tables that sort, light and dark, print.

mod card;
mod prose;
mod table;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::render::icon;
use crate::render::plot::{self, Figure};
use crate::report::document::{Block, Document, Fold, Heading, Plot, Role, Text};

use card::card;
use prose::{cut, inline, title};
use table::{legend, table};

/// Nothing is fetched from anywhere, whatever a label says.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      img-src data:; base-uri 'none'; form-action 'none'";

pub(super) const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("page.js");

const MAX_TITLE: usize = 200;

/// The document as a page; the same document gives the same bytes.
pub fn html<'a>(document: impl Into<Document<'a>>) -> String {
    let document = document.into();
    let version = env!("CARGO_PKG_VERSION");
    let program = document.program;
    let (class, sign) = icon::of_tone(document.tone);
    let body = document.blocks.iter().position(|block| matches!(block, Block::Fold(_)));
    let (first, rest) = document.blocks.split_at(body.unwrap_or(document.blocks.len()));
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "beyondnoise " (version) };
                title { (program) ": " (cut(&document.title.words(), MAX_TITLE)) }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) (PreEscaped(plot::STYLE)) }
            }
            body {
                (icon::shapes())
                main {
                    section class="verdict" aria-labelledby="verdict" {
                        p class="kicker" { (program) }
                        div class={ "banner " (class) } { (sign) h1 id="verdict" { (inline(&document.title)) } }
                        (blocks(first, 2))
                    }
                    (blocks(rest, 2))
                }
                footer { p { (program) " " (version) ". Only the metrics shown are judged: whether the answers are still right is not checked." } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string() + "\n"
}

/// Blocks one after the other; sentences of a list are grouped, and so are drawings.
fn blocks(blocks: &[Block], level: u8) -> Markup {
    let mut rest = blocks;
    let mut out = Vec::new();
    while let Some(first) = rest.first() {
        let same = |other: &&Block| kind(other) == kind(first);
        let count = match kind(first) {
            Together::Alone => 1,
            _ => rest.iter().take_while(same).count(),
        };
        let (together, after) = rest.split_at(count);
        out.push(match kind(first) {
            Together::Alone => block(first, level),
            Together::Findings => {
                html! { ul class="warnings" { @for one in together { (item(one)) } } }
            }
            Together::Items => {
                html! { ul class="findings" { @for one in together { (item(one)) } } }
            }
            Together::Drawings => drawings(together, level),
        });
        rest = after;
    }
    html! { @for part in out { (part) } }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Together {
    Alone,
    Findings,
    Items,
    Drawings,
}

fn kind(block: &Block) -> Together {
    match block {
        Block::Text(Role::Stop | Role::Warning | Role::Note, _) => Together::Findings,
        Block::Text(Role::Item, _) => Together::Items,
        Block::Plot(_) => Together::Drawings,
        _ => Together::Alone,
    }
}

fn item(block: &Block) -> Markup {
    let Block::Text(role, text) = block else { return html! {} };
    html! {
        li {
            @if let Some((class, sign, word)) = icon::of_role(*role) {
                span class={ "word " (class) } { (sign) (word) ": " }
            }
            (inline(text))
        }
    }
}

/// Drawings that follow each other, with the marks of the variants once.
fn drawings(blocks: &[Block], level: u8) -> Markup {
    let plots = blocks.iter().filter_map(|block| match block {
        Block::Plot(Plot::Forest { .. }) => None,
        Block::Plot(plot) => Some(plot),
        _ => None,
    });
    let figures: Vec<(Figure, String)> =
        plots.filter_map(|plot| Some((plot::figure(plot)?, plot.id()))).collect();
    if figures.is_empty() {
        return html! {};
    }
    let first = figures.iter().find(|(figure, _)| figure.sides.is_some());
    let sides = first.and_then(|(figure, _)| {
        figure.sides.as_ref().map(|sides| (sides, figure.verdict.is_some()))
    });
    html! {
        @if let Some((sides, changes)) = sides { (legend(sides, changes)) }
        div class="cards" { @for (figure, id) in &figures { (card(figure, id, level)) } }
    }
}

fn block(block: &Block, level: u8) -> Markup {
    match block {
        Block::Heading(head) => heading(head, level),
        Block::Text(role, text) => sentence(*role, text),
        Block::Table(one) => table(one),
        Block::Plot(_) => drawings(std::slice::from_ref(block), level),
        Block::Fold(one) => fold(one, level),
    }
}

fn sentence(role: Role, text: &Text) -> Markup {
    match role {
        Role::Workload => html! { p class="workload" { (inline(text)) } },
        Role::Next => html! { p class="next" { strong { "Next: " } (inline(text)) } },
        Role::Small => html! { p class="small" { (inline(text)) } },
        _ => html! { p { (inline(text)) } },
    }
}

/// A heading; one with a sign is the banner of a section.
fn heading(heading: &Heading, level: u8) -> Markup {
    let words = title(level, heading.anchor.as_deref(), &inline(&heading.text));
    match heading.tone {
        Some(tone) => {
            let (class, sign) = icon::of_tone(tone);
            html! { div class={ "banner " (class) } { (sign) (words) } }
        }
        None => words,
    }
}

/// Folded blocks; blocks with a heading are a section without a fold.
fn fold(fold: &Fold, level: u8) -> Markup {
    if let Some(head) = &fold.heading {
        return html! {
            section class="comparison" aria-labelledby=[head.anchor.as_ref()] {
                (heading(head, level))
                (blocks(&fold.blocks, level + 1))
                p class="back" { a href="#verdict" { "Back to the overview" } }
            }
        };
    }
    html! {
        details open[fold.open] {
            summary { (title(level, None, &inline(&fold.summary))) }
            div class="inside" { (blocks(&fold.blocks, level + 1)) }
        }
    }
}
