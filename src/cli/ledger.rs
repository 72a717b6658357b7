//! `loop`: the ledger of a loop that tries patch after patch.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Subcommand;
use xxhash_rust::xxh3::xxh3_128;

use beyondnoise::analysis::analyse_with;
use beyondnoise::error::Error;
use beyondnoise::job::Source;
use beyondnoise::journal::{FILE_NAME, Journal, ResultFile, Stop, Writer as RunsWriter};
use beyondnoise::ledger::{
    Entry, FILE_NAME as LEDGER_FILE, Ledger, Measurement, MeasurementResult, Stage, State, Terms,
    VERSION, Writer, is_name, tracked,
};
use beyondnoise::policy::{Base, Policy, Settings};
use beyondnoise::read::load;
use beyondnoise::render::json;
use beyondnoise::report::ledger::{LedgerReport, Question};
use beyondnoise::verdict::{Decision, Headline};
use beyondnoise_model::format::argument;

use crate::cli::inputs::InputArgs;
use crate::cli::job::{Job, Outcome};
use crate::cli::judge::decided;
use crate::cli::output::{Format, Output, OutputArgs, Outputs, print, show};
use crate::cli::progress::Voice;
use crate::cli::run::Folder;
use crate::cli::settings::{Given, Named, SettingFlags};
use crate::experiment::attempt::Judge;
use crate::experiment::engine::{Engine, Resume};
use crate::experiment::{Say, begin, plan, repair, resume};

/// The instructions for an agent.
const SKILL: &str = include_str!("../../data/skill/SKILL.md");

#[derive(Debug, Subcommand)]
pub(super) enum LoopCommand {
    /// Begin a ledger: its first base, its benchmark, the paths to watch
    Init(Box<InitArgs>),
    /// Measure a patch against the base, and what passes again with fresh runs; kept is what both show
    ///
    /// Exit status: 0 kept, 1 rejected, 3 undecided, to be confirmed or stale, 2 an error.
    Try(TryArgs),
    /// Measure the gain of the loop: the first base against the present one
    Final(FinalArgs),
    /// Print the tries, the base and what is left of the error budget
    Status(StatusArgs),
    /// Print the instructions for an agent that works with a ledger
    #[command(after_help = INSTRUCTING)]
    Skill,
}

/// Common calls, below the help.
const BEGINNING: &str = "\
Examples:
  beyondnoise loop init ledger --base main --bench './builds/{variant}/bench {out}' --track 'builds/{variant}'
  beyondnoise loop init ledger main='./old --size 9' --max-runs 16 --track size9.bin  # tries name their own command
  beyondnoise loop init ledger --base main                                            # runs are handed in";

#[derive(Debug, clap::Args)]
#[command(after_help = BEGINNING)]
#[command(mut_arg("inputs", |arg| arg.required(false).num_args(0..=1).value_name("NAME=COMMAND").help(
    "The first base, if it has a command of its own; else --base names it"
)))]
#[command(mut_arg("lenient", |arg| arg.hide(true)))]
#[command(mut_arg("require", |arg| arg.hide(true)))]
pub(super) struct InitArgs {
    /// Folder for the ledger and its runs
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    settings: SettingFlags<Self>,

    #[command(flatten)]
    input: InputArgs,

    /// File or folder that must not change once it is measured, such as a build; {variant} stands for the name of a build;
    /// may be repeated
    #[arg(long, value_name = "PATH")]
    track: Vec<String>,

    #[command(flatten)]
    output: OutputArgs<Self>,
}

impl Named for InitArgs {
    const NAME: &'static str = "run";
}

impl InitArgs {
    /// The flags of a measurement: its plan says which build is the base.
    fn flags(&self) -> Given {
        self.settings.given().without("baseline")
    }
}

/// Common calls, below the help.
const TRYING: &str = "\
Examples:
  beyondnoise loop try ledger p7                                # by the --bench of the ledger
  beyondnoise loop try ledger p7='./builds/p7/bench --size 9'   # by a command of its own
  beyondnoise loop try ledger p7 --baseline base-7/*.json --candidate p7/*.json";

#[derive(Debug, clap::Args)]
#[command(after_help = TRYING)]
pub(super) struct TryArgs {
    /// Folder of the ledger
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Name of the patch, with its command if it has one of its own
    #[arg(value_name = "NAME[=COMMAND]")]
    name: String,

    #[command(flatten)]
    handed: HandedArgs,

    #[command(flatten)]
    output: OutputArgs<InitArgs>,
}

/// Runs that were made elsewhere
#[derive(Debug, clap::Args)]
struct HandedArgs {
    /// Fresh runs of the baseline, made elsewhere: files, folders or globs
    #[arg(long, value_name = "RUNS", num_args = 1.., requires = "candidate")]
    baseline: Vec<String>,

    /// Fresh runs of the candidate
    #[arg(long, value_name = "RUNS", num_args = 1.., requires = "baseline")]
    candidate: Vec<String>,
}

/// Common calls, below the help.
const ENDING: &str = "\
Examples:
  beyondnoise loop final ledger
  beyondnoise loop final ledger --baseline first/*.json --candidate last/*.json";

#[derive(Debug, clap::Args)]
#[command(after_help = ENDING)]
pub(super) struct FinalArgs {
    /// Folder of the ledger
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    handed: HandedArgs,

    #[command(flatten)]
    output: OutputArgs<InitArgs>,
}

/// Common calls, below the help.
const ASKING: &str = "\
Examples:
  beyondnoise loop status ledger
  beyondnoise loop status ledger --format json  # for an agent";

/// Common calls, below the help.
const INSTRUCTING: &str = "\
Examples:
  beyondnoise loop skill > SKILL.md";

#[derive(Debug, clap::Args)]
#[command(after_help = ASKING)]
pub(super) struct StatusArgs {
    /// Folder of the ledger
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    output: OutputArgs<InitArgs>,
}

impl Outputs for InitArgs {
    const FORMATS: &'static [Format] =
        &[Format::Text, Format::Markdown, Format::Html, Format::Json];
    const FLAGS: &'static [&'static str] = &["verbose", "quiet", "color"];
    const TO_FILES: bool = false;
}

/// `parse` reads the words of the call that began a ledger.
pub(super) fn run(
    command: &LoopCommand,
    parse: impl Fn(Vec<String>) -> Option<InitArgs>,
) -> Result<Outcome, Error> {
    match command {
        LoopCommand::Init(args) => init(args),
        LoopCommand::Try(args) => {
            let handed = args.handed.absolute()?;
            let mut open = Open::new(&args.folder, parse)?;
            open.attempt(&args.name, handed.as_ref(), &args.output)
        }
        LoopCommand::Final(args) => {
            let handed = args.handed.absolute()?;
            let mut open = Open::new(&args.folder, parse)?;
            open.gain(handed.as_ref(), &args.output)
        }
        LoopCommand::Status(args) => {
            let ledger = found(&args.folder)?.1.ok_or_else(|| none(&args.folder))?;
            go_to(&ledger.terms.folder)?;
            let shown = args.folder.display().to_string();
            let report = LedgerReport::new(&ledger, &shown, Question::Status)?;
            write(&report, &args.output)?;
            Ok(Outcome::Clean)
        }
        LoopCommand::Skill => {
            print(SKILL.as_bytes())?;
            Ok(Outcome::Clean)
        }
    }
}

fn init(args: &InitArgs) -> Result<Outcome, Error> {
    let shown = args.folder.display().to_string();
    let job = Job::new(&args.input, &[], args.settings.given(), Settings::default())?;
    let settings = &job.settings;
    let own = match args.input.inputs.first() {
        None => None,
        Some(text) => Some(plan::named(text).ok_or_else(|| {
            Error::usage(
                format!("expected NAME=COMMAND, found {text}"),
                "name the first base: main='./a --size 9'",
            )
        })?),
    };
    let base = match (&own, settings.baseline.as_ref().map(Base::as_str)) {
        (Some((name, _)), Some(base)) if name != base => {
            let problem = format!("expected one name of the first base, found {name} and {base}");
            return Err(Error::usage(problem, "leave out --base"));
        }
        (Some((name, _)), _) => name.clone(),
        (None, base) => base.unwrap_or("base").to_owned(),
    };
    check_name(&base)?;
    let here = std::env::current_dir().map_err(failed("the working folder", "find"))?;
    let policy_file = args.input.config.path().filter(|file| file.exists());
    let shared = policy_file.map(|file| file.display().to_string());
    let paths: Vec<String> = args.track.iter().cloned().chain(shared).collect();
    let whole = |path: &str| std::path::absolute(path).map_err(failed(path, "find"));
    for path in &args.track {
        if whole(&shown)?.starts_with(whole(&path.replace("{variant}", &base))?) {
            let problem =
                format!("expected tracked paths without the ledger, found {path}, which holds it");
            return Err(Error::usage(problem, "give the ledger a folder beside it, or track less"));
        }
    }
    let words = std::env::args_os().skip(1);
    let terms = Terms {
        ledger: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        args: words.map(|word| word.to_string_lossy().into_owned()).collect(),
        folder: here,
        command: own.map(|(_, command)| command.to_owned()),
        runs: plan::looks(&settings.run).last().copied().unwrap_or(2),
        confidence: settings.policy.confidence,
        shared: tracked(&paths, None)?,
        files: tracked(&args.track, Some(&base))?,
        track: args.track.clone(),
        base,
    };
    if terms.command.is_some() || !settings.run.bench.is_empty() {
        // An error in the commands is said before the first try.
        let base = (terms.base.as_str(), terms.command.as_deref());
        let own = terms.command.as_deref().filter(|_| settings.run.bench.is_empty());
        plan::of_pair(settings, [base, ("candidate", own)], (Vec::new(), terms.folder.clone()))?;
    }
    fs::create_dir_all(&args.folder).map_err(failed(&shown, "make"))?;
    if let Some(ledger) = Ledger::read(&args.folder)? {
        let tries = beyondnoise_model::format::plural(ledger.tries().len(), "try", "tries");
        let problem = format!("expected an empty folder, found a ledger with {tries}");
        let remedy = format!(
            "go on with beyondnoise loop try {} NAME, or give another folder",
            argument(&shown)
        );
        return Err(Error::file(&shown, problem, &remedy));
    }
    // The file of a ledger alone is one whose first line was being written when the machine stopped.
    let mut there = fs::read_dir(&args.folder).map_err(failed(&shown, "read"))?;
    if there.any(|entry| entry.is_ok_and(|entry| entry.file_name() != LEDGER_FILE)) {
        let problem = "expected an empty folder, found other files in it";
        return Err(Error::file(&shown, problem, "give another folder"));
    }
    let (mut writer, _) = Writer::open(&args.folder)?;
    let ledger = writer.begin(terms)?;
    write(&LedgerReport::new(&ledger, &shown, Question::Status)?, &args.output)?;
    Ok(Outcome::Clean)
}

fn failed(path: &str, doing: &'static str) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Io { path, doing, source }
}

fn check_name(name: &str) -> Result<(), Error> {
    if is_name(name) {
        return Ok(());
    }
    let problem =
        format!("expected a name of letters, digits and -_.+ for a build, found {name:?}");
    Err(Error::usage(problem, "it stands in paths and commands: write one such as p7"))
}

fn none(folder: &Path) -> Error {
    let shown = folder.display().to_string();
    let remedy = format!("begin one: beyondnoise loop init {}", argument(&shown));
    Error::file(&shown, "expected the folder of a ledger, found none in it", &remedy)
}

/// The whole path of a folder, and its ledger.
fn found(folder: &Path) -> Result<(PathBuf, Option<Ledger>), Error> {
    if !folder.is_dir() {
        return Err(none(folder));
    }
    let shown = folder.display().to_string();
    let whole = folder.canonicalize().map_err(failed(&shown, "find"))?;
    let ledger = Ledger::read(&whole)?;
    Ok((whole, ledger))
}

fn go_to(folder: &Path) -> Result<(), Error> {
    std::env::set_current_dir(folder).map_err(failed(&folder.display().to_string(), "go to"))
}

fn write(report: &LedgerReport, output: &Output) -> Result<(), Error> {
    output.check()?;
    output.write(|format, options| match format {
        Format::Json => json(report).into(),
        _ => show(report, format, options),
    })
}

impl HandedArgs {
    /// The runs of both builds, whatever the working folder; `None` where the program makes them.
    fn absolute(&self) -> Result<Option<[Vec<String>; 2]>, Error> {
        let whole = |paths: &Vec<String>| {
            let path = |path: &String| {
                let whole = std::path::absolute(path).map_err(failed(path, "find"))?;
                Ok(whole.display().to_string())
            };
            paths.iter().map(path).collect::<Result<Vec<_>, Error>>()
        };
        if self.baseline.is_empty() {
            return Ok(None);
        }
        Ok(Some([whole(&self.baseline)?, whole(&self.candidate)?]))
    }
}

/// A ledger that is open to be added to.
struct Open {
    /// Its folder as typed, and its whole path.
    shown: String,
    folder: PathBuf,
    writer: Writer,
    ledger: Ledger,
    /// The call that began it.
    first: InitArgs,
}

impl Open {
    /// Opens the ledger, and goes to the folder in which it was begun.
    fn new(folder: &Path, parse: impl Fn(Vec<String>) -> Option<InitArgs>) -> Result<Self, Error> {
        let (whole, ledger) = found(folder)?;
        // Without one, opening would make its file.
        ledger.ok_or_else(|| none(folder))?;
        let (writer, ledger) = Writer::open(&whole)?;
        let ledger = ledger.ok_or_else(|| none(folder))?;
        go_to(&ledger.terms.folder)?;
        let words = std::iter::once("beyondnoise".to_owned()).chain(ledger.terms.args.clone());
        let shown = folder.display().to_string();
        let Some(first) = parse(words.collect()) else {
            let problem = "expected the command line of loop init in the ledger, found another";
            return Err(Error::file(&shown, problem, "begin another ledger"));
        };
        Ok(Self { shown, folder: whole, writer, ledger, first })
    }

    fn show(&self, question: Question, output: &Output) -> Result<Outcome, Error> {
        let report = LedgerReport::new(&self.ledger, &self.shown, question)?;
        write(&report, output)?;
        Ok(decided(report.decision, &report.decision_reason))
    }

    /// Measures a try until it is kept, rejected or undecided, and says so.
    fn attempt(
        &mut self,
        typed: &str,
        handed: Option<&[Vec<String>; 2]>,
        output: &Output,
    ) -> Result<Outcome, Error> {
        let (name, command) = match plan::named(typed) {
            Some((name, command)) => (name, Some(command)),
            None => (typed.to_owned(), None),
        };
        check_name(&name)?;
        if name == self.ledger.terms.base {
            let problem = format!("expected a new name, found {name}, the first base");
            return Err(Error::usage(problem, "give the try a name of its own"));
        }
        let state = self.ledger.state(&name);
        if let Some(done @ (State::Kept | State::Rejected | State::NotConfirmed)) = state {
            let word = match done {
                State::Kept => "kept",
                State::Rejected => "rejected",
                _ => "not confirmed",
            };
            let problem = format!("expected a new name, found {name}, a try that was {word}");
            return Err(Error::usage(problem, "give the try a name of its own"));
        }
        let question = Question::Try(&name);
        let before = LedgerReport::new(&self.ledger, &self.shown, question)?;
        if before.decision == Decision::Stale {
            return self.show(question, output);
        }
        if let (Some(State::Open), Some(_)) = (state, handed) {
            let problem = format!(
                "expected the runs of {name} to be made to the end, found others handed in"
            );
            return Err(Error::usage(problem, format!("go on: {}", self.again(&name))));
        }
        loop {
            let state = self.ledger.state(&name);
            let stage = match (state, self.ledger.of_try(&name).last()) {
                (Some(State::Open), Some(open)) => open.stage,
                (Some(State::Passed), _) => Stage::Confirm,
                _ => Stage::Screen,
            };
            let new = self.measurement((&name, command), stage)?;
            let done = match handed {
                Some(runs) => self.hand_in(new, runs).map(|()| true)?,
                None => self.make(new, output.quiet)?,
            };
            let passed = self.ledger.state(&name) == Some(State::Passed);
            if !done || handed.is_some() || !passed {
                return self.show(question, output);
            }
        }
    }

    /// Measures the first base against the present one, once, and says the gain.
    fn gain(
        &mut self,
        handed: Option<&[Vec<String>; 2]>,
        output: &Output,
    ) -> Result<Outcome, Error> {
        let done = self.ledger.final_comparison().is_some_and(|one| one.result.is_some());
        let terms = &self.ledger.terms;
        if done || self.ledger.base == terms.base {
            return self.show(Question::Gain, output);
        }
        if let Some(why) = self.ledger.change_of(&terms.base)? {
            let problem =
                format!("expected the first base {} as it was, found that {why}", terms.base);
            let remedy = "restore it: the gain is measured against it";
            return Err(Error::file(&self.shown, problem, remedy));
        }
        let before = LedgerReport::new(&self.ledger, &self.shown, Question::Gain)?;
        if before.decision != Decision::Stale {
            let name = self.ledger.base.clone();
            let new = self.measurement((&name, None), Stage::Final)?;
            match handed {
                Some(runs) => self.hand_in(new, runs)?,
                None => {
                    self.make(new, output.quiet)?;
                }
            }
        }
        self.show(Question::Gain, output)
    }

    fn again(&self, name: &str) -> String {
        format!("beyondnoise loop try {} {}", argument(&self.shown), argument(name))
    }

    /// The measurement in progress, or a new one.
    fn measurement(
        &self,
        (name, command): (&str, Option<&str>),
        stage: Stage,
    ) -> Result<Measurement, Error> {
        let ledger = &self.ledger;
        let mut of_it = ledger.measurements.iter().filter(|one| one.name == name);
        let open = of_it.clone().find(|one| one.stage == stage && one.result.is_none());
        let command = command.map(str::to_owned);
        if let Some(open) = open {
            return Ok(Measurement { command: command.or(open.command.clone()), ..open.clone() });
        }
        let before = of_it.next_back();
        let files = match before {
            Some(before) => before.files.clone(),
            None => tracked(&ledger.terms.track, Some(name))?,
        };
        Ok(Measurement {
            name: name.to_owned(),
            stage,
            base: if stage == Stage::Final { &ledger.terms.base } else { &ledger.base }.clone(),
            command: command.or_else(|| before?.command.clone()),
            level: (stage == Stage::Confirm).then(|| ledger.level()),
            files,
            result: None,
        })
    }

    /// The reason why the measured files are no longer the present ones.
    fn stale(&self, new: &Measurement) -> Result<Option<String>, Error> {
        let changes = [
            self.ledger.shared_change()?,
            self.ledger.change_of(&new.base)?,
            beyondnoise::ledger::changed(&new.files)?,
        ];
        let first = changes.into_iter().flatten().next();
        Ok(first.map(|why| format!("{why} while {} was measured", new.name)))
    }

    /// Adds the result of a measurement; it is stale if its files changed meanwhile.
    fn add(&mut self, new: Measurement, mut result: MeasurementResult) -> Result<(), Error> {
        if let Some(why) = self.stale(&new)? {
            result.decision = Decision::Stale;
            result.reason = why;
        }
        let done = Measurement { result: Some(result), ..new };
        self.writer.add(&mut self.ledger, Entry::Measured(Box::new(done)))
    }

    /// Makes the runs of a measurement; whether all are made.
    fn make(&mut self, new: Measurement, quiet: bool) -> Result<bool, Error> {
        let first = &self.first;
        let job = Job::new(&first.input, &[], &first.flags(), Settings::default())?;
        let (base_command, _) = self.ledger.build(&new.base);
        let pair = [(new.base.as_str(), base_command), (new.name.as_str(), new.command.as_deref())];
        let terms = &self.ledger.terms;
        let called = (terms.args.clone(), terms.folder.clone());
        let mut planned = plan::of_pair(&job.settings, pair, called)?;
        planned.confidence = new.level.map_or(terms.confidence, |level| 1.0 - level);
        if new.stage == Stage::Final {
            planned.looks = vec![terms.runs];
        }
        let folder = self.folder.join(self.place(&new));
        let opened = if self.is_open(&new) {
            match Journal::read(&folder)? {
                None => begin_again(&folder, planned)?,
                Some(_) => go_on(&folder, &planned, &job, &new)?,
            }
        } else {
            is_new(&folder, &new)?;
            self.writer.add(&mut self.ledger, Entry::Began(Box::new(new.clone())))?;
            begin_again(&folder, planned)?
        };
        let voice = Voice::new(quiet);
        let say: Say = Arc::new(move |said| voice.say(said));
        let judge = Folder { job: &job };
        let command = match new.stage {
            Stage::Final => format!("beyondnoise loop final {}", argument(&self.shown)),
            Stage::Screen | Stage::Confirm => self.again(&new.name),
        };
        let how = (&say, Resume { command, flag: None });
        let stop = Engine::new(&folder, opened, &judge, how)?.go_on()?;
        drop(say);
        if matches!(stop, Stop::ByHand | Stop::Budget) {
            return Ok(false);
        }
        let result = MeasurementResult::of(&judge.report(&folder)?, Vec::new());
        self.add(new, result)?;
        Ok(true)
    }

    /// The folder for a measurement's runs, below the ledger's folder.
    fn place(&self, new: &Measurement) -> PathBuf {
        let done = |one: &&Measurement| {
            (&one.name, one.stage) == (&new.name, new.stage) && one.result.is_some()
        };
        let number = self.ledger.measurements.iter().filter(done).count() + 1;
        let of_try = Path::new("tries").join(&new.name);
        match new.stage {
            Stage::Screen => of_try.join(format!("first-{number}")),
            Stage::Confirm => of_try.join("confirmation"),
            Stage::Final => Path::new("gain").join(format!("{}-{number}", new.name)),
        }
    }

    fn is_open(&self, new: &Measurement) -> bool {
        let mut all = self.ledger.measurements.iter();
        all.any(|one| one.result.is_none() && (&one.name, one.stage) == (&new.name, new.stage))
    }

    /// Judges runs that were made elsewhere.
    fn hand_in(
        &mut self,
        new: Measurement,
        [base, candidate]: &[Vec<String>; 2],
    ) -> Result<(), Error> {
        let first = &self.first;
        let job = Job::new(&first.input, &[], &first.flags(), Settings::default())?;
        let named = |name: &str, paths: &[String]| {
            paths.iter().map(|path| format!("{name}={path}")).collect::<Vec<_>>()
        };
        let inputs = [named(&new.base, base), named(&new.name, candidate)].concat();
        let loaded = load(&inputs, &job.options())?;
        if !loaded.made.is_empty() {
            let problem = "expected files of results, found a folder of runs with planned looks";
            return Err(Error::usage(
                problem,
                "let the loop make the runs, or hand in their results alone",
            ));
        }
        let mut handed: Vec<ResultFile> = Vec::new();
        for file in &loaded.results {
            let path = file.display().to_string();
            let bytes = fs::read(file).map_err(failed(&path, "read"))?;
            let hash = format!("{:032x}", xxh3_128(&bytes));
            let again =
                handed.iter().find(|other| other.hash == hash).map(|other| other.path.clone());
            let used = self.ledger.with_file(&hash).map(|one| format!("those of {}", one.name));
            if let Some(other) = again.or(used) {
                let problem = format!("expected fresh runs, found the same file as {other}");
                let remedy = "measure both builds again: runs that chose a try cannot confirm one";
                return Err(Error::file(&path, problem, remedy));
            }
            handed.push(ResultFile { path, hash });
        }
        let policy = job.policy_of(&loaded);
        let confidence = new.level.map_or(policy.confidence, |level| 1.0 - level);
        let (policy, base) = (Policy { confidence, ..policy }, Base::Label(new.base.clone()));
        let history = job.history_folder(&policy)?;
        let history = history.map(|folder| job.history(&folder, &loaded)).transpose()?;
        let report = analyse_with(&loaded.dataset, history.as_ref(), Some(&base), None, &policy)?;
        let judged = |headline| !matches!(headline, Headline::NoVerdict | Headline::NotComparable);
        if !report.comparisons.iter().any(|one| judged(one.headline)) {
            let problem =
                format!("expected runs that can be judged, found: {}", report.decision_reason);
            return Err(Error::usage(problem, "hand in others; nothing was added to the ledger"));
        }
        let result = MeasurementResult::of(&report, handed);
        self.add(new, result)
    }
}

/// Refuses runs that the ledger does not know.
fn is_new(folder: &Path, new: &Measurement) -> Result<(), Error> {
    if !folder.exists() {
        return Ok(());
    }
    let problem = format!(
        "expected no runs of {}, found some that the ledger says nothing about: it has lost lines",
        new.name
    );
    let remedy = "restore the ledger's file, or begin another ledger";
    Err(Error::file(&folder.display().to_string(), problem, remedy))
}

/// Begins the folder of a measurement, where at most an empty journal is there.
fn begin_again(
    folder: &Path,
    planned: beyondnoise::journal::Plan,
) -> Result<(RunsWriter, Journal), Error> {
    // Its plan was being written when the machine stopped.
    match fs::remove_file(folder.join(FILE_NAME)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(failed(&folder.display().to_string(), "write")(error));
        }
        _ => {}
    }
    begin(folder, planned)
}

/// Goes on with the runs of a measurement, by other commands where they were repaired.
fn go_on(
    folder: &Path,
    planned: &beyondnoise::journal::Plan,
    job: &Job,
    new: &Measurement,
) -> Result<(RunsWriter, Journal), Error> {
    let mut opened = resume(folder)?;
    let run = beyondnoise::policy::RunSettings::default();
    let bench = planned.variants.iter().find(|one| one.name == new.name);
    let commands: Vec<String> =
        bench.map(|one| format!("{}={}", one.name, one.bench)).into_iter().collect();
    let repaired = plan::repaired(&opened.1.plan, &run, &commands)?;
    if let Some(event) = repair(&opened.1, repaired, folder)? {
        opened.0.add(&event)?;
        opened.1.take(event);
    }
    opened.1.plan.budget_s = job.settings.run.budget.or(opened.1.plan.budget_s);
    Ok(opened)
}
