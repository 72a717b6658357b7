//! Tables: the figures of request rows do not depend on what is held in memory.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use beyondnoise::read::TINY;
use beyondnoise::runs::Dataset;

use crate::sound::{file, read};

pub(crate) fn check(input: &[u8]) {
    let Some((limit, input)) = input.split_first() else { return };
    let Some((name, bytes)) = file(input) else { return };
    TINY.store(0, Ordering::Relaxed);
    let usual = read(&name, bytes).map(|loaded| apart(loaded.dataset));
    TINY.store(usize::from(*limit) + 1, Ordering::Relaxed);
    let tiny = read(&name, bytes).map(|loaded| apart(loaded.dataset));
    let (Some((usual, figures)), Some((tiny, others))) = (&usual, &tiny) else {
        assert_eq!(usual.is_some(), tiny.is_some());
        return;
    };
    assert_eq!(usual, tiny);
    for (figures, others) in figures.iter().zip(others) {
        assert!(figures.keys().eq(others.keys()), "{figures:?} {others:?}");
        for (name, value) in figures {
            let mean = figures.get(&name.replacen("std_", "mean_", 1)).unwrap_or(value);
            let near = 1e-9 * value.abs().max(mean.abs());
            let other = others[name];
            assert!((value - other).abs() <= near, "{name} {value} {other}");
        }
    }
}

/// Runs without what is kept in memory only, and their figures, which are sums in another order.
fn apart(mut dataset: Dataset) -> (String, Vec<BTreeMap<String, f64>>) {
    let mut figures = Vec::new();
    let variants = dataset.groups.iter_mut().flat_map(|group| &mut group.variants);
    for run in variants.flat_map(|variant| &mut variant.runs) {
        run.requests = None;
        let metrics = std::mem::take(&mut run.metrics);
        figures.push(metrics.into_iter().map(|(name, value)| (name.to_string(), value.value)).collect());
    }
    (format!("{dataset:?}"), figures)
}
