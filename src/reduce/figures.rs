//! The tables of figures: a row per request and quantity, and what is computed of them.

use crate::reduce::Dialect;
use crate::reduce::select::Select;
use crate::runs::QUANTILE_LEVELS;
use crate::stats::BATCHES;

impl Select<'_> {
    /// The tables with their names, in their order.
    pub(super) fn tables_of_figures(&self) -> Vec<(&'static str, String)> {
        if self.figures.is_empty() {
            return Vec::new();
        }
        let mut tables = vec![("bn_values", self.values()), ("bn_moments", self.moments())];
        if self.dialect == Dialect::ClickHouse {
            tables.extend([("bn_sorted", sorted()), ("bn_picked", self.picked_of_sorted())]);
        } else {
            tables.extend([
                ("bn_wanted", self.wanted()),
                ("bn_ranked", ranked(self.dialect)),
                ("bn_picked", picked(self.dialect)),
            ]);
        }
        if self.has_blocks() {
            tables.extend([("bn_turns", turns()), ("bn_blocks", self.blocks())]);
        }
        tables
    }

    pub(super) fn has_blocks(&self) -> bool {
        self.plan.start.is_some() && !self.figures.is_empty()
    }

    /// A row per request and quantity.
    fn values(&self) -> String {
        let numbers: Vec<usize> =
            self.figures.iter().map(|quantity| self.number(quantity)).collect();
        let rows: Vec<Vec<String>> = numbers.iter().map(|k| vec![k.to_string()]).collect();
        let quantities = self.dialect.rows("bn_quantities", &["bn_quantity"], &rows);
        let cases: Vec<String> =
            numbers.iter().map(|k| format!("WHEN bn_quantity = {k} THEN bn_value_{k}")).collect();
        let value = format!("CASE {} END", cases.join(" "));
        format!(
            "  SELECT bn_id, bn_quantity, {value} AS bn_value, bn_start\n  FROM bn_requests\n  \
             CROSS JOIN {quantities}\n  WHERE {value} IS NOT NULL"
        )
    }

    /// The figures of each quantity of each run that need no order.
    fn moments(&self) -> String {
        let deviation = self.dialect.deviation();
        format!(
            "  SELECT bn_id, bn_quantity, COUNT(*) AS bn_n, MIN(bn_value) AS bn_min, MAX(bn_value) AS bn_max,\n    \
             AVG(bn_value) AS bn_mean, {deviation}(bn_value) AS bn_std\n  FROM bn_values\n  GROUP BY bn_id, bn_quantity"
        )
    }

    /// The ranks from 0 of the two values beside each quantile: an odd pick for the lower one.
    fn wanted(&self) -> String {
        let rows = (0..).zip(QUANTILE_LEVELS).flat_map(|(k, level)| {
            [0, 1].map(|step| {
                vec![(2 * k + step + 1).to_string(), format!("{level:e}"), step.to_string()]
            })
        });
        let names = ["bn_pick", "bn_level", "bn_step"];
        let picks = self.dialect.rows("bn_picks", &names, &rows.collect::<Vec<_>>());
        let last = self.last();
        format!(
            "  SELECT bn_id, bn_quantity, bn_pick, LEAST(FLOOR(bn_level * {last}) + bn_step, {last}) AS bn_rank\n  \
             FROM bn_moments CROSS JOIN {picks}"
        )
    }

    /// The two values beside each quantile, from the sorted values of each run.
    fn picked_of_sorted(&self) -> String {
        let last = self.last();
        let pick = |side: &str, at: usize, step: usize| {
            let place = self.place(QUANTILE_LEVELS[at - 1]);
            format!(
                "bn_sorted[toUInt64(LEAST(FLOOR({place}) + {step}, {last})) + 1] AS bn_{side}_{at}"
            )
        };
        let all: Vec<String> = (1..=QUANTILE_LEVELS.len())
            .map(|k| format!("{}, {}", pick("low", k, 0), pick("high", k, 1)))
            .collect();
        format!("  SELECT bn_id, bn_quantity,\n    {}\n  FROM bn_sorted", all.join(",\n    "))
    }

    /// The place from 0 of a quantile among `bn_n` values.
    pub(super) fn place(&self, level: f64) -> String {
        format!("({level:e} * {})", self.last())
    }

    /// The place of the largest of `bn_n` values.
    pub(super) fn last(&self) -> String {
        format!("CAST(bn_n - 1 AS {})", self.dialect.double())
    }

    /// The means of the blocks of each quantity of each run.
    fn blocks(&self) -> String {
        let n = format!("CAST(bn_n AS {})", self.dialect.double());
        let from = self.dialect.beside("bn_turns", "bn_moments", &OF_QUANTITY);
        let block = |k| format!("MAX(CASE WHEN bn_block = {k} THEN bn_mean END) AS bn_block_{k}");
        let all: Vec<String> = (1..=BATCHES).map(block).collect();
        format!(
            "  SELECT bn_id, bn_quantity,\n    {}\n  FROM (\n    SELECT bn_id, bn_quantity, bn_block, \
             AVG(bn_value) AS bn_mean\n    FROM (\n      SELECT bn_turns.bn_id AS bn_id, bn_turns.bn_quantity AS \
             bn_quantity, bn_value,\n        FLOOR({BATCHES} * (bn_turn - 1) / {n}) + 1 AS bn_block\n      \
             FROM {from}\n    ) AS bn_placed\n    GROUP BY bn_id, bn_quantity, bn_block\n  ) AS bn_means\n  \
             GROUP BY bn_id, bn_quantity",
            all.join(",\n    ")
        )
    }
}

/// The columns that name a quantity of a run.
const OF_QUANTITY: [&str; 2] = ["bn_id", "bn_quantity"];

/// Each value with its turn from 1 among those of its run.
fn turns() -> String {
    "  SELECT bn_id, bn_quantity, bn_value,\n    \
     ROW_NUMBER() OVER (PARTITION BY bn_id, bn_quantity ORDER BY bn_start, bn_value) AS bn_turn\n  FROM bn_values"
        .to_owned()
}

/// Each value with its rank from 0 among those of its run.
fn ranked(dialect: Dialect) -> String {
    format!(
        "  SELECT bn_id, bn_quantity, bn_value,\n    CAST(ROW_NUMBER() OVER (PARTITION BY bn_id, bn_quantity \
         ORDER BY bn_value) - 1 AS {}) AS bn_rank\n  FROM bn_values",
        dialect.double()
    )
}

/// The values of each quantity of each run, sorted: in `ClickHouse` 20 times as fast as the join of ranks.
fn sorted() -> String {
    "  SELECT bn_id, bn_quantity, COUNT(*) AS bn_n, arraySort(groupArray(bn_value)) AS bn_sorted\n  FROM bn_values\n  \
     GROUP BY bn_id, bn_quantity"
        .to_owned()
}

/// The two values beside each quantile.
fn picked(dialect: Dialect) -> String {
    let pick = |k: usize, side: &str, at: usize| {
        format!("MAX(CASE WHEN bn_pick = {k} THEN bn_value END) AS bn_{side}_{at}")
    };
    let all: Vec<String> = (1..=QUANTILE_LEVELS.len())
        .map(|k| format!("{}, {}", pick(2 * k - 1, "low", k), pick(2 * k, "high", k)))
        .collect();
    let from = dialect.beside("bn_ranked", "bn_wanted", &["bn_id", "bn_quantity", "bn_rank"]);
    // Not `bn_pick > 0`, with which `DataFusion` takes the outer join for an inner one.
    format!(
        "  SELECT bn_ranked.bn_id AS bn_id, bn_ranked.bn_quantity AS bn_quantity,\n    {}\n  FROM {from}\n  \
         WHERE COALESCE(bn_pick, 0) > 0\n  GROUP BY bn_ranked.bn_id, bn_ranked.bn_quantity",
        all.join(",\n    ")
    )
}
