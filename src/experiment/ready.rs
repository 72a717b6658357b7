//! Whether a server is ready: a URL that answers, a port that takes connections, or a command that succeeds.
//!
//! The only connections of the program are made here, to the addresses that the user names.

use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

use beyondnoise::plan::Cost;
use beyondnoise_model::sanitize::printable;

pub(super) use crate::experiment::check::Ready;
use crate::experiment::child::{Child, Ended, Request};
use crate::experiment::processes::now;

/// From one attempt to the next.
const EVERY: Duration = Duration::from_millis(200);

/// How often the server is looked at during an attempt.
const TICK: Duration = Duration::from_millis(20);

/// How long an answer may take, in seconds: a health check may generate a token.
const ANSWER_S: u64 = 10;

/// How long a connection may take where nothing is expected to answer.
const CONNECT: Duration = Duration::from_secs(1);

/// The status with which a shell ends that finds no such command.
const NO_COMMAND: i32 = 127;

/// Why a server is not ready.
#[derive(Clone, Debug, PartialEq)]
enum NotReady {
    /// Its process ended before it answered.
    Ended(Ended),
    /// The time limit has passed. Contains the last failure with its address: "answered 503".
    TimedOut(String),
    /// The check itself cannot be made: why.
    Broken(String),
    /// By the wish to stop.
    Stopped,
}

impl Ready {
    /// Waits until the server is ready; `command` has the folder, environment and logs for a check that is a command.
    ///
    /// # Errors
    ///
    /// Why it is not, after its name: "ended with status 1 after 3.2 s, before it was ready".
    pub(super) fn wait(
        &self,
        server: &mut Child,
        command: &Request,
        limit: Duration,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), String> {
        let waited = until_ready(self, command, &mut || server.poll().cloned(), limit, stop);
        waited.map(drop).map_err(|why| match why {
            NotReady::Ended(ended) => {
                format!("{} after {}, before it was ready", ended.words(), time(ended.wall))
            }
            NotReady::TimedOut(met) => {
                let limit = time(limit.as_secs_f64());
                format!("was not ready within {limit}: {self} {met} last")
            }
            NotReady::Broken(why) => format!("was not asked whether it is ready: {why}"),
            NotReady::Stopped => "was stopped before it was ready".to_owned(),
        })
    }
}

/// A time as people say it.
fn time(seconds: f64) -> String {
    Cost { amount: seconds, unit: "s".to_owned() }.to_string()
}

/// Waits until the server is ready; returns how long that took.
///
/// `command` has the folder, environment and logs for a check that is a command; `server` reports how the server ended, if it
/// has.
///
/// # Errors
///
/// If the server ends before, the time limit comes, or `stop` says so.
fn until_ready(
    check: &Ready,
    command: &Request,
    server: &mut dyn FnMut() -> Option<Ended>,
    limit: Duration,
    stop: &dyn Fn() -> bool,
) -> Result<Duration, NotReady> {
    let begun = now();
    let mut last = None;
    let mut watch = || match server() {
        Some(ended) => Err(NotReady::Ended(ended)),
        None if stop() => Err(NotReady::Stopped),
        None => Ok(()),
    };
    let over = || begun.elapsed() >= limit;
    loop {
        let (next, mut attempt) = (now() + EVERY, Attempt::of(check, command)?);
        let answer = loop {
            watch()?;
            match attempt.poll() {
                Some(answer) => break answer,
                None if over() => {
                    let none = || "gave no answer".to_owned();
                    return Err(NotReady::TimedOut(last.unwrap_or_else(none)));
                }
                None => {}
            }
        };
        // Something else may have answered in the place of a server that is gone.
        watch()?;
        match answer {
            Ok(()) => return Ok(begun.elapsed()),
            Err(NotReady::TimedOut(met)) if !over() => last = Some(met),
            Err(why) => return Err(why),
        }
        pause(next, &mut watch)?;
    }
}

/// Waits until `next`.
fn pause(next: Instant, watch: &mut dyn FnMut() -> Result<(), NotReady>) -> Result<(), NotReady> {
    loop {
        let left = next.saturating_duration_since(now());
        if left.is_zero() {
            return Ok(());
        }
        sleep(left.min(TICK));
        watch()?;
    }
}

/// An attempt, which continues while the server is watched.
enum Attempt {
    Asked(Receiver<Result<(), String>>),
    Started(Child),
}

impl Attempt {
    fn of(check: &Ready, command: &Request) -> Result<Self, NotReady> {
        let (send, answer) = channel();
        let ask: Box<dyn FnOnce() -> Result<(), String> + Send> = match check.clone() {
            Ready::Url { url, .. } => Box::new(move || get(&url)),
            Ready::Address { host, port } => Box::new(move || {
                let answers = connect(&host, port, Duration::from_secs(ANSWER_S));
                answers.map(drop).map_err(|error| met(&error))
            }),
            Ready::Command(line) => {
                let request = Request { command: line, ..command.clone() };
                let child = Child::start(&request);
                return child
                    .map(Self::Started)
                    .map_err(|error| NotReady::Broken(error.to_string()));
            }
        };
        let thread = Builder::new().spawn(move || {
            let _ = send.send(ask());
        });
        thread.map_err(|error| NotReady::Broken(format!("cannot start a thread: {error}")))?;
        Ok(Self::Asked(answer))
    }

    /// The result, if there is one within a moment; an error describes the failed attempt. A command that does not exist is
    /// not tried again.
    fn poll(&mut self) -> Option<Result<(), NotReady>> {
        let not_yet = |met: String| Err(NotReady::TimedOut(met));
        match self {
            Self::Asked(answer) => match answer.recv_timeout(TICK) {
                Ok(answer) => Some(answer.or_else(not_yet)),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => Some(not_yet("gave no answer".to_owned())),
            },
            Self::Started(child) => child.poll_for(TICK).map(|ended| match ended.code {
                _ if ended.is_success() => Ok(()),
                Some(NO_COMMAND) => Err(NotReady::Broken(format!(
                    "the command of --ready ended with status {NO_COMMAND}, as the shell says that it finds no \
                     such command"
                ))),
                _ => not_yet(ended.words()),
            }),
        }
    }
}

fn get(url: &str) -> Result<(), String> {
    match minreq::get(url).with_timeout(ANSWER_S).send() {
        Ok(response) if (200..300).contains(&response.status_code) => Ok(()),
        Ok(response) => Err(format!("answered {}", response.status_code)),
        Err(minreq::Error::IoError(error)) => Err(met(&error)),
        Err(error) => Err(format!("gave an answer that cannot be used: {error}")),
    }
}

fn met(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::ConnectionRefused => "refused the connection".to_owned(),
        ErrorKind::TimedOut | ErrorKind::WouldBlock => format!("gave no answer in {ANSWER_S} s"),
        _ => format!("failed: {error}"),
    }
}

fn connect(host: &str, port: u16, time: Duration) -> io::Result<IpAddr> {
    let mut met = io::Error::from(ErrorKind::AddrNotAvailable);
    for address in (host, port).to_socket_addrs()? {
        let stream = TcpStream::connect_timeout(&address, time);
        match stream.and_then(|stream| Ok((stream.local_addr()?, stream.peer_addr()?))) {
            // A connection to a free port of this machine may get that port as its own, and meet itself.
            Ok((own, peer)) if own == peer => met = ErrorKind::ConnectionRefused.into(),
            Ok((_, peer)) => return Ok(peer.ip()),
            Err(error) => met = error,
        }
    }
    Err(met)
}

/// Something that takes connections where a server is to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Occupant {
    port: u16,
    /// Number and name of the process, if they can be told.
    process: Option<(u32, String)>,
}

impl fmt::Display for Occupant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "port {} is in use", self.port)?;
        match &self.process {
            Some((id, name)) => write!(f, " by process {id} ({name})"),
            None => Ok(()),
        }
    }
}

/// Whether nothing takes connections yet where the check will ask, nor at `port` of this machine.
///
/// # Errors
///
/// If something does: "port 8000 is in use by process 7 (python3)".
pub(super) fn free(ready: &Ready, port: Option<u16>) -> Result<(), String> {
    let found = occupant(ready).or_else(|| port.and_then(port_in_use));
    found.map_or(Ok(()), |found| Err(found.to_string()))
}

/// Who answers already where the check will ask; `None` for a command.
fn occupant(check: &Ready) -> Option<Occupant> {
    let (host, port) = check.address()?;
    occupant_of(host, port)
}

/// Who takes connections to a port of this machine.
fn port_in_use(port: u16) -> Option<Occupant> {
    occupant_of("localhost", port)
}

fn occupant_of(host: &str, port: u16) -> Option<Occupant> {
    let address = connect(host, port, CONNECT).ok()?;
    let here = address.is_loopback() || address.is_unspecified();
    Some(Occupant { port, process: if here { listener(port) } else { None } })
}

/// The process that listens on a port, as `/proc` shows it to its own user.
fn listener(port: u16) -> Option<(u32, String)> {
    const LISTENS: &str = "0A";
    let port = format!(":{port:04X}");
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(fs::read_to_string);
    let rows = tables.iter().flatten().flat_map(|table| table.lines().skip(1));
    let sockets: Vec<String> = rows
        .map(|row| row.split_ascii_whitespace().collect::<Vec<_>>())
        .filter(|row| row.len() > 9 && row[1].ends_with(&port) && row[3] == LISTENS)
        .map(|row| format!("socket:[{}]", row[9]))
        .collect();
    if sockets.is_empty() {
        return None;
    }
    let ids = fs::read_dir("/proc").ok()?.flatten();
    let mut ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let holds = |id: &u32| {
        let files = fs::read_dir(format!("/proc/{id}/fd")).ok();
        let links = files.into_iter().flatten().flatten().map(|file| fs::read_link(file.path()));
        links.flatten().any(|link| sockets.iter().any(|socket| link.as_os_str() == &**socket))
    };
    let id = ids.find(holds)?;
    let name = fs::read(format!("/proc/{id}/comm")).ok()?;
    Some((id, printable(String::from_utf8_lossy(&name).trim()).into_owned()))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;

    use super::*;

    /// A server that gives these answers in turn, the last for ever.
    fn server(answers: &'static [&'static str]) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        std::thread::spawn(move || {
            for (at, stream) in listener.incoming().enumerate() {
                let mut stream = stream.expect("a connection");
                let _ = io::Read::read(&mut stream, &mut [0; 4096]);
                let status = answers[at.min(answers.len() - 1)];
                let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
                stream.write_all(answer.as_bytes()).expect("it is read");
            }
        });
        port
    }

    fn wait(
        check: &str,
        limit: f64,
        server: &mut dyn FnMut() -> Option<Ended>,
    ) -> Result<Duration, NotReady> {
        let command = Request {
            command: String::new(),
            folder: "/".into(),
            env: Vec::new(),
            stdout: "/dev/null".into(),
            stderr: "/dev/null".into(),
            lock: None,
            grace: Duration::from_secs(1),
        };
        let check = Ready::parse(check).expect("a check");
        until_ready(&check, &command, server, Duration::from_secs_f64(limit), &|| false)
    }

    #[test]
    fn a_server_is_ready_once_it_answers() {
        let port = server(&["503 Loading", "404 Not Found", "204 No Content"]);
        let took = wait(&format!("http://127.0.0.1:{port}/health"), 60.0, &mut || None);
        assert!(took.expect("it is ready") >= EVERY * 2, "the third attempt");
        wait(&format!("127.0.0.1:{port}"), 60.0, &mut || None).expect("it takes connections");
    }

    #[test]
    fn a_server_that_is_not_ready_in_time_is_reported_with_its_last_answer() {
        let port = server(&["503 Loading"]);
        let met = |check: &str| wait(check, 0.3, &mut || None).expect_err("it is never ready");
        let check = format!("http://127.0.0.1:{port}/health");
        assert_eq!(met(&check), NotReady::TimedOut("answered 503".to_owned()));
        // It takes the connection, and says nothing.
        let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = silent.local_addr().expect("an address").port();
        let check = format!("http://127.0.0.1:{port}/");
        assert_eq!(met(&check), NotReady::TimedOut("gave no answer".to_owned()));
        drop(silent);
        let refused = NotReady::TimedOut("refused the connection".to_owned());
        assert_eq!(met(&check), refused);
        assert_eq!(met(&format!("127.0.0.1:{port}")), refused);
    }

    #[test]
    fn a_server_that_ends_is_not_waited_for() {
        let ended = Ended { code: Some(1), ..Ended::default() };
        let mut looks = 0;
        let mut server = || {
            looks += 1;
            (looks > 3).then(|| ended.clone())
        };
        let met = wait("127.0.0.1:1", 600.0, &mut server);
        assert_eq!(met, Err(NotReady::Ended(ended)));
    }

    #[test]
    fn a_port_in_use_is_reported_with_its_process() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let found = port_in_use(port).expect("it takes connections");
        let said = occupant(&Ready::parse(&format!("http://127.0.0.1:{port}/")).expect("a check"));
        assert_eq!(said, Some(found.clone()));
        if cfg!(target_os = "linux") {
            assert_eq!(found.process.as_ref().map(|process| process.0), Some(std::process::id()));
            let start = format!("port {port} is in use by process {} (", std::process::id());
            assert!(found.to_string().starts_with(&start), "{found}");
        }
        drop(listener);
        assert_eq!(port_in_use(port), None);
        assert_eq!(occupant(&Ready::Command("true".to_owned())), None);
    }
}
