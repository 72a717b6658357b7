//! Large files with request detail: their figures are exact, and memory holds a few of them at a time.
//!
//! Expected figures are calculated here in whole microseconds, so that no rounding and no code of the crate
//! takes part.

#![allow(clippy::too_many_lines, reason = "tables of cases")]
#![expect(clippy::print_stderr, reason = "says that the memory was not measured")]

use std::fs::{self, File};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Mutex;

use beyondnoise::read::{Options, Progress, load, load_with};
use beyondnoise::runs::Run;

const REQUESTS: u64 = 2_000;
const GAPS: u64 = 140;
const FILES: u64 = 8;

/// Every whole number from 1 to `n` once, in a mixed order: 7 919 is a prime that divides no `n` used here.
fn mixed(i: u64, n: u64) -> u64 {
    i * 7_919 % n + 1
}

/// Gaps of a request in microseconds; those of all requests are 1 to REQUESTS x GAPS.
fn gaps(request: u64) -> impl Iterator<Item = u64> {
    (0..GAPS).map(move |gap| mixed(request * GAPS + gap, REQUESTS * GAPS))
}

/// Seconds to as many digits as Python prints.
fn seconds(microseconds: u64) -> String {
    format!("{}.{:06}000000000000", microseconds / 1_000_000, microseconds % 1_000_000)
}

/// Writes a result as vLLM saves it with `--save-detailed`, without any figure of a latency; some 6 MB, a value
/// at a time, so that the memory measured is that of reading.
fn write_detailed(file: &Path) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(file)?);
    write!(
        out,
        "{{\"date\": \"20260801-120000\", \"model_id\": \"m\", \"num_prompts\": {REQUESTS}, \
         \"request_rate\": \"inf\", \"max_concurrency\": 8, \"duration\": 100.5, \"completed\": {REQUESTS}, \
         \"total_input_tokens\": 1000, \"total_output_tokens\": {}, ",
        REQUESTS * (GAPS + 1)
    )?;
    let of_request = |request: u64| {
        let own: Vec<String> = gaps(request).map(seconds).collect();
        format!("[{}]", own.join(", "))
    };
    // Cut inside a character and an escape, as texts of a fixed number of tokens are.
    let cut = |request: u64| format!("\"]}} \\\"{request}\\\" \\\\ \\n \\u4f18 \\ud83d\"");
    let lists: [(&str, &dyn Fn(u64) -> String); 6] = [
        ("input_lens", &|_| "512".to_owned()),
        ("output_lens", &|_| (GAPS + 1).to_string()),
        ("ttfts", &|request| seconds(mixed(request, REQUESTS))),
        ("itls", &of_request),
        ("generated_texts", &cut),
        ("errors", &|_| "\"\"".to_owned()),
    ];
    for (key, item) in lists {
        write!(out, "\"{key}\": [{}", item(0))?;
        for request in 1..REQUESTS {
            write!(out, ", {}", item(request))?;
        }
        write!(out, "], ")?;
    }
    let rate = REQUESTS as f64 / 100.5;
    writeln!(out, "\"request_throughput\": {rate}}}")?;
    out.flush()
}

/// Mean, median and P99 of whole numbers, the quantiles linear between neighbours.
fn figures(mut values: Vec<u64>) -> [f64; 3] {
    values.sort_unstable();
    let n = values.len() as u64;
    let mean = values.iter().sum::<u64>() as f64 / n as f64;
    // Position q (n - 1) in hundredths, so that it is whole.
    let quantile = |percent: u64| {
        let position = percent * (n - 1);
        let below = usize::try_from(position / 100).expect("a position");
        let (low, high) = (values[below], values[(below + 1).min(values.len() - 1)]);
        low as f64 + (high - low) as f64 * (position % 100) as f64 / 100.0
    };
    [mean, quantile(50), quantile(99)]
}

fn check(run: &Run) {
    let sums: Vec<u64> = (0..REQUESTS).map(|request| gaps(request).sum()).collect();
    let first = |request: u64| mixed(request, REQUESTS);
    let latency = |request: u64| first(request) + gaps(request).sum::<u64>();
    for (stem, values, parts) in [
        ("ttft", (0..REQUESTS).map(first).collect(), 1),
        ("itl", (0..REQUESTS).flat_map(gaps).collect(), 1),
        // All but the first token come in the gaps.
        ("tpot", sums, GAPS),
        ("e2el", (0..REQUESTS).map(latency).collect(), 1),
    ] {
        for (word, expected) in ["mean", "median", "p99"].into_iter().zip(figures(values)) {
            let name = format!("{word}_{stem}_ms");
            let (found, expected) = (run.metrics[&name].value, expected / parts as f64 / 1e3);
            assert!((found / expected - 1.0).abs() < 1e-12, "{name}: {found}, not {expected}");
        }
    }
    assert_eq!(run.requests.as_ref().map(|requests| requests.counts["itl"]), Some(280_000));
}

/// Most memory that this process held since `forget_memory`, in bytes, where the system tells.
fn most_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

fn forget_memory() {
    // Where this is not possible nothing is measured, and the test says so.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Eight files of 6 MB by two threads: under four times a file, whatever their number.
#[test]
fn large_files_give_exact_figures_in_the_memory_of_a_few() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |number: u64| folder.path().join(format!("run-{number}.json"));
    write_detailed(&path(0)).expect("a file");
    for number in 1..FILES {
        // The same at another time is another run.
        fs::copy(path(0), path(number)).expect("a copy");
        let mut copy = File::options().write(true).open(path(number)).expect("the copy");
        copy.seek(SeekFrom::Start(10)).expect("a place");
        write!(copy, "2026080{}", number + 1).expect("another day");
    }
    let largest = fs::metadata(path(FILES - 1)).expect("the file").len();
    assert!(largest > 6_000_000, "{largest} bytes");

    let last = Mutex::new(Progress::default());
    let watch = |progress: Progress| *last.lock().expect("no panic") = progress;
    let input = [folder.path().display().to_string()];
    forget_memory();
    let before = most_memory();
    let two = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    let loaded = two.install(|| load_with(&input, &Options::default(), &watch)).expect("results");
    if let (Some(before), Some(after)) = (before, most_memory()) {
        let more = after - before;
        assert!(more < 4 * largest, "{more} bytes more for files of {largest}");
    } else {
        eprintln!("the system does not tell the memory of a process: not measured");
    }

    let said: Vec<_> = loaded.dataset.inputs.iter().flat_map(|input| &input.skipped).collect();
    assert!(said.is_empty(), "{said:?}");
    let runs: Vec<&Run> = loaded.dataset.runs().map(|(_, _, run)| run).collect();
    assert_eq!(runs.len() as u64, FILES);
    check(runs[0]);
    let bytes = (0..FILES).map(|n| fs::metadata(path(n)).expect("the file").len()).sum();
    let files = runs.len();
    let all = Progress { files, files_done: files, bytes, bytes_read: bytes };
    assert_eq!(*last.lock().expect("no panic"), all);
}

/// Values in milliseconds where SGLang keeps seconds too; requests that failed are not counted.
#[test]
fn lines_of_sglang_are_read_one_by_one() {
    let line = |shift: f64| {
        let first: Vec<String> = (1..=101).map(|i| format!("{}", f64::from(i) + shift)).collect();
        let gaps = vec!["[0.5, 1.5, 1e0]"; 101].join(", ");
        let mut errors = vec!["\"\""; 101];
        errors[100] = "\"timed out\"";
        format!(
            "{{\"backend\": \"sglang\", \"median_e2e_latency_ms\": 1.0, \"completed\": 100, \"duration\": {}, \
             \"ttfts\": [{}], \"itls\": [{gaps}], \"errors\": [{}]}}\n",
            60.0 + shift,
            first.join(","),
            errors.join(", ")
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("runs.jsonl");
    fs::write(&file, line(0.0) + &line(0.25)).expect("a file");
    let loaded = read(&file);
    let runs: Vec<&Run> = loaded.runs().map(|(_, _, run)| run).collect();
    assert_eq!(runs.len(), 2);
    for (run, shift) in runs.into_iter().zip([0.0, 250.0]) {
        // By hand: 1 to 100 s, the failed 101 left out; median 50.5 s, P99 1 + 0.99 x 99 = 99.01 s.
        for (name, expected) in [
            ("mean_ttft_ms", 50_500.0 + shift),
            ("median_ttft_ms", 50_500.0 + shift),
            ("p99_ttft_ms", 99_010.0 + shift),
            ("mean_itl_ms", 1_000.0),
            ("p99_itl_ms", 1_500.0),
        ] {
            let found = run.metrics[name].value;
            assert!((found - expected).abs() < 1e-9 * expected, "{name}: {found}");
        }
        assert_eq!(run.requests.as_ref().map(|requests| requests.counts["itl"]), Some(300));
    }
}

fn read(file: &Path) -> beyondnoise::runs::Dataset {
    load(&[file.display().to_string()], &Options::default()).expect("results").dataset
}
