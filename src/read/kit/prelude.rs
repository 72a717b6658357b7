//! The names that most readers of clients' files import.

pub(crate) use crate::kit::arithmetic::{mean, whole};
pub(crate) use crate::kit::contains;
pub(crate) use crate::kit::csv_rows::{is_no_value, ragged_rows};
pub(crate) use crate::kit::detail::{Detail, RequestSums};
pub(crate) use crate::kit::fields::{Number, number};
pub(crate) use crate::kit::marks::{json_part_with, json_with, near, text_with};
pub(crate) use crate::kit::reading::Reading;
pub(crate) use crate::kit::run_builder::{MS, NS, RunBuilder, S, US, statistic, to_ms};
pub(crate) use crate::kit::short;
pub(crate) use crate::kit::tree::{Node, Tree, objects};
pub(crate) use crate::reader::{COMMAND, Content, Found, Marks, Reader, SAVED_AS, SERVING};
pub(crate) use beyondnoise_model::error::Error;
pub(crate) use beyondnoise_model::units::nanoseconds;
