//! Files of the other LLM clients: JSON, YAML, SQLite, CSV, text.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    if let Some((name, bytes)) = beyondnoise_fuzz::file(input) {
        beyondnoise_fuzz::read(&name, bytes);
    }
});
