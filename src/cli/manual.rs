//! `completions` and `man`: shell completions and manual pages, made from the flags.

use std::path::{Path, PathBuf};

use clap::Command;
use clap_complete::{Shell, generate};
use clap_mangen::{Man, generate_to};

use beyondnoise::error::Error;

use crate::cli::job::Outcome;
use crate::cli::output::print;

/// Common calls, below the help.
const COMPLETING: &str = "\
Examples:
  beyondnoise completions bash > ~/.local/share/bash-completion/completions/beyondnoise
  beyondnoise completions zsh > ~/.zfunc/_beyondnoise";

#[derive(Debug, clap::Args)]
#[command(after_help = COMPLETING)]
#[command(arg_required_else_help = true)]
pub(super) struct CompletionsArgs {
    /// Shell that will read the script
    #[arg(value_enum)]
    shell: Shell,
}

/// Common calls, below the help.
const PRINTING: &str = "\
Examples:
  beyondnoise man > beyondnoise.1
  beyondnoise man -o ~/.local/share/man/man1  # a page per command";

#[derive(Debug, clap::Args)]
#[command(after_help = PRINTING)]
pub(super) struct ManArgs {
    /// Folder for a page per command (default: print the main page)
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

pub(super) fn completions(args: &CompletionsArgs, mut command: Command) -> Result<Outcome, Error> {
    let mut script = Vec::new();
    generate(args.shell, &mut command, NAME, &mut script);
    print(&script)?;
    Ok(Outcome::Clean)
}

pub(super) fn man(args: &ManArgs, command: Command) -> Result<Outcome, Error> {
    match &args.output {
        Some(folder) => pages(folder, command)?,
        None => print(&main_page(command)?)?,
    }
    Ok(Outcome::Clean)
}

const NAME: &str = env!("CARGO_PKG_NAME");

fn main_page(command: Command) -> Result<Vec<u8>, Error> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page).map_err(failed("the manual"))?;
    page.extend(glossary().into_bytes());
    Ok(page)
}

/// The tables of the glossary page as a section of the main page.
fn glossary() -> String {
    let rows = include_str!("../docs/glossary.md").lines().filter_map(|line| {
        let (term, meaning) = line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ")?;
        let plain = |text: &str| text.replace('`', "").replace('\\', "\\e").replace('-', "\\-");
        (term != "term").then(|| format!(".TP\n{}\n{}\n", plain(term), plain(meaning)))
    });
    std::iter::once(".SH GLOSSARY\n".to_owned()).chain(rows).collect()
}

/// `beyondnoise.1`, `beyondnoise-compare.1`, ...
fn pages(folder: &Path, command: Command) -> Result<(), Error> {
    let path = folder.display().to_string();
    std::fs::create_dir_all(folder).map_err(failed(&path))?;
    generate_to(command.clone(), folder).map_err(failed(&path))?;
    let main = folder.join(format!("{NAME}.1"));
    std::fs::write(&main, main_page(command)?).map_err(failed(&main.display().to_string()))
}

fn failed(path: &str) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Io { path, doing: "write", source }
}
