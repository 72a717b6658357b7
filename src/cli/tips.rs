//! Tips for flags and commands of other programs that users give by habit.

use std::path::Path;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use beyondnoise_model::sanitize::{is_printable, printable};

use crate::cli::terminal::print_error;

/// The error with a better tip than clap's, if there is one.
fn with_tip(mut error: Error) -> Error {
    if let Some(tip) = tip(&error) {
        for kind in [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand] {
            error.remove(kind);
        }
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Prints clap's help or error and exits. Control characters in the arguments are escaped.
pub(super) fn end(error: Error) -> ExitCode {
    let error = with_tip(error);
    let typed = std::env::args_os();
    if !error.use_stderr() || typed.into_iter().all(|word| is_printable(&word.to_string_lossy())) {
        error.exit();
    }
    print_error(&without_controls(&error));
    ExitCode::from(2)
}

fn without_controls(error: &Error) -> String {
    let styled = error.render().ansi().to_string();
    let mut parts = styled.split("\u{1b}[");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let style = part
            .split_once('m')
            .filter(|(codes, _)| codes.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'));
        match style {
            Some((_, rest)) => text.push_str(rest),
            None => text.extend(["[", part]),
        }
    }
    let lines: Vec<_> = text.trim_end().lines().map(printable).collect();
    lines.join("\n")
}

fn tip(error: &Error) -> Option<String> {
    let typed = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::UnknownArgument => of_flag(typed(ContextKind::InvalidArg)?),
        ErrorKind::InvalidSubcommand => of_command(typed(ContextKind::InvalidSubcommand)?),
        _ => None,
    }
}

fn of_flag(flag: &str) -> Option<String> {
    let tip = match flag {
        "--json" | "--html" | "--markdown" | "--csv" | "--text" => {
            let name = flag.trim_start_matches('-');
            format!("the format is --format {name}, or the ending of -o FILE")
        }
        "--md" => "the format is --format markdown, or the ending of -o FILE".to_owned(),
        "--margin" => {
            "margins are set in beyondnoise.toml, by a line `margin = \"2 %\"` under [metrics.NAME]; \
             --tolerance is that of the gate"
                .to_owned()
        }
        "--threshold" | "--max-regression" => "the gate has --tolerance PERCENT".to_owned(),
        _ => return None,
    };
    Some(tip)
}

/// A tip for an input in the place of the command.
fn of_command(word: &str) -> Option<String> {
    let path = word.split_once('=').map_or(word, |(_, path)| path);
    Path::new(path).exists().then(|| format!("to judge inputs: beyondnoise compare {word} ..."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_was_typed_reaches_the_terminal_as_a_command() {
        for typed in
            ["--\u{1b}]0;x\u{7}\u{1b}[2J\u{9b}1m\u{202e}y", "--color=\u{1b}[31m\u{1b}c\u{7}"]
        {
            let color = clap::Arg::new("color").long("color").value_parser(["auto"]);
            let command = clap::Command::new("beyondnoise").arg(color);
            let error = command.try_get_matches_from(["beyondnoise", typed]).unwrap_err();
            let text = without_controls(&with_tip(error));
            assert!(text.starts_with("error: ") && text.contains("--help"), "{text:?}");
            assert!(text.lines().all(is_printable), "{text:?}");
        }
    }
}
