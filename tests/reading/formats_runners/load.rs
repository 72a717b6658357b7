//! Load testers with several tables a test, and asv with several benchmarks a file.

use super::{complaint, counts, dataset, own, read, runs};

/// What a file is, where it holds no run.
fn refused(path: &str) -> String {
    read(&[&own(path)], false).expect_err(path)
}

#[test]
fn tables_beside_the_result_are_named_as_what_they_are() {
    for (file, words) in [
        ("locust/results_stats_history.csv", "a time series of one test"),
        ("locust/results_failures.csv", "the failures of one test"),
        ("locust/results_exceptions.csv", "the exceptions of one test"),
        ("locust/old_distribution.csv", "percentiles of one test"),
        ("jmeter/results.xml", "output_format=csv"),
    ] {
        let message = refused(file);
        assert!(
            message.contains(words) && !message.contains("run the benchmark again"),
            "{message}"
        );
    }
    // A folder as Locust writes it: only the endpoints are runs.
    let folder = dataset(&[&own("locust")]);
    assert_eq!(runs(&folder).len(), 3);
    let history = folder.inputs.iter().find(|input| input.path.contains("history")).expect("named");
    assert!(history.skipped[0].why.contains("time series"), "{history:?}");
}

#[test]
fn a_total_beside_its_parts_is_no_run_and_an_endpoint_that_failed_has_no_value() {
    let stats = dataset(&[&own("locust/results_stats.csv")]);
    let whys: Vec<&str> = stats.inputs[0].skipped.iter().map(|s| &*s.why).collect();
    assert!(whys.iter().any(|why| why.contains("row Aggregated: a sum")), "{whys:?}");
    assert!(whys.iter().any(|why| why.contains("GET /down had no successful request")), "{whys:?}");
    // Endpoints are never repeats of each other: three workloads with one run each.
    assert!(counts(&stats).values().all(|runs| *runs == 1) && stats.groups.len() == 3);
    let text = std::fs::read_to_string(own("locust/results_stats.csv")).expect("a fixture");
    let lines = || text.lines();
    let only_total: Vec<&str> = lines().take(1).chain(lines().skip(5)).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.csv").display().to_string();
    std::fs::write(&path, only_total.join("\n")).expect("a file");
    let total = dataset(&[&path]);
    assert!((runs(&total)[0].metrics["mean_e2el_ms"].value - 365.75).abs() < 1e-9);
    let failed: Vec<&str> = lines().take(1).chain(lines().skip(4).take(1)).collect();
    assert!(complaint("f.csv", &failed.join("\n")).contains("expected successful requests"));
    assert!(complaint("n.csv", lines().next().expect("a header")).contains("made no request"));
}

#[test]
fn percentiles_of_locust_are_known_to_two_digits() {
    let stats = dataset(&[&own("locust/results_stats.csv")]);
    let first = runs(&stats)[0].metrics.clone();
    let resolution = |metric: &str| first[metric].resolution;
    // 240 is rounded to tens, 912.75 is printed to hundredths.
    assert!((resolution("p95_e2el_ms") - 5.0).abs() < 1e-12, "{:?}", first["p95_e2el_ms"]);
    assert!((resolution("max_e2el_ms") - 0.005).abs() < 1e-12);
}

#[test]
fn requests_of_jmeter_are_one_run_a_label() {
    let rows = dataset(&[&own("jmeter/results.jtl")]);
    let all = runs(&rows);
    // 3 of list and 3 of save were good; each thread made another number of requests, so no count is a setting.
    assert_eq!(all.iter().map(|run| run.info.completed).collect::<Vec<_>>(), [Some(3), Some(3)]);
    assert_eq!(all[0].info.failed, Some(1));
    for name in ["mean_responseCode", "mean_bytes", "mean_allThreads", "responseCode", "bytes"] {
        assert!(all.iter().all(|run| !run.metrics.contains_key(name)), "{name}");
    }
    // Threads 1 and 2 of list made two requests each, of save two and one.
    assert_eq!((all[0].workload.requests, all[1].workload.requests), (Some(4), None));
    assert!((all[0].metrics["duration"].value - 0.44).abs() < 1e-12);
    let text = std::fs::read_to_string(own("jmeter/results.jtl")).expect("a fixture");
    assert!(complaint("b.jtl", &text.replace(",60,\"save", ",x,\"save")).contains("line 4"));
    let failed = complaint("f.jtl", &text.replace(",true,", ",false,"));
    assert!(failed.contains("expected successful requests"), "{failed}");
}

#[test]
fn the_table_of_a_listener_has_a_cell_a_label_and_no_total() {
    let table = dataset(&[&own("jmeter/aggregate.csv")]);
    assert!(counts(&table).values().all(|runs| *runs == 1) && table.groups.len() == 2);
    assert!(table.inputs[0].skipped[0].why.contains("TOTAL: a sum"), "{:?}", table.inputs[0]);
    // 1 % of 200.
    assert_eq!(runs(&table)[0].info.failed, Some(2));
    let text = std::fs::read_to_string(own("jmeter/aggregate.csv")).expect("a fixture");
    assert!(complaint("w.csv", &text.replace("list,200,212", "list,200,fast")).contains("line 2"));
}

#[test]
fn the_commit_of_asv_names_the_variant_and_its_spread_is_no_noise() {
    let path = own("asv/0a1b2c3d-virtualenv-py3.12.json");
    let one = dataset(&[&path]);
    assert!(runs(&one).iter().all(|run| run.variant == "0a1b2c3d" && run.metrics.len() == 1));
    assert!(counts(&one).values().all(|runs| *runs == 1));
    assert!(one.inputs[0].skipped[0].why.contains("2 benchmarks or parameters without a value"));
    // More combinations than any file holds are none.
    let axis = format!("[{}]", vec!["\"x\""; 1000].join(","));
    let many = format!(
        r#"{{"commit_hash": "0a1b2c3d", "env_name": "e", "result_columns": ["result", "params"],
            "results": {{"a.time_x": [[1.5, 2.5], [{}]]}}}}"#,
        [axis.as_str(); 12].join(",")
    );
    assert!(complaint("many.json", &many).contains("one per combination"));
    // Two commits in a folder are two variants of each benchmark.
    let text = std::fs::read_to_string(&path).expect("a fixture");
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results/box");
    std::fs::create_dir_all(&results).expect("a folder");
    std::fs::write(results.join("0a1b2c3d-e.json"), &text).expect("a file");
    let other = text.replace("0a1b2c3d4e", "ffffffff4e").replace("0.0125", "0.0135");
    std::fs::write(results.join("ffffffff-e.json"), other.replace("2233.0", "2000.0"))
        .expect("a file");
    let both = dataset(&[&folder.path().display().to_string()]);
    let sorted = both
        .groups
        .iter()
        .find(|group| group.workload.label.as_deref() == Some("sorting.Suite.time_sort(100)"));
    let names: Vec<&str> = sorted.expect("a cell").variants.iter().map(|v| &*v.name).collect();
    assert_eq!(names, ["0a1b2c3d", "ffffffff"]);
}
