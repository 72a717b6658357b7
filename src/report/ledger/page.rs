//! The document of a ledger: the answer, the tries, the remaining alpha.

use crate::format::{chosen, confidence, counted, percent, plural};
use crate::report::document::Text;
use crate::report::document::blocks::{Block, Document, Kind, Role, Room, Table, Tone};
use crate::report::ledger::words::{change as change_words, state as state_word};
use crate::report::ledger::{LedgerReport, MeasurementRow, TryRow};
use crate::verdict::{Decision, Headline};

/// Tries that are shown before the fold.
const BEFORE_FOLD: usize = 12;

impl From<&LedgerReport> for Document<'_> {
    fn from(report: &LedgerReport) -> Self {
        let title = Text::from(report.summary.clone());
        Self {
            program: "beyondnoise loop",
            marker: None,
            tone: match report.decision {
                Decision::Promote => Tone::Headline(Headline::Improved),
                Decision::Reject => Tone::Headline(Headline::Regressed),
                Decision::MoreData => Tone::Headline(Headline::NoVerdict),
                Decision::Stale => Tone::Warning,
            },
            quiet: vec![title.clone()],
            title,
            blocks: blocks(report),
        }
    }
}

fn blocks(report: &LedgerReport) -> Vec<Block<'static>> {
    let mut blocks = Vec::new();
    if report.decision == Decision::Stale && !report.summary.contains(&report.decision_reason) {
        blocks.push(Block::text(Role::Warning, format!("stale: {}", report.decision_reason)));
    }
    let (old, new) = report.tries.split_at(report.tries.len().saturating_sub(BEFORE_FOLD));
    blocks.extend(table(new));
    if !old.is_empty() {
        let summary = plural(old.len(), "earlier try", "earlier tries");
        blocks.extend(Block::fold(summary, Room::Any, table(old).into_iter().collect()));
    }
    blocks.extend(report.gain.iter().map(|row| {
        let said: Vec<String> = row.changes.iter().map(change_words).collect();
        let pair = format!("{} against {}, the first base", row.candidate, row.baseline);
        Block::text(Role::Lead, format!("Gain of the loop, {pair}: {}.", said.join(", ")))
    }));
    let budget = &report.budget;
    blocks.push(Block::text(
        Role::Plain,
        format!(
            "{} so far, {} of the error budget spent; the next one is judged at {}.",
            counted(budget.confirmations, "confirmation"),
            percent(budget.spent),
            confidence(1.0 - budget.next_level)
        ),
    ));
    let next = match &report.next_command {
        Some(command) => format!("{}: `{command}`", report.next_step),
        None => format!("{}.", report.next_step),
    };
    blocks.push(Block::marked(Role::Next, &next));
    let wrong = chosen(1.0 - report.settings.confidence);
    blocks.push(Block::text(
        Role::Small,
        format!(
            "A try is kept if fresh runs of both builds confirm it. The confirmations of all tries share {wrong} ({} with a \
             share of {}, arXiv 2506.01452): where no patch is an improvement, a loop keeps one with at most this probability; \
             else kept patches that are no improvement are at most this share of the kept, on average. The gains of the tries \
             are seen after choosing, and do not add up.",
            report.settings.rule,
            chosen(report.settings.share),
        ),
    ));
    blocks
}

fn table(tries: &[TryRow]) -> Option<Block<'static>> {
    let head = ["try", "against", "answer", "runs", "at", "change"];
    let rows: Vec<Vec<String>> = tries.iter().flat_map(rows).collect();
    let mut table = Table::of_numbers("the tries", head.map(str::to_owned).to_vec(), rows);
    for column in &mut table.columns[1..3] {
        column.kind = Kind::Words;
    }
    (!table.rows.is_empty()).then_some(Block::Table(table))
}

/// A row for each measurement of a try; the last one gives the state of the try.
fn rows(one: &TryRow) -> Vec<Vec<String>> {
    let last = one.measurements.len().saturating_sub(1);
    let row = |(at, row): (usize, &MeasurementRow)| {
        let answer = match row.decision {
            _ if at == last && one.stale.is_some() => "stale",
            _ if at == last => state_word(one.state),
            Some(Decision::Promote) => "passed",
            _ => "undecided",
        };
        let [a, b] = row.runs;
        vec![
            one.name.clone(),
            row.baseline.clone(),
            answer.to_owned(),
            format!("{a} + {b}"),
            confidence(row.confidence),
            row.changes.iter().map(change_words).collect::<Vec<_>>().join(", "),
        ]
    };
    one.measurements.iter().enumerate().map(row).collect()
}
