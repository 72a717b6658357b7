//! `config`: the policy in force, each value with its origin.

use beyondnoise::error::Error;
use beyondnoise::job::SettingsFile;
use beyondnoise::policy::Settings;
use beyondnoise_model::sanitize::printable;

use crate::cli::job::Outcome;
use crate::cli::output::print;
use crate::cli::settings::ConfigArgs;

/// Common calls, below the help.
pub(super) const EXAMPLES: &str = "\
Examples:
  beyondnoise config                      # the policy file above this folder, over the defaults
  beyondnoise config --config strict.toml
  beyondnoise config --no-config          # the defaults";

pub(super) fn run(args: &ConfigArgs) -> Result<Outcome, Error> {
    let SettingsFile { settings, path, text } = args.read_over(Settings::default())?;
    let name = path.as_deref().and_then(|path| path.file_name());
    let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let head = match &path {
        Some(path) => {
            format!("# {}, over the defaults\n", printable(&path.display().to_string()))
        }
        None => "# no policy file: the defaults\n".to_owned(),
    };
    let usual = "# Without a method: calibrated, and of a batch welch.\n\
                 # Metrics without a section of their own: a change matters from 1 % on, of mean and median TTFT and\n\
                 # E2EL from 2 %, of quantiles in the tail from 5 %; at least 1 ms of TTFT, 0.1 ms of TPOT and ITL.\n";
    let in_force = settings.in_force(&text, &printable(&name));
    let mut text = head + usual;
    for line in in_force.lines() {
        text.extend([&*printable(line), "\n"]);
    }
    print(text.as_bytes())?;
    Ok(Outcome::Clean)
}
