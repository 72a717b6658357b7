//! All fuzz targets in one executable; `BEYONDNOISE_TARGET` names the one that is run.

#![no_main]

#[allow(dead_code, reason = "only what is typed is looked at")]
#[path = "../../src/cli/mod.rs"]
mod cli;
#[allow(dead_code, reason = "only what is typed is looked at")]
#[path = "../../src/experiment/mod.rs"]
mod experiment;
mod sound;
#[path = "targets"]
mod targets {
    pub(crate) mod arguments;
    pub(crate) mod numbers;
    pub(crate) mod packed;
    pub(crate) mod policy;
    pub(crate) mod report;
    pub(crate) mod tables;
}

use std::sync::LazyLock;

use targets::{arguments, numbers, packed, policy, report, tables};

/// Reads a file of any kind; the families of readers differ in the files that they start from.
fn read(input: &[u8]) {
    if let Some((name, bytes)) = sound::file(input) {
        sound::read(&name, bytes);
    }
}

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("BEYONDNOISE_TARGET").unwrap_or_default();
    match name.as_str() {
        "notes" | "serving" | "clients" | "runners" => read,
        "tables" => tables::check,
        "packed" => packed::check,
        "policy" => policy::check,
        "arguments" => arguments::check,
        "report" => report::check,
        "numbers" => numbers::check,
        other => panic!("expected the name of a target in BEYONDNOISE_TARGET, found {other:?}"),
    }
});

libfuzzer_sys::fuzz_target!(|input: &[u8]| TARGET(input));
