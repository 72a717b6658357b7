//! Checks of nested repeats: the level that counts, and whether it has enough units.

use crate::checks::{Blocks, CheckId, Context, Finding, Severity};
use crate::format;
use crate::runs::Levels;

/// Most left-out runs in a message.
const MAX_NAMED: usize = 4;

impl Context<'_> {
    /// The units behind the interval: `3 + 4 runs`, `3 blocks`.
    pub(super) fn counted(&self) -> String {
        let runs = format!("{} + {} runs", self.baseline.runs.len(), self.candidate.runs.len());
        let Some(levels) = self.levels.filter(|levels| !levels.are_runs()) else { return runs };
        let [a, b] = [0, 1].map(|side: usize| levels.units[side].len());
        let column = unit(levels);
        if levels.blocks {
            format!("{runs} in {a} blocks ({column})")
        } else {
            format!("{runs}, averaged by {column} to {a} + {b}")
        }
    }
}

fn unit(levels: &Levels) -> &str {
    &levels.columns[levels.unit]
}

fn names(levels: &Levels, side: usize) -> String {
    let names: Vec<&str> = levels.units[side].values().map(|unit| unit.name.as_str()).collect();
    names.join(", ")
}

/// The level that counts as the repeat, and the reason.
pub(super) fn nested_runs(context: &Context) -> Option<Finding> {
    let levels = context.levels?;
    let counts = levels.columns.iter().zip(&levels.counts);
    let counts: Vec<String> = counts.map(|(name, [a, b])| format!("{a} + {b} {name}")).collect();
    let values = levels.inside.into_iter().max().unwrap_or(1);
    let averaged = if values > 1 {
        format!(" Values that agree in all levels, up to {values}, are averaged into one run.")
    } else {
        String::new()
    };
    let column = unit(levels);
    let rule = if levels.blocks {
        // Blocks A B B A have Student's interval.
        let unit = if levels.same_order.is_some() { "the repeats" } else { "resampled" };
        format!(
            "Both variants share {column}: the change is taken inside each of its {} values, and these blocks are {unit}.",
            levels.units[0].len()
        )
    } else if levels.are_runs() {
        let outer = levels.columns[..levels.unit].join(" and ");
        format!(
            "All runs share one {outer}: differences between values of it are not in the noise."
        )
    } else {
        format!(
            "The variants do not share {column}: each of its values is averaged first and counts as one repeat."
        )
    };
    let message = format!("Repeats are nested: {}.{averaged} {rule}", counts.join(", "));
    let finding = Finding::new(CheckId::NestedRuns, Severity::Note, message)
        .with("columns", levels.columns.clone())
        .with("unit", column)
        .with("blocks", levels.blocks)
        .with("units", [0, 1].map(|side: usize| levels.units[side].len()).to_vec());
    Some(finding)
}

/// A variant with a single unit.
pub(super) fn too_few_units(context: &Context) -> Option<Finding> {
    let levels = context.levels.filter(|levels| !levels.are_runs())?;
    let [a, b] = [0, 1].map(|side: usize| levels.units[side].len());
    if a.min(b) > 1 {
        return None;
    }
    let column = unit(levels);
    let message = format!(
        "{} was measured on {column} {} and {} on {column} {}: a difference between them cannot be separated from \
         the change. Measure both variants on the same {column}, or each on several.",
        context.baseline.name,
        names(levels, 0),
        context.candidate.name,
        names(levels, 1)
    );
    Some(
        Finding::new(CheckId::TooFewRuns, Severity::Block, message)
            .with("baseline_runs", a)
            .with("candidate_runs", b)
            .blocking(Blocks::All, "too few runs"),
    )
}

/// A sentence for runs left out because the other variant lacks their block.
pub(super) fn left_out(context: &Context) -> Option<String> {
    let levels = context.levels?;
    let [a, b] = levels.alone;
    let inside: [Vec<usize>; 2] = levels.units.each_ref().map(|units| {
        units.values().flat_map(|unit| unit.runs.iter().map(|(run, _)| *run)).collect()
    });
    let sides = [context.baseline, context.candidate].into_iter().zip(&inside);
    let names = sides.flat_map(|(variant, inside)| {
        let alone = variant.runs.iter().enumerate().filter(|(at, _)| !inside.contains(at));
        alone.map(|(_, run)| {
            let name = run.name.clone().unwrap_or_else(|| run.source.to_string());
            format!("{name} of {}", variant.name)
        })
    });
    let names: Vec<String> = names.take(MAX_NAMED).collect();
    if context.policy.paired && names.len() == a + b {
        let runs = format::list(&names);
        return Some(format!("Left out, since their {} is not whole: {runs}.", unit(levels)));
    }
    Some(format!(
        "{a} + {b} runs were left out: the other variant has none with their {}.",
        unit(levels)
    ))
}
