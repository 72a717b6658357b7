//! The whole path with numbers that nobody measures: huge, tiny, denormal, equal, negative, zero.

use std::fmt::Write;

use crate::sound::everything;

/// Values that break sums, ratios and logarithms.
const ODD: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    1e-300,
    1e300,
    1e154,
    1e-160,
    1e16,
    9_007_199_254_740_993.0,
    0.1,
    1e-12,
    -1e300,
    100.0,
    100.000_000_1,
    99.999_999,
];
/// Names whose rules differ, the last without a direction.
const METRICS: &[&str] = &[
    "output_throughput",
    "mean_ttft_ms",
    "p99_ttft_ms",
    "mean_tpot_ms",
    "duration",
    "request_throughput",
    "median_itl_ms",
    "balance",
];

/// Takes numbers off the input.
struct Taker<'a>(&'a [u8]);

impl Taker<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// One of the odd ones, near another, or any at all.
    fn value(&mut self, near: f64) -> Option<f64> {
        let value = match self.byte()? {
            kind @ 0..80 => ODD[usize::from(kind) % ODD.len()],
            80..180 => near * (1.0 + (f64::from(self.byte()?) - 128.0) / 1e4),
            180..220 => near,
            _ => {
                let mut bytes = [0; 8];
                for byte in &mut bytes {
                    *byte = self.byte()?;
                }
                f64::from_bits(u64::from_le_bytes(bytes))
            }
        };
        Some(if value.is_finite() { value } else { near })
    }
}

/// A long table of up to four variants, three metrics and 50 runs each.
fn table(input: &[u8]) -> Option<String> {
    let mut taker = Taker(input);
    let mut text = "variant,run,metric,value\n".to_owned();
    let (variants, metrics) = (taker.byte()? % 3 + 2, taker.byte()? % 3 + 1);
    let first = usize::from(taker.byte()?);
    for metric in 0..usize::from(metrics) {
        let name = METRICS[(first + metric) % METRICS.len()];
        for variant in 0..variants {
            let runs = taker.byte()? % 50 + 1;
            let mut near = taker.value(100.0)?;
            for run in 0..runs {
                near = taker.value(near).unwrap_or(near);
                let plain = taker.0.first().is_none_or(|byte| byte % 2 == 0);
                let shown = if plain { format!("{near}") } else { format!("{near:e}") };
                writeln!(text, "v{variant},{run},{name},{shown}").expect("text");
            }
        }
    }
    Some(text)
}

pub(crate) fn check(input: &[u8]) {
    if let Some(text) = table(input) {
        everything("numbers.csv", text.as_bytes());
    }
}
