//! An SQL engine that is installed: it runs a script and gives a table.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use beyondnoise::error::Error;
use beyondnoise::reduce::Dialect;

use crate::cli::progress::working;

/// How Spark Connect is asked: its address, the script, and the folder for the result.
const CONNECT: &str = "\
import sys
from pyspark.sql import SparkSession
address, script, folder = sys.argv[1:]
spark = SparkSession.builder.remote(address).getOrCreate()
*before, select = [part for part in open(script, encoding='utf-8').read().split(';\\n') if part.strip()]
for statement in before:
    spark.sql(statement)
table = spark.sql(select.rstrip().rstrip(';')).toPandas()
table.to_json(folder + '/runs.ndjson', orient='records', lines=True, double_precision=15)
";

/// The table that an engine gave, in messages.
pub(super) const TABLE: &str = "the engine's table";

/// A command of an engine.
pub(super) struct Engine {
    dialect: Dialect,
    program: String,
    /// The address of Spark Connect.
    address: Option<String>,
}

impl Engine {
    /// The engine of a dialect: its default command, or the `given` one.
    pub(super) fn new(dialect: Dialect, given: &str) -> Result<Self, Error> {
        let connect = given.starts_with("sc://");
        if connect && dialect != Dialect::Spark {
            return Err(Error::usage(
                "expected --dialect spark with an address sc://, found another",
                "give --dialect spark",
            ));
        }
        let own = match dialect {
            Dialect::DuckDb => "duckdb",
            Dialect::Spark if connect => "python3",
            Dialect::Spark => "spark-sql",
            Dialect::ClickHouse => "clickhouse",
            Dialect::DataFusion => "datafusion-cli",
            Dialect::BigQuery | Dialect::Snowflake | Dialect::Postgres => {
                return Err(Error::usage(
                    "expected an engine that reads files with --run, found one with tables of its own",
                    "run the SELECT there, export its result, and give that to compare",
                ));
            }
        };
        let program = if given.is_empty() || connect { own } else { given };
        Ok(Self {
            dialect,
            program: program.to_owned(),
            address: connect.then(|| given.to_owned()),
        })
    }

    /// Runs a script; the table that it gives, as CSV or JSON lines.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if there is no such engine, and if it ends with an error.
    pub(super) fn reduce(&self, script: &str) -> Result<Vec<u8>, Error> {
        let io = |doing: &'static str| {
            move |source| Error::Io { path: "a temporary folder".to_owned(), doing, source }
        };
        let folder = tempfile::tempdir().map_err(io("make"))?;
        let (input, said) = (folder.path().join("reduce.sql"), folder.path().join("said"));
        fs::write(&input, script).map_err(io("write into"))?;
        let (mut command, file) = self.command(&input, folder.path(), script);
        let out = if file.ends_with("runs.csv") { file.clone() } else { folder.path().join("out") };
        command.stdin(Stdio::null());
        command.stdout(File::create(out).map_err(io("write into"))?);
        command.stderr(File::create(&said).map_err(io("write into"))?);
        let ended = working(&format!("{} reduces the log", self.program), || command.status());
        let status = ended.map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::usage(
                format!("expected the command {}, found none of this name", self.program),
                "install the engine, name its command with --run=COMMAND, or leave out --run and run the script yourself",
            ),
            _ => Error::Io { path: self.program.clone(), doing: "start", source: error },
        })?;
        if !status.success() {
            let said = fs::read_to_string(&said).unwrap_or_default();
            let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
            let last = lines[lines.len().saturating_sub(LINES)..].join(" | ");
            return Err(Error::usage(
                format!("expected {} to run the script, found {status}: {last}", self.program),
                "read what it says: it may be too old, or a file is damaged or has other columns",
            ));
        }
        bytes(&file)
    }

    /// The command for a script in a file, and where its result is then.
    fn command(&self, input: &Path, folder: &Path, script: &str) -> (Command, PathBuf) {
        let mut command = Command::new(&self.program);
        let table = folder.join("runs.csv");
        match (self.dialect, &self.address) {
            (Dialect::Spark, Some(address)) => {
                command.args(["-c", CONNECT]).arg(address).arg(input).arg(folder);
                return (command, folder.join("runs.ndjson"));
            }
            (Dialect::Spark, None) => {
                let table = folder.join("runs");
                let into = format!(
                    "INSERT OVERWRITE DIRECTORY USING json OPTIONS (path {})\n",
                    Dialect::Spark.text(&table.to_string_lossy())
                );
                let at = script.find("WITH bn_log").unwrap_or_default();
                let script = format!("{}{into}{}", &script[..at], &script[at..]);
                // Without a catalogue of Hive, which would be made in the working folder.
                command.args(["--conf", "spark.sql.catalogImplementation=in-memory"]);
                command.args(["-S", "-e"]).arg(script);
                return (command, table);
            }
            (Dialect::DuckDb, _) => {
                command.args(["-bail", "-csv", "-nullvalue", "", "-f"]).arg(input);
            }
            (Dialect::ClickHouse, _) => {
                let bare = self.program.ends_with("clickhouse");
                command.args(bare.then_some("local")).arg("--queries-file").arg(input);
                command.args(["--format", "CSVWithNames", "--format_csv_null_representation", ""]);
            }
            _ => {
                command.args(["--quiet", "--format", "csv", "--file"]).arg(input);
            }
        }
        (command, table)
    }
}

/// Lines that an engine said last which an error repeats.
const LINES: usize = 6;

/// A table in a file, or in a folder of JSON lines.
fn bytes(table: &Path) -> Result<Vec<u8>, Error> {
    let io = |source| Error::Io { path: TABLE.to_owned(), doing: "read", source };
    if table.is_file() {
        return fs::read(table).map_err(io);
    }
    let entries = fs::read_dir(table).map_err(io)?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let mut all = Vec::new();
    for file in files {
        all.extend(fs::read(file).map_err(io)?);
    }
    Ok(all)
}
