//! `reduce`: the SELECT that reduces logs of requests to their runs, and an engine that runs it.

use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use beyondnoise::error::Error;
use beyondnoise::job::{self, Reading, Stated};
use beyondnoise::policy::Settings;
use beyondnoise::reduce::{Dialect, Place, script};

use crate::cli::engine::{Engine, TABLE};
use crate::cli::job::{Judging, Outcome};
use crate::cli::output::{refuse_overwrite, write};
use crate::cli::settings::{ConfigArgs, Named, SettingFlags};

/// Common calls, below the help.
const EXAMPLES: &str = "\
Examples:
  beyondnoise reduce --dialect duckdb main=main.parquet pr=pr.parquet";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ReduceArgs {
    /// Logs with a row for each request: files, folders, globs; with --sample or --columns also tables and addresses of S3.
    /// NAME=LOG gives all its runs to NAME
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<String>,

    /// The engine whose SQL is written
    #[arg(long, value_enum)]
    dialect: DialectArg,

    #[command(flatten)]
    settings: SettingFlags<Self>,

    #[command(flatten)]
    config: ConfigArgs,

    /// File with some rows of the log, by which its columns are found (default: the smallest of the logs)
    #[arg(long, value_name = "FILE", conflicts_with = "columns")]
    sample: Option<PathBuf>,

    /// Names of the columns that count, where no file shows them, such as `ttft_ms,start_time,output_tokens,success`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    columns: Vec<String>,

    /// Send it to an engine, and judge what comes back: the engine's own command, another, or sc://HOST:PORT of Spark
    /// Connect
    #[arg(long, value_name = "ENGINE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    run: Option<String>,

    /// File to write: the SQL, or with --run the reduced table, which is then not judged
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// With --run: flags of `compare` for the judging, which has the policy file of this command unless they name one
    #[arg(last = true, value_name = "FLAG", requires = "run", conflicts_with = "output")]
    judging: Vec<String>,
}

impl Named for ReduceArgs {
    const NAME: &'static str = "reduce";
}

/// An SQL engine, by its name.
#[derive(Clone, Copy, Debug)]
struct DialectArg(Dialect);

impl ValueEnum for DialectArg {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [DialectArg; Dialect::ALL.len()] = {
            let mut all = [DialectArg(Dialect::DuckDb); Dialect::ALL.len()];
            let mut at = 0;
            while at < all.len() {
                all[at] = DialectArg(Dialect::ALL[at].0);
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let found = Dialect::ALL.into_iter().find(|(dialect, _)| *dialect == self.0);
        found.map(|(_, name)| PossibleValue::new(name))
    }
}

/// Writes the script, or runs it. `judging` reads flags of `compare` for a table of a name.
pub(super) fn run(
    args: &ReduceArgs,
    judging: impl Fn(&[String], &'static str) -> Result<Judging, Error>,
) -> Result<Outcome, Error> {
    let judged = args.run.is_some() && args.output.is_none();
    let judge = judged.then(|| judging(&args.config.before(&args.judging), TABLE));
    let judge = judge.transpose()?;
    let written = judge.iter().flat_map(|judging| &judging.files);
    let outputs: Vec<PathBuf> = args.output.iter().chain(written).cloned().collect();
    let file = args.config.read_over(Settings::default())?.resolved();
    let given = |settings| Ok(args.settings.given().over(settings));
    let job = job::Job::new(Reading::default(), file, given)?;
    let dialect = args.dialect.0;
    let sample = args.sample.as_ref().map(|path| path.display().to_string());
    let stated = Stated { sample: sample.as_deref(), columns: &args.columns };
    let (parts, columns) = job.logs(dialect, &args.logs, stated)?;
    let files = parts.iter().filter_map(|part| match &part.place {
        Place::File(path, _) => Some(PathBuf::from(path)),
        Place::Table(_) => None,
    });
    refuse_overwrite("log", files.chain(args.sample.clone()), &outputs)?;
    let script = script(dialect, &parts, &columns)?;
    let Some(engine) = &args.run else {
        write(format!("{script}\n").as_bytes(), args.output.as_deref())?;
        return Ok(Outcome::Clean);
    };
    let bytes = Engine::new(dialect, engine)?.reduce(&script)?;
    let Some(Judging { judge, .. }) = judge else {
        write(&bytes, args.output.as_deref())?;
        return Ok(Outcome::Clean);
    };
    judge(bytes).map_err(of_engine)
}

/// An error in the table of an engine, which is gone when the error is read.
fn of_engine(mut error: Error) -> Error {
    if let Error::Input { path, remedy, .. } | Error::NoResult { path, remedy, .. } = &mut error
        && path == TABLE
    {
        remedy.push_str("; -o FILE keeps the table, to look at");
    }
    error
}
