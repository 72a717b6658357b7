//! Files in, labelled runs out: every format, damaged files, people's own exports.
//!
//! One executable for all of them, since each one links the whole program.

#![allow(clippy::too_many_lines, reason = "tables of cases")]

mod designs;
mod exports;
mod formats_llm;
mod formats_runners;
mod ingest;
mod malformed;
mod measurements;
mod metric_names;
mod mutated;
mod outcomes;
mod repeats;
mod repeats_random;
mod samples;
#[allow(dead_code, clippy::print_stderr, reason = "shared with the fuzz targets")]
#[path = "../fuzz/sound.rs"]
mod sound;
mod wild;
