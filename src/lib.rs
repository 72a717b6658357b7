//! Decides whether the change between repeated benchmark runs exceeds run-to-run noise.
//!
//! Give it a few runs of each of two builds. For every metric it returns *better*, *worse*, *no change*, *within
//! noise* or *not judged*, with an interval. It also lists reasons to doubt the verdict: runs that were not
//! alternated, failed requests, a cold cache. The run is the unit: requests of one run never count as repeats.
//!
//! The executable `beyondnoise` is this library with flags. [`docs`] is its manual: a tutorial, how-tos, reference
//! and the reasons behind the method.
//!
//! # From runs to a verdict
//!
//! ```text
//! files --read::load-->  Dataset  --analysis::analyse-->  Report  --render::{markdown, text, html, json, csv}-->
//! values --Run::new-->   (runs)      (a Policy says what matters)
//! ```
//!
//! | module | purpose |
//! |---|---|
//! | [`read`] | files of some thirty clients, recognised by content, into runs |
//! | [`reduce`] | the SELECT with which an SQL engine reduces logs of requests of any size to runs |
//! | [`runs`] | [`Run`](runs::Run) and [`Dataset`](runs::Dataset): what was measured; also the way in for values in memory |
//! | [`policy`] | [`Policy`](policy::Policy): what decides, what matters, what a gate tolerates |
//! | [`analysis`] | [`analyse`](analysis::analyse) and [`batch`](analysis::batch): from runs to the report |
//! | [`report`] | [`Report`](report::Report), which is the JSON document |
//! | [`render`] | reports as text, markdown, HTML, JSON and CSV |
//! | [`journal`] | folders of runs that `beyondnoise run` made: what was planned, done and seen |
//! | [`ledger`] | the tries of a loop: what is kept, and at which level the next is confirmed |
//! | [`plan`], [`noise`], [`calibrate`] | how many runs; how noisy one build is; whether the intervals keep their promise |
//! | [`history`] | earlier runs, as a source of noise priors, and the verdict on many nights |
//! | [`stats`] | the statistics alone: numbers in, numbers out |
//! | [`checks`] | every check, by id |
//!
//! # Example
//!
//! ```
//! use beyondnoise::analysis::analyse;
//! use beyondnoise::policy::Policy;
//! use beyondnoise::runs::{Dataset, Run};
//! use beyondnoise::verdict::{Headline, Verdict};
//!
//! let before = [24.32, 24.11, 24.29].map(|rate| Run::new("before", [("request_throughput", rate)]));
//! let after = [24.52, 24.59, 24.74].map(|rate| Run::new("after", [("request_throughput", rate)]));
//! let dataset = Dataset::assemble(before.into_iter().chain(after).collect(), Vec::new());
//!
//! let report = analyse(&dataset, Some("before"), None, &Policy::default())?;
//!
//! let comparison = &report.comparisons[0];
//! assert_eq!(comparison.headline, Headline::Improved);
//! assert_eq!(comparison.metrics[0].verdict, Verdict::Better);
//! assert!(beyondnoise::render::markdown(&report).starts_with("### ✅ beyondnoise: improved"));
//! # Ok::<(), beyondnoise::error::Error>(())
//! ```
//!
//! Files are as short: see `tests/examples/folder.rs`.
//!
//! # Stability
//!
//! The crate follows semantic versioning. Inputs ([`Policy`](policy::Policy), [`Options`](read::Options),
//! [`Run`](runs::Run), [`TextOptions`](render::TextOptions)) have defaults: write the fields you need and
//! `..Default::default()`, since fields are added. Outputs are `#[non_exhaustive]`: read the fields, do not match
//! them all. In the JSON documents fields may be added; none is renamed or re-scaled. A change that alters a number
//! for the same input and seed is listed under **Numbers** in the changelog.
//!
//! # Features
//!
//! `tables` (default): Parquet, by polars, which is most of the build time. `png`: pictures as pixels; without it they are
//! still drawn as SVG. `s3`: a history in S3.

pub mod analysis;
pub mod atlas;
mod builds;
pub mod calibrate;
pub mod checks;
mod compare;
mod deciding;
pub mod docs;
pub mod history;
#[doc(hidden)]
pub mod job;
pub mod ledger;
pub mod noise;
mod noise_prior;
pub mod plan;
pub mod policy;
pub mod reduce;
pub mod render;
pub mod report;
pub mod verdict;

#[doc(inline)]
pub use beyondnoise_model::{environment, error, journal, metrics, runs, units, write};
pub(crate) use beyondnoise_model::{format, sanitize};
#[doc(inline)]
pub use beyondnoise_read as read;
pub use beyondnoise_stats as stats;
