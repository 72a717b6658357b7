//! A verdict on a history as CSV: one line per change, creep, change of the noise and open question, and one per series
//! without any.

use crate::history::{HistoryReport, SeriesRow, Way};

const COLUMNS: [&str; 24] = [
    "cell",
    "metric",
    "unit",
    "kind",
    "way",
    "night",
    "first",
    "last",
    "build",
    "relative",
    "relative_low",
    "relative_high",
    "absolute",
    "z",
    "confirmed",
    "sure",
    "event",
    "in_force",
    "remaining",
    "nights",
    "noise",
    "memory",
    "p_adjusted",
    "sentence",
];

/// The verdict as CSV with a header; unknown values are empty cells.
///
/// # Panics
///
/// Never: writing to memory cannot fail.
pub fn history_csv(report: &HistoryReport) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS).expect("writing to memory cannot fail");
    for row in &report.series {
        for line in lines(report, row) {
            writer.write_record(line.cells(report, row)).expect("writing to memory cannot fail");
        }
    }
    let bytes = writer.into_inner().expect("writing to memory cannot fail");
    String::from_utf8(bytes).expect("every cell is text")
}

/// The fields in which the lines of a series differ.
#[derive(Default)]
struct Line<'a> {
    kind: &'static str,
    way: Option<Way>,
    night: Option<usize>,
    between: Option<[usize; 2]>,
    relative: Option<f64>,
    ci: Option<[f64; 2]>,
    absolute: Option<f64>,
    z: Option<f64>,
    confirmed: Option<bool>,
    sure: Option<bool>,
    event: Option<usize>,
    in_force: Option<bool>,
    remaining: Option<f64>,
    sentence: &'a str,
}

fn lines<'a>(report: &HistoryReport, row: &'a SeriesRow) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for change in &row.changes {
        lines.push(Line {
            kind: if change.creep.is_some() { "part of a creep" } else { "step" },
            way: Some(change.way),
            night: Some(change.night),
            between: Some(change.between),
            relative: change.relative,
            ci: change.relative_ci,
            absolute: change.absolute,
            z: Some(change.z),
            confirmed: Some(change.confirmed),
            sure: Some(change.sure),
            event: change.event.map(|event| report.events[event].night),
            in_force: Some(change.in_force),
            remaining: change.remaining,
            sentence: &change.sentence,
        });
    }
    lines.extend(row.creeps.iter().map(|creep| Line {
        kind: "creep",
        way: Some(creep.way),
        night: Some(creep.nights[0]),
        between: Some(creep.nights),
        relative: creep.relative,
        ci: creep.relative_ci,
        confirmed: Some(creep.confirmed),
        in_force: Some(creep.in_force),
        sentence: &creep.sentence,
        ..Line::default()
    }));
    lines.extend(row.noise_changes.iter().map(|change| Line {
        kind: "noise",
        night: Some(change.night),
        between: Some(change.between),
        relative: Some(change.ratio - 1.0),
        ci: Some(change.ratio_ci.map(|end| end - 1.0)),
        sentence: &change.sentence,
        ..Line::default()
    }));
    lines.extend(row.open.iter().map(|open| Line {
        kind: "open",
        way: Some(open.way),
        night: row.nights.last().copied(),
        relative: open.relative,
        sentence: &open.sentence,
        ..Line::default()
    }));
    if lines.is_empty() {
        let kind = if row.judged { "unchanged" } else { "not judged" };
        lines.push(Line { kind, sentence: &row.summary, ..Line::default() });
    }
    lines
}

impl Line<'_> {
    fn cells(&self, report: &HistoryReport, row: &SeriesRow) -> [String; COLUMNS.len()] {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let flag = |value: Option<bool>| value.map_or_else(String::new, |value| value.to_string());
        let night = |at: Option<usize>| {
            let night = at.and_then(|at| report.nights.get(at));
            night.map_or_else(String::new, |night| night.name.clone())
        };
        let build = self.night.and_then(|at| report.nights.get(at)?.build.clone());
        let way = match self.way {
            Some(Way::Better) => "better",
            Some(Way::Worse) => "worse",
            Some(Way::Changed) => "changed",
            None => "",
        };
        [
            row.cell.clone(),
            row.metric.clone(),
            row.unit.to_owned(),
            self.kind.to_owned(),
            way.to_owned(),
            night(self.night),
            night(self.between.map(|ends| ends[0])),
            night(self.between.map(|ends| ends[1])),
            build.unwrap_or_default(),
            number(self.relative),
            number(self.ci.map(|ends| ends[0])),
            number(self.ci.map(|ends| ends[1])),
            number(self.absolute),
            number(self.z),
            flag(self.confirmed),
            flag(self.sure),
            night(self.event),
            flag(self.in_force),
            number(self.remaining),
            row.nights.len().to_string(),
            number(row.noise.map(|noise| noise.sd)),
            number(row.noise.map(|noise| noise.memory)),
            number(row.judged.then_some(row.p_adjusted)),
            self.sentence.to_owned(),
        ]
    }
}
