//! The state of the machine around every run: asked before and after, and watched meanwhile.
//!
//! Nothing here fails: values that a machine does not report are left empty.

mod nvidia;
mod processors;
mod tools;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use beyondnoise::environment::{Busy, During, Environment, Hardware, Program, SCHEMA, Snapshot};
use beyondnoise::error::Error;
use beyondnoise::journal::{self, ENVIRONMENT_FILE};
use beyondnoise::write;
use sysinfo::{
    CpuRefreshKind, MemoryRefreshKind, Process, ProcessRefreshKind, ProcessesToUpdate, System,
};
use xxhash_rust::xxh3::xxh3_128;

use nvidia::Nvidia;
pub(super) use nvidia::Watch;
use processors::Processors;
use tools::Tool;
pub(super) use tools::commit;

use crate::experiment::processes::group_of;

/// Processes that a snapshot names.
const MAX_PROCESSES: usize = 5;

/// Mean number of processors from which on a process is named.
const MIN_SHARE: f64 = 0.05;

/// Shortest time over which the share of a process is a share: the system counts in steps of 10 ms.
const MIN_SECONDS: f64 = 1.0;

/// The machine on which the runs are made.
///
/// ```ignore
/// let mut machine = Machine::ask(folder);
/// let before = machine.snapshot(&[]);
/// let watch = machine.watch();
/// // The run.
/// let (during, after) = (watch.stop(), machine.snapshot(&groups));
/// machine.write(&folder_of_run, program, before, during, after)?;
/// ```
pub(super) struct Machine {
    identity: journal::Machine,
    hardware: Hardware,
    system: System,
    processors: Processors,
    nvidia: Option<Nvidia>,
    tools: Vec<&'static Tool>,
    /// When processes were last looked at, with their processor time in milliseconds, by number and start.
    looked: (Instant, BTreeMap<(u32, u64), u64>),
}

impl Machine {
    /// Asks for the constant properties, and keeps the outputs of the tools of devices as text files in `folder`.
    ///
    /// Takes as long as the tools, at most 10 s each.
    pub(super) fn ask(folder: &Path) -> Self {
        // Otherwise a file stays open for each process of the machine.
        sysinfo::set_open_files_limit(0);
        let mut system = System::new();
        system.refresh_cpu_list(CpuRefreshKind::nothing());
        system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
        let nvidia = Nvidia::load();
        let cpu_model = system.cpus().first().map(|cpu| cpu.brand().trim().to_owned());
        let hardware = Hardware {
            cpu_model: cpu_model.filter(|model| !model.is_empty()),
            processors: system.cpus().len(),
            memory_bytes: system.total_memory(),
            system: System::long_os_version(),
            kernel: System::kernel_version(),
            nvidia_driver: nvidia.as_ref().and_then(Nvidia::driver),
        };
        let (processors, tools) = (Processors::find(), tools::keep(folder));
        let looked = (now(), BTreeMap::new());
        let identity = identity();
        let mut machine = Self { identity, hardware, system, processors, nvidia, tools, looked };
        machine.processes(&[]);
        machine
    }

    /// Its host and its last start, for the journal.
    pub(super) fn identity(&self) -> &journal::Machine {
        &self.identity
    }

    /// The present state, without the processes of this program and of the groups `own`, which belong to the run.
    pub(super) fn snapshot(&mut self, own: &[u32]) -> Snapshot {
        self.system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
        let load = System::load_average();
        Snapshot {
            load: [load.one, load.five, load.fifteen],
            memory_available_bytes: self.system.available_memory(),
            processes: self.processes(own),
            cpu: self.processors.state(),
            gpus: self.nvidia.as_ref().map(Nvidia::gpus).unwrap_or_default(),
            tools: self.tools.iter().filter_map(|tool| tool.query()).collect(),
        }
    }

    /// Begins to watch the NVIDIA devices; without one it does nothing, and no thread is started.
    pub(super) fn watch(&self) -> Watch {
        self.nvidia.as_ref().map(Nvidia::watch).unwrap_or_default()
    }

    /// Writes the file of a run into its folder; `during` is what [`Watch::stop`] gave.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub(super) fn write(
        &self,
        folder: &Path,
        run: Program,
        before: Snapshot,
        during: Option<During>,
        after: Snapshot,
    ) -> Result<(), Error> {
        let machine = self.hardware.clone();
        let whole = Environment { schema: SCHEMA.to_owned(), run, machine, before, during, after };
        let mut text = serde_json::to_vec_pretty(&whole).unwrap_or_default();
        text.push(b'\n');
        write::replace(&folder.join(ENVIRONMENT_FILE), &text)
    }

    /// The heaviest other processes since this was asked last; none if that was just now.
    fn processes(&mut self, own: &[u32]) -> Vec<Busy> {
        let kind = ProcessRefreshKind::nothing().with_cpu().without_tasks();
        self.system.refresh_processes_specifics(ProcessesToUpdate::All, true, kind);
        let known = |process: &Process| {
            ((process.pid().as_u32(), process.start_time()), process.accumulated_cpu_time())
        };
        let all = self.system.processes().values();
        let times: BTreeMap<(u32, u64), u64> = all.map(known).collect();
        let (then, before) = std::mem::replace(&mut self.looked, (now(), times));
        let seconds = (self.looked.0 - then).as_secs_f64();
        if seconds < MIN_SECONDS {
            return Vec::new();
        }
        let busy = |process: &Process| {
            let (key, time) = known(process);
            let used = time.saturating_sub(before.get(&key).copied().unwrap_or(0));
            let processors = used as f64 / 1000.0 / seconds;
            (processors >= MIN_SHARE && !is_own(key.0, own))
                .then(|| Busy { name: process.name().to_string_lossy().into_owned(), processors })
        };
        let mut found: Vec<Busy> = self.system.processes().values().filter_map(busy).collect();
        found.sort_by(|a, b| b.processors.total_cmp(&a.processors));
        found.truncate(MAX_PROCESSES);
        found
    }
}

#[expect(clippy::disallowed_methods, reason = "the share of a process is one of passed time")]
fn now() -> Instant {
    Instant::now()
}

/// File in which Linux keeps the identifier of the last start.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// The machine as the journal identifies it: the host by a hash of its name.
fn identity() -> journal::Machine {
    let boot = fs::read_to_string(BOOT_ID).ok().or_else(tools::boot_session);
    let boot = boot.map(|boot| boot.trim().to_owned()).filter(|boot| !boot.is_empty());
    let host = System::host_name().map(|name| format!("{:032x}", xxh3_128(name.as_bytes())));
    journal::Machine { host, boot }
}

/// Whether a process is this one or in one of the groups.
fn is_own(process: u32, groups: &[u32]) -> bool {
    process == std::process::id() || group_of(process).is_some_and(|group| groups.contains(&group))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop in its own group uses one processor, or a share of one if the machine is busy.
    #[test]
    fn a_busy_process_is_named_unless_it_is_of_the_run() {
        use std::os::unix::process::CommandExt;
        use std::process::Command;

        let folder = tempfile::tempdir().unwrap();
        let mut machine = Machine::ask(folder.path());
        let mut child = Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .process_group(0)
            .spawn()
            .unwrap();
        // Long enough for a share.
        std::thread::sleep(std::time::Duration::from_millis(1100));
        let named = |busy: &[Busy]| busy.iter().any(|busy| busy.name == "sh");
        let then = machine.looked.clone();
        let others = machine.processes(&[]);
        machine.looked = then;
        let without = machine.processes(&[child.id()]);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(named(&others) && !named(&without), "{others:?} {without:?}");
        assert!(others.iter().all(|busy| busy.processors > 0.0));
        assert!(machine.processes(&[]).is_empty(), "no time has passed");
    }

    #[test]
    fn the_file_of_a_run_holds_what_was_asked() {
        let folder = tempfile::tempdir().unwrap();
        let mut machine = Machine::ask(folder.path());
        let (before, watch) = (machine.snapshot(&[]), machine.watch());
        let (during, after) = (watch.stop(), machine.snapshot(&[]));
        let program = Program { version: Some("1.2".to_owned()), ..Program::default() };
        machine.write(folder.path(), program, before, during, after).unwrap();
        let bytes = std::fs::read(folder.path().join(ENVIRONMENT_FILE)).unwrap();
        let read: Environment = serde_json::from_slice(&bytes).unwrap();
        assert_eq!((&*read.schema, read.run.version.as_deref()), (SCHEMA, Some("1.2")));
        assert!(read.machine.processors > 0 && read.machine.memory_bytes > 0);
        assert!(read.before.memory_available_bytes > 0);
    }
}
