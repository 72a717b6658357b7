//! Cells as people fill them: several values in one, remarks and changes beside a value, cells merged with those
//! above, units behind the numbers. Every cell becomes one number in the unit of its column.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::cell_value::{is_nothing, spread};
use crate::kit::fields::is_metric;
use crate::kit::figure::{Figure, clock, figure, is_unit, leading, list, range};
use crate::kit::parts_of_work::{is_part_of_work, is_phase};
use crate::kit::{fields, short};
use crate::table::column_names::{METRIC, UNIT, VALUE, VARIANT};
use crate::table::layout::averages::without_count;
use crate::table::layout::columns::MAX_HEADER;
use crate::table::layout::columns::{
    header_unit, is_called, is_change, is_statistic, load_of, names_change, names_variants,
    unit_in_brackets, without_times,
};
use crate::table::outcomes::is_failure;
use crate::table::records::{Line, Row, Table};
use crate::table::role_words::{RUN, counts_runs};
use crate::text::claims::states_change;
use crate::text::printed_lines::of_unit;
use crate::text::text_block::is_duration;
use beyondnoise_model::error::Error;
use beyondnoise_model::metrics::words::{Quantity, Says, meaning};
use beyondnoise_model::runs::{LabelHint, Skipped, label_hint};
use beyondnoise_model::units::Scale;

/// A change written in the cell of a value: `450.00 (-10%)`.
pub(crate) struct Remark {
    /// Number of its row, and its column, as they are written.
    pub(crate) place: (usize, usize),
    pub(crate) text: String,
}

/// Writes numbers with a letter for thousands or millions as such, `3.16 K` as `3.16e3`, in columns of numbers with fractions among these:
/// whole ones are sizes, `32k`.
pub(crate) fn expand_letters(table: &mut Table) {
    let split = |cell: &str| -> Option<(String, u8)> {
        let cell = cell.trim();
        let power = match cell.chars().next_back()? {
            'k' | 'K' => 3,
            'M' => 6,
            'G' => 9,
            _ => return None,
        };
        let number = cell[..cell.len() - 1].trim_end();
        (number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            && number.contains('.')
            && fields::number(number).is_some())
        .then(|| (number.to_owned(), power))
    };
    let numeric = |cell: &str| split(cell).is_some() || fields::number(cell.trim()).is_some();
    let lettered: Vec<usize> = (0..table.headers.len())
        .filter(|&at| {
            // No time has such a letter.
            let quantity = meaning(&table.headers[at]).quantity;
            let timed = matches!(quantity, Quantity::Time | Quantity::Latency);
            let lettered = |cell: &str| split(cell).is_some();
            let some =
                if timed { table.mostly(at, lettered) } else { table.filled(at).any(lettered) };
            some && table.filled(at).all(|cell| numeric(cell) || is_nothing(cell))
        })
        .collect();
    if lettered.is_empty() {
        return;
    }
    let mut rows = take_rows(table);
    for row in &mut rows {
        for &at in &lettered {
            if let Some((number, power)) = split(&row.cells[at]) {
                row.cells[at] = format!("{number}e{power}");
            }
        }
    }
    put_rows(table, rows);
}

/// Completes the unit of memory where a letter alone stands for bytes: `13G` beside `GPU memory`, or under it, as `13GB`.
pub(crate) fn complete_bytes(table: &mut Table) {
    let letter = |cell: &str| {
        let number = cell.trim().strip_suffix(['M', 'G', 'T']);
        number.is_some_and(|number| fields::number(number.trim_end()).is_some())
    };
    // Millions are counts, unless there are billions beside them.
    let large = |cell: &&str| cell.trim().ends_with(['G', 'T']);
    let memory = |name: &str| meaning(name).quantity == Quantity::Memory;
    let all = |cells: &mut dyn Iterator<Item = &str>| {
        let filled: Vec<&str> = cells.filter(|cell| !is_nothing(cell)).collect();
        filled.iter().any(large) && filled.iter().all(|cell| letter(cell))
    };
    let columns: BTreeSet<usize> = (1..table.headers.len())
        .filter(|&at| memory(&table.headers[at]) && all(&mut table.filled(at)))
        .collect();
    let of_memory = |row: Line| memory(row.cells.get(0)) && all(&mut row.cells.iter().skip(1));
    let rows: BTreeSet<usize> =
        (0..table.rows.len()).filter(|&row| of_memory(table.rows.get(row))).collect();
    if columns.is_empty() && rows.is_empty() {
        return;
    }
    let mut written = take_rows(table);
    for (place, row) in written.iter_mut().enumerate() {
        for (at, cell) in row.cells.iter_mut().enumerate().skip(1) {
            if (rows.contains(&place) || columns.contains(&at)) && letter(cell) {
                let (whole, unit) = cell.trim().split_at(cell.trim().len() - 1);
                *cell = format!("{whole}{}B", unit.to_uppercase());
            }
        }
    }
    put_rows(table, written);
}

/// The rows of a table, taken out of it.
pub(crate) fn take_rows(table: &mut Table) -> Vec<Row> {
    let row = |line: crate::table::records::Line| Row {
        number: line.number,
        cells: line.cells.iter().map(str::to_owned).collect(),
    };
    let rows = table.rows.iter().map(row).collect();
    table.rows.clear();
    rows
}

/// Puts rows into a table that has none.
pub(crate) fn put_rows(table: &mut Table, rows: Vec<Row>) {
    for row in rows {
        table.rows.push(row);
    }
}

/// Numbers rows that came from one line, so that every run has a place of its own.
pub(crate) fn number_rows(table: &mut Table) {
    let mut rows = take_rows(table);
    for (index, row) in rows.iter_mut().enumerate() {
        row.number = index + 1;
    }
    table.counts = "row";
    put_rows(table, rows);
}

/// Whether the columns may be anything: a table in the long layout is read as it stands.
fn is_long(table: &Table) -> bool {
    let has = |names: &[&str]| table.headers.iter().any(|header| is_called(header, names));
    has(METRIC) && has(VALUE)
}

/// Whether a program wrote every cell as a bare number or a word.
fn are_plain(table: &Table) -> bool {
    let plain = |cell: &str| {
        let bytes = cell.as_bytes();
        !bytes.is_empty()
            && (bytes.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
                || bytes[0].is_ascii_alphabetic()
                    && bytes
                        .iter()
                        .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte)))
    };
    table.rows.iter().all(|row| row.cells.iter().all(plain))
}

/// Brings the cells of a table into one form; returns the remarks beside values, and whether anything changed.
pub(crate) fn simplify(
    table: &mut Table,
    (heading, pair): (Option<&str>, Option<&[String; 2]>),
    notes: &mut Vec<Skipped>,
) -> Result<(Vec<Remark>, bool), Error> {
    if is_long(table) {
        return Ok((Vec::new(), false));
    }
    if are_plain(table) {
        return Ok((Vec::new(), false));
    }
    let unnamed = drop_unnamed_counts(table, notes);
    let counted = bare_counts(table);
    let rough = drop_estimates(table, notes);
    let filled = fill_down(table, notes);
    let named = drop_conditions(table, notes)? | drop_labels(table, notes);
    let several = split_quantities(table);
    let arrows = drop_arrows(table, notes);
    let split = split_statistics(table) | split_pairs(table, heading, pair);
    let joined = join_thousands(table);
    let listed = split_lists(table, notes);
    if several || split || listed {
        number_rows(table);
    }
    let dropped = drop_several(table, notes);
    let (remarks, bare) = without_remarks(table, notes);
    Ok((
        remarks,
        unnamed
            || counted
            || rough
            || filled
            || named
            || several
            || arrows
            || split
            || joined
            || listed
            || dropped
            || bare,
    ))
}

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
fn drop_conditions(table: &mut Table, notes: &mut Vec<Skipped>) -> Result<bool, Error> {
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
    let mut rows = take_rows(table);
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
    put_rows(table, rows);
    Ok(true)
}

/// Leaves out columns without a name whose cells count something, `111 runs`, behind a column with one.
fn drop_unnamed_counts(table: &mut Table, notes: &mut Vec<Skipped>) -> bool {
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
    drop_columns(table, &columns);
    !columns.is_empty()
}

/// Leaves out columns in which some cells hold one value and others several: `667 / 693`.
fn drop_several(table: &mut Table, notes: &mut Vec<Skipped>) -> bool {
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
        let mut rows = take_rows(table);
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
        put_rows(table, rows);
    }
    for &at in &mixed {
        let first = table.filled(at).find(|cell| several(cell)).unwrap_or_default();
        let why = format!("cells such as \"{}\" hold several values: not read", short(first));
        notes.push(Skipped { place: format!("column {}", short(&table.headers[at])), why });
    }
    drop_columns(table, &mixed);
    !(mixed.is_empty() && few.is_empty())
}

/// Leaves the numbers of cells that count one thing beside one another, `38 queries`, `39 queries`, and puts a blank between
/// a number and the sign for bytes in columns of sizes, since `7B` alone is a model.
fn bare_counts(table: &mut Table) -> bool {
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
    let mut rows = take_rows(table);
    for (row, cells) in rows.iter_mut().zip(found) {
        if let Some(cells) = cells {
            row.cells = cells;
        }
    }
    put_rows(table, rows);
    true
}

/// The part and the whole of a cell: `121/150`, `86 / 100`.
fn out_of(cell: &str) -> Option<(&str, &str)> {
    let (part, whole) = cell.split_once('/')?;
    let (part, whole) = (part.trim(), whole.trim());
    let digits = !whole.is_empty() && whole.bytes().all(|byte| byte.is_ascii_digit());
    let inside = fields::number(part)?.value <= fields::number(whole)?.value;
    (digits && inside).then_some((part, whole))
}

/// Marks for about.
const ABOUT: [char; 3] = ['~', '≈', '～'];

/// Whether a cell holds a value.
pub(crate) fn is_value(cell: &str) -> bool {
    figure(cell, false).is_some() || spread(cell).is_some()
}

/// Reads values with a mark for about, `~0.22 s`, as the numbers that are written, and empties cells that are no measured
/// values beside some that are: `<5 ms`, `57-71`.
fn drop_estimates(table: &mut Table, notes: &mut Vec<Skipped>) -> bool {
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
        let mut rows = take_rows(table);
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
        put_rows(table, rows);
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
    let mut rows = take_rows(table);
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
    put_rows(table, rows);
    true
}

/// Fills cells that were merged with the cell above, in columns left of the first one without gaps. In such a column
/// each name occurs once within each value of the columns further left; columns that are empty in the same rows name them together. It
/// is above as many empty cells as any other name, or its column is the leftmost one.
fn fill_down(table: &mut Table, notes: &mut Vec<Skipped>) -> bool {
    let width = table.headers.len();
    let gaps = |at: usize| table.rows.iter().any(|row| row.cells.get(at).trim().is_empty());
    let values = |at: usize| {
        !gaps(at)
            && !is_called(&table.headers[at], RUN)
            && fields::field_of_column(&table.headers[at]).is_none()
            && table.mostly(at, is_value)
    };
    let first = (0..width).find(|&at| values(at)).unwrap_or(0);
    let empty = |at: usize| -> Vec<bool> {
        table.rows.iter().map(|row| row.cells.get(at).trim().is_empty()).collect()
    };
    let mut merged: Vec<usize> = Vec::new();
    for at in (0..first).filter(|&at| gaps(at)) {
        let gaps_of = empty(at);
        let together: Vec<usize> = (0..first).filter(|&other| empty(other) == gaps_of).collect();
        let left: Vec<usize> =
            merged.iter().copied().filter(|left| !together.contains(left)).collect();
        // The groups of rows below each name, and the cells further left that they are in.
        let mut groups: Vec<(Vec<usize>, String, usize)> = Vec::new();
        let mut outer = vec![0; left.len()];
        let mut whole = true;
        for row in table.rows.iter() {
            let starts = |&left: &usize| !row.cells.get(left).trim().is_empty();
            let opens: Vec<usize> = left.iter().map(|left| usize::from(starts(left))).collect();
            outer.iter_mut().zip(&opens).for_each(|(count, new)| *count += new);
            let name = || together.iter().map(|&at| row.cells.get(at).trim()).collect::<Vec<_>>();
            match (row.cells.get(at).trim(), groups.last_mut()) {
                ("", Some((place, _, count))) if *place == outer => *count += 1,
                ("", _) => whole = false,
                _ => groups.push((outer.clone(), name().join("\n"), 1)),
            }
        }
        let names: BTreeSet<(&[usize], &str)> =
            groups.iter().map(|(place, name, _)| (&**place, &**name)).collect();
        let words = groups.iter().all(|(_, name, _)| fields::number(name).is_none());
        let sizes: BTreeSet<usize> = groups.iter().map(|(.., count)| *count).collect();
        let equal = sizes.len() == 1 && groups.len() > 1;
        let outermost = at == 0 && words && groups.len() > 1;
        let named = is_called(&table.headers[at], VARIANT);
        if whole && names.len() == groups.len() && (equal || outermost || named && words) {
            merged.push(at);
        }
    }
    if merged.is_empty() {
        return false;
    }
    let mut rows = take_rows(table);
    for at in merged {
        let mut above = String::new();
        for row in &mut rows {
            if row.cells[at].trim().is_empty() {
                row.cells[at].clone_from(&above);
            } else {
                above.clone_from(&row.cells[at]);
            }
        }
        let place = format!("column {}", short(&table.headers[at]));
        let why = "an empty cell is read as the one above it (merged cells)".to_owned();
        notes.push(Skipped { place, why });
    }
    put_rows(table, rows);
    true
}

/// Leaves the bare values of columns whose cells repeat a label, `Elapsed time: 00:10:03.001`, and of durations as clocks
/// show them.
fn drop_labels(table: &mut Table, notes: &mut Vec<Skipped>) -> bool {
    let bare = |at: usize| -> Option<Vec<String>> {
        let cells: Vec<&str> = table.rows.iter().map(|row| row.cells.get(at).trim()).collect();
        let label = |cell: &&str| {
            let (label, _) = cell.split_once(": ")?;
            label.contains(char::is_alphabetic).then(|| label.to_owned())
        };
        let label = cells.iter().find(|cell| !cell.is_empty()).and_then(label);
        let start = label.as_ref().map_or(String::new(), |label| format!("{label}: "));
        let time = is_duration(label.as_deref().unwrap_or(&table.headers[at]));
        let value = |cell: &str| -> Option<String> {
            let text = cell.strip_prefix(&start).unwrap_or(cell).trim();
            if let Some(time) = clock(text).filter(|_| time) {
                return Some(format!("{} {}", time.number, time.unit));
            }
            let known = is_nothing(text) || label.is_some() && is_value(text);
            known.then(|| text.to_owned())
        };
        let values: Vec<String> = cells.iter().map(|cell| value(cell)).collect::<Option<_>>()?;
        values.iter().zip(&cells).any(|(value, cell)| value != cell).then_some(values)
    };
    // Names in front of times and rates: `stock: 1.037 ± 0.172 s`, `cuBLAS 0.114 ms / 18.72 TFLOPS`.
    let unnamed = |at: usize| -> Option<Vec<String>> {
        let cells: Vec<&str> = table.rows.iter().map(|row| row.cells.get(at).trim()).collect();
        let values: Option<Vec<&str>> = cells
            .iter()
            .map(|cell| if is_nothing(cell) { Some(*cell) } else { behind_name(cell) })
            .collect();
        let values = values.filter(|values| at > 0 && *values != cells)?;
        // Rows of one name that differ in this one are no repeats.
        let keys: BTreeSet<&str> = table.rows.iter().map(|row| row.cells.get(0)).collect();
        if keys.len() < table.rows.len() {
            return None;
        }
        Some(values.into_iter().map(str::to_owned).collect())
    };
    let mut found: Vec<(usize, Vec<String>)> = Vec::new();
    for at in 0..table.headers.len() {
        if let Some(values) = bare(at) {
            found.push((at, values));
        } else if let Some(values) = unnamed(at) {
            let names: BTreeSet<String> = table
                .rows
                .iter()
                .zip(&values)
                .filter_map(|(row, value)| row.cells.get(at).trim().strip_suffix(&**value))
                .map(|name| short(name.trim_matches([' ', ':', '`', '*'])))
                .filter(|name| !name.is_empty())
                .collect();
            let names: Vec<String> = names.into_iter().collect();
            let why = format!("names in front of its values are not read: {}", names.join(", "));
            notes.push(Skipped { place: format!("column {}", short(&table.headers[at])), why });
            found.push((at, values));
        }
    }
    if found.is_empty() {
        return false;
    }
    let mut rows = take_rows(table);
    for (at, values) in found {
        for (row, value) in rows.iter_mut().zip(values) {
            row.cells[at] = value;
        }
    }
    put_rows(table, rows);
    true
}

/// The value of a cell behind a name or none: a time or a rate with its unit, or several quantities.
fn behind_name(cell: &str) -> Option<&str> {
    let measured = |text: &str| {
        let unit = |unit: &str| {
            let scale = Scale::parse(unit);
            let bytes = Scale::parse("B");
            let size = scale.zip(bytes).is_some_and(|(one, bytes)| one.is_alike(bytes));
            is_unit(unit) && unit != "%" && !size
        };
        let spread = spread(text).map(|(value, ..)| value);
        let found = figure(spread.as_deref().unwrap_or(text), false);
        found.is_some_and(|found| unit(&found.unit) && found.beside.is_empty())
            || quantities(text).is_some_and(|all| all.len() == 2)
    };
    if measured(cell) {
        return Some(cell);
    }
    let starts = cell.match_indices(' ').map(|(at, _)| cell[at..].trim_start());
    let named = |value: &&str| {
        let name = &cell[..cell.len() - value.len()];
        let digits = name.trim_end().ends_with(|c: char| c.is_ascii_digit() || c == '.');
        let limits =
            ["under", "over", "up", "about", "below", "above", "at", "around", "less", "more"];
        let first = name.split(' ').next().unwrap_or_default().to_lowercase();
        !limits.contains(&&*first)
            && name.starts_with(|c: char| c.is_alphabetic() || c == '`')
            && (!digits || name.trim_end().contains(' '))
            && value.starts_with(|c: char| c.is_ascii_digit())
    };
    starts.filter(named).find(|value| measured(value))
}

/// The quantities of a cell, each with its name: `5.62 ms (711 MiB/s)`, `34.2 GB / 49.3 s`, `5.9 / 6.4 ±0.9 / 8.3 ms`,
/// the minimum, the mean and the maximum. One without a value has no text.
fn quantities(cell: &str) -> Option<Vec<(String, String)>> {
    let parts: Vec<&str> = cell.split(" / ").map(str::trim).collect();
    if let [low, mean, high] = parts[..]
        && let Some((value, ..)) = spread(mean)
    {
        let high = figure(high, false).filter(|high| high.beside.is_empty())?;
        let numbers = [low, &value, &high.number].map(|text| Some(fields::number(text)?.value));
        let ordered = numbers.iter().all(Option::is_some) && numbers.is_sorted();
        let texts = [low, mean, &high.number].map(|text| format!("{text} {}", high.unit));
        let named = ["min", "mean", "max"].map(str::to_owned).into_iter().zip(texts);
        return ordered.then(|| named.collect());
    }
    if let Some(all) = counted_quantities(cell) {
        return Some(all);
    }
    let money = |part: &str| {
        let sign = part.chars().next().filter(|c| "$€£¥".contains(*c))?;
        let found = figure(&part[sign.len_utf8()..], false)?;
        found.unit.is_empty().then(|| Figure { unit: sign.to_string(), ..found })
    };
    let figure = |part: &str, comma: bool| money(part).or_else(|| figure(part, comma));
    let figures: Vec<Option<Figure>> = match &parts[..] {
        [only] => {
            let first = figure(only, false)?;
            let inside = first.beside.strip_prefix('(')?.strip_suffix(')')?;
            let second = figure(inside, false)?;
            vec![Some(Figure { beside: String::new(), ..first }), Some(second)]
        }
        [one, other] => [one, other].map(|part| figure(part, false)).to_vec(),
        _ => return None,
    };
    let unit =
        |found: &Figure| Some(found.unit.clone()).filter(|unit| !matches!(&**unit, "" | "%"));
    let text = |found: Figure| {
        let unit = unit(&found).filter(|_| found.beside.is_empty())?;
        let shown = if is_unit(&unit) { &*unit } else { "" };
        Some((unit.clone(), format!("{} {shown}", found.number).trim().to_owned()))
    };
    // `— / 39.9s`
    let missing = |(found, part): (Option<Figure>, &&str)| match found {
        Some(found) => text(found),
        None => is_nothing(part).then(Default::default),
    };
    let parts = if parts.len() == 1 { vec![parts[0]; 2] } else { parts };
    let all: Option<Vec<(String, String)>> = figures.into_iter().zip(&parts).map(missing).collect();
    let all = all.filter(|all| {
        let scale = |at: usize| Scale::parse(&all[at].0);
        !scale(0).zip(scale(1)).is_some_and(|(one, other)| one.is_alike(other))
            && all[0].0 != all[1].0
    })?;
    let name = |unit: String| match () {
        () if unit.is_empty() => unit,
        () if is_unit(&unit) => of_unit(&unit),
        () => format!("cost ({unit})"),
    };
    Some(all.into_iter().map(|(unit, text)| (name(unit), text)).collect())
}

/// Quantities with a unit or a counted word each: `2667 ns, 4528 B, 40 allocs`; two have units.
fn counted_quantities(cell: &str) -> Option<Vec<(String, String)>> {
    let part = |part: &str| {
        let (number, unit) = part.trim().split_once(' ')?;
        let named = is_unit(unit) || unit.chars().all(char::is_alphabetic);
        fields::number(number).filter(|_| named)?;
        let name = if is_unit(unit) { of_unit(unit) } else { unit.to_owned() };
        Some((name, if is_unit(unit) { part.trim().to_owned() } else { number.to_owned() }))
    };
    let parts: Vec<&str> = [", ", " / ", "; "]
        .iter()
        .map(|mark| cell.split(mark).collect::<Vec<_>>())
        .find(|parts| parts.len() > 2 || parts.len() > 1 && cell.contains(", "))?;
    let unit = |part: &str| part.split_once(' ').is_some_and(|(_, unit)| is_unit(unit));
    if parts.len() == 2 && !parts.iter().all(|part| unit(part)) {
        return None;
    }
    let all: Vec<(String, String)> = parts.into_iter().map(part).collect::<Option<_>>()?;
    let names: BTreeSet<&String> = all.iter().map(|(name, _)| name).collect();
    (names.len() == all.len()).then_some(all)
}

/// Gives each quantity of cells that hold several a row of its own, where two columns or more have such cells.
fn split_quantities(table: &mut Table) -> bool {
    let columns: Vec<usize> = (0..table.headers.len())
        .filter(|&at| {
            let mut filled = table.filled(at).filter(|cell| !is_nothing(cell)).peekable();
            filled.peek().is_some() && filled.all(|cell| quantities(cell).is_some())
        })
        .collect();
    let called = table.headers.iter().any(|header| is_called(header, METRIC));
    if columns.len() < 2 || called {
        return false;
    }
    // The name of each place, as the first cell gives it.
    let mut names: Vec<String> = Vec::new();
    for cell in columns.iter().flat_map(|&at| table.filled(at)).filter_map(quantities) {
        names.resize(names.len().max(cell.len()), String::new());
        for (name, (own, _)) in names.iter_mut().zip(cell) {
            if name.is_empty() {
                *name = own;
            }
        }
    }
    let rows = take_rows(table);
    let mut out = Vec::new();
    for row in rows {
        for (nth, name) in names.iter().enumerate() {
            let mut cells = row.cells.clone();
            for &at in &columns {
                let own = quantities(&row.cells[at]).and_then(|own| own.into_iter().nth(nth));
                cells[at] = own.unwrap_or_default().1;
            }
            cells.insert(columns[0], name.clone());
            out.push(Row { number: row.number, cells });
        }
    }
    // `Before (ns/op, B/op, allocs)` lists what is in its cells.
    let lists = |header: &str| {
        let (_, inner) = header.split_once('(')?;
        Some(
            inner.split([',', ';']).count() == names.len()
                || inner.split(" / ").count() == names.len(),
        )
    };
    let listing: Vec<usize> =
        columns.iter().copied().filter(|&at| lists(&table.headers[at]) == Some(true)).collect();
    for at in listing {
        let bare = table.headers[at].split('(').next().unwrap_or_default().trim().to_owned();
        table.headers[at] = bare;
    }
    table.headers.insert(columns[0], METRIC[0].to_owned());
    put_rows(table, out);
    true
}

/// A header that names two things, `TTFT p50 ms branch / main`: the words around the pair, and the pair.
struct Pair {
    at: usize,
    header: String,
    names: [String; 2],
}

/// Whether every bracket of a text is closed in it.
fn closes(text: &str) -> bool {
    let count = |brackets: [char; 2]| text.matches(brackets).count();
    count(['(', '[']) == count([')', ']'])
}

/// The numbers of a cell with a second one in brackets: `0.81 (0.78)`.
fn bracketed(cell: &str) -> Option<[String; 2]> {
    let (one, rest) = cell.trim().split_once('(')?;
    let other = rest.strip_suffix(')')?;
    let numbers = [one, other].map(|text| text.trim().to_owned());
    numbers.iter().all(|text| fields::number(text).is_some()).then_some(numbers)
}

/// Marks between two names in a header.
const PAIR_MARKS: &[&str] = &[" / ", " → ", " -> ", " => ", " vs ", " vs. ", "/", "→", "->"];

/// The pair of a header that ends with one in brackets, `TTFT in ms, tuned (default)`.
fn pair_in_brackets(header: &str) -> Option<(String, [String; 2])> {
    let (before, rest) = header.trim().split_once('(')?;
    let second = rest.strip_suffix(')')?.trim();
    // `CPU, all threads (main → pr)` has both in the bracket.
    if PAIR_MARKS.iter().any(|mark| second.contains(mark)) {
        return None;
    }
    let (stem, first) = before.trim().rsplit_once([',', ':', ';'])?;
    let first = first.trim();
    let words = [first, second].iter().all(|name| {
        name.contains(char::is_alphabetic) && !is_unit(name) && name.split(' ').count() < 4
    });
    words.then(|| (stem.trim().to_owned(), [first, second].map(str::to_owned)))
}

/// Ways in which a header names the first pair.
fn pairs_of(header: &str) -> Vec<(String, [String; 2])> {
    let mut found = Vec::new();
    if header.len() > MAX_HEADER {
        return found;
    }
    if let Some(pair) = pair_in_brackets(header) {
        return vec![pair];
    }
    let name = |words: &[&str]| {
        let text = words.join(" ");
        let bare = text.trim_matches([',', ' ']);
        // The unit at the end keeps its bracket.
        let whole = closes(bare) && !bare.starts_with(['(', '[']);
        if whole { bare } else { bare.trim_matches(['(', ')', '[', ']', ',', ' ']) }.to_owned()
    };
    for mark in PAIR_MARKS {
        // The first mark may stand in a unit.
        for (at, _) in header.match_indices(mark) {
            let (left, right) = (&header[..at], &header[at + mark.len()..]);
            let left: Vec<&str> = left.split_whitespace().collect();
            let right: Vec<&str> = right.split_whitespace().collect();
            for long in 1..=left.len().min(3) {
                for short in 1..=right.len().min(3) {
                    let (before, first) = left.split_at(left.len() - long);
                    let (second, behind) = right.split_at(short);
                    // A bracket that opens before the pair closes behind it.
                    let [first, second] = [name(first), name(second)];
                    let stem = [name(before), name(behind)].join(" ").trim().to_owned();
                    let whole = !first.is_empty()
                        && !second.is_empty()
                        && closes(&first)
                        && closes(&second)
                        && !is_unit(&format!("{first}/{second}"));
                    if whole
                        && first.contains(char::is_alphabetic)
                        && second.contains(char::is_alphabetic)
                    {
                        found.push((stem, [first, second]));
                    }
                }
            }
        }
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// The values of a cell and a change in brackets behind them: `463.1 → 676.5 (+46%)`.
fn without_remark(cell: &str) -> (&str, &str) {
    let at = cell.rfind(['(', '（']).filter(|at| {
        let remark = &cell[*at..];
        remark.ends_with([')', '）'])
            && (states_change(remark) || is_change(remark))
            && list(&cell[..*at], false).is_some()
    });
    let (values, remark) = cell.split_at(at.unwrap_or(cell.len()));
    (values.trim_end(), remark)
}

/// Whether a header of two names says nothing of sides: `Target / actual tokens`.
fn is_setting_pair(header: &str) -> bool {
    !pairs_of(header)
        .iter()
        .flat_map(|(_, names)| names)
        .any(|name| label_hint(name) != LabelHint::Neither)
}

/// The statistics that a header lists, with what is left of it: `TTFT mean/p50/p99 (ms)`, `TTFT avg / P95 / P99 (ms)`.
fn listed_statistics(header: &str) -> Option<(String, Vec<String>)> {
    let header = header.replace(" / ", "/");
    let word = header.split_whitespace().find(|word| word.contains('/'))?;
    let names: Vec<String> = word.split('/').map(str::to_owned).collect();
    let all = names.iter().all(|name| is_statistic(&name.to_lowercase()));
    let rest = header.replacen(word, "", 1).split_whitespace().collect::<Vec<_>>().join(" ");
    (all && !rest.is_empty()).then_some((rest, names))
}

/// Whether a header names a ratio.
fn is_ratio(header: &str) -> bool {
    header.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| word == "ratio")
}

/// Gives each of several statistics in a cell a column: `143 / 139 / 187`.
fn split_statistics(table: &mut Table) -> bool {
    let values = |cell: &str, count: usize| -> Option<Vec<String>> {
        let (numbers, unit, _) =
            list(cell, false).filter(|(numbers, ..)| numbers.len() == count)?;
        Some(numbers.iter().map(|number| format!("{number} {unit}").trim().to_owned()).collect())
    };
    let compared = table.headers.iter().any(|header| names_change(header) || is_ratio(header));
    let listed = |at: &usize| {
        let (rest, names) = listed_statistics(&table.headers[*at])?;
        // Two of them may be what another column compares.
        if names.len() == 2 && compared {
            return None;
        }
        let fits = |cell: &str| is_nothing(cell) || values(cell, names.len()).is_some();
        table.filled(*at).all(fits).then_some((*at, rest, names))
    };
    let columns: Vec<(usize, String, Vec<String>)> =
        (0..table.headers.len()).filter_map(|at| listed(&at)).collect();
    for (at, rest, names) in columns.iter().rev() {
        let mut rows = take_rows(table);
        for row in &mut rows {
            let own = values(&row.cells[*at], names.len());
            let cells = own.unwrap_or_else(|| vec![String::new(); names.len()]);
            row.cells.splice(*at..=*at, cells);
        }
        let headers: Vec<String> = names.iter().map(|name| format!("{name} {rest}")).collect();
        table.headers.splice(*at..=*at, headers);
        put_rows(table, rows);
    }
    !columns.is_empty()
}

/// The columns whose cells hold two values. The first column names the rows, whatever stands in it.
fn paired_columns(table: &Table) -> Vec<usize> {
    let two = |cell: &str| {
        let listed = list(without_remark(cell).0, false);
        listed.is_some_and(|(numbers, _, mark)| numbers.len() == 2 && mark != ',')
            || bracketed(cell).is_some()
    };
    let paired: Vec<usize> = (0..table.headers.len())
        .filter(|&at| at > 0 || !is_setting_pair(&table.headers[at]))
        .filter(|&at| table.filled(at).next().is_some() && table.mostly(at, two))
        .filter(|&at| {
            let inside = table.filled(at).any(|cell| bracketed(cell).is_some());
            !inside || pair_in_brackets(&table.headers[at]).is_some()
        })
        .collect();
    // Beside measured pairs two whole numbers under names that say nothing of sides are sizes: `Nq/Nkv` over `1024/8192`.
    let measures = |at: usize| {
        table.filled(at).filter_map(|cell| list(without_remark(cell).0, false)).any(
            |(numbers, unit, _)| !unit.is_empty() || numbers.iter().any(|text| text.contains('.')),
        )
    };
    let beside = paired.iter().any(|&at| measures(at));
    let sizes = |at: usize| {
        let header = &table.headers[at];
        let names = |at: usize| pairs_of(&table.headers[at]).into_iter().map(|(_, names)| names);
        let again = names(at).any(|own| {
            paired
                .iter()
                .any(|&other| other != at && measures(other) && names(other).any(|n| n == own))
        });
        let measured = header_unit(header).is_some() || is_metric(header) || again;
        beside && !measured && !measures(at) && names(at).count() > 0 && is_setting_pair(header)
    };
    let kept: Vec<usize> = paired.iter().copied().filter(|&at| !sizes(at)).collect();
    kept
}

/// Parts of a machine that are numbered.
const PARTS: &[&str] = &[
    "gpu", "cpu", "npu", "node", "rank", "device", "core", "socket", "numa", "worker", "replica",
    "card",
];

/// The words on both sides of an arrow in a heading: `Results (baseline → project)`.
fn names_in(heading: &str) -> Option<[String; 2]> {
    let (left, right) = heading.split_once('→').or_else(|| heading.split_once("->"))?;
    let ends = |c: char| c.is_whitespace() || "()（）[]:：,，".contains(c);
    let names = [left.trim().rsplit(ends).next()?, right.trim().split(ends).next()?];
    let word = |name: &&str| name.starts_with(char::is_alphabetic) && name.chars().count() < 25;
    let measured = names.iter().any(|name| is_metric(name));
    (names.iter().all(word) && !measured).then(|| names.map(str::to_owned))
}

/// The names of the two values in every cell, where a text says so: `(Format: ours / theirs)`.
pub(crate) fn names_of_cells(text: &str) -> Option<[String; 2]> {
    const SAYS: &[&str] = &["format", "cell", "each", "order", "格式", "顺序", "形式"];
    let named = |line: &str| {
        let (before, names) = line.split_once([':', '：'])?;
        let before = before.to_lowercase();
        SAYS.iter().find(|word| before.contains(**word))?;
        let names = names.split([')', '）', '.', '。', ',']).next()?.replace(['*', '`'], "");
        let (one, other) = names.split_once(" / ")?;
        let names = [one, other].map(|name| name.trim().to_owned());
        let fits = |name: &String| {
            let short = name.chars().count() < 25 && !name.contains('/');
            short && name.contains(char::is_alphabetic) && !is_metric(name)
        };
        names.iter().all(fits).then_some(names)
    };
    text.lines().find_map(named)
}

/// The two values of a cell, each with its unit; empty where it has none.
fn pair_in(cell: &str, comma: bool) -> [String; 2] {
    if let Some(numbers) = bracketed(cell) {
        return numbers;
    }
    let (values, remark) = without_remark(cell);
    let two = list(values, comma).filter(|(numbers, ..)| numbers.len() == 2);
    let Some((numbers, unit, _)) = two else { return [String::new(), String::new()] };
    // A change in brackets is that of the second.
    let remarks = ["", remark];
    [0, 1].map(|at| format!("{} {unit} {}", numbers[at], remarks[at]).trim().to_owned())
}

/// Splits cells of two values whose header names two variants or two statistics, or whose heading or text names two variants.
fn split_pairs(table: &mut Table, heading: Option<&str>, named: Option<&[String; 2]>) -> bool {
    let width = table.headers.len();
    let paired = paired_columns(table);
    let mut ways: Vec<Vec<(String, [String; 2])>> =
        paired.iter().map(|&at| pairs_of(&table.headers[at])).collect();
    // `p95 latency, ms (new / old)`
    for (stem, _) in ways.iter_mut().flatten() {
        if let Some(bracketed) = unit_in_brackets(stem) {
            *stem = bracketed;
        }
    }
    if let Some(names) = named.filter(|_| ways.iter().all(Vec::is_empty)) {
        for (&at, way) in paired.iter().zip(&mut ways) {
            *way = vec![(table.headers[at].clone(), names.clone())];
        }
    }
    // Where no header names the two, an arrow goes from before to after.
    let arrows =
        |cell: &str| list(without_remark(cell).0, false).is_none_or(|(.., mark)| mark == '→');
    // Beside columns of one metric under several names an arrow has nothing to add.
    let beside = names_columns(table, &paired);
    if ways.iter().all(Vec::is_empty)
        && !beside
        && paired.iter().all(|&at| table.filled(at).all(arrows))
    {
        let names = heading.and_then(names_in);
        let names = names.unwrap_or_else(|| ["before", "after"].map(str::to_owned));
        for (&at, way) in paired.iter().zip(&mut ways) {
            let stem = table.headers[at].clone();
            way.push((stem, names.clone()));
        }
    }
    // The pair that all headers name, with the fewest words that leave something beside it.
    let Some(first) = ways.first() else { return false };
    let shared = first.iter().filter(|(stem, names)| {
        let named = |way: &Vec<(String, [String; 2])>| way.iter().any(|(_, other)| other == names);
        ways.iter().all(named) && (!stem.is_empty() || ways.len() == 1)
    });
    let longest = paired.len() > 1;
    let words =
        |names: &[String; 2]| names.iter().map(|name| name.split(' ').count()).sum::<usize>();
    let both = |names: &[String; 2]| names.iter().all(|name| is_statistic(&name.to_lowercase()));
    // In `TTFT off → on` the metric is no part of a name.
    let measured = |names: &[String; 2]| names.iter().any(|name| name.split(' ').any(is_metric));
    // `Prefill TTFT (ms) / tok/s` gives two quantities of one thing.
    let bare = |name: &str| name.trim_matches(['(', ')', '[', ']']).to_owned();
    let units = |names: &[String; 2]| names.iter().all(|name| is_unit(&bare(name)));
    let Some((_, names)) = shared.min_by_key(|(stem, names)| {
        let count = words(names);
        let count = if longest { usize::MAX - count } else { count };
        (stem.is_empty(), !both(names) && !units(names), measured(names), count)
    }) else {
        return false;
    };
    let names = names.clone();
    let columns: Vec<Pair> = paired
        .iter()
        .zip(&ways)
        .filter_map(|(&at, way)| {
            let (stem, names) = way.iter().find(|(_, other)| *other == names)?;
            // The unit of the cells names what only names stand over: `FFPA / SDPA`.
            let unit = || {
                let of = |cell: &str| Some(list(without_remark(cell).0, table.comma)?.1);
                table.filled(at).find_map(of).filter(|unit| is_unit(unit))
            };
            let header = if stem.is_empty() { unit().map(|unit| of_unit(&unit)) } else { None };
            let header = header.unwrap_or_else(|| stem.clone());
            Some(Pair { at, header, names: names.clone() })
        })
        .collect();
    // Requests that ended well and badly are counts of one run.
    let counts = |name: &String| matches!(meaning(name).says, Says::Outcome(_) | Says::Count);
    // Numbered parts of one machine are none that are compared: `GPU0 / GPU1`.
    let stem = |name: &String| name.replace(|c: char| c.is_ascii_digit(), "").trim().to_lowercase();
    let parts = stem(&names[0]) == stem(&names[1]) && PARTS.contains(&&*stem(&names[0]));
    let statistics = parts
        || names.iter().all(|name| is_statistic(&name.to_lowercase()))
        || names.iter().any(counts);
    let comma = table.comma;
    let split = |row: &Row| -> Vec<[String; 2]> {
        columns.iter().map(|column| pair_in(&row.cells[column.at], comma)).collect()
    };
    let old = std::mem::take(&mut table.headers);
    let rows = {
        let mut shell = Table {
            headers: Vec::new(),
            rows: std::mem::take(&mut table.rows),
            ..Table::default()
        };
        take_rows(&mut shell)
    };
    let kept: Vec<usize> =
        (0..width).filter(|at| !columns.iter().any(|column| column.at == *at)).collect();
    let mut headers: Vec<String> = kept.iter().map(|&at| old[at].clone()).collect();
    let mut out = Vec::new();
    let of_units = units(&names);
    if statistics || of_units {
        for Pair { header, names, .. } in &columns {
            headers.extend(names.iter().map(|name| {
                let both = format!("{name} {header}").trim().to_owned();
                if of_units { format!("{header} ({})", bare(name)) } else { both }
            }));
        }
        for row in &rows {
            let mut cells: Vec<String> = kept.iter().map(|&at| row.cells[at].clone()).collect();
            cells.extend(split(row).into_iter().flatten());
            out.push(Row { number: row.number, cells });
        }
    } else {
        let taken = |name: &str| headers.iter().any(|header| header.to_lowercase() == name);
        let side =
            ["variant", "build", "arm"].into_iter().find(|name| !taken(name)).unwrap_or("variant");
        headers.push(side.to_owned());
        headers.extend(columns.iter().map(|column| column.header.clone()));
        for row in &rows {
            let values = split(row);
            for (at, name) in names.iter().enumerate() {
                let mut cells: Vec<String> = kept.iter().map(|&at| row.cells[at].clone()).collect();
                cells.push(name.clone());
                cells.extend(values.iter().map(|pair| pair[at].clone()));
                out.push(Row { number: row.number, cells });
            }
        }
    }
    table.headers = headers;
    put_rows(table, out);
    true
}

/// Whether two columns or more, besides these, hold one metric under different words: `main tok/s`, `pr tok/s`.
fn names_columns(table: &Table, besides: &[usize]) -> bool {
    let last = |at: usize| {
        let header = table.headers[at].replace('`', "");
        let (words, metric) = header.trim().rsplit_once(' ')?;
        let bare = metric.trim_matches(['(', ')']);
        let bytes = Scale::parse("B");
        let sized = Scale::parse(bare).zip(bytes).is_some_and(|(one, bytes)| one.is_alike(bytes));
        let silent = !sized && meaning(words).says != Says::Measured && !is_part_of_work(words);
        (silent && (is_unit(bare) || is_metric(bare))).then(|| (bare.to_owned(), words.to_owned()))
    };
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for at in (1..table.headers.len()).filter(|at| !besides.contains(at)) {
        if let Some((metric, words)) = last(at) {
            names.entry(metric).or_default().insert(words);
        }
    }
    // `16.83 s` and `13.86 s` under names that say nothing.
    let mut units: BTreeMap<String, usize> = BTreeMap::new();
    for at in (1..table.headers.len()).filter(|at| !besides.contains(at)) {
        let unit = |cell: &str| figure(cell, false).map_or(String::new(), |found| found.unit);
        let own: BTreeSet<String> = table.filled(at).map(unit).collect();
        let header = &table.headers[at];
        let silent = meaning(header).says == Says::Nothing && !header.split(' ').any(is_phase);
        if let (1, Some(unit)) =
            (own.len(), own.first().filter(|unit| !matches!(&***unit, "" | "%")))
            && silent
        {
            *units.entry(unit.clone()).or_default() += 1;
        }
    }
    names.values().any(|words| words.len() > 1) || units.values().any(|count| *count > 1)
}

/// Largest ratio of values that are repeats where other cells hold one.
const NEAR: f64 = 1.2;

/// Ratio from which two numbers of a cell are no repeats.
pub(super) const FAR: f64 = 2.0;

/// Leaves out columns of an old and a new value beside columns of both sides.
fn drop_arrows(table: &mut Table, notes: &mut Vec<Skipped>) -> bool {
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
    drop_columns(table, &columns);
    true
}

/// Joins thousands that a blank separates, `12 600ms`, `9 111`, in columns in which the parts are too far apart for repeats.
fn join_thousands(table: &mut Table) -> bool {
    // The least and the largest of the parts, and the whole.
    let parts = |cell: &str| -> Option<(f64, f64, String)> {
        let (first, mut rest) = cell.trim().split_once(' ')?;
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let mut groups = vec![first];
        // `3 280 718`
        while let Some((group, more)) = rest.split_once(' ').filter(|(group, more)| {
            group.len() == 3 && digits(group) && more.starts_with(|c: char| c.is_ascii_digit())
        }) {
            groups.push(group);
            rest = more;
        }
        let behind = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let fits = digits(first) && first.len() <= 3 && behind == 3;
        let fraction = rest[behind..].strip_prefix('.').unwrap_or_default();
        let tail = if fraction.starts_with(|c: char| c.is_ascii_digit()) {
            fraction.trim_start_matches(|c: char| c.is_ascii_digit())
        } else {
            &rest[behind..]
        };
        let unit = tail.trim().is_empty() || is_unit(tail.trim());
        let whole = groups.concat() + rest;
        groups.push(&rest[..behind]);
        let sizes: Option<Vec<f64>> = groups.iter().map(|group| group.parse().ok()).collect();
        let ends = |fold: fn(f64, f64) -> f64| sizes.as_ref()?.iter().copied().reduce(fold);
        Some((ends(f64::min)?, ends(f64::max)?, whole)).filter(|_| fits && unit)
    };
    let apart = |cell: &str| {
        parts(cell).is_none_or(|(one, other, _): (f64, f64, _)| {
            one.max(other) > FAR * one.min(other).max(1.0)
        })
    };
    // `p50 p99` names two values.
    let names_one = |at: usize| {
        let lower = table.headers[at].to_lowercase();
        let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '.'));
        words.filter(|word| !word.is_empty() && is_statistic(word)).count() < 2
    };
    let columns: Vec<usize> = (1..table.headers.len())
        .filter(|&at| names_one(at))
        .filter(|&at| {
            table.filled(at).any(|cell| parts(cell).is_some()) && table.filled(at).all(apart)
        })
        .collect();
    if columns.is_empty() {
        return false;
    }
    let mut rows = take_rows(table);
    for row in &mut rows {
        for &at in &columns {
            if let Some((.., whole)) = parts(&row.cells[at]) {
                row.cells[at] = whole;
            }
        }
    }
    put_rows(table, rows);
    true
}

/// The repeats of a cell: no count of how many of how many, `11/12`, which has no blanks around its mark.
fn repeats_of(cell: &str) -> Option<(Vec<String>, String, char)> {
    let whole = |text: &String| text.parse::<u64>().ok();
    let share = |numbers: &[String]| match numbers {
        [part, of] => whole(part).zip(whole(of)).is_some_and(|(part, of)| part <= of),
        _ => false,
    };
    let found = list(cell, false).filter(|(_, _, mark)| *mark != '→')?;
    let counted = found.2 == '/' && !cell.contains(" /") && share(&found.0);
    (!counted).then_some(found)
}

/// Whether the cells of a column hold as many values as another column says: those of parallel slots.
fn are_slots(table: &Table, at: usize) -> bool {
    let count = |cell: &str| list(cell, false).map_or(1, |(values, ..)| values.len());
    let several = table.filled(at).any(|cell| count(cell) > 1);
    let says = |other: usize| {
        table.rows.iter().all(|row| {
            let stated = fields::number(row.cells.get(other).trim_matches(['`', '*', ' ']));
            let own = count(row.cells.get(at)) as f64;
            stated.is_some_and(|number| (number.value - own).abs() < 1e-9)
        })
    };
    several
        && table.rows.len() > 1
        && (0..table.headers.len())
            .any(|other| other != at && !counts_runs(&table.headers[other]) && says(other))
}

/// Whether the values in the cells of a column fall, or rise, from place to place in every row: `0.70 / 0.46 / 0.29`.
fn are_places(table: &Table, at: usize) -> bool {
    let values = |cell: &str| -> Option<Vec<f64>> {
        let (numbers, ..) = list(cell, false).filter(|(numbers, ..)| numbers.len() > 2)?;
        numbers.iter().map(|number| Some(fields::number(number)?.value)).collect()
    };
    let all: Vec<Vec<f64>> = table.filled(at).filter_map(values).collect();
    let fall = |all: &Vec<f64>| {
        all.windows(2).all(|two| two[0] > two[1]) && all[0] > FAR * all[all.len() - 1]
    };
    let rise = |all: &Vec<f64>| {
        all.windows(2).all(|two| two[0] < two[1]) && all[all.len() - 1] > FAR * all[0]
    };
    let header = &table.headers[at];
    let timed = matches!(
        meaning(header).quantity,
        Quantity::Time | Quantity::Latency | Quantity::Throughput
    );
    let repeats = timed || is_metric(header) || counts_runs(header);
    !repeats && all.len() > 2 && (all.iter().all(fall) || all.iter().all(rise))
}

/// Whether every cell of a column counts how many of how many, `80 / 80`, and in half of them all.
fn are_shares(table: &Table, at: usize) -> bool {
    let parts = |cell: &str| -> Option<(u64, u64)> {
        let (part, of) = out_of(cell)?;
        Some((part.trim().parse().ok()?, of.trim().parse().ok()?))
    };
    let all: Option<Vec<(u64, u64)>> = table.filled(at).map(parts).collect();
    all.is_some_and(|all| {
        let whole = all.iter().filter(|(part, of)| part == of).count();
        all.len() > 1 && 2 * whole >= all.len() && all.iter().all(|(part, of)| part <= of)
    })
}

/// Most rows of a table that people paste with lists in its cells.
const MAX_PASTED_ROWS: usize = 50;

/// Whether a column has the mean or the median of the list in another one, in every row.
fn sums_up(table: &Table, at: usize, listed: usize) -> bool {
    table.rows.iter().all(|row| {
        let own = figure(row.cells.get(at), table.comma).and_then(|found| found.value());
        let values = list(row.cells.get(listed), table.comma).and_then(|(numbers, ..)| {
            let value = |number: &String| Some(fields::number(number)?.value);
            numbers.iter().map(value).collect::<Option<Vec<f64>>>()
        });
        own.zip(values).is_some_and(|(own, mut values)| {
            if values.is_empty() {
                return false;
            }
            values.sort_by(f64::total_cmp);
            let half = values.len() / 2;
            let median = f64::midpoint(values[half], values[values.len() - 1 - half]);
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let near = |centre: f64| (centre - own.value).abs() <= 1.5 * own.resolution;
            near(mean) || near(median)
        })
    })
}

/// The columns with one value beside lists of repeats: those that sum up a list, and those that go with its first repeat.
///
/// As a value of every repeat it would be one without noise.
fn beside_lists(table: &Table, listed: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let single = |at: &usize| {
        let header = &table.headers[*at];
        let figures = |cell: &str| figure(cell, table.comma).is_some();
        let fine = |cell: &str| {
            let found = figure(cell, table.comma);
            found.is_some_and(|found| found.number.contains('.') || !found.unit.is_empty())
        };
        let named = is_metric(header) || meaning(header).statistic.is_some();
        let set = fields::field_of_column(header).is_some_and(fields::is_setting)
            || meaning(header).says == Says::Setting;
        // What is the same in all rows was set.
        let first = table.filled(*at).next();
        let differs = table.filled(*at).any(|cell| Some(cell) != first);
        let measured = named || *at > 0 && differs && table.filled(*at).any(fine);
        measured && !set && !listed.contains(at) && table.mostly(*at, figures)
    };
    let of_list = |at: &usize| {
        let named = is_statistic(&table.headers[*at].trim().to_lowercase());
        named || listed.iter().any(|&list| sums_up(table, *at, list))
    };
    (0..table.headers.len()).filter(single).partition(of_list)
}

/// Gives every value of a list of repeats a row of its own: `91.2, 92.3, 90.8`.
fn split_lists(table: &mut Table, notes: &mut Vec<Skipped>) -> bool {
    let width = table.headers.len();
    // Long tables with lists in brackets are exports: their rows may be repeats of one another.
    let exported = table.rows.len() > MAX_PASTED_ROWS
        && (0..width).any(|at| table.filled(at).any(|cell| cell.starts_with('[')));
    if exported {
        return false;
    }
    // Beside single values those that are near one another are repeats.
    let values = |cell: &str| -> Option<Vec<f64>> {
        let (numbers, ..) = repeats_of(cell)?;
        Some(numbers.iter().filter_map(|number| Some(fields::number(number)?.value)).collect())
    };
    let near = |cell: &str| {
        values(cell).is_some_and(|values| {
            let ends = values.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
            ends.0 > 0.0 && ends.1 / ends.0 < NEAR
        })
    };
    // Two numbers far apart are two quantities: `693.04, 2.005`.
    let several = |cell: &str| {
        values(cell).is_some_and(
            |values| !matches!(values[..], [one, other] if one.max(other) > FAR * one.min(other)),
        )
    };
    let repeats = |at: usize| {
        at > 0
            && table.filled(at).any(near)
            && table.filled(at).all(|cell| near(cell) || is_value(cell) || is_nothing(cell))
            && ![" / ", " vs ", "→"].iter().any(|mark| table.headers[at].contains(mark))
    };
    let repeated: Vec<usize> = (0..width).filter(|&at| repeats(at)).collect();
    // All of a row are repeated, or none.
    let whole = repeated.len() > 1
        && table.rows.iter().all(|row| {
            let lists = repeated.iter().filter(|&&at| near(row.cells.get(at))).count();
            lists == 0 || lists == repeated.len()
        });
    // `ours / torch / compiled` over three values names each of them.
    let named = |at: usize| {
        let header = &*table.headers[at];
        let inner = header.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
        let names = |mark: &str| match inner.filter(|_| mark == ",") {
            Some((inner, _)) => inner.split(mark).count(),
            None => header.split(mark).count(),
        };
        table.filled(at).filter_map(|cell| list(cell, false)).any(|(values, ..)| {
            values.len() > 2
                && [" / ", " vs ", "/", ","].iter().any(|mark| names(mark) == values.len())
        })
    };
    let listed: Vec<usize> = (0..width)
        .filter(|&at| !named(at) && !are_slots(table, at) && !are_shares(table, at))
        .filter(|&at| !are_places(table, at))
        .filter(|at| {
            let all = *at > 0 && table.filled(*at).next().is_some() && table.mostly(*at, several);
            all || whole && repeated.contains(at)
        })
        .collect();
    // Where one of several columns has two values far apart, the pairs of none are repeats.
    let two = |cell: &str| values(cell).filter(|values| values.len() == 2);
    let far = |at: usize| {
        table.mostly(at, |cell| two(cell).is_some())
            && table
                .filled(at)
                .filter_map(two)
                .any(|pair| pair[0].max(pair[1]) > 2.0 * FAR * pair[0].min(pair[1]))
    };
    if listed.iter().all(|&at| table.filled(at).all(|cell| two(cell).is_some()))
        && (1..width).any(far)
    {
        return false;
    }
    let counts = |row: crate::table::records::Line| -> Vec<usize> {
        listed.iter().filter_map(|&at| Some(list(row.cells.get(at), false)?.0.len())).collect()
    };
    let alike = table.rows.iter().all(|row| {
        let counts = counts(row);
        counts.windows(2).all(|pair| pair[0] == pair[1])
    });
    if listed.is_empty() || !alike {
        return false;
    }
    let (once, first) = beside_lists(table, &listed);
    for &at in &once {
        let why = "one value beside a list of repeats: not read".to_owned();
        notes.push(Skipped { place: format!("column {}", short(&table.headers[at])), why });
    }
    drop_columns(table, &once);
    let moved = |at: usize| at - once.iter().filter(|&&other| other < at).count();
    let listed: Vec<usize> = listed.into_iter().map(moved).collect();
    let first: Vec<usize> = first.into_iter().map(moved).collect();
    let comma = table.comma;
    let rows = take_rows(table);
    let named = |name: &&str| !table.headers.iter().any(|header| is_called(header, &[name]));
    let run = RUN.iter().copied().find(|name| named(name)).unwrap_or("run");
    for &at in &listed {
        table.headers[at] = without_count(&table.headers[at]).0;
    }
    table.headers.push(run.to_owned());
    let mut out = Vec::new();
    for row in rows {
        let lists: Vec<(usize, Vec<String>, String)> = listed
            .iter()
            .filter_map(|&at| {
                let (numbers, unit, _) = list(&row.cells[at], comma)?;
                Some((at, numbers, unit))
            })
            .collect();
        let count = lists.iter().map(|(_, numbers, _)| numbers.len()).max().unwrap_or(1);
        for nth in 0..count {
            let mut cells = row.cells.clone();
            for (at, numbers, unit) in &lists {
                format!("{} {unit}", numbers[nth]).trim().clone_into(&mut cells[*at]);
            }
            for &at in first.iter().filter(|_| nth > 0) {
                cells[at].clear();
            }
            cells.push((nth + 1).to_string());
            out.push(Row { number: row.number, cells });
        }
    }
    put_rows(table, out);
    true
}

/// The change beside a value, without what a bracket behind it adds: `: 1.03x faster (faster on 88% of runs)`.
fn change_of(text: &str) -> &str {
    let head = text.split(" (").next().unwrap_or(text);
    (if states_change(head) { head } else { text }).trim_matches(['*', ' ', ':'])
}

/// Leaves the bare value in cells with something beside it. Of several changes beside one value none is taken: they compare
/// with different ones.
fn without_remarks(table: &mut Table, notes: &mut Vec<Skipped>) -> (Vec<Remark>, bool) {
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
    let (mut rows, mut remarks) = (take_rows(table), Vec::new());
    let mut unchecked: BTreeMap<usize, String> = BTreeMap::new();
    for row in &mut rows {
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
    put_rows(table, rows);
    for (at, text) in unchecked {
        let place = format!("column {}", short(&table.headers[at]));
        let why = format!("several changes beside one value, such as \"{text}\": not checked");
        notes.push(Skipped { place, why });
    }
    (remarks, true)
}

/// Cells of a column with values to each one without.
const ODD: usize = 10;

/// Moves units behind the numbers of a column into its header, and converts values in another unit of the kind.
pub(crate) fn hoist_units(table: &mut Table, notes: &mut Vec<Skipped>) -> bool {
    let width = table.headers.len();
    if is_long(table) || table.headers.iter().any(|header| is_called(header, UNIT)) {
        return false;
    }
    let mut units: BTreeMap<usize, String> = BTreeMap::new();
    for at in 0..width {
        let header = &table.headers[at];
        if header.is_empty()
            || fields::field_of_column(header).is_some()
            || names_variants(table, at)
            || is_called(header, RUN)
            || table.filled(at).next().is_none()
        {
            continue;
        }
        let figures: Vec<Figure> =
            table.filled(at).filter_map(|cell| figure(cell, false)).collect();
        let filled = table.filled(at).filter(|cell| !is_nothing(cell) && !is_failure(cell)).count();
        // A few words say why a measured value is missing; those of a setting are settings.
        let odd = filled.saturating_sub(figures.len());
        // Sizes over values in one unit are loads: `并发 8` over `260.82 tok/s`.
        let load = figures.len() > 2 && load_of(header).is_some();
        let measured = at > 0 && (meaning(header).says == Says::Measured || load);
        let with = |figure: &&Figure| !figure.unit.is_empty();
        let own = header_unit(header);
        // Percentages are numbers to every reader.
        let known: Vec<&str> = figures
            .iter()
            .filter(with)
            .map(|figure| figure.unit.as_str())
            .filter(|unit| *unit != "%")
            .collect();
        // The first row may state the unit of all.
        let of_first = known.len() == 1 && figures.first().is_some_and(|first| with(&first));
        let whole = known.len() == figures.len() || own.is_some() || of_first;
        if known.is_empty() || ODD * odd > filled || odd > 0 && !measured || !whole {
            continue;
        }
        let smallest =
            known.iter().copied().min_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or_default();
        let wanted = own.clone().unwrap_or_else(|| smallest.to_owned());
        let converts = |unit: &&str| *unit == wanted || factor(unit, &wanted).is_some();
        // Below a unit in the header a cell in another one is odd: `22 ms/token` below `latency (ms)`.
        let odd = known.iter().filter(|unit| !converts(unit)).count();
        if odd == 0 || own.is_some() && 2 * odd < known.len() {
            units.insert(at, wanted);
        }
    }
    if units.is_empty() {
        return false;
    }
    let mut rows = take_rows(table);
    for row in &mut rows {
        for (&at, wanted) in &units {
            let cell = &mut row.cells[at];
            let Some(Figure { number, unit, .. }) = figure(cell, false) else {
                if !is_nothing(cell) && !is_failure(cell) {
                    let header = short(&table.headers[at]);
                    let place = format!("{} {}, column {header}", table.counts, row.number);
                    notes.push(Skipped {
                        place,
                        why: format!("\"{}\" is no number: not read", short(cell)),
                    });
                    cell.clear();
                }
                continue;
            };
            row.cells[at] = match factor(&unit, wanted) {
                _ if unit.is_empty() || unit == *wanted => number,
                Some(power) => scaled(&number, power),
                None => {
                    let header = short(&table.headers[at]);
                    let place = format!("{} {}, column {header}", table.counts, row.number);
                    let why = format!("\"{}\" has another unit: not read", short(cell));
                    notes.push(Skipped { place, why });
                    String::new()
                }
            };
        }
    }
    put_rows(table, rows);
    for (at, unit) in units {
        if header_unit(&table.headers[at]).is_none() {
            let header = format!("{} ({unit})", table.headers[at].trim());
            header.trim().clone_into(&mut table.headers[at]);
        }
    }
    true
}

fn size(unit: &str) -> f64 {
    let smaller = |word: &str| Scale::parse(word)?.to(Scale::parse(base(unit))?);
    smaller(unit).map_or(1.0, |to| to.apply(1.0))
}

/// The smallest unit of a kind.
fn base(unit: &str) -> &'static str {
    let alike = |word: &&str| {
        Scale::parse(unit).zip(Scale::parse(word)).is_some_and(|(a, b)| a.is_alike(b))
    };
    ["ns", "B", "%"].into_iter().find(alike).unwrap_or("ns")
}

/// Factor between two units of a kind.
fn factor(from: &str, to: &str) -> Option<f64> {
    Some(Scale::parse(from)?.to(Scale::parse(to)?)?.apply(1.0))
}

/// A number times a factor; the digits stay as they are where it is a power of ten.
fn scaled(number: &str, factor: f64) -> String {
    let power = factor.log10().round();
    if (10f64.powf(power) / factor - 1.0).abs() < 1e-12 && !number.contains('e') {
        return format!("{number}e{power}");
    }
    number.parse::<f64>().map_or_else(|_| number.to_owned(), |value| (value * factor).to_string())
}

/// Leaves columns out of a table.
pub(crate) fn drop_columns(table: &mut Table, dropped: &[usize]) {
    let mut rows = take_rows(table);
    let keep = |at: &usize| !dropped.contains(at);
    for row in &mut rows {
        let cells = std::mem::take(&mut row.cells).into_iter().enumerate();
        row.cells = cells.filter(|(at, _)| keep(at)).map(|(_, cell)| cell).collect();
    }
    let headers = std::mem::take(&mut table.headers).into_iter().enumerate();
    table.headers = headers.filter(|(at, _)| keep(at)).map(|(_, header)| header).collect();
    put_rows(table, rows);
}
