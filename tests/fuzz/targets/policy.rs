//! Policy files: what is understood means the same when it is written out.

use beyondnoise::policy::Settings;

pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Settings::default().with_file(text, "beyondnoise.toml") {
        Ok(settings) => {
            let shown = settings.in_force(text, "beyondnoise.toml");
            assert!(!shown.chars().any(|c| c != '\n' && c.is_control()), "{shown:?}");
            let again = Settings::default().with_file(&shown, "shown");
            let again = again.unwrap_or_else(|error| panic!("{error}: {shown}"));
            assert_eq!(again, settings, "{shown}");
        }
        Err(error) => crate::sound::message(&error),
    }
}
