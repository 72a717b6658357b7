//! Several quantities in one cell, each with its unit: `939 tok/s, 84.5 ms`.

use std::collections::BTreeSet;

use crate::kit::cell_value::{is_nothing, spread};
use crate::kit::fields;
use crate::kit::figure::{Figure, figure, is_unit};
use crate::table::column_names::METRIC;
use crate::table::layout::columns::is_called;
use crate::table::records::{Row, Table};
use crate::text::printed_lines::of_unit;
use beyondnoise_model::units::Scale;

/// The quantities of a cell, each with its name: `5.62 ms (711 MiB/s)`, `34.2 GB / 49.3 s`, `5.9 / 6.4 ±0.9 / 8.3 ms`,
/// the minimum, the mean and the maximum. One without a value has no text.
pub(super) fn quantities(cell: &str) -> Option<Vec<(String, String)>> {
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
pub(super) fn split_quantities(table: &mut Table) -> bool {
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
    let rows = table.take_rows();
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
    table.put_rows(out);
    true
}
