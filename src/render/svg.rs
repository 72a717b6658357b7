//! The drawings of a document as one picture that needs nothing beside itself, for a pull request or slides.

use maud::{Markup, PreEscaped, html};

use crate::format::{counted, sentence, shortened};
use crate::render::escape::legal;
use crate::render::html::STYLE;
use crate::render::icon;
use crate::render::plot::{self, Figure, Panel, mark, px, text_width};
use crate::report::document::{Block, Document, Plot, Role, Tone};

/// Room around the picture.
const MARGIN: f64 = 24.0;

/// Room between two drawings.
const GAP: f64 = 24.0;

/// Width of the picture within its margins, unless a drawing is wider.
const WIDTH: f64 = 820.0;

/// Where the last figure ends at most: below it are two lines.
const MAX_HEIGHT: f64 = 2_920.0;

/// Figures of a picture.
const MAX_FIGURES: usize = 12;

/// Columns of a label.
const LABEL: usize = 60;

/// Families of fonts: one that every computer has comes last.
pub(super) const FONTS: &str =
    "\"Segoe UI\", Roboto, \"Noto Sans\", \"DejaVu Sans\", \"Noto Sans CJK SC\", Arial, sans-serif";

/// The drawings of the document under its title; the same document gives the same bytes.
pub fn svg<'a>(document: impl Into<Document<'a>>) -> String {
    let document = document.into();
    let plots = plots(&document.blocks);
    let figures: Vec<Figure> = plots.iter().filter_map(|plot| plot::figure(plot)).collect();
    let drawings =
        figures.iter().flat_map(|figure| &figure.panels).filter(|panel| panel.in_picture);
    let width = drawings.map(|panel| panel.drawing.size.0).fold(WIDTH, f64::max);
    let mut page = Page { parts: Vec::new(), left: MARGIN, y: MARGIN, width };
    page.title(&document);
    let drawn = page.figures(&figures);
    page.remarks(figures.is_empty(), figures.len() - drawn);
    page.finished(&document)
}

/// The plots that a reader sees first: in the document itself, or else in its sections.
fn plots<'a, 'b>(blocks: &'b [Block<'a>]) -> Vec<&'b Plot<'a>> {
    let mut found = Vec::new();
    collect(blocks, &mut found, false);
    if found.is_empty() {
        collect(blocks, &mut found, true);
    }
    found
}

fn collect<'a, 'b>(blocks: &'b [Block<'a>], found: &mut Vec<&'b Plot<'a>>, all: bool) {
    for block in blocks {
        match block {
            Block::Plot(Plot::Forest { in_picture: false, .. }) => {}
            Block::Plot(plot) => found.push(plot),
            Block::Fold(fold) if all || fold.heading.is_none() && fold.open => {
                collect(&fold.blocks, found, all);
            }
            _ => {}
        }
    }
}

/// The parts so far, where the next one begins, and the width that it has.
struct Page {
    parts: Vec<Markup>,
    left: f64,
    y: f64,
    width: f64,
}

impl Page {
    /// Lines of text, broken at spaces; `indent` is free for a sign.
    fn lines(&mut self, text: &str, (class, size): (&str, f64), indent: f64) {
        let room = self.width - indent;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some tens")]
        let columns = (room / text_width("m", size)) as usize;
        for line in textwrap::wrap(text, columns.max(20)) {
            let (x, y) = (px(self.left + indent), px(self.y + size));
            self.parts.push(html! {
                text class={ "start " (class) } x=(x) y=(y) font-size=(size) { (line) }
            });
            self.y += size * 1.4;
        }
    }

    fn title(&mut self, document: &Document) {
        self.parts.push(icon::drawn(document.tone, (MARGIN, self.y + 2.0), 22.0));
        self.lines(&sentence(&document.title.words()), ("title", 19.0), 30.0);
        let workload = document.blocks.iter().find_map(|block| match block {
            Block::Text(Role::Workload, text) => Some(text.words()),
            _ => None,
        });
        if let Some(workload) = workload {
            self.lines(&shortened(&workload, 300), ("quiet", 13.0), 0.0);
        }
    }

    /// The marks of both variants before their labels.
    fn sides(&mut self, sides: Option<&[(&str, String); 2]>) {
        let mut x = MARGIN;
        self.y += 6.0;
        let roles = ["baseline", "candidate"];
        for ((name, runs), (class, role)) in
            sides.into_iter().flatten().zip(["a", "b"].into_iter().zip(roles))
        {
            let words = format!("{}, {role}, {}", shortened(name, LABEL), runs);
            let wide = text_width(&words, 13.0) + 18.0;
            if x > MARGIN && x + wide > MARGIN + self.width {
                x = MARGIN;
                self.y += 20.0;
            }
            self.parts.push(html! {
                g class=(class) { (mark(class, (x + 6.0, self.y + 9.0), 5.0, None)) }
                text class="start side" x=(px(x + 18.0)) y=(px(self.y + 13.5)) font-size="13" { (words) }
            });
            x += wide + 24.0;
        }
        self.y += 20.0;
    }

    /// As many figures as there is height for, at least one; the number of those drawn.
    fn figures(&mut self, figures: &[Figure]) -> usize {
        let half = (self.width - GAP) / 2.0;
        let narrow = |figure: &Figure| {
            let mut shown = figure.panels.iter().filter(|panel| panel.in_picture);
            shown.next().is_some_and(|only| only.drawing.size.0 <= half) && shown.next().is_none()
        };
        let (mut known, mut drawn) = (None, 0);
        while let Some(figure) = figures[drawn..].first().filter(|_| drawn < MAX_FIGURES) {
            let (parts, top) = (self.parts.len(), self.y);
            if figure.sides.is_some() && figure.sides != known {
                self.sides(figure.sides.as_ref());
                known.clone_from(&figure.sides);
            }
            let beside = figures
                .get(drawn + 1)
                .filter(|next| narrow(figure) && narrow(next) && figure.sides == next.sides);
            if let Some(next) = beside {
                self.pair([figure, next], half);
            } else {
                self.figure(figure);
            }
            if drawn > 0 && self.y > MAX_HEIGHT {
                self.parts.truncate(parts);
                self.y = top;
                break;
            }
            drawn += 1 + usize::from(beside.is_some());
        }
        drawn
    }

    /// Two figures side by side.
    fn pair(&mut self, both: [&Figure; 2], half: f64) {
        let (left, top, width) = (self.left, self.y, self.width);
        self.width = half;
        let mut bottom = top;
        for (figure, left) in both.into_iter().zip([left, left + half + GAP]) {
            (self.left, self.y) = (left, top);
            self.figure(figure);
            bottom = bottom.max(self.y);
        }
        (self.left, self.y, self.width) = (left, bottom, width);
    }

    fn figure(&mut self, figure: &Figure) {
        self.y += 16.0;
        self.parts.push(html! {
            line class="grid" x1=(px(self.left)) x2=(px(self.left + self.width)) y1=(px(self.y)) y2=(px(self.y)) {}
        });
        self.y += 10.0;
        let name = format!("{}{}", shortened(&figure.name, LABEL), figure.direction);
        self.lines(&name, ("name", 15.0), 0.0);
        if let Some((verdict, words)) = &figure.verdict {
            let tone = Tone::Verdict(*verdict);
            self.parts.push(icon::drawn(tone, (self.left, self.y + 1.0), 14.0));
            self.lines(words, (&format!("side {}", icon::of_tone(tone).0), 13.5), 20.0);
        }
        for words in [&figure.numbers, &figure.remark].into_iter().flatten() {
            self.lines(words, ("quiet", 13.0), 0.0);
        }
        self.panels(&figure.panels);
    }

    /// Drawings side by side as far as there is room.
    fn panels(&mut self, panels: &[Panel]) {
        let mut x = 0.0;
        let mut tallest = 0.0_f64;
        self.y += 6.0;
        let shown: Vec<&Panel> = panels.iter().filter(|panel| panel.in_picture).collect();
        for (index, Panel { caption, drawing, .. }) in shown.iter().copied().enumerate() {
            let (width, height) = drawing.size;
            if x > 0.0 && x + width > self.width {
                self.y += tallest + GAP / 2.0;
                (x, tallest) = (0.0, 0.0);
            }
            let beside = shown
                .get(index + 1)
                .is_some_and(|next| x + width + GAP + next.drawing.size.0 <= self.width);
            let room = if beside { width } else { self.width - x };
            let columns = (room / text_width("m", 12.0)).floor();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "some tens"
            )]
            let caption = shortened(caption, columns as usize);
            self.parts.push(html! {
                text class="start" x=(px(self.left + x)) y=(px(self.y + 12.0)) font-size="12" { (caption) }
                (drawing.in_file((self.left + x, self.y + 18.0)))
            });
            x += width + GAP;
            tallest = tallest.max(height + 18.0);
        }
        self.y += tallest;
    }

    fn remarks(&mut self, none: bool, more: usize) {
        if none {
            self.y += 12.0;
            self.lines("There is no change that could be drawn.", ("quiet", 13.0), 0.0);
        }
        if more > 0 {
            self.y += 12.0;
            let are = if more == 1 { "is" } else { "are" };
            let text = format!("{} {are} not drawn: see the page.", counted(more, "more figure"));
            self.lines(&text, ("quiet", 13.0), 0.0);
        }
        self.y += 14.0;
        let version = env!("CARGO_PKG_VERSION");
        self.lines(&format!("beyondnoise {version}"), ("quiet", 11.0), 0.0);
    }

    fn finished(self, document: &Document) -> String {
        let (width, height) = (px(self.width + 2.0 * MARGIN), px(self.y + MARGIN - 8.0));
        let title = document.title.words();
        let picture = html! {
            svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={ (document.program) ": " (title) }
                width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } {
                title { (document.program) ": " (title) }
                style { (PreEscaped(style())) }
                defs { (PreEscaped(with_colours(&icon::symbols().into_string()))) }
                rect class="paper" width=(width) height=(height) {}
                @for part in &self.parts { (part) }
            }
        };
        legal(&picture.into_string()) + "\n"
    }
}

/// The rules of style of the drawings and of the words between them.
fn style() -> String {
    let own = ".paper { fill: var(--page); } svg { color: var(--ink); } \
               svg .title { fill: var(--ink); font-weight: 700; } svg text.warn { fill: var(--warn); }";
    // A size of its own stands at the text: a rule would overrule it.
    let rules = plot::STYLE.replace("svg text { font-size: 12.5px; ", "svg text { ");
    with_colours(&format!("svg {{ font-family: {FONTS}; font-size: 12.5px; }} {own} {rules}"))
}

/// The colours of a light page in place of their names, which few programs know in a file.
fn with_colours(style: &str) -> String {
    let light = STYLE.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
    let declared = light.map_or("", |(declared, _)| declared).split(';');
    let colours = declared.filter_map(|one| one.trim().split_once(':'));
    let colours = colours.filter(|(name, _)| name.starts_with("--"));
    colours.fold(style.to_owned(), |text, (name, colour)| {
        text.replace(&format!("var({name})"), colour.trim())
    })
}
