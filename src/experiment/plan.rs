//! From the flags to a plan: the variants with their commands, and the looks.

use std::path::{Path, PathBuf};

use beyondnoise::error::Error;
use beyondnoise::journal::{Plan, VERSION, VariantPlan};
use beyondnoise::policy::{RunSettings, Settings};

use crate::experiment::check::Ready;

/// Placeholders of commands.
const PLACEHOLDERS: [&str; 6] = ["{out}", "{dir}", "{round}", "{variant}", "{port}", "{seed}"];

/// Characters of a path that a shell leaves alone.
const PLAIN: &str = "/._-+@%:,";

/// The plan for `commands`, each `NAME=COMMAND`, and the settings; `args` and `folder` describe the call.
///
/// # Errors
///
/// [`Error::Usage`] for fewer than two variants, a variant without a command, a server without a ready check, and a
/// placeholder that does not exist.
pub(crate) fn plan(
    settings: &Settings,
    commands: &[String],
    (args, folder): (Vec<String>, PathBuf),
) -> Result<Plan, Error> {
    let run = &settings.run;
    let names = names(commands, run)?;
    let variants: Vec<VariantPlan> = names
        .iter()
        .map(|name| variant(name, &names, commands, (run, &folder)))
        .collect::<Result<_, _>>()?;
    Ok(Plan {
        journal: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        args,
        folder,
        variants,
        looks: looks(run),
        confidence: settings.policy.confidence,
        effect: run.effect,
        seed: settings.policy.resampling.seed,
        warmup: run.warmup,
        tries: run.tries.max(1),
        budget_s: run.budget,
        timeout_s: run.timeout,
        ready_timeout_s: run.ready_timeout,
        port: u16::try_from(run.port).unwrap_or(u16::MAX),
        keep_server: run.keep_server,
    })
}

/// The plan for a baseline and a candidate, each a name with its own command or else that from `--bench`.
///
/// # Errors
///
/// As [`plan`].
pub(crate) fn of_pair(
    settings: &Settings,
    pair: [(&str, Option<&str>); 2],
    called: (Vec<String>, PathBuf),
) -> Result<Plan, Error> {
    let names = pair.map(|(name, _)| name.to_owned());
    let mut commands = Vec::new();
    for (name, own) in pair {
        let of_all = || value(&settings.run.bench, name, &names);
        let Some(command) = own.map(str::to_owned).or_else(of_all) else {
            let problem = format!("expected a command that makes a run of {name}, found none");
            let remedy = format!(
                "write {name}='COMMAND', begin the ledger with --bench, or hand in runs with --baseline and --candidate"
            );
            return Err(Error::usage(problem, remedy));
        };
        commands.push(format!("{name}={command}"));
    }
    let run = RunSettings { bench: Vec::new(), ..settings.run.clone() };
    plan(&Settings { run, ..settings.clone() }, &commands, called)
}

/// The planned looks up to the largest number of runs, which is the last.
pub(crate) fn looks(run: &RunSettings) -> Vec<usize> {
    match run.max_runs {
        Some(most) => up_to(&run.looks, most),
        None => run.looks.clone(),
    }
}

/// The looks before `most` runs, and `most`.
pub(super) fn up_to(looks: &[usize], most: usize) -> Vec<usize> {
    let before = looks.iter().copied().filter(|runs| *runs < most);
    before.chain([most]).collect()
}

/// The labels of the variants: of the commands, and of the servers that name one.
fn names(commands: &[String], run: &RunSettings) -> Result<Vec<String>, Error> {
    let mut names: Vec<String> = Vec::new();
    for command in commands {
        let Some((name, _)) = named(command) else {
            return Err(Error::usage(
                format!("expected NAME=COMMAND, found {command}"),
                "name the variant: main='./a --size 9'",
            ));
        };
        if names.contains(&name) {
            return Err(Error::usage(
                format!("expected one command for {name}, found two"),
                "give each variant a name of its own",
            ));
        }
        names.push(name);
    }
    // Where commands name the variants, `KEY=VALUE serve ...` is a variable for the server of all.
    for serve in run.serve.iter().filter(|_| commands.is_empty()) {
        if let Some((name, _)) = named(serve)
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    let variable =
        |text: &&String| named(text).is_some_and(|(name, rest)| is_variable(&name, rest));
    if let Some(text) = commands
        .iter()
        .chain(&run.serve)
        .filter(|text| names.iter().any(|name| text.starts_with(name.as_str())))
        .find(variable)
    {
        return Err(Error::usage(
            format!(
                "expected NAME=COMMAND, found what looks like a variable of the environment: {text}"
            ),
            format!("give it with --env, or name the variant: main='{text}'"),
        ));
    }
    if names.len() < 2 {
        let found = if names.is_empty() { "none".to_owned() } else { format!("only {}", names[0]) };
        return Err(Error::usage(
            format!("expected two variants or more, found {found}"),
            "name each with its command, main='./a' pr='./b', or with its server, --serve main='vllm serve M' \
             --serve pr='...'",
        ));
    }
    Ok(names)
}

/// The name and the value of `NAME=VALUE`, where the name is a word.
pub(crate) fn named(text: &str) -> Option<(String, &str)> {
    let (name, value) = text.split_once('=')?;
    let word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_.+".contains(c));
    (word && !value.trim().is_empty()).then(|| (name.to_owned(), value))
}

/// Whether a word is rather a variable before a command than the name of a variant: `OMP_NUM_THREADS=8 ./a`.
fn is_variable(name: &str, rest: &str) -> bool {
    let capitals = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let number = |word: &str| word.chars().all(|c| c.is_ascii_digit() || c == ',');
    capitals && (name.contains('_') || rest.split_whitespace().next().is_some_and(number))
}

/// The values of a list for one variant: those with its name, and those without any name.
fn values<'a>(list: &'a [String], name: &str, names: &[String]) -> (Vec<&'a str>, Vec<&'a str>) {
    let (mut own, mut of_all) = (Vec::new(), Vec::new());
    for text in list {
        match text.split_once('=').filter(|(first, _)| names.iter().any(|known| known == first)) {
            Some((first, value)) if first == name => own.push(value),
            Some(_) => {}
            None => of_all.push(text.as_str()),
        }
    }
    (own, of_all)
}

/// The last value for a variant, or else the last for all.
fn value(list: &[String], name: &str, names: &[String]) -> Option<String> {
    let (own, of_all) = values(list, name, names);
    own.last().or(of_all.last()).map(|value| (*value).to_owned())
}

fn variant(
    name: &str,
    names: &[String],
    commands: &[String],
    (run, folder): (&RunSettings, &Path),
) -> Result<VariantPlan, Error> {
    let of = |list: &[String]| value(list, name, names);
    let Some(bench) = bench(name, names, commands, run)? else {
        let problem = format!("expected a command that makes a run of {name}, found none");
        return Err(Error::usage(problem, format!("give --bench, or {name}='COMMAND'")));
    };
    let (own, of_all) = values(&run.env, name, names);
    let mut env = Vec::new();
    for text in of_all.into_iter().chain(own) {
        let Some((key, value)) = text.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            let problem = format!("expected KEY=VALUE after --env, found {text}");
            return Err(Error::usage(problem, "write --env KEY=VALUE or --env NAME=KEY=VALUE"));
        };
        env.push((key.to_owned(), value.to_owned()));
    }
    let variant = VariantPlan {
        name: name.to_owned(),
        serve: of(&run.serve),
        ready: of(&run.ready),
        bench,
        before: of(&run.before),
        after: of(&run.after),
        version: of(&run.version),
        folder: of(&run.cwd).map_or_else(|| folder.to_owned(), |cwd| folder.join(cwd)),
        env,
    };
    check(&variant)?;
    Ok(variant)
}

/// The command that makes a run of a variant, where one is given.
fn bench(
    name: &str,
    names: &[String],
    commands: &[String],
    run: &RunSettings,
) -> Result<Option<String>, Error> {
    match (value(commands, name, names), value(&run.bench, name, names)) {
        (Some(_), Some(_)) => {
            let problem =
                format!("expected one benchmark command for {name}, found {name}=... and --bench");
            Err(Error::usage(problem, "leave out one of them"))
        }
        (command, bench) => Ok(command.or(bench)),
    }
}

/// The variants of `plan` that get other commands from `commands`, each `NAME=COMMAND`, and from the settings.
///
/// # Errors
///
/// [`Error::Usage`] for a name that is no variant of the plan, and what [`plan`] refuses in a variant.
pub(crate) fn repaired(
    plan: &Plan,
    run: &RunSettings,
    commands: &[String],
) -> Result<Vec<VariantPlan>, Error> {
    let names: Vec<String> = plan.variants.iter().map(|variant| variant.name.clone()).collect();
    let known = |text: &&String| named(text).is_some_and(|(name, _)| names.contains(&name));
    if let Some(other) = commands.iter().find(|text| !known(text)) {
        return Err(Error::usage(
            format!("expected NAME=COMMAND of {} with --resume, found {other}", names.join(", ")),
            "begin in another folder for other variants",
        ));
    }
    let mut changed = Vec::new();
    for old in &plan.variants {
        let name = &old.name;
        let of = |list: &[String], old: &Option<String>| {
            value(list, name, &names).or_else(|| old.clone())
        };
        let new = VariantPlan {
            serve: of(&run.serve, &old.serve),
            ready: of(&run.ready, &old.ready),
            bench: bench(name, &names, commands, run)?.unwrap_or_else(|| old.bench.clone()),
            before: of(&run.before, &old.before),
            after: of(&run.after, &old.after),
            version: of(&run.version, &old.version),
            ..old.clone()
        };
        if new != *old {
            check(&new)?;
            changed.push(new);
        }
    }
    Ok(changed)
}

/// Refuses a server without a ready check, a folder that is not there, and a word in braces that looks like a placeholder
/// and is none.
fn check(variant: &VariantPlan) -> Result<(), Error> {
    let VariantPlan { name, serve, ready, bench, before, after, version, folder, .. } = variant;
    if serve.is_some() && ready.is_none() {
        let problem =
            format!("expected a way to see that the server of {name} is ready, found none");
        return Err(Error::usage(problem, "give --ready http://localhost:{port}/health"));
    }
    if let Some(ready) = ready {
        Ready::parse(&ready.replace("{port}", "8000"))?;
    }
    if !folder.is_dir() {
        let problem = format!("expected the folder {} of {name}, found none", folder.display());
        return Err(Error::usage(problem, "give a folder that exists to --cwd"));
    }
    for command in [serve, ready, before, after, version].into_iter().flatten().chain([bench]) {
        for (at, _) in command.match_indices('{') {
            let word: String =
                command[at + 1..].chars().take_while(char::is_ascii_lowercase).collect();
            let written = format!("{{{word}}}");
            let whole = !word.is_empty() && command[at..].starts_with(&written);
            // `${name}` is the shell's.
            if whole && !command[..at].ends_with('$') && !PLACEHOLDERS.contains(&&*written) {
                let known = PLACEHOLDERS.join(", ");
                let problem = format!("expected one of {known}, found {written} in: {command}");
                return Err(Error::usage(problem, "correct it, or put a space inside the braces"));
            }
        }
    }
    Ok(())
}

/// The values of the placeholders in one run.
pub(super) struct Values<'a> {
    pub(super) folder: &'a Path,
    pub(super) round: usize,
    pub(super) variant: &'a str,
    pub(super) port: u16,
    pub(super) seed: u64,
}

impl Values<'_> {
    /// The file that a benchmark writes to `{out}`.
    pub(super) fn out(&self) -> PathBuf {
        self.folder.join("result.json")
    }

    /// A command with its placeholders filled in.
    pub(super) fn fill(&self, command: &str) -> String {
        let seed = (self.seed.wrapping_add(self.round as u64) % (1 << 31)).to_string();
        let values = [
            self.out().display().to_string(),
            self.folder.display().to_string(),
            self.round.to_string(),
            self.variant.to_owned(),
            self.port.to_string(),
            seed,
        ];
        let filled = PLACEHOLDERS.iter().zip(values);
        filled.fold(command.to_owned(), |command, (name, value)| command.replace(name, &value))
    }
}

/// Whether a benchmark command writes a file, by its placeholders.
pub(crate) fn writes_a_file(bench: &str) -> bool {
    bench.contains("{out}") || bench.contains("{dir}")
}

/// Refuses a folder whose path a shell would take apart.
pub(super) fn check_path(folder: &Path) -> Result<(), Error> {
    let path = folder.display().to_string();
    let odd = path.chars().find(|c| !c.is_alphanumeric() && !PLAIN.contains(*c));
    let Some(odd) = odd else { return Ok(()) };
    let problem = format!(
        "expected a path of letters, digits and {PLAIN} for the runs, found {odd:?} in {path}"
    );
    Err(Error::usage(
        problem,
        "give another folder to -o, since the path stands in commands of the shell",
    ))
}
