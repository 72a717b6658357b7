//! Counts, lists and names in a sentence.

use std::borrow::Cow;

use textwrap::core::display_width;

/// Characters of a label or sentence of a report.
const MAX_CHARACTERS: usize = 1_000;

/// Names that a sentence lists.
const MAX_LISTED: usize = 4;

/// A count with commas between the thousands: `100,000`.
pub fn count(n: impl std::fmt::Display) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count and its noun: `1 run`, `6 runs`.
pub fn counted(n: usize, noun: &str) -> String {
    format!("{} {noun}{}", count(n), if n == 1 { "" } else { "s" })
}

/// A count and one of two words for it: `1,000 splits`, `2 are`.
pub fn plural(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// `a, b and c`.
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Names as a list: up to four, or the first three and the last.
pub fn listed(names: &[String]) -> String {
    match names {
        [all @ .., last] if names.len() > MAX_LISTED => {
            format!("{}, … {last}", all[..MAX_LISTED - 1].join(", "))
        }
        _ => names.join(", "),
    }
}

/// The first `most` of `all`, and how many more there are: `a, b and 3 more`.
pub fn first_few<T>(all: &[T], most: usize, word: impl Fn(&T) -> String) -> String {
    let first: Vec<String> = all.iter().take(most).map(word).collect();
    match all.len().saturating_sub(most) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// `; also in mean TPOT (7.1 %)` for what others show too.
pub fn also(others: &[String]) -> String {
    if others.is_empty() { String::new() } else { format!("; also in {}", others.join(", ")) }
}

/// Text with a capital letter; a name with an underscore keeps its case.
pub fn sentence(text: &str) -> String {
    if text.split(' ').next().is_some_and(|word| word.contains('_')) {
        return text.to_owned();
    }
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// A text as one word of a command line: in quotes where a shell would take it apart.
pub fn argument(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./:%@,+=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else if text.contains(['"', '$', '`', '\\', '!']) {
        format!("'{}'", text.replace('\'', "'\\''"))
    } else {
        format!("\"{text}\"")
    }
}

/// Text between back-ticks; between longer runs of them where it holds one.
pub fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    if longest == 0 {
        return format!("`{text}`");
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence} {text} {fence}")
}

/// The text up to a length that no sentence of a report reaches, unless a label is the cause.
pub fn clipped(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_CHARACTERS) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    }
}

/// The text up to so many columns of a terminal, with `…` where something is left out.
pub fn shortened(text: &str, columns: usize) -> String {
    if display_width(text) <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += display_width(c.encode_utf8(&mut [0; 4]));
        if used > columns {
            break;
        }
        out.push(c);
    }
    format!("{}…", out.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_cut_by_its_width_on_the_screen() {
        let cut = ["abcdef", "abcdefg", "优化后的版本"].map(|text| shortened(text, 6));
        assert_eq!(cut, ["abcdef", "abcde…", "优化…"]);
    }

    #[test]
    fn counts_and_lists() {
        assert_eq!([count(100_000), count(999)], ["100,000", "999"]);
        assert_eq!([counted(1, "run"), counted(6, "run")], ["1 run", "6 runs"]);
        let names: Vec<String> = (1..=6).map(|n| format!("r{n}")).collect();
        assert_eq!(listed(&names), "r1, r2, r3, … r6");
        assert_eq!(list(&["a".into(), "b".into(), "c".into()]), "a, b and c");
        assert_eq!(["", "ärger", "mean_x is"].map(sentence), ["", "Ärger", "mean_x is"]);
    }
}
