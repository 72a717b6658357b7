//! Decimal numbers as programs write them, eight digits at a time.
//!
//! Result files are nearly all digits, so parsing numbers dominates the time of a large file. A number of digits with
//! at most one point is read as a whole number over a power of ten. The nearest double comes from one division if
//! both are exact, and else from a product with 64 bits of the reciprocal (D. Lemire, Number parsing at a gigabyte
//! per second, *Software: Practice and Experience* 51, 2021). Other forms, and the rare product too near the middle
//! between two doubles, are left to the caller.

/// The number at the start of some bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Decimal {
    /// Its digits without the point.
    digits: u64,
    /// Digits before the point, and after it.
    pub(crate) whole: usize,
    pub(crate) decimals: usize,
    /// Bytes that it takes.
    pub(crate) length: usize,
}

/// Powers of ten that a double holds exactly.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Powers of ten up to eight digits.
const SHIFTS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Decimals above which a number mostly has all the digits of a double.
const MANY: usize = 14;

/// Most decimals with a stored reciprocal: 5^27 is the last power of five below 2^63.
const MAX_EXACT_POWER: usize = 27;

/// The first 64 bits of 1 / 5^k, and the power of two that they are multiplied by to give 1 / 10^k.
const RECIPROCALS: [(u64, u32); MAX_EXACT_POWER + 1] = reciprocals();

const fn reciprocals() -> [(u64, u32); MAX_EXACT_POWER + 1] {
    let mut table = [(0, 0); MAX_EXACT_POWER + 1];
    let (mut k, mut five, mut decimals) = (1, 5u64, 1);
    while k <= MAX_EXACT_POWER {
        let bits = u64::BITS - five.leading_zeros();
        // Long division of 2^(63 + bits).
        let (mut rest, mut quotient, mut bit) = (1u64 << (bits - 1), 0u64, 0);
        while bit < u64::BITS {
            (rest, quotient) = (rest << 1, quotient << 1);
            if rest >= five {
                (rest, quotient) = (rest - five, quotient | 1);
            }
            bit += 1;
        }
        table[k] = (quotient, 63 + bits + decimals);
        (k, decimals) = (k + 1, decimals + 1);
        if k <= MAX_EXACT_POWER {
            five *= 5;
        }
    }
    table
}

/// Last bits of a product that one more would carry out of.
const CARRIES: u64 = 0x1ff;

/// Number of the digits at the start of eight bytes, and their values, a byte each.
#[inline]
fn digits_of(bytes: u64) -> (usize, u64) {
    let values = bytes ^ 0x3030_3030_3030_3030;
    // The first high bit is that of the first byte over 9; what carries over goes to later bytes only.
    let others = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    ((others.trailing_zeros() / 8) as usize, values)
}

/// The number of eight digits, the first in the lowest byte: neighbours are joined, three times.
#[inline]
fn joined(digits: u64) -> u64 {
    let pairs = (digits.wrapping_mul(10).wrapping_add(digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100).wrapping_add(pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000).wrapping_add(fours >> 32)) & 0xffff_ffff
}

/// The number of the first digits among eight bytes: they move to the end, behind zeros.
#[inline]
fn first(count: usize, values: u64) -> u64 {
    if count == 0 { 0 } else { joined(values << (u64::BITS as usize - 8 * count)) }
}

/// Eight bytes from `at`, filled up with zeros at the end.
#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    if let Some(word) = rest.first_chunk() {
        return u64::from_le_bytes(*word);
    }
    let mut word = [0; 8];
    word[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(word)
}

/// The digits at the start of `bytes`, with at most one point after the first digit. `None` without digits, with more
/// than eight before the point, or if they exceed 64 bits.
#[expect(clippy::inline_always, reason = "one for every number of a table of requests")]
#[inline(always)]
pub(crate) fn decimal(bytes: &[u8]) -> Option<Decimal> {
    let (whole, mut digits) = if let [digit @ b'0'..=b'9', b'.', ..] = bytes {
        // Latencies in seconds: the processor need not wait for a count to go on.
        (1, u64::from(digit - b'0'))
    } else {
        let (count, values) = digits_of(word(bytes, 0));
        (count, first(count, values))
    };
    if whole == 0 || whole == 8 && bytes.get(8).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let (mut length, mut decimals) = (whole, 0);
    if bytes.get(whole) == Some(&b'.') {
        length += 1;
        loop {
            let (count, values) = digits_of(word(bytes, length));
            if count < 8 {
                digits = digits.checked_mul(SHIFTS[count])?.checked_add(first(count, values))?;
                (length, decimals) = (length + count, decimals + count);
                break;
            }
            // By a constant, so that the next eight bytes can be fetched before these are counted.
            digits = digits.checked_mul(SHIFTS[8])?.checked_add(joined(values))?;
            (length, decimals) = (length + 8, decimals + 8);
        }
    }
    Some(Decimal { digits, whole, decimals, length })
}

impl Decimal {
    /// The nearest double; `None` if it cannot be decided here.
    #[inline]
    pub(crate) fn value(self) -> Option<f64> {
        // Of so many decimals some have more digits than a double and some have not.
        let rounded = if self.decimals > MANY { self.rounded() } else { None };
        rounded.or_else(|| match TENS.get(self.decimals) {
            Some(ten) if self.digits <= 1 << 53 => Some(self.digits as f64 / ten),
            _ if self.digits == 0 => Some(0.0),
            _ => self.rounded(),
        })
    }

    /// Whole number times reciprocal: all but the last bits of the product are certain.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the halves of a product")]
    fn rounded(self) -> Option<f64> {
        let known = |(bits, _): &&(u64, u32)| *bits > 0 && self.digits > 0;
        let &(reciprocal, power) = RECIPROCALS.get(self.decimals).filter(known)?;
        let zeros = self.digits.leading_zeros();
        let product = u128::from(self.digits << zeros) * u128::from(reciprocal);
        // The upper half may be one too small.
        let (high, low) = ((product >> 64) as u64, product as u64);
        // 53 bits, one that rounds, and the rest.
        let rest_bits = 9 + (high >> 63) as u32;
        let rest = high & ((1 << rest_bits) - 1);
        if high & CARRIES == CARRIES || (rest == 0 && low == 0) {
            return None;
        }
        let kept = high >> rest_bits;
        let mantissa = (kept + (kept & 1)) >> 1;
        // A double is this number with its first bit left out, behind 1023 more than its exponent.
        let exponent = (1023 + 52 + 64 + 1 + rest_bits).checked_sub(power + zeros)?;
        Some(f64::from_bits((u64::from(exponent) << 52) + (mantissa - (1 << 52))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(text: &str) -> Option<u64> {
        let found = decimal(text.as_bytes())?;
        assert_eq!(found.length, text.len(), "{text}");
        found.value().map(f64::to_bits)
    }

    /// The standard library reads every decimal to the nearest double.
    #[test]
    fn a_decimal_is_the_nearest_double() {
        // A fixed sequence, Knuth's MMIX generator.
        let mut state = 11_u64;
        let mut random = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 11
        };
        let (mut read, mut left) = (0, 0);
        for case in 0..200_000 {
            let value = random() as f64 / (1_u64 << 53) as f64;
            let text = match case % 5 {
                // As Python prints measured times: 16 or 17 digits.
                0 => format!("{:?}", value * 0.03 + 0.001),
                1 => format!("{:?}", value * 1e5),
                2 => format!("{:.*}", case % 19, value * 1e3),
                3 => format!("{value:.19}"),
                // Middles between two doubles, and beside them.
                _ => format!("{}.5", (1_u64 << 26) + random() % 1_000),
            };
            let expected = text.parse::<f64>().unwrap().to_bits();
            match bits(&text) {
                Some(found) => {
                    assert_eq!(found, expected, "{text}");
                    read += 1;
                }
                None => left += 1,
            }
        }
        // Left are those of 19 digits that lie all but on a double.
        assert!(read > 8 * left, "{read} {left}");
        for text in [
            "9007199254740993",
            "0.1000000000000000055511151",
            "0.5",
            "7",
            "00012.50",
            "0.000000000000000000000000000",
        ] {
            let expected = text.parse::<f64>().unwrap().to_bits();
            assert!(bits(text).is_none_or(|found| found == expected), "{text}");
        }
    }

    #[test]
    fn the_number_ends_where_its_digits_do() {
        let at = |text: &str| decimal(text.as_bytes()).map(|d| (d.whole, d.decimals, d.length));
        assert_eq!(at("12.5,3"), Some((2, 1, 4)));
        assert_eq!(at("12345678.90123456789e5"), Some((8, 11, 20)));
        assert_eq!(at("7"), Some((1, 0, 1)));
        assert_eq!(at("7.\n"), Some((1, 0, 2)));
        assert_eq!(at("1.2.3"), Some((1, 1, 3)));
        for text in ["", "-1", ".5", "x", "123456789", "0.99999999999999999999999"] {
            assert_eq!(at(text), None, "{text}");
        }
    }
}
