//! Notes and logs: finds result blocks in any text, with what is written above each.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::read::kit::finish::finish;
use crate::read::kit::printed::{Kind, Title, clean, title};
use crate::read::kit::{contains, short};
use crate::read::reader::{Content, Found, Options, Reader, SERVING};
use crate::read::text::claims::claims_of;
use crate::read::text::headings;
use crate::read::text::headings::heading::{Block, COLON, COUNT, FENCED, Heading, PLAIN, Standing};
use crate::read::text::notes::ahead::settings_ahead;
use crate::read::text::notes::between::{Between, between};
use crate::read::text::text_block::{self, Bad, Seen};
use crate::runs::{Claim, LabelHint, Run, RunInfo, Skipped, Source, label_hint};

mod ahead;
pub(crate) mod between;

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

/// State of the walk over the lines.
struct Walk<'a> {
    path: &'a str,
    lenient: bool,
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
    kind: Kind,
    prefix: String,
    line: usize,
    run: Run,
    seen: Seen,
    /// See [`Block::unread`].
    unread: Option<(usize, String)>,
    /// The following lines repeat labels for a part of the run.
    ignore: bool,
    /// A block that gives no run.
    spoiled: bool,
}

fn read(content: &Content, options: &Options) -> Result<Found, Error> {
    let text = content.text();
    let mut walk = Walk {
        path: content.path,
        lenient: options.lenient,
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
    };
    for (index, raw) in text.lines().enumerate() {
        walk.line(index + 1, &clean(raw))?;
    }
    walk.cut_off(text.lines().count(), "the file ends")?;
    walk.loose_figures();
    walk.below();
    let Walk { blocks, mut skipped, .. } = walk;
    let unreadable = |heading: &&Heading| heading.label.contains('\u{fffd}');
    if let Some(bad) = blocks.iter().flat_map(|block| &block.headings).find(unreadable) {
        let problem =
            format!("expected UTF-8, found another encoding in the heading \"{}\"", bad.label);
        let remedy = "convert the file (for example: iconv -f GBK -t UTF-8)";
        return Err(Error::at_line(content.path, bad.line, problem, remedy));
    }
    let (runs, unnamed) = headings::name_variants(blocks, options.lenient)?;
    skipped.extend(unnamed);
    Ok(Found { runs, skipped, ..Found::default() })
}

/// Whether a line opens or closes a fence, and whether it can only open one.
fn fence(line: &str) -> Option<bool> {
    let bare = line.trim_start_matches(['>', ' ', '#']);
    let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark))?;
    let info = bare.trim_start_matches(&mark[..1]).trim();
    Some(!info.is_empty() && !info.starts_with('='))
}

impl Walk<'_> {
    fn line(&mut self, number: usize, line: &str) -> Result<(), Error> {
        let fence = fence(line);
        let title = title(line);
        if let Some(block) = &mut self.open {
            if title.as_ref().is_some_and(|title| title.kind == Kind::SteadyState) {
                block.ignore = true;
                return Ok(());
            }
            if fence.is_none() && title.is_none() {
                return self.inside(number, line);
            }
            let what = if fence.is_some() { "the fence closes" } else { "the next block starts" };
            self.cut_off(number, what)?;
        }
        if fence.is_some() || title.is_some() {
            self.loose_figures();
        }
        match (title, fence) {
            (Some(title), fence) => {
                self.fenced |= fence.is_some();
                self.start(number, title);
            }
            (None, Some(opens)) => self.fenced = opens || !self.fenced,
            (None, None) if text_block::is_ruler(line) && self.loose.last => self.no_title()?,
            (None, None) => self.outside(number, line),
        }
        Ok(())
    }

    fn start(&mut self, line: usize, Title { prefix, kind }: Title) {
        if kind == Kind::SteadyState {
            self.skip(line, "a part of the run above, not a separate run".to_owned());
            let (run, seen) = (Run::default(), Seen::default());
            let (unread, ignore, spoiled) = (None, true, true);
            self.open = Some(Open { kind, prefix, line, run, seen, unread, ignore, spoiled });
            return;
        }
        self.paragraph = 0;
        self.drop_remarks();
        let below = self.blocks.last().map(|block| block.run.source.position);
        let headed = self.headings.iter().any(|heading| Some(heading.line) > below);
        let unread = self.unread.take().filter(|_| below.is_some() && !headed);
        let Run { workload, metadata, .. } = std::mem::take(&mut self.ahead);
        let run = Run {
            workload,
            metadata,
            info: RunInfo { claims: std::mem::take(&mut self.claims), ..RunInfo::default() }.into(),
            source: Source { path: self.path.into(), position: line, counts: "line" },
            ..Run::default()
        };
        let seen = Seen::default();
        let (ignore, spoiled) = (false, false);
        self.open = Some(Open { kind, prefix, line, run, seen, unread, ignore, spoiled });
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

    /// A line inside of a block.
    fn inside(&mut self, number: usize, line: &str) -> Result<(), Error> {
        if text_block::is_ruler(line) {
            self.fenced &= !line.ends_with("```");
            return self.open.take().map_or(Ok(()), |block| self.close(block));
        }
        let Some(block) = self.open.as_mut().filter(|block| !block.ignore) else { return Ok(()) };
        let read = text_block::line(&block.prefix, line, &mut block.run, &mut block.seen);
        let Err(Bad { label, found }) = read else { return Ok(()) };
        (block.ignore, block.spoiled) = (true, true);
        let start = block.line;
        let problem = format!("expected a number for \"{label}\", found \"{}\"", short(&found));
        self.give_up(Error::at_line(self.path, number, problem, "fix the line"), start)
    }

    /// Ends an open block without its ruler.
    fn cut_off(&mut self, line: usize, what: &str) -> Result<(), Error> {
        let Some(block) = self.open.take().filter(|block| !block.spoiled) else { return Ok(()) };
        let problem = format!(
            "expected the closing ruler (====) of the block that starts at line {}, found that {what}",
            block.line
        );
        let error = Error::at_line(self.path, line, problem, "paste the whole block");
        self.give_up(error, block.line)
    }

    /// A ruler below figures outside of a block: they are one without its title.
    fn no_title(&mut self) -> Result<(), Error> {
        let Loose { line, label, count, .. } = std::mem::take(&mut self.loose);
        if count < 2 {
            return Ok(());
        }
        self.ahead = Run::default();
        let problem = format!(
            "expected the title (==== Serving Benchmark Result ====) above the figures, found \"{label}\""
        );
        self.give_up(Error::at_line(self.path, line, problem, "paste the whole block"), line)
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

    /// The error, or with `--lenient` a note of it.
    fn give_up(&mut self, error: Error, line: usize) -> Result<(), Error> {
        if !self.lenient {
            return Err(error);
        }
        self.skip(line, error.to_string());
        Ok(())
    }

    fn skip(&mut self, line: usize, why: String) {
        self.skipped.push(Skipped { place: format!("line {line}"), why });
    }

    fn close(&mut self, block: Open) -> Result<(), Error> {
        let Open { kind, line, mut run, seen, spoiled, unread, .. } = block;
        if spoiled {
            return Ok(());
        }
        text_block::conclude(kind, &mut run, &seen);
        match finish(&mut run) {
            Ok(notes) => seen.notes.into_iter().chain(notes).for_each(|why| self.skip(line, why)),
            Err(bad) => {
                let error = Error::at_line(self.path, line, bad.problem, bad.remedy);
                return self.give_up(error, line);
            }
        }
        for heading in &mut self.headings {
            if heading.standing == Standing::Pending {
                heading.standing = Standing::Firm;
            }
        }
        self.blocks.push(Block { run, headings: self.headings.clone(), unread });
        self.headed = false;
        Ok(())
    }

    /// Gives claims below a block, with no heading between, to it.
    fn below(&mut self) {
        if let Some(block) = self.blocks.last_mut().filter(|_| !self.headed) {
            block.run.info.claims.append(&mut self.claims);
        }
    }

    /// A line outside of blocks.
    fn outside(&mut self, number: usize, line: &str) {
        let bare = line.trim();
        if bare.is_empty() || settings_ahead(&mut self.ahead, bare) || self.underlined(number, bare)
        {
            self.paragraph = 0;
            return;
        }
        let figure = text_block::figure(line);
        self.loose.last = figure.is_some();
        if let Some(label) = figure {
            self.loose.count += 1;
            if self.loose.count == 1 {
                (self.loose.line, self.loose.label) = (number, label.to_owned());
            }
        }
        let source = Source { path: self.path.into(), position: number, counts: "line" };
        let beside = std::mem::take(&mut self.paragraph);
        let what = between(bare);
        let found = match &what {
            Between::Label(label) => headings::heading(&format!("{label}:"), number),
            _ => headings::heading(bare, number),
        };
        let short = |heading: &Heading| heading.level == PLAIN;
        let found = found.filter(|(heading, _)| {
            let log = short(heading) && self.fenced && beside > 0;
            !log && (what != Between::Noise || heading.level < COLON)
        });
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
            self.push(heading);
            return;
        }
        let claims = claims_of(bare, &source);
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

    fn push(&mut self, mut heading: Heading) {
        if self.fenced && heading.level != COUNT {
            heading.level = FENCED;
            heading.standing = Standing::Pending;
        }
        let names = |other: &Heading| !headings::counts_runs(&other.label);
        let same = self.headings.iter().any(|other| other.level == heading.level && names(other));
        if same && headings::counts_runs(&heading.label) {
            heading.level = COUNT;
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
                heading.standing == Standing::Pending && (heading.level == FENCED || !fenced);
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
