//! The inputs of the command line, and the runs in them.

use crate::runs::{Input, Run};
use std::path::PathBuf;

/// Identifies the content of a file, unpacked: its length and a hash.
pub(crate) type Fingerprint = (u64, u128);

/// One argument of the user.
pub(crate) struct Spec {
    pub(crate) name: Option<String>,
    pub(crate) path: String,
    pub(crate) files: Vec<PathBuf>,
    /// A folder that was walked.
    pub(crate) folder: bool,
    /// The one file that the user named.
    pub(crate) named: bool,
}

/// The runs of one file.
pub(crate) struct FileRuns {
    pub(crate) input: Input,
    pub(crate) runs: Vec<Run>,
    /// Of its content, where it was held in memory.
    pub(crate) fingerprint: Option<Fingerprint>,
}
