//! Words of the command line, and values that are given in words.

use beyondnoise::plan::Cost;
use beyondnoise::policy::{parse_across, parse_confidence, parse_method, parse_percentage};

use crate::cli;

pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let words: Vec<&str> =
        std::iter::once("beyondnoise").chain(text.split('\n')).take(40).collect();
    cli::understands(&words);
    for word in &words[1..] {
        if let Ok(confidence) = parse_confidence(word) {
            assert!(confidence > 0.0 && confidence < 1.0, "{word}");
        }
        if let Ok(share) = parse_percentage(word) {
            assert!(share.is_finite() && share >= 0.0, "{word}");
        }
        if let Ok(cost) = word.parse::<Cost>() {
            assert!(cost.amount.is_finite() && cost.amount > 0.0, "{word}");
        }
        let _ = (parse_across(word), parse_method(word));
    }
}
