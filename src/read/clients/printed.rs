//! Tables that clients print for people beside an exact result file. They are recognised so that the report can name
//! the file to use, since the printed figures are rounded and boxed.
//!
//! Replicate: none.

use crate::read::kit::prelude::*;

pub(crate) const SUMMARY: Reader = Reader {
    name: "printed summary",
    recognised_by: "a title of AIPerf, genai-perf, GuideLLM or EvalScope",
    one_run: "none: the result file has the exact figures",
    recognise: |content, named| !named && !json_with(content, &[]) && file_of(content).is_some(),
    read: |content, _| {
        let file = file_of(content).unwrap_or("result file");
        let why = format!("rounded figures for people; the exact ones are in {file}");
        Ok(Found::nothing(&why))
    },
    ..Reader::EMPTY
};

/// Title of a table, and the file with the same in full.
const TITLES: &[(&str, &str)] = &[
    ("NVIDIA AIPerf |", "profile_export_aiperf.json"),
    ("NVIDIA GenAI-Perf |", "*_genai_perf.json"),
    ("ℹ Run Summary Info", "benchmarks.json or benchmarks.csv"),
    ("Performance Test Summary Report", "benchmark_summary.json of each folder"),
];

fn file_of(content: &Content) -> Option<&'static str> {
    TITLES.iter().find(|(title, _)| near(content, title)).map(|(_, file)| *file)
}
