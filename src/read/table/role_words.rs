//! Words in the names of columns and keys that show their role, lower case.

use crate::read::kit::cell_value::split_unit;
use crate::read::table::request_names::{Role, role_of};

/// The run, a repeat or an iteration by its number, from the outer level of repeats to the inner.
#[rustfmt::skip]
pub(crate) const RUN: &[&str] = &[
    "run", "run_id", "__run_id", "run_number", "run_no", "run_idx", "run_index", "run_name", "rep", "repeat",
    "repetition", "replicate", "trial", "round", "attempt", "轮次", "iteration", "iter", "repetición", "repeticion",
    "repetição", "repeticao", "répétition", "wiederholung", "durchlauf", "iteración", "iteracion", "iteração", "iteracao",
    "повтор", "次数",
];

/// Identifiers of runs that are not settings.
const IDENTITY: &str = "\
    date datetime done elapsed_time exit_code file file_name filename filepath id idx \
    index job_name log logfile no number order path pid port row saved_as seed seq sha256 \
    source time timestamp url uuid 序号 时间 日期";

/// Those of them that may name a setting too, where few values come back.
const MAY_BE_SETTING: &str = "file id idx index job_name no number order path port row seq source";

/// The same as ends of names.
const IDENTITY_ENDS: &str = "\
    _date _file _filename _idx _index _path _pid _port _seed _timestamp _url _uuid \
    iterations_of_one_process";

/// Free text about a row.
const REMARK: &str = "\
    comment comments description message note notes observation observations remark remarks \
    备注 说明";

/// Text that a run gave back.
const OUTCOME_TEXT: &str = "\
    answer error error_code error_message error_msg errors exception failure finish_reason \
    generated generated_text ok oom output pass passed reason response result status \
    stop_reason success verdict";

/// Measured quantities.
const MEASURED: &str = "\
    accept acceptance accepted accuracy achieved actual alloc allocs answer average avg bandwidth \
    completed completion consumption cost cv cycles decode degradation delay drift duration e2el \
    efficiency elapsed energy entropy err error errors f1 fail failed failure failures \
    faults flops fps generated gflops goodput hit hits iqr itl joules latency loss mean \
    median mfu misses observed overhead p50 p75 p90 p95 p99 peak percent percentile perplexity power \
    ppl prefill qps quality ram response reward rps rss runtime score skipped speed speedup std \
    stddev stdev success temp tflops throughput time tpot tps tput ttft usage used util \
    utilization variance vram wall watts 延迟 吞吐 耗时";

/// Settings made before a run.
const SETTING: &str = "\
    batch batchsize beam bits block blocks bs cap chunk clients conc concurrency concurrent \
    context cores ctx depth devices dp dtype ep experts gpus heads input inputs instances \
    isl layers len length level limit lora max ngl nodes npus osl parallel parallelism \
    params pp precision prompts quant quantization rank rate ranks replicas scale sequences \
    shards size slo stages target temperature thread threads threshold timeout top tp ubatch \
    users vus warmup width window workers 并发";

/// Of words that are set, those that make a setting of what would else be measured: `latency_target`.
const SETTING_OF_MEASURED: &str = "\
    budget cap configured interval limit max_tokens offered requested slo target threshold \
    timeout warmup";

/// Ends of the names of rates.
const PER: &str = "\
    _per_gpu _per_hour _per_iteration _per_joule _per_min _per_minute _per_op _per_prompt \
    _per_req _per_request _per_s _per_sec _per_second _per_step _per_tok _per_token \
    _per_user _per_watt";

/// Columns that count a clock or steps of one run.
const CLOCK: &str = "\
    clock elapsed elapsed_s elapsed_sec elapsed_seconds elapsed_time epoch global_step \
    relative_time sec second seconds step steps t tick time time_s time_sec timestamp ts \
    uptime uptime_s";

/// Columns that only logs of a training have.
const TRAINING: &str = "grad_norm learning_rate loss lr train_loss";

/// Words in the names of what a monitor samples while something else runs.
const SAMPLED: &str = "\
    clock cpu fan gpu mem memory mhz power ram rss sm temp temperature used util utilization \
    vram watts";

/// Levels in which repeats may be nested.
const LEVEL: &str = "fork host hostname instance invocation machine node process server session start suite vm worker";

/// Text that a request sends.
const PROMPT: &str = "content input input_text prompt query question text";

/// Names of the number of values behind an average.
const RUNS_BEHIND: &str = "n n_runs num_runs runs repeats repetitions reps n_reps num_repeats";

/// A name in lower case, with `_` between its words: `maxBatchSize (tokens)` is `max_batch_size`.
pub(crate) fn plain(name: &str) -> String {
    let name = name.trim();
    let mut apart = String::with_capacity(name.len() + 4);
    let mut lower = false;
    for c in name.chars() {
        if lower && c.is_uppercase() {
            apart.push('_');
        }
        lower = c.is_lowercase() || c.is_ascii_digit();
        apart.push(c);
    }
    let bare = apart.split(['(', '[']).next().filter(|bare| !bare.trim().is_empty());
    let bare = bare.unwrap_or(&apart).trim().to_lowercase();
    bare.replace([' ', '-', '.', '/'], "_").trim_matches('_').to_owned()
}

/// Whether a list has a word.
fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

fn words(plain: &str) -> impl Iterator<Item = &str> {
    plain.split('_').filter(|word| !word.is_empty())
}

/// Role of a column of numbers by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    Measured,
    Setting,
    /// It counts something.
    Count,
    Nothing,
}

/// The role by the name; `unit`: it has a unit of measurement.
pub(crate) fn says_of_numbers(name: &str, unit: bool) -> Says {
    let plain = plain(name);
    let any = |list| words(&plain).any(|word| has(list, word));
    let rate = split_unit(name).1.is_some_and(|unit| unit.contains('/'))
        || PER.split(' ').any(|per| plain.ends_with(per))
        || name.to_lowercase().contains("/s");
    let measured = unit || rate || any(MEASURED);
    let percentile = words(&plain).any(|word| {
        word.strip_prefix('p').is_some_and(|digits| {
            (1..=4).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
        })
    });
    let measured = measured || percentile || matches!(&*plain, "max" | "min");
    let counts = words(&plain).next().is_some_and(|word| matches!(word, "n" | "num" | "number"))
        || plain.ends_with("_count")
        || plain.contains("_per_")
        || counts_runs(name);
    match (measured, any(SETTING)) {
        // A share of the memory that a server may take.
        (true, _) if any(SETTING_OF_MEASURED) || plain == "gpu_memory_utilization" => Says::Setting,
        (true, _) => Says::Measured,
        (false, true) => Says::Setting,
        (false, false) if counts => Says::Count,
        (false, false) => Says::Nothing,
    }
}

/// Whether a name is that of an identifier of runs.
pub(crate) fn is_identity(name: &str) -> bool {
    let plain = plain(name);
    has(IDENTITY, &plain)
        || RUN.contains(&plain.as_str())
        || role_of(name) == Role::Request
        || IDENTITY_ENDS.split(' ').any(|end| plain.ends_with(end))
}

/// Whether such a name may be that of a setting.
pub(crate) fn may_be_setting(name: &str) -> bool {
    has(MAY_BE_SETTING, &plain(name))
}

pub(crate) fn is_remark(name: &str) -> bool {
    has(REMARK, &plain(name))
}

pub(crate) fn is_outcome_text(name: &str) -> bool {
    has(OUTCOME_TEXT, &plain(name))
}

pub(crate) fn is_clock(name: &str) -> bool {
    has(CLOCK, &name.trim().to_lowercase()) || has(CLOCK, &plain(name))
}

pub(crate) fn is_of_training(name: &str) -> bool {
    has(TRAINING, &plain(name))
}

/// Whether a monitor samples it while something else runs.
pub(crate) fn is_sampled(name: &str) -> bool {
    words(&plain(name)).any(|word| has(SAMPLED, word))
}

/// Whether repeats may be nested in it.
pub(crate) fn is_level(name: &str) -> bool {
    has(LEVEL, &plain(name))
}

pub(crate) fn is_prompt(name: &str) -> bool {
    has(PROMPT, &plain(name))
}

/// Whether a list under this name has a value for each run: `runs_seconds`, `trials`.
pub(crate) fn is_list_of_runs(name: &str) -> bool {
    words(&plain(name)).any(|word| has("runs repeats repetitions trials", word))
}

pub(crate) fn counts_runs(name: &str) -> bool {
    has(RUNS_BEHIND, &plain(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_numbers_under_them_are() {
        for (name, unit, says) in [
            ("batch_size", false, Says::Setting),
            ("maxBatchSize", false, Says::Setting),
            ("total_kv_blocks", false, Says::Setting),
            ("requests_per_run", false, Says::Count),
            ("latency_target_ms", true, Says::Setting),
            ("batch_latency", false, Says::Measured),
            ("Tokens/sec", false, Says::Measured),
            ("p95", false, Says::Measured),
            ("p95_latency", false, Says::Measured),
            ("tp", false, Says::Setting),
            ("widgets", false, Says::Nothing),
        ] {
            assert_eq!(says_of_numbers(name, unit), says, "{name}");
        }
        assert_eq!(plain("maxBatchSize (tokens)"), "max_batch_size");
        assert!(is_identity("__run_id") && is_identity("start_timestamp") && !is_identity("gpu"));
    }
}
