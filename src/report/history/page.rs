//! The document of a verdict on a history: tonight first, then the events, then the cells.

use crate::format::{self, count, percent, plain, with_unit};
use crate::report::document::Text;
use crate::report::document::blocks::{
    Block, Cell, Document, Plot, Role, Room, Table, Tone, number_columns, skipped,
};
use crate::report::history::words::{headline, of_series, order, title, tonight};
use crate::report::history::{HistoryReport, SeriesRow};
use crate::verdict::{Gate, Headline};

/// Sentences of one kind that are read before the fold.
const BEFORE_FOLD: usize = 8;

/// Time lines that are drawn.
const MAX_DRAWN: usize = 24;

const MAX_SKIPPED: usize = 3;

impl<'a> From<&'a HistoryReport> for Document<'a> {
    fn from(report: &'a HistoryReport) -> Self {
        let title = Text::from(report.summary.clone());
        Self {
            program: "beyondnoise history",
            marker: Some("beyondnoise history"),
            tone: match report.gate {
                Gate::Fail => Tone::Headline(Headline::Regressed),
                Gate::None => Tone::Headline(Headline::NoVerdict),
                Gate::Pass if tonight(report).next().is_some() => Tone::Warning,
                Gate::Pass => Tone::Calm,
            },
            quiet: vec![title.clone()],
            title,
            blocks: blocks(report),
        }
    }
}

fn blocks(report: &HistoryReport) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let open: Vec<Block> = tonight(report)
        .filter_map(|row| {
            let open = row.open.as_ref()?;
            let text = format!("{}: {}", format::sentence(&title(report, row)), open.sentence);
            Some(Block::text(Role::Warning, text))
        })
        .collect();
    if let Some(night) = report.nights.last().filter(|_| !open.is_empty()) {
        blocks.push(Block::heading(2, format!("Last night: {}", night.name)));
        blocks.extend(Block::first_of(open, BEFORE_FOLD, "more open series"));
    }
    let mut events: Vec<Block> = report
        .events
        .iter()
        .map(|event| Block::text(Role::Item, format::sentence(&event.sentence)))
        .collect();
    let pooled = report.pooled.iter().flat_map(|row| &row.changes);
    events.extend(pooled.map(|change| Block::text(Role::Item, format::sentence(&change.sentence))));
    if !events.is_empty() {
        blocks.push(Block::heading(2, "Events"));
        blocks.extend(Block::first_of(events, BEFORE_FOLD, "more event"));
    }
    blocks.extend(alone(report));
    blocks.extend(drawn(report));
    blocks.push(Block::text(Role::Next, report.next_step.clone()));
    let mut details = in_events(report);
    details.extend(unchanged(report));
    details.extend(unjudged(report));
    if report.cells == 1 && details.len() == report.series.len() {
        // Nothing happened: the reason is the answer.
        blocks.splice(0..0, details);
    } else {
        let summary = format!("all {}", of_series(report.series.len()));
        blocks.extend(Block::fold(summary, Room::Any, details));
    }
    blocks.extend(report.said.iter().map(|said| Block::marked(Role::Small, said)));
    blocks.push(Block::text(Role::Small, method(report)));
    blocks.extend(skipped(&report.skipped, MAX_SKIPPED));
    blocks
}

/// Changes of single series: those that no event explains.
fn alone(report: &HistoryReport) -> Vec<Block<'static>> {
    let mut found: Vec<(bool, usize, String)> = Vec::new();
    for row in &report.series {
        let name = format::sentence(&title(report, row));
        let mut add = |worse: bool, night: usize, sentence: &str| {
            found.push((worse, night, format!("{name}: {sentence}")));
        };
        let own = row.changes.iter().filter(|one| one.event.is_none() && one.creep.is_none());
        own.for_each(|one| add(one.confirmed && one.in_force, one.night, &one.sentence));
        row.creeps.iter().for_each(|one| add(one.confirmed, one.nights[1], &one.sentence));
        row.noise_changes.iter().for_each(|one| add(false, one.night, &one.sentence));
    }
    if found.is_empty() {
        return Vec::new();
    }
    // Changes in force first, the newest first.
    found.sort_by_key(|(first, night, _)| (!first, std::cmp::Reverse(*night)));
    let items = found.into_iter().map(|(.., text)| Block::text(Role::Item, text)).collect();
    let mut blocks = Vec::new();
    if report.cells > 1 || report.series.len() > 1 {
        blocks.push(Block::heading(2, "Changes of single series"));
    }
    blocks.extend(Block::first_of(items, BEFORE_FOLD, "more change"));
    blocks
}

/// Time lines of the changes, and all series by night.
fn drawn(report: &HistoryReport) -> Vec<Block<'_>> {
    let changed: Vec<usize> =
        (0..report.series.len()).filter(|at| report.series[*at].has_news()).collect();
    let quiet = (0..report.series.len()).filter(|at| report.series[*at].judged);
    let chosen: Vec<usize> = if changed.is_empty() { quiet.take(3).collect() } else { changed };
    let plots = chosen.into_iter().take(MAX_DRAWN);
    let mut blocks: Vec<Block> = Vec::new();
    if report.series.len() > 1 {
        blocks.push(Block::Plot(Plot::Strip { report, id: "strip".to_owned() }));
    }
    blocks.extend(plots.map(|at| {
        Block::Plot(Plot::TimeLine { report, row: &report.series[at], id: format!("s{at}") })
    }));
    blocks
}

/// The series of every event.
fn in_events(report: &HistoryReport) -> Vec<Block<'static>> {
    let mut blocks = Vec::new();
    for (number, event) in report.events.iter().enumerate() {
        let night = &report.nights[event.night].name;
        let rows: Vec<Vec<Cell>> = event
            .series
            .iter()
            .filter_map(|at| {
                let row = &report.series[*at];
                let change = row.changes.iter().find(|change| change.event == Some(number))?;
                let size = change.relative.map_or_else(String::new, |size| {
                    format::change(size, format::decimals_of_change(Some(size), change.relative_ci))
                });
                let ci = change.relative_ci.map_or_else(String::new, |ci| format::interval(ci, 1));
                let state = if change.in_force { "in force" } else { "undone since" };
                Some(vec![
                    Cell::from(title(report, row)),
                    Cell::from(size),
                    Cell::from(ci),
                    Cell::from(state.to_owned()),
                ])
            })
            .collect();
        blocks.push(Block::heading(3, format!("Event of {night}")));
        let level = format!("{} CI", format::chosen(report.settings.confidence));
        let columns =
            number_columns(["series".to_owned(), "change".to_owned(), level, "today".to_owned()]);
        blocks.push(Block::Table(Table::new(
            &format!("series of the event of {night}"),
            columns,
            rows,
        )));
    }
    blocks
}

/// A table of the series without news, or a sentence for each of a few.
fn unchanged(report: &HistoryReport) -> Vec<Block<'static>> {
    let quiet = |row: &&SeriesRow| row.judged && !row.has_news();
    let rows: Vec<&SeriesRow> = report.series.iter().filter(quiet).collect();
    if rows.len() <= 3 {
        return rows.iter().map(|row| Block::text(Role::Plain, headline(report, row))).collect();
    }
    let cell = |row: &&SeriesRow| {
        let noise = row.noise.map_or_else(String::new, |noise| {
            if noise.relative { percent(noise.sd) } else { with_unit(&plain(noise.sd), row.unit) }
        });
        let memory = row.noise.map_or_else(String::new, |noise| format::trimmed(noise.memory, 1));
        vec![
            Cell::from(title(report, row)),
            Cell::from(count(row.nights.len())),
            Cell::from(noise),
            Cell::from(memory),
            Cell::from(row.shown_after_5.map_or_else(String::new, percent)),
        ]
    };
    let head = ["series", "nights", "noise of a night", "memory", "shown after 5 nights"];
    let table = Table::new(
        "series without a change",
        number_columns(head),
        rows.iter().map(cell).collect(),
    );
    vec![Block::heading(3, "Without a change"), Block::Table(table)]
}

/// Series that were not judged, by reason.
fn unjudged(report: &HistoryReport) -> Vec<Block<'static>> {
    let mut reasons: Vec<(&str, Vec<&SeriesRow>)> = Vec::new();
    for row in report.series.iter().filter(|row| !row.judged) {
        match reasons.iter_mut().find(|(reason, _)| *reason == row.reason) {
            Some((_, rows)) => rows.push(row),
            None => reasons.push((&row.reason, vec![row])),
        }
    }
    reasons.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.len()));
    let more = reasons.len().saturating_sub(BEFORE_FOLD);
    let mut blocks: Vec<Block> = reasons
        .iter()
        .take(BEFORE_FOLD)
        .map(|(reason, rows)| {
            let named = format::first_few(rows, 2, |row| title(report, row));
            Block::text(Role::Item, format!("Not judged, {reason}: {named}."))
        })
        .collect();
    if more > 0 {
        blocks.push(Block::text(Role::Item, format!("Not judged for {more} more reasons.")));
    }
    blocks
}

fn method(report: &HistoryReport) -> String {
    let rate = format::chosen(report.settings.false_discovery_rate);
    let several = report.series.iter().flat_map(|row| &row.runs).any(|runs| *runs > 1);
    let medians = if several { " Several runs of a night count as their median." } else { "" };
    let (order, promise) = (order(report), &report.promise);
    format!(
        "{order}{medians} {promise} Confirmed changes keep a false discovery rate of {rate} over all series, or share a night."
    )
}
