//! Errors of reading, comparing and writing.

use std::fmt;
use std::io;

use crate::sanitize::printable;

/// A failure, with its place and its remedy.
#[derive(Debug)]
pub enum Error {
    /// A file cannot be opened, read or written.
    Io {
        /// The file.
        path: String,
        /// The attempted operation: `read`, `write`.
        doing: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// A file was read, and its content is not as expected.
    Input {
        /// The file.
        path: String,
        /// Line, object or column in it; empty for the file as a whole.
        place: String,
        /// Expected and found.
        problem: String,
        /// Next thing to do, as a command or a change of the input.
        remedy: String,
    },
    /// A file without a result: another kind of data, or nothing measured yet. Beside other files it is skipped and
    /// listed.
    NoResult {
        /// The file.
        path: String,
        /// Line, object or column in it; empty for the file as a whole.
        place: String,
        /// Expected and found.
        problem: String,
        /// The next action of the user, from a verb in lower case on: `fix the row`.
        remedy: String,
    },
    /// The inputs together make no comparison.
    Usage {
        /// Expected and found.
        problem: String,
        /// The next action of the user, from a verb in lower case on: `fix the row`.
        remedy: String,
    },
}

impl Error {
    /// An [`Error::Input`] at a line, counted from 1.
    pub fn at_line(path: &str, line: usize, problem: impl Into<String>, remedy: &str) -> Self {
        Self::Input {
            path: path.to_owned(),
            place: format!("line {line}"),
            problem: problem.into(),
            remedy: remedy.to_owned(),
        }
    }

    /// An [`Error::Input`] about a whole file.
    pub fn file(path: &str, problem: impl Into<String>, remedy: &str) -> Self {
        Self::Input {
            path: path.to_owned(),
            place: String::new(),
            problem: problem.into(),
            remedy: remedy.to_owned(),
        }
    }

    /// An [`Error::Usage`].
    pub fn usage(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Usage { problem: problem.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, doing, .. } => write!(f, "cannot {doing} {path}"),
            Self::Input { path, place, problem, remedy }
            | Self::NoResult { path, place, problem, remedy } => {
                let place = if place.is_empty() { String::new() } else { format!(", {place}") };
                write!(f, "{path}{place}: {problem}; {remedy}")
            }
            Self::Usage { problem, remedy } => write!(f, "{problem}; {remedy}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Input { .. } | Self::NoResult { .. } | Self::Usage { .. } => None,
        }
    }
}

/// The error and all its causes on one line, without control characters from a file or its name.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    printable(&text).into_owned()
}
