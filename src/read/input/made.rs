//! A folder of runs that the program made: its journal says which files are the results of which run.

use std::collections::BTreeMap;
use std::path::Path;

use crate::input::arguments::{FileRuns, Spec};
use crate::store::Store;
use beyondnoise_model::environment::facts;
use beyondnoise_model::error::Error;
use beyondnoise_model::format::argument;
use beyondnoise_model::journal::{
    ENVIRONMENT_FILE, FILE_NAME, FailedAttempt, Journal, Machine, Made,
};
use beyondnoise_model::runs::{Run, RunInfo, Session, Source, seconds};
use beyondnoise_model::sanitize::cleaned;

/// Levels of repeats where a run of the program holds several of a client.
const LEVELS: [&str; 2] = ["start", "iteration"];

/// The inputs in a folder with a journal: one per variant, with the files of the judged runs; `None` without a journal.
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

/// Seconds without an attempt after which a session ends.
const MAX_PAUSE: f64 = 6.0 * 3600.0;

/// Attempts of a folder on one machine, without a long pause.
struct Stretch<'a> {
    machine: Machine,
    /// Start of its first attempt, in seconds and as written; end of its last one.
    began: (f64, &'a str),
    ended: f64,
    /// The folder, and its runs.
    folder: usize,
    runs: Vec<&'a str>,
}

/// The session of each run of each folder.
///
/// A session is on one host without a restart, and ends where nothing was attempted for six hours. Where a journal does not
/// know its machine, the times alone decide. Folders that were made at the same time on the same machine share their session.
pub(crate) fn sessions(journals: &[Journal]) -> Vec<BTreeMap<String, Session>> {
    let folders = journals.iter().enumerate();
    let mut stretches: Vec<Stretch> =
        folders.flat_map(|(folder, journal)| stretches(folder, journal)).collect();
    stretches.sort_by(|a, b| a.began.0.total_cmp(&b.began.0));
    let mut sessions: Vec<Vec<Stretch>> = Vec::new();
    for stretch in stretches {
        let same = |session: &&mut Vec<Stretch>| {
            let ended = session.iter().map(|one| one.ended).fold(f64::NEG_INFINITY, f64::max);
            let machine = &session[0].machine;
            let alike = machine.is_unknown() == stretch.machine.is_unknown();
            alike && !machine.differs(&stretch.machine) && stretch.began.0 - ended <= MAX_PAUSE
        };
        match sessions.iter_mut().rev().find(same) {
            Some(session) => session.push(stretch),
            None => sessions.push(vec![stretch]),
        }
    }
    let mut of = vec![BTreeMap::new(); journals.len()];
    for (at, session) in sessions.into_iter().enumerate() {
        let known = Session { number: at + 1, began: cleaned(session[0].began.1) };
        for stretch in session {
            // A run that was attempted again was made in the last of its attempts.
            let runs = stretch.runs.into_iter().map(|run| (run.to_owned(), known.clone()));
            of[stretch.folder].extend(runs);
        }
    }
    of
}

fn stretches(folder: usize, journal: &Journal) -> Vec<Stretch<'_>> {
    let mut all: Vec<Stretch> = Vec::new();
    for attempt in &journal.begun {
        let Some(at) = seconds(&attempt.at) else { continue };
        let ended = at + attempt.seconds;
        let goes_on = |last: &&mut Stretch| {
            at - last.ended <= MAX_PAUSE && !attempt.machine.differs(&last.machine)
        };
        match all.last_mut().filter(goes_on) {
            Some(last) => {
                last.ended = last.ended.max(ended);
                last.runs.push(&attempt.run);
                if last.machine.is_unknown() {
                    last.machine.clone_from(&attempt.machine);
                }
            }
            None => all.push(Stretch {
                machine: attempt.machine.clone(),
                began: (at, &attempt.at),
                ended,
                folder,
                runs: vec![&attempt.run],
            }),
        }
    }
    all
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

/// Adds the journal's facts to the runs of each file; `of_journal` has the position of each input's journal.
pub(crate) fn note(
    specs: &[Spec],
    per_spec: &mut [Vec<FileRuns>],
    (journals, of_journal): (&[Journal], &[Option<usize>]),
    store: Store,
) {
    let sessions = sessions(journals);
    for ((spec, files), journal) in specs.iter().zip(per_spec).zip(of_journal) {
        let sessions = journal.map(|at| &sessions[at]);
        for (made, file) in spec.made.iter().zip(files) {
            let beside = Path::new(&spec.path).join(&made.run).join(ENVIRONMENT_FILE);
            let machine = store.read(&beside).ok().and_then(|bytes| facts(&bytes)).map(Box::new);
            for run in &mut file.runs {
                run.info.started = Some(made.at.clone());
                run.info.session = sessions.and_then(|of| of.get(&made.run)).cloned();
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

#[cfg(test)]
mod tests {
    use super::*;
    use beyondnoise_model::journal::Attempt;

    /// The hour of the start, the hours that it took, host and boot.
    type Begun<'a> = (f64, f64, Option<&'a str>, Option<&'a str>);

    /// A folder with these attempts.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "minutes of a few days"
    )]
    fn journal(attempts: &[Begun]) -> Journal {
        let attempt = |(at, &(hour, hours, host, boot)): (usize, &Begun)| {
            let minutes = (hour * 60.0).round() as u64;
            let (day, hour, minute) = (1 + minutes / 1440, minutes / 60 % 24, minutes % 60);
            Attempt {
                run: format!("{at}"),
                at: format!("2026-05-{day:02}T{hour:02}:{minute:02}:00.000Z"),
                seconds: hours * 3600.0,
                machine: Machine { host: host.map(str::to_owned), boot: boot.map(str::to_owned) },
            }
        };
        let mut journal = Journal::default();
        journal.begun = attempts.iter().enumerate().map(attempt).collect();
        journal
    }

    /// Numbers of the sessions of the runs, in the order of the runs.
    fn numbers(journals: &[Journal]) -> Vec<Vec<usize>> {
        let of = |sessions: BTreeMap<String, Session>| {
            sessions.into_values().map(|session| session.number).collect()
        };
        sessions(journals).into_iter().map(of).collect()
    }

    #[test]
    fn a_pause_of_six_hours_from_the_end_of_the_last_run_begins_a_session() {
        let (host, boot) = (Some("h"), Some("b"));
        let at = |hour, hours| (hour, hours, host, boot);
        // A run of seven hours is no pause; six hours exactly are none either.
        let folder = journal(&[at(0.0, 7.0), at(7.0, 1.0), at(14.0, 1.0), at(21.1, 0.0)]);
        assert_eq!(numbers(&[folder]), [[1, 1, 1, 2]]);
    }

    #[test]
    fn another_host_and_a_restart_begin_a_session() {
        let at = |hour, host, boot| (hour, 0.1, Some(host), Some(boot));
        let folder =
            journal(&[at(0.0, "h", "1"), at(1.0, "h", "2"), at(2.0, "i", "3"), at(3.0, "i", "3")]);
        assert_eq!(numbers(&[folder]), [[1, 2, 3, 3]]);
        // Two containers of one machine have one start, and names of their own.
        let folder = journal(&[at(0.0, "h", "1"), at(1.0, "i", "1")]);
        assert_eq!(numbers(&[folder]), [[1, 1]]);
        // Without the start, the host decides.
        let named = |hour, host| (hour, 0.1, Some(host), None);
        let folder = journal(&[named(0.0, "h"), named(1.0, "i")]);
        assert_eq!(numbers(&[folder]), [[1, 2]]);
        // Back on the first machine within six hours, its session goes on.
        let folder = journal(&[at(0.0, "h", "1"), at(1.0, "i", "2"), at(2.0, "h", "1")]);
        assert_eq!(numbers(&[folder]), [[1, 2, 1]]);
    }

    #[test]
    fn where_the_machine_is_unknown_the_times_alone_decide() {
        let old = |hour| (hour, 0.1, None, None);
        let new = |hour| (hour, 0.1, Some("h"), Some("1"));
        assert_eq!(numbers(&[journal(&[old(0.0), old(1.0), old(8.0)])]), [[1, 1, 2]]);
        // A folder begun by an earlier version and resumed by this one.
        assert_eq!(numbers(&[journal(&[old(0.0), new(1.0), new(8.0)])]), [[1, 1, 2]]);
    }

    #[test]
    fn folders_of_one_machine_and_time_share_their_session() {
        let at = |hour, boot| (hour, 0.1, Some("h"), Some(boot));
        let folders =
            [journal(&[at(0.0, "1"), at(9.0, "1")]), journal(&[at(2.0, "1"), at(10.0, "2")])];
        assert_eq!(numbers(&folders), [[1, 2], [1, 3]]);
    }
}
