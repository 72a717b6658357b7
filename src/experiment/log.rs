//! The last lines of a log, for the error that it explains.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use beyondnoise_model::format::shortened;
use beyondnoise_model::sanitize::printable;

/// Bytes of a log that are read for its last lines.
const TAIL: u64 = 1 << 16;

/// Longest line that is shown, in columns.
const COLUMNS: usize = 200;

/// The last `n` lines of a log that are not blank, each safe to print; none if it cannot be read.
pub(super) fn last_lines(path: &Path, n: usize) -> Vec<String> {
    let Ok(tail) = tail(path) else { return Vec::new() };
    let text = String::from_utf8_lossy(&tail);
    let lines = text.lines().map(|line| {
        // A progress bar is drawn over itself.
        let line = line.trim_end().rsplit('\r').next().unwrap_or_default();
        shortened(printable(&without_colours(line)).trim_end(), COLUMNS)
    });
    let mut lines: Vec<String> = lines.filter(|line| !line.trim().is_empty()).collect();
    lines.split_off(lines.len().saturating_sub(n))
}

fn tail(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail)?;
    Ok(tail)
}

/// The text without sequences that set colours: `ESC [ ... m`.
fn without_colours(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += part
            .trim_start_matches(|c: char| c.is_ascii_digit() || c == ';')
            .get(1..)
            .unwrap_or("");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_safe_to_print() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        assert!(last_lines(&log, 3).is_empty(), "there is none");
        let wide = "x".repeat(500);
        let text = format!(
            "lost\nfirst\n\n \u{1b}[1;31mERROR\u{1b}[0m \u{7}bell\r\n10 %\r50 %\r100 %\n{wide}\n\u{1b}["
        );
        std::fs::write(&log, text.as_bytes()).expect("a file");
        let lines = last_lines(&log, 4);
        assert_eq!(lines[..3], ["first", " ERROR bell", "100 %"]);
        assert_eq!((lines.len(), lines[3].chars().count()), (4, COLUMNS));
        // Only the end of a large log is read, from the middle of a line and of a character.
        let many = "é".repeat(100_000) + "\nthe end";
        std::fs::write(&log, many).expect("a file");
        assert_eq!(last_lines(&log, 1), ["the end"]);
        std::fs::write(&log, [0xff, b'a', b'\n']).expect("a file");
        assert_eq!(last_lines(&log, 9), ["\u{fffd}a"]);
    }
}
