//! The policy file `beyondnoise.toml`: the decisions of a team for all its comparisons.
//!
//! Every key is optional. An unknown key is an error: if a misspelt tolerance were ignored, a regression could pass.

use std::ops::Range;

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use crate::error::Error;
use crate::metrics::Metric;
use crate::policy::places::{at, one_line, span_of};
use crate::policy::setting::Setting;
use crate::policy::settings::{MetricPolicy, OF_METRIC, SETTINGS, Settings};
use crate::policy::thresholds::THRESHOLDS;
use crate::sanitize::is_printable;

/// Default name of the file.
pub const FILE_NAME: &str = "beyondnoise.toml";

/// A policy file that is being read.
struct File<'a> {
    path: &'a str,
    text: &'a str,
    document: DeTable<'a>,
}

impl Settings {
    /// Reads the text of a policy file over these settings; `path` appears in messages.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] with the line, for text that is not TOML, an unknown key (with the nearest known key), or a value that
    /// its key does not allow.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::policy::Settings;
    ///
    /// let wrong = Settings::default().with_file("tolerence = \"3 %\"", "beyondnoise.toml").unwrap_err();
    /// assert!(wrong.to_string().contains("did you mean tolerance?"));
    /// ```
    pub fn with_file(mut self, text: &str, path: &str) -> Result<Self, Error> {
        let failed = |error: &toml::de::Error| {
            let problem = format!("expected TOML, found {}", one_line(error.message()));
            at(path, text, error.span(), problem, "see data/beyondnoise.toml for every key")
        };
        let document = DeTable::parse(text).map_err(|error| failed(&error))?.into_inner();
        let values: Table = toml::from_str(text).map_err(|error| failed(&error))?;
        let file = File { path, text, document };
        file.check_printable()?;
        for key in file.keys(&[]) {
            let value = &values[&key];
            let sections = SETTINGS.iter().any(|setting| setting.section == key);
            match key.as_str() {
                "metrics" => self.read_metrics(&file, value),
                "checks" => file.read(THRESHOLDS, &["checks"], value, &mut self.policy.thresholds),
                section if sections => file.read(SETTINGS, &[section], value, &mut self),
                key => file.read_key(SETTINGS, &[key], value, &mut self),
            }?;
        }
        Ok(self)
    }

    fn read_metrics(&mut self, file: &File, value: &Value) -> Result<(), Error> {
        let sections = file.table(&["metrics"], value)?;
        for name in file.keys(&["metrics"]) {
            let keys = ["metrics", name.as_str()];
            let mut policy = MetricPolicy::default();
            file.read(OF_METRIC, &keys, &sections[&name], &mut policy)?;
            let metric = Metric::named(&name).name;
            if self.policy.metrics.contains_key(&metric) {
                let problem = format!("expected every metric once, found {metric} under two names");
                return Err(file.error(&keys, problem, "remove one of them"));
            }
            self.policy.metrics.insert(metric, policy);
        }
        Ok(())
    }
}

impl File<'_> {
    /// The keys of the table at `keys`, in the order of the file.
    fn keys(&self, keys: &[&str]) -> Vec<String> {
        let mut table = &self.document;
        for key in keys {
            match table.get(*key).map(Spanned::get_ref) {
                Some(DeValue::Table(inner)) => table = inner,
                _ => return Vec::new(),
            }
        }
        let mut all: Vec<_> = table.keys().collect();
        all.sort_by_key(|key| key.span().start);
        all.into_iter().map(|key| key.get_ref().to_string()).collect()
    }

    fn error(&self, keys: &[&str], problem: String, remedy: &str) -> Error {
        at(self.path, self.text, span_of(&self.document, keys), problem, remedy)
    }

    fn table<'v>(&self, keys: &[&str], value: &'v Value) -> Result<&'v Table, Error> {
        value.as_table().ok_or_else(|| {
            let section = keys.join(".");
            let problem = format!("{section}: expected a section, found {value}");
            self.error(keys, problem, &format!("write [{section}] on a line of its own"))
        })
    }

    fn read<S>(
        &self,
        settings: &[Setting<S>],
        keys: &[&str],
        value: &Value,
        target: &mut S,
    ) -> Result<(), Error> {
        let table = self.table(keys, value)?;
        self.keys(keys).iter().try_for_each(|key| {
            self.read_key(settings, &[keys, &[key]].concat(), &table[key], target)
        })
    }

    fn read_key<S>(
        &self,
        settings: &[Setting<S>],
        keys: &[&str],
        value: &Value,
        target: &mut S,
    ) -> Result<(), Error> {
        let (key, above) = keys.split_last().map_or(("", &[][..]), |(key, above)| (*key, above));
        let section = above.first().copied().unwrap_or_default();
        let known = settings.iter().filter(|setting| setting.section == section);
        if let Some(setting) = known.clone().find(|setting| setting.key == key) {
            return (setting.read)(target, key, value)
                .map_err(|(problem, remedy)| self.error(keys, problem, &remedy));
        }
        let mut known: Vec<&str> = known.map(|setting| setting.key).collect();
        if section.is_empty() {
            known.extend(["metrics", "checks"]);
            known.extend(settings.iter().map(|setting| setting.section));
            known.retain(|key| !key.is_empty());
        }
        Err(self.unknown(keys, known))
    }

    /// The error for an unknown key: it names the most similar known key.
    fn unknown(&self, keys: &[&str], mut known: Vec<&str>) -> Error {
        known.sort_unstable();
        known.dedup();
        let key = keys.last().copied().unwrap_or_default();
        let meant = known
            .iter()
            // A misspelt key is not much longer than the right one.
            .filter(|_| key.len() <= 64)
            .map(|known| (strsim::damerau_levenshtein(known, key), known))
            .min()
            .filter(|(distance, _)| *distance <= 2 + key.len() / 4);
        let remedy = match meant {
            Some((_, meant)) => format!("did you mean {meant}?"),
            None => format!("known here are {}", known.join(", ")),
        };
        self.error(keys, format!("expected a key that is known, found {key}"), &remedy)
    }

    /// Refuses control characters and invisible characters.
    fn check_printable(&self) -> Result<(), Error> {
        fn in_table(table: &DeTable) -> Option<Range<usize>> {
            table.iter().find_map(|(key, value)| {
                let hidden = !is_printable(key.get_ref());
                if hidden { Some(key.span()) } else { in_value(value.get_ref(), value.span()) }
            })
        }
        fn in_value(value: &DeValue, span: Range<usize>) -> Option<Range<usize>> {
            match value {
                DeValue::String(text) => (!is_printable(text)).then_some(span),
                DeValue::Array(items) => items.iter().find_map(|i| in_value(i.get_ref(), i.span())),
                DeValue::Table(table) => in_table(table),
                _ => None,
            }
        }
        in_table(&self.document).map_or(Ok(()), |span| {
            let problem =
                "expected visible text on one line, found a control character or one without width";
            let remedy = "type the text again, without it";
            Err(at(self.path, self.text, Some(span), problem.to_owned(), remedy))
        })
    }
}
