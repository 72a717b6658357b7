//! Pairs of runs: by a common name, or alternating in time; never by their number in a file.

use std::collections::BTreeMap;

use crate::runs::{Run, Variant};

/// The pairs of two variants' runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs {
    /// Positions of each pair's two runs in their variants, in the order of the baseline's runs.
    pub positions: Vec<(usize, usize)>,
    /// Numbers of runs without a partner, for the baseline and the candidate.
    pub alone: (usize, usize),
    /// Whether the same variant came first in every pair, as far as the times are known.
    pub one_way: bool,
    /// The pairs two by two if they were made in the order A B B A: a block of four runs is then the unit, since neighbouring
    /// differences correlate. Empty for any other order.
    pub blocks: Vec<[(usize, usize); 2]>,
}

/// Fewest blocks of four runs for a comparison by blocks.
pub const MIN_BLOCKS: usize = 4;

/// The reason why runs cannot be paired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unpaired {
    /// This run has neither a name of its pair nor a start time.
    Unknown(String),
    /// Two runs of one variant name this pair.
    Twice(String),
    /// No pair has runs of both variants.
    NoneShared,
    /// Two neighbouring runs in time, the first and the second of a pair, belong to this variant.
    NotByTurns {
        /// Its label.
        variant: String,
        /// Places of the two runs.
        runs: [String; 2],
    },
}

impl Pairs {
    /// Pairs the runs of two variants.
    ///
    /// If every run names its pair, runs with the same name belong together. Otherwise all runs are sorted by their start, and
    /// each two neighbours must be one run of each variant, as in A B A B or A B B A.
    ///
    /// # Errors
    ///
    /// [`Unpaired`], with the name of the run or the pair.
    pub fn match_runs(baseline: &Variant, candidate: &Variant) -> Result<Self, Unpaired> {
        let all = || baseline.runs.iter().chain(&candidate.runs);
        if all().all(|run| run.info.pair.is_some()) {
            by_name(baseline, candidate)
        } else if let Some(run) =
            all().find(|run| run.info.pair.is_none() && run.seconds().is_none())
        {
            Err(Unpaired::Unknown(run.source.to_string()))
        } else {
            by_turns(baseline, candidate)
        }
        .map(|pairs| Self {
            one_way: pairs.one_way(baseline, candidate),
            blocks: pairs.blocks_of_four(baseline, candidate),
            ..pairs
        })
        .map(|pairs| pairs.inside_sessions(baseline, candidate))
    }

    /// Leaves out pairs of two runs that were made in different sessions, and the blocks with such a pair.
    fn inside_sessions(mut self, baseline: &Variant, candidate: &Variant) -> Self {
        let inside = |&(a, b): &(usize, usize)| {
            let sessions = [&baseline.runs[a].info.session, &candidate.runs[b].info.session];
            sessions.iter().any(|session| session.is_none()) || sessions[0] == sessions[1]
        };
        self.blocks.retain(|block| block.iter().all(inside));
        let made = self.positions.len();
        self.positions.retain(inside);
        let left_out = made - self.positions.len();
        self.alone = (self.alone.0 + left_out, self.alone.1 + left_out);
        self
    }

    /// Whole blocks A B B A in the order of time. Empty if a start is not known, if pairs overlap, or if two neighbours are not
    /// mirror images.
    fn blocks_of_four(&self, baseline: &Variant, candidate: &Variant) -> Vec<[(usize, usize); 2]> {
        let times = |&(a, b): &(usize, usize)| {
            Some((baseline.runs[a].seconds()?, candidate.runs[b].seconds()?, (a, b)))
        };
        let Some(mut pairs) = self.positions.iter().map(times).collect::<Option<Vec<_>>>() else {
            return Vec::new();
        };
        pairs.sort_by(|x, y| x.0.min(x.1).total_cmp(&y.0.min(y.1)));
        let apart = pairs.windows(2).all(|two| two[0].0.max(two[0].1) < two[1].0.min(two[1].1));
        let blocks = || pairs.chunks_exact(2).map(|two| [two[0], two[1]]);
        let mirrored =
            |[x, y]: &[(f64, f64, _); 2]| (x.0 < x.1 && y.0 > y.1) || (x.0 > x.1 && y.0 < y.1);
        if !apart || !blocks().all(|block| mirrored(&block)) {
            return Vec::new();
        }
        blocks().map(|block| block.map(|(.., pair)| pair)).collect()
    }

    fn one_way(&self, baseline: &Variant, candidate: &Variant) -> bool {
        let first = |&(a, b): &(usize, usize)| {
            let (a, b) = (baseline.runs[a].seconds()?, candidate.runs[b].seconds()?);
            Some(a < b)
        };
        let firsts: Option<Vec<bool>> = self.positions.iter().map(first).collect();
        firsts.is_some_and(|all| all.len() > 2 && all.windows(2).all(|two| two[0] == two[1]))
    }
}

/// The name of a pair for comparison: `2`, `2.0` and `02` are one number.
fn key(name: &str) -> String {
    let number = name.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    number.map_or_else(|| name.to_owned(), |number| (number + 0.0).to_string())
}

fn by_name(baseline: &Variant, candidate: &Variant) -> Result<Pairs, Unpaired> {
    let named = |variant: &Variant| {
        let mut positions = BTreeMap::new();
        for (position, run) in variant.runs.iter().enumerate() {
            let name = run.info.pair.clone().unwrap_or_default();
            if positions.insert(key(&name), position).is_some() {
                return Err(Unpaired::Twice(name));
            }
        }
        Ok(positions)
    };
    let (a, b) = (named(baseline)?, named(candidate)?);
    let mut positions: Vec<(usize, usize)> =
        a.iter().filter_map(|(name, &a)| Some((a, *b.get(name)?))).collect();
    positions.sort_unstable();
    if positions.is_empty() {
        return Err(Unpaired::NoneShared);
    }
    let alone = (baseline.runs.len() - positions.len(), candidate.runs.len() - positions.len());
    Ok(Pairs { positions, alone, one_way: false, blocks: Vec::new() })
}

fn by_turns(baseline: &Variant, candidate: &Variant) -> Result<Pairs, Unpaired> {
    let of = |variant: &'_ Variant, second: bool| -> Vec<(f64, bool, usize)> {
        let runs = variant.runs.iter().enumerate();
        runs.map(|(position, run)| (run.seconds().unwrap_or_default(), second, position)).collect()
    };
    let mut series = [of(baseline, false), of(candidate, true)].concat();
    series.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let mut positions = Vec::new();
    let mut alone = (0, 0);
    for two in series.chunks(2) {
        match *two {
            [(_, false, a), (_, true, b)] | [(_, true, b), (_, false, a)] => positions.push((a, b)),
            [(_, second, first), (_, _, next)] => {
                let variant = if second { candidate } else { baseline };
                let place = |run: &Run| run.source.to_string();
                let runs = [place(&variant.runs[first]), place(&variant.runs[next])];
                return Err(Unpaired::NotByTurns { variant: variant.name.clone(), runs });
            }
            [(_, false, _)] => alone.0 += 1,
            [(_, true, _)] => alone.1 += 1,
            _ => {}
        }
    }
    positions.sort_unstable();
    if positions.is_empty() {
        return Err(Unpaired::NoneShared);
    }
    Ok(Pairs { positions, alone, one_way: false, blocks: Vec::new() })
}
