//! HTML reports in a real browser, at the widths of a phone, a tablet and a desk, light and dark, on paper.
//!
//! Needs node with playwright-core on `NODE_PATH`, and chromium. Without them the test is skipped, unless
//! `BEYONDNOISE_BROWSER` is set.

use std::path::{Path, PathBuf};
use std::process::Command;

const HOSTILE: [&str; 4] = [
    "<script>alert(1)</script> & **bold** `code` | \"quoted\"",
    "并行前缀缓存、分块预填充、投机解码，以及一个没有任何空格的非常非常非常非常长的名称",
    "نسخة سريعة جدا",
    "feature/a-branch-name-without-any-blank-that-goes-on-and-on-and-on-and-on-and-on-and-on",
];

fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("BEYONDNOISE_CHROMIUM").map(PathBuf::from);
    let usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    named.into_iter().chain(usual.map(PathBuf::from)).find(|path| path.exists())
}

fn node_has_playwright() -> bool {
    let asked = Command::new("node").args(["-e", "require.resolve('playwright-core')"]).output();
    asked.is_ok_and(|done| done.status.success())
}

/// Writes the report of `inputs` as a page.
fn page(folder: &Path, name: &str, args: &[&str]) -> PathBuf {
    let path = folder.join(name);
    let done = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .arg("compare")
        .args(args)
        .arg("-o")
        .arg(&path)
        .output()
        .expect("the executable runs");
    assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
    path
}

/// Runs of these variants; those of variant k lie 3 k % higher, with a ripple of 1 %.
fn table(folder: &Path, name: &str, variants: &[&str], runs: usize) -> String {
    let mut writer = csv::Writer::from_path(folder.join(name)).expect("a file");
    let long = "a_metric_with_a_name_that_nobody_would_write_by_hand_but_a_generator_did_ms";
    let head = ["variant", "max_concurrency", "output_throughput", "mean_ttft_ms", long];
    writer.write_record(head).expect("a row");
    for (k, variant) in variants.iter().enumerate() {
        for run in 0..runs {
            let ripple = 1.0 + 0.01 * ((7 * run + k) as f64).sin();
            let value = |base: f64| format!("{:.3}", base * ripple * (1.0 + 0.03 * k as f64));
            let cells =
                [(*variant).to_owned(), "8".to_owned(), value(557.0), value(64.0), value(9e7)];
            writer.write_record(&cells).expect("a row");
        }
    }
    writer.flush().expect("a file");
    folder.join(name).display().to_string()
}

#[test]
#[expect(clippy::print_stderr, reason = "says why nothing was looked at")]
fn pages_hold_what_a_reader_expects() {
    let forced = std::env::var_os("BEYONDNOISE_BROWSER").is_some_and(|value| value != "0");
    let chromium = browser();
    if !forced && (chromium.is_none() || !node_has_playwright()) {
        eprintln!("skipped: needs chromium, node and playwright-core on NODE_PATH");
        return;
    }
    let chromium = chromium.expect("chromium, or its path in BEYONDNOISE_CHROMIUM");
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let labels: Vec<&str> = std::iter::once("before").chain(HOSTILE).collect();
    let hostile = table(folder, "labels.csv", &labels, 3);
    let many = table(folder, "forty.csv", &["before", "after"], 40);
    let no_ratio = folder.join("no-ratio.csv").display().to_string();
    let rows = "variant,offset_ms,balance\nbefore,0,-3\nbefore,-1,-2\nbefore,2,-4\n\
                after,5,1\nafter,6,1.5\nafter,5.5,1.2\n";
    std::fs::write(&no_ratio, rows).expect("a file");
    let pages = [
        page(folder, "serving.html", &["data/serving"]),
        page(folder, "steps.html", &["data/notes/two-workloads-five-steps.txt"]),
        page(folder, "single.html", &["data/notes/closed-loop-before-after.txt"]),
        page(folder, "hyperfine.html", &["data/formats/hyperfine/two-commands.json"]),
        page(folder, "labels.html", &[&hostile]),
        page(folder, "forty.html", &[&many]),
        page(folder, "no-ratio.html", &[&no_ratio, "--metric", "offset_ms:lower"]),
    ];
    let done = Command::new("node")
        .arg("tests/browser/check.cjs")
        .arg(chromium)
        .args(pages)
        .output()
        .expect("node runs");
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(done.status.success(), "{}{}", said(&done.stdout), said(&done.stderr));
}
