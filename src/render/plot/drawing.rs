//! A drawing with its name and its finding in words, and the parts that drawings share.

use maud::{Markup, html};
use textwrap::core::display_width;

use crate::format::{self, Shown};
use crate::render::plot::scale::Scale;
use crate::verdict::Verdict;

/// Drawings of one subject under its name.
pub(in crate::render) struct Figure<'a> {
    /// Its subject, a label of the input.
    pub(in crate::render) name: String,
    /// Which way is better, in parentheses.
    pub(in crate::render) direction: String,
    /// Its verdict with the words for it.
    pub(in crate::render) verdict: Option<(Verdict, String)>,
    /// The numbers in words.
    pub(in crate::render) numbers: Option<String>,
    /// Further words.
    pub(in crate::render) remark: Option<String>,
    /// The drawings.
    pub(in crate::render) panels: Vec<Panel>,
    /// Labels of the baseline and the candidate with their runs in words, where the drawings mark both.
    pub(in crate::render) sides: Option<[(&'a str, String); 2]>,
}

/// A drawing below a line with its subject.
pub(in crate::render) struct Panel {
    /// The line above it.
    pub(in crate::render) caption: String,
    pub(in crate::render) drawing: Drawing,
    /// Whether a picture in a file has room for it.
    pub(in crate::render) in_picture: bool,
}

/// Width up to which a drawing stays readable on a phone.
const NARROW: f64 = 420.0;

impl Panel {
    /// Whether it needs more width than a phone has.
    pub(in crate::render) fn is_broad(&self) -> bool {
        self.drawing.size.0 > NARROW
    }
}

/// A picture with its text alternative.
pub(in crate::render) struct Drawing {
    /// Distinguishes the drawings of a figure: a letter.
    pub(in crate::render) key: &'static str,
    /// Width and height; it is shown at about so many pixels.
    pub(in crate::render) size: (f64, f64),
    /// Its name for readers who do not see it.
    pub(in crate::render) name: String,
    /// Its finding in words.
    pub(in crate::render) described: String,
    pub(in crate::render) what: Markup,
}

impl Drawing {
    /// The drawing as a part of a page, where `id` names it.
    pub(in crate::render) fn in_page(&self, id: &str) -> Markup {
        let (width, height) = self.size;
        let id = format!("{id}{}", self.key);
        html! {
            svg class="plot" role="img" viewBox={ "0 0 " (width) " " (height) } style=[(width > NARROW).then(|| format!("width:{width}px"))]
                aria-labelledby={ (id) "-t" } aria-describedby={ (id) "-d" } {
                title id={ (id) "-t" } { (self.name) }
                desc id={ (id) "-d" } { (self.described) }
                (self.what)
            }
        }
    }

    /// The drawing as a part of a picture, its upper left corner at `(x, y)`.
    pub(in crate::render) fn in_file(&self, (x, y): (f64, f64)) -> Markup {
        let (width, height) = self.size;
        html! {
            svg class="plot" role="img" x=(px(x)) y=(px(y)) width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } {
                title { (self.name) }
                desc { (self.described) }
                (self.what)
            }
        }
    }
}

/// A place of a coordinate, as short as it can be.
pub(in crate::render) fn px(at: f64) -> String {
    let text = format!("{at:.1}");
    text.strip_suffix(".0").map_or(text.clone(), ToOwned::to_owned)
}

/// About how wide a text of this size is drawn.
pub(in crate::render) fn text_width(text: &str, size: f64) -> f64 {
    display_width(text) as f64 * size * 0.62
}

/// The mark of a run: a dot for the baseline, a diamond for the candidate.
pub(in crate::render) fn mark(
    class: &str,
    (x, y): (f64, f64),
    r: f64,
    title: Option<&str>,
) -> Markup {
    let (x, y) = (px(x), px(y));
    html! {
        @if class == "a" {
            circle cx=(x) cy=(y) r=(px(r)) { @if let Some(title) = title { title { (title) } } }
        } @else {
            @let d = px(r * 1.25);
            path d={ "M" (x) " " (y) "m0-" (d) "l" (d) " " (d) "l-" (d) " " (d) "l-" (d) "-" (d) "z" } {
                @if let Some(title) = title { title { (title) } }
            }
        }
    }
}

/// How the values of an axis are written.
pub(super) struct Unit {
    /// Value of a unit of the axis.
    pub(super) factor: f64,
    pub(super) name: String,
}

impl Unit {
    /// The unit for values up to `largest`: a better known one, or a power of ten of their own.
    pub(super) fn of(own: &str, better: Option<Shown>, largest: f64) -> Self {
        if let Some(shown) = better {
            return Self { factor: 1.0 / shown.factor, name: shown.unit.to_owned() };
        }
        if (1e-3..1e5).contains(&largest) || largest == 0.0 {
            return Self { factor: 1.0, name: own.to_owned() };
        }
        let power = (largest.log10() / 3.0).floor() * 3.0;
        Self { factor: 10_f64.powf(power), name: format!("10^{power} {own}") }
    }

    /// The axis in this unit.
    pub(super) fn scaled(&self, scale: &Scale) -> Scale {
        scale.times(1.0 / self.factor)
    }
}

/// The number at a tick of an axis of values.
pub(super) fn tick(value: f64, decimals: usize) -> String {
    format!("{value:.decimals$}").replace('-', "−")
}

/// A sentence with so many characters of a label.
pub(super) fn short(label: &str) -> String {
    format::shortened(label, 80)
}
