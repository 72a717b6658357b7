//! The report as workflow commands of GitHub: annotations on a run and on the files that were read.

use crate::report::comparison::{verdicts, words};
use crate::report::document::Document;
use crate::report::{Comparison, Report};
use crate::verdict::{Decision, Gate, Verdict};

/// Annotations of a kind that GitHub shows of a step.
const MAX_OF_KIND: usize = 10;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Error,
    Warning,
    Notice,
}

struct Annotation {
    kind: Kind,
    title: String,
    message: String,
    /// The file that it is about, and its line.
    place: Option<(String, Option<usize>)>,
}

/// The report as workflow commands: an error for each metric that fails the gate, a warning for all else that is worse or leaves
/// the verdict in doubt, and a notice with the verdict. At most ten of a kind, which is all that GitHub shows.
pub fn github(report: &Report) -> String {
    let all = annotations(report);
    let mut out = String::new();
    for kind in [Kind::Error, Kind::Warning, Kind::Notice] {
        let of: Vec<&Annotation> = all.iter().filter(|one| one.kind == kind).collect();
        let shown = if of.len() > MAX_OF_KIND { MAX_OF_KIND - 1 } else { of.len() };
        of[..shown].iter().for_each(|one| line(&mut out, one));
        if let Some(rest @ 1..) = of.len().checked_sub(shown) {
            let message = format!("{rest} more: see the report");
            line(
                &mut out,
                &Annotation { kind, title: "beyondnoise".to_owned(), message, place: None },
            );
        }
    }
    out
}

fn annotations(report: &Report) -> Vec<Annotation> {
    let of_all = |kind, word: &str, message: &str| Annotation {
        kind,
        title: format!("beyondnoise: {word}"),
        message: message.to_owned(),
        place: None,
    };
    let mut all = Vec::new();
    if let Some(word) = words::decision(report) {
        let kind = match report.decision {
            Decision::Promote => Kind::Notice,
            Decision::Reject => Kind::Error,
            Decision::MoreData | Decision::Stale => Kind::Warning,
        };
        all.push(of_all(kind, word, &report.decision_reason));
    }
    let rows = report.comparisons.iter().flat_map(|one| &one.metrics);
    let fails = rows.into_iter().any(|row| row.gate == Some(Gate::Fail));
    match report.gate {
        // Something else than a metric of a comparison fails: a shared change, a limit, a policy.
        Gate::Fail if !fails => all.push(of_all(Kind::Error, "gate failed", &report.gate_reason)),
        Gate::None => all.push(of_all(Kind::Warning, "no verdict", &report.gate_reason)),
        Gate::Fail | Gate::Pass => {}
    }
    report.comparisons.iter().for_each(|one| add(&mut all, one));
    let title = Document::from(report).title.words();
    all.push(of_all(Kind::Notice, "verdict", &title));
    all
}

fn add(all: &mut Vec<Annotation>, comparison: &Comparison) {
    let about = words::pair_and_cell(comparison);
    let place = place(comparison);
    let mut push = |kind, title: String, message: &str| {
        let message = format!("{about}: {message}");
        all.push(Annotation { kind, title, message, place: place.clone() });
    };
    for row in comparison.metrics.iter().filter(|row| row.gate == Some(Gate::Fail)) {
        let said = words::with_interval(comparison, row);
        let title = format!("beyondnoise: {} is worse", row.label);
        push(Kind::Error, title, &format!("{said}: {}", verdicts::verdict(row)));
    }
    let looked = comparison.metrics.iter().filter(|row| row.deciding || row.guard);
    for row in looked.filter(|row| row.verdict == Verdict::Worse && row.gate != Some(Gate::Fail)) {
        let title = format!("beyondnoise: {} is worse", row.label);
        push(Kind::Warning, title, &words::with_interval(comparison, row));
    }
    if let Some(also) = &comparison.also_worse {
        push(Kind::Warning, "beyondnoise: worse".to_owned(), also);
    }
    for check in comparison.checks.iter().filter(|check| check.must_show()) {
        push(Kind::Warning, format!("beyondnoise: {}", check.id.words()), &check.message);
    }
}

/// The file of the candidate's first run, where it is one of the working folder.
fn place(comparison: &Comparison) -> Option<(String, Option<usize>)> {
    let source = &comparison.candidate.run_list.first()?.place;
    let path = source.path.replace('\\', "/");
    let inside = !path.starts_with('/') && !path.contains(':') && !path.contains("..");
    let line = (source.counts == "line").then_some(source.position);
    (inside && path != "standard input").then_some((path, line))
}

fn line(out: &mut String, Annotation { kind, title, message, place }: &Annotation) {
    let kind = match kind {
        Kind::Error => "error",
        Kind::Warning => "warning",
        Kind::Notice => "notice",
    };
    let (file, line) = match place {
        Some((path, line)) => {
            let line = line.map_or(String::new(), |line| format!("line={line},"));
            (format!("file={},", property(path)), line)
        }
        None => Default::default(),
    };
    out.extend([
        "::",
        kind,
        " ",
        &file,
        &line,
        "title=",
        &property(title),
        "::",
        &data(message),
        "\n",
    ]);
}

/// The message of a command. See <https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts>.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
