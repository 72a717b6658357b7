//! The markdown table that `llama-bench` prints: `| model | ... | test | t/s |`.
//!
//! Replicate: a row, which is one test of one process; `7340.20 ± 23.45` is mean and deviation of iterations inside
//! it, whose number is not in the table.

use crate::error::Error;
use crate::read::fields;
use crate::read::json::looks_like_json;
use crate::read::llm::llama_bench::{THROUGHPUTS, throughput};
use crate::read::llm::run_builder::RunBuilder;
use crate::read::llm::varying;
use crate::read::runners::label_of;
use crate::read::{Content, Found, Options, Reader, contains};
use crate::runs::ITERATIONS;

pub(super) const READER: Reader = Reader {
    name: "llama-bench markdown",
    recognised_by: "a table with the columns model, test and t/s",
    one_run: "a row, which is one test of one process",
    metrics: THROUGHPUTS,
    recognise: |content, _| {
        let bytes = content.bytes();
        !looks_like_json(bytes)
            && contains(bytes, b" t/s |")
            && contains(bytes, b" test |")
            && content.text().lines().any(|line| header(&cells(line)))
    },
    read,
};

/// Columns that repeat a part of the name of the model.
const NOT_SETTINGS: &[&str] = &["model", "size", "params", "test", "t/s"];

fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let inner = line.strip_prefix('|').and_then(|line| line.strip_suffix('|'));
    inner.map(|inner| inner.split('|').map(str::trim).collect()).unwrap_or_default()
}

fn header(cells: &[&str]) -> bool {
    ["model", "test", "t/s"].iter().all(|name| cells.contains(name))
}

/// Tokens of prompt, generation and depth of `pp512`, `tg128 @ d4096`, `pp512+tg128`, `pp 512`.
fn test(name: &str) -> Option<[u64; 3]> {
    let (test, depth) = name.split_once('@').unwrap_or((name, ""));
    let mut tokens = [0, 0, 0];
    for part in test.split('+').map(str::trim) {
        let (slot, digits) = match part.get(..2)? {
            "pp" => (0, &part[2..]),
            "tg" => (1, &part[2..]),
            _ => return None,
        };
        tokens[slot] = digits.trim().parse().ok()?;
    }
    if !depth.trim().is_empty() {
        tokens[2] = depth.trim().strip_prefix('d')?.trim().parse().ok()?;
    }
    Some(tokens)
}

/// Tokens of a test and tokens per second, or the fault of the cells.
fn result(name: &str, rate: &str) -> Result<([u64; 3], fields::Number), String> {
    let bad = |what: &str, found: &str| {
        format!("expected {what}, found \"{}\"", crate::read::short(found))
    };
    let tokens = test(name).ok_or_else(|| bad("a test such as pp512 or tg128 @ d4096", name))?;
    let number = fields::number(rate.split('±').next().unwrap_or(""));
    Ok((tokens, number.ok_or_else(|| bad("tokens per second", rate))?))
}

/// The rows of all tables of a text.
struct Tables<'a> {
    /// The line of each, and its cells by their names.
    rows: Vec<(usize, Vec<(&'a str, &'a str)>)>,
    /// The heading above each.
    headings: Vec<String>,
    /// The commit of each, which stands below its rows.
    builds: Vec<Option<String>>,
}

impl<'a> Tables<'a> {
    fn of(text: &'a str) -> Self {
        let (mut headers, mut rows, mut heading) = (Vec::new(), Vec::new(), String::new());
        let mut headings: Vec<String> = Vec::new();
        let mut builds: Vec<Option<String>> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let cells = cells(line);
            if header(&cells) {
                headers = cells;
            } else if let Some(commit) = line.trim().strip_prefix("build:") {
                builds.resize(rows.len(), commit.split_whitespace().next().map(str::to_owned));
            } else if cells.len() == headers.len()
                && !cells.is_empty()
                && !cells[0].starts_with(['-', ':'])
            {
                rows.push((index + 1, headers.iter().copied().zip(cells).collect::<Vec<_>>()));
                headings.push(heading.clone());
            } else if let Some(label) = label_of(line, index + 1) {
                heading = label;
            }
        }
        builds.resize(rows.len(), None);
        Self { rows, headings, builds }
    }
}

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let text = content.text();
    let Tables { rows, headings, builds } = Tables::of(&text);
    let setting = |(name, _): &&(&str, &str)| !NOT_SETTINGS.contains(name);
    let settings: Vec<Vec<(String, String)>> = rows
        .iter()
        .map(|(_, row)| {
            let settings = row.iter().filter(setting);
            settings.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        })
        .collect();
    let told = |(_, row): &(usize, Vec<(&str, &str)>)| -> Vec<(String, String)> {
        let cells = row.iter().filter(|(name, _)| *name != "t/s");
        cells.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let headed = varying::recurs(rows.iter().map(told).zip(headings.iter().cloned()));
    let mut found = Found::default();
    for (place, (((line, row), settings), variant)) in
        rows.iter().zip(&settings).zip(varying::names(&settings)).enumerate()
    {
        let cell =
            |name: &str| row.iter().find(|(known, _)| *known == name).map_or("", |(_, c)| *c);
        let (tokens, number) = match result(cell("test"), cell("t/s")) {
            Ok(result) => result,
            Err(problem) => {
                let error = Error::at_line(content.path, *line, problem, "fix or remove the line");
                if !options.lenient {
                    return Err(error);
                }
                let place = format!("line {line}");
                found.skipped.push(crate::runs::Skipped { place, why: error.to_string() });
                continue;
            }
        };
        let mut builder = RunBuilder::new(content, "llama-bench", *line, "line");
        builder.put(throughput(tokens[0] as f64, tokens[1] as f64), number);
        for (key, value) in ["n_prompt", "n_gen", "n_depth"].iter().zip(tokens) {
            builder.load(key, Some(value.to_string()));
        }
        builder.run.workload.model = Some(cell("model").to_owned());
        if headed {
            builder.run.variant.clone_from(&headings[place]);
            builder.run.workload.label = Some(variant).filter(|settings| !settings.is_empty());
        } else {
            builder.configuration(variant);
        }
        builder.metadata(ITERATIONS, Some("not said".to_owned()));
        builder.metadata("build", builds[place].clone());
        for (key, value) in settings {
            builder.metadata(key, Some(value.clone()));
        }
        builder.finish(&mut found, options)?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::test;

    #[test]
    fn tests_are_named_in_several_ways() {
        for (name, tokens) in [
            ("pp512", Some([512, 0, 0])),
            ("pp 512", Some([512, 0, 0])),
            ("tg128 @ d4096", Some([0, 128, 4096])),
            ("pp512+tg128", Some([512, 128, 0])),
            ("fast", None),
            ("é", None),
        ] {
            assert_eq!(test(name), tokens, "{name}");
        }
    }
}
