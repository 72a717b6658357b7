//! What one would type by habit, and what it is called here.

use std::path::Path;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// The error with a tip in place of the one that clap makes up, where there is a better one.
pub(super) fn with_tip(mut error: Error) -> Error {
    if let Some(tip) = tip(&error) {
        for kind in [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand] {
            error.remove(kind);
        }
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
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
            let form = flag.trim_start_matches('-');
            format!("the form is --format {form}, or the ending of -o FILE")
        }
        "--md" => "the form is --format markdown, or the ending of -o FILE".to_owned(),
        "--margin" => {
            "margins stand in beyondnoise.toml, a line `margin = \"2 %\"` under [metrics.NAME]; \
             --tolerance is that of the gate"
                .to_owned()
        }
        "--threshold" | "--max-regression" => "the gate has --tolerance PERCENT".to_owned(),
        _ => return None,
    };
    Some(tip)
}

/// An input in place of a command.
fn of_command(word: &str) -> Option<String> {
    let path = word.split_once('=').map_or(word, |(_, path)| path);
    Path::new(path).exists().then(|| format!("to judge inputs: beyondnoise compare {word} ..."))
}
