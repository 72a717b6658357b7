//! Claims in the sentences above and below the printed output of a program.

use std::collections::BTreeSet;

use crate::kit::figure::figure;
use crate::text::claims::{claims_below, is_claim, states_change};
use beyondnoise_model::runs::{Claim, Run, Source};

/// Most lines of a text that people write around results; what is longer is a log.
const MAX_LINES: usize = 2_000;

/// Fewest words of a sentence.
const MIN_WORDS: usize = 3;

/// Adds the claims of each sentence of the text to the last run above it, or else to the first one; they may be about any variant.
pub(crate) fn add_claims(path: &str, text: &str, runs: &mut [Run]) {
    if text.lines().take(MAX_LINES + 1).count() > MAX_LINES {
        return;
    }
    let of_results: BTreeSet<usize> = runs.iter().map(|run| run.source.position).collect();
    let prose = |(at, line): &(usize, &str)| is_sentence(line) && !of_results.contains(&(at + 1));
    for (at, line) in text.lines().enumerate().filter(prose) {
        let source = Source { path: path.into(), position: at + 1, counts: "line" };
        let claims = claims_below("", line.trim(), &source).into_iter();
        let above = (0..runs.len()).filter(|&run| runs[run].source.position <= at + 1);
        let last = above.max_by_key(|&run| runs[run].source.position).unwrap_or(0);
        if let Some(run) = runs.get_mut(last) {
            run.info.claims.extend(claims.map(|claim| Claim { closing: true, ..claim }));
        }
    }
}

/// Whether a line is a sentence of a person that states a change.
fn is_sentence(line: &str) -> bool {
    let line = line.trim();
    let words = line.split_whitespace().filter(|word| word.contains(char::is_alphabetic));
    let columns = line.contains(['|', '\t', '=', '{']) || line.contains("  ");
    // `90% percentile latency: 1.86 seconds`
    let value =
        line.rsplit_once(": ").and_then(|(_, value)| figure(value.trim_end_matches('.'), false));
    let valued = value.is_some_and(|found| found.beside.is_empty());
    !columns && !valued && words.count() >= MIN_WORDS && is_claim(line) && states_change(line)
}
