//! The column that names the metric of each row, and the one that holds its value.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::cell_value::is_nothing;
use crate::kit::fields::{self};
use crate::kit::figure::list;
use crate::kit::parts_of_work::is_part_of_work;
use crate::table::column_names::{METRIC, is_dimension, is_unnamed};
use crate::table::layout::columns::is_called;
use crate::table::layout::columns::{
    Kind, header_unit, is_metric, load_of, names_variants, says_nothing, split_unit, without_unit,
};
use crate::table::layout::kinds::{counts_outcomes, kinds_of};
use crate::table::layout::levels::counts_rows;
use crate::table::outcomes::is_failure;
use crate::table::records::{Line, Table};
use crate::table::role_words::{RUN, counts_runs, is_case};
use beyondnoise_model::metrics::Statistic;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, label_hint, negates};
use beyondnoise_model::units::{Conversion, Scale};

/// Headers over the names of metrics.
const NAMES: &[&str] = &["metrics", "name", "measure", "benchmark", ""];

/// The column that names the metrics, where columns beside it may be variants.
pub(super) fn names_of_metrics(table: &Table, kinds: &[Kind]) -> Option<usize> {
    // P01, P02, P03 are people.
    let quantile =
        |cell: &str| matches!(meaning(cell).statistic, Some(Statistic::Quantile(q)) if q >= 0.5);
    let known = |at: usize| -> usize {
        let mut cells: BTreeMap<&str, usize> = BTreeMap::new();
        for cell in table.filled(at) {
            *cells.entry(cell).or_default() += 1;
        }
        let known = |cell: &str| is_metric(cell) || quantile(cell) || counts_outcomes(cell);
        let known = cells.iter().filter(|(cell, _)| known(cell));
        known.map(|(_, count)| count).sum()
    };
    // `22.8 s` is a value.
    let value = |cell: &str| {
        let bare = cell.trim_start_matches(['~', '≈', '<', '>', '+', '-']);
        bare.starts_with(|c: char| c.is_ascii_digit()) && cell.split_whitespace().count() < 3
    };
    let variant = |at: usize| names_variants(table, at);
    let names = |at: &usize| kinds[*at] == Kind::Key && !variant(*at) && !table.mostly(*at, value);
    let text: Vec<usize> = (0..kinds.len()).filter(names).collect();
    let called =
        |names: &[&str]| text.iter().copied().find(|&at| is_called(&table.headers[at], names));
    let mostly = || text.iter().copied().find(|&at| 2 * known(at) > table.rows.len());
    let sides = kinds.contains(&Kind::Side);
    // `Returning-turn metric`
    let over_metrics = |header: &str| {
        let words = header.trim().to_lowercase();
        METRIC.iter().chain(&["metrics"]).any(|word| words.ends_with(word))
    };
    let over_metrics = || text.iter().copied().find(|&at| over_metrics(&table.headers[at]));
    let named =
        || called(NAMES).filter(|&at| sides && (known(at) > 0 || !table.headers[at].is_empty()));
    // A unit in every row, in its name or behind its values: each row is a metric.
    // Beside sides another quantity says nothing about their unit: a size in MB, the time to compile.
    let side = |at: &usize| kinds[*at] == Kind::Side;
    let of_sides = (0..kinds.len()).filter(side).count() > 1;
    let open: Vec<usize> = (0..kinds.len())
        .filter(|at| if of_sides { side(at) } else { kinds[*at].is_open() })
        .collect();
    // A name with its unit is that of a metric: `prefill (tok/s)`.
    let own = |at: usize| {
        table.rows.len() > 1
            && table.rows.iter().all(|row| header_unit(row.cells.get(at)).is_some())
    };
    let with_unit = |at: usize| {
        // One unit for all is that of one metric.
        let unit = |row: Line| {
            let behind = || {
                open.iter()
                    .map(|&value| split_unit(row.cells.get(value)).1)
                    .find(|unit| !unit.is_empty())
            };
            header_unit(row.cells.get(at)).or_else(behind)
        };
        let units: Vec<String> = table.rows.iter().filter_map(unit).collect();
        let several = units.iter().any(|unit| *unit != units[0]);
        (several || own(at)) && 2 * units.len() > table.rows.len()
    };
    let distinct = |at: usize| {
        let cells: BTreeSet<&str> = table.rows.iter().map(|row| row.cells.get(at)).collect();
        cells.len() == table.rows.len()
    };
    // In each row all values have units of one kind: the rows are metrics, whatever the columns are called.
    let across = |at: usize| {
        // Words say why a value is missing: `not tested`.
        let units = |row: Line| -> Vec<String> {
            let cells = open.iter().map(|&at| row.cells.get(at));
            let value = |cell: &&str| cell.contains(|c: char| c.is_ascii_digit());
            cells.filter(value).map(|cell| split_unit(cell).1).collect()
        };
        let alike = |row: Line| {
            let units = units(row);
            let first = units.first().cloned().unwrap_or_default();
            let same = !first.is_empty() && units.iter().all(|unit| *unit == first);
            let scales: Option<Vec<Scale>> = units.iter().map(|unit| Scale::parse(unit)).collect();
            same || scales.is_some_and(|units| {
                units.first().is_some_and(|first| units.iter().all(|unit| unit.is_alike(*first)))
            })
        };
        // A count has no unit on any side.
        let none = |row: Line| units(row).iter().all(String::is_empty);
        let named = |row: Line| header_unit(row.cells.get(at)).is_some();
        let stated = table.rows.iter().filter(|row| alike(*row) || named(*row)).count();
        open.len() > 1 && stated > 1 && table.rows.iter().all(|row| alike(row) || none(row))
    };
    let of_units = || {
        text.iter().copied().find(|&at| {
            (sides || own(at) || across(at)) && open.len() > 1 && distinct(at) && with_unit(at)
        })
    };
    called(METRIC).or_else(over_metrics).or_else(mostly).or_else(named).or_else(of_units)
}

/// The column of the values beside the names of the metrics: the mean, or the only one that is measured. Spreads, counts
/// and settings beside it never are.
pub(super) fn value_of(table: &Table, kinds: &[Kind], names: usize) -> Option<usize> {
    let metric = is_called(&table.headers[names], METRIC);
    let values = |kind: &Kind| !metric && (kind.is_open() || *kind == Kind::Metric);
    if kinds.iter().any(|kind| *kind == Kind::Side || values(kind)) {
        return None;
    }
    let mean = |at: &usize| meaning(&table.headers[*at]).statistic == Some(Statistic::Mean);
    let beside = |at: &usize| {
        let header = &table.headers[*at];
        let says = meaning(header).says;
        counts_runs(header)
            || is_called(header, RUN)
            || matches!(says, Says::Spread | Says::Count | Says::Setting | Says::Outcome(_))
            || says == Says::Identity && kinds[*at] == Kind::Key
    };
    let numbers = (0..kinds.len()).filter(|&at| at != names && table.is_numeric(at));
    let open: Vec<usize> = numbers.filter(|at| !beside(at)).collect();
    // Several statistics are several metrics.
    let statistic = |name: &&String| {
        meaning(name).statistic.is_some_and(|statistic| statistic != Statistic::Deviation)
    };
    let alone = table.headers.iter().filter(statistic).count() == 1;
    match (open.iter().copied().find(mean), open.len()) {
        (Some(mean), _) => Some(mean).filter(|_| alone),
        (None, 1) => open.first().copied(),
        _ => None,
    }
}

/// Whether all columns behind those of sizes hold one quantity, under names that say nothing: these are variants. The values
/// of a row are alike, and differ less within rows than between them, or are printed with the same fine resolution.
pub(super) fn are_alike(table: &Table, kinds: &[Kind]) -> bool {
    let sized = |header: &str| {
        fields::field_of_column(header).is_some_and(fields::is_setting)
            || meaning(header).says == Says::Setting
            || is_metric(header)
    };
    // A name with a number in the corner names no labels where those over the columns are coined: `LFM2.5` left of `ExecuTorch` and
    // `llama.cpp`.
    let is_coined = |name: &String| {
        let mut rest = name.trim().chars().skip(1);
        rest.any(|c| c.is_ascii_uppercase() || ".-".contains(c)) && says_nothing(name)
    };
    let numbered = |name: &str| {
        let has = |part: fn(&char) -> bool| name.chars().any(|c| part(&c));
        has(char::is_ascii_digit) && has(char::is_ascii_uppercase) && says_nothing(name)
    };
    let coined = |corner: &str| numbered(corner) && table.headers[1..].iter().all(is_coined);
    // Sizes with their unit: `4KB`, `46MB`.
    let sizes = || {
        let scale = |cell: &str| Scale::parse(&split_unit(cell).1);
        let bytes = Scale::parse("B");
        let size = |cell: &str| scale(cell).zip(bytes).is_some_and(|(one, b)| one.is_alike(b));
        table.filled(0).count() == table.rows.len() && table.filled(0).all(size)
    };
    let leads = table.headers.first().is_some_and(|header| {
        is_unnamed(header) && (!counts_rows(table) || kinds.get(1) == Some(&Kind::Key))
            || sized(header)
            || is_case(header)
            || coined(header)
            || is_dimension(header)
            || sizes()
    });
    // A run that failed, several, or none.
    let several = |cell: &str| list(cell, false).is_some();
    let gap = |cell: &str| is_nothing(cell) || is_failure(cell) || several(cell);
    let mut columns: Vec<usize> =
        (1..kinds.len()).filter(|&at| kinds[at] != Kind::Compares).collect();
    // Pandas numbers the rows before the sizes.
    let dimensions = kinds.iter().skip(1).take_while(|kind| **kind == Kind::Key).count();
    columns.retain(|&at| at > dimensions);
    // What else describes the rows: a device, a date.
    let words = |at: usize| table.filled(at).all(|cell| fields::number(cell).is_none());
    columns.retain(|&at| kinds[at] != Kind::Key || !words(at));
    // Of sizes with their unit beside times or rates with theirs, where a name says that it is one of several builds.
    let stated = |&at: &usize| {
        let unit = |cell: &str| split_unit(cell).1;
        let first = table.filled(columns[0]).next().and_then(|cell| Scale::parse(&unit(cell)));
        let alike = |cell: &str| {
            Scale::parse(&unit(cell)).zip(first).is_some_and(|(one, first)| one.is_alike(first))
        };
        !is_metric(&table.headers[at]) && table.filled(at).all(alike)
    };
    let says = |&at: &usize| {
        let header = &table.headers[at];
        label_hint(header) != LabelHint::Neither || negates(header)
    };
    if sizes() && columns.len() > 1 && columns.iter().all(stated) && columns.iter().any(says) {
        return true;
    }
    let silent = |&at: &usize| {
        let number = |cell: &str| fields::number(&split_unit(cell).0).is_some();
        let mut cells = table.filled(at).filter(|cell| !gap(cell)).peekable();
        let open = match kinds[at] {
            Kind::Side => true,
            Kind::Other => says_nothing(&table.headers[at]),
            _ => false,
        };
        open && cells.peek().is_some() && cells.all(number)
    };
    if !leads || columns.len() < 2 || table.rows.len() < 2 || !columns.iter().all(silent) {
        return false;
    }
    if differ_in_parts_of_work(columns.iter().map(|&at| &*table.headers[at])) {
        return false;
    }
    let (mut resolutions, mut first) = (Vec::new(), None);
    let filled = |row: &Line| columns.iter().any(|&at| !row.cells.get(at).is_empty());
    let rows: Option<Vec<Vec<f64>>> = table
        .rows
        .iter()
        .filter(filled)
        .map(|row| {
            let mut log = |&at: &usize| {
                let (number, unit) = split_unit(row.cells.get(at));
                let number = fields::number(&number)?;
                resolutions.push(number.resolution);
                let scale = Scale::parse(&unit);
                first = first.or(scale);
                let to = scale.zip(first).and_then(|(scale, first)| scale.to(first));
                let value = to.unwrap_or(Conversion::NONE).apply(number.value);
                Some(value.ln()).filter(|v| v.is_finite())
            };
            let known = columns.iter().filter(|&&at| !gap(row.cells.get(at)));
            known.map(&mut log).collect()
        })
        .filter(|row: &Option<Vec<f64>>| row.as_ref().is_none_or(|row| !row.is_empty()))
        .collect();
    let Some(rows) = rows else { return false };
    let spread = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64
    };
    let within = rows.iter().map(|row| spread(row)).sum::<f64>() / rows.len() as f64;
    let means: Vec<f64> =
        rows.iter().map(|row| row.iter().sum::<f64>() / row.len() as f64).collect();
    let fine =
        resolutions.iter().all(|one| *one < 0.001 && (one / resolutions[0] - 1.0).abs() < 1e-9);
    // Six decimals everywhere are those of one program.
    let most = if resolutions.iter().all(|one| *one < 1e-5) { 1.5 } else { 0.5 };
    within < most && (fine || within < spread(&means))
}

/// Whether names differ in nothing but words for parts of the work, `cold cache` and `warm cache`: these are no builds.
pub(super) fn differ_in_parts_of_work<'a>(names: impl Iterator<Item = &'a str>) -> bool {
    let words = |name: &str| -> BTreeSet<String> {
        let lower = name.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let all: Vec<BTreeSet<String>> = names.map(words).collect();
    let shared = |word: &&String| all.iter().all(|words| words.contains(*word));
    all.iter().all(|words| {
        let mut own = words.iter().filter(|word| !shared(word)).peekable();
        own.peek().is_some() && own.all(|word| is_part_of_work(word))
    })
}

/// Whether every column behind one of names has a number that rises from left to right over it, three or more, or a load of one
/// name: sizes beside the labels of variants, unless these are called cases.
pub(super) fn sizes_over_names(table: &Table, kinds: &[Kind]) -> bool {
    let Some((first, sizes)) = table.headers.split_first() else { return false };
    let loads: Option<BTreeSet<String>> =
        sizes.iter().map(|size| load_of(size).map(|(name, ..)| name)).collect();
    let of_one_name = sizes.len() > 1 && loads.is_some_and(|names| names.len() == 1);
    let sizes: Option<Vec<f64>> =
        sizes.iter().map(|size| Some(fields::number(size.trim())?.value)).collect();
    // Releases and years are near to each other: 3.11 and 3.12, 16 and 17.
    let rises = |sizes: Vec<f64>| {
        let whole = sizes.iter().all(|size| size.fract() == 0.0);
        let far = sizes.len() > 2 && sizes[sizes.len() - 1] >= 2.0 * sizes[0];
        whole && far && sizes.windows(2).all(|two| two[0] < two[1])
    };
    kinds.first() == Some(&Kind::Key)
        && !is_case(first)
        && !is_unnamed(first)
        && (of_one_name || sizes.is_some_and(rises))
}

/// Takes the unit off the labels of rows below sizes, where all end with the same one and say nothing else of a metric: `int3 µs`,
/// `fp16 µs` beside 1, 2, 4 and 8.
pub(super) fn hoist_unit_of_labels(table: &mut Table) -> Option<String> {
    let kinds = kinds_of(table);
    if table.rows.len() < 2 || !sizes_over_names(table, &kinds) {
        return None;
    }
    let split = |row: Line| -> Option<(String, String)> {
        let cell = row.cells.get(0).trim().to_owned();
        let unit = header_unit(&cell)?;
        let bare = without_unit(&cell);
        let bare = bare.strip_suffix(&*unit).unwrap_or(bare);
        let label = bare.trim_end_matches([' ', '_', '-']).to_owned();
        (!label.is_empty() && says_nothing(&label)).then_some((label, unit))
    };
    let labels: Vec<(String, String)> = table.rows.iter().map(split).collect::<Option<_>>()?;
    let unit = labels[0].1.clone();
    let names: BTreeSet<&String> = labels.iter().map(|(label, _)| label).collect();
    if names.len() < labels.len() || labels.iter().any(|(_, other)| *other != unit) {
        return None;
    }
    let mut rows = table.take_rows();
    for (row, (label, _)) in rows.iter_mut().zip(labels) {
        row.cells[0] = label;
    }
    table.put_rows(rows);
    Some(unit)
}

/// Whether a label is a single word: `main`, and not `main_memory`.
pub(super) fn is_one_word(whole: &str) -> bool {
    // `baseline (no cache)`
    let words =
        |rest: &str| rest.ends_with(')') && rest.contains(' ') && !rest.contains([',', '/']);
    let label = whole.split_once(" (").filter(|(_, rest)| words(rest));
    let label = label.map_or(whole, |(label, _)| label);
    label.trim().chars().all(char::is_alphanumeric) && label.chars().count() <= 12
}
