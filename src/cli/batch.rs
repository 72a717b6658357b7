//! `batch`: every cell of an export.

use std::path::{Path, PathBuf};

use beyondnoise::analysis::{BatchBase, batch};
use beyondnoise::error::Error;
use beyondnoise::read::Options;
use beyondnoise::report::{Report, TextOptions, batch_markdown, batch_text, csv, html, json};
use beyondnoise::stats::Method;
use beyondnoise::write::replace_all;

use crate::cli::Outcome;
use crate::cli::args::{BatchArgs, Format};
use crate::cli::compare::{consistent, gate, lends};
use crate::cli::output;
use crate::cli::reading;
use crate::cli::settings::Settings;

/// Word of `--base` for the variant before.
const PREVIOUS: &str = "previous";

pub(super) fn run(args: &BatchArgs) -> Result<Outcome, Error> {
    let settings = args.input.config.settings()?;
    let mut policy = args.judge.policy(settings.policy()?, args.input.selected());
    if args.judge.method.is_none() && settings.file.method.is_none() {
        // What counts in a long list is the far tail, of which a few runs have no shape to resample: with the
        // calibrated bootstrap of 3 + 3 runs and borrowed noise 2.3 times as many p-values as promised lie
        // below 0.0001, and up to 20 % of the changes found are none.
        policy.method = Method::Welch;
    }
    let history = args.judge.history.clone();
    let history = history.or_else(|| settings.history().filter(|_| lends(&policy)));
    consistent(&policy, history.as_deref())?;
    let target = Target::of(args)?;
    let files = target.files(args.output.as_deref());
    let outputs: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    output::guard(&args.input, &outputs)?;
    let (base, order_by) = base(args, &settings)?;
    let by = if args.by.is_empty() {
        settings.file.batch.by.clone().unwrap_or_default()
    } else {
        args.by.clone()
    };
    let guards = policy.guards.clone();
    let label = args.base.clone().filter(|base| base != PREVIOUS);
    let options = Options {
        by: by.clone(),
        order_by,
        guards,
        base: label,
        ..args.input.options(&settings.file)
    };
    let loaded = reading::load(&args.input, &options, &outputs, args.quiet)?;
    let earlier = |folder: &str| reading::history(folder, &loaded, &outputs, args.input.lenient);
    let history = history.as_deref().map(earlier);
    let history = history.transpose()?;
    let known = loaded.dataset.variant_names();
    let base = match base {
        // The label of a policy file is for those inputs that have it.
        BatchBase::Label(None) => {
            let usual = settings.file.baseline.clone();
            BatchBase::Label(usual.filter(|name| known.contains(&name.as_str())))
        }
        given => given,
    };
    let report = batch(&loaded.dataset, history.as_ref(), &by, &base, &policy)?;
    match target {
        Target::Folder(folder) => {
            write_all(&report, folder)?;
            output::write(text(&report, args, false).as_bytes(), None)?;
        }
        Target::Stream(format) => {
            let to_file = args.output.is_some();
            let bytes = match format {
                Format::Text => text(&report, args, to_file),
                Format::Markdown => batch_markdown(&report),
                Format::Json => json(&report),
                Format::Csv => csv(&report),
                Format::Html => html(&report),
            };
            output::write(bytes.as_bytes(), args.output.as_deref())?;
        }
    }
    let outcome = if args.judge.gate { gate(&report) } else { Outcome::Clean };
    // The process ends here: taking so much apart piece by piece takes longer than to print it.
    std::mem::forget((loaded, report));
    Ok(outcome)
}

/// Where the report goes.
enum Target<'a> {
    /// A folder that gets every form.
    Folder(&'a Path),
    /// A file, or standard output.
    Stream(Format),
}

impl<'a> Target<'a> {
    fn of(args: &'a BatchArgs) -> Result<Self, Error> {
        let Some(path) = &args.output else {
            return Ok(Self::Stream(args.format.unwrap_or(Format::Text)));
        };
        if let Some(format) = args.format {
            return Ok(Self::Stream(format));
        }
        if path.is_dir() || path.extension().is_none() {
            return Ok(Self::Folder(path));
        }
        let endings: &[(&[&str], Format)] = &[
            (&["md", "markdown"], Format::Markdown),
            (&["html", "htm"], Format::Html),
            (&["json"], Format::Json),
            (&["csv"], Format::Csv),
            (&["txt"], Format::Text),
        ];
        output::form(args.format, Some(path), endings).map(Self::Stream)
    }

    /// What is written: `output`, and where that is a folder, the files in it.
    fn files(&self, output: Option<&Path>) -> Vec<PathBuf> {
        let within = |folder: &Path| FORMS.map(|name| folder.join(name)).to_vec();
        let inner = if let Self::Folder(folder) = self { within(folder) } else { Vec::new() };
        output.map(Path::to_owned).into_iter().chain(inner).collect()
    }
}

/// What is compared with what, and the column that puts the variants in order.
fn base(args: &BatchArgs, settings: &Settings) -> Result<(BatchBase, Option<String>), Error> {
    let file = &settings.file.batch;
    let base = args.base.clone().or_else(|| file.base.clone());
    let order_by = args.order_by.clone().or_else(|| file.order_by.clone());
    match (base.as_deref(), &order_by) {
        (Some(PREVIOUS), None) => Err(Error::usage(
            "expected a column that puts the variants in order for --base previous, found none",
            "name it with --order-by, for example --order-by version",
        )),
        (Some(PREVIOUS), Some(_)) => Ok((BatchBase::Previous, order_by)),
        (_, Some(column)) if args.order_by.is_some() => Err(Error::usage(
            format!("expected --order-by {column} with --base previous, found another base"),
            "give --base previous, or leave out --order-by",
        )),
        _ => Ok((BatchBase::Label(base), None)),
    }
}

fn text(report: &Report, args: &BatchArgs, to_file: bool) -> String {
    let options = TextOptions {
        width: output::width(to_file),
        colour: output::coloured(args.color, to_file),
        verbose: args.verbose,
        quiet: args.quiet,
        plot: false,
    };
    batch_text(report, args.all, options)
}

/// Files of a folder of results; the last only where Parquet can be written.
const FORMS: [&str; 5] =
    ["summary.md", "results.csv", "results.json", "index.html", "results.parquet"];

/// Writes every form of the report into a folder, which is made where it does not exist.
fn write_all(report: &Report, folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(|source| Error::Io {
        path: folder.display().to_string(),
        doing: "create",
        source,
    })?;
    let forms = [
        batch_markdown(report).into_bytes(),
        csv(report).into_bytes(),
        json(report).into_bytes(),
        html(report).into_bytes(),
        #[cfg(feature = "tables")]
        parquet(report)?,
    ];
    let files = FORMS.iter().zip(&forms).map(|(name, bytes)| (folder.join(name), bytes.as_slice()));
    let files: Vec<(PathBuf, &[u8])> = files.collect();
    replace_all(&files)
}

/// The table of `--format csv` as Parquet.
#[cfg(feature = "tables")]
fn parquet(report: &Report) -> Result<Vec<u8>, Error> {
    use beyondnoise::read::{Cells, write_parquet};
    use beyondnoise::report::{ResultColumn, columns};
    let columns = columns(report);
    let cells = columns.iter().map(|(name, column)| {
        let cells = match column {
            ResultColumn::Text(values) => Cells::Text(values.clone()),
            ResultColumn::Number(values) => Cells::Number(values.clone()),
        };
        (name.as_str(), cells)
    });
    write_parquet(cells.collect())
}
