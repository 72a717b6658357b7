//! What people write around the output of a program that they pasted.

use crate::text::claims::{claims_below, is_claim, states_change};
use beyondnoise_model::runs::{Claim, Run, Source};

/// Most lines of a text that people write around results; what is longer is a log.
const MAX_LINES: usize = 2_000;

/// Fewest words of a sentence.
const MIN_WORDS: usize = 3;

/// Gives the changes that sentences of the text state to the runs above them, or to the first: each may be about any variant.
pub(crate) fn add_claims(path: &str, text: &str, runs: &mut [Run]) {
    if text.lines().take(MAX_LINES + 1).count() > MAX_LINES {
        return;
    }
    for (at, line) in text.lines().enumerate().filter(|(_, line)| is_sentence(line)) {
        let source = Source { path: path.into(), position: at + 1, counts: "line" };
        let claims = claims_below("", line.trim(), &source);
        let above = |run: &&mut Run| run.source.position <= at + 1;
        let last = runs.iter_mut().filter(above).max_by_key(|run| run.source.position);
        let Some(run) = last else {
            let closing = |claim| Claim { closing: true, ..claim };
            if let Some(first) = runs.first_mut() {
                first.info.claims.extend(claims.into_iter().map(closing));
            }
            continue;
        };
        run.info.claims.extend(claims.into_iter().map(|claim| Claim { closing: true, ..claim }));
    }
}

/// Whether a line is a sentence of a person that states a change.
fn is_sentence(line: &str) -> bool {
    let line = line.trim();
    let words = line.split_whitespace().filter(|word| word.contains(char::is_alphabetic));
    let columns = line.contains(['|', '\t', '=', '{']) || line.contains("  ");
    !columns && words.count() >= MIN_WORDS && is_claim(line) && states_change(line)
}
