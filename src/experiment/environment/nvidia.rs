//! NVIDIA devices, by the library of their driver, which is looked for when the program runs.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use beyondnoise::environment::{
    During, Gpu, HARDWARE, HARDWARE_HEAT, POWER_BRAKE, SOFTWARE_HEAT, Watched,
};
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};
use nvml_wrapper::{Device, Nvml};

/// Time between two looks at the devices; each costs the program about a millisecond.
const INTERVAL: Duration = Duration::from_secs(2);

/// Percent of time at work from which on a clock is one under load.
const AT_WORK: u32 = 50;

/// Reasons with their words. An idle device has low clocks too, which is no throttling.
const REASONS: &[(ThrottleReasons, &str)] = &[
    (ThrottleReasons::APPLICATIONS_CLOCKS_SETTING, "application clocks"),
    (ThrottleReasons::SW_POWER_CAP, "power limit"),
    (ThrottleReasons::HW_SLOWDOWN, HARDWARE),
    (ThrottleReasons::SYNC_BOOST, "sync boost"),
    (ThrottleReasons::SW_THERMAL_SLOWDOWN, SOFTWARE_HEAT),
    (ThrottleReasons::HW_THERMAL_SLOWDOWN, HARDWARE_HEAT),
    (ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN, POWER_BRAKE),
    (ThrottleReasons::DISPLAY_CLOCK_SETTING, "display clocks"),
];

/// The devices of a machine that has a driver for them.
pub(super) struct Nvidia(Arc<Nvml>);

impl Nvidia {
    /// `None` without a driver.
    pub(super) fn load() -> Option<Self> {
        Nvml::init().ok().map(Arc::new).map(Self)
    }

    pub(super) fn driver(&self) -> Option<String> {
        self.0.sys_driver_version().ok()
    }

    pub(super) fn gpus(&self) -> Vec<Gpu> {
        devices(&self.0).iter().map(state).collect()
    }

    /// Watches the devices in a thread until that is stopped or dropped.
    pub(super) fn watch(&self) -> Watch {
        let nvml = Arc::clone(&self.0);
        let (stop, stopped) = channel();
        let watching = thread::spawn(move || {
            let devices = devices(&nvml);
            let mut during = During::default();
            during.gpus.resize_with(devices.len(), Watched::default);
            loop {
                let waited = stopped.recv_timeout(INTERVAL);
                during.samples += 1;
                for (device, watched) in devices.iter().zip(&mut during.gpus) {
                    add(watched, &sample(device));
                }
                if waited != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
            during.gpus.iter_mut().for_each(share);
            during
        });
        Watch(Some((stop, watching)))
    }
}

/// The devices while they are watched.
#[derive(Default)]
pub(in crate::experiment) struct Watch(Option<(Sender<()>, JoinHandle<During>)>);

impl Watch {
    /// Takes a last sample and returns the observations; `None` if nothing can be watched.
    pub(in crate::experiment) fn stop(self) -> Option<During> {
        let (stop, watching) = self.0?;
        drop(stop);
        watching.join().ok()
    }
}

fn devices(nvml: &Nvml) -> Vec<Device<'_>> {
    let count = nvml.device_count().unwrap_or(0);
    (0..count).filter_map(|index| nvml.device_by_index(index).ok()).collect()
}

fn state(device: &Device) -> Gpu {
    let watts = |milliwatts: u32| f64::from(milliwatts) / 1000.0;
    Gpu {
        name: device.name().ok(),
        memory_clock_mhz: device.clock_info(Clock::Memory).ok(),
        power_w: device.power_usage().ok().map(watts),
        power_limit_w: device.enforced_power_limit().ok().map(watts),
        persistence_mode: device.is_in_persistent_mode().ok(),
        processes: device.running_compute_processes_count().ok(),
        ..sample(device)
    }
}

/// Reads clock, temperature, throttling and utilization of a device.
fn sample(device: &Device) -> Gpu {
    Gpu {
        uuid: device.uuid().ok(),
        sm_clock_mhz: device.clock_info(Clock::SM).ok(),
        temperature_c: device.temperature(TemperatureSensor::Gpu).ok(),
        throttle: device.current_throttle_reasons().map(words).unwrap_or_default(),
        utilization: device.utilization_rates().ok().map(|rates| rates.gpu),
        ..Gpu::default()
    }
}

fn words(reasons: ThrottleReasons) -> Vec<String> {
    let found = REASONS.iter().filter(|(reason, _)| reasons.contains(*reason));
    found.map(|(_, word)| (*word).to_owned()).collect()
}

/// Adds a sample; the reasons are counted until [`share`] divides them.
fn add(watched: &mut Watched, sample: &Gpu) {
    watched.uuid.clone_from(&sample.uuid);
    watched.max_temperature_c = watched.max_temperature_c.max(sample.temperature_c);
    // At rest the clocks are low, and a change of clocks can look like a slowdown.
    if sample.utilization.is_some_and(|percent| percent < AT_WORK) {
        return;
    }
    watched.busy_samples += 1;
    let clocks = watched.min_sm_clock_mhz.into_iter().chain(sample.sm_clock_mhz);
    watched.min_sm_clock_mhz = clocks.min();
    for reason in &sample.throttle {
        *watched.throttle.entry(reason.clone()).or_default() += 1.0;
    }
}

fn share(watched: &mut Watched) {
    let samples = watched.busy_samples as f64;
    watched.throttle.values_mut().for_each(|count| *count /= samples);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits as nvml.h defines them: 0x1 idle, 0x4 power cap, 0x20 software thermal, 0x40 hardware thermal.
    #[test]
    fn reasons_have_words_except_for_idle() {
        let of = |bits| words(ThrottleReasons::from_bits_truncate(bits));
        assert!(of(0x1).is_empty());
        assert_eq!(of(0x24), ["power limit", "software thermal slowdown"]);
        assert_eq!(of(0x40 | 0x80), ["hardware thermal slowdown", "power brake"]);
    }

    #[test]
    fn a_device_at_rest_counts_for_its_temperature_only() {
        let of = |utilization, clock, celsius, reasons| Gpu {
            utilization,
            sm_clock_mhz: Some(clock),
            temperature_c: Some(celsius),
            throttle: words(ThrottleReasons::from_bits_truncate(reasons)),
            ..Gpu::default()
        };
        let mut watched = Watched::default();
        for sample in [
            of(Some(97), 1410, 78, 0x24),
            of(Some(99), 1275, 81, 0x4),
            of(Some(3), 210, 82, 0x8),
            of(None, 1400, 80, 0x4),
            of(Some(50), 1380, 79, 0x0),
        ] {
            add(&mut watched, &sample);
        }
        share(&mut watched);
        assert_eq!(watched.busy_samples, 4);
        assert_eq!(watched.max_temperature_c, Some(82));
        assert_eq!(watched.min_sm_clock_mhz, Some(1275));
        // Of four samples at work three were at the power limit, and one was too hot.
        let shares: Vec<(&str, f64)> =
            watched.throttle.iter().map(|(reason, share)| (&**reason, *share)).collect();
        assert_eq!(shares, [("power limit", 0.75), ("software thermal slowdown", 0.25)]);
    }
}
