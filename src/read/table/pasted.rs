//! Texts with tables, or with results outside of printed blocks: any look of table, lines of labels and values, lines
//! of programs.
//!
//! Replicate: a row of a table, or in a table `| metric | before | after |` a column; a group of lines. Columns of one
//! name are repeats. Such results count only in a file that the user names, because a folder of results may hold notes
//! with tables about anything.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::cell_value::{is_nothing, spread};
use crate::kit::contains;
use crate::kit::fields::{Number, is_metric};
use crate::kit::figure::{Figure, figure, is_unit};
use crate::kit::finish::finish;
use crate::kit::json::looks_like_json;
use crate::kit::short;
use crate::kit::stated_runs::stated_count;
use crate::reader::{Content, Found, Options, Reader};
use crate::table::column_names::{METRIC, VALUE};
use crate::table::column_uses::described;
use crate::table::delimited::{decimal_comma, normalise};
use crate::table::layout::cells::names_of_cells;
use crate::table::layout::columns::{header_unit, is_change, without_unit};
use crate::table::layout::{Caption, arrange, is_called, is_statistic};
use crate::table::own_reports;
use crate::table::records::{Row, Table};
use crate::table::request_rows::{Rows as RowsOf, SERIES_REMEDY, classify_rows};
use crate::table::role::Role;
use crate::table::role_words::{RUN, is_case, speaks_of_work};
use crate::table::roles::Roles;
use crate::table::rows::runs_of;
use crate::table::systems::{join_configurations, referenced, systems_of};
use crate::text::claims::states_change;
use crate::text::grid::{Grid, aligned_grids, grids};
use crate::text::headings::{WITHOUT_VARIANTS, is_time};
use crate::text::notes::{has_bare_numbers, lines_of, printed_labels, read_parts};
use crate::text::printed_programs::averages_of;
use crate::text::text_block::{self, Bad, Seen};
use crate::text::{labelled, printed_lines, prose, sections};
use beyondnoise_model::error::Error;
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{
    Column, ColumnUse, LabelHint, Rows, Run, Skipped, Source, label_hint,
};
use beyondnoise_model::units::Scale;

pub(crate) const TABLES: Reader = Reader {
    name: "markdown table",
    recognised_by: "a row of |---|---| under a header, a box, or a table in HTML, in a file that is named",
    one_run: "a row, or a column per variant where the rows are metrics",
    recognise: |content, named| {
        let ruled = |grid: &Grid| grid.ruled && !is_log(&content.text());
        let has = |mark: &str| contains(content.bytes(), mark.as_bytes());
        let marks = has("|") || has("│") || has("<table");
        named && marks && grids(&content.text()).iter().any(ruled)
    },
    read,
    ..Reader::EMPTY
};

/// Lines below a table that may say how many runs are behind its averages.
const MAX_BELOW: usize = 10;

/// Lines above a table that may say what is compared in it.
const MAX_ABOVE: usize = 100;

/// Lines below a table that may name the two values in its cells.
const MAX_NAMING: usize = 3;

pub(crate) const LINES: Reader = Reader {
    name: "lines of text",
    recognised_by: "columns set apart by tabs or blanks, or lines of labels and values, in a file that is named",
    one_run: "a row, or a group of lines",
    recognise: |content, named| {
        if !named || looks_like_json(content.bytes()) || content.bytes().contains(&0) {
            return false;
        }
        let text = content.text();
        if averages_of(&text).is_some() || is_log(&text) || is_configuration(&text) {
            return false;
        }
        let lines = lines_of(&text);
        let result = |line: &String| text_block::figure(line).is_some_and(|known| known.is_result);
        lines.iter().any(result)
            || (0..lines.len())
                .any(|at| printed_lines::starts(&lines[at..]) || labelled::starts(&lines, at))
            || !aligned_grids(&text).is_empty()
            || prose::speaks(&lines)
            || !printed_labels(&lines).labels.is_empty()
            || has_bare_numbers(&lines)
            || sections::headed(&lines, &Source::default()).is_some()
    },
    read,
    ..Reader::EMPTY
};

/// Whether the lines outside of tables and JSON are those of a log, in which tables are printed beside exact result
/// files.
fn is_log(text: &str) -> bool {
    let outside = |line: &&str| {
        let first = line.chars().next();
        first.is_some_and(|c| !"|\"{}[]".contains(c) && !('\u{2500}'..='\u{257f}').contains(&c))
    };
    let (log, all) =
        text.lines().map(str::trim).filter(outside).fold((0, 0), |(log, all), line| {
            let mut words = line.trim_start_matches('[').split_whitespace();
            let dated = words.next().is_some_and(is_time) && words.next().is_some_and(is_time);
            (log + usize::from(dated), all + 1)
        });
    all > 20 && 5 * log > all
}

/// Whether most lines are those of a configuration, in which keys are nested three deep.
fn is_configuration(text: &str) -> bool {
    let mut parents: Vec<usize> = Vec::new();
    let (mut all, mut nested, mut deepest) = (0, 0, 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let body = line.trim_start_matches([' ', '-']);
        let indent = line.len() - body.len();
        parents.retain(|parent| *parent < indent);
        all += 1;
        nested += usize::from(!parents.is_empty());
        deepest = deepest.max(parents.len());
        let key = body.trim_end().strip_suffix(':');
        if key.is_some_and(|key| !key.is_empty() && !key.contains(' ')) {
            parents.push(indent);
        }
    }
    deepest > 2 && 2 * nested > all
}

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    if contains(content.bytes(), b"<!-- beyondnoise -->") {
        return Ok(own_reports::skip());
    }
    let text = content.text();
    let all = grids(&text);
    let found = read_parts_with(content, options, &text, &all);
    if found.as_ref().is_ok_and(|found| !found.runs.is_empty()) {
        return found;
    }
    // Only where nothing else is read are columns known by their places alone.
    let grids = aligned_grids(&text);
    if grids.is_empty() {
        return found;
    }
    let aligned = read_parts_with(content, options, &text, &grids);
    if aligned.as_ref().is_ok_and(|found| !found.runs.is_empty()) { aligned } else { found }
}

/// Reads all parts of a text with these tables.
fn read_parts_with(
    content: &Content,
    options: &Options,
    text: &str,
    all: &[Grid],
) -> Result<Found, Error> {
    let several = all.len() > 1;
    let text_lines: Vec<&str> = text.lines().collect();
    let (mut columns, mut tables) = (0, Vec::new());
    // The labels over the columns of tables, in small letters.
    let mut labels: BTreeSet<String> = BTreeSet::new();
    // Changes in one of the tables say what the rows of all are.
    let mut systems = if several { all.iter().find_map(named_by_changes) } else { None };
    let mut table = |grid: Grid, heading: Option<&str>, words: Option<&str>| {
        // Below an only table the text is about it too.
        let below = || {
            let below = text_lines.iter().skip(grid.lines.end).take(MAX_BELOW);
            stated_count(&below.copied().collect::<Vec<_>>().join(" "))
        };
        let runs = words.and_then(stated_count).or_else(|| (!several).then(below).flatten());
        let below: Vec<&str> =
            text_lines.iter().skip(grid.lines.end).take(MAX_NAMING).copied().collect();
        let pair = words.and_then(names_of_cells).or_else(|| names_of_cells(&below.join("\n")));
        let lines_above = |from: usize| -> String {
            let own = text_lines.get(from..grid.lines.start).unwrap_or_default().iter();
            let kept: Vec<&str> =
                own.copied().filter(|line| !line.trim_start().starts_with(['|', '+'])).collect();
            kept.join("\n")
        };
        let from = grid.lines.start.saturating_sub(MAX_ABOVE);
        let others = all.iter().filter(|other| other.lines.end <= grid.lines.start);
        let other = others.filter(|other| other.headers != grid.headers).map(|o| o.lines.end).max();
        let heading_at = (from..grid.lines.start)
            .rfind(|&at| text_lines.get(at).is_some_and(|line| line.starts_with('#')));
        let (above, near) = (
            lines_above(from),
            lines_above(from.max(other.unwrap_or(0)).max(heading_at.unwrap_or(0))),
        );
        let (pair, alone) = (pair.as_ref(), !several);
        let caption = Caption { heading, words, above: &above, near: &near, pair, runs, alone };
        let width = grid.headers.len();
        let first = grid.lines.start + 1;
        let mut found = Found::default();
        for (line, cells) in &grid.ragged {
            let problem = format!("expected {width} cells as in the header, found {cells}");
            if grid.rows.is_empty() {
                return Err(Error::at_line(content.path, *line, problem, "fix the row"));
            }
            found.skip(format!("line {line}"), format!("{problem}: the row is not read"));
        }
        let with_units = has_units(&grid);
        if let Some(mut run) = labelled_values(content.path, &grid)? {
            run.info.with_units = with_units;
            found.runs.push(run);
            return Ok(found);
        }
        if lists_settings(&grid, heading) {
            let problem = format!("expected results, found settings under \"{}\"", grid.headers[0]);
            let remedy = "give the table or the text with the results";
            return Err(Error::at_line(content.path, first, problem, remedy));
        }
        let about = if describes_models(&grid) {
            Some("what models are made of")
        } else if lists_products(&grid) {
            Some("names of products and sizes alone")
        } else {
            states_requirements(&grid).then_some("what is required")
        };
        if let Some(found) = about {
            let problem = format!("expected results, found {found}");
            let remedy = "give the table or the text with the results";
            return Err(Error::at_line(content.path, first, problem, remedy));
        }
        if let Some(why) = drawn_from(&grid, all) {
            found.skip(format!("line {first}"), format!("{why}: not read"));
            return Ok(found);
        }
        if let Some(of) = summed_up_by(&grid, all).or_else(|| summed_up_by_columns(&grid, all)) {
            let why = format!("holds the means of the table at line {of}, no runs: not read");
            found.skip(format!("line {first}"), why);
            return Ok(found);
        }
        // The same names below headings of different work are what is compared.
        if systems.is_none() && heading.is_some_and(speaks_of_work) {
            systems = recurring_names(&grid, all);
        }
        let recurring = recurring(&grid, all);
        let title = titled(&grid, all);
        let mut part = read_table(
            content.path,
            (grid, recurring),
            (caption, columns),
            (options, &mut systems, &labels),
        )?;
        let turned = |table: &beyondnoise_model::runs::Table| {
            table.columns.iter().any(|column| column.used == ColumnUse::ValuesOfVariant)
        };
        if part.tables.iter().any(turned) {
            labels.extend(part.runs.iter().map(|run| run.variant.to_lowercase()));
        }
        for run in part.runs.iter_mut().filter(|_| heading.is_none() || several) {
            if let Some(title) = &title {
                run.metadata.insert("table".to_owned(), title.clone());
            }
        }
        part.runs.iter_mut().for_each(|run| run.info.with_units = with_units);
        columns += width;
        for table in part.tables {
            let place = if several { format!("line {first}") } else { String::new() };
            tables.push(beyondnoise_model::runs::Table { place, ..table });
        }
        found.runs.extend(part.runs);
        found.skipped.extend(part.skipped);
        Ok(found)
    };
    let mut found = read_parts(content, options, (all.to_vec(), Some(&mut table)))?;
    spell_alike(&mut found.runs);
    if tables.is_empty() {
        let settings = set_what_recurs(&mut found.runs);
        tables.extend(lines(&found.runs, settings));
    }
    let left_out = |table: &beyondnoise_model::runs::Table| {
        let of =
            |part: &Skipped| part.place == table.place && part.why.starts_with(WITHOUT_VARIANTS);
        several && found.skipped.iter().any(of)
    };
    tables.retain(|table| !left_out(table));
    found.tables = tables;
    Ok(found)
}

/// The column whose rows another column of a table compares.
fn named_by_changes(grid: &Grid) -> Option<String> {
    let mut table = Table { counts: "row", headers: grid.headers.clone(), ..Table::default() };
    for (at, (_, cells)) in grid.rows.iter().enumerate() {
        table.rows.push(Row { number: at + 1, cells: cells.clone() });
    }
    referenced(&table)
}

/// Spells a label or the name of a setting as it is spelled first, where others differ from it only in their capital letters
/// and no cell has both.
fn spell_alike(runs: &mut [Run]) {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for run in &mut *runs {
        let keys: Vec<String> = run.metadata.keys().cloned().collect();
        for key in keys {
            let first = names.entry(key.to_lowercase()).or_insert_with(|| key.clone());
            if *first != key
                && !run.metadata.contains_key(first)
                && let Some(value) = run.metadata.remove(&key)
            {
                run.metadata.insert(first.clone(), value);
            }
        }
    }
    let mut spelled: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for run in &*runs {
        spelled.entry(run.variant.to_lowercase()).or_default().insert(&run.variant);
    }
    let several: BTreeSet<String> =
        spelled.into_iter().filter(|(_, ways)| ways.len() > 1).map(|(label, _)| label).collect();
    for label in several {
        let own: Vec<usize> =
            (0..runs.len()).filter(|&at| runs[at].variant.to_lowercase() == label).collect();
        let cell = |at: usize| (&runs[at].workload, &runs[at].metadata);
        let both = own.iter().any(|&one| {
            own.iter().any(|&other| {
                runs[one].variant != runs[other].variant
                    && cell(one) == cell(other)
                    && runs[one].metrics.keys().any(|name| runs[other].metrics.contains_key(name))
            })
        });
        let first = runs[own[0]].variant.clone();
        for at in own.into_iter().filter(|_| !both) {
            runs[at].variant.clone_from(&first);
        }
    }
}

/// Makes settings of whole numbers that tell the runs of a variant apart and are the same in every variant, as the columns of
/// a table are read; returns their names.
fn set_what_recurs(runs: &mut [Run]) -> Vec<String> {
    let mut of: BTreeMap<&str, Vec<&Run>> = BTreeMap::new();
    for run in &*runs {
        of.entry(&run.variant).or_default().push(run);
    }
    let whole = |run: &Run, name: &str| {
        run.metrics.get(name).map(|value| value.value).filter(|value| value.fract() == 0.0)
    };
    let values = |runs: &[&Run], name: &str| -> Option<Vec<f64>> {
        let mut values: Vec<f64> =
            runs.iter().map(|run| whole(run, name)).collect::<Option<_>>()?;
        values.sort_by(f64::total_cmp);
        Some(values)
    };
    let Some(first) = of.values().next() else { return Vec::new() };
    let recurs = |name: &&str| {
        let own = values(first, name).filter(|own| own.len() > 1);
        let apart = |own: &Vec<f64>| own.windows(2).all(|two| two[0] < two[1]);
        of.len() > 1
            && own.filter(apart).is_some_and(|own| {
                of.values().all(|runs| values(runs, name).is_some_and(|other| other == own))
            })
    };
    let names: BTreeSet<&str> = first.iter().flat_map(|run| run.metrics.keys()).collect();
    // One number is measured at least.
    let found: Vec<String> = names.iter().copied().filter(recurs).map(str::to_owned).collect();
    if found.len() == names.len() {
        return Vec::new();
    }
    let (counts, settings): (Vec<String>, Vec<String>) =
        found.into_iter().partition(|name| meaning(name).says == Says::Identity);
    for run in runs {
        for name in &settings {
            if let Some(value) = run.metrics.remove(name) {
                run.metadata.insert(name.clone(), value.value.to_string());
            }
        }
        for name in &counts {
            if let Some(value) = run.metrics.remove(name) {
                run.name = Some(format!("{name} {}", value.value));
            }
        }
    }
    settings
}

/// The quantities that runs outside of tables measure, as columns, and their settings.
fn lines(runs: &[Run], settings: Vec<String>) -> Option<beyondnoise_model::runs::Table> {
    let names: BTreeSet<&str> = runs.iter().flat_map(|run| run.metrics.keys()).collect();
    let setting = |name| Column {
        name,
        role: Role::Factor.word(),
        used: ColumnUse::Setting,
        why: "recurs in every variant",
        close: None,
    };
    let settings = settings.into_iter().map(setting);
    let measured = names.into_iter().map(|name| Column {
        name: Metric::named(name).row_label(),
        role: Role::Measured.word(),
        used: ColumnUse::Measured,
        why: "a line of the text",
        close: None,
    });
    let columns: Vec<Column> = settings.chain(measured).collect();
    let (place, rows, known) = (String::new(), Rows::Lines, false);
    (!columns.is_empty()).then_some(beyondnoise_model::runs::Table { place, columns, rows, known })
}

/// The columns of numbers that are the same in another table with the same header: settings, if others differ.
fn recurring(grid: &Grid, all: &[Grid]) -> Vec<String> {
    let cells = |grid: &Grid, at: usize| -> Vec<String> {
        grid.rows.iter().filter_map(|(_, cells)| cells.get(at).cloned()).collect()
    };
    let width = grid.headers.len();
    let others = all
        .iter()
        .filter(|other| other.lines != grid.lines && other.headers == grid.headers)
        .filter(|other| (0..width).any(|at| cells(other, at) != cells(grid, at)));
    let others: Vec<&Grid> = others.collect();
    let number = |cell: &String| figure(cell, false).is_some_and(|found| found.unit.is_empty());
    let same = |at: &usize| {
        let own = cells(grid, *at);
        own.len() > 1
            && own.iter().all(number)
            && others.iter().all(|other| cells(other, *at) == own)
    };
    if others.is_empty() {
        return Vec::new();
    }
    (0..width).filter(same).map(|at| grid.headers[at].clone()).collect()
}

/// The runs of one table.
fn read_table(
    path: &str,
    (grid, recurring): (Grid, Vec<String>),
    (caption, before): (Caption, usize),
    (options, known, labels): (&Options, &mut Option<String>, &BTreeSet<String>),
) -> Result<Found, Error> {
    let mut found = Found::default();
    let mut table = Table { path, counts: "line", headers: grid.headers, ..Table::default() };
    // Each row has a place of its own, also where one line holds all of them.
    let apart = grid.rows.windows(2).all(|two| two[0].0 < two[1].0);
    if !apart {
        table.counts = "row";
    }
    let mut rows = grid.rows;
    point_decimals(&mut rows);
    drop_commits(&mut rows);
    for (at, (line, cells)) in rows.into_iter().enumerate() {
        table.rows.push(Row { number: if apart { line } else { at + 1 }, cells });
    }
    table.comma = matches!(decimal_comma(&table, b'|'), Ok(true));
    // A column that named the variants of a table above does so again.
    let referenced = referenced(&table).or_else(|| known.clone());
    let mut arranged = arrange(&mut table, caption, before)?;
    found.skipped.append(&mut arranged.notes);
    if table.rows.is_empty() {
        return Ok(found);
    }
    let changes = arranged.columns.iter().any(|column| column.used == ColumnUse::Claim);
    let turned = arranged.kept.is_some();
    let mut systems =
        systems_of(&table, (caption, referenced.as_ref(), changes), (options, labels));
    if let Some(named) = systems.as_mut().and_then(|(named, _)| named.variant_column.first_mut()) {
        *known = Some(named.clone());
        if !turned && let Some(both) = join_configurations(&mut table, named) {
            *named = both;
        }
    }
    let options = systems.as_ref().map_or(options, |(options, _)| options);
    let mut roles = Roles::assign(&table, options)?;
    if let Some((_, why)) = systems {
        // The user named nothing.
        for (_, told) in roles.columns.iter_mut().filter(|(role, _)| *role == Role::Variant) {
            *told = why;
        }
    }
    for at in 0..table.headers.len() {
        let measured = roles.columns[at].0 == Role::Measured;
        if measured && recurring.contains(&table.headers[at]) {
            roles.columns[at] = (Role::Factor, "the same in every table");
        }
    }
    if let RowsOf::Series(why) = classify_rows(&table, &roles, options).0 {
        return Err(table.no_result(why, SERIES_REMEDY));
    }
    found.skipped.extend(normalise(&mut table, &roles));
    let mut part = runs_of(&table, &roles, options)?;
    arranged.apply(&mut part.runs);
    found.tables = vec![described(&table, &roles)];
    arranged.describe(&mut found.tables);
    found.runs = part.runs;
    found.skipped.extend(part.skipped);
    Ok(found)
}

/// Takes the commit off a name in the first column that is alone in other rows with other settings: `buun 7a918624b` above `buun`. With
/// a second commit, or the same settings, they are builds.
fn drop_commits(rows: &mut [(usize, Vec<String>)]) {
    let bare = |label: &str| label.replace(['`', '*'], "").trim().to_owned();
    let cut = |cell: &str| -> Option<(String, String)> {
        let whole = bare(cell);
        let (name, commit) = whole.rsplit_once(' ')?;
        let hash = (7..=40).contains(&commit.len())
            && commit.bytes().all(|byte| byte.is_ascii_hexdigit())
            && commit.contains(|c: char| c.is_ascii_digit())
            && commit.contains(|c: char| c.is_ascii_alphabetic());
        hash.then(|| (name.to_owned(), commit.to_owned()))
    };
    // What tells rows apart beside the name: columns whose cells come back, and are no fractions.
    let width = rows.iter().map(|(_, cells)| cells.len()).min().unwrap_or(0);
    let recurs = |at: &usize| {
        let cells = || rows.iter().map(|(_, cells)| &cells[*at]);
        let value = |cell: &String| cell.contains('.') && figure(&bare(cell), false).is_some();
        cells().collect::<BTreeSet<_>>().len() < rows.len() && !cells().any(value)
    };
    let columns: Vec<usize> = (1..width).filter(recurs).collect();
    let settings =
        |cells: &[String]| -> Vec<String> { columns.iter().map(|&at| bare(&cells[at])).collect() };
    let first = |cells: &Vec<String>| cells.first().and_then(|cell| cut(cell));
    let found: BTreeSet<(String, String)> =
        rows.iter().filter_map(|(_, cells)| first(cells)).collect();
    for (name, commit) in &found {
        if found.iter().filter(|(other, _)| other == name).count() > 1 {
            continue;
        }
        let of = |with: bool| -> BTreeSet<Vec<String>> {
            let own = |cells: &&Vec<String>| match first(cells) {
                Some((own, of)) => with && own == *name && of == *commit,
                None => !with && cells.first().is_some_and(|cell| bare(cell) == *name),
            };
            rows.iter().map(|(_, cells)| cells).filter(own).map(|cells| settings(cells)).collect()
        };
        let (with, without) = (of(true), of(false));
        if without.is_empty() || !with.is_disjoint(&without) {
            continue;
        }
        let alone = rows
            .iter()
            .find_map(|(_, cells)| cells.first().filter(|cell| bare(cell) == *name).cloned());
        let Some(alone) = alone else { continue };
        for (_, cells) in rows.iter_mut() {
            if first(cells).is_some_and(|(own, _)| own == *name) {
                cells[0].clone_from(&alone);
            }
        }
    }
}

/// Whether the numbers of every column stand before their units, but for counts among them and for sizes in the first.
fn has_units(grid: &Grid) -> bool {
    let numbers = |at: usize| {
        let cells = grid.rows.iter().filter_map(move |(_, cells)| cells.get(at));
        cells.filter_map(|cell| figure(cell, false))
    };
    let with = |found: &Figure| !matches!(&*found.unit, "" | "%");
    let whole = |found: &Figure| found.unit.is_empty() && !found.number.contains('.');
    let some = |at: usize| numbers(at).any(|found| with(&found));
    let fits = |at: usize| {
        let all = numbers(at).all(|found| with(&found) || whole(&found));
        all && (at == 0 || some(at) || numbers(at).next().is_none())
    };
    let width = grid.headers.len();
    (0..width).all(fits) && (0..width).any(some)
}

/// Fewest values that show that a table repeats those of another one.
const MIN_REPEATED: usize = 4;

/// Where all values of a table beside its changes come from: a larger table has them, or half of its rows hold the averages of runs
/// in others, so that the rest is of averages too.
fn drawn_from(grid: &Grid, all: &[Grid]) -> Option<String> {
    let value = |cell: &String| -> Option<f64> {
        let cell = cell.replace('*', "");
        let cell = cell.trim();
        let found = figure(cell, false).filter(|found| found.beside.is_empty())?;
        let change = cell.starts_with(['+', '-', '\u{2212}']) || is_change(cell);
        if change || states_change(cell) { None } else { Some(found.value()?.value) }
    };
    let rows = |grid: &Grid| -> Vec<Vec<f64>> {
        let rows = grid.rows.iter().map(|(_, cells)| cells.iter().skip(1).filter_map(value));
        rows.map(Iterator::collect::<Vec<f64>>).filter(|values| !values.is_empty()).collect()
    };
    // Small whole numbers come back by chance.
    let fine = |value: &&f64| value.fract() != 0.0 || **value >= 100.0;
    let own = rows(grid);
    let changes = |cell: &String| is_change(cell.trim().trim_matches('*'));
    if !grid.rows.iter().any(|(_, cells)| cells.iter().any(changes)) || own.is_empty() {
        return None;
    }
    let has = |all: &[f64], value: &f64| all.iter().any(|other| (other - value).abs() < 1e-12);
    let others = || all.iter().filter(|other| other.lines != grid.lines);
    let line = |other: &Grid| other.lines.start + 1;
    let larger = others().find(|other| {
        let theirs: Vec<f64> = rows(other).into_iter().flatten().collect();
        own.iter().flatten().filter(fine).count() >= MIN_REPEATED
            && theirs.len() > own.iter().flatten().count()
            && own.iter().flatten().all(|value| has(&theirs, value))
    });
    if let Some(other) = larger {
        return Some(format!("repeats values of the table at line {}", line(other)));
    }
    // The averages below the runs of each table.
    let averages = |other: &Grid| -> Vec<f64> {
        let cells = other.rows.iter().map(|(_, cells)| cells);
        let rows = cells.filter(|cells| cells.first().is_some_and(|name| is_average(name)));
        rows.flat_map(|cells| cells.iter().skip(1).filter_map(value)).collect()
    };
    let of_runs: Vec<(&Grid, Vec<f64>)> = others()
        .filter(|other| other.rows.len() > 2)
        .map(|other| (other, averages(other)))
        .filter(|(_, averages)| own.iter().flatten().filter(fine).any(|value| has(averages, value)))
        .collect();
    let known = |value: &f64| of_runs.iter().any(|(_, averages)| has(averages, value));
    let compared: Vec<&Vec<f64>> = own.iter().filter(|row| row.len() > 1).collect();
    let averaged = compared.iter().filter(|row| row.iter().all(known)).count();
    let (first, _) = of_runs.first().filter(|_| averaged > 0 && 2 * averaged >= compared.len())?;
    Some(format!(
        "holds averages of the runs from line {} on, and what follows from them",
        line(first)
    ))
}

/// Whether a cell names the row of averages.
fn is_average(name: &str) -> bool {
    let name = name.trim().trim_matches('*').trim_end_matches('.').to_lowercase();
    ["avg", "average", "mean", "median", "平均", "均值", "中位数"].contains(&&*name)
}

/// The line of a table whose rows this one averages: with its only row in two columns of one name or more, or with a row for
/// each label in most columns.
fn summed_up_by(grid: &Grid, all: &[Grid]) -> Option<usize> {
    let [(_, only)] = &grid.rows[..] else { return summed_up_by_label(grid, all) };
    let number = |cell: &str| {
        let value = spread(cell).map(|(value, ..)| value);
        figure(value.as_deref().unwrap_or(cell), false)?.value()
    };
    let is_mean_of = |other: &&Grid| {
        let (mut means, mut vary) = (0, false);
        for (at, header) in grid.headers.iter().enumerate() {
            let column = other.headers.iter().position(|name| name == header);
            let Some((column, own)) = column.zip(number(&only[at])) else { continue };
            let values: Option<Vec<f64>> = other
                .rows
                .iter()
                .map(|(_, cells)| Some(number(cells.get(column)?)?.value))
                .collect();
            let Some(values) = values else { return false };
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            if (mean - own.value).abs() > 1.01 * own.resolution {
                return false;
            }
            means += 1;
            vary |= values.iter().any(|value| (value - values[0]).abs() > 0.0);
        }
        means > 1 && vary
    };
    let others = all.iter().filter(|other| other.lines != grid.lines && other.rows.len() > 1);
    others.filter(is_mean_of).map(|other| other.lines.start + 1).next()
}

/// The line of a table whose rows this one averages, label by label; other statistics may be beside the means.
fn summed_up_by_label(grid: &Grid, all: &[Grid]) -> Option<usize> {
    let number = |cells: &[String], at: usize| figure(cells.get(at)?, false)?.value();
    let word = |at: &usize| {
        let cells = || grid.rows.iter().filter_map(|(_, cells)| cells.get(*at));
        cells().count() == grid.rows.len()
            && cells()
                .all(|cell| cell.contains(char::is_alphabetic) && figure(cell, false).is_none())
            && cells().collect::<BTreeSet<_>>().len() == grid.rows.len()
    };
    let at = (0..grid.headers.len()).find(word)?;
    let is_mean_of = |other: &&Grid| {
        let place = |name: &String| other.headers.iter().position(|header| header == name);
        let Some(label) = place(&grid.headers[at]) else { return false };
        let rows = other.rows.iter().map(|(_, cells)| cells);
        let own = |name: &String| -> Vec<&Vec<String>> {
            rows.clone().filter(|cells| cells.get(label) == Some(name)).collect()
        };
        let labels: BTreeSet<&String> =
            other.rows.iter().filter_map(|(_, cells)| cells.get(label)).collect();
        let covers = grid.rows.iter().all(|(_, cells)| own(&cells[at]).len() > 1)
            && labels.len() == grid.rows.len();
        let shared: Vec<(usize, usize)> = (0..grid.headers.len())
            .filter(|column| *column != at)
            .filter_map(|column| Some((column, place(&grid.headers[column])?)))
            .filter(|(column, _)| {
                grid.rows.iter().all(|(_, cells)| number(cells, *column).is_some())
            })
            .collect();
        let is_mean = |&&(column, from): &&(usize, usize)| {
            grid.rows.iter().all(|(_, cells)| {
                let values: Option<Vec<f64>> = own(&cells[at])
                    .into_iter()
                    .map(|cells| Some(number(cells, from)?.value))
                    .collect();
                values.zip(number(cells, column)).is_some_and(|(values, mean)| {
                    let exact = values.iter().sum::<f64>() / values.len() as f64;
                    let vary = values.iter().any(|value| value.to_bits() != values[0].to_bits());
                    // The values are rounded as well as their mean.
                    let room =
                        1.01 * mean.resolution + mean.resolution / (values.len() as f64).sqrt();
                    vary && (exact - mean.value).abs() <= room
                })
            })
        };
        let means = shared.iter().filter(is_mean).count();
        covers && means > 1 && 2 * means > shared.len()
    };
    let others = all.iter().filter(|other| other.lines != grid.lines);
    others
        .filter(|other| other.rows.len() > grid.rows.len())
        .find(is_mean_of)
        .map(|other| other.lines.start + 1)
}

/// Most tables of a text among which the runs behind averages are looked for.
const MAX_TABLES: usize = 50;

/// The line of a table of runs, a row for each and a column for each variant, whose means or medians stand side by side in this one,
/// under whatever labels.
fn summed_up_by_columns(grid: &Grid, all: &[Grid]) -> Option<usize> {
    let number = |cell: &String| {
        let cell = cell.replace(['*', '`'], "");
        let found = figure(cell.trim(), false).filter(|found| found.unit != "%")?;
        found.value().filter(|_| !is_change(cell.trim()))
    };
    let value = |cell: &String| number(cell).map(|number| number.value);
    // Means and medians of the columns of runs.
    let centres = |other: &Grid| -> Option<Vec<[f64; 2]>> {
        let first = |(_, cells): &(usize, Vec<String>)| {
            let count = cells.first()?.split(' ').next()?.parse::<usize>().ok()?;
            Some(count)
        };
        let counts: Vec<usize> = other.rows.iter().map(first).collect::<Option<_>>()?;
        let counted = counts.iter().enumerate().all(|(at, count)| *count == at + 1);
        let runs = other.headers.first().is_some_and(|header| is_called(header, RUN));
        (counts.len() > 2 && counted && runs).then_some(())?;
        let column = |at: usize| -> Option<[f64; 2]> {
            let own = other.rows.iter().map(|(_, cells)| value(cells.get(at)?));
            let mut own: Vec<f64> = own.collect::<Option<_>>()?;
            own.sort_by(f64::total_cmp);
            let half = own.len() / 2;
            let median = f64::midpoint(own[half], own[own.len() - 1 - half]);
            (own[0] < own[own.len() - 1])
                .then(|| [own.iter().sum::<f64>() / own.len() as f64, median])
        };
        let found: Vec<[f64; 2]> = (1..other.headers.len()).filter_map(column).collect();
        (found.len() > 1).then_some(found)
    };
    let rows = grid.rows.iter().map(|(_, cells)| cells.iter().filter_map(number).collect());
    let columns = (0..grid.headers.len())
        .map(|at| grid.rows.iter().filter_map(|(_, cells)| number(cells.get(at)?)).collect());
    let lines: Vec<Vec<Number>> = rows.chain(columns).collect();
    let sums_up = |other: &&Grid| {
        let Some(centres) = centres(other) else { return false };
        let near = |(own, centres): (&Number, &[f64; 2])| {
            centres.iter().any(|centre| (own.value - centre).abs() <= 1.01 * own.resolution)
        };
        lines.iter().any(|own| own.len() == centres.len() && own.iter().zip(&centres).all(near))
    };
    let others = all.iter().filter(|other| other.lines != grid.lines);
    let found = others.filter(|_| all.len() <= MAX_TABLES).find(sums_up)?;
    Some(found.lines.start + 1)
}

/// The first column of words, one for each row, if another table with the same header has the same words in it.
fn recurring_names(grid: &Grid, all: &[Grid]) -> Option<String> {
    let names = |grid: &Grid, at: usize| -> BTreeSet<String> {
        let cells = grid.rows.iter().filter_map(|(_, cells)| cells.get(at));
        cells.map(|cell| cell.replace('*', "").trim().to_owned()).collect()
    };
    let words = |at: &usize| {
        let own = names(grid, *at);
        let word =
            |name: &String| name.contains(char::is_alphabetic) && figure(name, false).is_none();
        own.len() > 1 && own.len() == grid.rows.len() && own.iter().all(word)
    };
    let at = (0..grid.headers.len()).find(words).filter(|at| !is_case(&grid.headers[*at]))?;
    let again = |other: &&Grid| {
        other.lines != grid.lines
            && other.headers == grid.headers
            && names(other, at) == names(grid, at)
    };
    all.iter().find(again)?;
    Some(grid.headers[at].clone())
}

/// The name over the rows of a table that has the rows and columns of another one under another name: that is what the table is
/// about, `LLaMA2_1B` and `LLaMA2_7B`.
fn titled(grid: &Grid, all: &[Grid]) -> Option<String> {
    let bare = |cell: &str| cell.replace('*', "").trim().to_owned();
    let rows = |grid: &Grid| -> Vec<String> {
        grid.rows
            .iter()
            .map(|(_, cells)| cells.first().map_or_else(String::new, |c| bare(c)))
            .collect()
    };
    let (first, others) = grid.headers.split_first()?;
    let number = |name: &String| figure(name, false).is_some();
    let again = |other: &&Grid| {
        other.lines != grid.lines
            && other.headers.len() == grid.headers.len()
            && bare(&other.headers[0]) != bare(first)
            && !bare(&other.headers[0]).is_empty()
            && other.headers[1..] == *others
            && rows(other) == rows(grid)
    };
    let named = !bare(first).is_empty() && grid.rows.len() > 1 && !rows(grid).iter().all(number);
    all.iter().find(again).filter(|_| named)?;
    Some(bare(first))
}

/// Writes the decimal commas of values with a spread as points, where these cells have no points: `685,53 ± 0,55`.
fn point_decimals(rows: &mut [(usize, Vec<String>)]) {
    let spreads = || rows.iter().flat_map(|(_, cells)| cells).filter(|cell| cell.contains('±'));
    let decimal = |part: &str| {
        let behind = part.trim().rsplit_once(',').map_or("", |(_, behind)| behind);
        let digits = behind.chars().take_while(char::is_ascii_digit).count();
        digits > 0 && digits != 3
    };
    let commas = spreads().all(|cell| cell.contains(',') && !cell.contains('.'));
    if !commas || !spreads().any(|cell| cell.split('±').all(decimal)) {
        return;
    }
    for cell in rows.iter_mut().flat_map(|(_, cells)| cells).filter(|cell| cell.contains('±')) {
        *cell = cell.replace(',', ".");
    }
}

/// Names over the settings of a run, each with its value.
const SETTINGS: &[&str] = &[
    "parameter",
    "parameters",
    "setting",
    "settings",
    "option",
    "argument",
    "config",
    "configuration",
    "environment",
    "flag",
    "knob",
    "参数",
    "配置",
    "设置",
    "選項",
    "設定",
    "パラメータ",
    "파라미터",
    "설정",
];

/// Whether a table is one of settings with their values: by the name over these, or by the heading above two columns.
fn lists_settings(grid: &Grid, heading: Option<&str>) -> bool {
    let lower = heading.unwrap_or_default().to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let headed = grid.headers.len() == 2 && words.any(|word| SETTINGS.contains(&word));
    let sides = || grid.headers[1..].iter().all(|name| label_hint(name) != LabelHint::Neither);
    let measured = grid.headers[1..].iter().any(|header| header_unit(header).is_some());
    let named = is_called(grid.headers[0].trim(), SETTINGS)
        && !measured
        && (grid.headers.len() == 2 || sides());
    // `单线程（文件/秒）`
    let rate = |label: &str| {
        let inner = label.trim_end_matches([')', '）']).rsplit(['(', '（']).next();
        inner.and_then(|unit| unit.rsplit_once('/')).is_some_and(|(_, per)| {
            per.trim() == "秒"
                || Scale::parse(per.trim())
                    .zip(Scale::parse("s"))
                    .is_some_and(|(one, s)| one.is_alike(s))
        })
    };
    let result = |cells: &[String]| is_metric(&cells[0]) || rate(&cells[0]) || is_measured(cells);
    (named || headed) && !grid.rows.iter().any(|(_, cells)| cells.len() > 1 && result(cells))
}

/// Names of what a model is made of.
const PARTS_OF_MODELS: &[&str] = &[
    "layers",
    "layer",
    "heads",
    "head",
    "parameters",
    "params",
    "d_model",
    "hidden",
    "dim",
    "vocab",
    "context",
    "seq_len",
    "experts",
    "ffn",
    "层数",
    "参数量",
    "词表",
    "レイヤー",
    "ヘッド",
    "パラメータ数",
    "레이어",
    "파라미터",
];

/// Whether most columns say what models are made of, and none measures anything but sizes.
fn describes_models(grid: &Grid) -> bool {
    let part = |header: &String| {
        let lower = header.replace('\\', "").to_lowercase();
        let mut words = lower.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.any(|word| PARTS_OF_MODELS.contains(&word))
    };
    let measured = |at: usize| {
        let header = &grid.headers[at];
        let bytes = Scale::parse("B");
        let sized = |unit: &str| {
            Scale::parse(unit).zip(bytes).is_some_and(|(one, bytes)| one.is_alike(bytes))
        };
        let unit = |cell: &String| {
            figure(cell, false).is_some_and(|found| {
                is_unit(&found.unit) && found.unit != "%" && !sized(&found.unit)
            })
        };
        let named = is_metric(header) && !header_unit(header).is_some_and(|unit| sized(&unit));
        let cells = || grid.rows.iter().filter_map(|(_, row)| row.get(at));
        let bare = |cell: &String| figure(cell, false).is_some_and(|found| found.unit.is_empty());
        let numbers = cells().next().is_some() && cells().all(bare);
        !part(header)
            && (named || numbers || grid.rows.iter().filter_map(|(_, row)| row.get(at)).any(unit))
    };
    // `6 experts` over rows that are metrics says which model was measured.
    let metric = |cell: &String| is_metric(cell) || header_unit(cell).is_some();
    let metrics = grid.rows.iter().any(|(_, row)| row.first().is_some_and(metric));
    let parts = grid.headers.iter().filter(|header| part(header)).count();
    !metrics
        && parts > 2
        && 2 * parts >= grid.headers.len()
        && !(1..grid.headers.len()).any(measured)
}

/// Whether two columns or more behind the first hold names with a digit, `A100 80GB × 1`, and the numbers of all others are whole sizes in
/// bytes or the same in every row: machines and what is in them.
fn lists_products(grid: &Grid) -> bool {
    let cells = |at: usize| grid.rows.iter().filter_map(move |(_, row)| row.get(at));
    let value = |cell: &String| figure(cell, false);
    let product = |cell: &String| {
        value(cell).is_none()
            && cell.contains(char::is_alphabetic)
            && cell.contains(|c: char| c.is_ascii_digit())
            && !cell.contains('%')
    };
    let numbers = |at: &usize| cells(*at).any(|cell| value(cell).is_some());
    let whole = |at: usize| {
        let same = cells(at).collect::<BTreeSet<_>>().len() == 1;
        let size = |found: Figure| {
            let alike = |unit: Scale| Scale::parse("B").is_some_and(|bytes| unit.is_alike(bytes));
            !found.number.contains('.') && Scale::parse(&found.unit).is_some_and(alike)
        };
        cells(at).all(|cell| value(cell).is_some_and(|found| same || size(found)))
    };
    let width = grid.headers.len();
    let products = (1..width).filter(|&at| cells(at).any(product) && !numbers(&at)).count();
    let mut numeric = (0..width).filter(numbers).peekable();
    // An amount that was used was measured.
    let used = |at: usize| meaning(&grid.headers[at]).statistic.is_some();
    products > 1 && numeric.peek().is_some() && numeric.all(|at| whole(at) && !used(at))
}

/// Whether a table says what is required, by the name of each column behind the first: `Min GPU memory`, `Recommended GPU`.
fn states_requirements(grid: &Grid) -> bool {
    let has = |header: &String, names: &[&str]| {
        let lower = header.to_lowercase();
        lower.split(|c: char| !c.is_alphanumeric()).any(|word| names.contains(&word))
    };
    let required =
        |header: &String| has(header, &["required", "requirement", "requirements", "recommended"]);
    let least = |header: &String| {
        has(header, &["min", "minimum"])
            && has(header, &["memory", "vram", "ram", "gpu", "version", "disk"])
    };
    // The last word: `P95 Threshold`, and no `Target AVX2`.
    let goal = |header: &String| {
        let bare = without_unit(header).trim().to_lowercase();
        let last = bare.rsplit(' ').next().unwrap_or_default();
        ["threshold", "target", "goal", "slo", "objective", "目标", "阈值"].contains(&last)
    };
    // Nothing is measured in words: `Status`.
    let words = |at: usize| {
        let mut cells = grid.rows.iter().filter_map(|(_, cells)| cells.get(at));
        cells.all(|cell| !cell.contains(|c: char| c.is_ascii_digit()))
    };
    let columns = || grid.headers.iter().enumerate().skip(1).filter(|(at, _)| !words(*at));
    let of = |such: &dyn Fn(&String) -> bool| {
        columns().any(|(_, header)| such(header))
            && columns().all(|(_, header)| such(header) || least(header))
    };
    of(&required) || of(&goal)
}

/// Whether a row states a statistic with a unit of time or of a rate: `Average Response Time`, `3.77 seconds`.
fn is_measured(cells: &[String]) -> bool {
    let Some(mut value) = figure(&cells[1], false) else { return false };
    if value.unit.is_empty() {
        value.unit = header_unit(&cells[0]).unwrap_or_default();
    }
    let label = format!("{} ({})", cells[0], value.unit).to_lowercase();
    let mut words =
        label.split(|c: char| !(c.is_alphanumeric() || c == '.')).filter(|word| !word.is_empty());
    let scale = Scale::parse(&value.unit);
    let size = Scale::parse("B");
    let unit = scale.is_some_and(|scale| !size.is_some_and(|size| size.is_alike(scale)))
        && value.unit != "%";
    unit && (words.any(is_statistic) || value.unit.contains('/'))
}

/// The run of a table of labels and their values, which reads as a printed block does.
fn labelled_values(path: &str, grid: &Grid) -> Result<Option<Run>, Error> {
    let named = |header: &str, names: &[&str]| names.contains(&&*header.trim().to_lowercase());
    let [label, value] = &grid.headers[..] else { return Ok(None) };
    let keys = [
        "key",
        "item",
        "name",
        "parameter",
        "field",
        "statistic",
        "",
        "项目",
        "项",
        "項目",
        "항목",
        "名称",
    ];
    let values = ["values", "avg", "mean", "值", "結果", "结果", "값"];
    let labels: std::collections::BTreeSet<String> =
        grid.rows.iter().map(|(_, cells)| cells[0].to_lowercase()).collect();
    // Under the name of values any other name may stand over the labels.
    let valued = named(value, VALUE);
    let measured = || grid.rows.iter().any(|(_, cells)| is_measured(cells));
    if !(named(label, METRIC) || named(label, &keys) || valued && measured())
        || !(valued || named(value, &values))
        || labels.len() < grid.rows.len()
    {
        return Ok(None);
    }
    let line = grid.lines.start + 1;
    let source = Source { path: path.into(), position: line, counts: "line" };
    let (mut run, mut seen) = (Run { source, ..Run::default() }, Seen::default());
    let mut results = 0;
    for (_, cells) in &grid.rows {
        let known = text_block::figure(&format!("{}: {}", cells[0], cells[1]));
        results += usize::from(known.is_some_and(|known| known.is_result) || is_measured(cells));
        if is_nothing(&cells[1]) {
            continue;
        }
        // A cell of words is no value.
        let _: Result<(), Bad> = text_block::note(&cells[0], &cells[1], &mut run, &mut seen);
    }
    if results == 0 {
        let names: Vec<String> =
            grid.rows.iter().take(3).map(|(_, cells)| short(&cells[0])).collect();
        let problem = format!("expected a metric among the rows, found {}", names.join(", "));
        return Err(Error::NoResult {
            path: path.to_owned(),
            place: format!("line {line}"),
            problem,
            remedy: "give the table with the results".to_owned(),
        });
    }
    text_block::conclude(None, &mut run, &seen);
    run.info.claims.extend(seen.claims(&run.source));
    finish(&mut run).map_err(|bad| Error::at_line(path, line, bad.problem, bad.remedy))?;
    Ok(Some(run))
}
