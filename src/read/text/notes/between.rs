//! Lines between blocks that are neither headings nor prose: commands, logs of the tools, settings.

use crate::kit::fields;
use crate::kit::figure::{Figure, figure};
use crate::text::headings::{framed, is_printed_value, is_time};
use beyondnoise_model::runs::{LabelHint, label_hint, seconds};

/// Kind of a line between two blocks.
#[derive(Debug, PartialEq)]
pub(crate) enum Between {
    /// A label, in a command or behind the header of a log.
    Label(String),
    /// Output of a tool, or a command.
    Noise,
    /// A setting of the run that follows.
    Setting(String, String),
    /// Another value with its name.
    Value,
    /// Text of a person.
    Text,
}

/// Longest value of a setting, in characters.
const MAX_SETTING_CHARS: usize = 40;

/// Starts of lines that clients and servers print before a result.
const PRINTED: &[&str] = &[
    "starting initial",
    "starting main",
    "starting benchmark",
    "starting profiler",
    "initial test run",
    "initial single prompt",
    "skipping endpoint",
    "waiting for",
    "warming up",
    "warmup run",
    "warmup completed",
    "stopping profiler",
    "loading model",
    "loading tokenizer",
    "loading safetensors",
    "downloading",
    "fetching ",
    "saving results",
    "results saved",
    "saved results",
    "sampled ",
    "benchmarking with",
    "finished in",
    "test request",
    "traceback (",
];

/// Programs whose name starts a command where an option or a path follows.
const PROGRAMS: &[&str] = &[
    "python",
    "python3",
    "vllm",
    "sglang",
    "bash",
    "sh",
    "docker",
    "kubectl",
    "curl",
    "export",
    "cd",
    "numactl",
    "nsys",
    "torchrun",
    "taskset",
    "sudo",
    "source",
    "pip",
    "uv",
    "make",
    "sbatch",
    "srun",
    "nohup",
    "time",
    "trtllm-bench",
    "genai-perf",
    "aiperf",
    "guidellm",
];

/// Commands of two words.
const COMMANDS: &[&str] = &[
    "vllm serve",
    "vllm bench",
    "sglang serve",
    "sglang bench",
    "git checkout",
    "git switch",
    "git pull",
    "git stash",
    "git reset",
    "git rebase",
    "git apply",
    "git cherry-pick",
    "docker run",
    "docker exec",
    "docker compose",
];

/// Classifies a line outside of blocks.
pub(crate) fn between(line: &str) -> Between {
    let label = |label: Option<String>| label.map_or(Between::Noise, Between::Label);
    let line = line.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).unwrap_or(line);
    if let Some(command) = behind_prompt(line) {
        return label(label_of_command(command));
    }
    if let Some(text) = behind_log_header(line) {
        let words = text.split_whitespace().count();
        let says = label_hint(text) != LabelHint::Neither && words <= 3;
        let named = framed(text).or(Some(text).filter(|text| says && !text.contains([':', '='])));
        return label(named.map(str::to_owned));
    }
    let lower = line.trim_start_matches(['#', ' ', '>', '[']).to_lowercase();
    let printed = PRINTED.iter().any(|start| lower.starts_with(start)) && !lower.ends_with(':');
    let progress = ["it/s]", "s/it]", "[00:"].iter().any(|mark| line.contains(mark));
    // A date with a time was written by a tool.
    let times = line.split_whitespace().filter(|word| is_time(word)).count();
    // `0.12.7:` is a version.
    let version = |text: &str| text.chars().filter(|c| *c == '.').count() > 1;
    let bare = line.strip_suffix(':').unwrap_or(line);
    let numbered = bare.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let named = line.contains(char::is_alphabetic)
        || line.ends_with(':') && version(bare)
        || numbered && version(bare);
    // `warm-1  wall= 30.17s`
    let warming = lower.starts_with("warm")
        && line
            .split_once('=')
            .is_some_and(|(_, rest)| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    if times > 1
        || progress
        || printed
        || warming
        || is_telemetry(line)
        || !named
        || is_printed_value(line.trim())
    {
        return Between::Noise;
    }
    // A variable of the shell alone that is a word says what is below: `BACKEND=FLASHINFER`.
    if is_variable(line) {
        return Between::Label(line.to_owned());
    }
    if is_command(line) {
        return label(label_of_command(line));
    }
    let load = || {
        // `Batch size: 8, config: {...}`
        let (first, _) = line.split_once(", ")?;
        let (key, value) = first.split_once(": ").filter(|_| fields::sets_load(first))?;
        Some(Between::Setting(key.trim().to_owned(), value.trim().to_owned()))
    };
    load().or_else(|| setting(line)).or_else(|| side_before_values(line)).unwrap_or(Between::Text)
}

/// Whether a line states how a device was: `gpu after: 54, 1875 MHz, 17.65 W`.
fn is_telemetry(line: &str) -> bool {
    let Some((label, values)) = line.rsplit_once(": ") else { return false };
    let parts: Vec<Option<Figure>> =
        values.split(',').map(|part| figure(part.trim(), false)).collect();
    let of_device = |found: &Figure| ["MHz", "GHz", "W", "°C", "C", "RPM"].contains(&&*found.unit);
    let told = |part: &Option<Figure>| {
        part.as_ref().is_some_and(|found| found.unit.is_empty() || of_device(found))
    };
    label.len() <= 40
        && parts.len() > 1
        && parts.iter().all(told)
        && parts.iter().flatten().filter(|found| of_device(found)).count() > 1
}

/// Whether a line gives a variable of the shell a word, and does nothing else.
pub(super) fn is_variable(line: &str) -> bool {
    let capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    line.split_once('=').is_some_and(|(name, value)| {
        let plain = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        !name.is_empty()
            && name.chars().all(capital)
            && value.contains(char::is_alphabetic)
            && value.chars().all(plain)
    })
}

/// The side that begins a line of values: `after pr, Mean TTFT (ms): 16674.87, before pr Mean TTFT (ms): 19796.55`.
fn side_before_values(line: &str) -> Option<Between> {
    let (side, values) = line.split_once([',', '，'])?;
    let words = side.split_whitespace().count();
    let says = label_hint(side) != LabelHint::Neither && words <= 3 && !side.contains([':', '=']);
    let figures = values
        .split([':', '：'])
        .skip(1)
        .any(|value| value.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    (says && figures).then(|| Between::Label(side.trim().to_owned()))
}

/// The command of a line, behind the prompt of a shell or without one.
pub(crate) fn command_of(line: &str) -> Option<&str> {
    // In marks of code.
    let line = line.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).unwrap_or(line);
    behind_prompt(line).or_else(|| Some(line).filter(|line| is_command(line)))
}

/// The command behind the prompt of a shell.
fn behind_prompt(line: &str) -> Option<&str> {
    if let Some(command) = line.strip_prefix("$ ").or_else(|| line.strip_prefix("❯ ")) {
        return Some(command.trim());
    }
    if let Some((_, command)) = line.split_once("> ").filter(|_| line.starts_with("PS ")) {
        return Some(command.trim());
    }
    // `user@host:~$ ls`, `(env) root@host:/work# ls`, `[user@host work]$ ls`.
    let ends = ["$ ", "# "].into_iter().filter_map(|mark| Some((line.find(mark)?, mark)));
    let (at, mark) = ends.min()?;
    let prompt = &line[..at];
    (prompt.contains('@') && prompt.chars().count() < 80).then(|| line[at + mark.len()..].trim())
}

/// Whether a line without a prompt is a command.
fn is_command(line: &str) -> bool {
    let mut words = line.split_whitespace().skip_while(|word| {
        let name = word.split_once('=').map_or("", |(name, _)| name);
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    });
    let Some(first) = words.next() else { return line.contains('=') };
    let option = |word: &str| {
        let name = word.strip_prefix("--");
        name.is_some_and(|name| name.starts_with(char::is_alphanumeric))
    };
    let argument = |word: &str| word.starts_with('-') || word.contains('/') || word.contains(".py");
    // `go test -count=5 -bench .`
    let flag = |word: &str| {
        let name = word.strip_prefix('-');
        name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
    };
    let flags = || words.clone().filter(|word| flag(word)).count();
    // `new flags, -ncmoe 18 -ub 384` is a label.
    let before: Vec<&str> = line.split_whitespace().take_while(|word| !flag(word)).collect();
    let labelled = label_hint(&before.join(" ")) != LabelHint::Neither;
    let named = first.starts_with(|c: char| c.is_ascii_lowercase())
        && first.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c));
    let pair = words.clone().next().map(|second| format!("{first} {second}"));
    first.starts_with("./")
        || PROGRAMS.contains(&first) && words.clone().any(argument)
        || named && flags() > 1 && !labelled
        || pair.is_some_and(|pair| COMMANDS.contains(&&*pair))
        || !option(first) && !line.contains(", --") && words.any(option)
        || line.ends_with(" \\")
}

/// The label in a command: that of a comment, of the text that it prints, of the branch that it checks out, or an
/// argument that names a side.
fn label_of_command(command: &str) -> Option<String> {
    let plain = |text: &str| {
        let text = text.trim().trim_matches(['"', '\'', ' ']);
        let text = framed(text).unwrap_or(text).trim_end_matches([':', '：']).trim();
        (!text.is_empty() && text.chars().count() <= MAX_SETTING_CHARS).then(|| text.to_owned())
    };
    if let Some(comment) = command.strip_prefix('#') {
        return plain(comment);
    }
    if let Some(comment) = command.rsplit_once(" # ").and_then(|(_, comment)| plain(comment)) {
        return Some(comment);
    }
    if let Some(text) = command.strip_prefix("echo ") {
        return plain(text.trim_start().trim_start_matches("-e "));
    }
    let mut words = command.split_whitespace();
    let command = command.strip_prefix("time ").unwrap_or(command).trim_start();
    // A program of one's own may have the name: `./bench_old`.
    let program = command.strip_prefix("./").and_then(|rest| rest.split_whitespace().next());
    if let Some(program) = program.filter(|name| label_hint(name) != LabelHint::Neither) {
        return plain(program);
    }
    let first = words.next()?;
    let second = words.clone().next();
    if first == "git" && matches!(second, Some("checkout" | "switch")) {
        return words.rfind(|word| !word.starts_with('-')).and_then(plain);
    }
    let says = |word: &str| -> Option<String> {
        // A file of results may have the name, such as `out/after.json`.
        let file = word.rsplit(['/', '=']).next().unwrap_or(word);
        let (stem, ending) = file.rsplit_once('.').unwrap_or((file, "txt"));
        let data = ["txt", "json", "jsonl", "log", "csv", "md", "out"].contains(&ending);
        let side = label_hint(stem) != LabelHint::Neither;
        (data && side && stem.chars().all(char::is_alphanumeric)).then(|| stem.to_owned())
    };
    words.find_map(says)
}

/// The text behind the header of a log line, a time or a level: `INFO 11-21 01:49:22 [serve.py:1] text`.
pub(crate) fn behind_log_header(line: &str) -> Option<&str> {
    let mut rest = line.trim();
    let mut sure = false;
    loop {
        let word = rest.split_whitespace().next().unwrap_or_default();
        let bare = word.trim_matches(['[', ']', ':', '(', ')']);
        let level = ["INFO", "WARN", "WARNING", "ERROR", "DEBUG", "TRACE"].contains(&bare);
        let time = is_time(bare);
        let bracket = [('[', ']'), ('(', ')')].into_iter().find_map(|(open, close)| {
            let at = rest.strip_prefix(open)?.find(close)? + 2;
            Some(at).filter(|_| sure || rest.contains("pid="))
        });
        let length = if level || time { word.len() } else { bracket.unwrap_or(0) };
        let length = if length == 0 && sure && (word == "-" || word == "|") { 1 } else { length };
        if length == 0 {
            return sure.then_some(rest);
        }
        sure |= level || time;
        rest = rest[length..].trim_start();
    }
}

/// A line `Key: word` that describes the following run.
fn setting(line: &str) -> Option<Between> {
    let line = line.trim_start_matches(['#', ' ', '-', '*', '>']);
    let (key, value) = line.split_once([':', '：']).or_else(|| line.split_once(" = "))?;
    let (key, value) = (key.trim().trim_matches('*'), value.trim().trim_matches(['*', ' ']));
    if value.is_empty() || key.split_whitespace().count() > 4 || key.is_empty() {
        return None;
    }
    // `e07c114 = this commit` says which build is below.
    if fields::is_hash(key) && key.contains(char::is_alphabetic) {
        return None;
    }
    let words = value.split_whitespace().count();
    // `concurrency: 16` names the load of what is below.
    if fields::sets_load(&format!("{key}={value}")) && !key.contains('_') {
        return Some(Between::Label(format!("{key}={value}")));
    }
    if is_setting(key, value) {
        return Some(Between::Setting(key.to_owned(), value.to_owned()));
    }
    // A sentence behind a colon is text.
    let number = value.chars().any(|c| c.is_ascii_digit());
    (words <= 3 || number || value.contains(['/', '{', '['])).then_some(Between::Value)
}

/// Words of keys that name one run and no setting.
const OF_ONE_RUN: &[&str] = &[
    "id",
    "time",
    "date",
    "timestamp",
    "start",
    "started",
    "end",
    "ended",
    "elapsed",
    "duration",
    "file",
    "path",
    "output",
    "log",
    "seed",
    "port",
    "pid",
    "uuid",
    "url",
    "info",
    "warning",
    "error",
    "debug",
    "note",
    "saved",
    "finished",
    "result",
    "results",
    "run",
    "todo",
    "total",
    "progress",
    "tip",
];

/// Whether a line `key: value` of a printed block states a setting by a word.
pub(crate) fn is_setting(key: &str, value: &str) -> bool {
    let lower = key.to_lowercase();
    let words = || lower.split([' ', '_', '-', '(', ')']);
    let letters = key.chars().next().is_some_and(char::is_alphabetic);
    letters
        && key.chars().count() <= MAX_SETTING_CHARS
        && words().count() <= 4
        && !words().any(|word| OF_ONE_RUN.contains(&word))
        && value.chars().any(char::is_alphabetic)
        && value.chars().count() <= MAX_SETTING_CHARS
        && value.split_whitespace().count() <= 3
        && !value.contains(['{', '[', '/', '"', '|', '%', '\\', '='])
        && !["n/a", "none", "null", "not set", "nan", "inf"].contains(&&*value.to_lowercase())
        && value.chars().all(|c| c != ':')
        && seconds(value).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_logs_are_noise_unless_they_name_a_side() {
        let label = |text: &str| Between::Label(text.to_owned());
        for (line, expected) in [
            ("$ vllm bench serve --model x", Between::Noise),
            ("root@61934144cffb:/# python /workspace/bench.py", Between::Noise),
            ("user@host:~/x$ ./bench.sh before", label("before")),
            ("(env) user@host:~$ git checkout -f fast-path", label("fast-path")),
            ("$ # after", label("after")),
            ("$ time ./bench_old --seconds 3", label("bench_old")),
            ("$ echo '=== after ==='", label("after")),
            ("PS C:\\bench> python bench.py --out x", Between::Noise),
            ("CUDA_VISIBLE_DEVICES=0 python bench.py", Between::Noise),
            ("INFO 11-21 01:49:22 [serve.py:1] before", label("before")),
            ("2026-11-21 01:49:22 INFO - === new kernel ===", label("new kernel")),
            ("INFO 11-21 01:49:22 [serve.py:1] Server is up", Between::Noise),
            ("Starting initial single prompt test run...", Between::Noise),
            ("100%|███| 8/8 [00:01<00:00,  4.27it/s]", Between::Noise),
            ("Kernel: triton", Between::Setting("Kernel".into(), "triton".into())),
            ("Tokenizer time: fast", Between::Value),
            ("#Input tokens: 360334", Between::Value),
            ("vllm 0.9", Between::Text),
            ("initial version", Between::Text),
            ("new kernel", Between::Text),
            ("Note: the machine was busy when this one ran", Between::Text),
        ] {
            assert_eq!(between(line), expected, "{line}");
        }
    }
}
