//! Files of runners of micro-benchmarks and load generators.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    if let Some((name, bytes)) = beyondnoise_fuzz::file(input) {
        beyondnoise_fuzz::read(&name, bytes);
    }
});
