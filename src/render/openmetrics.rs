//! The report as OpenMetrics text: every number a gauge.
//!
//! The text is also what Prometheus reads, so that the node exporter takes it as a `.prom` file: no type that Prometheus does
//! not know, and no timestamps.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::report::comparison::words;
use crate::report::{Comparison, Report, Row};

/// A label and its value.
type Label = (&'static str, String);

/// A family of gauges, with a sample for each set of labels.
struct Family {
    name: &'static str,
    /// Its unit, with which the name ends; empty for a number without one.
    unit: &'static str,
    help: &'static str,
    samples: Vec<(Vec<Label>, f64)>,
}

/// A number of a metric and its further label.
type OfRow = fn(&Row) -> Vec<(Option<Label>, Option<f64>)>;

/// The families that have a sample per metric: name, unit, help, numbers.
const OF_ROW: [(&str, &str, &str, OfRow); 6] = [
    (
        "beyondnoise_change_ratio",
        "ratio",
        "Relative change of the candidate against the baseline, a fraction",
        |row| vec![(None, row.delta.relative)],
    ),
    (
        "beyondnoise_change_low_ratio",
        "ratio",
        "Lower end of the interval of the change at the level at which it was judged",
        |row| vec![(None, row.delta.relative_ci_adjusted.map(|[low, _]| low))],
    ),
    ("beyondnoise_change_high_ratio", "ratio", "Upper end of that interval", |row| {
        vec![(None, row.delta.relative_ci_adjusted.map(|[_, high]| high))]
    }),
    ("beyondnoise_noise_ratio", "ratio", "Run-to-run CV, a fraction", |row| {
        vec![(None, row.noise.cv)]
    }),
    (
        "beyondnoise_estimate",
        "",
        "Statistic over the runs of a variant, in the unit of the label",
        |row| {
            let side = |word: &str| Some(("side", word.to_owned()));
            vec![
                (side("baseline"), Some(row.baseline.estimate)),
                (side("candidate"), Some(row.candidate.estimate)),
            ]
        },
    ),
    ("beyondnoise_verdict", "", "1 for the verdict in the label", |row| {
        vec![(Some(("verdict", words::json_word(&row.verdict))), Some(1.0))]
    }),
];

/// The report as OpenMetrics text, which ends with `# EOF`.
///
/// # Panics
///
/// Never: writing to a String cannot fail.
pub fn openmetrics(report: &Report) -> String {
    let mut families: Vec<Family> = OF_ROW
        .iter()
        .map(|(name, unit, help, _)| Family { name, unit, help, samples: Vec::new() })
        .collect();
    let mut headlines = Vec::new();
    let mut runs = Vec::new();
    let mut known: BTreeMap<Vec<Label>, usize> = BTreeMap::new();
    for comparison in &report.comparisons {
        let labels = labels(comparison, &mut known);
        let with = |more: Label| [&labels[..], &[more]].concat();
        headlines.push((with(("headline", words::json_word(&comparison.headline))), 1.0));
        for (side, named) in
            [("baseline", &comparison.baseline), ("candidate", &comparison.candidate)]
        {
            runs.push((with(("side", side.to_owned())), named.runs as f64));
        }
        for row in &comparison.metrics {
            let metric = [("metric", row.metric.clone()), ("unit", row.unit.to_owned())];
            let labels = [&labels[..], &metric].concat();
            for (family, (.., numbers)) in families.iter_mut().zip(&OF_ROW) {
                for (more, number) in numbers(row) {
                    let labels = labels.iter().cloned().chain(more).collect();
                    family.samples.extend(number.map(|number| (labels, number)));
                }
            }
        }
    }
    let one = |key, word| vec![(vec![(key, word)], 1.0)];
    let gauge = |name, help, samples| Family { name, unit: "", help, samples };
    families.extend([
        gauge("beyondnoise_headline", "1 for the verdict on the comparison in the label", headlines),
        gauge("beyondnoise_runs", "Runs that count", runs),
        gauge(
            "beyondnoise_gate",
            "1 for the answer of the gate in the label",
            one("gate", words::json_word(&report.gate)),
        ),
        gauge(
            "beyondnoise_decision",
            "1 for the decision in the label: whether a change may be kept that must be shown to be better",
            one("decision", words::json_word(&report.decision)),
        ),
    ]);
    let mut out = String::new();
    for family in families.iter().filter(|family| !family.samples.is_empty()) {
        write_family(&mut out, family);
    }
    out + "# EOF\n"
}

/// The labels of a comparison; repeated labels are numbered.
fn labels(comparison: &Comparison, known: &mut BTreeMap<Vec<Label>, usize>) -> Vec<Label> {
    let cell = comparison.cell.iter().map(|(name, value)| format!("{name} {value}"));
    let mut labels = vec![
        ("baseline", comparison.baseline.name.clone()),
        ("candidate", comparison.candidate.name.clone()),
        ("cell", cell.collect::<Vec<String>>().join(", ")),
        ("workload", comparison.workload.describe()),
    ];
    let number = known.entry(labels.clone()).or_default();
    *number += 1;
    if *number > 1 {
        labels.push(("part", number.to_string()));
    }
    labels
}

fn write_family(out: &mut String, Family { name, unit, help, samples }: &Family) {
    let mut line = |text: std::fmt::Arguments| {
        writeln!(out, "{text}").expect("writing to a String cannot fail");
    };
    line(format_args!("# TYPE {name} gauge"));
    if !unit.is_empty() {
        line(format_args!("# UNIT {name} {unit}"));
    }
    line(format_args!("# HELP {name} {}.", escaped(help)));
    for (labels, number) in samples {
        // An empty label is none.
        let labels = labels.iter().filter(|(_, value)| !value.is_empty());
        let labels: Vec<String> =
            labels.map(|(key, value)| format!("{key}=\"{}\"", escaped(value))).collect();
        line(format_args!("{name}{{{}}} {number}", labels.join(",")));
    }
}

/// Text inside a label or a help.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], "\\n")
}
