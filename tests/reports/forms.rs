//! Text, markdown and HTML of one report say the same: every sentence, heading and cell stands in each of them.
//!
//! The words of the document are compared with the lines of the text, the blocks of the markdown and the elements
//! of the page, in their order. Text and markdown say nothing else; a page draws too.

use std::fs;

use beyondnoise::analysis::{analyse, batch};
use beyondnoise::calibrate::{OwnSettings, Procedure, own_runs};
use beyondnoise::noise::noise;
use beyondnoise::plan::{self, Basis, Request, bases};
use beyondnoise::policy::{Base, Policy};
use beyondnoise::read::{Loaded, Options, load};
use beyondnoise::render::{TextOptions, html, markdown, text};
use beyondnoise::report::batch::batch as cells_of_batch;
use beyondnoise::report::calibrate::own_runs_document;
use beyondnoise::report::document::{Block, Cell, Column, Document, Fold, Kind, Room, Table, Text};
use beyondnoise::stats::{Across, Method};
use textwrap::core::display_width;

/// Elements that stand inside of a line.
const INSIDE: [&str; 6] = ["a", "bdi", "code", "span", "strong", "sub"];

/// Words and signs with which a form begins a sentence of its kind, or a title.
const BEGINNINGS: [&str; 22] = [
    "warning: ",
    "stop: ",
    "note: ",
    "Next: ",
    "beyondnoise: ",
    "beyondnoise noise: ",
    "beyondnoise plan: ",
    "beyondnoise calibrate: ",
    "✅ ",
    "🔻 ",
    "⚖️ ",
    "↗️ ",
    "↘️ ",
    "🟰 ",
    "〰️ ",
    "❔ ",
    "⛔ ",
    "⚠️ ",
    "ℹ️ ",
    "⚠ ",
    "ℹ ",
    "⚖ ",
];

/// A sentence, a heading or a cell without what a form adds to it.
fn bare(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = line.as_str();
    while let Some(shorter) = BEGINNINGS.iter().find_map(|start| rest.strip_prefix(start)) {
        rest = shorter;
    }
    let enclosed = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    enclosed.unwrap_or(rest).to_owned()
}

/// The words in their order, without those that are empty.
fn bared(words: impl IntoIterator<Item = String>) -> Vec<String> {
    words.into_iter().map(|words| bare(&words)).filter(|words| !words.is_empty()).collect()
}

/// A form of a document.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// For a terminal, with what is folded or without.
    Text {
        verbose: bool,
    },
    Markdown,
    Page,
}

impl Form {
    /// What the form shows of a document, in its order.
    fn of(self, document: &Document) -> Vec<String> {
        let mut out = vec![document.title.words()];
        self.blocks(&document.blocks, &mut out);
        bared(out)
    }

    fn blocks(self, blocks: &[Block], out: &mut Vec<String>) {
        for block in blocks {
            match block {
                Block::Heading(heading) => out.push(heading.text.words()),
                Block::Text(_, text) => out.push(text.words()),
                Block::Table(table) => match self {
                    Self::Text { .. } => lines_of(table, out),
                    Self::Markdown | Self::Page => cells_of(table, out),
                },
                Block::Plot(_) => {}
                Block::Fold(fold) => self.fold(fold, out),
            }
        }
    }

    fn fold(self, fold: &Fold, out: &mut Vec<String>) {
        let heading = fold.heading.as_ref().map(|heading| heading.text.words());
        if fold.room == Room::Page && self != Self::Page {
            return;
        }
        match self {
            Self::Text { verbose } if verbose || fold.room == Room::Terminal => out.extend(heading),
            Self::Text { .. } => {
                out.extend(fold.announced.as_ref().map(Text::words));
                return;
            }
            Self::Markdown => out.push(fold.summary.words()),
            Self::Page => out.push(heading.unwrap_or_else(|| fold.summary.words())),
        }
        self.blocks(&fold.blocks, out);
    }
}

/// The lines of a table, with letters for long labels.
fn lines_of(table: &Table, out: &mut Vec<String>) {
    let is_variant = |column: &&Column| column.kind == Kind::Variant;
    let variants = table.columns.iter().filter(is_variant);
    let long = variants.clone().any(|column| display_width(&column.head) > 14);
    let mut heads: Vec<String> = table.columns.iter().map(|column| column.head.clone()).collect();
    if long {
        let letter = |(letter, column): (char, &Column)| format!("{letter} = {}", column.head);
        out.push(('A'..='Z').zip(variants).map(letter).collect::<Vec<_>>().join(", "));
        let places = table.columns.iter().zip(&mut heads);
        let places = places.filter(|(column, _)| is_variant(column));
        places.zip('A'..='Z').for_each(|((_, head), letter)| *head = letter.to_string());
    }
    out.push(heads.join(" "));
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.text.words()).collect();
        let lines = cells.iter().map(|cell| cell.lines().count()).max().unwrap_or(0);
        let line = |at: usize| {
            let words: Vec<&str> = cells.iter().filter_map(|cell| cell.lines().nth(at)).collect();
            words.join(" ")
        };
        out.extend((0..lines).map(line));
    }
}

/// The cells of a table, with those that are folded below heads of their own.
fn cells_of(table: &Table, out: &mut Vec<String>) {
    let shown = table.before_fold.unwrap_or(table.rows.len()).min(table.rows.len());
    let (first, rest) = table.rows.split_at(shown);
    let mut part = |rows: &[Vec<Cell>], summary: String| {
        out.push(summary);
        out.extend(table.columns.iter().map(|column| column.head.clone()));
        out.extend(rows.iter().flatten().map(|cell| format!("{}{}", cell.text.words(), cell.more)));
    };
    part(first, String::new());
    match rest.len() {
        0 => {}
        1 => part(rest, "1 more row".to_owned()),
        many => part(rest, format!("{many} more rows")),
    }
}

/// The lines of a text.
fn lines(text: &str) -> Vec<String> {
    bared(text.lines().filter(|line| *line != "-v shows everything.").map(str::to_owned))
}

/// What stands in the elements of a page, drawings apart.
fn elements(page: &str) -> Vec<String> {
    let mut units = vec![String::new()];
    let mut apart = String::new();
    for part in page.split('<').skip(1) {
        let (tag, words) = part.split_once('>').expect("the end of a tag");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        if apart.is_empty() && ["svg", "style", "script", "title"].contains(&name) {
            name.clone_into(&mut apart);
        } else if tag.strip_prefix('/') == Some(&apart) {
            apart.clear();
        }
        if !INSIDE.contains(&name) || tag.contains("class=\"narrow\"") {
            units.push(String::new());
        }
        if apart.is_empty() {
            units.last_mut().expect("a unit").push_str(words);
        }
    }
    let plain = |text: String| {
        let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
        text.replace("&amp;", "&")
    };
    bared(units.into_iter().map(plain))
}

/// What GitHub shows of a markdown.
fn shown(markdown: &str) -> Vec<String> {
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    options.render.r#unsafe = true;
    elements(&comrak::markdown_to_html(markdown, &options))
}

/// Nothing is missing, changed or added.
#[track_caller]
fn same(name: &str, seen: &[String], said: &[String]) {
    let differs = seen.iter().zip(said).position(|(seen, said)| seen != said);
    let at = differs.unwrap_or(seen.len().min(said.len()));
    let (seen, said) = (seen.get(at), said.get(at));
    assert!(seen == said, "{name}, part {at}\nshown {seen:#?}\nof the document {said:#?}");
}

/// Nothing is missing or changed.
#[track_caller]
fn within(name: &str, seen: &[String], said: &[String]) {
    let mut rest = seen.iter();
    for words in said {
        let after = rest.clone();
        assert!(
            rest.any(|unit| unit == words),
            "{name}\nmissing {words:#?}\nafter it {:#?}",
            after.take(8).collect::<Vec<_>>()
        );
    }
}

/// All forms show the words of the document.
#[track_caller]
fn agree<'a>(name: &str, document: impl Into<Document<'a>>) {
    let document = document.into();
    for verbose in [false, true] {
        let options = TextOptions { width: 20_000, verbose, ..TextOptions::default() };
        let seen = lines(&text(document.clone(), options));
        same(&format!("{name}, text"), &seen, &Form::Text { verbose }.of(&document));
    }
    let written = markdown(document.clone());
    assert!(
        !written.contains("left out here") && !written.contains("see `--format csv`"),
        "{name}"
    );
    same(&format!("{name}, markdown"), &shown(&written), &Form::Markdown.of(&document));
    let seen = elements(&html(document.clone()));
    within(&format!("{name}, page"), &seen, &Form::Page.of(&document));
}

fn of_files(paths: &[&str]) -> Loaded {
    let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
    load(&paths, &Options::default()).expect("readable inputs")
}

/// The runs of a table with the columns of settings `variant` and `concurrency`.
fn of_table(variants: &[&str], workloads: usize, runs: usize, metric: &str) -> Loaded {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let head = ["variant", "max_concurrency", "output_throughput", "mean_ttft_ms", metric];
    writer.write_record(head).expect("in memory");
    for workload in 1..=workloads {
        for (k, variant) in variants.iter().enumerate() {
            for run in 0..runs {
                let step = (workload % 5) as f64;
                let value = |base: f64| {
                    format!("{:.3}", base + step * k as f64 + ((run * 7 + workload) as f64).sin())
                };
                let (rate, ttft, own) = (value(100.0), value(50.0), value(20.0));
                let cells = [*variant, &workload.to_string(), &rate, &ttft, &own];
                writer.write_record(cells).expect("in memory");
            }
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.csv");
    fs::write(&path, writer.into_inner().expect("in memory")).expect("a file");
    of_files(&[&path.display().to_string()])
}

#[test]
fn comparisons_say_the_same_in_every_form() {
    let files = [
        "data/serving",
        "data/notes",
        "data/notes/burst-cache-steps.txt",
        "data/notes/burst-three-variants.txt",
        "data/notes/closed-loop-before-after.txt",
        "data/notes/mock-abba.md",
        "data/notes/two-workloads-five-steps.txt",
    ];
    let loaded = files.map(|path| (path, of_files(&[path])));
    let tables = [
        ("single runs", of_table(&["before", "after"], 6, 1, "other_ms")),
        ("two runs", of_table(&["before", "after"], 1, 2, "other_ms")),
        ("many workloads", of_table(&["before", "after"], 12, 3, "other_ms")),
        ("long labels", of_table(&["a long name of before", "a long name of after"], 2, 3, "x")),
    ];
    for (name, loaded) in loaded.iter().chain(&tables) {
        let first = loaded.assumed_base.as_deref().or(Some("before"));
        let first = first.filter(|first| loaded.dataset.variant_names().contains(first));
        let report = analyse(&loaded.dataset, None, first, &Policy::default()).expect(name);
        agree(name, &report);
    }
}

#[test]
fn hostile_labels_stand_as_they_are_in_every_form() {
    let labels = [
        "</script><script>alert(1)</script>",
        "<!-- beyondnoise -->",
        "</td></tr></table></details>",
        "a|b||c",
        "`code` ``x",
        "[x](javascript:alert(1))",
        "see http://evil.example or www.evil.example @someone #12",
        "[^1]: note",
        "# heading",
        "1. one",
        "- item",
        "*strong* _slanted_ ~~out~~ $x$",
        "&lt;b&gt; &amp;",
        "=cmd|'/C calc'!A1",
        "并行前缀缓存 🚀",
    ];
    for label in labels {
        let loaded = of_table(&["before", label], 2, 3, &format!("{label}_ms"));
        let report = analyse(&loaded.dataset, Some("before"), None, &Policy::default());
        agree(label, &report.expect(label));
        let base = Base::Label("before".to_owned());
        let report = batch(&loaded.dataset, None, &[], Some(&base), &Policy::default());
        agree(label, &report.expect(label));
        agree(label, &noise(&loaded.dataset, &Policy::default()).expect(label));
        let (bases, skipped) = bases(&loaded.dataset, &Policy::default()).expect(label);
        agree(label, &plan::report(bases, skipped, &request(1, None)));
    }
}

#[test]
fn batches_say_the_same_in_every_form() {
    for (cells, runs) in [(4, 3), (26, 3), (26, 1), (45, 5)] {
        let loaded = of_table(&["before", "after"], cells, runs, "other_ms");
        let base = Base::Label("before".to_owned());
        let report = batch(&loaded.dataset, None, &[], Some(&base), &Policy::default());
        let report = report.expect("a batch");
        for all in [false, true] {
            agree(&format!("{cells} cells of {runs} runs"), cells_of_batch(&report, all));
        }
    }
}

#[test]
fn noise_says_the_same_in_every_form() {
    let names: Vec<String> = (0..30).map(|k| format!("build {k}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for (builds, runs) in [(1, 4), (3, 3), (30, 3)] {
        let loaded = of_table(&names[..builds], 1, runs, "other_ms");
        let report = noise(&loaded.dataset, &Policy::default()).expect("repeats");
        agree(&format!("{builds} builds"), &report);
    }
    for path in ["data/serving", "data/notes"] {
        agree(path, &noise(&of_files(&[path]).dataset, &Policy::default()).expect(path));
    }
}

fn request(looks: usize, cost: Option<&str>) -> Request {
    let cost = cost.map(|cost| cost.parse().expect("a cost"));
    Request { effects: vec![0.01, 0.03], looks, cost, ..Request::default() }
}

#[test]
fn plans_say_the_same_in_every_form() {
    let loaded = of_table(&["before", "after"], 4, 3, "other_ms");
    for (looks, cost) in [(1, None), (3, None), (3, Some("7min")), (1, Some("12USD"))] {
        let name = format!("{looks} looks, {cost:?}");
        let (bases, skipped) = bases(&loaded.dataset, &Policy::default()).expect("a basis");
        agree(&name, &plan::report(bases, skipped, &request(looks, cost)));
        let given = || vec![Basis::given(0.016, &Policy::default())];
        agree(&name, &plan::report(given(), Vec::new(), &request(looks, cost)));
        let runs = Request { effects: Vec::new(), runs: Some(5), ..request(looks, cost) };
        agree(&name, &plan::report(given(), Vec::new(), &runs));
    }
}

#[test]
fn calibrations_say_the_same_in_every_form() {
    let procedures = Procedure::all_of(&[Method::Welch, Method::Percentile], &[Across::MEAN]);
    let settings = OwnSettings {
        procedures,
        designs: Vec::new(),
        effects: vec![0.05],
        repetitions: 20,
        confidence: 0.95,
        resamples: 100,
        seed: 1,
    };
    let loaded = of_table(&["one", "two"], 2, 12, "other_ms");
    let found = own_runs(&loaded.dataset, &Policy::default(), &settings, (&|_| {}, &|_| {}));
    agree("own runs", &own_runs_document(&settings, found.expect("halves")));
}
