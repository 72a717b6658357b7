//! The keeper of a command: this program again, as a process of its own, which starts the command and ends all that the
//! command leaves behind, also when the program itself was killed.
//!
//! It reads a [`Request`] from standard input, a JSON line, and writes [`Said`], a line each, to standard output. The
//! end of its input is the end of the program. It keeps to its own process group, where Ctrl-C of the terminal does not
//! reach it, and under another name, where whoever kills the program by its name does not either.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

use rustix::process::{WaitId, WaitIdOptions, WaitOptions, waitid, waitpid};
use serde::{Deserialize, Serialize};
use wait4::{ResUse, Wait4};

use crate::experiment::processes::{self, Left, below, end, group_lives, now, pid};

/// How a keeper is called, as the word before the arguments and as the only argument.
pub(super) const CALLED: [&str; 2] = ["keeper", "hold"];

/// Time that processes left behind by a command have to end by themselves.
const GRACE_OF_LEFT: Duration = Duration::from_secs(1);

/// The command to start.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Request {
    /// For `sh -c`.
    pub(super) command: String,
    /// Where it runs.
    pub(super) folder: PathBuf,
    /// Beside the environment of the program.
    pub(super) env: Vec<(String, String)>,
    /// Its standard output is added to this file.
    pub(super) stdout: PathBuf,
    /// Its standard error is added to this file, which may be the same.
    pub(super) stderr: PathBuf,
    /// Made if it is missing, and locked (shared) for as long as the keeper lives: the program locks it and hands it over
    /// as the keeper's standard error, so that there is no moment without.
    #[serde(skip)]
    pub(super) lock: Option<PathBuf>,
    /// Time from TERM to KILL, unless the program gives another.
    pub(super) grace: Duration,
}

/// To stop now.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Stop {
    /// Time from TERM to KILL.
    pub(super) grace: Duration,
}

/// A message of a keeper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Said {
    /// The command runs.
    Started {
        /// Number of its process and of its process group.
        group: u32,
        /// When it began, in clock ticks since the machine started; 0 where that is not known.
        since: u64,
    },
    /// The command has ended, and so has all that it left behind.
    Ended(Ended),
    /// The command was not started.
    Failed {
        /// Why.
        failed: String,
    },
}

/// How a command ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Ended {
    /// Its exit status, if it ended by itself.
    pub(super) code: Option<i32>,
    /// The signal that ended it.
    pub(super) signal: Option<i32>,
    /// From before it was started to its end, in seconds.
    pub(super) wall: f64,
    /// Processor time of it and of the processes that it waited for, in seconds.
    pub(super) user: f64,
    /// Time in the system for them, in seconds.
    pub(super) system: f64,
    /// Largest memory of one process, in bytes; `None` unless it is above the keeper's, a few megabytes.
    pub(super) peak: Option<u64>,
    /// Processes that were there when it ended by itself, and were ended after it.
    pub(super) left: usize,
    /// Processes that could not be ended: of another user, or in a call of the system that does not return.
    pub(super) stayed: usize,
    /// Why nothing is known about its end.
    #[serde(default)]
    pub(super) lost: Option<String>,
}

/// Whether this process is to be a keeper.
pub(crate) fn is_called() -> bool {
    env::args_os().eq(CALLED)
}

/// A keeper, from its request to the end of its command.
pub(crate) fn hold() -> ExitCode {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_name(c"keeper");
    let mut line = String::new();
    match io::stdin().read_line(&mut line) {
        Ok(0) | Err(_) => return ExitCode::FAILURE,
        Ok(_) => {}
    }
    let done = serde_json::from_str(&line)
        .map_err(|error| format!("the keeper was asked for what it does not know: {error}"))
        .and_then(|request| keep(&request));
    say(&match done {
        Ok(ended) => Said::Ended(ended),
        Err(failed) => Said::Failed { failed },
    });
    ExitCode::SUCCESS
}

/// A line for the program; if that is gone, nobody needs it.
fn say(said: &Said) {
    if let Ok(mut line) = serde_json::to_vec(said) {
        line.push(b'\n');
        let _ = io::stdout().write_all(&line);
    }
}

/// An event that a keeper waits for.
enum Event {
    /// The command has ended, and its parent has not asked how.
    Ended(Instant),
    /// The program says so, or is gone.
    Stop(Option<Stop>),
}

fn keep(request: &Request) -> Result<Ended, String> {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let events = Events::listen()?;
    let begun = now();
    let command = start(request)?;
    let group = command.id();
    events.watch(group);
    say(&Said::Started { group, since: processes::since(group) });
    Ok(events.until_none_is_left(command, begun, request.grace))
}

fn start(request: &Request) -> Result<Child, String> {
    let log = |path: &Path| {
        let file = OpenOptions::new().append(true).create(true).open(path);
        file.map_err(|error| format!("cannot write {}: {error}", path.display()))
    };
    let mut command = Command::new("sh");
    command.arg("-c").arg(&request.command).current_dir(&request.folder);
    command.envs(request.env.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(log(&request.stdout)?).stderr(log(&request.stderr)?);
    if !request.folder.is_dir() {
        return Err(format!("there is no folder {}", request.folder.display()));
    }
    command.process_group(0).spawn().map_err(|error| format!("cannot start a shell: {error}"))
}

/// Events from two threads. Both threads start before the command, so that neither can fail to start beside it.
struct Events {
    events: Receiver<Event>,
    command: Sender<u32>,
}

impl Events {
    fn listen() -> Result<Self, String> {
        let wrong = |error: io::Error| format!("cannot start a thread: {error}");
        let (send, events) = channel();
        let (command, told) = channel();
        let stop = send.clone();
        let listen = move || {
            let mut line = String::new();
            let _ = io::stdin().read_line(&mut line);
            let _ = stop.send(Event::Stop(serde_json::from_str(&line).ok()));
        };
        let watch = move || {
            if let Ok(group) = told.recv() {
                wait_for(group);
                let _ = send.send(Event::Ended(now()));
            }
        };
        Builder::new().spawn(listen).map_err(wrong)?;
        Builder::new().spawn(watch).map_err(wrong)?;
        Ok(Self { events, command })
    }

    fn watch(&self, group: u32) {
        let _ = self.command.send(group);
    }

    /// Waits for the end of the command or the word to end it, and ends what is left.
    fn until_none_is_left(&self, command: Child, begun: Instant, grace: Duration) -> Ended {
        let group = command.id();
        let mut ended = None;
        let mut tree = Tree { group, ended: false };
        let mut said = Ended::default();
        let grace = match self.events.recv() {
            Ok(Event::Ended(at)) => {
                ended = Some(at);
                tree.ended = true;
                said.left = tree.left().processes.len();
                grace.min(GRACE_OF_LEFT)
            }
            Ok(Event::Stop(Some(stop))) => stop.grace,
            Ok(Event::Stop(None)) | Err(_) => grace,
        };
        let mut look = || {
            if let Ok(Event::Ended(at)) = self.events.try_recv() {
                ended = Some(at);
                tree.ended = true;
            }
            tree.left()
        };
        // The command is asked how it ended after its group was ended: until then its number stays its own.
        said.stayed = end(grace, &mut look);
        said.wall = ended.unwrap_or_else(now).duration_since(begun).as_secs_f64();
        if said.stayed == 0 {
            said.fill(command.wait4());
        } else {
            said.lost = Some("it could not be ended".to_owned());
        }
        said
    }
}

impl Ended {
    /// Whether it ended with status 0.
    pub(super) fn is_success(&self) -> bool {
        self.code == Some(0)
    }

    /// How it ended, after its name: "ended with status 1".
    pub(super) fn words(&self) -> String {
        match (&self.lost, self.code, self.signal) {
            (Some(why), ..) => format!("was lost: {why}"),
            // So a shell reports the end of a command in it.
            (None, Some(code), _) => match name(code - 128) {
                Some(name) => format!("ended with status {code} (128 + {name})"),
                None => format!("ended with status {code}"),
            },
            (None, None, Some(signal)) => match name(signal) {
                Some(name) => format!("was ended by signal {signal} ({name})"),
                None => format!("was ended by signal {signal}"),
            },
            (None, None, None) => "ended".to_owned(),
        }
    }
}

/// Name of a signal that ends commands, where all systems give it the same number.
fn name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        2 => "SIGINT",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        _ => return None,
    })
}

impl Ended {
    fn fill(&mut self, used: io::Result<ResUse>) {
        match used {
            Ok(used) => {
                self.code = used.status.code();
                self.signal = used.status.signal();
                self.user = used.rusage.utime.as_secs_f64();
                self.system = used.rusage.stime.as_secs_f64();
                // Linux counts the memory of the keeper, too, since the command was a copy of it for a moment.
                self.peak = Some(used.rusage.maxrss).filter(|peak| *peak > own_peak());
            }
            Err(error) => self.lost = Some(format!("cannot ask how it ended: {error}")),
        }
    }
}

/// Largest memory of this process, in bytes; 0 where it is not known.
fn own_peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB"));
    peak.and_then(|peak| peak.trim().parse::<u64>().ok()).map_or(0, |kilobytes| kilobytes * 1024)
}

/// Waits until the command has ended, without asking how; orphans that the keeper adopted are asked meanwhile.
fn wait_for(group: u32) {
    let Some(command) = pid(group) else { return };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    let adopts = cfg!(target_os = "linux");
    loop {
        let any = if adopts { WaitId::All } else { WaitId::Pid(command) };
        if let Err(error) = waitid(any, options)
            && error != rustix::io::Errno::INTR
        {
            return;
        }
        match waitid(WaitId::Pid(command), options | WaitIdOptions::NOHANG) {
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            _ => return,
        }
        if !ask_orphans(&processes::all(), group) {
            sleep(Duration::from_millis(20));
        }
    }
}

/// Asks the adopted processes that have ended how they did, which removes them.
fn ask_orphans(all: &[processes::Process], command: u32) -> bool {
    let own = std::process::id();
    let ended = all.iter().filter(|one| one.parent == own && one.ended && one.id != command);
    let asked = ended.filter_map(|one| waitpid(pid(one.id), WaitOptions::NOHANG).ok());
    asked.count() > 0
}

/// A command and all that it started.
struct Tree {
    group: u32,
    /// The command has ended, and was not asked how.
    ended: bool,
}

impl Tree {
    fn left(&self) -> Left {
        let mut left = Left { group: Some(self.group), processes: Vec::new() };
        if self.ended && self.is_alone() {
            return left;
        }
        let all = processes::all();
        if cfg!(target_os = "linux") && !all.is_empty() {
            ask_orphans(&all, self.group);
            let below = below(&all, std::process::id());
            left.processes = below.iter().filter(|one| !one.ended).map(|one| one.id).collect();
        } else if !self.ended || group_lives(self.group) {
            left.processes = vec![self.group];
        }
        left
    }

    /// Whether the command is the only child of this keeper, by the short list that most systems have: it adopts every
    /// orphan, and then nothing else is left.
    fn is_alone(&self) -> bool {
        let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return false };
        let mut children = String::new();
        for task in tasks.flatten() {
            let Ok(of_task) = std::fs::read_to_string(task.path().join("children")) else {
                return false;
            };
            children += &of_task;
        }
        children.split_ascii_whitespace().all(|id| id == self.group.to_string())
    }
}
