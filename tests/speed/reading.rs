//! Reading by itself, from memory: `cargo bench --bench reading`. Throughput is in bytes of the file.

use std::fmt::Write;

use beyondnoise::read::{File, Options, load_bytes};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// Numbers in (0, 1) in a fixed sequence, Knuth's MMIX generator.
fn numbers() -> impl Iterator<Item = f64> {
    let mut state = 1_u64;
    std::iter::repeat_with(move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    })
}

fn read(bencher: Bencher, name: &str, text: &str) {
    let file = File { variant: Some("main"), name, bytes: text.as_bytes() };
    bencher
        .counter(BytesCount::of_str(text))
        .bench(|| load_bytes(black_box(&[file]), &Options::default()).expect("a good file"));
}

/// A row per request, reduced to one run: means, quantiles, standard errors.
#[divan::bench(args = [1_000, 100_000])]
fn request_rows(bencher: Bencher, rows: usize) {
    let mut text = "request_id,ttft_ms,tpot_ms,e2el_ms,output_tokens\n".to_owned();
    for (row, u) in numbers().take(rows).enumerate() {
        let (ttft, tpot) = (40.0 - 9.0 * u.ln(), 12.0 + u);
        let end = ttft + 200.0 * tpot;
        writeln!(text, "{row},{ttft:.6},{tpot:.6},{end:.6},200").expect("memory");
    }
    read(bencher, "requests.csv", &text);
}

/// A row per value of a run, twelve metrics.
#[divan::bench(args = [1_000, 100_000])]
fn values_of_runs(bencher: Bencher, rows: usize) {
    let mut text = "model,variant,run,metric,value\n".to_owned();
    for (row, u) in numbers().take(rows).enumerate() {
        let (run, variant) = (row / 12, if row / 12 % 2 == 0 { "before" } else { "after" });
        writeln!(text, "m{},{variant},{run},metric_{}_ms,{:.6}", run / 10, row % 12, 90.0 + u)
            .expect("memory");
    }
    read(bencher, "values.csv", &text);
}

/// A run per row and one value: what a run costs whatever stands in it.
#[divan::bench(args = [1_000, 100_000])]
fn one_value_runs(bencher: Bencher, rows: usize) {
    let mut text = "variant,value\n".to_owned();
    for u in numbers().take(rows) {
        writeln!(text, "main,{:.6}", 90.0 + u).expect("memory");
    }
    read(bencher, "runs.csv", &text);
}

/// A result with request detail as vLLM's client writes it: 100 gaps of 17 digits a request.
#[divan::bench(args = [100, 10_000])]
fn detailed_json(bencher: Bencher, requests: usize) {
    let mut numbers = numbers();
    let mut list = |n: usize, scale: f64| -> String {
        let all: Vec<String> = numbers.by_ref().take(n).map(|u| (scale * u).to_string()).collect();
        format!("[{}]", all.join(", "))
    };
    let gaps: Vec<String> = (0..requests).map(|_| list(100, 0.02)).collect();
    let (ttfts, lengths) = (list(requests, 0.3), vec!["101"; requests].join(", "));
    let text = format!(
        "{{\"date\": \"20260101-000000\", \"backend\": \"vllm\", \"model_id\": \"m\", \"num_prompts\": {requests}, \
         \"duration\": 10.5, \"completed\": {requests}, \"total_input_tokens\": 1000, \"total_output_tokens\": 1000, \
         \"request_throughput\": 10.1, \"output_throughput\": 95.2, \"mean_ttft_ms\": 150.1, \
         \"ttfts\": {ttfts}, \"output_lens\": [{lengths}], \"itls\": [{}]}}",
        gaps.join(", ")
    );
    read(bencher, "result.json", &text);
}

/// A note with pasted results.
#[divan::bench]
fn pasted_blocks(bencher: Bencher) {
    read(bencher, "notes.md", include_str!("../../data/notes/mock-abba.md"));
}
