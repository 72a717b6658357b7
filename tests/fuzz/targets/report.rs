//! The whole path: any file to every form of every report.

pub(crate) fn check(input: &[u8]) {
    if let Some((name, bytes)) = crate::sound::file(input) {
        crate::sound::everything(&name, bytes);
    }
}
