//! Columns that stand below one another by their places alone, with blanks of any width between words and numbers. The names
//! of the columns may take several lines, one name may stand over several columns, and the name of a row may be behind its
//! values.

use std::ops::Range;

use super::{Grid, Line, MAX_CELLS, MAX_HEADER_LINES, Placed, is_value, placed, plain};
use crate::kit::fields::{is_metric, number};
use crate::kit::figure::{is_mark, is_unit};
use beyondnoise_model::runs::{LabelHint, label_hint};

/// Fewest rows and columns of values.
const MIN_ROWS: usize = 2;
const MIN_VALUES: usize = 2;

/// Most words of the name of a row.
const MAX_LABEL_WORDS: usize = 12;

/// A word of a line, or a number with its unit, and its places in characters.
struct Token {
    from: usize,
    to: usize,
    text: String,
    value: bool,
}

/// A line of values: the words before them, the values, the words behind them.
struct Data {
    before: String,
    values: Vec<Token>,
    behind: String,
}

/// Rows between pipes without a ruler under their header: words over rows with values.
pub(super) fn unruled(lines: &[Line], start: usize) -> Option<Grid> {
    let rows: Vec<Vec<String>> = lines[start..]
        .iter()
        .take_while(|line| line.row)
        .map(|line| line.text.trim().trim_matches('|').split('|').map(plain).collect())
        .collect();
    let open = |line: &Line| line.text.trim().starts_with("||");
    let width = rows.get(1)?.len();
    let mut headers = rows.first()?.clone();
    // `||before|after|` has no name over those of the rows.
    if headers.len() + 1 == width && open(&lines[start]) {
        headers.insert(0, String::new());
    }
    let named = headers.iter().filter(|header| header.contains(char::is_alphabetic)).count();
    let words = headers.iter().all(|header| !is_value(header));
    // One column of words or so among the values: `7 timeouts`.
    let several = rows.len() > 3;
    let valued = |row: &&Vec<String>| {
        let values = row.iter().skip(1).filter(|cell| is_value(cell)).count();
        let most = several && values > 1 && 2 * values + 1 >= width;
        row.len() == width && (values + 1 == width || most)
    };
    let data: Vec<&Vec<String>> = rows[1..].iter().take_while(valued).collect();
    let whole = headers.len() == width && width > 1 && words && named + 1 >= width;
    (whole && data.len() + 1 == rows.len()).then(|| Grid {
        lines: start..start + rows.len(),
        headers,
        rows: data
            .into_iter()
            .cloned()
            .enumerate()
            .map(|(at, row)| (start + at + 2, row))
            .collect(),
        ..Grid::default()
    })
}

/// The table whose first line of names is this one.
pub(super) fn aligned(lines: &[Line], start: usize) -> Option<Grid> {
    let free = |line: &Line| !line.row && !line.rule && !line.text.trim().is_empty();
    let near = lines.get(start..)?.iter().take(MAX_HEADER_LINES + 1);
    let depth = near.take_while(|line| free(line)).position(|line| data(line).is_some())?;
    let depth = if depth == 0 && heads_sizes(lines, start) { 1 } else { depth };
    if depth == 0 {
        return None;
    }
    let rows: Vec<Data> =
        lines[start + depth..].iter().take_while(|line| free(line)).map_while(data).collect();
    let count = rows.first()?.values.len();
    let named = |row: &Data| (!row.before.is_empty(), !row.behind.is_empty());
    let like = |row: &&Data| row.values.len() == count && named(row) == named(&rows[0]);
    let rows: Vec<&Data> = rows.iter().take_while(like).collect();
    if rows.len() < MIN_ROWS || named(rows[0]) == (true, true) {
        return None;
    }
    let span = |at: usize| {
        let places = rows.iter().map(|row| row.values[at].from..row.values[at].to);
        places.reduce(|one, other| one.start.min(other.start)..one.end.max(other.end))
    };
    let columns: Vec<Range<usize>> = (0..count).filter_map(span).collect();
    let apart = columns.windows(2).all(|two| two[0].end <= two[1].start);
    let labelled = named(rows[0]) != (false, false);
    let mut headers = vec![String::new(); count];
    let mut first = String::new();
    for line in &lines[start..start + depth] {
        let (label, names) = names(line, &columns, labelled)?;
        if !label.is_empty() {
            first = label;
        }
        for (header, name) in headers.iter_mut().zip(names) {
            let longer = format!("{header} {name}");
            longer.trim().clone_into(header);
        }
    }
    if !apart || !headers.iter().all(|header| header.contains(char::is_alphanumeric)) {
        return None;
    }
    if first.is_empty() && !rows[0].behind.is_empty() {
        "case".clone_into(&mut first);
    }
    // Whole numbers under words that say nothing may be anything.
    let fine = |value: &Token| value.text.contains(|c: char| c == '.' || c.is_alphabetic());
    let measured = rows.iter().flat_map(|row| &row.values).any(fine);
    let says = |header: &String| is_metric(header) || label_hint(header) != LabelHint::Neither;
    if !measured && !headers.iter().any(says) {
        return None;
    }
    let row = |(at, row): (usize, &&Data)| {
        let label = labelled.then(|| format!("{}{}", row.before, row.behind));
        let values = row.values.iter().map(|value| plain(&value.text));
        (start + depth + at + 1, label.into_iter().chain(values).collect())
    };
    let rows: Vec<(usize, Vec<String>)> = rows.iter().enumerate().map(row).collect();
    let headers = labelled.then_some(first).into_iter().chain(headers).collect();
    Some(Grid { lines: start..start + depth + rows.len(), headers, rows, ..Grid::default() })
}

/// Whether the values of a line are sizes over the columns below it: whole numbers with a unit that no value there has, where no
/// such line is above.
fn heads_sizes(lines: &[Line], at: usize) -> bool {
    let units = |line: &Line| -> Option<Vec<String>> {
        let of = |token: &Token| token.text.split_once(' ').map_or("", |(_, unit)| unit).to_owned();
        Some(data(line)?.values.iter().map(of).collect())
    };
    let (Some(own), Some(next)) = (units(&lines[at]), lines.get(at + 1).and_then(units)) else {
        return false;
    };
    let sizes = data(&lines[at]).is_some_and(|data| {
        let whole = |token: &Token| {
            let size = token.text.split(' ').next().and_then(number);
            size.map(|size| size.value).filter(|size| size.fract() == 0.0)
        };
        let sizes: Option<Vec<f64>> = data.values.iter().map(whole).collect();
        sizes.is_some_and(|sizes| sizes.windows(2).all(|two| two[0] < two[1]))
    });
    let above = at.checked_sub(1).and_then(|above| data(&lines[above]));
    above.is_none()
        && sizes
        && own.len() == next.len()
        && own.iter().all(|unit| !unit.is_empty() && !next.contains(unit))
}

/// The words of a line with their places; a number and its unit are one.
fn tokens(line: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let (mut at, mut rest) = (0, line);
    while let Some(skip) = rest.find(|c: char| !c.is_whitespace()) {
        at += rest[..skip].chars().count();
        rest = &rest[skip..];
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let word = &rest[..end];
        let to = at + word.chars().count();
        let one_blank = |before: &&mut Token| before.value && before.to + 1 == at;
        if let Some(before) = found.last_mut().filter(one_blank)
            && number(&before.text).is_some()
            && is_unit(word)
        {
            before.text = format!("{} {word}", before.text);
            before.to = to;
        } else {
            let (text, value) = value_of(word).map_or((word.to_owned(), false), |v| (v, true));
            found.push(Token { from: at, to, text, value });
        }
        (at, rest) = (to, &rest[end..]);
    }
    found
}

/// A word that is a value, as a number with its unit; a letter for thousands or millions is one of the number.
fn value_of(word: &str) -> Option<String> {
    let bare = word.trim_start_matches(['~', '≈']).trim_end_matches([',', ';']);
    let powers = [('k', 3), ('K', 3), ('M', 6), ('G', 9)];
    let scaled = powers.iter().find_map(|(mark, power)| {
        let number_only = bare.strip_suffix(*mark).filter(|text| number(text).is_some())?;
        Some(format!("{number_only}e{power}"))
    });
    let starts = bare.starts_with(|c: char| c.is_ascii_digit() || "+-−.".contains(c));
    scaled.or_else(|| (starts && is_value(bare)).then(|| bare.to_owned()))
}

/// The parts of a line of values; `None` for any other line.
fn data(line: &Line) -> Option<Data> {
    let mut tokens = tokens(&line.text);
    // Marks of a change stand before a row.
    let mark = |token: &Token| token.text.chars().all(|c| is_mark(c) || "+-!".contains(c));
    while tokens.first().is_some_and(|token| !token.value && mark(token)) {
        tokens.remove(0);
    }
    let first = tokens.iter().position(|token| token.value)?;
    let count = tokens[first..].iter().take_while(|token| token.value).count();
    let behind = tokens.split_off(first + count);
    let values = tokens.split_off(first);
    let words =
        |tokens: &[Token]| tokens.iter().map(|token| &*token.text).collect::<Vec<_>>().join(" ");
    let fits = (MIN_VALUES..=MAX_CELLS).contains(&count)
        && tokens.len().max(behind.len()) <= MAX_LABEL_WORDS
        && behind.first().is_none_or(|token| token.from > values[count - 1].to + 1)
        && !tokens.last().is_some_and(|token| token.text.ends_with([':', '=', ',']));
    fits.then(|| Data { before: words(&tokens), values, behind: words(&behind) })
}

/// The name over the names of the rows, and the part of the name of each column that a line gives.
fn names(line: &Line, columns: &[Range<usize>], labelled: bool) -> Option<(String, Vec<String>)> {
    let mut cells = placed(&line.text);
    let words: Vec<Token> = tokens(&line.text);
    let fits = |count: usize| count == columns.len() || labelled && count == columns.len() + 1;
    if !fits(cells.len()) && fits(words.len()) {
        cells = words
            .into_iter()
            .map(|Token { from, to, text, .. }| Placed { from, to, text })
            .collect();
    }
    // What identifies a build is no part of a name.
    let enclosed = |text: &str| {
        [('[', ']'), ('<', '>')].iter().any(|(a, b)| text.starts_with(*a) && text.ends_with(*b))
    };
    if cells.iter().all(|cell| enclosed(&cell.text)) {
        return Some((String::new(), vec![String::new(); columns.len()]));
    }
    let mut label = String::new();
    if labelled && cells.len() == columns.len() + 1 {
        // The name of the rows is on the side on which they are.
        let at = if cells[0].to <= columns[0].start { 0 } else { cells.len() - 1 };
        label = cells.remove(at).text;
    }
    if cells.len() == columns.len() {
        return Some((label, cells.into_iter().map(|cell| cell.text).collect()));
    }
    if cells.len() > columns.len() || cells.len() < 2 {
        return None;
    }
    // One name over several columns: those are shared out evenly, or each is its nearest.
    let from = cells[0].from;
    let under: Vec<usize> = (0..columns.len()).filter(|&at| columns[at].end > from).collect();
    let mut names = vec![String::new(); columns.len()];
    for (place, &at) in under.iter().enumerate() {
        let near = |cell: &Placed| {
            cell.from.saturating_sub(columns[at].end).max(columns[at].start.saturating_sub(cell.to))
        };
        let cell = if under.len().is_multiple_of(cells.len()) {
            cells.get(place / (under.len() / cells.len()))
        } else {
            cells.iter().min_by_key(|cell| near(cell))
        };
        names[at].clone_from(&cell?.text);
    }
    Some((label, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(Vec<String>, Vec<Vec<String>>)> {
        let lines: Vec<Line> = text.lines().map(Line::of).collect();
        let grid = aligned(&lines, 0)?;
        Some((grid.headers, grid.rows.into_iter().map(|(_, cells)| cells).collect()))
    }

    #[test]
    fn columns_are_those_below_one_another() {
        let (headers, rows) = read(
            "            disk            memory\n\
             users       old    new      old new\n\
             1           117k   112k     80k  85k\n\
             2           185k   190.5k  133k 145k",
        )
        .expect("a table");
        assert_eq!(headers, ["users", "disk old", "disk new", "memory old", "memory new"]);
        assert_eq!(rows[1], ["2", "185e3", "190.5e3", "133e3", "145e3"]);
    }

    #[test]
    fn rows_may_be_named_behind_their_values() {
        let (headers, rows) = read(
            "      before     after    ratio\n    [3fd0a9]  [a77c21]\n\
             -  71.4±0.6ms  50.7±0.8ms   0.71  Fit.time(False, 1)\n\
             +  90.6±0.7ms    133±10ms  ~1.47  Fit.time(True, 2)",
        )
        .expect("a table");
        assert_eq!(headers, ["case", "before", "after", "ratio"]);
        assert_eq!(rows[1], ["Fit.time(True, 2)", "90.6±0.7ms", "133±10ms", "1.47"]);
    }

    #[test]
    fn text_and_lines_of_labels_are_none() {
        for text in [
            "The runs took\n12 s and 13 s\n14 s and 15 s",
            "user: 1.2 s 3.4 s\nsys: 0.2 s 0.3 s",
            "a b\nlabel: 1 2\nlabel: 3 4",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
