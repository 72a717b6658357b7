//! Output: the flags for the format and the files of a report, and writing them.

use std::io::{ErrorKind, IsTerminal, Write};
use std::marker::PhantomData;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::Error as ClapError;
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, ValueEnum};

use beyondnoise::error::Error;
use beyondnoise::render::{
    TextOptions, csv, github, html, json, junit, markdown, openmetrics, svg, text,
};
use beyondnoise::report::Report;
use beyondnoise::report::document::Document;
use beyondnoise::write::{replace, replace_all};
use beyondnoise_model::system::file_id;

use crate::cli::settings::REPORT;
use crate::cli::terminal::{Color, colored, width};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For the terminal
    Text,
    /// For a pull request or an issue
    Markdown,
    /// A page with plots, in one file
    Html,
    /// The plots as a picture, for a pull request or slides
    Svg,
    /// The same as pixels
    Png,
    /// A document with a schema, for programs
    Json,
    /// A table, for spreadsheets and programs
    Csv,
    /// Results of tests as XML: a test per metric, which fails as the gate does
    Junit,
    /// Gauges, for Prometheus and its kin
    Openmetrics,
    /// Annotations of a GitHub workflow, on standard output
    Github,
}

impl Format {
    /// The formats of a report of verdicts.
    pub(super) const OF_VERDICTS: [Self; 10] = [
        Self::Text,
        Self::Markdown,
        Self::Html,
        Self::Svg,
        Self::Png,
        Self::Json,
        Self::Csv,
        Self::Junit,
        Self::Openmetrics,
        Self::Github,
    ];

    /// The formats of a verdict on a history.
    pub(super) const OF_HISTORIES: [Self; 7] =
        [Self::Text, Self::Markdown, Self::Html, Self::Svg, Self::Png, Self::Json, Self::Csv];

    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Endings of its files, the usual one first.
    fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Text => &["txt", ""],
            Self::Markdown => &["md", "markdown"],
            Self::Html => &["html", "htm"],
            Self::Svg => &["svg"],
            Self::Png => &["png"],
            Self::Json => &["json"],
            Self::Csv => &["csv"],
            Self::Junit => &["xml"],
            Self::Openmetrics => &["prom", "om"],
            Self::Github => &[],
        }
    }

    fn of_file(file: &Path, formats: &[Self]) -> Result<Self, Error> {
        let ending = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let found = formats.iter().find(|format| format.endings().contains(&ending.as_str()));
        found.copied().ok_or_else(|| {
            let others = formats.iter().filter(|format| **format != Self::Text);
            let names: Vec<&str> =
                others.filter_map(|format| format.endings().first().copied()).collect();
            let names = names.join(", ");
            Error::usage(
                format!("expected a file ending in {names} or txt, found .{ending}"),
                "give another ending to -o, or name the format with --format",
            )
        })
    }
}

/// A report of verdicts in one of its formats.
pub(super) fn verdicts(report: &Report, format: Format, options: TextOptions) -> Vec<u8> {
    match format {
        Format::Json => json(report).into(),
        Format::Csv => csv(report).into(),
        Format::Junit => junit(report).into(),
        Format::Openmetrics => openmetrics(report).into(),
        Format::Github => github(report).into(),
        _ => show(report, format, options),
    }
}

/// A document in one of the formats that people read.
pub(super) fn show<'a>(
    document: impl Into<Document<'a>>,
    format: Format,
    options: TextOptions,
) -> Vec<u8> {
    match format {
        Format::Markdown => markdown(document).into(),
        Format::Html => html(document).into(),
        Format::Svg => svg(document).into(),
        #[cfg(feature = "png")]
        Format::Png => beyondnoise::render::png(document),
        _ => text(document, options).into(),
    }
}

/// All output flags; a command takes those that its [`Output`] lists.
#[derive(Debug, Args)]
struct Flags {
    /// Report format (default: from the ending of -o, else text)
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// Write to this file instead of standard output; may be repeated for several formats
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Show all metrics, notes and the method
    #[arg(short, long)]
    verbose: bool,

    /// Print one line per comparison
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,

    /// Draw the intervals below the table, in text; html, svg and png always have plots
    #[arg(long, conflicts_with = "quiet", help_heading = REPORT)]
    plot: bool,

    /// Color the text
    #[arg(long, value_enum, default_value_t = Color::Auto, help_heading = REPORT)]
    color: Color,
}

/// Declares the output flags of a command.
pub(super) trait Outputs {
    const FORMATS: &'static [Format];
    /// Flags beside `format` and `output`.
    const FLAGS: &'static [&'static str];
    /// Whether `-o` may be repeated.
    const SEVERAL: bool = false;
    /// Whether it has `-o` for files.
    const TO_FILES: bool = true;
}

/// The output flags of the command `C`; clap rejects the others as unknown.
#[derive(Debug)]
pub(super) struct OutputArgs<C> {
    output: Output,
    command: PhantomData<C>,
}

/// Where a report goes, in which format and in how much detail.
#[derive(Clone, Debug)]
pub(super) struct Output {
    formats: &'static [Format],
    format: Option<Format>,
    /// Empty: standard output.
    pub(super) files: Vec<PathBuf>,
    pub(super) verbose: bool,
    pub(super) quiet: bool,
    plot: bool,
    color: Color,
}

impl<C> Deref for OutputArgs<C> {
    type Target = Output;

    fn deref(&self) -> &Output {
        &self.output
    }
}

impl<C: Outputs> Args for OutputArgs<C> {
    fn augment_args(command: clap::Command) -> clap::Command {
        let all = Flags::augment_args(clap::Command::default());
        let taken = |flag: &&Arg| {
            let id = flag.get_id().as_str();
            id == "format" || id == "output" && C::TO_FILES || C::FLAGS.contains(&id)
        };
        all.get_arguments().filter(taken).cloned().fold(command, |command, flag| {
            let flag = flag.display_order(None);
            command.arg(match flag.get_id().as_str() {
                "format" => flag.value_parser(one_of(C::FORMATS)),
                "output" if !C::SEVERAL => flag
                    .action(ArgAction::Set)
                    .help("Write to this file instead of standard output"),
                _ => flag,
            })
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

fn one_of(formats: &[Format]) -> impl TypedValueParser<Value = Format> + use<> {
    let names = formats.iter().filter_map(Format::to_possible_value);
    PossibleValuesParser::new(names).try_map(|name| Format::from_str(&name, false))
}

impl<C: Outputs> FromArgMatches for OutputArgs<C> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, ClapError> {
        let on = |flag: &str| C::FLAGS.contains(&flag) && matches.get_flag(flag);
        let color = C::FLAGS.contains(&"color").then(|| matches.get_one("color").copied());
        let files = C::TO_FILES.then(|| matches.get_many("output")).flatten();
        let output = Output {
            formats: C::FORMATS,
            format: matches.get_one("format").copied(),
            files: files.into_iter().flatten().cloned().collect(),
            verbose: on("verbose"),
            quiet: on("quiet"),
            plot: on("plot"),
            color: color.flatten().unwrap_or_default(),
        };
        Ok(Self { output, command: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), ClapError> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Output {
    pub(super) fn has_format(&self) -> bool {
        self.format.is_some()
    }

    /// The same to other files.
    pub(super) fn with_files(&self, files: Vec<PathBuf>) -> Self {
        Self { files, ..self.clone() }
    }

    /// Refuses endings without a format, and `--plot` without text: before minutes of work.
    pub(super) fn check(&self) -> Result<(), Error> {
        let targets = self.targets()?;
        if !cfg!(feature = "png") && targets.iter().any(|(_, format)| *format == Format::Png) {
            return Err(Error::usage(
                "expected a format of this build, found png, which it was built without",
                "write an svg, or build with --features png",
            ));
        }
        let bare = targets.iter().any(|(file, format)| file.is_none() && *format == Format::Png);
        if bare && std::io::stdout().is_terminal() {
            return Err(Error::usage(
                "expected a file for a png, found a terminal",
                "name it with -o",
            ));
        }
        if self.plot && !targets.iter().any(|(_, format)| *format == Format::Text) {
            return Err(Error::usage(
                format!("expected --plot with text, found a report in {}", targets[0].1.name()),
                "leave out --plot: html, svg and png have plots",
            ));
        }
        Ok(())
    }

    /// [`Output::check`], and refuses inputs that are not there and whose ending is that of a report: `-o a.md b.html`.
    pub(super) fn check_beside(&self, inputs: &[String]) -> Result<(), Error> {
        self.check()?;
        let report = |input: &&String| {
            let format = Format::of_file(Path::new(input), self.formats);
            // Patterns, addresses and names of variants are none of files.
            !input.contains(['*', '?', '[', '=', ':'])
                && !Path::new(input).exists()
                && format.is_ok_and(|format| format != Format::Text)
        };
        let Some((input, known)) = inputs.iter().find(report).zip(self.files.last()) else {
            return Ok(());
        };
        Err(Error::usage(
            format!("expected inputs that exist, found {input}, which does not"),
            format!(
                "if it is to be written, give it a flag of its own: -o {} -o {input}",
                known.display()
            ),
        ))
    }

    /// Each file with its format: from `--format`, or else from its ending.
    fn targets(&self) -> Result<Vec<(Option<&Path>, Format)>, Error> {
        let format =
            |file: &Path| self.format.map_or_else(|| Format::of_file(file, self.formats), Ok);
        if self.files.is_empty() {
            return Ok(vec![(None, self.format.unwrap_or(Format::Text))]);
        }
        if let Some(several) = self.files.iter().find_map(|file| in_one_word(file, self.formats)) {
            let flags: Vec<String> = several.iter().map(|file| format!("-o {file}")).collect();
            return Err(Error::usage(
                format!("expected one file behind -o, found {}", several.join(",")),
                format!("name each with a flag of its own: {}", flags.join(" ")),
            ));
        }
        let files = self.files.iter().map(PathBuf::as_path);
        files.map(|file| Ok((Some(file), format(file)?))).collect()
    }

    /// Renders the report for each target and writes all files or none.
    pub(super) fn write<R: Into<Vec<u8>>>(
        &self,
        render: impl Fn(Format, TextOptions) -> R,
    ) -> Result<(), Error> {
        let mut files: Vec<(&Path, Vec<u8>)> = Vec::new();
        for (file, format) in self.targets()? {
            let bytes = render(format, self.text_options(file.is_some())).into();
            match file {
                None => print(&bytes)?,
                Some(file) => files.push((file, bytes)),
            }
        }
        let files: Vec<(&Path, &[u8])> =
            files.iter().map(|(file, bytes)| (*file, bytes.as_slice())).collect();
        replace_all(&files)
    }

    fn text_options(&self, to_file: bool) -> TextOptions {
        TextOptions {
            width: width(to_file),
            colour: colored(self.color, to_file),
            verbose: self.verbose,
            quiet: self.quiet,
            plot: self.plot,
        }
    }
}

/// Writes `bytes` to standard output.
pub(super) fn print(bytes: &[u8]) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        // The reader of the pipe ended and needs no more.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|source| Error::Io {
            path: "standard output".to_owned(),
            doing: "write",
            source,
        }),
    }
}

pub(super) fn write(bytes: &[u8], file: Option<&Path>) -> Result<(), Error> {
    file.map_or_else(|| print(bytes), |file| replace(file, bytes))
}

/// The files of a word such as `report.md,report.html`.
fn in_one_word(file: &Path, formats: &[Format]) -> Option<Vec<String>> {
    let text = file.to_str()?;
    let parts: Vec<String> = text.split(',').map(|part| part.trim().to_owned()).collect();
    let all = parts.iter().all(|part| Format::of_file(Path::new(part), formats).is_ok());
    (parts.len() > 1 && all).then_some(parts)
}

/// Refuses to write over one of the files `read`; `what` names them in the message.
pub(super) fn refuse_overwrite(
    what: &str,
    read: impl IntoIterator<Item = PathBuf>,
    files: &[PathBuf],
) -> Result<(), Error> {
    let targets: Vec<_> = files.iter().filter_map(|file| Some((file_id(file)?, file))).collect();
    if targets.is_empty() {
        return Ok(());
    }
    for path in read {
        let Some(id) = file_id(&path) else { continue };
        if let Some((_, file)) = targets.iter().find(|(target, _)| *target == id) {
            let file = file.canonicalize().unwrap_or(path);
            let problem =
                format!("expected an output of its own, found the {what} {}", file.display());
            return Err(Error::usage(problem, "give another file to -o"));
        }
    }
    Ok(())
}

pub(super) fn refuse_hyphen(files: &[PathBuf]) -> Result<(), Error> {
    if files.iter().all(|file| file != Path::new("-")) {
        return Ok(());
    }
    Err(Error::usage(
        "expected a file to write to, found -",
        "leave out -o to write to standard output, or write ./- for a file of that name",
    ))
}
