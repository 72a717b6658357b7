//! The names that most readers of clients' files import.

pub(crate) use crate::error::Error;
pub(crate) use crate::read::kit::contains;
pub(crate) use crate::read::kit::csv_rows::{is_no_value, ragged_rows};
pub(crate) use crate::read::kit::detail::{Detail, RequestSums};
pub(crate) use crate::read::kit::fields::{Number, number};
pub(crate) use crate::read::kit::marks::{header_with, json_part_with, json_with, near, text_with};
pub(crate) use crate::read::kit::nodes::{mean, whole};
pub(crate) use crate::read::kit::reading::Reading;
pub(crate) use crate::read::kit::run_builder::{MS, NS, RunBuilder, S, US, statistic, to_ms};
pub(crate) use crate::read::kit::short;
pub(crate) use crate::read::kit::tree::{Node, Tree, objects};
pub(crate) use crate::read::reader::{COMMAND, Content, Found, Reader, SAVED_AS, SERVING};
pub(crate) use crate::units::nanoseconds;
