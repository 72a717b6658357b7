//! JSON is recognised, and its errors are named by their place.

use jiter::{Jiter, JiterError};

use beyondnoise_model::error::Error;

/// Bytes that may be blank before the first object.
const BLANK: usize = 1 << 16;

/// Whether the bytes start like JSON objects, or a list of them.
pub(crate) fn looks_like_json(bytes: &[u8]) -> bool {
    let near = &bytes[..bytes.len().min(BLANK)];
    let mut rest = near.iter().filter(|byte| !byte.is_ascii_whitespace());
    match rest.next() {
        Some(b'{') => rest.next().is_some_and(|byte| matches!(byte, b'"' | b'}')),
        Some(b'[') => rest.next().is_some_and(|byte| *byte == b'{'),
        _ => false,
    }
}

/// An error of the reader that was set at `start`.
pub(crate) fn malformed(path: &str, bytes: &[u8], start: usize, error: &JiterError) -> Error {
    let position = Jiter::new(bytes).error_position(start + error.index);
    let cut_off = error.error_type.to_string().contains("EOF");
    let problem = if cut_off {
        "expected the end of the JSON object, found the end of the file".to_owned()
    } else {
        format!("expected JSON, found something else: {}", error.error_type)
    };
    let remedy = if cut_off {
        "the file is cut off: copy it again, or run the benchmark again"
    } else {
        "fix it, or remove the file"
    };
    Error::Input {
        path: path.to_owned(),
        place: format!("line {} column {}", position.line, position.column),
        problem,
        remedy: remedy.to_owned(),
    }
}
