//! Each hot part of the statistics by itself, and a batch with its reports: `cargo bench --bench statistics`.

use beyondnoise::analysis::batch;
use beyondnoise::policy::{Base, Policy};
use beyondnoise::render::{TextOptions, csv, html, json, markdown, text};
use beyondnoise::report::Report;
use beyondnoise::runs::{Dataset, Run, Source, Value, Workload};
use beyondnoise::stats::{
    Across, Curves, Method, Modes, Resampling, Sample, Trend, TwoSample, Variance, VariancePool,
};
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// Numbers in (0, 1) in a fixed sequence, Knuth's MMIX generator.
fn numbers(seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    })
}

/// Runs of a metric near 100 with long tails.
fn values(seed: u64, runs: usize) -> Vec<f64> {
    numbers(seed).take(runs).map(|u| 100.0 - 2.0 * (-u).ln_1p()).collect()
}

fn samples(runs: usize) -> [Sample; 2] {
    [1, 2].map(|seed| Sample::new(values(seed, runs)).expect("finite values"))
}

fn curves([a, b]: &[Sample; 2], across: Across) -> Curves {
    TwoSample::new(a, b, across, Resampling::default()).curves(Method::Calibrated)
}

/// The laws of the resampled delta on both scales: all resamples of 3 to 6 runs, 10,000 drawn ones of 10 and 40,
/// in closed form for 2,000 and 100,000.
#[divan::bench(args = [3, 5, 6, 10, 40, 2_000, 100_000])]
fn law_of_means(bencher: Bencher, runs: usize) {
    let both = samples(runs);
    bencher.bench(|| curves(black_box(&both), Across::MEAN));
}

#[divan::bench(args = [5, 10, 1_000, 100_000])]
fn law_of_medians(bencher: Bencher, runs: usize) {
    let both = samples(runs);
    bencher.bench(|| curves(black_box(&both), Across::MEDIAN));
}

/// What a report reads of a law: two intervals, a p-value, a probability.
#[divan::bench(args = [3, 5, 6, 10, 2_000])]
fn interval_and_p_value(bencher: Bencher, runs: usize) {
    let both = samples(runs);
    bencher.with_inputs(|| curves(&both, Across::MEAN)).bench_refs(|[log, linear]| {
        let (log, linear) = (log.as_ref().expect("a curve"), linear.as_ref().expect("a curve"));
        (log.interval(0.95), log.interval(0.9), log.tested(0.0), linear.interval(0.95))
    });
}

/// A prior for each of so many comparisons, fitted to all others.
#[divan::bench(args = [20, 1_000])]
fn moderated_noise(bencher: Bencher, comparisons: usize) {
    let all: Vec<Variance> = numbers(5)
        .take(comparisons)
        .map(|u| Variance { value: 1e-4 * (0.5 + u), df: 8.0 })
        .collect();
    bencher.bench(|| {
        let pool = VariancePool::new(black_box(&all).clone());
        all.iter().filter_map(|own| pool.prior(&[*own], &[], Some(*own))).count()
    });
}

#[divan::bench(args = [10, 1_000, 100_000])]
fn trend(bencher: Bencher, runs: usize) {
    let values = values(3, runs);
    bencher.bench(|| Trend::of(black_box(&values)));
}

#[divan::bench(args = [10, 1_000])]
fn modes(bencher: Bencher, runs: usize) {
    let values = values(4, runs);
    bencher.bench(|| Modes::of(black_box(&values), 0));
}

/// So many workloads with two variants of five runs and three metrics each.
fn dataset(workloads: usize) -> Dataset {
    let names = ["output_throughput", "mean_ttft_ms", "mean_tpot_ms"];
    let mut noise = numbers(6);
    let mut runs = Vec::new();
    for workload in 0..workloads {
        for variant in ["before", "after"] {
            for run in 0..5 {
                let mut value = || 100.0 * (1.0 + 0.02 * (noise.next().unwrap_or_default() - 0.5));
                let metrics =
                    names.map(|name| (name.to_owned(), Value { value: value(), resolution: 0.0 }));
                let path = format!("{workload}-{variant}-{run}");
                runs.push(Run {
                    variant: variant.to_owned(),
                    source: Source { path: path.into(), position: 1, counts: "line" },
                    workload: Workload {
                        model: Some(format!("m{workload}")),
                        ..Workload::default()
                    }
                    .into(),
                    metrics: metrics.into(),
                    ..Run::default()
                });
            }
        }
    }
    Dataset::assemble(runs, Vec::new())
}

fn judged(dataset: &Dataset) -> Report {
    let base = Base::Label("before".to_owned());
    batch(dataset, None, &[], Some(&base), &Policy::default()).expect("two variants")
}

#[divan::bench(args = [1, 1_000], sample_count = 10)]
fn batch_of_comparisons(bencher: Bencher, comparisons: usize) {
    let dataset = dataset(comparisons);
    bencher.bench(|| judged(black_box(&dataset)));
}

#[divan::bench(args = ["text", "markdown", "html", "json", "csv"], sample_count = 10)]
fn render_1000_comparisons(bencher: Bencher, format: &str) {
    let report = judged(&dataset(1_000));
    let options =
        TextOptions { width: 80, colour: false, verbose: false, quiet: false, plot: false };
    let render = |report: &Report| match format {
        "text" => text(beyondnoise::report::batch::batch(report, true), options),
        "markdown" => markdown(report),
        "html" => html(report),
        "json" => json(report),
        _ => csv(report),
    };
    bencher.bench(|| render(black_box(&report)));
}
