//! Tables and flat objects of any program.

use beyondnoise::runs::Run;

use super::{complaint, dataset, own, read, runs};

#[test]
fn markdown_tables_have_variants_in_columns_or_rows() {
    let columns = dataset(&[&own("markdown/columns.md")]);
    let value = |run: &Run, metric: &str| run.metrics.get(metric).map(|value| value.value);
    let all = runs(&columns);
    assert_eq!(all.iter().map(|run| &*run.variant).collect::<Vec<_>>(), ["before", "after"]);
    assert_eq!(value(all[0], "output_throughput"), Some(1305.88));
    assert_eq!(value(all[1], "output_throughput"), Some(1287.36));
    assert!(value(all[1], "mean_tpot_ms").is_some_and(|value| (value - 47.72).abs() < 1e-9));
    assert_eq!(value(all[0], "p99_ttft_ms"), Some(905.0));
    let said = &columns.inputs[0].skipped;
    assert!(said[0].why.contains("\"905 ± 12\": averages of several runs"), "{said:?}");
    assert_eq!(said[2].place, "column change");
    let rows = dataset(&[&own("markdown/rows.md")]);
    let all = runs(&rows);
    let ttfts: Vec<Option<f64>> = all.iter().map(|run| value(run, "mean_ttft_ms")).collect();
    assert_eq!(ttfts, [Some(532.19), Some(530.5), Some(577.3)]);
    assert_eq!(all[2].variant, "cache");
    // In a folder there may be tables about anything.
    assert!(read(&[&own("markdown")], false).is_err());
    // A row that does not fit is listed, and the others are read.
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.md").display().to_string();
    std::fs::write(&path, "| variant | duration |\n|---|---|\n| a | 1.5 |\n| b |\n")
        .expect("a file");
    let ragged = dataset(&[&path]);
    let said = &ragged.inputs[0].skipped[0];
    assert_eq!(runs(&ragged).len(), 1);
    assert!(said.place == "line 4" && said.why.contains("expected 2 cells"), "{said:?}");
}

#[test]
fn objects_with_known_metrics_are_runs_of_any_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.jsonl").display().to_string();
    let lines =
        "{\"mean_ttft_ms\": 5.5, \"gpu\": \"x\"}\n{\"mean_ttft_ms\": 5.75, \"gpu\": \"x\"}\n";
    std::fs::write(&path, lines).expect("a file");
    let dataset = dataset(&[&path]);
    let values: Vec<f64> =
        runs(&dataset).iter().map(|run| run.metrics["mean_ttft_ms"].value).collect();
    assert_eq!((dataset.inputs[0].format, values), (Some("flat json"), vec![5.5, 5.75]));
    assert!(complaint("other.json", "{\"temperature\": 5.5}").contains("found none"));
}
