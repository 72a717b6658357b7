//! The machine around a run, as far as it is known.

use std::collections::BTreeMap;

/// State of the machine while a run was made. All that is not known is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachineState {
    /// Devices and what somebody set, by name: these are alike in runs that can be compared.
    pub settings: BTreeMap<String, String>,
    /// Version and commit of the program. Variants may differ in them, runs of one variant may not.
    pub build: BTreeMap<String, String>,
    /// Why a device lowered its clocks to protect itself; empty if it did not.
    pub throttled: Option<Vec<String>>,
    /// Highest temperature of a GPU while the run was made, in degrees Celsius.
    pub gpu_temperature_c: Option<f64>,
    /// Temperature of the processor at its end, in degrees Celsius.
    pub cpu_temperature_c: Option<f64>,
    /// The other process that used the processors most, with the mean number of processors.
    pub busiest: Option<(String, f64)>,
}
