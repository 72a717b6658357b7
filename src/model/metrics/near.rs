//! Suggestions for misspelt names.

/// Longest name that can be a misspelling, in bytes.
const MAX_BYTES: usize = 100;

/// Most suggested names.
const MAX_NAMED: usize = 3;

/// Most edits between a name and a suggestion.
const MAX_EDITS: usize = 2;

/// The names in `known` that `typed` may mean, at most three, the nearest first.
///
/// A name is near if it is at most two edits away, or if it has all typed words, each with at most one edit: `tftt` is near
/// `mean_ttft_ms`. Case and word separators do not matter.
///
/// # Examples
///
/// ```
/// use beyondnoise_model::metrics::near;
///
/// let known = ["mean_ttft_ms", "p99_ttft_ms", "output_throughput"];
/// assert_eq!(near("P99 tftt", known), ["p99_ttft_ms"]);
/// assert_eq!(near("throughput", known), ["output_throughput"]);
/// assert!(near("speed", known).is_empty());
/// ```
pub fn near<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let asked = words(typed);
    if asked.is_empty() || typed.len() > MAX_BYTES {
        return Vec::new();
    }
    let distance = |name: &'a str| {
        let of_name = words(name);
        let whole = strsim::damerau_levenshtein(&asked.join("_"), &of_name.join("_"));
        let by_words: Option<usize> = asked
            .iter()
            .map(|word| of_name.iter().filter_map(|other| edits(word, other)).min())
            .sum();
        let near = by_words.or((whole <= MAX_EDITS).then_some(whole))?;
        Some((near, whole > MAX_EDITS, name))
    };
    let mut found: Vec<(usize, bool, &str)> = known.into_iter().filter_map(distance).collect();
    found.sort_unstable();
    // If some names match the spelling, the others are not meant.
    let least = found.first().map_or(0, |(edits, ..)| *edits);
    found.retain(|(edits, ..)| *edits == least);
    found.into_iter().map(|(.., name)| name).take(MAX_NAMED).collect()
}

/// `did you mean p99_ttft_ms or p90_ttft_ms?`; `None` if no name is near.
pub fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    match &near(typed, known)[..] {
        [] => None,
        [only] => Some(format!("did you mean {only}?")),
        [first @ .., last] => Some(format!("did you mean {} or {last}?", first.join(", "))),
    }
}

/// The words of a name in lower case.
fn words(name: &str) -> Vec<String> {
    let lower = name.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// The edits between two words; `None` if they are different words. A short word has no misspelling.
fn edits(word: &str, other: &str) -> Option<usize> {
    const SHORT: usize = 3;
    let edits = strsim::damerau_levenshtein(word, other);
    let most = usize::from(word.chars().count() > SHORT);
    (edits <= most).then_some(edits)
}
