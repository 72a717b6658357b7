//! The policy file of a call, with its folders relative to the working folder.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::policy::{FILE_NAME, Settings};

/// Size limit of a policy file.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// A policy file: its settings over the defaults of the command, its path and its text.
#[derive(Clone, Debug, Default)]
pub struct SettingsFile {
    /// The settings; without a file the defaults.
    pub settings: Settings,
    /// The file, if there is one.
    pub path: Option<PathBuf>,
    /// Its content as written; empty without a file.
    pub text: String,
}

impl SettingsFile {
    /// The nearest policy file from the working folder upward.
    pub fn nearest() -> Option<PathBuf> {
        let here = std::env::current_dir().ok()?;
        here.ancestors().map(|folder| folder.join(FILE_NAME)).find(|path| path.is_file())
    }

    /// Reads the file at `path`, if there is one, over `usual`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if it cannot be read, [`Error::Input`] for more than 1 MiB, and errors of [`Settings::with_file`].
    pub fn read_over(path: Option<PathBuf>, usual: Settings) -> Result<Self, Error> {
        let Some(path) = path else {
            return Ok(Self { settings: usual, ..Self::default() });
        };
        let shown = path.display().to_string();
        let mut bytes = Vec::new();
        File::open(&path)
            .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|source| Error::Io { path: shown.clone(), doing: "read", source })?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            let problem = "expected a policy file of at most 1 MiB, found more";
            return Err(Error::file(&shown, problem, "give another file to --config"));
        }
        let text = String::from_utf8(bytes).map_err(|_| {
            let problem = "expected UTF-8 text, found other bytes";
            Error::file(&shown, problem, "save it as UTF-8")
        })?;
        let settings = usual.with_file(&text, &shown)?;
        Ok(Self { settings, path: Some(path), text })
    }

    /// The settings, with the folder of earlier runs relative to the working folder instead of the file's folder.
    pub fn resolved(self) -> Settings {
        let folder = self.path.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let resolve = |history: String| {
            let remote = history.contains("://");
            if remote { history } else { folder.join(history).display().to_string() }
        };
        Settings { history: self.settings.history.map(resolve), ..self.settings }
    }
}
