//! The layers: which module may use which. Imports are read line by line, so there is one `use
//! crate::module` line per module.

use std::fs;
use std::path::{Path, PathBuf};

/// What each module may use of the crate; modules not listed here may use everything.
const MAY_USE: &[(&str, &[&str])] = &[
    ("stats", &[]),
    ("format", &[]),
    ("units", &[]),
    ("error", &["sanitize", "stats"]),
    ("metrics", &["units"]),
    ("sanitize", &[]),
    ("runs", &["metrics", "sanitize", "units"]),
    ("policy", &["error", "metrics", "sanitize", "stats", "units"]),
    ("read", &["error", "metrics", "sanitize", "runs", "stats", "units"]),
    ("write", &["error"]),
    ("noise_prior", &["policy", "runs", "stats"]),
    ("history", &["error", "read", "runs", "write"]),
    ("compare", &["noise_prior", "error", "metrics", "policy", "runs", "stats", "units"]),
    ("verdict", &["metrics", "runs", "stats", "units"]),
    (
        "checks",
        &["noise_prior", "compare", "format", "metrics", "policy", "runs", "stats", "units"],
    ),
    ("plan", &["error", "format", "metrics", "policy", "runs", "stats", "verdict"]),
    (
        "noise",
        &["checks", "error", "format", "metrics", "policy", "runs", "stats", "units", "verdict"],
    ),
    ("calibrate", &["error", "format", "metrics", "policy", "runs", "stats", "units", "verdict"]),
    (
        "report",
        &[
            "calibrate",
            "checks",
            "format",
            "metrics",
            "noise",
            "plan",
            "policy",
            "runs",
            "stats",
            "units",
            "verdict",
        ],
    ),
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

/// Only the feature `s3`, which nobody has who does not ask for it, brings a network.
#[test]
fn nothing_here_opens_a_connection() {
    let mut files = Vec::new();
    sources(&root(), &mut files);
    for file in files {
        let text = fs::read_to_string(&file).expect("a source file");
        for word in ["std::net", "net::", "TcpStream", "UdpSocket", "UnixStream"] {
            assert!(!text.contains(word), "{}: {word}", file.display());
        }
    }
    let manifest = fs::read_to_string(root().with_file_name("Cargo.toml")).expect("a manifest");
    let manifest: toml::Table = manifest.parse().expect("TOML");
    let default = manifest["features"]["default"].as_array().expect("a list");
    assert!(!default.iter().any(|feature| feature.as_str() == Some("s3")), "{default:?}");
}
