//! Making the runs: their order, their processes, the state of the machine, and the looks at what was made.
//!
//! The [`engine`] makes one run after the other; an [`attempt`] at a run starts the processes, each held by a
//! [`keeper`]. All that happens is in the journal before the next step is taken.

pub(crate) mod attempt;
mod check;
mod child;
pub(crate) mod engine;
mod environment;
mod interrupts;
pub(crate) mod keeper;
mod log;
mod order;
pub(crate) mod plan;
mod processes;
mod programs;
mod ready;
mod results;
pub(crate) mod words;

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use beyondnoise::error::Error;
use beyondnoise::journal::{Event, Journal, Plan, VariantPlan, Writer};
use beyondnoise_model::format::counted;

/// File that every keeper of a process of the folder has locked.
const PROCESSES: &str = "processes.lock";

/// Words for a person while the runs are made.
#[derive(Clone, Copy)]
pub(crate) enum Said<'a> {
    /// A line that stays.
    Line(&'a str),
    /// The current activity.
    Going(&'a str),
}

/// Where they go, from any thread.
pub(crate) type Say = Arc<dyn Fn(Said) + Send + Sync>;

/// Begins a folder with a plan.
///
/// # Errors
///
/// If the folder is not empty, cannot be written, or has a path that a shell splits.
pub(crate) fn begin(folder: &Path, plan: Plan) -> Result<(Writer, Journal), Error> {
    let shown = folder.display().to_string();
    let failed = |source| Error::Io { path: shown.clone(), doing: "make", source };
    plan::check_path(&std::path::absolute(folder).map_err(failed)?)?;
    fs::create_dir_all(folder).map_err(failed)?;
    if let Some(journal) = Journal::read(folder)? {
        let made = journal.made.len();
        let problem = format!("expected an empty folder, found one with {made} runs");
        let remedy =
            format!("go on with beyondnoise run --resume {shown}, or give another folder to -o");
        return Err(Error::file(&shown, problem, &remedy));
    }
    if fs::read_dir(folder).map_err(failed)?.next().is_some() {
        let problem = "expected an empty folder, found other files in it";
        return Err(Error::file(&shown, problem, "give another folder to -o"));
    }
    let (mut writer, _) = Writer::open(folder)?;
    let mut journal = Journal::default();
    let event = Event::Plan(Box::new(plan));
    writer.add(&event)?;
    journal.take(event);
    Ok((writer, journal))
}

/// Opens a folder in which runs are to go on, after the end of what an interrupted program left running.
///
/// # Errors
///
/// If it has no journal, or somebody else makes runs in it.
pub(crate) fn resume(folder: &Path) -> Result<(Writer, Journal), Error> {
    let shown = folder.display().to_string();
    if Journal::read(folder)?.is_none() {
        let problem = "expected a folder in which runs were made, found no journal";
        return Err(Error::file(
            &shown,
            problem,
            "give the folder that -o named, or begin without --resume",
        ));
    }
    let (writer, journal) = Writer::open(folder)?;
    let Some(journal) = journal else {
        let problem = "expected a journal with a plan, found an empty one";
        return Err(Error::file(&shown, problem, "begin in another folder"));
    };
    // The keepers of an ended program end their processes.
    let lock = folder.join(PROCESSES);
    let failed = |source| Error::Io { path: lock.display().to_string(), doing: "lock", source };
    if let Ok(file) = File::options().read(true).write(true).open(&lock) {
        file.lock().map_err(failed)?;
    }
    for (group, since) in &journal.left {
        child::end_left(*group, *since);
    }
    Ok((writer, journal))
}

/// The event that replaces the commands of `variants`, which have no run; `None` without variants.
///
/// # Errors
///
/// If the old commands made a run of a variant.
pub(crate) fn repair(
    journal: &Journal,
    variants: Vec<VariantPlan>,
    folder: &Path,
) -> Result<Option<Event>, Error> {
    for variant in &variants {
        let name = &variant.name;
        let made = journal.made.iter().filter(|made| made.variant == *name).count();
        if made > 0 {
            let problem = format!(
                "expected the commands with which {} of {name} {} made, found others",
                counted(made, "run"),
                if made == 1 { "was" } else { "were" }
            );
            let remedy = "leave them as they are, or begin in another folder: all runs of a variant are made alike";
            return Err(Error::file(&folder.display().to_string(), problem, remedy));
        }
    }
    Ok((!variants.is_empty()).then_some(Event::Repaired { variants }))
}
