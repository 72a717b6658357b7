//! Words in the names of columns and keys that show their role, lower case.

use crate::table::request_names::{Role, role_of};
use beyondnoise_model::metrics::words::{Says, meaning};

/// The run, a repeat or an iteration by its number, from the outer level of repeats to the inner.
#[rustfmt::skip]
pub(crate) const RUN: &[&str] = &[
    "run", "run_id", "__run_id", "run_number", "run_no", "run_idx", "run_index", "run_name", "rep", "repeat",
    "repetition", "replicate", "trial", "try", "round", "attempt", "轮次", "iteration", "iter", "repetición", "repeticion",
    "repetição", "repeticao", "répétition", "wiederholung", "durchlauf", "iteración", "iteracion", "iteração", "iteracao",
    "повтор", "次数",
];

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

/// Groups in which runs are made, by themselves; with another word they are settings: `batch_size`.
const GROUP: &str = "batch block";

/// Names of columns of cases, which all variants go through.
const CASE: &str = "\
    benchmark case category dataset endpoint input op operation problem profile prompt query route scenario section \
    stage suite task test url workload";

/// Text that a request sends.
const PROMPT: &str = "content input input_text prompt query question text";

/// Names of the number of values behind an average.
const RUNS_BEHIND: &str = "\
    n n_runs num_runs runs repeats repetitions reps n_reps num_repeats count counts trials n_trials num_trials samples \
    n_samples num_samples rounds iterations n_iterations";

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

/// Identifiers whose values never are settings, however often they come back.
const NEVER_SET: &str = "\
    seed time timestamp date datetime uuid guid hash sha sha1 sha256 md5 pid stamp started 时间 日期";

/// Whether a name is that of the build of something: `vllm_version`, `docker image`, `git commit hash`.
pub(crate) fn is_build(name: &str) -> bool {
    let plain = plain(name);
    let mut words = words(&plain).collect::<Vec<_>>();
    if words.len() < 2 {
        return false;
    }
    let hashed = words.pop_if(|word| has("hash sha id tag", word)).is_some();
    let builds = if hashed { "commit image build git" } else { "version commit revision" };
    // A `test_image` is what was worked on.
    let packed =
        || words.windows(2).any(|two| has("docker container build", two[0]) && two[1] == "image");
    (words.last().is_some_and(|word| has(builds, word)) || packed()) && !words.contains(&"schema")
}

/// Whether a name is that of an identifier of runs.
pub(crate) fn is_identity(name: &str) -> bool {
    let says = meaning(name).says;
    // `req_s` is a rate.
    let request = says != Says::Measured && role_of(name) == Role::Request;
    says == Says::Identity || is_run(name) || request
}

/// Whether a name is that of a place where something lies.
pub(crate) fn is_place(name: &str) -> bool {
    words(&plain(name)).last().is_some_and(|word| has("path url script log", word))
}

/// Whether a name is that of a run, a repeat or an iteration.
pub(crate) fn is_run(name: &str) -> bool {
    RUN.contains(&plain(name).as_str())
}

/// Whether the values of an identifier may be those of a setting.
pub(crate) fn may_be_setting(name: &str) -> bool {
    !words(&plain(name)).any(|word| has(NEVER_SET, word))
}

pub(crate) fn is_remark(name: &str) -> bool {
    meaning(name).says == Says::Remark
}

/// Whether a name is that of words on results.
pub(crate) fn is_of_results(name: &str) -> bool {
    has("result results outcome verdict winner conclusion finding findings 结果 结论", &plain(name))
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

/// Whether a name is that of a group of runs.
pub(crate) fn is_group(name: &str) -> bool {
    has(GROUP, &plain(name))
}

/// Whether a name is that of cases: its last word, or the one before `name`.
pub(crate) fn is_case(name: &str) -> bool {
    let plain = plain(name);
    words(plain.strip_suffix("_name").unwrap_or(&plain)).last().is_some_and(|word| has(CASE, word))
}

/// Whether a name is that of a model with its size: `Llama-3.1-8B-Instruct`, `Mixtral-8x7B`, `gemma2:9b-q8_0`.
pub(crate) fn is_sized_model(name: &str) -> bool {
    let size = |word: &str| {
        let number = word.strip_suffix(['b', 'B']).unwrap_or_default();
        number.starts_with(|c: char| c.is_ascii_digit())
            && number.chars().all(|c| c.is_ascii_digit() || ".x".contains(c))
    };
    let mut words = name.split(['-', '_', ':', '/', ' ', '(', ')']);
    let first = words.next().unwrap_or_default();
    first.starts_with(char::is_alphabetic) && words.any(size)
}

/// Whether a name is one of the sizes between which `base` is no side.
pub(crate) fn is_size(name: &str) -> bool {
    has("nano tiny mini small medium large xlarge xl xxl huge giant", &name.trim().to_lowercase())
}

/// Words for work in scripts that do not separate words.
const CASE_PARTS: &[&str] = &[
    "负载",
    "数据集",
    "场景",
    "任务",
    "シナリオ",
    "データセット",
    "タスク",
    "워크로드",
    "데이터셋",
];

/// Whether a text speaks of the work that is done: a word of it names cases.
pub(crate) fn speaks_of_work(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let says = |word: &str| ["workload", "workloads", "dataset", "scenario"].contains(&word);
    words.any(says) || CASE_PARTS.iter().any(|part| lower.contains(part))
}

pub(crate) fn is_prompt(name: &str) -> bool {
    has(PROMPT, &plain(name))
}

/// Whether a list under this name has a value for each run: `runs_seconds`, `trials`.
pub(crate) fn is_list_of_runs(name: &str) -> bool {
    words(&plain(name)).any(|word| has("runs repeats repetitions trials", word))
}

/// Whether a name is that of the number of runs behind an average.
pub(crate) fn counts_runs(name: &str) -> bool {
    has(RUNS_BEHIND, &plain(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_show_identifiers() {
        assert_eq!(plain("maxBatchSize (tokens)"), "max_batch_size");
        for name in ["__run_id", "start_timestamp", "Run #", "job_id", "次数"] {
            assert!(is_identity(name), "{name}");
        }
        for name in ["gpu", "run_time", "runs"] {
            assert!(!is_identity(name), "{name}");
        }
    }
}
