//! The policy in force as text, each value with the place that says it.

use std::fmt::Write;

use toml::de::DeTable;
use toml::{Table, Value};

use crate::policy::file::PolicyFile;
use crate::policy::places::{line, span_of};
use crate::policy::values::Share;
use crate::policy::{GateAnswer, NoiseFrom, Policy};

impl PolicyFile {
    /// The file with every default written out that is the same for all commands.
    fn over_defaults(&self) -> Self {
        let usual = Policy::default();
        let mut all = self.clone();
        all.confidence.get_or_insert(usual.confidence);
        all.across.get_or_insert_with(|| "mean".to_owned());
        all.resamples.get_or_insert(u32::try_from(usual.resampling.count).unwrap_or(u32::MAX));
        all.seed.get_or_insert(usual.resampling.seed);
        all.noise.get_or_insert(NoiseFrom::default());
        all.tolerance.get_or_insert(Share(usual.tolerance));
        all.gate.no_verdict.get_or_insert(GateAnswer::default());
        all.gate.not_comparable.get_or_insert(GateAnswer::default());
        all
    }

    /// What is in force as TOML, a line a value, each with the place that says it: `default`, or a line of
    /// the file `name` that holds `text` and was read into this.
    ///
    /// Keys without a value have no line. The result is itself a file that means the same.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::policy::PolicyFile;
    ///
    /// let text = "tolerance = \"3 %\"";
    /// let file = PolicyFile::parse(text, "beyondnoise.toml")?;
    /// let shown = file.in_force(text, "beyondnoise.toml");
    /// assert!(shown.contains("tolerance = 0.03  # beyondnoise.toml, line 1"));
    /// assert!(shown.contains("confidence = 0.95  # default"));
    /// # Ok::<(), beyondnoise::error::Error>(())
    /// ```
    pub fn in_force(&self, text: &str, name: &str) -> String {
        let written = DeTable::parse(text).map(toml::Spanned::into_inner).unwrap_or_default();
        let origin = |keys: &[String]| {
            span_of(&written, keys).map_or_else(
                || "default".to_owned(),
                |span| format!("{name}, line {}", line(text, span.start)),
            )
        };
        let as_written = |keys: &[String]| {
            let written = text.get(span_of(&written, keys)?)?;
            Some(written).filter(|text| text.starts_with(['"', '\'']) && !text.contains('\n'))
        };
        let all = Table::try_from(self.over_defaults()).unwrap_or_default();
        let mut out = String::new();
        write_table(&mut out, &[], &all, &|keys, value| {
            // A share above 1 can only be written as a percentage.
            let large = value.as_float().is_some_and(|value| value > 1.0);
            let shown = as_written(keys).filter(|_| large);
            let shown = shown.map_or_else(|| value.to_string(), str::to_owned);
            format!("{shown}  # {}", origin(keys))
        });
        out
    }
}

/// Values first, then the tables below, each under its heading; `shown` is what stands behind a key.
fn write_table(
    out: &mut String,
    above: &[String],
    table: &Table,
    shown: &impl Fn(&[String], &Value) -> String,
) {
    let keys = |key: &str| [above, &[key.to_owned()]].concat();
    for (key, value) in table.iter().filter(|(_, value)| !value.is_table()) {
        writeln!(out, "{} = {}", quoted(key), shown(&keys(key), value))
            .expect("writing to a String cannot fail");
    }
    for (key, value) in table {
        let Value::Table(inner) = value else { continue };
        let path = keys(key);
        // A section of a metric names it, if nothing else.
        if !above.is_empty() || inner.values().any(|value| !value.is_table()) {
            let heading: Vec<String> = path.iter().map(|key| quoted(key)).collect();
            writeln!(out, "\n[{}]", heading.join(".")).expect("writing to a String cannot fail");
        }
        write_table(out, &path, inner, shown);
    }
}

/// A key, in quotes where it needs them.
fn quoted(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !key.is_empty() && key.chars().all(bare) {
        key.to_owned()
    } else {
        Value::String(key.to_owned()).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_above_100_stays_one() {
        let text = "tolerance = \"250 %\"\n[metrics.x]\nmargin = '1000%'";
        let file = PolicyFile::parse(text, "b.toml").unwrap();
        let shown = file.in_force(text, "b.toml");
        let again = PolicyFile::parse(&shown, "shown").unwrap();
        assert_eq!(again.policy().unwrap(), file.policy().unwrap());
        assert!(shown.contains("tolerance = \"250 %\"  # b.toml, line 1"), "{shown}");
    }

    #[test]
    fn what_is_in_force_reads_back_as_the_same_policy() {
        let text = "deciding = [\"duration\"]\n[metrics.\"my metric\"]\nbetter = \"lower\"\nmargin = \"3 %\"\n\
                    [checks]\nnoisy_warn = \"4 %\"\n[gate]\nno_verdict = \"fail\"";
        let file = PolicyFile::parse(text, "b.toml").unwrap();
        let shown = file.in_force(text, "b.toml");
        let again = PolicyFile::parse(&shown, "shown").unwrap();
        assert_eq!(again.policy().unwrap(), file.policy().unwrap());
        assert!(shown.contains("noisy_warn = 0.04  # b.toml, line 6"), "{shown}");
        assert!(shown.contains("[metrics.\"my metric\"]"), "{shown}");
        let named = PolicyFile::parse("[metrics.duration]", "b.toml").unwrap();
        let shown = named.in_force("[metrics.duration]", "b.toml");
        let again = PolicyFile::parse(&shown, "shown").unwrap();
        assert_eq!(again.policy().unwrap(), named.policy().unwrap());
        assert!(shown.ends_with("\n[metrics.duration]\n"), "{shown}");
    }
}
