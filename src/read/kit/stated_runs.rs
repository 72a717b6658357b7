//! How many runs are behind an average, as a text or a command says.

/// Words for the runs behind an average; requests and iterations of one process are none.
const RUNS: &[&str] = &[
    "run",
    "runs",
    "repeat",
    "repeats",
    "repetition",
    "repetitions",
    "rep",
    "reps",
    "trial",
    "trials",
    "start",
    "starts",
    "restart",
    "restarts",
    "round",
    "rounds",
    "次",
    "轮",
    "遍",
    "回",
    "회",
];

const NUMBERS: &[&str] = &["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/// The number of runs that a text states: `n=5`, `5 runs`, `average of five fresh starts`, `各5次`.
pub(crate) fn stated_count(text: &str) -> Option<u64> {
    let lower = text.to_lowercase();
    let sound = |n: &u64| (2..1000).contains(n);
    let digits = |text: &str| -> Option<u64> {
        let text = text.trim_start();
        text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())].parse().ok()
    };
    let after = lower.match_indices(['n', '×']).find_map(|(at, mark)| {
        let alone = !lower[..at].ends_with(|c: char| c.is_alphanumeric());
        let rest = lower[at + mark.len()..].trim_start().strip_prefix('=')?;
        digits(rest).filter(|_| alone)
    });
    if let Some(count) = after.filter(sound) {
        return Some(count);
    }
    // `(r3)`, as the flag of a client that repeats.
    let flag = lower.trim().strip_prefix("(r").and_then(|rest| rest.strip_suffix(')'));
    if let Some(count) = flag.and_then(|count| count.parse().ok()).filter(sound) {
        return Some(count);
    }
    // `medians-of-5, tok/s`: the number ends the phrase.
    let of = lower.match_indices("of").find_map(|(at, _)| {
        let before = lower[..at].trim_end_matches([' ', '-']);
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let rest = lower[at + 2..].trim_start_matches([' ', '-']);
        let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let ends =
            behind.trim_start().is_empty() || behind.starts_with([',', ')', ';', '）', '，']);
        let statistic = ["mean", "median", "average"].contains(&word.trim_end_matches('s'));
        digits(rest).filter(|_| statistic && ends && before.len() < at)
    });
    // `interleaved, 3 pairs, by turns`: pairs of GPUs are none.
    let pairs = lower.match_indices(" pairs").find_map(|(at, word)| {
        let number = lower[..at].rsplit(|c: char| !c.is_ascii_digit()).next()?;
        let ends = lower[at + word.len()..].trim_start();
        let whole = ends.is_empty()
            || ends.starts_with([',', ')', ';', '.'])
            || ends.starts_with("of runs");
        number.parse().ok().filter(|_| whole)
    });
    if let Some(count) = of.or(pairs).filter(sound) {
        return Some(count);
    }
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '.')
        .map(|word| word.trim_matches('.'))
        .filter(|word| !word.is_empty())
        .collect();
    let number = |word: &str| {
        let place = NUMBERS.iter().position(|name| *name == word);
        place
            .and_then(|place| u64::try_from(place + 2).ok())
            .or_else(|| word.parse().ok())
            .filter(sound)
    };
    for (at, word) in words.iter().enumerate() {
        // In scripts that do not separate words the number is inside of one: `各5次`.
        let start = word.find(|c: char| c.is_ascii_digit());
        let inside = start.and_then(|start| {
            let count = digits(&word[start..])?;
            let rest = word[start..].trim_start_matches(|c: char| c.is_ascii_digit());
            RUNS.iter().any(|name| !name.is_ascii() && rest.starts_with(name)).then_some(count)
        });
        // An adjective may be between: `five fresh starts`.
        let behind = || {
            let next = words[at + 1..].iter().take(2).any(|next| RUNS.contains(next));
            number(word).filter(|_| next)
        };
        if let Some(count) = inside.filter(sound).or_else(behind) {
            return Some(count);
        }
    }
    None
}

/// Whether a text says that there are this many of each: `six clean builds each`.
pub(crate) fn says_of_each(text: &str, count: usize) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let number = |word: &str| {
        let place = NUMBERS.iter().position(|name| *name == word).map(|place| place + 2);
        place.or_else(|| word.parse().ok()) == Some(count)
    };
    let each = |rest: &[&str]| {
        let ends = |word: &&str| word.ends_with([',', '.', ';', ':']) && !word.starts_with("each");
        rest.iter().take(4).take_while(|word| !ends(word)).any(|word| word.starts_with("each"))
    };
    words.iter().enumerate().any(|(at, word)| number(word) && each(&words[at + 1..]))
}

/// The repeats that a command asks for: `perf stat --repeat 10`, `perf stat -r 5`.
pub(crate) fn repeats_of(command: &str) -> Option<usize> {
    let (_, rest) = command.split_once("perf stat ")?;
    let words: Vec<&str> = rest.split([' ', '=']).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|word| matches!(*word, "-r" | "--repeat"))?;
    let count = words.get(at + 1)?.trim_end_matches(|c: char| !c.is_ascii_digit());
    count.parse().ok().filter(|count| *count > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_says_how_many_there_are_of_each() {
        assert!(says_of_each("seconds at -O2, six clean builds each; trunk is the reference", 6));
        assert!(says_of_each("3 fresh servers each.", 3));
        for text in ["six clean builds each", "three GPUs, tok/s each", "each of three", ""] {
            assert!(!says_of_each(text, 3), "{text}");
        }
    }

    /// R5: the number of runs behind averages stands in a column, a header, or a sentence above the table.
    #[test]
    fn a_sentence_states_the_number_of_runs() {
        for (text, count) in [
            ("Mean ± std over fresh starts (n=5).", Some(5)),
            ("Each figure is the average of 5 runs.", Some(5)),
            ("greedy, medians-of-5, tok/s", Some(5)),
            ("median of 9 requests", None),
            ("interleaved, 3 pairs, by turns", Some(3)),
            ("on 2 pairs of GPUs", None),
            ("average of five fresh starts each", Some(5)),
            ("各5次，取平均", Some(5)),
            ("N = 12", Some(12)),
            ("500 requests, 8 in flight", None),
            ("run 3 of the series", None),
            ("one run each", None),
            ("", None),
        ] {
            assert_eq!(stated_count(text), count, "{text}");
        }
    }
}
