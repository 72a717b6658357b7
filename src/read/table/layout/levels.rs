//! Headers of several levels, as pandas writes them (`.agg`, pivots, columns of tuples) and as people merge their cells,
//! and labels of rows that name a variant and a metric: `| main tok/s | 41.2 | 300.1 |`.
//!
//! Levels of metrics and statistics become columns; every other level, and the labels of rows, become a column each.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::fields;
use crate::kit::figure::{figure, is_unit};
use crate::table::column_names::{VARIANT, is_unnamed};
use crate::table::layout::columns::{
    has_variants, header_unit, is_called, is_change, is_metric, is_statistic, load_of,
    names_variants, says_nothing, without_unit,
};
use crate::table::layout::sides::splits_of;
use crate::table::records::{Line, Row, Table};
use crate::table::role_words::{RUN, counts_runs as counts_behind};
use crate::text::headings::{counts_runs, numbered};
use beyondnoise_model::runs::{LabelHint, is_option_value, label_hint};

/// Most lines of a header below its first.
const MAX_LEVELS: usize = 3;

/// A header of several levels.
struct Header {
    /// The columns that describe a row, by their names.
    ids: Vec<String>,
    /// Name of each level, empty where it has none, and its label over each of the other columns.
    levels: Vec<(String, Vec<String>)>,
    /// Rows of the table that belong to it.
    lines: usize,
}

/// Brings a header of several levels into one line; false where it has only one. `runs`: the number of runs behind each
/// average, where the text above says so.
pub(crate) fn flatten(table: &mut Table, runs: Option<u64>) -> bool {
    let Some(header) = of_tuples(table).or_else(|| of_lines(table)) else { return false };
    let width = table.headers.len();
    let Header { ids, levels, lines } = header;
    let first = ids.len();
    // Columns that compare others have no place among the levels: `FA3 vs Flax` over `Speedup`.
    let change = |at: &usize| {
        let mut cells = table.rows.iter().skip(lines).map(|row| row.cells.get(*at)).peekable();
        cells.peek().is_some() && cells.all(is_change)
    };
    let changes: Vec<usize> = (first..width).filter(change).collect();
    let values: Vec<usize> = (first..width).filter(|at| !changes.contains(at)).collect();
    if values.is_empty() {
        return false;
    }
    let rows: Vec<Row> = table.take_rows().into_iter().skip(lines).collect();
    // Labels over values in units of their own are metrics: `still` over `56.7%`, `longest stall` over `0.3 s`.
    let unit = |at: usize| -> BTreeSet<String> {
        let cells = rows.iter().filter_map(|row| figure(&row.cells[at], false));
        cells.map(|found| found.unit).collect()
    };
    let in_units = |labels: &[String]| {
        if labels.iter().any(|label| label_hint(label) != LabelHint::Neither) {
            return false;
        }
        let mut by_label: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for &at in &values {
            by_label.entry(&labels[at - first]).or_default().extend(unit(at));
        }
        let all: BTreeSet<&String> = by_label.values().flatten().collect();
        by_label.values().all(|units| units.len() == 1) && all.len() == by_label.len()
    };
    let (metrics, keys): (Vec<_>, Vec<_>) = levels.into_iter().partition(|(_, labels)| {
        let distinct: BTreeSet<&String> = values.iter().map(|at| &labels[at - first]).collect();
        names_metrics(&values.iter().map(|at| labels[at - first].clone()).collect::<Vec<_>>())
            || distinct.len() > 1 && in_units(labels)
    });
    let metric = |at: usize| {
        let parts: Vec<&str> = metrics.iter().map(|(_, labels)| &*labels[at - first]).collect();
        joined(&parts)
    };
    let names: Vec<String> = (first..width).map(metric).collect();
    let key =
        |at: usize| -> Vec<&str> { keys.iter().map(|(_, labels)| &*labels[at - first]).collect() };
    let mut headers = ids;
    for (name, labels) in &keys {
        headers.push(named_level(name, labels, &headers));
    }
    let mut measured: Vec<&String> = Vec::new();
    for name in values.iter().map(|at| &names[at - first]) {
        if !measured.contains(&name) {
            measured.push(name);
        }
    }
    headers.extend(measured.iter().map(|name| (*name).clone()));
    let mut combinations: Vec<Vec<&str>> = Vec::new();
    for &at in &values {
        if !combinations.contains(&key(at)) {
            combinations.push(key(at));
        }
    }
    let mut out = Vec::new();
    for row in &rows {
        for combination in &combinations {
            let mut cells: Vec<String> = row.cells[..first].to_vec();
            cells.extend(combination.iter().map(|label| (*label).to_owned()));
            let cell = |name: &&String| {
                let at = values
                    .iter()
                    .find(|&&at| names[at - first] == **name && key(at) == *combination);
                at.map_or_else(String::new, |&at| row.cells[at].clone())
            };
            cells.extend(measured.iter().map(cell));
            let number = if keys.is_empty() { row.number } else { out.len() + 1 };
            out.push(Row { number, cells });
        }
    }
    if !keys.is_empty() {
        table.counts = "row";
    }
    table.headers = headers;
    one_count(&mut table.headers, &mut out, runs);
    table.put_rows(out);
    true
}

/// Makes one row of a table whose rows are statistics of its columns over the requests of a run, as pandas describes a table;
/// the count and the deviation are none of a run.
pub(crate) fn describes_one_run(table: &mut Table) -> bool {
    let width = table.headers.len();
    if width < 2 {
        return false;
    }
    let words: Vec<String> =
        table.rows.iter().map(|row| row.cells.get(0).trim().to_lowercase()).collect();
    let known = |word: &String| is_statistic(word) || word == "count";
    let distinct: BTreeSet<&String> = words.iter().collect();
    let centre = words.iter().any(|word| ["mean", "avg", "median", "50%"].contains(&&**word));
    let all = words.len() > 2 && words.iter().all(known) && distinct.len() == words.len();
    let numbers = (1..width).all(|at| table.filled(at).all(|cell| fields::number(cell).is_some()));
    if !is_unnamed(&table.headers[0]) || !all || !centre || !numbers {
        return false;
    }
    let rows = table.take_rows();
    let number = rows.first().map_or(0, |row| row.number);
    let (mut headers, mut cells) = (Vec::new(), Vec::new());
    for (row, word) in rows.iter().zip(&words) {
        if matches!(&**word, "count" | "std" | "stddev" | "var") {
            continue;
        }
        let word = word.strip_suffix('%').map_or_else(|| word.clone(), |level| format!("p{level}"));
        for at in 1..width {
            headers.push(format!("{word} {}", table.headers[at]));
            cells.push(row.cells[at].clone());
        }
    }
    table.headers = headers;
    table.put_rows(vec![Row { number, cells }]);
    true
}

/// Counts of several columns that are equal in each row, as one column; without any the one that the text states.
fn one_count(headers: &mut Vec<String>, rows: &mut [Row], stated: Option<u64>) {
    let is_count = |name: &String| name.strip_prefix("count ").is_some();
    let counts: Vec<usize> = (0..headers.len()).filter(|&at| is_count(&headers[at])).collect();
    let spread = headers.iter().any(|name| name.starts_with("std "));
    let alike = |row: &Row| counts.windows(2).all(|two| row.cells[two[0]] == row.cells[two[1]]);
    match (counts.first(), stated) {
        (Some(&first), _) if rows.iter().all(alike) => {
            for row in rows.iter_mut() {
                let mut at = 0;
                row.cells.retain(|_| {
                    at += 1;
                    !counts[1..].contains(&(at - 1))
                });
            }
            let mut at = 0;
            headers.retain(|_| {
                at += 1;
                !counts[1..].contains(&(at - 1))
            });
            "n_runs".clone_into(&mut headers[first]);
        }
        (None, Some(runs)) if spread && !headers.iter().any(|name| counts_behind(name)) => {
            headers.push("n_runs".to_owned());
            for row in rows.iter_mut() {
                row.cells.push(runs.to_string());
            }
        }
        _ => {}
    }
}

/// Words of a data frame for the number of values.
const COUNTS: &[&str] = &["count", "n", "size", "nunique", "len"];

/// Words of a data frame for a standard deviation.
const SPREADS: &[&str] = &["std", "sd", "stdev", "stddev", "std dev", "标准差"];

/// Words of a data frame for a mean.
const MEANS: &[&str] = &["mean", "avg", "average", "平均", "均值", "平均值"];

/// Whether most labels of a level are metrics or statistics.
fn names_metrics(labels: &[String]) -> bool {
    let distinct: BTreeSet<&String> = labels.iter().collect();
    let metric = |label: &&&String| {
        let lower = label.trim().to_lowercase();
        is_metric(label) && label_hint(label) == LabelHint::Neither
            || is_statistic(&lower)
            || COUNTS.contains(&&*lower)
    };
    2 * distinct.iter().filter(metric).count() > distinct.len()
}

/// The name of a metric from its labels: the mean of `tok_s` is `tok_s`, its median `median tok_s`.
fn joined(parts: &[&str]) -> String {
    let lower: Vec<String> = parts.iter().map(|part| part.trim().to_lowercase()).collect();
    let of = |at: usize| parts.len() > 1 && !parts[at].is_empty();
    let statistic = (0..parts.len())
        .filter(|&at| of(at))
        .find(|&at| is_statistic(&lower[at]) || COUNTS.contains(&&*lower[at]));
    let Some(at) = statistic else {
        let name = parts.join(" ").trim().to_owned();
        return if name.is_empty() { "value".to_owned() } else { name };
    };
    let others: Vec<&str> = [&parts[..at], &parts[at + 1..]].concat();
    let name = others.join(" ").trim().to_owned();
    match &*lower[at] {
        word if MEANS.contains(&word) => name,
        word if SPREADS.contains(&word) => format!("std {name}"),
        word if COUNTS.contains(&word) => format!("count {name}"),
        word => format!("{word} {name}"),
    }
}

/// A name for the column of a level.
fn named_level(name: &str, labels: &[String], taken: &[String]) -> String {
    let free = |name: &&str| !taken.iter().any(|other| other.to_lowercase() == **name);
    if !name.trim().is_empty() && free(&&*name.to_lowercase()) {
        return name.trim().to_owned();
    }
    let sides = labels.iter().any(|label| label_hint(label) != LabelHint::Neither);
    let names: &[&str] =
        if sides { &["variant", "build", "arm"] } else { &["level", "level 2", "level 3"] };
    names.iter().copied().find(free).unwrap_or("level").to_owned()
}

/// The levels of columns that are called `('tok_s', 'mean')`.
fn of_tuples(table: &Table) -> Option<Header> {
    let parts = |header: &String| -> Option<Vec<String>> {
        let inner = header.trim().strip_prefix('(')?.strip_suffix(')')?;
        let part = |part: &str| {
            let part = part.trim();
            let bare = part.trim_matches(['\'', '"']);
            (bare.len() + 2 == part.len() || fields::number(part).is_some())
                .then(|| bare.to_owned())
        };
        let parts: Option<Vec<String>> = inner.split(',').map(part).collect();
        parts.filter(|parts| parts.len() > 1 && inner.contains(['\'', '"']))
    };
    let first = table.headers.iter().position(|header| parts(header).is_some())?;
    let columns: Option<Vec<Vec<String>>> = table.headers[first..].iter().map(parts).collect();
    let columns = columns?;
    let depth = columns.iter().map(Vec::len).min()?;
    let level = |at: usize| {
        (String::new(), columns.iter().map(|parts| parts[at].clone()).collect::<Vec<_>>())
    };
    let ids = table.headers[..first].to_vec();
    Some(Header { ids, levels: (0..depth).map(level).collect(), lines: 0 })
}

/// The levels of a header that goes on in the first rows.
fn of_lines(table: &Table) -> Option<Header> {
    let width = table.headers.len();
    let row = |at: usize| -> Vec<String> {
        table.rows.get(at).cells.iter().map(|cell| cell.trim().to_owned()).collect()
    };
    let near: Vec<Vec<String>> = (0..table.rows.len().min(MAX_LEVELS + 1)).map(row).collect();
    let is_number = |cell: &String| figure(cell, false).is_some() || is_change(cell);
    // The names of the index alone in a line, behind all levels.
    let names = |cells: &Vec<String>| {
        let filled = cells.iter().take_while(|cell| !cell.is_empty()).count();
        let rest = cells[filled..].iter().all(String::is_empty);
        (filled > 0 && filled + 1 < width && rest && !cells[..filled].iter().any(is_number))
            .then_some(filled)
    };
    let below = |from: usize, first: usize| {
        near.get(from).is_some_and(|cells| {
            let filled = cells[first..].iter().filter(|cell| !cell.is_empty());
            cells[first..].iter().any(is_number) && filled.into_iter().all(is_number)
        })
    };
    let index = (0..near.len()).find_map(|at| Some((at, names(&near[at])?)));
    let blank = |cells: &[String]| cells.iter().any(String::is_empty);
    let twice = table.headers.iter().enumerate().any(|(at, name)| {
        name.is_empty() && at > 0 || !name.is_empty() && table.headers[..at].contains(name)
    });
    let (first, lines, ids) = if let Some((at, first)) =
        index.filter(|&(at, first)| below(at + 1, first) && (at > 0 || twice))
    {
        (first, at + 1, near[at][..first].to_vec())
    } else {
        let cells = near.first().filter(|_| twice)?;
        let empty = |cells: &[String]| cells.iter().take_while(|cell| cell.is_empty()).count();
        // The names of the index stand in the line of the last level where the header is empty above them.
        let named = empty(cells) == 0 && empty(&table.headers) > 0;
        let ids = if named { cells } else { &table.headers };
        let first = empty(if named { &table.headers } else { cells });
        let labels = &cells[first..];
        let words = first > 0
            && first < width
            && !blank(labels)
            && !labels.iter().any(is_number)
            && below(1, first);
        if !words {
            return None;
        }
        (first, 1, ids[..first].to_vec())
    };
    let of_index = index.is_some_and(|(at, _)| at + 1 == lines);
    let levels = lines - usize::from(of_index);
    let mut found = Vec::new();
    for at in 0..=levels {
        let cells = if at == 0 { &table.headers } else { &near[at - 1] };
        let name = if of_index { cells[0].clone() } else { String::new() };
        let mut labels = cells[first..].to_vec();
        // The label of a merged cell stands over the first of its columns.
        let mut last = String::new();
        for label in &mut labels {
            if label.is_empty() {
                label.clone_from(&last);
            } else {
                last.clone_from(label);
            }
        }
        if at == levels && at > 0 && of_index && labels.iter().all(String::is_empty) {
            break;
        }
        found.push((name, labels));
    }
    Some(Header { ids, levels: found, lines })
}

/// Gives the rows below a line of one word a column for that word: `| **mean** | | |` over the rows that it is about.
pub(crate) fn sections(table: &mut Table) -> bool {
    let width = table.headers.len();
    let section = |row: Line| {
        let mut cells = row.cells.iter().map(str::trim);
        let first = cells.next().unwrap_or_default();
        let named = !first.is_empty() && figure(first, false).is_none();
        named && cells.all(str::is_empty)
    };
    let count = table.rows.iter().filter(|row| section(*row)).count();
    let starts = table.rows.iter().next().is_some_and(section);
    let empty = |row: Line| row.cells.iter().skip(1).all(|cell| cell.trim().is_empty());
    let bare = table.rows.iter().filter(|row| empty(*row)).count();
    // The names of an index alone in a line are a part of the header.
    let ended = !table.rows.is_empty() && section(table.rows.get(table.rows.len() - 1));
    if width < 3 || !starts || ended || bare > count || count < 2 {
        return false;
    }
    let is_section: Vec<bool> = table.rows.iter().map(section).collect();
    // Where no metric comes twice they only group these: `**Latency**`.
    let names = || {
        let rows = table.rows.iter().zip(&is_section).filter(|(_, is_section)| !**is_section);
        rows.map(|(row, _)| row.cells.get(0).trim())
    };
    let distinct = names().collect::<BTreeSet<_>>().len() == names().count();
    if distinct && 2 * names().filter(|name| is_metric(name)).count() > names().count() {
        let rows = table.take_rows().into_iter().zip(is_section);
        let rows = rows.filter(|(_, is_section)| !is_section).map(|(row, _)| row).collect();
        table.put_rows(rows);
        return true;
    }
    let mut name = String::new();
    let mut out = Vec::new();
    for (row, is_section) in table.take_rows().into_iter().zip(is_section) {
        if is_section {
            row.cells[0].trim().clone_into(&mut name);
        } else {
            let cells = std::iter::once(name.clone()).chain(row.cells).collect();
            out.push(Row { number: row.number, cells });
        }
    }
    let taken = table.headers.iter().any(|header| is_called(header, &["section"]));
    table.headers.insert(0, if taken { "section above" } else { "section" }.to_owned());
    table.put_rows(out);
    true
}

/// Takes the number of the run out of a column of labels: `v0.9 Round1`, `v0.9 Round2`, or `old_g1`, `old_g2` where another
/// column of words has the same groups.
pub(crate) fn split_numbered_labels(table: &mut Table) -> bool {
    let width = table.headers.len();
    if table.headers.iter().any(|header| is_called(header, RUN)) || table.rows.len() < 2 {
        return false;
    }
    let cells = |at: usize| table.rows.iter().map(move |row| row.cells.get(at).trim());
    let words = |at: usize| cells(at).all(|cell| cell.contains(char::is_alphabetic));
    let pairs = |at: usize, stems: &[&str]| {
        let own: BTreeSet<&str> = stems.iter().copied().collect();
        let other: BTreeSet<&str> = cells(at).collect();
        let both: BTreeSet<(&str, &str)> = stems.iter().copied().zip(cells(at)).collect();
        own.len() > 1 && own.len() == other.len() && both.len() == own.len()
    };
    let numbers = |at: usize| -> Option<Vec<(String, usize)>> {
        let split: Vec<(&str, usize, bool)> = cells(at)
            .map(|cell| numbered(cell).or_else(|| ends_in_number(cell)))
            .collect::<Option<_>>()?;
        let stems: Vec<&str> = split.iter().map(|(stem, ..)| *stem).collect();
        let once: BTreeSet<(&str, usize)> =
            split.iter().map(|(stem, nth, _)| (*stem, *nth)).collect();
        let several = stems.iter().collect::<BTreeSet<_>>().len() < stems.len();
        let named = split.iter().all(|(.., named)| *named);
        let grouped =
            || (0..width).any(|other| other != at && words(other) && pairs(other, &stems));
        (once.len() == split.len() && several && (named || grouped()))
            .then(|| split.iter().map(|(stem, nth, _)| ((*stem).to_owned(), *nth)).collect())
    };
    let Some((at, split)) =
        (0..width).filter(|&at| words(at)).find_map(|at| Some((at, numbers(at)?)))
    else {
        return false;
    };
    let mut rows = table.take_rows();
    for (row, (stem, nth)) in rows.iter_mut().zip(split) {
        row.cells[at] = stem;
        row.cells.push(nth.to_string());
    }
    table.headers.push(RUN[0].to_owned());
    table.put_rows(rows);
    true
}

/// Splits labels of rows that name a build and its piece of work, each build with each piece: `27B Triton`, `FI decode bs=1`.
/// The work is what has numbers in it.
pub(crate) fn split_crossed_labels(table: &mut Table, heading: Option<&str>) -> bool {
    let labels: Vec<String> = table.rows.iter().map(|row| row.cells.get(0).to_owned()).collect();
    // Sides over the columns or above the table are what is compared.
    let side = |words: &str| label_hint(words) != LabelHint::Neither;
    let others = (1..table.headers.len()).any(|at| {
        names_variants(table, at) || side(&table.headers[at]) || is_change(&table.headers[at])
    }) || heading.is_some_and(side);
    // Only under a word for builds: `gemm 1024` under `Kernel` is a piece of work.
    let Some(header) = table.headers.first() else { return false };
    let lower = header.to_lowercase();
    let groups = ["group", "分组", "engine", "backend", "framework", "runtime", "impl"];
    let builds = is_called(header, VARIANT) || groups.iter().any(|word| lower.contains(word));
    // Two columns whose names say nothing are builds as well.
    let silent = |at: usize| {
        let name = without_unit(&table.headers[at]).trim();
        says_nothing(name) && !counts_behind(name)
    };
    let columns = (1..table.headers.len()).filter(|&at| silent(at)).count() > 1;
    if others || !builds || columns || !(4..=1_000).contains(&labels.len()) {
        return false;
    }
    let bare: Vec<String> =
        labels.iter().map(|label| label.replace(['*', '`'], "").trim().to_owned()).collect();
    let split = |last: bool| -> Option<Vec<(&str, &str)>> {
        let labels = bare.iter();
        labels
            .map(|label| if last { label.rsplit_once(' ') } else { label.split_once(' ') })
            .collect()
    };
    // `27B`, `4096`, `bs=1`; `v2` and `cu126` are builds.
    let size = |word: &str| {
        let digits = word.trim_end_matches(|c: char| "kKmMbBgG".contains(c));
        fields::number(digits).is_some() && !digits.contains('.')
            || word.split_once('=').is_some_and(|(_, size)| fields::number(size).is_some())
    };
    let number = |words: &&str| words.split(' ').any(size);
    let build = |word: &&str| {
        let bare = word.trim_matches(',').to_lowercase();
        let set = ["true", "false", "yes", "no", "on", "off"].contains(&&*bare);
        let word = word.contains(char::is_alphabetic) && !is_metric(word) && !is_unit(word);
        word && !number(&&*bare) && !set && !side(&bare)
    };
    let found = [false, true].into_iter().find_map(|last| {
        let parts = split(last)?;
        let [first, second] = every_pair(&parts)?;
        let of_first = first.iter().all(build) && second.iter().all(number);
        let of_second = second.iter().all(build) && first.iter().all(number);
        let both = |(one, two): &(&str, &str)| {
            let (build, work) = if of_first { (one, two) } else { (two, one) };
            ((*build).to_owned(), (*work).to_owned())
        };
        (of_first || of_second).then(|| parts.iter().map(both).collect::<Vec<_>>())
    });
    let Some(found) = found else { return false };
    let mut rows = table.take_rows();
    for (row, (build, work)) in rows.iter_mut().zip(found) {
        row.cells[0] = build;
        row.cells.insert(1, work);
    }
    VARIANT[0].clone_into(&mut table.headers[0]);
    table.headers.insert(1, "case".to_owned());
    table.put_rows(rows);
    true
}

/// The first and the second parts of pairs, where each of the one comes once with each of the other.
fn every_pair<'a>(parts: &[(&'a str, &'a str)]) -> Option<[BTreeSet<&'a str>; 2]> {
    let first: BTreeSet<&str> = parts.iter().map(|(one, _)| *one).collect();
    let second: BTreeSet<&str> = parts.iter().map(|(_, two)| *two).collect();
    let all: BTreeSet<&(&str, &str)> = parts.iter().collect();
    let several = first.len() > 1 && second.len() > 1 && all.len() == parts.len();
    (several && first.len() * second.len() == all.len()).then_some([first, second])
}

/// A label and the number right behind it: `baseline_g1`.
fn ends_in_number(label: &str) -> Option<(&str, usize, bool)> {
    let stem = label.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = label[stem.len()..].parse().ok().filter(|_| stem.len() > 1)?;
    Some((stem, number, false))
}

/// Names columns that a header for runs numbers, beside the labels of the variants: `run | 1 | 2 | 3` above `main | 61.2 | ...`.
pub(crate) fn name_repeats(table: &mut Table) -> bool {
    let Some((first, numbers)) = table.headers.split_first() else { return false };
    let number = |header: &String| header.trim().parse::<usize>().ok();
    let follow = |two: &[String]| number(&two[0]).map(|one| one + 1) == number(&two[1]);
    let counted = numbers.len() > 1
        && number(&numbers[0]).is_some_and(|first| first < 2)
        && numbers.windows(2).all(follow);
    let label = |cell: &str| {
        let metric = is_metric(cell) || header_unit(cell).is_some();
        fields::number(cell).is_none() && (!metric || is_unit(cell))
    };
    let words = table.filled(0).all(label);
    if !counted || !is_called(first, RUN) || !words || table.rows.len() < 2 {
        return false;
    }
    for header in &mut table.headers[1..] {
        *header = format!("run {}", header.trim());
    }
    VARIANT[0].clone_into(&mut table.headers[0]);
    true
}

/// Names the first column that of the variants, where it holds the values of one option and says which of them is the default:
/// `2048 (default)`, `1024`, `512`.
pub(crate) fn name_by_default(table: &mut Table) -> bool {
    // A value, and a remark in brackets behind it.
    let parts = |cell: &str| -> Option<(String, String)> {
        let bare = cell.replace(['*', '`'], "");
        let (value, remark) = match bare.trim().strip_suffix([')', '）']) {
            Some(rest) => rest.rsplit_once(['(', '（'])?,
            None => (&*bare, ""),
        };
        let value = value.trim();
        is_option_value(value).then(|| (value.to_owned(), remark.trim().to_lowercase()))
    };
    let cells: BTreeSet<&str> = table.filled(0).collect();
    let all: Option<Vec<(String, String)>> = cells.iter().map(|cell| parts(cell)).collect();
    let default = |remark: &str| ["default", "默认"].contains(&remark);
    let one = all.is_some_and(|all| {
        all.len() > 1 && all.iter().filter(|(_, remark)| default(remark)).count() == 1
    });
    if !one || cells.len() != table.rows.len() || has_variants(table) {
        return false;
    }
    VARIANT[0].clone_into(&mut table.headers[0]);
    let mut rows = table.take_rows();
    for row in &mut rows {
        if let Some((value, remark)) = parts(&row.cells[0]) {
            row.cells[0] = if default(&remark) { format!("{value} default") } else { value };
        }
    }
    table.put_rows(rows);
    true
}

/// Takes the variant and the metric out of the labels of rows, such as `main tok/s`; false where they do not have both.
pub(crate) fn split_row_labels(table: &mut Table) -> bool {
    let width = table.headers.len();
    let named = has_variants(table);
    // The metric may be over the labels: `decode, tok/s`.
    let over =
        table.headers.first().is_some_and(|name| is_metric(name) || header_unit(name).is_some());
    if named || over || width < 2 || table.rows.len() < 2 || table.rows.len() > 1_000 {
        return false;
    }
    let labels: Vec<String> = table.rows.iter().map(|row| row.cells.get(0).to_owned()).collect();
    let Some(splits) = labels.iter().map(|label| side_and_metric(label)).collect() else {
        return false;
    };
    let splits: Vec<(String, String)> = splits;
    let mut sides: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (side, metric) in &splits {
        sides.entry(metric).or_default().insert(side);
    }
    let all: BTreeSet<&str> = splits.iter().map(|(side, _)| &**side).collect();
    let once: BTreeSet<&(String, String)> = splits.iter().collect();
    let values = |at: usize| {
        !is_metric(&table.headers[at])
            && header_unit(&table.headers[at]).is_none()
            && table.filled(at).all(|cell| figure(cell, table.comma).is_some())
            && !table.filled(at).all(is_change)
    };
    let says = all.iter().any(|side| label_hint(side) != LabelHint::Neither);
    let whole = all.len() > 1
        && says
        && all.iter().all(|side| side.contains(char::is_alphabetic))
        && sides.values().all(|set| *set == all)
        && once.len() == splits.len();
    // Averages of the runs beside them are no values.
    let numbers: Vec<u64> =
        table.headers[1..].iter().filter_map(|header| header.trim().parse().ok()).collect();
    // Bare numbers that do not follow one another are sizes: `1 | 8 | 32`.
    let sizes = numbers.first().is_some_and(|first| *first > 1)
        || numbers.windows(2).any(|two| two[1] != two[0] + 1);
    let counted = (1..width).filter(|&at| !sizes && counts_runs(&table.headers[at]));
    let repeats = counted.count();
    let sums_up = |at: usize| repeats > 1 && is_statistic(&table.headers[at].trim().to_lowercase());
    let columns: Vec<usize> = (1..width).filter(|&at| !sums_up(at)).collect();
    if !whole || !columns.iter().all(|&at| values(at)) {
        return false;
    }
    let of_column = |&at: &usize| {
        let header = &table.headers[at];
        let run = || (repeats == columns.len()).then(|| ("run".to_owned(), header.clone()));
        run().or_else(|| load_of(header).map(|(name, size, _)| (name, size)))
    };
    let loads: Option<Vec<(String, String)>> = columns.iter().map(of_column).collect();
    let loads = loads.filter(|loads| loads.iter().all(|(name, _)| *name == loads[0].0));
    let setting = loads.as_ref().map_or_else(|| "case".to_owned(), |loads| loads[0].0.clone());
    let headers = std::mem::take(&mut table.headers);
    let mut out = Vec::new();
    for (row, (side, metric)) in table.take_rows().into_iter().zip(splits) {
        for (nth, &at) in columns.iter().enumerate() {
            let case = loads.as_ref().map_or(&headers[at], |loads| &loads[nth].1).clone();
            let cells = vec![side.clone(), case, metric.clone(), row.cells[at].clone()];
            out.push(Row { number: out.len() + 1, cells });
        }
    }
    table.headers = ["variant", &*setting, "metric", "value"].map(str::to_owned).to_vec();
    table.counts = "cell";
    table.put_rows(out);
    true
}

/// The side and the metric of a label.
fn side_and_metric(label: &str) -> Option<(String, String)> {
    let says = |word: &str| label_hint(word) != LabelHint::Neither;
    splits_of(label).into_iter().find(|(side, _)| says(side)).or_else(|| {
        // `PR tok/s`: every word before a unit or a metric may be a side.
        splits_of(label).into_iter().next().filter(|(side, _)| says_nothing(side))
    })
}

/// Headers over the percentiles of each row.
const PERCENTILES: &[&str] = &[
    "percentile",
    "percentiles",
    "quantile",
    "quantiles",
    "百分位",
    "分位数",
    "パーセンタイル",
    "백분위",
];

/// Makes one row of those of several percentiles, with a column for each of them and each quantity: `10%`, `50%` and `99%` left of `TTFT (s)` are
/// no repeats. What stands left of the percentiles says what the row is of.
pub(crate) fn spread_percentiles(table: &mut Table) -> bool {
    let percentile = |cell: &str| -> Option<String> {
        let lower = cell.trim().to_lowercase();
        let bare = lower.strip_suffix('%').or_else(|| lower.strip_suffix("th"));
        let number = bare.or_else(|| lower.strip_prefix('p')).unwrap_or(&lower).trim();
        let level = fields::number(number).filter(|level| (0.0..=100.0).contains(&level.value));
        level.map(|_| format!("p{number}"))
    };
    let Some(at) = table.headers.iter().position(|header| is_called(header, PERCENTILES)) else {
        return false;
    };
    let width = table.headers.len();
    let value = |cell: &str| figure(cell, table.comma).is_some();
    let levels: Option<Vec<String>> =
        table.rows.iter().map(|row| percentile(row.cells.get(at))).collect();
    let Some(levels) = levels.filter(|levels| levels.len() > 1 && at + 1 < width) else {
        return false;
    };
    if !(at + 1..width).all(|other| table.filled(other).all(value)) {
        return false;
    }
    // Each block of rows with the same words on the left has every percentile once.
    let rows = table.take_rows();
    let mut blocks: Vec<(Row, Vec<String>, Vec<String>)> = Vec::new();
    for (row, level) in rows.iter().zip(&levels) {
        let key = &row.cells[..at];
        let fresh = |block: &(Row, Vec<String>, Vec<String>)| {
            block.0.cells[..at] != *key || block.1.contains(level)
        };
        if blocks.last().is_none_or(fresh) {
            let first = Row { number: row.number, cells: key.to_vec() };
            blocks.push((first, Vec::new(), Vec::new()));
        }
        if let Some((_, levels, cells)) = blocks.last_mut() {
            levels.push(level.clone());
            cells.extend_from_slice(&row.cells[at + 1..]);
        }
    }
    let same = blocks.windows(2).all(|two| two[0].1 == two[1].1);
    if !same || blocks[0].1.len() < 2 {
        table.put_rows(rows);
        return false;
    }
    let quantities = table.headers[at + 1..].to_vec();
    table.headers.truncate(at);
    for level in &blocks[0].1 {
        table.headers.extend(quantities.iter().map(|quantity| format!("{level} {quantity}")));
    }
    let whole = |(row, _, cells): (Row, Vec<String>, Vec<String>)| Row {
        cells: row.cells.into_iter().chain(cells).collect(),
        ..row
    };
    table.put_rows(blocks.into_iter().map(whole).collect());
    true
}

/// The numbers of the first column; `None` where a cell is none.
fn first_numbers(table: &Table) -> Option<Vec<f64>> {
    let number = |row: Line| figure(row.cells.get(0), table.comma)?.value().map(|n| n.value);
    table.rows.iter().map(number).collect()
}

/// Whether the first column only counts the rows.
pub(crate) fn counts_rows(table: &Table) -> bool {
    first_numbers(table).is_some_and(|numbers| {
        let Some(first) = numbers.first().copied() else { return false };
        let step =
            |two: &[f64]| (two[1] - two[0] - 1.0).abs() < 1e-9 || (two[1] - first).abs() < 1e-9;
        (0.0..=1.0).contains(&first) && numbers.windows(2).all(step)
    })
}

/// Gives the first column a name where it has none and describes the rows: sizes, or words beside the variants. Numbers
/// that count the rows stay without one.
pub(crate) fn name_first(table: &mut Table) -> bool {
    let unnamed = table.headers.first().is_some_and(|header| is_unnamed(header));
    let whole = table.rows.iter().all(|row| !row.cells.get(0).trim().is_empty());
    if !unnamed || !whole || table.rows.is_empty() {
        return false;
    }
    // Words alone name the variants.
    let variant = || has_variants(table);
    let describes = if first_numbers(table).is_some() { !counts_rows(table) } else { variant() };
    if !describes || table.headers.iter().any(|name| name == FIRST) {
        return false;
    }
    FIRST.clone_into(&mut table.headers[0]);
    true
}

/// Name of a first column that has none.
pub(crate) const FIRST: &str = "column 1";
