//! The rooms: which may use which, and no circle of imports between the files of a room.
//!
//! A room is a folder or a file of `src` or of `src/model`. The sources are parsed, so that every path counts: in a `use`, in the code, in a
//! macro, and without a prefix (`child::name` in a `mod.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use syn::visit::{self, Visit};

/// Folders of src that are crates of their own: `crate::` is the folder there.
const CRATES: &[&str] = &["calibration", "python", "read", "stats", "web"];

/// The crate of the rooms that all others stand on: its folder is no room.
const GROUND: &str = "model";

/// What each room may use.
const MAY_USE: &[(&str, &str)] = &[
    (
        "analysis",
        "atlas builds checks compare deciding error format history journal metrics noise_prior policy report runs sanitize stats units verdict",
    ),
    ("atlas", "format metrics runs stats"),
    ("builds", "deciding error format metrics policy runs stats"),
    ("calibrate", "builds error metrics policy runs stats units"),
    (
        "calibration",
        "analysis atlas calibrate checks error format journal ledger plan policy render report runs stats verdict write",
    ),
    ("checks", "atlas builds compare format metrics noise_prior policy runs stats units"),
    (
        "cli",
        "analysis atlas calibrate error experiment format history job journal ledger metrics noise plan policy read reduce render report runs sanitize stats system verdict write",
    ),
    ("compare", "atlas builds metrics noise_prior policy runs stats"),
    ("deciding", "metrics policy runs units"),
    ("docs", ""),
    ("environment", "journal runs sanitize"),
    ("error", "sanitize"),
    ("experiment", "environment error format journal plan policy report sanitize verdict write"),
    ("format", ""),
    ("history", "deciding error format metrics policy read report runs stats units verdict write"),
    ("job", "analysis builds error format metrics plan policy read reduce report runs stats"),
    ("journal", "error write"),
    ("ledger", "error format journal stats verdict write"),
    ("metrics", "units"),
    ("noise", "atlas builds checks error format metrics policy report runs stats units"),
    ("noise_prior", "builds policy runs stats"),
    ("plan", "builds deciding error format metrics policy report runs stats units"),
    ("policy", "error metrics sanitize stats units"),
    ("python", "error history job noise policy read reduce render report runs verdict"),
    ("read", "environment error format journal metrics runs sanitize stats system units"),
    ("reduce", "error read runs stats"),
    ("render", "calibrate format history report units verdict"),
    (
        "report",
        "atlas builds calibrate checks compare error format journal ledger metrics noise_prior policy runs stats units verdict",
    ),
    ("runs", "metrics sanitize units"),
    ("sanitize", ""),
    ("stats", ""),
    ("system", ""),
    ("units", ""),
    ("verdict", "stats"),
    ("web", "error history job policy read render report runs"),
    ("write", "error system"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

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

/// A file as the path of its module: `["cli", "output"]`; a `mod.rs` is its folder, the root of a crate its crate.
type Module = Vec<String>;

/// A path as it is written, with whether it is an export: `pub use`.
type Written = (Vec<String>, bool);

/// The paths of a file.
#[derive(Default)]
struct Paths {
    /// Those of its unit tests apart.
    code: Vec<Written>,
    tests: Vec<Written>,
    in_tests: bool,
    /// Modules inside the file around the place that is read.
    inside: usize,
}

impl Paths {
    fn of(text: &str) -> Self {
        let mut paths = Self::default();
        paths.visit_file(&syn::parse_file(text).expect("Rust"));
        paths
    }

    fn add(&mut self, path: Vec<String>, export: bool) {
        // In a module inside the file `super` is the file.
        let supers = path.iter().take_while(|part| *part == "super").count().min(self.inside);
        let this = (supers > 0 && supers == self.inside).then(|| "self".to_owned());
        let path: Vec<String> = this.into_iter().chain(path.into_iter().skip(supers)).collect();
        let path =
            if path.get(1).is_some_and(|part| part == "super") { path[1..].to_vec() } else { path };
        let into = if self.in_tests { &mut self.tests } else { &mut self.code };
        into.push((path, export));
    }

    fn add_tree(&mut self, tree: &syn::UseTree, before: &[String], export: bool) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.add_tree(&path.tree, &with(&path.ident), export),
            syn::UseTree::Name(name) => self.add(with(&name.ident), export),
            syn::UseTree::Rename(name) => self.add(with(&name.ident), export),
            syn::UseTree::Glob(_) => self.add(before.to_vec(), export),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|item| self.add_tree(item, before, export));
            }
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let is_test = |attribute: &syn::Attribute| {
            attribute.path().is_ident("cfg")
                && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
        };
        let before = self.in_tests;
        self.in_tests |= item.attrs.iter().any(is_test);
        self.inside += usize::from(item.content.is_some());
        visit::visit_item_mod(self, item);
        self.inside -= usize::from(item.content.is_some());
        self.in_tests = before;
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let export = !matches!(item.vis, syn::Visibility::Inherited);
        self.add_tree(&item.tree, &[], export);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            self.add(path.segments.iter().map(|part| part.ident.to_string()).collect(), false);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, found: &'ast syn::Macro) {
        visit::visit_path(self, &found.path);
        let tokens = found.tokens.to_string().replace(" :: ", "::");
        for word in tokens.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':') {
            let path: Vec<String> = word.split("::").map(str::to_owned).collect();
            if path.len() > 1 && path.iter().all(|part| !part.is_empty()) {
                self.add(path, false);
            }
        }
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

/// The files of src with their paths.
static ALL: LazyLock<BTreeMap<Module, Paths>> = LazyLock::new(|| {
    let mut files = Vec::new();
    sources(&root(), &mut files);
    let module = |file: &PathBuf| {
        let below = file.strip_prefix(root()).expect("below src").with_extension("");
        let parts = below.iter().map(|part| part.to_string_lossy().into_owned());
        let path = parts.filter(|part| !["mod", "lib", "main"].contains(&part.as_str()));
        path.enumerate()
            .filter(|(n, part)| *n > 0 || part != GROUND)
            .map(|(_, part)| part)
            .collect()
    };
    let mut all = BTreeMap::<Module, Paths>::new();
    for file in &files {
        let found = Paths::of(&fs::read_to_string(file).expect("a source file"));
        let known = all.entry(module(file)).or_default();
        known.code.extend(found.code);
        known.tests.extend(found.tests);
    }
    all
});

/// The file that a path of `own` leads to: the longest part of it that is a module.
fn target(own: &Module, path: &[String]) -> Option<Module> {
    let all = &*ALL;
    let (mut base, mut rest) = match path.first()?.as_str() {
        "crate" => {
            let root = own.first().filter(|first| CRATES.contains(&first.as_str()));
            (root.cloned().into_iter().collect(), &path[1..])
        }
        "beyondnoise" | "beyondnoise_model" => (Vec::new(), &path[1..]),
        "beyondnoise_read" => (vec!["read".to_owned()], &path[1..]),
        "beyondnoise_stats" => (vec!["stats".to_owned()], &path[1..]),
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

/// What each file uses. An export of a child (`pub use`) is no use: a child may use its `mod.rs` beside it.
static USES: LazyLock<BTreeMap<Module, BTreeSet<Module>>> = LazyLock::new(|| {
    let of = |own: &Module, paths: &Paths| {
        let found = paths.code.iter().filter_map(|(path, export)| {
            let file = target(own, path)?;
            let exported = *export && file.starts_with(own);
            (file != *own && !exported).then_some(file)
        });
        found.collect()
    };
    ALL.iter().map(|(own, paths)| (own.clone(), of(own, paths))).collect()
});

/// What each room uses, its unit tests too.
fn rooms() -> BTreeMap<String, BTreeSet<String>> {
    let mut rooms: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (own, paths) in ALL.iter().filter(|(own, _)| !own.is_empty()) {
        let used = rooms.entry(own[0].clone()).or_default();
        for (path, _) in paths.code.iter().chain(&paths.tests) {
            let room = target(own, path).map(|file| file[0].clone());
            used.extend(room.filter(|room| *room != own[0]));
        }
    }
    rooms
}

#[test]
fn every_room_uses_only_what_its_line_says() {
    let rooms = rooms();
    assert!(rooms.len() > 20 && ALL.len() > 200, "the sources were found");
    let said: BTreeMap<&str, &str> = MAY_USE.iter().copied().collect();
    assert_eq!(
        said.keys().copied().collect::<Vec<_>>(),
        rooms.keys().map(String::as_str).collect::<Vec<_>>(),
        "a line for each room"
    );
    let mut wrong = Vec::new();
    for (room, used) in &rooms {
        let may =
            |other: &&String| said[room.as_str()].split(' ').any(|said| said == other.as_str());
        wrong.extend(
            used.iter().filter(|other| !may(other)).map(|other| format!("{room} uses {other}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The rooms from the ground up: each above all that it uses.
fn floors() -> Vec<Vec<&'static str>> {
    let mut left: BTreeMap<&str, &str> = MAY_USE.iter().copied().collect();
    let mut floors = Vec::new();
    while !left.is_empty() {
        let free = |used: &str| used.split(' ').all(|other| !left.contains_key(other));
        let floor: Vec<&str> =
            left.iter().filter(|(_, used)| free(used)).map(|(room, _)| *room).collect();
        assert!(!floor.is_empty(), "a circle of rooms: {:?}", left.keys());
        left.retain(|room, _| !floor.contains(room));
        floors.push(floor);
    }
    floors
}

/// Made anew with `BEYONDNOISE_DOCS=write`, as the lists in the manual.
#[test]
fn the_picture_of_the_rooms_is_true() {
    let floors = floors();
    let lines = (1..).zip(&floors).map(|(n, floor)| format!("{n}. {}\n", floor.join(", ")));
    let picture = lines.collect::<String>();
    let path = root().with_file_name(".github").join("CONTRIBUTING.md");
    let text = fs::read_to_string(&path).expect("CONTRIBUTING.md");
    let (before, rest) = text.split_once("<!-- generated: rooms -->\n\n").expect("a mark");
    let (found, after) = rest.split_once("\n<!-- end -->").expect("an end");
    if std::env::var_os("BEYONDNOISE_DOCS").is_some_and(|how| how == "write") {
        let text = format!("{before}<!-- generated: rooms -->\n\n{picture}\n<!-- end -->{after}");
        fs::write(&path, text).expect("CONTRIBUTING.md");
    } else {
        assert_eq!(found, picture);
    }
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

/// A circle through `start` within its room, if there is one: the shortest.
fn circle(start: &Module) -> Option<Vec<Module>> {
    let mut paths = vec![vec![start.clone()]];
    let mut seen = BTreeSet::new();
    while !paths.is_empty() {
        let mut longer = Vec::new();
        for path in paths {
            for next in &USES[path.last()?] {
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

#[test]
fn no_circle_joins_the_files_of_a_room() {
    let mut found = BTreeMap::new();
    for start in ALL.keys().filter(|module| !module.is_empty()) {
        let Some(path) = circle(start) else { continue };
        let files: BTreeSet<Module> = path.iter().cloned().collect();
        let mut names: Vec<String> = path.iter().map(|file| file.join("/")).collect();
        names.push(start.join("/"));
        found.entry(files).or_insert_with(|| names.join(" -> "));
    }
    let found: Vec<String> = found.into_values().collect();
    assert!(found.is_empty(), "circles:\n{}", found.join("\n"));
}

/// Rooms with layers of their own, from the ground up; a file beside the layers is above all of them.
const LAYERS: &[(&str, &[&str])] = &[
    ("read", &["store", "reader", "kit", "text", "table", "clients", "registry", "input"]),
    ("stats", &["numerics", "runs", "noise", "change", "power", "lists", "capacity", "history"]),
];

#[test]
fn a_layer_of_a_room_uses_only_those_below_it() {
    let level = |module: &Module| {
        let [first, layer, ..] = &module[..] else { return None };
        let (_, layers) = LAYERS.iter().find(|(room, _)| room == first)?;
        let known = layers.iter().position(|name| name == layer);
        Some(known.unwrap_or_else(|| panic!("a layer of its own: {first}/{layer}")))
    };
    let mut upward = Vec::new();
    for (own, used) in &*USES {
        let above = used.iter().filter(|file| {
            own.first() == file.first() && level(file) > level(own) && level(own).is_some()
        });
        upward.extend(above.map(|file| format!("{} uses {}", own.join("/"), file.join("/"))));
    }
    assert!(upward.is_empty(), "{}", upward.join("\n"));
}

#[test]
fn every_way_to_write_a_path_is_read() {
    let paths = Paths::of(
        "pub(super) use a::b; use crate::x::{y, z::{q as r, *}};
         fn f(v: super::T) { child::name::<self::U>(); println!(\"{}\", crate::m::n(1)); }
         pub(in crate::no) struct S; #[cfg(test)] mod tests { use super::t; }",
    );
    let joined = |all: &[Written]| all.iter().map(|(path, _)| path.join("::")).collect::<Vec<_>>();
    assert_eq!(
        joined(&paths.code),
        [
            "a::b",
            "crate::x::y",
            "crate::x::z::q",
            "crate::x::z",
            "super::T",
            "child::name",
            "self::U",
            "crate::m::n"
        ]
    );
    assert!(paths.code[0].1 && !paths.code[1].1);
    assert_eq!(joined(&paths.tests), ["self::t"]);
}
