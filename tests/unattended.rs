//! `may_claim` and `next_command` of the JSON: the sentence that the data support, and the command that goes on. Each
//! command is run as it stands.
#![cfg(unix)]

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A folder in which commands are typed.
struct Place(tempfile::TempDir);

impl Place {
    fn with(table: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("my runs.csv"), table).expect("a file");
        Self(folder)
    }

    /// A command line as a shell runs it.
    fn types(&self, line: &str) -> Output {
        let programs = std::path::Path::new(env!("CARGO_BIN_EXE_beyondnoise")).parent();
        let path = std::env::var("PATH").unwrap_or_default();
        Command::new("sh")
            .args(["-c", line])
            .current_dir(self.0.path())
            .env("PATH", format!("{}:{path}", programs.expect("a folder").display()))
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .output()
            .expect("a shell")
    }

    /// The document of a command line.
    #[track_caller]
    fn document(&self, line: &str) -> Value {
        let out = self.types(line);
        assert!(out.status.success(), "{line}: {}", String::from_utf8_lossy(&out.stderr));
        serde_json::from_slice(&out.stdout).expect("JSON")
    }

    /// The first comparison of a command line with more words.
    #[track_caller]
    fn comparison(&self, more: &str) -> Value {
        let line = format!("beyondnoise compare 'my runs.csv' --format json {more}");
        self.document(&line)["comparisons"][0].clone()
    }
}

/// Two variants with these values of a metric of which less is better, without pairs.
fn unpaired(before: &[f64], after: &[f64]) -> String {
    let table = table(before, after);
    let line = |line: &str| -> String {
        let cells: Vec<&str> = line.split(',').collect();
        [cells[0], cells[1], cells[3]].join(",") + "\n"
    };
    table.lines().map(line).collect()
}

/// Two variants with these values of a metric of which less is better.
fn table(before: &[f64], after: &[f64]) -> String {
    let mut table = "variant,run,pair,build_s\n".to_owned();
    for (variant, values) in [("before", before), ("after", after)] {
        for (run, value) in values.iter().enumerate() {
            writeln!(table, "{variant},{run},{run},{value}").expect("text");
        }
    }
    table
}

#[track_caller]
fn line(comparison: &Value) -> String {
    comparison["next_command"].as_str().unwrap_or_else(|| panic!("{comparison}")).to_owned()
}

const LOWER: &str = "--metric build_s:lower";

/// The pairs differ by 2 % each, under a drift of 30 %.
#[test]
fn the_command_compares_in_pairs() {
    let before = [100.0, 110.0, 118.0, 125.0, 130.0];
    let after: Vec<f64> =
        before.iter().zip(0..).map(|(v, k)| v * (1.02 + 0.001 * f64::from(k))).collect();
    let place = Place::with(&table(&before, &after));
    let found = place.comparison(&format!("{LOWER} --noise auto"));
    assert!(found["next_step"].as_str().expect("a step").contains("--paired"), "{found}");
    let command = line(&found);
    assert_eq!(
        command,
        "beyondnoise compare --paired \"my runs.csv\" --format json --metric build_s:lower"
    );
    let again = &place.document(&command)["comparisons"][0];
    assert_eq!((&again["headline"], &again["next_command"]), (&"regressed".into(), &Value::Null));
}

/// The centre of Hodges and Lehmann has no interval at 95 % for 3 + 3 runs: the smallest two-sided level of the rank sum
/// test is 2 / C(6, 3) = 10 %.
#[test]
fn the_command_takes_the_mean_where_a_rank_interval_needs_more_runs() {
    let place = Place::with(&table(&[100.0, 101.0, 102.0], &[110.0, 111.0, 112.0]));
    for flag in ["--across hodges-lehmann", "--across=hodges-lehmann"] {
        let found = place.comparison(&format!("{flag} {LOWER}"));
        assert_eq!((&found["headline"], &found["may_claim"]), (&"no_verdict".into(), &Value::Null));
        let command = line(&found);
        assert_eq!(
            command,
            "beyondnoise compare --across mean \"my runs.csv\" --format json --metric build_s:lower"
        );
        assert_eq!(place.document(&command)["comparisons"][0]["headline"], "regressed");
    }
}

/// The plan names the runs that the sentence counts from those that are there: for a change that is to be found, and for
/// one under the margin of 5 %, whose distance from the margin is.
#[test]
fn the_command_plans_the_runs_that_the_sentence_names() {
    let margin = "[metrics.build_s]\nbetter = \"lower\"\nmargin = \"5 %\"\n";
    let near = [100.0, 106.0, 112.0, 109.0];
    for (policy, after) in
        [("", [102.0, 109.0, 115.0, 111.0]), (margin, [100.4, 106.0, 112.0, 109.0])]
    {
        let place = Place::with(&unpaired(&near, &after));
        fs::write(place.0.path().join("beyondnoise.toml"), policy).expect("a file");
        let found = place.comparison(if policy.is_empty() { LOWER } else { "" });
        assert_eq!(
            (&found["headline"], &found["may_claim"]),
            (&"within_noise".into(), &Value::Null)
        );
        let needed = found["metrics"][0]["runs_to_settle"].as_u64().expect("a number");
        let step = found["next_step"].as_str().expect("a step");
        assert!(step.contains(&format!("about {} more runs", needed - 4)), "{step}");
        let command = line(&found);
        assert!(command.starts_with("beyondnoise plan --effect "), "{command}");
        let plan = place.document(&format!("{command} --format json"));
        assert_eq!(plan["plans"][0]["runs"], needed, "{command}");
    }
}

/// Cells with three metrics borrow noise from each other, and share the level.
#[test]
fn the_command_plans_with_borrowed_noise_in_a_batch() {
    let mut rows = "model,variant,run,output_throughput,mean_ttft_ms,mean_tpot_ms\n".to_owned();
    for cell in 0..6_u32 {
        for (variant, shift, first) in [("main", 0.0, 4), ("pr", 0.4, 2)] {
            for run in 0..3_u32 {
                let noise = |k: u32| f64::from((7 * cell + 5 * run + 3 * k + first) % 11) / 5.0;
                let values = [noise(0), noise(1), noise(2)].map(|noise| 100.0 + noise + shift);
                writeln!(rows, "m{cell},{variant},{run},{},{},{}", values[0], values[1], values[2])
                    .expect("text");
            }
        }
    }
    let place = Place::with(&rows);
    let report =
        place.document("beyondnoise batch 'my runs.csv' --by model --base main --format json");
    let mut planned = 0;
    for one in report["comparisons"].as_array().expect("comparisons") {
        let Some(command) = one["next_command"].as_str() else { continue };
        let rows = one["metrics"].as_array().expect("rows");
        let open = rows
            .iter()
            .find(|row| row["verdict"] == "within_noise" && row["runs_to_settle"].is_u64());
        let needed = &open.expect("an open metric")["runs_to_settle"];
        let plan = place.document(&format!("{command} --format json"));
        assert_eq!(&plan["plans"][0]["runs"], needed, "{command}");
        planned += 1;
    }
    assert!(planned > 0, "{report}");
}

#[test]
fn there_is_no_command_where_the_call_cannot_be_repeated_or_runs_come_first() {
    let before = [100.0, 110.0, 118.0, 125.0, 130.0];
    let after = before.map(|value| value * 1.02 + 0.01 * (value - 100.0));
    let place = Place::with(&table(&before, &after));
    let piped = place
        .document("cat 'my runs.csv' | beyondnoise compare - --metric build_s:lower --format json");
    let piped = &piped["comparisons"][0];
    assert!(piped["next_step"].as_str().expect("a step").contains("--paired"), "{piped}");
    assert_eq!(piped["next_command"], Value::Null);
    let look = place.comparison(&format!("{LOWER} --look 1/2"));
    assert!(look["next_step"].as_str().expect("a step").contains("--look 2/2"), "{look}");
    assert_eq!(look["next_command"], Value::Null);
    let single = Place::with(&table(&[100.0], &[90.0])).comparison(LOWER);
    assert_eq!((&single["headline"], &single["may_claim"]), (&"no_verdict".into(), &Value::Null));
    assert_eq!(single["next_command"], Value::Null);
    // Which way is better is for the user to say.
    let undirected =
        Place::with(&table(&[1.0, 2.0, 3.0], &[2.0, 3.0, 4.0]).replace("build_s", "score"));
    assert_eq!(undirected.comparison("")["next_command"], Value::Null);
}

/// By hand: the changes of the means. 100 ± 0.1 is within 1 % of itself with any interval of three such runs.
#[test]
fn what_may_be_claimed_holds_change_interval_runs_and_load() {
    let cases: [(&[f64], &str); 4] = [
        (&[90.0, 90.1, 89.9], "after against before, better: build_s −10.00 % (95 % CI "),
        (&[110.0, 110.1, 109.9], "after against before, worse: build_s +10.00 % (95 % CI "),
        (
            &[100.5, 100.6, 100.4],
            "after against before, worse, but under the 1 % that matters: build_s +0.50 % (95 % CI ",
        ),
        (
            &[100.0, 100.1, 99.9],
            "after against before, no change (within ±1 %): build_s 0.00 % (90 % CI ",
        ),
    ];
    for (after, head) in cases {
        let place = Place::with(&table(&[100.0, 100.1, 99.9], after));
        let found = place.comparison(LOWER);
        let claim = found["may_claim"].as_str().unwrap_or_else(|| panic!("{found:#}"));
        assert!(claim.starts_with(head), "{claim}");
        assert!(claim.ends_with("); 3 + 3 runs; load: workload not recorded"), "{claim}");
        assert_eq!(found["next_command"], Value::Null);
    }
}

/// The noise comes with the claim: the interval of the README's example, its correction, and every metric that decides.
#[test]
fn a_claim_names_every_metric_that_decides_and_what_it_was_corrected_for() {
    let place = Place::with("");
    let serving = concat!(env!("CARGO_MANIFEST_DIR"), "/data/serving");
    let found = place.document(&format!("beyondnoise compare {serving} --format json"));
    let claim = found["comparisons"][0]["may_claim"].as_str().expect("a claim");
    for part in [
        "output throughput +3.8 % (95 % CI +2.9 … +4.7, corrected for 3 metrics)",
        "mean TTFT",
        "mean TPOT",
        "6 + 6 runs; load: 1000 requests, at most 8 in flight",
    ] {
        assert!(claim.contains(part), "{claim}");
    }
}

/// The sentence is withheld: 10 % fewer tokens came out.
#[test]
fn nothing_may_be_claimed_where_a_check_blocks_or_could_turn_the_headline() {
    let mut rows = "variant,run,output_throughput,total_output_tokens\n".to_owned();
    for (variant, centre, tokens) in [("before", 100.0, 100_000), ("after", 110.0, 90_000)] {
        for (run, off) in [0.0, 0.1, -0.1].into_iter().enumerate() {
            writeln!(rows, "{variant},{run},{},{tokens}", centre + off).expect("text");
        }
    }
    let place = Place::with(&rows);
    let found = place.comparison("");
    assert_eq!((&found["headline"], &found["may_claim"]), (&"improved".into(), &Value::Null));

    // All runs of one variant after all of the other: a drift of the machine would look the same.
    let mut rows = "variant,run,started,build_s\n".to_owned();
    for (variant, day, centre) in [("before", 1, 100.0), ("after", 2, 90.0)] {
        for run in 0..4 {
            let value = centre + 0.1 * f64::from(run % 2);
            writeln!(rows, "{variant},{run},2026-01-0{day}T1{run}:00:00Z,{value}").expect("text");
        }
    }
    let found = Place::with(&rows).comparison(LOWER);
    assert_eq!((&found["headline"], &found["may_claim"]), (&"improved".into(), &Value::Null));
    let mut checks = found["checks"].as_array().expect("checks").iter();
    assert!(checks.any(|check| check["id"] == "order-confounded" && check["could_flip"] == true));

    // Other workloads are not compared.
    let rows = "variant,run,num_prompts,output_throughput\nbefore,1,10,100\nbefore,2,10,101\nafter,1,20,90\nafter,2,20,91\n";
    let out = Place::with(rows).types("beyondnoise compare 'my runs.csv' --format json");
    let report: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    for one in report["comparisons"].as_array().expect("comparisons") {
        assert_eq!((&one["may_claim"], &one["next_command"]), (&Value::Null, &Value::Null));
    }
}
