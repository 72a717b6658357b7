//! Values of one metric in several units, whatever files they come from.

use std::collections::BTreeMap;

use crate::input::arguments::FileRuns;
use crate::kit::{fields, short};
use beyondnoise_model::error::Error;
use beyondnoise_model::runs::{Run, Skipped, Source, Value};
use beyondnoise_model::units::Scale;

/// Where a metric was first found, and in which unit.
struct First {
    unit: String,
    source: Source,
}

/// Converts the values of each metric to the unit of the first file that states one.
///
/// # Errors
///
/// [`Error::Input`] for units that cannot be converted; in lenient reading the values are left out.
pub(crate) fn in_one_unit(files: &mut [Vec<FileRuns>], lenient: bool) -> Result<(), Error> {
    let stated = |run: &Run| !run.units.is_empty();
    if !files.iter().flatten().any(|file| file.runs.iter().any(stated)) {
        return Ok(());
    }
    let mut first: BTreeMap<String, First> = BTreeMap::new();
    let runs = || files.iter().flatten().flat_map(|file| &file.runs);
    for run in runs() {
        for (metric, unit) in run.units.iter() {
            if run.metrics.contains_key(metric) && !first.contains_key(metric) {
                let source = run.source.clone();
                first.insert(metric.clone(), First { unit: unit.clone(), source });
            }
        }
    }
    for FileRuns { input, runs, .. } in files.iter_mut().flatten() {
        for (metric, First { unit: wanted, source }) in &first {
            let own = fields::unit_of(metric);
            let mut left_out = None;
            for run in runs.iter_mut().filter(|run| run.metrics.contains_key(metric)) {
                // Without a word of it, a metric of the registry is in its unit; of any other nothing is known.
                let unit = run.units.get(metric).map_or(own.symbol(), |unit| unit);
                if unit.is_empty() || unit == wanted {
                    continue;
                }
                let scales = Scale::parse(unit).zip(Scale::parse(wanted));
                if let Some(conversion) = scales.and_then(|(from, to)| from.to(to)) {
                    if let Some(&Value { value, resolution }) = run.metrics.get(metric) {
                        let value = conversion.apply(value);
                        let resolution = conversion.apply(resolution);
                        run.metrics.insert(metric.as_str(), Value { value, resolution });
                    }
                    run.units.insert(metric.clone(), wanted.clone());
                    continue;
                }
                let problem = format!(
                    "expected \"{}\" in \"{}\" as at {source}, found \"{}\"",
                    short(metric),
                    short(wanted),
                    short(unit)
                );
                if !lenient {
                    let place = if run.source.counts.is_empty() {
                        "file".to_owned()
                    } else {
                        format!("{} {}", run.source.counts, run.source.position)
                    };
                    let remedy = "convert the values to one unit";
                    let (path, remedy) = (run.source.path.to_string(), remedy.to_owned());
                    return Err(Error::Input { path, place, problem, remedy });
                }
                run.metrics.remove(metric);
                left_out = Some(problem);
            }
            let place = format!("metric {metric}");
            input.skipped.extend(left_out.map(|why| Skipped { place, why }));
        }
    }
    Ok(())
}
