//! The tables of figures: a row for each request and quantity, and the figures computed from them.

use crate::read::Quantity;
use crate::reduce::dialect::Dialect;
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

    /// The numbers of the quantities, as a table.
    pub(super) fn quantities(&self) -> String {
        let rows = self.figures.iter().map(|quantity| vec![self.number(quantity).to_string()]);
        self.dialect.rows("bn_quantities", &["bn_quantity"], &rows.collect::<Vec<_>>())
    }

    /// An expression for the quantity of a row, of those that `of` gives for each.
    pub(super) fn of_each(&self, of: impl Fn(usize, &Quantity) -> String) -> String {
        let case = |quantity: &&Quantity| {
            let k = self.number(quantity);
            format!("WHEN bn_quantities.bn_quantity = {k} THEN {}", of(k, quantity))
        };
        // Not `CASE bn_quantity WHEN 1`, which ClickHouse 24.8 knows of constants only.
        format!("CASE {} END", self.figures.iter().map(case).collect::<Vec<_>>().join(" "))
    }

    /// A row per request and quantity.
    fn values(&self) -> String {
        let quantities = self.quantities();
        let value = self.of_each(|k, _| format!("bn_value_{k}"));
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

    /// The ranks from 0 of the two values beside each quantile, an odd pick for the lower one; then the largest rank, and the
    /// one behind it, which no value has.
    fn wanted(&self) -> String {
        let quantiles = QUANTILE_LEVELS.iter().flat_map(|&level| [(level, 0, 0), (level, 1, 0)]);
        let rows = (1..).zip(quantiles.chain([(1.0, 0, 0), (1.0, 1, 1)]));
        let rows = rows.map(|(pick, (level, step, behind)): (usize, _)| {
            [pick.to_string(), format!("{level:e}"), step.to_string(), behind.to_string()].to_vec()
        });
        let names = ["bn_pick", "bn_level", "bn_step", "bn_behind"];
        let picks = self.dialect.rows("bn_picks", &names, &rows.collect::<Vec<_>>());
        let last = self.last();
        format!(
            "  SELECT bn_id, bn_quantity, bn_pick,\n    LEAST(FLOOR(bn_level * {last}) + bn_step, {last} + bn_behind) AS bn_rank\n  \
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
        format!(
            "  SELECT bn_id, bn_quantity, bn_n AS bn_counted,\n    {}\n  FROM bn_sorted",
            all.join(",\n    ")
        )
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
            "  SELECT bn_id, bn_quantity,\n    CASE WHEN MAX(bn_all) = SUM(bn_size) THEN SUM(bn_size) END AS bn_counted,\n    \
             {}\n  FROM (\n    SELECT bn_id, bn_quantity, bn_block, MAX(bn_n) AS bn_all, COUNT(*) AS bn_size, \
             AVG(bn_value) AS bn_mean\n    FROM (\n      SELECT bn_turns.bn_id AS bn_id, bn_turns.bn_quantity AS \
             bn_quantity, bn_value, bn_n,\n        FLOOR({BATCHES} * (bn_turn - 1) / {n}) + 1 AS bn_block\n      \
             FROM {from}\n    ) AS bn_placed\n    GROUP BY bn_id, bn_quantity, bn_block\n  ) AS bn_means\n  \
             GROUP BY bn_id, bn_quantity",
            all.join(",\n    ")
        )
    }
}

/// The columns that name a quantity of a run.
const OF_QUANTITY: [&str; 2] = ["bn_id", "bn_quantity"];

/// Each value with its turn within its run, from 1.
fn turns() -> String {
    "  SELECT bn_id, bn_quantity, bn_value,\n    \
     ROW_NUMBER() OVER (PARTITION BY bn_id, bn_quantity ORDER BY bn_start, bn_value) AS bn_turn\n  FROM bn_values"
        .to_owned()
}

/// Each value with its rank within its run, from 0.
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

/// The two values beside each quantile, and the number of values, where the largest rank was found and none behind it.
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
        "  SELECT bn_ranked.bn_id AS bn_id, bn_ranked.bn_quantity AS bn_quantity,\n    \
         CASE WHEN MAX(bn_pick) = {} THEN MAX(bn_ranked.bn_rank) + 1 END AS bn_counted,\n    {}\n  FROM {from}\n  \
         WHERE COALESCE(bn_pick, 0) > 0\n  GROUP BY bn_ranked.bn_id, bn_ranked.bn_quantity",
        2 * QUANTILE_LEVELS.len() + 1,
        all.join(",\n    ")
    )
}
