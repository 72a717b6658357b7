//! Tables that hold no results: settings, what models are made of, products, what is required.

use std::collections::BTreeSet;

use crate::kit::fields::{self, is_metric};
use crate::kit::figure::{Figure, figure, is_unit};
use crate::table::layout::columns::{header_unit, without_unit};
use crate::table::layout::{is_called, is_statistic};
use crate::text::grid::Grid;
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, label_hint};
use beyondnoise_model::units::Scale;

/// A description of the content of a table without results; `None` if it may have some.
pub(super) fn holds_no_results(grid: &Grid, heading: Option<&str>) -> Option<String> {
    if lists_settings(grid, heading) {
        return Some(format!("settings under \"{}\"", grid.headers[0]));
    }
    let about = match () {
        () if sets_options(grid) => "options by their names",
        () if describes_models(grid) => "what models are made of",
        () if lists_products(grid) => "names of products and sizes alone",
        () if states_requirements(grid) => "what is required",
        () => return None,
    };
    Some(about.to_owned())
}

/// Names over the settings of a run, each with its value.
const SETTINGS: &[&str] = &[
    "parameter",
    "parameters",
    "setting",
    "settings",
    "option",
    "argument",
    "config",
    "configuration",
    "environment",
    "flag",
    "knob",
    "参数",
    "配置",
    "设置",
    "選項",
    "設定",
    "パラメータ",
    "파라미터",
    "설정",
];

/// Whether a table is one of settings with their values: by the name over these, or by the heading above two columns.
fn lists_settings(grid: &Grid, heading: Option<&str>) -> bool {
    let lower = heading.unwrap_or_default().to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let headed = grid.headers.len() == 2 && words.any(|word| SETTINGS.contains(&word));
    let sides = || grid.headers[1..].iter().all(|name| label_hint(name) != LabelHint::Neither);
    // `tok/s before`, `TTFT after`
    let of_side = |header: &String| {
        header.split([' ', '(', ')']).any(|word| is_unit(word) || is_metric(word))
    };
    let measured =
        grid.headers[1..].iter().any(|header| header_unit(header).is_some() || of_side(header));
    // One column of values, and remarks.
    let digits = |at: &usize| {
        let cells = grid.rows.iter().filter_map(|(_, cells)| cells.get(*at));
        cells.filter(|cell| cell.starts_with(|c: char| c.is_ascii_digit())).count() > 0
    };
    let valued = || {
        // `Throughput in tok/s:` above them
        let title = heading.unwrap_or_default().trim_end_matches([':', '：', ' ']);
        let unit = title.rsplit_once(" in ").is_some_and(|(_, unit)| is_unit(unit));
        if unit || is_metric(title) {
            return false;
        }
        let only = (1..grid.headers.len()).filter(digits).collect::<Vec<_>>() == [1];
        only && is_called(grid.headers[1].trim(), &["value", "values", "值", "値", "값"])
    };
    // Words under every name, `fp8`, and bare numbers below others.
    let word = |cell: &String| cell.trim_matches(['`', '*']).starts_with(char::is_alphabetic);
    let bare = |cell: &String| fields::number(cell.trim()).is_some();
    let worded = || {
        let mut rows = grid.rows.iter().filter_map(|(_, cells)| cells.get(1..));
        let set = rows.clone().all(|cells| cells.iter().all(|cell| word(cell) || bare(cell)));
        let measured = grid.headers[1..].iter().any(|header| is_metric(header));
        set && !measured && rows.any(|cells| cells.iter().all(word))
    };
    let named = is_called(grid.headers[0].trim(), SETTINGS)
        && !measured
        && (grid.headers.len() == 2 || valued() || sides() || worded());
    // `单线程（文件/秒）`
    let rate = |label: &str| {
        let inner = label.trim_end_matches([')', '）']).rsplit(['(', '（']).next();
        inner.and_then(|unit| unit.rsplit_once('/')).is_some_and(|(_, per)| {
            per.trim() == "秒"
                || Scale::parse(per.trim())
                    .zip(Scale::parse("s"))
                    .is_some_and(|(one, s)| one.is_alike(s))
        })
    };
    let result = |cells: &[String]| is_metric(&cells[0]) || rate(&cells[0]) || is_measured(cells);
    (named || headed) && !grid.rows.iter().any(|(_, cells)| cells.len() > 1 && result(cells))
}

/// Names of what a model is made of.
const PARTS_OF_MODELS: &[&str] = &[
    "layers",
    "layer",
    "heads",
    "head",
    "parameters",
    "params",
    "d_model",
    "hidden",
    "dim",
    "vocab",
    "context",
    "seq_len",
    "experts",
    "ffn",
    "层数",
    "参数量",
    "词表",
    "レイヤー",
    "ヘッド",
    "パラメータ数",
    "레이어",
    "파라미터",
];

/// Whether most columns say what models are made of, and none measures anything but sizes.
fn describes_models(grid: &Grid) -> bool {
    let part = |header: &String| {
        let lower = header.replace('\\', "").to_lowercase();
        let mut words = lower.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.any(|word| PARTS_OF_MODELS.contains(&word))
    };
    let measured = |at: usize| {
        let header = &grid.headers[at];
        let bytes = Scale::parse("B");
        let sized = |unit: &str| {
            Scale::parse(unit).zip(bytes).is_some_and(|(one, bytes)| one.is_alike(bytes))
        };
        let unit = |cell: &String| {
            figure(cell, false).is_some_and(|found| {
                is_unit(&found.unit) && found.unit != "%" && !sized(&found.unit)
            })
        };
        let named = is_metric(header) && !header_unit(header).is_some_and(|unit| sized(&unit));
        let cells = || grid.rows.iter().filter_map(|(_, row)| row.get(at));
        let bare = |cell: &String| figure(cell, false).is_some_and(|found| found.unit.is_empty());
        let numbers = cells().next().is_some() && cells().all(bare);
        !part(header)
            && (named || numbers || grid.rows.iter().filter_map(|(_, row)| row.get(at)).any(unit))
    };
    // `6 experts` over rows that are metrics says which model was measured.
    let metric = |cell: &String| is_metric(cell) || header_unit(cell).is_some();
    let metrics = grid.rows.iter().any(|(_, row)| row.first().is_some_and(metric));
    let parts = grid.headers.iter().filter(|header| part(header)).count();
    !metrics
        && parts > 2
        && 2 * parts >= grid.headers.len()
        && !(1..grid.headers.len()).any(measured)
}

/// Whether every row is that of an option, `max_batch_size`, at least half of them known ones, with bare values behind it.
fn sets_options(grid: &Grid) -> bool {
    let set = |name: &str| meaning(name).says == Says::Setting;
    let option = |name: &str| {
        let coined = name.contains('_') && !name.contains(' ') && !name.contains('(');
        (coined || set(name)) && !is_metric(name) && meaning(name).says != Says::Measured
    };
    let names: Vec<&str> = grid
        .rows
        .iter()
        .filter_map(|(_, cells)| Some(cells.first()?.trim_matches(['`', ' '])))
        .collect();
    let bare = |cell: &String| {
        figure(cell, false).is_none_or(|found| found.unit.is_empty() && found.beside.is_empty())
    };
    let known = names.iter().filter(|name| set(name)).count();
    names.len() > 2
        && 2 * known >= names.len()
        && names.iter().all(|name| option(name))
        && grid.rows.iter().all(|(_, cells)| cells[1..].iter().all(bare))
        && !grid.headers[1..]
            .iter()
            .any(|header| header_unit(header).is_some() || is_metric(header))
}

/// Whether two columns or more behind the first hold names with a digit, `A100 80GB × 1`, and the numbers of all others are whole sizes in
/// bytes or the same in every row: machines and what is in them.
fn lists_products(grid: &Grid) -> bool {
    let cells = |at: usize| grid.rows.iter().filter_map(move |(_, row)| row.get(at));
    let value = |cell: &String| figure(cell, false);
    let product = |cell: &String| {
        value(cell).is_none()
            && cell.contains(char::is_alphabetic)
            && cell.contains(|c: char| c.is_ascii_digit())
            && !cell.contains('%')
    };
    let numbers = |at: &usize| cells(*at).any(|cell| value(cell).is_some());
    let whole = |at: usize| {
        let same = cells(at).collect::<BTreeSet<_>>().len() == 1;
        let size = |found: Figure| {
            let alike = |unit: Scale| Scale::parse("B").is_some_and(|bytes| unit.is_alike(bytes));
            !found.number.contains('.') && Scale::parse(&found.unit).is_some_and(alike)
        };
        cells(at).all(|cell| value(cell).is_some_and(|found| same || size(found)))
    };
    let width = grid.headers.len();
    let products = (1..width).filter(|&at| cells(at).any(product) && !numbers(&at)).count();
    let mut numeric = (0..width).filter(numbers).peekable();
    // An amount that was used was measured.
    let used = |at: usize| meaning(&grid.headers[at]).statistic.is_some();
    products > 1 && numeric.peek().is_some() && numeric.all(|at| whole(at) && !used(at))
}

/// Whether a table says what is required, by the name of each column behind the first: `Min GPU memory`, `Recommended GPU`.
fn states_requirements(grid: &Grid) -> bool {
    let has = |header: &String, names: &[&str]| {
        let lower = header.to_lowercase();
        lower.split(|c: char| !c.is_alphanumeric()).any(|word| names.contains(&word))
    };
    let required =
        |header: &String| has(header, &["required", "requirement", "requirements", "recommended"]);
    let least = |header: &String| {
        has(header, &["min", "minimum"])
            && has(header, &["memory", "vram", "ram", "gpu", "version", "disk"])
    };
    // The last word: `P95 Threshold`, and no `Target AVX2`.
    let goal = |header: &String| {
        let bare = without_unit(header).trim().to_lowercase();
        let last = bare.rsplit(' ').next().unwrap_or_default();
        ["threshold", "target", "goal", "slo", "objective", "目标", "阈值"].contains(&last)
    };
    // Nothing is measured in words: `Status`.
    let words = |at: usize| {
        let mut cells = grid.rows.iter().filter_map(|(_, cells)| cells.get(at));
        cells.all(|cell| !cell.contains(|c: char| c.is_ascii_digit()))
    };
    let columns = || grid.headers.iter().enumerate().skip(1).filter(|(at, _)| !words(*at));
    let of = |such: &dyn Fn(&String) -> bool| {
        columns().any(|(_, header)| such(header))
            && columns().all(|(_, header)| such(header) || least(header))
    };
    of(&required) || of(&goal)
}

/// Whether a row states a statistic with a unit of time or of a rate: `Average Response Time`, `3.77 seconds`.
pub(super) fn is_measured(cells: &[String]) -> bool {
    let Some(mut value) = figure(&cells[1], false) else { return false };
    if value.unit.is_empty() {
        value.unit = header_unit(&cells[0]).unwrap_or_default();
    }
    let label = format!("{} ({})", cells[0], value.unit).to_lowercase();
    let mut words =
        label.split(|c: char| !(c.is_alphanumeric() || c == '.')).filter(|word| !word.is_empty());
    let scale = Scale::parse(&value.unit);
    let size = Scale::parse("B");
    let unit = scale.is_some_and(|scale| !size.is_some_and(|size| size.is_alike(scale)))
        && value.unit != "%";
    unit && (words.any(is_statistic) || value.unit.contains('/'))
}
