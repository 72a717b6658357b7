//! The answer of a ledger to a question: its rows and its words.

use crate::error::Error;
use crate::journal::ResultFile;
use crate::ledger::{ALPHA_SHARE, Ledger, State};
use crate::ledger::{Change, MeasurementResult};
use crate::report::ledger::words;
use crate::report::ledger::{
    Budget, LedgerReport, LedgerSettings, MeasurementRow, Question, SCHEMA, TryRow,
};
use crate::report::{Comparison, Report};
use crate::verdict::Decision;

impl LedgerReport {
    /// The answer of the ledger in `folder`, which is named as the user typed it.
    ///
    /// # Errors
    ///
    /// If a tracked path cannot be read.
    pub fn new(ledger: &Ledger, folder: &str, question: Question) -> Result<Self, Error> {
        let terms = &ledger.terms;
        let names = ledger.tries();
        let shown = names.iter().filter(|name| match question {
            Question::Try(asked) => **name == asked,
            Question::Status | Question::Gain => true,
        });
        let tries = shown.map(|name| try_row(ledger, name)).collect::<Result<Vec<_>, _>>()?;
        let kept = names.iter().filter(|name| ledger.state(name) == Some(State::Kept)).count();
        let gain = ledger.final_comparison();
        let stale = match (ledger.shared_change()?, ledger.change_of(&ledger.base)?) {
            (Some(why), _) => Some(words::shared_is_stale(&why)),
            (None, Some(why)) => Some(words::base_is_stale(&ledger.base, &why)),
            (None, None) => None,
        };
        let mut report = Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            decision: Decision::MoreData,
            decision_reason: String::new(),
            summary: String::new(),
            next_step: String::new(),
            next_command: None,
            settings: LedgerSettings {
                confidence: terms.confidence,
                max_runs: terms.runs,
                rule: "e-LORD",
                share: ALPHA_SHARE,
                track: terms.track.clone(),
            },
            budget: Budget {
                spent: ledger.spent(),
                next_level: ledger.level(),
                confirmations: ledger.confirmations,
            },
            first_base: terms.base.clone(),
            base: ledger.base.clone(),
            all_tries: names.len(),
            kept,
            tries,
            gain: gain.map(|one| MeasurementRow::new(one, terms.confidence)),
        };
        words::answer(&mut report, folder, question, stale.as_deref());
        Ok(report)
    }
}

fn try_row(ledger: &Ledger, name: &str) -> Result<TryRow, Error> {
    let state = ledger.state(name).unwrap_or(State::Open);
    let last = ledger.of_try(name).last();
    let stale = match last {
        Some(last) if !state.is_final() => {
            ledger.change_of(name)?.map(|why| words::try_is_stale(&last.name, &why))
        }
        Some(last) if state == State::Stale => Some(match &last.result {
            Some(result) if result.decision == Decision::Stale => result.reason.clone(),
            _ => words::other_base(&last.base, &ledger.base),
        }),
        _ => None,
    };
    let confidence = ledger.terms.confidence;
    let rows = ledger.of_try(name).map(|one| MeasurementRow::new(one, confidence));
    Ok(TryRow { name: name.to_owned(), state, stale, measurements: rows.collect() })
}

impl MeasurementResult {
    /// The result that a report gives, with the files that were handed in.
    pub fn of(report: &Report, handed: Vec<ResultFile>) -> Self {
        let comparisons = &report.comparisons;
        let changes = comparisons.iter().flat_map(Comparison::deciding).map(|row| Change {
            metric: row.metric.clone(),
            label: row.label.clone(),
            relative: row.delta.relative,
            interval: row.delta.relative_ci_adjusted.or(row.delta.relative_ci),
        });
        let sum = |runs: fn(&Comparison) -> usize| comparisons.iter().map(runs).sum();
        Self {
            decision: report.decision,
            reason: report.decision_reason.clone(),
            runs: [sum(|one| one.baseline.runs), sum(|one| one.candidate.runs)],
            changes: changes.collect(),
            handed,
        }
    }
}
