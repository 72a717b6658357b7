//! The state of the machine during a run, as far as it is known.

use std::collections::BTreeMap;

use crate::runs::Run;

/// State of the machine during a run. Unknown parts are missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachineState {
    /// Devices and chosen settings, by name: these are equal in comparable runs.
    pub settings: BTreeMap<String, String>,
    /// Version and commit of the program. They may differ between variants, but not within one.
    pub build: BTreeMap<String, String>,
    /// Reasons why a device lowered its clocks to protect itself; empty if it did not.
    pub throttled: Option<Vec<String>>,
    /// Highest temperature of a GPU during the run, in degrees Celsius.
    pub gpu_temperature_c: Option<f64>,
    /// Temperature of the processor at the end of the run, in degrees Celsius.
    pub cpu_temperature_c: Option<f64>,
    /// The other process that used most processor time, with its mean number of processors.
    pub busiest: Option<(String, f64)>,
}

/// Keys with the model of an accelerator.
pub const ACCELERATORS: &str = "\
    accelerator device device_model device_name device_type gpu gpu_info gpu_model \
    gpu_name gpu_type gpus hardware hw npu server_gpu_type";

/// Keys with the model of a processor, which is the device if no accelerator is named.
pub const PROCESSORS: &str = "cpu cpu_brand cpu_info cpu_model cpu_model_name";

/// Whether a key, or its part after the last `.`, `/` or space, is one of `names`, in any letter case.
pub fn is_key(names: &str, key: &str) -> bool {
    let last = key.rsplit(['.', '/', ' ']).next().unwrap_or(key).to_lowercase();
    names.split(' ').any(|name| name == last)
}

impl Run {
    /// Known properties of a run besides its work and its values: metadata, then settings of the machine.
    pub fn known(&self) -> impl Iterator<Item = (&str, &str)> {
        let machine = self.info.machine.as_deref();
        let settings = machine.into_iter().flat_map(|machine| &machine.settings);
        let all = self.metadata.iter().chain(settings);
        all.map(|(key, value)| (key.as_str(), value.trim()))
    }
}
