//! The meaning of a name by its words: role, unit, statistic and direction of improvement.
//!
//! Names of columns and keys are understood by their words, in any order, case, separator and script, never by a list of whole
//! names. A name is split at separators and at changes of case and script. An unknown word is split at the longest known word
//! at either end (`responsetime`, `throughputvllm`). The first matching rule decides:
//!
//! 1. a spread (`std`, `ci95`) or a remark (`note`);
//! 2. an outcome (`failed`, `success_rate`, `exit_code`), unless a unit or a metric shows that something was measured;
//! 3. a setting by a word before a noun (`target_rps`, `num_layers`, `max_batch`), a limit (`slo`) or its last word;
//! 4. a rate: the direction follows from the numerator, and from the denominator if that is a cost;
//! 5. words that leave the direction open (`utilization`, `tokens`);
//! 6. an identifier;
//! 7. the last word for a measured quantity;
//! 8. a unit: a time, memory and energy are better lower;
//! 9. a statistic, a count, a setting.
//!
//! If the words leave the role open, the values decide in the reader of tables.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::metrics::kinds::{Family, Statistic};
use crate::units::{Better, Known, Measure, UNITS, Unit};

/// Meaning of a name by its words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meaning {
    /// The role by the words.
    pub says: Says,
    /// Direction of improvement, if the words show it.
    pub better: Option<Better>,
    /// Statistic over a run's requests, if a word names one.
    pub statistic: Option<Statistic>,
    /// Unit in the name, if the registry has it.
    pub unit: Option<Unit>,
    /// The measured quantity.
    pub quantity: Quantity,
    /// The family of serving metrics in which it is an alternative.
    pub family: Family,
    /// Whether the name alone shows a benchmark result. All its words are known, and they name a throughput, a latency or a
    /// time with its unit, which is neither an extreme value nor about failures.
    pub is_result: bool,
}

/// Role of a column or a key by its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// A measured quantity.
    Measured,
    /// Set before the run.
    Setting,
    /// The outcome of the run or its requests.
    Outcome(Outcome),
    /// The number of samples, requests or iterations behind the row.
    Count,
    /// Names the run, its place or its time.
    Identity,
    /// Standard deviation, interval or error of another column.
    Spread,
    /// Free text.
    Remark,
    /// Unknown: the values decide.
    Nothing,
}

/// Format of a column of outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A word for the outcome of the run: `ok`, `failed`.
    Status,
    /// Yes for a failed run, the number of its failures, or the text of one failure.
    Failures,
    /// Yes for a good run, or the number of its successes.
    Successes,
    /// Share of failures.
    FailureRate,
    /// Share of successes.
    SuccessRate,
    /// An exit status: 0 is good.
    ExitCode,
    /// A status of HTTP: below 400 is good.
    HttpCode,
}

/// The kind of a measured quantity, in the order in which metrics of one's own table decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// Work per time.
    Throughput,
    /// Time for all the work.
    Time,
    /// Time for one request.
    Latency,
    /// Used memory.
    Memory,
    /// A ratio, or a rate other than work per time.
    Rate,
    /// Anything else.
    Other,
}

use Quantity::{Latency, Memory, Other, Rate, Throughput, Time};

/// Class of a word; a word may have several.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Class {
    /// A quantity that is better higher.
    Higher(Quantity),
    /// A quantity that is better lower.
    Lower(Quantity),
    /// A quantity of unknown direction.
    Open,
    /// A word for measurements only: `achieved`.
    Observed,
    Statistic(Statistic),
    Spread,
    Remark,
    Failure,
    Success,
    Status,
    ExitCode,
    /// A kind of error, if the error itself is the noun.
    OfErrors,
    /// A measured size of errors: `rms error`.
    ErrorSize,
    /// Set before the run, wherever the word is in the name.
    Limit,
    /// Set before the run, before a noun.
    Asked,
    /// Set before the run, unless a measured quantity or an identifier follows.
    Drawn,
    /// A number of things, before a noun.
    Number,
    Setting,
    /// A setting as the last word, after any other words.
    SettingNoun,
    Identity,
    /// Names a run alone or at the end, and not before a noun.
    Run,
    /// A time of day beside `time`.
    Moment,
    /// Things that are counted.
    Count,
    /// A share: `rate`, `ratio`, `percent`.
    Share,
    Not,
    Per,
    /// One of several that divide the work: `user`, `gpu`.
    Sharer,
    /// A word that is never split.
    Whole,
}

/// Words by class, lower case and without accents; the plural in `s` of a listed singular is understood.
const LEXICON: &[(Class, &str)] = &[
    (
        Class::Higher(Throughput),
        "throughput tput thput thruput tps qps rps iops bw bandwidth goodput speed fps flop tflop gflop mflop mbps gbps \
         kbps mbs 吞吐 吞吐量 吞吐率 速度 速率 带宽 スループット 処理量 처리량 처리율 속도 пропускная скорость durchsatz \
         rendimiento debit vazao geschwindigkeit",
    ),
    (
        Class::Higher(Rate),
        "win ipc mbu speedup accuracy acc f1 accept acceptance accepted psnr ssim mfu hfu intvty interactivity rtfx saving pass hit \
         efficiency recall bleu rouge auc gain improvement 命中率 准确率 精度 加速比 通过率 接受率 正解率 高速化 정확도 genauigkeit",
    ),
    (
        Class::Lower(Latency),
        "latency lat ttft tpot itl tbt ttfr ttfb ttlt e2e e2el response resp jitter rtt 延迟 时延 响应 首字 レイテンシ \
         レイテンシー 遅延 応答 지연 응답 latenz latencia latence задержка antwortzeit",
    ),
    (
        Class::Lower(Time),
        "time timing duration elapsed runtime walltime wall exec execution wait overhead delay makespan 时间 运行时间 耗时 用时 时长 時間 시간 \
         laufzeit zeit dauer temps tiempo duree tempo duracion время длительность",
    ),
    (
        Class::Lower(Memory),
        "memory mem vram ram rss pss hbm footprint allocated alloc allocs allocation allocations allokiert allokierte 内存 显存 メモリ 메모리 \
         speicher memoire memoria память",
    ),
    (
        Class::Lower(Rate),
        "switch switches bpb loss ppl perplexity mae rmse mse mape wer cer cycle gap violation blocked stall miss misses fault drift regret \
         degradation 幻觉率 损失 損失 困惑度 verlust perte потери",
    ),
    (
        Class::Lower(Other),
        "energy power cost price carbon emission instruction consumption 能耗 功耗 功率 成本 費用 エネルギー 電力 コスト 에너지 전력 \
         비용 energie leistung kosten puissance cout energia potencia costo энергия",
    ),
    (
        Class::Open,
        "util utilization utilisation usage used temp freq frequency token queue objective primary optimal score reward \
         occupancy fan clock 使用率 利用率 占用率 温度 頻度 負荷 负载 사용률 auslastung quality 得分 评分 スコア 점수",
    ),
    (Class::Observed, "achieved actual observed measured"),
    (
        Class::Statistic(Statistic::Mean),
        "mean avg average 平均 均值 平均值 평균 moyen moyenne media promedio durchschnitt среднее \
         durchschnittliche mittel mittelwert",
    ),
    (Class::Statistic(Statistic::Median), "median med 中位数 中央値 중앙값 mediane mediana"),
    (
        Class::Statistic(Statistic::Extreme),
        "best min max peak minimum maximum maximal maximale worst highest lowest 峰值 最大 最小 最高 \
         最低 最长 最短 최대 최소 최고 pico maximo minimo",
    ),
    (
        Class::Spread,
        "margin rsd 标准偏差 偏差 std stdev stddev stderr sd sem cv ci ci95 ci99 iqr variance var deviation moe 标准差 方差 標準偏差 표준편차 ecart \
         standardabweichung desviacion stdabw",
    ),
    (
        Class::Remark,
        "comment description note remark observation message detail reason answer response_text 备注 说明 注释 備考 비고 \
         bemerkung remarque",
    ),
    (
        Class::Failure,
        "timed drop 5xx 4xx 异常 fail failed failure failing error err timeout crash crashed rejected skipped dropped lost aborted cancelled \
         canceled oom killed invalid exception unsolved incorrect 失败 错误 超时 崩溃 丢失 失敗 エラー タイムアウト 실패 에러 오류 \
         타임아웃 fehler erreur echec fallo ошибка errores",
    ),
    (
        Class::Success,
        "2xx success successful successes succeed succeeded ok passed verified correct solved runnable complete completed finished \
         received delivered valid done 成功 正确 完成 通过 正常 성공 완료 erfolg erfolgreich reussi exito успех",
    ),
    (Class::Status, "status result outcome verdict state 状态 结果 状態 結果 상태 결과"),
    (Class::ExitCode, "return exit returncode exitcode retcode rc errno"),
    (Class::OfErrors, "message msg type class text kind reason info code 信息"),
    (
        Class::ErrorSize,
        "abs absolute rel relative squared rms norm l1 l2 approximation prediction numerical reconstruction",
    ),
    (
        Class::Limit,
        "target slo limit threshold budget configured requested offered controlled interval warmup static fraction \
         timeout 目标 上限",
    ),
    (Class::Drawn, "random"),
    (Class::Asked, "max min mean avg"),
    (Class::Number, "no n num number nb"),
    (
        Class::SettingNoun,
        "size len length mode type method format dtype level window policy strategy algorithm depth dataset backend \
         name config configuration 长度 接口 规格 大小 批 サイズ バッチサイズ grosse groesse taille",
    ),
    (
        Class::Setting,
        "arrival sampling injection learning batch batchsize context ctx isl osl concurrency concurrent user thread worker model data quant quantization tp \
         pp dp ep cp sp parallel parallelism device block tile prefix workload scenario seq sequence layer head hidden \
         expert rank replica shard node gpu ngl ubatch beam chunk width height resolution precision bit scale lora profile \
         category framework library engine hardware instance machine tier system task topic technique burstiness \
         temperature vus client connection conn conc ub fa kv depth case cap beam stage param stream input output 输出 输入 出力 入力 출력 입력 \
         リクエストレート リクエスト率 同時実行数 請求率 请求速率 请求率 并发数 요청률 동시성 동시요청 \
         core instances ngpu npu sparsity replication 并发 并发度 用户 用户数 模型 同時 접속자 동시 배치 크기 teilnehmende particiones \
         nodos",
    ),
    (
        Class::Identity,
        "id idx index uuid guid sha sha1 sha256 md5 hash commit version image timestamp date datetime seed host hostname ip \
         pid port url path file filename filepath log script source stamp # 时间戳 日期 序号 编号 日時 날짜 datum fecha created",
    ),
    (
        Class::Run,
        "run rep trial try repetition repeat replicate attempt iter iteration round job sample batchno 轮次 durchlauf",
    ),
    (Class::Moment, "start end begin at utc unix epoch test"),
    (
        Class::Count,
        "test count sample iteration iter iters rep repeat trial round run request req reqs attempt sent call 样本 样本数 请求 请求数 \
         次数 件数 횟수 요청 iterationen wiederholungen anzahl",
    ),
    (
        Class::Share,
        "률 rate ratio percent percentage pct share % 率 율 比例 割合 비율 anteil quote taux tasa",
    ),
    (Class::Not, "not un non"),
    (Class::Per, "每 per / pro par por"),
    (Class::Whole, "startup prompt"),
    (Class::Sharer, "user gpu npu device card core node chip instance replica worker accelerator"),
];

/// A word of a name.
#[derive(Clone, Debug)]
struct Word {
    text: String,
    /// Whether it is in brackets or after a slash.
    apart: bool,
}

/// The words of the lexicon in their order, each with the end of its classes, which follow one another.
struct Lexicon {
    words: Vec<(&'static str, usize)>,
    classes: Vec<Class>,
}

impl Lexicon {
    fn get(&self, word: &str) -> Option<&[Class]> {
        let at = self.words.binary_search_by(|(known, _)| (*known).cmp(word)).ok()?;
        let start = at.checked_sub(1).map_or(0, |before| self.words[before].1);
        Some(&self.classes[start..self.words[at].1])
    }
}

fn lexicon() -> &'static Lexicon {
    static WORDS: OnceLock<Lexicon> = OnceLock::new();
    WORDS.get_or_init(|| {
        let of = |(class, list): &(Class, &'static str)| {
            let class = *class;
            list.split_whitespace().map(move |word| (word, class))
        };
        let mut all: Vec<(&str, Class)> = LEXICON.iter().flat_map(of).collect();
        // Of one word the classes stay in their order.
        all.sort_by_key(|(word, _)| *word);
        let mut words: Vec<(&str, usize)> = Vec::with_capacity(all.len());
        for (at, (word, _)) in all.iter().enumerate() {
            match words.last_mut().filter(|(last, _)| last == word) {
                Some((_, end)) => *end = at + 1,
                None => words.push((word, at + 1)),
            }
        }
        Lexicon { words, classes: all.into_iter().map(|(_, class)| class).collect() }
    })
}

fn units() -> &'static BTreeMap<&'static str, (Measure, Option<Unit>)> {
    static UNITS_BY_WORD: OnceLock<BTreeMap<&str, (Measure, Option<Unit>)>> = OnceLock::new();
    UNITS_BY_WORD.get_or_init(|| {
        let meaning = |known: &Known| match known.measure {
            Measure::Token | Measure::Request | Measure::Operation => (Measure::Work, known.unit),
            measure => (measure, known.unit),
        };
        let named = UNITS.iter().filter(|known| known.measure != Measure::Machine);
        let words = named.flat_map(|known| known.words().map(|word| (word, meaning(known))));
        // In a name `min` is the minimum.
        words.filter(|(word, _)| *word != "min").collect()
    })
}

/// The classes of a word; if only its singular is listed, those of the singular.
fn classes(word: &str) -> &'static [Class] {
    let known = |word: &str| lexicon().get(word);
    let singular = || known(word.strip_suffix('s').filter(|rest| rest.len() > 2)?);
    known(word).or_else(singular).unwrap_or_default()
}

/// Whether names of metrics, settings or units contain a word, which is given in small letters.
///
/// # Examples
///
/// ```
/// use beyondnoise_model::metrics::words::is_known;
///
/// assert!(is_known("throughput") && !is_known("matched"));
/// ```
pub fn is_known(word: &str) -> bool {
    !classes(word).is_empty() || units().contains_key(word)
}

/// The level of a quantile as written by people: `p99`, `p99.9`, `p999` (three digits or more) as 99.9.
fn percentile(word: &str, next: &str) -> Option<Statistic> {
    let number = word.strip_prefix('p').or_else(|| word.strip_suffix("th"));
    let number = number.or(Some(word).filter(|_| next == "%" || next == "percentile"))?;
    let percent: f64 =
        number.parse().ok().filter(|_| number.starts_with(|c: char| c.is_ascii_digit()))?;
    let percent = if percent >= 100.0 && !number.contains('.') {
        percent / 10f64.powi(i32::try_from(number.len()).ok()? - 2)
    } else {
        percent
    };
    match percent {
        _ if (percent - 50.0).abs() < 1e-9 => Some(Statistic::Median),
        _ if percent > 0.0 && percent < 100.0 => Some(Statistic::Quantile(percent / 100.0)),
        _ => None,
    }
}

/// A letter without its accent.
fn plain(c: char) -> &'static str {
    match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => "a",
        'è' | 'é' | 'ê' | 'ë' => "e",
        'ì' | 'í' | 'î' | 'ï' => "i",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => "o",
        'ù' | 'ú' | 'û' | 'ü' => "u",
        'ç' => "c",
        'ñ' => "n",
        'ß' => "ss",
        _ => "",
    }
}

/// Script of a letter; words of different scripts follow each other without a blank.
fn script(c: char) -> u8 {
    match c {
        '\u{3040}'..='\u{30ff}' => 1,
        '\u{3400}'..='\u{9fff}' => 2,
        '\u{ac00}'..='\u{d7af}' => 3,
        _ => 0,
    }
}

/// The words of a name; for two names with a slash between blanks (`Avg Latency / 平均延迟`), the words of both.
fn split(name: &str) -> Vec<Word> {
    let name = name.replace(" / ", " ");
    let chars: Vec<char> = name.chars().collect();
    let (mut words, mut word, mut depth, mut slash): (Vec<Word>, String, usize, bool) =
        Default::default();
    // `VUs` and `RTFx` are one word, `QPSMean` two.
    let ends = |at: usize| {
        chars.get(at + 1).is_some_and(|c| c.is_lowercase())
            && chars.get(at + 2).is_none_or(|c| !c.is_alphabetic())
    };
    let mut push = |word: &mut String, apart: bool| {
        if !word.is_empty() {
            cut(&std::mem::take(word), apart, &mut words);
        }
    };
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let next = chars.get(at + 1).copied();
        let point = c == '.'
            && before.is_some_and(|c| c.is_ascii_digit())
            && next.is_some_and(|c| c.is_ascii_digit());
        if c.is_alphanumeric() || point || matches!(c, '$' | '€' | '¥') {
            let camel = c.is_uppercase()
                && (before.is_some_and(char::is_lowercase)
                    || before.is_some_and(char::is_uppercase)
                        && next.is_some_and(char::is_lowercase)
                        && !ends(at));
            if camel
                || before.is_some_and(|before| {
                    script(before) != script(c)
                        || script(c) == 0
                            && is_cyrillic(before) != is_cyrillic(c)
                            && before.is_alphabetic()
                            && c.is_alphabetic()
                })
            {
                push(&mut word, depth > 0 || slash);
            }
            for c in c.to_lowercase() {
                match plain(c) {
                    "" => word.push(c),
                    plain => word.push_str(plain),
                }
            }
            continue;
        }
        push(&mut word, depth > 0 || slash);
        slash = c == '/';
        match c {
            '(' | '[' | '（' => depth += 1,
            ')' | ']' | '）' => depth = depth.saturating_sub(1),
            '/' | '%' | '#' => {
                word.push(c);
                push(&mut word, depth > 0);
            }
            _ => {}
        }
    }
    push(&mut word, depth > 0 || slash);
    words
}

fn is_cyrillic(c: char) -> bool {
    ('\u{0400}'..='\u{04ff}').contains(&c)
}

/// Longest name whose words are understood, in bytes.
const MAX_NAME: usize = 200;

/// Longest word that may be split, in bytes.
const MAX_CUT: usize = 64;

/// Adds a word, or the known words that form it.
fn cut(word: &str, apart: bool, words: &mut Vec<Word>) {
    let mut add = |text: &str| {
        if !text.is_empty() {
            words.push(Word { text: text.to_owned(), apart });
        }
    };
    if word.len() > MAX_CUT || is_known(word) || percentile(word, "").is_some() {
        return add(word);
    }
    if word.chars().all(|c| script(c) > 0) {
        // The longest known words from the start; text between them is unknown.
        let ends: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        let (mut from, mut unknown) = (0, 0);
        while from + 1 < ends.len() {
            let known =
                (from + 1..ends.len()).rev().find(|&to| is_known(&word[ends[from]..ends[to]]));
            if let Some(to) = known {
                add(&word[ends[unknown]..ends[from]]);
                add(&word[ends[from]..ends[to]]);
                (from, unknown) = (to, to);
            } else {
                from += 1;
            }
        }
        return add(&word[ends[unknown]..]);
    }
    // `batch8`, `tp2`
    let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
    if bare.len() < word.len() && bare.len() > 1 && is_known(bare) {
        return add(bare);
    }
    // `nsamples`
    let counted = word.strip_prefix('n').filter(|rest| classes(rest).contains(&Class::Count));
    if let Some(rest) = counted {
        add("n");
        return add(rest);
    }
    let cuts = || word.char_indices().map(|(at, _)| at).filter(|&at| at > 1 && at + 1 < word.len());
    if let Some(at) = cuts()
        .filter(|&at| at > 2)
        .find(|&at| word.len() - at > 2 && is_known(&word[..at]) && is_known(&word[at..]))
    {
        add(&word[..at]);
        return add(&word[at..]);
    }
    // `jemalloc` and its kind are allocators.
    if word.ends_with("malloc") {
        return add(word);
    }
    // The longest known word at either end, if it is too long for a coincidence.
    let head = cuts().rev().find(|&at| at > 4 && is_known(&word[..at]));
    let tail = cuts().find(|&at| at > 2 && word.len() - at > 4 && is_known(&word[at..]));
    match (head, tail) {
        (Some(at), tail) if tail.is_none_or(|tail| at >= word.len() - tail) => {
            add(&word[..at]);
            add(&word[at..]);
        }
        (_, Some(at)) => {
            add(&word[..at]);
            add(&word[at..]);
        }
        _ => add(word),
    }
}

/// The meaning of a name by its words.
///
/// # Examples
///
/// ```
/// use beyondnoise_model::metrics::words::{Says, meaning};
/// use beyondnoise_model::units::Better;
///
/// assert_eq!(meaning("qwen_prefill_tok_s").better, Some(Better::Higher));
/// assert_eq!(meaning("平均响应时间").better, Some(Better::Lower));
/// assert_eq!(meaning("gpu_utilization").better, None);
/// assert_eq!(meaning("max_batch_size").says, Says::Setting);
/// ```
pub fn meaning(name: &str) -> Meaning {
    // No column has such a name: numbers under it were measured, in an unknown direction.
    if name.len() > MAX_NAME {
        return read("score");
    }
    let known = KNOWN.with_borrow(|known| known.get(name).copied());
    known.unwrap_or_else(|| {
        let found = read(name);
        KNOWN.with_borrow_mut(|known| {
            if known.len() < MAX_KNOWN {
                known.insert(name.to_owned(), found);
            }
        });
        found
    })
}

/// Most names in the cache; a table asks for the same names row by row.
const MAX_KNOWN: usize = 1_000;

thread_local! {
    static KNOWN: RefCell<BTreeMap<String, Meaning>> = const { RefCell::new(BTreeMap::new()) };
}

fn read(name: &str) -> Meaning {
    let (name, stated) = without_direction(name);
    let words = Name::of(name);
    let mut meaning = words.meaning();
    if matches!(meaning.says, Says::Nothing | Says::Setting) && is_llama_test(name) {
        meaning.says = Says::Measured;
        (meaning.better, meaning.quantity) = (Some(Better::Higher), Throughput);
    }
    if let Some(better) = stated {
        (meaning.says, meaning.better) = (Says::Measured, Some(better));
    }
    meaning
}

/// Whether a name is that of a test of llama-bench, whose results are tokens per second: `pp512`, `tg128`.
fn is_llama_test(name: &str) -> bool {
    let lower = name.trim().to_lowercase();
    let mut words =
        lower.split([' ', '_', '-', '(', ')', '/', '@']).filter(|word| !word.is_empty());
    words.any(|word| {
        // `pp8` are eight stages of a pipeline.
        let prompt = word.strip_prefix("pp").filter(|tokens| tokens.len() > 2);
        let tokens = prompt.or_else(|| word.strip_prefix("tg").filter(|tokens| tokens.len() > 1));
        tokens.is_some_and(|tokens| tokens.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// A name without its remark on the better direction, and that direction.
pub(super) fn without_direction(name: &str) -> (&str, Option<Better>) {
    let name = name.trim();
    for (better, words) in [
        (Better::Higher, ["(higher is better)", ", higher is better", "(↑)", "↑"]),
        (Better::Lower, ["(lower is better)", ", lower is better", "(↓)", "↓"]),
    ] {
        for remark in words {
            let start =
                name.len().checked_sub(remark.len()).filter(|at| name.is_char_boundary(*at));
            if let Some(at) = start.filter(|&at| name[at..].to_lowercase() == remark) {
                return (name[..at].trim_end(), Some(better));
            }
        }
    }
    (name, None)
}

/// A name, split into words.
struct Name {
    words: Vec<Word>,
    /// The classes of each word.
    classes: Vec<&'static [Class]>,
}

impl Name {
    fn of(name: &str) -> Self {
        let mut words = split(name);
        let mut found: Vec<&'static [Class]> =
            words.iter().map(|word| classes(&word.text)).collect();
        // Behind a slash it is no minimum, unless that of an extreme: `images/min`, `max/min`.
        let extreme =
            |at: usize| found[at].iter().any(|class| matches!(class, Class::Statistic(_)));
        let per = |at: &usize| {
            words[*at].text == "min"
                && found[at - 1].contains(&Class::Per)
                && *at > 1
                && (words[at - 2].text.ends_with('s')
                    || ["req", "tok", "img"].contains(&&*words[at - 2].text))
                && !extreme(at - 2)
        };
        if let Some(at) = (1..words.len()).find(per) {
            "minute".clone_into(&mut words[at].text);
            found[at] = classes("minute");
        }
        Self { words, classes: found }
    }

    fn classes(&self, at: usize) -> &'static [Class] {
        self.classes.get(at).copied().unwrap_or_default()
    }

    fn meaning(&self) -> Meaning {
        let statistic = self.statistic();
        let measure = self.measure();
        let (says, better, quantity) = self.says(statistic, measure.map(|(measure, _)| measure));
        // Seconds are the denominator of a rate, not the unit of the metric.
        let per_time =
            self.rate().is_some_and(|(_, per)| self.unit_after_slash(per) == Some(Measure::Time));
        let unit = self.rate_unit().or(measure.and_then(|(_, unit)| unit.filter(|_| !per_time)));
        let spread = says == Says::Spread;
        let statistic = if spread { Some(Statistic::Deviation) } else { statistic };
        let family = if better.is_some() { self.family(quantity) } else { Family::Other };
        let known = |word: &Word| is_known(&word.text) || percentile(&word.text, "").is_some();
        let digits = |word: &Word| word.text.starts_with(|c: char| c.is_ascii_digit());
        let is_result = better.is_some()
            && statistic != Some(Statistic::Extreme)
            && !self.has(Class::Failure)
            && self.words.iter().all(|word| known(word) || digits(word))
            && match quantity {
                Throughput | Latency => true,
                Time => unit.is_some(),
                Memory | Rate | Other => false,
            };
        Meaning {
            says,
            better: better.filter(|_| !spread),
            statistic,
            unit,
            quantity,
            family,
            is_result,
        }
    }

    /// The family by the words; a part of the work, or one user of several, is no alternative for the whole.
    fn family(&self, quantity: Quantity) -> Family {
        let is = |word: &str| self.words.iter().any(|known| known.text == word);
        let first_token = (is("first") || is("首") || is("首次")) && (is("token") || is("字"));
        let of_latency = [
            (is("ttft") || first_token, Family::Ttft),
            (is("tpot"), Family::Tpot),
            (is("itl") || is("tbt") || is("inter") && is("token"), Family::Itl),
            (is("e2e") || is("e2el") || is("end") && is("to"), Family::E2el),
        ];
        let latency = of_latency.into_iter().find(|(found, _)| *found).map(|(_, family)| family);
        let throughput = || {
            let plain = |at: usize| {
                let text = self.text(at);
                self.is(at, Class::Higher(Throughput))
                    || self.is(at, Class::Per)
                    || units().contains_key(text)
                    || matches!(
                        text,
                        "output"
                            | "out"
                            | "total"
                            | "overall"
                            | "aggregate"
                            | "generated"
                            | "client"
                    )
                    || matches!(text, "总" | "输出" | "総" | "出力")
            };
            (0..self.words.len()).all(plain)
        };
        match latency {
            Some(family) if quantity != Throughput => family,
            _ if is("goodput") => Family::Goodput,
            _ if quantity == Throughput && throughput() => Family::Throughput,
            _ => Family::Other,
        }
    }

    fn text(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| &*word.text)
    }

    fn is(&self, at: usize, class: Class) -> bool {
        self.classes(at).contains(&class)
    }

    fn has(&self, class: Class) -> bool {
        (0..self.words.len()).any(|at| self.is(at, class))
    }

    /// The quantity of the unit at a position; a single letter is a unit only at the end, in brackets or after a slash.
    fn unit(&self, at: usize) -> Option<(Measure, Option<Unit>)> {
        let word = self.words.get(at)?;
        let letter = word.text.chars().count() == 1 && word.text.is_ascii() && word.text != "%";
        let statistic = |at: usize| {
            percentile(self.text(at), "").is_some()
                || self.classes(at).iter().any(|class| matches!(class, Class::Statistic(_)))
        };
        // `wall_s`, `power_w`; but the `b` in `a|b` is no byte.
        let named = word.text == "s"
            || at > 0 && is_known(self.text(at - 1)) && self.text(at - 1).len() > 1;
        let last = at > 0 && named && (at + 1..self.words.len()).all(statistic);
        // `12 bytes` is a size of the work.
        let counted = at > 0 && self.text(at - 1).bytes().all(|byte| byte.is_ascii_digit());
        let size = |(measure, _): &(Measure, Option<Unit>)| *measure == Measure::Bytes;
        if counted && !word.apart && units().get(&*word.text).is_some_and(size) {
            return None;
        }
        units().get(&*word.text).copied().filter(|_| !letter || last || word.apart)
    }

    /// The last unit, except for units of work, and before a percentage.
    fn measure(&self) -> Option<(Measure, Option<Unit>)> {
        let units = (0..self.words.len()).rev().filter_map(|at| self.unit(at));
        let units: Vec<_> = units.filter(|(measure, _)| *measure != Measure::Work).collect();
        let other = units.iter().find(|(measure, _)| *measure != Measure::Percent);
        other.or(units.first()).copied()
    }

    fn statistic(&self) -> Option<Statistic> {
        let mut last = None;
        for at in 0..self.words.len() {
            let of_word = self.classes(at).iter().find_map(|class| match class {
                Class::Statistic(statistic) => Some(*statistic),
                _ => None,
            });
            let found = percentile(self.text(at), self.text(at + 1)).or(of_word);
            // In an average of a percentile, the percentile counts.
            if found.is_some() && !matches!(last, Some(Statistic::Quantile(_) | Statistic::Extreme))
            {
                last = found;
            }
        }
        last
    }

    /// A rate: the position after its numerator, and the position of its denominator.
    fn rate(&self) -> Option<(usize, usize)> {
        let per = |at: usize| self.is(at, Class::Per).then_some(at);
        let spelled = (0..self.words.len()).find_map(|at| {
            let at = per(at).filter(|&at| at + 1 < self.words.len())?;
            let known = |at: usize| {
                is_known(self.text(at)) || self.text(at).starts_with(|c: char| c.is_ascii_digit())
            };
            // `naive/tiled` is no rate.
            let million = matches!(self.text(at + 1), "m" | "k");
            let rate = (known(at + 1) || million)
                && (at == 0 || known(at - 1) || self.unit(at + 1).is_some());
            rate.then_some((at, at + 1))
        });
        // `step_s` is a time, `tok_s` a rate, `time to first token (s)` a time.
        let work = |at: usize| {
            let text = self.text(at);
            "t tok toks token tokens req reqs request requests query queries img imgs image images op ops it ev"
                .split(' ')
                .any(|known| known == text)
        };
        let second = |at: usize| {
            let seconds = matches!(self.text(at), "s" | "sec" | "second" | "seconds");
            seconds && self.words[at].apart == self.words[at - 1].apart
        };
        let glued = (1..self.words.len()).find(|&at| second(at) && work(at - 1));
        glued.map(|at| (at, at)).or(spelled)
    }

    /// The registry's unit of a rate.
    fn rate_unit(&self) -> Option<Unit> {
        let word = |text: &str| self.words.iter().any(|word| word.text == text);
        let rate = self.rate().filter(|(_, at)| {
            matches!(
                self.text(*at),
                "s" | "sec" | "secs" | "second" | "seconds" | "秒" | "초" | "сек"
            )
        });
        let Some((numerator, _)) = rate else {
            return match () {
                () if self.rate().is_some() => None,
                () if word("tps") => Some(Unit::TokenPerSecond),
                () if word("qps") || word("rps") => Some(Unit::RequestPerSecond),
                () => None,
            };
        };
        match numerator.checked_sub(1).map_or("", |at| self.text(at)) {
            "tok" | "toks" | "token" | "tokens" | "t" | "токенов" => {
                Some(Unit::TokenPerSecond)
            }
            "req" | "reqs" | "request" | "requests" | "query" | "queries" => {
                Some(Unit::RequestPerSecond)
            }
            "op" | "ops" | "operation" | "operations" => Some(Unit::OperationPerSecond),
            "mb" => Some(Unit::MegabytePerSecond),
            _ => None,
        }
    }

    /// Higher is better for work per time, lower for time or cost per piece of work.
    fn direction_of_rate(&self, numerator: usize, per: usize) -> Option<Better> {
        // Without a numerator the unit follows the denominator: `per_token_ms`.
        let all = || if numerator > 0 { 0..numerator } else { per + 1..self.words.len() };
        let measures = |wanted: Measure| {
            // A single letter is a unit only beside the denominator.
            let whole = |at: usize| self.text(at).len() > 1 || at + 1 == numerator || at > per;
            let found = |at: usize| units().get(self.text(at)).map(|(found, _)| *found);
            all().any(|at| whole(at) && found(at) == Some(wanted))
        };
        let bad = |at: usize| {
            self.classes(at).iter().any(|class| {
                matches!(class, Class::Failure | Class::Lower(Rate | Other | Time | Latency))
            })
        };
        let lower = measures(Measure::Time)
            || measures(Measure::Energy)
            || measures(Measure::Money)
            || all().any(bad);
        let better = all().any(|at| matches!(self.classes(at), [Class::Higher(_), ..]));
        let cost = self.classes(per).iter().any(|class| matches!(class, Class::Lower(_)));
        let gain = self.classes(per).iter().any(|class| matches!(class, Class::Higher(_)));
        let per_cost = cost
            || self.unit_after_slash(per).is_some_and(|measure| {
                matches!(measure, Measure::Time | Measure::Energy | Measure::Money)
            });
        match () {
            () if better => Some(Better::Higher),
            () if lower => Some(Better::Lower),
            () if per_cost => Some(Better::Higher),
            () if gain => Some(Better::Lower),
            () if measures(Measure::Bytes) || all().any(|at| self.is(at, Class::Lower(Memory))) => {
                Some(Better::Lower)
            }
            // A share of the work, as in `tok/s/user`, is a rate before it is divided.
            () => None,
        }
    }

    /// The quantity of a denominator; here a single letter can be a unit.
    fn unit_after_slash(&self, at: usize) -> Option<Measure> {
        units().get(self.text(at)).map(|(measure, _)| *measure)
    }

    /// The last word for a measured quantity: its direction and its kind.
    fn last_metric(&self) -> Option<(Better, Quantity)> {
        let of_word = |at: usize| {
            self.classes(at).iter().find_map(|class| match class {
                Class::Higher(quantity) => Some((Better::Higher, *quantity)),
                Class::Lower(quantity) => Some((Better::Lower, *quantity)),
                _ => None,
            })
        };
        let outside =
            (0..self.words.len()).rev().filter(|&at| !self.words[at].apart).find_map(of_word);
        outside.or_else(|| (0..self.words.len()).rev().find_map(of_word))
    }

    fn says(
        &self,
        statistic: Option<Statistic>,
        measure: Option<Measure>,
    ) -> (Says, Option<Better>, Quantity) {
        let has = |class| self.has(class);
        let last_at = (0..self.words.len()).rev().find(|&at| {
            !self.words[at].apart && self.unit(at).is_none_or(|(m, _)| m == Measure::Work)
        });
        let last = |class| last_at.is_some_and(|at| self.is(at, class));
        let first = |class| self.is(0, class);
        let only = |says| (says, None, Other);
        let metric = self.last_metric();
        let rate = self.rate();
        let unit = measure.filter(|measure| *measure != Measure::Percent);
        if has(Class::Spread) {
            return only(Says::Spread);
        }
        let fails = has(Class::Failure);
        if last(Class::Remark) && !fails && unit.is_none() && rate.is_none() {
            return only(Says::Remark);
        }
        // An error with the unit of a time, `error_us`, is that of the value beside it.
        let error = |at: usize| matches!(self.text(at), "error" | "err") || self.unit(at).is_some();
        if fails && unit == Some(Measure::Time) && (0..self.words.len()).all(error) {
            return only(Says::Spread);
        }
        if fails && has(Class::ErrorSize) {
            return (Says::Measured, Some(Better::Lower), Rate);
        }
        // Scores and usages of errors are measured.
        let timed = metric.is_some() || unit.is_some() || rate.is_some() || last(Class::Open);
        if unit.is_none() && last_at.is_some_and(|at| self.text(at) == "at") {
            return only(Says::Identity);
        }
        if let Some(outcome) = self
            .outcome()
            .filter(|outcome| !timed || *outcome == Outcome::HttpCode || self.counts_passes())
        {
            return only(Says::Outcome(outcome));
        }
        if self.is_set(metric.is_some(), unit.is_some()) {
            return only(Says::Setting);
        }
        if let Some((numerator, per)) = rate {
            let better = self.direction_of_rate(numerator, per);
            let time = self.unit_after_slash(per) == Some(Measure::Time);
            if better.is_none() && !time && has(Class::Count) {
                return only(Says::Count);
            }
            let quantity = if time && better == Some(Better::Higher) { Throughput } else { Rate };
            return (Says::Measured, better, quantity);
        }
        // Usage of memory or energy is memory or energy; an accuracy score is an accuracy.
        let held = has(Class::Lower(Memory)) || has(Class::Lower(Other)) || unit.is_some();
        let open = |at: usize| {
            let used =
                matches!(self.text(at), "usage" | "used" | "auslastung" | "使用率" | "사용률");
            let score = matches!(self.text(at), "score" | "得分" | "评分" | "スコア" | "점수");
            let known = metric.is_some() || unit == Some(Measure::Time);
            self.is(at, Class::Open) && !(held && used) && !(score && known)
        };
        // The last word is the noun (queue time, token throughput), except in memory of the queue.
        let quantity = |at: usize| {
            self.classes(at).iter().any(|class| matches!(class, Class::Higher(_) | Class::Lower(_)))
        };
        // The cost of a solver's optimum is its result.
        let optimum = (0..self.words.len()).find(|&at| self.text(at) == "optimal");
        let noun = (0..self.words.len()).rev().find(|&at| open(at) || quantity(at));
        let noun = optimum.or(noun);
        if let Some(at) =
            noun.filter(|&at| open(at) && !quantity(at) && !(unit.is_some() && metric.is_some()))
        {
            let tokens = matches!(self.text(at), "token" | "tokens");
            return (if tokens { Says::Nothing } else { Says::Measured }, None, Other);
        }
        let moment = (has(Class::Moment)
            && last_at.is_some_and(|at| matches!(self.text(at), "time" | "ts" | "utc" | "epoch")))
            && unit.is_none()
            && statistic.is_none();
        let identity = last(Class::Identity)
            || first(Class::Identity) && self.words.len() == 1
            || self.words.len() <= 2
                && last(Class::Run)
                && !has(Class::Number)
                && unit.is_none()
                && !self.text(last_at.unwrap_or_default()).ends_with('s');
        let numbered = first(Class::Run)
            && self.words.len() > 1
            && (1..self.words.len()).all(|at| self.is(at, Class::Number));
        if (identity || moment || numbered) && unit.is_none() {
            return only(Says::Identity);
        }
        if let Some((better, quantity)) = metric {
            return (Says::Measured, Some(better), quantity);
        }
        if has(Class::Setting) && has(Class::SettingNoun) {
            return only(Says::Setting);
        }
        if let Some(measure) = unit {
            let quantity = match measure {
                Measure::Time => Time,
                Measure::Bytes => Memory,
                _ => Other,
            };
            return (Says::Measured, Some(Better::Lower), quantity);
        }
        let processor = (0..self.words.len()).any(|at| {
            matches!(self.text(at), "user" | "sys" | "system") && self.text(at + 1) == "cpu"
        });
        if processor {
            return (Says::Measured, Some(Better::Lower), Time);
        }
        let counts = has(Class::Count)
            && (last(Class::Count)
                || has(Class::Number)
                || first(Class::Count) && self.words.len() < 3);
        match () {
            () if has(Class::Share) && has(Class::Count) => only(Says::Setting),
            () if counts => only(Says::Count),
            () if first(Class::Number) && self.words.len() == 1 => only(Says::Count),
            () if has(Class::Setting) || first(Class::Number) => only(Says::Setting),
            () if statistic.is_some() || has(Class::Observed) => only(Says::Measured),
            () => only(Says::Nothing),
        }
    }

    /// Whether it is set before the run, even if other words name a measured quantity.
    fn is_set(&self, metric: bool, unit: bool) -> bool {
        let any = |class: Class| (0..self.words.len()).any(|at| self.is(at, class));
        let noun = |at: usize| {
            at < self.words.len()
                && (self.is(at, Class::Setting)
                    || self.is(at, Class::SettingNoun)
                    || self.is(at, Class::Number)
                    || matches!(self.text(at), "token" | "tokens"))
                && !self.is(at, Class::Sharer)
        };
        if any(Class::Observed) {
            return false;
        }
        let open = (0..self.words.len())
            .any(|at| self.is(at, Class::Open) && !matches!(self.text(at), "token" | "tokens"));
        let limit = any(Class::Limit)
            && (0..self.words.len())
                .any(|at| self.is(at, Class::Limit) && self.text(at) != "timeouts");
        let asked = self.is(0, Class::Asked)
            && (1..3).any(noun)
            && !open
            && !metric
            && !unit
            && self.rate().is_none();
        let drawn =
            any(Class::Drawn) && !metric && !unit && self.rate().is_none() && !any(Class::Identity);
        let accept = (0..self.words.len()).any(|at| self.text(at).starts_with("accept"));
        let outside = (0..self.words.len()).rev().find(|&at| {
            !self.words[at].apart && self.unit(at).is_none_or(|(m, _)| m == Measure::Work)
        });
        let last_noun =
            outside.is_some_and(|at| self.is(at, Class::SettingNoun)) && !accept && !open;
        let memory_share = any(Class::Lower(Memory))
            && (0..self.words.len()).any(|at| self.text(at).starts_with("util"));
        limit || asked || drawn || last_noun || memory_share
    }

    /// `pass`, `n_pass`, `pass_count`: numbers of passed tests; but `pass_rate` is measured.
    fn counts_passes(&self) -> bool {
        let passes = (0..self.words.len()).any(|at| matches!(self.text(at), "pass" | "passes"));
        let number = |at: usize| self.is(at, Class::Number) || self.text(at) == "count";
        passes && (0..self.words.len()).all(|at| number(at) || self.text(at).starts_with("pass"))
    }

    /// The outcome in the words.
    fn outcome(&self) -> Option<Outcome> {
        let has = |class| self.has(class);
        let (mut fails, mut succeeds) = (has(Class::Failure), has(Class::Success));
        let is = |text: &str| self.words.iter().any(|word| word.text == text);
        if is("http") && (is("status") || is("code")) || is("response") && is("code") {
            return Some(Outcome::HttpCode);
        }
        if has(Class::ExitCode) || is("code") && (fails || has(Class::Status)) {
            return Some(Outcome::ExitCode);
        }
        if fails && has(Class::OfErrors) {
            return Some(Outcome::Failures);
        }
        if has(Class::Not) {
            (fails, succeeds) = (succeeds, fails);
        }
        succeeds |= self.counts_passes();
        match (fails, succeeds, has(Class::Share)) {
            (true, _, true) => Some(Outcome::FailureRate),
            (_, true, true) => Some(Outcome::SuccessRate),
            (true, ..) => Some(Outcome::Failures),
            (_, true, _) => Some(Outcome::Successes),
            _ => self
                .is(self.words.len().saturating_sub(1), Class::Status)
                .then_some(Outcome::Status),
        }
    }
}
