//! The SELECT, table by table: typed rows, the numbers of the runs, requests, runs, and then the tables of figures.
//!
//! Rows are sorted with the number of their run in place of its names, and the 58 values that the quantiles need are
//! joined by their ranks: in `DuckDB` the two together halve the time.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::read::{Kind, Plan, Quantity, Status};
use crate::reduce::dialect::Dialect;
use crate::reduce::part::Part;

/// A SELECT in the making.
pub(super) struct Select<'a> {
    pub(super) dialect: Dialect,
    pub(super) plan: &'a Plan,
    /// The quantities that have figures, and those that are summed up.
    pub(super) figures: Vec<&'a Quantity>,
    pub(super) tokens: Vec<&'a Quantity>,
}

impl<'a> Select<'a> {
    pub(super) fn new(dialect: Dialect, plan: &'a Plan) -> Self {
        let of_tokens = |q: &&Quantity| matches!(q.kind, Kind::InputTokens | Kind::OutputTokens);
        let (tokens, figures) = plan.values.iter().partition(of_tokens);
        Self { dialect, plan, figures, tokens }
    }

    /// The statements.
    ///
    /// # Errors
    ///
    /// Errors of [`Dialect::source`] and [`Dialect::name`].
    pub(super) fn script(&self, parts: &[Part]) -> Result<String, Error> {
        let (mut before, mut log) = (String::new(), Vec::new());
        let used: Vec<&str> =
            self.used().into_iter().map(|at| self.plan.headers[at].as_str()).collect();
        for (number, part) in (1..).zip(parts) {
            let (statement, source) = self.dialect.source(&part.place, number, &used)?;
            before += &statement;
            let columns = self.columns_of(part, number)?.join(",\n    ");
            log.push(format!("  SELECT\n    {columns}\n  FROM {source}"));
        }
        let mut tables = vec![
            ("bn_log", log.join("\n  UNION ALL\n")),
            ("bn_typed", self.typed()),
            ("bn_ids", self.ids()),
            ("bn_requests", self.requests()),
            ("bn_runs", self.runs()),
        ];
        if self.has_ids_apart() {
            tables.push(("bn_different", self.different()));
        }
        tables.extend(self.tables_of_figures());
        let tables: Vec<String> =
            tables.into_iter().map(|(name, body)| format!("{name} AS (\n{body}\n)")).collect();
        Ok(format!("{before}WITH {}\n{}", tables.join(",\n"), self.result()?))
    }

    /// The columns that count, by position.
    fn used(&self) -> BTreeSet<usize> {
        let plan = self.plan;
        let named = plan.variant.iter().chain(&plan.run).chain(&plan.pair).chain(&plan.settings);
        let times = [plan.start, plan.end].into_iter().flatten().map(|(at, _)| at);
        let status = plan.status.iter().map(|(at, _)| *at);
        let values = plan.values.iter().map(|quantity| quantity.column);
        let named = named.chain(&plan.constants).chain(&plan.request).copied();
        named.chain(times).chain(status).chain(values).collect()
    }

    /// The columns of one part of the log.
    fn columns_of(&self, part: &Part, number: usize) -> Result<Vec<String>, Error> {
        let text = |text: &str| self.dialect.text(text);
        let mut all = vec![
            format!("{number} AS bn_place"),
            format!("{} AS bn_named", text(part.named.as_deref().unwrap_or(&part.variant))),
            format!("{} AS bn_file", text(&part.run)),
            format!("{} AS bn_stays", i32::from(part.named.is_some())),
        ];
        for at in self.used() {
            all.push(format!("{} AS {}", self.dialect.name(&self.plan.headers[at])?, column(at)));
        }
        Ok(all)
    }

    /// The text in a column, of nulls the empty one.
    fn text_in(&self, at: usize) -> String {
        format!("COALESCE(TRIM({}), '')", self.dialect.as_text(&column(at)))
    }

    /// The columns that name a run.
    pub(super) fn keys(&self) -> Vec<String> {
        let settings = (1..=self.plan.settings.len()).map(|k| format!("bn_setting_{k}"));
        let pair = self.plan.pair.map(|_| "bn_pair".to_owned());
        let named = ["bn_variant", "bn_run"].map(str::to_owned).into_iter();
        named.chain(pair).chain(settings).collect()
    }

    /// A row per request: what names its run as texts, what is measured as numbers.
    fn typed(&self) -> String {
        let Self { plan, dialect, .. } = self;
        let variant = match plan.variant {
            Some(at) => {
                format!("CASE WHEN bn_stays = 1 THEN bn_named ELSE {} END", self.text_in(at))
            }
            None => "bn_named".to_owned(),
        };
        let run: Vec<String> = plan.run.iter().map(|&at| self.text_in(at)).collect();
        let run = if run.is_empty() { "bn_file".to_owned() } else { run.join(" || '/' || ") };
        let mut all = vec![
            "bn_place".to_owned(),
            format!("{variant} AS bn_variant"),
            format!("{run} AS bn_run"),
        ];
        all.extend(plan.pair.map(|at| format!("{} AS bn_pair", self.text_in(at))));
        for (k, &at) in (1..).zip(&plan.settings) {
            all.push(format!("{} AS bn_setting_{k}", self.text_in(at)));
        }
        for (k, &at) in (1..).zip(&plan.constants) {
            all.push(format!("{} AS bn_constant_{k}", self.text_in(at)));
        }
        all.push(format!("{} AS bn_status", self.status()));
        all.push(format!("{} AS bn_start", self.time(plan.start)));
        all.push(format!("{} AS bn_end", self.time(plan.end)));
        for (k, quantity) in (1..).zip(&plan.values) {
            let column = column(quantity.column);
            let (number, text) = (dialect.as_number(&column), dialect.as_text(&column));
            all.push(format!("{number} AS bn_number_{k}"));
            all.push(format!(
                "CASE WHEN {column} IS NOT NULL AND {number} IS NULL AND TRIM({text}) <> '' \
                 THEN 1 ELSE 0 END AS bn_other_{k}"
            ));
        }
        all.extend(plan.request.map(|at| format!("{} AS bn_request", column(at))));
        format!("  SELECT\n    {}\n  FROM bn_log", all.join(",\n    "))
    }

    /// 0 for a request that succeeded, 1 for one that failed, 2 where that is not known.
    fn status(&self) -> String {
        let mut each = Vec::new();
        for &(at, status) in &self.plan.status {
            let word = format!("LOWER({})", self.text_in(at));
            let list = |words: &[&str]| {
                let words: Vec<String> = words.iter().map(|word| self.dialect.text(word)).collect();
                words.join(", ")
            };
            let (good, bad) = status.words();
            let rest = match (bad, status) {
                (None, _) => "ELSE 1".to_owned(),
                (Some(bad), Status::Word) => {
                    let code = self.dialect.as_number(&word);
                    format!(
                        "WHEN {word} IN ({}) THEN 1 WHEN {code} >= 200 AND {code} < 300 THEN 0 \
                         WHEN {code} >= 100 AND {code} < 600 THEN 1 ELSE 2",
                        list(bad)
                    )
                }
                (Some(bad), _) => format!("WHEN {word} IN ({}) THEN 1 ELSE 2", list(bad)),
            };
            each.push(format!("CASE WHEN {word} IN ({}) THEN 0 {rest} END", list(good)));
        }
        match &each[..] {
            [] => "0".to_owned(),
            [one] => one.clone(),
            several => format!("GREATEST({})", several.join(", ")),
        }
    }

    /// A time in seconds, or null.
    fn time(&self, from: Option<(usize, Option<f64>)>) -> String {
        let Some((at, factor)) = from else {
            return format!("CAST(NULL AS {})", self.dialect.double());
        };
        if self.plan.dates {
            return self.dialect.seconds(&column(at));
        }
        let time = self.dialect.as_number(&column(at));
        match factor {
            Some(factor) => scaled(&time, factor),
            None => format!(
                "CASE WHEN {time} > 1e17 THEN {time} * 1e-9 WHEN {time} > 1e14 THEN {time} * 1e-6 \
                 WHEN {time} > 1e11 THEN {time} * 1e-3 ELSE {time} END"
            ),
        }
    }

    /// A number for each run, in the order of its names: the same wherever an engine works this table out again.
    fn ids(&self) -> String {
        let keys = self.keys().join(", ");
        format!(
            "  SELECT {keys}, ROW_NUMBER() OVER (ORDER BY {keys}) AS bn_id\n  FROM bn_typed\n  GROUP BY {keys}"
        )
    }

    /// A row per request: its values, none of a request that failed.
    fn requests(&self) -> String {
        let plan = self.plan;
        let mut all = vec!["bn_id".to_owned(), "bn_place".to_owned()];
        all.extend((1..=plan.constants.len()).map(|k| format!("bn_constant_{k}")));
        all.extend(["bn_status", "bn_start", "bn_end"].map(str::to_owned));
        for (k, quantity) in (1..).zip(&plan.values) {
            let number = format!("bn_number_{k}");
            let (finite, infinite) =
                (self.dialect.is_finite(&number), self.dialect.is_infinite(&number));
            // No latency is 0, and -1 is how clients write that there is none. In DataFusion -0 is below 0.
            let (fits, below) = if quantity.kind.is_latency() {
                (
                    format!(" AND {number} > 0"),
                    format!(" OR {number} < 0 AND ABS({number}) > 0 AND {number} <> -1"),
                )
            } else {
                (String::new(), String::new())
            };
            // 0 and -0 are one.
            all.push(format!(
                "CASE WHEN bn_status <> 1 AND {finite}{fits} THEN {number} + 0e0 END AS bn_value_{k}"
            ));
            all.push(format!(
                "CASE WHEN bn_status <> 1 AND (bn_other_{k} = 1 OR {infinite}{below}) THEN 1 ELSE 0 END \
                 AS bn_wrong_{k}"
            ));
        }
        all.extend(plan.request.map(|_| "bn_request".to_owned()));
        let from = self.dialect.beside("bn_typed", "bn_ids", &self.keys());
        format!("  SELECT\n    {}\n  FROM {from}", all.join(",\n    "))
    }

    /// A row per run: counts, times, tokens.
    fn runs(&self) -> String {
        let plan = self.plan;
        let without = |quantity: &&Quantity| format!("bn_value_{} IS NULL", self.number(quantity));
        let latencies = self.figures.iter().copied().filter(|one| one.kind.is_latency());
        let none: Vec<String> = latencies.map(|one| without(&one)).collect();
        // A request without any latency got no answer.
        let unanswered = match &none[..] {
            [] => String::new(),
            all => format!(" OR {}", all.join(" AND ")),
        };
        let end = match plan.lasting {
            Some((at, factor)) => {
                format!("bn_start + {}", scaled(&format!("bn_value_{}", at + 1), factor))
            }
            None => "bn_end".to_owned(),
        };
        let mut all = vec![
            "bn_id".to_owned(),
            "MIN(bn_place) AS bn_place".to_owned(),
            "COUNT(*) AS bn_rows".to_owned(),
            format!("SUM(CASE WHEN bn_status = 1{unanswered} THEN 1 ELSE 0 END) AS bn_failed"),
            "SUM(CASE WHEN bn_status = 2 THEN 1 ELSE 0 END) AS bn_unknown".to_owned(),
            "MIN(bn_start) AS bn_first".to_owned(),
            format!("MAX({end}) AS bn_last"),
        ];
        all.extend(
            (1..=plan.constants.len()).map(|k| format!("MIN(bn_constant_{k}) AS bn_constant_{k}")),
        );
        for (k, quantity) in (1..).zip(&plan.values) {
            let sum = match quantity.kind {
                Kind::InputTokens => format!("SUM(bn_value_{k}) AS bn_input"),
                Kind::OutputTokens => format!("SUM(bn_value_{k}) AS bn_output"),
                Kind::Latency { .. } | Kind::Other(_) => {
                    format!("SUM(bn_wrong_{k}) AS bn_wrong_{k}")
                }
            };
            all.push(sum);
        }
        let nothing: Vec<String> = self.figures.iter().map(without).collect();
        let nothing =
            if nothing.is_empty() { "bn_status = 1".to_owned() } else { nothing.join(" AND ") };
        all.push(format!("SUM(CASE WHEN {nothing} THEN 0 ELSE 1 END) AS bn_measured"));
        for k in self.figures.iter().map(|quantity| self.number(quantity)) {
            all.push(format!("COUNT(bn_value_{k}) AS bn_counted_{k}"));
        }
        if plan.request.is_some() {
            let different = if self.has_ids_apart() { "" } else { " - COUNT(DISTINCT bn_request)" };
            all.push(format!("COUNT(bn_request){different} AS bn_repeated"));
        }
        format!("  SELECT\n    {}\n  FROM bn_requests\n  GROUP BY bn_id", all.join(",\n    "))
    }

    /// Whether distinct ids have their own table: `COUNT(DISTINCT)` keeps all of them in memory in `DataFusion`.
    pub(super) fn has_ids_apart(&self) -> bool {
        self.dialect == Dialect::DataFusion && self.plan.request.is_some()
    }

    /// The number of different ids of each run.
    fn different(&self) -> String {
        let keys = self.keys().join(", ");
        format!(
            "  SELECT {keys}, COUNT(*) AS bn_different\n  FROM (\n    SELECT DISTINCT {keys}, bn_request\n    FROM bn_typed\n    \
             WHERE bn_request IS NOT NULL\n  ) AS bn_each\n  GROUP BY {keys}"
        )
    }

    /// The number of a quantity, from 1, by which its columns are called.
    pub(super) fn number(&self, quantity: &Quantity) -> usize {
        let at = self.plan.values.iter().position(|one| one == quantity);
        at.map_or(0, |at| at + 1)
    }
}

/// A column of the log, by its position.
fn column(at: usize) -> String {
    format!("bn_column_{}", at + 1)
}

/// A value in another unit.
#[expect(clippy::float_cmp, reason = "a factor of exactly one leaves the value as it is")]
pub(super) fn scaled(value: &str, factor: f64) -> String {
    if factor == 1.0 { value.to_owned() } else { format!("{value} * {factor:e}") }
}
