//! Cells, columns, rows and tables in which nothing was measured: marks, spreads, goals, words, settings.

use crate::kit::cell_value::is_nothing;
use crate::kit::figure::figure;
use crate::kit::short;
use crate::table::column_names::VARIANT;
use crate::table::layout::cells::values::is_value;
use crate::table::layout::changes::forms::{compared, numbers_of};
use crate::table::layout::columns::{
    header_unit, is_called, is_change, names_change, says_nothing, without_unit,
};
use crate::table::records::{Line, Table};
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, Skipped, label_hint};

/// Empties the cells that mark a row as the one that the others are compared with, in columns of changes: `baseline` above `+1.2%`.
pub(crate) fn clear_marks(table: &mut Table) {
    let mark = |cell: &str| label_hint(cell) == LabelHint::Baseline && !is_change(cell);
    let marked = |at: &usize| {
        table.filled(*at).any(is_change)
            && table.filled(*at).all(|cell| is_change(cell) || is_nothing(cell) || mark(cell))
            && table.filled(*at).any(mark)
    };
    let columns: Vec<usize> = (1..table.headers.len()).filter(marked).collect();
    if columns.is_empty() {
        return;
    }
    let mut rows = table.take_rows();
    for row in &mut rows {
        for &at in &columns {
            if mark(&row.cells[at]) {
                row.cells[at].clear();
            }
        }
    }
    table.put_rows(rows);
}

/// Leaves out columns that hold nothing but the spread of another one, `±8.22%`.
pub(crate) fn leave_out_spreads(table: &mut Table) -> Vec<Skipped> {
    let spread = |cell: &str| {
        let size = cell.trim().strip_prefix(['±', '<']).and_then(|size| figure(size, table.comma));
        size.is_some_and(|size| size.beside.is_empty())
    };
    let signed = |cell: &str| cell.trim().starts_with('±');
    let spreads: Vec<usize> = (1..table.headers.len())
        .filter(|&at| table.filled(at).any(signed) && table.filled(at).all(spread))
        .collect();
    let why = "the spread inside of a run or of an average: not used";
    let place = |at: &usize| format!("column {}", short(&table.headers[*at]));
    let notes = spreads.iter().map(|at| Skipped { place: place(at), why: why.to_owned() });
    let notes = notes.collect();
    if !spreads.is_empty() {
        table.drop_columns(&spreads);
    }
    notes
}

/// Leaves out metrics without sides behind two sides of another and beside their change: `before p50 | after p50 | change | tok/s`.
pub(crate) fn leave_out_of_no_side(table: &mut Table) -> Vec<Skipped> {
    let width = table.headers.len();
    let change = |at: usize| table.filled(at).next().is_some() && table.filled(at).all(is_change);
    let changes: Vec<usize> = (1..width).filter(|&at| change(at)).collect();
    let [change] = changes[..] else { return Vec::new() };
    let columns: Vec<usize> = (1..width).filter(|&at| at != change).collect();
    let hint = |at: usize| label_hint(&table.headers[at]);
    let of = |hinted| columns.iter().copied().filter(|&at| hint(at) == hinted).collect::<Vec<_>>();
    let unit = |at: usize| header_unit(&table.headers[at]);
    let pair = match (&of(LabelHint::Baseline)[..], &of(LabelHint::Candidate)[..]) {
        ([old], [new]) => Some((*old, *new)),
        // Names that say nothing are those of builds where the change is the one between them.
        ([], []) if columns.len() > 2 => {
            let numbers: Vec<_> = (0..width).map(|at| numbers_of(table, at)).collect();
            let silent = |at: &usize| {
                unit(*at).is_some() && says_nothing(without_unit(&table.headers[*at]).trim())
            };
            let builds: Vec<usize> = columns.iter().copied().filter(silent).collect();
            compared(table, change, (&builds, &numbers))
        }
        _ => None,
    };
    let Some((one, other)) = pair else { return Vec::new() };
    // Rows that name sides are what is compared.
    if table.filled(0).any(|cell| label_hint(cell) != LabelHint::Neither) {
        return Vec::new();
    }
    let measured = |&at: &usize| {
        ![one, other].contains(&at)
            && meaning(&table.headers[at]).says == Says::Measured
            && table.filled(at).all(is_value)
    };
    let others: Vec<usize> = columns.iter().copied().filter(measured).collect();
    // Another column of their metric is one more side.
    let words = |at: usize| -> Vec<String> {
        let lower = table.headers[at].to_lowercase();
        lower.split_whitespace().map(str::to_owned).collect()
    };
    let shared = |at: usize| words(at).iter().any(|word| words(one).contains(word));
    if others.iter().any(|&at| shared(at)) {
        return Vec::new();
    }
    let behind = others.iter().all(|&at| at > one.max(other));
    let rest = columns.iter().filter(|at| **at > one.max(other)).count() == others.len();
    if others.is_empty() || !behind || !rest {
        return Vec::new();
    }
    let place = |at: &usize| format!("column {}", short(&table.headers[*at]));
    let why = "of neither side that the changes compare: not read";
    let notes = others.iter().map(|at| Skipped { place: place(at), why: why.to_owned() });
    let notes = notes.collect();
    if is_called(&table.headers[0], VARIANT) && hint(one) == LabelHint::Neither {
        "case".clone_into(&mut table.headers[0]);
    }
    table.drop_columns(&others);
    notes
}

/// Headers over what is aimed at.
pub(crate) const GOALS: &[&str] =
    &["target", "targets", "goal", "goals", "slo", "sla", "budget", "threshold", "目标", "阈值"];

/// Leaves out columns of goals beside those of a baseline and of another build, and rows of goals below several others: nothing was
/// measured in them.
pub(crate) fn leave_out_goals(table: &mut Table) -> Vec<Skipped> {
    let goal = |header: &str| is_called(header.split(['(', '（']).next().unwrap_or(header), GOALS);
    let is_goal: Vec<bool> = table.rows.iter().map(|row| goal(row.cells.get(0))).collect();
    if is_goal.iter().filter(|is_goal| !**is_goal).count() > 1 && is_goal.contains(&true) {
        let why = "a goal, nothing that was measured: not read";
        let (mut kept, mut notes) = (Vec::new(), Vec::new());
        for (row, is_goal) in table.take_rows().into_iter().zip(is_goal) {
            if is_goal {
                let place = format!("{} {}", table.counts, row.number);
                notes.push(Skipped { place, why: why.to_owned() });
            } else {
                kept.push(row);
            }
        }
        table.put_rows(kept);
        return notes;
    }
    let goals: Vec<usize> =
        (1..table.headers.len()).filter(|&at| goal(&table.headers[at])).collect();
    let says = |hint| table.headers.iter().any(|header| label_hint(header) == hint);
    let values = |at: &usize| !goals.contains(at) && table.filled(*at).any(is_value);
    if !says(LabelHint::Baseline) || (1..table.headers.len()).filter(values).count() < 2 {
        return Vec::new();
    }
    let place = |at: &usize| format!("column {}", short(&table.headers[*at]));
    let why = "a goal, nothing that was measured: not read".to_owned();
    let notes = goals.iter().map(|at| Skipped { place: place(at), why: why.clone() }).collect();
    table.drop_columns(&goals);
    notes
}

/// Leaves out bare numbers behind two sides whose values all have units: `ours/ORT` beside `before` and `after` in ms.
pub(crate) fn leave_out_bare(table: &mut Table) -> Vec<Skipped> {
    let united = |at: usize, any: bool| {
        let mut units = table.filled(at).map(|cell| figure(cell, table.comma).map(|f| f.unit));
        let bare = |unit: &Option<String>| unit.as_ref().is_some_and(String::is_empty);
        if any {
            units.all(|unit| !bare(&unit) && unit.is_some())
        } else {
            units.all(|unit| bare(&unit))
        }
    };
    let side = |hint| {
        (1..table.headers.len()).find(|&at| {
            label_hint(&table.headers[at]) == hint
                && table.filled(at).count() == table.rows.len()
                && united(at, true)
        })
    };
    let (Some(old), Some(new)) = (side(LabelHint::Baseline), side(LabelHint::Candidate)) else {
        return Vec::new();
    };
    let last = old.max(new);
    let says = |at: usize| {
        let header = &table.headers[at];
        header_unit(header).is_some()
            || matches!(meaning(header).says, Says::Setting | Says::Identity | Says::Count)
            || names_change(header)
    };
    let bare: Vec<usize> = (last + 1..table.headers.len())
        .filter(|&at| table.filled(at).next().is_some() && united(at, false) && !says(at))
        .collect();
    let place = |at: &usize| format!("column {}", short(&table.headers[*at]));
    let why = "numbers without the unit of the sides before them: not read";
    let notes = bare.iter().map(|at| Skipped { place: place(at), why: why.to_owned() }).collect();
    if !bare.is_empty() {
        table.drop_columns(&bare);
    }
    notes
}

/// Fewest rows of a table of settings before and after a change.
const MIN_SETTINGS: usize = 4;

/// Whether a table holds the settings before and after a change, and nothing that was measured: all values of both sides are round
/// numbers, under names that say nothing of a measurement.
pub(crate) fn are_settings(table: &Table, heading: Option<&str>, unit: bool) -> bool {
    let hint = |at: &usize| label_hint(&table.headers[*at]);
    let sides: Vec<usize> =
        (1..table.headers.len()).filter(|at| hint(at) != LabelHint::Neither).collect();
    let both = [LabelHint::Baseline, LabelHint::Candidate]
        .iter()
        .all(|side| sides.iter().any(|at| hint(at) == *side));
    let round = |cell: &str| {
        let found = figure(cell, table.comma).filter(|found| found.beside.is_empty());
        let Some(value) = found.and_then(|found| found.value()).map(|number| number.value) else {
            return is_nothing(cell) || !cell.contains(|c: char| c.is_ascii_digit());
        };
        let digits = format!("{value:e}");
        let digits = digits.split('e').next().map_or(0, str::len);
        value.fract() == 0.0 && (digits <= 3 || value.log2().fract() == 0.0)
    };
    let named = |row: Line| row.cells.get(0).contains(char::is_alphabetic);
    let measured = |row: Line| meaning(row.cells.get(0)).says == Says::Measured;
    // Values in units were measured, but for a time that was set.
    let united = |row: Line| {
        let unit = |at: &usize| figure(row.cells.get(*at), table.comma).map(|found| found.unit);
        sides.iter().any(|at| unit(at).is_some_and(|unit| !unit.is_empty()))
    };
    let about = heading.is_some_and(|heading| meaning(heading).says == Says::Measured);
    let units = table.rows.iter().filter(|row| united(*row)).count();
    let said = unit || about || sides.iter().any(|at| header_unit(&table.headers[*at]).is_some());
    if said || 3 * units > table.rows.len() {
        return false;
    }
    // A reason may stand beside them.
    let words = |at: usize| {
        sides.contains(&at) || !table.filled(at).any(|cell| figure(cell, table.comma).is_some())
    };
    both && (1..table.headers.len()).all(words)
        && table.rows.len() >= MIN_SETTINGS
        && table.rows.iter().all(|row| {
            named(row) && !measured(row) && sides.iter().all(|&at| round(row.cells.get(at)))
        })
}

/// Leaves out the rows of words of a table that describes its columns and measures them: versions and names above figures
/// with their units.
pub(crate) fn leave_out_words(table: &mut Table) -> Vec<Skipped> {
    let width = table.headers.len();
    let value = |cell: &str| figure(cell, table.comma).is_some();
    let named = || table.rows.iter().all(|row| row.cells.get(0).contains(char::is_alphabetic));
    let words = |at: usize| !table.mostly(at, value);
    if width < 3 || !named() || !(1..width).any(words) {
        return Vec::new();
    }
    let filled = |row: Line| {
        let mut cells = (1..width).map(|at| row.cells.get(at)).filter(|cell| !is_nothing(cell));
        let first = cells.next();
        first.is_some_and(value) && cells.all(value)
    };
    let unit = |row: Line| {
        (1..width).any(|at| {
            let found = figure(row.cells.get(at), table.comma);
            found.is_some_and(|found| !matches!(&*found.unit, "" | "%"))
        })
    };
    let count = table.rows.iter().filter(|row| filled(*row)).count();
    let units = table.rows.iter().filter(|row| filled(*row) && unit(*row)).count();
    if count < 2 || 2 * units <= count {
        return Vec::new();
    }
    let measured: Vec<bool> = table.rows.iter().map(|row| filled(row) || unit(row)).collect();
    let (mut kept, mut left) = (Vec::new(), Vec::new());
    for (row, measured) in table.take_rows().into_iter().zip(measured) {
        if measured {
            kept.push(row);
        } else {
            left.push(short(row.cells[0].trim()));
        }
    }
    table.put_rows(kept);
    let place = "rows without a number".to_owned();
    vec![Skipped { place, why: format!("{}: not read", left.join(", ")) }]
}
