//! Capacity at a service level objective, through the executable.

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Output};

use serde_json::{Value, json};

const SWEEP: &str = include_str!("../../data/sweep.csv");

fn compare(table: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("t.csv"), table).expect("a file");
    Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .args(["compare", "t.csv"])
        .args(arguments)
        .current_dir(folder.path())
        .env("NO_COLOR", "1")
        .output()
        .expect("the executable")
}

fn text(table: &str, arguments: &[&str]) -> String {
    let out = compare(table, arguments);
    let text = String::from_utf8(out.stdout).expect("text");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn capacity(table: &str, arguments: &[&str]) -> Value {
    let out = compare(table, &[&["--format", "json"], arguments].concat());
    let complaint = String::from_utf8_lossy(&out.stderr);
    let mut report: Value =
        serde_json::from_slice(&out.stdout).unwrap_or_else(|error| panic!("{error}: {complaint}"));
    let schema: Value = serde_json::from_str(include_str!("../../data/schema/report.schema.json"))
        .expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    if let Err(error) = validator.validate(&report) {
        panic!("{error}");
    }
    report["sweeps"][0]["capacity"].take()
}

fn near(found: &Value, expected: f64, within: f64) {
    let number = found.as_f64().unwrap_or(f64::NAN);
    assert!((number - expected).abs() < within, "{found}, expected {expected}");
}

/// The same with the columns of `pr` times a factor.
fn faster(factor: f64) -> String {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        if cells[0] != "pr" {
            return line.to_owned();
        }
        let value = |(at, cell): (usize, &&str)| match at {
            0..3 => (*cell).to_owned(),
            3 | 4 => (cell.parse::<f64>().expect("a number") * factor).to_string(),
            _ => (cell.parse::<f64>().expect("a number") / factor).to_string(),
        };
        cells.iter().enumerate().map(value).collect::<Vec<_>>().join(",")
    };
    SWEEP.lines().map(row).collect::<Vec<_>>().join("\n")
}

/// Expected values: an implementation of the same definition in numpy 2 and scipy 1, with 64 points a gap and runs linked, since
/// the run numbers recur at every load.
#[test]
fn capacities_and_their_change_are_those_of_numpy() {
    let one = capacity(SWEEP, &["--slo", "p99_ttft_ms<300"]);
    near(&one["baseline"]["load"], 28.866_058_920_575_064, 1e-9);
    near(&one["baseline"]["throughput"], 14.589_067_310_707_833, 1e-9);
    near(&one["candidate"]["load"], 29.834_198_806_822_954, 1e-9);
    near(&one["relative"], 15.347_423_472_817_411 / 14.589_067_310_707_833 - 1.0, 1e-9);
    near(&one["relative_ci_adjusted"][0], 0.019_400_0, 2e-4);
    near(&one["relative_ci_adjusted"][1], 0.083_105_8, 2e-4);
    assert_eq!(one["baseline"]["between"], json!([16.0, 32.0]));
    assert_eq!(
        (&one["verdict"], &one["throughput"]),
        (&json!("better"), &json!("request_throughput"))
    );
    let two = capacity(SWEEP, &["--slo", "p99_ttft_ms<0.3s", "--slo", "mean TPOT<=8"]);
    near(&two["candidate"]["throughput"], 14.117_934_029_665_818, 1e-9);
    near(&two["relative"], 14.117_934_029_665_818 / 13.132_087_026_256_961 - 1.0, 1e-9);
    near(&two["relative_ci_adjusted"][0], 0.065_962_4, 2e-4);
    near(&two["relative_ci_adjusted"][1], 0.084_141_4, 2e-4);
    assert_eq!(two["baseline"]["binding"], "mean_tpot_ms");
}

/// Loads with throughput and P99 TTFT of both builds, three runs of each that are 0.2 % apart.
fn loads(table: &[(u32, f64, [f64; 2])]) -> String {
    let mut text = "variant,run,max_concurrency,output_throughput,p99_ttft_ms\n".to_owned();
    for (side, build) in ["main", "pr"].iter().enumerate() {
        for run in 0..3 {
            for (at, (load, rate, p99)) in table.iter().enumerate() {
                let noise = |by: usize| [0.998, 1.0, 1.002][(run + by) % 3];
                let (rate, p99) = (rate * noise(at), p99[side] * noise(2 * at));
                writeln!(text, "{build},{},{load},{rate:.3},{p99:.3}", run + 1).expect("text");
            }
        }
    }
    text
}

const OVERLOAD: [(u32, f64, [f64; 2]); 3] =
    [(32, 1000.0, [160.0, 160.0]), (64, 880.0, [200.0, 400.0]), (128, 700.0, [400.0, 800.0])];

const COLD: [(u32, f64, [f64; 2]); 4] = [
    (8, 200.0, [45.0, 585.0]),
    (16, 380.0, [80.0, 80.0]),
    (32, 700.0, [160.0, 160.0]),
    (64, 1100.0, [400.0, 400.0]),
];

/// S4. By hand: both builds serve most at 32 in flight, where the limits hold; what doubles is the P99 at higher loads.
#[test]
fn throughput_past_its_peak_is_no_gain_of_capacity() {
    let limit = ["--slo", "p99_ttft_ms<300"];
    let found = capacity(&loads(&OVERLOAD), &limit);
    near(&found["relative"], 0.0, 1e-9);
    assert_eq!(
        (&found["baseline"]["load"], &found["candidate"]["load"]),
        (&json!(32.0), &json!(32.0))
    );
    assert_eq!(found["verdict"], "no_change");
    let said = text(&loads(&OVERLOAD), &limit);
    assert!(said.contains("both serve most at 32 in flight, 1000 tok/s"), "{said}");
    assert!(said.contains("the limits hold up to 107 (main) and 56.9 (pr)"), "{said}");
}

/// S4. By hand: 1/300 lies between 1/160 and 1/400 at 56.9 in flight, where throughput is 1011 tok/s, for both.
#[test]
fn a_cold_first_load_is_named_and_not_counted() {
    let limit = ["--slo", "p99_ttft_ms<300"];
    let found = capacity(&loads(&COLD), &limit);
    near(&found["relative"], 0.0, 1e-9);
    near(&found["candidate"]["throughput"], 1011.111, 1e-2);
    assert_eq!(found["verdict"], "no_change");
    assert_eq!(found["broken"][0]["load"], json!(8.0));
    let said = text(&loads(&COLD), &limit);
    assert!(
        said.contains("but pr breaks P99 TTFT at 8 in flight (585 ms; main 45 ms), the lowest load: a cold start?"),
        "{said}"
    );
}

/// S4. Identical builds, of which one lacks its P99 at one load: the load is dropped on both sides and named.
#[test]
fn a_load_at_which_one_side_lacks_a_limited_metric_is_left_out_and_named() {
    let table = loads(&[
        (8, 200.0, [45.0, 45.0]),
        (16, 380.0, [80.0, 80.0]),
        (32, 700.0, [160.0, 160.0]),
        (64, 1100.0, [400.0, 400.0]),
    ]);
    let blank = |line: &str| {
        if line.starts_with("pr,") && line.contains(",32,") {
            format!("{},", line.rsplit_once(',').expect("cells").0)
        } else {
            line.to_owned()
        }
    };
    let table = table.lines().map(blank).collect::<Vec<_>>().join("\n");
    let found = capacity(&table, &["--slo", "p99_ttft_ms<300"]);
    near(&found["relative"], 0.0, 1e-9);
    assert_eq!(found["left_out"][0]["load"], json!(32.0));
    let said = text(&table, &["--slo", "p99_ttft_ms<300"]);
    assert!(said.contains("(32 in flight left out: pr has no P99 TTFT there)"), "{said}");
}

/// S4. Limits of a sweep whose loads are in a column that is no known load are an error that names it.
#[test]
fn limits_without_a_column_of_loads_are_an_error() {
    let table = loads(&OVERLOAD).replace("max_concurrency", "batch_size");
    let out = compare(&table, &["--slo", "p99_ttft_ms<300"]);
    assert_eq!(out.status.code(), Some(2));
    let complaint = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(complaint.contains("--along") && complaint.contains("batch_size"), "{complaint}");
    let along = ["--slo", "p99_ttft_ms<300", "--along", "batch_size"];
    assert_eq!(compare(&table, &along).status.code(), Some(0));
}

/// S4. Two sweeps: the title says both capacities, the worse first.
#[test]
fn two_sweeps_say_both_capacities() {
    let slower = [
        (8, 200.0, [45.0, 52.0]),
        (16, 380.0, [80.0, 96.0]),
        (32, 700.0, [160.0, 192.0]),
        (64, 1100.0, [400.0, 480.0]),
    ];
    let same = slower.map(|(load, rate, [a, _])| (load, rate, [a, a]));
    let with = |osl: &str, table: String| {
        let rows = table.lines().skip(1).map(|line| format!("{line},{osl}\n"));
        rows.collect::<String>()
    };
    let table = format!(
        "variant,run,max_concurrency,output_throughput,p99_ttft_ms,output_len\n{}{}",
        with("128", loads(&same)),
        with("1024", loads(&slower))
    );
    let said = text(&table, &["--slo", "p99_ttft_ms<300"]);
    let title = said.split("Next").next().unwrap_or_default();
    let worse = title.find(", worse").expect("the worse one");
    let same = title.find(", no change").expect("the other one");
    assert!(
        title.starts_with("beyondnoise: capacity at P99 TTFT < 300 ms: pr") && worse < same,
        "{title}"
    );
}

/// S4. Latencies of 15 ms and then 21 ms under a limit of 20 ms, met in 6 of 6 runs and in none: no tolerance passes it.
#[test]
fn the_gate_guards_a_limit_that_the_baseline_meets() {
    let rows = |build: &str, values: [f64; 6]| -> String {
        values.iter().map(|value| format!("{build},{value}\n")).collect::<Vec<_>>().concat()
    };
    let main = rows("main", [15.1, 15.3, 15.2, 15.4, 15.0, 15.2]);
    let status = |pr: [f64; 6], guard: &[&str]| {
        let table = format!("build,latency_ms\n{main}{}", rows("pr", pr));
        let limit = ["--slo", "latency_ms<20", "--gate", "--tolerance", "50%"];
        let out = compare(&table, &[&limit[..], guard].concat());
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let broken = [21.1, 21.3, 20.9, 21.2, 21.4, 21.0];
    assert_eq!(status(broken, &[]).0, Some(0));
    let (code, why) = status(broken, &["--guard", "slo"]);
    assert_eq!(code, Some(1));
    assert!(why.contains("met in 6 of 6 runs of the baseline and in 0 of 6"), "{why}");
    // By scipy.stats.t.sf: the margin of these is no shown break, p 0.16.
    assert_eq!(status([19.2, 21.5, 20.1, 19.8, 21.0, 20.4], &["--guard", "slo"]).0, Some(0));
}

#[test]
fn swapping_the_builds_mirrors_the_interval_and_threads_change_nothing() {
    let limit = ["--slo", "p99_ttft_ms<300"];
    let there = capacity(SWEEP, &limit);
    let back = capacity(SWEEP, &[&limit[..], &["--base", "pr"]].concat());
    for (a, b) in [(0, 1), (1, 0)] {
        let [a, b] = [&there["relative_ci_adjusted"][a], &back["relative_ci_adjusted"][b]];
        let product = (1.0 + a.as_f64().expect("an end")) * (1.0 + b.as_f64().expect("an end"));
        assert!((product - 1.0).abs() < 1e-12, "{a} {b}");
    }
    assert_eq!(back["verdict"], "worse");
    let mut rows: Vec<&str> = SWEEP.lines().skip(1).collect();
    rows.reverse();
    let header = SWEEP.lines().next().expect("a header");
    let turned = [&[header], &rows[..]].concat().join("\n");
    let again = capacity(&turned, &limit);
    assert_eq!(again["relative_ci_adjusted"], there["relative_ci_adjusted"]);
}

#[test]
fn nothing_is_claimed_beyond_the_measured_loads() {
    let both = capacity(SWEEP, &["--slo", "p99_ttft_ms<2000"]);
    assert_eq!((&both["relative"], &both["verdict"]), (&Value::Null, &json!("not_judged")));
    assert_eq!(both["baseline"]["reached"], "at_least");
    let said = text(SWEEP, &["--slo", "p99_ttft_ms<2000"]);
    assert!(said.contains("both hold the limits at every load"), "{said}");
    // Of 128 in flight pr needs 1142 / 1.3 ms.
    let one = capacity(&faster(1.3), &["--slo", "p99_ttft_ms<1000"]);
    assert_eq!(one["candidate"]["reached"], "at_least");
    assert!(one["relative_ci_adjusted"][0].as_f64() > Some(0.1));
    assert_eq!(one["relative_ci_adjusted"][1], Value::Null);
    let said = text(&faster(1.3), &["--slo", "p99_ttft_ms<1000"]);
    assert!(said.contains(": at least +") && said.contains("better"), "{said}");
    let none = capacity(SWEEP, &["--slo", "p99_ttft_ms<1"]);
    assert_eq!(none["candidate"]["reached"], "at_most");
}

#[test]
fn a_limit_from_below_is_one_of_a_metric_that_falls() {
    let mut table = String::new();
    for (at, line) in SWEEP.lines().enumerate() {
        let tpot = line.rsplit(',').next().and_then(|cell| cell.parse::<f64>().ok());
        let rate =
            tpot.map_or("output_tok_s_per_user".to_owned(), |tpot| (1000.0 / tpot).to_string());
        assert_eq!(at == 0, tpot.is_none());
        writeln!(table, "{line},{rate}").expect("text");
    }
    // Nearly the same limit: the mean of reciprocals is not the reciprocal of the mean.
    let rate =
        capacity(&table, &["--slo", "output_tok_s_per_user>125", "--metric", "output_throughput"]);
    let tpot = capacity(&table, &["--slo", "mean_tpot_ms<8"]);
    near(&rate["relative"], tpot["relative"].as_f64().expect("a change"), 1e-3);
}

#[test]
fn the_gate_guards_the_capacity() {
    let status = |table: &str, arguments: &[&str]| {
        let out = compare(table, &[arguments, &["--gate", "--guard", "capacity", "-q"]].concat());
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    // Without deciding metrics that are worse.
    let limit = ["--slo", "p99_ttft_ms<300", "--metric", "mean_tpot_ms"];
    let slower: String = SWEEP
        .lines()
        .map(|line| {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            if cells[0] == "pr" {
                cells[6] = (cells[6].parse::<f64>().expect("a number") * 1.3).to_string();
            }
            cells.join(",") + "\n"
        })
        .collect();
    let (code, why) = status(&slower, &limit);
    assert_eq!(code, Some(1), "{why}");
    assert!(why.contains("guard capacity is worse by"), "{why}");
    assert_eq!(status(SWEEP, &limit).0, Some(0));
    let (code, why) = status(SWEEP, &["--slo", "p99_ttft_ms<5000", "--metric", "mean_tpot_ms"]);
    assert_eq!(code, Some(3), "{why}");
    assert!(why.contains("measure higher loads"), "{why}");
}

#[test]
fn limits_that_cannot_be_meant_are_errors() {
    let complaint = |arguments: &[&str]| {
        let out = compare(SWEEP, arguments);
        assert_eq!(out.status.code(), Some(2));
        String::from_utf8_lossy(&out.stderr).into_owned()
    };
    assert!(complaint(&["--slo", "output_throughput<10"]).contains("expected >"));
    assert!(complaint(&["--slo", "p99_tttft_ms<10"]).contains("p99_tttft_ms"));
    assert!(complaint(&["--guard", "capacity"]).contains("capacity"));
}

/// Expected intervals: scipy 1, `m exp(± t.ppf(0.975, 2) s / (m sqrt 3))` of 137.8, 142.9, 145.4.
#[test]
fn at_one_load_the_report_says_which_runs_meet_the_limit() {
    let table = "build,max_concurrency,p99_ttft_ms,output_throughput\nmain,8,137.8,100\nmain,8,142.9,101\nmain,8,145.4,102\n\
        pr,8,130,103\npr,8,131,104\npr,8,142.9,105\n";
    let limit = ["--slo", "p99_ttft_ms<=142.9"];
    let out = compare(table, &[&limit[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let slo = &report["comparisons"][0]["slo"][0];
    assert_eq!((&slo["baseline"]["met"], &slo["candidate"]["met"]), (&json!(2), &json!(3)));
    near(&slo["baseline"]["interval"][0], 132.729_929_259_550_3, 1e-3);
    near(&slo["baseline"]["interval"][1], 151.988_838_465_580_93, 1e-3);
    let said = text(table, &limit);
    assert!(said.contains("P99 TTFT <= 142.9 ms: main 142 ms"), "{said}");
    let out = compare(table, &[&limit[..], &["--gate", "--guard", "capacity"]].concat());
    assert_eq!(out.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&out.stderr).contains("--along"), "{out:?}");
}
