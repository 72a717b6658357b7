//! The terminal: its width, its colors, and messages on standard error.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// On a terminal with colors, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Also in a file or a pipe
    Always,
    /// Plain text everywhere
    Never,
}

pub(super) fn print_error(message: &str) {
    // If standard error is closed, nobody can be informed.
    let _ = writeln!(std::io::stderr().lock(), "{message}");
}

pub(super) fn colored(choice: Color, to_file: bool) -> bool {
    match choice {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            let terminal = !to_file && std::io::stdout().is_terminal();
            terminal && has_colors(std::env::var_os("NO_COLOR"), std::env::var_os("TERM"))
        }
    }
}

/// Whether the two variables allow colors: <https://no-color.org>.
fn has_colors(no_color: Option<OsString>, term: Option<OsString>) -> bool {
    no_color.is_none_or(|value| value.is_empty()) && term.is_none_or(|term| term != "dumb")
}

/// Columns of the terminal, 80 where there is none.
pub(super) fn width(to_file: bool) -> u16 {
    let terminal = (!to_file && std::io::stdout().is_terminal()).then(terminal_size::terminal_size);
    terminal.flatten().map_or(80, |(width, _)| width.0.clamp(40, 120))
}

#[cfg(test)]
mod tests {
    use super::has_colors;

    #[test]
    fn a_terminal_has_colors_unless_it_or_the_user_says_no() {
        let colors = |no_color: Option<&str>, term: Option<&str>| {
            has_colors(no_color.map(Into::into), term.map(Into::into))
        };
        for term in [None, Some(""), Some("xterm-256color")] {
            assert!(colors(None, term) && colors(Some(""), term), "{term:?}");
            assert!(!colors(Some("1"), term), "{term:?}");
        }
        assert!(!colors(None, Some("dumb")));
    }
}
