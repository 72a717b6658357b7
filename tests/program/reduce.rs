//! `reduce` from the command line: the script, and engines that run it. The engines are shell scripts here, which check how
//! they are called and give a table; `tests/differential/reduce.py` asks real ones.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// What an engine gives: a table of runs, with the columns that the verdict needs.
const RUNS: &str = "variant,run,pair,metric,value,resolution,unit,completed,failed,n_values,not_numbers,repeated\n";

const VALUES: [(&str, [f64; 3]); 2] =
    [("before", [20.1, 20.2, 20.3]), ("after", [17.1, 17.2, 17.3])];

fn runs() -> String {
    let rows = VALUES.iter().flat_map(|(variant, values)| {
        (1..).zip(values).map(move |(run, value)| {
            format!("{variant},{run},,mean_ttft_ms,{value},,ms,90,0,90,0,0")
        })
    });
    format!("{RUNS}{}\n", rows.collect::<Vec<_>>().join("\n"))
}

/// The same table as JSON lines.
fn lines() -> String {
    let mut all = String::new();
    for (variant, values) in VALUES {
        for (run, value) in (1..).zip(values) {
            writeln!(
                all,
                "{{\"variant\":\"{variant}\",\"run\":\"{run}\",\"metric\":\"mean_ttft_ms\",\"value\":{value},\
                 \"unit\":\"ms\",\"completed\":90,\"failed\":0,\"n_values\":90,\"not_numbers\":0,\"repeated\":0}}"
            )
            .expect("a text");
        }
    }
    all
}

/// A folder with a log, the table, and an engine of this name whose script begins with `#!/bin/sh`.
fn world(engine: &str, body: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    let mut log = "variant,run,start_time,ttft_ms\n".to_owned();
    for row in 0..40 {
        let variant = if row % 2 == 0 { "before" } else { "after" };
        writeln!(log, "{variant},{},{},{}", row / 10, 1_700_000_000 + row, 20 + row % 7)
            .expect("a text");
    }
    put("log.csv", &log);
    put("table.csv", &runs());
    put("table.ndjson", &lines());
    put(engine, &format!("#!/bin/sh\ncd '{}'\n{body}\n", folder.path().display()));
    let file = folder.path().join(engine);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("a permission");
    folder
}

/// `reduce`, with the folder before all others in the search for commands.
fn reduce(folder: &Path, arguments: &[&str]) -> Output {
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .args(["reduce", "--no-config"])
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("PATH", format!("{}:{path}", folder.display()))
        .output()
        .expect("the executable runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// How each engine is called: its arguments are checked word by word, and so is the start of the script.
const ENGINES: [(&str, &str, &str); 4] = [
    (
        "duckdb",
        "duckdb",
        "[ \"$1 $2 $3$4 $5\" = '-bail -csv -nullvalue -f' ] && grep -q '^WITH bn_log' \"$6\" && cat table.csv",
    ),
    (
        "clickhouse",
        "clickhouse",
        "[ \"$1 $2 $4 $5 $6 $7\" = 'local --queries-file --format CSVWithNames --format_csv_null_representation ' ] &&
         grep -q '^WITH bn_log' \"$3\" && cat table.csv",
    ),
    (
        "datafusion",
        "datafusion-cli",
        "[ \"$1 $2 $3 $4\" = '--quiet --format csv --file' ] && grep -q '^CREATE EXTERNAL TABLE' \"$5\" && cat table.csv",
    ),
    (
        "spark",
        "spark-sql",
        "[ \"$1 $2 $3 $4\" = '--conf spark.sql.catalogImplementation=in-memory -S -e' ] || exit 1
         to=$(printf %s \"$5\" | sed -n \"s/^INSERT OVERWRITE DIRECTORY USING json OPTIONS (path '\\(.*\\)')$/\\1/p\")
         mkdir \"$to\" && head -n 2 table.ndjson > \"$to/part-0.json\" && tail -n 4 table.ndjson > \"$to/part-1.json\"",
    ),
];

/// The verdict on what an engine gives is that of `compare` on the same table, and -o keeps that table.
#[test]
fn an_engine_is_called_and_its_table_judged() {
    for (dialect, engine, body) in ENGINES {
        let folder = world(engine, body);
        let judged = reduce(folder.path(), &["--dialect", dialect, "--run", "log.csv", "--", "-q"]);
        let (said, errors) = (text(&judged.stdout), text(&judged.stderr));
        assert!(judged.status.success(), "{dialect}: {errors}");
        let compared = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
            .args(["compare", "--no-config", "-q", "table.csv"])
            .current_dir(folder.path())
            .output()
            .expect("the executable runs");
        assert_eq!(said, text(&compared.stdout), "{dialect}");
        // 17.2 of 20.2, by hand.
        assert!(said.starts_with("beyondnoise: improved, mean TTFT −14.9 %"), "{dialect}: {said}");

        let kept =
            reduce(folder.path(), &["--dialect", dialect, "--run", "-o", "kept.table", "log.csv"]);
        assert!(kept.status.success(), "{dialect}: {}", text(&kept.stderr));
        let kept = fs::read_to_string(folder.path().join("kept.table")).expect("the table");
        assert!(kept == runs() || kept == lines(), "{dialect}: {kept}");
    }
}

/// Two calls give the same report to the byte, and the next command has its words where those of the judging are. By hand: 3 + 3
/// runs have no rank interval at 95 %.
#[test]
fn the_table_of_an_engine_has_one_name() {
    let folder = world("duckdb", ENGINES[0].2);
    let call = ["--dialect", "duckdb", "--run", "log.csv", "--"];
    let judged = |flags: &[&str]| reduce(folder.path(), &[&call[..], flags].concat());
    let flags = ["--across=hodges-lehmann", "--format", "json"];
    let [once, again] = [(); 2].map(|()| text(&judged(&flags).stdout));
    assert_eq!(once, again);
    let found: serde_json::Value = serde_json::from_str(&once).expect("a document");
    assert_eq!(found["inputs"][0]["path"], "the engine's table");
    assert_eq!(
        found["comparisons"][0]["next_command"],
        "beyondnoise reduce --no-config --dialect duckdb --run log.csv -- --across mean --format json"
    );

    // What is wrong after `--` is said before the engine runs.
    fs::write(folder.path().join("duckdb"), "#!/bin/sh\ntouch called\n").expect("a file");
    for (flags, problem) in [
        (&["table.csv"][..], "found: a further input"),
        (&["table.csv", "--base"], "expected flags of compare after --"),
        (&["-o", "log.csv"], "log.csv"),
        (&["-o", "report.pdf"], "expected a file ending in"),
    ] {
        let refused = judged(flags);
        let said = text(&refused.stderr);
        assert!(refused.status.code() == Some(2) && said.contains(problem), "{flags:?}: {said}");
        assert!(!folder.path().join("called").exists(), "{flags:?}");
    }
}

/// `--no-config` holds for the judging too, unless that has a policy file of its own.
#[test]
fn the_judging_has_the_policy_of_the_command() {
    let folder = world("duckdb", ENGINES[0].2);
    fs::write(folder.path().join("beyondnoise.toml"), "confidence = 0.99\n").expect("a file");
    for (flags, level) in [(&[][..], 0.95), (&["--config", "beyondnoise.toml"], 0.99)] {
        let call = ["--dialect", "duckdb", "--run", "log.csv", "--", "--format", "json"];
        let judged = reduce(folder.path(), &[&call[..], flags].concat());
        let found: serde_json::Value = serde_json::from_slice(&judged.stdout).expect("a document");
        assert_eq!(found["settings"]["confidence"], level, "{flags:?}");
    }
}

/// `ClickHouse` quotes its header; a column with a long name changes nothing.
#[test]
fn a_table_with_quotes_is_one_too() {
    let quoted = "long=$(printf 'x%.0s' $(seq 70))
        awk -v long=$long 'NR == 1 { gsub(/[a-z_]+/, \"\\\"&\\\"\"); print $0 \",\\\"\" long \"\\\"\"; next } { print $0 \",1\" }' table.csv";
    let folder = world("clickhouse", quoted);
    let judged =
        reduce(folder.path(), &["--dialect", "clickhouse", "--run", "log.csv", "--", "-q"]);
    assert!(text(&judged.stdout).starts_with("beyondnoise: improved"), "{judged:?}");
}

/// Another command for the engine, by its path.
#[test]
fn the_command_of_an_engine_can_be_named() {
    let folder = world("other", ENGINES[0].2);
    let other = format!("--run={}", folder.path().join("other").display());
    let judged = reduce(folder.path(), &["--dialect", "duckdb", &other, "log.csv", "--", "-q"]);
    assert!(text(&judged.stdout).starts_with("beyondnoise: improved"), "{judged:?}");
}

#[test]
fn an_engine_that_is_missing_or_fails_is_an_error() {
    let folder = world("old", "echo 'Parser Error: syntax error at or near \"WITH\"' >&2\nexit 1");
    let old = format!("--run={}", folder.path().join("old").display());
    let error = reduce(folder.path(), &["--dialect", "duckdb", &old, "log.csv"]);
    assert_eq!(error.status.code(), Some(2));
    let said = text(&error.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("Parser Error") && said.contains("too old"), "{said}");

    let error = reduce(folder.path(), &["--dialect", "duckdb", "--run=no-such-engine", "log.csv"]);
    assert_eq!(error.status.code(), Some(2));
    let said = text(&error.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("no-such-engine") && said.contains("install the engine"), "{said}");

    // A run of the log whose requests all failed: refused as in the log itself.
    let folder = world("failed", "cat table.csv; echo after,4,,mean_ttft_ms,,,ms,0,90,0,0,0");
    let failed = format!("--run={}", folder.path().join("failed").display());
    let error = reduce(folder.path(), &["--dialect", "duckdb", &failed, "log.csv"]);
    assert_eq!(error.status.code(), Some(2), "{error:?}");
    let said = text(&error.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("every request failed"), "{said}");
    assert!(said.contains("the engine's table, line 8") && said.contains("-o FILE"), "{said}");

    // A machine of the engine was lost on the way, and with it a part of the rows, all rows of a figure, or a run.
    let figure = "5s/.*/before,4,,mean_ttft_ms,,,ms,90,0,,0,0,1/";
    for lost in ["5s/0$/1/", figure, "5s/.*/before,4,,duration,,,s,,,,,,1/"] {
        let table = format!("sed -e '1s/$/,miscounted/' -e '2,$s/$/,0/' -e '{lost}' table.csv");
        let folder = world("lossy", &table);
        let lossy = format!("--run={}", folder.path().join("lossy").display());
        let error = reduce(folder.path(), &["--dialect", "duckdb", &lossy, "log.csv"]);
        assert_eq!(error.status.code(), Some(2), "{lost}: {error:?}");
        let said = text(&error.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("line 5") && said.contains("miscounted 1"), "{lost}: {said}");
    }

    // It ends well and gives nothing.
    let folder = world("empty", "exit 0");
    let empty = format!("--run={}", folder.path().join("empty").display());
    let error = reduce(folder.path(), &["--dialect", "duckdb", &empty, "log.csv"]);
    assert_eq!(error.status.code(), Some(2), "{error:?}");

    for (dialect, more) in [("postgres", "--run"), ("duckdb", "--run=sc://localhost:1")] {
        let error =
            reduce(folder.path(), &["--dialect", dialect, more, "--columns", "ttft_ms", "logs"]);
        assert_eq!(error.status.code(), Some(2), "{error:?}");
    }
}

/// The first rows of a log need no failed request; the script still asks every row for its error.
#[test]
fn an_error_column_that_is_empty_at_first_still_tells_failed_requests() {
    let folder = world("duckdb", "exit 1");
    let log =
        "variant,run,ttft_ms,error\nbefore,1,20.1,\nbefore,1,20.4,\nafter,1,19.1,\nafter,1,19.4,\n";
    fs::write(folder.path().join("log.csv"), log).expect("a file");
    let done = reduce(folder.path(), &["--dialect", "duckdb", "log.csv"]);
    let script = text(&done.stdout);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(script.contains("THEN 0 ELSE 1 END AS bn_status"), "{script}");
    assert!(!script.contains("bn_constant_1"), "{script}");
}
