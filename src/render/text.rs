//! A document for a terminal.

use anstyle::Style;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Width};
use textwrap::WordSplitter;
use textwrap::core::display_width;

use crate::format::clipped;
use crate::render::forest;
use crate::render::options::{TextOptions, style};
use crate::report::document::{
    Block, Cell, Column, Document, Fold, Heading, Kind, Plot, Role, Room, Span, Table, Text, Tone,
};
use crate::verdict::Verdict;

/// Longest label of a variant, in columns; a letter replaces a longer one in a table.
const LONGEST_HEAD: usize = 14;

/// Columns that words in a table need, so that none of ours is broken.
const NARROWEST_WORDS: usize = 12;

const NARROWEST: u16 = 40;

/// Signs without a width that enclose the words of a verdict until the lines are laid out.
const MARKS: [(char, Verdict); 2] = [('\u{2061}', Verdict::Better), ('\u{2062}', Verdict::Worse)];

const END: char = '\u{2063}';

/// The document as plain text of `options.width` columns.
pub fn text<'a>(document: impl Into<Document<'a>>, options: TextOptions) -> String {
    let document = document.into();
    let width = options.width.max(NARROWEST);
    let mut page =
        Page { out: String::new(), options: TextOptions { width, ..options }, folded: false };
    let program = document.program;
    if options.quiet {
        let (first, rest) = document.quiet.split_first().unwrap_or((&document.title, &[]));
        // One line for a script is never broken.
        page.styled(&format!("{program}: {}", first.words()), document.tone, u16::MAX);
        for line in rest {
            page.paragraph(line, "", "  ");
        }
    } else {
        page.styled(&format!("{program}: {}", document.title.words()), document.tone, width);
        page.blocks(&document.blocks);
        if page.folded {
            page.out.push_str("-v shows everything.\n");
        }
    }
    finished(&page.out, options.colour)
}

/// The lines so far.
struct Page {
    out: String,
    options: TextOptions,
    /// Whether something was left out that `-v` shows.
    folded: bool,
}

impl Page {
    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(heading) => self.heading(heading),
            Block::Text(role, text) => self.sentence(*role, text),
            Block::Table(table) => {
                self.gap();
                self.table(table);
                self.gap();
            }
            Block::Plot(Plot::Forest { head, lines, level, .. }) if self.options.plot => {
                self.gap();
                if !head.is_empty() {
                    self.paragraph(&head.as_str().into(), "", "");
                }
                let (drawn, legend) = forest::drawn(lines, level, self.options);
                self.out.push_str(&drawn);
                self.out.push_str(&wrapped(&legend, self.options.width, "", " "));
                self.gap();
            }
            Block::Plot(_) => {}
            Block::Fold(fold) => self.fold(fold),
        }
    }

    fn heading(&mut self, heading: &Heading) {
        self.gap();
        match heading.tone {
            Some(tone) => self.styled(&heading.text.words(), tone, self.options.width),
            None => self.paragraph(&heading.text, "", ""),
        }
    }

    fn fold(&mut self, fold: &Fold) {
        if fold.room == Room::Page {
            return;
        }
        if self.options.verbose || fold.room == Room::Terminal {
            if let Some(heading) = &fold.heading {
                self.heading(heading);
            }
            self.blocks(&fold.blocks);
            return;
        }
        self.folded = true;
        if let Some(text) = &fold.announced {
            self.paragraph(text, "", "");
        }
    }

    fn sentence(&mut self, role: Role, text: &Text) {
        let with = |before: &str| {
            let mut spans = vec![Span::Plain(before.to_owned())];
            spans.extend(text.spans.iter().cloned());
            Text { spans }
        };
        match role {
            Role::Lead => {
                self.gap();
                self.paragraph(text, "", "");
                self.gap();
            }
            Role::Workload => self.paragraph(&with("(").plain(")"), "", ""),
            Role::Plain => self.paragraph(text, "", ""),
            Role::Small => {
                self.gap();
                self.paragraph(text, "", "");
            }
            Role::Item => self.paragraph(text, "", "  "),
            Role::Stop => self.paragraph(&with("stop: "), "", "  "),
            Role::Warning => self.paragraph(&with("warning: "), "", "  "),
            Role::Note => self.paragraph(&with("note: "), "", "  "),
            Role::Next => self.paragraph(&with("Next: "), "", ""),
        }
    }

    /// An empty line, unless one is there.
    fn gap(&mut self) {
        if !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn styled(&mut self, text: &str, tone: Tone, width: u16) {
        let lines = wrapped(&clipped(text), width, "", "");
        let style = if self.options.colour { style(tone) } else { Style::new() };
        self.out.extend([format!("{style}{}{style:#}\n", lines.trim_end())]);
    }

    fn paragraph(&mut self, text: &Text, first: &str, later: &str) {
        self.out.push_str(&wrapped(&marked(text), self.options.width, first, later));
    }

    fn table(&mut self, table: &Table) {
        let long = |column: &Column| {
            column.kind == Kind::Variant && display_width(&column.head) > LONGEST_HEAD
        };
        let heads: Vec<String> = if table.columns.iter().any(long) {
            let variants = table.columns.iter().filter(|column| column.kind == Kind::Variant);
            let letters: Vec<String> = ('A'..='Z').map(String::from).collect();
            let legend: Vec<String> = variants
                .zip(&letters)
                .map(|(column, letter)| format!("{letter} = {}", column.head))
                .collect();
            self.paragraph(&legend.join(", ").into(), "", "");
            let mut letters = letters.into_iter();
            let head = |column: &Column| match column.kind {
                Kind::Variant => letters.next().unwrap_or_default(),
                _ => column.head.clone(),
            };
            table.columns.iter().map(head).collect()
        } else {
            table.columns.iter().map(|column| column.head.clone()).collect()
        };
        let width = self.options.width;
        let cells = |row: &Vec<Cell>| row.iter().map(|cell| marked(&cell.text)).collect();
        let rows: Vec<Vec<String>> = table.rows.iter().map(cells).collect();
        let kinds: Vec<Kind> = table.columns.iter().map(|column| column.kind).collect();
        let laid = laid_out(&heads, &rows, &kinds, (width, 1, NARROWEST_WORDS))
            .or_else(|| {
                // The names of a row in one column.
                let names = table.names;
                (names > 1).then(|| {
                    let join = |row: &[String]| {
                        let name = row[..names].join(", ");
                        std::iter::once(name).chain(row[names..].iter().cloned()).collect()
                    };
                    let rows: Vec<Vec<String>> = rows.iter().map(|row| join(row)).collect();
                    let heads =
                        std::iter::once("cell".to_owned()).chain(heads[names..].iter().cloned());
                    laid_out(&heads.collect::<Vec<_>>(), &rows, &kinds[names - 1..], (width, 1, 0))
                })?
            })
            .or_else(|| laid_out(&heads, &rows, &kinds, (width, 1, 0)))
            .or_else(|| laid_out(&heads, &rows, &kinds, (width, 0, 0)))
            .unwrap_or_else(|| below_each_other(&heads, &rows, table.names, width));
        self.out.push_str(&laid);
    }
}

/// A table without lines, if it fits `width` columns with this many blanks after each column, and room for this many columns of
/// words.
fn laid_out(
    heads: &[String],
    rows: &[Vec<String>],
    kinds: &[Kind],
    (width, blanks, words): (u16, u16, usize),
) -> Option<String> {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width);
    let cells = |texts: &[String]| {
        let cell = |(text, kind): (&String, &Kind)| {
            let cell = comfy_table::Cell::new(glued(&clipped(text)));
            match kind {
                Kind::Words => cell,
                Kind::Numbers | Kind::Variant => cell.set_alignment(CellAlignment::Right),
            }
        };
        texts.iter().zip(kinds).map(cell).collect::<Vec<_>>()
    };
    table.set_header(cells(heads));
    for row in rows {
        table.add_row(cells(row));
    }
    let widest = |index: usize, ends: &[char]| {
        let texts = rows.iter().map(|row| &row[index]).chain([&heads[index]]);
        let text =
            |text: &String| glued(&clipped(text)).split(ends).map(display_width).max().unwrap_or(0);
        texts.map(text).max().unwrap_or(0)
    };
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((1, blanks));
        column.set_constraint(match kinds[index] {
            // No word is broken, and ours stand on one line; the blanks between two columns belong to them.
            Kind::Words => {
                let words = widest(index, &['\n']).min(words);
                let least = words.max(widest(index, &[' ', '\n'])) + 1 + usize::from(blanks);
                ColumnConstraint::LowerBoundary(Width::Fixed(
                    u16::try_from(least).unwrap_or(u16::MAX),
                ))
            }
            Kind::Numbers | Kind::Variant => ColumnConstraint::ContentWidth,
        });
    }
    let text = table.trim_fmt().replace('\u{a0}', " ") + "\n";
    text.lines().all(|line| display_width(line) <= usize::from(width)).then_some(text)
}

fn below_each_other(heads: &[String], rows: &[Vec<String>], names: usize, width: u16) -> String {
    let mut out = String::new();
    for row in rows {
        out.push_str(&wrapped(&row[..names].join(", "), width, "", "  "));
        for (head, cell) in heads.iter().zip(row).skip(names).filter(|(_, cell)| !cell.is_empty()) {
            let text = format!("{head} {}", cell.replace('\n', " "));
            out.push_str(&wrapped(text.trim(), width, "  ", "    "));
        }
    }
    out
}

/// Text broken at spaces, the first and the later lines indented; words longer than a line are broken at its end.
fn wrapped(text: &str, width: u16, first: &str, later: &str) -> String {
    // A flag that is broken cannot be copied.
    let splitter = WordSplitter::Custom(|word| {
        let flag = word.starts_with("--");
        if flag { Vec::new() } else { WordSplitter::HyphenSplitter.split_points(word) }
    });
    let options = textwrap::Options::new(usize::from(width));
    let options = options.initial_indent(first).subsequent_indent(later).word_splitter(splitter);
    let mut out = String::new();
    for line in textwrap::wrap(&glued(text.trim_end()), options) {
        out.push_str(&line.trim_end().replace('\u{a0}', " "));
        out.push('\n');
    }
    out
}

/// A number and its percent sign, kept together by a space at which no line ends.
fn glued(text: &str) -> String {
    text.replace(" %", "\u{a0}%")
}

/// The words of a text, those of a change between marks without a width.
fn marked(text: &Text) -> String {
    let span = |span: &Span| match span {
        Span::Verdict(verdict, words) => match MARKS.iter().find(|(_, marked)| marked == verdict) {
            Some((mark, _)) => format!("{mark}{words}{END}"),
            None => words.clone(),
        },
        other => clipped(other.words()).into_owned(),
    };
    text.spans.iter().map(span).collect()
}

/// Laid out text with colours in place of the marks, or without them.
fn finished(text: &str, colour: bool) -> String {
    let mut out = text.to_owned();
    for (mark, verdict) in MARKS {
        let style = style(Tone::Verdict(verdict));
        out = out.replace(mark, &if colour { style.to_string() } else { String::new() });
    }
    out.replace(END, if colour { "\u{1b}[0m" } else { "" })
}
