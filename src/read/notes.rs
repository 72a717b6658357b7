//! Notes and logs: finds result blocks in any text and tells from the headings whose they are.
//!
//! A heading is a line of markdown (`## main`), bold text (`**baseline：**`), a line that ends with a
//! colon, or a short line alone above a fence. With headings on two levels the outer one names the
//! variant and the inner one the workload or the run, unless the workloads themselves say otherwise.

use crate::error::Error;
use crate::read::fields;
use crate::read::text_block::{self, Kind, Line, Seen, Title};
use crate::read::{Content, Found, Options, Reader};
use crate::runs::Skipped;
use crate::runs::{Claim, Run, Saying, Setting, Source, what_label_says};

pub(super) const READER: Reader = Reader {
    name: "text blocks",
    recognise: |content, _| {
        crate::read::contains(content.bytes(), b"Benchmark Result") || content.is_utf16()
    },
    read,
};

/// Levels of headings that are no markdown headings (those have 1 to 6).
const BOLD: u8 = 7;
const LINE: u8 = 8;

/// Longest line that may be a heading, in characters.
const LONGEST_HEADING: usize = 80;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Heading {
    level: u8,
    label: String,
    /// A line that is a heading only if a block follows it directly.
    pending: bool,
    /// A line without a colon, which is a heading only above a fence.
    needs_fence: bool,
}

struct Block {
    run: Run,
    headings: Vec<Heading>,
}

/// State of the walk over the lines.
#[derive(Default)]
struct Walk {
    headings: Vec<Heading>,
    claims: Vec<Claim>,
    /// Rate, cap, model and data set that the log names before the block.
    ahead: Run,
    fenced: bool,
    blocks: Vec<Block>,
    skipped: Vec<Skipped>,
}

struct Open {
    title: Title,
    line: usize,
    run: Run,
    seen: Seen,
}

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let path = content.path;
    let text = content.text();
    let mut walk = Walk::default();
    let mut open: Option<Open> = None;
    let mut count = 0;
    for (index, raw) in text.split('\n').enumerate() {
        let number = index + 1;
        count = number;
        let line = text_block::clean(raw);
        let fence = is_fence(&line);
        if let Some(block) = &mut open {
            let cut = fence || text_block::title(&line).is_some();
            if cut {
                let what = if fence { "the fence closes" } else { "the next block starts" };
                walk.cut_off(path, block, number, what, options)?;
                open = None;
            } else {
                match text_block::line(&block.title, &line, &mut block.run, &mut block.seen) {
                    Line::Read => {}
                    Line::Bad { label, found } => {
                        let problem =
                            format!("expected a number for \"{label}\", found \"{found}\"");
                        let error = Error::at_line(path, number, problem, "correct the line");
                        walk.give_up(error, block.line, options)?;
                        block.title.kind = Kind::SteadyState;
                    }
                    Line::End => {
                        if let Some(block) = open.take() {
                            walk.close(path, block, options)?;
                        }
                    }
                }
                continue;
            }
        }
        if let Some(title) = text_block::title(&line) {
            let fenced = walk.fenced;
            walk.headings.retain(|heading| fenced || !(heading.pending && heading.needs_fence));
            let run = Run { workload: walk.ahead.workload.clone(), ..Run::default() };
            open = Some(Open { title, line: number, run, seen: Seen::default() });
        } else {
            walk.outside(path, number, &line, fence);
        }
    }
    if let Some(block) = &open {
        walk.cut_off(path, block, count, "the file ends", options)?;
    }
    let Walk { blocks, skipped, .. } = walk;
    let runs = name_variants(blocks);
    if let Some(bad) = runs.iter().find(|run| run.variant.contains('\u{fffd}')) {
        let problem =
            format!("expected UTF-8, found another encoding in the heading \"{}\"", bad.variant);
        let remedy = "convert the file (for example: iconv -f GBK -t UTF-8)";
        return Err(Error::at_line(path, bad.source.position, problem, remedy));
    }
    Ok(Found { runs, skipped })
}

fn is_fence(line: &str) -> bool {
    let bare = line.trim_start_matches(['>', ' ', '#']);
    bare.starts_with("```") || bare.starts_with("~~~")
}

impl Walk {
    fn cut_off(
        &mut self,
        path: &str,
        block: &Open,
        line: usize,
        what: &str,
        options: &Options,
    ) -> Result<(), Error> {
        if block.title.kind == Kind::SteadyState {
            return Ok(());
        }
        let problem = format!(
            "expected the closing ruler (====) of the block that starts at line {}, found that {what}",
            block.line
        );
        let error = Error::at_line(path, line, problem, "paste the whole block");
        self.give_up(error, block.line, options)
    }

    /// The error, or with `--lenient` a note of it.
    fn give_up(&mut self, error: Error, line: usize, options: &Options) -> Result<(), Error> {
        if !options.lenient {
            return Err(error);
        }
        self.skipped.push(Skipped { place: format!("line {line}"), why: error.to_string() });
        Ok(())
    }

    fn close(&mut self, path: &str, block: Open, options: &Options) -> Result<(), Error> {
        let Open { title, line, mut run, seen } = block;
        let place = format!("line {line}");
        if title.kind == Kind::SteadyState {
            let why = "a part of the run above, or not readable".to_owned();
            self.skipped.push(Skipped { place, why });
            return Ok(());
        }
        text_block::conclude(title.kind, &mut run, &seen);
        run.source = Source { path: path.to_owned(), position: line, counts: "line" };
        run.claims = std::mem::take(&mut self.claims);
        match fields::finish(&mut run) {
            Ok(empty) => self.skipped.extend(empty.into_iter().map(|name| Skipped {
                place: place.clone(),
                why: format!("{name} is 0, which stands for no data"),
            })),
            Err(bad) => {
                let error = Error::at_line(path, line, bad.problem, bad.remedy);
                return self.give_up(error, line, options);
            }
        }
        for heading in &mut self.headings {
            heading.pending = false;
        }
        self.blocks.push(Block { run, headings: self.headings.clone() });
        self.ahead = Run::default();
        Ok(())
    }

    /// A line outside of blocks.
    fn outside(&mut self, path: &str, number: usize, line: &str, fence: bool) {
        if fence {
            self.fenced = !self.fenced;
            return;
        }
        let bare = line.trim();
        if bare.is_empty() {
            return;
        }
        if self.settings_ahead(bare) {
            return;
        }
        let source = || Source { path: path.to_owned(), position: number, counts: "line" };
        if !self.fenced {
            if let Some((heading, claim)) = heading(bare) {
                self.claims.extend(claim.and_then(|words| claim_of(&words, source())));
                self.headings.retain(|other| other.level < heading.level && !other.pending);
                self.headings.push(heading);
                return;
            }
        }
        if let Some(claim) = claim_of(bare, source()) {
            self.claims.push(claim);
        } else {
            // Prose between a line that looked like a heading and the block: it was none.
            self.headings.retain(|heading| !heading.pending);
        }
    }

    /// Notes the settings that clients print before the block.
    fn settings_ahead(&mut self, line: &str) -> bool {
        let bare = line.trim_start_matches(['#', '>', ' ', '|']);
        if let Some((label, value)) = bare.split_once(':') {
            let value = Setting::parse(value);
            match label.trim() {
                "Traffic request rate" => self.ahead.workload.request_rate = value,
                "Maximum request concurrency" => self.ahead.workload.max_concurrency = value,
                "Burstiness factor" => {}
                _ => return self.namespace(bare),
            }
            return true;
        }
        self.namespace(bare) || bare.starts_with("100%|") || bare.contains("%|")
    }

    /// Notes the settings of a line such as `Namespace(model='m', dataset_name='random', ...)`.
    fn namespace(&mut self, line: &str) -> bool {
        let Some(at) = line.find("Namespace(") else { return false };
        let arguments = &line[at..];
        let word = |key: &str| {
            let start = arguments.find(&format!("{key}="))? + key.len() + 1;
            let preceded = arguments[..start - key.len() - 1].ends_with(['(', ' ']);
            let value =
                arguments[start..].split([',', ')']).next()?.trim().trim_matches(['\'', '"']);
            (preceded && !value.is_empty() && value != "None").then(|| value.to_owned())
        };
        let workload = &mut self.ahead.workload;
        workload.model = word("model");
        workload.dataset = word("dataset_name");
        if let Some(rate) = word("request_rate") {
            workload.request_rate = Setting::parse(&rate);
        }
        workload.max_concurrency =
            word("max_concurrency").map_or(Setting::Unlimited, |cap| Setting::parse(&cap));
        for key in ["random_input_len", "random_output_len", "random_range_ratio"] {
            let random = workload.dataset.as_deref().is_some_and(|name| name.starts_with("random"));
            if let Some(value) = word(key).filter(|_| random) {
                workload.other.insert(key.to_owned(), value);
            }
        }
        true
    }
}

/// A heading, with the claim that stands behind it in brackets.
fn heading(line: &str) -> Option<(Heading, Option<String>)> {
    let line = line.trim_start_matches(['>', ' ']);
    if line.chars().count() > LONGEST_HEADING * 2 {
        return None;
    }
    let hashes = line.bytes().take_while(|&byte| byte == b'#').count();
    let (level, body, pending, needs_fence) = if (1..=6).contains(&hashes)
        && line[hashes..].starts_with(' ')
    {
        (u8::try_from(hashes).expect("1 to 6"), &line[hashes..], false, false)
    } else if let Some((bold, _)) = line.strip_prefix("**").and_then(|rest| rest.split_once("**")) {
        let rest = line[2 + bold.len() + 2..].trim();
        let aside = rest.is_empty() || rest.starts_with(['(', '（', ':', '：']) || is_claim(rest);
        if !aside {
            return None;
        }
        (BOLD, line, false, false)
    } else {
        let item = line.trim_start_matches(['-', '*', '+', ' ']);
        let bare = without_claims(item).0;
        let short = bare.chars().count() <= LONGEST_HEADING;
        let colon = bare.trim_end().ends_with([':', '：']);
        // `label: value` is text; so is a line with an arrow or a percentage.
        let words = bare.trim_end_matches([':', '：', ' ']);
        let plain =
            !words.is_empty() && !words.contains([':', '=', '|', '{', '<']) && !is_claim(words);
        if !(short && plain && (colon || words.chars().count() <= LONGEST_HEADING / 2)) {
            return None;
        }
        (LINE, item, true, !colon)
    };
    let (label, claim) = without_claims(body);
    let label: String = label.replace(['*', '`', '\u{fe0f}'], "");
    let label =
        label.trim().trim_end_matches([':', '：', ' ']).trim_start_matches('#').trim().to_owned();
    if label.is_empty() || (is_claim(&label) && level >= BOLD) {
        return None;
    }
    Some((Heading { level, label, pending, needs_fence }, claim))
}

/// The text without brackets that hold a claim, and what they hold.
fn without_claims(text: &str) -> (String, Option<String>) {
    for (open, close) in [('(', ')'), ('（', '）')] {
        let Some(start) = text.rfind(open) else { continue };
        let Some(length) = text[start..].find(close) else { continue };
        let inner = &text[start + open.len_utf8()..start + length];
        if is_claim(inner) {
            let rest = format!("{}{}", &text[..start], &text[start + length + close.len_utf8()..]);
            return (rest, Some(inner.trim().to_owned()));
        }
    }
    (text.to_owned(), None)
}

/// Whether the words state a percentage.
fn is_claim(words: &str) -> bool {
    percentage(words).is_some()
}

/// The first percentage in the words, as a fraction, with a sign or arrow if there is one.
fn percentage(words: &str) -> Option<(f64, Option<bool>)> {
    let at = words.find(['%', '％'])?;
    let before = words[..at].trim_end();
    let start = before
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_ascii_digit() || *c == '.')
        .last()
        .map(|(index, _)| index)?;
    let size: f64 = before[start..].parse().ok()?;
    let sign = before[..start].trim_end().chars().next_back();
    let up = match sign {
        Some('+') => Some(true),
        Some('-' | '−' | '–') => Some(false),
        _ if words.contains(['⬇', '↓', '📉', '🔽']) => Some(false),
        _ if words.contains(['⬆', '↑', '📈', '🔼']) => Some(true),
        _ => None,
    };
    Some((size / 100.0, up))
}

fn claim_of(words: &str, source: Source) -> Option<Claim> {
    if words.chars().count() > 2 * LONGEST_HEADING || words.contains("%|") {
        return None;
    }
    let (size, up) = percentage(words)?;
    Some(Claim { text: words.trim().to_owned(), size, up, source })
}

/// Whether a label only counts runs: `Run 2`, `round 3`, `第1次`.
fn counts_runs(label: &str) -> bool {
    let lower = label.to_lowercase();
    let bare: String =
        lower.chars().filter(|c| !c.is_ascii_digit() && !c.is_whitespace()).collect();
    let bare = bare.trim_matches(['#', '.', ':', '-', '_', '/']);
    lower.chars().any(|c| c.is_ascii_digit())
        && [
            "",
            "run",
            "rep",
            "repeat",
            "repetition",
            "round",
            "trial",
            "iteration",
            "iter",
            "第次",
            "第轮",
            "test",
        ]
        .contains(&bare)
}

/// Gives every block its variant from the headings above it.
fn name_variants(blocks: Vec<Block>) -> Vec<Run> {
    let label = |block: &Block, level: u8| {
        block.headings.iter().find(|heading| heading.level == level).map(|h| h.label.clone())
    };
    let distinct = |level: u8| {
        let mut all: Vec<Option<String>> = blocks.iter().map(|block| label(block, level)).collect();
        all.sort();
        all.dedup();
        all
    };
    let mut levels: Vec<u8> = blocks
        .iter()
        .flat_map(|block| block.headings.iter().map(|heading| heading.level))
        .collect();
    levels.sort_unstable();
    levels.dedup();
    // A heading above all blocks is the title of the note, and one that counts runs names no variant.
    let only_counts = |level: u8| distinct(level).iter().flatten().all(|label| counts_runs(label));
    let run_level = levels.iter().copied().find(|&level| only_counts(level));
    levels.retain(|&level| (blocks.len() == 1 || distinct(level).len() > 1) && !only_counts(level));
    if blocks.len() == 1 && levels.len() > 1 {
        levels = levels.split_off(levels.len() - 1);
    }
    let (variant_level, other) = match levels[..] {
        [] => (None, None),
        [only] => (Some(only), None),
        [outer, inner, ..] => {
            let flipped = names_variants(&distinct(inner)) && !names_variants(&distinct(outer))
                || loads_follow(&blocks, |block| label(block, outer))
                    && !loads_follow(&blocks, |block| label(block, inner));
            if flipped { (Some(inner), Some(outer)) } else { (Some(outer), Some(inner)) }
        }
    };
    blocks
        .into_iter()
        .map(|block| {
            let mut run = block.run.clone();
            run.variant = variant_level.and_then(|level| label(&block, level)).unwrap_or_default();
            run.workload.label = other.and_then(|level| label(&block, level));
            run.name = run_level.and_then(|level| label(&block, level));
            run
        })
        .collect()
}

fn names_variants(labels: &[Option<String>]) -> bool {
    labels.iter().flatten().any(|label| what_label_says(label) != Saying::Nothing)
}

/// Whether the load is the same under one label and another under others.
fn loads_follow(blocks: &[Block], label: impl Fn(&Block) -> Option<String>) -> bool {
    let mut seen: Vec<(Option<String>, &Block)> = Vec::new();
    let mut several = false;
    for block in blocks {
        let own = label(block);
        match seen.iter().find(|(known, _)| *known == own) {
            Some((_, first)) => {
                if !first.run.workload.compatible(&block.run.workload) {
                    return false;
                }
            }
            None => {
                several |= seen
                    .iter()
                    .any(|(_, other)| !other.run.workload.compatible(&block.run.workload));
                seen.push((own, block));
            }
        }
    }
    several
}
