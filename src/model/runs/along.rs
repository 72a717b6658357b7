//! Sweeps: one workload at several loads.

use std::collections::BTreeMap;

use crate::runs::workload::{Setting, Workload};

/// Settings that can be the load; the first that varies counts.
const LOADS: [&str; 2] = ["max_concurrency", "request_rate"];

/// One workload at several loads.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// Setting in which the loads differ.
    pub along: String,
    /// The settings that all loads share.
    pub shared: Workload,
    /// Each load with the position of its workload, the smallest first; infinite without a limit.
    pub points: Vec<(f64, usize)>,
}

/// The sweeps among comparable workloads, in the order of their first workloads.
///
/// `along` names the setting of the load; by default the concurrency cap, or else the request rate. Numbers of requests and
/// input tokens mostly grow with the load: they may differ, unless one load then has two workloads.
pub fn sweeps(workloads: &[&Workload], along: Option<&str>) -> Vec<Sweep> {
    let along = along.as_ref().map_or(&LOADS[..], std::slice::from_ref);
    let mut taken = vec![false; workloads.len()];
    let mut found = Vec::new();
    for name in along {
        for sizes in [false, true] {
            let mut groups: BTreeMap<BTreeMap<String, String>, Vec<(f64, usize)>> = BTreeMap::new();
            for (at, workload) in workloads.iter().enumerate().filter(|(at, _)| !taken[*at]) {
                let Some(load) = workload.load_along(name) else { continue };
                let shared = workload.without_load(name, sizes).fields();
                groups.entry(shared).or_default().push((load, at));
            }
            for mut points in groups.into_values() {
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                let twice = points.windows(2).any(|pair| pair[0].0.total_cmp(&pair[1].0).is_eq());
                if points.len() < 2 || twice {
                    continue;
                }
                for (_, at) in &points {
                    taken[*at] = true;
                }
                let first = workloads[points[0].1];
                let shared = first.without_load(name, sizes);
                found.push(Sweep { along: (*name).to_owned(), shared, points });
            }
        }
    }
    found.sort_by_key(|sweep| sweep.points.iter().map(|(_, at)| *at).min());
    found
}

impl Sweep {
    /// The load of a workload that belongs to this sweep; `None` for another workload.
    pub fn load_of(&self, workload: &Workload) -> Option<f64> {
        let rest = |workload: &Workload| workload.without_load(&self.along, false).fields();
        workload.load_along(&self.along).filter(|_| rest(workload) == rest(&self.shared))
    }
}

impl Workload {
    /// Its load by the name of a setting, infinite without a limit; `None` if it is unknown or no number.
    fn load_along(&self, name: &str) -> Option<f64> {
        let of_text = |text: &str| {
            // A text such as `c16`.
            let digits = text.trim_matches(|c: char| !c.is_ascii_digit());
            digits.parse().ok().filter(|load: &f64| load.is_finite())
        };
        let of_limit = |setting: &Setting| match setting {
            Setting::Value(value) => Some(*value),
            Setting::Unlimited => Some(f64::INFINITY),
            Setting::Text(text) => of_text(text),
            Setting::Unknown => None,
        };
        match name {
            "max_concurrency" => of_limit(&self.max_concurrency),
            "request_rate" => of_limit(&self.request_rate),
            "requests" => self.requests.map(|n| n as f64),
            "input_tokens" => self.input_tokens.map(|n| n as f64),
            _ => self.other.get(name)?.parse().ok().filter(|load: &f64| load.is_finite()),
        }
    }

    /// The workload without one setting, and without its sizes unless `sizes` keeps them.
    fn without_load(&self, name: &str, sizes: bool) -> Self {
        let mut rest = self.clone();
        match name {
            "max_concurrency" => rest.max_concurrency = Setting::Unknown,
            "request_rate" => rest.request_rate = Setting::Unknown,
            _ => {
                rest.other.remove(name);
            }
        }
        if !sizes || name == "requests" {
            rest.requests = None;
        }
        if !sizes || name == "input_tokens" {
            rest.input_tokens = None;
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload(cap: f64, rate: f64, requests: u64) -> Workload {
        let (max_concurrency, request_rate) = (Setting::number(cap), Setting::number(rate));
        Workload { requests: Some(requests), max_concurrency, request_rate, ..Workload::default() }
    }

    fn loads(workloads: &[Workload]) -> Vec<(String, Vec<f64>)> {
        let all: Vec<&Workload> = workloads.iter().collect();
        let of = |sweep: Sweep| (sweep.along, sweep.points.iter().map(|(load, _)| *load).collect());
        sweeps(&all, None).into_iter().map(of).collect()
    }

    #[test]
    fn requests_may_grow_with_the_load() {
        let all = [workload(16.0, 0.0, 160), workload(2.0, 0.0, 20), workload(128.0, 0.0, 1280)];
        assert_eq!(loads(&all), [("max_concurrency".to_owned(), vec![2.0, 16.0, 128.0])]);
    }

    #[test]
    fn two_sizes_of_one_load_are_two_sweeps() {
        let sizes = [100, 900].map(|n| [workload(1.0, 0.0, n), workload(8.0, 0.0, n)]);
        assert_eq!(loads(sizes.as_flattened()).len(), 2);
    }

    #[test]
    fn of_a_grid_every_rate_is_a_sweep_over_caps() {
        let grid = [1.0, 4.0].map(|rate| [8.0, 16.0].map(|cap| workload(cap, rate, 100)));
        let found = loads(grid.as_flattened());
        assert_eq!(found.len(), 2);
        assert!(
            found.iter().all(|(along, loads)| along == "max_concurrency" && *loads == [8.0, 16.0])
        );
    }

    #[test]
    fn a_rate_without_limit_comes_last() {
        let all = [workload(0.0, f64::INFINITY, 9), workload(0.0, 4.0, 9)];
        assert_eq!(loads(&all), [("request_rate".to_owned(), vec![4.0, f64::INFINITY])]);
    }

    #[test]
    fn workloads_that_differ_in_more_are_no_sweep() {
        let mut all = [workload(1.0, 0.0, 9), workload(2.0, 0.0, 9)];
        all[1].model = Some("other".to_owned());
        assert!(loads(&all).is_empty());
    }
}
