//! A text in another way, where nothing is read as it is written: without the lines that compare others, and with the lines below a
//! case set in.

use crate::kit::fields;
use crate::reader::Found;
use crate::table::layout::columns::COMPARING;
use crate::text::labelled::values::behind_label;

/// Longest text that is written in another way, in bytes: longer ones are no pastes.
const MAX_TEXT: usize = 1 << 20;

/// A text without some of its lines.
pub(super) struct Rewritten {
    pub(super) text: String,
    /// The number in the whole text of each line.
    lines: Vec<usize>,
}

impl Rewritten {
    /// The ways in which a text may be written, those with fewer changes first.
    pub(super) fn all(text: &str) -> Vec<Self> {
        if text.len() > MAX_TEXT {
            return Vec::new();
        }
        let whole = || (1..=text.lines().count()).collect();
        let bare = without_comparisons(text);
        let indented = with_cases(bare.as_ref().map_or(text, |bare| &bare.text));
        let indented = indented.map(|text| {
            let lines = bare.as_ref().map_or_else(whole, |bare| bare.lines.clone());
            Self { text, lines }
        });
        bare.into_iter().chain(indented).collect()
    }

    /// What was found, with the numbers of lines in the whole text.
    pub(super) fn as_in_the_text(&self, mut found: Found) -> Found {
        let whole = |line: usize| {
            line.checked_sub(1).and_then(|at| self.lines.get(at)).copied().unwrap_or(line)
        };
        for run in &mut found.runs {
            let claims = run.info.claims.iter_mut().map(|claim| &mut claim.source);
            for source in claims.filter(|source| source.counts == "line") {
                source.position = whole(source.position);
            }
            if run.source.counts == "line" {
                run.source.position = whole(run.source.position);
            }
        }
        for skipped in &mut found.skipped {
            let line = skipped.place.strip_prefix("line ").and_then(|line| line.parse().ok());
            if let Some(line) = line {
                skipped.place = format!("line {}", whole(line));
            }
        }
        found
    }
}

/// A text without the lines that compare others, `speedup: 1.08x` and `max abs diff: 0`, and stand between results.
fn without_comparisons(text: &str) -> Option<Rewritten> {
    let compares = |line: &str| {
        let Some((label, rest)) = behind_label(line.trim()) else { return false };
        let lower = label.to_lowercase();
        let named = lower.split([' ', '_']).any(|word| COMPARING.contains(&word));
        let value = rest.trim().trim_end_matches(['x', 'X', '×', '倍', '%']);
        named && fields::number(value).is_some()
    };
    if !text.lines().any(compares) {
        return None;
    }
    let kept = text.split_inclusive('\n').zip(1..).filter(|(line, _)| !compares(line));
    let (text, lines): (String, Vec<usize>) = kept.unzip();
    Some(Rewritten { text, lines })
}

/// Fewest lines of values below each case.
const MIN_BELOW: usize = 2;

/// A text in which the lines of values directly below a heading or below settings are set in, and the marks of the heading left out:
/// `### headdim = 64, causal = True ###` above `flash: 0.9 ms` and `cudnn: 0.6 ms`. `None` where no two headings have the same names below.
fn with_cases(text: &str) -> Option<String> {
    let name_of = |line: &str| -> Option<String> {
        let (label, rest) = behind_label(line.trim())?;
        let valued = rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
        (valued && !label.contains(['=', '#', '|'])).then_some(label)
    };
    let is_case = |line: &str| {
        let settings = line.split(',').filter(|part| part.contains('=')).count();
        let heading = line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
        (heading || settings > 1) && name_of(line).is_none()
    };
    let lines: Vec<&str> = text.lines().collect();
    let below = |at: usize| -> Vec<String> {
        lines[at + 1..].iter().map_while(|line| name_of(line)).collect()
    };
    let mut out: Vec<String> = Vec::new();
    let mut cases: Vec<Vec<String>> = Vec::new();
    let mut inside = 0;
    for (at, line) in lines.iter().enumerate() {
        if inside > 0 {
            out.push(format!("  {}", line.trim_start()));
            inside -= 1;
            continue;
        }
        let names = if is_case(line) { below(at) } else { Vec::new() };
        if names.len() < MIN_BELOW {
            out.push((*line).to_owned());
            continue;
        }
        inside = names.len();
        out.push(line.trim_matches(['#', ' ']).to_owned());
        cases.push(names);
    }
    let again = cases.len() > 1 && cases.windows(2).all(|two| two[0] == two[1]);
    again.then(|| out.join("\n") + "\n")
}
