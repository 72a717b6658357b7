//! Properties of runs that no set-up of the atlas has.

use std::collections::BTreeSet;

use crate::format::listed;
use crate::runs::{ACCELERATORS, Run, Variant, is_key};

/// Names of accelerators other than GPUs, as written by makers and clients.
const NO_GPU: [&str; 9] =
    ["npu", "ascend", "tpu", "gaudi", "hpu", "trainium", "inferentia", "lpu", "ipu"];

/// A name of such an accelerator in another script, anywhere in a text.
const NO_GPU_INSIDE: &str = "昇腾";

/// Names of settings that only a rented machine has.
const RENTED: &str = "\
    availability_zone cloud cloud_provider instance_type machine_type provider region vm vm_size vm_type zone";

/// Names of the machine itself.
const HOSTS: &str = "host host_name hostname instance_id node node_name";

/// Names of the seed of the prompts.
const SEEDS: &str = "random_seed seed";

/// Names of the switch of a prefix cache.
const PREFIX_CACHES: &str = "enable_prefix_caching prefix_cache prefix_caching";

/// Reasons in words why the noise of these runs may be larger than in the atlas: an accelerator that is no GPU, a CPU, a rented
/// machine, several machines, several seeds, a prefix cache. Empty if the files show none.
pub fn outside(baseline: &Variant, candidate: &Variant) -> Vec<String> {
    let both = [baseline, candidate];
    let runs = || both.into_iter().flat_map(|variant| &variant.runs);
    let known = |names: &str| -> BTreeSet<&str> {
        let of_run = |run| Run::known(run).filter(|(key, _)| is_key(names, key));
        runs().flat_map(of_run).map(|(_, value)| value).filter(|value| !value.is_empty()).collect()
    };
    let several = |names: &str, noun: &str| {
        let values: Vec<String> = known(names).into_iter().map(str::to_owned).collect();
        (values.len() > 1).then(|| format!("several {noun} ({})", listed(&values)))
    };
    let devices = known(ACCELERATORS);
    let labels = both.into_iter().map(|variant| variant.name.as_str());
    let no_gpu = devices.iter().copied().chain(labels).find(|text| is_no_gpu(text));
    let on_cpu = devices.iter().any(|device| device.eq_ignore_ascii_case("cpu"));
    let cached = known(PREFIX_CACHES).into_iter().any(|value| value.eq_ignore_ascii_case("true"));
    let rented = known(RENTED).into_iter().next();
    let facts = [
        no_gpu.map(|name| format!("an accelerator that is no GPU ({name})")),
        on_cpu.then(|| "a CPU".to_owned()),
        rented.map(|name| format!("a rented machine ({name})")),
        several(HOSTS, "machines"),
        several(SEEDS, "seeds of the prompts"),
        cached.then(|| "a prefix cache".to_owned()),
    ];
    facts.into_iter().flatten().collect()
}

fn is_no_gpu(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let letters = |word: &str| word.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    lower.contains(NO_GPU_INSIDE)
        || words.any(|word| {
            let word = letters(word);
            NO_GPU.iter().any(|name| word == *name)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accelerators_are_known_by_whole_words() {
        for text in
            ["Ascend 910B3", "8 x NPU", "seq_lens 不移到 NPU", "昇腾910B", "TPU v5e", "gaudi2"]
        {
            assert!(is_no_gpu(text), "{text}");
        }
        for text in ["NVIDIA H200", "MI300X", "input", "output", "seq_lens cpu cache"] {
            assert!(!is_no_gpu(text), "{text}");
        }
    }
}
