//! Many series at once: a p-value for lists, nights that several share, and one series made of all: step 10.

use std::collections::BTreeSet;

use super::History;
use super::noise::median;

impl History {
    /// Share of unchanged series that enter a list of alarms: 0.3 % of series of 120 nights, 0.8 % of series of 30.
    pub const FALSE_IN_LIST: (f64, f64) = (0.003, 0.01);
}

/// Chance that a shared night is reported in an unchanged job.
const CHANCE: f64 = 0.001;

/// Share of unchanged series with a change, and nights that an interval of a date usually has, for that chance.
const ALARMS: f64 = 0.005;
const WIDTH: f64 = 3.0;

/// Widest interval of a date that can share a night: a wider one holds any night.
const WIDEST: usize = 7;

/// Scores of the pooled series are clipped here.
const CLIP: f64 = 5.0;

impl History {
    /// Chance that the largest contrast of an unchanged series of `nights` nights is at least `z`, for
    /// [`FalseDiscovery`](crate::Adjustment::FalseDiscovery) over the series of a job. 1 where nothing changed.
    ///
    /// Calibrated on unchanged series of all kinds of the promise: of 120 nights 0.28 % are beyond 4.2, 0.13 % beyond 5 and
    /// 0.04 % beyond 6; of 30 nights 0.75, 0.50 and 0.18 %, so below 60 nights it is doubled.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::history::History;
    ///
    /// assert_eq!(History::list_p_value(None, 120), 1.0);
    /// assert!((History::list_p_value(Some(-4.2), 120) - 0.005).abs() < 1e-12);
    /// assert!(History::list_p_value(Some(6.0), 30) > History::list_p_value(Some(6.0), 120));
    /// ```
    pub fn list_p_value(z: Option<f64>, nights: usize) -> f64 {
        let Some(z) = z else { return 1.0 };
        let short = if nights < 60 { 2.0 } else { 1.0 };
        (short * 0.005 * (-1.1 * (z.abs() - super::contrast::BAR)).exp()).min(1.0)
    }
}

/// A change of a series with the nights that may be its first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dated {
    /// Number of the series' cell: several series of one cell count once.
    pub cell: usize,
    /// First and last possible night of the change, in a numbering of nights that all series share.
    pub first: usize,
    /// See `first`.
    pub last: usize,
}

/// A night on which several cells changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The night that most cells share.
    pub night: usize,
    /// Positions of the changes, in the order given.
    pub changes: Vec<usize>,
}

/// Fewest cells that make a shared night: it is the smallest number, at least 2, that a night of an unchanged job
/// reaches with a chance of 0.1 % over all nights. 4 for 500 cells of 120 nights.
fn fewest(cells: usize, nights: usize) -> usize {
    let nights = nights.max(1) as f64;
    let mean = cells as f64 * ALARMS * (WIDTH / nights).min(1.0);
    let (mut term, mut below) = ((-mean).exp(), 0.0);
    let mut count = 0;
    while count < 2 || nights * (1.0 - below) > CHANCE {
        below += term;
        count += 1;
        term *= mean / f64::from(count);
        // Rounding ends what counting does not.
        if count > 10_000 {
            break;
        }
    }
    count as usize
}

impl Shared {
    /// The nights that several of `cells` cells share, over `nights` nights, the one with most cells first. A change belongs to
    /// one night at most.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::history::{Dated, Shared};
    ///
    /// let dated = |cell, first, last| Dated { cell, first, last };
    /// let changes = [dated(0, 40, 41), dated(1, 40, 40), dated(2, 38, 40), dated(3, 40, 42), dated(4, 77, 77)];
    /// let shared = Shared::nights(&changes, 500, 120);
    /// assert_eq!((shared.len(), shared[0].night, &shared[0].changes[..]), (1, 40, &[0, 1, 2, 3][..]));
    /// ```
    pub fn nights(changes: &[Dated], cells: usize, nights: usize) -> Vec<Shared> {
        let fewest = fewest(cells, nights);
        let mut open: BTreeSet<usize> = (0..changes.len()).collect();
        open.retain(|at| changes[*at].last - changes[*at].first < WIDEST);
        let mut shared = Vec::new();
        loop {
            let holding = |night: usize| -> Vec<usize> {
                let holds = |at: &usize| (changes[*at].first..=changes[*at].last).contains(&night);
                open.iter().copied().filter(holds).collect()
            };
            let cells = |held: &[usize]| {
                held.iter().map(|at| changes[*at].cell).collect::<BTreeSet<_>>().len()
            };
            let candidates: BTreeSet<usize> =
                open.iter().flat_map(|at| changes[*at].first..=changes[*at].last).collect();
            let each = candidates.into_iter().map(|night| (night, holding(night)));
            let best = each
                .max_by_key(|(night, held)| (cells(held), held.len(), std::cmp::Reverse(*night)));
            match best.filter(|(_, held)| cells(held) >= fewest) {
                Some((night, held)) => {
                    for at in &held {
                        open.remove(at);
                    }
                    shared.push(Shared { night, changes: held });
                }
                None => return shared,
            }
        }
    }
}

impl History {
    /// One series of many cells: for each night the median of the cells' clipped scores, each about the cell's own
    /// median.
    ///
    /// A cell is its value on each night, `None` where it was not measured, with its standard deviation of a night, both in
    /// one scale. The result is `None` on nights that fewer than half of the cells have. Its own noise holds all that the cells
    /// share, so they need not be independent: judge it with [`History::of_raw`].
    ///
    /// # Examples
    ///
    /// ```
    /// let cell = |shift: f64| (vec![Some(shift), Some(shift + 0.1), Some(shift + 0.2), None], 0.1);
    /// let pooled = beyondnoise_stats::history::History::pooled(&[cell(0.0), cell(5.0), cell(9.0)]);
    /// assert!((pooled[2].unwrap() - 1.0).abs() < 1e-12);
    /// assert_eq!(pooled[3], None);
    /// ```
    pub fn pooled(cells: &[(Vec<Option<f64>>, f64)]) -> Vec<Option<f64>> {
        let nights = cells.iter().map(|(values, _)| values.len()).max().unwrap_or(0);
        let centred: Vec<(f64, &(Vec<Option<f64>>, f64))> = cells
            .iter()
            .filter_map(|cell| {
                let mut known: Vec<f64> = cell.0.iter().flatten().copied().collect();
                (!known.is_empty() && cell.1 > 0.0).then(|| (median(&mut known), cell))
            })
            .collect();
        let on = |night: usize| {
            let scores = centred.iter().filter_map(|(centre, (values, sd))| {
                let value = (*values.get(night)?)?;
                Some(((value - centre) / sd).clamp(-CLIP, CLIP))
            });
            let mut scores: Vec<f64> = scores.collect();
            (!scores.is_empty() && 2 * scores.len() >= cells.len()).then(|| median(&mut scores))
        };
        (0..nights).map(on).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Poisson tails by hand: the mean of a night is 500 · 0.005 · 3 / 120 = 0.0625; P(3 or more) = 3.9e-5 and P(4 or more)
    /// = 6.0e-7, times 120 nights 0.0047 and 0.00007.
    #[test]
    fn four_cells_of_five_hundred_make_a_shared_night() {
        assert_eq!(fewest(500, 120), 4);
        assert_eq!(fewest(10, 120), 2);
        assert_eq!(fewest(0, 0), 2);
    }
}
