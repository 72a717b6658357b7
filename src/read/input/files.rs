//! The bytes of files, a few files at a time.
//!
//! Result files with request detail are large, so that memory is what limits how many are read side by side:
//! small ones as many as there are threads, large ones two at a time.

use crate::kit::limits::{MAX_FILE_BYTES, UNPACKED};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::errors::ReadFrameHeaderError::SkipFrame;

use crate::kit::json::looks_like_json;
use crate::store::Store;

/// Bytes of files that may be read side by side whatever their number.
const TOGETHER: u64 = 64 << 20;

/// Files that may be read side by side whatever their size.
const LARGE: usize = 2;

/// Bytes that are read between two reports of progress.
const STEP: u64 = 4 << 20;

/// How far the reading of all inputs is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files of the inputs.
    pub files: usize,
    /// Files that have been read to their end and understood.
    pub files_done: usize,
    /// Bytes of all files whose size is known beforehand.
    pub bytes: u64,
    /// Bytes read so far.
    pub bytes_read: u64,
}

/// Reads files and reports the progress.
pub(crate) struct Files<'a> {
    state: Mutex<State>,
    left: Condvar,
    watch: &'a (dyn Fn(Progress) + Sync),
    /// Where they lie.
    pub(crate) store: Store<'a>,
}

#[derive(Default)]
struct State {
    progress: Progress,
    /// Files that are being read, and their bytes.
    open: usize,
    open_bytes: u64,
    /// Memory of files that have been read, for the next.
    spare: Vec<Vec<u8>>,
}

impl<'a> Files<'a> {
    /// All that will be read; `watch` is called from any thread, one call at a time.
    pub(crate) fn new<'p>(
        paths: impl Iterator<Item = &'p Path>,
        watch: &'a (dyn Fn(Progress) + Sync),
        store: Store<'a>,
    ) -> Self {
        let mut progress = Progress::default();
        for path in paths {
            progress.files += 1;
            progress.bytes += size(path);
        }
        let state = State { progress, ..State::default() };
        Self { state: Mutex::new(state), left: Condvar::new(), watch, store }
    }

    /// Applies `use_of` to the bytes of `path`, once there is memory for them.
    pub(crate) fn read<T>(&self, path: &Path, use_of: impl FnOnce(io::Result<&[u8]>) -> T) -> T {
        if let Some(held) = self.store.held(path) {
            return match plain(held) {
                Ok(plain) => use_of(Ok(plain.as_deref().unwrap_or(held))),
                Err(error) => use_of(Err(error)),
            };
        }
        let size = size(path);
        let open = self.enter(size);
        let mut bytes = open.files.state().spare.pop().unwrap_or_default();
        let read = self.fill(path, size, &mut bytes);
        let result = use_of(read.map(|()| bytes.as_slice()));
        bytes.clear();
        let mut state = self.state();
        if state.spare.len() < LARGE {
            state.spare.push(bytes);
        }
        state.progress.files_done += 1;
        (self.watch)(state.progress);
        drop(state);
        drop(open);
        result
    }

    /// Waits until the file may be read beside those that are.
    fn enter(&self, size: u64) -> Open<'_> {
        let full = |state: &mut State| state.open >= LARGE && state.open_bytes + size > TOGETHER;
        let state = self.left.wait_while(self.state(), full);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.open += 1;
        state.open_bytes += size;
        Open { files: self, size }
    }

    /// Puts the bytes of a file, or of standard input, into `bytes`, which is empty.
    fn fill(&self, path: &Path, size: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        if path == Path::new("-") {
            self.unsized_steps(io::stdin().lock(), bytes)?;
        } else if !path.is_file() {
            self.unsized_steps(File::open(path)?, bytes)?;
        } else {
            if size > MAX_FILE_BYTES {
                return Err(too_large(Some(size)));
            }
            // The size is only that of the file system.
            let size = usize::try_from(size).unwrap_or(usize::MAX);
            if bytes.capacity() < size {
                // Nothing of the old memory is kept, and the next file may be a little larger.
                *bytes = Vec::new();
                bytes.try_reserve_exact(size.saturating_add(size / 16))?;
            }
            self.steps(File::open(path)?, bytes)?;
        }
        if let Some(plain) = plain(bytes)? {
            *bytes = plain;
        }
        Ok(())
    }

    /// Reads a source of unknown size into reserved addresses, which use no memory until they are written to. A growing
    /// vector would use its size twice and more.
    fn unsized_steps(&self, source: impl Read, bytes: &mut Vec<u8>) -> io::Result<()> {
        let mut room = usize::try_from(MAX_FILE_BYTES + STEP).unwrap_or(usize::MAX);
        while bytes.try_reserve_exact(room).is_err() {
            room /= 2;
        }
        self.steps(source, bytes)?;
        if bytes.len() < bytes.capacity() / 4 {
            bytes.shrink_to_fit();
        }
        Ok(())
    }

    fn steps(&self, mut source: impl Read, bytes: &mut Vec<u8>) -> io::Result<()> {
        loop {
            let step = source.by_ref().take(STEP).read_to_end(bytes)?;
            if step == 0 {
                return Ok(());
            }
            if bytes.len() as u64 > MAX_FILE_BYTES {
                return Err(too_large(None));
            }
            let mut state = self.state();
            state.progress.bytes_read += step as u64;
            (self.watch)(state.progress);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic of another thread is that thread's to report.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file that is being read.
struct Open<'a> {
    files: &'a Files<'a>,
    size: u64,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let mut state = self.files.state();
        state.open -= 1;
        state.open_bytes -= self.size;
        drop(state);
        self.files.left.notify_all();
    }
}

/// Size of a file; 0 where it is not known.
fn size(path: &Path) -> u64 {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map_or(0, |known| known.len())
}

/// Bytes of a file above which all threads read its parts, where it has such.
const PARTED: u64 = 32 << 20;

/// Bytes that show whether a file has parts.
const NEAR: u64 = 1 << 16;

/// Whether a file is so large that it is read by itself, and is a table or lines: one JSON document has no parts. This
/// decides the order in which files are read, and nothing else.
pub(crate) fn is_large_table(path: &Path) -> bool {
    let mut near = Vec::new();
    let read = |near| File::open(path)?.take(NEAR).read_to_end(near);
    if size(path) <= PARTED || read(&mut near).is_err() {
        return false;
    }
    let lines = || near.starts_with(b"{") && near.contains(&b'\n') && !near.starts_with(b"{\n");
    !looks_like_json(&near) || lines()
}

/// The same for text.
const FACTOR_OF_TEXT: u64 = 40;

/// That a file has too many bytes; how many, where it is known.
fn too_large(found: Option<u64>) -> io::Error {
    let most = MAX_FILE_BYTES >> 30;
    let found = found.map_or_else(
        || "more".to_owned(),
        |bytes| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    );
    io::Error::other(format!(
        "expected at most {most} GiB, found {found}; split it, or let an SQL engine make its runs: beyondnoise reduce --help"
    ))
}

/// Bytes that are packed or UTF-16 as those of plain text; `None` where they are plain.
pub(crate) fn plain(bytes: &[u8]) -> io::Result<Option<Vec<u8>>> {
    let unpacked = unpacked(bytes)?;
    let text = from_utf16(unpacked.as_deref().unwrap_or(bytes))?;
    Ok(text.or(unpacked))
}

/// Unpacks bytes that begin as gzip or Zstandard.
fn unpacked(bytes: &[u8]) -> io::Result<Option<Vec<u8>>> {
    let most =
        UNPACKED.max((bytes.len() as u64).saturating_mul(FACTOR_OF_TEXT)).min(MAX_FILE_BYTES);
    match bytes {
        [0x1f, 0x8b, .., a, b, c, d] => {
            // Its last part holds that length in 32 bits.
            let length = u64::from(u32::from_le_bytes([*a, *b, *c, *d]));
            if length > most {
                return Err(too_much_packed(most));
            }
            let mut all = Vec::new();
            all.try_reserve_exact(usize::try_from(length).unwrap_or(0))?;
            unpack(flate2::read::MultiGzDecoder::new(bytes), most, all)
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            let (mut rest, mut all) = (bytes, Vec::new());
            // Files that were joined, or packed in parts, have several frames.
            while !rest.is_empty() {
                match StreamingDecoder::new(&mut rest) {
                    Ok(decoder) => all = unpack(decoder, most, all)?,
                    Err(FrameDecoderError::ReadFrameHeaderError(SkipFrame { length, .. })) => {
                        let length = usize::try_from(length).unwrap_or(usize::MAX);
                        rest = rest.get(length..).unwrap_or_default();
                    }
                    Err(error) => return Err(io::Error::other(error)),
                }
            }
            Ok(all)
        }
        _ => return Ok(None),
    }
    .map(Some)
}

/// Appends all that `source` gives to `all`, which it makes no longer than `most`.
fn unpack(mut source: impl Read, most: u64, mut all: Vec<u8>) -> io::Result<Vec<u8>> {
    let room = (all.capacity() - all.len()) as u64;
    source.by_ref().take(room).read_to_end(&mut all)?;
    if all.len() == all.capacity() {
        // Addresses for all that may come: a vector that grows would hold its bytes twice.
        let left = (most + 1).saturating_sub(all.len() as u64);
        all.try_reserve_exact(usize::try_from(left).unwrap_or(usize::MAX))?;
        source.take(left).read_to_end(&mut all)?;
        if all.len() < all.capacity() / 4 {
            all.shrink_to_fit();
        }
    }
    if all.len() as u64 > most { Err(too_much_packed(most)) } else { Ok(all) }
}

fn too_much_packed(most: u64) -> io::Error {
    io::Error::other(format!(
        "expected at most {} MiB when unpacked, found more; if you trust the file, unpack it first",
        most >> 20
    ))
}

/// Characters that show that bytes without a mark are UTF-16: a header of a table has as many.
const SHOWING: usize = 8;

/// UTF-8 of bytes with a mark of UTF-16, as a Windows shell writes it, or with ASCII in UTF-16 at the start.
fn from_utf16(bytes: &[u8]) -> io::Result<Option<Vec<u8>>> {
    let start = bytes.get(..2 * SHOWING).unwrap_or_default();
    let is_ascii = |zero: usize| {
        let text = |pair: &[u8]| pair[zero] == 0 && matches!(pair[1 - zero], b'\t'..=b'~');
        !start.is_empty() && start.chunks_exact(2).all(text)
    };
    let (unit, mark): (fn([u8; 2]) -> u16, usize) = match bytes {
        [0xff, 0xfe, ..] => (u16::from_le_bytes, 2),
        [0xfe, 0xff, ..] => (u16::from_be_bytes, 2),
        _ if is_ascii(1) => (u16::from_le_bytes, 0),
        _ if is_ascii(0) => (u16::from_be_bytes, 0),
        _ => return Ok(None),
    };
    let units = bytes[mark..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let characters = char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}'));
    let mut text = String::new();
    text.try_reserve_exact(characters.clone().map(char::len_utf8).sum())?;
    text.extend(characters);
    Ok(Some(text.into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn large_files_are_open_two_at_a_time_and_every_byte_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<_> = (0..6).map(|i| folder.path().join(format!("{i}"))).collect();
        for path in &paths {
            // Sparse: only its size counts.
            File::create(path).unwrap().set_len(TOGETHER / 2 + 1).unwrap();
        }
        let last = Mutex::new(Progress::default());
        let watch = |progress: Progress| *last.lock().unwrap() = progress;
        let files = Files::new(paths.iter().map(std::path::PathBuf::as_path), &watch, Store::Disk);
        let (open, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for path in &paths {
                let (files, open, most) = (&files, &open, &most);
                scope.spawn(move || {
                    files.read(path, |bytes| {
                        most.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        assert_eq!(bytes.unwrap().len() as u64, TOGETHER / 2 + 1);
                        open.fetch_sub(1, Ordering::SeqCst);
                    });
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= LARGE);
        let bytes = 6 * (TOGETHER / 2 + 1);
        let all = Progress { files: 6, files_done: 6, bytes, bytes_read: bytes };
        assert_eq!(*last.lock().unwrap(), all);
    }

    #[test]
    fn a_file_that_cannot_be_read_lets_the_next_in() {
        let files = Files::new(std::iter::empty(), &|_| {}, Store::Disk);
        for _ in 0..3 {
            assert!(files.read(Path::new("/no/such/file"), |bytes| bytes.is_err()));
        }
    }

    #[test]
    fn text_of_a_windows_shell_becomes_utf8() {
        let text = |bytes| from_utf16(bytes).unwrap();
        assert_eq!(text(b"\xff\xfe\x18\x4f!\0"), Some("优!".as_bytes().to_vec()));
        assert_eq!(text(b"\xfe\xff\x4f\x18\0!"), Some("优!".as_bytes().to_vec()));
        assert_eq!(text(b"v\0a\0r\0i\0a\0n\0t\0,\0x\0"), Some(b"variant,x".to_vec()));
        assert_eq!(text(b"\0v\0a\0r\0i\0a\0n\0t\0,\0x"), Some(b"variant,x".to_vec()));
        assert_eq!(text(b"plain"), None);
        assert_eq!(text(b"PAR1\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), None);
    }
}
