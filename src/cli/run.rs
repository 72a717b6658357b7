//! `run`: makes the runs, alternately and each a fresh start, until it is decided.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use beyondnoise::analysis::{analyse_made, at_look_of, decided_by_time, stop};
use beyondnoise::error::Error;
use beyondnoise::job::{Source, leading_value};
use beyondnoise::journal::{Journal, Plan, Stop, TIME_FILE, Writer};
use beyondnoise::policy::Settings;
use beyondnoise::read::load;
use beyondnoise::report::Report;
use beyondnoise_model::format::argument;

use crate::cli::inputs::InputArgs;
use crate::cli::job::{Job, Outcome};
use crate::cli::judge::{GateArgs, gate};
use crate::cli::output::{Format, OutputArgs, Outputs, verdicts};
use crate::cli::progress::Voice;
use crate::cli::settings::{Named, SettingFlags};
use crate::experiment::attempt::Judge;
use crate::experiment::engine::{Engine, Resume};
use crate::experiment::words::described;
use crate::experiment::{Say, begin, plan, repair, resume};

/// Common calls, below the help.
const EXAMPLES: &str = "\
Examples:
  beyondnoise run main='./old --size 9' pr='./new --size 9'  # times two commands
  beyondnoise run --effect 2% --budget 90min --ready http://localhost:8000/health \\
      --serve main='vllm serve M' --serve pr='~/pr/bin/vllm serve M' \\
      --bench 'vllm bench serve --model M --save-result --result-filename {out}'
  beyondnoise run --resume runs/ --require improved";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("inputs", |arg| arg.required(false).value_name("NAME=COMMAND").help(
    "A variant with the command that makes a run of it; timed, unless it writes its result to {out}"
)))]
#[command(mut_arg("lenient", |arg| arg.hide(true)))]
#[command(mut_args(not_to_resume))]
pub(super) struct RunArgs {
    #[command(flatten)]
    settings: SettingFlags<Self>,

    #[command(flatten)]
    input: InputArgs,

    /// Folder for the runs, their logs and the journal
    #[arg(short = 'o', long = "output", id = "folder", value_name = "DIR", default_value = "runs")]
    folder: PathBuf,

    /// Go on with the runs of a folder: the same plan and looks; --budget gives more time, --bench, --serve, ... replace
    /// commands of variants without runs
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,

    /// Print the plan, and make no run
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    gate: GateArgs,

    #[command(flatten)]
    output: OutputArgs<Self>,
}

/// Flags that `--resume` takes beside the folder; all else is in the plan.
const TO_RESUME: [&str; 18] = [
    "resume", "dry_run", "gate", "require", "budget", "format", "verbose", "quiet", "plot",
    "color", "help", "inputs", "bench", "serve", "ready", "before", "after", "version",
];

/// Lets clap refuse with `--resume` what belongs to the first call.
fn not_to_resume(arg: clap::Arg) -> clap::Arg {
    let known = TO_RESUME.contains(&arg.get_id().as_str());
    if known { arg } else { arg.conflicts_with("resume") }
}

impl Named for RunArgs {
    const NAME: &'static str = "run";
}

impl Outputs for RunArgs {
    const FORMATS: &'static [Format] = &Format::OF_VERDICTS;
    const FLAGS: &'static [&'static str] = &["verbose", "quiet", "plot", "color"];
    const TO_FILES: bool = false;
}

/// Makes the runs of a call, or those that are left of the call whose words `parse` reads again.
pub(super) fn run(
    args: &RunArgs,
    parse: impl Fn(Vec<String>) -> Option<RunArgs>,
) -> Result<Outcome, Error> {
    args.output.check()?;
    let Some(folder) = &args.resume else {
        let job = Job::new(&args.input, &[], args.settings.given(), Settings::default())?;
        let here = std::env::current_dir().map_err(|source| Error::Io {
            path: "the working folder".to_owned(),
            doing: "find",
            source,
        })?;
        let words = std::env::args_os().skip(1).map(std::ffi::OsString::into_string);
        let words = words.collect::<Result<Vec<String>, _>>().map_err(|word| {
            Error::usage(
                format!(
                    "expected a command line in UTF-8, which the journal keeps, found {}",
                    word.display()
                ),
                "name files and folders in UTF-8",
            )
        })?;
        let plan = plan::plan(&job.settings, &args.input.inputs, (words, here))?;
        refuse_unmeasured(&plan, &job.settings)?;
        if args.dry_run {
            crate::cli::output::print(described(&plan).as_bytes())?;
            return Ok(Outcome::Clean);
        }
        let opened = begin(&args.folder, plan)?;
        return make(args, &job, &args.folder, opened);
    };
    let folder = folder.canonicalize().map_err(|source| Error::Io {
        path: folder.display().to_string(),
        doing: "find",
        source,
    })?;
    let mut opened = resume(&folder)?;
    let (folder, words) = as_called(&folder, &opened.1.plan)?;
    let program = std::iter::once("beyondnoise".to_owned());
    let Some(first) = parse(program.chain(words).collect()) else {
        let problem = "expected the command line of a run in the journal, found another";
        return Err(Error::file(&folder.display().to_string(), problem, "begin in another folder"));
    };
    let flags = first.settings.given().and(args.settings.given());
    let job = Job::new(&first.input, &[], &flags, Settings::default())?;
    let given = args.settings.given().over(Settings::default()).run;
    let repaired = plan::repaired(&opened.1.plan, &given, &args.input.inputs)?;
    if let Some(event) = repair(&opened.1, repaired, &folder)? {
        if !args.dry_run {
            opened.0.add(&event)?;
        }
        opened.1.take(event);
    }
    if args.dry_run {
        crate::cli::output::print(described(&opened.1.plan).as_bytes())?;
        return Ok(Outcome::Clean);
    }
    opened.1.plan.budget_s = given.budget.or(opened.1.plan.budget_s);
    make(args, &job, &folder, opened)
}

/// Metrics of timed commands.
const TIMED: [&str; 4] = ["wall_time_s", "user_time_s", "system_time_s", "memory_bytes"];

/// Refuses metrics that timed commands do not have, before the first run.
fn refuse_unmeasured(plan: &Plan, settings: &Settings) -> Result<(), Error> {
    let chosen = &settings.policy.selected;
    let timed = plan.variants.iter().all(|variant| !plan::writes_a_file(&variant.bench));
    if !timed || chosen.is_empty() || chosen.iter().any(|one| TIMED.contains(&&*one.name)) {
        return Ok(());
    }
    let variant = plan.variants.first().map_or("NAME", |variant| &variant.name);
    Err(Error::usage(
        format!(
            "expected a metric of timed commands ({}), found \"{}\"",
            TIMED.join(", "),
            chosen[0].name
        ),
        format!(
            "to judge what the commands print, let them write it: {variant}='COMMAND > {{out}}'"
        ),
    ))
}

/// Goes to the folder of the first call; the folder of the runs as that call named it, and its words.
fn as_called(folder: &Path, plan: &Plan) -> Result<(PathBuf, Vec<String>), Error> {
    std::env::set_current_dir(&plan.folder).map_err(|source| Error::Io {
        path: plan.folder.display().to_string(),
        doing: "go to",
        source,
    })?;
    let named = |at: usize| plan.args.get(at + 1).map(PathBuf::from);
    let flags = plan.args.iter().position(|word| word == "-o" || word == "--output");
    let named = flags.and_then(named).unwrap_or_else(|| PathBuf::from("runs"));
    let same = named.canonicalize().is_ok_and(|named| named == folder);
    Ok((if same { named } else { folder.to_owned() }, plan.args.clone()))
}

/// Makes the runs that are left, and prints the verdict.
fn make(
    args: &RunArgs,
    job: &Job,
    folder: &Path,
    (writer, journal): (Writer, Journal),
) -> Result<Outcome, Error> {
    let judge = Folder { job };
    let voice = Voice::new(args.output.quiet);
    let say: Say = Arc::new(move |said| voice.say(said));
    let shown = argument(&folder.display().to_string());
    let command = format!("beyondnoise run --resume {shown}");
    let how = (&say, Resume { command, flag: Some("--bench") });
    Engine::new(folder, (writer, journal), &judge, how)?.go_on()?;
    drop(say);
    let mut report = judge.report(folder)?;
    report.called_by(&["compare".to_owned(), folder.display().to_string()]);
    args.output.write(|format, options| verdicts(&report, format, options))?;
    Ok(gate(&args.gate, args.settings.given(), &report))
}

/// The folder of runs, judged by the settings of the call.
pub(super) struct Folder<'a> {
    pub(super) job: &'a Job<'a>,
}

impl Judge for Folder<'_> {
    fn report(&self, folder: &Path) -> Result<Report, Error> {
        let shown = folder.display().to_string();
        let loaded = load(std::slice::from_ref(&shown), &self.job.options_of_comparison())?;
        let Some(journal) = loaded.made.first() else {
            let problem = "expected the journal of the runs, found none";
            return Err(Error::file(&shown, problem, "begin in another folder"));
        };
        let history = self.job.history_folder(&self.job.settings.policy)?;
        let history = history.map(|folder| self.job.history(&folder, &loaded)).transpose()?;
        let base = self.job.baseline_in(&loaded.dataset);
        let policy = at_look_of(journal, self.job.settings.policy.clone());
        let data = (&loaded.dataset, history.as_ref());
        analyse_made(data, (journal, &shown), base.as_ref(), &policy)
    }

    fn stop(&self, report: &Report, plan: &Plan, number: usize) -> Option<Stop> {
        stop(report, &plan.looks, number, plan.confidence)
    }

    fn value(&self, files: &[PathBuf]) -> Result<(String, Vec<PathBuf>), Error> {
        let paths: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        let loaded = load(&paths, &self.job.options())?;
        let read = loaded.dataset.inputs.iter().filter(|input| input.runs > 0);
        let read = read.map(|input| PathBuf::from(&input.path)).collect();
        let timed = files.iter().all(|file| file.ends_with(TIME_FILE));
        let policy = if timed {
            decided_by_time(self.job.settings.policy.clone())
        } else {
            self.job.settings.policy.clone()
        };
        Ok((leading_value(&loaded.dataset, &policy).unwrap_or_default(), read))
    }
}
