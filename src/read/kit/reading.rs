//! A file of a client while it is read: its content, the options, and what was found so far.

use crate::kit::csv_rows::{CsvRow, csv_rows};
use crate::kit::marks::json_part;
use crate::kit::run_builder::RunBuilder;
use crate::kit::short;
use crate::kit::tree::{Node, Tree, objects};
use crate::reader::{Content, Found, Options};
use beyondnoise_model::error::Error;

/// A file that is being read.
pub(crate) struct Reading<'a, 'b> {
    pub(crate) content: &'a Content<'b>,
    pub(crate) options: &'a Options,
    pub(crate) found: Found,
}

impl<'b> Reading<'_, 'b> {
    /// The runs, notes and names that a reader finds in a file.
    pub(crate) fn of(
        content: &Content,
        options: &Options,
        read: impl FnOnce(&mut Reading) -> Result<(), Error>,
    ) -> Result<Found, Error> {
        let mut file = Reading { content, options, found: Found::default() };
        read(&mut file)?;
        Ok(file.found)
    }

    /// The runs of a file with a JSON object for each, which `fill` reads.
    pub(crate) fn each_object(
        content: &Content,
        options: &Options,
        client: &str,
        fill: impl Fn(&mut RunBuilder, &Node),
    ) -> Result<Found, Error> {
        Reading::of(content, options, |file| {
            for (index, root) in file.trees()?.iter().enumerate() {
                let mut builder = file.run(client, index + 1, "object");
                fill(&mut builder, root);
                file.add(builder)?;
            }
            Ok(())
        })
    }

    /// All JSON objects of the file.
    pub(crate) fn trees(&self) -> Result<Vec<Node>, Error> {
        let part = json_part(self.content).unwrap_or_else(|| self.content.bytes());
        objects(self.content.path, part)
    }

    /// The rows of the file as a table, each by the names of its columns.
    pub(crate) fn csv_rows(
        &self,
    ) -> Result<impl Iterator<Item = Result<CsvRow<'b>, Error>> + use<'b>, Error> {
        csv_rows(self.content)
    }

    /// A run of `client` at `position`, in units of `counts`.
    pub(crate) fn run(&self, client: &str, position: usize, counts: &'static str) -> RunBuilder {
        RunBuilder::new(self.content, client, position, counts)
    }

    /// Adds a run once it is checked.
    pub(crate) fn add(&mut self, builder: RunBuilder) -> Result<(), Error> {
        builder.finish(&mut self.found, self.options)
    }

    /// Adds each value as a run of its own, as which the user takes iterations; `put` notes it.
    pub(crate) fn unfold(
        &mut self,
        builder: &RunBuilder,
        values: &[f64],
        put: impl Fn(&mut RunBuilder, f64),
    ) -> Result<(), Error> {
        for value in values {
            let mut one = builder.clone();
            one.iteration(self.found.runs.len() + 1);
            put(&mut one, *value);
            self.add(one)?;
        }
        Ok(())
    }

    /// Notes what is left out, and why.
    pub(crate) fn skip(&mut self, place: impl Into<String>, why: impl Into<String>) {
        self.found.skip(place, why);
    }

    /// Notes why the file holds no run.
    #[expect(clippy::unnecessary_wraps, reason = "ends a reader")]
    pub(crate) fn nothing(&mut self, why: &str) -> Result<(), Error> {
        self.skip("file", why);
        Ok(())
    }

    /// An error, which becomes a note with `--lenient`.
    pub(crate) fn refuse(&mut self, place: impl Into<String>, error: Error) -> Result<(), Error> {
        if !self.options.lenient {
            return Err(error);
        }
        self.skip(place, error.to_string());
        Ok(())
    }

    /// An error without a place, if no run was found.
    pub(crate) fn needs_runs(&self, problem: &str, remedy: &str) -> Result<(), Error> {
        if self.found.runs.is_empty() && !self.options.lenient {
            return Err(self.error(problem, remedy));
        }
        Ok(())
    }

    /// An error if a table has no row.
    pub(crate) fn needs_rows(&self) -> Result<(), Error> {
        if self.found.runs.is_empty() && self.found.skipped.is_empty() {
            let problem = "expected at least one row under the header, found none";
            return Err(self.error(problem, "remove the file, or pass one with results"));
        }
        Ok(())
    }

    pub(crate) fn error(&self, problem: impl Into<String>, remedy: &str) -> Error {
        Error::file(self.content.path, problem, remedy)
    }

    pub(crate) fn error_at(&self, line: usize, problem: impl Into<String>, remedy: &str) -> Error {
        Error::at_line(self.content.path, line, problem, remedy)
    }

    /// The error for a line of text that is not as expected.
    pub(crate) fn wrong_line(
        &self,
        line: usize,
        (expected, found): (&str, &str),
        remedy: &str,
    ) -> Error {
        let problem = format!("expected {expected}, found \"{}\"", short(found));
        self.error_at(line, problem, remedy)
    }

    /// The error for a value of a tree that is not as expected.
    pub(crate) fn expected(&self, place: &str, what: &str, found: Option<&Node>) -> Error {
        let found = match found {
            None => "nothing".to_owned(),
            Some(Node::Null) => "null".to_owned(),
            Some(Node::Array(items)) => format!("a list of {}", items.len()),
            Some(Node::Object(_)) => "an object".to_owned(),
            Some(Node::Str(text)) => format!("\"{}\"", short(text)),
            Some(other) => other.shown("").unwrap_or_default(),
        };
        Error::Input {
            path: self.content.path.to_owned(),
            place: place.to_owned(),
            problem: format!("expected {what}, found {found}"),
            remedy: "fix the value, or remove the file".to_owned(),
        }
    }

    /// All elements of a list as numbers, or the place of the first that is not a number.
    pub(crate) fn numbers(&self, place: &str, list: &[Node]) -> Result<Vec<f64>, Error> {
        list.iter()
            .enumerate()
            .map(|(index, item)| {
                let place = || format!("{place}[{index}]");
                item.number("").ok_or_else(|| self.expected(&place(), "a number", Some(item)))
            })
            .collect()
    }
}
