//! How text is laid out and coloured.

use anstyle::{AnsiColor, Style};

use crate::report::document::Tone;
use crate::verdict::{Headline, Verdict};

/// How the text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "switches that are typed one by one")]
pub struct TextOptions {
    /// Columns of the terminal.
    pub width: u16,
    /// Colour the words of verdicts.
    pub colour: bool,
    /// Show folded parts too: all metrics, notes and the method.
    pub verbose: bool,
    /// Show the first line only.
    pub quiet: bool,
    /// Draw the intervals on one axis.
    pub plot: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { width: 80, colour: false, verbose: false, quiet: false, plot: false }
    }
}

pub(super) fn style(tone: Tone) -> Style {
    let colour = match tone {
        Tone::Verdict(Verdict::Better) => {
            return Style::new().fg_color(Some(AnsiColor::Green.into()));
        }
        Tone::Verdict(Verdict::Worse) => return Style::new().fg_color(Some(AnsiColor::Red.into())),
        Tone::Verdict(_) => return Style::new(),
        Tone::Headline(Headline::Improved) => AnsiColor::Green,
        Tone::Headline(Headline::Regressed | Headline::NotComparable) => AnsiColor::Red,
        Tone::Headline(Headline::TradeOff | Headline::NoVerdict | Headline::SlightlyRegressed)
        | Tone::Warning => AnsiColor::Yellow,
        Tone::Headline(Headline::SlightlyImproved | Headline::NoChange | Headline::WithinNoise)
        | Tone::Calm => AnsiColor::Cyan,
    };
    Style::new().bold().fg_color(Some(colour.into()))
}
