//! The intervals as a forest plot for a terminal: a line per metric or candidate, on one axis.

use textwrap::core::display_width;

use crate::format;
use crate::render::options::{TextOptions, style};
use crate::render::plot::scale::{self, Scale};
use crate::report::Row;
use crate::report::comparison::row_text;
use crate::report::document::Tone;
use crate::verdict::Verdict;

const LONGEST_NAME: usize = 30;

const NARROWEST_AXIS: usize = 12;

/// A line of the plot: its name and the row whose interval is drawn.
type Line<'a> = (String, &'a Row);

/// The lines with their axis, and a legend; empty where no change is relative.
pub(super) fn drawn(lines: &[Line], level: &str, options: TextOptions) -> (String, String) {
    let rows: Vec<&Row> = lines.iter().map(|(_, row)| *row).collect();
    (axis_and_lines(lines, options), legend(&rows, level))
}

fn has_ratio(row: &Row) -> bool {
    row.delta.relative.is_some()
}

/// The meaning of the signs of these rows; empty where no change is relative.
fn legend(rows: &[&Row], level: &str) -> String {
    let drawn = || rows.iter().filter(|row| has_ratio(row));
    let any = |with: bool| drawn().any(|row| row_text::ends(row).is_some() == with);
    let mut signs = Vec::new();
    if any(true) {
        let equal = drawn().find(|row| row_text::shows_equality(row));
        let equal = equal.map_or(String::new(), |row| {
            format!(" ({} of no change)", format::confidence(row.delta.equivalence_confidence))
        });
        signs.push(format!("├─●─┤ change and {level}{equal}"));
    }
    if any(false) {
        signs.push("○ change without an interval".to_owned());
    }
    if signs.is_empty() {
        return String::new();
    }
    format!(
        "({}, │ no change, ┊ margin that matters)
",
        signs.join(", ")
    )
}

/// The lines with their axis; empty where no change is relative.
fn axis_and_lines(lines: &[Line], options: TextOptions) -> String {
    let lines: Vec<&Line> = lines.iter().filter(|(_, row)| has_ratio(row)).collect();
    let rows: Vec<&Row> = lines.iter().map(|(_, row)| *row).collect();
    let Some(ends) = scale::span(&rows) else { return String::new() };
    let width = usize::from(options.width.max(40));
    let said: Vec<String> = rows.iter().map(|row| said(row)).collect();
    let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let right = widest(&mut said.iter().map(|text| display_width(text)));
    let room = width.saturating_sub(right + NARROWEST_AXIS + 4);
    let left = widest(&mut lines.iter().map(|(name, _)| display_width(name)));
    let left = left.min(LONGEST_NAME).min(room);
    let columns = width.saturating_sub(left + right + 4).max(NARROWEST_AXIS);
    let scale = Scale::between(ends, 0.0, (columns - 1) as f64);
    let mut out = String::new();
    for ((name, row), said) in lines.iter().zip(&said) {
        let name = format::shortened(name, left);
        // A name without room is one `…`.
        let gap = " ".repeat(left.saturating_sub(display_width(&name)));
        let line = interval(row, &scale, columns);
        let shown = match row.verdict {
            Verdict::Better | Verdict::Worse if options.colour => {
                let style = style(Tone::Verdict(row.verdict));
                format!(" {name}{gap} {style}{line} {said}{style:#}")
            }
            _ => format!(" {name}{gap} {line} {said}"),
        };
        out.push_str(shown.trim_end());
        out.push('\n');
    }
    for line in axis(&scale, columns) {
        out.push_str(format!("{}{line}", " ".repeat(left + 2)).trim_end());
        out.push('\n');
    }
    out
}

/// The change and, where it is judged to be one, its way.
fn said(row: &Row) -> String {
    let word = match row.verdict {
        Verdict::Better => " better",
        Verdict::Worse => " worse",
        _ => "",
    };
    format!("{}{word}", row_text::change(row))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place of the axis lies between 0 and its columns"
)]
fn column(scale: &Scale, value: f64) -> usize {
    scale.at(value).round() as usize
}

/// The interval of a row drawn by characters: `┊  │ ├──●──┤`.
fn interval(row: &Row, scale: &Scale, columns: usize) -> String {
    let mut cells = vec![' '; columns];
    let mut set = |value: f64, sign: char| {
        if scale.holds(value) {
            cells[column(scale, value)] = sign;
        }
    };
    set(-row.margin, '┊');
    set(row.margin, '┊');
    set(0.0, '│');
    let Some(estimate) = row.delta.relative else { return String::new() };
    let Some([low, high]) = row_text::ends(row) else {
        set(estimate, '○');
        return cells.into_iter().collect();
    };
    let (from, to, zero) = (column(scale, low), column(scale, high), column(scale, 0.0));
    for (at, cell) in cells.iter_mut().enumerate().take(to + 1).skip(from) {
        *cell = if at == zero { '┼' } else { '─' };
    }
    cells[from] = if scale.holds(low) { '├' } else { '◂' };
    cells[to] = if scale.holds(high) { '┤' } else { '▸' };
    if scale.holds(estimate) {
        cells[column(scale, estimate)] = '●';
    }
    cells.into_iter().collect()
}

/// The ruler and its numbers, in percent.
fn axis(scale: &Scale, columns: usize) -> [String; 2] {
    let (low, high) = scale.ends();
    let percent = Scale::between((low * 100.0, high * 100.0), 0.0, (columns - 1) as f64);
    let ticks = percent.ticks(columns / 8);
    let mut ruler = vec!['─'; columns];
    let mut numbers = String::new();
    for tick in &ticks.at {
        let at = column(&percent, *tick);
        ruler[at] = '┴';
        let text = format!("{} %", format::tick(*tick, ticks.decimals));
        let size = display_width(&text);
        let start = at.saturating_sub(size / 2).min(columns.saturating_sub(size));
        let used = display_width(&numbers);
        if start > used || used == 0 {
            numbers.push_str(&" ".repeat(start - used));
            numbers.push_str(&text);
        }
    }
    [ruler.into_iter().collect(), numbers]
}
