//! Where text goes: standard output, or a file that is replaced as a whole.

use std::ffi::OsString;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use beyondnoise::error::Error;
use beyondnoise::write::{replace, replace_all};

use crate::cli::args::{Colour, InputArgs};

/// Refuses to write the output over one of the inputs, as they are typed, or over the policy.
pub(super) fn guard(input: &InputArgs, files: &[&Path]) -> Result<(), Error> {
    files.iter().try_for_each(|file| named(file))?;
    let path = |input: &String| {
        let bare = input.split_once('=').map_or(input.as_str(), |(_, path)| path);
        let typed = [input, bare].into_iter().find(|path| Path::new(path).exists());
        PathBuf::from(typed.filter(|path| *path != "-").unwrap_or("/dev/stdin"))
    };
    apart("input", input.inputs.iter().map(path), files)?;
    apart("policy file", input.config.path(), files)
}

/// Refuses to write the output over one of the files `read`, which are each a `what`.
pub(super) fn apart(
    what: &str,
    read: impl IntoIterator<Item = PathBuf>,
    files: &[&Path],
) -> Result<(), Error> {
    let targets: Vec<_> = files.iter().filter_map(|file| Some((identity(file)?, file))).collect();
    if targets.is_empty() {
        return Ok(());
    }
    for path in read {
        let Some(identity) = identity(&path) else { continue };
        if let Some((_, file)) = targets.iter().find(|(target, _)| *target == identity) {
            let file = file.canonicalize().unwrap_or(path);
            let problem =
                format!("expected an output of its own, found the {what} {}", file.display());
            return Err(Error::usage(problem, "give another file to -o"));
        }
    }
    Ok(())
}

/// Refuses `-` as a file to write to.
pub(super) fn named(file: &Path) -> Result<(), Error> {
    if file != Path::new("-") {
        return Ok(());
    }
    Err(Error::usage(
        "expected a file to write to, found -",
        "leave out -o to write to standard output, or write ./- for a file of that name",
    ))
}

/// What a file or folder is told by, whatever path leads to it.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let metadata = path.metadata().ok().filter(|found| found.is_file() || found.is_dir())?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// The form asked for, or else the one of the file's ending; without a file that of no ending.
///
/// `endings` lists the endings of each form, the one to be named first.
pub(super) fn form<F: Copy>(
    asked: Option<F>,
    file: Option<&Path>,
    endings: &[(&[&str], F)],
) -> Result<F, Error> {
    if let Some(form) = asked {
        return Ok(form);
    }
    let ending = file.and_then(Path::extension);
    let ending = ending.map_or_else(String::new, |ending| ending.to_string_lossy().to_lowercase());
    let found = endings.iter().find(|(known, _)| known.contains(&ending.as_str()));
    found.map(|(_, form)| *form).ok_or_else(|| {
        let names: Vec<&str> =
            endings.iter().filter_map(|(known, _)| known.first().copied()).collect();
        let (last, others) = names.split_last().unwrap_or((&"", &[]));
        let names = format!("{} or {last}", others.join(", "));
        Error::usage(
            format!("expected a report ending in {names}, found .{ending}"),
            "give another ending to -o, or the form with --format",
        )
    })
}

/// Writes `bytes` to `file`, which is replaced as a whole, or to standard output.
pub(super) fn write(bytes: &[u8], file: Option<&Path>) -> Result<(), Error> {
    if let Some(file) = file {
        return replace(file, bytes);
    }
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        // The reader of a pipe went away: it has what it wanted.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|source| Error::Io {
            path: "standard output".to_owned(),
            doing: "write",
            source,
        }),
    }
}

/// Writes texts to their files, all or none, or the only one to standard output.
pub(super) fn write_each(texts: &[(Option<&Path>, String)]) -> Result<(), Error> {
    if let [(None, text)] = texts {
        return write(text.as_bytes(), None);
    }
    let files: Vec<(&Path, &[u8])> =
        texts.iter().filter_map(|(file, text)| Some(((*file)?, text.as_bytes()))).collect();
    replace_all(&files)
}

/// A message for the person at the terminal.
pub(super) fn complain(message: &str) {
    // Nobody is left to tell if standard error is gone.
    let _ = writeln!(std::io::stderr().lock(), "{message}");
}

/// Whether text is coloured.
pub(super) fn coloured(choice: Colour, to_file: bool) -> bool {
    match choice {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => {
            let seen = !to_file && std::io::stdout().is_terminal();
            seen && wanted(std::env::var_os("NO_COLOR"), std::env::var_os("TERM"))
        }
    }
}

/// Whether a terminal is to have colours, as these two variables say: <https://no-color.org>.
fn wanted(no_color: Option<OsString>, term: Option<OsString>) -> bool {
    no_color.is_none_or(|value| value.is_empty()) && term.is_none_or(|term| term != "dumb")
}

/// Columns of the terminal, 80 where there is none.
pub(super) fn width(to_file: bool) -> u16 {
    let terminal = (!to_file && std::io::stdout().is_terminal()).then(terminal_size::terminal_size);
    terminal.flatten().map_or(80, |(width, _)| width.0.clamp(40, 120))
}

#[cfg(test)]
mod tests {
    use super::wanted;

    #[test]
    fn a_terminal_has_colours_unless_it_or_the_user_says_no() {
        let colours = |no_color: Option<&str>, term: Option<&str>| {
            wanted(no_color.map(Into::into), term.map(Into::into))
        };
        for term in [None, Some(""), Some("xterm-256color")] {
            assert!(colours(None, term) && colours(Some(""), term), "{term:?}");
            assert!(!colours(Some("1"), term), "{term:?}");
        }
        assert!(!colours(None, Some("dumb")));
    }
}
