//! How the runs were made, where the program made them: for the report, and for the pull request.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::format::{counted, list};
use crate::journal::{FailedAttempt, Journal, LookMade, Stop};

/// Runs up to which their order is written out.
const WRITTEN_OUT: usize = 24;

/// How the program made the runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct MadeRow {
    /// The folder with the journal and all files, as it was given.
    pub folder: String,
    /// The variants with their commands.
    pub variants: Vec<MadeVariant>,
    /// The variant of each run that was made, in order; discarded runs are left out.
    pub order: Vec<String>,
    /// Discarded runs before the first.
    pub discarded: usize,
    /// Attempts that failed, in their order.
    pub failed: Vec<FailedAttempt>,
    /// Seed of the order.
    pub seed: u64,
    /// Whether a server was kept from one run of its variant to the next.
    pub kept_server: bool,
    /// Runs of each variant at the planned looks.
    #[schemars(inner(range(min = 2)))]
    pub planned: Vec<usize>,
    /// The looks that were made.
    pub looks: Vec<LookMade>,
    /// Why no more runs are made; null where they go on.
    pub stops: Option<Stop>,
}

/// A variant with its commands.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct MadeVariant {
    /// Its label.
    pub name: String,
    /// The command of its server; null without one.
    pub serve: Option<String>,
    /// The command that makes a run.
    pub bench: String,
}

impl MadeRow {
    /// The part of a journal that a report shows.
    pub(crate) fn new(journal: &Journal, folder: &str) -> Self {
        let plan = &journal.plan;
        let variants = plan.variants.iter().map(|variant| MadeVariant {
            name: variant.name.clone(),
            serve: variant.serve.clone(),
            bench: variant.bench.clone(),
        });
        Self {
            folder: folder.to_owned(),
            variants: variants.collect(),
            order: journal.counted().map(|made| made.variant.clone()).collect(),
            discarded: journal.made.len() - journal.counted().count(),
            failed: journal.failed.clone(),
            seed: plan.seed,
            kept_server: plan.keep_server,
            planned: plan.looks.clone(),
            looks: journal.looks.clone(),
            stops: journal.ended,
        }
    }

    /// Two lines for a pull request: how the runs were made and where they are.
    pub(crate) fn lines(&self) -> [String; 2] {
        let names: Vec<String> = self.variants.iter().map(|variant| variant.name.clone()).collect();
        let each: BTreeSet<usize> = names.iter().map(|name| self.runs_of(name)).collect();
        let runs = if each.len() == 1 {
            let each = each.first().copied().unwrap_or_default();
            format!("{} of each of {}", counted(each, "run"), list(&names))
        } else {
            let each = names.iter().map(|name| format!("{} of {name}", self.runs_of(name)));
            format!("runs: {}", list(&each.collect::<Vec<_>>()))
        };
        let fresh =
            match (self.variants.iter().any(|variant| variant.serve.is_some()), self.kept_server) {
                (true, false) => ", a fresh server for each",
                (true, true) => ", on servers that were kept running",
                (false, _) => ", alternately",
            };
        let looks = list(&self.planned.iter().map(usize::to_string).collect::<Vec<_>>());
        let last = self.looks.last().map_or(0, |look| look.runs);
        let planned = if self.planned.len() == 1 { "one look" } else { "looks" };
        let made = format!(
            "Made by `beyondnoise run`: {runs}{fresh}{}; {planned} planned after {looks} of each, {}{}.",
            self.in_order(&names),
            stopped(self.stops, last),
            self.failures(&names)
        );
        let raw = format!(
            "Raw files: `{}` (results, logs, the state of the machine and a journal of all commands).",
            self.folder.replace('`', "'")
        );
        [made, raw]
    }

    fn runs_of(&self, name: &str) -> usize {
        self.order.iter().filter(|variant| *variant == name).count()
    }

    /// The attempts that failed, by variant: `; 3 attempts failed (main 0, pr 3)`.
    fn failures(&self, names: &[String]) -> String {
        if self.failed.is_empty() {
            return String::new();
        }
        let of =
            |name: &String| self.failed.iter().filter(|failed| failed.variant == *name).count();
        let each: Vec<String> = names.iter().map(|name| format!("{name} {}", of(name))).collect();
        format!("; {} failed ({})", counted(self.failed.len(), "attempt"), each.join(", "))
    }

    /// The order in letters.
    fn in_order(&self, names: &[String]) -> String {
        let letter = |name: &String| {
            let at = names.iter().position(|known| known == name).unwrap_or_default();
            char::from(b'A'.saturating_add(u8::try_from(at).unwrap_or(u8::MAX))).to_string()
        };
        if self.order.len() > WRITTEN_OUT || names.len() > 26 {
            return format!(", in an order drawn with seed {}", self.seed);
        }
        let letters: Vec<String> = self.order.iter().map(letter).collect();
        let legend: Vec<String> =
            names.iter().map(|name| format!("{} = {name}", letter(name))).collect();
        format!(", in the order `{}` ({})", letters.join(" "), legend.join(", "))
    }
}

/// Why the looks ended.
fn stopped(stops: Option<Stop>, runs: usize) -> String {
    let after = match runs {
        0 => "before the first look".to_owned(),
        runs => format!("after {runs}"),
    };
    match stops {
        None => format!("the last so far {after}"),
        Some(Stop::Change) => format!("stopped {after}, when a change was shown"),
        Some(Stop::NoChange) => {
            format!("stopped {after}, when any change was shown to be smaller than the margin")
        }
        Some(Stop::NoHope) => {
            format!("stopped {after}, when the runs left were unlikely to decide it")
        }
        Some(Stop::NotComparable) => {
            format!("stopped {after}, since the variants cannot be compared")
        }
        Some(Stop::AllRuns) => format!("all made, the last {after}"),
        Some(Stop::Budget) => format!("ended {after} with the time that was given"),
        Some(Stop::ByHand) => format!("stopped by hand {after}"),
    }
}
