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
        ErrorKind::InvalidSubcommand => {
            let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
            of_command(typed(ContextKind::InvalidSubcommand)?, usage.contains(" history"))
        }
        _ => None,
    }
}

/// Flags of other programs, with what there is here.
const HABITS: &[(&[&str], &str)] = &[
    (&["--json"], "the format is --format json, or the ending of -o FILE"),
    (&["--html"], "the format is --format html, or the ending of -o FILE"),
    (&["--markdown", "--md"], "the format is --format markdown, or the ending of -o FILE"),
    (&["--csv"], "the format is --format csv, or the ending of -o FILE"),
    (&["--text"], "the format is --format text, or the ending of -o FILE"),
    (
        &["--margin"],
        "margins are set in beyondnoise.toml, by a line `margin = \"2 %\"` under [metrics.NAME]; \
         --tolerance is that of the gate",
    ),
    (&["--threshold", "--max-regression"], "the gate has --tolerance PERCENT"),
    (
        &["--fail-on-regression", "--fail-on-alert", "--fail-threshold", "--assert"],
        "--gate ends with status 1 on a regression; --tolerance PERCENT is what it allows",
    ),
    (&["--alpha", "--significance"], "the level is --confidence, such as --confidence 0.95"),
    (
        &["--by", "--group-by"],
        "a table of many cells is judged by: beyondnoise batch --by COLUMN,COLUMN",
    ),
    (
        &["--schema"],
        "the JSON schemas are in the repository, data/schema; every document names its own in the key schema",
    ),
];

/// How alike a misspelt flag is to the one that was meant.
const ALIKE: f64 = 0.9;

fn of_flag(flag: &str) -> Option<String> {
    let alike = |known: &str| strsim::jaro_winkler(known, flag);
    let names = HABITS.iter().flat_map(|(names, tip)| names.iter().map(move |name| (*name, *tip)));
    let nearest = names.max_by(|(one, _), (other, _)| alike(one).total_cmp(&alike(other)));
    nearest.filter(|(name, _)| alike(name) > ALIKE).map(|(_, tip)| tip.to_owned())
}

/// A tip for an input in the place of the command.
fn of_command(word: &str, of_history: bool) -> Option<String> {
    let path = word.split_once('=').map_or(word, |(_, path)| path);
    let command = if of_history { "history verdict" } else { "compare" };
    let tip = || format!("to judge inputs: beyondnoise {command} {word} ...");
    Path::new(path).exists().then(tip)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A misspelt habit is understood; a flag that is only somewhat like one is left to clap.
    #[test]
    fn flags_of_other_programs_are_known() {
        for (typed, expected) in [
            ("--json", Some("--format json")),
            ("--treshold", Some("--tolerance")),
            ("--fail-on-regression", Some("--gate")),
            ("--margn", Some("margin =")),
            ("--metrics", None),
            ("--pair", None),
        ] {
            let tip = of_flag(typed);
            assert_eq!(tip.is_some(), expected.is_some(), "{typed}: {tip:?}");
            assert!(tip.unwrap_or_default().contains(expected.unwrap_or_default()), "{typed}");
        }
    }

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
