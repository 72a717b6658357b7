//! Percentages that people write beside a result: `TTFT ⬇️ 3.44%`.

use std::borrow::Cow;

use crate::kit::fields;
use beyondnoise_model::runs::{Claim, Source, TwoValues};

/// Longest line that may hold claims, in characters.
const MAX_CLAIM_CHARS: usize = 600;

/// Signs for the direction of a percentage.
const ARROWS: &[(char, bool)] = &[
    ('⬇', false),
    ('↓', false),
    ('📉', false),
    ('🔽', false),
    ('⬆', true),
    ('↑', true),
    ('📈', true),
    ('🔼', true),
    ('▼', false),
    ('▽', false),
    ('▲', true),
    ('△', true),
];

/// Whether the words state a percentage.
pub(crate) fn is_claim(words: &str) -> bool {
    percentage(words).is_some() || words.ends_with('.') && exact_factor(words).is_some()
}

/// Whether the words state a change by nothing but an old and a new value.
pub(crate) fn gives_values(words: &str) -> bool {
    let spelled = without_words(words);
    in_percent(&spelled).or_else(|| factor(&spelled)).is_none() && from_to(&spelled).is_some()
}

/// Words beside a percentage of a change: names of metrics, and which way they went. Those of ASCII are starts of
/// words.
const OF_CHANGES: &str = "ttft tpot itl e2e latenc throughput tok/s tokens/s token/s req/s qps rps tps duration \
    runtime faster slower better worse regress degrad improv speed reduc decreas increas drop lower higher fewer \
    gain 首 每 端到端 吞吐 时延 延迟 响应 耗时 用时 时间 时长 劣化 恶化 退化 快 慢 提升 提高 改善 降 减 缩短 增 升 涨";

/// Whether the words state a percentage of a change: with a sign, an arrow, a metric or a direction. Else it
/// may be a setting: `gpu mem 90%`.
pub(crate) fn states_change(words: &str) -> bool {
    let lower = words.to_lowercase();
    let clauses = || lower.split(['，', ';', '；', '。', '、']).flat_map(|part| part.split(", "));
    let beside = clauses().find(|clause| clause.contains(['%', '％'])).unwrap_or(&lower);
    if in_percent(&without_words(words)).is_none() {
        return percentage(words).is_some();
    }
    percentage(words).is_some_and(|percentage| {
        percentage.up.is_some() || words.contains(['±', '→']) || speaks_of_change(beside)
    })
}

/// Whether the words are a claim and no name: a change, or a percentage alone.
pub(crate) fn names_nothing(words: &str) -> bool {
    is_claim(words) && (states_change(words) || !words.chars().any(char::is_alphabetic))
}

/// The claims that a line states, one for each change.
pub(crate) fn claims_of(words: &str, source: &Source) -> Vec<Claim> {
    claims_below("", words, source)
}

/// The same of a line that goes on with the sentence `above` it.
pub(crate) fn claims_below(above: &str, words: &str, source: &Source) -> Vec<Claim> {
    if words.chars().count() > MAX_CLAIM_CHARS || words.contains("%|") {
        return Vec::new();
    }
    let start = |clause: &str| clause.as_ptr().addr() - words.as_ptr().addr();
    let stated = |clause: &str| {
        let spelled = without_words(clause);
        let exact = || exact_factor(clause);
        in_percent(&spelled)
            .or_else(|| factor(&spelled))
            .or_else(exact)
            .or_else(|| percentage(clause))
    };
    let mut named = 0;
    let claim = |clause: &str| {
        // `1.18% / 5.23% / 6.05%` has one for each of several cells.
        let one_more = |text: &str| {
            let next = text.trim_start().strip_prefix('/');
            let next = next.map(|next| next.trim_start_matches([' ', '+', '-', '−']));
            next.is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()))
        };
        if one_more(&words[start(clause) + clause.len()..]) || one_more(clause) {
            return None;
        }
        let clause = within_brackets(sentence_with_change(clause, &stated));
        let clause = without_unchanged(clause, &stated);
        // The ends of an interval, `[4.66%, 10.42%]`, are no changes.
        let at = start(clause) + clause.find(['%', '％']).unwrap_or(clause.len());
        let (before, behind) = words.split_at(at);
        let opened = before.rfind('[').filter(|open| !before[*open..].contains(']'));
        let inside = opened.zip(behind.find(']')).map(|(open, end)| &words[open..at + end]);
        if inside.is_some_and(|inside| inside.matches(['%', '％']).count() == 2) {
            return None;
        }
        let Percentage { size, resolution, up } = stated(clause)?;
        if reaches(clause) {
            return None;
        }
        // A bare change is of the quantity that was named before it.
        let bare = !clause.chars().any(char::is_alphabetic) && start(clause) > 0;
        if !bare {
            named = start(clause);
        }
        let text = words[named..start(clause) + clause.len()].trim().to_owned();
        let before = sentence_before(&words[..named]);
        let first = before.len() == words[..named].trim().len();
        let before = if first && !above.is_empty() {
            format!("{above} {before}")
        } else {
            before.to_owned()
        };
        // `drops from 36.7 to 11.5 ms, a 3.19x reduction`
        let said = || {
            let led = text.trim_start_matches(['*', '`']).to_lowercase();
            let begins = FOLLOWING.iter().any(|word| led.starts_with(word))
                || led.starts_with(|c: char| c.is_ascii_digit() || "+-−".contains(c));
            let found = values_of_change(before.trim_end_matches([',', '，', ' ']));
            // Only where the figure is that of the two.
            let near = |ratio: f64| ((ratio - 1.0).abs() - size).abs() <= resolution + 0.005;
            let of_these = |two: &TwoValues| near(two.new / two.old) || near(two.old / two.new);
            found.filter(|values| begins && of_these(values))
        };
        let values = values_of_change(&text).or_else(|| values_behind(&text)).or_else(said);
        Some(Claim {
            values,
            text,
            before,
            size,
            resolution,
            up,
            metric: None,
            closing: false,
            doubt: None,
            source: source.clone(),
        })
    };
    clauses(words, &|part| stated(part).is_some()).into_iter().filter_map(claim).collect()
}

/// Words for a quantity that did not change.
const UNCHANGED: &[&str] =
    &["same", "unchanged", "identical", "flat", "constant", "不变", "一致", "相同", "持平"];

/// A clause without the part behind its last comma that says of another quantity that it did not change: `9 % more images per
/// minute, VRAM is the same`.
fn without_unchanged<'a>(clause: &'a str, stated: &dyn Fn(&str) -> Option<Percentage>) -> &'a str {
    let cut = [", ", "，"].iter().filter_map(|mark| clause.rfind(mark)).max();
    let Some((first, last)) = cut.map(|at| clause.split_at(at)) else { return clause };
    let unchanged = |text: &str| {
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
        // `with the constant pool` says something else.
        let last = words.iter().rfind(|word| !word.is_empty());
        let says = |known: &&str| last == Some(known) || !known.is_ascii() && text.contains(*known);
        UNCHANGED.iter().any(says) || text.contains("no change")
    };
    let plain = stated(last).is_none() && unchanged(&last.to_lowercase());
    if plain && stated(first).is_some() { first } else { clause }
}

/// A clause that begins inside of brackets, as far as these go: `+1.4 % iso` of `(+1.1 % planar, +1.4 % iso) and TPOT`.
fn within_brackets(clause: &str) -> &str {
    let mut depth = 1;
    let end = clause.char_indices().find(|(_, c)| {
        depth += i32::from(matches!(c, '(' | '（')) - i32::from(matches!(c, ')' | '）'));
        depth == 0
    });
    let inside = &clause[..end.map_or(clause.len(), |(at, _)| at)];
    if percentage(inside).is_some() { inside } else { clause }
}

/// The words at the end of a text that state no change: `TPOT` of `TTFT is 3 % lower, TPOT`.
pub(crate) fn open_clause(text: &str) -> &str {
    let cut = SEPARATORS.iter().filter_map(|mark| Some(text.rfind(mark)? + mark.len())).max();
    let last = text[cut.unwrap_or(0)..].trim();
    if is_claim(last) { "" } else { last }
}

/// Words with which a change goes on about the two values before it.
const FOLLOWING: &[&str] =
    &["a ", "an ", "or ", "about ", "~", "≈", "(", "（", "加速", "即", "约", "提升", "降低"];

/// Words with a full stop that end no sentence.
const SHORT: &[&str] = &["vs", "ca", "approx", "e.g", "i.e", "avg", "no"];

/// The words of the last sentence that has begun, without an end.
fn sentence_before(words: &str) -> &str {
    let ends = |(at, mark): &(usize, &str)| *mark != ". " || ends_sentence(words, *at);
    let marks = [". ", "。", "；", "! ", "? "].iter().flat_map(|mark| words.match_indices(mark));
    let from = marks.filter(ends).map(|(at, mark)| at + mark.len()).max().unwrap_or(0);
    words[from..].trim()
}

/// Whether the full stop at a place ends a sentence: a capital follows, and no short form stands before it.
fn ends_sentence(words: &str, at: usize) -> bool {
    let word = words[..at].rsplit(char::is_whitespace).next().unwrap_or_default();
    let rest = words[at + 1..].trim_start_matches(['*', '_', ' ']);
    // What is written as code keeps its small letters: `` `ollama ps` says ``.
    let next = if rest.starts_with('`') { None } else { rest.chars().next() };
    // Some write on in small letters.
    let plain = word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    !SHORT.contains(&&*word.to_lowercase()) && (plain || next.is_none_or(char::is_uppercase))
}

/// The first sentence of a clause that states a change: `5 % faster. TTFT is the same` says nothing of TTFT.
fn sentence_with_change<'a>(
    clause: &'a str,
    stated: &dyn Fn(&str) -> Option<Percentage>,
) -> &'a str {
    let mut from = 0;
    let stops = clause.match_indices(". ").filter(|(at, _)| ends_sentence(clause, *at));
    let bold = clause.match_indices(".** ");
    let mut stops: Vec<(usize, &str)> =
        stops.chain(bold).chain(clause.match_indices('。')).collect();
    stops.sort_unstable();
    for (at, mark) in stops.into_iter().chain([(clause.len(), "")]) {
        let sentence = clause[from..at].trim();
        if stated(sentence).is_some() {
            return sentence;
        }
        from = at + mark.len();
    }
    clause
}

/// Marks between two statements.
const SEPARATORS: &[&str] = &[",", ";", "，", "；", "、", "。", "|", " and ", " but ", "和"];

/// The words cut into parts with one percentage each; words without one belong to the next that follows:
/// `TTFT, TPOT ⬇️ 3%` is one part.
fn clauses<'a>(words: &'a str, states: &dyn Fn(&str) -> bool) -> Vec<&'a str> {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let mut cuts: Vec<usize> = SEPARATORS
        .iter()
        .flat_map(|mark| words.match_indices(mark))
        .filter(|(at, mark)| {
            // A comma between digits is part of the number.
            !(digit(words[..*at].chars().next_back())
                && digit(words[at + mark.len()..].chars().next()))
        })
        .map(|(at, mark)| at + mark.len())
        .collect();
    // Where nothing separates two percentages, the first one ends with its sign and its arrow.
    let joined = |(at, sign): &(usize, &str)| {
        let start = at + sign.len();
        let after = &words[start..];
        let next = after.find(['%', '％']).unwrap_or(after.len());
        let mut stops = after[..next].match_indices(". ");
        let stop = stops.any(|(at, _)| ends_sentence(words, start + at));
        !stop && !SEPARATORS.iter().any(|mark| after[..next].contains(mark))
    };
    cuts.extend(words.match_indices(['%', '％']).filter(joined).map(|(at, sign)| {
        let after = at + sign.len();
        let arrow = |c: char| {
            c.is_whitespace() || c == '\u{fe0f}' || ARROWS.iter().any(|(arrow, _)| *arrow == c)
        };
        let rest = words[after..].trim_start_matches(arrow);
        words.len() - rest.len() + values_in_brackets(rest)
    }));
    let stops = words.match_indices(". ").filter(|(at, _)| ends_sentence(words, *at));
    cuts.extend(stops.map(|(at, mark)| at + mark.len()));
    cuts.sort_unstable();
    cuts.dedup();
    let separates = |c: char| ",;，；、。| ".contains(c);
    let mut parts = Vec::new();
    let mut start = 0;
    for cut in cuts {
        if states(&words[start..cut]) && states(&words[cut..]) {
            let part = words[start..cut].trim_matches(separates);
            parts.push(part.strip_suffix(" and").unwrap_or(part));
            start = cut;
        }
    }
    parts.push(words[start..].trim_matches(separates));
    parts
}

/// The length of brackets at the start of a text that hold the two values of the change before them: `(from 7.54 to 12.24 tok/s)`.
fn values_in_brackets(text: &str) -> usize {
    let inside = text.strip_prefix(['(', '（']).and_then(|rest| rest.split_once([')', '）']));
    let Some((inside, _)) = inside else { return 0 };
    let values = inside.matches(|c: char| c.is_ascii_digit()).count() > 1
        && in_percent(&without_words(inside)).is_none()
        && FROM_TO.iter().any(|(start, mark)| inside.contains(start) && inside.contains(mark));
    let brackets = |c: char| "()（）".contains(c);
    let ends = text.match_indices(brackets).nth(1);
    ends.filter(|_| values).map_or(0, |(at, end)| at + end.len())
}

/// The text without brackets that hold a claim, and what they hold.
pub(crate) fn without_claims(text: &str) -> (String, Option<String>) {
    for (open, close) in [('(', ')'), ('（', '）')] {
        let Some(start) = text.rfind(open) else { continue };
        let Some(length) = text[start..].find(close) else { continue };
        let inner = &text[start + open.len_utf8()..start + length];
        if is_claim(inner) {
            let rest = format!("{}{}", &text[..start], &text[start + length + close.len_utf8()..]);
            return (rest, Some(inner.trim().to_owned()));
        }
    }
    (text.to_owned(), None)
}

/// A percentage in a text.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Percentage {
    /// A fraction, without its sign.
    size: f64,
    /// Half of the last digit written, a fraction.
    resolution: f64,
    /// The direction by its sign, or by the arrow nearest to it.
    up: Option<bool>,
}

/// The first change in the words: a percentage, a factor such as `1.3x faster`, a doubling, or two values such as `80 →
/// 60 ms`.
fn percentage(words: &str) -> Option<Percentage> {
    let spelled = without_words(words);
    let words = &*spelled;
    in_percent(words).or_else(|| factor(words)).or_else(|| times(words)).or_else(|| from_to(words))
}

/// A factor in words: `3 times slower`, `1.52 ± 0.10 times faster`.
fn times(words: &str) -> Option<Percentage> {
    let word = ["faster", "slower"];
    let (before, behind) =
        word.iter().find_map(|word| words.split_once(&format!(" times {word}"))).or_else(|| {
            // `Speedup is 1.17 to 1.22 times`
            let parts = words.split_once(" times")?;
            let lower = parts.0.to_lowercase();
            let (_, figure) = lower.rsplit_once("speedup")?;
            let stated = [" is ", " of ", ": "].iter().any(|word| figure.starts_with(word));
            (stated && figure.len() < 20).then_some(parts)
        })?;
    let ratio = before.rsplit_once(" ±").filter(|(_, sd)| fields::number(sd.trim()).is_some());
    let ratio = ratio.map_or(before, |(ratio, _)| ratio);
    factor(&format!("{ratio}x faster{behind}"))
}

/// A factor with digits behind its point, which needs no word of change beside it: `TPS 1.44x`.
fn exact_factor(words: &str) -> Option<Percentage> {
    let marks = words.match_indices(['x', '×', '倍']);
    let exact = |at: usize| {
        let before = &words[..at];
        let before = before.trim_end();
        let digits = before.trim_end_matches(|c: char| c.is_ascii_digit());
        digits.len() < before.len() && digits.ends_with('.')
    };
    let (at, mark) = {
        let mut marks = marks;
        marks.find(|(at, _)| exact(*at))?
    };
    // A metric stands directly before it, or a part of the work behind it.
    let before =
        words[..at].trim_end_matches(|c: char| c.is_ascii_digit() || ".~≈*<>u ".contains(c));
    let last = before.rsplit([' ', '、', '，', '：']).next().unwrap_or_default().to_lowercase();
    let metric = METRICS.split(' ').any(|metric| last.trim_matches([':', '=', '(']) == metric);
    let behind = words[at + mark.len()..].trim_start_matches(['<', '/', 'u', '>', '*']);
    let phase = [" in prefill", " in decod", " in generation"];
    let phase = phase.iter().any(|words| behind.starts_with(words));
    // Of another one: `1.11x of main`, `是 main 的 1.24 倍`.
    let of = behind.starts_with(" of ") && is_of_one_word(&behind[4..])
        || before.trim_end().ends_with('的');
    if of {
        return ratio(words[..at].trim_end());
    }
    if metric || phase { factor(&format!("{words} faster")) } else { None }
}

/// Whether a text begins with one word, as the name of a variant is, and no other word goes with it: `the main,`.
fn is_of_one_word(text: &str) -> bool {
    let text = text.strip_prefix("the ").unwrap_or(text);
    let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
    let next = rest.split(' ').next().unwrap_or_default();
    name.ends_with([',', '.', ';', ')', ':'])
        || next.is_empty()
        || !next.starts_with(char::is_alphanumeric)
        || ["in", "at", "on", "for", "with", "and", "when", "while", "under"].contains(&next)
}

/// The factor at the end of a text as a ratio to another value, which says its direction: `1.11` is 11 % up, `0.8` is 20 % down.
fn ratio(text: &str) -> Option<Percentage> {
    let start = text.rfind(|c: char| !(c.is_ascii_digit() || c == '.'));
    let start = start.map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let number = fields::number(&text[start..]).filter(|number| number.value > 0.0)?;
    let size = number.value - 1.0;
    let up = (size.abs() > number.resolution).then_some(size > 0.0);
    Some(Percentage { size: size.abs(), resolution: number.resolution, up })
}

/// Names of metrics directly before a factor.
const METRICS: &str = "ttft tpot itl tps throughput latency qps rps e2e 吞吐 吞吐量 时延 延迟 耗时";

/// Whether a text has one of the words beside changes, at the start of a word.
fn speaks_of_change(lower: &str) -> bool {
    OF_CHANGES.split_whitespace().any(|word| starts_a_word(lower, word))
}

fn starts_a_word(lower: &str, word: &str) -> bool {
    lower.match_indices(word).any(|(at, _)| {
        let letter = |c: char| c.is_ascii_alphanumeric();
        !(word.starts_with(letter) && lower[..at].ends_with(letter))
    })
}

/// Whether the first percentage is a level that was reached, `shrinks to 8 %`, and no change.
fn reaches(words: &str) -> bool {
    let Some(at) = words.find(['%', '％']) else { return false };
    // `grows to 12 % more than main`
    let behind = words[at..].trim_start_matches(['%', '％', '*', ' ']).to_lowercase();
    let more = ["more", "less", "higher", "lower", "faster", "slower", "below", "above"];
    if more.iter().any(|word| behind.starts_with(word)) {
        return false;
    }
    let before = words[..at].trim_end().trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let before = before.trim_end_matches(['*', '`', '~', ' ']);
    let moved = |from: &str| {
        let word = from.rsplit(' ').next().unwrap_or_default().to_lowercase();
        [
            "down", "shrink", "shrank", "fell", "fall", "drop", "reduc", "decreas", "grow", "grew",
            "ris", "rose",
        ]
        .iter()
        .any(|start| word.starts_with(start))
    };
    let reached = before.strip_suffix(" to").is_some_and(moved);
    let zh = ["降", "减", "升", "增", "降低", "减少", "提高", "缩短"];
    let mut ends = zh.iter().flat_map(|word| [format!("{word}到"), format!("{word}至")]);
    reached || ends.any(|end| before.ends_with(&end))
}

/// Numbers in words before `percent`.
const NUMBERS: &[&str] = &[
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

/// The words with `%` for `percent`, and digits for a number in words before it.
fn without_words(words: &str) -> Cow<'_, str> {
    let lower = words.to_ascii_lowercase();
    let mut found = ["percent", "per cent"]
        .iter()
        .flat_map(|word| lower.match_indices(word).map(|(at, _)| (at, at + word.len())));
    let spelled = found.find_map(|(at, end)| {
        // `Top10PercentAverageRps` is a name.
        if words[end..].starts_with(char::is_alphanumeric) {
            return None;
        }
        let before = words[..at].trim_end_matches([' ', '-']);
        if before.ends_with(|c: char| c.is_ascii_digit()) {
            return Some(format!("{before}%{}", &words[end..]));
        }
        let start = before.rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |at| at + 1);
        let start = if before.is_char_boundary(start) { start } else { return None };
        let number = NUMBERS.iter().position(|name| lower[start..before.len()] == **name)?;
        Some(format!("{}{}%{}", &words[..start], number + 1, &words[end..]))
    });
    spelled.map_or(Cow::Borrowed(words), Cow::Owned)
}

/// Words for a change by a factor of two or three.
const MULTIPLES: &[(&str, f64)] = &[
    ("doubled", 2.0),
    ("doubles", 2.0),
    ("tripled", 3.0),
    ("halved", 0.5),
    ("halves", 0.5),
    ("翻倍", 2.0),
    ("减半", 0.5),
];

/// Words beside a factor that make it one of a change.
const FASTER: &[&str] = &[
    "faster",
    "slower",
    "speed",
    "higher",
    "lower",
    "better",
    "worse",
    "throughput",
    "improv",
    "reduc",
    "gain",
    "提升",
    "加速",
    "提高",
    "快",
    "慢",
];

/// A factor beside a word of change: `1.3x faster`, `speedup of 2×`, `doubled`.
fn factor(words: &str) -> Option<Percentage> {
    let lower = words.to_lowercase();
    if let Some((_, times)) = MULTIPLES.iter().find(|(word, _)| lower.contains(word)) {
        return Some(Percentage {
            size: (times - 1.0).abs(),
            resolution: 0.05,
            up: Some(*times > 1.0),
        });
    }
    // `= 2.39x` below two values is their ratio.
    let ratio = lower.trim_start_matches(['>', '-', '*', ' ']).strip_prefix(['=', '≈']);
    let ratio = ratio.is_some_and(|rest| !rest.contains(|c: char| c.is_alphabetic() && c != 'x'));
    if !ratio && !FASTER.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let mut factors = lower.match_indices(['x', '×', '倍']).filter_map(|(at, mark)| {
        let behind = &lower[at + mark.len()..];
        let before = lower[..at].trim_end();
        let digits = before.ends_with(|c: char| c.is_ascii_digit());
        let after = behind.chars().next();
        (digits && !after.is_some_and(char::is_alphanumeric)).then_some((before, behind))
    });
    let (first, behind) = factors.next()?;
    // `1.3x to 1.7x`
    let goes_on = ["-", "–", "~", " to "].iter().any(|mark| {
        let rest = behind.strip_prefix(mark);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    let before = factors.next().filter(|_| goes_on).map_or(first, |(before, _)| before);
    let start = before
        .rfind(|c: char| !(c.is_ascii_digit() || c == '.'))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let written = before[start..].trim_start_matches('.');
    let value: f64 = written.parse().ok().filter(|value| *value > 0.0)?;
    let decimals = written.split_once('.').map_or(0, |(_, digits)| digits.len());
    let mut resolution = 0.5 * 10f64.powi(-i32::try_from(decimals).ok()?);
    let mut value = value;
    if let Some(low) = start_of_range(&before[..start]).filter(|low| *low < value) {
        resolution += (value - low) / 2.0;
        value = f64::midpoint(value, low);
    } else {
        resolution = resolution.max(rounded(&before[..start], value));
    }
    Some(Percentage { size: (value - 1.0).abs(), resolution, up: None })
}

/// Marks between an old value and a new one; before the first of some stands a word.
const FROM_TO: &[(&str, &str)] = &[
    ("", "→"),
    ("", "->"),
    ("", "=>"),
    ("from ", " to "),
    ("从", "到"),
    ("从", "降到"),
    ("从", "升到"),
    ("由", "到"),
];

/// Two values of one unit: `from 500 to 450 ms`, `80 → 60 ms`, `从 30 降到 24`.
fn from_to(words: &str) -> Option<Percentage> {
    let lower = words.to_lowercase();
    if !OF_CHANGES.split_whitespace().any(|word| lower.contains(word)) {
        return None;
    }
    let digits = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let (old, new) = FROM_TO.iter().find_map(|(start, mark)| {
        let begin = words.find(start)? + start.len();
        let middle = begin + words[begin..].find(mark)?;
        let left = words[begin..middle].trim();
        let right = words[middle + mark.len()..].trim_start();
        // A unit may be behind the old value.
        let old = if start.is_empty() {
            let value = left.trim_end_matches(|c: char| !c.is_ascii_digit());
            let start = value.rfind(|c: char| !digits(c));
            // `v0.9` and `TP1` are names.
            let named = start.is_some_and(|at| value[at..].starts_with(char::is_alphanumeric));
            let start =
                start.map_or(0, |at| at + value[at..].chars().next().map_or(1, char::len_utf8));
            if named { "" } else { &value[start..] }
        } else {
            let value = left;
            &value[..value.find(|c: char| !digits(c)).unwrap_or(value.len())]
        };
        let new = &right[..right.find(|c: char| !digits(c)).unwrap_or(right.len())];
        fields::number(old).zip(fields::number(new.trim_end_matches(['.', ','])))
    })?;
    let change = new.value / old.value - 1.0;
    let resolution =
        (new.resolution / old.value).abs() + (old.resolution * new.value / old.value.powi(2)).abs();
    (change.is_finite() && change != 0.0).then_some(Percentage {
        size: change.abs(),
        resolution,
        up: Some(change > 0.0),
    })
}

/// Words and signs between an old value and a new one; one that ends with another comes before it.
const STEPS: &[&str] = &[
    " up to ",
    " down to ",
    " to ",
    "→",
    "->",
    "=>",
    "下降至",
    "降至",
    "下降到",
    "降低到",
    "降低至",
    "降到",
    "降为",
    "减少到",
    "减少至",
    "减至",
    "缩短到",
    "缩短至",
    "增加到",
    "增至",
    "提升到",
    "提升至",
    "上升到",
    "升到",
    "升至",
    "提高到",
    "提高至",
];

/// Words between a new value and the old one.
const AGAINST: &[&str] = &[" versus ", " vs ", " vs. ", " against "];

/// The old and the new value in front of a percentage, or of a claim without one: `falling 186.7 to 164.5 us (-11.9 %)`,
/// `80 -> 76 ms`, `8.58 GB/s versus 8.48 GB/s on main (+1.2 %)`, `bringing it from ~8K req/s to 92K`.
fn values_of_change(text: &str) -> Option<TwoValues> {
    let percent = text.find(['%', '％']);
    let before = &text[..percent.unwrap_or(text.len())];
    let parts = |marks: &[&str]| marks.iter().find_map(|mark| before.rsplit_once(mark));
    // A unit may stand behind, and before the percentage little else.
    let whole = |rest: &str, words: usize| {
        // Behind a colon or a comma another statement begins: `chunk size 320 → 640: TTFT -12 %`.
        if percent.is_some() && rest.contains([':', '：', ',', '，', ';', '；']) {
            return false;
        }
        let digits = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
        let unit = rest.trim_end_matches(|c: char| digits(c) || "+-−~ (（*`".contains(c));
        let figure = rest[unit.len()..].contains(|c: char| c.is_ascii_digit());
        percent.is_none() || figure && unit.split_whitespace().count() <= words
    };
    if let Some((first, last)) = parts(STEPS) {
        let (new, rest) = leading(last)?;
        // The ends of a range of factors are no values.
        let range = rest.starts_with(['x', '×', '倍']) || rest.starts_with(" times");
        let old = trailing(first)?;
        return (whole(rest, 2) && !range).then_some(TwoValues { old, new, ordered: true });
    }
    // A name or a setting may stand behind the old value.
    percent?;
    let (first, last) = parts(AGAINST)?;
    // A label may stand before it.
    let labelled = last.split_once(['*', ' ']).map(|(_, rest)| rest);
    let (old, rest) = leading(last).or_else(|| leading(labelled?))?;
    let new = trailing(first)?;
    whole(rest, 4).then_some(TwoValues { old, new, ordered: false })
}

/// Most words between a percentage and the values behind it in brackets.
const BEFORE_VALUES: usize = 2;

/// The old and the new value in brackets behind a change: `+2.7% (298.34 vs 306.65 ms)`, `62% (from 7.54 to 12.24 tok/s)`.
fn values_behind(text: &str) -> Option<TwoValues> {
    let (_, behind) = text.split_once(['%', '％'])?;
    let (between, inside) = behind.split_once(['(', '（'])?;
    if between.split_whitespace().count() > BEFORE_VALUES {
        return None;
    }
    let parts = |marks: &[&str]| marks.iter().find_map(|mark| inside.split_once(mark));
    if let Some((first, last)) = parts(AGAINST) {
        let (old, new) = (leading(last)?.0, leading(first)?.0);
        return Some(TwoValues { old, new, ordered: false });
    }
    let (first, last) = parts(STEPS)?;
    Some(TwoValues { old: trailing(first)?, new: leading(last)?.0, ordered: true })
}

/// The number at the start of a text, and what follows.
fn leading(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_start().trim_start_matches(['~', '≈', '*', '`', ' ']);
    let end = text.find(|c: char| !(c.is_ascii_digit() || ".,".contains(c)));
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    let value: f64 = digits.trim_matches(['.', ',']).replace(',', "").parse().ok()?;
    let thousands = rest.strip_prefix(['K', 'k']);
    let thousands = thousands.filter(|rest| !rest.starts_with(char::is_alphanumeric));
    Some(thousands.map_or((value, rest), |rest| (value * 1e3, rest)))
}

/// The number at the end of a text, maybe with a unit behind it.
fn trailing(text: &str) -> Option<f64> {
    let digits = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    let bare = text.trim_end().trim_end_matches(|c: char| c.is_alphabetic() || "/-_*`".contains(c));
    let bare = bare.trim_end();
    let number = bare.strip_suffix(['K', 'k']).unwrap_or(bare);
    let start = number.rfind(|c: char| !digits(c));
    let start = start.map_or(0, |at| at + number[at..].chars().next().map_or(1, char::len_utf8));
    leading(&text[start..]).map(|(value, _)| value)
}

/// Words and marks before a number that is about right.
const ABOUT: &[&str] = &[
    "~",
    "≈",
    "～",
    "about",
    "around",
    "roughly",
    "approximately",
    "approx.",
    "nearly",
    "almost",
    "约",
    "大约",
    "約",
];

/// How far a whole number behind a word for about may be off: half of its last digit that is not 0, a tenth of it at most.
/// 5 of `~60 %`; 0 without such a word.
fn rounded(before: &str, value: f64) -> f64 {
    let before = before.trim_end().to_lowercase();
    if value.fract() != 0.0 || !ABOUT.iter().any(|word| before.ends_with(word)) {
        return 0.0;
    }
    let places = (0..6).map(|power| 10f64.powi(power)).take_while(|place| value % place == 0.0);
    (0.5 * places.last().unwrap_or(1.0)).min(0.1 * value)
}

/// The first percentage in the words; of a range the middle.
fn in_percent(words: &str) -> Option<Percentage> {
    let at = words.find(['%', '％'])?;
    let before = words[..at].trim_end();
    let start = before
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_ascii_digit() || matches!(c, '.' | ','))
        .last()
        .map(|(index, _)| index)?;
    let written = before[start..].trim_start_matches(['.', ',']);
    // A comma with one or two digits behind it is that of a decimal fraction.
    let decimal = written.split_once(',').filter(|(_, tail)| (1..=2).contains(&tail.len()));
    let written = decimal.map_or_else(|| written.replace(',', ""), |(a, b)| format!("{a}.{b}"));
    let size: f64 = written.parse().ok()?;
    let decimals = written.split_once('.').map_or(0, |(_, digits)| digits.len());
    let mut resolution = 0.5 * 10f64.powi(-i32::try_from(decimals).ok()?) / 100.0;
    let mut size = size;
    if let Some(low) = start_of_range(&before[..start]).filter(|low| *low < size) {
        resolution += (size - low) / 200.0;
        size = f64::midpoint(size, low);
    } else {
        resolution = resolution.max(rounded(&before[..start], size) / 100.0);
    }
    let up = sign(&before[..start]).or_else(|| {
        let far = |(index, c): (usize, char)| {
            let (_, up) = ARROWS.iter().find(|(arrow, _)| *arrow == c)?;
            let far = if index < start { start - index } else { index.saturating_sub(at) };
            Some((far, *up))
        };
        words.char_indices().filter_map(far).min().map(|(_, up)| up)
    });
    Some(Percentage { size: size / 100.0, resolution, up })
}

/// The smaller end of a range whose larger one follows: `3` of `3-5%`, `1.3` of `1.3x to 1.7x`.
fn start_of_range(before: &str) -> Option<f64> {
    let low = before.strip_suffix(['-', '–', '~', '〜']).or_else(|| before.strip_suffix(" to "))?;
    let low = low.trim_end().trim_end_matches(['%', '％', 'x', '×']).trim_end();
    let start = low
        .rfind(|c: char| !(c.is_ascii_digit() || c == '.'))
        .map_or(0, |at| at + low[at..].chars().next().map_or(1, char::len_utf8));
    low[start..].parse().ok()
}

/// The sign directly before a number; a dash with a blank after it is a separator, one after a digit means "to".
fn sign(before: &str) -> Option<bool> {
    let mut back = before.chars().rev();
    match back.next()? {
        '+' => Some(true),
        '−' => Some(false),
        '-' | '–' => (!back.next().is_some_and(|c| c.is_ascii_digit())).then_some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_takes_its_sign_or_the_nearest_arrow() {
        for (words, size, up) in [
            ("TTFT ⬇️ 3.44%", 0.0344, Some(false)),
            ("Mean TTFT 3.34% ⬇️", 0.0334, Some(false)),
            ("TPOT ⬆️ 2%, TTFT ⬇️ 3%", 0.02, Some(true)),
            ("+5 %", 0.05, Some(true)),
            ("throughput −1.5％", 0.015, Some(false)),
            ("about 4%", 0.04, None),
            ("TTFT 3,44 %", 0.0344, None),
            ("- 3% TTFT", 0.03, None),
            ("TTFT -3%", 0.03, Some(false)),
            // The middle of the range.
            ("3-5%", 0.04, None),
            ("about 4 percent faster", 0.04, None),
            ("1.3x faster than main", 0.3, None),
            ("throughput doubled", 1.0, Some(true)),
            ("TTFT from 500 to 450 ms", 0.1, Some(false)),
            ("latency from 500 ms to 450 ms", 0.1, Some(false)),
            ("TTFT: 80 → 60 ms", 0.25, Some(false)),
            ("从 30 降到 24", 0.2, Some(false)),
        ] {
            let found = percentage(words).expect(words);
            assert!((found.size - size).abs() < 1e-12 && found.up == up, "{words}");
        }
        assert!(!is_claim("100 % of nothing%".trim_start_matches("100 % of ")));
        for words in [
            "4x H100",
            "2x80 GB",
            "TTFT from main to pr",
            "batch 8 -> 16",
            "throughput of TP1 → TP2",
        ] {
            assert!(!is_claim(words), "{words}");
        }
    }

    #[test]
    fn every_percentage_of_a_line_is_a_claim_of_its_own() {
        let texts = |words: &str| -> Vec<String> {
            let found = claims_of(words, &Source::default());
            found.into_iter().map(|claim| claim.text).collect()
        };
        assert_eq!(texts("TPOT ⬆️ 2%, TTFT ⬇️ 3%"), ["TPOT ⬆️ 2%", "TTFT ⬇️ 3%"]);
        assert_eq!(texts("TTFT, TPOT ⬇️ 3%"), ["TTFT, TPOT ⬇️ 3%"]);
        assert_eq!(texts("TTFT 3.34% ⬇️ TPOT 2% ⬆️"), ["TTFT 3.34% ⬇️", "TPOT 2% ⬆️"]);
        assert_eq!(texts("吞吐提升 1,5%，TTFT 降低 3%"), ["吞吐提升 1,5%", "TTFT 降低 3%"]);
        assert_eq!(texts("TTFT 3% lower (as hoped)"), ["TTFT 3% lower (as hoped)"]);
        let digits = claims_of("3.44%", &Source::default())[0].resolution;
        assert!((digits - 0.000_05).abs() < 1e-12);
        // Half of the last digit that is not 0, where the number is about right.
        for (words, half) in [
            ("~60% higher", 0.05),
            ("~63% higher", 0.005),
            ("60% higher", 0.005),
            ("about 100 % faster", 0.1),
        ] {
            let found = claims_of(words, &Source::default())[0].resolution;
            assert!((found - half).abs() < 1e-12, "{words}: {found}");
        }
    }

    #[test]
    fn the_values_of_a_change_are_the_old_one_and_the_new_one() {
        for (words, values) in [
            ("+2.7% (298.34 vs 306.65 ms)", Some([306.65, 298.34])),
            ("still ~80% faster (30.29 vs 16.81 tok/s)", Some([16.81, 30.29])),
            ("improved by 62% (from 7.54 to 12.24 tok/s)", Some([7.54, 12.24])),
            ("**17%** (32.3s → 26.8s) less", Some([32.3, 26.8])),
            ("falling 186.7 to 164.5 us (-11.9 %)", Some([186.7, 164.5])),
            ("8.58 GB/s versus 8.48 GB/s on main (+1.2 %)", Some([8.48, 8.58])),
            ("12x faster, from ~8K req/s to **~92K req/s**", Some([8_000.0, 92_000.0])),
            ("80% of what the old one did (30.29 vs 16.81)", None),
            ("5 % faster (as hoped)", None),
        ] {
            let found = values_of_change(words).or_else(|| values_behind(words));
            assert_eq!(found.map(|two| [two.old, two.new]), values, "{words}");
        }
    }

    #[test]
    fn a_level_that_is_reached_is_no_change() {
        let texts = |words: &str| claims_of(words, &Source::default()).len();
        for (words, claims) in [
            ("overhead shrinks to 8%", 0),
            ("占比降到 8%", 0),
            ("overhead shrinks by 8%", 1),
            ("up to 8% faster", 1),
            ("3 to 5% faster", 1),
            ("TPS 1.44x、TPOT 1.44x、TTFT 1.75x", 3),
            ("up to 3.03x in decoding and 9.44x in prefill, the highest speedup", 2),
            ("main ran 1.52 ± 0.10 times faster than perf", 1),
            ("4.5x H100", 0),
        ] {
            assert_eq!(texts(words), claims, "{words}");
        }
    }

    #[test]
    fn a_percentage_of_a_setting_is_no_change() {
        for (words, change) in [
            ("TTFT 3.44%", true),
            ("after, TTFT 3%", true),
            ("-3%", true),
            ("吞吐提升 3%", true),
            ("after ⬇️ 3%", true),
            ("3% faster", true),
            ("50%", false),
            ("after, gpu mem 90%", false),
            ("优化后，显存 90%", false),
            ("lower priority, cache 50%", false),
            ("https 5%", false),
        ] {
            assert_eq!(states_change(words), change, "{words}");
        }
    }

    #[test]
    fn brackets_with_a_claim_are_no_part_of_a_label() {
        let (rest, claim) = without_claims("cache (TTFT ⬇️ 3.44%)");
        assert_eq!((rest.trim(), claim.as_deref()), ("cache", Some("TTFT ⬇️ 3.44%")));
        assert_eq!(without_claims("cache (v2)"), ("cache (v2)".to_owned(), None));
    }
}
