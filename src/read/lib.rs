#![doc = include_str!("README.md")]
//!
//! # How it is built
//!
//! A reader recognises its format by content and turns one file into runs. All readers are listed in `registry`, in
//! the order in which they are tried; adding a client is one file and one line in that list. Each layer uses those
//! above it in this table:
//!
//! | layer | |
//! |---|---|
//! | `store` | where files lie: on the disk, or in memory |
//! | `kit` | what readers share: numbers, JSON, units, limits, errors; it knows no reader |
//! | `reader` | what a reader is |
//! | `text` | notes and logs: headings, printed blocks, claims |
//! | `table` | CSV, JSON lines, Parquet, Markdown: what each column is, what a row is |
//! | `clients` | a file for each client |
//! | `registry` | the list of readers |
//! | `input` | from the inputs of the command line to labelled runs |

mod clients;
mod input;
mod kit;
mod reader;
mod registry;
mod store;
mod table;
mod text;

pub use input::files::Progress;
pub use input::log::{LogFile, log_columns, log_files};
pub use input::memory::{File, load_bytes, load_from};
#[cfg(feature = "tables")]
pub use input::memory::{Frame, load_frames};
#[cfg(feature = "s3")]
pub use input::remote::{is_remote, load_remote};
pub use input::{Loaded, load, load_with};
#[cfg(fuzzing)]
pub use reader::TINY;
pub use reader::{Options, Purpose};
pub use registry::{Format, formats};
#[cfg(feature = "tables")]
pub use table::parquet::{Cells, is_read, write_parquet};
pub use table::reduce::{Plan, QUANTILE_NAMES, Quantity};
pub use table::request_log::{LogColumns, LogForm, columns_named};
pub use table::request_names::{Kind, Status};
#[cfg(feature = "tables")]
pub use table::tidy::tidy_columns;
pub use table::tidy::{Tidy, tidy};
