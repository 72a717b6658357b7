//! Columns that each hold one metric of one variant: `before TTFT (ms)`, `after TTFT (ms)`, `ttft_ms_new`.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::cell_value::is_nothing;
use crate::kit::figure::{figure, is_unit};
use crate::kit::parts_of_work::{is_part_of_work, is_phase};
use crate::table::column_names::has_dimensions;
use crate::table::layout::change_rows::is_measured;
use crate::table::layout::changes::forms::{compared, compared_if, numbers_of};
use crate::table::layout::columns::{
    Kind, MAX_HEADER, Values, are_versions, has_variants, header_unit, is_called, is_metric,
    is_statistic, load_of, says_nothing, without_unit,
};
use crate::table::layout::unmeasured::GOALS;
use crate::table::records::{Line, Table};
use crate::table::role_words::RUN;
use crate::text::headings::{counts_runs, numbered_labels};
use crate::text::labelled::names::is_coined;
use crate::text::printed_lines::of_unit;
use beyondnoise_model::metrics::Statistic;
use beyondnoise_model::metrics::words::{Quantity, Says, meaning};
use beyondnoise_model::runs::{LabelHint, label_hint, negates};
use beyondnoise_model::units::Scale;

/// Ways in which a header names a variant and a metric.
type Splits = Vec<(String, String)>;

/// The columns of values, if two or more are named after a variant and a metric, and every metric comes with the same
/// variants. Numbers in other columns describe the rows.
pub(crate) fn values(table: &Table, kinds: &[Kind]) -> Option<Vec<Values>> {
    let open = |at: &usize| matches!(kinds[*at], Kind::Side | Kind::Metric | Kind::Other);
    let columns: Vec<usize> = (0..kinds.len()).filter(open).collect();
    // A table that names its variants in a column has none in its headers, unless it compares these.
    if has_variants(table) {
        let compared = kinds.contains(&Kind::Compares);
        return by_words(table, &columns, (splits_of, false))
            .filter(|values| compared || are_both_sides(values) && !rows_are_sides(table))
            .or_else(|| of_one_unit(table, kinds, &columns, true));
    }
    // Every metric under every name, once for each size and run.
    let run = table.headers.iter().position(|header| is_called(header, RUN));
    let cells = |row: Line| [Some(0), run].map(|at| at.map(|at| row.cells.get(at).to_owned()));
    let sizes: BTreeSet<_> = table.rows.iter().map(cells).collect();
    let sized = sizes.len() == table.rows.len() && run != Some(0);
    by_words(table, &columns, (splits_of, false))
        .or_else(|| on_either_side(table, kinds))
        .or_else(|| of_grid(table, kinds).filter(|_| sized))
        .or_else(|| by_words(table, &columns, (ends_of, sized)))
        .or_else(|| with_statistics(table, &columns).filter(|_| sized))
        .or_else(|| of_one_unit(table, kinds, &columns, false))
        .or_else(|| under_first_unit(table, kinds))
        .or_else(|| under_one_unit(table, &columns))
}

/// The columns of a table of one row whose values have one unit, under names that say nothing of a metric: those of builds.
pub(crate) fn in_one_row(table: &Table) -> Option<Vec<Values>> {
    let width = table.headers.len();
    let unit = |at: usize| {
        let found = table.filled(at).next().and_then(|cell| figure(cell, table.comma))?;
        (found.beside.is_empty() && !matches!(&*found.unit, "" | "%")).then_some(found.unit)
    };
    let units: Option<BTreeSet<String>> = (0..width).map(unit).collect();
    let silent = |at: usize| {
        let header = &table.headers[at];
        header.contains(char::is_alphabetic)
            && says_nothing(header)
            && !is_metric(header)
            && header_unit(header).is_none()
    };
    let one = units.is_some_and(|units| units.len() == 1);
    (table.rows.len() == 1 && width > 1 && one && (0..width).all(silent))
        .then(|| (0..width).map(|at| of_build(table, at)).collect())
}

/// Whether values have nothing but one remark beside the names of their variants: `before (total)` and `after (total)`.
pub(crate) fn are_remarks(values: &[Values]) -> bool {
    let remark =
        |name: &str| name.starts_with('(') && header_unit(name).is_none() && !is_metric(name);
    values.iter().all(|value| value.metric.as_deref().is_some_and(remark))
}

/// Makes a setting of the rows of what was set alike for all variants.
pub(crate) fn take_what_is_set(table: &mut Table, kinds: &mut Vec<Kind>, values: &mut Vec<Values>) {
    let Some(columns) = set_alike(table, values) else { return };
    let [first, rest @ ..] = &columns[..] else { return };
    "load".clone_into(&mut table.headers[*first]);
    kinds[*first] = Kind::Key;
    let kept = |at: usize| !rest.contains(&at);
    values.retain(|value| value.at != *first && kept(value.at));
    for value in values {
        value.at -= rest.iter().filter(|other| **other < value.at).count();
    }
    let own = std::mem::take(kinds).into_iter().enumerate().filter(|(at, _)| kept(*at));
    *kinds = own.map(|(_, kind)| kind).collect();
    table.drop_columns(rest);
}

/// The columns of a quantity that is the same for all variants in every row, and differs between the rows, beside another quantity: what
/// was set, `throughput` of 10 and 25 exec/s for both versions.
fn set_alike(table: &Table, values: &[Values]) -> Option<Vec<usize>> {
    let metrics: BTreeSet<Option<&str>> =
        values.iter().map(|value| value.metric.as_deref()).collect();
    let columns = |metric: Option<&str>| -> Vec<usize> {
        let own = values.iter().filter(|value| value.metric.as_deref() == metric);
        own.map(|value| value.at).collect()
    };
    let set = |columns: &Vec<usize>| {
        let Some(&first) = columns.first() else { return false };
        let same = |row: Line| {
            let cell = row.cells.get(first);
            !is_nothing(cell) && columns.iter().all(|&at| row.cells.get(at) == cell)
        };
        let distinct: BTreeSet<&str> = table.rows.iter().map(|row| row.cells.get(first)).collect();
        columns.len() > 1 && table.rows.iter().all(same) && distinct.len() == table.rows.len()
    };
    let several = table.rows.len() > 2 && metrics.len() > 1;
    metrics.into_iter().map(columns).find(set).filter(|_| several)
}

/// Whether the names of the rows are those of both sides.
fn rows_are_sides(table: &Table) -> bool {
    let hints: BTreeSet<bool> = table
        .filled(0)
        .map(label_hint)
        .filter(|hint| *hint != LabelHint::Neither)
        .map(|hint| hint == LabelHint::Baseline)
        .collect();
    hints.len() == 2
}

/// Whether columns hold two metrics or more, each before and after a change.
fn are_both_sides(values: &[Values]) -> bool {
    let mut hints: BTreeMap<Option<&str>, BTreeSet<bool>> = BTreeMap::new();
    for value in values {
        let hint = label_hint(&value.variant);
        if hint != LabelHint::Neither {
            let both = hints.entry(value.metric.as_deref()).or_default();
            both.insert(hint == LabelHint::Baseline);
        }
    }
    hints.len() > 1 && hints.values().all(|both| both.len() == 2)
}

/// Three or more columns of one unit whose names are those of builds: two name sides of one thing, and none names a metric.
/// `new gemm (ms)`, `old gemm (ms)`, `gemv (ms)`, `fp16 baseline`.
fn under_one_unit(table: &Table, columns: &[usize]) -> Option<Vec<Values>> {
    let label = |at: usize| without_unit(&table.headers[at]).trim();
    let units: Vec<String> =
        columns.iter().filter_map(|&at| header_unit(&table.headers[at])).collect();
    let unit = units.first().filter(|first| units.iter().all(|unit| unit == *first))?;
    let silent = |&at: &usize| {
        (says_nothing(label(at)) || is_side(label(at))) && !label(at).split(' ').any(is_phase)
    };
    let labels: BTreeSet<&str> = columns.iter().map(|&at| label(at)).collect();
    // `new gemm` and `old gemm`: sides of one thing, and no phases beside one side.
    let rest = |at: usize| {
        let words = label(at).split(' ').filter(|word| !is_side(word));
        Some(words.collect::<Vec<_>>()).filter(|rest| !rest.is_empty() && is_side(label(at)))
    };
    let things: Vec<Vec<&str>> = columns.iter().filter_map(|&at| rest(at)).collect();
    let sides = things.iter().any(|one| things.iter().filter(|other| *other == one).count() > 1);
    let found = columns.iter().map(|&at| value_of(at, label(at), &format!("({unit})")));
    (columns.len() > 2
        && units.len() > 1
        && labels.len() == columns.len()
        && columns[0] > 0
        && sides
        && columns.iter().all(silent))
    .then(|| found.collect())
}

/// Columns under names as builds have them, where only the first one states a unit: `T-MAC (tok/s)`, `llama.cpp`,
/// `llama.cpp (BLAS)`.
fn under_first_unit(table: &Table, kinds: &[Kind]) -> Option<Vec<Values>> {
    let first = kinds.iter().position(|kind| *kind == Kind::Metric)?;
    let unit = header_unit(&table.headers[first])?;
    let label = |at: usize| without_unit(&table.headers[at]).trim();
    // Names as of builds, or a column that compares them.
    let numbers: Vec<Vec<_>> = (0..kinds.len()).map(|at| numbers_of(table, at)).collect();
    let open: Vec<usize> =
        (first..kinds.len()).filter(|&at| at == first || kinds[at] == Kind::Other).collect();
    let compared = (0..kinds.len()).any(|at| {
        kinds[at] == Kind::Compares && compared_if(at, (&open, &numbers), |_, _| true).is_some()
    });
    let silent = |at: usize| {
        says_nothing(label(at)) && (is_coined(label(at)) || negates(label(at)) || compared)
    };
    // A column in which no cell is one value.
    let words = |at: usize| !table.filled(at).any(|cell| figure(cell, table.comma).is_some());
    // Another quantity of one of them is not compared: `CUDA GB/s` beside `CUDA`.
    let of_one = |at: usize| {
        let named = |other: usize| {
            let rest = table.headers[at].strip_prefix(label(other));
            rest.is_some_and(|rest| rest.starts_with(' ') && header_unit(rest).is_some())
        };
        (first + 1..kinds.len()).any(|other| other != at && named(other))
    };
    let rest: Vec<usize> = (first + 1..kinds.len())
        .filter(|&at| kinds[at] != Kind::Compares && !of_one(at) && !words(at))
        .collect();
    let bare = |&at: &usize| {
        kinds[at] == Kind::Other && header_unit(&table.headers[at]).is_none() && silent(at)
    };
    if first == 0 || rest.is_empty() || !silent(first) || !rest.iter().all(bare) {
        return None;
    }
    let columns = std::iter::once(first).chain(rest);
    let found: Vec<Values> =
        columns.map(|at| value_of(at, label(at), &format!("({unit})"))).collect();
    let near = |row: Line| are_near(table, row, &found);
    (table.rows.len() > 1 && table.rows.iter().all(near)).then_some(found)
}

/// Whether the values of a row are of one size.
fn are_near(table: &Table, row: Line, found: &[Values]) -> bool {
    let value = |value: &Values| Some(figure(row.cells.get(value.at), table.comma)?.value()?.value);
    let values: Vec<f64> = found.iter().filter_map(value).filter(|v| *v > 0.0).collect();
    let ends = |fold: fn(f64, f64) -> f64| values.iter().copied().reduce(fold);
    ends(f64::max).zip(ends(f64::min)).is_some_and(|(most, least)| most < 5.0 * least)
}

/// Takes the mark of a factor off measured values: `85.7x` under `RTFx (main)` beside `RTFx (PR)`, or in a row `RTFx` under both
/// sides.
pub(crate) fn bare_factors(table: &mut Table) -> bool {
    let split = |at: usize| -> Vec<(LabelHint, String)> {
        let sides = splits_of(&table.headers[at]).into_iter();
        let sides = sides.map(|(word, metric)| (label_hint(&word), metric));
        sides.filter(|(side, _)| *side != LabelHint::Neither).collect()
    };
    let all: Vec<Vec<(LabelHint, String)>> = (0..table.headers.len()).map(split).collect();
    let bare = |cell: &str| -> Option<String> {
        let number = cell.trim_matches(['*', ' ']).strip_suffix(['x', 'X', '×'])?;
        figure(number, false).filter(|found| found.unit.is_empty() && found.beside.is_empty())?;
        Some(number.to_owned())
    };
    let paired = |at: usize| {
        let other = |(side, metric): &(LabelHint, String)| {
            let facing = |(word, name): &(LabelHint, String)| word != side && name == metric;
            all.iter().flatten().any(facing)
        };
        all[at].iter().any(other)
    };
    let factors = |&at: &usize| {
        paired(at)
            && table.filled(at).next().is_some()
            && table.filled(at).all(|cell| is_nothing(cell) || bare(cell).is_some())
    };
    let columns: Vec<usize> = (1..table.headers.len()).filter(factors).collect();
    let sides: Vec<usize> =
        (1..table.headers.len()).filter(|&at| is_side(&table.headers[at])).collect();
    // Factors under sides that all name the change compare these with another table.
    let both = sides.iter().any(|&at| label_hint(&table.headers[at]) == LabelHint::Baseline);
    let mut rows = table.take_rows();
    let mut changed = false;
    for row in &mut rows {
        let measured = both
            && sides.len() > 1
            && row.cells.first().is_some_and(|label| is_measured(label))
            && sides.iter().all(|&at| bare(&row.cells[at]).is_some());
        for &at in columns.iter().chain(sides.iter().filter(|_| measured)) {
            if let Some(number) = bare(&row.cells[at]) {
                row.cells[at] = number;
                changed = true;
            }
        }
    }
    table.put_rows(rows);
    changed
}

/// Columns under labels alone, and under each label with a statistic: `GEBP`, `scalar dot`, `GEBP p90`, `dot p90`.
fn with_statistics(table: &Table, columns: &[usize]) -> Option<Vec<Values>> {
    let statistic = |at: usize| {
        let (name, word) = table.headers[at].trim().rsplit_once(' ')?;
        is_statistic(&word.to_lowercase()).then(|| (name.trim().to_lowercase(), word.to_owned()))
    };
    let bare = |at: &&usize| {
        let header = &table.headers[**at];
        statistic(**at).is_none() && says_nothing(header) && !header.split(' ').any(is_phase)
    };
    let labels: Vec<usize> = columns.iter().filter(bare).copied().collect();
    let label = |at: usize| table.headers[at].trim().to_lowercase();
    let of = |name: &str| {
        let part = |whole: &str| whole.split(' ').any(|word| word == name);
        let mut found = labels.iter().filter(|at| label(**at) == name);
        let mut parts = labels.iter().filter(|at| part(&label(**at)));
        found.next().or_else(|| parts.next().filter(|_| parts.next().is_none())).copied()
    };
    let mut found: Vec<Values> = labels
        .iter()
        .map(|&at| Values { metric: None, ..value_of(at, table.headers[at].trim(), "") })
        .collect();
    let mut taken = BTreeSet::new();
    for &at in columns.iter().filter(|at| !labels.contains(at)) {
        let (name, word) = statistic(at)?;
        let own = of(&name)?;
        found.push(value_of(at, table.headers[own].trim(), &word));
        taken.insert((word.to_lowercase(), own));
    }
    let words: BTreeSet<&String> = taken.iter().map(|(word, _)| word).collect();
    let whole = taken.len() == words.len() * labels.len() && found.len() == columns.len();
    (labels.len() > 1 && !words.is_empty() && whole && taken.len() + labels.len() == found.len())
        .then_some(found)
}

/// Columns whose names are all pairs of a few labels and a few metrics: `v1 TFLOPS`, `v1 %SOL`, `v2 TFLOPS`, `v2 %SOL`. At least
/// one of the metrics is known.
fn of_grid(table: &Table, kinds: &[Kind]) -> Option<Vec<Values>> {
    let known = |name: &str| is_unit(name.trim_matches(['(', ')'])) || is_metric(name);
    // A share of a limit looks like a change.
    let open = |&at: &usize| {
        matches!(kinds[at], Kind::Side | Kind::Metric | Kind::Other | Kind::Compares)
            && table.headers[at].trim().contains(' ')
    };
    let all: Vec<usize> = (1..kinds.len()).filter(open).collect();
    let values: Vec<usize> =
        all.iter().copied().filter(|&at| kinds[at] != Kind::Compares).collect();
    // `mem(gb)` is `mem (gb)`.
    let spaced = |at: usize| {
        table.headers[at].trim().replace('(', " (").replace("  (", " (").trim().to_owned()
    };
    // The words of the first header until a blank, and all that stands behind them elsewhere.
    let cut = |columns: &[usize], end: usize| -> Vec<(usize, String, String)> {
        let Some(&first) = columns.first() else { return Vec::new() };
        let header = spaced(first);
        let start = &header[..end];
        let behind = |at: &usize| {
            let header = spaced(*at);
            header.strip_prefix(start).filter(|rest| rest.starts_with(' ')).map(str::to_owned)
        };
        let rests: BTreeSet<String> = columns.iter().filter_map(behind).collect();
        let parts = |&at: &usize| {
            let header = spaced(at);
            let rest = rests.iter().filter(|rest| header.ends_with(&***rest));
            let rest = rest.max_by_key(|rest| rest.len())?;
            let left = header.strip_suffix(&**rest)?.trim();
            (!left.is_empty()).then(|| (at, left.to_owned(), rest.trim().to_owned()))
        };
        columns.iter().filter_map(parts).collect()
    };
    let grid = |columns: &[usize], end: usize, swapped: bool| {
        let turn = |(at, left, right)| if swapped { (at, right, left) } else { (at, left, right) };
        let cells: Vec<(usize, String, String)> = cut(columns, end).into_iter().map(turn).collect();
        let labels: BTreeSet<&str> = cells.iter().map(|(_, label, _)| &**label).collect();
        let metrics: BTreeSet<&str> = cells.iter().map(|(.., metric)| &**metric).collect();
        let pairs: BTreeSet<(&str, &str)> =
            cells.iter().map(|(_, label, metric)| (&**label, &**metric)).collect();
        // A name as of a build says no more than that a setting may be in it: `CoreML`.
        let coined = |label: &str| is_coined(label) && meaning(label).says == Says::Setting;
        let silent = |label: &&str| {
            says_nothing(label) && !label.split(['-', '_', ' ']).any(is_phase) || coined(label)
        };
        let whole = labels.len() > 1
            && metrics.len() > 1
            && pairs.len() == cells.len()
            && cells.len() == labels.len() * metrics.len()
            && cells.len() == columns.len();
        // A share of one of them says that they are compared: `% of cuBLAS`.
        let against = |label: &&str| {
            let names =
                |at: usize| table.headers[at].to_lowercase().ends_with(&label.to_lowercase());
            silent(label) && (1..kinds.len()).any(|at| kinds[at] == Kind::Compares && names(at))
        };
        // So does a column that compares two of them in one metric.
        let shown = || {
            let numbers: Vec<Vec<_>> = (0..kinds.len()).map(|at| numbers_of(table, at)).collect();
            let of = |name: &str| -> Vec<usize> {
                cells.iter().filter(|(.., metric)| metric == name).map(|(at, ..)| *at).collect()
            };
            metrics.iter().any(|metric| {
                let own = of(metric);
                (1..kinds.len()).any(|at| {
                    kinds[at] == Kind::Compares && compared(table, at, (&own, &numbers)).is_some()
                })
            })
        };
        let builds = || labels.iter().all(silent) || labels.iter().any(against) || whole && shown();
        // `1.4 cold`, `1.4 warm` beside `dev cold`, `dev warm`
        let parts = || metrics.iter().all(|metric| is_part_of_work(metric));
        let says = (metrics.iter().any(|metric| known(metric)) || parts()) && builds();
        (whole && says && numbered_labels(&labels).is_empty())
            .then(|| cells.iter().map(|(at, label, metric)| value_of(*at, label, metric)).collect())
    };
    let of = |columns: &[usize]| {
        let header = spaced(*columns.first()?);
        let ends: Vec<usize> = header.match_indices(' ').map(|(end, _)| end).collect();
        let ways = [false, true]
            .into_iter()
            .flat_map(|swapped| ends.iter().map(move |end| (*end, swapped)));
        ways.into_iter().find_map(|(end, swapped)| grid(columns, end, swapped))
    };
    // `output` alone may be a length that was set, and not below the name of each build: `k8s output`, `llm-d output`.
    let numeric = |at: usize| {
        let mut cells = table.filled(at).map(|cell| figure(cell, table.comma));
        kinds[at] == Kind::Key && cells.all(|cell| cell.is_some())
    };
    let with_keys = || -> Vec<usize> {
        let named = |at: &usize| table.headers[*at].trim().contains(' ');
        (1..kinds.len()).filter(|at| values.contains(at) || named(at) && numeric(*at)).collect()
    };
    of(&all).or_else(|| of(&values)).or_else(|| of(&with_keys()))
}

/// Columns whose names are pairs of a few labels and a few metrics, whichever comes first: `RPS - 7.2`, `RPS - 8.0` beside
/// `7.2 latency (ms)`, `8.0 latency (ms)`. Left of them settings may stand.
fn on_either_side(table: &Table, kinds: &[Kind]) -> Option<Vec<Values>> {
    let known = |name: &str| is_unit(name) || is_metric(name) || header_unit(name).is_some();
    let open = |&at: &usize| matches!(kinds[at], Kind::Side | Kind::Metric | Kind::Other);
    let columns: Vec<usize> = (1..kinds.len()).filter(open).collect();
    let trim = |text: &str| text.trim_matches(|c: char| " -–—:|,".contains(c)).to_owned();
    let mut of: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for &at in &columns {
        let header = table.headers[at].trim();
        for (end, _) in header.match_indices(' ') {
            let (left, right) = (trim(&header[..end]), trim(&header[end..]));
            for (label, metric) in [(&left, &right), (&right, &left)] {
                let version = label.matches('.').count() > 1 && !label.contains(' ');
                let silent = || version || says_nothing(label) && !is_phase(label);
                if known(metric) && !label.is_empty() && silent() {
                    of.entry(label.clone()).or_default().insert(metric.clone(), at);
                }
            }
        }
    }
    let sets = |label: &String| of[label].keys().collect::<BTreeSet<&String>>();
    let labels: Vec<&String> = of.keys().filter(|label| of[*label].len() > 1).collect();
    let first = *labels.first()?;
    let taken: BTreeSet<usize> =
        labels.iter().flat_map(|label| of[*label].values()).copied().collect();
    let whole = labels.len() > 1
        && labels.iter().all(|label| sets(label) == sets(first))
        && taken.len() == labels.len() * of[first].len()
        && columns.iter().all(|at| taken.contains(at) || Some(at) < taken.first());
    let values = |label: &&String| {
        of[*label].iter().map(|(metric, &at)| value_of(at, label, metric)).collect::<Vec<_>>()
    };
    let mut found: Vec<Values> = labels.iter().filter(|_| whole).flat_map(values).collect();
    found.sort_by_key(|value| value.at);
    (!found.is_empty()).then_some(found)
}

/// The columns by the ways to split their headers, if the word beside a metric names a side. With `crossed`, several
/// metrics under the same meaningless words also count.
fn by_words(
    table: &Table,
    columns: &[usize],
    (ways, crossed): (fn(&str) -> Splits, bool),
) -> Option<Vec<Values>> {
    let mut all: Vec<(usize, Splits)> =
        columns.iter().map(|&at| (at, ways(&table.headers[at]))).collect();
    // Beside a side a name of one metric may say the other side: `Original Max`, `Improved Max`.
    let sided: BTreeSet<String> = all
        .iter()
        .flat_map(|(_, split)| split)
        .filter(|(word, _)| is_side(word))
        .map(|(_, metric)| metric.clone())
        .collect();
    let of_sides = |split: &Splits| split.iter().any(|(_, metric)| sided.contains(metric));
    for (at, split) in all.iter_mut().filter(|(_, split)| !of_sides(split)) {
        let other = |metric: &String| {
            let words = table.headers[*at].strip_suffix(&**metric)?.strip_suffix(' ')?.trim();
            let few = (1..=3).contains(&words.split(' ').count()) && !words.is_empty();
            let asked = words.split(' ').any(|word| is_called(word, GOALS));
            (few && !asked).then(|| (words.to_owned(), metric.clone()))
        };
        split.extend(sided.iter().filter_map(other));
    }
    // A name may be written in small letters here and in large ones there.
    let mut spelled: BTreeMap<String, String> = BTreeMap::new();
    for name in all.iter_mut().flat_map(|(_, split)| split).flat_map(|(word, name)| [word, name]) {
        let first = spelled.entry(name.to_lowercase()).or_insert_with(|| name.clone());
        name.clone_from(first);
    }
    // A unit over the first of the columns of a metric is that of all: `MTP before (tok/s)`, `MTP after`.
    let full: BTreeMap<String, String> = all
        .iter()
        .flat_map(|(_, split)| split)
        .filter_map(|(_, metric)| {
            let stem = metric.rsplit_once(" (").filter(|_| header_unit(metric).is_some())?.0;
            Some((stem.to_owned(), metric.clone()))
        })
        .collect();
    for (_, metric) in all.iter_mut().flat_map(|(_, split)| split) {
        if let Some(whole) = full.get(metric) {
            metric.clone_from(whole);
        }
    }
    // A metric that only one column names is that of no side.
    let shared = |metric: &str| {
        all.iter().filter(|(_, split)| split.iter().any(|(_, own)| own == metric)).count() > 1
    };
    let mut splits: Vec<(usize, Splits)> = Vec::new();
    let known =
        |metric: &str| is_metric(metric) || is_unit(metric) || header_unit(metric).is_some();
    for &(at, ref split) in &all {
        let header = &table.headers[at];
        // `Original eager` beside `Original graph` and `Optimized graph` is a build of its own.
        let lonely = split.iter().any(|(word, _)| is_side(word))
            && !split.iter().any(|(_, metric)| shared(metric) || known(metric));
        let unknown = || all.iter().flat_map(|(_, split)| split).all(|(_, metric)| !known(metric));
        if lonely && all.len() < 4 && unknown() {
            return None;
        }
        let split: Splits = split.iter().filter(|(_, metric)| shared(metric)).cloned().collect();
        // A side of a known metric, which another way may give its other sides: `tok/s before`, `tok/s after (packed)`.
        let of_side = || {
            let known = |metric: &String| is_metric(metric) || is_unit(metric);
            let own = all.iter().find(|(other, _)| *other == at).map(|(_, own)| own);
            own.is_some_and(|own| own.iter().any(|(word, metric)| is_side(word) && known(metric)))
        };
        if !split.is_empty() {
            splits.push((at, split));
        } else if is_metric(header)
            || header_unit(header).is_some_and(|unit| !is_size(&unit))
            || of_side()
        {
            return None;
        }
    }
    // Another column of the same unit is a build as well: `ORCA` beside `Old PG Planner` and `New PG Planner`.
    let unit = |at: usize| {
        let cells = table.filled(at).filter_map(|cell| figure(cell, table.comma));
        cells.map(|found| found.unit).find(|unit| !unit.is_empty())
    };
    let first = splits.first().and_then(|(at, _)| unit(*at));
    let split = |at: usize| splits.iter().any(|(other, _)| *other == at);
    let rests: BTreeSet<&String> =
        splits.iter().flat_map(|(_, split)| split).map(|(_, metric)| metric).collect();
    let unnamed = rests.len() == 1 && !rests.iter().any(|metric| known(metric));
    if unnamed && first.is_some() && columns.iter().any(|&at| !split(at) && unit(at) == first) {
        return None;
    }
    // The words beside the same metrics, if one of them names a side.
    let words: BTreeSet<&str> =
        splits.iter().flat_map(|(_, split)| split).map(|(word, _)| &**word).collect();
    let mut chosen: Vec<Values> = Vec::new();
    let mut metrics: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (at, split) in &splits {
        let often = |metric: &str| {
            splits.iter().filter(|(_, other)| other.iter().any(|(_, own)| own == metric)).count()
        };
        let recurs = |word: &str| {
            splits.iter().filter(|(_, other)| other.iter().any(|(own, _)| own == word)).count()
        };
        let (word, metric) = split
            .iter()
            .max_by_key(|(word, metric)| (is_side(word), recurs(word), often(metric)))?;
        metrics.entry(metric.clone()).or_default().insert(word.clone());
        chosen.push(value_of(*at, word, metric));
    }
    let first = metrics.values().max_by_key(|set| set.len())?;
    // A reference in one metric alone does not take the two sides from the others.
    let sides = |set: &BTreeSet<String>| {
        set.iter().filter(|word| is_side(word)).count() > 1 && set.is_subset(first)
    };
    let alike = first.len() > 1 && metrics.values().all(|set| set == first || sides(set));
    // Before a bare unit any word may be a metric: `kernel_ms`, `reference_ms`, `load_ms`.
    let several = metrics.iter().any(|(metric, sides)| is_unit(metric) && sides.len() > 2);
    let chosen_words: Vec<&str> = first.iter().map(String::as_str).collect();
    let silent = |word: &&str| says_nothing(word) && !word.split(['-', '_']).any(is_phase);
    let crossed = crossed
        && metrics.len() > 1
        && chosen_words.iter().all(silent)
        && numbered_labels(&chosen_words.iter().copied().collect()).is_empty();
    let both = || words.iter().filter(|word| is_side(word)).count() > 1;
    let part = |word: &&str| word.split([' ', '-', '_']).any(is_phase);
    let says = if several {
        let left_out = splits.len() < columns.len();
        let other = |word: &&&str| !is_side(word);
        both() && !words.iter().filter(other).any(|word| left_out || part(word))
    } else {
        words.iter().any(|word| is_side(word))
    } || are_versions(&chosen_words)
        || crossed;
    let once = metrics.values().map(BTreeSet::len).sum::<usize>() == chosen.len();
    (alike && says && once).then_some(chosen)
}

/// Whether a word names a side of a comparison.
fn is_side(word: &str) -> bool {
    label_hint(word) != LabelHint::Neither || negates(word)
}

/// Whether a unit is one of bytes: sizes describe what was measured.
fn is_size(unit: &str) -> bool {
    Scale::parse(unit).zip(Scale::parse("B")).is_some_and(|(unit, size)| unit.is_alike(size))
}

/// A column under the name of a build, with or without its unit.
pub(crate) fn of_build(table: &Table, at: usize) -> Values {
    let header = &table.headers[at];
    let unit = header_unit(header).map(|unit| format!("({unit})"));
    let value = value_of(at, without_unit(header).trim(), unit.as_deref().unwrap_or_default());
    Values { metric: value.metric.filter(|metric| !metric.is_empty()), ..value }
}

fn value_of(at: usize, variant: &str, metric: &str) -> Values {
    // `Before (ms)` names a time, and `Before (tok/s)` a rate by its unit.
    let unit = metric.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let metric = match unit.filter(|unit| is_unit(unit)) {
        Some(unit) if of_unit(unit) == "time" => format!("time ({unit})"),
        Some(unit) => unit.to_owned(),
        None => metric.to_owned(),
    };
    // `JDBC 0.21 - throughput`
    let variant = variant.trim_end_matches(|c: char| " -–—:|".contains(c)).trim_start_matches("- ");
    Values {
        at,
        variant: variant.to_owned(),
        run: String::new(),
        load: None,
        statistic: None,
        metric: Some(metric),
    }
}

/// The label and the metric of a header that begins or ends with a metric or a unit: `t/s sl/backend-sched`, `Triton (us)`,
/// `cutlass-TFLOPS`.
fn ends_of(header: &str) -> Splits {
    if header.len() > MAX_HEADER {
        return Vec::new();
    }
    let spaced = header.replace(['(', '['], " (").replace([')', ']'], ") ");
    let joint = match () {
        () if spaced.trim().contains(' ') => " ",
        () if spaced.contains('-') => "-",
        () => "_",
    };
    let words: Vec<&str> = spaced.split(joint).filter(|word| !word.is_empty()).collect();
    let bare = |words: &[&str]| {
        let text = words.join(joint);
        let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        inner.filter(|inner| is_unit(inner)).map_or(text.clone(), str::to_owned)
    };
    // `t/s (llama.cpp)`
    let named = |words: &[&str]| {
        let text = words.join(joint);
        let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        inner.filter(|inner| !is_unit(inner)).map_or(text.clone(), str::to_owned)
    };
    let cut = |at: usize| {
        let (left, right) = (&words[..at], &words[at..]);
        [(left, right), (right, left)].map(|(label, metric)| (named(label), bare(metric)))
    };
    let fits = |(label, metric): &(String, String)| {
        (is_unit(metric) || is_metric(metric))
            && (label.contains(char::is_alphabetic) || label.matches('.').count() > 1)
            && !label.starts_with('(')
    };
    (1..words.len()).flat_map(cut).filter(fits).collect()
}

/// Columns of one metric or unit under names of no metric, where another column compares them, or, unless `compares`, their
/// values are alike.
fn of_one_unit(
    table: &Table,
    kinds: &[Kind],
    columns: &[usize],
    compares: bool,
) -> Option<Vec<Values>> {
    let ways = |&at: &usize| {
        let unit = header_unit(&table.headers[at]);
        let fits = |(label, metric): &(String, String)| {
            let of_unit = || Some(metric) == unit.as_ref() || header_unit(metric) == unit;
            !is_metric(label) && if unit.is_some() { of_unit() } else { is_metric(metric) }
        };
        let ways: Splits = ends_of(&table.headers[at]).into_iter().filter(fits).collect();
        (!ways.is_empty()).then_some((at, ways))
    };
    let all: Vec<(usize, Splits)> = columns.iter().filter_map(ways).collect();
    let numbers: Vec<Vec<_>> = (0..kinds.len()).map(|at| numbers_of(table, at)).collect();
    let comparing = || (0..kinds.len()).filter(|&at| kinds[at] == Kind::Compares);
    // The two that another column compares, beside others that only one of them has.
    let open: Vec<usize> = all.iter().map(|(at, _)| *at).collect();
    let pair = comparing().find_map(|at| compared(table, at, (&open, &numbers)));
    let of_pair = || {
        let (a, b) = pair?;
        let two: Vec<_> = all.iter().filter(|(at, _)| *at == a || *at == b).cloned().collect();
        under_labels(table, columns, &two, true)
    };
    let checked = |found: &Vec<Values>| {
        let own: Vec<usize> = found.iter().map(|value| value.at).collect();
        comparing().any(|at| compared(table, at, (&own, &numbers)).is_some())
    };
    // A name in brackets may be a part of the work: only a column that compares says that it is none.
    let bracketed = |found: &Vec<Values>| {
        found.iter().any(|one| table.headers[one.at].ends_with(&format!("({})", one.variant)))
    };
    // Beside the sizes of tensors it is a kernel.
    let alike = |found: &Vec<Values>| {
        has_dimensions(&table.headers) || !bracketed(found) && are_alike(table, found)
    };
    under_labels(table, columns, &all, false)
        .filter(|found| checked(found) || !compares && alike(found))
        .or_else(|| of_pair().filter(checked))
}

/// The columns under their labels: each header is a label and the longest text that all headers share. Nothing else may
/// be measured, except with `others` quantities of one column.
fn under_labels(
    table: &Table,
    columns: &[usize],
    all: &[(usize, Splits)],
    others: bool,
) -> Option<Vec<Values>> {
    let named = |metric: &str, ways: &Splits| {
        ways.iter().find(|(_, own)| own == metric).map(|(label, _)| label.clone())
    };
    let metrics = all.first()?.1.iter().map(|(_, metric)| metric);
    let shared = metrics.filter(|metric| all.iter().all(|(_, ways)| named(metric, ways).is_some()));
    let unit = shared.max_by_key(|metric| metric.len())?;
    let found: Vec<(usize, String)> =
        all.iter().filter_map(|(at, ways)| Some((*at, named(unit, ways)?))).collect();
    let labels: BTreeSet<&str> = found.iter().map(|(_, label)| &**label).collect();
    let [(first, _), _, ..] = &found[..] else { return None };
    let set = |at: usize| {
        let header = &table.headers[at];
        at < *first && !is_metric(header) && header_unit(header).is_none()
    };
    // A quantity of one of them, or one that is not said to be of any.
    let of_one = |at: usize| {
        let header = table.headers[at].to_lowercase();
        let named = || labels.iter().any(|label| header.starts_with(&label.to_lowercase()));
        let other = || header_unit(&header).is_some_and(|own| own != *unit.to_lowercase());
        others && (named() || other())
    };
    let own = |at: usize| found.iter().any(|(own, _)| *own == at);
    let whole =
        labels.len() == found.len() && columns.iter().all(|&at| own(at) || set(at) || of_one(at));
    whole.then(|| found.iter().map(|(at, label)| value_of(*at, label, unit)).collect())
}

/// Whether columns side by side hold values of one size under names that say nothing, more than two of them only under
/// names as builds have them: `vLLM`, `int8-kv`.
fn are_alike(table: &Table, found: &[Values]) -> bool {
    let beside = found.windows(2).all(|two| two[0].at + 1 == two[1].at);
    let labels = || found.iter().map(|value| &*value.variant);
    let silent = labels().all(|label| says_nothing(label) && !label.split(' ').any(is_phase));
    // Numbered names are those of parts: `conv1`, `conv2`, and no versions.
    let stem = |label: &str| label.replace(|c: char| c.is_ascii_digit(), "");
    let stems: BTreeSet<String> = labels().map(stem).collect();
    let numbered = stems.len() == 1 && !are_versions(&labels().collect::<Vec<_>>());
    let spaced = found.iter().all(|value| table.headers[value.at].trim().contains(' '));
    // Of one metric under each name a few rows are enough.
    let named =
        found[0].metric.as_deref().is_some_and(|metric| is_metric(metric) && !is_unit(metric));
    let near = |row: Line| are_near(table, row, found);
    found[0].at > 0
        && beside
        && silent
        && !numbered
        && spaced
        && (found.len() == 2 || labels().any(is_coined))
        && (table.rows.len() > 2 || named)
        && table.rows.iter().all(near)
}

/// Every word of a header that leaves the name of a metric, with that name; beside a side any name may be one.
pub(crate) fn splits_of(header: &str) -> Vec<(String, String)> {
    if header.len() > MAX_HEADER {
        return Vec::new();
    }
    // A point in a number separates nothing.
    let points = !header.contains(|c: char| c.is_ascii_digit()) && header.contains('.');
    let separates = |c: char| c.is_whitespace() || "_-:/()[]|".contains(c) || points && c == '.';
    let mut splits = Vec::new();
    let mut start = 0;
    while start < header.len() {
        let rest = &header[start..];
        let skipped = rest.len() - rest.trim_start_matches(separates).len();
        let word = &rest[skipped..];
        let word = &word[..word.find(separates).unwrap_or(word.len())];
        if word.is_empty() {
            break;
        }
        let (from, to) = (start + skipped, start + skipped + word.len());
        let left = header[..from].trim_end_matches(separates);
        // A bracket around the word goes with it, one around a unit stays.
        let right = header[to..].trim_start_matches([' ', '_', '-', ':', '|', ')', ']', '.']);
        let open = if left.matches('(').count() > left.matches(')').count() { ")" } else { "" };
        let metric = format!("{left}{open} {right}").trim().to_owned();
        // `time_without_cache`: all that is behind is one label.
        let joined = ["with", "without", "no"].contains(&&*word.to_lowercase());
        let (behind, unit) = match header_unit(right) {
            Some(unit) if right.ends_with(')') => (without_unit(right), format!(" ({unit})")),
            _ => (right, String::new()),
        };
        let behind = behind.trim_end_matches(separates);
        let quantity = is_metric(left) || meaning(left).quantity == Quantity::Time;
        if joined && !behind.is_empty() && quantity {
            let label = format!("{word} {}", behind.replace('_', " "));
            splits.push((label, format!("{left}{open}{unit}")));
            break;
        }
        // `Without fix (tok/s)`, `With cache TTFT`: alone the word is no label.
        if joined && left.is_empty() && behind.contains(char::is_alphabetic) && !is_metric(behind) {
            let quantity = |(at, _): (usize, &str)| {
                let name = &behind[at + 1..];
                is_metric(name) || meaning(name).says == Says::Measured
            };
            let end = behind.match_indices([' ', '_']).find(|at| quantity(*at)).map(|(at, _)| at);
            let metric = match end {
                Some(end) => format!("{}{unit}", &behind[end + 1..]),
                None => unit.trim().to_owned(),
            };
            let until = header.len() - right.len() + end.unwrap_or(behind.len());
            if !metric.is_empty() {
                splits.push((header[from..until].trim_end_matches(separates).to_owned(), metric));
            }
            break;
        }
        // The letters of "t/s" are no words.
        let of_unit = header[..from].ends_with('/') || header[to..].starts_with('/');
        // Under a side any name that comes under the other too is one.
        let measured = is_metric(&metric)
            || meaning(&metric).statistic == Some(Statistic::Mean)
            || header_unit(&metric).is_some()
            || is_side(word)
                && metric.contains(char::is_alphabetic)
                && !counts_runs(&metric)
                && load_of(&metric).is_none();
        if !metric.is_empty() && !of_unit && measured {
            splits.push((word.to_owned(), metric));
        }
        start = to;
    }
    // `PPL (this PR)`: a side of several words.
    let bracketed = header.trim_end().strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    if let Some((name, side)) = bracketed.filter(|(_, side)| side.contains(' ') && is_side(side)) {
        splits.push((side.to_owned(), name.trim().to_owned()));
    }
    splits
}
