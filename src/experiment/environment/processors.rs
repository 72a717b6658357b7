//! Clocks and temperature of the processors.

use std::fs;
use std::path::{Path, PathBuf};

use beyondnoise::environment::{Clocks, Cpu};
use sysinfo::{Component, Components};

/// Parts of the names of temperature sensors of processors.
const SENSORS: &[&str] = &["coretemp", "k10temp", "zenpower", "cpu", "x86_pkg"];

/// Parts of the names of those that are for a whole processor, not for a core.
const WHOLE: &[&str] = &["package", "pkg", "tctl", "tdie"];

/// Where the system tells about them.
pub(super) struct Processors {
    sensors: Vec<Component>,
    devices: PathBuf,
    info: PathBuf,
}

impl Processors {
    /// Looks for the sensors once: to read all sensors of a machine can take longer than a run may cost.
    pub(super) fn find() -> Self {
        let named = |component: &Component, words: &[&str]| {
            let label = component.label().to_lowercase();
            words.iter().any(|word| label.contains(word))
        };
        let all: Vec<Component> = Components::new_with_refreshed_list().into();
        let mut sensors: Vec<Component> =
            all.into_iter().filter(|one| named(one, SENSORS)).collect();
        if sensors.iter().any(|one| named(one, WHOLE)) {
            sensors.retain(|one| named(one, WHOLE));
        }
        Self {
            sensors,
            devices: PathBuf::from("/sys/devices/system/cpu"),
            info: PathBuf::from("/proc/cpuinfo"),
        }
    }

    pub(super) fn state(&mut self) -> Cpu {
        let policies = entries(&self.devices.join("cpufreq"), "policy");
        let mut governors: Vec<String> =
            policies.iter().filter_map(|policy| word(&policy.join("scaling_governor"))).collect();
        governors.sort_unstable();
        governors.dedup();
        let no_turbo = word(&self.devices.join("intel_pstate/no_turbo")).map(|off| off == "0");
        let boost = || word(&self.devices.join("cpufreq/boost")).map(|on| on == "1");
        self.sensors.iter_mut().for_each(Component::refresh);
        let temperatures = self.sensors.iter().filter_map(Component::temperature);
        Cpu {
            governors,
            turbo: no_turbo.or_else(boost),
            clock_mhz: self.clocks(&policies),
            temperature_c: temperatures.map(f64::from).filter(|c| c.is_finite()).reduce(f64::max),
            throttle_count: self.throttle_count(),
        }
    }

    /// One read of all clocks: on older kernels each `scaling_cur_freq` waits for 10 ms.
    fn clocks(&self, policies: &[PathBuf]) -> Option<Clocks> {
        let info = fs::read_to_string(&self.info).unwrap_or_default();
        let lines = info.lines().filter(|line| line.starts_with("cpu MHz"));
        let mut mhz: Vec<f64> =
            lines.filter_map(|line| line.split_once(':')?.1.trim().parse().ok()).collect();
        if mhz.is_empty() {
            let khz = policies.iter().filter_map(|policy| word(&policy.join("scaling_cur_freq")));
            mhz = khz.filter_map(|khz| Some(khz.parse::<f64>().ok()? / 1000.0)).collect();
        }
        Some(Clocks {
            min: mhz.iter().copied().reduce(f64::min)?,
            mean: mhz.iter().sum::<f64>() / mhz.len() as f64,
            max: mhz.iter().copied().reduce(f64::max)?,
        })
    }

    fn throttle_count(&self) -> Option<u64> {
        let count = |folder: &PathBuf| {
            let of = |name| word(&folder.join("thermal_throttle").join(name))?.parse::<u64>().ok();
            Some(of("core_throttle_count")? + of("package_throttle_count").unwrap_or(0))
        };
        entries(&self.devices, "cpu").iter().filter_map(count).reduce(|a, b| a + b)
    }
}

/// Entries of a folder whose names are `start` and a number.
fn entries(folder: &Path, start: &str) -> Vec<PathBuf> {
    let numbered = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.strip_prefix(start).is_some_and(|rest| rest.parse::<u32>().is_ok())
    };
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    all.map(|entry| entry.path()).filter(numbered).collect()
}

fn word(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The files are those that the kernel's documentation describes under admin-guide/pm.
    #[test]
    fn the_files_of_the_kernel_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        for (policy, governor, khz) in [(0, "performance", 3_000_000), (1, "powersave", 1_500_000)]
        {
            put(at, &format!("cpufreq/policy{policy}/scaling_governor"), &format!("{governor}\n"));
            put(at, &format!("cpufreq/policy{policy}/scaling_cur_freq"), &format!("{khz}\n"));
            put(at, &format!("cpu{policy}/thermal_throttle/core_throttle_count"), "3\n");
        }
        put(at, "intel_pstate/no_turbo", "1\n");
        let devices = at.to_owned();
        let mut of = Processors { sensors: Vec::new(), devices, info: at.join("cpuinfo") };
        let state = of.state();
        assert_eq!(state.governors, ["performance", "powersave"]);
        assert_eq!(state.turbo, Some(false));
        assert_eq!(state.clock_mhz, Some(Clocks { min: 1500.0, mean: 2250.0, max: 3000.0 }));
        assert_eq!(state.throttle_count, Some(6));
        put(at, "cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2596.124\n\ncpu MHz\t\t: 2400.0\n");
        fs::remove_dir_all(at.join("intel_pstate")).unwrap();
        put(at, "cpufreq/boost", "1\n");
        let state = of.state();
        assert_eq!(state.clock_mhz.unwrap().max.to_bits(), 2596.124_f64.to_bits());
        assert_eq!(state.turbo, Some(true));
    }

    #[test]
    fn a_machine_that_says_nothing_has_no_state() {
        let folder = tempfile::tempdir().unwrap();
        let (devices, info) = (folder.path().to_owned(), folder.path().join("cpuinfo"));
        let mut of = Processors { sensors: Vec::new(), devices, info };
        assert_eq!(of.state(), Cpu::default());
    }
}
