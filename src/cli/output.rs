//! Where text goes: standard output, or a file that is replaced as a whole.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use beyondnoise::error::Error;
use beyondnoise::write::{replace, replace_all};

use crate::cli::args::Colour;

/// Refuses to write the output over one of the inputs.
pub(super) fn guard(inputs: &[String], file: Option<&Path>) -> Result<(), Error> {
    let Some(target) = file.and_then(|file| file.canonicalize().ok()) else { return Ok(()) };
    let path = |input: &String| {
        let bare = input.split_once('=').map_or(input.as_str(), |(_, path)| path);
        [Path::new(input), Path::new(bare)].into_iter().find_map(|path| path.canonicalize().ok())
    };
    if inputs.iter().filter_map(path).any(|input| input == target) {
        let problem =
            format!("expected an output of its own, found the input {}", target.display());
        return Err(Error::usage(problem, "give another file to -o"));
    }
    Ok(())
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
            let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
            let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            !to_file && std::io::stdout().is_terminal() && !set("NO_COLOR") && !dumb
        }
    }
}

/// Columns of the terminal, 80 where there is none.
pub(super) fn width(to_file: bool) -> u16 {
    let terminal = (!to_file && std::io::stdout().is_terminal()).then(terminal_size::terminal_size);
    terminal.flatten().map_or(80, |(width, _)| width.0.clamp(40, 120))
}
