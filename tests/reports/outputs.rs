//! Results of tests as XML, gauges and annotations: each follows the rules of its format, and says what the gate says.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use serde_json::Value;

/// Calls the executable beside the table `t.csv`: its exit status and what it prints.
fn call(table: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("t.csv"), table).expect("a file");
    let out = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .expect("the executable");
    (out.status.code(), String::from_utf8(out.stdout).expect("UTF-8"))
}

/// A label with everything that one of the formats reads as a mark.
const HOSTILE: &str = r#"a<b>&"c",d:%0A::error::{\}]]>"#;

/// Runs of two builds by turns in two cells, with a metric that is worse, one that is not, and one of a single run.
fn table(candidate: &str) -> String {
    let mut table = String::from("build,run,model,tok_per_s,step_ms,ttft_ms\n");
    let quoted = format!("\"{}\"", candidate.replace('"', "\"\""));
    for cell in ["a", "b, \"c\""] {
        let cell = format!("\"{}\"", cell.replace('"', "\"\""));
        for run in 0..4 {
            let noise = 0.1 * f64::from(run * 3 % 4);
            let once = if run == 0 { "10" } else { "" };
            writeln!(table, "main,{run},{cell},{},{},{once}", 100.0 + noise, 50.0 + noise)
                .expect("a String");
            let slower = if cell == "\"a\"" { 90.0 } else { 100.0 };
            writeln!(table, "{quoted},{run},{cell},{},{},{once}", slower + noise, 50.1 - noise)
                .expect("a String");
        }
    }
    table
}

/// An element with its attributes, and what is inside it.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    children: Vec<Element>,
    text: String,
}

fn unescaped(text: &str) -> String {
    assert!(!text.contains('<'), "{text}");
    let plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    for (at, _) in text.match_indices('&') {
        let entity = text[at..].split_inclusive(';').next();
        assert!(matches!(entity, Some("&lt;" | "&gt;" | "&quot;" | "&amp;")), "{text}");
    }
    plain.replace("&amp;", "&")
}

/// Reads XML without comments and the like; it must be well-formed.
fn xml(text: &str) -> Element {
    let body = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>").expect("XML");
    let legal = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(text.chars().all(legal), "{text}");
    let mut open = vec![Element::default()];
    let mut rest = body;
    while let Some((before, tag)) = rest.split_once('<') {
        open.last_mut().expect("the root").text += &unescaped(before);
        // A `>` inside a value is escaped.
        let (tag, after) = tag.split_once('>').expect("the end of a tag");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            let closed = open.pop().expect("an element");
            assert_eq!(closed.name, name);
            open.last_mut().expect("its parent").children.push(closed);
            continue;
        }
        let (name, mut pairs) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut element = Element { name: name.to_owned(), ..Element::default() };
        while let Some((key, value)) = pairs.split_once("=\"") {
            let (value, more) = value.split_once('"').expect("the end of a value");
            let twice = element.attributes.insert(key.trim().to_owned(), unescaped(value));
            assert!(twice.is_none(), "{tag}");
            pairs = more;
        }
        assert_eq!(pairs.trim(), "", "{tag}");
        open.push(element);
    }
    assert_eq!((open.len(), rest.trim()), (1, ""));
    let mut root = open.pop().expect("the root");
    assert_eq!(root.children.len(), 1);
    root.children.remove(0)
}

/// For each element of junit-10.xsd of the xUnit plugin of Jenkins: its children, the attributes that it may have, and those that it
/// must have. What is never written is left out.
const JUNIT: &[(&str, &str, &str, &str)] = &[
    ("testsuites", "testsuite", "name time tests failures errors", ""),
    (
        "testsuite",
        "properties testcase system-out system-err",
        "name tests failures errors group time skipped timestamp hostname id package file log url",
        "name tests failures errors",
    ),
    ("properties", "property", "", ""),
    ("property", "", "name value", "name value"),
    ("testcase", "skipped error failure system-out system-err", "name classname time", "name"),
    ("failure", "", "type message", ""),
    ("skipped", "", "type message", ""),
    ("system-out", "", "", ""),
];

fn fits(element: &Element) {
    let (_, children, may, must) = JUNIT
        .iter()
        .find(|(name, ..)| *name == element.name)
        .unwrap_or_else(|| panic!("{}", element.name));
    let among = |list: &str, name: &str| list.split(' ').any(|known| known == name);
    for key in element.attributes.keys() {
        assert!(among(may, key), "{} {key}", element.name);
    }
    for key in must.split(' ').filter(|key| !key.is_empty()) {
        assert!(element.attributes.contains_key(key), "{} {key}", element.name);
    }
    if element.name != "system-out" {
        assert_eq!(element.text.trim(), "");
    }
    for child in &element.children {
        assert!(among(children, &child.name), "{} in {}", child.name, element.name);
        fits(child);
    }
    for (key, kind) in [("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")] {
        if let Some(number) = element.attributes.get(key) {
            assert_eq!(number.parse::<usize>().ok(), Some(count(element, kind)), "{key}");
        }
    }
}

fn count(element: &Element, name: &str) -> usize {
    let of = |child: &Element| usize::from(child.name == name) + count(child, name);
    element.children.iter().map(of).sum()
}

/// The outcome of each test case by suite and name.
fn outcomes(root: &Element) -> BTreeMap<(String, String), &'static str> {
    let mut all = BTreeMap::new();
    for suite in &root.children {
        for test in suite.children.iter().filter(|child| child.name == "testcase") {
            let ended = match test.children.first().map(|child| child.name.as_str()) {
                Some("failure") => "failure",
                Some("skipped") => "skipped",
                _ => "passed",
            };
            let name = |of: &Element| of.attributes["name"].clone();
            assert!(all.insert((name(suite), name(test)), ended).is_none(), "{test:?}");
        }
    }
    all
}

/// By hand: `tok_per_s` falls by 10 % in cell a alone, `step_ms` stays, and TTFT has one run of each.
#[test]
fn junit_has_a_test_per_metric_that_fails_as_the_gate_does() {
    let by = ["batch", "t.csv", "--by", "model", "--gate", "--format", "junit"];
    let (status, text) = call(&table("pr"), &by);
    assert_eq!(status, Some(1), "{text}");
    let root = xml(&text);
    fits(&root);
    let ended = outcomes(&root);
    let of = |suite: &str, name: &str| ended.get(&(suite.to_owned(), name.to_owned())).copied();
    let (a, b) = ("pr against main, model a", "pr against main, model b, \"c\"");
    assert_eq!(of("beyondnoise", "gate"), Some("failure"));
    assert_eq!(of(a, "tok_per_s"), Some("failure"), "{text}");
    assert_eq!(of(b, "tok_per_s"), Some("passed"), "{text}");
    assert_eq!(of(a, "step_ms"), Some("passed"), "{text}");
    assert_eq!(of(a, "TTFT ms"), Some("skipped"), "{text}");
    assert_eq!(of("beyondnoise", "improved"), None);
    let (_, text) = call(&table("pr"), &[&by[..], &["--require", "improved"]].concat());
    let root = xml(&text);
    fits(&root);
    let asked = ("beyondnoise".to_owned(), "improved".to_owned());
    assert_eq!(outcomes(&root)[&asked], "failure");
    // A gate without an answer is neither passed nor failed.
    let (_, text) =
        call("build,tok_per_s\nmain,1\npr,2\n", &["compare", "t.csv", "--format", "junit"]);
    assert!(outcomes(&xml(&text)).values().all(|ended| *ended == "skipped"), "{text}");
}

/// The label of a build that an attribute of XML, a label of Prometheus and a workflow command would each read as more than text.
#[test]
fn no_label_is_read_as_a_mark() {
    let table = table(HOSTILE);
    let with = |format: &'static str| {
        call(&table, &["compare", "t.csv", "--base", "main", "--format", format]).1
    };
    let root = xml(&with("junit"));
    fits(&root);
    let suites: Vec<&String> =
        root.children.iter().map(|suite| &suite.attributes["name"]).collect();
    assert!(suites[1].starts_with(HOSTILE), "{suites:?}");
    let samples = gauges(&with("openmetrics"));
    assert!(
        samples.keys().any(|(_, labels)| labels.get("candidate").is_some_and(|it| it == HOSTILE))
    );
    let lines = annotations(&with("github"));
    assert!(lines.iter().any(|line| line["message"].starts_with(HOSTILE)), "{lines:?}");
}

type Labels = BTreeMap<String, String>;

/// Reads OpenMetrics text by the rules of OpenMetrics 1.0 that gauges have.
fn gauges(text: &str) -> BTreeMap<(String, Labels), f64> {
    let body = text.strip_suffix("# EOF\n").expect("the end");
    assert!(!body.contains("# EOF") && (body.is_empty() || body.ends_with('\n')));
    let name_like = |name: &str| {
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    };
    let mut families: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let mut current = String::new();
    let mut in_samples = false;
    let mut samples = BTreeMap::new();
    for line in body.lines() {
        if let Some(meta) = line.strip_prefix("# ") {
            let mut words = meta.splitn(3, ' ');
            let [kind, name, rest] = [(); 3].map(|()| words.next().expect("a word"));
            if kind == "TYPE" {
                assert!(!families.contains_key(name), "{name} twice");
                assert_eq!(rest, "gauge");
                name.clone_into(&mut current);
                in_samples = false;
            }
            assert!(name == current && !in_samples, "{line}");
            let kinds = families.entry(name.to_owned()).or_default();
            assert!(["TYPE", "UNIT", "HELP"].contains(&kind) && kinds.insert(kind), "{line}");
            assert!(kind != "UNIT" || name.ends_with(&format!("_{rest}")), "{line}");
            continue;
        }
        in_samples = true;
        let (name, rest) = line.split_once('{').expect("labels");
        assert!(name == current && name_like(name), "{line}");
        let mut labels = Labels::new();
        let mut chars = rest.chars().peekable();
        while chars.peek() != Some(&'}') {
            let key: String = chars.by_ref().take_while(|c| *c != '=').collect();
            assert!(name_like(&key) && chars.next() == Some('"'), "{line}");
            let mut value = String::new();
            loop {
                match chars.next().expect("the end of a label") {
                    '"' => break,
                    '\\' => value.push(match chars.next() {
                        Some('n') => '\n',
                        Some(c @ ('"' | '\\')) => c,
                        other => panic!("{other:?} in {line}"),
                    }),
                    c => value.push(c),
                }
            }
            assert!(labels.insert(key, value).is_none(), "{line}");
            if chars.peek() == Some(&',') {
                chars.next();
            }
        }
        let number: String = chars.skip(1).collect();
        let number = number.strip_prefix(' ').and_then(|number| number.parse().ok());
        let key = (name.to_owned(), labels);
        assert!(samples.insert(key, number.expect("a number")).is_none(), "{line}");
    }
    samples
}

#[test]
fn openmetrics_has_the_numbers_of_the_json() {
    let by = |format: &'static str| {
        call(&table("pr"), &["batch", "t.csv", "--by", "model", "--format", format]).1
    };
    let samples = gauges(&by("openmetrics"));
    let report: Value = serde_json::from_str(&by("json")).expect("JSON");
    let mut seen = 0;
    for comparison in report["comparisons"].as_array().expect("comparisons") {
        for row in comparison["metrics"].as_array().expect("rows") {
            let of = |name: &str, more: &[(&str, &Value)]| {
                let cell = format!("model {}", comparison["cell"]["model"].as_str().expect("text"));
                let asked =
                    [("metric", &row["metric"]), ("baseline", &comparison["baseline"]["name"])];
                let has =
                    |labels: &Labels| {
                        asked.iter().chain(more).all(|(key, value)| {
                            labels.get(*key).map(String::as_str) == value.as_str()
                        }) && labels["cell"] == cell
                    };
                let mut found =
                    samples.iter().filter(|((known, labels), _)| known == name && has(labels));
                let value = found.next().map(|(_, value)| *value);
                assert!(found.next().is_none());
                value
            };
            let delta = &row["delta"];
            assert_eq!(of("beyondnoise_change_ratio", &[]), delta["relative"].as_f64());
            assert_eq!(
                of("beyondnoise_change_low_ratio", &[]),
                delta["relative_ci_adjusted"][0].as_f64()
            );
            assert_eq!(
                of("beyondnoise_change_high_ratio", &[]),
                delta["relative_ci_adjusted"][1].as_f64()
            );
            assert_eq!(of("beyondnoise_noise_ratio", &[]), row["noise"]["cv"].as_f64());
            assert_eq!(of("beyondnoise_verdict", &[("verdict", &row["verdict"])]), Some(1.0));
            let side = Value::from("candidate");
            assert_eq!(
                of("beyondnoise_estimate", &[("side", &side)]),
                row["candidate"]["estimate"].as_f64()
            );
            seen += 1;
        }
    }
    assert_eq!(seen, 6);
    let gate = Labels::from([("gate".to_owned(), "fail".to_owned())]);
    assert!(samples.contains_key(&("beyondnoise_gate".to_owned(), gate)));
}

/// Reads workflow commands as the runner does: <https://github.com/actions/runner>, `ActionCommand.cs`.
fn annotations(text: &str) -> Vec<Labels> {
    let plain = |text: &str| {
        let text =
            text.replace("%0D", "\r").replace("%0A", "\n").replace("%3A", ":").replace("%2C", ",");
        text.replace("%25", "%")
    };
    text.lines()
        .map(|line| {
            let (command, message) =
                line.strip_prefix("::").and_then(|rest| rest.split_once("::")).expect("a command");
            let (kind, properties) = command.split_once(' ').expect("properties");
            assert!(["error", "warning", "notice"].contains(&kind), "{line}");
            let pairs = properties.split(',').map(|pair| pair.split_once('=').expect("a property"));
            let mut all: Labels =
                pairs.map(|(key, value)| (key.to_owned(), plain(value))).collect();
            assert!(
                all.keys().all(|key| ["file", "line", "title"].contains(&key.as_str())),
                "{line}"
            );
            all.insert("kind".to_owned(), kind.to_owned());
            all.insert("message".to_owned(), plain(message));
            all
        })
        .collect()
}

#[test]
fn github_shows_an_error_for_what_fails_the_gate_and_ten_of_a_kind() {
    let (_, text) = call(&table("pr"), &["batch", "t.csv", "--by", "model", "--format", "github"]);
    let lines = annotations(&text);
    let errors: Vec<&Labels> = lines.iter().filter(|line| line["kind"] == "error").collect();
    assert_eq!(errors.len(), 1, "{text}");
    assert_eq!(errors[0]["title"], "beyondnoise: tok_per_s is worse");
    assert!(errors[0]["message"].starts_with("pr against main, model a: tok_per_s −9.9"), "{text}");
    assert_eq!((&*errors[0]["file"], &*errors[0]["line"]), ("t.csv", "3"));
    let notices = lines.iter().filter(|line| line["kind"] == "notice");
    assert_eq!(notices.count(), 1, "{text}");

    let mut many = String::from("build,run,model,tok_per_s\n");
    for (cell, run) in (0..15).flat_map(|cell| (0..4).map(move |run| (cell, run))) {
        let noise = 0.1 * f64::from((run * 3 + cell) % 4);
        writeln!(many, "main,{run},m{cell},{}\npr,{run},m{cell},{}", 100.0 + noise, 90.0 + noise)
            .expect("a String");
    }
    let (_, text) = call(&many, &["batch", "t.csv", "--by", "model", "--format", "github"]);
    let lines = annotations(&text);
    let errors: Vec<&Labels> = lines.iter().filter(|line| line["kind"] == "error").collect();
    assert_eq!(errors.len(), 10, "{text}");
    assert_eq!(errors[9]["message"], "6 more: see the report");
}

/// A folder gets every format, each file its own; only without a file the report is printed too.
#[test]
fn a_batch_writes_several_outputs() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |arguments: &[&str]| {
        fs::write(folder.path().join("t.csv"), table("pr")).expect("a file");
        let out = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
            .args(["batch", "t.csv", "--by", "model"])
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .expect("the executable");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).expect("UTF-8")
    };
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect(name);
    let all = ["-o", "all/", "-o", "a.json", "-o", "a.xml", "-o", "a.prom", "-o", "a.md"];
    assert_eq!(write(&all), "");
    assert_eq!(read("a.json"), read("all/results.json"));
    assert_eq!(read("a.md"), read("all/summary.md"));
    fits(&xml(&read("a.xml")));
    assert!(!gauges(&read("a.prom")).is_empty());
    assert!(write(&["-o", "all/", "-o", "more/"]).starts_with("beyondnoise: "));
    assert_eq!(read("all/results.csv"), read("more/results.csv"));
}
