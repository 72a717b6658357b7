//! Signs beside words: each has its own shape, so that colour is never the only difference.

use maud::{Markup, PreEscaped, html};

use crate::render::plot::drawing::px;
use crate::report::document::{Role, Tone};
use crate::verdict::{Headline, Verdict};

const SHAPES: [(&str, &str); 10] = [
    (
        "better",
        r#"<circle cx="8" cy="8" r="7" fill="currentColor" stroke="none"/><path d="M4.6 8.4l2.3 2.3 4.5-5" stroke="var(--page)"/>"#,
    ),
    (
        "worse",
        r#"<path d="M8 .8L15.4 14.4H.6z" fill="currentColor" stroke="none"/><path d="M8 5.6v4.2M8 12v.2" stroke="var(--page)"/>"#,
    ),
    ("tiny", r#"<circle cx="8" cy="8" r="6.2"/><path d="M5.2 8.2l1.9 1.9 3.7-4"/>"#),
    ("tiny-worse", r#"<path d="M8 2L14.4 13.6H1.6z"/><path d="M8 6.4v3M8 11.4v.2"/>"#),
    ("same", r#"<circle cx="8" cy="8" r="6.2"/><path d="M5 6.6h6M5 9.6h6"/>"#),
    ("noise", r#"<circle cx="8" cy="8" r="6.2"/><path d="M4.4 9c1.2-3 2.4-3 3.6-1s2.4 2 3.6-1"/>"#),
    (
        "unknown",
        r#"<circle cx="8" cy="8" r="6.2" stroke-dasharray="2.4 2"/><path d="M6.2 6.4c.2-2.4 3.6-2.2 3.5 0 0 1.3-1.7 1.4-1.7 2.8M8 11.3v.2"/>"#,
    ),
    ("trade", r#"<path d="M5 14V2.4M2 5.4l3-3 3 3M11 2v11.6M8 10.6l3 3 3-3"/>"#),
    ("info", r#"<circle cx="8" cy="8" r="6.2"/><path d="M8 7.4v4M8 4.6v.2"/>"#),
    (
        "stop",
        r#"<path d="M5.2 1.2h5.6l4 4v5.6l-4 4H5.2l-4-4V5.2z" fill="currentColor" stroke="none"/><path d="M4.6 8h6.8" stroke="var(--page)"/>"#,
    ),
];

/// All shapes, to be placed once in a page.
pub(in crate::render) fn shapes() -> Markup {
    html! { svg class="shapes" aria-hidden="true" width="0" height="0" { (symbols()) } }
}

/// The definitions of all shapes.
pub(in crate::render) fn symbols() -> Markup {
    html! {
        @for (name, drawing) in SHAPES {
            symbol id={ "i-" (name) } viewBox="0 0 16 16" { (PreEscaped(drawing)) }
        }
    }
}

/// The shape of a tone in a drawing, its upper left corner at `(x, y)`.
pub(in crate::render) fn drawn(tone: Tone, (x, y): (f64, f64), size: f64) -> Markup {
    let (class, name) = class_and_shape(tone);
    html! { g class=(class) { use class="sign" href={ "#i-" (name) } x=(px(x)) y=(px(y)) width=(size) height=(size) {} } }
}

/// One of the shapes; the words beside it say the same.
fn shape(name: &str) -> Markup {
    html! { svg class="icon" aria-hidden="true" { use href={ "#i-" (name) } {} } }
}

/// The class and the sign of a verdict on a metric.
pub(in crate::render) fn of_verdict(verdict: Verdict) -> (&'static str, Markup) {
    of_tone(Tone::Verdict(verdict))
}

/// The class and the sign of a tone.
pub(in crate::render) fn of_tone(tone: Tone) -> (&'static str, Markup) {
    let (class, name) = class_and_shape(tone);
    (class, shape(name))
}

fn class_and_shape(tone: Tone) -> (&'static str, &'static str) {
    match tone {
        Tone::Verdict(Verdict::Better) | Tone::Headline(Headline::Improved) => ("better", "better"),
        Tone::Verdict(Verdict::Worse) | Tone::Headline(Headline::Regressed) => ("worse", "worse"),
        Tone::Headline(Headline::TradeOff) => ("warn", "trade"),
        Tone::Verdict(Verdict::TinyBetter) | Tone::Headline(Headline::SlightlyImproved) => {
            ("plain", "tiny")
        }
        Tone::Verdict(Verdict::TinyWorse) | Tone::Headline(Headline::SlightlyRegressed) => {
            ("plain", "tiny-worse")
        }
        Tone::Verdict(Verdict::NoChange) | Tone::Headline(Headline::NoChange) => ("plain", "same"),
        Tone::Verdict(Verdict::WithinNoise) | Tone::Headline(Headline::WithinNoise) => {
            ("plain", "noise")
        }
        Tone::Verdict(Verdict::NotJudged) | Tone::Headline(Headline::NoVerdict) => {
            ("plain", "unknown")
        }
        Tone::Headline(Headline::NotComparable) => ("worse", "stop"),
        Tone::Warning => ("warn", "tiny-worse"),
        Tone::Calm => ("plain", "info"),
    }
}

/// The class, the sign and the word of a finding; `None` for other sentences.
pub(in crate::render) fn of_role(role: Role) -> Option<(&'static str, Markup, &'static str)> {
    match role {
        Role::Stop => Some(("worse", shape("stop"), "stop")),
        Role::Warning => Some(("warn", shape("tiny-worse"), "warning")),
        Role::Note => Some(("plain", shape("info"), "note")),
        _ => None,
    }
}
