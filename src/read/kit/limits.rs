//! Lines, rows and texts that are longer than those of any result: an error before they are copied.

use memchr::{memchr_iter, memchr2_iter, memrchr2};

use crate::kit::json::looks_like_json;
use beyondnoise_model::error::Error;

/// Bytes of a line, of a row of a table with all its quoted lines, and of a text in JSON.
pub(crate) const MAX_LINE_BYTES: usize = 64 << 20;

const REMEDY: &str = "shorten or remove it";
pub(crate) const ROW_REMEDY: &str = "close its quote, fix the row, or remove it";

/// The error of a content with a line, in JSON a text, that is longer than [`MAX_LINE_BYTES`].
pub(crate) fn too_long(path: &str, bytes: &[u8]) -> Option<Error> {
    // A file of a data base has no lines, and JSON is one line as often as not.
    let (start, what) = if bytes.starts_with(b"SQLite format 3") || bytes.starts_with(b"PAR1") {
        return None;
    } else if looks_like_json(bytes) {
        (long_text(bytes, MAX_LINE_BYTES)?, "text")
    } else {
        (long_line(bytes)?, "line")
    };
    let line = memchr_iter(b'\n', &bytes[..start]).count() + 1;
    let most = MAX_LINE_BYTES >> 20;
    let problem = format!("expected a {what} of at most {most} MiB, found a longer one");
    Some(Error::at_line(path, line, problem, REMEDY))
}

/// The problem of a row that takes more than [`MAX_LINE_BYTES`].
pub(crate) fn long_row() -> String {
    format!(
        "expected a row of at most {} MiB, found a longer one: this row and all after it were not read",
        MAX_LINE_BYTES >> 20
    )
}

/// Where the first line begins that is longer than [`MAX_LINE_BYTES`].
fn long_line(bytes: &[u8]) -> Option<usize> {
    let mut start = 0;
    while bytes.len() - start > MAX_LINE_BYTES {
        let Some(end) = memrchr2(b'\n', b'\r', &bytes[start..=start + MAX_LINE_BYTES]) else {
            return Some(start);
        };
        start += end + 1;
    }
    None
}

/// Where the first text of JSON begins that has more bytes than `most`.
fn long_text(bytes: &[u8], most: usize) -> Option<usize> {
    // Such a text fills a block in which every quote has a backslash before it; so may an array of numbers.
    let opens = |block: &[u8]| memchr_iter(b'"', block).any(|at| at > 0 && block[at - 1] != b'\\');
    if bytes.chunks_exact(most / 2).all(opens) {
        return None;
    }
    let (mut open, mut escaped) = (None, usize::MAX);
    for at in memchr2_iter(b'"', b'\\', bytes).chain([bytes.len()]) {
        if at == escaped {
            continue;
        }
        match open {
            Some(start) if at - start > most => return Some(start),
            _ if bytes.get(at) == Some(&b'\\') => escaped = at + 1,
            None => open = Some(at),
            Some(_) => open = None,
        }
    }
    None
}

/// Bytes of a file that is held in memory, also of what is packed in it.
pub(crate) const MAX_FILE_BYTES: u64 = 4 << 30;

/// Bytes that any packed file may unpack to; beyond them it may by a factor only: columns are packed better than text.
pub(crate) const UNPACKED: u64 = 128 << 20;

#[cfg(feature = "tables")]
const FACTOR: u64 = 200;

/// Bytes that so many packed ones of a table of columns may unpack to.
#[cfg(feature = "tables")]
pub(crate) fn most_unpacked(packed: u64) -> u64 {
    UNPACKED.max(packed.saturating_mul(FACTOR)).min(MAX_FILE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_of(bytes: &[u8]) -> Option<String> {
        too_long("f", bytes).map(|error| error.to_string())
    }

    #[test]
    fn a_line_may_be_as_long_as_the_limit_and_no_longer() {
        let mut bytes = b"one\r\ntwo\n".to_vec();
        bytes.extend(std::iter::repeat_n(b'x', MAX_LINE_BYTES));
        assert_eq!(line_of(&bytes), None);
        bytes.extend(b"\nend\n");
        assert_eq!(line_of(&bytes), None);
        bytes.insert(9, b'x');
        let found = "f, line 3: expected a line of at most 64 MiB, found a longer one; shorten or remove it";
        assert_eq!(line_of(&bytes).as_deref(), Some(found));
    }

    #[test]
    fn a_text_of_json_is_told_from_numbers_whatever_is_escaped_in_it() {
        let most = 1 << 10;
        let json = |before: &str, inner: &str, after: &str| {
            let text = format!("{before}{}{after}", inner.repeat(most / inner.len() + 2));
            long_text(text.as_bytes(), most)
        };
        assert_eq!(json("{\"a\": 1,\n\"b\": [1", ", 2.5", "]}"), None);
        assert_eq!(json("{\"a\": [\"\"", ", \"\\\\\"", "]}"), None);
        for inner in ["7", "\\\"", "\\\\", "x\\n", "\\u00fc"] {
            for after in ["\"}", ""] {
                assert_eq!(json("{\"a\": 1,\n\"b\": \"", inner, after), Some(14), "{inner}");
            }
        }
    }
}
