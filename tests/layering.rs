//! The layers: which module may use which, and no import cycle between the files of a folder. The layers are read line by
//! line, so there is one `use crate::module` line per module.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of src that are crates of their own: `crate::` is the folder there.
const CRATES: &[&str] = &["calibration", "python", "stats", "web"];

/// What each module may use of the crate; modules not listed here may use everything.
const MAY_USE: &[(&str, &[&str])] = &[
    ("format", &[]),
    ("units", &[]),
    ("error", &["sanitize", "stats"]),
    ("metrics", &["units"]),
    ("sanitize", &[]),
    ("runs", &["metrics", "sanitize", "units"]),
    ("policy", &["error", "metrics", "sanitize", "stats", "units"]),
    (
        "read",
        &[
            "environment",
            "error",
            "format",
            "journal",
            "metrics",
            "sanitize",
            "runs",
            "stats",
            "system",
            "units",
        ],
    ),
    ("system", &[]),
    ("write", &["error", "system"]),
    ("journal", &["error"]),
    ("environment", &["journal", "runs", "sanitize"]),
    ("noise_prior", &["policy", "runs", "stats"]),
    ("history", &["error", "read", "runs", "write"]),
    ("compare", &["noise_prior", "error", "metrics", "policy", "runs", "stats", "units"]),
    ("verdict", &["stats"]),
    ("deciding", &["metrics", "policy", "runs", "units"]),
    (
        "checks",
        &["noise_prior", "compare", "format", "metrics", "policy", "runs", "stats", "units"],
    ),
    (
        "plan",
        &["deciding", "error", "format", "metrics", "policy", "runs", "stats", "units", "verdict"],
    ),
    (
        "noise",
        &["checks", "deciding", "error", "format", "metrics", "policy", "runs", "stats", "units"],
    ),
    (
        "calibrate",
        &["deciding", "error", "format", "metrics", "policy", "runs", "stats", "units", "verdict"],
    ),
    (
        "report",
        &[
            "checks", "compare", "format", "journal", "metrics", "plan", "policy", "runs", "stats",
            "units", "verdict",
        ],
    ),
    (
        "document",
        &[
            "calibrate",
            "checks",
            "format",
            "metrics",
            "noise",
            "plan",
            "report",
            "runs",
            "stats",
            "verdict",
        ],
    ),
    ("render", &["calibrate", "document", "format", "report", "units", "verdict"]),
];

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            into.push(path);
        }
    }
}

/// First component of a path below src, without its ending.
fn module(path: &Path) -> String {
    let below = path.strip_prefix(root()).expect("below src");
    let first = below.components().next().expect("a name").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

#[test]
fn every_module_uses_only_the_layers_below_it() {
    let mut files = Vec::new();
    sources(&root(), &mut files);
    assert!(files.len() > 20, "the sources were found");
    let mut broken = Vec::new();
    for file in files {
        let own = module(&file);
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == own) else { continue };
        let text = fs::read_to_string(&file).expect("a source file");
        for (number, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            for (at, _) in line.match_indices("crate::") {
                let rest = &line[at + "crate::".len()..];
                let used: String =
                    rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                assert!(
                    !used.is_empty(),
                    "{}:{}: one module per use line",
                    file.display(),
                    number + 1
                );
                if used != own && !allowed.contains(&used.as_str()) {
                    broken.push(format!("{}:{}: {own} uses {used}", file.display(), number + 1));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn no_source_file_is_too_long_to_read() {
    let mut files = Vec::new();
    sources(&root(), &mut files);
    let long: Vec<String> = files
        .iter()
        .filter(|file| fs::read_to_string(file).expect("a source file").lines().count() > 400)
        .map(|file| file.display().to_string())
        .collect();
    assert!(long.is_empty(), "split by concept: {}", long.join(", "));
}

/// Asks the server of a benchmark, at an address that the user names, whether it is ready.
const CONNECTS: &str = "experiment/ready.rs";

/// Only the feature `s3`, which nobody has who does not ask for it, brings a network.
#[test]
fn nothing_here_opens_a_connection() {
    let mut files = Vec::new();
    sources(&root(), &mut files);
    for file in files.iter().filter(|file| !file.ends_with(CONNECTS)) {
        let text = fs::read_to_string(file).expect("a source file");
        for word in ["std::net", "net::", "TcpStream", "UdpSocket", "UnixStream", "minreq"] {
            assert!(!text.contains(word), "{}: {word}", file.display());
        }
    }
    let manifest = fs::read_to_string(root().with_file_name("Cargo.toml")).expect("a manifest");
    let manifest: toml::Table = manifest.parse().expect("TOML");
    let default = manifest["features"]["default"].as_array().expect("a list");
    assert!(!default.iter().any(|feature| feature.as_str() == Some("s3")), "{default:?}");
}

/// Folders of src without an import cycle between their files.
const WITHOUT_CYCLES: &[&str] = &[
    "analysis",
    "calibrate",
    "calibration",
    "checks",
    "cli",
    "compare",
    "document",
    "format",
    "metrics",
    "noise",
    "plan",
    "policy",
    "read",
    "render",
    "report",
    "runs",
    "stats",
];

/// A file as the path of its module: `["cli", "output"]`; a `mod.rs` is its folder.
type Module = Vec<String>;

/// The files of src by their modules, without their comments and unit tests.
fn modules() -> BTreeMap<Module, String> {
    let mut files = Vec::new();
    sources(&root(), &mut files);
    let module = |file: &PathBuf| {
        let below = file.strip_prefix(root()).expect("below src").with_extension("");
        let parts = below.iter().map(|part| part.to_string_lossy().into_owned());
        parts.filter(|part| !["mod", "lib", "main"].contains(&part.as_str())).collect()
    };
    let code = |file: &PathBuf| {
        let text = fs::read_to_string(file).expect("a source file");
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
        let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        lines.collect::<Vec<_>>().join("\n")
    };
    files.iter().map(|file| (module(file), code(file))).collect()
}

/// The `use` trees of a file, each with whether it is only an export: `pub use`.
fn use_trees(code: &str) -> Vec<(bool, String)> {
    let starts = |line: &str| {
        let line = line.trim_start();
        let (public, rest) = match line.strip_prefix("pub") {
            Some(rest) => (true, rest.trim_start_matches(|c| c != ' ')),
            None => (false, line),
        };
        rest.trim_start().strip_prefix("use ").map(|_| public)
    };
    let mut trees = Vec::new();
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let Some(public) = starts(line) else { continue };
        let mut tree = line.to_owned();
        while !tree.contains(';') {
            let Some(more) = lines.next() else { break };
            tree += more;
        }
        let tree = tree.split_once("use ").map_or("", |(_, tree)| tree);
        trees.push((public, tree.split(';').next().unwrap_or_default().to_owned()));
    }
    trees
}

/// The paths of a `use` tree: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn paths(tree: &str) -> Vec<Vec<String>> {
    let tree = tree.trim();
    let parts = |path: &str| -> Vec<String> {
        let names = path.split("::").map(|name| name.split(" as ").next().unwrap_or("").trim());
        names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    let Some((head, rest)) = tree.split_once('{') else { return vec![parts(tree)] };
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let (mut items, mut depth) = (vec![String::new()], 0);
    for c in inner.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 {
            items.push(String::new());
        } else {
            items.last_mut().expect("an item").push(c);
        }
    }
    let below = items.iter().filter(|item| !item.trim().is_empty()).flat_map(|item| paths(item));
    below.map(|path| [parts(head), path].concat()).collect()
}

/// The file that a path of `own` leads to: the longest part of it that is a module.
fn target(own: &Module, path: &[String], all: &BTreeMap<Module, String>) -> Option<Module> {
    let (mut base, mut rest) = match path.first()?.as_str() {
        "crate" => {
            let root = own.first().filter(|first| CRATES.contains(&first.as_str()));
            (root.cloned().into_iter().collect(), &path[1..])
        }
        "self" => (own.clone(), &path[1..]),
        "super" => (own.clone(), path),
        first => {
            // A child of this module, without `self::`.
            let child = [&own[..], &[first.to_owned()]].concat();
            all.contains_key(&child).then_some((own.clone(), path))?
        }
    };
    while rest.first().is_some_and(|part| part == "super") {
        base.pop();
        rest = &rest[1..];
    }
    let full = [&base[..], rest].concat();
    (1..=full.len()).rev().map(|n| full[..n].to_vec()).find(|module| all.contains_key(module))
}

/// What each file imports. An export of a child (`pub use`) is no import: a child may use its `mod.rs` beside it.
fn imports(all: &BTreeMap<Module, String>) -> BTreeMap<Module, BTreeSet<Module>> {
    let of = |own: &Module, code: &str| {
        let mut used = BTreeSet::new();
        for (public, tree) in use_trees(code) {
            for path in paths(&tree) {
                let Some(file) = target(own, &path, all) else { continue };
                let export = public && file.starts_with(own);
                if file != *own && !export {
                    used.insert(file);
                }
            }
        }
        // Paths within the code: `super::name(...)`, `crate::cli::output::print(...)`, `child::name`.
        for line in code.lines().filter(|line| !format!(" {line}").contains(" use ")) {
            for start in ["crate::", "super::"] {
                for (at, _) in line.match_indices(start) {
                    if line[..at].ends_with("pub(in ") {
                        continue;
                    }
                    let path =
                        line[at..].chars().take_while(|c| c.is_alphanumeric() || "_:".contains(*c));
                    let path = path.collect::<String>();
                    let file = target(own, &paths(&path).concat(), all);
                    used.extend(file.filter(|file| file != own));
                }
            }
        }
        used
    };
    all.iter().map(|(own, code)| (own.clone(), of(own, code))).collect()
}

/// A cycle through `start` within its folder, if there is one: the shortest.
fn cycle(start: &Module, imports: &BTreeMap<Module, BTreeSet<Module>>) -> Option<Vec<Module>> {
    let mut paths = vec![vec![start.clone()]];
    let mut seen = BTreeSet::new();
    while !paths.is_empty() {
        let mut longer = Vec::new();
        for path in paths {
            for next in &imports[path.last()?] {
                if next == start {
                    return Some(path);
                }
                if next.first() == start.first() && seen.insert(next.clone()) {
                    longer.push([&path[..], std::slice::from_ref(next)].concat());
                }
            }
        }
        paths = longer;
    }
    None
}

/// The import cycles in a folder of src: the shortest through each file, each once.
fn cycles(folder: &str) -> BTreeSet<String> {
    let all = modules();
    let imports = imports(&all);
    let mut found = BTreeMap::new();
    for start in all.keys().filter(|module| module.first().is_some_and(|first| first == folder)) {
        let Some(path) = cycle(start, &imports) else { continue };
        let files: BTreeSet<&Module> = path.iter().collect();
        let files: Vec<String> = files.into_iter().map(|file| file.join("/")).collect();
        let mut names: Vec<String> = path.iter().map(|file| file.join("/")).collect();
        names.push(start.join("/"));
        found.entry(files).or_insert_with(|| names.join(" -> "));
    }
    found.into_values().collect()
}

/// The layers of `read`, from the ground up.
const LAYERS_OF_READ: &[&str] =
    &["store", "reader", "kit", "text", "table", "clients", "registry", "input"];

#[test]
fn a_layer_of_the_readers_uses_only_those_below_it() {
    let all = modules();
    let level = |module: &Module| {
        let [first, layer, ..] = &module[..] else { return None };
        let known = LAYERS_OF_READ.iter().position(|name| name == layer);
        (first == "read").then(|| known.unwrap_or_else(|| panic!("a layer of its own: {layer}")))
    };
    let mut upward = Vec::new();
    for (own, used) in imports(&all) {
        let above = used.iter().filter(|file| level(file) > level(&own) && level(&own).is_some());
        upward.extend(above.map(|file| format!("{} uses {}", own.join("/"), file.join("/"))));
    }
    assert!(upward.is_empty(), "{}", upward.join("\n"));
}

#[test]
fn no_import_cycle_joins_the_files_of_a_folder() {
    let found: Vec<String> = WITHOUT_CYCLES.iter().flat_map(|folder| cycles(folder)).collect();
    assert!(found.is_empty(), "import cycles:\n{}", found.join("\n"));
}

/// The other folders; shown by `cargo test --test program layering -- --nocapture`.
#[test]
#[expect(clippy::print_stdout, reason = "a list to read")]
fn folders_that_have_import_cycles_are_listed() {
    let folders: BTreeSet<String> =
        modules().into_keys().filter(|m| m.len() > 1).map(|m| m[0].clone()).collect();
    for folder in folders.iter().filter(|folder| !WITHOUT_CYCLES.contains(&folder.as_str())) {
        let found: Vec<String> = cycles(folder).into_iter().collect();
        println!("{folder}: {} cycles\n{}", found.len(), found.join("\n"));
    }
}

#[test]
fn import_trees_are_read_in_full() {
    let code = "pub(super) use a::b;\nuse crate::x::{\n    y, z::{q as r, *},\n};\nlet used = 1;";
    let trees = use_trees(code);
    assert_eq!(trees[0], (true, "a::b".to_owned()));
    assert_eq!(
        paths(&trees[1].1),
        [vec!["crate", "x", "y"], vec!["crate", "x", "z", "q"], vec!["crate", "x", "z", "*"]]
    );
    assert_eq!(trees.len(), 2);
}
