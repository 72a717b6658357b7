//! How engines write SQL: names, texts, numbers, times, and the place of a log.

use crate::error::Error;

/// An SQL engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `DuckDB`.
    DuckDb,
    /// Spark, and what speaks its SQL.
    Spark,
    /// `ClickHouse`.
    ClickHouse,
    /// Apache `DataFusion`.
    DataFusion,
    /// `BigQuery`.
    BigQuery,
    /// Snowflake.
    Snowflake,
    /// `PostgreSQL` 14 or later.
    Postgres,
}

use Dialect::{BigQuery, ClickHouse, DataFusion, DuckDb, Postgres, Snowflake, Spark};

/// The largest number.
const MOST: f64 = f64::MAX;

impl Dialect {
    /// All dialects with their names.
    pub const ALL: [(Self, &'static str); 7] = [
        (DuckDb, "duckdb"),
        (Spark, "spark"),
        (ClickHouse, "clickhouse"),
        (DataFusion, "datafusion"),
        (BigQuery, "bigquery"),
        (Snowflake, "snowflake"),
        (Postgres, "postgres"),
    ];

    /// Whether it reads only its own tables, not files.
    pub fn reads_tables_only(self) -> bool {
        matches!(self, BigQuery | Snowflake | Postgres)
    }

    /// A name in quotes, so that nothing in it is read as SQL.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a name that the engine cannot have.
    pub(crate) fn name(self, name: &str) -> Result<String, Error> {
        let unfit = name.is_empty() || name.chars().any(char::is_control);
        if unfit || self == BigQuery && name.contains('`') {
            return Err(Error::usage(
                format!("expected the name of a column that SQL can hold, found {name:?}"),
                "rename the column, or leave it out with --columns",
            ));
        }
        Ok(match self {
            DuckDb | DataFusion | Snowflake | Postgres => {
                format!("\"{}\"", name.replace('"', "\"\""))
            }
            Spark => format!("`{}`", name.replace('`', "``")),
            ClickHouse => format!("`{}`", name.replace('\\', "\\\\").replace('`', "``")),
            BigQuery => format!("`{}`", name.replace('\\', "\\\\")),
        })
    }

    /// A text in quotes.
    pub fn text(self, text: &str) -> String {
        match self {
            DuckDb | DataFusion | Postgres => format!("'{}'", text.replace('\'', "''")),
            // A backslash escapes there.
            Spark | ClickHouse | BigQuery | Snowflake => {
                format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
            }
        }
    }

    /// The type of numbers.
    pub(crate) fn double(self) -> &'static str {
        match self {
            DuckDb | Spark | DataFusion | Snowflake => "DOUBLE",
            ClickHouse => "Nullable(Float64)",
            BigQuery => "FLOAT64",
            Postgres => "DOUBLE PRECISION",
        }
    }

    /// The type of counts.
    pub(crate) fn whole(self) -> &'static str {
        match self {
            BigQuery => "INT64",
            ClickHouse => "Nullable(Int64)",
            _ => "BIGINT",
        }
    }

    /// An expression as a text.
    pub(crate) fn as_text(self, expression: &str) -> String {
        match self {
            DuckDb | DataFusion | Snowflake => format!("CAST({expression} AS VARCHAR)"),
            Spark | BigQuery => format!("CAST({expression} AS STRING)"),
            ClickHouse => format!("CAST({expression} AS Nullable(String))"),
            Postgres => format!("CAST({expression} AS TEXT)"),
        }
    }

    /// An expression as a number, or null where it is none.
    pub(crate) fn as_number(self, expression: &str) -> String {
        match self {
            DuckDb | Spark | DataFusion => format!("TRY_CAST({expression} AS DOUBLE)"),
            ClickHouse => format!("accurateCastOrNull({expression}, 'Float64')"),
            BigQuery => format!("SAFE_CAST({expression} AS FLOAT64)"),
            Snowflake => format!("TRY_TO_DOUBLE(TO_VARCHAR({expression}))"),
            Postgres => {
                let text = self.as_text(expression);
                format!("CAST(NULLIF(TRIM({text}), '') AS DOUBLE PRECISION)")
            }
        }
    }

    /// A date or a time in seconds since 1970.
    pub(crate) fn seconds(self, expression: &str) -> String {
        match self {
            DuckDb => format!("EPOCH(TRY_CAST({expression} AS TIMESTAMP))"),
            Spark => format!("UNIX_MICROS(TRY_CAST({expression} AS TIMESTAMP)) * 1e-6"),
            ClickHouse => {
                let text = self.as_text(expression);
                format!(
                    "toFloat64(toUnixTimestamp64Micro(parseDateTime64BestEffortOrNull({text}, 6, 'UTC'))) * 1e-6"
                )
            }
            DataFusion => {
                format!("CAST(CAST(CAST({expression} AS TIMESTAMP) AS BIGINT) AS DOUBLE) * 1e-9")
            }
            BigQuery => format!("UNIX_MICROS(SAFE_CAST({expression} AS TIMESTAMP)) * 1e-6"),
            Snowflake => format!(
                "CAST(DATE_PART(EPOCH_NANOSECOND, TO_TIMESTAMP({expression})) AS DOUBLE) * 1e-9"
            ),
            Postgres => format!(
                "CAST(EXTRACT(EPOCH FROM CAST({expression} AS TIMESTAMPTZ)) AS DOUBLE PRECISION)"
            ),
        }
    }

    /// Whether a number is finite.
    pub(crate) fn is_finite(self, number: &str) -> String {
        match self {
            DuckDb => format!("ISFINITE({number})"),
            ClickHouse => format!("isFinite({number})"),
            BigQuery => format!("NOT IS_NAN({number}) AND NOT IS_INF({number})"),
            Spark | DataFusion => format!("NOT ISNAN({number}) AND ABS({number}) <= {MOST:e}"),
            Snowflake | Postgres => {
                format!("{number} <> 'NaN' AND ABS({number}) <= {MOST:e}")
            }
        }
    }

    /// Whether a number is infinite.
    pub(crate) fn is_infinite(self, number: &str) -> String {
        match self {
            // It takes from the statistics of a Parquet file, which leave NaN out, that there is none.
            DuckDb => format!("NOT ISFINITE({number}) AND CAST({number} AS VARCHAR) <> 'nan'"),
            ClickHouse => format!("isInfinite({number})"),
            BigQuery => format!("IS_INF({number})"),
            Spark | DataFusion => format!("NOT ISNAN({number}) AND ABS({number}) > {MOST:e}"),
            Snowflake | Postgres => {
                format!("{number} <> 'NaN' AND ABS({number}) > {MOST:e}")
            }
        }
    }

    /// A small table in the place of one, with its name, the names of its columns and its rows of numbers.
    pub(crate) fn rows(self, table: &str, names: &[&str], rows: &[Vec<String>]) -> String {
        if matches!(self, ClickHouse | BigQuery) {
            let one = |row: &Vec<String>| {
                let cells = row.iter().zip(names).map(|(cell, name)| format!("{cell} AS {name}"));
                format!("SELECT {}", cells.collect::<Vec<_>>().join(", "))
            };
            let all: Vec<String> = rows.iter().map(one).collect();
            return format!("(\n    {}\n  ) AS {table}", all.join(" UNION ALL\n    "));
        }
        let all: Vec<String> = rows.iter().map(|row| format!("({})", row.join(", "))).collect();
        format!("(VALUES {}) AS {table}({})", all.join(", "), names.join(", "))
    }

    /// The standard deviation with divisor n.
    pub(crate) fn deviation(self) -> &'static str {
        // Its other one subtracts sums of squares.
        if self == ClickHouse { "stddevPopStable" } else { "STDDEV_POP" }
    }

    /// The rows of a large table joined with the rows of a small one that have the same `columns`; some engines also
    /// return rows without a match.
    pub(crate) fn beside(self, large: &str, small: &str, columns: &[impl AsRef<str>]) -> String {
        let same = columns.iter().map(|column| {
            let column = column.as_ref();
            format!("{large}.{column} = {small}.{column}")
        });
        let same = same.collect::<Vec<_>>().join(" AND ");
        if self == DataFusion {
            // The engine keeps the left table in memory. With the small one there, an inner join of Ballista 54 lost rows.
            format!("{small} RIGHT JOIN {large} ON {same}")
        } else {
            format!("{large} JOIN {small} ON {same}")
        }
    }

    /// The name of a table, whose parts points separate.
    pub(crate) fn table(self, name: &str) -> Result<String, Error> {
        let parts: Result<Vec<String>, Error> =
            name.split('.').map(|part| self.name(part)).collect();
        Ok(parts?.join("."))
    }
}
