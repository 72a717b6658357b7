//! Exact order statistics of more values than are kept.
//!
//! Values arrive in any order and number. While they fit the budget all are kept. Beyond it only those in windows
//! around the wanted levels stay, chosen from the values so far with a wide margin; the others are only counted, gap
//! by gap. At the end the value of a rank is in a window, or the gap that holds it is known with the rank inside it,
//! and another pass over the file finds it. Nothing is estimated: the windows decide which part is read again, never
//! the result.

/// Part of the values towards the nearer end that stays on either side of a wanted rank when values are
/// dropped for the first time; half of it the next time, and so on.
const MARGIN: f64 = 0.2;

/// Standard errors of a rank that stay at least, while that frees memory.
const ERRORS: f64 = 6.0;

/// Times after which windows shrink without regard to the standard error.
const PATIENT: i32 = 6;

/// The number whose order is that of `value`; 0 and -0 are one.
pub(super) fn key_of(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The value of a key.
pub(super) fn value_of(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

/// Ends of a range of keys, both inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) low: u64,
    pub(super) high: u64,
}

/// Keys that are kept, and the number of those below them that are not.
struct Window {
    range: Range,
    /// Keys between the window before and this one.
    below: u64,
    kept: Vec<u64>,
    /// Number of kept values at the front that are sorted below all others.
    parted: usize,
}

impl Window {
    fn new(range: Range) -> Self {
        Self { range, below: 0, kept: Vec::new(), parted: 0 }
    }

    /// The key of a rank among those that are kept; ascending ranks cost least.
    fn key(&mut self, rank: usize) -> u64 {
        let (front, back) = self.kept.split_at_mut(self.parted);
        match rank.checked_sub(front.len()) {
            Some(rank) => {
                let key = *back.select_nth_unstable(rank).1;
                self.parted += rank;
                key
            }
            None => *front.select_nth_unstable(rank).1,
        }
    }
}

/// Values of one series.
pub(super) struct Order {
    count: u64,
    windows: Vec<Window>,
    /// Keys above the last window.
    above: u64,
    narrowed: i32,
}

/// Where the value of a rank is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Its key.
    Key(u64),
    /// Among the keys in a range, so many of them before it, of so many in all.
    Gap { range: Range, before: u64, count: u64 },
}

impl Default for Order {
    fn default() -> Self {
        let range = Range { low: 0, high: u64::MAX };
        Self { count: 0, windows: vec![Window::new(range)], above: 0, narrowed: 0 }
    }
}

impl Order {
    /// Number of values seen.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Number of values in memory.
    pub(super) fn kept(&self) -> usize {
        self.windows.iter().map(|window| window.kept.len()).sum()
    }

    /// All keys as they came, unless some were dropped.
    pub(super) fn all(&self) -> Option<&[u64]> {
        (self.narrowed == 0).then(|| self.windows[0].kept.as_slice())
    }

    pub(super) fn extend(&mut self, keys: Vec<u64>) {
        self.count += keys.len() as u64;
        for window in &mut self.windows {
            window.parted = 0;
        }
        if self.narrowed > 0 {
            for key in keys {
                put(&mut self.windows, &mut self.above, key);
            }
        } else if self.windows[0].kept.is_empty() {
            self.windows[0].kept = keys;
        } else {
            self.windows[0].kept.extend(keys);
        }
    }

    /// Drops what lies far from the wanted `levels`, which ascend.
    pub(super) fn narrow(&mut self, levels: &[f64]) {
        self.narrowed += 1;
        let wanted: Vec<Range> = levels.iter().map(|&level| self.around(level)).collect();
        let mut windows: Vec<Window> = Vec::new();
        for old in &self.windows {
            for new in &wanted {
                // Windows may overlap: each begins where the one before ends.
                let after = windows.last().map_or(Some(0), |last| last.range.high.checked_add(1));
                let Some(after) = after else { break };
                let low = new.low.max(old.range.low).max(after);
                let high = new.high.min(old.range.high);
                if low <= high {
                    let range = Range { low, high };
                    windows.push(Window::new(range));
                }
            }
        }
        let mut above = self.above;
        for old in std::mem::take(&mut self.windows) {
            let next = windows.iter().position(|window| window.range.low >= old.range.low);
            *next.map_or(&mut above, |next| &mut windows[next].below) += old.below;
            for key in old.kept {
                put(&mut windows, &mut above, key);
            }
        }
        for window in &mut windows {
            window.kept.shrink_to_fit();
        }
        (self.windows, self.above) = (windows, above);
    }

    /// The keys that stay around a level.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "ranks between 0 and the count, cut off at both"
    )]
    fn around(&mut self, level: f64) -> Range {
        let n = self.count as f64;
        let part = MARGIN * 0.5f64.powi(self.narrowed - 1) * level.min(1.0 - level) * n;
        let error = if self.narrowed > PATIENT { 0.0 } else { (n * level * (1.0 - level)).sqrt() };
        let margin = part.max(ERRORS * error) + 1.0;
        let middle = level * (n - 1.0);
        let last = self.count.saturating_sub(1);
        let first = (middle - margin).max(0.0) as u64;
        let end = ((middle + margin).max(0.0) as u64).min(last);
        // Later values may lie outside of all so far.
        let low = if first == 0 { 0 } else { low_end(&self.place(first)) };
        let high = if end == last { u64::MAX } else { high_end(&self.place(end)) };
        Range { low, high }
    }

    /// Where the value of a rank is, counted from 0.
    ///
    /// # Panics
    ///
    /// If there are not that many values.
    pub(super) fn place(&mut self, rank: u64) -> Place {
        assert!(rank < self.count, "rank {rank} of {} values", self.count);
        let mut before = 0;
        let mut low = 0;
        for window in &mut self.windows {
            if rank < before + window.below {
                let range = Range { low, high: window.range.low - 1 };
                return Place::Gap { range, before: rank - before, count: window.below };
            }
            before += window.below;
            let inside = usize::try_from(rank - before).unwrap_or(usize::MAX);
            if inside < window.kept.len() {
                return Place::Key(window.key(inside));
            }
            before += window.kept.len() as u64;
            low = window.range.high.saturating_add(1);
        }
        let range = Range { low, high: u64::MAX };
        Place::Gap { range, before: rank - before, count: self.above }
    }
}

fn low_end(place: &Place) -> u64 {
    match place {
        Place::Key(key) => *key,
        Place::Gap { range, .. } => range.low,
    }
}

fn high_end(place: &Place) -> u64 {
    match place {
        Place::Key(key) => *key,
        Place::Gap { range, .. } => range.high,
    }
}

/// Puts a key into its window, or counts it into its gap.
fn put(windows: &mut [Window], above: &mut u64, key: u64) {
    let next = windows.partition_point(|window| window.range.high < key);
    match windows.get_mut(next) {
        Some(window) if window.range.low <= key => window.kept.push(key),
        Some(window) => window.below += 1,
        None => *above += 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_order_as_values_do() {
        let values = [f64::NEG_INFINITY, -2.5, -0.0, 1e-300, 0.1, 2.5, f64::INFINITY];
        for pair in values.windows(2) {
            assert!(key_of(pair[0]) < key_of(pair[1]));
        }
        assert_eq!(key_of(0.0), key_of(-0.0));
        assert!(
            values.iter().all(|&value| value_of(key_of(value)).total_cmp(&(value + 0.0)).is_eq())
        );
    }

    #[test]
    fn a_rank_that_was_dropped_names_its_gap() {
        let mut order = Order::default();
        let first: Vec<u64> = (1000..2000).collect();
        order.extend(first.clone());
        order.narrow(&[0.5]);
        // Ranks 300 to 699 of 1000 stay at most; then all that comes lies below them.
        assert!(order.kept() < 500);
        order.extend((0..1000).collect());
        let Place::Gap { range, before, count } = order.place(700) else { panic!("dropped") };
        assert_eq!((range.low, before), (0, 700));
        let kept = first.iter().filter(|key| **key <= range.high).count() as u64;
        assert_eq!(count, 1000 + kept);
        assert_eq!(order.place(1500), Place::Key(1500));
    }
}
