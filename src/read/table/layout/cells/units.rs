//! Units behind the numbers of a column: all are brought into one, which goes into the header.

use std::collections::BTreeMap;

use crate::kit::cell_value::is_nothing;
use crate::kit::figure::{Figure, figure};
use crate::kit::{fields, short};
use crate::table::column_names::UNIT;
use crate::table::layout::columns::{header_unit, is_called, is_long, load_of, names_variants};
use crate::table::outcomes::is_failure;
use crate::table::records::Table;
use crate::table::role_words::RUN;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::Skipped;
use beyondnoise_model::units::Scale;

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
    let mut rows = table.take_rows();
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
    table.put_rows(rows);
    for (at, unit) in units {
        if header_unit(&table.headers[at]).is_none() {
            let header = format!("{} ({unit})", table.headers[at].trim());
            header.trim().clone_into(&mut table.headers[at]);
        }
    }
    true
}

pub(super) fn size(unit: &str) -> f64 {
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
pub(super) fn factor(from: &str, to: &str) -> Option<f64> {
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
