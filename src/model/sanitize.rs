//! Text from files and names, made safe to print: no control characters, no marks that turn or hide text.

use std::borrow::Cow;
use std::path::Path;

/// `text` as one line without what a terminal would obey and a reader could not see.
///
/// Line breaks and tabs become blanks. Other control characters, marks that change the direction of what follows
/// them (<https://www.unicode.org/reports/tr9/>), and characters without width that join nothing are taken
/// out. Joiners stay: Persian, Indian scripts and emoji are written with them.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || !text.chars().any(unprintable) {
        return text.into();
    }
    let shown = |c: char| match c {
        '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some(' '),
        c => Some(c).filter(|c| !unprintable(*c)),
    };
    text.chars().filter_map(shown).collect::<String>().into()
}

/// `path` as one line in which what cannot be seen is spelled out, so that no two paths read the same.
pub(crate) fn printable_path(path: &str) -> String {
    let mut shown = String::with_capacity(path.len());
    for c in path.chars() {
        if unprintable(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    shown
}

/// The text of `path`, in which bytes that are no UTF-8 are spelled out: `\xF8`.
pub fn text_of_path(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02X}")));
    }
    text
}

/// Whether `text` is one line as [`printable`] leaves it.
pub fn is_printable(text: &str) -> bool {
    matches!(printable(text), Cow::Borrowed(_))
}

/// Whether `text` is as [`clean`] leaves it.
pub(crate) fn is_clean(text: &str) -> bool {
    is_printable(text) && text.trim().len() == text.len()
}

/// [`printable`] in place, without the blanks at the ends: a table would not keep them.
pub fn clean(text: &mut String) {
    if !is_clean(text) {
        *text = printable(text).trim().to_owned();
    }
}

/// `text` as [`clean`] leaves it.
pub fn cleaned(text: &str) -> String {
    let mut text = text.to_owned();
    clean(&mut text);
    text
}

fn unprintable(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            // Soft hyphen, Arabic letter mark, Mongolian vowel separator.
            '\u{ad}' | '\u{61c}' | '\u{180e}'
            // No width, directions, ends of lines and paragraphs.
            | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            // Word joiner, invisible signs, isolates, shaping.
            | '\u{2060}'..='\u{206f}'
            // Byte order mark, annotations, tags.
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_taken_out() {
        assert_eq!(printable("a\u{1b}[31mb\u{7}\u{9b}1m\0\u{7f}"), "a[31mb1m");
        assert_eq!(printable("one\r\ntwo\tthree\u{2028}four"), "one  two three four");
        assert_eq!(
            printable("exe\u{202e}gpj\u{202c}.\u{2066}x\u{2069}\u{200b}\u{e0041}"),
            "exegpj.x"
        );
    }

    #[test]
    fn no_two_paths_read_the_same() {
        assert_eq!(printable_path("run\u{200b}1\n.json"), "run\\u{200b}1\\u{a}.json");
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            let path = std::ffi::OsStr::from_bytes(b"run-\xf8\xc3\xa9.json");
            assert_eq!(text_of_path(Path::new(path)), "run-\\xF8\u{e9}.json");
        }
    }

    #[test]
    fn no_blank_is_left_at_the_ends() {
        for (text, left) in [("tok/s \u{19}", "tok/s"), ("\0 a b\n", "a b"), (" a ", "a")] {
            assert_eq!(cleaned(text), left);
        }
    }

    #[test]
    fn words_of_any_script_stay() {
        // A zero-width non-joiner in Persian, a zero-width joiner in an emoji.
        for text in ["优化前 | `a`", "می\u{200c}خواهم", "👩\u{200d}💻 é", "a\u{301}"]
        {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text));
        }
    }
}
