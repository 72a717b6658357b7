//! Columns that the text, or the factors beside their values, say are the builds that are compared.

use std::collections::BTreeSet;

use crate::kit::fields::{self, Number};
use crate::kit::figure::figure;
use crate::kit::parts_of_work::is_phase;
use crate::table::column_names::SYSTEMS;
use crate::table::layout::changes::forms::Remark;
use crate::table::layout::changes::forms::{MAX_COMPARED, numbers_of};
use crate::table::layout::columns::{
    Kind, are_versions, header_unit, is_called, names_variants, says_nothing, without_times,
    without_unit,
};
use crate::table::records::Table;
use crate::table::role_words::is_size;
use crate::text::sections::compares;
use beyondnoise_model::runs::{LabelHint, label_hint};
use beyondnoise_model::units::Scale;

/// The values that factors beside values compare.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compared {
    /// Values in other rows of the same column: `33.2` above `71.5 (2.15x)`.
    Rows,
    /// Values in other columns of the same row: `10.51 ms (x1.00)` beside `7.94 ms (x1.32)`.
    Columns,
}

/// Meaning of the factors beside values.
pub(crate) struct Factors {
    pub(crate) compared: Compared,
    /// Places of those that are the other value divided by their own alone, as remarks have them: `7.94 ms (x1.32)` beside 10.51 ms.
    pub(crate) of_own: BTreeSet<(usize, usize)>,
}

/// Meaning of the factors beside values, two or more, if three of four are those of one kind, and not of the other.
pub(crate) fn factors_beside(table: &Table, remarks: &[Remark]) -> Option<Factors> {
    let factor = |remark: &Remark| -> Option<(usize, (usize, usize), Number)> {
        let bare = remark.text.trim_matches(['(', ')', ' ', '~', '*']);
        let number = fields::number(without_times(bare)?)?;
        let row = table.rows.iter().position(|row| row.number == remark.place.0)?;
        Some((row, remark.place, number))
    };
    if table.rows.len() > MAX_COMPARED {
        return None;
    }
    let mut factors = remarks.iter().map(factor).collect::<Option<Vec<_>>>()?;
    // That of the value to which the others are compared.
    factors.retain(|(.., factor)| factor.value.total_cmp(&1.0).is_ne());
    let numbers: Vec<Vec<Option<Number>>> =
        (0..table.headers.len()).map(|at| numbers_of(table, at)).collect();
    let is = |factor: &Number, over: Option<Number>, under: Option<Number>| {
        let Some((over, under)) = over.zip(under) else { return false };
        if !(over.value > 0.0 && under.value > 0.0) {
            return false;
        }
        let open = (over.resolution / over.value + under.resolution / under.value).abs();
        let ratio = over.value / under.value;
        (ratio - factor.value).abs() <= ratio * open + 1.01 * factor.resolution
    };
    // Whether a factor is a value over another one, and the other one over its own.
    let ways = |compared: Compared, row: usize, at: usize, factor: &Number| {
        let own = numbers[at][row];
        let others: Vec<Option<Number>> = match compared {
            Compared::Rows => (0..table.rows.len())
                .filter(|other| *other != row)
                .map(|r| numbers[at][r])
                .collect(),
            Compared::Columns => {
                (1..numbers.len()).filter(|other| *other != at).map(|c| numbers[c][row]).collect()
            }
        };
        let any = |holds: &dyn Fn(Option<Number>) -> bool| others.iter().any(|other| holds(*other));
        (any(&|other| is(factor, own, other)), any(&|other| is(factor, other, own)))
    };
    // A wrong one among them does not hide what they are.
    let most = |compared: Compared| {
        let holds = |&&(row, (_, at), ref factor): &&(usize, (usize, usize), Number)| {
            let (of_other, of_own) = ways(compared, row, at, factor);
            of_other || of_own
        };
        4 * factors.iter().filter(holds).count() >= 3 * factors.len()
    };
    let compared = match (most(Compared::Rows), most(Compared::Columns)) {
        _ if factors.len() < 2 => return None,
        (true, false) => Compared::Rows,
        (false, true) => Compared::Columns,
        _ => return None,
    };
    let inverse = |&&(row, (_, at), ref factor): &&(usize, (usize, usize), Number)| {
        ways(compared, row, at, factor) == (false, true)
    };
    let of_own = factors.iter().filter(inverse).map(|(_, place, _)| *place).collect();
    Some(Factors { compared, of_own })
}

/// The columns of one unit, two or more, whose names say nothing themselves and are those of builds: the text above names all of
/// them and none of the rows, or `compared`.
pub(crate) fn builds(
    table: &Table,
    kinds: &[Kind],
    (words, compared): (&str, bool),
) -> Option<Vec<usize>> {
    let label = |at: usize| without_unit(&table.headers[at]).trim();
    let unit = |at: usize| {
        let own = || table.filled(at).find_map(|cell| Some(figure(cell, table.comma)?.unit));
        header_unit(&table.headers[at]).or_else(own).filter(|unit| !unit.is_empty())
    };
    let silent = |&at: &usize| {
        let word = |word: &str| is_phase(word) || LabelHint::Neither != label_hint(word);
        matches!(kinds[at], Kind::Metric | Kind::Other | Kind::Side)
            && unit(at).is_some()
            && says_nothing(label(at))
            && !label(at).split([' ', '-', '_']).any(word)
    };
    let keys = (1..kinds.len()).find(silent).filter(|_| kinds[0] == Kind::Key)?;
    let first = unit(keys)?;
    let alike = |&at: &usize| {
        let scales = unit(at).and_then(|own| Scale::parse(&own)).zip(Scale::parse(&first));
        scales.is_some_and(|(own, first)| own.is_alike(first))
    };
    let columns: Vec<usize> = (keys..kinds.len()).filter(silent).filter(alike).collect();
    let rows = || table.filled(0).map(str::trim);
    let sides = |cell: &str| label_hint(cell) != LabelHint::Neither;
    let names_rows = (0..keys)
        .any(|at| names_variants(table, at) || is_called(&table.headers[at], SYSTEMS))
        || rows().any(sides)
        || are_versions(&rows().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>());
    // One sentence compares all of them, and no name is a word for sizes.
    let told = |line: &str| {
        let text = spaced(line);
        let named = |label: &str| text.contains(&spaced(label));
        let all = columns.iter().all(|&at| named(label(at)) && !is_size(label(at)));
        all && compares(line) && !rows().any(named)
    };
    let told = || !names_rows && words.lines().any(told);
    (columns.len() > 1 && table.rows.len() > 1 && (compared || told())).then_some(columns)
}

/// A text in small letters with one blank between its words, before the first and behind the last.
fn spaced(text: &str) -> String {
    let lower = text.to_lowercase();
    let word = |c: char| c.is_alphanumeric() || "_.+".contains(c);
    let words: Vec<&str> = lower
        .split(|c: char| !word(c))
        .map(|word| word.trim_matches('.'))
        .filter(|word| !word.is_empty())
        .collect();
    format!(" {} ", words.join(" "))
}
