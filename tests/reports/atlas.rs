//! The noise atlas end to end: grades of one run each, two runs each, the command.
//!
//! Shares of pairs are those of `mpmath` 1.4.1 at 30 digits, with the weights of `data/atlas/fitted.csv`:
//! the sum of `w erfc(|ln ratio| / (3 sd))`.

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

fn beyondnoise(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("NO_COLOR", "1")
        .output()
        .expect("the executable runs")
}

/// Standard output on one line.
#[track_caller]
fn words(arguments: &[&str], status: i32) -> String {
    let out = beyondnoise(arguments);
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let errors = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(status), "{arguments:?}\n{text}\n{errors}");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn json(arguments: &[&str]) -> Value {
    let out = beyondnoise(&[arguments, &["--format", "json"]].concat());
    serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|_| panic!("{arguments:?}: {}", String::from_utf8_lossy(&out.stderr)))
}

/// A run as a vLLM client prints it, in a closed loop of 16.
#[derive(Clone, Copy)]
struct Block {
    requests: u64,
    failed: u64,
    input: u64,
    output: u64,
    /// Output tokens per second.
    throughput: f64,
    ttft: f64,
    tpot: f64,
}

const RUN: Block = Block {
    requests: 500,
    failed: 0,
    input: 50_000,
    output: 60_000,
    throughput: 300.0,
    ttft: 500.0,
    tpot: 45.0,
};

impl Block {
    fn text(&self) -> String {
        let seconds = self.output as f64 / self.throughput;
        let mut text = String::from("```\n============ Serving Benchmark Result ============\n");
        let mut line =
            |name: &str, value: String| writeln!(text, "{name:<40} {value}").expect("text");
        line("Successful requests:", (self.requests - self.failed).to_string());
        line("Failed requests:", self.failed.to_string());
        line("Maximum request concurrency:", "16".to_owned());
        line("Benchmark duration (s):", format!("{seconds:.4}"));
        line("Total input tokens:", self.input.to_string());
        line("Total generated tokens:", self.output.to_string());
        line("Request throughput (req/s):", format!("{:.4}", self.requests as f64 / seconds));
        line("Output token throughput (tok/s):", format!("{:.4}", self.throughput));
        line("Mean TTFT (ms):", format!("{:.4}", self.ttft));
        line("Mean TPOT (ms):", format!("{:.4}", self.tpot));
        text + "==================================================\n```\n"
    }
}

/// A note with the runs of two variants.
fn note(before: &[Block], after: &[Block]) -> tempfile::NamedTempFile {
    let text = |runs: &[Block]| runs.iter().map(Block::text).collect::<String>();
    let note = format!("# before\n\n{}\n# after\n\n{}", text(before), text(after));
    let file = tempfile::Builder::new().suffix(".md").tempfile().expect("a file");
    fs::write(file.path(), note).expect("a file");
    file
}

#[track_caller]
fn comparison(file: &tempfile::NamedTempFile, flags: &[&str]) -> Value {
    let path = file.path().to_str().expect("UTF-8");
    json(&[&["compare", path], flags].concat())["comparisons"][0].clone()
}

#[track_caller]
fn near(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap_or(f64::NAN);
    assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
}

/// Grades of public notes with one run before and one after; headline and gate stay.
#[test]
fn notes_with_one_run_each_get_their_grades() {
    let report = json(&["compare", "data/notes/burst-three-variants.txt"]);
    let expected = [
        ("After this PR", 0.003_646_836_812_141_48, "very_likely"),
        ("直接改上游模型", 0.275_794_161_921_976_8, "maybe_noise"),
    ];
    for (name, p, grade) in expected {
        let found = report["comparisons"].as_array().expect("a list");
        let one = found.iter().find(|one| one["candidate"]["name"] == name).expect("the candidate");
        near(&one["atlas"]["p"], p);
        assert_eq!(one["atlas"]["grade"], grade, "{name}");
        assert_eq!((&one["atlas"]["setups"], &one["atlas"]["sources"]), (&511.into(), &11.into()));
        assert_eq!(one["headline"], "no_verdict");
        // 1 - (1 - p)^2.
        assert_eq!(one["atlas"]["best_of"], 2);
        near(&one["atlas"]["p_best"], 1.0 - (1.0 - p) * (1.0 - p));
    }
    let note = "data/notes/closed-loop-before-after.txt";
    let report = json(&["compare", note]);
    let rows = report["comparisons"][0]["metrics"].as_array().expect("rows");
    let row = |name: &str| rows.iter().find(|row| row["metric"] == name).expect("the row");
    near(&row("output_throughput")["published"]["p"], 0.063_203_477_228_156_7);
    near(&row("mean_ttft_ms")["published"]["p"], 0.215_587_057_407_114);
    near(&row("mean_tpot_ms")["published"]["p"], 0.082_932_754_032_114_4);
    for none in ["median_ttft_ms", "p99_ttft_ms", "total_token_throughput"] {
        assert_eq!(row(none)["published"], Value::Null, "{none}");
    }
    words(&["compare", note, "--gate"], 3);
}

/// The words of the rule: grade first, one digit, the border said.
#[test]
fn the_second_line_answers_with_the_grade() {
    let note = "data/notes/closed-loop-before-after.txt";
    let text = words(&["compare", note], 0);
    let answer = "Unclear, at the border to \"likely slower\": in 511 published set-ups, two runs of one unchanged build \
                  differ by this much (6.1 % in throughput) in about 6 of 100 pairs. One run each proves nothing.";
    assert!(text.contains(answer), "{text}");
    assert!(text.contains("2.3 % 0.2 to 0.9 %"), "the usual noise\n{text}");
    for form in ["markdown", "html"] {
        let found = words(&["compare", note, "--format", form], 0);
        assert!(found.contains("about 6 of 100 pairs"), "{form}: {found}");
    }
    let csv = words(&["compare", note, "--format", "csv"], 0);
    assert!(csv.contains("atlas_p,atlas_grade") && csv.contains(",unclear"), "{csv}");
    let off = words(&["compare", note, "--no-atlas"], 0);
    assert!(off.contains("One run each cannot separate") && !off.contains("published"), "{off}");
}

/// −3.44 % mean TTFT: 39 of 100; the repeats of the note itself come first.
#[test]
fn a_claim_gets_the_grade_of_its_own_metric_after_the_noise_of_the_note() {
    let text = words(&["compare", "data/notes/burst-cache-steps.txt"], 0);
    let claim = "single runs with this noise differ by up to 4.4 % with nothing changed (at 95 %). Mean TTFT −3.4 %: two \
                 runs of one unchanged build differ as much in about 40 of 100 published pairs: may well be noise.";
    assert!(text.contains(claim), "{text}");
    let own = text.find("have a CV of 0.9 % in output throughput").expect("own repeats");
    assert!(own < text.find("May well be noise").expect("a grade"), "{text}");
}

/// The best of four unchanged builds: 1 - (1 - 0.1508)^4 is 0.48.
#[test]
fn the_best_of_several_candidates_is_said_to_be_chosen() {
    let text = words(&["compare", "data/notes/two-workloads-five-steps.txt"], 0);
    let best = "cu_seqlens cpu cache is the best of 4: of so many unchanged builds one differs as much in about 50 of 100 \
                tries.";
    assert!(text.contains(best), "{text}");
}

#[test]
fn runs_unlike_those_of_the_atlas_get_no_grade_and_the_reason() {
    let slow = Block { throughput: 280.0, ..RUN };
    assert_eq!(comparison(&note(&[RUN], &[slow]), &[])["atlas"]["grade"], "unclear");
    let unlike = [
        (
            Block { requests: 99, ..slow },
            Block { requests: 99, ..RUN },
            "99 requests a run, fewer than 100",
        ),
        (Block { input: 50_300, ..slow }, RUN, "the input tokens differ by 0.6 %"),
        (Block { failed: 1, ..slow }, RUN, "a request failed"),
    ];
    for (after, before, reason) in unlike {
        let found = comparison(&note(&[before], &[after]), &[]);
        assert_eq!(found["atlas"]["grade"], Value::Null);
        assert_eq!(found["atlas"]["reason"], reason);
        if after.failed > 0 {
            continue;
        }
        let file = note(&[before], &[after]);
        let text = words(&["compare", file.path().to_str().expect("UTF-8")], 0);
        assert!(text.contains(&format!("give no grade: {reason}.")), "{text}");
    }
    let longer = comparison(&note(&[RUN], &[Block { output: 61_300, ..slow }]), &[]);
    assert_eq!(longer["atlas"]["reason"], "the generated tokens differ by 2.2 %");
    // A table of one's own has nothing to do with it.
    let file = tempfile::Builder::new().suffix(".csv").tempfile().expect("a file");
    fs::write(file.path(), "variant,step_ms\nmain,100\npr,90\n").expect("a file");
    assert_eq!(comparison(&file, &["--metric", "step_ms:lower"])["atlas"], Value::Null);
}

/// A folder of result files of a client: `(side, model, requests in flight, requests, output tokens per second)`.
fn folder(runs: &[(&str, &str, u32, u64, f64)], more: &Value) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (side, model, cap, requests, throughput) in runs {
        let mut run = serde_json::json!({
            "backend": "vllm", "model_id": model, "num_prompts": requests, "completed": requests,
            "max_concurrency": cap, "total_input_tokens": 100 * requests, "total_output_tokens": 120 * requests,
            "duration": 120.0 * *requests as f64 / throughput, "output_throughput": throughput
        });
        run.as_object_mut()
            .expect("an object")
            .extend(more.as_object().cloned().expect("an object"));
        fs::create_dir_all(folder.path().join(side)).expect("a folder");
        let path = folder.path().join(side).join(format!("{model}-{cap}.json"));
        fs::write(path, run.to_string()).expect("a file");
    }
    folder
}

/// Three cells of two models, one of them with too few requests: changes of -15, +3 and +1 %.
const CELLS: [(&str, &str, u32, u64, f64); 6] = [
    ("main", "a", 4, 500, 300.0),
    ("pr", "a", 4, 500, 255.0),
    ("main", "b", 4, 500, 300.0),
    ("pr", "b", 4, 500, 309.0),
    ("main", "b", 8, 50, 300.0),
    ("pr", "b", 8, 50, 303.0),
];

/// The share of the cell with -15 % is 0.02804927; of two unchanged cells one has such a share in 1 - (1 - p)^2.
#[test]
fn cells_of_one_run_each_are_graded_together_and_the_most_extreme_is_said_to_be_chosen() {
    let folder = folder(&CELLS, &Value::Object(serde_json::Map::new()));
    let path = folder.path().to_str().expect("UTF-8");
    let report = json(&["batch", path]);
    let grades = &report["batch"]["atlas"];
    assert_eq!((&grades["graded"], &grades["not_graded"]), (&2.into(), &1.into()));
    let counts = &grades["counts"];
    assert_eq!((&counts["likely_worse"], &counts["unclear"]), (&1.into(), &1.into()));
    let p = 0.028_049_272_890_831_575;
    near(&grades["p"], p);
    near(&grades["p_most_extreme"], 1.0 - (1.0 - p) * (1.0 - p));
    let at = usize::try_from(grades["most_extreme"].as_u64().expect("a position"));
    assert_eq!(report["comparisons"][at.expect("small")]["workload"]["model"], "a");
    let text = words(&["batch", path], 0);
    let said = "Published repeats grade 2 cells of one run each: 1 likely slower, 1 unclear. 1 cell not graded (50 requests \
                a run, fewer than 100).";
    assert!(text.contains(said), "{text}");
    let most = "is the most extreme of 2: of so many unchanged cells one differs as much in about 6 of 100 tries: unclear.";
    assert!(text.contains(most), "{text}");
    let off = words(&["batch", path, "--no-atlas"], 0);
    assert!(!off.contains("Published repeats"), "{off}");
}

/// 25 unchanged loads: at 5 of 100 about one is called likely or very likely.
#[test]
fn loads_of_one_run_each_are_graded_together() {
    let mut runs = Vec::new();
    for cap in 1..=25 {
        runs.push(("main", "a", cap, 500, 300.0));
        runs.push(("pr", "a", cap, 500, 300.3));
    }
    let folder = folder(&runs, &Value::Object(serde_json::Map::new()));
    let path = folder.path().to_str().expect("UTF-8");
    let report = json(&["compare", path]);
    let grades = &report["sweeps"][0]["atlas"];
    assert_eq!(grades["counts"]["maybe_noise"], 25);
    let text = words(&["compare", path], 0);
    let said = "Published repeats grade 25 loads of one run each: 25 may well be noise. Of 25 unchanged loads about 1 would \
                be likely or very likely.";
    assert!(text.contains(said), "{text}");
}

#[test]
fn what_no_published_set_up_covers_is_said_in_the_answer() {
    let runs = &CELLS[..2];
    let outside = |more: Value| {
        let folder = folder(runs, &more);
        let path = folder.path().to_str().expect("UTF-8").to_owned();
        let found = json(&["compare", &path])["comparisons"][0]["atlas"].clone();
        assert_eq!(found["grade"], "likely");
        let text = words(&["compare", &path], 0);
        (found["outside"].clone(), text)
    };
    let (facts, text) = outside(serde_json::json!({"device": "Ascend 910B3"}));
    assert_eq!(facts[0], "an accelerator that is no GPU (Ascend 910B3)");
    let said = "do not cover these runs, so noise may be larger: an accelerator that is no GPU (Ascend 910B3). One run each";
    assert!(text.contains(said), "{text}");
    let (facts, _) = outside(serde_json::json!({"instance_type": "p5.48xlarge", "device": "H100"}));
    assert_eq!(facts, serde_json::json!(["a rented machine (p5.48xlarge)"]));
    let (facts, text) = outside(serde_json::json!({"device": "H100"}));
    assert_eq!(facts, serde_json::json!([]));
    assert!(!text.contains("do not cover"), "{text}");
    // A label tells it too.
    let note = json(&["compare", "data/notes/burst-cache-steps.txt"]);
    let facts: Vec<&Value> = note["comparisons"]
        .as_array()
        .expect("a list")
        .iter()
        .flat_map(|one| one["atlas"]["outside"].as_array().into_iter().flatten())
        .collect();
    assert_eq!(facts.len(), 1, "{facts:?}");
}

/// Two runs each that lie close together: with one degree of freedom 4 % is within noise, with published noise it is shown;
/// `mpmath`, as in the unit test of the rule.
#[test]
fn two_runs_each_are_judged_with_published_noise() {
    let with = |throughput: f64| Block { throughput, ..RUN };
    let file = note(&[with(300.0), with(301.2)], &[with(288.0), with(289.6)]);
    let found = comparison(&file, &[]);
    let row = &found["metrics"][0];
    assert_eq!((&row["metric"], &row["verdict"]), (&"output_throughput".into(), &"worse".into()));
    assert_eq!(row["noise"]["source"], "atlas");
    assert_eq!(row["without_borrowing"]["verdict"], "within_noise");
    assert_eq!(found["atlas"], Value::Null);
    let path = file.path().to_str().expect("UTF-8");
    let text = words(&["compare", path, "--gate"], 1);
    assert!(
        text.starts_with("beyondnoise: regressed") && text.contains("with published noise"),
        "{text}"
    );
    for flags in [&["--no-atlas"][..], &["--noise", "own"]] {
        let own = comparison(&file, flags);
        assert_eq!(own["metrics"][0]["noise"]["source"], "own");
        assert_eq!(own["headline"], "within_noise", "{flags:?}");
    }
}

#[test]
fn three_runs_each_and_noisy_runs_are_judged_alone() {
    let with = |throughput: f64| Block { throughput, ..RUN };
    let three = |at: f64| [with(at), with(at * 1.004), with(at * 0.997)];
    let found = comparison(&note(&three(300.0), &three(280.0)), &[]);
    assert_eq!(found["metrics"][0]["noise"]["source"], "own");
    // Twice as fast from run to run: beyond all that was published.
    let file = note(&[with(100.0), with(300.0)], &[with(900.0), with(310.0)]);
    assert_eq!(comparison(&file, &[])["metrics"][0]["noise"]["source"], "own");
}

/// Four earlier set-ups of other workloads, all quiet: they count as one more source.
#[test]
fn a_history_of_other_workloads_is_one_more_source() {
    let folder = tempfile::tempdir().expect("a folder");
    for (index, input) in [10_000_u64, 20_000, 30_000, 40_000].into_iter().enumerate() {
        for run in 0..3 {
            let throughput = 300.0 + 0.05 * f64::from(run);
            let text = Block { input, throughput, ..RUN }.text();
            let path = folder.path().join(format!("load{index}-run{run}.txt"));
            fs::write(path, text).expect("a file");
        }
    }
    let file = note(&[RUN], &[Block { throughput: 298.0, ..RUN }]);
    let history = folder.path().to_str().expect("UTF-8");
    let alone = comparison(&file, &[]);
    let with = comparison(&file, &["--history", history]);
    let p = |one: &Value| one["atlas"]["p"].as_f64().expect("a share");
    assert!(p(&with) < p(&alone), "{} {}", p(&with), p(&alone));
    let own = with["metrics"][0]["published"]["own_setups"].as_u64().expect("a number");
    assert!(own >= 1, "{with}");
}

#[test]
fn the_command_shows_the_table_and_the_place_of_a_number() {
    let report = json(&["atlas", "--cv", "0.1%", "--change", "-6.1%"]);
    let schema = include_str!("../../data/schema/atlas.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = schema.iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let throughput = &report["metrics"][0];
    assert_eq!((&throughput["setups"], &throughput["noisier_of_ten"]), (&511.into(), &8.into()));
    assert_eq!(throughput["grade"], "unclear");
    let text = words(&["atlas"], 0);
    assert!(text.contains("usually varies by 0.2 to 0.9 %"), "{text}");
    assert!(text.contains("throughput 0.6 % 1.9 % 3.8 % 8.9 % 33.0 %"), "{text}");
    let runs = "data/notes/mock-abba.md";
    let own = words(&["atlas", runs, "--metric", "output_throughput"], 0);
    assert!(own.contains("your CV of 0.5 % in output throughput is"), "{own}");
    let noise = words(&["noise", runs], 0);
    assert!(noise.contains("Against published set-ups: output throughput"), "{noise}");
    words(&["atlas", "--metric", "p99_ttft_ms"], 2);
}

/// By hand: ln(301.2 / 300) / sqrt 2 is 0.002823.
#[test]
fn rows_for_publication_hold_figures_only() {
    let with = |throughput: f64| Block { throughput, ..RUN };
    let file = note(&[with(300.0), with(301.2)], &[with(288.0)]);
    let path = file.path().to_str().expect("UTF-8");
    let out = beyondnoise(&["atlas", "--from", path, "--source", "my, lab"]);
    let rows = String::from_utf8(out.stdout).expect("UTF-8");
    let table = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/data/atlas/atlas.csv"));
    assert_eq!(rows.lines().next(), table.expect("the table").lines().next());
    let row = "my  lab,?,?,?,1,closed,c16,500,unknown,out_tput,2,0.002823,1.00400";
    assert!(rows.lines().any(|line| line == row), "{rows}");
    assert!(!rows.contains("301.2"), "{rows}");
    words(&["atlas", "--from", "data/gpus.csv"], 2);
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).display().to_string();
    let own = file("rows.CSV");
    words(&["atlas", "--from", path, "--source", "my, lab", "-o", &own], 0);
    assert_eq!(fs::read_to_string(own).expect("the rows"), rows);
    let other = beyondnoise(&["atlas", "--from", path, "-o", &file("rows.json")]);
    let error = String::from_utf8_lossy(&other.stderr);
    assert!(other.status.code() == Some(2) && error.contains("ending in .csv, found"), "{error}");
}
