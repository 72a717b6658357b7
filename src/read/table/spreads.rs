//! Averages that state their spread: columns with a mean, its standard deviation and the number of runs behind it.

use crate::kit::fields;
use crate::table::named::Named;
use crate::table::records::Line;
use crate::table::role_words::{counts_runs, plain};
use beyondnoise_model::runs::{Run, Spread};

/// Runs behind an average: more are requests.
const MAX_AVERAGED_RUNS: f64 = 100.0;

/// Words for a standard deviation, alone or at an end of a name.
const DEVIATION: &[&str] =
    &["sd", "std", "stddev", "std_dev", "stdev", "standard_deviation", "标准差"];

/// The same for a mean.
const MEAN: &[&str] = &["mean", "avg", "average", "平均", "平均值", "均值"];

/// Which columns of a table belong to averages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spreads {
    /// The columns of a mean and of its standard deviation.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// The column with the number of runs.
    pub(crate) runs: Option<usize>,
}

impl Spreads {
    /// Finds them by their names; none without a column for the number of runs. `value` is the column of the values in
    /// the long layout.
    pub(crate) fn find(headers: &[String], value: Option<usize>) -> Self {
        let Some(runs) = headers.iter().position(|name| counts_runs(name)) else {
            return Self::default();
        };
        let pairs = pairs_of(headers, Some(runs), value);
        let runs = Some(runs).filter(|_| !pairs.is_empty());
        Self { pairs, runs }
    }

    /// Notes the spread of the average in the column `mean` of a row, if it states one.
    pub(crate) fn note(&self, row: Line, mean: usize, named: &Named, run: &mut Run) {
        let Some((_, sd)) = self.pairs.iter().find(|(at, _)| *at == mean) else { return };
        let number = |at: usize| fields::number(&row.cells[at]).map(|number| number.value);
        let text = &row.cells[*sd];
        let Some((sd, runs)) = number(*sd).zip(self.runs.and_then(number)) else { return };
        // A deviation in percent of a value in another unit is relative.
        let relative = text.ends_with('%') && !row.cells[mean].ends_with('%');
        let Some(value) = number(mean) else { return };
        let sd = if relative { (value * sd / 100.0).abs() } else { sd };
        let whole = runs.fract() == 0.0 && (1.0..=MAX_AVERAGED_RUNS).contains(&runs);
        if whole && sd.is_finite() && sd >= 0.0 {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "checked to be a whole number in range"
            )]
            let spread = Spread { sd: named.convert(sd), runs: runs as usize };
            run.info.spreads.insert(named.metric.to_string(), spread);
        }
    }
}

/// The columns of means and of their deviations, beside that with the number of runs.
pub(crate) fn pairs_of(
    headers: &[String],
    runs: Option<usize>,
    value: Option<usize>,
) -> Vec<(usize, usize)> {
    let stems: Vec<(String, Option<String>)> = headers
        .iter()
        .map(|name| {
            let plain = plain(name);
            let deviation = without(&plain, DEVIATION);
            (without(&plain, MEAN).unwrap_or(plain), deviation)
        })
        .collect();
    let mut pairs = Vec::new();
    for (sd, (_, stem)) in stems.iter().enumerate() {
        let Some(stem) = stem else { continue };
        let named = |at: usize| Some(at) != runs && !headers[at].trim().is_empty();
        let mut means = (0..headers.len()).filter(|&at| named(at) && stems[at].1.is_none());
        let mean =
            value.filter(|_| stem.is_empty()).or_else(|| means.find(|&at| stems[at].0 == *stem));
        // A deviation without a name is that of the only mean.
        let only = || {
            let named = |at: &usize| without(&plain(&headers[*at]), MEAN).is_some();
            let mut means = (0..headers.len()).filter(named);
            means.next().filter(|_| stem.is_empty() && means.next().is_none())
        };
        pairs.extend(mean.or_else(only).map(|mean| (mean, sd)));
    }
    pairs
}

/// Whether a name is a word for a deviation alone.
pub(crate) fn is_deviation(name: &str) -> bool {
    DEVIATION.contains(&&*plain(name))
}

/// A name without one of these words at an end; `None` where it has none.
fn without(plain: &str, words: &[&str]) -> Option<String> {
    words.iter().find_map(|word| {
        if plain == *word {
            return Some(String::new());
        }
        let before = plain.strip_prefix(word).and_then(|rest| rest.strip_prefix('_'));
        let after = || plain.strip_suffix(word).and_then(|rest| rest.strip_suffix('_'));
        before.or_else(after).map(str::to_owned)
    })
}
