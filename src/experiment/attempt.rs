//! One attempt at a run: server, hooks, benchmark, results.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use beyondnoise::environment::Program;
use beyondnoise::error::Error;
use beyondnoise::journal::{Event, Journal, LOG_TAIL, Plan, ResultFile, Stop, VariantPlan, Writer};
use beyondnoise::report::Report;

use crate::experiment::child::{Child, Ended, Request, Waited};
use crate::experiment::environment::Machine;
use crate::experiment::interrupts::Interrupts;
use crate::experiment::log::last_lines;
use crate::experiment::plan::Values;
use crate::experiment::ready::{Ready, free};
use crate::experiment::words::time;

/// Folder of the attempts that failed.
const FAILED: &str = "failed";

/// Ending of the files with what the processes print.
pub(super) const LOG: &str = "log";

/// Lines of a log that an error shows.
const LINES: usize = 8;

/// Time from TERM to KILL.
pub(super) const GRACE: Duration = Duration::from_secs(20);

/// The reports of the folder, as the caller judges it.
pub(crate) trait Judge {
    /// The report at the look that the runs of the folder are enough for.
    ///
    /// # Errors
    ///
    /// If the results cannot be read or compared.
    fn report(&self, folder: &Path) -> Result<Report, Error>;

    /// Why this look is the last, if it is.
    fn stop(&self, report: &Report, plan: &Plan, number: usize) -> Option<Stop>;

    /// The value of the leading metric in the results of a run, in words, from `files`.
    ///
    /// # Errors
    ///
    /// If the files have no result.
    fn value(&self, files: &[PathBuf]) -> Result<(String, Vec<PathBuf>), Error>;
}

/// A run: its folder, its variant and its number among the runs of its variant, 0 for a discarded one.
#[derive(Clone, Debug)]
pub(super) struct Which {
    pub(super) run: String,
    pub(super) variant: usize,
    pub(super) round: usize,
}

/// Why an attempt came to nothing.
pub(super) enum Failure {
    /// It may work the next time.
    Again(String),
    /// Somebody stopped it.
    Stopped,
    /// The program itself cannot go on.
    Fatal(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Fatal(error)
    }
}

/// The means of making a run: the folder, its journal, and the servers that run.
pub(super) struct Bench<'a> {
    folder: PathBuf,
    /// The file that every keeper of a process of the folder has locked.
    pub(super) lock: PathBuf,
    writer: Writer,
    pub(super) journal: Journal,
    pub(super) judge: &'a dyn Judge,
    pub(super) interrupts: Interrupts,
    /// Servers that were kept, by their variant.
    servers: BTreeMap<usize, Child>,
    /// The run of each result so far.
    pub(super) known: BTreeMap<String, String>,
    machine: Machine,
    /// The program of each variant.
    pub(super) programs: Vec<Program>,
}

impl<'a> Bench<'a> {
    /// The folder as it was given; its journal is open.
    pub(super) fn new(
        folder: &Path,
        (writer, journal): (Writer, Journal),
        judge: &'a dyn Judge,
        interrupts: Interrupts,
    ) -> Result<Self, Error> {
        let whole = folder.canonicalize().map_err(|source| Error::Io {
            path: folder.display().to_string(),
            doing: "find",
            source,
        })?;
        let known = journal
            .made
            .iter()
            .flat_map(|made| made.results.iter().map(|file| (file.hash.clone(), made.run.clone())));
        let known = known.collect();
        Ok(Self {
            folder: folder.to_owned(),
            lock: whole.join(super::PROCESSES),
            writer,
            journal,
            judge,
            interrupts,
            servers: BTreeMap::new(),
            known,
            machine: Machine::ask(&whole),
            programs: Vec::new(),
        })
    }

    /// The folder as it was given.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds an event to the journal.
    pub(super) fn add(&mut self, event: Event) -> Result<(), Error> {
        self.writer.add(&event)?;
        self.journal.take(event);
        Ok(())
    }

    /// Ends the servers that were kept.
    pub(super) fn end_servers(&mut self) {
        for (_, mut server) in std::mem::take(&mut self.servers) {
            server.stop(GRACE);
        }
    }

    /// Makes a run, and gives the value of its leading metric in words.
    pub(super) fn attempt(&mut self, which: &Which) -> Result<String, Failure> {
        let variant = self.journal.plan.variants[which.variant].clone();
        let folder = self.new_folder(which)?;
        let attempt = self.journal.attempts.get(&which.run).copied().unwrap_or_default() + 1;
        self.add(Event::Began {
            run: which.run.clone(),
            variant: variant.name.clone(),
            round: which.round,
            attempt,
            at: humantime::format_rfc3339_millis(SystemTime::now()).to_string(),
            machine: self.machine.identity().clone(),
        })?;
        let begun = Instant::now();
        let plan = &self.journal.plan;
        // Servers that are kept run beside each other.
        let offset = if plan.keep_server { which.variant } else { 0 };
        let port = plan.port.saturating_add(u16::try_from(offset).unwrap_or_default());
        let values = Values {
            folder: &folder,
            round: which.round,
            variant: &variant.name,
            port,
            seed: plan.seed,
        };
        let run = Attempt { which, variant: &variant, values: &values };
        let (value, results) = self.measure(&run)?;
        let seconds = begun.elapsed().as_secs_f64();
        for file in &results {
            self.known.insert(file.hash.clone(), which.run.clone());
        }
        self.add(Event::Done { run: which.run.clone(), seconds, results })?;
        Ok(value)
    }

    /// An empty folder for the run; an earlier attempt's folder is moved.
    fn new_folder(&self, which: &Which) -> Result<PathBuf, Failure> {
        let folder = self.folder.join(&which.run);
        let failed =
            |source| Error::Io { path: folder.display().to_string(), doing: "make", source };
        if folder.exists() {
            let kept = self.folder.join(FAILED);
            fs::create_dir_all(&kept).map_err(failed)?;
            let mut number = 1;
            let place = |number: usize| kept.join(format!("{}.{number}", which.run));
            while place(number).exists() {
                number += 1;
            }
            fs::rename(&folder, place(number)).map_err(failed)?;
        }
        fs::create_dir_all(&folder).map_err(failed)?;
        let absolute = folder.canonicalize().map_err(failed)?;
        Ok(absolute)
    }

    /// Server, hooks and benchmark of a run; the value of its leading metric, and its results.
    fn measure(&mut self, run: &Attempt) -> Result<(String, Vec<ResultFile>), Failure> {
        let (before, watch) = (self.machine.snapshot(&self.groups()), self.machine.watch());
        let keep = self.journal.plan.keep_server;
        let mut kept = self.servers.remove(&run.which.variant);
        let runs = kept.as_mut().is_some_and(|server| server.poll().is_none());
        let mut server = if runs { kept } else { self.server(run)? };
        let ended = self.commands(run, server.as_mut());
        let (during, after) = (watch.stop(), self.machine.snapshot(&self.groups()));
        match server {
            Some(server) if keep && ended.is_ok() => {
                self.servers.insert(run.which.variant, server);
            }
            Some(mut server) => {
                server.stop(GRACE);
            }
            None => {}
        }
        let ended = ended?;
        let program = self.programs[run.which.variant].clone();
        self.machine.write(run.values.folder, program, before, during, after)?;
        self.results(run, &ended)
    }

    /// The process groups of this run and of the servers that were kept.
    fn groups(&self) -> Vec<u32> {
        let kept = self.servers.values().map(Child::group);
        self.journal.left.iter().map(|(group, _)| *group).chain(kept).collect()
    }

    /// Starts the server of a variant, if it has one, and waits until it is ready.
    fn server(&mut self, run: &Attempt) -> Result<Option<Child>, Failure> {
        let (Some(serve), Some(ready)) = (&run.variant.serve, &run.variant.ready) else {
            return Ok(None);
        };
        let name = &run.variant.name;
        let ready = Ready::parse(&run.values.fill(ready))?;
        let port = serve.contains("{port}").then_some(run.values.port);
        free(&ready, port).map_err(|why| {
            Failure::Again(format!("{why}, before the server of {name} is started"))
        })?;
        let mut server = self.start(run, "server", serve)?;
        let limit = Duration::from_secs_f64(self.journal.plan.ready_timeout_s);
        let interrupts = self.interrupts.clone();
        let waited =
            ready.wait(&mut server, &self.request(run, "ready", ""), limit, &|| interrupts.now());
        match waited {
            Ok(()) => Ok(Some(server)),
            Err(_) if self.interrupts.now() => Err(Failure::Stopped),
            Err(why) => {
                server.stop(GRACE);
                Err(Failure::Again(format!("the server of {name} {why}{}", tail(run, "server"))))
            }
        }
    }

    /// The hooks and the benchmark, while the server is watched.
    fn commands(
        &mut self,
        run: &Attempt,
        mut server: Option<&mut Child>,
    ) -> Result<Ended, Failure> {
        if let Some(before) = run.variant.before.clone() {
            self.command(run, ("before", &before), &mut server)?;
        }
        let bench = run.variant.bench.clone();
        let ended = self.command(run, ("bench", &bench), &mut server)?;
        if let Some(after) = run.variant.after.clone() {
            self.command(run, ("after", &after), &mut server)?;
        }
        Ok(ended)
    }

    /// Runs a command to its end, which must be a success.
    fn command(
        &mut self,
        run: &Attempt,
        (role, command): (&str, &str),
        server: &mut Option<&mut Child>,
    ) -> Result<Ended, Failure> {
        let mut child = self.start(run, role, command)?;
        let limit = self.journal.plan.timeout_s;
        let until =
            limit.and_then(|limit| Instant::now().checked_add(Duration::from_secs_f64(limit)));
        let interrupts = self.interrupts.clone();
        let mut server_ended = None;
        let waited = loop {
            let stop = || interrupts.now();
            // The server is looked at now and then.
            let next = Instant::now() + Duration::from_millis(500);
            let soon = until.map_or(next, |until| until.min(next));
            match child.wait(Some(soon), &stop) {
                Waited::TimedOut => {
                    server_ended = server.as_mut().and_then(|server| server.poll().cloned());
                    if server_ended.is_some() || until.is_some_and(|until| Instant::now() >= until)
                    {
                        break Waited::TimedOut;
                    }
                }
                waited => break waited,
            }
        };
        let called = if role == "bench" {
            "the benchmark".to_owned()
        } else {
            format!("the command {role}")
        };
        let name = &run.variant.name;
        match waited {
            Waited::Ended(ended) if ended.is_success() => Ok(ended),
            Waited::Ended(ended) => Err(Failure::Again(format!(
                "{called} of {name} {}{}",
                ended.words(),
                tail(run, role)
            ))),
            Waited::Stopped => {
                child.stop(GRACE);
                Err(Failure::Stopped)
            }
            Waited::TimedOut => {
                child.stop(GRACE);
                Err(Failure::Again(match server_ended {
                    Some(ended) => format!(
                        "the server of {name} {} during {called}{}",
                        ended.words(),
                        tail(run, "server")
                    ),
                    None => format!(
                        "{called} of {name} took longer than {}{}",
                        time(limit.unwrap_or_default()),
                        tail(run, role)
                    ),
                }))
            }
        }
    }

    fn request(&self, run: &Attempt, role: &str, command: &str) -> Request {
        Request {
            command: run.values.fill(command),
            folder: run.variant.folder.clone(),
            env: run.variant.env.clone(),
            stdout: run.log(role, "out"),
            stderr: run.log(role, "err"),
            lock: Some(self.lock.clone()),
            grace: GRACE,
        }
    }

    /// Starts a command and notes its process group.
    fn start(&mut self, run: &Attempt, role: &str, command: &str) -> Result<Child, Failure> {
        let child = Child::start(&self.request(run, role, command))?;
        let (run, role) = (run.which.run.clone(), role.to_owned());
        self.add(Event::Process { run, role, group: child.group(), since: child.since() })?;
        Ok(child)
    }
}

/// An attempt at a run of a variant, with the values for its commands.
pub(super) struct Attempt<'a> {
    pub(super) which: &'a Which,
    pub(super) variant: &'a VariantPlan,
    pub(super) values: &'a Values<'a>,
}

impl Attempt<'_> {
    /// The file with what a process prints.
    pub(super) fn log(&self, role: &str, stream: &str) -> PathBuf {
        self.values.folder.join(format!("{role}.{stream}.{LOG}"))
    }
}

/// The last lines of the logs of a process, for an error.
pub(super) fn tail(run: &Attempt, role: &str) -> String {
    let (err, out) = (run.log(role, "err"), run.log(role, "out"));
    let found = [err, out]
        .into_iter()
        .map(|log| (last_lines(&log, LINES), log))
        .find(|(lines, _)| !lines.is_empty());
    match found {
        Some((lines, log)) => {
            let lines = lines.iter().map(|line| format!("\n    {line}"));
            format!("{LOG_TAIL}{}:{}", log.display(), lines.collect::<String>())
        }
        None => "; its logs are empty".to_owned(),
    }
}
