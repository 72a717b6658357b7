//! Columns that hold the values of one metric: sides, repeats, loads.

use std::collections::BTreeSet;

use crate::kit::arithmetic::FAR;
use crate::kit::fields::{self};
use crate::kit::figure::is_unit;
use crate::kit::short;
use crate::table::column_names::{SYSTEMS, VARIANT, is_unnamed};
use crate::table::layout::averages;
use crate::table::layout::columns::is_statistic;
use crate::table::layout::columns::{
    Kind, STATISTICS, Values, are_versions, has_variants, header_unit, is_called, is_metric,
    load_of, says_nothing, split_unit, without_unit,
};
use crate::table::layout::kinds::mean_of_repeats;
use crate::table::layout::metric_names::{
    are_alike, differ_in_parts_of_work, is_one_word, sizes_over_names,
};
use crate::table::layout::turn::metric_in;
use crate::table::records::Table;
use crate::table::role_words::{is_build, is_case, is_size, is_sized_model};
use beyondnoise_model::error::Error;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, label_hint};
use beyondnoise_model::units::Scale;

/// Whether columns may hold one quantity: settings beside one another differ by more orders of magnitude than builds do.
fn are_of_one_size(table: &Table, columns: &[usize]) -> bool {
    let median = |&at: &usize| {
        let number = |cell: &str| Some(fields::number(&split_unit(cell).0)?.value.abs());
        let mut values: Vec<f64> =
            table.filled(at).filter_map(number).filter(|v| *v > 0.0).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    let medians: Vec<f64> = columns.iter().filter_map(median).collect();
    let ends = |fold: fn(f64, f64) -> f64| medians.iter().copied().reduce(fold);
    ends(f64::max).zip(ends(f64::min)).is_none_or(|(most, least)| most / least < MOST_TIMES)
}

/// The columns without those of another quantity than the sides among them: `compile time` in s beside two rates, a size in MB
/// beside two times.
fn of_one_kind(table: &Table, kinds: &[Kind], columns: Vec<usize>) -> Vec<usize> {
    let unit = |at: usize| {
        let own = table.filled(at).find_map(|cell| Scale::parse(&split_unit(cell).1));
        own.or_else(|| Scale::parse(&header_unit(&table.headers[at])?))
    };
    let alike =
        |a: usize, b: usize| unit(a).zip(unit(b)).is_none_or(|(one, other)| one.is_alike(other));
    let sides: Vec<usize> = columns.iter().copied().filter(|&at| kinds[at] == Kind::Side).collect();
    let other = |at: usize| {
        kinds[at] == Kind::Other && sides.len() > 1 && sides.iter().all(|&side| !alike(at, side))
    };
    columns.into_iter().filter(|&at| !other(at)).collect()
}

/// Whether columns may hold one quantity by the units in their cells; false where one has a unit in every cell, and another in
/// none. Sides hold one quantity in any case.
fn share_units(table: &Table, kinds: &[Kind], columns: &[usize]) -> bool {
    if columns.iter().all(|&at| kinds[at] == Kind::Side) {
        return true;
    }
    let with = |at: usize| {
        let unit = |cell: &str| !split_unit(cell).1.is_empty();
        (table.filled(at).all(unit), table.filled(at).any(unit))
    };
    let all: Vec<(bool, bool)> = columns.iter().map(|&at| with(at)).collect();
    !(all.iter().any(|(every, _)| *every) && all.iter().any(|(_, any)| !any))
}

/// Most times that the values of one build are those of another.
const MOST_TIMES: f64 = 1e5;

/// Whether all cells right of the names of the work, `model`, have one unit: these are values of one quantity.
fn one_unit_over_work(table: &Table) -> bool {
    let mut cells = (1..table.headers.len()).flat_map(|at| table.filled(at));
    let unit = cells.next().and_then(|cell| Scale::parse(&split_unit(cell).1));
    let work = &table.headers[0];
    let of_work = is_case(work) || meaning(work).says == Says::Setting;
    let alike = |own: Scale| unit.is_some_and(|unit| unit.is_alike(own));
    of_work && cells.all(|cell| Scale::parse(&split_unit(cell).1).is_some_and(alike))
}

/// Whether the name of a side is one word, or two that name no metric: `수정 전`.
fn is_short(label: &str) -> bool {
    let words = label.split_whitespace().count() == 2;
    let letters = label.chars().all(|c| c.is_alphabetic() || c == ' ');
    is_one_word(label) || words && letters && says_nothing(label)
}

/// The columns of values, where they are not metrics; `None` for a table in which they are.
pub(super) fn value_columns(
    table: &Table,
    kinds: &[Kind],
    (names, heading, stated): (Option<usize>, Option<&str>, bool),
    again: bool,
) -> Result<Option<Vec<Values>>, Error> {
    let count = |kind: fn(&Kind) -> bool| kinds.iter().filter(|known| kind(known)).count();
    let metrics = count(|kind| matches!(kind, Kind::Metric));
    // Rows that name their sides are what is compared.
    let sided = |cell: &str| label_hint(cell) == LabelHint::Baseline && is_one_word(cell.trim());
    let rows_are_sides = kinds.first() == Some(&Kind::Key)
        && names.is_none()
        && !kinds.iter().any(|kind| matches!(kind, Kind::Side | Kind::Repeat))
        && table.rows.len() > 1
        && table.filled(0).any(sided)
        && !table.filled(0).any(is_size);
    if rows_are_sides {
        return Ok(None);
    }
    let under_sizes = names.is_none() && sizes_over_names(table, kinds);
    let keyed = under_sizes || has_variants(table);
    let shown = kinds.iter().filter(|kind| **kind == Kind::Side).count() == 2
        && kinds.contains(&Kind::Compares);
    let alone = |at: usize| {
        kinds[at] == Kind::Side
            && (shown || again || is_short(without_unit(&table.headers[at])))
            && !keyed
    };
    let sides = (0..kinds.len()).filter(|&at| alone(at)).count();
    let repeats = count(|kind| matches!(kind, Kind::Repeat));
    let versions = || {
        let open: Vec<&str> = (1..kinds.len())
            .filter(|&at| kinds[at].is_open())
            .map(|at| &*table.headers[at])
            .collect();
        kinds.first().is_some_and(|kind| *kind == Kind::Key || is_unnamed(&table.headers[0]))
            && are_versions(&open)
    };
    // A heading that names the metric, or a sentence with its unit, says that the columns are builds.
    let titled = || {
        // `engine` over fractions is one of the builds.
        let silent = |at: usize| {
            let header = &table.headers[at];
            let set = || matches!(meaning(header).says, Says::Setting | Says::Identity);
            let open = kinds[at] == Kind::Other && (says_nothing(header) || set());
            kinds[at] == Kind::Side || open
        };
        let keys = kinds.iter().take_while(|kind| **kind == Kind::Key).count();
        let mut others = (keys..kinds.len()).filter(|&at| kinds[at] != Kind::Compares).peekable();
        let parts = || differ_in_parts_of_work(others.clone().map(|at| &*table.headers[at]));
        (stated || heading.and_then(metric_in).is_some() || keys == 1 && one_unit_over_work(table))
            && keys > 0
            && !parts()
            && others.peek().is_some()
            && others.all(silent)
    };
    // Beside the names of builds the columns are what these were tried with.
    let first = table.headers.first().map_or("", String::as_str);
    let of_builds = is_called(first, SYSTEMS) || is_called(first, VARIANT) || is_build(first);
    let models = || {
        let open = (1..kinds.len()).filter(|&at| kinds[at] != Kind::Compares);
        is_unnamed(first)
            && open.clone().count() > 1
            && open.clone().all(|at| is_sized_model(&table.headers[at]))
    };
    let open = names.is_none() && !under_sizes && sides == 0;
    let over_work = open && (of_builds || models()) && titled();
    let alike = under_sizes
        || over_work
        || names.is_none() && !keyed && (are_alike(table, kinds) || versions() || titled());
    let bare = (0..kinds.len())
        .filter(|&at| kinds[at].is_open() && fields::number(&table.headers[at]).is_some());
    let open = names.is_some()
        || sides > 0 && count(|kind| kind.is_open()) > 1
        || repeats > 1
        || alike
        || keyed && bare.count() > 1;
    if metrics > 0 || !open {
        return Ok(None);
    }
    // Without names of metrics the first column numbers the rows, and a setting is one.
    let is_id = |at: usize| {
        names.is_none() && at == 0 && !matches!(kinds[at], Kind::Side | Kind::Repeat)
            || names.is_none() && sides == 0 && !alike && !matches!(kinds[at], Kind::Repeat)
    };
    let sizes = sizes_beside(table, kinds, names, sides);
    let is_size = |at: usize| sizes.contains(&at);
    let columns: Vec<usize> =
        (0..kinds.len()).filter(|&at| kinds[at].is_open() && !is_id(at) && !is_size(at)).collect();
    let columns = if names.is_none() { of_one_kind(table, kinds, columns) } else { columns };
    if columns.is_empty() {
        let values = statistics_of_one_run(table, kinds);
        return Ok(names.filter(|_| !values.is_empty()).map(|_| values));
    }
    let numbers = || columns.iter().all(|&at| fields::number(&table.headers[at]).is_some());
    let sized = over_work || keyed && numbers();
    if !are_of_one_size(table, &columns) || names.is_none() && !share_units(table, kinds, &columns)
    {
        return Ok(None);
    }
    if !sized {
        unclear(table, kinds, &columns)?;
    }
    let mut values = values_of(table, kinds, &columns, sized);
    name_by_shared_words(&mut values, names);
    name_by_their_mean(table, kinds, &mut values, names);
    Ok(Some(values))
}

/// The columns of numbers beside those of values that describe the rows; `names`: the column with the names of metrics, `sides`: how many
/// columns are sides.
fn sizes_beside(
    table: &Table,
    kinds: &[Kind],
    names: Option<usize>,
    sides: usize,
) -> BTreeSet<usize> {
    // Sizes stand beside sides that are measured: whole numbers, where no cell of a side is one.
    let all = |at: usize, whole: bool| {
        let number = |cell: &str| fields::number(&split_unit(cell).0);
        let mut cells = table.filled(at).map(number);
        cells.all(|cell| cell.is_some_and(|cell| (cell.resolution >= 0.5) == whole))
    };
    let measured = sides > 0
        && (0..kinds.len()).filter(|&at| kinds[at] == Kind::Side).all(|at| all(at, false));
    // Left of both sides, or of the names of the metrics, a number describes the row.
    let first_side = (0..kinds.len()).find(|&at| kinds[at] == Kind::Side);
    let left = |at: usize| {
        names.map_or_else(
            || first_side.is_some_and(|first| at < first && sides > 1),
            |names| at < names,
        )
    };
    // Fractions under a name that shares a word with that of a side are a third one: `vLLM (v0.7)` left of `vLLM (v0.9)`.
    let words = |at: usize| -> BTreeSet<String> {
        let lower = table.headers[at].to_lowercase();
        let letters = |word: &&str| word.starts_with(char::is_alphabetic);
        lower.split([' ', '(', ')']).filter(letters).map(str::to_owned).collect()
    };
    let is_third = |at: usize| {
        let mut sides = (0..kinds.len()).filter(|&side| kinds[side] == Kind::Side);
        at > 0 && all(at, false) && sides.any(|side| !words(side).is_disjoint(&words(at)))
    };
    // Whole numbers that come back and are far from one another, left of all other numbers, which do not: `Prompt tok`.
    let recurs = |at: usize| {
        let values: BTreeSet<&str> = table.filled(at).collect();
        let numbers = values.iter().filter_map(|cell| fields::number(&split_unit(cell).0));
        let mut numbers: Vec<f64> = numbers.map(|number| number.value).collect();
        numbers.sort_by(f64::total_cmp);
        let far = numbers.windows(2).all(|two| two[1] >= FAR * two[0]);
        2 * values.len() <= table.rows.len() && values.len() > 1 && far && all(at, true)
    };
    let open: Vec<usize> = (0..kinds.len()).filter(|&at| kinds[at].is_open()).collect();
    let leads = |at: usize| {
        open.len() > 2 && open[0] == at && recurs(at) && !open[1..].iter().any(|&at| recurs(at))
    };
    let is_size = |at: &usize| {
        let describes = measured && all(*at, true) || left(*at) && !is_third(*at);
        kinds[*at] == Kind::Other && (describes || leads(*at))
    };
    (0..kinds.len()).filter(is_size).collect()
}

/// The content of each of these columns; `sized`: sizes or other work are over them, beside the names of the variants.
fn values_of(table: &Table, kinds: &[Kind], columns: &[usize], sized: bool) -> Vec<Values> {
    let labels: BTreeSet<&str> = columns.iter().map(|&at| &*table.headers[at]).collect();
    let numbered = crate::text::headings::numbered_labels(&labels);
    // A header comes again for the next repeat, and under another unit for another metric.
    let unit = |at: usize| table.filled(at).find_map(|cell| Scale::parse(&split_unit(cell).1));
    let again = |at: usize, other: usize| {
        let alike = || unit(at).zip(unit(other)).is_none_or(|(one, other)| one.is_alike(other));
        table.headers[at] == table.headers[other] && alike()
    };
    let value = |&at: &usize| {
        let header = &*table.headers[at];
        let same: Vec<usize> = columns.iter().copied().filter(|&other| again(at, other)).collect();
        let nth = 1 + same.iter().filter(|other| **other < at).count();
        let twice = same.len() > 1;
        let own = |variant: &str, run: String| Values {
            at,
            variant: variant.to_owned(),
            run,
            load: None,
            statistic: None,
            metric: None,
        };
        match (&kinds[at], numbered.get(header)) {
            // Beside the names of the variants numbers over the columns are sizes.
            _ if sized => {
                let number = fields::number(header).is_some();
                let name = if number { "column" } else { "case" };
                let load = Some((name.to_owned(), header.to_owned()));
                Values { load, ..own("", String::new()) }
            }
            (Kind::Repeat, _) => own("", header.to_owned()),
            (Kind::Load, _) => {
                let load = load_of(header);
                let (load, statistic) = load.map_or((None, None), |(name, value, statistic)| {
                    (Some((name, value)), statistic)
                });
                Values { load, statistic, ..own("", String::new()) }
            }
            (_, Some((stem, number))) => own(stem, number.to_string()),
            _ => own(without_unit(header), if twice { nth.to_string() } else { String::new() }),
        }
    };
    columns.iter().map(value).collect()
}

/// Takes the words that all labels end with, the name of a statistic among them, as the metric of all: `custom P50 total`,
/// `cuBLAS P50 total`.
fn name_by_shared_words(values: &mut [Values], names: Option<usize>) {
    let words: Vec<Vec<&str>> =
        values.iter().map(|value| value.variant.split_whitespace().collect()).collect();
    let Some(first) = words.first().filter(|_| names.is_none() && words.len() > 1) else { return };
    let same = |back: usize| {
        let word = |words: &Vec<&str>| words.iter().rev().nth(back).copied().map(str::to_lowercase);
        words.iter().all(|own| own.len() > back + 1 && word(own) == word(first))
    };
    let shared = (0..first.len()).take_while(|back| same(*back)).count();
    let metric: Vec<&str> = first[first.len() - shared..].to_vec();
    let known = metric.iter().any(|word| is_statistic(&word.to_lowercase()) || is_metric(word));
    let metric = metric.join(" ");
    if !known && meaning(&metric).says != Says::Measured {
        return;
    }
    let labels: Vec<String> =
        words.iter().map(|words| words[..words.len() - shared].join(" ")).collect();
    for (value, label) in values.iter_mut().zip(labels) {
        value.variant = label;
        value.metric = Some(metric.clone());
    }
}

/// Takes the metric of repeats from the header over their means: `Mean wall time`.
fn name_by_their_mean(table: &Table, kinds: &[Kind], values: &mut [Values], names: Option<usize>) {
    let repeats = values.iter().all(|value| kinds[value.at] == Kind::Repeat);
    let Some(at) = mean_of_repeats(table, kinds).filter(|_| names.is_none() && repeats) else {
        return;
    };
    let header = table.headers[at].trim();
    let means = |word: &str| {
        let lower = word.trim_end_matches('.').to_lowercase();
        STATISTICS.contains(&&*lower)
    };
    let (first, rest) = header.split_once([' ', '_']).unwrap_or((header, ""));
    let (name, _) = averages::without_count(if means(first) { rest } else { header });
    let quantity = || meaning(&name).says == Says::Measured || is_metric(&name);
    if is_unit(&name) || header_unit(&name).is_some() || quantity() {
        for value in values {
            value.metric = Some(name.clone());
        }
    }
}

/// The columns of a table with nothing but statistics of one run.
fn statistics_of_one_run(table: &Table, kinds: &[Kind]) -> Vec<Values> {
    let columns = (0..kinds.len()).filter(|&at| matches!(kinds[at], Kind::Statistic));
    // `50%` before a name would be its unit.
    let named = |header: &str| match header.trim().strip_suffix('%') {
        Some(level) => format!("p{level}"),
        None => header.to_owned(),
    };
    let value = |at: usize| Values {
        at,
        variant: String::new(),
        run: String::new(),
        load: None,
        statistic: Some(named(&table.headers[at])),
        metric: None,
    };
    columns.map(value).collect()
}

/// Refuses tables in which some columns are loads or numbers, and others labels.
fn unclear(table: &Table, kinds: &[Kind], columns: &[usize]) -> Result<(), Error> {
    let names: Vec<String> = columns.iter().map(|&at| short(&table.headers[at])).collect();
    let loads = columns.iter().filter(|&&at| matches!(kinds[at], Kind::Load)).count();
    let bare = columns.iter().any(|&at| fields::number(&table.headers[at]).is_some());
    if !bare && (loads == 0 || loads == columns.len()) {
        return Ok(());
    }
    let problem = format!(
        "expected the names of variants over the columns, found {}: loads, or variants",
        names.join(", ")
    );
    let remedy = "write a row per value with the columns variant, metric and value, and one for the load, such as \
                  concurrency";
    Err(table.header(problem, remedy))
}
