//! The loop: a run after the other, a look when one is due, until it is decided.

use std::path::Path;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use beyondnoise::error::Error;
use beyondnoise::journal::{Event, Journal, Stop, Writer};
use beyondnoise_model::format::{argument, counted, shortened};

use crate::experiment::attempt::{Bench, Failure, Judge, Which};
use crate::experiment::interrupts::Interrupts;
use crate::experiment::order::Order;
use crate::experiment::plan::up_to;
use crate::experiment::words::{decided, described, numbers, said, time, times, why};
use crate::experiment::{Said, Say};

/// Between two attempts at a run.
const PAUSE: Duration = Duration::from_secs(1);

/// Longest verdicts in a line, in columns.
const MAX_SAID: usize = 300;

/// Fewest runs of each variant that have an interval.
const FEWEST: usize = 2;

/// The runs of a folder, being made.
pub(crate) struct Engine<'a> {
    bench: Bench<'a>,
    judge: &'a dyn Judge,
    say: Say,
    resume: Resume,
}

/// How to go on after a failure.
pub(crate) struct Resume {
    pub(crate) command: String,
    /// The flag before which another command of a variant is given; `None` where it is an argument.
    pub(crate) flag: Option<&'static str>,
}

impl<'a> Engine<'a> {
    /// Goes on with the runs of `folder`, whose journal is open.
    pub(crate) fn new(
        folder: &Path,
        (writer, journal): (Writer, Journal),
        judge: &'a dyn Judge,
        (say, resume): (&Say, Resume),
    ) -> Result<Self, Error> {
        let interrupts = Interrupts::listen(Arc::clone(say))?;
        let bench = Bench::new(folder, (writer, journal), judge, interrupts)?;
        Ok(Self { bench, judge, say: Arc::clone(say), resume })
    }

    fn line(&self, text: &str) {
        (self.say)(Said::Line(text));
    }

    /// Makes the runs that are left, and says why no more are made.
    ///
    /// # Errors
    ///
    /// If a run fails as often as it may, the journal cannot be written, or the results cannot be judged.
    pub(crate) fn go_on(&mut self) -> Result<Stop, Error> {
        let stop = self.runs();
        self.bench.end_servers();
        let stop = stop?;
        if self.bench.journal.ended != Some(stop) {
            self.bench.add(Event::Ended { stops: stop })?;
        }
        Ok(stop)
    }

    fn runs(&mut self) -> Result<Stop, Error> {
        let plan = self.bench.journal.plan.clone();
        let made = self.bench.journal.made.len();
        let decided = self.bench.journal.looks.last().and_then(|look| look.stops);
        if let Some(stop) = decided {
            self.line(&format!("{} made, nothing left to do: {}", counted(made, "run"), why(stop)));
            return Ok(stop);
        }
        let begin = if made == 0 {
            described(&plan)
        } else {
            format!("going on after {}", counted(made, "run"))
        };
        self.line(begin.trim_end());
        match self.bench.ask_programs() {
            Ok(()) => {}
            Err(Failure::Fatal(error)) => return Err(error),
            Err(_) => return Ok(Stop::ByHand),
        }
        for index in 0..plan.warmup {
            let variant = index % plan.variants.len();
            let run = format!("warmup-{}-{}", index + 1, plan.variants[variant].name);
            if let Some(stop) = self.make(&Which { run, variant, round: 0 })? {
                return Ok(stop);
            }
        }
        let width = 3;
        for (index, (variant, round)) in Order::new(plan.variants.len(), plan.seed).enumerate() {
            if let Some(stop) = self.look()? {
                return Ok(stop);
            }
            let run = format!("{:0width$}-{}", index + 1, plan.variants[variant].name);
            if let Some(stop) = self.make(&Which { run, variant, round })? {
                return Ok(stop);
            }
            if let Some(stop) = self.fix_looks()? {
                return Ok(stop);
            }
        }
        Ok(Stop::AllRuns)
    }

    /// Makes a run that is not made yet, in as many attempts as it may take.
    fn make(&mut self, which: &Which) -> Result<Option<Stop>, Error> {
        if self.bench.journal.made.iter().any(|made| made.run == which.run) {
            return Ok(None);
        }
        let mut before = String::new();
        for attempt in 1.. {
            if self.bench.interrupts.asked() {
                return Ok(Some(Stop::ByHand));
            }
            if self.is_over_budget() {
                return Ok(Some(Stop::Budget));
            }
            (self.say)(Said::Going(&self.place(which)));
            let failure = match self.bench.attempt(which) {
                Ok(value) => {
                    self.line(&self.made_line(which, &value));
                    return Ok(None);
                }
                Err(failure) => failure,
            };
            let (place, tries) = (self.place(which), self.bench.journal.plan.tries);
            let why = match failure {
                Failure::Stopped => {
                    self.line(&format!("{place}: stopped, and not counted"));
                    return Ok(Some(Stop::ByHand));
                }
                Failure::Fatal(error) => return Err(error),
                Failure::Again(why) => why,
            };
            let attempts = self.bench.journal.attempts.get(&which.run).copied().unwrap_or(attempt);
            self.bench.add(Event::Failed {
                run: which.run.clone(),
                attempt: attempts,
                why: why.clone(),
            })?;
            let said = if why == before { "the same again" } else { &why };
            self.line(&format!("{place} failed, attempt {attempt} of {tries}: {said}"));
            before = why;
            if attempt == tries {
                let name = &self.bench.journal.plan.variants[which.variant].name;
                let remedy = if self.bench.journal.made.iter().any(|made| made.variant == *name) {
                    format!("fix it, then: {}", self.resume.command)
                } else {
                    let name = argument(name);
                    let flag = self.resume.flag.map_or(String::new(), |flag| format!("{flag} "));
                    format!(
                        "fix it, then: {}; add {flag}{name}='...' to give another command",
                        self.resume.command
                    )
                };
                return Err(Error::usage(
                    format!("{place} failed {}; the runs made before are kept", times(tries)),
                    remedy,
                ));
            }
            self.pause();
        }
        Ok(None)
    }

    /// A port, a GPU or a file may still be freed.
    fn pause(&self) {
        let until = Instant::now() + PAUSE;
        while Instant::now() < until && !self.bench.interrupts.asked() {
            sleep(Duration::from_millis(20));
        }
    }

    /// A run as the lines call it.
    fn place(&self, which: &Which) -> String {
        let name = &self.bench.journal.plan.variants[which.variant].name;
        if which.round == 0 {
            return format!("discarded run of {name}");
        }
        let number = number(which);
        let plan = &self.bench.journal.plan;
        let most = plan.looks.last().copied().unwrap_or_default() * plan.variants.len();
        let most = if self.bench.journal.looks_fixed {
            format!(" of at most {most}")
        } else {
            String::new()
        };
        format!("run {number}{most}: {name}")
    }

    fn made_line(&self, which: &Which, value: &str) -> String {
        let seconds = self.bench.journal.made.last().map_or(0.0, |made| made.seconds);
        format!("{}, {value}, took {}", self.place(which), time(seconds))
    }

    /// Seconds of all runs that were made.
    fn spent(&self) -> f64 {
        self.bench.journal.made.iter().map(|made| made.seconds).sum()
    }

    /// Mean seconds of a run that counts.
    fn mean_seconds(&self) -> f64 {
        let seconds: Vec<f64> = self.bench.journal.counted().map(|made| made.seconds).collect();
        seconds.iter().sum::<f64>() / seconds.len().max(1) as f64
    }

    /// Whether the next run would end after the time that was given.
    fn is_over_budget(&self) -> bool {
        let budget = self.bench.journal.plan.budget_s.filter(|_| self.bench.journal.looks_fixed);
        budget.is_some_and(|budget| self.spent() + self.mean_seconds() > budget * 1.02)
    }

    /// Fixes the looks after the first run of each variant, if a budget limits their number.
    fn fix_looks(&mut self) -> Result<Option<Stop>, Error> {
        let journal = &self.bench.journal;
        let plan = &journal.plan;
        let Some(budget) = plan.budget_s.filter(|_| !journal.looks_fixed && journal.complete() > 0)
        else {
            return Ok(None);
        };
        let seconds = self.mean_seconds();
        let warmup = self.spent() - seconds * journal.counted().count() as f64;
        let planned = plan.looks.last().copied().unwrap_or_default();
        let of_all = seconds * plan.variants.len() as f64;
        let each =
            (1..=planned).take_while(|each| warmup + *each as f64 * of_all <= budget).count();
        let cost = time(seconds);
        if each < FEWEST {
            let enough = time(warmup + of_all * FEWEST as f64);
            self.line(&format!(
                "a run takes {cost}: the budget is too small for {FEWEST} runs of each (they take {enough})"
            ));
            return Ok(Some(Stop::Budget));
        }
        let looks = if each >= planned { plan.looks.clone() } else { up_to(&plan.looks, each) };
        let most = looks.last().copied().unwrap_or_default();
        self.line(&format!(
            "a run takes {cost}: {} of each at most within the budget, looks after {}",
            counted(most, "run"),
            numbers(&looks)
        ));
        self.bench.add(Event::Looks { looks, seconds })?;
        Ok(None)
    }

    /// Looks at the runs, if a look is due, and says whether it is the last.
    fn look(&mut self) -> Result<Option<Stop>, Error> {
        let journal = &self.bench.journal;
        let (number, runs) = journal.look();
        let looked = journal.looks.last().map_or(0, |look| look.runs);
        if runs > journal.complete() || runs <= looked {
            return Ok(None);
        }
        let plan = journal.plan.clone();
        let report = self.judge.report(self.bench.folder())?;
        let said = said(&report);
        let decided = decided(&report);
        let last = number == plan.looks.len();
        let stops = self.judge.stop(&report, &plan, number).or(last.then_some(Stop::AllRuns));
        self.bench.add(Event::Look { runs, said: said.clone(), stops })?;
        let left = (plan.looks.last().copied().unwrap_or(runs) - runs) * plan.variants.len();
        // One that is clear early is judged again at the last look: it is not said before.
        let (said, then) = match stops {
            Some(stop) => (shortened(&said, MAX_SAID), format!("ends: {}", why(stop))),
            None => (
                decided,
                format!("goes on, at most {} left", time(self.mean_seconds() * left as f64)),
            ),
        };
        let sides = vec![runs.to_string(); plan.variants.len()].join(" + ");
        self.line(&format!("look {number} of {} after {sides}: {said}; {then}", plan.looks.len()));
        Ok(stops)
    }
}

/// Number of a run in the order.
fn number(which: &Which) -> usize {
    which.run.split('-').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}
