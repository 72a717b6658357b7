//! Runs that span cells: one start measured in several cells of a batch or at several loads of a sweep.

use std::collections::BTreeMap;

/// Identity of a run that several cells may share.
#[derive(Clone, Copy)]
pub(super) struct RunIdentity<'a> {
    /// Name in the input.
    pub(super) name: Option<&'a str>,
    /// File that it was read from.
    pub(super) path: &'a str,
}

/// The runs of one variant in each cell, numbered across all cells from 0; `None` if nothing shows that cells share runs.
///
/// A run is identified by its name, else its file, else the folder of its file: by the first that is unique within each cell,
/// recurs in another cell, and has two values or more.
pub(super) fn spanning_runs(cells: &[Vec<RunIdentity>]) -> Option<Vec<Vec<usize>>> {
    fn folder<'a>(run: &RunIdentity<'a>) -> Option<&'a str> {
        run.path.rsplit_once(['/', '\\']).map(|(folder, _)| folder)
    }
    #[expect(clippy::unnecessary_wraps, reason = "one of several ways to name a run")]
    fn file<'a>(run: &RunIdentity<'a>) -> Option<&'a str> {
        Some(run.path)
    }
    fn name<'a>(run: &RunIdentity<'a>) -> Option<&'a str> {
        run.name
    }
    [name, file, folder].into_iter().find_map(|identity| {
        // The number of a run, and the last cell that it was in.
        let mut numbers: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let mut recurs = false;
        let mut all = Vec::with_capacity(cells.len());
        for (cell, of_cell) in cells.iter().enumerate() {
            let mut runs = Vec::with_capacity(of_cell.len());
            for run in of_cell {
                let next = numbers.len();
                let (number, last) = numbers.entry(identity(run)?).or_insert((next, usize::MAX));
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
        let of = |cell: Cell<'static>| cell.map(|(name, path)| RunIdentity { name, path }).to_vec();
        spanning_runs(&cells.map(of))
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
