//! The library from outside: values held in memory, whatever they are.

use beyondnoise::analysis::analyse;
use beyondnoise::policy::{Policy, Selected};
use beyondnoise::render::{csv, html, json, markdown};
use beyondnoise::report::Report;
use beyondnoise::runs::{Dataset, Run};
use beyondnoise::units::Better;
use beyondnoise::verdict::Headline;

/// The report of these values of one metric, `before` against `after`.
fn report(metric: &str, before: &[f64], after: &[f64], policy: &Policy) -> Report {
    let runs = |variant: &'static str, values: &[f64]| -> Vec<Run> {
        values.iter().map(|value| Run::new(variant, [(metric, *value)])).collect()
    };
    let all = [runs("before", before), runs("after", after)].concat();
    analyse(&Dataset::assemble(all, Vec::new()), Some("before"), None, policy).expect("a report")
}

/// Every form of the report, so that each has met these values.
fn written(report: &Report) -> String {
    [markdown(report), html(report), json(report), csv(report)].concat()
}

#[test]
fn a_value_that_is_not_finite_counts_as_not_measured() {
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let (before, after) = ([10.0, 10.1, odd], [11.0, 11.1, 11.2]);
        let report = report("output_throughput", &before, &after, &Policy::default());
        assert_eq!(report.comparisons[0].metrics[0].baseline.values, [10.0, 10.1]);
        written(&report);
        // The same where a program writes the field itself.
        let mut run = Run::new("before", [("output_throughput", 10.2)]);
        run.metrics.values_mut().for_each(|value| value.value = odd);
        let data = Dataset::assemble(vec![run], Vec::new());
        assert!(data.groups[0].variants[0].runs[0].metrics.is_empty());
    }
}

#[test]
fn extreme_values_are_written_in_every_form() {
    let sides: [&[f64]; 4] = [
        &[0.0, 0.0, 0.5],
        &[-1.5, 1.0, 2.0],
        &[f64::MIN_POSITIVE, f64::MAX],
        &[1e308, 1.1e308, 1e308],
    ];
    for (a, before) in sides.iter().enumerate() {
        for after in sides.iter().skip(a + 1) {
            written(&report("mean_ttft_ms", before, after, &Policy::default()));
            written(&report("output_throughput", after, before, &Policy::default()));
        }
    }
}

/// Equal short numbers are common: they are runs of their own, as they would be in a table.
#[test]
fn equal_values_are_not_taken_for_the_same_run() {
    let report = report("duration", &[12.5, 12.5, 12.6], &[12.5, 12.5, 12.5], &Policy::default());
    let comparison = &report.comparisons[0];
    assert_eq!((comparison.baseline.runs, comparison.candidate.runs), (3, 3));
}

/// 12.36 to 11.92 by hand: (11.91 + 11.97 + 11.88) / (12.31 + 12.42 + 12.36) - 1 = -3.59 %.
#[test]
fn a_metric_of_ones_own_is_judged_once_its_direction_is_said() {
    let (before, after) = ([12.31, 12.42, 12.36], [11.91, 11.97, 11.88]);
    let unsaid = report("wobble", &before, &after, &Policy::default());
    assert_eq!(unsaid.comparisons[0].headline, Headline::NoVerdict);
    let selected = vec![Selected { name: "wobble".to_owned(), better: Some(Better::Lower) }];
    let said = report("wobble", &before, &after, &Policy { selected, ..Policy::default() });
    assert_eq!(said.comparisons[0].headline, Headline::Improved);
    let relative = said.comparisons[0].metrics[0].delta.relative.expect("a ratio");
    assert!((relative - (35.76 / 37.09 - 1.0)).abs() < 1e-12, "{relative}");
}
