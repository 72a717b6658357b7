//! The document of a plan: the number of runs first, their order, other changes that would be found.

use std::fmt::Write;

use crate::format::{self, chosen, count, trimmed};
use crate::report::comparison::row_text;
use crate::report::document::Text;
use crate::report::document::blocks::{Block, Document, Role, Table, Tone, skipped};
use crate::report::plan::{Plan, PlanReport, Planned};

use crate::report::plan::words::{cv, power, runs, sentence, title, usual};

/// Runs of each variant up to which the order is printed in full.
const PRINTED_ORDER: usize = 12;

/// Degrees of freedom from which a noise is taken as it is.
const ENOUGH_DF: usize = 10;

const MAX_LISTED: usize = 5;

impl<'a> From<&'a PlanReport> for Document<'a> {
    fn from(report: &'a PlanReport) -> Self {
        let mut blocks = Vec::new();
        let several = report.plans.len() > 1;
        for plan in &report.plans {
            if several {
                blocks.push(Block::heading(2, format!("{}.", sentence(report, plan))));
            }
            let workload = plan.workload.as_ref();
            blocks.extend(workload.map(|load| Block::text(Role::Workload, load.describe())));
            blocks.extend(of_one_build(plan).map(paragraph));
            blocks.extend(what_to_do(report, plan));
            blocks.extend(takes(report, plan));
            blocks.push(finds(plan));
            blocks.extend(may_be_higher(report, plan).map(paragraph));
        }
        blocks.extend(usual(report).map(paragraph));
        blocks.push(Block::text(Role::Small, method(report)));
        blocks.extend(skipped(&report.skipped, MAX_LISTED));
        Self {
            program: "beyondnoise",
            marker: None,
            tone: Tone::Calm,
            title: Text::from(title(report)),
            quiet: Vec::new(),
            blocks,
        }
    }
}

fn paragraph(text: impl AsRef<str>) -> Block<'static> {
    Block::marked(Role::Plain, text.as_ref())
}

fn grid(label: &str, head: Vec<String>, rows: Vec<Vec<String>>) -> Block<'static> {
    Block::Table(Table::of_numbers(label, head, rows))
}

/// Which single runs the noise was taken from.
fn of_one_build(plan: &Plan) -> Option<String> {
    (!plan.pooled.is_empty()).then(|| row_text::taken_as_repeats(&plan.pooled))
}

/// Order, cost and looks.
fn what_to_do(report: &PlanReport, plan: &Plan) -> Vec<Block<'static>> {
    let Some(runs) = plan.runs else { return Vec::new() };
    let order = match &plan.order {
        Some(order) if runs <= PRINTED_ORDER => format!("`{order}`"),
        _ => format!("`{}`, repeated, {} runs in total", plan.pattern, count(2 * runs)),
    };
    let why = if runs > 1 { ", so that a drift of the machine affects both equally" } else { "" };
    let mut parts = vec![paragraph(format!("Order: {order} (A = baseline, B = candidate){why}."))];
    if let (Some(total), Some(each)) = (&plan.cost, &report.settings.cost) {
        let text = format!("Cost: {total} ({} runs at {each}).", count(2 * runs));
        parts.push(paragraph(text));
    }
    let Some(first) = plan.looks.first() else { return parts };
    let mut head = vec!["look".to_owned(), "runs of each".to_owned(), "confidence".to_owned()];
    head.extend(first.cost.as_ref().map(|_| "cost so far".to_owned()));
    let of = plan.looks.len();
    let rows = plan.looks.iter().map(|look| {
        let mut row = vec![
            format!("{}/{of}", look.look),
            count(look.runs),
            format::confidence(1.0 - look.level),
        ];
        row.extend(look.cost.as_ref().map(ToString::to_string));
        row
    });
    parts.push(grid("looks", head, rows.collect()));
    let (before, word) = match report.settings.runs {
        Some(given) => (Some(given), "given"),
        None => (needed(plan), "needed"),
    };
    let rounded = before.filter(|before| *before != runs).map_or_else(String::new, |before| {
        let step = count(first.runs);
        format!(" The {} runs {word} are rounded up to {of} equal steps of {step}.", count(before))
    });
    parts.push(paragraph(format!(
        "At each look `compare --look 1/{of}` (then 2/{of} ...) judges at its confidence. Stop at the first look \
         that calls a change: the looks together keep {}.{rounded}",
        chosen(report.settings.confidence)
    )));
    parts
}

/// Runs of each variant needed for the smallest change, before rounding to equal steps.
fn needed(plan: &Plan) -> Option<usize> {
    let each = plan.metrics.iter().map(|metric| metric.effects.first()?.runs);
    each.collect::<Option<Vec<usize>>>()?.into_iter().max()
}

/// The runs that every metric needs, and the source of its noise.
fn takes(report: &PlanReport, plan: &Plan) -> Option<Block<'static>> {
    let seen = plan.metrics.iter().any(|metric| metric.noise.df.is_some());
    let given = report.settings.runs.is_some();
    if !seen && plan.metrics.len() == 1 && plan.effects.len() < 2 {
        return None;
    }
    let mut head = vec![String::new(), "noise".to_owned()];
    if seen {
        head.push("seen in".to_owned());
    }
    let word = if given { "power" } else { "runs" };
    head.extend(plan.effects.iter().map(|row| format!("{word} for {}", chosen(row.effect))));
    if plan.effects.is_empty() {
        head.push("smallest change".to_owned());
    }
    let mut rows: Vec<Vec<String>> = plan
        .metrics
        .iter()
        .map(|metric| {
            let mut row = vec![metric.noise.row_label.clone(), format!("±{}", cv(metric))];
            if let (Some(runs), Some(df)) = (metric.noise.runs, metric.noise.df) {
                row.push(format!("{runs} runs (df {df})"));
            }
            row.extend(metric.effects.iter().map(|needed| {
                if given {
                    needed.power.map_or_else(String::new, |seen| power(seen, 0.0))
                } else {
                    runs(needed.runs)
                }
            }));
            if plan.effects.is_empty() {
                row.push(format::smallest_change(metric.smallest));
            }
            row
        })
        .collect();
    let blank = |label: &str| {
        let mut row = vec![String::new(); head.len() - plan.effects.len()];
        row[0].push_str(label);
        row
    };
    if !given && plan.effects.len() > 1 {
        if plan.metrics.len() > 1 || !plan.looks.is_empty() {
            let mut row = blank(if plan.looks.is_empty() { "all" } else { "all, in equal steps" });
            row.extend(plan.effects.iter().map(|effect| runs(effect.runs)));
            rows.push(row);
        }
        if report.settings.cost.is_some() {
            let mut row = blank("cost");
            let cost = plan.effects.iter().map(|effect| effect.cost.as_ref());
            row.extend(cost.map(|cost| cost.map_or_else(String::new, ToString::to_string)));
            rows.push(row);
        }
    }
    Some(grid("runs that each metric takes", head, rows))
}

/// The changes that fewer or more runs find.
fn finds(plan: &Plan) -> Block<'static> {
    let mut head = vec!["smallest change with".to_owned()];
    head.extend(plan.sizes.iter().map(|size| format!("{} runs", size.runs)));
    let mut rows: Vec<Vec<String>> = plan
        .metrics
        .iter()
        .map(|metric| {
            let found = metric.detectable.iter().map(|found| format::smallest_change(found.effect));
            let name = match &metric.noise.label {
                Some(_) => metric.noise.row_label.clone(),
                None => format!("at {} noise", cv(metric)),
            };
            std::iter::once(name).chain(found).collect()
        })
        .collect();
    if plan.sizes.iter().any(|size| size.cost.is_some()) {
        let cost = plan.sizes.iter().map(|size| size.cost.as_ref());
        let cost = cost.map(|cost| cost.map_or_else(String::new, ToString::to_string));
        rows.push(std::iter::once("cost".to_owned()).chain(cost).collect());
    }
    grid("changes that are found", head, rows)
}

/// The upper limit of a noise that is estimated from few runs.
fn may_be_higher(report: &PlanReport, plan: &Plan) -> Option<String> {
    let few = |metric: &&Planned| metric.noise.df.is_some_and(|df| df < ENOUGH_DF);
    let few: Vec<&Planned> = plan.metrics.iter().filter(few).collect();
    let df = || few.iter().filter_map(|metric| metric.noise.df);
    let df = match (df().min()?, df().max()?) {
        (1, 1) => "1 degree".to_owned(),
        (low, high) if low == high => format!("{low} degrees"),
        (low, high) => format!("{low} to {high} degrees"),
    };
    let each: Vec<String> = few
        .iter()
        .take(MAX_LISTED)
        .filter_map(|metric| {
            let upper = metric.upper.as_ref()?;
            let then = match (report.settings.runs, upper.runs.first()) {
                (None, Some(needed)) => format!("{} runs of each", runs(*needed)),
                _ => format!("changes of {} or more", format::smallest_change(upper.smallest)),
            };
            let label = metric.noise.label.as_deref().unwrap_or("the metric");
            Some(format!("{} in {label} ({then})", format::percent(upper.cv)))
        })
        .collect();
    let confidence = few.first()?.upper.as_ref()?.confidence;
    Some(format!(
        "The noise rests on few runs ({df} of freedom) and may be as high as {}: the upper end of its {} \
         interval.",
        each.join(", "),
        chosen(confidence)
    ))
}

/// How the numbers were made, in one line.
fn method(report: &PlanReport) -> String {
    let settings = &report.settings;
    let total = chosen(settings.confidence);
    let tested = report.plans.iter().map(|plan| plan.tested).max().unwrap_or(1);
    let mut text = format!("Two-sided t test at {total} confidence");
    if settings.looks > 1 {
        text.push_str(" over all looks (the power is that of the last one alone, so a little low)");
    }
    if tested > 1 {
        let level = report.plans.iter().map(|plan| plan.level).fold(1.0, f64::min);
        write!(
            text,
            ", {} for each of {tested} metrics, as compare adjusts them (Holm)",
            format::confidence(1.0 - level)
        )
        .expect("writing to a String cannot fail");
    }
    text.push_str("; noise is the run-to-run CV");
    if settings.prior_df > 0.0 {
        let more = trimmed(settings.prior_df, 1);
        write!(text, ", with {more} degrees of freedom borrowed")
            .expect("writing to a String cannot fail");
    }
    text.push('.');
    text
}
