//! Names and words of files that want to be more than text: markup, scripts, links, formulas, paths, and what steers
//! a terminal. They stand in every place that a file or its name can fill, and in every form of every report
//! they are text.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, parse_document};

/// A label that nobody has to fear, of the same length as most of the others.
const PLAIN: &str = "another label";

fn hostile() -> Vec<String> {
    let mut all: Vec<String> = [
        "</script><script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "\"><svg onload=alert(1)>",
        "' onmouseover='alert(1)",
        "]]><b>x</b>--><i>",
        "<!-- beyondnoise -->",
        "</td></tr></table></section>",
        "a|b||c",
        "`code` ``x",
        "```\n# heading\n```",
        "[x](javascript:alert(1))",
        "![x](http://evil.example/x.png)",
        "see http://evil.example or www.evil.example @someone #12",
        "[^1]: footer",
        "line\nbreak\r\n\r\n- item",
        "\u{1b}[2J\u{1b}]8;;http://evil.example\u{7}link\u{1b}]8;;\u{7}\u{9b}31m",
        "exe\u{202e}gpj.\u{2066}x\u{2069}\u{200b}\u{feff}\u{e0041}",
        "=cmd|'/C calc'!A1",
        "+1+cmd|' /C calc'!A0",
        "@SUM(1+9)*cmd",
        "-2+3+cmd|x",
        "../../../tmp/x",
        "/etc/passwd",
        "..\\..\\x",
        "{0} %s %n $(touch x) ;rm x",
        "\u{0}nul\u{0}",
    ]
    .map(str::to_owned)
    .into();
    all.push("long ".repeat(2000));
    all.push("x".repeat(10_000));
    all
}

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_beyondnoise"));
    let done = command.args(args).current_dir(folder).output().expect("the executable runs");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(matches!(done.status.code(), Some(0..=3)) && !said.contains("panicked"), "{said}");
    for text in [&said, &*String::from_utf8_lossy(&done.stdout)] {
        let steers = |c: char| {
            c != '\n' && c.is_control()
                || matches!(c, '\u{200b}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        let line = text.lines().find(|line| line.chars().any(steers));
        assert!(line.is_none(), "{args:?}: {line:?}");
    }
    done
}

fn printed(folder: &Path, args: &[&str]) -> String {
    let done = run(folder, args);
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// A table in which `word` stands wherever a table has words: a variant, a metric, a model, a data set, a setting
/// of its own, a cell, the name of a run, and the name of the column of cells.
fn table(word: &str) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let (metric, column) = (format!("{word}_score"), format!("column {word}"));
    let head = [
        "variant",
        "run",
        "model",
        "dataset",
        "flag",
        &column,
        "output_throughput",
        "mean_ttft_ms",
        &metric,
    ];
    writer.write_record(head).expect("memory");
    for (variant, factor) in [("before", 1.0), (word, 1.2)] {
        for cell in ["one", word] {
            for run in 0..2 {
                let name = format!("{run} {word}");
                let value = |base: f64| format!("{:.3}", base * factor + f64::from(run));
                let (rate, ttft, own) = (value(300.0), value(50.0), value(20.0));
                writer
                    .write_record([variant, &name, word, word, word, cell, &rate, &ttft, &own])
                    .expect("memory");
            }
        }
    }
    writer.into_inner().expect("memory")
}

/// A name as it is shown, and typed again by somebody who saw it.
fn seen(name: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(
                c,
                '\u{200b}' | '\u{202e}' | '\u{2066}' | '\u{2069}' | '\u{feff}' | '\u{e0041}'
            )
    };
    let name = name.replace(['\n', '\r'], " ");
    name.chars().filter(|c| !hidden(*c)).collect::<String>().trim().to_owned()
}

/// What markdown is made of, short of the words: code counts as words.
fn skeleton(markdown: &str) -> Vec<String> {
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    let arena = Arena::new();
    let root = parse_document(&arena, markdown, &options);
    let kind = |node: &AstNode| match &node.data.borrow().value {
        NodeValue::Text(_) | NodeValue::Code(_) | NodeValue::SoftBreak => None,
        NodeValue::HtmlInline(html) if html == "<code>" || html == "</code>" => None,
        NodeValue::HtmlInline(html) => Some(html.clone()),
        NodeValue::HtmlBlock(block) => {
            let tags = block.literal.split('<').skip(1);
            let tags = tags.map(|tag| tag.split('>').next().unwrap_or_default());
            Some(tags.filter(|tag| !tag.ends_with("code")).collect::<Vec<_>>().join(" "))
        }
        NodeValue::Heading(heading) => Some(format!("heading {}", heading.level)),
        NodeValue::Link(link) => Some(format!("link {}", link.url)),
        NodeValue::Image(link) => Some(format!("image {}", link.url)),
        other => Some(other.xml_node_name().to_owned()),
    };
    root.descendants().filter_map(kind).collect()
}

/// Tags and attributes of a page, short of the texts between them.
fn tags(page: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for tag in page.split('<').skip(1) {
        let inside = tag.split('>').next().unwrap_or_default();
        let mut quoted = false;
        let bare: String = inside
            .chars()
            .filter(|c| {
                quoted ^= *c == '"';
                !quoted
            })
            .collect();
        for word in bare.split_whitespace() {
            found.insert(word.trim_matches(['=', '"', '/']).to_owned());
        }
    }
    found
}

#[test]
fn words_of_a_table_are_text_in_every_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("plain.csv"), table(PLAIN)).expect("a file");
    let forms = |name: &str, word: &str| {
        let by = seen(&format!("column {word}"));
        let base = ["--base", "before"];
        let own = format!("{word}_score:lower");
        let batch = |format: &str| {
            // A name with a comma is two.
            if by.contains(',') {
                return String::new();
            }
            printed(
                folder,
                &[&["batch", name, "--by", &by, "--format", format][..], &base].concat(),
            )
        };
        let compare = |format: &str| {
            printed(folder, &[&["compare", name, "--format", format][..], &base].concat())
        };
        let markdown = [
            compare("markdown"),
            batch("markdown"),
            printed(folder, &["noise", name, "--format", "markdown"]),
            printed(folder, &["plan", name, "--effect", "3%", "--format", "markdown"]),
        ];
        let html = [compare("html"), batch("html")];
        for args in [
            &["compare", name, "-v", "--plot", "--base", "before"][..],
            &["compare", name, "--format", "json", "--base", "before"],
            &["compare", name, "--base", word],
            &["compare", name, "--base", "nobody"],
            &["compare", name],
            &["compare", name, "--metric", &own, "--base", "before"],
            &["batch", name, "--by", word],
            &["batch", name, "--by", &by, "--all", "--base", "before"],
            &["show", name, "-v"],
            &["show", name, "--format", "json"],
            &["noise", name],
            &["show", word],
            &["show", &format!("{word}={word}")],
            &["convert", name, "-o", "back.csv"],
            &["compare", "back.csv", "--base", "before"],
        ] {
            // A word with a zero byte is no argument.
            if !args.iter().any(|word| word.contains('\0')) {
                run(folder, args);
            }
        }
        let csv = [compare("csv"), batch("csv")];
        (markdown, html, csv)
    };
    let (plain, plain_html, plain_csv) = forms("plain.csv", PLAIN);
    for word in hostile() {
        fs::write(folder.join("hostile.csv"), table(&word)).expect("a file");
        let (markdown, html, csv) = forms("hostile.csv", &word);
        for (own, plain) in markdown.iter().zip(&plain) {
            if own.is_empty() {
                continue;
            }
            assert_eq!(skeleton(own), skeleton(plain), "{word:?}: {own}");
            assert!(own.chars().count() < 60_000, "{word:?}");
        }
        for (own, plain) in html.iter().zip(&plain_html) {
            if own.is_empty() {
                continue;
            }
            assert_eq!(own.matches("<script").count(), 1, "{word:?}");
            let strange: Vec<String> = tags(own).difference(&tags(plain)).cloned().collect();
            // Long labels show in whole on hovering; code is marked.
            let allowed = ["title", "code"];
            assert!(
                strange.iter().all(|tag| allowed.contains(&tag.as_str())),
                "{word:?}: {strange:?}"
            );
        }
        for (own, plain) in csv.iter().zip(&plain_csv) {
            if own.is_empty() {
                continue;
            }
            let rows =
                |text: &str| csv::Reader::from_reader(text.as_bytes()).into_records().count();
            assert_eq!(rows(own), rows(plain), "{word:?}");
            let mut reader =
                csv::ReaderBuilder::new().has_headers(false).from_reader(own.as_bytes());
            for cell in reader
                .records()
                .flat_map(|row| row.expect("a row").iter().map(str::to_owned).collect::<Vec<_>>())
            {
                let runs = cell.starts_with(['=', '+', '-', '@']) && cell.contains(['(', '|', '!']);
                assert!(!runs, "{cell}");
            }
        }
    }
}

#[test]
fn names_of_files_and_folders_are_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    for (number, word) in hostile().iter().enumerate() {
        let name: String =
            word.chars().filter(|c| !matches!(c, '/' | '\\' | '\0')).take(80).collect();
        let inner = root.join(number.to_string());
        for variant in ["before", &name] {
            let place = inner.join(variant);
            if variant.chars().all(|c| c == '.') || fs::create_dir_all(&place).is_err() {
                continue;
            }
            for run in 0..2 {
                let text = format!("output_throughput,duration\n{}.5,10\n", 300 + run);
                fs::write(place.join(format!("{run}{name}.csv")), text).expect("a file");
            }
            fs::write(place.join(format!("bad{name}.json")), "{\"request_throughput\": ")
                .expect("a file");
        }
        let path = inner.display().to_string();
        for args in [
            &["show", path.as_str()][..],
            &["show", &path, "--lenient"],
            &["compare", &path, "--base", "before", "--lenient", "-v"],
            &["compare", &path, "--base", "before", "--lenient", "--format", "json"],
        ] {
            run(root, args);
        }
        let compare = ["compare", &path, "--base", "before", "--lenient", "--format"];
        let markdown = run(root, &[&compare[..], &["markdown"]].concat());
        let parts = skeleton(&String::from_utf8_lossy(&markdown.stdout));
        assert!(
            !parts.iter().any(|part| part.starts_with("link") || part.starts_with("image")),
            "{parts:?}"
        );
        let html = run(root, &[&compare[..], &["html"]].concat());
        let html = String::from_utf8_lossy(&html.stdout).into_owned();
        assert!(html.is_empty() || html.matches("<script").count() == 1);
    }
}

#[test]
fn headings_and_claims_of_a_note_are_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let block = |ttft: f64| {
        format!(
            "```\n============ Serving Benchmark Result ============\nSuccessful requests:    100\n\
             Benchmark duration (s):   {:.2}\nMean TTFT (ms):   {ttft}\n\
             ==================================================\n```\n",
            ttft / 2.0
        )
    };
    for word in hostile() {
        let heading = word.replace(['\n', '\r'], " ");
        let note = format!(
            "## before\n{}{}## {heading}\nTTFT -3.44% {heading}\n{}{}",
            block(50.0),
            block(51.0),
            block(60.0),
            block(61.0)
        );
        fs::write(root.join("note.md"), note).expect("a file");
        for format in ["text", "markdown", "html", "json", "csv"] {
            let done = run(root, &["compare", "note.md", "--base", "before", "--format", format]);
            let text = String::from_utf8_lossy(&done.stdout).into_owned();
            match format {
                "markdown" => {
                    let parts = skeleton(&text);
                    let live =
                        |part: &String| part.starts_with("link") || part.starts_with("image");
                    assert!(!parts.iter().any(live), "{word:?}: {text}");
                }
                "html" => {
                    assert!(text.is_empty() || text.matches("<script").count() == 1, "{word:?}");
                }
                _ => {}
            }
        }
        run(root, &["show", "note.md", "-v"]);
    }
}

#[test]
fn cells_become_no_paths() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("deep/er/work");
    fs::create_dir_all(&root).expect("folders");
    let mut writer = csv::Writer::from_path(root.join("in.csv")).expect("a file");
    writer.write_record(["cell", "variant", "output_throughput"]).expect("a row");
    let cells =
        ["../../x", "/tmp/beyondnoise-cell", "..", ".", "CON", "a/b", "C:\\x", "~", "index.html"];
    for cell in cells {
        for (variant, value) in
            [("before", "300"), ("before", "301"), ("../after", "280"), ("../after", "281")]
        {
            writer.write_record([cell, variant, value]).expect("a row");
        }
    }
    writer.flush().expect("a file");
    drop(writer);
    run(&root, &["batch", "in.csv", "--by", "cell", "--base", "before", "-o", "out"]);
    let mut found: Vec<String> = Vec::new();
    let mut open = vec![folder.path().to_owned()];
    while let Some(place) = open.pop() {
        for entry in fs::read_dir(place).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(
                    path.strip_prefix(&root)
                        .expect("below")
                        .display()
                        .to_string()
                        .replace('\\', "/"),
                );
            }
        }
    }
    found.sort();
    found.retain(|name| name != "out/results.parquet");
    assert_eq!(
        found,
        ["in.csv", "out/index.html", "out/results.csv", "out/results.json", "out/summary.md"]
    );
    assert!(!Path::new("/tmp/beyondnoise-cell").exists());
}
