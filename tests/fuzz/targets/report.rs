//! The whole path: any file to every form of every report.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    if let Some((name, bytes)) = beyondnoise_fuzz::file(input) {
        beyondnoise_fuzz::everything(&name, bytes);
    }
});
