//! Words and changes beside a value: what they say about it is kept as a remark, or noted.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::cell_value::{is_nothing, spread};
use crate::kit::figure::{Figure, figure, is_unit, leading, list, range};
use crate::kit::{fields, short};
use crate::table::layout::cells::lists::are_slots;
use crate::table::layout::cells::pairs::names_columns;
use crate::table::layout::cells::values::{ABOUT, is_value, out_of};
use crate::table::layout::change_rows;
use crate::table::layout::changes::forms::Remark;
use crate::table::layout::columns::{
    header_unit, is_change, is_statistic, names_change, without_times,
};
use crate::table::outcomes::is_failure;
use crate::table::records::{Row, Table};
use crate::text::claims::states_change;
use beyondnoise_model::error::Error;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, Skipped, label_hint};
use beyondnoise_model::units::Scale;

/// Words behind a value that say under which condition it was measured, and dashes before what became of it.
const CONDITIONS: &[&str] = &[" at ", " @ ", " on ", " for ", " with ", " — ", " – ", " -- "];

/// The value of a cell and the words behind it: `939 tok/s at 20K`, `84.5 — reverted`.
fn with_condition(cell: &str) -> Option<(&str, &str)> {
    if figure(cell, false).is_some() || spread(cell).is_some() {
        return None;
    }
    // `51.30 median (82.94 math, 43.96 prose)`
    let statistic = || {
        let (number, words) = cell.trim_start_matches('*').split_once(' ')?;
        let word = words.split(' ').next().unwrap_or_default();
        let number = number.trim_end_matches('*');
        let named =
            is_statistic(&word.to_lowercase()) && words[word.len()..].trim_start().starts_with('(');
        (named && fields::number(number).is_some()).then_some((number, words))
    };
    if let Some(found) = statistic() {
        return Some(found);
    }
    let marks = CONDITIONS.iter().filter_map(|mark| Some((cell.find(mark)?, mark)));
    let (at, mark) = marks.min_by_key(|(at, _)| *at)?;
    let (value, words) = (cell[..at].trim(), cell[at..].trim());
    let found = figure(value, false).filter(|found| found.beside.is_empty())?;
    let said = !found.unit.is_empty() || !mark.contains(char::is_alphabetic) && !mark.contains('@');
    (said && words.contains(char::is_alphanumeric) && !is_change(words)).then_some((value, words))
}

/// Takes the words off values that say under which condition they were measured, or what became of them. Where conditions differ
/// in a row or in a column, the values are not read: they are not comparable.
///
/// # Errors
///
/// [`Error::NoResult`] where nothing is left.
pub(super) fn drop_conditions(table: &mut Table, notes: &mut Vec<Skipped>) -> Result<bool, Error> {
    // Beside a unit in the header words say why a value is missing.
    let known = |at: usize, cell: &str| {
        let word = header_unit(&table.headers[at]).is_some()
            && !cell.contains(|c: char| c.is_ascii_digit());
        word || is_value(cell) || with_condition(cell).is_some()
    };
    let columns: Vec<usize> = (1..table.headers.len())
        .filter(|&at| table.filled(at).any(|cell| with_condition(cell).is_some()))
        .filter(|&at| table.mostly(at, |cell| known(at, cell)))
        .collect();
    if columns.is_empty() {
        return Ok(false);
    }
    let mut rows = table.take_rows();
    // A dash comes before what became of it; other words say under which condition it was measured.
    let condition = |cell: &str| {
        let (_, words) = with_condition(cell)?;
        let bare = words.trim_matches(['*', ' ']).to_lowercase();
        (!bare.starts_with(['—', '–', '-'])).then_some(bare)
    };
    let several = |cells: &mut dyn Iterator<Item = &String>| {
        cells.filter_map(|cell| condition(cell)).collect::<BTreeSet<_>>().len() > 1
    };
    let across: Vec<bool> =
        rows.iter().map(|row| several(&mut columns.iter().map(|&at| &row.cells[at]))).collect();
    let down: Vec<bool> =
        columns.iter().map(|&at| several(&mut rows.iter().map(|row| &row.cells[at]))).collect();
    let left = |(row, across): (&Row, &bool)| {
        columns.iter().zip(&down).any(|(&at, down)| {
            let cell = &row.cells[at];
            !is_nothing(cell) && !(condition(cell).is_some() && (*across || *down))
        })
    };
    if !rows.iter().zip(&across).any(left) {
        let cells = rows.iter().flat_map(|row| columns.iter().map(|&at| &row.cells[at]));
        let written = cells.filter_map(|cell| Some((condition(cell)?, with_condition(cell)?.1)));
        let written: BTreeMap<String, &str> = written.collect();
        let quoted = |words: &&str| format!("\"{}\"", short(words.trim_matches(['*', ' '])));
        let said: Vec<String> = written.values().take(2).map(quoted).collect();
        let problem = format!("expected values under one condition, found {}", said.join(" and "));
        return Err(table.no_result(problem, "give the values of one condition"));
    }
    for (row, across) in rows.iter_mut().zip(across) {
        for (&at, down) in columns.iter().zip(&down) {
            let Some((value, words)) = with_condition(&row.cells[at]) else { continue };
            let failed = is_failure(words);
            let differ = condition(&row.cells[at]).is_some() && (across || *down);
            let said = short(words.trim_matches(['*', ' ']));
            let why = match () {
                () if failed => format!("\"{said}\" behind the value: nothing was measured"),
                () if differ => format!("\"{said}\" here, another condition beside it: not read"),
                () => format!("\"{said}\" behind the value: left out"),
            };
            let kept = if failed || differ { String::new() } else { value.to_owned() };
            let place =
                format!("{} {}, column {}", table.counts, row.number, short(&table.headers[at]));
            notes.push(Skipped { place, why });
            row.cells[at] = kept;
        }
    }
    table.put_rows(rows);
    Ok(true)
}

/// Leaves out columns without a name whose cells count something, `111 runs`, behind a column with one.
pub(super) fn drop_unnamed_counts(table: &mut Table, notes: &mut Vec<Skipped>) -> bool {
    let counts = |cell: &str| {
        cell.trim().split_once(' ').is_some_and(|(number, word)| {
            let plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            plain && word.chars().all(char::is_alphabetic) && !is_unit(word)
        })
    };
    let columns: Vec<usize> = (2..table.headers.len())
        .filter(|&at| table.headers[at].trim().is_empty() && !table.headers[at - 1].is_empty())
        .filter(|&at| table.filled(at).next().is_some() && table.filled(at).all(counts))
        .collect();
    for &at in &columns {
        let first = table.filled(at).next().unwrap_or_default();
        let why = format!("no name over its cells, such as \"{}\": not read", short(first));
        notes.push(Skipped { place: format!("column {}", at + 1), why });
    }
    table.drop_columns(&columns);
    !columns.is_empty()
}

/// Leaves out columns in which some cells hold one value and others several: `667 / 693`.
pub(super) fn drop_several(table: &mut Table, notes: &mut Vec<Skipped>) -> bool {
    let several = |cell: &str| list(cell, false).is_some_and(|(numbers, ..)| numbers.len() > 1);
    let mixed = |at: &usize| {
        let known = |cell: &str| is_value(cell) || several(cell) || is_nothing(cell);
        table.filled(*at).filter(|cell| several(cell)).count() > 1
            && table.filled(*at).any(is_value)
            && table.filled(*at).all(known)
    };
    let mixed: Vec<usize> = (0..table.headers.len()).filter(mixed).collect();
    // A few such cells are lost alone, and more of a side, without which nothing is compared.
    let is_side = |at: usize| label_hint(&table.headers[at]) != LabelHint::Neither;
    let few = |at: &usize| {
        are_slots(table, *at)
            || 3 * table.filled(*at).filter(|cell| several(cell)).count()
                < table.filled(*at).count() * if is_side(*at) { 2 } else { 1 }
    };
    let (few, mixed): (Vec<usize>, Vec<usize>) = mixed.into_iter().partition(few);
    if !few.is_empty() {
        let mut rows = table.take_rows();
        for row in &mut rows {
            for &at in &few {
                if !several(&row.cells[at]) {
                    continue;
                }
                let why = format!("\"{}\" holds several values: not read", short(&row.cells[at]));
                let (counts, header) = (table.counts, short(&table.headers[at]));
                let place = format!("{counts} {}, column {header}", row.number);
                notes.push(Skipped { place, why });
                row.cells[at].clear();
            }
        }
        table.put_rows(rows);
    }
    for &at in &mixed {
        let first = table.filled(at).find(|cell| several(cell)).unwrap_or_default();
        let why = format!("cells such as \"{}\" hold several values: not read", short(first));
        notes.push(Skipped { place: format!("column {}", short(&table.headers[at])), why });
    }
    table.drop_columns(&mixed);
    !(mixed.is_empty() && few.is_empty())
}

/// Leaves the numbers of cells that count one thing beside one another, `38 queries`, `39 queries`, and puts a blank between
/// a number and the sign for bytes in columns of sizes, since `7B` alone is a model.
pub(super) fn bare_counts(table: &mut Table) -> bool {
    let comma = table.comma;
    let counted = |cell: &str| -> Option<(usize, String)> {
        let cell = cell.trim();
        let (end, _) = leading(cell, comma)?;
        let word = cell[end..].trim();
        let whole = !word.is_empty() && word.chars().all(char::is_alphabetic);
        let bare = word.to_lowercase();
        let factor = matches!(&*bare, "x" | "倍");
        let bare = bare.strip_suffix('s').map(str::to_owned).unwrap_or(bare);
        (whole && !factor && figure(cell, comma).is_none()).then_some((end, bare))
    };
    let sized = |cell: &str| {
        let unit = figure(cell, comma).map(|found| found.unit).unwrap_or_default();
        Scale::parse(&unit).zip(Scale::parse("B")).is_some_and(|(unit, size)| unit.is_alike(size))
    };
    // A column of models has none: `7B`, `70B`.
    let sizes: Vec<bool> = (0..table.headers.len()).map(|at| table.filled(at).any(sized)).collect();
    let changes = |row: &[&str]| -> Option<Vec<String>> {
        let found: Vec<Option<(usize, String)>> = row.iter().map(|cell| counted(cell)).collect();
        let often = |word: &str| found.iter().skip(1).flatten().filter(|one| one.1 == word).count();
        // `121/150` beside `122/150`: so many of 150.
        let all: Vec<Option<(&str, &str)>> = row.iter().map(|cell| out_of(cell)).collect();
        let of =
            |whole: &str| all.iter().skip(1).flatten().filter(|one| one.1 == whole).count() > 1;
        let cell = |(at, cell): (usize, &&str)| match &found[at] {
            None if at > 0 && all[at].is_some_and(|(_, whole)| of(whole)) => {
                all[at].map_or_else(String::new, |(part, _)| part.to_owned())
            }
            Some((end, word)) if at > 0 && word == "b" && sizes[at] => {
                format!("{} B", cell.trim()[..*end].trim())
            }
            // `70B` is a model, `189,323B` a size.
            Some((end, word)) if at > 0 && often(word) > 1 && (word != "b" || *end > 3) => {
                cell.trim()[..*end].to_owned()
            }
            _ => (*cell).to_owned(),
        };
        let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
        cells.iter().zip(row).any(|(new, old)| new != old).then_some(cells)
    };
    let found: Vec<Option<Vec<String>>> =
        table.rows.iter().map(|row| changes(&row.cells.iter().collect::<Vec<_>>())).collect();
    if found.iter().all(Option::is_none) {
        return false;
    }
    let mut rows = table.take_rows();
    for (row, cells) in rows.iter_mut().zip(found) {
        if let Some(cells) = cells {
            row.cells = cells;
        }
    }
    table.put_rows(rows);
    true
}

/// Reads values with a mark for about, `~0.22 s`, as the numbers that are written, and empties cells that are no measured
/// values beside some that are: `<5 ms`, `57-71`.
pub(super) fn drop_estimates(table: &mut Table, notes: &mut Vec<Skipped>) -> bool {
    let number = |cell: &str| figure(cell, false).is_some();
    let comma = table.comma;
    // The number as written: `~0.22 s`, `156+ tok/s`.
    let written_as = |cell: &str| -> Option<String> {
        let cell = cell.trim();
        let bare = cell.trim_start_matches(ABOUT).trim_start();
        let (end, _) = leading(bare, comma)?;
        let open = bare[end..].strip_prefix('+').map(str::trim_start);
        if let Some(unit) = open.filter(|unit| unit.is_empty() || is_unit(unit)) {
            return Some(format!("{} {unit}", &bare[..end]).trim_end().to_owned());
        }
        (bare.len() < cell.len() && number(bare) && range(cell).is_none()).then(|| bare.to_owned())
    };
    let about = |cell: &str| written_as(cell).is_some();
    let rough = |cell: &str| {
        let bare = cell.trim().trim_start_matches(['<', '>', '≤', '≥']);
        bare.len() < cell.trim().len() && number(bare) || range(cell).is_some()
    };
    let words = |cell: &str| !cell.contains(|c: char| c.is_ascii_digit());
    let written = |at: &usize| {
        let known = |cell: &str| about(cell) || is_value(cell);
        table.filled(*at).any(about)
            && (table.mostly(*at, known)
                || table.filled(*at).all(|cell| known(cell) || words(cell)))
    };
    let stated: Vec<usize> = (0..table.headers.len()).filter(written).collect();
    if !stated.is_empty() {
        let mut rows = table.take_rows();
        for &at in &stated {
            for row in &mut rows {
                if let Some(number) = written_as(&row.cells[at]) {
                    row.cells[at] = number;
                }
            }
            let place = format!("column {}", short(&table.headers[at]));
            let why =
                "values with a mark for about (~, +) are read as the numbers that are written";
            notes.push(Skipped { place, why: why.to_owned() });
        }
        table.put_rows(rows);
    }
    // The first column tells the rows apart, even by about.
    let columns: Vec<usize> = (1..table.headers.len())
        .filter(|&at| {
            let says = meaning(&table.headers[at]).says;
            let set = matches!(says, Says::Setting | Says::Identity | Says::Count);
            !set && table.filled(at).any(rough) && table.filled(at).any(is_value)
        })
        .filter(|&at| {
            table.filled(at).all(|cell| rough(cell) || is_value(cell) || is_nothing(cell))
        })
        .collect();
    if columns.is_empty() {
        return !stated.is_empty();
    }
    let mut rows = table.take_rows();
    for &at in &columns {
        let mut first = None;
        for row in rows.iter_mut().filter(|row| rough(&row.cells[at])) {
            first = first.or_else(|| Some(short(&row.cells[at])));
            row.cells[at].clear();
        }
        let place = format!("column {}", short(&table.headers[at]));
        let why = format!("\"{}\" is no measured value: not read", first.unwrap_or_default());
        notes.push(Skipped { place, why });
    }
    table.put_rows(rows);
    true
}

/// Leaves out columns of an old and a new value beside columns of both sides.
pub(super) fn drop_arrows(table: &mut Table, notes: &mut Vec<Skipped>) -> bool {
    let says = |hint| table.headers.iter().any(|header| label_hint(header) == hint);
    let arrow = |cell: &str| list(cell, false).is_some_and(|(.., mark)| mark == '→');
    let columns: Vec<usize> = (0..table.headers.len())
        .filter(|&at| table.filled(at).next().is_some() && table.mostly(at, arrow))
        .collect();
    let both = says(LabelHint::Baseline) && says(LabelHint::Candidate);
    if columns.is_empty() || !both && !names_columns(table, &columns) {
        return false;
    }
    for &at in &columns {
        let why = "an old and a new value in a cell, beside columns of both: not read".to_owned();
        notes.push(Skipped { place: format!("column {}", short(&table.headers[at])), why });
    }
    table.drop_columns(&columns);
    true
}

/// The change beside a value, without what a bracket behind it adds: `: 1.03x faster (faster on 88% of runs)`.
fn change_of(text: &str) -> &str {
    let head = text.split(" (").next().unwrap_or(text);
    (if states_change(head) { head } else { text }).trim_matches(['*', ' ', ':'])
}

/// Leaves the bare value in cells with something beside it. Of several changes beside one value none is taken: they compare
/// with different ones.
pub(super) fn without_remarks(table: &mut Table, notes: &mut Vec<Skipped>) -> (Vec<Remark>, bool) {
    let width = table.headers.len();
    // `−43.7 s (−28%)` below `Δ` is no value with a change.
    let compares = |at: usize| names_change(&table.headers[at]);
    let columns: Vec<usize> = (0..width)
        .filter(|&at| fields::field_of_column(&table.headers[at]).is_none() && !compares(at))
        .filter(|&at| table.filled(at).next().is_some() && table.mostly(at, is_value))
        .collect();
    // A table that writes decimal commas is read as it stands.
    let comma = table.comma;
    if comma {
        return (Vec::new(), false);
    }
    let beside = |cell: &str| -> Option<(String, String)> {
        if spread(cell).is_some() {
            return None;
        }
        let Figure { number, unit, beside } = figure(cell, comma)?;
        let bare = format!("{number} {unit}").trim().to_owned();
        let plain = fields::number(cell).is_some() && !comma;
        (!plain && (!beside.is_empty() || comma || !cell.starts_with(&number)))
            .then_some((bare, beside))
    };
    let cells = columns.iter().flat_map(|&at| table.filled(at));
    if !cells.into_iter().any(|cell| beside(cell).is_some()) {
        return (Vec::new(), false);
    }
    // A row of changes is none of values with changes beside them.
    let compares = change_rows::changes(table);
    let (mut rows, mut remarks) = (table.take_rows(), Vec::new());
    let mut unchecked: BTreeMap<usize, String> = BTreeMap::new();
    for (_, row) in rows.iter_mut().enumerate().filter(|(at, _)| !compares.contains(at)) {
        for &at in &columns {
            if let Some((bare, text)) = beside(&row.cells[at]) {
                let several = text.contains(")(");
                if several && states_change(&text) {
                    unchecked.entry(at).or_insert_with(|| short(&text));
                }
                let text = change_of(&text);
                let factor =
                    || without_times(text.trim_matches(['(', ')'])).and_then(fields::number);
                if !several && (states_change(text) || is_change(text) || factor().is_some()) {
                    remarks.push(Remark { place: (row.number, at), text: text.to_owned() });
                }
                row.cells[at] = bare;
            }
        }
    }
    table.put_rows(rows);
    for (at, text) in unchecked {
        let place = format!("column {}", short(&table.headers[at]));
        let why = format!("several changes beside one value, such as \"{text}\": not checked");
        notes.push(Skipped { place, why });
    }
    (remarks, true)
}
