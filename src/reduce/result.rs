//! The rows of the result: the columns of `beyondnoise-runs/1`.

use crate::error::Error;
use crate::read::{Kind, QUANTILE_NAMES, Quantity};
use crate::reduce::select::{Select, scaled};
use crate::runs::QUANTILE_LEVELS;
use crate::stats::BATCHES;

/// Columns of the result that precede the user's.
const OWN: [&str; 20] = [
    "variant",
    "run",
    "pair",
    "metric",
    "value",
    "resolution",
    "unit",
    "started",
    "requests",
    "completed",
    "failed",
    "input_tokens",
    "output_tokens",
    "n_values",
    "std",
    "min",
    "max",
    "not_numbers",
    "repeated",
    "miscounted",
];

impl Select<'_> {
    /// The rows of the result.
    pub(super) fn result(&self) -> Result<String, Error> {
        let mut branches = Vec::new();
        if !self.figures.is_empty() {
            branches.push(self.of_figures()?);
        }
        branches.push(self.of_runs()?);
        let columns: Vec<String> = self
            .names()?
            .into_iter()
            .map(|(name, _)| self.dialect.name(&name))
            .collect::<Result<_, Error>>()?;
        Ok(format!(
            "SELECT {}\nFROM (\n{}\n) AS bn_result\nORDER BY bn_place, {variant}, {started}, LENGTH({run}), {run}, {metric};",
            columns.join(", "),
            branches.join("\n  UNION ALL\n"),
            variant = columns[0],
            run = columns[1],
            metric = columns[3],
            started = columns[7],
        ))
    }

    /// The columns of the result: each with its name and, of the user's, the expression.
    fn names(&self) -> Result<Vec<(String, Option<String>)>, Error> {
        let mut all: Vec<(String, Option<String>)> =
            OWN.iter().map(|name| ((*name).to_owned(), None)).collect();
        all.extend(QUANTILE_NAMES.iter().map(|name| (name.clone(), None)));
        all.extend((1..=BATCHES).map(|k| (format!("block_{k}"), None)));
        let settings =
            (1..).zip(&self.plan.settings).map(|(k, &at)| (format!("bn_setting_{k}"), at));
        let constants =
            (1..).zip(&self.plan.constants).map(|(k, &at)| (format!("bn_constant_{k}"), at));
        for (expression, at) in settings.chain(constants).collect::<Vec<_>>() {
            let name = self.plan.headers[at].trim().to_owned();
            let taken = |name: &str| all.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
            let name = if taken(&name) { format!("setting {name}") } else { name };
            if taken(&name) {
                return Err(Error::usage(
                    format!("expected columns with different names, found {name} twice"),
                    "rename one of them",
                ));
            }
            all.push((name, Some(expression)));
        }
        Ok(all)
    }

    /// A SELECT of the columns of the result, where `expression` knows them.
    fn row(&self, expression: impl Fn(&str) -> Option<String>) -> Result<String, Error> {
        let mut all = vec!["bn_runs.bn_place AS bn_place".to_owned()];
        for (name, of_user) in self.names()? {
            let value = match of_user {
                Some(column) if column.starts_with("bn_setting") => format!("bn_ids.{column}"),
                Some(column) => format!("bn_runs.{column}"),
                None => expression(&name)
                    .or_else(|| self.of_run(&name))
                    .unwrap_or_else(|| format!("CAST(NULL AS {})", self.dialect.double())),
            };
            all.push(format!("{value} AS {}", self.dialect.name(&name)?));
        }
        Ok(format!("  SELECT\n    {}\n  FROM", all.join(",\n    ")))
    }

    /// Value of a run in a column of the result.
    fn of_run(&self, name: &str) -> Option<String> {
        let whole = |value: &str| format!("CAST({value} AS {})", self.dialect.whole());
        let has = |kind: &Kind| self.tokens.iter().any(|quantity| quantity.kind == *kind);
        Some(match name {
            "variant" => "bn_ids.bn_variant".to_owned(),
            "run" => "bn_ids.bn_run".to_owned(),
            "pair" if self.plan.pair.is_some() => "bn_ids.bn_pair".to_owned(),
            "pair" => self.dialect.text(""),
            "repeated" if self.has_ids_apart() => {
                whole("bn_runs.bn_repeated - COALESCE(bn_different.bn_different, 0)")
            }
            "repeated" if self.plan.request.is_some() => whole("bn_runs.bn_repeated"),
            "resolution" | "repeated" | "miscounted" => whole("0"),
            // A time since the start of the run does not order runs.
            "started" => "CASE WHEN bn_runs.bn_first > 1e8 THEN bn_runs.bn_first END".to_owned(),
            "completed" => whole("bn_runs.bn_rows - bn_runs.bn_failed"),
            "failed" if self.plan.status.is_empty() => {
                let failed = whole("bn_runs.bn_failed");
                format!("CASE WHEN bn_runs.bn_failed > 0 THEN {failed} END")
            }
            "failed" => whole("bn_runs.bn_failed"),
            "input_tokens" if has(&Kind::InputTokens) => whole("ROUND(bn_runs.bn_input)"),
            "output_tokens" if has(&Kind::OutputTokens) => whole("ROUND(bn_runs.bn_output)"),
            "requests" | "input_tokens" | "output_tokens" => whole("NULL"),
            "not_numbers" => whole("bn_runs.bn_unknown"),
            _ => return None,
        })
    }

    fn of_figures(&self) -> Result<String, Error> {
        let text = |text: &str| self.dialect.text(text);
        let factors: Vec<f64> = self.figures.iter().map(|quantity| factor(quantity)).collect();
        let same_factor = factors.iter().all(|factor| factor.to_bits() == factors[0].to_bits());
        let in_unit = |value: &str| {
            if same_factor {
                scaled(value, factors[0])
            } else {
                format!(
                    "{value} * {}",
                    self.of_each(|_, quantity| format!("{:e}", factor(quantity)))
                )
            }
        };
        let counted = self.of_each(|k, _| format!("bn_runs.bn_counted_{k}"));
        let level_of = |name: &str| QUANTILE_NAMES.iter().position(|known| known == name);
        let row = self.row(|name| {
            Some(match name {
                "metric" => self.of_each(|_, quantity| text(&self.name_of(quantity))),
                "unit" => self.of_each(|_, quantity| text(unit_of(quantity))),
                "value" => in_unit("bn_moments.bn_mean"),
                "n_values" => format!("CAST(bn_moments.bn_n AS {})", self.dialect.whole()),
                "std" | "min" | "max" => in_unit(&format!("bn_moments.bn_{name}")),
                "not_numbers" => format!(
                    "CAST(bn_runs.bn_unknown + {} AS {})",
                    self.of_each(|k, _| format!("bn_runs.bn_wrong_{k}")),
                    self.dialect.whole()
                ),
                "miscounted" => self.miscounted(&counted),
                _ => match (level_of(name), name.strip_prefix("block_")) {
                    (Some(at), _) => in_unit(&self.between(at + 1)),
                    (_, Some(k)) if self.has_blocks() => {
                        in_unit(&format!("bn_blocks.bn_block_{k}"))
                    }
                    _ => return None,
                },
            })
        })?;
        Ok(format!("{row} bn_runs\n  {}\n  WHERE {counted} > 0", self.joined()))
    }

    /// 1 where the parts of the query, which an engine works out each for itself, do not have the same number of values: a
    /// machine was lost on the way, and its rows with it.
    fn miscounted(&self, counted: &str) -> String {
        let blocks = if self.has_blocks() {
            format!(" AND ({counted} < {BATCHES} OR bn_blocks.bn_counted = {counted})")
        } else {
            String::new()
        };
        format!(
            "CAST(CASE WHEN bn_moments.bn_n = {counted} AND bn_picked.bn_counted = {counted}{blocks} THEN 0 ELSE 1 END AS {})",
            self.dialect.whole()
        )
    }

    /// The names of a run, and the tables that have figures of its quantities, also if they have lost some.
    fn joined(&self) -> String {
        let beside = |table: &str| {
            format!(
                "LEFT JOIN {table} ON {table}.bn_id = bn_runs.bn_id AND {table}.bn_quantity = bn_quantities.bn_quantity"
            )
        };
        let blocks = if self.has_blocks() {
            format!("\n  {} AND bn_moments.bn_n >= {BATCHES}", beside("bn_blocks"))
        } else {
            String::new()
        };
        // The deepest nesting comes last: Ballista decodes no plan of more than 100 levels.
        format!(
            "{}CROSS JOIN {}\n  {}{blocks}\n  {}",
            self.names_of_runs("JOIN"),
            self.quantities(),
            beside("bn_moments"),
            beside("bn_picked")
        )
    }

    /// The tables that say more of a run, joined so: its names, and how many different ids it has.
    fn names_of_runs(&self, join: &str) -> String {
        let names = format!("{join} bn_ids ON bn_runs.bn_id = bn_ids.bn_id\n  ");
        if !self.has_ids_apart() {
            return names;
        }
        let same = self.keys().into_iter().map(|key| format!("bn_different.{key} = bn_ids.{key}"));
        format!("{names}LEFT JOIN bn_different ON {}\n  ", same.collect::<Vec<_>>().join(" AND "))
    }

    /// The quantile between the two values beside it, in the form of numpy.
    fn between(&self, k: usize) -> String {
        let place = self.place(QUANTILE_LEVELS[k - 1]).replace("bn_n", "bn_moments.bn_n");
        let share = format!("({place} - FLOOR({place}))");
        let (low, high) = (format!("bn_picked.bn_low_{k}"), format!("bn_picked.bn_high_{k}"));
        format!(
            "(CASE WHEN {share} >= 0.5 THEN {high} - ({high} - {low}) * (1 - {share}) \
             ELSE {low} + ({high} - {low}) * {share} END)"
        )
    }

    /// The metric of a quantity in the result.
    fn name_of(&self, quantity: &Quantity) -> String {
        match &quantity.kind {
            Kind::Latency { stem, .. } => format!("mean_{stem}_ms"),
            _ => format!("mean_{}", self.plan.headers[quantity.column].trim()),
        }
    }

    /// A row for each run: its duration, or no value where all requests failed, so that no run is lost in silence. A run
    /// that has a name but no rows was lost by the engine.
    fn of_runs(&self) -> Result<String, Error> {
        let text = |text: &str| self.dialect.text(text);
        let whole = |value: &str| format!("CAST({value} AS {})", self.dialect.whole());
        let ends = self.plan.end.is_some() || self.plan.lasting.is_some();
        let lasts = if self.plan.start.is_some() && ends {
            "bn_runs.bn_last > bn_runs.bn_first"
        } else {
            "1 = 0"
        };
        let first = self.figures.first();
        let (metric, unit) = first.map_or_else(
            || ("duration".to_owned(), "s"),
            |first| (self.name_of(first), unit_of(first)),
        );
        let either = |none: &str, one: &str| {
            format!("CASE WHEN bn_runs.bn_measured = 0 THEN {none} ELSE {one} END")
        };
        let number = |one: &&Quantity| format!(" + bn_runs.bn_wrong_{}", self.number(one));
        let wrong: String = self.figures.iter().map(number).collect();
        let lost = "COALESCE(bn_runs.bn_rows, 0) = 0";
        let row = self.row(|name| {
            Some(match name {
                "metric" => either(&text(&metric), &text("duration")),
                "unit" => either(&text(unit), &text("s")),
                "value" => either("NULL", "bn_runs.bn_last - bn_runs.bn_first"),
                "n_values" => either(&whole("0"), &whole("NULL")),
                "not_numbers" => whole(&format!("bn_runs.bn_unknown{wrong}")),
                "miscounted" => whole(&format!("CASE WHEN {lost} THEN 1 ELSE 0 END")),
                _ => return None,
            })
        })?;
        Ok(format!(
            "{row} bn_runs\n  {}WHERE bn_runs.bn_measured = 0 OR {lasts} OR {lost}",
            self.names_of_runs("RIGHT JOIN")
        ))
    }
}

/// The unit of a quantity in the result.
fn unit_of(quantity: &Quantity) -> &'static str {
    if quantity.kind.is_latency() { "ms" } else { "" }
}

/// The factor of a quantity to its unit in the result.
fn factor(quantity: &Quantity) -> f64 {
    match quantity.kind {
        Kind::Latency { factor, .. } => factor,
        _ => 1.0,
    }
}
