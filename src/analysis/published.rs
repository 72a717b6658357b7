//! Grades of one run each, from the noise atlas.

use std::collections::BTreeMap;

use crate::analysis::assess::Assessed;
use crate::analysis::job::Job;
use crate::atlas::{Fitness, Grade, Published, VERSION, outside};
use crate::checks::{CheckId, Finding, Severity};
use crate::report::atlas::words::{of_claim, of_so_many};
use crate::report::{AtlasRow, Comparison, PublishedRow, Row};

/// Adds published noise to the rows of one run each, and returns the grade of the comparison. `None` if a row has noise of its
/// own, or if no metric is in the atlas.
pub(super) fn add(rows: &mut [Row], assessed: &Assessed, job: Job) -> Option<AtlasRow> {
    let policy = job.policy;
    let (baseline, candidate) = (assessed.runs.baseline, assessed.runs.candidate);
    let one_each = baseline.runs.len() == 1 && candidate.runs.len() == 1;
    if !policy.atlas || !one_each || rows.iter().any(|row| row.noise.cv.is_some()) {
        return None;
    }
    let published = |row: &Row| Published::under(assessed.load, &row.metric);
    let fitness = Fitness::of(baseline, candidate);
    if fitness.is_fit() {
        for row in rows.iter_mut() {
            let ratio = row.delta.relative.map(f64::ln_1p).filter(|ratio| ratio.is_finite());
            row.published = published(row).zip(ratio).map(|(published, ratio)| {
                PublishedRow::new(published, &job.noise.earlier(&row.metric), ratio)
            });
        }
    }
    rows.iter().find(|row| published(row).is_some())?;
    let first = rows.iter().find(|row| row.deciding && row.shares && published(row).is_some());
    let graded = first.and_then(|row| row.published.as_ref());
    let reason = if !fitness.is_fit() {
        fitness.to_string()
    } else if graded.is_none() {
        "no metric that decides here is in the atlas".to_owned()
    } else {
        String::new()
    };
    Some(AtlasRow {
        version: VERSION,
        metric: first.filter(|row| row.published.is_some()).map(|row| row.metric.clone()),
        p: graded.map(|graded| graded.p),
        grade: graded.map(|graded| graded.grade),
        reason,
        sources: graded.map_or(0, |graded| graded.sources),
        setups: graded.map_or(0, |graded| graded.setups),
        best_of: 1,
        p_best: graded.map(|graded| graded.p),
        outside: outside(baseline, candidate),
    })
}

/// Adds to a candidate's claims the grades of their metrics.
pub(super) fn grade_claims(findings: &mut [Finding], comparison: &mut Comparison) {
    let mut told: Vec<(String, Grade)> = Vec::new();
    let Comparison { claims, metrics, candidate, .. } = comparison;
    for claim in claims.iter_mut().filter(|claim| claim.variant == candidate.name) {
        let row = metrics.iter().find(|row| claim.metric.as_ref() == Some(&row.metric));
        let Some((row, graded)) = row.and_then(|row| Some((row, row.published?))) else { continue };
        let Some(sentence) = of_claim(row) else { continue };
        claim.published = Some(graded);
        claim.graded.clone_from(&sentence);
        if !told.iter().any(|(known, _)| *known == sentence) {
            told.push((sentence, graded.grade));
        }
    }
    if let Some(finding) = findings.iter_mut().find(|one| one.id == CheckId::ClaimCheck) {
        for (sentence, grade) in told {
            finding.message = format!("{} {sentence}", finding.message);
            if finding.severity == Severity::Note && grade >= Grade::Unclear {
                finding.severity = Severity::Warn;
            }
        }
    }
}

/// Counts the graded candidates of each workload and baseline, among which the best one was chosen.
pub(super) fn count_candidates(comparisons: &mut [Comparison]) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let key = |one: &Comparison| {
        let graded = one.atlas.as_ref().is_some_and(|atlas| atlas.grade.is_some());
        graded.then(|| format!("{:?}", (&one.workload, &one.cell, &one.baseline.name)))
    };
    let keys: Vec<Option<String>> = comparisons.iter().map(key).collect();
    for key in keys.iter().flatten() {
        *counts.entry(key.clone()).or_default() += 1;
    }
    for (one, key) in comparisons.iter_mut().zip(&keys) {
        let count = key.as_ref().and_then(|key| counts.get(key));
        if let (Some(atlas), Some(count)) = (&mut one.atlas, count) {
            atlas.best_of = *count;
            atlas.p_best = atlas.p.map(|p| of_so_many(p, *count));
        }
    }
}
