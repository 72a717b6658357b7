//! Numbers of an independent reference for 60 random designs: `differential/reference.py`, numpy and scipy,
//! written from the description of the method. The whole comparison, a thousand designs and more through
//! the executable, is `differential/compare.py`.

use beyondnoise::stats::{Across, Method, Resampling, Sample, Scale, TwoSample, Undefined};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().filter_map(Value::as_f64).collect()
}

/// Method, statistic over the runs and scale of a key such as `bca median log`.
fn asked(key: &str) -> Option<(Method, Across, Scale)> {
    let mut words = key.split(' ');
    let method = match words.next()? {
        "calibrated" => Method::Calibrated,
        "percentile" => Method::Percentile,
        "bca" => Method::Bca,
        "welch" => Method::Welch,
        _ => return None,
    };
    let across = match words.next()? {
        "mean" => Across::MEAN,
        "median" => Across::MEDIAN,
        "p75" => Across::quantile(0.75),
        other => panic!("a statistic, not {other}"),
    };
    let scale = if words.next()? == "log" { Scale::Log } else { Scale::Linear };
    Some((method, across, scale))
}

#[test]
fn sixty_designs_have_the_intervals_and_p_values_of_the_reference() {
    let all: Vec<Value> = serde_json::from_str(include_str!("../differential/small.json"))
        .expect("small.json is JSON");
    assert_eq!(all.len(), 60);
    let mut compared = 0;
    for design in &all {
        let resolution = design["resolution"].as_f64().expect("a number");
        let sample = |name: &str| Sample::rounded(numbers(&design[name]), resolution).unwrap();
        let (a, b) = (sample("a"), sample("b"));
        for (key, expected) in design.as_object().expect("an object") {
            let Some((method, across, scale)) = asked(key) else { continue };
            let curve = TwoSample::new(&a, &b, across, Resampling::default()).curve(scale, method);
            // The reference asks nothing of the numbers of runs.
            if let Err(Undefined::QuantileOfUnequalRuns(needed)) = curve {
                assert_eq!(
                    (across, needed, a.runs() == b.runs()),
                    (Across::quantile(0.75), 12, false)
                );
                continue;
            }
            let curve = curve.unwrap_or_else(|reason| panic!("{key} of {design}: {reason}"));
            let (interval, ends) = (curve.interval(0.95), numbers(expected));
            let unit = (ends[1] - ends[0]).max(1e-5 * curve.estimate().abs());
            for (found, end) in [(interval.low, ends[0]), (interval.high, ends[1])] {
                let allowed = 1e-9 * unit.max(end.abs());
                assert!((found - end).abs() <= allowed, "{key} of {design}: {found} not {end}");
            }
            if let Some(p) = expected[2].as_f64() {
                let found = curve.p_value(0.0);
                // A level of a law is met when it is met to within 1e-12.
                let allowed = (1e-9 * p).max(if method == Method::Bca { 1e-11 } else { 1e-15 });
                assert!((found - p).abs() <= allowed, "{key} of {design}: {found} not {p}");
            }
            compared += 1;
        }
    }
    assert!(compared > 650, "{compared}");
}
