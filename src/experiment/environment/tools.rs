//! External programs that report a state: tools for devices, and git.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use beyondnoise::environment::Commit;
use rustix::process::{Pid, Signal, kill_process_group};

/// Longest time that a program may take.
const MAX_SECONDS: u64 = 10;

/// Time between two looks whether it has ended.
const STEP: Duration = Duration::from_millis(2);

/// A program of the maker of a device.
pub(super) struct Tool {
    name: &'static str,
    /// Arguments for everything, once.
    all: &'static [&'static str],
    /// Arguments for the state around a run, where the driver has no library for it.
    state: Option<&'static [&'static str]>,
}

const TOOLS: &[Tool] = &[
    Tool { name: "nvidia-smi", all: &["-q"], state: None },
    Tool {
        name: "rocm-smi",
        all: &[],
        state: Some(&["--showtemp", "--showpower", "--showclocks", "--json"]),
    },
    Tool { name: "npu-smi", all: &["info"], state: Some(&["info"]) },
];

/// Keeps the outputs of all tools that there are, as `NAME.txt` in `folder`; gives those to ask around every run.
pub(super) fn keep(folder: &Path) -> Vec<&'static Tool> {
    TOOLS.iter().filter(|tool| tool.keep(folder) && tool.state.is_some()).collect()
}

impl Tool {
    /// Whether there is one whose output can be kept.
    fn keep(&self, folder: &Path) -> bool {
        let kept = output(Command::new(self.name).args(self.all));
        let file = folder.join(format!("{}.txt", self.name));
        kept.is_some_and(|output| fs::write(file, output).is_ok())
    }

    /// Its name and what it says of the state now.
    pub(super) fn query(&self) -> Option<(String, String)> {
        let output = output(Command::new(self.name).args(self.state?))?;
        Some((self.name.to_owned(), String::from_utf8_lossy(&output).trim().to_owned()))
    }
}

/// Identifier of the last start of a Mac; `None` elsewhere.
pub(super) fn boot_session() -> Option<String> {
    let output = output(Command::new("sysctl").args(["-n", "kern.bootsessionuuid"]))?;
    Some(String::from_utf8_lossy(&output).into_owned())
}

/// The commit of the folder; `None` without git or a repository.
///
/// Files unknown to git are no change: results of runs are often in the repository.
pub(in crate::experiment) fn commit(folder: &Path) -> Option<Commit> {
    let git = |args: &[&str]| {
        let of: [&OsStr; 2] = ["-C".as_ref(), folder.as_os_str()];
        // Others may be at work in the repository.
        output(Command::new("git").args(of).args(args).env("GIT_OPTIONAL_LOCKS", "0"))
    };
    let hash = String::from_utf8(git(&["rev-parse", "HEAD"])?).ok()?.trim().to_owned();
    let changes = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(Commit { hash, changed: !changes.is_empty() })
}

/// Standard output of a program; `None` if there is none, it fails, or it takes too long.
fn output(command: &mut Command) -> Option<Vec<u8>> {
    within(command, Duration::from_secs(MAX_SECONDS))
}

fn within(command: &mut Command, longest: Duration) -> Option<Vec<u8>> {
    // A file takes any length of output without a reader.
    let file = tempfile::NamedTempFile::new().ok()?;
    let output = File::options().append(true).open(file.path()).ok()?;
    let command = command.stdin(Stdio::null()).stdout(output).stderr(Stdio::null());
    let mut child = command.process_group(0).spawn().ok()?;
    let mut passed = Duration::ZERO;
    let status = loop {
        match child.try_wait().ok()? {
            Some(status) => break status,
            None if passed < longest => thread::sleep(STEP),
            None => {
                let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw)?;
                // Nobody waits for it: one that hangs in a driver does not end.
                let _ = kill_process_group(group, Signal::KILL);
                return None;
            }
        }
        passed += STEP;
    };
    fs::read(file.path()).ok().filter(|_| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_program_that_hangs_or_fails_says_nothing() {
        let longest = Duration::from_millis(50);
        assert_eq!(within(&mut shell("echo 1; sleep 60"), longest), None);
        assert_eq!(output(&mut shell("echo 1; exit 1")), None);
        assert_eq!(output(&mut Command::new("no-such-program-here")), None);
        // Longer than the buffer of a pipe.
        let long = output(&mut shell("head -c 200000 /dev/zero")).unwrap();
        assert_eq!(long.len(), 200_000);
    }

    #[test]
    fn the_output_of_a_tool_is_kept_and_asked_for_again() {
        let folder = tempfile::tempdir().unwrap();
        let all = &["-c", "echo everything"];
        let tool = Tool { name: "sh", all, state: Some(&["-c", "echo state"]) };
        assert!(tool.keep(folder.path()));
        assert_eq!(fs::read(folder.path().join("sh.txt")).unwrap(), b"everything\n");
        assert_eq!(tool.query(), Some(("sh".to_owned(), "state".to_owned())));
        let gone = Tool { name: "no-such-program-here", all: &[], state: Some(&[]) };
        assert!(!gone.keep(folder.path()) && gone.query().is_none());
    }

    #[test]
    fn a_folder_has_the_commit_of_its_repository() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        assert_eq!(commit(at), None);
        let git = |args: &[&str]| {
            let who = ["-c", "user.name=a", "-c", "user.email=a@b"];
            output(Command::new("git").arg("-C").arg(at).args(who).args(args)).unwrap()
        };
        fs::write(at.join("known"), "1").unwrap();
        git(&["init", "-q"]);
        git(&["add", "known"]);
        git(&["commit", "-q", "-m", "first"]);
        fs::write(at.join("unknown"), "1").unwrap();
        let clean = commit(at).unwrap();
        assert_eq!((clean.hash.len(), clean.changed), (40, false));
        fs::write(at.join("known"), "2").unwrap();
        assert!(commit(at).unwrap().changed);
    }
}
