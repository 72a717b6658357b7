//! The picture of a document as pixels, with embedded fonts for European languages.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use crate::render::svg::{FONTS, svg};
use crate::report::document::Document;

/// Letters of European languages in two weights.
const REGULAR: &[u8] = include_bytes!("png/DejaVuSans.ttf");
const BOLD: &[u8] = include_bytes!("png/DejaVuSans-Bold.ttf");

/// Family of these letters.
const FAMILY: &str = "\"DejaVu Sans\"";

/// Pixels for a unit of the picture, unless it would be higher than this, or have more pixels.
const SCALE: f32 = 2.0;
const MAX_HEIGHT: f32 = 3_000.0;
const MAX_PIXELS: f32 = 4e7;

/// The drawings of the document under its title, as a PNG file.
///
/// The same document gives the same bytes, unless a label has characters of other scripts: those are drawn with the fonts
/// of this computer.
///
/// # Panics
///
/// Never for a document of this crate, whose picture is well-formed.
pub fn png<'a>(document: impl Into<Document<'a>>) -> Vec<u8> {
    let picture = svg(document).replace(FONTS, FAMILY);
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_font_data(REGULAR.to_vec());
    fonts.load_font_data(BOLD.to_vec());
    if !picture.chars().all(is_known) {
        fonts.load_system_fonts();
    }
    let tree = Tree::from_str(&picture, &options).expect("a picture of this crate is well-formed");
    let size = tree.size();
    let scale = SCALE.min(MAX_HEIGHT / size.height());
    let scale = scale.min((MAX_PIXELS / (size.width() * size.height())).sqrt());
    let size = size.to_int_size().scale_by(scale).expect("a picture has a size");
    let mut pixels = Pixmap::new(size.width(), size.height()).expect("a picture has a size");
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().expect("pixels are encoded in memory")
}

/// Whether the letters of this crate have the character.
fn is_known(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{17f}' | 'Ά'..='ώ' | 'Ѐ'..='џ' | '\u{2010}'..='…' | '‰' | '‹'..='›' | '€'
        | '←'..='↓' | '−' | '≈' | '≤'..='≥')
}
