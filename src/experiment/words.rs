//! Words for a person: the plan, the looks, and why the runs end.

use beyondnoise::journal::{Plan, Stop, VariantPlan};
use beyondnoise::plan::Cost;
use beyondnoise::report::{Comparison, Report, title};
use beyondnoise::verdict::Headline;
use beyondnoise_model::format::list;

use crate::experiment::order::Order;

/// The verdicts of a report in a line.
pub(super) fn said(report: &Report) -> String {
    match &report.comparisons[..] {
        [only] => only.summary.clone(),
        all => all.iter().map(title).collect::<Vec<_>>().join("; "),
    }
}

/// How many comparisons are clear so far, where the runs go on.
pub(super) fn decided(report: &Report) -> String {
    let open = |one: &&Comparison| !one.headline.is_change() && one.headline != Headline::NoChange;
    let open: Vec<&Comparison> = report.comparisons.iter().filter(open).collect();
    match (&report.comparisons[..], &open[..]) {
        ([only], _) => only.summary.clone(),
        (all, [first, ..]) => {
            format!("{} of {} clear; open: {}", all.len() - open.len(), all.len(), title(first))
        }
        (all, []) => format!("{} clear", all.len()),
    }
}

/// A time as people say it.
pub(super) fn time(seconds: f64) -> String {
    Cost { amount: seconds.max(0.0), unit: "s".to_owned() }.to_string()
}

/// `3, 4, 6`.
pub(super) fn numbers(looks: &[usize]) -> String {
    looks.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// `once`, `3 times`.
pub(super) fn times(tries: usize) -> String {
    if tries == 1 { "once".to_owned() } else { format!("{tries} times") }
}

/// Why it ends.
pub(crate) fn why(stop: Stop) -> &'static str {
    match stop {
        Stop::Change => "a change is shown",
        Stop::NoChange => "any change is shown to be smaller than the margin",
        Stop::NoHope => "the runs that are left are unlikely to decide it",
        Stop::NotComparable => "the variants cannot be compared",
        Stop::AllRuns => "all planned runs are made",
        Stop::Budget => "the time is used up",
        Stop::ByHand => "stopped by hand; go on with --resume",
    }
}

/// Part of a plan: its name, and the command of a variant.
type Part = (&'static str, fn(&VariantPlan) -> Option<&String>);

/// A plan as it is shown before the first run: what it may cost first.
pub(crate) fn described(plan: &Plan) -> String {
    let names: Vec<String> = plan.variants.iter().map(|variant| variant.name.clone()).collect();
    let most = plan.looks.last().copied().unwrap_or_default();
    let all = most * names.len() + plan.warmup;
    let cost = match plan.budget_s {
        Some(budget) => format!("at most {}; fewer runs where these take longer", time(budget)),
        None => "the time is known after the first run of each".to_owned(),
    };
    let order: Vec<&str> = Order::new(names.len(), plan.seed)
        .take(8.max(2 * names.len()))
        .map(|(variant, _)| names[variant].as_str())
        .collect();
    let mut text = format!(
        "plan: at most {most} runs of each of {}, {all} in all; {cost}\n  looks after {} of each; each may be the last\n  order: {} ...\n",
        list(&names),
        numbers(&plan.looks),
        order.join(" ")
    );
    let start = if plan.keep_server {
        "server, kept between its runs"
    } else {
        "server, a new one for each run"
    };
    let parts: [Part; 5] = [
        (start, |one| one.serve.as_ref()),
        ("ready when", |one| one.ready.as_ref()),
        ("before", |one| one.before.as_ref()),
        ("run", |one| Some(&one.bench)),
        ("after", |one| one.after.as_ref()),
    ];
    for (what, command) in parts {
        let of_first = plan.variants.first().and_then(command);
        if plan.variants.iter().all(|one| command(one) == of_first) {
            text.extend(of_first.map(|command| format!("  {what}: {}\n", in_one_line(command))));
            continue;
        }
        for variant in &plan.variants {
            let command = command(variant).map_or("none".to_owned(), |text| in_one_line(text));
            text.extend(["  ", &variant.name, ", ", what, ": ", &command, "\n"]);
        }
    }
    text
}

/// A command that was typed over several lines.
fn in_one_line(command: &str) -> String {
    command.split_whitespace().collect::<Vec<_>>().join(" ")
}
