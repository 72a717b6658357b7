//! The meaning of a claim's words: metrics, a statistic, a direction; in English, Chinese, Korean or Japanese.

use std::collections::BTreeMap;

use crate::metrics::words::{self, Quantity, Says};
use crate::metrics::{Family, Metric, Statistic};
use crate::runs::{Claim, Workload};
use crate::units::Better;

/// The meaning of the words around a percentage.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Meaning {
    /// The words, in small letters.
    text: String,
    subjects: Vec<Subject>,
    /// Statistics over requests that are named; empty where none is.
    statistics: Vec<Statistic>,
    way: Option<Way>,
    /// A word or sign that makes the percentage no change.
    other: Option<&'static str>,
    /// Another quantity that the percentage measures, if the words name one, unless it is measured here.
    elsewhere: Option<&'static str>,
    /// The words of a share, a count or a cost that the lexicon of columns knows, where no subject is named.
    quantity: Option<String>,
    /// Whether the words speak of a difference without its direction.
    differs: bool,
    /// A word that makes the percentage a share, if no word gives a direction.
    share: Option<&'static str>,
}

/// The quantity that a percentage is about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Subject {
    Family(Family),
    /// A metric by its name.
    Named(&'static str),
    /// Metrics with one of these words in their name.
    Worded(&'static [&'static str]),
    /// Any rate of work, but not the time it takes.
    Rate,
    /// The time that all work takes.
    Duration,
    /// Any latency of requests.
    Latency,
}

/// A direction in words.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Up,
    Down,
    Better,
    Worse,
}

/// Words for a load of requests.
const OF_REQUESTS: &[&str] = &[
    "every load",
    "each load",
    "any load",
    "same load",
    "under load",
    "full load",
    "high load",
    "low load",
    "constant load",
    "this load",
    "that load",
    "offered load",
];

/// Words for changes of a time or a rate.
const SPEED: &[&str] = &[
    "faster", "slower", "quicker", "speedup", "speed-up", "更快", "变快", "变慢", "빨라", "느려",
    "速く", "遅く",
];

/// Words for a subject; those in ASCII are whole words. The more special ones come first.
const SUBJECTS: &[(Subject, &[&str])] = &[
    (
        Subject::Family(Family::Ttft),
        &[
            "ttft",
            "time to first token",
            "first token",
            "first-token",
            "首token",
            "首 token",
            "首字",
            "首包",
            "첫 토큰",
        ],
    ),
    (
        Subject::Family(Family::Tpot),
        &["tpot", "time per output token", "每token", "每 token", "单token"],
    ),
    (Subject::Family(Family::Itl), &["itl", "inter-token", "inter token", "token间"]),
    (Subject::Family(Family::E2el), &["e2el", "e2e", "end-to-end", "end to end", "端到端"]),
    (
        Subject::Named("output_throughput"),
        &["output throughput", "output token", "输出吞吐", "출력 처리량"],
    ),
    (
        Subject::Named("request_throughput"),
        &[
            "request throughput",
            "req/s",
            "qps",
            "rps",
            "requests/s",
            "requests/sec",
            "requests/second",
            "requests per second",
        ],
    ),
    (
        Subject::Named("total_token_throughput"),
        &["total throughput", "total token throughput", "总吞吐", "총 처리량"],
    ),
    (
        Subject::Rate,
        &[
            "throughput",
            "吞吐",
            "처리량",
            "スループット",
            "tok/s",
            "tokens/s",
            "token/s",
            "tps",
            "tokens per second",
        ],
    ),
    (
        Subject::Duration,
        &[
            "duration",
            "wall time",
            "run time",
            "runtime",
            "耗时",
            "用时",
            "总时间",
            "时长",
            "소요 시간",
            "실행 시간",
            "所要時間",
            "実行時間",
        ],
    ),
    (
        Subject::Latency,
        &[
            "latency",
            "latencies",
            "时延",
            "延迟",
            "响应时间",
            "지연",
            "응답 시간",
            "レイテンシ",
            "遅延",
        ],
    ),
];

/// Groups of words for one quantity, whatever measures it.
const QUANTITIES: &[&[&str]] = &[
    &["decode", "decodes", "decoding", "generation", "gen", "tg", "output", "解码"],
    &["prefill", "prompt", "input", "pp", "预填充"],
    &["power", "功耗"],
    &["energy", "joules", "能耗"],
    &["cost", "成本"],
    &["memory", "mem", "vram", "rss", "显存", "内存"],
    &["load", "loading", "startup", "加载", "启动"],
    &["compile", "compilation", "编译"],
    &["bandwidth", "带宽"],
    &["accuracy", "acc", "精度", "准确"],
    &["loss", "perplexity", "ppl"],
];

/// Words that make a following percentage a share.
const SHARES: &[&str] = &["at", "with", "within", "under", "using", "over", "for"];

/// Starts of English words, and Chinese words, that give a direction.
const WAYS: &[(Way, &[&str])] = &[
    (
        Way::Worse,
        &[
            "slower", "worse", "regress", "degrad", "劣化", "恶化", "退化", "慢", "느려", "저하",
            "악화", "悪化", "遅く",
        ],
    ),
    (
        Way::Better,
        &[
            "faster",
            "beat",
            "better",
            "improv",
            "speedup",
            "speed-up",
            "speed up",
            "gain",
            "uplift",
            "outperform",
            "提升",
            "提高",
            "改善",
            "优化",
            "向上",
            "高速化",
            "快",
            "향상",
            "개선",
            "빨라",
            "빠르",
            "改善",
            "速く",
        ],
    ),
    (
        Way::Down,
        &[
            "reduc",
            "decreas",
            "drop",
            "lower",
            "fewer",
            "less",
            "short",
            "smaller",
            "is down",
            "are down",
            "went down",
            "down by",
            "fell",
            "falls",
            "shrank",
            "降",
            "减",
            "缩短",
            "短縮",
            "감소",
            "단축",
            "줄었",
            "줄어",
            "하락",
            "低下",
            "削減",
            "低減",
        ],
    ),
    (
        Way::Up,
        &[
            "increas", "higher", "more", "rise", "rose", "longer", "larger", "bigger", "is up",
            "are up", "went up", "up by", "grew", "增", "升", "涨", "증가", "늘었", "상승", "増加",
            "増え",
        ],
    ),
];

/// Words for a difference without its direction.
const DIFFERENCES: &[&str] = &["gap", "difference", "differ", "差距", "相差"];

/// The word for single repeats that a text speaks of, by their numbers: `(rounds 2–3)`, `in run 1: `. Runs from the first on are all
/// runs, and in `run 1000 requests` the number counts something else.
fn single_run(text: &str) -> Option<&'static str> {
    let ends = |number: &str| {
        let rest = number.trim_start_matches(|c: char| c.is_ascii_digit() || "-–".contains(c));
        rest.is_empty() || rest.starts_with([')', ']', ':', ';'])
    };
    let numbered = |word: &&str| {
        text.match_indices(*word).any(|(at, _)| {
            let begins = !text[..at].ends_with(char::is_alphanumeric);
            let rest = text[at + word.len()..].trim_start_matches('s').strip_prefix(' ');
            let number = rest.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            begins
                && number.is_some_and(|rest| {
                    !["1-", "1–"].iter().any(|all| rest.starts_with(all)) && ends(rest)
                })
        })
    };
    ["round", "run", "trial", "repeat"].into_iter().find(numbered)
}

/// Whether the first percentage is the level of an interval: `95% interval`, `95 % CI`, `95% confidence`.
pub(super) fn is_level(text: &str) -> bool {
    let behind = text.split_once(['%', '％']).map_or("", |(_, behind)| behind);
    let word = behind.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
    word.is_some_and(|word| ["interval", "ci", "confidence"].contains(&&*word.to_lowercase()))
}

/// The word for a scatter directly before its percentage: `drift ~8%`.
fn scatter(text: &str) -> Option<&'static str> {
    let stated = |word: &&str| {
        text.match_indices(*word).any(|(at, _)| {
            let rest = text[at + word.len()..].trim_start_matches(" of ");
            let number = rest.trim_start_matches([' ', '~', '≈']);
            let behind = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            behind.len() < number.len() && behind.trim_start().starts_with(['%', '％'])
        })
    };
    ["drift", "jitter", "variation", "deviation"].into_iter().find(stated)
}

/// Signs and words of percentages that are no change, even beside a metric.
const NO_CHANGE: &[&str] = &[
    "±",
    "noise",
    "cv",
    "variance",
    "confidence",
    "ci",
    "no more than",
    "not more than",
    "at most",
    "less than",
    "噪声",
    "波动",
    "抖动",
    "误差",
    "不超过",
    "以内",
    "小于",
];

/// Other quantities in percent, if no metric is named.
const OTHER: &[&str] = &[
    "util",
    "usage",
    "hit rate",
    "accura",
    "accept",
    "memory",
    "利用率",
    "占用",
    "命中",
    "精度",
    "准确",
    "接受率",
    "显存",
    "内存",
];

/// Other quantities as whole words: `accelerated` is none.
const OTHER_WHOLE: &[&str] = &["acc", "count"];

impl Meaning {
    pub(super) fn of(words: &str) -> Self {
        let whole = words.to_lowercase().replace(" percent", "%").replace(" per cent", "%");
        let whole = without_deviation(&whole[..next_comparison(&whole)]);
        // Of two statements the one with the change names its metric, if it names any: `decodes 3% faster; first-token latency ...`.
        let own = statement(&whole).or_else(|| last_statement(&whole));
        let own = own.filter(|own| names_quantity(own));
        let text = own_clauses(own.unwrap_or(&whole));
        let mut subjects = subjects(&text);
        // "Output throughput" is one throughput, and "TTFT latency" one latency.
        if subjects.iter().any(|subject| matches!(subject, Subject::Named(_))) {
            subjects.retain(|subject| *subject != Subject::Rate);
        }
        if subjects.iter().any(|subject| matches!(subject, Subject::Family(_))) {
            subjects.retain(|subject| *subject != Subject::Latency);
        }
        let way = nearest_way(&text);
        // In "TTFT lower, accuracy 98%" the percentage belongs to its own clause.
        let clause = clause(&text);
        let of_metric = !self::subjects(clause).is_empty();
        let named = |text: &str, list: &'static [&'static str], whole: bool| {
            list.iter().find(|name| stands_in(text, name, whole)).copied()
        };
        let other =
            named(&text, NO_CHANGE, true).or_else(|| single_run(&text)).or_else(|| scatter(&text));
        let elsewhere = named(clause, OTHER, false).or(named(clause, OTHER_WHOLE, true));
        let elsewhere = elsewhere.filter(|_| !of_metric);
        // `at every load` is no time of loading.
        let plain = OF_REQUESTS.iter().fold(text.clone(), |text, load| text.replace(load, " "));
        let quantities = QUANTITIES
            .iter()
            .filter(|words| words.iter().any(|word| stands_in(&plain, word, true)));
        subjects.extend(quantities.map(|words| Subject::Worded(words)));
        let share = named(clause, OTHER, false).or_else(|| {
            let before = &clause[..clause.find(['%', '％'])?];
            let word = before
                .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
                .trim_end()
                .rsplit(' ')
                .next()?;
            SHARES.iter().find(|share| **share == word).copied()
        });
        let quantity = named_quantity(clause).or_else(|| counted_thing(clause));
        let quantity = quantity.filter(|_| subjects.is_empty());
        let differs = DIFFERENCES.iter().any(|word| stands_in(clause, word, false));
        let statistics = statistics(&text);
        Self { text, subjects, statistics, way, other, elsewhere, quantity, differs, share }
    }

    /// Whether a word gives a direction.
    pub(super) fn says_direction(&self) -> bool {
        self.way.is_some()
    }

    pub(super) fn names_a_metric(&self) -> bool {
        !self.subjects.is_empty() || self.quantity.is_some()
    }

    /// Whether the claim says by its sign or its words that a value rose, whatever the metric; `None` where it only praises.
    pub(super) fn said_to_rise(&self, claim: &Claim) -> Option<bool> {
        claim.up.or(match self.way? {
            Way::Up => Some(true),
            Way::Down => Some(false),
            Way::Better | Way::Worse => None,
        })
    }

    /// Whether the words name a metric that benchmarks of servers share, such as TTFT: another metric is not meant.
    pub(super) fn names_a_standard(&self) -> bool {
        let standard =
            |subject: &Subject| matches!(subject, Subject::Family(_) | Subject::Named(_));
        self.subjects.iter().any(standard)
    }

    /// Whether the words name no percentile, or that of this metric.
    pub(super) fn allows_statistic_of(&self, metric: &Metric) -> bool {
        let percentile = |statistic: &&Statistic| {
            !matches!(statistic, Statistic::Mean | Statistic::Median | Statistic::Extreme)
        };
        let mut named = self.statistics.iter().filter(percentile).peekable();
        named.peek().is_none() || named.any(|statistic| *statistic == metric.statistic)
    }

    /// The words themselves, in small letters.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether the words name a kind of metric: latencies, rates, times.
    pub(super) fn names_a_kind(&self) -> bool {
        self.subjects.iter().any(|subject| !matches!(subject, Subject::Worded(_)))
    }

    /// Whether the quantity that the words name is that of the cell, whose words are given.
    pub(super) fn is_of_cell(&self, cell: &str) -> bool {
        let mut worded = self.subjects.iter().filter_map(|subject| match subject {
            Subject::Worded(words) => Some(*words),
            _ => None,
        });
        worded.any(|words| words.iter().any(|word| stands_in(cell, word, true)))
    }

    /// Whether the words say that something is faster or slower.
    pub(super) fn speaks_of_speed(&self) -> bool {
        SPEED.iter().any(|word| self.text.contains(word))
    }

    /// The same words with their mean or median as one over the runs, which says nothing of the metric.
    pub(super) fn over_runs(&self) -> Option<Self> {
        let over = |statistic: &Statistic| matches!(statistic, Statistic::Mean | Statistic::Median);
        let all = !self.statistics.is_empty() && self.statistics.iter().all(over);
        let runs = ["of-runs", "of runs", "over runs", "over the runs"];
        let said = runs.iter().any(|words| self.text.contains(words));
        let only = self.subjects.iter().all(|subject| !matches!(subject, Subject::Family(_)));
        (all && (said || only)).then(|| Self { statistics: Vec::new(), ..self.clone() })
    }

    /// The reason why the percentage is no change; `measured` says whether a metric has a word in its name.
    pub(super) fn no_change(
        &self,
        claim: &Claim,
        measured: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let elsewhere = self.elsewhere.filter(|word| !measured(word));
        if let Some(word) = self.other.or(elsewhere) {
            return Some(format!("\"{word}\" means something other than a change of a metric"));
        }
        if let Some(word) = self.share.filter(|_| self.way.is_none() && claim.up.is_none()) {
            return Some(format!("\"{word}\" makes it a share, not a change"));
        }
        let bare =
            self.subjects.is_empty() && self.way.is_none() && !self.differs && claim.up.is_none();
        bare.then(|| "it names neither a metric nor a direction".to_owned())
    }

    /// Whether the words can mean this metric; without a named statistic, a total, mean or median.
    pub(super) fn fits(&self, metric: &Metric) -> bool {
        if let Some(words) = &self.quantity {
            return shares_a_word(words, &format!("{} {}", metric.name, metric.label));
        }
        let of_requests = metric.is_latency();
        let statistic = match metric.statistic {
            Statistic::Total => true,
            Statistic::Mean | Statistic::Median | Statistic::Unknown
                if self.statistics.is_empty() =>
            {
                true
            }
            other => self.statistics.contains(&other),
        };
        let quantity = words::meaning(&metric.name).quantity;
        let name = format!("{} {}", metric.name.replace('_', " "), metric.label).to_lowercase();
        let worded = |words: &[&str]| words.iter().any(|word| stands_in(&name, word, true));
        // "Decode throughput" is a throughput.
        let mut quantities = self.subjects.iter().filter_map(|subject| match subject {
            Subject::Worded(words) => Some(*words),
            _ => None,
        });
        let kinds = self.subjects.iter().any(|subject| !matches!(subject, Subject::Worded(_)));
        // The time per token is the time of decoding, and so is what programs call that of evaluation, unless of a prompt.
        let evaluates = || stands_in(&name, "eval", true) && !stands_in(&name, "prompt", true);
        let decodes = |words: &[&str]| {
            let of_tokens = || matches!(metric.family, Family::Tpot | Family::Itl);
            words.contains(&"decode") && (of_tokens() || evaluates())
        };
        if !kinds {
            return quantities.any(|words| worded(words) || statistic && decodes(words));
        }
        let named = self
            .subjects
            .iter()
            .any(|subject| matches!(subject, Subject::Named(_) | Subject::Family(_)));
        statistic
            && (named || quantities.all(worded))
            && self.subjects.iter().any(|subject| match subject {
                Subject::Worded(_) => false,
                Subject::Family(family) => metric.family == *family,
                Subject::Named(name) => metric.name == *name,
                Subject::Rate => {
                    (metric.family == Family::Throughput || quantity == Quantity::Throughput)
                        && metric.better == Some(Better::Higher)
                }
                Subject::Duration => {
                    (metric.family == Family::Throughput || quantity == Quantity::Time)
                        && metric.better == Some(Better::Lower)
                }
                Subject::Latency => of_requests || quantity == Quantity::Latency,
            })
    }

    /// Of metrics that the words can mean those of a peak, where the words say so and one was measured.
    pub(super) fn of_peak(&self, metrics: Vec<Metric>) -> Vec<Metric> {
        let extreme = |metric: &Metric| metric.statistic == Statistic::Extreme;
        if !self.statistics.contains(&Statistic::Extreme) || !metrics.iter().any(extreme) {
            return metrics;
        }
        metrics.into_iter().filter(extreme).collect()
    }

    /// The metrics of each family that the words name, if they name several families.
    pub(super) fn families(&self, metrics: &[Metric]) -> Vec<Vec<Metric>> {
        let of = |family: Family| -> Vec<Metric> {
            metrics.iter().filter(|metric| metric.family == family).cloned().collect()
        };
        let families = self.subjects.iter().filter_map(|subject| match subject {
            Subject::Family(family) => Some(of(*family)),
            _ => None,
        });
        families.filter(|metrics| !metrics.is_empty()).collect()
    }

    /// Whether the claim says that the metric rose; `None` if it gives no direction.
    pub(super) fn rose(&self, claim: &Claim, metric: &Metric) -> Option<bool> {
        let higher = metric.better.map(|better| better == Better::Higher);
        claim.up.or_else(|| match self.way? {
            Way::Up => Some(true),
            Way::Down => Some(false),
            Way::Better => higher,
            Way::Worse => higher.map(|higher| !higher),
        })
    }
}

/// The direction that the word nearest to the percentage gives: `~20% latency increase from AllGather/ReduceScatter`.
fn nearest_way(text: &str) -> Option<Way> {
    let clause = clause(text);
    let start = text.find(clause).unwrap_or(0);
    let percent = clause.find(['%', '％']).map(|at| start + at);
    let told = WAYS.iter().flat_map(|(way, names)| names.iter().map(move |name| (*way, *name)));
    let places = told.flat_map(|(way, name)| {
        let found = text.match_indices(name).filter(|(at, _)| starts_word(text, *at, name));
        let away = move |at: usize| match percent {
            Some(percent) if at > percent => at - percent,
            Some(percent) => percent.saturating_sub(at + name.len()),
            None => 0,
        };
        found.map(move |(at, _)| (away(at), way))
    });
    // Of two at one place the first of the list counts.
    places.min_by_key(|(distance, _)| *distance).map(|(_, way)| way)
}

/// The thing that a clause counts, behind the word for its direction: `62.9% fewer migrations`; times and rates are no things.
fn counted_thing(clause: &str) -> Option<String> {
    let (_, behind) = [" more ", " fewer "].iter().find_map(|word| clause.split_once(word))?;
    let word = behind.split(|c: char| !c.is_alphanumeric() && c != '-').next()?;
    let quantity = words::meaning(word).quantity;
    let timed = matches!(quantity, Quantity::Time | Quantity::Latency | Quantity::Throughput);
    (!timed && word.len() > 2 && word.ends_with('s')).then(|| word.to_owned())
}

/// The words before that for a direction, if they name something counted or measured.
fn named_quantity(clause: &str) -> Option<String> {
    let ways = WAYS.iter().flat_map(|(_, names)| *names);
    let way = ways.filter_map(|name| clause.find(name)).min()?;
    let subject = clause[..way].trim_matches(|c: char| !c.is_alphanumeric());
    let meaning = words::meaning(subject);
    let counted = meaning.says == Says::Count && subject.contains(' ');
    (counted || meaning.says == Says::Measured).then(|| subject.to_owned())
}

/// The words without the figures of other changes: a sentence goes on after `TTFT is 5 % lower, `.
pub(super) fn without_figures(text: &str) -> String {
    text.replace(['%', '％', '×', '倍'], " ").trim().to_owned()
}

/// The words of a cell, in small letters.
pub(super) fn of_cell(workload: &Workload) -> String {
    let fields = [&workload.label, &workload.model, &workload.dataset].into_iter().flatten();
    let other = workload.other.iter().flat_map(|(name, value)| [name, value]);
    fields.chain(other).map(|text| text.to_lowercase()).collect::<Vec<_>>().join(" ")
}

/// A name in code marks that is what changed, with at most three words between it and the figure: `hcom_allReduce` of
/// `` `hcom_allReduce` is 15 % slower ``.
pub(super) fn quoted_name(text: &str) -> Option<&str> {
    let end = figure_at(&text.to_lowercase());
    let end = if text.is_char_boundary(end) { end } else { text.len() };
    let (before, between) = text[..end].rsplit_once('`')?;
    let (_, name) = before.rsplit_once('`')?;
    let near = between.split_whitespace().count() <= 3 && !between.contains([',', '，', ';']);
    let coined = name.contains('_') && name.starts_with(|c: char| c.is_ascii_alphabetic());
    (near && coined).then_some(name)
}

/// Whether a word stands in the name of a metric.
pub(super) fn has(metric: &Metric, word: &str) -> bool {
    format!("{} {}", metric.name, metric.label).to_lowercase().contains(word)
}

/// Words of names that tell no two metrics apart.
const OF_ANY: &str =
    "mean median average avg time ms us ns sec tok tokens token per total the and of in s";

/// The metrics of `measured` that the words call by their own names: those with most words of their name in the text, of the words
/// that not all metrics have.
pub(super) fn called(text: &str, measured: &[Metric]) -> Vec<Metric> {
    let lower = text.to_lowercase();
    let names: Vec<(&Metric, Vec<String>)> =
        measured.iter().map(|metric| (metric, name_words(metric))).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for word in names.iter().flat_map(|(_, words)| words) {
        *counts.entry(word).or_default() += 1;
    }
    let tells = |word: &&String| names.len() == 1 || counts[&***word] < names.len();
    let score = |words: &[String]| {
        words.iter().filter(tells).filter(|word| stands_in(&lower, word, true)).count()
    };
    let scores: Vec<usize> = names.iter().map(|(_, words)| score(words)).collect();
    let most = scores.iter().copied().max().unwrap_or(0);
    let best = names.iter().zip(scores).filter(|(_, score)| most > 0 && *score == most);
    best.map(|((metric, _), _)| (*metric).clone()).collect()
}

/// The only metric of `measured` whose name has two words at least and stands in a text with all of them.
pub(super) fn wholly_called(text: &str, measured: &[Metric]) -> Option<Metric> {
    let lower = text.to_lowercase();
    let whole = |metric: &&Metric| {
        let words = name_words(metric);
        words.len() > 1 && words.iter().all(|word| stands_in(&lower, word, true))
    };
    let mut found = measured.iter().filter(whole);
    found.next().filter(|_| found.next().is_none()).cloned()
}

/// The words of the name of a metric, each once; of Chinese each two neighbouring characters.
fn name_words(metric: &Metric) -> Vec<String> {
    let lower = metric.name.to_lowercase();
    let mut all: Vec<String> = Vec::new();
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if word.is_ascii() {
            let known = OF_ANY.split(' ').any(|other| other == word);
            let letters = word.chars().any(|c| c.is_ascii_alphabetic());
            all.extend(Some(word.to_owned()).filter(|_| letters && !known && word.len() > 2));
        } else {
            let chars: Vec<char> = word.chars().filter(|c| !c.is_ascii()).collect();
            all.extend(chars.windows(2).map(|two| two.iter().collect()));
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The thing that a factor multiplies, where the words between the factor and a metric are in the name of none: `matched AR` in
/// `3.08× matched AR throughput`.
pub(super) fn multiplied(text: &str) -> Option<&str> {
    let factor = |at: usize, mark: &str| {
        let rest = text[at + mark.len()..].strip_prefix(' ')?;
        text[..at].ends_with(|c: char| c.is_ascii_digit()).then_some(rest)
    };
    let rest = text.match_indices(['x', '×']).find_map(|(at, mark)| factor(at, mark))?;
    let metric = |word: &str| !subjects(&word.to_lowercase()).is_empty();
    let end = rest.split(' ').take_while(|word| !metric(word)).map(|word| word.len() + 1).sum();
    let between = rest.get(..end)?.trim();
    let known = |word: &str| {
        let lower = word.to_lowercase();
        let mut parts = lower.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
        let directed =
            WAYS.iter().flat_map(|(_, starts)| *starts).any(|start| lower.starts_with(start));
        let quantity = |part: &str| QUANTITIES.iter().any(|words| words.contains(&part));
        directed || parts.any(|part| quantity(part) || words::is_known(part))
    };
    (!between.is_empty() && !between.split(' ').any(known)).then_some(between)
}

/// A measured value behind a percentage, which it compares with: the 22.967 of `6.65% below the result of 22.967 TPS`.
pub(super) fn compared_value(text: &str) -> Option<f64> {
    let (_, behind) = text.split_once(['%', '％'])?;
    let value = |word: &str| -> Option<f64> {
        let bare = word.trim_matches(|c: char| !c.is_ascii_digit());
        let digits = bare.chars().filter(char::is_ascii_digit).count();
        let whole = word.ends_with(|c: char| c.is_ascii_digit() || ",;)".contains(c));
        let measured = digits > 2 && bare.matches('.').count() == 1 && whole;
        bare.replace(',', "").parse().ok().filter(|_| measured)
    };
    let named = behind.split(['[', '(']).next().unwrap_or_default();
    let comparing = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphabetic());
        ["below", "above", "under", "over", "than", "of"].contains(&bare)
    };
    named.split_whitespace().skip_while(|word| !comparing(word)).find_map(value)
}

/// Words that join several changes.
const JOINED: &[&str] = &["combined with", "together with", "in combination with"];

/// Whether the words are about several changes together.
pub(super) fn joins_changes(text: &str) -> bool {
    let lower = text.to_lowercase();
    JOINED.iter().any(|words| lower.contains(words))
}

/// Fewest letters at the start of two words that make them the same: `allocations`, `allocs`.
const STEM: usize = 4;

/// Whether two texts have a word in common.
fn shares_a_word(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let lower = text.to_lowercase();
        lower.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect()
    };
    let stem = |word: &str| word.chars().take(STEM).collect::<String>();
    let others = words(other);
    words(one)
        .iter()
        .filter(|word| word.chars().count() >= STEM || !word.is_ascii())
        .any(|word| others.iter().any(|other| !other.is_empty() && stem(word) == stem(other)))
}

fn subjects(text: &str) -> Vec<Subject> {
    SUBJECTS
        .iter()
        .filter(|(_, names)| names.iter().any(|name| stands_in(text, name, true)))
        .map(|(subject, _)| *subject)
        .collect()
}

/// The statement between semicolons, full stops or dashes that contains the percentage, where the text has others.
fn statement(text: &str) -> Option<&str> {
    let separates = [';', '；', '。', '—'];
    let mut parts = text.split(separates);
    parts.find(|part| text.contains(separates) && part.contains(['%', '％']))
}

/// The text with a factor in words as a sign, and without its deviation: `1.52x faster` for `1.52 ± 0.10 times faster`.
fn without_deviation(text: &str) -> String {
    let Some((before, behind)) = text.split_once(" times ") else { return text.to_owned() };
    if !before.ends_with(|c: char| c.is_ascii_digit()) {
        return text.to_owned();
    }
    let sd = before.rsplit_once(" ± ");
    let sd = sd.filter(|(_, sd)| sd.chars().all(|c| c.is_ascii_digit() || c == '.'));
    format!("{}x {behind}", sd.map_or(before, |(ratio, _)| ratio))
}

/// The place of the figure of a claim: the number before the first percent sign, or before the first sign for times.
fn figure_at(text: &str) -> usize {
    let digits = |c: char| c.is_ascii_digit() || c == '.';
    let times = || {
        let mut marks = text.match_indices(['x', '×', '倍']).map(|(at, _)| at);
        marks.find(|at| text[..*at].ends_with(|c: char| c.is_ascii_digit()))
    };
    let Some(end) = text.find(['%', '％']).or_else(times) else { return text.len() };
    let number = text[..end].trim_end();
    number.trim_end_matches(digits).len()
}

/// Words before a figure that name nothing.
const SMALL: &str = "and or versus a an about by only up to the it its is was with at roughly around another then also even just of for in vs \
    against than yet but so that this these still nearly almost over under more less";

/// Whether the words before the figure of a claim name nothing but the direction and variants, in small letters.
pub(super) fn names_nothing(text: &str, variants: &[String]) -> bool {
    let lower = text.to_lowercase();
    let mut before = lower[..figure_at(&lower)].to_owned();
    for word in WAYS.iter().flat_map(|(_, words)| *words).filter(|word| !word.is_ascii()) {
        before = before.replace(word, " ");
    }
    let mut words = before.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| {
        SMALL.split(' ').any(|small| small == word)
            || ["约", "即", "了", "还", "也", "再"].contains(&word)
            || WAYS.iter().flat_map(|(_, starts)| *starts).any(|start| word.starts_with(start))
            || variants.iter().any(|variant| variant.contains(word))
    })
}

/// The place behind the figure where the words begin another comparison: `4x faster decoding and more efficient use of memory`.
fn next_comparison(text: &str) -> usize {
    let figure = text.find(['%', '％', '×', '倍']).or_else(|| {
        let mut marks = text.match_indices('x').map(|(at, _)| at);
        marks.find(|at| text[..*at].ends_with(|c: char| c.is_ascii_digit()))
    });
    let from = figure.unwrap_or(text.len());
    let begins =
        ["more", "less", "lower", "higher", "better", "fewer", "faster", "slower", "reduc"];
    let mut behind = text[from..].match_indices(" and ");
    let found = behind.find(|(at, mark)| {
        let rest = &text[from + at + mark.len()..];
        begins.iter().any(|word| rest.starts_with(word))
    });
    found.map_or(text.len(), |(at, _)| from + at)
}

/// The statement with the figure behind another one with a verb: `memory stays the same, and throughput is 30 % higher`.
fn last_statement(text: &str) -> Option<&str> {
    let figure = figure_at(text);
    let marks = [", and ", ", but ", ", while ", "，"];
    let cut =
        marks.iter().filter_map(|mark| Some(text[..figure].rfind(mark)? + mark.len())).max()?;
    let verbs = [" is ", " are ", " was ", " were ", " stays ", " stay ", " remains ", "不变"];
    verbs.iter().any(|verb| text[..cut].contains(verb)).then_some(&text[cut..])
}

/// Whether a text names a metric or a quantity.
fn names_quantity(text: &str) -> bool {
    let mut quantities = QUANTITIES.iter().flat_map(|words| words.iter());
    !subjects(text).is_empty() || quantities.any(|word| stands_in(text, word, true))
}

/// A text without the clauses behind that with the figure that name another quantity, where that names its own: `TPOT is down 7.4%, TTFT
/// is within noise`.
fn own_clauses(text: &str) -> String {
    let own = clause(text);
    let at = text.find(own).unwrap_or(0) + own.len();
    if subjects(own).is_empty() {
        return text.to_owned();
    }
    let (own, behind) = text.split_at(at);
    let mut parts = behind.split(", ");
    let first = parts.next().unwrap_or_default();
    let kept = parts.take_while(|part| !names_quantity(part));
    std::iter::once(first).chain(kept).fold(own.to_owned(), |text, part| match part {
        "" => text,
        part => format!("{text}, {part}"),
    })
}

/// The clauses of a text, between commas or dashes.
fn parts_of(text: &str) -> impl Iterator<Item = &str> + Clone {
    let parts = text.split([';', '，', '；', '。', '—']).flat_map(|part| part.split(", "));
    parts.flat_map(|part| part.split("&mdash;"))
}

/// The clause between commas or dashes that contains the percentage, or else the factor.
fn clause(text: &str) -> &str {
    let mut parts = parts_of(text);
    let factor = |part: &&str| {
        part.match_indices(['x', '×', '倍'])
            .any(|(at, _)| part[..at].ends_with(|c: char| c.is_ascii_digit()))
    };
    let percent = |part: &&str| part.contains(['%', '％']);
    let multiple = |part: &&str| {
        [" times", "doubl", "tripl", "halved", "halves", "翻倍", "减半"]
            .iter()
            .any(|word| part.contains(word))
    };
    let factor = |part: &&str| factor(part) || multiple(part);
    let found = parts.clone().find(percent).or_else(|| parts.find(factor));
    found.unwrap_or(text)
}

/// Whether `name` is in the text; an ASCII name at the start of a word, or as a whole word.
fn stands_in(text: &str, name: &str, whole: bool) -> bool {
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let ascii = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    text.match_indices(name).any(|(at, _)| {
        let after = letter(text[at + name.len()..].chars().next());
        starts_word(text, at, name) && !(ascii && whole && after)
    })
}

/// Whether a name at a place in a text starts a word; in other scripts anything does.
fn starts_word(text: &str, at: usize, name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric();
    !name.starts_with(letter) || !text[..at].ends_with(letter)
}

fn statistics(text: &str) -> Vec<Statistic> {
    let mut found = Vec::new();
    let has = |names: &[&str]| names.iter().any(|name| stands_in(text, name, true));
    if has(&["mean", "average", "avg", "平均", "均值"]) {
        found.push(Statistic::Mean);
    }
    if has(&["median", "p50", "中位"]) {
        found.push(Statistic::Median);
    }
    if has(&["peak", "峰值"]) {
        found.push(Statistic::Extreme);
    }
    // `fp8` is no percentile.
    for (at, _) in text.match_indices('p').filter(|(at, p)| starts_word(text, *at, p)) {
        let digits: String =
            text[at + 1..].chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        let level = digits.trim_end_matches('.');
        // The registry knows what a P99 is.
        let metric = Metric::known(&format!("p{level}_ttft_ms"));
        found.extend(metric.filter(|_| !level.is_empty()).map(|metric| metric.statistic));
    }
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A peak is that of the metric of peaks, where one was measured.
    #[test]
    fn a_peak_is_a_metric_of_its_own() {
        let both = || ["output_throughput", "max_output_tokens_per_s"].map(Metric::named).to_vec();
        let peak = Meaning::of("peak throughput has been increased by 4.20%");
        assert!(both().iter().all(|metric| peak.fits(metric)));
        let names = |metrics: Vec<Metric>| -> Vec<String> {
            metrics.into_iter().map(|metric| metric.name).collect()
        };
        assert_eq!(names(peak.of_peak(both())), ["max_output_tokens_per_s"]);
        assert_eq!(names(peak.of_peak(both()[..1].to_vec())), ["output_throughput"]);
        let plain = Meaning::of("throughput has been increased by 4.20%");
        assert_eq!(names(plain.of_peak(both())).len(), 2);
    }

    fn names(words: &str) -> Vec<&'static str> {
        let all = [
            "output_throughput",
            "request_throughput",
            "duration",
            "mean_ttft_ms",
            "median_ttft_ms",
            "p99_ttft_ms",
            "mean_tpot_ms",
            "mean_itl_ms",
            "mean_e2el_ms",
        ];
        let meaning = Meaning::of(words);
        all.into_iter().filter(|name| meaning.fits(&Metric::named(name))).collect()
    }

    #[test]
    fn words_name_metrics_in_two_languages() {
        for (words, expected) in [
            ("TTFT ⬇️ 3.44%", &["mean_ttft_ms", "median_ttft_ms"][..]),
            ("Mean TTFT 3.34% ⬇️", &["mean_ttft_ms"]),
            ("P99 TTFT -3%", &["p99_ttft_ms"]),
            ("mean_ttft_ms: -3%", &["mean_ttft_ms"]),
            ("吞吐提升 3%", &["output_throughput", "request_throughput"]),
            ("QPS +3%", &["request_throughput"]),
            ("总耗时减少 3%", &["duration"]),
            ("首token时延降低 3%", &["mean_ttft_ms", "median_ttft_ms"]),
            ("平均时延降低 3%", &["mean_ttft_ms", "mean_tpot_ms", "mean_itl_ms", "mean_e2el_ms"]),
            ("TPOT and ITL 3% lower", &["mean_tpot_ms", "mean_itl_ms"]),
            ("title 3%", &[]),
            ("first token latency -4.8%", &["mean_ttft_ms", "median_ttft_ms"]),
            // S7: none of these is measured here.
            ("prefill -4.8%", &[]),
            ("power -4.8%", &[]),
            ("cost -4.8%", &[]),
            ("decode 1.3x faster", &["output_throughput", "mean_tpot_ms", "mean_itl_ms"]),
        ] {
            assert_eq!(names(words), expected, "{words}");
        }
    }

    /// A share or a count is that of a metric with its word, and of no other.
    #[test]
    fn another_quantity_is_looked_for_among_the_metrics() {
        let fits = |words: &str, metric: &str| Meaning::of(words).fits(&Metric::named(metric));
        assert!(fits("allocations reduced by 12%", "allocs_per_op"));
        assert!(!fits("allocations reduced by 12%", "output_throughput"));
        assert!(fits("energy reduced by 5%", "energy_joules"));
        assert!(!fits("数据库CPU使用率降低: 70%", "output_throughput"));
        assert!(!fits("62.9% fewer migrations", "output_throughput"));
        assert!(fits("about 27% more requests", "requests_served"));
        assert!(!Meaning::of("27% more throughput").fits(&Metric::named("mean_ttft_ms")));
        // Without a quantity the deciding metrics are meant.
        assert!(!Meaning::of("improved by 12%").names_a_metric());
    }

    #[test]
    fn the_direction_is_that_of_the_metric_where_words_praise() {
        let (ttft, rate) = (Metric::named("mean_ttft_ms"), Metric::named("output_throughput"));
        let claim = |up| Claim {
            text: String::new(),
            before: String::new(),
            size: 0.03,
            resolution: 0.005,
            up,
            values: None,
            metric: None,
            closing: false,
            doubt: None,
            source: crate::runs::Source::default(),
        };
        let rose = |words: &str, metric| Meaning::of(words).rose(&claim(None), metric);
        assert_eq!(rose("TTFT 提升 3%", &ttft), Some(false));
        assert_eq!(rose("吞吐提升 3%", &rate), Some(true));
        assert_eq!(rose("3% slower", &ttft), Some(true));
        assert_eq!(rose("TTFT 降低 3%", &ttft), Some(false));
        assert_eq!(rose("TTFT is down 3%", &ttft), Some(false));
        assert_eq!(rose("TTFT went up 3%", &ttft), Some(true));
        assert_eq!(rose("~20% latency increase from AllGather/ReduceScatter", &ttft), Some(true));
        assert_eq!(rose("TTFT 3%", &ttft), None);
        assert_eq!(Meaning::of("TTFT 3%").rose(&claim(Some(true)), &ttft), Some(true));
    }

    #[test]
    fn what_is_no_change_is_left_alone() {
        let claim = Claim {
            text: String::new(),
            before: String::new(),
            size: 0.9,
            resolution: 0.005,
            up: None,
            values: None,
            metric: None,
            closing: false,
            doubt: None,
            source: crate::runs::Source::default(),
        };
        let left = |words: &str| Meaning::of(words).no_change(&claim, |_| false).is_some();
        for words in [
            "GPU utilization 90%",
            "命中率 30%",
            "TTFT 波动 2%",
            "TTFT ±2%",
            "90%",
            "faster, acc 98%",
            "TTFT lower, accuracy 98%",
            "TTFT 降低，准确率 98%",
            "faster, 利用率 90%",
            "faster, hit rate 90%",
            // S7: a share is no change.
            "Throughput at 90% GPU memory utilization:",
            "TTFT with 50% prefix cache hit rate.",
            "Throughput within 5% of main",
            "throughput now sits at 97 percent of TQ2_0",
            // Neither is what is said of a scatter, or of single runs.
            "throughput drift ~8% between rounds",
            "(rounds 2–3) 8% faster",
        ] {
            assert!(left(words), "{words}");
        }
        for words in [
            "TTFT 2%",
            "3% faster",
            "accelerated: 3% faster",
            "TTFT, TPOT lower by 3%",
            "50% faster across runs 1-5",
            "we run 1000 requests, the PR is 50% faster",
            "run 5 times each: 50% faster",
            "variation 2 is 50% faster",
            "50% faster despite drift",
        ] {
            assert!(!left(words), "{words}");
        }
    }

    #[test]
    fn a_factor_of_something_else_is_known_by_the_words_behind_it() {
        assert_eq!(multiplied("reaching 3.08× matched AR throughput"), Some("matched AR"));
        for text in ["3.1x decode throughput", "2x faster", "1.5x higher throughput", "3.3x"] {
            assert_eq!(multiplied(text), None, "{text}");
        }
    }

    #[test]
    fn a_level_and_a_compared_value_are_known_by_their_words() {
        assert!(is_level("with a 95 % CI of run means") && is_level("]** matched 95% interval"));
        assert!(
            !is_level("5 % faster, see the interval") && !is_level("+3.8 % (95 % CI 2.9 to 4.7)")
        );
        let text = "21.44 TPS remains 6.65% below the strongest result of 22.967 TPS";
        assert_eq!(compared_value(text), Some(22.967));
        assert_eq!(compared_value("5 % faster with vLLM 0.21.0 at 16 in flight"), None);
    }
}
