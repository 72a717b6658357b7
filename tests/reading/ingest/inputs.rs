//! What may be typed on the command line, and which variants it gives.

use beyondnoise::read::{Options, load};

use super::{Files, block, counts, dataset, runs, try_load, value};

/// A result of the vLLM client with this mean TTFT.
fn json(ttft: f64) -> String {
    format!(
        "{{\"date\": \"20261001-1200{:02.0}\", \"model_id\": \"m\", \"num_prompts\": 10, \"request_rate\": \"inf\", \
         \"duration\": 2.5123456, \"completed\": 10, \"failed\": 0, \"total_input_tokens\": 320, \
         \"total_output_tokens\": 160, \"request_throughput\": 3.98, \"mean_ttft_ms\": {ttft}123456}}",
        ttft * 10.0 % 60.0
    )
}

/// Files of these names, each with a run of its own.
fn files(names: &[&str]) -> Files {
    let content: Vec<String> = (0..names.len()).map(|n| json(10.5 + n as f64)).collect();
    let pairs: Vec<(&str, &str)> =
        names.iter().copied().zip(content.iter().map(String::as_str)).collect();
    Files::new(&pairs)
}

/// Variants with their numbers of runs for inputs relative to the folder.
fn variants(files: &Files, inputs: &[&str]) -> Vec<(String, usize)> {
    let placed: Vec<String> = inputs
        .iter()
        .map(|input| match input.split_once('=').filter(|(name, _)| !name.contains('/')) {
            Some((name, path)) => format!("{name}={}", files.path(path)),
            None => files.path(input),
        })
        .collect();
    let read = load(&placed, &Options::default()).expect("readable inputs").dataset;
    assert_eq!(read.groups.len(), 1);
    let mut all: Vec<(String, usize)> =
        counts(&read.groups[0]).into_iter().map(|(name, n)| (name.to_owned(), n)).collect();
    all.sort();
    all
}

fn are(found: &[(String, usize)], expected: &[(&str, usize)]) {
    let found: Vec<(&str, usize)> = found.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_name_before_the_path_is_the_variant() {
    let folder = files(&["x/1.json", "x/2.json", "y.json"]);
    are(&variants(&folder, &["old=x", "new=y.json"]), &[("new", 1), ("old", 2)]);
    are(&variants(&folder, &["old=x/*.json", "old=y.json"]), &[("old", 3)]);
}

#[test]
fn a_path_with_an_equals_sign_is_a_path() {
    let folder = files(&["run=0.json", "run=1.json"]);
    assert_eq!(dataset(&[&folder.path("run=0.json")]).variant_names(), ["run=0"]);
    let pattern = folder.path("run=*.json");
    assert_eq!(runs(&dataset(&[&pattern])).len(), 2);
}

#[test]
fn sub_folders_are_variants_at_any_depth() {
    for names in [
        ["before/run-1.json", "before/run-2.json", "after/run-1.json", "after/run-2.json"],
        ["d/before/1.json", "d/before/2.json", "d/after/1.json", "d/after/2.json"],
        ["before/r1/1.json", "before/r2/1.json", "after/r1/1.json", "after/r2/1.json"],
    ] {
        are(&variants(&files(&names), &["."]), &[("after", 2), ("before", 2)]);
        // As the shell hands them over.
        are(&variants(&files(&names), &names), &[("after", 2), ("before", 2)]);
    }
    // Other folders are settings: a run of each variant in each.
    for names in [
        ["before/d1/1.json", "before/d2/1.json", "after/d1/1.json", "after/d2/1.json"],
        ["m/before/1.json", "n/before/1.json", "m/after/1.json", "n/after/1.json"],
    ] {
        let files = files(&names);
        for inputs in [vec![files.path(".")], names.map(|name| files.path(name)).to_vec()] {
            let read = load(&inputs, &Options::default()).expect("readable").dataset;
            assert_eq!(read.groups.len(), 2, "{names:?}");
            for group in &read.groups {
                assert!(group.workload.other.contains_key("folder"));
                let mut found = counts(group);
                found.sort_unstable();
                assert_eq!(found, [("after", 1), ("before", 1)]);
            }
            let pool = Options { pool: vec!["folder".to_owned()], ..Options::default() };
            assert_eq!(load(&inputs, &pool).expect("readable").dataset.groups.len(), 1);
        }
    }
    let folder = files(&["before/run-1.json", "after/run-1.json"]);
    are(&variants(&folder, &["*/*.json"]), &[("after", 1), ("before", 1)]);
}

#[test]
fn a_flat_folder_is_told_apart_by_file_names() {
    let folder = files(&["A_00.json", "A_01.json", "B_00.json", "B_01.json"]);
    std::fs::write(folder.path("README.md"), "Results of today\n").expect("a file");
    are(&variants(&folder, &["."]), &[("A", 2), ("B", 2)]);
    are(
        &variants(&folder, &["A_00.json", "A_01.json", "B_00.json", "B_01.json"]),
        &[("A", 2), ("B", 2)],
    );
}

#[test]
fn numbers_that_are_part_of_a_name_stay() {
    let folder = files(&["fp8.json", "fp16.json", "base.json"]);
    are(
        &variants(&folder, &["base.json", "fp8.json", "fp16.json"]),
        &[("base", 1), ("fp16", 1), ("fp8", 1)],
    );
    are(&variants(&folder, &["."]), &[("base", 1), ("fp16", 1), ("fp8", 1)]);
}

#[test]
fn two_files_of_one_name_are_two_variants() {
    let folder = files(&["x/base/result.json", "x/try/result.json"]);
    are(
        &variants(&folder, &["x/base/result.json", "x/try/result.json"]),
        &[("base", 1), ("try", 1)],
    );
    are(&variants(&folder, &["x/base", "x/try"]), &[("base", 1), ("try", 1)]);
    let folder = files(&["base/results/1.json", "try/results/1.json"]);
    are(&variants(&folder, &["base/results", "try/results"]), &[("base", 1), ("try", 1)]);
    are(
        &variants(&folder, &["base/results/*.json", "try/results/*.json"]),
        &[("base", 1), ("try", 1)],
    );
}

#[test]
fn the_first_of_two_bare_inputs_is_known() {
    let folder = files(&["x.json", "y.json"]);
    let read = try_load(&[&folder.path("x.json"), &folder.path("y.json")]).unwrap();
    assert_eq!(read.assumed_base.as_deref(), Some("x"));
    let named =
        try_load(&[&format!("a={}", folder.path("x.json")), &folder.path("y.json")]).unwrap();
    assert_eq!(named.assumed_base, None);
}

#[test]
fn headings_of_one_note_stay_beside_other_inputs() {
    let note = format!("main:\n{}pr:\n{}", block(None, 2.5, 10.5), block(None, 2.5, 11.5));
    let other = block(None, 2.5, 12.5);
    let folder = Files::new(&[("note.md", &note), ("third.txt", &other)]);
    are(&variants(&folder, &["note.md", "third.txt"]), &[("main", 1), ("pr", 1), ("third", 1)]);
}

#[test]
fn labels_in_files_give_way_to_folders() {
    let with_label = |label: &str, ttft| {
        json(ttft).replace("\"num_prompts\"", &format!("\"label\": \"{label}\", \"num_prompts\""))
    };
    let (one, two) = (with_label("take1", 10.5), with_label("take2", 11.5));
    let folder = Files::new(&[("before/a.json", &one), ("after/a.json", &two)]);
    are(&variants(&folder, &["."]), &[("after", 1), ("before", 1)]);
    let folder = Files::new(&[("a.json", &one), ("b.json", &two)]);
    are(&variants(&folder, &["."]), &[("take1", 1), ("take2", 1)]);
}

#[test]
fn one_file_given_twice_is_one_run() {
    let folder = files(&["x.json"]);
    let path = folder.path("x.json");
    let read = dataset(&[&format!("a={path}"), &format!("b={path}")]);
    assert_eq!(runs(&read).len(), 1);
    assert_eq!(read.groups[0].duplicates.len(), 1);
}

#[test]
#[cfg(unix)]
fn one_file_by_several_paths_is_read_once() {
    // Too few digits to tell by the values.
    let folder = Files::new(&[
        ("a.csv", "mean_ttft_ms\n501.2\n503.4\n"),
        ("b.csv", "mean_ttft_ms\n511.2\n513.4\n"),
    ]);
    std::os::unix::fs::symlink(folder.path("a.csv"), folder.path("latest.csv")).expect("a link");
    let paths = ["a.csv", "./a.csv", "latest.csv"].map(|name| format!("a={}", folder.path(name)));
    let read = dataset(&[&paths[0], &paths[1], &paths[2], &format!("b={}", folder.path("b.csv"))]);
    assert_eq!(counts(&read.groups[0]), [("a", 2), ("b", 2)]);
    assert_eq!(read.groups[0].duplicates.len(), 4);
}

#[test]
fn hidden_files_and_loops_are_passed_over() {
    let folder = files(&["a/1.json", "b/1.json", ".cache/1.json"]);
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path("."), folder.path("a/loop")).expect("a link");
    are(&variants(&folder, &["."]), &[("a", 1), ("b", 1)]);
}

#[test]
fn runs_are_in_natural_order() {
    let plain = |ttft: f64| json(ttft).replace("date", "day");
    let content = [plain(10.5), plain(11.5), plain(12.5)];
    let folder = Files::new(&[
        ("x/run-10.json", &content[0]),
        ("x/run-9.json", &content[1]),
        ("x/run-100.json", &content[2]),
    ]);
    let read = dataset(&[&folder.path("x"), &folder.path("x/run-9.json")]);
    let order: Vec<f64> =
        runs(&read).iter().map(|run| value(run, "mean_ttft_ms").floor()).collect();
    assert_eq!(order, [11.0, 10.0, 12.0]);
}

#[test]
fn direction_marks_and_control_characters_leave_labels() {
    let note = format!(
        "## ma\u{202e}in\n{}## p\u{7}r\n{}",
        block(None, 2.5, 10.5),
        block(None, 2.5, 11.5)
    );
    let folder = Files::new(&[("note.md", &note)]);
    are(&variants(&folder, &["note.md"]), &[("main", 1), ("pr", 1)]);
}

#[test]
fn versions_in_file_names_stay_whole() {
    let texts = [10.5, 11.5, 12.5].map(|ttft| block(Some(4), 2.5, ttft));
    for names in [["main.txt", "v0.9.1", "v0.9.2"], ["main", "qwen2.5-7b", "qwen2.5-14b"]] {
        let pairs: Vec<(&str, &str)> =
            names.into_iter().zip(texts.iter().map(String::as_str)).collect();
        let folder = Files::new(&pairs);
        let mut expected = names.map(|name| (name.trim_end_matches(".txt").to_owned(), 1));
        expected.sort();
        assert_eq!(variants(&folder, &[""]), expected);
    }
}

/// Rows of several engines in a file that the input names, or whose name says its side, are no repeats of one another.
#[test]
fn labels_inside_of_a_named_input_are_a_setting() {
    let table = |header: &str, one: &str, other: &str| {
        format!("| {header} | tok/s |\n|---|---|\n| vllm | {one} |\n| sglang | {other} |\n")
    };
    let note = |one: &str, other: &str| {
        format!(
            "## eager\n\nTTFT: {one} ms\ntok/s: 90.5\n\n## graph\n\nTTFT: {other} ms\ntok/s: 80.5\n"
        )
    };
    let texts = [
        (table("engine", "100.5", "90.5"), table("engine", "103.5", "91.5")),
        (table("variant", "100.5", "90.5"), table("variant", "103.5", "91.5")),
        (note("12.5", "11.5"), note("12.75", "11.25")),
    ];
    for (before, after) in &texts {
        let files = Files::new(&[("main.md", before), ("pr.md", after)]);
        let named = [("a=", "b="), ("", "")];
        for (a, b) in named {
            let inputs =
                [format!("{a}{}", files.path("main.md")), format!("{b}{}", files.path("pr.md"))];
            let read = load(&inputs, &Options::default()).expect("readable").dataset;
            assert_eq!(read.groups.len(), 2, "{read:?}");
            for group in &read.groups {
                let runs: Vec<usize> = counts(group).into_iter().map(|(_, n)| n).collect();
                assert_eq!(runs, [1, 1], "{before}");
            }
        }
    }
}

/// A file for each engine in the folder of a side: the engines are a setting. Labels that only count runs are repeats.
#[test]
fn a_label_of_each_file_below_a_named_input_is_a_setting() {
    let table =
        |label: &str, value: &str| format!("variant,tok_s\n{label},{value}5\n{label},{value}25\n");
    let paths = ["main/a.csv", "main/b.csv", "pr/a.csv", "pr/b.csv"];
    for (labels, groups, each) in [(["vllm", "sglang"], 2, 2), (["x-1", "x-2"], 1, 4)] {
        let texts: Vec<String> =
            (0..4).map(|at| table(labels[at % 2], ["500.", "501.", "502.", "503."][at])).collect();
        let pairs: Vec<(&str, &str)> =
            paths.into_iter().zip(texts.iter().map(String::as_str)).collect();
        let files = Files::new(&pairs);
        let [main, pr, all] = ["main", "pr", "."].map(|path| files.path(path));
        for inputs in [
            vec![main.clone(), pr.clone()],
            vec![format!("a={main}"), format!("b={pr}")],
            vec![all],
        ] {
            let read = load(&inputs, &Options::default()).expect("readable").dataset;
            assert_eq!(read.groups.len(), groups, "{inputs:?}: {read:?}");
            for group in &read.groups {
                let runs: Vec<usize> = counts(group).into_iter().map(|(_, n)| n).collect();
                assert_eq!(runs, [each, each], "{inputs:?}");
            }
        }
    }
}
