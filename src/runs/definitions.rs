//! How a client counts.

/// How a client counts, as its source code says; nothing is claimed of others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Definitions {
    /// Its rates are counts over the duration, and its P50 is the median. Others count over a window of their own, or
    /// take percentiles as one of the values.
    pub exact: bool,
    /// How it takes percentiles: [`BY_INTERPOLATION`] or [`ONE_OF_THE_VALUES`].
    pub percentiles: Option<&'static str>,
    /// How it takes the latency between tokens: [`OF_ALL_CHUNKS`] or [`MEAN_OF_EACH`].
    pub itl: Option<&'static str>,
}

/// A way to take percentiles.
pub const BY_INTERPOLATION: &str = "by interpolation";
/// A way to take percentiles.
pub const ONE_OF_THE_VALUES: &str = "as one of the values";
/// A way to take the latency between tokens.
pub const OF_ALL_CHUNKS: &str = "over the chunks of all requests";
/// A way to take the latency between tokens.
pub const MEAN_OF_EACH: &str = "as the mean of each request";

impl Definitions {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { exact: false, percentiles: None, itl: None };

    /// Rates and the P50 are what their names say; no more is known.
    pub const EXACT: Self = Self { exact: true, ..Self::UNKNOWN };

    /// In what two clients are known to differ: what they take, and how each takes it.
    pub(crate) fn differences(
        self,
        other: Self,
    ) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
        let both = [
            ("percentiles", self.percentiles.zip(other.percentiles)),
            ("ITL", self.itl.zip(other.itl)),
        ];
        both.into_iter()
            .filter_map(|(what, both)| both.map(|(a, b)| (what, a, b)))
            .filter(|(_, a, b)| a != b)
    }
}
