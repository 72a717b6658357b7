//! Tables in chunks of whole rows: the chunks are read side by side, and what comes of them is joined in their order,
//! so that no figure depends on the number of threads.

use std::borrow::Cow;

use memchr::{memchr, memrchr};
use rayon::prelude::*;

use crate::kit::cell_value::{self, CellValue};
use crate::kit::limits::MAX_LINE_BYTES;
use crate::kit::quotes::last_row_end;
use crate::kit::short;
use beyondnoise_model::error::Error;

const CHUNK_BYTES: usize = 4 << 20;

/// Chunks that are read before they are joined.
const TOGETHER: usize = 8;

/// Bytes of a chunk of text.
pub(crate) fn chunk_bytes() -> usize {
    #[cfg(fuzzing)]
    if let tiny @ 1.. = crate::reader::TINY.load(std::sync::atomic::Ordering::Relaxed) {
        return tiny;
    }
    CHUNK_BYTES
}

/// The fault of a row.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) problem: String,
    pub(crate) remedy: &'static str,
}

/// A row of a table in whatever form the file keeps it.
pub(crate) trait RowCells {
    fn count(&self) -> usize;
    /// Text of a cell without the spaces around it.
    fn text(&self, column: usize) -> Cow<'_, [u8]>;
    /// A cell as a number; `header` and `comma` show how numbers are written there.
    fn read(&self, column: usize, header: &str, comma: bool) -> CellValue {
        cell_value::read(&self.text(column), header, comma)
    }
}

/// The work on each row of a chunk, by its number there from 1; false once no more are wanted.
pub(crate) type Take<'t> = dyn FnMut(usize, Result<&dyn RowCells, Problem>) -> bool + 't;

/// A table whose rows are read in chunks.
pub(crate) trait RowSource: Sync {
    fn chunks(&self) -> usize;

    /// Lines before the first chunk.
    fn before(&self) -> usize {
        0
    }

    /// Whether the chunks are worth to be read side by side: small tables are one of many.
    fn side_by_side(&self) -> bool;

    /// Whether numbers are written in any way, with units and decimal commas.
    fn is_text(&self) -> bool {
        true
    }

    /// Gives the rows of a chunk to `take`; returns the lines that it has.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] if the chunk as a whole cannot be read.
    fn each(&self, chunk: usize, take: &mut Take) -> Result<usize, Error>;
}

/// Applies `read` to all chunks, and `join` to the results in their order.
pub(crate) fn in_order<T: Send>(
    source: &dyn RowSource,
    read: impl Fn(usize) -> Result<T, Error> + Send + Sync,
    mut join: impl FnMut(T) -> Result<(), Error>,
) -> Result<(), Error> {
    let count = source.chunks();
    if !source.side_by_side() {
        return (0..count).try_for_each(|chunk| join(read(chunk)?));
    }
    for start in (0..count).step_by(TOGETHER) {
        let chunks = start..count.min(start + TOGETHER);
        let parts: Vec<Result<T, Error>> =
            chunks.into_par_iter().with_max_len(1).map(&read).collect();
        parts.into_iter().try_for_each(|part| join(part?))?;
    }
    Ok(())
}

/// The fault of a cell that is not UTF-8.
pub(crate) fn not_utf8(expected: &str, cell: &[u8]) -> Problem {
    let found = short(&String::from_utf8_lossy(cell));
    let problem = format!("{expected}, found \"{found}\" in another encoding");
    Problem { problem, remedy: "save the table as UTF-8" }
}

/// Cuts bytes into chunks of about `size` bytes that end with a row; quotes may enclose line ends where there is a
/// delimiter.
///
/// Only the last chunk may be longer than [`MAX_LINE_BYTES`]: it then begins with a row that is too long.
pub(crate) fn cut(bytes: &[u8], size: usize, delimiter: Option<u8>) -> Vec<&[u8]> {
    let mut chunks = Vec::new();
    let (mut rest, mut wanted) = (bytes, size);
    while rest.len() > wanted && wanted <= MAX_LINE_BYTES {
        let near = &rest[..wanted];
        let end = match delimiter {
            Some(delimiter) if memchr(b'"', near).is_some() => last_row_end(near, delimiter),
            _ => memrchr(b'\n', near),
        };
        if let Some(end) = end {
            let (chunk, after) = rest.split_at(end + 1);
            chunks.push(chunk);
            (rest, wanted) = (after, size);
        } else {
            wanted *= 2;
        }
    }
    if !rest.is_empty() {
        chunks.push(rest);
    }
    chunks
}

/// Bytes in which the sizes of large files are given: a mebibyte, and less in unit tests, whose large files are small.
pub(crate) const SIZE_UNIT: usize = if cfg!(test) { 1 << 16 } else { 1 << 20 };

/// Bytes above which a table is judged by its start, and rows are read in chunks.
pub(crate) const LARGE: usize = 32 * SIZE_UNIT;

/// Rows from which the layout of a table is decided.
pub(crate) const SAMPLE: usize = 20_000;

/// Whole lines at the start of some bytes; `None` where the first is longer than `most`.
pub(crate) fn whole_lines(bytes: &[u8], most: usize) -> Option<&[u8]> {
    if bytes.len() <= most {
        return Some(bytes);
    }
    memchr::memrchr(b'\n', &bytes[..most]).map(|end| &bytes[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_hold_whole_rows_whatever_their_size() {
        let text = "a,1\n\"b\nb\",2\n\"c \"\"x\"\"\n\",3\nd \" e,4\n\nf,5";
        for size in 1..40 {
            let all = cut(text.as_bytes(), size, Some(b','));
            assert_eq!(all.concat(), text.as_bytes(), "{size}");
            for chunk in all {
                let starts = ["a,1", "\"b\n", "\"c ", "d \"", "\n", "f,5"];
                let chunk = std::str::from_utf8(chunk).expect("text");
                assert!(starts.iter().any(|start| chunk.starts_with(start)), "{size}: {chunk:?}");
            }
        }
    }
}
