//! HTML reports in a real browser, at the widths of a phone, a tablet and a desk, light and dark, on paper; and
//! markdown reports as HTML, of which only is asked that no label is more than text.
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

/// Labels that want to be more than text.
const LIVE: [&str; 10] = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "\"><svg onload=alert(3)>",
    "' onmouseover='alert(4)' x='",
    "</td></tr></table></details><h1>",
    "<a href=\"javascript:alert(5)\">x</a>",
    "<link rel=stylesheet href=http://192.0.2.1/x.css><iframe src=http://192.0.2.1/>",
    "\u{1b}[31m \u{202e}txet \u{2066} <!-- ` ]]> &lt;b&gt;",
    "[x](javascript:alert(6)) ![y](http://192.0.2.1/y.png)",
    "http://192.0.2.1/z | www.example.com ``` [^1]",
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

/// Writes the markdown that `args` print as a page, by a renderer that lets everything through.
fn markdown_page(folder: &Path, name: &str, args: &[&str]) -> PathBuf {
    let done = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .args(args)
        .args(["--format", "markdown"])
        .output()
        .expect("the executable runs");
    assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.footnotes = true;
    options.render.r#unsafe = true;
    let html = comrak::markdown_to_html(&String::from_utf8_lossy(&done.stdout), &options);
    let path = folder.join(name);
    std::fs::write(&path, format!("<!doctype html><meta charset=utf-8><title>x</title>{html}"))
        .expect("a file");
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

/// Runs of these variants in cells, models and metrics of the same names.
fn cells(folder: &Path, labels: &[&str]) -> String {
    let path = folder.join("cells.csv");
    let mut writer = csv::Writer::from_path(&path).expect("a file");
    let own: Vec<String> = labels.iter().map(|label| format!("{label}_ms")).collect();
    let head = ["variant", "cell", "model", "output_throughput"].map(str::to_owned);
    writer.write_record(head.iter().chain(&own)).expect("a row");
    for label in labels {
        for (k, variant) in ["before", label].into_iter().enumerate() {
            for run in 0..3 {
                let value = (300 - 40 * k + run).to_string();
                let values = std::iter::repeat_n(value.as_str(), own.len() + 1);
                writer
                    .write_record([variant, label, label].into_iter().chain(values))
                    .expect("a row");
            }
        }
    }
    writer.flush().expect("a file");
    path.display().to_string()
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
    let live: Vec<&str> = std::iter::once("before").chain(LIVE).collect();
    let live = table(folder, "live.csv", &live, 3);
    let cells = cells(folder, &LIVE);
    let batch = folder.join("batch.html");
    let done = Command::new(env!("CARGO_BIN_EXE_beyondnoise"))
        .args(["batch", &cells, "--by", "cell,model", "--base", "before", "-o"])
        .arg(&batch)
        .output()
        .expect("the executable runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
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
        page(folder, "live.html", &[&live, "--base", "before"]),
        batch,
        page(folder, "forty.html", &[&many]),
        page(folder, "no-ratio.html", &[&no_ratio, "--metric", "offset_ms:lower"]),
        markdown_page(folder, "live.md.html", &["compare", &live, "--base", "before"]),
        markdown_page(folder, "labels.md.html", &["compare", &hostile]),
        markdown_page(
            folder,
            "batch.md.html",
            &["batch", &cells, "--by", "cell,model", "--base", "before"],
        ),
        markdown_page(folder, "noise.md.html", &["noise", &live]),
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
