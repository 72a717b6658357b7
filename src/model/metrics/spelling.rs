//! Names of columns with another unit than the registry's: `ttft_s`, `P99 ITL (us)`.

use crate::metrics::Metric;
use crate::units::Unit;

pub(super) mod words;

/// Units of time in the registry's names.
const OF_NAMES: [&str; 4] = ["ms", "s", "us", "ns"];

impl Metric {
    /// The metric that a column or a user means by this name, and the unit in the name.
    ///
    /// Case, blanks, underscores, brackets and word order do not matter: `TTFT_p99_ms` and `P99 TTFT (ms)` are one metric. A
    /// time may have any unit of time. The returned unit is the unit of the values, which may differ from the metric's.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_model::metrics::Metric;
    /// use beyondnoise_model::units::Unit;
    ///
    /// let (metric, unit) = Metric::of_column("ttft_s");
    /// assert_eq!((&*metric.name, unit), ("ttft_ms", Unit::Second));
    /// assert_eq!(Metric::of_column("my_score").0.name, "my_score");
    /// ```
    pub fn of_column(name: &str) -> (Self, Unit) {
        let name = name.trim();
        let exact = Self::known(name).or_else(|| Self::from_text(name));
        let own = |metric: Self| (metric.unit, metric);
        let (unit, metric) = exact
            .map(own)
            .or_else(|| in_another_unit(name))
            .or_else(|| words::spelled(name))
            .unwrap_or_else(|| own(Self::named(name)));
        (metric, unit)
    }
}

/// A time in the registry whose name differs in the unit of time.
fn in_another_unit(name: &str) -> Option<(Unit, Metric)> {
    let name = name.to_lowercase();
    let bracketed = name.strip_suffix([')', ']']).and_then(|rest| rest.rsplit_once(['(', '[']));
    let (stem, unit) = bracketed.or_else(|| name.rsplit_once(['_', ' ']))?;
    let unit = Unit::of_word(unit).filter(|unit| unit.nanoseconds().is_some())?;
    let (key, text) = (stem.trim().replace([' ', '-'], "_"), stem.trim().replace('_', " "));
    let is_time = |metric: &Metric| metric.unit.nanoseconds().is_some();
    let in_unit = |own: &&str| {
        let known = Metric::known(&format!("{key}_{own}"));
        known.or_else(|| Metric::from_text(&format!("{text} ({own})"))).filter(is_time)
    };
    let registered = OF_NAMES.iter().find_map(in_unit);
    Some((unit, registered.or_else(|| Metric::known(&key).filter(is_time))?))
}
