//! Variance components of nested repeats: how much each level varies, and what it adds to the noise of the mean.

use std::collections::{BTreeMap, BTreeSet};

/// A run of nested repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// The number of its unit at each level, from outer to inner; the last one numbers the run itself.
    pub path: Vec<usize>,
    /// Its value.
    pub mean: f64,
    /// Standard deviation and number of the values that it averages, where there are several.
    pub inside: Option<(f64, usize)>,
}

/// How one level of nested repeats varies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelVariance {
    /// Units of the level, over all.
    pub units: usize,
    /// Variance between the units of one outer unit beyond the part that the levels inside explain; at least 0. `None`
    /// if no outer unit has two units.
    pub variance: Option<f64>,
    /// Its contribution to the variance of the overall mean.
    pub of_mean: f64,
}

/// A unit of a level: its mean, the variance of that mean given the unit, and what it weighs in the mean of all.
#[derive(Clone, Copy, Debug)]
struct Node {
    mean: f64,
    error: f64,
}

impl LevelVariance {
    /// The variance components of every level, from outer to inner, then of the values inside a run if it has several.
    /// Empty for paths of different lengths.
    ///
    /// By the method of moments: from the sample variance of the means of a level, inside one outer unit, the part is taken
    /// off that the levels inside leave in a mean. With equal numbers these are the T² of Kalibera and Jones. Inside a unit
    /// all parts weigh the same, whatever their number.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_stats::{Leaf, LevelVariance};
    ///
    /// // Two machines of two starts each, by hand: starts vary by 2, machine means 2 and 6 by 8, of which 2 / 2 is theirs.
    /// let leaf = |path: [usize; 2], mean| Leaf { path: path.into(), mean, inside: None };
    /// let runs = [leaf([0, 0], 1.0), leaf([0, 1], 3.0), leaf([1, 0], 5.0), leaf([1, 1], 7.0)];
    /// let found = LevelVariance::of(&runs);
    /// assert_eq!(found[0].variance, Some(7.0));
    /// assert_eq!(found[1].variance, Some(2.0));
    /// assert_eq!((found[0].of_mean, found[1].of_mean), (3.5, 0.5));
    /// ```
    ///
    /// # References
    ///
    /// T. Kalibera, R. Jones. Rigorous benchmarking in reasonable time. *ISMM*, 2013.
    pub fn of(runs: &[Leaf]) -> Vec<LevelVariance> {
        let levels = runs.first().map_or(0, |run| run.path.len());
        if levels == 0 || runs.iter().any(|run| run.path.len() != levels) {
            return Vec::new();
        }
        let inside = inside(runs);
        let mut found = Vec::new();
        let mut nodes: BTreeMap<&[usize], Node> = BTreeMap::new();
        for run in runs {
            let error = inside.map_or(0.0, |all| all / leaf_count(run));
            nodes.insert(&run.path, Node { mean: run.mean, error });
        }
        for level in (0..levels).rev() {
            let mut parents: BTreeMap<&[usize], Vec<Node>> = BTreeMap::new();
            for (path, node) in &nodes {
                parents.entry(&path[..level]).or_default().push(*node);
            }
            let variance = between(parents.values());
            found.push((nodes.len(), variance));
            let own = variance.unwrap_or(0.0);
            nodes = parents
                .into_iter()
                .map(|(path, parts)| {
                    let n = parts.len() as f64;
                    let mean = parts.iter().map(|part| part.mean / n).sum();
                    let error = parts.iter().map(|part| (part.error + own) / (n * n)).sum();
                    (path, Node { mean, error })
                })
                .collect();
        }
        found.reverse();
        let weights = weights(runs, levels);
        let mut all: Vec<LevelVariance> = found
            .into_iter()
            .enumerate()
            .map(|(level, (units, variance))| {
                let variance = variance.map(|variance| variance.max(0.0));
                let squares = weights[level].values().map(|weight| weight * weight).sum::<f64>();
                LevelVariance { units, variance, of_mean: variance.unwrap_or(0.0) * squares }
            })
            .collect();
        if let Some(variance) = inside {
            let units = runs.iter().map(|run| run.inside.map_or(1, |(_, n)| n)).sum();
            let weight = |run: &Leaf| weights[levels - 1][&run.path[..]];
            let of_mean =
                runs.iter().map(|run| variance * weight(run).powi(2) / leaf_count(run)).sum();
            all.push(LevelVariance { units, variance: Some(variance), of_mean });
        }
        all
    }
}

fn leaf_count(run: &Leaf) -> f64 {
    run.inside.map_or(1.0, |(_, n)| n.max(1) as f64)
}

/// Variance of the values inside a run, pooled over the runs; `None` where no run has two.
fn inside(runs: &[Leaf]) -> Option<f64> {
    let parts = runs.iter().filter_map(|run| run.inside).filter(|(_, n)| *n > 1);
    let (squares, df) = parts.fold((0.0, 0.0), |(squares, df), (sd, n)| {
        let own = n as f64 - 1.0;
        (squares + own * sd * sd, df + own)
    });
    (df > 0.0).then(|| squares / df)
}

/// The variance between the parts of one unit, beyond the error of their means; may be negative.
fn between<'a>(units: impl Iterator<Item = &'a Vec<Node>>) -> Option<f64> {
    let (mut squares, mut errors, mut df) = (0.0, 0.0, 0.0);
    for parts in units.filter(|parts| parts.len() > 1) {
        let n = parts.len() as f64;
        let mean: f64 = parts.iter().map(|part| part.mean / n).sum();
        squares += parts.iter().map(|part| (part.mean - mean).powi(2)).sum::<f64>();
        errors += parts.iter().map(|part| part.error / n).sum::<f64>() * (n - 1.0);
        df += n - 1.0;
    }
    (df > 0.0).then(|| (squares - errors) / df)
}

/// The weight of every unit of each level in the mean of all.
fn weights(runs: &[Leaf], levels: usize) -> Vec<BTreeMap<&[usize], f64>> {
    let mut all: Vec<BTreeMap<&[usize], f64>> = Vec::with_capacity(levels);
    for level in 0..levels {
        let mut parts: BTreeMap<&[usize], BTreeSet<&[usize]>> = BTreeMap::new();
        for run in runs {
            parts.entry(&run.path[..level]).or_default().insert(&run.path[..=level]);
        }
        let outer = |path: &[usize]| level.checked_sub(1).map_or(1.0, |outer| all[outer][path]);
        let weights = parts.iter().flat_map(|(path, parts)| {
            let weight = outer(path) / parts.len() as f64;
            parts.iter().map(move |part| (*part, weight)).collect::<Vec<_>>()
        });
        let weights = weights.collect();
        all.push(weights);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the formulas of Kalibera and Jones with numpy: of 2 machines, 2 starts each, 3 values each, S1² = 1.3125,
    /// S2² = 1.090278 and S3² = 3.336806, so T2² = S2² - S1² / 3 and T3² = S3² - S2² / 2.
    #[test]
    fn the_components_of_kalibera_and_jones() {
        let values = [
            ([0, 0], [10.0, 11.0, 12.5]),
            ([0, 1], [12.0, 13.0, 14.0]),
            ([1, 0], [13.0, 15.0, 14.5]),
            ([1, 1], [15.0, 14.0, 16.5]),
        ];
        let runs: Vec<Leaf> = values
            .iter()
            .map(|(path, values)| {
                let mean = values.iter().sum::<f64>() / 3.0;
                let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
                let inside = Some(((squares / 2.0).sqrt(), 3));
                Leaf { path: path.to_vec(), mean, inside }
            })
            .collect();
        let found = LevelVariance::of(&runs);
        let variances: Vec<f64> = found.iter().filter_map(|level| level.variance).collect();
        for (found, expected) in variances.iter().zip(EXPECTED) {
            assert!((found - expected).abs() < 1e-6, "{variances:?}");
        }
        assert_eq!(found.iter().map(|level| level.units).collect::<Vec<_>>(), [2, 4, 12]);
        let of_mean: Vec<f64> = found.iter().map(|level| level.of_mean).collect();
        for ((found, variance), n) in of_mean.iter().zip(EXPECTED).zip([2.0, 4.0, 12.0]) {
            assert!((found - variance / n).abs() < 1e-6, "{of_mean:?}");
        }
    }

    const EXPECTED: [f64; 3] = [2.791_666_667, 0.652_777_778, 1.312_5];

    #[test]
    fn a_level_of_one_unit_has_no_variance_and_none_is_negative() {
        let leaf =
            |path: [usize; 2], mean, sd| Leaf { path: path.into(), mean, inside: Some((sd, 2)) };
        let found = LevelVariance::of(&[leaf([0, 0], 1.0, 5.0), leaf([0, 1], 1.1, 5.0)]);
        assert_eq!((found[0].variance, found[1].variance), (None, Some(0.0)));
        assert!(LevelVariance::of(&[]).is_empty());
    }
}
