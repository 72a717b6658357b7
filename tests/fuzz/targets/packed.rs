//! Packed files, UTF-16 and what is damaged in them.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for name in ["input.json.gz", "input.csv"] {
        beyondnoise_fuzz::read(name, bytes);
    }
});
