//! Notes and logs: finds the results in any text, with what is written above each: printed blocks with or without
//! their title, lines of programs, tables.
//!
//! Every part is read by itself. One that cannot be read is listed, with its line and the reason, and stops nothing;
//! only a text of which no part can be read is an error.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::kit::arithmetic::far_one_way;
use crate::kit::printed::{Kind, title};
use crate::kit::{commands, contains};
use crate::reader::{COMMAND, Content, Found, Options, Reader, SERVING};
use crate::text::claims::{self};
use crate::text::grid::{Grid, grids};
use crate::text::headings;
use crate::text::headings::heading::{Block, COLON, Heading, Standing, add_metrics};
use crate::text::labelled::{self, Labelled};
use crate::text::labels::captions;
use crate::text::notes::printed::{
    MIN_NUMBERS, are_columns_of_numbers, part_titles, printed_settings, printed_title, recurring,
    recurs_between_results, table_title,
};
use crate::text::printed_lines;
use crate::text::printed_programs::Printed;
use crate::text::prose;
use crate::text::text_block::{self, Seen};
use crate::text::{alike, around};
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::{Claim, LabelHint, Run, Skipped, Source, Value, label_hint};

mod ahead;
pub(crate) mod between;
mod blocks;
mod lines;
mod outside;
mod printed;
mod qualified;

pub(crate) use crate::text::notes::lines::lines_of;
pub(crate) use crate::text::notes::printed::{has_bare_numbers, printed_labels};

pub(crate) const READER: Reader = Reader {
    name: "text blocks",
    recognised_by: "a ruler of = with a title such as Serving Benchmark Result, anywhere in the text",
    one_run: "a block; several under one heading are repeats",
    metrics: SERVING,
    recognise: |content, _| {
        // Any kind of space may separate the words of a title.
        let has = |words: &[u8]| contains(content.bytes(), words);
        has(b"Benchmark") && has(b"Result") && has(b"====")
    },
    read,
    ..Reader::EMPTY
};

/// Longest line above a table that names it, in characters.
const MAX_CAPTION_CHARS: usize = 100;

/// Reads a table with the heading above it and the number of runs that the text above states.
pub(crate) type ReadTable<'a> =
    &'a mut dyn FnMut(Grid, Option<&str>, Option<&str>) -> Result<Found, Error>;

/// State of the walk over the lines.
#[expect(clippy::struct_excessive_bools, reason = "each is an independent property")]
struct Walk<'a> {
    path: &'a str,
    lines: Vec<String>,
    /// Whether the text has a block with its title: then tables are about it.
    titled: bool,
    /// Whether the last line ends without a line feed, and so may be cut off.
    open_end: bool,
    /// Texts that come back were printed by a tool.
    recurring: BTreeSet<String>,
    /// Whether one of them stands between two results.
    sides_recur: bool,
    /// The title between long rulers, where no other one is.
    printed_title: Option<String>,
    /// The words directly above each of several tables, where these are the same.
    table_title: Option<String>,
    /// Index behind the last line that only looks like a heading: see [`Walk::is_printed`].
    printed_until: usize,
    /// Labels that paragraphs give to the results directly below, by the index of their last line.
    captions: BTreeMap<usize, String>,
    /// Labels of results that come back, as a program prints them for each side.
    printed_labels: BTreeSet<String>,
    /// Whether the text is the output of one run: see [`PrintedLabels::once`].
    one_run: bool,
    /// Whether columns of numbers are each below words of their own.
    columns_of_numbers: bool,
    /// Labels of whole numbers that come back with another number.
    printed_settings: BTreeSet<String>,
    /// Lines that end with a colon and come back.
    part_titles: BTreeSet<String>,
    tables: Vec<Grid>,
    read_table: Option<ReadTable<'a>>,
    /// Text of people since the last table.
    words: String,
    /// Line up to which the lines belong to a part that was read.
    until: usize,
    /// Parts that cannot be read, with their line.
    failed: Vec<(usize, Error)>,
    headings: Vec<Heading>,
    claims: Vec<Claim>,
    /// Whether a heading is between the last block and the claims.
    headed: bool,
    /// Text below the last block that is no heading.
    unread: Option<(usize, String)>,
    /// Such texts above earlier blocks: what comes back was printed by a tool.
    known: BTreeSet<String>,
    /// Lines of text directly above this one.
    paragraph: usize,
    /// Rate, cap, model and data set that the log names before the block.
    ahead: Run,
    fenced: bool,
    open: Option<Open>,
    loose: Loose,
    blocks: Vec<Block>,
    skipped: Vec<Skipped>,
}

/// Lines of figures outside of blocks.
#[derive(Default)]
struct Loose {
    /// Line and label of the first.
    line: usize,
    label: String,
    count: usize,
    /// Whether the last line was one.
    last: bool,
}

/// A block without its closing ruler yet.
struct Open {
    /// `None` for a block without a title.
    kind: Option<Kind>,
    prefix: String,
    line: usize,
    run: Run,
    seen: Seen,
    /// The runs of a block with a column for each, with their labels.
    columns: Vec<(String, Run, Seen)>,
    /// Index of the line behind the last one, where no ruler closes the block.
    end: Option<usize>,
    /// See [`Block::unread`].
    unread: Option<(usize, String)>,
    /// The following lines repeat labels for a part of the run.
    ignore: bool,
    /// A block that gives no run.
    spoiled: bool,
}

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    read_parts(content, options, (grids(&content.text()), None))
}

/// Reads all parts of a text with these tables; without a reader of tables these are listed.
pub(crate) fn read_parts<'a>(
    content: &Content<'a>,
    options: &Options,
    (mut tables, read_table): (Vec<Grid>, Option<ReadTable<'a>>),
) -> Result<Found, Error> {
    let text = content.text();
    let lines = lines_of(&text);
    let titled = lines.iter().any(|line| title(line).is_some());
    if titled {
        tables.retain(|grid| grid.ruled);
    }
    let tabled: Vec<Range<usize>> = tables.iter().map(|grid| grid.lines.clone()).collect();
    let printed = printed_labels(&lines);
    let recurring = recurring(&lines);
    let one_run = printed.once && !titled && tables.is_empty();
    let mut walk = Walk {
        path: content.path,
        titled,
        open_end: !text.ends_with('\n'),
        sides_recur: recurs_between_results(&lines, &recurring),
        recurring,
        printed_title: printed_title(&lines),
        table_title: table_title(&lines, &tabled),
        printed_until: 0,
        captions: captions(&lines.iter().map(String::as_str).collect::<Vec<_>>()),
        printed_labels: if printed.once && !one_run { BTreeSet::new() } else { printed.labels },
        one_run,
        columns_of_numbers: are_columns_of_numbers(&lines),
        printed_settings: printed_settings(&lines),
        part_titles: part_titles(&lines),
        tables,
        read_table,
        words: String::new(),
        until: 0,
        failed: Vec::new(),
        headings: Vec::new(),
        claims: Vec::new(),
        headed: true,
        unread: None,
        known: BTreeSet::new(),
        paragraph: 0,
        ahead: Run::default(),
        fenced: false,
        open: None,
        loose: Loose::default(),
        blocks: Vec::new(),
        skipped: Vec::new(),
        lines,
    };
    walk.tables.reverse();
    for index in 0..walk.lines.len() {
        walk.line(index);
    }
    walk.end_block();
    walk.loose_figures();
    for claim in &mut walk.claims {
        claim.closing = true;
    }
    // A line below the last result that looks like a heading is none: nothing follows.
    walk.headed = false;
    walk.below();
    walk.sentences();
    let Walk { mut blocks, mut skipped, failed, lines, .. } = walk;
    headings::label_by_commands(&mut blocks, &lines);
    let unreadable = |heading: &&Heading| heading.label.contains('\u{fffd}');
    if let Some(bad) = blocks.iter().flat_map(|block| &block.headings).find(unreadable) {
        let problem =
            format!("expected UTF-8, found another encoding in the heading \"{}\"", bad.label);
        let remedy = "convert the file (for example: iconv -f GBK -t UTF-8)";
        return Err(Error::at_line(content.path, bad.line, problem, remedy));
    }
    for line in leave_out_restated(&mut blocks, &tabled) {
        let why = "says again what a table holds: not read".to_owned();
        skipped.push(Skipped { place: format!("line {line}"), why });
    }
    let (runs, unnamed) = headings::name_variants(blocks);
    let source = Source { path: content.path.into(), position: 1, counts: "line" };
    let mut runs = with_what_is_alike(runs, &lines, &source, titled);
    headings::tell_commands_apart(&mut runs, &lines);
    tell_sizes_apart(&mut runs);
    if runs.iter().all(|run| run.metadata.get(COMMAND) == Some(&run.variant)) {
        commands::split(&mut runs);
    }
    // Where the lines were read together, sentences have no block beside them.
    if runs.iter().all(|run| run.info.claims.is_empty()) {
        around::add_claims(content.path, &text, &mut runs);
    }
    let mut failed: Vec<(usize, Error)> = failed.into_iter().chain(unnamed).collect();
    failed.sort_by_key(|(line, _)| *line);
    if runs.is_empty() && !options.lenient && !failed.is_empty() {
        return Err(failed.swap_remove(0).1);
    }
    for (line, error) in failed {
        skipped.push(Skipped { place: format!("line {line}"), why: why(&error) });
    }
    Ok(Found { runs, skipped, ..Found::default() })
}

/// Most values of a table that people repeat in sentences.
const MAX_RESTATED: usize = 5_000;

/// Words of headings above what sums up a table.
const SUMMING_UP: &[&str] =
    &["verdict", "summary", "conclusion", "takeaway", "finding", "结论", "总结", "小结"];

/// Takes out lists and sentences whose values are all in a table above, as they are printed or rounded, and returns their lines:
/// they speak of its results. The same for printed results, where a table has the values of all of them.
fn leave_out_restated(blocks: &mut Vec<Block>, tables: &[Range<usize>]) -> Vec<usize> {
    let in_table = |run: &Run| {
        let line = run.source.position.checked_sub(1);
        line.is_some_and(|line| tables.iter().any(|lines| lines.contains(&line)))
    };
    let of_block = |block: &Block| -> Vec<Value> {
        let runs = std::iter::once(&block.run).chain(&block.runs);
        runs.flat_map(|run| run.metrics.values().copied()).collect()
    };
    let labels = |block: &Block| -> BTreeSet<String> {
        block.headings.iter().map(|heading| heading.label.clone()).collect()
    };
    let sums_up = |label: &String| {
        let lower = label.to_lowercase();
        SUMMING_UP.iter().any(|word| lower.contains(word))
    };
    // Three digits alone may be chance.
    let telling = |value: &Value| value.value.abs() > 500.0 * value.resolution;
    let same = |value: &Value, other: &Value| {
        other.resolution <= value.resolution
            && (other.value - value.value).abs() <= value.resolution * (1.0 + 1e-6)
    };
    let held = |value: &Value, known: &[Value]| known.iter().any(|other| same(value, other));
    let (mut known, mut out): (Vec<Value>, Vec<usize>) = Default::default();
    // Printed results whose values are all in a table again.
    let (tabled, printed): (Vec<&Block>, Vec<&Block>) =
        blocks.iter().partition(|block| in_table(&block.run));
    let all: Vec<Value> = tabled.into_iter().flat_map(&of_block).collect();
    let again = |block: &&Block| {
        let values = of_block(block);
        values.len() > 1
            && values.iter().any(telling)
            && values.iter().all(|value| held(value, &all))
    };
    if printed.len() > 1 && all.len() <= MAX_RESTATED && printed.iter().all(again) {
        out.extend(printed.iter().map(|block| block.run.source.position));
        blocks.retain(|block| in_table(&block.run));
        return out;
    }
    let mut above: BTreeSet<String> = BTreeSet::new();
    blocks.retain(|block| {
        let values = of_block(block);
        let source = block.runs.first().unwrap_or(&block.run);
        if in_table(&block.run) {
            if labels(block) != above {
                known.clear();
            }
            known.extend(values);
            above = labels(block);
            return true;
        }
        // Below another heading the same numbers may be other results.
        if !labels(block).difference(&above).all(sums_up) {
            return true;
        }
        let listed = source.info.of_table && source.workload.client.is_none();
        let restated = listed
            && known.len() <= MAX_RESTATED
            && !values.is_empty()
            && values.len() < known.len()
            && values.iter().any(telling)
            && values.iter().all(|value| held(value, &known));
        if restated {
            out.push(source.source.position);
        }
        !restated
    });
    out
}

/// The runs with what a program printed alike for all of them, in a text without tables and titles: instead of runs that are doubtful,
/// several of one side that no words tell apart, or sides named by lines with values; else what they lack.
fn with_what_is_alike(runs: Vec<Run>, lines: &[String], source: &Source, titled: bool) -> Vec<Run> {
    let mut places: BTreeMap<_, usize> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.name.is_none() && !run.info.of_table) {
        // Counts may stand in one of two parts alone.
        let settings =
            format!("{:?} {:?} {:?}", run.workload.label, run.workload.other, run.metadata);
        *places.entry((&run.variant, settings)).or_default() += 1;
    }
    let pooled = places.values().any(|times| *times > 1);
    let valued = runs.iter().any(|run| alike::holds_values(&run.variant));
    let listed = runs.iter().any(|run| run.info.of_table);
    if listed || titled && !valued {
        return runs;
    }
    let Some(found) = alike::read(lines, source) else { return runs };
    let once: BTreeSet<_> =
        found.iter().map(|run| (&run.variant, format!("{:?}", run.workload), &run.name)).collect();
    if once.len() < found.len() {
        return runs;
    }
    if pooled || valued {
        return found;
    }
    complete(runs, &found)
}

/// Fewest results below each name that may be those of a sweep, and the least ratio of their ends.
const MIN_SWEPT: usize = 3;
const SWEPT: f64 = 3.0;

/// Makes cells of results that no words tell apart below any name, where the same metric rises or falls through all of them, far: those
/// of a sweep are no repeats.
fn tell_sizes_apart(runs: &mut [Run]) {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, run) in runs.iter().enumerate() {
        if run.name.is_some() || run.info.of_table {
            return;
        }
        groups.entry(run.variant.clone()).or_default().push(at);
    }
    let alike = |at: &Vec<usize>| at.iter().all(|&at| runs[at].workload == runs[0].workload);
    let count = groups.values().map(Vec::len).max().unwrap_or_default();
    let even = groups.values().all(|group| group.len() == count && alike(group));
    let sweeps = |name: &str| -> Option<BTreeSet<bool>> {
        let way = |group: &Vec<usize>| -> Option<bool> {
            let value = |at: &usize| runs[*at].metrics.get(name).map(|value| value.value);
            let values: Vec<f64> = group.iter().map(value).collect::<Option<_>>()?;
            far_one_way(&values, 1.0, SWEPT)
        };
        groups.values().map(way).collect()
    };
    let names: Vec<String> =
        runs.iter().take(1).flat_map(|run| run.metrics.keys()).map(str::to_owned).collect();
    let swept = names.iter().any(|name| sweeps(name).is_some_and(|ways| ways.len() == 1));
    if count < MIN_SWEPT || !even || !swept {
        return;
    }
    for group in groups.values() {
        for (nth, &at) in group.iter().enumerate() {
            runs[at].workload.other.insert("place".to_owned(), (nth + 1).to_string());
        }
    }
}

/// Runs, one for each variant, with the values that others of the same variants have and they have under no name.
fn complete(mut runs: Vec<Run>, others: &[Run]) -> Vec<Run> {
    let names = |runs: &[Run]| -> BTreeSet<String> {
        runs.iter().map(|run| run.variant.to_lowercase()).collect()
    };
    let one_each = |runs: &[Run]| names(runs).len() == runs.len();
    if !one_each(&runs) || !one_each(others) || names(&runs) != names(others) {
        return runs;
    }
    let same = |one: f64, other: f64| {
        [1.0, 1e3, 1e-3, 1e6, 1e-6]
            .iter()
            .any(|unit| (one * unit - other).abs() <= 1e-6 * other.abs())
    };
    for run in &mut runs {
        let own = others.iter().find(|other| other.variant.eq_ignore_ascii_case(&run.variant));
        for (name, value) in own.iter().flat_map(|other| &other.metrics) {
            let known = |known: &Value| same(known.value, value.value);
            if !run.metrics.contains_key(name) && !run.metrics.values().any(known) {
                run.metrics.insert(name.to_owned(), *value);
            }
        }
    }
    runs
}

/// The words of an error beside its place.
fn why(error: &Error) -> String {
    match error {
        Error::Input { problem, remedy, .. } | Error::NoResult { problem, remedy, .. } => {
            format!("{problem}; {remedy}")
        }
        other => other.to_string(),
    }
}

/// Most lines of bare numbers that are runs.
const MAX_NUMBERS: usize = 200;

/// Whether a line that comes back is one of a tool, and no heading.
fn is_log(line: &str) -> bool {
    title(line).is_none()
        && text_block::figure(line).is_none()
        && headings::heading(line.trim(), 1).is_none()
        && printed_lines::read(line, &[]).is_none()
}

/// Whether a line opens or closes a fence, and whether it can only open one.
fn fence(line: &str) -> Option<bool> {
    let bare = line.trim_start_matches(['>', ' ', '#']);
    let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark))?;
    let info = bare.trim_start_matches(&mark[..1]).trim();
    Some(!info.is_empty() && !info.starts_with('='))
}

impl Walk<'_> {
    fn line(&mut self, index: usize) {
        if index < self.until {
            return;
        }
        let line = std::mem::take(&mut self.lines[index]);
        self.line_of(index, &line);
        self.lines[index] = line;
    }

    fn line_of(&mut self, index: usize, line: &str) {
        let number = index + 1;
        let fence = fence(line);
        let title = title(line);
        if let Some(block) = &mut self.open {
            if title.as_ref().is_some_and(|title| title.kind == Kind::SteadyState) {
                block.ignore = true;
                return;
            }
            let ended = block.end.is_some_and(|end| index >= end);
            if fence.is_none() && title.is_none() && !ended {
                return self.inside(number, line);
            }
            self.end_block();
        }
        if fence.is_some() || title.is_some() {
            self.loose_figures();
        }
        match (title, fence) {
            (Some(title), fence) => {
                self.fenced |= fence.is_some();
                self.start(index, title, self.end_without_ruler(index));
            }
            (None, Some(opens)) => self.fenced = opens || !self.fenced,
            (None, None) if self.table(index) => {}
            (None, None) if self.printed(index, line) => {}
            (None, None) => match self.figures_from(index, line) {
                Some(end) => self.start_untitled(index, line, end),
                None => self.outside(index, line),
            },
        }
    }

    /// Reads the table whose first line is this one; false if there is none.
    fn table(&mut self, index: usize) -> bool {
        while self.tables.last().is_some_and(|grid| grid.lines.start < index) {
            self.tables.pop();
        }
        let Some(grid) = self.tables.pop_if(|grid| grid.lines.start == index) else { return false };
        self.loose_figures();
        self.until = grid.lines.end;
        let number = index + 1;
        if self.titled {
            let why =
                "a table beside printed blocks: not read; put it in a file of its own".to_owned();
            self.skip(number, why);
            return true;
        }
        // A label above the box names it better.
        let named = self
            .headings
            .iter()
            .any(|other| other.level >= COLON && number.saturating_sub(other.line) < 3);
        if let Some(title) = grid.title.as_ref().filter(|_| !named) {
            self.headings.retain(|other| other.level < COLON);
            self.headings.push(Heading::firm(COLON, title.clone(), number));
        }
        let heading = self.headings.iter().rfind(|heading| heading.level <= COLON);
        let heading = heading.map(|heading| heading.label.clone());
        let words = std::mem::take(&mut self.words);
        let Some(read_table) = &mut self.read_table else { return true };
        match read_table(grid, heading.as_deref(), Some(&words)) {
            Err(error) => self.failed.push((number, error)),
            Ok(Found { runs, skipped, .. }) => {
                self.skipped.extend(skipped);
                if !self.goes_on(&runs) {
                    self.side_in_words(number, &words, &runs);
                    self.add_runs(number, runs);
                }
            }
        }
        true
    }

    /// Adds the metrics of a table to the runs of the table above, if no heading separates them and every run has
    /// exactly one run with the same variant, name and settings and without these metrics there.
    fn goes_on(&mut self, runs: &[Run]) -> bool {
        let Some(block) = self.blocks.last_mut() else { return false };
        let below = block.run.source.position;
        if runs.len() != block.runs.len() || self.headings.iter().any(|h| h.line > below) {
            return false;
        }
        let place = |run: &Run| {
            block.runs.iter().position(|other| {
                !run.variant.is_empty()
                    && other.variant == run.variant
                    && other.name == run.name
                    && other.workload == run.workload
                    && other.metadata == run.metadata
                    && run.metrics.keys().all(|metric| !other.metrics.contains_key(metric))
            })
        };
        let places: Option<Vec<usize>> = runs.iter().map(place).collect();
        let Some(places) = places else { return false };
        if places.iter().collect::<BTreeSet<_>>().len() < runs.len() {
            return false;
        }
        for (run, at) in runs.iter().zip(places) {
            let known = &mut block.runs[at];
            add_metrics(known, run);
        }
        true
    }

    /// A line that is alone directly above a table, which it names.
    fn caption(&self, number: usize) -> Option<String> {
        let blank = |line: &str| line.trim_matches(['>', ' ']).is_empty();
        let line = self.lines.get(number.checked_sub(2)?)?.trim();
        let alone = number < 3 || self.lines.get(number - 3).is_some_and(|above| blank(above));
        let words = line.trim_start_matches(['>', ' ']);
        // Neither a fence nor a command is a name.
        let other = fence(line).is_some() || words.starts_with(['$', '❯', '➜', '#', '%', '|']);
        let sentence =
            other || words.ends_with(['.', '。', ';', ',', '?', '？']) || claims::is_claim(words);
        (alone && !blank(line) && !sentence && words.chars().count() <= MAX_CAPTION_CHARS)
            .then(|| words.trim_end_matches([':', '：']).to_owned())
    }

    /// Takes the side that the sentences above a table name as its heading, where nothing else names it.
    fn side_in_words(&mut self, number: usize, words: &str, runs: &[Run]) {
        let below = self.blocks.last().map_or(0, |block| block.run.source.position);
        let headed = self.headings.iter().any(|heading| heading.line > below);
        if headed {
            return;
        }
        let own = runs.iter().any(|run| !run.variant.is_empty());
        let side = prose::side_of(words).filter(|_| !own).map(|(_, label)| label);
        let Some(label) = side.or_else(|| self.caption(number)) else { return };
        self.unread = None;
        self.headings.retain(|other| other.level < COLON);
        self.headings.push(Heading::firm(COLON, label, number));
    }

    /// Adds the runs of a table or of printed lines as one part under the headings above it.
    fn add_runs(&mut self, line: usize, mut runs: Vec<Run>) {
        if runs.is_empty() {
            return;
        }
        let (mut run, unread) = self.next_run(line);
        // The text beside a table is about the changed variant.
        let beside = runs.iter().rposition(|run| label_hint(&run.variant) != LabelHint::Baseline);
        let beside = beside.unwrap_or(runs.len() - 1);
        runs[beside].info.claims.append(&mut run.info.claims);
        for (key, value) in run.metadata.iter() {
            for run in &mut runs {
                run.metadata.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        self.settle(Block { run, runs, headings: Vec::new(), unread });
    }

    /// Adds a part that was read.
    fn settle(&mut self, block: Block) {
        // The titles of the parts of one output name no variant.
        if self.one_run {
            self.headings.retain(|heading| heading.level < COLON);
        }
        let known = self.blocks.last_mut();
        if known.is_some_and(|known| {
            let below = known.run.source.position;
            self.headings.iter().all(|heading| heading.line <= below) && known.takes_in(&block)
        }) {
            return;
        }
        for heading in &mut self.headings {
            if heading.standing == Standing::Pending {
                heading.standing = Standing::Firm;
            }
        }
        self.blocks.push(Block { headings: self.headings.clone(), ..block });
        self.headed = false;
    }

    fn skip(&mut self, line: usize, why: String) {
        self.skipped.push(Skipped { place: format!("line {line}"), why });
    }

    /// Reads the lines of a program that start here; false if there are none.
    fn printed(&mut self, index: usize, line: &str) -> bool {
        if self.titled {
            return false;
        }
        let number = index + 1;
        if self.bare_numbers(index, line) {
            return true;
        }
        let Some(Printed { run, lines }) = printed_lines::read(line, &self.lines[index + 1..])
        else {
            return self.labelled(index, line);
        };
        // Lines of other quantities directly below go on with the result above.
        let joins = self.until == index && lines == 1 && index > 0;
        self.until = index + lines;
        if joins
            && let Some(block) = self.blocks.last_mut()
            && block.runs.is_empty()
            && run.variant.is_empty()
            && run.workload.other == block.run.workload.other
            && run.workload.label == block.run.workload.label
            && run.metrics.keys().all(|name| !block.run.metrics.contains_key(name))
        {
            for (name, value) in &run.metrics {
                block.run.metrics.insert(name.to_owned(), *value);
            }
            return true;
        }
        let source = Source { path: self.path.into(), position: number, counts: "line" };
        let run = Run { source, ..run };
        if let Some(run) = self.finished(None, number, run, Seen::default()) {
            if run.variant.is_empty() {
                let (above, unread) = self.next_run(number);
                let mut run = Run { source: above.source, ..run };
                run.info.claims.clone_from(&above.info.claims);
                self.settle(Block { run, runs: Vec::new(), headings: Vec::new(), unread });
            } else {
                self.add_runs(number, vec![run]);
            }
        }
        true
    }

    /// Reads lines of one number each below the name of a side: its runs.
    fn bare_numbers(&mut self, index: usize, line: &str) -> bool {
        let given = std::iter::once(line);
        let others = self.lines[index + 1..].iter().map(String::as_str);
        let values: Vec<printed_lines::Bare> =
            given.chain(others).map_while(printed_lines::bare_number).collect();
        if values.is_empty() {
            return false;
        }
        let named = self.headings.iter().any(|h| label_hint(&h.label) != LabelHint::Neither);
        let side = named || self.columns_of_numbers || prose::side_of(&self.words).is_some();
        let counted = values.iter().all(|value| value.counted);
        let side = side || counted && !self.headings.is_empty();
        let fewest = if counted { 2 } else { MIN_NUMBERS };
        if !side || !(fewest..=MAX_NUMBERS).contains(&values.len()) {
            return false;
        }
        self.until = index + values.len();
        // Their average below them is no run; it may name their metric.
        let below = self.lines.get(self.until);
        let average = below.and_then(|line| printed_lines::average_of(&values, line));
        self.until += usize::from(average.is_some());
        let metric = average.filter(|name| !name.is_empty());
        let mut runs = Vec::new();
        for (at, value) in values.into_iter().enumerate() {
            let position = index + 1 + at;
            let source = Source { path: self.path.into(), position, counts: "line" };
            let run = value.run(metric.as_deref());
            let run = Run { source, name: Some((at + 1).to_string()), ..run };
            runs.extend(self.finished(None, position, run, Seen::default()));
        }
        let words = std::mem::take(&mut self.words);
        self.side_in_words(index + 1, &words, &runs);
        self.add_runs(index + 1, runs);
        true
    }

    /// Reads the lines of sides with their values that start here; false if there are none.
    fn labelled(&mut self, index: usize, line: &str) -> bool {
        let number = index + 1;
        let source = Source { path: self.path.into(), position: number, counts: "line" };
        let Some(Labelled { runs, lines, notes }) =
            labelled::read(&self.lines[..index], line, &self.lines[index + 1..], &source)
        else {
            return false;
        };
        self.until = index + lines;
        for (line, why) in notes {
            self.skip(line, why);
        }
        let finished = |run: Run| self.finished(None, number, run, Seen::default());
        let runs: Vec<Run> = runs.into_iter().filter_map(finished).collect();
        self.add_runs(number, runs);
        true
    }
}
