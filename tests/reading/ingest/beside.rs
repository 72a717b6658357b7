//! Files that lie beside results: which are left out and named, and which stop.

use beyondnoise::error::chain;
use beyondnoise::read::{Loaded, Options, load};

use super::Files;

const GOOD: (&str, &str) = (
    "good.csv",
    "variant,output_throughput\nbefore,100.5\nbefore,101.5\nafter,102.5\nafter,103.5\n",
);

fn read(files: &Files, name: Option<&str>) -> Result<Loaded, String> {
    let path = name.map_or_else(|| files.0.path().to_path_buf(), |name| files.0.path().join(name));
    load(&[path.display().to_string()], &Options::default()).map_err(|error| chain(&error))
}

/// No results, as files of other people: name, content, and words of the reason.
const OTHER: &[(&str, &str, &[&str])] = &[
    ("ragged.csv", "name,city,age\nann,york,30\nbob,leeds\n", &["line 3", "expected 3 columns"]),
    ("head.csv", "model,output_throughput,mean_ttft_ms\n", &["at least one row", "found none"]),
    (
        "plan.csv",
        "__run_id,__done,model,energy/token,latency\nrun_0,TODO,a, , \nrun_1,TODO,b, , \n",
        &["2 rows and no measurement", "energy/token, latency are empty", "__done is TODO"],
    ),
    (
        "made.csv",
        "__run_id,__done,job,energy_usage\nrun_0,DONE,a, \nrun_1,DONE,b, \n",
        &["2 rows and no measurement", "energy_usage is empty", "__done is DONE"],
    ),
    ("words.csv", "name,city\nann,york\nbob,4 leeds\n", &[]),
    ("tsconfig.json", "{\n  // comment\n  \"strict\": true\n}\n", &["expected JSON"]),
    ("commands.txt", "wrk -t6 -c400 -d30s http://127.0.0.1/hello\n", &[]),
    (
        "history.csv",
        "Timestamp,User Count,Type,Name,Requests/s\n1780000000,1,,Aggregated,2.5\n",
        &["time series"],
    ),
    ("book.xlsx", "PK\u{3}\u{4} xl/workbook.xml", &["Excel workbook", "save it as CSV"]),
];

#[test]
fn a_file_that_is_no_result_does_not_stop_a_folder() {
    for (name, content, words) in OTHER {
        let files = Files::new(&[GOOD, (name, content)]);
        let loaded = read(&files, None).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(loaded.dataset.runs().count(), 4, "{name}");
        let input = loaded.dataset.inputs.iter().find(|input| input.path.ends_with(name));
        let why = &input.expect("named").skipped[0].why;
        assert!(words.iter().all(|words| why.contains(words)), "{name}: {why}");
        assert!(
            !why.contains("run the benchmark again") && !why.contains("request failed"),
            "{why}"
        );
    }
}

#[test]
fn the_same_file_stops_with_the_truth_where_it_is_named() {
    for (name, content, words) in OTHER {
        let files = Files::new(&[(name, content)]);
        let message = read(&files, Some(name)).err().unwrap_or_else(|| panic!("{name}: was read"));
        assert!(words.iter().all(|words| message.contains(words)), "{name}: {message}");
        assert!(
            message.contains(name) && !message.contains("run the benchmark again"),
            "{message}"
        );
    }
}

#[test]
fn a_folder_in_which_nothing_was_read_says_why() {
    let files = Files::new(&[(OTHER[0].0, OTHER[0].1), (OTHER[2].0, OTHER[2].1)]);
    let message = read(&files, None).expect_err("nothing to read");
    for words in ["found none", "ragged.csv", "line 3", "plan.csv", "no measurement"] {
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn a_result_that_is_damaged_stops_a_folder() {
    for (name, content, words) in [
        (
            "cut.json",
            "{\"model_id\": \"m\", \"num_prompts\": 5, \"completed\": 5, \"request_throughput\": 2.5, \"ttfts\": [0.1, ",
            "end of the file",
        ),
        ("cut-off.json", "{\"results\": [1, 2", "end of the file"),
        ("empty.json", "", "an empty file"),
        ("row.csv", "variant,output_throughput\nbefore,100.5\nafter\n", "line 3"),
        ("long.csv", "metric,value,note\nx,1.5,a\nx,2.5\n", "line 3"),
        (
            "results_stats.csv",
            "Type,Name,Request Count,Failure Count,Average Response Time,Requests/s\nGET,/,5,0,12.5\n",
            "line 2",
        ),
    ] {
        let files = Files::new(&[GOOD, (name, content)]);
        let message = read(&files, None).expect_err(name);
        assert!(message.contains(name) && message.contains(words), "{message}");
        let inputs = [files.0.path().display().to_string()];
        let lenient = Options { lenient: true, ..Options::default() };
        let loaded = load(&inputs, &lenient).expect("the good runs");
        assert!(loaded.dataset.runs().count() >= 4, "{name}");
    }
}

#[test]
fn requests_that_were_never_sent_did_not_fail() {
    let files = Files::new(&[(
        "r.json",
        "{\"model_id\": \"m\", \"num_prompts\": 0, \"completed\": 0, \"request_throughput\": 0.0}",
    )]);
    let message = read(&files, Some("r.json")).expect_err("no request");
    assert!(message.contains("found 0") && !message.contains("failed"), "{message}");
    let files = Files::new(&[(
        "r.json",
        "{\"model_id\": \"m\", \"num_prompts\": 9, \"completed\": 0, \"request_throughput\": 0.0}",
    )]);
    let message = read(&files, Some("r.json")).expect_err("all failed");
    assert!(
        message.contains("every request failed") && message.contains("run the benchmark again"),
        "{message}"
    );
}
