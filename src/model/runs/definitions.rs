//! How a client computes its figures.

/// How a client computes its figures, by its source code; other clients are unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Definitions {
    /// Its rates are counts over the duration, and its P50 is the median. Other clients count over their own window, or take
    /// percentiles as one of the values.
    pub exact: bool,
    /// How it computes percentiles: [`BY_INTERPOLATION`] or [`ONE_OF_THE_VALUES`].
    pub percentiles: Option<&'static str>,
    /// How it computes the latency between tokens: [`OF_ALL_CHUNKS`] or [`MEAN_OF_EACH`].
    pub itl: Option<&'static str>,
}

/// Percentiles are interpolated between values.
pub const BY_INTERPOLATION: &str = "by interpolation";
/// Percentiles are measured values.
pub const ONE_OF_THE_VALUES: &str = "as one of the values";
/// The latency between tokens is pooled over all chunks.
pub const OF_ALL_CHUNKS: &str = "over the chunks of all requests";
/// The latency between tokens is averaged within each request.
pub const MEAN_OF_EACH: &str = "as the mean of each request";

impl Definitions {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { exact: false, percentiles: None, itl: None };

    /// Rates and the P50 follow their names; no more is known.
    pub const EXACT: Self = Self { exact: true, ..Self::UNKNOWN };

    /// The known differences between two clients: the figure, and how each computes it.
    pub fn differences(
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
