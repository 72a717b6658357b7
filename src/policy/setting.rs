//! A setting: one entry of the tables behind the flags, the policy file and its description.

use toml::Value;

use crate::policy::kind::{Problem, Several};

/// A setting of `S`.
#[derive(Debug)]
pub struct Setting<S: 'static> {
    /// Its section of the policy file; empty for the top level.
    pub section: &'static str,
    /// Key in the policy file.
    pub key: &'static str,
    /// Its flag: one, or empty; a list because a macro makes it.
    pub(super) flags: &'static [Flag],
    pub(super) help: &'static str,
    /// An example value for the policy file, if there is no default for all commands.
    pub example: &'static str,
    /// Name of the value in help.
    pub(super) name: &'static str,
    pub(super) words: &'static [(&'static str, &'static str)],
    pub(super) several: Option<Several>,
    pub(super) read: fn(&mut S, &str, &Value) -> Result<(), Problem>,
    pub(super) typed: fn(&mut S, &[String]) -> Result<(), String>,
    pub(super) written: fn(&S) -> Option<Value>,
}

/// A flag, without its dashes.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// As it is typed: `confidence`.
    pub name: &'static str,
    /// The commands with this flag; `inputs`: all that read runs.
    pub commands: &'static [&'static str],
}

/// A table of settings. Each entry has its meaning, section and key, the field with the kind of its value, its flag with the
/// commands, and an example value if there is no default for all commands.
macro_rules! settings {
    ($(
        $(#[doc = $help:literal])+
        $section:literal $key:expr => $($field:ident).+: $kind:ident
            $(, flag $flag:literal of $commands:expr)?
            $(, such as $example:literal)?;
    )+) => { &[$($crate::policy::setting::Setting {
        section: $section,
        key: $key,
        flags: &[$($crate::policy::setting::Flag { name: $flag, commands: &$commands })?],
        help: concat!($($help),+),
        example: concat!($($example)?),
        name: $kind.name,
        words: $kind.words,
        several: $kind.several,
        read: |settings, key, value| {
            settings.$($field).+ = ($kind.read)(key, value)?.into();
            Ok(())
        },
        typed: |settings, words| {
            settings.$($field).+ = ($kind.typed)(words)?.into();
            Ok(())
        },
        written: |settings| {
            Option::from(settings.$($field).+.clone()).map(|value| ($kind.written)(&value))
        },
    }),+] };
}
pub(super) use settings;

impl<S: Default> Setting<S> {
    /// The first of its flags; `None` if only a policy file has it.
    pub fn flag(&self) -> Option<Flag> {
        self.flags.first().copied()
    }

    /// Its meaning.
    pub fn help(&self) -> &'static str {
        self.help.trim_start()
    }

    /// Name of the value in help.
    pub fn value_name(&self) -> &'static str {
        self.name
    }

    /// The allowed words of the value, each with its meaning; empty if other values are allowed.
    pub fn words(&self) -> &'static [(&'static str, &'static str)] {
        self.words
    }

    /// How the flag takes several values; `None` if it takes one.
    pub fn several(&self) -> Option<Several> {
        self.several
    }

    /// Stores the values from the flag.
    ///
    /// # Errors
    ///
    /// A message with the expected values.
    pub fn set(&self, settings: &mut S, values: &[String]) -> Result<(), String> {
        (self.typed)(settings, values)
    }

    /// The default for all commands, as a value of the policy file.
    pub(super) fn default(&self) -> Option<Value> {
        (self.written)(&S::default()).filter(|_| self.example.is_empty())
    }

    /// The default for all commands, as typed after a flag.
    pub fn default_typed(&self) -> Option<String> {
        Some(match self.default()? {
            Value::Float(share) if self.name == "PERCENT" => format!("{}%", share * 100.0),
            Value::String(word) => word,
            Value::Array(values) => {
                values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
            }
            value => value.to_string(),
        })
    }
}
