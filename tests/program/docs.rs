//! The documentation is true: what its pages show is what the program prints, and the pages made from lists in
//! the code are those lists. The JSON schemas are those of the types. `BEYONDNOISE_DOCS=write cargo test --test program docs`
//! rewrites both.
//!
//! In a block `console`, `$` starts a command, `>` goes on with it, and what follows is its output, with the
//! exit status if that is not 0. A block `console tables` is run only where Parquet can be read. A comment
//! `<!-- $ command -->` is run and shows nothing. The commands of a page share one folder, in which `data` is that of
//! the repository.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use beyondnoise::checks::{CHECKS, Scope, Severity};
use beyondnoise::policy::Thresholds;
use beyondnoise::read::formats;
use beyondnoise::report;
use serde_json::{Map, Value};

use crate::schema;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// README.md and the pages of src/docs.
fn pages() -> Vec<PathBuf> {
    let folder = fs::read_dir(root().join("src/docs")).expect("a folder of pages");
    let mut pages: Vec<PathBuf> = folder.map(|entry| entry.expect("an entry").path()).collect();
    pages.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

/// Runs a command as a shell does; standard output and error together.
fn run(command: &str, folder: &Path) -> String {
    let programs = Path::new(env!("CARGO_BIN_EXE_beyondnoise")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let out = Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", programs.display()))
        .env("NO_COLOR", "1")
        .env("LC_ALL", "C")
        .env_remove("COLUMNS")
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let mut text = String::from_utf8(out.stdout).expect("UTF-8");
    // Blanks at the end of a line do not survive editors.
    text = text.lines().fold(String::new(), |all, line| all + line.trim_end() + "\n");
    if let Some(status) = out.status.code().filter(|status| *status != 0) {
        writeln!(text, "[exit status {status}]").expect("text");
    }
    text
}

/// A folder for the commands of a page, with the data of the repository.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(root().join("data"), folder.path().join("data")).expect("a link");
    folder
}

/// The page as it should be: every command run again.
fn with_output(page: &str, folder: &Path) -> String {
    let mut out = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        writeln!(out, "{line}").expect("text");
        let hidden = line.strip_prefix("<!-- $ ").and_then(|rest| rest.strip_suffix(" -->"));
        if let Some(command) = hidden {
            assert_eq!(run(command, folder), "", "{command}");
        }
        let runs = line == "```console" || line == "```console tables" && cfg!(feature = "tables");
        while let Some(line) = lines.next_if(|line| runs && *line != "```") {
            let Some(first) = line.strip_prefix("$ ") else { continue };
            writeln!(out, "{line}").expect("text");
            let mut command = first.to_owned();
            while let Some(more) = lines.next_if(|line| *line == ">" || line.starts_with("> ")) {
                writeln!(out, "{more}").expect("text");
                command = command + "\n" + more.strip_prefix("> ").unwrap_or("");
            }
            out += &run(&command, folder);
        }
    }
    out
}

/// The page with its generated parts made anew.
fn with_lists(page: &str) -> String {
    let mut out = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        writeln!(out, "{line}").expect("text");
        let list = line.strip_prefix("<!-- generated: ").and_then(|rest| rest.strip_suffix(" -->"));
        let Some(list) = list else { continue };
        let made = match list {
            "checks" => checks(),
            "formats" => format_table(),
            "commands" => commands(),
            "schema" => fields(),
            "warnings" => warnings(),
            "coverage" => coverage(&[SHAPES[0], SHAPES[3], SHAPES[4], SHAPES[5]]),
            "comment" => comment(),
            "coverage of all" => coverage(&SHAPES),
            other => panic!("nothing generates {other}"),
        };
        write!(out, "\n{made}\n<!-- end -->\n").expect("text");
        assert!(lines.any(|line| line == "<!-- end -->"), "the end of {list}");
    }
    out
}

fn checks() -> String {
    let defaults = serde_json::to_value(Thresholds::default()).expect("thresholds");
    let mut out =
        "| id | weight | it notices | thresholds | where |\n|---|---|---|---|---|\n".to_owned();
    for check in CHECKS {
        let weights = check.severities.iter().map(|severity| match severity {
            Severity::Block => "block",
            Severity::Warn => "warn",
            Severity::Note => "note",
        });
        let weights = weights.collect::<Vec<_>>().join(" or ");
        let threshold = |key: &&str| format!("`{key}` {}", defaults[key]);
        let thresholds: Vec<String> = check.thresholds.iter().map(threshold).collect();
        let (id, notices, thresholds) = (check.id.as_str(), check.notices, thresholds.join(", "));
        let place = match check.scope {
            Scope::Comparison => "compare",
            Scope::Noise => "noise",
            Scope::Both => "compare, noise",
        };
        writeln!(out, "| `{id}` | {weights} | {notices} | {thresholds} | {place} |").expect("text");
    }
    out
}

/// Parquet is read only with the feature `tables`: its page says so in words.
fn format_table() -> String {
    let mut out = "| format | recognised by | one run is |\n|---|---|---|\n".to_owned();
    for format in formats().filter(|format| format.name != "parquet table") {
        let [name, by, run] = [format.name, &format.recognised_by, format.one_run].map(cell);
        writeln!(out, "| {name} | {by} | {run} |").expect("text");
    }
    out
}

/// A text as a cell of a table, with names as code.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for (index, part) in text.replace('|', "\\|").split('`').enumerate() {
        if index % 2 == 1 {
            write!(out, "`{part}`").expect("text");
            continue;
        }
        for word in part.split_inclusive([' ', ',', ';']) {
            let name = word.trim_end_matches([' ', ',', ';', '.', ':']);
            if name.contains(['_', '$']) {
                write!(out, "`{name}`{}", &word[name.len()..]).expect("text");
            } else {
                out += word;
            }
        }
    }
    out
}

/// The comment for a pull request up to its folds, as a quotation.
fn comment() -> String {
    let whole = run("beyondnoise compare data/serving --format markdown", folder().path());
    let first = whole.split("\n<details>").next().expect("a part before the folds");
    first.lines().fold(String::new(), |out, line| out + format!("> {line}").trim_end() + "\n")
}

/// The pictures that pages show are those that the program draws.
#[test]
fn the_pictures_are_what_the_program_draws() {
    let folder = folder();
    for (name, command) in [
        ("serving.svg", "compare data/serving"),
        ("batch.svg", "batch data/export.csv --by model,concurrency --base v1"),
        ("sweep.svg", "compare data/sweep.csv"),
    ] {
        run(&format!("beyondnoise {command} -q -o {name}"), folder.path());
        let drawn = fs::read_to_string(folder.path().join(name)).expect("a picture");
        let kept = root().join("data/pictures").join(name);
        if std::env::var("BEYONDNOISE_DOCS").is_ok_and(|what| what == "write") {
            fs::write(&kept, &drawn).expect("a folder that can be written");
        }
        let shown = fs::read_to_string(&kept).unwrap_or_default();
        assert!(shown == drawn, "{name}: BEYONDNOISE_DOCS=write draws it again");
    }
}

/// The help of every command, the main one first.
fn commands() -> String {
    let folder = folder();
    let mut waiting = vec![String::new()];
    let mut out = String::new();
    while let Some(command) = waiting.pop() {
        let name = format!("beyondnoise{command}");
        let help = run(&format!("{name} --help"), folder.path());
        write!(out, "## `{name}`\n\n```text\n{help}```\n\n").expect("text");
        let listed = help.split("Commands:\n").nth(1).unwrap_or_default();
        let names = listed.lines().take_while(|line| !line.is_empty()).filter_map(|line| {
            let word = line.strip_prefix("  ")?.split(' ').next()?;
            (!word.is_empty() && word != "help").then(|| format!("{command} {word}"))
        });
        waiting.extend(names.collect::<Vec<_>>().into_iter().rev());
    }
    out.truncate(out.trim_end().len());
    out + "\n"
}

/// The shapes of noise that must keep their band, as the study calls them.
const SHAPES: [&str; 8] = [
    "normal 2 %",
    "normal 10 %",
    "lognormal 0.2",
    "lognormal 0.5",
    "bimodal",
    "10 % spikes",
    "Student t3",
    "50 + Exp(50)",
];

/// Coverage of the interval of the mean by the calibration study: the default method, then a plain bootstrap.
fn coverage(shapes: &[&str]) -> String {
    let study = include_str!("../../data/calibration/study.csv");
    let of = |shape: &str, method: &str, runs: (&str, &str)| -> f64 {
        let cells = study.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let wanted = [shape, runs.0, runs.1, method, "mean"];
        let cell = cells.into_iter().find(|cell| cell[..5] == wanted).expect("a cell of the study");
        cell[7].parse().expect("a coverage")
    };
    let runs = [("3", "3"), ("5", "5"), ("8", "8"), ("20", "20"), ("3", "10")];
    let heads = runs.map(|(a, b)| format!("{a} + {b}")).join(" | ");
    let mut out = format!("| noise between runs | {heads} |\n|---|--:|--:|--:|--:|--:|\n");
    let plain = ("plain percentile bootstrap, ", SHAPES[0], "percentile");
    for (words, shape, method) in
        shapes.iter().map(|shape| ("", *shape, "calibrated")).chain([plain])
    {
        let row = runs.map(|runs| format!("{:.3}", of(shape, method, runs))).join(" | ");
        writeln!(out, "| {words}{shape} | {row} |").expect("text");
    }
    out
}

/// How often the checks warn by the calibration study: where nothing is wrong, in all and by check, and where something is.
fn warnings() -> String {
    let study = include_str!("../../data/calibration/warnings.csv");
    let mut lines = csv::Reader::from_reader(study.as_bytes());
    let rows: Vec<csv::StringRecord> = lines.records().map(|row| row.expect("a row")).collect();
    let mut runs: Vec<&str> = Vec::new();
    for row in &rows {
        if !runs.contains(&&row[3]) {
            runs.push(&row[3]);
        }
    }
    let heads: Vec<String> = runs.iter().map(|n| format!("{n} + {n}")).collect();
    let mut out = format!(
        "| what is simulated | warning | {} |\n|---|---|{}\n",
        heads.join(" | "),
        "--:|".repeat(runs.len())
    );
    // The largest rate of the cases, by numbers of runs.
    let mut line = |what: &str, check: &str, of: &dyn Fn(&csv::StringRecord) -> bool| {
        let rate = |n: &&str| {
            let of_runs = rows.iter().filter(|row| of(row) && row[3] == **n);
            let rates = of_runs.map(|row| row[5].parse::<f64>().expect("a rate"));
            format!("{:.3}", rates.fold(0.0, f64::max))
        };
        let rates: Vec<String> = runs.iter().map(rate).collect();
        writeln!(out, "| {what} | {check} | {} |", rates.join(" | ")).expect("text");
    };
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for row in rows.iter().filter(|row| &row[1] == "true" && &row[2] == "any") {
        if !seen.contains(&(&row[0], "any")) {
            seen.push((&row[0], "any"));
            let what = format!("nothing wrong: {}", &row[0]);
            line(&what, "any", &|other| other[0] == row[0] && &other[2] == "any");
        }
    }
    for row in rows.iter().filter(|row| &row[1] == "true" && &row[2] != "any") {
        if !seen.contains(&("", &row[2])) {
            seen.push(("", &row[2]));
            let of = |other: &csv::StringRecord| {
                &other[1] == "true" && other[2] == row[2] && !other[0].starts_with("lognormal 0.5")
            };
            let random = |other: &csv::StringRecord| other[0].ends_with("random order");
            let what = "nothing wrong: largest of these but lognormal 0.5";
            // In a random order only its own check is of interest.
            let own = &row[2] == "order-confounded";
            line(what, &format!("`{}`", &row[2]), &|other| of(other) && (own || !random(other)));
        }
    }
    for row in rows.iter().filter(|row| &row[1] == "false") {
        if !seen.contains(&(&row[0], &row[2])) {
            seen.push((&row[0], &row[2]));
            line(&row[0], &format!("`{}`", &row[2]), &|other| other[0] == row[0]);
        }
    }
    out
}

/// The table of the manual keeps what the page says: no more than 5 % but for the random orders of 3 + 3 runs.
#[test]
fn clean_comparisons_seldom_warn_by_the_study() {
    let study = include_str!("../../data/calibration/warnings.csv");
    let mut looked = 0;
    for row in csv::Reader::from_reader(study.as_bytes()).records() {
        let row = row.expect("a row");
        if &row[1] == "true" && &row[2] == "any" && &row[0] != "normal, random order" {
            let [rate, error] = [&row[5], &row[6]].map(|n| n.parse::<f64>().expect("a number"));
            assert!(rate <= 0.05 + 2.0 * error, "{row:?}");
            looked += 1;
        }
    }
    assert!(looked >= 40, "{looked}");
}

/// The documents with their schemas.
fn schemas() -> [(&'static str, Value); 6] {
    [
        ("report", schema::of::<report::Report>()),
        ("noise", schema::of::<report::noise::NoiseReport>()),
        ("plan", schema::of::<report::plan::PlanReport>()),
        ("history", schema::of::<report::history::HistoryReport>()),
        ("loop", schema::of::<report::ledger::LedgerReport>()),
        ("atlas", schema::of::<report::AtlasReport>()),
    ]
}

/// The schemas are those of the types that are serialised.
#[test]
fn the_schemas_are_those_of_the_types() {
    for (name, schema) in schemas() {
        let path = root().join(format!("data/schema/{name}.schema.json"));
        let fresh = schema::text(&schema);
        if std::env::var("BEYONDNOISE_DOCS").is_ok_and(|wish| wish == "write") {
            fs::write(&path, &fresh).expect("a folder that can be written");
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == fresh, "{name}: BEYONDNOISE_DOCS=write makes it anew");
    }
}

/// What a schema leaves open: the keys of maps, and settings under the name that the input gives them.
const MAPS: [&str; 7] =
    ["cell", "evidence", "margins", "not_judged", "properties", "settings", "workload"];

/// Takes lists to their first two items, which keep the shape of a document.
fn shorten(value: &mut Value) {
    match value {
        Value::Array(items) => {
            items.truncate(2);
            items.iter_mut().for_each(shorten);
        }
        Value::Object(object) => object.values_mut().for_each(shorten),
        _ => {}
    }
}

/// Every object of a document with fields of its own, as a path of keys and positions.
fn objects(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            found.push(path.to_owned());
            for (key, inner) in object.iter().filter(|(key, _)| key.as_str() != "evidence") {
                objects(inner, &format!("{path}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                objects(inner, &format!("{path}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// Every field of every document is in its schema, and must be there.
#[test]
fn a_field_too_many_or_too_few_does_not_fit_the_schema_of_any_document() {
    let folder = folder();
    let validators: BTreeMap<&str, jsonschema::Validator> = schemas()
        .iter()
        .map(|(name, schema)| {
            let closed = jsonschema::draft202012::new(&schema::closed(schema));
            (*name, closed.expect("a schema"))
        })
        .collect();
    for (name, call) in [
        ("report", "compare data/serving"),
        ("report", "compare data/notes/burst-cache-steps.txt --noise variants"),
        ("report", "compare data/sweep.csv --slo 'p99_ttft_ms<300'"),
        ("report", "batch data/export.csv --by model,concurrency --base v1"),
        ("noise", "noise data/serving/before"),
        ("plan", "plan --effect 1% data/serving/before --cost 7min"),
        ("plan", "plan --effect 3% --cv 1.6% --looks 3"),
        ("history", "history verdict data/nights.csv"),
        ("atlas", "atlas --metric mean_ttft_ms --change -3.44%"),
        ("atlas", "atlas data/serving/before"),
    ] {
        let said = run(&format!("beyondnoise {call} --quiet -o document.json"), folder.path());
        let text = fs::read_to_string(folder.path().join("document.json")).expect(&said);
        let mut document: Value = serde_json::from_str(&text).expect("JSON");
        let validator = &validators[name];
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{call}: {errors:#?}");
        shorten(&mut document);
        let mut paths = Vec::new();
        objects(&document, "", &mut paths);
        for path in paths {
            let map = path.rsplit('/').next().is_some_and(|last| MAPS.contains(&last))
                && path != "/settings";
            let object = |document: &mut Value, change: &dyn Fn(&mut Map<String, Value>)| {
                change(document.pointer_mut(&path).and_then(Value::as_object_mut).expect("fields"));
            };
            let mut more = document.clone();
            object(&mut more, &|fields| drop(fields.insert("misspelt".to_owned(), Value::Null)));
            assert!(!validator.is_valid(&more), "{call}: {path}/misspelt fits");
            let fields = document.pointer(&path).and_then(Value::as_object).expect("fields");
            for field in fields.keys().filter(|_| !map) {
                let mut less = document.clone();
                object(&mut less, &|fields| drop(fields.remove(field)));
                assert!(!validator.is_valid(&less), "{call}: fits without {path}/{field}");
            }
        }
        fs::remove_file(folder.path().join("document.json")).expect("a file");
    }
}

/// The parts of the report, one after the other, with their fields in the order in which they are written.
fn fields() -> String {
    let [(_, report), ..] = schemas();
    let mut out = String::new();
    let none = Map::new();
    let parts = report["$defs"].as_object().unwrap_or(&none);
    let all = std::iter::once(("the document", &report))
        .chain(parts.iter().map(|(name, part)| (name.as_str(), part)));
    for (name, part) in all {
        let fields = schema::fields(part);
        if fields.is_empty() && part["enum"].is_null() {
            continue;
        }
        write!(out, "### {name}\n\n").expect("text");
        let said = part["description"].as_str().filter(|_| name != "the document");
        out += &said.map_or_else(String::new, |said| format!("{said}\n\n"));
        if !fields.is_empty() {
            out += "| field | type | meaning |\n|---|---|---|\n";
        }
        for (field, what) in &fields {
            let meaning = what["description"].as_str().unwrap_or_default();
            writeln!(out, "| `{field}` | {} | {} |", cell(&type_of(what)), cell(meaning))
                .expect("text");
        }
        out.truncate(out.trim_end().len());
        out += "\n\n";
    }
    out.truncate(out.trim_end().len());
    out + "\n"
}

/// `number or null`, `list of metric`, ...
fn type_of(what: &Value) -> String {
    let one =
        |key: &str| what[key].as_array().map(|all| all.iter().map(type_of).collect::<Vec<_>>());
    if let Some(alternatives) = one("oneOf").or_else(|| one("anyOf")) {
        return alternatives.join(" or ");
    }
    if let Some(name) = what["$ref"].as_str() {
        return name.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(words) = what["enum"].as_array() {
        let words: Vec<String> = words
            .iter()
            .map(|word| word.as_str().map_or_else(|| word.to_string(), |word| format!("`{word}`")))
            .collect();
        return words.join(", ");
    }
    if let Some(word) = what["const"].as_str() {
        return format!("`{word}`");
    }
    let of_items = |name: &str| match name {
        "array" if !what["items"].is_null() => format!("list of {}", type_of(&what["items"])),
        "array" => "list".to_owned(),
        other => other.to_owned(),
    };
    match &what["type"] {
        Value::String(name) => of_items(name),
        Value::Array(names) => {
            let names: Vec<String> = names.iter().filter_map(Value::as_str).map(of_items).collect();
            names.join(" or ")
        }
        _ => "any".to_owned(),
    }
}

#[test]
fn the_pages_show_what_the_program_prints() {
    let write = std::env::var("BEYONDNOISE_DOCS").is_ok_and(|wish| wish == "write");
    let mut stale = Vec::new();
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page");
        let folder = folder();
        let fresh = with_output(&with_lists(&page), folder.path());
        if fresh == page {
            continue;
        }
        if write {
            fs::write(&path, &fresh).expect("written");
            continue;
        }
        let same = fresh.lines().zip(page.lines()).take_while(|(a, b)| a == b).count();
        let at = |text: &str| text.lines().nth(same).unwrap_or("(the end)").to_owned();
        let (is, said) = (at(&fresh), at(&page));
        stale.push(format!("{}:{}\n  says  {said}\n  is    {is}", path.display(), same + 1));
    }
    assert!(stale.is_empty(), "BEYONDNOISE_DOCS=write rewrites them:\n{}", stale.join("\n"));
}

/// Links to files of the repository, also those of the README.
#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    for path in pages() {
        let text = fs::read_to_string(&path).expect("a page");
        let inline = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let named = text.lines().filter_map(|line| line.strip_prefix('[')?.split("]: ").nth(1));
        for link in inline.chain(named).filter(|link| !link.contains("://")) {
            let file = link.split('#').next().unwrap_or_default();
            if !path.parent().expect("a folder").join(file).exists() {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Reports never use the word, so the documentation does not either.
#[test]
fn nothing_is_called_significant() {
    for path in pages() {
        let text = fs::read_to_string(&path).expect("a page").to_lowercase();
        assert!(!text.contains("significan"), "{}", path.display());
    }
}

/// Every check of the table is made somewhere, and its thresholds exist.
#[test]
fn every_check_of_the_table_is_made() {
    let mut sources = String::new();
    let mut waiting = vec![root().join("src/checks"), root().join("src/noise")];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else if !path.ends_with("registry.rs") {
                sources += &fs::read_to_string(&path).expect("a source file");
            }
        }
    }
    let thresholds = serde_json::to_value(Thresholds::default()).expect("thresholds");
    for check in CHECKS {
        assert!(sources.contains(&format!("CheckId::{:?}", check.id)), "{:?}", check.id);
        for key in check.thresholds {
            assert!(!thresholds[key].is_null(), "{key} is no threshold");
        }
    }
}
