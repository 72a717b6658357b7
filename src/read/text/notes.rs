//! Notes and logs: finds the results in any text, with what is written above each: printed blocks with or without
//! their title, lines of programs, tables.
//!
//! Every part is read by itself. One that cannot be read is listed, with its line and the reason, and stops nothing;
//! only a text of which no part can be read is an error.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::fields;
use crate::kit::figure::figure;
use crate::kit::finish::finish;
use crate::kit::printed::{Kind, Title, clean, title};
use crate::kit::{contains, short};
use crate::reader::{Content, Found, Options, Reader, SERVING};
use crate::text::claims::{self, claims_of, gives_values};
use crate::text::grid::{Grid, grids};
use crate::text::headings;
use crate::text::headings::heading::{
    Block, COLON, COUNT, FENCED, Heading, INNER, PLAIN, Standing, add_metrics,
};
use crate::text::labelled::{self, Labelled};
use crate::text::labels::captions;
use crate::text::notes::ahead::settings_ahead;
use crate::text::notes::between::{Between, behind_log_header, between};
use crate::text::notes::qualified::qualified;
use crate::text::printed_lines;
use crate::text::printed_programs::Printed;
use crate::text::prose;
use crate::text::sections;
use crate::text::text_block::{self, Bad, Seen};
use beyondnoise_model::error::Error;
use beyondnoise_model::metrics::words::{Quantity, Says, meaning};
use beyondnoise_model::runs::{Claim, LabelHint, Run, RunInfo, Skipped, Source, label_hint};
use beyondnoise_model::units::Scale;

mod ahead;
pub(crate) mod between;
mod qualified;

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
    /// The title between long rulers, where no other one is.
    printed_title: Option<String>,
    /// Index behind the last line that only looks like a heading: see [`Walk::is_printed`].
    printed_until: usize,
    /// Labels that paragraphs give to the results directly below, by the index of their last line.
    captions: BTreeMap<usize, String>,
    /// Labels of results that come back, as a program prints them for each side.
    printed_labels: BTreeSet<String>,
    /// Whether the text is the output of one run: see [`PrintedLabels::once`].
    one_run: bool,
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
    let printed = printed_labels(&lines);
    let one_run = printed.once && !titled && tables.is_empty();
    let mut walk = Walk {
        path: content.path,
        titled,
        open_end: !text.ends_with('\n'),
        recurring: recurring(&lines),
        printed_title: printed_title(&lines),
        printed_until: 0,
        captions: captions(&lines.iter().map(String::as_str).collect::<Vec<_>>()),
        printed_labels: if printed.once && !one_run { BTreeSet::new() } else { printed.labels },
        one_run,
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
    let Walk { blocks, mut skipped, failed, .. } = walk;
    let unreadable = |heading: &&Heading| heading.label.contains('\u{fffd}');
    if let Some(bad) = blocks.iter().flat_map(|block| &block.headings).find(unreadable) {
        let problem =
            format!("expected UTF-8, found another encoding in the heading \"{}\"", bad.label);
        let remedy = "convert the file (for example: iconv -f GBK -t UTF-8)";
        return Err(Error::at_line(content.path, bad.line, problem, remedy));
    }
    let (runs, unnamed) = headings::name_variants(blocks);
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

/// The words of an error beside its place.
fn why(error: &Error) -> String {
    match error {
        Error::Input { problem, remedy, .. } | Error::NoResult { problem, remedy, .. } => {
            format!("{problem}; {remedy}")
        }
        other => other.to_string(),
    }
}

/// The lines of a text as they are seen.
pub(crate) fn lines_of(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text
        .lines()
        .map(|line| without_bar(&as_item(&unquoted(logged(untagged(&clean(line)))))))
        .collect();
    qualified(&mut lines);
    headed_cells(lines)
}

/// A line without the tags that open or close a block of output in HTML: `<pre><code>Benchmark 1: ./a`.
fn untagged(line: &str) -> &str {
    let mut bare = line;
    let tags = ["<pre>", "<code>", "</code>", "</pre>"];
    let text = line.trim_start();
    if tags.iter().any(|tag| text.starts_with(tag)) {
        bare = text;
    }
    while let Some(rest) = tags.iter().find_map(|tag| bare.strip_prefix(tag)) {
        bare = rest;
    }
    while let Some(rest) = tags.iter().find_map(|tag| bare.strip_suffix(tag)) {
        bare = rest;
    }
    bare
}

/// A line without the head of glog: `I0221 18:03:11.402117    4127 report.go:58] `.
fn logged(line: &str) -> &str {
    let head = line.split_once("] ").filter(|(head, _)| {
        let words: Vec<&str> = head.split_whitespace().collect();
        let day = |word: &str| {
            word.len() == 5 && word.starts_with(['I', 'W', 'E', 'F']) && word[1..].parse::<u16>().is_ok()
        };
        matches!(words[..], [first, time, _, place] if day(first) && headings::is_time(time) && place.contains(':'))
    });
    head.map_or(line, |(_, text)| text)
}

/// A line of a tree as one of a list: `├── P50: 150ms`.
fn as_item(line: &str) -> String {
    let body =
        line.trim_start_matches(|c: char| c == ' ' || ('\u{2500}'..='\u{257f}').contains(&c));
    let branch = line.trim_start().starts_with(['├', '└']);
    let row = body.contains(|c: char| ('\u{2500}'..='\u{257f}').contains(&c));
    if branch && !row { format!("- {body}") } else { line.to_owned() }
}

/// The lines of a text in which the header of a table in HTML stands above each of its cells that is alone on its line.
fn headed_cells(mut lines: Vec<String>) -> Vec<String> {
    let mut headers: Vec<String> = Vec::new();
    let mut column = 0;
    for line in &mut lines {
        let bare = line.trim();
        if bare.contains("<th>") {
            let inner = bare.split("<th>").skip(1).filter_map(|rest| rest.split("</th>").next());
            headers = inner.map(|header| header.trim().to_owned()).collect();
        } else if bare == "<tr>" {
            column = 0;
        } else if bare == "<td>" {
            if let Some(header) = headers.get(column).filter(|header| !header.is_empty()) {
                *line = format!("**{header}**");
            }
            column += 1;
        }
    }
    lines
}

/// A line of a JSON object without the marks around its key and number: `"p50_ms": 2.46,`.
fn unquoted(line: &str) -> String {
    let bare = || {
        let (key, value) = line.trim().strip_prefix('"')?.split_once("\":")?;
        let value = value.trim().trim_end_matches(',').trim_end();
        fields::number(value).filter(|_| !key.contains('"')).map(|_| format!("{key}: {value}"))
    };
    bare().unwrap_or_else(|| line.to_owned())
}

/// A line without the bar that is drawn between its label and its value: `main: ####  5.2 tok/s`.
fn without_bar(line: &str) -> String {
    let drawn = |c: char| c == '#' || ('\u{2580}'..='\u{25a1}').contains(&c);
    let Some(label) = line.find(char::is_alphabetic) else { return line.to_owned() };
    let bar = line.char_indices().find(|&(at, c)| {
        if !drawn(c) || at < label || !line[..at].ends_with(char::is_whitespace) {
            return false;
        }
        let tail = line[at..].trim_start_matches(drawn);
        tail.starts_with(char::is_whitespace)
            && tail.trim_start().starts_with(|c: char| c.is_ascii_digit())
    });
    bar.map_or(line.to_owned(), |(at, _)| {
        format!("{}{}", &line[..at], line[at..].trim_start_matches(drawn).trim_start())
    })
}

/// Lines of more than one word that come back.
fn recurring(lines: &[String]) -> BTreeSet<String> {
    coming_back(lines.iter().map(|line| line.trim()).filter(|line| line.contains(' ')))
}

fn coming_back<'a>(lines: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let (mut once, mut again) = (BTreeSet::new(), BTreeSet::new());
    for line in lines {
        if !once.insert(line) {
            again.insert(line.to_owned());
        }
    }
    again
}

/// The title between long rulers, once or several times, where no other one is.
fn printed_title(lines: &[String]) -> Option<String> {
    let mut titles = lines.iter().map(|line| line.trim()).filter(|line| headings::is_title(line));
    let first = titles.next()?;
    titles.all(|other| other == first).then(|| first.to_owned())
}

/// Labels before a value with its unit that a program prints.
#[derive(Default)]
pub(crate) struct PrintedLabels {
    pub(crate) labels: BTreeSet<String>,
    /// Whether each is there once, under the name of a result: the text is the output of one run.
    once: bool,
}

/// Labels before a value with its unit that come back, or are the only ones of a text.
pub(crate) fn printed_labels(lines: &[String]) -> PrintedLabels {
    let side = |line: &String| {
        let bare = line.trim();
        let ends = bare.ends_with([':', '：']);
        let most = if ends { MAX_CAPTION_CHARS } else { 80 };
        (ends || bare.starts_with('#') && !bare.ends_with('.'))
            && bare.len() <= most
            && label_hint(bare) != LabelHint::Neither
    };
    let mut found: BTreeMap<String, (usize, BTreeSet<String>, bool)> = BTreeMap::new();
    for (label, value, named) in lines.iter().filter_map(|line| text_block::label_of_result(line)) {
        let (count, values, is_named) = found.entry(label).or_default();
        *count += 1;
        values.insert(value);
        *is_named = named;
    }
    let sides = lines.iter().any(side);
    let written =
        |line: &String| line.starts_with('#') && text_block::label_of_result(line).is_some();
    let bare = |label: &String| label.replace(|c: char| c.is_ascii_digit(), "");
    let once = !sides
        && found.values().all(|(count, ..)| *count == 1)
        && found.keys().map(bare).collect::<BTreeSet<_>>().len() == found.len()
        && !lines.iter().any(written)
        && lines.iter().filter(|line| line.starts_with('#')).count() < 2
        && !lines.iter().any(|line| headings::counts_runs(line.trim()));
    if once {
        let times_or_rates = |label: &str, value: &str| {
            let unit = figure(value, false).map_or(String::new(), |found| found.unit);
            let says = meaning(label);
            let timed = matches!(says.quantity, Quantity::Time | Quantity::Latency);
            says.says == Says::Measured && timed && !unit.is_empty()
                || Scale::parse(&unit).is_some_and(Scale::is_rate)
        };
        found.retain(|label, (_, values, named)| {
            *named || values.iter().any(|value| times_or_rates(label, value))
        });
        return PrintedLabels { once: !found.is_empty(), labels: found.into_keys().collect() };
    }
    // Measured values differ, whatever their label.
    found.retain(|_, (count, values, named)| *count > 1 && (*named || values.len() > 1));
    if !sides {
        // Without a heading of a side these are a log, unless a few blocks have the same labels.
        let counts: BTreeSet<usize> = found.values().map(|(count, ..)| *count).collect();
        let headed = lines.iter().filter_map(|line| headings::heading(line.trim(), 1));
        let headed = headed.filter(|(heading, _)| heading.level < COLON).count();
        let most = MAX_BLOCKS.max(headed);
        let few = counts.len() == 1 && counts.iter().all(|count| *count <= most);
        // One label is enough where each block has a heading of its own.
        let own =
            counts.iter().all(|count| *count <= headed) && found.values().any(|(.., named)| *named);
        if found.len() < MIN_LABELS && own && few {
            found.retain(|_, (.., named)| *named);
        } else if found.len() < MIN_LABELS || !few {
            return PrintedLabels::default();
        }
    }
    PrintedLabels { labels: found.into_keys().collect(), once }
}

/// Lines that end with a colon and come back: titles of the parts that a program prints.
fn part_titles(lines: &[String]) -> BTreeSet<String> {
    let bare = lines.iter().map(|line| line.trim_matches(['>', ' ']));
    coming_back(bare.filter(|line| line.ends_with(':')))
}

/// Labels before a whole number that come back with another number.
fn printed_settings(lines: &[String]) -> BTreeSet<String> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (label, number) in lines.iter().filter_map(|line| text_block::whole(line)) {
        found.entry(label).or_default().insert(number);
    }
    found.retain(|_, numbers| numbers.len() > 1);
    found.into_keys().collect()
}

/// Whether lines of one number each are below a line that names a side.
pub(crate) fn has_bare_numbers(lines: &[String]) -> bool {
    let bare = |line: &String| printed_lines::bare_number(line).is_some();
    let starts = lines.windows(MIN_NUMBERS).position(|some| some.iter().all(bare));
    starts.is_some_and(|at| lines[..at].iter().any(|line| label_hint(line) != LabelHint::Neither))
}

/// Most settings that a program prints above its results.
const MAX_SETTINGS: usize = 20;

/// Lines of bare numbers that are runs.
const MIN_NUMBERS: usize = 3;
const MAX_NUMBERS: usize = 200;

/// Blocks of the same labels that people paste without headings, and fewest labels of such a block.
const MAX_BLOCKS: usize = 4;
const MIN_LABELS: usize = 3;

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

    /// A block without its title: the index behind its last line. In a text that has titles, fewer figures than a
    /// block has may be a copy of some lines.
    fn figures_from(&self, index: usize, line: &str) -> Option<usize> {
        let comes_back = |line: &str| {
            let (label, ..) = text_block::label_of_result(line)?;
            Some(label).filter(|label| self.printed_labels.contains(label))
        };
        let begins = || comes_back(line).is_some() || self.leads(index, line);
        if text_block::figure(line).is_none() && (self.titled || !begins()) {
            return None;
        }
        let fewest = if self.titled { 6 } else { 1 };
        let (mut labels, mut metrics, mut end) = (BTreeSet::new(), 0, index);
        // The first line behind those that may stand between two parts.
        let mut next = 0;
        let given = std::iter::once(line);
        let others = self.lines[index + 1..].iter().map(String::as_str);
        for (at, line) in given.chain(others).enumerate() {
            // A part of the block with labels of its own.
            if metrics > 0 && self.parts(line) {
                let from = index + at + 1;
                if next < from {
                    let behind = self.lines[from..].iter().position(|line| !self.parts(line));
                    next = behind.map_or(self.lines.len(), |behind| from + behind);
                }
                let new = self.lines.get(next).is_some_and(|line| match comes_back(line) {
                    Some(label) => !labels.contains(&label),
                    None => self.fenced && text_block::is_part(line),
                });
                if new {
                    continue;
                }
            }
            if let Some(known) = text_block::figure(line) {
                if !labels.insert(known.label.to_lowercase()) {
                    break;
                }
                metrics += usize::from(known.is_result);
                end = index + at + 1;
            } else if let Some(label) = comes_back(line) {
                if !labels.insert(label) {
                    break;
                }
                metrics += 1;
                end = index + at + 1;
            } else if !text_block::is_part(line) {
                // Other lines of the block may be between.
                let inside = metrics > 0 && text_block::is_labelled(line);
                if !inside {
                    break;
                }
            } else if text_block::is_named_result(line) {
                end = index + at + 1;
            }
        }
        (labels.len() >= fewest && metrics > 0).then_some(end)
    }

    /// Whether a line has a label of results that the program prints.
    fn prints(&self, line: &str) -> bool {
        text_block::label_of_result(line)
            .is_some_and(|(label, ..)| self.printed_labels.contains(&label))
    }

    /// Whether a line may stand between two parts of a printed block: an empty one, or a title that comes back.
    fn parts(&self, line: &str) -> bool {
        let title = line.trim_matches(['>', ' ']);
        let result = || text_block::figure(line).is_some() || self.prints(line);
        title.is_empty()
            || self.one_run && !result()
            || self.fenced && self.part_titles.contains(title)
    }

    /// Whether this line and those below it, down to a printed result, have whole numbers under labels that come back
    /// with others: settings that a program prints above its results.
    fn leads(&self, index: usize, line: &str) -> bool {
        let set = |line: &str| {
            text_block::whole(line).is_some_and(|(label, _)| self.printed_settings.contains(&label))
        };
        let near = self.lines[index + 1..].iter().take(MAX_SETTINGS);
        let below = || near.clone().find(|line| !set(line));
        set(line) && below().is_some_and(|line| self.prints(line))
    }

    fn start_untitled(&mut self, index: usize, line: &str, end: usize) {
        self.start(
            index,
            Title { prefix: String::new(), kind: Kind::Serving, columns: Vec::new() },
            Some(end),
        );
        if let Some(open) = &mut self.open {
            open.kind = None;
        }
        self.inside(index + 1, line);
    }

    /// Index behind the last line of the block with its title at `start`, if no ruler closes it before the next block.
    fn end_without_ruler(&self, start: usize) -> Option<usize> {
        let next = |line: &&String| {
            fence(line).is_some()
                || title(line).is_some_and(|title| title.kind != Kind::SteadyState)
        };
        let rest = &self.lines[start + 1..];
        let length = rest.iter().position(|line| next(&line)).unwrap_or(rest.len());
        if rest[..length].iter().any(|line| text_block::is_ruler(line)) {
            return None;
        }
        let (mut end, mut blank) = (start + 1, false);
        for (at, line) in rest[..length].iter().enumerate() {
            let figure = text_block::has_figure(line) || !blank && text_block::has_label(line);
            if line.trim().is_empty() {
                blank = true;
            } else if blank && !figure {
                break;
            } else if figure {
                (end, blank) = (start + at + 2, false);
            }
        }
        Some(end)
    }

    fn start(&mut self, index: usize, Title { prefix, kind, columns }: Title, end: Option<usize>) {
        let line = index + 1;
        if kind == Kind::SteadyState {
            self.skip(line, "a part of the run above, not a separate run".to_owned());
            let (run, seen) = (Run::default(), Seen::default());
            self.open = Some(Open {
                kind: Some(kind),
                prefix,
                line,
                run,
                seen,
                columns: Vec::new(),
                end: None,
                unread: None,
                ignore: true,
                spoiled: true,
            });
            return;
        }
        let (run, unread) = self.next_run(line);
        let columns =
            columns.into_iter().map(|label| (label, run.clone(), Seen::default())).collect();
        self.open = Some(Open {
            kind: Some(kind),
            prefix,
            line,
            run,
            seen: Seen::default(),
            columns,
            end,
            unread,
            ignore: false,
            spoiled: false,
        });
    }

    /// The run of a part that starts on this line, with the settings and claims above it.
    fn next_run(&mut self, line: usize) -> (Run, Option<(usize, String)>) {
        self.paragraph = 0;
        self.drop_remarks();
        let below = self.blocks.last().map(|block| block.run.source.position);
        // A heading that comes back tells no block apart.
        let above = self.blocks.last().map(|block| &block.headings[..]).unwrap_or_default();
        let new = |heading: &Heading| above.iter().all(|other| other.label != heading.label);
        let headed = self.headings.iter().any(|heading| Some(heading.line) > below && new(heading));
        let unread = self.unread.take().filter(|_| below.is_some() && !headed);
        let Run { workload, metadata, .. } = std::mem::take(&mut self.ahead);
        let run = Run {
            workload,
            metadata,
            info: RunInfo { claims: std::mem::take(&mut self.claims), ..RunInfo::default() }.into(),
            source: Source { path: self.path.into(), position: line, counts: "line" },
            ..Run::default()
        };
        (run, unread)
    }

    /// Drops lines of text that only look like headings; above a fence a short line is one.
    fn drop_remarks(&mut self) {
        let fenced = self.fenced;
        let remark = |heading: &mut Heading| {
            heading.level == PLAIN
                && heading.standing == Standing::Pending
                && !fenced
                && heading.joined
                && label_hint(&heading.label) == LabelHint::Neither
        };
        let remarks: Vec<Heading> = self.headings.extract_if(.., remark).collect();
        for heading in remarks {
            self.note_unread(heading.line, &heading.label);
        }
        for heading in self.headings.iter_mut().filter(|heading| heading.level == PLAIN) {
            heading.bare &= !fenced;
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

    /// Adds the metrics of a table to the runs of the one above, where no heading is between them, and every run has one of
    /// the same variant, name and settings there without these metrics.
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

    /// A line inside of a block.
    fn inside(&mut self, number: usize, line: &str) {
        if text_block::is_ruler(line) {
            self.fenced &= !line.ends_with("```");
            return self.end_block();
        }
        if self.one_run && text_block::figure(line).is_none() && !self.prints(line) {
            return;
        }
        let line = behind_log_header(line).filter(|_| self.one_run).unwrap_or(line);
        let Some(block) = self.open.as_mut().filter(|block| !block.ignore) else { return };
        // A line that alone says why nothing was measured is no less wrong for being the last.
        let wrong = |block: &Open| {
            let (mut run, mut seen) = (block.run.clone(), Seen::default());
            let read = text_block::line(&block.prefix, line, &mut run, &mut seen);
            block.run.metrics.is_empty() && block.columns.is_empty() && read.is_err()
        };
        let last = self.open_end && block.kind.is_some() && number == self.lines.len();
        if last && !wrong(block) {
            let why =
                "the text ends inside of a block: its last line may be cut off, and is not read"
                    .to_owned();
            return self.skip(number, why);
        }
        if block.seen.is_empty()
            && block.columns.is_empty()
            && let Some(labels) = text_block::column_labels(&block.prefix, line)
        {
            let column = |label| (label, block.run.clone(), Seen::default());
            block.columns = labels.into_iter().map(column).collect();
            return;
        }
        let read = if block.columns.is_empty() {
            text_block::line(&block.prefix, line, &mut block.run, &mut block.seen)
        } else {
            text_block::columns(&block.prefix, line, &mut block.columns)
        };
        let Err(Bad { label, found }) = read else { return };
        (block.ignore, block.spoiled) = (true, true);
        let start = block.line;
        let problem = format!("expected a number for \"{label}\", found \"{}\"", short(&found));
        self.failed.push((start, Error::at_line(self.path, number, problem, "fix the line")));
    }

    /// Figures outside of a block without a ruler may be a copy of some lines.
    fn loose_figures(&mut self) {
        let Loose { line, label, count, .. } = std::mem::take(&mut self.loose);
        if count > 1 {
            let why = format!(
                "{count} figures outside of blocks are not read (the first: \"{label}\"); \
                 if they are a result, paste its whole block"
            );
            self.skip(line, why);
        }
    }

    fn skip(&mut self, line: usize, why: String) {
        self.skipped.push(Skipped { place: format!("line {line}"), why });
    }

    /// Ends the open block.
    fn end_block(&mut self) {
        let Some(block) = self.open.take().filter(|block| !block.spoiled) else { return };
        let Open { kind, line, run, seen, columns, unread, .. } = block;
        if columns.is_empty() {
            if let Some(run) = self.finished(kind, line, run, seen) {
                self.settle(Block { run, runs: Vec::new(), headings: Vec::new(), unread });
            }
            return;
        }
        let mut runs = Vec::new();
        let measured = columns.into_iter().filter(|(_, run, _)| !run.metrics.is_empty());
        for (at, (label, mut run, seen)) in measured.enumerate() {
            // Every run has a place of its own.
            run.source.position = line + at;
            run.variant = label;
            runs.extend(self.finished(kind, line, run, seen));
        }
        self.add_runs(line, runs);
    }

    /// The run of a block, checked; `None`, with the reason among the failed parts, where it is none.
    fn finished(
        &mut self,
        kind: Option<Kind>,
        line: usize,
        mut run: Run,
        seen: Seen,
    ) -> Option<Run> {
        text_block::conclude(kind, &mut run, &seen);
        run.info.claims.extend(seen.claims(&run.source));
        match finish(&mut run) {
            Ok(notes) => {
                seen.notes.into_iter().chain(notes).for_each(|why| self.skip(line, why));
                if run.metrics.is_empty() && kind.is_none() {
                    return None;
                }
                Some(run)
            }
            Err(bad) => {
                self.failed.push((line, Error::at_line(self.path, line, bad.problem, bad.remedy)));
                None
            }
        }
    }

    /// Reads the sentences of a text in which nothing else was read.
    fn sentences(&mut self) {
        if !self.blocks.is_empty() || self.titled || self.read_table.is_none() {
            return;
        }
        let source = Source { path: self.path.into(), position: 1, counts: "line" };
        let found = prose::read(&self.lines, &source, &mut self.claims);
        let Some(mut runs) = found.or_else(|| sections::headed(&self.lines, &source)) else {
            return;
        };
        // The values are no claim about themselves.
        let mut claims = std::mem::take(&mut self.claims);
        claims.retain(|claim| !gives_values(&claim.text));
        for claim in claims {
            // A claim is about the values above it.
            let above = |at: &usize| runs[*at].source.position <= claim.source.position + 1;
            let near = (0..runs.len()).filter(above).max_by_key(|&at| runs[at].source.position);
            if let Some(run) = near.or(runs.len().checked_sub(1)).and_then(|at| runs.get_mut(at)) {
                run.info.claims.push(claim);
            }
        }
        let run = Run::default();
        let headings = Vec::new();
        self.failed.clear();
        self.blocks.push(Block { run, runs, headings, unread: None });
    }

    /// Gives claims below a block, with no heading between, to it.
    fn below(&mut self) {
        if let Some(block) = self.blocks.last_mut().filter(|_| !self.headed) {
            block.claims().append(&mut self.claims);
        }
    }

    /// Whether a result starts on the next line that is not empty, or behind the fence there.
    fn directly_above(&self, index: usize) -> bool {
        let rest = self.lines[index + 1..].iter().enumerate();
        let noise = |line: &str| {
            self.recurring.contains(line.trim()) && is_log(line)
                || self.printed_title.as_deref() == Some(line.trim())
                    && label_hint(line) == LabelHint::Neither
        };
        let mut rest = rest
            .filter(|(_, line)| !line.trim_matches(['>', ' ']).is_empty() && !noise(line))
            .peekable();
        if rest.peek().is_some_and(|(_, line)| fence(line).is_some()) {
            rest.next();
        }
        rest.next().is_some_and(|(at, line)| {
            let at = index + 1 + at;
            title(line).is_some()
                || text_block::figure(line).is_some()
                || self.tables.iter().any(|grid| grid.lines.start == at)
                || self.prints(line)
                || printed_lines::starts(&self.lines[at..])
                || labelled::starts(&self.lines, at)
        })
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
        let side = named || prose::side_of(&self.words).is_some();
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

    /// A line outside of blocks.
    fn outside(&mut self, index: usize, line: &str) {
        let number = index + 1;
        let bare = line.trim();
        if bare.is_empty() || settings_ahead(&mut self.ahead, bare) || self.underlined(number, bare)
        {
            self.paragraph = 0;
            return;
        }
        let figure = text_block::figure(line);
        self.loose.last = figure.is_some();
        if let Some(known) = &figure {
            self.loose.count += 1;
            if self.loose.count == 1 {
                (self.loose.line, self.loose.label) = (number, known.label.clone());
            }
        }
        let source = Source { path: self.path.into(), position: number, counts: "line" };
        let beside = std::mem::take(&mut self.paragraph);
        let what = match between(bare) {
            Between::Text if self.recurring.contains(bare) && is_log(bare) => Between::Noise,
            what => what,
        };
        let found = match &what {
            Between::Label(label) => headings::heading(&format!("{label}:"), number),
            _ => headings::heading(bare, number),
        };
        if found.as_ref().is_some_and(|(heading, _)| self.is_printed(index, bare, heading)) {
            self.printed_until = index + 1;
            return;
        }
        let short = |heading: &Heading| heading.level == PLAIN;
        // `2000/80` is a name only directly above a result.
        let named = bare.chars().any(|c| c.is_ascii_digit())
            && bare.len() < 20
            && self.directly_above(index);
        let found = found.filter(|(heading, _)| {
            let log = short(heading) && self.fenced && beside > 0 && !self.directly_above(index);
            // The last line of a paragraph: "as the step becomes / compute-bound:".
            let sentence = heading.level == COLON
                && beside > 0
                && bare.starts_with(|c: char| c.is_lowercase())
                && label_hint(bare) == LabelHint::Neither;
            !log && !sentence && (what != Between::Noise || heading.level < COLON || named)
        });
        let found = match self.captions.get(&index) {
            None => found,
            Some(label) => {
                let caption = || (Heading::firm(PLAIN, label.clone(), number), None);
                found.or_else(|| Some(caption())).map(|(heading, claim)| {
                    (Heading { standing: Standing::Firm, ..heading }, claim)
                })
            }
        };
        if let Some((mut heading, claim)) = found {
            self.paragraph = if short(&heading) { beside + 1 } else { 0 };
            heading.bare = short(&heading);
            heading.joined = beside > 0;
            self.below();
            if heading.level < COLON && !self.loose.last {
                self.loose_figures();
            }
            self.headed = true;
            self.claims.extend(claim.iter().flat_map(|words| claims_of(words, &source)));
            self.words.extend([" ", bare]);
            self.push(heading, index);
            return;
        }
        let claims = claims_of(bare, &source);
        self.words.extend([" ", bare]);
        if !claims.is_empty() {
            self.claims.extend(claims);
        } else if let Between::Setting(key, value) = what {
            self.ahead.metadata.insert(key, value);
        } else if what == Between::Text && !headings::is_decoration(bare) && figure.is_none() {
            self.paragraph = beside + 1;
            self.prose();
            self.note_unread(number, bare);
        }
    }

    /// Whether a line that looks like a heading is the first of what a program prints: it comes back directly below headings,
    /// or is the only title between long rulers of the text, and comes back or stands below a heading.
    fn is_printed(&self, index: usize, bare: &str, heading: &Heading) -> bool {
        if label_hint(bare) != LabelHint::Neither {
            return false;
        }
        let above = index.checked_sub(1).map(|above| self.lines[above].trim());
        let above = above.and_then(|above| Some(headings::heading(above, index)?.0.level));
        if headings::is_title(bare) {
            let only = self.printed_title.as_deref() == Some(bare);
            return only && (above.is_some() || self.recurring.contains(bare));
        }
        let first = index == self.printed_until || above.is_some_and(|level| level < PLAIN);
        heading.level >= PLAIN && self.fenced && first && self.recurring.contains(bare)
    }

    fn push(&mut self, mut heading: Heading, index: usize) {
        if self.fenced && heading.level != COUNT {
            heading.level = FENCED;
            heading.standing = Standing::Pending;
        }
        let names = |other: &Heading| !headings::counts_runs(&other.label);
        let same = self.headings.iter().any(|other| other.level == heading.level && names(other));
        if same && headings::counts_runs(&heading.label) {
            heading.level = COUNT;
        }
        // Of two short lines above one result the first is the outer heading, and so it stays: `2 cards`, `base`.
        if matches!(heading.level, PLAIN | FENCED) && self.directly_above(index) {
            let above = self.headings.iter().rfind(|other| other.level == heading.level);
            let nested = above.is_some_and(|above| {
                let inner = self.headings.iter().any(|other| other.level == heading.level + INNER);
                // Of three lines and more these are a sentence.
                inner || above.standing == Standing::Pending && !above.joined
            });
            heading.level += if nested { INNER } else { 0 };
        }
        self.headings.retain(|other| other.level < heading.level);
        self.headings.push(heading);
    }

    /// Notes text below a block, unless it stood above an earlier one too.
    fn note_unread(&mut self, number: usize, words: &str) {
        if self.known.insert(words.to_owned()) && self.unread.is_none() {
            self.unread = Some((number, words.to_owned()));
        }
    }

    /// Text between a line that looked like a heading and the block: it was probably not one. The log inside a fence
    /// is no information about the text above the fence.
    fn prose(&mut self) {
        let fenced = self.fenced;
        self.headings.retain_mut(|heading| {
            let followed =
                heading.standing == Standing::Pending && (heading.level >= FENCED || !fenced);
            if followed && heading.level == COLON {
                heading.standing = Standing::Stale;
            }
            !followed || heading.level == COLON
        });
    }

    /// A line of `=` or `-` directly under a short line makes that a heading.
    fn underlined(&mut self, number: usize, line: &str) -> bool {
        let Some(level) = headings::underline(line).filter(|_| !self.fenced) else { return false };
        let above = |heading: &Heading| heading.level == PLAIN && heading.line + 1 == number;
        let Some(mut heading) = self.headings.pop_if(|heading| above(heading)) else {
            return false;
        };
        heading.level = level;
        heading.standing = Standing::Firm;
        self.headings.retain(|other| other.level < level);
        self.headings.push(heading);
        true
    }
}
