//! Bisection over the numbers that exist, so that a search ends on a value exactly.

/// Smallest number in [low, high] for which `holds` is true. It must be true at `high` and stay true above the result.
/// The bisection is over floating-point numbers, so it ends exactly on an atom.
pub(crate) fn smallest(low: f64, high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let (mut below, mut above) = (ordered(low), ordered(high));
    if holds(low) {
        return low;
    }
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if holds(from_ordered(middle)) { above = middle } else { below = middle }
    }
    from_ordered(above)
}

/// An integer that grows with the number, over all finite numbers.
fn ordered(x: f64) -> i128 {
    let bits = i128::from(x.abs().to_bits());
    if x.is_sign_negative() { -bits } else { bits }
}

fn from_ordered(key: i128) -> f64 {
    let bits = u64::try_from(key.unsigned_abs()).expect("the key of a number fits 64 bits");
    let magnitude = f64::from_bits(bits);
    if key < 0 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bisection_ends_on_the_atom_itself() {
        for atom in [-3.0, -1e-300, 0.0, 0.1, 7.25] {
            assert_eq!(smallest(-10.0, 10.0, |x| x >= atom).to_bits(), f64::to_bits(atom));
        }
    }
}
