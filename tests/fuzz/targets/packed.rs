//! Packed files, UTF-16 and what is damaged in them.

pub(crate) fn check(bytes: &[u8]) {
    for name in ["input.json.gz", "input.csv"] {
        crate::sound::read(name, bytes);
    }
}
