//! Changes in the cells of a table as claims about its runs.

use std::collections::BTreeSet;

use crate::kit::fields::{self, Number};
use crate::kit::figure::figure;
use crate::table::layout::changes::between::{
    GAINS, Stated, follows, is_over, is_speedup_of_first, larger_over_smaller, names_first,
    reading_of, shares_of, sides_of,
};
use crate::table::layout::changes::forms::Remark;
use crate::table::layout::changes::forms::{Change, MIN_ROWS, SMALL, change};
use crate::table::layout::changes::{explains, is_relative, is_turned};
use crate::table::layout::columns::{Kind, Values, is_change, rises, says_change, without_unit};
use crate::table::records::{Line, Table};
use beyondnoise_model::metrics::Metric;
use beyondnoise_model::runs::{Claim, LabelHint, Run, Source, label_hint};
use beyondnoise_model::units::Better;

/// A claim of a cell, and the run that it belongs to.
struct CellClaim {
    /// Number of the row, and column, as they are written.
    place: (usize, usize),
    /// Number of the row now.
    number: usize,
    metric: String,
    /// Label of the variant, where the column has it.
    variant: Option<String>,
    text: String,
    change: Change,
}

/// The claims of a table.
#[derive(Default)]
pub(crate) struct CellClaims(Vec<CellClaim>);

impl CellClaims {
    /// The changes beside values: each is one of the metric of its column, or of its row; `of_own` has the places of factors
    /// that are other values divided by their own.
    pub(crate) fn of_remarks(
        table: &Table,
        remarks: Vec<Remark>,
        of_own: &BTreeSet<(usize, usize)>,
    ) -> Self {
        let claim = |Remark { place, text }: Remark| {
            let change = change(&text, false)?;
            let change = if of_own.contains(&place) { change.inverse() } else { change };
            let metric = table.headers.get(place.1)?.clone();
            Some(CellClaim { place, number: place.0, metric, variant: None, text, change })
        };
        Self(remarks.into_iter().filter_map(claim).collect())
    }

    /// The changes of a table with a column per variant: those of a row are of the metric that the row names, and those of a
    /// column beside several metrics are about the metric that its header names, else about the two columns whose values they
    /// follow or behind which they stand.
    ///
    /// Gives the columns whose changes agree with these values in fewer than half of the rows, with the numbers of rows: they
    /// compare something else, such as runs in pairs, and are no claims.
    pub(crate) fn add_between(
        &mut self,
        table: &Table,
        kinds: &[Kind],
        names: Option<usize>,
        values: &[Values],
    ) -> Vec<(usize, [usize; 2])> {
        let mut others = Vec::new();
        for (at, _) in kinds.iter().enumerate().filter(|(_, kind)| **kind == Kind::Compares) {
            let Some([first, second]) = sides_of(table, at, kinds, values) else { continue };
            let hints = [first, second].map(|side| label_hint(&side.variant));
            let turned = hints[1] == LabelHint::Baseline
                || hints[0] == LabelHint::Candidate
                || hints == [LabelHint::Neither; 2]
                    && (is_over(&table.headers[at], [&first.variant, &second.variant])
                        || is_speedup_of_first(table, (at, names), [first, second])
                        || names_first(table, at, [first, second]));
            let (old, new) = if turned { (second, first) } else { (first, second) };
            let value = |row: Line, at: usize| figure(row.cells.get(at), table.comma)?.value();
            let bare = |row: &Line| fields::number(row.cells.get(at).trim()).is_some();
            let numbers: Vec<(Number, Number, Number)> = table
                .rows
                .iter()
                .filter(bare)
                .filter_map(|row| {
                    let number = fields::number(row.cells.get(at).trim())?;
                    Some((value(row, old.at)?, value(row, new.at)?, number))
                })
                .collect();
            let reading = reading_of(&table.headers[at], &numbers);
            // `58.9%` without a sign may be the share of one value in the other.
            let share = |cell: &str| {
                let number = cell.trim().strip_suffix(['%', '％'])?.trim_end();
                fields::number(number).filter(|_| number.starts_with(|c: char| c.is_ascii_digit()))
            };
            let shares: Vec<(Number, Number, Number)> = table
                .rows
                .iter()
                .filter_map(|row| {
                    Some((value(row, old.at)?, value(row, new.at)?, share(row.cells.get(at))?))
                })
                .collect();
            let as_shares = shares_of(&shares);
            let mut found = Vec::new();
            for row in table.rows.iter() {
                let cell = row.cells.get(at);
                let values = value(row, old.at).zip(value(row, new.at));
                let Some((before, after)) = values.map(|(a, b)| (a.value, b.value)) else {
                    continue;
                };
                let bare = fields::number(cell.trim()).filter(|_| !cell.contains('%'));
                let part = as_shares.and_then(|read| Some((read, share(cell)?)));
                let signed = bare.is_some() || part.is_some();
                let stated = match (bare, part) {
                    (Some(number), _) => reading.and_then(|read| read(before, &number)),
                    (None, Some((read, share))) => read(before, &share),
                    (None, None) => change(cell, true),
                };
                let Some(change) = stated else { continue };
                let metric =
                    names.map_or(String::new(), |names| row.cells.get(names).trim().to_owned());
                let better = Metric::of_column(&metric).0.better;
                // How a bare number compares the values is known.
                let better = if signed { Some(Better::Higher) } else { better };
                let (number, text) = (row.number, cell.trim().to_owned());
                let moved = after / before - 1.0;
                found.push(Stated { number, metric, text, change, moved, better });
            }
            larger_over_smaller(&mut found, &table.headers[at]);
            // In some tables a plus means better. That is so where more rows agree with it.
            let agrees = |change: &Change, moved: f64| {
                let signed = if change.up == Some(false) { -change.size } else { change.size };
                let near = change.resolution + 0.001;
                [moved, moved / (1.0 + moved)].iter().any(|seen| (seen - signed).abs() <= near)
            };
            let as_written = found.iter().filter(|one| agrees(&one.change, one.moved)).count();
            let turns = |change: &Change, moved: f64| {
                agrees(change, -moved / (1.0 + moved)) || agrees(change, -moved)
            };
            // Where the name says no direction the values do: by the sign where the size agrees with neither.
            let against = |change: &Change, moved: f64| {
                turns(change, moved)
                    || !agrees(change, moved) && change.up.is_some_and(|up| up != (moved > 0.0))
            };
            let lower = |change: &Change, moved: f64, better: Option<Better>| match better {
                Some(better) => better == Better::Lower,
                None => against(change, moved),
            };
            let better_is_plus = found
                .iter()
                .filter(|Stated { change, moved, better, .. }| {
                    if lower(change, *moved, *better) {
                        turns(change, *moved)
                    } else {
                        agrees(change, *moved)
                    }
                })
                .count();
            // Any column agrees with changes near to none.
            let told = || found.iter().filter(|one| one.change.size.max(one.moved.abs()) > SMALL);
            let agreeing = told()
                .filter(|one| agrees(&one.change, one.moved) || turns(&one.change, one.moved));
            let (agreeing, all) = (agreeing.count(), told().count());
            // Changes of runs in pairs are none of their averages.
            let paired = table.headers[at].to_lowercase().contains("paired") && agreeing < all;
            if paired || all >= MIN_ROWS && 2 * agreeing < all {
                others.push((at, [agreeing, all]));
                continue;
            }
            // Where no row tells, the name of the column does.
            let header = table.headers[at].to_lowercase();
            let gain =
                better_is_plus == as_written && GAINS.iter().any(|word| header.contains(word));
            for Stated { number, metric, text, mut change, moved, better } in found {
                if (better_is_plus > as_written || gain) && lower(&change, moved, better) {
                    change.up = change.up.map(|up| !up);
                }
                let variant = Some(new.variant.clone());
                self.0.push(CellClaim {
                    place: (number, new.at),
                    number,
                    metric,
                    variant,
                    text,
                    change,
                });
            }
        }
        others
    }

    /// The changes of a table with a row per run: those of a column are of the metric that its header names, or else of the
    /// nearest to its left.
    pub(crate) fn add_beside(&mut self, table: &Table, kinds: &[Kind]) {
        for (at, _) in kinds.iter().enumerate().filter(|(_, kind)| **kind == Kind::Compares) {
            let measured =
                |at: &usize| matches!(kinds[*at], Kind::Metric | Kind::Other | Kind::Side);
            let header = table.headers[at].to_lowercase();
            let named = |at: &usize| {
                let name = table.headers[*at].to_lowercase();
                !name.is_empty() && header.split_whitespace().any(|word| word == name)
            };
            let words = ["speedup", "speed-up", "ratio", "加速比"];
            let factors =
                words.iter().any(|word| header.contains(word)) || is_relative(table, at, kinds);
            let mut metrics = (0..kinds.len()).filter(measured);
            let named = metrics.find(named);
            let named_metric = named.is_some();
            // A single column behind several metrics may be about any of them.
            let changes = kinds.iter().filter(|kind| **kind == Kind::Compares).count();
            let nearest = (0..at).rfind(measured);
            // `it/s, ms/step, Speedup`: the factors are those of the rate, which all of them follow.
            let followed = |inverse: bool| {
                let mut left = (0..at).rev().filter(measured);
                left.find(|&column| follows(table, at, column, (inverse, factors)))
            };
            let direct = named.is_none().then(|| followed(false)).flatten();
            let inverse = (named.is_none() && direct.is_none()).then(|| followed(true)).flatten();
            let told = direct.or(inverse);
            let open = named.is_none()
                && told.is_none()
                && changes == 1
                && (0..at).filter(measured).count() > 2;
            let metric = named.or(told).or(nearest);
            let Some(metric) = metric else { continue };
            let metric = if open { at } else { metric };
            if !factors && !table.mostly(at, is_change) {
                continue;
            }
            let says = factors
                || named_metric
                || says_change(&header)
                || header.contains(['%', 'δ', '∆', '差', '率', '比']);
            if !says
                && !header.is_empty()
                && !explains(table, at, (0..kinds.len()).filter(measured))
            {
                continue;
            }
            // No change in one row alone marks the row that the others are compared with.
            let none = |row: &Line| {
                change(row.cells.get(at).trim(), factors).is_some_and(|c| c.size < 1e-9)
            };
            // With several such rows nobody knows which of them a row is compared with.
            if named.is_none() && told.is_none() && table.rows.iter().filter(none).count() > 1 {
                continue;
            }
            // Changes in every row, which no column explains, are against something that is not in the table.
            let some = |row: Line| {
                change(row.cells.get(at).trim(), factors).is_some_and(|c| c.size > 1e-9)
            };
            if named.is_none()
                && told.is_none()
                && table.rows.len() > 2
                && table.rows.iter().all(some)
            {
                continue;
            }
            let turned = !factors && is_turned(table, at, metric);
            let mut marked = table.rows.iter().filter(none);
            let reference = marked.next().filter(|_| marked.next().is_none());
            let reference = reference.map(|row| row.number);
            // Those of sizes against the first size compare loads, and no variants.
            let first = table.rows.iter().next().map(|row| row.number);
            if reference.is_some() && reference == first && kinds[0] == Kind::Key && rises(table, 0)
            {
                continue;
            }
            for row in table.rows.iter().filter(|row| Some(row.number) != reference) {
                let text = row.cells.get(at).trim().to_owned();
                let Some(mut change) = change(&text, factors) else { continue };
                if inverse.is_some() {
                    change = change.inverse();
                } else if turned {
                    change.up = change.up.map(|up| !up);
                }
                let metric = table.headers[metric].clone();
                let place = (row.number, at);
                self.0.push(CellClaim {
                    place,
                    number: row.number,
                    metric,
                    variant: None,
                    text,
                    change,
                });
            }
        }
    }

    /// Whether the changes of a column are claims.
    pub(crate) fn checks(&self, at: usize) -> bool {
        self.0.iter().any(|claim| claim.place.1 == at && claim.variant.is_none())
    }

    /// Notes that a cell became a row of the long layout.
    pub(crate) fn moves(
        &mut self,
        place: (usize, usize),
        number: usize,
        metric: &str,
        variant: &str,
    ) {
        for claim in self.0.iter_mut().filter(|claim| claim.place == place) {
            claim.number = number;
            metric.clone_into(&mut claim.metric);
            claim.variant = Some(variant.to_owned()).filter(|variant| !variant.is_empty());
        }
    }

    /// Ties the claims of a row outside of its values to the metric of the row, and to the last variant.
    pub(crate) fn tie(
        &mut self,
        (row, values): (usize, &[Values]),
        number: usize,
        metric: &str,
        variant: &str,
    ) {
        let beside = |claim: &&mut CellClaim| {
            claim.place.0 == row && !values.iter().any(|value| value.at == claim.place.1)
        };
        for claim in self.0.iter_mut().filter(beside) {
            claim.number = number;
            metric.clone_into(&mut claim.metric);
            claim.variant = Some(variant.to_owned()).filter(|variant| !variant.is_empty());
        }
    }

    /// Gives each claim to the run that it stands beside: the last of its variant that starts before it.
    pub(crate) fn apply(&self, runs: &mut [Run]) {
        for CellClaim { place, number, metric, variant, text, change } in &self.0 {
            let fits = |run: &&mut Run| {
                run.source.position <= *number
                    && variant.as_ref().is_none_or(|variant| run.variant == *variant)
            };
            let name = fields::metric_of_column(metric).name;
            let Some(run) = runs.iter_mut().filter(fits).max_by_key(|run| run.source.position)
            else {
                continue;
            };
            // Its unit may have come into the header after the claim was read.
            let named = |known: &&str| *known == name || without_unit(known) == name;
            let own = run.metrics.keys().find(named).map(str::to_owned);
            // Counts of requests are no metric, and their change is none of another one.
            if own.is_none() && fields::field_of_column(metric).is_some() {
                continue;
            }
            let source = Source { position: place.0, counts: "line", ..run.source.clone() };
            let words = if metric.is_empty() { text.clone() } else { format!("{metric}: {text}") };
            let Change { size, resolution, up } = *change;
            run.info.claims.push(Claim {
                text: words,
                before: String::new(),
                size,
                resolution,
                up,
                values: None,
                metric: own,
                closing: false,
                doubt: None,
                source,
            });
        }
    }
}
