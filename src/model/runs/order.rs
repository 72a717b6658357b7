//! The order in which runs were made, as far as it is known, and their names.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::runs::Run;

/// The evidence for the order of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Their start times.
    Started,
    /// The names of their files, with numbers by size.
    FileNames,
    /// Their places in one file.
    Places,
}

impl Order {
    /// The evidence for the order of these runs: their starts count if all are known and differ.
    ///
    /// # Examples
    ///
    /// ```
    /// use beyondnoise_model::runs::{Order, Run};
    ///
    /// let run = |started: &str| {
    ///     let mut run = Run::default();
    ///     run.info.started = Some(started.to_owned());
    ///     run
    /// };
    /// let (early, late) = (run("2026-01-01T10:00"), run("2026-01-01T11:00"));
    /// assert_eq!(Order::from_runs(&[&early, &late]), Order::Started);
    /// assert_eq!(Order::from_runs(&[&early, &early]), Order::Places);
    /// ```
    pub fn from_runs(runs: &[&Run]) -> Self {
        let starts: Option<Vec<f64>> = runs.iter().map(|run| run.seconds()).collect();
        let differ = |mut starts: Vec<f64>| {
            starts.sort_by(f64::total_cmp);
            starts.windows(2).all(|two| two[0] < two[1])
        };
        if starts.is_some_and(differ) {
            Self::Started
        } else if runs.iter().all(|run| run.source.path == runs[0].source.path) {
            Self::Places
        } else {
            Self::FileNames
        }
    }
}

/// Name of each run: its own if all differ, else its file, else its place in the file.
pub fn run_names(runs: &[&Run]) -> Vec<String> {
    let called = called(runs);
    runs.iter().map(|run| called(run)).collect()
}

/// Name of the run at `position`, as in [`run_names`].
///
/// # Panics
///
/// If `runs` has no such position.
pub fn run_name(runs: &[&Run], position: usize) -> String {
    called(runs)(runs[position])
}

/// Names of some of the runs, as in [`run_names`]; positions beyond the last are left out.
pub fn run_names_at(runs: &[&Run], positions: &[usize]) -> Vec<String> {
    if positions.is_empty() {
        return Vec::new();
    }
    let called = called(runs);
    positions.iter().filter_map(|at| Some(called(runs.get(*at)?))).collect()
}

/// The function that gives these runs different names.
fn called(runs: &[&Run]) -> fn(&Run) -> String {
    let differ = |name: fn(&Run) -> Option<&str>| {
        let mut known = BTreeSet::new();
        runs.iter().all(|run| name(run).is_some_and(|name| known.insert(name)))
    };
    if differ(|run| run.name.as_deref()) {
        |run| run.name.clone().unwrap_or_default()
    } else if differ(|run| Some(file_stem(run))) {
        |run| file_stem(run).to_owned()
    } else if of_one_file(runs) {
        |run| match run.source.counts {
            "" => run.source.path.to_string(),
            counts => format!("{counts} {}", run.source.position),
        }
    } else {
        |run| run.source.to_string()
    }
}

fn of_one_file(runs: &[&Run]) -> bool {
    runs.windows(2).all(|two| two[0].source.path == two[1].source.path)
}

/// Positions of runs in one numbering: the last numbers in their names, or in their files. All names agree except for the
/// number, and no number occurs twice.
pub fn numbering(runs: &[&Run]) -> Option<Vec<f64>> {
    let of = |name: &dyn Fn(&Run) -> Option<String>| {
        let names: Vec<String> = runs.iter().map(|run| name(run)).collect::<Option<_>>()?;
        let parts: Vec<(String, u64)> =
            names.iter().map(|name| number_of(name)).collect::<Option<_>>()?;
        let alike = parts.iter().all(|(rest, _)| *rest == parts[0].0);
        let numbers: BTreeSet<u64> = parts.iter().map(|(_, number)| *number).collect();
        (alike && numbers.len() == runs.len())
            .then(|| parts.iter().map(|(_, number)| *number as f64).collect())
    };
    let one_file = runs.len() > 1 && of_one_file(runs);
    let by_file = || of(&|run| Some(file_stem(run).to_owned()));
    of(&|run| run.name.clone()).or_else(|| if one_file { None } else { by_file() })
}

/// Name of the file without folders and ending.
fn file_stem(run: &Run) -> &str {
    let name = run.source.path.rsplit(['/', '\\']).next().unwrap_or_default();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn number_of(name: &str) -> Option<(String, u64)> {
    let end = name.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = name[..end].trim_end_matches(|c: char| c.is_ascii_digit()).len();
    Some((format!("{}#{}", &name[..start], &name[end..]), name[start..end].parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::Source;

    fn run(path: &str, name: Option<&str>) -> Run {
        let source = Source { path: path.into(), position: 7, counts: "line" };
        Run { source, name: name.map(Into::into), ..Run::default() }
    }

    #[test]
    fn runs_are_called_by_what_tells_them_apart() {
        let (a, b) = (run("x/run-1.json", None), run("x/run-2.json", None));
        assert_eq!(run_names(&[&a, &b]), ["run-1", "run-2"]);
        let (a, b) = (run("x/1/result.json", None), run("x/2/result.json", None));
        assert_eq!(run_names(&[&a, &b])[0], "x/1/result.json:7");
        let (a, b) = (run("notes.md", Some("r1")), run("notes.md", Some("r2")));
        assert_eq!(run_names(&[&a, &b]), ["r1", "r2"]);
        let a = run("notes.md", None);
        assert_eq!(run_names(&[&a, &a]), ["line 7", "line 7"]);
    }

    #[test]
    fn one_numbering_runs_over_names_that_are_alike() {
        let runs = |names: [&str; 3]| names.map(|name| run(name, None));
        let numbered = |names: [&str; 3]| {
            let runs = runs(names);
            numbering(&runs.iter().collect::<Vec<_>>())
        };
        assert_eq!(
            numbered(["a/run-01.json", "b/run-10.json", "a/run-2.json"]),
            Some(vec![1.0, 10.0, 2.0])
        );
        // A repeated number, another name, no number, and a number that is too large.
        assert_eq!(numbered(["a/run-1.json", "b/run-1.json", "b/run-2.json"]), None);
        assert_eq!(numbered(["a-1.json", "b-2.json", "b-3.json"]), None);
        assert_eq!(numbered(["a.json", "b.json", "c.json"]), None);
        assert_eq!(numbered(["1.json", "2.json", "99999999999999999999999.json"]), None);
    }
}
