//! One series: its changes, in the units of its metric.

use crate::history::nights::{Cell, Measured};
use crate::metrics::Metric;
use crate::policy::Policy;
use crate::report::history::{
    CellNoise, ChangeRow, CreepRow, LevelRow, NoiseChangeRow, OpenRow, SeriesRow, Way,
};
use crate::stats::history::{Change, History};

/// Nights after which a step counts as shown.
const AFTER: usize = 5;

/// Fewest nights of a change: fewer may be a spike.
const FEWEST_OF_CHANGE: usize = 3;

/// A series with its verdict, before the other series are considered.
pub(super) struct Judged {
    pub(super) row: SeriesRow,
    pub(super) found: History,
    /// Values on the scale of the judgement.
    pub(super) scaled: Vec<f64>,
}

/// The direction of an effect.
pub(super) fn way(metric: &Metric, effect: f64) -> Way {
    match metric.better {
        Some(better) if better.sign() * effect > 0.0 => Way::Better,
        Some(_) => Way::Worse,
        None => Way::Changed,
    }
}

/// Judges one metric of a cell over its nights.
pub(super) fn judged(
    cell: &Cell,
    number: usize,
    metric: &Metric,
    measured: Measured,
    policy: &Policy,
) -> Judged {
    let Measured { nights, values, runs, within } = measured;
    let found = History::of(&values);
    let log = found.logarithmic;
    let scaled = values.iter().map(|value| if log { value.ln() } else { *value }).collect();
    let reason = match found.noise {
        Some(_) => String::new(),
        None if nights.len() < History::FEWEST_NIGHTS => {
            format!(
                "{} of the {} nights that a verdict needs",
                nights.len(),
                History::FEWEST_NIGHTS
            )
        }
        None => "all values are equal".to_owned(),
    };
    let noise = found.noise.map(|noise| {
        // The noise of the last nights: the next nights will be like them.
        let sd = found.sd.last().copied().unwrap_or(noise.sd);
        CellNoise { sd, relative: log, memory: noise.memory }
    });
    let largest = found.changes.iter().map(|change| change.z);
    let largest = largest.fold(None, |best: Option<f64>, z| {
        Some(best.map_or(z, |best| if z.abs() > best.abs() { z } else { best }))
    });
    let row = SeriesRow {
        cell: cell.name.clone(),
        cell_number: number,
        settings: cell.fields.clone(),
        metric: metric.name.clone(),
        label: metric.label.clone(),
        row_label: metric.row_label(),
        unit: metric.unit.symbol(),
        better: metric.better,
        tolerance: policy.tolerance_of(&metric.name),
        judged: found.noise.is_some(),
        reason,
        within_night: within,
        noise,
        shown_after_5: found.shown_after(AFTER).filter(|_| log).map(f64::exp_m1),
        levels: levels(&found, &nights),
        changes: changes(&found, &nights, metric, policy),
        creeps: creeps(&found, &nights, metric, policy),
        noise_changes: noise_changes(&found, &nights),
        excursions: found.excursions.iter().map(|night| nights[*night]).collect(),
        open: open(&found, &values, metric),
        p_value: History::list_p_value(largest, nights.len()),
        p_adjusted: 1.0,
        summary: String::new(),
        nights,
        values,
        runs,
    };
    Judged { row, found, scaled }
}

/// A level in the unit of the metric.
fn in_unit(found: &History, level: f64) -> f64 {
    if found.logarithmic { level.exp() } else { level }
}

/// A difference of levels as a fraction; `None` on the linear scale.
fn relative(found: &History, effect: f64) -> Option<f64> {
    found.logarithmic.then(|| effect.exp_m1()).filter(|change| change.is_finite())
}

/// Stretches of nights with one level and one noise.
fn levels(found: &History, nights: &[usize]) -> Vec<LevelRow> {
    let mut rows: Vec<LevelRow> = Vec::new();
    let same = |a: usize, b: usize| {
        found.levels[a].total_cmp(&found.levels[b]).is_eq()
            && found.sd[a].total_cmp(&found.sd[b]).is_eq()
    };
    #[expect(clippy::needless_range_loop, reason = "neighbours are compared")]
    for at in 0..found.levels.len() {
        if at > 0 && same(at - 1, at) {
            if let Some(last) = rows.last_mut() {
                last.nights[1] = nights[at];
            }
            continue;
        }
        let (level, sd) = (found.levels[at], found.sd[at]);
        let band = [-2.0, 2.0].map(|times| in_unit(found, level + times * sd));
        rows.push(LevelRow { nights: [nights[at]; 2], level: in_unit(found, level), band });
    }
    rows
}

fn changes(found: &History, nights: &[usize], metric: &Metric, policy: &Policy) -> Vec<ChangeRow> {
    let last = found.levels.last().copied().unwrap_or_default();
    let row = |change: &Change| {
        let base = found.levels[change.night - 1];
        let net = last - base;
        let interval = change.interval(policy.confidence);
        let half = (interval.high - interval.low) / 2.0;
        let creep = |at: usize| {
            found.creeps.iter().position(|creep| (creep.changes.0..=creep.changes.1).contains(&at))
        };
        let at = found.changes.iter().position(|other| other.night == change.night);
        ChangeRow {
            night: nights[change.night],
            between: [nights[change.first], nights[change.last]],
            after: change.first.checked_sub(1).map(|before| nights[before]),
            relative: relative(found, change.effect),
            relative_ci: relative(found, interval.low)
                .zip(relative(found, interval.high))
                .map(|(low, high)| [low, high]),
            absolute: Some(in_unit(found, found.levels[change.night]) - in_unit(found, base)),
            z: change.z,
            sure: change.z.abs() >= History::SURE,
            way: way(metric, change.effect),
            confirmed: false,
            event: None,
            creep: at.and_then(creep),
            in_force: net * change.effect.signum() > half,
            remaining: relative(found, net),
            stretch: change.elsewhere.nights,
            stretches: change.elsewhere.stretches,
            as_far: change.elsewhere.as_far,
            with: Vec::new(),
            sentence: String::new(),
        }
    };
    found.changes.iter().map(row).collect()
}

fn creeps(found: &History, nights: &[usize], metric: &Metric, policy: &Policy) -> Vec<CreepRow> {
    let last = found.levels.last().copied().unwrap_or_default();
    let row = |creep: &crate::stats::history::Creep| {
        let interval = creep.interval(policy.confidence);
        let half = (interval.high - interval.low) / 2.0;
        let base = found.levels[found.changes[creep.changes.0].night - 1];
        CreepRow {
            nights: [nights[creep.start], nights[creep.end - 1]],
            relative: relative(found, creep.effect),
            relative_ci: relative(found, interval.low)
                .zip(relative(found, interval.high))
                .map(|(low, high)| [low, high]),
            way: way(metric, creep.effect),
            confirmed: false,
            in_force: (last - base) * creep.effect.signum() > half,
            sentence: String::new(),
        }
    };
    found.creeps.iter().map(row).collect()
}

fn noise_changes(found: &History, nights: &[usize]) -> Vec<NoiseChangeRow> {
    let changes = found.noise_changes.iter();
    changes
        .map(|change| NoiseChangeRow {
            night: nights[change.night],
            between: [nights[change.first], nights[change.last]],
            ratio: change.ratio,
            ratio_ci: [change.interval.0, change.interval.1],
            sentence: String::new(),
        })
        .collect()
}

fn open(found: &History, values: &[f64], metric: &Metric) -> Option<OpenRow> {
    let (last, level, sd) = (values.last()?, found.levels.last()?, found.sd.last()?);
    let off = if found.logarithmic { last.ln() - level } else { last - level };
    (found.open > 0).then(|| OpenRow {
        nights: found.open,
        relative: relative(found, off),
        distance: (off / sd).abs(),
        way: way(metric, off),
        needed: FEWEST_OF_CHANGE - found.open.min(FEWEST_OF_CHANGE - 1),
        sentence: String::new(),
    })
}
