//! What goes wrong while runs are made: every process of it killed, interrupts, full disks, servers and clients that fail.
//! At most the run in progress is lost, no process is left behind, and the report in the end is the one that it would
//! have been.
//!
//! Many kills need `BEYONDNOISE_SLOW`, which `.ci/run` sets.

#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "processes take time")]

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

const EXE: &str = env!("CARGO_BIN_EXE_beyondnoise");

/// Far more than anything here takes.
const LONG: Duration = Duration::from_mins(1);

/// A variable of the environment that every process of a test has.
const MARK: &str = "BEYONDNOISE_TEST_PROCESS";

/// Writes a result as a client of a server does; the values depend on the variant and the round. Where a file
/// `hang` names both, it takes that away, writes `hanging`, and hangs.
const BENCH: &str = r#"
variant=$1 round=$2 out=$3
if [ "$(cat hang 2>/dev/null)" = "$variant $round" ]; then
    rm hang; echo $$ > hanging; exec sleep 300
fi
v=$((1000 + round * 7919 % 13)); [ $variant = pr ] && v=$((v + 60))
echo '{"backend":"vllm","model_id":"m","num_prompts":100,"request_rate":"inf","max_concurrency":8,"completed":100,' \
    '"duration":60.0,"total_input_tokens":1000,"total_output_tokens":60000,"request_throughput":1.66,' \
    '"output_throughput":'$v'.0,"total_token_throughput":'$v'.5,"mean_ttft_ms":9'$v'.25,"mean_tpot_ms":9'$v'.75}' > $out
"#;

/// A server with a process in a session of its own.
const SERVE: &str = "
setsid sleep 300 &
echo $$ > server
exec sleep 300
";

/// A folder in which runs are made.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    mark: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let folder = tempfile::tempdir().expect("a folder");
        let number = NUMBER.fetch_add(1, Ordering::SeqCst);
        let place = Self { folder, mark: format!("{}-{number}", std::process::id()) };
        place.write("bench.sh", BENCH);
        place.write("serve.sh", SERVE);
        // Other tests are at work beside it, now more and now less.
        place.write(
            "beyondnoise.toml",
            "[checks]\nbusy_processors = 1000.0\ntemperature_difference = 1000.0\n",
        );
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file");
    }

    /// `beyondnoise run` with these arguments, as a shell splits them.
    fn run(&self, args: &str) -> Command {
        self.shell(&format!("run {args}"))
    }

    pub(crate) fn shell(&self, args: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("exec \"$0\" {args}"), EXE]);
        command.current_dir(self.folder.path()).env(MARK, &self.mark);
        command
    }

    /// Any command of the program, to its end.
    pub(crate) fn command(&self, args: &str) -> Output {
        self.shell(args).stdin(Stdio::null()).output().expect("a shell")
    }

    fn start(&self, args: &str) -> Child {
        let file = |name: &str| fs::File::create(self.path(name)).expect("a file");
        let mut command = self.run(args);
        command.stdout(file("said.out")).stderr(file("said.err")).spawn().expect("a shell")
    }

    /// Runs to the end; none of the processes is left then.
    pub(crate) fn to_end(&self, args: &str) -> Output {
        let done = self.run(args).stdin(Stdio::null()).output().expect("a shell");
        self.nothing_is_left();
        done
    }

    /// Runs to the end, with success, and gives the report.
    pub(crate) fn report(&self, args: &str) -> String {
        let done = self.to_end(args);
        assert!(done.status.success(), "{:?}: {}", done.status, said(&done));
        String::from_utf8(done.stdout).expect("text")
    }

    /// What `compare` says was measured in the folder `runs`.
    fn numbers(&self) -> Vec<Value> {
        let done = self.command("compare runs --format json");
        numbers(&String::from_utf8_lossy(&done.stdout))
    }

    /// The processes of this test that live: their numbers and command lines.
    fn living(&self) -> Vec<(u32, String)> {
        let mark = format!("{MARK}={}", self.mark);
        let marked = processes().filter(|id| {
            // Empty for one that has ended, and for a moment where one program takes the place of another.
            let environ = read(*id, "environ");
            environ.split(|byte| *byte == 0).any(|one| one == mark.as_bytes())
        });
        marked.map(|id| (id, command_line(id))).collect()
    }

    /// Keepers outlive a killed program for as long as it takes to end the rest.
    fn nothing_is_left(&self) {
        let begun = Instant::now();
        while !self.living().is_empty() {
            assert!(begun.elapsed() < LONG, "left behind: {:?}", self.living());
            sleep(Duration::from_millis(5));
        }
    }

    /// The number that a process has written into a file, which is taken away.
    fn number(&self, name: &str) -> u32 {
        let path = self.path(name);
        let read = || fs::read_to_string(&path).ok().filter(|text| text.ends_with('\n'));
        until(name, || read().is_some());
        let number = read().expect("a number").trim().parse().expect("a number");
        fs::remove_file(&path).expect("a file");
        number
    }

    pub(crate) fn journal(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path(JOURNAL)).unwrap_or_default();
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let event = |line: &str| serde_json::from_str(line).expect("an event");
        whole.lines().map(event).collect()
    }

    /// The runs with such an event.
    pub(crate) fn events(&self, name: &str) -> Vec<String> {
        let journal = self.journal();
        let found = journal.iter().filter(|event| event["event"] == name);
        found.map(|event| event["run"].as_str().expect("a run").to_owned()).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for (id, _) in self.living() {
            kill("KILL", id);
        }
    }
}

const JOURNAL: &str = "runs/beyondnoise-journal.ndjson";

pub(crate) fn until(what: &str, mut is: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < LONG, "waited for {what}");
        sleep(Duration::from_millis(2));
    }
}

/// Sends a signal; whether there was such a process.
pub(crate) fn kill(signal: &str, id: u32) -> bool {
    let kill = Command::new("kill").args([&format!("-{signal}"), &id.to_string()]).output();
    kill.expect("kill").status.success()
}

/// The numbers of all processes.
fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").expect("processes").flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn read(id: u32, file: &str) -> Vec<u8> {
    fs::read(format!("/proc/{id}/{file}")).unwrap_or_default()
}

fn command_line(id: u32) -> String {
    String::from_utf8_lossy(&read(id, "cmdline")).replace('\0', " ")
}

fn is_keeper(command_line: &str) -> bool {
    command_line.contains("keeper hold")
}

/// The state of a process, `Z` once it has ended, and the number of its parent.
fn state(id: u32) -> Option<(char, u32)> {
    let stat = String::from_utf8(read(id, "stat")).ok()?;
    let (state, rest) = stat.rsplit_once(") ")?.1.split_once(' ')?;
    Some((state.chars().next()?, rest.split(' ').next()?.parse().ok()?))
}

fn parent(id: u32) -> Option<u32> {
    Some(state(id)?.1)
}

/// Whether this keeper is still to be asked how it ended, or the program has living children that are no keepers. They
/// are told by their parent: what the mark in their environment is read from is empty while a process becomes another
/// program.
fn has_orphans(program: u32, keeper: u32) -> bool {
    let child = |id| state(id).is_some_and(|(state, parent)| parent == program && state != 'Z');
    let orphan = |id| child(id) && !is_keeper(&command_line(id));
    parent(keeper) == Some(program) || processes().any(orphan)
}

pub(crate) fn said(done: &Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

/// Stopped with an error that has these parts; no process is left.
#[track_caller]
pub(crate) fn fails(place: &Place, args: &str, parts: &[&str]) {
    let done = place.to_end(args);
    let said = said(&done);
    assert_eq!(done.status.code(), Some(2), "{said}");
    for part in parts {
        assert!(said.contains(part), "expected {part:?} in: {said}");
    }
}

/// With a server for each run.
const SERVER: &str = "--looks 3 -o runs --bench 'exec sh bench.sh {variant} {round} {out}' \
     --serve main='exec sh serve.sh' --serve pr='exec sh serve.sh 2' --ready 'test -s server'";

/// The report of undisturbed runs.
fn undisturbed() -> &'static str {
    &undisturbed_twice().0
}

/// The report of undisturbed runs, and its numbers.
fn undisturbed_twice() -> &'static (String, Vec<Value>) {
    static REPORT: OnceLock<(String, Vec<Value>)> = OnceLock::new();
    REPORT.get_or_init(|| {
        let place = Place::new();
        (place.report(SERVER), place.numbers())
    })
}

/// What was measured, by a report as JSON: all but what follows from attempts that failed.
fn numbers(report: &str) -> Vec<Value> {
    let report: Value = serde_json::from_str(report).expect("a report");
    let rows = report["comparisons"][0]["metrics"].as_array().expect("metrics");
    let of = |row: &Value| {
        let values = |side: &str| row[side]["values"].clone();
        let delta = &row["delta"];
        let interval = [delta["relative_ci"].clone(), delta["absolute_ci"].clone()];
        serde_json::json!([row["metric"], values("baseline"), values("candidate"), interval])
    };
    rows.iter().map(of).collect()
}

/// A program whose client hangs in the second run of `main`; the client's process too.
fn hanging(more: &str) -> (Place, Child, u32) {
    let place = Place::new();
    place.write("hang", "main 2\n");
    let program = place.start(&format!("{SERVER} {more}"));
    let client = place.number("hanging");
    (place, program, client)
}

/// The program goes on by itself to the same report, after a failed attempt with these words.
fn recovers(place: &Place, mut program: Child, parts: &[&str]) {
    let status = program.wait().expect("it ends");
    let (out, err) = ["said.out", "said.err"]
        .map(|name| fs::read_to_string(place.path(name)).expect("a file"))
        .into();
    assert!(status.success(), "{status:?}: {err}");
    for part in parts {
        assert!(err.contains(part), "expected {part:?} in: {err}");
    }
    let out = out.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "Runs failed: 1 of 4 in main, 0 of 3 in pr. Not counted: runs/003-main (attempt 1): ",
        "; 1 attempt failed (main 1, pr 0).",
    ] {
        assert!(out.contains(part), "expected {part:?} in: {out}");
    }
    assert_eq!(place.numbers(), undisturbed_twice().1);
    assert_eq!((place.events("failed").len(), place.events("done").len()), (1, 6));
    place.nothing_is_left();
}

/// Nothing is left behind, and the runs go on.
fn resumes(place: &Place) {
    place.nothing_is_left();
    goes_on(place);
}

/// What was made before is kept, and --resume makes the rest, to the same report.
fn goes_on(place: &Place) {
    let before = place.events("done");
    assert_eq!(place.report("--resume runs"), undisturbed());
    let after = place.events("done");
    assert_eq!(after[..before.len()], before[..]);
    assert_eq!(after.len(), 6);
    assert!(place.events("began").len() <= 7, "one attempt was lost");
}

#[test]
fn a_killed_program_leaves_nothing_behind_and_goes_on() {
    let (place, mut program, _) = hanging("");
    program.kill().expect("it lives");
    program.wait().expect("it ends");
    resumes(&place);
}

#[test]
fn a_killed_client_is_tried_again() {
    let (place, program, client) = hanging("");
    assert!(kill("KILL", client));
    recovers(&place, program, &["the benchmark of main was ended by signal 9 (SIGKILL)"]);
}

#[test]
fn a_killed_server_is_started_again() {
    let (place, program, _) = hanging("");
    assert!(kill("KILL", place.number("server")));
    let why = "the server of main was ended by signal 9 (SIGKILL) during the benchmark";
    recovers(&place, program, &[why]);
}

#[test]
fn a_killed_keeper_is_no_way_out() {
    let (place, program, client) = hanging("");
    assert!(kill("KILL", parent(client).expect("a keeper")));
    let why = "the benchmark of main was lost: its keeper was ended (signal 9)";
    recovers(&place, program, &[why]);

    let (place, program, _) = hanging("");
    assert!(kill("KILL", parent(place.number("server")).expect("a keeper")));
    recovers(&place, program, &["the server of main was lost: its keeper was ended (signal 9)"]);

    // Program and keepers at once: nobody is there to end the rest, but the next program.
    let (place, mut program, client) = hanging("");
    let keepers = [client, place.number("server")].map(|id| parent(id).expect("a keeper"));
    assert!(kill("STOP", program.id()));
    assert!(keepers.into_iter().all(|id| kill("KILL", id)));
    program.kill().expect("it lives");
    program.wait().expect("it ends");
    // What was killed may take a moment to be gone.
    until("the keepers", || !place.living().iter().any(|(id, _)| keepers.contains(id)));
    let orphans = place.living();
    assert_eq!(orphans.len(), 3, "the client, the server and its other process: {orphans:?}");
    goes_on(&place);
}

#[test]
fn an_interrupt_lets_the_run_finish() {
    let place = Place::new();
    place.write("bench.sh", &format!("echo $$ > began; sleep 0.3; {BENCH}"));
    let mut program = place.start(SERVER);
    place.number("began");
    assert!(kill("INT", program.id()));
    program.wait().expect("it ends");
    place.nothing_is_left();
    assert_eq!((place.events("done").len(), place.events("began").len()), (1, 1));
    resumes(&place);
}

#[test]
fn a_second_interrupt_and_a_request_to_end_stop_at_once() {
    for signals in [&["INT", "INT"][..], &["TERM"], &["HUP"]] {
        let (place, mut program, _) = hanging("");
        let made = place.events("done").len();
        for signal in signals {
            assert!(kill(signal, program.id()));
            // Two that wait together are one.
            sleep(Duration::from_millis(100));
        }
        program.wait().expect("it ends");
        let said = fs::read_to_string(place.path("said.err")).expect("a file");
        assert!(said.contains("run 3 of at most 6: main: stopped, and not counted"), "{said}");
        assert_eq!(place.events("done").len(), made);
        resumes(&place);
    }
}

#[test]
fn a_full_disk_is_an_error_and_the_runs_go_on_after_it() {
    let place = Place::new();
    // A file of any process may have 2 kB: the journal reaches that.
    let done = Command::new("sh")
        .args(["-c", &format!("trap '' XFSZ; ulimit -f 4; exec \"$0\" run {SERVER}"), EXE])
        .current_dir(place.folder.path())
        .env(MARK, &place.mark)
        .output()
        .expect("a shell");
    let said = said(&done);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(
        said.contains("cannot write runs/beyondnoise-journal.ndjson: File too large"),
        "{said}"
    );
    resumes(&place);
}

#[test]
fn a_disk_without_space_is_an_error_and_the_runs_go_on_after_it() {
    let place = Place::new();
    fs::create_dir(place.path("disk")).expect("a folder");
    // Without the right to mount it ends before the program is called.
    let line = format!(
        "mount -t tmpfs -o size=400k tmpfs disk && cp *.sh disk && cd disk || exit 99
         head -c 376832 /dev/zero > filler
         \"$0\" run {SERVER}
         echo $? > ../status; rm filler; \"$0\" run --resume runs --format json"
    );
    let mut shell = Command::new("unshare");
    shell.args(["-rm", "sh", "-c", &line, EXE]).current_dir(place.folder.path());
    let Ok(done) = shell.env(MARK, &place.mark).output() else { return };
    let Ok(status) = fs::read_to_string(place.path("status")) else { return };
    assert_eq!((status.trim(), done.status.code()), ("2", Some(0)), "{}", said(&done));
    // Either the program or a client meets it first, whose log has no space either.
    let met = ["No space left on device", "failed 3 times"];
    assert!(met.iter().any(|met| said(&done).contains(met)), "{}", said(&done));
    assert_eq!(numbers(&String::from_utf8_lossy(&done.stdout)), undisturbed_twice().1);
    place.nothing_is_left();
}

#[test]
fn a_port_in_use_is_reported_before_the_server_is_started() {
    let place = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let args =
        SERVER.replace("'test -s server'", &format!("http://127.0.0.1:{port}/health --tries 1"));
    let why = format!("port {port} is in use by process {} (", std::process::id());
    fails(&place, &args, &[&why, "before the server of pr is started", "--resume runs"]);
    assert!(!place.path("server").exists(), "it was not started");
    // By the port alone, of a server that is asked by a command.
    let place = Place::new();
    let args = SERVER.replace("sh serve.sh", "sh serve.sh {port}");
    let args = format!("{args} --tries 1 --port {port}");
    fails(&place, &args, &[&why]);
}

#[test]
fn a_server_that_does_not_become_ready_is_reported_with_its_log() {
    let place = Place::new();
    place.write("serve.sh", "echo 'out of memory' >&2; exit 3");
    let never = SERVER.replace("'test -s server'", "false --tries 2");
    let parts = [
        "the server of pr ended with status 3 after",
        "before it was ready",
        "out of memory",
        "attempt 1 of 2",
        "failed 2 times",
    ];
    fails(&place, &never, &parts);

    let place = Place::new();
    place.write("serve.sh", "echo loading; exec sleep 300");
    let never = SERVER
        .replace("'test -s server'", "http://127.0.0.1:1/health --tries 1 --ready-timeout 0.3s");
    let parts = [
        "the server of pr was not ready within 0.3 s: http://127.0.0.1:1/health refused the connection last",
        "loading",
    ];
    fails(&place, &never, &parts);

    // A check that hangs is ended too.
    let place = Place::new();
    let never = SERVER.replace("'test -s server'", "'sleep 300' --tries 1 --ready-timeout 0.3s");
    fails(
        &place,
        &never,
        &["the server of pr was not ready within 0.3 s: `sleep 300` gave no answer last"],
    );

    // A command that does not exist is not asked again, and an address without its scheme is none.
    let place = Place::new();
    let never = SERVER.replace("'test -s server'", "'no-such-check --port 1' --tries 1");
    let parts = ["the server of pr was not asked whether it is ready", "status 127"];
    fails(&place, &never, &parts);
    let place = Place::new();
    let wrong = SERVER.replace("'test -s server'", "localhost:8000/health");
    fails(&place, &wrong, &["--ready localhost:8000/health is no address"]);
}

#[test]
fn a_client_that_fails_is_reported_with_its_log() {
    let place = Place::new();
    place.write("bench.sh", "echo 'no route to host' >&2; exit 7");
    let args = format!("{SERVER} --tries 2");
    let parts = ["the benchmark of pr ended with status 7", "no route to host", "attempt 2 of 2"];
    fails(&place, &args, &parts);
    assert_eq!((place.events("began").len(), place.events("failed").len()), (2, 2));

    let place = Place::new();
    place.write("bench.sh", "echo done");
    fails(&place, &args, &["the benchmark of pr wrote no ", "result.json", "    done"]);

    let place = Place::new();
    place.write("bench.sh", &BENCH.replace("round=$2", "round=1"));
    fails(&place, &args, &["wrote the same result as run ", "byte for byte"]);

    let place = Place::new();
    place.write("bench.sh", "echo started; sleep 300");
    let args = format!("{SERVER} --tries 1 --timeout 0.3s");
    fails(&place, &args, &["the benchmark of pr took longer than 0.3 s", "    started"]);
}

#[test]
fn a_second_program_on_the_same_folder_is_refused() {
    let (place, mut program, client) = hanging("");
    for args in ["--resume runs", SERVER] {
        let second = place.run(args).output().expect("a shell");
        assert_eq!(second.status.code(), Some(2), "{}", said(&second));
        assert!(place.living().iter().any(|(id, _)| *id == client), "the first goes on");
    }
    program.kill().expect("it lives");
    program.wait().expect("it ends");
    resumes(&place);
}

#[test]
fn a_line_of_the_journal_without_its_end_says_nothing() {
    let (place, mut program, _) = hanging("");
    program.kill().expect("it lives");
    program.wait().expect("it ends");
    let mut text = fs::read_to_string(place.path(JOURNAL)).expect("a journal");
    text += "{\"event\":\"done\",\"run\":\"00";
    fs::write(place.path(JOURNAL), text).expect("a journal");
    resumes(&place);
}

/// Kills a process of the runs at a random moment, the program half of the times, and goes on; `kills` times and more.
fn many_kills(kills: usize, seed: u64) {
    const ARGS: &str = "--looks 12 --tries 99 -o runs --bench 'exec sh bench.sh {variant} {round} {out}' \
         --serve main='exec sleep 300' --serve pr='setsid sleep 300 & exec sleep 301' --ready true";
    let place = Place::new();
    place.report(ARGS);
    let undisturbed = place.numbers();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut done = 0;
    while done < kills {
        let place = Place::new();
        let (mut made, mut args) = (Vec::new(), ARGS);
        loop {
            let mut program = place.start(args);
            let begun = Instant::now();
            let moment = Duration::from_micros(random.random_range(0..400_000));
            let whole = random.random_bool(0.5);
            while begun.elapsed() < moment && matches!(program.try_wait(), Ok(None)) {
                sleep(Duration::from_micros(500));
            }
            let mut living = place.living();
            // A keeper whose program was killed before it is all that knows of a process that left its group.
            let at_work = |(id, line): &(u32, String)| {
                *id != program.id() && (!is_keeper(line) || parent(*id) == Some(program.id()))
            };
            living.retain(at_work);
            if !whole && !living.is_empty() {
                let (id, _) = &living[random.random_range(0..living.len())];
                let kept = parent(*id) == Some(program.id());
                done += usize::from(kill("KILL", *id));
                // What a keeper held is ended by the program.
                while kept
                    && has_orphans(program.id(), *id)
                    && matches!(program.try_wait(), Ok(None))
                {
                    assert!(begun.elapsed() < LONG, "a killed keeper goes unseen: seed {seed}");
                    sleep(Duration::from_millis(2));
                }
                // The program goes on meanwhile, for as long again.
                sleep(moment / 4);
            }
            if matches!(program.try_wait(), Ok(Some(_))) {
                break;
            }
            program.kill().expect("it lives");
            program.wait().expect("it ends");
            done += 1;
            let now = place.events("done");
            assert_eq!(now[..made.len().min(now.len())], made[..], "no run is lost: seed {seed}");
            made = now;
            if place.journal().is_empty() {
                let _ = fs::remove_dir_all(place.path("runs"));
            } else {
                args = "--resume runs";
            }
        }
        place.report("--resume runs");
        assert_eq!(place.numbers(), undisturbed, "seed {seed}");
        let made = place.events("done");
        assert_eq!(made.len(), 24, "each is made once");
        assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), 24);
    }
}

#[test]
fn kills_at_any_moment_change_nothing() {
    many_kills(10, 1);
}

#[test]
fn hundreds_of_kills_at_any_moment_change_nothing() {
    if std::env::var_os("BEYONDNOISE_SLOW").is_some() {
        // Most of the time is waiting.
        std::thread::scope(|at_once| {
            for seed in 2..6 {
                at_once.spawn(move || many_kills(50, seed));
            }
        });
    }
}
