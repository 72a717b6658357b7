//! Runs that the program made, judged at the last look for which they are enough.

use crate::analysis::analyse_with;
use crate::error::Error;
use crate::format::{argument, counted};
use crate::journal::{Journal, Stop};
use crate::policy::{Base, Policy};
use crate::report::{MadeRow, Report};
use crate::runs::Dataset;

/// The deciding metric of timed commands.
const TIME: &str = "wall_time_s";

/// Factor from a budget that was used up to the suggested one.
const MORE_TIME: f64 = 2.0;

/// The policy at the last look for which the runs of a journal are enough.
///
/// As [`of_plan`], with the confidence and the looks of the plan.
pub fn at_look_of(journal: &Journal, policy: Policy) -> Policy {
    let (number, _) = journal.look();
    let plan = &journal.plan;
    of_plan(journal, policy).at_look(&plan.looks, number, plan.confidence)
}

/// The policy for the runs of a journal, with the effect of its plan. For timed commands the wall time decides unless the
/// policy names another metric.
pub fn of_plan(journal: &Journal, policy: Policy) -> Policy {
    let policy = if journal.is_timed() { decided_by_time(policy) } else { policy };
    Policy { effect: journal.plan.effect.or(policy.effect), ..policy }
}

/// The policy for timed commands: the wall time decides unless the policy names another metric.
pub fn decided_by_time(policy: Policy) -> Policy {
    let named = !policy.deciding.is_empty() || !policy.selected.is_empty();
    let deciding = if named { policy.deciding } else { vec![TIME.to_owned()] };
    Policy { deciding, ..policy }
}

/// [`analyse_with`] for the runs of a journal in `folder`; the report also says how they were made.
///
/// `policy` comes from [`at_look_of`]. The first variant of the plan is the baseline unless `base` names another.
///
/// # Errors
///
/// As [`analyse_with`], and if the runs are not enough for the first look.
pub fn analyse_made(
    (dataset, history): (&Dataset, Option<&Dataset>),
    (journal, folder): (&Journal, &str),
    base: Option<&Base>,
    policy: &Policy,
) -> Result<Report, Error> {
    let first = journal.plan.variants.first().map(|variant| variant.name.as_str());
    let (made, due) = (journal.complete(), journal.plan.looks.first().copied().unwrap_or_default());
    if made < due {
        let runs = counted(due, "run");
        let failed = journal.failed.last().map_or(String::new(), |last| {
            let attempts = counted(journal.failed.len(), "failed attempt");
            format!("; {attempts}, the last at {}: {}", last.run, last.why)
        });
        let problem =
            format!("expected {runs} of each variant for the first look, found {made}{failed}");
        return Err(Error::file(folder, problem, &go_on(journal, folder)));
    }
    let mut report = analyse_with(dataset, history, base, first, policy)?;
    if matches!(journal.ended, None | Some(Stop::Budget | Stop::ByHand)) {
        report.go_on_with(&go_on(journal, folder));
    }
    report.made = Some(MadeRow::new(journal, folder));
    Ok(report)
}

/// The command that makes the remaining runs.
fn go_on(journal: &Journal, folder: &str) -> String {
    let spent = journal.plan.budget_s.filter(|_| journal.ended == Some(Stop::Budget));
    let more = spent.map_or(String::new(), |seconds| {
        format!(" --budget {}min", (MORE_TIME * seconds / 60.0).ceil())
    });
    format!("beyondnoise run --resume {}{more}", argument(folder))
}
