//! Settings: the flags in the table of settings, and the policy file under them.

use std::marker::PhantomData;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches};

use beyondnoise::error::Error;
use beyondnoise::job::SettingsFile;
use beyondnoise::policy::{SETTINGS, Setting, Settings, Several};

#[derive(Debug, clap::Args)]
pub(super) struct ConfigArgs {
    /// Policy file (default: the nearest beyondnoise.toml from here upward)
    #[arg(long, value_name = "FILE", help_heading = POLICY)]
    pub(super) config: Option<PathBuf>,

    /// Use no policy file
    #[arg(long, conflicts_with = "config", help_heading = POLICY)]
    pub(super) no_config: bool,
}

impl ConfigArgs {
    /// The file that was named, or the nearest one.
    pub(super) fn path(&self) -> Option<PathBuf> {
        match &self.config {
            Some(path) => Some(path.clone()),
            None if self.no_config => None,
            None => SettingsFile::nearest(),
        }
    }

    /// Itself as words of a command line, in front of `flags` that may name another policy.
    pub(super) fn before(&self, flags: &[String]) -> Vec<String> {
        let named = |flag: &String| flag == "--no-config" || flag.starts_with("--config");
        let file = self.config.iter().map(|path| format!("--config={}", path.display()));
        let own = file.chain(self.no_config.then(|| "--no-config".to_owned()));
        let own = own.filter(|_| !flags.iter().any(named));
        own.chain(flags.iter().cloned()).collect()
    }

    pub(super) fn read_over(&self, usual: Settings) -> Result<SettingsFile, Error> {
        SettingsFile::read_over(self.path(), usual)
    }
}

/// The name that the table of settings has for a command.
pub(super) trait Named {
    const NAME: &'static str;
}

/// The flags of the command `C` that are in the table of settings, as given.
#[derive(Debug)]
pub(super) struct SettingFlags<C> {
    given: Given,
    command: PhantomData<C>,
}

/// Flags with their values.
#[derive(Clone, Debug, Default)]
pub(super) struct Given(Vec<(&'static Setting<Settings>, Vec<String>)>);

impl<C> SettingFlags<C> {
    pub(super) fn given(&self) -> &Given {
        &self.given
    }
}

impl Given {
    /// The flags of both.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self([&self.0[..], &other.0].concat())
    }

    /// Whether the flag of this key of the policy file was given.
    pub(super) fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(setting, _)| setting.key == key)
    }

    /// The flags, except the flag with this policy key.
    #[cfg(unix)]
    pub(super) fn without(&self, key: &str) -> Self {
        Self(self.0.iter().filter(|(setting, _)| setting.key != key).cloned().collect())
    }

    pub(super) fn over(&self, mut settings: Settings) -> Settings {
        for (setting, values) in &self.0 {
            // clap has checked the values.
            let _ = setting.set(&mut settings, values);
        }
        settings
    }
}

/// The settings that have a flag of this command, each with the name of the flag.
fn flags_of(command: &str) -> impl Iterator<Item = (&'static str, &'static Setting<Settings>)> {
    SETTINGS.iter().filter_map(move |setting| {
        let flag = setting.flag().filter(|flag| flag.commands.contains(&command))?;
        Some((flag.name, setting))
    })
}

/// Heads of the flags that a help shows below the common ones.
pub(super) const READING: &str = "How the inputs are read";
pub(super) const STATISTICS: &str = "Statistics";
pub(super) const GATE: &str = "Gate";
pub(super) const REPORT: &str = "Report";
const POLICY: &str = "Policy file";
const COMMANDS: &str = "Commands that make a run";
const NUMBER: &str = "Number and time of runs";

/// The heading above the flag of a setting in the help of a command; `None` among the common flags.
fn heading(command: &str, name: &str) -> Option<&'static str> {
    match name {
        "serve" | "bench" | "ready" | "before" | "after" | "version-of" | "cwd" | "env"
        | "port" | "keep-server" => Some(COMMANDS),
        "effect" | "looks" | "max-runs" | "budget" | "warmup" | "tries" | "timeout"
        | "ready-timeout"
            if command == "run" =>
        {
            Some(NUMBER)
        }
        _ if name.ends_with("-column") || name == "order-by" => Some(READING),
        "confidence" | "method" | "across" | "resamples" | "seed" | "noise" | "no-atlas"
        | "history" | "control" | "power" | "prior-df" => Some(STATISTICS),
        "guard" | "tolerance" | "require" | "on-no-verdict" | "on-not-comparable" => Some(GATE),
        _ => None,
    }
}

impl<C: Named> Args for SettingFlags<C> {
    fn augment_args(command: clap::Command) -> clap::Command {
        let mut flags: Vec<_> = flags_of(C::NAME).collect();
        // The heads of a help are in the order of their first flags.
        flags.sort_by_key(|(name, _)| !matches!(heading(C::NAME, name), Some(COMMANDS | NUMBER)));
        flags.into_iter().fold(command, |command, (name, setting)| {
            let default = setting.default_typed().filter(|_| !name.starts_with("no-"));
            let default = default.map(|value| format!(" [default: {value}]"));
            let again =
                if setting.several() == Some(Several::Repeated) { "; may be repeated" } else { "" };
            let arg = Arg::new(name)
                .long(name)
                .help(format!("{}{again}{}", setting.help(), default.unwrap_or_default()))
                .value_name(setting.value_name())
                .help_heading(heading(C::NAME, name))
                .value_parser(parser_of(setting));
            let arg = match setting.several() {
                // A flag alone says yes.
                None if setting.value_name() == "BOOL" => {
                    arg.num_args(0..=1).require_equals(true).default_missing_value("true")
                }
                None => arg,
                Some(Several::Commas) => arg.action(ArgAction::Append).value_delimiter(','),
                Some(Several::Repeated) => arg.action(ArgAction::Append),
            };
            command.arg(arg)
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

fn parser_of(setting: &'static Setting<Settings>) -> ValueParser {
    if !setting.words().is_empty() {
        let words = setting.words().iter();
        let values = words.map(|(word, meaning)| PossibleValue::new(*word).help(*meaning));
        return PossibleValuesParser::new(values).into();
    }
    ValueParser::from(move |text: &str| {
        let value = text.to_owned();
        setting.set(&mut Settings::default(), std::slice::from_ref(&value)).map(|()| value)
    })
}

impl<C: Named> FromArgMatches for SettingFlags<C> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let values = |name| matches.get_many::<String>(name).map(|all| all.cloned().collect());
        let mut given = Vec::new();
        for (name, setting) in flags_of(C::NAME) {
            let Some(values): Option<Vec<String>> = values(name) else { continue };
            // Each value is valid; a list of values may not be.
            setting.set(&mut Settings::default(), &values).map_err(|why| {
                let typed = values.join(",");
                let message = format!("invalid value '{typed}' for '--{name}': {why}\n");
                clap::Error::raw(clap::error::ErrorKind::ValueValidation, message)
            })?;
            given.push((setting, values));
        }
        Ok(Self { given: Given(given), command: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
