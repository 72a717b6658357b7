//! The notes and measurements that come with the project. Expected numbers are read off the files, or
//! calculated by hand where a test says so.

use beyondnoise::runs::Setting;
use serde_json::Value as Json;

use super::{close, counts, dataset, own, runs, value};

const NOTES: [&str; 5] = [
    "data/notes/closed-loop-before-after.txt",
    "data/notes/burst-three-variants.txt",
    "data/notes/burst-cache-steps.txt",
    "data/notes/two-workloads-five-steps.txt",
    "data/notes/old-client-single.txt",
];

#[test]
fn the_five_notes_hold_21_blocks_of_19_runs() {
    let paths = NOTES.map(own);
    let all = dataset(&paths.each_ref().map(String::as_str));
    assert_eq!(all.inputs.iter().map(|input| input.runs).sum::<usize>(), 21);
    assert_eq!(runs(&all).len(), 19);
    let duplicates: Vec<(&str, &str)> = all
        .groups
        .iter()
        .flat_map(|group| &group.duplicates)
        .map(|twice| (twice.kept_variant.as_str(), twice.dropped_variant.as_str()))
        .collect();
    let model = "直接改上游模型";
    let longer = "直接改上游模型（seq_lens 不移到 NPU）";
    assert_eq!(duplicates.len(), 2);
    assert!(duplicates.contains(&("baseline", "Before this PR")), "{duplicates:?}");
    assert!(
        duplicates.contains(&(longer, model)) || duplicates.contains(&(model, longer)),
        "{duplicates:?}"
    );
}

#[test]
fn headings_in_any_script_are_the_variants() {
    for (note, variants) in [
        (NOTES[0], vec!["优化前", "优化后"]),
        (NOTES[1], vec!["Before this PR", "After this PR", "直接改上游模型"]),
        (
            NOTES[2],
            vec![
                "baseline",
                "用 seq_lens cpu cache",
                "用 seq_lens cpu cache / scale cache / out buffer",
                "直接改上游模型（seq_lens 不移到 NPU）",
            ],
        ),
        (NOTES[4], vec!["old-client-single"]),
    ] {
        assert_eq!(dataset(&[&own(note)]).variant_names(), variants);
    }
}

#[test]
fn two_blocks_under_one_heading_are_two_runs() {
    let steps = dataset(&[&own(NOTES[2])]);
    let numbers: Vec<usize> = counts(&steps.groups[0]).into_iter().map(|(_, n)| n).collect();
    assert_eq!(numbers, [1, 1, 2, 1]);
    let twice = &steps.groups[0].variants[2].runs;
    assert_eq!([value(&twice[0], "duration"), value(&twice[1], "duration")], [36.55, 36.13]);
    assert_eq!((twice[0].source.position, twice[1].source.position), (62, 87));
}

#[test]
fn two_workloads_under_one_heading_are_two_groups() {
    let steps = dataset(&[&own(NOTES[3])]);
    let names =
        ["Baseline", "Merge rope q/k", "并行 q/k/v pad", "cu_seqlens cpu cache", "Revert pad"];
    assert_eq!(steps.groups.len(), 2);
    for (group, label) in steps.groups.iter().zip(["Throughput benchmark", "Latency benchmark"]) {
        assert_eq!(counts(group), names.map(|name| (name, 1)));
        assert_eq!(group.workload.label.as_deref(), Some(label));
        assert_eq!(group.workload.requests, Some(500));
        assert_eq!(group.workload.input_tokens, Some(33_418));
    }
    let [throughput, latency] = [&steps.groups[0].workload, &steps.groups[1].workload];
    assert_eq!(throughput.max_concurrency, Setting::Value(16.0));
    assert_eq!(throughput.request_rate, Setting::Unlimited);
    assert_eq!(latency.max_concurrency, Setting::Unlimited);
    assert_eq!(latency.request_rate, Setting::Value(10.0));
}

#[test]
fn each_note_says_its_load() {
    let load = |note: &str| {
        let read = dataset(&[&own(note)]);
        let workload = &read.groups[0].workload;
        (workload.requests, workload.max_concurrency.clone(), workload.request_rate.clone())
    };
    assert_eq!(load(NOTES[0]), (Some(800), Setting::Value(15.0), Setting::Unlimited));
    assert_eq!(load(NOTES[1]), (Some(200), Setting::Unlimited, Setting::Unlimited));
    assert_eq!(load(NOTES[4]), (Some(3000), Setting::Unknown, Setting::Unknown));
}

#[test]
fn claims_stay_with_the_block_below_them() {
    let claims = |note: &str| -> Vec<(String, String, f64, Option<bool>)> {
        let read = dataset(&[&own(note)]);
        let of_run = |run: &beyondnoise::runs::Run| {
            let variant = run.variant.clone();
            let claims = run.info.claims.iter();
            claims.map(|c| (variant.clone(), c.text.clone(), c.size, c.up)).collect::<Vec<_>>()
        };
        runs(&read).into_iter().flat_map(of_run).collect()
    };
    assert_eq!(
        claims(NOTES[2]),
        [("用 seq_lens cpu cache".to_owned(), "TTFT ⬇️ 3.44%".to_owned(), 0.0344, Some(false))]
    );
    let steps = claims(NOTES[3]);
    let expected = std::fs::read_to_string(own(NOTES[3])).expect("the note");
    let written: Vec<&str> = expected.lines().filter(|line| line.contains('%')).collect();
    assert_eq!(steps.len(), written.len());
    for (found, line) in steps.iter().zip(&written) {
        assert_eq!(found.1, line.trim());
    }
}

/// By hand: 500 / 206.06 = 2.42648 and 61516 / 206.06 = 298.534; the block prints 2.43, 298.53
/// and 460.70.
#[test]
fn throughputs_are_recomputed_from_counts_and_duration() {
    let steps = dataset(&[&own(NOTES[3])]);
    let first = &steps.groups[0].variants[0].runs[0];
    close(value(first, "request_throughput"), 500.0 / 206.06);
    // Printed to five digits, these are known no better from the counts: what is printed stays.
    close(value(first, "output_throughput"), 298.53);
    close(value(first, "total_token_throughput"), 460.70);
    // Half a hundredth of a second in 206.06 s.
    let resolution = first.metrics["request_throughput"].resolution;
    close(resolution, 500.0 / 206.06 * 0.005 / 206.06);
    assert_eq!(first.metrics["mean_ttft_ms"].resolution, 0.005);
}

#[test]
fn p50_is_the_median() {
    let old = dataset(&[&own(NOTES[4])]);
    let run = runs(&old)[0];
    assert!(!run.metrics.contains_key("p50_ttft_ms"));
    for (metric, expected) in [
        ("median_ttft_ms", 124.74),
        ("p75_itl_ms", 56.68),
        ("p95_tpot_ms", 72.10),
        ("p99_e2el_ms", 73_790.91),
    ] {
        assert_eq!(value(run, metric), expected);
    }
    assert_eq!((run.info.failed, run.info.completed), (None, Some(3000)));
}

#[test]
fn two_folders_of_measurements_are_two_variants_in_their_order() {
    let serving = dataset(&[&own("data/serving")]);
    let [group] = &serving.groups[..] else { panic!("{} groups", serving.groups.len()) };
    assert_eq!(counts(group), [("after", 6), ("before", 6)]);
    assert!(group.duplicates.is_empty());
    let mut order: Vec<(&str, &str)> = group
        .variants
        .iter()
        .flat_map(|variant| &variant.runs)
        .map(|run| (run.info.started.as_deref().expect("a date"), run.variant.as_str()))
        .collect();
    order.sort_unstable();
    let letters: String =
        order.iter().map(|(_, v)| if *v == "before" { 'B' } else { 'A' }).collect();
    assert_eq!(letters, "BAABBAABBAAB");
    for variant in &group.variants {
        assert!(variant.runs.is_sorted_by_key(|run| &run.info.started));
    }
    let workload = &group.workload;
    assert_eq!(workload.model.as_deref(), Some("tiny-model"));
    assert_eq!(workload.max_concurrency, Setting::Value(8.0));
    assert_eq!(workload.request_rate, Setting::Unlimited);
}

/// Expected: the figures that the client wrote into the same files with NumPy.
#[test]
fn figures_from_requests_agree_with_those_of_the_client() {
    let serving = dataset(&[&own("data/serving")]);
    let all = runs(&serving);
    assert_eq!(all.iter().filter(|run| run.requests.is_some()).count(), 4);
    for run in all {
        let text = std::fs::read_to_string(&*run.source.path).expect("the file");
        let raw: Json = serde_json::from_str(&text).expect("JSON");
        for family in ["ttft", "tpot", "itl", "e2el"] {
            for statistic in ["mean", "median", "p90", "p99"] {
                let name = format!("{statistic}_{family}_ms");
                close(value(run, &name), raw[&name].as_f64().expect("a number"));
            }
        }
        close(
            value(run, "output_throughput"),
            raw["output_throughput"].as_f64().expect("a number"),
        );
        let Some(requests) = &run.requests else { continue };
        for family in ["ttft", "tpot", "itl", "e2el"] {
            for statistic in ["mean", "median", "p90", "p99"] {
                let name = format!("{statistic}_{family}_ms");
                close(requests.figures[&name].value, raw[&name].as_f64().expect("a number"));
            }
        }
        assert_eq!((requests.counts["ttft"], requests.counts["itl"]), (1000, 23_000));
    }
}

#[test]
fn the_printed_blocks_of_measured_runs_are_the_same_runs() {
    let json =
        ["before", "after"].map(|name| format!("{name}={}", own(&format!("data/serving/{name}"))));
    let both = dataset(&[&json[0], &json[1], &own("data/notes/mock-abba.md")]);
    assert_eq!(runs(&both).len(), 12);
    assert_eq!(both.groups[0].duplicates.len(), 4);
}
