//! Limits of a service level objective: `p99_ttft_ms<500`, `ttft_p99 <= 0.5s`, `output_tok_s_per_user>30`.

use std::fmt;

use crate::metrics::Metric;
use crate::units::{Better, Unit, nanoseconds};

/// A limit that a server must keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Slo {
    /// Canonical name of the metric.
    pub metric: String,
    /// Whether its values must be below the limit, else above.
    pub below: bool,
    /// Whether the limit itself is allowed.
    pub inclusive: bool,
    /// The limit, in the unit of the metric; positive.
    pub value: f64,
}

impl Slo {
    /// Name of the capacity as a guard.
    pub const CAPACITY: &str = "capacity";

    /// Name of the limits as guards: the gate fails if the baseline meets a limit and the candidate is shown to break it.
    pub const GUARD: &str = "slo";

    /// Metrics that can measure a capacity; the first that both variants have counts.
    pub const THROUGHPUTS: [&str; 3] =
        ["request_throughput", "output_throughput", "total_token_throughput"];

    /// Reads a limit: the name of a metric as for `--metric`, `<`, `<=`, `>` or `>=`, and a number in the unit of that name or
    /// with its own unit.
    ///
    /// # Errors
    ///
    /// A message with the expected form.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise::policy::Slo;
    ///
    /// let slo = Slo::parse("P99 TTFT <= 0.5s").unwrap();
    /// assert_eq!((&*slo.metric, slo.value, slo.below), ("p99_ttft_ms", 500.0, true));
    /// assert!(Slo::parse("output_throughput<100").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let example = "such as 'p99_ttft_ms<500'";
        let at = text
            .find(['<', '>'])
            .ok_or_else(|| format!("expected a metric, < or >, and a limit, {example}"))?;
        let (name, rest) = text.split_at(at);
        let below = rest.starts_with('<');
        let rest = &rest[1..];
        let (inclusive, limit) = rest.strip_prefix('=').map_or((false, rest), |rest| (true, rest));
        if name.trim().is_empty() {
            return Err(format!("expected a metric before the limit, {example}"));
        }
        let (metric, stated) = Metric::of_column(name);
        // In a limit the unit may follow the number.
        let (metric, stated) = Some(Metric::of_column(&format!("{name} (ms)")))
            .filter(|(timed, _)| {
                Metric::known(&metric.name).is_none() && Metric::known(&timed.name).is_some()
            })
            .unwrap_or((metric, stated));
        let wrong_side = if below { Better::Higher } else { Better::Lower };
        if metric.better == Some(wrong_side) {
            let sign = if below { '>' } else { '<' };
            let word = wrong_side.word();
            return Err(format!("{} is better when {word}: expected {sign}", metric.label));
        }
        let limit = limit.trim();
        let end = limit.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(limit.len());
        let (number, unit) = (&limit[..end], limit[end..].trim());
        let value = number.parse::<f64>().ok().filter(|value| *value > 0.0 && value.is_finite());
        let value = value.ok_or_else(|| format!("expected a limit above 0, {example}"))?;
        let factor = factor(unit, stated, metric.unit).ok_or_else(|| {
            let own = metric.unit.symbol();
            let own = if own.is_empty() { "no unit" } else { own };
            format!("expected a limit in {own} for {}, found {unit}", metric.label)
        })?;
        Ok(Self { metric: metric.name, below, inclusive, value: value * factor })
    }

    /// Whether a value meets the limit.
    pub fn holds(&self, value: f64) -> bool {
        let inside = if self.below { value < self.value } else { value > self.value };
        inside || self.inclusive && value.total_cmp(&self.value).is_eq()
    }

    /// The side of the limit that meets it: `<`, `<=`, `>` or `>=`.
    pub fn sign(&self) -> &'static str {
        match (self.below, self.inclusive) {
            (true, false) => "<",
            (true, true) => "<=",
            (false, false) => ">",
            (false, true) => ">=",
        }
    }
}

impl fmt::Display for Slo {
    /// The form that [`Slo::parse`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.metric, self.sign(), self.value)
    }
}

/// Factor from the unit of a limit, or else of the name, to the metric's unit.
fn factor(word: &str, stated: Unit, own: Unit) -> Option<f64> {
    let own_time = own.nanoseconds();
    if word.is_empty() {
        let from = stated.nanoseconds();
        return Some(from.zip(own_time).map_or(1.0, |(from, own)| ratio(from, own)));
    }
    let lower = word.to_lowercase();
    if lower == own.symbol().to_lowercase() {
        return Some(1.0);
    }
    nanoseconds(&lower).zip(own_time).map(|(from, own)| ratio(from, own))
}

/// A ratio of two powers of ten, as the nearest number.
fn ratio(from: f64, to: f64) -> f64 {
    if from >= to { (from / to).round() } else { 1.0 / (to / from).round() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_read_in_any_unit_of_its_kind() {
        for (text, expected) in [
            ("p99_ttft_ms<500", "p99_ttft_ms<500"),
            ("p99_ttft_ms < 0.5 s", "p99_ttft_ms<500"),
            ("ttft_p99_s<=0.25", "p99_ttft_ms<=250"),
            ("mean TPOT (ms)<40ms", "mean_tpot_ms<40"),
            ("mean TPOT<0.04s", "mean_tpot_ms<40"),
            ("output_throughput>=100 tok/s", "output_throughput>=100"),
            ("my_score>3", "my_score>3"),
        ] {
            assert_eq!(
                Slo::parse(text).map(|slo| slo.to_string()),
                Ok(expected.to_owned()),
                "{text}"
            );
        }
        for wrong in [
            "p99_ttft_ms",
            "<500",
            "p99_ttft_ms<",
            "p99_ttft_ms<-1",
            "p99_ttft_ms>500",
            "mean_tpot_ms<4 tok/s",
            "x<1e3",
        ] {
            assert!(Slo::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_limit_itself_is_allowed_if_the_sign_says_so() {
        let holds = |text: &str, value| Slo::parse(text).map(|slo| slo.holds(value));
        assert_eq!(holds("mean_tpot_ms<40", 40.0), Ok(false));
        assert_eq!(holds("mean_tpot_ms<=40", 40.0), Ok(true));
        assert_eq!(holds("my_score>3", 3.5), Ok(true));
    }
}
