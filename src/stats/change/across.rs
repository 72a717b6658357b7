//! The statistics that may be taken over the runs of a variant: one entry of a list each.

use std::fmt;

use crate::change::hodges_lehmann::HODGES_LEHMANN;
use crate::runs::statistic::{Basis, Statistic, mean, quantile};

const MEAN: Statistic = Statistic {
    name: "mean",
    alias: None,
    words: "mean",
    meaning: "Arithmetic mean",
    compute: |sorted, _| mean(sorted),
    basis: Basis::Mean,
};

const MEDIAN: Statistic = Statistic {
    name: "median",
    alias: Some("p50"),
    words: "median",
    meaning: "Median",
    compute: |sorted, _| quantile(sorted, 0.5),
    basis: Basis::Order(5),
};

const QUANTILE: Statistic = Statistic {
    name: "quantile",
    alias: None,
    words: "quantile",
    meaning: "Quantile at a level",
    compute: quantile,
    basis: Basis::Order(0),
};

/// The statistics that have a name; a quantile has its level.
static STATISTICS: &[&Statistic] = &[&MEAN, &MEDIAN, &HODGES_LEHMANN];

/// The statistic taken over the runs of a variant.
#[derive(Clone, Copy)]
pub struct Across {
    statistic: &'static Statistic,
    level: f64,
}

impl Across {
    /// Arithmetic mean, the default.
    pub const MEAN: Self = Self::of(&MEAN);

    /// Median: one slow run cannot move it.
    pub const MEDIAN: Self = Self::of(&MEDIAN);

    /// Hodges and Lehmann's centre, the median of the means of all pairs of runs: nearly as precise as the mean where
    /// noise is normal, much more where some runs are wild.
    pub const HODGES_LEHMANN: Self = Self::of(&HODGES_LEHMANN);

    const fn of(statistic: &'static Statistic) -> Self {
        Self { statistic, level: 0.5 }
    }

    /// Quantile at this level in (0, 1); needs many runs, see [`Across::runs_needed`].
    pub const fn quantile(level: f64) -> Self {
        Self { statistic: &QUANTILE, level }
    }

    /// Reads a name or an alias, or a quantile such as `p99`.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::Across;
    ///
    /// assert_eq!(Across::parse("hl"), Some(Across::HODGES_LEHMANN));
    /// assert_eq!(Across::parse("p99.9").unwrap().name(), "p99.9");
    /// assert_eq!(Across::parse("p100"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let named = |known: &&&Statistic| known.name == text || known.alias == Some(text);
        if let Some(statistic) = STATISTICS.iter().find(named) {
            return Some(Self::of(statistic));
        }
        let percent = text.strip_prefix('p')?.parse::<f64>().ok()?;
        (percent > 0.0 && percent < 100.0).then(|| Self::quantile(percent / 100.0))
    }

    /// The name of its statistic; that of every quantile is `quantile`.
    pub fn word(self) -> &'static str {
        self.statistic.name
    }

    /// The statistics that have a name, with their meaning for a help text; a quantile has its level.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::Across;
    ///
    /// let names: Vec<&str> = Across::named().map(|(across, _)| across.word()).collect();
    /// assert_eq!(names, ["mean", "median", "hodges-lehmann"]);
    /// ```
    pub fn named() -> impl Iterator<Item = (Self, &'static str)> {
        STATISTICS.iter().map(|statistic| (Self::of(statistic), statistic.meaning))
    }

    /// Its name as [`Across::parse`] reads it.
    pub fn name(self) -> String {
        if self.is_quantile() {
            // Rounding removes what the division by 100 leaves behind.
            return format!("p{}", (self.level * 1e12).round() / 1e10);
        }
        self.statistic.name.to_owned()
    }

    /// Its name in a sentence.
    pub fn words(self) -> String {
        if self.is_quantile() { self.name() } else { self.statistic.words.to_owned() }
    }

    /// Value of the statistic on ascending, finite, non-empty values.
    ///
    /// # Panics
    ///
    /// If `sorted` is empty.
    pub fn compute(self, sorted: &[f64]) -> f64 {
        (self.statistic.compute)(sorted, self.level)
    }

    /// Fewest runs at which the statistic can be estimated: `1 / (1 - q)` for an upper quantile
    /// and `1 / q` for a lower one, since below that it is an extreme value and nothing else.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::Across;
    ///
    /// assert_eq!(Across::quantile(0.99).runs_needed(), 100);
    /// assert_eq!(Across::MEDIAN.runs_needed(), 1);
    /// ```
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a level in (0, 1) gives a positive count; one beyond usize saturates"
    )]
    pub fn runs_needed(self) -> usize {
        if !self.is_quantile() {
            return 1;
        }
        // The small term keeps 1 / (1 - 0.99) at 100 in spite of rounding.
        (1.0 / self.level.min(1.0 - self.level) - 1e-9).ceil() as usize
    }

    /// Whether its interval is that of the rank sum test, whatever the method.
    pub fn has_rank_interval(self) -> bool {
        self.statistic.basis == Basis::RankSums
    }

    /// Level of an order statistic.
    pub fn quantile_level(self) -> Option<f64> {
        matches!(self.statistic.basis, Basis::Order(_)).then_some(self.level)
    }

    fn is_quantile(self) -> bool {
        self.statistic.name == QUANTILE.name
    }

    /// Whether it is a quantile beside the median.
    pub(crate) fn is_tail(self) -> bool {
        self.is_quantile() && self.level.min(1.0 - self.level) < 0.5
    }

    /// Whether its standard error is that of a mean, and not the spread of its resamples.
    pub(crate) fn is_centre(self) -> bool {
        matches!(self.statistic.basis, Basis::Mean | Basis::RankSums)
    }

    /// Whether the resamples of any number of runs have a distribution in closed form.
    pub(crate) fn has_closed_form(self) -> bool {
        matches!(self.statistic.basis, Basis::Order(_) | Basis::RankSums)
    }

    /// Whether the plain percentile interval of the statistic covers its level with so many runs.
    pub(crate) fn percentile_covers(self, runs: usize) -> bool {
        matches!(self.statistic.basis, Basis::Order(least) if runs >= least)
    }
}

impl PartialEq for Across {
    fn eq(&self, other: &Self) -> bool {
        self.statistic.name == other.statistic.name && self.level.total_cmp(&other.level).is_eq()
    }
}

impl fmt::Debug for Across {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_needed_are_those_that_have_a_run_beyond_the_level() {
        let needed = [0.5, 0.9, 0.1, 0.95, 0.99, 0.999].map(|q| Across::quantile(q).runs_needed());
        assert_eq!(needed, [2, 10, 10, 20, 100, 1000]);
        assert_eq!(Across::MEAN.runs_needed() + Across::HODGES_LEHMANN.runs_needed(), 2);
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in ["mean", "median", "hodges-lehmann", "p29", "p99.9", "p12.34567"] {
            assert_eq!(Across::parse(name).map(Across::name).as_deref(), Some(name));
        }
        assert_eq!(["p50", "p0", "q9"].map(Across::parse), [Some(Across::MEDIAN), None, None]);
    }
}
