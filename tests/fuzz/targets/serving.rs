//! Result files of serving benchmarks, with and without the detail of requests.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    if let Some((name, bytes)) = beyondnoise_fuzz::file(input) {
        beyondnoise_fuzz::read(&name, bytes);
    }
});
