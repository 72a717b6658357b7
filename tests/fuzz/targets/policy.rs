//! Policy files: what is understood means the same when it is written out.

use beyondnoise::policy::PolicyFile;

pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match PolicyFile::parse(text, "beyondnoise.toml") {
        Ok(file) => {
            let shown = file.in_force(text, "beyondnoise.toml");
            assert!(!shown.chars().any(|c| c != '\n' && c.is_control()), "{shown:?}");
            let again = PolicyFile::parse(&shown, "shown");
            let again = again.unwrap_or_else(|error| panic!("{error}: {shown}"));
            assert_eq!(again.policy().ok(), file.policy().ok(), "{shown}");
        }
        Err(error) => crate::sound::message(&error),
    }
}
