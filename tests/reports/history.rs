//! The verdict on a history: from files to nights and cells, the list, the gate, every form of the report.
//!
//! `data/nights.csv` is made by `data/make/nights.py`, which states what is in it.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

use beyondnoise::history::{HistoryReport, Order, SeriesRow, Wanted, Way, verdict};
use beyondnoise::policy::{Policy, Selected};
use beyondnoise::read::{Options, load};
use beyondnoise::render::{TextOptions, history_csv, html, json, markdown, svg, text};
use beyondnoise::runs::{Dataset, Run};
use beyondnoise::verdict::Gate;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

fn made() -> String {
    format!("{}/data/nights.csv", env!("CARGO_MANIFEST_DIR"))
}

fn read(inputs: &[&str]) -> Dataset {
    let inputs: Vec<String> = inputs.iter().map(|&input| input.to_owned()).collect();
    load(&inputs, &Options::default()).expect("readable inputs").dataset
}

fn judged(inputs: &[&str]) -> HistoryReport {
    verdict(&read(inputs), &Wanted::default(), &Policy::default()).expect("a verdict")
}

fn series<'a>(report: &'a HistoryReport, metric: &str, cell: &[(&str, &str)]) -> &'a SeriesRow {
    let own = |row: &&SeriesRow| {
        let has =
            |(name, value): &(&str, &str)| row.settings.get(*name).is_some_and(|own| own == value);
        row.metric == metric && cell.iter().all(has)
    };
    report.series.iter().find(own).expect("the series")
}

fn night(report: &HistoryReport, at: usize) -> &str {
    &report.nights[at].name
}

/// Deviations of some nights that look like noise, in percent.
const NOISE: [f64; 11] = [0.4, -0.7, 1.1, -0.2, -0.9, 0.6, -0.4, 0.8, -1.2, 0.1, 0.5];

fn level(night: usize) -> f64 {
    100.0 * (1.0 + NOISE[night * 7 % 11] / 100.0 + NOISE[night * 5 % 11] / 300.0)
}

fn run(arguments: &[&str], folder: &Path) -> Output {
    let program = env!("CARGO_BIN_EXE_beyondnoise");
    let mut command = Command::new(program);
    command.args(["history", "verdict"]).args(arguments).current_dir(folder);
    command.env("NO_COLOR", "1").output().expect("the executable runs")
}

/// A file of this content in a folder of its own.
fn file(name: &str, content: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a file");
    let path = path.display().to_string();
    (folder, path)
}

/// `data/make/nights.py`: a step in both cells of `large` on 20 April with another driver, -5 % throughput and +5 % TPOT.
#[test]
fn a_step_of_several_cells_is_one_event_with_its_cause() {
    let report = judged(&[&made()]);
    assert_eq!((report.cells, report.nights.len(), report.order), (4, 90, Order::Started));
    assert_eq!(report.events.len(), 1);
    let event = &report.events[0];
    assert_eq!((night(&report, event.night), event.cells, event.worse), ("2026-04-20", 2, 4));
    assert!(event.with.contains(&"driver 550.54 → 560.28".to_owned()), "{:?}", event.with);
    let row =
        series(&report, "output_throughput", &[("model", "large"), ("max_concurrency", "32")]);
    let change = &row.changes[0];
    let [low, high] = change.relative_ci.expect("an interval");
    assert!(low < -0.05 && -0.05 < high, "{low} to {high}");
    assert!(change.confirmed && change.in_force && change.way == Way::Worse);
    assert!(change.between[0] <= 50 && 50 <= change.between[1]);
    assert_eq!((change.stretch, change.as_far), (5, 0));
}

/// The same: TTFT of `small` at 8 creeps by 0.4 % a night for 30 nights, 12.7 % in all; one night of `large` at 8 has a third
/// of the throughput; the last night of `small` at 32 is 8 % slower.
#[test]
fn a_creep_a_spike_and_an_open_night_are_told_apart() {
    let report = judged(&[&made()]);
    let creep = series(&report, "mean_ttft_ms", &[("model", "small"), ("max_concurrency", "8")]);
    let [found] = &creep.creeps[..] else { panic!("{:?}", creep.creeps) };
    let [low, high] = found.relative_ci.expect("an interval");
    let truth = 1.004_f64.powi(30) - 1.0;
    assert!(low < truth && truth < high && found.confirmed, "{low} to {high}");
    let spike =
        series(&report, "output_throughput", &[("model", "large"), ("max_concurrency", "8")]);
    assert_eq!(night(&report, spike.excursions[0]), "2026-04-01");
    assert_eq!(spike.changes.len(), 1);
    let open =
        series(&report, "output_throughput", &[("model", "small"), ("max_concurrency", "32")]);
    let question = open.open.as_ref().expect("an open night");
    assert_eq!((question.nights, question.needed, question.way), (1, 2, Way::Worse));
    assert!(open.changes.is_empty());
    let quiet = series(&report, "mean_ttft_ms", &[("model", "large"), ("max_concurrency", "32")]);
    assert!(quiet.judged && !quiet.has_news(), "{}", quiet.summary);
    assert!(quiet.within_night.is_some_and(|cv| (0.002..0.004).contains(&cv)));
}

#[test]
fn the_json_is_as_its_schema_says() {
    fn close(schema: &mut Value) {
        if let Value::Object(object) = schema {
            if object.contains_key("properties") {
                object.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            object.values_mut().for_each(close);
        } else if let Value::Array(items) = schema {
            items.iter_mut().for_each(close);
        }
    }
    let mut schema =
        serde_json::from_str(include_str!("../../data/schema/history.schema.json")).expect("JSON");
    close(&mut schema);
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let negative: Vec<Run> =
        (0..20).map(|at| Run::new(&format!("{at}"), [("offset", level(at) - 100.0)])).collect();
    for report in [
        judged(&[&made()]),
        verdict(&Dataset::assemble(negative, vec![]), &Wanted::default(), &Policy::default())
            .expect("a verdict"),
    ] {
        let document: Value = serde_json::from_str(&json(&report)).expect("JSON");
        let errors: Vec<String> =
            schema.iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}

#[test]
fn every_form_says_the_same_and_begins_with_the_verdict() {
    let report = judged(&[&made()]);
    let plain = text(&report, TextOptions { width: 400, ..TextOptions::default() });
    assert!(plain.starts_with("beyondnoise history: 2 changes for the worse in force"), "{plain}");
    let order = ["Last night", "Events", "Changes of single series", "Next:"];
    let places: Vec<usize> = order.iter().filter_map(|part| plain.find(part)).collect();
    assert!(places.len() == 4 && places.is_sorted(), "{plain}");
    let sentence = "one event on 2026-04-20: 2 of 4 cells changed, 4 series worse";
    assert!(report.events[0].sentence.starts_with(sentence), "{}", report.events[0].sentence);
    for form in [plain, markdown(&report), html(&report)] {
        assert!(form.contains(&sentence[1..]), "{form}");
    }
    let page = html(&report);
    assert_eq!(page.matches("by night</title>").count(), 8, "seven time lines and the strip");
    assert!(svg(&report).contains("shaded: may be the first of a change"));
    let table = history_csv(&report);
    let kinds = ["step", "part of a creep", "creep", "open", "unchanged"];
    let mut lines = ::csv::Reader::from_reader(table.as_bytes());
    let found: Vec<String> =
        lines.records().map(|line| line.expect("a row")[3].to_owned()).collect();
    assert!(kinds.iter().all(|kind| found.iter().any(|own| own == kind)), "{found:?}");
}

#[test]
fn the_gate_fails_on_what_is_in_force_and_has_no_answer_to_few_nights() {
    let rows = |nights: usize, factor: &dyn Fn(usize) -> f64| {
        let mut rows = "date,build,wall_time_s\n".to_owned();
        for night in 0..nights {
            let (month, day) = (1 + night / 28, 1 + night % 28);
            let value = level(night) * factor(night);
            writeln!(rows, "2026-{month:02}-{day:02},b{night},{value:.3}").expect("text");
        }
        rows
    };
    for (name, content, status) in [
        ("worse", rows(40, &|night| if night < 30 { 1.0 } else { 1.06 }), 1),
        ("better", rows(40, &|night| if night < 30 { 1.0 } else { 0.94 }), 0),
        ("undone", rows(60, &|night| if (25..40).contains(&night) { 1.06 } else { 1.0 }), 0),
        ("within the tolerance", rows(60, &|night| if night < 30 { 1.0 } else { 1.018 }), 0),
        ("unchanged", rows(40, &|_| 1.0), 0),
        ("few", rows(9, &|_| 1.0), 3),
    ] {
        let (folder, path) = file("nights.csv", &content);
        let out = run(&[&path, "--gate", "--quiet"], folder.path());
        let errors = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(status), "{name}: {errors}");
        assert_eq!(errors.contains("gate"), status != 0, "{name}: {errors}");
        assert_eq!(run(&[&path, "--quiet"], folder.path()).status.code(), Some(0), "{name}");
    }
}

#[test]
fn since_and_cell_leave_out_the_rest() {
    let dataset = read(&[&made()]);
    let ask = |since: Option<&str>, cells: &[(&str, &str)]| {
        let cells = cells.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let wanted = Wanted { since: since.map(str::to_owned), cells };
        verdict(&dataset, &wanted, &Policy::default())
    };
    let late = ask(Some("2026-05-01"), &[]).expect("a verdict");
    assert!(late.events.is_empty() && late.series.iter().all(|row| row.changes.is_empty()));
    assert_eq!((late.gate, late.settings.since), (Gate::Pass, Some(61)));
    let large = ask(None, &[("Model", "large")]).expect("a verdict");
    assert!(large.cells == 2 && large.series.iter().all(|row| row.settings["model"] == "large"));
    let wrong =
        ask(None, &[("model", "huge")]).err().map_or_else(String::new, |error| error.to_string());
    assert!(wrong.contains("model=huge"), "{wrong}");
    let wrong = ask(Some("2027"), &[]).err().map_or_else(String::new, |error| error.to_string());
    assert!(wrong.contains("found 2027"), "{wrong}");
}

/// A folder of nights with three runs each, in the order of the numbers in their names; the median of a night counts, so one
/// wild run of three does nothing.
#[test]
fn a_folder_of_nights_has_a_folder_a_night() {
    let folder = tempfile::tempdir().expect("a folder");
    for night in 0..30 {
        let inside = folder.path().join(format!("nights/build-{night}"));
        std::fs::create_dir_all(&inside).expect("a folder");
        for run in 0..3 {
            let value = level(night) * if night < 20 { 1.0 } else { 0.93 };
            let value =
                if run == 2 && night % 5 == 0 { 3.0 * value } else { value + f64::from(run) };
            let content = format!("{{\"serve\": {{\"throughput\": {{\"value\": {value:.3}}}}}}}");
            std::fs::write(inside.join(format!("run{run}.json")), content).expect("a file");
        }
    }
    let path = folder.path().join("nights").display().to_string();
    let report = judged(&[&path]);
    assert_eq!((report.nights.len(), report.order), (30, Order::Names));
    let row = &report.series[0];
    assert!(row.runs.iter().all(|runs| *runs == 3) && row.excursions.is_empty());
    assert_eq!(night(&report, row.changes[0].night), "build-20");
    assert_eq!(row.changes.len(), 1);
}

/// Two kernels of 30 nights, the first 10 % slower from the 20th on: two series, of which one changed, whatever the column of
/// their names is called.
#[test]
fn words_beside_the_nights_are_series_of_their_own() {
    let mut rows = "date,kernel,x_us\n".to_owned();
    for night in 0..30 {
        let slower = if night < 20 { 1.0 } else { 1.1 };
        writeln!(rows, "2025-01-{:02},softmax,{:.3}", night + 1, level(night) * slower)
            .expect("text");
        writeln!(rows, "2025-01-{:02},layernorm,{:.3}", night + 1, 2.0 * level(night + 3))
            .expect("text");
    }
    let (folder, path) = file("nights.csv", &rows);
    let out = run(&[&path, "--format", "json"], folder.path());
    let report: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let series = report["series"].as_array().expect("series");
    let changes = |kernel: &str| {
        let of = |one: &&Value| one.to_string().contains(kernel);
        series.iter().find(of).expect("a series")["changes"].as_array().map(Vec::len)
    };
    assert_eq!((series.len(), changes("softmax"), changes("layernorm")), (2, Some(1), Some(0)));
}

/// The rows of a table of commits are in no order of their names: the input's order counts, and is said.
#[test]
fn without_times_and_numbers_the_order_is_that_of_the_input() {
    let mut rows = "commit,wall_time_s\n".to_owned();
    for night in 0..40_usize {
        // Any order of letters.
        let name = (night * 7919 + 104_729) * 2_654_435_761 % 0xfff_ffff;
        let value = level(night) * if night < 25 { 1.0 } else { 1.05 };
        writeln!(rows, "{name:07x},{value:.3}").expect("text");
    }
    let (_folder, path) = file("commits.csv", &rows);
    let report = judged(&[&path]);
    assert_eq!(report.order, Order::Given);
    assert_eq!(report.series[0].changes[0].night, 25);
    let said = text(&report, TextOptions::default());
    assert!(said.contains("in the order of the input"), "{said}");
}

/// `data.js` of github-action-benchmark: the time of an entry orders it, equal values of two nights are two nights.
#[test]
fn data_js_is_a_history_by_the_times_in_it() {
    let mut entries: Vec<String> = Vec::new();
    for night in 0..40_u32 {
        let value = level(night as usize).round() * if night < 30 { 1.0 } else { 1.08 };
        let date = 1_582_887_600_000_u64 + 86_400_000 * u64::from(night);
        entries.push(format!(
            "{{\"commit\": {{\"id\": \"{:016x}{night:024x}\", \"timestamp\": \"2020-01-01T00:00:00Z\"}}, \"date\": {date}, \"tool\": \
             \"cargo\", \"benches\": [{{\"name\": \"fib\", \"value\": {value}, \"unit\": \"ns/iter\"}}]}}",
            u64::from(night + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
        ));
    }
    // Newest first: the file may be in any order.
    entries.reverse();
    let content = format!(
        "window.BENCHMARK_DATA = {{\"entries\": {{\"Rust\": [{}]}}}};\n",
        entries.join(", ")
    );
    let (_folder, path) = file("data.js", &content);
    let report = judged(&[&path]);
    assert_eq!((report.nights.len(), report.order), (40, Order::Started));
    assert_eq!(night(&report, 0), "2020-02-28");
    let row = &report.series[0];
    assert_eq!((row.nights.len(), row.metric.as_str()), (40, "time_per_op_ns"));
    assert_eq!(night(&report, row.changes[0].night), "2020-03-29");
    assert_eq!(row.changes[0].way, Way::Worse);
    assert!(report.nights[0].build.is_some());
}

/// Bencher's reports hold no time: their names order them.
#[test]
fn reports_of_bencher_are_ordered_by_their_names() {
    let folder = tempfile::tempdir().expect("a folder");
    for night in 0..20 {
        let value = level(night) * if night < 14 { 1.0 } else { 1.1 };
        let content = format!("{{\"parse\": {{\"latency\": {{\"value\": {value:.2}}}}}}}");
        std::fs::write(folder.path().join(format!("r-{night}.json")), content).expect("a file");
    }
    let report = judged(&[&folder.path().display().to_string()]);
    assert_eq!((report.nights.len(), report.order), (20, Order::Names));
    assert_eq!(night(&report, report.series[0].changes[0].night), "r-14");
}

/// A host that takes turns is a setting, so each of its values is a cell; a driver that changes once is a property of the
/// nights.
#[test]
fn what_takes_turns_is_a_setting_and_what_changes_once_is_a_property() {
    let mut rows = "date,host,driver,wall_time_s\n".to_owned();
    for night in 0..56_usize {
        for host in ["a", "b"] {
            let factor = if host == "a" { 1.0 } else { 1.3 };
            let driver = if night < 30 { "550" } else { "560" };
            let (month, day) = (1 + night / 28, 1 + night % 28);
            let value = level(night) * factor;
            writeln!(rows, "2026-{month:02}-{day:02},{host},v{driver},{value:.3}").expect("text");
        }
    }
    let (_folder, path) = file("hosts.csv", &rows);
    let report = judged(&[&path]);
    assert_eq!((report.cells, report.nights.len()), (2, 56));
    assert_eq!(report.nights[40].properties["driver"], "v560");
    assert!(report.series.iter().all(|row| row.changes.is_empty()));
}

/// Sixty cells at 2 % noise that all become 1 % worse one night: none shows it alone, together they do.
#[test]
fn what_no_cell_shows_alone_all_show_together() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut runs = Vec::new();
    for night in 0..90_usize {
        for cell in 0..60_usize {
            let [u, v]: [f64; 2] = [rng.random(), rng.random()];
            let noise = (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos();
            let value = 100.0 * (0.02 * noise).exp() * if night < 50 { 1.0 } else { 1.01 };
            let mut run = Run::new(&format!("night-{night:03}"), [("wall_time_s", value)]);
            run.workload.label = Some(format!("cell {cell}"));
            runs.push(run);
        }
    }
    let dataset = Dataset::assemble(runs, vec![]);
    let report = verdict(&dataset, &Wanted::default(), &Policy::default()).expect("a verdict");
    let alone = report.series.iter().filter(|row| row.changes.iter().any(|one| one.confirmed));
    assert!(alone.count() <= 2);
    let [pooled] = &report.pooled[..] else { panic!("{:?}", report.pooled) };
    let change = &pooled.changes[0];
    assert!(change.night.abs_diff(50) <= 2, "{}", change.night);
    assert!((change.relative.expect("a size") - 0.01).abs() < 0.005);
    assert_eq!((change.way, report.gate), (Way::Worse, Gate::Pass), "1 % of 2 % tolerated");
}

/// Figures of the nights of ATOM, where they are at hand: 333 series of 20 runs or more; after shuffling, at most 1 has a
/// change. Where throughput and TPOT change together, they go opposite ways.
#[test]
#[expect(clippy::print_stderr, reason = "says that nothing was checked")]
fn real_nights_have_changes_and_shuffled_ones_have_none() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/real/atom_nights/nights.csv");
    let Ok(table) = std::fs::read_to_string(&path) else {
        eprintln!("no real nights beside the project: nothing checked");
        return;
    };
    let report = judged(&[&path.display().to_string()]);
    let long = |report: &HistoryReport| -> (usize, usize) {
        let long = report.series.iter().filter(|row| row.nights.len() >= 20);
        let changed = long.clone().filter(|row| !row.changes.is_empty());
        (long.clone().count(), changed.count())
    };
    let (all, changed) = long(&report);
    assert!((330..=336).contains(&all) && (45..=70).contains(&changed), "{changed} of {all}");
    let (mut opposite, mut alike) = (0, 0);
    for row in report.series.iter().filter(|row| row.metric == "output_throughput") {
        let other = report
            .series
            .iter()
            .find(|other| other.cell_number == row.cell_number && other.metric == "mean_tpot_ms");
        for change in &row.changes {
            let same = other.iter().flat_map(|other| &other.changes);
            for twin in same.filter(|twin| twin.night == change.night) {
                let signs = change.absolute.zip(twin.absolute).map(|(a, b)| a * b < 0.0);
                if signs == Some(true) { opposite += 1 } else { alike += 1 }
            }
        }
    }
    assert!(opposite > 15 && alike * 20 <= opposite, "{opposite} opposite, {alike} alike");
    // The jobs in another order: the name of each becomes that of another.
    let mut jobs: Vec<&str> =
        table.lines().skip(1).filter_map(|line| line.split(',').nth(7)).collect();
    jobs.sort_unstable();
    jobs.dedup();
    let count = jobs.len();
    let place = |job: &str| jobs.binary_search(&job).expect("a job") * 67 % count;
    let mut shuffled = table.lines().next().expect("a header").to_owned() + "\n";
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let row = cells.iter().enumerate().map(|(at, cell)| match at {
            7 => format!("{:05}", 10_000 + place(cell)),
            _ => (*cell).to_owned(),
        });
        let row = row.collect::<Vec<String>>().join(",");
        writeln!(shuffled, "{row}").expect("text");
    }
    // In the order of the new names, which is then that of the rows.
    let mut lines: Vec<&str> = shuffled.lines().collect();
    lines[1..].sort_by_key(|line| line.split(',').nth(7).map(str::to_owned));
    let (_folder, path) = file("shuffled.csv", &lines.join("\n"));
    let (all, changed) = long(&judged(&[&path]));
    assert!(all >= 330 && changed <= 1, "{changed} of {all}");
}

#[test]
fn a_metric_without_a_direction_is_asked_for_or_judged_alone() {
    let runs = |names: &[&str]| {
        let run = |night: usize| {
            let value = level(night) * if night < 20 { 1.0 } else { 1.1 };
            Run::new(&format!("n{night:02}"), names.iter().map(|name| (*name, value)))
        };
        Dataset::assemble((0..30).map(run).collect(), vec![])
    };
    let report = verdict(&runs(&["widgets"]), &Wanted::default(), &Policy::default());
    let report = report.expect("a verdict");
    assert_eq!(report.series[0].changes[0].way, Way::Changed);
    assert_eq!(report.gate, Gate::Pass);
    let several = runs(&["widgets", "gadgets"]);
    let error = verdict(&several, &Wanted::default(), &Policy::default()).expect_err("which one");
    assert!(error.to_string().contains("direction"), "{error}");
    let selected: Selected = "gadgets:lower".parse().expect("a metric");
    let policy = Policy { selected: vec![selected], ..Policy::default() };
    let report = verdict(&several, &Wanted::default(), &policy).expect("a verdict");
    assert_eq!((report.series.len(), report.gate), (1, Gate::Fail));
}

/// Rows of one cell of `data/nights.csv` on these days, as the runs of a build.
fn of_days(days: &[&str], label: &str, folder: &Path) -> String {
    let table = std::fs::read_to_string(made()).expect("the made nights");
    let mut lines = table.lines();
    let mut rows = lines.next().expect("a header").to_owned() + "\n";
    for line in lines.filter(|line| days.iter().any(|day| line.starts_with(day))) {
        let cells: Vec<&str> = line.split(',').collect();
        // Without the driver, which the runs of the change need not know.
        if cells[3..5] == ["large", "8"] {
            writeln!(rows, "{},{label},,{}", cells[0], cells[3..].join(",")).expect("text");
        }
    }
    let path = folder.join(format!("{label}.csv"));
    std::fs::write(&path, rows).expect("a file");
    format!("{label}={}", path.display())
}

/// `data/make/nights.py`: on 20 April both cells of `large` changed with another driver. Runs of 16 and of 25 April have
/// that between them, runs of 25 April and 5 May have not; in the order of the nights or against it.
#[test]
fn compare_beside_a_history_says_whether_the_machine_changed_between_the_builds() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = |days: &[&str], label: &str| of_days(days, label, folder.path());
    let before = of(&["2026-04-15", "2026-04-16", "2026-04-17"], "before");
    let after = of(&["2026-04-24", "2026-04-25", "2026-04-26"], "pr");
    let later = of(&["2026-05-05", "2026-05-06", "2026-05-07"], "later");
    let check = |inputs: [&str; 2], base: &str| {
        let program = env!("CARGO_BIN_EXE_beyondnoise");
        let mut command = Command::new(program);
        command.args(["compare", inputs[0], inputs[1], "--base", base, "--history", &made()]);
        let out = command.args(["--format", "json"]).output().expect("the executable runs");
        let report: Value = serde_json::from_slice(&out.stdout).expect("a report");
        let checks = report["comparisons"][0]["checks"].as_array().expect("a list").clone();
        checks.into_iter().find(|check| check["id"] == "machine-changed").expect("the check")
    };
    for inputs in [[&*before, &*after], [&*after, &*before]] {
        let found = check(inputs, "before");
        assert_eq!((&found["severity"], &found["could_flip"]), (&"warn".into(), &true.into()));
        assert_eq!(found["evidence"]["nights"], serde_json::json!(["2026-04-20"]));
        let message = found["message"].as_str().expect("text");
        assert!(message.starts_with(
            "By the history the machine changed between the runs of before and those of pr: "
        ));
        assert!(message.contains("driver 550.54 → 560.28"), "{message}");
    }
    let found = check([&after, &later], "pr");
    assert_eq!((&found["severity"], &found["could_flip"]), (&"note".into(), &false.into()));
    let message = found["message"].as_str().expect("text");
    assert!(message.contains("90 nights knows no change of the machine"), "{message}");
}

/// Runs without times: the labels are commits of the history.
#[test]
fn a_label_that_is_a_commit_of_the_history_places_a_build_among_its_nights() {
    let table = std::fs::read_to_string(made()).expect("the made nights");
    let commit = |day: &str| {
        let line = table.lines().find(|line| line.starts_with(day)).expect("the day");
        line.split(',').nth(1).expect("a commit").to_owned()
    };
    let (old, new) = (commit("2026-04-16"), commit("2026-04-25"));
    let folder = tempfile::tempdir().expect("a folder");
    let input = |label: &str, level: f64| {
        let rows: Vec<String> = [0.0, 0.4, -0.3].map(|off| format!("{}", level + off)).into();
        let path = folder.path().join(format!("{label}.csv"));
        std::fs::write(&path, format!("output_throughput\n{}\n", rows.join("\n"))).expect("a file");
        format!("{label}={}", path.display())
    };
    let inputs = [input(&old, 131.0), input(&new, 126.0)];
    let mut command = Command::new(env!("CARGO_BIN_EXE_beyondnoise"));
    command.args(["compare", &inputs[0], &inputs[1], "--base", &old, "--history", &made()]);
    let out = command.args(["--format", "json"]).output().expect("the executable runs");
    let report: Value = serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&out.stderr)));
    let checks = report["comparisons"][0]["checks"].as_array().expect("a list");
    let found = checks.iter().find(|check| check["id"] == "machine-changed").expect("the check");
    assert_eq!(found["evidence"]["nights"], serde_json::json!(["2026-04-20"]));
}

/// 0.3 % more each night of 60 is 18 times the noise; no level is there that it could leave, so the report says what hides it.
#[test]
fn a_series_with_a_long_memory_says_that_a_creep_looks_the_same() {
    let mut rows = "date,build,wall_time_s\n".to_owned();
    for night in 0..60_usize {
        let (month, day) = (1 + night / 28, 1 + night % 28);
        let value = level(night) * 1.003_f64.powi(i32::try_from(night).expect("small"));
        writeln!(rows, "2026-{month:02}-{day:02},b{night},{value:.3}").expect("text");
    }
    let (_folder, path) = file("creep.csv", &rows);
    let row = &judged(&[&path]).series[0];
    let found = !row.changes.is_empty() || !row.creeps.is_empty();
    assert!(found || row.summary.contains("a slow creep looks the same"), "{}", row.summary);
    assert!(!judged(&[&made()]).series.iter().any(|row| row.summary.contains("creep looks")));
}
