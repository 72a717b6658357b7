//! The sentences of a verdict on a history.

use std::collections::BTreeSet;

use crate::format::{
    change as signed, counted, decimals_of_change, factor, first_few, interval, list, percent,
    percents, plain, plural, sentence, tenth, trimmed, with_unit,
};
use crate::report::history::{
    ChangeRow, CreepRow, EventRow, HistoryReport, Night, NoiseChangeRow, OpenRow, SeriesRow, Way,
};
use crate::stats::history::History;
use crate::verdict::Gate;

/// Numbers of unchanged series with one false alarm in three months, at the worst and at the best.
const WATCHED: [f64; 2] = [20.0, 100.0];

/// Longest value of a property that is written out.
const MAX_VALUE: usize = 32;

/// Memory from one night to the next; above it noise looks like a creep.
const LONG_MEMORY: f64 = 0.8;

/// Names in a sentence about the input.
const MAX_NAMED: usize = 6;

/// Properties that a sentence names.
const MAX_PROPERTIES: usize = 2;

/// The name of a series: its metric, and its cell where there are several.
pub(crate) fn title(report: &HistoryReport, row: &SeriesRow) -> String {
    if report.cells > 1 { format!("{}, {}", row.label, row.cell) } else { row.label.clone() }
}

/// Builds and properties that differ between two nights: `build a1b2c3 → d4e5f6`.
pub(crate) fn changed_with(nights: &[Night], before: Option<usize>, night: usize) -> Vec<String> {
    let Some((old, new)) = before.and_then(|at| nights.get(at)).zip(nights.get(night)) else {
        return Vec::new();
    };
    let builds = old.build.as_ref().zip(new.build.as_ref());
    let build = builds.filter(|(old, new)| old != new).map(|(old, new)| pair("build", old, new));
    let property = |(key, new): (&String, &String)| {
        let old = old.properties.get(key)?;
        (old != new).then(|| pair(key, old, new))
    };
    build.into_iter().chain(new.properties.iter().filter_map(property)).collect()
}

/// A property with both values; their common start and long hashes are cut.
fn pair(key: &str, old: &str, new: &str) -> String {
    let cut = |text: &str| {
        let hash = text.len() > 20 && text.bytes().all(|b| b.is_ascii_hexdigit());
        crate::format::shortened(text, if hash { 9 } else { MAX_VALUE })
    };
    format!("{key} {} → {}", cut(old), cut(new))
}

/// `worse` or `better`; empty if the better direction is unknown.
fn word(way: Way) -> &'static str {
    match way {
        Way::Better => "better",
        Way::Worse => "worse",
        Way::Changed => "changed",
    }
}

/// The effect with its way and its interval: `+4.8 %, worse (95 % CI +4.1 … +5.5)`.
fn effect(
    relative: Option<f64>,
    ci: Option<[f64; 2]>,
    way: Way,
    confidence: f64,
) -> Option<String> {
    let relative = relative?;
    let decimals = decimals_of_change(Some(relative), ci);
    let times = factor(relative).map_or_else(String::new, |factor| format!(" ({factor})"));
    let level = crate::format::chosen(confidence);
    let ci = ci.map_or_else(String::new, |ci| format!(" ({level} CI {})", interval(ci, decimals)));
    Some(format!("{}{times}, {}{ci}", signed(relative, decimals), word(way)))
}

/// Where a change came from: `(build a → b, image c → d)`.
fn from(with: &[String]) -> String {
    if with.is_empty() {
        return String::new();
    }
    format!(" ({})", first_few(with, MAX_PROPERTIES, Clone::clone))
}

fn name(nights: &[Night], at: usize) -> &str {
    nights.get(at).map_or("?", |night| &night.name)
}

/// The change of a series in words.
fn change_sentence(change: &ChangeRow, unit: &str, nights: &[Night], confidence: f64) -> String {
    let effect = effect(change.relative, change.relative_ci, change.way, confidence);
    let absolute = || {
        let size = change.absolute.unwrap_or_default();
        let sign = if size < 0.0 { "−" } else { "+" };
        format!("{sign}{}, {}", with_unit(&plain(size.abs()), unit), word(change.way))
    };
    let effect = effect.unwrap_or_else(absolute);
    let mut text = format!("{effect}, since {}", name(nights, change.night));
    let [first, last] = change.between;
    if first < last {
        let (first, last) = (name(nights, first), name(nights, last));
        text.push_str(&["; the first such night lies between ", first, " and ", last].concat());
    }
    text += &from(&change.with);
    text += ".";
    let others = match (change.as_far, change.stretches) {
        (_, 0) => String::new(),
        (0, n) => format!(" No other stretch of {} nights in {n} moved that much.", change.stretch),
        (k, n) => {
            format!(" {k} of {n} other stretches of {} nights moved that much.", change.stretch)
        }
    };
    text.push_str(&others);
    if !change.in_force {
        text += " Undone since.";
    }
    if !change.confirmed {
        text += " Unconfirmed: as large a contrast may come by chance among so many series.";
    }
    text
}

fn creep_sentence(creep: &CreepRow, nights: &[Night], confidence: f64) -> String {
    let [first, last] = creep.nights;
    let effect = effect(creep.relative, creep.relative_ci, creep.way, confidence);
    let effect = effect.unwrap_or_else(|| word(creep.way).to_owned());
    let (from, to) = (name(nights, first), name(nights, last));
    let count = last + 1 - first;
    let each = creep.relative.map_or_else(String::new, |all| {
        let each = (all.ln_1p() / count as f64).exp_m1();
        format!(" (about {} a night)", signed(each, 2))
    });
    let undone = if creep.in_force { "" } else { " Undone since." };
    format!(
        "creeping: {effect}, between {from} and {to}{each}; no single night is to blame.{undone}"
    )
}

fn noise_sentence(row: &SeriesRow, change: &NoiseChangeRow, nights: &[Night]) -> String {
    let word = if change.ratio > 1.0 { "more" } else { "less" };
    let now = row.noise.filter(|noise| noise.relative && row.noise_changes.len() == 1);
    let sizes = now.map_or_else(String::new, |noise| {
        format!(
            ": {} a night until then, {} since",
            percent(noise.sd / change.ratio),
            percent(noise.sd)
        )
    });
    let [low, high] = change.ratio_ci;
    format!(
        "{word} noise since {}, not another level{sizes} ({}x, 95 % CI {} … {}).",
        name(nights, change.night),
        trimmed(change.ratio, 1),
        trimmed(low, 1),
        trimmed(high, 1),
    )
}

fn open_sentence(row: &SeriesRow, open: &OpenRow) -> String {
    let nights = if open.nights == 1 {
        "the last night is".to_owned()
    } else {
        format!("the last {} nights are", open.nights)
    };
    let off = open.relative.map_or_else(
        || "off the level".to_owned(),
        |off| format!("{} off the level ({})", signed(off, 1), word(open.way)),
    );
    let before = match row.excursions.len() {
        0 => String::new(),
        1 => " One earlier night was as far out; it went back.".to_owned(),
        n => format!(" {n} earlier nights were as far out; all went back."),
    };
    let needed = if open.needed == 1 {
        "one more night decides".to_owned()
    } else {
        format!("{} more nights decide", open.needed)
    };
    format!(
        "{nights} {off}, {} times the noise of a night. Spike or change: {needed}.{before}",
        tenth(open.distance)
    )
}

/// The noise of a series: `noise 1.0 % a night, memory 0.1`.
fn noise(row: &SeriesRow) -> String {
    let Some(noise) = row.noise else { return String::new() };
    let size =
        if noise.relative { percent(noise.sd) } else { with_unit(&plain(noise.sd), row.unit) };
    let within = row.within_night.map_or_else(String::new, |within| {
        format!(", {} between the runs of a night", percent(within))
    });
    format!("noise {size} a night, memory {}{within}", trimmed(noise.memory, 1))
}

fn quiet(row: &SeriesRow) -> String {
    let count = row.nights.len();
    if !row.judged {
        return format!("not judged: {}", row.reason);
    }
    let shown = row.shown_after_5.map_or_else(String::new, |step| {
        format!(" A step of {} would have shown after 5 nights", percent(step))
    });
    let noise = noise(row);
    let shown =
        if shown.is_empty() { format!(" ({noise})") } else { format!("{shown} ({noise}).") };
    let long = row.noise.is_some_and(|noise| noise.memory >= LONG_MEMORY);
    let creep = if long { " With so long a memory a slow creep looks the same." } else { "" };
    let few = if count < History::ENOUGH_NIGHTS {
        format!(" Below {} nights the usual answer is \"not yet\".", History::ENOUGH_NIGHTS)
    } else {
        String::new()
    };
    format!("no change in {}.{shown}{creep}{few}", counted(count, "night"))
}

/// Writes the sentences of all rows.
pub(crate) fn complete(report: &mut HistoryReport) {
    let confidence = report.settings.confidence;
    let nights = &report.nights;
    for row in &mut report.series {
        let unit = row.unit;
        for change in &mut row.changes {
            change.with = changed_with(nights, change.after, change.between[1]);
            change.sentence = change_sentence(change, unit, nights, confidence);
        }
        for creep in &mut row.creeps {
            creep.sentence = creep_sentence(creep, nights, confidence);
        }
        let noises: Vec<String> =
            row.noise_changes.iter().map(|one| noise_sentence(row, one, nights)).collect();
        for (change, text) in row.noise_changes.iter_mut().zip(noises) {
            change.sentence = text;
        }
        let open = row.open.as_ref().map(|open| open_sentence(row, open));
        if let (Some(open), Some(text)) = (&mut row.open, open) {
            open.sentence = text;
        }
        row.summary = summary_of(row);
    }
    let texts: Vec<String> =
        report.events.iter().map(|event| event_sentence(report, event)).collect();
    for (event, text) in report.events.iter_mut().zip(texts) {
        event.sentence = text;
    }
    let nights = &report.nights;
    for row in &mut report.pooled {
        let (label, cells) = (row.label.clone(), row.cells);
        for change in &mut row.changes {
            let size = change.relative.map_or_else(String::new, |size| signed(size, 2));
            let undone = if change.in_force { "" } else { " Undone since." };
            change.sentence = format!(
                "{} of all {cells} cells together: {size} in the middle cell, {}, since {}{}.{undone}",
                label,
                word(change.way),
                name(nights, change.night),
                from(&change.with),
            );
        }
    }
}

fn summary_of(row: &SeriesRow) -> String {
    let alone = row.changes.iter().filter(|change| change.creep.is_none());
    let mut parts: Vec<&str> = alone.map(|change| change.sentence.as_str()).collect();
    parts.extend(row.creeps.iter().map(|creep| creep.sentence.as_str()));
    parts.extend(row.noise_changes.iter().map(|change| change.sentence.as_str()));
    parts.extend(row.open.iter().map(|open| open.sentence.as_str()));
    if parts.is_empty() { quiet(row) } else { parts.join(" ") }
}

fn event_sentence(report: &HistoryReport, event: &EventRow) -> String {
    let sizes = |way: Way| -> Vec<f64> {
        let changes = event.series.iter().flat_map(|at| &report.series[*at].changes);
        let own = changes.filter(|change| change.way == way && change.night == event.night);
        own.filter_map(|change| change.relative).collect()
    };
    let range = |way: Way, word: &str, count: usize| {
        let mut sizes = sizes(way);
        sizes.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        let range = match &sizes[..] {
            [] => String::new(),
            [only] => format!(" ({})", percent(*only)),
            [low, .., high] => format!(" ({})", percents([*low, *high])),
        };
        (count > 0).then(|| format!("{} {word}{range}", of_series(count)))
    };
    let parts: Vec<String> =
        [range(Way::Worse, "worse", event.worse), range(Way::Better, "better", event.better)]
            .into_iter()
            .flatten()
            .collect();
    let with = if event.with.is_empty() {
        "; no build or property that the history records changed with it".to_owned()
    } else {
        from(&event.with)
    };
    format!(
        "one event on {}: {} of {} changed{}{with}.",
        name(&report.nights, event.night),
        event.cells,
        counted(report.cells, "cell"),
        if parts.is_empty() { String::new() } else { format!(", {}", list(&parts)) },
    )
}

/// `1 series`, `4 series`.
pub(crate) fn of_series(count: usize) -> String {
    plural(count, "series", "series")
}

/// Why a change fails the gate.
pub(crate) fn failure(report: &HistoryReport, row: &SeriesRow, change: &ChangeRow) -> String {
    let left = change.remaining.map_or_else(String::new, |left| format!(" by {}", percent(left)));
    let since = name(&report.nights, change.night);
    let tolerance = percent(row.tolerance);
    format!("{} is worse{left} since {since}, {tolerance} is tolerated", title(report, row))
}

/// How often such a list is wrong.
pub(crate) fn promise(series: usize, judged: usize) -> String {
    if judged == 0 {
        return String::new();
    }
    let [most, least] = WATCHED.map(|each| judged as f64 / each);
    let (low, high) = History::FALSE_IN_LIST;
    let alarms = if most < 1.0 {
        "less than one".to_owned()
    } else {
        let low = least.floor();
        format!("{low:.0} to {:.0}", most.ceil())
    };
    let of = if series == judged { String::new() } else { format!(" of {series}") };
    format!(
        "Of unchanged series {} to {} stand in such a list. Judged every night for three months, one in {:.0} to {:.0} raises a \
         false alarm: {alarms} for the {}{of} here.",
        percent(low),
        percent(high),
        WATCHED[0],
        WATCHED[1],
        plural(judged, "judged series", "judged series"),
    )
}

/// Changes of a report as a reader counts them: an event once, and every other confirmed change.
struct Counts {
    worse: usize,
    better: usize,
    changed: usize,
    unconfirmed: usize,
    open: usize,
    /// First night of the only change for the worse.
    since: Option<usize>,
}

fn counts(report: &HistoryReport) -> Counts {
    let mut counts =
        Counts { worse: 0, better: 0, changed: 0, unconfirmed: 0, open: 0, since: None };
    let mut add = |way: Way, night: usize| match way {
        Way::Worse => {
            counts.worse += 1;
            counts.since = Some(night);
        }
        Way::Better => counts.better += 1,
        Way::Changed => counts.changed += 1,
    };
    for (number, event) in report.events.iter().enumerate() {
        for way in [Way::Worse, Way::Better, Way::Changed] {
            let changes = event.series.iter().flat_map(|at| &report.series[*at].changes);
            let own = |change: &&ChangeRow| change.event == Some(number) && change.in_force;
            if changes.filter(own).any(|change| change.way == way) {
                add(way, event.night);
            }
        }
    }
    for row in &report.series {
        let alone = |change: &&ChangeRow| change.event.is_none() && change.creep.is_none();
        for change in row.changes.iter().filter(alone) {
            if change.confirmed && change.in_force {
                add(change.way, change.night);
            }
        }
        for creep in row.creeps.iter().filter(|creep| creep.confirmed && creep.in_force) {
            add(creep.way, creep.nights[0]);
        }
    }
    for row in &report.pooled {
        row.changes.iter().filter(|one| one.in_force).for_each(|one| add(one.way, one.night));
    }
    let changes = report.series.iter().flat_map(|row| &row.changes);
    counts.unconfirmed = changes.filter(|one| !one.confirmed && one.creep.is_none()).count();
    counts.open = tonight(report).count();
    counts
}

/// Series whose last nights are open, of the last night of all.
pub(crate) fn tonight(report: &HistoryReport) -> impl Iterator<Item = &SeriesRow> {
    let last = report.nights.len().checked_sub(1);
    report.series.iter().filter(move |row| row.open.is_some() && row.nights.last().copied() == last)
}

/// The verdict in one sentence.
pub(crate) fn summary(report: &HistoryReport) -> String {
    let size =
        format!("({}, {})", counted(report.cells, "cell"), counted(report.nights.len(), "night"));
    if !report.series.iter().any(|row| row.judged) {
        let reason = report.series.first().map_or("", |row| &row.reason);
        return format!("no verdict: {reason} {size}");
    }
    let Counts { worse, better, changed, unconfirmed, open, since } = counts(report);
    let mut parts = Vec::new();
    if worse > 0 {
        let since = since.filter(|_| worse == 1);
        let since =
            since.map_or_else(String::new, |at| format!(" since {}", name(&report.nights, at)));
        parts.push(format!("{} for the worse in force{since}", counted(worse, "change")));
    }
    if better > 0 {
        parts.push(format!("{} for the better", counted(better, "change")));
    }
    if changed > 0 {
        parts.push(format!("{} without a known direction", counted(changed, "change")));
    }
    if parts.is_empty() {
        parts.push("no change in force".to_owned());
    }
    if unconfirmed > 0 {
        parts.push(format!("{unconfirmed} unconfirmed"));
    }
    if open > 0 {
        parts.push(format!("{} open since the last night", of_series(open)));
    }
    format!("{} {size}", list(&parts))
}

pub(crate) fn next_step(report: &HistoryReport) -> String {
    if !report.series.iter().any(|row| row.judged) {
        return "measure more nights: 12 give a first verdict, 30 a useful one".to_owned();
    }
    if let Some(open) = tonight(report).find_map(|row| row.open.as_ref()) {
        let more = if open.needed == 1 { "one more night" } else { "two more nights" };
        return format!(
            "wait for {more}, or run the last build again now: then it is known whether it is a spike"
        );
    }
    let in_force = |change: &&ChangeRow| {
        change.way == Way::Worse && change.in_force && change.confirmed && change.creep.is_none()
    };
    let newest = report
        .series
        .iter()
        .flat_map(|row| &row.changes)
        .filter(in_force)
        .max_by_key(|change| change.night);
    if let Some(change) = newest {
        let nights = &report.nights;
        let before = change.after.map_or("the night before", |at| name(nights, at));
        let label = |at: usize| nights.get(at).and_then(|night| night.build.clone());
        let [old, new] = [change.after.and_then(label), label(change.between[1])];
        let builds = match old.zip(new).filter(|(old, new)| old != new) {
            Some((old, new)) => format!(" (builds {} and {})", cut(&old), cut(&new)),
            None => String::new(),
        };
        return format!(
            "compare what ran on {before} and on {}{builds}, interleaved on one machine: beyondnoise run",
            name(nights, change.between[1])
        );
    }
    if report.gate == Gate::Fail {
        return "look for what moved all cells: the machine, its image, the load generator"
            .to_owned();
    }
    "nothing: go on measuring".to_owned()
}

fn cut(text: &str) -> String {
    crate::format::shortened(text, 12)
}

/// The settings in which cells differ (`keys`), and the settings that describe nights (`about`).
pub(crate) fn read_as(keys: &[String], about: &BTreeSet<String>) -> Vec<String> {
    let mut said = Vec::new();
    if !keys.is_empty() {
        said.push(format!("Cells differ in {}.", list(keys)));
    }
    if !about.is_empty() {
        let about: Vec<String> = about.iter().cloned().collect();
        said.push(format!(
            "Taken as properties of a night, not as settings: {}.",
            first_few(&about, MAX_NAMED, Clone::clone)
        ));
    }
    said
}

/// The sentence about the order of the nights.
pub(crate) fn order(report: &HistoryReport) -> &'static str {
    use crate::report::history::Order;
    match report.order {
        Order::Started => "Nights are in the order of their start.",
        Order::Names => "Nights are in the order of their names.",
        Order::Given => "Nights are in the order of the input, which has no times.",
    }
}

/// The same as a headline of a series: its name and its summary.
pub(crate) fn headline(report: &HistoryReport, row: &SeriesRow) -> String {
    format!("{}: {}", sentence(&title(report, row)), row.summary)
}
