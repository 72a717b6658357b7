//! The column whose names are compared with each other, row by row, where no column is called a variant.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::cell_value::is_nothing;
use crate::kit::fields::{self, Number};
use crate::kit::figure::{figure, leading};
use crate::kit::parts_of_work::is_part_of_work;
use crate::reader::Options;
use crate::table::column_names::{METRIC, SYSTEMS, VALUE};
use crate::table::layout::changes::forms::{Change, change, numbers_of};
use crate::table::layout::columns::has_variants;
use crate::table::layout::{Caption, is_called};
use crate::table::records::Table;
use crate::table::role_words::{is_case, is_run, is_size};
use crate::text::headings::counts_runs;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, label_hint};

/// Names of columns of configurations, where nothing else is named.
const CONFIGURATIONS: &[&str] = &["配置", "構成", "구성"];

/// Whether a cell answers a question: `yes`.
fn is_answer(cell: &str) -> bool {
    ["yes", "no", "true", "false", "on", "off", "none", "是", "否"]
        .contains(&&*cell.trim().to_lowercase())
}

/// The options for a table that compares systems: their column names the variants, if no heading does. `changes`: a column of the
/// table as it was written compares its rows.
pub(crate) fn systems_of(
    table: &Table,
    (caption, referenced, changes): (Caption, Option<&String>, bool),
    (options, labels): (&Options, &BTreeSet<String>),
) -> Option<(Options, &'static str)> {
    let sides = |label: &str| label_hint(label) != LabelHint::Neither;
    let named = has_variants(table);
    if named || !options.variant_column.is_empty() || caption.heading.is_some_and(sides) {
        return None;
    }
    let mut systems = table.headers.iter().enumerate().filter(|(at, header)| {
        let cells: BTreeSet<&str> = table.filled(*at).collect();
        let words = cells.iter().all(|cell| cell.contains(char::is_alphabetic));
        is_called(header, SYSTEMS) && cells.len() > 1 && words
    });
    let called = systems.next().filter(|_| systems.next().is_none());
    // Changes are between rows: with a name in each of them, the configuration beside its engine, that is what is compared.
    let called = called.map(|(at, header)| match named_apart(table, at).filter(|_| changes) {
        Some(own) => (own, "each goes with its system"),
        None => (header, "names systems"),
    });
    // Of the only table, without another column of names, `baseline` may stand over all that is compared, and so may 配置.
    let called = called.or_else(|| {
        let names = |at: usize| table.filled(at).collect::<BTreeSet<&str>>();
        let word = |cell: &&str| {
            cell.contains(char::is_alphabetic) && figure(cell, false).is_none() && !is_answer(cell)
        };
        let words = |at: &usize| names(*at).len() > 1 && names(*at).iter().all(word);
        let over = |at: &usize| {
            let header = table.headers[*at].trim();
            label_hint(header) == LabelHint::Baseline && !header.contains(' ')
                || is_called(header, CONFIGURATIONS)
        };
        let mut text = (0..table.headers.len()).filter(words);
        let only = text.next().filter(|_| text.next().is_none())?;
        let alone = caption.alone && !table.headers.iter().any(|header| is_called(header, METRIC));
        (alone && over(&only)).then(|| (&table.headers[only], "names what is compared"))
    });
    // Columns of a table above that are variants are named in the rows of this one.
    let called = called.or_else(|| {
        let known = |at: &usize| {
            let names: BTreeSet<&str> =
                table.filled(*at).map(|cell| cell.trim_matches('*')).collect();
            let known = names.iter().all(|name| labels.contains(&name.to_lowercase()));
            names.len() > 1 && known && !is_case(&table.headers[*at])
        };
        let at = (0..table.headers.len()).find(known)?;
        Some((&table.headers[at], "names the variants of a table above"))
    });
    // Of a table that was turned the columns have their roles.
    let turned =
        table.headers.iter().any(|header| is_called(header, METRIC) || is_called(header, VALUE));
    let referenced = referenced.filter(|header| table.headers.contains(header));
    let by_rows = || {
        referenced
            .map(|header| (header, "another column compares its rows"))
            .or_else(|| Some((beside_models(table)?, "comes with each model")))
            .or_else(|| Some((alternating(table)?, "its names alternate")))
    };
    let (header, why) = called.or_else(|| if turned { None } else { by_rows() })?;
    Some((Options { variant_column: vec![header.clone()], ..options.clone() }, why))
}

/// Writes how each system was set behind its name, where only some systems come with each way: `faster-whisper int8`.
///
/// Gives the name of the column then.
pub(crate) fn join_configurations(table: &mut Table, systems: &str) -> Option<String> {
    let at = table.headers.iter().position(|header| header == systems)?;
    let also = configured_by(table, at)?;
    let mut rows = table.take_rows();
    for row in &mut rows {
        row.cells[at] = format!("{} {}", row.cells[at], row.cells[also]);
    }
    table.put_rows(rows);
    let both = format!("{systems}, {}", table.headers[also]);
    table.headers[at].clone_from(&both);
    table.drop_columns(&[also]);
    Some(both)
}

/// Parts of the names of columns that say how a system was set, and not on what it ran.
const CONFIGURED: &[&str] = &["precision", "quant", "dtype", "data type", "精度", "量化"];

/// The only other column of words, where it says how each system was set, and only some systems come with each of its names: `fp16` and
/// `int8` of one implementation beside `fp16` of another; some meet in one of them, or none do.
fn configured_by(table: &Table, systems: usize) -> Option<usize> {
    let names = |at: usize| table.filled(at).collect::<BTreeSet<&str>>();
    let words = |at: &usize| {
        let word = |cell: &&str| {
            cell.contains(char::is_alphabetic) && figure(cell, false).is_none() && !is_answer(cell)
        };
        *at != systems && names(*at).len() > 1 && names(*at).iter().all(word)
    };
    let mut found = (0..table.headers.len()).filter(words);
    let only = found.next().filter(|_| found.next().is_none())?;
    let header = &table.headers[only];
    let lower = header.to_lowercase();
    let set = CONFIGURED.iter().any(|part| lower.contains(part));
    let shared = |name: &str| {
        let own = table.rows.iter().filter(|row| row.cells.get(only) == name);
        own.map(|row| row.cells.get(systems)).collect::<BTreeSet<&str>>().len() > 1
    };
    let meet = names(only).into_iter().any(shared);
    let set = set && (meet || names(only).len() == table.rows.len());
    let mut pairs: BTreeMap<[&str; 2], usize> = BTreeMap::new();
    for row in table.rows.iter() {
        *pairs.entry([systems, only].map(|at| row.cells.get(at))).or_default() += 1;
    }
    let every = names(systems).len() * names(only).len();
    // Once, or at every load.
    let equally = pairs.values().all(|times| times * pairs.len() == table.rows.len());
    let apart = equally && pairs.len() < every;
    (set && apart && names(systems).len() < table.rows.len()).then_some(only)
}

/// The only other column of words, if it has another name in every row, so that no two systems meet in a cell.
fn named_apart<'a>(table: &'a Table, systems: usize) -> Option<&'a String> {
    let apart = |at: &usize| {
        let names: BTreeSet<&str> = table.filled(*at).collect();
        let words =
            |name: &&str| name.contains(char::is_alphabetic) && figure(name, false).is_none();
        *at != systems && names.len() == table.rows.len() && names.iter().all(words)
    };
    let several = table.rows.len() > table.filled(systems).collect::<BTreeSet<_>>().len();
    let mut found = (0..table.headers.len()).filter(apart);
    let only = found.next().filter(|_| several && found.next().is_none())?;
    let header = &table.headers[only];
    let silent = meaning(header).says == Says::Nothing && fields::field_of_column(header).is_none();
    (silent && !is_case(header)).then_some(header)
}

/// Most names of a column that names variants row by row.
const MAX_ALTERNATING: usize = 4;

/// The column of words whose few names come in the same order in every block of rows, where the other words of a block stay.
fn alternating<'a>(table: &'a Table) -> Option<&'a String> {
    // Versions are names too: `4.3.1`.
    let word = |cell: &str| figure(cell, false).is_none() || cell.matches('.').count() > 1;
    let words = |at: usize| !is_run(&table.headers[at]) && table.filled(at).all(word);
    let text: Vec<usize> = (0..table.headers.len()).filter(|&at| words(at)).collect();
    let mut rows: Vec<Vec<&str>> =
        table.rows.iter().map(|row| text.iter().map(|&at| row.cells.get(at)).collect()).collect();
    // Repeats that another column counts are of one name.
    if table.headers.iter().any(|header| is_run(header)) {
        rows.dedup();
    }
    // A name of the baseline in another column says that its names are compared.
    let sides = |place: usize| {
        let names: BTreeSet<&str> = rows.iter().map(|row| row[place]).collect();
        // `llama-base` is a model.
        let model =
            fields::field_of_column(&table.headers[text[place]]) == Some(fields::RunField::Model);
        !model
            && !names.iter().any(|name| is_size(name))
            && names.len() > 1
            && names.iter().any(|name| label_hint(name) == LabelHint::Baseline)
    };
    let alternates = |place: &usize| {
        let names: BTreeSet<&str> = rows.iter().map(|row| row[*place]).collect();
        let size = names.len();
        let part = |name: &&str| {
            // `io_uring` is one word, and so is `4.3.1+write-set`.
            let plain = |word: &&str| word.chars().all(char::is_alphabetic);
            let of_work = name.split_whitespace().filter(plain).any(is_part_of_work);
            name.is_empty() || fields::is_set(name) || of_work || counts_runs(name)
        };
        let other = (0..text.len()).any(|other| other != *place && sides(other)) && !sides(*place);
        let block = |block: &[Vec<&str>]| {
            let own = block.iter().map(|row| row[*place]);
            let same = own.eq(rows[..size].iter().map(|row| row[*place]));
            let still = (0..text.len()).filter(|other| other != place);
            let mut still =
                still.map(|other| block.iter().all(|row| row[other] == block[0][other]));
            same && still.all(|same| same)
        };
        (2..=MAX_ALTERNATING).contains(&size)
            && rows.len() >= 2 * size
            && rows.len().is_multiple_of(size)
            && !other
            && !is_case(&table.headers[text[*place]])
            && !names.iter().any(part)
            && rows.chunks(size).all(block)
    };
    let mut found = (0..text.len()).filter(alternates);
    let only = found.next().filter(|_| found.next().is_none() && text.len() > 1)?;
    Some(&table.headers[text[only]])
}

/// Words for the row that the others are compared with, which in labels may also mean a benchmark.
const REFERENCE: &[&str] = &["基准", "参考", "기준"];

/// Whether a factor is the ratio of two values, within the printed digits of all three.
fn is_ratio(new: Number, old: Number, factor: Number) -> bool {
    let ratio = new.value / old.value;
    let digits = new.resolution / new.value.abs() + old.resolution / old.value.abs();
    let room = factor.resolution * 1.01 + ratio.abs() * digits + ROUNDING;
    new.value != 0.0 && old.value != 0.0 && (ratio - factor.value).abs() <= room
}

/// Most pairs of a row and a reference that are looked at.
const MAX_REFERENCES: usize = 100_000;

/// Difference of a factor from a ratio by rounding on the way.
const ROUNDING: f64 = 0.002;

/// The column of words whose rows another column compares, with one of them (`1.00x`, `baseline`) or with the row
/// before. The changes follow from the values of a third column.
pub(crate) fn referenced(table: &Table) -> Option<String> {
    let rows = table.rows.len();
    let width = table.headers.len();
    let names = |at: &usize| {
        let cells: BTreeSet<&str> = table.filled(*at).collect();
        let words = cells.iter().any(|cell| cell.contains(char::is_alphabetic));
        cells.len() == rows && words && cells.iter().all(|cell| figure(cell, false).is_none())
    };
    // Numbers are names where the word for a baseline stands in the row of one of them.
    let marked = || {
        let distinct = table.filled(0).collect::<BTreeSet<&str>>().len() == rows;
        let baseline = |at: usize| {
            let mut cells = table.filled(at);
            cells.any(|cell| {
                let word = cell.trim_matches(['*', ' ']).to_lowercase();
                ["baseline", "base", "基线"].contains(&&*word) || REFERENCE.contains(&&*word)
            })
        };
        (distinct && width > 1 && (1..width).any(baseline)).then_some(0)
    };
    let column = (0..width).find(names).or_else(marked)?;
    let numbers: Vec<Vec<Option<Number>>> = (0..width).map(|at| numbers_of(table, at)).collect();
    let factors = |at: usize| -> Vec<Option<Number>> {
        // `0.61× (slower)`, `**3.9×** ← best`
        let factor = |cell: &str| {
            let cell = cell.trim_start_matches(['*', '(', '~', ' ']);
            let (end, number) = leading(cell, table.comma)?;
            let behind = cell[end..].trim_start_matches(['*', ' ']);
            let Number { value, resolution } = fields::number(&number)?;
            let percent = behind.starts_with(['%', '％']);
            let factor = behind.is_empty() || behind.starts_with(['x', 'X', '×', '倍']);
            Some(if percent {
                Number { value: 1.0 + value / 100.0, resolution: resolution / 100.0 }
            } else if factor {
                Number { value, resolution }
            } else {
                return None;
            })
        };
        table.rows.iter().map(|row| factor(row.cells.get(at).trim())).collect()
    };
    // Of several references each other row has one: `1.000x`, `LoRA ref`.
    let several = |at: usize, factors: &[Option<Number>], bases: &[usize]| {
        if bases.len() * rows > MAX_REFERENCES {
            return false;
        }
        let others: Vec<usize> = (0..rows).filter(|row| !bases.contains(row)).collect();
        let follows = |values: &Vec<Option<Number>>| {
            let of = |row: usize, base: usize| {
                values[row].zip(values[base]).zip(factors[row]).is_some_and(
                    |((new, old), factor)| is_ratio(new, old, factor) || is_ratio(old, new, factor),
                )
            };
            others.iter().all(|&row| bases.iter().any(|&base| of(row, base)))
        };
        let measured = (0..width).filter(|other| *other != at && *other != column);
        others.len() > 1 && measured.into_iter().any(|other| follows(&numbers[other]))
    };
    let compares = |at: usize| {
        let factors = factors(at);
        let reference = |row: usize| {
            let cell = table.rows.get(row).cells.get(at).trim().to_lowercase();
            let one = factors[row].is_some_and(|factor| (factor.value - 1.0).abs() < 1e-9);
            let named = label_hint(&cell) == LabelHint::Baseline
                || REFERENCE.contains(&&*cell)
                || cell.ends_with(" ref")
                || cell.ends_with(" reference");
            one || is_nothing(&cell) || named
        };
        let bases: Vec<usize> = (0..rows).filter(|row| reference(*row)).collect();
        let &[base] = &bases[..] else { return several(at, &factors, &bases) };
        let follows = |values: &Vec<Option<Number>>, old: fn(usize, usize) -> usize| {
            let near = |row: usize| {
                let [new, old] = [row, old(row, base)].map(|at| values[at]);
                new.zip(old).zip(factors[row]).is_some_and(|((new, old), factor)| {
                    is_ratio(new, old, factor) || is_ratio(old, new, factor)
                })
            };
            (0..rows).filter(|row| *row != base).all(near)
        };
        let measured = (0..width).filter(|other| *other != at && *other != column);
        measured.into_iter().any(|other| {
            follows(&numbers[other], |_, base| base)
                || base == 0 && follows(&numbers[other], |row, _| row - 1)
        })
    };
    // A change beside the values of all rows but one: `110.0 tok/s (+26 %)`.
    let remarked = |at: usize| {
        let figures: Option<Vec<_>> =
            table.rows.iter().map(|row| figure(row.cells.get(at).trim(), table.comma)).collect();
        let Some(figures) = figures else { return false };
        let change = |beside: &str| change(beside, false).filter(|change| change.up.is_some());
        let changes: Vec<Option<Change>> =
            figures.iter().map(|figure| change(&figure.beside)).collect();
        let mut of = (0..rows).filter(|row| changes[*row].is_none());
        let (Some(base), None) = (of.next(), of.next()) else { return false };
        let near = |row: usize| {
            numbers[at][row].zip(numbers[at][base]).zip(changes[row]).is_some_and(
                |((new, old), Change { size, resolution, up })| {
                    let value = if up == Some(false) { 1.0 - size } else { 1.0 + size };
                    is_ratio(new, old, Number { value, resolution })
                },
            )
        };
        (0..rows).filter(|row| *row != base).all(near)
    };
    let found =
        rows > 1 && (0..width).filter(|at| *at != column).any(|at| compares(at) || remarked(at));
    found.then(|| table.headers[column].clone())
}

/// The column of words that has each of its few names once with every model, if no other words are in the table.
fn beside_models<'a>(table: &'a Table) -> Option<&'a String> {
    let words = |at: &usize| {
        table
            .filled(*at)
            .all(|cell| cell.contains(char::is_alphabetic) && figure(cell, false).is_none())
    };
    let text: Vec<usize> = (0..table.headers.len()).filter(words).collect();
    let model = |at: usize| {
        fields::field_of_column(&table.headers[at]) == Some(fields::RunField::Model)
            || meaning(&table.headers[at]).says == Says::Setting
    };
    let [one, other] = text[..] else { return None };
    let (set, column) = match (model(one), model(other)) {
        (true, false) => (one, other),
        (false, true) => (other, one),
        _ => return None,
    };
    let cells = |at: usize| table.filled(at).collect::<BTreeSet<&str>>();
    let (models, names) = (cells(set), cells(column));
    let pairs: BTreeSet<[&str; 2]> =
        table.rows.iter().map(|row| [set, column].map(|at| row.cells.get(at))).collect();
    let part = |name: &&str| is_part_of_work(name) || counts_runs(name);
    let named = fields::field_of_column(&table.headers[set]) == Some(fields::RunField::Model);
    let sides = !named && models.iter().any(|name| label_hint(name) == LabelHint::Baseline);
    let whole = models.len() > 1
        && !sides
        && (2..=MAX_ALTERNATING).contains(&names.len())
        && pairs.len() == table.rows.len()
        && pairs.len() == models.len() * names.len();
    (whole && !names.iter().any(part)).then(|| &table.headers[column])
}
