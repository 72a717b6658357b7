//! The values of one run by metric, in one piece of memory, with names that runs share.

use std::collections::BTreeSet;
use std::fmt;
use std::iter::Map;
use std::mem;
use std::ops::Index;
use std::slice;
use std::sync::Arc;

use crate::runs::{Run, Value};

/// One value for each metric, in the order of the names.
///
/// A batch has millions of values under a few names: runs from one table share the names.
///
/// # Examples
///
/// ```
/// use beyondnoise_model::runs::{Metrics, Value};
///
/// let value = Value { value: 64.5, resolution: 0.05 };
/// let mut metrics = Metrics::from([("mean_ttft_ms", value), ("mean_tpot_ms", value)]);
/// assert_eq!(metrics.keys().collect::<Vec<_>>(), ["mean_tpot_ms", "mean_ttft_ms"]);
/// assert_eq!(metrics.insert("mean_ttft_ms", Value { value: 63.2, ..value }), Some(value));
/// assert_eq!(metrics["mean_ttft_ms"].value, 63.2);
/// assert_eq!(metrics.get("duration"), None);
/// ```
#[derive(Clone, Default)]
pub struct Metrics(Stored);

/// In the order of the names, each once. A single value is stored inline: a table with one metric may have millions of runs.
#[derive(Clone)]
enum Stored {
    One((Arc<str>, Value)),
    Any(Vec<(Arc<str>, Value)>),
}

impl Default for Stored {
    fn default() -> Self {
        Self::Any(Vec::new())
    }
}

/// Names and values of [`Metrics`], in the order of the names.
pub type Entries<'a> =
    Map<slice::Iter<'a, (Arc<str>, Value)>, fn(&'a (Arc<str>, Value)) -> (&'a str, &'a Value)>;

impl Metrics {
    /// Metrics without any value.
    pub fn new() -> Self {
        Self::default()
    }

    fn entries(&self) -> &[(Arc<str>, Value)] {
        match &self.0 {
            Stored::One(entry) => slice::from_ref(entry),
            Stored::Any(entries) => entries,
        }
    }

    fn entries_mut(&mut self) -> &mut [(Arc<str>, Value)] {
        match &mut self.0 {
            Stored::One(entry) => slice::from_mut(entry),
            Stored::Any(entries) => entries,
        }
    }

    fn take(&mut self) -> Vec<(Arc<str>, Value)> {
        match mem::take(&mut self.0) {
            Stored::One(entry) => vec![entry],
            Stored::Any(entries) => entries,
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.entries().is_empty()
    }

    /// Position of a metric, or the position for inserting it.
    fn find(&self, name: &str) -> Result<usize, usize> {
        self.entries().binary_search_by(|(known, _)| known.as_ref().cmp(name))
    }

    /// The value of a metric.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.find(name).ok().map(|at| &self.entries()[at].1)
    }

    /// Whether a metric has a value.
    pub fn contains_key(&self, name: &str) -> bool {
        self.find(name).is_ok()
    }

    /// Sets the value of a metric, and returns the former one.
    pub fn insert(&mut self, name: impl Into<Arc<str>>, value: Value) -> Option<Value> {
        let name = name.into();
        match (self.find(&name), &mut self.0) {
            (Ok(at), _) => Some(mem::replace(&mut self.entries_mut()[at].1, value)),
            (Err(_), Stored::Any(entries)) if entries.capacity() == 0 => {
                self.0 = Stored::One((name, value));
                None
            }
            (Err(at), _) => {
                let mut entries = self.take();
                entries.insert(at, (name, value));
                self.0 = Stored::Any(entries);
                None
            }
        }
    }

    /// Removes the value of a metric, and returns it.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let at = self.find(name).ok()?;
        let mut entries = self.take();
        let (_, value) = entries.remove(at);
        self.0 = Stored::Any(entries);
        Some(value)
    }

    /// Keeps the metrics for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut Value) -> bool) {
        match &mut self.0 {
            Stored::One((name, value)) => {
                if !keep(name, value) {
                    *self = Self::new();
                }
            }
            Stored::Any(entries) => entries.retain_mut(|(name, value)| keep(name, value)),
        }
    }

    /// Names and values, in the order of the names.
    pub fn iter(&self) -> Entries<'_> {
        self.entries().iter().map(|(name, value)| (name.as_ref(), value))
    }

    /// Names, in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entries().iter().map(|(name, _)| name.as_ref())
    }

    /// Values, in the order of their names.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.entries().iter().map(|(_, value)| value)
    }

    /// Values, in the order of their names.
    pub fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut Value> {
        self.entries_mut().iter_mut().map(|(_, value)| value)
    }

    /// No values, with room for those of so many metrics.
    pub fn with_capacity(metrics: usize) -> Self {
        Self(Stored::Any(if metrics > 1 { Vec::with_capacity(metrics) } else { Vec::new() }))
    }
}

impl PartialEq for Metrics {
    fn eq(&self, other: &Self) -> bool {
        self.entries() == other.entries()
    }
}

/// Names of the metrics of these runs.
pub fn metric_names<'a>(runs: impl IntoIterator<Item = &'a Run>) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    let mut before: Option<&Metrics> = None;
    for Run { metrics, .. } in runs {
        // Neighbours mostly have the same metrics.
        if !before.is_some_and(|before| before.keys().eq(metrics.keys())) {
            names.extend(metrics.keys());
            before = Some(metrics);
        }
    }
    names
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl Index<&str> for Metrics {
    type Output = Value;

    /// # Panics
    ///
    /// If the metric has no value; [`Metrics::get`] does not.
    fn index(&self, name: &str) -> &Value {
        self.get(name).unwrap_or_else(|| panic!("no value of {name}"))
    }
}

impl<N: Into<Arc<str>>> Extend<(N, Value)> for Metrics {
    fn extend<I: IntoIterator<Item = (N, Value)>>(&mut self, values: I) {
        for (name, value) in values {
            self.insert(name, value);
        }
    }
}

/// If a name occurs twice, the last value counts.
impl<N: Into<Arc<str>>> FromIterator<(N, Value)> for Metrics {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(values: I) -> Self {
        let mut metrics = Self::new();
        metrics.extend(values);
        metrics
    }
}

impl<N: Into<Arc<str>>, const K: usize> From<[(N, Value); K]> for Metrics {
    fn from(values: [(N, Value); K]) -> Self {
        values.into_iter().collect()
    }
}

impl IntoIterator for Metrics {
    type Item = (Arc<str>, Value);
    type IntoIter = std::vec::IntoIter<(Arc<str>, Value)>;

    fn into_iter(mut self) -> Self::IntoIter {
        self.take().into_iter()
    }
}

impl<'a> IntoIterator for &'a Metrics {
    type Item = (&'a str, &'a Value);
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
