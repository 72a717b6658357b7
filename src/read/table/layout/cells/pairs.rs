//! Two values in one cell, `1.07 / 0.98`, and several statistics under one header.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::cell_value::is_nothing;
use crate::kit::fields;
use crate::kit::fields::is_metric;
use crate::kit::figure::{figure, is_unit, list};
use crate::kit::parts_of_work::{is_part_of_work, is_phase};
use crate::table::layout::columns::MAX_HEADER;
use crate::table::layout::columns::{
    header_unit, is_change, is_statistic, names_change, unit_in_brackets,
};
use crate::table::outcomes::is_failure;
use crate::table::records::{Row, Table};
use crate::text::claims::states_change;
use crate::text::printed_lines::of_unit;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, label_hint};
use beyondnoise_model::units::Scale;

/// A header that names two things, `TTFT p50 ms branch / main`: the words around the pair, and the pair.
struct Pair {
    at: usize,
    header: String,
    names: [String; 2],
}

/// Whether every bracket of a text is closed in it.
fn closes(text: &str) -> bool {
    let count = |brackets: [char; 2]| text.matches(brackets).count();
    count(['(', '[']) == count([')', ']'])
}

/// The numbers of a cell with a second one in brackets: `0.81 (0.78)`.
fn bracketed(cell: &str) -> Option<[String; 2]> {
    let (one, rest) = cell.trim().split_once('(')?;
    let other = rest.strip_suffix(')')?;
    let numbers = [one, other].map(|text| text.trim().to_owned());
    numbers.iter().all(|text| fields::number(text).is_some()).then_some(numbers)
}

/// Marks between two names in a header.
const PAIR_MARKS: &[&str] = &[" / ", " → ", " -> ", " => ", " vs ", " vs. ", "/", "→", "->"];

/// The pair of a header that ends with one in brackets, `TTFT in ms, tuned (default)`.
fn pair_in_brackets(header: &str) -> Option<(String, [String; 2])> {
    let (before, rest) = header.trim().split_once('(')?;
    let second = rest.strip_suffix(')')?.trim();
    // `CPU, all threads (main → pr)` has both in the bracket.
    if PAIR_MARKS.iter().any(|mark| second.contains(mark)) {
        return None;
    }
    let (stem, first) = before.trim().rsplit_once([',', ':', ';'])?;
    let first = first.trim();
    let words = [first, second].iter().all(|name| {
        name.contains(char::is_alphabetic) && !is_unit(name) && name.split(' ').count() < 4
    });
    words.then(|| (stem.trim().to_owned(), [first, second].map(str::to_owned)))
}

/// Ways in which a header names the first pair.
fn pairs_of(header: &str) -> Vec<(String, [String; 2])> {
    let mut found = Vec::new();
    if header.len() > MAX_HEADER {
        return found;
    }
    if let Some(pair) = pair_in_brackets(header) {
        return vec![pair];
    }
    let name = |words: &[&str]| {
        let text = words.join(" ");
        let bare = text.trim_matches([',', ' ']);
        // The unit at the end keeps its bracket.
        let whole = closes(bare) && !bare.starts_with(['(', '[']);
        if whole { bare } else { bare.trim_matches(['(', ')', '[', ']', ',', ' ']) }.to_owned()
    };
    for mark in PAIR_MARKS {
        // The first mark may stand in a unit.
        for (at, _) in header.match_indices(mark) {
            let (left, right) = (&header[..at], &header[at + mark.len()..]);
            let left: Vec<&str> = left.split_whitespace().collect();
            let right: Vec<&str> = right.split_whitespace().collect();
            for long in 1..=left.len().min(3) {
                for short in 1..=right.len().min(3) {
                    let (before, first) = left.split_at(left.len() - long);
                    let (second, behind) = right.split_at(short);
                    // A bracket that opens before the pair closes behind it.
                    let [first, second] = [name(first), name(second)];
                    let stem = [name(before), name(behind)].join(" ").trim().to_owned();
                    let whole = !first.is_empty()
                        && !second.is_empty()
                        && closes(&first)
                        && closes(&second)
                        && !is_unit(&format!("{first}/{second}"));
                    if whole
                        && first.contains(char::is_alphabetic)
                        && second.contains(char::is_alphabetic)
                    {
                        found.push((stem, [first, second]));
                    }
                }
            }
        }
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// The values of a cell and a change in brackets behind them: `463.1 → 676.5 (+46%)`.
fn without_remark(cell: &str) -> (&str, &str) {
    let at = cell.rfind(['(', '（']).filter(|at| {
        let remark = &cell[*at..];
        remark.ends_with([')', '）'])
            && (states_change(remark) || is_change(remark))
            && list(&cell[..*at], false).is_some()
    });
    let (values, remark) = cell.split_at(at.unwrap_or(cell.len()));
    (values.trim_end(), remark)
}

/// Whether a header of two names says nothing of sides: `Target / actual tokens`.
fn is_setting_pair(header: &str) -> bool {
    !pairs_of(header)
        .iter()
        .flat_map(|(_, names)| names)
        .any(|name| label_hint(name) != LabelHint::Neither)
}

/// The statistics that a header lists, with what is left of it: `TTFT mean/p50/p99 (ms)`, `TTFT avg / P95 / P99 (ms)`.
fn listed_statistics(header: &str) -> Option<(String, Vec<String>)> {
    listed_quantities(header).or_else(|| statistics_in_a_word(header))
}

/// Three quantities or more behind the words that they share: `after p50 / p95 / throughput`.
fn listed_quantities(header: &str) -> Option<(String, Vec<String>)> {
    let parts: Vec<&str> = header.split(" / ").map(str::trim).collect();
    let (rest, first) = parts.first()?.rsplit_once(' ')?;
    let names: Vec<&str> = std::iter::once(first).chain(parts.iter().skip(1).copied()).collect();
    let known =
        |name: &&str| is_statistic(&name.to_lowercase()) || meaning(name).says == Says::Measured;
    let other = |name: &&str| !is_statistic(&name.to_lowercase());
    let listed = names.len() > 2 && names.iter().all(known) && names.iter().any(other);
    listed.then(|| (rest.to_owned(), names.into_iter().map(str::to_owned).collect()))
}

fn statistics_in_a_word(header: &str) -> Option<(String, Vec<String>)> {
    let header = header.replace(" / ", "/");
    let word = header.split_whitespace().find(|word| word.contains('/'))?;
    let names: Vec<String> = word.split('/').map(str::to_owned).collect();
    let all = names.iter().all(|name| is_statistic(&name.to_lowercase()));
    let rest = header.replacen(word, "", 1).split_whitespace().collect::<Vec<_>>().join(" ");
    (all && !rest.is_empty()).then_some((rest, names))
}

/// Whether a header names a ratio.
fn is_ratio(header: &str) -> bool {
    header.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| word == "ratio")
}

/// Gives each of several statistics in a cell a column: `143 / 139 / 187`.
pub(super) fn split_statistics(table: &mut Table) -> bool {
    let values = |cell: &str, count: usize| -> Option<Vec<String>> {
        // Each with its own unit: `343ms / 2617ms / 8.9 req/s`.
        let parts: Vec<&str> = cell.trim_matches(['*', ' ']).split(" / ").collect();
        let united = |part: &&str| {
            figure(part, false)
                .is_some_and(|found| found.beside.is_empty() && !found.unit.is_empty())
        };
        if parts.len() == count && parts.iter().all(united) {
            return Some(parts.into_iter().map(str::to_owned).collect());
        }
        let (numbers, unit, _) =
            list(cell, false).filter(|(numbers, ..)| numbers.len() == count)?;
        Some(numbers.iter().map(|number| format!("{number} {unit}").trim().to_owned()).collect())
    };
    let compared = table.headers.iter().any(|header| names_change(header) || is_ratio(header));
    let listed = |at: &usize| {
        let (rest, names) = listed_statistics(&table.headers[*at])?;
        // Two of them may be what another column compares.
        if names.len() == 2 && compared {
            return None;
        }
        let fits = |cell: &str| is_nothing(cell) || values(cell, names.len()).is_some();
        table.filled(*at).all(fits).then_some((*at, rest, names))
    };
    let columns: Vec<(usize, String, Vec<String>)> =
        (0..table.headers.len()).filter_map(|at| listed(&at)).collect();
    for (at, rest, names) in columns.iter().rev() {
        let mut rows = table.take_rows();
        for row in &mut rows {
            let own = values(&row.cells[*at], names.len());
            let cells = own.unwrap_or_else(|| vec![String::new(); names.len()]);
            row.cells.splice(*at..=*at, cells);
        }
        let headers: Vec<String> = names.iter().map(|name| format!("{name} {rest}")).collect();
        table.headers.splice(*at..=*at, headers);
        table.put_rows(rows);
    }
    !columns.is_empty()
}

/// The columns whose cells hold two values. The first column names the rows, whatever stands in it.
fn paired_columns(table: &Table) -> Vec<usize> {
    let two = |cell: &str| {
        let listed = list(without_remark(cell).0, false);
        listed.is_some_and(|(numbers, _, mark)| numbers.len() == 2 && mark != ',')
            || bracketed(cell).is_some()
    };
    // `30%/70%` are the shares of one whole.
    let shares = |at: usize| {
        let cells = table.filled(at).filter_map(|cell| list(without_remark(cell).0, false));
        let sums = cells.filter(|(_, unit, _)| unit == "%").map(|(numbers, ..)| {
            numbers.iter().filter_map(|number| fields::number(number)).map(|n| n.value).sum::<f64>()
        });
        let sums: Vec<f64> = sums.collect();
        !sums.is_empty() && sums.iter().all(|sum| (sum - 100.0).abs() < 1.0)
    };
    let paired: Vec<usize> = (0..table.headers.len())
        .filter(|&at| !shares(at))
        .filter(|&at| at > 0 || !is_setting_pair(&table.headers[at]))
        .filter(|&at| table.filled(at).next().is_some() && table.mostly(at, two))
        .filter(|&at| {
            let inside = table.filled(at).any(|cell| bracketed(cell).is_some());
            !inside || pair_in_brackets(&table.headers[at]).is_some()
        })
        .collect();
    // Beside measured pairs two whole numbers under names that say nothing of sides are sizes: `Nq/Nkv` over `1024/8192`.
    let measures = |at: usize| {
        table.filled(at).filter_map(|cell| list(without_remark(cell).0, false)).any(
            |(numbers, unit, _)| !unit.is_empty() || numbers.iter().any(|text| text.contains('.')),
        )
    };
    let beside = paired.iter().any(|&at| measures(at));
    let sizes = |at: usize| {
        let header = &table.headers[at];
        let names = |at: usize| pairs_of(&table.headers[at]).into_iter().map(|(_, names)| names);
        let again = names(at).any(|own| {
            paired
                .iter()
                .any(|&other| other != at && measures(other) && names(other).any(|n| n == own))
        });
        let measured = header_unit(header).is_some() || is_metric(header) || again;
        beside && !measured && !measures(at) && names(at).count() > 0 && is_setting_pair(header)
    };
    let kept: Vec<usize> = paired.iter().copied().filter(|&at| !sizes(at)).collect();
    kept
}

/// Parts of a machine that are numbered.
const PARTS: &[&str] = &[
    "gpu", "cpu", "npu", "node", "rank", "device", "core", "socket", "numa", "worker", "replica",
    "card",
];

/// The words on both sides of an arrow in a heading: `Results (baseline → project)`.
fn names_in(heading: &str) -> Option<[String; 2]> {
    let (left, right) = heading.split_once('→').or_else(|| heading.split_once("->"))?;
    // In brackets each may have several words: `tested (main → this PR)`.
    let inner = left.rsplit(['(', '（']).next().zip(right.split([')', '）']).next());
    let few = |name: &str| (1..4).contains(&name.split_whitespace().count());
    let bracketed = inner.filter(|(one, other)| {
        one.len() < left.len() && other.len() < right.len() && few(one) && few(other)
    });
    let ends = |c: char| c.is_whitespace() || "()（）[]:：,，".contains(c);
    let names = match bracketed {
        Some((one, other)) => [one.trim(), other.trim()],
        None => [left.trim().rsplit(ends).next()?, right.trim().split(ends).next()?],
    };
    let word = |name: &&str| name.starts_with(char::is_alphabetic) && name.chars().count() < 25;
    let measured = names.iter().any(|name| is_metric(name));
    (names.iter().all(word) && !measured).then(|| names.map(str::to_owned))
}

/// The names of the two values in every cell, where a text says so: `(Format: ours / theirs)`.
pub(crate) fn names_of_cells(text: &str) -> Option<[String; 2]> {
    const SAYS: &[&str] = &["format", "cell", "each", "order", "格式", "顺序", "形式"];
    let named = |line: &str| {
        let (before, names) = line.split_once([':', '：'])?;
        let before = before.to_lowercase();
        SAYS.iter().find(|word| before.contains(**word))?;
        let names = names.split([')', '）', '.', '。', ',']).next()?.replace(['*', '`'], "");
        let (one, other) = names.split_once(" / ")?;
        let names = [one, other].map(|name| name.trim().to_owned());
        let fits = |name: &String| {
            let short = name.chars().count() < 25 && !name.contains('/');
            short && name.contains(char::is_alphabetic) && !is_metric(name)
        };
        names.iter().all(fits).then_some(names)
    };
    text.lines().find_map(named)
}

/// The two parts of a cell that says of one run or both that they failed: `OOM → 318.8`.
fn failed_in(cell: &str) -> Option<[String; 2]> {
    let (one, other) = ["→", "->", " / "].iter().find_map(|mark| cell.split_once(mark))?;
    let parts = [one, other].map(|part| part.trim().to_owned());
    let failed = parts.iter().any(|part| is_failure(part));
    let known =
        |part: &String| is_failure(part) || is_nothing(part) || figure(part, false).is_some();
    (failed && parts.iter().all(known)).then_some(parts)
}

/// The two values of a cell, each with its unit; empty where it has none.
fn pair_in(cell: &str, comma: bool) -> [String; 2] {
    if let Some(numbers) = bracketed(cell) {
        return numbers;
    }
    if let Some(parts) = failed_in(cell) {
        return parts;
    }
    let (values, remark) = without_remark(cell);
    let two = list(values, comma).filter(|(numbers, ..)| numbers.len() == 2);
    let Some((numbers, unit, _)) = two else { return [String::new(), String::new()] };
    // A change in brackets is that of the second.
    let remarks = ["", remark];
    [0, 1].map(|at| format!("{} {unit} {}", numbers[at], remarks[at]).trim().to_owned())
}

/// Splits cells of two values whose header names two variants or two statistics, or whose heading or text names two variants.
pub(super) fn split_pairs(
    table: &mut Table,
    heading: Option<&str>,
    named: Option<&[String; 2]>,
) -> bool {
    let width = table.headers.len();
    let paired = paired_columns(table);
    let mut ways: Vec<Vec<(String, [String; 2])>> =
        paired.iter().map(|&at| pairs_of(&table.headers[at])).collect();
    // `p95 latency, ms (new / old)`
    for (stem, _) in ways.iter_mut().flatten() {
        if let Some(bracketed) = unit_in_brackets(stem) {
            *stem = bracketed;
        }
    }
    if let Some(names) = named.filter(|_| ways.iter().all(Vec::is_empty)) {
        for (&at, way) in paired.iter().zip(&mut ways) {
            *way = vec![(table.headers[at].clone(), names.clone())];
        }
    }
    // Where no header names the two, an arrow goes from before to after.
    let arrows =
        |cell: &str| list(without_remark(cell).0, false).is_none_or(|(.., mark)| mark == '→');
    // Beside columns of one metric under several names an arrow has nothing to add.
    let beside = names_columns(table, &paired);
    if ways.iter().all(Vec::is_empty)
        && !beside
        && paired.iter().all(|&at| table.filled(at).all(arrows))
    {
        let names = heading.and_then(names_in);
        let names = names.unwrap_or_else(|| ["before", "after"].map(str::to_owned));
        for (&at, way) in paired.iter().zip(&mut ways) {
            let stem = table.headers[at].clone();
            way.push((stem, names.clone()));
        }
    }
    // The pair that all headers name, with the fewest words that leave something beside it.
    let Some(first) = ways.first() else { return false };
    let shared = first.iter().filter(|(stem, names)| {
        let named = |way: &Vec<(String, [String; 2])>| way.iter().any(|(_, other)| other == names);
        ways.iter().all(named) && (!stem.is_empty() || ways.len() == 1)
    });
    let longest = paired.len() > 1;
    let words =
        |names: &[String; 2]| names.iter().map(|name| name.split(' ').count()).sum::<usize>();
    let both = |names: &[String; 2]| names.iter().all(|name| is_statistic(&name.to_lowercase()));
    // In `TTFT off → on` the metric is no part of a name.
    let measured = |names: &[String; 2]| names.iter().any(|name| name.split(' ').any(is_metric));
    // `Prefill TTFT (ms) / tok/s` gives two quantities of one thing.
    let bare = |name: &str| name.trim_matches(['(', ')', '[', ']']).to_owned();
    let units = |names: &[String; 2]| names.iter().all(|name| is_unit(&bare(name)));
    let Some((_, names)) = shared.min_by_key(|(stem, names)| {
        let count = words(names);
        let count = if longest { usize::MAX - count } else { count };
        (stem.is_empty(), !both(names) && !units(names), measured(names), count)
    }) else {
        return false;
    };
    let names = names.clone();
    let columns: Vec<Pair> = paired
        .iter()
        .zip(&ways)
        .filter_map(|(&at, way)| {
            let (stem, names) = way.iter().find(|(_, other)| *other == names)?;
            // The unit of the cells names what only names stand over: `FFPA / SDPA`.
            let unit = || {
                let of = |cell: &str| Some(list(without_remark(cell).0, table.comma)?.1);
                table.filled(at).find_map(of).filter(|unit| is_unit(unit))
            };
            let header = if stem.is_empty() { unit().map(|unit| of_unit(&unit)) } else { None };
            let header = header.unwrap_or_else(|| stem.clone());
            Some(Pair { at, header, names: names.clone() })
        })
        .collect();
    // Requests that ended well and badly are counts of one run.
    let counts = |name: &String| matches!(meaning(name).says, Says::Outcome(_) | Says::Count);
    // Numbered parts of one machine are none that are compared: `GPU0 / GPU1`.
    let stem = |name: &String| name.replace(|c: char| c.is_ascii_digit(), "").trim().to_lowercase();
    let parts = stem(&names[0]) == stem(&names[1]) && PARTS.contains(&&*stem(&names[0]));
    let statistics = parts
        || names.iter().all(|name| is_statistic(&name.to_lowercase()))
        || names.iter().any(counts);
    let comma = table.comma;
    let split = |row: &Row| -> Vec<[String; 2]> {
        columns.iter().map(|column| pair_in(&row.cells[column.at], comma)).collect()
    };
    let old = std::mem::take(&mut table.headers);
    let rows = {
        let mut shell = Table {
            headers: Vec::new(),
            rows: std::mem::take(&mut table.rows),
            ..Table::default()
        };
        shell.take_rows()
    };
    let kept: Vec<usize> =
        (0..width).filter(|at| !columns.iter().any(|column| column.at == *at)).collect();
    let mut headers: Vec<String> = kept.iter().map(|&at| old[at].clone()).collect();
    let mut out = Vec::new();
    let of_units = units(&names);
    if statistics || of_units {
        for Pair { header, names, .. } in &columns {
            headers.extend(names.iter().map(|name| {
                let both = format!("{name} {header}").trim().to_owned();
                if of_units { format!("{header} ({})", bare(name)) } else { both }
            }));
        }
        for row in &rows {
            let mut cells: Vec<String> = kept.iter().map(|&at| row.cells[at].clone()).collect();
            cells.extend(split(row).into_iter().flatten());
            out.push(Row { number: row.number, cells });
        }
    } else {
        let taken = |name: &str| headers.iter().any(|header| header.to_lowercase() == name);
        let side =
            ["variant", "build", "arm"].into_iter().find(|name| !taken(name)).unwrap_or("variant");
        headers.push(side.to_owned());
        headers.extend(columns.iter().map(|column| column.header.clone()));
        for row in &rows {
            let values = split(row);
            for (at, name) in names.iter().enumerate() {
                let mut cells: Vec<String> = kept.iter().map(|&at| row.cells[at].clone()).collect();
                cells.push(name.clone());
                cells.extend(values.iter().map(|pair| pair[at].clone()));
                out.push(Row { number: row.number, cells });
            }
        }
    }
    table.headers = headers;
    table.put_rows(out);
    true
}

/// Whether two columns or more, besides these, hold one metric under different words: `main tok/s`, `pr tok/s`.
pub(super) fn names_columns(table: &Table, besides: &[usize]) -> bool {
    let last = |at: usize| {
        let header = table.headers[at].replace('`', "");
        let (words, metric) = header.trim().rsplit_once(' ')?;
        let bare = metric.trim_matches(['(', ')']);
        let bytes = Scale::parse("B");
        let sized = Scale::parse(bare).zip(bytes).is_some_and(|(one, bytes)| one.is_alike(bytes));
        let silent = !sized && meaning(words).says != Says::Measured && !is_part_of_work(words);
        (silent && (is_unit(bare) || is_metric(bare))).then(|| (bare.to_owned(), words.to_owned()))
    };
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for at in (1..table.headers.len()).filter(|at| !besides.contains(at)) {
        if let Some((metric, words)) = last(at) {
            names.entry(metric).or_default().insert(words);
        }
    }
    // `16.83 s` and `13.86 s` under names that say nothing.
    let mut units: BTreeMap<String, usize> = BTreeMap::new();
    for at in (1..table.headers.len()).filter(|at| !besides.contains(at)) {
        let unit = |cell: &str| figure(cell, false).map_or(String::new(), |found| found.unit);
        let own: BTreeSet<String> = table.filled(at).map(unit).collect();
        let header = &table.headers[at];
        let silent = meaning(header).says == Says::Nothing && !header.split(' ').any(is_phase);
        if let (1, Some(unit)) =
            (own.len(), own.first().filter(|unit| !matches!(&***unit, "" | "%")))
            && silent
        {
            *units.entry(unit.clone()).or_default() += 1;
        }
    }
    names.values().any(|words| words.len() > 1) || units.values().any(|count| *count > 1)
}
