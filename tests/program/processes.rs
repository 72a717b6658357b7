//! The keepers of commands, driven through their pipes as `run` drives them: how a command ended is told, and none of
//! its processes is left behind.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "processes take time")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const EXE: &str = env!("CARGO_BIN_EXE_beyondnoise");

/// Far more than anything here takes.
const LONG: Duration = Duration::from_mins(1);

fn grace(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// A keeper, in a folder of its own.
struct Keeper {
    process: Child,
    tell: Option<ChildStdin>,
    said: BufReader<ChildStdout>,
    folder: tempfile::TempDir,
}

impl Keeper {
    /// Of a command, in whose environment `$DIR` is the folder; `more` is added to the request.
    fn of(command: &str, more: &Value) -> Self {
        let mut process = Command::new(EXE)
            .arg0("keeper")
            .arg("hold")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the executable runs");
        let folder = tempfile::tempdir().expect("a folder");
        let mut request = json!({
            "command": command, "folder": folder.path(), "grace": grace(20_000),
            "env": [["DIR", folder.path()]],
            "stdout": folder.path().join("out"), "stderr": folder.path().join("err"),
        });
        for (key, value) in more.as_object().into_iter().flatten() {
            request[key] = value.clone();
        }
        let mut tell = process.stdin.take().expect("a pipe");
        tell.write_all(format!("{request}\n").as_bytes()).expect("it reads");
        let said = BufReader::new(process.stdout.take().expect("a pipe"));
        Self { process, tell: Some(tell), said, folder }
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.said.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// The number of the group, once it runs.
    fn group(&mut self) -> u64 {
        self.next()["group"].as_u64().expect("it started")
    }

    /// Says to stop, with so many milliseconds to do it in.
    fn stop(&mut self, milliseconds: u64) {
        let line = format!("{}\n", json!({ "grace": grace(milliseconds) }));
        self.tell.as_mut().expect("a pipe").write_all(line.as_bytes()).expect("it reads");
    }

    /// What it says at the end of the command.
    fn ended(&mut self) -> Value {
        let said = self.next();
        assert!(said["wall"].is_f64(), "{said}");
        assert!(self.process.wait().expect("it ends").success());
        said
    }

    /// A file of the folder, once the command has written a line to it.
    fn file(&self, name: &str) -> String {
        read_once(&self.folder.path().join(name))
    }
}

/// Runs a command to its end.
fn run(command: &str) -> (Value, Keeper) {
    let mut keeper = Keeper::of(command, &json!({}));
    keeper.group();
    (keeper.ended(), keeper)
}

/// Whether a process lives; one that ended and was not asked how does not.
fn lives(id: &str) -> bool {
    if cfg!(target_os = "linux") {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        return stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with('Z'));
    }
    let ps = Command::new("ps").args(["-o", "stat=", "-p", id]).output().expect("ps");
    let state = String::from_utf8_lossy(&ps.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

/// Waits for processes that end by themselves or with their keeper.
fn gone(ids: &[String]) {
    let begun = Instant::now();
    while let Some(id) = ids.iter().find(|id| lives(id)) {
        assert!(begun.elapsed() < LONG, "process {id} is left behind");
        sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_end_of_a_command_is_told() {
    let (said, keeper) = run("echo out; echo $DIR; echo wrong >&2; exit 3");
    assert_eq!(
        (&said["code"], &said["signal"], &said["left"]),
        (&json!(3), &json!(null), &json!(0))
    );
    let folder = keeper.folder.path();
    let out = fs::read_to_string(folder.join("out")).expect("a log");
    assert_eq!(out, format!("out\n{}\n", folder.display()));
    assert_eq!(fs::read_to_string(folder.join("err")).expect("a log"), "wrong\n");

    let (said, _) = run("true");
    assert_eq!(said["code"], 0);
    let (said, _) = run("kill -SEGV $$");
    assert_eq!((&said["code"], &said["signal"]), (&json!(null), &json!(11)));
    let (said, _) = run("no-such-command-anywhere");
    assert_eq!(said["code"], 127);
}

#[test]
fn what_a_command_took_is_told() {
    let (said, _) = run("sleep 0.2");
    let wall = said["wall"].as_f64().expect("seconds");
    assert!((0.2..LONG.as_secs_f64()).contains(&wall), "{said}");
    // Less than the keeper takes itself.
    assert_eq!(said["peak"], json!(null), "{said}");

    // 40 MB in a process that the command waits for, and processor time.
    let (said, _) = run("(x=$(head -c 40000000 /dev/zero | tr '\\0' x); [ ${#x} = 40000000 ])");
    assert_eq!(said["code"], 0, "{said}");
    assert!(said["peak"].as_u64() > Some(40_000_000), "{said}");
    let busy = said["user"].as_f64().unwrap_or(0.0) + said["system"].as_f64().unwrap_or(0.0);
    assert!(busy > 0.0, "{said}");
}

#[test]
fn a_log_is_added_to_and_may_be_one_for_both() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    fs::write(&log, "before\n").expect("a file");
    let mut keeper =
        Keeper::of("echo out; echo err >&2", &json!({ "stdout": &log, "stderr": &log }));
    keeper.group();
    keeper.ended();
    assert_eq!(fs::read_to_string(&log).expect("a log"), "before\nout\nerr\n");
}

#[test]
fn what_cannot_be_started_is_told() {
    for (more, why) in [
        (json!({ "folder": "/no/such/folder" }), "there is no folder /no/such/folder"),
        (json!({ "stdout": "/no/such/log" }), "cannot write /no/such/log"),
        (json!({ "env": 5 }), "what it does not know"),
    ] {
        let said = Keeper::of("true", &more).next();
        assert!(said["failed"].as_str().is_some_and(|failed| failed.contains(why)), "{said}");
    }
}

#[test]
fn a_command_that_is_stopped_may_clean_up() {
    let mut keeper = Keeper::of(
        "trap 'sleep 0.1; echo cleaned > done; exit 7' TERM; echo $$ > ready; while :; do sleep 0.02; done",
        &json!({}),
    );
    let group = keeper.group();
    assert_eq!(keeper.file("ready"), group.to_string());
    keeper.stop(30_000);
    let said = keeper.ended();
    assert_eq!((&said["code"], &said["stayed"]), (&json!(7), &json!(0)), "{said}");
    assert_eq!(keeper.file("done"), "cleaned");
    gone(&[group.to_string()]);
}

#[test]
fn a_command_that_ignores_it_is_killed() {
    let mut keeper = Keeper::of(
        "trap '' TERM; sleep 300 & echo $! > child; echo $$ > ready; while :; do sleep 0.02; done",
        &json!({}),
    );
    keeper.group();
    let ids = [keeper.file("ready"), keeper.file("child")];
    let begun = Instant::now();
    keeper.stop(300);
    let said = keeper.ended();
    assert_eq!(said["signal"], 9, "{said}");
    assert!(begun.elapsed() >= Duration::from_millis(300));
    assert!(begun.elapsed() < Duration::from_secs(9), "none stayed");
    gone(&ids);
}

/// Starts a process in a session of its own, where there is such a command.
#[cfg(target_os = "linux")]
const DAEMON: &str = "setsid sh -c 'echo $$ > daemon; exec sleep 300' & ";

#[test]
#[cfg(target_os = "linux")]
fn what_a_command_leaves_behind_is_ended_and_counted() {
    let waits = "while [ ! -s daemon ]; do sleep 0.01; done; ";
    let (said, keeper) = run(&format!("{DAEMON} sleep 300 & echo $! > other; {waits} exit 0"));
    assert_eq!((&said["code"], &said["left"]), (&json!(0), &json!(2)), "{said}");
    let ids = [keeper.file("daemon"), keeper.file("other")];
    // All of it before the last words.
    assert!(!ids.iter().any(|id| lives(id)));
    // And one that does not obey.
    let (said, keeper) = run("(trap '' TERM; echo x > ready; while :; do sleep 0.02; done) & \
         echo $! > other; while [ ! -s ready ]; do sleep 0.01; done");
    assert_eq!(said["code"], 0, "{said}");
    assert!(said["wall"].as_f64() < Some(1.0), "its grace is no time of the command: {said}");
    assert!(!lives(&keeper.file("other")));
}

#[test]
#[cfg(target_os = "linux")]
fn a_session_of_its_own_is_no_way_out() {
    let mut keeper = Keeper::of(&format!("{DAEMON} wait"), &json!({}));
    let group = keeper.group();
    let daemon = keeper.file("daemon");
    keeper.stop(10_000);
    assert_eq!(keeper.ended()["stayed"], 0);
    assert!(!lives(&daemon) && !lives(&group.to_string()));
}

#[test]
#[cfg(target_os = "linux")]
fn the_end_of_the_program_ends_all() {
    let mut keeper = Keeper::of(
        &format!("{DAEMON} trap '' TERM; wait; sleep 300"),
        &json!({ "grace": grace(200) }),
    );
    let ids = [keeper.group().to_string(), keeper.file("daemon")];
    keeper.tell = None;
    assert_eq!(keeper.ended()["stayed"], 0);
    gone(&ids);

    // A program that is killed: here a shell, whose output is what the keeper reads.
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let request = json!({
        "command": "echo $$ > group; exec sleep 300", "folder": folder.path(), "grace": grace(20_000),
        "env": [], "stdout": path("out"), "stderr": path("err"),
    });
    let mut program = Command::new("sh")
        .args(["-c", "echo \"$1\"; exec sleep 300", "sh", &request.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    let said = Command::new(EXE)
        .arg0("keeper")
        .arg("hold")
        .stdin(program.stdout.take().expect("a pipe"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("the executable runs");
    let group = read_once(&path("group"));
    program.kill().expect("it lives");
    program.wait().expect("it ends");
    let said = said.wait_with_output().expect("it ends");
    assert!(said.status.success() && !lives(&group), "{said:?}");
}

/// The text of a file, once it holds a whole line.
fn read_once(path: &Path) -> String {
    let begun = Instant::now();
    while begun.elapsed() < LONG {
        match fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => sleep(Duration::from_millis(2)),
        }
    }
    panic!("{} was not written", path.display());
}
