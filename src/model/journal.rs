//! The journal of a folder of runs that `beyondnoise run` made: each plan, start, end and verdict as a JSON line.
//!
//! Lines are only added, and each is on the disk before the next step begins. If the machine stops, an incomplete line may
//! remain; it is ignored, and the next line replaces it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::write::Lines;

/// Name of the file in its folder.
pub const FILE_NAME: &str = "beyondnoise-journal.ndjson";

/// Name of the file with the time of a timed command, in the folder of its run.
pub const TIME_FILE: &str = "time.json";

/// Name of the file with the state of the machine during a run, in the folder of the run.
pub const ENVIRONMENT_FILE: &str = "environment.json";

/// Words before the last lines of a log, in the reason of a failed attempt.
pub const LOG_TAIL: &str = "; the last lines of ";

/// Version of the journal's format.
pub const VERSION: u32 = 1;

/// All decisions before the first run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Version of the format: [`VERSION`].
    pub journal: u32,
    /// Version of the program.
    pub program: String,
    /// The arguments on the command line.
    pub args: Vec<String>,
    /// The working folder of the call.
    pub folder: PathBuf,
    /// At least two variants, in the user's order; the first is the baseline unless a label names one.
    pub variants: Vec<VariantPlan>,
    /// Runs of each variant at the planned looks, ascending, at least 2; the last one is the largest number of runs.
    pub looks: Vec<usize>,
    /// Confidence over all looks together, in (0, 1).
    pub confidence: f64,
    /// Change that matters, a fraction, if the user gave one.
    pub effect: Option<f64>,
    /// Seed for the order of the runs.
    pub seed: u64,
    /// Discarded runs before the first.
    pub warmup: usize,
    /// Attempts at each run.
    pub tries: usize,
    /// Time for all runs, in seconds.
    pub budget_s: Option<f64>,
    /// Longest time of a benchmark command, in seconds.
    pub timeout_s: Option<f64>,
    /// Longest time from the start of a server until it is ready, in seconds.
    pub ready_timeout_s: f64,
    /// Value of `{port}`.
    pub port: u16,
    /// Whether the server of a variant remains running between its runs.
    pub keep_server: bool,
}

/// The commands of a variant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VariantPlan {
    /// Its label.
    pub name: String,
    /// Starts its server, which runs until the program stops it.
    pub serve: Option<String>,
    /// Checks that the server is ready: a URL, a `host:port` or a command.
    pub ready: Option<String>,
    /// Makes one run.
    pub bench: String,
    /// Runs before each benchmark command, with the server ready.
    pub before: Option<String>,
    /// Runs after each benchmark command.
    pub after: Option<String>,
    /// Prints the version of the variant.
    pub version: Option<String>,
    /// Folder in which its commands run.
    pub folder: PathBuf,
    /// Variables of the environment, in addition to those of the program.
    pub env: Vec<(String, String)>,
}

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The decisions before the first run.
    Plan(Box<Plan>),
    /// The planned looks, if a budget decides their number by the time of the first runs.
    Looks {
        /// Runs of each variant at each look, ascending.
        looks: Vec<usize>,
        /// Mean time of a run, in seconds.
        seconds: f64,
    },
    /// An attempt at a run begins.
    Began {
        /// Folder of the run.
        run: String,
        /// Variant of the run.
        variant: String,
        /// Number among the variant's runs, from 1; 0 for a discarded run.
        round: usize,
        /// Number of the attempt, from 1.
        attempt: usize,
        /// Time of the beginning, in RFC 3339.
        at: String,
        /// The machine; unknown in the journals of earlier versions.
        #[serde(flatten)]
        machine: Machine,
    },
    /// A process of the run was started.
    Process {
        /// The folder of the run.
        run: String,
        /// `server`, `bench`, `before`, `after`, `ready` or `version`.
        role: String,
        /// Number of its process group.
        group: u32,
        /// Start time by the system; distinguishes it from a later process with the same number.
        since: u64,
    },
    /// The run was made, and its results are on the disk.
    Done {
        /// Folder of the run.
        run: String,
        /// Whole time including the start of the server.
        seconds: f64,
        /// Its results, relative to the folder of the journal.
        results: Vec<ResultFile>,
    },
    /// The attempt failed.
    Failed {
        /// The folder of the run.
        run: String,
        /// Number of the attempt, from 1.
        attempt: usize,
        /// The reason.
        why: String,
    },
    /// Commands that made no run were repaired.
    Repaired {
        /// The variants with their new commands.
        variants: Vec<VariantPlan>,
    },
    /// A look was made.
    Look {
        /// Runs of each variant.
        runs: usize,
        /// The verdict in one line.
        said: String,
        /// The reason why it was the last; null if the runs go on.
        stops: Option<Stop>,
    },
    /// No more runs are made.
    Ended {
        /// The reason.
        stops: Stop,
    },
}

/// The machine on which an attempt is made, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// Hash of its name, in hexadecimal digits: a journal that is passed on does not name the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Identifier of its last start, by the system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
}

impl Machine {
    /// Whether both are known, and differ: another host, or another start of the same. A start that both know decides, since
    /// containers on one host have names of their own.
    pub fn differs(&self, other: &Self) -> bool {
        let differ = |a: &Option<String>, b: &Option<String>| Some(a.as_ref()? != b.as_ref()?);
        differ(&self.boot, &other.boot).or_else(|| differ(&self.host, &other.host)).unwrap_or(false)
    }

    /// Whether nothing is known of it.
    pub fn is_unknown(&self) -> bool {
        self.host.is_none() && self.boot.is_none()
    }
}

/// An attempt at a run, whatever became of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attempt {
    /// Folder of the run.
    pub run: String,
    /// Start time, in RFC 3339.
    pub at: String,
    /// Duration, in seconds; 0 if it was not finished.
    pub seconds: f64,
    /// Which host made it, and which start of that host.
    pub machine: Machine,
}

/// A file that a client wrote, as it was when its run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultFile {
    /// Path relative to the folder of the journal, with `/`.
    pub path: String,
    /// Hash of its bytes, in hexadecimal digits.
    pub hash: String,
}

/// The reason why no more runs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// A change was shown.
    Change,
    /// No change was shown: all deciding metrics are within their margins.
    NoChange,
    /// The remaining runs are unlikely to show either.
    NoHope,
    /// The variants cannot be compared.
    NotComparable,
    /// All planned runs are made.
    AllRuns,
    /// The time is used up.
    Budget,
    /// The user stopped it.
    ByHand,
}

/// A run that was made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Made {
    /// Folder of the run.
    pub run: String,
    /// Variant of the run.
    pub variant: String,
    /// Number among the variant's runs, from 1; 0 for a discarded run.
    pub round: usize,
    /// Start time, in RFC 3339.
    pub at: String,
    /// Duration, in seconds.
    pub seconds: f64,
    /// The files that its client wrote.
    pub results: Vec<ResultFile>,
}

/// An attempt at a run that gave no result, with its reason.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "MadeFailure")]
pub struct FailedAttempt {
    /// The run, named by its folder.
    pub run: String,
    /// Label of the variant that it was to measure.
    pub variant: String,
    /// Which attempt at the run, from 1.
    #[schemars(range(min = 1))]
    pub attempt: usize,
    /// When it began, as an RFC 3339 time.
    pub at: String,
    /// Why it failed.
    pub why: String,
    /// Whether it counts as a failed run of its variant: not before a process was started, nor with commands that were
    /// repaired since.
    pub counts: bool,
}

/// A look at the runs so far, with what it decided.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "MadeLook")]
pub struct LookMade {
    /// Runs of each variant.
    #[schemars(range(min = 1))]
    pub runs: usize,
    /// The verdict then, in a line.
    pub said: String,
    /// The reason why it was the last; `None` if the runs went on.
    #[serde(skip)]
    pub stops: Option<Stop>,
}

/// The present state of the journal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    /// The plan, with the present looks.
    pub plan: Plan,
    /// Whether the looks are final; with a budget they are decided later.
    pub looks_fixed: bool,
    /// Finished runs in order, including discarded runs.
    pub made: Vec<Made>,
    /// Failed attempts in order.
    pub failed: Vec<FailedAttempt>,
    /// All attempts in order: successful, failed and interrupted ones.
    pub begun: Vec<Attempt>,
    /// Number of attempts at each unfinished run, by its folder.
    pub attempts: BTreeMap<String, usize>,
    /// Looks so far.
    pub looks: Vec<LookMade>,
    /// Process groups of an unfinished attempt, with their start times.
    pub left: Vec<(u32, u64)>,
    /// The reason for stopping, if nothing began since.
    pub ended: Option<Stop>,
    /// The unfinished attempt.
    open: Option<Made>,
    /// Length of all whole lines, in bytes.
    whole: u64,
}

impl Journal {
    /// Reads the journal of `folder`; `None` if it has none.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or if a line is not part of a journal.
    pub fn read(folder: &Path) -> Result<Option<Self>, Error> {
        let path = folder.join(FILE_NAME);
        match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => {
                Err(Error::Io { path: path.display().to_string(), doing: "read", source })
            }
            Ok(bytes) => Self::of_lines(&bytes, &path.display().to_string()),
        }
    }

    /// Reads the lines of a journal at `path`; `None` if it is empty.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for a line that is no event of this version.
    pub fn of_lines(bytes: &[u8], path: &str) -> Result<Option<Self>, Error> {
        const REMEDY: &str = "restore the file, or begin in another folder";
        let mut journal = Self::default();
        for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let Some(text) = line.strip_suffix(b"\n") else { break };
            let wrong = |problem: String| Error::at_line(path, index + 1, problem, REMEDY);
            let event: Event = serde_json::from_slice(text)
                .map_err(|error| wrong(format!("expected an event of a journal, found {error}")))?;
            match &event {
                Event::Plan(plan) if plan.journal != VERSION => {
                    let found = plan.journal;
                    return Err(wrong(format!(
                        "expected a journal of version {VERSION}, found {found}"
                    )));
                }
                Event::Plan(_) if index == 0 => {}
                Event::Plan(_) => {
                    return Err(wrong("expected one plan, found a second".to_owned()));
                }
                _ if index == 0 => {
                    return Err(wrong("expected the plan, found another event".to_owned()));
                }
                _ => {}
            }
            journal.whole += line.len() as u64;
            journal.take(event);
        }
        Ok((journal.whole > 0).then_some(journal))
    }

    /// Applies an event.
    pub fn take(&mut self, event: Event) {
        match event {
            Event::Plan(plan) => {
                self.looks_fixed = plan.budget_s.is_none();
                self.plan = *plan;
            }
            Event::Looks { looks, .. } => {
                self.plan.looks = looks;
                self.looks_fixed = true;
            }
            Event::Began { run, variant, round, at, machine, .. } => {
                let attempt = Attempt { run: run.clone(), at: at.clone(), seconds: 0.0, machine };
                self.begun.push(attempt);
                self.left.clear();
                self.ended = None;
                *self.attempts.entry(run.clone()).or_default() += 1;
                self.open = Some(Made { run, variant, round, at, ..Made::default() });
            }
            Event::Process { group, since, .. } => self.left.push((group, since)),
            Event::Done { run, seconds, results } => {
                self.left.clear();
                self.attempts.remove(&run);
                let open = self.open.take().filter(|open| open.run == run);
                if let Some(last) = self.begun.last_mut().filter(|_| open.is_some()) {
                    last.seconds = seconds;
                }
                self.made.extend(open.map(|open| Made { seconds, results, ..open }));
            }
            Event::Failed { run, attempt, why } => {
                let started = !self.left.is_empty();
                self.left.clear();
                if let Some(open) = self.open.take().filter(|open| open.run == run) {
                    let why = why.split(LOG_TAIL).next().unwrap_or_default().to_owned();
                    let Made { variant, at, .. } = open;
                    self.failed.push(FailedAttempt {
                        run,
                        variant,
                        attempt,
                        at,
                        why,
                        counts: started,
                    });
                }
            }
            Event::Repaired { variants } => {
                for new in variants {
                    let of_it = self.failed.iter_mut().filter(|failed| failed.variant == new.name);
                    of_it.for_each(|failed| failed.counts = false);
                    let old = self.plan.variants.iter_mut().find(|old| old.name == new.name);
                    if let Some(old) = old {
                        *old = new;
                    }
                }
            }
            Event::Look { runs, said, stops } => {
                self.looks.push(LookMade { runs, said, stops });
                self.ended = stops;
            }
            Event::Ended { stops } => self.ended = Some(stops),
        }
    }

    /// The finished runs without discarded ones.
    pub fn counted(&self) -> impl Iterator<Item = &Made> {
        self.made.iter().filter(|made| made.round > 0)
    }

    /// Smallest number of finished runs over the variants.
    pub fn complete(&self) -> usize {
        let made = |name: &str| self.counted().filter(|made| made.variant == name).count();
        self.plan.variants.iter().map(|variant| made(&variant.name)).min().unwrap_or(0)
    }

    /// The last look with enough runs, counted from 1, and the runs of each variant that it judges, as planned. Before
    /// the first look: that look, with all runs.
    pub fn look(&self) -> (usize, usize) {
        let complete = self.complete();
        let number = self.plan.looks.iter().take_while(|runs| **runs <= complete).count();
        match number.checked_sub(1) {
            Some(last) => (number, self.plan.looks[last]),
            None => (1, usize::MAX),
        }
    }

    /// Whether the runs are timed commands.
    pub fn is_timed(&self) -> bool {
        let mut files = self.counted().flat_map(|made| &made.results).peekable();
        files.peek().is_some() && files.all(|file| file.path.ends_with(TIME_FILE))
    }
}

/// The journal, open for adding lines; no other program can open it meanwhile.
#[derive(Debug)]
pub struct Writer(Lines);

impl Writer {
    /// Opens the journal of `folder` after its last whole line, or creates it.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or if another program has it open.
    pub fn open(folder: &Path) -> Result<(Self, Option<Journal>), Error> {
        let path = folder.join(FILE_NAME);
        let Some(lines) = Lines::open(&path)? else {
            let problem = "expected a folder that nobody else writes to, found one in which runs are being made";
            let remedy = "wait until they are made, or give another folder to -o";
            return Err(Error::file(&path.display().to_string(), problem, remedy));
        };
        let journal = Journal::read(folder)?;
        lines.end_after(journal.as_ref().map_or(0, |journal| journal.whole))?;
        Ok((Self(lines), journal))
    }

    /// Adds a line, and waits until it is on the disk.
    ///
    /// # Errors
    ///
    /// If it cannot be written; a partly written line does not count.
    pub fn add(&mut self, event: &Event) -> Result<(), Error> {
        let mut line = serde_json::to_vec(event).unwrap_or_default();
        line.push(b'\n');
        self.0.add(&line)
    }
}
