//! The text of people around results: headings, claims, sentences with values.

use crate::kit::fields::is_metric;
use crate::kit::fields::sets_load;
use crate::kit::figure::is_unit;
use crate::kit::printed::title;
use crate::text::claims::{claims_below, claims_of, gives_values, is_claim, open_clause};
use crate::text::headings;
use crate::text::headings::heading::{
    BOLD, Block, COLON, COUNT, FENCED, Heading, INNER, PLAIN, Standing,
};
use crate::text::labelled::{self};
use crate::text::notes::ahead::settings_ahead;
use crate::text::notes::between::{Between, between, is_variable};
use crate::text::notes::{Walk, fence, is_log};
use crate::text::printed_lines;
use crate::text::prose;
use crate::text::sections;
use crate::text::text_block::{self};
use beyondnoise_model::runs::{LabelHint, Run, Source, label_hint};

/// Most lines between a label and the command of its result.
const NEAR: usize = 4;

/// Words of sentences that tell of a run.
const TOLD: &[&str] = &[
    "i", "we", "you", "it", "my", "same", "again", "once", "another", "here", "nothing", "see",
    "just",
];

/// Whether a title names a metric, or a unit, of the values below it: `Throughput:`, `Median of 5, in ms:`.
fn names_values(title: &str) -> bool {
    let words = title.trim_end_matches([':', '：', ' ']);
    let unit = words.rsplit_once(" in ").or_else(|| words.trim_end_matches(')').rsplit_once('('));
    unit.is_some_and(|(_, unit)| is_unit(unit.trim())) || is_metric(words)
}

/// Most characters of a line that is a label by its place.
const MAX_LONG_LABEL: usize = 80;

impl Walk<'_> {
    /// A line outside of blocks.
    pub(super) fn outside(&mut self, index: usize, line: &str) {
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
            // Below a label what the shell was told names nothing.
            Between::Label(label)
                if is_variable(bare)
                    && self.recurring.contains(bare)
                    && self.is_labelled(number, usize::MAX)
                    || bare.ends_with(&format!("# {label}")) && self.is_labelled(number, NEAR) =>
            {
                Between::Noise
            }
            what => what,
        };
        let found = match &what {
            Between::Label(label) => headings::heading(&format!("{label}:"), number),
            _ => headings::heading(bare, number),
        };
        if self.names_above(number, bare) {
            return;
        }
        if found.as_ref().is_some_and(|(heading, _)| {
            self.is_printed(index, bare, heading) || self.is_below_a_label(number, bare, heading)
        }) {
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
        let long = || self.long_label(index, bare, what == Between::Text);
        let found = match self.captions.get(&index) {
            None => found.or_else(long),
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
            // `batch_size=1` above it is a heading itself.
            let set =
                |above: usize| sets_load(self.lines[above].trim_matches(['>', '*', '#', ' ']));
            heading.joined = beside > 0 && !index.checked_sub(1).is_some_and(set);
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
        let above = index.checked_sub(1).and_then(|above| self.lines.get(above));
        let begun =
            above.and_then(|above| prose::wrapped(above.trim(), bare, line.starts_with("  ")));
        let begun = begun.filter(|_| !self.fenced);
        let above = begun.unwrap_or_default();
        // Of a sentence that has stated a change the words behind it go on.
        let whole = |begun: &&str| !is_claim(begun) || gives_values(begun);
        let open = || Some(open_clause(begun?)).filter(|words| !words.is_empty());
        let begun = begun.filter(whole).or_else(open);
        // What the sentence said before its last clause names what this leaves out.
        let joined = |begun: &str| {
            let said = above.strip_suffix(begun).unwrap_or_default().trim();
            claims_below(said, &format!("{begun} {bare}"), &source)
        };
        let claims = match begun.map(joined) {
            Some(claims) if !claims.is_empty() => claims,
            _ => claims_below(above, bare, &source),
        };
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
    pub(super) fn is_printed(&self, index: usize, bare: &str, heading: &Heading) -> bool {
        if label_hint(bare) != LabelHint::Neither || is_variable(bare) {
            return false;
        }
        if heading.level >= COLON && self.table_title.as_deref() == Some(bare) {
            return !names_values(bare);
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

    /// Whether a line names the block above it, `^ that's with THP=always`, which it does then.
    fn names_above(&mut self, number: usize, bare: &str) -> bool {
        let words = bare.trim_start_matches('^');
        if words.len() == bare.len() || !words.starts_with(' ') {
            return false;
        }
        let Some(block) = self.blocks.last_mut() else { return false };
        let said = words.trim_matches([' ', ':']);
        let mut words = said;
        for lead in ["and ", "that's ", "that is ", "this is ", "that was ", "this was ", "with "] {
            words = words.strip_prefix(lead).unwrap_or(words);
        }
        // Of a result that has a label they say something else.
        if words.len() == said.len() && block.headings.iter().any(|other| other.level >= COLON) {
            return true;
        }
        let label = words.split([',', '.']).next().unwrap_or(words).trim();
        if label.is_empty() || label.chars().count() > MAX_LONG_LABEL {
            return false;
        }
        block.headings.retain(|other| other.level < PLAIN);
        block.headings.push(Heading::firm(PLAIN, label.to_owned(), number));
        true
    }

    /// Whether a label that does not come back stands above a line, at most this many lines away.
    fn is_labelled(&self, number: usize, lines: usize) -> bool {
        let label = |other: &Heading| {
            other.level == PLAIN
                && number.saturating_sub(other.line) <= lines
                && !self.recurring.contains(&other.label)
                && !sets_load(&other.label)
        };
        self.headings.iter().any(label)
    }

    /// Whether a program prints a line, which comes back, below a label in the line above it; a load is none, `batch 4`, and below one
    /// stands what is compared.
    fn is_below_a_label(&self, number: usize, bare: &str, heading: &Heading) -> bool {
        let load = bare.rsplit_once(' ').is_some_and(|(name, size)| {
            name.split(' ').count() < 3 && size.bytes().all(|byte| byte.is_ascii_digit())
        });
        heading.level == PLAIN
            && !load
            && self.recurring.contains(bare)
            && !self.sides_recur
            && self.is_labelled(number, 1)
    }

    /// A label of more words than other short lines, alone between an empty line and a result.
    fn long_label(
        &self,
        index: usize,
        bare: &str,
        text: bool,
    ) -> Option<(Heading, Option<String>)> {
        let empty = |line: &String| line.trim_matches(['>', ' ']).is_empty();
        let alone =
            index.checked_sub(1).is_none_or(|above| self.lines.get(above).is_some_and(empty));
        let next = self.lines.get(index + 1).is_some_and(|line| !empty(line));
        let lower = bare.to_lowercase();
        let name = lower.split([',', '，']).next().unwrap_or_default();
        let mut words = name.split(|c: char| !c.is_alphanumeric());
        // What somebody says of the run is no name of it.
        let told = words.any(|word| TOLD.contains(&word));
        let headed = self.headings.iter().any(|other| other.level < COLON);
        let fits = text
            && alone
            && !told
            && !headed
            && next
            && bare.chars().count() <= MAX_LONG_LABEL
            && !bare.ends_with(['.', '。', '?', '!', ';'])
            && !is_claim(bare)
            && !bare.contains(['|', '{', '<', '"'])
            && self.directly_above(index);
        fits.then(|| (Heading::firm(PLAIN, bare.to_owned(), index + 1), None))
    }

    pub(super) fn push(&mut self, mut heading: Heading, index: usize) {
        if self.fenced && heading.level != COUNT {
            // `## ISL 1024` is no remark of a shell, and names what the labels below it are of.
            let titled = (2..BOLD).contains(&heading.level);
            heading.level = if titled { PLAIN + INNER } else { FENCED };
            heading.standing = if titled { Standing::Firm } else { Standing::Pending };
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
    pub(super) fn note_unread(&mut self, number: usize, words: &str) {
        if self.known.insert(words.to_owned()) && self.unread.is_none() {
            self.unread = Some((number, words.to_owned()));
        }
    }

    /// Text between a line that looked like a heading and the block: it was probably not one. The log inside a fence
    /// is no information about the text above the fence.
    pub(super) fn prose(&mut self) {
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
    pub(super) fn underlined(&mut self, number: usize, line: &str) -> bool {
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

    /// Reads the sentences of a text in which nothing else was read.
    pub(super) fn sentences(&mut self) {
        if !self.blocks.is_empty() || self.titled || self.read_table.is_none() {
            return;
        }
        let source = Source { path: self.path.into(), position: 1, counts: "line" };
        let mut claims = self.claims.clone();
        let told = prose::read(&self.lines, &source, &mut claims);
        // A sentence repeats values that stand in more lines elsewhere.
        let values = |runs: &Vec<Run>| runs.iter().map(|run| run.metrics.len()).sum::<usize>();
        let most = told.as_ref().map_or(0, values);
        let headed = sections::headed(&self.lines, &source).filter(|runs| values(runs) > most);
        if headed.is_none() {
            self.claims = claims;
        }
        let Some(mut runs) = headed.or(told) else { return };
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
        self.blocks.push(Block { run, runs, headings, unread: None });
    }

    /// Gives claims below a block, with no heading between, to it.
    pub(super) fn below(&mut self) {
        if let Some(block) = self.blocks.last_mut().filter(|_| !self.headed) {
            block.claims().append(&mut self.claims);
        }
    }

    /// Whether a result starts on the next line that is not empty, or behind the fence there.
    pub(super) fn directly_above(&self, index: usize) -> bool {
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
}
