//! Version and commit of the program of each variant, asked once before the runs.

use std::path::Path;
use std::time::{Duration, Instant};

use beyondnoise::environment::Program;
use beyondnoise::error::Error;
use beyondnoise::journal::{Event, VariantPlan};

use crate::experiment::attempt::{Bench, Failure, GRACE, LOG};
use crate::experiment::child::{Child, Request, Waited};
use crate::experiment::environment::commit;
use crate::experiment::log::last_lines;
use crate::experiment::plan::Values;
use crate::experiment::words::time;

/// Longest time for a program to print its version.
const PATIENCE: Duration = Duration::from_mins(5);

/// Lines of a log that an error shows.
const LINES: usize = 4;

impl Bench<'_> {
    /// Asks the program of each variant.
    pub(super) fn ask_programs(&mut self) -> Result<(), Failure> {
        let plan = self.journal.plan.clone();
        let mut programs = Vec::new();
        for variant in plan.variants {
            let version = match &variant.version {
                Some(command) => Some(self.version(&variant, command)?),
                None => None,
            };
            let commit = commit(&variant.folder);
            programs.push(Program { variant: Some(variant), version, commit });
        }
        self.programs = programs;
        Ok(())
    }

    /// The line that a command prints: the last of standard output, or else the first of standard error.
    fn version(&mut self, variant: &VariantPlan, command: &str) -> Result<String, Failure> {
        let name = &variant.name;
        let folder = self.lock.parent().map(Path::to_owned).unwrap_or_default();
        let log = |stream: &str| folder.join(format!("version-{name}.{stream}.{LOG}"));
        let (out, err) = (log("out"), log("err"));
        for old in [&out, &err] {
            // There may be none.
            let _ = std::fs::remove_file(old);
        }
        let plan = &self.journal.plan;
        let values =
            Values { folder: &folder, round: 0, variant: name, port: plan.port, seed: plan.seed };
        let request = Request {
            command: values.fill(command),
            folder: variant.folder.clone(),
            env: variant.env.clone(),
            stdout: out.clone(),
            stderr: err.clone(),
            lock: Some(self.lock.clone()),
            grace: GRACE,
        };
        let mut child = Child::start(&request)?;
        let (group, since) = (child.group(), child.since());
        self.add(Event::Process { run: String::new(), role: "version".to_owned(), group, since })?;
        let interrupts = self.interrupts.clone();
        let failed = match child.wait(Some(Instant::now() + PATIENCE), &|| interrupts.now()) {
            Waited::Ended(ended) if ended.is_success() => {
                let first = || last_lines(&err, usize::MAX).into_iter().next();
                let said = last_lines(&out, 1).pop().or_else(first);
                return said.ok_or_else(|| wrong(name, "printed nothing", &[]));
            }
            Waited::Ended(ended) => ended.words(),
            Waited::TimedOut => format!("took longer than {}", time(PATIENCE.as_secs_f64())),
            Waited::Stopped => return Err(Failure::Stopped),
        };
        Err(wrong(name, &failed, &last_lines(&err, LINES)))
    }
}

fn wrong(name: &str, what: &str, lines: &[String]) -> Failure {
    let said = lines.iter().map(|line| format!("\n  {line}"));
    let problem = format!("the version command of {name} {what}{}", said.collect::<String>());
    Failure::Fatal(Error::usage(problem, "correct --version-of, or leave it out"))
}
