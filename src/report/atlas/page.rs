//! The document of the atlas: the usual noise of each metric, changes of equal builds, the place of one's own runs.

use crate::atlas::MIN_REQUESTS;
use crate::format::{self, counted};
use crate::report::atlas::words::{of_100, place};
use crate::report::atlas::{AtlasMetric, AtlasReport, OwnNoise};
use crate::report::document::Text;
use crate::report::document::blocks::{Block, Document, Role, Room, Table, Tone};

/// Positions of the shown quantiles: 1 in 10, the quartiles, 9 in 10.
const SHOWN: [usize; 5] = [0, 2, 5, 8, 10];

impl From<&AtlasReport> for Document<'_> {
    fn from(report: &AtlasReport) -> Self {
        let mut blocks: Vec<Block> =
            answers(report).map(|text| Block::text(Role::Lead, text)).collect();
        blocks.push(Block::Table(usual(&report.metrics)));
        blocks.push(Block::Table(changes(&report.metrics)));
        blocks.push(Block::text(
            Role::Plain,
            format!(
                "Up to 1 of 100 pairs: very likely; up to 5: likely; up to 20: unclear; more: may well be noise. The \
                 atlas is good to a factor of two, and it is no noise of yours: {MIN_REQUESTS} requests a run or more, \
                 the same prompts, no failures."
            ),
        ));
        blocks.push(Block::marked(
            Role::Next,
            "measure your own: `beyondnoise noise` on 5 runs of one build; such runs in a `history` come before the atlas.",
        ));
        blocks.extend(Block::fold(
            counted(report.sources.len(), "source"),
            Room::Any,
            vec![Block::Table(sources(report))],
        ));
        Self {
            program: "beyondnoise atlas",
            marker: None,
            tone: Tone::Calm,
            title: title(report),
            quiet: Vec::new(),
            blocks,
        }
    }
}

fn title(report: &AtlasReport) -> Text {
    let Some(first) = report.metrics.first() else {
        return Text::from("the atlas has no repeats of this metric");
    };
    let [low, high] = quartiles(first);
    Text::from(format!(
        "in {} published set-ups the {} of one unchanged build usually varies by {} to {}",
        first.setups, first.label, low, high
    ))
}

/// Quartiles of a metric: `0.2`, `0.9 %`.
fn quartiles(metric: &AtlasMetric) -> [String; 2] {
    let cv =
        |at: usize| metric.cvs.get(at).map_or(String::new(), |level| format::percent(level.cv));
    [cv(SHOWN[1]).trim_end_matches(" %").to_owned(), cv(SHOWN[3])]
}

/// Comparisons of the user's numbers with the atlas, a sentence each.
fn answers(report: &AtlasReport) -> impl Iterator<Item = String> {
    let given = report.metrics.iter().flat_map(|metric| {
        let cv = metric.noisier_of_ten.map(|n| {
            format!("{}: a CV of this size is {} published set-ups.", format::sentence(&metric.label), place(n))
        });
        let change = metric.p.zip(metric.grade).map(|(p, grade)| {
            let grade = grade.words(true).replace(" faster", " a change");
            let pairs = of_100(p);
            let label = format::sentence(&metric.label);
            format!("{label}: two runs of one unchanged build differ by as much in {pairs} pairs: {grade}.")
        });
        cv.into_iter().chain(change)
    });
    given.chain(report.own.iter().map(own_place)).collect::<Vec<_>>().into_iter()
}

fn own_place(own: &OwnNoise) -> String {
    format!(
        "{}, {} runs: your CV of {} in {} is {} published set-ups.",
        own.build,
        own.runs,
        format::percent(own.cv),
        own.label,
        place(own.noisier_of_ten)
    )
}

fn usual(metrics: &[AtlasMetric]) -> Table<'static> {
    let head = [
        "run-to-run CV",
        "set-ups",
        "sources",
        "1 in 10 below",
        "quarter",
        "half",
        "three quarters",
        "9 in 10",
    ];
    let row = |metric: &AtlasMetric| {
        let mut row =
            vec![metric.label.clone(), metric.setups.to_string(), metric.sources.to_string()];
        row.extend(SHOWN.iter().filter_map(|at| Some(format::percent(metric.cvs.get(*at)?.cv))));
        row
    };
    let head = head.map(str::to_owned).to_vec();
    Table::of_numbers("published noise of each metric", head, metrics.iter().map(row).collect())
}

fn changes(metrics: &[AtlasMetric]) -> Table<'static> {
    let levels = metrics.first().map_or(&[][..], |metric| &metric.changes);
    let head = levels.iter().map(|level| format!("{:.0} of 100", 100.0 * level.p));
    let head = std::iter::once("equal builds differ by, in pairs".to_owned()).chain(head).collect();
    let row = |metric: &AtlasMetric| {
        let changes = metric.changes.iter().map(|level| format::percent(level.change));
        std::iter::once(metric.label.clone()).chain(changes).collect()
    };
    Table::of_numbers("changes of equal builds", head, metrics.iter().map(row).collect())
}

fn sources(report: &AtlasReport) -> Table<'static> {
    let head = ["source", "set-ups", "repository", "licence"].map(str::to_owned).to_vec();
    let row = |source: &crate::atlas::Source| {
        vec![
            source.name.to_owned(),
            source.set_ups.to_string(),
            source.repository.to_owned(),
            source.licence.to_owned(),
        ]
    };
    let mut table = Table::of_numbers("sources", head, report.sources.iter().map(row).collect());
    for column in &mut table.columns[2..] {
        column.kind = crate::report::document::blocks::Kind::Words;
    }
    table
}
