//! The document of a calibration: random halves of the user's own runs in words and tables, the answer first.

use crate::calibrate::{Design, OwnRow, OwnRuns, Procedure};
use crate::format::{chosen, count, effect, list, plural, share};
use crate::report::calibrate::{CalibrationReport, Settings};
use crate::report::document::Text;
use crate::report::document::blocks::{Block, Document, Role, Room, Tone, skipped};

/// Skipped parts that are listed.
const MAX_SKIPPED: usize = 5;

impl<'a> From<&'a CalibrationReport> for Document<'a> {
    fn from(report: &'a CalibrationReport) -> Self {
        let CalibrationReport { settings, found, .. } = report;
        let first = found.rows.first().map(|row| row.procedure);
        let title = first.map(|first| title(settings, found, first)).unwrap_or_default();
        let blocks = first.map(|first| blocks(settings, found, first)).unwrap_or_default();
        Self {
            program: "beyondnoise",
            marker: None,
            tone: Tone::Calm,
            title: Text::from(title),
            quiet: Vec::new(),
            blocks,
        }
    }
}

fn blocks(settings: &Settings, found: &OwnRuns, first: Procedure) -> Vec<Block<'static>> {
    let mut parts = Vec::new();
    parts.extend(borrowed(found, first).map(|text| Block::text(Role::Lead, text)));
    parts.push(Block::text(Role::Lead, splits(settings, found)));
    parts.extend(skipped(&found.left_out, MAX_SKIPPED));
    let several = found.rows.iter().any(|row| row.procedure != first);
    let mut metrics: Vec<&str> = Vec::new();
    for row in &found.rows {
        if !metrics.contains(&row.label.as_str()) {
            metrics.push(&row.label);
        }
    }
    for metric in metrics {
        let rows: Vec<&OwnRow> = found.rows.iter().filter(|row| row.label == metric).collect();
        parts.extend(grid(settings, format!("{metric}, {}", groups(&rows)), &rows, several, None));
        let rows: Vec<&OwnRow> = found.by_group.iter().filter(|row| row.label == metric).collect();
        let heading = format!("{metric}, group by group");
        let each = grid(settings, heading.clone(), &rows, several, Some(found));
        parts.extend(Block::fold(heading, Room::Any, each));
    }
    parts
}

fn title(settings: &Settings, found: &OwnRuns, procedure: Procedure) -> String {
    let told: Vec<String> = designs(found)
        .into_iter()
        .filter_map(|design| {
            let row = overall(found, procedure, design, "own")?;
            Some(format!("{} ({})", share(row.flagged), each(design)))
        })
        .collect();
    let nominal = chosen(1.0 - settings.confidence);
    format!(
        "random halves of the same runs are called different in {} of comparisons, at a nominal {nominal}",
        list(&told)
    )
}

/// Own and borrowed noise side by side.
fn borrowed(found: &OwnRuns, procedure: Procedure) -> Option<String> {
    let told: Vec<String> = designs(found)
        .into_iter()
        .filter_map(|design| {
            let row = overall(found, procedure, design, "borrowed")?;
            Some(format!("{} ({})", share(row.flagged), each(design)))
        })
        .collect();
    if told.is_empty() {
        return None;
    }
    let mut text = format!("With noise borrowed from the other groups: {}.", list(&told));
    // The change that borrowing helps most to see, with the fewest runs.
    let design = *designs(found).first()?;
    let own = overall(found, procedure, design, "own")?;
    let lent = overall(found, procedure, design, "borrowed")?;
    let both = own.power.iter().zip(&lent.power);
    let gains = both.filter_map(|(own, lent)| Some((own.effect, own.power?, lent.power?)));
    let best = gains.max_by(|a, b| (a.2 - a.1).total_cmp(&(b.2 - b.1)));
    if let Some((size, own, lent)) = best {
        text = format!(
            "{text} A slow-down of {} is seen in {} instead of {} ({}).",
            chosen(size),
            share(lent),
            share(own),
            each(design)
        );
    }
    Some(text)
}

fn splits(settings: &Settings, found: &OwnRuns) -> String {
    let runs = |of: fn(usize, usize) -> usize| {
        found.groups.iter().map(|group| group.runs).reduce(of).unwrap_or(0)
    };
    let (least, most) = (runs(usize::min), runs(usize::max));
    let sizes = if least == most { least.to_string() } else { format!("{least} to {most}") };
    format!(
        "{} with {sizes} runs, each split at random {} times; {} resamples where not all are enumerated; seed {}. The \
         splits of a group share its runs, so the rates are less certain than so many splits suggest: (±) is the \
         standard error from their scatter over the groups, highest the share of one group.",
        plural(found.groups.len(), "group", "groups"),
        count(settings.repetitions),
        count(settings.resamples),
        settings.seed
    )
}

fn grid(
    settings: &Settings,
    heading: String,
    rows: &[&OwnRow],
    several: bool,
    by_group: Option<&OwnRuns>,
) -> Vec<Block<'static>> {
    let mut head: Vec<String> = Vec::new();
    if by_group.is_some() {
        head.push("group".to_owned());
    }
    head.push("runs".to_owned());
    if several {
        head.push("interval".to_owned());
    }
    head.push("noise".to_owned());
    let words = head.len();
    head.push("flagged".to_owned());
    if by_group.is_none() {
        head.extend(["(±)", "highest"].map(str::to_owned));
    }
    head.extend(settings.effects.iter().map(|size| effect(*size)));
    let body = rows.iter().map(|row| {
        let mut cells: Vec<String> = Vec::new();
        if let Some((found, index)) = by_group.zip(row.group) {
            cells.push(name(found, index));
        }
        cells.push(row.design.to_string());
        if several {
            cells.push(row.procedure.to_string());
        }
        cells.push(row.noise.to_owned());
        // Too few runs for an interval at this confidence.
        let none = row.without_interval == row.comparisons;
        let shown =
            |value: Option<f64>| value.filter(|_| !none).map_or_else(|| "–".to_owned(), share);
        cells.push(shown(Some(row.flagged)));
        if by_group.is_none() {
            cells.push(shown(row.standard_error));
            cells.push(shown(row.highest));
        }
        cells.extend(row.power.iter().map(|seen| shown(seen.power)));
        cells
    });
    Block::titled_table(heading, head, body.collect(), words)
}

/// The variant, with its workload where several have one of this name.
fn name(found: &OwnRuns, index: usize) -> String {
    let group = &found.groups[index];
    let alike = found.groups.iter().filter(|other| other.variant == group.variant).count();
    if alike > 1 {
        format!("{} ({})", group.variant, group.workload)
    } else {
        group.variant.clone()
    }
}

fn groups(rows: &[&OwnRow]) -> String {
    let most = rows.iter().map(|row| row.groups).max().unwrap_or(0);
    let each =
        "share of comparisons that flag random halves, and that see a slow-down of one of them";
    format!("{}: {each}", plural(most, "group", "groups"))
}

fn designs(found: &OwnRuns) -> Vec<Design> {
    let mut designs: Vec<Design> = Vec::new();
    for row in &found.rows {
        if !designs.contains(&row.design) {
            designs.push(row.design);
        }
    }
    designs
}

/// Of all metrics together.
fn overall<'a>(
    found: &'a OwnRuns,
    procedure: Procedure,
    design: Design,
    noise: &str,
) -> Option<&'a OwnRow> {
    let mut of_design = found.overall.iter().filter(|row| row.design == design);
    of_design.find(|row| row.procedure == procedure && row.noise == noise)
}

fn each(design: Design) -> String {
    if design.equal() { format!("{} each", design.baseline) } else { design.to_string() }
}
