//! Metrics as people name them: `step_ms`, `step_ms:lower`.

use std::str::FromStr;

use crate::metrics::Metric;
use crate::policy::settings::Selected;
use crate::sanitize::printable;
use crate::units::Better;

impl FromStr for Selected {
    type Err = String;

    /// Reads a metric as typed: `NAME`, `NAME:lower` or `NAME:higher`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, better) = match text.rsplit_once(':') {
            // `request_goodput:` is a key of old result files.
            None | Some((_, "")) => (text, None),
            Some((name, "lower")) => (name, Some(Better::Lower)),
            Some((name, "higher")) => (name, Some(Better::Higher)),
            Some((_, other)) => {
                return Err(format!("expected lower or higher after the colon, not {other}"));
            }
        };
        // Names in files are escaped in the same way.
        let name = printable(name).into_owned();
        if name.is_empty() {
            return Err("expected the name of a metric".to_owned());
        }
        Ok(Self { name, better })
    }
}

impl Selected {
    /// The typed metrics under their canonical names, each once; the last direction counts.
    pub fn each_once(typed: &[Self]) -> Vec<Self> {
        let mut selected: Vec<Self> = Vec::new();
        for metric in typed {
            let name = Metric::of_column(&metric.name).0.name;
            match selected.iter_mut().find(|known| known.name == name) {
                Some(known) => known.better = metric.better.or(known.better),
                None => selected.push(Self { name, better: metric.better }),
            }
        }
        selected
    }
}
