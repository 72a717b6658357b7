//! Lines that are headings, in all the forms that people write.

use crate::kit::fields;
use crate::kit::figure::figure;
use crate::text::claims::{is_claim, names_nothing, states_change, without_claims};
use crate::text::grid::without_links;
use crate::text::headings::heading::{
    BOLD, COLON, COUNT, Heading, MAX_HEADING_CHARS, PLAIN, Standing,
};
use beyondnoise_model::runs::{LabelHint, label_hint};
use beyondnoise_model::units::nanoseconds;

/// A heading, with the claim in it.
pub(crate) fn heading(line: &str, number: usize) -> Option<(Heading, Option<String>)> {
    let line = line.trim_start_matches(['>', ' ']);
    if let Some((before, last)) = last_sentence(line) {
        let (heading, claim) = heading(last, number)?;
        return Some((heading, claim.or_else(|| is_claim(before).then(|| before.to_owned()))));
    }
    let (level, body, beside) = if let Some((level, body)) = markdown(line) {
        (level, body, None)
    } else if line.chars().count() > MAX_HEADING_CHARS * 2 {
        return None;
    } else if let Some(summary) = between(line, "<summary>", "</summary>") {
        (BOLD, without_tags(summary), None)
    } else if let Some((bold, rest)) = in_bold(line) {
        let rest = rest.trim().trim_start_matches([':', '：']).trim_start();
        if is_claim(rest) && !rest.starts_with(['(', '（']) {
            (BOLD, bold.to_owned(), Some(rest.to_owned()))
        } else if rest.is_empty() || rest.starts_with(['(', '（']) {
            (BOLD, format!("{bold} {rest}"), None)
        } else {
            return None;
        }
    } else if let Some(inner) = framed(line) {
        (BOLD, inner.to_owned(), None)
    } else if let Some(text) = tagged(line) {
        (BOLD, text, None)
    } else if let Some(label) = keyed(line) {
        (COLON, label, None)
    } else {
        let (level, item) = line_heading(line)?;
        (level, item, None)
    };
    let (short, claim) = without_claims(&body);
    let label = cut(&plain(&short));
    let joins = ["and", "then", "or", "vs", "和"].contains(&&*label.to_lowercase());
    if label.is_empty() || joins || is_stage(&label) || (level >= BOLD && names_nothing(&label)) {
        return None;
    }
    // The words before a bare change name its metric.
    let worded = |text: String| {
        if text.chars().any(char::is_alphabetic) {
            text
        } else {
            format!("{} {text}", plain(&short))
        }
    };
    let raw = claim.clone().or(beside.clone());
    let stated = claim.map(worded).or(beside);
    let full = raw.as_ref().filter(|claim| !states_change(claim));
    let full = full.map(|claim| cut(&format!("{} ({claim})", plain(&short))));
    let claim = stated.or_else(|| (is_claim(&label) && level < BOLD).then(|| label.clone()));
    let level = if level >= BOLD && counts_runs(&label) { COUNT } else { level };
    let standing = if level < COLON || level == COUNT { Standing::Firm } else { Standing::Pending };
    Some((
        Heading { level, label, full, line: number, standing, bare: false, joined: false },
        claim,
    ))
}

/// A line that ends with a colon, cut before its last sentence, if that is short: `It is faster now. Results with the cache:`.
pub(crate) fn last_sentence(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_end();
    let at = line.rfind(". ").filter(|_| line.ends_with([':', '：']))?;
    let (before, last) = (&line[..=at], line[at + 2..].trim_start());
    let begins = last.starts_with(|c: char| c.is_uppercase() || c == '[');
    let whole = before.split_whitespace().count() > 2 && !before.starts_with(['#', '|']);
    let short = without_links(last).chars().count() <= MAX_HEADING_CHARS / 2;
    (begins && whole && short).then_some((before, last))
}

/// Whether words say which of the repeats follow, and not of what: `warmups (2)`, `measured (5)`.
fn is_stage(label: &str) -> bool {
    let bare = label.split(['(', '（', ':']).next().unwrap_or_default().trim().to_lowercase();
    let stages = [
        "warmup",
        "warmups",
        "warm-up",
        "warm-ups",
        "measured",
        "timed",
        "measured runs",
        "timed runs",
    ];
    stages.contains(&&*bare)
}

/// The bold words at the start of a line, also of a numbered one, and the text behind them.
fn in_bold(line: &str) -> Option<(&str, &str)> {
    let numbered = line.starts_with(|c: char| c.is_ascii_digit());
    let line = if numbered { item(line) } else { line };
    line.strip_prefix("**")?.split_once("**")
}

/// Level and text of a heading of markdown or HTML.
fn markdown(line: &str) -> Option<(u8, String)> {
    let level = |digits: usize| u8::try_from(digits).ok().filter(|level| (1..=6).contains(level));
    let text = line.trim_start_matches('#');
    if let Some(level) = level(line.len() - text.len()) {
        return text.starts_with(' ').then(|| (level, text.to_owned()));
    }
    let tag = line.strip_prefix("<h").or_else(|| line.strip_prefix("<H"))?;
    let level = level(usize::try_from(tag.chars().next()?.to_digit(10)?).ok()?)?;
    let (open, rest) = tag.split_once('>')?;
    (open.len() == 1 || open[1..].starts_with(' ')).then(|| (level, without_tags(rest)))
}

/// Brackets around a label: `[before]`, `【优化前】`.
const BRACKETS: &[(char, char)] =
    &[('[', ']'), ('【', '】'), ('(', ')'), ('（', '）'), ('《', '》'), ('「', '」')];

/// Marks on each side of a title that a program prints.
const MANY_MARKS: usize = 6;

/// Whether a line is a title between long rulers: `======== Summary ========`.
pub(crate) fn is_title(line: &str) -> bool {
    let marks = |line: &str| line.bytes().take_while(|byte| b"=-*#~_+".contains(byte)).count();
    let reversed: String = line.chars().rev().collect();
    marks(line) >= MANY_MARKS && marks(&reversed) >= MANY_MARKS && framed(line).is_some()
}

/// The label between marks on both sides: `=== before ===`, `>>> before <<<`, `[before]`.
pub(crate) fn framed(line: &str) -> Option<&str> {
    let line = line.trim();
    let label = |inner: &str| {
        // `【0.9.1】`
        let version = inner.matches('.').count() > 1;
        inner.chars().count() <= MAX_HEADING_CHARS
            && (inner.chars().any(char::is_alphabetic) || version)
            && !inner.contains(['{', '}', '|', '<', '>', '"'])
            && inner
                .replace("::", "")
                .split_once([':', '：'])
                .is_none_or(|(_, value)| value.is_empty())
    };
    let bracketed = BRACKETS.iter().find_map(|(open, close)| {
        let inner = line.strip_prefix(*open)?.strip_suffix(*close)?.trim();
        let level = ["info", "warn", "warning", "error", "debug", "benchmark", "diagnostic"];
        (!inner.contains([*open, *close]) && !level.contains(&&*inner.to_lowercase()))
            .then_some(inner)
    });
    let ruled = || {
        let first = line.chars().next().filter(|c| "=-*#~_+<>".contains(*c))?;
        let last = match first {
            '<' => '>',
            '>' => '<',
            other => other,
        };
        let inner = line.trim_start_matches(first);
        let text = inner.trim_end_matches(last);
        let (before, after) = (line.len() - inner.len(), inner.len() - text.len());
        let sections = first == '-' && !text.starts_with(' ');
        (before > 1 && after > 1 && before.abs_diff(after) < 3 && !sections).then(|| text.trim())
    };
    bracketed.or_else(ruled).filter(|inner| label(inner))
}

/// The text of a line that is bold or a paragraph by tags of HTML.
fn tagged(line: &str) -> Option<String> {
    let tag = ["<b>", "<strong>", "<p>", "<b ", "<strong ", "<p "];
    let lower = line.get(..8.min(line.len()))?.to_lowercase();
    let text = tag.iter().any(|tag| lower.starts_with(tag)).then(|| without_tags(line))?;
    (!text.trim().is_empty() && text.chars().count() <= MAX_HEADING_CHARS).then_some(text)
}

/// Keys whose value is a label.
pub(super) const KEYS: &[&str] = &[
    "config",
    "configuration",
    "variant",
    "version",
    "build",
    "branch",
    "commit",
    "label",
    "arm",
    "candidate",
    "treatment",
    "变体",
    "版本",
    "方案",
    "配置",
    "分支",
];

/// The label after its key: `CONFIG: chunk2048-r1   prefill=256K`. Text after two blanks is not part of it.
fn keyed(line: &str) -> Option<String> {
    let (key, value) = item(line).split_once([':', '：'])?;
    let value = value.trim().split("  ").next().unwrap_or_default().trim();
    let named = KEYS.contains(&&*plain(key).to_lowercase());
    let says = || {
        label_hint(key) != LabelHint::Neither
            && key.split_whitespace().count() < 3
            && fields::number(value.split_whitespace().next().unwrap_or_default()).is_none()
            && !is_claim(value)
            && !value.contains([':', '='])
    };
    let short = !value.is_empty() && value.chars().count() <= MAX_HEADING_CHARS / 2;
    let side =
        || value.chars().all(char::is_alphanumeric) && label_hint(value) != LabelHint::Neither;
    if short && (named || side()) {
        Some(value.to_owned())
    } else {
        (short && says()).then(|| format!("{} {value}", plain(key)))
    }
}

/// A label without marks of emphasis and quotes, and without the colon at its end.
fn plain(body: &str) -> String {
    let label = without_links(body).replace(['*', '`', '\u{fe0f}'], "");
    let label = label.trim_matches(['#', ' ']).trim_end_matches([':', '：', ' ']);
    let quoted = ['_', '"', '\'', '“'].into_iter().find_map(|mark| {
        let inner = label.strip_prefix(mark)?;
        let inner = inner.strip_suffix(if mark == '“' { '”' } else { mark })?;
        Some(inner.trim_matches(mark)).filter(|inner| !inner.contains(mark))
    });
    quoted.unwrap_or(label).trim().to_owned()
}

/// The start of a long label, with a number that is that of the whole label.
fn cut(label: &str) -> String {
    if label.chars().count() <= MAX_HEADING_CHARS * 2 {
        return label.to_owned();
    }
    // FNV-1a, 32 bits.
    let hash = label
        .bytes()
        .fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let start: String = label.chars().take(MAX_HEADING_CHARS).collect();
    format!("{}… {hash:08x}", start.trim_end())
}

/// A line without the mark of a list or of a comment: `- before`, `1. before`, `// before`, `①before`.
fn item(line: &str) -> &str {
    let line = line.trim_start_matches('#').trim_start();
    let line = line.strip_prefix("//").or_else(|| line.strip_prefix("-- ")).unwrap_or(line);
    let line = line.trim_start_matches(['-', '*', '+', ' ', ';', '•', '·', '▶', '►']);
    let bare = line.strip_prefix(['(', '（']).unwrap_or(line);
    let rest = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = bare.len() - rest.len();
    let behind = match rest.chars().next() {
        Some(mark @ ('.' | ')' | '）')) => {
            Some(&rest[mark.len_utf8()..]).filter(|text| text.starts_with(' ') || mark != '.')
        }
        Some('、') => Some(&rest['、'.len_utf8()..]),
        _ => None,
    };
    let behind = behind.filter(|text| (1..=3).contains(&digits) && !text.trim().is_empty());
    // `a. before`, `(b) after`
    let lettered = || {
        let (letter, text) = bare.split_at_checked(1)?;
        let text = text.strip_prefix(". ").or_else(|| text.strip_prefix(") "))?;
        letter.starts_with(|c: char| c.is_ascii_lowercase()).then_some(text)
    };
    let behind = behind.or_else(lettered);
    let circled = || line.strip_prefix(|c: char| ('①'..='⑳').contains(&c));
    behind.or_else(circled).map_or(line, str::trim_start)
}

/// A line of text that may be a heading: it ends with a colon, or is short.
fn line_heading(line: &str) -> Option<(u8, String)> {
    // `--- rate 4`
    let led = line
        .strip_prefix("---")
        .or_else(|| line.strip_prefix("==="))
        .map(|rest| rest.trim_start_matches(['-', '=']));
    let led = led.and_then(|rest| rest.strip_prefix(' ')).filter(|rest| !rest.contains("--"));
    // What a script says of its steps, `--- killing server`, names neither a load nor a side.
    let led = led.filter(|rest| {
        rest.contains(|c: char| c.is_ascii_digit()) || label_hint(rest) != LabelHint::Neither
    });
    let item = match led {
        Some(words) => words,
        None if line.starts_with("--") && !line.starts_with("-- ") => line,
        None => item(line),
    };
    let bare = without_claims(item).0;
    let words = bare.trim_end_matches([':', '：', ' ', '*']);
    // `label: value` is text; so is a line with a percentage that went up or down.
    let ends = bare[words.len()..].contains([':', '：']);
    let claim = if ends { names_nothing(words) } else { is_claim(words) };
    // `- w/o this change, 4K in:1K out` is a label all the same.
    let joins = || {
        let inside = !words.contains(": ");
        inside && line.starts_with(['-', '*', '+']) && words.contains(", ")
    };
    let plain = !words.is_empty()
        && !words.contains(['|', '{', '<', '$'])
        && (!words.contains(':') || joins())
        && (ends || !words.contains(" = ") && !words.starts_with('-'))
        && !claim
        && words.chars().any(char::is_alphanumeric)
        && (ends || !is_printed_value(words));
    // In an unknown encoding a full-width colon cannot be seen.
    let colon = ends || bare.contains('\u{fffd}');
    let length = bare.chars().count();
    let longest = if colon { MAX_HEADING_CHARS } else { MAX_HEADING_CHARS / 2 };
    (plain && length <= longest).then(|| (if colon { COLON } else { PLAIN }, item.to_owned()))
}

/// Whether a line without a label is a number, or begins with one before columns: `5165.4`, `1.000 R²   (0.998 R² .. 1.000 R²)`.
pub(crate) fn is_printed_value(line: &str) -> bool {
    // `done in 402.8 s`
    let timed = line.rsplit_once(" in ").is_some_and(|(_, value)| {
        figure(value.trim(), false)
            .is_some_and(|found| nanoseconds(&found.unit).is_some() && found.beside.is_empty())
    });
    if timed {
        return true;
    }
    let number = |text: &str| fields::number(text.trim());
    let fraction = |text: &str| number(text).is_some_and(|number| number.resolution < 0.5);
    let first = line.split_whitespace().next().unwrap_or_default();
    number(line).is_some() || fraction(first) && line.contains("  ")
}

fn between<'a>(line: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let rest = &line[line.find(open)? + open.len()..];
    Some(&rest[..rest.find(close).unwrap_or(rest.len())])
}

fn without_tags(text: &str) -> String {
    let mut inside = false;
    text.chars()
        .filter(|&c| {
            let keep = !inside && c != '<';
            inside = (inside || c == '<') && c != '>';
            keep
        })
        .collect()
}

/// Whether a line holds nothing but tags of HTML, or underlines and separates.
pub(crate) fn is_decoration(line: &str) -> bool {
    let bare = line.trim_start_matches(['>', ' ']);
    (bare.starts_with('<') && without_tags(bare).trim().is_empty())
        || bare.chars().all(|c| matches!(c, '-' | '=' | '_' | '*' | '~' | ' ' | '|'))
}

/// Level of the heading that a line under it makes: `====` 1, `----` 2.
pub(crate) fn underline(line: &str) -> Option<u8> {
    let all = |mark: char| line.len() >= 3 && line.chars().all(|c| c == mark);
    if all('=') {
        Some(1)
    } else if all('-') {
        Some(2)
    } else {
        None
    }
}

/// Words for one repeat among several.
const REPEAT: &[&str] = &[
    "run",
    "rep",
    "repeat",
    "repetition",
    "round",
    "trial",
    "iteration",
    "iter",
    "attempt",
    "pass",
    "start",
    "restart",
    "launch",
    "session",
    "sample",
    "measurement",
    "회",
    "회차",
    "실행",
    "回目",
    "第次",
    "第轮",
    "第遍",
    "第组",
    "test",
];

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || "一二三四五六七八九十".contains(c)
}

/// Whether a label only counts runs: `Run 2`, `round 3 of 5`, `rerun`, `第1次`, `第二次`.
pub(crate) fn counts_runs(label: &str) -> bool {
    let lower = label.to_lowercase();
    // A time may follow the number.
    let words = lower.split_whitespace().filter(|word| !is_time(word));
    let words: Vec<&str> = words.filter(|word| *word != "of").collect();
    if words.is_empty() {
        return !label.is_empty();
    }
    let bare: String = words.concat().chars().filter(|c| !is_digit(*c)).collect();
    let bare = bare.trim_matches(['#', '.', ':', '-', '_', '/', '(', ')', ',']);
    let again =
        ["again", "rerun", "second", "third", "first", "nd", "rd", "th", "st", "再来", "再跑"];
    let ordinal = |word: &str| {
        let rest = again.iter().find_map(|start| word.strip_prefix(start));
        rest.is_some_and(|rest| ["run", "time", "try", "attempt"].contains(&rest))
    };
    // `2000/80` is a size, and `0.6.3` a version.
    let version = label
        .as_bytes()
        .windows(3)
        .any(|three| three[0].is_ascii_digit() && three[1] == b'.' && three[2].is_ascii_digit());
    let small = || {
        !version
            && words
                .iter()
                .flat_map(|word| word.split(|c: char| !c.is_ascii_digit()))
                .all(|n| n.len() < 3)
    };
    words.concat().chars().any(is_digit)
        && (bare.is_empty() && small()
            || REPEAT.contains(&bare)
            || words.len() == 1 && ["st", "nd", "rd", "th"].contains(&bare))
        || ordinal(bare)
        || ["again", "rerun", "re-run", "once more", "second run", "再跑一次", "repeat"]
            .contains(&&*words.join(" "))
}

/// A text without the words that number a run: `main, run 2` is `main`.
pub(crate) fn without_counts(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let repeats = |word: &str| {
        REPEAT.contains(&&*word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
    };
    let pair = |at: usize| {
        words
            .get(at..at + 2)
            .is_some_and(|two| counts_runs(&two.join(" ")) && two.iter().any(|word| repeats(word)))
    };
    let alone =
        |word: &str| word.contains(char::is_alphabetic) && word != "of" && counts_runs(word);
    let kept =
        (0..words.len()).filter(|&at| !(pair(at) || at > 0 && pair(at - 1) || alone(words[at])));
    let text: Vec<&str> = kept.map(|at| words[at]).collect();
    text.join(" ").trim_matches([' ', ',', ':', '-', '–', '(', '，']).to_owned()
}

/// Whether a word is a date or a time.
pub(crate) fn is_time(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    // `2000/80` is a size.
    let slashes = word.matches('/').count();
    let marks = word.matches([':', '-']).count() + if slashes > 1 { slashes } else { 0 };
    let known = |c: char| c.is_ascii_digit() || "-:/.,TZtz+[]".contains(c);
    digits >= 4
        && marks >= 1
        && word.chars().all(known)
        && word.starts_with(|c| "[0123456789".contains(c))
}

/// A label and the number of the run at its end: `chunk2048-r1`, `before (run 2)`, `优化前 第2次`. The flag: a word shows
/// that the number counts runs.
pub(crate) fn numbered(label: &str) -> Option<(&str, usize, bool)> {
    let chinese = label.trim_end_matches(['次', '轮', '遍', ')', '）', ']']);
    let digits = chinese.trim_end_matches(is_digit);
    let written = &chinese[digits.len()..];
    let number = written.parse().ok().or_else(|| {
        let place = "一二三四五六七八九十".chars().position(|c| written.chars().eq([c]))?;
        Some(place + 1)
    });
    let number = number.filter(|number: &usize| (1..100).contains(number))?;
    if chinese.len() < label.len() && digits.ends_with('第') {
        let stem = digits.trim_end_matches('第').trim_end_matches(SEPARATORS);
        return (!stem.is_empty()).then_some((stem, number, true));
    }
    let word = digits.trim_end_matches([' ', '#', '-', '_', '.']);
    let stem = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let name = word[stem.len()..].to_lowercase();
    let separated = stem.ends_with(SEPARATORS);
    let stem = stem.trim_end_matches(SEPARATORS);
    if separated && !stem.is_empty() && (REPEAT.contains(&&*name) && name != "test" || name == "r")
    {
        return Some((stem, number, name != "r"));
    }
    let stem = digits.trim_end_matches(SEPARATORS);
    (stem.len() < digits.len() && !stem.is_empty()).then_some((stem, number, false))
}

/// Text between a label and the number of its run.
const SEPARATORS: [char; 11] = [' ', '-', '_', '.', ',', '(', '（', '[', '#', '/', '，'];
