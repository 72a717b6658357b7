//! The sentences of a ledger.

use crate::format::{argument, change as signed, counted, decimals_of_change, interval, plural};
use crate::ledger::Change;
use crate::ledger::State;
use crate::report::ledger::{LedgerReport, MeasurementRow, Question, TryRow};
use crate::verdict::Decision;

/// The files of the benchmark differ from those of earlier tries.
pub(crate) fn shared_is_stale(why: &str) -> String {
    format!("{why} since the loop began, so the tries before were measured by another benchmark")
}

/// The base is no longer the build that was measured.
pub(crate) fn base_is_stale(base: &str, why: &str) -> String {
    format!("{why} since {base} was measured, so the base is another build now")
}

/// The try is no longer the build that was measured.
pub(crate) fn try_is_stale(name: &str, why: &str) -> String {
    format!("{why} since {name} was measured, so it is another build now")
}

/// The try was measured against a base of before.
pub(crate) fn other_base(old: &str, new: &str) -> String {
    format!("it was measured against {old}, and the base is {new} now")
}

/// The change of a metric in words: `output throughput +3.1 % (+2.0 … +4.2)`.
pub(crate) fn change(change: &Change) -> String {
    let decimals = decimals_of_change(change.relative, change.interval);
    let relative = change.relative.map_or("not defined".to_owned(), |one| signed(one, decimals));
    let ends =
        change.interval.map_or(String::new(), |ends| format!(" ({})", interval(ends, decimals)));
    format!("{} {relative}{ends}", change.label)
}

/// The changes of a measurement in words.
pub(crate) fn changes(row: &MeasurementRow) -> String {
    row.changes.iter().map(change).collect::<Vec<_>>().join(", ")
}

/// The state of a try in a word.
pub(crate) fn state(state: State) -> &'static str {
    match state {
        State::Open => "being measured",
        State::Passed => "to be confirmed",
        State::Undecided => "undecided",
        State::Kept => "kept",
        State::Rejected => "rejected",
        State::NotConfirmed => "not confirmed",
        State::Stale => "stale",
    }
}

/// Fills in the decision, its reason, the summary and the next step. `stale` is the reason why the base or the benchmark
/// differs from the measured one.
pub(crate) fn answer(
    report: &mut LedgerReport,
    folder: &str,
    question: Question,
    stale: Option<&str>,
) {
    let dir = argument(folder);
    (report.decision, report.decision_reason) = match question {
        Question::Gain => of_gain(report),
        Question::Try(name) => {
            let row = report.tries.iter().find(|row| row.name == name);
            row.map_or((Decision::MoreData, "it is not measured yet".to_owned()), of_try)
        }
        Question::Status => {
            report.tries.last().map_or((Decision::MoreData, "no try yet".to_owned()), of_try)
        }
    };
    report.summary = match question {
        Question::Status => {
            let tries = plural(report.all_tries, "try", "tries");
            format!("{tries}, {} kept; the base is {}", report.kept, report.base)
        }
        Question::Try(name) => {
            format!("{} {name}: {}", word(report.decision), report.decision_reason)
        }
        Question::Gain => report.decision_reason.clone(),
    };
    let open = match question {
        Question::Try(name) => report.tries.iter().find(|row| row.name == name),
        Question::Status | Question::Gain => report.tries.last(),
    };
    let again = |name: &str| Some(format!("beyondnoise loop try {dir} {}", argument(name)));
    let gain = || Some(format!("beyondnoise loop final {dir}"));
    if let Some(why) = stale {
        report.decision = Decision::Stale;
        why.clone_into(&mut report.decision_reason);
        if question != Question::Status {
            report.summary = format!("stale: {why}");
        }
        "restore it, or begin another ledger with loop init".clone_into(&mut report.next_step);
        return;
    }
    let handed = |row: &&TryRow| {
        let begun = row.measurements.iter().filter(|one| one.decision.is_none()).count();
        begun == 0 && row.state == State::Passed
    };
    (report.next_step, report.next_command) = match (open, question) {
        (_, Question::Gain) => match &report.gain {
            Some(row) if row.decision.is_some() => (
                "state this gain, and not the sum of the tries; or try another patch".to_owned(),
                None,
            ),
            _ if report.kept > 0 => ("measure the gain of the loop".to_owned(), gain()),
            _ => ("try a patch".to_owned(), again("NAME")),
        },
        (Some(row), _) if row.stale.is_some() || row.state == State::Stale => {
            ("build it again and try it under another name".to_owned(), again("NEW_NAME"))
        }
        (Some(row), _) if handed(&row) => {
            let runs = counted(report.settings.max_runs, "run");
            let step = format!(
                "make fresh runs of {} and {}, alternately, up to {runs} of each, and hand them in: they must confirm it",
                report.base, row.name
            );
            let command = again(&row.name);
            (step, command.map(|one| format!("{one} --baseline BASE_RUNS --candidate NEW_RUNS")))
        }
        (Some(row), _) if row.state == State::Undecided => (
            "drop it and try another patch, or measure it once more with fresh runs".to_owned(),
            again(&row.name),
        ),
        (Some(row), _) if row.state == State::Open => ("go on".to_owned(), again(&row.name)),
        (Some(row), Question::Try(_)) if row.state == State::Kept => (
            format!(
                "try the next patch against {}; at the end measure the gain of the loop",
                row.name
            ),
            gain(),
        ),
        _ if report.kept > 0 && report.gain.is_none() => {
            ("try another patch, or measure the gain of the loop".to_owned(), gain())
        }
        (None, _) => ("try a patch".to_owned(), again("NAME")),
        _ => ("try another patch".to_owned(), again("NAME")),
    };
}

/// The word of a decision.
fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Promote => "promote",
        Decision::Reject => "reject",
        Decision::MoreData => "more data on",
        Decision::Stale => "stale:",
    }
}

fn of_try(row: &TryRow) -> (Decision, String) {
    if let Some(why) = &row.stale {
        return (Decision::Stale, why.clone());
    }
    let reason = row.measurements.last().map_or_else(String::new, |one| one.reason.clone());
    let reason = match row.state {
        State::Open => "it is being measured".to_owned(),
        State::Passed => format!("{reason}; fresh runs must confirm it"),
        State::Kept => format!("confirmed by fresh runs: {reason}"),
        State::NotConfirmed => format!("not confirmed by fresh runs: {reason}"),
        State::Undecided | State::Rejected | State::Stale => reason,
    };
    (row.state.decision(), reason)
}

fn of_gain(report: &LedgerReport) -> (Decision, String) {
    match &report.gain {
        Some(row) => match row.decision {
            Some(decision) => {
                let changes = changes(row);
                let [a, b] = row.runs;
                let said = format!(
                    "{} against {}, the first base: {changes}, {a} + {b} runs",
                    row.candidate, row.baseline
                );
                (
                    decision,
                    if decision == Decision::Promote {
                        said
                    } else {
                        format!("{said}; {}", row.reason)
                    },
                )
            }
            None => (Decision::MoreData, "the gain is being measured".to_owned()),
        },
        None if report.kept == 0 => {
            (Decision::MoreData, "nothing was kept, so there is no gain to measure".to_owned())
        }
        None => (Decision::MoreData, "the gain is not measured yet".to_owned()),
    }
}
