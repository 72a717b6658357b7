//! The pairs that a claim could mean, with the change and the noise of each.

use std::collections::{BTreeMap, BTreeSet};

use crate::builds;
use crate::checks::Context;
use crate::checks::claims::checked::Noise;
use crate::format::percent;
use crate::metrics::Metric;
use crate::runs::{Claim, LabelHint, Run, TwoValues, Value, Variant, label_hint};
use crate::stats::{Across, Sample, Student, break_even_cv};

/// One reading of a claim: a metric and two variants.
#[derive(Clone, Debug)]
pub(super) struct Reading<'a> {
    pub(super) metric: Metric,
    pub(super) new: &'a Variant,
    pub(super) old: &'a Variant,
    /// `new / old - 1`.
    pub(super) change: f64,
    /// The values themselves.
    values: [f64; 2],
    /// How far the printed digits of the two values leave the change open, a fraction of `new / old`.
    open: f64,
    /// Whether the claim is about these two by its place or its words, whichever is the baseline.
    pub(super) named: bool,
    /// Whether it is between the medians of the runs, whatever the report takes.
    pub(super) of_medians: bool,
}

impl Reading<'_> {
    /// The change as a fraction of the old value, or of the new one: `1 - old / new`.
    pub(super) fn seen(&self, of_new: bool) -> f64 {
        if of_new { self.change / (1.0 + self.change) } else { self.change }
    }

    /// Whether these are the old and the new value, in a unit of any size.
    pub(super) fn has(&self, TwoValues { old, new, .. }: TwoValues) -> bool {
        self.has_old(old) && self.has_new(new)
    }

    /// Whether one of these is its old or its new value, and the other one is not.
    pub(super) fn has_one_of(&self, TwoValues { old, new, .. }: TwoValues) -> bool {
        self.has_old(old) != self.has_new(new)
    }

    /// Whether a number is the old value, in a unit of any size.
    pub(super) fn has_old(&self, number: f64) -> bool {
        is_same(self.values[0], number)
    }

    /// The same for the new value.
    pub(super) fn has_new(&self, number: f64) -> bool {
        is_same(self.values[1], number)
    }

    /// How far the change may be off by the printed digits of the two values.
    pub(super) fn room(&self, of_new: bool) -> f64 {
        let ratio = 1.0 + self.change;
        self.open * if of_new { ratio.recip() } else { ratio }
    }
}

/// Whether a label says which of the two is the baseline.
pub(super) fn has_known_sides(context: &Context) -> bool {
    label_hint(&context.baseline.name) == LabelHint::Baseline
        || label_hint(&context.candidate.name) == LabelHint::Candidate
}

/// Whether two numbers are one value but for the prefix of its unit.
fn is_same(one: f64, other: f64) -> bool {
    let near = |power: i32| (one * 1000_f64.powi(power) / other - 1.0).abs() < 0.01;
    (-3..=3).any(near)
}

/// The change of a metric between two variants, their old and new value, and how far their digits leave it open.
fn change(
    (new, old): (&Variant, &Variant),
    metric: &Metric,
    across: Across,
) -> Option<(f64, [f64; 2], f64)> {
    let centre = |variant: &Variant| {
        let digits = digits(variant, &metric.name);
        let centre = across.compute(sample(variant, &metric.name)?.sorted());
        Some((centre, digits.iter().sum::<f64>() / digits.len() as f64 / centre))
    };
    let ((new, new_open), (old, old_open)) = (centre(new)?, centre(old)?);
    let found = (new / old - 1.0, [old, new], new_open + old_open);
    Some(found).filter(|(change, ..)| change.is_finite())
}

/// The readings between two variants that have an old and a new value in one metric. Where the words do not say which is which, the
/// value of the baseline is the old one.
pub(super) fn with_values<'a>(
    context: &Context<'a>,
    metrics: &[Metric],
    values: TwoValues,
) -> Vec<Reading<'a>> {
    let base = &context.baseline.name;
    let all = || all_with(context, metrics, values);
    if values.ordered {
        return all();
    }
    let of_base = |reading: &Reading| reading.old.name == *base;
    let mut found: Vec<Reading> = all().into_iter().filter(of_base).collect();
    if found.is_empty() {
        found = all_with(context, metrics, values.turned()).into_iter().filter(of_base).collect();
    }
    if found.is_empty() { all() } else { found }
}

/// The readings between the baseline and the candidate.
pub(super) fn between_sides<'a>(context: &Context<'a>, metrics: &[Metric]) -> Vec<Reading<'a>> {
    let (new, old) = (context.candidate, context.baseline);
    let reading = |metric: &Metric| {
        let (change, values, open) = change((new, old), metric, context.policy.across)?;
        let metric = metric.clone();
        Some(Reading { metric, new, old, change, values, open, named: true, of_medians: false })
    };
    metrics.iter().filter_map(reading).collect()
}

/// Of these readings those of the variants that a text names, where it names any but the baseline.
pub(super) fn of_named<'a>(
    context: &Context<'a>,
    text: &str,
    all: &[Reading<'a>],
) -> Vec<Reading<'a>> {
    let called = Called::of(&context.group.variants);
    let lower = text.to_lowercase();
    let base = &context.baseline.name;
    let named: Vec<&str> = called
        .in_words(&lower)
        .map(|variant| &*variant.name)
        .filter(|name| *name != base)
        .collect();
    let is_named = |reading: &&Reading| {
        named.is_empty()
            || named.contains(&&*reading.new.name)
            || named.contains(&&*reading.old.name)
    };
    all.iter().filter(is_named).cloned().collect()
}

/// The readings between any two variants that have these values in this order.
fn all_with<'a>(context: &Context<'a>, metrics: &[Metric], values: TwoValues) -> Vec<Reading<'a>> {
    let all = &context.group.variants;
    let pairs = || all.iter().flat_map(|new| all.iter().map(move |old| (new, old)));
    let mut found = Vec::new();
    for (across, of_medians) in [(context.policy.across, false), (Across::MEDIAN, true)] {
        for metric in metrics {
            for (new, old) in pairs().filter(|(new, old)| new.name != old.name) {
                let Some((change, own, open)) = change((new, old), metric, across) else {
                    continue;
                };
                let metric = metric.clone();
                let reading = Reading {
                    metric,
                    new,
                    old,
                    change,
                    values: own,
                    open,
                    named: true,
                    of_medians,
                };
                found.extend(Some(reading).filter(|reading| reading.has(values)));
            }
        }
    }
    found
}

/// All readings: from the baseline first, then from the variant before the run in its file, then from the others. A claim
/// beside the baseline is about one of the others, or about the baseline against one of them: a column may compare either way.
pub(super) fn readings<'a>(
    context: &Context<'a>,
    variant: &'a Variant,
    (run, claim): (&Run, &Claim),
    text: &str,
    metrics: &[Metric],
) -> Vec<Reading<'a>> {
    let closing = claim.closing;
    let (all, base) = (&context.group.variants, context.baseline);
    let text = text.to_lowercase();
    let called = Called::of(all);
    let silent = claim.metric.is_none() && called.in_words(&text).next().is_none();
    let pairs: Vec<(&Variant, &Variant)> = if variant.name == base.name {
        let others = || all.iter().filter(|other| other.name != base.name);
        let against = others().map(|other| (other, base));
        against.chain(others().map(|other| (base, other))).collect()
    } else {
        let first = [Some(base), previous(context, run)].into_iter().flatten();
        let mut olds: Vec<&Variant> = Vec::new();
        for old in first.chain(all) {
            let known = olds.iter().any(|other| other.name == old.name);
            if !known && old.name != variant.name {
                olds.push(old);
            }
        }
        let own = olds.into_iter().map(|old| (variant, old));
        // The last sentence may be about any variant, and one that names none about any two.
        let others = all
            .iter()
            .filter(|other| closing && other.name != base.name && other.name != variant.name);
        let two =
            all.iter().filter(|_| silent).flat_map(|new| all.iter().map(move |old| (new, old)));
        // Where no label says which is the baseline, a sentence may speak of the one that is taken for it.
        let unknown = !has_known_sides(context);
        let two = two
            .filter(move |(new, old)| new.name != old.name && (unknown || new.name != base.name));
        own.chain(others.map(|other| (other, base))).chain(two).collect()
    };
    // Words that name a variant are about this variant.
    let named: Vec<&str> = called
        .in_words(&text)
        .map(|variant| &*variant.name)
        .filter(|name| *name != base.name)
        .collect();
    let speaks = |new: &Variant| named.is_empty() || named.contains(&&*new.name);
    // `a is 5 % faster than b` is about these two.
    let compared = called.compared(&text);
    // `5 % faster than b`, `+5 % vs b`: about b and the variant beside it, or in a closing sentence any other.
    let against = || {
        let old = called.against(&text)?;
        let mut subjects = called.in_words(&text).filter(|new| new.name != old.name);
        let subject = subjects.next().filter(|_| subjects.next().is_none());
        let own = Some(variant).filter(|own| own.name != old.name).into_iter();
        let others = all.iter().filter(|new| {
            (closing || variant.name == old.name)
                && new.name != old.name
                && new.name != variant.name
        });
        // A subject that is named is the only one.
        let any = own.chain(others).filter(|_| subject.is_none());
        let all = subject.into_iter().chain(any);
        Some(all.map(|new| (new, old)).collect::<Vec<_>>())
    };
    let told = compared.map(|pair| vec![pair]).or_else(against);
    let is_named = told.is_some();
    let mut pairs = told.unwrap_or(pairs);
    // `base is 1.5x faster` may be about the baseline itself.
    if !is_named && called.in_words(&text).any(|named| named.name == base.name) {
        pairs.extend(all.iter().filter(|other| other.name != base.name).map(|other| (base, other)));
    }
    // People give the medians of a few runs too.
    let several = |new: &Variant, old: &Variant| new.runs.len().max(old.runs.len()) > 2;
    [(context.policy.across, false), (Across::MEDIAN, true)]
        .into_iter()
        .flat_map(|way| pairs.iter().map(move |pair| (way, pair)))
        .filter(|((_, medians), (new, old))| !medians || several(new, old))
        .filter(|(_, (new, _))| is_named || speaks(new))
        .flat_map(|(way, pair)| metrics.iter().map(move |metric| (way, pair, metric)))
        .filter_map(|((across, of_medians), &(new, old), metric)| {
            let (change, values, open) = change((new, old), metric, across)?;
            let named = is_named || !(silent && closing) && new.name == base.name;
            let metric = metric.clone();
            Some(Reading { metric, new, old, change, values, open, named, of_medians })
        })
        .collect()
}

/// Whether a change beside a run holds between this run and the one of the baseline in the same row, or with its number.
pub(super) fn is_of_one_run(context: &Context, run: &Run, claim: &Claim) -> bool {
    let beside = |other: &&Run| {
        let row =
            other.source.path == run.source.path && other.source.position == run.source.position;
        row || other.name.is_some() && other.name == run.name
    };
    let (Some(metric), Some(base)) = (&claim.metric, context.baseline.runs.iter().find(beside))
    else {
        return false;
    };
    let value = |run: &Run| run.metrics.get(metric).map(|value| value.value);
    let (Some(new), Some(old)) = (value(run), value(base)) else { return false };
    let near = |ratio: f64| ((ratio - 1.0).abs() - claim.size).abs() <= claim.resolution + 0.001;
    near(new / old) || near(old / new)
}

/// The variants with their names in small letters.
struct Called<'a>(Vec<(&'a Variant, Vec<String>)>);

impl<'a> Called<'a> {
    /// The label of each variant, and the words of it that the others lack, without a version: `vllm` for `vLLM 0.21.0` beside
    /// `nano-vllm`, `git` for `Total git` beside `Total ziggit`. Of several such words one with two capitals is a name alone: `HIP` for
    /// `Strix HIP`. Numbers and small words are no names.
    fn of(all: &'a [Variant]) -> Self {
        let words = |label: &str| -> Vec<String> {
            label.to_lowercase().split_whitespace().map(str::to_owned).collect()
        };
        let labels: Vec<Vec<String>> = all.iter().map(|variant| words(&variant.name)).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for label in &labels {
            for word in label.iter().map(|word| &**word).collect::<BTreeSet<&str>>() {
                *counts.entry(word).or_default() += 1;
            }
        }
        let version =
            |word: &str| word.contains('.') && word.ends_with(|c: char| c.is_ascii_digit());
        let own = |label: &[String]| -> String {
            let own = label.iter().map(|word| &**word).filter(|word| counts[word] == 1);
            own.filter(|word| !version(word)).collect::<Vec<_>>().join(" ")
        };
        let is_name = |name: &String| {
            let letters = name.chars().filter(|c| c.is_alphabetic()).count();
            letters > usize::from(name.is_ascii()) * 2 && !SMALL.split(' ').any(|word| word == name)
        };
        let named = |(variant, label): (&'a Variant, &Vec<String>)| {
            let short = Some(own(label)).filter(is_name);
            let whole = Some(variant.name.to_lowercase()).filter(|name| !name.is_empty());
            // `gzip-fast` for `gzip fast`
            let joined = whole.as_ref().map(|name| name.replace(' ', "-"));
            let joined = joined.filter(|name| Some(name) != whole.as_ref());
            let coined = variant.name.split_whitespace().filter(|word| {
                let capitals = word.chars().filter(char::is_ascii_uppercase).count() > 1;
                let letters = word.chars().all(|c| c.is_ascii_alphabetic());
                capitals && letters && counts[&*word.to_lowercase()] == 1
            });
            let coined = coined.map(str::to_lowercase).filter(is_name);
            // `transformers` for `transformers 5.15 (sdpa)`: the word that leads, where no other label has it.
            let bare = |word: &String| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
            let leads = |word: &&String| counts[&***word] == 1 && !version(word);
            let first = label.first().filter(leads).map(bare).filter(is_name);
            let whole = whole.into_iter().chain(joined).chain(short);
            (variant, whole.chain(coined).chain(first).collect())
        };
        Self(all.iter().zip(&labels).map(named).collect())
    }

    /// The variants that words in small letters name: one of its names as whole words.
    fn in_words<'w>(&'w self, words: &'w str) -> impl Iterator<Item = &'a Variant> + 'w {
        let letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-');
        let stands = move |name: &String| {
            words.match_indices(&**name).any(|(at, _)| {
                !letter(words[..at].chars().next_back())
                    && !letter(words[at + name.len()..].chars().next())
            })
        };
        let named = self.0.iter().filter(move |(_, names)| names.iter().any(stands));
        named.map(|(variant, _)| *variant)
    }

    /// The two variants that the words before and behind `than` name.
    fn compared(&self, words: &str) -> Option<(&'a Variant, &'a Variant)> {
        let (new, old) = words.split_once(" than ")?;
        let named = |part: &str| self.in_words(part).max_by_key(|variant| variant.name.len());
        let (new, old) = (named(new)?, named(old)?);
        (new.name != old.name).then_some((new, old))
    }

    /// The variant that the words name as the old one, directly behind a word for a comparison.
    fn against(&self, words: &str) -> Option<&'a Variant> {
        let mut behind = AGAINST.iter().filter_map(|start| {
            let (_, rest) = words.split_once(start)?;
            Some(rest.trim_start_matches(['*', '`', ' ']).trim_start_matches("the "))
        });
        let named = |rest: &str| {
            let begins = |name: &String| {
                let behind = rest.strip_prefix(&**name);
                behind.is_some_and(|behind| !behind.starts_with(|c: char| c.is_alphanumeric()))
            };
            let known = self.0.iter().filter(|(_, names)| names.iter().any(begins));
            known.map(|(variant, _)| *variant).max_by_key(|variant| variant.name.len())
        };
        behind.find_map(named)
    }
}

/// Words that are no names alone.
const SMALL: &str =
    "with without off old new all the and for per one two run auto none true false yes";

/// Words before the variant that another one is compared with.
const AGAINST: &[&str] = &[
    " than ",
    "x of ",
    "× of ",
    " vs ",
    " vs. ",
    " versus ",
    " over ",
    " beat ",
    " beats ",
    " against ",
    " compared to ",
    "相对",
    "比",
    "相比于",
    "相较于",
    "领先",
    "优于",
    "超过",
    "高于",
    "低于",
];

/// The name of something else that the words compare with: directly behind a word for a comparison, or behind one more word,
/// written as names of types and builds are, with a digit among letters, and a part of no label.
pub(super) fn absent<'a>(words: &'a str, all: &[Variant]) -> Option<&'a str> {
    let mark =
        |word: &&str| ["vs", "vs.", "versus", "than", "over"].contains(&&*word.to_lowercase());
    let mut behind = words.split_whitespace();
    behind.by_ref().find(mark)?;
    let bare = |word: &'a str| word.trim_matches(|c: char| !c.is_alphanumeric());
    let coined = |word: &&str| {
        word.contains(|c: char| c.is_ascii_digit())
            && word.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    let known = |word: &&str| {
        let word = word.to_lowercase();
        all.iter().any(|variant| variant.name.to_lowercase().contains(&word))
    };
    behind.take(2).map(bare).find(coined).filter(|word| !known(word))
}

/// The name behind `than`, where it is of no variant: `the sequential reference`.
pub(super) fn than_another<'a>(words: &'a str, all: &[Variant]) -> Option<&'a str> {
    let (_, behind) = words.split_once(" than ")?;
    let end = behind.find([',', '.', ';', '(', ')', ':', '，', '。']).unwrap_or(behind.len());
    let name = behind[..end].split(" and ").next()?.split(" at ").next()?.split(" on ").next()?;
    // `two-slot streaming`, but not `pre-patch`.
    let joined = name.split(' ').any(|word| {
        word.contains('-') && !["pre-", "non-", "un-"].iter().any(|start| word.starts_with(start))
    });
    let mut parts = name.split(|c: char| !c.is_alphanumeric()).filter(|part| part.len() > 2);
    let plain = |part: &str| EARLIER.split(' ').any(|word| word == part);
    let known = |part: &str| {
        let part = part.to_lowercase();
        plain(&part) || all.iter().any(|variant| variant.name.to_lowercase().contains(&part))
    };
    // A name, or a word for another program.
    let foreign = |part: &str| {
        let coined = part.contains(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit());
        coined || OTHERS.split(' ').any(|word| word == part)
    };
    ((joined || parts.clone().any(foreign)) && !parts.any(known)).then_some(name.trim())
}

/// Words for programs that are not those compared.
const OTHERS: &str = "reference implementation command library competitor competitors framework";

/// Words for the build before a change, which need not be its label.
const EARLIER: &str = "before baseline base main master old older original previous prior previously default stock current \
    standard vanilla without with that this its was were other others expected usual normal ever";

/// The variant whose run comes last before this one in the same file.
pub(super) fn previous<'a>(context: &Context<'a>, run: &Run) -> Option<&'a Variant> {
    let before = |other: &Run| {
        other.source.path == run.source.path && other.source.position < run.source.position
    };
    let runs = context
        .group
        .variants
        .iter()
        .filter(|variant| variant.name != run.variant)
        .flat_map(|variant| variant.runs.iter().map(move |other| (variant, other)));
    runs.filter(|(_, other)| before(other))
        .max_by_key(|(_, other)| other.source.position)
        .map(|(variant, _)| variant)
}

fn values(variant: &Variant, metric: &str) -> Vec<Value> {
    variant.runs.iter().filter_map(|run| run.metrics.get(metric).copied()).collect()
}

/// How far the digits that people see leave each value open. A rate that follows from counts is printed with fewer of them: a
/// claim may have been computed from these.
fn digits(variant: &Variant, metric: &str) -> Vec<f64> {
    let open = |run: &Run| {
        let value = run.metrics.get(metric)?;
        let printed = run.info.printed.get(metric);
        let seen = printed.map(|seen| seen.resolution + (seen.value - value.value).abs());
        Some(seen.unwrap_or(value.resolution))
    };
    variant.runs.iter().filter_map(open).collect()
}

/// Values of a metric; `None` unless all are above zero.
fn sample(variant: &Variant, metric: &str) -> Option<Sample> {
    let values = values(variant, metric);
    (!values.is_empty()).then(|| builds::sample(&values)).filter(Sample::is_positive)
}

/// The noise of the runs of this workload, if the change is within it; `None` also if no variant was repeated.
pub(super) fn noise(context: &Context, reading: &Reading) -> Option<Noise> {
    let name = &reading.metric.name;
    let of = |variant| sample(variant, name);
    let repeated: Vec<(&Variant, Sample)> = context
        .group
        .variants
        .iter()
        .filter_map(|variant| Some((variant, of(variant)?)))
        .filter(|(_, sample)| sample.runs() > 1)
        .collect();
    let parts = repeated
        .iter()
        .filter_map(|(_, sample)| Some((sample.log_sd()?.powi(2), (sample.runs() - 1) as f64)));
    let (squares, df) = parts.fold((0.0, 0.0), |(sum, all), (s, df)| (sum + s * df, all + df));
    if df < 1.0 {
        return None;
    }
    let cv = (squares / df).sqrt();
    let (new, old) = (of(reading.new)?.runs(), of(reading.old)?.runs());
    let confidence = context.policy.confidence;
    let z = Student::NORMAL.quantile(0.5 + confidence / 2.0);
    let reach = (z * cv * (1.0 / new as f64 + 1.0 / old as f64).sqrt()).exp_m1();
    let own = (reading.new.name == context.candidate.name)
        && (reading.old.name == context.baseline.name)
        && new.min(old) > 1;
    let inside = if own {
        // The two are judged variants: the claim must get the noise of their row.
        let row = context.rows.iter().find(|row| row.metric.name == *name)?;
        row.p_value? >= context.policy.alpha()
    } else {
        break_even_cv(reading.change.ln_1p(), new, old, confidence) <= cv
    };
    let words = if own {
        "it is within the noise of these runs".to_owned()
    } else {
        let known = match &repeated[..] {
            [(variant, sample)] if sample.runs() == 2 => {
                let (low, high) = (sample.sorted()[0], sample.sorted()[1]);
                format!(
                    "the 2 runs of {} differ by {} (CV {})",
                    variant.name,
                    percent(high / low - 1.0),
                    percent(cv)
                )
            }
            _ => format!("repeated runs have a CV of {}", percent(cv)),
        };
        let runs = if new.max(old) == 1 { "single runs" } else { "such runs" };
        format!(
            "it is within run-to-run noise: {known}, and {runs} with this noise differ by up to {} with nothing changed \
             (at {})",
            percent(reach),
            crate::format::chosen(confidence)
        )
    };
    inside.then_some(Noise { cv, reach, words })
}
