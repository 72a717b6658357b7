//! A subject with its drawings: name, verdict and numbers in words, and the panels.

use maud::{Markup, html};

use crate::render::html::prose::{glued, label, title};
use crate::render::icon;
use crate::render::plot::Figure;

/// The drawings of `figure`, whose names in the page begin with `id`.
pub(super) fn card(figure: &Figure, id: &str, level: u8) -> Markup {
    let name = html! { (label(&figure.name)) span class="direction" { (figure.direction) } };
    html! {
        figure class="card" {
            figcaption {
                (title(level, None, &name))
                @if let Some((verdict, words)) = &figure.verdict {
                    @let (class, sign) = icon::of_verdict(*verdict);
                    p class="says" { span class={ "word " (class) } { (sign) (glued(words)) } }
                }
                @if let Some(numbers) = &figure.numbers { p class="numbers" { (glued(numbers)) } }
                @if let Some(remark) = &figure.remark { p class="small" { (glued(remark)) } }
            }
            div class="panels" {
                @for panel in &figure.panels {
                    @if panel.is_broad() {
                        div class="panel broad" role="group" tabindex="0" aria-label=(panel.caption) { p { (panel.caption) } (panel.drawing.in_page(id)) }
                    } @else {
                        div class="panel" { p { (panel.caption) } (panel.drawing.in_page(id)) }
                    }
                }
            }
        }
    }
}
