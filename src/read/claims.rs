//! Percentages that people write beside a result: `TTFT ⬇️ 3.44%`.

use crate::runs::{Claim, Source};

/// Longest line that may be a claim, in characters.
const LONGEST: usize = 160;

/// Signs that say which way a percentage goes.
const ARROWS: &[(char, bool)] = &[
    ('⬇', false),
    ('↓', false),
    ('📉', false),
    ('🔽', false),
    ('⬆', true),
    ('↑', true),
    ('📈', true),
    ('🔼', true),
];

/// Whether the words state a percentage.
pub(super) fn is_claim(words: &str) -> bool {
    percentage(words).is_some()
}

/// The claim that a short line states.
pub(super) fn claim_of(words: &str, source: Source) -> Option<Claim> {
    if words.chars().count() > LONGEST || words.contains("%|") {
        return None;
    }
    let (size, up) = percentage(words)?;
    Some(Claim { text: words.trim().to_owned(), size, up, source })
}

/// The text without brackets that hold a claim, and what they hold.
pub(super) fn without_claims(text: &str) -> (String, Option<String>) {
    for (open, close) in [('(', ')'), ('（', '）')] {
        let Some(start) = text.rfind(open) else { continue };
        let Some(length) = text[start..].find(close) else { continue };
        let inner = &text[start + open.len_utf8()..start + length];
        if is_claim(inner) {
            let rest = format!("{}{}", &text[..start], &text[start + length + close.len_utf8()..]);
            return (rest, Some(inner.trim().to_owned()));
        }
    }
    (text.to_owned(), None)
}

/// The first percentage in the words, as a fraction, with its sign or the arrow nearest to it.
fn percentage(words: &str) -> Option<(f64, Option<bool>)> {
    let at = words.find(['%', '％'])?;
    let before = words[..at].trim_end();
    let start = before
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_ascii_digit() || *c == '.')
        .last()
        .map(|(index, _)| index)?;
    let size: f64 = before[start..].parse().ok()?;
    let up = match before[..start].trim_end().chars().next_back() {
        Some('+') => Some(true),
        Some('-' | '−' | '–') => Some(false),
        _ => words
            .char_indices()
            .filter_map(|(index, c)| {
                let (_, up) = ARROWS.iter().find(|(arrow, _)| *arrow == c)?;
                let far = if index < start { start - index } else { index.saturating_sub(at) };
                Some((far, *up))
            })
            .min()
            .map(|(_, up)| up),
    };
    Some((size / 100.0, up))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_takes_its_sign_or_the_nearest_arrow() {
        for (words, size, up) in [
            ("TTFT ⬇️ 3.44%", 0.0344, Some(false)),
            ("Mean TTFT 3.34% ⬇️", 0.0334, Some(false)),
            ("TPOT ⬆️ 2%, TTFT ⬇️ 3%", 0.02, Some(true)),
            ("+5 %", 0.05, Some(true)),
            ("throughput −1.5％", 0.015, Some(false)),
            ("about 4%", 0.04, None),
        ] {
            let (found, direction) = percentage(words).expect(words);
            assert!((found - size).abs() < 1e-12 && direction == up, "{words}");
        }
        assert!(!is_claim("100 % of nothing%".trim_start_matches("100 % of ")));
    }

    #[test]
    fn brackets_with_a_claim_are_no_part_of_a_label() {
        let (rest, claim) = without_claims("cache (TTFT ⬇️ 3.44%)");
        assert_eq!((rest.trim(), claim.as_deref()), ("cache", Some("TTFT ⬇️ 3.44%")));
        assert_eq!(without_claims("cache (v2)"), ("cache (v2)".to_owned(), None));
    }
}
