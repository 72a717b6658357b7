//! Settings as text: the values in force, each with its origin, and an example with every key.

use std::collections::BTreeMap;
use std::fmt::Write;

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Value};

use crate::metrics::Metric;
use crate::policy::places::{line, span_of};
use crate::policy::setting::Setting;
use crate::policy::settings::{OF_METRIC, SETTINGS, Settings};
use crate::policy::thresholds::THRESHOLDS;

/// The file that the settings come from.
struct Origin<'a> {
    name: &'a str,
    text: &'a str,
    document: DeTable<'a>,
}

impl Settings {
    /// The settings in force as TOML, one line each with its origin: `default`, or a line of the file `name` with this `text`.
    ///
    /// Settings without a value have no line. Read as a file, the result gives the same settings.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::policy::Settings;
    ///
    /// let text = "tolerance = \"3 %\"";
    /// let settings = Settings::default().with_file(text, "beyondnoise.toml")?;
    /// let shown = settings.in_force(text, "beyondnoise.toml");
    /// assert!(shown.contains("tolerance = 0.03  # beyondnoise.toml, line 1"));
    /// assert!(shown.contains("confidence = 0.95  # default"));
    /// # Ok::<(), beyondnoise::error::Error>(())
    /// ```
    pub fn in_force(&self, text: &str, name: &str) -> String {
        let document = DeTable::parse(text).map(Spanned::into_inner).unwrap_or_default();
        let origin = Origin { name, text, document };
        let mut sections: BTreeMap<&str, String> = BTreeMap::new();
        for section in SETTINGS.iter().map(|setting| setting.section) {
            let keys: &[&str] = if section.is_empty() { &[] } else { &[section] };
            sections.insert(section, origin.lines(SETTINGS, section, keys, self));
        }
        let checks = origin.lines(THRESHOLDS, "checks", &["checks"], &self.policy.thresholds);
        sections.insert("checks", checks);
        let mut out = sections.remove("").unwrap_or_default();
        for (section, lines) in sections.iter().filter(|(_, lines)| !lines.is_empty()) {
            write!(out, "\n[{section}]\n{lines}").expect("writing to a String cannot fail");
        }
        if let Some(DeValue::Table(metrics)) = origin.document.get("metrics").map(Spanned::get_ref)
        {
            for name in metrics.keys().map(|name| &**name.get_ref()) {
                let policy = self.policy.metrics.get(&Metric::named(name).name);
                let lines = policy.map(|policy| {
                    let keys = ["metrics", name];
                    origin.lines(OF_METRIC, "metrics", &keys, policy)
                });
                write!(out, "\n[metrics.{}]\n{}", quoted(name), lines.unwrap_or_default())
                    .expect("writing to a String cannot fail");
            }
        }
        out
    }

    /// A policy file with every key: its meaning, its flag, and its default, or an example that is commented out.
    pub fn example() -> String {
        let mut out = "# A policy for beyondnoise, with every key. `beyondnoise` reads the nearest file of this name from the\n\
             # working folder upward, or the one that --config names. Flags come before it. Every key may be left\n\
             # out; those without a default are commented out. `beyondnoise config` prints the values in force.\n\
             #\n\
             # Shares are percentages in quotes (\"2 %\") or fractions (0.02).\n\n"
            .to_owned();
        let mut section = "";
        for setting in SETTINGS {
            if setting.section != section {
                section = setting.section;
                writeln!(out, "\n[{section}]").expect("writing to a String cannot fail");
            }
            let flag = setting.flag().map_or(String::new(), |flag| format!(" (--{})", flag.name));
            describe(&mut out, setting, &flag);
        }
        out += "\n# A section per metric: one of `beyondnoise formats`, or a column of yours, such as\n\
                # [metrics.\"answers per joule\"]\n\
                # [metrics.output_throughput]\n";
        for setting in OF_METRIC {
            describe(&mut out, setting, "");
        }
        out + "\n# Thresholds of the checks: `beyondnoise config` lists them\n[checks]\n"
    }
}

/// The meaning of a setting and its key, with its default or an example.
fn describe<S: Default>(out: &mut String, setting: &Setting<S>, flag: &str) {
    let value = setting.default().map(|value| match (&value, setting.value_name()) {
        (Value::Float(share), "PERCENT") => format!("\"{} %\"", share * 100.0),
        _ => value.to_string(),
    });
    let (comment, value) = value.map_or(("# ", setting.example.to_owned()), |value| ("", value));
    let words = setting.words().iter().map(|(word, _)| format!("\"{word}\""));
    let others: Vec<String> = words.filter(|word| *word != value).collect();
    let or =
        if others.is_empty() { String::new() } else { format!("  # or {}", others.join(", ")) };
    let text = format!("{}{flag}", setting.help());
    for line in textwrap::wrap(&text, 110) {
        writeln!(out, "# {line}").expect("writing to a String cannot fail");
    }
    writeln!(out, "{comment}{} = {value}{or}", setting.key)
        .expect("writing to a String cannot fail");
}

impl Origin<'_> {
    /// The settings of a section that have a value, one line each, in the order of their keys.
    fn lines<S: Default>(
        &self,
        settings: &[Setting<S>],
        section: &str,
        above: &[&str],
        target: &S,
    ) -> String {
        let mut lines = BTreeMap::new();
        for setting in settings.iter().filter(|setting| setting.section == section) {
            let keys = [above, &[setting.key]].concat();
            let span = span_of(&self.document, &keys);
            let value = match &span {
                Some(_) => (setting.written)(target),
                None => setting.default().filter(|_| section != "metrics"),
            };
            let Some(value) = value else { continue };
            // Words do not change, and a share above 1 can only be written as a percentage.
            let stays = value.is_str() || value.as_float().is_some_and(|value| value > 1.0);
            let typed = span.clone().and_then(|span| self.text.get(span));
            let typed = typed.filter(|text| stays && text.starts_with(['"', '\'']));
            let typed = typed.filter(|text| !text.contains('\n'));
            let shown = typed.map_or_else(|| value.to_string(), str::to_owned);
            let origin = span.map_or("default".to_owned(), |span| {
                format!("{}, line {}", self.name, line(self.text, span.start))
            });
            lines.insert(setting.key, format!("{} = {shown}  # {origin}\n", setting.key));
        }
        lines.into_values().collect()
    }
}

fn quoted(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !key.is_empty() && key.chars().all(bare) {
        key.to_owned()
    } else {
        Value::String(key.to_owned()).to_string()
    }
}
