//! The place of a log, as engines name it.

use crate::error::Error;
use crate::read::LogForm;
use crate::reduce::dialect::Dialect;
use crate::reduce::part::Place;

impl Dialect {
    /// A place as the source of a SELECT of these columns, with the statement that must come before.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a file where the engine reads tables alone.
    pub(crate) fn source(
        self,
        place: &Place,
        number: usize,
        columns: &[&str],
    ) -> Result<(String, String), Error> {
        let (path, form) = match place {
            Place::Table(name) => return Ok((String::new(), self.table(name)?)),
            Place::File(path, form) => (path.as_str(), *form),
        };
        let view = format!("bn_log_{number}");
        match self {
            Self::DuckDb => Ok((String::new(), self.function_of_duckdb(path, form, columns))),
            Self::ClickHouse => {
                Ok((String::new(), self.function_of_clickhouse(path, form, columns)?))
            }
            Self::Spark => Ok((self.view_of_spark(path, form, &view), view)),
            Self::DataFusion => Ok((self.table_of_datafusion(path, form, &view), view)),
            Self::BigQuery | Self::Snowflake | Self::Postgres => Err(Error::usage(
                format!("expected the name of a table, found the file {path}"),
                "load the log into a table, name it, and give a file with some of its rows to --sample",
            )),
        }
    }

    fn function_of_duckdb(self, path: &str, form: LogForm, columns: &[&str]) -> String {
        let file = self.text(path);
        match form {
            LogForm::Parquet => format!("read_parquet([{file}])"),
            // It takes the types from the first rows, and a column of nulls there for JSON.
            LogForm::JsonLines => {
                let texts = columns.iter().map(|name| format!("{}: 'VARCHAR'", self.text(name)));
                format!(
                    "read_json([{file}], format = 'newline_delimited', columns = {{{}}})",
                    texts.collect::<Vec<_>>().join(", ")
                )
            }
            LogForm::Csv(delimiter) => format!(
                "read_csv([{file}], header = true, all_varchar = true, delim = {})",
                self.text(&delimiter.to_string())
            ),
        }
    }

    fn function_of_clickhouse(
        self,
        path: &str,
        form: LogForm,
        columns: &[&str],
    ) -> Result<String, Error> {
        let function = if path.contains("://") { "s3" } else { "file" };
        let file = self.text(path);
        // Settings apply only to their own SELECT.
        let with = |form: &str, settings: &str| {
            format!("(SELECT * FROM {function}({file}, '{form}') SETTINGS {settings})")
        };
        // It takes the types from the first rows, and from the first of several files.
        Ok(match form {
            LogForm::Parquet => with("Parquet", "schema_inference_mode = 'union'"),
            LogForm::JsonLines => {
                let texts = columns
                    .iter()
                    .map(|name| Ok(format!("{} Nullable(String)", self.name(name)?)))
                    .collect::<Result<Vec<_>, Error>>()?;
                format!("{function}({file}, 'JSONEachRow', {})", self.text(&texts.join(", ")))
            }
            LogForm::Csv(delimiter) => {
                let tab = delimiter == '\t';
                let tab = if tab {
                    ", input_format_csv_allow_whitespace_or_tab_as_delimiter = 1"
                } else {
                    ""
                };
                let delimiter = self.text(&delimiter.to_string());
                let settings = format!(
                    "format_csv_delimiter = {delimiter}, input_format_csv_use_best_effort_in_schema_inference = 0{tab}"
                );
                with("CSVWithNames", &settings)
            }
        })
    }

    fn view_of_spark(self, path: &str, form: LogForm, view: &str) -> String {
        let wild = |c: char| "*?[]{}\\".contains(c);
        let literal: String =
            path.chars().flat_map(|c| [wild(c).then_some('\\'), Some(c)]).flatten().collect();
        let file = self.text(if path.contains("://") { path } else { &literal });
        let (using, more) = match form {
            LogForm::Parquet => ("parquet", String::new()),
            // The types of all rows, which Sail takes from the first ones.
            LogForm::JsonLines => ("json", ", schema_infer_max_records '1000000000'".to_owned()),
            LogForm::Csv(delimiter) => {
                let separator = self.text(&delimiter.to_string());
                // Its own escape is a backslash, in texts that double their quotes.
                ("csv", format!(", header 'true', sep {separator}, escape '\"'"))
            }
        };
        format!(
            "CREATE OR REPLACE TEMPORARY VIEW {view} USING {using} OPTIONS (path {file}{more});\n"
        )
    }

    fn table_of_datafusion(self, path: &str, form: LogForm, view: &str) -> String {
        let file = self.text(path);
        // The types of all rows, not of the first thousand.
        let rows = "'format.schema_infer_max_rec' '1000000000'";
        let (stored, more) = match form {
            LogForm::Parquet => ("PARQUET", String::new()),
            LogForm::JsonLines => ("JSON", format!(" OPTIONS ({rows})")),
            LogForm::Csv(delimiter) => {
                let delimiter = self.text(&delimiter.to_string());
                let options =
                    format!("{rows}, 'format.has_header' 'true', 'format.delimiter' {delimiter}");
                ("CSV", format!(" OPTIONS ({options})"))
            }
        };
        format!("CREATE EXTERNAL TABLE {view} STORED AS {stored} LOCATION {file}{more};\n")
    }
}
