//! Claims below or above all results, each given to the cell that it names, `27B: +67 %` is about the runs of the model of 27B, or in whose
//! values it holds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use beyondnoise_model::metrics::Metric;
use beyondnoise_model::runs::{Claim, Doubt, Run, TwoValues};
use beyondnoise_model::units::Better;

/// Most values of a setting whose names are looked for.
const MAX_VALUES: usize = 50;

/// Moves each claim below the last result, or above the first, to a run of its variant in the cell that its words name, if they
/// name one cell other than the run's; and a claim between two cells to that above it where it holds there alone.
pub(crate) fn place(runs: &mut [Run]) {
    if runs.iter().all(|run| run.info.claims.is_empty()) {
        return;
    }
    // Sentences above the first result sum up all of it as well.
    let mut firsts: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    for run in &*runs {
        let first = firsts.entry(Arc::clone(&run.source.path)).or_insert(usize::MAX);
        *first = run.source.position.min(*first);
    }
    // One without claims keeps what it shares with the others.
    for run in runs.iter_mut().filter(|run| !run.info.claims.is_empty()) {
        let first = firsts.get(&run.source.path).copied().unwrap_or(0);
        for claim in &mut run.info.claims {
            let of_all = claim.source.position < first || is_largest(&claim.text);
            claim.closing |= claim.metric.is_none() && of_all;
        }
    }
    // Beyond these nothing is looked for in the values.
    let variants: BTreeSet<&str> = runs.iter().map(|run| &*run.variant).collect();
    let few = runs.len() <= MAX_RUNS && variants.len() <= MAX_VARIANTS;
    if few {
        mark_odd_columns(runs);
    }
    let open = |claim: &Claim| claim.closing || few && claim.metric.is_none();
    if !runs.iter().any(|run| run.info.claims.iter().any(open)) {
        return;
    }
    let all = Setting::all(runs);
    let (mut moved, mut doubtful) = (Vec::new(), Vec::new());
    for (at, run) in runs.iter().enumerate() {
        for (nth, claim) in run.info.claims.iter().enumerate().filter(|(_, claim)| open(claim)) {
            let own = cells_named(&all, &claim.text);
            let named = if own.is_empty() { cells_named(&all, &claim.before) } else { own };
            let fits = |other: &Run| {
                let own: BTreeMap<String, String> = settings(other).into_iter().collect();
                let is_own = |values: &[&String], own: &String| values.contains(&own);
                named
                    .iter()
                    .all(|(name, values)| own.get(*name).is_some_and(|own| is_own(values, own)))
            };
            if !claim.closing {
                if holds_in(runs, run, run, claim) {
                    continue;
                }
                let holds = |to: &usize| holds_in(runs, &runs[*to], run, claim);
                let own = |to: &usize| runs[*to].variant == run.variant && fits(&runs[*to]);
                let named = || (0..runs.len()).filter(own).find(holds);
                let to = beside(runs, run)
                    .filter(holds)
                    .or_else(|| if fits(run) { None } else { named() });
                let with_values =
                    || where_it_holds(runs, run, claim).filter(|_| claim.values.is_some());
                moved.extend(to.or_else(with_values).map(|to| (at, nth, to)));
                continue;
            }
            let mut several = false;
            let to = match () {
                () if named.is_empty() => where_it_holds(runs, run, claim),
                () if fits(run) && (!few || holds_in(runs, run, run, claim)) => None,
                () => {
                    let own =
                        |other: &&(usize, &Run)| other.1.variant == run.variant && fits(other.1);
                    let mut fitting = runs.iter().enumerate().filter(|other| own(&other));
                    let holds =
                        |(_, other): &(usize, &Run)| few && holds_in(runs, other, run, claim);
                    let mut cells = fitting.clone().map(|(_, other)| &other.workload);
                    let cell = cells.next();
                    let one = cells.all(|other| Some(other) == cell);
                    several = !one;
                    let first = fitting.clone().next().filter(|_| one && !fits(run));
                    let (to, elsewhere) = match exact(&all, runs, run, claim) {
                        Some(cell) => {
                            let found = fitting.find(holds).map(|(to, _)| to);
                            let here =
                                found == Some(cell) || holds_in(runs, &runs[cell], run, claim);
                            (Some(cell), !here && found.is_some())
                        }
                        None => (fitting.find(holds).or(first).map(|(to, _)| to), false),
                    };
                    if elsewhere {
                        doubtful.push((at, nth));
                    }
                    to.filter(|_| !elsewhere)
                }
            };
            // Words for each of them say something about each of them.
            let shared = all.iter().any(|setting| setting.shares_a_word(&claim.text));
            if few
                && several
                && shared
                && claim.values.is_none()
                && to.is_none()
                && !holds_in(runs, run, run, claim)
            {
                doubtful.push((at, nth));
            }
            moved.extend(to.map(|to| (at, nth, to)));
        }
    }
    for (at, nth) in doubtful {
        runs[at].info.claims[nth].doubt = Some(Doubt::SeveralCells);
    }
    for (at, nth, to) in moved.into_iter().rev() {
        let claim = runs[at].info.claims.remove(nth);
        runs[to].info.claims.push(claim);
    }
}

/// A setting with several values, each with its words that not all of them have.
struct Setting {
    name: String,
    values: Vec<(String, BTreeSet<String>)>,
}

impl Setting {
    /// The settings in which the runs differ, with at most [`MAX_VALUES`] values.
    fn all(runs: &[Run]) -> Vec<Self> {
        let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (name, value) in runs.iter().flat_map(settings) {
            all.entry(name).or_default().insert(value);
        }
        all.retain(|_, values| (2..=MAX_VALUES).contains(&values.len()));
        let of = |(name, values): (String, BTreeSet<String>)| {
            let every: Vec<BTreeSet<String>> = values.iter().map(|value| words(value)).collect();
            let own = |of: &BTreeSet<String>| -> BTreeSet<String> {
                let tells = |word: &&String| !every.iter().all(|other| other.contains(*word));
                of.iter().filter(tells).cloned().collect()
            };
            let own: Vec<BTreeSet<String>> = every.iter().map(own).collect();
            Self { name, values: values.into_iter().zip(own).collect() }
        };
        all.into_iter().map(of).collect()
    }

    /// The values that a text may mean: by their words, or else by a number.
    fn named(&self, text: &str) -> Vec<&String> {
        let said = words(text);
        let named = self.values.iter().filter(|(_, own)| !own.is_disjoint(&said));
        let named: Vec<&String> = named.map(|(value, _)| value).collect();
        if named.is_empty() { self.numbered(text).into_iter().collect() } else { named }
    }

    /// Whether one word of a text stands in several values, and not in all.
    fn shares_a_word(&self, text: &str) -> bool {
        let several =
            |word: &String| self.values.iter().filter(|(_, own)| own.contains(word)).count() > 1;
        words(text).iter().any(several)
    }

    /// The value that a text gives by its number: behind `at`, `for`, `=`, or beside the name of the setting.
    fn numbered(&self, text: &str) -> Option<&String> {
        let number = |text: &str| text.replace(',', "").parse::<f64>().ok();
        if !self.values.iter().all(|(value, _)| number(value).is_some()) {
            return None;
        }
        let lower = text.to_lowercase();
        let bare = |c: char| !(c.is_alphanumeric() || c == '=' || c == '@');
        let parts = lower.split_whitespace().map(|part| part.trim_matches(bare));
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        let own = words(&self.name);
        let of_setting = |word: &str| {
            let stem = word.trim_end_matches('s');
            own.iter().any(|own| own.trim_end_matches('s') == stem)
        };
        let gives = |value: &String| {
            parts.iter().enumerate().any(|(at, part)| {
                let (key, digits) = part.split_once('=').unwrap_or(("", part));
                let digits = number(digits.trim_start_matches('@'));
                let is_it = digits.zip(number(value)).is_some_and(|(a, b)| (a - b).abs() < 1e-9);
                let before = at.checked_sub(1).map_or("", |before| parts[before]);
                let behind = parts.get(at + 1).copied().unwrap_or("");
                let led = ["at", "for", "=", "@"].contains(&before) || !key.is_empty();
                is_it && (led || part.starts_with('@') || of_setting(before) || of_setting(behind))
            })
        };
        let mut named = self.values.iter().map(|(value, _)| value).filter(|value| gives(value));
        named.next().filter(|_| named.next().is_none())
    }
}

/// The settings that a text names, each with those of its values that it may mean.
fn cells_named<'a>(all: &'a [Setting], text: &str) -> Vec<(&'a String, Vec<&'a String>)> {
    let named = all.iter().map(|setting| (&setting.name, setting.named(text)));
    named.filter(|(_, values)| !values.is_empty()).collect()
}

/// Whether a text has a value by itself: the 16 of `at 16,`, and not that of `16.5 %`, `16 %` or `2016`.
fn stands_alone(text: &str, value: &str) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    !value.is_empty()
        && text.match_indices(value).any(|(at, _)| {
            let (before, behind) = (&text[..at], &text[at + value.len()..]);
            let joined =
                behind.strip_prefix(['.', ',']).is_some_and(|rest| rest.starts_with(digit))
                    || before.strip_suffix(['.', ',']).is_some_and(|rest| rest.ends_with(digit));
            let number = value.ends_with(digit);
            let figure = number && behind.trim_start().starts_with(['%', '％', 'x', '×', '倍']);
            let inside = before.ends_with(char::is_alphanumeric)
                || behind.starts_with(char::is_alphanumeric);
            !joined && !figure && !inside
        })
}

/// The first run of the variant of `run` in the cell whose value of a setting the text has as it is written.
fn exact(all: &[Setting], runs: &[Run], run: &Run, claim: &Claim) -> Option<usize> {
    let lower = claim.text.to_lowercase();
    // Behind the figure another statement may begin: `at 8192 +10.9 %, 32768 runs now`.
    let before = &lower[..lower.find(['%', '％']).unwrap_or(lower.len())];
    let mut named = all.iter().filter_map(|setting| {
        let within = |text: &str| {
            let values = setting.values.iter().map(|(value, _)| value);
            let values = values.filter(|value| stands_alone(text, &value.to_lowercase()));
            values.max_by_key(|value| value.len())
        };
        within(before).or_else(|| within(&lower)).map(|value| (&setting.name, value))
    });
    let (name, value) = named.next().filter(|_| named.next().is_none())?;
    let has = |other: &Run| {
        other.variant == run.variant
            && settings(other).iter().any(|(own, of)| own == name && of == value)
    };
    runs.iter().position(has)
}

/// Whether the words give the largest change of several cells.
fn is_largest(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["up to ", "as much as ", "最高", "高达", "最多", "最大"]
        .iter()
        .any(|word| lower.contains(word))
        && !lower.contains(" from ")
}

/// Changes up to this agree with any values that hardly differ.
const SMALL: f64 = 0.01;

/// Fewest changes of a column that say whether it is about the values beside it.
const FEWEST_CHANGES: usize = 5;

/// Marks the changes of columns of which at most a third agree with a change of the values beside them: they are about something else.
fn mark_odd_columns(runs: &mut [Run]) {
    let told = |claim: &&Claim| !claim.closing && claim.metric.is_some() && claim.size > SMALL;
    if !runs.iter().any(|run| run.info.claims.iter().any(|claim| told(&claim))) {
        return;
    }
    let mut cells: Vec<Vec<&Run>> = Vec::new();
    for run in &*runs {
        match cells.iter_mut().find(|cell| cell[0].workload == run.workload) {
            Some(cell) => cell.push(run),
            None => cells.push(vec![run]),
        }
    }
    let mut columns: BTreeMap<(Arc<str>, String), [usize; 2]> = BTreeMap::new();
    for cell in &cells {
        for run in cell {
            for claim in run.info.claims.iter().filter(told) {
                let Some(metric) = &claim.metric else { continue };
                let key = (Arc::clone(&run.source.path), metric.clone());
                let [all, held] = columns.entry(key).or_default();
                *all += 1;
                *held += usize::from(is_of_some_pair(cell, run, metric, claim));
            }
        }
    }
    columns.retain(|_, [all, held]| *all >= FEWEST_CHANGES && 3 * *held <= *all);
    if columns.is_empty() {
        return;
    }
    for run in runs.iter_mut().filter(|run| !run.info.claims.is_empty()) {
        let path = Arc::clone(&run.source.path);
        for claim in run.info.claims.iter_mut().filter(|claim| !claim.closing) {
            let Some(metric) = &claim.metric else { continue };
            let odd = columns.contains_key(&(Arc::clone(&path), metric.clone()));
            claim.doubt = odd.then_some(Doubt::OddColumn);
        }
    }
}

/// Whether a change beside a run is one between its variant and another, either way, or between two single runs of them.
fn is_of_some_pair(cell: &[&Run], run: &Run, metric: &str, claim: &Claim) -> bool {
    let near = claim.resolution.max(NEAR);
    let agrees = |ratio: f64| ((ratio - 1.0).abs() - claim.size).abs() <= near;
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for one in cell {
        let value = one.metrics.get(metric).map(|value| value.value);
        values.entry(&*one.variant).or_default().extend(value);
    }
    // The single runs, and their mean.
    for own in values.values_mut().filter(|own| own.len() > 1) {
        own.push(own.iter().sum::<f64>() / own.len() as f64);
    }
    let Some(own) = values.get(&*run.variant) else { return false };
    let others = values.iter().filter(|(variant, _)| **variant != &*run.variant);
    others
        .flat_map(|(_, olds)| olds)
        .any(|old| own.iter().any(|new| agrees(new / old) || agrees(old / new)))
}

/// The only variant without a change beside its runs, where every other variant has some, and each of these is one against that
/// variant, either way: the others are compared with it. Where it is the best of all, the changes may be against the best.
pub(crate) fn reference(runs: &[Run]) -> Option<String> {
    if runs.len() > MAX_RUNS || runs.iter().all(|run| run.info.claims.is_empty()) {
        return None;
    }
    let variants: BTreeSet<&str> = runs.iter().map(|run| &*run.variant).collect();
    if !(2..=MAX_VARIANTS).contains(&variants.len()) {
        return None;
    }
    let stated = |run: &Run| run.info.claims.iter().any(|claim| !claim.closing);
    let changed: BTreeSet<&str> =
        runs.iter().filter(|run| stated(run)).map(|run| &*run.variant).collect();
    let mut silent = variants.difference(&changed);
    let (Some(base), None) = (silent.next(), silent.next()) else { return None };
    let is_against = |run: &Run, claim: &Claim| {
        let named = |metric: &&str| claim.metric.as_ref().is_none_or(|name| name == metric);
        // Without a direction a speedup may be that of either.
        let directed = |metric: &&str| Metric::named(metric).better.is_some();
        run.metrics.iter().map(|(name, _)| name).filter(named).filter(directed).any(|metric| {
            let of = |variant: &str| mean(runs, variant, run, metric);
            let (Some(new), Some(old)) = (of(&run.variant), of(base)) else { return false };
            let near = claim.resolution.max(NEAR);
            [new / old, old / new].iter().any(|r| ((r - 1.0).abs() - claim.size).abs() <= near)
        })
    };
    let all = |run: &Run| {
        let mut claims = run.info.claims.iter().filter(|claim| !claim.closing);
        claims.all(|claim| is_against(run, claim))
    };
    let better = |run: &Run| {
        run.metrics.keys().any(|metric| {
            let of = |variant: &str| mean(runs, variant, run, metric);
            let (Some(new), Some(old)) = (of(&run.variant), of(base)) else { return false };
            match Metric::named(metric).better {
                Some(Better::Higher) => new > old,
                Some(Better::Lower) => new < old,
                None => false,
            }
        })
    };
    let beaten = runs.iter().any(|run| run.variant != **base && better(run));
    (beaten && runs.iter().all(all)).then(|| (*base).to_owned())
}

/// The mean of a metric over the runs of a variant in the cell of `cell`.
fn mean(runs: &[Run], variant: &str, cell: &Run, metric: &str) -> Option<f64> {
    let own = runs.iter().filter(|run| run.variant == variant && run.workload == cell.workload);
    let values: Vec<f64> = own.filter_map(|run| Some(run.metrics.get(metric)?.value)).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Most runs and variants among which a cell is looked for.
const MAX_RUNS: usize = 1_000;
const MAX_VARIANTS: usize = 20;

/// Least deviation from a claim that is none.
const NEAR: f64 = 0.001;

/// The first run of the variant of `run` in another cell in which a metric changes as the claim says, where none does in its own.
fn where_it_holds(runs: &[Run], run: &Run, claim: &Claim) -> Option<usize> {
    let variants: BTreeSet<&str> = runs.iter().map(|run| &*run.variant).collect();
    if runs.len() > MAX_RUNS || variants.len() > MAX_VARIANTS {
        return None;
    }
    if holds_in(runs, run, run, claim) {
        return None;
    }
    let mut cells: Vec<usize> = Vec::new();
    for (at, other) in runs.iter().enumerate() {
        let known = cells.iter().any(|known| runs[*known].workload == other.workload);
        if other.variant == run.variant && other.workload != run.workload && !known {
            cells.push(at);
        }
    }
    cells.into_iter().find(|at| holds_in(runs, &runs[*at], run, claim))
}

/// The last run of the cell above that of `run` in the same file: text between two cells may speak of either.
fn beside(runs: &[Run], run: &Run) -> Option<usize> {
    let above = |other: &Run| {
        other.source.path == run.source.path
            && other.source.position < run.source.position
            && other.workload != run.workload
    };
    let found = runs.iter().enumerate().filter(|(_, other)| above(other));
    found.max_by_key(|(_, other)| other.source.position).map(|(at, _)| at)
}

/// Whether a metric changes as the claim says in the cell of a run: of the variant that the claim begins with, or of that of the
/// run beside the claim.
fn holds_in(runs: &[Run], cell: &Run, run: &Run, claim: &Claim) -> bool {
    let variants: BTreeSet<&str> = runs.iter().map(|run| &*run.variant).collect();
    let first = |variant: &&&str| claim.text.trim_start().starts_with(**variant);
    let named = variants.iter().filter(first).max_by_key(|variant| variant.len());
    let new = named.copied().unwrap_or(&run.variant);
    let mean = |variant: &str, cell: &Run, metric: &str| mean(runs, variant, cell, metric);
    if let Some(TwoValues { old, new, .. }) = claim.values {
        let has = |value: f64| {
            move |variant: &&str, metric: &str| {
                mean(variant, cell, metric).is_some_and(|own| (own / value - 1.0).abs() < 0.005)
            }
        };
        let both = |metric: &str| {
            let pair = |of: f64| variants.iter().filter(move |v| has(of)(v, metric));
            pair(new).any(|new| pair(old).any(|old| old != new))
        };
        if cell.metrics.keys().any(both) {
            return true;
        }
    }
    let agrees = |change: f64| {
        let size = if claim.up == Some(false) { -claim.size } else { claim.size };
        let seen = if claim.up.is_some() { change } else { change.abs() };
        (seen - size).abs() <= claim.resolution.max(NEAR)
    };
    let metrics = cell
        .metrics
        .keys()
        .filter(|name| claim.metric.as_ref().is_none_or(|metric| metric == *name));
    metrics.into_iter().any(|metric| {
        let Some(value) = mean(new, cell, metric) else { return false };
        let others = variants.iter().filter(|other| **other != new);
        others
            .filter_map(|other| mean(other, cell, metric))
            .any(|old| agrees(value / old - 1.0) || claim.up.is_none() && agrees(1.0 - old / value))
    })
}

/// The settings of a run that have names: of its load, its model and its data.
fn settings(run: &Run) -> Vec<(String, String)> {
    let workload = &run.workload;
    let fields =
        [("label", &workload.label), ("model", &workload.model), ("data", &workload.dataset)];
    let fields =
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)));
    fields.chain(workload.other.iter().map(|(name, value)| (name.clone(), value.clone()))).collect()
}

/// The words of a text in small letters that are no numbers: `27b` of `Qwen3.6-27B`.
fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let ascii = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let parts = lower.split(|c: char| !ascii(c)).map(|word| word.trim_matches('.'));
    let known = |word: &&str| word.len() > 1 && word.contains(|c: char| c.is_ascii_alphabetic());
    parts.filter(known).map(str::to_owned).collect()
}
