//! Texts that were cut inside a character.

use std::borrow::Cow;

use beyondnoise_model::error::Error;

/// Reads `bytes`, and if that fails once more with whole characters.
///
/// Generated texts are cut between tokens, and Python writes the half of a character that is left as an escape
/// that is refused. Most files have none, and most that have are read without looking into their texts.
pub(crate) fn repair_surrogates<T>(
    bytes: &[u8],
    mut read: impl FnMut(&[u8]) -> Result<T, Error>,
) -> Result<T, Error> {
    read(bytes).or_else(|error| match without_lone_surrogates(bytes) {
        Cow::Owned(repaired) => read(&repaired),
        Cow::Borrowed(_) => Err(error),
    })
}

/// The bytes with half a character as the mark of what cannot be read: `\ud83d` alone becomes `\ufffd`.
fn without_lone_surrogates(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut repaired: Cow<[u8]> = Cow::Borrowed(bytes);
    let half = |at: usize| {
        let code = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok()
    };
    let mut whole_until = 0;
    for at in memchr::memmem::find_iter(bytes, b"\\u") {
        let backslashes = bytes[..at].iter().rev().take_while(|&&byte| byte == b'\\').count();
        let high = |code: u16| (0xd800..0xdc00).contains(&code);
        let low = |code: u16| (0xdc00..0xe000).contains(&code);
        if at < whole_until || backslashes % 2 == 1 {
            continue;
        }
        if half(at).is_some_and(high) && half(at + 6).is_some_and(low) {
            whole_until = at + 12;
        } else if half(at).is_some_and(|code| high(code) || low(code)) {
            repaired.to_mut()[at..at + 6].copy_from_slice(b"\\ufffd");
        }
    }
    repaired
}

#[cfg(test)]
mod tests {
    use crate::kit::json_records::records;

    #[test]
    fn half_a_character_does_not_cost_the_file() {
        let all = records(
            "f.json",
            r#"{"t": "\ud83d", "u": "\ud83d\ude00", "v": "\\ud83d", "w": "\ude00"}"#.as_bytes(),
        )
        .unwrap();
        let texts = ["t", "u", "v", "w"].map(|key| all[0].text(key).unwrap());
        assert_eq!(texts, ["\u{fffd}", "\u{1f600}", "\\ud83d", "\u{fffd}"]);
    }
}
