//! Texts of runs, made safe to print: they come from files, and from the names of files and folders.

use std::collections::BTreeMap;

use crate::printable::{clean, cleaned, is_printable};
use crate::runs::{Input, Run};

/// Makes every text of `run` safe to print.
pub(super) fn clean_run(run: &mut Run) {
    let Run { variant, name, pair, cell, place, source, workload, started, .. } = run;
    let optional = [name, pair, place, started]
        .into_iter()
        .chain([&mut workload.label, &mut workload.model])
        .chain([&mut workload.dataset, &mut workload.client]);
    optional.flatten().for_each(clean);
    clean(variant);
    clean(&mut source.path);
    for claim in &mut run.claims {
        clean(&mut claim.text);
        clean(&mut claim.source.path);
    }
    for texts in [cell, &mut workload.other, &mut run.metadata] {
        texts.values_mut().for_each(clean);
        clean_keys(texts);
    }
    clean_keys(&mut run.metrics);
    clean_keys(&mut run.printed);
    if let Some(requests) = &mut run.requests {
        clean_keys(&mut requests.figures);
    }
}

/// Makes every text of `input` safe to print.
pub(super) fn clean_input(input: &mut Input) {
    clean(&mut input.path);
    for skipped in &mut input.skipped {
        clean(&mut skipped.place);
        clean(&mut skipped.why);
    }
}

/// Of two keys that only differ in what cannot be seen, the last one counts.
fn clean_keys<T>(map: &mut BTreeMap<String, T>) {
    if !map.keys().all(|key| is_printable(key)) {
        let all = std::mem::take(map);
        *map = all.into_iter().map(|(key, of)| (cleaned(&key), of)).collect();
    }
}
