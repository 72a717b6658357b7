//! The reduction against sorting, in chunks of any size.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::table::delimited::{Dialect, Text};
use crate::table::request_names::Kind;

fn plan(columns: usize) -> Plan {
    let mut headers = vec!["variant".to_owned(), "run".to_owned()];
    headers.extend((0..columns).map(|index| format!("x{index}")));
    let quantity = |index| Quantity { column: index + 2, kind: Kind::Other(format!("x{index}")) };
    Plan {
        headers,
        counts: "line",
        variant: Some(0),
        run: vec![1],
        pair: None,
        settings: Vec::new(),
        constants: Vec::new(),
        metric: None,
        values: (0..columns).map(quantity).collect(),
        status: Vec::new(),
        start: None,
        end: None,
        lasting: None,
        dates: false,
        request: None,
        bare: 1.0,
        comma: false,
    }
}

/// The runs of rows under no header.
fn found(text: &str, size: usize, options: &Options) -> Result<Found, Error> {
    let Plan { headers, .. } = plan(1);
    let dialect = Dialect { delimiter: b',', headers, header: (0, 1) };
    let source = Text::new(text.as_bytes(), &dialect, (size, true));
    reduce("t.csv", &source, &plan(1), options)
}

/// Metrics of all runs, by variant, run and name.
fn reduced(text: &str, size: usize) -> Vec<(String, String, String, u64)> {
    let found = found(text, size, &Options::default()).expect("good rows");
    let of = |run: beyondnoise_model::runs::Run| {
        let (variant, name) = (run.variant, run.name.unwrap_or_default());
        run.metrics.into_iter().map(move |(metric, value)| {
            (variant.clone(), name.clone(), metric.to_string(), value.value.to_bits())
        })
    };
    found.runs.into_iter().flat_map(of).collect()
}

fn text_of(rows: &[(u8, f64)]) -> String {
    let lines: Vec<String> = rows.iter().map(|(run, value)| format!("a,{run},{value}\n")).collect();
    lines.concat()
}

/// The quantiles of each run by sorting.
fn sorted(rows: &[(u8, f64)]) -> Vec<(String, u64)> {
    let mut runs: BTreeMap<u8, Vec<f64>> = BTreeMap::new();
    let mut order = Vec::new();
    for &(run, value) in rows {
        if !runs.contains_key(&run) {
            order.push(run);
        }
        runs.entry(run).or_default().push(value);
    }
    let mut all = Vec::new();
    for run in order {
        let values = runs.get_mut(&run).expect("a run");
        values.sort_by(f64::total_cmp);
        for (word, level) in [("median", 0.5), ("p99", 0.99)] {
            let value = beyondnoise_stats::quantile(values, level);
            all.push((format!("{run} {word}_x0"), (value + 0.0).to_bits()));
        }
    }
    all
}

fn quantiles(all: &[(String, String, String, u64)]) -> Vec<(String, u64)> {
    let is = |name: &str| !name.starts_with("mean");
    let shown = all.iter().filter(|(_, _, metric, _)| is(metric));
    shown.map(|(_, run, metric, bits)| (format!("{run} {metric}"), *bits)).collect()
}

/// Values with ties, of several sizes and both signs, that drift with their place or do not.
fn rows() -> impl Strategy<Value = Vec<(u8, f64)>> {
    let value = prop_oneof![
        (-5i32..5).prop_map(f64::from),
        (0.0..1e3).prop_map(|x: f64| (x * 1e3).round() / 1e3),
        (-300i32..300).prop_map(|x| 1.5 * 10f64.powi(x)),
    ];
    (1u8..4, any::<bool>(), proptest::collection::vec((0u8..4, value), 1..400)).prop_map(
        |(runs, drifts, rows)| {
            let n = rows.len() as f64;
            rows.into_iter()
                .enumerate()
                .map(|(at, (run, value))| {
                    (run % runs, if drifts { value + 1e4 * (at as f64 / n) } else { value })
                })
                .collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_size_of_chunks_changes_nothing(rows in rows(), size in 1usize..600) {
        let text = text_of(&rows);
        let all = reduced(&text, usize::MAX);
        prop_assert_eq!(quantiles(&all), sorted(&rows));
        prop_assert_eq!(reduced(&text, size), all);
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let rows: Vec<(u8, f64)> = (0..15_000u32)
        .map(|at| ((at % 7) as u8, f64::from(at.wrapping_mul(2_654_435_761)) / 977.0))
        .collect();
    let text = text_of(&rows);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| reduced(&text, 5000))
    };
    let one = with(1);
    assert!((2..5).all(|threads| with(threads) == one));
}

#[test]
fn a_bad_row_is_named_with_its_line_in_any_chunk() {
    let good: Vec<String> = (0..500).map(|at| format!("a,1,{at}.5\n")).collect();
    let text = [good.concat(), "a,1,fast\n".to_owned(), good.concat()].concat();
    for size in [16, 1000, 1 << 20] {
        let error = found(&text, size, &Options::default()).err().expect("a bad row");
        assert!(error.to_string().contains("t.csv, line 502: expected a number in \"x0\""));
        let lenient = Options { lenient: true, ..Options::default() };
        let found = found(&text, size, &lenient).expect("the rest");
        assert_eq!((found.skipped.len(), found.runs[0].info.completed), (1, Some(1000)));
        assert_eq!(found.skipped[0].place, "line 502");
    }
}

/// Found by fuzzing: in a table held in memory a carriage return ends a line, whatever ends the others.
#[test]
fn a_carriage_return_ends_a_line_in_any_chunk() {
    let text = "a,1,1.5\na,1,2.5\ra,2,3.5\r\na,2,4.5\n";
    let all = [16, 1 << 20].map(|size| reduced(text, size));
    let means: Vec<f64> = all[0]
        .iter()
        .filter(|(.., metric, _)| metric.starts_with("mean"))
        .map(|(.., bits)| f64::from_bits(*bits))
        .collect();
    assert_eq!(means, [2.0, 4.0]);
    assert_eq!(all[0], all[1]);
}

/// Found by fuzzing: a run whose first row was bad stood where that row was, unless another chunk had the rest of it.
#[test]
fn runs_stand_as_their_first_good_rows_in_any_chunk() {
    let text = "a,1,fast\na,2,1.5\na,2,2.5\na,1,3.5\na,1,4.5\n";
    for size in [1, 16, 24, 1 << 20] {
        let lenient = Options { lenient: true, ..Options::default() };
        let found = found(text, size, &lenient).expect("the rest");
        let names: Vec<_> = found.runs.iter().map(|run| run.name.as_deref()).collect();
        assert_eq!(names, [Some("2"), Some("1")], "{size}");
    }
}
