//! Settings that clients print before a block.

use beyondnoise_model::runs::{Run, Setting};

/// Notes the settings that clients print before the block.
pub(crate) fn settings_ahead(ahead: &mut Run, line: &str) -> bool {
    let bare = line.trim_start_matches(['#', '>', ' ', '|']);
    if let Some((label, value)) = bare.split_once(':') {
        let workload = &mut ahead.workload;
        match label.trim() {
            "Traffic request rate" => workload.request_rate = Setting::parse(value),
            "Maximum request concurrency" => workload.max_concurrency = Setting::parse(value),
            "Burstiness factor" => {}
            label if label.starts_with("Failed requests during benchmark run") => {}
            _ => return namespace(ahead, bare),
        }
        return true;
    }
    namespace(ahead, bare) || bare.contains("%|")
}

/// Notes the settings of a line such as `Namespace(model='m', dataset_name='random', ...)`.
fn namespace(ahead: &mut Run, line: &str) -> bool {
    let Some((_, arguments)) = line.split_once("Namespace(") else { return false };
    let raw = |key: &str| {
        let start = if arguments.starts_with(&format!("{key}=")) {
            0
        } else {
            arguments.find(&format!(", {key}="))? + 2
        };
        let value = arguments[start + key.len() + 1..].split([',', ')']).next()?;
        Some(value.trim().trim_matches(['\'', '"']).to_owned())
    };
    let word = |key: &str| raw(key).filter(|value| !value.is_empty() && value != "None");
    let workload = &mut ahead.workload;
    workload.model = word("model");
    workload.dataset = word("dataset_name");
    if let Some(rate) = raw("request_rate") {
        workload.request_rate = Setting::parse(&rate);
    }
    if let Some(cap) = raw("max_concurrency") {
        workload.max_concurrency = Setting::parse(&cap);
    }
    let random = workload.dataset.as_deref().is_some_and(|name| name.starts_with("random"));
    for key in ["random_input_len", "random_output_len", "random_range_ratio"] {
        if let Some(value) = word(key).filter(|_| random) {
            workload.other.insert(key.to_owned(), value);
        }
    }
    true
}
