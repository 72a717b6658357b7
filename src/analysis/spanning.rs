//! Runs that span cells: one start measured in several cells of a batch or at several loads of a sweep.

use std::collections::BTreeMap;

/// Identity of a run that several cells may share: numbers of its name, of its file, and of the folder of that.
pub(super) type RunIdentity = [Option<usize>; 3];

/// Numbers of the names, files and folders of runs: equal words have equal numbers.
#[derive(Default)]
pub(super) struct RunIdentities<'a>(BTreeMap<&'a str, usize>);

impl<'a> RunIdentities<'a> {
    /// The identity of a run by its name in the input and the file that it was read from.
    pub(super) fn of(&mut self, name: Option<&'a str>, path: &'a str) -> RunIdentity {
        let folder = path.rsplit_once(['/', '\\']).map(|(folder, _)| folder);
        [name, Some(path), folder].map(|word| {
            let next = self.0.len();
            word.map(|word| *self.0.entry(word).or_insert(next))
        })
    }
}

/// The runs of one variant in each cell, numbered across all cells from 0; `None` if nothing shows that cells share runs.
///
/// A run is identified by its name, else its file, else the folder of its file: by the first that is unique within each cell,
/// recurs in another cell, and has two values or more.
pub(super) fn spanning_runs(cells: &[Vec<RunIdentity>]) -> Option<Vec<Vec<usize>>> {
    (0..3).find_map(|way| {
        // The number of a run, and the last cell that it was in.
        let mut numbers: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        let mut recurs = false;
        let mut all = Vec::with_capacity(cells.len());
        for (cell, of_cell) in cells.iter().enumerate() {
            let mut runs = Vec::with_capacity(of_cell.len());
            for run in of_cell {
                let next = numbers.len();
                let (number, last) = numbers.entry(run[way]?).or_insert((next, usize::MAX));
                if *last == cell {
                    return None;
                }
                recurs |= *last != usize::MAX;
                *last = cell;
                runs.push(*number);
            }
            all.push(runs);
        }
        (recurs && numbers.len() > 1).then_some(all)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Cell<'a> = [(Option<&'a str>, &'a str); 2];

    fn numbers(cells: [Cell<'static>; 2]) -> Option<Vec<Vec<usize>>> {
        let mut known = RunIdentities::default();
        spanning_runs(&cells.map(|cell| cell.map(|(name, path)| known.of(name, path)).to_vec()))
    }

    #[test]
    fn a_name_that_recurs_is_one_run_and_else_a_file_or_its_folder() {
        let both = Some(vec![vec![0, 1], vec![0, 1]]);
        let named = [(Some("1"), "t.csv"), (Some("2"), "t.csv")];
        assert_eq!(numbers([named, named]), both);
        let files = [(None, "r1.csv"), (None, "r2.csv")];
        assert_eq!(numbers([files, files]), both);
        let at_8 = [(None, "r1/c8.json"), (None, "r2/c8.json")];
        let at_16 = [(None, "r1/c16.json"), (None, "r2/c16.json")];
        assert_eq!(numbers([at_8, at_16]), both);
    }

    #[test]
    fn rows_of_one_table_and_names_that_never_recur_are_other_runs_in_every_cell() {
        let table = [(None, "t.csv"), (None, "t.csv")];
        assert_eq!(numbers([table, table]), None);
        let first = [(Some("a"), "t.csv"), (Some("b"), "t.csv")];
        let second = [(Some("c"), "t.csv"), (Some("d"), "t.csv")];
        assert_eq!(numbers([first, second]), None);
    }
}
