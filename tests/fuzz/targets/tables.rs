//! Tables: the figures of request rows do not depend on what is held in memory.

use std::sync::atomic::Ordering;

use beyondnoise::read::TINY;

use crate::sound::{file, read};

pub(crate) fn check(input: &[u8]) {
    let Some((limit, input)) = input.split_first() else { return };
    let Some((name, bytes)) = file(input) else { return };
    TINY.store(0, Ordering::Relaxed);
    let usual = read(&name, bytes).map(|loaded| loaded.dataset);
    TINY.store(usize::from(*limit) + 1, Ordering::Relaxed);
    let tiny = read(&name, bytes).map(|loaded| loaded.dataset);
    assert_eq!(format!("{usual:?}"), format!("{tiny:?}"));
}
