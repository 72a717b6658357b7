//! The present state of a ledger, and its file.

use std::fs;
use std::io;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128;

use crate::error::Error;
use crate::ledger::entries::{Entry, FILE_NAME, Line, Measurement, Stage, Terms, VERSION};
use crate::ledger::track::{Tracked, changed};
use crate::stats::OnlineLevels;
use crate::verdict::Decision;
use crate::write::Lines;

/// Share of the remaining alpha that a confirmation spends.
pub const ALPHA_SHARE: f64 = 0.1;

/// State of a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It is being measured.
    Open,
    /// It is worth a confirmation, which comes next.
    Passed,
    /// Its runs decide nothing; it may be measured again.
    Undecided,
    /// It was confirmed: it is the base, or was the base.
    Kept,
    /// It is worse, or an improvement beyond the margin is excluded.
    Rejected,
    /// Fresh runs did not confirm it.
    NotConfirmed,
    /// Its build has changed since the measurement, or the base has.
    Stale,
}

impl State {
    /// Whether the try is not measured again.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Open | Self::Passed | Self::Undecided)
    }

    /// The decision for this state.
    pub fn decision(self) -> Decision {
        match self {
            Self::Kept => Decision::Promote,
            Self::Rejected | Self::NotConfirmed => Decision::Reject,
            Self::Open | Self::Passed | Self::Undecided => Decision::MoreData,
            Self::Stale => Decision::Stale,
        }
    }
}

/// The present state of a ledger.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// The terms of all tries.
    pub terms: Terms,
    /// The measurements in order.
    pub measurements: Vec<Measurement>,
    /// Name of the base: the try kept last, or the first base.
    pub base: String,
    /// Number of confirmations that began.
    pub confirmations: usize,
    levels: OnlineLevels,
    /// Length of all whole lines, in bytes, and the hash of the last line.
    whole: u64,
    last: String,
}

impl Ledger {
    /// A ledger without tries.
    pub fn new(terms: Terms) -> Self {
        Self {
            base: terms.base.clone(),
            levels: OnlineLevels::new(1.0 - terms.confidence, ALPHA_SHARE),
            terms,
            measurements: Vec::new(),
            confirmations: 0,
            whole: 0,
            last: String::new(),
        }
    }

    /// Reads the ledger of `folder`; `None` if it has none.
    ///
    /// # Errors
    ///
    /// If it cannot be read, if a line is not part of a ledger, or if a line does not follow from the previous one.
    pub fn read(folder: &Path) -> Result<Option<Self>, Error> {
        let path = folder.join(FILE_NAME);
        let shown = path.display().to_string();
        match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::Io { path: shown, doing: "read", source }),
            Ok(bytes) => Self::of_lines(&bytes, &shown),
        }
    }

    fn of_lines(bytes: &[u8], path: &str) -> Result<Option<Self>, Error> {
        const REMEDY: &str = "restore the file, or begin another ledger";
        let mut ledger: Option<Self> = None;
        for (index, text) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            // If the machine stopped while a line was written, the line has no end.
            let Some(line) = text.strip_suffix(b"\n") else { break };
            let wrong = |problem: String| Error::at_line(path, index + 1, problem, REMEDY);
            let Line { before, entry } = serde_json::from_slice(line)
                .map_err(|error| wrong(format!("expected an event of a loop, found {error}")))?;
            let last = ledger.as_ref().map_or("", |ledger| &ledger.last);
            if before != last {
                let problem = "expected a line that follows from the one before, found that a line was changed, added or removed";
                return Err(wrong(problem.to_owned()));
            }
            match (&mut ledger, entry) {
                (None, Entry::Init(terms)) if terms.ledger == VERSION && is_sound(&terms) => {
                    ledger = Some(Self::new(*terms));
                }
                (None, Entry::Init(terms)) => {
                    let found = terms.ledger;
                    return Err(wrong(format!(
                        "expected a ledger of version {VERSION}, found {found}"
                    )));
                }
                (Some(ledger), entry @ (Entry::Began(_) | Entry::Measured(_))) => {
                    ledger.take(entry);
                }
                _ => return Err(wrong("expected the terms of the loop once, at first".to_owned())),
            }
            if let Some(ledger) = &mut ledger {
                ledger.whole += text.len() as u64;
                ledger.last = hash(line);
            }
        }
        Ok(ledger)
    }

    /// Applies an event.
    pub fn take(&mut self, entry: Entry) {
        let new = match entry {
            Entry::Init(_) => return,
            Entry::Began(new) | Entry::Measured(new) => *new,
        };
        let open = self.measurements.iter_mut().find(|old| is_same(old, &new));
        let kept = new.stage == Stage::Confirm
            && new.result.as_ref().is_some_and(|result| result.decision == Decision::Promote);
        let name = new.name.clone();
        if let Some(open) = open {
            *open = new;
        } else {
            if new.stage == Stage::Confirm {
                self.levels.spend();
                self.confirmations += 1;
            }
            self.measurements.push(new);
        }
        if kept {
            self.levels.reject();
            self.base = name;
        }
    }

    /// Level of the next confirmation, in (0, 1).
    pub fn level(&self) -> f64 {
        self.levels.level()
    }

    /// Spent part of the loop's alpha, in [0, 1).
    pub fn spent(&self) -> f64 {
        self.levels.spent()
    }

    /// The measurements of a try in order.
    pub fn of_try<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Measurement> {
        self.measurements.iter().filter(move |one| one.name == name && one.stage != Stage::Final)
    }

    /// Names of the tries in the order of their beginnings.
    pub fn tries(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for one in self.measurements.iter().filter(|one| one.stage != Stage::Final) {
            if !names.contains(&one.name.as_str()) {
                names.push(&one.name);
            }
        }
        names
    }

    /// The state of a try; `None` if no try has this name.
    pub fn state(&self, name: &str) -> Option<State> {
        let last = self.of_try(name).last()?;
        let Some(result) = &last.result else {
            return Some(if last.base == self.base { State::Open } else { State::Stale });
        };
        let state = match (last.stage, result.decision) {
            (_, Decision::Stale) => State::Stale,
            (Stage::Screen, Decision::Reject) => State::Rejected,
            (Stage::Screen, Decision::Promote) => State::Passed,
            (Stage::Screen, Decision::MoreData) => State::Undecided,
            (Stage::Confirm | Stage::Final, Decision::Promote) => State::Kept,
            (Stage::Confirm | Stage::Final, _) => State::NotConfirmed,
        };
        // The base has changed since: a result against the old base says nothing about the new one.
        Some(if state.is_final() || last.base == self.base { state } else { State::Stale })
    }

    /// The final comparison of the first base with the present base, if it began; a stale one is made again.
    pub fn final_comparison(&self) -> Option<&Measurement> {
        let stale = |one: &Measurement| {
            one.result.as_ref().is_some_and(|result| result.decision == Decision::Stale)
        };
        let mut all = self.measurements.iter();
        all.rfind(|one| one.stage == Stage::Final && one.name == self.base && !stale(one))
    }

    /// The command and the tracked files of a build: of the first base or of a try.
    pub fn build(&self, name: &str) -> (Option<&str>, &[Tracked]) {
        let of_try = |one: &&Measurement| one.name == name && one.stage != Stage::Final;
        match self.measurements.iter().rfind(of_try) {
            Some(last) => (last.command.as_deref(), &last.files),
            None => (self.terms.command.as_deref(), &self.terms.files),
        }
    }

    /// The first change among the paths that all builds share since they were recorded: `bench.py changed`.
    ///
    /// # Errors
    ///
    /// If a tracked path cannot be read.
    pub fn shared_change(&self) -> Result<Option<String>, Error> {
        changed(&self.terms.shared)
    }

    /// The first change of a build since it was measured: of the first base or of a try.
    ///
    /// # Errors
    ///
    /// If a tracked path cannot be read.
    pub fn change_of(&self, name: &str) -> Result<Option<String>, Error> {
        changed(self.build(name).1)
    }

    /// The earlier measurement with this file, by the hash of its bytes.
    pub fn with_file(&self, hash: &str) -> Option<&Measurement> {
        let handed = |one: &&Measurement| {
            let files = one.result.iter().flat_map(|result| &result.handed);
            files.into_iter().any(|file| file.hash == hash)
        };
        self.measurements.iter().find(handed)
    }
}

/// Whether `new` is the measurement that `old` began.
fn is_same(old: &Measurement, new: &Measurement) -> bool {
    old.result.is_none() && (&old.name, old.stage) == (&new.name, new.stage)
}

fn is_sound(terms: &Terms) -> bool {
    terms.confidence > 0.0 && terms.confidence < 1.0 && terms.runs >= 2
}

/// Whether a text can be the name of a build: names appear in paths and commands.
pub fn is_name(text: &str) -> bool {
    let word = text.chars().all(|c| c.is_alphanumeric() || "-_.+".contains(c));
    word && !text.starts_with(['.', '-']) && !text.is_empty() && text.len() <= 100
}

fn hash(line: &[u8]) -> String {
    format!("{:032x}", xxh3_128(line))
}

/// The file of a ledger, open for adding lines; no other program can open it meanwhile.
#[derive(Debug)]
pub struct Writer(Lines);

impl Writer {
    /// Opens the ledger of `folder` after its last whole line, or creates its file.
    ///
    /// # Errors
    ///
    /// If it cannot be opened or read, or if another program has it open.
    pub fn open(folder: &Path) -> Result<(Self, Option<Ledger>), Error> {
        let path = folder.join(FILE_NAME);
        let Some(lines) = Lines::open(&path)? else {
            let problem = "expected a ledger that nobody else writes to, found one in which a try is being measured";
            let remedy = "wait until it is measured: tries are measured one after the other";
            return Err(Error::file(&path.display().to_string(), problem, remedy));
        };
        let ledger = Ledger::read(folder)?;
        lines.end_after(ledger.as_ref().map_or(0, |ledger| ledger.whole))?;
        Ok((Self(lines), ledger))
    }

    /// Begins a ledger with its terms.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn begin(&mut self, terms: Terms) -> Result<Ledger, Error> {
        let mut ledger = Ledger::new(terms.clone());
        self.write(&mut ledger, Entry::Init(Box::new(terms)))?;
        Ok(ledger)
    }

    /// Adds an event, once it is on the disk.
    ///
    /// # Errors
    ///
    /// If it cannot be written; the ledger then does not change.
    pub fn add(&mut self, ledger: &mut Ledger, entry: Entry) -> Result<(), Error> {
        self.write(ledger, entry.clone())?;
        ledger.take(entry);
        Ok(())
    }

    fn write(&mut self, ledger: &mut Ledger, entry: Entry) -> Result<(), Error> {
        let line = Line { before: ledger.last.clone(), entry };
        let mut bytes = serde_json::to_vec(&line).unwrap_or_default();
        ledger.last = hash(&bytes);
        bytes.push(b'\n');
        ledger.whole += bytes.len() as u64;
        self.0.add(&bytes)
    }
}
