//! A document as markdown for a pull request: under 60,000 characters, whatever its size.

use crate::format::clipped;
use crate::render::escape::{code, escape, html, html_code};
use crate::report::document::{
    Block, Cell, Document, Fold, Kind, Role, Room, Span, Table, Text, Tone,
};
use crate::verdict::{Headline, Verdict};

/// The limit of a comment on GitHub is 65,536 characters.
const MAX_CHARACTERS: usize = 60_000;

/// Characters kept free for the last lines.
const RESERVE: usize = 4_000;

/// The document as markdown, with a hidden mark by which a bot finds its own comment.
pub fn markdown<'a>(document: impl Into<Document<'a>>) -> String {
    let document = document.into();
    let sign = match document.tone {
        Tone::Calm | Tone::Warning => String::new(),
        tone => format!("{} ", sign(tone)),
    };
    let title = inline(&document.title);
    let mut page = Page {
        out: format!("### {sign}{}: {title}\n\n", document.program),
        room: MAX_CHARACTERS - RESERVE,
        dropped: 0,
        in_list: false,
    };
    page.blocks(&document.blocks);
    page.end_list();
    if page.dropped > 0 {
        let parts = if page.dropped == 1 { "part is" } else { "parts are" };
        let dropped = page.dropped.to_string();
        page.out.extend([&*dropped, " ", parts, " left out here: see `--format json`.\n\n"]);
    }
    match document.marker {
        Some(marker) => format!("{}<!-- {marker} -->\n", page.out),
        None => format!("{}\n", page.out.trim_end()),
    }
}

/// The lines so far.
struct Page {
    out: String,
    /// Characters that the blocks may fill.
    room: usize,
    /// Parts for which there was no room.
    dropped: usize,
    /// Whether the last line is an entry of a list.
    in_list: bool,
}

impl Page {
    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(heading) => {
                let sign = heading.tone.map_or(String::new(), |tone| format!("{} ", sign(tone)));
                let strong = heading.text.spans.iter().any(|span| matches!(span, Span::Strong(_)));
                let text = inline(&heading.text);
                let text = if strong { text } else { format!("**{text}**") };
                self.paragraph(&format!("{sign}{text}"));
            }
            Block::Text(role, text) => self.sentence(*role, &inline(text)),
            Block::Table(table) => self.table(table),
            Block::Plot(_) => {}
            Block::Fold(fold) => self.fold(fold),
        }
    }

    fn sentence(&mut self, role: Role, text: &str) {
        let item = |sign: &str| format!("- {sign}{text}\n");
        match role {
            Role::Lead | Role::Plain => self.paragraph(text),
            Role::Workload => self.paragraph(&format!("({text})")),
            Role::Item => self.item(&item("")),
            Role::Stop => self.item(&item("⛔ ")),
            Role::Warning => self.item(&item("⚠️ ")),
            Role::Note => self.item(&item("ℹ️ ")),
            Role::Next => self.paragraph(&format!("**Next:** {text}")),
            Role::Small => self.paragraph(&format!("<sub>{text}</sub>")),
        }
    }

    fn fold(&mut self, fold: &Fold) {
        if fold.room == Room::Page {
            return;
        }
        let head = format!("<details><summary>{}</summary>\n\n", html(&fold.summary.words()));
        let foot = "</details>\n\n";
        self.end_list();
        let mut inside = Self {
            out: String::new(),
            room: self.left().saturating_sub(head.len() + foot.len()),
            dropped: 0,
            in_list: false,
        };
        inside.blocks(&fold.blocks);
        inside.end_list();
        self.dropped += inside.dropped;
        if !inside.out.is_empty() {
            self.out.extend([&*head, &inside.out, foot]);
        }
    }

    fn paragraph(&mut self, text: &str) {
        self.end_list();
        self.add(&format!("{text}\n\n"));
    }

    fn item(&mut self, line: &str) {
        self.in_list |= self.add(line);
    }

    fn end_list(&mut self) {
        if self.in_list {
            self.out.push('\n');
            self.in_list = false;
        }
    }

    fn add(&mut self, part: &str) -> bool {
        let fits = part.chars().count() <= self.left();
        if fits {
            self.out.push_str(part);
        } else {
            self.dropped += 1;
        }
        fits
    }

    fn left(&self) -> usize {
        self.room.saturating_sub(self.out.chars().count())
    }

    fn table(&mut self, table: &Table) {
        self.end_list();
        let shown = table.before_fold.unwrap_or(table.rows.len()).min(table.rows.len());
        let (first, rest) = table.rows.split_at(shown);
        self.rows(table, first);
        if !rest.is_empty() {
            let rows = if rest.len() == 1 { "row" } else { "rows" };
            let more = rest.len().to_string();
            self.out.extend(["<details><summary>", &more, " more ", rows, "</summary>\n\n"]);
            self.rows(table, rest);
            self.out.push_str("</details>\n\n");
        }
    }

    /// As many rows as there is room for.
    fn rows(&mut self, table: &Table, rows: &[Vec<Cell>]) {
        let heads: Vec<String> = table.columns.iter().map(|column| escape(&column.head)).collect();
        let rule: String = table
            .columns
            .iter()
            .map(|column| match column.kind {
                Kind::Words => "---|",
                Kind::Numbers | Kind::Variant => "--:|",
            })
            .collect();
        let head = format!("| {} |\n|{rule}\n", heads.join(" | "));
        let mut room = self.left().saturating_sub(head.chars().count() + 100);
        let mut out = head;
        let mut shown = 0;
        for row in rows {
            let cells: Vec<String> = row.iter().map(cell).collect();
            let line = format!("| {} |\n", cells.join(" | "));
            let size = line.chars().count();
            if size > room {
                break;
            }
            room -= size;
            shown += 1;
            out.push_str(&line);
        }
        match rows.len() - shown {
            0 => out.push('\n'),
            _ if shown == 0 => {
                self.dropped += 1;
                return;
            }
            left => out.extend(["\n", &left.to_string(), " more rows: see `--format csv`.\n\n"]),
        }
        self.out.push_str(&out);
    }
}

/// A cell on one line, with its further words.
fn cell(cell: &Cell) -> String {
    let text = inline(&cell.text).replace(" %", "\u{a0}%");
    if cell.more.is_empty() { text } else { format!("{text}{}", escape(&cell.more)) }
}

fn inline(text: &Text) -> String {
    let mut out = String::new();
    for span in &text.spans {
        match span {
            // A pipe cannot be written in the code span of a cell.
            Span::Code(words) if words.contains('|') => html_code(&clipped(words), &mut out),
            Span::Code(words) => out.push_str(&code(words)),
            Span::Strong(words) => out.extend(["**", &escape(words), "**"]),
            Span::Plain(words) | Span::Verdict(_, words) => out.push_str(&escape(words)),
        }
    }
    out
}

fn sign(tone: Tone) -> &'static str {
    match tone {
        Tone::Headline(headline) => match headline {
            Headline::Improved => "✅",
            Headline::Regressed => "🔻",
            Headline::TradeOff => "⚖️",
            Headline::SlightlyImproved => "↗️",
            Headline::SlightlyRegressed => "↘️",
            Headline::NoChange => "🟰",
            Headline::WithinNoise => "〰️",
            Headline::NoVerdict => "❔",
            Headline::NotComparable => "⛔",
        },
        Tone::Verdict(Verdict::Better) => "✅",
        Tone::Verdict(Verdict::Worse) => "🔻",
        Tone::Verdict(_) | Tone::Calm => "",
        Tone::Warning => "⚠️",
    }
}
