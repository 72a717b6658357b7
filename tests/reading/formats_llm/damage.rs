//! Damaged files: an answer or an error that names the file, never a panic.

use beyondnoise::error::chain;
use beyondnoise::read::{Options, load};
use rayon::prelude::*;

fn files(folder: &std::path::Path, into: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files(&path, into) } else { into.push(path) }
    }
}

#[test]
fn no_damage_to_a_file_of_any_client_panics() {
    let mut all = Vec::new();
    files(std::path::Path::new(&super::own("")), &mut all);
    all.retain(|path| path.file_name().is_some_and(|name| name != "README.md"));
    assert!(all.len() > 30, "the fixtures were found");
    // Files of one name are in several folders.
    all.par_iter().for_each(|path| {
        let folder = tempfile::tempdir().expect("a folder");
        let good = std::fs::read(path).expect("a file");
        let damaged = folder.path().join(path.file_name().expect("a name"));
        for step in 0..60 {
            let mut bytes = good.clone();
            let at = step * bytes.len() / 60;
            match step % 5 {
                0 => bytes.truncate(at),
                1 => bytes[at] ^= 0xff,
                2 => bytes[at] = b'"',
                3 => drop(bytes.splice(at..at, b"\xe2\x82\n, |".iter().copied())),
                _ => drop(bytes.splice(at..(at + 7).min(good.len()), b"-1e999".iter().copied())),
            }
            std::fs::write(&damaged, &bytes).expect("a file");
            for lenient in [false, true] {
                let input = [damaged.display().to_string()];
                let options = Options { lenient, ..Options::default() };
                if let Err(error) = load(&input, &options) {
                    let message = chain(&error);
                    assert!(message.contains(&input[0]), "{message}");
                }
            }
        }
    });
}

/// Right marks around wrong content.
#[test]
fn errors_name_the_file_and_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text, says) in [
        (
            "profile_export_aiperf.json",
            r#"{"aiperf_version": "1", "request_throughput": {"unit": "requests/sec", "avg": 1.0},
                "request_latency": {"unit": "ms", "avg": 2.0}, "was_cancelled": true}"#,
            &["a complete benchmark", "cancelled", "remove the file"][..],
        ),
        (
            "failed.json",
            r#"{"aiperf_version": "1", "request_throughput": {"unit": "requests/sec", "avg": 0.0},
                "request_latency": {"unit": "ms", "avg": 0.0}, "request_count": {"avg": 0}}"#,
            &["expected successful requests", "found 0", "run the benchmark again"],
        ),
        (
            "empty.json",
            r#"{"benchmarks": [], "scheduler_metrics": null}"#,
            &["at least one element", "found none", "run the benchmark again"],
        ),
        (
            "table.md",
            "| model | test | t/s |\n|---|---|---|\n| m | pp512 | fast |\n",
            &["line 3", "tokens per second", "found \"fast\"", "fix or remove the line"],
        ),
        (
            "t.csv",
            "backend,dataset_name,sharegpt_output_len,completed,duration\nx,random,None,many,1.0\n",
            &["line 2", "a number in \"completed\"", "found \"many\"", "fix the row"],
        ),
        (
            "p.csv",
            "Concurrency,Inferences/Second,p50 latency\n1,2\n",
            &["line 2", "expected 3 columns", "found 2", "fix the row"],
        ),
        (
            "report.yaml",
            "results:\n  request_performance:\n    nonsense\n",
            &[
                "expected results.request_performance.aggregate",
                "found none",
                "run the benchmark again",
            ],
        ),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        let path = path.display().to_string();
        let error = load(std::slice::from_ref(&path), &Options::default()).expect_err(name);
        let message = chain(&error);
        assert!(message.contains(&path), "{name}: {message}");
        for part in says {
            assert!(message.contains(part), "{name}: expected {part:?} in: {message}");
        }
    }
}
