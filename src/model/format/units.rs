//! Values in the unit in which people write them: 2.84 ms and not 0.00284 s.

/// The unit in which the values of a row are shown, if it is easier to read than the stored one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    /// The factor for the values.
    pub factor: f64,
    /// The symbol.
    pub unit: &'static str,
}

/// Units of time by their size in seconds.
const TIMES: [(&str, f64); 4] = [("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)];

/// Sizes of memory, in bytes.
const BYTES: [(&str, f64); 4] = [("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9)];

/// Bytes from which they are written in thousands.
const MANY_BYTES: f64 = 10_000.0;

/// Milliseconds and microseconds below which a smaller unit is written; seconds below 1.
const FEW: f64 = 0.1;

/// The better unit for values of `unit`, the largest being `size`; `None` where they stay as they are.
///
/// Milliseconds from 1,000 on stay: latencies of a server are compared in them.
pub fn shown_in(unit: &str, size: f64) -> Option<Shown> {
    let table = if TIMES.iter().any(|(name, _)| *name == unit) { TIMES } else { BYTES };
    let (_, own) = *table.iter().find(|(name, _)| *name == unit)?;
    let leaves = match unit {
        "ns" => size >= 1e3,
        "µs" => !(FEW..1e3).contains(&size),
        "ms" => size < FEW,
        "s" => size < 1.0,
        _ => size >= MANY_BYTES,
    };
    if !(leaves && size.is_finite() && size > 0.0) {
        return None;
    }
    let base = size * own;
    // A number that rounds to 1,000 is 1 of the next unit.
    let (unit, scale) =
        table.iter().rev().find(|(_, scale)| base >= 0.9995 * scale).unwrap_or(&table[0]);
    let moved = (scale / own - 1.0).abs() > f64::EPSILON;
    moved.then(|| Shown { factor: own / scale, unit })
}

/// The name of a row without the unit at its end, where the values are shown in another one.
pub fn label<'a>(row_label: &'a str, unit: &str, shown: Option<Shown>) -> &'a str {
    let bare = row_label.strip_suffix(unit).and_then(|bare| bare.strip_suffix(' '));
    shown.and(bare).unwrap_or(row_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_written_in_the_unit_in_which_it_has_one_to_three_digits() {
        for (unit, size, expected) in [
            ("s", 0.002_84, Some((1e3, "ms"))),
            ("s", 0.000_001_72, Some((1e6, "µs"))),
            ("s", 1.5, None),
            ("s", 4_000.0, None),
            ("ns", 1_720.0, Some((1e-3, "µs"))),
            ("ns", 2_840_000.0, Some((1e-6, "ms"))),
            ("ns", 999.9, None),
            ("ns", 0.3, None),
            ("ns", 999_990.0, Some((1e-6, "ms"))),
            ("ms", 0.5, None),
            ("ms", 0.02, Some((1e3, "µs"))),
            ("ms", 12_345.0, None),
            ("B", 9_000.0, None),
            ("B", 16_384.0, Some((1e-3, "kB"))),
            ("tok/s", 0.001, None),
            ("s", 0.0, None),
            ("ns", f64::INFINITY, None),
        ] {
            let found = shown_in(unit, size).map(|shown| (shown.factor, shown.unit));
            let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
            let same = match (found, expected) {
                (Some((a, found)), Some((b, expected))) => near(a, b) && found == expected,
                (found, expected) => found == expected,
            };
            assert!(same, "{size} {unit}: {found:?}");
        }
    }

    #[test]
    fn the_unit_stands_once() {
        let shown = Some(Shown { factor: 1e3, unit: "ms" });
        assert_eq!(label("duration s", "s", shown), "duration");
        assert_eq!(label("duration s", "s", None), "duration s");
        assert_eq!(label("build_s", "s", shown), "build_s");
    }
}
