//! Units as tables state them: what a word for a unit means, and values of one metric in several units.
//!
//! A metric of the registry is kept in the registry's unit. Any other is kept in the unit that its first value
//! states; values in another unit of the same kind are converted, and where that is not possible it is an error:
//! 100 ms and 0.2 s are never compared as 100 and 0.2.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::metrics::Metric;
use crate::read::fields;
use crate::read::inputs::FileRuns;
use crate::read::short;
use crate::read::table::records::{Line, Table};
use crate::runs::{Run, Skipped, Source, Value};
use crate::units::Unit;

/// Quantity of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Time,
    Token,
    Request,
    Operation,
    Byte,
    Percent,
}

/// A unit: what it counts, whether per time, and its size beside the smallest unit of that kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    kind: Kind,
    per_time: bool,
    size: f64,
}

/// Words for units, lower case. Times count nanoseconds.
const WORDS: &[(Kind, f64, &[&str])] = &[
    (Kind::Time, 1.0, &["ns", "nsec", "nanosecond", "nanoseconds"]),
    (Kind::Time, 1e3, &["us", "µs", "μs", "usec", "microsecond", "microseconds"]),
    (Kind::Time, 1e6, &["ms", "msec", "msecs", "millisecond", "milliseconds"]),
    (Kind::Time, 1e9, &["s", "sec", "secs", "second", "seconds"]),
    (Kind::Time, 6e10, &["min", "mins", "minute", "minutes"]),
    (Kind::Time, 3.6e12, &["h", "hr", "hrs", "hour", "hours"]),
    (Kind::Token, 1.0, &["tok", "toks", "token", "tokens", "t"]),
    (Kind::Request, 1.0, &["req", "reqs", "request", "requests"]),
    (Kind::Operation, 1.0, &["op", "ops", "operation", "operations"]),
    (Kind::Byte, 1.0, &["b", "byte", "bytes"]),
    (Kind::Byte, 1e3, &["kb"]),
    (Kind::Byte, 1e6, &["mb"]),
    (Kind::Byte, 1e9, &["gb"]),
    (Kind::Byte, 1e12, &["tb"]),
    (Kind::Byte, 1024.0, &["kib"]),
    (Kind::Byte, 1_048_576.0, &["mib"]),
    (Kind::Byte, 1_073_741_824.0, &["gib"]),
    (Kind::Percent, 1.0, &["%", "percent"]),
];

/// Words for rates without the time that they are per.
const RATES: &[(&str, &str)] = &[("tps", "tok/s"), ("rps", "req/s"), ("qps", "req/s")];

/// Nanoseconds of the longest unit of time: rates are counted per hour, so that every size is whole.
const HOUR: f64 = 3.6e12;

impl Scale {
    /// The unit of a word: `ms`, `tok/s`, `tokens per second`, `GiB`.
    pub(super) fn parse(word: &str) -> Option<Self> {
        let word = word.trim().to_lowercase();
        let word = RATES.iter().find(|(short, _)| *short == word).map_or(&*word, |(_, rate)| rate);
        let plain = |word: &str| {
            let word = word.trim();
            let known = WORDS.iter().find(|(.., words)| words.contains(&word));
            known.map(|&(kind, size, _)| Self { kind, per_time: false, size })
        };
        let Some((counted, time)) = word.split_once('/').or_else(|| word.split_once(" per "))
        else {
            // A token is no unit of anything by itself.
            return plain(word).filter(|unit| !matches!(unit.kind, Kind::Token | Kind::Request));
        };
        let (counted, time) = (plain(counted)?, plain(time).filter(|t| t.kind == Kind::Time)?);
        let countable = !matches!(counted.kind, Kind::Time | Kind::Percent);
        let size = counted.size * (HOUR / time.size);
        countable.then_some(Self { kind: counted.kind, per_time: true, size })
    }

    /// The unit of the registry.
    pub(super) fn of_unit(unit: Unit) -> Option<Self> {
        Self::parse(unit.symbol())
    }

    /// Whether it counts bytes: memory is measured, and is set.
    pub(super) fn is_size(self) -> bool {
        self.kind == Kind::Byte && !self.per_time
    }

    fn is_alike(self, other: Self) -> bool {
        self.kind == other.kind && self.per_time == other.per_time
    }

    /// Conversion of values in this unit to `other`, of the same kind.
    pub(super) fn to(self, other: Self) -> Option<Conversion> {
        let (times, over) = if self.size >= other.size {
            (self.size / other.size, 1.0)
        } else {
            (1.0, other.size / self.size)
        };
        self.is_alike(other).then_some(Conversion { times, over })
    }
}

/// A change of unit: a factor and a divisor, one of them 1, so that the result is the nearest number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Conversion {
    times: f64,
    over: f64,
}

impl Conversion {
    pub(super) const NONE: Self = Self { times: 1.0, over: 1.0 };

    /// A value in the other unit.
    pub(super) fn apply(self, value: f64) -> f64 {
        value * self.times / self.over
    }
}

/// The unit of each metric of a table, as its rows state it.
#[derive(Default)]
pub(super) struct Stated {
    /// By metric: the unit in which it is kept.
    kept: BTreeMap<String, String>,
}

impl Stated {
    /// Conversion of a value of `metric`, under `name` in a row that states `unit`, to the unit of the metric.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for a unit that is of another kind than that of other rows or of the metric.
    pub(super) fn conversion(
        &mut self,
        table: &Table,
        row: Line,
        (name, metric): (&str, &str),
        unit: &str,
    ) -> Result<Conversion, Error> {
        let own = fields::unit_of(metric);
        let of_name = Metric::of_column(name).1.symbol();
        let unit = if unit.trim().is_empty() { of_name } else { unit.trim() };
        let scale = Scale::parse(unit);
        let remedy = "write one unit for all values of a metric, or units that can be converted, such as ms and s";
        let differs = |expected: &str| {
            let found =
                if unit.is_empty() { "no unit".to_owned() } else { format!("\"{}\"", short(unit)) };
            let problem = format!("expected \"{}\" in {expected}, found {found}", short(name));
            table.at(row.number, problem, remedy)
        };
        if let Some((own, scale)) = Scale::of_unit(own).zip(scale)
            && !own.is_alike(scale)
        {
            return Err(differs(&format!(
                "{} or a unit of the same kind",
                fields::unit_of(metric)
            )));
        }
        let kept = self.kept.entry(metric.to_owned()).or_insert_with(|| {
            let known = scale.is_some() && own != Unit::None;
            if known { own.symbol() } else { unit }.to_owned()
        });
        if kept == unit {
            return Ok(Conversion::NONE);
        }
        let to = scale.zip(Scale::parse(kept)).and_then(|(from, to)| from.to(to));
        to.ok_or_else(|| {
            let other = if kept.is_empty() { "no unit" } else { kept };
            differs(&format!("{} as in other rows", short(other)))
        })
    }

    /// The units of metrics for which the registry has none, or another one.
    pub(super) fn of_runs(self) -> BTreeMap<String, String> {
        let mut kept = self.kept;
        kept.retain(|metric, unit| !unit.is_empty() && fields::unit_of(metric).symbol() != unit);
        kept
    }
}

/// Where a metric was first found, and in which unit.
struct First {
    unit: String,
    source: Source,
}

/// Puts the values of each metric in one unit, that of the first file that states one.
///
/// # Errors
///
/// [`Error::Input`] for units that cannot be converted; in lenient reading the values are left out.
pub(super) fn in_one_unit(files: &mut [Vec<FileRuns>], lenient: bool) -> Result<(), Error> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_kind_convert_and_others_do_not() {
        let to = |from: &str, to: &str| Scale::parse(from)?.to(Scale::parse(to)?);
        let times = |times: f64| Some(Conversion { times, over: 1.0 });
        let over = |over: f64| Some(Conversion { times: 1.0, over });
        for (from, into, expected) in [
            ("s", "ms", times(1e3)),
            ("ns", "ms", over(1e6)),
            ("min", "s", times(60.0)),
            ("s", "hours", over(3600.0)),
            ("tokens per second", "tok/s", times(1.0)),
            ("req/min", "rps", over(60.0)),
            ("GiB", "MB", times(1_073.741_824)),
            ("MB/s", "B/s", times(1e6)),
            ("ms", "tok/s", None),
            ("tok/s", "req/s", None),
            ("furlongs", "ms", None),
        ] {
            assert_eq!(to(from, into), expected, "{from} {into}");
        }
        assert_eq!(Scale::parse("tok"), None);
        assert_eq!(Scale::parse("%/s"), None);
    }

    #[test]
    fn every_unit_of_the_registry_has_a_scale() {
        for unit in [
            Unit::Second,
            Unit::Millisecond,
            Unit::Microsecond,
            Unit::Nanosecond,
            Unit::RequestPerSecond,
            Unit::TokenPerSecond,
            Unit::OperationPerSecond,
            Unit::MegabytePerSecond,
            Unit::Byte,
            Unit::Percent,
        ] {
            assert!(Scale::of_unit(unit).is_some(), "{unit:?}");
        }
    }
}
