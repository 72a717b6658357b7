//! Where a log lies, as engines name it.

use crate::error::Error;
use crate::read::LogForm;
use crate::reduce::{Dialect, Place};

impl Dialect {
    /// A place as the source of a SELECT, with the statement that must come before.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a file where the engine reads tables alone.
    pub(crate) fn source(self, place: &Place, number: usize) -> Result<(String, String), Error> {
        let (path, form) = match place {
            Place::Table(name) => return Ok((String::new(), self.table(name)?)),
            Place::File(path, form) => (path.as_str(), *form),
        };
        let view = format!("bn_log_{number}");
        match self {
            Self::DuckDb => Ok((String::new(), self.function_of_duckdb(path, form))),
            Self::ClickHouse => Ok((String::new(), self.function_of_clickhouse(path, form))),
            Self::Spark => Ok((self.view_of_spark(path, form, &view), view)),
            Self::DataFusion => Ok((self.table_of_datafusion(path, form, &view), view)),
            Self::BigQuery | Self::Snowflake | Self::Postgres => Err(Error::usage(
                format!("expected the name of a table, found the file {path}"),
                "load the log into a table, name it, and give a file with some of its rows to --sample",
            )),
        }
    }

    fn function_of_duckdb(self, path: &str, form: LogForm) -> String {
        let file = self.text(path);
        match form {
            LogForm::Parquet => format!("read_parquet([{file}])"),
            LogForm::JsonLines => format!("read_json([{file}], format = 'newline_delimited')"),
            LogForm::Csv(delimiter) => format!(
                "read_csv([{file}], header = true, all_varchar = true, delim = {})",
                self.text(&delimiter.to_string())
            ),
        }
    }

    fn function_of_clickhouse(self, path: &str, form: LogForm) -> String {
        let function = if path.contains("://") { "s3" } else { "file" };
        let form = match form {
            LogForm::Parquet => "Parquet",
            LogForm::JsonLines => "JSONEachRow",
            LogForm::Csv('\t') => "TSVWithNames",
            LogForm::Csv(_) => "CSVWithNames",
        };
        format!("{function}({}, '{form}')", self.text(path))
    }

    fn view_of_spark(self, path: &str, form: LogForm, view: &str) -> String {
        let wild = |c: char| "*?[]{}\\".contains(c);
        let literal: String =
            path.chars().flat_map(|c| [wild(c).then_some('\\'), Some(c)]).flatten().collect();
        let file = self.text(if path.contains("://") { path } else { &literal });
        let (using, more) = match form {
            LogForm::Parquet => ("parquet", String::new()),
            LogForm::JsonLines => ("json", String::new()),
            LogForm::Csv(delimiter) => {
                let separator = self.text(&delimiter.to_string());
                ("csv", format!(", header 'true', sep {separator}"))
            }
        };
        format!(
            "CREATE OR REPLACE TEMPORARY VIEW {view} USING {using} OPTIONS (path {file}{more});\n"
        )
    }

    fn table_of_datafusion(self, path: &str, form: LogForm, view: &str) -> String {
        let file = self.text(path);
        let (stored, more) = match form {
            LogForm::Parquet => ("PARQUET", String::new()),
            LogForm::JsonLines => ("JSON", String::new()),
            LogForm::Csv(delimiter) => {
                let delimiter = self.text(&delimiter.to_string());
                let options = format!(
                    "'format.has_header' 'true', 'format.schema_infer_max_rec' '1000000000', 'format.delimiter' {delimiter}"
                );
                ("CSV", format!(" OPTIONS ({options})"))
            }
        };
        format!("CREATE EXTERNAL TABLE {view} STORED AS {stored} LOCATION {file}{more};\n")
    }
}
