//! The document of a noise report: the noise of each metric, the changes that it hides, the next step.

use crate::checks::Severity;
use crate::format::{self, Shown, label, shown_in};
use crate::report::document::Text;
use crate::report::document::blocks::{Block, Document, Role, Room, Table, Tone, skipped};
use crate::report::noise::{FindingRow, MetricNoise, NoiseReport, Repeats};
use crate::runs::read_as_lines;

use crate::report::noise::words::{
    USUAL_RUNS, cv, full_title, halves, levels, method, pooled, published, runs, title, within,
};

/// Most warnings before the fold.
const BEFORE_FOLD: usize = 3;

/// Most builds with their own section; more builds share a table.
const ONE_BY_ONE: usize = 3;

const MAX_SKIPPED: usize = 3;

/// Columns of metrics in a table of many builds.
const MAX_COLUMNS: usize = 3;

impl<'a> From<&'a NoiseReport> for Document<'a> {
    fn from(report: &'a NoiseReport) -> Self {
        let mut blocks = match &report.repeats[..] {
            [only] => section(only, report),
            all if all.len() <= ONE_BY_ONE => all
                .iter()
                .flat_map(|repeats| {
                    let head = format!("{}: {}", title(repeats), repeats.summary);
                    std::iter::once(Block::heading(2, Text::marked(&head)))
                        .chain(section(repeats, report))
                })
                .collect(),
            _ => many(report),
        };
        blocks.push(Block::text(Role::Small, method(report)));
        let read_as = read_as_lines(&report.read_as, report.files).into_iter();
        let read_as = read_as.map(|line| Block::text(Role::Small, line)).collect();
        blocks.extend(Block::fold("how it was read", Room::Terminal, read_as));
        blocks.extend(skipped(&report.skipped, MAX_SKIPPED));
        let odd = report.repeats.iter().any(|repeats| warnings(repeats).next().is_some());
        let title = Text::marked(&report.summary);
        let each = |repeats: &Repeats| {
            Text::marked(&format!("{}: {}", full_title(repeats, report), repeats.summary))
        };
        let several = report.repeats.len() > 1;
        let each = report.repeats.iter().filter(|_| several).map(each);
        Self {
            program: "beyondnoise noise",
            marker: Some("beyondnoise noise"),
            tone: if odd { Tone::Warning } else { Tone::Calm },
            quiet: std::iter::once(title.clone()).chain(each).collect(),
            title,
            blocks,
        }
    }
}

/// One build: the tables of its deciding metrics, its warnings and the next step; the rest is folded.
fn section(repeats: &Repeats, report: &NoiseReport) -> Vec<Block<'static>> {
    let leading: Vec<&MetricNoise> = repeats.leading().collect();
    let mut blocks = vec![Block::text(Role::Workload, repeats.workload.describe())];
    blocks.extend(pooled(repeats).map(|text| Block::marked(Role::Plain, &text)));
    blocks.extend(tables(&leading, report));
    let finding = |role: Role| {
        move |finding: &FindingRow| {
            Block::marked(role, &format!("{} {}", finding.message, finding.advice))
        }
    };
    let found = warnings(repeats).map(finding(Role::Warning)).collect();
    blocks.extend(Block::first_of(found, BEFORE_FOLD, "more warning"));
    let plain = [levels(repeats), within(repeats), halves(repeats, report), published(repeats)];
    blocks.extend(plain.into_iter().flatten().map(|text| Block::text(Role::Plain, text)));
    blocks.push(Block::marked(Role::Next, &repeats.next_step));
    let rest: Vec<&MetricNoise> = repeats
        .metrics
        .iter()
        .filter(|metric| !leading.iter().any(|shown| shown.metric == metric.metric))
        .collect();
    let mut details = if rest.is_empty() { Vec::new() } else { tables(&rest, report) };
    let notes = repeats.findings.iter().filter(|finding| finding.severity != Severity::Warn);
    details.extend(notes.map(finding(Role::Note)));
    details.push(Block::marked(Role::Item, &runs(repeats)));
    blocks.extend(Block::fold(format!("details of {}", title(repeats)), Room::Any, details));
    blocks
}

/// A table for each workload, the noisiest builds first; each build is folded.
fn many(report: &NoiseReport) -> Vec<Block<'static>> {
    let mut blocks = Vec::new();
    for builds in by_workload(report) {
        blocks.push(Block::text(Role::Workload, builds[0].workload.describe()));
        blocks.push(Block::Table(glance(&builds)));
    }
    let first = |repeats| warnings(repeats).next().map(|finding| (repeats, finding));
    let mut found: Vec<Block> = report
        .repeats
        .iter()
        .filter_map(first)
        .map(|(repeats, finding)| {
            let whose = full_title(repeats, report);
            let text = format!("{whose}: {} {}", finding.message, finding.advice);
            Block::marked(Role::Warning, &text)
        })
        .collect();
    let more = found.split_off(BEFORE_FOLD.min(found.len()));
    blocks.extend(found);
    let summary = format!("{} with findings", format::counted(more.len(), "more build"));
    blocks.extend(Block::announced(summary.clone(), format!("and {summary} with -v"), more));
    blocks.push(Block::marked(Role::Next, &report.next_step));
    for repeats in &report.repeats {
        let mut inside = vec![Block::heading(2, title(repeats))];
        inside.push(Block::marked(Role::Lead, &repeats.summary));
        inside.extend(section(repeats, report));
        blocks.extend(Block::fold(full_title(repeats, report), Room::Any, inside));
    }
    blocks
}

/// Findings shown before the rest.
fn warnings(repeats: &Repeats) -> impl Iterator<Item = &FindingRow> {
    repeats.findings.iter().filter(|finding| finding.severity == Severity::Warn)
}

fn tables(metrics: &[&MetricNoise], report: &NoiseReport) -> Vec<Block<'static>> {
    std::iter::once(spread(metrics, report)).chain(finds(metrics)).map(Block::Table).collect()
}

/// Mean, CV, its interval and the share within the runs.
fn spread(metrics: &[&MetricNoise], report: &NoiseReport) -> Table<'static> {
    let within = metrics.iter().any(|metric| metric.within.is_some());
    let runs = metrics.iter().any(|metric| metric.n != metrics[0].n);
    let level = format::confidence(report.settings.confidence);
    let mut head = vec![String::new()];
    head.extend(runs.then(|| "runs".to_owned()));
    head.extend(["mean".to_owned(), "noise".to_owned(), format!("{level} interval")]);
    head.extend(within.then(|| "within runs".to_owned()));
    let row = |metric: &&MetricNoise| {
        let shown = shown_in(metric.unit, metric.mean.abs());
        let mut row = vec![label(&metric.row_label, metric.unit, shown).to_owned()];
        row.extend(runs.then(|| metric.n.to_string()));
        let known_to = metric.sd.unwrap_or(0.0).max(2.0 * metric.resolution);
        row.push(shown.map_or_else(
            || format::with_noise(metric.mean, known_to),
            |Shown { factor, unit }| {
                format!("{} {unit}", format::with_noise(metric.mean * factor, known_to * factor))
            },
        ));
        row.push(cv(metric));
        row.push(metric.cv_interval.map_or_else(|| "none".to_owned(), format::percents));
        row.extend(within.then(|| {
            metric.within.map_or_else(
                || "not known".to_owned(),
                |within| {
                    let [low, high] = within.share_interval.map(format::whole_percent);
                    format!("{} % ({low} … {high})", format::whole_percent(within.share))
                },
            )
        }));
        row
    };
    Table::of_numbers("noise of each metric", head, metrics.iter().map(row).collect())
}

/// Smallest changes that some usual numbers of runs find; `None` where no metric has a CV.
fn finds(metrics: &[&MetricNoise]) -> Option<Table<'static>> {
    let known = || metrics.iter().filter(|metric| !metric.detectable.is_empty());
    let sizes = known().next()?.detectable.iter().map(|found| format!("{} runs", found.runs));
    let head = std::iter::once("smallest change with".to_owned()).chain(sizes).collect();
    let row = |metric: &&MetricNoise| {
        let found = metric.detectable.iter().map(|found| format::smallest_change(found.change));
        std::iter::once(metric.row_label.clone()).chain(found).collect()
    };
    Some(Table::of_numbers("changes that are found", head, known().map(row).collect()))
}

fn by_workload(report: &NoiseReport) -> Vec<Vec<&Repeats>> {
    let mut workloads: Vec<Vec<&Repeats>> = Vec::new();
    for repeats in &report.repeats {
        match workloads.iter_mut().find(|known| known[0].workload == repeats.workload) {
            Some(known) => known.push(repeats),
            None => workloads.push(vec![repeats]),
        }
    }
    workloads
}

fn glance(builds: &[&Repeats]) -> Table<'static> {
    let mut columns: Vec<&MetricNoise> = Vec::new();
    for metric in builds.iter().flat_map(|repeats| repeats.leading()) {
        if columns.len() < MAX_COLUMNS && !columns.iter().any(|c| c.metric == metric.metric) {
            columns.push(metric);
        }
    }
    let mut head = vec!["noise of".to_owned(), "runs".to_owned()];
    head.extend(columns.iter().map(|metric| metric.row_label.clone()));
    head.extend([format!("{USUAL_RUNS} runs find"), "findings".to_owned()]);
    let row = |repeats: &&Repeats| {
        let of = |name: &str| repeats.metrics.iter().find(|metric| metric.metric == name);
        let mut row = vec![title(repeats), repeats.runs.len().to_string()];
        row.extend(columns.iter().map(|column| of(&column.metric).map_or_else(String::new, cv)));
        let first = repeats.leading().next();
        let usual =
            first.and_then(|first| first.detectable.iter().find(|found| found.runs == USUAL_RUNS));
        row.push(usual.map_or_else(String::new, |found| format::smallest_change(found.change)));
        let ids: Vec<&str> = warnings(repeats).map(|finding| finding.id.as_str()).collect();
        row.push(ids.join(", "));
        row
    };
    let last = head.len() - 1;
    let mut table =
        Table::of_numbers("noise of each build", head, builds.iter().map(row).collect());
    table.columns[last].kind = crate::report::document::blocks::Kind::Words;
    table
}
