//! The processes of the system, and how they are ended.
//!
//! On Linux they are read from `/proc`; elsewhere only the process groups are known.

use std::collections::BTreeMap;
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, getpgid, kill_process, kill_process_group, test_kill_process_group,
};

/// How long killed processes are waited for: one that hangs in the kernel, or belongs to another user, does not end.
const PATIENCE: Duration = Duration::from_secs(10);

/// A process that the system lists.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) id: u32,
    pub(super) parent: u32,
    pub(super) group: u32,
    /// When it began, in clock ticks since the machine started.
    pub(super) since: u64,
    /// It has ended, and its parent has not asked how.
    pub(super) ended: bool,
}

/// All processes; none where there is no `/proc`.
pub(super) fn all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter_map(one).collect()
}

/// The process of a number; `None` if there is none, or no `/proc`.
pub(super) fn one(id: u32) -> Option<Process> {
    // The name may contain anything, spaces and brackets too.
    let stat = fs::read(format!("/proc/{id}/stat")).ok()?;
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = str::from_utf8(&stat[end + 1..]).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse().ok();
    // Threads may outlive the first one of their process.
    let ended = matches!(*fields.first()?, "Z" | "X") && number(17)? <= 1;
    Some(Process {
        id,
        parent: u32::try_from(number(1)?).ok()?,
        group: u32::try_from(number(2)?).ok()?,
        since: number(19)?,
        ended,
    })
}

/// When a process began, in clock ticks since the machine started; 0 where that is not known.
pub(super) fn since(id: u32) -> u64 {
    one(id).map_or(0, |process| process.since)
}

/// The descendants of a process, itself left out.
pub(super) fn below(all: &[Process], root: u32) -> Vec<&Process> {
    let mut children: BTreeMap<u32, Vec<&Process>> = BTreeMap::new();
    for process in all {
        children.entry(process.parent).or_default().push(process);
    }
    let mut found: Vec<&Process> = children.remove(&root).unwrap_or_default();
    let mut at = 0;
    while let Some(process) = found.get(at) {
        found.extend(children.remove(&process.id).unwrap_or_default());
        at += 1;
    }
    found
}

/// The processes to end, as they are now.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// A group that is certainly theirs.
    pub(super) group: Option<u32>,
    /// The living processes, including those of the group; if the system lists none, the group.
    pub(super) processes: Vec<u32>,
}

/// Asks processes to end, and kills them after `grace`. Returns the number of processes that remain.
pub(super) fn end(grace: Duration, left: &mut dyn FnMut() -> Left) -> usize {
    let begun = now();
    let mut pause = Duration::from_millis(1);
    let mut asked = false;
    loop {
        let now = left();
        if now.processes.is_empty() {
            return 0;
        }
        let passed = begun.elapsed();
        if passed >= grace + PATIENCE {
            return now.processes.len();
        }
        // A process that starts while the others end may clean up: only the end of the grace period kills it.
        if passed >= grace {
            send(&now, Signal::KILL);
        } else if !asked {
            send(&now, Signal::TERM);
            asked = true;
        }
        sleep(pause.min(grace.saturating_sub(passed).max(Duration::from_millis(1))));
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

fn send(to: &Left, signal: Signal) {
    // A process that is gone by now, or of another user, is no failure: the next look tells.
    if let Some(group) = to.group.and_then(pid) {
        let _ = kill_process_group(group, signal);
    }
    let grouped = |id: u32| {
        to.group.is_some_and(|group| group == id || one(id).is_some_and(|one| one.group == group))
    };
    for id in to.processes.iter().copied().filter(|id| !grouped(*id)) {
        if let Some(id) = pid(id) {
            let _ = kill_process(id, signal);
        }
    }
}

/// The process group of a process.
pub(super) fn group_of(id: u32) -> Option<u32> {
    // In Linux, processes of the kernel and of other namespaces are in group 0, which `getpgid` here cannot give.
    if cfg!(target_os = "linux") {
        return one(id).map(|one| one.group);
    }
    let group = getpgid(Some(pid(id)?)).ok()?;
    u32::try_from(group.as_raw_nonzero().get()).ok()
}

/// Whether a process of a group is alive, for systems that list no processes; ended processes do not count.
pub(super) fn group_lives(group: u32) -> bool {
    pid(group).is_some_and(|group| test_kill_process_group(group).is_ok())
}

/// The number as the system calls take it; process 1 and what is no number of a process are nobody's to end.
pub(super) fn pid(id: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(id).ok().filter(|id| *id > 1)?)
}

#[expect(clippy::disallowed_methods, reason = "processes take time; no report depends on this")]
pub(super) fn now() -> Instant {
    Instant::now()
}
