//! Families of metrics, and the statistics that reduce a run's requests to one value.

/// Quantity of a metric; metrics of one family are alternatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Work per second, and the duration of a fixed amount of work: one quantity in several forms.
    Throughput,
    /// Time to first token.
    Ttft,
    /// Time per output token after the first.
    Tpot,
    /// Gap between consecutive chunks of the stream.
    Itl,
    /// End-to-end latency of a request.
    E2el,
    /// Requests within their latency goals.
    Goodput,
    /// Any other quantity.
    Other,
}

/// Statistic over a run's requests that gives the run's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// Mean over the requests.
    Mean,
    /// Median over the requests.
    Median,
    /// Quantile over the requests, at this level in (0, 1).
    Quantile(f64),
    /// Standard deviation over the requests.
    Deviation,
    /// Largest, smallest or peak value of the run.
    Extreme,
    /// A total of the run: a rate, a duration.
    Total,
    /// Unknown statistic.
    Unknown,
}

impl Statistic {
    /// The word in reports: `mean`, `median`, `p99`, ...
    pub fn word(self) -> String {
        match self {
            Self::Mean => "mean".to_owned(),
            Self::Median => "median".to_owned(),
            Self::Quantile(q) => format!("p{}", percent_digits(q)),
            Self::Deviation => "std".to_owned(),
            Self::Extreme => "extreme".to_owned(),
            Self::Total => "total".to_owned(),
            Self::Unknown => "unknown".to_owned(),
        }
    }
}

/// `99` for 0.99, `99.9` for 0.999.
pub(super) fn percent_digits(q: f64) -> String {
    // Rounding removes the error of the division by 100.
    format!("{}", (q * 1e8).round() / 1e6)
}
