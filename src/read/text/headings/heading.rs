//! One heading of a note.

use beyondnoise_model::runs::{Claim, LabelHint, Run, label_hint};

/// Levels of headings that are no markdown headings (those have 1 to 6), the firmest first.
pub(crate) const BOLD: u8 = 7;

/// A line that ends with a colon.
pub(crate) const COLON: u8 = 8;

/// A short line alone above a block.
pub(crate) const PLAIN: u8 = 9;

/// Added to the level of a short line below another one.
pub(crate) const INNER: u8 = 1;

/// Any of these inside a fence, where a log may hold lines that look like it.
pub(crate) const FENCED: u8 = 11;

/// A line that only counts repeats: `run 2`.
pub(crate) const COUNT: u8 = 13;

/// Longest line that may be a heading, in characters; without a colon half of it.
pub(crate) const MAX_HEADING_CHARS: usize = 80;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    pub(crate) level: u8,
    pub(crate) label: String,
    /// The label with a bracket that may be a part of the name, not a claim: `after (50%)`.
    pub(crate) full: Option<String>,
    pub(crate) line: usize,
    pub(crate) standing: Standing,
    /// A short line with neither mark nor fence.
    pub(crate) bare: bool,
    /// Whether other text is directly above it.
    pub(crate) joined: bool,
}

impl Heading {
    /// A heading that is surely one.
    pub(crate) fn firm(level: u8, label: String, line: usize) -> Self {
        let standing = Standing::Firm;
        Self { level, label, full: None, line, standing, bare: false, joined: false }
    }
}

/// How surely a line is a heading of the blocks that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Firm,
    /// A line that is a heading only if a block follows before other text does.
    Pending,
    /// Other text followed; a heading only where nothing else names the blocks.
    Stale,
}

/// A part of a text with the headings above it, the outermost first.
pub(crate) struct Block {
    pub(crate) run: Run,
    /// The runs of a part that holds several; `run` then stands for all of them.
    pub(crate) runs: Vec<Run>,
    pub(crate) headings: Vec<Heading>,
    /// Line and words of the first text below the block above, if no heading is between.
    pub(crate) unread: Option<(usize, String)>,
}

/// Adds the metrics of another part of a run, with their units and claims.
pub(crate) fn add_metrics(known: &mut Run, part: &Run) {
    for (metric, value) in &part.metrics {
        known.metrics.insert(metric.to_owned(), *value);
    }
    if !part.units.is_empty() {
        known.units.extend((*part.units).clone());
    }
    known.info.claims.extend(part.info.claims.iter().cloned());
}

impl Block {
    /// The claims of the run that text below the part speaks of.
    pub(crate) fn claims(&mut self) -> &mut Vec<Claim> {
        let changed = |run: &Run| label_hint(&run.variant) != LabelHint::Baseline;
        let last = self.runs.len().saturating_sub(1);
        let at = self.runs.iter().rposition(changed).unwrap_or(last);
        &mut self.runs.get_mut(at).unwrap_or(&mut self.run).info.claims
    }

    /// The run of a part that holds one.
    fn only_run(&self) -> Option<&Run> {
        match &self.runs[..] {
            [] => Some(&self.run),
            [only] => Some(only),
            _ => None,
        }
    }

    fn only_run_mut(&mut self) -> Option<&mut Run> {
        match &mut self.runs[..] {
            [] => Some(&mut self.run),
            [only] => Some(only),
            _ => None,
        }
    }

    /// Adds the metrics of another part to the only run of this one, which lacks them; false where they are not two parts of
    /// one run.
    pub(crate) fn takes_in(&mut self, part: &Self) -> bool {
        let (Some(run), Some(known)) = (part.only_run(), self.only_run_mut()) else {
            return false;
        };
        let alike = run.variant == known.variant
            && run.name == known.name
            && run.workload == known.workload
            && run.metadata == known.metadata;
        let other = run.metrics.keys().all(|metric| !known.metrics.contains_key(metric));
        if !alike || !other || part.unread.is_some() {
            return false;
        }
        add_metrics(known, run);
        true
    }

    /// Whether the part itself names the variants of its runs.
    pub(crate) fn names_variants(&self) -> bool {
        self.runs.iter().any(|run| !run.variant.is_empty())
    }

    /// The runs of the part, with its variant, its workload and the number of its run where they have none.
    pub(crate) fn into_runs(self) -> Vec<Run> {
        let Self { run: whole, runs, .. } = self;
        if runs.is_empty() {
            return vec![whole];
        }
        let own = runs.iter().any(|run| !run.variant.is_empty());
        let labels = [own.then(|| whole.variant.clone()), whole.workload.label.clone()];
        let labels: Vec<String> =
            labels.into_iter().flatten().filter(|label| !label.is_empty()).collect();
        let named = |mut run: Run| {
            if run.variant.is_empty() && !own {
                run.variant.clone_from(&whole.variant);
            }
            let all: Vec<String> =
                labels.iter().cloned().chain(run.workload.label.take()).collect();
            run.workload.label = Some(all.join(" / ")).filter(|label| !label.is_empty());
            run.name = run.name.take().or_else(|| whole.name.clone());
            run
        };
        runs.into_iter().map(named).collect()
    }
}
