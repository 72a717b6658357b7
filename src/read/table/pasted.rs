//! Texts with tables, or with results outside of printed blocks: any look of table, lines of labels and values, lines
//! of programs.
//!
//! Replicate: a row of a table, or in a table `| metric | before | after |` a column; a group of lines. Columns of one
//! name are repeats. Such results count only in a file that the user names, because a folder of results may hold notes
//! with tables about anything.

mod repeated;
mod rewritten;
mod unlike_results;

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::cell_value::is_nothing;
use crate::kit::contains;
use crate::kit::fields;
use crate::kit::figure::{Figure, figure, list};
use crate::kit::finish::finish;
use crate::kit::json::looks_like_json;
use crate::kit::parts_of_work::is_part_of_work;
use crate::kit::short;
use crate::kit::stated_runs::stated_count;
use crate::reader::{Content, Found, Options, Reader};
use crate::table::column_names::{METRIC, VALUE, VARIANT};
use crate::table::column_uses::described;
use crate::table::delimited::{decimal_comma, normalise};
use crate::table::layout::cells::pairs::names_of_cells;
use crate::table::layout::{Caption, arrange};
use crate::table::outcomes::is_failure;
use crate::table::own_reports;
use crate::table::pasted::repeated::{join_changes, joined_to, repeats_another};
use crate::table::pasted::rewritten::Rewritten;
use crate::table::pasted::unlike_results::{holds_no_results, is_measured};
use crate::table::records::{Row, Table};
use crate::table::request_rows::{Rows as RowsOf, SERIES_REMEDY, classify_rows};
use crate::table::role::Role;
use crate::table::role_words::{is_case, speaks_of_work};
use crate::table::roles::Roles;
use crate::table::rows::runs_of;
use crate::table::systems::{join_configurations, referenced, systems_of};
use crate::text::grid::{Grid, aligned_grids, grids, is_value};
use crate::text::headings::{WITHOUT_VARIANTS, counts_runs, is_time, spell_alike};
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

/// Most words of a sentence below a table that gives the unit of its values.
const MAX_UNIT_WORDS: usize = 4;

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
        has_lines_of_results(&text)
            || Rewritten::all(&text).iter().any(|other| has_lines_of_results(&other.text))
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

/// Whether a text has lines of results that are no block of a known program.
fn has_lines_of_results(text: &str) -> bool {
    let lines = lines_of(text);
    if averages_of(text).is_some() || is_log(&lines.join("\n")) || is_configuration(text) {
        return false;
    }
    let result = |line: &String| text_block::figure(line).is_some_and(|known| known.is_result);
    lines.iter().any(result)
        || (0..lines.len())
            .any(|at| printed_lines::starts(&lines[at..]) || labelled::starts(&lines, at))
        || !aligned_grids(text).is_empty()
        || prose::speaks(&lines)
        || !printed_labels(&lines).labels.is_empty()
        || has_bare_numbers(&lines)
        || sections::headed(&lines, &Source::default()).is_some()
}

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    if contains(content.bytes(), b"<!-- beyondnoise -->") {
        return Ok(own_reports::skip());
    }
    let text = content.text();
    let mut all = grids(&text);
    let joined = join_changes(&mut all);
    let found = read_parts_with(content, options, (&text, &joined), &all);
    if found.as_ref().is_ok_and(|found| !found.runs.is_empty()) {
        return found;
    }
    // Only where nothing else is read are columns known by their places alone, and lines written in another way.
    let read =
        |result: &Result<Found, Error>| result.as_ref().is_ok_and(|found| !found.runs.is_empty());
    let aligned = aligned_grids(&text);
    let by_place = (!aligned.is_empty())
        .then(|| read_parts_with(content, options, (&text, &[]), &aligned))
        .filter(read);
    let read_again = |other: &Rewritten| {
        let content = Content { bytes: other.text.as_bytes(), ..*content };
        let found = read_parts_with(&content, options, (&other.text, &[]), &grids(&other.text));
        Some(found.map(|found| other.as_in_the_text(found))).filter(read)
    };
    let again = || Rewritten::all(&text).iter().find_map(read_again);
    by_place.or_else(again).unwrap_or(found)
}

/// Reads all parts of a text with these tables; `joined`: where tables start whose changes stand in another one now, and that.
fn read_parts_with(
    content: &Content,
    options: &Options,
    (text, joined): (&str, &[[usize; 2]]),
    all: &[Grid],
) -> Result<Found, Error> {
    let several = all.len() > 1;
    let text_lines: Vec<&str> = text.lines().collect();
    let (mut columns, mut rows, mut tables) = (0, 0, Vec::new());
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
        let sentence = below.iter().map(|line| line.trim()).find(|line| !line.is_empty());
        let sentence = sentence.and_then(|line| line.split_inclusive(". ").next());
        let short = sentence.filter(|words| words.split(' ').count() <= MAX_UNIT_WORDS);
        let (above, near) = (&*above, &*near);
        let variants = Some(&labels);
        let caption =
            Caption { heading, words, above, near, below: short, pair, runs, variants, alone };
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
        if let Some(found) = holds_no_results(&grid, heading) {
            let problem = format!("expected results, found {found}");
            let remedy = "give the table or the text with the results";
            return Err(Error::at_line(content.path, first, problem, remedy));
        }
        if let Some(why) = joined_to(joined, &grid).or_else(|| repeats_another(&grid, all)) {
            found.skip(format!("line {first}"), why);
            return Ok(found);
        }
        let mut grid = grid;
        if heading.is_some_and(|heading| label_hint(heading) != LabelHint::Neither) {
            name_cases(&mut grid, all, &text_lines);
        }
        // The same names below headings of different work are what is compared.
        let of_work = |heading: &str| {
            speaks_of_work(heading) || is_part_of_work(heading) || gives_number(heading)
        };
        if systems.is_none() && heading.is_some_and(of_work) {
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
        rows += number_through(&mut part.runs, rows);
        for table in part.tables {
            let place = if several { format!("line {first}") } else { String::new() };
            tables.push(beyondnoise_model::runs::Table { place, ..table });
        }
        found.runs.extend(part.runs);
        found.skipped.extend(part.skipped);
        Ok(found)
    };
    let mut found = read_parts(content, options, (all.to_vec(), Some(&mut table)))?;
    spell_alike(&mut found.runs.iter_mut().collect::<Vec<_>>());
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

/// Numbers rows that came from one line through all tables, behind those above; gives the number of the last.
fn number_through(runs: &mut [Run], above: usize) -> usize {
    let mut last = 0;
    for run in runs.iter_mut().filter(|run| run.source.counts == "row") {
        last = last.max(run.source.position);
        run.source.position += above;
    }
    last
}

/// Whether a heading gives a number to a name, which is that of a load and of no build or run: `Request rate: 2.0`.
fn gives_number(heading: &str) -> bool {
    let (name, value) = heading.split_once([':', '：', '=']).unwrap_or((heading, ""));
    let number = fields::number(value.trim()).is_some();
    let build =
        meaning(name).says == Says::Identity || VARIANT.contains(&&*name.trim().to_lowercase());
    fields::sets_load(heading)
        || number && !build && label_hint(heading) == LabelHint::Neither && !counts_runs(heading)
}

/// The column whose rows another column of a table compares.
fn named_by_changes(grid: &Grid) -> Option<String> {
    let mut table = Table { counts: "row", headers: grid.headers.clone(), ..Table::default() };
    for (at, (_, cells)) in grid.rows.iter().enumerate() {
        table.rows.push(Row { number: at + 1, cells: cells.clone() });
    }
    referenced(&table)
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
    clear_words_under(&mut table, labels, &mut found);
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

/// Leaves out the cells that hold no value under two headers or more that are variants of a table above: `52 % to 100 %`.
fn clear_words_under(table: &mut Table, labels: &BTreeSet<String>, found: &mut Found) {
    let named = |at: &usize| labels.contains(&table.headers[*at].to_lowercase());
    let sides: Vec<usize> = (0..table.headers.len()).filter(named).collect();
    let some = |at: &usize| table.filled(*at).any(is_value);
    if sides.len() < 2 || !sides.iter().all(some) {
        return;
    }
    // Several values, and those with a mark for about or an arrow, are read elsewhere.
    let read = |cell: &str| {
        is_value(cell) || list(cell, false).is_some() || cell.starts_with(['~', '≈', '<', '>'])
    };
    let words = |cell: &str| !read(cell) && !is_nothing(cell) && !is_failure(cell);
    let mut rows = table.take_rows();
    for row in &mut rows {
        for &at in &sides {
            if !words(&row.cells[at]) {
                continue;
            }
            let why = format!("\"{}\" is no measured value: not read", short(&row.cells[at]));
            found.skip(format!("line {}, column {}", row.number, short(&table.headers[at])), why);
            row.cells[at].clear();
        }
    }
    table.put_rows(rows);
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

/// Calls the first column of words that of the cases where other tables have the same words in it, and their headings all name
/// sides, not the same one: `TP1`, `TP2` below `Baseline` and again below `Optimized`.
fn name_cases(grid: &mut Grid, all: &[Grid], lines: &[&str]) {
    let names = |grid: &Grid| -> Vec<String> {
        let cells = grid.rows.iter().filter_map(|(_, cells)| cells.first());
        cells.map(|cell| cell.replace('*', "").trim().to_owned()).collect()
    };
    let Some(first) = grid.headers.first() else { return };
    let known = VARIANT.contains(&&*first.trim().to_lowercase());
    let own = names(grid);
    let again = |other: &&Grid| other.lines != grid.lines && names(other) == own;
    let sides = own.iter().any(|name| label_hint(name) != LabelHint::Neither);
    let hint = |grid: &Grid| {
        let mut above = lines[..grid.lines.start.min(lines.len())].iter().rev();
        let heading = above.find(|line| line.trim_start().starts_with(['#', '*']));
        heading.map_or(LabelHint::Neither, |line| label_hint(line))
    };
    let mut hints: Vec<LabelHint> = all.iter().filter(again).map(hint).collect();
    hints.push(hint(grid));
    let both = [LabelHint::Baseline, LabelHint::Candidate].iter().all(|hint| hints.contains(hint));
    if known && !sides && own.len() > 1 && both && !hints.contains(&LabelHint::Neither) {
        "case".clone_into(&mut grid.headers[0]);
    }
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
