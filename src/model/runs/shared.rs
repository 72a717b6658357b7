//! Values that many runs share, stored once.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A value that runs share; a run that changes it gets its own copy.
///
/// Rows of one table mostly have the same settings, and there may be millions of them.
///
/// # Examples
///
/// ```
/// use beyondnoise_model::runs::{Shared, Workload};
///
/// let first = Shared::from(Workload { requests: Some(1000), ..Workload::default() });
/// let mut second = first.clone();
/// assert!(first.is_same(&second));
/// second.requests = Some(500);
/// assert_eq!((first.requests, second.requests), (Some(1000), Some(500)));
/// ```
#[derive(Debug, Default)]
pub struct Shared<T>(Arc<T>);

impl<T> Shared<T> {
    /// Whether both are the same piece of memory, and so equal.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.0 == other.0
    }
}
