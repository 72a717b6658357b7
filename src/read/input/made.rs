//! A folder of runs that the program made: its journal says which files are the results of which run.

use std::path::Path;

use crate::environment::facts;
use crate::error::Error;
use crate::format::argument;
use crate::journal::{ENVIRONMENT_FILE, FILE_NAME, FailedAttempt, Journal, Made};
use crate::read::input::arguments::{FileRuns, Spec};
use crate::read::store::Store;
use crate::runs::{Run, RunInfo, Source};
use crate::sanitize::cleaned;

/// Levels of repeats where a run of the program holds several of a client.
const LEVELS: [&str; 2] = ["start", "iteration"];

/// The inputs that a folder stands for: one for each variant, with the files of the runs that are judged; `None` where
/// it has no journal.
///
/// # Errors
///
/// Those of the journal, and if there is no run or the folder was given a name.
pub(crate) fn specs(spec: &Spec, store: Store) -> Result<Option<(Vec<Spec>, Journal)>, Error> {
    let folder = Path::new(&spec.path);
    if !spec.folder {
        return Ok(None);
    }
    let Some(journal) = journal_of(folder, store)? else { return Ok(None) };
    let shown = spec.path.clone();
    let variants: Vec<&str> = journal.plan.variants.iter().map(|one| one.name.as_str()).collect();
    if let Some(name) = &spec.name {
        let problem = format!(
            "expected results of one variant for {name}, found the runs of {}",
            variants.join(", ")
        );
        return Err(Error::file(&shown, problem, "give the folder without a name"));
    }
    let (_, most) = journal.look();
    let mut specs = Vec::new();
    for variant in &variants {
        let runs = journal.counted().filter(|made| made.variant == **variant && made.round <= most);
        let files = runs.flat_map(|made| made.results.iter().map(move |file| (made, file)));
        let (made, files): (Vec<Made>, Vec<_>) =
            files.map(|(made, file)| (made.clone(), folder.join(&file.path))).unzip();
        if files.is_empty() {
            continue;
        }
        let (name, path) = (Some((*variant).to_owned()), shown.clone());
        specs.push(Spec { name, path, files, folder: true, named: true, file: false, made });
    }
    if specs.is_empty() {
        let remedy = format!("beyondnoise run --resume {}", argument(&shown));
        return Err(Error::file(&shown, "expected runs, found none yet", &remedy));
    }
    Ok(Some((specs, journal)))
}

/// The attempts of a journal in `folder` that count against their variants.
pub(crate) fn failed(journal: &Journal, folder: &str) -> Vec<Run> {
    let counted = journal.failed.iter().filter(|failed| failed.counts);
    let run = |failed: &FailedAttempt| {
        let path = Path::new(folder).join(&failed.run).display().to_string();
        let info = RunInfo {
            started: Some(failed.at.clone()),
            failure: Some(failed.why.clone()),
            ..RunInfo::default()
        };
        Run {
            variant: failed.variant.clone(),
            name: Some(cleaned(&failed.run)),
            source: Source { path: path.into(), position: failed.attempt, counts: "attempt" },
            info: info.into(),
            ..Run::default()
        }
    };
    counted.map(run).collect()
}

fn journal_of(folder: &Path, store: Store) -> Result<Option<Journal>, Error> {
    match store {
        Store::Disk => Journal::read(folder),
        Store::Memory(_) => {
            let path = folder.join(FILE_NAME);
            let lines = |bytes| Journal::of_lines(bytes, &path.display().to_string());
            store.held(&path).map_or(Ok(None), lines)
        }
    }
}

/// Gives the runs of each file what the journal knows of them.
pub(crate) fn note(specs: &[Spec], per_spec: &mut [Vec<FileRuns>], store: Store) {
    for (spec, files) in specs.iter().zip(per_spec) {
        for (made, file) in spec.made.iter().zip(files) {
            let beside = Path::new(&spec.path).join(&made.run).join(ENVIRONMENT_FILE);
            let machine = store.read(&beside).ok().and_then(|bytes| facts(&bytes)).map(Box::new);
            for run in &mut file.runs {
                run.info.started = Some(made.at.clone());
                run.info.machine.clone_from(&machine);
            }
            match &mut file.runs[..] {
                [only] => only.name = Some(cleaned(&made.run)),
                several => nest(several, &made.run),
            }
        }
    }
}

/// Several runs of one workload in one start are iterations of it.
fn nest(runs: &mut [Run], start: &str) {
    let alike = |run: &Run, other: &Run| run.workload == other.workload;
    let iterations: Vec<usize> = (0..runs.len())
        .map(|at| runs[..at].iter().filter(|earlier| alike(earlier, &runs[at])).count() + 1)
        .collect();
    if iterations.iter().all(|iteration| *iteration == 1) {
        for run in runs {
            run.name = Some(cleaned(start));
        }
        return;
    }
    for (run, iteration) in runs.iter_mut().zip(iterations) {
        let values = [cleaned(start), iteration.to_string()];
        run.info.levels = LEVELS.map(str::to_owned).into_iter().zip(values).collect();
    }
}
