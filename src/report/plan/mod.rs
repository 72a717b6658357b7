//! A plan as text and as markdown: the number of runs first, their order, what else would be found.
//!
//! Both forms are made of the same parts, so that they cannot disagree.

mod words;

use std::fmt::Write;

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width};

use crate::format;
use crate::plan::{Document, LeftOut, Plan, Planned};
use crate::report::escape::{clipped, escape};
use crate::report::row_text;

use crate::report::text::paragraph;

use words::{confidence, count, cv, exact, power, runs, sentence, smallest, title, trimmed};

/// Runs of each variant up to which the order is printed in full.
const PRINTED_ORDER: usize = 12;

/// Degrees of freedom from which a noise is taken as it is.
const ENOUGH_DF: usize = 10;

/// Entries of a list.
const MOST_IN_A_LIST: usize = 5;

/// A piece of the printed plan.
enum Part {
    Gap,
    Paragraph(String),
    Grid { head: Vec<String>, rows: Vec<Vec<String>> },
}

/// The plan as plain text of `width` columns.
pub fn plan_text(document: &Document, width: u16) -> String {
    let mut out = String::new();
    paragraph(&mut out, &format!("beyondnoise: {}", title(document)), width, "");
    for part in parts(document) {
        match part {
            Part::Gap if out.ends_with("\n\n") => {}
            Part::Gap => out.push('\n'),
            Part::Paragraph(text) => {
                paragraph(&mut out, &text.replace('`', ""), width, "  ");
            }
            Part::Grid { head, rows } => {
                if !out.ends_with("\n\n") {
                    out.push('\n');
                }
                out.push_str(&grid(head, rows, width));
                out.push_str("\n\n");
            }
        }
    }
    out
}

/// The plan as markdown.
pub fn plan_markdown(document: &Document) -> String {
    let mut out = format!("### beyondnoise: {}\n\n", escape(&title(document)));
    let mut line = |text: &str| writeln!(out, "{text}").expect("writing to a String cannot fail");
    for part in parts(document) {
        match part {
            Part::Gap => {}
            Part::Paragraph(text) => line(&format!("{}\n", escape(&text))),
            Part::Grid { head, rows } => {
                let row = |cells: &[String]| {
                    let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
                    format!("| {} |", cells.join(" | "))
                };
                line(&row(&head));
                line(&format!("|---|{}", "--:|".repeat(head.len() - 1)));
                for cells in &rows {
                    line(&row(cells));
                }
                line("");
            }
        }
    }
    out
}

/// The document `beyondnoise-plan/1` as indented JSON, with a final line break.
///
/// # Panics
///
/// Never: the structs of a plan have no maps with other keys than text.
pub fn plan_json(document: &Document) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("a plan has only text keys");
    text.push('\n');
    text
}

fn grid(head: Vec<String>, rows: Vec<Vec<String>>, width: u16) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width);
    let cells = |texts: Vec<String>| {
        texts.into_iter().enumerate().map(|(index, text)| {
            let cell = Cell::new(clipped(&text));
            if index == 0 { cell } else { cell.set_alignment(CellAlignment::Right) }
        })
    };
    table.set_header(cells(head));
    for row in rows {
        table.add_row(cells(row));
    }
    // A number is never broken; names may be, at a space.
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_constraint(if index == 0 {
            ColumnConstraint::LowerBoundary(Width::Fixed(14))
        } else {
            ColumnConstraint::ContentWidth
        });
    }
    table.trim_fmt()
}

fn parts(document: &Document) -> Vec<Part> {
    let mut parts = Vec::new();
    for plan in &document.plans {
        if document.plans.len() > 1 {
            parts.push(Part::Gap);
            parts.push(Part::Paragraph(format!("{}.", sentence(document, plan))));
        }
        if let Some(workload) = &plan.workload {
            parts.push(Part::Paragraph(format!("({})", workload.describe())));
        }
        parts.extend(of_one_build(plan).map(Part::Paragraph));
        parts.extend(what_to_do(document, plan));
        parts.extend(takes(document, plan));
        parts.push(finds(plan));
        parts.extend(may_be_higher(document, plan).map(Part::Paragraph));
    }
    if document.plans.len() > 1 {
        parts.push(Part::Gap);
    }
    parts.push(Part::Paragraph(method(document)));
    for LeftOut { place, why } in document.skipped.iter().take(MOST_IN_A_LIST) {
        parts.push(Part::Paragraph(format!("left out: {place}: {why}.")));
    }
    if let Some(more) = document.skipped.len().checked_sub(MOST_IN_A_LIST).filter(|more| *more > 0)
    {
        parts.push(Part::Paragraph(format!("left out: {more} more; --format json lists all.")));
    }
    parts
}

/// Which single runs the noise was taken from.
fn of_one_build(plan: &Plan) -> Option<String> {
    (!plan.pooled.is_empty()).then(|| row_text::taken_as_repeats(&plan.pooled))
}

/// Order, cost and looks.
fn what_to_do(document: &Document, plan: &Plan) -> Vec<Part> {
    let Some(runs) = plan.runs else { return Vec::new() };
    let order = match &plan.order {
        Some(order) if runs <= PRINTED_ORDER => format!("`{order}`"),
        _ => format!("`{}` again and again, {} runs in all", plan.pattern, count(2 * runs)),
    };
    let why = if runs > 1 { ", so that a drift of the machine falls on both alike" } else { "" };
    let mut parts = vec![
        Part::Gap,
        Part::Paragraph(format!("Order: {order} (A = baseline, B = candidate){why}.")),
    ];
    if let (Some(total), Some(each)) = (&plan.cost, &document.settings.cost) {
        let text = format!("Cost: {total} ({} runs at {each}).", count(2 * runs));
        parts.push(Part::Paragraph(text));
    }
    let Some(first) = plan.looks.first() else { return parts };
    let mut head = vec!["look".to_owned(), "runs of each".to_owned(), "confidence".to_owned()];
    head.extend(first.cost.as_ref().map(|_| "cost so far".to_owned()));
    let of = plan.looks.len();
    let rows = plan.looks.iter().map(|look| {
        let mut row = vec![format!("{}/{of}", look.look), count(look.runs), confidence(look.level)];
        row.extend(look.cost.as_ref().map(ToString::to_string));
        row
    });
    parts.push(Part::Grid { head, rows: rows.collect() });
    let (before, word) = match document.settings.runs {
        Some(given) => (Some(given), "given"),
        None => (needed(plan), "needed"),
    };
    let rounded = before.filter(|before| *before != runs).map_or_else(String::new, |before| {
        let step = count(first.runs);
        format!(" The {} runs {word} are rounded up to {of} equal steps of {step}.", count(before))
    });
    parts.push(Part::Paragraph(format!(
        "At each look `compare --look 1/{of}` (then 2/{of} ...) judges at its confidence. Stop at the first look \
         that calls a change: the looks together keep {}.{rounded}",
        exact(document.settings.confidence)
    )));
    parts
}

/// Runs of each variant that the smallest change takes, before they are rounded to equal steps.
fn needed(plan: &Plan) -> Option<usize> {
    let each = plan.metrics.iter().map(|metric| metric.effects.first()?.runs);
    each.collect::<Option<Vec<usize>>>()?.into_iter().max()
}

/// What every metric takes, and where its noise comes from.
fn takes(document: &Document, plan: &Plan) -> Option<Part> {
    let seen = plan.metrics.iter().any(|metric| metric.noise.df.is_some());
    let given = document.settings.runs.is_some();
    if !seen && plan.metrics.len() == 1 && plan.effects.len() < 2 {
        return None;
    }
    let mut head = vec![String::new(), "noise".to_owned()];
    if seen {
        head.push("seen in".to_owned());
    }
    let word = if given { "power" } else { "runs" };
    head.extend(plan.effects.iter().map(|row| format!("{word} for {}", exact(row.effect))));
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
                row.push(smallest(metric.smallest));
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
        if document.settings.cost.is_some() {
            let mut row = blank("cost");
            let cost = plan.effects.iter().map(|effect| effect.cost.as_ref());
            row.extend(cost.map(|cost| cost.map_or_else(String::new, ToString::to_string)));
            rows.push(row);
        }
    }
    Some(Part::Grid { head, rows })
}

/// What fewer or more runs find.
fn finds(plan: &Plan) -> Part {
    let mut head = vec!["smallest change with".to_owned()];
    head.extend(plan.sizes.iter().map(|size| format!("{} runs", size.runs)));
    let mut rows: Vec<Vec<String>> = plan
        .metrics
        .iter()
        .map(|metric| {
            let found = metric.detectable.iter().map(|found| smallest(found.effect));
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
    Part::Grid { head, rows }
}

/// What a noise seen in few runs may really be.
fn may_be_higher(document: &Document, plan: &Plan) -> Option<String> {
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
        .take(MOST_IN_A_LIST)
        .filter_map(|metric| {
            let upper = metric.upper.as_ref()?;
            let then = match (document.settings.runs, upper.runs.first()) {
                (None, Some(needed)) => format!("{} runs of each", runs(*needed)),
                _ => format!("changes of {} or more", smallest(upper.smallest)),
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
        exact(confidence)
    ))
}

/// How the numbers were made, in one line.
fn method(document: &Document) -> String {
    let settings = &document.settings;
    let total = exact(settings.confidence);
    let tested = document.plans.iter().map(|plan| plan.tested).max().unwrap_or(1);
    let mut text = format!("Two-sided t test at {total} confidence");
    if settings.looks > 1 {
        text.push_str(" over all looks (the power is that of the last one alone, so a little low)");
    }
    if tested > 1 {
        let level = document.plans.iter().map(|plan| plan.level).fold(1.0, f64::min);
        write!(
            text,
            ", {} for each of {tested} metrics, as compare adjusts them (Holm)",
            confidence(level)
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
