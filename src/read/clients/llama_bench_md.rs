//! The markdown table that `llama-bench` prints: `| model | ... | test | t/s |`.
//!
//! Replicate: a row, which is one test of one process; `7340.20 ± 23.45` is mean and deviation of iterations inside
//! it, whose number is not in the table.

use std::collections::BTreeSet;

use crate::clients::llama_bench::{THROUGHPUTS, throughput};
use crate::kit::cell_value::is_nothing;
use crate::kit::prelude::*;
use crate::kit::varying;
use crate::text::labels::Labels;
use beyondnoise_model::runs::ITERATIONS;

pub(crate) const READER: Reader = Reader {
    name: "llama-bench markdown",
    recognised_by: "a table with the columns model, test and t/s",
    one_run: "a row, which is one test of one process",
    metrics: THROUGHPUTS,
    recognise: |content, _| {
        let has = |words: &[u8]| contains(content.bytes(), words);
        !json_with(content, &[])
            && has(b" t/s |")
            && has(b" test |")
            && content.text().lines().any(|line| header(&cells(line)))
    },
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
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

/// A row of a table.
struct Row<'a> {
    line: usize,
    /// Cells by their names.
    cells: Vec<(&'a str, &'a str)>,
    heading: String,
    /// The commit, which stands below the rows.
    build: Option<String>,
}

impl Row<'_> {
    fn cell(&self, name: &str) -> &str {
        self.cells.iter().find(|(known, _)| *known == name).map_or("", |(_, cell)| cell)
    }

    /// Names and values of the cells, without those named in `left_out` and without measurements beside the rate.
    fn without(&self, left_out: &[&str]) -> Vec<(String, String)> {
        let set = |(name, value): &&(&str, &str)| {
            !left_out.contains(name) && !value.contains('±') && !value.is_empty()
        };
        let cells = self.cells.iter().filter(set);
        cells.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    /// Tokens of the test and tokens per second.
    fn result(&self, file: &Reading) -> Result<([u64; 3], Number), Error> {
        let (name, rate) = (self.cell("test"), self.cell("t/s"));
        let bad = |what: &str, found: &str| {
            file.wrong_line(self.line, (what, found), "fix or remove the line")
        };
        let tokens =
            test(name).ok_or_else(|| bad("a test such as pp512 or tg128 @ d4096", name))?;
        let mean = number(rate.split('±').next().unwrap_or(""));
        Ok((tokens, mean.ok_or_else(|| bad("tokens per second", rate))?))
    }
}

/// The rows of all tables of a text.
fn rows(text: &str) -> Vec<Row<'_>> {
    let labels = Labels::of(text);
    let (mut headers, mut rows, mut heading) = (Vec::new(), Vec::<Row>::new(), String::new());
    for (index, line) in text.lines().enumerate() {
        let cells = cells(line);
        if header(&cells) {
            headers = cells;
        } else if let Some(commit) = line.trim().strip_prefix("build:") {
            let commit = Some(commit.trim().to_owned()).filter(|commit| !commit.is_empty());
            for row in rows.iter_mut().rev().take_while(|row| row.build.is_none()) {
                row.build.clone_from(&commit);
            }
        } else if cells.len() == headers.len()
            && !cells.is_empty()
            && !cells[0].starts_with(['-', ':'])
        {
            let cells = headers.iter().copied().zip(cells).collect();
            rows.push(Row { line: index + 1, cells, heading: heading.clone(), build: None });
        } else if let Some(label) = labels.at(index) {
            heading = label;
        }
    }
    rows
}

fn read(file: &mut Reading) -> Result<(), Error> {
    let text = file.content.text();
    let rows = rows(&text);
    let settings: Vec<_> = rows.iter().map(|row| row.without(NOT_SETTINGS)).collect();
    let variants = varying::names(&settings);
    let headed =
        varying::recurs(rows.iter().map(|row| (row.without(&["t/s"]), row.heading.clone())));
    // A heading for each combination of settings names it better than these.
    let named: BTreeSet<(&str, &str)> =
        rows.iter().zip(&variants).map(|(row, variant)| (&*row.heading, &**variant)).collect();
    let each = |side: fn(&(&str, &str)) -> String| -> BTreeSet<String> {
        named.iter().map(side).collect()
    };
    let (above, own) = (each(|pair| pair.0.to_owned()), each(|pair| pair.1.to_owned()));
    let titled = named.len() > 1 && above.len() == named.len() && own.len() == named.len();
    let titled = titled && !above.contains("");
    let build = |row: &Row| row.build.clone().unwrap_or_default();
    // One model in several forms, `Q4_K_M` and `Q8_0`, where nothing else differs.
    let forms: BTreeSet<&str> = rows.iter().map(|row| row.cell("model")).collect();
    let sizes: BTreeSet<&str> = rows.iter().map(|row| row.cell("params")).collect();
    let formed = !headed
        && forms.len() > 1
        && sizes.len() == 1
        && !sizes.contains("")
        && own.len() == 1
        && rows.iter().map(build).collect::<BTreeSet<_>>().len() < 2;
    let by_form: BTreeSet<(&str, &str)> =
        rows.iter().map(|row| (row.cell("model"), &*row.heading)).collect();
    let named_forms =
        formed && above.len() == forms.len() && by_form.len() == forms.len() && !above.contains("");
    // The same tests of two builds.
    let built =
        !headed && varying::recurs(rows.iter().map(|row| (row.without(&["t/s"]), build(row))));
    for ((row, settings), variant) in rows.iter().zip(settings).zip(variants) {
        if is_nothing(row.cell("t/s")) {
            file.skip(
                format!("line {}", row.line),
                "no value in the row: nothing was measured there",
            );
            continue;
        }
        let (tokens, rate) = match row.result(file) {
            Ok(result) => result,
            Err(error) => {
                file.refuse(format!("line {}", row.line), error)?;
                continue;
            }
        };
        let mut builder = file.run("llama-bench", row.line, "line");
        builder.put(throughput(tokens[0] as f64, tokens[1] as f64), rate);
        for (key, value) in ["n_prompt", "n_gen", "n_depth"].iter().zip(tokens) {
            builder.load(key, Some(value.to_string()));
        }
        let model = row.cell("model").to_owned();
        builder.run.workload.model = Some(model.clone()).filter(|_| !formed);
        builder.metadata(ITERATIONS, Some("not said".to_owned()));
        let commit = row.build.as_deref().and_then(|build| build.split_whitespace().next());
        builder.metadata("build", commit.map(str::to_owned));
        if formed {
            let label = if named_forms { row.heading.clone() } else { model };
            builder.configuration(label, settings);
        } else if titled {
            builder.configuration(row.heading.clone(), settings);
        } else if headed || built {
            builder.configuration(String::new(), settings);
            builder.run.variant = if headed { row.heading.clone() } else { build(row) };
            builder.run.workload.label = Some(variant).filter(|settings| !settings.is_empty());
        } else {
            builder.configuration(variant, settings);
        }
        file.add(builder)?;
    }
    Ok(())
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
