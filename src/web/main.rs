//! Makes the page: one HTML file that contains the program, and needs no other file.
//!
//! `cargo page [FOLDER]`, by default `target/page`. The program is compiled for WebAssembly, packed, and written into the
//! page as text: pages that are opened from a disk may not fetch anything. The policy of the page names its scripts by
//! their hashes and allows no request. `wasm-opt` would make the program smaller and the packed one larger.

#![expect(clippy::print_stdout, reason = "says what was made")]

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use wasm_bindgen_cli_support::Bindgen;

const TARGET: &str = "wasm32-unknown-unknown";
const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const REPORT_SCRIPT: &str = include_str!("../render/html/page.js");
const GLOSSARY: &str = include_str!("../docs/glossary.md");

/// Name, file, and subject.
const EXAMPLES: [(&str, &str, &str); 4] = [
    (
        "one run each",
        "closed-loop-before-after.txt",
        include_str!("../../data/notes/closed-loop-before-after.txt"),
    ),
    ("two runs each", "mock-abba.md", include_str!("../../data/notes/mock-abba.md")),
    ("a sweep of loads", "sweep.csv", include_str!("../../data/sweep.csv")),
    (
        "several steps, no baseline named",
        "two-workloads-five-steps.txt",
        include_str!("../../data/notes/two-workloads-five-steps.txt"),
    ),
];

type Made<T> = Result<T, Box<dyn Error>>;

fn main() -> Made<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let folder = std::env::args_os().nth(1).map_or(target.join("page"), PathBuf::from);
    let compiled = compile(&root, &target)?;
    let mut bindings = Bindgen::new()
        .input_path(compiled)
        .no_modules(true)?
        .typescript(false)
        .omit_default_module_path(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate_output()?;
    let program = bindings.wasm_mut().emit_wasm();
    let glue = bindings.js();
    fs::create_dir_all(&folder)?;
    let packed = gzip(&program)?;
    let page = page(glue, &packed)?;
    fs::write(folder.join("index.html"), &page)?;
    // For the tests, which run the program without a browser.
    let beside = target.join("page-program");
    fs::create_dir_all(&beside)?;
    fs::write(beside.join("program.js"), format!("{glue}\nmodule.exports = wasm_bindgen;\n"))?;
    fs::write(beside.join("program.wasm"), &program)?;
    let compressed = gzip(page.as_bytes())?.len();
    println!(
        "{}: {} bytes, {compressed} compressed",
        folder.join("index.html").display(),
        page.len()
    );
    println!("the program: {} bytes, {} compressed", program.len(), packed.len());
    Ok(())
}

/// Compiles the program; the file.
fn compile(root: &Path, target: &Path) -> Made<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--locked", "--package", "beyondnoise-web", "--lib"])
        .args(["--profile", "page", "--target", TARGET])
        .arg("--target-dir")
        .arg(target)
        .current_dir(root)
        .status()?;
    if !status.success() {
        return Err(format!("the program was not built; rustup target add {TARGET}").into());
    }
    Ok(target.join(TARGET).join("page/beyondnoise_web.wasm"))
}

fn gzip(bytes: &[u8]) -> Made<Vec<u8>> {
    let mut packed = GzBuilder::new().write(Vec::new(), Compression::best());
    packed.write_all(bytes)?;
    Ok(packed.finish()?)
}

fn page(glue: &str, program: &[u8]) -> Made<String> {
    let script = format!("{glue}\n{SCRIPT}");
    let hashes: Vec<String> = [script.as_str(), REPORT_SCRIPT].map(hash).to_vec();
    let policy = format!(
        "default-src 'none'; connect-src 'none'; script-src 'wasm-unsafe-eval' {}; style-src 'unsafe-inline'; \
         img-src data:; base-uri 'none'; form-action 'none'",
        hashes.join(" ")
    );
    let examples: Vec<[&str; 3]> = EXAMPLES.map(|(name, file, text)| [name, file, text]).to_vec();
    let examples = serde_json::to_string(&examples)?.replace('<', "\\u003c");
    let parts = [
        ("policy", policy),
        ("style", STYLE.to_owned()),
        ("glossary", glossary(GLOSSARY)),
        ("examples", examples),
        ("program", BASE64_STANDARD.encode(program)),
        ("script", script),
    ];
    let mut page = String::new();
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").ok_or("a part of the page without an end")?;
        let (_, part) = parts.iter().find(|(known, _)| *known == name).ok_or("an unknown part")?;
        page += before;
        page += part;
        rest = after;
    }
    Ok(page + rest)
}

/// A script as a policy names it.
fn hash(script: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(script)))
}

/// The tables of the glossary as lists of terms.
fn glossary(markdown: &str) -> String {
    let (mut parts, mut end) = (Vec::new(), "");
    for line in markdown.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            parts.push(format!("{end}<h3>{}</h3><dl>", inline(title)));
            end = "</dl>";
        } else if let Some(row) = line.strip_prefix("| ").and_then(|row| row.strip_suffix(" |")) {
            let Some((term, meaning)) = row.split_once(" | ") else { continue };
            if term != "term" {
                parts.push(format!("<dt>{}</dt><dd>{}</dd>", inline(term), inline(meaning)));
            }
        }
    }
    parts.concat() + end
}

/// Text with code between backticks.
fn inline(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let parts = escaped.split('`').enumerate();
    parts
        .map(|(k, part)| if k % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_glossary_is_explained_without_a_link() {
        let html = glossary(GLOSSARY);
        let rows = GLOSSARY
            .lines()
            .filter(|line| line.starts_with("| ") && !line.starts_with("| term"))
            .count();
        assert_eq!(html.matches("<dt>").count(), rows);
        assert!(!html.contains("<a") && !html.contains("]("), "{html}");
        assert_eq!(html.matches("<dl>").count(), html.matches("</dl>").count());
    }

    #[test]
    fn a_page_is_whole_and_names_its_scripts() {
        let page = page("let wasm_bindgen;", b"program").expect("a page");
        for part in PAGE.split("{{").skip(1) {
            let name = part.split("}}").next().expect("a name");
            assert!(!page.contains(&format!("{{{{{name}}}}}")), "{name}");
        }
        assert_eq!(page.matches("sha256-").count(), 2);
        assert!(page.contains("connect-src 'none'"));
    }
}
