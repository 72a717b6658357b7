//! Quoted cells of tables: a quote opens at the start of a cell only, and a doubled one is text.

use memchr::memchr2_iter;

/// The problem of a row that a quote opens to the end of the file.
pub(crate) const OPEN: &str = "expected a quote that closes the cell, found the end of the file: the cell and all after it were not read";

/// The last line end outside of quotes.
pub(crate) fn last_row_end(bytes: &[u8], delimiter: u8) -> Option<usize> {
    scan(bytes, delimiter).0
}

/// Lines before the quote that is still open at the end.
pub(crate) fn lines_before_open(bytes: &[u8], delimiter: u8) -> Option<usize> {
    let open = scan(bytes, delimiter).1?;
    Some(memchr::memchr_iter(b'\n', &bytes[..open]).count())
}

/// The last line end outside of quotes, and the quote that is still open at the end.
fn scan(bytes: &[u8], delimiter: u8) -> (Option<usize>, Option<usize>) {
    let (mut open, mut last, mut doubled) = (None, None, usize::MAX);
    for at in memchr2_iter(b'"', b'\n', bytes) {
        if bytes[at] == b'\n' {
            last = if open.is_some() { last } else { Some(at) };
        } else if at == doubled {
        } else if open.is_none() {
            let starts = at == 0 || [b'\n', b'\r', delimiter].contains(&bytes[at - 1]);
            open = starts.then_some(at);
        } else if bytes.get(at + 1) == Some(&b'"') {
            doubled = at + 1;
        } else {
            open = None;
        }
    }
    (last, open)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_that_does_not_close_is_found() {
        for (text, lines) in [
            ("a,\"b\"\n", None),
            ("a,\"b \"\"c\"\" d\"", None),
            ("a,b \" c\n", None),
            ("a,\"b\nc,d\n", Some(0)),
            ("a,b\nc,\"d\ne,f", Some(1)),
            ("\"a\nb\",c\n\"", Some(2)),
            ("a\r\"b", Some(0)),
        ] {
            assert_eq!(lines_before_open(text.as_bytes(), b','), lines, "{text:?}");
        }
    }
}
