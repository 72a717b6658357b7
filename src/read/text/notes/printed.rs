//! Labels before values, titles and settings that come back in a text, since a program prints them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::kit::figure::figure;
use crate::text::headings;
use crate::text::headings::heading::COLON;
use crate::text::notes::between::is_variable;
use crate::text::printed_lines;
use crate::text::text_block::{self};
use beyondnoise_model::metrics::words::{Quantity, Says, meaning};
use beyondnoise_model::runs::{LabelHint, label_hint};
use beyondnoise_model::units::Scale;

/// Lines of more than one word, or that set a variable of the shell, that come back.
pub(super) fn recurring(lines: &[String]) -> BTreeSet<String> {
    coming_back(
        lines.iter().map(|line| line.trim()).filter(|line| line.contains(' ') || is_variable(line)),
    )
}

fn coming_back<'a>(lines: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let (mut once, mut again) = (BTreeSet::new(), BTreeSet::new());
    for line in lines {
        if !once.insert(line) {
            again.insert(line.to_owned());
        }
    }
    again
}

/// The title between long rulers, once or several times, where no other one is.
pub(super) fn printed_title(lines: &[String]) -> Option<String> {
    let mut titles = lines.iter().map(|line| line.trim()).filter(|line| headings::is_title(line));
    let first = titles.next()?;
    titles.all(|other| other == first).then(|| first.to_owned())
}

/// The words directly above each of several tables, at these lines, where they are the same: a program prints them.
pub(super) fn table_title(lines: &[String], tables: &[Range<usize>]) -> Option<String> {
    // Rulers may stand between.
    let blank = |line: &&String| !line.contains(char::is_alphanumeric);
    let above = |table: &Range<usize>| {
        let lines = &lines[..table.start.min(lines.len())];
        lines.iter().rev().find(|line| !blank(line)).map(|line| line.trim())
    };
    let first = above(tables.first()?)?;
    let same = tables.len() > 1 && tables.iter().all(|table| above(table) == Some(first));
    same.then(|| first.to_owned())
}

/// Labels before a value with its unit that a program prints.
#[derive(Default)]
pub(crate) struct PrintedLabels {
    pub(crate) labels: BTreeSet<String>,
    /// Whether each is there once, under the name of a result: the text is the output of one run.
    pub(super) once: bool,
}

/// Labels before a value with its unit that come back, or are the only ones of a text.
pub(crate) fn printed_labels(lines: &[String]) -> PrintedLabels {
    let side = |line: &String| {
        let bare = line.trim();
        let ends = bare.ends_with([':', '：']);
        let most = if ends { MAX_SIDE_CHARS } else { 80 };
        (ends || bare.starts_with('#') && !bare.ends_with('.'))
            && bare.len() <= most
            && label_hint(bare) != LabelHint::Neither
    };
    let mut found: BTreeMap<String, (usize, BTreeSet<String>, bool)> = BTreeMap::new();
    for (label, value, named) in lines.iter().filter_map(|line| text_block::label_of_result(line)) {
        // `before: 41.2 tok/s` below each of several works.
        if !named && label_hint(&label) != LabelHint::Neither && label.split(' ').count() < 3 {
            continue;
        }
        let (count, values, is_named) = found.entry(label).or_default();
        *count += 1;
        values.insert(value);
        *is_named = named;
    }
    let sides = lines.iter().any(side);
    let written =
        |line: &String| line.starts_with('#') && text_block::label_of_result(line).is_some();
    let bare = |label: &String| label.replace(|c: char| c.is_ascii_digit(), "");
    let once = !sides
        && found.values().all(|(count, ..)| *count == 1)
        && found.keys().map(bare).collect::<BTreeSet<_>>().len() == found.len()
        && !lines.iter().any(written)
        && lines.iter().filter(|line| line.starts_with('#')).count() < 2
        && !lines.iter().any(|line| headings::counts_runs(line.trim()));
    if once {
        let times_or_rates = |label: &str, value: &str| {
            let unit = figure(value, false).map_or(String::new(), |found| found.unit);
            let says = meaning(label);
            let timed = matches!(says.quantity, Quantity::Time | Quantity::Latency);
            says.says == Says::Measured && timed && !unit.is_empty()
                || Scale::parse(&unit).is_some_and(Scale::is_rate)
        };
        found.retain(|label, (_, values, named)| {
            *named || values.iter().any(|value| times_or_rates(label, value))
        });
        return PrintedLabels { once: !found.is_empty(), labels: found.into_keys().collect() };
    }
    // Measured values differ, whatever their label.
    found.retain(|_, (count, values, named)| *count > 1 && (*named || values.len() > 1));
    if !sides {
        // Without a heading of a side these are a log, unless a few blocks have the same labels.
        let counts: BTreeSet<usize> = found.values().map(|(count, ..)| *count).collect();
        let headed = lines.iter().filter_map(|line| headings::heading(line.trim(), 1));
        let headed = headed.filter(|(heading, _)| heading.level < COLON).count();
        let most = MAX_BLOCKS.max(headed);
        let few = counts.len() == 1 && counts.iter().all(|count| *count <= most);
        // One label is enough where each block has a heading of its own.
        let own =
            counts.iter().all(|count| *count <= headed) && found.values().any(|(.., named)| *named);
        if found.len() < MIN_LABELS && own && few {
            found.retain(|_, (.., named)| *named);
        } else if found.len() < MIN_LABELS || !few {
            return PrintedLabels::default();
        }
    }
    PrintedLabels { labels: found.into_keys().collect(), once }
}

/// Whether a line that comes back stands between two results: the name of a side, since a program prints its words with each.
pub(super) fn recurs_between_results(lines: &[String], recurring: &BTreeSet<String>) -> bool {
    let result = |line: &String| {
        text_block::label_of_result(line).is_some()
            || printed_lines::starts(std::slice::from_ref(line))
    };
    lines.windows(3).any(|three| {
        recurring.contains(three[1].trim())
            && result(&three[0])
            && result(&three[2])
            && !result(&three[1])
    })
}

/// Lines that end with a colon and come back: titles of the parts that a program prints.
pub(super) fn part_titles(lines: &[String]) -> BTreeSet<String> {
    let bare = lines.iter().map(|line| line.trim_matches(['>', ' ']));
    coming_back(bare.filter(|line| line.ends_with(':')))
}

/// Labels before a whole number that come back with another number.
pub(super) fn printed_settings(lines: &[String]) -> BTreeSet<String> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (label, number) in lines.iter().filter_map(|line| text_block::whole(line)) {
        found.entry(label).or_default().insert(number);
    }
    found.retain(|_, numbers| numbers.len() > 1);
    found.into_keys().collect()
}

/// Whether lines of one number each are below a line that names a side, or below several that name them.
pub(crate) fn has_bare_numbers(lines: &[String]) -> bool {
    let bare = |line: &String| printed_lines::bare_number(line).is_some();
    let starts = lines.windows(MIN_NUMBERS).position(|some| some.iter().all(bare));
    let named = |at: usize| lines[..at].iter().any(|line| label_hint(line) != LabelHint::Neither);
    starts.is_some_and(|at| named(at) || are_columns_of_numbers(lines))
}

/// Whether several columns of numbers with one unit are each below words of their own, `1000 calls of rng128`.
pub(super) fn are_columns_of_numbers(lines: &[String]) -> bool {
    let (mut names, mut units) = (Vec::new(), BTreeSet::new());
    let mut at = 0;
    while at < lines.len() {
        let numbers: Vec<_> =
            lines[at..].iter().map_while(|line| printed_lines::bare_number(line)).collect();
        if numbers.len() >= MIN_NUMBERS {
            let name = at.checked_sub(1).map(|above| lines[above].trim());
            names.push(name.filter(|name| name.contains(char::is_alphabetic)));
            units.extend(numbers.iter().map(|number| number.unit.clone()));
        }
        at += numbers.len().max(1);
    }
    let distinct: BTreeSet<_> = names.iter().collect();
    names.len() > 1
        && names.iter().all(Option::is_some)
        && distinct.len() == names.len()
        && units.len() == 1
}

/// Blocks of the same labels that people paste without headings, and fewest labels of such a block.
const MAX_BLOCKS: usize = 4;
const MIN_LABELS: usize = 3;

/// Fewest lines of bare numbers that are runs.
pub(super) const MIN_NUMBERS: usize = 3;

/// Longest line with a colon at its end that names a side, in bytes.
const MAX_SIDE_CHARS: usize = 100;
