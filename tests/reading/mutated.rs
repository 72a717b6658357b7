//! What the fuzz targets assert, without a fuzzer: files of the repository, damaged in ways that are the same in every
//! run, and inputs on which a target once failed.
//!
//! `BEYONDNOISE_MUTATIONS` is the number of inputs of each test; `tests/fuzz/run` looks further.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::sound;

#[path = "../fuzz/targets/numbers.rs"]
mod numbers;
#[path = "../fuzz/targets/packed.rs"]
mod packed;
#[path = "../fuzz/targets/policy.rs"]
mod policy;

/// What takes the place of a number, or stands between two bytes.
const WORDS: &[&str] = &[
    "0",
    "-1",
    "1e308",
    "-1e308",
    "5e-324",
    "NaN",
    "Infinity",
    "null",
    "\"x\"",
    "[]",
    "{}",
    "9007199254740993",
    "1,5",
    "1.0",
    "99999999999999999999",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "\u{202e}",
    "|",
    "```",
    "## ",
    ",",
    ";",
    "\"",
    "{",
    "[",
    "%",
    "============ Serving Benchmark Result ============\n",
    "\u{feff}",
    "优化前",
    "=",
    "_",
    "<b>",
    "\\ud800",
];

/// Numbers that are the same in every run: xorshift64*, <https://doi.org/10.1145/2845077>.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(high).unwrap_or(0) % most.max(1)
    }
}

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, into);
        } else if path.metadata().is_ok_and(|known| known.len() < 20_000) {
            into.push(path);
        }
    }
}

fn damage(bytes: &mut Vec<u8>, other: &[u8], draw: &mut Draw) {
    for _ in 0..=draw.below(4) {
        let at = draw.below(bytes.len());
        match draw.below(8) {
            0 => bytes.truncate(at),
            1 if !bytes.is_empty() => bytes[at] ^= 1 << draw.below(8),
            2 => {
                let until = (at + draw.below(200)).min(bytes.len());
                let again = bytes[at..until].to_vec();
                bytes.splice(at..at, again);
            }
            3 => {
                let until = (at + draw.below(200)).min(bytes.len());
                bytes.drain(at..until);
            }
            4 => {
                bytes.splice(at.., other[draw.below(other.len())..].iter().copied()).for_each(drop);
            }
            5 => {
                let word = WORDS[draw.below(WORDS.len())];
                bytes.splice(at..at, word.bytes());
            }
            _ => {
                // The next number becomes another word.
                let digit = |b: &u8| b.is_ascii_digit() || *b == b'.';
                let Some(start) = bytes[at..].iter().position(digit).map(|n| at + n) else {
                    continue;
                };
                let end = bytes[start..]
                    .iter()
                    .position(|b| !digit(b))
                    .map_or(bytes.len(), |n| start + n);
                bytes.splice(start..end, WORDS[draw.below(WORDS.len())].bytes());
            }
        }
    }
}

/// How many inputs are damaged: `usual`, unless the environment says another number.
fn wanted(usual: usize) -> usize {
    std::env::var("BEYONDNOISE_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// The draws of a test, which differ from those of the others.
fn draws(test: u64) -> Draw {
    Draw(std::env::var("BEYONDNOISE_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(test))
}

/// The files that are damaged.
fn examples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in ["data/notes", "data/formats", "tests/fixtures"] {
        files(&root.join(folder), &mut paths);
    }
    paths
}

#[test]
fn damaged_files_make_sound_reports_or_messages() {
    let paths = examples();
    let read = |path: &PathBuf| std::fs::read(path).expect("a file");
    let mut draw = draws(1);
    for _ in 0..wanted(150) {
        let (path, other) = (&paths[draw.below(paths.len())], &paths[draw.below(paths.len())]);
        let mut bytes = read(path);
        damage(&mut bytes, &read(other), &mut draw);
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let kept = std::panic::catch_unwind(|| sound::everything(&name, &bytes));
        assert!(kept.is_ok(), "{}: {:?}", path.display(), String::from_utf8_lossy(&bytes));
    }
}

/// Gzip and UTF-16, damaged after they were packed.
#[test]
fn damaged_packed_files_are_read_or_refused() {
    let paths = examples();
    let mut draw = draws(5);
    let one = |draw: &mut Draw| {
        let bytes = std::fs::read(&paths[draw.below(paths.len())]).expect("a file");
        if draw.below(2) == 0 {
            let wide = String::from_utf8_lossy(&bytes);
            return std::iter::once(0xfeff)
                .chain(wide.encode_utf16())
                .flat_map(u16::to_le_bytes)
                .collect();
        }
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&bytes).expect("bytes in memory");
        packed.finish().expect("bytes in memory")
    };
    for _ in 0..wanted(60) {
        let (mut bytes, other): (Vec<u8>, Vec<u8>) = (one(&mut draw), one(&mut draw));
        damage(&mut bytes, &other, &mut draw);
        let kept = std::panic::catch_unwind(|| packed::check(&bytes));
        assert!(kept.is_ok(), "{bytes:?}");
    }
}

#[test]
fn odd_numbers_make_sound_reports() {
    let mut draw = draws(7);
    for _ in 0..wanted(40) {
        let length = 30 + draw.below(300);
        let bytes: Vec<u8> = (0..length).map(|_| draw.below(256).to_le_bytes()[0]).collect();
        let kept = std::panic::catch_unwind(|| numbers::check(&bytes));
        assert!(kept.is_ok(), "{bytes:?}");
    }
}

#[test]
fn damaged_policies_mean_what_they_show_or_are_refused() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let good = std::fs::read(root.join("data/beyondnoise.toml")).expect("a file");
    let mut draw = draws(3);
    for _ in 0..wanted(200) {
        let mut bytes = good.clone();
        damage(&mut bytes, &good, &mut draw);
        policy::check(&bytes);
    }
}
