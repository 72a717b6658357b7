//! The parts of a document.

use crate::format;
use crate::report::document::Text;
use crate::report::history::{HistoryReport, SeriesRow};
use crate::report::{Comparison, CurveRow, Row, Settings, SharedRow, SweepRow};
use crate::runs::Skipped;
use crate::verdict::{Headline, Verdict};

/// A report to be rendered.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    /// Name of the command in the first line: `beyondnoise`, `beyondnoise noise`.
    pub program: &'static str,
    /// Hidden mark by which a bot finds its own comment; none where nobody updates one.
    pub marker: Option<&'static str>,
    /// How the first line is coloured and which sign it has.
    pub tone: Tone,
    /// The answer in one sentence.
    pub title: Text,
    /// Lines of the quiet form, if the title is not enough.
    pub quiet: Vec<Text>,
    /// Everything below the title.
    pub blocks: Vec<Block<'a>>,
}

/// A part of a document.
#[derive(Clone, Debug)]
pub enum Block<'a> {
    /// A heading, with the sign of a verdict where it has one.
    Heading(Heading),
    /// A sentence or a paragraph.
    Text(Role, Text),
    /// Rows and columns, with a title.
    Table(Table<'a>),
    /// A plot of numbers that a table also shows.
    Plot(Plot<'a>),
    /// Blocks that are folded at first.
    Fold(Fold<'a>),
}

/// The title of a part.
#[derive(Clone, Debug)]
pub struct Heading {
    /// 2 for a part of the document, 3 for a part of that.
    pub level: u8,
    /// The sign beside it.
    pub tone: Option<Tone>,
    /// Its words.
    pub text: Text,
    /// Name by which a link finds it.
    pub anchor: Option<String>,
}

/// The role of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A separate paragraph above a table.
    Lead,
    /// The settings that all runs of a comparison share.
    Workload,
    /// A plain paragraph.
    Plain,
    /// An entry of a list.
    Item,
    /// A finding that stops the verdict.
    Stop,
    /// A finding that weakens the verdict.
    Warning,
    /// A finding of little weight.
    Note,
    /// The next step.
    Next,
    /// How numbers were made, legends.
    Small,
}

/// A table; the first `names` columns name the row.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    /// Its content in a few words, for screen readers.
    pub label: String,
    /// From left to right, each with its cells.
    pub columns: Vec<Column>,
    /// Number of leading columns that name a row.
    pub names: usize,
    /// Its rows, each with a cell for every column.
    pub rows: Vec<Vec<Cell<'a>>>,
    /// Rows that a review shows; it folds the others.
    pub before_fold: Option<usize>,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// The text over the cells.
    pub head: String,
    /// The kind of its cells.
    pub kind: Kind,
}

/// The kind of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Words: on the left, broken at spaces.
    Words,
    /// Numbers: on the right, never broken.
    Numbers,
    /// Numbers of a variant, with its label as the head; a letter replaces a long label.
    Variant,
}

/// A cell of a table.
#[derive(Clone, Debug, Default)]
pub struct Cell<'a> {
    /// The text in every format; lines are separated by line breaks.
    pub text: Text,
    /// More text, for formats with room for it.
    pub more: String,
    /// Number by which a page sorts the cell.
    pub key: Option<f64>,
    /// Anchor of the heading that a page links to.
    pub link: Option<String>,
    /// The sign that a page shows beside the text.
    pub sign: Option<Tone>,
    /// The change that a page draws in the cell, on one axis for the column.
    pub drawn: Option<&'a Row>,
}

/// A picture.
#[derive(Clone, Debug)]
pub enum Plot<'a> {
    /// Intervals on one axis, a line each.
    Forest {
        /// Heading, where several plots follow each other.
        head: String,
        /// Name of each line and the row whose change is drawn.
        lines: Vec<(String, &'a Row)>,
        /// Head of the column of intervals: `95 % CI`.
        level: String,
        /// Whether a picture in a file shows it too.
        in_picture: bool,
    },
    /// A metric in all cells of a batch, for a page and a picture.
    Cells {
        /// The metric, in the worst cell.
        of: &'a Row,
        /// Name of each cell and its row, the worst first.
        lines: Vec<(String, &'a Row)>,
        /// Lines that are drawn.
        most: usize,
        /// Head of the column of intervals: `95 % CI`.
        level: String,
        /// The change that all cells share, where there is one candidate.
        shared: Option<&'a SharedRow>,
        /// The cells by two factors, where they differ in two.
        grid: Option<Grid<'a>>,
        /// Name of the drawing in the page.
        id: String,
    },
    /// Both curves of a sweep, for a page and a picture.
    Sweep {
        /// The curves of both variants and their change at each load.
        sweep: &'a SweepRow,
        /// All comparisons of the report.
        comparisons: &'a [Comparison],
        /// Deciding metrics that are drawn.
        metrics: &'a [CurveRow],
        /// Name of the drawing in the page.
        id: String,
    },
    /// A metric of a cell over its nights: levels, changes and their intervals, for a page and a picture.
    TimeLine {
        /// The verdict on all series.
        report: &'a HistoryReport,
        /// The series.
        row: &'a SeriesRow,
        /// Name of the drawing in the page.
        id: String,
    },
    /// All series of a history by night, for a page and a picture.
    Strip {
        /// The verdict.
        report: &'a HistoryReport,
        /// Name of the drawing in the page.
        id: String,
    },
    /// Every run of a metric, its change, and the runs in their order, for a page.
    Runs {
        /// The comparison with these runs.
        comparison: &'a Comparison,
        /// Its metric.
        row: &'a Row,
        /// The settings in force.
        settings: &'a Settings,
        /// Name of the drawing in the page.
        id: String,
        /// Whether the runs are drawn in the order of their start, and each names itself.
        whole: bool,
    },
}

/// The cells of a batch by two factors.
#[derive(Clone, Debug)]
pub struct Grid<'a> {
    /// Factor of the rows and factor of the columns.
    pub factors: [String; 2],
    /// Values of the first factor.
    pub rows: Vec<String>,
    /// Values of the second factor.
    pub columns: Vec<String>,
    /// For each row a cell for every column; none where it was not measured.
    pub cells: Vec<Vec<Option<&'a Row>>>,
}

/// Blocks that are folded at first.
#[derive(Clone, Debug)]
pub struct Fold<'a> {
    /// Its content in a few words: `5 more metrics · 2 notes`.
    pub summary: Text,
    /// Heading under which a page shows it without folding.
    pub heading: Option<Heading>,
    /// Which forms show it.
    pub room: Room,
    /// Whether a page shows it open.
    pub open: bool,
    /// The line in place of the fold, in a format that omits it.
    pub announced: Option<Text>,
    /// The folded blocks.
    pub blocks: Vec<Block<'a>>,
}

/// Which forms show a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Every format; a terminal only with `--verbose`.
    Any,
    /// Every format; a terminal shows it unfolded.
    Terminal,
    /// A page only.
    Page,
}

/// The sign and colour of a verdict, a headline or a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// A verdict on the whole.
    Headline(Headline),
    /// A verdict on a metric.
    Verdict(Verdict),
    /// Something to look at.
    Warning,
    /// Nothing special.
    Calm,
}

impl Plot<'_> {
    /// Name of the drawing in a page.
    pub(crate) fn id(&self) -> String {
        match self {
            Self::Forest { .. } => String::new(),
            Self::Cells { id, .. }
            | Self::Sweep { id, .. }
            | Self::Runs { id, .. }
            | Self::TimeLine { id, .. }
            | Self::Strip { id, .. } => id.clone(),
        }
    }
}

impl Block<'_> {
    /// A sentence.
    pub fn text(role: Role, text: impl Into<Text>) -> Self {
        Self::Text(role, text.into())
    }

    /// A sentence in which back-ticks enclose code.
    pub fn marked(role: Role, text: &str) -> Self {
        Self::Text(role, Text::marked(text))
    }

    /// A heading without a sign.
    pub fn heading(level: u8, text: impl Into<Text>) -> Self {
        Self::Heading(Heading { level, tone: None, text: text.into(), anchor: None })
    }

    /// A table under its heading, with this number of leading columns of words.
    pub fn titled_table(
        heading: String,
        head: Vec<String>,
        rows: Vec<Vec<String>>,
        words: usize,
    ) -> Vec<Self> {
        let table = Table::after_words(words, &heading, head, rows);
        vec![Self::heading(3, heading), Self::Table(table)]
    }

    /// Blocks that are folded at first; `None` where there are no blocks.
    pub fn fold(summary: impl Into<Text>, room: Room, blocks: Vec<Self>) -> Option<Self> {
        let fold = Fold {
            summary: summary.into(),
            heading: None,
            room,
            open: false,
            announced: None,
            blocks,
        };
        (!fold.blocks.is_empty()).then_some(Self::Fold(fold))
    }

    /// Folded blocks; a format that omits them shows `announced`.
    pub fn announced(
        summary: impl Into<Text>,
        announced: impl Into<Text>,
        blocks: Vec<Self>,
    ) -> Option<Self> {
        let mut block = Self::fold(summary, Room::Any, blocks)?;
        if let Self::Fold(fold) = &mut block {
            fold.announced = Some(announced.into());
        }
        Some(block)
    }

    /// The first `most` of several blocks, and the others folded: `and 2 more warnings with -v`.
    pub(crate) fn first_of(mut blocks: Vec<Self>, most: usize, noun: &str) -> Vec<Self> {
        let rest = blocks.split_off(most.min(blocks.len()));
        let summary = format::counted(rest.len(), noun);
        blocks.extend(Self::announced(summary.clone(), format!("and {summary} with -v"), rest));
        blocks
    }

    /// Shows a fold open in a page.
    #[must_use]
    pub fn open(mut self, open: bool) -> Self {
        if let Self::Fold(fold) = &mut self {
            fold.open = open;
        }
        self
    }
}

/// Anchor of a comparison in a page, by its number from 1.
pub(crate) fn anchor(number: usize) -> String {
    format!("c{number}")
}

/// Skipped parts of the input with their reasons: the first `most`, and the others folded.
pub(crate) fn skipped(all: &[Skipped], most: usize) -> Vec<Block<'static>> {
    let item = |Skipped { place, why }: &Skipped| {
        Block::marked(Role::Item, &format!("skipped: {place}: {}.", why.trim_end_matches('.')))
    };
    let (first, rest) = all.split_at(most.min(all.len()));
    let summary = format!("{} more skipped", format::count(rest.len()));
    let announced = format!("and {summary} (-v)");
    let rest = Block::announced(summary, announced, rest.iter().map(item).collect());
    first.iter().map(item).chain(rest).collect()
}

impl<'a> Table<'a> {
    /// A table whose first column names the row; all rows are shown.
    pub(crate) fn new(label: &str, columns: Vec<Column>, rows: Vec<Vec<Cell<'a>>>) -> Self {
        Self { label: label.to_owned(), columns, names: 1, rows, before_fold: None }
    }

    /// A table of words and numbers: the first column names the row, the others are numbers.
    pub fn of_numbers(label: &str, head: Vec<String>, rows: Vec<Vec<String>>) -> Self {
        Self::after_words(1, label, head, rows)
    }

    /// The same with this number of leading columns of words.
    pub fn after_words(
        words: usize,
        label: &str,
        head: Vec<String>,
        rows: Vec<Vec<String>>,
    ) -> Self {
        let kind = |index| if index < words { Kind::Words } else { Kind::Numbers };
        let columns = head.into_iter().enumerate();
        let columns = columns.map(|(index, head)| Column { head, kind: kind(index) }).collect();
        let rows = rows.into_iter().map(|row| row.into_iter().map(Cell::from).collect());
        Self { names: words.max(1), ..Self::new(label, columns, rows.collect()) }
    }
}

/// Columns of numbers behind one of words.
pub(crate) fn number_columns(heads: impl IntoIterator<Item = impl Into<String>>) -> Vec<Column> {
    let kind = |index| if index == 0 { Kind::Words } else { Kind::Numbers };
    let columns = heads.into_iter().enumerate();
    columns.map(|(index, head)| Column { head: head.into(), kind: kind(index) }).collect()
}

impl<T: Into<Text>> From<T> for Cell<'_> {
    fn from(text: T) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}
