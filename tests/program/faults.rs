//! What goes wrong around the program: files that cannot be read or written, pipes that close, disks that are
//! full, packed and nested input without an end. Each ends in a report or in one message, and old reports
//! are left whole.
//!
//! The slow ones need `BEYONDNOISE_SLOW`, which `.ci/run` sets.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

const EXE: &str = env!("CARGO_BIN_EXE_beyondnoise");

fn program() -> Command {
    let mut command = Command::new(EXE);
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// Runs a line of the shell, in which `$0` is the program.
fn shell(folder: &Path, line: &str) -> Output {
    let done = Command::new("sh").arg("-c").arg(line).arg(EXE).current_dir(folder).output();
    sound(done.expect("a shell"))
}

fn run(args: &[&str]) -> Output {
    sound(program().args(args).output().expect("the executable runs"))
}

fn said(done: &Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

/// The program ended by itself, and said nothing that a terminal would obey.
fn sound(done: Output) -> Output {
    let said = said(&done);
    assert!(matches!(done.status.code(), Some(0..=3)), "{:?}: {said}", done.status);
    assert!(!said.contains("panicked") && !said.contains("overflow"), "{said}");
    assert!(!said.chars().any(|c| c != '\n' && c.is_control()), "{said:?}");
    done
}

/// The program stopped with one message that has all these parts.
fn refused(done: &Output, parts: &[&str]) {
    let said = said(done);
    assert_eq!(done.status.code(), Some(2), "{said}");
    for part in parts {
        assert!(said.contains(part), "expected {part:?} in: {said}");
    }
    assert_eq!(said.lines().count(), 1, "{said}");
}

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_owned();
    (folder, path)
}

/// Two variants with `runs` runs and `metrics` metrics each, of which the second is slower by 10 %.
fn table(cells: usize, runs: usize) -> String {
    let mut text = "cell,variant,run,mean_ttft_ms,output_throughput\n".to_owned();
    for cell in 0..cells {
        for (variant, factor) in [("before", 1.0), ("after", 1.1)] {
            for run in 0..runs {
                let ripple = 1.0 + 0.01 * ((7 * run + cell) as f64).sin();
                let (ttft, rate) = (50.0 * factor * ripple, 300.0 / factor * ripple);
                let row = format!("c{cell},{variant},{run},{ttft:.3},{rate:.3}\n");
                text.push_str(&row);
            }
        }
    }
    text
}

fn write(folder: &Path, name: impl AsRef<OsStr>, bytes: impl AsRef<[u8]>) -> String {
    let path = folder.join(name.as_ref());
    fs::write(&path, bytes).expect("a file");
    path.display().to_string()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.map(|entry| name(entry.expect("an entry"))).collect();
    names.sort();
    names
}

fn slow() -> bool {
    std::env::var_os("BEYONDNOISE_SLOW").is_some_and(|value| value != "0")
}

#[test]
fn what_cannot_be_read_is_named() {
    let (_guard, folder) = place();
    let path = |name: &str| folder.join(name).display().to_string();
    fs::create_dir(folder.join("folder.json")).expect("a folder");
    symlink(folder.join("gone"), folder.join("dangling.json")).expect("a link");
    symlink(folder.join("b"), folder.join("a")).expect("a link");
    symlink(folder.join("a"), folder.join("b")).expect("a link");
    refused(&run(&["show", &path("missing.json")]), &["cannot read", "missing.json"]);
    refused(
        &run(&["show", &path("folder.json")]),
        &["folder.json", "found an empty folder", "give"],
    );
    refused(&run(&["show", &path("dangling.json")]), &["cannot read", "dangling.json"]);
    refused(&run(&["show", &path("a")]), &["cannot read"]);
    refused(&run(&["show", &format!("main={}", path("missing.json"))]), &["cannot read"]);
    if Path::new("/proc/self/mem").exists() {
        refused(&run(&["show", "/proc/self/mem"]), &["cannot read /proc/self/mem"]);
    }
    let config = path("folder.json");
    refused(&run(&["show", "data/serving", "--config", &config]), &["cannot read", "folder.json"]);
}

fn permit(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
}

/// What starts the program as a user who may not read `closed`; `None` where this one may, and cannot become another.
fn as_user_who_may_not(folder: &Path, closed: &Path) -> Option<String> {
    if fs::File::open(closed).is_err() {
        return Some("\"$0\"".to_owned());
    }
    let nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups";
    permit(folder, 0o755);
    fs::copy(EXE, folder.join(".program")).expect("a copy");
    let starts = shell(folder, &format!("{nobody} ./.program --version >/dev/null || exit 3"));
    starts.status.success().then(|| format!("{nobody} ./.program"))
}

#[test]
#[expect(clippy::print_stderr, reason = "says why nothing was tried")]
fn a_file_or_folder_without_permission_is_named_and_left_out_leniently() {
    let (_guard, folder) = place();
    let inputs = folder.join("inputs");
    fs::create_dir(&inputs).expect("a folder");
    write(&inputs, "good.csv", table(1, 3));
    for closed in ["closed.csv", "closed"] {
        let path = inputs.join(closed);
        if closed == "closed" {
            fs::create_dir(&path).expect("a folder");
            write(&path, "run.csv", table(1, 3));
        } else {
            write(&inputs, closed, table(1, 3));
        }
        permit(&path, 0o000);
        let Some(start) = as_user_who_may_not(&folder, &path) else {
            eprintln!("skipped: this user may read everything, and setpriv does not start");
            return;
        };
        for input in ["inputs", "'inputs/*'", "'inputs/**/*'", "'inputs/*/*' inputs/good.csv"] {
            if closed == "closed.csv" && input.starts_with("'inputs/*/*'") {
                continue;
            }
            let done = shell(&folder, &format!("{start} show {input}"));
            refused(&done, &["cannot read", closed]);
            let done = shell(&folder, &format!("{start} show {input} --lenient"));
            let shown = String::from_utf8_lossy(&done.stdout).into_owned();
            assert!(done.status.success() && shown.contains(closed), "{shown}{}", said(&done));
        }
        permit(&path, 0o755);
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
    }
}

/// Folders of which each has links to all others, which are more paths than can be walked.
#[test]
fn links_between_folders_are_followed_once() {
    let (_guard, folder) = place();
    let (_beside, out) = place();
    let out = out.join("out.csv");
    let folders = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    for name in folders {
        let inner = folder.join(name);
        fs::create_dir(&inner).expect("a folder");
        // Files of the same content would be one.
        write(&inner, "run.csv", table(1, 3).replace("c0,", &format!("{name},")));
        for other in folders {
            symlink(format!("../{other}"), inner.join(format!("to-{other}"))).expect("a link");
        }
    }
    for input in [".", "'**/*.csv'", "'./**/run.csv'", "'[a-j]/**/*.csv'"] {
        let line = format!("timeout 60 \"$0\" convert {input} -o '{}'", out.display());
        let done = shell(&folder, &line);
        assert!(done.status.success(), "{input}: {}", said(&done));
        // Ten files, each once: a header, and two values of six runs in each.
        assert_eq!(fs::read_to_string(&out).expect("a table").lines().count(), 121, "{input}");
    }
}

#[test]
fn a_pipe_is_read_where_it_is_named_only() {
    let (_guard, folder) = place();
    write(&folder, "good.csv", table(1, 3));
    let made = shell(&folder, "mkfifo pipe.csv");
    assert!(made.status.success(), "{}", said(&made));
    for input in ["'*.csv'", "'**/*.csv'", "."] {
        let done = shell(&folder, &format!("timeout 20 \"$0\" show {input}"));
        assert!(done.status.success(), "{input}: {}", said(&done));
    }
    let done = shell(&folder, "cat good.csv >pipe.csv & timeout 20 \"$0\" show pipe.csv");
    assert!(done.status.success(), "{}", said(&done));
}

#[test]
fn a_reader_that_goes_away_changes_no_exit_status() {
    let (_guard, folder) = place();
    let input = write(&folder, "t.csv", table(40, 2));
    let closes = |args: &[&str]| {
        let mut child = program()
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the executable runs");
        drop(child.stdout.take());
        let done = child.wait_with_output().expect("it ends");
        assert!(!said(&done).contains("panicked") && !said(&done).contains("cannot write"));
        done.status.code()
    };
    assert_eq!(closes(&["compare", &input, "--format", "json"]), Some(0));
    assert_eq!(closes(&["compare", &input, "--format", "json", "--gate"]), Some(1));
    assert_eq!(closes(&["show", "data/serving"]), Some(0));
    assert_eq!(closes(&["batch", &input, "--by", "cell", "--gate"]), Some(1));
}

#[test]
fn a_full_disk_is_an_error() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let full = "No space left";
    refused(
        &run(&["compare", "data/serving", "-o", "/dev/full"]),
        &["cannot write /dev/full", full],
    );
    let done =
        shell(Path::new(env!("CARGO_MANIFEST_DIR")), "\"$0\" compare data/serving >/dev/full");
    refused(&done, &["cannot write standard output", full]);
}

/// A limit of the size of files fails a write half-way, as a full disk does.
#[test]
fn a_write_that_fails_half_way_leaves_the_old_report_and_nothing_else() {
    let (_guard, folder) = place();
    write(&folder, "in.csv", table(9, 2));
    for name in ["r.html", "r.json", "r.md", "t.csv", "t.ndjson", "plan.md", "noise.json"] {
        write(&folder, name, "old");
    }
    fs::create_dir(folder.join("dir")).expect("a folder");
    let forms = ["index.html", "results.csv", "results.json", "summary.md"];
    for name in forms {
        write(&folder.join("dir"), name, "old");
    }
    let before = names(&folder);
    for line in [
        "compare in.csv -o r.html",
        "compare in.csv -o r.json",
        "compare in.csv -o r.md",
        "convert in.csv -o t.csv",
        "convert in.csv -o t.ndjson",
        "noise in.csv -o noise.json",
        "batch in.csv --by cell -o dir",
    ] {
        // 512 bytes, or 1024: the unit is the shell's.
        let done = shell(&folder, &format!("trap '' XFSZ; ulimit -f 1; exec \"$0\" {line}"));
        refused(&done, &["cannot write"]);
    }
    assert_eq!(names(&folder), before);
    assert_eq!(names(&folder.join("dir")), forms);
    let all = before.iter().filter(|name| *name != "dir" && *name != "in.csv");
    for path in all.map(|name| folder.join(name)).chain(forms.map(|n| folder.join("dir").join(n))) {
        assert_eq!(fs::read_to_string(&path).expect("a file"), "old", "{}", path.display());
    }
}

#[test]
fn a_batch_that_is_interrupted_leaves_whole_files() {
    const STEP: Duration = Duration::from_millis(2);
    let (_guard, folder) = place();
    write(&folder, "in.csv", table(150, 3));
    let out = folder.join("out");
    fs::create_dir(&out).expect("a folder");
    let batch = ["batch", "in.csv", "--by", "cell", "-o", "out", "-q"];
    let batch = || {
        let mut command = program();
        command.args(batch).current_dir(&folder).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    };
    let mut first = batch().spawn().expect("it runs");
    let mut steps = 0;
    while first.try_wait().expect("it ends").is_none() {
        std::thread::sleep(STEP);
        steps += 1;
    }
    let forms = names(&out);
    for step in 1_u32..=10 {
        for name in &forms {
            write(&out, name, "old");
        }
        let child = batch().spawn().expect("it runs");
        // The last steps are those in which files are written.
        std::thread::sleep(STEP * steps * (90 + step) / 100);
        let _ = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .stderr(Stdio::null())
            .status();
        child.wait_with_output().expect("it ends");
        for name in &forms {
            let bytes = fs::read(out.join(name)).expect("a report");
            let text = String::from_utf8_lossy(&bytes);
            let whole = match name.as_str() {
                "results.parquet" => bytes.ends_with(b"PAR1"),
                "index.html" => text.ends_with("</html>\n"),
                "results.json" => serde_json::from_str::<serde_json::Value>(&text).is_ok(),
                "summary.md" => text.trim_end().ends_with("<!-- beyondnoise -->"),
                _ => text.lines().count() == 301,
            };
            assert!(text == "old" || whole, "{name}: {} bytes", text.len());
        }
    }
    // What may be left is hidden, so that no command takes it for an input.
    let left = names(&out).into_iter().filter(|name| !forms.contains(name));
    assert!(left.clone().all(|name| name.starts_with('.')), "{:?}", left.collect::<Vec<_>>());
}

/// The report goes to the end of what is open there, as it would without -o.
#[test]
fn a_stream_that_leads_to_a_file_is_added_to() {
    if !Path::new("/dev/stdout").exists() {
        return;
    }
    let (_guard, folder) = place();
    write(&folder, "in.csv", table(1, 3));
    symlink("/dev/stdout", folder.join("link")).expect("a link");
    for to in ["/dev/stdout", "/dev/fd/1", "link", "/dev/stderr", "/dev/fd/3"] {
        let redirected = match to {
            "/dev/stderr" => "2>>sum.md",
            "/dev/fd/3" => "3>>sum.md",
            _ => ">>sum.md",
        };
        write(&folder, "sum.md", "first\n");
        let run = format!("\"$0\" compare in.csv --format markdown -o {to} {redirected}");
        let done = shell(&folder, &format!("{run} && echo last >> sum.md"));
        assert!(done.status.success(), "{to}: {}", said(&done));
        let text = fs::read_to_string(folder.join("sum.md")).expect("text");
        let whole =
            text.starts_with("first\n### ") && text.ends_with("<!-- beyondnoise -->\nlast\n");
        assert!(whole, "{to}: {text}");
    }
    // One writer after the other into a file that was opened once.
    let line = "{ echo first; \"$0\" compare in.csv -q -o /dev/stdout; echo last; } > sum.md";
    assert!(shell(&folder, line).status.success());
    let text = fs::read_to_string(folder.join("sum.md")).expect("text");
    assert!(text.starts_with("first\nbeyondnoise") && text.ends_with("\nlast\n"), "{text}");
    // Both ends of the program at one file.
    let line = "\"$0\" compare - -o /dev/stdout < in.csv >> in.csv";
    refused(&shell(&folder, line), &["expected an output of its own", "in.csv"]);
}

/// A limit on threads does not hold for root, so that the program is run as nobody.
#[test]
#[expect(clippy::print_stderr, reason = "says why nothing was tried")]
fn without_a_thread_the_work_is_done_by_one() {
    let limited = |command: &str| {
        let line = format!(
            "[ $(id -u) != 0 ] || set -- setpriv --reuid=65534 --clear-groups; \
             exec \"$@\" prlimit --nproc=1 {command}"
        );
        shell(Path::new(env!("CARGO_MANIFEST_DIR")), &line)
    };
    let args = "compare data/serving --format markdown";
    let can = Command::new("sh")
        .arg("-c")
        .arg(
            "[ $(id -u) != 0 ] || set -- setpriv --reuid=65534 --clear-groups; \
         \"$@\" prlimit --nproc=1 \"$0\" --version && \"$@\" cat data/serving/* > /dev/null",
        )
        .arg(EXE)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("a shell");
    if !can.status.success() {
        eprintln!("skipped: this system cannot limit threads: {}", said(&can));
        return;
    }
    let done = limited(&format!("\"$0\" {args}"));
    assert!(done.status.success(), "{}", said(&done));
    let usual = run(&args.split(' ').collect::<Vec<_>>());
    assert_eq!(String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&usual.stdout));
}

#[test]
fn what_surrounds_the_program_changes_nothing() {
    let args = ["compare", "data/serving", "--format", "text"];
    let usual = program().args(args).output().expect("it runs").stdout;
    assert!(!usual.is_empty());
    let same = |command: &mut Command, what: &str| {
        let done = sound(command.args(args).output().expect("it runs"));
        assert_eq!(
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&usual),
            "{what}"
        );
    };
    same(program().env_clear(), "no environment");
    for (name, value) in [
        ("TERM", "\u{1b}[31m"),
        ("LC_ALL", "de_DE.UTF-8"),
        ("LANG", "tr_TR.UTF-8"),
        ("LC_ALL", "C"),
        ("TZ", "Asia/Kathmandu"),
        ("COLUMNS", "20"),
        ("COLUMNS", "0"),
        ("COLUMNS", "-1"),
        ("COLUMNS", "99999999999999999999"),
        ("RAYON_NUM_THREADS", "1"),
        ("SOURCE_DATE_EPOCH", "0"),
    ] {
        same(program().env(name, value), &format!("{name}={value}"));
    }
    for columns in ["0", "1", "20", "65536"] {
        let done = program().args(["compare", "--help"]).env("COLUMNS", columns).output();
        assert!(sound(done.expect("it runs")).status.success());
    }
    let root = env!("CARGO_MANIFEST_DIR");
    let (_guard, folder) = place();
    let input = format!("{root}/data/serving");
    let done = shell(
        &folder,
        &format!("cd / && rmdir '{}'; exec \"$0\" compare '{input}' -q", folder.display()),
    );
    assert!(done.status.success());
}

#[test]
fn closed_streams_are_no_crash() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_eq!(shell(here, "\"$0\" compare data/serving <&-").status.code(), Some(0));
    assert_eq!(shell(here, "\"$0\" compare data/serving 2>&-").status.code(), Some(0));
    shell(here, "\"$0\" compare data/serving >&-");
    shell(here, "\"$0\" compare data/serving <&- >&- 2>&-");
    shell(here, "\"$0\" compare /no/such/file 2>&-");
    refused(&shell(here, "\"$0\" show - <&-"), &["standard input"]);
    refused(&shell(here, "\"$0\" show - </dev/null"), &["expected benchmark results"]);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let (_guard, folder) = place();
    write(&folder, "file", "");
    let below = folder.join("file/report.md").display().to_string();
    refused(&run(&["compare", "data/serving", "-o", &below]), &["cannot write", "report.md"]);
    let below = folder.join("file/dir").display().to_string();
    refused(&run(&["batch", "data/serving", "-o", &below]), &["cannot create", "dir"]);
    // Where no process may write, not even that of root.
    if Path::new("/proc/self").exists() {
        refused(
            &run(&["compare", "data/serving", "-o", "/proc/report.md"]),
            &["cannot write /proc"],
        );
        let done = shell(
            Path::new("/proc"),
            &format!("\"$0\" compare '{}/data/serving' -q", env!("CARGO_MANIFEST_DIR")),
        );
        assert!(done.status.success());
    }
}

#[test]
fn names_and_times_of_files_may_be_anything() {
    let (_guard, folder) = place();
    let inner = folder.join("in");
    fs::create_dir(&inner).expect("a folder");
    for name in [&b"before \xff\xfe.csv"[..], b"after\xc3.csv"] {
        let path = inner.join(OsStr::from_bytes(name));
        let text = "output_throughput,duration\n300.5,10\n301.5,11\n";
        if fs::write(&path, text).is_err() {
            // A file system whose names are Unicode.
            return;
        }
        let file = fs::File::options().write(true).open(&path).expect("a file");
        file.set_modified(SystemTime::UNIX_EPOCH - Duration::from_secs(1 << 30)).expect("a time");
    }
    let done = run(&["show", &inner.display().to_string()]);
    assert!(done.status.success(), "{}", said(&done));
    let done = program().arg("show").arg(inner.join(OsStr::from_bytes(b"after\xc3.csv"))).output();
    assert!(sound(done.expect("it runs")).status.code().is_some());
}

#[test]
fn runs_are_told_apart_whatever_their_files_are_called() {
    let (_guard, folder) = place();
    for (variant, first) in [("before", 100), ("after", 110)] {
        let inner = folder.join(variant);
        fs::create_dir(&inner).expect("a folder");
        for (number, hidden) in
            [&b"\xf8"[..], b"\xf9", "\u{200b}".as_bytes(), "\u{200e}".as_bytes()]
                .into_iter()
                .enumerate()
        {
            let name = [b"run", hidden, b".csv"].concat();
            let text = format!("mean_ttft_ms,mean_tpot_ms\n{}.5,10.5\n", first + number);
            if fs::write(inner.join(OsStr::from_bytes(&name)), text).is_err() {
                return;
            }
        }
    }
    let (_beside, out) = place();
    let out = out.join("out.csv").display().to_string();
    let done = run(&["convert", &folder.display().to_string(), "-o", &out]);
    assert!(done.status.success(), "{}", said(&done));
    let rows = fs::read_to_string(&out).expect("a table");
    for variant in ["before,", "after,"] {
        assert_eq!(rows.lines().filter(|row| row.starts_with(variant)).count(), 8, "{rows}");
    }
}

/// The folder has been walked once the pipe is opened, which is read before its files.
#[test]
fn a_file_that_vanishes_is_named() {
    for lenient in ["", "--lenient"] {
        let (_guard, folder) = place();
        fs::create_dir(folder.join("in")).expect("a folder");
        for name in ["good.csv", "in/gone.csv", "in/stays.csv"] {
            write(&folder, name, table(1, 3));
        }
        let line = format!(
            "mkfifo p.csv; RAYON_NUM_THREADS=1 \"$0\" show p.csv in {lenient} & exec 3>p.csv; \
             rm in/gone.csv; cat good.csv >&3; exec 3>&-; wait $!"
        );
        let done = shell(&folder, &line);
        if lenient.is_empty() {
            refused(&done, &["cannot read in/gone.csv", "No such file"]);
        } else {
            let shown = String::from_utf8_lossy(&done.stdout).into_owned();
            assert!(done.status.success(), "{}", said(&done));
            assert!(shown.contains("in/gone.csv: no result, 0 runs"), "{shown}");
            assert!(shown.contains("in/stays.csv: csv table, 6 runs"), "{shown}");
        }
    }
}

#[test]
fn nesting_without_an_end_is_an_error() {
    let (_guard, folder) = place();
    let deep = 100_000;
    let json = |open: &str, close: &str| {
        format!("{{\"x\": {}1{}}}", open.repeat(deep), close.repeat(deep))
    };
    let dashes = "- ".repeat(deep);
    let indents = (0..2000).fold(String::new(), |text, n| text + &" ".repeat(n) + "k:\n");
    for (name, text) in [
        ("arrays.json", json("[", "]")),
        ("objects.json", json("{\"a\": ", "}")),
        ("keys.json", format!("{{\"benchmarks\": {}", "[{\"benchmarks\": ".repeat(deep))),
        ("lines.jsonl", "{\"a\":".repeat(deep)),
        ("dashes.yaml", format!("version: '0.1'\nresults:\n{dashes}1\n")),
        ("indents.yaml", format!("version: '0.1'\n{indents}")),
        ("fences.md", "> ".repeat(deep) + "\n" + &"```\n".repeat(deep)),
    ] {
        let path = write(&folder, name, text);
        refused(&run(&["show", &path]), &[name]);
    }
    for text in [
        format!("x = {}1{}", "[".repeat(deep), "]".repeat(deep)),
        format!("x = {}1{}", "{a=".repeat(deep), "}".repeat(deep)),
        format!("[{}]\n", vec!["a"; deep].join(".")),
        format!("{} = 1\n", vec!["a"; deep].join(".")),
    ] {
        let path = write(&folder, "b.toml", text);
        refused(&run(&["show", "data/serving", "--config", &path]), &["b.toml"]);
    }
}

/// 512 MiB in a few kilobytes: a Zstandard frame of blocks that repeat one byte 128 Ki times.
/// <https://datatracker.ietf.org/doc/html/rfc8878#section-3.1.1.2>
fn zstd_bomb() -> Vec<u8> {
    const REPEATED: u32 = 1;
    let mut bytes = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];
    for _ in 0..4096 {
        let header: u32 = (128 << 10) << 3 | REPEATED << 1;
        bytes.extend(&header.to_le_bytes()[..3]);
        bytes.push(b'\n');
    }
    bytes
}

/// As much in gzip: many members, each of 16 MiB.
fn gzip_bomb() -> Vec<u8> {
    let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..16 {
        member.write_all(&vec![b'\n'; 1 << 20]).expect("memory");
    }
    member.finish().expect("memory").repeat(32)
}

#[test]
fn what_unpacks_without_an_end_is_an_error() {
    let (_guard, folder) = place();
    for (name, bytes) in [("bomb.csv.zst", zstd_bomb()), ("bomb.json.gz", gzip_bomb())] {
        assert!(bytes.len() < 4 << 20, "{name}: {}", bytes.len());
        write(&folder, name, &bytes);
        let done = shell(&folder, &format!("ulimit -v 1500000; exec \"$0\" show {name}"));
        refused(&done, &[name, "expected at most", "unpack it first"]);
    }
    // Some megabytes may not unpack to gigabytes either.
    let large = gzip_bomb().repeat(15);
    assert!(large.len() > 7 << 20, "{}", large.len());
    write(&folder, "large.csv.gz", &large);
    let done = shell(&folder, "ulimit -v 1500000; exec \"$0\" show large.csv.gz");
    refused(&done, &["large.csv.gz", "expected at most", "unpack it first"]);
    // What is packed in several parts is one file.
    let frame = |text: &str| {
        let size = u32::try_from(text.len()).expect("short");
        let header = (size << 3 | 1).to_le_bytes();
        [&[0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58][..], &header[..3], text.as_bytes()].concat()
    };
    let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    let parts = [frame("variant,x_ms\na,1\n"), skipped, frame("b,2\n")].concat();
    let path = write(&folder, "parts.csv.zst", parts);
    let shown = String::from_utf8_lossy(&run(&["show", &path]).stdout).into_owned();
    assert!(shown.contains("2 runs"), "{shown}");
}

#[test]
fn a_size_that_is_none_takes_no_memory() {
    let (_guard, folder) = place();
    let file = fs::File::create(folder.join("huge.json")).expect("a file");
    if file.set_len(1 << 42).is_err() {
        return;
    }
    refused(&shell(&folder, "\"$0\" show huge.json"), &["huge.json", "at most 4 GiB", "split it"]);
    let done = shell(&folder, "\"$0\" show . --lenient");
    assert!(done.status.success(), "{}", said(&done));
}

#[test]
fn a_folder_of_a_hundred_thousand_files_is_read() {
    if !slow() {
        return;
    }
    let (_guard, folder) = place();
    for part in 0..100 {
        let inner = folder.join(format!("{part:03}"));
        fs::create_dir(&inner).expect("a folder");
        for number in 0..1000 {
            write(&inner, format!("{number:03}.txt"), "nothing\n");
        }
    }
    let all = folder.display().to_string();
    refused(
        &shell(&folder, "ulimit -v 2000000; exec \"$0\" show ."),
        &["found none", "give the folder"],
    );
    write(&folder, "good.csv", table(1, 3));
    let done = run(&["compare", &all, "--format", "markdown"]);
    assert!(done.status.success(), "{}", said(&done));
    assert!(done.stdout.starts_with(b"### ") && done.stdout.len() < 60_000);
}

/// Files of one long line, or row, or text: what they begin with, what is repeated, what is said of them.
const LONG: &[(&str, &str, &str, &str)] = &[
    ("header.csv", "", "x", "line 1: expected a line of at most 64 MiB"),
    ("names.csv", "", "name,", "line 1: expected a line of at most 64 MiB"),
    ("row.csv", "variant,run,metric,value\na,1,x,", "1.5,", "line 2: expected a line"),
    ("digits.csv", "variant,run,metric,value\na,1,x,", "7", "line 2: expected a line"),
    ("quoted.csv", "variant,run,metric,value\na,1,x,\"", "7", "line 2: expected a line"),
    ("open.csv", "variant,run,metric,value\na,1,x,\"", "1.5,2\n", "line 2: expected a row of"),
    ("requests.csv", "request_id,ttft_ms\n1,", "7", "line 2: expected a line"),
    ("asked.csv", "request_id,ttft_ms\n1,2.5\n2,\"", "7,1\n", "line 3: expected a row of"),
    ("line.txt", "", "x", "line 1: expected a line"),
    ("line.md", "Mean TTFT (ms): ", "7", "line 1: expected a line"),
    ("line.log", "started\n", "1.5,2,", "line 2: expected a line"),
    ("blank.json", "", " ", "line 1: expected a line"),
    ("text.json", "{\"request_throughput\": 2.0, \"text\": \"", "x", "line 1: expected a text"),
    ("escaped.json", "{\"request_throughput\": 2.0,\n\"t\": \"", "\\n", "line 2: expected a text"),
    ("key.json", "{\"request_throughput\": 2.0, \"", "x", "line 1: expected a text"),
    ("digits.json", "{\"request_throughput\": 2", "7", "number out of range"),
    ("numbers.json", "{\"request_throughput\": 2.0, \"a\": [1", ", 2.5", "the end of the file"),
    ("first.jsonl", "{\"variant\":\"a\",\"metric\":\"", "x", "line 1: expected a text"),
    (
        "later.jsonl",
        "{\"variant\":\"a\",\"metric\":\"x_ms\",\"value\":1}\n{\"variant\":\"",
        "x",
        "line 2: expected a ",
    ),
];

/// Writes a file of [`LONG`] of so many bytes or a few more.
fn write_long(folder: &Path, (name, start, inner, _): (&str, &str, &str, &str), size: usize) {
    let mut file = fs::File::create(folder.join(name)).expect("a file");
    file.write_all(start.as_bytes()).expect("disk");
    let part = inner.repeat((4 << 20) / inner.len() + 1);
    for _ in 0..size.div_ceil(part.len()) {
        file.write_all(part.as_bytes()).expect("disk");
    }
}

#[test]
fn a_line_of_two_gigabytes_is_an_error_in_bounded_memory() {
    // Half an hour in a debug build: only where it is asked for; a line just too long always.
    let huge = std::env::var_os("BEYONDNOISE_HUGE").is_some();
    let size = if huge { (2 << 30) + 1 } else { 65 << 20 };
    let (_guard, folder) = place();
    for &long in LONG {
        let (name, .., said) = long;
        if !huge && !matches!(name, "header.csv" | "open.csv" | "escaped.json") {
            continue;
        }
        write_long(&folder, long, size);
        // Addresses, of which the allocator reserves more than it uses.
        for input in [name.to_owned(), format!("- <{name}")] {
            let done = shell(&folder, &format!("ulimit -v 6000000; exec \"$0\" show {input}"));
            let file = if input == name { name } else { "standard input" };
            refused(&done, &[file, said, ";"]);
        }
        fs::remove_file(folder.join(name)).expect("a file");
    }
}

#[test]
fn a_row_that_does_not_end_is_an_error_after_rows_that_do() {
    let (_guard, folder) = place();
    for (name, head, row) in [
        ("runs.csv", "variant,note,run,metric,value\n", ",x_ms,2.5\n"),
        ("requests.csv", "variant,note,request_id,ttft_ms\n", ",2.5\n"),
    ] {
        // More than what is looked at to tell what the file is.
        let note = "n".repeat(1 << 10);
        let rows: Vec<String> = (0..17 << 10).map(|k| format!("a,{note},{k}{row}")).collect();
        let start = format!("{head}{}\"", rows.concat());
        let line = format!("line {}: expected ", start.lines().count());
        write_long(&folder, (name, &start, "7,1\n", ""), 70 << 20);
        let done = shell(&folder, &format!("ulimit -v 3000000; exec \"$0\" show {name}"));
        refused(&done, &[name, &line, "fix the row"]);
    }
}

#[test]
fn a_line_too_long_for_a_result_costs_a_folder_nothing_else() {
    let (_guard, folder) = place();
    write_long(&folder, ("dump.bin", "", "x", ""), 65 << 20);
    write(&folder, "good.csv", table(1, 3));
    let done = shell(&folder, "\"$0\" show . -v");
    let shown = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{}", said(&done));
    assert!(shown.contains("line 1: expected a line of at most 64 MiB"), "{shown}");
}

#[cfg(feature = "tables")]
mod history {
    use super::*;

    fn runs_of(folder: &Path, name: &str, variant: &str) {
        let rows: Vec<String> =
            (0..3).map(|run| format!("{variant},{run},{}.5\n", 300 + run)).collect();
        write(folder, name, format!("variant,run,output_throughput\n{}", rows.concat()));
    }

    #[test]
    fn adding_at_once_loses_nothing() {
        let (_guard, folder) = place();
        for number in 0..4 {
            runs_of(&folder, &format!("{number}.csv"), &format!("v{number}"));
        }
        let children: Vec<_> = (0..8)
            .map(|number| {
                // Two add the same, file and all.
                let name = format!("{}.csv", number / 2);
                let args = ["history", "add", &name, "--history", "h"];
                program().args(args).current_dir(&folder).stdout(Stdio::null()).spawn()
            })
            .collect();
        for child in children {
            assert!(child.expect("it runs").wait().expect("it ends").success());
        }
        let kept = names(&folder.join("h"));
        assert_eq!(kept.len(), 4, "{kept:?}");
        let shown = shell(&folder, "\"$0\" history show --history h");
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert!(shown.contains("12 runs"), "{shown}");
    }

    #[test]
    fn a_damaged_file_is_written_again() {
        let (_guard, folder) = place();
        runs_of(&folder, "first.csv", "first");
        runs_of(&folder, "other.csv", "other");
        let add = |name: &str| {
            let done = shell(&folder, &format!("\"$0\" history add {name} --history h"));
            assert!(done.status.success(), "{}", said(&done));
            String::from_utf8_lossy(&done.stdout).into_owned()
        };
        add("first.csv");
        let file = folder.join("h").join(&names(&folder.join("h"))[0]);
        let whole = fs::read(&file).expect("a file");
        fs::write(&file, &whole[..whole.len() / 2]).expect("a file");
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(add("other.csv").contains(&name), "what is damaged is not named");
        assert!(add("first.csv").contains("3 runs added"));
        assert_eq!(fs::read(&file).expect("a file"), whole);
        assert!(add("first.csv").contains("were in the history already"));
    }

    #[test]
    fn an_addition_that_is_killed_tears_nothing() {
        let (_guard, folder) = place();
        runs_of(&folder, "first.csv", "first");
        assert!(shell(&folder, "\"$0\" history add first.csv --history h").status.success());
        let first = folder.join("h").join(&names(&folder.join("h"))[0]);
        let before = fs::read(&first).expect("the first addition");
        for step in 0_u32..12 {
            let name = format!("{step}.csv");
            runs_of(&folder, &name, &format!("v{step}"));
            let args = ["history", "add", &name, "--history", "h"];
            let mut command = program();
            command.args(args).current_dir(&folder).stdout(Stdio::null());
            let mut child = command.spawn().expect("it runs");
            std::thread::sleep(Duration::from_millis(u64::from(step) * 4));
            let _ = child.kill();
            child.wait().expect("it ends");
            let shown = shell(&folder, "\"$0\" history show --history h");
            assert!(shown.status.success(), "{}", said(&shown));
            // The 3 runs of the first addition, and 3 of each that came to its end.
            let kept = names(&folder.join("h")).into_iter().filter(|name| !name.starts_with('.'));
            let runs = format!("{} runs\n", 3 * kept.count());
            let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
            assert!(runs != "0 runs\n" && shown.contains(&runs), "{runs}: {shown}");
            assert_eq!(fs::read(&first).expect("the first addition"), before);
        }
        let done = shell(
            &folder,
            "trap '' XFSZ; ulimit -f 1; exec \"$0\" history add 0.csv first.csv --history g",
        );
        refused(&done, &["cannot write"]);
        assert_eq!(names(&folder.join("g")), Vec::<String>::new());
    }
}
