//! The words of reports and errors: none that the glossary (`src/docs/glossary.md`) replaces.

use std::fs;
use std::path::{Path, PathBuf};

/// Words and phrases that no report or error uses, with the ones to use.
const REPLACED: &[(&str, &str)] = &[
    ("run apart", "outlier"),
    ("stands apart", "is an outlier"),
    ("lies apart", "is an outlier"),
    ("lent", "noise prior"),
    ("lend", "noise prior"),
    ("lends", "noise prior"),
    ("lender", "noise prior"),
    ("borrower", "noise prior"),
    ("told", "reported, listed"),
    ("untold", "omitted"),
    ("mend", "fix"),
    ("one fact", "the same thing"),
    ("speaks", "reports, shows"),
    ("low-resolution in", "in all N cells: ..."),
    ("do not merge as", "it is slower; not an optimisation"),
    ("in the title you may", "for the PR title"),
    ("first settle this", "resolve first"),
    ("left out of the inputs", "N columns skipped: ..."),
    ("only speed is judged", "only the metrics shown are judged"),
    ("expected one label that says", "which variant is the baseline?"),
    ("is no run", "is not a run"),
    ("are no run", "are not runs"),
    ("of which", "a main clause"),
    ("there where", "where"),
    ("such as are", "such as"),
    ("merely", "only"),
    ("whatever of it", "if this is not the change under test"),
    ("stand in the table", "the table lists"),
    ("correct it, or leave", "fix it, or remove"),
    ("stands for no data", "means no data"),
    ("significant", "beyond noise"),
];

/// Literals that may hold a replaced word, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, ending: &str, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, ending, into);
        } else if path.extension().is_some_and(|found| found == ending) {
            into.push(path);
        }
    }
}

/// The string literals of Rust code with their lines, lower case, one line each, without what stands in braces.
fn literals(code: &str) -> Vec<(usize, String)> {
    let bytes = code.as_bytes();
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    while at < bytes.len() {
        let rest = &code[at..];
        let end = match bytes[at] {
            b'/' if rest.starts_with("//") => rest.find('\n').map_or(bytes.len(), |end| at + end),
            b'r' if rest.starts_with("r\"") || rest.starts_with("r#\"") => {
                let close = if rest.starts_with("r#") { "\"#" } else { "\"" };
                let open = at + close.len() + 1;
                let end = open + code[open..].find(close).expect("a closed literal");
                found.push((line, plain(&code[open..end])));
                end + close.len()
            }
            b'"' => {
                let mut end = at + 1;
                while bytes[end] != b'"' {
                    end += if bytes[end] == b'\\' { 2 } else { 1 };
                }
                found.push((line, plain(&code[at + 1..end])));
                end + 1
            }
            // A character, or the name of a lifetime.
            b'\'' => {
                let escaped = bytes.get(at + 1) == Some(&b'\\');
                let from = at + if escaped { 3 } else { 1 };
                let closed = code.get(from..).and_then(|rest| rest.find('\''));
                let most = if escaped { 10 } else { 4 };
                closed.filter(|length| *length <= most).map_or(at + 1, |length| from + length + 1)
            }
            _ => at + rest.chars().next().map_or(1, char::len_utf8),
        };
        line += code[at..end].matches('\n').count();
        at = end;
    }
    found
}

fn plain(literal: &str) -> String {
    let mut text = String::new();
    let mut depth = 0;
    for c in literal.replace("\\\n", " ").chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            c if depth <= 0 => text.push(c),
            _ => {}
        }
    }
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The replaced words in `text`, as whole words.
fn replaced(text: &str) -> Vec<String> {
    let in_words = |at: usize, word: &str| {
        let outside = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        outside(text[..at].chars().next_back()) && outside(text[at + word.len()..].chars().next())
    };
    let excepted = EXCEPTIONS.iter().any(|(literal, _)| text.contains(literal));
    REPLACED
        .iter()
        .filter(|(word, _)| !excepted && text.match_indices(word).any(|(at, _)| in_words(at, word)))
        .map(|(word, better)| format!("\"{word}\" (better: {better}) in: {text}"))
        .collect()
}

/// Code before the unit tests of a file.
fn without_tests(code: &str) -> &str {
    code.find("#[cfg(test)]\nmod tests {").map_or(code, |end| &code[..end])
}

#[test]
fn reports_and_errors_use_the_words_of_the_glossary() {
    let mut sources = Vec::new();
    files(&root().join("src"), "rs", &mut sources);
    sources.retain(|path| !path.ends_with("tests.rs"));
    assert!(sources.len() > 200, "the sources were found");
    let mut wrong = Vec::new();
    for path in sources {
        let code = fs::read_to_string(&path).expect("a source file");
        for (line, literal) in literals(without_tests(&code)) {
            // Words that are recognised in inputs are single words; what is shown is a sentence.
            let shown = literal.contains(' ');
            wrong.extend(
                replaced(&literal)
                    .into_iter()
                    .filter(|_| shown)
                    .map(|found| format!("{}:{line}: {found}", path.display())),
            );
        }
    }
    let mut snapshots = Vec::new();
    files(&root().join("tests/reports/snapshots"), "snap", &mut snapshots);
    assert!(!snapshots.is_empty());
    for path in snapshots {
        let text = fs::read_to_string(&path).expect("a snapshot");
        for (index, line) in text.lines().enumerate() {
            let line = line.to_lowercase();
            let found = replaced(&line).into_iter();
            wrong.extend(found.map(|found| format!("{}:{}: {found}", path.display(), index + 1)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn literals_are_found_in_code_and_nowhere_else() {
    let code = "let a = 'x'; // \"no\"\nlet b = \"one \\\n  line {told}\"; let c = '\"'; let d = b'\\'';\nf::<'a>(r#\"raw \"two\"\"#)";
    let found = literals(code);
    assert_eq!(found, [(2, "one line".to_owned()), (4, "raw \"two\"".to_owned())]);
    assert_eq!(replaced("a run that is told of").len(), 1);
    assert!(replaced("a moulder, a blend, retold").is_empty());
}
