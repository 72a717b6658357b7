//! Choice of the baseline: the variant whose label names it, never simply the first.

use std::collections::BTreeSet;

/// Words that name a baseline; whole words, in any letter case.
const BASELINE: &[&str] = &[
    "before",
    "main",
    "mainline",
    "trunk",
    "master",
    "base",
    "baseline",
    "old",
    "ref",
    "reference",
    "previous",
    "prev",
    "prior",
    "legacy",
    "existing",
    "today",
    "orig",
    "avant",
    "vorher",
    "antes",
    "до",
];

/// Words of [`BASELINE`] that name a branch.
const BRANCHES: &[&str] = &["main", "mainline", "trunk", "master"];

/// Words for a baseline in scripts that do not separate words.
const BASELINE_PARTS: &[&str] =
    &["优化前", "修改前", "改动前", "原始", "基线", "基準", "기존", "이전"];

/// Words that name the changed side.
const CANDIDATE: &[&str] =
    &["now", "new", "after", "candidate", "patched", "après", "nachher", "después", "после"];

const CANDIDATE_PARTS: &[&str] = &["优化后", "修改后", "改动后", "改善後", "이후"];

/// Words for a changed side that also follow the name of a baseline: `before this PR`.
const CANDIDATE_WORDS: &[&str] = &["pr", "optimized", "optimised", "ours", "proposed", "modified"];

/// Words for a change itself.
const CHANGES: &[&str] = &["patch", "change", "changes", "fix"];

/// Words for the side without something; it is the baseline if no label names one.
const WITHOUT: &[&str] =
    &["without", "off", "disabled", "no", "vanilla", "unpatched", "original", "upstream", "stock"];

/// Hint in a label about the role of its variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelHint {
    /// It names the baseline.
    Baseline,
    /// It names the changed side.
    Candidate,
    /// Neither, or both.
    Neither,
}

/// The reason why no baseline was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnclearBaseline {
    /// No variant has this label.
    NoSuchLabel(String),
    /// No label names a baseline.
    NoLabelHint,
    /// Several labels name a baseline.
    SeveralLabelHints(Vec<String>),
}

/// The hint in `label`: `main` and `优化前` are baselines, `after this PR` is not.
///
/// # Examples
///
/// ```
/// use beyondnoise_model::runs::{LabelHint, label_hint};
///
/// assert_eq!(label_hint("Before this PR"), LabelHint::Baseline);
/// assert_eq!(label_hint("优化后"), LabelHint::Candidate);
/// assert_eq!(label_hint("domain"), LabelHint::Neither);
/// ```
pub fn label_hint(label: &str) -> LabelHint {
    let lower = label.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |list: &[&str], parts: &[&str]| {
        words.iter().any(|word| list.contains(word))
            || parts.iter().any(|part| lower.contains(part))
    };
    // Alone, and before a word for a change, these are sides: `pre-merge`; in `pre-fill` they are parts of a name.
    let change =
        |word: &str| CHANGES.contains(&word) || CANDIDATE_WORDS.contains(&word) || word == "merge";
    let [pre, post] = ["pre", "post"].map(|around| {
        words == [around] || words.windows(2).any(|two| two[0] == around && change(two[1]))
    });
    let baseline = has(BASELINE, BASELINE_PARTS)
        || pre
        || matches!(words[..], ["旧版" | "老版" | "原版"])
        || is_without_change(&lower, &words)
        || ends_before(&lower);
    let weak = has(CANDIDATE_WORDS, &[])
        || lower.trim_end().ends_with(['后', '後'])
        || lower.trim_end().ends_with(" 후");
    let candidate = has(CANDIDATE, CANDIDATE_PARTS)
        || post
        || matches!(words[..], ["新版" | "优化版"])
        || !baseline && weak;
    // `main + patch` is the changed side.
    let added = lower.split_once('+').is_some_and(|(_, behind)| {
        let mut words = behind.split(|c: char| !c.is_alphanumeric());
        words.any(|word| CHANGES.contains(&word) || CANDIDATE_WORDS.contains(&word))
    });
    if baseline && added {
        return LabelHint::Candidate;
    }
    match (baseline, candidate) {
        (true, false) => LabelHint::Baseline,
        (false, true) => LabelHint::Candidate,
        _ => LabelHint::Neither,
    }
}

/// Whether a label names the side without the change: `without this PR`, `w/o the patch`, `no fix`.
fn is_without_change(lower: &str, words: &[&str]) -> bool {
    let skipped = |word: &&&str| !["this", "the", "my", "our", "o"].contains(*word);
    let change = |word: &&str| CANDIDATE_WORDS.contains(word) || CHANGES.contains(word);
    words.iter().enumerate().any(|(at, word)| {
        let without = ["without", "no"].contains(word) || *word == "w" && lower.contains("w/o");
        without && words[at + 1..].iter().find(skipped).is_some_and(change)
    })
}

/// Whether a Chinese, Japanese or Korean label ends with the word for before, but does not mean now: `开启缓存前`, not `当前`.
fn ends_before(lower: &str) -> bool {
    let korean = lower.trim_end().ends_with(" 전");
    korean
        || lower
            .trim_end()
            .strip_suffix('前')
            .is_some_and(|rest| !rest.ends_with(['当', '目', '此']))
}

/// Whether a label is the value of an option: `2048`, `32k`, `0.5`, but no version such as `0.3.5`.
pub fn is_option_value(label: &str) -> bool {
    label.starts_with(|c: char| c.is_ascii_digit())
        && label.chars().all(|c| c.is_alphanumeric() || c == '.')
        && label.matches('.').count() < 2
}

/// Whether a label means missing or off: `w/o cache`, `cache off`, `no fusion`, `vanilla`; not `PR, no overlap`.
pub fn negates(label: &str) -> bool {
    if label_hint(label) == LabelHint::Candidate {
        return false;
    }
    let lower = label.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    lower.contains("w/o") || words.any(|word| WITHOUT.contains(&word))
}

/// Whether labels differ in more than digits and separators: `run-1` and `run-2` do not.
pub fn labels_differ(labels: &[&str]) -> bool {
    let bare = |label: &&str| -> String {
        label.chars().filter(|c| !c.is_numeric() && !"-_. :".contains(*c)).collect()
    };
    labels.iter().map(bare).collect::<BTreeSet<String>>().len() > 1
}

/// Whether labels name different builds: `before` and `after` do, `run-1` and `run-2` do not.
pub fn labels_tell_apart(labels: &[&str]) -> bool {
    labels_differ(labels) && labels.iter().any(|label| label_hint(label) != LabelHint::Neither)
}

/// The only label that names a baseline by words that the other labels do not all have, where the words of all others name a
/// candidate: `Baseline original results` beside `Optimized original results`.
fn only_baseline_by_own_words(labels: &[&str]) -> Option<usize> {
    let lower: Vec<String> = labels.iter().map(|label| label.to_lowercase()).collect();
    let words: Vec<BTreeSet<&str>> =
        lower.iter().map(|label| label.split_whitespace().collect()).collect();
    let shared = words.iter().cloned().reduce(|all, own| &all & &own)?;
    let hint = |own: &BTreeSet<&str>| {
        label_hint(&own.difference(&shared).copied().collect::<Vec<_>>().join(" "))
    };
    let hints: Vec<LabelHint> = words.iter().map(hint).collect();
    let only = hints.iter().position(|hint| *hint == LabelHint::Baseline)?;
    let candidate = |(at, hint): (usize, &LabelHint)| at == only || *hint == LabelHint::Candidate;
    hints.iter().enumerate().all(candidate).then_some(only)
}

/// Position of the baseline among `labels`.
///
/// `wanted` is the user's label. `first_is_baseline` is the first of exactly two inputs: it is the baseline unless its label
/// names a candidate.
///
/// # Errors
///
/// [`UnclearBaseline`] if the label does not exist, or if no label or several labels name a baseline and not one of them is
/// nothing but the word.
pub fn choose_baseline(
    labels: &[&str],
    wanted: Option<&str>,
    first_is_baseline: Option<&str>,
) -> Result<usize, UnclearBaseline> {
    if let Some(wanted) = wanted {
        let found = labels.iter().position(|label| *label == wanted).or_else(|| {
            let mut alike = labels
                .iter()
                .enumerate()
                .filter(|(_, l)| l.to_lowercase() == wanted.to_lowercase());
            alike.next().filter(|_| alike.next().is_none()).map(|(index, _)| index)
        });
        return found.ok_or_else(|| UnclearBaseline::NoSuchLabel(wanted.to_owned()));
    }
    let saying: Vec<usize> = (0..labels.len())
        .filter(|&index| label_hint(labels[index]) == LabelHint::Baseline)
        .collect();
    let is_word = |&index: &usize| BASELINE.contains(&&*labels[index].trim().to_lowercase());
    let whole: Vec<usize> = saying.iter().copied().filter(is_word).collect();
    let negating: Vec<usize> = (0..labels.len()).filter(|&at| negates(labels[at])).collect();
    // Of the values of one option the default: `2048 default` beside `1024`.
    let defaults: Vec<usize> = (0..labels.len())
        .filter(|&at| labels[at].strip_suffix(" default").is_some_and(is_option_value))
        .collect();
    let values = |at: usize| is_option_value(labels[at]) || defaults.contains(&at);
    if let [only] = defaults[..]
        && (0..labels.len()).all(values)
    {
        return Ok(only);
    }
    // The branch of today beside what was before it: `current master` beside `benchmarks before`.
    let has = |index: usize, words: &[&str]| {
        let lower = labels[index].to_lowercase();
        lower.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
    };
    let earlier: Vec<usize> =
        saying.iter().copied().filter(|&index| !has(index, BRANCHES)).collect();
    let precedes = |index: usize| {
        let lower = labels[index].trim().to_lowercase();
        let based = ["base", "baseline", "upstream", "ref", "reference"];
        !(0..labels.len()).any(|other| has(other, &based))
            && (lower.starts_with("before") || lower.ends_with("before"))
    };
    // Beside labels that all name a change: `eager` beside `proposed`.
    let unchanged: Vec<usize> = (0..labels.len())
        .filter(|&index| label_hint(labels[index]) != LabelHint::Candidate)
        .collect();
    match (&saying[..], &negating[..], &unchanged[..]) {
        (&[only], ..) | ([], &[only], _) => Ok(only),
        // `baseline` beside `buffered (old design)`.
        (&[_, _, ..], ..) if whole.len() == 1 => Ok(whole[0]),
        (&[_, _], ..) if labels.len() == 2 && earlier.len() == 1 && precedes(earlier[0]) => {
            Ok(earlier[0])
        }
        ([], [], &[only]) if first_is_baseline.is_none() && labels.len() > 1 => Ok(only),
        ([], ..) => first_is_baseline
            .filter(|first| label_hint(first) != LabelHint::Candidate)
            .and_then(|first| labels.iter().position(|label| *label == first))
            .ok_or(UnclearBaseline::NoLabelHint),
        _ if let Some(only) = only_baseline_by_own_words(labels) => Ok(only),
        _ => Err(UnclearBaseline::SeveralLabelHints(
            saying.into_iter().map(|index| labels[index].to_owned()).collect(),
        )),
    }
}
