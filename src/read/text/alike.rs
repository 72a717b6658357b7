//! Parts of a text that one program printed, each below words of its own: lines that come back with other numbers hold the results,
//! whatever the program is.
//!
//! A line is known by what is left of it without its numbers. Lines that come back belong to the program; the words above each part
//! that do not come back name the part. Of the numbers those that differ between the parts are measured, those that do not were set.
//!
//! Replicate: a line that counts runs, `Trial 3: ...`, or else a part.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::arithmetic::FAR;
use crate::kit::fields::{self, Number};
use crate::kit::figure::leading;
use crate::kit::parts_of_work::is_part_of_work;
use crate::text::claims::{is_claim, states_change};
use crate::text::grid::without_links;
use crate::text::headings::heading::{COLON, MAX_HEADING_CHARS};
use crate::text::headings::{counts_runs, heading, is_time, last_sentence};
use crate::text::labelled::MAX_LINES;
use crate::text::labelled::values::unit_of;
use crate::text::labels::is_fence;
use crate::text::notes::between::command_of;
use crate::text::printed_lines::{of_unit, put};
use beyondnoise_model::metrics::words::{Says, meaning};
use beyondnoise_model::runs::{LabelHint, Run, RunInfo, Source, label_hint, negates};

/// Most words of a line that names a part.
const MAX_LABEL_WORDS: usize = 9;

/// Longest printed line, in bytes.
const MAX_LINE: usize = 1_000;

/// Most parts, and numbers of one line.
const MAX_PARTS: usize = 60;
const MAX_SLOTS: usize = 40;

/// Numbers from here on count seconds since 1970.
const EPOCH: f64 = 1.2e9;

/// A number of a line with the words before it.
#[derive(Clone)]
struct Slot {
    name: String,
    /// The words over several numbers: `Performance (t/s)`.
    group: String,
    unit: String,
    number: Number,
    fraction: bool,
}

/// The numbers of a printed line by the place in it, one for each time that it comes.
type Values = BTreeMap<(String, usize), Vec<Slot>>;

/// The values that the program printed below one name.
struct Part {
    at: usize,
    label: String,
    rank: u8,
    /// Words directly above that come back below other names.
    case: Option<String>,
    values: Values,
}

/// Whether a label is a word and a number: `Rank 0`.
fn is_numbered(label: &str) -> bool {
    label.split_once(' ').is_some_and(|(word, number)| {
        word.chars().all(char::is_alphabetic) && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The runs of the parts; `None` where no two parts have a line in common, or one has several values for which no line says whether
/// they are repeats.
pub(crate) fn read(lines: &[String], source: &Source) -> Option<Vec<Run>> {
    if lines.len() > MAX_LINES {
        return None;
    }
    let (parts, unnamed) = parts_of(lines);
    let labels: BTreeSet<&str> = parts.iter().map(|part| &*part.label).collect();
    let other =
        |label: &&str| fields::sets_load(label) || counts_runs(label) || fields::is_metric(label);
    let ranks: BTreeSet<u8> = parts.iter().map(|part| part.rank).collect();
    let counted =
        labels.iter().all(|label| is_numbered(label) || is_part_of_work(label) && !negates(label));
    if ranks.len() > 1 || counted {
        return None;
    }
    if labels.len() < 2 || parts.len() > MAX_PARTS || labels.iter().all(other) {
        return None;
    }
    // Lines that every part has, equally often.
    let first = &parts.first()?.values;
    let times = |part: &Part, key: &(String, usize)| part.values.get(key).map_or(0, Vec::len);
    let shared = first
        .keys()
        .filter(|key| parts.iter().all(|part| times(part, key) == times(&parts[0], key)));
    // One place has one name.
    let named = |key: &&(String, usize)| {
        let all = parts.iter().flat_map(|part| &part.values[*key]);
        all.clone().all(|slot| slot.name == first[*key][0].name && slot.unit == first[*key][0].unit)
    };
    let shared: Vec<&(String, usize)> = shared.filter(named).collect();
    let most = shared.iter().map(|key| times(&parts[0], key)).max()?;
    let counter = if most > 1 { Some(counter_of(&parts, &shared, most)?) } else { None };
    let of_line = |key: &&(String, usize)| {
        times(&parts[0], key) == most && counter.is_none_or(|counter| key.0 == counter.0)
    };
    let kept: Vec<&(String, usize)> =
        shared.into_iter().filter(of_line).filter(|key| differs(&parts, key)).collect();
    let measured: Vec<(&(String, usize), String)> =
        names_of(first, kept).into_iter().filter(|(key, _)| Some(*key) != counter).collect();
    let hints: BTreeSet<bool> = labels
        .iter()
        .map(|label| label_hint(label))
        .filter(|hint| *hint != LabelHint::Neither)
        .map(|hint| hint == LabelHint::Baseline)
        .collect();
    let sided = !hints.is_empty() || labels.iter().any(|label| negates(label));
    let result = |(key, name): &(&(String, usize), String)| {
        let unit = &first[*key][0].unit;
        let timed = of_unit(unit) == "time" || unit.contains('/');
        // Whole numbers of seconds are set as often as they are measured.
        let fine = parts.iter().flat_map(|part| &part.values[*key]).any(|slot| slot.fraction);
        let named = || fields::is_metric(&format!("{name} ({unit})"));
        fields::is_metric(name) || fine && (timed && sided || unit.contains('/') || named())
    };
    // Results above the first name are of no part, and would be lost.
    let lost = measured.iter().any(|((stem, _), _)| unnamed.contains(stem));
    if lost || !measured.iter().any(result) {
        return None;
    }
    // Repeats are near one another.
    let far = measured.iter().any(|(key, _)| parts.iter().any(|part| are_far(&part.values[*key])));
    let mut runs = Vec::new();
    for part in &parts {
        for nth in 0..most {
            let info = RunInfo { of_table: true, ..RunInfo::default() }.into();
            let position = source.position + part.at;
            let source = Source { position, ..source.clone() };
            let variant = part.label.clone();
            let mut run = Run { variant, source, info, ..Run::default() };
            run.workload.label.clone_from(&part.case);
            if let Some(slot) = counter.map(|counter| &part.values[counter][nth]) {
                let count = slot.number.value.to_string();
                if !far && is_run(&slot.name) {
                    run.name = Some(count);
                } else {
                    run.workload.other.insert(slot.name.clone(), count);
                }
            }
            for (key, name) in &measured {
                let slot = &part.values[*key][nth];
                put(&mut run, name, &slot.unit, slot.number);
            }
            runs.push(run);
        }
    }
    Some(runs)
}

/// The place in a line that comes several times at which whole numbers count: the same ones in every part.
fn counter_of<'a>(
    parts: &[Part],
    shared: &[&'a (String, usize)],
    most: usize,
) -> Option<&'a (String, usize)> {
    let counts = |part: &Part, key: &(String, usize)| -> Option<BTreeSet<u64>> {
        let slots = part.values.get(key).filter(|slots| slots.len() == most)?;
        let whole = |slot: &Slot| (!slot.fraction).then(|| slot.number.value.to_bits());
        let all: BTreeSet<u64> = slots.iter().map(whole).collect::<Option<_>>()?;
        (all.len() == most).then_some(all)
    };
    shared.iter().copied().find(|key| {
        let own = counts(&parts[0], key);
        own.is_some() && parts.iter().all(|part| counts(part, key) == own)
    })
}

/// Whether a word counts runs; steps, passes and rounds may be parts of one.
fn is_run(name: &str) -> bool {
    let lower = name.to_lowercase();
    let last = lower.split(|c: char| !c.is_alphanumeric()).rfind(|word| !word.is_empty());
    last.is_some_and(|word| ["run", "trial", "attempt", "repeat", "rep"].contains(&word))
}

/// Whether numbers differ by more than repeats do.
fn are_far(slots: &[Slot]) -> bool {
    let values = slots.iter().map(|slot| slot.number.value);
    let most = values.clone().fold(0.0, f64::max);
    most > FAR * values.fold(f64::INFINITY, f64::min)
}

/// Whether the numbers at a place differ between parts.
fn differs(parts: &[Part], key: &(String, usize)) -> bool {
    let numbers = |part: &Part| -> Vec<u64> {
        part.values[key].iter().map(|slot| slot.number.value.to_bits()).collect()
    };
    let first = numbers(&parts[0]);
    parts.iter().any(|part| numbers(part) != first)
}

/// The places that hold measured values, with names that differ: a fraction, a unit, or the name of a metric.
fn names_of<'a>(
    values: &Values,
    keys: Vec<&'a (String, usize)>,
) -> Vec<(&'a (String, usize), String)> {
    let slot = |key: &(String, usize)| &values[key][0];
    let measured = |key: &&(String, usize)| {
        let Slot { name, unit, fraction, .. } = slot(key);
        let any = *fraction || values[*key].iter().any(|slot| slot.fraction);
        let set = matches!(meaning(name).says, Says::Setting | Says::Identity)
            && !(any && unit.contains('/'));
        !set && unit != "%" && (fields::is_metric(name) || any || !unit.is_empty())
    };
    let keys: Vec<&(String, usize)> = keys.into_iter().filter(measured).collect();
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for key in &keys {
        *times.entry(&slot(key).name).or_default() += 1;
    }
    let mut taken = BTreeSet::new();
    let mut found = Vec::new();
    for key in keys {
        let Slot { name, group, .. } = slot(key);
        let whole = if times[&**name] > 1 { format!("{group} {name}") } else { name.clone() };
        let whole = whole.trim().to_owned();
        if taken.insert(whole.to_lowercase()) {
            found.push((key, whole));
        }
    }
    found
}

/// The parts of a text, each from the words that name it to the next such words, and the lines that come back above the first name.
fn parts_of(lines: &[String]) -> (Vec<Part>, BTreeSet<String>) {
    let bare: Vec<String> = lines.iter().map(|line| bare_line(line)).collect();
    let mut skeletons: BTreeMap<String, usize> = BTreeMap::new();
    let mut texts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in bare.iter().filter(|line| !line.is_empty()) {
        *skeletons.entry(skeleton(line)).or_default() += 1;
        *texts.entry(line).or_default() += 1;
    }
    let (mut parts, mut unnamed) = (Vec::<Part>::new(), BTreeSet::new());
    let (mut open, mut pending, mut case) = (false, None::<(u8, String)>, None::<String>);
    let mut fenced = false;
    for (at, line) in bare.iter().enumerate() {
        fenced ^= is_fence(&lines[at]);
        if line.is_empty() || is_fence(&lines[at]) {
            continue;
        }
        let stem = skeleton(line);
        let slots = slots_of(line);
        let stated = |slot: &Slot| slot.fraction || !slot.unit.is_empty();
        let marked = line.contains([':', '=', '|']) || slots.iter().any(stated);
        let heads = line.ends_with([':', '：']) || is_markdown(&lines[at]);
        // Lines in which people compare are printed by no program.
        if skeletons[&stem] > 1 && compares(line) && !slots.is_empty() {
            return (Vec::new(), unnamed);
        }
        if skeletons[&stem] > 1
            && marked
            && !heads
            && slots.iter().any(|slot| !slot.name.is_empty())
        {
            let (label, rank) = match (&pending, parts.last()) {
                (Some((rank, label)), _) => (label.clone(), *rank),
                (None, Some(last)) => (last.label.clone(), last.rank),
                (None, None) => {
                    unnamed.insert(stem);
                    continue;
                }
            };
            let known = |part: &Part| part.label == label && part.case == case;
            let place =
                parts.iter().position(known).filter(|place| open || *place + 1 == parts.len());
            let place = place.unwrap_or_else(|| {
                let case = case.clone();
                parts.push(Part { at, label, rank, case, values: Values::new() });
                parts.len() - 1
            });
            open = true;
            for (nth, slot) in slots.into_iter().enumerate() {
                if !slot.name.is_empty() {
                    parts[place].values.entry((stem.clone(), nth)).or_default().push(slot);
                }
            }
            continue;
        }
        let Some((rank, label)) = names_part(lines, at, line) else { continue };
        if texts[&**line] > 1 {
            // Words that come back name the work, where they stand as a name does.
            if rank == FIRM && !fenced && (open || case.is_none()) {
                (open, case) = (false, Some(label));
            }
        } else if !open && pending.as_ref().is_none_or(|(known, _)| rank >= *known)
            || open && parts.last().is_none_or(|last| rank >= last.rank)
        {
            (open, pending, case) = (false, Some((rank, label)), None);
        }
    }
    // One work says nothing.
    let cases: BTreeSet<&Option<String>> = parts.iter().map(|part| &part.case).collect();
    if cases.len() == 1 {
        for part in &mut parts {
            part.case = None;
        }
    }
    (parts, unnamed)
}

/// Whether a line has both sides, or states a change: `33 ms → 9 ms`, `12 vs 14 tok/s`, `2.1x faster`.
fn compares(line: &str) -> bool {
    let marks = ["→", "->", "=>", "⇒", " vs ", " vs. ", "±", "+/-", "+-"];
    marks.iter().any(|mark| line.contains(mark)) || is_claim(line) && states_change(line)
}

/// Whether a line is a heading of markdown; `#requests: 80` is none.
fn is_markdown(line: &str) -> bool {
    let bare = line.trim_start();
    bare.starts_with('#') && bare.trim_start_matches('#').starts_with(' ')
}

/// Whether a line is one of values: `Average TTFT: 0.0634s`.
pub(crate) fn holds_values(line: &str) -> bool {
    let value = line.rsplit_once([':', '=']).and_then(|(_, value)| leading(value.trim(), false));
    value.is_some_and(|(_, number)| number.contains('.')) && slots_of(line).len() == 1
}

/// How surely a line names what is below it: a heading or the words above a fence, a side or words alone, any other few words.
const FIRM: u8 = 3;
const SIDE: u8 = 2;
const WORDS: u8 = 1;

/// The name that a line gives to the lines below it.
fn names_part(lines: &[String], at: usize, bare: &str) -> Option<(u8, String)> {
    let last = without_links(last_sentence(bare).map_or(bare, |(_, last)| last));
    let cut = last.len() < bare.len();
    let bare = &*last;
    let few = bare.split_whitespace().count() <= MAX_LABEL_WORDS
        && bare.chars().count() <= MAX_HEADING_CHARS
        && bare.contains(char::is_alphanumeric)
        && !bare.ends_with(['.', '。', '?', '!', ';', ','])
        && !is_claim(bare);
    if !few {
        return None;
    }
    let below = lines[at + 1..].iter().find(|line| !line.trim().is_empty());
    let fenced = below.is_some_and(|line| is_fence(line));
    let blank = |at: usize| lines.get(at).is_none_or(|line| line.trim().is_empty());
    let alone = at.checked_sub(1).is_none_or(blank) && blank(at + 1);
    // `[INFO] transformers: 4.46.3`
    let tagged = lines[at].trim_start_matches(['*', ' ', '\t']).starts_with('[');
    let shown = if tagged || cut { bare } else { lines[at].trim() };
    let found = heading(shown, at + 1).map(|(heading, _)| heading);
    let plain = || bare.trim_end_matches([':', '：', ' ']).to_owned();
    let ruler = |at: usize| {
        let line = lines.get(at).map_or("", |line| line.trim());
        line.len() > 4 && line.chars().all(|c| "=-*#_".contains(c))
    };
    let framed = at.checked_sub(1).is_some_and(ruler) && ruler(at + 1);
    match found {
        Some(heading) if heading.level <= COLON => Some((FIRM, heading.label)),
        _ if fenced || framed => Some((FIRM, plain())),
        _ if command_of(bare).is_some() => Some((WORDS, plain())),
        _ if label_hint(bare) != LabelHint::Neither || alone => Some((SIDE, plain())),
        _ => Some((WORDS, plain())),
    }
}

/// A line without marks of emphasis, quotes and lists, and without a tag before it: `[ INFO ] `.
fn bare_line(line: &str) -> String {
    let text = line.replace(['*', '`'], "");
    let text = text.trim().trim_start_matches(['>', '-', '+', '•', ' ']).trim_end();
    let word = |tag: &str| tag.trim().chars().all(|c| c.is_alphabetic() || c == '_');
    let tagged = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let text = tagged.filter(|(tag, _)| word(tag)).map_or(text, |(_, rest)| rest);
    text.trim().to_owned()
}

/// A line with a mark for each number and one blank between words.
fn skeleton(line: &str) -> String {
    let mut out = String::new();
    for word in line.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        for c in word.chars() {
            let digit = c.is_ascii_digit() || (c == '.' || c == ',') && out.ends_with('#');
            if digit {
                if !out.ends_with('#') {
                    out.push('#');
                }
            } else {
                out.push(c);
            }
        }
    }
    out.replace(" #", "#").trim_end_matches(['.', ',']).to_owned()
}

/// The numbers of a line that stand for themselves, with the words before each.
fn slots_of(line: &str) -> Vec<Slot> {
    let mut found: Vec<Slot> = Vec::new();
    if line.len() > MAX_LINE || line.starts_with('{') {
        return found;
    }
    let (mut start, mut from, mut group) = (0, 0, String::new());
    while let Some(at) = line[from..].find(|c: char| c.is_ascii_digit()).map(|at| from + at) {
        let glued = line[..at].ends_with(|c: char| c.is_alphanumeric() || "_./:-@".contains(c));
        // `eval rate:12.3`, `x=-3`
        let colon =
            line[..at].ends_with(':') && !line[..at - 1].ends_with(|c: char| c.is_ascii_digit());
        let Some((length, number)) = leading(&line[at..], false).filter(|_| !glued || colon) else {
            from = at + line[at..].find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len() - at);
            continue;
        };
        let end = at + length;
        let behind = &line[end..];
        let unit = unit_of(behind);
        let word = line[at..].split_whitespace().next().unwrap_or_default();
        let glues = |c: char| c.is_alphanumeric() || "_/-".contains(c);
        let digit = |c: char| c.is_ascii_digit();
        // `11:20`, `4.46.3`
        let timed = behind.strip_prefix([':', '.']).is_some_and(|rest| rest.starts_with(digit));
        let other = unit.is_empty() && (behind.starts_with(glues) || timed);
        if other || is_time(word) || found.len() >= MAX_SLOTS {
            from = at + word.len().max(1);
            continue;
        }
        let between = &line[start..at];
        let (above, name) = name_before(between);
        // `Generation: 256 tokens, 41.118 tokens-per-sec`: the label is that of both.
        let listed = start > 0 && between.trim_end().ends_with([',', ';']);
        let words = between.contains(char::is_alphabetic);
        // `12.3 MB/s read, 3.2 MB/s write` has the names behind.
        if listed && words && found.last().is_some_and(|slot| slot.fraction) {
            return Vec::new();
        }
        let apart = start == 0 || between.contains([':', '=', ',', ';', '|', '：', '，']);
        let name = match (listed, apart) {
            (true, _) => label_of(line),
            (false, true) => name,
            (false, false) => String::new(),
        };
        if !above.is_empty() {
            group = above;
        }
        let own = if unit.is_empty() { unit_in(&name).or_else(|| unit_in(&group)) } else { None };
        let unit = own.unwrap_or_else(|| unit.trim().to_owned());
        let skipped = behind.len() - behind.trim_start().len();
        let shown = if unit_of(behind).is_empty() { 0 } else { skipped + unit_of(behind).len() };
        if let Some(number) = fields::number(&number) {
            // A time of day keeps its place, without a name.
            let name = if number.value < EPOCH { name } else { String::new() };
            let fraction = line[at..end].contains('.');
            let bare =
                |text: &str| text.split(['(', '（']).next().unwrap_or_default().trim().to_owned();
            let (name, group) = (bare(&name), bare(&group));
            found.push(Slot { name, group, unit, number, fraction });
        }
        (start, from) = (end + shown, end + shown);
    }
    name_by_list(line, &mut found);
    found
}

/// Names the values of a line as the brackets of its label list them: `first token latency(min, max, ave): 0.061s, 5.912s, 0.884s`.
fn name_by_list(line: &str, slots: &mut [Slot]) {
    let Some((stem, rest)) = line.split(':').next().and_then(|label| label.split_once(['(', '（']))
    else {
        return;
    };
    let inside = rest.split([')', '）']).next().unwrap_or_default();
    let names: Vec<&str> = inside.split([',', '/', '，', '、']).map(str::trim).collect();
    if names.len() < 2 {
        return;
    }
    let whole = names.len() == slots.len();
    for (at, slot) in slots.iter_mut().enumerate() {
        slot.name = if whole { format!("{} {}", names[at], stem.trim()) } else { String::new() };
    }
}

/// The label of a line.
fn label_of(line: &str) -> String {
    let label = line.split([':', '=']).next().unwrap_or_default().trim();
    let short = label.len() < line.len() && label.split_whitespace().count() < 6;
    if short { label.to_owned() } else { String::new() }
}

/// The words over several numbers and those of the next one, before it: `Performance (t/s) : pp = `.
fn name_before(text: &str) -> (String, String) {
    let trim = |text: &str| {
        let text = text.trim_matches(|c: char| c.is_whitespace() || ":=,;|~>#/[])）。".contains(c));
        text.trim_start_matches("- ").to_owned()
    };
    let inner = text.trim_end_matches(|c: char| c.is_whitespace() || ":=([（~".contains(c));
    let marks = [": ", " : ", "： ", " | ", "|", ", ", "; ", ". ", "：", "，", " - "];
    let last = marks.iter().filter_map(|mark| Some((inner.rfind(mark)?, mark.len()))).max();
    let (above, name) =
        last.map_or(("", inner), |(at, length)| (&inner[..at], &inner[at + length..]));
    let above = marks
        .iter()
        .filter_map(|mark| Some((above.rfind(mark)?, mark.len())))
        .max()
        .map_or(above, |(at, length)| &above[at + length..]);
    let words =
        |text: String| if text.contains(char::is_alphabetic) { text } else { String::new() };
    (words(trim(above)), words(trim(name)))
}

/// The unit in the brackets of a name: `elapsed time (ms)`.
fn unit_in(name: &str) -> Option<String> {
    let (_, inside) = name.split_once(['(', '（'])?;
    let inside = inside.split([')', '）']).next()?.trim();
    let unit = unit_of(inside);
    // `T/s` counts tokens.
    (!unit.is_empty() && unit == inside).then(|| unit.to_owned())
}
