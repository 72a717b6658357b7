//! A zip as a folder: its files in memory, within limits.

use std::io::Read;

use beyondnoise::error::Error;
use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive};

/// Most files of a zip.
const MAX_FILES: usize = 20_000;

/// Most bytes of its files, unpacked.
const MAX_BYTES: u64 = 512 << 20;

/// A file with its path.
pub(crate) type Named = (String, Vec<u8>);

/// Whether bytes begin as a zip, which is not the workbook of a spreadsheet.
pub(crate) fn is_zip(bytes: &[u8]) -> bool {
    let workbook = || bytes.windows(14).take(4096).any(|name| name == b"[Content_Types");
    bytes.starts_with(b"PK\x03\x04") && !workbook()
}

/// The folder that replaces the zip at `path`, and the files in it.
///
/// # Errors
///
/// [`Error::Input`] if it is damaged, too large or packed in another way than deflate.
pub(crate) fn unpack(path: &str, bytes: &[u8]) -> Result<(String, Vec<Named>), Error> {
    let folder = path.strip_suffix(".zip").unwrap_or(path);
    let mut files: Vec<Named> = Vec::new();
    let mut left = MAX_BYTES;
    let damaged = |error: rawzip::Error| {
        let problem = format!("expected a zip, found {error}");
        Error::file(path, problem, "pack it again, or drop the folder itself")
    };
    let archive = ZipArchive::from_slice(bytes).map_err(damaged)?;
    let mut entries = archive.entries();
    while let Some(entry) = entries.next_entry().map_err(damaged)? {
        if entry.is_dir() {
            continue;
        }
        let name = entry.file_path().try_normalize().map_err(damaged)?.as_ref().to_owned();
        // Files that macOS adds.
        if name.starts_with("__MACOSX/") {
            continue;
        }
        let (local, method) =
            (archive.get_entry(entry.wayfinder()).map_err(damaged)?, entry.compression_method());
        let mut unpacked = Vec::new();
        let read = match method {
            CompressionMethod::STORE => {
                local.verifying_reader(local.data()).take(left + 1).read_to_end(&mut unpacked)
            }
            CompressionMethod::DEFLATE => local
                .verifying_reader(DeflateDecoder::new(local.data()))
                .take(left + 1)
                .read_to_end(&mut unpacked),
            _ => Err(std::io::Error::other("another way of packing than deflate")),
        };
        read.map_err(|error| {
            let problem = format!("expected files packed by deflate, found in {name}: {error}");
            Error::file(path, problem, "pack it again, or drop the folder itself")
        })?;
        let size = unpacked.len() as u64;
        if size > left || files.len() == MAX_FILES {
            let most = MAX_BYTES >> 20;
            let problem = format!("expected at most {MAX_FILES} files of {most} MiB, found more");
            return Err(Error::file(path, problem, "use the command line"));
        }
        left -= size;
        files.push((format!("{folder}/{name}"), unpacked));
    }
    Ok((inner(folder, &files), files))
}

/// A zip with a single folder is replaced by that folder.
fn inner(folder: &str, files: &[Named]) -> String {
    let below = |(path, _): &Named| {
        let rest = path.strip_prefix(folder)?.strip_prefix('/')?;
        rest.split_once('/').map(|(first, _)| first.to_owned())
    };
    let first = files.first().and_then(below);
    match first {
        Some(first) if files.iter().all(|file| below(file).as_deref() == Some(&first)) => {
            format!("{folder}/{first}")
        }
        _ => folder.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut archive = rawzip::ZipArchiveWriter::new(&mut out);
        for (name, bytes) in files {
            let file = archive.new_file(name).compression_method(CompressionMethod::DEFLATE);
            let (mut entry, config) = file.start().expect("an entry");
            let encoder =
                flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::default());
            let mut writer = config.wrap(encoder);
            writer.write_all(bytes).expect("bytes");
            let (encoder, descriptor) = writer.finish().expect("an entry");
            encoder.finish().expect("an entry");
            entry.finish(descriptor).expect("an entry");
        }
        archive.finish().expect("a zip");
        out
    }

    #[test]
    fn a_zip_is_the_folder_that_was_packed() {
        let packed =
            zip(&[("runs/a/1.json", b"{}"), ("runs/b/1.json", b"[]"), ("__MACOSX/x", b"")]);
        assert!(is_zip(&packed));
        let (folder, files) = unpack("results.zip", &packed).expect("a zip");
        assert_eq!(folder, "results/runs");
        assert_eq!(files[1], ("results/runs/b/1.json".to_owned(), b"[]".to_vec()));
        let (folder, _) = unpack("r.zip", &zip(&[("a/1", b"x"), ("2", b"x")])).expect("a zip");
        assert_eq!(folder, "r");
    }

    #[test]
    fn paths_stay_inside_and_damage_is_told() {
        let (_, files) = unpack("r.zip", &zip(&[("../../etc/passwd", b"x")])).expect("a zip");
        assert_eq!(files[0].0, "r/etc/passwd");
        let mut packed = zip(&[("a", b"some text, some text, some text")]);
        packed[40] ^= 0xff;
        assert!(unpack("r.zip", &packed).is_err());
        packed.truncate(30);
        assert!(unpack("r.zip", &packed).is_err());
    }
}
