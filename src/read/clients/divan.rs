//! divan: the tree that `cargo bench` prints.
//!
//! Replicate: a printed tree, which is one process; its samples are iterations of that process. The name of a benchmark is
//! its path in the tree. Throughputs under a row repeat its times; allocations are counted per iteration.

use crate::kit::prelude::*;
use crate::kit::quantity;
use crate::text::labels::Labels;
use beyondnoise_model::units::bytes_of;

pub(crate) const TEXT: Reader = Reader {
    name: "divan text",
    marks: Marks::Text(&["fastest", "slowest", "samples", "iters"]),
    recognised_by: "a line that begins the tree of results",
    one_run: "a row of a printed tree, which is one process",
    metrics: &["time_per_op_ns", "median_time_per_op_ns", "min_time_per_op_ns"],
    recognise: |content, _| content.text().lines().any(|line| root(line).is_some()),
    read: |content, options| Reading::of(content, options, read),
    ..Reader::EMPTY
};

/// The name at the root of a tree, where the line is its header.
fn root(line: &str) -> Option<&str> {
    let (first, rest) = line.split_once('│')?;
    let names: Vec<&str> = rest.split('│').map(str::trim).collect();
    let name = first.trim_end().strip_suffix("fastest")?.trim();
    (names == ["slowest", "median", "mean", "samples", "iters"]).then_some(name)
}

/// Depth and text of a line of the tree that begins a benchmark or a group, from 1.
fn branch(line: &str) -> Option<(usize, &str)> {
    let mut rest = line;
    let mut depth = 1;
    while let Some(inner) = rest.strip_prefix("│  ").or_else(|| rest.strip_prefix("   ")) {
        (rest, depth) = (inner, depth + 1);
    }
    let text = rest.strip_prefix("├─ ").or_else(|| rest.strip_prefix("╰─ "))?;
    Some((depth, text))
}

/// The cells after the name of a line, and the name: `add   0.48 ns │ 1.26 ns │ ...`.
fn cells(text: &str) -> (String, Vec<String>) {
    let mut cells: Vec<String> = text.split('│').map(|cell| cell.trim().to_owned()).collect();
    let words: Vec<&str> = text.split('│').next().unwrap_or_default().split_whitespace().collect();
    let timed = words.len() > 2 && nanoseconds(words[words.len() - 1]).is_some();
    let name = if timed { &words[..words.len() - 2] } else { &words[..] };
    cells[0] = words[name.len()..].join(" ");
    (name.join(" "), cells)
}

/// The allocations below a row: the line of their title, then counts, then bytes.
#[derive(Clone, Copy, PartialEq)]
enum Below {
    Nothing,
    Count,
    Bytes,
}

fn read(file: &mut Reading) -> Result<(), Error> {
    let text = file.content.text();
    let labels = Labels::of(&text);
    let (mut variant, mut path) = (String::new(), Vec::<String>::new());
    let (mut open, mut below) = (None::<RunBuilder>, Below::Nothing);
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start_matches("> ");
        if let Some(name) = root(line) {
            path = vec![name.to_owned()];
            continue;
        }
        if path.is_empty() || !line.contains('│') && branch(line).is_none() {
            open.take().map_or(Ok(()), |builder| file.add(builder))?;
            variant = labels.at(index).unwrap_or(variant);
            path.clear();
            continue;
        }
        if let Some((depth, text)) = branch(line) {
            open.take().map_or(Ok(()), |builder| file.add(builder))?;
            below = Below::Nothing;
            let (name, cells) = cells(text);
            path.truncate(depth);
            path.push(name);
            if cells[0].is_empty() {
                continue;
            }
            let mut builder = file.run("divan", index + 1, "line");
            builder.run.variant.clone_from(&variant);
            let named = path.iter().filter(|part| !part.is_empty());
            builder.run.workload.label = Some(named.cloned().collect::<Vec<_>>().join("/"));
            let columns =
                [(0, "min_time_per_op_ns"), (2, "median_time_per_op_ns"), (3, "time_per_op_ns")];
            for (at, metric) in columns {
                let cell = cells.get(at).map_or("", String::as_str);
                let Some(time) = quantity::milliseconds(&cell.replace(' ', "")) else {
                    let what = "a time such as 0.485 ns in each of four columns";
                    return Err(file.wrong_line(index + 1, (what, text), "paste the whole line"));
                };
                if time.value > 0.0 {
                    builder.put(metric, time.times(1e6));
                } else {
                    builder.note(format!("{metric} is 0, which means no data"));
                }
            }
            if let Some(samples) = cells.get(4).and_then(|cell| cell.parse().ok()) {
                builder.iterations(samples);
            }
            open = Some(builder);
        } else if let Some(builder) = &mut open {
            let (first, rest) = line.split_once('│').unwrap_or((line, ""));
            // The tree itself may have such lines before the cells.
            let (first, rest) = if first.trim().is_empty() {
                let deeper = line.trim_start_matches([' ', '│']);
                deeper.split_once('│').unwrap_or((deeper, ""))
            } else {
                (first, rest)
            };
            let mean = rest.split('│').nth(2).unwrap_or_default();
            below = match below {
                _ if first.trim() == "alloc:" => Below::Count,
                Below::Count => {
                    let count = number(mean.trim());
                    if let Some(count) = count {
                        builder.put("allocs_per_op", count);
                    }
                    Below::Bytes
                }
                Below::Bytes => {
                    let size = bytes(mean);
                    if let Some(size) = size {
                        builder.put("bytes_per_op", size);
                    }
                    Below::Nothing
                }
                Below::Nothing => Below::Nothing,
            };
        }
    }
    open.take().map_or(Ok(()), |builder| file.add(builder))?;
    file.needs_runs(
        "expected a benchmark, found none",
        "run the benchmarks again, or remove the file",
    )
}

/// Bytes of `1.024 KB`, in units of 1,000 or, with an i, of 1,024.
fn bytes(text: &str) -> Option<Number> {
    let (size, unit) = quantity::split(text)?;
    Some(size.times(bytes_of(unit)?))
}
