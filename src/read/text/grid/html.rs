//! Tables in HTML, of one line or of many: `<table><tr><th>load</th><th>main</th></tr> ...`.

use super::{Grid, Line, MAX_CELLS, plain};

/// Most lines of a table.
const MAX_LINES: usize = 1_000;

/// A row: the place in the text at which it starts, and the cells with the columns and the rows that each takes.
struct Row {
    start: usize,
    cells: Vec<(String, [usize; 2])>,
}

/// The table that starts in a line; `None` where a cell holds more than a line of text, such as a printed block.
pub(super) fn html(lines: &[Line], start: usize) -> Option<Grid> {
    lines[start].text.contains("<table").then_some(())?;
    let near = &lines[start..lines.len().min(start + MAX_LINES)];
    // Another table may start before this one ends: then it has no end.
    let ends = |(at, line): (usize, &Line)| {
        line.text.contains("</table>") || at > 0 && line.text.contains("<table")
    };
    let length = near.iter().enumerate().position(ends)? + 1;
    let texts: Vec<&str> = near[..length].iter().map(|line| &*line.text).collect();
    let text = texts.join("\n");
    let (open, close) = (text.find("<table")?, text.find("</table>")?);
    let rows: Vec<Row> = starts(&text[..close], open, "<tr")
        .map(|(from, to)| Some(Row { start: from, cells: cells_of(&text[from..to])? }))
        .collect::<Option<_>>()?;
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let line = |at: usize| start + 1 + ends.partition_point(|end| *end < at);
    let mut rows = spread_out(rows)?.into_iter().map(|(at, cells)| (line(at), cells));
    let (_, headers) = rows.next()?;
    let (whole, ragged): (Vec<_>, Vec<_>) =
        rows.partition(|(_, cells)| cells.len() == headers.len());
    let ragged = ragged.into_iter().map(|(line, cells)| (line, cells.len())).collect();
    let lines = start..start + length;
    (headers.len() > 1).then_some(Grid {
        lines,
        headers,
        rows: whole,
        ruled: true,
        ragged,
        title: None,
    })
}

/// The parts of a text that start with a tag behind a place, each up to the next one.
fn starts<'a>(text: &'a str, from: usize, tag: &'a str) -> impl Iterator<Item = (usize, usize)> {
    let opens = move |at: &usize| {
        text[at + tag.len()..].starts_with(|c: char| c == '>' || c.is_whitespace())
    };
    let places: Vec<usize> = text
        .match_indices(tag)
        .map(|(at, _)| at)
        .filter(|at| *at >= from)
        .filter(opens)
        .chain([text.len()])
        .collect();
    (1..places.len()).map(move |at| (places[at - 1], places[at]))
}

/// The cells of a row.
fn cells_of(row: &str) -> Option<Vec<(String, [usize; 2])>> {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    let mut places: Vec<usize> =
        ["<td", "<th"].iter().flat_map(|tag| starts(row, 0, tag)).map(|(from, _)| from).collect();
    places.sort_unstable();
    places.push(row.len());
    parts.extend(places.windows(2).map(|two| (two[0], two[1])));
    let cell = |(from, to): (usize, usize)| {
        let (tag, inside) = row[from..to].split_once('>')?;
        let end = ["</td", "</th", "</tr"].iter().filter_map(|mark| inside.find(mark)).min();
        let text = &inside[..end.unwrap_or(inside.len())];
        let span = |name: &str| {
            let value =
                tag.split_once(name).map(|(_, rest)| rest.trim_start_matches(['=', '"', '\'']));
            let digits = value.map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
            let count = digits.flatten().and_then(|digits| digits.parse().ok()).unwrap_or(1);
            usize::clamp(count, 1, MAX_CELLS)
        };
        let one_line = text.trim().lines().count() < 2;
        one_line.then(|| (plain(text.trim()), [span("colspan"), span("rowspan")]))
    };
    parts.into_iter().map(cell).collect()
}

/// The rows with a text for each column: that of a cell over several columns or rows stands in all of them.
fn spread_out(rows: Vec<Row>) -> Option<Vec<(usize, Vec<String>)>> {
    // For each column the text of a cell above and the rows that it still takes.
    let mut above: Vec<(String, usize)> = Vec::new();
    let mut out = Vec::new();
    for Row { start, cells } in rows {
        let mut row: Vec<String> = Vec::new();
        let mut cells = cells.into_iter();
        loop {
            if let Some((text, left)) = above.get_mut(row.len()).filter(|(_, left)| *left > 0) {
                *left -= 1;
                row.push(text.clone());
                continue;
            }
            let Some((text, [columns, lines])) = cells.next() else { break };
            for _ in 0..columns {
                let at = row.len();
                above.resize(above.len().max(at + 1), Default::default());
                above[at] = (text.clone(), lines - 1);
                row.push(text.clone());
            }
            (row.len() <= MAX_CELLS).then_some(())?;
        }
        out.push((start, row));
    }
    Some(out)
}
