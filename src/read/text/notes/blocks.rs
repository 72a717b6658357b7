//! Blocks of labels and values, with and without title and ruler.

use std::collections::BTreeSet;

use crate::kit::finish::finish;
use crate::kit::printed::{Kind, Title, title};
use crate::kit::short;
use crate::text::headings::heading::{Block, Heading, PLAIN, Standing};
use crate::text::notes::between::behind_log_header;
use crate::text::notes::{Loose, Open, Walk, fence};
use crate::text::text_block::{self, Bad, Seen};
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::{LabelHint, Run, RunInfo, Source, label_hint};

/// Labels of a block to each that comes again, from which on these are of one run.
const MIN_AGAIN: usize = 3;

/// Most lines of a block.
const MAX_BLOCK: usize = 200;

/// Most settings that a program prints above its results.
const MAX_SETTINGS: usize = 20;

impl Walk<'_> {
    /// A block without its title: the index behind its last line. In a text that has titles, fewer figures than a
    /// block has may be a copy of some lines.
    pub(super) fn figures_from(&self, index: usize, line: &str) -> Option<usize> {
        let comes_back = |line: &str| {
            let (label, ..) = text_block::label_of_result(line)?;
            Some(label).filter(|label| self.printed_labels.contains(label))
        };
        // `Latency: 3.80s` above `Output Throughput: 136.42 tok/s`.
        let above = || {
            let below = self.lines[index + 1..].iter().take(MAX_SETTINGS);
            let mut below = below.take_while(|line| text_block::is_measured(line));
            let result =
                |line: &String| text_block::figure(line).is_some_and(|known| known.is_result);
            text_block::is_measured(line) && below.any(result)
        };
        let begins = || comes_back(line).is_some() || self.leads(index, line) || above();
        if text_block::figure(line).is_none() && (self.titled || !begins()) {
            return None;
        }
        let fewest = if self.titled { 6 } else { 1 };
        let (mut labels, mut metrics, mut end) = (BTreeSet::new(), 0, index);
        // The first line behind those that may stand between two parts.
        let mut next = 0;
        let given = std::iter::once(line);
        let others = self.lines[index + 1..].iter().map(String::as_str);
        for (at, line) in given.chain(others).enumerate() {
            // A part of the block with labels of its own.
            if metrics > 0 && self.parts(line) {
                let from = index + at + 1;
                if next < from {
                    let behind = self.lines[from..].iter().position(|line| !self.parts(line));
                    next = behind.map_or(self.lines.len(), |behind| from + behind);
                }
                let new = self.lines.get(next).is_some_and(|line| match comes_back(line) {
                    Some(label) => !labels.contains(&label),
                    None => self.fenced && text_block::is_part(line),
                });
                if new {
                    continue;
                }
            }
            let known = text_block::figure(line);
            let own = known.as_ref().map(|known| known.label.to_lowercase());
            if let Some(label) = own.or_else(|| comes_back(line)) {
                if !labels.insert(label) {
                    // `Max:` below each of several quantities of one run.
                    if self.is_of_one_run(index + at, &labels) {
                        continue;
                    }
                    break;
                }
                metrics += usize::from(known.is_none_or(|known| known.is_result));
                end = index + at + 1;
            } else if !text_block::is_part(line) {
                // Other lines of the block may be between.
                let inside = metrics > 0 && text_block::is_labelled(line);
                if !inside {
                    break;
                }
            } else if text_block::is_named_result(line) || text_block::is_measured(line) {
                end = index + at + 1;
            }
        }
        (labels.len() >= fewest && metrics > 0).then_some(end)
    }

    /// Whether the rest of a fence goes on with the block that has these labels: few of them come again.
    fn is_of_one_run(&self, from: usize, labels: &BTreeSet<String>) -> bool {
        if !self.fenced || labels.len() <= MIN_AGAIN {
            return false;
        }
        let rest = self.lines[from..].iter().take(MAX_BLOCK);
        let rest = rest.take_while(|line| fence(line).is_none());
        let label = |line: &String| {
            let known = text_block::figure(line).map(|known| known.label.to_lowercase());
            known.or_else(|| text_block::label_of_result(line).map(|(label, ..)| label))
        };
        let again: BTreeSet<String> =
            rest.filter_map(label).filter(|label| labels.contains(label)).collect();
        MIN_AGAIN * again.len() < labels.len()
    }

    /// Whether a line has a label of results that the program prints.
    pub(super) fn prints(&self, line: &str) -> bool {
        text_block::label_of_result(line)
            .is_some_and(|(label, ..)| self.printed_labels.contains(&label))
    }

    /// Whether a line may stand between two parts of a printed block: an empty one, or a title that comes back.
    pub(super) fn parts(&self, line: &str) -> bool {
        let title = line.trim_matches(['>', ' ']);
        let result = || text_block::figure(line).is_some() || self.prints(line);
        title.is_empty()
            || self.one_run && !result()
            || self.fenced && self.part_titles.contains(title)
    }

    /// Whether this line and those below it, down to a printed result, have whole numbers under labels that come back
    /// with others: settings that a program prints above its results.
    pub(super) fn leads(&self, index: usize, line: &str) -> bool {
        let set = |line: &str| {
            text_block::whole(line).is_some_and(|(label, _)| self.printed_settings.contains(&label))
        };
        let near = self.lines[index + 1..].iter().take(MAX_SETTINGS);
        let below = || near.clone().find(|line| !set(line));
        set(line) && below().is_some_and(|line| self.prints(line))
    }

    pub(super) fn start_untitled(&mut self, index: usize, line: &str, end: usize) {
        self.start(
            index,
            Title { prefix: String::new(), kind: Kind::Serving, columns: Vec::new() },
            Some(end),
        );
        if let Some(open) = &mut self.open {
            open.kind = None;
        }
        self.inside(index + 1, line);
    }

    /// Index behind the last line of the block with its title at `start`, if no ruler closes it before the next block.
    pub(super) fn end_without_ruler(&self, start: usize) -> Option<usize> {
        let next = |line: &&String| {
            fence(line).is_some()
                || title(line).is_some_and(|title| title.kind != Kind::SteadyState)
        };
        let rest = &self.lines[start + 1..];
        let length = rest.iter().position(|line| next(&line)).unwrap_or(rest.len());
        if rest[..length].iter().any(|line| text_block::is_ruler(line)) {
            return None;
        }
        let (mut end, mut blank) = (start + 1, false);
        for (at, line) in rest[..length].iter().enumerate() {
            let figure = text_block::has_figure(line) || !blank && text_block::has_label(line);
            if line.trim().is_empty() {
                blank = true;
            } else if blank && !figure {
                break;
            } else if figure {
                (end, blank) = (start + at + 2, false);
            }
        }
        Some(end)
    }

    pub(super) fn start(
        &mut self,
        index: usize,
        Title { prefix, kind, columns }: Title,
        end: Option<usize>,
    ) {
        let line = index + 1;
        if kind == Kind::SteadyState {
            self.skip(line, "a part of the run above, not a separate run".to_owned());
            let (run, seen) = (Run::default(), Seen::default());
            self.open = Some(Open {
                kind: Some(kind),
                prefix,
                line,
                run,
                seen,
                columns: Vec::new(),
                end: None,
                unread: None,
                ignore: true,
                spoiled: true,
            });
            return;
        }
        let columns = if columns.is_empty() { self.labels_above(index) } else { columns };
        let (run, unread) = self.next_run(line);
        let columns =
            columns.into_iter().map(|label| (label, run.clone(), Seen::default())).collect();
        self.open = Some(Open {
            kind: Some(kind),
            prefix,
            line,
            run,
            seen: Seen::default(),
            columns,
            end,
            unread,
            ignore: false,
            spoiled: false,
        });
    }

    /// The labels in the line above the title at `index`, one over each column of the values below it.
    fn labels_above(&self, index: usize) -> Vec<String> {
        let above = index.checked_sub(1).and_then(|above| self.lines.get(above));
        let labels = above.and_then(|line| text_block::labels_over_columns(line));
        let below = self.lines[index + 1..].iter().take(MAX_SETTINGS);
        let first = below.map(|line| text_block::parts_of_value(line)).find(|parts| *parts > 0);
        labels.filter(|labels| first == Some(labels.len())).unwrap_or_default()
    }

    /// The run of a part that starts on this line, with the settings and claims above it.
    pub(super) fn next_run(&mut self, line: usize) -> (Run, Option<(usize, String)>) {
        self.paragraph = 0;
        self.drop_remarks();
        let below = self.blocks.last().map(|block| block.run.source.position);
        // A heading that comes back tells no block apart.
        let above = self.blocks.last().map(|block| &block.headings[..]).unwrap_or_default();
        let new = |heading: &Heading| above.iter().all(|other| other.label != heading.label);
        let headed = self.headings.iter().any(|heading| Some(heading.line) > below && new(heading));
        let unread = self.unread.take().filter(|_| below.is_some() && !headed);
        let Run { workload, metadata, .. } = std::mem::take(&mut self.ahead);
        let run = Run {
            workload,
            metadata,
            info: RunInfo { claims: std::mem::take(&mut self.claims), ..RunInfo::default() }.into(),
            source: Source { path: self.path.into(), position: line, counts: "line" },
            ..Run::default()
        };
        (run, unread)
    }

    /// Drops lines of text that only look like headings; above a fence a short line is one.
    pub(super) fn drop_remarks(&mut self) {
        let fenced = self.fenced;
        let remark = |heading: &mut Heading| {
            heading.level == PLAIN
                && heading.standing == Standing::Pending
                && !fenced
                && heading.joined
                && label_hint(&heading.label) == LabelHint::Neither
        };
        let remarks: Vec<Heading> = self.headings.extract_if(.., remark).collect();
        for heading in remarks {
            self.note_unread(heading.line, &heading.label);
        }
        for heading in self.headings.iter_mut().filter(|heading| heading.level == PLAIN) {
            heading.bare &= !fenced;
        }
    }

    /// A line inside of a block.
    pub(super) fn inside(&mut self, number: usize, line: &str) {
        if text_block::is_ruler(line) {
            self.fenced &= !line.ends_with("```");
            return self.end_block();
        }
        if self.one_run && text_block::figure(line).is_none() && !self.prints(line) {
            return;
        }
        let line = behind_log_header(line).filter(|_| self.one_run).unwrap_or(line);
        let Some(block) = self.open.as_mut().filter(|block| !block.ignore) else { return };
        // A line that alone says why nothing was measured is no less wrong for being the last.
        let wrong = |block: &Open| {
            let (mut run, mut seen) = (block.run.clone(), Seen::default());
            let read = text_block::line(&block.prefix, line, &mut run, &mut seen);
            block.run.metrics.is_empty() && block.columns.is_empty() && read.is_err()
        };
        let last = self.open_end && block.kind.is_some() && number == self.lines.len();
        if last && !wrong(block) {
            let why =
                "the text ends inside of a block: its last line may be cut off, and is not read"
                    .to_owned();
            return self.skip(number, why);
        }
        if block.seen.is_empty()
            && block.columns.is_empty()
            && let Some(labels) = text_block::column_labels(&block.prefix, line)
        {
            let column = |label| (label, block.run.clone(), Seen::default());
            block.columns = labels.into_iter().map(column).collect();
            return;
        }
        let read = if block.columns.is_empty() {
            text_block::line(&block.prefix, line, &mut block.run, &mut block.seen)
        } else {
            text_block::columns(&block.prefix, line, &mut block.columns)
        };
        let Err(Bad { label, found }) = read else { return };
        (block.ignore, block.spoiled) = (true, true);
        let start = block.line;
        let problem = format!("expected a number for \"{label}\", found \"{}\"", short(&found));
        self.failed.push((start, Error::at_line(self.path, number, problem, "fix the line")));
    }

    /// Figures outside of a block without a ruler may be a copy of some lines.
    pub(super) fn loose_figures(&mut self) {
        let Loose { line, label, count, .. } = std::mem::take(&mut self.loose);
        if count > 1 {
            let why = format!(
                "{count} figures outside of blocks are not read (the first: \"{label}\"); \
                 if they are a result, paste its whole block"
            );
            self.skip(line, why);
        }
    }

    /// Ends the open block.
    pub(super) fn end_block(&mut self) {
        let Some(block) = self.open.take().filter(|block| !block.spoiled) else { return };
        let Open { kind, line, run, seen, columns, unread, .. } = block;
        if columns.is_empty() {
            if let Some(run) = self.finished(kind, line, run, seen) {
                self.settle(Block { run, runs: Vec::new(), headings: Vec::new(), unread });
            }
            return;
        }
        let mut runs = Vec::new();
        let measured = columns.into_iter().filter(|(_, run, _)| !run.metrics.is_empty());
        for (at, (label, mut run, seen)) in measured.enumerate() {
            // Every run has a place of its own.
            run.source.position = line + at;
            run.variant = label;
            runs.extend(self.finished(kind, line, run, seen));
        }
        self.add_runs(line, runs);
    }

    /// The run of a block, checked; `None`, with the reason among the failed parts, where it is none.
    pub(super) fn finished(
        &mut self,
        kind: Option<Kind>,
        line: usize,
        mut run: Run,
        seen: Seen,
    ) -> Option<Run> {
        text_block::conclude(kind, &mut run, &seen);
        run.info.claims.extend(seen.claims(&run.source));
        match finish(&mut run) {
            Ok(notes) => {
                seen.notes.into_iter().chain(notes).for_each(|why| self.skip(line, why));
                if run.metrics.is_empty() && kind.is_none() {
                    return None;
                }
                Some(run)
            }
            Err(bad) => {
                self.failed.push((line, Error::at_line(self.path, line, bad.problem, bad.remedy)));
                None
            }
        }
    }
}
