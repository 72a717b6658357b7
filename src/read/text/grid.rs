//! Tables in a text, whatever they look like: pipes with or without those at the ends, `+---+`, boxes, tabs, commas,
//! HTML,
//! columns set apart by blanks. All become headers over rows of cells.

mod aligned;
mod all;
mod commented;
mod html;
mod keyed;
mod objects;

use std::ops::Range;

use crate::kit::cell_value::{is_nothing, spread};
use crate::kit::fields::{is_metric, number};
use crate::kit::figure::{figure, is_mark};
use crate::kit::printed::clean;
use beyondnoise_model::metrics::words::meaning;
use beyondnoise_model::sanitize::cleaned;

pub(crate) use all::{aligned_grids, grids};

/// A table of a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    /// Indices of its lines, from 0.
    pub(crate) lines: Range<usize>,
    pub(crate) headers: Vec<String>,
    /// Number of the line, from 1, and cells of each row; one cell per header.
    pub(crate) rows: Vec<(usize, Vec<String>)>,
    /// Whether a ruler is under its header.
    pub(crate) ruled: bool,
    /// Number and number of cells of each row that has too many or too few.
    pub(crate) ragged: Vec<(usize, usize)>,
    /// The words in its frame over all columns.
    pub(crate) title: Option<String>,
}

/// Columns of a line set apart by this many blanks.
const GAP: &str = "  ";

/// Most cells of a row.
const MAX_CELLS: usize = 200;

/// Longest header of a column in a table without rulers, in characters.
const MAX_NAME_CHARS: usize = 40;

/// The tables that one of these ways finds at a line.
fn tables_of(mut lines: Vec<Line>, table: impl Fn(&[Line], usize) -> Option<Grid>) -> Vec<Grid> {
    join_headers(&mut lines);
    mark_plain_rulers(&mut lines);
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let grid = table(&lines, at);
        match grid.filter(|grid| !grid.rows.is_empty() || !grid.ragged.is_empty()) {
            Some(grid) => {
                at = grid.lines.end.max(at + 1);
                found.push(grid);
            }
            None => at += 1,
        }
    }
    found
}

/// Marks lines of dashes alone as rulers between a header and a row that has as many pipes.
fn mark_plain_rulers(lines: &mut [Line]) {
    let pipes = |line: &Line| if line.row { line.text.matches('|').count() } else { 0 };
    for at in 1..lines.len().saturating_sub(1) {
        let bare = lines[at].text.trim();
        let dashes = bare.len() >= MIN_DASHES && bare.chars().all(|c| ACROSS.contains(c));
        let count = pipes(&lines[at - 1]);
        if dashes && count > 1 && count == pipes(&lines[at + 1]) {
            lines[at].rule = true;
        }
    }
}

/// Fewest dashes of a ruler without crossings.
const MIN_DASHES: usize = 10;

/// Joins a header that was wrapped in a cell, `| B | ms | max` above `diff |`, in its second line.
fn join_headers(lines: &mut [Line]) {
    for at in 2..lines.len() {
        let [first, second] = [&lines[at - 2].text, &lines[at - 1].text].map(|text| text.trim());
        let opens = first.starts_with('|') && !first.ends_with('|');
        let closes = !second.starts_with('|') && second.ends_with('|') && second.len() > 1;
        let ruler = lines[at].rule && lines[at].text.trim().starts_with('|');
        let joined = format!("{first} {second}");
        let count = |text: &str| text.matches('|').count();
        if opens && closes && ruler && count(&joined) == count(&lines[at].text) {
            lines[at - 2] = Line::of("");
            lines[at - 1] = Line::of(&joined);
        }
    }
}

/// A line without the marks of a quote.
struct Line {
    text: String,
    /// Whether it is a ruler between rows.
    rule: bool,
    /// Whether it has pipes.
    row: bool,
}

/// Lines of a box that run across, and those that run down.
const ACROSS: &str = "-=─━═╌┄┅╍";
const DOWN: &str = "│┃║┆┇╎";

/// Whether a character is a corner or a crossing of a box.
fn is_crossing(c: char) -> bool {
    matches!(c, '+' | '|')
        || ('\u{250c}'..='\u{2570}').contains(&c) && !ACROSS.contains(c)
        || DOWN.contains(c)
}

impl Line {
    fn of(raw: &str) -> Self {
        let seen = if raw.contains(['\u{1b}', '\r']) { clean(raw) } else { raw.to_owned() };
        let mut text = seen.trim_end();
        loop {
            let inner = text.trim_start_matches([' ', '\u{feff}']);
            let quoted =
                inner.strip_prefix('>').filter(|rest| !rest.starts_with('>') || rest.len() > 1);
            match quoted {
                Some(rest) => text = rest,
                None => break,
            }
        }
        let bare = text.trim_start();
        let text = match bare.strip_prefix("# ") {
            Some(rest) if rest.trim_start().starts_with(['|', '+', '│', '┃']) => rest.trim(),
            _ => text,
        };
        // A command is no row.
        let command = bare.strip_prefix("$ ");
        let command =
            command.filter(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '#'));
        let text = if command.is_some() { "" } else { text };
        // A diff marks its lines.
        let marked = text.strip_prefix(['+', '-']).filter(|rest| rest.starts_with(['|', '│', '┃']));
        let unmarked = marked.map(|rest| format!(" {rest}"));
        let text = unmarked.as_deref().unwrap_or(text);
        let bare = text.trim();
        let dashes = bare.chars().filter(|c| ACROSS.contains(*c)).count();
        let rule = dashes > 1
            && bare.contains(is_crossing)
            && bare.chars().all(|c| c == ' ' || c == ':' || ACROSS.contains(c) || is_crossing(c));
        let row = !rule && bare.contains(|c: char| c == '|' || DOWN.contains(c));
        // `_elapsed___ops/sec(cum)__avg(ms)_pMax(ms)` fills the gaps between its names.
        let filled = !row && !rule && bare.starts_with('_') && bare.matches("__").count() > 1;
        let text = if row && bare.contains(|c: char| DOWN.contains(c)) {
            text.replace(|c: char| DOWN.contains(c), "|")
        } else if filled {
            let names: Vec<&str> = bare.split('_').filter(|name| !name.is_empty()).collect();
            names.join(GAP)
        } else {
            text.to_owned()
        };
        Self { text, rule, row }
    }

    /// Columns of a ruler.
    fn columns(&self) -> usize {
        let parts = self.text.split(is_crossing);
        parts.filter(|part| part.contains(|c: char| ACROSS.contains(c))).count()
    }

    /// The cells above or below the columns of a ruler, if each pipe is at one of its crossings. With `merged`, a cell
    /// over several columns counts for each of them.
    fn under(&self, rule: &Self, merged: bool) -> Option<Vec<String>> {
        let [chars, rule] = [self, rule].map(|line| line.text.chars().collect::<Vec<char>>());
        let pipes: Vec<usize> = (0..chars.len()).filter(|&at| chars[at] == '|').collect();
        let crossing = |at: &usize| rule.get(*at).is_some_and(|c| is_crossing(*c));
        let outer = |at: Option<usize>, pipe: Option<&usize>| at.is_some() && at.as_ref() == pipe;
        // Without a pipe before the first cell these are not all.
        let whole = rule.iter().find(|c| !c.is_whitespace()).is_some_and(|c| is_crossing(*c));
        let aligned = whole
            && pipes.iter().all(crossing)
            && outer((0..rule.len()).find(crossing), pipes.first())
            && outer((0..rule.len()).rfind(crossing), pipes.last());
        let starts = |at: &usize| crossing(at) && !rule.get(at + 1).is_none_or(|c| is_crossing(*c));
        let columns: Vec<usize> = (0..rule.len()).filter(starts).collect();
        let cell = |from: &usize| {
            let left = pipes.iter().rev().find(|at| *at <= from)?;
            let right = pipes.iter().find(|at| *at > from)?;
            let over = columns.iter().filter(|at| (left..right).contains(at)).count();
            (over == 1 || merged)
                .then(|| plain(&chars[left + 1..*right].iter().collect::<String>()))
        };
        columns
            .iter()
            .filter(|_| aligned)
            .map(cell)
            .collect::<Option<Vec<_>>>()
            .filter(|all| !all.is_empty())
    }

    /// Gives the text of a cell that spans several columns to all of them: `| Requests ||| Tokens |`.
    fn spread_merged(&self, cells: &mut [String]) {
        let line = self.text.trim();
        let inner = line.strip_prefix('|').unwrap_or(line);
        let spans: Vec<bool> = inner.split('|').map(str::is_empty).collect();
        for at in 1..cells.len() {
            if spans.get(at) == Some(&true) {
                let (before, here) = cells.split_at_mut(at);
                here[0].clone_from(&before[at - 1]);
            }
        }
    }

    /// The cells between pipes, where a pipe after a backslash is text; `width` says whether the pipes at the ends
    /// are there.
    fn cells(&self, width: usize) -> Vec<String> {
        let line = self.text.trim();
        let split = |inner: &str| -> Vec<String> {
            let (mut cells, mut start) = (Vec::new(), 0);
            for (at, _) in inner.match_indices('|') {
                if !inner[..at].ends_with('\\') {
                    cells.push(plain(&inner[start..at]));
                    start = at + 1;
                }
            }
            cells.push(plain(&inner[start..]));
            cells
        };
        let inner = line.strip_prefix('|').unwrap_or(line);
        let inner = inner.strip_suffix('|').filter(|rest| !rest.ends_with('\\')).unwrap_or(inner);
        let without = split(inner);
        if without.len() == width {
            return without;
        }
        // A first cell that is empty looks like the pipe at the start.
        let with = split(line);
        if with.len() == width { with } else { without }
    }
}

/// A table with a ruler under its header, which starts at this line.
fn ruled(lines: &[Line], start: usize) -> Option<Grid> {
    let boxed = lines[start].rule;
    let head = if boxed { start + 1 } else { start };
    let mut under = head;
    while lines.get(under).is_some_and(|line| line.row) {
        under += 1;
    }
    if under == head || !lines.get(under)?.rule || !boxed && under != head + 1 {
        return None;
    }
    let mut width = lines[under].columns().max(1);
    if under == head + 1 && (width == 1 || !boxed) {
        // A ruler without crossings, or with other columns, is above rows that have cells as the header has.
        let cells = lines[head].cells(width).len();
        let alike =
            lines.get(under + 1).is_some_and(|line| line.row && line.cells(width).len() == cells);
        width = if alike { cells } else { width };
    }
    if width > MAX_CELLS {
        return None;
    }
    if let Some(grid) = headless(lines, start, under).filter(|_| boxed && width == 2) {
        return Some(grid);
    }
    let mut headers = vec![String::new(); width];
    for line in &lines[head..under] {
        let cells = line.under(&lines[under], true).unwrap_or_else(|| {
            let mut cells = line.cells(width);
            if under > head + 1 {
                line.spread_merged(&mut cells);
            }
            cells
        });
        for (header, cell) in headers.iter_mut().zip(cells) {
            if !cell.is_empty() {
                let longer = format!("{header} {cell}");
                longer.trim().clone_into(header);
            }
        }
    }
    // A title over both columns of a box is the name of neither.
    let mut title = None;
    if boxed && under == head + 1 && width == 2 && headers[0] == headers[1] {
        title = Some(std::mem::take(&mut headers[0]));
        headers = ["name", "value"].map(str::to_owned).into();
    }
    let mut grid = Grid { headers, ruled: true, title, ..Grid::default() };
    let mut at = under + 1;
    while let Some(line) = lines.get(at) {
        if line.rule {
            // The next table starts with its own ruler above the header.
            let closed = boxed && lines[at - 1].rule;
            if closed {
                break;
            }
        } else if line.row {
            let cells = line.under(&lines[under], false).unwrap_or_else(|| line.cells(width));
            let header = !boxed && lines.get(at + 1).is_some_and(|next| next.rule);
            if header && cells != grid.headers && !repeats_names(&cells) {
                break;
            }
            if cells != grid.headers {
                let named = line.text.trim_start_matches(['|', ' ']).starts_with("**");
                grid.add(at + 1, cells, (boxed, named));
            }
        } else if !goes_on(lines, at, &grid) {
            break;
        }
        at += 1;
    }
    grid.lines = start..at;
    Some(grid)
}

/// A box without a header between these rulers: names, and a value beside each.
fn headless(lines: &[Line], start: usize, end: usize) -> Option<Grid> {
    let rows = (start + 1..end).map(|at| (at + 1, lines[at].cells(2)));
    let rows: Vec<(usize, Vec<String>)> = rows.collect();
    let named = |cells: &[String]| matches!(cells, [name, value] if name.contains(char::is_alphabetic) && is_value(value));
    let headers = ["name", "value"].map(str::to_owned).into();
    (rows.len() > 2 && rows.iter().all(|(_, cells)| named(cells))).then(|| Grid {
        lines: start..end + 1,
        headers,
        rows,
        ruled: true,
        ..Grid::default()
    })
}

/// Whether a row above a ruler holds one word under three columns, or values: it is the last above a line through the table.
fn repeats_names(cells: &[String]) -> bool {
    let named = || cells.iter().skip(1).filter(|cell| !cell.is_empty());
    let again = |cell: &String| named().filter(|other| *other == cell).count() > 2;
    named().any(again) || named().count() > 1 && named().all(|cell| is_value(cell))
}

/// Whether an empty line stands between rows of one table: the row below has values, a new name and no ruler under it.
fn goes_on(lines: &[Line], at: usize, grid: &Grid) -> bool {
    let width = grid.headers.len();
    let empty = lines[at].text.trim().is_empty();
    let below = lines.get(at + 1).filter(|line| empty && line.row && !line.rule);
    let headed = lines.get(at + 2).is_some_and(|line| line.rule);
    below.is_some_and(|line| {
        let cells = line.cells(width);
        // A name that comes back is of another table.
        let again = grid.rows.iter().any(|(_, row)| row.first() == cells.first());
        !again
            && !headed
            && cells.len() == width
            && cells.iter().skip(1).filter(|cell| is_value(cell)).count() > 1
    })
}

impl Grid {
    fn add(&mut self, line: usize, mut cells: Vec<String>, (boxed, named): (bool, bool)) {
        let width = self.headers.len();
        while cells.len() > width && cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        if cells.len() > width {
            self.ragged.push((line, cells.len()));
            return;
        }
        let filled = cells.iter().filter(|cell| !cell.is_empty()).count();
        if filled == 0 {
            return;
        }
        if cells.len() < width {
            // A row in bold, or with one cell filled, names those that follow it.
            if !(named || cells.len() > 1 && filled < 2) {
                self.ragged.push((line, cells.len()));
                return;
            }
            if filled == 1 && !boxed {
                cells.resize(width, String::new());
                self.rows.push((line, cells));
            }
            return;
        }
        // The text of a narrow cell of a box goes on in the next line.
        if boxed
            && width > 1
            && filled == 1
            && let Some((_, above)) = self.rows.last_mut()
        {
            for (cell, more) in above.iter_mut().zip(&cells) {
                if !more.is_empty() {
                    *cell = format!("{cell} {more}");
                }
            }
            return;
        }
        self.rows.push((line, cells));
    }
}

/// Whether a cell holds a value.
pub(crate) fn is_value(cell: &str) -> bool {
    let factor = || {
        let number = cell.trim().strip_suffix(['x', 'X', '×']);
        number.is_some_and(|number| crate::kit::fields::number(number.trim()).is_some())
    };
    // `3.16 K`, and a spread alone; whole ones may be sizes.
    let marked = || {
        let cell = cell.trim();
        let letter = || {
            [" K", " M", " G"]
                .iter()
                .find_map(|letter| cell.strip_suffix(letter))
                .filter(|bare| bare.contains('.'))
        };
        let bare = cell.strip_prefix('±').or_else(letter);
        bare.is_some_and(|bare| figure(bare.trim_end(), false).is_some())
    };
    figure(cell, false).is_some() || spread(cell).is_some() || factor() || marked()
}

/// Marks between the cells of a line without pipes.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Tab,
    Comma,
    Gap,
}

fn split(line: &str, mark: Mark) -> Vec<String> {
    let cells: Vec<&str> = match mark {
        Mark::Tab => line.trim_start_matches(' ').split('\t').collect(),
        Mark::Comma if line.contains('"') => return quoted(line),
        Mark::Comma => line.split(',').collect(),
        Mark::Gap => line.trim().split(GAP).filter(|cell| !cell.trim().is_empty()).collect(),
    };
    cells.into_iter().map(plain).collect()
}

/// The cells of a line with quotes, as in CSV.
fn quoted(line: &str) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
    let cells = reader.records().next().and_then(Result::ok);
    cells.map_or_else(Vec::new, |cells| cells.iter().map(plain).collect())
}

/// A table without pipes, whose header is this line: cells between tabs, commas, or at least two blanks.
fn separated(lines: &[Line], start: usize) -> Option<Grid> {
    let marks = [('\t', Mark::Tab), (',', Mark::Comma)];
    let text = &lines[start].text;
    let known = marks.into_iter().find(|(mark, _)| text.contains(*mark)).map(|(_, mark)| mark);
    let marks = known.into_iter().chain(text.trim().contains(GAP).then_some(Mark::Gap));
    let found = marks.into_iter().find_map(|mark| separated_by(lines, start, mark));
    found.or_else(|| several_levels(lines, start)).or_else(|| worded(lines, start))
}

/// Fewest columns and rows of a table whose cells are set apart by single blanks, and most words for a missing value.
const MIN_WORDED: (usize, usize) = (3, 2);
const MAX_REASON_WORDS: usize = 5;

/// A table of numbers below as many words, with single blanks between the cells; words behind the first number of a row
/// say why the others are missing.
fn worded(lines: &[Line], start: usize) -> Option<Grid> {
    let words =
        |line: &Line| -> Vec<String> { line.text.split_whitespace().map(str::to_owned).collect() };
    let headers = words(&lines[start]);
    let name = |word: &String| {
        word.contains(char::is_alphabetic)
            && !word.ends_with(['.', ',', ';', ':', '!', '?', '。', '，', '：'])
            && figure(word, false).is_none()
    };
    let plain = !lines[start].row && !lines[start].rule && headers.len() <= MAX_CELLS;
    if !plain
        || headers.len() < MIN_WORDED.0
        || !headers.iter().all(name)
        || !headers.iter().any(|name| is_metric(name) || meaning(name).statistic.is_some())
    {
        return None;
    }
    let mut rows: Vec<(usize, Vec<String>)> = Vec::new();
    for (at, line) in lines.iter().enumerate().skip(start + 1) {
        let mut cells = words(line);
        let values = cells.iter().take_while(|cell| number(cell).is_some()).count();
        let reason = cells.get(1..).unwrap_or_default().join(" ");
        let missing = values == 1
            && (2..=MAX_REASON_WORDS + 1).contains(&cells.len())
            && !reason.contains(|c: char| c.is_ascii_digit() || c == ':');
        if missing && !rows.is_empty() {
            cells.truncate(1);
            cells.resize(headers.len(), reason);
        } else if values != headers.len() || cells.len() != values {
            break;
        }
        rows.push((at + 1, cells));
    }
    let end = rows.last().map(|(line, _)| *line)?;
    (rows.len() >= MIN_WORDED.1).then(|| Grid {
        lines: start..end,
        headers,
        rows,
        ..Grid::default()
    })
}

/// A cell of a line without pipes, with its first and last place in it, in characters.
struct Placed {
    from: usize,
    to: usize,
    text: String,
}

/// The cells of a line between gaps, with their places.
fn placed(line: &str) -> Vec<Placed> {
    let mut found = Vec::new();
    let mut at = 0;
    for (index, part) in line.split(GAP).enumerate() {
        at += if index > 0 { GAP.len() } else { 0 };
        let length = part.chars().count();
        let text = part.trim();
        if !text.is_empty() {
            let from = at + length - part.trim_start().chars().count();
            let to = from + text.chars().count();
            found.push(Placed { from, to, text: plain(text) });
        }
        at += length;
    }
    found
}

/// The cells of a line that has fewer than there are columns, each in the column below or above which it is.
fn by_place(cells: Vec<Placed>, columns: &[(usize, usize)]) -> Option<Vec<String>> {
    let mut row = vec![String::new(); columns.len()];
    let mut next = 0;
    for Placed { from, to, text } in cells {
        let over = |at: &usize| {
            let (start, end) = columns[*at];
            from < end && start < to
        };
        let at = (next..columns.len()).find(over)?;
        row[at] = text;
        next = at + 1;
    }
    Some(row)
}

/// A table of columns by blanks whose header has several lines, as pandas prints it.
fn several_levels(lines: &[Line], start: usize) -> Option<Grid> {
    let is_data = |line: &Line| {
        let cells = placed(&line.text);
        cells.len() > 2 && cells[1..].iter().all(|cell| is_value(&cell.text))
    };
    let near = lines[start..].iter().take(MAX_HEADER_LINES + 1);
    let depth = near.clone().position(is_data).filter(|depth| *depth > 1)?;
    let words = |line: &Line| {
        let cells = placed(&line.text);
        !line.row
            && !line.rule
            && !cells.is_empty()
            && cells.iter().all(|cell| {
                cell.text.contains(char::is_alphabetic)
                    && cell.text.chars().count() <= MAX_NAME_CHARS
                    && figure(&cell.text, false).is_none_or(|found| found.unit == "%")
            })
    };
    if !near.take(depth).all(words) || placed(&lines[start].text).len() < 2 {
        return None;
    }
    let data: Vec<Vec<Placed>> = lines[start + depth..]
        .iter()
        .take_while(|line| is_data(line))
        .map(|line| placed(&line.text))
        .collect();
    let width = data[0].len();
    let rows = data.iter().take_while(|cells| cells.len() == width).count();
    let edge = |at: usize| {
        let of = data[..rows].iter().map(|cells| (cells[at].from, cells[at].to));
        of.reduce(|(from, to), (start, end)| (from.min(start), to.max(end)))
    };
    let columns: Vec<(usize, usize)> = (0..width).filter_map(edge).collect();
    let mut header = Vec::new();
    for line in &lines[start..start + depth] {
        let cells = placed(&line.text);
        header.push(match cells.len() {
            count if count == width => cells.into_iter().map(|cell| cell.text).collect(),
            count if count + 1 == width && count > 1 => {
                let labels = cells.into_iter().map(|cell| cell.text);
                std::iter::once(String::new()).chain(labels).collect()
            }
            _ => by_place(cells, &columns)?,
        });
    }
    let mut header = header.into_iter();
    let headers = header.next()?;
    let mut all: Vec<(usize, Vec<String>)> =
        header.enumerate().map(|(at, cells)| (start + at + 2, cells)).collect();
    let cells = |cells: Vec<Placed>| cells.into_iter().map(|cell| cell.text).collect();
    let first = start + depth;
    all.extend(
        data.into_iter().take(rows).enumerate().map(|(at, row)| (first + at + 1, cells(row))),
    );
    Some(Grid { lines: start..first + rows, headers, rows: all, ..Grid::default() })
}

/// The headers of columns by blanks where two names have only one blank between them: all end where the values below them do, or
/// as far behind these as the first does.
fn below_values(lines: &[Line], start: usize) -> Option<Vec<String>> {
    let heads = placed(&lines[start].text);
    let near = lines[start + 1..].iter().take(2).map(|line| placed(&line.text));
    let row = near.into_iter().find(|row| row.len() == heads.len() + 1)?;
    // Without a name over the first column nothing is amiss.
    if heads.first()?.from > row[0].from || !row[1..].iter().all(|cell| is_value(&cell.text)) {
        return None;
    }
    let shift = heads.get(1)?.to.checked_sub(row[1].to)?;
    let below = |head: &Placed, cell: &Placed| head.to == cell.to + shift;
    let at = heads.iter().zip(&row).skip(1).position(|(head, cell)| !below(head, cell))? + 1;
    let head = &heads[at];
    let cut = (row[at].to + shift).checked_sub(head.from)?;
    let (left, right) = (head.text.get(..cut)?, head.text.get(cut..)?.strip_prefix(' ')?);
    let ends = below(head, &row[at + 1])
        && heads[at + 1..].iter().zip(&row[at + 2..]).all(|(head, cell)| below(head, cell));
    (ends && !left.is_empty() && !right.is_empty()).then(|| {
        let all = heads.iter().map(|head| head.text.clone());
        let before = all.clone().take(at);
        before.chain([left.to_owned(), right.to_owned()]).chain(all.skip(at + 1)).collect()
    })
}

/// Most lines of a header without pipes.
const MAX_HEADER_LINES: usize = 4;

fn separated_by(lines: &[Line], start: usize, mark: Mark) -> Option<Grid> {
    let mut headers = split(&lines[start].text, mark);
    if mark == Mark::Gap
        && let Some(all) = below_values(lines, start)
    {
        headers = all;
    }
    let short = |name: &String| name.chars().count() <= MAX_NAME_CHARS;
    // `95%` is the name of a percentile.
    let name = |name: &&String| name.contains(char::is_alphabetic) || name.ends_with('%');
    let named = headers.iter().filter(name).count();
    let whole =
        headers.iter().all(|name| short(name) && figure(name, false).is_none_or(|f| f.unit == "%"));
    // Behind `#` a program says what its number means.
    let digit = |name: &String| name.starts_with(|c: char| c.is_ascii_digit());
    let remarked = headers.windows(2).skip(1).any(|two| two[0] == "#" && digit(&two[1]));
    let free = !lines[start].row && !lines[start].rule && !remarked;
    if !free || headers.len() > MAX_CELLS || !whole {
        return None;
    }
    let mut rows: Vec<(usize, Vec<String>)> = Vec::new();
    let mut at = start + 1;
    // A line of dashes may underline the header.
    let underline =
        |line: &Line| line.text.contains("--") && line.text.chars().all(|c| "-= \t".contains(c));
    at += usize::from(lines.get(at).is_some_and(underline));
    while let Some(line) =
        lines.get(at).filter(|line| !line.row && !line.rule && !line.text.trim().is_empty())
    {
        let mut cells = split(&line.text, mark);
        if mark == Mark::Tab && cells.len() < headers.len() && cells.len() > 1 {
            cells.resize(headers.len(), String::new());
        }
        let width = rows.first().map_or(cells.len(), |(_, first)| first.len());
        // Cells merged with those above are blank.
        if mark == Mark::Gap && cells.len() < width && width == headers.len() {
            let columns: Vec<(usize, usize)> =
                placed(&lines[start].text).iter().map(|cell| (cell.from, cell.to)).collect();
            if let Some(all) = by_place(placed(&line.text), &columns)
                && all[0].is_empty()
            {
                cells = all;
            }
        }
        let fits = cells.len() == width
            && (width == headers.len() || width == headers.len() + 1 && mark == Mark::Gap);
        let values = cells.iter().filter(|cell| is_value(cell)).count();
        let rest = cells.iter().skip(1).filter(|cell| !is_value(cell) && !is_nothing(cell)).count();
        // Words between the values of a table of one width: the name of the better one.
        let phrases = || cells.iter().all(|cell| cell.split_whitespace().count() < 4);
        let numbered = || cells.len() == headers.len() + 1 && number(&cells[0]).is_some();
        let worded = (cells.len() == headers.len() || numbered()) && rest <= values && phrases();
        // Below rows with values a dash stands for one that is missing.
        let missing = || {
            let dashes = cells.iter().skip(1).filter(|cell| is_nothing(cell)).count();
            let unit = |cell: &String| figure(cell, false).is_some_and(|f| !f.unit.is_empty());
            rows.len() > 1 && values + dashes > 1 && cells.iter().skip(1).any(unit)
        };
        let enough = match mark {
            Mark::Tab => values > 0,
            Mark::Comma => 2 * values >= cells.len(),
            Mark::Gap => (values > 1 || missing()) && (rest == 0 || worded),
        };
        if !fits || !enough {
            break;
        }
        rows.push((at + 1, cells));
        at += 1;
    }
    let (_, first) = rows.first()?;
    let words =
        |cells: &[String]| cells.iter().skip(1).any(|cell| !is_value(cell) && !is_nothing(cell));
    let fewest = if mark == Mark::Comma || words(first) { (3, 2) } else { (2, 1) };
    if first.len() < fewest.0 || rows.len() < fewest.1 || 2 * named < headers.len() {
        return None;
    }
    if first.len() > headers.len() {
        headers.insert(0, String::new());
    }
    if mark == Mark::Gap {
        number_again(&mut headers);
    }
    Some(Grid { lines: start..at, headers, rows, ..Grid::default() })
}

/// Numbers the names of columns where two or more of them come again one after the other: `time  algbw  time  algbw`.
fn number_again(names: &mut [String]) {
    let old = names.to_vec();
    let before = |at: usize| old[..at].iter().filter(|other| **other == old[at]).count();
    let again = |at: usize| before(at) > 0;
    for at in 0..old.len() {
        let beside = at > 0 && again(at - 1) || at + 1 < old.len() && again(at + 1);
        let differs =
            at > 0 && old[at - 1] != old[at] || at + 1 < old.len() && old[at + 1] != old[at];
        if again(at) && beside && differs && !old[at].is_empty() {
            names[at] = format!("{} [{}]", old[at], before(at) + 1);
        }
    }
}

/// Characters as HTML writes them.
const ENTITIES: &[(&str, &str)] = &[
    ("&nbsp;", " "),
    ("&#160;", " "),
    ("&plusmn;", "±"),
    ("&micro;", "µ"),
    ("&mu;", "μ"),
    ("&times;", "×"),
    ("&minus;", "-"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&amp;", "&"),
];

/// Elements of HTML that are in the text of cells; other words between `<` and `>` are text: `<class 'int'>`.
const ELEMENTS: &[&str] = &[
    "a", "abbr", "b", "big", "br", "center", "code", "del", "details", "div", "em", "font",
    "g-emoji", "i", "img", "ins", "kbd", "li", "mark", "p", "pre", "s", "samp", "small", "span",
    "strike", "strong", "sub", "summary", "sup", "td", "th", "tt", "u", "ul",
];

/// A cell as it is seen: without marks of emphasis, links, tags, footnotes and the arrows beside it.
pub(crate) fn plain(cell: &str) -> String {
    let bare = unescaped(cell).replace(['*', '`', '\u{fe0f}'], "").replace("~~", "");
    let bare = ENTITIES.iter().fold(bare, |text, (code, c)| text.replace(code, c));
    let bare = without_breaks(&bare);
    let bare = without_links(&bare);
    let bare: String = bare.chars().filter(|c| !"¹²³⁴⁵⁶⁷⁸⁹⁰†‡".contains(*c)).collect();
    let bare = ["(higher is better)", "(lower is better)"]
        .iter()
        .fold(bare, |text, mark| text.replace(mark, " "));
    // An arrow beside a percentage is its sign.
    let percent = bare.contains(['%', '％']);
    let mark = |c: char| {
        !(percent && matches!(c, '↑' | '↓' | '⬆' | '⬇'))
            && is_mark(c)
            && !matches!(c, '<' | '>' | '=' | '!' | '^' | '_' | '~' | '≈')
            || c >= '\u{2600}' && !c.is_alphabetic() && c < '\u{3000}'
    };
    cleaned(bare.trim_matches(mark))
}

/// The text without the strokes of markdown before marks: `1\.60`, `max\_tokens`.
fn unescaped(text: &str) -> String {
    let mut rest = text.chars().peekable();
    let mut bare = String::with_capacity(text.len());
    while let Some(c) = rest.next() {
        let escapes = c == '\\' && rest.peek().is_some_and(char::is_ascii_punctuation);
        bare.extend(if escapes { rest.next() } else { Some(c) });
    }
    bare
}

/// The text with breaks of lines as blanks, or as commas between numbers: `610.4<br>608.8`.
fn without_breaks(text: &str) -> String {
    let broken =
        ["<br/>", "<br />"].iter().fold(text.to_owned(), |all, tag| all.replace(tag, "<br>"));
    let parts: Vec<&str> =
        broken.split("<br>").map(str::trim).filter(|part| !part.is_empty()).collect();
    let numbers = parts.iter().all(|part| figure(part, false).is_some());
    if !broken.contains("<br>") {
        return broken;
    }
    parts.join(if numbers { ", " } else { " " })
}

/// Longest text or address of a link, and longest tag, in bytes.
const MAX_LINK: usize = 2_000;
const MAX_TAG: usize = 500;

/// The text before a mark and the text behind it, where the mark is near.
fn until(text: &str, mark: u8, most: usize) -> Option<(&str, &str)> {
    let at = text.bytes().take(most).position(|byte| byte == mark)?;
    Some((&text[..at], &text[at + 1..]))
}

/// The text of links, and nothing of tags, images and footnotes.
pub(crate) fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['[', '<', '!']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let link = tail.trim_start_matches('!');
        let label = link.strip_prefix('[').and_then(|inner| until(inner, b']', MAX_LINK));
        let linked = label.and_then(|(label, after)| {
            let (_, after) = until(after.strip_prefix('(')?, b')', MAX_LINK)?;
            Some((if tail.starts_with('!') { "" } else { label }, after))
        });
        let footnote =
            label.filter(|(label, _)| label.starts_with('^')).map(|(_, after)| ("", after));
        let tag = tail.strip_prefix('<').and_then(|inner| {
            let (name, after) = until(inner, b'>', MAX_TAG)?;
            let element = name.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
            let (name, after) =
                Some((name, after)).filter(|_| ELEMENTS.contains(&&*element.to_lowercase()))?;
            // Superscripts are marks.
            let raised = name == "sup";
            Some((
                "",
                if raised {
                    after.split_once("</sup>").map_or(after, |(_, after)| after)
                } else {
                    after
                },
            ))
        });
        if let Some((label, after)) = linked.or(footnote).or(tag) {
            out.push_str(label);
            rest = after;
        } else {
            let length = tail.chars().next().map_or(1, char::len_utf8);
            out.push_str(&tail[..length]);
            rest = &tail[length..];
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(Vec<String>, Vec<Vec<String>>)> {
        let cells =
            |grid: Grid| (grid.headers, grid.rows.into_iter().map(|(_, cells)| cells).collect());
        grids(text).into_iter().map(cells).collect()
    }

    /// R5: one table in the looks in which people and tools print it.
    #[test]
    fn every_look_of_a_table_gives_the_same_cells() {
        let looks = [
            "| name | before | after |\n|---|--:|:-:|\n| TTFT | 80 ms | 76 ms |\n| | 5 | 6 |",
            "> > | name | before | after |\n> > |---|--:|:-:|\n> > | TTFT | 80 ms | 76 ms |\n> > || 5 | 6 |",
            "name | before | after\n-- | -- | --\nTTFT | 80 ms | 76 ms\n | 5 | 6\n",
            " name | before | after \n------+--------+-------\n TTFT | 80 ms  | 76 ms\n      | 5      | 6\n(2 rows)",
            "+------+--------+-------+\n| name | before | after |\n+======+========+=======+\n\
             | TTFT | 80 ms  | 76 ms |\n+------+--------+-------+\n|      | 5      | 6     |\n+------+--------+-------+",
            "┏━━━━━━┳━━━━━━━━┳━━━━━━━┓\n┃ name ┃ before ┃ after ┃\n┡━━━━━━╇━━━━━━━━╇━━━━━━━┩\n\
             │ TTFT │ 80 ms  │ 76 ms │\n│      │ 5      │ 6     │\n└──────┴────────┴───────┘",
            "╒══════╤════════╤═══════╕\n│ name │ before │ after │\n╞══════╪════════╪═══════╡\n\
             │ TTFT │ 80 ms  │ 76 ms │\n├──────┼────────┼───────┤\n│      │ 5      │ 6     │\n╘══════╧════════╧═══════╛",
            "┌───────────────────────┐\n│ name │ before │ after │\n├───────────────────────┤\n│ TTFT │ 80 ms  │ 76 ms │\n\
             │      │ 5      │ 6     │\n└───────────────────────┘",
            "> name\tbefore\tafter\n> TTFT\t80 ms\t76 ms\n> \t5\t6\n> and so on",
        ];
        let cells = |row: [&str; 3]| row.map(str::to_owned).to_vec();
        let expected = (
            cells(["name", "before", "after"]),
            vec![cells(["TTFT", "80 ms", "76 ms"]), cells(["", "5", "6"])],
        );
        for look in looks {
            assert_eq!(read(look), std::slice::from_ref(&expected), "{look}");
        }
    }

    #[test]
    fn columns_by_blanks_may_lack_the_name_of_the_first() {
        let text = "(i) before\n\n          count     mean   50%\nttft_ms    96.0   611.20  590.40\ntpot_ms    96.0    15.12   15.10\n\ntext";
        let found = read(text);
        assert_eq!(found[0].0, ["", "count", "mean", "50%"]);
        assert_eq!(found[0].1[1], ["tpot_ms", "96.0", "15.12", "15.10"]);
    }

    #[test]
    fn text_is_no_table() {
        for text in [
            "Same box, same seed, prefix caching on.\nI pasted both, see below.",
            "bench-1  | 2026-06-18 INFO Mean TTFT (ms): 5\nbench-1  | 2026-06-18 INFO Mean TPOT (ms): 6",
            "title\n-----\ntext",
            "a | b\nc | d",
        ] {
            assert_eq!(read(text).len(), 0, "{text}");
        }
    }

    #[test]
    fn a_wide_row_is_named_and_a_narrow_cell_of_a_box_goes_on_below() {
        let found = grids("|a|b|\n|-|-|\n|1|2|3|\n|4|5|\n");
        assert_eq!((found[0].ragged.clone(), found[0].rows.len()), (vec![(3, 3)], 1));
        let text = "┏━━━━━━━━━━┳━━━━━┓\n┃ Metric   ┃ avg ┃\n┡━━━━━━━━━━╇━━━━━┩\n│ Time to  │ 5.0 │\n│ First    │     │\n└──────────┴─────┘";
        assert_eq!(read(text)[0].1, [["Time to First", "5.0"]]);
    }
}
