//! Turns a table so that every value has a row of its own.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::cell_value::{self, CellValue};
use crate::kit::fields::{self, RunField};
use crate::kit::figure::is_unit;
use crate::kit::short;
use crate::table::column_names::{UNIT, VARIANT, is_unnamed};
use crate::table::layout::averages::Averages;
use crate::table::layout::cell_claims::CellClaims;
use crate::table::layout::columns::{split_unit, with_unit};
use crate::table::layout::levels::FIRST;
use crate::table::records::{Line, Row, Table};
use crate::table::roles::TURNED;
use crate::text::printed_lines::of_unit;
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{Column, Skipped};
use beyondnoise_model::units::Scale;

use crate::table::layout::columns::{Values, is_called, is_metric};

/// The changes to a table.
#[derive(Default)]
pub(crate) struct Arranged {
    pub(crate) notes: Vec<Skipped>,
    /// The cells that are averages of several runs.
    pub(crate) averages: Averages,
    /// The changes in cells.
    pub(crate) claims: CellClaims,
    /// Columns of changes that agree with the values beside them in few rows, with how many and of how many.
    pub(crate) unlike: Vec<(usize, [usize; 2])>,
    /// The columns that are no more in the table, with their uses.
    pub(crate) columns: Vec<Column>,
    /// Of a turned table the columns that are there as they were written.
    pub(crate) kept: Option<Vec<String>>,
    /// New and written name of the columns that were renamed.
    pub(crate) renamed: Vec<[String; 2]>,
    /// The unit that the text above states, where it states one.
    pub(crate) unit: Option<String>,
    /// Whether a row compares other rows, so that these are variants.
    pub(crate) rows_are_compared: bool,
    /// Whether cells or columns are other than they are written.
    pub(crate) changed: bool,
}

/// Name of a metric that has none.
const NAMELESS: &str = "value";

/// Makes every cell a row of the long layout.
pub(crate) fn turn(
    table: &mut Table,
    ids: &[usize],
    (names, caption): (Option<usize>, Option<&str>),
    (values, before): (&[Values], usize),
    Arranged { notes, averages, claims, unit: stated, .. }: &mut Arranged,
) {
    let unit = table.headers.iter().position(|header| is_called(header, UNIT));
    let variants = values.iter().any(|value| !value.variant.is_empty());
    let runs = values.iter().any(|value| !value.run.is_empty());
    let load = values.iter().find_map(|value| value.load.as_ref()).map(|(name, _)| name.clone());
    let named = caption.and_then(metric_in);
    let caption = named.as_deref().unwrap_or(NAMELESS);
    let headers = headers(table, ids, (variants, runs), load.clone());
    // Rows of one run come from one column, unless other columns name the run.
    let by_column = ids.is_empty() && values.iter().all(|value| value.metric.is_none());
    let mut rows = Vec::new();
    let mut words: Vec<String> = Vec::new();
    // A unit behind some values of a metric is that of all.
    let mut units: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for row in table.rows.iter() {
        for value in values {
            let name = names.map_or("", |at| row.cells.get(at).trim());
            let (_, unit) = split_unit(row.cells.get(value.at));
            units.entry(value.metric.as_deref().unwrap_or(name)).or_default().insert(unit);
        }
    }
    let common = |name: &str| {
        let mut all = units.get(name)?.iter().filter(|unit| !unit.is_empty());
        all.next().filter(|unit| all.next().is_none() && *unit != "%").cloned()
    };
    for (position, row) in table.rows.iter().enumerate() {
        let name = names.map_or(caption, |at| row.cells.get(at).trim());
        let name = measured_name(name, row, values).unwrap_or(name);
        let cells: Vec<(String, String)> =
            values.iter().map(|value| split_unit(row.cells.get(value.at))).collect();
        let comma = table.comma;
        let number = |(text, _): &(String, String)| {
            matches!(cell_value::read(text.as_bytes(), "", comma), CellValue::Number(_))
        };
        if !cells.iter().any(number) || name.is_empty() {
            if !name.is_empty() && cells.iter().any(|(text, _)| !text.is_empty()) {
                words.push(short(name));
            }
            continue;
        }
        for (value, (text, own)) in values.iter().zip(cells) {
            if text.is_empty() {
                continue;
            }
            if !number(&(text.clone(), own.clone())) {
                let place = format!(
                    "{} {}, column {}",
                    table.counts,
                    row.number,
                    short(&table.headers[value.at])
                );
                notes.push(Skipped {
                    place,
                    why: format!("\"{}\" is no number: not read", short(&text)),
                });
                continue;
            }
            let mut cells: Vec<String> =
                ids.iter().map(|&at| row.cells.get(at).to_owned()).collect();
            cells.extend(variants.then(|| value.variant.clone()));
            cells.extend(runs.then(|| value.run.clone()));
            if load.is_some() {
                let size = value.load.as_ref().map(|(_, size)| size.clone());
                cells.push(size.unwrap_or_default());
            }
            let statistic = value.statistic.as_ref();
            let name = value.metric.as_deref().unwrap_or(name);
            let name = statistic.map_or_else(|| name.to_owned(), |word| of_statistic(word, name));
            let beside = unit.map(|at| row.cells.get(at).trim().to_owned());
            let key = value.metric.as_deref().or(names.map(|at| row.cells.get(at).trim()));
            let others = || common(key.unwrap_or_default()).unwrap_or_default();
            let unit = if own.is_empty() { beside.unwrap_or_else(others) } else { own };
            let of_text = stated.clone().filter(|_| name == NAMELESS && unit.is_empty());
            let unit = of_text.unwrap_or(unit);
            // A unit alone says what was measured.
            let name = if name == NAMELESS && is_unit(&unit) { of_unit(&unit) } else { name };
            // A unit in the name is not written a second time.
            let (name, unit) = match with_unit(&name, &unit) {
                Some(named) => (named, String::new()),
                None => (name, unit),
            };
            let above = if by_column { 0 } else { position * table.headers.len() };
            let number = before + above + value.at + 1;
            averages.moves((row.number, value.at), number, &name);
            claims.moves((row.number, value.at), number, &name, &value.variant);
            if names.is_some() {
                claims.tie((row.number, values), number, &name, &value.variant);
            }
            cells.extend([name, text, unit]);
            rows.push(Row { number, cells });
        }
    }
    if !words.is_empty() {
        let place = "rows without a number".to_owned();
        notes.push(Skipped { place, why: format!("{}: not read", words.join(", ")) });
    }
    let labelled = values.iter().all(|value| value.metric.is_none() && value.load.is_none());
    if names.is_none() && labelled {
        let last = rows.last().and_then(|row| row.cells.iter().rev().nth(2));
        notes.push(read_as(table, values, last.map_or(caption, |name| name)));
    }
    table.counts = if by_column { "column" } else { TURNED };
    table.headers = headers;
    table.rows.clear();
    for row in rows {
        table.rows.push(row);
    }
}

/// Name of the number of requests that were answered.
const ANSWERED: &str = "requests answered";

/// Name of the rate at which requests were answered.
const REACHED: &str = "request throughput (req/s)";

/// The name of what a row measures under the name of a setting: the requests that were answered, not those that were asked for,
/// where they differ a little, and the rate that was reached, where it differs between the variants.
fn measured_name(name: &str, row: Line, values: &[Values]) -> Option<&'static str> {
    let field = fields::field_of_column(name);
    if !matches!(field, Some(RunField::Requests | RunField::RequestRate)) {
        return None;
    }
    let counts: Vec<f64> = values
        .iter()
        .filter_map(|value| fields::number(&split_unit(row.cells.get(value.at)).0))
        .map(|number| number.value)
        .collect();
    let low = counts.iter().copied().fold(f64::INFINITY, f64::min);
    let high = counts.iter().copied().fold(0.0, f64::max);
    if field == Some(RunField::RequestRate) {
        let sides = values.iter().all(|value| !value.variant.is_empty() && value.load.is_none());
        // Whole numbers were asked for.
        let reached = counts.iter().any(|count| count.fract() != 0.0);
        return (sides && reached && counts.len() > 1 && high > low).then_some(REACHED);
    }
    (high > low && high <= 1.01 * low).then_some(ANSWERED)
}

/// Says as which label and metric the values of nameless columns are read.
fn read_as(table: &Table, values: &[Values], caption: &str) -> Skipped {
    let labels: Vec<String> = values.iter().map(|value| short(&table.headers[value.at])).collect();
    let word = if caption == NAMELESS {
        "their values have no name: they are the metric \"value\", so add --metric value:lower or value:higher"
                .to_owned()
    } else {
        format!("their values are the metric \"{}\"", short(caption))
    };
    let variants = values.iter().any(|value| !value.variant.is_empty());
    let what = if variants { "variants" } else { "repeats" };
    let place = format!("columns {}", labels.join(", "));
    Skipped { place, why: format!("read as {what}; {word}") }
}

/// The metric that a heading names, with its unit: `Time to First Token (TTFT) in ms`.
pub(crate) fn metric_in(heading: &str) -> Option<String> {
    if is_metric(heading) {
        return Some(heading.to_owned());
    }
    // `Prefill pp512 (clean)` names a test of llama-bench.
    let mut words = heading.split([' ', '(', ')', ':', ',']);
    let test = words.find(|word| word.contains(|c: char| c.is_ascii_digit()) && is_directed(word));
    if let Some(test) = test {
        return Some(test.to_owned());
    }
    // `Per-Token Latency - TPOT p50 (ms, lower is better)`
    let bracket = || {
        let (name, inner) = heading.rsplit_once(['(', '（'])?;
        let unit = inner.split(|c: char| c.is_whitespace() || ",;)）—".contains(c)).next()?;
        is_unit(unit).then_some((name, unit))
    };
    let stated = heading.rsplit_once(" in ").filter(|(_, unit)| is_unit(unit.trim()));
    let (name, unit) = stated.or_else(bracket)?;
    let bare = name.split(['(', '（']).next().unwrap_or_default();
    let last = bare.rsplit(['—', '–', ':', '：']).next().unwrap_or_default();
    let whole = |name: &str| format!("{} ({})", name.trim(), unit.trim());
    [whole(bare), whole(last)].into_iter().find(|name| is_metric(name))
}

/// Whether a word alone names something measured and which way is better.
fn is_directed(word: &str) -> bool {
    let found = meaning(word);
    found.says == Says::Measured && found.better.is_some()
}

/// The unit that a heading states in brackets among other words, if it is the only one: `sampling (fp16, k=50, µs, median)`.
pub(crate) fn unit_of_heading(heading: &str) -> Option<String> {
    let (_, inner) = heading.rsplit_once(['(', '（'])?;
    let parts =
        inner.trim_end_matches([')', '）', ' ']).split([',', ';', '，', '；']).map(str::trim);
    let mut units = parts.filter(|part| Scale::parse(part).is_some() && *part != "%");
    units.next().filter(|_| units.next().is_none()).map(str::to_owned)
}

/// The unit that the last sentence of a text states for the values below it, if it is the only one: `Latencies in ms:`,
/// `tok/s ± sd`.
pub(crate) fn unit_in(text: &str) -> Option<String> {
    let last = text.trim_end().rsplit(['。', '\n']).next()?;
    let last = last.rsplit(". ").next()?;
    let words: Vec<&str> = last.split_whitespace().collect();
    let bare = |at: usize| {
        let word: &str = words.get(at).copied().unwrap_or_default();
        word.trim_matches(|c: char| "(),.;:*`[]（），。；：".contains(c))
    };
    let stated = |at: &usize| {
        let before = if *at > 0 { bare(at - 1) } else { "" };
        let behind = words.get(at + 1).is_some_and(|next| next.starts_with(['±', '+']));
        let inside = before.eq_ignore_ascii_case("in");
        // A rate ends a clause, `Wall-clock ms/tok, mean of two`, or stands in a sentence above the table, `4 KiB pwrite ops/s
        // through the mount:`; behind a number it is that of a value.
        let introduces = last.trim_end().ends_with([':', '：']);
        let joined = words.get(at + 1).is_some_and(|next| ["and", "or", "和", "与"].contains(next));
        let ends = introduces && !joined || words[*at].ends_with([',', ':', ';', ')', '.']);
        let rate = bare(*at).contains('/') && ends && fields::number(before).is_none();
        // `seconds to compile it`, `ms per step`
        let next = words.get(at + 1).copied().unwrap_or_default();
        let opens = *at == 0 && ["to", "per", "for", "of", "with", "on"].contains(&next);
        is_unit(bare(*at)) && bare(*at) != "%" && (behind || inside || rate || opens)
    };
    let mut found = (0..words.len()).filter(stated).map(bare);
    let first = found.next()?;
    found.all(|other| other == first).then(|| first.to_owned())
}

/// Words for all values of a table.
const VALUES: &[&str] = &[
    "value", "values", "result", "results", "number", "numbers", "figures", "unit", "units",
    "单位", "単位", "단위",
];

/// The unit that a text states of all values, if it states one: `value in TFlops`, `Unit: ms`.
pub(crate) fn unit_of_values(text: &str) -> Option<String> {
    let bare =
        |word: &str| word.trim_matches(|c: char| "(),.;:*`[]（），。；：".contains(c)).to_owned();
    let words: Vec<String> =
        text.split([' ', '\n', '：', ':']).map(bare).filter(|w| !w.is_empty()).collect();
    let stated = |at: usize| {
        let known = VALUES.contains(&&*words[at].to_lowercase());
        let mut rest = words[at + 1..]
            .iter()
            .take(3)
            .skip_while(|word| ["are", "is", "all", "in", "reported"].contains(&&***word));
        let unit = rest.next().filter(|word| known && is_unit(word) && *word != "%")?;
        Some(unit.clone())
    };
    let mut found = (0..words.len()).filter_map(stated);
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

/// The headers of the long layout.
fn headers(
    table: &Table,
    ids: &[usize],
    (variants, runs): (bool, bool),
    load: Option<String>,
) -> Vec<String> {
    let name = |&at: &usize| match &*table.headers[at] {
        name if is_unnamed(name) => FIRST.to_owned(),
        // Below headers that are variants it is a setting.
        name if variants && is_called(name, VARIANT) => format!("{name} of the row"),
        name => name.to_owned(),
    };
    let mut headers: Vec<String> = ids.iter().map(name).collect();
    let free = |headers: &[String], wanted: &[&str]| {
        let taken = |name: &str| headers.iter().any(|header| header.to_lowercase() == name);
        wanted.iter().find(|name| !taken(name)).unwrap_or(&wanted[0]).to_string()
    };
    if variants {
        headers.push(free(&headers, &["variant", "build"]));
    }
    if runs {
        headers.push(free(&headers, &["run", "repeat", "trial"]));
    }
    headers.extend(load);
    headers.extend(["metric", "value", "unit"].map(str::to_owned));
    headers
}

/// The name of a statistic of a metric: the average of a total is the total.
fn of_statistic(word: &str, name: &str) -> String {
    let both = format!("{word} {name}");
    let average = ["avg", "average", "mean", "平均", "均值"].contains(&&*word.to_lowercase());
    if average && Metric::of_column(&both).0.name == both { name.to_owned() } else { both }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_states_a_unit_among_other_words() {
        for (heading, unit) in [
            ("Results — sampling (fp16, k=50, µs, median; final run)", Some("µs")),
            ("Timing table: sequential (real function, ms)", Some("ms")),
            ("Results (4 KB, ms or s)", None),
            ("Results (ms, s)", None),
            ("Results", None),
        ] {
            assert_eq!(unit_of_heading(heading).as_deref(), unit, "{heading}");
        }
    }

    /// The last sentence above a table states its unit; a value in it does not.
    #[test]
    fn a_sentence_states_a_unit() {
        for (text, unit) in [
            ("Latencies in ms:", Some("ms")),
            ("It took a day. Greedy, medians of 5, tok/s ± sd:", Some("tok/s")),
            ("Wall-clock ms/tok, mean of both:", Some("ms/tok")),
            ("seconds to compile it at -O2, six clean builds each", Some("seconds")),
            ("ms per step", Some("ms")),
            ("seconds later it stopped", None),
            ("We got 12.5 tok/s, with this configuration:", None),
            ("Rates in tok/s. The layers are:", None),
        ] {
            assert_eq!(unit_in(text).as_deref(), unit, "{text}");
        }
    }
}
