//! A command of a run, seen from the program: started, watched and ended through its keeper.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use rustix::process::{WaitOptions, waitpid};

use beyondnoise::error::Error;

use crate::experiment::keeper::{CALLED, Said, Stop};
pub(super) use crate::experiment::keeper::{Ended, Request};
use crate::experiment::processes::{self, Left, below, group_lives, now, pid};

/// How often a wait asks whether to stop.
const TICK: Duration = Duration::from_millis(20);

/// How long a keeper has for its first words, and for its last after all else is ended.
const PATIENCE: Duration = Duration::from_secs(30);

/// Time from TERM to KILL for processes that an earlier program left running.
const GRACE_OF_LEFT: Duration = Duration::from_secs(20);

/// The keepers that live. Other children of this program in groups of their own are orphans of a keeper that was killed.
static KEEPERS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn keepers() -> MutexGuard<'static, BTreeSet<u32>> {
    KEEPERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A command that was started. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Child {
    keeper: process::Child,
    /// Its end is the end of the command.
    tell: Option<ChildStdin>,
    said: Receiver<Said>,
    group: u32,
    since: u64,
    grace: Duration,
    ended: Option<Ended>,
}

/// How a wait came to its end.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Waited {
    /// With the end of the command.
    Ended(Ended),
    /// With the time limit; the command goes on.
    TimedOut,
    /// By the wish to stop; the command goes on.
    Stopped,
}

impl Child {
    /// Starts a command.
    ///
    /// # Errors
    ///
    /// If its folder is missing, a log cannot be written, or the system starts no more processes.
    pub(super) fn start(request: &Request) -> Result<Self, Error> {
        let wrong = |why: &str| {
            let problem = format!("cannot start `{}`: {why}", request.command);
            Error::usage(problem, "see that it starts by hand in the same folder")
        };
        let mut line = serde_json::to_vec(request).map_err(|error| wrong(&error.to_string()))?;
        line.push(b'\n');
        // Before the first orphan: with its keeper killed it is this program that must find it.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
        let lock = request.lock.as_deref().map(lock).transpose().map_err(|why| wrong(&why))?;
        let mut keeper = keeper(lock).map_err(|error| wrong(&error.to_string()))?;
        let (tell, out) = (keeper.stdin.take(), keeper.stdout.take());
        let (send, said) = channel();
        let grace = request.grace;
        let mut child = Self { keeper, tell, said, group: 0, since: 0, grace, ended: None };
        let read = move || out.into_iter().for_each(|out| read(out, &send));
        Builder::new().spawn(read).map_err(|error| wrong(&error.to_string()))?;
        // If it is gone already, there is no answer either.
        let _ = child.tell.as_mut().map(|tell| tell.write_all(&line));
        match child.said.recv_timeout(PATIENCE) {
            Ok(Said::Started { group, since }) => {
                (child.group, child.since) = (group, since);
                Ok(child)
            }
            Ok(Said::Failed { failed }) => Err(wrong(&failed)),
            Ok(Said::Ended(_)) | Err(_) => Err(wrong("its keeper does not answer")),
        }
    }

    /// Number of its process group.
    pub(super) fn group(&self) -> u32 {
        self.group
    }

    /// When it began, in clock ticks since the machine started; 0 where that is not known.
    pub(super) fn since(&self) -> u64 {
        self.since
    }

    /// How it ended, if it has.
    pub(super) fn poll(&mut self) -> Option<&Ended> {
        self.poll_for(Duration::ZERO)
    }

    /// How it ended, if it has or does within `time`.
    pub(super) fn poll_for(&mut self, time: Duration) -> Option<&Ended> {
        self.listen(time);
        self.ended.as_ref()
    }

    /// Waits until it has ended, until `deadline`, or until `stop` says so.
    pub(super) fn wait(&mut self, deadline: Option<Instant>, stop: &dyn Fn() -> bool) -> Waited {
        loop {
            let left = deadline.map_or(TICK, |end| end.saturating_duration_since(now()));
            self.listen(left.min(TICK));
            if let Some(ended) = &self.ended {
                return Waited::Ended(ended.clone());
            }
            if stop() {
                return Waited::Stopped;
            }
            if left.is_zero() {
                return Waited::TimedOut;
            }
        }
    }

    /// Ends the command and all processes that it started: TERM first, KILL after `grace`.
    pub(super) fn stop(&mut self, grace: Duration) -> Ended {
        self.listen(Duration::ZERO);
        if let Some(ended) = &self.ended {
            return ended.clone();
        }
        if let Some(mut tell) = self.tell.take()
            && let Ok(mut line) = serde_json::to_vec(&Stop { grace })
        {
            line.push(b'\n');
            let _ = tell.write_all(&line);
        }
        self.listen(grace + PATIENCE);
        match &self.ended {
            Some(ended) => ended.clone(),
            None => self.lost("its keeper does not answer"),
        }
    }

    /// Waits at most `time` for the end.
    fn listen(&mut self, time: Duration) {
        if self.ended.is_some() {
            return;
        }
        match self.said.recv_timeout(time) {
            Ok(Said::Ended(ended)) => {
                // It ends right after its last words, and with it its lock.
                self.gone();
                self.ended = Some(ended);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Ok(_) | Err(RecvTimeoutError::Disconnected) => {
                self.lost("its keeper was ended");
            }
        }
    }

    /// The keeper is no help: ends what it kept.
    fn lost(&mut self, why: &str) -> Ended {
        let _ = self.keeper.kill();
        let how = self.gone().and_then(|status| status.signal());
        let how = how.map_or_else(String::new, |signal| format!(" (signal {signal})"));
        let group = self.group;
        let stayed = processes::end(self.grace, &mut || orphans(group));
        let lost = Some(format!("{why}{how}"));
        let ended = Ended { stayed, lost, ..Ended::default() };
        self.ended = Some(ended.clone());
        ended
    }

    /// Waits for the end of the keeper.
    fn gone(&mut self) -> Option<process::ExitStatus> {
        self.tell = None;
        let status = self.keeper.wait().ok();
        keepers().remove(&self.keeper.id());
        status
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.stop(self.grace);
    }
}

/// This program again. Where the system tells, it is the same file even if another took its place meanwhile.
fn keeper(lock: Option<File>) -> io::Result<process::Child> {
    let own = Path::new("/proc/self/exe");
    let own = if own.exists() { PathBuf::from(own) } else { std::env::current_exe()? };
    let mut command = Command::new(own);
    command.arg0(CALLED[0]).arg(CALLED[1]).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command.stderr(lock.map_or_else(Stdio::null, Stdio::from));
    // No other thread may take it for an orphan.
    let mut keepers = keepers();
    let keeper = command.spawn()?;
    keepers.insert(keeper.id());
    Ok(keeper)
}

/// Opens a file with a lock that lasts as long as any process has it open.
fn lock(path: &Path) -> Result<File, String> {
    let wrong = |error: io::Error| format!("cannot lock {}: {error}", path.display());
    let file = File::options().append(true).create(true).open(path).map_err(wrong)?;
    file.lock_shared().map_err(wrong)?;
    Ok(file)
}

fn read(out: ChildStdout, send: &Sender<Said>) {
    for line in BufReader::new(out).lines() {
        let Some(said) = line.ok().and_then(|line| serde_json::from_str(&line).ok()) else {
            return;
        };
        if send.send(said).is_err() {
            return;
        }
    }
}

/// The processes that a killed keeper kept: its group, and those that this program adopted.
fn orphans(group: u32) -> Left {
    let keepers = keepers();
    let own = process::id();
    let all = processes::all();
    let own_group = processes::one(own).map(|one| one.group);
    let adopted = all.iter().filter(|one| {
        one.parent == own && Some(one.group) != own_group && !keepers.contains(&one.id)
    });
    let mut left = Left::default();
    if all.is_empty() && group_lives(group) {
        return Left { group: Some(group), processes: vec![group] };
    }
    for one in adopted {
        if one.ended {
            let _ = pid(one.id).map(|id| waitpid(Some(id), WaitOptions::NOHANG));
        } else {
            left.processes.push(one.id);
        }
        left.processes
            .extend(below(&all, one.id).iter().filter(|one| !one.ended).map(|one| one.id));
    }
    let grouped = all.iter().filter(|one| group > 0 && one.group == group && !one.ended);
    left.processes.extend(grouped.map(|one| one.id));
    left.group = (group > 0 && all.iter().any(|one| one.group == group)).then_some(group);
    left
}

/// Ends a process group that an earlier program left behind, if its leader is still the process that it was. Returns
/// the number of processes that stay.
pub(super) fn end_left(group: u32, since: u64) -> usize {
    let all = processes::all();
    let leader = all.iter().find(|one| one.id == group && one.since == since && since > 0);
    if leader.is_none_or(|leader| leader.group != group) {
        return 0;
    }
    let known: BTreeSet<(u32, u64)> =
        below(&all, group).iter().map(|one| (one.id, one.since)).collect();
    processes::end(GRACE_OF_LEFT, &mut || {
        let all = processes::all();
        let living = all.iter().filter(|one| {
            !one.ended && (one.group == group || known.contains(&(one.id, one.since)))
        });
        let processes: Vec<u32> = living.map(|one| one.id).collect();
        let grouped = all.iter().any(|one| one.group == group);
        Left { group: grouped.then_some(group), processes }
    })
}
