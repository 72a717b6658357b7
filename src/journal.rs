//! The journal of a folder of runs that `beyondnoise run` made: what was planned, begun, done and said, a JSON line each.
//!
//! Lines are only added, and each is on the disk before the next step is taken. A line that was being written when the
//! machine stopped has no end; it says nothing, and the next line takes its place.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::write::Lines;

/// Name of the file in its folder.
pub const FILE_NAME: &str = "beyondnoise-journal.ndjson";

/// Name of the file with what a timed command took, in the folder of its run.
pub const TIME_FILE: &str = "time.json";

/// Name of the file with the state of the machine around a run, in the folder of the run.
pub const ENVIRONMENT_FILE: &str = "environment.json";

/// In the reason of a failed attempt, the words before the last lines of a log.
pub const LOG_TAIL: &str = "; the last lines of ";

/// Version of the format of the journal.
pub const VERSION: u32 = 1;

/// Everything that is decided before the first run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Version of the format: [`VERSION`].
    pub journal: u32,
    /// Version of the program.
    pub program: String,
    /// The words of the command line after the name of the program.
    pub args: Vec<String>,
    /// The folder in which it was called.
    pub folder: PathBuf,
    /// At least two, in the order in which they were named; the first is the baseline unless a label tells.
    pub variants: Vec<VariantPlan>,
    /// Runs of each variant at the planned looks, ascending, the first at least 2; the last is the largest number.
    pub looks: Vec<usize>,
    /// Confidence over all looks together, in (0, 1).
    pub confidence: f64,
    /// Change that matters, a fraction, where one was given.
    pub effect: Option<f64>,
    /// Seed of the order.
    pub seed: u64,
    /// Discarded runs before the first.
    pub warmup: usize,
    /// Attempts at each run.
    pub tries: usize,
    /// Time for all runs, in seconds.
    pub budget_s: Option<f64>,
    /// Longest time of a benchmark command, in seconds.
    pub timeout_s: Option<f64>,
    /// Longest time that a server takes until it is ready, in seconds.
    pub ready_timeout_s: f64,
    /// Value of `{port}`.
    pub port: u16,
    /// Whether the server of a variant is left running from one of its runs to the next.
    pub keep_server: bool,
}

/// The commands of a variant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VariantPlan {
    /// Its label.
    pub name: String,
    /// Starts its server, which runs until it is stopped.
    pub serve: Option<String>,
    /// How to see that the server is ready: a URL, a `host:port` or a command.
    pub ready: Option<String>,
    /// Makes one run.
    pub bench: String,
    /// Run before each benchmark command, with the server ready.
    pub before: Option<String>,
    /// Run after it.
    pub after: Option<String>,
    /// Prints the version.
    pub version: Option<String>,
    /// Folder in which its commands run.
    pub folder: PathBuf,
    /// Variables of the environment, beside those of the program.
    pub env: Vec<(String, String)>,
}

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// What was decided before the first run.
    Plan(Box<Plan>),
    /// The planned looks, where the time that the first runs took decides how many the budget pays for.
    Looks {
        /// Runs of each variant at each look, ascending.
        looks: Vec<usize>,
        /// Mean time of a run, in seconds.
        seconds: f64,
    },
    /// An attempt at a run begins.
    Began {
        /// Its folder.
        run: String,
        /// Its variant.
        variant: String,
        /// Number among the runs of its variant, from 1; 0 for a discarded run.
        round: usize,
        /// Which attempt, from 1.
        attempt: usize,
        /// When, as an RFC 3339 time.
        at: String,
    },
    /// A process of the run was started.
    Process {
        /// The folder of the run.
        run: String,
        /// `server`, `bench`, `before`, `after`, `ready` or `version`.
        role: String,
        /// Number of its process group.
        group: u32,
        /// When the system says that it began; tells it from a later process of the same number.
        since: u64,
    },
    /// The run was made, and its results are on the disk.
    Done {
        /// Its folder.
        run: String,
        /// From its beginning to its end, the server's start included.
        seconds: f64,
        /// Its results, relative to the folder of the journal.
        results: Vec<ResultFile>,
    },
    /// The attempt failed.
    Failed {
        /// The folder of the run.
        run: String,
        /// Which attempt, from 1.
        attempt: usize,
        /// Why.
        why: String,
    },
    /// Commands were repaired, with which no run was made.
    Repaired {
        /// The variants with their new commands.
        variants: Vec<VariantPlan>,
    },
    /// A look was made.
    Look {
        /// Runs of each variant.
        runs: usize,
        /// The verdict, in a line.
        said: String,
        /// Why it was the last; null if it goes on.
        stops: Option<Stop>,
    },
    /// No more runs are made.
    Ended {
        /// Why.
        stops: Stop,
    },
}

/// A file with results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultFile {
    /// Relative to the folder of the journal, with `/`.
    pub path: String,
    /// Of its bytes, in hexadecimal digits.
    pub hash: String,
}

/// Why no more runs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// A change was shown.
    Change,
    /// No change was shown: all deciding metrics lie within their margins.
    NoChange,
    /// Neither is likely to be shown with the runs that are left.
    NoHope,
    /// The variants cannot be compared.
    NotComparable,
    /// All planned runs are made.
    AllRuns,
    /// The time is used up.
    Budget,
    /// Somebody stopped it.
    ByHand,
}

/// A run that was made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Made {
    /// Its folder.
    pub run: String,
    /// Its variant.
    pub variant: String,
    /// Number among the runs of its variant, from 1; 0 for a discarded run.
    pub round: usize,
    /// When it began, as an RFC 3339 time.
    pub at: String,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Its results.
    pub results: Vec<ResultFile>,
}

/// An attempt that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedAttempt {
    /// The folder of its run.
    pub run: String,
    /// Its variant.
    pub variant: String,
    /// Which attempt at the run, from 1.
    pub attempt: usize,
    /// When it began, as an RFC 3339 time.
    pub at: String,
    /// Why it failed, without the lines of a log.
    pub why: String,
    /// Whether it counts against its variant: a process of it was started, with the commands that the variant has now.
    pub counts: bool,
}

/// A look that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct LookMade {
    /// Runs of each variant.
    pub runs: usize,
    /// The verdict, in a line.
    pub said: String,
    /// Why it was the last; `None` if it went on.
    pub stops: Option<Stop>,
}

/// The journal as it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    /// The plan, with the looks that hold.
    pub plan: Plan,
    /// Whether the looks are final, where a budget decides them.
    pub looks_fixed: bool,
    /// Runs that were made, in their order, discarded ones included.
    pub made: Vec<Made>,
    /// Attempts that failed, in their order.
    pub failed: Vec<FailedAttempt>,
    /// Attempts begun at each run that is not made, by its folder.
    pub attempts: BTreeMap<String, usize>,
    /// Looks that were made.
    pub looks: Vec<LookMade>,
    /// Process groups of an attempt that has no end, with when they began.
    pub left: Vec<(u32, u64)>,
    /// Why no more runs are made, where that was said last.
    pub ended: Option<Stop>,
    /// The attempt that has no end.
    open: Option<Made>,
    /// Length of its whole lines, in bytes.
    whole: u64,
}

impl Journal {
    /// Reads the journal of `folder`; `None` if it has none.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or a line is not one of a journal.
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

    pub(crate) fn of_lines(bytes: &[u8], path: &str) -> Result<Option<Self>, Error> {
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

    /// What an event changes.
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
            Event::Began { run, variant, round, at, .. } => {
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

    /// The runs that count: made, and not discarded.
    pub fn counted(&self) -> impl Iterator<Item = &Made> {
        self.made.iter().filter(|made| made.round > 0)
    }

    /// Runs of each variant that are made, at least.
    pub fn complete(&self) -> usize {
        let made = |name: &str| self.counted().filter(|made| made.variant == name).count();
        self.plan.variants.iter().map(|variant| made(&variant.name)).min().unwrap_or(0)
    }

    /// The look that the runs are enough for, from 1, and the runs of each variant that it judges: no more than were
    /// planned for it. Before the first look it is that one, with all runs.
    pub fn look(&self) -> (usize, usize) {
        let complete = self.complete();
        let number = self.plan.looks.iter().take_while(|runs| **runs <= complete).count();
        match number.checked_sub(1) {
            Some(last) => (number, self.plan.looks[last]),
            None => (1, usize::MAX),
        }
    }

    /// Whether the runs are those of commands that were timed.
    pub fn is_timed(&self) -> bool {
        let mut files = self.counted().flat_map(|made| &made.results).peekable();
        files.peek().is_some() && files.all(|file| file.path.ends_with(TIME_FILE))
    }
}

/// The journal, open to be added to; nobody else can open it meanwhile.
#[derive(Debug)]
pub struct Writer(Lines);

impl Writer {
    /// Opens the journal of `folder`, or begins it, after its last whole line.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or another program has it open.
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
    /// If it cannot be written; what was written of it has no end and does not count.
    pub fn add(&mut self, event: &Event) -> Result<(), Error> {
        let mut line = serde_json::to_vec(event).unwrap_or_default();
        line.push(b'\n');
        self.0.add(&line)
    }
}
