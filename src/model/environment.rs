//! The state of the machine during a run, in a file beside the run: [`ENVIRONMENT_FILE`](crate::journal::ENVIRONMENT_FILE).
//!
//! Values that a machine does not report are `None` or empty, never 0.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::journal::VariantPlan;
use crate::runs::MachineState;
use crate::sanitize::cleaned;

/// Version of the format.
pub const SCHEMA: &str = "beyondnoise-environment/1";

/// Reasons in [`Watched::throttle`] by which a device protects itself. The others are usual under full load (the power limit),
/// or set on purpose (clocks).
const PROTECTING: &[&str] = &[HARDWARE, SOFTWARE_HEAT, HARDWARE_HEAT, POWER_BRAKE];

/// A device slows down, for one of the reasons below or for a peak of its power.
pub const HARDWARE: &str = "hardware slowdown";
/// The driver slows a device down because of its temperature.
pub const SOFTWARE_HEAT: &str = "software thermal slowdown";
/// A device slows itself down because of its temperature.
pub const HARDWARE_HEAT: &str = "hardware thermal slowdown";
/// The power supply slows a device down.
pub const POWER_BRAKE: &str = "power brake";

/// Smallest share of the samples for a reason to count: below it a run loses less than the usual margin of 1 %.
const MIN_SHARE: f64 = 0.01;

/// Number of hash digits that identify a commit.
const HASH_DIGITS: usize = 12;

/// The whole file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Environment {
    /// Version of the format: [`SCHEMA`].
    pub schema: String,
    /// The program under test.
    pub run: Program,
    /// Properties of the machine that do not change during the run.
    pub machine: Hardware,
    /// State before the run.
    pub before: Snapshot,
    /// State during the run; `None` if nothing can be watched.
    pub during: Option<During>,
    /// State after the run.
    pub after: Snapshot,
}

/// The program under test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Program {
    /// The commands of the variant.
    pub variant: Option<VariantPlan>,
    /// The line that its version command prints: the last of standard output, or else the first of standard error.
    pub version: Option<String>,
    /// Commit of the folder in which the commands run.
    pub commit: Option<Commit>,
}

/// A commit of git.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its hash, in hexadecimal digits.
    pub hash: String,
    /// Whether a tracked file differs from the commit.
    pub changed: bool,
}

/// Properties of the machine that do not change while the program runs, without the name of the host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Hardware {
    /// Model of the processor.
    pub cpu_model: Option<String>,
    /// Logical processors.
    pub processors: usize,
    /// Size of the memory, in bytes.
    pub memory_bytes: u64,
    /// Name and version of the operating system.
    pub system: Option<String>,
    /// Version of its kernel.
    pub kernel: Option<String>,
    /// Version of the NVIDIA driver.
    pub nvidia_driver: Option<String>,
}

/// The state at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Snapshot {
    /// Load averages of 1, 5 and 15 minutes.
    pub load: [f64; 3],
    /// Memory that can be taken without swapping, in bytes.
    pub memory_available_bytes: u64,
    /// The heaviest processes outside the run since the last snapshot, heaviest first.
    pub processes: Vec<Busy>,
    /// The processors.
    pub cpu: Cpu,
    /// The NVIDIA devices, in the order of the driver.
    pub gpus: Vec<Gpu>,
    /// Output of the tools of other devices, by their names.
    pub tools: BTreeMap<String, String>,
}

/// A process that uses the processors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Busy {
    /// The program as it was started, without arguments.
    pub name: String,
    /// Mean number of processors that it used since the last snapshot.
    pub processors: f64,
}

/// State of the processors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cpu {
    /// The governors of the clocks, each once.
    pub governors: Vec<String>,
    /// Whether clocks above the base clock are allowed.
    pub turbo: Option<bool>,
    /// At this moment; `None` where the system does not tell.
    pub clock_mhz: Option<Clocks>,
    /// Highest temperature that a sensor of the processors shows, in degrees Celsius.
    pub temperature_c: Option<f64>,
    /// Number of slow-downs of a processor because of its temperature, since the machine started.
    pub throttle_count: Option<u64>,
}

/// Clocks of all processors, in MHz.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Clocks {
    /// The slowest processor.
    pub min: f64,
    /// Mean over the processors.
    pub mean: f64,
    /// The fastest processor.
    pub max: f64,
}

/// State of an NVIDIA device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Gpu {
    /// Model.
    pub name: Option<String>,
    /// Identifier of the device.
    pub uuid: Option<String>,
    /// Clock of its multiprocessors, in MHz.
    pub sm_clock_mhz: Option<u32>,
    /// Clock of its memory, in MHz.
    pub memory_clock_mhz: Option<u32>,
    /// Power that it takes, in watts.
    pub power_w: Option<f64>,
    /// Power that it may take, in watts.
    pub power_limit_w: Option<f64>,
    /// Temperature, in degrees Celsius.
    pub temperature_c: Option<u32>,
    /// Reasons why its clocks are below the highest.
    pub throttle: Vec<String>,
    /// Share of the time at work, in percent.
    pub utilization: Option<u32>,
    /// Whether the driver stays loaded between programs.
    pub persistence_mode: Option<bool>,
    /// Processes that compute on it.
    pub processes: Option<u32>,
}

/// Observations of the NVIDIA devices during a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct During {
    /// Number of samples of each device.
    pub samples: usize,
    /// The devices, in the order of the driver.
    pub gpus: Vec<Watched>,
}

/// Observations of one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Watched {
    /// Identifier of the device.
    pub uuid: Option<String>,
    /// Number of samples in which it was at work.
    pub busy_samples: usize,
    /// Highest temperature, in degrees Celsius.
    pub max_temperature_c: Option<u32>,
    /// Lowest clock of its multiprocessors at work, in MHz.
    pub min_sm_clock_mhz: Option<u32>,
    /// Reasons for clocks below the highest while at work, with their share of the samples at work.
    pub throttle: BTreeMap<String, f64>,
}

/// The part of a run's file that the checks need; `None` for another version.
///
/// # Examples
///
/// ```
/// use beyondnoise_model::environment::facts;
///
/// let file = br#"{"schema": "beyondnoise-environment/1", "machine": {"cpu_model": "EPYC 9534"}}"#;
/// assert_eq!(facts(file).unwrap().settings["cpu_model"], "EPYC 9534");
/// assert!(facts(b"{}").is_none());
/// ```
pub fn facts(file: &[u8]) -> Option<MachineState> {
    let file: Environment = serde_json::from_slice(file).ok()?;
    (file.schema == SCHEMA).then(|| MachineState {
        settings: settings(&file),
        build: build(&file.run),
        throttled: throttled(&file),
        gpu_temperature_c: highest(file.during.as_ref()),
        cpu_temperature_c: file.after.cpu.temperature_c,
        busiest: file.after.processes.first().map(|busy| (cleaned(&busy.name), busy.processors)),
    })
}

fn settings(file: &Environment) -> BTreeMap<String, String> {
    let (machine, cpu, gpus) = (&file.machine, &file.before.cpu, &file.before.gpus);
    let switch = |on: bool| if on { "on" } else { "off" }.to_owned();
    let all = [
        ("gpu_name", names(gpus)),
        ("gpu_driver", machine.nvidia_driver.clone()),
        ("gpu_power_limit", each(gpus, |gpu| gpu.power_limit_w.map(|watts| format!("{watts} W")))),
        ("gpu_persistence_mode", each(gpus, |gpu| gpu.persistence_mode.map(switch))),
        ("cpu_model", machine.cpu_model.clone()),
        ("processors", (machine.processors > 0).then(|| machine.processors.to_string())),
        ("governor", Some(cpu.governors.join(" and ")).filter(|text| !text.is_empty())),
        ("turbo", cpu.turbo.map(switch)),
        ("kernel", machine.kernel.clone()),
    ];
    all.into_iter().filter_map(|(key, text)| Some((key.to_owned(), cleaned(&text?)))).collect()
}

fn build(run: &Program) -> BTreeMap<String, String> {
    let commit = run.commit.as_ref().map(|commit| {
        let hash: String = commit.hash.chars().take(HASH_DIGITS).collect();
        if commit.changed { format!("{hash} with changes") } else { hash }
    });
    let all = [("version", run.version.clone()), ("commit", commit)];
    all.into_iter().filter_map(|(key, text)| Some((key.to_owned(), cleaned(&text?)))).collect()
}

/// The models, each with its number of devices.
fn names(gpus: &[Gpu]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in gpus.iter().filter_map(|gpu| gpu.name.as_deref()) {
        *counts.entry(name).or_default() += 1;
    }
    let models: Vec<String> =
        counts.into_iter().map(|(name, count)| format!("{count} x {name}")).collect();
    (!models.is_empty()).then(|| models.join(" and "))
}

/// The values of all devices, each once.
fn each(gpus: &[Gpu], of: impl Fn(&Gpu) -> Option<String>) -> Option<String> {
    let values: Vec<String> =
        gpus.iter().filter_map(of).collect::<BTreeSet<_>>().into_iter().collect();
    (!values.is_empty()).then(|| values.join(" and "))
}

/// Reasons for which a device protected itself; `None` if no device reports them.
fn throttled(file: &Environment) -> Option<Vec<String>> {
    let watched = file.during.iter().flat_map(|during| &during.gpus);
    let known = watched.clone().any(|gpu| gpu.busy_samples > 0);
    let counts = [&file.before, &file.after].map(|at| at.cpu.throttle_count);
    let hot = counts[0].zip(counts[1]).map(|(before, after)| after > before);
    if !known && hot.is_none() {
        return None;
    }
    let of_gpu = watched
        .flat_map(|gpu| &gpu.throttle)
        .filter(|(reason, share)| PROTECTING.contains(&reason.as_str()) && **share >= MIN_SHARE);
    let mut reasons: BTreeSet<String> = of_gpu.map(|(reason, _)| reason.clone()).collect();
    reasons.extend((hot == Some(true)).then(|| "temperature of the processor".to_owned()));
    Some(reasons.into_iter().collect())
}

fn highest(during: Option<&During>) -> Option<f64> {
    let gpus = during.iter().flat_map(|during| &during.gpus);
    gpus.filter_map(|gpu| gpu.max_temperature_c).max().map(f64::from)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(file: &serde_json::Value) -> MachineState {
        facts(file.to_string().as_bytes()).expect("a file of this version")
    }

    #[test]
    fn what_was_set_and_what_was_measured_are_kept_apart() {
        let gpu = json!({
            "name": "H100", "power_limit_w": 700.0, "persistence_mode": true, "temperature_c": 41
        });
        let state = of(&json!({
            "schema": SCHEMA,
            "run": {
                "version": "0.11.0",
                "commit": {"hash": "0123456789abcdef0123456789abcdef01234567", "changed": true}
            },
            "machine": {"cpu_model": "EPYC", "processors": 64, "nvidia_driver": "580.65.06"},
            "before": {"gpus": [gpu, gpu], "cpu": {"governors": ["powersave"], "turbo": false}},
            "during": {"gpus": [{"busy_samples": 9, "max_temperature_c": 71}, {"max_temperature_c": 78}]},
            "after": {"processes": [{"name": "python3", "processors": 1.5}]}
        }));
        let settings: Vec<(&str, &str)> =
            state.settings.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(
            settings,
            [
                ("cpu_model", "EPYC"),
                ("governor", "powersave"),
                ("gpu_driver", "580.65.06"),
                ("gpu_name", "2 x H100"),
                ("gpu_persistence_mode", "on"),
                ("gpu_power_limit", "700 W"),
                ("processors", "64"),
                ("turbo", "off"),
            ]
        );
        assert_eq!(state.build["commit"], "0123456789ab with changes");
        assert_eq!(state.build["version"], "0.11.0");
        assert_eq!(state.gpu_temperature_c, Some(78.0));
        assert_eq!(state.busiest, Some(("python3".to_owned(), 1.5)));
        assert_eq!(state.throttled, Some(Vec::new()));
    }

    #[test]
    fn a_device_that_protects_itself_throttles() {
        let of = |throttle: serde_json::Value, counts: [Option<u64>; 2]| {
            let [before, after] = counts.map(|count| json!({"cpu": {"throttle_count": count}}));
            let gpus = json!([{"busy_samples": 200, "throttle": throttle}]);
            let during = if throttle.is_null() { json!(null) } else { json!({"gpus": gpus}) };
            of(&json!({"schema": SCHEMA, "before": before, "during": during, "after": after}))
                .throttled
        };
        // Under full load the power limit is usual; a reason in 1 of 200 samples is below 1 %.
        let usual = json!({"power limit": 1.0, "application clocks": 1.0, HARDWARE: 0.005});
        assert_eq!(of(usual, [None; 2]), Some(Vec::new()));
        let hot = json!({"power limit": 0.5, SOFTWARE_HEAT: 0.25});
        assert_eq!(of(hot, [None; 2]), Some(vec![SOFTWARE_HEAT.to_owned()]));
        assert_eq!(of(json!(null), [None; 2]), None);
        assert_eq!(of(json!(null), [Some(7); 2]), Some(Vec::new()));
        let hot = Some(vec!["temperature of the processor".to_owned()]);
        assert_eq!(of(json!(null), [Some(7), Some(9)]), hot);
    }

    #[test]
    fn another_version_and_other_files_say_nothing() {
        assert_eq!(facts(br#"{"schema": "beyondnoise-environment/2"}"#), None);
        assert_eq!(facts(b"[1"), None);
    }
}
