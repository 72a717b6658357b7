//! A file in blocks of whole rows, so that rows can be read side by side.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memrchr};

use crate::read::limits::{MAX_LINE_BYTES, long_row_at};
use crate::read::quotes::last_row_end;

/// Blocks of whole rows, one after the other.
pub(in crate::read) struct Blocks<'a> {
    input: Box<dyn Read + Send + 'a>,
    /// Bytes a block has about.
    size: usize,
    delimiter: u8,
    /// Lines end with a carriage return alone.
    returns: bool,
    /// Quotes may enclose line ends.
    quotes: bool,
    /// Bytes after the last row end.
    rest: Vec<u8>,
    finished: bool,
    /// Lines before the next row.
    lines: usize,
}

impl<'a> Blocks<'a> {
    pub(in crate::read) fn new(
        input: Box<dyn Read + Send + 'a>,
        size: usize,
        (delimiter, returns, quotes): (u8, bool, bool),
    ) -> Self {
        let (rest, finished, lines) = (Vec::new(), false, 0);
        Self { input, size, delimiter, returns, quotes, rest, finished, lines }
    }

    /// The blocks; the first begins after so many lines.
    pub(in crate::read) fn after(self, lines: usize) -> Self {
        Self { lines, ..self }
    }

    /// Lines before the next block.
    pub(in crate::read) fn lines(&self) -> usize {
        self.lines
    }

    /// Up to `count` blocks; none at the end.
    pub(in crate::read) fn batch(&mut self, count: usize) -> io::Result<Vec<Vec<u8>>> {
        let mut blocks = Vec::new();
        while blocks.len() < count
            && let Some(block) = self.next_block()?
        {
            blocks.push(block);
        }
        Ok(blocks)
    }

    fn next_block(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut wanted = self.size;
        let mut block = std::mem::take(&mut self.rest);
        loop {
            if !self.finished && block.len() < wanted {
                let before = block.len();
                block.reserve_exact(wanted - before);
                let read =
                    self.input.by_ref().take((wanted - before) as u64).read_to_end(&mut block)?;
                self.finished = before + read < wanted;
                if self.returns {
                    let returns = |byte: &mut u8| {
                        if *byte == b'\r' {
                            *byte = b'\n';
                        }
                    };
                    block[before..].iter_mut().for_each(returns);
                }
            }
            if self.finished {
                return Ok((!block.is_empty()).then_some(block));
            }
            let end = if self.quotes && memchr(b'"', &block).is_some() {
                last_row_end(&block, self.delimiter)
            } else {
                memrchr(b'\n', &block)
            };
            if let Some(end) = end {
                self.rest = block.split_off(end + 1);
                self.lines += memchr_iter(b'\n', &block).count();
                return Ok(Some(block));
            }
            if block.len() > MAX_LINE_BYTES {
                return Err(long_row_at(self.lines + 1));
            }
            wanted *= 2;
        }
    }
}

/// Whether a carriage return ends a line by itself, as a table held in memory has it.
pub(super) fn has_lone_return(block: &[u8]) -> bool {
    memchr_iter(b'\r', block).any(|at| block.get(at + 1).is_some_and(|&next| next != b'\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str, size: usize, returns: bool) -> Vec<String> {
        let input = Box::new(text.as_bytes());
        let mut blocks = Blocks::new(input, size, (b',', returns, true));
        let all = blocks.batch(usize::MAX).expect("memory");
        all.into_iter().map(|block| String::from_utf8(block).expect("text")).collect()
    }

    #[test]
    fn blocks_hold_whole_rows_whatever_their_size() {
        let text = "a,1\n\"b\nb\",2\n\"c \"\"x\"\"\n\",3\nd \" e,4\n\nf,5";
        for size in 1..40 {
            let all = blocks(text, size, false);
            assert_eq!(all.concat(), text, "{size}");
            for block in &all {
                let starts = ["a,1", "\"b\n", "\"c ", "d \"", "\n", "f,5"];
                assert!(starts.iter().any(|start| block.starts_with(start)), "{size}: {block:?}");
            }
        }
        assert_eq!(blocks("a\rb\rc", 2, true), ["a\n", "b\n", "c"]);
    }
}
