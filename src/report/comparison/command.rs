//! The command of the next step: a line to type, in the folder of the call.

use std::ops::RangeInclusive;

use serde::{Serialize, Serializer};

use crate::compare::MoreRuns;
use crate::format::argument;
use crate::report::Report;
use crate::runs::Input;

/// Noises that `plan` takes.
const PLANNED: RangeInclusive<f64> = 0.000_01..=10.0;

/// The command of a next step; a line in the document, or null.
#[derive(Clone, Debug, PartialEq)]
pub enum NextCommand {
    /// No command to type.
    Nothing,
    /// A whole line of a shell.
    Line(String),
    /// The call that made the report, with these words more; a line once the call is known.
    Again(Vec<String>),
}

impl NextCommand {
    pub(crate) fn again(words: &[&str]) -> Self {
        Self::Again(words.iter().map(|word| (*word).to_owned()).collect())
    }
}

impl Serialize for NextCommand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Line(line) => serializer.serialize_some(line),
            Self::Nothing | Self::Again(_) => serializer.serialize_none(),
        }
    }
}

/// The next step.
pub(crate) struct Next {
    /// In a sentence.
    pub(crate) step: String,
    /// The command to type.
    pub(crate) command: NextCommand,
    /// The number of further runs of each in the step, to settle metrics within noise.
    pub(crate) more: Option<usize>,
}

impl From<String> for Next {
    /// A step for which there is nothing to type.
    fn from(step: String) -> Self {
        Self { step, command: NextCommand::Nothing, more: None }
    }
}

impl Report {
    /// Makes the next commands that repeat the call which made this report: `words` are those after the name of the
    /// program, the command first.
    ///
    /// Input that can be read only once leaves them without a line.
    pub fn called_by(&mut self, words: &[String]) {
        let once =
            |input: &Input| input.path == "standard input" || input.path.starts_with("/dev/");
        if self.inputs.iter().any(once) {
            return;
        }
        for comparison in &mut self.comparisons {
            if let NextCommand::Again(more) = &comparison.next_command {
                comparison.next_command = again(words, more);
            }
        }
    }
}

/// A call with more words after its command, instead of those that contradict them.
fn again(words: &[String], more: &[String]) -> NextCommand {
    let Some(command) = words.first() else { return NextCommand::Nothing };
    // The flags of the judging follow `--` there.
    let judges_a_table = command == "reduce";
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let (before, rest) = words.split_at(if judges_a_table { end } else { 1 });
    // Pairs use no other noise than their own.
    let paired = more.iter().any(|word| word == "--paired");
    let flags = more.iter().map(String::as_str).filter(|word| word.starts_with("--"));
    let others = if paired { &["--noise", "--history"][..] } else { &[] };
    let instead: Vec<&str> = flags.chain(others.iter().copied()).collect();
    let mut line = vec!["beyondnoise".to_owned()];
    line.extend(before.iter().map(|word| argument(word)));
    line.extend(judges_a_table.then(|| "--".to_owned()));
    line.extend(more.iter().map(|word| argument(word)));
    let mut rest = rest.iter().skip(usize::from(judges_a_table));
    while let Some(word) = rest.next() {
        if instead.contains(&word.as_str()) {
            // It has a value.
            if word != "--paired" {
                rest.next();
            }
        } else if !instead.iter().any(|flag| word.starts_with(&format!("{flag}="))) {
            line.push(argument(word));
        }
    }
    NextCommand::Line(line.join(" "))
}

/// The command that says what the runs which are there and `more` of each find.
pub(crate) fn plan(known: &MoreRuns, more: usize) -> NextCommand {
    let percent = |fraction: f64| {
        let digits = format!("{:.6}", 100.0 * fraction);
        format!("{}%", digits.trim_end_matches('0').trim_end_matches('.'))
    };
    let MoreRuns { have, cv, prior_df, level, paired, .. } = *known;
    // It plans no pairs.
    if paired || !PLANNED.contains(&cv) {
        return NextCommand::Nothing;
    }
    let prior = if prior_df > 0.0 { format!(" --prior-df {prior_df}") } else { String::new() };
    NextCommand::Line(format!(
        "beyondnoise plan --runs {} --cv {} --confidence {}{prior}",
        have + more,
        percent(cv),
        percent(1.0 - level)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_a_judged_table_follow_two_hyphens() {
        let again = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            again(&words, &["--paired".to_owned()])
        };
        for (call, next) in [
            ("compare a --history h", "beyondnoise compare --paired a"),
            ("reduce --run a", "beyondnoise reduce --run a -- --paired"),
            ("reduce --run a -- -q --history h", "beyondnoise reduce --run a -- --paired -q"),
        ] {
            assert_eq!(again(call), NextCommand::Line(next.to_owned()), "{call}");
        }
    }
}
