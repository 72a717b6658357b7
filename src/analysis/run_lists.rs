//! The runs behind a comparison, with their position in order of time.

use crate::report::RunRow;
use crate::runs::{Run, Variant};

pub(super) fn run_lists(baseline: &Variant, candidate: &Variant) -> [Vec<RunRow>; 2] {
    let mut lists = [baseline, candidate].map(|variant| variant.runs.iter().map(row).collect());
    let starts: Option<Vec<(f64, usize, usize)>> = [baseline, candidate]
        .iter()
        .enumerate()
        .flat_map(|(side, variant)| {
            let runs = variant.runs.iter().enumerate();
            runs.map(move |(at, run)| run.seconds().map(|start| (start, side, at)))
        })
        .collect();
    let mut starts = starts.unwrap_or_default();
    // Runs of one second keep the order of their variants and files.
    starts.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (place, (_, side, at)) in starts.into_iter().enumerate() {
        let list: &mut Vec<RunRow> = &mut lists[side];
        list[at].order = Some(place + 1);
    }
    lists
}

fn row(run: &Run) -> RunRow {
    RunRow {
        name: run.name.clone(),
        place: run.source.clone(),
        started: run.info.started.clone(),
        order: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::RunInfo;

    fn variant(name: &str, starts: &[Option<&str>]) -> Variant {
        let run = |started: Option<&str>| {
            let started = started.map(str::to_owned);
            Run { info: RunInfo { started, ..RunInfo::default() }.into(), ..Run::default() }
        };
        let runs = starts.iter().copied().map(run).collect();
        Variant { name: name.to_owned(), runs, ..Variant::default() }
    }

    fn orders(lists: &[Vec<RunRow>; 2]) -> [Vec<Option<usize>>; 2] {
        [0, 1].map(|side| lists[side].iter().map(|run| run.order).collect())
    }

    #[test]
    fn runs_made_by_turns_are_counted_across_both_variants() {
        let a = variant("a", &[Some("20260101-100000"), Some("20260101-130000")]);
        let b = variant("b", &[Some("20260101-110000"), Some("20260101-120000")]);
        let expected = [vec![Some(1), Some(4)], vec![Some(2), Some(3)]];
        assert_eq!(orders(&run_lists(&a, &b)), expected);
    }

    #[test]
    fn one_start_that_is_not_known_leaves_no_order() {
        let a = variant("a", &[Some("20260101-100000"), None]);
        let b = variant("b", &[Some("20260101-110000")]);
        assert_eq!(orders(&run_lists(&a, &b)), [vec![None, None], vec![None]]);
    }
}
