//! Meaning of a column by its header: a metric, a side, a repeat, a load, or a summary of others.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::cell_value::{self, CellValue, is_nothing, spread};
use crate::kit::fields;
pub(crate) use crate::kit::fields::is_metric;
use crate::kit::figure::{Figure, figure, is_mark, is_unit, list};
use crate::table::column_names::{METRIC, PAIR, UNIT, VALUE, VARIANT};
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::units::bytes_of;

use crate::table::outcomes::is_failure;
use crate::table::records::Table;
use crate::table::role_words::{RUN, is_identity};
use crate::text::claims::states_change;
use crate::text::headings::counts_runs;
use beyondnoise_model::runs::{LabelHint, label_hint};

/// Kind of a column by its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Holds no numbers, or is a setting, a key or a name by its header.
    Key,
    /// Numbers under the name of a metric, or with a unit.
    Metric,
    /// Numbers under the name of a side of the comparison: `before`, `main`, `old`.
    Side,
    /// Numbers of one repeat: `run1`.
    Repeat,
    /// Numbers under one load: `osl-128`.
    Load,
    /// A statistic over other columns or over requests: `avg`, `p99`.
    Statistic,
    /// Compares other columns: `change`, `speedup`.
    Compares,
    /// The unit of the row.
    Unit,
    /// Numbers under any other name.
    Other,
}

impl Kind {
    /// Whether the column may hold values of one variant, repeat or load.
    pub(crate) fn is_open(self) -> bool {
        matches!(self, Self::Side | Self::Repeat | Self::Load | Self::Other)
    }

    /// Whether the column may hold values at all.
    pub(crate) fn holds_values(self) -> bool {
        self.is_open() || matches!(self, Self::Metric | Self::Statistic)
    }
}

/// Rows from which on a table is one of a program.
pub(crate) const MANY_ROWS: usize = 1_000;

/// Longest header that is taken apart, in bytes.
pub(crate) const MAX_HEADER: usize = 200;

/// Headers of columns that compare others.
pub(crate) const COMPARING: &[&str] = &[
    "change",
    "delta",
    "δ",
    "∆",
    "diff",
    "difference",
    "ratio",
    "relative",
    "speedup",
    "speed-up",
    "improvement",
    "差值",
    "绝对差值",
    "绝对差",
    "verdict",
    "note",
    "notes",
    "better",
    "95 % ci",
    "95% ci",
    "ci",
    "gain",
    "gap",
    "regression",
    "p-value",
    "p value",
    "p值",
    "p値",
    "p",
    "%",
    "vs",
    "变化",
    "變化",
    "変化",
    "提升",
    "差异",
    "对比",
    "加速比",
];

/// Words for a statistic over runs or requests.
pub(crate) const STATISTICS: &[&str] = &[
    "avg",
    "average",
    "mean",
    "median",
    "std",
    "stdev",
    "stddev",
    "std dev",
    "sd",
    "min",
    "max",
    "minimum",
    "maximum",
    "cv",
    "total",
    "sum",
    "geomean",
    "overall",
    "平均",
    "均值",
    "平均值",
    "中位数",
    "标准差",
    "合计",
    "总计",
    "最大",
    "最小",
    "方差",
];

/// Names of settings of a load that precede their size.
const LOADS: &[(&str, &str)] = &[
    ("isl", "isl"),
    ("osl", "osl"),
    ("conc", "concurrency"),
    ("concurrency", "concurrency"),
    ("c", "concurrency"),
    ("users", "concurrency"),
    ("clients", "concurrency"),
    ("batch", "batch_size"),
    ("batch size", "batch_size"),
    ("bs", "batch_size"),
    ("input", "input_len"),
    ("input len", "input_len"),
    ("output", "output_len"),
    ("output len", "output_len"),
    ("rate", "request_rate"),
    ("request rate", "request_rate"),
    ("qps", "request_rate"),
    ("rps", "request_rate"),
    ("requests", "requests"),
    ("num prompts", "num_prompts"),
    ("prompts", "num_prompts"),
    ("seq", "seq_len"),
    ("seq len", "seq_len"),
    ("ctx", "context"),
    ("context", "context"),
    ("threads", "threads"),
];

pub(crate) fn kind_of(table: &Table, at: usize) -> Kind {
    let header = &*table.headers[at];
    let lower = header.trim().to_lowercase();
    if is_called(header, UNIT) {
        return Kind::Unit;
    }
    let changes = || {
        let mut filled = table
            .filled(at)
            .filter(|cell| !is_nothing(cell) && cell.chars().any(char::is_alphanumeric))
            .peekable();
        filled.peek().is_some() && {
            let change = |cell: &str| is_change(without_side(table, at, cell));
            let (good, all) = filled
                .fold((0, 0), |(good, all), cell| (good + usize::from(change(cell)), all + 1));
            3 * good >= 2 * all
        }
    };
    // Percentages with words and no name over them: `sanic ahead 4.9%`.
    let unnamed = || {
        let worded = |cell: &str| cell.contains(['%', '％']) && cell.contains(char::is_alphabetic);
        lower.is_empty()
            && at > 0
            && table.filled(at).next().is_some()
            && table.filled(at).all(worded)
    };
    // `p` left of everything that is measured is a setting.
    let measured =
        || (1..at).any(|left| !matches!(kind_of(table, left), Kind::Key | Kind::Compares));
    let compares = unnamed()
        || COMPARING.contains(&&*lower) && (lower != "p" || measured())
        || lower.contains(['%', 'δ', '∆', 'Δ']) && !is_percentile(&lower)
        || names_both_sides(&lower)
        || names_two_columns(table, at)
        || says_change(&lower)
        || changes();
    let value = |text: &str| {
        matches!(
            cell_value::read(text.as_bytes(), "", table.comma),
            CellValue::Number(_) | CellValue::Empty
        ) || spread(text).is_some()
            || figure(text, table.comma).is_some()
            // A factor beside bare ratios.
            || text.strip_suffix(['x', 'X', '×']).is_some_and(|text| fields::number(text).is_some())
    };
    let mut filled = table.filled(at).filter(|text| !is_nothing(text)).peekable();
    // Beside numbers in a column with a unit words say why others are missing: `FAIL`, `skipped`.
    let reason = |text: &str| !text.contains(|c: char| c.is_ascii_digit());
    let with_words = || {
        let unit = |text: &str| {
            figure(text, table.comma).is_some_and(|found| !matches!(&*found.unit, "" | "%"))
        };
        (header_unit(header).is_some() || table.filled(at).any(unit))
            && table.filled(at).any(value)
            && table.filled(at).all(|text| value(text) || reason(text))
    };
    // Runs that failed, in a column without a unit.
    let with_failures = || {
        let numeric = |text: &str| value(text) || text.starts_with(|c: char| c.is_ascii_digit());
        at > 0
            && table.filled(at).any(value)
            && table.filled(at).any(is_failure)
            && table.filled(at).all(|text| numeric(text) || is_failure(text))
    };
    let numbers =
        filled.peek().is_some() && (table.mostly(at, value) || with_words() || with_failures());
    let against = lower.contains(" vs ") || lower.contains(" vs. ");
    if compares && (against && table.mostly(at, is_change) || !is_known_metric(header)) {
        return Kind::Compares;
    }
    let text = || {
        table.filled(at).any(|text| split_unit(text).0.starts_with(|c: char| c.is_ascii_digit()))
    };
    let other_side = is_called(header, VARIANT) && !names_variants(table, at);
    let side = other_side || label_hint(header) != LabelHint::Neither;
    if !(numbers || side && text()) || is_key(table, at) || is_called(header, PAIR) {
        return Kind::Key;
    }
    if is_statistic(&lower) {
        return Kind::Statistic;
    }
    if counts_runs(header) {
        return Kind::Repeat;
    }
    if load_of(header).is_some() {
        return Kind::Load;
    }
    // Fractions and values with units identify nothing: `parent commit` over 1640.9, `fused path` over 69 t/s.
    let values = || {
        let fraction = |cell: &str| fields::number(cell).is_some_and(|n| n.resolution < 0.5);
        let unit = |cell: &str| figure(cell, table.comma).is_some_and(|f| !f.unit.is_empty());
        table.filled(at).any(|cell| fraction(cell) || unit(cell))
    };
    let set = fields::field_of_column(header).is_some()
        || is_called(header, RUN)
        || is_identity(header) && !values();
    if set
        || [
            "#", "no", "no.", "n", "count", "counts", "samples", "seed", "idx", "index", "id",
            "round", "序号",
        ]
        .contains(&&*lower)
    {
        return Kind::Key;
    }
    // `baseline (tok/s)` says nothing but its unit.
    if side && !is_known_metric(without_unit(header)) {
        return Kind::Side;
    }
    // Whole numbers under the names of settings, left of everything else.
    let set = |at: usize| {
        let whole = |cell: &str| cell.trim().bytes().all(|byte| byte.is_ascii_digit());
        meaning(&table.headers[at]).says == Says::Setting && table.filled(at).all(whole)
    };
    let counted = leads_sizes(table, at) && meaning(header).says != Says::Measured;
    if counted || (0..=at).all(set) || !is_known_metric(header) && is_crossed(table, at) {
        return Kind::Key;
    }
    if is_known_metric(header) || has_unit(header) {
        return Kind::Metric;
    }
    Kind::Other
}

/// Whether whole numbers that rise from row to row lead a table of sizes: `generated tokens`; also behind the numbers of the rows, as
/// pandas prints them: `0   32.0`.
fn leads_sizes(table: &Table, at: usize) -> bool {
    let whole = |cell: &str| fields::number(cell).filter(|number| number.value.fract() == 0.0);
    let second = || {
        let sizes: Vec<f64> =
            table.filled(1).filter_map(whole).map(|number| number.value).collect();
        table.headers[0].trim().is_empty()
            && rises(table, 0)
            && sizes.len() == table.rows.len()
            && sizes.windows(2).all(|two| two[0] < two[1])
    };
    at == 0 && rises(table, at) || at == 1 && second()
}

/// Whether every whole number of a column comes back beside several values of a column further left, with two columns of numbers to its
/// right: a setting, as `B` in `V | B | ours | theirs`.
fn is_crossed(table: &Table, at: usize) -> bool {
    let whole = |cell: &str| !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit());
    if at == 0
        || !(4..MANY_ROWS).contains(&table.rows.len())
        || !table.rows.iter().all(|row| whole(row.cells.get(at).trim()))
    {
        return false;
    }
    let number = |cell: &str| figure(cell, table.comma).is_some();
    let behind = (at + 1..table.headers.len()).filter(|&right| table.mostly(right, number));
    if behind.count() < 2 {
        return false;
    }
    // Every value of each stands beside several of the other.
    let beside = |one: usize, other: usize| {
        let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for row in table.rows.iter() {
            found.entry(row.cells.get(one)).or_default().insert(row.cells.get(other));
        }
        found.len() > 1 && found.values().all(|others| others.len() > 1)
    };
    (0..at).any(|left| beside(at, left) && beside(left, at))
}

/// Whether a column holds whole numbers that rise from row to row.
pub(crate) fn rises(table: &Table, at: usize) -> bool {
    let whole = |cell: &str| fields::number(cell).filter(|number| number.resolution >= 0.5);
    let numbers: Option<Vec<f64>> =
        table.rows.iter().map(|row| Some(whole(row.cells.get(at).trim())?.value)).collect();
    let rise = |two: &[f64]| two[0] < two[1];
    numbers.is_some_and(|all| all.len() > 1 && all.windows(2).all(rise))
}

/// Whether a header says that its column compares others.
pub(crate) fn names_change(header: &str) -> bool {
    let lower = header.trim().to_lowercase();
    COMPARING.contains(&&*lower) || says_change(&lower)
}

/// Whether a name in small letters has a word for a change.
pub(crate) fn says_change(lower: &str) -> bool {
    let words = [
        "change",
        "delta",
        "diff",
        "gap",
        "speedup",
        "improvement",
        "reduction",
        "savings",
        "saved",
        "vs",
    ];
    let against = ["relative to ", "compared to ", "compared with ", "相对", "相比"];
    let error = lower.contains("误差") || lower.contains("偏差");
    against.iter().any(|start| lower.starts_with(start)) && !error
        || lower.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
}

/// Whether labels are versions of one thing: `v0.5` and `v0.7`, `Node 6.12.0` and `Node 6.13.0`.
pub(crate) fn are_versions(labels: &[&str]) -> bool {
    let digit = |c: char| c.is_ascii_digit() || c == '.';
    let stem = |label: &str| label.replace(digit, "").to_lowercase();
    let version = |label: &&str| {
        let mut words = label.split(|c: char| !(c.is_alphanumeric() || c == '.'));
        words.any(|word| {
            let bare = word.strip_prefix(['v', 'V']);
            let parts = bare.unwrap_or(word).split('.').map(|part| part.starts_with(digit));
            let whole = bare.unwrap_or(word).starts_with(digit) && parts.clone().all(|part| part);
            whole && (bare.is_some() || parts.count() > 2)
        })
    };
    // `r1.13-b7710a2-Nov-18`
    let commit = |label: &&str| {
        label.split(|c: char| !c.is_alphanumeric()).any(|word| {
            let hex = word.len() > 6 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
            let digits = word.bytes().filter(u8::is_ascii_digit).count();
            hex && (1..word.len()).contains(&digits)
        })
    };
    let alike = || labels.iter().all(|label| stem(label) == stem(labels[0]));
    let distinct: std::collections::BTreeSet<&&str> = labels.iter().collect();
    labels.len() > 1
        && distinct.len() == labels.len()
        && (labels.iter().all(commit) || labels.iter().all(version) && alike())
}

/// Whether a name alone says nothing about its column.
pub(crate) fn says_nothing(name: &str) -> bool {
    meaning(name).says == Says::Nothing && header_unit(name).is_none()
}

/// Whether a header names both sides, as that of a ratio does: `PR/Baseline`, `new vs. old`.
fn names_both_sides(lower: &str) -> bool {
    let mut parts = lower.split(['/', '÷']);
    let [Some(one), Some(other), None] = [parts.next(), parts.next(), parts.next()] else {
        return false;
    };
    let hints = [label_hint(one), label_hint(other)];
    hints.contains(&LabelHint::Baseline) && hints.contains(&LabelHint::Candidate)
}

/// Whether a header names two other columns by their first words, as that of a ratio does: `MTP/Base` beside `Baseline (tok/s)` and
/// `MTP n=4 (tok/s)`.
fn names_two_columns(table: &Table, at: usize) -> bool {
    let lower = |header: &str| header.trim().to_lowercase();
    let own = lower(&table.headers[at]);
    let Some((one, other)) = own.split_once(['/', '÷']) else { return false };
    let named = |part: &str| {
        let part = part.trim();
        let begins = |(other, header): (usize, &String)| {
            (other != at && !part.is_empty() && lower(header).starts_with(part)).then_some(other)
        };
        let mut found = table.headers.iter().enumerate().filter_map(begins);
        found.next().filter(|_| found.next().is_none())
    };
    named(one).zip(named(other)).is_some_and(|(one, other)| one != other)
}

fn is_known_metric(header: &str) -> bool {
    fields::names_result(header)
}

/// Whether the header ends with a unit, as the names of metrics do.
fn has_unit(header: &str) -> bool {
    fields::unit_of(header).symbol() != "" || header_unit(header).is_some()
}

/// Whether a word, in small letters, is that of a statistic: `avg`, `p99`.
pub(crate) fn is_statistic(lower: &str) -> bool {
    STATISTICS.contains(&lower) || is_percentile(lower)
}

fn is_percentile(lower: &str) -> bool {
    // `4th` counts, `95th` is a percentile.
    let ordinal = || lower.strip_suffix("th").filter(|text| text.len() > 1);
    let number = lower.strip_prefix('p').or_else(ordinal).or_else(|| lower.strip_suffix('%'));
    number.is_some_and(|text| text.parse::<f64>().is_ok_and(|p| p > 0.0 && p < 100.0))
}

/// The setting, its size, and the statistic that a header states: `osl-128 avg`.
pub(crate) fn load_of(header: &str) -> Option<(String, String, Option<String>)> {
    // `N=8`
    let stated = header.split_once('=').map(|(name, size)| (name.trim(), size.trim()));
    if let Some((name, size)) = stated
        && fields::number(size).is_some()
        && name.chars().all(char::is_alphabetic)
        && !name.is_empty()
        && meaning(name).says != Says::Measured
    {
        return Some((name.to_owned(), size.to_owned(), None));
    }
    let lower = header.trim().to_lowercase();
    let mut words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '.'))
        .filter(|word| !word.is_empty())
        .collect();
    let statistic = |word: &&str| STATISTICS.contains(word) || is_percentile(word);
    let at = words.iter().rposition(statistic);
    let statistic = at.map(|at| words.remove(at).to_owned());
    let joined = words.join(" ");
    let start = joined.find(|c: char| c.is_ascii_digit())?;
    let (name, size) = (joined[..start].trim(), joined[start..].trim());
    // `8 users` as well as `users 8`.
    let (name, size) = if name.is_empty() {
        size.rsplit_once(' ').map(|(size, name)| (name, size))?
    } else {
        (name, size)
    };
    let (_, setting) = LOADS.iter().find(|(known, _)| *known == name)?;
    let number = size.trim_end_matches(['k', 'm']);
    fields::number(number)?;
    Some(((*setting).to_owned(), size.to_owned(), statistic))
}

/// Whether a header is one of these, in any letter case.
pub(crate) fn is_called(header: &str, names: &[&str]) -> bool {
    names.contains(&&*header.trim().to_lowercase())
}

/// Whether a column holds no value of its own, by its name.
pub(crate) fn is_key(table: &Table, at: usize) -> bool {
    let called = |names: &&[&str]| is_called(&table.headers[at], names);
    names_variants(table, at) || [METRIC, VALUE, UNIT].iter().any(called)
}

/// Whether a column names the variants of its rows: not `branch` beside `main` if both hold values.
pub(crate) fn names_variants(table: &Table, at: usize) -> bool {
    let values = |at: usize| {
        let value = |cell: &str| figure(cell, table.comma).is_some();
        table.filled(at).next().is_some() && table.filled(at).all(value)
    };
    let sides = || {
        let others = (0..table.headers.len()).filter(|&other| other != at);
        let hints = others.map(|other| (label_hint(&table.headers[other]), other));
        hints.filter(|(hint, _)| *hint != LabelHint::Neither).collect::<Vec<_>>()
    };
    let is_side = || {
        let [(LabelHint::Baseline, other)] = sides()[..] else { return false };
        values(at) && values(other)
    };
    let may_be_side = is_called(&table.headers[at], &["branch", "candidate", "treatment", "arm"]);
    is_called(&table.headers[at], VARIANT)
        && !(may_be_side && is_side())
        && !(at == 0 && are_sizes(table, at))
}

/// Whether the cells of a column list sizes of the work by their names, `bs=1, seq=512`, one for each row.
fn are_sizes(table: &Table, at: usize) -> bool {
    let sizes = |cell: &str| {
        let parts: Vec<&str> = cell.split([',', ' ']).filter(|part| !part.is_empty()).collect();
        let size = |part: &&str| {
            part.split_once('=').is_some_and(|(name, size)| {
                let name = name.to_lowercase();
                OF_WORK.contains(&&*name) && fields::number(size).is_some()
            })
        };
        parts.len() > 1 && parts.iter().all(size)
    };
    table.rows.len() > 1 && table.filled(at).all(sizes)
}

/// Short names of sizes of the work, and not of an option of a build.
const OF_WORK: &[&str] = &[
    "b", "bs", "batch", "s", "seq", "seqlen", "kv", "ctx", "m", "n", "k", "isl", "osl", "len", "h",
    "d",
];

/// Whether a column names the variants of the rows.
pub(crate) fn has_variants(table: &Table) -> bool {
    (0..table.headers.len()).any(|at| names_variants(table, at))
}

/// A column whose cells are values.
pub(crate) struct Values {
    pub(crate) at: usize,
    pub(crate) variant: String,
    pub(crate) run: String,
    /// Name of the setting and its value.
    pub(crate) load: Option<(String, String)>,
    /// Statistic that the header states of all of its cells.
    pub(crate) statistic: Option<String>,
    /// The metric, where the header names that too.
    pub(crate) metric: Option<String>,
}

/// The unit that a header states.
pub(crate) fn header_unit(header: &str) -> Option<String> {
    let header = header.trim();
    let bracketed =
        header.strip_suffix([')', ']', '）']).and_then(|rest| rest.rsplit_once(['(', '[', '（']));
    if let Some((_, unit)) = bracketed {
        return Some(unit.trim().to_owned()).filter(|unit| is_unit(unit));
    }
    let mut words = header.rsplit([' ', '_', '-']);
    let last = words.next().unwrap_or_default();
    // `12 bytes` is a size.
    let bytes = || bytes_of(last).is_some();
    if words.next().is_some_and(|before| fields::number(before).is_some() && bytes()) {
        return None;
    }
    // "t/s" of "gen t/s" is one; a letter at the end other than "s" may be anything.
    let whole = last.len() == header.len();
    Some(last.to_owned()).filter(|word| (word.len() > 1 || *word == "s" && !whole) && is_unit(word))
}

/// A name whose unit stands behind a comma, with the unit in brackets: `old gemm (ms/pass)` of `old gemm, ms/pass`.
pub(crate) fn unit_in_brackets(header: &str) -> Option<String> {
    let (name, unit) = header.rsplit_once(", ").filter(|(_, unit)| is_unit(unit))?;
    Some(format!("{name} ({unit})"))
}

/// A header without the unit in brackets at its end.
pub(crate) fn without_unit(header: &str) -> &str {
    let bracketed = header.trim_end().ends_with([')', ']', '）']) && header_unit(header).is_some();
    let stem = header.rsplit_once(['(', '[', '（']).filter(|_| bracketed);
    stem.map_or(header, |(stem, _)| stem.trim_end())
}

/// The text of a cell behind the name of another column: `2.7x` in `vLLM 2.7x`, beside `vLLM (tok/s)`.
pub(crate) fn without_side<'c>(table: &Table, at: usize, cell: &'c str) -> &'c str {
    if !cell.starts_with(char::is_alphabetic) {
        return cell;
    }
    let others = table.headers.iter().enumerate().filter(|(other, _)| *other != at);
    let mut labels = others.map(|(_, header)| without_unit(header).trim());
    let rest = labels.find_map(|label| {
        let rest = cell.trim_start().strip_prefix(label).filter(|_| !label.is_empty())?;
        rest.starts_with([' ', ':']).then(|| rest.trim_start_matches([' ', ':']))
    });
    rest.unwrap_or(cell)
}

/// The name of a metric with its unit, where only that says which way is better: `decode (tok/s)`.
pub(crate) fn with_unit(name: &str, unit: &str) -> Option<String> {
    let both = format!("{name} ({unit})");
    let better = |name: &str| Metric::of_column(name).0.better;
    (is_unit(unit) && better(name).is_none() && better(&both).is_some()).then_some(both)
}

/// A change without the range in brackets behind it: `1.17x [1.10, 1.24]`.
pub(crate) fn without_range(cell: &str) -> &str {
    let range = cell.trim_end().strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    let numbers = |range: &str| {
        range.contains(',') && range.split(',').all(|end| fields::number(end.trim()).is_some())
    };
    range.filter(|(_, range)| numbers(range)).map_or(cell, |(change, _)| change.trim_end())
}

/// The number of a factor, which a sign for "times" follows or leads: `1.09x`, `x1.09`.
pub(crate) fn without_times(text: &str) -> Option<&str> {
    let led = || {
        let rest = text.strip_prefix(['x', 'X', '×'])?.trim_start();
        rest.starts_with(|c: char| c.is_ascii_digit()).then_some(rest)
    };
    text.strip_suffix(['x', 'X', '×', '倍']).or_else(led)
}

/// Whether a cell says nothing but a change: `+2.35%`, `1.09x`, `提升 9.6%`.
pub(crate) fn is_change(cell: &str) -> bool {
    // Most cells are bare numbers.
    if cell.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return false;
    }
    let cell = without_range(cell);
    // One for each of several values: `45× / 61×`.
    if cell.contains(" / ") {
        return cell.split(" / ").all(is_change);
    }
    let factor = || {
        let bare = cell.trim_matches(|c| is_mark(c) || matches!(c, '(' | ')'));
        let number = bare.strip_suffix(['x', 'X', '×', '倍']);
        // `3.4x slower`, `0.96x (vLLM wins)`
        let worded = || {
            let (number, words) = bare.split_once(['x', 'X', '×', '倍'])?;
            let words = words.trim();
            // Numbers in brackets are those of a remark on a change, `3.1×(59% more data)`, or of a thing, `8x (H100 80GB)`.
            let digits = words.contains(|c: char| c.is_ascii_digit());
            let bracket = words.starts_with(['(', '（']);
            let remark = bracket && (!digits || words.contains(['%', '％']));
            (remark || states_change(cell) && !digits).then_some(number)
        };
        number.or_else(worded).is_some_and(|number| fields::number(number.trim()).is_some())
    };
    // `463.1 → 676.5 (+46%)` gives both values.
    let two = || {
        let values = cell.split(['(', '（']).next().unwrap_or_default();
        list(values, false).is_some_and(|(_, unit, _)| unit != "%")
    };
    let value_first = || figure(cell, false).is_some_and(|found| found.unit != "%") || two();
    // A percentage with a word of a script without blanks behind it: `7.0% 短縮`.
    let worded = || {
        let word = cell.split_once(['%', '％']).map_or("", |(_, word)| word.trim());
        !word.is_empty() && word.chars().all(|c| c.is_alphabetic() && !c.is_ascii())
    };
    let spread = || cell.trim_start().starts_with('±');
    let percent = cell.contains(['%', '％']) && (states_change(cell) || worded());
    percent && !spread() && !value_first() || cell.contains(['x', 'X', '×', '倍']) && factor()
}

/// The number of a cell and its unit.
pub(crate) fn split_unit(cell: &str) -> (String, String) {
    let cell = cell.trim();
    if is_nothing(cell) {
        return (String::new(), String::new());
    }
    if fields::number(cell).is_some() {
        return (cell.to_owned(), String::new());
    }
    match figure(cell, false) {
        Some(Figure { number, unit, .. }) => (number, unit),
        None => (cell.to_owned(), String::new()),
    }
}

/// Whether the columns may be anything: a table in the long layout is read as it stands.
pub(super) fn is_long(table: &Table) -> bool {
    let has = |names: &[&str]| table.headers.iter().any(|header| is_called(header, names));
    has(METRIC) && has(VALUE)
}
