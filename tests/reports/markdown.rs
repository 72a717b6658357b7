//! The markdown report through two renderers of GitHub's flavour: both must see the same blocks and cells.

use std::collections::BTreeSet;

use beyondnoise::analysis::analyse;
use beyondnoise::policy::Policy;
use beyondnoise::read::{Options, load};
use beyondnoise::render;
use beyondnoise::report::Report;
use beyondnoise::stats::Method;
use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, parse_document};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// What stands in a report, in order: a kind and its text.
type Blocks = Vec<(&'static str, String)>;

fn of_files(paths: &[&str]) -> Report {
    let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
    let loaded = load(&paths, &Options::default()).expect("readable inputs");
    let first = loaded.assumed_base.as_deref();
    analyse(&loaded.dataset, None, first, &Policy::default()).expect("a comparison")
}

/// Three runs of `before` and of each label, with a metric named after the first label.
fn of_labels(labels: &[&str]) -> Report {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let metric = format!("{}_ms", labels[0]);
    writer.write_record(["variant", "metric", "value"]).expect("in memory");
    for (k, variant) in std::iter::once(&"before").chain(labels).enumerate() {
        for run in 0..3 {
            for metric in ["output_throughput", "mean_ttft_ms", &metric] {
                let value = format!("{:.2}", 100.0 + 2.0 * k as f64 + 0.01 * f64::from(run));
                writer.write_record([variant, metric, &value]).expect("in memory");
            }
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.csv");
    std::fs::write(&path, writer.into_inner().expect("in memory")).expect("a file");
    let loaded = load(&[path.display().to_string()], &Options::default()).expect("a table");
    let policy = Policy { method: Method::Welch, ..Policy::default() };
    analyse(&loaded.dataset, Some("before"), None, &policy).expect("a comparison")
}

/// Blanks are one, and those at the ends none.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// As GitHub's own renderer is set up.
fn by_comrak(markdown: &str) -> Blocks {
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    let arena = Arena::new();
    let root = parse_document(&arena, markdown, &options);
    let mut out = Blocks::new();
    for node in root.descendants() {
        let kind = match &node.data().value {
            NodeValue::Heading(_) => "heading",
            NodeValue::TableCell => "cell",
            NodeValue::TableRow(_) => "row",
            NodeValue::Table(_) => "table",
            NodeValue::Item(_) => "item",
            NodeValue::Paragraph => "paragraph",
            NodeValue::HtmlBlock(html) => {
                out.push(("html", squeezed(&html.literal)));
                continue;
            }
            NodeValue::Document
            | NodeValue::List(_)
            | NodeValue::Text(_)
            | NodeValue::Code(_)
            | NodeValue::Strong
            | NodeValue::SoftBreak
            | NodeValue::HtmlInline(_) => continue,
            other => {
                out.push(("strange", format!("{other:?}")));
                continue;
            }
        };
        let text = if matches!(kind, "heading" | "cell" | "paragraph") {
            squeezed(&text_of(node))
        } else {
            String::new()
        };
        out.push((kind, text));
    }
    // The items of a list hold paragraphs that this renderer shows and the other does not.
    let mut flat = Blocks::new();
    for (kind, text) in out {
        match flat.last_mut() {
            Some(("item", inside)) if kind == "paragraph" && inside.is_empty() => *inside = text,
            _ => flat.push((kind, text)),
        }
    }
    flat
}

fn text_of<'a>(node: &'a AstNode<'a>) -> String {
    let mut out = String::new();
    for inner in node.descendants() {
        match &inner.data().value {
            NodeValue::Text(text) => out.push_str(text),
            NodeValue::Code(code) => out.push_str(&code.literal),
            NodeValue::SoftBreak => out.push(' '),
            NodeValue::HtmlInline(html) => out.push_str(html),
            _ => {}
        }
    }
    out
}

fn by_pulldown(markdown: &str) -> Blocks {
    use pulldown_cmark::Options;
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM;
    let mut out = Blocks::new();
    let mut open: Vec<usize> = Vec::new();
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(Tag::List(_) | Tag::Strong)
            | Event::End(TagEnd::List(_) | TagEnd::Strong) => {}
            Event::Start(Tag::Paragraph) if open.last().is_some_and(|&at| out[at].0 == "item") => {
                open.push(*open.last().expect("an item"));
            }
            Event::Start(tag) => {
                let kind = match tag {
                    Tag::Heading { .. } => "heading",
                    Tag::TableCell => "cell",
                    Tag::TableHead | Tag::TableRow => "row",
                    Tag::Table(_) => "table",
                    Tag::Item => "item",
                    Tag::Paragraph => "paragraph",
                    Tag::HtmlBlock => "html",
                    _ => "strange",
                };
                out.push((kind, String::new()));
                open.push(out.len() - 1);
            }
            Event::End(_) => drop(open.pop()),
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                out[*open.last().expect("inside a block")].1.push_str(&text);
            }
            Event::SoftBreak => out[*open.last().expect("inside a block")].1.push(' '),
            other => out.push(("strange", format!("{other:?}"))),
        }
    }
    out.into_iter().map(|(kind, text)| (kind, squeezed(&text))).collect()
}

/// Checks a report in both renderers and gives its blocks.
fn assert_same(name: &str, report: &Report) -> Blocks {
    let markdown = render::markdown(report);
    assert!(markdown.chars().count() < 60_000, "{name}");
    let blocks = by_comrak(&markdown);
    assert_eq!(blocks, by_pulldown(&markdown), "{name}: {markdown}");
    let strange: Vec<_> = blocks.iter().filter(|(kind, _)| *kind == "strange").collect();
    assert!(strange.is_empty(), "{name}: {strange:?} in {markdown}");
    // All rows of a table have as many cells as its first.
    for table in blocks.split(|(kind, _)| *kind == "table").skip(1) {
        let inside = table.iter().take_while(|(kind, _)| matches!(*kind, "row" | "cell"));
        let inside: Vec<&str> = inside.map(|(kind, _)| *kind).collect();
        let sizes: Vec<usize> =
            inside.split(|kind| *kind == "row").skip(1).map(<[_]>::len).collect();
        let widths: BTreeSet<usize> = sizes.iter().copied().collect();
        assert!(widths.len() == 1 && sizes.len() > 1, "{name}: {sizes:?} in {markdown}");
    }
    // What is folded opens and closes as HTML, and what stands between is markdown.
    let count = |tag: &str| {
        blocks.iter().filter(|(kind, text)| *kind == "html" && text.contains(tag)).count()
    };
    assert_eq!(count("<details>"), count("</details>"), "{name}: {markdown}");
    let html = blocks.iter().filter(|(kind, _)| *kind == "html");
    for (_, text) in html {
        assert!(
            !text.contains('|') && !text.contains("**") || text.contains("<summary>"),
            "{name}: {text}"
        );
    }
    blocks
}

#[test]
fn reports_of_real_runs_are_the_same_in_both() {
    for path in [
        "data/serving",
        "data/notes",
        "data/notes/burst-cache-steps.txt",
        "data/notes/burst-three-variants.txt",
        "data/notes/closed-loop-before-after.txt",
        "data/notes/mock-abba.md",
        "data/notes/two-workloads-five-steps.txt",
    ] {
        let blocks = assert_same(path, &of_files(&[path]));
        assert!(blocks.iter().any(|(kind, _)| *kind == "cell"), "{path}");
    }
}

/// The letters of a text: whether a part of it is code, and which blanks it has, does not count.
fn letters(text: &str) -> String {
    let text = text.replace("<code>", "").replace("</code>", "");
    text.chars().filter(|c| *c != '`' && !c.is_whitespace()).collect()
}

const HOSTILE: [&str; 23] = [
    "a|b||c|",
    "`` a`|b ``",
    "`code` and ``more``",
    "one ` backtick",
    "**bold** __bold__ *it* _it_",
    "<details><summary>x</summary>",
    "</details>",
    "<!-- beyondnoise -->",
    "~~gone~~ ~one~",
    "snake_case_name and _edge_",
    "[x](y) ![x](y) [x][y] [^1]",
    "@someone and team/@other",
    "#1 and owner/repo#23 GH-4",
    "two\nlines\r\n# heading",
    "🚀 fast 👩‍💻 é ñ",
    "نسخة سريعة",
    "优化后：第二版",
    "1. item",
    "- item",
    "> quote",
    "https://example.com www.example.com",
    "a \\ b \\| c",
    "$x_1$ &amp; &lt; :smile:",
];

#[test]
fn labels_come_through_unchanged() {
    for label in HOSTILE {
        for labels in [vec![label], vec![label, "third"]] {
            let report = of_labels(&labels);
            let blocks = assert_same(label, &report);
            let cells = blocks.iter().filter(|(kind, _)| *kind == "cell");
            let shown: Vec<String> = cells.map(|(_, text)| letters(text)).collect();
            let name =
                if labels.len() == 1 { letters(label) } else { format!("{}(n=3)", letters(label)) };
            assert!(shown.contains(&name), "{label}: {shown:?}");
            let metric = letters(&format!("{label}_ms"));
            assert!(shown.iter().any(|cell| cell.starts_with(&metric)), "{label}: {shown:?}");
        }
    }
}

/// GitHub links `#1` and `owner/name#1` and tells the people named after an `@`, except in code.
#[test]
fn labels_name_nobody_and_no_thread() {
    for label in ["@someone", "see #12 or a/b#3", "(@x)", "a|@x and b#3|"] {
        let markdown = render::markdown(&of_labels(&[label, "third"]));
        for line in markdown.lines() {
            let line = line.replace("<code>", "`").replace("</code>", "`");
            let bare: String = line.split('`').step_by(2).collect();
            for live in ["@someone", "#12", "b#3", "@x"] {
                assert!(!bare.contains(live), "{label}: {line}");
            }
        }
    }
}

#[test]
fn long_labels_are_shortened() {
    let long = "长 label ".repeat(2_500);
    for labels in [vec![long.as_str()], vec![long.as_str(), "third"]] {
        let blocks = assert_same("20,000 characters", &of_labels(&labels));
        let cells = blocks.iter().filter(|(kind, _)| *kind == "cell");
        let longest = cells.map(|(_, text)| text.chars().count()).max();
        assert!(longest.is_some_and(|longest| longest < 1_100), "{longest:?}");
        assert!(blocks.iter().any(|(kind, text)| *kind == "cell" && text.contains('…')));
    }
}

#[test]
fn three_hundred_comparisons_fit_and_the_worst_come_first() {
    let mut report = of_labels(&["after"]);
    let one = report.comparisons[0].clone();
    report.comparisons = (0..300)
        .map(|number| {
            let mut next = one.clone();
            next.candidate.name = format!("variant-{number:03}");
            next
        })
        .collect();
    let blocks = assert_same("300 comparisons", &report);
    let headings: Vec<&str> = blocks
        .iter()
        .filter(|(kind, _)| *kind == "heading")
        .map(|(_, text)| text.as_str())
        .collect();
    assert_eq!(headings.len(), 1, "{headings:?}");
    assert!(headings[0].contains("300 comparisons"), "{headings:?}");
    let text = render::markdown(&report);
    let first = text.find("variant-000").expect("the first");
    assert!(text.find("variant-001").is_some_and(|second| first < second));
}
