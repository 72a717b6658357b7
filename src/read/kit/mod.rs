//! Parts that readers share; none of them knows a reader.

pub(crate) mod arithmetic;
pub(crate) mod cell_value;
pub(crate) mod commands;
pub(crate) mod csv_rows;
pub(crate) mod detail;
pub(crate) mod digits;
pub(crate) mod fields;
pub(crate) mod figure;
pub(crate) mod finish;
pub(crate) mod json;
pub(crate) mod json_records;
pub(crate) mod limits;
pub(crate) mod lone_surrogates;
pub(crate) mod marks;
pub(crate) mod numbers;
pub(crate) mod parts_of_work;
pub(crate) mod prelude;
pub(crate) mod printed;
pub(crate) mod quantity;
pub(crate) mod quotes;
pub(crate) mod reading;
pub(crate) mod run_builder;
pub(crate) mod siblings;
pub(crate) mod stated_runs;
pub(crate) mod tree;
pub(crate) mod varying;
pub(crate) mod yaml;

/// Whether `needle` occurs in `haystack`.
pub(crate) fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(haystack, needle).is_some()
}

/// The start of a text that is quoted in a message.
pub(crate) fn short(text: &str) -> String {
    let mut chars = text.chars();
    let start: String = chars.by_ref().take(60).collect();
    if chars.next().is_some() { format!("{start}…") } else { start }
}
