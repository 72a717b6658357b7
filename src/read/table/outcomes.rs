//! Columns that say how a run ended, and how many of its requests failed.
//!
//! A run that failed is no run: it keeps the reason, and no statistic uses it. Requests that failed are counted, or their
//! share is noted, for the check of failed requests.

use crate::kit::cell_value::is_nothing;
use crate::kit::fields::{self, RunField, field_of_column};
use crate::kit::short;
use crate::table::records::{Line, Table};
use crate::table::values::{Numbers, is_numeric, numbers};
use beyondnoise_model::metrics::words::{Outcome, Says, meaning};
use beyondnoise_model::runs::Run;
use std::collections::BTreeSet;

/// Words for a bad end, as parts of a cell in lower case.
const BAD: &[&str] = &[
    "fail",
    "error",
    "timeout",
    "timed out",
    "time out",
    "crash",
    "oom",
    "out of memory",
    "killed",
    "abort",
    "cancel",
    "exception",
    "segfault",
    "refused",
    "invalid",
    "incorrect",
    "wrong",
    "reject",
    "unsolved",
    "panic",
    "失败",
    "错误",
    "超时",
    "崩溃",
    "不足",
    "不⾜",
    "失敗",
    "エラー",
    "タイムアウト",
    "실패",
    "에러",
    "오류",
    "타임아웃",
    "fehler",
    "fehlgeschlagen",
    "échec",
    "erreur",
    "ошибка",
    "❌",
    "✗",
    "✘",
];

/// Words for a good end, whole cells in lower case.
const GOOD: &[&str] = &[
    "ok",
    "okay",
    "pass",
    "passed",
    "success",
    "successful",
    "succeeded",
    "done",
    "complete",
    "completed",
    "finished",
    "yes",
    "true",
    "y",
    "t",
    "valid",
    "correct",
    "solved",
    "optimal",
    "good",
    "成功",
    "通过",
    "完成",
    "正常",
    "성공",
    "완료",
    "erfolg",
    "✅",
    "✓",
    "✔",
];

/// Words for no.
const NO: &[&str] = &["no", "false", "n", "f", "否"];

#[derive(Clone, Copy, Debug)]
pub(crate) struct OutcomeColumn {
    pub(crate) at: usize,
    kind: Outcome,
    /// All its numbers are 0 or 1, under a name in the singular: yes or no.
    flag: bool,
    /// Its shares are in percent.
    percent: bool,
}

/// The outcome that a cell states.
enum Ended {
    Failed,
    FailedRequests(u64),
    Completed(u64),
    FailedShare(f64),
    Nothing,
}

/// Whether the cell of a measurement says that the run failed: `OOM`, `timeout`, `inf`.
pub(crate) fn is_failure(text: &str) -> bool {
    // Most cells are bare numbers.
    if text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_alphabetic()) {
        return false;
    }
    let lower = text.trim().to_lowercase();
    BAD.iter().any(|word| lower.contains(word)) && fields::number(&lower).is_none()
}

impl OutcomeColumn {
    /// The columns of outcomes among these. A single 0 or 1 is a yes or no, unless other columns count requests.
    pub(crate) fn all(table: &Table, free: impl Iterator<Item = usize>) -> Vec<Self> {
        let mut found: Vec<Self> = free.filter_map(|at| Self::find(table, at)).collect();
        // What no row reaches, where another column says that they succeeded, is a score.
        let never: Vec<bool> = found.iter().map(|one| one.is_never_reached(table)).collect();
        if never.contains(&false) {
            let mut never = never.into_iter();
            found.retain(|_| !never.next().unwrap_or_default());
        }
        // Counts of several things, `builds_failed` and `tests_passed`, are none of requests.
        let counted = |one: &Self| {
            let count = matches!(one.kind, Outcome::Failures | Outcome::Successes) && !one.flag;
            count && is_numeric(table, one.at)
        };
        let subjects: BTreeSet<String> = found
            .iter()
            .filter(|one| counted(one))
            .map(|one| subject_of(&table.headers[one.at]))
            .filter(|subject| !subject.is_empty())
            .collect();
        if subjects.len() > 1 {
            found.retain(|one| !counted(one) || subject_of(&table.headers[one.at]).is_empty());
        }
        let counts = |at: usize| {
            let field = field_of_column(&table.headers[at]);
            matches!(field, Some(RunField::Requests | RunField::Completed))
                || found
                    .iter()
                    .any(|other| other.at == at && other.kind == Outcome::Successes && !other.flag)
        };
        if (0..table.headers.len()).any(counts) {
            found
                .iter_mut()
                .filter(|one| one.kind == Outcome::Failures)
                .for_each(|one| one.flag = false);
        }
        found
    }

    /// The column as one of outcomes, if its name says it and its values agree.
    pub(crate) fn find(table: &Table, at: usize) -> Option<Self> {
        let name = &table.headers[at];
        let Says::Outcome(kind) = meaning(name).says else { return None };
        table.filled(at).next()?;
        let counted = matches!(
            field_of_column(name),
            Some(RunField::Completed | RunField::Failed | RunField::Requests)
        );
        if !is_numeric(table, at) {
            let word = |cell: &str| {
                let lower = cell.trim().to_lowercase();
                [GOOD, NO].iter().any(|words| words.contains(&&*lower))
            };
            // The text of an error may be about anything; but some runs are without.
            let some = table.filled(at).filter(|cell| !is_nothing(cell)).count();
            let known = if kind == Outcome::Failures {
                some < table.rows.len() || table.filled(at).any(word)
            } else {
                table.filled(at).any(|cell| word(cell) || is_failure(cell))
            };
            return known.then_some(Self { at, kind, flag: false, percent: false });
        }
        if counted {
            return None;
        }
        let numbers = numbers(table, at, None);
        let ends = numbers.ends()?;
        let plural = name.trim_end_matches(|c: char| !c.is_alphabetic()).ends_with(['s', 'S']);
        let column = Self {
            at,
            kind: match kind {
                Outcome::Status if ends.0 >= 100.0 && ends.1 < 600.0 => Outcome::HttpCode,
                other => other,
            },
            flag: numbers.are_whole() && ends.0 >= 0.0 && ends.1 <= 1.0 && !plural,
            percent: ends.1 > 1.0
                || meaning(name).unit.is_some()
                || table.filled(at).any(|cell| cell.ends_with('%')),
        };
        column.fits(&numbers).then_some(column)
    }

    /// Whether every row is one without success.
    fn is_never_reached(&self, table: &Table) -> bool {
        let fails = |row: Line| matches!(self.read(row.cells.get(self.at).trim()), Ended::Failed);
        // `correct` alone is the outcome of the run; `judge_success` may be a score.
        let words = table.headers[self.at].split(|c: char| !c.is_alphanumeric());
        let scored = words.filter(|word| !word.is_empty()).count() > 1;
        self.kind == Outcome::Successes && scored && table.rows.iter().all(fails)
    }

    /// Whether numbers are what such a column holds: an `error` of 0.07 is a spread.
    fn fits(&self, numbers: &Numbers) -> bool {
        match self.kind {
            Outcome::Failures | Outcome::Successes | Outcome::ExitCode | Outcome::HttpCode => {
                numbers.are_whole()
            }
            Outcome::FailureRate | Outcome::SuccessRate => true,
            Outcome::Status => false,
        }
    }

    /// Notes what the cell of a row says of its run.
    pub(crate) fn note(&self, table: &Table, row: Line, run: &mut Run) {
        let text = row.cells.get(self.at).trim();
        match self.read(text) {
            Ended::Failed => fail(run, &table.headers[self.at], text),
            Ended::FailedRequests(count) => {
                run.info.failed = Some(run.info.failed.unwrap_or(0).max(count));
            }
            Ended::Completed(count) => run.info.completed = Some(count),
            Ended::FailedShare(share) => {
                let known = run.info.failed_share.unwrap_or(0.0);
                run.info.failed_share = Some(known.max(share));
            }
            Ended::Nothing => {}
        }
    }

    fn read(&self, text: &str) -> Ended {
        let lower = text.to_lowercase();
        let number = fields::number(text).map(|number| number.value).filter(|n| n.is_finite());
        let count = |value: f64| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "checked to be a whole number in range"
            )]
            (value.fract() == 0.0 && (0.0..9e15).contains(&value)).then_some(value as u64)
        };
        let failed = |failed: bool| if failed { Ended::Failed } else { Ended::Nothing };
        if is_nothing(text) && self.kind != Outcome::Successes {
            return Ended::Nothing;
        }
        let good = GOOD.contains(&&*lower);
        match (self.kind, number) {
            (Outcome::Failures, Some(value)) if self.flag => failed(value != 0.0),
            (Outcome::Failures, Some(value)) => {
                count(value).map_or(Ended::Nothing, Ended::FailedRequests)
            }
            (Outcome::Successes, Some(value)) if self.flag => failed(value == 0.0),
            (Outcome::Successes, Some(0.0)) => Ended::Failed,
            (Outcome::Successes, Some(value)) => {
                count(value).map_or(Ended::Nothing, Ended::Completed)
            }
            (Outcome::FailureRate, Some(value)) => Ended::FailedShare(self.share(value)),
            (Outcome::SuccessRate, Some(value)) => Ended::FailedShare(1.0 - self.share(value)),
            (Outcome::ExitCode, Some(value)) => failed(value != 0.0),
            (Outcome::HttpCode, Some(value)) => failed(!(100.0..400.0).contains(&value)),
            // `failed: yes` and the text of an error; `error: no`.
            (Outcome::Failures, None) => {
                let yes = matches!(&*lower, "yes" | "true" | "y" | "t");
                failed(yes || !good && !NO.contains(&&*lower))
            }
            (Outcome::Successes, None) => failed(NO.contains(&&*lower) || is_failure(text)),
            (_, None) => failed(!good && is_failure(text)),
            _ => Ended::Nothing,
        }
    }

    fn share(&self, value: f64) -> f64 {
        (if self.percent { value / 100.0 } else { value }).clamp(0.0, 1.0)
    }
}

/// Words for requests and their number.
const OF_REQUESTS: &[&str] = &[
    "request", "requests", "req", "reqs", "query", "queries", "job", "jobs", "prompt", "prompts",
    "num", "n", "number", "count", "total", "of", "run", "runs",
];

/// The words of a name that say what succeeded or failed, if they are not requests: `build` of `build_failures`.
fn subject_of(name: &str) -> String {
    // Keys of JSON above it are those of its run.
    let lower = name.rsplit('.').next().unwrap_or(name).to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let outcome = |word: &str| matches!(meaning(word).says, Says::Outcome(_));
    let other = words.filter(|word| !OF_REQUESTS.contains(word) && !outcome(word));
    other.collect::<Vec<_>>().join(" ")
}

/// Marks a run as failed, for the first reason found.
pub(crate) fn fail(run: &mut Run, name: &str, text: &str) {
    if run.info.failure.is_none() {
        run.info.failure = Some(format!("{} = {}", short(name), short(text)));
    }
}
